//! The basis of a prediction: measurements that its model was compared with, and the resulting errors.
//!
//! The figures are those of `docs/reference/validation.md`; `tests/published/validation.rs` computes them from the
//! measurements and keeps both consistent.

use super::description::{CALIBRATION, ModelDescription};
use serde::Serialize;

/// Errors of a model against measured times. An error is a factor minus 1: a time of twice or half the measured one has
/// an error of 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Validation {
    /// Name of the model.
    pub model: &'static str,
    /// Its rule of sharing: `exact` or `proportional`.
    pub sharing: &'static str,
    /// Median and largest error of times.
    pub times: [f64; 2],
    /// Median and largest error of times relative to a baseline network.
    pub ratios: [f64; 2],
    /// Number of network pairs in the right order, and number of all pairs whose measured times differ by more than
    /// 10 %.
    pub order: [u32; 2],
}

/// Number of measured cells, each a kernel on a network, on which [`VALIDATIONS`] are based.
pub const CELLS: usize = 60;

/// Conditions of the measurements of [`VALIDATIONS`].
pub const MEASURED: &str = "MPI over TCP on an emulated Ethernet of 5 Mbit/s: 16 hosts, 6 networks, 10 kernels";

/// Models that were compared with measured times.
pub const VALIDATIONS: [Validation; 8] = [
    exact("ordered", [0.082, 0.34], [0.039, 0.35], [128, 132]),
    exact("smpi", [0.344, 1.06], [0.076, 0.68], [130, 132]),
    exact("lv08", [0.059, 0.85], [0.081, 0.66], [130, 132]),
    exact("cm02", [0.065, 0.80], [0.078, 0.66], [130, 132]),
    exact("ideal", [0.084, 0.79], [0.042, 0.78], [131, 132]),
    exact("tcp", [0.030, 0.39], [0.035, 0.26], [129, 132]),
    proportional("ordered", [0.076, 0.48], [0.043, 0.33], [128, 132]),
    proportional("tcp", [0.036, 0.51], [0.040, 0.30], [129, 132]),
];

const fn exact(model: &'static str, times: [f64; 2], ratios: [f64; 2], order: [u32; 2]) -> Validation {
    Validation { model, sharing: "exact", times, ratios, order }
}

const fn proportional(model: &'static str, times: [f64; 2], ratios: [f64; 2], order: [u32; 2]) -> Validation {
    Validation { sharing: PROPORTIONAL, ..exact(model, times, ratios, order) }
}

const PROPORTIONAL: &str = "proportional";

/// Basis of the predictions of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Basis {
    /// Measurements to which its constants were fitted, in words; `None` if they were not fitted to the user's network.
    pub calibration: Option<String>,
    /// Errors of the model with its own constants; `None` if it was never compared with a real network.
    pub validation: Option<Validation>,
    /// Names of constants with other values than the model's own.
    pub changed: Vec<&'static str>,
    /// `true` if sharing is proportionally fair: the model's figures are then others.
    pub is_proportional: bool,
    /// `true` if messages take no time in software, which weighed little where the model was measured.
    pub is_without_software: bool,
}

/// Constants of the message protocol and of computations, which are not speeds of the network.
const OF_PROTOCOL: [&str; 5] = ["async-below", "detached-below", "growing-times", "simulate-computation", "delivery"];

/// Models whose messages take no time in software by default.
const WITHOUT_SOFTWARE: [&str; 3] = ["ordered", "tcp", "ideal"];
/// Constants that are times in software, and that of models that were fitted.
const OF_SOFTWARE: [&str; 5] = ["message-latency", "send-overhead", "receive-overhead", "isend-overhead", CALIBRATION];
/// Largest timing precision in seconds that does not change times beyond the figures of reports.
pub const FINE: f64 = 1e-8;

impl Basis {
    /// Returns the basis of a model.
    pub fn of(model: &ModelDescription) -> Self {
        let is_packet = model.network_model == "packet";
        let changed = model.parameters.keys().copied().filter(|name| {
            // Constants of packets are always listed.
            *name != CALIBRATION && !OF_PROTOCOL.contains(name) && !is_packet && *name != "loggops"
        });
        // The rules of SimGrid and those within a bound are max-min fair as well.
        let is_proportional = model.sharing == PROPORTIONAL;
        let is_same = |validation: &Validation| {
            validation.model == model.network_model && (validation.sharing == PROPORTIONAL) == is_proportional
        };
        let (mut changed, is_coarse) = (changed.collect::<Vec<_>>(), model.timing_precision > FINE);
        changed.extend(is_coarse.then_some("timing-precision"));
        let has = |name: &&str| model.parameters.contains_key(*name);
        Self {
            is_without_software: WITHOUT_SOFTWARE.contains(&model.network_model.as_str())
                && !OF_SOFTWARE.iter().any(has),
            calibration: model.parameters.get(CALIBRATION).cloned(),
            validation: VALIDATIONS.into_iter().find(is_same),
            changed,
            is_proportional,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::choice::ModelChoice;

    fn basis(text: &str) -> Basis {
        let choice: ModelChoice = toml::from_str(text).expect("a model");
        Basis::of(&choice.build().expect("a model").1)
    }

    #[test]
    fn a_model_is_validated_calibrated_or_neither() {
        let plain = basis("");
        assert_eq!(plain.validation.map(|validation| validation.model), Some("ordered"));
        assert_eq!((plain.calibration, plain.changed), (None, Vec::new()));
        let own = basis("network_model = 'tcp'\nbandwidth_factor = '0:0.9'\ndetached_below = 100");
        assert_eq!(own.validation.map(|validation| validation.model), Some("tcp"));
        assert_eq!(own.changed, ["bandwidth-factor"]);
        let shared = basis("network_model = 'tcp'\nsharing = 'proportional'");
        assert_eq!(shared.validation.map(|validation| validation.times), Some([0.036, 0.51]));
        assert_eq!(basis("network_model = 'smpi'\nsharing = 'proportional'").validation, None);
        let packets = basis("network_model = 'packet'");
        assert_eq!((packets.validation, packets.changed), (None, Vec::new()));
        let calibrated = basis("network_model = 'ideal'\ncalibration = 'OSU on 2 hosts'");
        assert_eq!(calibrated.calibration.as_deref(), Some("OSU on 2 hosts"));
        assert!(calibrated.changed.is_empty());
    }

    /// The page has the same figures, which its own test computes from the measurements.
    #[test]
    fn figures_are_those_of_the_page() {
        let page = include_str!("../../docs/reference/validation.md");
        for v in VALIDATIONS {
            let begin = match v.sharing {
                PROPORTIONAL => format!("| `{}`, `sharing = \"proportional\"` ", v.model),
                _ => format!("| `{}` ", v.model),
            };
            let row = page.lines().find(|line| line.starts_with(&begin)).expect("a row");
            let percent = |value: f64, digits: usize| format!("{:.digits$} %", value * 100.0);
            for figure in [
                percent(v.times[0], 1),
                percent(v.times[1], 0),
                percent(v.ratios[0], 1),
                percent(v.ratios[1], 0),
                format!("{} of {}", v.order[0], v.order[1]),
            ] {
                assert!(row.contains(&figure), "{}: {figure} is not in {row}", v.model);
            }
        }
    }
}
