//! Predicted times compared with times measured on an emulated network: the tables of docs/reference/validation.md.
//!
//! Measurements and recordings are not in the repository. The test replays the recordings on the measured networks,
//! under each model, and asserts the statements of the page.

use super::errors::{Errors, Times, errors, errors_table, mean_ratio, means_table, middle, times_table, worst_mean};
use super::pages::Page;
use lzma_rust2::XzReader;
use mopsim::defaults::Version;
use mopsim::engine::{Model, replay};
use mopsim::ids::HostId;
use mopsim::mpi::mapping::Mapping;
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::parameters::PlatformParameters;
use mopsim::platform::units::{Bandwidth, Seconds};
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::trace::{self, Trace};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rate of all cables, in bytes per second: 5 Mbit/s.
const RATE: f64 = 625_000.0;

/// Ratio of bytes through the queues of all cables to bytes of messages times hops: framing, headers, acknowledgements.
const ALL_OVERHEADS: f64 = 1.084;

/// Kernels, in the order of the tables.
const KERNELS: [&str; 10] = [
    "halo-32K",
    "halo-4K",
    "mg-64K",
    "cg-28K",
    "is-8K",
    "lu-6K",
    "alltoall-16K",
    "allreduce-256K",
    "allgather-32K",
    "shift-200K",
];

/// Networks of 16 hosts: name of the file, name in tables. The first one is the baseline of ratios.
const NETWORKS: [(&str, &str); 6] = [
    ("torus44", "torus 4x4"),
    ("rand16d3", "random d=3"),
    ("rand16d4", "random d=4"),
    ("imase16d3", "Imase d=3"),
    ("imase16d4", "Imase d=4"),
    ("ring16", "ring 16"),
];

/// Algorithms of Open MPI in the measured runs, by SimGrid's names.
const COLLECTIVES: [(&str, &str); 5] = [
    ("alltoall", "ring"),
    ("allreduce", "rdb"),
    ("bcast", "binomial"),
    ("allgather", "ntslr"),
    ("alltoallv", "linear"),
];

/// A model as a user would choose it.
struct Candidate {
    name: &'static str,
    network_model: &'static str,
    /// `delivery`, if it differs from that of the model.
    delivery: Option<&'static str>,
    /// `sharing`, if it is not the default.
    sharing: Option<&'static str>,
    /// Divisor of the rate of cables, for models without packets.
    divisor: f64,
    /// Latency of a cable in seconds, for models without a latency of messages: 24 us divided by the mean distance of
    /// the networks.
    latency: f64,
}

const DEFAULT: &str = "`ordered` (default)";
const SMPI: &str = "`smpi`";
const IDEAL: &str = "`ideal`, rate / 1.084";
const TCP: &str = "`tcp`";

const CANDIDATES: [Candidate; 10] = [
    Candidate { name: SMPI, network_model: "smpi", delivery: None, sharing: None, divisor: 1.0, latency: 1e-5 },
    Candidate { name: "`lv08`", network_model: "lv08", delivery: None, sharing: None, divisor: 1.0, latency: 2e-6 },
    Candidate { name: "`cm02`", network_model: "cm02", delivery: None, sharing: None, divisor: 1.0, latency: 1e-5 },
    Candidate { name: "`ideal`", network_model: "ideal", delivery: None, sharing: None, divisor: 1.0, latency: 1e-5 },
    Candidate {
        name: IDEAL,
        network_model: "ideal",
        delivery: None,
        sharing: None,
        divisor: ALL_OVERHEADS,
        latency: 1e-5,
    },
    Candidate { name: DEFAULT, network_model: "ordered", delivery: None, sharing: None, divisor: 1.0, latency: 1e-5 },
    Candidate {
        name: "`tcp`, `delivery = \"concurrent\"`",
        network_model: "tcp",
        delivery: Some("concurrent"),
        sharing: None,
        divisor: 1.0,
        latency: 0.0,
    },
    Candidate { name: TCP, network_model: "tcp", delivery: None, sharing: None, divisor: 1.0, latency: 0.0 },
    Candidate {
        name: "`ordered`, `sharing = \"proportional\"`",
        network_model: "ordered",
        delivery: None,
        sharing: Some("proportional"),
        divisor: 1.0,
        latency: 1e-5,
    },
    Candidate {
        name: "`tcp`, `sharing = \"proportional\"`",
        network_model: "tcp",
        delivery: None,
        sharing: Some("proportional"),
        divisor: 1.0,
        latency: 0.0,
    },
];

impl Candidate {
    fn model(&self, eager_below: u64) -> Model {
        let name = |text: &str| text.to_owned();
        let choice = ModelChoice {
            network_model: Some(name(self.network_model)),
            delivery: self.delivery.map(name),
            sharing: self.sharing.map(name),
            detached_below: Some(eager_below),
            collective: COLLECTIVES.map(|(kind, algorithm)| (name(kind), name(algorithm))).into(),
            smp_setup: Some(false),
            ..ModelChoice::default()
        };
        choice.build().expect("a model").0
    }

    fn network(&self, spec: &str) -> NetworkUnderTest {
        let parameters = PlatformParameters {
            link_bandwidth: Some(Bandwidth::new(RATE / self.divisor).expect("a rate")),
            link_latency: Some(Seconds::new(self.latency).expect("a time")),
            ..PlatformParameters::default()
        };
        // Hosts had links without limits, and routes were those of `bfs`: the defaults of version 0.1.
        let defaults = Some(Version::V0_1);
        NetworkChoice { topology: Some(spec.to_owned()), parameters, defaults, ..NetworkChoice::default() }
            .build(Path::new(""))
            .expect("a network")
    }
}

/// Measurements on a network.
struct Measured {
    network: String,
    spec: String,
    /// Size limit in bytes below which messages did not wait for their receive, as configured in Open MPI.
    eager_below: u64,
    /// Median seconds of each kernel over the repetitions.
    times: BTreeMap<String, f64>,
    /// Largest over smallest time of the repetitions of each kernel.
    spreads: Vec<f64>,
}

fn reality() -> PathBuf {
    std::env::var_os("MOPSIM_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from)
        .join("reality")
}

fn measured(campaign: &str, network: &str) -> Option<Measured> {
    let file = reality().join(format!("measured/m-{campaign}-{network}.json"));
    let text = std::fs::read_to_string(file).ok()?;
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut spreads = Vec::new();
    let kernels =
        json["jobs"].as_object().expect("kernels").iter().filter(|(name, _)| KERNELS.contains(&name.as_str()));
    let times = kernels.map(|(name, job)| {
        let mut times: Vec<f64> = job["t"].as_array().expect("times").iter().filter_map(|t| t.as_f64()).collect();
        times.sort_by(f64::total_cmp);
        spreads.push(times[times.len() - 1] / times[0]);
        (name.clone(), middle(&times))
    });
    Some(Measured {
        network: network.to_owned(),
        spec: json["args"]["spec"].as_str().expect("a specification").to_owned(),
        eager_below: if json["args"]["eager"] == true { 400_001 } else { 65_537 },
        times: times.collect(),
        spreads,
    })
}

fn recording(kernel: &str, ranks: usize, folder: &Path) -> Trace {
    let name = format!("{kernel}.{ranks}.mrec");
    let file = File::open(reality().join(format!("recordings/{name}.tar.xz"))).expect("a recording");
    tar::Archive::new(XzReader::new(file, true)).unpack(folder).expect("an archive");
    trace::read(&folder.join(name), &trace::Options::default()).expect("a recording")
}

/// Returns the times of replays of the measured runs.
fn predicted(candidate: &Candidate, runs: &[Measured], traces: &BTreeMap<(String, usize), Trace>) -> Times {
    let of_network = |run: &Measured| {
        let network = candidate.network(&run.spec);
        let model = candidate.model(run.eager_below);
        let hosts = network.platform.hosts.len();
        let rank_map = Mapping::OneEach.rank_map(hosts, hosts).expect("enough hosts");
        let seconds = |kernel: &String| {
            let trace = &traces[&(kernel.clone(), hosts)];
            replay(trace, &network.platform, &rank_map, &model, &mut ()).expect("runs").simulated_seconds
        };
        (run.network.clone(), run.times.keys().map(|kernel| (kernel.clone(), seconds(kernel))).collect())
    };
    runs.iter().map(of_network).collect()
}

/// Networks whose times are divided by those on the one-way network with as many channels per switch.
const ONE_WAY: [(&str, &str, &str); 3] = [
    ("d=3, random", "rand16d3", "imase16d3"),
    ("d=4, random", "rand16d4", "imase16d4"),
    ("d=4, torus 4x4", "torus44", "imase16d4"),
];

fn one_way_table(measured: &Times, models: &[(&str, &Times)]) -> String {
    let mut table = "| kernel |".to_owned();
    ONE_WAY.iter().for_each(|(name, ..)| write!(table, " {name} |").expect("text"));
    table.push_str(&format!("\n|{}", " --- |".repeat(ONE_WAY.len() + 1)));
    let mut row = |name: &str, digits: usize, ratio: &dyn Fn(&Times, &str, &str) -> f64| {
        write!(table, "\n| {name} |").expect("text");
        for (_, other, one_way) in ONE_WAY {
            let theirs = models.iter().map(|(_, times)| format!("{:.digits$}", ratio(times, other, one_way)));
            let theirs = theirs.collect::<Vec<_>>().join(", ");
            write!(table, " {:.digits$} ({theirs}) |", ratio(measured, other, one_way)).expect("text");
        }
    };
    for kernel in KERNELS {
        row(kernel, 2, &|times, other, one_way| times[other][kernel] / times[one_way][kernel]);
    }
    row("**geometric mean**", 3, &mean_ratio);
    table
}

fn read_campaign(
    name: &str,
    networks: &[&str],
    folder: &Path,
    traces: &mut BTreeMap<(String, usize), Trace>,
) -> Vec<Measured> {
    let runs: Vec<Measured> = networks.iter().filter_map(|network| measured(name, network)).collect();
    assert_eq!(runs.len(), networks.len(), "all measurements of {name} are there");
    for run in &runs {
        let ranks = mopsim::topology::build(&run.spec).expect("a topology").graph.switches();
        for kernel in run.times.keys() {
            traces.entry((kernel.clone(), ranks)).or_insert_with(|| recording(kernel, ranks, folder));
        }
    }
    runs
}

fn times(runs: &[Measured]) -> Times {
    runs.iter().map(|run| (run.network.clone(), run.times.clone())).collect()
}

#[test]
#[cfg_attr(no_measurements, ignore = "there are no measurements: set MOPSIM_SHARED")]
fn predictions_are_as_near_to_measurements_as_the_page_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut traces = BTreeMap::new();
    let sixteen = NETWORKS.map(|(network, _)| network);
    let page = Page::open("../reference/validation");
    let mut all = |campaign: &str, networks: &[&str]| {
        let runs = read_campaign(campaign, networks, folder.path(), &mut traces);
        let found: Vec<Times> = CANDIDATES.iter().map(|candidate| predicted(candidate, &runs, &traces)).collect();
        let measured = times(&runs);
        let rows: Vec<(&str, Errors)> = CANDIDATES
            .iter()
            .zip(&found)
            .map(|(candidate, times)| (candidate.name, errors(&measured, times, NETWORKS[0].0)))
            .collect();
        page.put(&format!("errors, {campaign}, {} networks", networks.len()), &errors_table(&rows));
        (runs, measured, found, rows)
    };
    let (runs, measured, found, rows) = all("gap", &sixteen);
    let of = |name: &str| CANDIDATES.iter().position(|candidate| candidate.name == name).expect("a candidate");
    let models: Vec<(&str, &Times)> = [SMPI, DEFAULT, TCP].into_iter().map(|name| (name, &found[of(name)])).collect();
    page.put("times", &times_table(&measured, &found[of(TCP)], &KERNELS, &NETWORKS));
    page.put("one-way", &one_way_table(&measured, &models));
    page.put("means", &means_table(&measured, &models, &NETWORKS));
    let mut spreads: Vec<f64> =
        runs.iter().flat_map(|run| run.spreads.iter().map(|spread| 100.0 * (spread - 1.0))).collect();
    spreads.sort_by(f64::total_cmp);
    let (within, most) = (middle(&spreads), spreads[spreads.len() - 1]);
    page.put(
        "spread",
        &format!("Repetitions of one run differ by {within:.1} % in the median and {most:.0} % at most."),
    );
    let clean = all("clean", &sixteen).3;
    all("clean", &["ring4", "ring8"]);
    let stock = all("proto", &["torus44", "rand16d3", "rand16d4", "imase16d3", "ring16"]).3;
    // What was aimed at is a median of 3.5 % and 27 % at most for ratios; nothing was fitted to these kernels.
    let [tcp, smpi, default] = [TCP, SMPI, DEFAULT].map(|name| &rows[of(name)].1);
    assert_eq!((tcp.cells, tcp.ordered), (60, 132));
    assert!(tcp.median_time < 3.5 && tcp.worst_time < 40.0 && tcp.bias.abs() < 2.5, "{tcp:?}");
    assert!(tcp.median_ratio < 3.55 && tcp.worst_ratio < 27.0 && tcp.in_order >= 129, "{tcp:?}");
    assert!(smpi.median_time > 30.0 && smpi.worst_time > 100.0, "{smpi:?}");
    assert!(smpi.median_ratio > 7.0 && smpi.worst_ratio > 60.0, "{smpi:?}");
    // The default has no constant of any network, and leaves out framing and acknowledgements, 8 % of the rate.
    assert!(default.median_time < 8.5 && default.worst_time < 36.0, "{default:?}");
    assert!(default.median_ratio < 4.0 && default.worst_ratio < 36.0 && default.in_order >= 128, "{default:?}");
    let means = [TCP, SMPI].map(|name| worst_mean(&measured, &found[of(name)], &NETWORKS));
    assert!(means[0] < 4.5 && means[1] > 7.0, "{means:?}");
    // Conditions to which no constant was fitted.
    for (rows, time, ratio) in [(&clean, 7.0, 9.0), (&stock, 10.5, 9.0)] {
        let (tcp, smpi) = (&rows[of(TCP)].1, &rows[of(SMPI)].1);
        assert!(tcp.median_time < time && tcp.median_ratio < ratio, "{tcp:?}");
        assert!(smpi.median_time > 25.0 && smpi.median_ratio > 12.0, "{smpi:?}");
    }
    // One-way against two-way networks of the same degree: faster, by nearly as much as measured.
    for (other, one_way, faster) in [("rand16d3", "imase16d3", 1.272), ("rand16d4", "imase16d4", 1.414)] {
        let ours = mean_ratio(&found[of(TCP)], other, one_way);
        assert!((mean_ratio(&measured, other, one_way) - faster).abs() < 5e-4);
        assert!((ours / faster).ln().abs() < 0.04, "{other}: {ours}");
    }
}

/// Seconds until each flow of a pattern is done, in each measured run.
fn measured_flows(pattern: &str) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(reality().join("measured/flows.jsonl")).expect("measurements");
    let mut runs = Vec::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        if line["name"] == pattern {
            let seconds = |row: &serde_json::Value| {
                assert_eq!(row["bytes"], FLOW_BYTES);
                row["t"].as_array().expect("times").iter().map(|t| t.as_f64().expect("seconds")).collect()
            };
            runs.extend(line["rows"].as_array().expect("rows").iter().map(seconds));
        }
    }
    runs
}

/// Flows of a pattern: pairs of hosts.
type Flows = [(usize, usize)];

/// Bytes of a measured flow.
const FLOW_BYTES: u64 = 2 << 20;

/// Seconds until each flow of a pattern on a ring of eight hosts is done.
fn predicted_flows(pairs: &Flows, sharing: &'static str, folder: &Path) -> Vec<f64> {
    let tcp = CANDIDATES.iter().find(|candidate| candidate.name == TCP).expect("a candidate");
    // These cables had 20 Mbit/s.
    let candidate = Candidate { sharing: Some(sharing), divisor: 0.25, ..*tcp };
    // Each flow has two ranks of its own, on the hosts of the pair.
    let mut actions = String::new();
    (0..2 * pairs.len()).for_each(|rank| writeln!(actions, "{rank} init").expect("text"));
    for flow in 0..pairs.len() {
        let (from, to) = (2 * flow, 2 * flow + 1);
        writeln!(actions, "{from} send {to} 0 {FLOW_BYTES} 6\n{to} recv {from} 0 {FLOW_BYTES} 6").expect("text");
    }
    let file = folder.join("flows.ti");
    std::fs::write(&file, actions).expect("a file");
    let trace = trace::read(&file, &trace::Options::default()).expect("a trace");
    let network = candidate.network("ring:8");
    let hosts: Vec<HostId> = pairs.iter().flat_map(|&(from, to)| [from, to]).map(|host| HostId(host as u32)).collect();
    let rank_map = RankMap::new(hosts);
    let outcome = replay(&trace, &network.platform, &rank_map, &candidate.model(0), &mut ()).expect("runs");
    (0..pairs.len()).map(|flow| outcome.ranks[2 * flow + 1].end).collect()
}

#[test]
#[cfg_attr(no_measurements, ignore = "there are no measurements: set MOPSIM_SHARED")]
fn a_flow_that_meets_others_gets_the_proportionally_fair_share() {
    let folder = tempfile::tempdir().expect("a folder");
    let patterns: [(&str, &str, &Flows); 3] = [
        ("two-share", "two on a link: 0 to 2, 1 to 2", &[(0, 2), (1, 2)]),
        ("three-share", "three on a link: 0, 1, 2 to 3", &[(0, 3), (1, 3), (2, 3)]),
        ("parking-lot", "parking lot: 0 to 3; 0 to 1, 1 to 2, 2 to 3", &[(0, 3), (0, 1), (1, 2), (2, 3)]),
    ];
    let mut table = "| flows of 2 MiB | measured | `exact` | `proportional` |\n| --- | --- | --- | --- |".to_owned();
    let said = |times: &[f64]| times.iter().map(|time| format!("{time:.2}")).collect::<Vec<_>>().join(", ");
    for (name, words, pairs) in patterns {
        let runs = measured_flows(name);
        let medians: Vec<f64> = (0..pairs.len())
            .map(|flow| {
                let mut times: Vec<f64> = runs.iter().map(|run| run[flow]).collect();
                times.sort_by(f64::total_cmp);
                middle(&times)
            })
            .collect();
        let [exact, proportional] =
            ["exact", "proportional"].map(|sharing| predicted_flows(pairs, sharing, folder.path()));
        write!(table, "\n| {words} | {} | {} | {} |", said(&medians), said(&exact), said(&proportional)).expect("text");
        let worst = |times: &[f64]| {
            times.iter().zip(&medians).map(|(time, median)| (time / median).ln().abs()).fold(0.0, f64::max)
        };
        assert!(worst(&proportional) < 0.1, "{name}: {proportional:?}, measured {medians:?}");
        assert_eq!(worst(&exact) > 0.3, name == "parking-lot", "{name}: {exact:?}, measured {medians:?}");
    }
    Page::open("../reference/validation").put("flows", &table);
}
