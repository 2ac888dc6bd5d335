//! Bounds on throughput: solvers against each other, and against what routings reach.

use super::traffic;
use mopsim::routing::Scope;
use mopsim::steps::Steps;
use mopsim::throughput::bounds::{Concurrent, Problem, flow, lp};
use mopsim::throughput::{Demand, Network, Speeds};

fn network(spec: &str) -> Network {
    let topology = mopsim::topology::build(spec).expect(spec);
    Network::new(topology, None, None, Speeds { host: None, ..Speeds::default() }, &Default::default()).expect(spec)
}

fn problem(network: &Network, pattern: &str) -> Problem {
    Problem::new(network, &Demand::new(network, &traffic(network, pattern), Scope::Switches).expect(pattern))
}

fn value(result: Result<Concurrent, String>) -> f64 {
    let found = result.expect("solved");
    // The solver's value is in the middle of its error interval.
    (found.lower + found.upper) / 2.0
}

#[test]
fn solvers_agree_and_the_enclosure_holds() {
    for (spec, pattern) in [
        ("random:n=12,d=3", "uniform"),
        ("random_directed:n=12,d=3", "random_permutation"),
        ("torus:4x4", "transpose"),
        ("imase_itoh:n=14,d=2", "all_to_all"),
        ("mesh:3x4", "worst_case"),
        ("star:7", "neighbour"),
        ("kary_ntree:2,2", "mirror"),
        ("dragonfly:a=2,h=1", "tornado"),
        ("random:n=12,d=3", "incast"),
    ] {
        let network = network(spec);
        let as_given = problem(&network, pattern);
        let turned = as_given.clone().with_fewer_sources();
        let simplex = value(lp::solve_with(&as_given, lp::Solver::Simplex));
        let interior = value(lp::solve_with(&turned, lp::Solver::InteriorPoint));
        assert!((simplex - interior).abs() <= 1e-6 * simplex, "{spec} {pattern}: {simplex} and {interior}");
        let around = flow::enclose(&turned, 0.01, &Steps::default());
        println!("{spec} {pattern}: {simplex} {around:?}");
        assert!(around.lower <= simplex * (1.0 + 1e-9) && simplex <= around.upper * (1.0 + 1e-9), "{spec}: {around:?}");
        assert!(around.upper <= around.lower * 1.01, "{spec} {pattern}: {simplex}, {around:?}");
    }
}
