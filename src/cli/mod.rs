//! The command line: arguments in, results out, exit codes.

mod args;
mod collectives;
mod compare;
mod design;
mod export;
mod failure;
mod files;
mod inputs;
mod interrupt;
mod jobs;
mod merge;
mod model;
mod options;
mod packets;
mod progress;
mod record;
mod replay;
mod shell;
mod side_files;
mod slurm;
mod study;
mod throughput;
mod topology;
mod trace;
mod trace_change;
mod trace_side;
mod trace_write;
mod workload;
mod workload_help;

use clap::FromArgMatches;
use failure::Failure;
use std::io::{self, Write};
use std::process::ExitCode;

/// A file that would become larger than a limit of the shell (`ulimit -f`) is an error of the write, not the end of the
/// process: it can be told, and temporary files can be done without.
fn survive_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Runs the program.
pub fn main() -> ExitCode {
    let mut command = args::command();
    let arguments = args::Arguments::from_arg_matches_mut(&mut command.get_matches_mut())
        .unwrap_or_else(|error| error.format(&mut command).exit());
    survive_limits();
    if let Some((_, columns)) = console::Term::stdout().size_checked() {
        mopsim::report::wrap::set_width(columns.into());
    }
    let result = match &arguments.verb {
        args::Verb::Collectives(verb) => collectives::run(verb, &arguments.output),
        args::Verb::Compare(verb) => compare::run(verb, &arguments.output),
        args::Verb::Merge(verb) => merge::run(verb, &arguments.output),
        args::Verb::Model(verb) => model::run(verb, &arguments.output),
        args::Verb::Record(verb) => record::run(verb, &arguments.output),
        args::Verb::Replay(verb) => replay::run(verb, &arguments.output),
        args::Verb::Export(verb) => export::run(verb, &arguments.output),
        args::Verb::Throughput(verb) => throughput::run(verb, &arguments.output),
        args::Verb::Packets(verb) => packets::run(verb, &arguments.output),
        args::Verb::Topology(verb) => topology::run(verb, &arguments.output),
        args::Verb::Workload(verb) => workload::run(verb, &arguments.output),
        args::Verb::Trace(verb) => trace::run(verb, &arguments.output),
        args::Verb::Design(verb) => design::run(verb, &arguments.output),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.code()
        }
    }
}

/// Tells the user something on standard error; that nobody listens is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a whole result to standard output at once. A reader that went away is no error.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    print_bytes(|out| write(out).map_err(|error| Failure::output(&error)))
}

/// The same for what can fail otherwise, too.
fn print_bytes(write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    write(&mut buffer)?;
    let mut out = io::stdout().lock();
    match out.write_all(&buffer).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}
