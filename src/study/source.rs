//! Places of errors in a study file.

use super::error::StudyError;
use super::toml_file::{self, PathStep, PathStep::Item, PathStep::Key};
use std::path::Path;

/// Text of a study file, in which the places of errors are looked up.
pub(super) struct Source<'a> {
    /// Path of the file.
    pub file: &'a Path,
    /// Text of the file.
    pub text: &'a str,
    /// Number of networks in the file; the others are from the command line.
    pub networks: usize,
}

impl Source<'_> {
    /// Returns an error with the place of the value that caused it, if the value is in the file.
    pub fn at(&self, way: &[PathStep], error: impl Into<StudyError>) -> StudyError {
        let error = error.into();
        match toml_file::place_of(self.text, way) {
            Some(place) => StudyError::At { file: self.file.to_owned(), place, error: Box::new(error) },
            None => error,
        }
    }

    /// Returns a contradiction with the place of the value that caused it, in words.
    pub fn wrong(&self, way: &[PathStep], message: String) -> StudyError {
        self.at(way, StudyError::Contradiction(message))
    }

    /// Returns an error with the place of a value of a network, which may also be in one of the tables `behind` it, in
    /// this order.
    pub fn in_network(&self, number: usize, way: &[PathStep], behind: &[&[PathStep]], error: StudyError) -> StudyError {
        if number >= self.networks {
            return error;
        }
        let network = [Key("networks"), Item(number)];
        let table = [&network[..]]
            .into_iter()
            .chain(behind.iter().copied())
            .find(|table| toml_file::place_of_value(self.text, &[table, way].concat()).is_some());
        self.at(&[table.unwrap_or(&network), way].concat(), error)
    }
}
