//! OTF2 archives, by the library and as text: both readers have to give the same trace.
//!
//! Archives are written by `tests/otf2/archive.c`. The comparison runs where mopsim is built with the feature `libotf2`, and says so
//! where it is not.

mod support;

use support::cli::Folder;

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
    use super::support::cli::Folder;
    use mopsim::trace::inspect::Severity;
    use mopsim::trace::{self, Action, Options, Trace, TraceWarning};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// Writes an archive; `None`, with a word, where nothing prints its text.
    fn archive(folder: &Folder, arguments: &[&str]) -> (PathBuf, Option<PathBuf>) {
        let writer = folder.path("archive");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otf2/archive.c");
        let flags = |what: &str| {
            let config = std::env::var("OTF2_CONFIG").unwrap_or_else(|_| "otf2-config".to_owned());
            let output = Command::new(config).arg(what).output().map(|output| output.stdout).unwrap_or_default();
            String::from_utf8_lossy(&output).split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        let mut compile = Command::new("cc");
        compile.args(flags("--cppflags")).arg(source).arg("-o").arg(&writer).args(flags("--ldflags")).arg("-lotf2");
        assert!(compile.status().expect("a C compiler").success());
        let place = folder.path("a");
        assert!(Command::new(&writer).arg(&place).args(arguments).status().expect("the writer runs").success());
        let anchor = place.join("traces.otf2");
        let text = match Command::new("otf2-print").arg("-A").arg(&anchor).output() {
            Ok(output) => {
                assert!(output.status.success());
                Some(folder.write("traces.otf2.txt", output.stdout))
            }
            Err(error) => {
                eprintln!("skipped: otf2-print cannot be run ({error}), so there is no text to compare with");
                None
            }
        };
        (anchor, text)
    }

    fn read(path: &Path) -> Trace {
        trace::read(path, &Options { leave_out: true, recorded_speed: 1e9, ..Options::default() })
            .unwrap_or_else(|error| panic!("{error}"))
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
            let (anchor, text) = archive(&folder, arguments);
            let archive = read(&anchor);
            assert_eq!((archive.name.as_str(), archive.ranks()), ("traces", 3));
            // The folder of Score-P stands for its archive.
            let by_folder = read(&folder.path("a"));
            assert_eq!((by_folder.name.as_str(), ti(&by_folder)), ("a", ti(&archive)));
            let wrong = trace::inspect::check(&archive);
            assert!(wrong.iter().all(|finding| finding.severity != Severity::Error), "{wrong:?}");
            let has = |kind: fn(&Action) -> bool| archive.actions[1].iter().any(kind);
            assert!(has(|action| matches!(action, Action::Start { .. })));
            assert_eq!(has(|action| matches!(action, Action::Put { .. })), arguments.len() > 1);
            let Some(text) = text else { continue };
            let text = read(&text);
            assert_eq!(ti(&archive), ti(&text), "{arguments:?}");
            assert_eq!(warnings(&archive), warnings(&text), "{arguments:?}");
            assert!(warnings(&archive).iter().any(|text| text.contains("events of threads")));
        }
    }

    /// Whatever is cut off, the program ends in an ordinary way.
    #[test]
    fn archives_that_are_cut_off_are_refused() {
        let folder = Folder::new();
        let (anchor, _) = archive(&folder, &["400"]);
        let mut files = vec![anchor.clone(), anchor.with_extension("def")];
        files.extend(
            std::fs::read_dir(anchor.with_extension("")).expect("a folder").map(|file| file.expect("a file").path()),
        );
        assert!(files.iter().filter(|file| file.extension().is_some_and(|end| end == "evt")).count() == 4, "{files:?}");
        let info = |code: &[i32], what: &str| {
            let output = folder.command(&["trace", "info", "a/traces.otf2"]).output().expect("it runs");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code().is_some_and(|status| code.contains(&status)), "{what}: {output:?}");
            assert!(!message.contains("panicked") && !message.contains("[OTF2]"), "{what}: {message}");
        };
        info(&[0], "whole");
        for file in files {
            let whole = std::fs::read(&file).expect("a file");
            for length in [0, whole.len() / 3, whole.len().saturating_sub(1)] {
                std::fs::write(&file, &whole[..length]).expect("written");
                info(&[0, 2, 3], &format!("{} cut off at byte {length} of {}", file.display(), whole.len()));
            }
            std::fs::remove_file(&file).expect("removed");
            info(&[0, 2, 3], &format!("{} is not there", file.display()));
            std::fs::write(&file, &whole).expect("written");
        }
        info(&[0], "whole again");
    }

    #[test]
    fn an_archive_is_read_by_its_path_only() {
        let folder = Folder::new();
        let (anchor, _) = archive(&folder, &["1"]);
        let bytes = std::fs::read(&anchor).expect("a file");
        let options = Options::default();
        let error = trace::read_from(&*bytes, "stdin", &options).expect_err("its events are elsewhere");
        assert!(error.to_string().contains("where it lies"), "{error}");
    }
}
