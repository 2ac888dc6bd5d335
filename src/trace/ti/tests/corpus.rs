//! Recorded traces. They are not part of the repository; if `build.rs` has not found them, the tests are ignored.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::*;
use crate::trace::Action;

/// Returns a folder of the shared test data, which is in `$MOPSIM_SHARED`, otherwise in `shared` next to the
/// repository.
fn shared(folder: &str) -> PathBuf {
    let base = std::env::var_os("MOPSIM_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")), PathBuf::from);
    let found = base.join(folder);
    assert!(found.is_dir(), "there is no {}: set MOPSIM_SHARED", found.display());
    found
}

#[derive(Deserialize)]
struct Expected {
    trace: String,
    ranks: usize,
    actions: u64,
    compute_flops: f64,
    kinds: BTreeMap<String, u64>,
}

fn kind(trace: &Trace, action: &Action) -> &'static str {
    match action {
        Action::Init => "init",
        Action::Finalize => "finalize",
        Action::NoOperation => "comm_dup",
        Action::Compute { .. } => "compute",
        Action::Sleep { .. } => "sleep",
        Action::Send { .. } => "send",
        Action::Isend { .. } => "isend",
        Action::Recv { .. } => "recv",
        Action::Irecv { .. } => "irecv",
        Action::SendRecv { .. } => "sendRecv",
        Action::Wait { .. } => "wait",
        Action::Test { .. } => "test",
        Action::WaitAll => "waitall",
        Action::Collective { index } => trace.collectives[*index as usize].kind.name(),
        // The corpus is SimGrid's.
        other => panic!("{other:?} is an extension"),
    }
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn recorded_traces_have_the_actions_that_their_index_tells() {
    let corpus = shared("corpus");
    let index = std::fs::read_to_string(corpus.join("traces.json")).unwrap();
    let index: Vec<Expected> = serde_json::from_str(&index).unwrap();
    assert_eq!(index.len(), 46);
    for expected in index {
        let file = corpus.join("traces").join(format!("{}.ti.xz", expected.trace));
        let trace = read(&file, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(trace.name, expected.trace);
        assert_eq!(trace.ranks(), expected.ranks, "{}", trace.name);
        assert_eq!(trace.total_actions(), expected.actions, "{}", trace.name);
        let mut kinds = BTreeMap::new();
        let mut sum = 0.0;
        for action in trace.actions.iter().flatten() {
            *kinds.entry(kind(&trace, &action).to_owned()).or_insert(0) += 1;
            if let Action::Compute { flops } = action {
                sum += flops;
            }
        }
        assert_eq!(kinds, expected.kinds, "{}", trace.name);
        // The index has six digits.
        assert!((sum / expected.compute_flops - 1.0).abs() < 1e-5, "{}: {sum}", trace.name);
        assert!(trace.warnings.is_empty());
    }
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn small_replay_cases_are_read_through_their_lists() {
    let cases = shared("golden/micro");
    let mut read_cases = 0;
    for case in std::fs::read_dir(cases).unwrap() {
        let case = case.unwrap().path();
        let arguments = std::fs::read_to_string(case.join("args.txt")).unwrap();
        let ranks = arguments.lines().find_map(|line| line.strip_prefix("np ")).unwrap().trim().parse().unwrap();
        let list = std::fs::read_to_string(case.join("trace/list.txt")).unwrap();
        // The paths are relative to the folder of the case, so the list is passed as a copy in that folder.
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("list.txt");
        let absolute: Vec<String> = list.lines().map(|path| case.join(path.trim()).display().to_string()).collect();
        std::fs::write(&copy, absolute.join("\n")).unwrap();
        for given in [None, Some(ranks)] {
            let trace = read(&copy, &Options { ranks: given, files_anywhere: true, ..Options::default() })
                .unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(trace.ranks(), ranks);
            assert!(trace.actions.iter().all(|stream| stream.first() == Some(Action::Init)));
        }
        read_cases += 1;
    }
    assert_eq!(read_cases, 336);
}
