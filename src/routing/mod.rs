//! Routing: the cables that a message takes from switch to switch.
//!
//! A routing answers one query at a time and computes its tables on demand, because a table of all pairs of 65,536
//! switches would exceed the memory of most machines. Its answers do not depend on the order of the queries, so runs
//! can share it. A new routing is one file and one line of [`ROUTINGS`].
//!
//! Most rules are static: one route for a pair, forever. [`Chosen`] names the others: rules that split a message over
//! several paths, and rules that choose a route when a message starts.

use crate::topology::Topology;
use crate::user_error::UserError;

mod adaptive;
mod balanced;
mod bfs;
mod d_mod_k;
mod defaults;
mod dimension_order;
mod dragonfly;
mod dsnf;
mod ecmp;
pub(crate) mod equality;
mod error;
pub(crate) mod grid;
mod hashed;
mod lowest_latency;
mod nearest;
mod pair_search;
mod parse;
mod polynomial;
mod random_shortest;
mod repaired;
mod rule;
pub(crate) mod source_cache;
mod spec;
mod split;
mod towards;
mod trees;
mod ugal;
mod up_down;
mod valiant;
mod valiant_split;
mod walk;

pub use repaired::can_repair;

pub use defaults::{default_for, default_routing, default_with};
pub use error::RoutingError;
use rule::PLAIN;
pub(crate) use rule::spread;
pub use rule::{
    BuildRouting, Chosen, DEFAULT_SEED, Ends, FULL_LOAD, Message, Options, Routing, RoutingKind, Scope, seed_for,
};
pub use spec::{RoutingSpec, RuleParameter, Values};

/// All routings.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingKind] = &[
    RoutingKind::new("bfs", "shortest, breadth first from the source in ascending order of switches", bfs::build).also(&["shortest"]),
    RoutingKind::new("random_shortest", "for each pair of hosts one of its shortest paths at random, all equally likely", random_shortest::build).random().by(Scope::Pair),
    RoutingKind::new("lowest_latency", "smallest sum of the delays of cables and switches", lowest_latency::build).also(&["fastest"]).detours(),
    RoutingKind::new("nearest", "fewest hops, of these the smallest sum of delays", nearest::build),
    RoutingKind::new("ecmp", "at each switch one of the shortest next hops, by a hash of the pair of hosts and the seed", ecmp::build).also(&["equal_cost_multi_path"]).random().by(Scope::Pair).with(&[spec::BY]),
    RoutingKind::new("split", "every message over all shortest paths, in equal parts at each switch (packet spraying)", split::build).also(&["spray"]),
    RoutingKind::new("balanced", "shortest, laid destination by destination over the links with the fewest routes (SSSP)", balanced::build).also(&["load_balanced", "sssp"]).by(Scope::Destination),
    RoutingKind::new("hashed", "shortest, ties by a hash of the receiving host", hashed::build).by(Scope::Destination),
    RoutingKind::new("d_mod_k", "shortest, by the digits of the receiving host's number", d_mod_k::build).also(&["dmodk"]).by(Scope::Destination),
    RoutingKind::new("up_down", "up to a common ancestor, then down; free of deadlock; two-way cables only", up_down::build).also(&["updown", "up*/down*"]).detours().by(Scope::Pair),
    RoutingKind::new("dimension_order", "one dimension after another; ring, mesh, torus, tofu, hypercube, hyperx, flattened_butterfly", dimension_order::build).also(&["dor"]).with(&[dimension_order::TIES]),
    RoutingKind::new("dragonfly", "within the group, to the other group, within it; dragonfly, dragonfly_fc", dragonfly::minimal).also(&["dragonfly_minimal"]).detours(),
    RoutingKind::new("valiant", "through a switch (of a Dragonfly, a group) that a hash of the pair of hosts and the seed chooses", valiant::build).also(&["dragonfly_valiant"]).random().detours().by(Scope::Pair),
    RoutingKind::new("valiant_split", "every message in equal parts through all switches, as packets that draw one each", valiant_split::build).also(&["vlb", "valiant_spray"]).detours(),
    RoutingKind::new("adaptive", "the shortest path with the least load when the message starts", adaptive::build).adaptive().by(Scope::Pair).with(&[adaptive::KNOWLEDGE]),
    RoutingKind::new("ugal", "the least load times hops of a shortest path and of k Valiant paths when the message starts", ugal::build).adaptive().detours().by(Scope::Pair).with(&[ugal::CANDIDATES, adaptive::KNOWLEDGE]),
    RoutingKind::new("repaired", "as before a failure, but for routes that cross what broke; damaged networks", repaired::build).detours().by(Scope::Pair).with(&[repaired::OF]),
    RoutingKind::new("dsnf", "by shortcuts to the super-node; dsnf", dsnf::build).also(&["dsn_f"]).detours(),
    RoutingKind::new("polynomial", "by the digits of a number; imase_ab with a = 1 or -1, imase_itoh, gen_de_bruijn, de_bruijn", polynomial::build).also(&["imase"]),
    RoutingKind::new("equality", "first hops by offset, from a table of O(n); equality", equality::build).also(&["amin"]),
];

impl UserError for RoutingError {
    fn help(&self) -> String {
        if let Self::Planes { .. } = self {
            return "give one rule for all planes, or one for each, separated by `;`".into();
        }
        let names = ROUTINGS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        format!("the routing rules are {names}; `{PLAIN}` fits every topology")
    }
}

/// Builds the routing of a specification for a topology.
///
/// # Errors
/// [`RoutingError`].
pub fn build(text: &str, topology: &Topology, options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    text.parse::<RoutingSpec>()?.build(topology, options)
}

#[cfg(test)]
mod tests {
    use super::rule::HostNumbers;
    use super::*;
    use crate::ids::SwitchId;
    use crate::topology::{self, ArcId, Graph};

    /// Returns the switches of a route, the first one included.
    pub(super) fn path(graph: &Graph, routing: &dyn Routing, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut arcs = Vec::new();
        routing.route(SwitchId(from), SwitchId(to), &mut arcs).then(|| {
            let heads = arcs.iter().map(|&arc| graph.head(arc).0);
            [from].into_iter().chain(heads).collect()
        })
    }

    pub(super) fn built(text: &str, topology: &Topology, options: &Options<'_>) -> Box<dyn Routing> {
        build(text, topology, options).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The numbers of hosts where every switch has one.
    pub(super) fn one_host_each(switches: usize) -> HostNumbers {
        HostNumbers { first: (0..=switches as u32).collect() }
    }

    /// Returns the reference values of topologies, which an independent generator computed.
    pub(super) fn reference() -> serde_json::Value {
        let packed: &[u8] = include_bytes!("../../tests/data/topology.json.zst");
        serde_json::from_slice(&zstd::decode_all(packed).expect("packed by zstd")).expect("JSON")
    }

    #[test]
    fn routes_by_dimension_are_those_of_the_reference() {
        let reference = reference();
        let entries = reference["routing"]["dimension_order"].as_array().unwrap();
        assert_eq!(entries.len(), 3);
        for entry in entries {
            let torus = topology::build(&format!("torus:dims={}", entry["dims"])).unwrap();
            let routing = built("dimension_order:ties=up", &torus, &Options::default());
            for example in entry["examples"].as_array().unwrap() {
                let end = |key: &str| example[key].as_u64().unwrap() as u32;
                let expected: Vec<u32> = serde_json::from_value(example["path"].clone()).unwrap();
                assert_eq!(path(&torus.graph, &*routing, end("src"), end("dst")), Some(expected), "{example}");
            }
        }
    }

    /// Every routing on every small family that it fits: routes are paths, there is one reason per hop, and routes are
    /// shortest where promised.
    #[test]
    fn all_routes_are_valid() {
        let specs = [
            "ring:2",
            "ring:7",
            "mesh:3x4",
            "torus:4x5",
            "torus:2x3x4",
            "full_mesh:5",
            "star:6",
            "random:n=30,d=3",
            "imase_itoh:n=20,d=3",
            "imase_itoh:n=64,d=6",
            "imase_itoh:n=13,d=2",
            "imase_ab:n=50,d=3",
            "imase_ab:n=20,d=3,b=0",
            "imase_ab:n=33,d=2,a=-1,b=5",
            "random_directed:n=20,d=2",
            "hypercube:d=4",
            "hyperx:dims=3x4",
            "hyperx:dims=3x4,k=[1,3],p=2",
            "tofu:4x3x1,mesh=x",
            "tofu:1x1x3",
            "flattened_butterfly:k=3,n=3",
            "dsnf:n=5",
            "dsnf:n=32",
            "dsnf:n=37,fill=balanced",
            "dsnf:n=60,p=3",
            "equality:n=20,sa=[-1,1,7],sb=[6,10]",
            "gen_de_bruijn:n=20,d=3",
            "de_bruijn:d=2,k=4",
            "dragonfly:a=3,h=1",
            "dragonfly:a=4,h=2,g=5",
            "dragonfly_fc:3,7",
            "dragonfly:a=3,h=4,g=4,t=3,l=2",
            "dragonfly_plus:l=2,s=2,h=3,g=4,t=2",
            "hxmesh:a=3,b=2,x=3,y=2,radix=4",
            "polarstar:q=2,k=3",
            "bundlefly:q=3,m=5",
            "spectralfly:p=3,q=5",
            "xpander:d=4,k=5",
            "fat_tree2:k=8,ratio=3:1",
            "damaged:base=torus:4x4,cables=3",
            "fat_tree3:4",
            "xgft:m=[2,3],w=[1,2]",
        ];
        for spec in specs {
            let topology = topology::build(spec).unwrap();
            let (graph, n) = (&topology.graph, topology.graph.switches() as u32);
            let hosts = graph.default_hosts();
            for kind in ROUTINGS {
                let options = Options { seed: 3, ..Options::default() };
                let routing = match RoutingSpec::new(kind).build(&topology, &options) {
                    Ok(routing) => routing,
                    Err(error) => {
                        assert!(matches!(error, RoutingError::Unsuitable { .. }));
                        continue;
                    }
                };
                for to in 0..n {
                    let (distance, _) = crate::topology::hops::distances(graph, SwitchId(to));
                    for from in 0..n {
                        // Up and down a tree there are paths between leaves only.
                        let bare = |switch| hosts[switch as usize] == 0;
                        if kind.name == "up_down" && (bare(from) || bare(to)) {
                            continue;
                        }
                        let mut arcs = vec![ArcId(0)];
                        assert!(
                            routing.route(SwitchId(from), SwitchId(to), &mut arcs),
                            "{spec} {}: {from} {to}",
                            kind.name
                        );
                        let arcs = &arcs[1..];
                        let end = arcs.iter().fold(SwitchId(from), |at, &arc| {
                            assert_eq!(graph.tail(arc), at, "{spec} {}", kind.name);
                            graph.head(arc)
                        });
                        assert_eq!(end, SwitchId(to), "{spec} {}", kind.name);
                        assert_eq!(routing.reasons(SwitchId(from), SwitchId(to), arcs).len(), arcs.len());
                        if kind.shortest {
                            assert_eq!(arcs.len() as u32, distance[from as usize], "{spec} {}: {from} {to}", kind.name);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn large_networks_need_no_table_of_pairs() {
        // Opposite corners of a torus of 65,536 switches.
        let torus = topology::build("torus:256x256").unwrap();
        for name in ["dimension_order", "ecmp", "hashed", "adaptive", "up_down", "lowest_latency", "bfs"] {
            let routing = build(name, &torus, &Options::default()).unwrap();
            assert!(path(&torus.graph, &*routing, 0, 128 + 256 * 128).unwrap().len() >= 257, "{name}");
        }
    }

    #[test]
    fn names_are_found_or_the_nearest_is_named() {
        let error = "random-shotest".parse::<RoutingSpec>().unwrap_err();
        assert_eq!(error.to_string(), "there is no routing rule `random-shotest` (did you mean `random_shortest`?)");
        assert!(error.help().contains("bfs, random_shortest"));
    }
}
