//! Flows that cannot be told apart, as one.
//!
//! Flows between the same two switches that are held by the same links stand at the same level (rate over demand), so they
//! are one class. A host's link that only one flow takes is no link for the solver but a bound of that flow. Where every host
//! sends to every host alike, the hosts of a switch are interchangeable and their links are one link, as wide as all of them.

use super::{Network, ThroughputError};
use crate::traffic::{Evenly, Traffic};

/// Most classes: all pairs of 4,096 switches.
pub const MAX_CLASSES: usize = 1 << 24;

/// No link of a host has to be looked at.
pub const NO_LINK: u32 = u32::MAX;

/// Flows from hosts of one switch to hosts of another, which all get the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Class {
    /// Switch of the sources.
    pub from: u32,
    /// Switch of the destinations.
    pub to: u32,
    /// Sum of the flows where every source sends as much as one link carries.
    pub demand: f64,
    /// Number of flows.
    pub flows: u32,
    /// Link of the source, an index into [`Demand::host_links`], or [`NO_LINK`].
    pub up: u32,
    /// The same for the destination.
    pub down: u32,
    /// The injection at which a host's own link is full, in units of a link's bandwidth; infinite without one.
    pub bound: f64,
}

/// All traffic.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// Classes, by source and destination.
    pub classes: Vec<Class>,
    /// Capacities of the hosts' links that several flows share.
    pub host_links: Vec<f64>,
    /// What each host sends at injection 1, and what each receives.
    pub sent: Vec<f64>,
    /// What each host receives at injection 1.
    pub received: Vec<f64>,
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
    /// What a pattern puts on a network.
    ///
    /// # Errors
    /// [`ThroughputError::TooLarge`] beyond [`MAX_CLASSES`].
    pub fn new(network: &Network, traffic: &Traffic) -> Result<Self, ThroughputError> {
        match traffic.flows.evenly() {
            Some(evenly) => Self::evenly(network, evenly),
            None => Self::flow_by_flow(network, traffic),
        }
    }

    fn evenly(network: &Network, evenly: Evenly) -> Result<Self, ThroughputError> {
        let groups: Vec<(u32, u32)> =
            network.host_switch.chunk_by(|a, b| a == b).map(|group| (group[0], group.len() as u32)).collect();
        if groups.len() * groups.len() > MAX_CLASSES {
            return Err(too_many(format!("all pairs of {} switches", groups.len())));
        }
        let capacity = network.host_capacity();
        let mut demand = Self::default();
        for (source, &(from, sources)) in (0_u32..).zip(&groups) {
            for (destination, &(to, destinations)) in (0_u32..).zip(&groups) {
                let to_self = if from == to { sources } else { 0 };
                let flows = sources * destinations - if evenly.with_self { 0 } else { to_self };
                if flows == 0 {
                    continue;
                }
                demand.to_self += if evenly.with_self { u64::from(to_self) } else { 0 };
                demand.classes.push(Class {
                    from,
                    to,
                    demand: f64::from(flows) * evenly.share(),
                    flows,
                    up: if capacity.is_some() { 2 * source } else { NO_LINK },
                    down: if capacity.is_some() { 2 * destination + 1 } else { NO_LINK },
                    bound: f64::INFINITY,
                });
            }
        }
        if let Some(capacity) = capacity {
            demand.host_links = groups.iter().flat_map(|&(_, hosts)| [capacity * f64::from(hosts); 2]).collect();
        }
        let hosts = network.host_switch.len();
        demand.sent = vec![1.0; hosts];
        demand.received = vec![1.0; hosts];
        demand.counted()
    }

    fn flow_by_flow(network: &Network, traffic: &Traffic) -> Result<Self, ThroughputError> {
        let switch = &network.host_switch;
        let hosts = switch.len();
        let mut demand = Self { sent: vec![0.0; hosts], received: vec![0.0; hosts], ..Self::default() };
        let (mut leaving, mut arriving) = (vec![0_u32; hosts], vec![0_u32; hosts]);
        let mut count = 0_usize;
        for source in 0..hosts as u32 {
            traffic.flows.visit(source, &mut |to, share| {
                leaving[source as usize] += 1;
                arriving[to as usize] += 1;
                demand.sent[source as usize] += share;
                demand.received[to as usize] += share;
                count += 1;
            });
        }
        if count > MAX_CLASSES {
            return Err(too_many(format!("{count} flows")));
        }
        let mut links = HostLinks { capacity: network.host_capacity(), found: Vec::new() };
        let ups: Vec<u32> = leaving.iter().map(|&flows| links.shared_by(flows)).collect();
        let downs: Vec<u32> = arriving.iter().map(|&flows| links.shared_by(flows)).collect();
        demand.classes.reserve_exact(count);
        for source in 0..hosts as u32 {
            traffic.flows.visit(source, &mut |to, share| {
                demand.to_self += u64::from(to == source);
                demand.classes.push(Class {
                    from: switch[source as usize],
                    to: switch[to as usize],
                    demand: share,
                    flows: 1,
                    up: ups[source as usize],
                    down: downs[to as usize],
                    bound: links.capacity.map_or(f64::INFINITY, |capacity| capacity / share),
                });
            });
        }
        demand.host_links = links.found;
        let order = |class: &Class| (class.from, class.to, class.up, class.down, class.bound.to_bits());
        demand.classes.sort_unstable_by_key(order);
        demand.classes.dedup_by(|next, kept| {
            let same = order(next) == order(kept);
            if same {
                kept.demand += next.demand;
                kept.flows += next.flows;
            }
            same
        });
        demand.counted()
    }

    fn counted(mut self) -> Result<Self, ThroughputError> {
        self.flows = self.classes.iter().map(|class| u64::from(class.flows)).sum();
        self.total = self.classes.iter().map(|class| class.demand).sum();
        self.senders = self.sent.iter().filter(|&&sent| sent > 0.0).count() as u32;
        Ok(self)
    }

    /// The injection at which the first host's link is full; infinite without such links.
    pub fn host_saturation(&self, network: &Network) -> f64 {
        let most = self.sent.iter().chain(&self.received).copied().fold(0.0, f64::max);
        network.host_capacity().map_or(f64::INFINITY, |capacity| capacity / most)
    }

    /// What switches send to other switches at injection 1: for each source in ascending order, destinations in ascending order.
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

struct HostLinks {
    capacity: Option<f64>,
    found: Vec<f64>,
}

impl HostLinks {
    /// The link of a host that so many flows take.
    fn shared_by(&mut self, flows: u32) -> u32 {
        match self.capacity {
            Some(capacity) if flows > 1 => {
                self.found.push(capacity);
                self.found.len() as u32 - 1
            }
            _ => NO_LINK,
        }
    }
}
