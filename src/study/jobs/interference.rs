//! Replays of a mix: each job alone, each pair of jobs, and all jobs together.

use super::{Mix, MixError, Placed};
use crate::engine::{Counter, Model, Observer, Outcome, Repeats, ReplayError, Span, replay, replay_jobs};
use crate::ids::{HostId, Rank};
use crate::mpi::rank_map::RankMap;
use crate::platform::Platform;
use crate::trace::Trace;
use crate::trace::transform::merge;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Times of a job, alone and with others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobTimes {
    /// Name of the job.
    pub job: String,
    /// Number of ranks.
    pub ranks: u64,
    /// Rule by which its hosts were chosen, with the seed of a random one; or the parameters of background traffic.
    #[serde(default)]
    pub placement: String,
    /// Start time in seconds.
    pub start_seconds: f64,
    /// `true` if the job repeats until the others end, as background traffic does; then it has no time with others.
    pub repeats: bool,
    /// Seconds from its start to its end, alone on the network; `None` for background traffic.
    pub alone_seconds: Option<f64>,
    /// Seconds from its start to its end, with all other jobs.
    pub together_seconds: Option<f64>,
    /// Seconds from its start to its end with one other job, by the number of the latter; `None` for itself, and for
    /// pairs that were not replayed.
    pub beside_seconds: Vec<Option<f64>>,
}

impl JobTimes {
    /// Returns the time with all other jobs over the time alone.
    pub fn slowdown(&self) -> Option<f64> {
        ratio(self.together_seconds, self.alone_seconds)
    }

    /// Returns the time with another job over the time alone.
    pub fn slowdown_beside(&self, other: usize) -> Option<f64> {
        ratio(self.beside_seconds.get(other).copied().flatten(), self.alone_seconds)
    }

    /// Returns the other job that causes the largest delay, and that delay in seconds; `None` if no delay exceeds
    /// rounding errors.
    pub fn aggressor(&self) -> Option<(usize, f64)> {
        let alone = self.alone_seconds?;
        let costs = self.beside_seconds.iter().enumerate().filter_map(|(other, time)| Some((other, (*time)? - alone)));
        // The first among equals.
        let most = costs.reduce(|most, next| if next.1 > most.1 { next } else { most })?;
        (most.1 > NOTHING * alone).then_some(most)
    }
}

/// Fraction of a job's time below which a difference is a rounding error.
const NOTHING: f64 = 1e-9;

fn ratio(time: Option<f64>, alone: Option<f64>) -> Option<f64> {
    Some(time? / alone.filter(|&alone| alone > 0.0)?)
}

/// Interference between jobs on a network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interference {
    /// Jobs in their order, background traffic last.
    pub jobs: Vec<JobTimes>,
    /// Packets that waited in their channel behind packets for another link, by the two jobs; empty without packets, or
    /// if the links were not observed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub head_of_line: Vec<JobBlocking>,
}

/// Packets of a job that waited behind those of a job (head-of-line blocking).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobBlocking {
    /// Name of the job with the waiting packets.
    pub job: String,
    /// Name of the job with the packets before them; it may be the same.
    pub behind: String,
    /// Number of packets that waited.
    pub packets: u64,
    /// Total waiting time in seconds.
    pub seconds: f64,
}

/// Input of replays of a mix.
pub(in crate::study) struct MixSetup<'a> {
    pub mix: &'a Mix,
    pub placed: &'a Placed,
    pub platform: &'a Platform,
    pub model: &'a Model,
}

impl MixSetup<'_> {
    fn trace(&self, job: usize) -> &Trace {
        let mix = self.mix;
        mix.jobs.get(job).map_or_else(|| &*self.placed.traffic[job - mix.jobs.len()], |job| &*job.trace)
    }

    fn members(&self) -> usize {
        self.mix.jobs.len() + self.mix.traffic.len()
    }

    /// Returns the places of the ranks of some jobs.
    fn rank_map(&self, jobs: &[usize]) -> RankMap {
        let mut hosts = Vec::new();
        for &job in jobs {
            let ranks = self.trace(job).ranks();
            if job < self.mix.jobs.len() {
                let before: usize = self.mix.jobs[..job].iter().map(|job| job.trace.ranks()).sum();
                hosts.extend((before..before + ranks).map(|rank| self.placed.rank_map.host(Rank::new(rank))));
            } else {
                hosts.extend((0..ranks).map(HostId::new));
            }
        }
        RankMap::new(hosts)
    }

    /// Replays some jobs together.
    pub fn replay(&self, jobs: &[usize], observer: &mut dyn Observer) -> Result<Outcome, ReplayError> {
        let traces: Vec<&Trace> = jobs.iter().map(|&job| self.trace(job)).collect();
        let merged = merge(&traces).expect("fewer jobs than were merged when the study was read, or one per host more");
        let spans: Vec<Span> = jobs.iter().map(|&job| self.mix.span(job, self.placed)).collect();
        replay_jobs(&merged, &spans, self.platform, &self.rank_map(jobs), self.model, observer)
    }

    /// Replays all jobs together.
    pub fn replay_all(&self, observer: &mut dyn Observer) -> Result<Outcome, ReplayError> {
        let all: Vec<usize> = (0..self.members()).collect();
        self.replay(&all, observer)
    }

    /// Returns the seconds from the start to the end of the job at position `nth` among these, which does not repeat.
    fn time_of(&self, jobs: &[usize], nth: usize, outcome: &Outcome) -> f64 {
        let before: usize = jobs[..nth].iter().map(|&job| self.trace(job).ranks()).sum();
        let span = self.mix.span(jobs[nth], self.placed);
        let ranks = &outcome.ranks[before..before + span.ranks as usize];
        let end = ranks.iter().map(|rank| rank.end).fold(0.0, f64::max);
        (end - span.start).max(0.0)
    }

    /// Replays each job alone, and each pair of them if requested. A stop of the observer's counter also stops these
    /// replays.
    fn parts(&self, counter: Option<Counter>) -> Result<Vec<JobTimes>, MixError> {
        let (mix, members) = (self.mix, self.members());
        let counter = || counter.as_ref().map(Counter::sibling);
        let alone = (0..mix.jobs.len()).into_par_iter().map(|job| {
            let trace = &mix.jobs[job].trace;
            let outcome = replay(trace, self.platform, &self.rank_map(&[job]), self.model, &mut counter());
            outcome.map(|outcome| outcome.simulated_seconds).map_err(|error| MixError { job: Some(job), error })
        });
        let alone: Vec<Result<f64, MixError>> = alone.collect();
        let alone = alone.into_iter().collect::<Result<Vec<f64>, MixError>>()?;
        let mut times: Vec<JobTimes> = mix
            .names()
            .enumerate()
            .map(|(job, name)| {
                let span = mix.span(job, self.placed);
                JobTimes {
                    job: name.to_owned(),
                    ranks: span.ranks.into(),
                    placement: self.placed.descriptions[job].clone(),
                    start_seconds: span.start,
                    repeats: span.repeats != Repeats::Never,
                    alone_seconds: alone.get(job).copied(),
                    together_seconds: None,
                    beside_seconds: vec![None; members],
                }
            })
            .collect();
        // With two jobs, their pair is the replay of all jobs.
        if !mix.pairs || members <= 2 {
            return Ok(times);
        }
        let all = (0..members).flat_map(|a| (a + 1..members).map(move |b| [a, b]));
        let pairs: Vec<[usize; 2]> = all.filter(|pair| pair.iter().any(|&job| !times[job].repeats)).collect();
        let outcomes: Vec<_> = pairs
            .par_iter()
            .with_max_len(1)
            .map(|pair| {
                let outcome = self.replay(pair, &mut counter())?;
                Ok([0, 1].map(|nth| self.time_of(pair, nth, &outcome)))
            })
            .collect();
        for (&[a, b], outcome) in pairs.iter().zip(outcomes) {
            let [of_a, of_b] = outcome.map_err(|error| MixError { job: None, error })?;
            times[a].beside_seconds[b] = Some(of_a).filter(|_| !times[a].repeats);
            times[b].beside_seconds[a] = Some(of_b).filter(|_| !times[b].repeats);
        }
        Ok(times)
    }

    /// Replays the jobs alone, in pairs, and together under an observer. The outcome includes the ranks and actions of
    /// the jobs only, without those of background traffic; each action counts once, however often a job repeats.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<(Outcome, Interference), MixError> {
        let mut jobs = self.parts(observer.counter())?;
        let mut outcome = self.replay_all(observer).map_err(|error| MixError { job: None, error })?;
        let all: Vec<usize> = (0..self.members()).collect();
        for (job, alone) in jobs.iter_mut().enumerate().filter(|(_, alone)| !alone.repeats) {
            let seconds = self.time_of(&all, job, &outcome);
            alone.together_seconds = Some(seconds);
            if all.len() == 2 {
                alone.beside_seconds[1 - job] = Some(seconds);
            }
        }
        outcome.ranks.truncate(self.placed.rank_map.ranks() as usize);
        outcome.actions = self.mix.jobs.iter().map(|job| job.trace.total_actions()).sum();
        if jobs.iter().any(|job| job.repeats) {
            // Messages that the end of the replay cuts off count in full.
            outcome.links.iter_mut().for_each(|link| link.utilisation = link.utilisation.min(1.0));
        }
        let name = |job: u32| jobs[job as usize].job.clone();
        let blocking = outcome.blocked_jobs.iter().map(|blocked| JobBlocking {
            job: name(blocked.job),
            behind: name(blocked.behind),
            packets: blocked.packets,
            seconds: blocked.seconds,
        });
        let head_of_line = blocking.collect();
        Ok((outcome, Interference { jobs, head_of_line }))
    }
}
