//! Perturbations in words, and the ranges of results over them, for all formats.

use super::captioned::CaptionedTable;
use super::label::{all, short};
use crate::study::comparison::Comparison;
use crate::study::perturb::Perturbation;
use crate::study::ranking::{Ranking, Stability};

/// Returns the perturbation in words: `bandwidth, latency and compute speed varied by up to 10 %`.
pub(super) fn varied(perturbation: &Perturbation) -> String {
    let percent = |part: f64| (part * 1e4).round() / 1e2;
    let Perturbation { amplitude, message, .. } = perturbation;
    let speeds = format!("bandwidth, latency and compute speed varied by up to {} %", percent(*amplitude));
    let messages = format!("each message late by up to {} % of its time", percent(*message));
    match (*amplitude > 0.0, *message > 0.0) {
        (true, false) => speeds,
        (false, _) => messages,
        (true, true) => format!("{speeds}, {messages}"),
    }
}

/// Returns the networks of a ranking, the fastest first: `B A = C`.
pub(super) fn order(c: &Comparison, ranking: &Ranking) -> String {
    let mut text = String::new();
    for (place, &network) in ranking.order.iter().enumerate() {
        if place > 0 {
            text.push_str(if ranking.pairs[place - 1].equal { " = " } else { " " });
        }
        text.push_str(&short(c, network));
    }
    text
}

/// Formats the number of samples that are open: `, 3 open`; empty without any.
pub(super) fn open(samples: usize) -> String {
    if samples == 0 { String::new() } else { format!(", {samples} open") }
}

/// Returns the meaning of open samples, if there are any.
pub(super) fn of_open(stability: &Stability) -> Option<&'static str> {
    let has_open = |ranking: &Ranking| ranking.undecided > 0 || ranking.winner_undecided > 0;
    stability.rankings.iter().any(has_open).then_some(
        "Open: samples in which intervals of extrapolated times overlap, so that the order in them is not certain.",
    )
}

/// Returns the smallest and the largest relative performance over the samples; `None` if only speeds were varied.
pub(super) fn shown(c: &Comparison) -> Option<CaptionedTable> {
    let stability = c.ranking.as_ref().filter(|stability| stability.perturbation.message > 0.0)?;
    let networks = c.networks.len();
    let cell = |stated: f64, [low, high]: [f64; 2]| format!("{stated:.3} ({low:.3} to {high:.3})");
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut widest: Option<(f64, usize, usize)> = None;
    for (w, workload) in c.workloads.iter().enumerate() {
        let of = |n: usize| stability.ranges[w * networks + n];
        for n in 0..networks {
            let [low, high] = of(n);
            let spread = (high - low) / c.cell(w, n).relative;
            if widest.is_none_or(|(most, ..)| spread > most) {
                widest = Some((spread, w, n));
            }
            let name = if n == 0 { workload.name.clone() } else { String::new() };
            rows.push(vec![name, short(c, n), cell(c.cell(w, n).relative, of(n))]);
        }
    }
    for (n, letter) in all(c).into_iter().enumerate() {
        let name = if n == 0 { "geometric mean".to_owned() } else { String::new() };
        rows.push(vec![name, letter, cell(c.geometric_mean(n), stability.mean_ranges[n])]);
    }
    let sentences = widest.map(|(spread, w, n)| {
        let workload = &c.workloads[w].name;
        format!(
            "The widest range is that of {workload} on {}: {:.1} % of its value. Where a range is wide, ranks wait for each other in \
             lockstep, and a figure without noise is fragile. The figure itself may be outside its range, since late messages delay \
             networks differently.",
            short(c, n),
            100.0 * spread
        )
    });
    Some(CaptionedTable {
        title: "Relative performance, and its range over the samples".to_owned(),
        sentences: sentences.into_iter().collect(),
        headings: ["workload", "network", "relative (least to most)"].map(str::to_owned).to_vec(),
        rows,
    })
}
