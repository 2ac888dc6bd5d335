//! Problems of a trace, as a sheet and as lines.

use super::sheet::{Column, Datum, Rows, Sheet};
use crate::report::wrap::broken;
use crate::trace::Trace;
use crate::trace::inspect::{Finding, Severity};
use std::io::{self, Write};

/// Returns the number of findings of a severity.
fn count(findings: &[Finding], severity: Severity) -> u64 {
    findings.iter().filter(|f| f.severity == severity).count() as u64
}

/// Returns the place of a finding: `t.ti:17`, or the number of the action.
fn place(trace: &Trace, finding: &Finding) -> Option<String> {
    let (rank, action) = (finding.rank?, finding.action?);
    Some(match trace.locate(rank as usize, action) {
        Some(line) => format!("{}:{}", line.file.display(), line.line),
        None => format!("action {}", action + 1),
    })
}

/// Returns the findings as a sheet, for programs.
pub fn sheet(trace: &Trace, findings: &[Finding]) -> Sheet {
    let rows = findings
        .iter()
        .map(|f| {
            vec![
                Datum::Text(f.severity.name().to_owned()),
                Datum::Text(f.kind.to_owned()),
                Datum::Count(f.count),
                Datum::count(f.rank.map(u64::from)),
                Datum::count(f.action.map(|action| action as u64)),
                place(trace, f).map_or(Datum::Missing, Datum::Text),
                Datum::Text(f.text.clone()),
            ]
        })
        .collect();
    let columns = ["severity", "kind", "count", "rank", "action", "place", "text"];
    Sheet {
        schema: "mopsim.trace-check/1",
        title: verdict(trace, findings),
        facts: vec![
            ("trace", "trace", Datum::Text(trace.name.clone())),
            ("errors", "errors", Datum::Count(count(findings, Severity::Error))),
            ("warnings", "warnings", Datum::Count(count(findings, Severity::Warning))),
            ("notes", "notes", Datum::Count(count(findings, Severity::Note))),
        ],
        tables: vec![Rows {
            name: "findings",
            columns: columns.map(|name| Column { name, heading: Some(name) }).to_vec(),
            rows,
        }],
        detail: None,
        notes: Vec::new(),
    }
}

fn verdict(trace: &Trace, findings: &[Finding]) -> String {
    let (ranks, actions) = (trace.ranks(), super::number::grouped(trace.total_actions()));
    let said = match (count(findings, Severity::Error), count(findings, Severity::Warning)) {
        (0, 0) => "no errors found".to_owned(),
        (0, 1) => "it can be replayed; there is 1 warning".to_owned(),
        (0, warnings) => format!("it can be replayed; there are {warnings} warnings"),
        (1, _) => "there is 1 kind of error".to_owned(),
        (errors, _) => format!("there are {errors} kinds of errors"),
    };
    format!("{}, {ranks} ranks, {actions} actions: {said}", trace.name)
}

/// Writes the findings for people: sentences are too long for a table of 80 columns.
///
/// # Errors
/// If writing to `out` fails.
pub fn text(trace: &Trace, findings: &[Finding], out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", verdict(trace, findings))?;
    for finding in findings {
        let times = if finding.count == 1 { String::new() } else { format!(", {} of them", finding.count) };
        let kind = match finding.kind {
            "noted" => "about the trace".to_owned(),
            kind => kind.replace('-', " "),
        };
        writeln!(out, "\n{}: {kind}{times}", finding.severity.name())?;
        if let (Some(rank), Some(place)) = (finding.rank, place(trace, finding)) {
            let first = if finding.count == 1 { "at" } else { "first at" };
            writeln!(out, "  {first} rank {rank}, {place}")?;
        }
        writeln!(out, "  {}", broken(&finding.text, 2, 2))?;
    }
    Ok(())
}
