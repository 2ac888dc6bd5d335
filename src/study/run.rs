//! Studies, checked and built, and their parallel runs.

use super::built::{BuiltColumn, BuiltRun, BuiltVariation, Study};
use super::cell::CellRankMap;
use super::cell::{self, CellResult, Explain};
use super::choice::ModelChoice;
use super::column_parts::{fabric_of, model_of, rank_maps};
use super::comparison::Comparison;
use super::description::ModelDescription;
use super::digest::Fingerprint;
use super::error::StudyError;
use super::fabric;
use super::jobs::MixError;
use super::network::NetworkUnderTest;
use super::packet_results::SweepIdentity;
use super::perturb;
use super::plan::{CellPosition, Column, Plan, Setting};
use super::procurement::{self, NetworkCost};
use super::record::CellRecord;
use super::results::Identity;
use super::workload::Workload;
use crate::cost::PriceList;
use crate::engine::{Counter, Model, Observer, ReplayError};
use crate::mpi::mapping::Mapping;
use crate::network::Medium;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Receiver of a study's progress. Called from several threads.
pub trait Progress: Sync {
    /// Called at the start of a replay.
    fn begins(&self, workload: &str, network: &str);

    /// Called at the end of a replay.
    fn ended(&self, workload: &str, network: &str);

    /// Returns the counter of a replay that is about to begin, through which that replay can be stopped. `None` if the
    /// counter is not used.
    fn counter(&self) -> Option<Counter> {
        None
    }
}

/// Progress receiver that does nothing.
pub struct Silent;

impl Progress for Silent {
    fn begins(&self, _: &str, _: &str) {}
    fn ended(&self, _: &str, _: &str) {}
}

impl Study {
    /// Returns the keys of all defaults of the site that the study rests on.
    pub fn from_site(&self) -> Vec<&'static str> {
        let networks = self.networks.iter().flat_map(|network| &network.from_site);
        let models = self.models.iter().flat_map(|(_, description)| &description.from_site);
        let prices = self.has_site_prices.then_some(&"prices");
        let mut keys: Vec<&'static str> = networks.chain(models).chain(prices).copied().collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Creates a study from parts that are already built; the seed is for jobs that run together.
    ///
    /// # Errors
    /// [`StudyError`] if the model is impossible, or if ranks cannot be placed.
    pub fn new(
        title: String,
        baseline: usize,
        networks: Vec<NetworkUnderTest>,
        workloads: Vec<Workload>,
        mapping: Mapping,
        seed: Option<u64>,
        model: &ModelChoice,
    ) -> Result<Self, StudyError> {
        let choice = model;
        let (model, description) = choice.build()?;
        let packets = model.network.packet_level.is_some();
        let mut models = vec![(model, description.clone())];
        let own: Vec<(usize, Option<String>)> =
            networks.iter().map(|network| model_of(network, (0, choice), &mut models)).collect::<Result<_, _>>()?;
        let setting = Setting {
            mapping: mapping.describe(),
            collectives: description.collectives.clone(),
            packets,
            ..Setting::default()
        };
        let columns = networks.iter().zip(&own).map(|(network, (_, changes))| Column {
            info: network.info.clone(),
            network: network.info.name.clone(),
            setting: setting.clone(),
            setting_name: String::new(),
            baseline,
            seeds: vec![network.info.seed],
            model_changes: changes.clone(),
            cost: None,
        });
        let plan = Plan {
            title,
            baseline,
            columns: columns.collect(),
            workloads: workloads.iter().map(Workload::info).collect(),
            weights: vec![1.0; workloads.len()],
            mapping: mapping.describe(),
            model: description,
            perturbation: None,
            sensitivity: None,
            check: None,
            budget: None,
            prices: PriceList::default(),
            not_modelled: Vec::new(),
        };
        let built = networks.iter().zip(own).enumerate().map(|(index, (network, (model, _)))| {
            let rank_maps = rank_maps(&workloads, network, &mapping, &models[model], seed)?;
            let fabric = fabric_of(network, &models[model].0)?;
            Ok(BuiltColumn { model, runs: vec![BuiltRun { network: index, rank_maps, fabric }] })
        });
        let columns = built.collect::<Result<Vec<_>, StudyError>>()?;
        let mut plan = plan;
        for (number, (column, built)) in plan.columns.iter_mut().zip(&columns).enumerate() {
            let Some(fabric) = &built.runs[0].fabric else { continue };
            let description = fabric::described(&models[built.model].1, fabric);
            if number == 0 {
                plan.model = description;
            } else {
                column.model_changes = description.changes(&plan.model);
            }
        }
        let places = plan.all_places();
        Ok(Self {
            plan,
            networks,
            workloads,
            mapping,
            explain: false,
            until_steady: None,
            text: String::new(),
            traffic: None,
            sweep: None,
            samples: Vec::new(),
            models,
            columns,
            variations: Vec::new(),
            file_digests: Vec::new(),
            places,
            has_site_prices: false,
        })
    }

    /// Returns the number of replays.
    pub fn cells(&self) -> usize {
        self.places.len()
    }

    /// Returns `true` if the messages of a cell are packets.
    pub fn has_packets(&self, cell: usize) -> bool {
        let place = self.places[cell];
        self.built(place).runs[place.repetition].fabric.is_some()
    }

    /// Estimates the number of passages of packets through switches and host links in the replay of a cell, from the
    /// record of the same workload on the same network with flows. `None` if the cell has no packets, or there is no
    /// such record.
    pub fn packet_hops<'r>(&self, cell: usize, records: impl IntoIterator<Item = &'r CellRecord>) -> Option<f64> {
        let place = self.places[cell];
        let level = self.models[self.built(place).model].0.network.packet_level.as_ref()?;
        let of =
            |place: CellPosition| (place.workload, &self.plan.columns[place.column].network, self.plan.is_check(place));
        let flows = records
            .into_iter()
            .find(|record| !self.has_packets(record.cell) && of(self.places[record.cell]) == of(place))?;
        let packets = flows.bytes as f64 / f64::from(level.mtu) + flows.messages as f64;
        Some(packets * flows.explanation.average_hops.unwrap_or(0.0))
    }

    /// Returns the number of actions in the replay of a cell, or of operations if it replays a graph.
    pub fn actions_of(&self, cell: usize) -> u64 {
        let place = &self.places[cell];
        match &self.columns[place.column].runs[place.repetition].rank_maps[place.workload] {
            CellRankMap::Graph(_, graph) => graph.total_actions(),
            _ => self.plan.replayed(*place).actions,
        }
    }

    /// Returns `true` if replays of a column report events of ranks, which the model `loggops` does not.
    pub fn tells_events(&self, column: usize) -> bool {
        self.models[self.columns[column].model].0.network.loggops.is_none()
    }

    /// Returns the description of the model.
    pub fn description(&self) -> &ModelDescription {
        &self.plan.model
    }

    /// Returns the identity of the study for results files. Computes digests of all traces.
    pub fn identity(&self) -> Identity<'_> {
        Identity::new(&self.plan, &self.places, Fingerprint::of(self), SweepIdentity::of(self))
    }

    /// Runs all replays in parallel. The result does not depend on the number of threads.
    ///
    /// # Errors
    /// [`StudyError::Replay`] of the first cell, in the order of the study, that cannot continue.
    pub fn run(&self, progress: &dyn Progress) -> Result<Comparison, StudyError> {
        let cells: Vec<usize> = (0..self.cells()).collect();
        let records = self.run_cells(&cells, &AtomicBool::new(false), progress, &|_| Ok(()))?;
        Ok(self.compare(&records))
    }

    /// Runs some of the replays in parallel, and returns their records in the order of `cells`. Each record is passed
    /// to `keep` as soon as it exists.
    ///
    /// Once `stop` is set, no further replay begins; running replays are completed and kept, unless a counter of
    /// [`Progress::counter`] stops them. There are then fewer records than cells.
    ///
    /// # Errors
    /// [`StudyError::Replay`] of the first of the cells that cannot continue, after all others have ended; or an error
    /// of `keep`, after which no further replay begins.
    pub fn run_cells(
        &self,
        cells: &[usize],
        stop: &AtomicBool,
        progress: &dyn Progress,
        keep: &(dyn Fn(&CellRecord) -> Result<(), StudyError> + Sync),
    ) -> Result<Vec<CellRecord>, StudyError> {
        let broken = AtomicBool::new(false);
        let run = |&cell: &usize| -> Option<Result<CellRecord, StudyError>> {
            if stop.load(Ordering::Relaxed) || broken.load(Ordering::Relaxed) {
                return None;
            }
            let record = self.record(cell, progress);
            if matches!(&record, Err(StudyError::Replay { error, .. }) if **error == ReplayError::Stopped) {
                return None;
            }
            let kept = record.and_then(|record| {
                keep(&record).inspect_err(|_| broken.store(true, Ordering::Relaxed))?;
                Ok(record)
            });
            Some(kept)
        };
        // One by one, so that the cells of a slow workload are not all on one thread.
        let results: Vec<_> = cells.par_iter().with_max_len(1).map(run).collect();
        results.into_iter().flatten().collect()
    }

    /// Compares the records of all cells, which are in the order of the cells.
    ///
    /// # Panics
    /// If the number of records differs from that of the cells.
    pub fn compare(&self, records: &[CellRecord]) -> Comparison {
        Comparison::new(&self.plan, records)
    }

    fn record(&self, cell: usize, progress: &dyn Progress) -> Result<CellRecord, StudyError> {
        let result = match progress.counter() {
            Some(mut counter) => self.watch_cell(cell, progress, &mut counter)?,
            None => self.run_cell(cell, progress)?,
        };
        let record = CellRecord::new(self.plan.name(cell, self.places[cell]), &result);
        debug_assert_eq!(super::ranges::flaw(&record, &self.plan.replayed(self.places[cell])), None);
        Ok(record)
    }

    /// Returns the workload of a cell, or the part of it that a check replays.
    fn workload(&self, place: CellPosition) -> &Workload {
        let part = self.samples.get(place.workload).filter(|_| self.plan.is_check(place)).and_then(Option::as_ref);
        part.unwrap_or(&self.workloads[place.workload])
    }

    fn network_of(&self, cell: usize) -> &NetworkUnderTest {
        let place = self.places[cell];
        &self.networks[self.built(place).runs[place.repetition].network]
    }

    /// Returns the variation of assumptions to which a cell belongs, if any.
    fn variation(&self, place: CellPosition) -> Option<&BuiltVariation> {
        self.variations.get(place.sample.checked_sub(self.plan.passes())?)
    }

    fn built(&self, place: CellPosition) -> &BuiltColumn {
        let varied = self.variation(place).and_then(|v| v.columns.iter().find(|(column, _)| *column == place.column));
        varied.map_or(&self.columns[place.column], |(_, built)| built)
    }

    /// Returns the networks of the plan's columns; the first one of columns with repetitions.
    pub fn column_networks(&self) -> impl Iterator<Item = &NetworkUnderTest> {
        self.columns.iter().map(|column| &self.networks[column.runs[0].network])
    }

    /// Returns the cost of the network of each column, even if the study has no budget.
    pub fn costs(&self) -> impl Iterator<Item = Option<NetworkCost>> {
        let columns = self.plan.columns.iter().zip(self.column_networks());
        columns.map(|(column, network)| {
            let platform = column.setting.platform.as_deref();
            column.cost.or_else(|| procurement::cost(network, platform, &self.plan.prices))
        })
    }

    /// Returns the number of the cell of a workload in a column, in the study as stated; the first one of repetitions.
    pub fn cell_of(&self, workload: usize, column: usize) -> Option<usize> {
        self.places.iter().position(|place| {
            place.workload == workload && place.column == column && place.repetition == 0 && place.sample == 0
        })
    }

    /// Runs one replay.
    ///
    /// # Errors
    /// [`StudyError::Replay`].
    pub fn run_cell(&self, cell: usize, progress: &dyn Progress) -> Result<CellResult, StudyError> {
        self.watch_cell(cell, progress, &mut ())
    }

    /// Runs one replay under an observer.
    ///
    /// # Errors
    /// [`StudyError::Replay`].
    pub fn watch_cell(
        &self,
        cell: usize,
        progress: &dyn Progress,
        observer: &mut dyn Observer,
    ) -> Result<CellResult, StudyError> {
        let place = self.places[cell];
        let column = self.built(place);
        let (workload, name) = (self.workload(place), &self.plan.columns[place.column].info.name);
        let network = self.network_of(cell);
        let model = &self.models[column.model].0;
        let run = &column.runs[place.repetition];
        let is_perturbed = (1..self.plan.passes()).contains(&place.sample);
        let noise = self.plan.perturbation.as_ref().filter(|_| is_perturbed).and_then(|p| p.noise(place.sample));
        let own = (run.fabric.is_some() || noise.is_some()).then(|| Model {
            medium: run.fabric.clone().map(|fabric| fabric as Arc<dyn Medium>),
            noise,
            ..model.clone()
        });
        let model = own.as_ref().unwrap_or(model);
        progress.begins(&workload.name, name);
        let both_models = self.plan.has_packets_beside_flows() || self.plan.is_check(place);
        let explain = match (self.explain, both_models) {
            (false, _) => Explain::No,
            (true, false) => Explain::Yes,
            (true, true) => Explain::WithSizes,
        };
        let faster = |factors, host_links| {
            let platform = perturb::perturbed_with_hosts(&network.platform, factors, host_links);
            NetworkUnderTest { platform: Arc::new(platform), ..network.clone() }
        };
        let changed = match (&self.plan.perturbation, self.variation(place), place.sample) {
            (_, Some(variation), _) => Some(faster(&variation.factors, variation.host_links)),
            (Some(perturbation), None, sample @ 1..) => Some(faster(&perturbation.samples[sample - 1], 1.0)),
            _ => None,
        };
        let network = changed.as_ref().unwrap_or(network);
        let extent = (explain, self.until_steady.filter(|_| !self.plan.is_check(place)));
        let result = cell::run(workload, network, &run.rank_maps[place.workload], model, extent, observer);
        progress.ended(&workload.name, name);
        result.map_err(|MixError { job, error }| StudyError::Replay {
            workload: workload.name.clone(),
            index: place.workload,
            job,
            network: name.clone(),
            error: Box::new(error),
        })
    }
}
