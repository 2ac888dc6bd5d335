//! The clock of a replay: runs the ranks that can continue, then jumps to the next event of a host or of the network.

use super::error::{Blocked, Place, ReplayError};
use super::graphs;
use super::groups::FIBER;
use super::observer::{Observer, Wakening};
use super::outcome::{LinkTraffic, MOST_UTILISATION, Outcome, RankTimes};
use super::process::{Process, State};
use super::progress::{Counter, ProgressMeter};
use super::state::Engine;
use crate::mpi::messages::Side;
use crate::network::Transfers;
use crate::platform::SharingPolicy;
use crate::prefetch::prefetch;
use crate::queue::earlier;
use crate::trace::{Action, CommunicatorId};

impl<'a, O: Observer + ?Sized, N: Transfers> Engine<'a, O, N> {
    /// Runs the replay to its end.
    pub(super) fn run(mut self, counter: Option<Counter>) -> Result<Outcome, ReplayError> {
        let mut progress = counter.map(|counter| ProgressMeter::new(counter, self.rank_map.ranks()));
        self.take_graphs();
        self.delay_starts();
        self.end_before_iterations();
        let precision = self.model.precision;
        let mut freed = Vec::new();
        let mut arrived = Vec::new();
        loop {
            if self.crowded {
                self.line_up();
            }
            while let Some(rank) = self.ready.pop_front() {
                if self.crowded {
                    self.prefetch_turns();
                }
                self.resume(rank)?;
            }
            if self.ended >= self.awaited {
                break;
            }
            if let Some(progress) = &mut progress
                && progress.instant(|| self.begun())
            {
                return Err(ReplayError::Stopped);
            }
            let computation = self.cpu.next_time(self.now).map(|time| time - self.now);
            let transfer = self.network.next_delay(self.now, computation);
            if N::WATCHED {
                let observer = &mut *self.observer;
                self.network.link_changes(self.now, |link, state, time| observer.link_changed(link, state, time));
            }
            let Some(delay) = earlier(computation, transfer) else { break };
            if self.turns && self.only_polls() {
                return Err(self.deadlock());
            }
            if !(self.now + delay).is_finite() {
                return Err(ReplayError::Endless { seconds: self.now });
            }
            self.now += delay;
            self.cpu.advance(self.now, precision.others, &mut freed);
            self.network.advance(self.now, delay, precision, &mut arrived);
            // Plain loops: most instants have no or one item, and iterators that drain or chain cost more.
            for &rank in &freed {
                self.ready.push_back(rank);
            }
            freed.clear();
            for (at, &message) in arrived.iter().enumerate() {
                if self.crowded {
                    self.prefetch_arrivals(&arrived, at);
                }
                let [first, second] = self.messages.arrive(message);
                if let Some(rank) = first {
                    self.notify(rank, message);
                }
                if let Some(rank) = second {
                    self.notify(rank, message);
                }
                if !self.answers.is_empty() {
                    self.answer(message)?;
                }
                self.messages.release(message);
            }
            arrived.clear();
        }
        if self.ended < self.rank_map.ranks().min(self.awaited) {
            return Err(self.deadlock());
        }
        Ok(self.outcome())
    }

    /// Returns the number of actions, and of operations of graphs, that have begun.
    fn begun(&self) -> u64 {
        let ranks = &self.processes[..self.rank_map.ranks() as usize];
        let actions: usize = ranks.iter().map(|process| process.next).sum();
        actions as u64 + self.graphs.as_ref().map_or(0, |graphs| graphs.ended())
    }

    /// `true` if the only activity left is receives of unknown size that poll for messages which will never be sent.
    fn only_polls(&self) -> bool {
        let mut polls = false;
        let stuck = self.processes.iter().zip(0..).all(|(process, rank)| match process.state {
            State::Probing(probe) => {
                polls = true;
                self.messages.probe(probe.envelope(rank)).is_none()
            }
            State::OnRequest(_)
            | State::OnSet { .. }
            | State::OnBackground(_)
            | State::OnMessage(_)
            | State::Idle
            | State::Ended => true,
            _ => false,
        });
        polls && stuck && self.network.is_idle()
    }

    /// Handles the arrival of a message that a rank is blocked on.
    #[inline]
    fn notify(&mut self, mut rank: u32, message: u32) {
        let mut counted_from = 0.0;
        let context = self.messages.get(message).envelope.context;
        if context >= FIBER {
            if context == graphs::CONTEXT && self.graphs.is_some() {
                return self.arrived_in_graph(message);
            }
            let Some(&background) = self.backgrounds.get(&(rank, context)) else { return };
            rank = background;
            counted_from = self.processes[background as usize].collective.counted_from;
        }
        let process = &mut self.processes[rank as usize];
        match &mut process.state {
            State::OnRequest(_) => {}
            State::OnSet { left } if *left > 1 => {
                *left -= 1;
                return;
            }
            State::OnSet { left } if *left == 1 => *left = 0,
            // The rank is ready already, because of another message of its set.
            _ => return,
        }
        let since = process.since.max(counted_from);
        let blocked = self.now - since;
        let (started, entered) = (self.messages.get(message).started, self.messages.get(message).entered);
        let alone = (started - since).clamp(0.0, blocked);
        process.times.waiting += alone;
        process.times.communication += blocked - alone;
        // The part of the latency during which the rank was blocked.
        process.times.latency += (entered - started.max(since)).clamp(0.0, blocked - alone);
        // With many ranks, the next action of a rank is in no cache. Prefetched now, it is there when its turn comes.
        if !self.crowded
            && let Some(action) = process.actions.get(process.next)
        {
            prefetch(action);
        }
        self.observer.woken(rank, Wakening { message, since: process.since, started, entered, time: self.now });
        self.ready.push_back(rank);
    }

    fn outcome(self) -> Outcome {
        let ranks = self.rank_map.ranks() as usize;
        // The last rank that the replay waits for has ended just now, while other jobs repeat.
        let end = match self.awaited {
            u32::MAX => self.processes[..ranks].iter().map(|p| p.times.end).fold(0.0, f64::max),
            _ => self.now,
        };
        let ranks: Vec<RankTimes> = (0..ranks).map(|rank| self.times(rank, end)).collect();
        // Links also carry headers and framing.
        let share = self.model.network.payload_share();
        let links = self.network.traffic(self.now).into_iter().enumerate().map(|(i, (messages, bytes))| LinkTraffic {
            link: crate::ids::LinkId::new(i),
            messages,
            bytes,
            utilisation: match self.platform.links[i].policy {
                SharingPolicy::Shared if end > 0.0 => {
                    (bytes as f64 / (self.platform.links[i].bandwidth * share * end)).min(MOST_UTILISATION)
                }
                _ => 0.0,
            },
        });
        Outcome {
            simulated_seconds: end,
            actions: self.trace.total_actions(),
            messages: self.message_count,
            bytes: self.byte_count,
            ranks,
            links_crossed: self.network.links_crossed(),
            links: links.collect(),
            packets: self.network.packets(),
            head_of_line: self.network.head_of_line(),
            blocked_jobs: self.network.blocked_jobs(),
            unmatched_sends: self.unmatched_sends(),
            substitutions: self.substitutions,
            different_sizes: self.agreement.different_sizes,
            passed: self.skip.map(|skip| skip.passed()),
        }
    }

    fn deadlock(&self) -> ReplayError {
        let mut blocked = Vec::new();
        let mut standing = Vec::with_capacity(self.rank_map.ranks() as usize);
        let mut by_graphs = self.awaited_by_graphs();
        for (rank, process) in self.processes[..self.rank_map.ranks() as usize].iter().enumerate() {
            if matches!(process.state, State::Ended) {
                standing.push(None);
                continue;
            }
            let by_graph = by_graphs.get_mut(rank).map(std::mem::take).unwrap_or_default();
            let standing_at = self.stuck_operation(rank as u32).or(by_graph.first).unwrap_or(process.current());
            standing.push(Some(standing_at));
            // A rank waits for whatever its background collective waits for.
            let at_work = match process.state {
                State::OnBackground(background) => &self.processes[background as usize],
                _ => process,
            };
            let requests = match at_work.state {
                State::OnRequest(request) => vec![request],
                State::OnSet { .. } => at_work.set.clone(),
                _ => Vec::new(),
            };
            let awaited = requests
                .into_iter()
                .filter(|r| !self.messages.is_complete(*r))
                .filter_map(|r| Some((self.messages.get(r.message()?).envelope, r.side() == Side::Send)));
            let polled = match process.state {
                State::Probing(probe) => Some((probe.envelope(rank as u32), false)),
                State::OnMessage(envelope) => Some((envelope, false)),
                _ => None,
            };
            let missing = awaited.chain(polled).chain(by_graph.messages).collect();
            blocked.push(Blocked {
                place: Place { rank: rank as u32, action: standing_at },
                operation: self.operation(process, at_work),
                communicator: at_work.collective.call.map_or(CommunicatorId::WORLD, |call| call.communicator),
                missing,
            });
        }
        let waits_from = Some(self.model.mpi.detached_below);
        ReplayError::Deadlock { seconds: self.now, ranks: self.rank_map.ranks(), blocked, standing, waits_from }
    }

    /// Returns the current operation of a rank, in the words of the trace; `at_work` is it or the background collective
    /// that it waits for.
    fn operation(&self, process: &Process<'_>, at_work: &Process<'_>) -> &'static str {
        if let Some(call) = at_work.collective.call.filter(|_| !std::ptr::eq(process, at_work)) {
            return call.kind.nonblocking_name();
        }
        match process.actions.get(process.current()) {
            Some(Action::Collective { index }) => self.trace.collectives[*index as usize].kind.name(),
            Some(action) => action.name(),
            None if self.graphs.as_ref().is_some_and(|graphs| graphs.runs(process.owner)) => {
                "an operation of its schedule"
            }
            None => "nothing",
        }
    }
}
