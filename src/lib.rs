//! mopsim predicts how fast MPI applications run on an interconnect that nobody has built yet.

pub mod ids;
pub mod mpi;
pub mod platform;
pub mod routing;
pub mod topology;
pub mod trace;
