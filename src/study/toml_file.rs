//! User-supplied TOML files; errors have the place and the nearest key.

use super::toml_words::in_words;
use crate::topology::input::{ReadError, place, read_text};
use crate::user_error::UserError;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Largest file, in bytes: a study names its traces and graphs, but does not contain them.
const MAX_BYTES: u64 = 16 << 20;

/// Reason why a TOML file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TomlError {
    /// The file cannot be read, or is not text.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file breaks a rule.
    #[error("{}:{place}: {message}", .file.display())]
    Wrong {
        /// Path of the file.
        file: PathBuf,
        /// Place of the error.
        place: Place,
        /// Description of the error.
        message: String,
    },
}

impl UserError for TomlError {
    fn help(&self) -> String {
        match self {
            Self::Read(error) => error.help(),
            Self::Wrong { .. } => String::new(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Read(error) if error.is_io())
    }
}

/// Reads and parses a file.
///
/// # Errors
/// [`TomlError`].
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<T, TomlError> {
    read_with_text(file).map(|(value, _)| value)
}

/// Reads and parses a file; returns also its text.
///
/// # Errors
/// [`TomlError`].
pub fn read_with_text<T: DeserializeOwned>(file: &Path) -> Result<(T, String), TomlError> {
    let text = read_text(file, MAX_BYTES)?;
    Ok((parse(file, &text)?, text))
}

/// Returns the text of a file, without parsing it.
///
/// # Errors
/// [`TomlError::Read`].
pub(super) fn read_plain(file: &Path) -> Result<String, TomlError> {
    Ok(read_text(file, MAX_BYTES)?)
}

/// Parses a text; `file` is its name for messages.
///
/// # Errors
/// [`TomlError::Wrong`].
pub fn parse<T: DeserializeOwned>(file: &Path, text: &str) -> Result<T, TomlError> {
    let wrong = |start: usize, message: String| TomlError::Wrong {
        file: file.to_owned(),
        place: Place::of(text, start),
        message,
    };
    let failed = |error: toml::de::Error| wrong(error.span().map_or(0, |span| span.start), in_words(error.message()));
    let document = DeTable::parse(text).map_err(failed)?;
    let unfit = unfit(document.get_ref());
    let parsed = T::deserialize(toml::Deserializer::from(document)).map_err(failed)?;
    match unfit {
        Some((start, message)) => Err(wrong(start, message)),
        None => Ok(parsed),
    }
}

/// Longest name of a network, a workload or a platform, in characters: it is part of tables and messages.
const MOST_OF_A_NAME: usize = 200;

/// Returns the place of the first text that would end a line of a report, or of a name that no table has room for.
fn unfit(table: &DeTable) -> Option<(usize, String)> {
    table.iter().find_map(|(key, value)| unfit_value(key.get_ref(), value))
}

fn unfit_value(key: &str, value: &Spanned<DeValue>) -> Option<(usize, String)> {
    let message = match value.get_ref() {
        DeValue::String(text) if text.contains('\n') => format!("the text of `{key}` has a line end"),
        DeValue::String(text) if key == "name" && text.chars().count() > MOST_OF_A_NAME => {
            format!("a name has more than {MOST_OF_A_NAME} characters")
        }
        DeValue::Array(all) => return all.iter().find_map(|item| unfit_value(key, item)),
        DeValue::Table(inner) => return unfit(inner),
        _ => return None,
    };
    Some((value.span().start, message))
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
}

/// Writes the place as it follows the name of a file and a colon.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl Place {
    /// Returns the place of a byte of a text; that of its end if the text is shorter.
    fn of(text: &str, offset: usize) -> Self {
        let (line, column) = place(text, offset);
        Self { line, column }
    }
}

/// A step of the path to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathStep<'a> {
    /// To the value of a key.
    Key(&'a str),
    /// To an item of a list, or to a table by its index among those of its name.
    Item(usize),
}

/// Returns the place of a value in a text, or that of the last table or list on the path to it that exists there.
/// `None` if even the first step does not exist.
pub fn place_of(text: &str, way: &[PathStep]) -> Option<Place> {
    follow(text, way).map(|(place, _)| place)
}

/// Returns the place of a value in a file; `None` if even the first step does not exist, or if the file cannot be read.
pub fn place_in(file: &Path, way: &[PathStep]) -> Option<Place> {
    place_of(&read_plain(file).ok()?, way)
}

/// Returns the place of a value in a text; `None` if the value itself is missing.
pub fn place_of_value(text: &str, way: &[PathStep]) -> Option<Place> {
    follow(text, way).filter(|&(_, is_whole)| is_whole).map(|(place, _)| place)
}

/// Follows a path as far as it exists; returns the place, and `true` for the whole path.
fn follow(text: &str, way: &[PathStep]) -> Option<(Place, bool)> {
    let document = DeTable::parse(text).ok()?;
    let (PathStep::Key(first), rest) = way.split_first()? else { return None };
    let mut value = document.get_ref().get(*first)?;
    let mut is_whole = true;
    for step in rest {
        let next = match step {
            PathStep::Key(key) => value.get_ref().get(*key),
            PathStep::Item(item) => value.get_ref().get(*item),
        };
        let Some(next) = next else {
            is_whole = false;
            break;
        };
        value = next;
    }
    Some((Place::of(text, value.span().start), is_whole))
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
        assert!(message("title = 'x'\nbaseline = 'y'\n").starts_with("a.toml:2:12: `y` is text; write a whole number"));
        assert!(message("title = 'x").starts_with("a.toml:1:"));
    }

    #[test]
    fn texts_stay_in_their_line() {
        let told = |text: &str| match parse::<toml::Table>(Path::new("a.toml"), text) {
            Err(error) => error.to_string(),
            Ok(_) => "nothing".to_owned(),
        };
        let baseline = told("title = 'x'\nbaseline = \"a\\nerror: b\"\n");
        assert!(baseline.starts_with("a.toml:2:12: the text of `baseline` has a line end"), "{baseline}");
        let list = told("title = 'x'\nbaselines = ['a', \"b\\u000ac\"]\n");
        assert!(list.starts_with("a.toml:2:19: the text of `baselines` has"), "{list}");
        let name = "x".repeat(201);
        let networks = |name: &str| told(&format!("title = 'x'\n[[networks]]\nname = '{name}'\ntopology = 'ring:4'\n"));
        assert!(networks(&name).starts_with("a.toml:3:8: a name has more than 200 characters"), "{}", networks(&name));
        assert_eq!(networks(&name[1..]), "nothing");
    }

    #[test]
    fn values_are_found_again() {
        let text = "a = 1\nlist = ['x',\n  'y']\n[table]\nkey = 2\n[[tables]]\nk = 3\n[[tables]]\nk = 4\n";
        let find = |way: &[PathStep]| place_of(text, way).map(|place| (place.line, place.column));
        use PathStep::{Item, Key};
        assert_eq!(find(&[Key("a")]), Some((1, 5)));
        assert_eq!(find(&[Key("list"), Item(1)]), Some((3, 3)));
        assert_eq!(find(&[Key("table"), Key("key")]), Some((5, 7)));
        assert_eq!(find(&[Key("tables"), Item(1), Key("k")]), Some((9, 5)));
        // A missing value has the place of the table that would contain it.
        assert_eq!(find(&[Key("tables"), Item(1), Key("z")]), Some((8, 1)));
        assert_eq!(find(&[Key("table"), Item(1)]), Some((4, 1)));
        assert_eq!(find(&[Key("z")]), None);
        assert_eq!(find(&[]), None);
    }
}
