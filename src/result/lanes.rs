//! Activity of each rank over time, in a bounded number of time steps, for a picture.

use crate::engine::{Observer, Wakening};
use std::collections::HashMap;

/// Activity of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doing {
    /// Is computing.
    Compute,
    /// Is blocked on the latency of a message, or in the overhead of a call.
    Latency,
    /// Is blocked while a message drains.
    Bandwidth,
    /// Waits for a partner, or has ended.
    Waiting,
}

impl Doing {
    /// All activities, in the order of the shares.
    pub const ALL: [Doing; 4] = [Doing::Compute, Doing::Latency, Doing::Bandwidth, Doing::Waiting];
}

/// Observer of the activity of each rank. Its memory is ranks times time steps.
#[derive(Debug)]
pub struct Lanes {
    /// Length of the run in seconds.
    pub seconds: f64,
    /// Number of time steps.
    pub steps: usize,
    /// Rank by rank, step by step: seconds of each of [`Doing::ALL`] except the last.
    spent: Vec<[f32; 3]>,
    /// Seconds of each background collective, step by step, until its rank has waited for it.
    background: HashMap<u32, Vec<[f32; 3]>>,
}

impl Lanes {
    /// Creates an observer for a replay of `ranks` ranks that takes `seconds`.
    pub fn new(ranks: usize, seconds: f64, steps: usize) -> Self {
        Self { seconds, steps, spent: vec![[0.0; 3]; ranks * steps], background: HashMap::new() }
    }

    fn add(&mut self, rank: u32, doing: usize, from: f64, until: f64) {
        let step = self.seconds / self.steps as f64;
        let lane = rank as usize * self.steps;
        if step <= 0.0 || until <= from {
            return;
        }
        let lane = match self.spent.get_mut(lane..) {
            Some(lanes) if !lanes.is_empty() => &mut lanes[..self.steps],
            _ => self.background.entry(rank).or_insert_with(|| vec![[0.0; 3]; self.steps]),
        };
        let first = ((from / step) as usize).min(lane.len() - 1);
        let last = ((until / step) as usize).min(lane.len() - 1);
        for (at, entry) in lane.iter_mut().enumerate().take(last + 1).skip(first) {
            let begin = from.max(at as f64 * step);
            let end = until.min((at + 1) as f64 * step);
            entry[doing] += (end - begin).max(0.0) as f32;
        }
    }

    /// Returns the predominant activity of a rank in each step.
    pub fn lane(&self, rank: usize) -> Vec<Doing> {
        let step = (self.seconds / self.steps as f64) as f32;
        let most = |spent: &[f32; 3]| {
            let waiting = step - spent.iter().sum::<f32>();
            let all = [spent[0], spent[1], spent[2], waiting];
            let best = (0..4).fold(0, |best, at| if all[at] > all[best] { at } else { best });
            Doing::ALL[best]
        };
        self.spent[rank * self.steps..][..self.steps].iter().map(most).collect()
    }
}

impl Observer for Lanes {
    fn computed(&mut self, rank: u32, time: f64, seconds: f64) {
        self.add(rank, 0, time - seconds, time);
    }

    fn spent_overhead(&mut self, rank: u32, time: f64, seconds: f64) {
        self.add(rank, 1, time - seconds, time);
    }

    fn woken(&mut self, rank: u32, w: Wakening) {
        let begin = w.since.max(w.started);
        let entered = w.entered.clamp(begin, w.time.max(begin));
        self.add(rank, 1, begin, entered);
        self.add(rank, 2, entered, w.time);
    }

    fn background_began(&mut self, background: u32, _: u32, _: f64) {
        self.background.remove(&background);
    }

    fn released(&mut self, rank: u32, by: u32, time: f64, seconds: f64) {
        // While a rank waits for a background collective, its lane shows the activity of the collective, from the step of
        // the begin of the wait. While it looks for a message of another rank, it is shown as waiting.
        let Some(collective) = self.background.remove(&by) else { return };
        let step = self.seconds / self.steps as f64;
        let begin = time - seconds;
        let lane = &mut self.spent[rank as usize * self.steps..][..self.steps];
        for (at, (entry, spent)) in lane.iter_mut().zip(collective).enumerate() {
            let share = ((at as f64 + 1.0 - begin / step).clamp(0.0, 1.0)) as f32;
            entry.iter_mut().zip(spent).for_each(|(own, seconds)| *own += share * seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_waits_for_a_collective_does_what_that_does() {
        let mut lanes = Lanes::new(1, 8.0, 8);
        lanes.background_began(1, 0, 0.0);
        lanes.computed(0, 2.0, 2.0);
        lanes.computed(1, 3.0, 3.0);
        lanes.woken(1, Wakening { message: 0, since: 3.0, started: 5.0, entered: 5.0, time: 7.0 });
        lanes.released(0, 1, 7.0, 5.0);
        use Doing::{Bandwidth, Compute, Waiting};
        assert_eq!(lanes.lane(0), [Compute, Compute, Compute, Waiting, Waiting, Bandwidth, Bandwidth, Waiting]);
    }

    #[test]
    fn a_lane_shows_what_takes_most_of_each_step() {
        let mut lanes = Lanes::new(1, 8.0, 4);
        lanes.computed(0, 3.0, 3.0);
        lanes.woken(0, Wakening { message: 0, since: 3.0, started: 3.0, entered: 4.0, time: 6.0 });
        // Step 2 is half computation, half latency: the first of equals.
        assert_eq!(lanes.lane(0), [Doing::Compute, Doing::Compute, Doing::Bandwidth, Doing::Waiting]);
    }
}
