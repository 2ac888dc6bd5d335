//! Graphs of switches.

use crate::cli::failure::Failure;
use crate::cli::site::Site;
use crate::cli::topology::choices;
use crate::errors::OrRaise;
use crate::{flags, wait};
use mopsim::export;
use mopsim::floorplan::{FloorPlan, svg};
use mopsim::ids::SwitchId;
use mopsim::printable::Printable;
use mopsim::report::format;
use mopsim::survey::{Survey, SurveyError};
use mopsim::topology::{Spec, Topology as Built};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

/// A graph of switches, built.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Topology(pub Arc<Built>);

/// The bytes of numbers, in the order of this machine.
fn bytes<const N: usize, T>(values: impl Iterator<Item = T>, of: fn(T) -> [u8; N]) -> Vec<u8> {
    values.flat_map(of).collect()
}

impl Topology {
    fn floor(&self, given: Vec<OsString>) -> Result<FloorPlan, Failure> {
        let wanted = choices(&*flags::topology(&self.0.name(), given)?, &Site::default())?;
        Ok(FloorPlan::new(&self.0, &wanted.floor).map_err(SurveyError::from)?)
    }
}

#[pymethods]
impl Topology {
    #[new]
    fn new(py: Python<'_>, spec: String, seed: Option<u64>) -> PyResult<Self> {
        let build = move || -> Result<Built, Failure> {
            let mut spec: Spec = spec.parse()?;
            if let Some(seed) = seed.filter(|_| !spec.seed_given()) {
                spec.set_seed(seed);
            }
            Ok(spec.build()?)
        };
        Ok(Self(Arc::new(wait::wait_for(py, build)?.or_raise(py)?)))
    }

    /// Canonical specification.
    #[getter]
    fn spec(&self) -> String {
        self.0.name()
    }

    /// Seed of a random family.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.seed()
    }

    /// Name of the family.
    #[getter]
    fn family(&self) -> &'static str {
        self.0.spec.family().name
    }

    /// Number of vertices.
    #[getter]
    fn vertices(&self) -> usize {
        self.0.graph.switches()
    }

    /// Number of cables.
    #[getter]
    fn cables(&self) -> usize {
        self.0.graph.cables()
    }

    /// `True` if cables are one-way.
    #[getter]
    fn directed(&self) -> bool {
        self.0.graph.is_directed()
    }

    /// Both ends of each cable: pairs of `u32`.
    fn edges(&self) -> Cow<'_, [u8]> {
        let ends = self.0.graph.cable_ends().flat_map(|(from, to)| [from.0, to.0]);
        bytes(ends, u32::to_ne_bytes).into()
    }

    /// The report of `mopsim topology --format json`.
    fn report(&self, py: Python<'_>, flags: Vec<OsString>) -> PyResult<String> {
        let topology = self.0.clone();
        let report = move || -> Result<String, Failure> {
            let wanted = choices(&*flags::topology(&topology.name(), flags)?, &Site::default())?;
            let report = Survey::of(&topology, &wanted)?;
            Ok(written(|out| format("json").expect("a format").topology(&[report], out)))
        };
        wait::wait_for(py, report)?.or_raise(py)
    }

    /// Metres of each cable, in the order of the edges: `f64`.
    fn lengths(&self, py: Python<'_>, flags: Vec<OsString>) -> PyResult<Cow<'_, [u8]>> {
        let cables = self.floor(flags).or_raise(py)?.cables(&self.0.graph);
        Ok(bytes(cables.lengths().iter().copied(), f64::to_ne_bytes).into())
    }

    /// Cabinet, row and column of each vertex: three `u32`; `u32::MAX` for hosts that are vertices.
    fn cabinets(&self, py: Python<'_>, flags: Vec<OsString>) -> PyResult<Cow<'_, [u8]>> {
        let plan = self.floor(flags).or_raise(py)?;
        let place = |switch: usize| {
            let switch = SwitchId::new(switch);
            if plan.is_host(switch) {
                return [u32::MAX; 3];
            }
            let cabinet = plan.cabinet(switch);
            let (row, column) = plan.position(cabinet);
            [cabinet, row, column].map(|number| number as u32)
        };
        Ok(bytes((0..self.0.graph.switches()).flat_map(place), u32::to_ne_bytes).into())
    }

    /// A drawing of the floor (SVG).
    fn floor_svg(&self, py: Python<'_>, flags: Vec<OsString>) -> PyResult<String> {
        let plan = self.floor(flags).or_raise(py)?;
        Ok(svg::draw(&plan, &self.0.graph, &self.0.name()))
    }

    /// The graph in a format of `mopsim export`.
    fn export(&self, py: Python<'_>, to: &str) -> PyResult<Vec<u8>> {
        exported(to, |write, out| match write {
            export::Write::Graph(write) => Some(write(&self.0, out)),
            export::Write::Platform(_) | export::Write::Network(_) => None,
        })
        .or_raise(py)
    }
}

/// The text of a report, as the command line prints it: without control characters.
pub fn written(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut Printable::new(&mut bytes)).expect("memory takes all bytes");
    String::from_utf8(bytes).expect("reports are text")
}

/// Exports into memory.
pub fn exported(
    to: &str,
    write: impl FnOnce(export::Write, &mut dyn Write) -> Option<Result<(), export::ExportError>>,
) -> Result<Vec<u8>, Failure> {
    let names = || export::FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    let Some(format) = export::find(to) else {
        return Err(Failure::input(format!("`{to}` is no format"), format!("the formats are {}", names())));
    };
    let mut bytes = Vec::new();
    match write(format.write, &mut bytes) {
        Some(written) => written?,
        None => {
            let what = match format.write {
                export::Write::Graph(_) => "a graph: export a Topology",
                export::Write::Platform(_) => "hosts, links and routes: export a Platform",
                export::Write::Network(_) => "hosts, links and routes of a topology: export a Platform of one",
            };
            return Err(Failure::input(format!("the format {to} holds {what}"), ""));
        }
    }
    Ok(bytes)
}
