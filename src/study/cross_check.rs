//! Checks of flows against packets: the conclusions of a study may differ if messages are packets.
//!
//! Two settings that differ only in the network model are compared, one with flows and one with packets. The question
//! of a buyer is not how much the times differ but whether the order of the networks is the same.

use super::comparison::Comparison;
use super::matrix::{Cell, Matrix};
use super::mean::APART;
use super::passes::SampleCheck;
use super::plan::{Plan, Setting};
use super::record::CellRecord;
use super::statistics::{Statistic, is_change_open};

/// A network under both models.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedNetwork {
    /// Column with flows.
    pub flows: usize,
    /// Column with packets; `None` if the packet model does not support the network.
    pub packets: Option<usize>,
}

/// A workload on a network under both models.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossCheckCell {
    /// Index of the workload.
    pub workload: usize,
    /// Index in [`CrossCheck::networks`].
    pub network: usize,
    /// Simulated seconds with flows and with packets.
    pub seconds: [Statistic; 2],
    /// Relative performance with flows and with packets.
    pub relative: [Statistic; 2],
    /// Relative performance of the whole run with flows, if `seconds` and `relative` are of a part of it.
    pub whole: Option<Statistic>,
    /// Cables between switches that are among the busiest with both models, with the seconds for which each carried
    /// messages, largest difference first.
    pub cables: Vec<(String, [f64; 2])>,
    /// Messages that ranks waited for, by size, with both models.
    pub sizes: Vec<SizeClass>,
}

/// Messages of a range of sizes under both models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeClass {
    /// Largest size of the class in bytes; the class begins above half of it.
    pub up_to: u64,
    /// Number of messages that ranks waited for, with flows and with packets.
    pub messages: [u64; 2],
    /// Mean seconds from start to arrival.
    pub seconds: [f64; 2],
}

/// Two networks whose order differs between the models.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// Index of the workload; `None` for the geometric mean of all.
    pub workload: Option<usize>,
    /// Index of the network that is faster with flows.
    pub ahead: usize,
    /// Index of the network that is faster with packets.
    pub behind: usize,
    /// Speedup of the first over the second, with flows and with packets.
    pub lead: [f64; 2],
}

/// Two networks of which the intervals of extrapolated times leave open whether their order differs between the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenPair {
    /// Index of the workload; `None` for the geometric mean of all.
    pub workload: Option<usize>,
    /// Indices of the networks.
    pub networks: [usize; 2],
}

/// Comparison of a setting with flows and the same setting with packets.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossCheck {
    /// Setting of the flows.
    pub setting: Setting,
    /// Names of the two models.
    pub models: [String; 2],
    /// Networks, in the order of the study.
    pub networks: Vec<CheckedNetwork>,
    /// Cells of the networks that both models support, workload by workload.
    pub cells: Vec<CrossCheckCell>,
    /// Pairs of networks with opposite order in the two models, each by more than 1 %.
    pub flips: Vec<Flip>,
    /// Pairs of networks whose order may or may not differ.
    pub open: Vec<OpenPair>,
    /// Replayed iterations; `None` for whole runs.
    pub sample: Option<Sample>,
}

/// Iterations that represent whole runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Number of iterations that were replayed.
    pub iterations: usize,
    /// Number of all iterations of each workload; `None` if its whole run was replayed.
    pub of: Vec<Option<usize>>,
}

impl CrossCheck {
    /// Returns `true` if the order by the geometric mean is the same with both models.
    pub fn order_holds(&self) -> bool {
        self.flips.iter().all(|flip| flip.workload.is_some())
    }

    /// Returns the smallest and largest ratio of times, packets over flows.
    pub fn range(&self) -> Option<(f64, f64)> {
        let ratios = self.cells.iter().map(|cell| cell.ratio().mean);
        ratios.map(|ratio| (ratio, ratio)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }
}

impl CrossCheckCell {
    /// Returns the time with packets over the time with flows.
    pub fn ratio(&self) -> Statistic {
        let width = self.seconds[0].relative_extrapolated() + self.seconds[1].relative_extrapolated();
        Statistic::estimate(super::matrix::ratio(self.seconds[1].mean, self.seconds[0].mean), width)
    }
}

/// Returns a comparison for each pair of settings that differ only in the model, one of them with packets, followed by
/// the check on some iterations.
pub fn of(c: &Comparison) -> Vec<CrossCheck> {
    let settings = c.of_settings();
    let model = |columns: &[usize]| c.settings[columns[0]].model.clone();
    let without = |columns: &[usize]| c.settings[columns[0]].without_model();
    let has_packets = |columns: &[usize]| c.settings[columns[0]].packets;
    let mut found = Vec::new();
    for packets in &settings {
        let Some(packet_model) = model(packets).filter(|_| has_packets(packets)) else { continue };
        for flows in &settings {
            let Some(flow_model) = model(flows).filter(|_| !has_packets(flows)) else { continue };
            if without(flows) == without(packets) {
                found.push(pair(c, [flow_model, packet_model.clone()], flows, packets));
            }
        }
    }
    found.extend(c.check.clone());
    found
}

fn pair(c: &Comparison, models: [String; 2], flows: &[usize], packets: &[usize]) -> CrossCheck {
    let networks: Vec<CheckedNetwork> =
        flows.iter().map(|&flows| CheckedNetwork { flows, packets: c.counterpart(flows, packets) }).collect();
    let both = Both {
        cell: &|_, workload, column| c.cell(workload, column),
        mean: &|_, column| (c.geometric[column].mean, c.widths[column]),
        whole: &|_, _| None,
    };
    let (cells, flips, open) = both.compare(c.workloads.len(), &networks);
    CrossCheck { setting: c.settings[flows[0]].clone(), models, networks, cells, flips, open, sample: None }
}

/// Returns the check on some iterations. `records` are its replays with flows, then those with packets; `stated` has
/// the whole runs.
pub(super) fn of_sample(plan: &Plan, check: &SampleCheck, stated: &Matrix, records: &[CellRecord]) -> CrossCheck {
    let first = plan.first_setting();
    let (workloads, columns) = (first.workloads.len(), first.columns.len());
    let (flows, packets) = records.split_at(workloads * columns);
    // Columns without packets keep their record with flows, which is not part of any pair.
    let mut mixed = flows.to_vec();
    let places = (0..workloads).flat_map(|w| check.columns[1].iter().map(move |column| w * columns + column));
    places.zip(packets).for_each(|(place, record)| mixed[place] = record.clone());
    let matrices = [Matrix::new(&first, flows), Matrix::new(&first, &mixed)];
    let network = |flows| CheckedNetwork { flows, packets: check.columns[1].contains(&flows).then_some(flows) };
    let networks: Vec<CheckedNetwork> = (0..columns).map(network).collect();
    let both = Both {
        cell: &|model, workload, column| matrices[model].cell(workload, column),
        mean: &|model, column| (matrices[model].geometric[column].mean, matrices[model].widths[column]),
        whole: &|workload, column| Some(stated.cell(workload, column).ratio.without_repetitions()),
    };
    let (cells, flips, open) = both.compare(workloads, &networks);
    CrossCheck {
        setting: first.columns[0].setting.clone(),
        models: check.models.clone(),
        networks,
        cells,
        flips,
        open,
        sample: Some(Sample {
            iterations: check.iterations,
            of: check.parts.iter().map(|part| part.map(|part| part.of)).collect(),
        }),
    }
}

/// Results with two models: 0 is flows, 1 is packets.
struct Both<'a> {
    /// Result of a workload in a column.
    cell: &'a dyn Fn(usize, usize, usize) -> &'a Cell,
    /// Geometric mean of a column, and half of the interval of its times relative to them.
    mean: &'a dyn Fn(usize, usize) -> (f64, f64),
    /// Relative performance of the whole run of a workload in a column with flows, if the models replay a part of it.
    whole: &'a dyn Fn(usize, usize) -> Option<Statistic>,
}

impl Both<'_> {
    /// Returns the networks that both models support, workload by workload, the pairs of networks whose order differs, and those
    /// of which that is open.
    fn compare(
        &self,
        workloads: usize,
        networks: &[CheckedNetwork],
    ) -> (Vec<CrossCheckCell>, Vec<Flip>, Vec<OpenPair>) {
        let both: Vec<(usize, [usize; 2])> = networks
            .iter()
            .enumerate()
            .filter_map(|(number, network)| Some((number, [network.flows, network.packets?])))
            .collect();
        let cell = |workload: usize, (network, columns): (usize, [usize; 2])| {
            let cells = [0, 1].map(|model| (self.cell)(model, workload, columns[model]));
            CrossCheckCell {
                workload,
                network,
                seconds: cells.map(|cell| cell.time.without_repetitions()),
                relative: cells.map(|cell| cell.ratio.without_repetitions()),
                whole: (self.whole)(workload, columns[0]),
                cables: cables(cells),
                sizes: sizes(cells),
            }
        };
        let cells = (0..workloads).flat_map(|w| both.iter().map(move |&pair| cell(w, pair))).collect();
        let (mut flips, mut open) = (Vec::new(), Vec::new());
        let mut compare = |workload: Option<usize>, value: &dyn Fn(usize, usize) -> (f64, f64)| {
            for (at, &(a, of_a)) in both.iter().enumerate() {
                for &(b, of_b) in &both[at + 1..] {
                    let values = [0, 1].map(|model| (value(model, of_a[model]), value(model, of_b[model])));
                    let lead = values.map(|(a, b)| a.0 / b.0);
                    let apart = lead.iter().all(|lead| lead.max(1.0 / lead) > 1.0 + APART);
                    if apart && (lead[0] > 1.0) != (lead[1] > 1.0) {
                        flips.push(match lead[0] > 1.0 {
                            true => Flip { workload, ahead: a, behind: b, lead },
                            false => Flip { workload, ahead: b, behind: a, lead: lead.map(|lead| 1.0 / lead) },
                        });
                    }
                    let widths = values.map(|(a, b)| a.1 + b.1);
                    if is_change_open(&[0, 1].map(|model| (lead[model], widths[model])), 1.0 + APART) {
                        open.push(OpenPair { workload, networks: [a, b] });
                    }
                }
            }
        };
        compare(None, self.mean);
        for w in 0..workloads {
            compare(Some(w), &|model, column| {
                let cell = (self.cell)(model, w, column);
                (cell.relative, cell.time.relative_extrapolated())
            });
        }
        (cells, flips, open)
    }
}

/// Returns the cables that are among the busiest with both models.
fn cables(cells: [&Cell; 2]) -> Vec<(String, [f64; 2])> {
    let [flows, packets] = cells.map(|cell| &cell.explanation.busiest_links);
    let mut all: Vec<(String, [f64; 2])> = flows
        .iter()
        .filter(|link| !link.of_host)
        .filter_map(|link| {
            let other = packets.iter().find(|other| other.link == link.link)?;
            let busy = [link.utilisation * cells[0].simulated_seconds, other.utilisation * cells[1].simulated_seconds];
            Some((link.link.clone(), busy))
        })
        .collect();
    all.sort_by(|a, b| (b.1[1] - b.1[0]).abs().total_cmp(&(a.1[1] - a.1[0]).abs()).then(a.0.cmp(&b.0)));
    all
}

/// Returns the sizes of messages that ranks waited for with either model.
fn sizes(cells: [&Cell; 2]) -> Vec<SizeClass> {
    let lists = cells.map(|cell| cell.explanation.awaited_sizes.as_deref().unwrap_or_default());
    let mut all: Vec<u64> = lists.iter().flat_map(|list| list.iter().map(|class| class.up_to)).collect();
    all.sort_unstable();
    all.dedup();
    let class = |up_to: u64| {
        let of = lists.map(|list| list.iter().find(|class| class.up_to == up_to).copied().unwrap_or_default());
        SizeClass { up_to, messages: of.map(|class| class.messages), seconds: of.map(|class| class.mean_seconds) }
    };
    all.into_iter().map(class).collect()
}
