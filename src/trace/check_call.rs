//! Rules for the arguments of actions of all formats. The engine relies on them.

use super::{
    ANY_TARGET, Action, CollectiveCall, CollectiveKind, CommunicatorId, MemberList, Members, SendRecv, Trace,
    UNKNOWN_COUNT,
};

/// Largest count, tag and rank: they are signed 32-bit integers in MPI.
pub(super) const MOST: u32 = i32::MAX as u32;

/// Description of a wrong argument.
pub(super) type Wrong = &'static str;

fn rule(holds: bool, wrong: Wrong) -> Result<(), Wrong> {
    if holds { Ok(()) } else { Err(wrong) }
}

/// Checks an action that refers to no table.
pub(super) fn action(action: &Action, ranks: usize) -> Result<(), Wrong> {
    let rank = |r: u32| rule((r as usize) < ranks, "a rank is not below the number of ranks");
    let tagged = |tag: i32| rule(tag >= 0, "a tag is negative");
    let counted = |count: u32| rule(count <= MOST, "a count is above 2147483647");
    match *action {
        Action::Compute { flops } => rule(flops.is_finite() && flops >= 0.0, "an amount of flops is not zero or more"),
        Action::Sleep { seconds } => rule(seconds.is_finite(), "a duration is not finite"),
        Action::Send { to, tag, count, .. } | Action::Isend { to, tag, count, .. } => {
            rank(to).and_then(|()| tagged(tag)).and_then(|()| counted(count))
        }
        Action::Recv { from, tag, count, .. } | Action::Irecv { from, tag, count, .. } => {
            let known = if count == UNKNOWN_COUNT { 0 } else { count };
            rank(from).and_then(|()| tagged(tag)).and_then(|()| counted(known))
        }
        Action::Wait { source, destination, tag } | Action::Test { source, destination, tag } => {
            rank(source).and_then(|()| rank(destination)).and_then(|()| tagged(tag))
        }
        Action::Put { to: other, count, .. }
        | Action::Get { from: other, count, .. }
        | Action::Accumulate { to: other, count, .. } => rank(other).and_then(|()| counted(count)),
        Action::Probe { from, tag } | Action::Iprobe { from, tag } => rank(from).and_then(|()| tagged(tag)),
        _ => Ok(()),
    }
}

/// Checks that a rank is a member of a communicator; returns the number of members.
pub(super) fn member(id: CommunicatorId, rank: u32, table: &[MemberList], ranks: usize) -> Result<usize, Wrong> {
    rule(id.index().is_none_or(|index| index < table.len()), "there is no such communicator")?;
    let members = Members::of(table, id, ranks);
    rule(members.member(rank).is_some(), "a rank is no member of the communicator that it uses")?;
    Ok(members.size())
}

/// Returns the window of a one-sided operation of `rank`, and the other rank.
fn window_of(action: &Action, rank: u32) -> Option<(CommunicatorId, u32)> {
    Some(match *action {
        Action::Put { to: other, window, .. }
        | Action::Get { from: other, window, .. }
        | Action::Accumulate { to: other, window, .. } => (window, other),
        Action::Flush { window, to } => (window, if to == ANY_TARGET { rank } else { to }),
        Action::Fence { window } => (window, rank),
        _ => return None,
    })
}

/// Checks that the ranks of a one-sided operation are members of its window.
pub(super) fn window(action: &Action, rank: u32, table: &[MemberList], ranks: usize) -> Result<(), Wrong> {
    let Some((window, other)) = window_of(action, rank) else { return Ok(()) };
    member(window, rank, table, ranks).and_then(|_| member(window, other, table, ranks)).map(|_| ())
}

/// Checks that all ranks are members of the communicators that they use; the error is rank and action of the first that
/// is not.
pub(super) fn communicators(trace: &Trace) -> Result<(), (usize, usize, Wrong)> {
    if trace.communicators.is_empty() {
        return Ok(());
    }
    let (table, ranks) = (&trace.communicators, trace.ranks());
    let mut known: rustc_hash::FxHashSet<(u32, CommunicatorId)> = Default::default();
    let mut check = |id: CommunicatorId, rank: u32| {
        if id.is_world() || !known.insert((rank, id)) { Ok(()) } else { member(id, rank, table, ranks).map(|_| ()) }
    };
    for (rank, actions) in trace.actions.iter().enumerate() {
        for (at, action) in actions.iter().enumerate() {
            let own = rank as u32;
            let (id, other) = match action.collective() {
                Some(index) => (trace.collectives[index as usize].communicator, own),
                None => match window_of(&action, own) {
                    Some(both) => both,
                    None => continue,
                },
            };
            check(id, own).and_then(|()| check(id, other)).map_err(|wrong| (rank, at, wrong))?;
        }
    }
    Ok(())
}

/// Checks the arguments of a `sendRecv`.
pub(super) fn sendrecv(entry: &SendRecv, ranks: usize) -> Result<(), Wrong> {
    let &SendRecv { to, from, send_count, recv_count, .. } = entry;
    rule((to.max(from) as usize) < ranks, "a rank is not below the number of ranks")?;
    rule(send_count.max(recv_count) <= MOST, "a count is above 2147483647")
}

/// Checks the arguments of a collective of `ranks` members, with its vectors: counts sent, counts received,
/// displacements.
pub(super) fn collective(call: &CollectiveCall, vectors: [&[u32]; 3], ranks: usize) -> Result<(), Wrong> {
    use CollectiveKind as K;
    rule((call.root as usize) < ranks, "a root is not below the number of members")?;
    rule(call.send_count.max(call.recv_count) <= MOST, "a count is above 2147483647")?;
    rule(call.flops.is_finite() && call.flops >= 0.0, "an amount of flops is not zero or more")?;
    rule(vectors.iter().all(|v| v.iter().all(|&count| count <= MOST)), "a count is above 2147483647")?;
    let sends = matches!(call.kind, K::Alltoallv | K::Scatterv);
    let receives = matches!(call.kind, K::Alltoallv | K::Gatherv | K::Allgatherv | K::ReduceScatter);
    let expected = |there: bool| if there { ranks } else { 0 };
    let fits = vectors[0].len() == expected(sends)
        && vectors[1].len() == expected(receives)
        && (vectors[2].is_empty() || (call.kind == K::Allgatherv && vectors[2].len() == ranks));
    rule(fits, "a collective does not have one count for each member")
}
