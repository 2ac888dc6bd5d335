//! The basis of predictions, in words.

use super::findings::list;
use crate::study::basis::{Basis, CELLS, FINE, MEASURED, VALIDATIONS, Validation};
use crate::study::choice::ModelDescription;
use crate::study::comparison::Comparison;
use crate::study::plan::Setting;
use serde::Serialize;

/// A model and the basis of its predictions, for JSON.
#[derive(Serialize)]
pub(super) struct JsonBasis {
    model: String,
    /// Measurements to which its constants were fitted.
    calibration: Option<String>,
    /// Relative errors of the model with its own constants against measured times.
    validation: Option<Validated>,
    /// Names of constants with other values than the model's own.
    changed: Vec<&'static str>,
    sentence: String,
}

#[derive(Serialize)]
struct Validated {
    times_median: f64,
    times_worst: f64,
    ratios_median: f64,
    ratios_worst: f64,
    pairs_in_order: u32,
    pairs: u32,
    cells: usize,
    measured: &'static str,
}

/// Returns the basis of each model of a report: a study may have several.
fn all(model: &ModelDescription) -> impl Iterator<Item = (String, Basis)> {
    model
        .network_model
        .split(", ")
        .map(|name| (name.to_owned(), Basis::of(&ModelDescription { network_model: name.to_owned(), ..model.clone() })))
}

/// Returns a sentence or two for each model.
pub(super) fn sentences(model: &ModelDescription) -> Vec<String> {
    all(model).map(|(name, basis)| sentence(&name, &basis)).collect()
}

/// Returns the basis of each model for JSON.
pub(super) fn json(model: &ModelDescription) -> Vec<JsonBasis> {
    let one = |(name, basis): (String, Basis)| JsonBasis {
        sentence: sentence(&name, &basis),
        calibration: basis.calibration,
        validation: basis.validation.map(|v: Validation| Validated {
            times_median: v.times[0],
            times_worst: v.times[1],
            ratios_median: v.ratios[0],
            ratios_worst: v.ratios[1],
            pairs_in_order: v.order[0],
            pairs: v.order[1],
            cells: CELLS,
            measured: MEASURED,
        }),
        changed: basis.changed,
        model: name,
    };
    all(model).map(one).collect()
}

/// Names the assumptions that a comparison does not vary; `None` if it varies one of them, or compares nothing.
pub(super) fn unvaried(c: &Comparison) -> Option<String> {
    let varies = |setting: &Setting| setting.model.is_some() || setting.collectives != c.settings[0].collectives;
    let names: Vec<&String> = c.plain_names.iter().collect();
    let is_one = names.windows(2).all(|pair| pair[0] == pair[1]);
    (c.sensitivity.is_none() && !is_one && !c.settings.iter().any(varies)).then(|| {
        "The ranking of networks may depend on the table of collectives and on the model, which were not varied; --sensitivity changes \
         such assumptions one at a time."
            .to_owned()
    })
}

/// States a timing precision that changes times, as part of a list.
pub(super) fn coarse_times(model: &ModelDescription) -> Option<String> {
    (model.timing_precision > FINE)
        .then(|| format!("times to {:e} s only, which are then too short", model.timing_precision))
}

fn sentence(name: &str, basis: &Basis) -> String {
    let error = |value: f64| {
        let percent = 100.0 * value;
        if percent < 10.0 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
    };
    let changed: Vec<String> = basis.changed.iter().map(|&name| name.to_owned()).collect();
    let sharing =
        |word: &str| if basis.is_proportional { format!(" {word} proportional sharing") } else { String::new() };
    let measured = match basis.validation {
        Some(v) => format!(
            "with the constants of {name}{}, times were off by {} (median; worst {}), ratios between networks by {} ({}), and {} of {} \
             pairs of networks were in the right order ({CELLS} cells; {MEASURED})",
            sharing("and"),
            error(v.times[0]),
            error(v.times[1]),
            error(v.ratios[0]),
            error(v.ratios[1]),
            v.order[0],
            v.order[1]
        ),
        None => {
            let exact = VALIDATIONS.iter().filter(|v| v.sharing == "exact");
            let models: Vec<String> = exact.map(|v| v.model.to_owned()).collect();
            format!("{name}{} was not compared with a real network; {} were", sharing("with"), list(&models))
        }
    };
    let software = match basis.is_without_software {
        true => {
            " Software times of messages, which weighed little there, are 0 here; on faster links set message_latency, often about 1 us."
        }
        false => "",
    };
    let basis = match (&basis.calibration, changed.is_empty()) {
        (Some(text), _) => format!("Basis: {name}, calibrated on {text}. Elsewhere, {measured}."),
        (None, true) => format!("Basis: {name}, not calibrated for this fabric. Measured: {measured}."),
        (None, false) => format!(
            "Basis: {name} with {} of its own, which no measurement is known for. Measured: {measured}.",
            list(&changed)
        ),
    };
    let links = match name {
        "loggops" => {
            " Its hosts have a latency and rates, and no links: topology, routing, link speeds and sharing change nothing."
        }
        _ => "",
    };
    basis + software + links
}
