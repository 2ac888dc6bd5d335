//! Workloads: programs that describe the actions of every rank of an application, so that traces of any size can be
//! generated.
//!
//! A workload is a Starlark program ([`Program`]): a dialect of Python that is deterministic and has no access to files
//! or the network, so an untrusted one can be run. It runs once per rank, in parallel, and its calls are stored as the
//! actions of a [`Trace`](crate::trace::Trace). Built-in programs are in [`catalogue`]; they are embedded, and are
//! written to be copied. `docs/guide/workloads.md` explains how to write one.
//!
//! A table of benchmarks in Rust would have been faster to run and impossible to extend; a scripting language with its
//! own loops and files (Lua, Python) would have needed a sandbox.

mod allowance;
mod builtins;
pub mod catalogue;
mod checked;
mod collectives;
mod context;
mod count;
mod error;
mod generate;
mod guard;
#[cfg(test)]
mod hostile_tests;
mod instrument;
mod kronecker;
mod language;
mod limits;
mod locate;
mod marks;
mod one_sided;
mod operators;
mod parameters;
mod prepare;
mod program;
mod recorder;
mod rephrase;
mod resident;
mod stuck;
mod summary;
#[cfg(test)]
mod tests;
mod weigh;

pub use error::WorkloadError;
pub use generate::{Instance, WriteError};
pub use limits::Limits;
pub use locate::GeneratedBy;
pub use parameters::{Kind, Parameter};
pub use program::Program;
pub use stuck::Patience;
pub use summary::Summary;
