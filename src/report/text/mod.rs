//! Plain text, in 80 columns or the width of the terminal.

use super::network_words::{letter, replayed};
use super::number::{bytes, counted, grouped, mops, percent, seconds};
use super::sheet::{Column, Datum, Rows};
use super::{ReplayReport, Reporter, Sheet, ThroughputReport};
use crate::report::site::SiteDefault;
use crate::result::time_split::Split;
use crate::study::comparison::Comparison;
use crate::survey::{CollectivesSurvey, Survey};
use std::collections::BTreeSet;
use std::io::{self, Write};

pub(super) mod parts;
mod topology;

use parts::{fitting, grid, jobs, model, notes, row, table, wrapped};

/// The text format.
pub struct Text;

impl Reporter for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn help(&self) -> &'static str {
        "Tables for people, 80 columns wide or as wide as the terminal"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let w = &r.workload;
        writeln!(out, "{} on {}\n", w.name, replayed(&r.network, &r.model))?;
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
        let (used, hosts) = (grouped(r.hosts_used as u64), counted(r.network.hosts as u64, "host"));
        let on = if r.hosts_used == r.network.hosts { hosts } else { format!("{used} of {hosts}") };
        writeln!(out, "  ranks            {} on {on}", grouped(w.ranks as u64))?;
        writeln!(out, "  actions          {}", grouped(w.actions))?;
        writeln!(out, "  messages         {} with {} of payload", grouped(r.messages), bytes(r.bytes))?;
        if let Some(hops) = r.explanation.average_hops {
            writeln!(out, "  average hops     {hops:.3} links per message")?;
        }
        if let Some(wall) = r.wall_seconds {
            let rate = r.replayed_actions() as f64 / wall;
            writeln!(out, "  simulator        {} wall time, {} actions/s", seconds(wall), grouped(rate as u64))?;
        }
        let mut times = table(&["time per rank", "min", "mean", "max", "mean share"]);
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
                let mut longest = table(&["longest messages on it", "bytes", "starts at", "takes"]);
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
        let shown = super::throughput::ThroughputTables::new(report);
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
            grid(out, &shown.headings.iter().map(String::as_str).collect::<Vec<_>>(), &shown.rows)?;
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
        for shown in sheet.tables.iter().filter(|shown| shown.has_text() && !shown.rows.is_empty()) {
            // Names of topologies and networks, which may be long, are separate from the numbers: each has a letter, or the
            // number of its row.
            let is_name = |column: &Column| {
                matches!((column.name, column.heading), ("topology", Some(_)) | ("name", Some("network")))
            };
            let names = shown.columns.iter().position(is_name);
            let key = |index: usize, values: &[Datum]| if names == Some(0) { letter(index) } else { values[0].text() };
            let words = words_beside_repeated(shown, names);
            if let Some(at) = names {
                writeln!(out)?;
                for (index, values) in shown.rows.iter().enumerate() {
                    let of_row = [at].iter().chain(&words).map(|&at| values[at].text()).collect::<Vec<_>>();
                    writeln!(out, "  {:<2}  {}", key(index, values), of_row.join(", "))?;
                }
            }
            let is_shown = |at: usize| {
                shown.columns[at].heading.is_some() && (at == 0 || Some(at) != names) && !words.contains(&at)
            };
            let visible: Vec<usize> = (0..shown.columns.len()).filter(|&at| is_shown(at)).collect();
            let headings: Vec<&str> = visible.iter().filter_map(|&at| shown.columns[at].heading).collect();
            let cells = |(index, values): (usize, &Vec<Datum>)| {
                let mut cells: Vec<String> = visible.iter().map(|&at| values[at].text()).collect();
                if names == Some(0) {
                    cells[0] = key(index, values);
                }
                cells
            };
            let rows: Vec<Vec<String>> = shown.rows.iter().enumerate().map(cells).collect();
            writeln!(out)?;
            grid(out, &headings, &rows)?;
        }
        if !sheet.notes.is_empty() {
            writeln!(out)?;
        }
        notes(out, &sheet.notes.iter().map(|note| note.trim_end_matches('.').to_owned()).collect::<Vec<_>>())
    }
}

/// Returns the columns of words if names in column `names` are repeated: rows with one name differ in them, so that they
/// belong to the name.
fn words_beside_repeated(shown: &Rows, names: Option<usize>) -> Vec<usize> {
    let Some(names) = names else { return Vec::new() };
    let different: BTreeSet<String> = shown.rows.iter().map(|values| values[names].text()).collect();
    if different.len() == shown.rows.len() {
        return Vec::new();
    }
    let is_word = |at: usize| shown.rows.iter().all(|values| matches!(values[at], Datum::Text(_)));
    let has_heading = |at: usize| shown.columns[at].heading.is_some();
    (1..shown.columns.len()).filter(|&at| at != names && has_heading(at) && is_word(at)).collect()
}
