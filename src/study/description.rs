//! The model in words, for results.

use serde::Serialize;
use std::collections::BTreeMap;

/// Name under which a description states on what a model was calibrated.
pub const CALIBRATION: &str = "calibration";

/// Description of the model, for results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelDescription {
    /// Name of the network model.
    pub network_model: String,
    /// Name of the collective table.
    pub collectives: String,
    /// Overridden operations and their algorithms.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub collective: BTreeMap<String, String>,
    /// Rule by which flows share links.
    pub sharing: String,
    /// Seconds; events closer than this are simultaneous.
    pub timing_precision: f64,
    /// `true` if acknowledgements load the reverse route.
    pub crosstraffic: bool,
    /// `true` if the SMP set-up is simulated.
    pub smp_setup: bool,
    /// Constants that replace those of the network model and of the point-to-point layer, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<&'static str, String>,
    /// Choices that are those of the site: `model`, `collectives`.
    #[serde(skip)]
    pub from_site: Vec<&'static str>,
}

impl ModelDescription {
    /// Returns in words the parts of this model that differ from `other`; `None` if there are none.
    pub fn changes(&self, other: &Self) -> Option<String> {
        let onoff = |on: bool| if on { "on" } else { "off" };
        let facts = |m: &Self| {
            let mut facts = vec![
                format!("network {}", m.network_model),
                format!("{} sharing", m.sharing),
                format!("collectives {}", m.collectives),
                format!("timing precision {:e} s", m.timing_precision),
                format!("cross-traffic {}", onoff(m.crosstraffic)),
                format!("SMP set-up {}", onoff(m.smp_setup)),
            ];
            facts.extend(m.collective.iter().map(|(kind, algorithm)| format!("{kind} always by {algorithm}")));
            facts.extend(m.parameters.iter().map(|(name, value)| format!("{name} {value}")));
            facts
        };
        let known = facts(other);
        let changes: Vec<String> = facts(self).into_iter().filter(|fact| !known.contains(fact)).collect();
        (!changes.is_empty()).then(|| changes.join(", "))
    }
}
