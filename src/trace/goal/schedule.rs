//! Graphs of operations, and an order in which a rank can perform them one after the other.
//!
//! Not every order will do: a rank that waited for the wrong message first could wait for ever. So all ranks are run together
//! once, without any notion of time. An operation begins when everything that it waits for has happened, a receive has
//! happened when its send has begun; the order in which that comes to pass is one that all ranks can keep.

use std::collections::VecDeque;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::NANOSECONDS;
use crate::trace::calls::{At, Program};
use crate::trace::error::TraceError;
use crate::trace::{Action, Effect, Options, Trace};

/// What an operation does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Send,
    Receive,
    Calculate,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub kind: Kind,
    pub cpu: u8,
    /// The other rank.
    pub peer: u32,
    pub tag: u32,
    /// Bytes, or nanoseconds.
    pub size: u64,
    /// The line or the byte where it stands, as [`Schedule`] knows.
    pub at: u64,
}

/// The operations of a rank, and what waits for what.
#[derive(Default)]
pub(super) struct Graph {
    pub operations: Vec<Operation>,
    /// The later one, the earlier one, and whether it waits only for the start of that.
    pub edges: Vec<(u32, u32, bool)>,
}

/// An operation, and whether it is about its start only: in one word, since there are as many as operations.
#[derive(Clone, Copy, Default)]
struct Link(u32);

impl Link {
    fn new(operation: u32, on_start: bool) -> Self {
        Self(operation << 1 | u32::from(on_start))
    }

    fn operation(self) -> u32 {
        self.0 >> 1
    }

    fn on_start(self) -> bool {
        self.0 & 1 == 1
    }
}

/// Most operations of a rank.
pub(super) const MOST_OPERATIONS: usize = 1 << 31;

/// A graph under way.
#[derive(Default)]
struct Run {
    operations: Vec<Operation>,
    /// For each operation, where its edges begin in the lists.
    waits: Vec<u32>,
    earlier: Vec<Link>,
    frees: Vec<u32>,
    later: Vec<Link>,
    /// How many things each still waits for.
    left: Vec<u32>,
    ready: VecDeque<u32>,
    /// Whether it was waited for, or needs no wait.
    waited: Vec<bool>,
    /// Whether something has been posted that nobody waits for yet.
    open: usize,
    /// The message that the last action posts, if it does.
    last: Option<u32>,
}

impl Run {
    fn new(mut graph: Graph) -> Run {
        // What was posted last is waited for first: it can become a call that blocks.
        graph.edges.sort_by_key(|&(later, earlier, on_start)| (later, std::cmp::Reverse(earlier), on_start));
        let count = graph.operations.len();
        let list = |key: fn(&(u32, u32, bool)) -> (u32, u32)| {
            let mut starts = vec![0u32; count + 1];
            graph.edges.iter().for_each(|edge| starts[key(edge).0 as usize + 1] += 1);
            (0..count).for_each(|i| starts[i + 1] += starts[i]);
            let mut next = starts.clone();
            let mut list = vec![Link::default(); graph.edges.len()];
            for edge in &graph.edges {
                let (from, to) = key(edge);
                list[next[from as usize] as usize] = Link::new(to, edge.2);
                next[from as usize] += 1;
            }
            (starts, list)
        };
        let (waits, earlier) = list(|&(later, earlier, _)| (later, earlier));
        let (frees, later) = list(|&(later, earlier, _)| (earlier, later));
        let left: Vec<u32> = (0..count).map(|i| waits[i + 1] - waits[i]).collect();
        let ready = (0..count as u32).filter(|&i| left[i as usize] == 0).collect();
        let waited = vec![false; count];
        Run { operations: graph.operations, waits, earlier, frees, later, left, ready, waited, open: 0, last: None }
    }

    /// Tells those that wait for the start, or for the end, of an operation.
    fn free(&mut self, operation: u32, start: bool) {
        let range = self.frees[operation as usize] as usize..self.frees[operation as usize + 1] as usize;
        for at in range {
            let link = self.later[at];
            let later = link.operation();
            if link.on_start() == start {
                self.left[later as usize] -= 1;
                if self.left[later as usize] == 0 {
                    self.ready.push_back(later);
                }
            }
        }
    }
}

/// Sends and receives of a triple that were posted and are without the other half.
#[derive(Default)]
struct Posted {
    sends: u64,
    receives: VecDeque<u32>,
}

/// The operations of all ranks.
///
/// All of them are in memory, in some 50 bytes each: what an operation requires may stand anywhere before it, and which of two comes
/// first may depend on a message from a rank that stands further down.
pub(super) struct Schedule {
    runs: Vec<Run>,
    /// What the places of operations are.
    place: fn(u64) -> At,
}

impl Schedule {
    /// For so many ranks that have no operations yet.
    pub fn new(ranks: usize, place: fn(u64) -> At) -> Self {
        Self { runs: (0..ranks).map(|_| Run::default()).collect(), place }
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.runs.len()
    }

    /// Gives a rank its operations.
    pub fn put(&mut self, rank: usize, graph: Graph) {
        self.runs[rank] = Run::new(graph);
    }
}

/// Puts the operations of all ranks in order.
pub(super) fn trace(schedule: Schedule, name: &str, file: &Path, options: &Options) -> Result<Trace, TraceError> {
    let Schedule { mut runs, place: at } = schedule;
    let mut program = Program::new("GOAL", options, runs.len());
    let mut posted: FxHashMap<(u32, u32, u32), Posted> = FxHashMap::default();
    let mut active: VecDeque<u32> = (0..runs.len() as u32).collect();
    while let Some(rank) = active.pop_front() {
        while let Some(next) = runs[rank as usize].ready.pop_front() {
            begin(&mut program, &mut runs, rank, next, &|place| (file, at(place)))?;
            runs[rank as usize].free(next, true);
            let operation = runs[rank as usize].operations[next as usize];
            match operation.kind {
                Kind::Calculate => runs[rank as usize].free(next, false),
                Kind::Send => {
                    runs[rank as usize].free(next, false);
                    let place = posted.entry((rank, operation.peer, operation.tag)).or_default();
                    match place.receives.pop_front() {
                        Some(receive) => {
                            runs[operation.peer as usize].free(receive, false);
                            active.push_back(operation.peer);
                        }
                        None => place.sends += 1,
                    }
                }
                Kind::Receive => {
                    let place = posted.entry((operation.peer, rank, operation.tag)).or_default();
                    if place.sends > 0 {
                        place.sends -= 1;
                        runs[rank as usize].free(next, false);
                    } else {
                        place.receives.push_back(next);
                    }
                }
            }
        }
    }
    for (rank, run) in (0..).zip(&runs) {
        if let Some(stuck) = run.left.iter().position(|&left| left > 0) {
            let problem = format!("an operation of rank {rank} can never begin");
            let help = "what it requires waits for itself, or for a message that nobody sends";
            return Err(program.error(file, at(run.operations[stuck].at), problem, help));
        }
        if run.open > 0 {
            program.push(rank, Action::WaitAll);
        }
    }
    program.finish(name, file)
}

/// Begins an operation: waits for the messages that it requires, and posts it.
fn begin<'f>(
    program: &mut Program<'_>,
    runs: &mut [Run],
    rank: u32,
    index: u32,
    place: &dyn Fn(u64) -> (&'f Path, At),
) -> Result<(), TraceError> {
    let run = &mut runs[rank as usize];
    let operation = run.operations[index as usize];
    let (file, here) = place(operation.at);
    for at in run.waits[index as usize] as usize..run.waits[index as usize + 1] as usize {
        let (earlier, on_start) = (run.earlier[at].operation(), run.earlier[at].on_start());
        if !on_start && !std::mem::replace(&mut run.waited[earlier as usize], true) {
            run.open -= 1;
            let is_last = run.last.take() == Some(earlier);
            wait(program, rank, &run.operations[earlier as usize], is_last);
        }
    }
    if operation.cpu > 0 {
        let what = "operations on several cores of a rank: one after the other";
        program.note(Effect::Approximated, what, rank, file, here);
    }
    let tag = i32::try_from(operation.tag);
    let Ok(tag) = tag else {
        return Err(program.error(file, here, "the tag is above 2147483647", "use smaller tags"));
    };
    match operation.kind {
        Kind::Calculate => {
            run.waited[index as usize] = true;
            if operation.size > 0 {
                run.last = None;
                let flops = operation.size as f64 / NANOSECONDS * program.recorded_speed();
                program.push(rank, Action::Compute { flops: flops.min(f64::MAX) });
            }
        }
        Kind::Send => {
            (run.open, run.last) = (run.open + 1, Some(index));
            let (count, datatype) = program.elements(operation.size, rank, file, here)?;
            program.push(rank, Action::Isend { to: operation.peer, tag, count, datatype });
        }
        Kind::Receive => {
            (run.open, run.last) = (run.open + 1, Some(index));
            let (count, datatype) = program.elements(operation.size, rank, file, here)?;
            program.push(rank, Action::Irecv { from: operation.peer, tag, count, datatype });
        }
    }
    Ok(())
}

/// Waits for a message; one that was posted just before becomes a call that blocks. An older one of the same partner and tag is
/// not that one: to block on the newer would wait for what may only come after the older is used.
fn wait(program: &mut Program<'_>, rank: u32, operation: &Operation, is_last: bool) {
    let (peer, tag) = (operation.peer, operation.tag as i32);
    let actions = &mut program.ranks[rank as usize].actions;
    match actions.last() {
        Some(last) if is_last => {
            let blocks = match last {
                Action::Isend { to, tag, count, datatype } => Action::Send { to, tag, count, datatype },
                Action::Irecv { from, tag, count, datatype } => Action::Recv { from, tag, count, datatype },
                other => other,
            };
            actions.set(actions.len() - 1, blocks);
        }
        _ if operation.kind == Kind::Send => actions.push(Action::Wait { source: rank, destination: peer, tag }),
        _ if operation.kind == Kind::Receive => actions.push(Action::Wait { source: peer, destination: rank, tag }),
        _ => {}
    }
}
