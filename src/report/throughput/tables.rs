//! Tables on throughput, for text and Markdown.

use super::{Contender, Grid, ThroughputReport, described, facts, injection, label, nanoseconds, short};
use crate::report::number::{grouped, percent};
use crate::throughput::Cell;
use crate::throughput::load::{Distribution, FairShare};

/// Number of contenders side by side in one table.
const COLUMNS: usize = 6;

/// A table with a heading.
pub(in crate::report) struct TitledTable {
    pub title: String,
    pub headings: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

/// Facts, legend and tables for text and Markdown.
pub(in crate::report) struct ThroughputTables {
    /// Facts: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// Letters and descriptions of contenders, if there are several.
    pub legend: Vec<(String, Vec<String>)>,
    pub tables: Vec<TitledTable>,
    pub notes: Vec<String>,
}

impl ThroughputTables {
    pub fn new(report: &ThroughputReport) -> Self {
        let grid = Grid::new(report);
        let mut shown = match &report.cells[..] {
            [cell] => {
                Self { facts: facts(cell, &report.model), legend: Vec::new(), tables: alone(cell), notes: Vec::new() }
            }
            _ => Self {
                facts: Vec::new(),
                legend: legend(&grid),
                tables: if grid.patterns.len() == 1 { one_pattern(&grid) } else { side_by_side(&grid) },
                notes: Vec::new(),
            },
        };
        shown.notes = notes(report);
        shown
    }
}

fn legend(grid: &Grid<'_>) -> Vec<(String, Vec<String>)> {
    let line = |(index, contender): (usize, &Contender<'_>)| {
        let cell = (0..grid.patterns.len()).find_map(|pattern| grid.cell(index, pattern));
        (short(index), described(contender, cell))
    };
    grid.contenders.iter().enumerate().map(line).collect()
}

fn notes(report: &ThroughputReport) -> Vec<String> {
    let mut notes: Vec<String> = report.unanswered.iter().map(|reason| format!("no result for {reason}")).collect();
    for cell in &report.cells {
        let of_pattern = cell.notes.iter().map(|note| format!("{}: {note}", cell.pattern));
        let of_network = cell.remarks.iter().map(|remark| format!("{}: {remark}", cell.network));
        for note in of_network.chain(of_pattern) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    let hosts = || report.cells.iter().map(|cell| cell.hosts);
    if let (Some(least), Some(most)) = (hosts().min(), hosts().max())
        && least < most
    {
        let (least, most) = (grouped(least.into()), grouped(most.into()));
        notes.push(format!("networks have {least} to {most} hosts, and rates are those of one host"));
    }
    notes.extend(unlike_bounds(report));
    let mut seeds: Vec<String> = Vec::new();
    for cell in &report.cells {
        let seeds_of = [
            (cell.pattern_seed, cell.pattern.split(':').next().unwrap_or_default()),
            (cell.routing_seed, cell.routing.as_str()),
        ];
        for (seed, what) in seeds_of {
            let seed = seed.map(|seed| format!("{what} has seed {seed}"));
            seeds.extend(seed.filter(|seed| !seeds.contains(seed)));
        }
    }
    if !seeds.is_empty() {
        notes.push(seeds.join(", "));
    }
    let model = &report.model;
    let hosts = match model.host_link_bytes_per_second {
        None => "host links: none".to_owned(),
        Some(host) if (host - model.link_bytes_per_second).abs() <= 1e-9 * host => "host links are as fast".to_owned(),
        Some(host) => format!("host links have {:.3} Gbit/s", host * 8e-9),
    };
    notes.push(format!(
        "injection 1 is the bandwidth of a link between switches, {:.3} Gbit/s, {} duplex; {hosts}; \
         defaults {}",
        model.link_bytes_per_second * 8e-9,
        model.duplex,
        model.defaults
    ));
    notes.push(format!(
        "latency is 300 ns + {:.1} ns per switch + {:.1} ns per metre of cable; under load it is an {}, packets of {} bytes",
        model.switch_delay_seconds * 1e9,
        model.cable_delay_seconds_per_metre * 1e9,
        model.load_latency,
        model.packet_bytes
    ));
    notes
}

/// Returns a remark on bounds of which some follow from a program over all paths, and others from lengths and cuts alone.
fn unlike_bounds(report: &ThroughputReport) -> Option<String> {
    let is_weaker = |cell: &&Cell| cell.share_of_bound.is_some() && cell.bounds.concurrent.is_none();
    let mut weaker: Vec<&str> = report.cells.iter().filter(is_weaker).map(|cell| cell.network.as_str()).collect();
    weaker.dedup();
    let has_program = report.cells.iter().any(|cell| cell.bounds.concurrent.is_some());
    (has_program && !weaker.is_empty()).then(|| {
        format!(
            "bounds over all paths are lower than those of lengths and cuts, the only ones of {}: shares of the two are not comparable \
             (--bound flow computes all of them over all paths)",
            weaker.join(", ")
        )
    })
}

/// Returns the tables of a single result.
fn alone(cell: &Cell) -> Vec<TitledTable> {
    let mut tables = Vec::new();
    let strings = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    type Part = (&'static str, fn(&Distribution) -> f64);
    let parts: [Part; 10] = [
        ("least", |d| d.min),
        ("1 %", |d| d.p1),
        ("5 %", |d| d.p5),
        ("25 %", |d| d.p25),
        ("50 %", |d| d.median),
        ("75 %", |d| d.p75),
        ("95 %", |d| d.p95),
        ("99 %", |d| d.p99),
        ("largest", |d| d.max),
        ("mean", |d| d.mean),
    ];
    let spread = |(name, part): Part| {
        let rate = injection(cell.fair.as_ref().map(|fair| part(&fair.level)));
        vec![name.to_owned(), rate, format!("{:.4}", part(&cell.link_load))]
    };
    tables.push(TitledTable {
        title: "Fair rates at full offered load; loads of links at injection 1".into(),
        headings: strings(&["at most, of all", "rate of a flow", "load of a link"]),
        rows: parts.map(spread).to_vec(),
    });
    if !cell.bottlenecks.is_empty() {
        tables.push(TitledTable {
            title: format!("Fullest links ({} as full as the first)", grouped(cell.fullest_links as u64)),
            headings: strings(&["link", "load at injection 1", "full at injection"]),
            rows: cell
                .bottlenecks
                .iter()
                .map(|link| vec![link.link.clone(), format!("{:.4}", link.load), format!("{:.4}", link.saturates_at)])
                .collect(),
        });
    }
    if !cell.load_latency.is_empty() {
        tables.push(TitledTable {
            title: "Latency under load (estimate)".into(),
            headings: strings(&["injection", "of saturation", "latency ns"]),
            rows: cell
                .load_latency
                .iter()
                .map(|point| {
                    let part = point.injection / cell.saturation.unwrap_or(f64::INFINITY);
                    vec![format!("{:.4}", point.injection), percent(part), nanoseconds(point.latency)]
                })
                .collect(),
        });
    }
    tables
}

/// Returns a table of contenders, one below another, for one pattern.
fn one_pattern(grid: &Grid<'_>) -> Vec<TitledTable> {
    let rows = (0..grid.contenders.len()).filter_map(|contender| {
        let cell = grid.cell(contender, 0)?;
        let fair = |of: fn(&FairShare) -> f64| injection(cell.fair.as_ref().map(of));
        Some(vec![
            short(contender),
            injection(cell.saturation),
            fair(|fair| fair.level.median),
            fair(|fair| fair.accepted),
            format!("{:.4}", cell.zero_load.mean_hops),
            nanoseconds(cell.zero_load.mean),
            injection(Some(cell.bounds.upper()).filter(|upper| upper.is_finite())),
            cell.share_of_bound.map_or_else(|| "-".to_owned(), percent),
        ])
    });
    let headings = ["", "saturates", "median rate", "mean sent", "hops", "latency ns", "bound", "of bound"];
    vec![TitledTable {
        title: format!("{}: what a host can send, in link bandwidths", grid.patterns[0]),
        headings: headings.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    }]
}

/// Quantity that a table compares: its title, value and format.
type Measure = (&'static str, fn(&Cell) -> Option<f64>, fn(f64) -> String);

/// Returns a table for each measure, with contenders side by side.
fn side_by_side(grid: &Grid<'_>) -> Vec<TitledTable> {
    let measures: [Measure; 4] = [
        (
            "Saturation: what a host can send until a link is full, in link bandwidths",
            |cell| cell.saturation,
            |v| format!("{v:.4}"),
        ),
        (
            "Fair sharing at full load: what a host sends on average, in link bandwidths",
            |cell| cell.fair.as_ref().map(|fair| fair.accepted),
            |v| format!("{v:.4}"),
        ),
        ("Saturation as a share of the lowest bound: how close it comes", |cell| cell.share_of_bound, percent),
        ("Mean zero-load latency, ns, cables included", |cell| Some(cell.zero_load.mean * 1e9), |v| format!("{v:.1}")),
    ];
    let mut tables = Vec::new();
    for (title, measure, text) in measures {
        let contenders: Vec<usize> = (0..grid.contenders.len()).collect();
        for block in contenders.chunks(COLUMNS) {
            let mut rows: Vec<Vec<String>> = Vec::new();
            let mut logarithms: Vec<Option<f64>> = vec![Some(0.0); block.len()];
            for (index, &pattern) in grid.patterns.iter().enumerate() {
                let mut cells = vec![label(&grid.patterns, pattern).to_owned()];
                for (sum, &contender) in logarithms.iter_mut().zip(block) {
                    let value = grid.cell(contender, index).and_then(measure);
                    *sum = sum.zip(value).filter(|(_, value)| *value > 0.0).map(|(sum, value)| sum + value.ln());
                    cells.push(value.map_or_else(|| "-".to_owned(), text));
                }
                rows.push(cells);
            }
            let mean = |sum: &Option<f64>| {
                sum.map_or_else(|| "-".to_owned(), |sum| text((sum / grid.patterns.len() as f64).exp()))
            };
            rows.push(["geometric mean".to_owned()].into_iter().chain(logarithms.iter().map(mean)).collect());
            let headings = ["pattern".to_owned()].into_iter().chain(block.iter().map(|&c| short(c))).collect();
            tables.push(TitledTable { title: title.to_owned(), headings, rows });
        }
    }
    tables
}
