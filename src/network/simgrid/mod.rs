//! SimGrid's own ways of sharing, for numbers that have to be its own to the last bit: what
//! [`MaxMin`](super::maxmin::MaxMin) leaves to rounding follows SimGrid 3.32 here, its faults included.
//!
//! [`full`] and [`incremental`] say which links are shared out again, `system.rs` how, and `steps.rs` how time passes
//! in full mode.

pub mod full;
pub mod incremental;
pub(super) mod steps;
mod system;
