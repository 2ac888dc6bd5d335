//! mopsim predicts how fast MPI applications run on an interconnect that nobody has built yet.

pub mod calibrate;
pub mod cost;
pub mod defaults;
pub mod design;
#[cfg(unix)]
pub mod emulate;
pub mod engine;
pub mod export;
pub mod ids;
pub mod layout;
mod markup;
pub mod memory;
pub mod mpi;
pub mod network;
pub mod packets;
pub mod piecewise;
pub mod platform;
mod prefetch;
pub mod printable;
pub mod queue;
pub mod record;
pub mod report;
pub mod result;
pub mod routing;
mod similar;
mod slots;
pub mod steps;
pub mod study;
pub mod throughput;
pub mod topology;
pub mod trace;
pub mod traffic;
pub mod workload;
