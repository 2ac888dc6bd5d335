//! The seam between the engine and the network: a message starts, and some time later it has arrived.
//!
//! [`Transfers`] is what the engine needs of a network, and is compiled into it; [`Network`](super::Network), where
//! messages are flows, implements it. A model in which messages are something else is a [`Carrier`]: the engine calls it
//! through a trait object, so that all of them share one engine and flows pay nothing for them. A [`Medium`] makes the
//! carrier of one replay, and is what replays of a network have in common: its wires and its routing tables.

use super::sharing::LinkState;
use super::transfers::{Finished, Handshake, Precision};
use crate::ids::{HostId, LinkId};
use crate::platform::{Platform, RouteError};
use std::fmt::Debug;

/// A network as the engine drives it. Times are in seconds since the start of the replay.
pub trait Transfers {
    /// `true` if messages have to start in the order of SimGrid's calls.
    const LITERAL: bool;
    /// `true` if the network reports states of links.
    const WATCHED: bool;

    /// Prefetches the routes of a host.
    fn prefetch_routes(&self, from: HostId);

    /// Names the jobs of the replay by their first ranks, in ascending order.
    fn know_jobs(&mut self, _first_ranks: &[u32]) {}

    /// Starts a message of `bytes` bytes of payload between two hosts. `stream` is its pair of ranks, sender first; `tag`
    /// comes back when the message has arrived. Returns the seconds of its latency.
    ///
    /// # Errors
    /// [`RouteError`] if the platform has no route.
    fn start(
        &mut self,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError>;

    /// Starts a message behind its control messages, whose seconds are part of its latency.
    ///
    /// # Errors
    /// [`RouteError`] if the platform has no route.
    fn start_after(
        &mut self,
        handshake: Handshake,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError>;

    /// Returns the seconds to the next event of the network; `None` if nothing is under way. The caller starts no
    /// message within the next `quiet` seconds, unless the network has an event earlier; `None`: none before the next
    /// event. Within this time a network may skip events that deliver no message.
    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64>;

    /// Processes the events of this instant, `delay` seconds after the last one. Appends the tags of messages that have
    /// arrived.
    fn advance(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>);

    /// Reports links whose state may have changed, each with the time of the change: now, or earlier where the network
    /// has skipped events. Only a watched network does.
    fn link_changes(&mut self, now: f64, tell: impl FnMut(LinkId, LinkState, f64));

    /// `true` if no message is under way.
    fn is_idle(&self) -> bool;

    /// Returns the messages that each link carries and the bytes of them that it has carried until now, in the order of
    /// the links.
    fn traffic(&self, now: f64) -> Vec<(u64, u64)>;

    /// Returns the links that all messages have crossed, loopbacks left out.
    fn links_crossed(&self) -> f64;

    /// Returns counts of packets, where messages are packets.
    fn packets(&self) -> Option<PacketCounts> {
        None
    }

    /// Returns where packets waited behind others, most time first.
    fn head_of_line(&self) -> Vec<HeadOfLine> {
        Vec::new()
    }

    /// Returns the jobs whose packets waited behind others, by both jobs.
    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        Vec::new()
    }
}

/// A network in which messages are not flows. Methods are those of [`Transfers`].
pub trait Carrier {
    /// Names the jobs of the replay by their first ranks, in ascending order.
    fn know_jobs(&mut self, _first_ranks: &[u32]) {}

    /// Starts a message; see [`Transfers::start`]. `handshake`: the control messages that precede the data.
    ///
    /// # Errors
    /// [`RouteError`] if the platform has no route.
    fn start(
        &mut self,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        handshake: Option<Handshake>,
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError>;

    /// Returns the seconds to the next arrival of a message, or to the end of the quiet time if that is earlier; see
    /// [`Transfers::next_delay`].
    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64>;

    /// Appends the tags of messages that have arrived until now; see [`Transfers::advance`].
    fn arrivals(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>);

    /// Reports changes of links' states since the last call, with their times.
    fn link_changes(&mut self, now: f64, tell: &mut dyn FnMut(LinkId, LinkState, f64));

    /// `true` if no message is under way.
    fn is_idle(&self) -> bool;

    /// Returns the messages that each link carries and the bytes of them that it has carried until now, in the order of
    /// the links.
    fn traffic(&self, now: f64) -> Vec<(u64, u64)>;

    /// Returns the links that all messages have crossed, loopbacks left out.
    fn links_crossed(&self) -> f64;

    /// Returns where packets waited behind others, most time first; empty unless the carrier is watched.
    fn head_of_line(&self) -> Vec<HeadOfLine> {
        Vec::new()
    }

    /// Returns the jobs whose packets waited behind others, by both jobs; empty unless the carrier is watched and knows jobs.
    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        Vec::new()
    }

    /// Returns counts of this replay, for reports; `None` if messages are no packets.
    fn counts(&self) -> Option<PacketCounts> {
        None
    }
}

/// Counts of a replay whose messages were packets.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PacketCounts {
    /// Packets sent, control messages included.
    pub packets: u64,
    /// Packets through switches and host links: a packet over `h` cables counts `h + 2`.
    pub hops: u64,
    /// Packets that arrived behind a later packet of their message.
    pub out_of_order: u64,
}

/// Packets that wanted one link and waited in their channel behind packets for another one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeadOfLine {
    /// Link that the packets were to take.
    pub wanted: LinkId,
    /// Link that those before them took.
    pub behind: LinkId,
    /// Number of packets that waited.
    pub packets: u64,
    /// Seconds from the arrival of each head until it came to the front, added up.
    pub seconds: f64,
}

/// Packets of a job that waited in their channel behind packets for another link (head-of-line blocking).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BlockedJob {
    /// Number of the job whose packets waited.
    pub job: u32,
    /// Number of the job of the packets before them; it may be the same.
    pub behind: u32,
    /// Number of packets that waited.
    pub packets: u64,
    /// Seconds from the arrival of each head until it came to the front, added up.
    pub seconds: f64,
}

/// Makes the carriers of replays on a network.
pub trait Medium: Send + Sync + Debug {
    /// Returns a carrier without messages. Speeds and latencies are those of `platform`, whose links and routes must be
    /// numbered as those of the platform that the medium was built for. `watched`: states of links are reported.
    fn carrier<'a>(&'a self, platform: &'a Platform, watched: bool) -> Box<dyn Carrier + 'a>;
}

impl Transfers for Box<dyn Carrier + '_> {
    const LITERAL: bool = false;
    const WATCHED: bool = true;

    fn prefetch_routes(&self, _from: HostId) {}

    fn know_jobs(&mut self, first_ranks: &[u32]) {
        (**self).know_jobs(first_ranks);
    }

    fn start(
        &mut self,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        (**self).start(now, hosts, stream, None, bytes, tag)
    }

    fn start_after(
        &mut self,
        handshake: Handshake,
        now: f64,
        hosts: (HostId, HostId),
        stream: (u32, u32),
        bytes: u64,
        tag: u32,
    ) -> Result<f64, RouteError> {
        (**self).start(now, hosts, stream, Some(handshake), bytes, tag)
    }

    fn next_delay(&mut self, now: f64, quiet: Option<f64>) -> Option<f64> {
        (**self).next_delay(now, quiet)
    }

    fn advance(&mut self, now: f64, delay: f64, precision: Precision, finished: &mut Vec<Finished>) {
        (**self).arrivals(now, delay, precision, finished);
    }

    fn link_changes(&mut self, now: f64, mut tell: impl FnMut(LinkId, LinkState, f64)) {
        (**self).link_changes(now, &mut tell);
    }

    fn is_idle(&self) -> bool {
        (**self).is_idle()
    }

    fn traffic(&self, now: f64) -> Vec<(u64, u64)> {
        (**self).traffic(now)
    }

    fn links_crossed(&self) -> f64 {
        (**self).links_crossed()
    }

    fn packets(&self) -> Option<PacketCounts> {
        (**self).counts()
    }

    fn head_of_line(&self) -> Vec<HeadOfLine> {
        (**self).head_of_line()
    }

    fn blocked_jobs(&self) -> Vec<BlockedJob> {
        (**self).blocked_jobs()
    }
}
