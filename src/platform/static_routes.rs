//! Routes that a file declares, pair by pair.

use super::RouteTable;
use crate::ids::{HostId, LinkId};

/// Largest total number of links on all routes.
pub(super) const MAX_ROUTE_LINKS: usize = u32::MAX as usize;

/// A declared route: its ends, and the range of its links.
#[derive(Clone, Copy, Debug)]
struct DeclaredRoute {
    from: u32,
    to: u32,
    start: u32,
    len: u32,
}

/// Declared routes, for lookups by source and destination. Undeclared pairs take no memory.
#[derive(Debug, Default)]
pub(super) struct StaticRoutes {
    /// Sorted by (from, to) once complete.
    declared: Vec<DeclaredRoute>,
    links: Vec<LinkId>,
}

impl StaticRoutes {
    /// Declares a route. Returns `None` if all routes together have more than [`MAX_ROUTE_LINKS`] links.
    pub(super) fn declare(&mut self, from: HostId, to: HostId, links: impl IntoIterator<Item = LinkId>) -> Option<()> {
        let start = self.links.len();
        self.links.extend(links);
        if self.links.len() > MAX_ROUTE_LINKS {
            return None;
        }
        let (start, len) = (start as u32, (self.links.len() - start) as u32);
        self.declared.push(DeclaredRoute { from: from.0, to: to.0, start, len });
        Some(())
    }

    /// Prepares for lookups.
    ///
    /// # Errors
    /// Index of the first declaration whose pair was declared before.
    pub(super) fn complete(mut self) -> Result<Self, usize> {
        let mut order: Vec<usize> = (0..self.declared.len()).collect();
        // The sort is stable, so equal pairs keep the order of their declarations.
        order.sort_by_key(|&index| (self.declared[index].from, self.declared[index].to));
        let pair = |index: usize| (self.declared[index].from, self.declared[index].to);
        if let Some(twice) = order.windows(2).filter(|two| pair(two[0]) == pair(two[1])).map(|two| two[1]).min() {
            return Err(twice);
        }
        self.declared = order.into_iter().map(|index| self.declared[index]).collect();
        Ok(self)
    }
}

impl RouteTable for StaticRoutes {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        match self.declared.binary_search_by_key(&(from.0, to.0), |route| (route.from, route.to)) {
            Ok(place) => {
                let route = self.declared[place];
                let range = route.start as usize..(route.start + route.len) as usize;
                links.extend_from_slice(&self.links[range]);
                true
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_pairs_are_found_and_others_are_not() {
        let mut routes = StaticRoutes::default();
        for (from, to, links) in [(2, 0, vec![5]), (0, 2, vec![3, 4]), (1, 1, vec![9])] {
            routes.declare(HostId(from), HostId(to), links.into_iter().map(LinkId)).unwrap();
        }
        let routes = routes.complete().unwrap();
        let mut links = vec![LinkId(7)];
        assert!(routes.route(HostId(0), HostId(2), &mut links));
        assert!(!routes.route(HostId(0), HostId(1), &mut links));
        assert!(routes.route(HostId(1), HostId(1), &mut links));
        assert_eq!(links, [7, 3, 4, 9].map(LinkId));
    }

    #[test]
    fn a_pair_is_declared_once() {
        let mut routes = StaticRoutes::default();
        for (from, to) in [(0, 1), (1, 0), (1, 0), (0, 1)] {
            routes.declare(HostId(from), HostId(to), [LinkId(0)]).unwrap();
        }
        assert_eq!(routes.complete().unwrap_err(), 2);
    }
}
