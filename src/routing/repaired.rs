//! Routes of a damaged network as a fabric manager repairs them: a route that crosses nothing broken stays as it was, and
//! others are replaced by shortest paths of the damaged network.
//!
//! The routes of the intact network are those of the family's default or of the rule `of`. Replacements come from the
//! default of the damaged network, which balances them over its links. Hosts keep the numbers that they have in the
//! intact network, so rules that depend on them choose as before.

use super::rule::HostNumbers;
use super::{Chosen, Ends, Options, Routing, RoutingError, RoutingSpec, RuleParameter, Values, default_routing};
use crate::defaults::Version;
use crate::ids::SwitchId;
use crate::topology::families::damaged;
use crate::topology::{ArcId, Topology};

/// Rules that routes of the intact network can have: the static ones, and the default of its family.
const RULES: [&str; 14] = [
    "default",
    "bfs",
    "random_shortest",
    "lowest_latency",
    "nearest",
    "ecmp",
    "balanced",
    "hashed",
    "d_mod_k",
    "up_down",
    "dimension_order",
    "dragonfly",
    "polynomial",
    "equality",
];

/// The option for the rule of the intact network.
pub(super) const OF: RuleParameter = RuleParameter {
    name: "of",
    values: Values::Words(&RULES),
    default: 0,
    help: "the rule of the routes before something broke; `default` is that of the intact network",
};

/// Returns `true` if routes by this rule can be repaired.
pub fn can_repair(rule: &str) -> bool {
    RULES.contains(&rule)
}

struct Repaired {
    /// Rule on the intact network, and the arc that each of its arcs has become; `None` if its cable failed.
    before: Box<dyn Routing>,
    now: Vec<Option<ArcId>>,
    /// Rule on the damaged network.
    detours: Box<dyn Routing>,
    /// Numbers of hosts in the intact network and in the damaged one.
    numbers: [HostNumbers; 2],
}

pub(super) fn build(
    topology: &Topology,
    options: &Options<'_>,
    spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let refuse = |reason: &str| RoutingError::unsuitable("repaired", topology, reason);
    let Some(intact) = damaged::intact(&topology.spec) else {
        return Err(refuse("it is for networks in which something broke"));
    };
    let after = HostNumbers::new(topology, options);
    // A switch that failed had as many hosts as others.
    let counts = |switch: u32| after.count(SwitchId(switch));
    let most = (0..topology.graph.switches() as u32).map(counts).max().unwrap_or(0);
    let is_left: Vec<bool> = topology.graph.default_hosts().iter().map(|&count| count > 0).collect();
    let defaults = intact.graph.default_hosts();
    let hosts: Vec<u32> = (0..)
        .zip(defaults.iter().zip(&is_left))
        .map(|(switch, (&before, &left))| if before > 0 && !left { most } else { counts(switch) })
        .collect();
    let total = hosts.iter().map(|&count| u64::from(count)).sum();
    let version = Version::default();
    let rule = match RULES[spec.value("of") as usize] {
        "default" => default_routing(version, &intact, total),
        rule => rule,
    };
    let build = |rule: &str, topology: &Topology, options: &Options<'_>| {
        rule.parse::<RoutingSpec>().and_then(|spec| spec.build(topology, options))
    };
    let (now, delays) = arcs_now(&intact, topology, options.arc_delays);
    let before = build(rule, &intact, &Options { arc_delays: delays.as_deref(), hosts: Some(&hosts), ..*options })?;
    if before.chosen() != Chosen::Once {
        return Err(refuse("its rule must have one route for each pair of hosts"));
    }
    let left = (0..topology.graph.switches() as u32).map(|switch| u64::from(counts(switch))).sum();
    let detours = build(default_routing(version, topology, left), topology, options)?;
    let numbers = [HostNumbers::new(&intact, &Options { hosts: Some(&hosts), ..*options }), after];
    Ok(Box::new(Repaired { before, now, detours, numbers }))
}

/// Returns the arc that each arc of the intact network has become, and the delays of the intact network's arcs: those of
/// the arcs that are left, and the mean for those that failed.
fn arcs_now(intact: &Topology, damaged: &Topology, delays: Option<&[f64]>) -> (Vec<Option<ArcId>>, Option<Vec<f64>>) {
    let (old, new) = (&intact.graph, &damaged.graph);
    let mut now = Vec::with_capacity(old.arcs());
    let mut next = 0;
    for arc in (0..old.arcs() as u32).map(ArcId) {
        // Both are sorted by tail and head; of parallel cables the last ones are taken to have failed.
        let ends = (old.tail(arc), old.head(arc));
        let here = |place: u32| (new.tail(ArcId(place)), new.head(ArcId(place)));
        while (next as usize) < new.arcs() && here(next) < ends {
            next += 1;
        }
        if (next as usize) < new.arcs() && here(next) == ends {
            now.push(Some(ArcId(next)));
            next += 1;
        } else {
            now.push(None);
        }
    }
    let delays = delays.map(|delays| {
        let mean = delays.iter().sum::<f64>() / delays.len().max(1) as f64;
        now.iter().map(|arc| arc.map_or(mean, |arc: ArcId| delays[arc.index()])).collect()
    });
    (now, delays)
}

impl Repaired {
    /// Appends the route of before, if none of its cables failed.
    fn unbroken(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        let [before, after] = &self.numbers;
        let renumbered =
            |switch: SwitchId, host: u32| before.first[switch.index()] + (host - after.first[switch.index()]);
        let old = Ends {
            source: renumbered(ends.from, ends.source),
            destination: renumbered(ends.to, ends.destination),
            ..*ends
        };
        let mut route = Vec::new();
        if !self.before.route_between(&old, &mut route) {
            return false;
        }
        let Some(mut now) = route.iter().map(|arc| self.now[arc.index()]).collect::<Option<Vec<ArcId>>>() else {
            return false;
        };
        arcs.append(&mut now);
        true
    }
}

impl Routing for Repaired {
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool {
        self.route_between(&self.numbers[1].first_of(from, to), arcs)
    }

    fn route_between(&self, ends: &Ends, arcs: &mut Vec<ArcId>) -> bool {
        self.unbroken(ends, arcs) || self.detours.route_between(ends, arcs)
    }

    fn reasons(&self, from: SwitchId, to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let ends = self.numbers[1].first_of(from, to);
        let kept = self.unbroken(&ends, &mut Vec::new());
        let reason = if kept { "as before the failure" } else { "detour: the route of before crosses what broke" };
        arcs.iter().map(|_| reason.to_owned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, path};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn only_routes_over_what_broke_change() {
        // Dimension order on a 4 x 4 torus without the cable 0-1.
        let intact = topology("torus:4x4").unwrap();
        let damaged = topology("damaged:base=torus:4x4,without=0-1").unwrap();
        let before = built("dimension_order", &intact, &Options::default());
        let repaired = built("repaired", &damaged, &Options::default());
        let named = built("repaired:of=dimension-order", &damaged, &Options::default());
        let (mut kept, mut changed) = (0, 0);
        for (from, to) in (0..16).flat_map(|from| (0..16).map(move |to| (from, to))) {
            let old = path(&intact.graph, &*before, from, to).unwrap();
            let new = path(&damaged.graph, &*repaired, from, to).unwrap();
            assert_eq!(new, path(&damaged.graph, &*named, from, to).unwrap());
            let crossed = old.windows(2).any(|hop| hop == [0, 1] || hop == [1, 0]);
            if crossed {
                changed += 1;
                assert!(new.windows(2).all(|hop| hop != [0, 1] && hop != [1, 0]), "{new:?}");
            } else {
                kept += 1;
                assert_eq!(old, new);
            }
        }
        // Each direction of the cable carries (16 / 4) * (1 + 1 / 2 + 1 / 2) = 8 routes... counted above, and not few.
        assert!(changed > 8 && kept > 8 * changed, "{changed} {kept}");
    }

    #[test]
    fn hosts_keep_their_routes_when_a_switch_fails() {
        // Leaf 1 of a fat tree fails with its hosts 4 to 7: host 8 is host 4 now, and its routes stay.
        let intact = topology("fat_tree2:8").unwrap();
        let damaged = topology("damaged:base=fat_tree2:8,without=1").unwrap();
        let before = built("d_mod_k", &intact, &Options::default());
        let repaired = built("repaired", &damaged, &Options::default());
        for (old, new) in [(8, 4), (9, 5), (31, 27)] {
            let ends = |destination, to| Ends { from: SwitchId(0), to: SwitchId(to), source: 0, destination };
            let (mut a, mut b) = (Vec::new(), Vec::new());
            assert!(before.route_between(&ends(old, old / 4), &mut a));
            assert!(repaired.route_between(&ends(new, old / 4), &mut b));
            let heads = |graph: &crate::topology::Graph, arcs: &[ArcId]| -> Vec<u32> {
                arcs.iter().map(|&arc| graph.head(arc).0).collect()
            };
            assert_eq!(heads(&intact.graph, &a), heads(&damaged.graph, &b));
        }
        // A spine that fails takes its routes with it.
        let damaged = topology("damaged:base=fat_tree2:8,without=9").unwrap();
        let repaired = built("repaired", &damaged, &Options::default());
        let route = path(&damaged.graph, &*repaired, 0, 2).unwrap();
        assert!(route.len() == 3 && route[1] != 9);
        let reasons = |routing: &dyn Routing, from, to| {
            let mut arcs = Vec::new();
            assert!(routing.route(SwitchId(from), SwitchId(to), &mut arcs));
            routing.reasons(SwitchId(from), SwitchId(to), &arcs)
        };
        assert!(reasons(&*repaired, 0, 2).len() == 2);
    }

    #[test]
    fn other_networks_and_rules_are_refused() {
        let spec: RoutingSpec = "repaired".parse().unwrap();
        assert!(spec.build(&topology("torus:4x4").unwrap(), &Options::default()).is_err());
        assert!("repaired:of=ugal".parse::<RoutingSpec>().is_err());
        assert!(can_repair("dimension_order") && !can_repair("split"));
        for word in &RULES[1..] {
            assert!(word.parse::<RoutingSpec>().is_ok(), "{word}");
        }
        // A rule of another family does not fit the intact network.
        let damaged = topology("damaged:base=torus:4x4,cables=1").unwrap();
        let spec: RoutingSpec = "repaired:of=dragonfly".parse().unwrap();
        assert!(spec.build(&damaged, &Options::default()).is_err());
    }
}
