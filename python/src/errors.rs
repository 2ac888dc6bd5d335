//! Errors as exceptions, with the text of the command line.

use crate::cli::failure::Failure;
use pyo3::prelude::*;

/// Returns the exception for a failure: the class of `mopsim._errors` for its exit code.
pub fn exception(py: Python<'_>, failure: &Failure) -> PyErr {
    let made = py
        .import("mopsim._errors")
        .and_then(|module| module.getattr("of_code"))
        .and_then(|of_code| of_code.call1((failure.code(), failure.text())));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// Turns the failures of a result into exceptions.
pub trait OrRaise<T> {
    /// Raises the failure, if it is one.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<Failure>> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| exception(py, &error.into()))
    }
}
