//! A comparison as JSON: `mopsim.compare/2`.

use super::compare_json_more::{self, Across, Failure, JsonColumn, JsonSetting, Sensitivity};
use super::jobs::{self, JobJson};
use super::json::ShownModel;
use super::named::Named;
use super::{cross_check, findings, packet_curves};
use crate::cost::Ownership;
use crate::platform::speeds::{PlatformSpeeds, Resolved};
use crate::result::explain::Explanation;
use crate::study::comparison::Comparison;
use crate::study::perturb::Factors;
use crate::study::procurement::{Budget, NetworkCost};
use crate::study::ranking::Neighbours;
use crate::study::routings::{self, RoutingEffect};
use crate::study::statistics::Statistic;
use crate::study::workload::WorkloadInfo;
use crate::topology::GENERATOR;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Compare<'a> {
    schema: &'static str,
    title: &'a str,
    baseline: &'a str,
    mapping: &'a str,
    topologies: Vec<JsonNetwork<'a>>,
    workloads: Vec<JsonWorkload<'a>>,
    /// One entry per replay.
    cells: Vec<JsonCell<'a>>,
    /// One entry per workload and network, for all repetitions together.
    statistics: Vec<Repeated<'a>>,
    means: Vec<Mean<'a>>,
    equal: Vec<Equal<'a>>,
    relative_rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranking: Option<Ranking<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    routings: Vec<Rules<'a>>,
    /// Slowdowns by failures, if the study has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<Failure<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    across_settings: Option<Across<'a>>,
    /// Comparisons of packets with flows, if the study has both.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cross_check: Vec<cross_check::JsonCrossCheck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sensitivity: Option<Sensitivity<'a>>,
    /// Curves of packets under synthetic traffic, if the study has the table `[packets]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<packet_curves::JsonSweep<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    procurement: Option<Procurement<'a>>,
    model: ShownModel<'a>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct JsonNetwork<'a> {
    name: &'a str,
    network: &'a str,
    topology: &'a str,
    spec: &'a str,
    family: Option<&'a str>,
    seed: Option<u64>,
    seeds: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generator: Option<&'static str>,
    hosts: usize,
    duplex: Option<&'a str>,
    routing: Option<&'a str>,
    routing_kind: &'a str,
    speeds: &'a PlatformSpeeds,
    parameters: Option<&'a Resolved>,
    /// Name in cells, and setting.
    column: JsonColumn<'a>,
}

#[derive(Serialize)]
struct JsonWorkload<'a> {
    name: &'a str,
    title: Option<&'a str>,
    ranks: usize,
    actions: u64,
    operations: Option<f64>,
    formula: Option<&'a str>,
    weight: f64,
}

#[derive(Serialize)]
struct JsonCell<'a> {
    workload: &'a str,
    #[serde(flatten)]
    column: JsonColumn<'a>,
    seed: Option<u64>,
    simulated_seconds: f64,
    mops: Option<f64>,
    relative: f64,
    compute_mean_seconds: f64,
    communication_mean_seconds: f64,
    waiting_mean_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    extrapolation: Option<super::steady::JsonExtrapolation<'a>>,
    explanation: &'a Explanation,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<JobJson<'a>>>,
}

/// Networks on which a workload takes the same time within one per cent, and the reason.
#[derive(Serialize)]
struct Equal<'a> {
    workload: &'a str,
    topologies: Vec<&'a str>,
    reason: String,
}

#[derive(Serialize)]
struct JsonSpread {
    repetitions: usize,
    mean: f64,
    standard_deviation: Option<f64>,
    /// Both ends of the interval.
    confidence_95: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct Repeated<'a> {
    workload: &'a str,
    #[serde(flatten)]
    column: JsonColumn<'a>,
    simulated_seconds: JsonSpread,
    relative: JsonSpread,
}

#[derive(Serialize)]
struct Mean<'a> {
    #[serde(flatten)]
    column: JsonColumn<'a>,
    arithmetic: f64,
    geometric: f64,
    arithmetic_spread: JsonSpread,
    geometric_spread: JsonSpread,
}

/// Results under several routing rules.
#[derive(Serialize)]
struct Rules<'a> {
    #[serde(flatten)]
    setting: JsonSetting<'a>,
    order_holds: bool,
    flips: Vec<RuleFlip<'a>>,
    /// Pairs of networks of which intervals of extrapolated times leave open whether their order depends on the rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    undecided: Vec<[&'a str; 2]>,
    networks: Vec<RulesOf<'a>>,
    rule: &'static str,
}

/// Two networks whose order depends on the rule.
#[derive(Serialize)]
struct RuleFlip<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    other: &'a str,
    ahead_with: String,
    ahead: f64,
    behind_with: String,
    behind: f64,
}

/// Results of a network under each rule.
#[derive(Serialize)]
struct RulesOf<'a> {
    #[serde(flatten)]
    named: Named<&'a str>,
    best: String,
    /// Geometric mean by rule.
    geometric: BTreeMap<String, f64>,
    /// Ends of their 95 % intervals, if times are extrapolated.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    geometric_intervals: BTreeMap<String, [f64; 2]>,
}

#[derive(Serialize)]
struct Ranking<'a> {
    /// Largest deviation of bandwidth, latency and compute speed.
    perturbation: f64,
    /// Largest delay of a message as a fraction of its time.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<f64>,
    seed: u64,
    samples: &'a [Factors],
    rankings: Vec<JsonOrder<'a>>,
    /// Smallest and largest relative performance over the samples: workload by workload, column by column.
    ranges: &'a [[f64; 2]],
    /// Smallest and largest geometric mean over the samples, column by column.
    mean_ranges: &'a [[f64; 2]],
}

#[derive(Serialize)]
struct JsonOrder<'a> {
    /// `None` for the geometric mean of all.
    workload: Option<&'a str>,
    #[serde(flatten)]
    setting: JsonSetting<'a>,
    /// Networks, the fastest first.
    order: Vec<&'a str>,
    /// Number of samples in which no network is faster than one before it.
    holds: usize,
    /// `holds` as a fraction of all samples.
    share: f64,
    /// Number of samples in which no network is faster than the first.
    winner_holds: usize,
    /// Number of samples in which intervals of extrapolated times leave open whether the order holds.
    #[serde(skip_serializing_if = "is_zero")]
    undecided: usize,
    /// Number of samples in which they leave open whether the first stays.
    #[serde(skip_serializing_if = "is_zero")]
    winner_undecided: usize,
    pairs: Vec<JsonPair<'a>>,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    faster: &'a str,
    slower: &'a str,
    equal: bool,
    holds: usize,
}

/// `true` for counts that are left out.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// An amount of each kind, with the names that all verbs have.
#[derive(Serialize)]
struct Amounts<T> {
    #[serde(flatten)]
    own: T,
    price: Option<f64>,
    cable_metres: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_cost: Option<f64>,
}

impl From<NetworkCost> for Amounts<NetworkCost> {
    fn from(own: NetworkCost) -> Self {
        Self { own, price: own.dollars, cable_metres: own.metres, total_cost: own.total }
    }
}

impl From<Budget> for Amounts<Budget> {
    fn from(own: Budget) -> Self {
        Self { own, price: own.dollars, cable_metres: own.metres, total_cost: own.total }
    }
}

#[derive(Serialize)]
struct Procurement<'a> {
    budget: Amounts<Budget>,
    prices: &'a str,
    currency: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ownership: Option<Ownership>,
    performance_rule: &'static str,
    /// Offers, best first.
    offers: Vec<Offer<'a>>,
}

#[derive(Serialize)]
struct Offer<'a> {
    #[serde(flatten)]
    column: JsonColumn<'a>,
    performance: f64,
    /// Ends of its 95 % interval, if times are extrapolated or runs repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    performance_interval: Option<[f64; 2]>,
    cost: Option<Amounts<NetworkCost>>,
    within_budget: Option<bool>,
    per_dollar: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_dollar_interval: Option<[f64; 2]>,
    per_watt: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_watt_interval: Option<[f64; 2]>,
}

const RELATIVE_RULE: &str = "time on the baseline over time here, repetition by repetition (same seed); where only one of the \
                             two is repeated, its repetitions with the single run of the other";

const ROUTINGS_RULE: &str = "weighted geometric mean of the mean time of the baseline with its best rule over the mean time \
                             here; an order flips where both are ahead by more than 1 %, under different rules";

const PERFORMANCE_RULE: &str = "weighted geometric mean of relative performance: exp(sum(w ln r) / sum(w))";

fn workload<'a>(info: &'a WorkloadInfo, weight: f64) -> JsonWorkload<'a> {
    JsonWorkload {
        name: &info.name,
        title: info.title.as_deref(),
        ranks: info.ranks,
        actions: info.actions,
        operations: info.operations,
        formula: info.formula.as_deref(),
        weight,
    }
}

fn spread(statistic: &Statistic) -> JsonSpread {
    JsonSpread {
        repetitions: statistic.count,
        mean: statistic.mean,
        standard_deviation: statistic.standard_deviation,
        confidence_95: statistic.interval(),
    }
}

/// Returns the document.
pub(super) fn document(c: &Comparison) -> impl Serialize + '_ {
    let column = |n: usize| JsonColumn::of(c, n);
    let network = |n: usize| JsonNetwork {
        name: &c.networks[n].name,
        network: &c.plain_names[n],
        topology: &c.networks[n].topology,
        spec: &c.networks[n].topology,
        family: c.networks[n].family(),
        seed: c.networks[n].seed,
        seeds: c.seeds[n].iter().copied().flatten().collect(),
        generator: c.seeds[n].iter().flatten().next().map(|_| GENERATOR),
        hosts: c.networks[n].hosts,
        duplex: c.networks[n].duplex.as_deref(),
        routing: c.networks[n].routing.as_deref(),
        routing_kind: c.networks[n].routing_nature,
        speeds: &c.networks[n].speeds,
        parameters: c.networks[n].parameters.as_ref(),
        column: column(n),
    };
    let name = |w: usize| c.workloads[w].name.as_str();
    Compare {
        schema: "mopsim.compare/2",
        title: &c.title,
        baseline: &c.plain_names[c.baseline],
        mapping: &c.mapping,
        topologies: (0..c.networks.len()).map(network).collect(),
        workloads: c.workloads.iter().zip(&c.weights).map(|(info, &weight)| workload(info, weight)).collect(),
        cells: c
            .runs
            .iter()
            .map(|run| JsonCell {
                workload: name(run.workload),
                column: column(run.network),
                seed: run.record.seed,
                simulated_seconds: run.record.simulated_seconds,
                mops: run.record.mops,
                relative: run.relative,
                compute_mean_seconds: run.record.times.compute,
                communication_mean_seconds: run.record.times.communication,
                waiting_mean_seconds: run.record.times.waiting,
                extrapolation: super::steady::json(run.record.extrapolation.as_ref()),
                explanation: &run.record.explanation,
                jobs: run.record.jobs.as_ref().map(|own| jobs::json(own, jobs::baseline_of(c, run))),
            })
            .collect(),
        statistics: c
            .cells
            .iter()
            .map(|cell| Repeated {
                workload: name(cell.workload),
                column: column(cell.network),
                simulated_seconds: spread(&cell.time),
                relative: spread(&cell.ratio),
            })
            .collect(),
        means: (0..c.networks.len())
            .map(|n| Mean {
                column: column(n),
                arithmetic: c.arithmetic_mean(n),
                geometric: c.geometric_mean(n),
                arithmetic_spread: spread(&c.arithmetic[n]),
                geometric_spread: spread(&c.geometric[n]),
            })
            .collect(),
        equal: findings::equal_networks(c)
            .into_iter()
            .map(|f| Equal {
                workload: name(f.workload),
                topologies: f.networks.into_iter().map(|n| c.networks[n].name.as_str()).collect(),
                reason: f.reason,
            })
            .collect(),
        relative_rule: RELATIVE_RULE,
        ranking: ranking(c),
        routings: routings::effects(c).into_iter().map(|effect| rules(c, effect)).collect(),
        cross_check: cross_check::json(c),
        failures: compare_json_more::failures(c),
        across_settings: compare_json_more::across(c),
        sensitivity: compare_json_more::sensitivity(c),
        packets: packet_curves::json(c),
        procurement: c.budget.map(|budget| Procurement {
            budget: budget.into(),
            prices: &c.prices.name,
            currency: &c.prices.currency,
            ownership: c.prices.ownership,
            performance_rule: PERFORMANCE_RULE,
            offers: c
                .offers()
                .into_iter()
                .map(|offer| Offer {
                    column: column(offer.network),
                    performance: offer.performance.mean,
                    performance_interval: offer.performance.interval(),
                    cost: offer.cost.map(Amounts::from),
                    within_budget: offer.within_budget,
                    per_dollar: offer.per_dollar().map(|per| per.mean),
                    per_dollar_interval: offer.per_dollar().and_then(|per| per.interval()),
                    per_watt: offer.per_watt().map(|per| per.mean),
                    per_watt_interval: offer.per_watt().and_then(|per| per.interval()),
                })
                .collect(),
        }),
        model: ShownModel {
            choices: &c.model,
            duplex: None,
            routing: None,
            routing_kind: None,
            mapping: &c.mapping,
            basis: super::basis::json(&c.model),
        },
        notes: &c.notes,
    }
}

fn rules(c: &Comparison, effect: RoutingEffect) -> Rules<'_> {
    let name = |network: usize| c.plain_names[effect.columns[0][network]].as_str();
    Rules {
        setting: JsonSetting::of(&c.settings[effect.columns[0][0]]).under_all_rules(),
        order_holds: effect.flips.is_empty(),
        flips: effect
            .flips
            .iter()
            .map(|flip| RuleFlip {
                named: name(flip.network).into(),
                other: name(flip.other),
                ahead_with: effect.rules[flip.ahead.0].clone(),
                ahead: flip.ahead.1,
                behind_with: effect.rules[flip.behind.0].clone(),
                behind: flip.behind.1,
            })
            .collect(),
        undecided: effect.open.iter().map(|pair| pair.map(name)).collect(),
        networks: (0..effect.best.len())
            .map(|n| RulesOf {
                named: name(n).into(),
                best: effect.rules[effect.best[n]].clone(),
                geometric: effect
                    .rules
                    .iter()
                    .cloned()
                    .zip(effect.relative.iter().map(|values| values[n].mean))
                    .collect(),
                geometric_intervals: (effect.rules.iter().zip(&effect.relative))
                    .filter_map(|(rule, values)| Some((rule.clone(), values[n].interval()?)))
                    .collect(),
            })
            .collect(),
        rule: ROUTINGS_RULE,
    }
}

fn ranking(c: &Comparison) -> Option<Ranking<'_>> {
    let stability = c.ranking.as_ref()?;
    let samples = &stability.perturbation.samples;
    let name = |n: usize| c.plain_names[n].as_str();
    let order = |ranking: &crate::study::ranking::Ranking| {
        let pairs = ranking.order.windows(2).zip(&ranking.pairs);
        JsonOrder {
            workload: ranking.workload.map(|w| c.workloads[w].name.as_str()),
            setting: JsonSetting::of(&c.settings[ranking.setting]),
            order: ranking.order.iter().map(|&n| name(n)).collect(),
            holds: ranking.holds,
            share: ranking.holds as f64 / samples.len().max(1) as f64,
            winner_holds: ranking.winner_holds,
            undecided: ranking.undecided,
            winner_undecided: ranking.winner_undecided,
            pairs: pairs
                .map(|(pair, &Neighbours { equal, holds })| JsonPair {
                    faster: name(pair[0]),
                    slower: name(pair[1]),
                    equal,
                    holds,
                })
                .collect(),
        }
    };
    Some(Ranking {
        perturbation: stability.perturbation.amplitude,
        message: Some(stability.perturbation.message).filter(|message| *message > 0.0),
        ranges: &stability.ranges,
        mean_ranges: &stability.mean_ranges,
        seed: stability.perturbation.seed,
        samples,
        rankings: stability.rankings.iter().map(order).collect(),
    })
}
