//! The Clos network of three stages: r ingress switches of n inputs, m middle and r egress switches, all one-way.
//!
//! (C. Clos, A Study of Non-blocking Switching Networks, 1953.) Input i and output i are the two sides of one host,
//! which has one cable out and another one in, so the n*r hosts are vertices: hosts, ingress, middle, egress switches.
//! With separate inputs and outputs, as in the publication, there are n*r more vertices and the same cables.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, Spec, TopologyError};

/// Returns the guarantee of a Clos network for circuits from free inputs to free outputs: `strictly` if a path is
/// always free, which is so if and only if m >= 2n - 1; `rearrangeable` if others may have to move for it, if and only
/// if m >= n; otherwise `no`. `None` for other families.
pub(crate) fn nonblocking(spec: &Spec) -> Option<&'static str> {
    let arguments = spec.arguments();
    let (m, n) = match spec.family().name {
        "clos" => (arguments.integer("m")?, arguments.integer("n")?),
        _ => return None,
    };
    Some(if m >= 2 * n - 1 {
        "strictly"
    } else if m >= n {
        "rearrangeable"
    } else {
        "no"
    })
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let m = arguments.count("m", 1, MAX_SWITCHES)?;
    let n = arguments.count("n", 1, MAX_SWITCHES)?;
    let r = arguments.count("r", 1, MAX_SWITCHES)?;
    let hosts = n as u128 * r as u128;
    arguments.limit_vertices("r", hosts + 2 * r as u128 + m as u128)?;
    arguments.limit_arcs("m", 2 * (hosts + r as u128 * m as u128))?;
    let hosts = n * r;
    let (ingress, middle, egress) = (hosts, hosts + r, hosts + r + m);
    let mut arcs = Vec::with_capacity(2 * (hosts + r * m));
    for host in 0..hosts {
        arcs.push((host as u32, (ingress + host / n) as u32));
        arcs.push(((egress + host / n) as u32, host as u32));
    }
    for side in 0..r {
        for centre in 0..m {
            arcs.push(((ingress + side) as u32, (middle + centre) as u32));
            arcs.push(((middle + centre) as u32, (egress + side) as u32));
        }
    }
    Ok(Graph::directed(egress + r, arcs)?.with_hosts(Hosts::Vertices(hosts as u32)))
}
