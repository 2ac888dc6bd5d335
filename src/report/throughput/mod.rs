//! Throughput under synthetic traffic: common parts of text, Markdown, JSON, CSV and drawings.

use super::network_words::letter;
use super::number::{grouped, percent, seconds};
use crate::throughput::load::SAME;
use crate::throughput::{Cell, Speeds, latency};
use serde::Serialize;

pub(super) mod csv;
pub mod html;
pub mod svg;
mod tables;

pub(super) use tables::ThroughputTables;

/// Schema of the JSON form.
pub const SCHEMA: &str = "mopsim.throughput/2";

/// Assumptions of the numbers.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ModelOfThroughput {
    /// Version of the defaults.
    pub defaults: &'static str,
    /// Bandwidth of a link between switches, which is the unit of injections.
    pub link_bytes_per_second: f64,
    /// Bandwidth of the link between a host and its switch; `None` if hosts have unlimited bandwidth.
    pub host_link_bytes_per_second: Option<f64>,
    /// `full` if each direction of a cable has its own capacity, otherwise `shared`.
    pub duplex: &'static str,
    /// Delay of a switch.
    pub switch_delay_seconds: f64,
    /// Delay per metre of cable.
    pub cable_delay_seconds_per_metre: f64,
    /// Size of a packet in bytes, for queues.
    pub packet_bytes: f64,
    /// Description of the curve of latency under load.
    pub load_latency: &'static str,
}

impl ModelOfThroughput {
    /// Creates the assumptions from speeds.
    pub fn new(speeds: &Speeds) -> Self {
        Self {
            defaults: speeds.defaults.name(),
            link_bytes_per_second: speeds.link,
            host_link_bytes_per_second: speeds.host,
            duplex: match speeds.duplex {
                crate::platform::Duplex::Full => "full",
                crate::platform::Duplex::Shared => "shared",
            },
            switch_delay_seconds: speeds.switch_delay,
            cable_delay_seconds_per_metre: speeds.cable_delay,
            packet_bytes: speeds.packet,
            load_latency: latency::FORMULA,
        }
    }
}

/// Results on throughput.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ThroughputReport {
    /// Name and version of the schema.
    pub schema: &'static str,
    /// Title of the report.
    pub title: String,
    /// Assumptions of the numbers.
    pub model: ModelOfThroughput,
    /// Results, network by network, pattern by pattern.
    pub cells: Vec<Cell>,
    /// Networks and patterns without a result, and the reasons.
    pub unanswered: Vec<String>,
}

impl ThroughputReport {
    /// Creates a report of these results, and of the reasons for missing ones.
    pub fn new(title: Option<String>, speeds: &Speeds, cells: Vec<Cell>, unanswered: Vec<String>) -> Self {
        let title = title.unwrap_or_else(|| "Throughput under synthetic traffic".to_owned());
        Self { schema: SCHEMA, title, model: ModelOfThroughput::new(speeds), cells, unanswered }
    }
}

/// A network with a routing, as compared with others.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Contender<'a> {
    pub network: &'a str,
    pub topology: &'a str,
    pub routing: &'a str,
}

/// Results as a table: contenders, patterns, and the result for each pair.
pub(super) struct Grid<'a> {
    pub contenders: Vec<Contender<'a>>,
    pub patterns: Vec<&'a str>,
    cells: Vec<Vec<Option<&'a Cell>>>,
}

impl<'a> Grid<'a> {
    pub fn new(report: &'a ThroughputReport) -> Self {
        let mut grid = Self { contenders: Vec::new(), patterns: Vec::new(), cells: Vec::new() };
        for cell in &report.cells {
            let contender = Contender { network: &cell.network, topology: &cell.topology, routing: &cell.routing };
            let column = match grid.contenders.iter().position(|other| *other == contender) {
                Some(found) => found,
                None => {
                    grid.contenders.push(contender);
                    grid.cells.push(Vec::new());
                    grid.contenders.len() - 1
                }
            };
            let row = match grid.patterns.iter().position(|other| *other == cell.pattern) {
                Some(found) => found,
                None => {
                    grid.patterns.push(&cell.pattern);
                    grid.patterns.len() - 1
                }
            };
            let cells = &mut grid.cells[column];
            cells.resize(cells.len().max(row + 1), None);
            cells[row] = Some(cell);
        }
        grid
    }

    /// Returns the result for a contender and a pattern.
    pub fn cell(&self, contender: usize, pattern: usize) -> Option<&'a Cell> {
        self.cells[contender].get(pattern).copied().flatten()
    }
}

/// Describes a contender.
pub(super) fn described(contender: &Contender<'_>, cell: Option<&Cell>) -> Vec<String> {
    let mut lines = Vec::new();
    if contender.network != contender.topology {
        lines.push(contender.network.to_owned());
    }
    let hosts = cell.map_or(String::new(), |cell| {
        format!(", {} switches, {} hosts", grouped(cell.switches as u64), grouped(u64::from(cell.endpoints)))
    });
    let kind = cell.map_or("static", |cell| cell.routing_kind);
    lines.push(format!("{}{hosts}, {kind} routing {}", contender.topology, contender.routing));
    lines
}

/// Returns a pattern without its seed, which is in the notes.
pub(super) fn without_seed(pattern: &str) -> &str {
    pattern.split_once(":seed=").map_or(pattern, |(plain, _)| plain)
}

/// Returns a pattern without its seed, unless another one of the patterns differs only by the seed.
pub(super) fn label<'a>(patterns: &[&str], pattern: &'a str) -> &'a str {
    let plain = without_seed(pattern);
    let alike = patterns.iter().filter(|other| without_seed(other) == plain).count();
    if alike > 1 { pattern } else { plain }
}

/// Formats an injection as a share of a link's bandwidth.
pub(super) fn injection(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
}

/// Formats nanoseconds.
pub(super) fn nanoseconds(value: f64) -> String {
    format!("{:.1}", value * 1e9)
}

/// Returns the facts of one result: name and value.
pub(super) fn facts(cell: &Cell, model: &ModelOfThroughput) -> Vec<(&'static str, String)> {
    let gbit = |bytes: f64| format!("{:.3} Gbit/s", bytes * 8e-9);
    let mut facts = vec![
        ("topology", cell.topology.clone()),
        ("pattern", cell.pattern.clone()),
        (
            "routing",
            match cell.routing_seed {
                Some(seed) => format!("{}, {}, seed {seed}", cell.routing, cell.routing_kind),
                None => format!("{}, {}", cell.routing, cell.routing_kind),
            },
        ),
        ("switches", grouped(cell.switches as u64)),
        (
            "hosts",
            match cell.senders == cell.endpoints {
                true => grouped(u64::from(cell.endpoints)),
                false => format!(
                    "{}, of which {} send",
                    grouped(u64::from(cell.endpoints)),
                    grouped(u64::from(cell.senders))
                ),
            },
        ),
        (
            "flows",
            match cell.flows_to_self {
                0 => grouped(cell.flows),
                to_self => format!("{}, {} of them from a host to itself", grouped(cell.flows), grouped(to_self)),
            },
        ),
    ];
    let saturation = match (cell.saturation, cell.saturation_bytes_per_second) {
        (Some(injection), Some(bytes)) => {
            // Loads that differ only by rounding are equal.
            let full = |at: Option<f64>| at.is_some_and(|at| at <= injection * (1.0 + SAME));
            let held = match (full(cell.network_saturation), full(cell.bounds.host_links)) {
                (true, true) => "host links and links between switches at once",
                (true, false) => "a link between switches first",
                _ => "the host links first",
            };
            format!("{injection:.4} of a link, {} for each host; {held}", gbit(bytes))
        }
        _ => "never: all traffic stays within switches".to_owned(),
    };
    facts.push(("saturation", saturation));
    if let Some(fair) = &cell.fair {
        facts.push(("fair sharing", format!("{:.4} of a link sent by a host at full offered load", fair.accepted)));
        facts.push(("", format!("{} of flows limited by links between switches", percent(fair.held_by_network))));
        if fair.unbound > 0 {
            facts.push(("", format!("{} flows within switches are held by nothing", grouped(fair.unbound))));
        }
    }
    let zero = &cell.zero_load;
    facts.push(("hops", format!("{:.4} on average, at most {}", zero.mean_hops, zero.max_hops)));
    facts.push(("latency, no load", format!("{} on average, at most {}", seconds(zero.mean), seconds(zero.max))));
    facts.push((
        "  without cables",
        format!("{} on average, at most {}", seconds(zero.bare_mean), seconds(zero.bare_max)),
    ));
    let bounds = &cell.bounds;
    let mut bound = |name, value: Option<f64>, what: &str| {
        if let Some(value) = value {
            facts.push((name, format!("{value:.4}{what}")));
        }
    };
    bound("bound: host links", bounds.host_links, "");
    bound("bound: lengths", bounds.path_length, "  (links over demands times distances)");
    let cut = if bounds.cut_is_bisection { "  (halves found by METIS)" } else { "  (around one switch)" };
    bound("bound: cuts", bounds.cut, cut);
    if let Some(concurrent) = &bounds.concurrent {
        let value = match concurrent.upper - concurrent.lower > 1e-6 {
            true => format!("{:.4} to {:.4}", concurrent.lower, concurrent.upper),
            false => format!("{:.4}", concurrent.upper),
        };
        facts.push(("bound: all paths", format!("{value}  ({})", concurrent.method)));
    }
    if let Some(share) = cell.share_of_bound {
        let what = if cell.bounds.concurrent.is_some() { "what the topology can" } else { "the least bound" };
        facts.push(("this routing", format!("reaches {} of {what}", percent(share))));
    }
    facts.push(("link bandwidth", gbit(model.link_bytes_per_second)));
    facts
}

/// Returns the short name of a contender in tables.
pub(super) fn short(contender: usize) -> String {
    letter(contender)
}
