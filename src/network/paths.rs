//! Routes in use: each is requested from the platform once, and its constants are computed once.
//!
//! Static routes are found by their pair of hosts. A pair whose route is chosen message by message never gets an entry
//! there, so each of its messages comes to `Paths::new_route`, and static pairs do not pay for the difference.

use super::model::NetworkModel;
use super::sharing::{PathId, Sharing};
use crate::ids::{HostId, LinkId};
use crate::platform::units::Bandwidth;
use crate::platform::{Platform, RouteError, SharingPolicy};
use crate::prefetch::prefetch;
use crate::routing::{Chosen, Message};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Up to this number of host pairs, routes are found through a table (256 KiB at most). A larger table would be slow: a
/// row of it for each sender does not stay in the caches.
const DENSE_PAIRS: usize = 1 << 16;

/// The table's entry of a pair whose route was not needed yet; also marks the absence of parts.
const UNKNOWN: u32 = u32::MAX;

/// Beyond that, this number of destinations per host is searched before a hash map: hosts have few partners. They fill
/// a cache line.
const NEAR: usize = 16;

/// Up to this number of links, those of a route are searched: most routes have a dozen, which share a few cache lines.
const SEARCHED: usize = 32;

/// First destinations of a host, and the numbers of their routes; [`UNKNOWN`] where there are none yet.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
struct Near {
    destinations: [u32; NEAR],
    routes: [u32; NEAR],
}

impl Near {
    const NONE: Near = Near { destinations: [UNKNOWN; NEAR], routes: [UNKNOWN; NEAR] };

    /// Returns the place of a destination, or of a free place ([`UNKNOWN`]).
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
    /// Largest share of a flow: what the narrowest link has for messages, and the TCP window over the round-trip time.
    pub bound: f64,
    /// Multiplies the model's time per message: 0 within a host, 1 between hosts.
    pub message_latency: f64,
    links: (u32, u32),
    /// Where the parts of its links begin among all parts, if messages are divided over them; [`UNKNOWN`] otherwise.
    parts: u32,
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
    /// Parts of a message on links of routes that divide it.
    parts: Vec<f64>,
    chosen: ChosenRoutes,
    scratch: RouteScratch,
}

/// Routes of pairs that have several, because each message chooses.
#[derive(Default, Debug)]
struct ChosenRoutes {
    /// By pair of hosts and a hash of the links. A route whose hash is that of another one has the next free number.
    known: FxHashMap<(HostId, HostId, u64), u32>,
    /// Messages of each pair so far.
    sequence: FxHashMap<(HostId, HostId), u64>,
    /// Links of the route of the present message.
    links: Vec<LinkId>,
}

/// Working memory of a route that is worked out, kept to avoid allocation.
#[derive(Default, Debug)]
struct RouteScratch {
    elements: RouteElements,
    order: Vec<LinkId>,
    reverse: Vec<LinkId>,
    parts: Vec<(LinkId, f64)>,
}

/// Consumption of a message on each link of its route, in the order in which the links were added.
#[derive(Default, Debug)]
struct RouteElements {
    list: Vec<(LinkId, f64)>,
    /// Place of each link in the list, up to date only beyond [`SEARCHED`] links. Never cleared: an entry is valid if the
    /// list has the link at that place.
    places: Vec<u32>,
}

impl RouteElements {
    /// Adds a link of a platform with `links` links. `merge` computes the consumption of a link that was added before.
    fn add(&mut self, link: LinkId, consumption: f64, links: usize, merge: impl FnOnce(f64, f64) -> f64) {
        match self.place(link) {
            Some(place) => {
                let known = &mut self.list[place].1;
                *known = merge(*known, consumption);
            }
            None => {
                self.list.push((link, consumption));
                match self.list.len() {
                    0..=SEARCHED => {}
                    length if length == SEARCHED + 1 => {
                        self.places.resize(links, 0);
                        (0..).zip(&self.list).for_each(|(place, element)| self.places[element.0.index()] = place);
                    }
                    length => self.places[link.index()] = length as u32 - 1,
                }
            }
        }
    }

    fn place(&self, link: LinkId) -> Option<usize> {
        if self.list.len() <= SEARCHED {
            return self.list.iter().position(|element| element.0 == link);
        }
        let place = self.places[link.index()] as usize;
        self.list.get(place).is_some_and(|element| element.0 == link).then_some(place)
    }
}

impl Paths {
    /// Creates the cache for a platform of `hosts` hosts, without routes.
    pub fn new(hosts: usize) -> Self {
        let index = match hosts.checked_mul(hosts) {
            Some(pairs) if pairs <= DENSE_PAIRS => Index::Dense { hosts, table: vec![UNKNOWN; pairs] },
            _ => Index::Sparse { near: vec![Near::NONE; hosts], far: FxHashMap::default() },
        };
        Self {
            index,
            routes: Vec::new(),
            links: Vec::new(),
            parts: Vec::new(),
            chosen: ChosenRoutes::default(),
            scratch: RouteScratch::default(),
        }
    }

    /// Prefetches the routes of a host.
    #[inline]
    pub fn prefetch(&self, from: HostId) {
        if let Index::Sparse { near, .. } = &self.index {
            let near = &near[from.index()];
            prefetch(&near.destinations);
            prefetch(&near.routes);
        }
    }

    /// Returns the number of the route between two hosts; computed at the first call for this pair, or for each message
    /// where it chooses. `stream` distinguishes the flows of a pair of hosts.
    ///
    /// # Errors
    /// If the platform has no such route, or (with cross-traffic) none back.
    #[inline(always)] // Into its two callers, one of which is for every message.
    pub fn find<S: Sharing>(
        &mut self,
        (from, to): (HostId, HostId),
        stream: (u32, u32),
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
        self.new_route((from, to), stream, platform, model, sharing)
    }

    /// Returns the number of a route that is not known by its pair of hosts.
    #[cold]
    #[inline(never)]
    fn new_route<S: Sharing>(
        &mut self,
        (from, to): (HostId, HostId),
        stream: (u32, u32),
        platform: &Platform,
        model: &NetworkModel,
        sharing: &mut S,
    ) -> Result<u32, RouteError> {
        let start = self.links.len();
        match platform.routes.chosen(from, to) {
            Chosen::Once => platform.route(from, to, &mut self.links)?,
            Chosen::Split => {
                let parts = &mut self.scratch.parts;
                parts.clear();
                if !platform.routes.parts(from, to, parts) {
                    return Err(platform.no_route(from, to));
                }
                self.links.extend(parts.iter().map(|part| part.0));
            }
            Chosen::PerMessage | Chosen::ByLoad => {
                return self.choose((from, to), stream, platform, model, sharing);
            }
        }
        let number = self.work_out(from, to, start, platform, model, sharing)?;
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

    /// Returns the number of the route of a message that chooses.
    fn choose<S: Sharing>(
        &mut self,
        (from, to): (HostId, HostId),
        stream: (u32, u32),
        platform: &Platform,
        model: &NetworkModel,
        sharing: &mut S,
    ) -> Result<u32, RouteError> {
        let ChosenRoutes { known, sequence, links } = &mut self.chosen;
        let sequence = sequence.entry((from, to)).or_insert(0);
        let stream = u64::from(stream.0) << 32 | u64::from(stream.1);
        let message = Message { stream, sequence: *sequence };
        *sequence += 1;
        links.clear();
        if !platform.routes.choose(from, to, message, &mut |link| sharing.load_before(link), links) {
            return Err(platform.no_route(from, to));
        }
        let mut hasher = FxHasher::default();
        links.hash(&mut hasher);
        let mut hash = hasher.finish();
        while let Some(&number) = known.get(&(from, to, hash)) {
            let (first, last) = self.routes[number as usize].links;
            if self.links[first as usize..last as usize] == links[..] {
                return Ok(number);
            }
            hash = hash.wrapping_add(1);
        }
        let start = self.links.len();
        self.links.extend_from_slice(links);
        known.insert((from, to, hash), self.routes.len() as u32);
        self.work_out(from, to, start, platform, model, sharing)
    }

    /// Computes the constants of the route whose links were just appended, from `start` on, and returns its number.
    /// Links of a divided route are those of `scratch.parts`.
    fn work_out<S: Sharing>(
        &mut self,
        from: HostId,
        to: HostId,
        start: usize,
        platform: &Platform,
        model: &NetworkModel,
        sharing: &mut S,
    ) -> Result<u32, RouteError> {
        let split = platform.routes.chosen(from, to) == Chosen::Split;
        let forward = &self.links[start..];
        let RouteScratch { elements, order, reverse, parts } = &mut self.scratch;
        elements.list.clear();
        let mut add = |link: LinkId, consumption: f64| {
            let is_shared = platform.links[link.index()].policy == SharingPolicy::Shared;
            let merge = |known: f64, more: f64| if is_shared { known + more } else { known.max(more) };
            elements.add(link, consumption, platform.links.len(), merge);
        };
        if split {
            parts.iter().for_each(|&(link, part)| add(link, part));
        } else {
            forward.iter().for_each(|&link| add(link, 1.0));
        }
        if let Some(share) = model.cross_traffic {
            // Acknowledgements are small and choose nothing: they take the route of a first message without load,
            // undivided.
            reverse.clear();
            platform.route(to, from, reverse)?;
            reverse.iter().for_each(|&link| add(link, share));
        }
        if !S::LITERAL && platform.loopback.is_some_and(|l| forward == [l] && elements.list.len() == 1) {
            // A fat pipe on which all flows weigh the same: each gets its bound, whatever other flows use it. Without
            // the link, the solver need not visit all local messages whenever one of them starts or ends.
            elements.list.clear();
        }
        let link = |l: &LinkId| &platform.links[l.index()];
        let links = || forward.iter().map(link);
        order.clear();
        let latency = if split {
            // The mean over the paths, each with the part that takes it.
            parts.iter().fold(0.0, |sum, (l, part)| sum + part * link(l).latency)
        } else if platform.routes.latency_order(from, to, order) {
            order.iter().fold(0.0, |sum, l| sum + platform.links[l.index()].latency)
        } else {
            links().fold(0.0, |sum, l| sum + l.latency)
        } + platform.routes.extra_latency(from, to);
        let mut bound = if split {
            parts.iter().fold(f64::INFINITY, |least, (l, part)| least.min(link(l).bandwidth / part))
        } else {
            links().fold(f64::INFINITY, |least, l| least.min(l.bandwidth))
        };
        if from != to {
            bound *= model.payload_share();
        }
        // With a bound by size, which is a part of the bandwidth, the window is compared with that part.
        if model.rate_bound.is_none() {
            bound = bound.min(model.window_rate(latency));
        }
        if forward.is_empty() {
            // The route only has a latency: SimGrid delivers such a message when its latency is over.
            bound = Bandwidth::LARGEST;
        }
        let penalty = match model.weight_s {
            Some(s) if split => parts.iter().fold(latency, |sum, (l, part)| sum + part * s / link(l).bandwidth),
            Some(s) => links().fold(latency, |sum, l| sum + s / l.bandwidth),
            None => 1.0,
        };
        let first_part = if split { self.parts.len() as u32 } else { UNKNOWN };
        if split {
            self.parts.extend(parts.iter().map(|part| part.1));
        }
        let number = self.routes.len() as u32;
        self.routes.push(Route {
            path: sharing.add_path(&elements.list),
            latency,
            penalty,
            bound,
            message_latency: if from == to { 0.0 } else { 1.0 },
            links: (start as u32, self.links.len() as u32),
            parts: first_part,
            messages: 0,
            bytes: 0,
        });
        Ok(number)
    }

    /// Returns a route by its number.
    #[inline]
    pub fn route(&self, number: u32) -> &Route {
        &self.routes[number as usize]
    }

    /// Notes that a message takes a route.
    #[inline]
    pub fn count(&mut self, number: u32, bytes: u64) {
        let route = &mut self.routes[number as usize];
        route.messages += 1;
        route.bytes = route.bytes.saturating_add(bytes);
    }

    /// Returns the routes with their links, in the order of their first use, and with the part of a message that each
    /// link gets where messages are divided.
    pub fn iter(&self) -> impl Iterator<Item = (&Route, &[LinkId], Option<&[f64]>)> {
        self.routes.iter().map(|route| {
            let links = &self.links[route.links.0 as usize..route.links.1 as usize];
            let parts = (route.parts != UNKNOWN).then(|| &self.parts[route.parts as usize..][..links.len()]);
            (route, links, parts)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compares with a search for every link, for routes one after another.
        #[test]
        fn links_are_those_of_a_search(routes in prop::collection::vec(prop::collection::vec((0u32..90, 0u8..8), 0..200), 1..4)) {
            let mut elements = RouteElements::default();
            for route in routes {
                elements.list.clear();
                let mut expected: Vec<(LinkId, f64)> = Vec::new();
                for (link, consumption) in route {
                    let (link, consumption) = (LinkId(link), f64::from(consumption));
                    elements.add(link, consumption, 90, |known, more| known + more);
                    match expected.iter_mut().find(|element| element.0 == link) {
                        Some(element) => element.1 += consumption,
                        None => expected.push((link, consumption)),
                    }
                }
                prop_assert_eq!(&elements.list, &expected);
            }
        }
    }

    #[test]
    fn a_sum_of_bytes_does_not_wrap() {
        let mut paths = Paths::new(1);
        paths.routes.push(Route {
            path: PathId(0),
            latency: 0.0,
            penalty: 1.0,
            bound: 1.0,
            message_latency: 0.0,
            links: (0, 0),
            parts: UNKNOWN,
            messages: 0,
            bytes: 0,
        });
        [u64::MAX, 2].into_iter().for_each(|bytes| paths.count(0, bytes));
        assert_eq!((paths.route(0).messages, paths.route(0).bytes), (2, u64::MAX));
    }

    #[test]
    fn a_link_of_a_long_route_is_found_by_its_place() {
        // Searching the links of each of these would take 20,000,000,000 comparisons.
        const LINKS: u32 = 200_000;
        let mut elements = RouteElements::default();
        for part in [0.25, 0.5] {
            (0..LINKS).for_each(|link| elements.add(LinkId(link), part, LINKS as usize, |known, more| known + more));
        }
        assert!((0..LINKS).all(|link| elements.list[link as usize] == (LinkId(link), 0.75)));
    }
}
