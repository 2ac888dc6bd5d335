//! Files that `compare` and `merge` write in addition to standard output: the HTML report, JSON, CSV.

use super::args::{CompareFiles, Output, StudyFlags};
use super::failure::Failure;
use super::files::{self, Outputs};
use super::progress;
use super::shell::word;
use super::write_report;
use mopsim::report::html::{self, HtmlReport, ReportOrigin};
use mopsim::report::{self, site};
use mopsim::study::Study;
use mopsim::study::comparison::Comparison;
use mopsim::study::facts::NetworkFacts;
use mopsim::study::plan::Plan;
use mopsim::study::timeline::Timeline;

/// Returns the files of these flags, to be checked before the study runs.
pub fn outputs(files: &CompareFiles) -> Outputs<'_> {
    Outputs::default()
        .report("--html", files.html.as_deref(), files.force)
        .report("--json", files.json.as_deref(), files.force)
        .report("--csv", files.csv.as_deref(), files.force)
}

/// Refuses a cell that is not in the study, before it runs.
pub fn check_cell(files: &CompareFiles, study: &Study) -> Result<(), Failure> {
    let Some(name) = files.timeline_cell.as_deref() else { return Ok(()) };
    let (workload, column) = find_cell(&study.plan, name)?;
    if !study.tells_events(column) {
        let message = format!("--timeline-cell `{name}`: the model loggops reports nothing of what happens on the way");
        return Err(Failure::input(message, "choose a network with another model"));
    }
    if study.workloads[workload].jobs.is_some() {
        let message = format!("--timeline-cell `{name}`: that workload is several jobs");
        return Err(Failure::input(message, "choose one application: the timeline shows its ranks"));
    }
    Ok(())
}

/// Writes the results to the requested files.
pub fn write(flags: &StudyFlags, study: &Study, comparison: &Comparison, output: &Output) -> Result<(), Failure> {
    let (quiet, defaults) = (output.quiet, output.site.used(&study.from_site()));
    let CompareFiles { html, timeline_cell, json, csv, pattern: _, force: _ } = &flags.files;
    for (file, format) in [(json, "json"), (csv, "csv")] {
        if let (Some(file), Some(reporter)) = (file, report::format(format)) {
            files::report(file, |out| write_report(reporter, &defaults, out, |out| reporter.compare(comparison, out)))?;
        }
    }
    let Some(html) = html else { return Ok(()) };
    let cell = match timeline_cell {
        Some(name) => Some(find_cell(&study.plan, name)?),
        None => Timeline::choose(comparison).filter(|&(_, column)| study.tells_events(column)),
    };
    let timeline = cell
        .map(|(workload, network)| Timeline::replay(study, comparison, workload, network))
        .transpose()
        .map_err(|error| Failure::study(&error, &study.workloads))?;
    let waiting = progress::waiting("throughput under synthetic traffic", quiet || study.traffic.is_none());
    let carried = study.carried();
    waiting.finish_and_clear();
    let waiting = progress::waiting("distances and cables of the networks", quiet);
    let facts =
        study.column_networks().zip(study.costs()).map(|(network, cost)| NetworkFacts::of(network, cost)).collect();
    waiting.finish_and_clear();
    let report = HtmlReport {
        comparison,
        facts,
        parameters: study.column_networks().map(html::parameters).collect(),
        carried,
        timeline,
        origin: Some(ReportOrigin { command: command_line(), study: study.text.clone() }),
    };
    let mut page = Vec::new();
    report.write(&mut page).map_err(|error| Failure::file("write", html, &error))?;
    let page = site::html(&String::from_utf8_lossy(&page), &defaults);
    files::report(html, |out| out.write_all(page.as_bytes()))
}

/// Returns the command as given, without the path of the program, the number of threads and the results file, which do
/// not change the results.
pub fn command_line() -> String {
    let mut words = vec!["mopsim".to_owned()];
    let mut arguments = super::invocation().arguments.iter().map(|a| a.to_string_lossy().into_owned());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--threads" | "--results" => drop(arguments.next()),
            "--resume" => {}
            other if other.starts_with("--threads=") || other.starts_with("--results=") => {}
            _ => words.push(word(&argument)),
        }
    }
    words.join(" ")
}

/// Returns the cell `WORKLOAD@NETWORK`.
fn find_cell(plan: &Plan, name: &str) -> Result<(usize, usize), Failure> {
    // Names may contain an @.
    let found = name.match_indices('@').find_map(|(at, _)| {
        let workload = plan.workloads.iter().position(|w| w.name == name[..at])?;
        let network = plan.columns.iter().position(|c| c.info.name == name[at + 1..])?;
        Some((workload, network))
    });
    found.ok_or_else(|| {
        let example = plan.workloads.first().zip(plan.columns.first()).map_or_else(String::new, |(w, c)| {
            format!("write for example --timeline-cell \"{}@{}\"", w.name, c.info.name)
        });
        Failure::input(format!("--timeline-cell `{name}`: the study has no such cell"), example)
    })
}
