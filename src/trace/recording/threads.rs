//! Calls during which another thread of the rank was recorded.
//!
//! Such a call may wait for actions of the other thread. Its start is therefore placed where it began, and its
//! completion where it returned; a blocking call becomes the non-blocking one and a wait. Each rank is still one list
//! of starts and ends in the order in which they happened, in which the ranks can repeat them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::trace::calls::Program;
use crate::trace::{Action, Actions, CommunicatorId};

/// Place of an action of a rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ActionPlace {
    /// Among the actions of the rank.
    At(usize),
    /// Among the inserted actions.
    Between(usize),
}

/// An action to insert before the one with index `before`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Between {
    pub before: usize,
    pub action: Action,
    pub is_split: bool,
}

/// Concurrent calls of the threads of a rank.
#[derive(Default)]
pub(super) struct Threads {
    /// Threads that are in a call, with its start.
    pub entered: FxHashMap<i64, usize>,
    /// Start of the call of the next record.
    pub left: Option<usize>,
    /// Starts to insert where their calls began.
    pub between: Vec<Between>,
    /// Indices of collectives that were blocking, and are now a start and a wait.
    pub split: Vec<usize>,
}

/// Visits the actions of a rank with the inserted ones, with a flag for collectives that were blocking.
fn walk(actions: &Actions, threads: &Threads, mut see: impl FnMut(Action, bool)) {
    let mut between = threads.between.iter().peekable();
    let mut split = threads.split.iter().peekable();
    for (at, action) in actions.iter().enumerate() {
        while let Some(one) = between.next_if(|one| one.before <= at) {
            see(one.action, one.is_split);
        }
        see(action, split.next_if(|&&place| place == at).is_some());
    }
    between.for_each(|one| see(one.action, one.is_split));
}

/// Inserts the collected actions, once all ranks have been read. A collective that is a start and a wait on one member
/// of its communicator has to be that on all.
pub(super) fn weave(program: &mut Program<'_>, mut ranks: Vec<(u32, Threads)>) {
    for (_, threads) in &mut ranks {
        threads.between.sort_by_key(|one| one.before);
        threads.split.sort_unstable();
    }
    let number = |program: &Program<'_>, made: &mut FxHashMap<CommunicatorId, u64>, index: u32| {
        let communicator = program.tables.collectives.get(index as usize).map(|call| call.communicator)?;
        let next = made.entry(communicator).or_default();
        *next += 1;
        Some((communicator, *next))
    };
    let mut split = FxHashSet::default();
    let has_split = |threads: &Threads| !threads.split.is_empty() || threads.between.iter().any(|one| one.is_split);
    for (rank, threads) in ranks.iter().filter(|(_, threads)| has_split(threads)) {
        let mut made = FxHashMap::default();
        walk(&program.ranks[*rank as usize].actions, threads, |action, is_split| match action {
            Action::Collective { index } => drop(number(program, &mut made, index)),
            Action::Start { index, .. } if is_split => split.extend(number(program, &mut made, index)),
            _ => {}
        });
    }
    for (rank, threads) in ranks.iter().filter(|(_, threads)| !split.is_empty() || !threads.between.is_empty()) {
        let state = &program.ranks[*rank as usize];
        let request = state.requests.unused();
        let (mut made, mut woven) = (FxHashMap::default(), state.actions.none_alike());
        walk(&state.actions, threads, |action, is_split| match action {
            Action::Collective { index }
                if number(program, &mut made, index).is_some_and(|number| split.contains(&number)) =>
            {
                woven.push(Action::Start { index, request });
                woven.push(Action::WaitRequest { request });
            }
            Action::Start { index, .. } if is_split => {
                number(program, &mut made, index);
                woven.push(action);
            }
            _ => woven.push(action),
        });
        program.ranks[*rank as usize].actions = woven;
    }
}
