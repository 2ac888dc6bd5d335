//! Price lists: prices of routers, cables and adapters at one link rate or several.

use crate::excerpt::excerpts;
use crate::topology::input::place;
use serde::{Deserialize, Serialize};

/// The presets by name, and the files that they are in.
pub const PRESETS: &[(&str, &str)] = &[("equality", include_str!("../../data/prices/equality.toml"))];

/// Price list, as read from a file: prices at each link rate, and optionally the cost of owning a network.
#[derive(Clone, PartialEq, Debug)]
pub struct PriceList {
    /// Name for reports.
    pub name: String,
    /// Currency of all prices, e.g. `USD`.
    pub currency: String,
    /// Sentence that reports print with the prices, e.g. that they are examples.
    pub note: Option<String>,
    /// Exponent by which prices scale from the nearest listed link rate: 1 for prices proportional to the rate. `None`:
    /// prices of the nearest listed rate apply unchanged.
    pub scaling: Option<f64>,
    /// Cost of owning a network, if specified.
    pub ownership: Option<Ownership>,
    /// Prices at each listed link rate, at least one, by rising rate.
    pub rates: Vec<Prices>,
}

/// Cost of owning a network beyond its purchase price.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ownership {
    /// Price of a kilowatt-hour.
    pub energy_price: f64,
    /// Years of operation.
    pub years: f64,
    /// Power drawn by the site per watt of equipment, cooling included (power usage effectiveness).
    #[serde(default = "one")]
    pub pue: f64,
    /// Support per year, as a fraction of the purchase price.
    #[serde(default)]
    pub support: f64,
}

fn one() -> f64 {
    1.0
}

impl Ownership {
    /// Returns the total cost: purchase, support and energy of `watts` around the clock, in years of 365.25 days.
    pub fn total(&self, price: f64, watts: f64) -> f64 {
        let hours = self.years * 365.25 * 24.0;
        price * (1.0 + self.support * self.years) + watts * self.pue / 1000.0 * hours * self.energy_price
    }
}

/// Prices of routers, cables and adapters at one link rate.
#[derive(Clone, PartialEq, Debug)]
pub struct Prices {
    /// Name of the list.
    pub name: String,
    /// Currency of the list: `USD` for dollars.
    pub currency: String,
    /// Link rate in Gbit/s, by which cable prices are multiplied.
    pub link_rate_gbps: f64,
    /// Listed rate from which the prices are scaled; `None` if they are listed.
    pub scaled_from_gbps: Option<f64>,
    /// Prices of routers.
    pub router: RouterPrices,
    /// Prices of copper cables.
    pub copper: CablePrices,
    /// Prices of fibre cables.
    pub fibre: CablePrices,
    /// Length at which fibre replaces copper.
    pub limits: Limits,
    /// Adapters and links of hosts; `None` if the list has no prices for them.
    pub host: Option<HostPrices>,
}

/// Prices of routers: a router with `k` ports costs `dollars_per_port * k + dollars` and draws
/// `lanes_per_port * watts_per_lane * k` W.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterPrices {
    /// Dollars per port.
    pub dollars_per_port: f64,
    /// Dollars per router, independent of its ports; may be negative, as the constant of a fitted line.
    pub dollars: f64,
    /// Smallest number of ports for which the line holds.
    pub least_ports: u64,
    /// Lanes per port.
    pub lanes_per_port: f64,
    /// Watts per lane.
    pub watts_per_lane: f64,
}

/// Prices of cables: a cable of `x` metres costs `dollars_per_gbps_and_metre * x + dollars_per_gbps` per Gbit/s.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CablePrices {
    /// Dollars per Gbit/s and metre.
    pub dollars_per_gbps_and_metre: f64,
    /// Dollars per Gbit/s, independent of the length.
    pub dollars_per_gbps: f64,
}

/// Maximum length of copper.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Cables longer than this, in metres, are fibre.
    pub copper_metres: f64,
}

/// Adapter and link of a host.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostPrices {
    /// Dollars for an adapter (NIC).
    pub adapter_dollars: f64,
    /// Watts of an adapter.
    pub adapter_watts: f64,
    /// Length in metres of the cable between a host and its switch, if the floor plan does not place hosts.
    pub cable_metres: f64,
}

/// Price list as written: prices at one rate, or a list of rates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPrices {
    name: String,
    currency: Option<String>,
    note: Option<String>,
    scaling: Option<f64>,
    ownership: Option<Ownership>,
    link_rate_gbps: Option<f64>,
    router: Option<RouterPrices>,
    copper: Option<CablePrices>,
    fibre: Option<CablePrices>,
    limits: Option<Limits>,
    host: Option<HostPrices>,
    rates: Option<Vec<WrittenRate>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenRate {
    link_rate_gbps: f64,
    router: RouterPrices,
    copper: CablePrices,
    fibre: CablePrices,
    limits: Limits,
    host: Option<HostPrices>,
}

/// Reason why prices cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PricesError {
    /// The file is not a price list.
    #[error("{0}")]
    Syntax(String),
    /// A number breaks a rule.
    #[error("`{key}` is {}, but it must be {rule}", if value.abs() > 1e16 { format!("{value:e}") } else { value.to_string() })]
    Invalid {
        /// Name of the key.
        key: &'static str,
        /// Value as written.
        value: f64,
        /// The rule, as the end of a sentence.
        rule: &'static str,
        /// Index of the table of `[[rates]]`, if it is in one.
        rate: Option<usize>,
    },
    /// A key is missing, or two exclude each other.
    #[error("{0}")]
    Shape(String),
}

impl CablePrices {
    /// Returns the dollars per Gbit/s for a cable of `metres` metres.
    pub fn dollars_per_gbps(&self, metres: f64) -> f64 {
        self.dollars_per_gbps_and_metre * metres + self.dollars_per_gbps
    }
}

impl PriceList {
    /// Reads a price list in TOML.
    ///
    /// # Errors
    /// [`PricesError`] with line and column if it is not one, or if a number is out of range.
    pub fn from_toml(text: &str) -> Result<Self, PricesError> {
        let written: WrittenPrices = toml::from_str(text).map_err(|error| {
            let (line, column) = place(text, error.span().map_or(0, |span| span.start));
            PricesError::Syntax(format!("line {line}, column {column}: {}", excerpts(error.message())))
        })?;
        let name = written.name.clone();
        let currency = written.currency.unwrap_or_else(|| "USD".to_owned());
        let single =
            (written.link_rate_gbps, written.router, written.copper, written.fibre, written.limits, written.host);
        let has_rates = written.rates.is_some();
        let mut rates = match (written.rates, single) {
            (None, (Some(link_rate_gbps), Some(router), Some(copper), Some(fibre), Some(limits), host)) => {
                vec![Prices {
                    name,
                    currency: currency.clone(),
                    link_rate_gbps,
                    scaled_from_gbps: None,
                    router,
                    copper,
                    fibre,
                    limits,
                    host,
                }]
            }
            (Some(rates), (None, None, None, None, None, None)) if !rates.is_empty() => {
                let at = |rate: WrittenRate| Prices {
                    name: name.clone(),
                    currency: currency.clone(),
                    link_rate_gbps: rate.link_rate_gbps,
                    scaled_from_gbps: None,
                    router: rate.router,
                    copper: rate.copper,
                    fibre: rate.fibre,
                    limits: rate.limits,
                    host: rate.host,
                };
                rates.into_iter().map(at).collect()
            }
            _ => {
                let rule = "a price list has link_rate_gbps, router, copper, fibre and limits (and may have host), \
                            either once or in each table of [[rates]]";
                return Err(PricesError::Shape(rule.to_owned()));
            }
        };
        for (index, prices) in rates.iter().enumerate() {
            prices.check().map_err(|error| match error {
                PricesError::Invalid { key, value, rule, .. } if has_rates => {
                    PricesError::Invalid { key, value, rule, rate: Some(index) }
                }
                error => error,
            })?;
        }
        rates.sort_by(|a, b| a.link_rate_gbps.total_cmp(&b.link_rate_gbps));
        if let Some(pair) = rates.windows(2).find(|pair| pair[0].link_rate_gbps == pair[1].link_rate_gbps) {
            return Err(PricesError::Shape(format!("two [[rates]] are for {} Gbit/s", pair[0].link_rate_gbps)));
        }
        let ownership = written.ownership;
        let numbers = [
            ("scaling", written.scaling),
            ("ownership.energy_price", ownership.map(|o| o.energy_price)),
            ("ownership.years", ownership.map(|o| o.years)),
            ("ownership.pue", ownership.map(|o| o.pue)),
            ("ownership.support", ownership.map(|o| o.support)),
        ];
        for (key, value) in numbers {
            value.map_or(Ok(()), |value| not_negative(key, value))?;
        }
        if let Some(pue) = ownership.map(|o| o.pue).filter(|pue| *pue < 1.0) {
            let rule = "1 or more: the power of the whole site over that of the machine";
            return Err(PricesError::invalid("ownership.pue", pue, rule));
        }
        if let Some(support) = ownership.map(|o| o.support).filter(|support| *support > 1.0) {
            let rule = "up to 1: the part of the price that is paid each year";
            return Err(PricesError::invalid("ownership.support", support, rule));
        }
        Ok(Self { name: written.name, currency, note: written.note, scaling: written.scaling, ownership, rates })
    }

    /// Returns the preset of that name.
    pub fn preset(name: &str) -> Option<Self> {
        let (_, text) = PRESETS.iter().find(|(preset, _)| *preset == name)?;
        Some(Self::from_toml(text).expect("presets are tested"))
    }

    /// Returns the prices at a link rate in Gbit/s: those of the nearest listed rate (by ratio), scaled if the list has
    /// a scaling exponent.
    pub fn at(&self, gbps: f64) -> Prices {
        let far = |prices: &&Prices| (prices.link_rate_gbps / gbps).ln().abs();
        let nearest = self.rates.iter().min_by(|a, b| far(a).total_cmp(&far(b))).expect("a list has a rate");
        let Some(exponent) = self.scaling else { return nearest.clone() };
        if gbps == nearest.link_rate_gbps {
            return nearest.clone();
        }
        let factor = (gbps / nearest.link_rate_gbps).powf(exponent);
        // A cable price is per Gbit/s, so that the rate itself is one power of the scale.
        nearest.scaled(factor, gbps)
    }

    /// Returns `true` if the list has prices at a link rate: it lists the rate within 1 %, or has a scaling exponent.
    pub fn covers(&self, gbps: f64) -> bool {
        let near = |prices: &Prices| (prices.link_rate_gbps / gbps - 1.0).abs() <= 0.01;
        self.scaling.is_some() || self.rates.iter().any(near)
    }
}

/// Largest number of a price list, with a wide margin; sums of larger ones would leave the range of floats.
const MOST: f64 = 1e15;

fn not_negative(key: &'static str, value: f64) -> Result<(), PricesError> {
    if (0.0..=MOST).contains(&value) {
        Ok(())
    } else {
        Err(PricesError::invalid(key, value, "a number from 0 to 1e15"))
    }
}

impl PricesError {
    fn invalid(key: &'static str, value: f64, rule: &'static str) -> Self {
        Self::Invalid { key, value, rule, rate: None }
    }
}

impl Prices {
    fn check(&self) -> Result<(), PricesError> {
        let rate = self.link_rate_gbps;
        if !(rate > 0.0 && rate <= MOST) {
            return Err(PricesError::invalid("link_rate_gbps", rate, "a number above 0, up to 1e15"));
        }
        let numbers = [
            ("router.dollars_per_port", self.router.dollars_per_port),
            ("router.lanes_per_port", self.router.lanes_per_port),
            ("router.watts_per_lane", self.router.watts_per_lane),
            ("copper.dollars_per_gbps_and_metre", self.copper.dollars_per_gbps_and_metre),
            ("copper.dollars_per_gbps", self.copper.dollars_per_gbps),
            ("fibre.dollars_per_gbps_and_metre", self.fibre.dollars_per_gbps_and_metre),
            ("fibre.dollars_per_gbps", self.fibre.dollars_per_gbps),
            ("limits.copper_metres", self.limits.copper_metres),
        ];
        numbers.into_iter().try_for_each(|(key, value)| not_negative(key, value))?;
        if let Some(host) = &self.host {
            not_negative("host.adapter_dollars", host.adapter_dollars)?;
            not_negative("host.adapter_watts", host.adapter_watts)?;
            not_negative("host.cable_metres", host.cable_metres)?;
        }
        if !(-MOST..=MOST).contains(&self.router.dollars) {
            return Err(PricesError::invalid("router.dollars", self.router.dollars, "a number from -1e15 to 1e15"));
        }
        Ok(())
    }

    /// Returns the prices at another rate, at which everything costs `factor` times as much. Power does not change.
    fn scaled(&self, factor: f64, gbps: f64) -> Self {
        let of_cable = factor * self.link_rate_gbps / gbps;
        let cable = |prices: &CablePrices| CablePrices {
            dollars_per_gbps_and_metre: prices.dollars_per_gbps_and_metre * of_cable,
            dollars_per_gbps: prices.dollars_per_gbps * of_cable,
        };
        Self {
            name: self.name.clone(),
            currency: self.currency.clone(),
            link_rate_gbps: gbps,
            scaled_from_gbps: Some(self.link_rate_gbps),
            router: RouterPrices {
                dollars_per_port: self.router.dollars_per_port * factor,
                dollars: self.router.dollars * factor,
                ..self.router.clone()
            },
            copper: cable(&self.copper),
            fibre: cable(&self.fibre),
            limits: self.limits.clone(),
            host: self
                .host
                .as_ref()
                .map(|host| HostPrices { adapter_dollars: host.adapter_dollars * factor, ..host.clone() }),
        }
    }

    /// Returns the dollars for a router. One with fewer ports than the price list covers costs as much as the smallest.
    pub fn router_dollars(&self, ports: u64) -> f64 {
        self.router.dollars_per_port * ports.max(self.router.least_ports) as f64 + self.router.dollars
    }

    /// Returns the watts of a router, all of whose ports draw power.
    pub fn router_watts(&self, ports: u64) -> f64 {
        self.router.lanes_per_port * self.router.watts_per_lane * ports as f64
    }

    /// Returns the dollars for a cable of `metres` metres, and whether it is fibre.
    pub fn cable_dollars(&self, metres: f64) -> (f64, bool) {
        let fibre = metres > self.limits.copper_metres;
        let kind = if fibre { &self.fibre } else { &self.copper };
        (kind.dollars_per_gbps(metres) * self.link_rate_gbps, fibre)
    }
}

impl Default for PriceList {
    /// Returns the preset `equality`.
    fn default() -> Self {
        Self::preset("equality").expect("the preset exists")
    }
}

impl Default for Prices {
    /// Returns the prices of the preset `equality`, which has one rate.
    fn default() -> Self {
        PriceList::default().rates.swap_remove(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_price_lists_under_their_names() {
        for (name, text) in PRESETS {
            assert_eq!(PriceList::from_toml(text).unwrap().name, *name);
        }
        assert_eq!(PriceList::preset("nobody"), None);
    }

    #[test]
    fn mistakes_are_named() {
        let text = PRESETS[0].1;
        let error = |text: &str| PriceList::from_toml(text).unwrap_err().to_string();
        assert!(error(&text.replace("copper_metres", "coper")).contains("coper"));
        assert!(error(&text.replace("= 40.0", "= -1")).contains("`link_rate_gbps` is -1"));
        assert!(error(&text.replace("-892.3", "nan")).contains("router.dollars"));
        assert!(error(&text.replace("link_rate_gbps = 40.0", "")).contains("either once or in each table"));
        let owned = format!("{text}\n[ownership]\nenergy_price = -0.2\nyears = 5\n");
        assert!(error(&owned).contains("`ownership.energy_price` is -0.2"));
    }

    #[test]
    fn examples_of_the_specification() {
        let prices = Prices::default();
        assert!((prices.router_dollars(36) - 11_722.10).abs() < 1e-9);
        assert_eq!(prices.router_dollars(2), prices.router_dollars(3));
        assert!((prices.router_watts(36) - 100.8).abs() < 1e-12);
        let (dollars, fibre) = prices.cable_dollars(10.0);
        assert!(fibre && (dollars - 327.74).abs() < 1e-9);
        assert!(!prices.cable_dollars(8.0).1);
    }

    #[test]
    fn prices_scale_from_the_nearest_rate_if_the_list_says_so() {
        let mut list = PriceList::default();
        assert!(list.covers(40.2) && !list.covers(100.0));
        assert_eq!(list.at(160.0), list.rates[0]);
        list.scaling = Some(0.5);
        assert!(list.covers(100.0));
        let at = list.at(160.0);
        // Four times the rate for twice the price, of a router and of a cable.
        assert!((at.router_dollars(36) - 2.0 * 11_722.10).abs() < 1e-6);
        assert!((at.cable_dollars(10.0).0 - 2.0 * 327.74).abs() < 1e-6);
        assert_eq!(at.router_watts(36), list.rates[0].router_watts(36));
    }

    #[test]
    fn owning_costs_energy_and_support() {
        let ownership = Ownership { energy_price: 0.2, years: 2.0, pue: 1.5, support: 0.1 };
        // 1000 + 2 * 100, and 100 W * 1.5 * 17,532 h = 2,629.8 kWh.
        assert!((ownership.total(1000.0, 100.0) - (1200.0 + 525.96)).abs() < 1e-9);
    }
}
