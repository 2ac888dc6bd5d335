//! Prices as written in a file.

use serde::Deserialize;

/// The presets by name, and the files that they are in.
pub const PRESETS: &[(&str, &str)] = &[("equality", include_str!("../../data/prices/equality.toml"))];

/// Prices of routers and cables.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    /// Name for reports.
    pub name: String,
    /// Rate of a link in Gb/s, which cable prices are multiplied by.
    pub link_rate_gbps: f64,
    /// Routers.
    pub router: RouterPrices,
    /// Copper cables.
    pub copper: CablePrices,
    /// Fibre cables.
    pub fibre: CablePrices,
    /// Where one kind ends and the other begins.
    pub limits: Limits,
}

/// A router with `k` ports costs `dollars_per_port * k + dollars` and draws `lanes_per_port * watts_per_lane * k` W.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterPrices {
    /// Dollars for a port.
    pub dollars_per_port: f64,
    /// Dollars for the rest; may be negative, as a fitted line's constant.
    pub dollars: f64,
    /// The line holds from this number of ports.
    pub least_ports: u64,
    /// Lanes of a port.
    pub lanes_per_port: f64,
    /// Watts of a lane.
    pub watts_per_lane: f64,
}

/// A cable of `x` metres costs `dollars_per_gbps_and_metre * x + dollars_per_gbps` for each Gb/s.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CablePrices {
    /// Dollars for a Gb/s and a metre.
    pub dollars_per_gbps_and_metre: f64,
    /// Dollars for a Gb/s, however short the cable.
    pub dollars_per_gbps: f64,
}

/// Where copper ends.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Cables longer than this, in metres, are fibre.
    pub copper_metres: f64,
}

/// Why prices cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PricesError {
    /// The file is not a price list.
    #[error("{0}")]
    Syntax(String),
    /// A number breaks a rule.
    #[error("`{key}` is {value}, but it must be {rule}")]
    Invalid {
        /// The key.
        key: &'static str,
        /// The value.
        value: f64,
        /// The rule.
        rule: &'static str,
    },
}

impl CablePrices {
    /// Dollars for each Gb/s of a cable of so many metres.
    pub fn dollars_per_gbps(&self, metres: f64) -> f64 {
        self.dollars_per_gbps_and_metre * metres + self.dollars_per_gbps
    }
}

impl Prices {
    /// Reads a price list in TOML.
    ///
    /// # Errors
    /// [`PricesError`] with line and column if it is not one, or if a number is out of range.
    pub fn from_toml(text: &str) -> Result<Self, PricesError> {
        let prices: Self = toml::from_str(text).map_err(|error| PricesError::Syntax(error.to_string()))?;
        let numbers = [
            ("link_rate_gbps", prices.link_rate_gbps),
            ("router.dollars_per_port", prices.router.dollars_per_port),
            ("router.lanes_per_port", prices.router.lanes_per_port),
            ("router.watts_per_lane", prices.router.watts_per_lane),
            ("copper.dollars_per_gbps_and_metre", prices.copper.dollars_per_gbps_and_metre),
            ("copper.dollars_per_gbps", prices.copper.dollars_per_gbps),
            ("fibre.dollars_per_gbps_and_metre", prices.fibre.dollars_per_gbps_and_metre),
            ("fibre.dollars_per_gbps", prices.fibre.dollars_per_gbps),
            ("limits.copper_metres", prices.limits.copper_metres),
        ];
        for (key, value) in numbers {
            if !(value.is_finite() && value >= 0.0) {
                return Err(PricesError::Invalid { key, value, rule: "a number, zero or more" });
            }
        }
        if !prices.router.dollars.is_finite() {
            return Err(PricesError::Invalid { key: "router.dollars", value: prices.router.dollars, rule: "a number" });
        }
        Ok(prices)
    }

    /// The preset of that name.
    pub fn preset(name: &str) -> Option<Self> {
        let (_, text) = PRESETS.iter().find(|(preset, _)| *preset == name)?;
        Some(Self::from_toml(text).expect("presets are tested"))
    }

    /// Dollars for a router; `None` if it has fewer ports than the price list goes down to.
    pub fn router_dollars(&self, ports: u64) -> Option<f64> {
        (ports >= self.router.least_ports).then_some(self.router.dollars_per_port * ports as f64 + self.router.dollars)
    }

    /// Watts of a router, all of whose ports draw power.
    pub fn router_watts(&self, ports: u64) -> f64 {
        self.router.lanes_per_port * self.router.watts_per_lane * ports as f64
    }

    /// Dollars for a cable of so many metres, and whether it is fibre.
    pub fn cable_dollars(&self, metres: f64) -> (f64, bool) {
        let fibre = metres > self.limits.copper_metres;
        let kind = if fibre { &self.fibre } else { &self.copper };
        (kind.dollars_per_gbps(metres) * self.link_rate_gbps, fibre)
    }
}

impl Default for Prices {
    /// The preset `equality`.
    fn default() -> Self {
        Self::preset("equality").expect("the preset exists")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_price_lists_under_their_names() {
        for (name, text) in PRESETS {
            assert_eq!(Prices::from_toml(text).unwrap().name, *name);
        }
        assert_eq!(Prices::preset("nobody"), None);
    }

    #[test]
    fn mistakes_are_named() {
        let text = PRESETS[0].1;
        let error = |text: &str| Prices::from_toml(text).unwrap_err().to_string();
        assert!(error(&text.replace("copper_metres", "coper")).contains("coper"));
        assert!(error(&text.replace("= 40.0", "= -1")).contains("`link_rate_gbps` is -1"));
        assert!(error(&text.replace("-892.3", "nan")).contains("router.dollars"));
    }

    #[test]
    fn examples_of_the_specification() {
        let prices = Prices::default();
        assert!((prices.router_dollars(36).unwrap() - 11_722.10).abs() < 1e-9 && prices.router_dollars(2).is_none());
        assert!((prices.router_watts(36) - 100.8).abs() < 1e-12);
        let (dollars, fibre) = prices.cable_dollars(10.0);
        assert!(fibre && (dollars - 327.74).abs() < 1e-9);
        assert!(!prices.cable_dollars(8.0).1);
    }
}
