//! Effects of routing rules, for all formats.

use super::across::not_shown;
use super::captioned::CaptionedTable;
use super::findings::{grouped, list};
use super::label::short;
use super::offers::all_are_ranked;
use super::steady;
use crate::study::across::parts;
use crate::study::comparison::Comparison;
use crate::study::plan::Setting;
use crate::study::routings::{self, Flip, RoutingEffect};
use std::borrow::Cow;

/// Number of order changes that are named individually.
const NAMED: usize = 3;

/// Returns the effects in a study with a list of rules, one for each platform, mapping and table of collectives.
pub(super) fn shown(c: &Comparison) -> Vec<CaptionedTable> {
    routings::effects(c).iter().map(|effect| of(c, effect)).collect()
}

fn of(c: &Comparison, effect: &RoutingEffect) -> CaptionedTable {
    let name = |network: usize| c.plain_names[effect.columns[0][network]].as_str();
    let baseline = c.plain_names[c.baselines[effect.columns[0][0]]].as_str();
    let place = place(c, &Setting { routing: None, ..effect.setting.clone() });
    let value = steady::ratio;
    let row = |network: usize| {
        let of_rules = effect.relative.iter().map(|values| value(&values[network]));
        [name(network).to_owned()]
            .into_iter()
            .chain(of_rules)
            .chain([effect.rules[effect.best[network]].clone(), value(&effect.best_value(network))])
            .collect()
    };
    let headings = ["network".to_owned()]
        .into_iter()
        .chain(effect.rules.iter().cloned())
        .chain(["best rule".to_owned(), "with it".to_owned()]);
    CaptionedTable {
        title: format!("Routing rules{place}: geometric mean relative to {baseline} with its best rule"),
        sentences: sentences(effect, &name)
            .into_iter()
            .chain(not_shown(&effect.omitted))
            .chain(all_are_ranked(c).map(str::to_owned))
            .chain(steady::of_intervals(c).map(str::to_owned))
            .collect(),
        headings: headings.collect(),
        rows: (0..effect.best.len()).map(row).collect(),
    }
}

/// Returns the parts of a setting in which those of a comparison differ, for a title: ` [100G, block]`, or nothing.
pub(super) fn place(c: &Comparison, setting: &Setting) -> String {
    let values = parts(c).into_iter().map(|(_, of)| of(setting)).filter(|value| !value.is_empty());
    let values: Vec<Cow<'_, str>> = values.collect();
    if values.is_empty() { String::new() } else { format!(" [{}]", values.join(", ")) }
}

fn sentences<'a>(effect: &RoutingEffect, name: &dyn Fn(usize) -> &'a str) -> Vec<String> {
    let rules = effect.rules.len();
    let names = |networks: &[usize]| list(&networks.iter().map(|&n| name(n).to_owned()).collect::<Vec<_>>());
    let order = match &effect.flips[..] {
        [] => format!("The ranking of the networks holds for all {rules} routing rules, to within 1 %."),
        flips => {
            let flip = |flip: &Flip| {
                let (ahead, behind) = (flip.ahead, flip.behind);
                format!(
                    "{} is {:.2} times as fast as {} with {}, and {:.2} times with {}",
                    name(flip.network),
                    ahead.1,
                    name(flip.other),
                    effect.rules[ahead.0],
                    behind.1,
                    effect.rules[behind.0]
                )
            };
            let named: Vec<String> = flips.iter().take(NAMED).map(flip).collect();
            let more = flips.len().saturating_sub(NAMED);
            let more = match more {
                0 => String::new(),
                1 => "; and so does 1 more pair".to_owned(),
                more => format!("; and so do {more} more pairs"),
            };
            format!("The ranking of the networks changes with the routing rule: {}{more}.", named.join("; "))
        }
    };
    let winners = grouped((0..rules).map(|rule| (effect.fastest(rule), effect.rules[rule].clone())));
    let is = |networks: &[usize]| if networks.len() == 1 { "is the fastest" } else { "are the fastest, within 1 %," };
    let fastest = match &winners[..] {
        [(networks, _)] => format!("{} {} with every rule.", names(networks), is(networks)),
        several => {
            let part = |(networks, rules): &(Vec<usize>, Vec<String>)| {
                format!("{} {} with {}", names(networks), is(networks), list(rules))
            };
            format!("{}.", several.iter().map(part).collect::<Vec<_>>().join("; "))
        }
    };
    let mut order_of_best: Vec<usize> = (0..effect.best.len()).collect();
    order_of_best.sort_by(|&a, &b| effect.best_value(b).mean.total_cmp(&effect.best_value(a).mean).then(a.cmp(&b)));
    let best = |&n: &usize| format!("{} {:.3} ({})", name(n), effect.best_value(n).mean, effect.rules[effect.best[n]]);
    let best = format!("Each with its best rule: {}.", order_of_best.iter().map(best).collect::<Vec<_>>().join(", "));
    let pair = |&[a, b]: &[usize; 2]| format!("{} and {}", name(a), name(b));
    let open: Vec<String> = effect.open.iter().map(pair).collect();
    let open = (!open.is_empty()).then(|| {
        format!(
            "Whether the order of these pairs depends on the rule is not certain, because intervals overlap: {}.",
            open.join("; ")
        )
    });
    [order].into_iter().chain(open).chain([fastest, best]).collect()
}

/// Returns the networks of each rule, if a study has no list of rules and the rules of its networks differ.
pub(super) fn different_rules(c: &Comparison) -> Option<String> {
    if c.settings.iter().any(|setting| setting.routing.is_some()) {
        return None;
    }
    let rules = grouped(c.networks.iter().enumerate().map(|(index, network)| {
        let rule = match &network.routing {
            Some(routing) => format!("{} {routing}", network.routing_nature),
            None => "static routes of a file".to_owned(),
        };
        (rule, short(c, index))
    }));
    if rules.len() < 2 {
        return None;
    }
    let parts: Vec<String> = rules.iter().map(|(rule, letters)| format!("{rule} ({})", letters.join(", "))).collect();
    Some(format!(
        "The networks have different routing rules: {}. routings = [...] in the study shows whether the order depends on \
         them.",
        list(&parts)
    ))
}
