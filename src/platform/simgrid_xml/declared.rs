//! Rules that combine declared routes into longer paths.

use super::dijkstra::Dijkstra;
use super::edges::{EdgeId, Edges};
use super::floyd::Floyd;
use super::points::PointId;
use crate::ids::LinkId;

/// Rule that combines declared routes into paths.
pub(super) enum RouteRule {
    /// A path is one declared route.
    Full,
    /// Fewest links, all pairs computed beforehand.
    Floyd(Floyd),
    /// Fewest links, computed for a source on its first lookup.
    Dijkstra(Dijkstra),
}

/// Routes of a zone.
pub(super) struct DeclaredRoutes {
    edges: Edges,
    rule: RouteRule,
}

impl DeclaredRoutes {
    /// Combines routes and a rule.
    pub(super) fn new(edges: Edges, rule: RouteRule) -> Self {
        Self { edges, rule }
    }

    /// Appends the declared routes of the path; `false` if SimGrid has no path. In a `Full` zone an undeclared pair is
    /// not an error: its path is empty.
    pub(super) fn path(&self, from: u32, to: u32, path: &mut Vec<EdgeId>) -> bool {
        match &self.rule {
            RouteRule::Full => {
                path.extend(self.edges.find(from, to));
                true
            }
            RouteRule::Floyd(floyd) => floyd.path(&self.edges, from, to, path),
            RouteRule::Dijkstra(dijkstra) => dijkstra.path(&self.edges, from, to, path),
        }
    }

    /// Returns the gateways of a declared route between zones.
    pub(super) fn gateways(&self, edge: EdgeId) -> Option<(PointId, PointId)> {
        self.edges.gateways(edge)
    }

    /// Appends the links of a declared route.
    pub(super) fn append(&self, edge: EdgeId, links: &mut Vec<LinkId>) {
        let own = self.edges.links(edge);
        match self.rule {
            RouteRule::Dijkstra(_) => links.extend(own.iter().rev()),
            _ => links.extend_from_slice(own),
        }
    }

    /// Returns the links of a declared route, as declared.
    pub(super) fn links(&self, edge: EdgeId) -> &[LinkId] {
        self.edges.links(edge)
    }

    /// Returns `true` if SimGrid builds a path from its end.
    pub(super) fn walks_backwards(&self) -> bool {
        matches!(self.rule, RouteRule::Dijkstra(_))
    }

    /// Appends the links of the path between two points of the zone to `links`, and in the order in which SimGrid
    /// visits them to `walk`.
    pub(super) fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>, walk: &mut Vec<LinkId>) -> bool {
        let mut path = Vec::new();
        if !self.path(from, to, &mut path) {
            return false;
        }
        if self.walks_backwards() {
            walk.extend(path.iter().rev().flat_map(|&edge| self.links(edge)));
        } else {
            walk.extend(path.iter().flat_map(|&edge| self.links(edge)));
        }
        let before = links.len();
        path.into_iter().for_each(|edge| self.append(edge, links));
        if let RouteRule::Dijkstra(_) = self.rule {
            links.rotate_left(before);
        }
        true
    }
}
