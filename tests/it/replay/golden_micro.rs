//! Small replays against SimGrid 3.32: the end of every action of every rank.
//!
//! A case is a folder with a SimGrid platform, a host file, a trace, options and the expected times. Results of the
//! reference come from its incremental sharing, which leaves stale rates in a few cases; those are listed here, so that
//! a case can neither join nor leave them unnoticed. They are compared with SimGrid's full solver instead
//! (`--cfg=network/optim:Full`), whose times are in `data/micro_full`. If SimGrid cannot replay the collectives of a
//! case, those times are from the point-to-point messages that the collectives consist of.

use crate::support;
use mopsim::engine::{Model, Observer, replay};
use mopsim::mpi::MpiOptions;
use mopsim::mpi::collective::{Selector, select::Table};
use mopsim::mpi::mapping::Mapping;
use mopsim::network::Precision;
use mopsim::network::model::NetworkModel;
use mopsim::network::sharing::Rule;
use mopsim::platform::load::LoadOptions;
use mopsim::platform::parameters::Loopback;
use mopsim::platform::units::{Bandwidth, Seconds};
use mopsim::platform::{Platform, hostfile};
use mopsim::trace::{Action, Trace, ti};
use std::collections::BTreeMap;
use std::path::Path;

/// SimGrid merges events closer than this.
const SIMGRID_PRECISION: f64 = 1e-9;
const TOLERANCE: f64 = 1e-9;

/// Cases in which the incremental solver leaves stale rates. For all but the last, `data/micro_full` has the results of
/// SimGrid's full solver; the last is the reference's own `lazy_quirk_full` with the incremental solver.
const STALE_RATES: [&str; 5] =
    ["coll_mvapich2_bcast_16", "rand_10_0", "smp_mvapich2_9x2_10", "smp_mvapich2_9x2_3000", "lazy_quirk_lazy"];

/// Reference of exact sharing: SimGrid's full solver does not merge the ends of transfers.
const EXACT: (Rule, Precision) = (Rule::Exact, Precision { transfers: 0.0, others: SIMGRID_PRECISION });
/// SimGrid's default.
const LAZY: (Rule, Precision) =
    (Rule::SimgridLazy, Precision { transfers: SIMGRID_PRECISION, others: SIMGRID_PRECISION });

/// List of the files of a case, with names relative to the folder of the case, as on the reference's command line; so
/// it is copied there from the folder of the files.
const LIST: &str = "list.txt";

struct Case {
    ranks: usize,
    model: Model,
    loopback: (f64, f64),
    expected_final: f64,
    /// (rank, index without init and finalize) -> time
    expected_ends: BTreeMap<(u32, usize), f64>,
}

fn read_case(folder: &Path) -> Case {
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let mut case = Case {
        ranks: 0,
        model: Model {
            network: NetworkModel::smpi(),
            mpi: MpiOptions::default(),
            // The reference performs the SMP set-up inside the first collective that needs it.
            collectives: Selector::new(Table::Default, true),
            sharing: LAZY.0,
            precision: LAZY.1,
            medium: None,
            noise: None,
        },
        loopback: (10e9, 0.0),
        expected_final: 0.0,
        expected_ends: BTreeMap::new(),
    };
    let args = text("args.txt");
    let mut options: Vec<(&str, &str)> = Vec::new();
    for line in args.lines() {
        match line.split_once(' ') {
            Some(("np", ranks)) => case.ranks = ranks.parse().expect("np"),
            Some(("cfg", option)) => options.push(option.split_once(':').expect("key:value")),
            _ => {}
        }
    }
    // The model first: the other options change it.
    options.sort_by_key(|o| o.0 != "network/model");
    for (key, value) in options {
        let Model { network, mpi, collectives, sharing, precision, medium: _, noise: _ } = &mut case.model;
        match key {
            "network/model" => *network = NetworkModel::by_name(value).expect("model"),
            "network/crosstraffic" => network.cross_traffic = None,
            "network/TCP-gamma" => network.tcp_gamma = Some(value.parse().expect("gamma")),
            "smpi/bw-factor" => network.bandwidth_factor = value.parse().expect("factors"),
            "smpi/lat-factor" => network.latency_factor = value.parse().expect("factors"),
            "network/loopback-bw" => case.loopback.0 = value.parse().expect("bandwidth"),
            "network/loopback-lat" => case.loopback.1 = value.parse().expect("latency"),
            "smpi/coll-selector" => *collectives = Selector::new(Table::from_name(value).expect("table"), true),
            "smpi/send-is-detached-thresh" => mpi.detached_below = value.parse().expect("bytes"),
            "smpi/os" => mpi.send_overhead = value.parse().expect("overhead"),
            "smpi/ois" => mpi.isend_overhead = value.parse().expect("overhead"),
            "smpi/or" => mpi.recv_overhead = value.parse().expect("overhead"),
            "network/optim" => {
                assert_eq!(value, "Full");
                (*sharing, *precision) = EXACT;
            }
            "smpi/async-small-thresh" => mpi.async_below = value.parse().expect("bytes"),
            other => panic!("{}: option {other}", folder.display()),
        }
    }
    case.expect(&text("expected.txt"));
    std::fs::copy(folder.join("trace/list.txt"), folder.join(LIST)).expect("list");
    case
}

impl Case {
    /// Parses expected times, one per line.
    fn expect(&mut self, text: &str) {
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[0] {
                "final" => self.expected_final = words[1].parse().expect("a time"),
                "end" => {
                    let key = (words[1].parse().expect("rank"), words[2].parse().expect("index"));
                    self.expected_ends.insert(key, words[3].parse().expect("a time"));
                }
                other => panic!("{other}"),
            }
        }
    }
}

/// Collects the ends of actions, numbered as the reference numbers them: without init and finalize.
struct Ends<'a> {
    trace: &'a Trace,
    next: Vec<usize>,
    ends: BTreeMap<(u32, usize), f64>,
}

impl Observer for Ends<'_> {
    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        if !matches!(self.trace.actions[rank as usize].get(action), Some(Action::Init | Action::Finalize)) {
            let index = &mut self.next[rank as usize];
            self.ends.insert((rank, *index), time);
            *index += 1;
        }
    }
}

/// Returns the largest relative difference of the final time and of the ends of all actions.
fn difference(folder: &Path, case: &Case) -> f64 {
    let loopback = Loopback {
        bandwidth: Bandwidth::new(case.loopback.0).expect("bandwidth"),
        latency: Seconds::new(case.loopback.1).expect("latency"),
    };
    let platform = Platform::load(&folder.join("platform.xml"), &LoadOptions { loopback }).expect("platform");
    let hosts = hostfile::load(&folder.join("hostfile"), &platform).expect("host file");
    let trace_options = ti::Options { ranks: Some(case.ranks), ..ti::Options::default() };
    let trace = ti::read(&folder.join(LIST), &trace_options).expect("trace");
    let rank_map = Mapping::Hosts(hosts).rank_map(case.ranks, platform.hosts.len()).expect("mapping");
    let mut ends = Ends { trace: &trace, next: vec![0; case.ranks], ends: BTreeMap::new() };
    let outcome = replay(&trace, &platform, &rank_map, &case.model, &mut ends).expect("runs");
    let mut worst = support::relative_difference(outcome.simulated_seconds, case.expected_final);
    for (key, expected) in &case.expected_ends {
        let end = ends.ends.get(key).unwrap_or_else(|| panic!("{}: no action {key:?}", folder.display()));
        worst = worst.max(support::relative_difference(*end, *expected));
    }
    worst
}

#[test]
fn small_replays_agree_with_the_reference() {
    let folder = tempfile::tempdir().expect("folder");
    let packed = std::fs::File::open(support::data().join("micro.tar.zst")).expect("cases");
    tar::Archive::new(zstd::Decoder::new(packed).expect("zstd")).unpack(folder.path()).expect("cases");
    let mut folders: Vec<_> =
        std::fs::read_dir(folder.path().join("micro")).expect("cases").map(|e| e.expect("entry").path()).collect();
    folders.sort();
    let mut differences = Vec::new();
    let mut wrong = Vec::new();
    for folder in &folders {
        let name = folder.file_name().and_then(|n| n.to_str()).expect("name");
        let mut case = read_case(folder);
        let as_made = difference(folder, &case);
        differences.push(as_made);
        if as_made > TOLERANCE {
            wrong.push(format!("{name}: {as_made:e}"));
        }
        if case.model.sharing == Rule::Exact {
            continue;
        }
        // Exact sharing agrees if it merges events as the incremental solver does, except where that is wrong.
        case.model.sharing = Rule::Exact;
        if STALE_RATES.contains(&name) {
            if difference(folder, &case) <= TOLERANCE {
                wrong.push(format!("{name}: exact sharing agrees with stale rates"));
            }
            let full = support::data().join("micro_full").join(name).with_extension("txt");
            let Ok(times) = std::fs::read_to_string(full) else { continue };
            case.expect(&times);
            case.model.precision = EXACT.1;
        }
        let exact = difference(folder, &case);
        if exact > TOLERANCE {
            wrong.push(format!("{name}, exact sharing: {exact:e}"));
        }
    }
    differences.sort_by(f64::total_cmp);
    println!(
        "{} cases, median difference {:e}, largest {:e}",
        differences.len(),
        support::median(&differences),
        differences.last().copied().unwrap_or(0.0)
    );
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), folders.len(), wrong.join("\n"));
    assert!(folders.len() >= 336);
}
