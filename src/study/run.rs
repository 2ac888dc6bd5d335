//! A study, checked and built, and its run on all cores.

use super::cell::{self, CellResult};
use super::choice::{ChoiceError, ModelChoice, ModelDescription};
use super::comparison::Comparison;
use super::file::StudyFile;
use super::network::{NetworkChoice, NetworkError, NetworkUnderTest};
use super::toml_file::{self, TomlError};
use super::workload::{OpenError, Workload};
use crate::engine::{Model, ReplayError};
use crate::mpi::layout::Layout;
use crate::mpi::mapping::{Mapping, MappingError};
use crate::platform::{PlatformError, hostfile, rankfile};
use crate::trace::TraceError;
use crate::workload::WorkloadError;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Why a study cannot be built or run.
#[derive(Debug, thiserror::Error)]
pub enum StudyError {
    /// The study file cannot be used.
    #[error(transparent)]
    File(#[from] TomlError),
    /// The study file says something that cannot be.
    #[error("{}: {message}", .file.display())]
    Contradiction {
        /// The file.
        file: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A choice that does not exist.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// A network cannot be built.
    #[error("network `{network}`: {error}")]
    Network {
        /// Its name or number.
        network: String,
        /// Why.
        error: Box<NetworkError>,
    },
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A workload cannot be generated.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The ranks of a workload cannot be placed on a network.
    #[error("workload `{workload}` on network `{network}`: {error}")]
    Mapping {
        /// The workload.
        workload: String,
        /// The network.
        network: String,
        /// Why.
        error: MappingError,
    },
    /// A replay cannot go on.
    #[error("workload `{workload}` on network `{network}`: {error}")]
    Replay {
        /// Name of the workload.
        workload: String,
        /// Index of the workload in the study.
        index: usize,
        /// The network.
        network: String,
        /// Why.
        error: Box<ReplayError>,
    },
}

/// Somebody who is told how far a study is. Called from several threads.
pub trait Progress: Sync {
    /// A replay begins: workload and network by name.
    fn begins(&self, workload: &str, network: &str);
    /// A replay has ended.
    fn ended(&self, workload: &str, network: &str);
}

/// Nobody is told.
pub struct Silent;

impl Progress for Silent {
    fn begins(&self, _: &str, _: &str) {}
    fn ended(&self, _: &str, _: &str) {}
}

/// A study, ready to run.
#[derive(Debug)]
pub struct Study {
    /// Heading of the report.
    pub title: String,
    /// Index of the baseline.
    pub baseline: usize,
    /// The networks.
    pub networks: Vec<NetworkUnderTest>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// How ranks are placed.
    pub mapping: Mapping,
    /// How traces turn into time.
    pub model: Model,
    description: ModelDescription,
    layouts: Vec<Layout>,
}

/// What the command line adds to a study file: it comes before what the file says.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// Model choices.
    pub model: ModelChoice,
    /// Choices for all networks.
    pub network: NetworkChoice,
    /// How ranks are placed.
    pub placement: Placement,
    /// Seed.
    pub seed: Option<u64>,
}

impl Study {
    /// Reads a study file, and everything that it names.
    ///
    /// # Errors
    /// [`StudyError`].
    pub fn read(path: &Path, overrides: Overrides) -> Result<Self, StudyError> {
        let wrong = |message: String| StudyError::Contradiction { file: path.to_owned(), message };
        let file: StudyFile = toml_file::read(path)?;
        if file.networks.is_empty() || file.workloads.is_empty() {
            return Err(wrong("a study needs at least one of [[networks]] and one of [[workloads]]".into()));
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let seed = overrides.seed.or(file.seed);
        let common = NetworkChoice { seed: file.network.seed.or(seed), ..file.network };
        let mut networks: Vec<NetworkUnderTest> = Vec::new();
        for (number, choice) in file.networks.into_iter().enumerate() {
            let label = choice.name.clone().unwrap_or_else(|| format!("number {}", number + 1));
            let name = choice.name.clone();
            let choice = choice.over(&common);
            let choice = NetworkChoice { name, ..overrides.network.clone().over(&choice) };
            let network =
                choice.build(folder).map_err(|error| StudyError::Network { network: label, error: Box::new(error) })?;
            if networks.iter().any(|n| n.info.name == network.info.name) {
                return Err(wrong(format!(
                    "two networks are called `{}`; give them different names",
                    network.info.name
                )));
            }
            networks.push(network);
        }
        let baseline = match &file.baseline {
            None => 0,
            Some(name) => networks.iter().position(|n| n.info.name == *name).ok_or_else(|| {
                let names: Vec<&str> = networks.iter().map(|n| n.info.name.as_str()).collect();
                ChoiceError::unknown("baseline", name, &names)
            })?,
        };
        let workloads = file
            .workloads
            .iter()
            .map(|w| {
                let mut workload = Workload::open(w, folder)?;
                workload.name = w.name.clone().unwrap_or(workload.name);
                Ok(workload)
            })
            .collect::<Result<Vec<Workload>, OpenError>>()
            .map_err(|error| match error {
                OpenError::Trace(error) => error.into(),
                OpenError::Workload(error) => error.into(),
                OpenError::Contradiction(message) => wrong(message),
            })?;
        // Results name workloads, so that a name must not stand for two of them.
        let repeated = workloads.iter().enumerate().find(|(i, w)| workloads[..*i].iter().any(|v| v.name == w.name));
        if let Some((_, workload)) = repeated {
            return Err(wrong(format!("two workloads are called `{}`; give them different names", workload.name)));
        }
        let own = Placement { rule: file.mapping, hostfile: file.hostfile, rankfile: file.rankfile };
        if own.is_ambiguous() {
            return Err(wrong("only one of mapping, hostfile and rankfile can say how ranks are placed".into()));
        }
        let (placement, folder) =
            if overrides.placement.is_given() { (overrides.placement, Path::new("")) } else { (own, folder) };
        let mappings = networks.iter().map(|n| placement.mapping(n, folder, seed)).collect::<Result<_, _>>()?;
        Self::with_mappings(file.title, baseline, networks, workloads, mappings, &overrides.model.over(&file.model))
    }

    /// A study of parts that are built already.
    ///
    /// # Errors
    /// [`StudyError`] if the model cannot be, or if ranks cannot be placed.
    pub fn new(
        title: String,
        baseline: usize,
        networks: Vec<NetworkUnderTest>,
        workloads: Vec<Workload>,
        mapping: Mapping,
        model: &ModelChoice,
    ) -> Result<Self, StudyError> {
        let mappings = vec![mapping; networks.len()];
        Self::with_mappings(title, baseline, networks, workloads, mappings, model)
    }

    /// The same with a mapping for each network: files name hosts, and hosts of the same name have other numbers elsewhere.
    fn with_mappings(
        title: String,
        baseline: usize,
        networks: Vec<NetworkUnderTest>,
        workloads: Vec<Workload>,
        mappings: Vec<Mapping>,
        model: &ModelChoice,
    ) -> Result<Self, StudyError> {
        let (model, description) = model.build()?;
        let mut layouts = Vec::with_capacity(networks.len() * workloads.len());
        for workload in &workloads {
            for (network, mapping) in networks.iter().zip(&mappings) {
                let cores: Vec<u32> = network.platform.hosts.iter().map(|host| host.cores).collect();
                let layout = mapping.layout_on_cores(workload.trace.ranks(), &cores);
                layouts.push(layout.map_err(|error| StudyError::Mapping {
                    workload: workload.name.clone(),
                    network: network.info.name.clone(),
                    error,
                })?);
            }
        }
        let mapping = mappings.into_iter().next().unwrap_or_default();
        Ok(Self { title, baseline, networks, workloads, mapping, model, description, layouts })
    }

    /// Number of replays.
    pub fn cells(&self) -> usize {
        self.layouts.len()
    }

    /// Runs all replays, on all cores. The result does not depend on their number.
    ///
    /// # Errors
    /// [`StudyError::Replay`] of the first cell, in the order of the study, that cannot go on.
    pub fn run(&self, progress: &dyn Progress) -> Result<Comparison, StudyError> {
        let results: Vec<Result<CellResult, StudyError>> =
            (0..self.cells()).into_par_iter().map(|index| self.run_cell(index, progress)).collect();
        let results = results.into_iter().collect::<Result<Vec<CellResult>, StudyError>>()?;
        Ok(Comparison::new(
            self.title.clone(),
            self.baseline,
            self.networks.iter().map(|n| n.info.clone()).collect(),
            self.workloads.iter().map(Workload::info).collect(),
            &results,
            self.mapping.describe(),
            self.description.clone(),
        ))
    }

    /// The model in words.
    pub fn description(&self) -> &ModelDescription {
        &self.description
    }

    /// Runs one replay: they are numbered workload by workload, network by network.
    ///
    /// # Errors
    /// [`StudyError::Replay`].
    pub fn run_cell(&self, index: usize, progress: &dyn Progress) -> Result<CellResult, StudyError> {
        let (w, n) = (index / self.networks.len(), index % self.networks.len());
        let (workload, network) = (&self.workloads[w], &self.networks[n]);
        progress.begins(&workload.name, &network.info.name);
        let result = cell::run(workload, network, &self.layouts[index], &self.model);
        progress.ended(&workload.name, &network.info.name);
        result.map_err(|error| StudyError::Replay {
            workload: workload.name.clone(),
            index: w,
            network: network.info.name.clone(),
            error: Box::new(error),
        })
    }
}

/// How ranks are placed, as a user says it: by a rule, or by a file that names hosts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Name of a rule.
    pub rule: Option<String>,
    /// A host file.
    pub hostfile: Option<PathBuf>,
    /// A rank file.
    pub rankfile: Option<PathBuf>,
}

impl Placement {
    /// Whether anything is said.
    pub fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Whether more than one thing is said.
    pub fn is_ambiguous(&self) -> bool {
        let said = [self.rule.is_some(), self.hostfile.is_some(), self.rankfile.is_some()];
        said.into_iter().filter(|&said| said).count() > 1
    }

    /// The mapping for a network. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`StudyError`] if there is no such rule, or if a file cannot be read or names hosts that the network does not have.
    pub fn mapping(&self, network: &NetworkUnderTest, folder: &Path, seed: Option<u64>) -> Result<Mapping, StudyError> {
        let platform = &network.platform;
        let in_network = |error: PlatformError| StudyError::Network {
            network: network.info.name.clone(),
            error: Box::new(error.into()),
        };
        match (&self.hostfile, &self.rankfile) {
            (Some(file), _) => hostfile::load(&folder.join(file), platform).map(Mapping::Hosts).map_err(in_network),
            (None, Some(file)) => rankfile::load(&folder.join(file), platform).map(Mapping::Ranks).map_err(in_network),
            (None, None) => Ok(mapping(self.rule.as_deref(), seed)?),
        }
    }
}

/// The mapping of that name.
///
/// # Errors
/// If there is none.
pub fn mapping(name: Option<&str>, seed: Option<u64>) -> Result<Mapping, ChoiceError> {
    match name {
        None => Ok(Mapping::default()),
        Some(name) => Mapping::by_name(name, seed.unwrap_or(0))
            .ok_or_else(|| ChoiceError::unknown("mapping", name, &Mapping::NAMES)),
    }
}
