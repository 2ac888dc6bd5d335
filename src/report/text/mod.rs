//! Plain text, in 80 columns or the width of the terminal.

use super::number::{bytes, grouped, mops, percent, seconds};
use super::sheet::{Column, Datum};
use super::wrap::{broken, width};
use super::{ReplayReport, Reporter, Sheet, ThroughputReport};
use crate::report::site::SiteDefault;
use crate::result::time_split::Split;
use crate::study::choice::ModelDescription;
use crate::study::comparison::Comparison;
use crate::study::network::NetworkInfo;
use crate::survey::{CollectivesSurvey, Survey};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

mod topology;

/// The text format.
pub struct Text;

/// Creates a table; long names in its cells are broken if it would become too wide.
pub(super) fn table(heading: &[&str]) -> Table {
    let mut table = Table::new();
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width() as u16);
    table.load_style(presets::ASCII_BORDERS_ONLY_CONDENSED);
    table.set_header(heading.iter().enumerate().map(|(i, h)| cell(i, h)));
    table
}

/// Creates a cell: text on the left in the first column, numbers on the right in the others.
fn cell(column: usize, text: &str) -> Cell {
    Cell::new(text).set_alignment(if column == 0 { CellAlignment::Left } else { CellAlignment::Right })
}

pub(super) fn row(table: &mut Table, cells: &[String]) {
    table.add_row(cells.iter().enumerate().map(|(i, text)| cell(i, text)));
}

/// Returns the short name of a network in wide tables: A, B, .. Z, AA, AB ...
pub(super) fn letter(index: usize) -> String {
    let last = char::from(b'A' + (index % 26) as u8);
    if index < 26 { last.to_string() } else { letter(index / 26 - 1) + &last.to_string() }
}

/// Describes the routing: `static routing ecmp (seed 1)`. A seed is included only for a routing with its own: the
/// seed of a topology is part of its name, and the seeds of a network with `repetitions` are in a list.
pub(super) fn routing(network: &NetworkInfo, repetitions: bool) -> String {
    let own = network.seed.filter(|_| !repetitions && !network.topology.contains("seed="));
    let seed = own.map_or_else(String::new, |seed| format!(" (seed {seed})"));
    let rule = network.routing.as_deref().unwrap_or("as listed in the file");
    format!("{} routing {rule}{seed}", network.routing_nature)
}

/// Describes the topology, the directions of cables, and the routing.
pub(super) fn describe(network: &NetworkInfo, repetitions: bool) -> String {
    described(network, routing(network, repetitions))
}

/// Describes the topology and the directions of cables, with a text on the routing.
pub(super) fn described(network: &NetworkInfo, routing: String) -> String {
    let mut parts = vec![network.topology.clone()];
    parts.extend(network.duplex.as_deref().map(|d| match d {
        "one-way" => "one-way cables".to_owned(),
        mode => format!("{mode} duplex"),
    }));
    parts.push(routing);
    parts.join(", ")
}

/// Describes the model, and the speeds of the networks.
pub(super) fn model(
    out: &mut dyn Write,
    model: &ModelDescription,
    mapping: &str,
    (networks, names): (&[NetworkInfo], &[String]),
) -> io::Result<()> {
    let onoff = |on: bool| if on { "on" } else { "off" };
    let first = format!(
        "Model: network {}, {} sharing, collectives {}, cross-traffic {},",
        model.network_model,
        model.sharing,
        model.collectives,
        onoff(model.crosstraffic),
    );
    let indent = "       ";
    let second = format!("SMP set-up {}, ranks placed {mapping}.", onoff(model.smp_setup));
    if first.chars().count() <= width() {
        writeln!(out, "{first}")?;
        fitting(out, &format!("{indent}{second}"), indent)?;
    } else {
        wrapped(out, &format!("{first} {second}"), indent)?;
    }
    for (kind, algorithm) in &model.collective {
        writeln!(out, "{indent}{kind} always by {algorithm}.")?;
    }
    model.parameters.iter().try_for_each(|(name, value)| wrapped(out, &format!("{indent}{name} {value}."), indent))?;
    super::basis::sentences(model).iter().try_for_each(|text| wrapped(out, text, indent))?;
    super::findings::platforms(networks, names).iter().try_for_each(|text| wrapped(out, text, indent))
}

pub(super) fn notes(out: &mut dyn Write, notes: &[String]) -> io::Result<()> {
    notes.iter().try_for_each(|note| wrapped(out, &format!("Note: {note}."), "      "))
}

/// Writes the tables of jobs that run together.
pub(super) fn jobs(out: &mut dyn Write, tables: &[super::jobs::Shown]) -> io::Result<()> {
    for shown in tables {
        writeln!(out, "\n{}", shown.title)?;
        let mut lines = table(&shown.headings.iter().map(String::as_str).collect::<Vec<_>>());
        shown.rows.iter().for_each(|cells| row(&mut lines, cells));
        writeln!(out, "{lines}")?;
        shown.sentences.iter().try_for_each(|sentence| wrapped(out, sentence, ""))?;
    }
    Ok(())
}

/// Writes a line unchanged if it fits, otherwise broken between words.
pub(super) fn fitting(out: &mut dyn Write, text: &str, indent: &str) -> io::Result<()> {
    if text.chars().count() <= width() { writeln!(out, "{text}") } else { wrapped(out, text, indent) }
}

/// Writes a text broken between words into lines; all lines but the first begin with `indent`, which consists of
/// blanks.
pub(super) fn wrapped(out: &mut dyn Write, text: &str, indent: &str) -> io::Result<()> {
    let words = text.trim_start();
    let column = text.len() - words.len();
    writeln!(out, "{}{}", &text[..column], broken(words, column, indent.len()))
}

impl Reporter for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn help(&self) -> &'static str {
        "Tables for people, in 80 columns or those of the terminal"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let w = &r.workload;
        writeln!(out, "{} on {}\n", w.name, describe(&r.network, false))?;
        let half_width = super::steady::half_width(r.steady.as_ref());
        writeln!(out, "  simulated time   {}{half_width}", seconds(r.simulated_seconds))?;
        if let Some(origin) = super::steady::origin(r.steady.as_ref(), w.actions) {
            writeln!(out, "  extrapolated     from {origin}")?;
        }
        if let (Some(measured), Some(ratio)) = (w.measured_seconds, r.predicted_over_measured()) {
            let measured = seconds(measured);
            writeln!(out, "  measured time    {measured} when it was recorded; simulated / measured {ratio:.3}")?;
        }
        match (r.mops, w.operations) {
            (Some(m), Some(operations)) => {
                writeln!(out, "  performance      {} Mop/s ({operations:.4e} operations)", mops(m))?;
            }
            _ => writeln!(out, "  performance      unknown: no operation count (docs/reference/traces.md)")?,
        }
        writeln!(out, "  ranks            {} on {} hosts", grouped(w.ranks as u64), grouped(r.network.hosts as u64))?;
        writeln!(out, "  actions          {}", grouped(w.actions))?;
        writeln!(out, "  messages         {} with {} of payload", grouped(r.messages), bytes(r.bytes))?;
        if let Some(hops) = r.explanation.average_hops {
            writeln!(out, "  average hops     {hops:.3} links a message")?;
        }
        if let Some(wall) = r.wall_seconds {
            let rate = r.replayed_actions() as f64 / wall;
            writeln!(out, "  simulator        {} wall time, {} actions/s", seconds(wall), grouped(rate as u64))?;
        }
        let mut times = table(&["time of a rank", "min", "mean", "max", "mean share"]);
        let mut split = |name: &str, s: Split| {
            let whole = r.replayed_seconds();
            let share = if whole > 0.0 { s.mean / whole } else { 0.0 };
            row(&mut times, &[name.to_owned(), seconds(s.min), seconds(s.mean), seconds(s.max), percent(share)]);
        };
        split("compute", r.times.compute);
        split("latency", r.times.latency);
        split("bandwidth", r.times.bandwidth);
        split("waiting", r.times.waiting);
        writeln!(out, "\n{times}")?;
        jobs(out, &r.jobs.as_ref().map(super::jobs::of_replay).unwrap_or_default())?;
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
        model(out, &r.model, &r.mapping, (std::slice::from_ref(&r.network), &[letter(0)]))?;
        notes(out, &r.notes)
    }

    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
        let shown = super::throughput::Tables::new(report);
        writeln!(out, "{}\n", report.title)?;
        for (letter, lines) in &shown.legend {
            for (index, line) in lines.iter().enumerate() {
                let letter = if index == 0 { letter.as_str() } else { "" };
                fitting(out, &format!("  {letter:<2} {line}"), "       ")?;
            }
        }
        for (name, value) in &shown.facts {
            fitting(out, &format!("  {name:<18} {value}"), &" ".repeat(21))?;
        }
        for shown in &shown.tables {
            writeln!(out, "\n{}", shown.title)?;
            let mut lines = table(&shown.headings.iter().map(String::as_str).collect::<Vec<_>>());
            shown.rows.iter().for_each(|cells| row(&mut lines, cells));
            writeln!(out, "{lines}")?;
        }
        writeln!(out)?;
        notes(out, &shown.notes)
    }

    fn collectives(&self, report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()> {
        super::collectives::write(report, out)
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        super::compare_text::write(c, out)
    }

    fn topology(&self, reports: &[Survey], out: &mut dyn Write) -> io::Result<()> {
        topology::write(reports, out)
    }

    fn with_site(&self, report: Vec<u8>, defaults: &[SiteDefault]) -> io::Result<Vec<u8>> {
        Ok(super::site::text(report, defaults))
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", sheet.title)?;
        if sheet.tables.is_empty() {
            writeln!(out)?;
            for (_, name, value) in &sheet.facts {
                fitting(out, &format!("  {name:<18} {}", value.text()), &" ".repeat(21))?;
            }
        }
        for shown in &sheet.tables {
            // Names of topologies and networks, which may be long, are separate from the numbers: each has a letter, or the
            // number of its row.
            let is_name = |column: &Column| {
                matches!((column.name, column.heading), ("topology", Some(_)) | ("name", Some("network")))
            };
            let names = shown.columns.iter().position(is_name);
            let key = |index: usize, values: &[Datum]| if names == Some(0) { letter(index) } else { values[0].text() };
            if let Some(at) = names {
                writeln!(out)?;
                for (index, values) in shown.rows.iter().enumerate() {
                    writeln!(out, "  {:<2}  {}", key(index, values), values[at].text())?;
                }
            }
            let is_shown = |at: usize| shown.columns[at].heading.is_some() && (at == 0 || Some(at) != names);
            let visible: Vec<usize> = (0..shown.columns.len()).filter(|&at| is_shown(at)).collect();
            let headings: Vec<&str> = visible.iter().filter_map(|&at| shown.columns[at].heading).collect();
            let mut lines = table(&headings);
            for (index, values) in shown.rows.iter().enumerate() {
                let mut cells: Vec<String> = visible.iter().map(|&at| values[at].text()).collect();
                if names == Some(0) {
                    cells[0] = key(index, values);
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
