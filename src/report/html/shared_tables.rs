//! Tables that text, Markdown and HTML share, as the page shows them.
//!
//! Text leaves a name out that repeats in the next row. The page sorts and filters rows, so each row has its name here.

use crate::report::captioned::CaptionedTable;
use crate::report::{cross_check, failures, jobs, routings, tables};
use crate::study::comparison::Comparison;
use serde::Serialize;

/// Table of the page.
#[derive(Serialize)]
pub(super) struct SharedTable {
    title: String,
    headings: Vec<String>,
    rows: Vec<SharedRow>,
    /// Sentences below the table.
    sentences: Vec<String>,
}

/// Row of a table.
#[derive(Serialize)]
struct SharedRow {
    name: String,
    /// `true` if the row before has the same name.
    repeats: bool,
    cells: Vec<String>,
}

fn shown(table: CaptionedTable) -> SharedTable {
    let mut last = String::new();
    let row = |cells: Vec<String>| {
        let mut cells = cells.into_iter();
        let name = cells.next().unwrap_or_default();
        let repeats = name.is_empty();
        if !repeats {
            last = name;
        }
        SharedRow { name: last.clone(), repeats, cells: cells.collect() }
    };
    SharedTable {
        title: table.title,
        headings: table.headings,
        rows: table.rows.into_iter().map(row).collect(),
        sentences: table.sentences,
    }
}

/// Returns all tables of a study, in their order. Their sentences are below them, except for those of the summary.
pub(super) fn all(c: &Comparison) -> Vec<SharedTable> {
    let of_routings = routings::shown(c).into_iter().flat_map(|table| table.sentences);
    let of_summary: Vec<String> = of_routings.chain(failures::summary(c)).chain(cross_check::summary(c)).collect();
    let rest = |mut table: CaptionedTable| {
        table.sentences.retain(|sentence| !of_summary.contains(sentence));
        table
    };
    tables::all(c).into_iter().map(rest).chain(jobs::of_comparison(c)).map(shown).collect()
}
