//! What the fuzz targets do with some bytes. Also run by a test with stable Rust, so that they cannot rot.

#![allow(dead_code)] // Each target uses one of them.

use std::path::Path;
use std::sync::Arc;

use mopsim::cost::PriceList;
use mopsim::engine::replay;
use mopsim::ids::{HostId, LinkId};
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::{Host, Loopback, Platform, RouteTable, explicit, hostfile, rankfile, simgrid_xml};
use mopsim::study::choice::ModelChoice;
use mopsim::study::jobs::{JobEntry, JobsFile};
use mopsim::study::{file::StudyFile, toml_file};
use mopsim::throughput::study::StudyFile as ThroughputFile;
use mopsim::topology::{self, Spec};
use mopsim::trace::{self, Options, SideFile, Trace, TraceError};
use mopsim::user_error::UserError;
use mopsim::workload::Program;

/// Limits that keep a run of the fuzzer short.
fn options() -> Options {
    Options { max_unpacked_bytes: 64 << 20, leave_out: true, ..Options::default() }
}

/// What was read has to be whole, and has to be the same when it is written and read again. Whether it was read.
fn look(result: Result<Trace, TraceError>) -> bool {
    match &result {
        Ok(trace) if trace.ranks() <= 1 << 12 => {
            trace::inspect::check(trace);
            let mut bytes = Vec::new();
            trace::write(trace, &trace::compact::Compact, &mut bytes).expect("memory takes it");
            let again = trace::read_from(&*bytes, "again", &Options::default()).expect("what was written is read");
            assert_eq!(trace.total_actions(), again.total_actions());
        }
        Ok(_) => {}
        Err(error) => assert!(!error.to_string().is_empty() && !error.help().is_empty()),
    }
    result.is_ok()
}

/// A trace in one file.
pub fn trace(data: &[u8]) -> bool {
    look(trace::read_from(data, "fuzz", &options()))
}

/// A schedule whose ranks stay graphs: it ends under the LogGOPS model or says why not, and two of it are one trace.
pub fn schedule(data: &[u8]) -> bool {
    let Ok(trace) = trace::read_from(data, "fuzz", &Options { keep_graphs: true, ..options() }) else { return false };
    if trace.schedule.is_none() || trace.ranks() > 1 << 10 {
        return false;
    }
    let merged = trace::transform::merge(&[&trace, &trace]).expect("two small ones are not too large");
    assert_eq!(merged.total_actions(), 2 * trace.total_actions());
    let choice = ModelChoice { network_model: Some("loggops".into()), ..ModelChoice::default() };
    let (model, _) = choice.build().expect("a model");
    let host = |rank: usize| Host { name: rank.to_string().into(), switch: None, speed: 1e11, cores: 1 };
    let hosts = (0..merged.ranks()).map(host).collect();
    let platform = Platform {
        name: "fuzz".into(),
        hosts,
        failed: Vec::new(),
        links: Vec::new(),
        loopback: None,
        routes: Arc::new(Nowhere),
    };
    let run = |trace: &Trace| replay(trace, &platform, &RankMap::one_each(trace.ranks()), &model, &mut ());
    match (run(&trace), run(&merged)) {
        (Ok(one), Ok(both)) => assert_eq!(one.simulated_seconds, both.simulated_seconds),
        (Err(one), Err(both)) => assert!(one.help() == both.help() && !one.to_string().is_empty()),
        (one, both) => panic!("{one:?} alone, {both:?} together"),
    }
    true
}

/// No routes: the LogGOPS model asks for none.
struct Nowhere;

impl RouteTable for Nowhere {
    fn route(&self, _: HostId, _: HostId, _: &mut Vec<LinkId>) -> bool {
        false
    }
}

/// A file of jobs, of any of its forms, and jobs of the command line.
pub fn jobs(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let words = text.lines().filter(|line| line.parse::<JobEntry>().is_ok()).count();
    JobsFile::parse(Path::new("fuzz.toml"), text).is_ok() || words > 0
}

/// The file of one rank of a DUMPI trace.
pub fn dumpi(data: &[u8]) -> bool {
    look(trace::read_rank("DUMPI", data, &options()))
}

/// The file of one rank of a liballprof trace.
pub fn liballprof(data: &[u8]) -> bool {
    look(trace::read_rank("liballprof", data, &options()))
}

/// The file of one rank of a recording of `mopsim record`.
pub fn recording(data: &[u8]) -> bool {
    look(trace::read_rank("recording", data, &options()))
}

/// A specification of a topology; nothing is built.
pub fn spec(data: &[u8]) -> bool {
    let Some(spec) = text(data).and_then(|text| text.parse::<Spec>().ok()) else { return false };
    let written = spec.to_string();
    let again = written.parse::<Spec>().expect("what is written can be read");
    assert_eq!(written, again.to_string());
    true
}

/// A study file, as written.
pub fn study(data: &[u8]) -> bool {
    text(data).is_some_and(|text| toml_file::parse::<StudyFile>(Path::new("fuzz.toml"), text).is_ok())
}

/// A platform of explicit JSON or SimGrid XML.
pub fn platform(data: &[u8]) -> bool {
    text(data).is_some_and(|text| {
        let read = if text.trim_start().starts_with('{') { explicit::parse } else { simgrid_xml::parse };
        read("fuzz", text, Loopback::default()).is_ok()
    })
}

/// A graph: JSON, GraphML, GML, a fabric, a network of BookSim or edges, told apart by their first character. Graphs are read
/// from files only.
pub fn graph(data: &[u8]) -> bool {
    let format = match data.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => "json",
        Some(b'<') => "graphml",
        Some(b'g') => "gml",
        Some(b'S' | b'C' | b'H' | b'v' | b'[') => "ibnet",
        Some(b'r' | b'n') => "anynet",
        _ => "edges",
    };
    // Legal graphs are larger than what a fuzzer may take.
    mopsim::memory::set_limit(200 << 20);
    in_file(data, |file| topology::build(&format!("{format}:path=\"{}\"", file.display())).is_ok())
}

/// A host file and a rank file.
pub fn hosts(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let hosts = r#"{"switches": 2, "hosts": [0, 1, 1], "host_flops": 1e9, "arcs": [[0, 1, 1e9, 1e-6], [1, 0, 1e9, 1e-6]], "routes": {"0-1": [0], "0-2": [0], "1-0": [1], "2-0": [1]}}"#;
    static PLATFORM: std::sync::OnceLock<Platform> = std::sync::OnceLock::new();
    let platform = PLATFORM.get_or_init(|| explicit::parse("hosts", hosts, Loopback::default()).expect("a platform"));
    hostfile::parse("fuzz", text, platform).is_ok() | rankfile::parse("fuzz", text, platform).is_ok()
}

/// A workload program; it is read, and nothing of it runs but what is outside of functions.
pub fn program(data: &[u8]) -> bool {
    text(data).is_some_and(|text| Program::parse("fuzz.star", text.to_owned(), None, false).is_ok())
}

/// A price list, a study of throughput, a side file: small files in TOML.
pub fn toml(data: &[u8]) -> bool {
    let Some(text) = text(data) else { return false };
    let prices = PriceList::from_toml(text).is_ok();
    let study = toml_file::parse::<ThroughputFile>(Path::new("fuzz.toml"), text).is_ok();
    let side = in_file(data, |file| SideFile::read(file).is_ok());
    prices | study | side
}

/// Does something with a file of this content.
fn in_file(data: &[u8], look: impl FnOnce(&Path) -> bool) -> bool {
    let file = std::env::temp_dir().join(format!("mopsim-fuzz-{}", std::process::id()));
    if std::fs::write(&file, data).is_err() {
        return false;
    }
    let taken = look(&file);
    let _ = std::fs::remove_file(&file);
    taken
}

fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// What a target does. Whether the bytes were taken for what they should be.
pub type Body = fn(&[u8]) -> bool;

/// All targets by name.
pub const ALL: [(&str, Body); 13] = [
    ("trace", trace),
    ("schedule", schedule),
    ("jobs", jobs),
    ("dumpi", dumpi),
    ("liballprof", liballprof),
    ("recording", recording),
    ("spec", spec),
    ("study", study),
    ("platform", platform),
    ("graph", graph),
    ("hosts", hosts),
    ("program", program),
    ("toml", toml),
];
