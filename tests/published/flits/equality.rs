//! The paper on Equality, figures 5 to 7: ten patterns at two sizes, and latency at a load of 0.9.

use super::{Command, Results, Run, holds, table, unless_saturated};
use crate::pages::Page;

/// Networks of 1,024 hosts: switches of 16 ports, four of them of hosts; Slim Fly of 20, eight.
const EQUALITY: &str = "equality:n=256,sa=[-1,1,31,67,71,83,169,207,213,227,233],sb=[128]";
const HYPERX: &str = "hyperx:dims=4x4x4x4";
const RANDOM: &str = "random_regular:n=256,d=12,seed=1";
const SLIM_FLY: &str = "slimfly:q=8";

/// Networks of 16,384 hosts, as E361 has: 2,048 switches of 36 ports, eight of them of hosts.
const E361: &str = "equality:n=2048,sa=[-1,1,119,143,149,327,401,559,631,927,1009,1037,1145,1209,1387,1401,1553,1593,1629,1655,1755,1763,\
     1867,1951],sb=[226,758]";
const HYPERX_2048: &str = "hyperx:dims=4x4x8x16";
const RANDOM_2048: &str = "random_regular:n=2048,d=28,seed=1";
/// 2,048 switches of 31 ports, eight of them of hosts.
const DRAGONFLY: &str = "dragonfly:a=16,h=8,g=128";
/// 1,058 switches of 51 ports, 16 of them of hosts.
const SLIM_FLY_1058: &str = "slimfly:q=23";
const TORUS: &str = "torus:dims=8x16x16";
const HYPERCUBE: &str = "hypercube:d=11";

const EQUALITY_RULES: [&str; 3] = ["amin", "ugal-equality", "bgal"];

/// Options of runs that measure accepted traffic only.
const ACCEPTED: [&str; 9] =
    ["--preset", "equality", "--warmup", "500", "--measure", "500", "--mode", "throughput", "--no-saturation"];

pub const PATTERNS: Run = Run {
    data: "flits-equality",
    patterns: "uniform,bit_complement,bit_reversal,transpose,shuffle,bit_rotation,tornado:k=32,m=2,neighbour:k=32,m=2,\
               asymmetric,random_permutation",
    options: &ACCEPTED,
    commands: &[
        at(&[EQUALITY], &EQUALITY_RULES, &["--hosts-per-switch", "4"]),
        at(&[HYPERX], &["amin", "hyperx-ugal"], &["--hosts-per-switch", "4"]),
        at(&[RANDOM], &["amin", "ugal"], &["--hosts-per-switch", "4"]),
    ],
    repeated: true,
};

pub const LATENCIES: Run = Run {
    data: "flits-equality-latency",
    patterns: "uniform",
    options: &["--preset", "equality", "--warmup", "500", "--measure", "500", "--no-saturation"],
    commands: &[
        Command {
            networks: &[EQUALITY, HYPERX, RANDOM],
            routings: &["amin"],
            loads: LOADS,
            options: &["--hosts-per-switch", "4"],
        },
        Command { networks: &[SLIM_FLY], routings: &["amin"], loads: LOADS, options: &["--hosts-per-switch", "8"] },
    ],
    repeated: true,
};

pub const LARGE: Run = Run {
    data: "flits-equality-16384",
    patterns: "uniform,bit_complement,bit_reversal,transpose,shuffle,bit_rotation,tornado:k=128,m=2,neighbour:k=128,m=2,\
               asymmetric,random_permutation",
    options: &ACCEPTED,
    commands: &[
        at(&[E361], &EQUALITY_RULES, &["--hosts-per-switch", "8"]),
        at(&[HYPERX_2048], &["amin", "hyperx-ugal"], &["--hosts-per-switch", "8"]),
        at(&[RANDOM_2048], &["amin", "ugal"], &["--hosts-per-switch", "8"]),
        at(&[DRAGONFLY], &["dragonfly", "dragonfly-ugal"], &["--hosts-per-switch", "8"]),
        at(&[SLIM_FLY_1058], &["amin", "ugal"], &["--hosts-per-switch", "16", "--endpoints", "16384"]),
        at(&[TORUS, HYPERCUBE], &["dimension-order"], &["--hosts-per-switch", "8"]),
    ],
    repeated: false,
};

const LOADS: &str = "0.1,0.5,0.9";

const fn at(
    networks: &'static [&'static str],
    routings: &'static [&'static str],
    options: &'static [&'static str],
) -> Command {
    Command { networks, routings, loads: "0.9", options }
}

/// A network with its name on the page, and its rules with theirs.
type Column = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const EQUALITY_COLUMNS: &[(&str, &str)] = &[("amin", "amin"), ("ugal", "ugal-equality"), ("bgal", "bgal")];
const HYPERX_COLUMNS: &[(&str, &str)] = &[("amin", "amin"), ("ugal", "hyperx-ugal")];
const UGAL_COLUMNS: &[(&str, &str)] = &[("amin", "amin"), ("ugal", "ugal")];

const SMALL_COLUMNS: [Column; 3] =
    [("Equality", EQUALITY, EQUALITY_COLUMNS), ("HyperX", HYPERX, HYPERX_COLUMNS), ("random", RANDOM, UGAL_COLUMNS)];

const LARGE_COLUMNS: [Column; 7] = [
    ("Equality", E361, EQUALITY_COLUMNS),
    ("HyperX", HYPERX_2048, HYPERX_COLUMNS),
    ("random", RANDOM_2048, UGAL_COLUMNS),
    ("Dragonfly", DRAGONFLY, &[("minimal", "dragonfly"), ("ugal", "dragonfly-ugal")]),
    ("Slim Fly", SLIM_FLY_1058, UGAL_COLUMNS),
    ("torus", TORUS, &[("dimension order", "dimension-order")]),
    ("hypercube", HYPERCUBE, &[("dimension order", "dimension-order")]),
];

pub fn put(page: &Page) {
    let (small, latencies) = (Results::read(PATTERNS.data), Results::read(LATENCIES.data));
    let mut rows = against_others(&small, &PATTERNS, &SMALL_COLUMNS);
    rows.push(bit_complement(&small, &SMALL_COLUMNS));
    rows.extend(latency(&latencies));
    page.put("equality statements", &table(&["statement", "found", "verdict"], "| --- | --- | --- |", rows));
    page.put("equality", &patterns(&small, &PATTERNS, &SMALL_COLUMNS));
    let large = Results::read(LARGE.data);
    let mut rows = against_others(&large, &LARGE, &LARGE_COLUMNS);
    rows.push(bit_complement(&large, &LARGE_COLUMNS));
    page.put("equality 16,384 statements", &table(&["statement", "found", "verdict"], "| --- | --- | --- |", rows));
    page.put("equality 16,384", &patterns(&large, &LARGE, &LARGE_COLUMNS));
}

/// Returns the patterns of a run. A comma also separates the parameters of a pattern.
fn patterns_of(run: &Run) -> Vec<String> {
    run.patterns.replace(",m=", ";m=").split(',').map(|pattern| pattern.replace(';', ",")).collect()
}

/// Traffic accepted at an offered load of 0.9 by pattern.
fn patterns(all: &Results, run: &Run, columns: &[Column]) -> String {
    let mut heading = vec!["pattern".to_owned()];
    for (name, _, rules) in columns {
        let of_rule = |(place, (rule, _)): (usize, &(&str, &str))| match place {
            0 => format!("{name}: {rule}"),
            _ => (*rule).to_owned(),
        };
        heading.extend(rules.iter().enumerate().map(of_rule));
    }
    let rows = patterns_of(run).into_iter().map(|pattern| {
        let mut row = vec![pattern.split(':').next().unwrap_or(&pattern).replace('_', " ")];
        let cells = columns.iter().flat_map(|(_, network, rules)| rules.iter().map(move |(_, rule)| (network, rule)));
        row.extend(cells.map(|(network, rule)| format!("{:.3}", accepted(all, network, rule, &pattern))));
        row
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    table(&heading, &format!("| --- |{}", " ---: |".repeat(heading.len() - 1)), rows)
}

/// Returns the accepted traffic at a load of 0.9. A pattern is reported with its parameters in their own form.
fn accepted(all: &Results, network: &str, rule: &str, pattern: &str) -> f64 {
    let name = |text: &str| text.split(':').next().unwrap_or(text).to_owned();
    let own = |point: &&super::Point| {
        point.topology == network && point.routing == rule && name(&point.pattern) == name(pattern)
    };
    let found: Vec<&super::Point> = all.0.iter().filter(own).collect();
    let [point] = found[..] else { panic!("{network} {rule} {pattern}: {} points", found.len()) };
    point.accepted
}

/// Returns the accepted traffic of a network by the best of its rules.
fn best(all: &Results, (_, network, rules): &Column, pattern: &str) -> f64 {
    rules.iter().map(|(_, rule)| accepted(all, network, rule, pattern)).fold(0.0, f64::max)
}

/// Compares Equality, the first column, with each of the other networks.
fn against_others(all: &Results, run: &Run, columns: &[Column]) -> Vec<Vec<String>> {
    let patterns = patterns_of(run);
    let row = |other: &Column| {
        // A difference below 1 % is within the noise of a run.
        let ratios: Vec<f64> =
            patterns.iter().map(|pattern| best(all, &columns[0], pattern) / best(all, other, pattern)).collect();
        let count = |of: &dyn Fn(f64) -> bool| ratios.iter().filter(|&&ratio| of(ratio)).count();
        let [better, equal] = [count(&|ratio| ratio > 1.01), count(&|ratio| (0.99..=1.01).contains(&ratio))];
        vec![
            format!(
                "with the best rule of each network, Equality beats another network in almost all patterns ({})",
                other.0
            ),
            format!("better in {better} of {}, the same within 1 % in {equal}", ratios.len()),
            holds(better + 2 >= ratios.len()).to_owned(),
        ]
    };
    columns[1..].iter().map(row).collect()
}

/// Compares bit complement under UGAL on Equality and on the HyperX, a flattened butterfly; columns 0 and 1.
fn bit_complement(all: &Results, columns: &[Column]) -> Vec<String> {
    let [ours, fly] = [(columns[0].1, "ugal-equality"), (columns[1].1, "hyperx-ugal")]
        .map(|(network, rule)| accepted(all, network, rule, "bit_complement"));
    vec![
        "under ugal, Equality accepts about as much bit-complement traffic as FlatFly (HyperX)".to_owned(),
        format!("{ours:.3}; HyperX {fly:.3}"),
        if ours > 1.1 * fly { "more here" } else { holds(ours >= 0.9 * fly) }.to_owned(),
    ]
}

fn latency(latencies: &Results) -> Vec<Vec<String>> {
    let row = |(name, network, wanted)| {
        let point = latencies.at(network, "amin", "uniform", 0.9);
        let fast = point.latency.is_some_and(|latency| latency < 50.0);
        let cycles = unless_saturated(point, point.latency, 1);
        vec![
            format!("{name} 0.9 (uniform, amin) with a mean latency below 50 cycles"),
            if point.saturated { cycles } else { format!("{cycles} cycles") },
            holds(fast == wanted).to_owned(),
        ]
    };
    [("Equality carries", EQUALITY, true), ("Slim Fly does not carry", SLIM_FLY, false)].map(row).into()
}
