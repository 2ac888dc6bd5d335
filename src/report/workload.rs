//! Sheets of workloads, and of differences of traces.

use super::sheet::{Column, Datum, Rows, Sheet};
use super::trace_info::BYTES_OF_CALLS;
use crate::trace::diff::{CallDifference, Difference};
use crate::workload::{Instance, Program, Summary, catalogue};

/// Schema of the sheets of workloads.
pub const SCHEMA: &str = "mopsim.workload/1";

fn columns(names: &[(&'static str, &'static str)]) -> Vec<Column> {
    names.iter().map(|&(name, heading)| Column { name, heading: Some(heading) }).collect()
}

fn text(text: impl ToString) -> Datum {
    Datum::Text(text.to_string())
}

/// Returns the sheet of the built-in programs.
pub fn catalogue() -> Sheet {
    let rows = catalogue::ALL.iter().map(|b| vec![text(b.name), text(b.headline())]).collect();
    Sheet {
        schema: SCHEMA,
        title: "Workloads".to_owned(),
        facts: Vec::new(),
        tables: vec![Rows {
            name: "workloads",
            columns: columns(&[("name", "name"), ("description", "description")]),
            rows,
        }],
        detail: None,
        notes: vec!["`mopsim workload NAME --help` shows more; NAME may be your own .star file".to_owned()],
    }
}

/// Returns the description and the parameters of a program.
pub fn parameters(program: &Program) -> Sheet {
    let mut facts = Vec::new();
    let mut notes = Vec::new();
    for (name, heading, value) in [
        ("legal_ranks", "ranks", &program.ranks),
        ("formula", "operations", &program.formula),
        ("source", "source", &program.source),
    ] {
        if let Some(value) = value {
            facts.push((name, heading, text(value)));
            notes.push(format!("{heading}: {value}"));
        }
    }
    let rows = program
        .parameters
        .iter()
        .map(|p| vec![text(&p.name), text(p.kind.name()), text(p.default_text()), text(p.allowed()), text(&p.help)])
        .collect();
    Sheet {
        schema: SCHEMA,
        title: format!("{}: {}", program.name, program.description.lines().next().unwrap_or_default()),
        facts,
        tables: vec![Rows {
            name: "parameters",
            columns: columns(&[
                ("name", "parameter"),
                ("type", "type"),
                ("default", "default"),
                ("allowed", "allowed"),
                ("help", "what it is"),
            ]),
            rows,
        }],
        detail: None,
        notes,
    }
}

/// Returns the contents of a generated trace.
pub fn summary(instance: &Instance, summary: &Summary) -> Sheet {
    let side = instance.side();
    let collectives = summary.collectives.iter().map(|(kind, calls)| (kind.name(), kind.name(), Datum::Count(*calls)));
    Sheet {
        schema: SCHEMA,
        title: side.title.unwrap_or_else(|| instance.name()),
        facts: [
            ("name", "name", text(instance.name())),
            ("ranks", "ranks", Datum::Count(summary.ranks)),
            ("actions", "actions", Datum::Count(summary.actions)),
            ("messages", "messages", Datum::Count(summary.messages)),
            ("bytes", "bytes in messages", Datum::Count(summary.bytes)),
            ("flops", "flops computed", Datum::Number(summary.flops, 0)),
            ("operations", "operations counted", Datum::number(instance.operations, 0)),
            ("formula", "formula", side.formula.map_or(Datum::Missing, Datum::Text)),
        ]
        .into_iter()
        .chain(collectives)
        .collect(),
        tables: Vec::new(),
        detail: None,
        notes: vec!["collectives are counted in calls of all ranks".to_owned()],
    }
}

/// Returns the differences between two traces.
pub fn difference(difference: &Difference) -> Sheet {
    let calls = difference
        .calls
        .iter()
        .map(|(name, c)| {
            let counts = [c.first, c.second, c.first_bytes, c.second_bytes].map(Datum::Count);
            std::iter::once(text(name)).chain(counts).collect()
        })
        .collect();
    let pairs = difference
        .different_pairs
        .iter()
        .map(|p| {
            let sizes = [p.first.messages, p.second.messages, p.first.bytes, p.second.bytes].map(Datum::Count);
            [u64::from(p.from), u64::from(p.to)].map(Datum::Count).into_iter().chain(sizes).collect()
        })
        .collect();
    let mut notes = Vec::new();
    let mut note = |what: &str, place: &Option<CallDifference>| {
        if let Some(CallDifference { rank, call, first, second }) = place {
            let or_end = |said: &str| if said.is_empty() { "(end)".to_owned() } else { said.to_owned() };
            let (first, second) = (or_end(first), or_end(second));
            notes.push(format!("first different {what}: rank {rank}, number {}: {first} | {second}", call + 1));
        }
    };
    note("collective", &difference.first_collective);
    note("call", &difference.first_order);
    if difference.different_pairs.iter().any(|pair| pair.first == pair.second) {
        notes.push("pairs with equal numbers of messages and bytes differ in the sizes of single messages".to_owned());
    }
    notes.push(BYTES_OF_CALLS.to_owned());
    Sheet {
        schema: "mopsim.trace-diff/1",
        title: if difference.same_communication() { "The traces communicate identically" } else { "The traces differ" }
            .to_owned(),
        facts: vec![
            ("same", "same communication", Datum::Flag(difference.same_communication())),
            ("first_ranks", "ranks, first", Datum::Count(difference.ranks.0 as u64)),
            ("second_ranks", "ranks, second", Datum::Count(difference.ranks.1 as u64)),
            ("first_flops", "flops, first", Datum::Number(difference.flops.0, 0)),
            ("second_flops", "flops, second", Datum::Number(difference.flops.1, 0)),
            ("pairs", "pairs of ranks", Datum::Count(difference.pairs)),
            ("different_pairs", "different pairs", Datum::Count(difference.different_pairs.len() as u64)),
            (
                "ranks_with_different_collectives",
                "ranks with other collectives",
                Datum::Count(difference.different_collectives),
            ),
            ("ranks_with_different_counts", "ranks with other counts", Datum::Count(difference.different_counts)),
            ("ranks_with_different_order", "ranks with another order", Datum::Count(difference.different_order)),
        ],
        tables: vec![
            totals(difference),
            Rows {
                name: "calls",
                columns: columns(&[
                    ("call", "call"),
                    ("first", "first"),
                    ("second", "second"),
                    ("first_bytes", "bytes, first"),
                    ("second_bytes", "bytes, second"),
                ]),
                rows: calls,
            },
        ],
        detail: Some(Rows {
            name: "different_pairs_list",
            columns: columns(&[
                ("from", "from"),
                ("to", "to"),
                ("first_messages", "messages"),
                ("second_messages", "messages"),
                ("first_bytes", "bytes"),
                ("second_bytes", "bytes"),
            ]),
            rows: pairs,
        }),
        notes,
    }
}

/// Returns the sums of both traces, side by side.
fn totals(difference: &Difference) -> Rows {
    let row = |what: &str, first: Datum, second: Datum| vec![text(what), first, second];
    let different = |what: &str, count: u64| row(what, Datum::Count(count), Datum::Missing);
    Rows {
        name: "totals",
        columns: columns(&[("what", "totals"), ("first", "first"), ("second", "second")]),
        rows: vec![
            row("ranks", Datum::Count(difference.ranks.0 as u64), Datum::Count(difference.ranks.1 as u64)),
            row("flops", Datum::Number(difference.flops.0, 0), Datum::Number(difference.flops.1, 0)),
            different("pairs of ranks", difference.pairs),
            different("pairs that differ", difference.different_pairs.len() as u64),
            different("ranks with other collectives", difference.different_collectives),
            different("ranks with other counts", difference.different_counts),
            different("ranks with another order", difference.different_order),
        ],
    }
}
