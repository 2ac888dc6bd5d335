//! Predicted times against those that `mopsim emulate validate` measured: the tables on live measurements of
//! docs/reference/validation.md.
//!
//! Measurements and recordings are in `tests/data/emulated`. The programs were written and measured after the constants of all
//! models were fixed.

use super::errors::{Errors, Times, errors, errors_table, mean_ratio, means_table, times_table, worst_mean};
use super::pages::Page;
use lzma_rust2::XzReader;
use mopsim::emulate::launch::{EAGER_LIMIT, PINNED};
use mopsim::engine::{Model, replay};
use mopsim::mpi::mapping::Mapping;
use mopsim::platform::parameters::PlatformParameters;
use mopsim::platform::units::{Bandwidth, HostLinkBandwidth, Seconds};
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::trace::{self, Trace};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Rate of all cables, in bytes per second: 5 Mbit/s.
const RATE: f64 = 625_000.0;

/// Latency of a cable in seconds for models without a latency of messages, as in `mopsim emulate validate`.
const LATENCY: f64 = 1e-5;

/// Models and sharing rules, in the order of the tables.
const MODELS: [(&str, &str); 6] = [
    ("tcp", "exact"),
    ("ordered", "exact"),
    ("ideal", "exact"),
    ("smpi", "exact"),
    ("ordered", "proportional"),
    ("tcp", "proportional"),
];

/// Times that were measured, and names.
struct Measured {
    /// Programs, in the order of the file.
    programs: Vec<String>,
    /// Specification and name in tables of each network. The first one is the baseline.
    networks: Vec<(String, String)>,
    times: Times,
}

/// The folder of a campaign: eleven kernels and a molecular dynamics program on 16 hosts if the name is empty.
fn folder(campaign: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/emulated").join(campaign)
}

fn measured(campaign: &str) -> Measured {
    let mut reader = csv::Reader::from_path(folder(campaign).join("measured.csv")).expect("measurements");
    let programs: Vec<String> = reader.headers().expect("a heading").iter().skip(2).map(str::to_owned).collect();
    let (mut networks, mut times) = (Vec::new(), Times::new());
    for row in reader.records() {
        let row = row.expect("a network");
        let seconds = row.iter().skip(2).map(|seconds| seconds.parse().expect("seconds"));
        times.insert(row[0].to_owned(), programs.iter().cloned().zip(seconds).collect());
        networks.push((row[0].to_owned(), row[1].to_owned()));
    }
    Measured { programs, networks, times }
}

fn traces(campaign: &str, programs: &[String]) -> BTreeMap<String, Trace> {
    let recordings = tempfile::tempdir().expect("a folder");
    let archive = File::open(folder(campaign).join("recordings.tar.xz")).expect("recordings");
    tar::Archive::new(XzReader::new(archive, true)).unpack(recordings.path()).expect("an archive");
    let read = |program: &String| {
        let path = recordings.path().join(format!("{program}.mrec"));
        (program.clone(), trace::read(&path, &trace::Options::default()).expect("a recording"))
    };
    programs.iter().map(read).collect()
}

/// Hosts have no links of their own, and switches no delay, as on the emulated networks.
fn network(spec: &str, latency: f64) -> NetworkUnderTest {
    let nothing = Seconds::new(0.0).ok();
    let parameters = PlatformParameters {
        link_bandwidth: Some(Bandwidth::new(RATE).expect("a rate")),
        link_latency: Seconds::new(latency).ok(),
        switch_delay: nothing,
        cable_delay: nothing,
        host_link_bandwidth: Some(HostLinkBandwidth::None),
        ..PlatformParameters::default()
    };
    NetworkChoice { topology: Some(spec.to_owned()), parameters, ..NetworkChoice::default() }
        .build(Path::new(""))
        .expect("a network")
}

/// The model with Open MPI's eager limit, and the algorithms that the programs were held to.
fn model((name, sharing): (&str, &str)) -> Model {
    let choice = ModelChoice {
        network_model: Some(name.to_owned()),
        sharing: Some(sharing.to_owned()),
        detached_below: Some(EAGER_LIMIT + 1),
        collective: PINNED.map(|(kind, _, algorithm)| (kind.replace('_', ""), algorithm.to_owned())).into(),
        smp_setup: Some(false),
        ..ModelChoice::default()
    };
    choice.build().expect("a model").0
}

fn predicted(name: (&str, &str), measured: &Measured, traces: &BTreeMap<String, Trace>) -> Times {
    let model = model(name);
    let latency = if model.network.message_latency.is_none() { LATENCY } else { 0.0 };
    let on = |spec: &String| {
        let network = network(spec, latency);
        let hosts = network.platform.hosts.len();
        let rank_map = Mapping::OneEach.rank_map(hosts, hosts).expect("enough hosts");
        let seconds = |(program, trace): (&String, &Trace)| {
            let outcome = replay(trace, &network.platform, &rank_map, &model, &mut ()).expect("runs");
            (program.clone(), outcome.simulated_seconds)
        };
        (spec.clone(), traces.iter().map(seconds).collect())
    };
    measured.networks.iter().map(|(spec, _)| on(spec)).collect()
}

/// A campaign with the times and errors of [`MODELS`].
struct Campaign {
    measured: Measured,
    found: [Times; 6],
    /// Names of models in tables, and their errors.
    rows: [(String, Errors); 6],
}

impl Campaign {
    /// Replays the recordings of a campaign, and puts its errors and times into the blocks of that name on the page.
    fn put(page: &Page, campaign: &str, block: &str) -> Self {
        let measured = measured(campaign);
        let traces = traces(campaign, &measured.programs);
        let found = MODELS.map(|name| predicted(name, &measured, &traces));
        let rows = [0, 1, 2, 3, 4, 5].map(|at| {
            let name = match MODELS[at] {
                ("ordered", "exact") => "`ordered` (default)".to_owned(),
                (name, "exact") => format!("`{name}`"),
                (name, sharing) => format!("`{name}`, `sharing = \"{sharing}\"`"),
            };
            (name, errors(&measured.times, &found[at], &measured.networks[0].0))
        });
        let campaign = Self { measured, found, rows };
        let Self { measured, found, rows } = &campaign;
        let programs: Vec<&str> = measured.programs.iter().map(String::as_str).collect();
        let rows: Vec<(&str, Errors)> = rows.iter().map(|(name, errors)| (&**name, *errors)).collect();
        page.put(&format!("errors, {block}"), &errors_table(&rows));
        page.put(&format!("times, {block}"), &times_table(&measured.times, &found[0], &programs, &campaign.networks()));
        campaign
    }

    /// Specifications and names of the networks.
    fn networks(&self) -> Vec<(&str, &str)> {
        self.measured.networks.iter().map(|(spec, name)| (&**spec, &**name)).collect()
    }
}

#[test]
fn live_measurements_are_as_near_as_the_page_says() {
    let page = Page::open("../reference/validation");
    let campaign = Campaign::put(&page, "", "live");
    let (Campaign { measured, found, rows }, networks) = (&campaign, campaign.networks());
    let models: Vec<(&str, &Times)> = rows.iter().map(|(name, _)| name.as_str()).zip(found).collect();
    page.put("means, live", &means_table(&measured.times, &models, &networks));
    // The goals were 8 % for times, 6 % and 35 % for ratios, 6 % for geometric means, and the order in 99 % of pairs.
    let [tcp, ordered, _, smpi] = [0, 1, 2, 3].map(|at| &rows[at].1);
    assert_eq!((tcp.cells, tcp.ordered), (84, 200));
    assert!(
        tcp.median_time < 10.5 && tcp.median_ratio < 8.3 && tcp.worst_ratio < 41.0 && tcp.in_order >= 198,
        "{tcp:?}"
    );
    assert!(ordered.median_time < 9.0 && ordered.median_ratio < 9.0 && ordered.in_order >= 195, "{ordered:?}");
    assert!(smpi.median_time > 40.0 && smpi.median_ratio > 11.0, "{smpi:?}");
    let means = [&found[0], &found[1], &found[3]].map(|times| worst_mean(&measured.times, times, &networks));
    assert!(means[0] < 10.5 && means[1] < 12.5 && means[2] > 11.0, "{means:?}");
    // Random two-way networks against the one-way network of the same degree.
    let spec = |name: &str| networks.iter().find(|network| network.1 == name).expect("a network").0;
    for (other, one_way, faster) in [("random d=3", "Imase d=3", 1.395), ("random d=4", "Imase d=4", 1.304)] {
        let ratio = |times: &Times| mean_ratio(times, spec(other), spec(one_way));
        assert!((ratio(&measured.times) - faster).abs() < 5e-4);
        assert!((ratio(&found[1]) / faster).ln().abs() < 0.07, "{other}: {}", ratio(&found[1]));
    }
}

/// Parts of HPCC and two jobs side by side on 16 hosts; six of the kernels on eight and on four.
#[test]
fn further_live_measurements_are_as_near_as_the_page_says() {
    let page = Page::open("../reference/validation");
    let [parts, eight, four] = ["parts-16", "hosts-8", "hosts-4"]
        .map(|campaign| Campaign::put(&page, campaign, campaign).rows.map(|(_, errors)| errors));
    let [tcp, ordered, _, smpi, ..] = &parts;
    assert_eq!((tcp.cells, tcp.ordered), (28, 56));
    assert!(tcp.median_time < 22.5 && tcp.median_ratio < 11.5 && tcp.in_order >= 54, "{tcp:?}");
    assert!(ordered.median_time < 27.5 && ordered.in_order >= 55 && smpi.median_time > 70.0, "{ordered:?} {smpi:?}");
    for (rows, cells, time, ratio) in [(&eight, 24, 6.7, 10.3), (&four, 18, 7.3, 9.7)] {
        let [tcp, ordered, _, smpi, ..] = rows;
        assert_eq!(tcp.cells, cells);
        assert!(tcp.median_time < time && tcp.median_ratio < ratio && tcp.in_order + 1 >= tcp.ordered, "{tcp:?}");
        assert!(ordered.median_time < time && ordered.median_ratio < ratio, "{ordered:?}");
        assert!(smpi.median_time > 43.0, "{smpi:?}");
    }
}
