//! Studies: workloads on networks.

use crate::cli::failure::Failure;
use crate::cli::{options, replay as cli_replay, study as cli_study};
use crate::comparison::Comparison;
use crate::errors::{OrRaise, exception};
use crate::platform::Platform;
use crate::trace::Trace;
use crate::{flags, wait};
use mopsim::engine::Counter;
use mopsim::ledger::Shard;
use mopsim::packets::points::PointRecord;
use mopsim::packets::work::Part;
use mopsim::study::network::NetworkUnderTest;
use mopsim::study::packet_sweep::PacketCurves;
use mopsim::study::record::CellRecord;
use mopsim::study::results::{Kept, ResultsFile};
use mopsim::study::{Progress, Study as Checked, WrittenStudy};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A study, checked and built.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Study(Arc<Checked>);

/// Counts replays, and stops them.
struct Watch {
    ended: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Progress for Watch {
    fn begins(&self, _: &str, _: &str) {}

    fn ended(&self, _: &str, _: &str) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    fn counter(&self) -> Option<Counter> {
        Some(Counter::stopped_by(&self.stop))
    }
}

/// Runs what a results file lacks, and returns the records of all cells, and the curves of packets; less if it was stopped.
fn run(
    study: &Checked,
    threads: usize,
    results: Option<(PathBuf, bool)>,
    watch: &Watch,
) -> Result<(Vec<CellRecord>, Option<PacketCurves>), Failure> {
    let (file, kept) = match &results {
        None => (None, Kept::default()),
        Some((path, resume)) => {
            let (file, kept) = ResultsFile::open(path, &study.identity(), Shard::WHOLE, *resume)?;
            (Some(file), kept)
        }
    };
    let Kept { mut records, points } = kept;
    let mut done = vec![false; study.cells()];
    records.iter().for_each(|record| done[record.cell] = true);
    watch.ended.store(records.len(), Ordering::Relaxed);
    let missing: Vec<usize> = (0..study.cells()).filter(|&cell| !done[cell]).collect();
    let pool = options::pool(threads)?;
    let keep = |record: &CellRecord| match &file {
        Some(file) => Ok(file.append(record)?),
        None => Ok(()),
    };
    let new = pool.install(|| study.run_cells(&missing, &watch.stop, watch, &keep));
    records.extend(new.map_err(|error| Failure::study(&error, &study.workloads))?);
    records.sort_by_key(|record| record.cell);
    let keep = |record: &PointRecord| file.as_ref().map_or(Ok(()), |file| file.append_run(record));
    let (first_piece, stop) = (study.cells(), &watch.stop);
    let part = Part { known: &points, shard: Shard::WHOLE, first_piece, keep: &keep, done: &|_| {}, stop };
    let path = results.as_ref().map(|(path, _)| path.as_path());
    let curves = pool.install(|| study.packet_curves(&part, path))?;
    Ok((records, curves))
}

#[pymethods]
impl Study {
    /// Reads a study file, or a text that has the name of a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf, text: Option<String>, flags: Vec<OsString>) -> PyResult<Self> {
        let read = move || -> Result<Checked, Failure> {
            let given = &flags::compare(path.clone().into(), flags)?.study;
            let overrides = cli_study::overrides(given)?;
            let written = match text {
                Some(text) => WrittenStudy::parse(&path, text),
                None => WrittenStudy::read(&path),
            };
            let study = written.and_then(|written| Checked::build(written, overrides));
            let mut study = study.map_err(|error| Failure::study(&error, &[]).in_study(&path))?;
            study.explain = !given.no_explain;
            Ok(study)
        };
        Ok(Self(Arc::new(wait::wait_for(py, read)?.or_raise(py)?)))
    }

    /// Makes a study of parts. `flags` are those of a replay.
    #[staticmethod]
    fn of(
        py: Python<'_>,
        title: String,
        baseline: usize,
        workloads: Vec<PyRef<'_, Trace>>,
        networks: Vec<PyRef<'_, Platform>>,
        flags: Vec<OsString>,
        explain: bool,
    ) -> PyResult<Self> {
        let workloads = workloads.iter().map(|trace| trace.workload.clone()).collect();
        let networks: Vec<NetworkUnderTest> = networks.iter().map(|network| network.0.clone()).collect();
        let build = move || -> Result<Checked, Failure> {
            let given = flags::replay(flags)?;
            let Some(first) = networks.first() else {
                return Err(Failure::input("a study needs one network or more", ""));
            };
            let (_, mapping) = cli_replay::setting(&given, first)?;
            let (model, seed) = (options::model(&given.model)?, given.network.seed);
            let study = Checked::new(title, baseline, networks, workloads, mapping, seed, &model);
            let mut study = study.map_err(|error| Failure::study(&error, &[]))?;
            study.explain = explain;
            Ok(study)
        };
        Ok(Self(Arc::new(wait::wait_for(py, build)?.or_raise(py)?)))
    }

    /// Heading.
    #[getter]
    fn title(&self) -> &str {
        &self.0.plan.title
    }

    /// Number of replays.
    #[getter]
    fn cells(&self) -> usize {
        self.0.cells()
    }

    /// Names of the workloads.
    #[getter]
    fn workloads(&self) -> Vec<&str> {
        self.0.plan.workloads.iter().map(|workload| &workload.name[..]).collect()
    }

    /// Names of the networks, once for each setting.
    #[getter]
    fn networks(&self) -> Vec<&str> {
        self.0.plan.columns.iter().map(|column| &column.info.name[..]).collect()
    }

    /// Warnings about networks and traces.
    fn warnings(&self) -> Vec<String> {
        let networks = self.0.networks.iter().flat_map(NetworkUnderTest::warnings);
        let traces = self.0.workloads.iter().flat_map(|workload| &workload.trace.warnings);
        networks.chain(traces.map(ToString::to_string)).collect()
    }

    /// Runs the replays. `progress` is called with the number of those that have ended, and of all. Returns `None` if
    /// records are missing, which only happens after an interruption.
    fn run(
        &self,
        py: Python<'_>,
        threads: usize,
        results: Option<PathBuf>,
        resume: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Comparison> {
        let (ended, stop) = (Arc::<AtomicUsize>::default(), Arc::default());
        let watch = Watch { ended: ended.clone(), stop: Arc::clone(&stop) };
        let (study, cells) = (self.0.clone(), self.0.cells());
        let results = results.map(|path| (path, resume));
        let work = move || run(&study, threads, results, &watch);
        let answer = wait::wait(py, &stop, work, |py| match &progress {
            Some(progress) => progress.call1(py, (ended.load(Ordering::Relaxed), cells)).map(drop),
            None => Ok(()),
        })?;
        let (records, curves) = answer.map_err(|failure| exception(py, &failure))?;
        if let Some(progress) = &progress {
            progress.call1(py, (records.len(), cells))?;
        }
        let mut comparison = self.0.compare(&records);
        comparison.packets = curves;
        Ok(Comparison { comparison: Arc::new(comparison), study: self.0.clone() })
    }
}
