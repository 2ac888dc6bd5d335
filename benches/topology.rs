//! Speed of network computations: distances, routes of all pairs, cuts, latencies.
//!
//! `cargo bench --bench topology` measures; `-- --test` only checks that everything runs. Sizes are such that a run
//! ends in minutes; `MOPSIM_BENCH_LARGE=1` adds networks of 16,384 and 65,536 switches.

use criterion::{Criterion, criterion_group, criterion_main};
use mopsim::floorplan::latency::{PathChoice, latencies};
use mopsim::floorplan::{FloorOptions, FloorPlan};
use mopsim::ids::SwitchId;
use mopsim::routing::{self, Options};
use mopsim::steps::Steps;
use mopsim::topology::metrics::bisection::{Counting, by_metis};
use mopsim::topology::metrics::distances::{distances, of_transitive};
use mopsim::topology::{ArcId, Topology, build};
use rayon::prelude::*;

fn topology(spec: &str) -> Topology {
    build(spec).expect("a topology")
}

fn large() -> bool {
    std::env::var_os("MOPSIM_BENCH_LARGE").is_some()
}

fn measuring(c: &mut Criterion) {
    let mut group = c.benchmark_group("distances");
    group.sample_size(10);
    let mut specs = vec!["random:n=2048,d=16", "imase_ab:n=4096,d=16", "mesh:32x32"];
    if large() {
        specs.extend(["random:n=16384,d=16", "imase_ab:n=65536,d=16"]);
    }
    for spec in specs {
        let graph = topology(spec).graph;
        group.bench_function(spec, |b| b.iter(|| distances(&graph)));
    }
    let torus = topology("torus:256x256").graph;
    group.bench_function("torus:256x256, one search", |b| b.iter(|| of_transitive(&torus)));
    let random = topology("random:n=2048,d=16").graph;
    group.bench_function("bisection of random:n=2048,d=16", |b| b.iter(|| by_metis(&random, Counting::Arcs, 1)));
}

/// Computes the routes from every source, one to each other switch; their sum only keeps the compiler from removing the
/// work.
fn all_routes(topology: &Topology, name: &str, every: usize) -> usize {
    let routing = routing::build(name, topology, &Options::default()).expect("a routing");
    let n = topology.graph.switches() as u32;
    let from_one = |from: u32| {
        let mut arcs: Vec<ArcId> = Vec::new();
        let mut hops = 0;
        for to in (0..n).step_by(every) {
            arcs.clear();
            routing.route(SwitchId(from), SwitchId(to), &mut arcs);
            hops += arcs.len();
        }
        hops
    };
    (0..n).into_par_iter().map(from_one).sum()
}

fn routing_all(c: &mut Criterion) {
    let mut group = c.benchmark_group("routes of all pairs");
    group.sample_size(10);
    let small = topology("random:n=1024,d=16");
    for name in ["bfs", "lowest_latency", "balanced"] {
        group.bench_function(format!("{name}, random:n=1024,d=16"), |b| b.iter(|| all_routes(&small, name, 1)));
    }
    if large() {
        for spec in ["random:n=16384,d=16", "skywalk:z=16,c=1024,di=8,do=8"] {
            let network = topology(spec);
            // Trees of all sources, and a few of the paths in each.
            for name in ["bfs", "lowest_latency"] {
                group.bench_function(format!("{name}, {spec}"), |b| b.iter(|| all_routes(&network, name, 256)));
            }
        }
    }
}

fn laying_out(c: &mut Criterion) {
    let mut group = c.benchmark_group("layout");
    group.sample_size(10);
    let torus = topology("torus:8x16x16");
    let options = FloorOptions { switches_per_cabinet: Some(8), ..FloorOptions::default() };
    let cables = || FloorPlan::new(&torus, &options).expect("a plan").cables(&torus.graph);
    group.bench_function("cables of torus:8x16x16", |b| b.iter(cables));
    let lengths = cables();
    group.bench_function("latencies of torus:8x16x16", |b| {
        b.iter(|| latencies(&torus.graph, lengths.lengths(), 60e-9, 5e-9, PathChoice::Fastest, &Steps::default()));
    });
}

criterion_group!(benches, measuring, routing_all, laying_out);
criterion_main!(benches);
