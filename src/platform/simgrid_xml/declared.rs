//! Routes that the document declares, pair by pair, and the rules that make longer ways of them.

use super::dijkstra::Dijkstra;
use super::floyd::Floyd;
use super::network::PointId;
use crate::ids::LinkId;

/// Largest number of links on all routes of a zone together.
pub(super) const MAX_ROUTE_LINKS: usize = u32::MAX as usize;

/// A declared route: an index into the routes of a zone, sorted by their ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(pub(super) u32);

/// A declared route: its ends, where its links are, and its gateways (`NO_GATEWAY` if it joins points).
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    start: u32,
    len: u32,
    gateways: u32,
}

const NO_GATEWAY: u32 = u32::MAX;

/// The declared routes of a zone. Pairs that are not declared take no room.
#[derive(Default)]
pub(super) struct Edges {
    /// Sorted by (from, to) once they are complete.
    edges: Vec<Edge>,
    links: Vec<LinkId>,
    gateways: Vec<(PointId, PointId)>,
}

impl Edges {
    /// Declares a route. `None` if there are more than [`MAX_ROUTE_LINKS`] links on all routes.
    pub(super) fn declare(
        &mut self,
        from: u32,
        to: u32,
        gateways: Option<(PointId, PointId)>,
        links: impl IntoIterator<Item = LinkId>,
    ) -> Option<()> {
        let start = self.links.len();
        self.links.extend(links);
        if self.links.len() > MAX_ROUTE_LINKS || self.edges.len() >= NO_GATEWAY as usize {
            return None;
        }
        let (start, len) = (start as u32, (self.links.len() - start) as u32);
        let gateways = match gateways {
            None => NO_GATEWAY,
            Some(pair) => {
                self.gateways.push(pair);
                self.gateways.len() as u32 - 1
            }
        };
        self.edges.push(Edge { from, to, start, len, gateways });
        Some(())
    }

    /// Gives each of `points` points that has no route to itself one over the loopback.
    pub(super) fn add_loopbacks(&mut self, points: u32, loopback: LinkId) -> Option<()> {
        let mut own = vec![false; points as usize];
        for edge in &self.edges {
            own[edge.from as usize] |= edge.from == edge.to;
        }
        (0..points)
            .filter(|&point| !own[point as usize])
            .try_for_each(|point| self.declare(point, point, None, [loopback]))
    }

    /// The points in the order in which the routes name them first, as their place in that order; points that no route
    /// names come last.
    pub(super) fn order_of_mention(&self, points: u32) -> Vec<u32> {
        let mut order = vec![u32::MAX; points as usize];
        let mut next = 0;
        let mut mention = |point: u32| {
            if order[point as usize] == u32::MAX {
                order[point as usize] = next;
                next += 1;
            }
        };
        self.edges.iter().for_each(|edge| [edge.from, edge.to].into_iter().for_each(&mut mention));
        (0..points).for_each(mention);
        order
    }

    /// Prepares for look-ups.
    ///
    /// # Errors
    /// The index of the first declaration whose pair was declared before, and that of the earlier one.
    pub(super) fn complete(mut self) -> Result<Self, (usize, usize)> {
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        let pair = |index: usize| (self.edges[index].from, self.edges[index].to);
        // The sort is stable, so of two equal pairs the one declared first comes first.
        order.sort_by_key(|&index| pair(index));
        let twice = order.windows(2).filter(|two| pair(two[0]) == pair(two[1])).map(|two| (two[1], two[0])).min();
        if let Some(twice) = twice {
            return Err(twice);
        }
        self.edges = order.into_iter().map(|index| self.edges[index]).collect();
        Ok(self)
    }

    /// The route between two points, if it is declared.
    pub(super) fn find(&self, from: u32, to: u32) -> Option<EdgeId> {
        let place = self.edges.binary_search_by_key(&(from, to), |edge| (edge.from, edge.to)).ok()?;
        Some(EdgeId(place as u32))
    }

    /// The routes that begin at a point.
    pub(super) fn out_of(&self, from: u32) -> impl Iterator<Item = EdgeId> {
        let first = self.edges.partition_point(|edge| edge.from < from);
        let end = self.edges.partition_point(|edge| edge.from <= from);
        (first as u32..end as u32).map(EdgeId)
    }

    /// All routes: their two ends and their number of links.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.edges.iter().map(|edge| (edge.from, edge.to, edge.len))
    }

    /// The two ends of a route.
    pub(super) fn ends(&self, edge: EdgeId) -> (u32, u32) {
        let edge = &self.edges[edge.0 as usize];
        (edge.from, edge.to)
    }

    /// The links of a route.
    pub(super) fn links(&self, edge: EdgeId) -> &[LinkId] {
        let edge = &self.edges[edge.0 as usize];
        &self.links[edge.start as usize..(edge.start + edge.len) as usize]
    }
}

/// How ways are made of declared routes.
pub(super) enum Rule {
    /// A way is one declared route.
    Full,
    /// Fewest links, all pairs computed beforehand.
    Floyd(Floyd),
    /// Fewest links, computed for a source when it is first asked for.
    Dijkstra(Dijkstra),
}

/// The routes of a zone.
pub(super) struct Declared {
    edges: Edges,
    rule: Rule,
}

impl Declared {
    /// Joins routes and rule.
    pub(super) fn new(edges: Edges, rule: Rule) -> Self {
        Self { edges, rule }
    }

    /// Appends the declared routes that make the way; `false` if SimGrid knows no way. A `Full` zone has no opinion on
    /// pairs that are not declared: the way is then empty.
    pub(super) fn path(&self, from: u32, to: u32, path: &mut Vec<EdgeId>) -> bool {
        match &self.rule {
            Rule::Full => {
                path.extend(self.edges.find(from, to));
                true
            }
            Rule::Floyd(floyd) => floyd.path(&self.edges, from, to, path),
            Rule::Dijkstra(dijkstra) => dijkstra.path(&self.edges, from, to, path),
        }
    }

    /// The gateways of a declared route between zones.
    pub(super) fn gateways(&self, edge: EdgeId) -> Option<(PointId, PointId)> {
        self.edges.gateways.get(self.edges.edges[edge.0 as usize].gateways as usize).copied()
    }

    /// Appends the links of a declared route.
    pub(super) fn append(&self, edge: EdgeId, links: &mut Vec<LinkId>) {
        let own = self.edges.links(edge);
        match self.rule {
            Rule::Dijkstra(_) => links.extend(own.iter().rev()),
            _ => links.extend_from_slice(own),
        }
    }

    /// The links of a declared route, as declared.
    pub(super) fn links(&self, edge: EdgeId) -> &[LinkId] {
        self.edges.links(edge)
    }

    /// Whether SimGrid puts a way together from its end.
    pub(super) fn walks_backwards(&self) -> bool {
        matches!(self.rule, Rule::Dijkstra(_))
    }

    /// Adds the links of the way between two points of the zone, and to `walk` in the order in which SimGrid meets
    /// them.
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
        if let Rule::Dijkstra(_) = self.rule {
            links.rotate_left(before);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_pairs_are_found_and_others_are_not() {
        let mut edges = Edges::default();
        for (from, to, links) in [(2, 0, vec![5]), (0, 2, vec![3, 4]), (1, 1, vec![9])] {
            edges.declare(from, to, None, links.into_iter().map(LinkId)).unwrap();
        }
        assert_eq!(edges.order_of_mention(4), [1, 2, 0, 3]);
        edges.add_loopbacks(3, LinkId(7)).unwrap();
        let edges = edges.complete().unwrap();
        let links = |from, to| edges.find(from, to).map(|edge| edges.links(edge).to_vec());
        assert_eq!(links(0, 2), Some([3, 4].map(LinkId).to_vec()));
        assert_eq!(links(1, 1), Some(vec![LinkId(9)]));
        assert_eq!(links(2, 2), Some(vec![LinkId(7)]));
        assert_eq!(links(0, 1), None);
        assert_eq!(edges.out_of(2).count(), 2);
    }

    #[test]
    fn a_pair_is_declared_once() {
        let mut edges = Edges::default();
        for (from, to) in [(0, 1), (1, 0), (1, 0), (0, 1)] {
            edges.declare(from, to, None, [LinkId(0)]).unwrap();
        }
        assert_eq!(edges.complete().err(), Some((2, 1)));
    }
}
