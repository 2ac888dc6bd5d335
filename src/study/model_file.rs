//! Files of network models: the keys of the table `[model]`, as `mopsim calibrate` writes them.

use super::choice::ModelChoice;
use super::choice_error::ChoiceError;
use super::toml_file::{self, PathStep::Key, Place, TomlError};
use crate::user_error::UserError;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::path::{Path, PathBuf};

/// Reason why the file of a network model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelFileError {
    /// It cannot be read, or is no TOML file with these keys.
    #[error(transparent)]
    Toml(#[from] TomlError),
    /// It names another file.
    #[error("{}: a file of a model cannot name another one", .0.display())]
    Nested(PathBuf),
    /// A choice is invalid.
    #[error("{}{}: {error}", .file.display(), place.map_or(String::new(), |place| format!(":{place}")))]
    Choice {
        /// Path of the file.
        file: PathBuf,
        /// Place of the choice; `None` if it is missing.
        place: Option<Place>,
        /// Cause of the error.
        error: Box<ChoiceError>,
    },
}

impl UserError for ModelFileError {
    fn help(&self) -> String {
        match self {
            Self::Toml(error) if error.is_io() => "check the path and its permissions".to_owned(),
            Self::Toml(_) => {
                "the keys are those of the table [model] of studies (docs/reference/studies.md)".to_owned()
            }
            Self::Nested(_) => "put the keys of that file here instead".to_owned(),
            Self::Choice { error, .. } => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Toml(error) if error.is_io())
    }
}

/// Reads the choices of a file, and checks them.
///
/// # Errors
/// [`ModelFileError`].
pub fn read(file: &Path) -> Result<ModelChoice, ModelFileError> {
    let (choice, text): (ModelChoice, String) = toml_file::read_with_text(file)?;
    if choice.file.is_some() {
        return Err(ModelFileError::Nested(file.to_owned()));
    }
    let choice = choice.in_folder(file.parent().unwrap_or(Path::new("")));
    match choice.build() {
        Ok(_) => Ok(choice),
        Err(error) => {
            let place = error.key().and_then(|key| toml_file::place_of_value(&text, &[Key(key)]));
            Err(ModelFileError::Choice { file: file.to_owned(), place, error: Box::new(error) })
        }
    }
}

/// `true` if the name of a model is that of a file.
pub(super) fn is_file_name(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end == "toml")
}

impl ModelChoice {
    /// Returns these choices, with missing ones from the file that they name, if any. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`ModelFileError`].
    pub(super) fn with_file(self, folder: &Path) -> Result<Self, ModelFileError> {
        let mut own = self.in_folder(folder);
        match own.file.take() {
            None => Ok(own),
            Some(file) => Ok(own.over(&read(&folder.join(file))?)),
        }
    }
}

/// Deserializes choices: a table, or the name of a file.
pub(super) fn table_or_file<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ModelChoice, D::Error> {
    deserializer.deserialize_any(ModelVisitor)
}

struct ModelVisitor;

impl<'de> Visitor<'de> for ModelVisitor {
    type Value = ModelChoice;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of choices, or the name of a file with them")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ModelChoice, E> {
        Ok(ModelChoice { file: Some(name.into()), ..ModelChoice::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ModelChoice, A::Error> {
        ModelChoice::deserialize(MapAccessDeserializer::new(map))
    }
}
