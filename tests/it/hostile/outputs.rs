//! Files of the user stay: nothing is replaced unasked but earlier reports, nothing is left half, and nothing is left over.

use crate::support::cli::{Folder, MESSAGE};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn study() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n");
    folder
}

/// Verbs with the option that names a report.
const REPORTS: [(&[&str], &str); 11] = [
    (&["compare", "s.toml"], "--html"),
    (&["compare", "s.toml"], "--json"),
    (&["compare", "s.toml"], "--csv"),
    (&["throughput", "ring:4"], "--html"),
    (&["throughput", "ring:4"], "--svg"),
    (&["throughput", "ring:4"], "--json"),
    (&["throughput", "ring:4"], "--csv"),
    (&["replay", "t.ti", "--topology", "ring:2"], "--timeline"),
    (&["topology", "torus:2x2"], "--floor-svg"),
    (&["trace", "info", "t.ti"], "--svg"),
    (&["trace", "info", "t.ti"], "--csv"),
];

/// A command with more arguments.
fn with<'a>(verb: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [verb, more].concat()
}

const JOBS: [&str; 4] = ["compare", "s.toml", "--slurm", "jobs"];

#[test]
fn reports_replace_reports_and_nothing_else() {
    let folder = study();
    for (index, (verb, option)) in REPORTS.into_iter().enumerate() {
        let (report, other) = (format!("report-{index}"), format!("other-{index}"));
        folder.write(&other, "precious\n");
        folder.refuse(&with(verb, &[option, &other]), 2, &["not a mopsim report", "help: ", "--force"]);
        assert_eq!(folder.read(&other), "precious\n", "{verb:?} {option}");
        // An empty file has nothing to lose, and the second run finds the report of the first.
        folder.write(&report, "");
        for _ in 0..2 {
            folder.output(&with(verb, &[option, &report]));
            assert!(!folder.read(&report).is_empty());
        }
        folder.output(&with(verb, &[option, &other, "--force"]));
        assert_ne!(folder.read(&other), "precious\n", "{verb:?} {option}");
    }
}

#[test]
fn a_report_replaces_only_one_of_its_kind() {
    let folder = study();
    folder.output(&["compare", "s.toml", "--html", "r.html", "--csv", "r.csv"]);
    let (html, csv) = (folder.read("r.html"), folder.read("r.csv"));
    folder.refuse(
        &["topology", "torus:2x2", "--floor-svg", "r.html"],
        2,
        &["not a mopsim report of this kind", "--force"],
    );
    folder.refuse(&["compare", "s.toml", "--json", "r.csv"], 2, &["not a mopsim report of this kind"]);
    assert_eq!((folder.read("r.html"), folder.read("r.csv")), (html, csv));
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_stays() {
    let folder = study();
    std::os::unix::fs::symlink("elsewhere/r.csv", folder.path("r.csv")).expect("a link");
    folder.refuse(&["compare", "s.toml", "--csv", "r.csv"], 2, &["r.csv: a file of that name exists", "--force"]);
    assert!(folder.path("r.csv").is_symlink());
}

#[test]
fn job_scripts_that_were_edited_stay() {
    let folder = study();
    folder.output(&with(&JOBS, &[]));
    // Files may be written again as before, and for other shards.
    folder.output(&with(&JOBS, &["--seed", "3"]));
    let edited =
        folder.read("jobs/array.slurm").replace("#SBATCH --ntasks=1\n", "#SBATCH --ntasks=1\n#SBATCH --time=1:00\n");
    folder.write("jobs/array.slurm", &edited);
    folder.refuse(&with(&JOBS, &[]), 2, &["array.slurm: this script was edited", "--force"]);
    assert_eq!(folder.read("jobs/array.slurm"), edited);
    folder.output(&with(&JOBS, &["--force"]));
    let script = folder.read("jobs/array.slurm");
    assert!(!script.contains("--time=") && !script.contains("--force"), "{script}");
}

#[cfg(unix)]
#[test]
fn a_line_end_in_the_name_of_a_folder_is_no_line_of_a_job_script() {
    let folder = study();
    folder.refuse(&["compare", "s.toml", "--slurm", "jobs\ntouch made\n#"], 2, &["control characters"]);
    assert_eq!(folder.names().len(), 2, "{:?}", folder.names());
    // The current folder is a part of the path, and so is the target of a link.
    let inside = folder.path("a\ntouch made\n#");
    std::fs::create_dir(&inside).expect("a folder");
    for name in ["s.toml", "t.ti"] {
        std::fs::copy(folder.path(name), inside.join(name)).expect("a copy");
    }
    let refused = folder.command(&JOBS).current_dir(&inside).assert().code(2);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("control characters") && !inside.join("jobs").exists(), "{said}");
    std::os::unix::fs::symlink(&inside, folder.path("link")).expect("a link");
    folder.refuse(&["compare", "s.toml", "--slurm", "link"], 2, &["control characters"]);
}

#[cfg(unix)]
#[test]
fn permissions_of_a_file_that_is_replaced_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = study();
    let mode = |file: &str| std::fs::metadata(folder.path(file)).expect("is there").permissions().mode() & 0o777;
    let design = ["design", "equality", "--n", "16", "--degree", "4", "--generations", "1", "--state", "state"];
    for (arguments, file) in [
        (&["compare", "s.toml", "--html", "r.html"][..], "r.html"),
        (&["trace", "convert", "t.ti", "-o", "o.mtrace", "--force"], "o.mtrace"),
        (&design, "state"),
    ] {
        folder.output(arguments);
        for private in [0o600, 0o640, 0o444] {
            std::fs::set_permissions(folder.path(file), PermissionsExt::from_mode(private)).expect("changed");
            folder.output(arguments);
            assert_eq!(mode(file), private, "{file}");
        }
    }
}

#[test]
fn long_names_can_be_written() {
    let folder = study();
    let name = format!("{}.ti", "n".repeat(247));
    folder.output(&["trace", "convert", "t.ti", "-o", &name]);
    assert!(folder.read(&name).contains("send"));
}

/// The temporary files in a folder.
fn parts(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| name.ends_with(".part")).collect()
}

/// A conversion that takes a while, caught while it writes.
fn writing(folder: &Folder) -> Child {
    // If tests run in the background of a shell, INT and QUIT are ignored, and the program respects that.
    let mut child = Command::new("env")
        .arg("--default-signal")
        .arg(env!("CARGO_BIN_EXE_mopsim"))
        .current_dir(folder.path(""))
        .args(["-q", "trace", "convert", "big.ti", "-o", "out.ti.xz"])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while parts(folder).is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60) && child.try_wait().expect("a child").is_none(), "too fast");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[cfg(target_os = "linux")]
#[test]
fn temporary_files_vanish_on_signals_and_after_kill_9_with_the_next_run() {
    use std::os::unix::process::ExitStatusExt;
    let folder = study();
    let calls: String = (0..2_000_000_u64).map(|call| format!("0 compute {}\n", call * 7919 % 1_000_003)).collect();
    folder.write("big.ti", format!("0 init\n{calls}0 finalize\n"));
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("QUIT", 3), ("USR1", 10), ("XCPU", 24)] {
        // On a busy machine the conversion may finish before the signal is sent; then the test tries again.
        let status = (0..20).find_map(|_| {
            let mut child = writing(&folder);
            let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
            assert!(sent.expect("kill").success());
            let status = child.wait().expect("it ends");
            let _ = status.success().then(|| std::fs::remove_file(folder.path("out.ti.xz")));
            (!status.success()).then_some(status)
        });
        let status = status.expect("one of the signals comes in time");
        assert_eq!(status.signal(), Some(number), "SIG{name}: {status:?}");
        assert_eq!(parts(&folder), [""; 0], "SIG{name}");
        assert!(!folder.path("out.ti.xz").exists());
    }
    // SIGKILL cannot be handled; the next process that writes into the folder cleans up.
    let mut child = writing(&folder);
    child.kill().expect("SIGKILL");
    child.wait().expect("it is gone");
    assert_eq!(parts(&folder).len(), 1);
    // The temporary file of a process that is still writing is left alone.
    folder.output(&["trace", "convert", "t.ti", "-o", "small.mtrace"]);
    assert_eq!(parts(&folder), [""; 0]);
    let mut child = writing(&folder);
    folder.write(".mopsim-1-0123456.part", "another name");
    folder.output(&["trace", "convert", "t.ti", "-o", "other.mtrace"]);
    let mut left = parts(&folder);
    left.sort();
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left[1].contains(&child.id().to_string()), "{left:?}");
    child.kill().expect("SIGKILL");
    child.wait().expect("it is gone");
    folder.output(&["trace", "convert", "t.ti", "-o", "small.ti"]);
    assert_eq!(parts(&folder), [".mopsim-1-0123456.part"]);
}
