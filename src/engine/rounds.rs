//! Starts and repetitions of jobs: their ranks sleep until the job starts, and begin again when it repeats.

use super::jobs::Repeats;
use super::observer::Observer;
use super::outcome::RankTimes;
use super::process::{Process, State};
use super::run::Turn::{self, Blocks, GoesOn};
use super::state::Engine;
use crate::mpi::messages::{Envelope, Progress, Request};
use crate::network::Transfers;

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
            process.ends = false;
            process.state = State::Ready;
            if other != rank {
                self.ready.push_back(other);
            }
        }
        Some(GoesOn)
    }

    /// Returns how a rank spent its time until the end of the replay. A rank of a job that repeats is cut off
    /// mid-action, whose time is divided like that of a finished one; the rest counts as waiting.
    pub(super) fn times(&self, rank: usize, end: f64) -> RankTimes {
        let mut times = self.processes[rank].times;
        match &self.jobs {
            Some(jobs) if jobs.repeats(rank as u32) != Repeats::Never => {
                self.add_unfinished(&self.processes[rank], &mut times);
                times.end = end;
                times.waiting = (end - times.compute - times.communication).max(0.0);
            }
            _ => times.waiting += end - times.end,
        }
        times
    }

    /// Adds the time that a process has spent on its present action until now, without that of waiting for a partner.
    fn add_unfinished(&self, process: &Process<'_>, times: &mut RankTimes) {
        let since = process.since.max(process.collective.counted_from);
        let spent = self.now - process.since;
        match process.state {
            State::Computing | State::Sleeping => times.compute += spent,
            State::SendOverhead(_)
            | State::Overhead
            | State::SetOverhead
            | State::OneSidedOverhead(_)
            | State::Testing(_)
            | State::TestingBackground(_)
            | State::Probing(_) => {
                times.communication += spent;
                times.latency += spent;
            }
            State::OnRequest(request) => self.add_blocked(&[request], since, times),
            State::OnSet { .. } => self.add_blocked(&process.set, since, times),
            State::OnBackground(background) => {
                let background = &self.processes[background as usize];
                times.add_activities(&background.times);
                self.add_unfinished(background, times);
            }
            State::Ready | State::Called(_) | State::OnMessage(_) | State::Idle | State::Ended => {}
        }
    }

    /// Adds the time since the latest of the messages that a process waits for has started; none if one has not. The
    /// message that arrives last would determine the division.
    fn add_blocked(&self, requests: &[Request], since: f64, times: &mut RankTimes) {
        let open = requests.iter().filter(|&&request| !self.messages.is_complete(request));
        let messages = open.filter_map(|request| request.message()).map(|message| self.messages.get(message));
        let mut latest = None;
        for message in messages {
            if message.progress != Progress::Travelling {
                return;
            }
            if latest.is_none_or(|(started, _)| message.started > started) {
                latest = Some((message.started, message.entered));
            }
        }
        let Some((started, entered)) = latest else { return };
        let begin = started.max(since);
        times.communication += self.now - begin;
        times.latency += (entered.min(self.now) - begin).max(0.0);
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
