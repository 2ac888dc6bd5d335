//! `mopsim compare`: a study, run and reported.

use super::args::{Compare, CompareFiles, Output};
use super::failure::Failure;
use super::progress::Bar;
use super::{files, options, print, say};
use mopsim::report::html::{Facts, HtmlReport, Origin, Watched};
use mopsim::report::{self, number};
use mopsim::study::comparison::Comparison;
use mopsim::study::{Overrides, Study, mapping};
use std::time::Instant;

pub fn run(arguments: &Compare, output: &Output) -> Result<(), Failure> {
    let overrides = Overrides {
        model: options::model(&arguments.model)?,
        network: options::network(&arguments.network)?,
        placement: options::placement(&arguments.network, &arguments.placement),
        seed: arguments.network.seed,
    };
    // Before the study is read, a wrong choice can only be one of the command line.
    overrides.model.build()?;
    mapping(overrides.placement.rule.as_deref(), overrides.seed)?;
    let side = &arguments.files;
    [&side.html, &side.json, &side.csv].into_iter().try_for_each(|file| files::check(file.as_deref()))?;
    let in_study = |failure: Failure| failure.in_study(&arguments.study);
    let mut study = Study::read(&arguments.study, overrides).map_err(|error| in_study(Failure::study(&error, &[])))?;
    study.explain = !arguments.no_explain;
    if !output.quiet {
        let warnings = study.workloads.iter().flat_map(|w| &w.trace.warnings);
        warnings.for_each(|warning| say(&format!("warning: {warning}")));
    }
    // More threads than replays would only wait.
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.min(study.cells())).build().map_err(|error| {
            Failure::input(format!("cannot start {} threads: {error}", arguments.threads), "Ask for fewer threads.")
        })?;
    let begin = Instant::now();
    let bar = Bar::new(study.cells(), output.quiet);
    let result = pool.install(|| study.run(&bar));
    bar.finish();
    let comparison = result.map_err(|error| Failure::study(&error, &study.workloads))?;
    if !output.quiet {
        let actions: u64 = comparison.workloads.iter().map(|w| w.actions).sum::<u64>() * study.networks.len() as u64;
        let wall = begin.elapsed().as_secs_f64();
        say(&format!(
            "{} replays, {} actions in {} of wall time",
            study.cells(),
            number::grouped(actions),
            number::seconds(wall)
        ));
    }
    write_files(arguments, &study, &comparison)?;
    print(|out| options::reporter(output.format).compare(&comparison, out))?;
    if comparison.unmatched {
        return Err(Failure::unmatched(&comparison.title, &comparison.notes));
    }
    Ok(())
}

/// Writes the results to the files that the user wants beside standard output.
fn write_files(arguments: &Compare, study: &Study, comparison: &Comparison) -> Result<(), Failure> {
    let CompareFiles { html, timeline_cell, json, csv } = &arguments.files;
    for (file, format) in [(json, "json"), (csv, "csv")] {
        if let (Some(file), Some(reporter)) = (file, report::format(format)) {
            files::replace(file, |out| reporter.compare(comparison, out))?;
        }
    }
    let Some(html) = html else { return Ok(()) };
    let cell = match timeline_cell {
        Some(name) => Some(find_cell(comparison, name)?),
        None => Watched::choose(comparison),
    };
    let timeline = cell
        .map(|(workload, network)| Watched::replay(study, comparison, workload, network))
        .transpose()
        .map_err(|error| Failure::study(&error, &study.workloads))?;
    // The study was read from this file; that it has gone since is no reason to lose the results.
    let text = std::fs::read_to_string(&arguments.study).unwrap_or_default();
    let report = HtmlReport {
        comparison,
        facts: study.networks.iter().map(Facts::of).collect(),
        timeline,
        origin: Some(Origin { command: command_line(), study: text }),
    };
    files::replace(html, |out| report.write(out))
}

/// The command, as it was given; the path of the program and the number of threads change nothing.
fn command_line() -> String {
    let quoted = |argument: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=:,@+".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', "'\\''"))
        }
    };
    let mut words = vec!["mopsim".to_owned()];
    let mut arguments = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" => drop(arguments.next()),
            other if other.starts_with("--threads=") => {}
            _ => words.push(quoted(argument)),
        }
    }
    words.join(" ")
}

/// The cell `WORKLOAD@NETWORK`.
fn find_cell(c: &Comparison, name: &str) -> Result<(usize, usize), Failure> {
    // Names may have an @ of their own.
    let found = name.match_indices('@').find_map(|(at, _)| {
        let workload = c.workloads.iter().position(|w| w.name == name[..at])?;
        let network = c.networks.iter().position(|n| n.name == name[at + 1..])?;
        Some((workload, network))
    });
    found.ok_or_else(|| {
        let example =
            c.workloads.first().zip(c.networks.first()).map_or_else(String::new, |(w, n)| {
                format!("write for example --timeline-cell \"{}@{}\"", w.name, n.name)
            });
        Failure::input(format!("--timeline-cell `{name}`: the study has no such cell"), example)
    })
}
