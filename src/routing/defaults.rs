//! Default rule of each family: the one that real installations use.

use super::balanced;
use super::rule::{Options, PLAIN};
use super::spec::RoutingSpec;
use crate::defaults::Version;
use crate::topology::families::damaged;
use crate::topology::{Hosts, Topology};

/// Returns the default rule of a topology with its own hosts; see [`default_routing`].
pub fn default_for(topology: &Topology) -> &'static str {
    default_with(Version::default(), topology)
}

/// Returns the default rule of a topology with its own hosts in a version of the defaults.
pub fn default_with(version: Version, topology: &Topology) -> &'static str {
    default_routing(version, topology, topology.graph.default_hosts().iter().map(|&count| u64::from(count)).sum())
}

/// Returns the default rule of a topology with `hosts` hosts, in a version of the defaults.
///
/// Families with coordinates go dimension by dimension, trees, Clos networks and Dragonfly+ by the digits of the destination,
/// Dragonflies minimally by their groups, families with a shortest-path rule of their own by that. All other networks have
/// shortest paths that are balanced over links, or hashed where balancing would take long.
///
/// In version 0.1 all networks have shortest paths, lowest numbers first, except trees and Clos networks.
pub fn default_routing(version: Version, topology: &Topology, hosts: u64) -> &'static str {
    if !version.values().routing_of_family {
        return match topology.graph.hosts() {
            Hosts::Everywhere(_) => PLAIN,
            Hosts::OnSwitches(_) | Hosts::Vertices(_) => "d_mod_k",
        };
    }
    // Rules by numbers and coordinates need all cables; those that follow distances find the ones that are left.
    let base = damaged::base_of(&topology.spec);
    let own = match base.as_ref().unwrap_or(&topology.spec).family().name {
        // All rules find the only path; this one finds it fastest.
        "full_mesh" | "star" | "tree" => PLAIN,
        "ring" | "mesh" | "torus" | "tofu" | "hypercube" | "hyperx" | "flattened_butterfly" => "dimension_order",
        "fat_tree2" | "fat_tree3" | "kary_ntree" | "xgft" | "clos" | "dragonfly_plus" => "d_mod_k",
        "dragonfly" | "dragonfly_fc" => "dragonfly",
        "imase_itoh" | "imase_ab" | "gen_de_bruijn" | "de_bruijn" => "polynomial",
        "equality" => "equality",
        _ => "balanced",
    };
    let is_missing = base.is_some() && damaged::whole(topology).is_none();
    let own = if is_missing && !matches!(own, "d_mod_k" | PLAIN) { "balanced" } else { own };
    if own != "balanced" && fits(own, topology) {
        own
    } else if balanced::is_quick(&topology.graph, hosts) {
        "balanced"
    } else {
        "hashed"
    }
}

/// Returns whether a family's rule fits this topology of it: the Imase rule needs a = 1 or -1.
fn fits(rule: &str, topology: &Topology) -> bool {
    rule.parse::<RoutingSpec>().is_ok_and(|spec| spec.build(topology, &Options::default()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{self, registry::FAMILIES};

    #[test]
    fn every_family_has_the_rule_of_its_kind() {
        for (spec, rule) in [
            ("ring:8", "dimension_order"),
            ("torus:4x4", "dimension_order"),
            ("hypercube:4", "dimension_order"),
            ("hyperx:3x4", "dimension_order"),
            ("fat_tree3:4", "d_mod_k"),
            ("clos:m=3,n=2,r=3", "d_mod_k"),
            ("dragonfly:a=4,h=2", "dragonfly"),
            ("imase_itoh:n=64,d=6", "polynomial"),
            ("imase_ab:n=64,d=6", "polynomial"),
            ("imase_ab:n=100,d=4,a=3,b=2", "balanced"),
            ("equality:n=20,sa=[-1,1,7],sb=[6,10]", "equality"),
            ("slimfly:q=5", "balanced"),
            ("tofu:4x3x2", "dimension_order"),
            ("hyperx:3x4,k=[2]", "dimension_order"),
            ("dragonfly:a=4,h=2,g=3,t=4", "dragonfly"),
            ("dragonfly_plus:l=2,s=2,h=2", "d_mod_k"),
            ("fat_tree2:k=8,ratio=3:1", "d_mod_k"),
            ("damaged:base=torus:4x4,cables=1", "balanced"),
            ("damaged:base=fat_tree3:4,without=3", "d_mod_k"),
            ("polarstar:q=2,k=3", "balanced"),
            ("bundlefly:q=3,m=5", "balanced"),
            ("spectralfly:3,5", "balanced"),
            ("xpander:d=4,k=5", "balanced"),
            ("hxmesh:2,2,4,4", "balanced"),
            // A rule of its own, but not along shortest paths.
            ("dsnf:n=32", "balanced"),
            ("random:n=64,d=6", "balanced"),
            ("star:5", "bfs"),
        ] {
            assert_eq!(default_for(&topology::build(spec).unwrap()), rule, "{spec}");
        }
        let named = ["full_mesh", "star", "clos", "dragonfly_fc", "flattened_butterfly", "de_bruijn", "gen_de_bruijn"];
        assert!(named.iter().all(|name| FAMILIES.iter().any(|family| family.name == *name)), "names are of families");
    }

    #[test]
    fn version_0_1_has_the_lowest_numbers_but_in_trees() {
        for (spec, rule) in
            [("torus:4x4", "bfs"), ("slimfly:q=5", "bfs"), ("fat_tree3:4", "d_mod_k"), ("clos:m=3,n=2,r=3", "d_mod_k")]
        {
            assert_eq!(default_with(Version::V0_1, &topology::build(spec).unwrap()), rule, "{spec}");
        }
    }

    #[test]
    fn balancing_is_given_up_where_it_takes_long() {
        let random = topology::build("random:n=1000,d=8").unwrap();
        // 8,000 arcs: 2^29 steps are 67,108 hosts; but next hops are kept for 2^28 pairs at most.
        let default_routing = |topology, hosts| default_routing(Version::default(), topology, hosts);
        assert_eq!(default_routing(&random, 67_108), "balanced");
        assert_eq!(default_routing(&random, 67_109), "hashed");
        let sparse = topology::build("dln_random:n=20000,x=2,y=1").unwrap();
        assert_eq!(default_routing(&sparse, 20_000), "hashed");
    }
}
