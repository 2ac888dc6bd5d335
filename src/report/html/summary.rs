//! Summary for a buyer: the best network for this mix of workloads, and the dependencies of that conclusion.

use super::super::{basis, cross_check};
use super::offers;
use super::parts::View;
use super::svg::ratio;
use crate::report::findings::{EQUAL, list};
use crate::report::label::short;
use crate::report::offers::{limited, limits, mixed};
use crate::report::{across, failures, label, routings};
use crate::study::comparison::Comparison;
use crate::study::procurement::Offer;
use crate::study::statistics::Statistic;
use minijinja::Value;
use serde::Serialize;

/// Top of the report.
#[derive(Serialize)]
pub(super) struct ReportSummary {
    /// Conclusion of each setting.
    pub answers: Vec<Answer>,
    /// Remarks on all settings.
    pub remarks: Vec<Remark>,
    /// Caveat about the directions of cables.
    pub duplex: Vec<String>,
    /// Networks, best first.
    pub ranking: Vec<RankingRow>,
}

/// Sentence on all settings.
#[derive(Serialize)]
pub(super) struct Remark {
    pub text: String,
    /// Name of the part that the interactive view computes again; empty for the others.
    pub view: &'static str,
    /// Choices of the interactive view on which the sentence depends, although the view does not compute it again.
    pub rests_on: &'static str,
}

impl Remark {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), view: "", rests_on: "" }
    }

    /// Returns a remark that compares networks.
    fn comparing(text: String) -> Self {
        Self { rests_on: super::parts::RESTS_ON_ALL, ..Self::of(text) }
    }
}

/// Conclusion for a setting.
#[derive(Serialize)]
pub(super) struct Answer {
    /// Name of the setting; empty if there is only one.
    pub setting: String,
    /// Conclusion in a sentence.
    pub verdict: String,
    /// Remarks on the conclusion, a sentence each.
    pub remarks: Vec<String>,
}

/// A network in the ranking.
#[derive(Serialize)]
pub(super) struct RankingRow {
    pub letter: String,
    /// Attributes of the network's fill.
    pub fill: Value,
    /// Name of its setting, in the first row of several settings.
    pub setting: Option<String>,
    pub name: String,
    pub baseline: bool,
    /// Mean as a fraction of the largest one.
    pub part: f64,
    pub geometric: f64,
    /// Interval of the mean of all repetitions, in words.
    pub interval: Option<String>,
    pub arithmetic: f64,
    pub least: f64,
    pub most: f64,
    pub wins: usize,
    pub cables: Option<String>,
}

fn named(c: &Comparison, network: usize) -> String {
    format!("{} ({})", c.networks[network].name, short(c, network))
}

/// Returns the number of workloads on which a network is the fastest of these, or within one per cent of it.
fn wins(c: &Comparison, networks: &[usize], n: usize) -> usize {
    let time = |w: usize, n: usize| c.cell(w, n).simulated_seconds;
    let fastest = |w: usize| networks.iter().map(|&n| time(w, n)).fold(f64::INFINITY, f64::min);
    (0..c.workloads.len()).filter(|&w| time(w, n) <= fastest(w) * (1.0 + EQUAL)).count()
}

pub(super) fn summary(view: &View<'_>) -> ReportSummary {
    let c = view.comparison;
    let mut groups = c.of_settings();
    for group in &mut groups {
        group.sort_by(|&a, &b| c.geometric_mean(b).total_cmp(&c.geometric_mean(a)).then(a.cmp(&b)));
    }
    let mean = |n: usize| c.geometric_mean(n);
    let longest = (0..c.networks.len()).map(mean).filter(|m| m.is_finite()).fold(0.0, f64::max);
    let values = |n: usize| (0..c.workloads.len()).map(move |w| c.cell(w, n).relative);
    let rank = |group: &[usize], n: usize| RankingRow {
        letter: short(c, n),
        fill: Value::from_safe_string(super::svg::network_fill(label::place(c, n).1)),
        setting: (c.has_settings() && group.first() == Some(&n)).then(|| across::setting(c, n).to_owned()),
        name: c.plain_names[n].clone(),
        baseline: n == c.baselines[n],
        part: if longest > 0.0 { mean(n) / longest } else { 0.0 },
        geometric: mean(n),
        interval: c.geometric[n].interval().map(super::parts::interval),
        arithmetic: c.arithmetic_mean(n),
        least: values(n).fold(f64::INFINITY, f64::min),
        most: values(n).fold(0.0, f64::max),
        wins: wins(c, group, n),
        cables: view.facts[n].cables.map(super::parts::cables),
    };
    let ranking = groups.iter().flat_map(|group| group.iter().map(|&n| rank(group, n))).collect();
    let mut remarks = vec![Remark { view: "measure", ..Remark::of(measure(c)) }];
    if c.has_settings() {
        remarks.push(Remark::of(
            "A setting is a platform, a routing rule, a mapping, a table of collectives, a network model and what failed. Every \
             network is compared with the baseline network in the same setting; the table across settings compares settings.",
        ));
    }
    if let Some(sentence) = extrapolated(c) {
        remarks.push(Remark { rests_on: "workloads networks", ..Remark::of(sentence) });
    }
    if c.has_repetitions() {
        remarks.push(Remark::of(
            "What is random ran once for each seed. Figures are means over the seeds; the interval has their true mean \
             with 95 % confidence.",
        ));
    }
    remarks.extend(cross_check::summary(c).into_iter().map(Remark::comparing));
    remarks.extend(routings::shown(c).into_iter().flat_map(|shown| shown.sentences).map(Remark::comparing));
    remarks.extend(failures::summary(c).into_iter().map(Remark::comparing));
    let of_networks = |text| Remark { rests_on: "networks settings", ..Remark::of(text) };
    remarks.extend(routings::different_rules(c).map(of_networks));
    remarks.extend(basis::unvaried(c).map(of_networks));
    remarks.extend(basis::sentences(&c.model).into_iter().map(Remark::of));
    let answer = |group: &Vec<usize>| {
        let (verdict, remarks) = verdict(view, group);
        let setting = group.first().filter(|_| c.has_settings()).map(|&n| across::setting(c, n).to_owned());
        Answer { setting: setting.unwrap_or_default(), verdict, remarks }
    };
    ReportSummary { answers: groups.iter().map(answer).collect(), remarks, duplex: duplex(c, &groups), ranking }
}

fn verdict(view: &View<'_>, all: &[usize]) -> (String, Vec<String>) {
    let c = view.comparison;
    let mean = |n: usize| c.geometric_mean(n);
    let offers = offers::list(view);
    // A network over the budget, or without a price if there is a budget, is not recommended.
    let affordable = |n: &usize| c.budget.is_none() || offers[*n].within_budget == Some(true);
    let within: Vec<usize> = all.iter().copied().filter(affordable).collect();
    let order = if within.is_empty() { all } else { &within };
    let Some(&best) = order.first() else { return (String::new(), Vec::new()) };
    let mix = match &c.budget {
        Some(budget) if within.is_empty() => {
            let text = format!("No network is known to stay within the budget of {}.", limits(c, budget));
            return (text, Vec::new());
        }
        _ => match limited(c) {
            Some(budget) => format!("For this mix and within {}", limits(c, &budget)),
            None => "For this mix".to_owned(),
        },
    };
    let count = c.workloads.len();
    let ties: Vec<usize> = order.iter().copied().filter(|&n| mean(n) >= mean(best) / (1.0 + EQUAL)).collect();
    let reference = c.baselines[best];
    let baseline = named(c, reference);
    let verdict = if all.len() == 1 {
        format!("Only {} takes part: there is nothing to compare it with.", named(c, best))
    } else if let (1, Some(budget)) = (order.len(), limited(c)) {
        format!("Only {} is known to stay within {}.", named(c, best), limits(c, &budget))
    } else if ties.len() > 1 {
        let names: Vec<String> = ties.iter().map(|&n| named(c, n)).collect();
        format!("{mix}, {} are equally fast within 1 %.", list(&names))
    } else if best == reference {
        format!("{mix}, no other network is as fast as the baseline, {baseline}.")
    } else {
        format!("{mix}, {} is the fastest: {} times the baseline, {baseline}.", named(c, best), ratio(mean(best)))
    };
    let mut remarks = Vec::new();
    if let Some(&fastest) = all.first().filter(|n| !order.contains(n)) {
        let why = if offers[fastest].cost.is_some() { "over the budget" } else { "of unknown price" };
        let than = if mean(fastest) > mean(best) * (1.0 + EQUAL) { "is faster" } else { "is as fast within 1 %" };
        let what = if c.baselines[fastest] == fastest {
            format!("the baseline, {than}")
        } else {
            format!("{} times the baseline, {than}", ratio(mean(fastest)))
        };
        remarks.push(format!("{}, {what}, but {why}.", named(c, fastest)));
    }
    // Prices that the study does not have are an example, and no reason to buy.
    if c.budget.is_some() {
        remarks.extend(worth(c, order, &offers));
        let mut columns = all.to_vec();
        columns.sort_unstable();
        remarks.extend(mixed(c, &columns));
    }
    remarks.extend(undecided(c, order));
    // The table counts among all networks, this sentence among those within the budget.
    let among = if order.len() < all.len() { " within the budget" } else { "" };
    if order.len() > 1 && count > 1 {
        let everywhere: Vec<usize> = order.iter().copied().filter(|&n| wins(c, order, n) == count).collect();
        if everywhere.is_empty() {
            let some: Vec<String> = order
                .iter()
                .map(|&n| (n, wins(c, order, n)))
                .filter(|(_, wins)| *wins > 0)
                .map(|(n, wins)| format!("{} on {wins}", named(c, n)))
                .collect();
            remarks.push(format!(
                "No network{} is the fastest everywhere. Of {count} workloads, these are the fastest{} or within 1 % of it: \
                 {}. So the answer depends on how much each workload counts.",
                among,
                among,
                list(&some)
            ));
        }
        for &n in ties.iter().filter(|&&n| n != c.baselines[n]) {
            let worst = (0..count).min_by(|&a, &b| c.cell(a, n).relative.total_cmp(&c.cell(b, n).relative));
            if let Some(w) = worst {
                let (name, value) = (&c.workloads[w].name, ratio(c.cell(w, n).relative));
                remarks.push(format!("{} does worst on {name}: {value} times the baseline.", named(c, n)));
            }
        }
    }
    // Nearly the same performance with fewer lanes.
    if let Some(lanes) = view.facts[best].lanes {
        let cheaper = order[1..]
            .iter()
            .copied()
            .filter_map(|n| Some((n, view.facts[n].lanes?)))
            .find(|&(n, l)| l < lanes && mean(n) >= 0.9 * mean(best));
        if let Some((n, less)) = cheaper {
            remarks.push(format!(
                "{} reaches {:.0} % of that performance with {:.0} % of the one-way lanes (a two-way cable is two).",
                named(c, n),
                100.0 * mean(n) / mean(best),
                100.0 * less as f64 / lanes as f64
            ));
        }
    }
    (verdict, remarks)
}

/// Describes the measure of performance.
fn measure(c: &Comparison) -> String {
    let count = c.workloads.len();
    let workloads = if count == 1 { "the one workload".to_owned() } else { format!("the {count} workloads") };
    let weights = if c.has_weights() {
        let weights: Vec<String> =
            c.workloads.iter().zip(&c.weights).map(|(w, weight)| format!("{} {weight}", w.name)).collect();
        format!("with these weights: {}", list(&weights))
    } else {
        "each with the same weight".to_owned()
    };
    format!("Measure: performance relative to the baseline, as geometric mean over {workloads}, {weights}.")
}

/// Describes the networks with the best performance per dollar and per watt.
fn worth(c: &Comparison, order: &[usize], offers: &[Offer]) -> Option<String> {
    // All networks as good as the best one are named.
    let best = |per: fn(&Offer) -> Option<Statistic>| {
        let values = || order.iter().filter_map(|&n| Some((n, per(&offers[n])?.mean)));
        let most = values().map(|(_, value)| value).reduce(f64::max)?;
        let names: Vec<String> =
            values().filter(|&(_, value)| value >= most * (1.0 - 1e-9)).map(|(n, _)| named(c, n)).collect();
        Some(list(&names))
    };
    let (dollar, watt) = (best(Offer::per_dollar)?, best(Offer::per_watt)?);
    Some(if order.len() < 2 {
        return None;
    } else if dollar == watt {
        format!("Best performance for the money and per watt: {dollar}.")
    } else {
        format!("Best performance for the money: {dollar}; per watt: {watt}.")
    })
}

/// States which times are extrapolated; `None` if none is.
fn extrapolated(c: &Comparison) -> Option<String> {
    let has = |workload: usize| c.any_run(workload, |record| record.extrapolation.is_some());
    let names: Vec<String> = (0..c.workloads.len()).filter(|&w| has(w)).map(|w| c.workloads[w].name.clone()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Times of {} are extrapolated from a part of their iterations (until_steady). The interval has the figure of the whole \
             run with 95 % confidence; Method has the numbers of iterations.",
            list(&names)
        )
    })
}

/// Returns the networks that repetitions, or extrapolated times, do not distinguish from the best one: their intervals
/// overlap with its interval.
fn undecided(c: &Comparison, order: &[usize]) -> Option<String> {
    let by = match (c.has_repetitions(), c.is_extrapolated()) {
        (true, _) => "these seeds",
        (false, true) => "extrapolated times",
        (false, false) => return None,
    };
    let (&best, others) = order.split_first()?;
    let low = c.geometric[best].ends()[0];
    let near: Vec<String> = others.iter().filter(|&&n| c.geometric[n].ends()[1] >= low).map(|&n| named(c, n)).collect();
    (!near.is_empty()).then(|| {
        format!(
            "The interval of {} overlaps with {} of {}: {by} do not decide which of them is faster.",
            named(c, best),
            if near.len() == 1 { "that" } else { "those" },
            list(&near)
        )
    })
}

fn duplex(c: &Comparison, groups: &[Vec<usize>]) -> Vec<String> {
    let mode = |n: usize| c.networks[n].duplex.as_deref();
    let of = |wanted: &str| {
        (0..c.networks.len()).filter(|&n| mode(n) == Some(wanted)).map(|n| short(c, n)).collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    let (full, shared, one_way) = (of("full"), of("shared"), of("one-way"));
    // If every cable has full bandwidth in both directions, no caveat is necessary.
    if shared.is_empty() && one_way.is_empty() {
        return out;
    }
    let have = |letters: &[String]| if letters.len() == 1 { "has" } else { "have" };
    if !full.is_empty() {
        let text =
            format!("{} {} full duplex: each direction of a cable has the full bandwidth.", list(&full), have(&full));
        out.push(text);
    }
    if !shared.is_empty() {
        out.push(format!(
            "{} {} shared duplex: both directions of a cable share one bandwidth, as in older published studies.",
            list(&shared),
            have(&shared)
        ));
    }
    if !one_way.is_empty() {
        out.push(format!("{} {} one-way cables.", list(&one_way), have(&one_way)));
    }
    for order in groups {
        out.extend(both_modes(c, order));
    }
    if shared.is_empty() && !full.is_empty() && !one_way.is_empty() {
        out.push(
            "One-way and two-way networks are compared here; with --duplex shared the answer may be different."
                .to_owned(),
        );
    }
    out
}

/// Returns the effect of the duplex mode on graphs that are among these networks in both modes.
fn both_modes(c: &Comparison, order: &[usize]) -> Vec<String> {
    let mode = |n: usize| c.networks[n].duplex.as_deref();
    let times = |a: usize, b: usize| ratio(c.geometric_mean(b) / c.geometric_mean(a));
    let mut columns = order.to_vec();
    columns.sort_unstable();
    let mut out = Vec::new();
    for &a in columns.iter().filter(|&&a| mode(a) == Some("full")) {
        let twin = |b: &&usize| {
            let (a, b) = (&c.networks[a], &c.networks[**b]);
            a.topology == b.topology && a.seed == b.seed && b.duplex.as_deref() == Some("shared")
        };
        for &b in columns.iter().filter(twin) {
            out.push(format!(
                "{} and {} are the same graph: sharing makes it {} times as fast.",
                short(c, a),
                short(c, b),
                times(a, b)
            ));
            let other = |n: &usize| c.networks[*n].topology != c.networks[a].topology;
            if let Some(best) = order.iter().copied().find(other) {
                out.push(format!(
                    "Seen from {}, {} is {} times as fast; seen from {}, {} times. Ask the vendor which of the two a real cable is.",
                    short(c, a),
                    short(c, best),
                    times(a, best),
                    short(c, b),
                    times(b, best)
                ));
            }
        }
    }
    out
}
