//! Event traces: the actions of every rank of an application, in order.
//!
//! One submodule per file format; all of them produce a [`Trace`].

mod action;
pub(crate) mod actions;
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
mod event_trace;
mod foreign;
pub(crate) mod format;
mod formats;
mod gathering;
pub mod goal;
pub mod inspect;
mod options;
mod origin;
mod otf2;
mod packing;
pub(crate) mod queues;
mod read;
pub mod recording;
pub(crate) mod schedule;
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

pub(crate) use action::Triple;
pub use action::{ANY_TARGET, Action, CollectiveCall, CollectiveKind, Counts, SendRecv, UNKNOWN_COUNT};
pub use actions::Actions;
pub use communicator::{CommunicatorId, CommunicatorProblem, MemberList, Members};
pub use datatype::Datatype;
pub use error::{ArgumentProblem, FormatError, TraceError, TraceErrorKind};
pub use event_trace::Trace;
pub use formats::{FORMATS, format_for, writer_for};
pub use options::{DEFAULT_RECORDED_SPEED, Options};
pub use origin::{Effect, Gap, Locate, Locator, Origin, SourceLine, TraceWarning};
pub use packing::Packing;
pub use read::{read, read_from, read_rank};
pub use side::SideFile;
pub use write::{WriteError, Writer, write, write_watched};

/// `true` if this build reads archives of OTF2 (feature `libotf2`). It reads their text in any case.
pub const READS_OTF2_ARCHIVES: bool = cfg!(feature = "libotf2");
