//! Tables and paragraphs of the Markdown format.

use super::captioned::CaptionedTable;
use super::{basis, findings};
use crate::printable::printable;
use crate::study::choice::ModelDescription;
use crate::study::network::NetworkInfo;
use std::io::{self, Write};

/// Escapes a text for a cell of a Markdown table.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Writes a heading and its line; the first `text_columns` columns are text, the others numbers. Cells are already
/// escaped.
pub(super) fn heading(out: &mut dyn Write, cells: &[&str], text_columns: usize) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))?;
    let rule = |i: usize| if i < text_columns { "---" } else { "---:" };
    writeln!(out, "| {} |", (0..cells.len()).map(rule).collect::<Vec<_>>().join(" | "))
}

pub(super) fn row(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

pub(super) fn model(
    out: &mut dyn Write,
    m: &ModelDescription,
    mapping: &str,
    (networks, names): (&[NetworkInfo], &[String]),
    notes: &[String],
) -> io::Result<()> {
    let onoff = |on: bool| if on { "on" } else { "off" };
    let constants: String = m.parameters.iter().map(|(name, value)| format!(", {name} {value}")).collect();
    let overridden: String = m.collective.iter().map(|(kind, a)| format!(", {kind} always by {a}")).collect();
    writeln!(
        out,
        "\nModel: network {}, {} sharing, collectives {}{}, cross-traffic {}, SMP set-up {}{}, mapping {}{}.",
        m.network_model,
        m.sharing,
        m.collectives,
        escape(&overridden),
        onoff(m.crosstraffic),
        onoff(m.smp_setup),
        escape(&constants),
        escape(mapping),
        basis::coarse_times(m).map(|text| format!(", {text}")).unwrap_or_default()
    )?;
    for text in basis::sentences(m).into_iter().chain(findings::platforms(networks, names)) {
        writeln!(out, "\n{}", escape(&text))?;
    }
    notes.iter().try_for_each(|note| writeln!(out, "\nNote: {}.", escape(note)))
}

/// Writes the tables of jobs that run together.
pub(super) fn jobs(out: &mut dyn Write, tables: &[CaptionedTable]) -> io::Result<()> {
    tables.iter().try_for_each(|shown| captioned(out, shown))
}

/// Writes a table with its title and its sentences; of a table without rows only these.
pub(super) fn captioned(out: &mut dyn Write, shown: &CaptionedTable) -> io::Result<()> {
    writeln!(out, "\n{}.", escape(&shown.title))?;
    if !shown.rows.is_empty() {
        writeln!(out)?;
        let headings: Vec<String> = shown.headings.iter().map(|text| escape(text)).collect();
        heading(out, &headings.iter().map(String::as_str).collect::<Vec<_>>(), 1)?;
        for cells in &shown.rows {
            row(out, &cells.iter().map(|text| escape(text)).collect::<Vec<_>>())?;
        }
    }
    shown.sentences.iter().try_for_each(|sentence| writeln!(out, "\n{}", escape(sentence)))
}
