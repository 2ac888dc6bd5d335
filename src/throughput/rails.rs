//! Planes of a network, and the ports of its hosts on them.
//!
//! The graph of the network is the disjoint union of its planes, with links and demands in its numbers. Routes are those of
//! the planes, which have numbers of their own. A network whose hosts have one port is one plane.

use super::ThroughputError;
use crate::ids::SwitchId;
use crate::platform::{CheckedParameters, RailPolicy};
use crate::topology::Topology;

/// Plane of a network.
#[derive(Clone, Debug)]
pub struct NetworkPlane {
    /// The plane as a network of its own.
    pub topology: Topology,
    /// Number of its first switch in the whole network.
    pub first_switch: u32,
    /// Number of its first arc in the whole network.
    pub first_arc: u32,
    /// Number of ports of hosts on each of its switches, those of hosts that do not take part included.
    pub ports_on: Vec<u32>,
}

/// One port of every host that takes part.
#[derive(Clone, Debug)]
pub struct PortRail {
    /// Index of the plane.
    pub plane: usize,
    /// Switch of each host's port, by its number in the whole network.
    pub switches: Vec<u32>,
    /// Number of each host's port among the ports of the plane, by which routing rules know it.
    pub numbers: Vec<u32>,
}

impl PortRail {
    /// Leaves out all hosts but the first ones.
    pub fn truncate(&mut self, hosts: usize) {
        self.switches.truncate(hosts);
        self.numbers.truncate(hosts);
    }

    /// Returns the switches that have ports of hosts, by their numbers in the plane.
    pub fn bearing(&self, plane: &NetworkPlane) -> Vec<SwitchId> {
        let mut switches = self.switches.clone();
        switches.sort_unstable();
        switches.dedup();
        switches.into_iter().map(|switch| SwitchId(switch - plane.first_switch)).collect()
    }
}

/// Returns the planes of a topology, and the rails of its hosts.
///
/// # Errors
/// [`ThroughputError`] if the hosts do not fit, or have lost ports.
pub(super) fn attached(
    topology: &Topology,
    parameters: &CheckedParameters,
) -> Result<(Vec<NetworkPlane>, Vec<PortRail>), ThroughputError> {
    let Some(rails) = &topology.rails else {
        let ports_on = parameters.hosts_on(&topology.graph)?;
        let on = (0..).zip(&ports_on).flat_map(|(switch, &count)| std::iter::repeat_n(switch, count as usize));
        let switches: Vec<u32> = on.collect();
        let numbers = (0..switches.len() as u32).collect();
        let plane = NetworkPlane { topology: topology.clone(), first_switch: 0, first_arc: 0, ports_on };
        return Ok((vec![plane], vec![PortRail { plane: 0, switches, numbers }]));
    };
    if rails.planes.iter().any(|plane| plane.failed.contains(&true)) {
        return Err(ThroughputError::LostPorts(topology.name()));
    }
    let places = rails.places(&parameters.homes_on(rails)?).expect("the parameters were checked");
    let ports_on = rails.ports_on(&places);
    let planes = rails.planes.iter().map(|plane| {
        let first = plane.first_switch as usize;
        NetworkPlane {
            topology: plane.topology.clone(),
            first_switch: plane.first_switch,
            first_arc: plane.first_arc,
            ports_on: ports_on[first..first + plane.homes.len()].to_vec(),
        }
    });
    let planes: Vec<NetworkPlane> = planes.collect();
    let rails = places.into_iter().map(|rail| {
        let first = planes[rail.plane].first_switch;
        let switches = rail.switches.iter().map(|switch| first + switch.0).collect();
        PortRail { plane: rail.plane, switches, numbers: rail.numbers }
    });
    let rails = rails.collect();
    Ok((planes, rails))
}

/// Returns the rails of a flow, and the part of it on each.
///
/// In steady traffic, messages that take the rails in turn are equal parts on each, as parts of striped messages are.
pub(super) fn rails_to(policy: RailPolicy, rails: usize, host: u32) -> (std::ops::Range<usize>, f64) {
    match policy {
        RailPolicy::Message | RailPolicy::Striped => (0..rails, 1.0 / rails as f64),
        RailPolicy::Destination => {
            let rail = policy.rail(0, host, 0, rails);
            (rail..rail + 1, 1.0)
        }
    }
}
