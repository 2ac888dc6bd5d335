//! Outline of a sweep: the settings on which its results depend, as files and reports state them.
//!
//! All keys are on one level. That excludes `Conditions` as a part, since `flatten` of serde cannot read numbers while the
//! workload language has serde_json keep all their digits.

use super::choice::MAX_SEEDS;
use super::conditions::Conditions;
use super::parameters::{Parameters, Switching};
use super::run::Mode;
use super::runs::Runs;
use super::source::Process;
use super::sweep::Sweep;
use crate::platform::RailPolicy;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Settings of a sweep.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    /// Names of the networks; the first one is the baseline.
    pub networks: Vec<String>,
    /// Packet routings as written; none: that of each network.
    pub routings: Vec<String>,
    /// Policy by which hosts with several ports choose one.
    #[serde(default)]
    pub rail: RailPolicy,
    /// Traffic patterns as written.
    pub patterns: Vec<String>,
    /// Offered loads, in ascending order.
    pub loads: Vec<f64>,
    /// Seeds of hosts and routing.
    pub seeds: Vec<u64>,
    /// Seed of random patterns.
    pub pattern_seed: u64,
    /// Seed of static routes.
    pub routing_seed: u64,
    /// `true` for the engine that moves whole packets.
    pub by_packets: bool,
    /// Condition for the end of a run.
    pub mode: Mode,
    /// Process that creates packets.
    pub process: Process,
    /// Warm-up cycles, before the measured ones.
    pub warmup: u32,
    /// Measured cycles.
    pub measure: u32,
    /// `true` if the saturation of each series is searched.
    pub saturation: bool,
    /// `true` if rules that can deadlock run.
    pub allow_deadlock: bool,
    /// Virtual channels; `None`: the number that each rule needs.
    pub vcs: Option<u32>,
    /// Condition for a packet to take a virtual channel; `None`: that of each rule.
    pub switching: Option<Switching>,
    /// Cycles per metre of cable; `None`: the link delay for all.
    pub cycles_per_metre: Option<f64>,
    /// Places of switches, if cables have lengths.
    pub floor: Option<String>,
    /// Delays and buffers.
    pub parameters: Parameters,
}

impl Outline {
    /// Returns the outline of a sweep over networks with these names.
    pub fn of(sweep: &Sweep, networks: Vec<String>) -> Self {
        let Conditions {
            loads,
            seeds,
            by_packets,
            mode,
            process,
            warmup,
            measure,
            saturation,
            allow_deadlock,
            vcs,
            switching,
            parameters,
        } = sweep.conditions.clone();
        Self {
            networks,
            routings: sweep.routings.clone(),
            rail: sweep.rail,
            patterns: sweep.patterns.clone(),
            loads,
            seeds,
            pattern_seed: sweep.pattern_seed,
            routing_seed: sweep.routing_seed,
            by_packets,
            mode,
            process,
            warmup,
            measure,
            saturation,
            allow_deadlock,
            vcs,
            switching,
            cycles_per_metre: sweep.cables.map(|cables| cables.cycles_per_metre),
            floor: sweep.cables.map(|cables| format!("{:?}", cables.floor)),
            parameters,
        }
    }

    /// Returns the reason why no sweep has this outline: `None` if one could have it.
    pub(super) fn flaw(&self) -> Option<&'static str> {
        let is_ascending = self.loads.windows(2).all(|pair| pair[0].total_cmp(&pair[1]).is_lt());
        let rules = [
            (self.networks.is_empty(), "`networks` is empty"),
            (self.patterns.is_empty(), "`patterns` is empty"),
            (self.seeds.is_empty(), "`seeds` is empty"),
            (self.seeds.len() > MAX_SEEDS as usize, "`seeds` has more than 1,000 seeds"),
            (self.loads.is_empty() || !is_ascending, "`loads` is empty, or not in ascending order"),
            (self.loads.iter().any(|load| !(0.0..=1.0).contains(load)), "`loads` are not from 0 to 1"),
        ];
        rules.into_iter().find_map(|(is_broken, flaw)| is_broken.then_some(flaw))
    }

    /// Returns the first setting that differs, in words: `measure is 500 there and 600 here`. `None` if all are equal.
    pub fn difference(&self, here: &Self) -> Option<String> {
        difference(self, here)
    }

    /// Returns the number of series of each network.
    pub fn series_of_network(&self) -> usize {
        self.routings.len().max(1) * self.patterns.len()
    }

    /// Returns the runs of each series.
    pub fn runs(&self) -> Runs {
        let (loads, seeds) = (self.loads.clone(), self.seeds.clone());
        Runs { loads, seeds, mode: self.mode, saturation: self.saturation }
    }
}

/// Returns the first difference between two values as JSON, in words: `measure is 500 there and 600 here`. `None` if they
/// are equal.
pub(super) fn difference(there: &impl Serialize, here: &impl Serialize) -> Option<String> {
    let value = |of: serde_json::Result<Value>| of.expect("settings have nothing that JSON lacks");
    between("", &value(serde_json::to_value(there)), &value(serde_json::to_value(here)))
}

fn between(name: &str, there: &Value, here: &Value) -> Option<String> {
    match (there, here) {
        _ if there == here => None,
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter()
                .find_map(|key| between(key, a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null)))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (1..).zip(a.iter().zip(b)).find_map(|(number, (there, here))| {
                let is_plain = !there.is_object();
                let name = if is_plain { format!("number {number} of {name}") } else { name.to_owned() };
                between(&name, there, here)
            })
        }
        _ => Some(format!("{name} is {} there and {} here", text(there), text(here))),
    }
}

/// Number of characters of a list in a message.
const LONGEST: usize = 100;

/// Returns a value as a reader writes it.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "not set".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Bool(true) => "on".to_owned(),
        Value::Bool(false) => "off".to_owned(),
        other => {
            let text = other.to_string();
            match text.char_indices().nth(LONGEST) {
                Some((end, _)) => format!("{}...", &text[..end]),
                None => text,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_difference_is_named() {
        let here = json!({ "a": 1, "b": { "c": [0.5, "x"], "d": null }, "e": true });
        assert_eq!(difference(&here, &here), None);
        for (there, expected) in [
            (json!({ "a": 2, "b": { "c": [0.5, "x"], "d": null }, "e": true }), "a is 2 there and 1 here"),
            (
                json!({ "a": 1, "b": { "c": [0.5, "y"], "d": null }, "e": true }),
                "number 2 of c is `y` there and `x` here",
            ),
            (json!({ "a": 1, "b": { "c": [0.5], "d": null }, "e": true }), "c is [0.5] there and [0.5,\"x\"] here"),
            (json!({ "a": 1, "b": { "c": [0.5, "x"], "d": 3 }, "e": true }), "d is 3 there and not set here"),
            (json!({ "a": 1, "b": { "c": [0.5, "x"], "d": null }, "e": false }), "e is off there and on here"),
            (json!({ "a": 1, "b": { "c": [0.5, "x"], "d": null } }), "e is not set there and on here"),
        ] {
            assert_eq!(difference(&there, &here).as_deref(), Some(expected));
        }
        let long = difference(&json!({ "a": vec![0.25; 1000] }), &json!({ "a": 1 })).expect("a difference");
        assert!(long.contains("... there and 1 here") && long.len() < 150, "{long}");
    }
}
