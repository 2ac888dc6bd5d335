//! `mopsim trace`: contents of traces.

use super::args::{self, Output, Reading, ReadingLimits, TraceCheck, TraceDiff, TraceInfo, TraceWhat};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{inputs, options, print, progress, say, trace_change};
use mopsim::platform::units::Speed;
use mopsim::report::{Sheet, trace_check, trace_info, trace_matrix, workload};
use mopsim::trace::inspect::{self, Severity};
use mopsim::trace::{self, DEFAULT_RECORDED_SPEED, Options, Trace, diff::Difference, transform};
use std::path::Path;
use std::sync::atomic::Ordering;

pub fn run(arguments: &args::Trace, output: &Output) -> Result<(), Failure> {
    match &arguments.what {
        TraceWhat::Info(arguments) => info(arguments, output),
        TraceWhat::Check(arguments) => check(arguments, output),
        TraceWhat::Convert(arguments) => trace_change::convert(arguments, output),
        TraceWhat::Cut(arguments) => trace_change::cut(arguments, output),
        TraceWhat::Scale(arguments) => trace_change::scale(arguments, output),
        TraceWhat::Diff(arguments) => diff(arguments, output),
    }
}

/// What to read of a trace, and how.
#[derive(Clone, Copy, Default)]
pub struct Selection {
    /// Number of ranks, for formats that have none of their own.
    pub ranks: Option<usize>,
    /// Of a recording, those ranks that can be read.
    pub readable_ranks: bool,
    /// Graphs are kept as graphs; otherwise they become lists.
    pub keep_graphs: bool,
}

impl Selection {
    /// Returns all ranks that the flags ask for, with graphs as lists.
    pub fn by(flags: &Reading) -> Self {
        Self { ranks: flags.number_of_ranks, ..Self::default() }
    }
}

/// Reads a trace with the options of the flags; graphs become lists.
pub fn read(path: &Path, flags: &Reading, output: &Output) -> Result<Trace, Failure> {
    read_as(path, Selection::by(flags), &flags.limits, output)
}

/// Reads a trace within limits.
pub fn read_as(path: &Path, wanted: Selection, flags: &ReadingLimits, output: &Output) -> Result<Trace, Failure> {
    let Selection { ranks, readable_ranks, keep_graphs } = wanted;
    let how = Options {
        readable_ranks,
        leave_out: flags.leave_out,
        keep_graphs,
        recorded_speed: speed("recorded-speed", flags.recorded_speed.as_deref())?,
        ..options::reading(ranks, flags.files_anywhere, flags.max_unpacked_bytes)
    };
    let waiting = progress::counted(format!("reading {}", files::name(path)), &how.steps, output.quiet);
    let trace = trace::read(path, &how);
    waiting.finish_and_clear();
    let trace = trace?;
    if flags.recorded_speed.is_some() && !how.has_times.load(Ordering::Relaxed) {
        let message =
            format!("--recorded-speed: {} has no recorded times, but amounts of computation", files::name(path));
        return Err(Failure::input(message, "leave it out; `mopsim trace scale` changes amounts of computation"));
    }
    Ok(trace)
}

/// Prints warnings on anything that the reader ignored or changed, on standard error.
pub fn warn(trace: &Trace, output: &Output) {
    if !output.quiet {
        trace.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    }
}

/// Parses the value of an option that is a speed, in flop/s.
pub fn speed(option: &str, text: Option<&str>) -> Result<f64, Failure> {
    let given: Option<Speed> = options::parse(option, text)?;
    Ok(given.map_or(DEFAULT_RECORDED_SPEED, Speed::value))
}

fn info(arguments: &TraceInfo, output: &Output) -> Result<(), Failure> {
    Outputs::default()
        .report("--svg", arguments.svg.as_deref(), arguments.force)
        .report("--csv", arguments.csv.as_deref(), arguments.force)
        .check(|| inputs::trace(&arguments.trace))?;
    let host_speed = speed("host-speed", arguments.host_speed.as_deref())?;
    let reading = &arguments.reading;
    // The operations of a schedule are those of its graphs, not the calls of lists made of them.
    let wanted = Selection { readable_ranks: true, keep_graphs: true, ..Selection::by(reading) };
    let trace = read_as(&arguments.trace, wanted, &reading.limits, output)?;
    warn(&trace, output);
    let info = inspect::Info::of(&trace);
    let mut sheet = info_sheet(&trace, &info, host_speed)?;
    if let Some((hosts, rows)) = super::record::recorded_on(&arguments.trace) {
        sheet.tables.push(rows);
        sheet
            .notes
            .push(format!("recorded on {hosts}; calibrate --host measures how fast another host is relative to it"));
    }
    if let Some(file) = &arguments.svg {
        files::report(file, |out| trace_matrix::svg(&trace.name, &info, out))?;
    }
    if let Some(file) = &arguments.csv {
        files::report(file, |out| trace_matrix::csv(&trace.name, &info, out))?;
    }
    print(|out| {
        output.format.sheet(&sheet, out)?;
        if output.is_text() { trace_matrix::text(&info, out) } else { Ok(()) }
    })
}

/// Returns facts about a trace, with seconds of computation at a speed in flop/s.
pub fn info_sheet(trace: &Trace, info: &inspect::Info, host_speed: f64) -> Result<Sheet, Failure> {
    let compressed = inspect::compressed(trace).map_err(|error| Failure::input(error, ""))?;
    let iterations = transform::iterations(trace);
    Ok(trace_info::info(trace, info, &trace_info::Extras { host_speed, compressed, iterations }))
}

fn check(arguments: &TraceCheck, output: &Output) -> Result<(), Failure> {
    let trace = read(&arguments.trace, &arguments.reading, output)?;
    let findings = inspect::check(&trace);
    print(|out| match output.is_text() {
        true => trace_check::text(&trace, &findings, out),
        false => output.format.sheet(&trace_check::sheet(&trace, &findings), out),
    })?;
    if findings.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(Failure::differs("the trace has errors"));
    }
    Ok(())
}

fn diff(arguments: &TraceDiff, output: &Output) -> Result<(), Failure> {
    let (first, second) =
        (read(&arguments.first, &arguments.reading, output)?, read(&arguments.second, &arguments.reading, output)?);
    warn(&first, output);
    warn(&second, output);
    let difference = Difference::of(&first, &second);
    let sheet = workload::difference(&difference);
    print(|out| output.format.sheet(&sheet, out))?;
    if difference.same_communication() { Ok(()) } else { Err(Failure::differs("the traces communicate differently")) }
}
