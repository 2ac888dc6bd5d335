//! The network that a document describes: nested zones, the points in them, and the route between two hosts.
//!
//! A zone has the routes between its own points: hosts and routers, or other zones. Between points of different zones,
//! the innermost zone that contains both determines the crossing from the one child to the other, between two gateways;
//! the paths to the first gateway and from the second are found recursively, in deeper zones. Each step descends, so
//! the recursion ends.
//!
//! Two peculiarities of SimGrid 3.32 are kept, because the order of links is visible in its routes: the path through a
//! `Dijkstra` zone is inserted before the links found so far, and the links of one declared route of such a zone are
//! reversed in it. This neither adds nor removes links. In a `Full` zone a pair without a route adds nothing to a
//! longer path.

use super::super::RouteTable;
use super::bypass::{self, Bypasses};
use super::declared::DeclaredRoutes;
use super::points::{Point, PointId, ZoneId};
use crate::ids::{HostId, LinkId};

/// Routes between the points of a zone that are computed by a rule instead of listed.
pub(super) trait Generated: Send + Sync {
    /// Appends the links from one point to another; `false` if SimGrid has no route.
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool;

    /// Returns the latency in seconds in addition to that of the links.
    fn extra_latency(&self, _from: u32, _to: u32) -> f64 {
        0.0
    }
}

/// Links of a route in the order in which SimGrid visits them, and the latency that it adds to theirs.
#[derive(Default)]
pub(super) struct Walk {
    links: Vec<LinkId>,
    /// Latency in seconds.
    extra_latency: f64,
}

/// Rule by which a zone finds its routes.
pub(super) enum Routing {
    /// Routes of the document.
    Declared(DeclaredRoutes),
    /// Routes by a rule.
    Generated(Box<dyn Generated>),
    /// No routes.
    None,
}

/// A zone and its routing.
pub(super) struct Zone {
    /// Zone that contains it; `None` for the outermost zone.
    pub(super) parent: Option<ZoneId>,
    /// Number of zones around it.
    pub(super) depth: u32,
    /// The zone as a point of its parent.
    pub(super) point: PointId,
    /// Rule of its routes.
    pub(super) routing: Routing,
    /// Routes that override the rule.
    pub(super) bypasses: Bypasses,
}

/// All zones and points.
pub(super) struct Zones {
    pub(super) zones: Vec<Zone>,
    pub(super) points: Vec<Point>,
    pub(super) point_of_host: Vec<PointId>,
}

impl Zones {
    fn zone(&self, id: ZoneId) -> &Zone {
        &self.zones[id.0 as usize]
    }

    fn point(&self, id: PointId) -> Point {
        self.points[id.0 as usize]
    }

    /// Returns the innermost zone that contains both points, and its children that contain one each.
    fn meeting(&self, from: Point, to: Point) -> (ZoneId, Option<(PointId, PointId)>) {
        let (mut a, mut b) = (from.zone, to.zone);
        if a == b {
            return (a, None);
        }
        let (mut below_a, mut below_b) = (a, b);
        while a != b {
            let (depth_a, depth_b) = (self.zone(a).depth, self.zone(b).depth);
            if depth_a >= depth_b {
                below_a = a;
                a = self.zone(a).parent.unwrap_or(a);
            }
            if depth_b >= depth_a {
                below_b = b;
                b = self.zone(b).parent.unwrap_or(b);
            }
        }
        (a, Some((self.zone(below_a).point, self.zone(below_b).point)))
    }

    /// Appends the links from one host or router to another; `false` if there is no path. `walk` collects them and
    /// their latencies in the order in which SimGrid visits them: a crossing of zones before the paths to and from it,
    /// and the routes of a `Dijkstra` zone from the last to the first.
    fn between(&self, from: PointId, to: PointId, links: &mut Vec<LinkId>, walk: &mut Walk) -> bool {
        let (start, end) = (self.point(from), self.point(to));
        let (zone, children) = self.meeting(start, end);
        let Zone { routing, bypasses, .. } = self.zone(zone);
        if !bypasses.is_empty()
            && let Some(found) = self.bypass(bypasses, (from, to), children.map(|_| zone), links, walk)
        {
            return found;
        }
        let Some((child, other)) = children else {
            return match routing {
                Routing::Declared(declared) => declared.route(start.local, end.local, links, &mut walk.links),
                Routing::Generated(rule) => {
                    let before = links.len();
                    let found = rule.route(start.local, end.local, links);
                    walk.links.extend_from_slice(&links[before..]);
                    walk.extra_latency += rule.extra_latency(start.local, end.local);
                    found
                }
                // SimGrid aborts on a lookup inside such a zone.
                Routing::None => false,
            };
        };
        let Routing::Declared(declared) = routing else { return false };
        let mut path = Vec::new();
        if !declared.path(self.point(child).local, self.point(other).local, &mut path) {
            return false;
        }
        let (Some(&first), Some(&last)) = (path.first(), path.last()) else { return false };
        let (Some((enter, _)), Some((_, leave))) = (declared.gateways(first), declared.gateways(last)) else {
            return false;
        };
        // The crossing is built separately, so that a `Dijkstra` zone on the path inserts its links only before those
        // of the crossing.
        let mut crossing = Vec::new();
        let mut here = enter;
        let mut steps = Vec::with_capacity(path.len());
        for edge in path {
            let Some((enter, leave)) = declared.gateways(edge) else { return false };
            let mut step = Walk::default();
            if here != enter && !self.between(here, enter, &mut crossing, &mut step) {
                return false;
            }
            declared.append(edge, &mut crossing);
            step.links.extend_from_slice(declared.links(edge));
            steps.push(step);
            here = leave;
        }
        if declared.walks_backwards() {
            steps.reverse();
        }
        for step in steps {
            walk.links.extend(step.links);
            walk.extra_latency += step.extra_latency;
        }
        if from != enter && !self.between(from, enter, links, walk) {
            return false;
        }
        links.append(&mut crossing);
        leave == to || self.between(leave, to, links, walk)
    }

    /// Appends the route that overrides others; `None` if there is none, otherwise whether it leads from end to end.
    /// `meeting` is the innermost zone that contains two points of different zones.
    fn bypass(
        &self,
        bypasses: &Bypasses,
        (from, to): (PointId, PointId),
        meeting: Option<ZoneId>,
        links: &mut Vec<LinkId>,
        walk: &mut Walk,
    ) -> Option<bool> {
        let found = match meeting {
            None => bypasses.get(&(from, to))?,
            Some(zone) => bypass::between_zones(bypasses, &self.around(from, zone), &self.around(to, zone))?,
        };
        let (enter, leave) = found.gateways.unwrap_or((from, to));
        if from != enter && !self.between(from, enter, links, walk) {
            return Some(false);
        }
        links.extend_from_slice(&found.links);
        walk.links.extend_from_slice(&found.links);
        Some(leave == to || self.between(leave, to, links, walk))
    }

    /// Returns the zones around a point below another zone, as points, innermost first.
    fn around(&self, point: PointId, below: ZoneId) -> Vec<PointId> {
        let mut zone = self.point(point).zone;
        let mut around = Vec::new();
        while zone != below {
            around.push(self.zone(zone).point);
            let Some(parent) = self.zone(zone).parent else { break };
            zone = parent;
        }
        around
    }
}

impl RouteTable for Zones {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        let mut found = Vec::new();
        let (from, to) = (self.point_of_host[from.index()], self.point_of_host[to.index()]);
        let mut walk = Walk::default();
        if !self.between(from, to, &mut found, &mut walk) || (found.is_empty() && walk.extra_latency == 0.0) {
            return false;
        }
        links.append(&mut found);
        true
    }

    fn latency_order(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        let (from, to) = (self.point_of_host[from.index()], self.point_of_host[to.index()]);
        let mut walk = Walk::default();
        let found = self.between(from, to, &mut Vec::new(), &mut walk);
        links.append(&mut walk.links);
        found
    }

    fn extra_latency(&self, from: HostId, to: HostId) -> f64 {
        let (from, to) = (self.point_of_host[from.index()], self.point_of_host[to.index()]);
        let mut walk = Walk::default();
        match self.between(from, to, &mut Vec::new(), &mut walk) {
            true => walk.extra_latency,
            false => 0.0,
        }
    }

    fn has_loopback(&self, _: HostId) -> bool {
        // Zones with a loopback have it among their routes; in other zones SimGrid refuses messages of a host to
        // itself.
        false
    }
}
