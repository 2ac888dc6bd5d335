//! Safe output of text: nothing in it controls a terminal or disguises the text.
//!
//! Names and contents come from untrusted files. Control characters move cursors and set titles, and bidirectional
//! overrides show letters in another order; both are written as `\\u001b`, which JSON interprets as the same character.
//! Line ends and tabs stay. All output to a terminal or into a report passes through this module.

use std::borrow::Cow;
use std::io::{self, Write};

/// Returns `true` if a character must be escaped.
fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Direction marks, line separators, embeddings and overrides, isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
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
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
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
        let name: String = serde_json::from_str(&printable("\"a\u{202e}b\"")).unwrap();
        assert_eq!(name, "a\u{202e}b");
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
