//! Traces of applications.

use crate::cli::failure::Failure;
use crate::cli::{args::GoalTable, files, options, trace as cli_trace, trace_side::TraceSide, trace_write};
use crate::errors::{OrRaise, exception};
use crate::lines::Lines;
use crate::topology::written;
use crate::wait;
use mopsim::report::{format, trace_check};
use mopsim::steps::Steps;
use mopsim::study::workload::Workload;
use mopsim::trace::{self, Options, SideFile, inspect};
use mopsim::workload::Limits;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The actions of all ranks of an application.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Trace {
    pub workload: Workload,
    /// The trace with a list of actions for each rank, where `workload` has graphs.
    lists: Option<Arc<trace::Trace>>,
}

impl Trace {
    fn lists(&self) -> &Arc<trace::Trace> {
        self.lists.as_ref().unwrap_or(&self.workload.trace)
    }
}

#[pymethods]
impl Trace {
    /// Reads a file.
    #[staticmethod]
    #[pyo3(signature = (path, ranks, max_unpacked_bytes, files_anywhere, recorded_speed, leave_out))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        ranks: Option<usize>,
        max_unpacked_bytes: Option<u64>,
        files_anywhere: bool,
        recorded_speed: Option<String>,
        leave_out: bool,
    ) -> PyResult<Self> {
        let recorded_speed = cli_trace::speed("recorded-speed", recorded_speed.as_deref()).or_raise(py)?;
        let how = Options {
            leave_out,
            recorded_speed,
            keep_graphs: true,
            ..options::reading(ranks, files_anywhere, max_unpacked_bytes)
        };
        let read = move || -> Result<Self, Failure> {
            let workload = Workload::read(&path, &how)?;
            let lists = match &workload.trace.schedule {
                None => None,
                Some(_) => Some(Arc::new(trace::read(&path, &Options { keep_graphs: false, ..how })?)),
            };
            Ok(Self { workload, lists })
        };
        wait::wait_for(py, read)?.or_raise(py)
    }

    /// Reads time-independent text from an iterator of bytes objects. `operations` of the whole program make Mop/s.
    #[staticmethod]
    fn from_lines(
        py: Python<'_>,
        lines: Py<PyAny>,
        name: String,
        ranks: Option<usize>,
        operations: Option<f64>,
        title: Option<String>,
    ) -> PyResult<Self> {
        let (lines, raised) = Lines::new(lines);
        let how = Options { ranks, ..Options::default() };
        // On this thread: a program in Python may depend on it, and is interrupted by itself.
        let read = py.detach(|| trace::read_from(lines, &name, &how));
        if let Some(error) = raised.take() {
            return Err(error);
        }
        let mut trace = match read {
            Ok(trace) => trace,
            Err(error) => {
                let line = error.line;
                let error = exception(py, &error.into());
                error.value(py).setattr("line", line)?;
                return Err(error);
            }
        };
        let side = SideFile { operations, title, ..SideFile::default() };
        if let Some(flaw) = side.flaw() {
            return Err(exception(py, &Failure::input(flaw, "give the operations of the whole program, or none")));
        }
        trace.side = (side != SideFile::default()).then_some(side);
        Ok(Self { workload: Workload::of_trace(trace), lists: None })
    }

    /// Runs a workload program.
    #[staticmethod]
    fn generate(py: Python<'_>, program: String, ranks: u32, parameters: Vec<(String, String)>) -> PyResult<Self> {
        let generate = move || Workload::generate(&program, ranks, &parameters, &Limits::default());
        let workload = wait::wait_for(py, generate)?.or_raise(py)?;
        Ok(Self { workload, lists: None })
    }

    /// Name.
    #[getter]
    fn name(&self) -> &str {
        &self.workload.name
    }

    /// Number of ranks.
    #[getter]
    fn ranks(&self) -> usize {
        self.workload.trace.ranks()
    }

    /// Actions of all ranks.
    #[getter]
    fn actions(&self) -> u64 {
        self.workload.trace.total_actions()
    }

    /// Operations of the whole program.
    #[getter]
    fn operations(&self) -> Option<f64> {
        self.workload.operations
    }

    /// Warnings of the reader.
    fn warnings(&self) -> Vec<String> {
        self.workload.trace.warnings.iter().map(ToString::to_string).collect()
    }

    /// The facts of `mopsim trace info --format json`.
    fn info(&self, py: Python<'_>, host_speed: Option<String>) -> PyResult<String> {
        let host_speed = cli_trace::speed("host-speed", host_speed.as_deref()).or_raise(py)?;
        let trace = self.lists().clone();
        let info = move || -> Result<String, Failure> {
            let info = inspect::Info::of(&trace);
            let sheet = cli_trace::info_sheet(&trace, &info, host_speed)?;
            Ok(written(|out| format("json").expect("a format").sheet(&sheet, out)))
        };
        wait::wait_for(py, info)?.or_raise(py)
    }

    /// The findings of `mopsim trace check --format json`.
    fn check(&self, py: Python<'_>) -> PyResult<String> {
        let trace = self.lists().clone();
        wait::wait_for(py, move || {
            let sheet = trace_check::sheet(&trace, &inspect::check(&trace));
            written(|out| format("json").expect("a format").sheet(&sheet, out))
        })
    }

    /// Source, destination, messages and bytes of each pair of ranks with messages.
    fn messages(&self, py: Python<'_>) -> PyResult<Vec<(u32, u32, u64, u64)>> {
        let trace = self.lists().clone();
        let info = wait::wait_for(py, move || inspect::Info::of(&trace))?;
        Ok(info.matrix.iter().map(|(from, to, volume)| (*from, *to, volume.messages, volume.bytes)).collect())
    }

    /// Writes a file whose name ends in its format.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let trace = self.lists().clone();
        let save = move || -> Result<(), Failure> {
            let side = trace.side.as_ref().map(|side| TraceSide::of(side, &path)).transpose()?;
            side.iter().try_for_each(|side| side.check_free(true))?;
            // Facts about the trace that is replaced are none about this one.
            let beside = SideFile::beside(&path);
            let stale = side.is_none() && path.is_file() && SideFile::read(&beside).is_ok_and(|found| found.is_some());
            let selector = trace_write::selector(&path, &GoalTable { collectives: None })?;
            files::replace_with(&path, |out| {
                trace_write::pack(&trace, &path, selector.as_ref(), out, &Steps::default())
            })?;
            if stale {
                std::fs::remove_file(&beside).map_err(|error| Failure::file("remove", &beside, &error))?;
            }
            side.iter().try_for_each(TraceSide::write)
        };
        wait::wait_for(py, save)?.or_raise(py)
    }
}
