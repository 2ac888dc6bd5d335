//! Destinations of packets, drawn from a traffic pattern.

use super::PacketError;
use super::ports::HostPorts;
use super::random::Stream;
use crate::platform::RailPolicy;
use crate::traffic::{Evenly, Traffic};
use std::sync::Arc;

/// Largest number of (source, destination) pairs of a pattern that is neither uniform nor a permutation.
const MAX_PAIRS: usize = 1 << 26;

/// Destinations of the packets of each host.
#[derive(Clone, Debug)]
pub enum Destinations {
    /// All hosts with equal probability.
    Evenly(Evenly),
    /// One destination for each host; [`Destinations::NONE`] if it does not send.
    One {
        /// Destination of each host, or [`Destinations::NONE`].
        to: Vec<u32>,
    },
    /// Several destinations for each host.
    Several {
        /// The destinations of host `h` are `pairs[first[h]..first[h + 1]]`.
        first: Vec<u32>,
        /// Destination, and the sum of the shares up to it.
        pairs: Vec<(u32, f64)>,
    },
    /// From port to port of one rail, where hosts have several ports.
    OnPorts {
        /// Destinations of the packets of each host.
        of_hosts: Box<Destinations>,
        /// Ports of each host.
        ports: Arc<HostPorts>,
    },
}

impl Destinations {
    /// A host that sends nothing.
    pub const NONE: u32 = u32::MAX;

    /// Tabulates a pattern.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if it has too many pairs.
    pub fn new(traffic: &Traffic) -> Result<Self, PacketError> {
        if let Some(evenly) = traffic.flows.evenly() {
            return Ok(Self::Evenly(evenly));
        }
        Self::tabulated(&traffic.name, traffic.endpoints, |source, visit| traffic.flows.visit(source, visit))
    }

    /// Returns the destinations of packets under a pattern of hosts, from port to port.
    ///
    /// Packets that take the rails in turn are spread evenly over all of them; a packet is the smallest part of a message,
    /// so the same holds for divided messages. By destination, all packets to a host take one rail, and the load is that
    /// of the port that sends most.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if the pattern has too many pairs.
    pub(super) fn on_ports(traffic: &Traffic, ports: &Arc<HostPorts>, policy: RailPolicy) -> Result<Self, PacketError> {
        if policy != RailPolicy::Destination {
            return Ok(Self::OnPorts { of_hosts: Box::new(Self::new(traffic)?), ports: ports.clone() });
        }
        let rail_to = |host: u32| policy.rail(0, host, 0, ports.count() as usize) as u32;
        let share_of = |port: u32| {
            let ((source, rail), mut sum) = (ports.owner(port), 0.0);
            traffic.flows.visit(source, &mut |to, share| sum += if rail_to(to) == rail { share } else { 0.0 });
            sum
        };
        let count = ports.hosts() * ports.count();
        let busiest = (0..count).map(share_of).fold(0.0, f64::max);
        Self::tabulated(&traffic.name, count, |port, visit| {
            let (source, rail) = ports.owner(port);
            traffic.flows.visit(source, &mut |to, share| {
                if rail_to(to) == rail {
                    visit(ports.port(to, rail), share / busiest);
                }
            });
        })
    }

    /// Tabulates destinations; `flows` calls its function with the destinations of a source, and the share of each.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if there are too many pairs; `name` is that of the pattern.
    fn tabulated(name: &str, sources: u32, flows: impl Fn(u32, &mut dyn FnMut(u32, f64))) -> Result<Self, PacketError> {
        let (mut first, mut pairs) = (vec![0], Vec::new());
        for source in 0..sources {
            let mut sum = 0.0;
            flows(source, &mut |to, share| {
                sum += share;
                pairs.push((to, sum));
            });
            if pairs.len() > MAX_PAIRS {
                let rule = format!("it has more than {MAX_PAIRS} pairs of hosts");
                return Err(PacketError::invalid("pattern", name, rule));
            }
            first.push(pairs.len() as u32);
        }
        let single = first.windows(2).all(|ends| match ends[1] - ends[0] {
            0 => true,
            1 => pairs[ends[0] as usize].1 >= 1.0 - 1e-12,
            _ => false,
        });
        if !single {
            return Ok(Self::Several { first, pairs });
        }
        let to = first.windows(2).map(|ends| match ends[1] - ends[0] {
            0 => Self::NONE,
            _ => pairs[ends[0] as usize].0,
        });
        Ok(Self::One { to: to.collect() })
    }

    /// `true` if a host sends packets.
    pub fn sends(&self, source: u32) -> bool {
        match self {
            Self::Evenly(_) => true,
            Self::One { to } => to[source as usize] != Self::NONE,
            Self::Several { first, .. } => first[source as usize] < first[source as usize + 1],
            Self::OnPorts { of_hosts, ports } => of_hosts.sends(ports.owner(source).0),
        }
    }

    /// Returns the traffic of a host over that of the busiest host.
    pub fn share(&self, source: u32) -> f64 {
        match self {
            Self::Evenly(_) | Self::One { .. } => f64::from(u8::from(self.sends(source))),
            Self::Several { first, pairs } => {
                let own = &pairs[first[source as usize] as usize..first[source as usize + 1] as usize];
                own.last().map_or(0.0, |&(_, sum)| sum)
            }
            Self::OnPorts { of_hosts, ports } => of_hosts.share(ports.owner(source).0),
        }
    }

    /// Returns the traffic of the busiest host over that of the busiest port; 1 where hosts have one port.
    pub fn busiest_host(&self, ports: Option<&HostPorts>) -> f64 {
        let Some(ports) = ports else { return 1.0 };
        if let Self::OnPorts { .. } = self {
            return f64::from(ports.count());
        }
        let of_host = |host: u32| (0..ports.count()).map(|rail| self.share(ports.port(host, rail))).sum();
        (0..ports.hosts()).map(of_host).fold(0.0, f64::max)
    }

    /// Draws the destination of a packet; `None` if this one is not sent because the source sends less than others.
    #[inline]
    pub fn draw(&self, source: u32, stream: &mut Stream) -> Option<u32> {
        match self {
            Self::Evenly(Evenly { endpoints, with_self: true }) => Some(stream.below(*endpoints)),
            Self::Evenly(Evenly { endpoints, with_self: false }) => {
                let to = stream.below(*endpoints - 1);
                Some(to + u32::from(to >= source))
            }
            Self::One { to } => Some(to[source as usize]),
            Self::Several { first, pairs } => {
                let own = &pairs[first[source as usize] as usize..first[source as usize + 1] as usize];
                let unit = stream.unit();
                let place = own.partition_point(|&(_, sum)| sum <= unit);
                match own.get(place) {
                    Some(&(to, _)) => Some(to),
                    // Rounding of the last sum, or a source with less traffic than the busiest.
                    None => own.last().filter(|&&(_, sum)| sum > 1.0 - 1e-9).map(|&(to, _)| to),
                }
            }
            Self::OnPorts { of_hosts, ports } => {
                let (host, rail) = ports.owner(source);
                of_hosts.draw(host, stream).map(|to| ports.port(to, rail))
            }
        }
    }
}
