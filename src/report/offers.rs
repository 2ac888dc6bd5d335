//! Offers in words, for text, Markdown and HTML.

use super::findings;
use super::label::short;
use super::number::grouped;
use super::steady;
use crate::cost::PriceList;
use crate::printable::printable;
use crate::study::comparison::Comparison;
use crate::study::procurement::{self, Budget, NetworkCost, Offer};
use crate::study::statistics::Statistic;
use serde::Serialize;

/// Offers of a study with a budget.
pub(super) struct Offers {
    /// Limits of the budget.
    pub budget: String,
    /// Headings of the columns.
    pub headings: Vec<String>,
    /// Rows, best first.
    pub rows: Vec<Vec<String>>,
    /// Meaning of the numbers, and missing data.
    pub remark: String,
}

/// Returns the currency as text: `dollars` for USD, otherwise the code in the list.
pub(super) fn currency(c: &Comparison) -> String {
    match c.prices.currency.as_str() {
        "USD" => "dollars".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the sign of the currency for headings.
pub(super) fn sign(c: &Comparison) -> &str {
    sign_of(&c.prices.currency)
}

/// Returns the sign of a currency: `$` for USD, otherwise its code.
pub(super) fn sign_of(currency: &str) -> &str {
    match currency {
        "USD" => "$",
        other => other,
    }
}

/// Formats the budget.
pub(super) fn limits(c: &Comparison, budget: &Budget) -> String {
    let number = |limit: f64| if limit.fract() == 0.0 { grouped(limit as u64) } else { limit.to_string() };
    let currency = currency(c);
    let limits = budget.limits().into_iter();
    let limits: Vec<String> = limits
        .filter_map(|(unit, limit)| Some(format!("{} {}", number(limit?), unit.replace("dollars", &currency))))
        .collect();
    if limits.is_empty() { "no limit".to_owned() } else { limits.join(", ") }
}

/// Returns the limits of a study, if it has any: prices and quotes alone are a budget without limits.
pub(super) fn limited(c: &Comparison) -> Option<Budget> {
    c.budget.filter(Budget::is_limited)
}

/// Returns the sentence on prices that no study asked for; `None` if it has prices, quotes or a budget.
///
/// The page shows prices in any case, since its reader may enter a budget. Without prices of one's own these are an
/// example, from which no conclusion follows.
pub(super) fn example(c: &Comparison) -> Option<String> {
    let list = &c.prices;
    let built_in = PriceList::preset(&list.name).is_some_and(|preset| preset == *list);
    let what = if built_in { "an example: those of the built-in list" } else { "those of the list" };
    let note = list.note.as_ref().map_or_else(String::new, |note| format!(" {}", sentence(note)));
    let text = format!(
        "This study has no prices of its own, so prices and power are {what} {}, {}.{note} {}",
        list.name,
        rates(list),
        scope(list)
    );
    c.budget.is_none().then(|| printable(&text).into_owned())
}

/// Ends a note, which may have a full stop of its own, with one.
pub(super) fn sentence(note: &str) -> String {
    if note.ends_with(['.', '!', '?']) { note.to_owned() } else { format!("{note}.") }
}

/// Returns in a word whether an offer is within the budget.
pub(super) fn within(offer: &Offer) -> &'static str {
    match offer.within_budget {
        Some(true) => "within",
        Some(false) => "over",
        None => "unknown",
    }
}

/// Returns the sentence of sections that rank all networks, if there is a budget.
pub(super) fn all_are_ranked(c: &Comparison) -> Option<&'static str> {
    limited(c).is_some().then_some("Networks over the budget are included.")
}

/// Sentence of every report that has the price of a one-way network.
pub(super) const ONE_WAY: &str = "A one-way cable costs half as much as the list's cable, which has both directions.";

/// Sentences on prices, in parts: a reader of the HTML report may change prices and the cost of ownership.
#[derive(Serialize)]
pub(super) struct Caveats {
    /// Origin of the prices.
    origin: String,
    /// Networks with the prices of another link rate; there may be none.
    nearest: Vec<String>,
    /// Networks with a quoted price; there may be none.
    quoted: Vec<String>,
    /// Networks with quoted watts; there may be none.
    quoted_watts: Vec<String>,
    /// Parts of networks that have prices.
    scope: String,
    /// Price of one-way cables, for reports with such networks.
    one_way: &'static str,
    /// Computation of the total cost; empty without one.
    total: String,
    /// Omissions of a list of offers with several settings; empty with one setting.
    settings: String,
}

/// Returns the origin of the prices, the computation of the total cost, and the omissions of a list of offers with
/// several settings.
pub(super) fn caveats(c: &Comparison) -> String {
    let Caveats { mut origin, nearest, quoted, quoted_watts, mut scope, one_way, total, settings } =
        caveats_in_parts(c);
    if c.networks.iter().any(|network| network.duplex.as_deref() == Some("one-way")) {
        scope += &format!(" {one_way}");
    }
    if !nearest.is_empty() {
        origin += &format!(
            " {}: the list has no prices for their link rate, so those of the nearest listed rate apply.",
            findings::list(&nearest)
        );
    }
    // The page (`words.js`) has the same sentence, for prices that its reader enters.
    for (what, names) in [("price", &quoted), ("watts", &quoted_watts)] {
        if !names.is_empty() {
            origin += &format!(" Quoted {what}: {}.", findings::list(names));
        }
    }
    if !(quoted.is_empty() && quoted_watts.is_empty()) {
        origin += " Quotes compare with figures of the list only if they cover the same parts.";
    }
    [origin, scope, total, settings].concat()
}

/// States that quotes are compared with prices of the list; `None` if these networks have only one kind of prices.
pub(super) fn mixed(c: &Comparison, networks: &[usize]) -> Option<String> {
    let priced = networks.iter().filter_map(|&n| Some((n, c.costs[n].filter(|cost| cost.dollars.is_some())?)));
    let (quoted, listed): (Vec<_>, Vec<_>) = priced.partition(|(_, cost)| cost.quoted);
    let names = |of: &[(usize, NetworkCost)]| findings::list(&of.iter().map(|&(n, _)| short(c, n)).collect::<Vec<_>>());
    // The page (`words.js`) has the same sentence.
    (!quoted.is_empty() && !listed.is_empty()).then(|| {
        format!(
            "Mixed prices: quoted for {}, of the list {} for {}. They compare only if they cover the same parts.",
            names(&quoted),
            printable(&c.prices.name),
            names(&listed)
        )
    })
}

/// Returns the rates for which a list has prices: `for links of 100 Gb/s, whatever bandwidth is simulated`.
pub(super) fn rates(list: &PriceList) -> String {
    match &list.rates[..] {
        [one] if list.scaling.is_none() => {
            format!("for links of {} Gb/s, whatever bandwidth is simulated", one.link_rate_gbps)
        }
        rates => {
            let rates: Vec<String> = rates.iter().map(|prices| prices.link_rate_gbps.to_string()).collect();
            let scaled = list.scaling.map_or_else(String::new, |exponent| {
                format!(", other rates by the ratio to the power of {exponent} (power is not scaled)")
            });
            format!("for links of {} Gb/s{scaled}, at the link rate of each network", findings::list(&rates))
        }
    }
}

/// Returns the sentence on the parts of hosts for which a list has prices.
pub(super) fn scope(list: &PriceList) -> &'static str {
    if list.rates.iter().all(|prices| prices.host.is_some()) {
        "Adapters and host links are counted."
    } else {
        "Adapters and host links are not counted."
    }
}

/// Returns the same in parts.
pub(super) fn caveats_in_parts(c: &Comparison) -> Caveats {
    let list = &c.prices;
    let costs = || c.costs.iter().enumerate().filter_map(|(n, cost)| Some((n, cost.as_ref()?)));
    let letters = |chosen: &dyn Fn(&NetworkCost) -> bool| -> Vec<String> {
        costs().filter(|(_, cost)| chosen(cost)).map(|(n, _)| short(c, n)).collect()
    };
    let mut text = format!("Prices are those of the list {} {}", list.name, rates(list));
    text += if c.has_repetitions() { "; of networks with repetitions, the first one's." } else { "." };
    if let Some(note) = &list.note {
        text += &format!(" {}", sentence(note));
    }
    let is_nearest = |cost: &NetworkCost| list.rates.len() > 1 && cost.priced_as_gbps.is_some() && !cost.quoted;
    let scope = format!(" {}", scope(list));
    let total = list.ownership.map_or_else(String::new, |owned| {
        let money = &list.currency;
        format!(
            " Total cost: price, {} % of it per year for support, and energy at {} {money} per kWh with a PUE of {}, over {} years.",
            owned.support * 100.0,
            owned.energy_price,
            owned.pue,
            owned.years
        )
    });
    let settings = match c.has_settings() {
        true => " Networks are ranked setting by setting, each against the baseline of its own.",
        false => "",
    };
    Caveats {
        origin: printable(&text).into_owned(),
        nearest: letters(&is_nearest),
        quoted: letters(&|cost| cost.quoted),
        quoted_watts: letters(&|cost| cost.quoted_watts),
        scope,
        one_way: ONE_WAY,
        total,
        settings: settings.to_owned(),
    }
}

/// States which neighbours in the order of a buyer, setting by setting, have overlapping intervals.
pub(super) fn undecided(c: &Comparison, ranked: &[Offer]) -> Option<String> {
    let pairs: Vec<String> = ranked
        .chunk_by(|a, b| c.settings[a.network] == c.settings[b.network])
        .flat_map(procurement::undecided)
        .map(|[better, worse]| format!("{} and {}", short(c, better), short(c, worse)))
        .collect();
    (!pairs.is_empty()).then(|| {
        format!(
            "Intervals of neighbours overlap, so which of the two is better for the money is not certain: {}.",
            pairs.join(", ")
        )
    })
}

/// Returns the offers, if the study has a budget; `unknown` represents ratios that cannot be computed.
pub(super) fn offers(c: &Comparison, unknown: &str) -> Option<Offers> {
    let budget = c.budget?;
    let all = c.offers();
    let owned = c.prices.ownership.is_some();
    let is_limited = budget.is_limited();
    let multiple = |offer: &Offer, per: fn(&Offer) -> Option<Statistic>| {
        let reference = all.iter().find(|other| other.network == c.baselines[offer.network]).and_then(per);
        let ratio = per(offer).zip(reference).map(|(own, reference)| steady::ratio_in(c, &own.per(reference.mean)));
        ratio.unwrap_or_else(|| unknown.to_owned())
    };
    let row = |offer: &Offer| {
        let amount = |of: fn(&NetworkCost) -> Option<f64>| {
            let value = offer.cost.as_ref().and_then(of);
            value.map_or_else(|| "unknown".to_owned(), |value| grouped(value.round() as u64))
        };
        let mut cells =
            vec![short(c, offer.network), steady::ratio_in(c, &offer.performance), amount(|cost| cost.dollars)];
        if owned {
            cells.push(amount(|cost| cost.total));
        }
        cells.extend([amount(|cost| cost.watts), amount(|cost| cost.metres)]);
        cells.extend([multiple(offer, Offer::per_dollar), multiple(offer, Offer::per_watt)]);
        if is_limited {
            cells.push(within(offer).to_owned());
        }
        cells
    };
    let money = currency(c);
    let mut headings = vec!["network".to_owned(), "speed".to_owned(), money];
    if owned {
        headings.push("total".to_owned());
    }
    headings.extend(["watts", "metres"].map(str::to_owned));
    let per_money = if owned { format!("per total {}", sign(c)) } else { format!("per {}", sign(c)) };
    headings.extend([per_money, "per W".to_owned()]);
    if is_limited {
        headings.push("budget".to_owned());
    }
    let mut remark = format!(
        "Speed {} and per watt are multiples of the baseline's.",
        if owned {
            "per unit of total cost".to_owned()
        } else if sign(c) == "$" {
            "per dollar".to_owned()
        } else {
            format!("per {}", sign(c))
        }
    );
    let nameless: Vec<String> = (0..c.networks.len())
        .filter(|&n| c.costs[n].and_then(|cost| cost.money()).is_none())
        .map(|n| short(c, n))
        .collect();
    if !nameless.is_empty() {
        let what = if owned { "total cost, which needs price and power," } else { "price" };
        remark += &format!(" There is no {what} known for {}: ranked by performance, last.", nameless.join(", "));
    }
    for more in steady::of_all_intervals(c).map(str::to_owned).into_iter().chain(undecided(c, &all)) {
        remark += " ";
        remark += &more;
    }
    remark += " ";
    remark += &caveats(c);
    Some(Offers { budget: limits(c, &budget), headings, rows: all.iter().map(row).collect(), remark })
}
