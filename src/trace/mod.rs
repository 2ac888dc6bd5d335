//! Event traces: what every rank of an application does, in order.
//!
//! One submodule per file format; all of them give a [`Trace`].

mod action;
mod datatype;

pub use action::{Action, CollectiveCall, CollectiveKind, Counts, SendRecv, Trace, UNKNOWN_COUNT};
pub use datatype::Datatype;
