//! The paper on uni-directional networks, figures 5 to 8: MDDP networks, minimal routing against deflection.

use super::{Command, PATTERNS, Results, Run, THREE, holds, table, unless_saturated};
use crate::pages::Page;

const MDDP: [&str; 2] = ["mddp_directed:n=256,d=6,search=0,seed=1", "mddp_directed:n=256,d=8,search=0,seed=1"];
const LOADS: &str = "0.01,0.015,0.018,0.02,0.05,0.1,0.15,0.18,0.2,0.25,0.3,0.35";
const RULES: [&str; 2] = ["amin", "deflection"];

pub const RUN: Run = Run {
    data: "flits-uni-directional",
    patterns: THREE,
    options: &["--hosts-per-switch", "4", "--preset", "uni-directional", "--warmup", "3000", "--measure", "9000"],
    commands: &[
        Command { networks: &MDDP, routings: &RULES, loads: LOADS, options: &["--host-port", "own"] },
        Command { networks: &MDDP, routings: &RULES, loads: LOADS, options: &["--host-port", "shared"] },
    ],
    repeated: true,
};

pub fn put(page: &Page) {
    let all = Results::read(RUN.data);
    page.put("uni statements", &statements(&all));
    page.put("hops", &hops(&all));
    page.put("growth", &growths(&all));
    page.put("carried", &carried(&all));
}

/// Returns the growth of the paths of deflected packets from an accepted traffic of 0.02 to one of 0.2, for degree 6 or 8.
pub fn growth(degree: u32) -> f64 {
    of_degree(&Results::read(RUN.data), usize::from(degree == 8), 0.02)
}

/// Returns the hops of deflected packets at ten times the traffic over those at a load.
fn of_degree(all: &Results, degree: usize, load: f64) -> f64 {
    let hops = |load: f64| all.at(MDDP[degree], "deflection", "uniform", load).hops.expect("packets");
    hops((load * 1e4).round() / 1e3) / hops(load)
}

/// Hops and latency of deflected and minimal packets by load.
fn hops(all: &Results) -> String {
    let mut rows = Vec::new();
    let curve = |degree: usize, rule: &str| all.series(MDDP[degree], rule, "uniform", "own");
    for place in 0..curve(0, "amin").len() {
        let mut row = vec![curve(0, "amin")[place].load.to_string()];
        for degree in 0..2 {
            let [minimal, deflected] = ["amin", "deflection"].map(|rule| curve(degree, rule)[place]);
            row.push(unless_saturated(minimal, minimal.hops, 2));
            row.push(unless_saturated(deflected, deflected.hops, 2));
            row.push(if deflected.saturated { "—".into() } else { deflected.most_hops.to_string() });
            row.push(unless_saturated(minimal, minimal.latency, 0));
            row.push(unless_saturated(deflected, deflected.latency, 0));
        }
        rows.push(row);
    }
    let mut heading = vec!["load"];
    for degree in 0..2 {
        heading.extend(if degree == 0 {
            ["d = 6: hops, minimal", "deflected", "most", "latency, minimal", "deflected"]
        } else {
            ["d = 8: hops, minimal", "deflected", "most", "latency, minimal", "deflected"]
        });
    }
    table(&heading, &format!("| ---: |{}", " ---: |".repeat(10)), rows)
}

/// Growth of deflected paths for ten times the traffic.
fn growths(all: &Results) -> String {
    let rows = [0.01, 0.015, 0.018, 0.02].map(|load| {
        let row = [0, 1].map(|degree| format!("{:.2}", of_degree(all, degree, load)));
        vec![format!("{load} to {}", (load * 1e4).round() / 1e3), row[0].clone(), row[1].clone()]
    });
    table(&["load", "d = 6", "d = 8"], "| --- | ---: | ---: |", rows.into())
}

/// Traffic that is carried, and accepted of an offered load of 1.
fn carried(all: &Results) -> String {
    let mut rows = Vec::new();
    for port in ["own", "shared"] {
        for pattern in PATTERNS {
            for (degree, network) in [(6, MDDP[0]), (8, MDDP[1])] {
                let [minimal, deflected] = ["amin", "deflection"].map(|rule| all.carried(network, rule, pattern, port));
                let number = |value: f64| format!("{value:.3}");
                rows.push(vec![
                    port.to_owned(),
                    pattern.replace('_', " "),
                    degree.to_string(),
                    number(minimal[0]),
                    number(deflected[0]),
                    number(minimal[1]),
                    number(deflected[1]),
                ]);
            }
        }
    }
    let heading = ["host ports", "pattern", "d", "carried, minimal", "deflected", "at 1.0, minimal", "deflected"];
    table(&heading, "| --- | --- | ---: | ---: | ---: | ---: | ---: |", rows)
}

/// Statements of the paper on uni-directional networks.
fn statements(all: &Results) -> String {
    let mut rows = Vec::new();
    let mut row = |statement: &str, found: String, verdict: &str| {
        rows.push(vec![statement.to_owned(), found, verdict.to_owned()]);
    };
    for (degree, d, limit) in [(0, 6, 1.65), (1, 8, 1.25)] {
        let growth = |load| of_degree(all, degree, load);
        row(
            &format!("ten times the traffic lengthens deflected paths by a factor below {limit} (d = {d})"),
            format!(
                "{:.2} from 0.01 to 0.1, {:.2} from 0.018 to 0.18, {:.2} from 0.02 to 0.2",
                growth(0.01),
                growth(0.018),
                growth(0.02)
            ),
            match [0.018, 0.02].map(|load| growth(load) < limit) {
                [_, true] => "true",
                [true, false] => "true up to 0.18",
                [false, false] => "not here",
            },
        );
    }
    let cases: Vec<(&str, &str, &str)> = ["own", "shared"]
        .into_iter()
        .flat_map(|port| PATTERNS.into_iter().flat_map(move |pattern| MDDP.map(|network| (network, pattern, port))))
        .collect();
    for (place, what) in [(0, "carried"), (1, "at an offered load of 1")] {
        let ratios: Vec<f64> = cases
            .iter()
            .map(|&(network, pattern, port)| {
                let of = |rule| all.carried(network, rule, pattern, port)[place];
                of("deflection") / of("amin")
            })
            .collect();
        let more = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        row(
            &format!("deflection accepts about as much as minimal routing, often more ({what})"),
            format!("{least:.2} to {most:.2} times as much, more in {more} of {} cases", ratios.len()),
            holds(least >= 0.8 && more * 2 >= ratios.len()),
        );
    }
    for rule in ["amin", "deflection"] {
        let gain = |port, pattern| {
            let of = |network| all.carried(network, rule, pattern, port)[0];
            of(MDDP[1]) / of(MDDP[0])
        };
        let gains: Vec<f64> =
            ["own", "shared"].into_iter().flat_map(|port| PATTERNS.map(|pattern| gain(port, pattern))).collect();
        let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
        let most = gains.iter().copied().fold(0.0, f64::max);
        let name = if rule == "amin" { "minimal routing" } else { "deflection" };
        row(
            &format!("accepted traffic grows with the degree ({name})"),
            format!("from 6 to 8: {least:.2} to {most:.2} times, depending on pattern and host ports"),
            holds(least > 1.0),
        );
    }
    table(&["statement", "found", "verdict"], "| --- | --- | --- |", rows)
}
