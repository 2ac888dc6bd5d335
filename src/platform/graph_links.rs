//! Hosts and links of a graph of switches, whether its hosts have one port or several.

use super::error::PlatformError;
use super::parameters::{CheckedParameters, Duplex};
use super::{Host, Link, LinkKind, SharingPolicy};
use crate::defaults::Version;
use crate::floorplan::FloorPlan;
use crate::ids::{LinkId, SwitchId};
use crate::memory;
use crate::topology::{ArcId, CableId, Graph, Hosts, Topology};
use compact_str::{CompactString, ToCompactString};

/// Returns the hosts on these switches: `h0`, `h1` and so on, unless they have names.
pub(super) fn hosts_of(
    host_switch: &[SwitchId],
    names: Option<&[CompactString]>,
    parameters: &CheckedParameters,
) -> Vec<Host> {
    let host = |(index, &switch): (usize, &SwitchId)| Host {
        name: names.map_or_else(|| numbered("h", index as u32), |names| names[index].clone()),
        switch: Some(switch),
        speed: parameters.host_speed.value(),
        cores: parameters.cores,
    };
    host_switch.iter().enumerate().map(host).collect()
}

/// Returns the latency of the link of each arc, in seconds.
pub(super) fn arc_delays(graph: &Graph, parameters: &CheckedParameters, links: &[Link]) -> Vec<f64> {
    let delay = |arc: u32| match parameters.duplex {
        Duplex::Full => links[arc as usize].latency,
        Duplex::Shared => links[graph.cable(ArcId(arc)).index()].latency,
    };
    (0..graph.arcs() as u32).map(delay).collect()
}

/// Returns the link of each arc; `None` if links have the numbers of their arcs.
pub(super) fn link_of_arc(graph: &Graph, parameters: &CheckedParameters) -> Option<Vec<LinkId>> {
    match parameters.duplex {
        Duplex::Full => None,
        Duplex::Shared => Some((0..graph.arcs() as u32).map(|arc| LinkId(graph.cable(ArcId(arc)).0)).collect()),
    }
}

/// Refuses a platform that would exceed the memory limit, before it is built.
///
/// # Errors
/// [`PlatformError::TooLarge`].
pub(super) fn too_large(name: &str, arcs: usize, hosts: u128) -> Result<(), PlatformError> {
    memory::refuse_platform(arcs as u128, hosts)
        .map_or(Ok(()), |rule| Err(PlatformError::TooLarge { name: name.to_owned(), links: arcs, hosts, rule }))
}

/// Returns a name with a number at its end. Numbers are written without the formatting machinery, which costs as much
/// as everything else about a link.
pub(super) fn numbered(name: &'static str, number: u32) -> CompactString {
    let mut name = CompactString::const_new(name);
    name.push_str(&number.to_compact_string());
    name
}

/// Returns the delay of each cable, in seconds; empty if cables have no delay of their own.
pub(super) fn cable_delays(topology: &Topology, parameters: &CheckedParameters) -> Result<Vec<f64>, PlatformError> {
    let Some((delay, floor)) = &parameters.cables else { return Ok(Vec::new()) };
    let plan =
        FloorPlan::new(topology, &floor.on(&topology.graph)).map_err(|error| PlatformError::InvalidParameter {
            parameter: "floor_plan",
            value: floor.model.name().into(),
            constraint: error.to_string(),
        })?;
    Ok(plan.cables(&topology.graph).lengths().iter().map(|metres| metres * delay.value()).collect())
}

/// Returns the links between switches, in the order of the arcs or cables.
pub(super) fn switch_links(graph: &Graph, parameters: &CheckedParameters, cable_delays: &[f64]) -> Vec<Link> {
    // Only two-way cables have directions that can share the bandwidth.
    let shared = parameters.duplex == Duplex::Shared;
    let arrow = if shared && !graph.is_directed() { "--" } else { "->" };
    // Parallel links are consecutive; their names are `3->17`, `3->17#2`, ...
    let mut previous = None;
    let mut copies = 1;
    // A cable between a host that is a vertex and its switch enters a switch in only one of its directions. Version 0.1
    // of the defaults treated that host as a switch.
    let host_vertices = match graph.hosts() {
        Hosts::Vertices(count) if parameters.defaults != Version::V0_1 => *count,
        _ => 0,
    };
    let switch_delay = |from: SwitchId, to: SwitchId| {
        let part = match (from.0 < host_vertices, to.0 < host_vertices) {
            (true, _) | (_, true) if shared && !graph.is_directed() => 0.5,
            (_, true) => 0.0,
            _ => 1.0,
        };
        part * parameters.switch_delay.value()
    };
    let mut link = |from: SwitchId, to: SwitchId, cable: usize| {
        copies = if previous.replace((from, to)) == Some((from, to)) { copies + 1 } else { 1 };
        let mut name = from.0.to_compact_string();
        name.push_str(arrow);
        name.push_str(&to.0.to_compact_string());
        if copies > 1 {
            name.push_str(&numbered("#", copies));
        }
        Link {
            name,
            bandwidth: parameters.link_bandwidth.value() * graph.bandwidth_share(CableId(cable as u32)),
            latency: parameters.link_latency.value()
                + switch_delay(from, to)
                + cable_delays.get(cable).copied().unwrap_or(0.0),
            policy: SharingPolicy::Shared,
            kind: LinkKind::Cable,
        }
    };
    if shared {
        graph.cable_ends().enumerate().map(|(cable, (from, to))| link(from, to, cable)).collect()
    } else {
        let arcs = (0..graph.arcs() as u32).map(ArcId);
        arcs.map(|arc| link(graph.tail(arc), graph.head(arc), graph.cable(arc).index())).collect()
    }
}
