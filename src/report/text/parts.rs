//! Tables and paragraphs of the text format.

use crate::report::captioned::CaptionedTable;
use crate::report::wrap::{broken, width};
use crate::report::{basis, findings};
use crate::study::choice::ModelDescription;
use crate::study::network::NetworkInfo;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::io::{self, Write};

/// Creates a table; long names in its cells are broken if it would become too wide.
pub(in crate::report) fn table(heading: &[&str]) -> Table {
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

pub(in crate::report) fn row(table: &mut Table, cells: &[String]) {
    table.add_row(cells.iter().enumerate().map(|(i, text)| cell(i, text)));
}

/// Characters that a column needs around its cells: blanks, and the border or the blank between columns.
const AROUND: usize = 3;

/// Returns the least width of a cell. A number broken over two lines would be read as two, so that numbers stay on one line; texts
/// break between words.
fn least(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit() || "+-\u{2212}".contains(c)) {
        return text.chars().count();
    }
    text.split(' ').map(|word| word.chars().count()).max().unwrap_or(0)
}

/// Writes a table. If its columns do not fit the width of the text, further tables follow with the others, and with the columns that
/// name a row: the first, and the second if the first is blank in some row, which then continues the row above.
pub(in crate::report) fn grid(out: &mut dyn Write, headings: &[&str], rows: &[Vec<String>]) -> io::Result<()> {
    let needed = |column: usize| {
        let cells = rows.iter().filter_map(|cells| cells.get(column)).map(|text| least(text));
        cells.fold(least(headings[column]), usize::max) + AROUND
    };
    let keys =
        if headings.len() > 2 && rows.iter().any(|cells| cells.first().is_some_and(String::is_empty)) { 2 } else { 1 };
    let named = needed(0).min(width() / 2) + (1..keys).map(needed).sum::<usize>();
    let mut column = keys;
    loop {
        let from = column;
        let mut room = width().saturating_sub(named + 1);
        while column < headings.len() && (column == from || needed(column) <= room) {
            room = room.saturating_sub(needed(column));
            column += 1;
        }
        let shown: Vec<usize> = (0..keys).chain(from..column).collect();
        let mut lines = table(&shown.iter().map(|&at| headings[at]).collect::<Vec<_>>());
        for cells in rows {
            let cells: Vec<String> = shown.iter().map(|&at| cells.get(at).cloned().unwrap_or_default()).collect();
            row(&mut lines, &cells);
        }
        for (&at, column) in shown.iter().zip(lines.column_iter_mut()).skip(1) {
            let least = (needed(at) - 1).min(usize::from(u16::MAX)) as u16;
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        writeln!(out, "{lines}")?;
        if column >= headings.len() {
            return Ok(());
        }
        writeln!(out)?;
    }
}

/// Writes a table that has a title; of a table without rows only the title.
pub(in crate::report) fn captioned(out: &mut dyn Write, shown: &CaptionedTable) -> io::Result<()> {
    fitting(out, &shown.title, "")?;
    if shown.rows.is_empty() {
        return Ok(());
    }
    grid(out, &shown.headings.iter().map(String::as_str).collect::<Vec<_>>(), &shown.rows)
}

/// Describes the model, and the speeds of the networks.
pub(in crate::report) fn model(
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
    let precision = basis::coarse_times(model).map(|text| format!(", {text}")).unwrap_or_default();
    let second = format!("SMP set-up {}, mapping {mapping}{precision}.", onoff(model.smp_setup));
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
    basis::sentences(model).iter().try_for_each(|text| wrapped(out, text, indent))?;
    findings::platforms(networks, names).iter().try_for_each(|text| wrapped(out, text, indent))
}

pub(in crate::report) fn notes(out: &mut dyn Write, notes: &[String]) -> io::Result<()> {
    notes.iter().try_for_each(|note| wrapped(out, &format!("Note: {note}."), "      "))
}

/// Writes the tables of jobs that run together.
pub(in crate::report) fn jobs(out: &mut dyn Write, tables: &[CaptionedTable]) -> io::Result<()> {
    for shown in tables {
        writeln!(out)?;
        captioned(out, shown)?;
        shown.sentences.iter().try_for_each(|sentence| wrapped(out, sentence, ""))?;
    }
    Ok(())
}

/// Writes a line unchanged if it fits, otherwise broken between words.
pub(in crate::report) fn fitting(out: &mut dyn Write, text: &str, indent: &str) -> io::Result<()> {
    if text.chars().count() <= width() { writeln!(out, "{text}") } else { wrapped(out, text, indent) }
}

/// Writes a text broken between words into lines; all lines but the first begin with `indent`, which consists of
/// blanks.
pub(in crate::report) fn wrapped(out: &mut dyn Write, text: &str, indent: &str) -> io::Result<()> {
    let words = text.trim_start();
    let column = text.len() - words.len();
    writeln!(out, "{}{}", &text[..column], broken(words, column, indent.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_table_names_its_rows() {
        let headings = ["job", "network", "a", "b", "c"];
        let cells = |job: &'static str, network: &'static str| {
            [job, network, "1,234,567,890,123,456", "2", "3,234,567,890,123,456,789,012,345,678"].map(str::to_owned)
        };
        let rows = [cells("lu", "A").to_vec(), cells("", "B").to_vec()];
        let mut out = Vec::new();
        grid(&mut out, &headings, &rows).unwrap();
        let text = String::from_utf8(out).unwrap();
        let parts: Vec<&str> = text.split("\n\n").collect();
        assert_eq!(parts.len(), 2, "{text}");
        for part in parts {
            let row = part.lines().find(|line| line.contains(" B ")).expect(part);
            assert!(part.contains("lu") && !row.contains("lu"), "{part}");
        }
    }

    #[test]
    fn a_long_title_is_broken() {
        let title = "Failures [block, ordered]: time without 5% of cables over time on the intact network, 3 seeds";
        let shown = CaptionedTable {
            title: title.to_owned(),
            headings: vec!["workload".to_owned(), "A".to_owned()],
            rows: vec![vec!["lu".to_owned(), "1.0".to_owned()]],
            sentences: Vec::new(),
        };
        let mut out = Vec::new();
        captioned(&mut out, &shown).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width()), "{text}");
        assert!(text.replace('\n', " ").starts_with(title), "{text}");
    }

    #[test]
    fn columns_that_do_not_fit_follow_in_a_further_table() {
        let headings: Vec<String> = (0..12).map(|column| format!("heading {column}")).collect();
        let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
        let row = |name: &str| -> Vec<String> {
            std::iter::once(name.to_owned()).chain((1..12).map(|column| format!("1,234,567.{column:02}"))).collect()
        };
        let rows = [row("first"), row("second")];
        let mut out = Vec::new();
        grid(&mut out, &headings, &rows).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width()), "{text}");
        for cell in rows.iter().flatten() {
            assert!(text.contains(cell.as_str()), "{cell} is broken:\n{text}");
        }
        // The key of a row is in each part.
        assert_eq!(text.matches("second").count(), text.matches("\n\n").count() + 1);
    }
}
