//! SHA-256 in hexadecimal, and of sequences of texts and numbers.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{self, Write};

/// Returns the hexadecimal digits of some bytes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the digest of some bytes.
pub fn of_bytes(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Hasher of texts and numbers. The length of each text precedes it, so that adjacent texts cannot be confused.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Creates a hasher that has seen nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds a whole number.
    pub fn number(&mut self, number: u64) {
        self.0.update(number.to_le_bytes());
    }

    /// Adds the bits of a number.
    pub fn float(&mut self, number: f64) {
        self.number(number.to_bits());
    }

    /// Returns the digest of what was added.
    pub fn finish(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

impl Write for Hasher {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.0.update(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
