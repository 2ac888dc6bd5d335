//! Runs of a sweep: the points of each curve, and the search for its saturation; and the pieces that shards take.

use super::error::PacketError;
use super::points::{Origin, Points, Purpose, RunId, RunResult};
use super::run::{Mode, Outcome};
use super::series::Series;

/// Largest distance between the loads that enclose saturation.
const RESOLUTION: f64 = 0.01;
/// Estimate of the number of runs of a search for saturation.
const SEARCH: usize = 10;

/// Runs of each series of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct Runs {
    /// Offered loads, in ascending order.
    pub loads: Vec<f64>,
    /// Seeds of hosts and routing.
    pub seeds: Vec<u64>,
    /// Condition for the end of a run of the curve.
    pub mode: Mode,
    /// `true` to find the saturation of each series, and the accepted traffic at full load.
    pub saturation: bool,
}

/// Result of a step that needs runs which may be missing.
type Step<T> = Result<Option<T>, PacketError>;

/// Saturation, if any load is carried, and the accepted traffic at full load.
type Found = (Option<f64>, f64);

impl Runs {
    /// Returns the condition for the end of a run.
    pub(super) fn mode_of(&self, purpose: Purpose) -> Mode {
        match purpose {
            Purpose::Curve => self.mode,
            Purpose::FullLoad => Mode::Throughput,
            Purpose::Search => Mode::Latency,
        }
    }

    /// Returns the runs of the curve of a series, by load and then by seed.
    pub fn curve(&self, series: usize) -> impl Iterator<Item = RunId> {
        let of_load =
            move |&load: &f64| self.seeds.iter().map(move |&seed| RunId::new(series, Purpose::Curve, load, seed));
        self.loads.iter().flat_map(of_load)
    }

    /// Bisects between loads that are carried and loads that are not, after the run at full load. `get` returns the
    /// result of a run; `None` ends the search without a result. `curve` are the runs of the curve of the series.
    ///
    /// # Errors
    /// Those of `get`.
    pub(super) fn search(
        &self,
        series: usize,
        curve: &[Outcome],
        get: &mut dyn FnMut(RunId) -> Step<Outcome>,
    ) -> Step<Found> {
        let seed = self.seeds[0];
        let Some(full) = get(RunId::new(series, Purpose::FullLoad, 1.0, seed))? else { return Ok(None) };
        let full = full.accepted;
        let mut is_saturated = |load: f64| {
            Ok::<_, PacketError>(get(RunId::new(series, Purpose::Search, load, seed))?.map(|run| run.saturated))
        };
        let (mut carried, mut not) = (0.0, 1.0);
        if self.mode == Mode::Latency {
            for point in curve.iter().filter(|point| point.seed == seed) {
                if point.saturated {
                    not = point.load.min(not);
                } else if point.load < not {
                    carried = point.load.max(carried);
                }
            }
        }
        if not == 1.0 && carried < 1.0 {
            match is_saturated(1.0)? {
                None => return Ok(None),
                Some(false) => return Ok(Some((Some(1.0), full))),
                Some(true) => {}
            }
        }
        while not - carried > RESOLUTION * not.max(0.1) {
            let middle = (carried + not) / 2.0;
            match is_saturated(middle)? {
                None => return Ok(None),
                Some(true) => not = middle,
                Some(false) => carried = middle,
            }
        }
        Ok(Some(((carried > 0.0).then_some(carried), full)))
    }

    /// Adds the results of all runs to a series that has none. Returns the runs that are missing; those of a search are
    /// found one at a time.
    ///
    /// # Errors
    /// That of the first run that failed, once all runs of the curve are there.
    fn assemble(&self, number: usize, series: &mut Series, points: &Points) -> Result<Vec<RunId>, PacketError> {
        let missing: Vec<RunId> = self.curve(number).filter(|id| points.get(id).is_none()).collect();
        if !missing.is_empty() {
            return Ok(missing);
        }
        series.points = self.curve(number).filter_map(|id| points.get(&id)).map(known).collect::<Result<_, _>>()?;
        if !self.saturation {
            return Ok(Vec::new());
        }
        let mut missing = Vec::new();
        let found = self.search(number, &series.points, &mut |id| {
            let result = points.get(&id).map(known).transpose()?;
            if result.is_none() {
                missing.push(id);
            }
            Ok(result)
        })?;
        if let Some((saturation, full)) = found {
            series.saturation = saturation;
            series.accepted_at_full_load = Some(full);
        }
        Ok(missing)
    }

    /// Adds the results of all runs to series that have none, each with its number, and returns the runs that are missing.
    ///
    /// # Errors
    /// The failure of the first run that failed, in the order of series, if all runs of the curves are there.
    pub fn assemble_all<'a>(
        &self,
        series: impl IntoIterator<Item = (usize, &'a mut Series)>,
        points: &Points,
    ) -> Result<Vec<RunId>, PacketError> {
        let (mut missing, mut failure) = (Vec::new(), None);
        for (number, own) in series {
            match self.assemble(number, own, points) {
                Ok(more) => missing.extend(more),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        match failure {
            // With a failure there is no search.
            Some(error) if missing.iter().all(|id: &RunId| id.purpose != Purpose::Curve) => Err(error),
            _ => Ok(missing),
        }
    }

    /// Returns a run in a file that the complete search does not come to, with its origin.
    pub fn superfluous(&self, number: usize, series: &Series, points: &Points) -> Option<(RunId, Option<Origin>)> {
        let mut reached = Vec::new();
        if self.saturation {
            // The search of a complete series fails at the same run as before.
            let _ = self.search(number, &series.points, &mut |id| {
                reached.push(id);
                points.get(&id).map(known).transpose()
            });
        }
        let mut of_files = points.searched(number).filter(|(_, origin)| origin.is_some());
        of_files.find(|(id, _)| !reached.contains(id)).map(|(id, origin)| (*id, origin))
    }

    /// Returns the number of the load and of the seed of a run of the curve, if it has such a run.
    fn place(&self, id: &RunId) -> Option<(usize, usize)> {
        let load = self.loads.binary_search_by(|load| load.total_cmp(&id.load())).ok()?;
        Some((load, self.seeds.iter().position(|&seed| seed == id.seed)?))
    }

    /// Returns the number of the piece of work to which a run belongs, from 0, in a sweep of `series` series; `None` if the
    /// sweep has no such run.
    ///
    /// The search of a series is one piece with the curve of the first seed, from which it starts. Pieces with searches
    /// come first: they are the largest, and shards get the same number of them.
    pub fn piece(&self, series: usize, id: &RunId) -> Option<usize> {
        if id.series >= series {
            return None;
        }
        let searches = if self.saturation { series } else { 0 };
        let chained = usize::from(self.saturation && self.mode == Mode::Latency);
        if id.purpose != Purpose::Curve {
            let load = id.load();
            let at_full = id.purpose == Purpose::Search || load == 1.0;
            let is_there = self.saturation && id.seed == self.seeds[0] && load > 0.0 && load <= 1.0 && at_full;
            return is_there.then_some(id.series);
        }
        let (load, seed) = self.place(id)?;
        if seed < chained {
            return Some(id.series);
        }
        Some(searches + (id.series * self.loads.len() + load) * (self.seeds.len() - chained) + seed - chained)
    }

    /// Returns the number of pieces of work of a number of series.
    pub fn pieces(&self, series: usize) -> usize {
        let chained = usize::from(self.saturation && self.mode == Mode::Latency);
        series * (usize::from(self.saturation) + self.loads.len() * (self.seeds.len() - chained))
    }

    /// Returns an estimate of the number of runs of a series, without those that are known: a search takes about ten.
    pub fn expected(&self, number: usize, points: &Points, is_ours: impl Fn(&RunId) -> bool) -> usize {
        let curve = self.curve(number).filter(|id| is_ours(id) && points.get(id).is_none()).count();
        let full = RunId::new(number, Purpose::FullLoad, 1.0, self.seeds[0]);
        if !self.saturation || !is_ours(&full) {
            return curve;
        }
        let results: Option<Vec<Outcome>> = self.curve(number).map(|id| points.get(&id).cloned()?.ok()).collect();
        let is_done = results.is_some_and(|curve| {
            let mut get = |id: RunId| points.get(&id).map(known).transpose();
            matches!(self.search(number, &curve, &mut get), Ok(Some(_)))
        });
        if is_done {
            return curve;
        }
        curve + SEARCH.saturating_sub(points.searched(number).count()).max(1)
    }
}

fn known(result: &RunResult) -> Result<Outcome, PacketError> {
    Ok(result.clone()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Series of the sweep.
    const SERIES: usize = 3;

    fn all() -> Vec<Runs> {
        let mut all = Vec::new();
        for mode in [Mode::Latency, Mode::Throughput] {
            for saturation in [false, true] {
                for seeds in [vec![7], vec![u64::MAX, 0, 1]] {
                    all.push(Runs { loads: vec![0.0, 0.1, 0.5, 1.0], seeds, mode, saturation });
                }
            }
        }
        all
    }

    #[test]
    fn pieces_have_all_runs_and_are_numbered_without_gaps() {
        for runs in all() {
            let mut pieces = BTreeSet::new();
            for series in 0..SERIES {
                let curve: Vec<RunId> = runs.curve(series).collect();
                let own = curve.iter().map(|id| runs.piece(SERIES, id).expect("a run of the sweep"));
                pieces.extend(own);
                let first = |purpose, load| runs.piece(SERIES, &RunId::new(series, purpose, load, runs.seeds[0]));
                let search = first(Purpose::Search, 0.3);
                assert_eq!((search, first(Purpose::FullLoad, 1.0)), (first(Purpose::Search, 1.0), search));
                assert_eq!(search, runs.saturation.then_some(series));
                pieces.extend(search);
                // A search needs the curve of the first seed at hand.
                let at_hand = curve.iter().filter(|id| id.seed == runs.seeds[0]);
                let is_chained = runs.saturation && runs.mode == Mode::Latency;
                assert!(at_hand.into_iter().all(|id| (runs.piece(SERIES, id) == search) == is_chained));
            }
            assert_eq!(pieces.into_iter().collect::<Vec<_>>(), (0..runs.pieces(SERIES)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn runs_that_a_sweep_does_not_have_are_in_no_piece() {
        for runs in all() {
            let seed = runs.seeds[0];
            for id in [
                RunId::new(SERIES, Purpose::Curve, 0.1, seed),
                RunId::new(0, Purpose::Curve, 0.2, seed),
                RunId::new(0, Purpose::Curve, -0.0, seed),
                RunId::new(0, Purpose::Curve, 0.1, 5),
                RunId::new(0, Purpose::FullLoad, 0.5, seed),
                RunId::new(0, Purpose::Search, 0.0, seed),
                RunId::new(0, Purpose::Search, f64::NAN, seed),
                RunId::new(0, Purpose::Search, 0.5, 5),
            ] {
                assert_eq!(runs.piece(SERIES, &id), None, "{id:?}");
            }
        }
    }
}
