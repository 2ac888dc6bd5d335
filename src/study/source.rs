//! The places of mistakes in a study file.

use super::error::StudyError;
use super::toml_file::{self, Step, Step::Item, Step::Key};
use std::path::Path;

/// The text of a study file, in which the places of what is wrong are looked up.
pub(super) struct Source<'a> {
    /// The file.
    pub file: &'a Path,
    /// Its text.
    pub text: &'a str,
    /// Number of networks in it; the others are of the command line.
    pub networks: usize,
}

impl Source<'_> {
    /// An error with the place of the value that it is about, if that is written there.
    pub fn at(&self, way: &[Step], error: impl Into<StudyError>) -> StudyError {
        let error = error.into();
        match toml_file::place_of(self.text, way) {
            Some(place) => StudyError::At { file: self.file.to_owned(), place, error: Box::new(error) },
            None => error,
        }
    }

    /// The same for what cannot be, in words.
    pub fn wrong(&self, way: &[Step], message: String) -> StudyError {
        self.at(way, StudyError::Contradiction(message))
    }

    /// The same for a value of a network, which may also be written in one of the tables `behind` it, the first one
    /// first.
    pub fn in_network(&self, number: usize, way: &[Step], behind: &[&[Step]], error: StudyError) -> StudyError {
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
