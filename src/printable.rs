//! Safe output of text: nothing in it controls a terminal or disguises the text.
//!
//! Names and contents come from untrusted files. Control characters move cursors and set titles, bidirectional
//! overrides show letters in another order, and characters without width make different names look the same; they are
//! written as `\\u001b`, which JSON interprets as the same character. Line ends and tabs stay. All output to a terminal
//! or into a report passes through this module.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Returns `true` if a character must be escaped.
pub(crate) fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Direction marks, line separators, embeddings and overrides, isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        // Without width: soft hyphen, joiners, byte order mark, tags.
        '\u{ad}'
        | '\u{200b}'..='\u{200d}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// Returns the text with unsafe characters escaped.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Returns a text as a string of TOML in one line, with unsafe characters escaped as TOML has it.
pub fn toml_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if acts(c) && c <= '\u{ffff}' => drop(write!(out, "\\u{:04x}", u32::from(c))),
            c if acts(c) => drop(write!(out, "\\U{:08x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Characters of a word of a message that are shown, at its front and at its end.
const SHOWN: (usize, usize) = (240, 40);

/// Returns a message for a terminal: unsafe characters are escaped, and of a word that is longer than a name can be, the
/// middle is left out. A file of one line of 10 GB fits on a screen that way.
pub fn message(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len().min(1 << 16));
    for word in text.split_inclusive(char::is_whitespace) {
        let (word, end) = word.split_at(word.trim_end().len());
        let length = if word.len() > SHOWN.0 + SHOWN.1 { word.chars().count() } else { 0 };
        if length <= SHOWN.0 + SHOWN.1 + 20 {
            out.push_str(word);
        } else {
            out.extend(word.chars().take(SHOWN.0));
            let _ = write!(out, "...({} characters)...", grouped((length - SHOWN.0 - SHOWN.1) as u64));
            out.extend(word.chars().skip(length - SHOWN.1));
        }
        out.push_str(end);
    }
    out
}

/// Returns the name of a file for a message, which would otherwise go on in a line that looks like one of ours.
pub fn one_line<'a>(name: impl Into<Cow<'a, str>>) -> Cow<'a, str> {
    let name = name.into();
    if name.contains('\n') { name.replace('\n', "\\u000a").into() } else { name }
}

/// Returns a message whose further lines cannot pass for messages of their own: two spaces precede each.
pub fn attached(text: &str) -> String {
    let mut lines = text.split('\n');
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |out, line| {
        let indent = if line.is_empty() || line.starts_with("  ") { "" } else { "  " };
        out + "\n" + indent + line
    })
}

/// Writer that escapes unsafe characters. Its input is UTF-8 in pieces of any length.
#[derive(Debug)]
pub struct Printable<W> {
    out: W,
    /// Incomplete character at the end of the last piece.
    begun: Vec<u8>,
}

impl<W: Write> Printable<W> {
    /// Creates a writer to `out`.
    pub fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The usual case: complete ASCII text.
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if self.begun.is_empty() && bytes.iter().all(is_plain) {
            self.out.write_all(bytes)?;
            return Ok(bytes.len());
        }
        self.begun.extend_from_slice(bytes);
        let mut all = std::mem::take(&mut self.begun);
        let mut rest = &all[..];
        while !rest.is_empty() {
            let (text, wrong) = match std::str::from_utf8(rest) {
                Ok(text) => (text, 0),
                Err(error) => {
                    let (text, after) = rest.split_at(error.valid_up_to());
                    let text = std::str::from_utf8(text).unwrap_or_default();
                    match error.error_len() {
                        Some(length) => (text, length),
                        None => {
                            self.out.write_all(printable(text).as_bytes())?;
                            self.begun = after.to_vec();
                            return Ok(bytes.len());
                        }
                    }
                }
            };
            self.out.write_all(printable(text).as_bytes())?;
            if wrong > 0 {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
            rest = &rest[text.len() + wrong..];
        }
        all.clear();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns a number for a message: in digits, or with an exponent if it is very large or small.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e15).contains(&size) { value.to_string() } else { format!("{value:e}") }
}

/// Formats an integer with commas: `2,870,809`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with its noun, in the singular for one: `1 rank`, `64 ranks`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, 2.0, 0.03, -1.5, 1e-300, 1e308, f64::NAN, f64::INFINITY].map(number);
        assert_eq!(texts, ["0", "2", "0.03", "-1.5", "1e-300", "1e308", "NaN", "inf"]);
    }
    use proptest::prelude::*;

    #[test]
    fn what_acts_is_shown() {
        assert_eq!(printable("a\tb\nc\u{fffd}\u{e9}"), "a\tb\nc\u{fffd}\u{e9}");
        assert_eq!(
            printable("\u{1b}]0;x\u{7}\r\u{9b}\u{202e}\u{7f}\0"),
            "\\u001b]0;x\\u0007\\u000d\\u009b\\u202e\\u007f\\u0000"
        );
        let name: String = serde_json::from_str(&printable("\"a\u{202e}b\u{e0041}\u{200b}\"")).unwrap();
        assert_eq!(name, "a\u{202e}b\u{e0041}\u{200b}");
        assert_eq!(printable("\u{feff}a\u{e0041}"), "\\ufeffa\\udb40\\udc41");
        assert_eq!(one_line("a\nerror: b"), "a\\u000aerror: b");
        assert_eq!(attached("a\nerror: b\n help: c\n  at d\n"), "a\n  error: b\n   help: c\n  at d\n");
    }

    #[test]
    fn strings_of_toml_are_read_back() {
        let text = "a\"\\'\n\t\u{7}\u{202e}\u{2066}\u{e0041}\u{e9}";
        let written = toml_string(text);
        assert_eq!(written, "\"a\\\"\\\\'\\n\\t\\u0007\\u202e\\u2066\\U000e0041\u{e9}\"");
        let table: toml::Table = toml::from_str(&format!("x = {written}")).unwrap();
        assert_eq!(table["x"].as_str(), Some(text));
    }

    #[test]
    fn messages_are_short() {
        let short = "no host `h9`\n help: take\tanother";
        assert_eq!(message(short), short);
        let word = format!("{}{}{}", "a".repeat(240), "\u{e9}".repeat(1_000_000), "b".repeat(40));
        let expected = format!("no {}...(1,000,000 characters)...{} is", "a".repeat(240), "b".repeat(40));
        assert_eq!(message(&format!("no {word} is")), expected);
    }

    proptest! {
        #[test]
        fn cuts_make_no_difference(text: String, cuts in prop::collection::vec(0_usize..200, 0..9)) {
            let mut out = Vec::new();
            let mut through = Printable::new(&mut out);
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                through.write_all(now).unwrap();
                rest = later;
            }
            through.write_all(rest).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), printable(&text));
        }
    }
}
