//! The replay: a clock, the ranks, and the two things that take time, hosts and network.
//!
//! A replay alternates between two phases. At one instant, every rank that can continue does so until it blocks
//! (`run`). Then the clock jumps to the next event of a host or of the network, and the ranks that it releases become
//! ready. Nothing here depends on files, terminals or threads.

mod agreement;
mod ahead;
mod collectives;
mod cpu;
mod error;
mod fibers;
mod graph;
mod groups;
mod jobs;
mod loggops;
mod observer;
mod one_sided;
mod outcome;
mod point_to_point;
mod process;
mod progress;
mod run;
mod skip;
#[cfg(test)]
mod tests;

pub use agreement::Called;
pub use error::{Blocked, Place, ReplayError};
pub use jobs::{Repeats, Span};
pub use observer::{Interest, Observer, Wakening};
pub use outcome::{LinkTraffic, MOST_UTILISATION, Outcome, RankTimes};
pub use progress::Counter;
pub use skip::{Passed, Stop};

use crate::mpi::MpiOptions;
use crate::mpi::collective::Selector;
use crate::mpi::layout::Layout;
use crate::mpi::messages::{Envelope, Messages, Side};
use crate::network::loads::Loads;
use crate::network::maxmin::{MaxMin, WatchedMaxMin};
use crate::network::model::NetworkModel;
use crate::network::noise::{Flows, Noise, Noisy};
use crate::network::proportional::Proportional;
use crate::network::sharing::{Rule, Sharing};
use crate::network::simgrid::full::Full;
use crate::network::simgrid::incremental::Incremental;
use crate::network::{Carrier, Medium, Network, Precision, Transfers};
use crate::platform::{Platform, SharingPolicy};
use crate::prefetch::{is_far, prefetch};
use crate::queue::earlier;
use crate::trace::actions::Window;
use crate::trace::{Action, CommunicatorId, Trace};
use cpu::Cpu;
use groups::{FIBER, Groups};
use process::{Process, State};
use progress::Progress;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Events closer to each other than this many seconds happen together. It only absorbs rounding.
pub const TIMING_PRECISION: f64 = 1e-12;

/// Shortest sleep in seconds: SimGrid's with the precision that `smpirun` sets.
const SHORTEST_SLEEP: f64 = 1e-9;

/// Model that turns a trace into times.
#[derive(Debug, Clone)]
pub struct Model {
    /// Network model.
    pub network: NetworkModel,
    /// Point-to-point layer.
    pub mpi: MpiOptions,
    /// Chooses the algorithm of each collective.
    pub collectives: Selector,
    /// Rule by which flows share links.
    pub sharing: Rule,
    /// Precision below which events are merged into one instant.
    pub precision: Precision,
    /// The network as packets see it, where they are the model ([`NetworkModel::packet_level`]); it belongs to one platform
    /// and to those with its links and routes.
    pub medium: Option<Arc<dyn Medium>>,
    /// Random delays of messages; `None`: messages take the time of the model. SimGrid's rules of sharing have none.
    pub noise: Option<Noise>,
}

impl Model {
    /// Returns the default model: messages of a pair in order, exact sharing, and no merging of events beyond rounding.
    pub fn exact(collectives: Selector) -> Self {
        Self::with_network(NetworkModel::ordered(), collectives)
    }

    /// Returns the default model with another network model.
    pub fn with_network(network: NetworkModel, collectives: Selector) -> Self {
        let mut mpi = MpiOptions::default();
        if network.sends_eagerly() {
            mpi.async_below = mpi.detached_below;
        }
        Self {
            network,
            mpi,
            collectives,
            sharing: Rule::Exact,
            precision: Precision { transfers: 0.0, others: TIMING_PRECISION },
            medium: None,
            noise: None,
        }
    }
}

/// Replays a trace on a platform; `layout` maps ranks to hosts. `&mut ()` observes nothing, and makes the fastest
/// replay.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If the layout has a different number of ranks from the trace, or names a host that the platform lacks.
pub fn replay(
    trace: &Trace,
    platform: &Platform,
    layout: &Layout,
    model: &Model,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    replay_jobs(trace, &[], platform, layout, model, observer)
}

/// Replays a trace merged from several; `jobs` has the ranks of each, in order. If some of them repeat, the replay ends
/// with the last rank of the others, which determines [`Outcome::simulated_seconds`].
///
/// A job that deadlocks next to one that repeats would never end: replay it alone first.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If the layout has a different number of ranks from the trace, or names a host that the platform lacks; if `jobs` is
/// not empty and its number of ranks differs.
pub fn replay_jobs(
    trace: &Trace,
    jobs: &[Span],
    platform: &Platform,
    layout: &Layout,
    model: &Model,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    run(Begin { trace, jobs, platform, layout, model, stop: None }, observer)
}

/// Replays a trace until a condition on its iterations holds, and then, from the end of an iteration on, what follows the
/// last one: [`Outcome::passed`] has the number of iterations in between.
///
/// # Errors
/// [`ReplayError`] if some rank cannot reach its end.
///
/// # Panics
/// If the layout has a different number of ranks from the trace, or names a host that the platform lacks; for the model
/// `loggops`, which replays graphs.
pub fn replay_until(
    trace: &Trace,
    platform: &Platform,
    layout: &Layout,
    model: &Model,
    stop: Stop<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, ReplayError> {
    assert!(model.network.loggops.is_none(), "graphs have no iterations");
    run(Begin { trace, jobs: &[], platform, layout, model, stop: Some(stop) }, observer)
}

fn run(begin: Begin<'_>, observer: &mut dyn Observer) -> Result<Outcome, ReplayError> {
    let Begin { trace, jobs, platform, layout, model, .. } = begin;
    assert_eq!(trace.ranks(), layout.ranks() as usize, "the layout places every rank of the trace");
    let (interest, counter) = (observer.interest(), observer.counter());
    if let Some(constants) = model.network.loggops {
        let schedule = trace.schedule.as_deref().filter(|_| jobs.is_empty()).ok_or(ReplayError::NeedsGraph)?;
        return loggops::replay(schedule, platform, layout, constants, counter);
    }
    if model.network.packet_level.is_some() {
        let medium = model.medium.as_ref().ok_or(ReplayError::NeedsSwitches)?;
        let carrier = medium.carrier(platform, interest == Interest::RanksAndLinks);
        if let Some(noise) = model.noise {
            return begin.noisy(carrier, noise, observer, counter);
        }
        return Engine::new(begin, observer, carrier).run(counter);
    }
    if let Some(noise) = model.noise {
        let watched = interest == Interest::RanksAndLinks;
        let carrier: Box<dyn Carrier> = match (model.sharing, platform.routes.needs_loads(), watched) {
            (Rule::Proportional, false, _) => begin.carrier::<Proportional>(),
            (Rule::Proportional, true, _) => begin.carrier::<Loads<Proportional>>(),
            (_, false, false) => begin.carrier::<MaxMin>(),
            (_, false, true) => begin.carrier::<WatchedMaxMin>(),
            (_, true, false) => begin.carrier::<Loads<MaxMin>>(),
            (_, true, true) => begin.carrier::<Loads<WatchedMaxMin>>(),
        };
        return begin.noisy(carrier, noise, observer, counter);
    }
    // Only routes that are chosen by load need the loads of links.
    if platform.routes.needs_loads() {
        return match model.sharing {
            Rule::Exact | Rule::Within(_) if interest == Interest::Nothing => {
                begin.flows::<(), Loads<MaxMin>>(&mut (), counter)
            }
            Rule::Exact | Rule::Within(_) => begin.flows::<dyn Observer, Loads<WatchedMaxMin>>(observer, counter),
            Rule::Proportional => begin.flows::<dyn Observer, Loads<Proportional>>(observer, counter),
            Rule::SimgridLazy => begin.flows::<dyn Observer, Loads<Incremental>>(observer, counter),
            Rule::SimgridFull => begin.flows::<dyn Observer, Loads<Full>>(observer, counter),
        };
    }
    match model.sharing {
        // Long studies consist of these, so they have an engine that is compiled without an observer.
        Rule::Exact | Rule::Within(_) if interest == Interest::Nothing => begin.flows::<(), MaxMin>(&mut (), counter),
        Rule::Exact | Rule::Within(_) if interest == Interest::Ranks => {
            begin.flows::<dyn Observer, MaxMin>(observer, counter)
        }
        Rule::Exact | Rule::Within(_) => begin.flows::<dyn Observer, WatchedMaxMin>(observer, counter),
        Rule::Proportional => begin.flows::<dyn Observer, Proportional>(observer, counter),
        Rule::SimgridLazy => begin.flows::<dyn Observer, Incremental>(observer, counter),
        Rule::SimgridFull => begin.flows::<dyn Observer, Full>(observer, counter),
    }
}

/// Inputs of a replay.
#[derive(Clone, Copy)]
struct Begin<'a> {
    trace: &'a Trace,
    jobs: &'a [Span],
    platform: &'a Platform,
    layout: &'a Layout,
    model: &'a Model,
    stop: Option<Stop<'a>>,
}

impl<'a> Begin<'a> {
    /// Flows as a carrier, whose speed does not matter.
    fn carrier<S: Sharing + 'a>(self) -> Box<dyn Carrier + 'a> {
        Box::new(Flows(self.network::<S>()))
    }

    /// Replays with messages that arrive late.
    fn noisy(
        self,
        carrier: Box<dyn Carrier + 'a>,
        noise: Noise,
        observer: &'a mut dyn Observer,
        counter: Option<Counter>,
    ) -> Result<Outcome, ReplayError> {
        let carrier: Box<dyn Carrier + 'a> = Box::new(Noisy::new(carrier, noise));
        Engine::new(self, observer, carrier).run(counter)
    }

    /// Replays with messages as flows under a rule of sharing.
    fn flows<O: Observer + ?Sized, S: Sharing>(
        self,
        observer: &'a mut O,
        counter: Option<Counter>,
    ) -> Result<Outcome, ReplayError> {
        Engine::new(self, observer, self.network::<S>()).run(counter)
    }

    /// Returns a network without messages, which are flows under a rule of sharing.
    fn network<S: Sharing>(self) -> Network<'a, S> {
        let network = Network::<S>::new(self.platform, &self.model.network);
        match self.model.sharing {
            Rule::Within(bound) => network.within(bound),
            _ => network,
        }
    }
}

struct Engine<'a, O: ?Sized, N> {
    trace: &'a Trace,
    platform: &'a Platform,
    layout: &'a Layout,
    model: &'a Model,
    observer: &'a mut O,
    now: f64,
    processes: Vec<Process<'a>>,
    ready: VecDeque<u32>,
    ended: u32,
    messages: Messages,
    network: N,
    cpu: Cpu,
    groups: Groups<'a>,
    agreement: agreement::Agreement,
    /// Graphs of ranks that have no list of actions.
    graphs: Option<Box<graph::Graphs<'a>>>,
    /// Jobs, if there are several.
    jobs: Option<Box<jobs::Jobs>>,
    /// Iterations, if some may be left out.
    skip: Option<Box<skip::Skip<'a>>>,
    /// Number of ranks whose end is the end of the replay, if some jobs repeat; otherwise more than there are.
    awaited: u32,
    /// Fiber of a rank whose messages have that context; and fibers that can be reused.
    fibers: FxHashMap<(u32, u32), u32>,
    free_fibers: Vec<u32>,
    /// Answers to requests under way.
    answers: FxHashMap<u32, u32>,
    /// Number of ranks that wait until a message could be received.
    watched_for: u32,
    /// `true` if there are more ranks than the caches hold (see `ahead`).
    crowded: bool,
    /// `true` if ranks run in lockstep at each instant, one call each (see `run`).
    turns: bool,
    /// `true` if a wait-all finishes its requests one by one: with receive overheads, and with lockstep scheduling.
    one_by_one: bool,
    /// Number of tests and probes that failed in a row, plus one. One variable for all ranks, as in SimGrid.
    tests: f64,
    probes: f64,
    message_count: u64,
    byte_count: u64,
    substitutions: Vec<&'static str>,
}

impl<'a, O: Observer + ?Sized, N: Transfers> Engine<'a, O, N> {
    fn new(begin: Begin<'a>, observer: &'a mut O, mut network: N) -> Self {
        let Begin { trace, jobs, platform, layout, model, stop } = begin;
        // The order in which transfers begin has no effect on an exact allocation, but a literal one depends on it.
        let turns = N::LITERAL || trace.polls();
        let shortest_sleep = if N::LITERAL { model.precision.others } else { SHORTEST_SLEEP };
        let jobs = jobs::Jobs::new(jobs, layout.ranks());
        if let Some(jobs) = &jobs {
            network.know_jobs(jobs.first_ranks());
        }
        Self {
            trace,
            platform,
            layout,
            model,
            observer,
            now: 0.0,
            processes: (0..)
                .zip(&trace.actions)
                .map(|(rank, actions)| Process::new(rank, Window::new(actions)))
                .collect(),
            ready: (0..layout.ranks()).collect(),
            ended: 0,
            messages: Messages::new(),
            network,
            cpu: Cpu::new(platform, layout, shortest_sleep, turns),
            groups: Groups::new(&trace.communicators, layout),
            agreement: agreement::Agreement::default(),
            graphs: None,
            awaited: jobs.as_ref().map_or(u32::MAX, |jobs| jobs.awaited()),
            jobs,
            skip: stop.map(|stop| Box::new(skip::Skip::new(stop, layout.ranks()))),
            fibers: FxHashMap::default(),
            free_fibers: Vec::new(),
            answers: FxHashMap::default(),
            watched_for: 0,
            crowded: is_far(layout.ranks() as usize),
            turns,
            one_by_one: turns || !model.mpi.recv_overhead.is_none(),
            tests: 1.0,
            probes: 1.0,
            message_count: 0,
            byte_count: 0,
            substitutions: Vec::new(),
        }
    }

    fn run(mut self, counter: Option<Counter>) -> Result<Outcome, ReplayError> {
        let mut progress = counter.map(|counter| Progress::new(counter, self.layout.ranks()));
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
                    self.ask_for_turns();
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
            let computation = self.cpu.next_date(self.now).map(|date| date - self.now);
            let transfer = self.network.next_delay(self.now, computation);
            if N::WATCHED {
                let observer = &mut *self.observer;
                self.network.link_changes(self.now, |link, state, date| observer.link_changed(link, state, date));
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
                    self.ask_for_arrivals(&arrived, at);
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
        if self.ended < self.layout.ranks().min(self.awaited) {
            return Err(self.deadlock());
        }
        Ok(self.outcome())
    }

    /// Returns the number of actions, and of operations of graphs, that have begun.
    fn begun(&self) -> u64 {
        let ranks = &self.processes[..self.layout.ranks() as usize];
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
            | State::OnFiber(_)
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
        let context = self.messages.get(message).envelope.context;
        if context >= FIBER {
            if context == graph::CONTEXT && self.graphs.is_some() {
                return self.arrived_in_graph(message);
            }
            let Some(&fiber) = self.fibers.get(&(rank, context)) else { return };
            rank = fiber;
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
        let blocked = self.now - process.since;
        let (started, entered) = (self.messages.get(message).started, self.messages.get(message).entered);
        let alone = (started - process.since).clamp(0.0, blocked);
        process.times.waiting += alone;
        process.times.communication += blocked - alone;
        // The part of the latency during which the rank was blocked.
        process.times.latency += (entered - started.max(process.since)).clamp(0.0, blocked - alone);
        // With many ranks, the next action of a rank is in no cache. Prefetched now, it is there when its turn comes.
        if !self.crowded
            && let Some(action) = process.actions.get(process.next)
        {
            prefetch(action);
        }
        self.observer.woken(rank, Wakening { message, since: process.since, started, entered, date: self.now });
        self.ready.push_back(rank);
    }

    fn outcome(self) -> Outcome {
        let ranks = self.layout.ranks() as usize;
        // The last rank that the replay waits for has ended just now, while other jobs repeat.
        let end = match self.awaited {
            u32::MAX => self.processes[..ranks].iter().map(|p| p.times.end).fold(0.0, f64::max),
            _ => self.now,
        };
        let ranks: Vec<RankTimes> = (0..ranks).map(|rank| self.times(rank, end)).collect();
        // Links also carry headers and framing.
        let share = self.model.network.payload_share();
        let links = self.network.traffic().into_iter().enumerate().map(|(i, (messages, bytes))| LinkTraffic {
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
            passed: self.skip.map(|skip| skip.passed()),
        }
    }

    fn deadlock(&self) -> ReplayError {
        let mut blocked = Vec::new();
        let mut standing = Vec::with_capacity(self.layout.ranks() as usize);
        for (rank, process) in self.processes[..self.layout.ranks() as usize].iter().enumerate() {
            if matches!(process.state, State::Ended) {
                standing.push(None);
                continue;
            }
            let standing_at = self.stuck_operation(rank as u32).unwrap_or(process.current());
            standing.push(Some(standing_at));
            // A rank waits for whatever its fiber waits for.
            let at_work = match process.state {
                State::OnFiber(fiber) => &self.processes[fiber as usize],
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
            let missing = awaited.chain(polled).chain(self.awaited_by_graph(rank as u32)).collect();
            blocked.push(Blocked {
                place: Place { rank: rank as u32, action: standing_at },
                operation: self.operation(process, at_work),
                communicator: at_work.collective.call.map_or(CommunicatorId::WORLD, |call| call.communicator),
                missing,
            });
        }
        ReplayError::Deadlock { seconds: self.now, ranks: self.layout.ranks(), blocked, standing }
    }

    /// Returns the current operation of a rank, in the words of the trace; `at_work` is it or the fiber that it waits
    /// for.
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
