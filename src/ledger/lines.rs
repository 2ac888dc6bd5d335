//! Lines of a ledger that was read.

use super::checked_line::{self, Line};
use super::error::LedgerError;
use crate::excerpt::excerpts_of_json;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Complete lines of a ledger. Text after the last line end is a torn line, left by a process that was killed.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    complete: &'a [u8],
}

impl<'a> Lines<'a> {
    /// Returns the complete lines of a file.
    ///
    /// # Errors
    /// [`LedgerError::Malformed`] if there is none.
    pub fn of(file: &Path, bytes: &'a [u8]) -> Result<Self, LedgerError> {
        let missing = || LedgerError::malformed(file, 1, "there is no first line that says what the results are of");
        let end = memchr::memrchr(b'\n', bytes).ok_or_else(missing)?;
        Ok(Self { complete: &bytes[..=end] })
    }

    /// Returns the complete lines of a file that is continued; `None` if it is empty, or contains only the beginning of
    /// `first`, the first line that it should have.
    ///
    /// # Errors
    /// [`LedgerError::Malformed`] if the first line is incomplete and another one.
    pub fn continued(file: &Path, bytes: &'a [u8], first: &str) -> Result<Option<Self>, LedgerError> {
        if !bytes.contains(&b'\n') && first.as_bytes().starts_with(bytes) {
            return Ok(None);
        }
        Self::of(file, bytes).map(Some)
    }

    /// Returns the length of all complete lines in bytes.
    pub fn length(self) -> usize {
        self.complete.len()
    }

    /// Returns the lines without their ends, numbered from 1. Line ends of Windows are accepted.
    pub fn numbered(self) -> impl Iterator<Item = (usize, &'a [u8])> {
        let lines = self.complete[..self.complete.len() - 1].split(|&byte| byte == b'\n');
        (1..).zip(lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)))
    }
}

/// Parses a line without its end. `what` describes a line of another content, such as "the line is no cell". A line without a
/// checksum is valid only if `unchecked`.
///
/// # Errors
/// [`LedgerError::Malformed`].
pub fn parsed<T: DeserializeOwned>(
    file: &Path,
    (number, line): (usize, &[u8]),
    unchecked: bool,
    what: &str,
) -> Result<T, LedgerError> {
    let malformed = |message: String| LedgerError::malformed(file, number, message);
    let content = |error: serde_json::Error| malformed(format!("{what}: {}", in_words(&error)));
    // serde would read the fields of an object from a list as well.
    if line.first() != Some(&b'{') {
        return Err(malformed(format!("{what}: it is no JSON object")));
    }
    match checked_line::read(line) {
        Line::Checked(checked) => serde_json::from_slice(&checked).map_err(content),
        Line::Damaged => Err(malformed("the line was changed: its checksum is that of another one".into())),
        Line::Unchecked => {
            let found = serde_json::from_slice(line).map_err(content)?;
            if unchecked { Ok(found) } else { Err(malformed("the line has no checksum at its end".into())) }
        }
    }
}

/// Returns the message of an error within a line, with names of JSON's types instead of Rust's.
fn in_words(error: &serde_json::Error) -> String {
    let column = error.column();
    if !error.is_data() {
        return format!("the JSON is broken at column {column}");
    }
    let message = excerpts_of_json(error);
    let Some((found, expected)) = message.rsplit_once(", expected ") else { return message };
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number",
        other if other.starts_with("struct ") => "an object",
        other => other,
    };
    format!("{found}, expected {expected}, at column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "it is only parsed")]
        seconds: f64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "it is only parsed")]
        cell: usize,
        #[expect(dead_code, reason = "it is only parsed")]
        times: Vec<Inner>,
    }

    #[test]
    fn errors_use_the_words_of_json() {
        for (line, expected) in [
            ("", "it is no JSON object"),
            ("3", "it is no JSON object"),
            ("[0,[]]", "it is no JSON object"),
            ("title = 'x'", "it is no JSON object"),
            ("{\"cell\":0,", "the JSON is broken at column 10"),
            ("{\"cell\" 0}", "the JSON is broken at column 9"),
            ("{\"times\":[]}", "missing field `cell`"),
            ("{\"cells\":0}", "unknown field `cells`, expected `cell` or `times`, at column 8"),
            ("{\"cell\":\"a\"}", "invalid type: string \"a\", expected a whole number, at column 11"),
            ("{\"cell\":0,\"times\":3}", "invalid type: integer `3`, expected a list, at column 19"),
            ("{\"cell\":0,\"times\":[3]}", "invalid type: integer `3`, expected an object, at column 20"),
            ("{\"cell\":0,\"times\":[{\"seconds\":null}]}", "invalid type: null, expected a number, at column 34"),
        ] {
            let error = parsed::<Outer>(Path::new("r.jsonl"), (7, line.as_bytes()), true, "the line is no cell")
                .expect_err("no such line");
            assert_eq!(error.to_string(), format!("r.jsonl:7: the line is no cell: {expected}"));
        }
    }
}
