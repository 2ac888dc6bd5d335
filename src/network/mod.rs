//! The network: how fast a message travels, who shares what, and when a transfer ends.
//!
//! [`maxmin`] shares out the links ([`simgrid`] does as SimGrid does, to the last bit), [`model`]
//! says how a message size and a route become a delay, a weight and a rate, [`paths`] remembers the routes in use, and
//! [`Network`] lets transfers run through time. [`Transfers`] is the seam to the engine; networks in which messages are no
//! flows are behind the same seam as [`Carrier`]s.

mod carrier;
pub mod clocks;
mod connections;
pub mod loads;
pub mod maxmin;
pub mod model;
pub mod noise;
pub mod paths;
pub mod sharing;
pub mod simgrid;
mod transfers;

pub use carrier::{BlockedJob, Carrier, HeadOfLine, Medium, PacketCounts, Transfers};
pub use transfers::{Finished, Handshake, Network, Precision};
