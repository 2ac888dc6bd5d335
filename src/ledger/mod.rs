//! Ledgers: files of JSON lines that grow by a line for each completed piece of long work.
//!
//! The first line identifies the work, and each other one is a record ([`LedgerFile`]). Each line ends with a checksum of
//! its own ([`checked_line`]). Work is dealt out to processes by [`Shard`]. What lines contain is known to the rooms that
//! write them: replays of a study, and runs of packets.

pub mod checked_line;
mod error;
mod file;
mod lines;
pub(crate) mod sha256;
mod shard;

pub use error::LedgerError;
pub use file::{LedgerFile, read};
pub use lines::{Lines, parsed};
pub use shard::{Shard, ShardError, unfinished};
