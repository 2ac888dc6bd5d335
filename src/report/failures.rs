//! Slowdowns by failures, for all formats.

use super::captioned::CaptionedTable;
use super::findings::list;
use super::routings::place;
use crate::study::comparison::Comparison;
use crate::study::failure_effects::{self, FailureEffect, NetworkEffect};
use crate::study::statistics::Statistic;

/// Difference below which two slowdowns are considered equal.
const APART: f64 = 0.005;

/// Returns the tables of failures: one for each level and setting.
pub(super) fn shown(c: &Comparison) -> Vec<CaptionedTable> {
    failure_effects::effects(c).iter().map(|effect| of(c, effect)).collect()
}

/// Returns a sentence on each level and setting, for a summary: the slowdowns, least first.
pub(super) fn summary(c: &Comparison) -> Vec<String> {
    let of_effect = |effect: &FailureEffect| {
        let name = |network: &NetworkEffect| c.plain_names[network.columns[0]].clone();
        slowdowns(effect, &place(c, &effect.setting), &least_first(effect), &name)
    };
    failure_effects::effects(c).iter().map(of_effect).collect()
}

/// Formats a slowdown: `1.034 ± 0.012`.
fn slowdown(value: &Statistic) -> String {
    match value.half_width {
        Some(half) => format!("{:.3} ± {half:.3}", value.mean),
        None => format!("{:.3}", value.mean),
    }
}

fn of(c: &Comparison, effect: &FailureEffect) -> CaptionedTable {
    let name = |network: &NetworkEffect| c.plain_names[network.columns[0]].clone();
    let place = place(c, &effect.setting);
    let headings = ["workload".to_owned()].into_iter().chain(effect.networks.iter().map(name)).collect();
    let cell = |failed: &Statistic, even: &Statistic| format!("{} ({})", slowdown(failed), slowdown(even));
    let of_workload = |workload: usize| {
        let cells = effect.networks.iter().map(|network| cell(&network.slowdown[workload], &network.even[workload]));
        [c.workloads[workload].name.clone()].into_iter().chain(cells).collect()
    };
    let means = effect.networks.iter().map(|network| cell(&network.geometric, &network.geometric_even));
    let means: Vec<String> = ["geometric mean".to_owned()].into_iter().chain(means).collect();
    let seeds = match effect.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("{seeds} seeds"),
    };
    CaptionedTable {
        title: format!("Failures{place}: time {} over time on the intact network, {seeds}", effect.level),
        sentences: sentences(c, effect, &name),
        headings,
        rows: (0..c.workloads.len()).map(of_workload).chain([means]).collect(),
    }
}

/// Returns the routing rules of a network while it is intact and with failures, if they differ.
fn other_rules<'a>(c: &'a Comparison, network: &NetworkEffect) -> Option<[&'a str; 2]> {
    let rule = |column: usize| c.networks[column].routing.as_deref();
    let [intact, failed] = [rule(network.columns[0])?, rule(network.columns[1])?];
    // Repaired routes are those of the intact network's rule, as far as they exist.
    (intact != failed && !failed.starts_with("repaired")).then_some([intact, failed])
}

/// States which networks lose less than others beyond chance, of networks in the order of their means.
fn certain_order(order: &[&NetworkEffect], name: &dyn Fn(&NetworkEffect) -> String) -> String {
    // Means with overlapping intervals have no certain order.
    let is_certain = |a: &NetworkEffect, b: &NetworkEffect| {
        a.geometric.ends()[1] < b.geometric.ends()[0] && b.geometric.mean - a.geometric.mean > APART
    };
    let over = |network: &&NetworkEffect| {
        let others: Vec<String> = order.iter().filter(|other| is_certain(network, other)).map(|o| name(o)).collect();
        (!others.is_empty()).then(|| format!("{} loses less than {}", name(network), list(&others)))
    };
    let all: Vec<String> = order.iter().filter_map(over).collect();
    match all.len() {
        0 => "No order is certain: intervals overlap, or means differ by less than half a per cent.".to_owned(),
        1 => format!("{}: their intervals do not overlap.", all[0]),
        _ => format!("{}: these intervals do not overlap.", all.join("; ")),
    }
}

/// Returns the networks of an effect, those with the least slowdown first.
fn least_first(effect: &FailureEffect) -> Vec<&NetworkEffect> {
    let mut order: Vec<&NetworkEffect> = effect.networks.iter().collect();
    order.sort_by(|a, b| a.geometric.mean.total_cmp(&b.geometric.mean).then(a.columns.cmp(&b.columns)));
    order
}

fn slowdowns(
    effect: &FailureEffect,
    place: &str,
    order: &[&NetworkEffect],
    name: &dyn Fn(&NetworkEffect) -> String,
) -> String {
    let loss = |network: &&NetworkEffect| format!("{} {}", name(network), slowdown(&network.geometric));
    format!("Slowdown {}{place}, least first: {}.", effect.level, list(&order.iter().map(loss).collect::<Vec<_>>()))
}

fn sentences(c: &Comparison, effect: &FailureEffect, name: &dyn Fn(&NetworkEffect) -> String) -> Vec<String> {
    let order = least_first(effect);
    let mut sentences = vec![
        format!(
            "In brackets: the network whose cables all lost the same share of their bandwidth, together as much as failed. Behind \
             ± is half of the 95 % confidence interval of the mean over the seeds{}.",
            if c.is_extrapolated() { ", plus that of the extrapolation of times" } else { "" }
        ),
        slowdowns(effect, "", &order, name),
    ];
    let changed: Vec<String> = order
        .iter()
        .filter_map(|network| {
            other_rules(c, network).map(|[from, to]| format!("{} from {from} to {to}", name(network)))
        })
        .collect();
    if !changed.is_empty() {
        sentences.push(format!(
            "Failures change the routing rule of {}. Slowdowns contain the effect of the other rule; with routes = \
             \"repaired\" in failures, or one rule that fits damaged networks, they are of the failures alone.",
            list(&changed)
        ));
    }
    if order.len() > 1 {
        sentences.push(if order.iter().any(|network| other_rules(c, network).is_some()) {
            "The order also reflects the change of rule.".to_owned()
        } else {
            certain_order(&order, name)
        });
    }
    let beyond = |network: &&NetworkEffect| network.geometric.mean / network.geometric_even.mean - 1.0;
    let comparable: Vec<&NetworkEffect> =
        order.iter().copied().filter(|network| other_rules(c, network).is_none()).collect();
    if comparable.is_empty() {
        return sentences;
    }
    let (worse, uncertain): (Vec<&NetworkEffect>, Vec<&NetworkEffect>) = comparable
        .iter()
        .filter(|network| beyond(network) > APART)
        .partition(|network| network.geometric.ends()[0] > network.geometric_even.ends()[1]);
    let with_share = |networks: &[&NetworkEffect]| {
        let share = |network: &&NetworkEffect| format!("{} ({:+.1} %)", name(network), 100.0 * beyond(network));
        list(&networks.iter().map(share).collect::<Vec<_>>())
    };
    let faster: Vec<String> =
        comparable.iter().filter(|network| network.geometric.ends()[1] < 1.0 - APART).map(|n| name(n)).collect();
    if !faster.is_empty() {
        sentences.push(format!(
            "Failures make {} faster, so the routes of the intact network do not suit these workloads; compare rules with routings = [...].",
            list(&faster)
        ));
    }
    // Networks whose rule changes are not compared with an even reduction.
    let slower = if comparable.len() < order.len() {
        "Of the networks whose rule stays, slower than the evenly reduced network"
    } else {
        "Slower than the evenly reduced network"
    };
    if !uncertain.is_empty() {
        sentences.push(format!("{slower}, but within the interval: {}.", with_share(&uncertain)));
    }
    sentences.push(match worse.len() {
        0 if !uncertain.is_empty() => return sentences,
        0 if comparable.len() < order.len() => {
            "No network whose rule stays loses more than the evenly reduced network, differences within half \
             a per cent aside."
                .to_owned()
        }
        0 => "No network loses more than the evenly reduced network, differences within half a per cent aside."
            .to_owned(),
        _ => format!("{slower}: {}.", with_share(&worse)),
    });
    sentences
}
