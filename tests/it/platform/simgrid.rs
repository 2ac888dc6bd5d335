//! Platforms in SimGrid's format, compared with the routes that SimGrid 3.32 itself computes for them.
//!
//! `tests/data/simgrid_routes` has platforms of every kind, each with what SimGrid makes of it. `MOPSIM_SIMGRID_ROUTES`
//! names another folder of the same form.

use crate::support;
use crate::support::cli::{Folder, number};
use mopsim::ids::HostId;
use mopsim::platform::{LoadOptions, Platform, SharingPolicy};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    std::env::var_os("MOPSIM_SIMGRID_ROUTES").map_or_else(|| support::data().join("simgrid_routes"), PathBuf::from)
}

/// Compares a platform with the lines that the reference program printed for it; returns the number of routes.
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
                    // No route, or one without links, which SimGrid rejects on use.
                    ["!"] | [_] => assert!(answer.is_err(), "{}: {names:?}", here()),
                    [latency, expected @ ..] => {
                        assert_eq!(names, expected, "{}", here());
                        let sum = found.iter().fold(0.0, |sum, l| sum + platform.links[l.index()].latency);
                        // SimGrid adds the parts of a path through several zones in another order.
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

/// A file in the style of SimGrid 4: settings that were renamed or merged since 3.32, disks, states of a host, a zone of
/// zones. The time is that of `smpirun -replay` of SimGrid 3.32 with the names of before: `smpi/bw-factor` and
/// `smpi/lat-factor`, and without the two settings that change nothing.
#[test]
fn a_file_for_simgrid_4_takes_the_time_of_its_translation() {
    let folder = Folder::new();
    folder.write(
        "p.xml",
        r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config id="General">
    <prop id="precision/work-amount" value="0.000010"></prop>
    <prop id="cpu/optim" value="TI"></prop>
    <prop id="network/model" value="SMPI"></prop>
    <prop id="network/bandwidth-factor" value="65472:0.9;15424:0.7;100:0.6"></prop>
    <prop id="network/latency-factor" value="65472:11;100:2"></prop>
  </config>
  <zone id="all" routing="Full">
    <zone id="left" routing="Floyd">
      <host id="l0" speed="2Gf,1Gf,500Mf" pstate="1" core="2">
        <prop id="wattage_per_state" value="100:200"/>
        <disk id="d" read_bw="100MBps" write_bw="40MBps"/>
      </host>
      <host id="l1" speed="1Gf"/>
      <link id="ll" bandwidth="1GBps" latency="10us" sharing_policy="SPLITDUPLEX"/>
      <route src="l0" dst="l1"><link_ctn id="ll" direction="UP"/></route>
    </zone>
    <cluster id="right" prefix="r" suffix="" radical="0-1" speed="1Gf" bw="125MBps" lat="50us" bb_bw="2GBps" bb_lat="500us"/>
    <link id="wan" bandwidth="250MBps" latency="2ms"/>
    <zoneRoute src="left" dst="right" gw_src="l0" gw_dst="rright_router"><link_ctn id="wan"/></zoneRoute>
  </zone>
</platform>
"#,
    );
    folder.write("hosts", "l0\nl1\nr0\nr1\n");
    let ranks = (0..4).map(|r| {
        let (next, previous) = ((r + 1) % 4, (r + 3) % 4);
        let exchange = |tag, bytes| {
            format!("{r} irecv {previous} {tag} {bytes} 6\n{r} send {next} {tag} {bytes} 6\n{r} waitall 1\n")
        };
        format!(
            "{r} init\n{r} compute {}e7\n{}{r} allreduce 5000 1e5 6\n{}{r} barrier\n{r} finalize\n",
            r + 1,
            exchange(1, 30000),
            exchange(2, 200_000)
        )
    });
    folder.write("t.ti", ranks.collect::<String>());
    let run = ["replay", "t.ti", "--platform", "p.xml", "--hostfile", "hosts", "--compat", "simgrid"];
    let report = folder.json(&[&run[..], &["--collectives", "default", "--smp-setup", "off"]].concat());
    let found = number(&report, "simulated_seconds");
    assert!((found - 0.092104182407858).abs() <= 1e-15, "{found}");
}
