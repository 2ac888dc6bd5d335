//! Message passing: matching of sends and receives, collectives, and the constants of the MPI layer.

pub(crate) mod bisection;
pub mod collective;
mod inbox;
pub mod mapping;
pub mod messages;
mod options;
pub mod rank_map;

pub use options::MpiOptions;
