//! Routes that the document declares, pair by pair.

use super::points::PointId;
use crate::ids::LinkId;

/// Largest total number of links on all routes of a zone.
pub(super) const MAX_ROUTE_LINKS: usize = u32::MAX as usize;

/// A declared route: an index into the routes of a zone, sorted by their ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct EdgeId(pub(super) u32);

/// A declared route: its ends, the range of its links, and its gateways (`NO_GATEWAY` if it joins points).
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    start: u32,
    len: u32,
    gateways: u32,
}

const NO_GATEWAY: u32 = u32::MAX;

/// Declared routes of a zone. Undeclared pairs take no memory.
#[derive(Default)]
pub(super) struct Edges {
    /// Sorted by (from, to) once complete.
    edges: Vec<Edge>,
    links: Vec<LinkId>,
    gateways: Vec<(PointId, PointId)>,
}

impl Edges {
    /// Declares a route. Returns `None` if all routes together have more than [`MAX_ROUTE_LINKS`] links.
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

    /// Adds a route over the loopback to each of `points` points that has no route to itself.
    pub(super) fn add_loopbacks(&mut self, points: u32, loopback: LinkId) -> Option<()> {
        let mut own = vec![false; points as usize];
        for edge in &self.edges {
            own[edge.from as usize] |= edge.from == edge.to;
        }
        (0..points)
            .filter(|&point| !own[point as usize])
            .try_for_each(|point| self.declare(point, point, None, [loopback]))
    }

    /// Returns the place of each point in the order in which the routes first mention the points; points that no route
    /// mentions are last.
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

    /// Prepares for lookups.
    ///
    /// # Errors
    /// Index of the first declaration whose pair was declared before, and index of the earlier declaration.
    pub(super) fn complete(mut self) -> Result<Self, (usize, usize)> {
        let mut order: Vec<usize> = (0..self.edges.len()).collect();
        let pair = |index: usize| (self.edges[index].from, self.edges[index].to);
        // The sort is stable, so equal pairs keep the order of their declarations.
        order.sort_by_key(|&index| pair(index));
        let twice = order.windows(2).filter(|two| pair(two[0]) == pair(two[1])).map(|two| (two[1], two[0])).min();
        if let Some(twice) = twice {
            return Err(twice);
        }
        self.edges = order.into_iter().map(|index| self.edges[index]).collect();
        Ok(self)
    }

    /// Returns the route between two points, if it is declared.
    pub(super) fn find(&self, from: u32, to: u32) -> Option<EdgeId> {
        let place = self.edges.binary_search_by_key(&(from, to), |edge| (edge.from, edge.to)).ok()?;
        Some(EdgeId(place as u32))
    }

    /// Returns the routes that begin at a point.
    pub(super) fn out_of(&self, from: u32) -> impl Iterator<Item = EdgeId> {
        let first = self.edges.partition_point(|edge| edge.from < from);
        let end = self.edges.partition_point(|edge| edge.from <= from);
        (first as u32..end as u32).map(EdgeId)
    }

    /// Returns all routes: their two ends and their number of links.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.edges.iter().map(|edge| (edge.from, edge.to, edge.len))
    }

    /// Returns the two ends of a route.
    pub(super) fn ends(&self, edge: EdgeId) -> (u32, u32) {
        let edge = &self.edges[edge.0 as usize];
        (edge.from, edge.to)
    }

    /// Returns the gateways of a route between zones.
    pub(super) fn gateways(&self, edge: EdgeId) -> Option<(PointId, PointId)> {
        self.gateways.get(self.edges[edge.0 as usize].gateways as usize).copied()
    }

    /// Returns the links of a route.
    pub(super) fn links(&self, edge: EdgeId) -> &[LinkId] {
        let edge = &self.edges[edge.0 as usize];
        &self.links[edge.start as usize..(edge.start + edge.len) as usize]
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
