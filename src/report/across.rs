//! Comparison across settings, for all formats: a table of networks and settings, and sentences on each part of the
//! settings.

use super::findings::{grouped, list};
use super::label::short;
use super::steady::{self, with_interval};
use crate::study::across::{Across, Axis};
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;

/// Comparison across settings, as table and text.
pub(super) struct SettingTable {
    /// Heading, without a full stop.
    pub title: String,
    /// Names of the settings.
    pub settings: Vec<String>,
    /// Row for each network: its name, its value in each setting, its best setting, and the ratio of best to worst.
    pub rows: Vec<NetworkRow>,
    /// Sentences below the table.
    pub sentences: Vec<String>,
}

/// A network in all settings.
pub(super) struct NetworkRow {
    /// Name without the setting.
    pub name: String,
    /// Speedup over the reference in each setting.
    pub values: Vec<Statistic>,
    /// Speedup per money over the reference in each setting, if the prices in all settings are known.
    pub per_money: Option<Vec<Statistic>>,
    /// Index of the best setting; `None` if the settings have several models: they show how much an answer depends on the
    /// model, and none is best.
    pub best: Option<usize>,
}

/// Returns the name of a column's setting.
pub(super) fn setting(c: &Comparison, column: usize) -> &str {
    &c.setting_names[column]
}

/// States which networks are not in a table of all settings, if there are any.
pub(super) fn not_shown(omitted: &[String]) -> Option<String> {
    (!omitted.is_empty()).then(|| format!("Not shown: {}, which some of these settings do not support.", list(omitted)))
}

/// Returns the names of all settings, in their order.
pub(super) fn settings(c: &Comparison) -> Vec<&str> {
    c.of_settings().iter().map(|of| setting(c, of[0])).collect()
}

/// Returns the comparison of a study with several settings; `None` if they differ only in routing rules and failures,
/// which have tables of their own.
pub(super) fn shown(c: &Comparison) -> Option<SettingTable> {
    let across = Across::of(c)?;
    if across.axes.iter().all(|axis| matches!(axis.name, "routing" | "failures")) {
        return None;
    }
    let networks = across.columns[0].len();
    let name = |network: usize| c.plain_names[across.columns[0][network]].as_str();
    let one_model = !across.axes.iter().any(|axis| axis.name == "model");
    let row = |network: usize| NetworkRow {
        name: name(network).to_owned(),
        values: across.relative.iter().map(|values| values[network]).collect(),
        per_money: across.per_money.iter().map(|values| values[network]).collect(),
        best: one_model.then_some(across.best[network]),
    };
    let axes = across.axes.iter().filter(|axis| !matches!(axis.name, "routing" | "failures"));
    let mut sentences: Vec<String> =
        axes.flat_map(|axis| of_axis(axis, networks, across.axes.len() > 1, &name)).collect();
    let all = (0..networks).flat_map(|n| (0..across.columns.len()).map(move |s| (s, n)));
    let (s, n) = all
        .reduce(|a, b| if across.relative[b.0][b.1].mean > across.relative[a.0][a.1].mean { b } else { a })
        .unwrap_or((0, 0));
    let best = across.columns[s][n];
    if one_model {
        sentences.insert(
            0,
            format!(
                "Fastest of all networks and settings: {} ({}), {}{}.",
                c.networks[best].name,
                short(c, best),
                steady::ratio(&across.relative[s][n]),
                match c.offers().iter().find(|offer| offer.network == best).and_then(|offer| offer.within_budget) {
                    Some(false) if c.budget.is_some() => "; it is over the budget",
                    _ => "",
                }
            ),
        );
    }
    sentences.extend(not_shown(&across.omitted));
    sentences.extend(steady::of_intervals(c).map(str::to_owned));
    Some(SettingTable {
        title: format!("Across settings: geometric mean relative to {}", c.networks[across.reference].name),
        settings: across.columns.iter().map(|of| setting(c, of[0]).to_owned()).collect(),
        rows: (0..networks).map(row).collect(),
        sentences,
    })
}

/// Returns sentences on the models: the times with each relative to those with the first.
fn models<'a>(axis: &Axis, networks: usize, name: &dyn Fn(usize) -> &'a str) -> Vec<String> {
    let of = |value: usize| {
        let ratio = |network: usize| hundredths(&axis.ratio(network, 0, value));
        let all: Vec<String> = (0..networks).map(|network| format!("{} {}", name(network), ratio(network))).collect();
        format!("Times under the model {} over those under {}: {}.", axis.values[value], axis.values[0], list(&all))
    };
    (1..axis.values.len()).map(of).collect()
}

/// Formats a ratio in sentences: `1.23`, or `1.23 ± 0.01` if the half width is not lost in rounding.
fn hundredths(of: &Statistic) -> String {
    let is_shown = of.half_width.is_some_and(|half| half >= 0.005);
    let format = |value| format!("{value:.2}");
    if is_shown { with_interval(of, format) } else { format(of.mean) }
}

/// Returns sentences on one part of the settings.
fn of_axis<'a>(axis: &Axis, networks: usize, others: bool, name: &dyn Fn(usize) -> &'a str) -> Vec<String> {
    let over = if others { ", geometric mean over the other settings" } else { "" };
    let title = match axis.name {
        "collectives" => "Tables of collectives",
        "mapping" => "Mapping",
        "model" => return models(axis, networks, name),
        _ => "Platform",
    };
    let text = |network: usize| format!("{} ({})", name(network), hundredths(&axis.spread(network)));
    let by_best = grouped((0..networks).map(|network| (axis.best(network), text(network))));
    let parts = by_best.iter().map(|(best, names)| format!("{} for {}", axis.values[*best], list(names)));
    let mut sentences = vec![format!(
        "{title}: the best is {}; in brackets, how many times as fast as with the worst{over}.",
        parts.collect::<Vec<_>>().join("; ")
    )];
    let open: Vec<String> =
        (0..networks).filter(|&network| axis.is_undecided(network)).map(|network| name(network).to_owned()).collect();
    if !open.is_empty() {
        sentences.push(format!("Which is the best is not certain for {}, because intervals overlap.", list(&open)));
    }
    if axis.name != "platform" {
        return sentences;
    }
    // Faster platforms are compared with the first one.
    for value in 1..axis.values.len() {
        let gain = |network: usize| axis.ratio(network, value, 0);
        // With one quote, or one rate of a list, for all platforms their prices are not known.
        let is_one = |network: usize| axis.price[value][network] == axis.price[0][network];
        let price = |network: usize| {
            let ratio = axis.money[value][network]? / axis.money[0][network]?;
            (!is_one(network)).then_some(ratio)
        };
        let text = |network: usize| match price(network) {
            Some(price) => {
                let gain = hundredths(&gain(network));
                format!("{} {gain} times the speed for {price:.2} times the money", name(network))
            }
            None => format!("{} {} times the speed", name(network), hundredths(&gain(network))),
        };
        let all: Vec<String> = (0..networks).map(text).collect();
        sentences.push(format!("{} instead of {}: {}.", axis.values[value], axis.values[0], all.join("; ")));
        let alike: Vec<String> = (0..networks)
            .filter(|&n| axis.money[value][n].is_some() && is_one(n))
            .map(|n| name(n).to_owned())
            .collect();
        if !alike.is_empty() {
            sentences.push(format!(
                "The price of {} is one for both, so nothing is known of what {} costs: quote price = {{ {} = ..., {} = ... }}, or take \
                 a list with both link rates.",
                list(&alike),
                axis.values[value],
                axis.values[0],
                axis.values[value]
            ));
        }
        let priced: Vec<usize> = (0..networks).filter(|&network| price(network).is_some()).collect();
        if !priced.is_empty() {
            let worth: Vec<String> = priced
                .iter()
                .filter(|&&network| price(network).is_some_and(|price| gain(network).mean > price))
                .map(|&network| name(network).to_owned())
                .collect();
            sentences.push(match worth.len() {
                0 => format!("{} gives no network more speed than it costs.", axis.values[value]),
                _ => format!("{} gives more speed than it costs on {}.", axis.values[value], list(&worth)),
            });
            let open: Vec<String> = priced
                .iter()
                .filter(|&&network| price(network).is_some_and(|price| gain(network).is_above(price).is_none()))
                .map(|&network| name(network).to_owned())
                .collect();
            if !open.is_empty() {
                sentences.push(format!(
                    "That is not certain on {}: the interval of the speed contains the ratio of the prices.",
                    list(&open)
                ));
            }
        }
    }
    sentences
}
