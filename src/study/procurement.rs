//! Procurement: price, power and cable of each network, total cost of ownership, and the budget.
//!
//! The performance of a network is its weighted geometric mean of relative performance, `exp(sum w ln r / sum w)`
//! over the workloads. A network is ranked by that number over its money and over its watts, as a multiple of the
//! baseline's. Money is the total cost of ownership if the price list or the study has an energy price and a number of
//! years, and otherwise the purchase price.

use super::network::NetworkUnderTest;
use super::statistics::Statistic;
use super::toml_file::{self, PathStep, TomlError, place_of};
use crate::cost::{Bill, Ownership, PriceList, PricesError};
use crate::floorplan::{FloorOptions, FloorPlan};
use crate::platform::HostsPerSwitch;
use crate::topology::families::damaged;
use crate::topology::input::{ReadError, read_text};
use crate::user_error::UserError;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Price, power and cable of a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct NetworkCost {
    /// Purchase price: the quoted one, or that of switches, cables and adapters in the price list.
    pub dollars: Option<f64>,
    /// Power of switches and adapters in watts: the quoted value, or that of the price list.
    pub watts: Option<f64>,
    /// Length of cable in metres, on the floor plan.
    pub metres: Option<f64>,
    /// Total cost of ownership, if the study or the price list has an energy price and years.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// `true` if the purchase price is quoted in the study or in a platform file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quoted: bool,
    /// `true` if the power is quoted there.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub quoted_watts: bool,
    /// Link rate in Gbit/s of the prices, if it differs from that of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priced_as_gbps: Option<f64>,
    /// `true` if money is the total cost of ownership.
    #[serde(skip)]
    pub owned: bool,
}

impl NetworkCost {
    /// Returns the divisor of performance: the total cost of ownership if it is computed, otherwise the price.
    pub fn money(&self) -> Option<f64> {
        if self.owned { self.total } else { self.dollars }
    }
}

/// Budget and prices as written in a study.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetChoice {
    /// Price list; default: the built-in one.
    pub prices: Option<PathBuf>,
    /// Highest purchase price, in the currency of the list.
    pub dollars: Option<f64>,
    /// Another name of the same limit.
    pub price: Option<f64>,
    /// Highest total cost of ownership, in the currency of the list.
    pub total: Option<f64>,
    /// Highest power, in watts.
    pub watts: Option<f64>,
    /// Largest length of cable, in metres.
    pub metres: Option<f64>,
    /// Price of a kilowatt-hour; overrides that of the list, as do the following three values.
    pub energy_price: Option<f64>,
    /// Years of operation.
    pub years: Option<f64>,
    /// Power drawn by the site per watt of equipment.
    pub pue: Option<f64>,
    /// Support per year, as a fraction of the purchase price.
    pub support: Option<f64>,
}

/// Limits for networks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Budget {
    /// Highest purchase price.
    pub dollars: Option<f64>,
    /// Highest total cost of ownership.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<f64>,
    /// Highest power, in watts.
    pub watts: Option<f64>,
    /// Largest length of cable, in metres.
    pub metres: Option<f64>,
}

/// Reason why a price list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PriceListError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", .file.display())]
    Io {
        /// Path of the file.
        file: PathBuf,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The file is longer than any price list, or is not text.
    #[error(transparent)]
    NoText(ReadError),
    /// The file is not TOML.
    #[error(transparent)]
    NoToml(TomlError),
    /// The file is not a price list.
    #[error("price list {}{place}: {error}", .file.display())]
    Wrong {
        /// Path of the file.
        file: PathBuf,
        /// `:LINE:COLUMN` of the error, if it is in one value.
        place: String,
        /// Cause of the error.
        error: Box<PricesError>,
    },
}

impl UserError for PriceListError {
    fn help(&self) -> String {
        let help = match self {
            Self::Io { .. } => "check the path and its permissions",
            _ => "data/prices/equality.toml and data/prices/example.toml show all keys",
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Io { .. })
    }
}

/// Largest price list, in bytes.
const MAX_PRICES_BYTES: u64 = 1 << 20;

/// Reads a price list.
///
/// # Errors
/// [`PriceListError`].
pub fn read_prices(file: &Path) -> Result<PriceList, PriceListError> {
    let text = read_text(file, MAX_PRICES_BYTES).map_err(|error| match error {
        ReadError::Io { path, source } => PriceListError::Io { file: path, error: source },
        other => PriceListError::NoText(other),
    })?;
    // Text that is not TOML is not quoted in messages.
    toml_file::parse::<toml::Table>(file, &text).map_err(PriceListError::NoToml)?;
    PriceList::from_toml(&text).map_err(|error| {
        let place = match &error {
            PricesError::Invalid { key, rate, .. } => {
                let of_rate = rate.map_or_else(Vec::new, |index| vec![PathStep::Key("rates"), PathStep::Item(index)]);
                let way: Vec<PathStep<'_>> = of_rate.into_iter().chain(key.split('.').map(PathStep::Key)).collect();
                place_of(&text, &way).map_or_else(String::new, |place| format!(":{place}"))
            }
            PricesError::Syntax(_) | PricesError::Shape(_) => String::new(),
        };
        PriceListError::Wrong { file: file.to_owned(), place, error: Box::new(error) }
    })
}

/// Bytes per second for one Gbit/s.
const GBPS: f64 = 1e9 / 8.0;

/// Returns the cost of a network by a price list, on its floor plan, at its own link rates; quoted values override the
/// list. `None` if neither is known: for a platform file without prices, and if the list has no such switches.
pub fn cost(network: &NetworkUnderTest, platform: Option<&str>, list: &PriceList) -> Option<NetworkCost> {
    let mut cost = listed(network, list).unwrap_or_default();
    if let Some(price) = network.price.as_ref().and_then(|price| price.on(platform)) {
        (cost.dollars, cost.quoted, cost.priced_as_gbps) = (Some(price), true, None);
    }
    if let Some(watts) = network.watts.as_ref().and_then(|watts| watts.on(platform)) {
        (cost.watts, cost.quoted_watts) = (Some(watts), true);
    }
    cost.owned = list.ownership.is_some();
    cost.total = list.ownership.and_then(|ownership| Some(ownership.total(cost.dollars?, cost.watts?)));
    (cost.dollars.is_some() || cost.watts.is_some()).then_some(cost)
}

fn listed(network: &NetworkUnderTest, list: &PriceList) -> Option<NetworkCost> {
    let (topology, making) = network.graph()?;
    // What failed was bought as well.
    let intact = damaged::intact(&topology.spec).map(Arc::new);
    let (topology, floor) = network.with_its_hosts(intact.as_ref().unwrap_or(topology));
    let endpoints_per_switch = match &making.parameters.hosts_per_switch {
        // With several ports per host, a plan has one number for all switches.
        Some(HostsPerSwitch::Each(hosts)) if topology.rails.is_some() => hosts.iter().copied().max(),
        _ => floor.endpoints_per_switch,
    };
    let plan = FloorPlan::new(&topology, &FloorOptions { endpoints_per_switch, ..floor }).ok()?;
    let speeds = &network.info.speeds;
    let rate = |values: Option<crate::platform::speeds::Values>| values.map(|values| values.greatest / GBPS);
    let between = rate(speeds.link_bandwidth).or(rate(speeds.host_link_bandwidth))?;
    let of_hosts = rate(speeds.host_link_bandwidth).unwrap_or(between);
    let prices = list.at(between);
    let cables = plan.cables(&topology.graph);
    let mut bill = Bill::new(&topology.graph, &plan, &cables, &prices);
    let ports = topology.rails.as_ref().map_or(1, |rails| rails.count());
    let hosts = if intact.is_some() { bill.endpoints } else { network.info.hosts as u64 };
    let prices_of_hosts = list.at(of_hosts);
    bill.add_hosts(hosts * ports as u64, &topology.graph, (&plan, &cables), &prices_of_hosts);
    let hosts_are_priced = prices_of_hosts.host.is_some();
    Some(NetworkCost {
        dollars: Some(bill.dollars()),
        watts: Some(bill.watts),
        metres: Some(cables.total),
        priced_as_gbps: (!list.covers(between))
            .then_some(prices.link_rate_gbps)
            .or((hosts_are_priced && !list.covers(of_hosts)).then_some(prices_of_hosts.link_rate_gbps)),
        ..NetworkCost::default()
    })
}

impl BudgetChoice {
    /// Returns the numbers by name.
    pub fn numbers(&self) -> [(&'static str, Option<f64>); 9] {
        [
            ("dollars", self.dollars),
            ("price", self.price),
            ("total", self.total),
            ("watts", self.watts),
            ("metres", self.metres),
            ("energy_price", self.energy_price),
            ("years", self.years),
            ("pue", self.pue),
            ("support", self.support),
        ]
    }

    /// Returns a number that is out of range, and the range.
    pub fn out_of_range(&self) -> Option<(&'static str, f64, &'static str)> {
        let pue = self.pue.filter(|pue| *pue < 1.0);
        let pue = pue.map(|pue| ("pue", pue, "1 or more: the power of the whole site over that of the machine"));
        let support = self.support.filter(|share| *share > 1.0);
        pue.or(support.map(|share| ("support", share, "up to 1: the part of the price that is paid each year")))
    }

    /// Returns the limits.
    pub fn limits(&self) -> Budget {
        Budget { dollars: self.dollars.or(self.price), total: self.total, watts: self.watts, metres: self.metres }
    }

    /// Returns a list's cost of ownership with the overrides of the study.
    ///
    /// # Errors
    /// The broken rule, if a key of the total cost is present and an energy price or years are missing.
    pub fn ownership(&self, list: Option<Ownership>) -> Result<Option<Ownership>, &'static str> {
        let energy_price = self.energy_price.or(list.map(|o| o.energy_price));
        let years = self.years.or(list.map(|o| o.years));
        let given = [self.energy_price, self.years, self.pue, self.support, self.total];
        match energy_price.zip(years) {
            Some((energy_price, years)) => Ok(Some(Ownership {
                energy_price,
                years,
                pue: self.pue.or(list.map(|o| o.pue)).unwrap_or(1.0),
                support: self.support.or(list.map(|o| o.support)).unwrap_or(0.0),
            })),
            None if given.iter().any(Option::is_some) => {
                Err("a total cost needs energy_price and years, in [budget] or in the price list's [ownership]")
            }
            None => Ok(None),
        }
    }
}

impl Budget {
    /// Returns the limits by name.
    pub fn limits(&self) -> [(&'static str, Option<f64>); 4] {
        [("dollars", self.dollars), ("dollars in total", self.total), ("watts", self.watts), ("metres", self.metres)]
    }

    /// Returns `true` if there is any limit.
    pub fn is_limited(&self) -> bool {
        self.limits().iter().any(|(_, limit)| limit.is_some())
    }

    /// Returns whether a network stays within all limits; `None` if that depends on an unknown value.
    pub fn allows(&self, cost: &NetworkCost) -> Option<bool> {
        let pairs = [
            (self.dollars, cost.dollars),
            (self.total, cost.total),
            (self.watts, cost.watts),
            (self.metres, cost.metres),
        ];
        let checks = pairs.iter().filter_map(|&(limit, value)| Some((limit?, value)));
        let within: Vec<Option<bool>> = checks.map(|(limit, value)| Some(value? <= limit)).collect();
        match () {
            () if within.contains(&Some(false)) => Some(false),
            () if within.contains(&None) => None,
            () => Some(true),
        }
    }
}

/// A network with the figures that matter to a buyer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Offer {
    /// Index of the column.
    pub network: usize,
    /// Weighted geometric mean of relative performance.
    pub performance: Statistic,
    /// Cost of the network, if known.
    pub cost: Option<NetworkCost>,
    /// `true` if it is within the budget; `None` if the cost is not known.
    pub within_budget: Option<bool>,
}

impl Offer {
    /// Relative performance per unit of money ([`NetworkCost::money`]).
    pub fn per_dollar(&self) -> Option<Statistic> {
        self.over(|cost| cost.money())
    }

    /// Returns the relative performance per watt.
    pub fn per_watt(&self) -> Option<Statistic> {
        self.over(|cost| cost.watts)
    }

    /// Returns the relative performance per metre of cable.
    pub fn per_metre(&self) -> Option<Statistic> {
        self.over(|cost| cost.metres)
    }

    fn over(&self, of: fn(&NetworkCost) -> Option<f64>) -> Option<Statistic> {
        let value = self.cost.as_ref().and_then(of).filter(|value| *value > 0.0)?;
        Some(self.performance.per(value))
    }

    /// Returns the value by which offers are ranked: performance per dollar, or performance without a price.
    fn merit(&self) -> Statistic {
        self.per_dollar().unwrap_or(self.performance)
    }

    /// Returns the place of offers within the budget, over it, and of unknown cost.
    fn class(&self) -> u8 {
        self.within_budget.map_or(2, |within| u8::from(!within))
    }
}

/// Returns the offers in the order of a buyer: those within the budget first, then by performance per dollar, best
/// first. Networks without a price are last, by performance.
pub fn ranked(mut offers: Vec<Offer>) -> Vec<Offer> {
    offers.sort_by(|a, b| {
        let by_merit = b.merit().mean.total_cmp(&a.merit().mean);
        a.class().cmp(&b.class()).then(by_merit).then(a.network.cmp(&b.network))
    });
    offers
}

/// Returns the neighbours in the order of a buyer whose order is not certain, because the intervals of their performance per
/// dollar overlap.
pub fn undecided(ranked: &[Offer]) -> Vec<[usize; 2]> {
    let is_open = |pair: &&[Offer]| {
        let [better, worse] = [&pair[0], &pair[1]];
        let is_priced = better.per_dollar().is_some() == worse.per_dollar().is_some();
        let is_exact = pair.iter().all(|offer| offer.performance.relative_half_width().is_none());
        let overlap = worse.merit().ends()[1] >= better.merit().ends()[0];
        is_priced && better.class() == worse.class() && !is_exact && overlap
    };
    ranked.windows(2).filter(is_open).map(|pair| [pair[0].network, pair[1].network]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_counts_before_speed_and_the_budget_before_both() {
        let budget = Budget { dollars: Some(100.0), ..Budget::default() };
        let offer = |network, performance, dollars: Option<f64>| {
            let cost = dollars.map(|dollars| NetworkCost { dollars: Some(dollars), ..NetworkCost::default() });
            let performance = Statistic::estimate(performance, 0.0);
            Offer { network, performance, cost, within_budget: cost.and_then(|cost| budget.allows(&cost)) }
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

    #[test]
    fn an_unknown_value_leaves_the_budget_open_unless_another_limit_is_broken() {
        let budget = Budget { dollars: Some(100.0), watts: Some(5.0), ..Budget::default() };
        let cost = |dollars, watts| NetworkCost { dollars, watts, ..NetworkCost::default() };
        assert_eq!(budget.allows(&cost(Some(1.0), Some(5.0))), Some(true));
        assert_eq!(budget.allows(&cost(Some(1.0), None)), None);
        assert_eq!(budget.allows(&cost(Some(101.0), None)), Some(false));
        assert_eq!(budget.allows(&cost(None, Some(6.0))), Some(false));
    }

    #[test]
    fn money_is_the_total_where_there_is_one() {
        let cost = NetworkCost { dollars: Some(10.0), total: Some(20.0), ..NetworkCost::default() };
        let offer = |owned| Offer {
            network: 0,
            performance: Statistic::estimate(40.0, 0.1),
            cost: Some(NetworkCost { owned, ..cost }),
            within_budget: None,
        };
        let per_dollar = |owned| offer(owned).per_dollar().expect("a price").ends();
        assert_eq!((per_dollar(false), per_dollar(true)), ([3.6, 4.4], [1.8, 2.2]));
    }

    #[test]
    fn neighbours_within_their_intervals_are_undecided() {
        let offer = |network, performance, width, dollars| Offer {
            network,
            performance: Statistic::estimate(performance, width),
            cost: Some(NetworkCost { dollars: Some(dollars), ..NetworkCost::default() }),
            within_budget: Some(network < 4),
        };
        let all = vec![
            offer(0, 1.0, 0.0, 1.0),
            offer(1, 1.98, 0.02, 2.0),
            offer(2, 1.9, 0.01, 2.0),
            offer(3, 0.5, 0.0, 1.0),
            offer(4, 0.9, 0.5, 1.0),
        ];
        assert_eq!(undecided(&ranked(all)), [[0, 1]]);
    }
}
