//! Loads of links, the bottleneck links among them, and the rates of hosts.

use super::carried::{Carried, Incidence};
use super::fill::{Fair, NOTHING, fill};
use super::{Demand, Network};
use crate::topology::ArcId;
use serde::Serialize;

/// Relative difference below which loads are equal.
pub const SAME: f64 = 1e-9;

/// Distribution of values.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Distribution {
    /// Smallest value.
    pub min: f64,
    /// 1st percentile.
    pub p1: f64,
    /// 5th percentile.
    pub p5: f64,
    /// 25th percentile.
    pub p25: f64,
    /// 50th percentile.
    pub median: f64,
    /// 75th percentile.
    pub p75: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest value.
    pub max: f64,
    /// Mean value.
    pub mean: f64,
}

impl Distribution {
    /// Returns the distribution of (value, number of occurrences) pairs; all 0 if there are none.
    pub fn of(mut values: Vec<(f64, u64)>) -> Self {
        values.retain(|value| value.1 > 0);
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = values.iter().map(|&(_, times)| times).sum();
        let Some(&(max, _)) = values.last() else { return Self::default() };
        // Nearest-rank percentile: the smallest value such that at least this part of all values is at or below it.
        let rank = |percent: u128| (u128::from(total) * percent).div_ceil(100) as u64;
        let mut percentiles = [1, 5, 25, 50, 75, 95, 99].map(rank).into_iter();
        let mut found = [max; 7];
        let (mut seen, mut at) = (0, 0);
        let mut wanted = percentiles.next();
        for &(value, times) in &values {
            seen += times;
            while let Some(rank) = wanted
                && rank <= seen
            {
                found[at] = value;
                at += 1;
                wanted = percentiles.next();
            }
        }
        let [p1, p5, p25, median, p75, p95, p99] = found;
        let mean = values.iter().map(|&(value, times)| value * times as f64).sum::<f64>() / total as f64;
        Self { min: values[0].0, p1, p5, p25, median, p75, p95, p99, max, mean }
    }
}

/// Bottleneck link.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bottleneck {
    /// Name: `3->17`.
    pub link: String,
    /// Load at injection 1, in units of its capacity.
    pub load: f64,
    /// Injection at which it is full.
    pub saturates_at: f64,
}

/// Loads of the links between switches at injection 1, in units of their capacity.
#[derive(Clone, PartialEq, Debug)]
pub struct Loads {
    /// Load of each link.
    pub links: Vec<f64>,
    /// Injection at which the first link between switches is full; infinite if none carries traffic.
    pub network_saturation: f64,
    /// Injection at which the first link is full, links of hosts included; infinite if none carries traffic.
    pub saturation: f64,
    /// Distribution of loads over the links.
    pub distribution: Distribution,
    /// Number of links with the largest load.
    pub fullest: usize,
}

impl Loads {
    /// Computes the loads from the traffic on arcs.
    pub fn new(network: &Network, demand: &Demand, carried: &Carried) -> Self {
        let mut links = vec![0.0; network.links];
        for (arc, load) in (0..).zip(&carried.arcs) {
            links[network.link(ArcId(arc)) as usize] += load;
        }
        let distribution = Distribution::of(links.iter().map(|&load| (load, 1)).collect());
        let network_saturation = if distribution.max > 0.0 { 1.0 / distribution.max } else { f64::INFINITY };
        let fullest = match distribution.max > 0.0 {
            true => links.iter().filter(|&&load| load >= distribution.max * (1.0 - SAME)).count(),
            false => 0,
        };
        let saturation = network_saturation.min(demand.host_saturation(network));
        Self { links, network_saturation, saturation, distribution, fullest }
    }

    /// Returns the fullest links, the fullest first.
    pub fn bottlenecks(&self, network: &Network, count: usize) -> Vec<Bottleneck> {
        let mut order: Vec<usize> = (0..self.links.len()).filter(|&link| self.links[link] > 0.0).collect();
        // Loads that differ only by rounding are in the order of the links.
        let key = |link: usize| (self.links[link] / self.distribution.max * 1e9).round() as u64;
        order.sort_by_key(|&link| (std::cmp::Reverse(key(link)), link));
        let bottleneck = |&link: &usize| Bottleneck {
            link: network.link_name(link),
            load: self.links[link],
            saturates_at: 1.0 / self.links[link],
        };
        order.iter().take(count).map(bottleneck).collect()
    }

    /// Returns the number of links whose load is in each of `classes` equal classes from 0 to the largest.
    pub fn histogram(&self, classes: usize) -> Vec<u64> {
        let mut counts = vec![0; classes];
        for load in &self.links {
            let class = if self.distribution.max > 0.0 { load / self.distribution.max * classes as f64 } else { 0.0 };
            counts[(class as usize).min(classes - 1)] += 1;
        }
        counts
    }
}

/// Rates of flows if every source offers the full rate of its link, and flows share links fairly in proportion to their
/// demands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FairShare {
    /// Level of the flows: rate over demand at injection 1.
    pub level: Distribution,
    /// Mean traffic of a sending host, in units of a link's bandwidth; flows that nothing limits are assumed to send at
    /// the mean rate of the others.
    pub accepted: f64,
    /// Number of flows that nothing limits, which have no level: within a switch, if hosts have no links.
    pub unbound: u64,
    /// Part of the flows that a link between switches limits; the others are limited by links of hosts, most of them by
    /// the offered traffic of their source.
    pub held_by_network: f64,
}

/// Returns the levels of all classes; `None` if there were too many entries to keep.
pub fn levels(network: &Network, demand: &Demand, carried: &Carried) -> Option<Fair> {
    let incidence = carried.incidence.as_ref()?;
    let mut capacity = vec![1.0; network.links];
    capacity.extend(&demand.host_links);
    let demands: Vec<f64> = demand.classes.iter().map(|class| class.demand).collect();
    let bounds: Vec<f64> = demand.classes.iter().map(|class| class.bound).collect();
    if !demand.coupled {
        return Some(fill(&capacity, incidence, &demands, &bounds));
    }
    // The parts of a flow advance together: one class, on the links of all of them.
    let (together, demands) = coupled(incidence, &demands, demand.parts as usize);
    let fair = fill(&capacity, &together, &demands, &bounds[..demands.len()]);
    let again = |values: &[f64]| values.repeat(demand.parts as usize);
    Some(Fair { level: again(&fair.level), limit: fair.limit.repeat(demand.parts as usize) })
}

/// Returns the links of whole flows and their demands, from those of their parts, which are one after another.
fn coupled(incidence: &Incidence, demands: &[f64], parts: usize) -> (Incidence, Vec<f64>) {
    let flows = demands.len() / parts;
    let mut together = Incidence { first: vec![0], ..Incidence::default() };
    let mut whole = Vec::with_capacity(flows);
    for flow in 0..flows {
        let own = (0..parts).map(|part| part * flows + flow);
        let demand: f64 = own.clone().map(|class| demands[class]).sum();
        for class in own {
            for (link, part) in incidence.of(class) {
                together.links.push(link as u32);
                together.parts.push(part * demands[class] / demand);
            }
        }
        together.first.push(together.links.len());
        whole.push(demand);
    }
    (together, whole)
}

/// Summarises the levels for flows and hosts.
pub fn fair_share(network: &Network, demand: &Demand, fair: &Fair) -> FairShare {
    let (mut values, mut unbound, mut held, mut all) = (Vec::with_capacity(demand.classes.len()), 0, 0_u64, 0_u64);
    // Rates of limited flows, and their demands.
    let (mut given, mut asked) = (0.0, 0.0);
    for ((class, &level), &limit) in demand.classes.iter().zip(&fair.level).zip(&fair.limit) {
        all += class.flows;
        if limit == NOTHING {
            unbound += class.flows;
            continue;
        }
        values.push((level, class.flows));
        given += level * class.demand;
        asked += class.demand;
        held += if (limit as usize) < network.links { class.flows } else { 0 };
    }
    let bound = (all - unbound).max(1);
    FairShare {
        level: Distribution::of(values),
        accepted: if asked > 0.0 { given / asked * demand.total / f64::from(demand.senders.max(1)) } else { 0.0 },
        unbound: unbound / u64::from(demand.parts.max(1)),
        held_by_network: held as f64 / bound as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        // 1 to 200, each once: the 1 % rank is the second value.
        let found = Distribution::of((1..=200).rev().map(|value| (f64::from(value), 1)).collect());
        let all = [found.min, found.p1, found.p5, found.p25, found.median, found.p75, found.p95, found.p99, found.max];
        assert_eq!(all, [1.0, 2.0, 10.0, 50.0, 100.0, 150.0, 190.0, 198.0, 200.0]);
        assert!((found.mean - 100.5).abs() < 1e-12);
        // Three of 1 and one of 5.
        let few = Distribution::of(vec![(5.0, 1), (1.0, 3)]);
        assert_eq!((few.median, few.p75, few.p95, few.mean), (1.0, 1.0, 5.0, 2.0));
        assert_eq!(Distribution::of(Vec::new()), Distribution::default());
    }
}
