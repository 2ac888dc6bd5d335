//! Platforms in SimGrid's format against the routes that SimGrid 3.32 itself gives for them.
//!
//! `tests/data/simgrid_routes` has platforms of every kind, each with what SimGrid makes of it. `MOPSIM_SIMGRID_ROUTES`
//! names another folder of the same form.

use crate::support;
use mopsim::ids::HostId;
use mopsim::platform::{LoadOptions, Platform, SharingPolicy};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    std::env::var_os("MOPSIM_SIMGRID_ROUTES").map_or_else(|| support::data().join("simgrid_routes"), PathBuf::from)
}

/// Compares a platform with the lines that the reference program printed for it; the number of routes is the answer.
fn compare(file: &Path, reference: &str) -> usize {
    let platform = Platform::load(file, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let host: HashMap<&str, usize> = platform.hosts.iter().enumerate().map(|(i, h)| (h.name.as_str(), i)).collect();
    let link: HashMap<&str, usize> = platform.links.iter().enumerate().map(|(i, l)| (l.name.as_str(), i)).collect();
    let number = |word: &str| word.parse::<f64>().unwrap();
    let (mut hosts, mut links, mut routes) = (0, 0, 0);
    for line in reference.lines() {
        let here = || format!("{}: {line}", file.display());
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["H", name, speed, cores] => {
                let ours = &platform.hosts[*host.get(name).unwrap_or_else(|| panic!("{}", here()))];
                assert_eq!(ours.speed.to_bits(), number(speed).to_bits(), "{}", here());
                assert_eq!(ours.cores.to_string(), *cores, "{}", here());
                hosts += 1;
            }
            ["L", name, bandwidth, latency, policy] => {
                let ours = &platform.links[*link.get(name).unwrap_or_else(|| panic!("{}", here()))];
                assert_eq!(ours.bandwidth.to_bits(), number(bandwidth).to_bits(), "{}", here());
                assert_eq!(ours.latency.to_bits(), number(latency).to_bits(), "{}", here());
                assert_eq!(ours.policy, if *policy == "0" { SharingPolicy::FatPipe } else { SharingPolicy::Shared });
                links += 1;
            }
            ["R", from, to, rest @ ..] => {
                let mut found = Vec::new();
                let answer = platform.route(HostId::new(host[from]), HostId::new(host[to]), &mut found);
                let names: Vec<&str> = found.iter().map(|l| platform.links[l.index()].name.as_str()).collect();
                match rest {
                    // No route, or one without links, which SimGrid refuses when it is used.
                    ["!"] | [_] => assert!(answer.is_err(), "{}: {names:?}", here()),
                    [latency, expected @ ..] => {
                        assert_eq!(names, expected, "{}", here());
                        let sum = found.iter().fold(0.0, |sum, l| sum + platform.links[l.index()].latency);
                        // SimGrid adds the parts of a way through several zones in another order.
                        assert!(support::relative_difference(sum, number(latency)) < 1e-14, "{}: {sum:e}", here());
                    }
                    [] => panic!("{}", here()),
                }
                routes += 1;
            }
            _ => panic!("{}", here()),
        }
    }
    assert_eq!(hosts, platform.hosts.len(), "{}", file.display());
    assert_eq!(links, platform.links.len(), "{}", file.display());
    assert_eq!(routes, hosts * hosts, "{}", file.display());
    routes
}

#[test]
fn routes_are_those_of_simgrid() {
    let (mut platforms, mut routes) = (0, 0);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "xml")) {
        let reference = std::fs::read_to_string(file.with_extension("routes")).unwrap();
        routes += compare(file, &reference);
        platforms += 1;
    }
    assert!(platforms >= 12, "{platforms}");
    println!("{platforms} platforms, {routes} routes");
}
