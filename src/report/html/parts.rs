//! Input and numbers of the charts.

use crate::report::number;
use crate::study::comparison::Comparison;
use crate::study::facts::NetworkFacts;
use serde::Serialize;

/// Choices of the interactive view that change a comparison of networks.
pub(super) const RESTS_ON_ALL: &str = "weights networks workloads baseline settings";

/// Input of the charts.
pub(super) struct View<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) facts: &'a [NetworkFacts],
}

/// Formats cables: `192 two-way`.
pub(super) fn cables((count, one_way): (usize, bool)) -> String {
    format!("{} {}", number::grouped(count as u64), if one_way { "one-way" } else { "two-way" })
}

/// Formats an interval: `0.980–1.031`.
pub(super) fn interval([low, high]: [f64; 2]) -> String {
    format!("{low:.3}–{high:.3}")
}

/// A value and its exact number, for the template.
#[derive(Serialize)]
pub(super) struct Exact {
    pub(super) value: String,
    pub(super) text: String,
}

pub(super) fn exact(value: f64, text: impl Fn(f64) -> String) -> Exact {
    Exact { value: value.to_string(), text: if value.is_finite() { text(value) } else { "—".into() } }
}
