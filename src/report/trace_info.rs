//! Sheets of the contents of traces.

use super::sheet::{Column, Datum, Rows, Sheet};
use crate::study::steady::FEWEST_ITERATIONS;
use crate::trace::Trace;
use crate::trace::inspect::Info;
use crate::trace::transform::{Iterations, why_no_iterations};

/// Data of the report in addition to those of the trace itself.
#[derive(Debug, Clone)]
pub struct Extras {
    /// Speed of a host in flop/s, to compute how long ranks compute.
    pub host_speed: f64,
    /// Bytes in the compact form, and bytes of that compressed by zstd; `None` for graphs.
    pub compressed: Option<(u64, u64)>,
    /// Iterations, if the ranks repeat their actions.
    pub iterations: Option<Iterations>,
}

fn columns(names: &[(&'static str, &'static str)]) -> Vec<Column> {
    names.iter().map(|&(name, heading)| Column { name, heading: Some(heading) }).collect()
}

/// A row of the totals: name for programs, name for people, value, mean and largest of a rank.
type Total = (&'static str, &'static str, Datum, Option<(f64, f64)>, usize);

/// Returns the sheet of a trace's contents.
pub fn info(trace: &Trace, info: &Info, extras: &Extras) -> Sheet {
    let per_second = 1.0 / extras.host_speed;
    let count = |what: fn(&crate::trace::inspect::RankTotal) -> u64| {
        (Datum::Count(info.sum(what)), Some(info.mean_and_largest(|rank| what(rank) as f64)))
    };
    let ((actions, a), (messages, m), (bytes, b), (calls, c)) =
        (count(|r| r.actions), count(|r| r.messages), count(|r| r.bytes), count(|r| r.collectives));
    let flops = info.mean_and_largest(|rank| rank.flops);
    let seconds = (flops.0 * per_second, flops.1 * per_second);
    let sleep = info.mean_and_largest(|rank| rank.sleep);
    let (compact, packed) = extras.compressed.unzip();
    let memory = match &trace.schedule {
        Some(schedule) => schedule.ranks.iter().map(|graph| graph.bytes() as u64).sum(),
        None => trace.total_actions() * 16,
    };
    let iterations = extras.iterations.as_ref();
    let mut totals: Vec<Total> = vec![
        ("ranks", "ranks", Datum::Count(trace.ranks() as u64), None, 0),
        ("actions", "actions", actions, a, 0),
        ("messages", "messages outside collectives", messages, m, 0),
        ("bytes", "bytes in them", bytes, b, 0),
        ("collective_calls", "calls of collectives", calls, c, 0),
        ("flops", "flops", Datum::Number(info.sum(|rank| rank.flops), 0), Some(flops), 0),
        (
            "compute_seconds",
            "seconds of computation",
            Datum::Number(seconds.0 * trace.ranks() as f64, 6),
            Some(seconds),
            6,
        ),
        ("sleep_seconds", "seconds of sleep", Datum::Number(info.sum(|rank| rank.sleep), 6), Some(sleep), 6),
        ("iterations", "iterations", Datum::count(iterations.map(|found| found.number as u64)), None, 0),
        ("memory_bytes", "bytes in memory", Datum::Count(memory), None, 0),
        ("compact_bytes", "bytes as .mtrace", Datum::count(compact), None, 0),
        ("packed_bytes", "bytes as .mtrace.zst", Datum::count(packed), None, 0),
        ("replay_seconds", "seconds to replay, about", Datum::Number(info.replay_seconds(), 2), None, 0),
    ];
    if let Some(found) = iterations {
        let after = 1 + totals.iter().position(|total| total.0 == "iterations").unwrap_or_default();
        totals.splice(after..after, parts(trace, found));
    }
    let rows = totals
        .iter()
        .map(|(_, name, value, spread, decimals)| {
            let spread = |pick: fn((f64, f64)) -> f64| Datum::number(spread.map(pick), *decimals);
            vec![Datum::Text((*name).to_owned()), value.clone(), spread(|s| s.0), spread(|s| s.1)]
        })
        .collect();
    let kinds = info.calls.iter().map(|(name, call)| {
        let numbers = [call.calls, call.bytes, call.bytes.checked_div(call.calls).unwrap_or(0), call.largest];
        std::iter::once(Datum::Text((*name).to_owned())).chain(numbers.map(Datum::Count)).collect()
    });
    let pairs = info.matrix.iter().map(|&(from, to, volume)| {
        [u64::from(from), u64::from(to), volume.messages, volume.bytes].map(Datum::Count).to_vec()
    });
    Sheet {
        schema: "mopsim.trace-info/1",
        title: trace.name.clone(),
        facts: std::iter::once(("trace", "trace", Datum::Text(trace.name.clone())))
            .chain(totals.iter().map(|(name, heading, value, _, _)| (*name, *heading, value.clone())))
            .chain([
                ("message_sizes", "messages by size", Datum::List(info.sizes.clone())),
                ("warnings", "warnings", Datum::Count(trace.warnings.len() as u64)),
            ])
            .collect(),
        tables: vec![
            Rows {
                name: "totals",
                columns: columns(&[
                    ("what", "totals"),
                    ("total", "total"),
                    ("mean", "mean per rank"),
                    ("largest", "largest rank"),
                ]),
                rows,
            },
            Rows {
                name: "calls",
                columns: columns(&[
                    ("call", "call"),
                    ("calls", "calls"),
                    ("bytes", "bytes"),
                    ("mean_bytes", "mean"),
                    ("largest_bytes", "largest"),
                ]),
                rows: kinds.collect(),
            },
        ],
        detail: Some(Rows {
            name: "pairs",
            columns: columns(&[("from", "from"), ("to", "to"), ("messages", "messages"), ("bytes", "bytes")]),
            rows: pairs.collect(),
        }),
        notes: [
            format!(
                "seconds of computation are those on hosts of {:.3} Gflop/s; how long communication takes depends on the \
                 network: see mopsim replay",
                extras.host_speed / 1e9
            ),
            format!("{BYTES_OF_CALLS}; of a receive, those that it has room for"),
        ]
        .into_iter()
        .chain(too_few(trace, iterations))
        .collect(),
    }
}

/// Definition of the bytes of calls, for notes.
pub(super) const BYTES_OF_CALLS: &str = "bytes of a call are those in its send buffer: of bcast and scatter at the root only, \
                                         of alltoall and scatter those for all ranks";

/// Returns the table of the hosts of a recording, for programs: in text they are a note.
pub fn hosts(rows: Vec<Vec<Datum>>) -> Rows {
    let columns = ["name", "processor", "processors", "ranks"].map(|name| Column { name, heading: None });
    Rows { name: "hosts", columns: columns.to_vec(), rows }
}

/// Returns the row of a host: its name, the name and number of its processors, and the ranks that ran on it.
pub fn host(name: &str, processor: Option<&str>, processors: u32, ranks: u32) -> Vec<Datum> {
    vec![
        Datum::Text(name.to_owned()),
        processor.map_or(Datum::Missing, |processor| Datum::Text(processor.to_owned())),
        Datum::Count(processors.into()),
        Datum::Count(ranks.into()),
    ]
}

/// Returns the actions before, in, and after the iterations.
fn parts(trace: &Trace, found: &Iterations) -> [Total; 3] {
    let ranks = || 0..trace.ranks();
    let total = |of: &dyn Fn(usize) -> usize| {
        let sum: usize = ranks().map(of).sum();
        let largest = ranks().map(of).max().unwrap_or(0);
        (Datum::Count(sum as u64), Some((sum as f64 / trace.ranks().max(1) as f64, largest as f64)))
    };
    let (before, a) = total(&|rank| found.start(rank, 0));
    let (each, b) = total(&|rank| found.actions(rank, 0..1).len());
    let (after, c) = total(&|rank| trace.actions[rank].len() - found.start(rank, found.number));
    [
        ("prologue_actions", "actions before iterations", before, a, 0),
        ("iteration_actions", "actions of iteration 1", each, b, 0),
        ("epilogue_actions", "actions after iterations", after, c, 0),
    ]
}

/// Returns the reason why replays cannot end before the last iteration, if they cannot.
fn too_few(trace: &Trace, found: Option<&Iterations>) -> Option<String> {
    let whole = "--until-steady replays the whole run";
    match found {
        _ if trace.schedule.is_some() => None,
        None => Some(format!("no iterations are found, since {}: {whole}", why_no_iterations(trace))),
        Some(found) if found.number < FEWEST_ITERATIONS => Some(format!("only {} iterations: {whole}", found.number)),
        Some(_) => None,
    }
}
