//! Hosts with several ports: the wiring of all planes together, and the ports of each host.
//!
//! To the engines every port is a host of its own, numbered plane by plane, then switch by switch as in
//! [`Rails`]. A packet leaves and arrives by the ports of one rail, so planes have nothing in common but the pattern.
//! Rejected: engines that know hosts with several ports. Ports of a host share nothing, neither buffers nor turns.

use super::PacketError;
use super::destinations::Destinations;
use super::parameters::HostPort;
use super::wiring::Wiring;
use crate::platform::{CheckedParameters, HostsPerSwitch, PlatformParameters, RailPolicy};
use crate::topology::rails::Places;
use crate::topology::{ArcId, Rails, Topology};
use crate::traffic::Traffic;
use rustc_hash::FxHashMap;
use std::sync::Arc;

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

/// Ports of hosts that have several.
#[derive(Clone, Debug)]
pub struct HostPorts {
    /// Number of each host's port, rail by rail.
    rails: Vec<Vec<u32>>,
    /// Host and rail of each port.
    owners: Vec<(u32, u32)>,
    /// Switch of each host's first port.
    first_switches: Vec<u32>,
}

impl HostPorts {
    /// Numbers the ports at these places. `first_switch` and `first_port` are those of each plane.
    fn new(places: &[Places], first_switch: &[u32], first_port: &[u32]) -> Self {
        let of_rail = |rail: &Places| rail.numbers.iter().map(|number| first_port[rail.plane] + number).collect();
        let rails: Vec<Vec<u32>> = places.iter().map(of_rail).collect();
        let mut owners = vec![(0, 0); rails.iter().map(Vec::len).sum()];
        for (rail, ports) in (0..).zip(&rails) {
            for (host, &port) in (0..).zip(ports) {
                owners[port as usize] = (host, rail);
            }
        }
        let first_switches = places[0].switches.iter().map(|switch| first_switch[0] + switch.0).collect();
        Self { rails, owners, first_switches }
    }

    /// Returns the number of hosts.
    pub fn hosts(&self) -> u32 {
        self.first_switches.len() as u32
    }

    /// Returns the number of ports of a host.
    pub fn count(&self) -> u32 {
        self.rails.len() as u32
    }

    /// Returns the switch of the first port of each host.
    pub fn first_switches(&self) -> &[u32] {
        &self.first_switches
    }

    /// Returns the number of a host's port on a rail.
    #[inline]
    pub fn port(&self, host: u32, rail: u32) -> u32 {
        self.rails[rail as usize][host as usize]
    }

    /// Returns the host and the rail of a port.
    #[inline]
    pub fn owner(&self, port: u32) -> (u32, u32) {
        self.owners[port as usize]
    }

    /// Returns the destinations of packets under a pattern of hosts, from port to port.
    ///
    /// Packets that take the rails in turn are spread evenly over all of them; a packet is the smallest part of a message,
    /// so the same holds for divided messages. By destination, all packets to a host take one rail, and the load is that
    /// of the port that sends most.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if the pattern has too many pairs.
    pub(super) fn destinations(
        self: &Arc<Self>,
        traffic: &Traffic,
        policy: RailPolicy,
    ) -> Result<Destinations, PacketError> {
        if policy != RailPolicy::Destination {
            let of_hosts = Box::new(Destinations::new(traffic)?);
            return Ok(Destinations::OnPorts { of_hosts, ports: self.clone() });
        }
        let rail_to = |host: u32| host % self.count();
        let share_of = |port: u32| {
            let ((source, rail), mut sum) = (self.owner(port), 0.0);
            traffic.flows.visit(source, &mut |to, share| sum += if rail_to(to) == rail { share } else { 0.0 });
            sum
        };
        let ports = self.owners.len() as u32;
        let busiest = (0..ports).map(share_of).fold(0.0, f64::max);
        Destinations::tabulated(&traffic.name, ports, |port, visit| {
            let (source, rail) = self.owner(port);
            traffic.flows.visit(source, &mut |to, share| {
                if rail_to(to) == rail {
                    visit(self.port(to, rail), share / busiest);
                }
            });
        })
    }

    /// Returns the ports from and to which packets from host to host travel; those of a pair of hosts in this order.
    pub fn of_packets(&self, packets: impl Iterator<Item = (u32, u32)>, policy: RailPolicy) -> Vec<(u32, u32)> {
        let mut sent: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        let rails = u64::from(self.count());
        let of_packet = |(from, to): (u32, u32)| {
            let earlier = sent.entry((from, to)).or_default();
            let rail = (policy.turn(from, to, *earlier, rails) % rails) as u32;
            *earlier += 1;
            (self.port(from, rail), self.port(to, rail))
        };
        packets.map(of_packet).collect()
    }
}

fn checked(hosts: Option<HostsPerSwitch>) -> Result<CheckedParameters, PacketError> {
    Ok(PlatformParameters { hosts_per_switch: hosts, ..PlatformParameters::default() }.check()?)
}

/// Attaches hosts to all planes of a network: as [`Wiring::new`].
pub(super) fn attach(
    topology: Arc<Topology>,
    rails: &Rails,
    hosts: Option<HostsPerSwitch>,
    host_port: HostPort,
    latency: u32,
) -> Result<Wiring, PacketError> {
    if rails.planes.iter().any(|plane| plane.failed.contains(&true)) {
        return Err(PacketError::NotModelled {
            network: topology.name(),
            what: "hosts that have lost a port under synthetic traffic: it is divided equally over all ports".into(),
            instead: "fail cables or switches without hosts, or replay messages: `mopsim replay --model packet`",
        });
    }
    let places = rails.places(&checked(hosts)?.homes_on(rails)?).expect("the parameters were checked");
    let ports_on = rails.ports_on(&places);
    // Ports in the order of directions would decide ties differently in planes of another kind.
    let by_direction = rails.planes.iter().all(|plane| Wiring::is_by_direction(&plane.topology));
    let mut planes = Vec::with_capacity(rails.planes.len());
    for plane in &rails.planes {
        let first = plane.first_switch as usize;
        let on = ports_on[first..first + plane.homes.len()].to_vec();
        planes.push(Wiring::attached(Arc::new(plane.topology.clone()), on, host_port, latency, by_direction)?);
    }
    let mut first_port = vec![0];
    for plane in &planes {
        first_port.push(first_port[first_port.len() - 1] + plane.hosts());
    }
    let first_switch: Vec<u32> = rails.planes.iter().map(|plane| plane.first_switch).collect();
    let ports = HostPorts::new(&places, &first_switch, &first_port);
    Ok(Wiring::joined(topology, planes, ports))
}

impl Wiring {
    /// Returns the planes, each with the latencies of its cables: the network itself if its hosts have one port.
    pub fn planes(self: &Arc<Self>) -> Vec<WiredPlane> {
        let Some(rails) = self.topology.rails.as_ref().filter(|_| self.ports.is_some()) else {
            return vec![WiredPlane { wiring: self.clone(), first_switch: 0, first_port: 0 }];
        };
        let of_plane = |plane: &crate::topology::rails::Plane| {
            let first = plane.first_switch as usize;
            let counts = (0..plane.homes.len()).map(|s| self.hosts_of((first + s) as u32)).collect();
            let topology = Arc::new(plane.topology.clone());
            let mut wiring = Wiring::attached(topology, counts, self.host_port, 1, self.hosts_last)
                .expect("the plane was attached before");
            let first_arc = plane.first_arc as usize;
            wiring.latency.copy_from_slice(&self.latency[first_arc..first_arc + plane.topology.graph.arcs()]);
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
            && self.host_port == other.host_port
            && a.graph.arcs() == b.graph.arcs()
            && (0..a.graph.arcs() as u32)
                .map(ArcId)
                .all(|arc| a.graph.tail(arc) == b.graph.tail(arc) && a.graph.head(arc) == b.graph.head(arc))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wiring(spec: &str) -> Arc<Wiring> {
        let topology = Arc::new(crate::topology::build(spec).expect(spec));
        Arc::new(Wiring::new(topology, None, HostPort::Own, 3).expect(spec))
    }

    #[test]
    fn the_planes_are_parts_of_the_whole() {
        for spec in [
            "rails:base=torus:4x4,planes=2",
            "rails:base=\"torus:4x4;random_regular:n=16,d=4,seed=3\"",
            "rails:base=\"ring:8;torus:2x4;imase_itoh_undirected:n=8,d=3\"",
            "rails:base=hypercube:4,planes=2,ports=2,at=group",
            "rails:base=\"imase_itoh:n=12,d=3\",ports=3",
        ] {
            let Ok(topology) = crate::topology::build(spec) else { continue };
            let all = Arc::new(Wiring::new(Arc::new(topology), None, HostPort::Own, 3).expect(spec));
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
