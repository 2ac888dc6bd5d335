//! Times that were extrapolated from some iterations, in words and as data.

use super::number::{grouped, percent, seconds};
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;
use crate::study::steady::{Extrapolation, Steady};
use serde::Serialize;

/// An extrapolation in JSON.
#[derive(Serialize)]
pub(super) struct JsonExtrapolation<'a> {
    #[serde(flatten)]
    found: &'a Extrapolation,
    /// Ends of the 95 % interval of the simulated seconds.
    interval: [f64; 2],
}

/// Returns the data of an extrapolation; `None` if the whole run was replayed.
pub(super) fn json(found: Option<&Extrapolation>) -> Option<JsonExtrapolation<'_>> {
    found.map(|found| JsonExtrapolation { found, interval: interval(found) })
}

/// Returns the extrapolation of a replay, if it is one.
pub(super) fn extrapolation(steady: Option<&Steady>) -> Option<&Extrapolation> {
    steady.and_then(Steady::extrapolation)
}

/// Returns the ends of the 95 % interval of the time of the whole run.
pub(super) fn interval(found: &Extrapolation) -> [f64; 2] {
    [found.simulated_seconds - found.half_width, found.simulated_seconds + found.half_width]
}

/// Returns what follows the simulated time in a report, ` ± 0.31 % (95 %)`; empty for a whole replay.
pub(super) fn half_width(steady: Option<&Steady>) -> String {
    extrapolation(steady)
        .map_or_else(String::new, |found| format!(" ± {:.2} % (95 %)", found.relative_half_width() * 100.0))
}

/// Returns the number of iterations that a time was extrapolated from, `12 of 200 iterations, 6.2 % of all actions`.
pub(super) fn origin(steady: Option<&Steady>, actions: u64) -> Option<String> {
    let found = extrapolation(steady)?;
    Some(format!(
        "{} of {} iterations, {} of all actions",
        grouped(found.replayed_iterations as u64),
        grouped(found.iterations as u64),
        percent(found.replayed_actions as f64 / actions.max(1) as f64)
    ))
}

/// Returns the notes of a replay that was allowed to end early.
pub(super) fn notes(steady: Option<&Steady>) -> Vec<String> {
    match extrapolation(steady) {
        None => Vec::new(),
        Some(found) => {
            let batches = match found.batch {
                1 => String::new(),
                n => format!(" in batches of {n}"),
            };
            let first = format!(
                "each of the {} iterations that were left out takes {} ± {:.2} % (95 %), the mean of {} iterations{batches} after \
                 a warm-up of {}",
                grouped((found.iterations - found.replayed_iterations) as u64),
                seconds(found.iteration_seconds),
                found.iteration_half_width / found.iteration_seconds * 100.0,
                grouped((found.batches * found.batch) as u64),
                grouped(found.warm_up as u64)
            );
            let second = format!(
                "messages, links, and the parts of the time are those of the replayed {} of simulated time",
                seconds(found.replayed_seconds)
            );
            vec![first, second]
        }
    }
}

/// Formats half of the interval of a time in per cent of it; empty for exact times.
pub(super) fn percent_of_time(time: &Statistic) -> String {
    time.relative_half_width().map_or_else(String::new, |half| format!("{:.2}", 100.0 * half))
}

/// Meaning of the column of [`percent_of_time`].
pub(super) const PERCENT_OF_TIME: &str =
    "± %: half of the 95 % interval of the time, and so of Mop/s; empty where there is none.";

/// Returns a sentence on the origin of the intervals of repetitions.
pub(super) fn origin_of_intervals(c: &Comparison) -> &'static str {
    if c.is_extrapolated() {
        "The interval is Student's; where times are extrapolated, the mean half width of their extrapolations is added to it."
    } else {
        "The interval is Student's."
    }
}
