//! Sensitivity of a comparison, for all formats.

use super::findings::list;
use super::label::short;
use super::steady;
use crate::study::assumptions::HOST_LINKS;
use crate::study::comparison::Comparison;
use crate::study::sensitivity::{Effect, Sensitivity};
use crate::study::statistics::Statistic;

/// Explanation of a sensitivity analysis.
pub(super) const RULE: &str = "One assumption is changed at a time. The columns say how far the geometric mean of each network relative \
                               to the baseline moves; a dash is a network that the change leaves as it is.";

/// Sensitivity as a table and in words.
pub(super) struct SensitivityTable {
    /// Indices of the networks.
    pub networks: Vec<usize>,
    /// Mean of each network, without changes.
    pub stated: Vec<Statistic>,
    /// Fastest network, without changes.
    pub fastest: String,
    pub rows: Vec<AssumptionRow>,
    pub sentences: Vec<String>,
}

/// A changed assumption in the table.
pub(super) struct AssumptionRow {
    pub assumption: String,
    /// Relative change of each network; `None` if nothing changes for it and for the baseline.
    pub moved: Vec<Option<Statistic>>,
    /// Speedup of the baseline by the change.
    pub baseline: Statistic,
    /// Letter of the fastest network.
    pub fastest: String,
    pub changes: bool,
    /// `true` if intervals leave open whether it changes.
    pub undecided: bool,
}

/// Formats a change: `+3.1 %`, or with half of its interval, `+3.1 ± 0.4 %`.
pub(super) fn percent(moved: Option<Statistic>) -> String {
    let Some(moved) = moved else { return "-".to_owned() };
    // Avoids `-0.0`.
    let tenths = (moved.mean * 1000.0).round() / 10.0 + 0.0;
    match moved.half_width.filter(|half| *half > 0.0) {
        Some(half) => format!("{tenths:+.1} ± {:.1} %", half * 100.0),
        None => format!("{tenths:+.1} %"),
    }
}

/// Returns the sensitivity of a study, if it has been analysed.
pub(super) fn shown(c: &Comparison) -> Option<SensitivityTable> {
    let s = c.sensitivity.as_ref()?;
    let row = |effect: &Effect| {
        let touched = |network: usize| {
            let columns = &effect.variation.columns;
            columns.contains(&network) || columns.contains(&c.baseline)
        };
        AssumptionRow {
            assumption: name(effect),
            moved: effect.moved.iter().enumerate().map(|(n, &moved)| touched(n).then_some(moved)).collect(),
            baseline: effect.baseline_speedup,
            fastest: short(c, effect.fastest),
            changes: effect.winner_changes,
            undecided: effect.winner_is_undecided,
        }
    };
    Some(SensitivityTable {
        networks: (0..s.stated.len()).collect(),
        stated: s.stated.clone(),
        fastest: short(c, s.fastest),
        rows: s.effects.iter().map(row).collect(),
        sentences: sentences(c, s),
    })
}

/// Returns the changed assumption with its value.
pub(super) fn name(effect: &Effect) -> String {
    let variation = &effect.variation;
    match variation.value.as_bytes().first() {
        Some(b'+' | b'-') => format!("{} {}", variation.assumption, variation.value),
        _ => format!("{}: {}", variation.assumption, variation.value),
    }
}

/// Returns the changes under which something certainly holds: `under each of the 13 changes`; `None` if all are open.
fn under(count: usize, open: usize) -> Option<String> {
    match open {
        0 => Some(format!("under each of the {count} changes")),
        _ if open < count => Some(format!("under {} of the {count} changes", count - open)),
        _ => None,
    }
}

fn sentences(c: &Comparison, s: &Sensitivity) -> Vec<String> {
    let named = |network: usize| format!("{} ({})", c.networks[network].name, short(c, network));
    // The page (`sensitivity.js`) has the same sentences.
    let is_limited = s.within > 0 && c.budget.is_some_and(|budget| budget.is_limited());
    let within = if is_limited { " within the budget" } else { "" };
    let is_alone = is_limited && s.within == 1;
    let mut sentences = Vec::new();
    let flips: Vec<&Effect> = s.effects.iter().filter(|effect| effect.winner_changes).collect();
    let winner = named(s.fastest);
    let count = s.effects.len();
    sentences.push(if is_alone {
        format!(
            "{winner} is the only network known to be within the budget, so no change makes another one the fastest."
        )
    } else if flips.is_empty() {
        match under(count, s.effects.iter().filter(|effect| effect.winner_is_undecided).count()) {
            Some(under) => format!("{winner} is the fastest network{within}, and stays so {under}, to within 1 %."),
            None => format!("{winner} is the fastest network{within} as stated."),
        }
    } else {
        let flip = |effect: &&Effect| {
            let lead = effect.relative[effect.fastest].mean / effect.relative[s.fastest].mean;
            format!("{} ({}, {lead:.2} times {})", name(effect), short(c, effect.fastest), short(c, s.fastest))
        };
        let flips_text: Vec<String> = flips.iter().map(flip).collect();
        format!(
            "{winner} is the fastest network{within}, but not under {} of the {count} changes: {}.",
            flips.len(),
            list(&flips_text)
        )
    });
    let as_fast: Vec<String> = s.as_fast.iter().filter(|&&n| n != s.fastest).map(|&n| named(n)).collect();
    if !as_fast.is_empty() {
        sentences.push(format!("As fast, within 1 %: {}.", list(&as_fast)));
    }
    if let Some(buy) = s.best_buy.filter(|_| !is_alone) {
        let flips: Vec<String> = s
            .effects
            .iter()
            .filter(|effect| effect.buy_changes)
            .filter_map(|effect| Some(format!("{} ({})", name(effect), short(c, effect.best_buy?))))
            .collect();
        sentences.push(if flips.is_empty() {
            let open = s.effects.iter().filter(|effect| effect.buy_is_undecided).count();
            let under = match open {
                0 => "under each of them".to_owned(),
                _ => under(count, open).unwrap_or_else(|| "as stated".to_owned()),
            };
            format!("{} has the best performance for the money{within}, {under}.", named(buy))
        } else {
            format!("{} has the best performance for the money{within}, but not under {}.", named(buy), list(&flips))
        });
    }
    for (what, is_undecided) in [
        ("the fastest network changes", (|effect| effect.winner_is_undecided) as fn(&Effect) -> bool),
        ("the best performance for the money changes", |effect| effect.buy_is_undecided),
    ] {
        let open: Vec<String> = s.effects.iter().filter(|effect| is_undecided(effect)).map(name).collect();
        if !open.is_empty() && !is_alone {
            sentences.push(format!("Whether {what} is not certain (?), because intervals overlap: {}.", list(&open)));
        }
    }
    if (is_limited || s.best_buy.is_some()) && s.effects.iter().any(|e| e.variation.assumption == HOST_LINKS) {
        sentences.push("Prices and limits stay those of the stated host links where these are changed.".into());
    }
    let moves =
        s.effects.iter().flat_map(|effect| effect.moved.iter().enumerate().map(move |(n, moved)| (effect, n, *moved)));
    if let Some((effect, network, moved)) = moves.reduce(|a, b| if b.2.mean.abs() > a.2.mean.abs() { b } else { a }) {
        sentences.push(format!(
            "Largest effect: {} changes {} by {}.",
            name(effect),
            named(network),
            percent(Some(moved))
        ));
    }
    sentences.extend(steady::of_intervals(c).map(str::to_owned));
    if c.has_repetitions() {
        sentences.push("Of the repetitions, only the first one is varied.".into());
    }
    sentences
}
