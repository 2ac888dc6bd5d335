//! The price list of a report: unit prices and power at each link rate, so that every price of the page can be
//! recomputed.

use crate::cost::{HostPrices, Prices};
use crate::printable::printable;
use crate::report::offers::sign;
use crate::study::comparison::Comparison;
use serde::Serialize;

/// Unit prices for the template.
#[derive(Serialize)]
pub(super) struct ShownPrices {
    name: String,
    note: Option<String>,
    /// Link rates of the columns.
    rates: Vec<String>,
    rows: Vec<PriceRow>,
    /// Exponent of prices at other rates.
    scaling: Option<f64>,
    /// Cost of ownership, by name.
    ownership: Vec<(String, String)>,
}

/// A unit price at each rate.
#[derive(Serialize)]
struct PriceRow {
    name: String,
    cells: Vec<String>,
}

/// Returns the price list of a study.
pub(super) fn shown(c: &Comparison) -> ShownPrices {
    let list = &c.prices;
    let sign = sign(c);
    let row = |name: String, of: &dyn Fn(&Prices) -> Option<f64>| {
        let cell = |prices: &Prices| of(prices).map_or_else(|| "—".to_owned(), |value| value.to_string());
        PriceRow { name, cells: list.rates.iter().map(cell).collect() }
    };
    let always = |name: String, of: fn(&Prices) -> f64| row(name, &|prices| Some(of(prices)));
    let of_host = |name: String, of: fn(&HostPrices) -> f64| row(name, &|prices: &Prices| prices.host.as_ref().map(of));
    let rows = vec![
        always(format!("switch: {sign} per port"), |p| p.router.dollars_per_port),
        always(format!("switch: {sign} apart from its ports"), |p| p.router.dollars),
        always("switch: priced as of at least, ports".to_owned(), |p| p.router.least_ports as f64),
        always("switch: lanes per port".to_owned(), |p| p.router.lanes_per_port),
        always("switch: W per lane".to_owned(), |p| p.router.watts_per_lane),
        always(format!("copper cable: {sign} per Gbit/s"), |p| p.copper.dollars_per_gbps),
        always(format!("copper cable: {sign} per Gbit/s and metre"), |p| p.copper.dollars_per_gbps_and_metre),
        always("copper cable: longest, m".to_owned(), |p| p.limits.copper_metres),
        always(format!("fibre cable: {sign} per Gbit/s"), |p| p.fibre.dollars_per_gbps),
        always(format!("fibre cable: {sign} per Gbit/s and metre"), |p| p.fibre.dollars_per_gbps_and_metre),
        of_host(format!("adapter: {sign}"), |host| host.adapter_dollars),
        of_host("adapter: W".to_owned(), |host| host.adapter_watts),
        of_host("cable of a host that no floor plan places, m".to_owned(), |host| host.cable_metres),
    ];
    let ownership = list.ownership.map_or_else(Vec::new, |owned| {
        vec![
            (format!("energy, {sign} per kWh"), owned.energy_price.to_string()),
            ("years of operation".to_owned(), owned.years.to_string()),
            ("PUE".to_owned(), owned.pue.to_string()),
            ("support per year, as a fraction of the price".to_owned(), owned.support.to_string()),
        ]
    });
    ShownPrices {
        name: printable(&list.name).into_owned(),
        note: list.note.as_deref().map(|note| printable(note).into_owned()),
        rates: list.rates.iter().map(|prices| format!("{} Gbit/s", prices.link_rate_gbps)).collect(),
        rows,
        scaling: list.scaling,
        ownership,
    }
}
