//! Ports of hosts that have several.
//!
//! To the engines every port is a host of its own, numbered plane by plane, then switch by switch as in
//! [`Rails`](crate::topology::Rails). A packet leaves and arrives by the ports of one rail, so planes have nothing in
//! common but the pattern. Rejected: engines that know hosts with several ports. Ports of a host share nothing, neither
//! buffers nor turns.

use crate::platform::RailPolicy;
use crate::topology::rails::Places;
use rustc_hash::FxHashMap;

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
    pub(super) fn new(places: &[Places], first_switch: &[u32], first_port: &[u32]) -> Self {
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

    /// Returns the ports from and to which packets from host to host travel; those of a pair of hosts in this order.
    pub fn of_packets(&self, packets: impl Iterator<Item = (u32, u32)>, policy: RailPolicy) -> Vec<(u32, u32)> {
        let mut sent: FxHashMap<(u32, u32), u64> = FxHashMap::default();
        let of_packet = |(from, to): (u32, u32)| {
            let earlier = sent.entry((from, to)).or_default();
            let rail = policy.rail(from, to, *earlier, self.rails.len()) as u32;
            *earlier += 1;
            (self.port(from, rail), self.port(to, rail))
        };
        packets.map(of_packet).collect()
    }
}
