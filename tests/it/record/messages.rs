//! Real MPI programs that count their own messages, recorded and replayed: the matrices of traffic between ranks must
//! be the same.
//!
//! Runs with the MPI libraries whose compilers and launchers are found (`mpicc` and `mpirun`, or those of Debian's Open
//! MPI and MPICH next to each other), and reports if there is none. `tests/recorder` has the programs.

#[cfg(target_os = "linux")]
use crate::support::hosts;
use crate::support::programs::{Matrix, Run, counted, launched, libraries, recorded, replayed, same_messages, text};
use mopsim::trace::{self, Options, TraceWarning};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// Timeout, longer than anything that the tests wait for.
const LONG: Duration = Duration::from_secs(60);

/// The program that measures the cost of recording: half of its loops call MPI and are recorded, the other half call
/// the functions behind it and are not.
#[test]
fn the_cost_of_recording_is_measured_on_both_sides() {
    // Ten batches to begin with and one that counts, of 20 turns each.
    let turns = 11 * 20;
    // Jacobi sends four edges a turn, and trips and jobs are two messages.
    let kernels = [("trips", 1, 1024), ("halo", 2, 64), ("transpose", 0, 512), ("farm", 1, 512)];
    // One library is enough: the others are recorded in the same way, and each recording compiles the recorder again.
    if let Some(library) = libraries().first() {
        let run = Run::new(library);
        let program = run.compile("overhead.c", &[]).expect("C");
        for (kernel, messages, bytes) in kernels {
            let output =
                run.record(&["--force", "-o", "it.mrec"], &program, 2, &[kernel, &bytes.to_string(), "1", "20"]);
            let shown = text(&output.stdout);
            assert!(output.status.success(), "{library:?} {kernel}: {shown}\n{}", text(&output.stderr));
            assert!(shown.contains(&format!("{kernel}, {bytes} bytes, median")), "{shown}");
            let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
            let expected: Matrix = [(0, 1), (1, 0)]
                .into_iter()
                .filter(|_| messages > 0)
                .map(|pair| (pair, (messages * turns, messages * turns * bytes)))
                .collect();
            assert_eq!(replayed(&trace), expected, "{library:?} {kernel}");
        }
    }
}

#[test]
fn a_stencil_with_persistent_requests_on_a_grid() {
    for library in libraries() {
        for ranks in [4, 6] {
            same_messages(&library, "halo.c", &[], ranks);
        }
    }
}

#[test]
fn a_transpose_with_all_kinds_of_messages() {
    for library in libraries() {
        same_messages(&library, "transpose.c", &[], 4);
    }
}

#[test]
fn a_farm_that_receives_from_anywhere() {
    for library in libraries() {
        let trace = same_messages(&library, "farm.c", &[], 4).expect("C is compiled");
        let approximated = |warning: &TraceWarning| matches!(warning, TraceWarning::Approximated { what, .. } if what.contains("request"));
        assert!(!trace.warnings.iter().any(approximated), "{:?}", trace.warnings);
    }
}

#[test]
fn communicators_of_parts_of_the_ranks() {
    for library in libraries() {
        for ranks in [4, 5] {
            same_messages(&library, "split.c", &[], ranks);
        }
    }
}

#[test]
fn fortran() {
    for library in libraries() {
        for flags in [&["-cpp"][..], &["-cpp", "-DF08"]] {
            let Some(trace) = same_messages(&library, "heat.f90", flags, 4) else { continue };
            let lost = |warning: &TraceWarning| warning.to_string().contains("a request that was not recorded");
            assert!(!trace.warnings.iter().any(lost), "{library:?} {flags:?}: {:?}", trace.warnings);
        }
    }
}

/// Receives that the program releases, whose sources only MPI knows.
#[test]
fn receives_from_anywhere_that_are_released() {
    for library in libraries() {
        let trace = same_messages(&library, "released.c", &[], 4).expect("C is compiled");
        let lost = |warning: &TraceWarning| warning.to_string().contains("receives from any source");
        assert!(!trace.warnings.iter().any(lost), "{library:?}: {:?}", trace.warnings);
    }
}

/// The program continues if there is no room for its recording; users of the recorder must notice.
#[test]
fn a_recording_without_room_is_told() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("full.c", &[]).expect("C is compiled");
        let output = run.record(&["-o", "it.mrec"], &program, 2, &[]);
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(counted(&shown)[&(0, 1)], (50_000, 200_000), "{library:?}: the program has ended: {said}");
        assert_eq!(output.status.code(), Some(3), "{library:?}: {said}");
        let last: Vec<&str> = said.lines().rev().take(2).collect();
        assert!(last[1].contains("it.mrec is incomplete: for 1 of 2 ranks no more could be written"), "{said}");
        assert!(last[0].contains("make room on the disk"), "{said}");
        let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
        let told = |warning: &TraceWarning| warning.to_string().contains("1 of them because the disk was full");
        assert!(trace.warnings.iter().any(told), "{library:?}: {:?}", trace.warnings);
        let sent = recorded(&trace)[&(0, 1)].0;
        assert!((1000..50_000).contains(&sent), "{library:?}: {sent}");
        assert_eq!(replayed(&trace), recorded(&trace), "{library:?}");
    }
}

#[test]
fn a_program_that_ends_early_is_replayed_up_to_there() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("crash.c", &[]).expect("C is compiled");
        for how in ["abort", "exit", "signal"] {
            let name = format!("{how}.mrec");
            let output = run.record(&["-o", &name], &program, 2, &[how]);
            let said = text(&output.stderr);
            // MPICH tolerates an exit without MPI_Finalize, but the recording is incomplete.
            assert!(!output.status.success(), "{library:?} {how}: {said}");
            assert!(said.contains("ended without MPI_Finalize"), "{library:?} {how}: {said}");
            let trace = trace::read(&run.path(&name), &Options::default()).expect("is read");
            let early = |warning: &TraceWarning| matches!(warning, TraceWarning::Noted { text, .. } if text.contains("ends early"));
            assert!(trace.warnings.iter().any(early), "{library:?} {how}: {:?}", trace.warnings);
            let aborted = |warning: &TraceWarning| matches!(warning, TraceWarning::Noted { text, .. } if text.contains("by MPI_Abort with 7"));
            assert_eq!(trace.warnings.iter().any(aborted), how == "abort", "{library:?} {how}: {:?}", trace.warnings);
            let expected: Matrix = [((0, 1), (100, 400)), ((1, 0), (100, 400))].into();
            assert_eq!(recorded(&trace), expected, "{library:?} {how}");
            assert_eq!(replayed(&trace), expected, "{library:?} {how}");
        }
    }
}

/// At the end of its time limit a batch system ends mopsim, not the program: the program ends as well, and the
/// recording is kept.
#[test]
fn a_recording_that_is_terminated_is_kept() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("crash.c", &[]).expect("C is compiled");
        let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
        command.current_dir(run.folder.path()).args(["record", "-o", "t.mrec", "--", library.mpirun]);
        let command = launched(&mut command, &program, 2).arg("wait").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut mopsim = command.spawn().expect("mopsim runs");
        let lines = BufReader::new(mopsim.stdout.take().expect("is a pipe")).lines();
        let (waits, waiting) = mpsc::channel();
        // To the end, so that no process writes into a closed pipe.
        let reader = thread::spawn(move || {
            // A launcher may put the output of two ranks on one line.
            for line in lines.map_while(Result::ok) {
                line.matches("waits").for_each(|_| waits.send(()).unwrap_or(()));
            }
        });
        for rank in 0..2 {
            assert!(waiting.recv_timeout(LONG).is_ok(), "{library:?}: {rank} of 2 ranks have come to their last call");
        }
        // Launchers may miss a signal that arrives while they are busy with their ranks.
        let begin = Instant::now();
        while mopsim.try_wait().expect("is a child").is_none() {
            assert!(begin.elapsed() < LONG, "{library:?}: it does not end");
            let kill = Command::new("kill").args(["-TERM", &mopsim.id().to_string()]).status();
            assert!(kill.expect("there is a kill").success(), "{library:?}");
            thread::sleep(Duration::from_secs(1));
        }
        let output = mopsim.wait_with_output().expect("it has ended");
        reader.join().expect("reads lines");
        let said = text(&output.stderr);
        // MPICH's launcher counts the end of its ranks as a success.
        assert!(said.contains("recorded 2 ranks in t.mrec"), "{library:?}: {said}");
        let trace = trace::read(&run.path("t.mrec"), &Options::default()).expect("is read");
        let expected: Matrix = [((0, 1), (100, 400)), ((1, 0), (100, 400))].into();
        assert_eq!(recorded(&trace), expected, "{library:?}");
    }
}

/// Ranks on another host find the library and the folder through the environment, which a login there lacks: launchers
/// have to pass it on.
#[cfg(target_os = "linux")]
#[test]
fn ranks_on_other_hosts_are_recorded() {
    for library in libraries() {
        let run = Run::new(&library);
        let Some(hosts) = hosts::TwoHosts::new(run.folder.path()) else {
            return eprintln!("skipped: no network namespaces can be made here");
        };
        let shell = hosts.shell.to_string_lossy();
        let places = hosts::ADDRESSES.map(|host| format!("{host}:2")).join(",");
        let version = Command::new(library.mpirun).arg("--version").output().expect("runs");
        let (is_hydra, is_open_mpi) =
            (text(&version.stdout).contains("HYDRA"), text(&version.stdout).contains("Open MPI) 4."));
        let to_hosts: Vec<&str> = if is_hydra {
            vec!["-launcher", "ssh", "-launcher-exec", &shell, "-iface", "cable", "-hosts", &places]
        } else if is_open_mpi {
            let only = ["btl_tcp_if_include", "oob_tcp_if_include"].map(|network| ["--mca", network, "cable"]);
            let by = ["--mca", "plm_rsh_agent", &*shell, "--mca", "btl", "tcp,self", "--host", &places];
            by.into_iter().chain(only.into_iter().flatten()).collect()
        } else {
            eprintln!("skipped: it is not known how {} is told about hosts", library.mpirun);
            continue;
        };
        let program = run.compile("halo.c", &[]).expect("C is compiled");
        let record = |more: &[&str]| {
            let mut command = hosts.command(env!("CARGO_BIN_EXE_mopsim"));
            command.current_dir(run.folder.path()).args(["record", "--force", "-o", "it.mrec", "--", library.mpirun]);
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            command.args(["-np", "4"]).args(&to_hosts).args(more).arg(&program).output().expect("mopsim runs")
        };
        let asked_for = ["-x", "OTHER=1", "-x", "LD_PRELOAD", "-x", "MOPSIM_RECORD_DIR"];
        for more in [&[][..], if is_open_mpi { &asked_for } else { &[] }] {
            let output = record(more);
            let (shown, said) = (text(&output.stdout), text(&output.stderr));
            assert!(output.status.success(), "{library:?} {more:?}: {shown}\n{said}");
            let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
            let expected = counted(&shown);
            assert!(expected.contains_key(&(0, 2)), "{shown}");
            assert_eq!(recorded(&trace), expected, "{library:?} {more:?}\n{said}");
            let last = std::fs::read(run.path("it.mrec/rank-000003.mrec")).expect("is there");
            assert!(last.windows(2).any(|two| two == b"-b"), "the name of the second host");
        }
        if is_open_mpi {
            // Its own list of variables replaces that of `mopsim record`.
            let output = record(&["-x", "OTHER=1"]);
            let said = text(&output.stderr);
            assert!(said.contains("2 of 4 ranks have no file here"), "{said}");
            let error = trace::read(&run.path("it.mrec"), &Options::default()).expect_err("two ranks are missing");
            assert!(error.to_string().contains("4 ranks were recorded"), "{error}");
        }
    }
}

#[test]
fn nothing_that_is_there_is_replaced() {
    let Some(library) = libraries().into_iter().next() else { return };
    let run = Run::new(&library);
    let program = run.compile("halo.c", &[]).expect("C is compiled");
    std::fs::create_dir(run.path("halo.mrec")).unwrap();
    std::fs::write(run.path("halo.mrec/mine"), "mine").unwrap();
    for flags in [&[][..], &["--force"]] {
        let output = run.record(flags, &program, 2, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert_eq!(std::fs::read(run.path("halo.mrec/mine")).unwrap(), b"mine");
    }
    // The default name is that of the program; a recording may be replaced, and is complete afterwards.
    std::fs::remove_dir_all(run.path("halo.mrec")).unwrap();
    for flags in [&["--keep-library"][..], &["--force"]] {
        let output = run.record(flags, &program, 2, &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(run.path("halo.mrec/library/recorder.c").exists(), flags[0] == "--keep-library");
        assert_eq!(trace::read(&run.path("halo.mrec"), &Options::default()).unwrap().ranks(), 2);
    }
    // Files that the user has put into the folder of a recording are kept.
    std::fs::write(run.path("halo.mrec/notes.txt"), "mine").unwrap();
    let output = run.record(&["--force"], &program, 2, &[]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("`notes.txt` in it is no part of a recording"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read(run.path("halo.mrec/notes.txt")).unwrap(), b"mine");
    let left: Vec<_> = std::fs::read_dir(run.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn what_is_wrong_is_said_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let record = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_mopsim"))
            .arg("record")
            .args(arguments)
            .current_dir(folder.path())
            .env_remove("MPICC")
            .output()
            .unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let (code, said) = record(&["--mpicc", "no-such-mpicc", "--", "true"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`no-such-mpicc` is not found") && said.contains("--mpicc"), "{said}");
    let (code, said) = record(&["--mpicc", "false", "--", "true"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot compile"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    if libraries().is_empty() {
        return;
    }
    // A command that is not an MPI program, one that fails, and one that does not exist.
    let (code, said) = record(&["--", "true"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("nothing was recorded"), "{said}");
    let (code, said) = record(&["--", "sh", "-c", "exit 5"]);
    assert_eq!(code, Some(5), "{said}");
    let (code, said) = record(&["--", "./not-there"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("`./not-there` cannot be started"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
