//! Options of a survey.

use crate::cost::{PriceList, Prices};
use crate::defaults::Version;
use crate::floorplan::FloorOptions;
use crate::steps::Steps;

/// Selection of expensive properties: latencies, path diversity, edge connectivity, distances between hosts and
/// bisection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// None of these properties.
    Least,
    /// Properties that take seconds; others are omitted for large networks.
    Quick,
    /// All of these properties.
    Full,
}

impl Effort {
    /// Returns `true` if the effort includes work of this size, where work up to the limit is quick.
    pub(super) fn suffices(self, work: usize, limit: usize) -> bool {
        match self {
            Self::Least => false,
            Self::Quick => work <= limit,
            Self::Full => true,
        }
    }
}

/// Options of a survey.
#[derive(Clone, PartialEq, Debug)]
pub struct SurveyOptions {
    /// Number of switches in a sample for distances; default: exact distances.
    pub aspl_samples: Option<usize>,
    /// Seed of the sample.
    pub seed: u64,
    /// Seed of random routings; default: see [`seed_for`](crate::routing::seed_for).
    pub routing_seed: Option<u64>,
    /// Number of seeds for METIS; default: 5, and no bisection of very large networks. 0 for no bisection.
    pub bisection_seeds: Option<usize>,
    /// Selection of expensive properties.
    pub effort: Effort,
    /// Options of the floor plan, and compute nodes on each switch.
    pub floor: FloorOptions,
    /// Delay of a switch, in seconds.
    pub switch_delay: f64,
    /// Delay of a cable, in seconds per metre.
    pub cable_delay: f64,
    /// Prices of parts.
    pub prices: Prices,
    /// Note of the price list.
    pub prices_note: Option<String>,
    /// A route to show: its rule (default: that of the network), start and end.
    pub route: Option<(Option<String>, u32, u32)>,
    /// Version of the defaults, for the rule of the route.
    pub defaults: Version,
    /// Counter of searches from switches.
    pub steps: Steps,
}

impl Default for SurveyOptions {
    /// Returns the options with the current defaults.
    fn default() -> Self {
        Self::of(Version::default())
    }
}

impl SurveyOptions {
    /// Returns the default options: hosts of the family, the grid, delays of a version of the defaults, the preset
    /// prices.
    pub fn of(version: Version) -> Self {
        let speeds = version.values().design;
        Self {
            aspl_samples: None,
            seed: 1,
            routing_seed: None,
            bisection_seeds: None,
            effort: Effort::Quick,
            floor: FloorOptions::default(),
            switch_delay: speeds.switch_delay,
            cable_delay: speeds.cable_delay,
            prices: Prices::default(),
            prices_note: PriceList::default().note,
            route: None,
            defaults: version,
            steps: Steps::default(),
        }
    }
}
