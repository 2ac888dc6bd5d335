//! Speed of throughput: classes, routes and fair rates of many hosts, and bounds by all paths.
//!
//! `cargo bench --bench throughput` measures; `-- --test` only checks that everything runs. `MOPSIM_BENCH_LARGE=1` adds
//! the million endpoints of studies/throughput-million.toml.

use criterion::{Criterion, criterion_group, criterion_main};
use mopsim::defaults::Version;
use mopsim::platform::HostsPerSwitch;
use mopsim::routing::Scope;
use mopsim::steps::Steps;
use mopsim::throughput::bounds::{Problem, Wanted, flow, lp};
use mopsim::throughput::{Demand, Network, Speeds, ThroughputOptions, evaluate};
use mopsim::traffic::{self, PatternInput};

const EQUALITY: &str = "equality:n=1024,sa=[-1,1,9,29,147,157,173,175,193,217,265,299],sb=[32,110]";
/// Hops of 64,000 routers in studies/throughput-million.toml.
const MILLION: &str = "equality:n=64000,sa=[-1,1,295,1059,1165,2179,2239,6449,6517,6609,7809,8201,10587,10899,13857,15245,\
    15593,16265,16567,17093,17609,17717,20299,22853,26887,32325,33921,37351,37997,44251,44543,45173,45509,48015,49867,52443,\
    53597,57693,58477,59009,60389,63689],sb=[5284,12204,12814,14140,18400,20192,21828,27284,28226,29222,31556]";

fn network(spec: &str, hosts: u32) -> Network {
    let topology = mopsim::topology::build(spec).expect("a topology");
    Network::new(topology, Some(HostsPerSwitch::Uniform(hosts)), None, Speeds::of(Version::V0_1), &Default::default())
        .expect("a network")
}

fn answering(c: &mut Criterion) {
    let mut group = c.benchmark_group("throughput");
    group.sample_size(10);
    let options = ThroughputOptions { bound: Wanted::Quick, ..ThroughputOptions::default() };
    let mut cases = vec![
        (EQUALITY, "random_permutation", "equality"),
        (EQUALITY, "uniform", "bfs"),
        ("torus:8x8x16", "uniform", "split"),
    ];
    if std::env::var_os("MOPSIM_BENCH_LARGE").is_some() {
        cases.push((MILLION, "random_permutation", "equality"));
    }
    for (spec, pattern, routing) in cases {
        let network = network(spec, 16);
        let (family, _) = spec.split_once(',').unwrap_or((spec, ""));
        group.bench_function(format!("{family} {pattern} {routing}"), |b| {
            b.iter(|| evaluate(&network, pattern, &[routing.to_owned()], &options).expect("an answer"));
        });
    }
}

fn bounding(c: &mut Criterion) {
    let mut group = c.benchmark_group("bounds");
    group.sample_size(10);
    for (spec, pattern) in [
        ("random_directed:n=64,d=6", "all_to_all"),
        ("torus:8x8", "transpose"),
        ("dragonfly:a=4,h=2", "worst_case"),
        ("random_directed:n=256,d=6", "all_to_all"),
    ] {
        let network = network(spec, 1);
        let setting = PatternInput::new(&network.topology, &network.host_switch);
        let traffic = traffic::build(pattern, &setting).expect("a pattern");
        let demand = Demand::new(&network, &traffic, Scope::Switches).expect("demand");
        let problem = Problem::new(&network, &demand).with_fewer_sources();
        // A larger program takes minutes.
        if lp::size(&problem) < 60_000 {
            group.bench_function(format!("{spec} {pattern}, linear program"), |b| b.iter(|| lp::solve(&problem)));
        }
        group.bench_function(format!("{spec} {pattern}, within 1 %"), |b| {
            b.iter(|| flow::enclose(&problem, 0.01, &Steps::default()))
        });
    }
}

criterion_group!(benches, answering, bounding);
criterion_main!(benches);
