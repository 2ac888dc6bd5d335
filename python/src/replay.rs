//! Replays of traces on networks.

use crate::cli::failure::Failure;
use crate::cli::{jobs, replay as cli_replay};
use crate::errors::{OrRaise, exception};
use crate::platform::Platform;
use crate::topology::written;
use crate::trace::Trace;
use crate::{flags, wait};
use mopsim::engine::Counter;
use mopsim::report::{ReplayReport, format};
use mopsim::study::jobs::{Job, JobPlacement, Mix};
use mopsim::study::workload::Workload;
use mopsim::study::{Silent, StudyError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::sync::Arc;

/// The result of a replay.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Replay {
    report: ReplayReport,
    unmatched: bool,
    /// Seconds of each rank: end, compute, communication, its part of latency, waiting.
    ranks: Vec<[f64; 5]>,
}

#[pymethods]
impl Replay {
    /// The report in a format of the command line.
    fn render(&self, name: &str) -> PyResult<String> {
        let format =
            format(name).ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("no format {name}")))?;
        Ok(written(|out| format.replay(&self.report, out)))
    }

    /// `True` if some messages were never received.
    #[getter]
    fn unmatched(&self) -> bool {
        self.unmatched
    }

    /// Notes of the report.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.report.notes.clone()
    }

    /// End, compute, communication, latency and waiting of each rank, in seconds.
    #[getter]
    fn ranks(&self) -> Vec<[f64; 5]> {
        self.ranks.clone()
    }
}

/// Makes the workload of a replay: a trace, or several as jobs.
fn workload(traces: Vec<Workload>, given: &crate::cli::args::Replay) -> Result<Workload, Failure> {
    if let [alone] = &traces[..]
        && !jobs::are_asked_for(given)
    {
        return Ok(alone.clone());
    }
    let several = &given.several;
    let job = |workload: Workload| Job {
        name: workload.name,
        trace: workload.trace,
        placement: match &given.placement.hostfile {
            Some(file) => JobPlacement::HostFile { file: file.clone(), first: 0 },
            None => JobPlacement::Rule(several.allocation.unwrap_or_default()),
        },
        start: 0.0,
        repeats: false,
    };
    let jobs = traces.into_iter().map(job).collect();
    let mut mix = Mix { jobs, traffic: Vec::new(), share_hosts: several.share_hosts, pairs: !several.no_pairs };
    jobs::number_alike(&mut mix);
    Workload::of_jobs(mix).map_err(|error| Failure::study(&StudyError::Jobs(Box::new(error)), &[]))
}

/// Replays traces on a network. `progress` is called with the actions that have begun, and their number.
#[pyfunction]
pub fn replay(
    py: Python<'_>,
    traces: Vec<PyRef<'_, Trace>>,
    platform: PyRef<'_, Platform>,
    flags: Vec<OsString>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Replay> {
    let given = flags::replay(flags).or_raise(py)?;
    let network = platform.0.clone();
    let setting = cli_replay::setting(&given, &network).or_raise(py)?;
    let workload = workload(traces.iter().map(|trace| trace.workload.clone()).collect(), &given).or_raise(py)?;
    let prepare = move || cli_replay::study(&given, network, workload, setting);
    let study = Arc::new(wait::wait_for(py, prepare)?.or_raise(py)?);
    let stop = Arc::default();
    let counter = Counter::stopped_by(&stop);
    let (actions, replayed, mut observer) = (study.actions_of(0), study.clone(), counter.clone());
    let run = move || replayed.watch_cell(0, &Silent, &mut observer);
    let result = wait::wait(py, &stop, run, |py| match &progress {
        Some(progress) => progress.call1(py, (counter.begun(), actions)).map(drop),
        None => Ok(()),
    })?;
    let result = result.map_err(|error| exception(py, &Failure::study(&error, &study.workloads)))?;
    let times = result.outcome.ranks.iter();
    Ok(Replay {
        report: cli_replay::report(&study, &result),
        unmatched: !result.outcome.unmatched_sends.is_empty(),
        ranks: times.map(|t| [t.end, t.compute, t.communication, t.latency, t.waiting]).collect(),
    })
}
