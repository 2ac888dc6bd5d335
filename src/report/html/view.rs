//! The interactive view of a report: the script, its data, and the policy of the page.
//!
//! The written report is complete without it. The script computes anew what depends on a reader's choice of weights,
//! networks, baseline, settings and prices, with the formulas of [`crate::study`] and the words of this room; `.ci/browser`
//! compares its output with that of mopsim for the same choice. Times and loads are those of the results that the page
//! contains in any case, so the data here is only what they lack.

use super::parts::View;
use super::svg;
use crate::printable::printable;
use crate::report::label::{place, short};
use crate::report::number::grouped;
use crate::report::offers::{self, Caveats, currency};
use crate::report::{across, sensitivity};
use crate::study::across::{Part, parts};
use crate::study::comparison::Comparison;
use crate::study::facts::NetworkFacts;
use crate::study::sensitivity::Effect;
use crate::study::statistics::{Statistic, student_t};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The script: one scope, so that its names are its own.
pub(super) const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("view/numbers.js"),
    include_str!("view/study.js"),
    include_str!("view/words.js"),
    include_str!("view/sensitivity.js"),
    include_str!("view/charts.js"),
    include_str!("view/costs.js"),
    include_str!("view/parts.js"),
    include_str!("view/tables.js"),
    include_str!("view/page.js"),
    "})();\n"
);

/// Returns the content security policy: this script runs and no other, and nothing is loaded, from anywhere.
pub(super) fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        base64(&Sha256::digest(SCRIPT))
    )
}

/// Encodes bytes in base 64 (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |word, at| word << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for at in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

/// Data of the script.
#[derive(Serialize)]
pub(super) struct Data {
    columns: Vec<ViewedColumn>,
    /// Networks, by the number that they have in all settings.
    networks: Vec<ViewedNetwork>,
    settings: Vec<ViewedSetting>,
    /// Parts in which settings differ.
    axes: Vec<ViewedAxis>,
    /// Names of the platforms, which may have prices of their own; one without a name if there is only one.
    platforms: Vec<String>,
    workloads: Vec<ViewedWorkload>,
    /// Bounds of Student's t for 1, 2, ... degrees of freedom, as far as repetitions need them.
    student: Vec<f64>,
    /// Limits by name; `None` if the study has no budget.
    budget: Option<crate::study::procurement::Budget>,
    ownership: Option<crate::cost::Ownership>,
    /// Currency in sentences, in headings, and its code.
    currency: [String; 3],
    /// Parts of the sentences about prices.
    caveats: Caveats,
    /// Name of the price list.
    list: String,
    /// Name of the price list, if its prices are an example.
    example: Option<String>,
    /// Difference below which times are called equal.
    equal: f64,
    /// Changed assumptions; empty without an analysis of sensitivity.
    assumptions: Vec<Assumption>,
}

/// A changed assumption in the first setting.
#[derive(Serialize)]
struct Assumption {
    name: String,
    /// Networks that the change concerns.
    columns: Vec<usize>,
    /// Time of each cell, workload by workload, network by network.
    seconds: Vec<f64>,
    /// Half of the interval of each of these times relative to it; empty if none is extrapolated.
    half_widths: Vec<f64>,
}

/// A network in a setting.
#[derive(Serialize)]
struct ViewedColumn {
    /// Letter of the network, and its short name with the number of the setting.
    letter: String,
    short: String,
    name: String,
    full: String,
    /// Number of the network among all settings, and index of the setting.
    place: usize,
    setting: usize,
    platform: usize,
    baseline: usize,
    repetitions: usize,
    /// Colour and pattern.
    look: (usize, usize),
    /// Attribute of the network's fill.
    fill: String,
    lanes: Option<usize>,
    cables: Option<String>,
    duplex: Option<String>,
    /// Columns with one graph have the same number.
    graph: usize,
    topology: usize,
    dollars: Option<f64>,
    watts: Option<f64>,
    metres: Option<f64>,
    quoted: bool,
    quoted_watts: bool,
}

#[derive(Serialize)]
struct ViewedNetwork {
    letter: String,
    name: String,
    /// `true` if it is in all settings, so that it can be the baseline.
    everywhere: bool,
    /// Price on each platform, if known.
    prices: Vec<Option<String>>,
}

#[derive(Serialize)]
struct ViewedSetting {
    name: String,
    /// Index of its value on each axis.
    values: Vec<usize>,
}

#[derive(Serialize)]
struct ViewedAxis {
    name: &'static str,
    values: Vec<String>,
}

#[derive(Serialize)]
struct ViewedWorkload {
    name: String,
    weight: f64,
}

fn text(text: &str) -> String {
    printable(text).into_owned()
}

/// Returns the index of the first item that equals item `n` by `same`.
fn first(n: usize, same: impl Fn(usize, usize) -> bool) -> usize {
    (0..n).find(|&other| same(other, n)).unwrap_or(n)
}

/// Returns the names of the platforms of a study.
fn platforms(c: &Comparison) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for setting in &c.settings {
        let name = text(setting.platform.as_deref().unwrap_or_default());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn networks(c: &Comparison, facts: &[NetworkFacts], platforms: &[String]) -> Vec<ViewedNetwork> {
    let settings = c.of_settings().len();
    let columns = |number: usize| (0..c.networks.len()).filter(move |&n| place(c, n).1 == number);
    let network = |number: usize| {
        let first = columns(number).next()?;
        let price = |platform: &String| {
            let on = |n: &usize| text(c.settings[*n].platform.as_deref().unwrap_or_default()) == *platform;
            columns(number).find(on).and_then(|n| facts[n].dollars).map(|price| grouped(price.round() as u64))
        };
        Some(ViewedNetwork {
            letter: crate::report::label::network(c, first),
            name: text(&c.plain_names[first]),
            everywhere: columns(number).count() == settings,
            prices: platforms.iter().map(price).collect(),
        })
    };
    (0..).map_while(network).collect()
}

fn column(c: &Comparison, facts: &[NetworkFacts], n: usize) -> ViewedColumn {
    let (setting, number) = place(c, n);
    let network = |n: usize| &c.networks[n];
    let NetworkFacts { dollars, watts, metres, lanes, cables, .. } = facts[n];
    ViewedColumn {
        letter: crate::report::label::network(c, n),
        short: short(c, n),
        name: text(&c.plain_names[n]),
        full: text(&network(n).name),
        place: number,
        setting,
        platform: platforms(c)
            .iter()
            .position(|name| text(c.settings[n].platform.as_deref().unwrap_or_default()) == *name)
            .unwrap_or(0),
        baseline: c.baselines[n],
        repetitions: c.seeds[n].len(),
        look: svg::look(number),
        fill: svg::network_pattern(number),
        lanes,
        cables: cables.map(super::parts::cables),
        duplex: network(n).duplex.clone(),
        graph: first(n, |a, b| network(a).topology == network(b).topology && network(a).seed == network(b).seed),
        topology: first(n, |a, b| network(a).topology == network(b).topology),
        dollars,
        watts,
        metres,
        quoted: c.costs[n].is_some_and(|cost| cost.quoted),
        quoted_watts: c.costs[n].is_some_and(|cost| cost.quoted_watts),
    }
}

fn assumption(effect: &Effect) -> Assumption {
    let half_widths: Vec<f64> = effect.seconds.iter().map(Statistic::relative_extrapolated).collect();
    Assumption {
        name: text(&sensitivity::name(effect)),
        columns: effect.variation.columns.clone(),
        seconds: effect.seconds.iter().map(|of| of.mean).collect(),
        half_widths: if half_widths.iter().all(|half| *half == 0.0) { Vec::new() } else { half_widths },
    }
}

/// Returns the data of the script.
pub(super) fn data(view: &View<'_>) -> Data {
    let c = view.comparison;
    let firsts: Vec<usize> = c.of_settings().iter().map(|columns| columns[0]).collect();
    let parts = parts(c);
    let axes: Vec<ViewedAxis> = parts
        .iter()
        .map(|(name, of)| {
            let mut values: Vec<String> = Vec::new();
            for value in c.settings.iter().map(|setting| text(&of(setting))) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            ViewedAxis { name, values }
        })
        .collect();
    let setting = |&n: &usize| {
        let value = |(axis, (_, of)): (&ViewedAxis, &Part)| {
            let own = text(&of(&c.settings[n]));
            axis.values.iter().position(|value| *value == own).unwrap_or(0)
        };
        ViewedSetting { name: text(across::setting(c, n)), values: axes.iter().zip(&parts).map(value).collect() }
    };
    let settings = firsts.iter().map(setting).collect();
    let most = c.seeds.iter().map(Vec::len).max().unwrap_or(1);
    let platforms = platforms(c);
    Data {
        columns: (0..c.networks.len()).map(|n| column(c, view.facts, n)).collect(),
        networks: networks(c, view.facts, &platforms),
        settings,
        axes,
        platforms,
        workloads: c
            .workloads
            .iter()
            .zip(&c.weights)
            .map(|(w, &weight)| ViewedWorkload { name: text(&w.name), weight })
            .collect(),
        student: (1..most).map(student_t).collect(),
        budget: c.budget,
        ownership: c.prices.ownership,
        currency: [text(&currency(c)), text(offers::sign(c)), text(&c.prices.currency)],
        caveats: offers::caveats_in_parts(c),
        list: text(&c.prices.name),
        example: offers::example(c).map(|_| text(&c.prices.name)),
        equal: crate::report::findings::EQUAL,
        assumptions: c.sensitivity.iter().flat_map(|all| &all.effects).map(assumption).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn base64_is_that_of_the_standard() {
        // RFC 4648, section 10.
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
