//! State of a replay: the ranks, the messages and the network at one instant.

use super::agreement::Agreement;
use super::cpu::Cpu;
use super::graphs::Graphs;
use super::groups::Groups;
use super::jobs::{Jobs, Span};
use super::model::Model;
use super::observer::Observer;
use super::process::Process;
use super::skip::{Skip, Stop};
use crate::mpi::messages::Messages;
use crate::mpi::rank_map::RankMap;
use crate::network::Transfers;
use crate::platform::Platform;
use crate::prefetch::is_far;
use crate::trace::Trace;
use crate::trace::actions::ActionCursor;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Shortest sleep in seconds: SimGrid's with the precision that `smpirun` sets.
const SHORTEST_SLEEP: f64 = 1e-9;

/// Inputs of a replay.
#[derive(Clone, Copy)]
pub(super) struct Begin<'a> {
    pub trace: &'a Trace,
    pub jobs: &'a [Span],
    pub platform: &'a Platform,
    pub rank_map: &'a RankMap,
    pub model: &'a Model,
    pub stop: Option<Stop<'a>>,
}

/// A replay at one instant.
pub(super) struct Engine<'a, O: ?Sized, N> {
    pub trace: &'a Trace,
    pub platform: &'a Platform,
    pub rank_map: &'a RankMap,
    pub model: &'a Model,
    pub observer: &'a mut O,
    pub now: f64,
    pub processes: Vec<Process<'a>>,
    pub ready: VecDeque<u32>,
    pub ended: u32,
    pub messages: Messages,
    pub network: N,
    pub cpu: Cpu,
    pub groups: Groups<'a>,
    pub agreement: Agreement,
    /// Graphs of ranks that have no list of actions.
    pub graphs: Option<Box<Graphs<'a>>>,
    /// Jobs, if there are several.
    pub jobs: Option<Box<Jobs>>,
    /// Iterations, if some may be left out.
    pub skip: Option<Box<Skip<'a>>>,
    /// Number of ranks whose end is the end of the replay, if some jobs repeat; otherwise more than there are.
    pub awaited: u32,
    /// Background collective of a rank whose messages have that context; and background collectives that can be reused.
    pub backgrounds: FxHashMap<(u32, u32), u32>,
    pub free_backgrounds: Vec<u32>,
    /// Answers to requests under way.
    pub answers: FxHashMap<u32, u32>,
    /// Number of ranks that wait until a message could be received.
    pub watched_for: u32,
    /// `true` if there are more ranks than the caches hold (see `ahead`).
    pub crowded: bool,
    /// `true` if ranks run in lockstep at each instant, one call each (see `run`).
    pub turns: bool,
    /// `true` if a wait-all finishes its requests one by one: with receive overheads, and with lockstep scheduling.
    pub one_by_one: bool,
    /// Number of tests and probes that failed in a row, plus one. One variable for all ranks, as in SimGrid.
    pub tests: f64,
    pub probes: f64,
    pub message_count: u64,
    pub byte_count: u64,
    pub substitutions: Vec<&'static str>,
}

impl<'a, O: Observer + ?Sized, N: Transfers> Engine<'a, O, N> {
    /// Returns the state at the start.
    pub fn new(begin: Begin<'a>, observer: &'a mut O, mut network: N) -> Self {
        let Begin { trace, jobs, platform, rank_map, model, stop } = begin;
        // The order in which transfers begin has no effect on an exact allocation, but a literal one depends on it.
        let turns = N::LITERAL || trace.polls();
        let shortest_sleep = if N::LITERAL { model.precision.others } else { SHORTEST_SLEEP };
        let jobs = Jobs::new(jobs, rank_map.ranks());
        if let Some(jobs) = &jobs {
            network.know_jobs(jobs.first_ranks());
        }
        Self {
            trace,
            platform,
            rank_map,
            model,
            observer,
            now: 0.0,
            processes: (0..)
                .zip(&trace.actions)
                .map(|(rank, actions)| Process::new(rank, ActionCursor::new(actions)))
                .collect(),
            ready: (0..rank_map.ranks()).collect(),
            ended: 0,
            messages: Messages::new(),
            network,
            cpu: Cpu::new(platform, rank_map, shortest_sleep, turns),
            groups: Groups::new(&trace.communicators, rank_map),
            agreement: Agreement::default(),
            graphs: None,
            awaited: jobs.as_ref().map_or(u32::MAX, |jobs| jobs.awaited()),
            jobs,
            skip: stop.map(|stop| Box::new(Skip::new(stop, rank_map.ranks()))),
            backgrounds: FxHashMap::default(),
            free_backgrounds: Vec::new(),
            answers: FxHashMap::default(),
            watched_for: 0,
            crowded: is_far(rank_map.ranks() as usize),
            turns,
            one_by_one: turns || !model.mpi.recv_overhead.is_none(),
            tests: 1.0,
            probes: 1.0,
            message_count: 0,
            byte_count: 0,
            substitutions: Vec::new(),
        }
    }
}
