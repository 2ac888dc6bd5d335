//! `mopsim calibrate --host`: how fast a host computes, alone or relative to the host of a recording.

use super::args::{Calibrate, Output};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{print, say};
use mopsim::calibrate::{HOST_PROGRAM, HOST_PROGRAM_NAME, HostSpeed};
use mopsim::record as recorder;
use mopsim::report::calibrate_host as report;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Options of the C compiler: the speed counts that programs built for this machine have.
const OPTIONS: [&str; 3] = ["-O3", "-march=native", "-pthread"];

pub fn run(arguments: &Calibrate, output: &Output) -> Result<(), Failure> {
    let inputs: Vec<PathBuf> = arguments.files.iter().chain(&arguments.relative_to).cloned().collect();
    Outputs::default().report("--output", arguments.output.as_deref(), arguments.force).check(|| inputs)?;
    let here = match &arguments.files[..] {
        [] => measured()?,
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
fn measured() -> Result<HostSpeed, Failure> {
    let compiler = std::env::var_os("CC").filter(|name| !name.is_empty()).map_or_else(|| "cc".into(), PathBuf::from);
    let folder = tempfile::tempdir().map_err(|error| Failure::file("make", &std::env::temp_dir(), &error))?;
    let program = recorder::compile_program(&compiler, folder.path(), HOST_PROGRAM_NAME, HOST_PROGRAM, &OPTIONS)
        .map_err(|error| Failure::input(error, "install a C compiler (Debian: gcc), or name one with $CC"))?;
    let out = Command::new(&program).stderr(Stdio::inherit()).output();
    let out = out.map_err(|error| Failure::file("start", &program, &error))?;
    if !out.status.success() {
        return Err(Failure::input(format!("the measurement ends with {}", out.status), "it needs 48 MiB per core"));
    }
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let host = read("/proc/sys/kernel/hostname").trim().to_owned();
    let host = if host.is_empty() { "this host".to_owned() } else { host };
    let text = String::from_utf8_lossy(&out.stdout);
    HostSpeed::of_output(&text, &host, &read("/proc/cpuinfo"))
        .map_err(|error| Failure::input(format!("the measurement failed: {error}"), "run it again"))
}
