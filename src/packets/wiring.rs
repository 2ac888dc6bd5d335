//! Switches with numbered ports, the cables between them, and hosts.
//!
//! Port numbers decide ties, so they are fixed: on a torus or mesh a switch has for each dimension the cable towards
//! the higher and the one towards the lower coordinate, then its hosts; in all other families its hosts come first,
//! then its cables by the number of the neighbour. Inputs are numbered by their origin in the same way.

use super::PacketError;
use super::parameters::{HostPort, MAX_DELAY};
use super::ports::HostPorts;
use crate::ids::SwitchId;
use crate::platform::{CheckedParameters, HostsPerSwitch, PlatformParameters};
use crate::routing::grid::Grid;
use crate::topology::{ArcId, Rails, Topology};
use std::sync::Arc;

/// Largest number of hosts: 134,217,728.
pub const MAX_HOSTS: u32 = 1 << 27;
/// Largest number of (port, virtual channel) pairs of a switch.
pub const MAX_PLACES: usize = 65_000;

/// Switch end of a cable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// Switch at this end.
    pub switch: u32,
    /// Index among the cables of that direction at the switch.
    pub cable: u32,
}

/// Plane of a network, and where its numbers begin in the whole network.
#[derive(Clone, Debug)]
pub struct WiredPlane {
    /// The plane as a network of its own, whose hosts are ports.
    pub wiring: Arc<Wiring>,
    /// Number of its first switch.
    pub first_switch: u32,
    /// Number of its first port.
    pub first_port: u32,
}

/// Network as switches see it.
#[derive(Clone, Debug)]
pub struct Wiring {
    /// Switches and cables.
    pub topology: Arc<Topology>,
    /// Ports of hosts, if hosts have several: every port is a host here.
    pub ports: Option<Arc<HostPorts>>,
    /// The hosts of switch `s` are `host_first[s]..host_first[s + 1]`.
    pub host_first: Vec<u32>,
    /// Hosts on each switch, if all have the same number.
    uniform: Option<u32>,
    host_switch: Vec<u32>,
    /// Cycles on each arc.
    pub latency: Vec<u32>,
    /// Delay of each arc in seconds, for the choice of static routes: that of its cable and of the switch that it enters. Only
    /// ratios matter, so a nanosecond may represent a cycle.
    pub route_delays: Vec<f64>,
    /// `true` if ports of hosts come after those of cables.
    pub hosts_last: bool,
    /// Ports of the hosts of a switch, own or shared.
    pub host_port: HostPort,
    /// The arcs out of switch `s`, in the order of its outputs, are `out_arc[out_first[s]..out_first[s + 1]]`.
    out_first: Vec<u32>,
    out_arc: Vec<u32>,
    in_first: Vec<u32>,
    in_arc: Vec<u32>,
    /// For each arc its number among the outputs of its tail, and among the inputs of its head.
    out_cable: Vec<u32>,
    in_cable: Vec<u32>,
}

impl Wiring {
    /// Attaches hosts to a topology. `latency` is that of every cable, in cycles.
    ///
    /// # Errors
    /// [`PacketError`] if there is no host, if hosts cannot reach each other, or if there are too many.
    pub fn new(
        topology: Arc<Topology>,
        hosts: Option<HostsPerSwitch>,
        host_port: HostPort,
        latency: u32,
    ) -> Result<Self, PacketError> {
        if topology.graph.slowest_share() < 1.0 {
            return Err(PacketError::NotModelled {
                network: topology.name(),
                what: "degraded cables: all cables carry one flit per cycle".into(),
                instead: "leave out `degraded` (cables and switches may fail); read a fabric with cables of two speeds with speeds=false",
            });
        }
        if let Some(rails) = topology.rails.clone() {
            return Self::of_planes(topology, &rails, hosts, host_port, latency);
        }
        let counts = checked(hosts)?.hosts_on(&topology.graph)?;
        let by_direction = Self::is_by_direction(&topology);
        Self::attached(topology, counts, host_port, latency, by_direction)
    }

    /// `true` if the ports of a network are numbered by directions, those of hosts last.
    fn is_by_direction(topology: &Topology) -> bool {
        Grid::of(topology).is_some() && matches!(topology.spec.family().name, "torus" | "mesh")
    }

    /// Attaches hosts to a network whose hosts have one port, or to a plane; `counts` is their number on each switch.
    ///
    /// # Errors
    /// As [`Wiring::new`].
    fn attached(
        topology: Arc<Topology>,
        counts: Vec<u32>,
        host_port: HostPort,
        latency: u32,
        by_direction: bool,
    ) -> Result<Self, PacketError> {
        let graph = &topology.graph;
        let mut host_first = vec![0; counts.len() + 1];
        for (s, &count) in counts.iter().enumerate() {
            host_first[s + 1] = host_first[s] + count;
        }
        let total = host_first[counts.len()];
        if total == 0 {
            return Err(PacketError::NoHosts(topology.name()));
        }
        if total > MAX_HOSTS {
            let reason = format!("{total} hosts, and there may be {MAX_HOSTS}");
            return Err(PacketError::TooLarge { topology: topology.name(), reason });
        }
        let with_hosts: Vec<SwitchId> =
            (0..).zip(&counts).filter(|&(_, &count)| count > 0).map(|(s, _)| SwitchId(s)).collect();
        if let Some((from, to)) = graph.unreachable_pair(with_hosts.into_iter()) {
            return Err(PacketError::Disconnected { topology: topology.name(), from: from.0, to: to.0 });
        }
        let host_switch: Vec<u32> =
            (0..).zip(&counts).flat_map(|(s, &count)| std::iter::repeat_n(s, count as usize)).collect();
        let uniform = counts.iter().all(|&count| count == counts[0]).then_some(counts[0]);
        let n = graph.switches();
        let grid = Grid::of(&topology).filter(|_| by_direction);
        let (mut out_first, mut in_first) = (vec![0; n + 1], vec![0; n + 1]);
        let (mut out_arc, mut in_arc) = (Vec::with_capacity(graph.arcs()), Vec::with_capacity(graph.arcs()));
        let (mut out_cable, mut in_cable) = (vec![0; graph.arcs()], vec![0; graph.arcs()]);
        for s in 0..n as u32 {
            let mut outputs: Vec<ArcId> = graph.out_arcs(SwitchId(s)).collect();
            let mut inputs: Vec<ArcId> = graph.in_arcs(SwitchId(s)).collect();
            if let Some(grid) = &grid {
                outputs.sort_by_key(|&arc| grid.direction(s, graph.head(arc).0));
                inputs.sort_by_key(|&arc| grid.direction(s, graph.tail(arc).0));
            }
            for (place, arc) in (0..).zip(&outputs) {
                out_cable[arc.index()] = place;
                out_arc.push(arc.0);
            }
            for (place, arc) in (0..).zip(&inputs) {
                in_cable[arc.index()] = place;
                in_arc.push(arc.0);
            }
            out_first[s as usize + 1] = out_arc.len() as u32;
            in_first[s as usize + 1] = in_arc.len() as u32;
        }
        let route_delays = vec![f64::from(latency) * 1e-9; graph.arcs()];
        let latency = vec![latency; graph.arcs()];
        Ok(Self {
            hosts_last: grid.is_some(),
            topology,
            ports: None,
            host_first,
            uniform,
            host_switch,
            latency,
            route_delays,
            host_port,
            out_first,
            out_arc,
            in_first,
            in_arc,
            out_cable,
            in_cable,
        })
    }

    /// Attaches hosts to all planes of a network: as [`Self::new`].
    fn of_planes(
        topology: Arc<Topology>,
        rails: &Rails,
        hosts: Option<HostsPerSwitch>,
        host_port: HostPort,
        latency: u32,
    ) -> Result<Self, PacketError> {
        if rails.planes.iter().any(|plane| plane.failed.contains(&true)) {
            return Err(PacketError::NotModelled {
                network: topology.name(),
                what: "hosts that have lost a port under synthetic traffic: it is divided equally over all ports"
                    .into(),
                instead: "fail cables or switches without hosts, or replay messages: `mopsim replay --model packet`",
            });
        }
        let places = rails.places(&checked(hosts)?.homes_on(rails)?).expect("the parameters were checked");
        let ports_on = rails.ports_on(&places);
        // Ports in the order of directions would decide ties differently in planes of another kind.
        let by_direction = rails.planes.iter().all(|plane| Self::is_by_direction(&plane.topology));
        let mut planes = Vec::with_capacity(rails.planes.len());
        for plane in &rails.planes {
            let first = plane.first_switch as usize;
            let on = ports_on[first..first + plane.homes.len()].to_vec();
            let plane = Self::attached(Arc::new(plane.topology.clone()), on, host_port, latency, by_direction);
            planes.push(plane.map_err(|error| in_plane(error, &topology, planes.len()))?);
        }
        let mut first_port = vec![0];
        for plane in &planes {
            first_port.push(first_port[first_port.len() - 1] + plane.hosts());
        }
        let first_switch: Vec<u32> = rails.planes.iter().map(|plane| plane.first_switch).collect();
        let ports = HostPorts::new(&places, &first_switch, &first_port);
        Ok(Self::joined(topology, planes, ports))
    }

    /// Joins the planes of a network, in order, into one.
    fn joined(topology: Arc<Topology>, mut planes: Vec<Self>, ports: HostPorts) -> Self {
        let first = planes.remove(0);
        let mut all = Self { topology, ports: Some(Arc::new(ports)), ..first };
        for plane in planes {
            let (switches, arcs) = (all.switches() as u32, all.latency.len() as u32);
            let last = |list: &[u32]| list[list.len() - 1];
            let (hosts, outputs, inputs) = (last(&all.host_first), last(&all.out_first), last(&all.in_first));
            all.host_first.extend(plane.host_first[1..].iter().map(|first| hosts + first));
            all.host_switch.extend(plane.host_switch.iter().map(|switch| switches + switch));
            all.uniform = all.uniform.filter(|_| plane.uniform == all.uniform);
            all.out_first.extend(plane.out_first[1..].iter().map(|first| outputs + first));
            all.out_arc.extend(plane.out_arc.iter().map(|arc| arcs + arc));
            all.in_first.extend(plane.in_first[1..].iter().map(|first| inputs + first));
            all.in_arc.extend(plane.in_arc.iter().map(|arc| arcs + arc));
            all.latency.extend(plane.latency);
            all.route_delays.extend(plane.route_delays);
            all.out_cable.extend(plane.out_cable);
            all.in_cable.extend(plane.in_cable);
        }
        all
    }

    /// Returns the planes, each with the latencies of its cables: the network itself if its hosts have one port.
    pub fn planes(self: &Arc<Self>) -> Vec<WiredPlane> {
        let Some(rails) = self.topology.rails.as_ref().filter(|_| self.ports.is_some()) else {
            return vec![WiredPlane { wiring: self.clone(), first_switch: 0, first_port: 0 }];
        };
        let of_plane = |plane: &crate::topology::rails::Plane| {
            let first = plane.first_switch as usize;
            let counts = (0..plane.homes.len()).map(|s| self.hosts_of((first + s) as u32)).collect();
            let topology = Arc::new(plane.topology.clone());
            let mut wiring = Self::attached(topology, counts, self.host_port, 1, self.hosts_last)
                .expect("the plane was attached before");
            let first_arc = plane.first_arc as usize;
            let arcs = first_arc..first_arc + plane.topology.graph.arcs();
            wiring.latency.copy_from_slice(&self.latency[arcs.clone()]);
            wiring.route_delays.copy_from_slice(&self.route_delays[arcs]);
            let first_port = self.host_first[first];
            WiredPlane { wiring: Arc::new(wiring), first_switch: plane.first_switch, first_port }
        };
        rails.planes.iter().map(of_plane).collect()
    }

    /// `true` if both have equal switches, cables, latencies and hosts.
    pub fn is_equal(&self, other: &Self) -> bool {
        let (a, b) = (&self.topology, &other.topology);
        a.name() == b.name()
            && self.host_first == other.host_first
            && self.latency == other.latency
            && self.route_delays == other.route_delays
            && self.host_port == other.host_port
            && a.graph.arcs() == b.graph.arcs()
            && (0..a.graph.arcs() as u32)
                .map(ArcId)
                .all(|arc| a.graph.tail(arc) == b.graph.tail(arc) && a.graph.head(arc) == b.graph.head(arc))
    }

    /// Sets the latency of each cable by its length in metres. A head that spends n cycles on a cable, rounded to whole
    /// ones and at least 2, arrives n cycles after it has left.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] for a cable of more than [`MAX_DELAY`] cycles.
    pub fn set_lengths(&mut self, lengths: &[f64], cycles_per_metre: f64) -> Result<(), PacketError> {
        let graph = &self.topology.graph;
        for (arc, latency) in (0..).zip(&mut self.latency) {
            let metres = lengths[graph.cable(ArcId(arc)).index()];
            let cycles = (metres * cycles_per_metre).round() - 1.0;
            if cycles > f64::from(MAX_DELAY) {
                let rule = format!("a cable of {metres:.1} m takes {cycles} cycles, and may take {MAX_DELAY}");
                return Err(PacketError::invalid("cable-delay", format!("{cycles_per_metre} cycles per metre"), rule));
            }
            *latency = cycles.max(1.0) as u32;
        }
        Ok(())
    }

    /// Returns the number of switches.
    pub fn switches(&self) -> usize {
        self.out_first.len() - 1
    }

    /// Returns the number of hosts; of ports, where hosts have several.
    pub fn hosts(&self) -> u32 {
        self.host_switch.len() as u32
    }

    /// Returns the switch of each host.
    pub fn host_switches(&self) -> &[u32] {
        &self.host_switch
    }

    /// Returns the switch of a host.
    #[inline]
    pub fn switch_of(&self, host: u32) -> u32 {
        match self.uniform {
            Some(count) => host / count,
            None => self.host_switch[host as usize],
        }
    }

    /// Returns the number of hosts of a switch.
    #[inline]
    pub fn hosts_of(&self, switch: u32) -> u32 {
        self.host_first[switch as usize + 1] - self.host_first[switch as usize]
    }

    /// Returns the number of ports for the hosts of a switch, in each direction.
    #[inline]
    pub fn host_ports(&self, switch: u32) -> u32 {
        match self.host_port {
            HostPort::Own => self.hosts_of(switch),
            HostPort::Shared => self.hosts_of(switch).min(1),
        }
    }

    /// Returns the number of cables out of a switch.
    #[inline]
    pub fn out_cables(&self, switch: u32) -> u32 {
        self.out_first[switch as usize + 1] - self.out_first[switch as usize]
    }

    /// Returns the number of cables into a switch.
    #[inline]
    pub fn in_cables(&self, switch: u32) -> u32 {
        self.in_first[switch as usize + 1] - self.in_first[switch as usize]
    }

    /// Returns the number of outputs of a switch.
    #[inline]
    pub fn outputs(&self, switch: u32) -> u32 {
        self.out_cables(switch) + self.host_ports(switch)
    }

    /// Returns the number of inputs of a switch.
    #[inline]
    pub fn inputs(&self, switch: u32) -> u32 {
        self.in_cables(switch) + self.host_ports(switch)
    }

    /// Returns the first output that is a cable.
    #[inline]
    pub fn first_cable(&self, switch: u32) -> u32 {
        if self.hosts_last { 0 } else { self.host_ports(switch) }
    }

    /// Returns the first output that is a host's.
    #[inline]
    pub fn first_host_output(&self, switch: u32) -> u32 {
        if self.hosts_last { self.out_cables(switch) } else { 0 }
    }

    /// Returns the first input that is a host's.
    #[inline]
    pub fn first_host_input(&self, switch: u32) -> u32 {
        if self.hosts_last { self.in_cables(switch) } else { 0 }
    }

    /// Returns the output port of a host of this switch.
    #[inline]
    pub fn host_output(&self, switch: u32, host: u32) -> u32 {
        let place = match self.host_port {
            HostPort::Own => host - self.host_first[switch as usize],
            HostPort::Shared => 0,
        };
        self.first_host_output(switch) + place
    }

    /// Returns the arc of a cable out of a switch.
    pub fn out_arc(&self, switch: u32, cable: u32) -> ArcId {
        ArcId(self.out_arc[(self.out_first[switch as usize] + cable) as usize])
    }

    /// Returns the arc of a cable into a switch.
    pub fn in_arc(&self, switch: u32, cable: u32) -> ArcId {
        ArcId(self.in_arc[(self.in_first[switch as usize] + cable) as usize])
    }

    /// Returns the far end of a cable out of a switch.
    pub fn far_end(&self, switch: u32, cable: u32) -> End {
        let arc = self.out_arc(switch, cable);
        End { switch: self.topology.graph.head(arc).0, cable: self.in_cable[arc.index()] }
    }

    /// Returns the near end of a cable into a switch.
    pub fn near_end(&self, switch: u32, cable: u32) -> End {
        let arc = self.in_arc(switch, cable);
        End { switch: self.topology.graph.tail(arc).0, cable: self.out_cable[arc.index()] }
    }

    /// Returns the number of an arc among the outputs of its tail.
    pub fn output_of(&self, arc: ArcId) -> u32 {
        self.out_cable[arc.index()]
    }
}

/// Names the network and the plane in which hosts cannot reach each other.
fn in_plane(error: PacketError, topology: &Topology, number: usize) -> PacketError {
    match error {
        PacketError::Disconnected { from, to, .. } => PacketError::NotModelled {
            network: topology.name(),
            what: format!(
                "hosts that a plane does not connect (plane {number}: switch {from} cannot reach switch {to})"
            ),
            instead: "packets are spread over all planes; let other cables fail, or replay messages: `mopsim replay --model packet`",
        },
        other => other,
    }
}

fn checked(hosts: Option<HostsPerSwitch>) -> Result<CheckedParameters, PacketError> {
    Ok(PlatformParameters { hosts_per_switch: hosts, ..PlatformParameters::default() }.check()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::RailPolicy;

    fn wiring(spec: &str) -> Arc<Wiring> {
        let topology = Arc::new(crate::topology::build(spec).expect(spec));
        Arc::new(Wiring::new(topology, None, HostPort::Own, 3).expect(spec))
    }

    #[test]
    fn the_planes_are_parts_of_the_whole() {
        for spec in [
            "rails:base=torus:4x4,planes=2",
            "rails:base=\"torus:4x4;random_regular:n=16,d=4,seed=3\"",
            "rails:base=\"ring:8;torus:2x4;random_regular:n=8,d=3,seed=1\"",
            "rails:base=hypercube:4,planes=2,ports=2,at=group",
            "rails:base=\"imase_itoh:n=12,d=3\",ports=3",
        ] {
            let all = wiring(spec);
            let planes = all.planes();
            let ports = all.ports.as_ref().expect(spec);
            assert_eq!(planes.iter().map(|plane| plane.wiring.switches()).sum::<usize>(), all.switches(), "{spec}");
            assert_eq!(all.hosts(), ports.hosts() * ports.count(), "{spec}");
            for WiredPlane { wiring, first_switch, first_port } in &planes {
                for s in 0..wiring.switches() as u32 {
                    let whole = first_switch + s;
                    assert_eq!(wiring.outputs(s), all.outputs(whole), "{spec}");
                    assert_eq!(wiring.inputs(s), all.inputs(whole), "{spec}");
                    for cable in 0..wiring.out_cables(s) {
                        let (own, end) = (wiring.far_end(s, cable), all.far_end(whole, cable));
                        assert_eq!((own.switch + first_switch, own.cable), (end.switch, end.cable), "{spec}");
                        assert_eq!(all.near_end(end.switch, end.cable).switch, whole, "{spec}");
                    }
                }
                for port in 0..wiring.hosts() {
                    let switch = wiring.switch_of(port);
                    assert_eq!(switch + first_switch, all.switch_of(port + first_port), "{spec}");
                    let output = all.host_output(switch + first_switch, port + first_port);
                    assert_eq!(wiring.host_output(switch, port), output, "{spec}");
                }
            }
            for port in 0..all.hosts() {
                let (host, rail) = ports.owner(port);
                assert_eq!(ports.port(host, rail), port, "{spec}");
            }
        }
    }

    #[test]
    fn packets_of_a_pair_take_the_rails_in_turn() {
        let all = wiring("rails:base=ring:4,planes=2");
        let ports = all.ports.as_ref().expect("two planes");
        let pairs = [(0, 1), (0, 1), (2, 1), (0, 1)];
        let rails = |policy| {
            let of = ports.of_packets(pairs.into_iter(), policy);
            let rail = |(from, to): (u32, u32)| {
                assert_eq!(ports.owner(from).1, ports.owner(to).1, "a packet stays on its rail");
                ports.owner(from).1
            };
            of.into_iter().map(rail).collect::<Vec<_>>()
        };
        // As messages do in replays: the first packet from host 0 to host 1 takes the second rail.
        assert_eq!(rails(RailPolicy::Message), [1, 0, 0, 1]);
        assert_eq!(rails(RailPolicy::Destination), [1; 4]);
    }
}
