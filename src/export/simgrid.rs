//! SimGrid XML 4.1: one `Full` zone, plain links, and a route for each ordered pair of hosts.
//!
//! Nothing is left to a rule of SimGrid: its ties would differ from ours. A cable whose directions have a capacity each
//! is two links, one whose directions share it is one. Numbers are in base units with all digits that they need, so
//! that SimGrid reads the same floats. Its implicit loopback replaces ours if both are equal; any other is a link of
//! its own, with a route from each host to itself.

use super::ExportError;
use super::format::escaped;
use crate::ids::{HostId, LinkId};
use crate::platform::{Link, Loopback, Platform, SharingPolicy};
use std::collections::HashSet;
use std::io::Write;

/// Most hosts of an exported platform: 4,096. There is a route for each pair of hosts, 17 million for these.
pub const MAX_HOSTS: usize = 4096;

/// Name of the loopback in SimGrid.
const IMPLICIT: &str = "__loopback__";

/// `true` if SimGrid would create the same loopback by itself.
fn is_implicit(link: &Link) -> bool {
    let usual = Loopback::default();
    link.policy == SharingPolicy::FatPipe
        && link.bandwidth.to_bits() == usual.bandwidth.value().to_bits()
        && link.latency.to_bits() == usual.latency.value().to_bits()
}

pub(super) fn write(platform: &Platform, out: &mut dyn Write) -> Result<(), ExportError> {
    let hosts = platform.hosts.len();
    if hosts > MAX_HOSTS {
        return Err(ExportError::Unfit {
            format: "simgrid",
            name: platform.name.clone(),
            reason: format!("it has {hosts} hosts, whose routes are all written out; the limit is {MAX_HOSTS}"),
            help: "export a smaller network of the same family, or the graph with --to graphml",
        });
    }
    super::format::with_one_route("simgrid", platform)?;
    let implicit = platform.loopback.filter(|loopback| is_implicit(&platform.links[loopback.index()]));
    let names = link_names(platform, implicit);
    writeln!(out, "<?xml version='1.0'?>")?;
    writeln!(out, "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">")?;
    writeln!(out, "<platform version=\"4.1\">")?;
    writeln!(out, "  <zone id=\"{}\" routing=\"Full\">", escaped(&zone_name(platform)))?;
    for host in &platform.hosts {
        let cores = if host.cores == 1 { String::new() } else { format!(" core=\"{}\"", host.cores) };
        writeln!(out, "    <host id=\"{}\" speed=\"{:e}f\"{cores}/>", escaped(&host.name), host.speed)?;
    }
    for (index, link) in platform.links.iter().enumerate() {
        if implicit == Some(LinkId::new(index)) {
            continue;
        }
        let policy = match link.policy {
            SharingPolicy::Shared => "",
            SharingPolicy::FatPipe => " sharing_policy=\"FATPIPE\"",
        };
        let (name, bandwidth, latency) = (&names[index], link.bandwidth, link.latency);
        writeln!(out, "    <link id=\"{name}\" bandwidth=\"{bandwidth:e}Bps\" latency=\"{latency:e}s\"{policy}/>")?;
    }
    let mut route = Vec::new();
    for from in (0..hosts).map(HostId::new) {
        for to in (0..hosts).map(HostId::new) {
            route.clear();
            // A pair without a route may be missing, as long as no message takes it.
            if platform.route(from, to, &mut route).is_err() || (from == to && implicit.is_some_and(|l| route == [l])) {
                continue;
            }
            let name = |host: HostId| escaped(&platform.hosts[host.index()].name);
            write!(out, "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", name(from), name(to))?;
            for link in &route {
                write!(out, "<link_ctn id=\"{}\"/>", names[link.index()])?;
            }
            writeln!(out, "</route>")?;
        }
    }
    writeln!(out, "  </zone>\n</platform>")?;
    Ok(())
}

/// Estimates the bytes of an exported platform, from some of its routes.
pub fn estimated_bytes(platform: &Platform) -> u64 {
    let hosts = platform.hosts.len();
    if hosts == 0 || hosts > MAX_HOSTS {
        return 0;
    }
    let names: usize = platform.links.iter().map(|link| link.name.len()).sum();
    let of_link = 16 + names as u64 / platform.links.len().max(1) as u64;
    let pairs = (hosts * hosts) as u64;
    let samples = pairs.min(1000);
    let mut route = Vec::new();
    let mut links = 0;
    for sample in 0..samples {
        let pair = sample * pairs / samples + (sample * 7919) % (pairs / samples).max(1);
        route.clear();
        // A pair without a route is not written.
        if platform
            .route(HostId::new((pair / hosts as u64) as usize), HostId::new((pair % hosts as u64) as usize), &mut route)
            .is_ok()
        {
            links += route.len() as u64;
        }
    }
    pairs * (60 + links * of_link / samples) + platform.links.len() as u64 * 80
}

/// Returns the name of the zone: that of the platform, unless a host has it.
fn zone_name(platform: &Platform) -> String {
    let mut name = platform.name.clone();
    while platform.hosts.iter().any(|host| host.name == name) {
        name.push('_');
    }
    name
}

/// Returns an escaped, unique name for each link.
fn link_names(platform: &Platform, implicit: Option<LinkId>) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::with_capacity(platform.links.len() + 1);
    taken.insert(IMPLICIT.into());
    let name = |(index, link): (usize, &Link)| {
        if implicit == Some(LinkId::new(index)) {
            return IMPLICIT.to_owned();
        }
        let wanted = if link.name == IMPLICIT { "loopback" } else { &link.name };
        let mut name = escaped(wanted);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    platform.links.iter().enumerate().map(name).collect()
}

/// Writes the names of the hosts, one per line: rank r on host r.
///
/// # Errors
/// If writing to `out` fails.
pub fn host_file(platform: &Platform, out: &mut dyn Write) -> Result<(), ExportError> {
    for host in &platform.hosts {
        writeln!(out, "{}", host.name)?;
    }
    Ok(())
}
