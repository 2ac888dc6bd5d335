//! MPI messages as packets: the network of a replay under the packet model.
//!
//! A [`Fabric`] is a network with its routing rule, built once; it makes a [`Carrier`](crate::network::Carrier) for
//! each replay, which the engine drives as it drives flows. Time is in whole picoseconds and advances from event to
//! event: one for a head that arrives at a switch, one for a credit that returns, one for a host that sends its next
//! packet, whatever the length of packets.
//!
//! The model is that of [`events`](super::events), generalised where replays need it:
//!
//! - Virtual cut-through: a head moves on as soon as it has arrived, has been routed, its output is free and the next
//!   buffer has space for the whole packet. A packet that arrives slower than it would leave moves on when its tail has
//!   arrived.
//! - Links have speeds and latencies of their own, those of the platform. A packet of n bytes takes n / bandwidth on a link;
//!   the delay of a switch is part of the latency of the link that enters it.
//! - Virtual channels of an input are queues of whole packets. Only the first packet is routed, so it blocks those
//!   behind it, until its tail has left. Its space is credited one latency of the cable after that.
//! - An output serves inputs in turn, and the virtual channels of an input in turn. Switches are fast enough inside
//!   that an input can send from several of its virtual channels simultaneously, to different outputs.
//! - A message is one entry of its host until its packets are created, one by one, as the host's link becomes free.
//!
//! Rejected: the engine of [`events`](super::events) itself. It has one size of packets and one speed of links, buffers
//! of one packet, and visits a switch in whole cycles, about four times per hop.

mod carry;
mod fabric;
mod hosts;
mod plane;
mod queue;
mod state;
mod switch;
mod time;

pub use fabric::{FLIT, Fabric, Ground, out_of_range, packet_routing};
