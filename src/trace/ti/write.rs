//! Writing a trace as TI text.

use std::io::{self, Write};

use crate::steps::Steps;
use crate::trace::{
    ANY_TARGET, Action, CollectiveCall, CollectiveKind, CommunicatorId, Counts, Datatype, SendRecv, Trace,
    UNKNOWN_COUNT,
};

/// Writes a trace as one merged TI text, rank after rank.
///
/// Reading it produces the same actions again, if every rank has one. Roots and datatypes are written even if they are
/// the defaults, so that no line depends on another; actions without effect all become `comm_dup`.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    write_as(trace, 0, out, &Steps::default())
}

/// Writes a part of a trace, whose first rank may have a number above 0.
///
/// Communicators, which all parts share, are declared before the first rank.
pub(crate) fn write_as(trace: &Trace, first: usize, out: &mut impl Write, steps: &Steps) -> io::Result<()> {
    let declared = if first == 0 { &trace.communicators[..] } else { &[] };
    for (number, members) in (1..).zip(declared) {
        write!(out, "{first} communicator {number}")?;
        members.iter().try_for_each(|member| write!(out, " {member}"))?;
        out.write_all(b"\n")?;
    }
    for (rank, actions) in (first..).zip(&trace.actions) {
        for action in actions {
            write!(out, "{rank} ")?;
            write_action(trace, &action, out)?;
            out.write_all(b"\n")?;
        }
        steps.did(actions.len() as u64);
    }
    Ok(())
}

/// Returns an action as TI text, without its rank.
pub(crate) fn text(trace: &Trace, action: &Action) -> String {
    let mut line = Vec::new();
    // Writing to memory does not fail, and the text is ASCII.
    let _ = write_action(trace, action, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

fn write_action(trace: &Trace, action: &Action, out: &mut impl Write) -> io::Result<()> {
    match *action {
        Action::Init => write!(out, "init"),
        Action::Finalize => write!(out, "finalize"),
        Action::NoOperation => write!(out, "comm_dup"),
        Action::Compute { flops } => write!(out, "compute {}", number(flops)),
        Action::Sleep { seconds } => write!(out, "sleep {}", number(seconds)),
        Action::Send { to, tag, count, datatype } => message(out, "send", to, tag, count, datatype),
        Action::Isend { to, tag, count, datatype } => message(out, "isend", to, tag, count, datatype),
        Action::Recv { from, tag, count, datatype } => message(out, "recv", from, tag, count, datatype),
        Action::Irecv { from, tag, count, datatype } => message(out, "irecv", from, tag, count, datatype),
        Action::Wait { source, destination, tag } => write!(out, "wait {source} {destination} {tag}"),
        Action::Test { source, destination, tag } => write!(out, "test {source} {destination} {tag}"),
        Action::Pick { nth } => write!(out, "pick {nth}"),
        Action::WaitAll => write!(out, "waitall"),
        Action::SendRecv { index } => {
            let SendRecv { to, send_count, send_type, from, recv_count, recv_type } = trace.sendrecvs[index as usize];
            let (send_type, recv_type) = (send_type.id(), recv_type.id());
            write!(out, "sendRecv {send_count} {to} {recv_count} {from} {send_type} {recv_type}")
        }
        Action::Collective { index } => write_call(trace, &trace.collectives[index as usize], None, out),
        Action::Start { index, request } => write_call(trace, &trace.collectives[index as usize], Some(request), out),
        Action::WaitRequest { request } => write!(out, "wait_request {request}"),
        Action::TestRequest { request } => write!(out, "test_request {request}"),
        Action::Put { to, window, count, datatype } => one_sided(out, "put", to, window, count, datatype),
        Action::Get { from, window, count, datatype } => one_sided(out, "get", from, window, count, datatype),
        Action::Accumulate { to, window, count, datatype } => one_sided(out, "accumulate", to, window, count, datatype),
        Action::Fence { window } => on(window, out).and_then(|()| write!(out, "fence")),
        Action::Flush { window, to: ANY_TARGET } => on(window, out).and_then(|()| write!(out, "flush")),
        Action::Flush { window, to } => on(window, out).and_then(|()| write!(out, "flush {to}")),
        Action::Probe { from, tag } => write!(out, "probe {from} {tag}"),
        Action::Iprobe { from, tag } => write!(out, "iprobe {from} {tag}"),
    }
}

fn on(communicator: CommunicatorId, out: &mut impl Write) -> io::Result<()> {
    if communicator.is_world() { Ok(()) } else { write!(out, "on {} ", communicator.number()) }
}

fn one_sided(
    out: &mut impl Write,
    name: &str,
    partner: u32,
    window: CommunicatorId,
    count: u32,
    datatype: Datatype,
) -> io::Result<()> {
    on(window, out)?;
    write!(out, "{name} {partner} {count} {}", datatype.id())
}

fn message(out: &mut impl Write, name: &str, partner: u32, tag: i32, count: u32, datatype: Datatype) -> io::Result<()> {
    let count = if count == UNKNOWN_COUNT { -1 } else { i64::from(count) };
    write!(out, "{name} {partner} {tag} {count} {}", datatype.id())
}

fn write_call(trace: &Trace, call: &CollectiveCall, request: Option<u32>, out: &mut impl Write) -> io::Result<()> {
    use CollectiveKind as K;
    let &CollectiveCall { kind, root, send_count, recv_count, flops, .. } = call;
    let (sent, received) = (call.send_type.id(), call.recv_type.id());
    on(call.communicator, out)?;
    match request {
        None => write!(out, "{}", kind.name())?,
        Some(request) => write!(out, "{} {request}", kind.nonblocking_name())?,
    }
    match kind {
        K::Barrier => Ok(()),
        K::Bcast => write!(out, " {send_count} {root} {sent}"),
        K::Reduce => write!(out, " {send_count} {} {root} {sent}", number(flops)),
        K::Allreduce | K::Scan | K::Exscan => write!(out, " {send_count} {} {sent}", number(flops)),
        K::Alltoall | K::Allgather => write!(out, " {send_count} {recv_count} {sent} {received}"),
        K::Gather | K::Scatter => write!(out, " {send_count} {recv_count} {root} {sent} {received}"),
        K::Alltoallv => {
            write!(out, " {send_count}")?;
            vector(out, trace, call.send_counts)?;
            write!(out, " {recv_count}")?;
            vector(out, trace, call.recv_counts)?;
            write!(out, " {sent} {received}")
        }
        K::Gatherv => {
            write!(out, " {send_count}")?;
            vector(out, trace, call.recv_counts)?;
            write!(out, " {root} {sent} {received}")
        }
        K::Allgatherv => {
            write!(out, " {send_count}")?;
            vector(out, trace, call.recv_counts)?;
            write!(out, " {sent} {received}")?;
            vector(out, trace, call.displacements)
        }
        K::Scatterv => {
            vector(out, trace, call.send_counts)?;
            write!(out, " {recv_count} {root} {sent} {received}")
        }
        K::ReduceScatter => {
            vector(out, trace, call.recv_counts)?;
            write!(out, " {} {sent}", number(flops))
        }
    }
}

fn vector(out: &mut impl Write, trace: &Trace, counts: Counts) -> io::Result<()> {
    trace.counts(counts).iter().try_for_each(|count| write!(out, " {count}"))
}

/// Returns the shortest decimal form that reads back to the same number; with an exponent if that is shorter.
fn number(value: f64) -> String {
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    if scientific.len() < plain.len() { scientific } else { plain }
}
