//! Several jobs in one replay: when the ranks of each start, and which of them start over.
//!
//! To the rest of the engine, jobs are ranks with numbers of their own; their traces are merged beforehand. Only timing
//! is left: ranks of a job that starts later sleep until then, and a job that repeats begins its actions again, until
//! the last rank of the others ends.

use super::process::State;
use super::run::Turn::{self, Blocks, GoesOn};
use super::{Engine, Observer, RankTimes};
use crate::mpi::messages::Envelope;
use crate::network::Transfers;

/// When a job starts again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeats {
    /// Never: the replay waits for its end.
    #[default]
    Never,
    /// When all its ranks have ended.
    Together,
    /// Each of its ranks as soon as it has ended.
    EachRank,
}

/// Job of a replay: consecutive ranks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Span {
    /// Number of ranks.
    pub ranks: u32,
    /// Start in seconds, zero or more, finite.
    pub start: f64,
    /// When it starts again. Ranks that run a graph of operations never do.
    pub repeats: Repeats,
}

/// Jobs under way.
pub(super) struct Jobs {
    spans: Vec<Span>,
    /// First rank of each job, and the number of ranks.
    first: Vec<u32>,
    /// Ranks of each job that have not ended in the present round.
    open: Vec<u32>,
    /// Start of the present round of each rank.
    began: Vec<f64>,
}

impl Jobs {
    /// Returns `None` if the only job is the ranks themselves.
    pub fn new(spans: &[Span], ranks: u32) -> Option<Box<Self>> {
        if spans.is_empty() {
            return None;
        }
        let mut first = vec![0];
        let mut began = Vec::with_capacity(ranks as usize);
        for span in spans {
            first.push(first[first.len() - 1] + span.ranks);
            began.extend((0..span.ranks).map(|_| span.start));
        }
        assert_eq!(first.last(), Some(&ranks), "every rank belongs to a job");
        Some(Box::new(Self {
            open: spans.iter().map(|span| span.ranks).collect(),
            first,
            began,
            spans: spans.to_vec(),
        }))
    }

    /// Returns the number of ranks whose end the replay waits for; more than there are if it waits for all.
    pub fn awaited(&self) -> u32 {
        let once = self.spans.iter().filter(|span| span.repeats == Repeats::Never);
        if once.clone().count() == self.spans.len() { u32::MAX } else { once.map(|span| span.ranks).sum() }
    }

    /// Returns the first rank of each job.
    pub fn first_ranks(&self) -> &[u32] {
        &self.first[..self.spans.len()]
    }

    fn job_of(&self, rank: u32) -> usize {
        self.first.partition_point(|&first| first <= rank) - 1
    }

    fn repeats(&self, rank: u32) -> Repeats {
        self.spans[self.job_of(rank)].repeats
    }
}

impl<O: Observer + ?Sized, N: Transfers> Engine<'_, O, N> {
    /// Makes ranks of jobs that start later sleep until then.
    pub(super) fn delay_starts(&mut self) {
        let Some(jobs) = &self.jobs else { return };
        let processes = std::mem::take(&mut self.ready);
        for process in processes {
            let rank = self.processes[process as usize].owner;
            let start = jobs.spans[jobs.job_of(rank)].start;
            if start > 0.0 {
                self.cpu.sleep(0.0, process, start);
                // Ranks with graphs count this time themselves.
                self.processes[process as usize].times.waiting = start;
            } else {
                self.ready.push_back(process);
            }
        }
    }

    /// Handles the end of a rank: `None` if it is final, otherwise whether the rank continues with its first action.
    #[cold]
    pub(super) fn next_round(&mut self, rank: u32) -> Option<Turn> {
        let now = self.now;
        let jobs = self.jobs.as_mut()?;
        let job = jobs.job_of(rank);
        let ranks = match jobs.spans[job].repeats {
            Repeats::Never => return None,
            Repeats::EachRank => rank..rank + 1,
            Repeats::Together => {
                jobs.open[job] -= 1;
                if jobs.open[job] > 0 {
                    return Some(Blocks);
                }
                jobs.open[job] = jobs.spans[job].ranks;
                jobs.first[job]..jobs.first[job + 1]
            }
        };
        // A round that takes no time would be repeated forever within an instant.
        if jobs.began[rank as usize] >= now {
            return Some(Blocks);
        }
        for other in ranks {
            jobs.began[other as usize] = now;
            let process = &mut self.processes[other as usize];
            process.next = 0;
            process.state = State::Ready;
            if other != rank {
                self.ready.push_back(other);
            }
        }
        Some(GoesOn)
    }

    /// Returns how a rank spent its time until the end of the replay. A rank of a job that repeats is cut off
    /// mid-action; time not otherwise accounted for counts as waiting.
    pub(super) fn times(&self, rank: usize, end: f64) -> RankTimes {
        let mut times = self.processes[rank].times;
        match &self.jobs {
            Some(jobs) if jobs.repeats(rank as u32) != Repeats::Never => {
                times.end = end;
                times.waiting = (end - times.compute - times.communication).max(0.0);
            }
            _ => times.waiting += end - times.end,
        }
        times
    }

    /// Returns the sends that were never received, without those of jobs that repeat, which the end of the replay cuts
    /// off.
    pub(super) fn unmatched_sends(&self) -> Vec<(Envelope, u64, u64)> {
        let mut unmatched = self.messages.unmatched_sends();
        if let Some(jobs) = &self.jobs {
            unmatched.retain(|(envelope, ..)| jobs.repeats(envelope.source) == Repeats::Never);
        }
        unmatched
    }
}
