//! XML documents, without the parts of XML that can do harm.
//!
//! A document type is never fetched. A document type with declarations inside the file is refused, because entities
//! that expand to entities can fill any memory.

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
            message: error.to_string().trim_end_matches(&format!(" at {place}")).to_owned(),
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
