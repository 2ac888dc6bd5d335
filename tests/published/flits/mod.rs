//! The page on flits: figures of papers that simulate packets, with `mopsim packets`. The results are kept in
//! `docs/published/data/flits-*.csv`; a part of the runs is repeated in every test, all of them in the ignored one.

mod dsnf;
mod equality;
mod skywalk;
mod uni_directional;

pub use uni_directional::growth;

use super::pages::{self, Page};
use super::studies::data;
use serde_json::Value;

/// Runs of a paper: the patterns and options that all have, and those of each command.
struct Run {
    data: &'static str,
    patterns: &'static str,
    options: &'static [&'static str],
    commands: &'static [Command],
    /// `true` if a part is repeated in every test: single runs take seconds at most.
    repeated: bool,
}

/// Runs of some networks with some rules.
struct Command {
    networks: &'static [&'static str],
    routings: &'static [&'static str],
    loads: &'static str,
    options: &'static [&'static str],
}

const PATTERNS: [&str; 3] = ["uniform", "transpose", "bit_reversal"];
const THREE: &str = "uniform,transpose,bit_reversal";
const RUNS: [&Run; 6] =
    [&uni_directional::RUN, &dsnf::RUN, &equality::PATTERNS, &equality::LATENCIES, &equality::LARGE, &skywalk::RUN];

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
fn packets(arguments: &[String]) -> Vec<Point> {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"));
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
            // Null in throughput mode.
            saturated: point["saturated"].as_bool().unwrap_or(false),
        }
    };
    json["points"].as_array().expect("points").iter().map(point).collect()
}

/// Results that are kept.
struct Results(Vec<Point>);

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

#[test]
fn the_page_on_flits_shows_the_results() {
    let page = Page::open("flits");
    uni_directional::put(&page);
    dsnf::put(&page);
    skywalk::put(&page);
    equality::put(&page);
}

impl Command {
    /// Returns the arguments of a part of the runs, in the order of the whole.
    fn arguments(&self, run: &Run, networks: &[&str], routings: &[&str], loads: &str, patterns: &str) -> Vec<String> {
        let rules = routings.iter().flat_map(|rule| ["--routing", rule]);
        let of_part = ["--load", loads, "--pattern", patterns];
        let all = networks.iter().copied().chain(rules).chain(of_part);
        all.chain(run.options.iter().copied()).chain(self.options.iter().copied()).map(str::to_owned).collect()
    }

    /// `true` if a point is one of these runs.
    fn has(&self, point: &Point) -> bool {
        let other_port = self.options.windows(2).any(|pair| pair[0] == "--host-port" && pair[1] != point.host_port);
        self.networks.contains(&&*point.topology) && self.routings.contains(&&*point.routing) && !other_port
    }
}

/// One in this many points that are not saturated is repeated in every test.
const PART: usize = 31;

#[test]
fn a_part_of_the_flits_gives_the_results_that_are_kept() {
    let mut repeated = 0;
    for run in RUNS.iter().filter(|run| run.repeated) {
        let carried: Vec<Point> = Results::read(run.data).0.into_iter().filter(|point| !point.saturated).collect();
        for kept in carried.iter().skip(5).step_by(PART) {
            let command = run.commands.iter().find(|command| command.has(kept)).expect("a command with this point");
            let load = kept.load.to_string();
            let mut arguments = command.arguments(run, &[&kept.topology], &[&kept.routing], &load, &kept.pattern);
            if !run.options.contains(&"--no-saturation") {
                arguments.push("--no-saturation".into());
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
#[ignore = "takes an hour of one core: all runs"]
fn all_flits_give_the_results_that_are_kept() {
    for run in RUNS {
        let whole = |command: &Command| {
            packets(&command.arguments(run, command.networks, command.routings, command.loads, run.patterns))
        };
        let all: Vec<Point> = run.commands.iter().flat_map(whole).collect();
        if pages::updating() {
            let mut writer = csv::Writer::from_path(data(run.data)).expect("a file");
            all.iter().for_each(|point| writer.serialize(point).expect("written"));
            writer.flush().expect("written");
        } else {
            assert!(all == Results::read(run.data).0, "{}: the results that are kept are stale", run.data);
        }
    }
}
