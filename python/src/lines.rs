//! Lines of a trace from a Python iterator, as a stream that the reader of traces reads.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

/// A stream of the bytes objects of an iterator.
pub struct Lines {
    iterator: Py<PyAny>,
    chunk: Vec<u8>,
    at: usize,
    raised: Raised,
}

/// Exception that the iterator raised, if it did.
#[derive(Clone, Default)]
pub struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    /// Takes the exception.
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, error: PyErr) -> io::Error {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        io::Error::other("the program in Python raised an exception")
    }
}

impl Lines {
    /// A stream, and the place of an exception that stops it.
    pub fn new(iterator: Py<PyAny>) -> (Self, Raised) {
        let raised = Raised::default();
        (Self { iterator, chunk: Vec::new(), at: 0, raised: raised.clone() }, raised)
    }

    /// Returns the next bytes object; none at the end.
    fn next(&self) -> PyResult<Option<Vec<u8>>> {
        Python::attach(|py| {
            py.check_signals()?;
            let next = self.iterator.bind(py).try_iter()?.next();
            next.map(|chunk| Ok(chunk?.cast_into::<PyBytes>()?.as_bytes().to_vec())).transpose()
        })
    }
}

impl Read for Lines {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.len() {
            match self.next().map_err(|error| self.raised.put(error))? {
                Some(chunk) => (self.chunk, self.at) = (chunk, 0),
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.chunk.len() - self.at);
        buffer[..length].copy_from_slice(&self.chunk[self.at..self.at + length]);
        self.at += length;
        Ok(length)
    }
}
