//! Figures in papers, and our computation of each.

use super::networks::longest_sub_shortest;
use mopsim::defaults::Version;
use mopsim::design::bounds::switch_counts;
use mopsim::design::dsnf::expansion;
use mopsim::floorplan::latency::{Latency, PathChoice, latencies};
use mopsim::floorplan::{Cables, FloorModel, FloorOptions, FloorPlan, Placement, equality};
use mopsim::ids::SwitchId;
use mopsim::routing;
use mopsim::steps::Steps;
use mopsim::survey::{Survey, SurveyOptions};
use mopsim::topology::metrics::bisection::{self, Counting};
use mopsim::topology::metrics::bounds::{bisection_share_of_all, moore};
use mopsim::topology::metrics::{Distances, distances};
use mopsim::topology::{Graph, build};
use serde_json::Value;
use std::sync::Arc;

pub fn graph(spec: &str) -> Arc<Graph> {
    build(spec).unwrap_or_else(|error| panic!("{spec}: {error}")).graph
}

fn measured(spec: &str) -> Distances {
    distances(&graph(spec)).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

pub fn max_degree(graph: &Graph) -> usize {
    (0..graph.switches() as u32).map(|switch| graph.out_degree(SwitchId(switch))).max().unwrap_or(0)
}

pub fn neighbours(graph: &Graph, switch: u32) -> Vec<u32> {
    graph.neighbours(SwitchId(switch)).map(|s| s.0).collect()
}

/// Our result for a figure of a paper.
pub enum Found {
    Number(f64),
    /// A value for other random networks than those of the reference, so that only the printed value counts.
    Sampled(f64),
    Truth(bool),
    /// Switches of a route, or another list.
    Route(Vec<u32>),
    /// No result, because the figure is tested elsewhere or not at all; the reason.
    Elsewhere(&'static str),
}

use Found::{Elsewhere, Number, Route, Sampled, Truth};

/// Returns the first network in a text, in the notation of the paper on Skywalk.
pub fn network(text: &str) -> &'static str {
    let names = [
        ("Skywalk(8,256,7,4)", "skywalk:z=8,c=256,di=7,do=4"),
        ("Skywalk(8,256,7,12)", "skywalk:z=8,c=256,di=7,do=12"),
        ("Torus", "torus:8x16x16"),
        ("Dragonfly", "dragonfly_fc:8,256"),
        ("HyperX", "hyperx:8x16x16"),
        ("Hypercube", "hypercube:11"),
        ("Random(2048,11)", "random:n=2048,d=11"),
    ];
    let found = names.iter().filter_map(|(name, spec)| text.find(name).map(|place| (place, spec))).min();
    found.unwrap_or_else(|| panic!("no network in {text}")).1
}

/// Returns a network with the lengths of its cables, eight switches per cabinet.
pub fn laid_out(spec: &str) -> (Arc<Graph>, Cables) {
    let topology = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let options = FloorOptions { switches_per_cabinet: Some(8), ..FloorOptions::default() };
    let cables = FloorPlan::new(&topology, &options).unwrap().cables(&topology.graph);
    (topology.graph, cables)
}

fn metres(spec: &str) -> f64 {
    laid_out(spec).1.total
}

pub fn latency(spec: &str, switch_delay: f64, choice: PathChoice) -> Latency {
    let (graph, cables) = laid_out(spec);
    latencies(&graph, cables.lengths(), switch_delay, 5e-9, choice, &Steps::default()).unwrap()
}

/// Returns the length of the longest route; `None` if any route fails the check of its hops against the distance.
fn most_hops(spec: &str, rule: &str, check: fn(usize, usize) -> bool) -> Option<usize> {
    let topology = build(spec).unwrap();
    let [rule, bfs] = [rule, "bfs"].map(|rule| routing::build(rule, &topology, &routing::Options::default()).unwrap());
    let n = topology.graph.switches() as u32;
    let (mut most, mut arcs, mut least) = (0, Vec::new(), Vec::new());
    for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (SwitchId(from), SwitchId(to)))) {
        arcs.clear();
        least.clear();
        if !rule.route(from, to, &mut arcs) || !bfs.route(from, to, &mut least) || !check(arcs.len(), least.len()) {
            return None;
        }
        most = most.max(arcs.len());
    }
    Some(most)
}

/// Returns the number after `key` in a text, as in `n=64 d=6`.
fn after(text: &str, key: &str) -> u64 {
    let digits = text.split(key).nth(1).unwrap_or_else(|| panic!("no `{key}` in {text}"));
    digits.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap()
}

fn mean_aspl(spec: &str) -> f64 {
    (1..=20).map(|seed| measured(&format!("{spec},seed={seed}")).aspl).sum::<f64>() / 20.0
}

/// Builds the Slim Fly of a degree, if `q` is in the method.
fn slimfly(entry: &Value) -> Arc<Graph> {
    graph(&format!("slimfly:q={}", after(entry["method"].as_str().unwrap(), "q=")))
}

/// Returns the distances of the networks of this size that the paper on DSN-F compares.
fn compared(exponent: u32) -> [Distances; 3] {
    let n = 1_u32 << exponent;
    let dsnf = if exponent >= 3 { format!("dsnf:{n}") } else { panic!("too small") };
    [measured(&format!("dsn:{n}")), measured(&dsnf), measured(&format!("random_ring:n={n},y=2"))]
}

/// Returns `true` if a figure takes long, or depends on the random numbers of the C library, as halves by METIS do.
pub fn is_heavy(what: &str) -> bool {
    ["8192", "c=1024", "Skywalk degree", "Table 1 bisection", "METIS"].iter().any(|part| what.contains(part))
        && !what.contains("degree for z=")
}

/// Computes our result, however long it takes.
pub fn find(entry: &Value) -> Found {
    let what = entry["what"].as_str().unwrap();
    latencies_of_skywalk(what).or_else(|| dsnf_against_dsn(what)).or_else(|| halves(what)).unwrap_or_else(|| one(entry))
}

/// Computes latencies of Skywalk other than those of its first comparison.
fn latencies_of_skywalk(what: &str) -> Option<Found> {
    let skywalk = |c: u32, links: &str| latency(&format!("skywalk:z=8,c={c},di=7,{links}"), 60e-9, PathChoice::Fastest);
    let pick = |latency: Latency| if what.contains("average") { latency.mean } else { latency.max };
    if what.starts_with("Skywalk degree 16, N=8192") {
        return Some(Sampled(pick(skywalk(1024, "do=9")) * 1e9));
    }
    if what.starts_with("Skywalk degree 16") {
        return Some(Sampled(100.0 * (pick(skywalk(1024, "do=9")) / pick(skywalk(256, "do=9")) - 1.0)));
    }
    if what.starts_with("Skywalk degree") {
        let (c, links, others) = match after(what, "N=") {
            2048 => (256, "do=25", ["dragonfly_fc:8,256", "hyperx:8x16x16"]),
            _ => (1024, "do=57", ["dragonfly_fc:8,1024", "hyperx:8x32x32"]),
        };
        let ours = pick(skywalk(c, links));
        let above = others.map(|other| 100.0 * (ours / pick(latency(other, 60e-9, PathChoice::Fastest)) - 1.0));
        return Some(Sampled(above[0].max(above[1])));
    }
    if what.starts_with("straight links only") {
        let (c, links, seeds) = if what.contains("c=64") { (64, 2, 3) } else { (1024, 8, 1) };
        let above = |seed: u32| {
            let mean = |ds: u32, dd: u32| skywalk(c, &format!("ds={ds},dd={dd},seed={seed}")).mean;
            100.0 * (mean(links, 0) / mean(links - 1, 1) - 1.0)
        };
        return Some(Sampled((1..=seeds).map(above).sum::<f64>() / f64::from(seeds)));
    }
    if what.starts_with("at 20 ns, nearest routing: Random max latency above Torus") {
        let max = |spec| latency(spec, 20e-9, PathChoice::Nearest).max;
        return Some(Truth(max("random:n=2048,d=11") > max("torus:8x16x16")));
    }
    None
}

/// Returns the average length of the cables of a network in metres.
fn average_metres(spec: &str, options: &FloorOptions) -> f64 {
    let topology = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
    let cables = FloorPlan::new(&topology, options).unwrap().cables(&topology.graph);
    cables.total / topology.graph.cables() as f64
}

/// Compares DSN-F with DSN, and computes its expansion.
fn dsnf_against_dsn(what: &str) -> Option<Found> {
    // Percentage by which its cables are shorter.
    let shorter = |exponent: u32| {
        let n = 1_u32 << exponent;
        let placed = FloorOptions { placement: Placement::SupernodeMajor, ..FloorOptions::default() };
        let theirs = average_metres(&format!("dsn:{n}"), &FloorOptions::default());
        100.0 * (1.0 - average_metres(&format!("dsnf:{n}"), &placed) / theirs)
    };
    let at_most = |of: fn(&Distances) -> f64| {
        let lower = (5..=11).map(|exponent| {
            let [dsn, dsnf, _] = compared(exponent);
            100.0 * (1.0 - of(&dsnf) / of(&dsn))
        });
        Number(lower.fold(f64::NEG_INFINITY, f64::max))
    };
    let turn = || {
        let steps = expansion("n=384,p=5,fill=balanced", "n=384,p=6,fill=balanced").unwrap().steps;
        let [turn] = &steps[..] else { panic!("one step") };
        let [added, moved, removed] = turn.counts().map(|count| count as f64 / 32.0);
        [turn.cables_before as f64 / 32.0, moved + removed, added + moved]
    };
    Some(match what {
        _ if what.starts_with("average cable length of DSN-F") => Number(shorter(after(what, "n=2^") as u32)),
        _ if what.starts_with("DSN-F cables longer than DSN only") => {
            Route((7..=12).filter(|&exponent| shorter(exponent) < 0.0).collect())
        }
        _ if what.starts_with("diameter of DSN-F at most") => at_most(|d| d.diameter() as f64),
        _ if what.starts_with("ASPL of DSN-F at most") => at_most(|d| d.aspl),
        _ if what.starts_with("p=5->6: links per old") => Number(turn()[0]),
        _ if what.starts_with("p=5->6: cables rewired") => Number(turn()[1]),
        _ if what.starts_with("p=5->6: cables added") => Number(turn()[2]),
        _ if what.starts_with("p=5->6: the paper's own") => Elsewhere("the sum of the paper's own items"),
        _ => return None,
    })
}

/// Computes halves, and other figures of the papers on one-way networks and on Equality.
fn halves(what: &str) -> Option<Found> {
    let cut = |spec: &str, seeds| bisection::best(&graph(spec), Counting::Merged, seeds).cut as f64;
    let mean = |spec: &str| (1..=20).map(|seed| cut(&format!("{spec},seed={seed}"), 5)).sum::<f64>() / 20.0;
    Some(match what {
        _ if what.starts_with("Table 1 bisection") => {
            let (n, d) = (after(what, "n="), after(what, "d="));
            Sampled(match what.split(' ').nth(3) {
                Some("Imase") => cut(&format!("imase_ab:n={n},d={d}"), 20),
                Some("Random") => mean(&format!("random_directed:n={n},d={d}")),
                _ => mean(&format!("mddp_directed:n={n},d={d}")),
            })
        }
        "METIS bisection, directed random n=1024 d=8" => Sampled(cut("random_directed:n=1024,d=8,seed=1", 20)),
        "METIS bisection, Imase n=1024 d=8" => Sampled(cut("imase_ab:n=1024,d=8", 20)),
        "METIS bisection, MDDP n=1024 d=8" => Sampled(cut("mddp_directed:n=1024,d=8,seed=1", 20)),
        _ if what.starts_with("average cable length of uni-") => {
            let plan = FloorOptions { model: FloorModel::SlimFly, ..FloorOptions::default() };
            let metres = |family: &str| average_metres(&format!("{family}:n=1190,d=8,seed=1"), &plan);
            Sampled(100.0 * (metres("mddp_directed") / metres("mddp_undirected") - 1.0))
        }
        "bisection equals the minimum semicircle cut (N14)" => {
            let n14 = graph("equality:n=14,sa=[-1,1,3,9],sb=[4]");
            let semicircle = bisection::semicircle(&n14, Counting::Merged).cut;
            Truth(bisection::exact(&n14, Counting::Merged).unwrap().cut == semicircle)
        }
        "sub-shortest path hops for d=2 systems (N14)" => {
            let n14 = graph("equality:n=14,sa=[-1,1,3,9],sb=[4]");
            Number(longest_sub_shortest(&n14) as f64)
        }
        "million-node SlimFly routers" => Number(graph("slimfly:q=163").switches() as f64),
        "million-node SlimFly ports (k'+p = 245+19)" => Number((max_degree(&graph("slimfly:q=163")) + 19) as f64),
        _ if what.starts_with("hot-potato path length") => Sampled(super::flits::growth(6)),
        _ if what.starts_with("same, d=8") => Sampled(super::flits::growth(8)),
        _ if what.contains("average application gain")
            || what.contains("average gain")
            || what.starts_with("largest gain") =>
        {
            Elsewhere("see the tables of gains")
        }
        _ if what.starts_with("SlimFly k'=53") || what.starts_with("SlimFly third") => {
            Elsewhere("no such graph: neither 33 nor 35 is a power of a prime")
        }
        _ if what.starts_with("share of the diameter-") => {
            Elsewhere("these networks are in tables that are not available")
        }
        _ => return None,
    })
}

/// Computes a figure whose value is also in the reference, or one of a closed form.
fn one(entry: &Value) -> Found {
    let what = entry["what"].as_str().unwrap();
    let dsnf = || graph("dsnf:n=32,p=3");
    let n14 = "equality:n=14,sa=[-1,1,3,9],sb=[4]";
    match what {
        _ if what.starts_with("total cable length of") => Number(metres(network(what)) / 1000.0),
        _ if what.contains("cable saving over") => {
            let (ours, theirs) = (metres(network(what)), metres(network(what.rsplit("over").next().unwrap())));
            Sampled(100.0 * (1.0 - ours / theirs))
        }
        _ if what.starts_with("at 20 ns, nearest routing: Random(2048,11) max latency above Hypercube") => {
            let max = |spec| latency(spec, 20e-9, PathChoice::Nearest).max;
            Truth(max("random:n=2048,d=11") > max("hypercube:11"))
        }
        _ if what.starts_with("Skywalk(8,256,7,") && what.contains("latency") => {
            let (ours, theirs) = what.split_once(if what.contains("below") { "below" } else { "above" }).unwrap();
            let pick = |latency: Latency| if what.contains("average") { latency.mean } else { latency.max };
            let other = pick(latency(network(theirs), 60e-9, PathChoice::Fastest));
            let mean: f64 = (1..=3)
                .map(|seed| pick(latency(&format!("{},seed={seed}", network(ours)), 60e-9, PathChoice::Fastest)) / 3.0)
                .sum();
            Sampled(100.0 * (mean / other - 1.0).abs())
        }
        // 104.445, printed with two decimals.
        "cable between vertically adjacent modules (cm)" => {
            Number((10_000.0 * equality::length(true, 0.0, 0.0, 0, 1)).round() / 100.0)
        }
        // Half of its hosts send over twelve links.
        "bisection ratio b_r of one fully connected 12-port switch" => {
            Number(bisection_share_of_all(6.0, 1, 0.0, 12.0))
        }
        _ if what.starts_with("b_r of a t") => {
            let spec = if what.contains("two-tier") { "fat_tree2:4" } else { "fat_tree3:8" };
            let report = Survey::of(&build(spec).unwrap(), &SurveyOptions::of(Version::V0_1)).unwrap();
            let share = report.bisection_share_of_all.unwrap();
            // Our halves are of all vertices, the paper's of the hosts; here both have the same cut. The paper prints
            // 1/6 with four decimals.
            Number((share * 1e4).round() / 1e4)
        }
        _ if what.starts_with("METIS bisection, undirected random") => {
            Sampled(bisection::best(&graph("random:n=1024,d=8"), Counting::Merged, 5).cut as f64)
        }
        "n=32 p=3 route 24 -> 7" => {
            let mut arcs = Vec::new();
            let network = build("dsnf:n=32,p=3").unwrap();
            let dsnf = routing::build("dsnf", &network, &routing::Options::default()).unwrap();
            assert!(dsnf.route(SwitchId(24), SwitchId(7), &mut arcs));
            let path: Vec<u32> = [24].into_iter().chain(arcs.iter().map(|&arc| network.graph.head(arc).0)).collect();
            Route(path)
        }
        _ if what.starts_with("Theorem 1b") => Truth((3..=5_usize).all(|p| {
            let longest =
                |k: usize| most_hops(&format!("dsnf:n={},p={p},strict=false", k * (p << p)), "dsnf", |_, _| true);
            (1..=3).all(|k| longest(k).is_some_and(|most| most <= 2 * (p + k - 1)))
        })),
        "Imase (a=1,b=0) routing length equals shortest distance" => {
            let shortest = measured("imase_ab:n=100,d=4,a=1,b=0").diameter();
            let equal = |hops, least| hops == least;
            Truth(most_hops("imase_ab:n=100,d=4,a=1,b=0", "polynomial", equal) == Some(shortest))
        }
        _ if what.starts_with("sub-shortest path hops bounded") => Elsewhere("tested with the routing"),

        _ if what.starts_with("Table 1 ASPL") => {
            let (n, d) = (after(what, "n="), after(what, "d="));
            match what.split(' ').nth(3) {
                Some("Imase") => Number(measured(&format!("imase_ab:n={n},d={d}")).aspl),
                Some("Random") => Number(mean_aspl(&format!("random_directed:n={n},d={d}"))),
                _ => Number(mean_aspl(&format!("mddp_directed:n={n},d={d}"))),
            }
        }
        _ if what.starts_with("Kautz vertices") => {
            Number(graph(&format!("kautz:d={},k={}", after(what, "d="), after(what, "k="))).switches() as f64)
        }
        _ if what.starts_with("Kautz share") => {
            let (d, k) = (after(what, "d="), after(what, "k="));
            let n = d.pow(k as u32) + d.pow(k as u32 - 1);
            Number(100.0 * n as f64 / moore(d, k as u32, true).unwrap() as f64)
        }
        _ if what.starts_with("SlimFly size for degree") => {
            let graph = slimfly(entry);
            assert_eq!(max_degree(&graph) as u64, after(what, "degree "));
            Number(graph.switches() as f64)
        }
        _ if what.starts_with("SlimFly degree for n=") => Number(max_degree(&slimfly(entry)) as f64),
        "SlimFly n=722 d=29 diameter" => Number(measured("slimfly:q=19").diameter() as f64),
        "SlimFly delta=0: endpoints" => {
            Number(graph("slimfly:q=32,p=24").default_hosts().iter().map(|&count| f64::from(count)).sum())
        }
        _ if what.starts_with("MMS share") => {
            Number(100.0 * graph("slimfly:q=53").switches() as f64 / moore(79, 2, false).unwrap() as f64)
        }
        _ if what.starts_with("Best known undirected solution for d=8,k=8") => {
            Truth(734_820.0 < 0.1 * moore(8, 8, false).unwrap() as f64)
        }
        _ if what.starts_with("Directed degree-8 Kautz more than 10x") => {
            Truth(graph("kautz:d=8,k=7").switches() > 10 * 131_137)
        }
        _ if what.starts_with("Figure 2 Imase") => Number(graph("imase_ab:n=8,d=3").arcs() as f64),

        _ if what.starts_with("n=32 p=3 cable") => {
            let (u, v) = what.rsplit(' ').next().unwrap().split_once('-').unwrap();
            Truth(neighbours(&dsnf(), u.parse().unwrap()).contains(&v.parse().unwrap()))
        }
        _ if what.starts_with("Theorem 1a") => Truth((3..=6_usize).all(|p| {
            (1..=3).all(|k| {
                let n = k * (p << p);
                let graph = graph(&format!("dsnf:n={n},p={p},strict=false"));
                graph.cables() == 2 * n && max_degree(&graph) == if k == 1 { 4 } else { 5 }
            })
        })),
        "Transformed network is DSN-F with p+1" => Truth((3..=6_usize).all(|p| {
            let n = (p + 1) << (p + 1);
            let steps = expansion(&format!("n={},p={p}", p << p), &format!("n={n},p={}", p + 1)).unwrap().steps;
            steps.last().unwrap().cables == graph(&format!("dsnf:n={n}")).cables()
        })),
        _ if what.starts_with("rewired fraction") => {
            Number(f64::from((1..100).find(|p| f64::from(p + 7) / f64::from(4 * p + 4) <= 0.3).unwrap()))
        }
        _ if what.starts_with("2-D torus has the largest") => Truth((7..=11).all(|exponent: u32| {
            let torus = measured(&format!("torus:{}x{}", 1 << (exponent / 2), 1 << exponent.div_ceil(2)));
            compared(exponent).iter().all(|other| other.diameter() < torus.diameter() && other.aspl < torus.aspl)
        })),
        _ if what.starts_with("Figure 4: diameter") => {
            Truth(measured("dsnf:n=2048").diameter() < measured("dsnf:n=1792,p=7").diameter())
        }
        "N14K6[-1,1,3,9](4) radix" => Number(max_degree(&graph(n14)) as f64),
        _ if what.starts_with("N=1840: four even hops without N/2") => {
            Number(max_degree(&graph("equality:n=1840,sa=[-1,1,3,5,7,9,11,13,15],sb=[2,4,6,8]")) as f64)
        }
        _ if what.starts_with("N=1840: contribution") => {
            Number(max_degree(&graph("equality:n=1840,sa=[],sb=[2,4,6,920]")) as f64)
        }
        _ if what.starts_with("vertex-transitivity") => {
            let graph = graph(n14);
            let two = |s| {
                let mut all: Vec<u32> = neighbours(&graph, s).into_iter().flat_map(|t| neighbours(&graph, t)).collect();
                all.extend(neighbours(&graph, s));
                all.sort_unstable();
                all.dedup();
                all.len()
            };
            Truth((0..14).all(|s| two(s) == 14 && neighbours(&graph, s).len() == 6))
        }
        _ if what.starts_with("largest 3-tier fat-tree with 36") => {
            Number(graph("fat_tree3:36").default_hosts().iter().map(|&count| f64::from(count)).sum())
        }
        _ if what.starts_with("maximum switches") => {
            Number(switch_counts(after(what, "N="), after(what, "m="), after(what, "n=")).unwrap().most as f64)
        }
        _ if what.starts_with("minimum switches") => Number(switch_counts(1000, 24, 1).unwrap().least.unwrap() as f64),
        _ if what.starts_with("daisy chain of") => {
            // Largest number of compute nodes for which this number of switches is sufficient.
            let switches = after(what, "of ");
            Number((3..100).take_while(|&n| switch_counts(n, 5, 1).unwrap().least <= Some(switches)).last().unwrap()
                as f64)
        }
        _ if what.starts_with("8 nodes on 2 switches") => {
            // Four hosts on each switch: pairs on one switch, and pairs across.
            Number(if what.contains("1-switch") { 2.0 * 4.0 * 3.0 / 2.0 } else { 4.0 * 4.0 })
        }
        _ if what.starts_with("pairs for N=") => {
            let n = after(what, "N=") as f64;
            Number(n * (n - 1.0) / 2.0)
        }
        _ if what.starts_with("endpoints of n64000k64p16") => Number(64_000.0 * 16.0),
        _ if what.starts_with("Dragonfly degree for") => {
            Number(max_degree(&graph(&format!("dragonfly_fc:z={},c={}", after(what, "z="), after(what, "c=")))) as f64)
        }
        _ if what.starts_with("HyperX degree for") => {
            let (z, side) = (after(what, "z="), after(what, "c=").isqrt());
            Number(max_degree(&graph(&format!("hyperx:{z}x{side}x{side}"))) as f64)
        }
        _ => panic!("nobody tests the figure `{what}`"),
    }
}
