//! What a buyer gets for money and power, in words: text, Markdown and HTML lay it out.

use super::number::grouped;
use super::text::letter;
use crate::cost::Prices;
use crate::study::comparison::Comparison;
use crate::study::procurement::{Budget, Offer};

/// The columns of [`Offers::rows`].
pub(super) const HEADING: [&str; 8] =
    ["network", "performance", "dollars", "watts", "metres", "per $", "per W", "budget"];

/// The offers of a study with a budget.
pub(super) struct Offers {
    /// What a network may cost.
    pub budget: String,
    /// Best first.
    pub rows: Vec<[String; 8]>,
    /// What the numbers are, and what is not known.
    pub remark: String,
}

/// A budget in words.
pub(super) fn limits(budget: &Budget) -> String {
    let number = |limit: f64| if limit.fract() == 0.0 { grouped(limit as u64) } else { limit.to_string() };
    let limits = budget.limits().into_iter();
    let limits: Vec<String> =
        limits.filter_map(|(unit, limit)| limit.map(|limit| format!("{} {unit}", number(limit)))).collect();
    if limits.is_empty() { "no limit".to_owned() } else { limits.join(", ") }
}

/// Whether an offer stays within the budget, in a word.
pub(super) fn within(offer: &Offer) -> &'static str {
    match offer.within_budget {
        Some(true) => "within",
        Some(false) => "over",
        None => "unknown",
    }
}

/// What the prices stand for, and what a list of offers with several settings leaves apart.
pub(super) fn caveats(c: &Comparison) -> String {
    let prices = Prices::default();
    let mut text = format!(
        "Prices are those of the list {} for links of {} Gb/s, whatever bandwidth is simulated",
        prices.name, prices.link_rate_gbps
    );
    text += if c.has_repetitions() { "; of networks with repetitions, the first one's." } else { "." };
    if c.has_settings() {
        text += " Networks are ranked setting by setting, each against the baseline of its own.";
    }
    text
}

/// The offers, if the study has a budget; `unknown` stands for ratios that cannot be said.
pub(super) fn offers(c: &Comparison, unknown: &str) -> Option<Offers> {
    let budget = c.budget?;
    let all = c.offers();
    let multiple = |offer: &Offer, per: fn(&Offer) -> Option<f64>| {
        let reference = all.iter().find(|other| other.network == c.baselines[offer.network]).and_then(per);
        let ratio = per(offer).zip(reference).map(|(own, reference)| format!("{:.3}", own / reference));
        ratio.unwrap_or_else(|| unknown.to_owned())
    };
    let row = |offer: &Offer| {
        let [dollars, watts, metres] = match offer.cost {
            Some(cost) => [cost.dollars, cost.watts, cost.metres].map(|value| grouped(value.round() as u64)),
            None => ["unknown", "unknown", "unknown"].map(str::to_owned),
        };
        let (performance, within) = (format!("{:.3}", offer.performance), within(offer).to_owned());
        let [per_dollar, per_watt] = [Offer::per_dollar, Offer::per_watt].map(|per| multiple(offer, per));
        [letter(offer.network), performance, dollars, watts, metres, per_dollar, per_watt, within]
    };
    let mut remark = "Performance for a dollar and for a watt are multiples of the baseline's.".to_owned();
    let nameless: Vec<String> = (0..c.networks.len()).filter(|&n| c.costs[n].is_none()).map(letter).collect();
    if !nameless.is_empty() {
        remark += &format!(" There is no price known for {}: ranked by performance, last.", nameless.join(", "));
    }
    remark += " ";
    remark += &caveats(c);
    Some(Offers { budget: limits(&budget), rows: all.iter().map(row).collect(), remark })
}
