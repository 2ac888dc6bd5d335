//! What a study consists of, in words and numbers: its columns, workloads, repetitions and perturbations, and the cells
//! that follow from them. Reports are made of a plan and of records, so that merging needs no replay.

use super::assumptions::Variation;
use super::choice::ModelDescription;
use super::cross_check::has_packets;
use super::failures::Failed;
use super::network::NetworkInfo;
use super::perturb::Perturbation;
use super::procurement::{Budget, NetworkCost};
use super::record::CellName;
use super::sample::SampleCheck;
use super::workload::WorkloadInfo;
use crate::cost::PriceList;
use std::borrow::Cow;
use std::fmt;

/// What a network is compared under: everything that a study varies beside networks and workloads.
///
/// A network is compared with the baseline network in the same setting.
#[derive(Clone, PartialEq, Default)]
pub struct Setting {
    /// Name of the platform, where the study has several.
    pub platform: Option<String>,
    /// Routing rule, where the study has a list of them: as the list names it.
    pub routing: Option<String>,
    /// How ranks are placed.
    pub mapping: String,
    /// The table of collectives.
    pub collectives: String,
    /// The network model, where the study has a list of them: as the list names it.
    pub model: Option<String>,
    /// What failed, where the study has failures.
    pub failures: Option<Failed>,
}

impl fmt::Debug for Setting {
    /// Without failures, if there are none: fingerprints of studies that have none stay as they were.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Setting");
        text.field("platform", &self.platform).field("routing", &self.routing).field("mapping", &self.mapping);
        text.field("collectives", &self.collectives).field("model", &self.model);
        if let Some(failures) = &self.failures {
            text.field("failures", failures);
        }
        text.finish()
    }
}

/// A network in a setting: a column of the tables.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// How reports name and describe it.
    pub info: NetworkInfo,
    /// Name of the network, without its setting.
    pub network: String,
    /// Its setting.
    pub setting: Setting,
    /// Index of the column that it is compared with.
    pub baseline: usize,
    /// Seeds of its repetitions: one, and perhaps none at all, where nothing is random.
    pub seeds: Vec<Option<u64>>,
    /// What the network changes in the model of the study, in words; `None` where it has no model of its own.
    pub model_changes: Option<String>,
    /// What it costs, where the study has a budget and prices are known.
    pub cost: Option<NetworkCost>,
}

/// Place of a cell in the study.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the perturbation; 0 is the study as it stands. Behind the perturbations are the variations of
    /// assumptions, and behind them flows and packets of a check.
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
    /// The columns, setting by setting.
    pub columns: Vec<Column>,
    /// The workloads.
    pub workloads: Vec<WorkloadInfo>,
    /// A weight for each workload.
    pub weights: Vec<f64>,
    /// How ranks are placed, in all settings.
    pub mapping: String,
    /// How traces turn into time; its table of collectives stands for those of all settings.
    pub model: ModelDescription,
    /// The perturbations, if any are asked for.
    pub perturbation: Option<Perturbation>,
    /// Assumptions that are changed one at a time, if that is asked for.
    pub sensitivity: Option<Vec<Variation>>,
    /// The check against packets on some iterations, if that is asked for.
    pub check: Option<SampleCheck>,
    /// Limits of price, power and cable, if the study has a budget or prices.
    pub budget: Option<Budget>,
    /// Price list, with the study's own cost of ownership.
    pub prices: PriceList,
    /// Networks that a model of the study cannot have, and why.
    pub not_modelled: Vec<String>,
}

impl Plan {
    /// `true` if networks run with packets in one setting and with flows in another.
    pub fn has_packets_beside_flows(&self) -> bool {
        let has = |packets: bool| {
            let mut models = self.columns.iter().filter_map(|column| column.setting.model.as_deref());
            models.any(|model| has_packets(model) == packets)
        };
        has(true) && has(false)
    }

    /// Number of whole passes over the study: as it stands, and once for each perturbation.
    pub fn passes(&self) -> usize {
        1 + self.perturbation.as_ref().map_or(0, |p| p.samples.len())
    }

    /// The cells of one pass: workload by workload, column by column, repetition by repetition.
    pub fn places(&self, sample: usize) -> impl Iterator<Item = Place> + '_ {
        (0..self.workloads.len()).flat_map(move |workload| {
            self.columns.iter().enumerate().flat_map(move |(column, c)| {
                (0..c.seeds.len()).map(move |repetition| Place { sample, workload, column, repetition })
            })
        })
    }

    /// The columns of each pass over some of them, of which each runs once: variations of assumptions, then flows and packets
    /// of a check.
    fn partial_passes(&self) -> impl Iterator<Item = &[usize]> {
        let varied = self.variations().iter().map(|variation| &variation.columns[..]);
        varied.chain(self.check.iter().flat_map(|check| check.columns.iter().map(|columns| &columns[..])))
    }

    /// The cells of a pass over some columns: workload by workload.
    fn partial_places(&self, number: usize, columns: &[usize]) -> Vec<Place> {
        let sample = self.passes() + number;
        let of_workload =
            |workload| columns.iter().map(move |&column| Place { sample, workload, column, repetition: 0 });
        (0..self.workloads.len()).flat_map(of_workload).collect()
    }

    /// Whether a cell belongs to the check on some iterations.
    pub fn is_check(&self, place: Place) -> bool {
        self.check.is_some() && place.sample >= self.passes() + self.variations().len()
    }

    /// What a cell replays of its workload.
    pub fn replayed(&self, place: Place) -> Cow<'_, WorkloadInfo> {
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

    /// The variations of assumptions.
    pub fn variations(&self) -> &[Variation] {
        self.sensitivity.as_deref().unwrap_or_default()
    }

    /// All cells, pass by pass, those of some columns last: their order gives them their numbers.
    pub fn all_places(&self) -> Vec<Place> {
        let passes = (0..self.passes()).flat_map(|sample| self.places(sample));
        let partial =
            self.partial_passes().enumerate().flat_map(|(number, columns)| self.partial_places(number, columns));
        passes.chain(partial).collect()
    }

    /// Number of cells of variations of assumptions.
    pub(super) fn varied_cells(&self) -> usize {
        self.variations().iter().map(|variation| variation.columns.len() * self.workloads.len()).sum()
    }

    /// The plan of the first setting alone, without repetitions, perturbations, variations and checks.
    pub fn first_setting(&self) -> Self {
        let of_first = self.columns.iter().take_while(|column| column.setting == self.columns[0].setting);
        let once = |column: &Column| Column { seeds: column.seeds[..1].to_vec(), ..column.clone() };
        let columns = of_first.map(once).collect();
        Self { columns, perturbation: None, sensitivity: None, check: None, ..self.clone() }
    }

    /// Cells of one pass.
    pub fn cells_of_a_pass(&self) -> usize {
        self.workloads.len() * self.columns.iter().map(|c| c.seeds.len()).sum::<usize>()
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        let partial = self.partial_passes().map(|columns| columns.len() * self.workloads.len()).sum();
        self.passes().saturating_mul(self.cells_of_a_pass()).saturating_add(partial)
    }

    /// What a cell is called in a results file.
    pub fn name(&self, cell: usize, place: Place) -> CellName<'_> {
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
