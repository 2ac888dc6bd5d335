//! Dragonfly clusters: groups of chassis of routers with hosts, and minimal routes between them.
//!
//! Green links join the routers of a chassis, black links the routers of the same place in the chassis of a group, and
//! one blue link joins two groups: router j of group i with router i of group j. Routes follow SimGrid 3.32 even in a
//! detour: after a green link it assumes the first chassis of the group.

use super::leaves::Leaves;
use super::network::Generated;
use crate::ids::LinkId;

/// Groups of chassis of routers with hosts.
pub(super) struct DragonflyZone {
    pub(super) groups: u32,
    pub(super) chassis: u32,
    pub(super) routers: u32,
    pub(super) nodes: u32,
    /// Loopback and limiter of each host.
    pub(super) leaves: Leaves,
    /// First limiter of a router, in the order of the routers.
    pub(super) router_limiters: Option<u32>,
    /// First link of the first cable; the cables are those of hosts, green, black, blue.
    pub(super) first_cable: u32,
    /// Number of links per cable: 2 if it has a link per direction.
    pub(super) links_per_cable: u32,
}

/// Returns the number of pairs of `count` items.
pub(super) fn pairs(count: u64) -> u64 {
    count * (count - 1) / 2
}

/// Returns the place of the pair (low, high) among all pairs of `count` items, by low, then high.
fn pair_index(low: u64, high: u64, count: u64) -> u64 {
    low * (2 * count - low - 1) / 2 + (high - low - 1)
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Router {
    group: u32,
    chassis: u32,
    blade: u32,
}

impl DragonflyZone {
    fn router_of(&self, host: u32) -> Router {
        let router = host / self.nodes;
        let chassis = router / self.routers;
        Router { group: chassis / self.chassis, chassis: chassis % self.chassis, blade: router % self.routers }
    }

    fn number(&self, router: Router) -> u32 {
        (router.group * self.chassis + router.chassis) * self.routers + router.blade
    }

    fn limiter(&self, router: Router) -> Option<LinkId> {
        self.router_limiters.map(|first| LinkId(first + self.number(router)))
    }

    fn link(&self, cable: u64, up: bool) -> LinkId {
        let half = u32::from(!up && self.links_per_cable == 2);
        LinkId(self.first_cable + cable as u32 * self.links_per_cable + half)
    }

    fn hosts(&self) -> u64 {
        u64::from(self.groups) * u64::from(self.chassis) * u64::from(self.routers) * u64::from(self.nodes)
    }

    /// Returns the link between two ends of a cable of a family of pairs; the lower end sends up.
    fn pair(&self, before: u64, step: u64, ends: (u32, u32), count: u32) -> LinkId {
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let place = pair_index(u64::from(low), u64::from(high), u64::from(count));
        self.link(before + place * step, ends.0 < ends.1)
    }

    /// Returns the link to another router of the chassis.
    fn green(&self, from: Router, blade: u32) -> LinkId {
        let chassis = u64::from(from.group * self.chassis + from.chassis);
        let before = self.hosts() + chassis * pairs(u64::from(self.routers));
        self.pair(before, 1, (from.blade, blade), self.routers)
    }

    /// Returns the link to the router of the same place in another chassis of the group.
    fn black(&self, from: Router, chassis: u32) -> LinkId {
        let greens = u64::from(self.groups * self.chassis) * pairs(u64::from(self.routers));
        let group = u64::from(from.group) * pairs(u64::from(self.chassis)) * u64::from(self.routers);
        let before = self.hosts() + greens + group + u64::from(from.blade);
        self.pair(before, u64::from(self.routers), (from.chassis, chassis), self.chassis)
    }

    /// Returns the link to another group.
    fn blue(&self, from: u32, to: u32) -> LinkId {
        let greens = u64::from(self.groups * self.chassis) * pairs(u64::from(self.routers));
        let blacks = u64::from(self.groups) * pairs(u64::from(self.chassis)) * u64::from(self.routers);
        self.pair(self.hosts() + greens + blacks, 1, (from, to), self.groups)
    }
}

impl Generated for DragonflyZone {
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool {
        if from == to
            && let Some(loopback) = self.leaves.loopback(from)
        {
            links.push(loopback);
            return true;
        }
        let (start, goal) = (self.router_of(from), self.router_of(to));
        links.extend(self.leaves.limiter(from));
        links.push(self.link(u64::from(from), true));
        let mut here = start;
        if here.group != goal.group {
            if here.blade != goal.group {
                links.extend(self.limiter(here));
                links.push(self.green(here, goal.group));
                here.blade = goal.group;
            }
            if here.chassis != 0 {
                links.extend(self.limiter(here));
                links.push(self.black(here, 0));
                here.chassis = 0;
            }
            links.push(self.blue(here.group, goal.group));
            links.extend(self.limiter(here));
            here = Router { group: goal.group, chassis: 0, blade: start.group };
        }
        if start != goal {
            if here.blade != goal.blade {
                links.extend(self.limiter(here));
                links.push(self.green(here, goal.blade));
                here = Router { group: goal.group, chassis: 0, blade: goal.blade };
            }
            if here.chassis != goal.chassis {
                links.extend(self.limiter(here));
                links.push(self.black(here, goal.chassis));
            }
        }
        links.extend(self.limiter(goal));
        links.push(self.link(u64::from(to), false));
        links.extend(self.leaves.limiter(to));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        let mut next = 0;
        for low in 0..5 {
            for high in low + 1..5 {
                assert_eq!(pair_index(low, high, 5), next);
                next += 1;
            }
        }
        assert_eq!(next, pairs(5));
    }
}
