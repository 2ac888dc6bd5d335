//! Conversion of recorded MPI calls to actions: common parts of the readers of recorders' formats.
//!
//! A recorder writes calls with handles of requests and communicators, with wildcards and with times. Actions identify
//! requests by source, destination and tag, messages without their communicator, and computation as flops. This module
//! converts one to the other, and counts or refuses, with its place, anything that has no counterpart.

mod communicators;
mod nonblocking;
mod program;
mod requests;
mod roots;
#[cfg(test)]
mod tests;

pub(super) use communicators::Making;
pub(super) use program::{FilePosition, Program, located, uniform};
pub(super) use requests::{CallRequest, Requests, Unresolved};
