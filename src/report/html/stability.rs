//! Stability of rankings when bandwidth, latency and compute speed differ from the stated values.

use crate::report::label::short;
use crate::report::offers::all_are_ranked;
use crate::report::ranges::{of_open, open, varied};
use crate::study::comparison::Comparison;
use serde::Serialize;

/// Table of rankings.
#[derive(Serialize)]
pub(super) struct Stability {
    /// Varied quantities, in words.
    pub varied: String,
    pub samples: usize,
    pub seed: u64,
    pub rows: Vec<StabilityRow>,
    /// Sentence on the budget; empty without one.
    pub budget: &'static str,
    /// Meaning of open samples, if there are any.
    pub open: Option<&'static str>,
}

/// Ranking for a workload.
#[derive(Serialize)]
pub(super) struct StabilityRow {
    pub workload: String,
    pub mean: bool,
    /// Networks, the fastest first.
    pub order: Vec<RankedNetwork>,
    pub holds: usize,
    pub winner_holds: usize,
    /// Numbers of samples that are open, in words; empty without any.
    pub open: String,
    pub winner_open: String,
}

/// A network in a ranking.
#[derive(Serialize)]
pub(super) struct RankedNetwork {
    pub letter: String,
    /// Number of samples in which the next one is not faster; `None` for the last.
    pub before: Option<usize>,
    /// `true` if the next one is equally fast.
    pub equal: bool,
}

/// Returns the rankings, if the study was perturbed.
pub(super) fn stability(c: &Comparison) -> Option<Stability> {
    let stability = c.ranking.as_ref()?;
    let row = |ranking: &crate::study::ranking::Ranking| {
        let place = |(i, &n): (usize, &usize)| {
            let next = ranking.pairs.get(i);
            RankedNetwork {
                letter: short(c, n),
                before: next.map(|next| next.holds),
                equal: next.is_some_and(|next| next.equal),
            }
        };
        StabilityRow {
            workload: ranking.workload.map_or_else(|| "geometric mean".to_owned(), |w| c.workloads[w].name.clone()),
            mean: ranking.workload.is_none(),
            order: ranking.order.iter().enumerate().map(place).collect(),
            holds: ranking.holds,
            winner_holds: ranking.winner_holds,
            open: open(ranking.undecided),
            winner_open: open(ranking.winner_undecided),
        }
    };
    Some(Stability {
        varied: varied(&stability.perturbation),
        samples: stability.perturbation.samples.len(),
        seed: stability.perturbation.seed,
        rows: stability.rankings.iter().map(row).collect(),
        budget: all_are_ranked(c).unwrap_or_default(),
        open: of_open(stability),
    })
}
