//! Loads, classes and fair rates against slow and obvious ways to find them.

use super::traffic;
use mopsim::defaults::Version;
use mopsim::ids::SwitchId;
use mopsim::platform::HostsPerSwitch;
use mopsim::routing::Scope;
use mopsim::steps::Steps;
use mopsim::throughput::bounds::{Wanted, bounds};
use mopsim::throughput::load::{Loads, fair_share, levels};
use mopsim::throughput::paths::{RoutingRule, carry};
use mopsim::throughput::{Demand, Network, Speeds, ThroughputOptions, evaluate};
use mopsim::topology::{ArcId, Graph};
use proptest::prelude::*;

fn network(spec: &str, hosts: u32, speeds: Speeds) -> Network {
    let topology = mopsim::topology::build(spec).expect(spec);
    Network::new(topology, Some(HostsPerSwitch::Uniform(hosts)), None, speeds, &Default::default()).expect(spec)
}

/// Hops between all pairs, by Floyd and Warshall.
fn hops(graph: &Graph) -> Vec<Vec<u32>> {
    let n = graph.switches();
    let mut hops = vec![vec![u32::MAX / 2; n]; n];
    (0..n).for_each(|s| hops[s][s] = 0);
    for arc in (0..graph.arcs() as u32).map(ArcId) {
        hops[graph.tail(arc).index()][graph.head(arc).index()] = 1;
    }
    for via in 0..n {
        for from in 0..n {
            for to in 0..n {
                hops[from][to] = hops[from][to].min(hops[from][via] + hops[via][to]);
            }
        }
    }
    hops
}

/// Sends an amount on, evenly to all that are nearer, one recursion for each way.
fn pour(graph: &Graph, hops: &[Vec<u32>], at: u32, to: u32, amount: f64, loads: &mut [f64]) {
    let nearer = |arc: &ArcId| hops[graph.head(*arc).index()][to as usize] + 1 == hops[at as usize][to as usize];
    let ways: Vec<ArcId> = graph.out_arcs(SwitchId(at)).filter(nearer).collect();
    for arc in &ways {
        let part = amount / ways.len() as f64;
        loads[arc.index()] += part;
        pour(graph, hops, graph.head(*arc).0, to, part, loads);
    }
}

#[test]
fn split_loads_are_those_of_pouring_pair_by_pair() {
    for (spec, pattern) in [
        ("torus:3x4", "uniform"),
        ("random:n=14,d=3", "random_permutation"),
        ("imase_itoh:n=12,d=3", "all_to_all"),
        ("hyperx:3x3", "tornado"),
        ("mesh:4x3", "hotspot:nodes=[3,7],rates=[1,2]"),
        ("dragonfly:a=3,h=1", "worst_case"),
    ] {
        let network = network(spec, 2, Speeds::default());
        let (graph, traffic) = (&network.topology.graph, traffic(&network, pattern));
        let hops = hops(graph);
        let mut expected = vec![0.0; graph.arcs()];
        for source in 0..network.endpoints() {
            traffic.flows.visit(source, &mut |to, share| {
                let [from, to] = [source, to].map(|host| network.host_switch[host as usize]);
                pour(graph, &hops, from, to, share, &mut expected);
            });
        }
        let demand = Demand::new(&network, &traffic, Scope::Switches).expect(spec);
        let carried = carry(&network, &RoutingRule::new("split", &network, 1).expect(spec), &demand, &Steps::default())
            .expect(spec);
        for (arc, (a, e)) in carried.arcs.iter().zip(&expected).enumerate() {
            assert!((a - e).abs() < 1e-12 * (1.0 + e), "{spec} {pattern}, arc {arc}: {a} instead of {e}");
        }
        // Loads of single classes add up to those of all.
        let incidence = carried.incidence.as_ref().expect("kept");
        let mut together = vec![0.0; network.links + demand.host_links.len()];
        for (class, of) in demand.classes.iter().enumerate() {
            incidence.of(class).for_each(|(link, part)| together[link] += part * of.demand);
        }
        for (arc, (a, e)) in together.iter().zip(&expected).enumerate() {
            assert!((a - e).abs() < 1e-12 * (1.0 + e), "{spec} {pattern}, arc {arc}: {a} instead of {e}");
        }
        assert!(carried.max_hops <= hops.iter().flatten().copied().max().unwrap_or(0));
    }
}

#[test]
fn valiant_split_loads_are_those_of_pouring_through_every_switch() {
    for (spec, pattern) in [
        ("torus:3x4", "tornado"),
        ("random:n=14,d=3", "random_permutation"),
        ("imase_itoh:n=12,d=3", "all_to_all"),
        ("dragonfly:a=3,h=1", "worst_case"),
    ] {
        let network = network(spec, 2, Speeds::default());
        let (graph, traffic) = (&network.topology.graph, traffic(&network, pattern));
        let (hops, n) = (hops(graph), graph.switches() as u32);
        let (mut expected, mut longest) = (vec![0.0; graph.arcs()], 0);
        for source in 0..network.endpoints() {
            traffic.flows.visit(source, &mut |to, share| {
                let [from, to] = [source, to].map(|host| network.host_switch[host as usize]);
                for through in if from == to { 0..0 } else { 0..n } {
                    pour(graph, &hops, from, through, share / f64::from(n), &mut expected);
                    pour(graph, &hops, through, to, share / f64::from(n), &mut expected);
                    longest = longest.max(hops[from as usize][through as usize] + hops[through as usize][to as usize]);
                }
            });
        }
        let demand = Demand::new(&network, &traffic, Scope::Switches).expect(spec);
        let rule = RoutingRule::new("valiant-split", &network, 1).expect(spec);
        let carried = carry(&network, &rule, &demand, &Steps::default()).expect(spec);
        for (arc, (a, e)) in carried.arcs.iter().zip(&expected).enumerate() {
            assert!((a - e).abs() < 1e-12 * (1.0 + e), "{spec} {pattern}, arc {arc}: {a} instead of {e}");
        }
        assert_eq!(carried.max_hops, longest, "{spec} {pattern}");
        let levels = levels(&network, &demand, &carried).expect("kept").level;
        let saturation = Loads::new(&network, &demand, &carried).saturation;
        assert!(levels.iter().all(|level| *level >= saturation * (1.0 - 1e-9)), "{spec} {pattern}: below {saturation}");
    }
}

#[test]
fn valiant_split_carries_any_permutation_of_switches_alike() {
    // L. Valiant, 1982: each phase loads the network as uniform traffic does, whatever the permutation. In a torus, where
    // uniform traffic loads all links alike, that is half of its saturation; traffic within a switch takes no link.
    let saturation = |pattern: &str, rule: &str| {
        let network = network("torus:8x8", 1, Speeds { host: None, ..Speeds::default() });
        let mut cells = evaluate(&network, pattern, &[rule.to_owned()], &ThroughputOptions::default()).expect(pattern);
        cells.remove(0).saturation.expect("cables are limits")
    };
    let half = saturation("uniform", "split") / 2.0;
    for pattern in ["tornado", "bit_complement", "neighbour"] {
        let found = saturation(pattern, "valiant_split");
        assert!((found - half).abs() < 1e-12, "{pattern}: {found} instead of {half}");
    }
    assert!(saturation("tornado", "split") < half);
}

#[test]
fn hosts_of_a_switch_are_interchangeable_under_even_traffic() {
    // Once from the numbers of hosts alone, and once flow by flow, from a matrix of equal weights.
    let folder = tempfile::tempdir().expect("a folder");
    for (spec, hosts, capacity) in [("ring:5", 3, 0.4), ("torus:3x3", 2, 1.0), ("mesh:4", 2, 0.2), ("star:4", 2, 0.3)] {
        let speeds = Speeds { host: Some(12e9 * capacity), ..Speeds::of(Version::V0_1) };
        let network = network(spec, hosts, speeds);
        let n = network.endpoints();
        for (pattern, with_self) in [("uniform", true), ("all_to_all", false)] {
            let file = folder.path().join("m.txt");
            let row =
                |from| (0..n).map(|to| if to == from && !with_self { "0 " } else { "1 " }).collect::<String>() + "\n";
            std::fs::write(&file, (0..n).map(row).collect::<String>()).expect("written");
            let share = |pattern: &str| {
                let demand = Demand::new(&network, &traffic(&network, pattern), Scope::Switches).expect(spec);
                let carried =
                    carry(&network, &RoutingRule::new("bfs", &network, 1).expect(spec), &demand, &Steps::default())
                        .expect(spec);
                let fair = levels(&network, &demand, &carried).expect("kept");
                (fair_share(&network, &demand, &fair), demand)
            };
            let (grouped, groups) = share(pattern);
            let (single, singles) = share(&format!("matrix:{}", file.display()));
            assert_eq!((groups.flows, groups.to_self), (singles.flows, singles.to_self), "{spec} {pattern}");
            assert_eq!(groups.classes.len(), singles.classes.len(), "{spec}: flows of the same switches are one class");
            let [a, b] = [&grouped, &single].map(|share| {
                let level = &share.level;
                [level.min, level.p5, level.p25, level.median, level.p75, level.max, level.mean, share.accepted]
            });
            for (a, b) in a.iter().zip(&b) {
                assert!((a - b).abs() < 1e-9 * a, "{spec} {pattern}: {grouped:?} and {single:?}");
            }
        }
    }
}

#[test]
fn threads_change_nothing() {
    let network = network("random:n=40,d=4", 3, Speeds::default());
    let answer = |threads, pattern: &str| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let options = ThroughputOptions { bound: Wanted::Flow, gap: 0.05, ..ThroughputOptions::default() };
        let routings = ["split", "ecmp", "bfs"].map(str::to_owned);
        pool.install(|| evaluate(&network, pattern, &routings, &options).expect("an answer"))
    };
    for pattern in ["uniform", "random_permutation"] {
        assert_eq!(answer(1, pattern), answer(3, pattern), "{pattern}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_least_level_is_the_saturation_and_no_bound_is_below_it(
        seed in 0u64..1000, n in 5u32..14, pattern in 0usize..7, routing in 0usize..5, hosts in 1u32..4, capacity in 0u32..8
    ) {
        let pattern = ["uniform", "all_to_all", "mirror", "random_permutation", "tornado", "incast", "worst_case"][pattern];
        let routing = ["bfs", "ecmp", "split", "up_down", "balanced"][routing];
        // Without links of hosts flows within a switch are held by nothing.
        let host = (capacity > 0).then(|| 12e9 * f64::from(capacity) * 0.25);
        let speeds = Speeds { host, ..Speeds::of(Version::V0_1) };
        let network = network(&format!("random_ring:n={},y=1,seed={seed}", 2 * n), hosts, speeds);
        let rule = RoutingRule::new(routing, &network, seed).unwrap();
        let demand = Demand::new(&network, &traffic(&network, pattern), rule.scope).unwrap();
        let carried = carry(&network, &rule, &demand, &Steps::default()).unwrap();
        let loads = Loads::new(&network, &demand, &carried);
        let fair = fair_share(&network, &demand, &levels(&network, &demand, &carried).unwrap());
        prop_assert!((fair.level.min - loads.saturation).abs() <= 1e-9 * loads.saturation, "{:?} {}", fair, loads.saturation);
        // Everybody sends at least as much as at saturation, and no host more than its link.
        prop_assert!(fair.accepted >= loads.saturation * (1.0 - 1e-9) * demand.total / f64::from(demand.senders));
        let limit = network.host_capacity().unwrap_or(f64::INFINITY);
        prop_assert!(fair.accepted <= limit * (1.0 + 1e-9));
        let known = rule.shortest.then(|| carried.arcs.iter().sum::<f64>());
        let found = bounds(&network, &demand, known, Wanted::Flow, 0.02, &Steps::default()).unwrap();
        // Distances found by search agree with loads of shortest routes.
        let searched = bounds(&network, &demand, None, Wanted::Quick, 0.02, &Steps::default()).unwrap();
        let (a, b) = (found.path_length.unwrap(), searched.path_length.unwrap());
        prop_assert!((a - b).abs() <= 1e-9 * a);
        for bound in [found.host_links, found.path_length, found.cut, found.concurrent.as_ref().map(|c| c.upper)] {
            prop_assert!(bound.unwrap_or(f64::INFINITY) >= loads.saturation * (1.0 - 1e-9), "{:?} {}", found, loads.saturation);
        }
        let concurrent = found.concurrent.unwrap();
        prop_assert!(concurrent.lower <= found.cut.unwrap() * (1.0 + 1e-9));
        prop_assert!(concurrent.lower <= found.path_length.unwrap() * (1.0 + 1e-9));
    }
}
