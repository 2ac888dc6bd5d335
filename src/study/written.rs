//! A study as its file has it, before the files that it names are read.

use super::error::StudyError;
use super::file::StudyFile;
use super::toml_file;
use std::path::{Path, PathBuf};

/// A study file that was read and parsed, but not checked. [`Study::build`](super::Study::build) reads the files that it
/// names.
#[derive(Debug, Clone)]
pub struct WrittenStudy {
    /// Its name in messages. Names of files in it are relative to the folder of this path.
    pub path: PathBuf,
    /// Its contents.
    pub file: StudyFile,
    /// Its text, for the places of errors.
    pub(super) text: String,
}

impl WrittenStudy {
    /// Reads and parses a study file.
    ///
    /// # Errors
    /// [`StudyError::File`] if the file cannot be read, or breaks a rule.
    pub fn read(path: &Path) -> Result<Self, StudyError> {
        let (file, text) = toml_file::read_with_text(path)?;
        Ok(Self { path: path.to_owned(), file, text })
    }

    /// Parses a text. `path` is its name in messages; the file need not exist.
    ///
    /// # Errors
    /// [`StudyError::File`] if the text breaks a rule.
    pub fn parse(path: &Path, text: String) -> Result<Self, StudyError> {
        let file = toml_file::parse(path, &text)?;
        Ok(Self { path: path.to_owned(), file, text })
    }

    /// Returns the folder to which names of files in it are relative.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}
