//! What the network offers: hosts, links with capacity and latency, and the route between two hosts.
//!
//! The engine sees only [`Platform`]. Where it comes from (a topology with link parameters, the explicit JSON
//! form, a SimGrid XML file) is the business of the modules below this one.

use crate::ids::{HostId, LinkId, SwitchId};
use crate::routing::{Chosen, Message};
use compact_str::CompactString;
use std::sync::Arc;

pub mod ends;
pub mod error;
pub mod explicit;
pub mod hostfile;
pub mod load;
pub mod parameters;
pub mod rankfile;
pub mod simgrid_xml;
pub mod speeds;
pub mod units;

mod from_topology;
mod static_routes;
mod uncontended;

pub use error::PlatformError;
pub use load::{LoadOptions, Loaded, Setting};
pub use parameters::{CheckedParameters, Duplex, HostsPerSwitch, Loopback, PlatformParameters};
pub use uncontended::uncontended;

/// How the flows on a link share its bandwidth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SharingPolicy {
    /// The sum of the flows' consumptions stays within the bandwidth.
    Shared,
    /// Each flow alone may use the whole bandwidth; flows do not disturb each other.
    FatPipe,
}

/// What a link joins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkKind {
    /// Two switches.
    Cable,
    /// A host and its switch.
    OfHost,
    /// A host and itself.
    Loopback,
    /// What a platform file does not say.
    Declared,
}

/// A capacity that flows use.
#[derive(Clone, PartialEq, Debug)]
pub struct Link {
    /// Name for reports, e.g. `3->17`. It lies in the link itself as long as it is short: a large network has hundreds of
    /// thousands.
    pub name: CompactString,
    /// Bytes per second; positive and finite.
    pub bandwidth: f64,
    /// Seconds; zero or more, finite.
    pub latency: f64,
    /// How flows share the bandwidth.
    pub policy: SharingPolicy,
    /// What it joins.
    pub kind: LinkKind,
}

impl Link {
    /// A link whose bandwidth flows share, of a platform that does not say what it joins: bytes per second, and
    /// seconds.
    pub fn shared(name: impl Into<CompactString>, bandwidth: f64, latency: f64) -> Self {
        Self { name: name.into(), bandwidth, latency, policy: SharingPolicy::Shared, kind: LinkKind::Declared }
    }

    /// The link between ranks of one host.
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
    /// Name, as host files use it.
    pub name: CompactString,
    /// The switch it hangs on, where the platform comes from a topology.
    pub switch: Option<SwitchId>,
    /// Flop per second of one core; finite, and positive unless a SimGrid file says 0: then no computation ends there.
    pub speed: f64,
    /// Number of cores, at least 1.
    pub cores: u32,
}

/// Why there is no route between two hosts.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RouteError {
    /// The platform declares no way from one host to the other.
    #[error("no route from host `{from}` to host `{to}`")]
    Missing {
        /// Name of the source host.
        from: String,
        /// Name of the destination host.
        to: String,
    },
}

/// Routes between hosts. Static ones are asked for once for each pair, and remembered.
///
/// An implementation may compute lazily behind a lock or a `OnceLock`; it is shared by the threads of a sweep, and
/// its answers must not depend on the order of the questions.
pub trait RouteTable: Send + Sync {
    /// Appends the links from `from` to `to`, in order; at least one, unless the route has a latency of its own. Where `from` and `to` are equal the answer is
    /// `false`, unless the platform declares a route from the host to itself.
    ///
    /// Returns `false` if there is no such route (then `links` is unchanged).
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool;

    /// When the route of a message between two hosts is decided: [`Chosen::Once`] for static routes.
    fn chosen(&self, from: HostId, to: HostId) -> Chosen {
        let _ = (from, to);
        Chosen::Once
    }

    /// Whether [`choose`](Self::choose) looks at the loads of links for some pair.
    fn needs_loads(&self) -> bool {
        false
    }

    /// Appends the links that a message is divided over, with the part that takes each, where
    /// [`chosen`](Self::chosen) is [`Chosen::Split`]. `false` if there is no way.
    fn parts(&self, from: HostId, to: HostId, parts: &mut Vec<(LinkId, f64)>) -> bool {
        let mut links = Vec::new();
        let found = self.route(from, to, &mut links);
        parts.extend(links.into_iter().map(|link| (link, 1.0)));
        found
    }

    /// Appends the links of the route of one message, where [`chosen`](Self::chosen) decides message by message. `load`
    /// returns the load of a link in units of 1 / [`FULL_LOAD`](crate::routing::FULL_LOAD) of its bandwidth. `false` if
    /// there is no way.
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

    /// Appends the links of the route in the order in which their latencies are to be added, where that is another
    /// order: sums of floating-point numbers depend on it, and in SimGrid's models the last bit of a latency may decide
    /// whether a flow is held by a link or by its own bound. `false`: the order of the route.
    fn latency_order(&self, _from: HostId, _to: HostId, _links: &mut Vec<LinkId>) -> bool {
        false
    }

    /// Seconds of latency that a route has besides that of its links: a distance in the coordinates of a Vivaldi zone.
    fn extra_latency(&self, _from: HostId, _to: HostId) -> f64 {
        0.0
    }

    /// Returns the link of a host to its switch and the one back, where hosts have links of their own.
    fn host_links(&self, host: HostId) -> [Option<LinkId>; 2] {
        let _ = host;
        [None, None]
    }

    /// Whether a message of this host to itself takes the loopback of the platform where there is no route for it.
    fn has_loopback(&self, host: HostId) -> bool {
        let _ = host;
        true
    }
}

/// Hosts, links and routes.
pub struct Platform {
    /// Name for reports.
    pub name: String,
    /// The compute nodes.
    pub hosts: Vec<Host>,
    /// The links, the loopback included.
    pub links: Vec<Link>,
    /// The link that a message between two ranks of one host takes, unless the routes say something else for that host.
    pub loopback: Option<LinkId>,
    /// The routes between hosts. Shared, so that a platform with other speeds has the same ones.
    pub routes: Arc<dyn RouteTable>,
}

impl Platform {
    /// Appends the links that a message from `from` to `to` takes, in order; at least one.
    ///
    /// Between two ranks of one host, a route that the platform declares from the host to itself comes before the
    /// loopback: SimGrid makes its implicit loopback only where a platform file leaves that route out.
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
