//! Event traces: the actions of every rank of an application, in order.
//!
//! One submodule per file format; all of them produce a [`Trace`].

mod action;
pub mod actions;
mod allprof;
mod blocks;
mod bytes;
mod calls;
mod check_call;
pub(crate) mod communicator;
pub mod compact;
mod datatype;
pub mod diff;
mod dumpi;
mod error;
mod foreign;
pub mod format;
mod gathering;
pub mod goal;
pub mod inspect;
mod options;
mod origin;
mod otf2;
mod queues;
pub mod recording;
pub mod schedule;
mod side;
mod source;
pub(crate) mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod ti;
pub mod transform;
pub(crate) mod varint;
pub mod write;

pub use action::{ANY_TARGET, Action, CollectiveCall, CollectiveKind, Counts, SendRecv, Trace, UNKNOWN_COUNT};
pub use actions::Actions;
pub use communicator::{CommunicatorId, CommunicatorProblem, MemberList, Members};
pub use datatype::Datatype;
pub use error::{ArgumentProblem, FormatError, TraceError, TraceErrorKind};
pub use format::{read, read_from};
pub use options::{DEFAULT_RECORDED_SPEED, Options};
pub use origin::{Effect, Gap, Origin, SourceLine, TraceWarning};
pub use side::SideFile;
pub use write::{Packing, WriteError, Writer, format_for, write, write_watched, writer_for};

/// `true` if this build reads archives of OTF2 (feature `libotf2`). It reads their text in any case.
pub const READS_OTF2_ARCHIVES: bool = cfg!(feature = "libotf2");
