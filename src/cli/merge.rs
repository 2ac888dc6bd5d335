//! `mopsim merge`: the report on a study, or on a sweep of packets, from results files.

use super::args::{self, CompareFiles, Merge, Output};
use super::failure::Failure;
use super::packets::Written;
use super::{options, packets, progress, side_files, study};
use clap::parser::ValueSource;
use mopsim::packets::results;
use mopsim::report::packets::Cycle;
use std::ffi::OsString;
use std::path::PathBuf;

pub fn run(arguments: &Merge, output: &Output) -> Result<(), Failure> {
    if results::is_results(&arguments.study.study) {
        return of_packets(arguments, output);
    }
    if arguments.files.is_empty() {
        let study = &arguments.study.study;
        std::fs::metadata(study).map_err(|error| Failure::file("read", study, &error))?;
        let message = format!("{}: no results file follows the study", study.display());
        return Err(Failure::input(message, "give the results files of all shards"));
    }
    let written = study::written(&arguments.study.study)?;
    let inputs = || study::files_read(&arguments.study, &written).into_iter().chain(arguments.files.iter().cloned());
    side_files::outputs(&arguments.study.files).check(inputs)?;
    let pool = options::pool_for(None, &output.site)?;
    let study = pool.install(|| study::read(&arguments.study, written, output))?;
    let merged = study.identity().merge(&arguments.files)?;
    let mut comparison = study.compare(&merged.records);
    let waiting = progress::waiting("networks of packets", output.quiet || study.sweep.is_none());
    comparison.packets = pool.install(|| study.merged_curves(&merged))?;
    waiting.finish_and_clear();
    pool.install(|| study::report(&arguments.study, &study, &comparison, output))
}

/// Options that have an effect on the report of a sweep, besides those of all verbs.
const OF_REPORTS: [&str; 6] = ["study", "files", "html", "json", "csv", "force"];

/// Reports on a sweep of packets: its results files have all settings.
fn of_packets(arguments: &Merge, output: &Output) -> Result<(), Failure> {
    let files: Vec<PathBuf> = std::iter::once(&arguments.study.study).chain(&arguments.files).cloned().collect();
    side_files::outputs(&arguments.study.files).check(|| files.iter().cloned())?;
    if let Some(option) = without_effect() {
        let message = format!("--{option} has no effect on results of `mopsim packets`, which contain all settings");
        return Err(Failure::input(message, "leave it out"));
    }
    let merged = results::merge(&files)?;
    let CompareFiles { html, json, csv, .. } = &arguments.study.files;
    let written = Written { html: html.as_deref(), json: json.as_deref(), csv: csv.as_deref() };
    let cycle = Cycle { ns: merged.cycle_ns, defaults: merged.defaults };
    packets::report(&merged.outline, &merged.series, cycle, &written, output)
}

/// Returns the first option of the command line that only studies have.
fn without_effect() -> Option<String> {
    let mut all = args::command();
    all.build();
    let of_all: Vec<String> = all.get_arguments().map(|argument| argument.get_id().to_string()).collect();
    let words = std::iter::once(OsString::from("mopsim")).chain(super::invocation().arguments.iter().cloned());
    let matches = all.clone().try_get_matches_from(words).ok()?;
    let (verb, of_verb) = matches.subcommand()?;
    let has_effect = |id: &str| OF_REPORTS.contains(&id) || of_all.iter().any(|other| other == id);
    let arguments = all.find_subcommand(verb)?.get_arguments();
    let ids = arguments.map(|argument| argument.get_id().as_str());
    ids.filter(|id| of_verb.value_source(id) == Some(ValueSource::CommandLine))
        .find(|id| !has_effect(id))
        .map(|id| id.replace('_', "-"))
}
