//! The runs of a sweep on all cores: those that are missing, those of a shard, until they are stopped.

use super::PacketError;
use super::destinations::Destinations;
use super::outline::Outline;
use super::points::{Names, Origin, PointRecord, Points, Purpose, RunFailure, RunId, RunResult};
use super::run::Outcome;
use super::runs::Runs;
use super::series::Series;
use super::sweep::{Prepared, Sweep};
use super::wiring::Wiring;
use crate::ledger::{LedgerError, Shard};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Sweep whose networks are built.
pub struct Work {
    sweep: Sweep,
    runs: Runs,
    prepared: Vec<Prepared>,
    /// Number of each series in results files, from 0, and its names there.
    numbers: Vec<(usize, Names)>,
    /// Number of all series in results files.
    of: usize,
}

/// New results of a search.
type Searched = Vec<(RunId, RunResult)>;

/// Part of a sweep to run, and receivers of its results.
pub struct Part<'a> {
    /// Results that are known.
    pub known: &'a Points,
    /// Shard to which runs must belong.
    pub shard: Shard,
    /// Number of pieces of other work that is dealt out before.
    pub first_piece: usize,
    /// Receives each new result as soon as it is there, from any thread.
    pub keep: &'a (dyn Fn(&PointRecord) -> Result<(), LedgerError> + Sync),
    /// Called after each run, from any thread, with a description of it.
    pub done: &'a (dyn Fn(&str) + Sync),
    /// Once it is `true`, no further run begins.
    pub stop: &'a AtomicBool,
}

impl Work {
    /// Builds the networks of a sweep, and checks that routings and patterns fit them.
    ///
    /// # Errors
    /// [`PacketError`].
    pub fn new(sweep: Sweep) -> Result<Self, PacketError> {
        let prepared = sweep.prepare()?;
        let of = prepared.len();
        let names = prepared.iter().map(|prepared| {
            let Series { topology, routing, pattern, .. } = &prepared.series;
            Names { network: topology.clone(), routing: routing.clone(), pattern: pattern.clone() }
        });
        Ok(Self { runs: sweep.conditions.runs(), numbers: names.enumerate().collect(), of, prepared, sweep })
    }

    /// Sets the numbers of the series in results files, from 0, and their names there. `of` is the number of all.
    #[must_use]
    pub fn numbered(self, numbers: Vec<(usize, Names)>, of: usize) -> Self {
        assert_eq!(numbers.len(), self.prepared.len(), "a number for each series");
        Self { numbers, of, ..self }
    }

    /// Returns the settings on which the results depend.
    pub fn outline(&self) -> Outline {
        let networks = self.sweep.topologies.iter().map(|topology| topology.name()).collect();
        Outline::of(&self.sweep, networks)
    }

    /// Returns the series, without results.
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.prepared.iter().map(|prepared| &prepared.series)
    }

    /// Returns the names of the series in results files.
    pub fn names(&self) -> impl Iterator<Item = &Names> {
        self.numbers.iter().map(|(_, names)| names)
    }

    /// Returns switches and cables of each series, and destinations of its packets.
    pub(super) fn networks(&self) -> impl Iterator<Item = (&Arc<Wiring>, &Arc<Destinations>)> {
        self.prepared.iter().map(|prepared| (prepared.network.wiring(), &prepared.to))
    }

    /// Returns the number of pieces into which the runs can be divided.
    pub fn pieces(&self) -> usize {
        self.runs.pieces(self.of)
    }

    /// Returns an estimate of the number of runs that are missing of a shard.
    pub fn expected(&self, known: &Points, shard: Shard, first_piece: usize) -> usize {
        let own =
            |(number, _): &(usize, Names)| self.runs.expected(*number, known, |id| self.is_in(shard, first_piece, id));
        self.numbers.iter().map(own).sum()
    }

    /// Returns `true` if a run belongs to a shard.
    fn is_in(&self, shard: Shard, first_piece: usize, id: &RunId) -> bool {
        self.runs.piece(self.of, id).is_some_and(|piece| shard.has(first_piece + piece))
    }

    /// Returns the series with the results of all runs, and the runs that are missing.
    ///
    /// # Errors
    /// The failure of the first run that failed, in the order of series, if all runs of the curves are there.
    pub fn assembled(&self, points: &Points) -> Result<(Vec<Series>, Vec<RunId>), PacketError> {
        let mut series: Vec<Series> = self.series().cloned().collect();
        let own = self.numbers.iter().map(|(number, _)| *number).zip(&mut series);
        let missing = self.runs.assemble_all(own, points)?;
        Ok((series, missing))
    }

    /// Returns a run of a complete search that the search does not come to, with its origin.
    pub fn superfluous(&self, series: &[Series], points: &Points) -> Option<(RunId, Origin)> {
        let own = self.numbers.iter().zip(series);
        let (id, origin) =
            own.into_iter().find_map(|((number, _), series)| self.runs.superfluous(*number, series, points))?;
        Some((id, origin?))
    }

    /// Runs what is missing of a part, and returns all results of these series that are known then. `None` if it was stopped.
    ///
    /// # Errors
    /// An error of `keep`, after which no further run begins. Runs that fail are results.
    pub fn run(&self, part: &Part<'_>) -> Result<Option<Points>, PacketError> {
        let is_ours = |id: &RunId| self.is_in(part.shard, part.first_piece, id);
        let cells: Vec<(usize, RunId)> = (0..self.prepared.len())
            .flat_map(|place| self.runs.curve(self.numbers[place].0).map(move |id| (place, id)))
            .filter(|(_, id)| is_ours(id) && part.known.get(id).is_none())
            .collect();
        // A single run uses all cores; several use one each.
        let threads = if cells.len() == 1 && !self.runs.saturation { rayon::current_num_threads() } else { 1 };
        let broken = AtomicBool::new(false);
        let one = |place: usize, id: RunId, threads: usize| -> Result<Option<RunResult>, PacketError> {
            if part.stop.load(Ordering::Relaxed) || broken.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let result = self.result(place, &id, threads).and_then(|result| {
                let names = &self.numbers[place].1;
                (part.keep)(&PointRecord::new(names, &id, &result))?;
                (part.done)(&names.describe(&id));
                Ok(result)
            });
            result.map(Some).inspect_err(|_| broken.store(true, Ordering::Relaxed))
        };
        // Long runs first would balance better, but in this order results of short ones are available sooner.
        let results: Vec<Result<Option<RunResult>, PacketError>> =
            cells.par_iter().with_max_len(1).map(|&(place, id)| one(place, id, threads)).collect();
        let numbers: Vec<usize> = self.numbers.iter().map(|(number, _)| *number).collect();
        let mut points = part.known.of(&numbers);
        let mut is_stopped = false;
        for ((_, id), result) in cells.into_iter().zip(results) {
            match result? {
                Some(result) => add(&mut points, id, result),
                None => is_stopped = true,
            }
        }
        if is_stopped {
            return Ok(None);
        }
        if part.shard == Shard::WHOLE && points.has_failures() {
            // There will be an error, and no report.
            return Ok(Some(points));
        }
        let searches: Vec<usize> = (0..self.prepared.len())
            .filter(|&place| is_ours(&RunId::new(self.numbers[place].0, Purpose::FullLoad, 1.0, self.runs.seeds[0])))
            .collect();
        let search = |&place: &usize| self.search(place, &points, &|id| one(place, id, 1));
        let found: Vec<Result<Option<Searched>, PacketError>> =
            searches.par_iter().with_max_len(1).map(search).collect();
        for found in found {
            let Some(new) = found? else { return Ok(None) };
            new.into_iter().for_each(|(id, result)| add(&mut points, id, result));
        }
        Ok(Some(points))
    }

    /// Searches for the saturation of a series, and returns the new results. `None` if it was stopped. A series with a run
    /// that failed has no saturation.
    fn search(
        &self,
        place: usize,
        points: &Points,
        run: &dyn Fn(RunId) -> Result<Option<RunResult>, PacketError>,
    ) -> Result<Option<Searched>, PacketError> {
        let number = self.numbers[place].0;
        // In latency mode all of these are there, since they are of the same piece.
        let own = self.runs.curve(number).filter(|id| id.seed == self.runs.seeds[0]);
        let curve: Result<Vec<Outcome>, &RunFailure> =
            own.filter_map(|id| points.get(&id)).map(|result| result.as_ref().cloned()).collect();
        let mut new = Vec::new();
        let Ok(curve) = curve else { return Ok(Some(new)) };
        let mut failed = false;
        let found = self.runs.search(number, &curve, &mut |id| {
            let result = match points.get(&id) {
                Some(result) => result.clone(),
                None => {
                    let Some(result) = run(id)? else { return Ok(None) };
                    new.push((id, result.clone()));
                    result
                }
            };
            failed = result.is_err();
            Ok(result.ok())
        })?;
        Ok((found.is_some() || failed).then_some(new))
    }

    /// Runs one run.
    fn result(&self, place: usize, id: &RunId, threads: usize) -> Result<RunResult, PacketError> {
        let mode = self.runs.mode_of(id.purpose);
        let Prepared { network, to, .. } = &self.prepared[place];
        RunFailure::separate(network.run(&self.sweep.trial(to, id.load(), id.seed, mode, threads)))
    }
}

fn add(points: &mut Points, id: RunId, result: RunResult) {
    points.add(id, result, None).expect("only missing runs were run");
}
