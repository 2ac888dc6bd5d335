//! Real MPI programs that count their own messages, recorded and replayed: the matrices of who sends how much to whom have to be the
//! same.
//!
//! Runs with the MPI libraries whose compilers and launchers are found (`mpicc` and `mpirun`, or those of Debian's Open MPI and MPICH
//! beside each other), and says so where there is none. `tests/recorder` has the programs.

#[cfg(target_os = "linux")]
#[path = "support/hosts.rs"]
mod hosts;
#[path = "support/star.rs"]
mod star;

use mopsim::engine::{Observer, replay};
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::layout::Layout;
use mopsim::mpi::messages::Envelope;
use mopsim::trace::{self, Action, CollectiveKind as Kind, Options, Trace, TraceWarning, inspect};
use star::{model, star};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Messages and bytes by source and destination.
type Matrix = BTreeMap<(u32, u32), (u64, u64)>;

/// Nothing that is waited for takes so long.
const LONG: Duration = Duration::from_secs(60);

/// An MPI library that is installed.
#[derive(Clone, Debug)]
struct Library {
    mpicc: &'static str,
    mpif90: &'static str,
    mpirun: &'static str,
}

/// The libraries that are there, each once.
fn libraries() -> Vec<Library> {
    let is_there = |name: &str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let debian = [
        Library { mpicc: "mpicc.openmpi", mpif90: "mpif90.openmpi", mpirun: "mpirun.openmpi" },
        Library { mpicc: "mpicc.mpich", mpif90: "mpif90.mpich", mpirun: "mpirun.mpich" },
    ];
    let mut found: Vec<Library> =
        debian.into_iter().filter(|library| is_there(library.mpicc) && is_there(library.mpirun)).collect();
    let plain = Library { mpicc: "mpicc", mpif90: "mpif90", mpirun: "mpirun" };
    if found.is_empty() && is_there(plain.mpicc) && is_there(plain.mpirun) {
        found.push(plain);
    }
    if found.is_empty() {
        eprintln!("skipped: there is no mpicc with an mpirun");
    }
    found
}

struct Run {
    folder: TempDir,
    library: Library,
}

impl Run {
    fn new(library: &Library) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), library: library.clone() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles a program of `tests/recorder`; none where there is no compiler of its language.
    fn compile(&self, source: &str, flags: &[&str]) -> Option<PathBuf> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorder").join(source);
        let is_fortran = source.extension().is_some_and(|extension| extension == "f90");
        let program = self.path(&source.file_stem().expect("a name").to_string_lossy());
        let compiler = if is_fortran { self.library.mpif90 } else { self.library.mpicc };
        let output = Command::new(compiler).args(flags).arg("-O1").arg("-o").arg(&program).arg(&source).output();
        match output {
            Ok(output) if output.status.success() => Some(program),
            Ok(output) if !is_fortran => panic!("{compiler}: {}", String::from_utf8_lossy(&output.stderr)),
            _ => {
                eprintln!("skipped: {compiler} does not compile Fortran ({flags:?})");
                None
            }
        }
    }

    /// Records a program, run by the launcher of the library.
    fn record(&self, flags: &[&str], program: &Path, ranks: u32, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
        command.current_dir(self.folder.path()).arg("record").args(flags).arg("--").arg(self.library.mpirun);
        launched(&mut command, program, ranks).args(arguments).output().expect("mopsim runs")
    }
}

/// A command that ends in a launcher, with what that needs to run a program.
fn launched<'c>(command: &'c mut Command, program: &Path, ranks: u32) -> &'c mut Command {
    // Open MPI does not run as root, nor more ranks than cores, unless it is told so.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
    command.args(["-n", &ranks.to_string()]).arg(program)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What a program has counted: lines `SOURCE,DESTINATION,MESSAGES,BYTES`.
fn counted(output: &str) -> Matrix {
    let mut matrix = Matrix::new();
    for line in output.lines() {
        let numbers: Vec<u64> = line.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        if let [from, to, messages, bytes] = numbers[..] {
            matrix.insert((from as u32, to as u32), (messages, bytes));
        }
    }
    matrix
}

/// What its recording says.
fn recorded(trace: &Trace) -> Matrix {
    let info = inspect::Info::of(trace);
    info.matrix.iter().map(|&(from, to, volume)| ((from, to), (volume.messages, volume.bytes))).collect()
}

/// What is sent in the replay, collectives apart.
#[derive(Default)]
struct Messages(Matrix);

impl Observer for Messages {
    fn message_started(&mut self, _: u32, _: u32, envelope: Envelope, bytes: u64, _: f64) {
        // Messages of collectives and of windows have tags below zero.
        if envelope.tag >= 0 {
            let entry = self.0.entry((envelope.source, envelope.destination)).or_default();
            *entry = (entry.0 + 1, entry.1 + bytes);
        }
    }
}

fn replayed(trace: &Trace) -> Matrix {
    let ranks = trace.ranks() as u32;
    let layout = Layout::one_each(trace.ranks());
    let mut messages = Messages::default();
    replay(trace, &star(ranks), &layout, &model(Table::Default), &mut messages)
        .unwrap_or_else(|error| panic!("{error}"));
    messages.0
}

/// Records a program and compares what it counted with its recording and the replay.
fn same_messages(library: &Library, source: &str, compile_flags: &[&str], ranks: u32) -> Option<Trace> {
    let run = Run::new(library);
    let program = run.compile(source, compile_flags)?;
    let output = run.record(&["-o", "it.mrec"], &program, ranks, &[]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{library:?} {source}: {shown}\n{said}");
    assert!(said.contains(&format!("recorded {ranks} ranks in it.mrec")), "{said}");
    let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
    assert_eq!((trace.ranks(), &*trace.name), (ranks as usize, "it"));
    let expected = counted(&shown);
    assert!(!expected.is_empty(), "{shown}");
    assert_eq!(recorded(&trace), expected, "{library:?} {source}: recorded\n{said}");
    assert_eq!(replayed(&trace), expected, "{library:?} {source}: replayed\n{said}");
    let mut findings = inspect::check(&trace);
    findings.retain(|finding| finding.severity == inspect::Severity::Error);
    assert!(findings.is_empty(), "{library:?} {source}: {findings:?}");
    Some(trace)
}

/// The program that says what recording costs: of its loops, the half that calls MPI is recorded, the one that calls what is behind
/// it is not.
#[test]
fn the_cost_of_recording_is_measured_on_both_sides() {
    // Ten batches to begin with and one that counts, of 20 turns each.
    let turns = 11 * 20;
    // Jacobi sends four edges a turn, and trips and jobs are two messages.
    let kernels = [("trips", 1, 1024), ("halo", 2, 64), ("transpose", 0, 512), ("farm", 1, 512)];
    // One library will do: the others are recorded in the same way, and each recording compiles the recorder anew.
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

/// What each rank has received by `MPI_Allgatherv`.
fn gathered(trace: &Trace) -> Vec<u64> {
    let bytes = |action: &Action| {
        let call = action.collective().map(|index| &trace.collectives[index as usize]);
        let counts =
            call.filter(|call| call.kind == Kind::Allgatherv).map_or(&[][..], |call| trace.counts(call.recv_counts));
        counts.iter().map(|&count| u64::from(count)).sum::<u64>()
    };
    trace.actions.iter().map(|actions| actions.iter().map(|action| bytes(&action)).sum()).collect()
}

/// Threads that call MPI at the same time. What they do has the order in which the calls ended, which need not be one in which ranks
/// can do it again; so it is not replayed.
#[test]
fn threads_that_call_at_the_same_time() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("threads.c", &["-pthread"]).expect("C is compiled");
        let output = run.record(&["-o", "it.mrec"], &program, 2, &[]);
        let (shown, said) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{library:?}: {shown}\n{said}");
        if shown.contains("no threads") {
            eprintln!("skipped: {library:?} is built without MPI_THREAD_MULTIPLE");
            continue;
        }
        let trace = trace::read(&run.path("it.mrec"), &Options::default()).expect("is read");
        assert_eq!(recorded(&trace), counted(&shown), "{library:?}: {said}");
        let of = |rank: usize| {
            let word = format!("gathered {rank} ");
            shown.lines().find_map(|line| line.strip_prefix(&word)?.parse::<u64>().ok()).expect("it is told")
        };
        assert_eq!(gathered(&trace), [of(0), of(1)], "{library:?}: {said}");
    }
}

/// The same, watched by the compiler's checker of threads: nothing of the recorder is used by two at once.
#[test]
fn threads_share_nothing_without_the_lock() {
    let Some(library) = libraries().into_iter().next() else { return };
    let run = Run::new(&library);
    let program = run.path("watched");
    let source = |path: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut compile = Command::new(library.mpicc);
    compile.args(["-g", "-O1", "-fsanitize=thread", "-pthread", "-o"]).arg(&program);
    compile.arg(source("src/record/c/recorder.c")).arg(source("tests/recorder/threads.c"));
    if !compile.output().expect("the compiler runs").status.success() {
        eprintln!("skipped: {} has no -fsanitize=thread", library.mpicc);
        return;
    }
    let mut command = Command::new(library.mpirun);
    // Of the MPI library it knows nothing, and what it says of that counts for nothing.
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

#[test]
fn a_program_that_ends_early_is_replayed_up_to_there() {
    for library in libraries() {
        let run = Run::new(&library);
        let program = run.compile("crash.c", &[]).expect("C is compiled");
        for how in ["abort", "exit", "signal"] {
            let name = format!("{how}.mrec");
            let output = run.record(&["-o", &name], &program, 2, &[how]);
            let said = text(&output.stderr);
            // MPICH does not mind an exit without MPI_Finalize.
            assert!(how == "exit" || !output.status.success(), "{library:?} {how}: {said}");
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

/// A batch system whose time is over ends mopsim, not the program: that ends, too, and what it did is kept.
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
        // To the end, so that nobody writes into a pipe that is closed.
        let reader = thread::spawn(move || {
            // A launcher may put what two ranks say on one line.
            for line in lines.map_while(Result::ok) {
                line.matches("waits").for_each(|_| waits.send(()).unwrap_or(()));
            }
        });
        for rank in 0..2 {
            assert!(waiting.recv_timeout(LONG).is_ok(), "{library:?}: {rank} of 2 ranks have come to their last call");
        }
        // Launchers may miss a signal that comes while they are busy with their ranks.
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
        // MPICH's launcher takes the end of its ranks for a success.
        assert!(said.contains("recorded 2 ranks in t.mrec"), "{library:?}: {said}");
        let trace = trace::read(&run.path("t.mrec"), &Options::default()).expect("is read");
        let expected: Matrix = [((0, 1), (100, 400)), ((1, 0), (100, 400))].into();
        assert_eq!(recorded(&trace), expected, "{library:?}");
    }
}

/// Ranks on another host get the library and the folder by the environment, which a login there does not have: launchers have to pass it on.
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
            // Its own list of variables takes the place of that of `mopsim record`.
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
    // The default name is that of the program; a recording may be replaced, and is whole afterwards.
    std::fs::remove_dir_all(run.path("halo.mrec")).unwrap();
    for flags in [&["--keep-library"][..], &["--force"]] {
        let output = run.record(flags, &program, 2, &[]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert_eq!(run.path("halo.mrec/library/recorder.c").exists(), flags[0] == "--keep-library");
        assert_eq!(trace::read(&run.path("halo.mrec"), &Options::default()).unwrap().ranks(), 2);
    }
    // What the user has put into the folder of a recording stays there.
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
    assert!(said.contains("cannot compile the recorder"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    if libraries().is_empty() {
        return;
    }
    // A command that is no MPI program, that fails, that is not there.
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
