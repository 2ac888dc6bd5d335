//! Traces for SimGrid's own replay (release 3.32), which knows one communicator, that of all ranks, and none of the
//! extensions of time-independent text (docs/reference/traces.md).

use std::collections::BTreeMap;

use crate::trace::{Action, Actions, CommunicatorId, Trace};

/// Number of calls of each kind that SimGrid cannot read.
pub type Unreadable = BTreeMap<&'static str, u64>;

/// Returns the name of the part of an action that SimGrid cannot read; `None` for actions that it can.
fn unreadable(trace: &Trace, action: &Action, is_world: &[bool]) -> Option<&'static str> {
    let has_others = |id: CommunicatorId| id.index().is_some_and(|index| !is_world[index]);
    match action {
        Action::Collective { index } => has_others(trace.collectives[*index as usize].communicator)
            .then_some("collectives on other communicators than that of all ranks"),
        Action::Start { .. } | Action::WaitRequest { .. } | Action::TestRequest { .. } => {
            Some("non-blocking collectives")
        }
        Action::Pick { .. } => Some("waits for another request of a triple than the oldest"),
        Action::Put { .. } | Action::Get { .. } | Action::Accumulate { .. } => Some("one-sided operations"),
        Action::Fence { .. } | Action::Flush { .. } => Some("one-sided synchronisation"),
        Action::Probe { .. } | Action::Iprobe { .. } => Some("probes"),
        _ => None,
    }
}

/// Returns `true` if each communicator of a trace consists of all ranks in their order.
fn equal_to_world(trace: &Trace) -> Vec<bool> {
    let ranks = trace.ranks();
    let in_order = |members: &[u32]| members.len() == ranks && (0..).zip(members).all(|(rank, &member)| rank == member);
    trace.communicators.iter().map(|members| in_order(members)).collect()
}

/// Counts everything that SimGrid cannot read; communicators that equal that of all ranks are counted as well, since
/// their text is unknown to it.
pub fn unreadable_by_simgrid(trace: &Trace) -> Unreadable {
    count(trace, &vec![false; trace.communicators.len()])
}

fn count(trace: &Trace, is_world: &[bool]) -> Unreadable {
    let mut found = Unreadable::new();
    for action in trace.actions.iter().flatten() {
        if let Some(what) = unreadable(trace, &action, is_world) {
            *found.entry(what).or_default() += 1;
        }
    }
    found
}

/// Returns the trace as SimGrid reads it: communicators that equal that of all ranks become it, and anything that
/// SimGrid cannot read is left out. The counts of omissions are empty if the trace is equivalent to the original.
pub fn for_simgrid(trace: &Trace) -> (Trace, Unreadable) {
    let is_world = equal_to_world(trace);
    let left_out = count(trace, &is_world);
    let mut collectives = trace.collectives.clone();
    for call in &mut collectives {
        if call.communicator.index().is_some_and(|index| is_world[index]) {
            call.communicator = CommunicatorId::WORLD;
        }
    }
    let store = trace.new_store();
    let actions = trace.actions.iter().map(|actions| {
        let mut kept = Actions::in_store(&store);
        actions
            .iter()
            .filter(|action| unreadable(trace, action, &is_world).is_none())
            .for_each(|action| kept.push(action));
        kept
    });
    let kept = Trace {
        name: trace.name.clone(),
        actions: actions.collect(),
        sendrecvs: trace.sendrecvs.clone(),
        collectives,
        counts: trace.counts.clone(),
        side: trace.side.clone(),
        recorded_seconds: trace.recorded_seconds,
        ..Trace::default()
    };
    (kept, left_out)
}
