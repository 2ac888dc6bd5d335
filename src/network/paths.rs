//! The routes in use: each is asked of the platform once, and its constants are worked out once.

use super::model::NetworkModel;
use super::sharing::{PathId, Sharing};
use crate::ids::{HostId, LinkId};
use crate::platform::{Platform, RouteError, SharingPolicy};
use rustc_hash::FxHashMap;

/// Up to so many pairs of hosts, routes are found through a table (256 KiB at most). A larger one would be slow: a row of it
/// for each sender does not stay in the caches.
const DENSE_PAIRS: usize = 1 << 16;

/// The table's entry of a pair whose route was not needed yet.
const UNKNOWN: u32 = u32::MAX;

/// Beyond that, so many destinations of a host are looked through before a hash map is asked: hosts have few partners, and
/// those of hosts that send one after the other lie one after the other.
const NEAR: usize = 20;

/// A route with what the model makes of it.
#[derive(Clone, Copy, Debug)]
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
        near: Vec<Vec<(u32, u32)>>,
        far: FxHashMap<(u32, u32), u32>,
    },
}

/// All routes in use.
#[derive(Debug)]
pub struct Paths {
    index: Index,
    routes: Vec<Route>,
    links: Vec<LinkId>,
}

impl Paths {
    /// No routes yet, for a platform of so many hosts.
    pub fn new(hosts: usize) -> Self {
        let index = match hosts.checked_mul(hosts) {
            Some(pairs) if pairs <= DENSE_PAIRS => Index::Dense { hosts, table: vec![UNKNOWN; pairs] },
            _ => Index::Sparse { near: vec![Vec::new(); hosts], far: FxHashMap::default() },
        };
        Self { index, routes: Vec::new(), links: Vec::new() }
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
            Index::Sparse { near, far } => match near[from.index()].iter().find(|known| known.0 == to.0) {
                Some(known) => known.1,
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
            Index::Sparse { near, .. } if near[from.index()].len() < NEAR => near[from.index()].push((to.0, number)),
            Index::Sparse { far, .. } => {
                far.insert((from.0, to.0), number);
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
        let mut elements: Vec<(LinkId, f64)> = Vec::with_capacity(2 * forward.len());
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
            let mut reverse = Vec::new();
            platform.route(to, from, &mut reverse)?;
            reverse.into_iter().for_each(|link| add(link, share));
        }
        if !S::LITERAL && platform.loopback.is_some_and(|l| forward == [l] && elements.len() == 1) {
            // A fat pipe on which all flows weigh the same: each gets its bound, whoever else is there. Leaving the
            // link out saves the solver from looking at all local messages whenever one of them starts or ends.
            elements.clear();
        }
        let links = || forward.iter().map(|l| &platform.links[l.index()]);
        let mut order = Vec::new();
        let latency = if platform.routes.latency_order(from, to, &mut order) {
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
            path: sharing.add_path(&elements),
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
