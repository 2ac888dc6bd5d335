//! `mopsim calibrate --host`: how fast a host computes, alone or relative to the host of a recording.

use super::args::{Calibrate, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{print, say, supervised};
use mopsim::calibrate::{HOST_PROGRAM, HOST_PROGRAM_NAME, HostSpeed};
use mopsim::record::{self as recorder, RecordError};
use mopsim::report::calibrate_host as report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options of the C compiler.
const OPTIONS: [&str; 2] = ["-O3", "-pthread"];

/// Option for the instructions of this processor, since programs are built for their machine. Not all compilers have it.
const NATIVE: &str = "-march=native";

pub fn run(arguments: &Calibrate, output: &Output) -> Result<(), Failure> {
    let inputs: Vec<PathBuf> = arguments.files.iter().chain(&arguments.relative_to).cloned().collect();
    Outputs::default().report("--output", arguments.output.as_deref(), arguments.force).check(|| inputs)?;
    let here = match &arguments.files[..] {
        [] => measured(output.quiet)?,
        [file] => HostSpeed::read(file)?,
        [_, second, ..] => {
            let message = format!("--host reads one file, and {} is a second one", files::name(second));
            return Err(Failure::input(message, "name the host of the recording with --relative-to"));
        }
    };
    let recorded = arguments.relative_to.as_deref().map(HostSpeed::read).transpose()?;
    if let Some(file) = &arguments.output {
        files::report(file, |out| out.write_all(here.toml().as_bytes()))?;
        if !output.quiet {
            say(&format!("{} is for calibrate --host, here or elsewhere", files::name(file)));
        }
    }
    print(|out| output.format.sheet(&report::sheet(&here, recorded.as_ref()), out))
}

/// Compiles the program, runs it, and returns the speed of this host.
fn measured(quiet: bool) -> Result<HostSpeed, Failure> {
    let stop = supervised::StopSignal::listen();
    let folder = tempfile::tempdir().map_err(|error| Failure::file("make", &std::env::temp_dir(), &error))?;
    // The terminal sends Ctrl-C to the compiler as well, which then fails.
    let compiled = compiled(folder.path(), quiet);
    stop.check()?;
    let program =
        compiled.map_err(|error| Failure::input(error, "install a C compiler (Debian: gcc), or name one with $CC"))?;
    let (status, text) =
        supervised::output(Command::new(&program), &stop)?.map_err(|error| Failure::file("start", &program, &error))?;
    if !status.success() {
        return Err(Failure::input(format!("the measurement ends with {status}"), "it needs 48 MiB per core"));
    }
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let host = read("/proc/sys/kernel/hostname").trim().to_owned();
    let host = if host.is_empty() { "this host".to_owned() } else { host };
    HostSpeed::of_output(&text, &host, &read("/proc/cpuinfo"))
        .map_err(|error| Failure::input(format!("the measurement failed: {error}"), "run it again"))
}

/// Compiles the program in a folder by `$CC`, which may have options.
fn compiled(folder: &Path, quiet: bool) -> Result<PathBuf, RecordError> {
    let named = std::env::var("CC").unwrap_or_default();
    let mut words = named.split_whitespace();
    let compiler = PathBuf::from(words.next().unwrap_or("cc"));
    let options: Vec<&str> = words.chain(OPTIONS).collect();
    let compile =
        |options: &[&str]| recorder::compile_program(&compiler, folder, HOST_PROGRAM_NAME, HOST_PROGRAM, options);
    compile(&[&options[..], &[NATIVE]].concat()).or_else(|_| {
        let program = compile(&options)?;
        if !quiet {
            say(&format!("{} refuses {NATIVE}: programs that have it may be faster", compiler.display()));
        }
        Ok(program)
    })
}
