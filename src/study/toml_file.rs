//! TOML files of users: read as text, refused with the place and the nearest key where they are wrong.

use crate::topology::input::{ReadError, read_text};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Largest file that is read, in bytes: a study names its traces and graphs, it does not hold them.
const MAX_BYTES: u64 = 16 << 20;

/// Why a TOML file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TomlError {
    /// The file cannot be read, or is no text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file breaks a rule.
    #[error("{}:{line}:{column}: {message}", .file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
}

impl TomlError {
    /// Whether reading failed, rather than what was read.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Read(ReadError::Io { .. }))
    }
}

/// Reads a file.
///
/// # Errors
/// [`TomlError`].
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<T, TomlError> {
    read_with_text(file).map(|(value, _)| value)
}

/// Reads a file, and gives its text, too.
///
/// # Errors
/// [`TomlError`].
pub fn read_with_text<T: DeserializeOwned>(file: &Path) -> Result<(T, String), TomlError> {
    let text = read_text(file, MAX_BYTES)?;
    Ok((parse(file, &text)?, text))
}

/// Reads a text; `file` is its name for messages.
///
/// # Errors
/// [`TomlError::Wrong`].
pub fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, TomlError> {
    toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start.min(text.len()));
        let before = &text.as_bytes()[..offset];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        TomlError::Wrong {
            file: file.to_owned(),
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            column: 1 + offset - line_start,
            message: with_nearest_key(&error.message().replace('\n', ", ")),
        }
    })
}

/// The parser lists the keys that it knows; the nearest one is what the user meant.
fn with_nearest_key(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (true, Some(unknown)) = (message.starts_with("unknown field"), quoted.next()) else {
        return message.to_owned();
    };
    match quoted.map(|key| (strsim::damerau_levenshtein(key, unknown), key)).min() {
        Some((distance, key)) if distance <= 1 + key.len() / 3 => {
            format!("unknown key `{unknown}`; did you mean `{key}`?")
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Example {
        #[allow(dead_code)]
        title: Option<String>,
        #[allow(dead_code)]
        baseline: Option<u32>,
    }

    fn message(text: &str) -> String {
        parse::<Example>(Path::new("a.toml"), text).expect_err(text).to_string()
    }

    #[test]
    fn mistakes_have_a_place_and_a_way_out() {
        assert_eq!(
            message("title = 'x'\nbase_line = 1\n"),
            "a.toml:2:1: unknown key `base_line`; did you mean `baseline`?"
        );
        assert!(message("zzz = 1").starts_with("a.toml:1:1: unknown field `zzz`, expected"));
        assert!(message("title = 'x'\nbaseline = 'y'\n").starts_with("a.toml:2:12: invalid type"));
        assert!(message("title = 'x").starts_with("a.toml:1:"));
    }
}
