//! Optional parts of `mopsim.compare/2`: the comparison across settings, sensitivity and failures.

use super::named::Named;
use crate::study::comparison::Comparison;
use crate::study::failure_choice::Failed;
use crate::study::failure_effects as failures;
use crate::study::plan::Setting;
use crate::study::statistics::Statistic;
use crate::study::{across, sensitivity};
use serde::Serialize;
use std::collections::BTreeMap;

/// Every network in every setting, relative to one reference.
#[derive(Serialize)]
pub(super) struct Across<'a> {
    reference: JsonColumn<'a>,
    rule: &'static str,
    settings: Vec<InSetting<'a>>,
    axes: Vec<JsonAxis<'a>>,
}

/// A network and its setting.
#[derive(Serialize)]
pub(super) struct JsonColumn<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    #[serde(flatten)]
    setting: JsonSetting<'a>,
}

/// A setting, with the same keys wherever it is.
#[derive(Serialize)]
pub(super) struct JsonSetting<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    platform: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing_setting: Option<&'a str>,
    mapping: &'a str,
    collectives: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failures: Option<String>,
}

impl<'a> JsonColumn<'a> {
    /// Returns the column of that number.
    pub fn of(c: &'a Comparison, number: usize) -> Self {
        Self { named: c.plain_names[number].as_str().into(), setting: JsonSetting::of(&c.settings[number]) }
    }

    /// Returns the column of that number without its state of failures.
    fn intact(c: &'a Comparison, number: usize) -> Self {
        let column = Self::of(c, number);
        Self { setting: JsonSetting { failures: None, ..column.setting }, ..column }
    }
}

impl<'a> JsonSetting<'a> {
    /// Returns the parts of a setting.
    pub fn of(setting: &'a Setting) -> Self {
        Self {
            platform: setting.platform.as_deref(),
            routing_setting: setting.routing.as_deref(),
            mapping: &setting.mapping,
            collectives: &setting.collectives,
            model: setting.model.as_deref(),
            failures: setting.failures.as_ref().map(Failed::name),
        }
    }

    /// Returns the parts without the routing rule, for results under all rules.
    pub fn under_all_rules(self) -> Self {
        Self { routing_setting: None, ..self }
    }
}

#[derive(Serialize)]
struct InSetting<'a> {
    #[serde(flatten)]
    column: JsonColumn<'a>,
    geometric: f64,
    /// Ends of its 95 % interval, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    geometric_interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_money: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_money_interval: Option<[f64; 2]>,
    /// `true` if no setting is faster for the network.
    best: bool,
}

#[derive(Serialize)]
struct JsonAxis<'a> {
    axis: &'a str,
    networks: Vec<OnAxis<'a>>,
}

#[derive(Serialize)]
struct OnAxis<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    best: String,
    /// Ratio of best to worst.
    spread: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    spread_interval: Option<[f64; 2]>,
    /// Geometric mean by value.
    geometric: BTreeMap<String, f64>,
    /// `true` if intervals of extrapolated times leave open which value is the best.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    undecided: bool,
    /// Money by value; empty if prices are unknown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    money: BTreeMap<String, f64>,
}

/// Effects of changed assumptions on the networks.
#[derive(Serialize)]
pub(super) struct Sensitivity<'a> {
    rule: &'static str,
    fastest: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_buy: Option<&'a str>,
    stated: Vec<Geometric<'a>>,
    effects: Vec<JsonEffect<'a>>,
}

#[derive(Serialize)]
struct Geometric<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    geometric: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    geometric_interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct JsonEffect<'a> {
    assumption: &'a str,
    value: &'a str,
    networks: Vec<Moved<'a>>,
    baseline_speedup: f64,
    /// Ends of its 95 % interval, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_speedup_interval: Option<[f64; 2]>,
    fastest: &'a str,
    winner_changes: bool,
    /// `true` if intervals of extrapolated times leave that open.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    winner_undecided: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best_buy: Option<&'a str>,
    buy_changes: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    buy_undecided: bool,
}

#[derive(Serialize)]
struct Moved<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    /// `true` if the change concerns the network.
    changed: bool,
    geometric: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    geometric_interval: Option<[f64; 2]>,
    moved: f64,
    /// Ends of the 95 % interval of `moved`, if times are extrapolated.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_interval: Option<[f64; 2]>,
}

/// A level of failures.
#[derive(Serialize)]
pub(super) struct Failure<'a> {
    failures: String,
    seeds: usize,
    rule: &'static str,
    networks: Vec<Damaged<'a>>,
}

#[derive(Serialize)]
struct Damaged<'a> {
    /// Name and setting of the intact network.
    #[serde(flatten)]
    column: JsonColumn<'a>,
    /// Geometric mean over the workloads.
    geometric: Slowdown,
    geometric_even: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    geometric_even_interval: Option<[f64; 2]>,
    workloads: Vec<DamagedWorkload<'a>>,
}

#[derive(Serialize)]
struct DamagedWorkload<'a> {
    workload: &'a str,
    slowdown: Slowdown,
    even: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    even_interval: Option<[f64; 2]>,
}

/// Mean slowdown over seeds.
#[derive(Serialize)]
struct Slowdown {
    mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_deviation: Option<f64>,
    /// Ends of the 95 % confidence interval of the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

const FAILURES_RULE: &str = "time with failures over time on the intact network, seed by seed; even is the time on the intact \
                             network whose cables all lost the same share of their bandwidth, over that on the intact network";

/// Returns the slowdowns by failures.
pub(super) fn failures(c: &Comparison) -> Vec<Failure<'_>> {
    let slowdown =
        |of: &Statistic| Slowdown { mean: of.mean, standard_deviation: of.standard_deviation, interval: of.interval() };
    let network = |network: &failures::NetworkEffect| Damaged {
        column: JsonColumn::intact(c, network.columns[0]),
        geometric: slowdown(&network.geometric),
        geometric_even: network.geometric_even.mean,
        geometric_even_interval: network.geometric_even.interval(),
        workloads: (c.workloads.iter().zip(network.slowdown.iter().zip(&network.even)))
            .map(|(workload, (of, even))| DamagedWorkload {
                workload: &workload.name,
                slowdown: slowdown(of),
                even: even.mean,
                even_interval: even.interval(),
            })
            .collect(),
    };
    let effect = |effect: failures::FailureEffect| Failure {
        networks: effect.networks.iter().map(network).collect(),
        failures: effect.level,
        seeds: effect.seeds,
        rule: FAILURES_RULE,
    };
    failures::effects(c).into_iter().map(effect).collect()
}

const ACROSS_RULE: &str = "weighted geometric mean of the reference's mean time over the mean time here; money is the total cost \
                           where there is one, else the price; axes are geometric means over the other settings";

const SENSITIVITY_RULE: &str = "networks of the first setting, first repetition, one assumption changed at a time; moved is the \
                                geometric mean relative to the baseline over the stated one, minus 1; a winner changes if it is \
                                slower than another by more than 1 %";

/// Returns the comparison across settings, if there are several.
pub(super) fn across(c: &Comparison) -> Option<Across<'_>> {
    let across = across::Across::of(c)?;
    let networks = across.columns[0].len();
    let cells = (0..across.columns.len()).flat_map(|setting| (0..networks).map(move |network| (setting, network)));
    let settings = cells.map(|(setting, network)| InSetting {
        column: JsonColumn::of(c, across.columns[setting][network]),
        geometric: across.relative[setting][network].mean,
        geometric_interval: across.relative[setting][network].interval(),
        per_money: across.per_money[setting][network].map(|per| per.mean),
        per_money_interval: across.per_money[setting][network].and_then(|per| per.interval()),
        best: across.best[network] == setting,
    });
    let settings = settings.collect();
    let axis = |axis: &across::Axis| JsonAxis {
        axis: axis.name,
        networks: (0..networks)
            .map(|network| OnAxis {
                named: c.plain_names[across.columns[0][network]].as_str().into(),
                best: axis.values[axis.best(network)].clone(),
                spread: axis.spread(network).mean,
                spread_interval: axis.spread(network).interval(),
                geometric: axis.values.iter().cloned().zip(axis.relative.iter().map(|of| of[network])).collect(),
                undecided: axis.is_undecided(network),
                money: axis
                    .values
                    .iter()
                    .zip(&axis.money)
                    .filter_map(|(value, of)| Some((value.clone(), of[network]?)))
                    .collect(),
            })
            .collect(),
    };
    let axes = across.axes.iter().map(axis).collect();
    Some(Across { reference: JsonColumn::of(c, across.reference), rule: ACROSS_RULE, settings, axes })
}

/// Returns the ends of the interval of a change, which may be on either side of 0.
fn around(of: &Statistic) -> Option<[f64; 2]> {
    of.half_width.map(|half| [of.mean - half, of.mean + half])
}

/// Returns the sensitivity, if requested.
pub(super) fn sensitivity(c: &Comparison) -> Option<Sensitivity<'_>> {
    let s = c.sensitivity.as_ref()?;
    let name = |network: usize| c.plain_names[network].as_str();
    let effect = |effect: &sensitivity::Effect, value| {
        let networks = (0..effect.relative.len()).map(|network| Moved {
            named: name(network).into(),
            changed: effect.variation.columns.contains(&network),
            geometric: effect.relative[network].mean,
            geometric_interval: effect.relative[network].interval(),
            moved: effect.moved[network].mean,
            moved_interval: around(&effect.moved[network]),
        });
        JsonEffect {
            assumption: effect.variation.assumption,
            value,
            networks: networks.collect(),
            baseline_speedup: effect.baseline_speedup.mean,
            baseline_speedup_interval: effect.baseline_speedup.interval(),
            fastest: name(effect.fastest),
            winner_changes: effect.winner_changes,
            winner_undecided: effect.winner_is_undecided,
            best_buy: effect.best_buy.map(name),
            buy_changes: effect.buy_changes,
            buy_undecided: effect.buy_is_undecided,
        }
    };
    let stated = s.stated.iter().enumerate().map(|(n, of)| Geometric {
        named: name(n).into(),
        geometric: of.mean,
        geometric_interval: of.interval(),
    });
    Some(Sensitivity {
        rule: SENSITIVITY_RULE,
        fastest: name(s.fastest),
        best_buy: s.best_buy.map(name),
        stated: stated.collect(),
        effects: s.effects.iter().map(|of| effect(of, of.variation.value.as_str())).collect(),
    })
}
