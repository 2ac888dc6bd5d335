//! Message passing: ranks, point-to-point matching and collectives.

pub mod collective;
pub mod layout;
