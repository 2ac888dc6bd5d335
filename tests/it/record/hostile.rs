//! Programs that close descriptors they did not open, damage their recording, or whose folder has files of the user.

use crate::support::programs::{Run, libraries, text};
use mopsim::trace::{self, Options};
use std::fs;

#[test]
fn a_file_of_the_program_keeps_its_bytes_whatever_descriptor_it_gets() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("hostile.c", &[]).expect("C");
        let output = run.record(&["-o", "it.mrec"], &program, 2, &["close"]);
        assert!(output.status.success(), "{library:?}: {}", text(&output.stderr));
        for rank in 0..2 {
            let own = fs::read(run.path(&format!("own-{rank}.bin"))).expect("its file");
            assert!(own.len() == 1_000_000 && own.iter().all(|&byte| byte == b'U'), "{library:?}: {} bytes", own.len());
        }
        let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
        assert!(trace.actions[0].len() >= 40_000, "all that came after it is recorded, too");
    }
}

#[test]
fn a_damaged_file_of_one_rank_leaves_the_others() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("hostile.c", &[]).expect("C");
        let output = run.record(&["-o", "it.mrec"], &program, 2, &["damage"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{library:?}: {said}");
        for part in ["it.mrec is incomplete: 1 of 2 ranks have a file that is damaged", "rank-000001.mrec", "help: "] {
            assert!(said.contains(part), "{part}: {said}");
        }
        for file in ["rank-000000.mrec", "rank-000001.mrec", "recording.toml"] {
            assert!(run.path("it.mrec").join(file).is_file(), "{file}: {said}");
        }
    }
}

#[test]
fn force_removes_no_folder_but_the_library_of_a_recording() {
    let Some(library) = libraries().into_iter().next() else { return };
    let run = Run::new(&library);
    let program = run.compile("hostile.c", &[]).expect("C");
    let folder = run.path("it.mrec");
    let record = || run.record(&["--force", "--keep-library", "-o", "it.mrec"], &program, 1, &[]);
    assert!(record().status.success());
    assert!(folder.join("library/libmopsim-record.so").is_file());
    // A folder with only the library of a recording in it is replaced.
    let again = record();
    assert!(again.status.success(), "{}", text(&again.stderr));
    fs::write(folder.join("library/precious"), "precious").expect("written");
    let refused = record();
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`library` in it is no part of a recording"), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(folder.join("library/precious")).expect("is there"), "precious");
}

#[test]
fn a_recording_names_its_hosts() {
    let Some(library) = libraries().into_iter().next() else { return };
    let run = Run::new(&library);
    let program = run.compile("ring.c", &[]).expect("C");
    let output = run.record(&["-o", "it.mrec"], &program, 2, &[]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    let about: toml::Table =
        fs::read_to_string(run.path("it.mrec").join("recording.toml")).expect("is there").parse().expect("TOML");
    let hosts = about["hosts"].as_array().expect("a list");
    assert_eq!((hosts.len(), hosts[0]["ranks"].as_integer()), (1, Some(2)), "{about}");
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").expect("Linux");
    let processor = mopsim::calibrate::processor(&cpuinfo);
    assert_eq!(hosts[0].get("processor").and_then(toml::Value::as_str), processor.as_deref());
    let kept = fs::read_dir(run.path("it.mrec")).expect("is there").flatten();
    assert!(kept.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().ends_with(".cpuinfo")));
    let mut info = std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"));
    let info = info.args(["trace", "info"]).arg(run.path("it.mrec")).output().expect("it starts");
    let shown = String::from_utf8_lossy(&info.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    let processors = hosts[0]["processors"].as_integer().expect("a number");
    assert!(shown.contains(&format!("recorded on 1 host with {processors} processor")), "{shown}");
    let mut info = std::process::Command::new(env!("CARGO_BIN_EXE_mopsim"));
    let info = info.args(["trace", "info", "--format", "json"]).arg(run.path("it.mrec")).output().expect("it starts");
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).expect("JSON");
    let expected = serde_json::json!([{
        "name": hosts[0]["name"].as_str(),
        "processor": processor,
        "processors": processors,
        "ranks": 2,
    }]);
    assert_eq!(info["hosts"], expected);
}
