//! The programs of `examples`: they run, and their results are what they have to be.

#[path = "../../examples/own_observer.rs"]
mod own_observer;
#[path = "../../examples/own_routing.rs"]
mod own_routing;
#[path = "../../examples/own_topology.rs"]
mod own_topology;
#[path = "../../examples/replay.rs"]
mod replay;
#[path = "../../examples/two_networks.rs"]
mod two_networks;

use assert_cmd::cargo::cargo_bin_cmd;

#[test]
fn a_replay_has_the_time_of_the_command_line() {
    let (_, outcome) = replay::outcome().expect("the example runs");
    let flags = ["--topology", "torus:8x8", "--link-bandwidth", "200 Gbit/s", "--format", "json", "--quiet"];
    let output =
        cargo_bin_cmd!("mopsim").arg("replay").arg("traces/is.A.64.ti.zst").args(flags).output().expect("it runs");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["simulated_seconds"].as_f64(), Some(outcome.simulated_seconds));
    replay::main().expect("it prints");
}

#[test]
fn two_networks_are_compared() {
    let comparison = two_networks::comparison().expect("the example runs");
    assert_eq!(comparison.runs.len(), 4);
    assert_eq!(comparison.geometric_mean(0), 1.0);
    two_networks::main().expect("it prints");
}

#[test]
fn an_observer_of_ones_own_sees_what_ranks_wait_for() {
    let blocked = own_observer::blocked().expect("the example runs");
    assert!(blocked.pairs.values().all(|seconds| *seconds >= 0.0));
    assert!(blocked.pairs.values().sum::<f64>() > 0.0);
    assert!(blocked.pairs.keys().all(|&(source, destination)| source.max(destination) < 64));
    own_observer::main().expect("it prints");
}

#[test]
fn a_topology_of_ones_own_is_the_petersen_graph() {
    let topology = own_topology::petersen().expect("it is a graph");
    let report =
        mopsim::survey::Survey::of(&topology, &mopsim::survey::SurveyOptions::default()).expect("it is measured");
    // A Moore graph: 1 + 3 + 6 vertices of degree 3 within distance 2.
    assert_eq!((report.n, report.max_degree, report.diameter, report.moore_bound), (10, 3, Some(2), Some(10)));
    assert_eq!(report.aspl, Some(15.0 / 9.0));
    assert!(own_topology::seconds(&topology).expect("the example runs") > 0.0);
    own_topology::main().expect("it prints");
}

#[test]
fn a_routing_of_ones_own_changes_the_time() {
    let [own, both] = own_routing::seconds().expect("the example runs");
    assert!(own > 0.0 && both > 0.0 && own != both, "{own} {both}");
    own_routing::main().expect("it prints");
}
