//! OTF2 archives, by the library and as text: both readers must return the same trace.
//!
//! Archives are written by `tests/otf2/archive.c`, and their text by `otf2-print`, where the library and its program
//! are installed: no text here was written by hand. The comparison of both readers runs if mopsim is built with the
//! feature `libotf2`, and reports if it is not.

#[path = "../../../src/trace/otf2/config.rs"]
mod config;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::cli::Folder;
use crate::support::shared;
use config::flags;
use mopsim::trace::inspect::{self, Severity};
use mopsim::trace::{self, Action, CollectiveKind, Options, Trace};

/// Writes an archive, in the place of an earlier one; `None`, with a word, where the library is not installed.
fn write(folder: &Folder, arguments: &[&str]) -> Option<PathBuf> {
    let writer = folder.path("archive");
    if !writer.exists() {
        let libraries = flags("--ldflags");
        if libraries.is_empty() {
            eprintln!("skipped: otf2-config is not found, so no archive can be written");
            return None;
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otf2/archive.c");
        let mut compile = Command::new("cc");
        compile.args(flags("--cppflags")).arg(source).arg("-o").arg(&writer).args(libraries).arg("-lotf2");
        assert!(compile.status().expect("a C compiler").success());
    }
    let place = folder.path("a");
    if place.exists() {
        std::fs::remove_dir_all(&place).expect("the earlier one is removed");
    }
    assert!(Command::new(&writer).arg(&place).args(arguments).status().expect("the writer runs").success());
    Some(place.join("traces.otf2"))
}

/// The text of an archive; `None`, with a word, where nothing prints it.
fn print(folder: &Folder, anchor: &Path) -> Option<PathBuf> {
    match Command::new("otf2-print").arg("-A").arg(anchor).output() {
        Ok(output) => {
            assert!(output.status.success());
            Some(folder.write("traces.otf2.txt", output.stdout))
        }
        Err(error) => {
            eprintln!("skipped: otf2-print cannot be run ({error}), so there is no text to compare with");
            None
        }
    }
}

fn options() -> Options {
    Options { leave_out: true, recorded_speed: 1e9, ..Options::default() }
}

fn read(path: &Path) -> Trace {
    trace::read(path, &options()).unwrap_or_else(|error| panic!("{error}"))
}

#[cfg(feature = "libotf2")]
fn ti(trace: &Trace) -> String {
    let mut text = Vec::new();
    trace::ti::write(trace, &mut text).expect("memory takes it");
    String::from_utf8(text).expect("text")
}

/// Actions of the trace of which this holds.
fn count(trace: &Trace, kind: impl Fn(&Trace, &Action) -> bool) -> usize {
    trace.actions.iter().flat_map(|actions| actions.together().to_vec()).filter(|action| kind(trace, action)).count()
}

fn is_collective(trace: &Trace, action: &Action, kind: CollectiveKind) -> bool {
    matches!(action, Action::Collective { index } if trace.collectives[*index as usize].kind == kind)
}

/// The text of an archive that defines its paradigms refers to them by reference; in that of one that does not, there
/// is the bare word. Each iteration of the writer has, in the world of three ranks, a message from rank 0 to rank 1,
/// one from rank 1 to rank 2, a broadcast and an alltoallv; a gather and an allreduce on ranks 1 and 2; every fourth
/// has two messages to oneself.
#[test]
fn the_text_of_an_archive_loads() {
    let folder = Folder::new();
    for paradigms in [&["8"][..], &["8", "no-paradigms"]] {
        let Some(text) = write(&folder, paradigms).and_then(|anchor| print(&folder, &anchor)) else { return };
        let content = std::fs::read_to_string(&text).expect("text");
        assert_eq!(content.contains("Paradigm: \"MPI\" <4>"), paradigms.len() == 1);
        let trace = read(&text);
        assert_eq!(trace.ranks(), 3);
        let sends = |_: &Trace, action: &Action| matches!(action, Action::Send { .. } | Action::Isend { .. });
        let receives = |_: &Trace, action: &Action| matches!(action, Action::Recv { .. } | Action::Irecv { .. });
        assert_eq!((count(&trace, sends), count(&trace, receives)), (8 * 2 + 2 * 2, 8 * 2 + 2 * 2));
        for (kind, expected) in [
            (CollectiveKind::Bcast, 3 * 8),
            // An alltoallv of which only sums are recorded.
            (CollectiveKind::Alltoall, 3 * 8),
            (CollectiveKind::Gather, 2 * 8),
        ] {
            assert_eq!(count(&trace, |trace, action| is_collective(trace, action, kind)), expected, "{kind:?}");
        }
        assert_eq!(count(&trace, |_, action| matches!(action, Action::Start { .. })), 2 * 8);
        let wrong = inspect::check(&trace);
        assert!(wrong.iter().all(|finding| finding.severity != Severity::Error), "{wrong:?}");
    }
}

/// Both readers report that the recorder was off for a while.
#[test]
fn pauses_of_the_recorder_are_told() {
    let folder = Folder::new();
    let Some(anchor) = write(&folder, &["2", "pause"]) else { return };
    let archive = cfg!(feature = "libotf2").then(|| anchor.clone());
    for file in [print(&folder, &anchor), archive].into_iter().flatten() {
        let findings = inspect::check(&read(&file));
        let told = findings.iter().find(|finding| finding.kind == "not-recorded").expect("a finding");
        assert_eq!((told.severity, told.count), (Severity::Warning, 2));
        assert!(told.text.contains("off 2 times on 1 of 3 ranks, for 0.500002 s on one rank"), "{}", told.text);
    }
}

/// Archives that Score-P wrote on clusters, of three projects, through text and, where mopsim can, through the library.
/// Counts are those of otf2-print.
#[test]
#[cfg_attr(no_reference_data, ignore = "needs the reference data")]
fn archives_of_others_load() {
    // Name, ranks, messages, and collectives on more than one rank.
    for (name, ranks, messages, collectives) in [
        ("LLNL_TraceR_examples_stencil4d-otf_traces-32", 32, 512, 96),
        ("hpcgroup_pipit_pipit_tests_data_ping-pong-otf2", 2, 16, 0),
        ("sstsimulator_sst-macro_tests_otf2_test_traces", 10, 1440, 720),
    ] {
        let folder = Folder::new();
        let archive = shared().join(format!("real/otf2/{name}.tar.xz"));
        let packed = std::io::BufReader::new(std::fs::File::open(archive).expect("a file"));
        tar::Archive::new(lzma_rust2::XzReader::new(packed, true)).unpack(folder.path("")).expect("it unpacks");
        let anchor = folder.path("traces.otf2");
        let text = print(&folder, &anchor);
        let anchor = cfg!(feature = "libotf2").then_some(anchor);
        for file in [text, anchor].into_iter().flatten() {
            let trace = read(&file);
            assert_eq!(trace.ranks(), ranks, "{name}");
            let sends = |_: &Trace, action: &Action| matches!(action, Action::Send { .. } | Action::Isend { .. });
            let receives = |_: &Trace, action: &Action| matches!(action, Action::Recv { .. } | Action::Irecv { .. });
            assert_eq!((count(&trace, sends), count(&trace, receives)), (messages, messages), "{name}");
            let all = |_: &Trace, action: &Action| matches!(action, Action::Collective { .. });
            assert_eq!(count(&trace, all), collectives, "{name}");
            let wrong = inspect::check(&trace);
            assert!(wrong.iter().all(|finding| finding.severity != Severity::Error), "{wrong:?}");
            folder.output(&[
                "replay",
                file.to_str().expect("UTF-8"),
                "--topology",
                "full-mesh:n=4",
                "--hosts-per-switch",
                "8",
            ]);
        }
    }
}

/// Bytes that an anchor file begins with.
const ANCHOR: &[u8] = b"\x03BOTF2\0\x03\x00\x02\0\0\0\0\x10\0";

#[test]
fn an_archive_without_the_library_says_what_to_do() {
    let folder = Folder::new();
    folder.write("traces.otf2", ANCHOR);
    let help: &[&str] = if cfg!(feature = "libotf2") {
        &["traces.otf2", "the archive cannot be read", "otf2-print traces.otf2"]
    } else {
        &["traces.otf2", "without the library", "otf2-print -A traces.otf2", "--features libotf2"]
    };
    folder.refuse(&["trace", "info", "traces.otf2"], 2, help);
    if !cfg!(feature = "libotf2") {
        eprintln!("skipped: archives are not compared, since mopsim is built without the feature libotf2");
    }
}

#[cfg(feature = "libotf2")]
mod library {
    use super::{options, print, read, ti};
    use crate::support::cli::Folder;
    use mopsim::trace::inspect::Severity;
    use mopsim::trace::{self, Action, Options, Trace, TraceWarning};
    use std::path::PathBuf;

    /// Writes an archive, in the place of an earlier one.
    fn write(folder: &Folder, arguments: &[&str]) -> PathBuf {
        super::write(folder, arguments).expect("the library is here: mopsim is built with it")
    }

    /// Warnings without their files and places, which are called otherwise.
    fn warnings(trace: &Trace) -> Vec<String> {
        let mut all: Vec<String> = trace
            .warnings
            .iter()
            .map(|warning| match warning {
                TraceWarning::Approximated { effect, what, count, rank, .. } => {
                    format!("{effect:?} {what} {count} {rank}")
                }
                TraceWarning::Noted { text, .. } => text.clone(),
                other => panic!("{other}"),
            })
            .collect();
        all.sort_unstable();
        all
    }

    /// Several batches of events, and many pieces of each file.
    #[test]
    fn both_readers_give_the_same_trace() {
        for arguments in [&["1"][..], &["400"], &["60", "one-sided"]] {
            let folder = Folder::new();
            let anchor = write(&folder, arguments);
            let archive = read(&anchor);
            assert_eq!((archive.name.as_str(), archive.ranks()), ("traces", 3));
            // The folder of Score-P stands for its archive.
            let by_folder = read(&folder.path("a"));
            assert_eq!((by_folder.name.as_str(), ti(&by_folder)), ("a", ti(&archive)));
            let wrong = trace::inspect::check(&archive);
            assert!(wrong.iter().all(|finding| finding.severity != Severity::Error), "{wrong:?}");
            let has = |kind: fn(&Action) -> bool| archive.actions[1].together().iter().any(kind);
            assert!(has(|action| matches!(action, Action::Start { .. })));
            assert_eq!(has(|action| matches!(action, Action::Put { .. })), arguments.len() > 1);
            let Some(text) = print(&folder, &anchor) else { continue };
            let text = read(&text);
            assert_eq!(ti(&archive), ti(&text), "{arguments:?}");
            assert_eq!(warnings(&archive), warnings(&text), "{arguments:?}");
            assert!(warnings(&archive).iter().any(|text| text.contains("events of threads")));
        }
    }

    /// Both readers distinguish members, non-existent ranks, and ranks that are neither.
    #[test]
    fn whoever_is_no_member_is_refused() {
        let folder = Folder::new();
        let whole = ti(&read(&write(&folder, &["2", "one-sided"])));
        for (argument, problem) in [
            ("receiver=9", Some("communicator 0 has no member 9")),
            ("receiver=4294967294", Some("communicator 0 has no member 4294967294")),
            ("receiver=4294967295", Some("the message has no partner")),
            ("root=9", Some("communicator 0 has no member 9")),
            ("root=4294967292", Some("communicator 0 has no member 4294967292")),
            ("root=4294967293", None),
            ("root=4294967294", None),
            ("root=4294967295", None),
            ("target=9", Some("window 5 has no member 9")),
            ("target=4294967294", Some("window 5 has no member 4294967294")),
            ("target=4294967295", None),
        ] {
            let anchor = write(&folder, &["2", "one-sided", argument]);
            for file in [Some(anchor.clone()), print(&folder, &anchor)].into_iter().flatten() {
                match (trace::read(&file, &options()), problem) {
                    (Err(error), Some(problem)) => assert!(error.to_string().contains(problem), "{argument}: {error}"),
                    // The root is the first member, the lock that of all.
                    (Ok(trace), None) => {
                        let expected = match argument.starts_with("root") {
                            true => whole.replace("bcast 64 2 6", "bcast 64 0 6"),
                            false => {
                                whole.replace("1 on 4 flush 2\n1 on 4 flush 2\n", "1 on 4 flush 2\n1 on 4 flush\n")
                            }
                        };
                        assert_ne!(expected, whole);
                        assert_eq!(ti(&trace), expected, "{argument}");
                    }
                    (result, _) => panic!("{argument}, {}: {:?}", file.display(), result.map(|trace| trace.name)),
                }
            }
        }
    }

    /// Additional threads of the ranks have no file here, and more events in total than can be counted.
    #[test]
    fn only_the_files_of_ranks_are_opened() {
        let folder = Folder::new();
        let few = read(&write(&folder, &["3"]));
        let many = read(&write(&folder, &["3", "threads=1500"]));
        assert_eq!(ti(&few), ti(&many));
        let noted = warnings(&many);
        assert!(noted.iter().any(|text| text.starts_with(&format!("{} events of threads", u64::MAX))), "{noted:?}");
    }

    /// Events that are missing from a truncated file are noticed by the number of recorded events.
    #[test]
    fn missing_events_are_noticed() {
        let folder = Folder::new();
        for (argument, recorded) in [("missing=5", "176"), ("missing=18446744073709551615", "more than can be counted")]
        {
            let error = trace::read(&write(&folder, &["3", argument]), &options()).expect_err(argument).to_string();
            let problem = format!("171 events of the ranks are in its files, {recorded} were recorded");
            assert!(error.contains(&problem), "{error}");
        }
    }

    /// Whatever is cut off of what is read, it is noticed.
    #[test]
    fn archives_that_are_cut_off_are_refused() {
        let folder = Folder::new();
        let anchor = write(&folder, &["400"]);
        let mut files = vec![anchor.clone(), anchor.with_extension("def")];
        files.extend(
            std::fs::read_dir(anchor.with_extension("")).expect("a folder").map(|file| file.expect("a file").path()),
        );
        assert!(files.iter().filter(|file| file.extension().is_some_and(|end| end == "evt")).count() == 4, "{files:?}");
        let info = |code: i32, what: &str| {
            let output = folder.command(&["trace", "info", "a/traces.otf2"]).output().expect("it runs");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(code), "{what}: {output:?}");
            assert!(!message.contains("panicked") && !message.contains("[OTF2]"), "{what}: {message}");
        };
        info(0, "whole");
        for file in files {
            let whole = std::fs::read(&file).expect("a file");
            // The additional thread of the ranks is not read.
            let wrong = if file.file_stem().is_some_and(|name| name == "77") { 0 } else { 2 };
            // The last byte only marks the end.
            for (length, code) in [(0, wrong), (whole.len() / 3, wrong), (whole.len() - 3, wrong), (whole.len() - 1, 0)]
            {
                std::fs::write(&file, &whole[..length]).expect("written");
                info(code, &format!("{} cut off at byte {length} of {}", file.display(), whole.len()));
            }
            std::fs::remove_file(&file).expect("removed");
            info(if file == anchor { 3 } else { wrong }, &format!("{} is not there", file.display()));
            std::fs::write(&file, &whole).expect("written");
        }
        info(0, "whole again");
    }

    #[test]
    fn an_archive_is_read_by_its_path_only() {
        let folder = Folder::new();
        let anchor = write(&folder, &["1"]);
        let bytes = std::fs::read(&anchor).expect("a file");
        let options = Options::default();
        let error = trace::read_from(&*bytes, "stdin", &options).expect_err("its events are elsewhere");
        assert!(error.to_string().contains("in its folder"), "{error}");
    }
}
