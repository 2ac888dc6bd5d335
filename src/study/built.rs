//! A study that is ready to run: its plan, and all that replays need.

use super::cell::CellRankMap;
use super::description::ModelDescription;
use super::network::NetworkUnderTest;
use super::perturb::Factors;
use super::plan::{CellPosition, Plan};
use super::sweep_plan::SweepPlan;
use super::traffic::TrafficPlan;
use super::workload::Workload;
use crate::engine::Model;
use crate::mpi::collective::select::Table;
use crate::mpi::mapping::Mapping;
use crate::packets::replay::Fabric;
use crate::platform::parameters::without_unit;
use crate::trace::CollectiveKind as Kind;
use std::sync::Arc;

/// A study that is ready to run.
#[derive(Debug)]
pub struct Study {
    /// Contents of the study.
    pub plan: Plan,
    /// Networks that were built: one for each distinct column and seed.
    pub networks: Vec<NetworkUnderTest>,
    /// Workloads of the study.
    pub workloads: Vec<Workload>,
    /// Placement of ranks in the first column.
    pub mapping: Mapping,
    /// `true` to find saturated links and critical paths, which takes additional time.
    pub explain: bool,
    /// Relative half width of the time per iteration at which replays end early; `None` for whole replays.
    pub until_steady: Option<f64>,
    /// Text of the study file; empty if there is none.
    pub text: String,
    /// Synthetic traffic on the networks in addition to the workloads, if requested.
    pub traffic: Option<TrafficPlan>,
    /// Sweep of packets over the networks, if requested.
    pub sweep: Option<SweepPlan>,
    /// Part of each workload that a check replays; `None` for the whole workload.
    pub samples: Vec<Option<Workload>>,
    /// Models: one for each table of collectives, then those of networks with a model of their own.
    pub(super) models: Vec<(Model, ModelDescription)>,
    /// Built columns, in the order of the plan's columns.
    pub(super) columns: Vec<BuiltColumn>,
    /// Built variations, in the order of the plan's, then flows and packets of a check.
    pub(super) variations: Vec<BuiltVariation>,
    /// Digests of files from which networks were read.
    pub(super) file_digests: Vec<String>,
    pub(super) places: Vec<CellPosition>,
    /// `true` if costs are those of the price list of the site.
    pub(super) has_site_prices: bool,
}

/// Built form of a column.
#[derive(Debug, Clone)]
pub(super) struct BuiltColumn {
    /// Index of the model.
    pub model: usize,
    /// Runs, one per repetition.
    pub runs: Vec<BuiltRun>,
}

/// Built form of a repetition.
#[derive(Debug, Clone)]
pub(super) struct BuiltRun {
    /// Index of the network.
    pub network: usize,
    /// Places of the ranks of each workload.
    pub rank_maps: Vec<CellRankMap>,
    /// The network for packets, if the model has packets.
    pub fabric: Option<Arc<Fabric>>,
}

/// A variation that is ready to run.
#[derive(Debug)]
pub(super) struct BuiltVariation {
    /// Factors of links and hosts.
    pub factors: Factors,
    /// Factor of the bandwidth of host links.
    pub host_links: f64,
    /// Number and single run of each changed column.
    pub columns: Vec<(usize, BuiltColumn)>,
}

impl BuiltVariation {
    /// Returns a variation of columns that run at the speeds of the study.
    pub(super) fn unchanged(columns: Vec<(usize, BuiltColumn)>) -> Self {
        Self { factors: UNCHANGED, host_links: 1.0, columns }
    }
}

pub(super) const UNCHANGED: Factors = Factors { bandwidth: 1.0, latency: 1.0, speed: 1.0 };

/// Collectives that need to know which ranks share a host.
const BY_HOSTS: [Kind; 5] = [Kind::Bcast, Kind::Reduce, Kind::Allreduce, Kind::Allgather, Kind::Scatter];

/// Smallest number of ranks for which the SMP set-up deserves a warning: it takes seconds from here on.
const MANY_RANKS: usize = 1000;

impl Study {
    /// Returns warnings about models whose times probably lack a unit, about workloads of many ranks whose first collective
    /// sends two messages for each pair of them, and about settings of SimGrid platforms that are not followed as written.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.without_unit().chain(self.of_set_up()).chain(self.of_simgrid_settings())
    }

    /// Returns notes about settings of SimGrid platforms that the models of their columns do not follow as written.
    fn of_simgrid_settings(&self) -> impl Iterator<Item = String> + '_ {
        let mut all: Vec<String> = Vec::new();
        for column in &self.columns {
            let (_, model) = &self.models[column.model];
            for network in column.runs.iter().map(|run| &self.networks[run.network]) {
                let notes = network.model.config.iter().flat_map(|config| config.notes(model));
                for note in notes.map(|note| format!("{}: {note}", network.info.topology)) {
                    if !all.contains(&note) {
                        all.push(note);
                    }
                }
            }
        }
        all.into_iter()
    }

    /// Returns warnings about messages that take longer than on any network of today.
    fn without_unit(&self) -> impl Iterator<Item = String> + '_ {
        let longest = |(model, description): &(Model, ModelDescription)| {
            let what = format!("{}: message_latency is up to", description.network_model);
            without_unit(&what, model.network.message_latency.longest(), "24 us")
        };
        let mut all: Vec<String> = self.models.iter().filter_map(longest).collect();
        all.dedup();
        all.into_iter()
    }

    /// Returns warnings about the SMP set-up of SimGrid, in the tables that simulate it.
    fn of_set_up(&self) -> impl Iterator<Item = String> + '_ {
        let with_setup = |(_, model): &&(Model, ModelDescription)| {
            model.smp_setup && [Table::Mvapich2, Table::Mpich].iter().any(|table| table.name() == model.collectives)
        };
        let model = self.models.iter().find(with_setup).map(|(_, model)| model);
        let is_large = |workload: &&Workload| {
            let calls = &workload.trace.collectives;
            workload.trace.ranks() >= MANY_RANKS && calls.iter().any(|call| BY_HOSTS.contains(&call.kind))
        };
        let large = move |model| self.workloads.iter().filter(is_large).map(move |workload| (workload, model));
        model.into_iter().flat_map(large).map(|(workload, model): (&Workload, &ModelDescription)| {
            let ranks = workload.trace.ranks() as u64;
            let messages = 2 * ranks * ranks / 1_000_000;
            format!(
                "{}: with the SMP set-up of {}, the first collective of all {ranks} ranks sends {messages} million messages, \
                 as in SimGrid; without them (--smp-setup off) the replay is faster",
                workload.name, model.network_model
            )
        })
    }
}
