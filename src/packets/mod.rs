//! Packets: a cycle-accurate model of a network, besides the flow-level one.
//!
//! Input-queued switches with virtual channels and credits, as in BookSim 2, under synthetic traffic or a list of
//! packets. [`wiring`] numbers the ports of a topology, [`routing`] has a rule in each file, [`source`] draws the
//! packets, [`cycle`] moves their flits, [`events`] whole packets, [`deflection`] those of networks without buffers,
//! [`statistics`] counts. A [`sweep`] is many runs, which [`work`] spreads over all cores, and [`results`] keeps in files.
//! [`replay`] moves the packets of MPI messages. A cycle is the time of one flit on a link.

pub mod choice;
pub mod conditions;
pub mod cycle;
pub mod deadlock;
pub mod deflection;
pub mod destinations;
mod error;
pub mod events;
pub mod outline;
pub mod parameters;
pub mod points;
mod ports;
pub mod random;
pub mod replay;
pub mod results;
pub mod routing;
pub mod run;
pub(crate) mod runs;
pub mod series;
mod sets;
mod setup;
pub mod simulation;
pub mod source;
pub mod statistics;
pub mod sweep;
pub mod wiring;
pub mod work;

pub use error::PacketError;
pub use parameters::Parameters;
pub use ports::HostPorts;
pub use setup::Setup;
pub use wiring::{WiredPlane, Wiring};
