//! Real MPI programs whose threads call MPI at the same time, recorded and replayed.

use crate::support::programs::{Library, Run, counted, launched, libraries, recorded, replayed, text};
use mopsim::trace::{self, Action, CollectiveKind as Kind, Options, Trace, inspect};
use std::path::Path;
use std::process::Command;

/// Records a program of threads and reads the trace and the program's own counts; `None` if the library does not
/// support threads.
fn with_threads(library: &Library, source: &str, ranks: u32, arguments: &[&str]) -> Option<(Trace, String, Vec<u8>)> {
    let run = Run::new(library);
    let program = run.compile(source, &["-pthread"]).expect("C is compiled");
    let output = run.record(&["-o", "it.mrec"], &program, ranks, arguments);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{library:?}: {shown}\n{said}");
    if shown.contains("no threads") {
        eprintln!("skipped: {library:?} is built without MPI_THREAD_MULTIPLE");
        return None;
    }
    let file = std::fs::read(run.path("it.mrec/rank-000000.mrec")).expect("is there");
    let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
    assert_eq!(recorded(&trace), counted(&shown), "{library:?}: recorded\n{said}");
    assert_eq!(replayed(&trace), counted(&shown), "{library:?}: replayed\n{said}");
    Some((trace, shown, file))
}

/// One thread sends while another one receives, in a ring: no sequential order of whole calls could be replayed.
#[test]
fn threads_that_send_and_receive_in_a_ring() {
    for library in libraries() {
        for ranks in [2, 3] {
            let Some((trace, ..)) = with_threads(&library, "ring.c", ranks, &[]) else { continue };
            let mut findings = inspect::check(&trace);
            findings.retain(|finding| finding.severity == inspect::Severity::Error);
            assert!(findings.is_empty(), "{library:?}: {findings:?}");
            let has = |what: fn(&Action) -> bool| trace.actions[0].iter().any(|action| what(&action));
            assert!(has(|action| matches!(action, Action::Isend { .. })), "{library:?}: sends and receives overlap");
        }
    }
}

/// One thread that may have others, but has none: the recording is the same as where others are impossible.
#[test]
fn a_thread_that_is_alone_is_recorded_as_ever() {
    /// Header flag: several threads may call.
    const MULTIPLE: u8 = 2;
    for library in libraries() {
        let Some((alone, _, file)) = with_threads(&library, "ring.c", 3, &["alone"]) else { continue };
        let Some((single, _, other)) = with_threads(&library, "ring.c", 3, &["single"]) else { continue };
        assert_eq!((file[10] & MULTIPLE, other[10] & MULTIPLE), (MULTIPLE, 0), "{library:?}");
        let calls = |trace: &Trace| -> Vec<Vec<Action>> {
            let is_call = |action: &Action| !matches!(action, Action::Compute { .. });
            trace.actions.iter().map(|actions| actions.iter().filter(is_call).collect()).collect()
        };
        assert_eq!(calls(&alone), calls(&single), "{library:?}");
        assert_eq!(alone.collectives, single.collectives, "{library:?}");
    }
}

/// Returns the bytes that each rank has received by `MPI_Allgatherv`.
fn gathered(trace: &Trace) -> Vec<u64> {
    let bytes = |action: &Action| {
        let call = action.collective().map(|index| &trace.collectives[index as usize]);
        let counts =
            call.filter(|call| call.kind == Kind::Allgatherv).map_or(&[][..], |call| trace.counts(call.recv_counts));
        counts.iter().map(|&count| u64::from(count)).sum::<u64>()
    };
    trace.actions.iter().map(|actions| actions.iter().map(|action| bytes(&action)).sum()).collect()
}

/// Threads that make communicators, probe and gather at the same time.
#[test]
fn threads_that_make_communicators_and_gather() {
    for library in libraries() {
        let Some((trace, shown, _)) = with_threads(&library, "threads.c", 2, &[]) else { continue };
        let of = |rank: usize| {
            let word = format!("gathered {rank} ");
            shown.lines().find_map(|line| line.strip_prefix(&word)?.parse::<u64>().ok()).expect("it is told")
        };
        assert_eq!(gathered(&trace), [of(0), of(1)], "{library:?}");
    }
}

/// Both programs under the compiler's thread sanitizer: no data of the recorder is used by two threads without the
/// lock.
#[test]
fn threads_share_nothing_without_the_lock() {
    let Some(library) = libraries().into_iter().next() else { return };
    for program in ["threads.c", "ring.c"] {
        watched(&library, program);
    }
}

fn watched(library: &Library, name: &str) {
    let run = Run::new(library);
    let program = run.path("watched");
    let source = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut compile = Command::new(library.mpicc);
    compile.args(["-g", "-O1", "-fsanitize=thread", "-pthread", "-o"]).arg(&program);
    compile.arg(source("src/record/c/recorder.c")).arg(source(&format!("tests/recorder/{name}")));
    if !compile.output().expect("the compiler runs").status.success() {
        eprintln!("skipped: {} has no -fsanitize=thread", library.mpicc);
        return;
    }
    let mut command = Command::new(library.mpirun);
    // The sanitizer does not know the MPI library, so its findings there are ignored.
    command.env("MOPSIM_RECORD_DIR", run.folder.path()).env("TSAN_OPTIONS", "detect_deadlocks=0:exitcode=0");
    let output = launched(&mut command, &program, 2).output().expect("the launcher runs");
    let said = text(&output.stderr);
    if !output.status.success() || counted(&text(&output.stdout)).is_empty() {
        eprintln!("skipped: the program cannot be watched here: {said}");
        return;
    }
    assert!(run.path("rank-000001.mrec").is_file(), "{said}");
    let races: Vec<&str> =
        said.lines().filter(|line| line.contains("data race") && line.contains("src/record/c/")).collect();
    assert!(races.is_empty(), "{races:#?}");
}
