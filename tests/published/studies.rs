//! Studies of papers: their results are kept in `docs/published/data` in the format of `mopsim compare --csv`, and
//! the tables of the pages are generated from these. A part of the replays runs in every test; all of them run in the
//! ignored one.

use super::pages::{self, Page};
use mopsim::study::statistics::Statistic;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A study that was run: the name of its results, the study, its flags, and the columns that are kept, if present.
struct Run {
    data: &'static str,
    study: &'static str,
    flags: &'static [&'static str],
    columns: &'static [&'static str],
}

/// Columns that the pages need, and that readers need to understand a line. Speeds are those of the study.
const COLUMNS: &[&str] = &[
    "workload",
    "topology",
    "seed",
    "simulated_seconds",
    "mops",
    "relative",
    "baseline",
    "platform",
    "mapping",
    "collectives",
    "routing",
    "routing_kind",
];

const RUNS: [Run; 14] = [
    Run { data: "uni-directional-64", study: "uni-directional-64", flags: &[], columns: COLUMNS },
    Run { data: "uni-directional-256-d6", study: "uni-directional-256-d6", flags: &[], columns: COLUMNS },
    Run { data: "uni-directional-256-d8", study: "uni-directional-256-d8", flags: &[], columns: COLUMNS },
    Run {
        data: "uni-directional-256-d6-10gflops",
        study: "uni-directional-256-d6",
        flags: &["--host-speed", "10 Gflop/s"],
        columns: COLUMNS,
    },
    Run { data: "dsnf-128", study: "dsnf-128", flags: &[], columns: COLUMNS },
    Run {
        data: SETTINGS,
        study: SETTINGS,
        flags: &[],
        columns: &["workload", "topology", "seed", "simulated_seconds", "platform", "routing_setting"],
    },
    Run { data: "packets-64", study: "packets-64", flags: &[], columns: MODELS },
    Run { data: "packets-adaptive", study: "packets-adaptive", flags: &[], columns: MODELS },
    Run { data: "packets-congestion", study: "packets-congestion", flags: &[], columns: MODELS },
    Run { data: "packets-offers", study: "packets-offers", flags: &[], columns: MODELS },
    Run { data: "failures-64", study: "failures-64", flags: &[], columns: FAILURES },
    Run { data: "planes-64", study: "planes-64", flags: &[], columns: PLANES },
    Run { data: "planes-64-packets", study: "planes-64", flags: &["--model", "packet"], columns: PLANES },
    Run {
        data: "planes-64-small-packets",
        study: "planes-64",
        flags: &["--model", "packet:mtu=512,header=8"],
        columns: PLANES,
    },
];

/// Columns of a study under several network models.
const MODELS: &[&str] = &["workload", "topology", "seed", "simulated_seconds", "routing_setting", "model"];

/// Columns of a study with failures.
const FAILURES: &[&str] = &["workload", "topology", "seed", "simulated_seconds", "failures"];

/// Columns of a study whose networks differ in their planes.
const PLANES: &[&str] = &["workload", "topology", "seed", "simulated_seconds"];

/// Case 1 by routing rule and host links.
const SETTINGS: &str = "uni-directional-64-settings";

/// Shard of each study that runs in every test.
const SHARD: &str = "7/97";

/// A workload on a network, with the name of the platform if there are several.
pub type Place = (String, String);

/// Simulated times of one study: for each place, by seed.
pub struct Times {
    pub workloads: Vec<String>,
    pub seconds: BTreeMap<Place, BTreeMap<Option<u64>, f64>>,
}

pub fn data(name: &str) -> PathBuf {
    pages::folder().join("data").join(format!("{name}.csv"))
}

impl Times {
    pub fn read(name: &str) -> Self {
        let mut reader = csv::Reader::from_path(data(name)).expect("results");
        let headings = reader.headers().expect("a heading").clone();
        let (mut workloads, mut seconds) = (Vec::new(), BTreeMap::<Place, BTreeMap<_, _>>::new());
        for line in reader.records() {
            let line = line.expect("a line");
            let field = |name: &str| headings.iter().position(|h| h == name).and_then(|at| line.get(at));
            let [workload, topology, seed, time] =
                ["workload", "topology", "seed", "simulated_seconds"].map(|name| field(name).expect("a field"));
            let setting: Vec<&str> =
                ["platform", "routing_setting", "model", "failures"].iter().filter_map(|name| field(name)).collect();
            let network = match &setting[..] {
                [] => topology.to_owned(),
                setting => format!("{topology} [{}]", setting.join(", ")),
            };
            if !workloads.iter().any(|w| w == workload) {
                workloads.push(workload.to_owned());
            }
            let seconds = seconds.entry((workload.to_owned(), network)).or_default();
            seconds.insert(seed.parse().ok(), time.parse().expect("seconds"));
        }
        Self { workloads, seconds }
    }

    /// Returns the speedup of one network over the other, workload by workload: its mean over the seeds, as in
    /// `mopsim compare`.
    fn faster(&self, network: &str, than: &str) -> Vec<Statistic> {
        let of = |workload: &String, network: &str| {
            let place = (workload.clone(), network.to_owned());
            self.seconds.get(&place).unwrap_or_else(|| panic!("no {place:?}"))
        };
        let ratio = |workload: &String| {
            let (own, other) = (of(workload, network), of(workload, than));
            let seeds: Vec<Option<u64>> = if own.len() > other.len() { own } else { other }.keys().copied().collect();
            let at = |times: &BTreeMap<Option<u64>, f64>, seed| {
                *times.get(&seed).or_else(|| times.get(&None)).expect("a run of that seed")
            };
            Statistic::of(&seeds.iter().map(|&seed| at(other, seed) / at(own, seed)).collect::<Vec<f64>>())
        };
        self.workloads.iter().map(ratio).collect()
    }
}

/// Formats a ratio as its percentage above one: `+17.5`, `-3.0` or `0.0`.
fn signed(ratio: f64) -> String {
    let tenths = (1000.0 * (ratio - 1.0)).round();
    if tenths == 0.0 { "0.0".to_owned() } else { format!("{:+.1}", tenths / 10.0) }
}

/// Formats a gain: `+17.5 %`, with half of the confidence interval if there is one.
fn gain(ratio: &Statistic) -> String {
    let spread = ratio.half_width.filter(|half| *half > 0.0).map(|half| format!(" ± {:.1}", 100.0 * half));
    format!("{}{} %", signed(ratio.mean), spread.unwrap_or_default())
}

/// Returns the arithmetic mean over the workloads.
fn average(ratios: &[Statistic]) -> f64 {
    ratios.iter().map(|ratio| ratio.mean).sum::<f64>() / ratios.len() as f64
}

/// Formats a gain: `+17.5 %`.
fn percent(ratio: f64) -> String {
    format!("{} %", signed(ratio))
}

/// Returns a table with a line for each workload, and with the average; a column is a heading and the two networks.
fn table(times: &Times, columns: &[(&str, &str, &str)]) -> String {
    let ratios: Vec<Vec<Statistic>> = columns.iter().map(|(_, own, than)| times.faster(own, than)).collect();
    let headings: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let mut lines =
        vec![format!("| workload | {} |", headings.join(" | ")), format!("| --- |{}", " ---: |".repeat(columns.len()))];
    for (w, workload) in times.workloads.iter().enumerate() {
        let values: Vec<String> = ratios.iter().map(|ratios| gain(&ratios[w])).collect();
        lines.push(format!("| {workload} | {} |", values.join(" | ")));
    }
    let means: Vec<String> = ratios.iter().map(|ratios| format!("**{}**", percent(average(ratios)))).collect();
    lines.push(format!("| **average** | {} |", means.join(" | ")));
    lines.join("\n")
}

/// Returns the gain of one workload, by the beginning of its name.
fn of(times: &Times, ratios: &[Statistic], workload: &str) -> f64 {
    let index = times.workloads.iter().position(|name| name.starts_with(workload));
    ratios[index.unwrap_or_else(|| panic!("no {workload}"))].mean
}

/// Returns the workload with the largest gain: `FT +97.2 %`.
fn largest(times: &Times, ratios: &[Statistic]) -> String {
    let (workload, most) =
        times.workloads.iter().zip(ratios).max_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).expect("a workload");
    let name = workload.split('.').next().unwrap_or(workload).to_uppercase();
    format!("{name} {}", percent(most.mean))
}

/// Figures of other sources, for comparison with ours for both kinds of duplex.
struct Printed {
    what: &'static str,
    source: &'static str,
    data: &'static str,
    network: &'static str,
    than: &'static str,
    average: [&'static str; 2],
    workload: &'static str,
    gain: [&'static str; 2],
}

const PRINTED: [Printed; 3] = [
    Printed {
        what: "64 switches, d = 6: Imase-Itoh over two-way random",
        source: "SimGrid 3.32",
        data: "uni-directional-64",
        network: "one-way Imase-Itoh",
        than: "two-way random of SimGrid",
        average: ["about +1 %", "+30 %"],
        workload: "cg",
        gain: ["—", "+62 %"],
    },
    Printed {
        what: "256 switches, d = 6: one-way over two-way MDDP",
        source: "the paper",
        data: "uni-directional-256-d6",
        network: "one-way MDDP",
        than: "two-way MDDP",
        average: ["+30 %"; 2],
        workload: "cg",
        gain: ["+88 %"; 2],
    },
    Printed {
        what: "256 switches, d = 8: Imase over two-way MDDP",
        source: "the paper",
        data: "uni-directional-256-d8",
        network: "one-way Imase",
        than: "two-way MDDP",
        average: ["+15 %"; 2],
        workload: "ft",
        gain: ["+60 %"; 2],
    },
];

fn gains() -> String {
    let mut lines = vec![
        "| case | duplex | average, published | ours | one workload, published | ours | largest of ours |".to_owned(),
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for printed in &PRINTED {
        let times = Times::read(printed.data);
        for (mode, duplex) in ["full", "shared"].into_iter().enumerate() {
            let ratios = times.faster(printed.network, &format!("{}, {duplex} duplex", printed.than));
            lines.push(format!(
                "| {} ({}) | {duplex} | {} | {} | {} {} | {} | {} |",
                printed.what,
                printed.source,
                printed.average[mode],
                percent(average(&ratios)),
                printed.workload.to_uppercase(),
                printed.gain[mode],
                percent(of(&times, &ratios, printed.workload)),
                largest(&times, &ratios),
            ));
        }
    }
    lines.join("\n")
}

/// Returns the effect on two-way networks of sharing a cable's capacity between its directions.
fn sharing() -> String {
    let mut lines = vec![
        "| case | two-way network | shared relative to full, average | largest loss |".to_owned(),
        "| --- | --- | ---: | ---: |".to_owned(),
    ];
    for (case, name) in [
        ("64, d = 6", "uni-directional-64"),
        ("256, d = 6", "uni-directional-256-d6"),
        ("256, d = 8", "uni-directional-256-d8"),
    ] {
        let times = Times::read(name);
        for network in ["two-way random", "two-way MDDP"] {
            let ratios = times.faster(&format!("{network}, shared duplex"), &format!("{network}, full duplex"));
            let (workload, least) =
                times.workloads.iter().zip(&ratios).min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).expect("a workload");
            lines.push(format!(
                "| {case} | {network} | {} | {workload} {} |",
                percent(average(&ratios)),
                percent(least.mean)
            ));
        }
    }
    lines.join("\n")
}

/// Returns the dependence of the gain of case 2 on the compared network, and on the speed of the hosts.
fn sensitivity() -> String {
    let mut lines = vec![
        "| hosts | two-way network | duplex | average | CG | largest |".to_owned(),
        "| --- | --- | --- | ---: | ---: | ---: |".to_owned(),
    ];
    for (hosts, name) in [("100 Gflop/s", "uni-directional-256-d6"), ("10 Gflop/s", "uni-directional-256-d6-10gflops")]
    {
        let times = Times::read(name);
        for two_way in ["two-way random", "two-way MDDP", "two-way MDDP after search"] {
            for duplex in ["full", "shared"] {
                let ratios = times.faster("one-way MDDP", &format!("{two_way}, {duplex} duplex"));
                lines.push(format!(
                    "| {hosts} | {} | {duplex} | {} | {} | {} |",
                    two_way.trim_start_matches("two-way "),
                    percent(average(&ratios)),
                    percent(of(&times, &ratios, "cg")),
                    largest(&times, &ratios)
                ));
            }
        }
    }
    lines.join("\n")
}

/// Returns the results of case 1 for each routing rule, with and without host links, and for both kinds of duplex.
fn settings() -> String {
    let times = Times::read(SETTINGS);
    let networks =
        [("one-way MDDP", "two-way MDDP"), ("one-way Imase", "two-way MDDP"), ("one-way random", "two-way random")];
    let mut heading = vec!["host links".to_owned(), "routing".to_owned()];
    for duplex in ["full", "shared"] {
        let column = |(own, _): &(&str, &str)| format!("{}, {duplex}", own.trim_start_matches("one-way "));
        heading.extend(networks.iter().map(column));
    }
    heading.push("one-way ahead".to_owned());
    let mut lines = vec![format!("| {} |", heading.join(" | ")), format!("| --- | --- |{} --- |", " ---: |".repeat(6))];
    for (links, platform) in [("none", "no host links"), ("as the links", "host links")] {
        for (rule, name) in [
            ("bfs", "`bfs`, as in the cases below"),
            ("default", "that of the family"),
            ("ecmp", "`ecmp`"),
            ("balanced", "`balanced`"),
            ("split", "`split`"),
            ("adaptive", "`adaptive`"),
        ] {
            let of = |network: &str| format!("{network} [{platform}, {rule}]");
            let gain = |(own, than): &(&str, &str), duplex: &str| {
                average(&times.faster(&of(own), &of(&format!("{than}, {duplex} duplex"))))
            };
            let gains = ["full", "shared"].map(|duplex| networks.each_ref().map(|pair| gain(pair, duplex)));
            let cells = gains.iter().flatten().map(|&gain| percent(gain)).collect::<Vec<_>>().join(" | ");
            // 5 % exceeds the difference of two instances of a random network.
            let ahead = gains.map(|of| of.iter().filter(|&&gain| gain > 1.05).count());
            let verdict = match ahead {
                [0, 0] => "with neither",
                [0, _] => "with shared cables only",
                [_, 0] => "with full duplex only",
                [_, _] => "with both",
            };
            lines.push(format!("| {links} | {name} | {cells} | {verdict} |"));
        }
    }
    lines.join("\n")
}

#[test]
fn the_page_on_one_way_networks_shows_the_results() {
    let page = Page::open("uni-directional");
    page.put("gains", &gains());
    page.put("sharing", &sharing());
    page.put("sensitivity", &sensitivity());
    page.put("settings", &settings());
    for (block, name) in
        [("case 1", "uni-directional-64"), ("case 2", "uni-directional-256-d6"), ("case 3", "uni-directional-256-d8")]
    {
        let columns = [
            ("MDDP, full", "one-way MDDP", "two-way MDDP, full duplex"),
            ("MDDP, shared", "one-way MDDP", "two-way MDDP, shared duplex"),
            ("Imase, full", "one-way Imase", "two-way MDDP, full duplex"),
            ("Imase, shared", "one-way Imase", "two-way MDDP, shared duplex"),
            ("random, full", "one-way random", "two-way random, full duplex"),
            ("random, shared", "one-way random", "two-way random, shared duplex"),
        ];
        page.put(block, &table(&Times::read(name), &columns));
    }
}

#[test]
fn the_page_on_dsnf_shows_the_results() {
    let times = Times::read("dsnf-128");
    let page = Page::open("dsnf");
    for duplex in ["full duplex", "shared duplex"] {
        let network = |name: &str| format!("{name} [{duplex}]");
        let [torus, dsnf, dsn, dln] = ["2-D torus", "DSN-F", "DSN", "DLN"].map(network);
        let columns = [("DSN-F", &*dsnf, &*torus), ("DSN", &*dsn, &*torus), ("DLN", &*dln, &*torus)];
        page.put(duplex, &table(&times, &columns));
    }
}

fn compare(run: &Run, more: &[&str]) -> String {
    let studies = Path::new(env!("CARGO_MANIFEST_DIR")).join("studies");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
    command.arg("compare").arg(studies.join(format!("{}.toml", run.study))).args(run.flags);
    let output = command.args(["--quiet", "--no-explain"]).args(more).output().expect("the program runs");
    assert!(output.status.success(), "{}: {}", run.data, String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the columns of a result that are kept.
fn kept(csv: &str, columns: &[&str]) -> String {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let headings = reader.headers().expect("a heading").clone();
    // In studies without variations of settings, the columns of settings follow these.
    let end = headings.iter().position(|heading| heading == "defaults").expect("a column");
    let end = if columns == FAILURES { headings.len() } else { end };
    let place = |column: &&str| headings.iter().take(end).position(|heading| heading == *column);
    let places: Vec<usize> = columns.iter().filter_map(place).collect();
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut write = |line: &csv::StringRecord| {
        out.write_record(places.iter().map(|&at| line.get(at).expect("a field"))).expect("written");
    };
    write(&headings);
    reader.records().for_each(|line| write(&line.expect("a line")));
    String::from_utf8(out.into_inner().expect("flushed")).expect("text")
}

#[test]
fn a_part_of_each_study_gives_the_results_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    for run in RUNS.iter().filter(|run| run.flags.is_empty()) {
        let times = Times::read(run.data);
        let file = folder.path().join(format!("{}.jsonl", run.data));
        compare(run, &["--shard", SHARD, "--results", file.to_str().expect("a path of text")]);
        let results = std::fs::read_to_string(&file).expect("results");
        let mut replays = 0;
        for line in results.lines().skip(1) {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let text = |name: &str| record[name].as_str().expect("a text").to_owned();
            let kept = &times.seconds[&(text("workload"), text("network"))][&record["seed"].as_u64()];
            let seconds = record["simulated_seconds"].as_f64().expect("a number");
            assert_eq!(seconds, *kept, "{}: {record}: the results that are kept are stale", run.data);
            replays += 1;
        }
        assert!(replays > 0, "{}", run.data);
    }
}

#[test]
#[ignore = "takes forty minutes of one core: all replays of all studies"]
fn all_of_each_study_gives_the_results_that_are_kept() {
    for run in &RUNS {
        let csv = kept(&compare(run, &["--format", "csv"]), run.columns);
        if pages::updating() {
            std::fs::write(data(run.data), csv).expect("written");
        } else {
            let kept = std::fs::read_to_string(data(run.data)).expect("results");
            assert!(csv == kept, "{}: the results that are kept are stale", run.data);
        }
    }
}
