//! XML documents, without the parts of XML that can do harm.
//!
//! A document type is never fetched. A document type with declarations inside the file is refused, because entities
//! that expand to entities can fill any memory.

use crate::excerpt::excerpts;
use std::borrow::Cow;

use roxmltree::{Document, ParsingOptions};

use super::input::{Located, place};

/// Largest number of nodes of a document: 67,108,864.
const MAX_NODES: u32 = 1 << 26;

/// Parses a document; `file` is its name for messages.
pub(crate) fn parse<'input>(file: &str, text: &'input str) -> Result<Document<'input>, Located> {
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let place = error.pos();
        Located {
            file: file.into(),
            line: place.row as usize,
            column: place.col as usize,
            // The parser's message ends with the position, ours begins with it.
            message: excerpts(error.to_string().trim_end_matches(&format!(" at {place}"))),
            help: "check that the file is well-formed XML, for example with xmllint".into(),
        }
    })
}

/// Returns the text without an XML declaration that follows blank lines, which XML forbids and SimGrid's parser
/// accepts. Blanks replace it, so that lines and columns are unchanged.
pub(crate) fn without_late_declaration(text: &str) -> Cow<'_, str> {
    let start = text.len() - text.trim_start().len();
    let declaration = &text[start..];
    match declaration.find("?>") {
        Some(end) if start > 0 && declaration.starts_with("<?xml") => {
            let blank: String = declaration[..end + 2].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
            Cow::Owned(format!("{}{blank}{}", &text[..start], &declaration[end + 2..]))
        }
        _ => Cow::Borrowed(text),
    }
}

/// Returns the text with comments that XML permits: in a comment, `--` and a `-` at the end are forbidden, and SimGrid's parser
/// accepts both, as a comment ends only with `-->`. Equals signs replace these hyphens, so that lines and columns are unchanged.
pub(crate) fn with_plain_comments(text: Cow<'_, str>) -> Cow<'_, str> {
    const OPEN: &str = "<!--";
    const DATA: &str = "<![CDATA[";
    let mut changed: Option<String> = None;
    let mut at = 0;
    while let Some(found) = text[at..].find("<!") {
        let start = at + found;
        let rest = &text[start..];
        if let Some(content) = rest.strip_prefix(OPEN) {
            // The parser reports a comment that is not closed.
            let Some(length) = content.find("-->") else { break };
            let inside = start + OPEN.len()..start + OPEN.len() + length;
            let comment = &text[inside.clone()];
            if comment.contains("--") || comment.ends_with('-') {
                changed
                    .get_or_insert_with(|| text.clone().into_owned())
                    .replace_range(inside.clone(), &comment.replace('-', "="));
            }
            at = inside.end + "-->".len();
        } else if rest.starts_with(DATA) {
            // What looks like a comment here is text.
            let Some(length) = rest.find("]]>") else { break };
            at = start + length;
        } else {
            at = start + "<!".len();
        }
    }
    changed.map_or(text, Cow::Owned)
}

/// Finds a document type with declarations of its own: `<!DOCTYPE platform [ ... ]>`.
pub(crate) fn declarations(file: &str, text: &str) -> Option<Located> {
    let mut rest = text.trim_start_matches('\u{feff}');
    loop {
        rest = rest.trim_start();
        let end = match rest {
            _ if rest.starts_with("<?") => rest.find("?>").map(|end| end + 2),
            _ if rest.starts_with("<!--") => rest.find("-->").map(|end| end + 3),
            _ => break,
        };
        // The parser reports anything that is not closed.
        rest = &rest[end?..];
    }
    if !rest.starts_with("<!DOCTYPE") {
        return None;
    }
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (c, quote) {
            ('"' | '\'', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            ('>', None) => return None,
            ('[', None) => {
                let (line, column) = place(text, text.len() - rest.len() + at);
                return Some(Located {
                    file: file.into(),
                    line,
                    column,
                    message: "a document type with declarations inside the file is not supported".into(),
                    help: "leave the part in brackets out; the file needs no declarations".into(),
                });
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hyphens_in_comments_are_accepted_as_simgrid_does() {
        let repaired = |text: &str| with_plain_comments(Cow::Borrowed(text)).into_owned();
        let text = "<a>\n<!-- <b x=\"-1\"/> -- two -->\n<!-- - plain -->\n<!-- end ---><c/>\n</a>";
        let new = repaired(text);
        assert_eq!(new, "<a>\n<!-- <b x=\"=1\"/> == two -->\n<!-- - plain -->\n<!-- end =--><c/>\n</a>");
        parse("p.xml", &new).unwrap();
        for same in
            ["<a><![CDATA[<!-- -- -->]]></a>", "<a><!-- open --", "<!DOCTYPE a><a/>", "<a><![CDATA[ <!-- -- ", "<!--->"]
        {
            assert_eq!(repaired(same), same);
        }
        // Places in the rest of the file stay those of the file.
        let error = parse("p.xml", &repaired("<a><!-- - -- -->\n<b></a>")).unwrap_err();
        assert_eq!((error.line, error.column), (2, 4), "{error}");
    }
}
