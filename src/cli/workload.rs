//! `mopsim workload`: traces of applications at any size.

use super::args::{self, Output, Workload};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::trace_side::{TraceSide, is_file};
use super::{inputs, print, progress, say, trace_write, workload_help};
use mopsim::mpi::collective::Selector;
use mopsim::report::{number, workload};
use mopsim::steps::Steps;
use mopsim::trace::{self, Packing, SideFile, Trace};
use mopsim::workload::{Instance, Limits, Summary, WriteError, catalogue};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(arguments: &Workload, output: &Output) -> Result<(), Failure> {
    let reporter = output.format;
    if arguments.help || arguments.brief_help {
        let text = match &arguments.name {
            Some(name) => workload_help::of(&catalogue::open(name)?),
            None => args::help("workload", arguments.help),
        };
        return print(|out| out.write_all(text.as_bytes()));
    }
    let Some(name) = &arguments.name else {
        return print(|out| reporter.sheet(&workload::catalogue(), out));
    };
    if arguments.source
        && let Some(builtin) = catalogue::find(name)
    {
        return print(|out| out.write_all(builtin.source.as_bytes()));
    }
    check_files(name, arguments)?;
    let selector = match &arguments.output {
        Some(file) => trace_write::selector(file, &arguments.table)?,
        None => None,
    };
    let program = catalogue::open(name)?;
    if arguments.parameters {
        return print(|out| reporter.sheet(&workload::parameters(&program), out));
    }
    let Some(ranks) = arguments.ranks else {
        let help = format!("give --ranks N; `mopsim workload {name} --help` says which numbers are valid");
        return Err(Failure::input("the number of ranks is missing", help));
    };
    let mut limits = Limits::default();
    limits.actions = arguments.max_actions.unwrap_or(limits.actions);
    limits.steps = arguments.max_steps.unwrap_or(limits.steps);
    let mut instance = program.instantiate(ranks, &given(arguments)?, &limits)?;
    if let Some(file) = &arguments.calibrate {
        let recorded = trace::read(file, &trace::Options::default())?;
        super::trace::warn(&recorded, output);
        calibrate(&mut instance, &recorded, file)?;
    }
    let summary = match &arguments.output {
        Some(file) => {
            let facts = instance.side();
            let side = TraceSide::of(&facts, file)?;
            side.check_free(arguments.force)?;
            let steps = Steps::default();
            let waiting = progress::counted(format!("writing {}", files::name(file)), &steps, output.quiet);
            let summary = files::replace_with(file, |out| pack(&instance, file, selector.as_ref(), out, &steps));
            waiting.finish_and_clear();
            let summary = summary?;
            side.write()?;
            summary
        }
        None => instance.summary()?,
    };
    if let Some(file) = &arguments.output
        && !output.quiet
    {
        say(&format!(
            "{}: {} actions of {}",
            files::name(file),
            number::grouped(summary.actions),
            number::counted(summary.ranks, "rank")
        ));
    }
    // The contents of a written file are reported if requested.
    if arguments.output.as_deref().is_none_or(|file| !output.is_text() && !files::is_standard_output(file)) {
        return print(|out| reporter.sheet(&workload::summary(&instance, &summary), out));
    }
    Ok(())
}

/// Refuses to replace an input file, or an existing file without force.
fn check_files(name: &str, arguments: &Workload) -> Result<(), Failure> {
    let program = name.ends_with(".star").then(|| PathBuf::from(name));
    let read = || program.into_iter().chain(arguments.calibrate.iter().flat_map(|file| inputs::trace(file)));
    let output = arguments.output.as_deref();
    Outputs::default()
        .creating("--output", output, arguments.force)
        .beside("the side file of --output", output.filter(|file| is_file(file)).map(SideFile::beside))
        .check(read)
}

/// Returns the parameters as given, beginning with those that have flags of their own.
fn given(arguments: &Workload) -> Result<Vec<(String, String)>, Failure> {
    let own = [("class", &arguments.class), ("iterations", &arguments.iterations)];
    let mut given: Vec<(String, String)> =
        own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?))).collect();
    for written in &arguments.p {
        let Some((name, value)) = written.split_once('=') else {
            return Err(Failure::input(format!("-p {written}: not NAME=VALUE"), "write for example -p side=32"));
        };
        if given.iter().any(|(other, _)| other == name) {
            return Err(Failure::input(format!("the parameter {name} is given twice"), "give it once"));
        }
        given.push((name.to_owned(), value.to_owned()));
    }
    Ok(given)
}

fn calibrate(instance: &mut Instance, recorded: &Trace, file: &Path) -> Result<(), Failure> {
    let recorded_ranks = recorded.ranks() as u32;
    if recorded_ranks != instance.ranks {
        let message = format!("{}: it has {recorded_ranks} ranks, the workload {}", file.display(), instance.ranks);
        return Err(Failure::input(message, "calibrate with a trace of the same size"));
    }
    let (want, have) = (Summary::of(recorded).flops, instance.summary()?.flops);
    if !(want > 0.0 && have > 0.0) {
        let message = format!("{}: there is no computation to calibrate with", file.display());
        return Err(Failure::input(message, "leave --calibrate out"));
    }
    instance.scale = want / have;
    Ok(())
}

/// Writes the trace, in the format and packing for the name of the file.
fn pack(
    instance: &Instance,
    file: &Path,
    selector: Option<&Selector>,
    out: &mut (dyn Write + Send),
    steps: &Steps,
) -> Result<Summary, Failure> {
    // The messages of a collective depend on the arguments of all ranks.
    if selector.is_some() {
        let trace = instance.trace()?;
        trace_write::pack(&trace, file, selector, out, steps)?;
        return Ok(Summary::of(&trace));
    }
    let written = Packing::of(file).pack(out, |out| instance.write(trace::writer_for(file), out, steps));
    written.map_err(|error| match error {
        WriteError::Workload(error) => Failure::from(error),
        WriteError::Output(error) => Failure::file("write", file, &error),
        WriteError::Inexpressible(error) => Failure::input(error, "choose another format, such as .ti or .mtrace"),
    })
}
