//! Workloads of a comparison: traces with their operation counts.

use super::jobs::{JobsError, Mix};
use super::steady::KnownIterations;
use super::workload_entry::WorkloadEntry;
use crate::mpi::bisection::Affinity;
use crate::mpi::collective::select::Table;
use crate::trace::transform::merge;
use crate::trace::{self, Locator, Origin, Trace, TraceError, ti};
use crate::traffic;
use crate::workload::{GeneratedBy, Limits, WorkloadError, catalogue};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Reason why a workload of a study cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The program cannot be run.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The entry of the study contains a contradiction.
    #[error("{0}")]
    Contradiction(String),
}

/// Description of a workload for reports.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadInfo {
    /// Name of the trace.
    pub name: String,
    /// Title, if a side file has one.
    pub title: Option<String>,
    /// Number of ranks.
    pub ranks: usize,
    /// Number of actions of all ranks.
    pub actions: u64,
    /// Number of operations, if known.
    pub operations: Option<f64>,
    /// Origin of that number.
    pub formula: Option<String>,
    /// Run time of the program when it was recorded, in seconds, if known.
    pub measured_seconds: Option<f64>,
}

/// A workload that can be replayed any number of times.
#[derive(Debug, Clone)]
pub struct Workload {
    /// Name of the trace.
    pub name: String,
    /// Actions of its ranks.
    pub trace: Arc<Trace>,
    /// Number of operations, if a side file has it.
    pub operations: Option<f64>,
    /// The jobs whose traces were merged into this one; `None` for a workload that runs alone.
    pub jobs: Option<Arc<Mix>>,
    /// Communication between its ranks, once it was requested.
    affinity: Arc<OnceLock<Affinity>>,
    /// Its iterations, or the reason why there are none to be had, once they were requested.
    iterations: Arc<OnceLock<Result<KnownIterations, String>>>,
}

impl Workload {
    /// Returns the communication between the ranks, with collectives by the table of MVAPICH2. Empty if the trace
    /// cannot be replayed, which its own replay reports.
    pub fn affinity(&self) -> &Affinity {
        self.affinity.get_or_init(|| {
            let sent = traffic::sent(&self.trace, Table::Mvapich2).map(|(pairs, _)| pairs).unwrap_or_default();
            Affinity::new(self.trace.ranks(), sent)
        })
    }

    /// Returns the iterations of the trace.
    ///
    /// # Errors
    /// The reason why the time of the run cannot be estimated from some of them.
    pub fn iterations(&self) -> Result<&KnownIterations, &String> {
        self.iterations.get_or_init(|| KnownIterations::of(&self.trace)).as_ref()
    }

    /// Returns a workload that is a part of this one. Its number of operations is not known.
    pub(super) fn part(&self, name: String, trace: Trace) -> Self {
        Self { name, operations: None, ..Self::of_trace(trace) }
    }

    /// Creates a workload from jobs that run simultaneously.
    ///
    /// # Errors
    /// [`JobsError`] if they are incompatible.
    pub fn of_jobs(mix: Mix) -> Result<Self, JobsError> {
        mix.check()?;
        let trace = merge(&mix.jobs.iter().map(|job| &*job.trace).collect::<Vec<_>>())?;
        let warnings = mix.jobs.iter().flat_map(|job| job.trace.warnings.iter().cloned()).collect();
        let name = mix.names().collect::<Vec<_>>().join(" + ");
        let trace = Arc::new(Trace { name: name.clone(), warnings, ..trace });
        let (affinity, iterations) = (Arc::default(), Arc::default());
        // Several jobs have no performance in common.
        let operations = match &mix.jobs[..] {
            [only] if mix.traffic.is_empty() => only.trace.operations(),
            _ => None,
        };
        Ok(Self { name, trace, operations, jobs: Some(Arc::new(mix)), affinity, iterations })
    }

    /// Reads a trace and its side file.
    ///
    /// # Errors
    /// [`TraceError`] if one of them cannot be read.
    pub fn read(path: &Path, options: &ti::Options) -> Result<Self, TraceError> {
        Ok(Self::of_trace(trace::read(path, options)?))
    }

    /// Creates a workload from a trace, with the operation count of its side file.
    pub fn of_trace(trace: Trace) -> Self {
        Self {
            name: trace.name.clone(),
            operations: trace.operations(),
            trace: Arc::new(trace),
            jobs: None,
            affinity: Arc::default(),
            iterations: Arc::default(),
        }
    }

    /// Opens an entry of a study, whose file names are relative to a folder.
    ///
    /// # Errors
    /// [`OpenError`] if the entry has neither or both of trace and program, or if that one cannot be used.
    pub fn open(entry: &WorkloadEntry, folder: &Path) -> Result<Self, OpenError> {
        let contradiction = |message: &str| Err(OpenError::Contradiction(message.to_owned()));
        match (&entry.trace, &entry.workload) {
            (Some(trace), None) => {
                if entry.class.is_some() || entry.iterations.is_some() || !entry.parameters.is_empty() {
                    return contradiction("class, iterations and parameters are for `workload = ...`, not for a trace");
                }
                let options = ti::Options { ranks: entry.ranks, keep_graphs: true, ..ti::Options::default() };
                Ok(Self::read(&folder.join(trace), &options)?)
            }
            (None, Some(program)) => {
                let Some(ranks) = entry.ranks else {
                    return contradiction("a generated workload needs `ranks = N`");
                };
                let Ok(ranks) = u32::try_from(ranks) else {
                    return contradiction(&format!("ranks = {ranks} is more than {}", u32::MAX));
                };
                let mut parameters: Vec<(String, String)> = Vec::new();
                parameters.extend(entry.class.iter().map(|class| ("class".to_owned(), class.clone())));
                parameters.extend(entry.iterations.iter().map(|n| ("iterations".to_owned(), n.to_string())));
                for (name, value) in &entry.parameters {
                    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    parameters.push((name.clone(), text));
                }
                let file = program.ends_with(".star").then(|| folder.join(program).display().to_string());
                Ok(Self::generate(file.as_ref().unwrap_or(program), ranks, &parameters, &Limits::default())?)
            }
            _ => contradiction("a workload has either `trace = FILE` or `workload = NAME`"),
        }
    }

    /// Runs a workload program.
    ///
    /// # Errors
    /// [`WorkloadError`] if there is no such program, or if it fails.
    pub fn generate(
        program: &str,
        ranks: u32,
        parameters: &[(String, String)],
        limits: &Limits,
    ) -> Result<Self, WorkloadError> {
        let trace = catalogue::open(program)?.instantiate(ranks, parameters, limits)?.trace()?;
        let origin = Origin::Program(Locator(Arc::new(GeneratedBy::new(program, ranks, parameters, limits))));
        Ok(Self::of_trace(Trace { origin, ..trace }))
    }

    /// Returns the description of the workload for reports.
    pub fn info(&self) -> WorkloadInfo {
        let side = self.trace.side.as_ref();
        WorkloadInfo {
            name: self.name.clone(),
            title: side.and_then(|s| s.title.clone()),
            ranks: self.trace.ranks(),
            actions: self.trace.total_actions(),
            operations: self.operations,
            formula: side.and_then(|s| s.formula.clone()),
            measured_seconds: self.trace.measured_seconds(),
        }
    }
}
