//! Tables on topologies for people, common to all formats.

use super::offers::{ONE_WAY, sentence, sign_of};
use crate::report::network_words::letter;
use crate::report::number::{counted, grouped, percent};
use crate::survey::{CostSurvey, RouteSurvey, Survey};
use crate::topology::named_once_more;

/// A property: its name with the unit, and its formatted value; `None` if it is unknown.
type Property = (&'static str, fn(&Survey) -> Option<String>);

fn count(value: usize) -> Option<String> {
    Some(grouped(value as u64))
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}

/// Returns a property of the bill.
fn bill(report: &Survey, value: fn(&CostSurvey) -> Option<f64>) -> Option<String> {
    value(&report.cost).map(whole)
}

fn reachable(report: &Survey, value: Option<String>) -> Option<String> {
    if report.connected { value } else { Some("unreachable".into()) }
}

const PROPERTIES: &[Property] = &[
    ("switches", |r| count(r.switches)),
    ("hosts", |r| Some(grouped(r.hosts))),
    ("planes", |r| r.planes.as_ref().and_then(|planes| count(planes.len()))),
    ("ports of a host", |r| r.host_ports.and_then(count)),
    ("cables", |r| match (r.edges, r.arcs) {
        (Some(edges), _) => Some(format!("{} two-way", grouped(edges as u64))),
        (None, arcs) => Some(format!("{} one-way", grouped(arcs.unwrap_or(0) as u64))),
    }),
    ("degree", |r| match (r.min_degree, r.max_degree) {
        (min, max) if min == max => Some(max.to_string()),
        (min, max) => Some(format!("{min}-{max}")),
    }),
    ("diameter, hops", |r| {
        let sampled = r.diameter_at_least.map(|least| format!(">= {least}"));
        reachable(r, r.diameter.map(|d| d.to_string()).or(sampled))
    }),
    ("ASPL, hops", |r| {
        let error = r.aspl_error.map_or(String::new(), |error| format!(" +-{error:.4}"));
        reachable(r, r.aspl.map(|aspl| format!("{aspl:.4}{error}")))
    }),
    ("  lower bound", |r| r.aspl_lower_bound.map(|bound| format!("{bound:.4}"))),
    ("switches host to host", |r| {
        // Switches without hosts may be out of reach.
        r.host_diameter_switches.map(|d| d.to_string()).or_else(|| reachable(r, None))
    }),
    ("  average", |r| r.host_aspl_switches.map(|mean| format!("{mean:.4}"))),
    ("share of Moore bound", |r| r.moore_share.map(percent)),
    ("edge connectivity", |r| r.edge_connectivity.and_then(count)),
    ("shortest next hops", |r| r.path_diversity.map(|ways| format!("{ways:.3}"))),
    ("bisection, cables", |r| {
        let sign = if r.bisection_method.as_deref() == Some("exact") { "" } else { "<= " };
        r.bisection.map(|cut| format!("{sign}{}", grouped(cut)))
    }),
    ("  of all links", |r| r.bisection_share_of_links.map(percent)),
    ("  and hosts", |r| r.bisection_share_of_all.map(percent)),
    ("links per host", |r| r.links_per_host.map(|links| format!("{links:.3}"))),
    ("  and hop", |r| r.links_per_host_and_hop.map(|links| format!("{links:.3}"))),
    ("non-blocking", |r| r.nonblocking.map(str::to_owned)),
    ("cabinets", |r| count(r.floor.cabinets)),
    ("total cable, m", |r| Some(whole(r.floor.cable_metres))),
    ("  average, m", |r| Some(format!("{:.2}", r.floor.average_cable_metres))),
    ("  longest, m", |r| Some(format!("{:.1}", r.floor.longest_cable_metres))),
    ("latency max, ns", |r| r.floor.max_latency_ns.map(|ns| format!("{ns:.1}"))),
    ("  mean, ns", |r| r.floor.mean_latency_ns.map(|ns| format!("{ns:.1}"))),
    ("ports of a switch", |r| bill(r, |b| Some(b.ports as f64))),
    ("copper cables", |r| bill(r, |b| Some(b.copper_cables as f64))),
    ("fibre cables", |r| bill(r, |b| Some(b.fibre_cables as f64))),
    ("switches, $", |r| bill(r, |b| Some(b.router_dollars))),
    ("cables, $", |r| bill(r, |b| Some(b.cable_dollars))),
    ("hosts, $", |r| bill(r, |b| b.host_dollars)),
    ("total, $", |r| bill(r, |b| Some(b.dollars))),
    ("  per host, $", |r| bill(r, |b| b.dollars_per_endpoint)),
    ("power, W", |r| bill(r, |b| Some(b.watts))),
    ("  per host, W", |r| r.cost.watts_per_endpoint.map(|watts| format!("{watts:.1}"))),
];

/// Returns a row for each property that is known of any of these topologies: its name, then its value for each
/// topology.
pub(super) fn rows(reports: &[Survey]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let currency = reports.first().map_or("USD", |r| r.cost.currency.as_str());
    for (name, value) in PROPERTIES {
        let values: Vec<Option<String>> = reports.iter().map(value).collect();
        if values.iter().any(Option::is_some) {
            let values = values.into_iter().map(|value| value.unwrap_or_else(|| "-".into()));
            rows.push(std::iter::once(name.replace('$', sign_of(currency))).chain(values).collect());
        }
    }
    rows
}

/// Returns remarks on hosts that count as vertices, for each topology with such hosts.
pub(super) fn vertices(reports: &[Survey]) -> Vec<String> {
    let with_hosts = reports.iter().enumerate().filter(|(_, r)| r.n > r.switches);
    let line = |(index, r): (usize, &Survey)| {
        let between = match (r.host_diameter_links, r.host_aspl_links) {
            (Some(most), Some(mean)) => format!("; between hosts at most {most} cables, {mean:.4} on average"),
            _ => String::new(),
        };
        format!(
            "{}: hosts count as vertices in cables, degrees, hops and the bisection, n = {}{between}.",
            letter(index),
            grouped(r.n as u64),
        )
    };
    with_hosts.map(line).collect()
}

/// Returns the assumptions of the numbers.
pub(super) fn notes(reports: &[Survey]) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(r) = reports.first() {
        let floor = &r.floor;
        notes.push(format!(
            "Floor plan {}; latency: 300 ns at the ends, {} ns per switch, {} ns per metre of cable; defaults {}.",
            floor.plan, floor.switch_delay_ns, floor.cable_delay_ns_per_metre, floor.defaults
        ));
        let cost = &r.cost;
        let hosts = if cost.host_dollars.is_some() {
            "; adapters and host links counted"
        } else if floor.plan == "equality" {
            ""
        } else {
            "; cables to hosts on switches not counted"
        };
        let scaled = cost
            .scaled_from_gbps
            .map_or_else(String::new, |listed| format!(", scaled from the prices at {listed} Gb/s"));
        notes.push(format!("Prices `{}`, links of {} Gb/s{scaled}{hosts}.", cost.prices, cost.link_rate_gbps));
        notes.extend(cost.prices_note.as_deref().map(sentence));
        if reports.iter().any(|r| r.directed) {
            notes.push(ONE_WAY.to_owned());
        }
    }
    for (index, r) in reports.iter().enumerate() {
        notes.extend(r.remarks.iter().map(|remark| format!("{}: {remark}.", letter(index))));
        if let Some(merged) = r.duplicates_merged {
            notes.push(format!("{}: {}.", letter(index), named_once_more(merged)));
        }
    }
    if reports.iter().any(|r| r.bisection_method.as_deref().is_some_and(|method| method != "exact")) {
        notes.push("Bisections with <= are upper bounds found by METIS and refined; the others are exact.".into());
    }
    let of_kind = |directed: bool| reports.iter().any(|r| r.directed == directed && r.bisection.is_some());
    if of_kind(true) && of_kind(false) {
        let text = "Bisections count cables: a one-way cable carries one direction, a two-way cable both.";
        notes.push(text.into());
    }
    let is_cut_short = |r: &Survey| r.connected && r.planes.is_none() && r.floor.max_latency_ns.is_none();
    if reports.iter().any(is_cut_short) {
        notes.push(
            "Latencies and other metrics that take long in large networks are left out; --full computes them.".into(),
        );
    }
    if reports.iter().any(|r| r.links_per_host_and_hop.is_some_and(|links| links < 1.0)) {
        let text =
            "Below 1 link per host and hop, all links together cannot carry uniform random traffic at full load.";
        notes.push(text.into());
    }
    notes
}

impl RouteSurvey {
    /// Returns a summary of the route, in the topology of that letter.
    pub(super) fn title(&self, letter: &str) -> String {
        let hops = counted(self.reasons.len() as u64, "hop");
        let seed = self.routing_seed.map_or_else(String::new, |seed| format!(" (seed {seed})"));
        format!("Route in {letter} by {}{seed}: {hops}, {:.1} m, {} ns", self.routing, self.metres, self.latency_ns)
    }

    /// Returns each hop: start, end and reason.
    pub(super) fn hops(&self) -> impl Iterator<Item = (u32, u32, &str)> {
        self.path.windows(2).zip(&self.reasons).map(|(ends, reason)| (ends[0], ends[1], reason.as_str()))
    }
}
