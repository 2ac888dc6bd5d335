//! A platform as JSON: arcs, hosts, and the route of each pair of hosts as a list of arcs. `platform::explicit` reads it.
//!
//! A host with a link of its own becomes one more switch that has this host, so that its link is an arc like all others.

use super::{ExportError, MAX_HOSTS};
use crate::ids::HostId;
use crate::platform::Platform;
use crate::platform::ends::{Vertex, link_ends};
use crate::printable::printable;
use crate::topology::Topology;
use std::io::Write;

const FORMAT: &str = "platform";

pub(super) fn write(topology: &Topology, platform: &Platform, out: &mut dyn Write) -> Result<(), ExportError> {
    let unfit = |reason: String, help| ExportError::Unfit { format: FORMAT, name: platform.name.clone(), reason, help };
    let hosts = platform.hosts.len();
    if hosts > MAX_HOSTS {
        let reason = format!("it has {hosts} hosts, whose routes are all written out; the limit is {MAX_HOSTS}");
        return Err(unfit(reason, "export a smaller network of the same family, or the graph with --to graphml"));
    }
    super::format::with_one_route(FORMAT, platform)?;
    if let Some(host) = platform.hosts.iter().find(|host| host.cores != 1) {
        return Err(unfit(format!("host {} has {} cores", host.name, host.cores), "use --to simgrid"));
    }
    let ends = link_ends(&topology.graph, platform)
        .map_err(|error| unfit(error.to_string(), "use --duplex full, or --to simgrid"))?;
    let switches = topology.graph.switches();
    let has_link = |host: usize| platform.routes.host_links(HostId::new(host))[0].is_some();
    if topology.rails.is_some() && (0..hosts).any(|host| !has_link(host)) {
        let reason = "hosts with several ports have no links of their own".to_owned();
        return Err(unfit(reason, "give --host-link-bandwidth"));
    }
    // The vertices of hosts follow those of the switches.
    let mut vertices = switches;
    let mut vertex_of_host = Vec::with_capacity(hosts);
    for (index, host) in platform.hosts.iter().enumerate() {
        vertex_of_host.push(match host.switch {
            Some(switch) if !has_link(index) => switch.index(),
            _ => {
                vertices += 1;
                vertices - 1
            }
        });
    }
    let number = |vertex: Vertex| match vertex {
        Vertex::Switch(switch) => switch as usize,
        Vertex::Host(host) => vertex_of_host[host as usize],
    };
    // Without the loopback, which is not an arc.
    let mut arc_of_link = vec![0; platform.links.len()];
    let name = serde_json::to_string(&platform.name).map_err(std::io::Error::from)?;
    // JSON interprets the escapes as the same characters.
    let name = printable(&name);
    writeln!(out, "{{\"name\":{name},\"switches\":{vertices},")?;
    let list = |values: &mut dyn Iterator<Item = String>| values.collect::<Vec<_>>().join(",");
    writeln!(out, "\"hosts\":[{}],", list(&mut vertex_of_host.iter().map(usize::to_string)))?;
    writeln!(out, "\"host_flops\":[{}],", list(&mut platform.hosts.iter().map(|host| format!("{:e}", host.speed))))?;
    if let Some(loopback) = platform.loopback.map(|link| &platform.links[link.index()]) {
        let (bandwidth, latency) = (loopback.bandwidth, loopback.latency);
        let policy = match loopback.policy {
            crate::platform::SharingPolicy::Shared => "SHARED",
            crate::platform::SharingPolicy::FatPipe => "FATPIPE",
        };
        writeln!(
            out,
            "\"loopback\":{{\"bandwidth_Bps\":{bandwidth:e},\"latency_s\":{latency:e},\"policy\":\"{policy}\"}},"
        )?;
    }
    write!(out, "\"arcs\":[")?;
    let mut arcs = 0;
    for (index, (link, ends)) in platform.links.iter().zip(&ends).enumerate() {
        let Some((from, to)) = *ends else { continue };
        let comma = if arcs == 0 { "" } else { "," };
        let (from, to) = (number(from), number(to));
        write!(out, "{comma}\n[{from},{to},{:e},{:e}]", link.bandwidth, link.latency)?;
        arc_of_link[index] = arcs;
        arcs += 1;
    }
    write!(out, "],\n\"routes\":{{")?;
    let mut route = Vec::new();
    let mut comma = "";
    for from in 0..hosts {
        for to in (0..hosts).filter(|to| *to != from) {
            route.clear();
            // A pair without a route may be missing.
            if platform.route(HostId::new(from), HostId::new(to), &mut route).is_err() {
                continue;
            }
            let arcs = route.iter().filter(|link| ends[link.index()].is_some());
            let arcs = list(&mut arcs.map(|link| arc_of_link[link.index()].to_string()));
            write!(out, "{comma}\n\"{from}-{to}\":[{arcs}]")?;
            comma = ",";
        }
    }
    writeln!(out, "}}}}")?;
    Ok(())
}
