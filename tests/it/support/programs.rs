//! Real MPI programs, recorded and replayed: the libraries that are there, the programs of `tests/recorder`, and what
//! these count themselves.

use super::star::{model, star};
use mopsim::engine::{Observer, replay};
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::messages::Envelope;
use mopsim::mpi::rank_map::RankMap;
use mopsim::trace::{self, Options, Trace, inspect};
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Messages and bytes by source and destination.
pub type Matrix = BTreeMap<(u32, u32), (u64, u64)>;

/// Installed MPI library.
#[derive(Clone, Debug)]
pub struct Library {
    pub mpicc: &'static str,
    pub mpif90: &'static str,
    pub mpirun: &'static str,
}

/// Returns the installed libraries, each once.
pub fn libraries() -> Vec<Library> {
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

pub struct Run {
    pub folder: TempDir,
    pub library: Library,
}

impl Run {
    pub fn new(library: &Library) -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), library: library.clone() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles a program of `tests/recorder`; `None` if there is no compiler of its language.
    pub fn compile(&self, source: &str, flags: &[&str]) -> Option<PathBuf> {
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
    pub fn record(&self, flags: &[&str], program: &Path, ranks: u32, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
        command.env("MPICC", once(self.library.mpicc));
        command.current_dir(self.folder.path()).arg("record").args(flags).arg("--").arg(self.library.mpirun);
        launched(&mut command, program, ranks).args(arguments).output().expect("mopsim runs")
    }
}

/// Returns a compiler that compiles the recorder once for all tests, and everything else as another compiler does.
///
/// Compiling the recorder takes longer than most recordings. Its product is kept, by the preprocessed source, in which the
/// headers of the MPI library are.
fn once(compiler: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorders");
    let file = folder.join(compiler);
    let script = ONCE.replace("COMPILER", compiler).replace("FOLDER", &folder.display().to_string());
    // One of another version may be there.
    if fs::read(&file).ok().as_deref() != Some(script.as_bytes()) {
        fs::create_dir_all(&folder).expect("a folder");
        let mut written = tempfile::NamedTempFile::new_in(&folder).expect("a file");
        written.write_all(script.as_bytes()).expect("written");
        fs::set_permissions(written.path(), Permissions::from_mode(0o755)).expect("executable");
        // Closed before anything runs it: a file that is open for writing is not executed.
        written.into_temp_path().persist(&file).expect("renamed");
    }
    file
}

/// Script of [`once`]. The arguments for the recorder are `-shared -fPIC -O1 -o LIBRARY SOURCE` and libraries.
const ONCE: &str = r#"#!/bin/sh
set -e
library=$5 source=$6
case $1:$source in
  -shared:*/recorder.c) ;;
  *) exec COMPILER "$@" ;;
esac
key=$({ COMPILER -E -P "$source"; echo "$2 $3 $7 $8"; } | cksum | tr ' ' -)
kept="FOLDER/COMPILER-$key.so"
if [ ! -f "$kept" ]; then
  COMPILER "$@"
  cp "$library" "$kept.$$"
  mv "$kept.$$" "$kept"
fi
cp "$kept" "$library"
"#;

/// Completes a command that ends in a launcher with the arguments to run a program.
pub fn launched<'c>(command: &'c mut Command, program: &Path, ranks: u32) -> &'c mut Command {
    // By default Open MPI does not run as root, nor more ranks than cores.
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
    command.args(["-n", &ranks.to_string()]).arg(program)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the counts of a program: lines `SOURCE,DESTINATION,MESSAGES,BYTES`.
pub fn counted(output: &str) -> Matrix {
    let mut matrix = Matrix::new();
    for line in output.lines() {
        let numbers: Vec<u64> = line.split(',').filter_map(|word| word.trim().parse().ok()).collect();
        if let [from, to, messages, bytes] = numbers[..] {
            matrix.insert((from as u32, to as u32), (messages, bytes));
        }
    }
    matrix
}

/// Returns the counts of its recording.
pub fn recorded(trace: &Trace) -> Matrix {
    let info = inspect::Info::of(trace);
    info.matrix.iter().map(|&(from, to, volume)| ((from, to), (volume.messages, volume.bytes))).collect()
}

/// Messages in the replay, without those of collectives.
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

pub fn replayed(trace: &Trace) -> Matrix {
    let ranks = trace.ranks() as u32;
    let rank_map = RankMap::one_each(trace.ranks());
    let mut messages = Messages::default();
    replay(trace, &star(ranks), &rank_map, &model(Table::Default), &mut messages)
        .unwrap_or_else(|error| panic!("{error}"));
    messages.0
}

/// Records a program and compares what it counted with its recording and the replay.
pub fn same_messages(library: &Library, source: &str, compile_flags: &[&str], ranks: u32) -> Option<Trace> {
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
