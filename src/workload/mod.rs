//! Workloads: programs that say what every rank of an application does, so that its trace exists at any size.
//!
//! A workload is a Starlark program ([`Program`]): a dialect of Python that is deterministic and reaches neither files
//! nor network, so one from a stranger is safe to run. It is run once for each rank, in parallel, and what it says is
//! stored as the actions of a [`Trace`](crate::trace::Trace). Built-in programs are in [`catalogue`]; they are
//! embedded, and are written to be copied. `docs/guide/workloads.md` tells how to write one.
//!
//! A table of benchmarks in Rust would have been faster to run and impossible to extend; a scripting language with
//! its own loops and files (Lua, Python) would have needed a jail.

pub mod catalogue;
mod collectives;
mod context;
mod error;
mod generate;
mod guard;
mod kronecker;
mod language;
mod one_sided;
mod parameters;
mod prepare;
mod program;
mod recorder;
mod stuck;
mod summary;

pub use error::WorkloadError;
pub use generate::{Instance, WriteError};
pub use guard::Limits;
pub use parameters::{Kind, Parameter};
pub use program::Program;
pub use stuck::Patience;
pub use summary::Summary;
