//! Tests of the reader as a whole.

mod actions;
mod communicators;
mod corpus;
mod errors;
mod files;
mod packed;
mod property;
mod smpi;

use super::*;
use crate::trace::testing::assert_same;

/// Reads a text as if it came from a stream called `t`.
fn parse(text: &str) -> Result<Trace, TraceError> {
    parse_for(None, text)
}

fn parse_for(ranks: Option<usize>, text: &str) -> Result<Trace, TraceError> {
    read_from(text.as_bytes(), "t", &Options { ranks, ..Options::default() })
}
