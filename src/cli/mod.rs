//! The command line: arguments in, results out, exit codes.

pub mod args;
mod calibrate;
mod calibrate_host;
mod closed;
mod collectives;
mod colour;
mod compare;
mod completions;
mod design;
mod design_search;
mod doctor;
#[cfg(unix)]
mod emulate;
#[cfg(unix)]
mod emulate_validate;
mod export;
pub mod failure;
pub mod files;
pub mod inputs;
mod interrupt;
pub mod jobs;
mod man;
mod memory;
mod merge;
mod model;
pub mod options;
mod packets;
mod part;
mod progress;
mod record;
pub mod replay;
mod shell;
mod side_files;
pub mod site;
mod slurm;
pub mod study;
mod supervised;
mod throughput;
pub mod topology;
pub mod trace;
mod trace_change;
pub mod trace_side;
pub mod trace_write;
mod workload;
mod workload_help;

use clap::FromArgMatches;
use clap::error::ErrorKind;
use failure::Failure;
use mopsim::printable::{Printable, attached, message, one_line};
use mopsim::report::Reporter;
use mopsim::report::site::SiteDefault;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

/// Command line of this run: see [`Invocation`].
static INVOCATION: OnceLock<Invocation> = OnceLock::new();

/// A command line: the program, and its arguments. In a Python package, the arguments of the process are those of the
/// interpreter, so the caller of [`main`] passes them.
#[derive(Debug)]
pub struct Invocation {
    /// Path of the program, for scripts that call it again; `None` to find it on demand.
    pub program: Option<PathBuf>,
    /// Arguments without the name of the program.
    pub arguments: Vec<OsString>,
}

/// Returns the command line of this run.
fn invocation() -> &'static Invocation {
    INVOCATION.get_or_init(|| Invocation { program: None, arguments: Vec::new() })
}

/// Makes exceeding the file size limit of the shell (`ulimit -f`) an error of the write instead of the end of the
/// process: it can be reported, and temporary files are optional.
fn survive_limits() {
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
}

/// Prints help, the version, or errors in the arguments.
fn told(error: &clap::Error) -> u8 {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match deliver(colour::of_clap(&error.render(), &io::stdout()).as_bytes()) {
            Ok(()) => 0,
            Err(failure) => {
                failure.print();
                failure.code()
            }
        };
    }
    let rendered = error.render();
    let text = rendered.to_string();
    // Arguments may be names of untrusted files.
    let shown = message(&with_arguments_in_one_line(&text));
    let shown = if shown == text { colour::of_clap(&rendered, &io::stderr()) } else { shown };
    let _ = io::stderr().write_all(shown.as_bytes());
    mopsim::user_error::BAD_INPUT
}

/// Returns a message of clap whose quoted arguments cannot begin lines of their own.
fn with_arguments_in_one_line(text: &str) -> String {
    let mut text = text.to_owned();
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy();
        let (name, value) = argument.split_once('=').unwrap_or(("", &argument));
        for part in [&*argument, value, name] {
            // The message has line ends of its own.
            if part.contains('\n') && !part.trim().is_empty() {
                text = text.replace(part, &one_line(part));
            }
        }
    }
    text
}

/// Time limit for one statement of a workload program: a step of the interpreter that cannot be interrupted.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends the process if a workload program is stuck in a statement.
fn watch_programs() {
    // If no thread can be started, programs are not observed.
    let _ = std::thread::Builder::new().spawn(|| {
        let mut patience = mopsim::workload::Patience::new(PATIENCE);
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if let Some(message) = patience.look() {
                let help = "keep values small: a list that holds a list twice doubles with each level";
                let failure = Failure::input(message, help);
                failure.print();
                part::remove_all();
                std::process::exit(mopsim::user_error::BAD_INPUT.into());
            }
        }
    });
}

/// Refuses `--format` where it would have no effect: one rule for all verbs that print no report.
fn check_format(arguments: &args::Arguments) -> Result<(), Failure> {
    match arguments.verb.without_report() {
        Some((what, help)) if !arguments.output.is_text() => {
            let format = arguments.output.format.name();
            Err(Failure::input(format!("--format {format} is the format of a report, and {what} prints none"), help))
        }
        _ => Ok(()),
    }
}

/// Runs the program, once in a process, and returns its exit code.
pub fn main(invocation: Invocation) -> u8 {
    let mut command = args::command();
    let words = std::iter::once(OsString::from("mopsim")).chain(invocation.arguments.iter().cloned());
    let parsed = command.try_get_matches_from_mut(words).and_then(|mut matches| {
        args::Arguments::from_arg_matches_mut(&mut matches).map_err(|e| e.format(&mut command))
    });
    let mut arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => return told(&error),
    };
    if !arguments.output.no_config && !arguments.verb.needs_no_site() {
        match site::Site::read() {
            Ok(site) => arguments.output.site = site,
            Err(failure) => {
                failure.print();
                return failure.code();
            }
        }
    }
    if let Err(failure) = check_format(&arguments) {
        failure.print();
        return failure.code();
    }
    let _ = INVOCATION.set(invocation);
    survive_limits();
    if let Some((_, columns)) = console::Term::stdout().size_checked() {
        mopsim::report::wrap::set_width(columns.into());
    }
    memory::limit(arguments.output.memory.or(arguments.output.site.memory), !arguments.verb.runs_commands());
    memory::watch_threads();
    watch_programs();
    let result = match &arguments.verb {
        args::Verb::Calibrate(verb) => calibrate::run(verb, &arguments.output),
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
        #[cfg(unix)]
        args::Verb::Emulate(verb) => emulate::run(verb, &arguments.output),
        args::Verb::Doctor(_) => doctor::run(&arguments.output),
        args::Verb::Completions(verb) => completions::run(verb),
        args::Verb::Man(verb) => man::run(verb, arguments.output.quiet),
    };
    match result {
        Ok(()) => 0,
        Err(failure) => {
            failure.print();
            failure.code()
        }
    }
}

/// Prints a line on standard error; failure to write it is ignored.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", colour::labelled(&message(&attached(line))));
}

/// Writes a report to standard output, with the defaults of the site that it rests on: those with these keys.
fn print_report(
    output: &args::Output,
    keys: &[&str],
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let defaults = output.site.used(keys);
    print(|out| write_report(output.format, &defaults, out, write))
}

/// Writes a report in a format, with the defaults of the site that it rests on.
fn write_report(
    format: &dyn Reporter,
    defaults: &[SiteDefault],
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if defaults.is_empty() {
        return write(out);
    }
    let mut report = Vec::new();
    write(&mut report)?;
    out.write_all(&format.with_site(report, defaults)?)
}

/// Writes a complete result to standard output in one step. A reader that has closed it is not an error.
fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    print_bytes(|out| write(out).map_err(|error| Failure::output(&error)))
}

/// Writes a complete result to standard output in one step; `write` can also fail for other reasons.
fn print_bytes(write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut buffer = Vec::new();
    write(&mut Printable::new(&mut buffer))?;
    deliver(&buffer)
}

/// Writes bytes to standard output.
fn deliver(buffer: &[u8]) -> Result<(), Failure> {
    if closed::standard_output() {
        return Err(Failure::output(&io::Error::other("standard output is closed")));
    }
    let mut out = io::stdout().lock();
    match out.write_all(buffer).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}
