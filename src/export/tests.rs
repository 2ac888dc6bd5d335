//! Exports read back as their originals.

use super::*;
use crate::ids::HostId;
use crate::platform::{LoadOptions, Platform, PlatformParameters};
use crate::topology::metrics::edge_sha256;
use crate::topology::{self, Graph, Topology};
use proptest::prelude::*;
use std::sync::Arc;

fn graph_file(format: &str, topology: &Topology) -> Result<Vec<u8>, ExportError> {
    let Write::Graph(write) = find(format).expect("a format").write else { panic!("{format}") };
    let mut text = Vec::new();
    write(topology, &mut text)?;
    Ok(text)
}

fn read_back(format: &str, text: &[u8]) -> Topology {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut file, text).expect("written");
    topology::build(&format!("{format}:path=\"{}\"", file.path().display())).expect("a graph")
}

/// Returns the parts of a graph, without the number of loops and repetitions of its source.
fn parts(graph: &Graph) -> (usize, bool, Vec<(u32, u32)>) {
    (graph.switches(), graph.is_directed(), graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect())
}

proptest! {
    #[test]
    fn graphs_read_back_as_they_were(
        switches in 2_usize..12,
        directed: bool,
        pairs in prop::collection::vec((0_u32..12, 0_u32..12), 0..30),
    ) {
        let n = switches as u32;
        let pairs: Vec<(u32, u32)> =
            pairs.into_iter().map(|(u, v)| (u % n, v % n)).filter(|(u, v)| u != v).collect();
        let mut topology = topology::build("ring:3").unwrap();
        let simple = if directed { Graph::directed } else { Graph::undirected };
        topology.graph = Arc::new(simple(switches, pairs.clone()).unwrap());
        for format in ["edges", "json", "graphml"] {
            let back = read_back(format, &graph_file(format, &topology).unwrap());
            prop_assert_eq!(parts(&back.graph), parts(&topology.graph));
            prop_assert_eq!(edge_sha256(&back.graph), edge_sha256(&topology.graph));
        }
        // Parallel cables are kept, or refused.
        topology.graph = Arc::new(Graph::with_parallel_cables(switches, directed, pairs).unwrap());
        let back = read_back("graphml", &graph_file("graphml", &topology).unwrap());
        prop_assert_eq!(parts(&back.graph), parts(&topology.graph));
        for format in ["edges", "json"] {
            match graph_file(format, &topology) {
                Ok(text) => prop_assert_eq!(parts(&read_back(format, &text).graph), parts(&topology.graph)),
                Err(error) => prop_assert!(error.to_string().contains("parallel cables"), "{}", error),
            }
        }
    }
}

#[test]
fn hosts_hang_where_they_hung() {
    for (spec, hosts) in [("fat_tree3:4", 16), ("clos:m=4,n=2,r=3", 6), ("slimfly:q=5,p=4", 200), ("torus:4x4", 16)] {
        let topology = topology::build(spec).unwrap();
        for format in ["edges", "json", "graphml"] {
            let Ok(text) = graph_file(format, &topology) else { continue };
            let back = read_back(format, &text);
            assert_eq!(back.graph.hosts(), topology.graph.hosts(), "{spec} as {format}");
            assert_eq!(back.graph.default_hosts().iter().sum::<u32>(), hosts, "{spec} as {format}");
        }
    }
    let star = topology::build("star:3").unwrap();
    for (format, text) in
        [("edges", "# undirected n=3\n0 1\n0 2\n"), ("json", "{\"directed\":false,\"n\":3,\"edges\":[[0,1],[0,2]]}\n")]
    {
        assert_eq!(
            String::from_utf8(graph_file(format, &star).unwrap()).unwrap(),
            text,
            "files say it only where they must"
        );
    }
}

#[test]
fn graphviz_gets_every_switch_and_cable() {
    let dot = |spec: &str| String::from_utf8(graph_file("dot", &topology::build(spec).unwrap()).unwrap()).unwrap();
    assert_eq!(dot("star:3"), "graph \"star:n=3\" {\n  0;\n  1;\n  2;\n  0 -- 1;\n  0 -- 2;\n}\n");
    assert!(dot("imase_itoh:n=4,d=2").starts_with("digraph \"imase_itoh:n=4,d=2\" {\n"));
}

/// Returns the links of a route by name, with their numbers.
fn route(platform: &Platform, from: usize, to: usize) -> Option<Vec<(u64, u64)>> {
    let mut links = Vec::new();
    platform.route(HostId::new(from), HostId::new(to), &mut links).ok()?;
    let bits = |link: &crate::platform::Link| (link.bandwidth.to_bits(), link.latency.to_bits());
    Some(links.iter().map(|link| bits(&platform.links[link.index()])).collect())
}

#[test]
fn platforms_read_back_with_the_same_routes_and_numbers() {
    for (spec, toml) in [
        ("torus:4x4", ""),
        ("torus:3x3", "duplex = 'shared'\nhosts_per_switch = 2\nlink_bandwidth = '33.3 Gbit/s'"),
        (
            "random:n=10,d=3",
            "host_link_bandwidth = '7 GB/s'\nlink_latency = '123 ns'\nswitch_delay = '7 ns'\ncores = 4",
        ),
        ("imase_ab:n=16,d=3", "loopback_bandwidth = '5 GB/s'\nloopback_latency = '10 ns'\nhosts_per_switch = 2"),
        ("star:5", "hosts_per_switch = [0, 2, 1, 1, 0]\nduplex = 'shared'"),
    ] {
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        let topology = topology::build(spec).unwrap();
        let platform = Platform::from_topology(&topology, &parameters.check().unwrap(), "bfs", 1).unwrap();
        let mut file = tempfile::Builder::new().suffix(".xml").tempfile().unwrap();
        let Write::Platform(write) = find("simgrid").unwrap().write else { panic!() };
        write(&platform, &mut file).unwrap();
        let back = Platform::load(file.path(), &LoadOptions::default()).unwrap();
        assert_eq!(back.hosts.len(), platform.hosts.len());
        for (ours, theirs) in platform.hosts.iter().zip(&back.hosts) {
            assert_eq!(
                (&ours.name, ours.speed.to_bits(), ours.cores),
                (&theirs.name, theirs.speed.to_bits(), theirs.cores)
            );
        }
        for from in 0..platform.hosts.len() {
            for to in 0..platform.hosts.len() {
                assert_eq!(route(&platform, from, to), route(&back, from, to), "{spec}: {from} to {to}");
            }
        }
        // A graph or platform that was read can be written again.
        let mut again = Vec::new();
        write(&back, &mut again).unwrap();
        assert_eq!(
            again.iter().filter(|&&b| b == b'\n').count(),
            std::fs::read_to_string(file.path()).unwrap().lines().count()
        );
    }
}

#[test]
fn too_many_hosts_are_refused_before_anything_is_written() {
    let parameters = PlatformParameters::default().check().unwrap();
    let platform = Platform::from_topology(&topology::build("ring:5000").unwrap(), &parameters, "bfs", 1).unwrap();
    let Write::Platform(write) = find("simgrid").unwrap().write else { panic!() };
    let mut out = Vec::new();
    assert!(matches!(write(&platform, &mut out), Err(ExportError::Unfit { .. })));
    assert!(out.is_empty());
}

#[test]
fn platforms_in_json_read_back_with_the_same_routes_and_numbers() {
    for (spec, toml, routing) in [
        ("torus:4x4", "", "dimension-order"),
        ("random:n=10,d=3", "link_latency = '123 ns'\nhost_link_bandwidth = '7 GB/s'", "bfs"),
        ("imase_ab:n=16,d=3", "hosts_per_switch = 2\nhost_link_bandwidth = 'none'\nloopback_latency = '10 ns'", "bfs"),
        ("xgft:m=[4,4],w=[1,2]", "", "d-mod-k"),
    ] {
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        let topology = topology::build(spec).unwrap();
        let platform = Platform::from_topology(&topology, &parameters.check().unwrap(), routing, 1).unwrap();
        let mut file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let Write::Network(write) = find("platform").unwrap().write else { panic!() };
        write(&topology, &platform, &mut file).unwrap();
        let back = Platform::load(file.path(), &LoadOptions::default()).unwrap();
        assert_eq!(back.name, platform.name);
        assert_eq!(back.links.len(), platform.links.len(), "{spec}");
        for (ours, theirs) in platform.hosts.iter().zip(&back.hosts) {
            assert_eq!((&ours.name, ours.speed.to_bits()), (&theirs.name, theirs.speed.to_bits()));
        }
        for from in 0..platform.hosts.len() {
            for to in 0..platform.hosts.len() {
                assert_eq!(route(&platform, from, to), route(&back, from, to), "{spec}: {from} to {to}");
            }
        }
    }
}

#[test]
fn platforms_that_json_cannot_hold_are_refused() {
    let Write::Network(write) = find("platform").unwrap().write else { panic!() };
    for (toml, reason) in [("duplex = 'shared'", "share its bandwidth"), ("cores = 4", "4 cores")] {
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        let topology = topology::build("ring:4").unwrap();
        let platform = Platform::from_topology(&topology, &parameters.check().unwrap(), "bfs", 1).unwrap();
        let mut out = Vec::new();
        let error = write(&topology, &platform, &mut out).unwrap_err();
        assert!(error.to_string().contains(reason) && out.is_empty(), "{error}");
    }
}
