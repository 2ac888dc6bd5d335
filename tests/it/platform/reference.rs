//! Platforms against the reference corpus: all of its files load, and platforms built here have its routes.

use crate::support;
use mopsim::defaults::Version;
use mopsim::ids::{HostId, LinkId};
use mopsim::platform::{Link, LinkKind, LoadOptions, Platform, PlatformParameters, hostfile};
use mopsim::topology;
use std::path::{Path, PathBuf};

fn load(path: &Path) -> Platform {
    Platform::load(path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries.filter(|path| path.to_string_lossy().ends_with(ending)).collect();
    files.sort();
    files
}

/// Returns the links of a route, without their names and numbers.
fn route(platform: &Platform, from: usize, to: usize) -> Vec<(f64, f64)> {
    let mut links = Vec::new();
    platform.route(HostId::new(from), HostId::new(to), &mut links).unwrap();
    let parts = |link: &LinkId| (platform.links[link.index()].bandwidth, platform.links[link.index()].latency);
    links.iter().map(parts).collect()
}

fn names(platform: &Platform, from: usize, to: usize) -> Vec<&str> {
    let mut links = Vec::new();
    platform.route(HostId::new(from), HostId::new(to), &mut links).unwrap();
    links.iter().map(|link| platform.links[link.index()].name.as_str()).collect()
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn corpus_platforms_load_and_both_formats_agree() {
    let shared = support::shared();
    let explicit = files(&shared.join("corpus/platforms"), ".json");
    assert!(!explicit.is_empty());
    for json in explicit {
        let platform = load(&json);
        let xml = load(&json.with_extension("xml.xz"));
        assert_eq!(platform.hosts.len(), xml.hosts.len(), "{}", json.display());
        for (ours, theirs) in platform.hosts.iter().zip(&xml.hosts) {
            assert_eq!((&ours.name, ours.cores), (&theirs.name, theirs.cores));
            assert_eq!(ours.speed.to_bits(), theirs.speed.to_bits());
        }
        for from in 0..platform.hosts.len() {
            for to in 0..platform.hosts.len() {
                assert_eq!(route(&platform, from, to), route(&xml, from, to), "{}: {from} to {to}", json.display());
            }
        }
    }
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn topologies_route_as_the_corpus_says() {
    let shared = support::shared();
    for (spec, name) in [
        ("torus:4x4", "torus-16-A"),
        ("torus:8x8", "torus-64-A"),
        ("imase_itoh:n=64,d=6", "imase6-64-A"),
        ("imase_itoh:n=256,d=6", "imase6-256-A"),
    ] {
        let corpus = load(&shared.join(format!("corpus/platforms/{name}.json")));
        let parameters = PlatformParameters::default().check_with(Version::V0_1).unwrap();
        let built = Platform::from_topology(&topology::build(spec).unwrap(), &parameters, "bfs", 1).unwrap();
        // The defaults of version 0.1 are those of set A, so everything is equal but the name, and the properties of
        // links that a file does not state.
        assert_eq!(built.hosts, corpus.hosts, "{spec}");
        let undeclared = |link: &Link| Link { kind: LinkKind::Declared, ..link.clone() };
        let links = |platform: &Platform| platform.links.iter().map(undeclared).collect::<Vec<Link>>();
        assert_eq!(links(&built), links(&corpus), "{spec}");
        for from in 0..built.hosts.len() {
            for to in 0..built.hosts.len() {
                assert_eq!(names(&built, from, to), names(&corpus, from, to), "{spec}: {from} to {to}");
            }
        }
    }
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn micro_platforms_and_host_files_load() {
    let shared = support::shared();
    let cases = files(&shared.join("golden/micro"), "");
    assert!(cases.len() > 300, "{}", cases.len());
    for case in cases.iter().filter(|case| case.is_dir()) {
        let platform = load(&case.join("platform.xml"));
        let hosts = hostfile::load(&case.join("hostfile"), &platform).unwrap_or_else(|error| panic!("{error}"));
        assert!(!hosts.is_empty(), "{}", case.display());
    }
}

/// Graphs of the corpus that no family builds, read back from edge lists of their arcs.
#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn graph_files_route_as_the_corpus_says() {
    let shared = support::shared();
    for name in ["rand6-64-A", "rand6-256-A", "flat-64-A"] {
        let corpus = load(&shared.join(format!("corpus/platforms/{name}.json")));
        let arcs: String = corpus
            .links
            .iter()
            .filter_map(|link| link.name.split_once("->"))
            .map(|(u, v)| format!("{u} {v}\n"))
            .collect();
        let mut file = tempfile::Builder::new().suffix(".edges").tempfile().unwrap();
        std::io::Write::write_all(&mut file, arcs.as_bytes()).unwrap();
        let graph = topology::build(&file.path().to_string_lossy()).unwrap();
        // The corpus names both directions of each cable.
        assert_eq!(graph.graph.duplicates_merged(), graph.graph.cables());
        let counts: Vec<String> = (0..graph.graph.switches())
            .map(|switch| corpus.hosts.iter().filter(|host| host.switch.unwrap().index() == switch).count().to_string())
            .collect();
        let text = format!("hosts_per_switch = [{}]", counts.join(","));
        let parameters: PlatformParameters = toml::from_str(&text).unwrap();
        let built = Platform::from_topology(&graph, &parameters.check_with(Version::V0_1).unwrap(), "bfs", 1).unwrap();
        // The flat platform lists its arcs in another order, so links are compared by name.
        assert_eq!(built.links.len(), corpus.links.len(), "{name}");
        for from in 0..built.hosts.len() {
            for to in 0..built.hosts.len() {
                assert_eq!(names(&built, from, to), names(&corpus, from, to), "{name}: {from} to {to}");
            }
        }
    }
}

/// Platforms of SimGrid's own suite, batsim, wrench and a study of HPL on a real cluster, with their settings: replays
/// take the time of `smpirun -replay` of SimGrid 3.32, to its last digits.
#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn platforms_of_others_take_the_time_of_simgrid() {
    let real = support::shared().join("real/platforms");
    let golden: serde_json::Value =
        serde_json::from_slice(&std::fs::read(real.join("golden.json")).expect("a file")).expect("JSON");
    let path = |name: &str| real.join(name).to_str().expect("UTF-8").to_owned();
    let folder = support::cli::Folder::new();
    let mut files = 0;
    for (name, entry) in golden.as_object().expect("an object") {
        let hosts: Vec<&str> = entry["hosts"].as_array().expect("a list").iter().filter_map(|h| h.as_str()).collect();
        folder.write("hosts", hosts.join("\n") + "\n");
        let trace = entry["trace"].as_str().map_or_else(|| format!("trace.{}.ti", hosts.len()), str::to_owned);
        let (trace, platform) = (path(&trace), path(name));
        let flags = ["--hostfile", "hosts", "--compat", "simgrid", "--collectives", "default", "-q"];
        let result = folder.json(&[&["replay", &trace, "--platform", &platform], &flags[..]].concat());
        let (ours, theirs) =
            (support::cli::number(&result, "simulated_seconds"), support::cli::number(entry, "simulated_seconds"));
        // The reference has 15 digits after the point.
        assert!((ours - theirs).abs() <= 1e-15 || support::relative_difference(ours, theirs) < 1e-15, "{name}: {ours}");
        files += 1;
    }
    assert!(files > 20, "{files}");
}
