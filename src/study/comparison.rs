//! The result of a comparison: all cells, relative to a baseline, and their averages.

use super::choice::ModelDescription;
use super::cross_check::{self, CrossCheck};
use super::matrix::{Cell, Matrix};
use super::network::NetworkInfo;
use super::plan::{Plan, Setting};
use super::procurement::{self, Budget, NetworkCost, Offer};
use super::ranking::Stability;
use super::record::CellRecord;
use super::sensitivity::Sensitivity;
use super::statistics::Statistic;
use super::workload::WorkloadInfo;
use crate::cost::PriceList;

/// One replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Index of the workload.
    pub workload: usize,
    /// Index of the network.
    pub network: usize,
    /// Index of the repetition.
    pub repetition: usize,
    /// Time on the baseline over time here. Where only the baseline is repeated, with the mean of its times.
    pub relative: f64,
    /// What was found.
    pub record: CellRecord,
}

/// All cells of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Title of the study.
    pub title: String,
    /// Index of the network that the others are compared with, in the first setting.
    pub baseline: usize,
    /// The networks, in the order of the study; once for each setting.
    pub networks: Vec<NetworkInfo>,
    /// For each network: its name without the setting.
    pub plain_names: Vec<String>,
    /// For each network: its setting.
    pub settings: Vec<Setting>,
    /// For each network: index of the one that it is compared with.
    pub baselines: Vec<usize>,
    /// For each network: the seeds of its repetitions.
    pub seeds: Vec<Vec<Option<u64>>>,
    /// For each network: what it costs, where known.
    pub costs: Vec<Option<NetworkCost>>,
    /// The workloads, in the order of the study.
    pub workloads: Vec<WorkloadInfo>,
    /// For each workload: its weight in the means.
    pub weights: Vec<f64>,
    /// Workload by workload, network by network.
    pub cells: Vec<Cell>,
    /// Workload by workload, network by network, repetition by repetition.
    pub runs: Vec<Run>,
    /// For each network: arithmetic means over the workloads.
    pub arithmetic: Vec<Statistic>,
    /// For each network: geometric means over the workloads.
    pub geometric: Vec<Statistic>,
    /// How ranks are placed.
    pub mapping: String,
    /// How traces turn into time.
    pub model: ModelDescription,
    /// What the reader should know: unmatched sends, substituted algorithms.
    pub notes: Vec<String>,
    /// Whether in some replay messages were left that nobody received.
    pub unmatched: bool,
    /// How often rankings hold, where that was asked for.
    pub ranking: Option<Stability>,
    /// How far changed assumptions move the networks, where that was asked for.
    pub sensitivity: Option<Sensitivity>,
    /// Packets against flows on some iterations, where that was asked for.
    pub check: Option<CrossCheck>,
    /// Limits of price, power and cable, if the study has a budget or prices.
    pub budget: Option<Budget>,
    /// Price list of the costs.
    pub prices: PriceList,
}

impl Comparison {
    /// Puts the records of all cells, in the order of the plan, into relation to the baselines.
    ///
    /// # Panics
    /// If there is not one record for each cell.
    pub fn new(plan: &Plan, records: &[CellRecord]) -> Self {
        assert_eq!(records.len(), plan.cells(), "a record for each cell");
        let (whole, partial) = records.split_at(plan.passes() * plan.cells_of_a_pass());
        let (varied, checked) = partial.split_at(plan.varied_cells());
        let mut passes = whole.chunks(plan.cells_of_a_pass().max(1));
        let own = passes.next().unwrap_or_default();
        let stated = Matrix::new(plan, own);
        let ranking = plan.perturbation.as_ref().map(|perturbation| {
            let samples: Vec<Matrix> = passes.map(|records| Matrix::new(plan, records)).collect();
            Stability::new(plan, perturbation, &stated, &samples)
        });
        let sensitivity = plan.sensitivity.as_ref().map(|all| Sensitivity::new(plan, all, own, varied));
        let check = plan.check.as_ref().map(|check| cross_check::of_sample(plan, check, &stated, checked));
        let runs = plan.places(0).zip(own).zip(&stated.relatives);
        let mut notes: Vec<String> = Vec::new();
        for record in records {
            for note in &record.notes {
                let note = format!("{}: {note}", record.workload);
                if !notes.contains(&note) {
                    notes.push(note);
                }
            }
        }
        let of_columns = || plan.columns.iter();
        let own = of_columns().filter_map(|c| Some((&c.info.name, c.model_changes.as_ref()?)));
        notes.extend(plan.not_modelled.iter().cloned());
        notes.extend(own.map(|(name, changes)| format!("{name} has a model of its own: {changes}")));
        Self {
            title: plan.title.clone(),
            baseline: plan.baseline,
            networks: of_columns().map(|c| c.info.clone()).collect(),
            plain_names: of_columns().map(|c| c.network.clone()).collect(),
            settings: of_columns().map(|c| c.setting.clone()).collect(),
            baselines: of_columns().map(|c| c.baseline).collect(),
            seeds: of_columns().map(|c| c.seeds.clone()).collect(),
            costs: of_columns().map(|c| c.cost).collect(),
            workloads: plan.workloads.clone(),
            weights: plan.weights.clone(),
            runs: runs
                .map(|((place, record), &relative)| Run {
                    workload: place.workload,
                    network: place.column,
                    repetition: place.repetition,
                    relative,
                    record: record.clone(),
                })
                .collect(),
            mapping: plan.mapping.clone(),
            model: plan.model.clone(),
            notes,
            unmatched: records.iter().any(|record| record.unmatched),
            ranking,
            sensitivity,
            check,
            budget: plan.budget,
            prices: plan.prices.clone(),
            cells: stated.cells,
            arithmetic: stated.arithmetic,
            geometric: stated.geometric,
        }
    }

    /// The cell of a workload on a network.
    pub fn cell(&self, workload: usize, network: usize) -> &Cell {
        &self.cells[workload * self.networks.len() + network]
    }

    /// Weighted arithmetic mean over the workloads of the relative performance of a network; 1 without workloads.
    pub fn arithmetic_mean(&self, network: usize) -> f64 {
        self.arithmetic[network].mean
    }

    /// Weighted geometric mean over the workloads of the relative performance of a network; 1 without workloads.
    pub fn geometric_mean(&self, network: usize) -> f64 {
        self.geometric[network].mean
    }

    /// Whether the networks stand in more than one setting.
    pub fn has_settings(&self) -> bool {
        self.settings.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The networks that are compared with each other: all, or those of each setting.
    pub fn of_settings(&self) -> Vec<Vec<usize>> {
        let columns: Vec<usize> = (0..self.networks.len()).collect();
        columns.chunk_by(|&a, &b| self.settings[a] == self.settings[b]).map(<[usize]>::to_vec).collect()
    }

    /// Whether some network has repetitions.
    pub fn has_repetitions(&self) -> bool {
        self.seeds.iter().any(|seeds| seeds.len() > 1)
    }

    /// Whether some workload counts more than another.
    pub fn has_weights(&self) -> bool {
        self.weights.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// The networks as a buyer sees them: setting by setting, since each has a baseline of its own, and best first;
    /// none if the study names no budget.
    pub fn offers(&self) -> Vec<Offer> {
        let Some(budget) = self.budget else { return Vec::new() };
        let offer = |network: usize| Offer {
            network,
            performance: self.geometric_mean(network),
            cost: self.costs[network],
            within_budget: self.costs[network].and_then(|cost| budget.allows(&cost)),
        };
        self.of_settings()
            .into_iter()
            .flat_map(|of_one| procurement::ranked(of_one.into_iter().map(offer).collect()))
            .collect()
    }
}
