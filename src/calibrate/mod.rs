//! Constants of a network model from measured message times.
//!
//! Benchmarks between two hosts show how long a message of each size takes (ping-pong), how fast messages follow each other
//! (a stream), and what both directions carry together. [`read`](fn@read) takes them from the output of the usual programs, [`fit`](fn@fit)
//! makes constants of them, and [`Fitted::toml`] writes these for `--model FILE`. [`HostSpeed`] is how fast a host computes.

mod check;
mod error;
mod fit;
mod host;
mod imb;
mod model_file;
mod netpipe;
mod osu;
mod own;
mod read;
mod series;
mod table;

pub use check::{Residual, errors, in_words, residuals};
pub use error::CalibrateError;
pub use fit::{FitError, Fitted, Rendezvous, Route, Section, fit};
pub use host::{Compared, HOST_MARK, HOST_PROGRAM, HOST_PROGRAM_NAME, HostSpeed, Rate, processor};
pub use model_file::MARK;
pub use own::{PROGRAM, PROGRAM_NAME};
pub use read::{read, read_from};
pub use series::{Series, SeriesKind};

#[cfg(test)]
mod tests;
