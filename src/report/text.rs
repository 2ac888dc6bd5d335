//! Plain text in 80 columns.

use super::number::{bytes, grouped, mops, percent, seconds};
use super::{CollectivesReport, ReplayReport, Reporter, Sheet, Split, TopologyReport};
use crate::study::choice::ModelDescription;
use crate::study::comparison::{Comparison, NetworkInfo};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

/// The text format.
pub struct Text;

/// Width of the whole report.
pub(super) const WIDTH: u16 = 80;

/// Networks in one table of ratios: with their names of at most 20 characters they fill the width.
const COLUMNS: usize = 7;

/// A table; long names in its cells are broken where it would become too wide.
fn table(heading: &[&str]) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table.load_style(presets::ASCII_BORDERS_ONLY_CONDENSED);
    table.set_header(heading.iter().enumerate().map(|(i, h)| cell(i, h)));
    table
}

/// A cell: text to the left in the first column, numbers to the right in the others.
fn cell(column: usize, text: &str) -> Cell {
    Cell::new(text).set_alignment(if column == 0 { CellAlignment::Left } else { CellAlignment::Right })
}

fn row(table: &mut Table, cells: &[String]) {
    table.add_row(cells.iter().enumerate().map(|(i, text)| cell(i, text)));
}

/// A, B, .. Z, AA, AB ...: the networks' short names in wide tables.
pub(super) fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { letter(index / 26 - 1) + &last.to_string() }
}

fn describe(network: &NetworkInfo) -> String {
    let mut parts = vec![network.topology.clone()];
    parts.extend(network.duplex.as_deref().map(|d| match d {
        "one-way" => "one-way cables".to_owned(),
        mode => format!("{mode} duplex"),
    }));
    parts.extend(network.routing.as_ref().map(|r| format!("{r} routing")));
    parts.join(", ")
}

fn model(out: &mut dyn Write, model: &ModelDescription, mapping: &str) -> io::Result<()> {
    let onoff = |on: bool| if on { "on" } else { "off" };
    writeln!(
        out,
        "Model: network {}, {} sharing, collectives {}, cross-traffic {},\n       SMP set-up {}, ranks placed {mapping}.",
        model.network_model,
        model.sharing,
        model.collectives,
        onoff(model.crosstraffic),
        onoff(model.smp_setup),
    )?;
    for (kind, algorithm) in &model.collective {
        writeln!(out, "       {kind} always by {algorithm}.")?;
    }
    Ok(())
}

fn notes(out: &mut dyn Write, notes: &[String]) -> io::Result<()> {
    notes.iter().try_for_each(|note| wrapped(out, &format!("Note: {note}."), "      "))
}

/// Writes a text line by line, broken between words; all lines but the first begin with `indent`.
fn wrapped(out: &mut dyn Write, text: &str, indent: &str) -> io::Result<()> {
    let mut column = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > usize::from(WIDTH) {
            write!(out, "\n{indent}{word}")?;
            column = indent.len() + width;
        } else {
            write!(out, "{}{word}", if column > 0 { " " } else { "" })?;
            column += usize::from(column > 0) + width;
        }
    }
    writeln!(out)
}

/// The relative performance of some networks, workload by workload, and its means.
fn ratios(c: &Comparison, networks: &[usize], ratio: fn(f64) -> String) -> Table {
    let letters: Vec<String> = networks.iter().map(|&n| letter(n)).collect();
    let heading: Vec<&str> = std::iter::once("workload").chain(letters.iter().map(String::as_str)).collect();
    let mut table = table(&heading);
    let mut line = |name: &str, value: &dyn Fn(usize) -> f64| {
        let values = networks.iter().map(|&n| ratio(value(n)));
        row(&mut table, &std::iter::once(name.to_owned()).chain(values).collect::<Vec<_>>());
    };
    for (w, workload) in c.workloads.iter().enumerate() {
        line(&workload.name, &|n| c.cell(w, n).relative);
    }
    line("arithmetic mean", &|n| c.arithmetic_mean(n));
    line("geometric mean", &|n| c.geometric_mean(n));
    table
}

impl Reporter for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let w = &r.workload;
        writeln!(out, "{} on {}\n", w.name, describe(&r.network))?;
        writeln!(out, "  simulated time   {}", seconds(r.simulated_seconds))?;
        match (r.mops, w.operations) {
            (Some(m), Some(operations)) => {
                writeln!(out, "  performance      {} Mop/s ({operations:.4e} operations)", mops(m))?;
            }
            _ => writeln!(out, "  performance      unknown: no side file gives the number of operations")?,
        }
        writeln!(out, "  ranks            {} on {} hosts", grouped(w.ranks as u64), grouped(r.network.hosts as u64))?;
        writeln!(out, "  actions          {}", grouped(w.actions))?;
        writeln!(out, "  messages         {} with {} of payload", grouped(r.messages), bytes(r.bytes))?;
        if let Some(hops) = r.explanation.average_hops {
            writeln!(out, "  average hops     {hops:.3} links a message")?;
        }
        if let Some(wall) = r.wall_seconds {
            let rate = w.actions as f64 / wall;
            writeln!(out, "  simulator        {} wall time, {} actions/s", seconds(wall), grouped(rate as u64))?;
        }
        let mut times = table(&["time of a rank", "min", "mean", "max", "mean share"]);
        let mut split = |name: &str, s: Split| {
            let share = if r.simulated_seconds > 0.0 { s.mean / r.simulated_seconds } else { 0.0 };
            row(&mut times, &[name.to_owned(), seconds(s.min), seconds(s.mean), seconds(s.max), percent(share)]);
        };
        split("compute", r.times.compute);
        split("latency", r.times.latency);
        split("bandwidth", r.times.bandwidth);
        split("waiting", r.times.waiting);
        writeln!(out, "\n{times}")?;
        let explanation = &r.explanation;
        if let Some(first) = explanation.busiest_links.first() {
            let mut heading = vec!["busiest links", "messages", "bytes", "utilisation"];
            heading.extend(first.saturated.map(|_| "full"));
            let mut links = table(&heading);
            for l in &explanation.busiest_links {
                let mut cells = vec![l.link.clone(), grouped(l.messages), bytes(l.bytes), percent(l.utilisation)];
                cells.extend(l.saturated.map(percent));
                row(&mut links, &cells);
            }
            writeln!(out, "\n{links}")?;
        }
        if let Some(path) = &explanation.critical_path {
            wrapped(out, &format!("Critical path: {}.", super::findings::critical_path(path)), "  ")?;
            if !path.longest.is_empty() {
                let mut longest = table(&["longest messages on it", "bytes", "begins at", "takes"]);
                for s in path.longest.iter().take(5) {
                    let who = format!("rank {} to rank {}", s.from, s.to);
                    row(&mut longest, &[who, bytes(s.bytes), seconds(s.started), seconds(s.seconds)]);
                }
                writeln!(out, "{longest}")?;
            }
        }
        writeln!(out)?;
        model(out, &r.model, &r.mapping)?;
        notes(out, &r.notes)
    }

    fn collectives(&self, report: &CollectivesReport, out: &mut dyn Write) -> io::Result<()> {
        super::collectives_text::write(report, out)
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", c.title)?;
        for (n, network) in c.networks.iter().enumerate() {
            let baseline = if n == c.baseline { "   <- baseline" } else { "" };
            writeln!(out, "  {}  {}{baseline}\n     {}", letter(n), network.name, describe(network))?;
        }
        writeln!(
            out,
            "\nPerformance relative to {} (its time over the time here: larger is better)",
            letter(c.baseline)
        )?;
        let ratio = |r: f64| format!("{r:.3}");
        let networks: Vec<usize> = (0..c.networks.len()).collect();
        for some in networks.chunks(COLUMNS) {
            writeln!(out, "{}", ratios(c, some, ratio))?;
        }
        writeln!(out, "\nSimulated time and Mop/s")?;
        let mut absolute = table(&["workload", "network", "time", "Mop/s", "relative"]);
        for cell in &c.cells {
            let name = if cell.network == 0 { c.workloads[cell.workload].name.clone() } else { String::new() };
            row(
                &mut absolute,
                &[
                    name,
                    letter(cell.network),
                    seconds(cell.simulated_seconds),
                    cell.mops.map_or_else(|| "unknown".to_owned(), mops),
                    ratio(cell.relative),
                ],
            );
        }
        writeln!(out, "{absolute}\n")?;
        for finding in super::findings::equal_networks(c) {
            let who: Vec<String> = finding.networks.iter().map(|&n| letter(n)).collect();
            let line = format!(
                "{}: {} equal within 1 %: {}.",
                c.workloads[finding.workload].name,
                who.join(", "),
                finding.reason
            );
            wrapped(out, &line, "  ")?;
        }
        if c.workloads.iter().any(|w| w.operations.is_none()) {
            let text = "Mop/s unknown: no side file gives the number of operations; ratios are those of times.";
            wrapped(out, text, "")?;
        }
        model(out, &c.model, &c.mapping)?;
        let text = "Under heavy contention results are chaotic: differences of some parts per thousand are noise of the \
                    method, not of the networks.";
        wrapped(out, text, "")?;
        notes(out, &c.notes)
    }

    fn topology(&self, reports: &[TopologyReport], out: &mut dyn Write) -> io::Result<()> {
        // The names, which may be long, stand apart from the numbers.
        for (index, r) in reports.iter().enumerate() {
            writeln!(out, "  {}  {}\n     sha256 {}", letter(index), r.topology, r.edge_sha256)?;
        }
        let mut sizes = table(&["topology", "switches", "hosts", "cables", "degree", "diameter", "ASPL"]);
        let unreachable = || "unreachable".to_owned();
        for (index, r) in reports.iter().enumerate() {
            let cables = match (r.edges, r.arcs) {
                (Some(edges), _) => format!("{} two-way", grouped(edges as u64)),
                (None, arcs) => format!("{} one-way", grouped(arcs.unwrap_or(0) as u64)),
            };
            let degree = if r.min_degree == r.max_degree {
                r.max_degree.to_string()
            } else {
                format!("{}-{}", r.min_degree, r.max_degree)
            };
            let diameter = r.diameter.map_or_else(unreachable, |d| d.to_string());
            let aspl = r.aspl.map_or_else(unreachable, |a| format!("{a:.4}"));
            let [switches, hosts] = [r.switches as u64, r.hosts].map(grouped);
            row(&mut sizes, &[letter(index), switches, hosts, cables, degree, diameter, aspl]);
        }
        writeln!(out, "\n{sizes}")?;
        for (index, r) in reports.iter().enumerate().filter(|(_, r)| r.host_aspl_links.is_some()) {
            let diameter = r.host_diameter_links.map_or_else(unreachable, |d| d.to_string());
            let text = format!(
                "{}: hosts are vertices here, n = {}; between hosts at most {diameter} cables, {:.4} on average.",
                letter(index),
                r.n,
                r.host_aspl_links.unwrap_or(0.0),
            );
            wrapped(out, &text, "   ")?;
        }
        Ok(())
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", sheet.title)?;
        if sheet.tables.is_empty() {
            writeln!(out)?;
            for (_, name, value) in &sheet.facts {
                writeln!(out, "  {name:<18} {}", value.text())?;
            }
        }
        for shown in &sheet.tables {
            // Names of topologies, which may be long, stand apart from the numbers.
            let names = shown.columns.first().is_some_and(|column| column.name == "topology");
            if names {
                writeln!(out)?;
                for (index, values) in shown.rows.iter().enumerate() {
                    writeln!(out, "  {:<2}  {}", letter(index), values[0].text())?;
                }
            }
            let headings: Vec<&str> = shown.columns.iter().filter_map(|column| column.heading).collect();
            let mut lines = table(&headings);
            for (index, values) in shown.rows.iter().enumerate() {
                let visible = shown.columns.iter().zip(values).filter(|(column, _)| column.heading.is_some());
                let mut cells: Vec<String> = visible.map(|(_, value)| value.text()).collect();
                if names {
                    cells[0] = letter(index);
                }
                row(&mut lines, &cells);
            }
            writeln!(out, "\n{lines}")?;
        }
        if !sheet.notes.is_empty() {
            writeln!(out)?;
        }
        notes(out, &sheet.notes.iter().map(|note| note.trim_end_matches('.').to_owned()).collect::<Vec<_>>())
    }
}
