//! The network: how fast a message travels, who shares what, and when a transfer ends.
//!
//! [`maxmin`] shares out the links ([`incremental`] does as SimGrid's default solver does, [`full`] as its full one), [`model`]
//! says how a message size and a route become a delay, a weight and a rate, [`paths`] remembers the routes in use, and
//! [`Network`] lets transfers run through time.

pub mod clocks;
pub mod full;
pub mod incremental;
mod literal;
pub mod maxmin;
pub mod model;
pub mod paths;
pub mod piecewise;
pub mod sharing;
mod steps;
mod transfers;

pub use transfers::{Finished, Network, Precision};
