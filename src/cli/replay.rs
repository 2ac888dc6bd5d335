//! `mopsim replay`: one trace on one network.

use super::args::{Output, Replay};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::{inputs, jobs, options, print_report, progress, say};
use mopsim::mpi::mapping::Mapping;
use mopsim::report::trace_events::TraceEvents;
use mopsim::report::{ReplayReport, number};
use mopsim::study::cell::CellResult;
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use mopsim::study::steady::within;
use mopsim::study::workload::Workload;
use mopsim::study::{Silent, Study, StudyError};
use mopsim::trace;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub fn run(arguments: &Replay, output: &Output) -> Result<(), Failure> {
    check_half_width(arguments)?;
    let choice = NetworkChoice {
        topology: arguments.topology.clone(),
        platform: arguments.platform.clone(),
        site: output.site.parameters.clone(),
        ..options::network(&arguments.network)?
    };
    Outputs::default().report("--timeline", arguments.timeline.as_deref(), arguments.force).check(|| {
        let mut read = jobs::files_read(arguments);
        read.extend(inputs::network(&choice, Path::new("")));
        read.extend([&arguments.placement.hostfile, &arguments.placement.rankfile].into_iter().flatten().cloned());
        read
    })?;
    // Cheap checks are first: a wrong name should not cost the reading of a large trace.
    if arguments.ranks == Some(0) {
        return Err(Failure::input("--ranks is 0", "give the number of ranks, or leave it out"));
    }
    options::model(&arguments.model)?.build()?;
    let network = build(&choice, output.quiet)?;
    let has_several = network.topology.as_ref().is_some_and(|topology| topology.rails.is_some());
    options::check_rail(options::asks_for_rail(&arguments.network), has_several)?;
    let (model, mapping) = setting(arguments, &network)?;
    let model = output.site.beneath(model);
    let several = jobs::are_asked_for(arguments);
    if model.build()?.0.network.loggops.is_some() {
        check_loggops(arguments, several)?;
    }
    if !output.quiet {
        network.warnings().for_each(|warning| say(&format!("warning: {warning}")));
    }
    let begin = Instant::now();
    let how = trace::Options {
        keep_graphs: true,
        ..options::reading(arguments.ranks, arguments.files_anywhere, arguments.max_unpacked_bytes)
    };
    let workload = match &arguments.traces[..] {
        [trace] if !several => {
            let waiting = progress::counted(format!("reading {}", files::name(trace)), &how.steps, output.quiet);
            let workload = Workload::read(trace, &how);
            waiting.finish_and_clear();
            workload?
        }
        _ => {
            check_flags(arguments)?;
            jobs::read(arguments)?
        }
    };
    if !output.quiet {
        workload.trace.warnings.iter().for_each(|warning| say(&format!("warning: {warning}")));
    }
    let read = begin.elapsed().as_secs_f64();
    let study = study(arguments, network, workload, (model, mapping))?;
    if !output.quiet {
        study.warnings().for_each(|warning| say(&format!("warning: {warning}")));
    }
    let result = match &arguments.timeline {
        None => {
            let (bar, mut counter) = progress::Replaying::new(study.actions_of(0), output.quiet);
            let result = study.watch_cell(0, &Silent, &mut counter);
            drop(bar);
            result.map_err(|error| Failure::study(&error, &study.workloads))?
        }
        Some(file) => with_timeline(&study, file, arguments.timeline_events, output)?,
    };
    let wall = begin.elapsed().as_secs_f64();

    let workload = &study.workloads[0];
    let mut report = report(&study, &result);
    report.wall_seconds = arguments.timing.then_some(wall);
    if !output.quiet {
        let actions = report.replayed_actions();
        say(&format!(
            "{} actions in {} of wall time ({} of it to read the trace): {} actions/s",
            number::grouped(actions),
            number::seconds(wall),
            number::seconds(read),
            number::grouped((actions as f64 / wall) as u64)
        ));
    }
    print_report(output, &study.from_site(), |out| output.format.replay(&report, out))?;
    let outcome = if result.outcome.unmatched_sends.is_empty() {
        Ok(())
    } else {
        Err(Failure::unmatched(&workload.name, &result.notes()))
    };
    // The process ends now, which frees its memory: freeing each of a million pieces first takes longer.
    std::mem::forget((study, result, report));
    outcome
}

/// Returns the topology or the platform file of a network, for progress.
pub fn named(choice: &NetworkChoice) -> &str {
    let file = || choice.platform.as_deref().and_then(Path::to_str);
    choice.topology.as_deref().or_else(file).unwrap_or("the network")
}

/// Builds a network, and shows that if it takes long.
pub fn build(choice: &NetworkChoice, quiet: bool) -> Result<NetworkUnderTest, Failure> {
    Ok(progress::building(named(choice), quiet, || choice.build(Path::new("")))?)
}

/// Returns the model and the placement of ranks on a network.
pub fn setting(arguments: &Replay, network: &NetworkUnderTest) -> Result<(ModelChoice, Mapping), Failure> {
    let model = options::model(&arguments.model)?;
    model.build()?;
    let placement = options::placement(&arguments.network, &arguments.placement);
    let mapping = placement.mapping(network, Path::new(""), arguments.network.seed).map_err(|error| match error {
        StudyError::Network { error, .. } => Failure::from(*error),
        error => Failure::study(&error, &[]),
    })?;
    // The report thus describes the model that is used.
    Ok((model.over(&network.model), mapping))
}

/// Returns the study of one cell that represents a replay.
pub fn study(
    arguments: &Replay,
    network: NetworkUnderTest,
    workload: Workload,
    (model, mapping): (ModelChoice, Mapping),
) -> Result<Study, Failure> {
    let (title, seed) = (workload.name.clone(), arguments.network.seed);
    let mut study = Study::new(title, 0, vec![network], vec![workload], mapping, seed, &model)
        .map_err(|error| Failure::study(&error, &[]))?;
    study.explain = arguments.explain;
    study.until_steady = arguments.until_steady;
    Ok(study)
}

/// Returns the report on its cell.
pub fn report(study: &Study, result: &CellResult) -> ReplayReport {
    let (workload, network) = (&study.workloads[0], &study.networks[0]);
    let described = workload.jobs.as_ref().map_or_else(|| study.mapping.describe(), |mix| mix.describe());
    ReplayReport::new(workload.info(), network.info.clone(), described, study.description().clone(), result)
}

/// Refuses what the model `loggops` lacks: links, and events of ranks.
fn check_loggops(arguments: &Replay, several: bool) -> Result<(), Failure> {
    let asked = [("--explain", arguments.explain), ("--timeline", arguments.timeline.is_some())];
    if let Some((flag, _)) = asked.iter().find(|(_, given)| *given) {
        let message = format!("{flag}: the model loggops has no links and reports nothing of what happens on the way");
        return Err(Failure::input(
            message,
            "leave it out, or choose another model, such as --model ideal; --format json lists the end of each rank",
        ));
    }
    if several {
        let message = "the model loggops has no links that several jobs could share";
        return Err(Failure::input(
            message,
            "replay the jobs one by one, or choose another model, such as --model ideal",
        ));
    }
    Ok(())
}

/// Refuses a half width that follows `--until-steady` without an equals sign, and so is a trace.
fn check_half_width(arguments: &Replay) -> Result<(), Failure> {
    let is_half_width = |trace: &&PathBuf| trace.to_str().is_some_and(|text| within(text).is_ok()) && !trace.exists();
    match arguments.traces.iter().find(is_half_width).filter(|_| arguments.until_steady.is_some()) {
        None => Ok(()),
        Some(text) => {
            let text = text.display();
            let message = format!("--until-steady {text}: there is no trace `{text}`, and a half width follows `=`");
            Err(Failure::input(message, format!("write --until-steady={text}")))
        }
    }
}

/// Refuses flags on the placement or number of the ranks of a single trace.
fn check_flags(arguments: &Replay) -> Result<(), Failure> {
    let given = [
        ("--ranks", "ranks=N", arguments.ranks.is_some()),
        ("--mapping", "allocation=RULE", arguments.network.mapping.is_some()),
        ("--rankfile", "hostfile=FILE", arguments.placement.rankfile.is_some()),
        ("--timeline", "", arguments.timeline.is_some()),
    ];
    match given.iter().find(|(.., given)| *given) {
        Some((flag, "", _)) => {
            Err(Failure::input(format!("{flag} goes with one trace"), "leave it out, or replay one trace"))
        }
        Some((flag, key, _)) => {
            let message = format!("{flag} goes with one trace, and there are several jobs");
            Err(Failure::input(message, format!("give each job its own: --job TRACE,{key}")))
        }
        None => Ok(()),
    }
}

/// Runs the replay and writes its timeline. A replay that fails leaves no file.
fn with_timeline(study: &Study, file: &Path, limit: u64, output: &Output) -> Result<CellResult, Failure> {
    let (trace, network) = (&study.workloads[0].trace, &study.networks[0].info.name);
    let mut failed = None;
    let written = files::report(file, |out| {
        let mut events = TraceEvents::new(out, trace, network, limit);
        let (bar, counter) = progress::Replaying::new(study.actions_of(0), output.quiet);
        let result = study.watch_cell(0, &Silent, &mut (&mut events, counter));
        drop(bar);
        let counts = events.finish()?;
        match result {
            Ok(result) => Ok((result, counts)),
            Err(error) => {
                let text = std::io::Error::other(error.to_string());
                failed = Some(error);
                Err(text)
            }
        }
    });
    if let Some(error) = failed {
        return Err(Failure::study(&error, &study.workloads));
    }
    let (result, (written, left_out)) = written?;
    if left_out > 0 && !output.quiet {
        say(&format!(
            "warning: {}: {} events are in it, and {} more are left out; --timeline-events N raises the limit",
            file.display(),
            number::grouped(written),
            number::grouped(left_out)
        ));
    }
    Ok(result)
}
