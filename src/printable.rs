//! Text as it leaves: nothing in it acts on a terminal, or shows other text than there is.
//!
//! Names and contents come from files that others wrote. Control characters move cursors and set titles, bidirectional
//! overrides show letters in another order; both are written as `\\u001b`, which JSON takes for the same character. Line
//! ends and tabs stay. This is the one place that does it, for all that goes to a terminal or into a report.

use std::borrow::Cow;
use std::io::{self, Write};

/// Whether a character may not leave as it is.
fn acts(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks of direction, line separators, embeddings and overrides, isolates.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// A text without characters that act.
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

/// Passes on text without characters that act. What is written is UTF-8, cut anywhere.
#[derive(Debug)]
pub struct Printable<W> {
    out: W,
    /// The beginning of a character whose end did not come yet.
    begun: Vec<u8>,
}

impl<W: Write> Printable<W> {
    /// Passes on to `out`.
    pub fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The usual case: text of ASCII, and whole.
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

#[cfg(test)]
mod tests {
    use super::*;
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
