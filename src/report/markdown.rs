//! Tables in Markdown, for issues, wikis and drafts of papers. User-supplied text is escaped.

use super::markdown_parts::{escape, heading, jobs, model, row};
use super::network_words::{letter, replayed};
use super::number::{bytes, grouped, mops, percent, seconds};
use super::topology as shown;
use super::{ReplayReport, Reporter, Sheet, ThroughputReport, findings};
use crate::report::site::SiteDefault;
use crate::study::comparison::Comparison;
use crate::survey::{CollectivesSurvey, Survey};
use std::io::{self, Write};

/// The Markdown format.
pub struct Markdown;

impl Reporter for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn help(&self) -> &'static str {
        "Tables in Markdown"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# {} on {}\n", escape(&r.workload.name), escape(&replayed(&r.network, &r.model)))?;
        heading(out, &["", ""], 1)?;
        let mut fact = |name: &str, value: String| row(out, &[name.to_owned(), value]);
        let half_width = super::steady::half_width(r.steady.as_ref());
        fact("simulated time", seconds(r.simulated_seconds) + &half_width)?;
        if let Some(origin) = super::steady::origin(r.steady.as_ref(), r.workload.actions) {
            fact("extrapolated from", origin)?;
        }
        if let (Some(measured), Some(ratio)) = (r.workload.measured_seconds, r.predicted_over_measured()) {
            fact("measured time, when it was recorded", seconds(measured))?;
            fact("simulated / measured", format!("{ratio:.3}"))?;
        }
        fact("Mop/s", r.mops.map_or_else(|| "unknown".to_owned(), mops))?;
        fact("ranks", grouped(r.workload.ranks as u64))?;
        fact("actions", grouped(r.workload.actions))?;
        fact("messages", grouped(r.messages))?;
        fact("payload", bytes(r.bytes))?;
        let shares = &r.explanation.time_shares;
        fact("compute", percent(shares.compute))?;
        fact("latency", percent(shares.latency))?;
        fact("bandwidth", percent(shares.bandwidth))?;
        fact("waiting", percent(shares.waiting))?;
        if let Some(hops) = r.explanation.average_hops {
            fact("average hops", format!("{hops:.3}"))?;
        }
        jobs(out, &r.jobs.as_ref().map(super::jobs::of_replay).unwrap_or_default())?;
        if !r.explanation.busiest_links.is_empty() {
            writeln!(out)?;
            heading(out, &["busiest links", "messages", "bytes", "utilisation", "full"], 1)?;
            for l in &r.explanation.busiest_links {
                let full = l.saturated.map_or_else(|| "-".to_owned(), percent);
                row(out, &[escape(&l.link), grouped(l.messages), bytes(l.bytes), percent(l.utilisation), full])?;
            }
        }
        if let Some(path) = &r.explanation.critical_path {
            writeln!(out, "\nCritical path: {}.", findings::critical_path(path))?;
        }
        model(out, &r.model, &r.mapping, (std::slice::from_ref(&r.network), &[letter(0)]), &r.notes)
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        super::compare_markdown::write(c, out)
    }

    fn topology(&self, reports: &[Survey], out: &mut dyn Write) -> io::Result<()> {
        for (index, r) in reports.iter().enumerate() {
            writeln!(out, "- **{}** {} (sha256 {})", letter(index), escape(&r.topology), r.edge_sha256)?;
        }
        writeln!(out)?;
        let letters: Vec<String> = (0..reports.len()).map(letter).collect();
        let names: Vec<&str> = std::iter::once("").chain(letters.iter().map(String::as_str)).collect();
        heading(out, &names, 1)?;
        for cells in shown::rows(reports) {
            // Leading blanks indent a row below the previous one.
            row(out, &cells.iter().map(|text| escape(text).replace("  ", "&emsp;")).collect::<Vec<_>>())?;
        }
        for note in shown::vertices(reports).iter().chain(&shown::notes(reports)) {
            writeln!(out, "\n{}", escape(note))?;
        }
        for (letter, r) in letters.iter().zip(reports) {
            if let Some(route) = &r.route {
                writeln!(out, "\n**{}**\n", escape(&route.title(letter)))?;
                heading(out, &["from", "to", "why"], 3)?;
                for (from, to, reason) in route.hops() {
                    row(out, &[from.to_string(), to.to_string(), escape(reason)])?;
                }
            }
        }
        Ok(())
    }

    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
        let shown = super::throughput::ThroughputTables::new(report);
        writeln!(out, "# {}\n", escape(&report.title))?;
        for (letter, lines) in &shown.legend {
            writeln!(out, "- **{letter}** {}", escape(&lines.join(": ")))?;
        }
        if !shown.facts.is_empty() {
            heading(out, &["", ""], 2)?;
        }
        for (name, value) in &shown.facts {
            row(out, &[escape(name), escape(value)])?;
        }
        for table in &shown.tables {
            writeln!(out, "\n**{}**\n", escape(&table.title))?;
            let headings: Vec<String> = table.headings.iter().map(|text| escape(text)).collect();
            heading(out, &headings.iter().map(String::as_str).collect::<Vec<_>>(), 1)?;
            for cells in &table.rows {
                row(out, &cells.iter().map(|text| escape(text)).collect::<Vec<_>>())?;
            }
        }
        shown.notes.iter().try_for_each(|note| writeln!(out, "\nNote: {}.", escape(note)))
    }

    fn collectives(&self, report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()> {
        heading(out, &["collective", "algorithm", "messages", "payload", "chosen by"], 2)?;
        for operation in &report.collectives {
            for a in &operation.algorithms {
                row(
                    out,
                    &[
                        escape(operation.collective),
                        escape(a.name),
                        grouped(a.messages),
                        bytes(a.bytes),
                        escape(&a.picked_by.join(", ")),
                    ],
                )?;
            }
        }
        Ok(())
    }

    fn with_site(&self, report: Vec<u8>, defaults: &[SiteDefault]) -> io::Result<Vec<u8>> {
        Ok(super::site::markdown(report, defaults))
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "# {}\n", escape(&sheet.title))?;
        if sheet.tables.is_empty() {
            heading(out, &["", ""], 1)?;
            for (_, name, value) in &sheet.facts {
                row(out, &[escape(name), escape(&value.text())])?;
            }
        }
        for shown in sheet.tables.iter().filter(|shown| shown.has_text()) {
            let headings: Vec<String> = shown.columns.iter().filter_map(|c| c.heading).map(escape).collect();
            heading(out, &headings.iter().map(String::as_str).collect::<Vec<_>>(), 1)?;
            for values in &shown.rows {
                let visible = shown.columns.iter().zip(values).filter(|(c, _)| c.heading.is_some());
                row(out, &visible.map(|(_, v)| escape(&v.text())).collect::<Vec<_>>())?;
            }
            writeln!(out)?;
        }
        sheet.notes.iter().try_for_each(|note| writeln!(out, "\nNote: {}.", escape(note.trim_end_matches('.'))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_names_stays_in_its_cell() {
        assert_eq!(escape("a|b<c>\n*d*"), "a\\|b&lt;c&gt; \\*d\\*");
    }
}
