//! Topologies side by side: a row for each property, a column for each topology.

use super::parts::{fitting, row, table, wrapped};
use crate::report::network_words::letter;
use crate::report::topology as shown;
use crate::survey::Survey;
use std::io::{self, Write};

/// Number of topologies per table; with the names of the properties they fill 80 columns.
const COLUMNS: usize = 4;

/// Blanks below the two ends of a hop, so that a long reason stays in its column.
const REASON: &str = "                       ";

/// Writes the tables, their assumptions, and the routes.
pub(super) fn write(reports: &[Survey], out: &mut dyn Write) -> io::Result<()> {
    // The names, which may be long, are separate from the numbers.
    for (index, r) in reports.iter().enumerate() {
        writeln!(out, "  {}  {}\n     sha256 {}", letter(index), r.topology, r.edge_sha256)?;
    }
    for (chunk, some) in reports.chunks(COLUMNS).enumerate() {
        let letters: Vec<String> = (0..some.len()).map(|index| letter(chunk * COLUMNS + index)).collect();
        let heading: Vec<&str> = std::iter::once("topology").chain(letters.iter().map(String::as_str)).collect();
        let mut table = table(&heading);
        shown::rows(some).iter().for_each(|cells| row(&mut table, cells));
        writeln!(out, "\n{table}")?;
    }
    for text in shown::vertices(reports) {
        writeln!(out)?;
        wrapped(out, &text, "   ")?;
    }
    writeln!(out)?;
    shown::notes(reports).iter().try_for_each(|note| wrapped(out, note, "   "))?;
    for (index, r) in reports.iter().enumerate() {
        if let Some(route) = &r.route {
            writeln!(out)?;
            fitting(out, &route.title(&letter(index)), "   ")?;
            for (from, to, reason) in route.hops() {
                fitting(out, &format!("  {from:>8} -> {to:<8} {reason}"), REASON)?;
            }
        }
    }
    Ok(())
}
