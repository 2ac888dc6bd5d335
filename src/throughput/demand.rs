//! Flows that are equivalent, as one.
//!
//! Flows between the same two switches that are limited by the same links have the same level (rate over demand), so
//! they form one class. If the hosts of a switch are reached by different routes, each destination has a class of its
//! own; if routes depend on both hosts, each pair of hosts has one.
//!
//! A source offers no more than its link carries, distributed by the pattern, so no level exceeds the capacity of that
//! link; the link itself then never limits a flow. (Without this bound a flow to a neighbour, or to the host itself,
//! would take the capacity that flows to far hosts leave over, and every host would seem to send at full rate.) The
//! link of a destination is a link for the solver only if the traffic to it exceeds its capacity. If every host sends
//! to every host alike, it never does.
//!
//! If hosts have several ports, a flow has a part on each rail that its messages take. These parts are flows of their own,
//! unless every message is divided: then the slowest part holds up the others.

use super::rails::{PortRail, rails_to};
use super::{Network, ThroughputError};
use crate::platform::RailPolicy;
use crate::routing::Scope;
use crate::traffic::{Evenly, Traffic};

/// Most classes: all pairs of 4,096 switches.
pub const MAX_CLASSES: usize = 1 << 24;

/// Marks a class whose destination link never limits it.
pub const NO_LINK: u32 = u32::MAX;

/// Flows from hosts of one switch to hosts of another, all with the same rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Class {
    /// Switch of the sources.
    pub from: u32,
    /// Switch of the destinations.
    pub to: u32,
    /// Index of the plane.
    pub plane: u32,
    /// Port of one of the sources, by its number in the plane; the only one, if routes distinguish them.
    pub source: u32,
    /// Port of one of the destinations; the only one, if routes distinguish hosts.
    pub host: u32,
    /// Sum of the flows if every source sends at the rate of one link.
    pub demand: f64,
    /// Number of flows.
    pub flows: u64,
    /// Link of the destination, an index into [`Demand::host_links`], or `NO_LINK`.
    pub down: u32,
    /// Injection at which the source's own link is full, in units of a link's bandwidth; infinite without one.
    pub bound: f64,
}

impl Class {
    /// Returns one flow between two hosts on a rail; no link of its destination limits it.
    fn on(rail: &PortRail, (from, to): (u32, u32), demand: f64, bound: f64) -> Self {
        let [from, to] = [from as usize, to as usize];
        Self {
            from: rail.switches[from],
            to: rail.switches[to],
            plane: rail.plane as u32,
            source: rail.numbers[from],
            host: rail.numbers[to],
            demand,
            flows: 1,
            down: NO_LINK,
            bound,
        }
    }
}

/// All traffic.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Classes, by source and destination.
    pub classes: Vec<Class>,
    /// Capacities of the links of hosts whose incoming traffic exceeds them.
    pub host_links: Vec<f64>,
    /// Traffic sent at injection 1 by each port of a host, in the order of the rails.
    pub sent: Vec<f64>,
    /// Traffic received at injection 1 by each port of a host, in the order of the rails.
    pub received: Vec<f64>,
    /// Number of parts of a flow, on as many rails.
    pub parts: u32,
    /// `true` if the parts of a flow advance together. The classes of each part then have the same order, one part after
    /// the other.
    pub coupled: bool,
    /// Number of flows.
    pub flows: u64,
    /// Flows from a host to itself.
    pub to_self: u64,
    /// Number of hosts that send.
    pub senders: u32,
    /// Sum of all demands.
    pub total: f64,
}

impl Demand {
    /// Returns the traffic of a pattern on a network; `scope` is the input on which its routes depend.
    ///
    /// # Errors
    /// [`ThroughputError::TooLarge`] beyond `MAX_CLASSES`.
    pub fn new(network: &Network, traffic: &Traffic, scope: Scope) -> Result<Self, ThroughputError> {
        // Otherwise neighbouring hosts are reached on different rails.
        let alike = network.rails.len() == 1 || network.speeds.rail != RailPolicy::Destination;
        match traffic.flows.evenly().filter(|_| alike) {
            Some(evenly) => Self::evenly(network, evenly, scope),
            None => Self::flow_by_flow(network, traffic, scope),
        }
    }

    fn evenly(network: &Network, evenly: Evenly, scope: Scope) -> Result<Self, ThroughputError> {
        let rails = &network.rails;
        // Neighbouring hosts with the same switch on each rail, as the first of them and their number.
        let groups = |by_host: bool| -> Vec<(u32, u32)> {
            let alike =
                |a: u32, b: u32| rails.iter().all(|rail| rail.switches[a as usize] == rail.switches[b as usize]);
            let hosts: Vec<u32> = (0..network.host_switch.len() as u32).collect();
            let together = hosts.chunk_by(|&a, &b| !by_host && alike(a, b));
            together.map(|group| (group[0], group.len() as u32)).collect()
        };
        let (senders, receivers) = (groups(scope >= Scope::Pair), groups(scope >= Scope::Destination));
        if senders.len().saturating_mul(receivers.len()).saturating_mul(rails.len()) > MAX_CLASSES {
            let (from, to) = (senders.len(), receivers.len());
            return Err(too_many(match scope {
                Scope::Switches => format!("all pairs of {from} switches and as many"),
                Scope::Destination => format!("all pairs of {from} switches and {to} hosts"),
                Scope::Pair => format!("all pairs of {from} hosts; rules that know switches alone have fewer"),
            }));
        }
        let mut demand = Self::of_parts(network);
        let parts = f64::from(demand.parts);
        let bound = network.host_capacity().map_or(f64::INFINITY, |capacity| capacity * parts);
        for rail in rails {
            for &(source, sources) in &senders {
                for &(first, destinations) in &receivers {
                    // With a class of its own for each destination, a flow to itself is one of those from its group.
                    let own = (source..source + sources).contains(&first);
                    let to_self = u64::from(if own { destinations } else { 0 });
                    let flows =
                        u64::from(sources) * u64::from(destinations) - if evenly.with_self { 0 } else { to_self };
                    if flows == 0 {
                        continue;
                    }
                    demand.to_self += if evenly.with_self { to_self } else { 0 };
                    let share = flows as f64 * evenly.share() / parts;
                    demand.classes.push(Class { flows, ..Class::on(rail, (source, first), share, bound) });
                }
            }
        }
        let ports = network.host_switch.len() * rails.len();
        demand.sent = vec![1.0 / parts; ports];
        demand.received = vec![1.0 / parts; ports];
        demand.counted(network)
    }

    /// Returns no traffic, in the parts that a flow of a network has.
    fn of_parts(network: &Network) -> Self {
        let (rails, policy) = (network.rails.len(), network.speeds.rail);
        let parts = rails_to(policy, rails, 0).0.len() as u32;
        Self { parts, coupled: parts > 1 && policy == RailPolicy::Striped, ..Self::default() }
    }

    fn flow_by_flow(network: &Network, traffic: &Traffic, scope: Scope) -> Result<Self, ThroughputError> {
        let (rails, policy) = (&network.rails, network.speeds.rail);
        let hosts = network.host_switch.len();
        let of = |to: u32| rails_to(policy, rails.len(), to);
        let ports = hosts * rails.len();
        let mut demand = Self { sent: vec![0.0; ports], received: vec![0.0; ports], ..Self::of_parts(network) };
        let mut count = 0_usize;
        for source in 0..hosts as u32 {
            traffic.flows.visit(source, &mut |to, share| {
                let (taken, part) = of(to);
                for rail in taken {
                    demand.sent[rail * hosts + source as usize] += share * part;
                    demand.received[rail * hosts + to as usize] += share * part;
                    count += 1;
                }
            });
        }
        if count > MAX_CLASSES {
            return Err(too_many(format!("{count} flows")));
        }
        let capacity = network.host_capacity();
        // With one port, some source sends at the rate of its link at injection 1.
        let fullest = match rails.len() {
            1 => 1.0,
            _ => demand.sent.iter().copied().fold(0.0, f64::max),
        };
        let bound = capacity.map_or(f64::INFINITY, |capacity| capacity / fullest);
        let mut downs = vec![NO_LINK; ports];
        if let Some(capacity) = capacity {
            // Rounding in sums of shares must not create a link.
            for (down, _) in downs.iter_mut().zip(&demand.received).filter(|(_, received)| **received > fullest + 1e-9)
            {
                *down = demand.host_links.len() as u32;
                demand.host_links.push(capacity);
            }
        }
        demand.classes.reserve_exact(count);
        let blocks = if demand.coupled { rails.len() } else { 1 };
        for block in 0..blocks {
            for source in 0..hosts as u32 {
                traffic.flows.visit(source, &mut |to, share| {
                    let (taken, part) = of(to);
                    for number in taken.filter(|rail| blocks == 1 || *rail == block) {
                        let down = downs[number * hosts + to as usize];
                        demand.to_self += u64::from(to == source);
                        let class = Class::on(&rails[number], (source, to), share * part, bound);
                        demand.classes.push(Class { down, ..class });
                    }
                });
            }
        }
        if demand.coupled {
            // Parts of one flow find each other by their order.
            return demand.counted(network);
        }
        let order = |class: &Class| {
            let destination = if scope >= Scope::Destination { class.host } else { 0 };
            let source = if scope >= Scope::Pair { class.source } else { 0 };
            (class.from, class.to, class.down, destination, source)
        };
        demand.classes.sort_unstable_by_key(order);
        demand.classes.dedup_by(|next, kept| {
            let same = order(next) == order(kept);
            if same {
                kept.demand += next.demand;
                kept.flows += next.flows;
            }
            same
        });
        demand.counted(network)
    }

    fn counted(mut self, network: &Network) -> Result<Self, ThroughputError> {
        // Each part of a flow is in a class of its own.
        self.flows = self.classes.iter().map(|class| class.flows).sum::<u64>() / u64::from(self.parts);
        self.to_self /= u64::from(self.parts);
        self.total = self.classes.iter().map(|class| class.demand).sum();
        let hosts = network.host_switch.len();
        let sends = |host: usize| self.sent[host..].iter().step_by(hosts).any(|&sent| sent > 0.0);
        self.senders = (0..hosts).filter(|&host| sends(host)).count() as u32;
        Ok(self)
    }

    /// Returns the injection at which the first host's link is full; infinite without such links.
    pub fn host_saturation(&self, network: &Network) -> f64 {
        let most = self.sent.iter().chain(&self.received).copied().fold(0.0, f64::max);
        network.host_capacity().map_or(f64::INFINITY, |capacity| capacity / most)
    }

    /// Returns the traffic between switches at injection 1: for each source in ascending order, destinations in
    /// ascending order.
    pub fn between_switches(&self) -> Vec<(u32, Vec<(u32, f64)>)> {
        let mut pairs: Vec<(u32, u32, f64)> = self
            .classes
            .iter()
            .filter(|class| class.from != class.to)
            .map(|class| (class.from, class.to, class.demand))
            .collect();
        pairs.sort_by_key(|pair| (pair.0, pair.1));
        let mut rows: Vec<(u32, Vec<(u32, f64)>)> = Vec::new();
        for (from, to, demand) in pairs {
            if rows.last().is_none_or(|row| row.0 != from) {
                rows.push((from, Vec::new()));
            }
            let row = &mut rows.last_mut().expect("it was just made").1;
            match row.last_mut() {
                Some(last) if last.0 == to => last.1 += demand,
                _ => row.push((to, demand)),
            }
        }
        rows
    }
}

fn too_many(value: String) -> ThroughputError {
    ThroughputError::TooLarge { what: "this traffic".into(), value, limit: format!("{MAX_CLASSES} pairs") }
}
