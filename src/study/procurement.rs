//! What a buyer asks: how much performance a dollar, a watt and a metre of cable give, and what stays within the
//! budget.
//!
//! The performance of a network is its weighted geometric mean of relative performance, `exp(sum w ln r / sum w)` over
//! the workloads. A network is ranked by that number over its dollars and over its watts, as a multiple of the
//! baseline's.

use super::network::NetworkUnderTest;
use crate::cost::{Bill, Prices};
use crate::layout::FloorPlan;
use serde::{Deserialize, Serialize};

/// What a network costs and takes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct NetworkCost {
    /// Dollars for switches and cables.
    pub dollars: f64,
    /// Watts of the switches.
    pub watts: f64,
    /// Metres of cable.
    pub metres: f64,
}

/// What a network may cost, as written in a study.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Dollars for switches and cables.
    pub dollars: Option<f64>,
    /// Watts of the switches.
    pub watts: Option<f64>,
    /// Metres of cable.
    pub metres: Option<f64>,
}

/// The cost of a network by the built-in price list and on its floor plan; `None` for platform files, and if the list
/// has no such switches.
pub fn cost(network: &NetworkUnderTest) -> Option<NetworkCost> {
    let topology = network.topology.as_deref()?;
    let plan = FloorPlan::new(topology, &network.floor).ok()?;
    let cables = plan.cables(&topology.graph);
    let bill = Bill::new(&topology.graph, &plan, &cables, &Prices::default()).ok()?;
    Some(NetworkCost { dollars: bill.dollars(), watts: bill.watts, metres: cables.total })
}

impl Budget {
    /// Its limits by name.
    pub fn limits(&self) -> [(&'static str, Option<f64>); 3] {
        [("dollars", self.dollars), ("watts", self.watts), ("metres", self.metres)]
    }

    /// Whether a network stays within all limits.
    pub fn allows(&self, cost: &NetworkCost) -> bool {
        let within = |limit: Option<f64>, value: f64| limit.is_none_or(|limit| value <= limit);
        within(self.dollars, cost.dollars) && within(self.watts, cost.watts) && within(self.metres, cost.metres)
    }
}

/// A network as a buyer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// Index of the column.
    pub network: usize,
    /// Weighted geometric mean of relative performance.
    pub performance: f64,
    /// What it costs, where known.
    pub cost: Option<NetworkCost>,
    /// Whether it stays within the budget, where the cost is known.
    pub within_budget: Option<bool>,
}

impl Offer {
    /// Relative performance for a dollar.
    pub fn per_dollar(&self) -> Option<f64> {
        self.cost.filter(|cost| cost.dollars > 0.0).map(|cost| self.performance / cost.dollars)
    }

    /// Relative performance for a watt.
    pub fn per_watt(&self) -> Option<f64> {
        self.cost.filter(|cost| cost.watts > 0.0).map(|cost| self.performance / cost.watts)
    }

    /// Relative performance for a metre of cable.
    pub fn per_metre(&self) -> Option<f64> {
        self.cost.filter(|cost| cost.metres > 0.0).map(|cost| self.performance / cost.metres)
    }
}

/// The offers in the order that a buyer wants: those within the budget first, then by performance for a dollar, best
/// first. Networks without a price stand last, by performance.
pub fn ranked(mut offers: Vec<Offer>) -> Vec<Offer> {
    offers.sort_by(|a, b| {
        let outside = |offer: &Offer| offer.within_budget.map_or(2, |within| u8::from(!within));
        let merit = |offer: &Offer| offer.per_dollar().unwrap_or(offer.performance);
        outside(a).cmp(&outside(b)).then(merit(b).total_cmp(&merit(a))).then(a.network.cmp(&b.network))
    });
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_counts_before_speed_and_the_budget_before_both() {
        let budget = Budget { dollars: Some(100.0), ..Budget::default() };
        let offer = |network, performance, dollars: Option<f64>| {
            let cost = dollars.map(|dollars| NetworkCost { dollars, watts: 10.0, metres: 1.0 });
            Offer { network, performance, cost, within_budget: cost.map(|cost| budget.allows(&cost)) }
        };
        let offers = vec![
            offer(0, 9.0, None),
            offer(1, 4.0, Some(200.0)),
            offer(2, 1.0, Some(100.0)),
            offer(3, 1.2, Some(100.0)),
            offer(4, 0.9, Some(50.0)),
        ];
        let order: Vec<usize> = ranked(offers).iter().map(|offer| offer.network).collect();
        assert_eq!(order, [4, 3, 2, 1, 0]);
    }
}
