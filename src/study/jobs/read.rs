//! Jobs of a study file.

use super::{AllocationRule, EntryError, JobPlacement, Mix};
use crate::study::StudyError;
use crate::study::file::StudyFile;
use crate::study::source::Source;
use crate::study::toml_file::PathStep::{Item, Key};
use crate::study::workload::{OpenError, Workload};
use std::path::Path;

/// Reads the jobs of a study: one workload, if there are any.
pub fn read(source: &Source, file: &StudyFile, folder: &Path) -> Result<Option<Workload>, StudyError> {
    if file.jobs.is_empty() {
        return Ok(None);
    }
    let rule = file.allocation.as_deref().map(str::parse::<AllocationRule>).transpose();
    let rule = rule.map_err(|error| source.at(&[Key("allocation")], Box::new(error)))?.unwrap_or_default();
    let mut mix = Mix { jobs: Vec::new(), traffic: Vec::new(), share_hosts: file.share_hosts, pairs: true };
    for (number, entry) in file.jobs.iter().enumerate() {
        let item = [Key("jobs"), Item(number)];
        entry.open(folder, &JobPlacement::Rule(rule), &mut mix).map_err(|error| {
            let way: Vec<_> = item.into_iter().chain(error.key().map(Key)).collect();
            match error {
                EntryError::Open(OpenError::Trace(error)) => source.at(&way, error),
                EntryError::Open(OpenError::Workload(error)) => source.at(&way, error),
                EntryError::Open(OpenError::Contradiction(message)) => source.wrong(&way, message),
                EntryError::Jobs(error) => source.at(&way, Box::new(error)),
            }
        })?;
    }
    Workload::of_jobs(mix).map(Some).map_err(|error| source.at(&[Key("jobs"), Item(0)], Box::new(error)))
}
