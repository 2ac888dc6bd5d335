//! SimGrid's own sharing rules, for numbers that must match its own to the last bit: what
//! [`MaxMin`](super::maxmin::MaxMin) leaves to rounding follows SimGrid 3.32 here, including its faults.
//!
//! [`full`] and [`incremental`] choose the links to solve again, `system.rs` solves them, and `steps.rs` advances time
//! in full mode.

pub mod full;
pub mod incremental;
pub(super) mod steps;
mod system;
