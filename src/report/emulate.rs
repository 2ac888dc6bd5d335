//! Sheets of emulated networks, of their counters, and of measured and predicted times.

use super::sheet::{Column, Datum, Rows, Sheet};
use crate::emulate::build::Removed;
use crate::emulate::compare::{Comparison, Errors, error};
use crate::emulate::counters::Count;
use crate::emulate::{Plan, State};

fn text(text: impl Into<String>) -> Datum {
    Datum::Text(text.into())
}

fn count(count: usize) -> Datum {
    Datum::Count(count as u64)
}

fn column(name: &'static str, heading: &'static str) -> Column {
    Column { name, heading: Some(heading) }
}

/// Returns a column that text omits.
fn hidden(name: &'static str) -> Column {
    Column { name, heading: None }
}

fn per_cent(value: f64) -> Datum {
    Datum::Number(100.0 * value, 1)
}

/// Returns the sheet of a network that was built. `packets` is the load with all cables full, in packets times hops per
/// second.
pub fn up(prefix: &str, state: &State, plan: &Plan, packets: f64) -> Sheet {
    Sheet {
        schema: "mopsim.emulate-up/1",
        title: format!("{} is up as `{prefix}`", state.topology),
        facts: vec![
            ("topology", "topology", text(&state.topology)),
            ("hosts", "hosts", count(state.hosts.len())),
            ("namespaces", "namespaces", count(state.spaces.len())),
            ("cables", "cables", count(plan.cables.len())),
            ("limited_directions", "directions with a rate", count(plan.limits())),
            ("routes", "routes", count(plan.entries())),
            ("rate_bytes_per_second", "rate (bytes/s)", Datum::Number(state.choice.rate, 0)),
            ("packets_per_second", "packets x hops/s, all full", Datum::Number(packets, 0)),
        ],
        tables: Vec::new(),
        detail: Some(Rows {
            name: "host_namespaces",
            columns: vec![column("host", "host"), column("namespace", "namespace")],
            rows: state.hosts.iter().enumerate().map(|(host, space)| vec![count(host), text(space)]).collect(),
        }),
        notes: Vec::new(),
    }
}

/// Returns the sheet of a network that was removed.
pub fn down(prefix: &str, removed: Option<Removed>) -> Sheet {
    let removed_ = removed.unwrap_or(Removed { spaces: 0, processes: 0 });
    Sheet {
        schema: "mopsim.emulate-down/1",
        title: match removed {
            Some(_) => format!("{prefix} is down"),
            None => format!("{prefix}: no network was up"),
        },
        facts: vec![
            ("prefix", "prefix", text(prefix)),
            ("namespaces", "namespaces removed", count(removed_.spaces)),
            ("processes", "processes ended", count(removed_.processes)),
        ],
        tables: Vec::new(),
        detail: None,
        notes: Vec::new(),
    }
}

/// Returns the sheet of a network's counters since the last program began, and of the bytes that a replay predicts, in
/// the same order.
pub fn counters(state: &State, counts: &[Count], predicted: Option<&[u64]>) -> Sheet {
    let bytes = state.bytes_since(counts);
    let mut columns = vec![
        column("link", "link"),
        column("bytes", "bytes"),
        column("drops", "drops"),
        column("bytes_backwards", "bytes backwards"),
    ];
    if predicted.is_some() {
        columns.extend([column("predicted_bytes", "bytes of the replay"), column("ratio", "ratio")]);
    }
    let row = |(index, link): (usize, &crate::emulate::LinkPlace)| {
        let backwards = if link.one_way { Datum::Count(counts[index].backwards) } else { Datum::Missing };
        let mut row = vec![text(&link.link), Datum::Count(bytes[index]), Datum::Count(counts[index].drops), backwards];
        if let Some(predicted) = predicted {
            let ratio = (predicted[index] > 0).then(|| bytes[index] as f64 / predicted[index] as f64);
            row.extend([Datum::Count(predicted[index]), Datum::number(ratio, 3)]);
        }
        row
    };
    let all_bytes: u64 = bytes.iter().sum();
    let mut facts = vec![
        ("topology", "topology", text(&state.topology)),
        ("bytes", "bytes on all links", Datum::Count(all_bytes)),
        ("drops", "packets dropped", Datum::Count(counts.iter().map(|count| count.drops).sum())),
    ];
    if let Some(predicted) = predicted {
        let total: u64 = predicted.iter().sum();
        facts.push(("predicted_bytes", "bytes of the replay", Datum::Count(total)));
        facts.push(("ratio", "ratio", Datum::number((total > 0).then(|| all_bytes as f64 / total as f64), 3)));
    }
    let shown: Vec<String> = facts[1..].iter().map(|(_, name, value)| format!("{name} {}", value.text())).collect();
    let title = format!("Cables of {}", state.topology);
    Sheet {
        schema: "mopsim.emulate-counters/1",
        title,
        facts,
        tables: vec![Rows { name: "links", columns, rows: state.links.iter().enumerate().map(row).collect() }],
        detail: None,
        notes: vec![shown.join(", "), "bytes include headers, framing and acknowledgements".to_owned()],
    }
}

fn errors_row(model: &str, errors: &Errors) -> Vec<Datum> {
    let order = |value| if errors.ordered == 0 { Datum::Missing } else { count(value) };
    vec![
        text(model),
        per_cent(errors.median_time),
        per_cent(errors.worst_time),
        per_cent(errors.bias),
        Datum::number(errors.median_ratio.map(|value| 100.0 * value), 1),
        Datum::number(errors.worst_ratio.map(|value| 100.0 * value), 1),
        order(errors.in_order),
        order(errors.ordered),
    ]
}

/// Conditions of a comparison, as facts of the sheet: name for programs, name for people, value.
pub type Conditions = Vec<(&'static str, &'static str, Datum)>;

/// Returns the sheet of measured and predicted times.
pub fn validate(comparison: &Comparison, conditions: Conditions, mut notes: Vec<String>) -> Sheet {
    let errors = Rows {
        name: "errors",
        columns: vec![
            column("model", "model"),
            column("median_time_error_percent", "times: median error (%)"),
            column("worst_time_error_percent", "worst (%)"),
            column("bias_percent", "bias (%)"),
            column("median_ratio_error_percent", "ratios: median error (%)"),
            column("worst_ratio_error_percent", "worst (%)"),
            column("pairs_in_order", "pairs in order"),
            column("pairs", "of"),
        ],
        rows: comparison.predicted.iter().map(|p| errors_row(&p.model, &comparison.errors(p))).collect(),
    };
    let mut tables = vec![errors];
    if comparison.networks.len() > 1 {
        tables.push(means(comparison));
        tables.push(ratios(comparison));
    }
    tables.push(times(comparison));
    let mut facts = conditions;
    let shown: Vec<String> = facts.iter().map(|(_, name, value)| format!("{name} {}", value.text())).collect();
    notes.insert(0, shown.join(", "));
    if let Some((middle, most)) = comparison.spreads() {
        facts.push(("median_spread_percent", "repetitions differ by, median (%)", per_cent(middle)));
        facts.push(("largest_spread_percent", "at most (%)", per_cent(most)));
        let (middle, most) = (100.0 * middle, 100.0 * most);
        notes.push(format!("repetitions differ by {middle:.1} % (median) and {most:.1} % at most"));
    }
    Sheet {
        schema: "mopsim.emulate-validate/1",
        title: "Measured and predicted times".to_owned(),
        facts,
        tables,
        detail: None,
        notes,
    }
}

fn means(comparison: &Comparison) -> Rows {
    let mut rows = Vec::new();
    for network in 1..comparison.networks.len() {
        for predicted in &comparison.predicted {
            let (theirs, ours) = (comparison.measured_mean(network), comparison.predicted_mean(predicted, network));
            let number = |value| Datum::Number(value, 3);
            rows.push(vec![
                text(&comparison.networks[network]),
                text(&predicted.model),
                number(theirs),
                number(ours),
                per_cent(ours / theirs - 1.0),
            ]);
        }
    }
    Rows {
        name: "means",
        columns: vec![
            column("network", "network, relative to the first"),
            column("model", "model"),
            column("measured", "measured"),
            column("predicted", "predicted"),
            column("error_percent", "error (%)"),
        ],
        rows,
    }
}

/// Returns the times relative to the first network.
fn ratios(comparison: &Comparison) -> Rows {
    let mut rows = Vec::new();
    for (p, n) in comparison.cells().filter(|(_, n)| *n > 0) {
        for predicted in &comparison.predicted {
            let theirs = comparison.seconds(p, n) / comparison.seconds(p, 0);
            let ours = predicted.seconds[p][n] / predicted.seconds[p][0];
            rows.push(vec![
                text(&comparison.programs[p]),
                text(&comparison.networks[n]),
                text(&predicted.model),
                Datum::Number(theirs, 3),
                Datum::Number(ours, 3),
                per_cent(error(ours, theirs)),
            ]);
        }
    }
    Rows {
        name: "ratios",
        columns: vec![
            column("program", "program"),
            column("network", "network"),
            column("model", "model"),
            column("measured", "measured ratio"),
            column("predicted", "predicted"),
            column("error_percent", "error (%)"),
        ],
        rows,
    }
}

fn times(comparison: &Comparison) -> Rows {
    let mut rows = Vec::new();
    for (p, n) in comparison.cells() {
        for predicted in &comparison.predicted {
            let (theirs, ours) = (comparison.seconds(p, n), predicted.seconds[p][n]);
            let (base, our_base) = (comparison.seconds(p, 0), predicted.seconds[p][0]);
            let ratio = |value: f64| if n == 0 { Datum::Missing } else { Datum::Number(value, 3) };
            rows.push(vec![
                text(&comparison.programs[p]),
                text(&comparison.networks[n]),
                text(&predicted.model),
                Datum::Number(theirs, 3),
                per_cent(comparison.spread(p, n)),
                Datum::Number(ours, 3),
                per_cent(ours / theirs - 1.0),
                ratio(theirs / base),
                ratio(ours / our_base),
                if n == 0 { Datum::Missing } else { per_cent(error(ours / our_base, theirs / base)) },
                Datum::Number(comparison.fastest(p, n), 6),
                Datum::Number(comparison.slowest(p, n), 6),
                Datum::number(comparison.overhead[p][n], 3),
            ]);
        }
    }
    Rows {
        name: "times",
        columns: vec![
            column("program", "program"),
            column("network", "network"),
            column("model", "model"),
            column("measured_seconds", "measured (s)"),
            column("spread_percent", "spread (%)"),
            column("predicted_seconds", "predicted (s)"),
            column("error_percent", "error (%)"),
            hidden("measured_ratio"),
            hidden("predicted_ratio"),
            hidden("ratio_error_percent"),
            hidden("fastest_seconds"),
            hidden("slowest_seconds"),
            hidden("bytes_over_predicted"),
        ],
        rows,
    }
}
