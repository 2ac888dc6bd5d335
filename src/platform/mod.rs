//! Platforms: hosts, links with capacity and latency, and the route between two hosts.
//!
//! The engine sees only [`Platform`]. The modules below build it from its sources: a topology with link parameters, the
//! explicit JSON form, or a SimGrid XML file.

use crate::ids::{HostId, LinkId, SwitchId};
use crate::routing::{Chosen, Message};
use compact_str::CompactString;
use std::sync::Arc;

pub(crate) mod ends;
pub(crate) mod error;
pub mod explicit;
pub mod hostfile;
pub mod load;
pub mod parameters;
pub mod rankfile;
pub mod simgrid_xml;
pub(crate) mod speeds;
pub mod units;

mod failed_hosts;
mod from_topology;
mod graph_links;
mod loaded;
mod rail_policy;
mod rails;
mod static_routes;
mod uncontended;

pub use error::PlatformError;
pub use failed_hosts::FailedHost;
pub use loaded::{LoadOptions, Loaded, Setting};
pub use parameters::{CheckedParameters, Duplex, HostsPerSwitch, Loopback, PlatformParameters};
pub use rail_policy::RailPolicy;
pub use uncontended::{uncontended, uncontended_between};

/// Rule by which the flows on a link share its bandwidth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharingPolicy {
    /// The sum of the flows' consumptions stays within the bandwidth.
    Shared,
    /// Each flow alone may use the whole bandwidth; flows do not disturb each other.
    FatPipe,
}

/// Kind of link, by its ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkKind {
    /// Between two switches.
    Cable,
    /// Between a host and its switch.
    OfHost,
    /// From a host to itself.
    Loopback,
    /// Unknown: the platform file does not specify it.
    Declared,
}

/// A capacity that flows use.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Name for reports, e.g. `3->17`. Short names are stored in the link itself, because a large network has hundreds
    /// of thousands of links.
    pub name: CompactString,
    /// Bandwidth in bytes per second; positive and finite.
    pub bandwidth: f64,
    /// Latency in seconds; finite, not negative.
    pub latency: f64,
    /// Rule by which flows share the bandwidth.
    pub policy: SharingPolicy,
    /// Kind of its ends.
    pub kind: LinkKind,
}

impl Link {
    /// Returns a link whose bandwidth flows share and whose ends are unknown. The bandwidth is in bytes per second, the
    /// latency in seconds.
    pub fn shared(name: impl Into<CompactString>, bandwidth: f64, latency: f64) -> Self {
        Self { name: name.into(), bandwidth, latency, policy: SharingPolicy::Shared, kind: LinkKind::Declared }
    }

    /// Returns the link between ranks of one host.
    pub fn loopback(loopback: Loopback) -> Self {
        Self {
            name: "loopback".into(),
            bandwidth: loopback.bandwidth.value(),
            latency: loopback.latency.value(),
            policy: SharingPolicy::FatPipe,
            kind: LinkKind::Loopback,
        }
    }
}

/// A compute node.
#[derive(Clone, PartialEq, Debug)]
pub struct Host {
    /// Name, as in host files.
    pub name: CompactString,
    /// Switch to which it is attached, if the platform is built from a topology.
    pub switch: Option<SwitchId>,
    /// Speed of one core in flop/s; finite, and positive unless a SimGrid file specifies 0: then no computation ends on
    /// this host.
    pub speed: f64,
    /// Number of cores, at least 1.
    pub cores: u32,
}

/// Reason why there is no route between two hosts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RouteError {
    /// The platform declares no path from one host to the other.
    #[error("no route from host `{from}` to host `{to}`")]
    Missing {
        /// Name of the source host.
        from: String,
        /// Name of the destination host.
        to: String,
    },
}

/// Routes between hosts. Static routes are requested once per pair, and cached.
///
/// An implementation may compute lazily behind a lock or a `OnceLock`; the threads of a sweep share it, and its results
/// must not depend on the order of the calls.
pub trait RouteTable: Send + Sync {
    /// Appends the links from `from` to `to`, in order; at least one, unless the route has a latency of its own. If
    /// `from` and `to` are equal the result is `false`, unless the platform declares a route from the host to itself.
    ///
    /// Returns `false` if there is no such route (then `links` is unchanged).
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool;

    /// Returns when the route of a message between two hosts is chosen: [`Chosen::Once`] for static routes.
    fn chosen(&self, from: HostId, to: HostId) -> Chosen {
        let _ = (from, to);
        Chosen::Once
    }

    /// Returns `true` if [`choose`](Self::choose) reads the loads of links for some pair.
    fn needs_loads(&self) -> bool {
        false
    }

    /// Appends the links over which a message is divided, with the fraction that each carries, if
    /// [`chosen`](Self::chosen) is [`Chosen::Split`]. `false` if there is no path.
    fn parts(&self, from: HostId, to: HostId, parts: &mut Vec<(LinkId, f64)>) -> bool {
        let mut links = Vec::new();
        let found = self.route(from, to, &mut links);
        parts.extend(links.into_iter().map(|link| (link, 1.0)));
        found
    }

    /// Appends the links of the route of one message, if [`chosen`](Self::chosen) decides message by message. `load`
    /// returns the load of a link in units of 1 / [`FULL_LOAD`](crate::routing::FULL_LOAD) of its bandwidth. `false` if
    /// there is no path.
    fn choose(
        &self,
        from: HostId,
        to: HostId,
        message: Message,
        load: &mut dyn FnMut(LinkId) -> u32,
        links: &mut Vec<LinkId>,
    ) -> bool {
        let _ = (message, load);
        self.route(from, to, links)
    }

    /// Appends the links of the route in the order in which their latencies are added, if it differs from the order of
    /// the route: sums of floating-point numbers depend on it, and in SimGrid's models the last bit of a latency may
    /// decide whether a flow is limited by a link or by its own bound. Returns `false` for the order of the route.
    fn latency_order(&self, _from: HostId, _to: HostId, _links: &mut Vec<LinkId>) -> bool {
        false
    }

    /// Returns the latency in seconds that a route has in addition to that of its links: a distance in the coordinates
    /// of a Vivaldi zone.
    fn extra_latency(&self, _from: HostId, _to: HostId) -> f64 {
        0.0
    }

    /// Returns the links from a host to its switch and back, if hosts have links of their own.
    fn host_links(&self, host: HostId) -> [Option<LinkId>; 2] {
        let _ = host;
        [None, None]
    }

    /// Returns the ports of a host after the first: the switch of each, and the links to it and back.
    fn further_ports(&self, host: HostId) -> Vec<(SwitchId, [Option<LinkId>; 2])> {
        let _ = host;
        Vec::new()
    }

    /// Appends the rails of a message between two hosts with several ports: one, or all over which it is divided.
    /// `sequence` is the number of earlier messages of the pair. Nothing, if hosts have one port or no rail joins them.
    fn rails(&self, from: HostId, to: HostId, sequence: u64, rails: &mut Vec<u32>) {
        let _ = (from, to, sequence, rails);
    }

    /// Appends the links of a route as [`route`](Self::route) does, on the given rail.
    fn route_on(&self, rail: u32, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        let _ = rail;
        self.route(from, to, links)
    }

    /// Returns `true` if a message of this host to itself takes the loopback of the platform when there is no route for
    /// it.
    fn has_loopback(&self, host: HostId) -> bool {
        let _ = host;
        true
    }
}

/// Hosts, links and routes.
pub struct Platform {
    /// Name for reports.
    pub name: String,
    /// Compute nodes.
    pub hosts: Vec<Host>,
    /// Hosts of the intact network that failed together with their switches, by ascending number.
    pub failed: Vec<FailedHost>,
    /// Links, including the loopback.
    pub links: Vec<Link>,
    /// Link of a message between two ranks of one host, unless the routes override it for that host.
    pub loopback: Option<LinkId>,
    /// Routes between hosts. They are shared with platforms that differ only in speeds.
    pub routes: Arc<dyn RouteTable>,
}

impl Platform {
    /// Appends the links that a message from `from` to `to` takes, in order; at least one.
    ///
    /// Between two ranks of one host, a route that the platform declares from the host to itself overrides the
    /// loopback: SimGrid adds its implicit loopback only if a platform file has no such route.
    ///
    /// # Errors
    /// [`RouteError::Missing`] if the platform declares no such route.
    pub fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> Result<(), RouteError> {
        if self.routes.route(from, to, links) {
            return Ok(());
        }
        if from == to
            && let Some(loopback) = self.loopback
            && self.routes.has_loopback(from)
        {
            links.push(loopback);
            return Ok(());
        }
        Err(self.no_route(from, to))
    }

    /// Returns the error for a pair of hosts without a route.
    pub fn no_route(&self, from: HostId, to: HostId) -> RouteError {
        RouteError::Missing {
            from: self.hosts[from.index()].name.to_string(),
            to: self.hosts[to.index()].name.to_string(),
        }
    }
}

impl std::fmt::Debug for Platform {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Platform")
            .field("name", &self.name)
            .field("hosts", &self.hosts.len())
            .field("links", &self.links.len())
            .field("loopback", &self.loopback)
            .finish_non_exhaustive()
    }
}
