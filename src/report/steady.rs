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

/// Formats a ratio, with half of its 95 % interval if there is one: `1.234 ± 0.010`.
pub(super) fn ratio(of: &Statistic) -> String {
    with_interval(of, |value| format!("{value:.3}"))
}

/// Formats a ratio of a study. Intervals that are only those of repetitions have a table of their own.
pub(super) fn ratio_in(c: &Comparison, of: &Statistic) -> String {
    if c.is_extrapolated() { ratio(of) } else { format!("{:.3}", of.mean) }
}

/// Formats a value, with half of its interval if there is one.
pub(super) fn with_interval(of: &Statistic, format: impl Fn(f64) -> String) -> String {
    match of.half_width.filter(|half| *half > 0.0) {
        Some(half) => format!("{} ± {}", format(of.mean), format(half)),
        None => format(of.mean),
    }
}

/// Meaning of the intervals of relative performance in studies without repetitions.
pub(super) const INTERVALS: &str =
    "The number after ± is half of the 95 % interval that follows from the extrapolation of times.";

/// Returns the meaning of intervals in tables that leave repetitions out; `None` if no time is extrapolated.
pub(super) fn of_intervals(c: &Comparison) -> Option<&'static str> {
    let with_repetitions = "The number after ± is half of the 95 % interval that follows from the extrapolation of times; the spread \
                            of repetitions is not part of it.";
    c.is_extrapolated().then_some(if c.has_repetitions() { with_repetitions } else { INTERVALS })
}

/// Returns the meaning of intervals that also cover repetitions; `None` if no time is extrapolated.
pub(super) fn of_all_intervals(c: &Comparison) -> Option<&'static str> {
    let with_repetitions = "The number after ± is half of the 95 % interval that follows from repetitions and from the extrapolation \
                            of times.";
    c.is_extrapolated().then_some(if c.has_repetitions() { with_repetitions } else { INTERVALS })
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
