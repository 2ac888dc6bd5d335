//! Event traces: what every rank of an application does, in order.
//!
//! One submodule per file format; all of them give a [`Trace`].

mod action;
mod datatype;
pub mod diff;
mod error;
mod origin;
mod side;
pub(crate) mod tables;
pub mod ti;

pub use action::{Action, CollectiveCall, CollectiveKind, Counts, SendRecv, Trace, UNKNOWN_COUNT};
pub use datatype::Datatype;
pub use error::{ArgumentProblem, TraceError, TraceErrorKind};
pub use origin::{Origin, SourceLine, TraceWarning};
pub use side::SideFile;
