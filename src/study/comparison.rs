//! Result of a comparison: all cells, relative to a baseline, and their means.

use super::cross_check::{self, CrossCheck};
use super::description::ModelDescription;
use super::matrix::{Cell, Matrix};
use super::mean;
use super::network::NetworkInfo;
use super::packet_sweep::PacketCurves;
use super::plan::{Plan, Setting};
use super::procurement::{self, Budget, NetworkCost, Offer};
use super::ranking::Stability;
use super::record::CellRecord;
use super::sensitivity::Sensitivity;
use super::statistics::Statistic;
use super::workload::WorkloadInfo;
use crate::cost::PriceList;

/// A replay with its place in the study.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Index of the workload.
    pub workload: usize,
    /// Index of the network.
    pub network: usize,
    /// Index of the repetition.
    pub repetition: usize,
    /// Speedup over the baseline. If only the baseline is repeated, over the mean of its times.
    pub relative: f64,
    /// Half of the 95 % interval of that speedup, if one of the two times is extrapolated.
    pub half_width: Option<f64>,
    /// Record of the replay.
    pub record: CellRecord,
}

/// Results of a study: all cells, relative to the baselines, and their means.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Title of the study.
    pub title: String,
    /// Index of the baseline network, in the first setting.
    pub baseline: usize,
    /// Networks in the order of the study; once for each setting.
    pub networks: Vec<NetworkInfo>,
    /// Name of each network without the setting.
    pub plain_names: Vec<String>,
    /// Setting of each network.
    pub settings: Vec<Setting>,
    /// Name of each network's setting, of the parts in which settings differ; empty if there is one setting.
    pub setting_names: Vec<String>,
    /// Index of each network's baseline.
    pub baselines: Vec<usize>,
    /// Seeds of each network's repetitions.
    pub seeds: Vec<Vec<Option<u64>>>,
    /// Cost of each network, if known.
    pub costs: Vec<Option<NetworkCost>>,
    /// Workloads, in the order of the study.
    pub workloads: Vec<WorkloadInfo>,
    /// Weight of each workload in the means.
    pub weights: Vec<f64>,
    /// Cells, workload by workload, network by network.
    pub cells: Vec<Cell>,
    /// Replays, workload by workload, network by network, repetition by repetition.
    pub runs: Vec<Run>,
    /// Arithmetic mean of each network over the workloads.
    pub arithmetic: Vec<Statistic>,
    /// Geometric mean of each network over the workloads.
    pub geometric: Vec<Statistic>,
    /// Weighted mean over the workloads of the half widths of each network's extrapolated times, relative to them.
    pub widths: Vec<f64>,
    /// Placement of ranks.
    pub mapping: String,
    /// Description of the model.
    pub model: ModelDescription,
    /// Notes for readers, for example on unmatched sends and substituted algorithms.
    pub notes: Vec<String>,
    /// `true` if messages of any replay were never received.
    pub unmatched: bool,
    /// Stability of the rankings, if requested.
    pub ranking: Option<Stability>,
    /// Effects of changed assumptions, if requested.
    pub sensitivity: Option<Sensitivity>,
    /// Comparison of packets with flows on some iterations, if requested.
    pub check: Option<CrossCheck>,
    /// Curves of packets under synthetic traffic, if requested; they do not follow from the records, and are added
    /// to them.
    pub packets: Option<PacketCurves>,
    /// Limits of price, power and cable, if the study has a budget or prices.
    pub budget: Option<Budget>,
    /// Price list of the costs.
    pub prices: PriceList,
}

/// The networks of some settings that can be compared in all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct InAll {
    /// Columns of the networks that are in all settings: for each setting, in the same order.
    pub columns: Vec<Vec<usize>>,
    /// Names of the networks that are in some settings only, because a model does not support them.
    pub omitted: Vec<String>,
}

impl Comparison {
    /// Computes the results from the records of all cells, in the order of the plan.
    ///
    /// # Panics
    /// If the number of records differs from that of the cells.
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
        let mut notes = super::record::notes_of_replays(records, own);
        notes.extend(super::record::notes_of_estimates(own));
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
            setting_names: of_columns().map(|c| c.setting_name.clone()).collect(),
            baselines: of_columns().map(|c| c.baseline).collect(),
            seeds: of_columns().map(|c| c.seeds.clone()).collect(),
            costs: of_columns().map(|c| c.cost).collect(),
            workloads: plan.workloads.clone(),
            weights: plan.weights.clone(),
            runs: runs
                .map(|((place, record), &(relative, half_width))| Run {
                    workload: place.workload,
                    network: place.column,
                    repetition: place.repetition,
                    relative,
                    half_width: (half_width > 0.0).then_some(half_width),
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
            packets: None,
            budget: plan.budget,
            prices: plan.prices.clone(),
            cells: stated.cells,
            arithmetic: stated.arithmetic,
            geometric: stated.geometric,
            widths: stated.widths,
        }
    }

    /// Returns the cell of a workload on a network.
    pub fn cell(&self, workload: usize, network: usize) -> &Cell {
        &self.cells[workload * self.networks.len() + network]
    }

    /// Returns the weighted arithmetic mean over the workloads of the relative performance of a network; 1 without
    /// workloads.
    pub fn arithmetic_mean(&self, network: usize) -> f64 {
        self.arithmetic[network].mean
    }

    /// Returns the weighted geometric mean over the workloads of the relative performance of a network; 1 without
    /// workloads.
    pub fn geometric_mean(&self, network: usize) -> f64 {
        self.geometric[network].mean
    }

    /// Returns `true` if the networks are in more than one setting.
    pub fn has_settings(&self) -> bool {
        self.settings.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Returns the groups of networks that are compared with each other: all networks, or those of each setting.
    pub fn of_settings(&self) -> Vec<Vec<usize>> {
        let columns: Vec<usize> = (0..self.networks.len()).collect();
        columns.chunk_by(|&a, &b| self.settings[a] == self.settings[b]).map(<[usize]>::to_vec).collect()
    }

    /// Returns the networks that are in all of some settings.
    pub fn in_all(&self, settings: &[Vec<usize>]) -> InAll {
        // The first column of each network.
        let mut networks: Vec<usize> = Vec::new();
        for &column in settings.iter().flatten() {
            if self.counterpart(column, &networks).is_none() {
                networks.push(column);
            }
        }
        let (kept, omitted): (Vec<usize>, Vec<usize>) =
            networks.into_iter().partition(|&one| settings.iter().all(|of| self.counterpart(one, of).is_some()));
        let of_kept = |of: &Vec<usize>| kept.iter().filter_map(|&one| self.counterpart(one, of)).collect();
        InAll {
            columns: settings.iter().map(of_kept).collect(),
            omitted: omitted.into_iter().map(|column| self.plain_names[column].clone()).collect(),
        }
    }

    /// Returns the column of the same network among those of another setting; `None` if a model does not support it there.
    pub fn counterpart(&self, column: usize, among: &[usize]) -> Option<usize> {
        among.iter().copied().find(|&other| self.plain_names[other] == self.plain_names[column])
    }

    /// Returns the weighted geometric mean over the workloads of the speedup of a column over another one, from the mean
    /// times of both; 1 without workloads. Its interval is that of extrapolated times.
    pub fn speedup(&self, column: usize, reference: usize) -> Statistic {
        let ratio = |workload| {
            let [reference, own] = [reference, column].map(|column| self.cell(workload, column).time.mean);
            super::matrix::ratio(reference, own)
        };
        let ratios: Vec<f64> = (0..self.workloads.len()).map(ratio).collect();
        Statistic::estimate(mean::geometric(&ratios, &self.weights).unwrap_or(1.0), self.ratio_width(column, reference))
    }

    /// Returns half of the interval of the ratio of two columns' times, relative to it: the mean of all workloads, as for geometric
    /// means; 0 if no time is extrapolated.
    pub fn ratio_width(&self, column: usize, other: usize) -> f64 {
        if column == other { 0.0 } else { self.widths[column] + self.widths[other] }
    }

    /// Returns `true` if any replay of a workload has a property.
    pub fn any_run(&self, workload: usize, has: impl Fn(&CellRecord) -> bool) -> bool {
        self.runs.iter().any(|run| run.workload == workload && has(&run.record))
    }

    /// Returns `true` if any network has repetitions.
    pub fn has_repetitions(&self) -> bool {
        self.seeds.iter().any(|seeds| seeds.len() > 1)
    }

    /// Returns `true` if any time is extrapolated from some iterations.
    pub fn is_extrapolated(&self) -> bool {
        self.runs.iter().any(|run| run.record.extrapolation.is_some())
    }

    /// Returns `true` if the weights of workloads differ.
    pub fn has_weights(&self) -> bool {
        self.weights.windows(2).any(|pair| pair[0] != pair[1])
    }

    /// Returns the networks in the order of a buyer: setting by setting, since each has a baseline of its own, and best
    /// first; empty if the study has no budget.
    pub fn offers(&self) -> Vec<Offer> {
        let Some(budget) = self.budget else { return Vec::new() };
        let offer = |network: usize| Offer {
            network,
            performance: self.geometric[network],
            cost: self.costs[network],
            within_budget: self.costs[network].and_then(|cost| budget.allows(&cost)),
        };
        self.of_settings()
            .into_iter()
            .flat_map(|of_one| procurement::ranked(of_one.into_iter().map(offer).collect()))
            .collect()
    }
}
