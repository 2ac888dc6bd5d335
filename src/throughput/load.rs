//! How much links have to carry, which of them hold the traffic up, and what hosts get.

use super::fill::{Fair, NOTHING, fill};
use super::paths::Carried;
use super::{Demand, Network};
use crate::topology::ArcId;
use serde::Serialize;

/// Loads that differ by less than this part are the same.
pub const SAME: f64 = 1e-9;

/// How values are distributed.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Distribution {
    /// The least.
    pub min: f64,
    /// 1 % are at most this.
    pub p1: f64,
    /// 5 %.
    pub p5: f64,
    /// 25 %.
    pub p25: f64,
    /// Half.
    pub median: f64,
    /// 75 %.
    pub p75: f64,
    /// 95 %.
    pub p95: f64,
    /// 99 %.
    pub p99: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl Distribution {
    /// Of values that occur so many times each; all 0 if there is none.
    pub fn of(mut values: Vec<(f64, u64)>) -> Self {
        values.retain(|value| value.1 > 0);
        values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let total: u64 = values.iter().map(|&(_, times)| times).sum();
        let Some(&(max, _)) = values.last() else { return Self::default() };
        // The least value that is not below so large a part of all: the nearest-rank definition.
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

/// A link that holds the traffic up.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Bottleneck {
    /// Name: `3->17`.
    pub link: String,
    /// What it carries at injection 1, in units of its capacity.
    pub load: f64,
    /// The injection at which it is full.
    pub saturates_at: f64,
}

/// Loads of the links between switches at injection 1, in units of their capacity.
#[derive(Clone, PartialEq, Debug)]
pub struct Loads {
    /// Of each link.
    pub links: Vec<f64>,
    /// The injection at which the first link between switches is full; infinite if nothing takes any.
    pub network_saturation: f64,
    /// The same with the links of hosts.
    pub saturation: f64,
    /// How loads are distributed over the links.
    pub distribution: Distribution,
    /// Number of links that carry as much as the fullest.
    pub fullest: usize,
}

impl Loads {
    /// From what arcs carry.
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

    /// The fullest links, the fullest first.
    pub fn bottlenecks(&self, network: &Network, count: usize) -> Vec<Bottleneck> {
        let mut order: Vec<usize> = (0..self.links.len()).filter(|&link| self.links[link] > 0.0).collect();
        // Loads that differ by rounding only come in the order of the links.
        let key = |link: usize| (self.links[link] / self.distribution.max * 1e9).round() as u64;
        order.sort_by_key(|&link| (std::cmp::Reverse(key(link)), link));
        let bottleneck = |&link: &usize| Bottleneck {
            link: network.link_name(link),
            load: self.links[link],
            saturates_at: 1.0 / self.links[link],
        };
        order.iter().take(count).map(bottleneck).collect()
    }

    /// Number of links whose load is in each of so many equal classes from 0 to the largest.
    pub fn histogram(&self, classes: usize) -> Vec<u64> {
        let mut counts = vec![0; classes];
        for load in &self.links {
            let class = if self.distribution.max > 0.0 { load / self.distribution.max * classes as f64 } else { 0.0 };
            counts[(class as usize).min(classes - 1)] += 1;
        }
        counts
    }
}

/// What flows get if every source offers all that its link carries, and flows share links fairly in proportion to their
/// demands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FairShare {
    /// Level of the flows: rate over demand at injection 1.
    pub level: Distribution,
    /// What a sending host sends on average, in units of a link's bandwidth; flows that nothing holds are taken to send
    /// as the others do on average.
    pub accepted: f64,
    /// Flows that nothing holds, which have no level: within a switch, where hosts have no links.
    pub unbound: u64,
    /// Part of the flows that a link between switches holds; the others are held by links of hosts, most of them by
    /// what their source offers.
    pub held_by_network: f64,
}

/// The levels of all classes; `None` where there were too many entries to keep.
pub fn levels(network: &Network, demand: &Demand, carried: &Carried) -> Option<Fair> {
    let incidence = carried.incidence.as_ref()?;
    let mut capacity = vec![1.0; network.links];
    capacity.extend(&demand.host_links);
    let demands: Vec<f64> = demand.classes.iter().map(|class| class.demand).collect();
    let bounds: Vec<f64> = demand.classes.iter().map(|class| class.bound).collect();
    Some(fill(&capacity, incidence, &demands, &bounds))
}

/// What the levels mean for flows and hosts.
pub fn fair_share(network: &Network, demand: &Demand, fair: &Fair) -> FairShare {
    let (mut values, mut unbound, mut held) = (Vec::with_capacity(demand.classes.len()), 0, 0_u64);
    // What held flows get, and what they ask for.
    let (mut given, mut asked) = (0.0, 0.0);
    for ((class, &level), &limit) in demand.classes.iter().zip(&fair.level).zip(&fair.limit) {
        if limit == NOTHING {
            unbound += class.flows;
            continue;
        }
        values.push((level, class.flows));
        given += level * class.demand;
        asked += class.demand;
        held += if (limit as usize) < network.links { class.flows } else { 0 };
    }
    let bound = (demand.flows - unbound).max(1);
    FairShare {
        level: Distribution::of(values),
        accepted: if asked > 0.0 { given / asked * demand.total / f64::from(demand.senders.max(1)) } else { 0.0 },
        unbound,
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
