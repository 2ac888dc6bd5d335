//! Which cables a message takes from switch to switch: static routes, one for each ordered pair.
//!
//! A routing answers one question at a time and computes what it needs when it is first asked, because a table of all
//! pairs of 65,536 switches would be larger than the memory of most machines. Its answers do not depend on the order of
//! the questions, so runs can share it. A new routing is one file and one line of [`ROUTINGS`].

use crate::ids::SwitchId;
use crate::similar::{did_you_mean, nearest};
use crate::topology::{ArcId, Hosts, Topology};

mod balanced;
mod bfs;
mod d_mod_k;
mod dimension_order;
mod dragonfly;
mod dsnf;
mod ecmp;
pub mod equality;
mod grid;
mod lowest_latency;
mod nearest;
mod polynomial;
mod random_shortest;
pub(crate) mod source_cache;
mod towards;
mod trees;
mod up_down;
mod walk;

/// The routing that fits every network.
const PLAIN: &str = "bfs";

/// The routing that is used unless another is asked for: where hosts hang on leaves, one that uses all roots.
pub fn default_for(topology: &Topology) -> &'static str {
    match topology.graph.hosts() {
        Hosts::Everywhere(_) => PLAIN,
        Hosts::OnSwitches(_) | Hosts::Vertices(_) => "d_mod_k",
    }
}

/// Seed of random routings and mappings where nothing else says one.
pub const DEFAULT_SEED: u64 = 1;

/// The seed of a random routing: the one that was asked for, else that of the topology, else [`DEFAULT_SEED`].
pub fn seed_for(asked: Option<u64>, topology: &Topology) -> u64 {
    asked.or(topology.seed()).unwrap_or(DEFAULT_SEED)
}

/// Static routes between the switches of a topology.
pub trait Routing: Send + Sync {
    /// Appends the arcs of the route, in order; none if `from` and `to` are equal.
    ///
    /// Returns `false`, and leaves `arcs` as it was, if there is no way.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool;

    /// The same to a host of the switch `to`, for rules that tell hosts apart ([`RoutingKind::by_host`]); the others
    /// give all hosts of a switch the same route. Hosts are numbered over the whole network, in the order of their
    /// switches.
    fn route_to_host(&self, from: SwitchId, to: SwitchId, _host: u32, arcs: &mut Vec<ArcId>) -> bool {
        self.route(from, to, arcs)
    }

    /// Says in words why the route takes each of its arcs, which are those that [`Routing::route`] gave.
    fn reasons(&self, _from: SwitchId, _to: SwitchId, arcs: &[ArcId]) -> Vec<String> {
        let left = |hop| arcs.len() - 1 - hop;
        let reason =
            |hop| format!("shortest path, {} hop{} to go after it", left(hop), if left(hop) == 1 { "" } else { "s" });
        (0..arcs.len()).map(reason).collect()
    }
}

/// What a routing may need beside the topology.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Options<'a> {
    /// For routings that are random.
    pub seed: u64,
    /// Delay of each arc in seconds, where it is known: latency of the cable and of the switch that it enters. One for
    /// each arc of the graph, in order.
    pub arc_delays: Option<&'a [f64]>,
}

/// Makes a routing for a topology.
pub type BuildRouting = fn(&Topology, &Options<'_>) -> Result<Box<dyn Routing>, RoutingError>;

/// A line of the table of routings.
#[derive(Clone, Copy, Debug)]
pub struct RoutingKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// Whether the routes depend on a seed, which a report then has to state.
    pub random: bool,
    /// Whether every route has as few hops as there can be.
    pub shortest: bool,
    /// Whether hosts of one switch may be reached by different routes.
    pub by_host: bool,
    /// Makes the routing for a topology; the seed is for those that are random. A routing that belongs to some families
    /// refuses the others, and finds their parameters in the specification of the topology.
    pub build: BuildRouting,
}

/// All routings.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingKind] = &[
    RoutingKind { name: "bfs", aliases: &["shortest"], help: "shortest, breadth first from the source in ascending order of switches", random: false, shortest: true, by_host: false, build: bfs::build },
    RoutingKind { name: "random_shortest", aliases: &[], help: "for each pair one of its shortest paths at random, all equally likely", random: true, shortest: true, by_host: false, build: random_shortest::build },
    RoutingKind { name: "lowest_latency", aliases: &["fastest"], help: "smallest sum of the delays of cables and switches", random: false, shortest: false, by_host: false, build: lowest_latency::build },
    RoutingKind { name: "nearest", aliases: &[], help: "fewest hops, of these the smallest sum of delays", random: false, shortest: true, by_host: false, build: nearest::build },
    RoutingKind { name: "ecmp", aliases: &["equal_cost_multi_path"], help: "at each switch one of the shortest next hops, by a hash of the pair and the seed", random: true, shortest: true, by_host: false, build: ecmp::build },
    RoutingKind { name: "balanced", aliases: &["load_balanced"], help: "shortest, assigned destination by destination to the least loaded next hop", random: false, shortest: true, by_host: false, build: balanced::build },
    RoutingKind { name: "d_mod_k", aliases: &["dmodk"], help: "shortest, by the digits of the destination's number; for trees", random: false, shortest: true, by_host: true, build: d_mod_k::build },
    RoutingKind { name: "up_down", aliases: &["updown", "up*/down*"], help: "up to a common ancestor, then down; free of deadlock; two-way cables only", random: false, shortest: false, by_host: false, build: up_down::build },
    RoutingKind { name: "dimension_order", aliases: &["dor"], help: "one dimension after another; ring, mesh, torus, hypercube, hyperx, flattened_butterfly", random: false, shortest: true, by_host: false, build: dimension_order::build },
    RoutingKind { name: "dragonfly", aliases: &["dragonfly_minimal"], help: "within the group, to the other group, within it; dragonfly, dragonfly_fc", random: false, shortest: false, by_host: false, build: dragonfly::minimal },
    RoutingKind { name: "valiant", aliases: &["dragonfly_valiant"], help: "through a group that a hash of the pair and the seed chooses; dragonfly, dragonfly_fc", random: true, shortest: false, by_host: false, build: dragonfly::valiant },
    RoutingKind { name: "dsnf", aliases: &["dsn_f"], help: "by shortcuts to the super-node; dsnf", random: false, shortest: false, by_host: false, build: dsnf::build },
    RoutingKind { name: "polynomial", aliases: &["imase"], help: "by the digits of a number; imase_ab with a = 1 or -1, imase_itoh, gen_de_bruijn, de_bruijn", random: false, shortest: true, by_host: false, build: polynomial::build },
    RoutingKind { name: "equality", aliases: &["amin"], help: "first hops by offset, from a table of O(n); equality", random: false, shortest: true, by_host: false, build: equality::build },
];

/// Why there is no such routing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutingError {
    /// No routing has this name.
    #[error("there is no routing `{name}`{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// The name as given.
        name: String,
        /// The routing whose name is nearest.
        nearest: Option<String>,
    },
    /// The routing is for other topologies.
    #[error("routing `{routing}` does not fit topology `{topology}`: {reason}")]
    Unsuitable {
        /// Name of the routing.
        routing: String,
        /// The topology.
        topology: String,
        /// What it lacks.
        reason: String,
    },
}

impl RoutingError {
    fn unsuitable(routing: &str, topology: &Topology, reason: &str) -> Self {
        Self::Unsuitable { routing: routing.into(), topology: topology.name(), reason: reason.into() }
    }

    /// One line on what to do about it.
    pub fn help(&self) -> String {
        let names = ROUTINGS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        format!("the routings are {names}; `{PLAIN}` fits every topology")
    }
}

/// The routing with this name or alias.
///
/// # Errors
/// [`RoutingError::Unknown`].
pub fn find(name: &str) -> Result<&'static RoutingKind, RoutingError> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    ROUTINGS.iter().find(|kind| kind.name == wanted || kind.aliases.contains(&wanted.as_str())).ok_or_else(|| {
        RoutingError::Unknown {
            name: name.into(),
            nearest: nearest(name, ROUTINGS.iter().map(|kind| kind.name)).map(Into::into),
        }
    })
}

/// Makes the routing called `name` for a topology.
///
/// # Errors
/// [`RoutingError`].
pub fn build(name: &str, topology: &Topology, options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
    (find(name)?.build)(topology, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{self, Graph};

    /// The switches of a route, the first one included.
    pub(super) fn path(graph: &Graph, routing: &dyn Routing, from: u32, to: u32) -> Option<Vec<u32>> {
        let mut arcs = Vec::new();
        routing.route(SwitchId(from), SwitchId(to), &mut arcs).then(|| {
            let heads = arcs.iter().map(|&arc| graph.head(arc).0);
            [from].into_iter().chain(heads).collect()
        })
    }

    /// The reference values of topologies, which an independent generator computed.
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
            let routing = build("dimension_order", &torus, &Options::default()).unwrap();
            for example in entry["examples"].as_array().unwrap() {
                let end = |key: &str| example[key].as_u64().unwrap() as u32;
                let expected: Vec<u32> = serde_json::from_value(example["path"].clone()).unwrap();
                assert_eq!(path(&torus.graph, &*routing, end("src"), end("dst")), Some(expected), "{example}");
            }
        }
    }

    /// Every routing on every small family that it fits: routes are paths, as many reasons as hops, shortest where
    /// promised.
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
            "fat_tree3:4",
            "xgft:m=[2,3],w=[1,2]",
        ];
        for spec in specs {
            let topology = topology::build(spec).unwrap();
            let (graph, n) = (&topology.graph, topology.graph.switches() as u32);
            for kind in ROUTINGS {
                let routing = match (kind.build)(&topology, &Options { seed: 3, arc_delays: None }) {
                    Ok(routing) => routing,
                    Err(error) => {
                        assert!(matches!(error, RoutingError::Unsuitable { .. }));
                        continue;
                    }
                };
                for to in 0..n {
                    let (distance, _) = crate::topology::hops::distances(graph, SwitchId(to));
                    for from in 0..n {
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
        for name in ["dimension_order", "ecmp", "up_down", "lowest_latency", "bfs"] {
            let routing = build(name, &torus, &Options::default()).unwrap();
            assert!(path(&torus.graph, &*routing, 0, 128 + 256 * 128).unwrap().len() >= 257, "{name}");
        }
    }

    #[test]
    fn names_are_found_or_the_nearest_is_named() {
        assert_eq!(find("Random-Shortest").unwrap().name, "random_shortest");
        let error = find("random-shotest").unwrap_err();
        assert_eq!(error.to_string(), "there is no routing `random-shotest` (did you mean `random_shortest`?)");
        assert!(error.help().contains("bfs, random_shortest"));
        for (spec, default) in
            [("torus:4x4", "bfs"), ("slimfly:q=5", "bfs"), ("fat_tree3:4", "d_mod_k"), ("clos:m=3,n=2,r=3", "d_mod_k")]
        {
            assert_eq!(find(default_for(&topology::build(spec).unwrap())).unwrap().name, default, "{spec}");
        }
    }
}
