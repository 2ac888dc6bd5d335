//! Offers: the networks by performance per dollar, within the budget first.

use super::parts::{Exact, View, exact};
use crate::printable::printable;
use crate::report::across;
use crate::report::label::short;
use crate::report::number::grouped;
use crate::report::offers::{caveats, example, limited, limits, sign, undecided, within};
use crate::report::steady;
use crate::study::facts::NetworkFacts;
use crate::study::procurement::{self, NetworkCost, Offer};
use crate::study::statistics::Statistic;
use serde::Serialize;

/// Table of offers.
#[derive(Serialize)]
pub(super) struct Offers {
    /// Limits of the budget, in words; `None` if the study has no limits.
    pub budget: Option<String>,
    /// Sign of the currency.
    pub sign: String,
    /// `true` if there is a total cost, by which performance is divided.
    pub owned: bool,
    /// Rows, best first, setting by setting.
    pub rows: Vec<OfferRow>,
    /// Networks without a price.
    pub unknown: Vec<String>,
    /// Caveats about the prices.
    pub caveats: String,
    /// Sentence on prices that the study does not have.
    pub example: Option<String>,
    /// Name of the price list.
    pub list: String,
}

/// A network in the table of offers.
#[derive(Serialize)]
pub(super) struct OfferRow {
    pub letter: String,
    /// Name of its setting, in the first row of several settings.
    pub setting: Option<String>,
    pub name: String,
    pub baseline: bool,
    pub performance: Exact,
    pub dollars: Option<Exact>,
    pub total: Option<Exact>,
    pub watts: Option<Exact>,
    pub metres: Option<Exact>,
    /// `true` if the price, or the power, is quoted.
    pub quoted: bool,
    pub quoted_watts: bool,
    /// Performance per dollar, as a multiple of the baseline's.
    pub per_dollar: Option<Exact>,
    pub per_watt: Option<Exact>,
    pub per_metre: Option<Exact>,
    /// `within`, `over` or `unknown`, if there is a budget.
    pub budget: Option<&'static str>,
}

/// Returns the offer of each network, in the order of the study.
pub(super) fn list(view: &View<'_>) -> Vec<Offer> {
    let c = view.comparison;
    let cost = |n: usize| {
        let NetworkFacts { dollars, total, watts, metres, .. } = view.facts[n];
        let owned = c.prices.ownership.is_some();
        let cost = NetworkCost { dollars, total, watts, metres, owned, ..NetworkCost::default() };
        (dollars.is_some() || watts.is_some()).then_some(cost)
    };
    let offer = |network: usize| {
        let cost = cost(network);
        let within_budget = c.budget.and_then(|budget| cost.and_then(|cost| budget.allows(&cost)));
        Offer { network, performance: c.geometric[network], cost, within_budget }
    };
    (0..c.networks.len()).map(offer).collect()
}

/// Returns the table, best first; `None` if no price is known.
pub(super) fn offers(view: &View<'_>) -> Option<Offers> {
    let c = view.comparison;
    let all = list(view);
    if all.iter().all(|offer| offer.cost.is_none()) {
        return None;
    }
    let reference = |n: usize, per: fn(&Offer) -> Option<Statistic>| per(&all[c.baselines[n]]);
    let multiple = |offer: &Offer, per: fn(&Offer) -> Option<Statistic>| {
        let value = per(offer)?.per(reference(offer.network, per)?.mean);
        Some(exact(value.mean, |_| steady::ratio_in(c, &value)))
    };
    let whole = |value: f64| exact(value, |v| grouped(v.round() as u64));
    let row = |offer: &Offer| OfferRow {
        letter: short(c, offer.network),
        setting: None,
        name: c.plain_names[offer.network].clone(),
        baseline: c.baselines[offer.network] == offer.network,
        performance: exact(offer.performance.mean, |_| steady::ratio_in(c, &offer.performance)),
        dollars: offer.cost.and_then(|cost| cost.dollars).map(whole),
        total: offer.cost.and_then(|cost| cost.total).map(whole),
        watts: offer.cost.and_then(|cost| cost.watts).map(whole),
        metres: offer.cost.and_then(|cost| cost.metres).map(whole),
        quoted: c.costs[offer.network].is_some_and(|cost| cost.quoted),
        quoted_watts: c.costs[offer.network].is_some_and(|cost| cost.quoted_watts),
        per_dollar: multiple(offer, Offer::per_dollar),
        per_watt: multiple(offer, Offer::per_watt),
        per_metre: multiple(offer, Offer::per_metre),
        budget: c.budget.map(|_| within(offer)),
    };
    let of = |columns: Vec<usize>| procurement::ranked(columns.into_iter().map(|n| all[n]).collect());
    let several = c.has_settings();
    let of_setting = |columns: Vec<usize>| {
        let setting = several.then(|| across::setting(c, columns[0]).to_owned());
        let mut rows: Vec<OfferRow> = of(columns).iter().map(row).collect();
        if let Some(first) = rows.first_mut() {
            first.setting = setting;
        }
        rows
    };
    let unknown = all
        .iter()
        .filter(|offer| offer.cost.and_then(|cost| cost.money()).is_none())
        .map(|offer| short(c, offer.network))
        .collect();
    let by_merit: Vec<Offer> = c.of_settings().into_iter().flat_map(of).collect();
    let intervals = steady::of_all_intervals(c).map(str::to_owned).into_iter().chain(undecided(c, &by_merit));
    Some(Offers {
        budget: limited(c).map(|budget| limits(c, &budget)),
        sign: sign(c).to_owned(),
        owned: c.prices.ownership.is_some(),
        rows: c.of_settings().into_iter().flat_map(of_setting).collect(),
        unknown,
        caveats: intervals.into_iter().chain([caveats(c)]).collect::<Vec<_>>().join(" "),
        example: example(c),
        list: printable(&c.prices.name).into_owned(),
    })
}
