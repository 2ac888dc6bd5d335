//! What a buyer gets for money and power: the networks by performance for a dollar, within the budget first.

use super::{Exact, View, exact, letter};
use crate::report::number::grouped;
use crate::report::offers::{caveats, limits, within};
use crate::study::procurement::{self, NetworkCost, Offer};
use serde::Serialize;

/// The table of offers.
#[derive(Serialize)]
pub(super) struct Offers {
    /// What a network may cost, in words; `None` if the study says nothing.
    pub budget: Option<String>,
    /// Best first, setting by setting.
    pub rows: Vec<Row>,
    /// Networks without a price.
    pub unknown: Vec<String>,
    /// What the prices stand for.
    pub caveats: String,
}

/// A network in it.
#[derive(Serialize)]
pub(super) struct Row {
    pub letter: String,
    pub name: String,
    pub baseline: bool,
    pub performance: Exact,
    pub dollars: Option<Exact>,
    pub watts: Option<Exact>,
    pub metres: Option<Exact>,
    /// As a multiple of the baseline's.
    pub per_dollar: Option<Exact>,
    pub per_watt: Option<Exact>,
    pub per_metre: Option<Exact>,
    /// `within`, `over` or `unknown`, where there is a budget.
    pub budget: Option<&'static str>,
}

/// What each network offers, in the order of the study.
pub(super) fn list(view: &View<'_>) -> Vec<Offer> {
    let c = view.comparison;
    let cost = |n: usize| {
        let f = &view.facts[n];
        Some(NetworkCost { dollars: f.dollars?, watts: f.watts?, metres: f.metres? })
    };
    let offer = |network: usize| {
        let cost = cost(network);
        let within_budget = c.budget.and_then(|budget| cost.map(|cost| budget.allows(&cost)));
        Offer { network, performance: c.geometric_mean(network), cost, within_budget }
    };
    (0..c.networks.len()).map(offer).collect()
}

/// The table, best first; none if no price is known.
pub(super) fn offers(view: &View<'_>) -> Option<Offers> {
    let c = view.comparison;
    let all = list(view);
    if all.iter().all(|offer| offer.cost.is_none()) {
        return None;
    }
    let reference = |n: usize, per: fn(&Offer) -> Option<f64>| per(&all[c.baselines[n]]);
    let multiple = |offer: &Offer, per: fn(&Offer) -> Option<f64>| {
        let value = per(offer)? / reference(offer.network, per)?;
        Some(exact(value, |v| format!("{v:.3}")))
    };
    let whole = |value: f64| exact(value, |v| grouped(v.round() as u64));
    let row = |offer: &Offer| Row {
        letter: letter(offer.network),
        name: c.networks[offer.network].name.clone(),
        baseline: c.baselines[offer.network] == offer.network,
        performance: exact(offer.performance, |p| format!("{p:.3}")),
        dollars: offer.cost.map(|cost| whole(cost.dollars)),
        watts: offer.cost.map(|cost| whole(cost.watts)),
        metres: offer.cost.map(|cost| whole(cost.metres)),
        per_dollar: multiple(offer, Offer::per_dollar),
        per_watt: multiple(offer, Offer::per_watt),
        per_metre: multiple(offer, Offer::per_metre),
        budget: c.budget.map(|_| within(offer)),
    };
    let of = |columns: Vec<usize>| procurement::ranked(columns.into_iter().map(|n| all[n]).collect());
    let ranked: Vec<Offer> = c.of_settings().into_iter().flat_map(of).collect();
    let unknown = all.iter().filter(|offer| offer.cost.is_none()).map(|offer| letter(offer.network)).collect();
    Some(Offers {
        budget: c.budget.as_ref().map(limits),
        rows: ranked.iter().map(row).collect(),
        unknown,
        caveats: caveats(c),
    })
}
