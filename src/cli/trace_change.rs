//! `mopsim trace convert`, `cut` and `scale`: traces derived from traces.

use super::args::{ForTool, Output, ReadingLimits, Target, TraceConvert, TraceCut, TraceScale};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::trace::{Selection, read_as, warn};
use super::trace_side::TraceSide;
use super::{inputs, progress, say, trace_write};
use mopsim::mpi::collective::Selector;
use mopsim::report::number::{self, grouped};
use mopsim::steps::Steps;
use mopsim::trace::transform::{self, Cut, CutError, Part, Unreadable};
use mopsim::trace::{self, Actions, SideFile, Trace};
use std::ops::Range;
use std::path::Path;

pub fn convert(arguments: &TraceConvert, output: &Output) -> Result<(), Failure> {
    let selector = check(&arguments.trace, &arguments.target)?;
    let is_text = trace::format_for(&arguments.target.output).name == TEXT;
    if arguments.reader.is_some() && !is_text {
        let message = format!("--for simgrid: SimGrid does not read {}", files::name(&arguments.target.output));
        return Err(Failure::input(message, "end the name in .ti"));
    }
    let reading = &arguments.reading;
    let mut trace = read_for(&arguments.trace, Selection::by(reading), &reading.limits, &arguments.target, output)?;
    warn(&trace, output);
    match arguments.reader {
        Some(ForTool::Simgrid) => trace = for_simgrid(&trace, arguments.reading.limits.leave_out, output)?,
        None if is_text && !output.quiet => {
            let unreadable = transform::unreadable_by_simgrid(&trace);
            if !unreadable.is_empty() {
                let counts = counted(&unreadable);
                say(&format!("warning: SimGrid's replay does not read {counts}; --for simgrid writes what it reads"));
            }
        }
        None => {}
    }
    let facts = SideFile { measured_seconds: trace.measured_seconds(), ..trace.side.clone().unwrap_or_default() };
    let side = TraceSide::of(&facts, &arguments.target.output)?;
    if facts != SideFile::default() {
        side.check_free(arguments.target.force)?;
    }
    write(&trace, &arguments.target, selector.as_ref(), output)?;
    if facts == SideFile::default() { Ok(()) } else { side.write() }
}

/// Returns the trace for SimGrid. Actions that SimGrid cannot read are omitted if requested, otherwise an error.
fn for_simgrid(trace: &Trace, leave_out: bool, output: &Output) -> Result<Trace, Failure> {
    let (kept, left_out) = transform::for_simgrid(trace);
    if left_out.is_empty() {
        return Ok(kept);
    }
    let counts = counted(&left_out);
    if !leave_out {
        let message = format!("{}: SimGrid's replay has no counterpart of {counts}", trace.name);
        return Err(Failure::input(message, "--leave-out leaves them out; without --for simgrid they are written"));
    }
    if !output.quiet {
        say(&format!("warning: left out, since SimGrid's replay has no counterpart: {counts}"));
    }
    Ok(kept)
}

fn counted(unreadable: &Unreadable) -> String {
    let each: Vec<String> = unreadable.iter().map(|(what, count)| format!("{} {what}", grouped(*count))).collect();
    each.join(", ")
}

pub fn cut(arguments: &TraceCut, output: &Output) -> Result<(), Failure> {
    let ranks = arguments.ranks.as_deref().map(ranks).transpose()?;
    let part = match (&arguments.iterations, &arguments.window) {
        (Some(text), _) => Part::Iterations(iterations(text)?),
        (None, Some(text)) => {
            let (from, to) = window(text)?;
            Part::Window(from, to)
        }
        (None, None) if ranks.is_none() => {
            return Err(Failure::input("there is nothing to cut", "give --ranks, --iterations or --window"));
        }
        (None, None) => Part::All,
    };
    let selector = check(&arguments.trace, &arguments.target)?;
    refuse_side_file(&arguments.target, "is only a part of the program", output)?;
    // Ranks that are left out need no file.
    let wanted =
        Selection { ranks: arguments.number_of_ranks, readable_ranks: ranks.is_some(), ..Selection::default() };
    let trace = match part {
        Part::All => read_for(&arguments.trace, wanted, &arguments.limits, &arguments.target, output)?,
        // Iterations and percentages are parts of a list.
        _ => read_as(&arguments.trace, wanted, &arguments.limits, output)?,
    };
    let (part, _) = transform::cut(&trace, &Cut { ranks, part }).map_err(|error| {
        let help = match &error {
            CutError::NoRank { .. } => "give ranks that the trace has",
            CutError::NoIterations { .. } => "--window takes a part of any trace",
            CutError::TooFewIterations { .. } => "give iterations that the trace has",
            CutError::Graph => "cut --ranks, or convert the schedule to an .mtrace file, which has lists",
            CutError::Empty => "give more ranks or a larger window",
            CutError::Full(_) => "cut a smaller part",
        };
        Failure::input(format!("{}: {error}", arguments.trace.display()), help)
    })?;
    warn(&part, output);
    write(&part, &arguments.target, selector.as_ref(), output)
}

pub fn scale(arguments: &TraceScale, output: &Output) -> Result<(), Failure> {
    let factor = arguments.compute;
    if !(factor >= 0.0 && factor.is_finite()) {
        let message = format!("--compute {factor}: the factor must be finite, and 0 or more");
        return Err(Failure::input(message, "0.5 makes hosts twice as fast, 2 half as fast, 0 infinitely fast"));
    }
    let selector = check(&arguments.trace, &arguments.target)?;
    refuse_side_file(&arguments.target, "has other computations", output)?;
    let reading = &arguments.reading;
    let mut trace = read_for(&arguments.trace, Selection::by(reading), &reading.limits, &arguments.target, output)?;
    warn(&trace, output);
    transform::scale_compute(&mut trace, factor).map_err(|error| {
        let message = format!("{}: --compute: {error}", arguments.trace.display());
        Failure::input(message, "give a smaller factor")
    })?;
    write(&trace, &arguments.target, selector.as_ref(), output)
}

/// Reads a trace that is written to `target`: graphs stay graphs if the format has them, since a list would run their
/// parallel operations one after another.
fn read_for(
    path: &Path,
    wanted: Selection,
    limits: &ReadingLimits,
    target: &Target,
    output: &Output,
) -> Result<Trace, Failure> {
    let keep_graphs = trace::writer_for(&target.output).writes_graphs();
    let mut trace = read_as(path, Selection { keep_graphs, ..wanted }, limits, output)?;
    if trace.schedule.is_some() {
        // They state how a replay treats parts of the graph, which are written as they are.
        trace.warnings.clear();
    }
    Ok(trace)
}

/// Refuses to replace an input file, or an existing file without force. Returns the selector of collective algorithms,
/// if the format has no collectives.
fn check(trace: &Path, target: &Target) -> Result<Option<Selector>, Failure> {
    Outputs::default().creating("--output", Some(&target.output), target.force).check(|| inputs::trace(trace))?;
    trace_write::selector(&target.output, &target.table)
}

/// Refuses the name of a file whose side file describes another trace: the operations of a whole program, taken for those
/// of a part, would give a false performance. With force there is only a warning.
fn refuse_side_file(target: &Target, what: &str, output: &Output) -> Result<(), Failure> {
    let side = SideFile::beside(&target.output);
    if !side.exists() {
        return Ok(());
    }
    let message = format!(
        "{} would get the title and the operations of {}, and {what}",
        files::name(&target.output),
        files::name(&side)
    );
    if target.force {
        if !output.quiet {
            say(&format!("warning: {message}"));
        }
        return Ok(());
    }
    Err(Failure::input(message, "choose another name; --force keeps that file if it is for the new trace"))
}

/// Writes a trace completely or not at all, in the format and packing for the name of the file.
fn write(trace: &Trace, target: &Target, selector: Option<&Selector>, output: &Output) -> Result<(), Failure> {
    let file = &target.output;
    if let Some(rank) = trace.actions.iter().position(Actions::is_empty)
        && trace::writer_for(file).needs_actions()
    {
        let message = format!("{}: rank {rank} does nothing, which this format cannot say", files::name(file));
        return Err(Failure::input(message, "write an .mtrace file"));
    }
    let steps = Steps::default();
    let waiting = progress::counted(format!("writing {}", files::name(file)), &steps, output.quiet);
    let written = files::replace_with(file, |out| trace_write::pack(trace, file, selector, out, &steps));
    waiting.finish_and_clear();
    written?;
    if !output.quiet {
        let (ranks, actions) = (trace.ranks(), grouped(trace.total_actions()));
        let (ranks, format) = (number::counted(ranks as u64, "rank"), trace::format_for(file).name);
        let what = if trace.schedule.is_some() { "operations" } else { "actions" };
        say(&format!("{}: {actions} {what} of {ranks}, as {format}", files::name(file)));
    }
    Ok(())
}

/// Name of SimGrid's format.
const TEXT: &str = "time-independent trace";

/// Largest number of ranks in a list.
const MOST: u32 = 1 << 22;

/// Parses a list of ranks, such as `0-15,32`, into ascending numbers.
fn ranks(text: &str) -> Result<Vec<u32>, Failure> {
    let wrong = || Failure::input(format!("--ranks {text}: not a list of ranks"), "write for example 0-15,32");
    let mut ranks = Vec::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let bounds = (from.trim().parse::<u32>(), to.trim().parse::<u32>());
        let (Ok(from), Ok(to)) = bounds else { return Err(wrong()) };
        if from > to || to >= MOST {
            return Err(wrong());
        }
        ranks.extend(from..=to);
        if ranks.len() > MOST as usize {
            return Err(wrong());
        }
    }
    ranks.sort_unstable();
    if let Some(twice) = ranks.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Failure::input(format!("--ranks {text}: rank {} is there twice", twice[0]), "give each rank once"));
    }
    Ok(ranks)
}

/// Parses a range of iterations, `3-5`, counted from 1, or `3`.
fn iterations(text: &str) -> Result<Range<usize>, Failure> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    match (from.trim().parse::<usize>(), to.trim().parse::<usize>()) {
        (Ok(from), Ok(to)) if 1 <= from && from <= to => Ok(from - 1..to),
        _ => Err(Failure::input(format!("--iterations {text}: not a range from 1"), "write for example 3-5")),
    }
}

/// Parses a range such as `25%-75%` into fractions.
fn window(text: &str) -> Result<(f64, f64), Failure> {
    let wrong = || Failure::input(format!("--window {text}: not a range of percentages"), "write for example 25%-75%");
    let percentage = |part: &str| part.trim().strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
    let (from, to) = text.split_once('-').ok_or_else(wrong)?;
    match (percentage(from), percentage(to)) {
        (Some(from), Some(to)) if 0.0 <= from && from < to && to <= 100.0 => Ok((from / 100.0, to / 100.0)),
        _ => Err(wrong()),
    }
}
