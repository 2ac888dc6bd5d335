//! The paper on DSN-F, figures 8 to 10: 128 switches of degree 4 under three patterns.

use super::{Command, PATTERNS, Point, Results, Run, THREE, holds, table, unless_saturated};
use crate::pages::Page;

const TORUS: &str = "torus:dims=8x16";
const DSN: &str = "dsn:n=128";
const DSNF: &str = "dsnf:n=128,fill=sequential,strict=true";
const DLN: &str = "dln_random:n=128,x=2,y=2,seed=1";
const LOADS: &str = "0.05,0.1,0.15,0.2,0.25,0.3";

pub const RUN: Run = Run {
    data: "flits-dsnf",
    patterns: THREE,
    options: &["--hosts-per-switch", "2", "--preset", "dsnf", "--warmup", "3000", "--measure", "9000"],
    commands: &[
        Command {
            networks: &[TORUS, DSN, DSNF, DLN],
            routings: &["escape", "escape:free"],
            loads: LOADS,
            options: &[],
        },
        Command { networks: &[DSNF], routings: &["dsnf"], loads: LOADS, options: &[] },
    ],
    repeated: true,
};

pub fn put(page: &Page) {
    let all = Results::read(RUN.data);
    page.put("dsnf statements", &statements(&all));
    for pattern in PATTERNS {
        page.put(&pattern.replace('_', " "), &curves(&all, pattern));
    }
}

const NETWORKS: [(&str, &str); 4] = [("torus 8x16", TORUS), ("DSN", DSN), ("DSN-F", DSNF), ("DLN", DLN)];

/// Latency at a load of 0.05, and traffic, of the networks of the paper on DSN-F.
fn curves(all: &Results, pattern: &str) -> String {
    let number = |value: f64| format!("{value:.3}");
    let mut rows = Vec::new();
    let own = [("DSN-F, its own route", DSNF, "dsnf")];
    let adaptive = NETWORKS.map(|(name, network)| (name, network, "escape"));
    for (name, network, rule) in adaptive.into_iter().chain(own) {
        let mut row = vec![name.to_owned()];
        let first = all.at(network, rule, pattern, 0.05);
        row.push(unless_saturated(first, first.hops, 2));
        for load in [0.05, 0.1, 0.15, 0.2] {
            let point = all.at(network, rule, pattern, load);
            row.push(unless_saturated(point, point.latency, 0));
        }
        row.extend(all.carried(network, rule, pattern, "own").map(number));
        row.extend(match rule {
            "escape" => all.carried(network, "escape:free", pattern, "own").map(number),
            _ => ["—".into(), "—".into()],
        });
        rows.push(row);
    }
    let heading = [
        "network",
        "hops",
        "latency at 0.05",
        "0.1",
        "0.15",
        "0.2",
        "carried",
        "at 1.0",
        "carried, `escape:free`",
        "at 1.0",
    ];
    table(&heading, &format!("| --- |{}", " ---: |".repeat(9)), rows)
}

/// Statements of the paper on DSN-F.
fn statements(all: &Results) -> String {
    let mut rows = Vec::new();
    let first = |network, pattern: &str| all.at(network, "escape", pattern, 0.05);
    let latency = |network, pattern: &str| first(network, pattern).latency.expect("carried");
    for (figure, pattern) in (8..).zip(PATTERNS) {
        let ratio = latency(DSNF, pattern) / latency(TORUS, pattern);
        rows.push(vec![
            format!("{figure}, {}", pattern.replace('_', " ")),
            "DSN-F has a lower latency than the torus".to_owned(),
            format!("{:.2} of the latency of the torus at a load of 0.05", ratio),
            holds(ratio < 1.0).to_owned(),
        ]);
    }
    for (figure, pattern) in (8..).zip(PATTERNS) {
        let by = |key: &dyn Fn(&Point) -> f64| {
            let mut order = NETWORKS.to_vec();
            order.sort_by(|a, b| key(first(a.1, pattern)).total_cmp(&key(first(b.1, pattern))));
            order.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" < ")
        };
        let [latencies, distances] =
            [by(&|point| point.latency.expect("carried")), by(&|point| point.hops.expect("packets"))];
        rows.push(vec![
            format!("{figure}, {}", pattern.replace('_', " ")),
            "latencies at low load are in the order of mean distances".to_owned(),
            format!("latency {latencies}; hops {distances}"),
            holds(latencies == distances).to_owned(),
        ]);
    }
    for (figure, pattern) in (8..).zip(PATTERNS) {
        let ratio = |networks: &[(&str, &str)]| {
            let all: Vec<f64> =
                networks.iter().map(|(_, network)| all.carried(network, "escape", pattern, "own")[0]).collect();
            all.iter().copied().fold(0.0, f64::max) / all.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let [with, without] = [ratio(&NETWORKS), ratio(&NETWORKS[..3])];
        rows.push(vec![
            format!("{figure}, {}", pattern.replace('_', " ")),
            "DSN-F, torus, DLN and DSN accept about the same (within 25 %)".to_owned(),
            format!("most carried divided by least carried: {with:.2}, without DLN {without:.2}"),
            match (with <= 1.25, without <= 1.25) {
                (true, _) => "true",
                (false, true) => "true without DLN",
                (false, false) => "not here",
            }
            .to_owned(),
        ]);
    }
    table(&["figure", "statement", "found", "verdict"], "| --- | --- | --- | --- |", rows)
}
