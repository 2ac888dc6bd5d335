//! Why a replay took the time that it took: observers that look on and explain it.

pub mod critical;
pub mod explain;
pub mod lanes;
pub mod saturation;
pub mod sizes;
