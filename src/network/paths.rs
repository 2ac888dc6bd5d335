//! The routes in use: each is asked of the platform once, and its constants are worked out once.

use super::model::NetworkModel;
use super::sharing::{PathId, Sharing};
use crate::ids::{HostId, LinkId};
use crate::platform::{Platform, RouteError, SharingPolicy};
use crate::prefetch::prefetch;
use rustc_hash::FxHashMap;

/// Up to so many pairs of hosts, routes are found through a table (256 KiB at most). A larger one would be slow: a row
/// of it for each sender does not stay in the caches.
const DENSE_PAIRS: usize = 1 << 16;

/// The table's entry of a pair whose route was not needed yet.
const UNKNOWN: u32 = u32::MAX;

/// Beyond that, so many destinations of a host are looked through before a hash map is asked: hosts have few partners.
/// They fill a cache line.
const NEAR: usize = 16;

/// The first destinations of a host, and the numbers of their routes; [`UNKNOWN`] where there are none yet.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Near {
    destinations: [u32; NEAR],
    routes: [u32; NEAR],
}

impl Near {
    const NONE: Near = Near { destinations: [UNKNOWN; NEAR], routes: [UNKNOWN; NEAR] };

    /// The place of a destination, or of nobody ([`UNKNOWN`]).
    #[inline]
    fn position(&self, to: u32) -> Option<usize> {
        self.destinations.iter().position(|&destination| destination == to)
    }
}

/// A route with what the model makes of it.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Route {
    /// The path in the sharing system: forward links, and a little on those of the reverse route.
    pub path: PathId,
    /// Sum of the latencies, in seconds.
    pub latency: f64,
    /// Penalty of a flow that has a latency.
    pub penalty: f64,
    /// Largest share of a flow: the narrowest link, and the TCP window over the round-trip time.
    pub bound: f64,
    links: (u32, u32),
    /// Messages that took the route.
    pub messages: u64,
    /// Their bytes, with the envelope.
    pub bytes: u64,
}

#[derive(Debug)]
enum Index {
    Dense {
        hosts: usize,
        table: Vec<u32>,
    },
    /// By source: the first destinations with their routes. The others are in the hash map.
    Sparse {
        near: Vec<Near>,
        far: FxHashMap<(u32, u32), u32>,
    },
}

/// All routes in use.
#[derive(Debug)]
pub struct Paths {
    index: Index,
    routes: Vec<Route>,
    links: Vec<LinkId>,
    scratch: Scratch,
}

/// Working memory of a route that is worked out, kept to avoid allocation.
#[derive(Default, Debug)]
struct Scratch {
    elements: Vec<(LinkId, f64)>,
    order: Vec<LinkId>,
    reverse: Vec<LinkId>,
}

impl Paths {
    /// No routes yet, for a platform of so many hosts.
    pub fn new(hosts: usize) -> Self {
        let index = match hosts.checked_mul(hosts) {
            Some(pairs) if pairs <= DENSE_PAIRS => Index::Dense { hosts, table: vec![UNKNOWN; pairs] },
            _ => Index::Sparse { near: vec![Near::NONE; hosts], far: FxHashMap::default() },
        };
        Self { index, routes: Vec::new(), links: Vec::new(), scratch: Scratch::default() }
    }

    /// Asks for the routes of a host some time before they are needed.
    #[inline]
    pub fn ask_for(&self, from: HostId) {
        if let Index::Sparse { near, .. } = &self.index {
            let near = &near[from.index()];
            prefetch(&near.destinations);
            prefetch(&near.routes);
        }
    }

    /// The number of the route between two hosts; worked out at the first call for this pair.
    ///
    /// # Errors
    /// If the platform has no such route, or (with cross-traffic) none back.
    #[inline]
    pub fn find<S: Sharing>(
        &mut self,
        from: HostId,
        to: HostId,
        platform: &Platform,
        model: &NetworkModel,
        sharing: &mut S,
    ) -> Result<u32, RouteError> {
        let known = match &self.index {
            Index::Dense { hosts, table } => table[from.index() * hosts + to.index()],
            Index::Sparse { near, far } => match near[from.index()].position(to.0) {
                Some(at) => near[from.index()].routes[at],
                None => far.get(&(from.0, to.0)).copied().unwrap_or(UNKNOWN),
            },
        };
        if known != UNKNOWN {
            return Ok(known);
        }
        let route = self.work_out(from, to, platform, model, sharing)?;
        let number = self.routes.len() as u32;
        self.routes.push(route);
        match &mut self.index {
            Index::Dense { hosts, table } => table[from.index() * *hosts + to.index()] = number,
            Index::Sparse { near, far } => {
                let near = &mut near[from.index()];
                match near.position(UNKNOWN) {
                    Some(at) => (near.destinations[at], near.routes[at]) = (to.0, number),
                    None => {
                        far.insert((from.0, to.0), number);
                    }
                }
            }
        }
        Ok(number)
    }

    fn work_out<S: Sharing>(
        &mut self,
        from: HostId,
        to: HostId,
        platform: &Platform,
        model: &NetworkModel,
        sharing: &mut S,
    ) -> Result<Route, RouteError> {
        let start = self.links.len() as u32;
        platform.route(from, to, &mut self.links)?;
        let forward = &self.links[start as usize..];
        let Scratch { elements, order, reverse } = &mut self.scratch;
        elements.clear();
        let mut add = |link: LinkId, consumption: f64| {
            let policy = platform.links[link.index()].policy;
            match elements.iter_mut().find(|e| e.0 == link) {
                Some(e) if policy == SharingPolicy::Shared => e.1 += consumption,
                Some(e) => e.1 = e.1.max(consumption),
                None => elements.push((link, consumption)),
            }
        };
        forward.iter().for_each(|&link| add(link, 1.0));
        if let Some(share) = model.cross_traffic {
            reverse.clear();
            platform.route(to, from, reverse)?;
            reverse.iter().for_each(|&link| add(link, share));
        }
        if !S::LITERAL && platform.loopback.is_some_and(|l| forward == [l] && elements.len() == 1) {
            // A fat pipe on which all flows weigh the same: each gets its bound, whoever else is there. Leaving the
            // link out saves the solver from looking at all local messages whenever one of them starts or ends.
            elements.clear();
        }
        let links = || forward.iter().map(|l| &platform.links[l.index()]);
        order.clear();
        let latency = if platform.routes.latency_order(from, to, order) {
            order.iter().fold(0.0, |sum, l| sum + platform.links[l.index()].latency)
        } else {
            links().fold(0.0, |sum, l| sum + l.latency)
        };
        let mut bound = links().fold(f64::INFINITY, |least, l| least.min(l.bandwidth));
        if let Some(gamma) = model.tcp_gamma
            && latency > 0.0
        {
            bound = bound.min(gamma / (2.0 * latency));
        }
        let penalty = match model.weight_s {
            Some(s) => links().fold(latency, |sum, l| sum + s / l.bandwidth),
            None => 1.0,
        };
        Ok(Route {
            path: sharing.add_path(elements),
            latency,
            penalty,
            bound,
            links: (start, self.links.len() as u32),
            messages: 0,
            bytes: 0,
        })
    }

    /// A route by its number.
    #[inline]
    pub fn route(&self, number: u32) -> &Route {
        &self.routes[number as usize]
    }

    /// Notes that a message takes a route.
    #[inline]
    pub fn count(&mut self, number: u32, bytes: u64) {
        let route = &mut self.routes[number as usize];
        route.messages += 1;
        route.bytes += bytes;
    }

    /// The routes with their links, in the order of their first use.
    pub fn iter(&self) -> impl Iterator<Item = (&Route, &[LinkId])> {
        self.routes.iter().map(|r| (r, &self.links[r.links.0 as usize..r.links.1 as usize]))
    }
}
