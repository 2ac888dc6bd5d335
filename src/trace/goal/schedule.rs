//! Graphs of operations, and an order in which a rank can perform them one after the other.
//!
//! Not every order works: a rank that waited for the wrong message first could wait forever. All ranks are therefore
//! run together once, without any notion of time. An operation starts when all its requirements have happened; a
//! message has happened, at both ends, when its send and its receive have started, like large messages; the resulting
//! order is one that all ranks can keep. If all ranks would wait forever like this, the oldest sends complete without a
//! receive, like those of small messages.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Dependency, GraphOperation, GraphPosition, MOST, NANOSECONDS, PagedGraphs};
use crate::trace::calls::{FilePosition, Program};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::schedule::{Graph, OperationKind, Schedule as Kept};
use crate::trace::{Action, Actions, Effect, Options, Trace};

/// Largest number of consecutive operations of a rank. Other ranks run then, so that no rank gets far ahead of its
/// receivers.
const TURN: usize = 4096;

/// Largest message of a graph: a pebibyte, so that no sum of headers and messages is too large to count.
const LARGEST: u64 = 1 << 50;

/// Replacement of messages that name a card other than the first.
const CARDS: &str = "messages of an additional network card of a rank: sent over the links of its host, unless the model is \
                     loggops";

/// Reason why an operation in a circle never begins, and the remedy.
const CIRCLE: &str = "what it requires waits for itself";
const CIRCLE_HELP: &str = "leave out one of the edges that make the circle";

/// A graph in progress.
#[derive(Default)]
struct GraphRun {
    place: GraphPosition,
    /// The first operation without requirements that was not examined yet.
    root: u32,
    /// Operations whose requirements have happened.
    ready: VecDeque<u32>,
    /// `true` if the rank is in the queue of active ranks.
    active: bool,
    begun: u32,
    /// Number of posted operations that have not been waited for.
    open: usize,
    /// The message that the last action posts, if any.
    last: Option<u32>,
    /// Sends without a receive, the oldest first, and some that are complete.
    unmatched: VecDeque<u32>,
    /// Number of those sends that are not complete.
    undone: usize,
    /// `true` if the rank is listed as having such sends.
    holds: bool,
}

/// Posted sends or receives of a triple without counterpart.
#[derive(Default)]
struct PostedQueues {
    sends: VecDeque<u32>,
    receives: VecDeque<u32>,
}

/// The operations of all ranks.
///
/// The requirements of an operation may appear anywhere before it, and the order of two may depend on a message from
/// a rank that is defined later. All operations have to be read to place the first one.
pub(super) struct Schedule {
    graphs: PagedGraphs,
    places: Vec<GraphPosition>,
    /// Meaning of the positions of operations.
    at: fn(u64) -> FilePosition,
    /// `true` if a tag is too large for a list.
    has_large_tags: bool,
}

impl Schedule {
    /// Creates a schedule for ranks without operations.
    pub fn new(options: &Options, at: fn(u64) -> FilePosition) -> Self {
        // The same limit as for the resulting actions.
        let graphs = PagedGraphs::new(options.actions_in_memory.saturating_mul(16));
        Self { graphs, places: Vec::new(), at, has_large_tags: false }
    }

    /// Sets the number of ranks.
    pub fn set_ranks(&mut self, ranks: usize) {
        self.places = vec![GraphPosition::default(); ranks];
        self.graphs.set_ranks(ranks);
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.places.len()
    }

    /// Adds an operation to the rank that is being read; returns its number, or `None` if there are too many.
    pub fn push(&mut self, operation: &GraphOperation) -> Option<u32> {
        self.has_large_tags |= i32::try_from(operation.tag).is_err();
        (self.graphs.operations() < MOST).then(|| self.graphs.push(operation))
    }

    /// Adds an edge to that rank: an operation waits for another one, or for its start only; `false` if there are too
    /// many edges.
    pub fn edge(&mut self, later: u32, earlier: u32, on_start: bool) -> bool {
        let fits = self.graphs.edges() < MOST;
        if fits {
            self.graphs.edge(later, Dependency { operation: earlier, on_start });
        }
        fits
    }

    /// Returns the number of edges of that rank.
    pub fn edges(&self) -> u64 {
        self.graphs.edges()
    }

    /// Finishes the rank that is being read, under this number.
    pub fn close(&mut self, rank: usize) {
        self.places[rank] = self.graphs.close();
    }
}

/// All ranks in progress.
struct Order<'o> {
    program: Program<'o>,
    graphs: PagedGraphs,
    runs: Vec<GraphRun>,
    /// Ranks with operations that can start.
    active: VecDeque<u32>,
    /// Ranks that may have sends without a receive.
    holders: Vec<u32>,
    /// Posted messages by source, destination and tag.
    posted: FxHashMap<(u32, u32, u32), PostedQueues>,
    /// Links of the current operation.
    links: Vec<Dependency>,
    at: fn(u64) -> FilePosition,
    tags: Tags,
}

/// Tags of the lists. Those of a schedule have 32 bits, those of a list 31: if any has more, all from [`KEPT_TAGS`] on
/// are replaced, in the order in which they are used, by others from the largest number down.
struct Tags {
    replaces: bool,
    replaced: FxHashMap<u32, i32>,
}

/// Tags below this number are never replaced.
const KEPT_TAGS: u32 = 1 << 30;

impl Tags {
    /// Returns the tag of a list for one of the schedule; `None` if there are more than 2^30 to replace.
    fn of_list(&mut self, tag: u32) -> Option<i32> {
        if !self.replaces || tag < KEPT_TAGS {
            return i32::try_from(tag).ok();
        }
        let next = i32::MAX - i32::try_from(self.replaced.len()).ok()?;
        let tag = *self.replaced.entry(tag).or_insert(next);
        (tag >= KEPT_TAGS as i32).then_some(tag)
    }
}

/// Keeps the graphs of all ranks unchanged.
fn graphs(schedule: Schedule, name: &str, file: &Path, options: &Options) -> Result<Trace, TraceError> {
    let Schedule { mut graphs, places, at, .. } = schedule;
    if places.iter().all(|place| place.count == 0) {
        return Err(TraceError::whole(file, TraceErrorKind::Empty));
    }
    let mut links = Vec::new();
    let mut ranks = Vec::with_capacity(places.len());
    let mut program = Program::new("GOAL", options, 0);
    for place in places {
        let mut graph = Graph::with_capacity(place.count as usize, place.edges());
        for number in 0..place.count {
            let GraphOperation { kind, cpu, nic, peer, tag, size, at: here } = graphs.operation(place, number);
            if kind != OperationKind::Calculate && size > LARGEST {
                let message = format!("a message of {size} bytes is too large");
                return Err(program.error(file, at(here), message, "split the message"));
            }
            if nic > 0 && kind != OperationKind::Calculate {
                program.note(Effect::Approximated, CARDS, ranks.len() as u32, file, at(here));
            }
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

/// Orders the operations of all ranks, or keeps them as graphs if requested.
pub(super) fn trace(schedule: Schedule, name: &str, file: &Path, options: &Options) -> Result<Trace, TraceError> {
    if options.keep_graphs {
        return graphs(schedule, name, file, options);
    }
    let Schedule { graphs, places, at, has_large_tags } = schedule;
    let ranks = places.len() as u32;
    let mut order = Order {
        program: Program::new("GOAL", options, places.len()),
        graphs,
        runs: places.into_iter().map(|place| GraphRun { place, active: true, ..GraphRun::default() }).collect(),
        active: (0..ranks).collect(),
        holders: Vec::new(),
        posted: FxHashMap::default(),
        links: Vec::new(),
        at,
        tags: Tags { replaces: has_large_tags, replaced: FxHashMap::default() },
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
    /// Returns the operation that a rank starts next: those without requirements, then those that have become ready.
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

    /// Notifies operations that wait for the start, or for the end, of an operation.
    fn free(&mut self, rank: u32, operation: u32, start: bool) {
        let run = &mut self.runs[rank as usize];
        self.graphs.later(run.place, operation, &mut self.links);
        for link in &self.links {
            if link.on_start == start && self.graphs.happened(run.place, link.operation) == 0 {
                run.ready.push_back(link.operation);
            }
        }
    }

    /// Starts some operations of a rank, as long as it has any.
    fn turn(&mut self, rank: u32, file: &Path) -> Result<(), TraceError> {
        for _ in 0..TURN {
            let Some(next) = self.next(rank) else { return Ok(()) };
            self.perform(rank, next, file)?;
        }
        self.activate(rank);
        Ok(())
    }

    /// Starts an operation, and ends it, or one of another rank, if possible.
    fn perform(&mut self, rank: u32, number: u32, file: &Path) -> Result<(), TraceError> {
        let operation = self.graphs.operation(self.runs[rank as usize].place, number);
        self.begin(rank, number, &operation, file)?;
        self.free(rank, number, true);
        match operation.kind {
            OperationKind::Calculate => self.free(rank, number, false),
            OperationKind::Send => {
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
            OperationKind::Receive => {
                let triple = (operation.peer, rank, operation.tag);
                if let Some(send) = self.post(triple, number, |posted| (&mut posted.sends, &mut posted.receives)) {
                    self.end_send(operation.peer, send);
                    self.free(rank, number, false);
                }
            }
        }
        Ok(())
    }

    /// Keeps a send without a receive.
    fn hold(&mut self, rank: u32, send: u32) {
        let run = &mut self.runs[rank as usize];
        run.unmatched.push_back(send);
        run.undone += 1;
        if !std::mem::replace(&mut run.holds, true) {
            self.holders.push(rank);
        }
    }

    /// Completes a send, received or not; returns `true` if it was not complete.
    fn end_send(&mut self, rank: u32, send: u32) -> bool {
        let run = &mut self.runs[rank as usize];
        if self.graphs.done(run.place, send) {
            return false;
        }
        run.undone -= 1;
        // They may be received in any order, so entries in the middle are removed rarely, and then all together.
        if run.unmatched.front() == Some(&send) {
            run.unmatched.pop_front();
        } else if run.unmatched.len() > 2 * run.undone + 64 {
            run.unmatched.retain(|&send| !self.graphs.is_done(run.place, send));
        }
        self.free(rank, send, false);
        self.activate(rank);
        true
    }

    /// Nothing can start: completes sends of each rank without a receive until something can. Returns `true` if there
    /// were any.
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

    /// Takes the counterpart of a message, or stores the message until the counterpart is posted. Triples without
    /// messages in progress are forgotten: programs may have one tag per message.
    fn post(
        &mut self,
        triple: (u32, u32, u32),
        number: u32,
        halves: impl FnOnce(&mut PostedQueues) -> (&mut VecDeque<u32>, &mut VecDeque<u32>),
    ) -> Option<u32> {
        let mut place = match self.posted.entry(triple) {
            Entry::Vacant(place) => place.insert_entry(PostedQueues::default()),
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

    /// Starts an operation: waits for the messages that it requires, and posts it.
    fn begin(&mut self, rank: u32, number: u32, operation: &GraphOperation, file: &Path) -> Result<(), TraceError> {
        let here = (self.at)(operation.at);
        let run = &mut self.runs[rank as usize];
        run.begun += 1;
        self.graphs.earlier(run.place, number, &mut self.links);
        let mut waited = false;
        for &Dependency { operation: earlier, on_start } in &self.links {
            if !on_start && !self.graphs.waited(run.place, earlier) {
                waited = true;
                let operation = self.graphs.operation(run.place, earlier);
                let is_last = run.last.take() == Some(earlier);
                // The send and the receive of a message to itself have the same triple, and a wait for one could match
                // the other. It is received when it is sent, so waiting for that one is enough.
                if operation.kind != OperationKind::Send || operation.peer != rank {
                    run.open -= 1;
                    // It was posted, so its tag has a replacement if it needs one.
                    let tag = self.tags.of_list(operation.tag).unwrap_or(i32::MAX);
                    wait(&mut self.program, rank, (&operation, tag), is_last);
                }
            }
        }
        if waited {
            self.note_concurrency(rank, number, file, here);
        }
        let program = &mut self.program;
        let run = &mut self.runs[rank as usize];
        if operation.cpu > 0 {
            let what = "operations on several cores of a rank: in a list one after the other, so a replay can take longer (a \
                        .goal file keeps the graph)";
            program.note(Effect::Approximated, what, rank, file, here);
        }
        if operation.nic > 0 && operation.kind != OperationKind::Calculate {
            program.note(Effect::Approximated, CARDS, rank, file, here);
        }
        let Some(tag) = self.tags.of_list(operation.tag) else {
            return Err(program.error(file, here, "more than 2^30 tags are above 2^30", "use smaller tags"));
        };
        if operation.kind == OperationKind::Calculate {
            self.graphs.waited(run.place, number);
            if operation.size > 0 {
                run.last = None;
                // The flops of a nanosecond are usually a whole number.
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
                OperationKind::Send => Action::Isend { to: operation.peer, tag, count, datatype },
                _ => Action::Irecv { from: operation.peer, tag, count, datatype },
            },
        );
        Ok(())
    }

    /// Notes that an operation has waited while others are ready that do not require the same: in a list, they start
    /// after it nevertheless.
    fn note_concurrency(&mut self, rank: u32, number: u32, file: &Path, here: FilePosition) {
        let run = &self.runs[rank as usize];
        let Some(&next) = run.ready.front() else { return };
        let mut required = Vec::new();
        self.graphs.earlier(run.place, number, &mut self.links);
        self.graphs.earlier(run.place, next, &mut required);
        if self.links.iter().any(|link| !link.on_start && !required.contains(link)) {
            let what = "an operation beside which others are ready, in a list one after the other: the order is that in \
                        which they become ready, rank by rank, and a replay can take longer (a .goal file keeps the graph, as does a \
                        replay of the schedule itself)";
            self.program.note(Effect::Approximated, what, rank, file, here);
        }
    }

    /// Ends a rank, which has started everything it can.
    fn end(&mut self, rank: u32, file: &Path) -> Result<(), TraceError> {
        let run = &self.runs[rank as usize];
        if run.begun < run.place.count {
            let stuck = (0..run.place.count).find(|&number| self.graphs.left(run.place, number) > 0);
            let stuck = stuck.expect("operations that wait for nothing more have begun");
            let (at, why, help) = match self.blocker(rank, stuck) {
                Blocker::Receive(GraphOperation { peer, tag, .. }) => (
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

    /// Returns the cause that keeps an operation from beginning.
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
        // The first one that is visited again is in the circle.
        let (mut least, mut at) = (next, self.earlier_stuck(place, next));
        while at != next {
            least = least.min(at);
            at = self.earlier_stuck(place, at);
        }
        Blocker::Circle(least)
    }

    /// Returns an operation that has not begun and that a stuck one without an open receive waits for.
    fn earlier_stuck(&mut self, place: GraphPosition, number: u32) -> u32 {
        self.graphs.earlier(place, number, &mut self.links);
        let earlier =
            self.links.iter().map(|link| link.operation).rfind(|&earlier| self.graphs.left(place, earlier) > 0);
        earlier.expect("an operation is stuck behind a receive or behind another that is stuck")
    }
}

/// Cause that keeps an operation from ever beginning.
enum Blocker {
    /// A receive whose message is never sent.
    Receive(GraphOperation),
    /// Itself, or a circle whose first operation this is.
    Circle(u32),
}

/// Waits for a message; one that was posted just before becomes a blocking call. An older one of the same partner
/// and tag is different: blocking on the newer one would wait for something that may only come after the older is used.
fn wait(program: &mut Program<'_>, rank: u32, (operation, tag): (&GraphOperation, i32), is_last: bool) {
    let peer = operation.peer;
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
        _ if operation.kind == OperationKind::Send => {
            actions.push(Action::Wait { source: rank, destination: peer, tag })
        }
        _ if operation.kind == OperationKind::Receive => {
            actions.push(Action::Wait { source: peer, destination: rank, tag })
        }
        _ => {}
    }
}
