//! Plans of studies, in words and numbers: columns, workloads, repetitions and perturbations, and the resulting cells.
//! Reports depend only on a plan and on records, so that merging needs no replay.

use super::description::ModelDescription;
use super::failure_choice::Failed;
use super::network::NetworkInfo;
use super::passes::{SampleCheck, Variation};
use super::perturb::Perturbation;
use super::procurement::{Budget, NetworkCost};
use super::record::CellName;
use super::workload::WorkloadInfo;
use crate::cost::PriceList;
use std::borrow::Cow;

/// Setting in which networks are compared: everything that a study varies other than networks and workloads.
///
/// A network is compared with the baseline network in the same setting.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setting {
    /// Name of the platform, if the study has several.
    pub platform: Option<String>,
    /// Routing rule as named in the list of the study, if it has a list.
    pub routing: Option<String>,
    /// Placement of ranks.
    pub mapping: String,
    /// Name of the table of collectives.
    pub collectives: String,
    /// Network model as named in the list of the study, if it has a list.
    pub model: Option<String>,
    /// `true` if messages are packets in that model.
    pub packets: bool,
    /// State of the networks, if the study has failures.
    pub failures: Option<Failed>,
}

impl Setting {
    /// Returns everything but the model.
    pub(super) fn without_model(&self) -> Self {
        Self { model: None, packets: false, ..self.clone() }
    }
}

/// Network in a setting: a column of the tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Description for reports.
    pub info: NetworkInfo,
    /// Name of the network, without its setting.
    pub network: String,
    /// Setting of the network.
    pub setting: Setting,
    /// Name of the setting, of the parts in which those of the study differ; empty if there is one setting.
    pub setting_name: String,
    /// Index of the baseline's column.
    pub baseline: usize,
    /// Seeds of its repetitions; if nothing is random one entry, which may be `None`.
    pub seeds: Vec<Option<u64>>,
    /// Changes of the network to the model of the study, in words; `None` if the network has no model of its own.
    pub model_changes: Option<String>,
    /// Cost, if the study has a budget and prices are known.
    pub cost: Option<NetworkCost>,
}

/// Position of a cell in the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellPosition {
    /// Number of the perturbation; 0 is the study as stated. Perturbations are followed by variations of assumptions,
    /// and those by flows and packets of a check.
    pub sample: usize,
    /// Index of the workload.
    pub workload: usize,
    /// Index of the column.
    pub column: usize,
    /// Index of the repetition.
    pub repetition: usize,
}

/// A study in words and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Heading of the report.
    pub title: String,
    /// Index of the first baseline column.
    pub baseline: usize,
    /// Columns, setting by setting.
    pub columns: Vec<Column>,
    /// Workloads of the study.
    pub workloads: Vec<WorkloadInfo>,
    /// Weight of each workload.
    pub weights: Vec<f64>,
    /// Placements of ranks in all settings.
    pub mapping: String,
    /// Description of the model; its table of collectives represents those of all settings.
    pub model: ModelDescription,
    /// Perturbations, if requested.
    pub perturbation: Option<Perturbation>,
    /// Assumptions that are changed one at a time, if requested.
    pub sensitivity: Option<Vec<Variation>>,
    /// Check against packets on some iterations, if requested.
    pub check: Option<SampleCheck>,
    /// Limits of price, power and cable, if the study has a budget or prices.
    pub budget: Option<Budget>,
    /// Price list, with the study's own cost of ownership.
    pub prices: PriceList,
    /// Networks that a model of the study does not support, and the reasons.
    pub not_modelled: Vec<String>,
}

impl Plan {
    /// Returns `true` if networks run with packets in one setting and with flows in another.
    pub fn has_packets_beside_flows(&self) -> bool {
        let has = |packets: bool| self.columns.iter().any(|column| column.setting.packets == packets);
        has(true) && has(false)
    }

    /// Returns the number of full passes over the study: as stated, and one per perturbation.
    pub fn passes(&self) -> usize {
        1 + self.perturbation.as_ref().map_or(0, |p| p.samples.len())
    }

    /// Returns the cells of one pass: workload by workload, column by column, repetition by repetition.
    pub fn places(&self, sample: usize) -> impl Iterator<Item = CellPosition> + '_ {
        (0..self.workloads.len()).flat_map(move |workload| {
            self.columns.iter().enumerate().flat_map(move |(column, c)| {
                (0..c.seeds.len()).map(move |repetition| CellPosition { sample, workload, column, repetition })
            })
        })
    }

    /// Returns the columns of each partial pass, each of which runs once: variations of assumptions, then flows and
    /// packets of a check.
    fn partial_passes(&self) -> impl Iterator<Item = &[usize]> {
        let varied = self.variations().iter().map(|variation| &variation.columns[..]);
        varied.chain(self.check.iter().flat_map(|check| check.columns.iter().map(|columns| &columns[..])))
    }

    /// Returns the cells of a partial pass, workload by workload.
    fn partial_places(&self, number: usize, columns: &[usize]) -> Vec<CellPosition> {
        let sample = self.passes() + number;
        let of_workload =
            |workload| columns.iter().map(move |&column| CellPosition { sample, workload, column, repetition: 0 });
        (0..self.workloads.len()).flat_map(of_workload).collect()
    }

    /// Returns `true` if a cell belongs to the check on some iterations.
    pub fn is_check(&self, place: CellPosition) -> bool {
        self.check.is_some() && place.sample >= self.passes() + self.variations().len()
    }

    /// Returns the part of its workload that a cell replays.
    pub fn replayed(&self, place: CellPosition) -> Cow<'_, WorkloadInfo> {
        let whole = &self.workloads[place.workload];
        let check = self.check.as_ref().filter(|_| self.is_check(place));
        match check.and_then(|check| check.parts[place.workload]) {
            None => Cow::Borrowed(whole),
            Some(part) => {
                let actions = part.actions;
                Cow::Owned(WorkloadInfo { actions, operations: None, formula: None, ..whole.clone() })
            }
        }
    }

    /// Returns the variations of assumptions.
    pub fn variations(&self) -> &[Variation] {
        self.sensitivity.as_deref().unwrap_or_default()
    }

    /// Returns all cells, pass by pass, partial passes last; this order defines their numbers.
    pub fn all_places(&self) -> Vec<CellPosition> {
        let passes = (0..self.passes()).flat_map(|sample| self.places(sample));
        let partial =
            self.partial_passes().enumerate().flat_map(|(number, columns)| self.partial_places(number, columns));
        passes.chain(partial).collect()
    }

    /// Returns the number of cells of variations of assumptions.
    pub(super) fn varied_cells(&self) -> usize {
        self.variations().iter().map(|variation| variation.columns.len() * self.workloads.len()).sum()
    }

    /// Returns the plan of the first setting alone, without repetitions, perturbations, variations and checks.
    pub fn first_setting(&self) -> Self {
        let of_first = self.columns.iter().take_while(|column| column.setting == self.columns[0].setting);
        let once = |column: &Column| Column { seeds: column.seeds[..1].to_vec(), ..column.clone() };
        let columns = of_first.map(once).collect();
        Self { columns, perturbation: None, sensitivity: None, check: None, ..self.clone() }
    }

    /// Returns the number of cells per pass.
    pub fn cells_of_a_pass(&self) -> usize {
        self.workloads.len() * self.columns.iter().map(|c| c.seeds.len()).sum::<usize>()
    }

    /// Returns the number of all cells.
    pub fn cells(&self) -> usize {
        let partial = self.partial_passes().map(|columns| columns.len() * self.workloads.len()).sum();
        self.passes().saturating_mul(self.cells_of_a_pass()).saturating_add(partial)
    }

    /// Returns the name of a cell in a results file.
    pub fn name(&self, cell: usize, place: CellPosition) -> CellName<'_> {
        let column = &self.columns[place.column];
        CellName {
            cell,
            workload: &self.workloads[place.workload].name,
            network: &column.info.name,
            seed: column.seeds[place.repetition],
            sample: place.sample,
        }
    }
}
