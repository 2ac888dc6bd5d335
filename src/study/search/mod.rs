//! Search for networks: from many candidates, the Pareto front of speed, price and power.
//!
//! A search is a study whose networks are its own and all candidates, of which only some are replayed. Which ones is
//! decided in rounds, from the records of earlier rounds alone: a search that was interrupted takes the same decisions
//! again, and the number of threads has no part in them. Networks of the study run first, since the baseline is one of them. In each
//! later round,
//!
//! 1. candidates are excluded if a replayed network would dominate them even at the highest speed that they can have
//!    (`bound.rs`): they cannot be on the front;
//! 2. the next candidates are replayed, in the order of their estimates: layer by layer (`front::layers`), and spread over
//!    prices within a layer. The bound that takes most work (`bound::by_routes`) is computed for some of these alone.
//!
//! It ends when no candidate is left, or when the permitted number of them has been replayed; the others are not tried. Each
//! setting of the study has a front of its own, since networks are relative to the baseline of their setting.

mod bound;
pub(crate) mod front;

use super::built::Study;
use super::comparison::Comparison;
use super::mean;
use super::plan::{Column, Plan};
use super::procurement::{Budget, NetworkCost};
use super::record::CellRecord;
use super::statistics::Statistic;
pub use bound::Effort;
use bound::Expected;
use front::{Merits, layers, spread};
use std::collections::{BTreeMap, BTreeSet};

/// Fewest replays of a round, so that all cores are busy most of the time.
const FEWEST_OF_A_ROUND: usize = 64;

/// Fewest candidates of a round in each setting.
const FEWEST_CANDIDATES: usize = 4;

/// Part that a network has in a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    /// Its workloads were replayed.
    Replayed,
    /// It exceeds a limit of price, power or cable.
    OverLimit,
    /// Its price or its power is not known, so it has no place on a front.
    NoPrice,
    /// It cannot be on the front: the network of this column dominates it even at the highest speed it can have.
    Excluded {
        /// Column that dominates it.
        by: usize,
    },
    /// It was neither replayed nor excluded.
    NotTried,
}

/// Place of a network relative to the front.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// On the front.
    Front,
    /// Behind it, but within the intervals of the networks that dominate it.
    Perhaps,
    /// Behind it, or without a place.
    Behind,
}

/// A network of a search in one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Column of the study.
    pub column: usize,
    /// `true` for a candidate, `false` for a network of the study.
    pub is_candidate: bool,
    /// Cost of the network, if known.
    pub cost: Option<NetworkCost>,
    /// Estimate of the relative speed from messages and routes, by which candidates are ordered.
    pub estimate: Option<f64>,
    /// Highest relative speed that it can have; `None` if there is no bound.
    pub bound: Option<f64>,
    /// Part that it has in the search.
    pub fate: Fate,
    /// Measured relative speed: the weighted geometric mean over the workloads.
    pub speed: Option<Statistic>,
    /// Place relative to the front of its setting.
    pub standing: Standing,
}

/// A search of a study.
#[derive(Debug)]
pub struct Search<'a> {
    study: &'a Study,
    /// Columns of each setting.
    settings: Vec<Vec<usize>>,
    /// `true` for columns of candidates.
    is_candidate: Vec<bool>,
    costs: Vec<Option<NetworkCost>>,
    limits: Budget,
    /// Candidates that may be replayed in each setting.
    replays: usize,
    /// Cells of each column.
    cells: Vec<Vec<usize>>,
    expected: BTreeMap<(usize, usize, usize), Expected>,
    fates: Vec<Fate>,
    /// Candidates of each setting that wait for a decision, in the order in which they are replayed; empty until the first
    /// round is over.
    waiting: Vec<Vec<usize>>,
    /// `true` for candidates whose least times are also those of their own routes.
    is_bounded_by_routes: Vec<bool>,
    /// `true` once the networks of the study have been replayed.
    has_begun: bool,
}

impl<'a> Search<'a> {
    /// Creates a search in which the networks of these names are candidates, of which `replays` at most are replayed in each
    /// setting. Networks beyond the limits take no part. A search whose effort was stopped is of no use.
    pub fn new(
        study: &'a Study,
        candidates: &BTreeSet<String>,
        (limits, replays): (Budget, usize),
        effort: &Effort,
    ) -> Self {
        let columns = &study.plan.columns;
        let mut settings: Vec<Vec<usize>> = Vec::new();
        for (column, own) in columns.iter().enumerate() {
            match settings.iter_mut().find(|setting| columns[setting[0]].setting == own.setting) {
                Some(setting) => setting.push(column),
                None => settings.push(vec![column]),
            }
        }
        let is_candidate: Vec<bool> = columns.iter().map(|column| candidates.contains(&column.network)).collect();
        let costs: Vec<Option<NetworkCost>> = study.costs().collect();
        let mut cells = vec![Vec::new(); columns.len()];
        for (cell, place) in study.places.iter().enumerate().filter(|(_, place)| place.sample == 0) {
            cells[place.column].push(cell);
        }
        let fate = |column: usize| match (&costs[column], is_candidate[column]) {
            (_, false) => Fate::Replayed,
            (Some(cost), true) if merits(cost, 1.0).is_some() => match limits.allows(cost) {
                Some(true) => Fate::NotTried,
                Some(false) => Fate::OverLimit,
                None => Fate::NoPrice,
            },
            (_, true) => Fate::NoPrice,
        };
        let fates: Vec<Fate> = (0..columns.len()).map(fate).collect();
        let open: Vec<usize> = (0..columns.len()).filter(|&column| fates[column] == Fate::NotTried).collect();
        let expected = bound::expected(study, &open, effort);
        let waiting = vec![Vec::new(); settings.len()];
        Self {
            study,
            settings,
            is_candidate,
            costs,
            limits,
            replays,
            cells,
            expected,
            is_bounded_by_routes: vec![false; fates.len()],
            fates,
            waiting,
            has_begun: false,
        }
    }

    /// Returns as many cells as the search replays at most: those of the networks of the study, and of the permitted number of
    /// candidates.
    pub fn most_cells(&self) -> Vec<usize> {
        let of_setting = |setting: &Vec<usize>| {
            let own = setting.iter().filter(|&&column| !self.is_candidate[column]);
            let candidates = setting.iter().filter(|&&column| self.is_candidate[column] && self.takes_part(column));
            own.chain(candidates.take(self.replays)).flat_map(|&column| self.cells[column].clone()).collect::<Vec<_>>()
        };
        self.settings.iter().flat_map(of_setting).collect()
    }

    /// Returns `true` unless the column has left the search because of its price.
    fn takes_part(&self, column: usize) -> bool {
        !matches!(self.fates[column], Fate::OverLimit | Fate::NoPrice)
    }

    /// Returns the cells to replay next, given the records of all earlier ones, by cell; empty at the end of the search. Once
    /// the effort is stopped, they are without meaning.
    pub fn next_round(&mut self, records: &BTreeMap<usize, CellRecord>, effort: &Effort) -> Vec<usize> {
        loop {
            let cells: Vec<usize> = if self.has_begun {
                self.choose_bounded(records, effort)
            } else {
                (0..self.fates.len()).filter(|&column| !self.is_candidate[column]).collect()
            }
            .into_iter()
            .flat_map(|column| self.cells[column].iter().copied())
            .collect();
            if cells.is_empty() {
                return cells;
            }
            let missing: Vec<usize> = cells.into_iter().filter(|cell| !records.contains_key(cell)).collect();
            if !missing.is_empty() {
                return missing;
            }
            self.end_round(records);
        }
    }

    /// Ends a round, whose records are complete.
    fn end_round(&mut self, records: &BTreeMap<usize, CellRecord>) {
        if !self.has_begun {
            self.has_begun = true;
            for number in 0..self.settings.len() {
                self.waiting[number] = self.ordered(number, records);
            }
            return;
        }
        for column in self.choose() {
            self.fates[column] = Fate::Replayed;
        }
        for waiting in &mut self.waiting {
            waiting.retain(|&column| self.fates[column] == Fate::NotTried);
        }
    }

    /// Returns the candidates of a setting in the order in which they are replayed.
    fn ordered(&self, number: usize, records: &BTreeMap<usize, CellRecord>) -> Vec<usize> {
        let open: Vec<usize> =
            self.settings[number].iter().copied().filter(|&column| self.fates[column] == Fate::NotTried).collect();
        let of = |&column: &usize| {
            let speed = self.estimate(column, records).unwrap_or(1.0);
            self.costs[column].as_ref().and_then(|cost| merits(cost, speed)).expect("candidates that wait have a price")
        };
        let all: Vec<Merits> = open.iter().map(of).collect();
        let layers = layers(&all);
        let mut order = Vec::new();
        for layer in 0..=layers.iter().copied().max().unwrap_or(0) {
            let mut of_one: Vec<usize> = (0..open.len()).filter(|&at| layers[at] == layer).collect();
            of_one.sort_by(|&a, &b| all[a].price.total_cmp(&all[b].price).then(a.cmp(&b)));
            order.extend(spread(of_one.len()).into_iter().map(|at| open[of_one[at]]));
        }
        order
    }

    /// Returns the replayed networks of each setting with a place on a front.
    fn placed(&self, records: &BTreeMap<usize, CellRecord>) -> Vec<Vec<(usize, Merits)>> {
        let speeds = self.speeds(records);
        let place = |&column: &usize| {
            let cost = self.costs[column].filter(|cost| self.limits.allows(cost) == Some(true))?;
            Some((column, merits(&cost, speeds.get(&column)?.mean)?))
        };
        self.settings.iter().map(|setting| setting.iter().filter_map(place).collect()).collect()
    }

    /// Returns the first of some networks that dominates a candidate with this speed.
    fn better(&self, placed: &[(usize, Merits)], column: usize, speed: Option<f64>) -> Option<usize> {
        let own = merits(self.costs[column].as_ref()?, speed.filter(|speed| speed.is_finite())?)?;
        placed.iter().find(|(_, merits)| merits.dominates(&own)).map(|(by, _)| *by)
    }

    /// Excludes waiting candidates that a replayed network, one of those that are placed, dominates whatever their speed.
    fn exclude(&mut self, placed: &[Vec<(usize, Merits)>], records: &BTreeMap<usize, CellRecord>) {
        for (number, placed) in placed.iter().enumerate() {
            for column in std::mem::take(&mut self.waiting[number]) {
                match self.better(placed, column, self.bound(column, records)) {
                    Some(by) => self.fates[column] = Fate::Excluded { by },
                    None => self.waiting[number].push(column),
                }
            }
        }
    }

    /// Excludes candidates, and returns those of the next round. Of these, networks that would be dominated at their estimated
    /// speed get the bound by their own routes, which excludes most of them; for others it would hardly ever do so.
    fn choose_bounded(&mut self, records: &BTreeMap<usize, CellRecord>, effort: &Effort) -> Vec<usize> {
        let placed = self.placed(records);
        loop {
            self.exclude(&placed, records);
            let chosen = self.choose();
            let mut doubtful: Vec<usize> = Vec::new();
            for (setting, placed) in self.settings.iter().zip(&placed) {
                let is_new = |column: &&usize| chosen.contains(column) && !self.is_bounded_by_routes[**column];
                let is_doubtful =
                    |column: &&usize| self.better(placed, **column, self.estimate(**column, records)).is_some();
                doubtful.extend(setting.iter().filter(is_new).filter(is_doubtful));
            }
            if doubtful.is_empty() {
                return chosen;
            }
            for (cell, least) in bound::by_routes(self.study, &doubtful, &self.expected, effort) {
                let expected = self.expected.entry(cell).or_default();
                expected.least = expected.least.max(least);
            }
            doubtful.into_iter().for_each(|column| self.is_bounded_by_routes[column] = true);
        }
    }

    /// Returns the candidates of the next round, of those that wait.
    fn choose(&self) -> Vec<usize> {
        let mut chosen = Vec::new();
        for (setting, waiting) in self.settings.iter().zip(&self.waiting) {
            let replayed = setting
                .iter()
                .filter(|&&column| self.is_candidate[column] && self.fates[column] == Fate::Replayed)
                .count();
            let cells = waiting.iter().map(|&column| self.cells[column].len()).max().unwrap_or(1);
            let round = FEWEST_OF_A_ROUND.div_ceil(cells * self.settings.len()).max(FEWEST_CANDIDATES);
            chosen.extend(waiting.iter().copied().take(round.min(self.replays.saturating_sub(replayed))));
        }
        chosen
    }

    /// Returns the measured speeds of all replayed columns.
    fn speeds(&self, records: &BTreeMap<usize, CellRecord>) -> BTreeMap<usize, Statistic> {
        let (columns, comparison) = self.compare(records);
        columns.into_iter().zip(comparison.geometric).collect()
    }

    /// Returns the highest relative speed that a column can have; infinite if there is no bound.
    fn bound(&self, column: usize, records: &BTreeMap<usize, CellRecord>) -> Option<f64> {
        upper(self.study, &self.expected, &self.cells, column, records, &|expected| expected.least)
    }

    /// Returns the estimate of the relative speed of a column.
    fn estimate(&self, column: usize, records: &BTreeMap<usize, CellRecord>) -> Option<f64> {
        upper(self.study, &self.expected, &self.cells, column, records, &|expected| expected.estimate.unwrap_or(0.0))
            .filter(|speed| speed.is_finite())
    }

    /// Compares all replayed networks; the columns of the comparison, and the comparison.
    pub fn compare(&self, records: &BTreeMap<usize, CellRecord>) -> (Vec<usize>, Comparison) {
        let replayed: Vec<usize> =
            (0..self.fates.len()).filter(|&column| self.fates[column] == Fate::Replayed).collect();
        let all = &self.study.plan;
        let place = |column: usize| replayed.binary_search(&column).expect("networks of the study are replayed");
        let columns = replayed.iter().map(|&column| {
            let own = &all.columns[column];
            Column { baseline: place(own.baseline), cost: self.costs[column], ..own.clone() }
        });
        let columns: Vec<Column> = columns.collect();
        let plan = Plan {
            baseline: place(all.baseline),
            columns,
            perturbation: None,
            sensitivity: None,
            check: None,
            budget: Some(self.limits),
            ..all.clone()
        };
        let of = |cell: usize| {
            let record = records.get(&cell).expect("replayed networks have records");
            record.clone()
        };
        let places = self.study.places.iter().enumerate();
        let cells = places.filter(|(_, place)| place.sample == 0 && self.fates[place.column] == Fate::Replayed);
        let records: Vec<CellRecord> = cells.map(|(cell, _)| of(cell)).collect();
        (replayed, Comparison::new(&plan, &records))
    }

    /// Returns all networks of the search, in the order of the study's columns.
    pub fn entries(&self, records: &BTreeMap<usize, CellRecord>) -> Vec<Entry> {
        let speeds = self.speeds(records);
        let entry = |column: usize| Entry {
            column,
            is_candidate: self.is_candidate[column],
            cost: self.costs[column],
            estimate: self.estimate(column, records),
            bound: self.bound(column, records).filter(|bound| bound.is_finite()),
            fate: self.fates[column],
            speed: speeds.get(&column).copied(),
            standing: Standing::Behind,
        };
        let mut entries: Vec<Entry> = (0..self.fates.len()).map(entry).collect();
        for setting in &self.settings {
            let placed = setting.iter().filter_map(|&column| {
                let cost = entries[column].cost.filter(|cost| self.limits.allows(cost) == Some(true))?;
                let speed = entries[column].speed?;
                let [low, high] = speed.ends();
                Some((column, merits(&cost, speed.mean)?, merits(&cost, low)?, merits(&cost, high)?))
            });
            let placed: Vec<(usize, Merits, Merits, Merits)> = placed.collect();
            for (column, mean, _, high) in &placed {
                let is_behind = placed.iter().any(|(_, other, ..)| other.dominates(mean));
                let is_surely_behind =
                    placed.iter().any(|(_, other, low, _)| other.dominates(mean) && low.dominates(high));
                entries[*column].standing = match (is_behind, is_surely_behind) {
                    (false, _) => Standing::Front,
                    (true, false) => Standing::Perhaps,
                    (true, true) => Standing::Behind,
                };
            }
        }
        entries
    }

    /// Returns the limits of the search.
    pub fn limits(&self) -> &Budget {
        &self.limits
    }

    /// Returns the study of the search.
    pub fn study(&self) -> &'a Study {
        self.study
    }
}

/// Returns the merits of a network with this cost, if its price and its power are known.
fn merits(cost: &NetworkCost, speed: f64) -> Option<Merits> {
    Some(Merits { speed, price: cost.dollars?, watts: cost.watts? })
}

/// Returns the relative speed that a column has with expected times, the mean over repetitions as in [`super::matrix`]:
/// infinite if one of them is 0, `None` if the baseline has no records.
fn upper(
    study: &Study,
    expected: &BTreeMap<(usize, usize, usize), Expected>,
    cells: &[Vec<usize>],
    column: usize,
    records: &BTreeMap<usize, CellRecord>,
    time: &dyn Fn(&Expected) -> f64,
) -> Option<f64> {
    let plan = &study.plan;
    let baseline = plan.columns[column].baseline;
    let workloads = plan.workloads.len();
    let [own, of_baseline] = [column, baseline].map(|c| plan.columns[c].seeds.len());
    let pairs = own.max(of_baseline);
    let repetition = |k: usize, of: usize| if of == 1 { 0 } else { k };
    let mut sum = 0.0;
    for k in 0..pairs {
        let ratios = (0..workloads).map(|w| {
            // Cells of a column are in the order of workloads, then of repetitions.
            let cell = cells[baseline][w * of_baseline + repetition(k, of_baseline)];
            let reference = records.get(&cell)?.simulated_seconds;
            let seconds = expected.get(&(column, repetition(k, own), w)).map_or(0.0, time);
            Some(if seconds > 0.0 { reference / seconds } else { f64::INFINITY })
        });
        sum += mean::geometric(&ratios.collect::<Option<Vec<f64>>>()?, &plan.weights)?;
    }
    Some(sum / pairs as f64)
}
