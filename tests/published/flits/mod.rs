//! The page on flits: figures of papers that simulate packets, with `mopsim packets`. The results are kept in
//! `docs/published/data/flits-*.csv`; a part of the runs is repeated in every test, all of them in the ignored one.

use super::pages::{self, Page};
use super::studies::data;
use serde_json::Value;
use std::process::Command;

/// Runs of a paper: the patterns and options that all have, and those of each command.
struct Run {
    data: &'static str,
    patterns: &'static str,
    options: &'static [&'static str],
    commands: &'static [&'static [&'static str]],
}

const MDDP: [&str; 2] = ["mddp_directed:n=256,d=6,search=0,seed=1", "mddp_directed:n=256,d=8,search=0,seed=1"];
const TORUS: &str = "torus:dims=8x16";
const DSN: &str = "dsn:n=128";
const DSNF: &str = "dsnf:n=128,fill=sequential,strict=true";
const DLN: &str = "dln_random:n=128,x=2,y=2,seed=1";
const PATTERNS: [&str; 3] = ["uniform", "transpose", "bit_reversal"];
const THREE: &str = "uniform,transpose,bit_reversal";
const UNI_LOADS: &str = "0.01,0.015,0.018,0.02,0.05,0.1,0.15,0.18,0.2,0.25,0.3,0.35";
const DSNF_LOADS: &str = "0.05,0.1,0.15,0.2,0.25,0.3";

/// Networks of 1,024 hosts for the paper on Equality: switches of 16 ports, four of them of hosts; Slim Fly of 20, eight.
const EQUALITY: &str = "equality:n=256,sa=[-1,1,31,67,71,83,169,207,213,227,233],sb=[128]";
const HYPERX: &str = "hyperx:dims=4x4x4x4";
const RANDOM: &str = "random_regular:n=256,d=12,seed=1";
const SLIM_FLY: &str = "slimfly:q=8";

#[rustfmt::skip]
const RUNS: [Run; 4] = [
    Run {
        data: "flits-uni-directional",
        patterns: THREE,
        options: &["--hosts-per-switch", "4", "--preset", "uni-directional", "--warmup", "3000", "--measure", "9000"],
        commands: &[
            &[MDDP[0], MDDP[1], "--routing", "amin", "--routing", "deflection", "--load", UNI_LOADS, "--host-port", "own"],
            &[MDDP[0], MDDP[1], "--routing", "amin", "--routing", "deflection", "--load", UNI_LOADS, "--host-port", "shared"],
        ],
    },
    Run {
        data: "flits-dsnf",
        patterns: THREE,
        options: &["--hosts-per-switch", "2", "--preset", "dsnf", "--warmup", "3000", "--measure", "9000"],
        commands: &[
            &[TORUS, DSN, DSNF, DLN, "--routing", "escape", "--routing", "escape:free", "--load", DSNF_LOADS],
            &[DSNF, "--routing", "dsnf", "--load", DSNF_LOADS],
        ],
    },
    Run {
        data: "flits-equality",
        patterns: "uniform,bit_complement,bit_reversal,transpose,shuffle,bit_rotation,tornado:k=32,m=2,neighbour:k=32,m=2,asymmetric,random_permutation",
        options: &["--hosts-per-switch", "4", "--preset", "equality", "--warmup", "500", "--measure", "500", "--mode", "throughput", "--no-saturation"],
        commands: &[
            &[EQUALITY, "--routing", "amin", "--routing", "ugal-equality", "--routing", "bgal", "--load", "0.9"],
            &[HYPERX, "--routing", "amin", "--routing", "hyperx-ugal", "--load", "0.9"],
            &[RANDOM, "--routing", "amin", "--routing", "ugal", "--load", "0.9"],
        ],
    },
    Run {
        data: "flits-equality-latency",
        patterns: "uniform",
        options: &["--preset", "equality", "--warmup", "500", "--measure", "500", "--no-saturation"],
        commands: &[
            &[EQUALITY, HYPERX, RANDOM, "--routing", "amin", "--load", "0.1,0.5,0.9", "--hosts-per-switch", "4"],
            &[SLIM_FLY, "--routing", "amin", "--load", "0.1,0.5,0.9", "--hosts-per-switch", "8"],
        ],
    },
];

/// Point of a curve, with the saturation of its series.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
struct Point {
    topology: String,
    routing: String,
    pattern: String,
    host_port: String,
    saturation: Option<f64>,
    at_full_load: Option<f64>,
    load: f64,
    accepted: f64,
    latency: Option<f64>,
    hops: Option<f64>,
    most_hops: u32,
    deflections: Option<f64>,
    saturated: bool,
}

/// Runs `mopsim packets`, and returns all points.
fn packets(arguments: &[&str]) -> Vec<Point> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
    let output = command.arg("packets").args(arguments).args(["--quiet", "--format", "json"]).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let point = |point: &Value| {
        let series = &json["series"][point["series"].as_u64().expect("a number") as usize - 1];
        let text = |name: &str| point[name].as_str().expect("a text").to_owned();
        Point {
            topology: text("topology"),
            routing: text("routing"),
            pattern: text("pattern"),
            host_port: json["host_port"].as_str().expect("a text").to_owned(),
            saturation: series["saturation"].as_f64(),
            at_full_load: series["accepted_at_full_load"].as_f64(),
            load: point["load"].as_f64().expect("a load"),
            accepted: point["accepted"].as_f64().expect("a number"),
            latency: point["latency_mean"].as_f64(),
            hops: point["hops_mean"].as_f64(),
            most_hops: point["hops_max"].as_u64().expect("a number") as u32,
            deflections: point["deflections_mean"].as_f64(),
            saturated: point["saturated"].as_bool().expect("a truth"),
        }
    };
    json["points"].as_array().expect("points").iter().map(point).collect()
}

/// Results that are kept.
pub struct Results(Vec<Point>);

impl Results {
    fn read(name: &str) -> Self {
        let mut reader = csv::Reader::from_path(data(name)).expect("results");
        Self(reader.deserialize().map(|line| line.expect("a line")).collect())
    }

    /// Returns the points of a series.
    fn series(&self, topology: &str, routing: &str, pattern: &str, port: &str) -> Vec<&Point> {
        let own = |point: &&Point| {
            (&*point.topology, &*point.routing, &*point.pattern, &*point.host_port)
                == (topology, routing, pattern, port)
        };
        let found: Vec<&Point> = self.0.iter().filter(own).collect();
        assert!(!found.is_empty(), "{topology} {routing} {pattern} {port}");
        found
    }

    /// Returns the highest load that a network carries, and what it accepts of an offered load of 1.
    fn carried(&self, topology: &str, routing: &str, pattern: &str, port: &str) -> [f64; 2] {
        let first = self.series(topology, routing, pattern, port)[0];
        [first.saturation.expect("a load that is carried"), first.at_full_load.expect("a run at full load")]
    }

    fn at(&self, topology: &str, routing: &str, pattern: &str, load: f64) -> &Point {
        let series = self.series(topology, routing, pattern, "own");
        series.into_iter().find(|point| point.load == load).expect("a point at this load")
    }

    /// Returns the hops of deflected packets at ten times the traffic over those at a load.
    fn growth(&self, degree: usize, load: f64) -> f64 {
        let hops = |load: f64| self.at(MDDP[degree], "deflection", "uniform", load).hops.expect("packets");
        hops((load * 1e4).round() / 1e3) / hops(load)
    }
}

/// Returns the growth of the paths of deflected packets from an accepted traffic of 0.02 to one of 0.2, for degree 6 or 8.
pub fn growth(degree: u32) -> f64 {
    Results::read(RUNS[0].data).growth(usize::from(degree == 8), 0.02)
}

fn holds(holds: bool) -> &'static str {
    if holds { "true" } else { "not here" }
}

fn table(heading: &[&str], align: &str, rows: Vec<Vec<String>>) -> String {
    let mut lines = vec![format!("| {} |", heading.join(" | ")), align.to_owned()];
    lines.extend(rows.into_iter().map(|row| format!("| {} |", row.join(" | "))));
    lines.join("\n")
}

/// Formats a value of a run that is not saturated.
fn unless_saturated(point: &Point, value: Option<f64>, decimals: usize) -> String {
    match (point.saturated, value) {
        (false, Some(value)) => format!("{value:.decimals$}"),
        _ => "saturated".to_owned(),
    }
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
        let row = [0, 1].map(|degree| format!("{:.2}", all.growth(degree, load)));
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
fn uni_statements(all: &Results) -> String {
    let mut rows = Vec::new();
    let mut row = |statement: &str, found: String, verdict: &str| {
        rows.push(vec![statement.to_owned(), found, verdict.to_owned()]);
    };
    for (degree, d, limit) in [(0, 6, 1.65), (1, 8, 1.25)] {
        let growth = |load| all.growth(degree, load);
        row(
            &format!("ten times the traffic lengthens deflected paths by less than {limit} (d = {d})"),
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
            format!("{least:.2} to {most:.2} of it, more in {more} of {} cases", ratios.len()),
            holds(least >= 0.8 && more * 2 >= ratios.len()),
        );
    }
    for rule in ["amin", "deflection"] {
        let gains: Vec<f64> = PATTERNS
            .iter()
            .map(|pattern| {
                let of = |network| all.carried(network, rule, pattern, "own")[0];
                of(MDDP[1]) / of(MDDP[0])
            })
            .collect();
        let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
        let most = gains.iter().copied().fold(0.0, f64::max);
        let name = if rule == "amin" { "minimal routing" } else { "deflection" };
        row(
            &format!("accepted traffic grows with the degree ({name})"),
            format!("from 6 to 8: {least:.2} to {most:.2} times, by pattern"),
            holds(least > 1.0),
        );
    }
    table(&["statement", "found", ""], "| --- | --- | --- |", rows)
}

const NETWORKS: [(&str, &str); 4] = [("torus 8x16", TORUS), ("DSN", DSN), ("DSN-F", DSNF), ("DLN", DLN)];

/// Latency at a load of 0.05, and traffic, of the networks of the paper on DSN-F.
fn dsnf_curves(all: &Results, pattern: &str) -> String {
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
fn dsnf_statements(all: &Results) -> String {
    let mut rows = Vec::new();
    let first = |network, pattern: &str| all.at(network, "escape", pattern, 0.05);
    let latency = |network, pattern: &str| first(network, pattern).latency.expect("carried");
    for (figure, pattern) in (8..).zip(PATTERNS) {
        let ratio = latency(DSNF, pattern) / latency(TORUS, pattern);
        rows.push(vec![
            format!("{figure}, {}", pattern.replace('_', " ")),
            "DSN-F has a lower latency than the torus".to_owned(),
            format!("{:.2} of it at a load of 0.05", ratio),
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
            format!("most over least carried: {with:.2}, without DLN {without:.2}"),
            match (with <= 1.25, without <= 1.25) {
                (true, _) => "true",
                (false, true) => "true without DLN",
                (false, false) => "not here",
            }
            .to_owned(),
        ]);
    }
    table(&["figure", "statement", "found", ""], "| --- | --- | --- | --- |", rows)
}

/// Traffic accepted at an offered load of 0.9 by pattern, for networks and rules of the paper on Equality.
fn equality_patterns(all: &Results) -> String {
    let rows = RUNS[2].patterns.replace(",m=", ";m=");
    let rows = rows.split(',').map(|pattern| {
        let pattern = pattern.replace(';', ",");
        let accepted = |network, rule| format!("{:.3}", of_pattern(all, network, rule, &pattern));
        let name = pattern.split(':').next().unwrap_or(&pattern).replace('_', " ");
        let cells = COLUMNS.map(|(network, rule)| accepted(network, rule));
        [vec![name], cells.to_vec()].concat()
    });
    let heading = ["pattern", "Equality: amin", "ugal", "bgal", "HyperX: amin", "ugal", "random: amin", "ugal"];
    table(&heading, &format!("| --- |{}", " ---: |".repeat(7)), rows.collect())
}

/// Networks and rules of the columns.
const COLUMNS: [(&str, &str); 7] = [
    (EQUALITY, "amin"),
    (EQUALITY, "ugal-equality"),
    (EQUALITY, "bgal"),
    (HYPERX, "amin"),
    (HYPERX, "hyperx-ugal"),
    (RANDOM, "amin"),
    (RANDOM, "ugal"),
];

/// Returns the accepted traffic at a load of 0.9. A pattern is reported with its parameters in their own form.
fn of_pattern(all: &Results, network: &str, rule: &str, pattern: &str) -> f64 {
    let own = |point: &&Point| {
        point.topology == network && point.routing == rule && {
            let name = |text: &str| text.split(':').next().unwrap_or(text).to_owned();
            name(&point.pattern) == name(pattern)
        }
    };
    let found: Vec<&Point> = all.0.iter().filter(own).collect();
    let [point] = found[..] else { panic!("{network} {rule} {pattern}: {} points", found.len()) };
    point.accepted
}

/// Statements of the paper on Equality.
fn equality_statements(all: &Results, latencies: &Results) -> String {
    let patterns = RUNS[2].patterns.replace(",m=", ";m=");
    let patterns: Vec<String> = patterns.split(',').map(|pattern| pattern.replace(';', ",")).collect();
    let best = |network: &str, pattern: &str| {
        let rules = COLUMNS.iter().filter(|column| column.0 == network);
        rules.map(|(network, rule)| of_pattern(all, network, rule, pattern)).fold(0.0, f64::max)
    };
    let mut rows = Vec::new();
    let mut row = |statement: &str, found: String, verdict: bool| {
        rows.push(vec![statement.to_owned(), found, holds(verdict).to_owned()]);
    };
    for (name, other) in [("HyperX", HYPERX), ("random", RANDOM)] {
        // A difference below 1 % is within the noise of a run.
        let ratios: Vec<f64> = patterns.iter().map(|pattern| best(EQUALITY, pattern) / best(other, pattern)).collect();
        let count = |of: &dyn Fn(f64) -> bool| ratios.iter().filter(|&&ratio| of(ratio)).count();
        let [better, equal] = [count(&|ratio| ratio > 1.01), count(&|ratio| (0.99..=1.01).contains(&ratio))];
        row(
            &format!("by its best rule, Equality beats the best of others in almost all patterns ({name})"),
            format!("better in {better} of {}, the same within 1 % in {equal}", ratios.len()),
            better + 2 >= ratios.len(),
        );
    }
    let [ours, fly] = [(EQUALITY, "ugal-equality"), (HYPERX, "hyperx-ugal")]
        .map(|(network, rule)| of_pattern(all, network, rule, "bit_complement"));
    row(
        "under ugal, Equality does bit complement like FlatFly",
        format!("{ours:.3}, and {fly:.3} of HyperX"),
        ours >= 0.9 * fly,
    );
    for (name, network, wanted) in [("Equality carries", EQUALITY, true), ("Slim Fly does not carry", SLIM_FLY, false)]
    {
        let point = latencies.at(network, "amin", "uniform", 0.9);
        let fast = point.latency.is_some_and(|latency| latency < 50.0);
        let cycles = unless_saturated(point, point.latency, 1);
        row(
            &format!("{name} 0.9 (uniform, amin) with a mean latency below 50 cycles"),
            if point.saturated { cycles } else { format!("{cycles} cycles") },
            fast == wanted,
        );
    }
    table(&["statement", "found", ""], "| --- | --- | --- |", rows)
}

#[test]
fn the_page_on_flits_shows_the_results() {
    let page = Page::open("flits");
    let uni = Results::read(RUNS[0].data);
    page.put("uni statements", &uni_statements(&uni));
    page.put("hops", &hops(&uni));
    page.put("growth", &growths(&uni));
    page.put("carried", &carried(&uni));
    let dsnf = Results::read(RUNS[1].data);
    page.put("dsnf statements", &dsnf_statements(&dsnf));
    for pattern in PATTERNS {
        page.put(&pattern.replace('_', " "), &dsnf_curves(&dsnf, pattern));
    }
    let equality = Results::read(RUNS[2].data);
    page.put("equality statements", &equality_statements(&equality, &Results::read(RUNS[3].data)));
    page.put("equality", &equality_patterns(&equality));
}

/// One in this many points that are not saturated is repeated in every test.
const PART: usize = 31;

#[test]
fn a_part_of_the_flits_gives_the_results_that_are_kept() {
    let mut repeated = 0;
    for run in &RUNS {
        let carried: Vec<Point> = Results::read(run.data).0.into_iter().filter(|point| !point.saturated).collect();
        for kept in carried.iter().skip(5).step_by(PART) {
            let load = kept.load.to_string();
            let own = ["--routing", &kept.routing, "--pattern", &kept.pattern, "--host-port", &kept.host_port];
            let mut arguments = vec![&*kept.topology, "--load", &load];
            arguments.extend(own);
            arguments.extend(run.options);
            let hosts = if kept.topology == SLIM_FLY { "8" } else { "4" };
            if !run.options.contains(&"--hosts-per-switch") {
                arguments.extend(["--hosts-per-switch", hosts]);
            }
            if !run.options.contains(&"--no-saturation") {
                arguments.push("--no-saturation");
            }
            let [found] = &packets(&arguments)[..] else { panic!("one point") };
            let found = Point { saturation: kept.saturation, at_full_load: kept.at_full_load, ..found.clone() };
            assert_eq!(found, *kept, "{}: the results that are kept are stale", run.data);
            repeated += 1;
        }
    }
    assert!(repeated >= 10, "{repeated}");
}

#[test]
#[ignore = "takes ten minutes of one core: all runs"]
fn all_flits_give_the_results_that_are_kept() {
    for run in &RUNS {
        let all: Vec<Point> = run
            .commands
            .iter()
            .flat_map(|command| packets(&[*command, run.options, &["--pattern", run.patterns]].concat()))
            .collect();
        if pages::updating() {
            let mut writer = csv::Writer::from_path(data(run.data)).expect("a file");
            all.iter().for_each(|point| writer.serialize(point).expect("written"));
            writer.flush().expect("written");
        } else {
            assert!(all == Results::read(run.data).0, "{}: the results that are kept are stale", run.data);
        }
    }
}
