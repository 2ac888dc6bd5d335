//! TOML files of users: read as text, refused with the place and the nearest key where they are wrong.

use crate::similar::nearest;
use crate::topology::input::{ReadError, read_text};
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// Largest file that is read, in bytes: a study names its traces and graphs, it does not hold them.
const MAX_BYTES: u64 = 16 << 20;

/// Why a TOML file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TomlError {
    /// The file cannot be read, or is no text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file breaks a rule.
    #[error("{}:{place}: {message}", .file.display())]
    Wrong {
        /// The file.
        file: PathBuf,
        /// Where in it.
        place: Place,
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

/// Returns the text of a file, unread.
///
/// # Errors
/// [`TomlError::Read`].
pub(super) fn read_plain(file: &Path) -> Result<String, TomlError> {
    Ok(read_text(file, MAX_BYTES)?)
}

/// Reads a text; `file` is its name for messages.
///
/// # Errors
/// [`TomlError::Wrong`].
pub fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, TomlError> {
    toml::from_str(text).map_err(|error| {
        let place = Place::of(text, error.span().map_or(0, |span| span.start));
        let message = with_nearest_key(&error.message().replace('\n', ", "));
        TomlError::Wrong { file: file.to_owned(), place, message }
    })
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// As it follows the name of a file and a colon.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Place {
    /// Of a byte of a text; of its end, if the text is shorter.
    fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = &text.as_bytes()[..offset];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Self { line: 1 + memchr::memchr_iter(b'\n', before).count(), column: 1 + offset - line_start }
    }
}

/// A step on the way to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into the value of a key.
    Key(&'a str),
    /// Into an item of a list, or the table after so many others of its name.
    Item(usize),
}

/// Where a value stands that was read from a text, or the last table or list on the way to it that is written there.
/// `None` if not even the first step leads anywhere.
pub fn place_of(text: &str, way: &[Step]) -> Option<Place> {
    follow(text, way).map(|(place, _)| place)
}

/// The same, but `None` if the value itself is not written there.
pub fn place_of_value(text: &str, way: &[Step]) -> Option<Place> {
    follow(text, way).filter(|&(_, is_whole)| is_whole).map(|(place, _)| place)
}

/// Goes a way as far as it is written; gives where that is, and whether it is the whole way.
fn follow(text: &str, way: &[Step]) -> Option<(Place, bool)> {
    let document = DeTable::parse(text).ok()?;
    let (Step::Key(first), rest) = way.split_first()? else { return None };
    let mut value = document.get_ref().get(*first)?;
    let mut is_whole = true;
    for step in rest {
        let next = match step {
            Step::Key(key) => value.get_ref().get(*key),
            Step::Item(item) => value.get_ref().get(*item),
        };
        let Some(next) = next else {
            is_whole = false;
            break;
        };
        value = next;
    }
    Some((Place::of(text, value.span().start), is_whole))
}

/// The parser lists the keys that it knows; the nearest one is what the user meant.
fn with_nearest_key(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (true, Some(unknown)) = (message.starts_with("unknown field"), quoted.next()) else {
        return message.to_owned();
    };
    match nearest(unknown, quoted) {
        Some(key) => format!("unknown key `{unknown}`; did you mean `{key}`?"),
        None => message.to_owned(),
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

    #[test]
    fn values_are_found_again() {
        let text = "a = 1\nlist = ['x',\n  'y']\n[table]\nkey = 2\n[[tables]]\nk = 3\n[[tables]]\nk = 4\n";
        let find = |way: &[Step]| place_of(text, way).map(|place| (place.line, place.column));
        use Step::{Item, Key};
        assert_eq!(find(&[Key("a")]), Some((1, 5)));
        assert_eq!(find(&[Key("list"), Item(1)]), Some((3, 3)));
        assert_eq!(find(&[Key("table"), Key("key")]), Some((5, 7)));
        assert_eq!(find(&[Key("tables"), Item(1), Key("k")]), Some((9, 5)));
        // What is not there is looked for where it would be.
        assert_eq!(find(&[Key("tables"), Item(1), Key("z")]), Some((8, 1)));
        assert_eq!(find(&[Key("table"), Item(1)]), Some((4, 1)));
        assert_eq!(find(&[Key("z")]), None);
        assert_eq!(find(&[]), None);
    }
}
