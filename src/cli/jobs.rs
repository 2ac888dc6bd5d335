//! Jobs that run simultaneously, from the command line.

use super::args::Replay;
use super::failure::Failure;
use super::inputs;
use mopsim::study::StudyError;
use mopsim::study::jobs::{EntryError, JobEntry, JobPlacement, JobsFile, Mix};
use mopsim::study::network::NetworkError;
use mopsim::study::toml_file::{self, PathStep};
use mopsim::study::workload::{OpenError, Workload};
use mopsim::user_error::UserError;
use std::path::{Path, PathBuf};

/// Returns `true` if a replay is one of jobs.
pub fn are_asked_for(arguments: &Replay) -> bool {
    arguments.traces.len() > 1 || arguments.several.is_given()
}

/// Reads the jobs of the command line.
pub fn read(arguments: &Replay) -> Result<Workload, Failure> {
    let several = &arguments.several;
    let otherwise = match &arguments.placement.hostfile {
        Some(file) => JobPlacement::HostFile { file: file.clone(), first: 0 },
        None => JobPlacement::Rule(several.allocation.unwrap_or_default()),
    };
    let mut mix =
        Mix { jobs: Vec::new(), traffic: Vec::new(), share_hosts: several.share_hosts, pairs: !several.no_pairs };
    let positional =
        arguments.traces.iter().map(|trace| JobEntry { trace: Some(trace.clone()), ..JobEntry::default() });
    let mut add = |entry: &JobEntry, folder: &Path| {
        entry.open(folder, &otherwise, &mut mix).map_err(|error| (error.key(), failure(entry, error)))
    };
    let without_place = |(_, failure)| failure;
    let mut of_flags = positional.chain(several.job.iter().cloned());
    of_flags.try_for_each(|entry| add(&entry, Path::new(""))).map_err(without_place)?;
    let mut share = false;
    if let Some(file) = &several.jobs {
        let (jobs, folder) = read_file(file)?;
        share = jobs.share_hosts;
        let failed = jobs.jobs.iter().enumerate().find_map(|(n, entry)| Some((n, add(entry, &folder).err()?)));
        if let Some((number, (key, failure))) = failed {
            return Err(failure.at(&jobs_place(file, number, key)));
        }
    }
    mix.share_hosts |= share;
    // Two runs of one trace are two jobs.
    number_alike(&mut mix);
    Workload::of_jobs(mix).map_err(|error| Failure::study(&StudyError::Jobs(Box::new(error)), &[]))
}

/// Returns the failure of a job that cannot be opened.
fn failure(entry: &JobEntry, error: EntryError) -> Failure {
    match error {
        EntryError::Open(OpenError::Trace(error)) => error.into(),
        EntryError::Open(OpenError::Workload(error)) => error.into(),
        EntryError::Open(OpenError::Contradiction(message)) => {
            Failure::input(format!("job `{}`: {message}", entry.label()), "docs/guide/jobs.md has the keys of a job")
        }
        EntryError::Jobs(error) => Failure::study(&StudyError::Jobs(Box::new(error)), &[]),
    }
}

/// Returns the place of a job, or of a key of it: `mix.toml:3:9`. Only the name for a file that is no TOML.
fn jobs_place(file: &Path, number: usize, key: Option<&str>) -> String {
    let way = [PathStep::Key("jobs"), PathStep::Item(number)].into_iter().chain(key.map(PathStep::Key));
    let place = toml_file::place_in(file, &way.collect::<Vec<_>>());
    place.map_or_else(|| file.display().to_string(), |place| format!("{}:{place}", file.display()))
}

fn read_file(file: &Path) -> Result<(JobsFile, PathBuf), Failure> {
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let jobs = JobsFile::read(file).map_err(|error| match error.is_io() {
        true => Failure::from(NetworkError::from(error)),
        false => Failure::input(error, "docs/guide/jobs.md describes files of jobs"),
    })?;
    Ok((jobs, folder))
}

/// Numbers jobs with the same name.
pub fn number_alike(mix: &mut Mix) {
    let names: Vec<String> = mix.names().map(str::to_owned).collect();
    let number = |at: usize, name: &mut String| {
        let before = names[..at].iter().filter(|other| **other == *name).count();
        if names.iter().filter(|other| **other == *name).count() > 1 {
            *name = format!("{name} ({})", before + 1);
        }
    };
    let jobs = mix.jobs.len();
    mix.jobs.iter_mut().enumerate().for_each(|(at, job)| number(at, &mut job.name));
    mix.traffic.iter_mut().enumerate().for_each(|(at, traffic)| number(jobs + at, &mut traffic.name));
}

/// Returns the files of the jobs.
pub fn files_read(arguments: &Replay) -> Vec<PathBuf> {
    let several = &arguments.several;
    let mut files: Vec<PathBuf> = arguments.placement.hostfile.iter().cloned().collect();
    files.extend(arguments.traces.iter().flat_map(|trace| inputs::trace(trace)));
    files.extend(several.job.iter().flat_map(|entry| inputs::job(entry, Path::new(""))));
    if let Some(file) = &several.jobs {
        files.push(file.clone());
        if let Ok((jobs, folder)) = read_file(file) {
            files.extend(jobs.jobs.iter().flat_map(|entry| inputs::job(entry, &folder)));
        }
    }
    files
}
