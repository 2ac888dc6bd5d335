//! Graphs of operations, and an order in which a rank can perform them one after the other.
//!
//! Not every order will do: a rank that waited for the wrong message first could wait for ever. So all ranks are run
//! together once, without any notion of time. An operation begins when everything that it waits for has happened; a
//! message has happened, to both sides, when its send and its receive have begun, as large messages do; the order in
//! which that comes to pass is one that all ranks can keep. Where all ranks would wait for ever like this, the oldest
//! sends are done without a receiver, as those of small messages are.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::NANOSECONDS;
use super::graph::{Graphs, Kind, Link, MOST, Operation, Place};
use crate::trace::calls::{At, Program};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::schedule::{Graph, OperationKind, Schedule as Kept};
use crate::trace::{Action, Actions, Effect, Options, Trace};

/// Operations that a rank begins in a row. Others have their turn then, so that no rank gets far ahead of those that
/// receive from it.
const TURN: usize = 4096;

/// What becomes of messages that name a card other than the first.
const CARDS: &str = "messages of a further network card of a rank: over the links of its host, as all others (the model \
                     loggops keeps cards apart)";

/// The reason why an operation in a circle never begins, and the way out.
const CIRCLE: &str = "what it requires waits for itself";
const CIRCLE_HELP: &str = "leave out one of the edges that make the circle";

/// A graph under way.
#[derive(Default)]
struct Run {
    place: Place,
    /// The first operation that may wait for nothing and was not looked at yet.
    root: u32,
    /// Those that wait for nothing more.
    ready: VecDeque<u32>,
    /// Whether the rank is among those that have a turn.
    active: bool,
    begun: u32,
    /// Whether something has been posted that nobody waits for yet.
    open: usize,
    /// The message that the last action posts, if it does.
    last: Option<u32>,
    /// Sends that nobody has received, the oldest first, and some that are done.
    unmatched: VecDeque<u32>,
    /// How many of them are not done.
    undone: usize,
    /// Whether the rank is among those that may have such.
    holds: bool,
}

/// Sends and receives of a triple that were posted and are without the other half.
#[derive(Default)]
struct Posted {
    sends: VecDeque<u32>,
    receives: VecDeque<u32>,
}

/// The operations of all ranks.
///
/// What an operation requires may stand anywhere before it, and which of two comes first may depend on a message from a
/// rank that stands further down. So all of them have to be read before the first can be put in its place.
pub(super) struct Schedule {
    graphs: Graphs,
    places: Vec<Place>,
    /// What the places of operations are.
    at: fn(u64) -> At,
}

impl Schedule {
    /// For ranks that have no operations yet.
    pub fn new(options: &Options, at: fn(u64) -> At) -> Self {
        // As much as for the actions that are made of them.
        Self { graphs: Graphs::new(options.actions_in_memory.saturating_mul(16)), places: Vec::new(), at }
    }

    /// Says how many ranks there are.
    pub fn set_ranks(&mut self, ranks: usize) {
        self.places = vec![Place::default(); ranks];
        self.graphs.set_ranks(ranks);
    }

    /// How many ranks there are.
    pub fn ranks(&self) -> usize {
        self.places.len()
    }

    /// Adds an operation to the rank that is being read; gives its number, or nothing if there are too many.
    pub fn push(&mut self, operation: &Operation) -> Option<u32> {
        (self.graphs.operations() < MOST).then(|| self.graphs.push(operation))
    }

    /// Says that an operation of that rank waits for another one, or for its start only; `false` if that is said too
    /// often.
    pub fn edge(&mut self, later: u32, earlier: u32, on_start: bool) -> bool {
        let fits = self.graphs.edges() < MOST;
        if fits {
            self.graphs.edge(later, Link { operation: earlier, on_start });
        }
        fits
    }

    /// Edges of that rank.
    pub fn edges(&self) -> u64 {
        self.graphs.edges()
    }

    /// Ends it: it was this one.
    pub fn close(&mut self, rank: usize) {
        self.places[rank] = self.graphs.close();
    }
}

/// All ranks under way.
struct Order<'o> {
    program: Program<'o>,
    graphs: Graphs,
    runs: Vec<Run>,
    /// Ranks that can begin something.
    active: VecDeque<u32>,
    /// Ranks that may have sends that nobody has received.
    holders: Vec<u32>,
    /// By source, destination and tag.
    posted: FxHashMap<(u32, u32, u32), Posted>,
    /// Of the operation at work.
    links: Vec<Link>,
    at: fn(u64) -> At,
}

/// Keeps the graphs of all ranks as they are.
fn graphs(schedule: Schedule, name: &str, file: &Path, options: &Options) -> Result<Trace, TraceError> {
    let Schedule { mut graphs, places, at } = schedule;
    if places.iter().all(|place| place.count == 0) {
        return Err(TraceError::whole(file, TraceErrorKind::Empty));
    }
    let mut links = Vec::new();
    let mut ranks = Vec::with_capacity(places.len());
    let mut program = Program::new("GOAL", options, 0);
    for place in places {
        let mut graph = Graph::with_capacity(place.count as usize, place.edges());
        for number in 0..place.count {
            let Operation { kind, cpu, nic, peer, tag, size, at: here } = graphs.operation(place, number);
            if nic > 0 && kind != Kind::Calculate {
                program.note(Effect::Approximated, CARDS, ranks.len() as u32, file, at(here));
            }
            let kind = match kind {
                Kind::Send => OperationKind::Send,
                Kind::Receive => OperationKind::Receive,
                Kind::Calculate => OperationKind::Calculate,
            };
            graphs.later(place, number, &mut links);
            graph.push((kind, cpu, nic), (size, peer, tag), links.iter().map(|link| (link.operation, link.on_start)));
        }
        if let Some(number) = graph.first_in_circle() {
            let rank = ranks.len();
            let here = at(graphs.operation(place, number).at);
            let problem = format!("an operation of rank {rank} can never begin: {CIRCLE}");
            return Err(program.error(file, here, problem, CIRCLE_HELP));
        }
        ranks.push(graph);
    }
    let actions = ranks.iter().map(|_| Actions::default()).collect();
    let flops_per_nanosecond = options.recorded_speed / NANOSECONDS;
    let schedule = Some(Arc::new(Kept { ranks, flops_per_nanosecond }));
    let warnings = program.take_warnings();
    Ok(Trace { name: name.to_owned(), actions, schedule, warnings, ..Trace::default() })
}

/// Puts the operations of all ranks in order, or keeps them as graphs where that is wanted.
pub(super) fn trace(schedule: Schedule, name: &str, file: &Path, options: &Options) -> Result<Trace, TraceError> {
    if options.keep_graphs {
        return graphs(schedule, name, file, options);
    }
    let Schedule { graphs, places, at } = schedule;
    let ranks = places.len() as u32;
    let mut order = Order {
        program: Program::new("GOAL", options, places.len()),
        graphs,
        runs: places.into_iter().map(|place| Run { place, active: true, ..Run::default() }).collect(),
        active: (0..ranks).collect(),
        holders: Vec::new(),
        posted: FxHashMap::default(),
        links: Vec::new(),
        at,
    };
    loop {
        while let Some(rank) = order.active.pop_front() {
            order.runs[rank as usize].active = false;
            order.turn(rank, file)?;
        }
        if !order.release() {
            break;
        }
    }
    for rank in 0..ranks {
        order.end(rank, file)?;
    }
    order.program.finish(name, file)
}

impl Order<'_> {
    /// The operation that a rank begins next: those that wait for nothing from the start, then those that have become
    /// ready.
    fn next(&mut self, rank: u32) -> Option<u32> {
        let run = &mut self.runs[rank as usize];
        while run.root < run.place.roots_end {
            let root = run.root;
            run.root += 1;
            if self.graphs.is_root(run.place, root) {
                return Some(root);
            }
        }
        run.ready.pop_front()
    }

    fn activate(&mut self, rank: u32) {
        if !std::mem::replace(&mut self.runs[rank as usize].active, true) {
            self.active.push_back(rank);
        }
    }

    /// Tells those that wait for the start, or for the end, of an operation.
    fn free(&mut self, rank: u32, operation: u32, start: bool) {
        let run = &mut self.runs[rank as usize];
        self.graphs.later(run.place, operation, &mut self.links);
        for link in &self.links {
            if link.on_start == start && self.graphs.happened(run.place, link.operation) == 0 {
                run.ready.push_back(link.operation);
            }
        }
    }

    /// Begins some operations of a rank, as long as it has any.
    fn turn(&mut self, rank: u32, file: &Path) -> Result<(), TraceError> {
        for _ in 0..TURN {
            let Some(next) = self.next(rank) else { return Ok(()) };
            self.perform(rank, next, file)?;
        }
        self.activate(rank);
        Ok(())
    }

    /// Begins an operation, and ends it, or one of another rank, if it can.
    fn perform(&mut self, rank: u32, number: u32, file: &Path) -> Result<(), TraceError> {
        let operation = self.graphs.operation(self.runs[rank as usize].place, number);
        self.begin(rank, number, &operation, file)?;
        self.free(rank, number, true);
        match operation.kind {
            Kind::Calculate => self.free(rank, number, false),
            Kind::Send => {
                let triple = (rank, operation.peer, operation.tag);
                match self.post(triple, number, |posted| (&mut posted.receives, &mut posted.sends)) {
                    Some(receive) => {
                        self.free(rank, number, false);
                        self.free(operation.peer, receive, false);
                        self.activate(operation.peer);
                    }
                    None => self.hold(rank, number),
                }
            }
            Kind::Receive => {
                let triple = (operation.peer, rank, operation.tag);
                if let Some(send) = self.post(triple, number, |posted| (&mut posted.sends, &mut posted.receives)) {
                    self.end_send(operation.peer, send);
                    self.free(rank, number, false);
                }
            }
        }
        Ok(())
    }

    /// Keeps a send that nobody has received yet.
    fn hold(&mut self, rank: u32, send: u32) {
        let run = &mut self.runs[rank as usize];
        run.unmatched.push_back(send);
        run.undone += 1;
        if !std::mem::replace(&mut run.holds, true) {
            self.holders.push(rank);
        }
    }

    /// A send is done, since somebody receives it or nobody does; gives whether it was not before.
    fn end_send(&mut self, rank: u32, send: u32) -> bool {
        let run = &mut self.runs[rank as usize];
        if self.graphs.done(run.place, send) {
            return false;
        }
        run.undone -= 1;
        // They may be received in any order, so those in the middle are looked for seldom, and all at once.
        if run.unmatched.front() == Some(&send) {
            run.unmatched.pop_front();
        } else if run.unmatched.len() > 2 * run.undone + 64 {
            run.unmatched.retain(|&send| !self.graphs.is_done(run.place, send));
        }
        self.free(rank, send, false);
        self.activate(rank);
        true
    }

    /// Nothing can begin: of each rank, sends are done without a receiver until that lets something begin. Gives
    /// whether there were any.
    fn release(&mut self) -> bool {
        let mut released = false;
        for rank in std::mem::take(&mut self.holders) {
            while self.runs[rank as usize].ready.is_empty()
                && let Some(send) = self.runs[rank as usize].unmatched.pop_front()
            {
                released |= self.end_send(rank, send);
            }
            let run = &mut self.runs[rank as usize];
            run.holds = !run.unmatched.is_empty();
            if run.holds {
                self.holders.push(rank);
            }
        }
        released
    }

    /// Takes the other half of a message, or leaves one half for it. Triples of which nothing is under way are
    /// forgotten: programs may have as many tags as messages.
    fn post(
        &mut self,
        triple: (u32, u32, u32),
        number: u32,
        halves: impl FnOnce(&mut Posted) -> (&mut VecDeque<u32>, &mut VecDeque<u32>),
    ) -> Option<u32> {
        let mut place = match self.posted.entry(triple) {
            Entry::Vacant(place) => place.insert_entry(Posted::default()),
            Entry::Occupied(place) => place,
        };
        let (others, own) = halves(place.get_mut());
        let other = others.pop_front();
        if other.is_none() {
            own.push_back(number);
        } else if others.is_empty() && own.is_empty() {
            place.remove();
        }
        other
    }

    /// Begins an operation: waits for the messages that it requires, and posts it.
    fn begin(&mut self, rank: u32, number: u32, operation: &Operation, file: &Path) -> Result<(), TraceError> {
        let here = (self.at)(operation.at);
        let run = &mut self.runs[rank as usize];
        run.begun += 1;
        self.graphs.earlier(run.place, number, &mut self.links);
        let mut waited = false;
        for &Link { operation: earlier, on_start } in &self.links {
            if !on_start && !self.graphs.waited(run.place, earlier) {
                waited = true;
                let operation = self.graphs.operation(run.place, earlier);
                let is_last = run.last.take() == Some(earlier);
                // Both halves of a message to itself have one triple, and a wait for the one could be one for the
                // other. It is received when it is sent, so waiting for that half is enough.
                if operation.kind != Kind::Send || operation.peer != rank {
                    run.open -= 1;
                    wait(&mut self.program, rank, &operation, is_last);
                }
            }
        }
        if waited {
            self.note_concurrency(rank, number, file, here);
        }
        let program = &mut self.program;
        let run = &mut self.runs[rank as usize];
        if operation.cpu > 0 {
            let what = "operations on several cores of a rank: one after the other";
            program.note(Effect::Approximated, what, rank, file, here);
        }
        if operation.nic > 0 && operation.kind != Kind::Calculate {
            program.note(Effect::Approximated, CARDS, rank, file, here);
        }
        let Ok(tag) = i32::try_from(operation.tag) else {
            return Err(program.error(file, here, "the tag is above 2147483647", "use smaller tags"));
        };
        if operation.kind == Kind::Calculate {
            self.graphs.waited(run.place, number);
            if operation.size > 0 {
                run.last = None;
                // What a nanosecond stands for is a whole number mostly.
                let flops = operation.size as f64 * (program.recorded_speed() / NANOSECONDS);
                program.push(rank, Action::Compute { flops: flops.min(f64::MAX) });
            }
            return Ok(());
        }
        (run.open, run.last) = (run.open + 1, Some(number));
        let (count, datatype) = program.elements(operation.size, rank, file, here)?;
        program.push(
            rank,
            match operation.kind {
                Kind::Send => Action::Isend { to: operation.peer, tag, count, datatype },
                _ => Action::Irecv { from: operation.peer, tag, count, datatype },
            },
        );
        Ok(())
    }

    /// An operation has waited, and others are ready that do not require what it has waited for: in a list, they begin
    /// after it all the same.
    fn note_concurrency(&mut self, rank: u32, number: u32, file: &Path, here: At) {
        let run = &self.runs[rank as usize];
        let Some(&next) = run.ready.front() else { return };
        let mut required = Vec::new();
        self.graphs.earlier(run.place, number, &mut self.links);
        self.graphs.earlier(run.place, next, &mut required);
        if self.links.iter().any(|link| !link.on_start && !required.contains(link)) {
            let what = "an operation beside which others are ready, in a list one after the other: the order is that in \
                        which they become ready, rank by rank (a replay of the schedule itself keeps the graph)";
            self.program.note(Effect::Approximated, what, rank, file, here);
        }
    }

    /// Ends a rank, which has begun what it can.
    fn end(&mut self, rank: u32, file: &Path) -> Result<(), TraceError> {
        let run = &self.runs[rank as usize];
        if run.begun < run.place.count {
            let stuck = (0..run.place.count).find(|&number| self.graphs.left(run.place, number) > 0);
            let stuck = stuck.expect("operations that wait for nothing more have begun");
            let (at, why, help) = match self.blocker(rank, stuck) {
                Blocker::Receive(Operation { peer, tag, .. }) => (
                    stuck,
                    format!("it requires a message of rank {peer} with tag {tag} that is never sent"),
                    "add the send; if there is one, what it requires waits for this operation, or for other messages",
                ),
                Blocker::Circle(number) => (number, CIRCLE.into(), CIRCLE_HELP),
            };
            let here = (self.at)(self.graphs.operation(self.runs[rank as usize].place, at).at);
            let problem = format!("an operation of rank {rank} can never begin: {why}");
            return Err(self.program.error(file, here, problem, help));
        }
        if run.open > 0 {
            self.program.push(rank, Action::WaitAll);
        }
        Ok(())
    }

    /// Returns what an operation that has not begun waits for in the end.
    fn blocker(&mut self, rank: u32, stuck: u32) -> Blocker {
        let place = self.runs[rank as usize].place;
        let to_rank = self.posted.iter().filter(|((_, destination, _), _)| *destination == rank);
        let open: FxHashSet<u32> = to_rank.flat_map(|(_, posted)| &posted.receives).copied().collect();
        let (mut seen, mut next) = (FxHashSet::default(), stuck);
        while seen.insert(next) {
            self.graphs.earlier(place, next, &mut self.links);
            if let Some(link) = self.links.iter().find(|link| !link.on_start && open.contains(&link.operation)) {
                return Blocker::Receive(self.graphs.operation(place, link.operation));
            }
            next = self.earlier_stuck(place, next);
        }
        // The first one that comes up again is in the circle.
        let (mut least, mut at) = (next, self.earlier_stuck(place, next));
        while at != next {
            least = least.min(at);
            at = self.earlier_stuck(place, at);
        }
        Blocker::Circle(least)
    }

    /// Returns an operation that has not begun and that a stuck one without an open receive waits for.
    fn earlier_stuck(&mut self, place: Place, number: u32) -> u32 {
        self.graphs.earlier(place, number, &mut self.links);
        let earlier =
            self.links.iter().map(|link| link.operation).rfind(|&earlier| self.graphs.left(place, earlier) > 0);
        earlier.expect("an operation is stuck behind a receive or behind another that is stuck")
    }
}

/// What an operation that can never begin waits for.
enum Blocker {
    /// A receive whose message is never sent.
    Receive(Operation),
    /// Itself, or a circle whose first operation this is.
    Circle(u32),
}

/// Waits for a message; one that was posted just before becomes a call that blocks. An older one of the same partner
/// and tag is not that one: to block on the newer would wait for what may only come after the older is used.
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
