//! Results of studies.

use crate::cli::failure::Failure;
use crate::errors::OrRaise;
use crate::topology::written;
use crate::wait;
use mopsim::report::html::{HtmlReport, ReportOrigin, parameters};
use mopsim::report::{format, tidy};
use mopsim::study::Study;
use mopsim::study::comparison::Comparison as Compared;
use mopsim::study::facts::NetworkFacts;
use mopsim::study::timeline::Timeline;
use pyo3::prelude::*;
use std::sync::Arc;

/// The result of a study.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Comparison {
    pub comparison: Arc<Compared>,
    pub study: Arc<Study>,
}

#[pymethods]
impl Comparison {
    /// The report in a format of the command line.
    fn render(&self, name: &str) -> PyResult<String> {
        let format =
            format(name).ok_or_else(|| pyo3::exceptions::PyValueError::new_err(format!("no format {name}")))?;
        Ok(written(|out| format.compare(&self.comparison, out)))
    }

    /// The table with a row for each replay: names of the columns, and the rows as JSON.
    fn cells(&self) -> PyResult<(Vec<&'static str>, String)> {
        let rows = tidy::rows(&self.comparison);
        let text = serde_json::to_string(&rows)
            .map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
        Ok((rows.columns.iter().map(|column| column.name).collect(), text))
    }

    /// `True` if some messages were never received.
    #[getter]
    fn unmatched(&self) -> bool {
        self.comparison.unmatched
    }

    /// Notes of the report.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.comparison.notes.clone()
    }

    /// The report as one HTML page; `command` is the call that made it.
    fn html(&self, py: Python<'_>, command: String) -> PyResult<String> {
        let (comparison, study) = (self.comparison.clone(), self.study.clone());
        let page = move || -> Result<String, Failure> {
            let cell = Timeline::choose(&comparison).filter(|&(_, column)| study.tells_events(column));
            let timeline = cell
                .map(|(workload, network)| Timeline::replay(&study, &comparison, workload, network))
                .transpose()
                .map_err(|error| Failure::study(&error, &study.workloads))?;
            let networks = study.column_networks().zip(study.costs());
            let report = HtmlReport {
                comparison: &comparison,
                facts: networks.map(|(network, cost)| NetworkFacts::of(network, cost)).collect(),
                parameters: study.column_networks().map(parameters).collect(),
                carried: study.carried(),
                timeline,
                origin: Some(ReportOrigin { command, study: study.text.clone() }),
            };
            Ok(written(|out| report.write(out)))
        };
        wait::wait_for(py, page)?.or_raise(py)
    }
}
