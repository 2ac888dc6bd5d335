//! The network: message speeds, bandwidth sharing and transfer times.
//!
//! [`maxmin`] allocates link bandwidth (`proportional` does as TCP tends to, `simgrid` as SimGrid does, to the last bit), `model` turns a message
//! size and a route into a delay, a weight and a rate, `paths` caches the routes in use, and [`Network`] runs
//! transfers through time. [`Transfers`] is the seam to the engine; networks in which messages are not flows are behind
//! the same seam as [`Carrier`]s.

mod carrier;
pub mod clocks;
mod connections;
pub(crate) mod loads;
pub mod maxmin;
pub mod message_latency;
pub mod model;
pub mod noise;
pub(crate) mod paths;
pub(crate) mod proportional;
pub mod sharing;
pub(crate) mod simgrid;
mod transfers;

pub use carrier::{BlockedJob, Carrier, HeadOfLine, Medium, PacketCounts, Transfers};
pub use transfers::{Finished, Handshake, Network, Precision};
