//! Writing of traces in memory, in the format and packing for the name of the file.

use super::args::GoalTable;
use super::failure::Failure;
use super::files;
use mopsim::mpi::collective::Selector;
use mopsim::mpi::collective::rounds::TraceRounds;
use mopsim::mpi::rank_map::RankMap;
use mopsim::steps::Steps;
use mopsim::study::choice::ModelChoice;
use mopsim::trace::goal::{Goal, GoalBinary};
use mopsim::trace::{self, Packing, Trace, WriteError, Writer};
use std::io::Write;
use std::path::Path;

/// Refuses a file of a format that cannot be written. Returns the selector of collective algorithms, if the format has
/// no collectives; otherwise `given` is refused.
pub fn selector(file: &Path, given: &GoalTable) -> Result<Option<Selector>, Failure> {
    let format = trace::format_for(file);
    if format.writer.is_none() {
        return Err(Failure::input(
            format!("--output {}: the format {} is read, not written", file.display(), format.name),
            "end the name in .ti, .mtrace or .goal",
        ));
    }
    let collectives = given.collectives.clone();
    if !trace::writer_for(file).needs_rounds() {
        return match collectives {
            None => Ok(None),
            Some(_) => Err(Failure::input(
                format!("--collectives: {} keeps collectives as they are", files::name(file)),
                "a replay takes the table; leave it out here, or write a .goal file",
            )),
        };
    }
    // Only the messages of the collectives: readers of the file know nothing of SMPI's set-up of shared hosts.
    let choice = ModelChoice { collectives, smp_setup: Some(false), ..ModelChoice::default() };
    let (model, _) = choice.build().map_err(|error| Failure::input(error, "--help lists the tables"))?;
    Ok(Some(model.collectives))
}

/// Writes a trace into `out`, which becomes the file. If there is a selector, collectives are written as messages; each
/// rank then has a host of its own. A step is an action.
pub fn pack(
    trace: &Trace,
    file: &Path,
    selector: Option<&Selector>,
    out: &mut (dyn Write + Send),
    steps: &Steps,
) -> Result<(), Failure> {
    // Graphs have no collectives.
    let selector = selector.filter(|_| trace.schedule.is_none());
    let rounds = selector.map(|selector| TraceRounds::new(trace, selector, &RankMap::one_each(trace.ranks())));
    let rounds = rounds.transpose().map_err(|error| {
        let help = "`mopsim trace check` shows where the ranks differ, in a trace that keeps its collectives";
        Failure::input(format!("{}: {error}", trace.name), help)
    })?;
    let is_binary = trace::format_for(file).name == trace::goal::BINARY_NAME;
    let writer: Option<Box<dyn Writer>> = rounds.as_ref().map(|rounds| match is_binary {
        true => Box::new(GoalBinary::with_rounds(rounds)) as Box<dyn Writer>,
        false => Box::new(Goal::with_rounds(rounds)),
    });
    let writer = writer.as_deref().unwrap_or(trace::writer_for(file));
    let written = Packing::of(file).pack(out, |out| trace::write_watched(trace, writer, out, steps));
    written.map_err(|error| match error {
        WriteError::Output(error) => Failure::file("write", file, &error),
        error => {
            let help = "write an .mtrace file, which can express everything";
            let place = match &error {
                WriteError::Inexpressible { rank, index, .. } => trace.locate(*rank, *index),
                _ => None,
            };
            match place {
                Some(source) => Failure::input(format!("{}:{}: {error}", source.file.display(), source.line), help),
                None => Failure::input(error, help).about(&trace.name),
            }
        }
    })
}
