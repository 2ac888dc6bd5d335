//! OTF2 archives, by the library and as text: both readers have to give the same trace.
//!
//! Archives are written by `tests/otf2/archive.c`. The comparison runs where mopsim is built with the feature
//! `libotf2`, and says so where it is not.

#[cfg(feature = "libotf2")]
#[path = "../../../src/trace/otf2/config.rs"]
mod config;

use crate::support::cli::Folder;

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
    use super::config::flags;
    use crate::support::cli::Folder;
    use mopsim::trace::inspect::Severity;
    use mopsim::trace::{self, Action, Options, Trace, TraceWarning};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Writes an archive, in the place of an earlier one.
    fn write(folder: &Folder, arguments: &[&str]) -> PathBuf {
        let writer = folder.path("archive");
        if !writer.exists() {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otf2/archive.c");
            let mut compile = Command::new("cc");
            compile.args(flags("--cppflags")).arg(source).arg("-o").arg(&writer).args(flags("--ldflags")).arg("-lotf2");
            assert!(compile.status().expect("a C compiler").success());
        }
        let place = folder.path("a");
        if place.exists() {
            std::fs::remove_dir_all(&place).expect("the earlier one is removed");
        }
        assert!(Command::new(&writer).arg(&place).args(arguments).status().expect("the writer runs").success());
        place.join("traces.otf2")
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

    fn ti(trace: &Trace) -> String {
        let mut text = Vec::new();
        trace::ti::write(trace, &mut text).expect("memory takes it");
        String::from_utf8(text).expect("text")
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

    /// Both readers tell apart who is a member, who is nobody, and who is neither.
    #[test]
    fn whoever_is_no_member_is_refused() {
        let folder = Folder::new();
        let whole = ti(&read(&write(&folder, &["2", "one-sided"])));
        for (argument, problem) in [
            ("receiver=9", Some("communicator 0 has no member 9")),
            ("receiver=4294967294", Some("communicator 0 has no member 4294967294")),
            ("receiver=4294967295", Some("the message names nobody")),
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

    /// Threads beside the ranks have no file here, and more events in all than can be counted.
    #[test]
    fn only_the_files_of_ranks_are_opened() {
        let folder = Folder::new();
        let few = read(&write(&folder, &["3"]));
        let many = read(&write(&folder, &["3", "threads=1500"]));
        assert_eq!(ti(&few), ti(&many));
        let noted = warnings(&many);
        assert!(noted.iter().any(|text| text.starts_with(&format!("{} events of threads", u64::MAX))), "{noted:?}");
    }

    /// What the library does not find in a file that is cut off is known by how many events were recorded.
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
            // The thread beside the ranks is not read.
            let wrong = if file.file_stem().is_some_and(|name| name == "77") { 0 } else { 2 };
            // The last byte only says that it is the last one.
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
        assert!(error.to_string().contains("where it lies"), "{error}");
    }
}
