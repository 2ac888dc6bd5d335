//! Text form of reports on collectives.

use super::number::{bytes, grouped};
use super::wrap::broken;
use crate::survey::collectives::{AlgorithmRow, CollectivesSurvey, Operation, TableChoice};
use std::io::{self, Write};

/// Writes the whole report in 80 columns.
pub(super) fn write(report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()> {
    let (ranks, per_host) = (report.ranks, report.ranks_per_host);
    let setup = if report.smp_setup { ", with the SMP set-up" } else { "" };
    let heading = format!(
        "{} ranks (P), {} on each host, n = {} bytes{setup}. Messages and payload are those of one call on all ranks; * marks \
         what a table chooses.",
        grouped(u64::from(ranks)),
        grouped(u64::from(per_host)),
        grouped(u64::from(report.size_bytes)),
    );
    indented(out, &heading, 0)?;
    report.collectives.iter().try_for_each(|operation| write_operation(operation, out))
}

/// Longest list of tables that fits next to the amounts.
const WIDEST_LIST: usize = 28;

/// Names the tables that pick an algorithm; a list that is too long names the table that does not.
fn picked(row: &AlgorithmRow, choices: &[TableChoice]) -> String {
    let list = row.picked_by.join(" ");
    let mut others =
        choices.iter().map(|choice| choice.table.as_str()).filter(|table| !list.split(' ').any(|name| name == *table));
    match (others.next(), others.next()) {
        _ if list.len() <= WIDEST_LIST => list,
        (None, _) => "all".to_owned(),
        (Some(other), None) => format!("all but {other}"),
        _ => list,
    }
}

fn write_operation(operation: &Operation, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{} (n: size of {})", operation.collective, operation.size_of)?;
    writeln!(out, "  {:<22}{:>14}{:>12}", "algorithm", "messages", "payload")?;
    for row in &operation.algorithms {
        let mark = if row.picked_by.is_empty() { ' ' } else { '*' };
        let picked = picked(row, &operation.choices);
        let line = format!("{mark} {:<22}{:>14}{:>12}  {picked}", row.name, grouped(row.messages), bytes(row.bytes));
        writeln!(out, "{}", line.trim_end())?;
        indented(out, row.summary, 6)?;
    }
    writeln!(out, "  chosen by")?;
    for choice in &operation.choices {
        let rule = choice.rule.as_ref().map_or(String::new(), |rule| format!(" ({rule})"));
        let amounts = format!("; {} messages, {}", grouped(choice.messages), bytes(choice.bytes));
        indented(out, &format!("{}: {}{rule}{amounts}", choice.table, choice.algorithm), 4)?;
        if let Some(note) = choice.note {
            indented(out, &format!("note: {note}"), 6)?;
        }
    }
    if !operation.crossovers.is_empty() {
        writeln!(out, "  crossovers")?;
    }
    let mut table = "";
    for crossover in &operation.crossovers {
        if crossover.table != table {
            table = &crossover.table;
            writeln!(out, "    {table}")?;
        }
        let from = grouped(u64::from(crossover.from_bytes));
        indented(out, &format!("n >= {from:<11} {}", crossover.algorithm), 6)?;
    }
    Ok(())
}

/// Writes a text after `blanks` blanks, broken between words; further lines are indented slightly more.
fn indented(out: &mut dyn Write, text: &str, blanks: usize) -> io::Result<()> {
    writeln!(out, "{:blanks$}{}", "", broken(text, blanks, blanks + 2))
}
