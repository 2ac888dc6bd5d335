//! Parts of the ranks' time.

use crate::engine::Outcome;
use serde::Serialize;

/// Smallest, mean and largest of the ranks' times, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Split {
    /// Smallest time.
    pub min: f64,
    /// Arithmetic mean of the times.
    pub mean: f64,
    /// Largest time.
    pub max: f64,
}

/// Parts of the ranks' time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeSplit {
    /// Computation.
    pub compute: Split,
    /// Blocked while the message is in transit.
    pub communication: Split,
    /// Part of `communication` that more bandwidth would not shorten: latency of messages, overheads of sends and
    /// receives.
    pub latency: Split,
    /// Rest of `communication`: messages whose data is being transferred.
    pub bandwidth: Split,
    /// Blocked until the partner is ready, or idle at the end.
    pub waiting: Split,
}

fn split(values: impl Iterator<Item = f64> + Clone) -> Split {
    let count = values.clone().count().max(1);
    Split {
        min: values.clone().reduce(f64::min).unwrap_or(0.0),
        mean: values.clone().sum::<f64>() / count as f64,
        max: values.reduce(f64::max).unwrap_or(0.0),
    }
}

impl TimeSplit {
    /// Computes the parts over all ranks of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        Self {
            compute: split(outcome.ranks.iter().map(|r| r.compute)),
            communication: split(outcome.ranks.iter().map(|r| r.communication)),
            latency: split(outcome.ranks.iter().map(|r| r.latency)),
            bandwidth: split(outcome.ranks.iter().map(|r| r.communication - r.latency)),
            waiting: split(outcome.ranks.iter().map(|r| r.waiting)),
        }
    }
}
