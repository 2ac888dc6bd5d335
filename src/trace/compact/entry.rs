//! The entries of a section: actions with all their arguments.
//!
//! Partners are relative to the rank, so that ranks with equivalent actions look the same to a compressor.

use crate::trace::tables::Tables;
use crate::trace::varint::{Cursor, put, put_signed};
use crate::trace::{
    ANY_TARGET, Action, CollectiveCall, CollectiveKind, CommunicatorId, Counts, Datatype, SendRecv, Trace, check_call,
};

/// Codes of entries. The order is part of the format.
const INIT: u8 = 0;
const FINALIZE: u8 = 1;
const NO_OPERATION: u8 = 2;
const WAITALL: u8 = 3;
const COMPUTE: u8 = 4;
const SLEEP: u8 = 5;
const SEND: u8 = 6;
const ISEND: u8 = 7;
const RECV: u8 = 8;
const IRECV: u8 = 9;
const WAIT: u8 = 10;
const TEST: u8 = 11;
const SENDRECV: u8 = 12;
/// Base of collectives: plus the number of the operation in [`CollectiveKind::ALL`].
const COLLECTIVE: u8 = 16;
/// Base of collectives on a communicator, whose number comes first.
const COLLECTIVE_ON: u8 = 32;
/// Base of non-blocking collectives: the numbers of request and communicator come first.
const START: u8 = 48;
const WAIT_REQUEST: u8 = 64;
const TEST_REQUEST: u8 = 65;
const PUT: u8 = 66;
const GET: u8 = 67;
const ACCUMULATE: u8 = 68;
const FENCE: u8 = 69;
/// Waits for operations on all ranks, or on one.
const FLUSH: u8 = 70;
const FLUSH_ONE: u8 = 71;
const PROBE: u8 = 72;
const IPROBE: u8 = 73;
const PICK: u8 = 74;

/// Writes an action of `rank`.
pub(super) fn encode(trace: &Trace, action: &Action, rank: u32, out: &mut Vec<u8>) {
    let partner = |other: u32, out: &mut Vec<u8>| put_signed(i64::from(other) - i64::from(rank), out);
    let message = |code: u8, other: u32, tag: i32, count: u32, datatype: Datatype, out: &mut Vec<u8>| {
        out.push(code);
        partner(other, out);
        put(u64::from(tag as u32), out);
        // One more than the count, so that a receive of unknown size is a 0.
        put(u64::from(count.wrapping_add(1)), out);
        out.push(datatype.id() as u8);
    };
    match *action {
        Action::Init => out.push(INIT),
        Action::Finalize => out.push(FINALIZE),
        Action::NoOperation => out.push(NO_OPERATION),
        Action::WaitAll => out.push(WAITALL),
        Action::Compute { flops: value } | Action::Sleep { seconds: value } => {
            out.push(if matches!(action, Action::Compute { .. }) { COMPUTE } else { SLEEP });
            out.extend(value.to_le_bytes());
        }
        Action::Send { to, tag, count, datatype } => message(SEND, to, tag, count, datatype, out),
        Action::Isend { to, tag, count, datatype } => message(ISEND, to, tag, count, datatype, out),
        Action::Recv { from, tag, count, datatype } => message(RECV, from, tag, count, datatype, out),
        Action::Irecv { from, tag, count, datatype } => message(IRECV, from, tag, count, datatype, out),
        Action::Wait { source, destination, tag } | Action::Test { source, destination, tag } => {
            out.push(if matches!(action, Action::Wait { .. }) { WAIT } else { TEST });
            partner(source, out);
            partner(destination, out);
            put(u64::from(tag as u32), out);
        }
        Action::SendRecv { index } => {
            let SendRecv { to, send_count, send_type, from, recv_count, recv_type } = trace.sendrecvs[index as usize];
            out.push(SENDRECV);
            partner(to, out);
            put(u64::from(send_count), out);
            out.push(send_type.id() as u8);
            partner(from, out);
            put(u64::from(recv_count), out);
            out.push(recv_type.id() as u8);
        }
        Action::Collective { index } => {
            let call = &trace.collectives[index as usize];
            if call.communicator.is_world() {
                out.push(COLLECTIVE + call.kind as u8);
            } else {
                out.push(COLLECTIVE_ON + call.kind as u8);
                put(u64::from(call.communicator.number()), out);
            }
            encode_call(trace, call, out);
        }
        Action::Start { index, request } => {
            let call = &trace.collectives[index as usize];
            out.push(START + call.kind as u8);
            put(u64::from(request), out);
            put(u64::from(call.communicator.number()), out);
            encode_call(trace, call, out);
        }
        Action::WaitRequest { request } | Action::TestRequest { request } => {
            out.push(if matches!(action, Action::WaitRequest { .. }) { WAIT_REQUEST } else { TEST_REQUEST });
            put(u64::from(request), out);
        }
        Action::Pick { nth } => {
            out.push(PICK);
            put(u64::from(nth), out);
        }
        Action::Put { to: other, window, count, datatype }
        | Action::Get { from: other, window, count, datatype }
        | Action::Accumulate { to: other, window, count, datatype } => {
            out.push(match action {
                Action::Put { .. } => PUT,
                Action::Get { .. } => GET,
                _ => ACCUMULATE,
            });
            partner(other, out);
            put(u64::from(window.number()), out);
            put(u64::from(count), out);
            out.push(datatype.id() as u8);
        }
        Action::Fence { window } => {
            out.push(FENCE);
            put(u64::from(window.number()), out);
        }
        Action::Flush { window, to } => {
            out.push(if to == ANY_TARGET { FLUSH } else { FLUSH_ONE });
            put(u64::from(window.number()), out);
            if to != ANY_TARGET {
                partner(to, out);
            }
        }
        Action::Probe { from, tag } | Action::Iprobe { from, tag } => {
            out.push(if matches!(action, Action::Probe { .. }) { PROBE } else { IPROBE });
            partner(from, out);
            put(u64::from(tag as u32), out);
        }
    }
}

fn encode_call(trace: &Trace, call: &CollectiveCall, out: &mut Vec<u8>) {
    put(u64::from(call.root), out);
    put(u64::from(call.send_count), out);
    put(u64::from(call.recv_count), out);
    out.push(call.send_type.id() as u8);
    out.push(call.recv_type.id() as u8);
    out.extend(call.flops.to_le_bytes());
    for counts in [call.send_counts, call.recv_counts, call.displacements] {
        let vector = trace.counts(counts);
        put(vector.len() as u64, out);
        let mut before = 0;
        for &count in vector {
            put_signed(i64::from(count) - before, out);
            before = i64::from(count);
        }
    }
}

/// Reads an action of `rank`, and stores arguments that do not fit into it in the tables.
pub(super) fn decode(bytes: &mut Cursor<'_>, rank: u32, ranks: usize, tables: &mut Tables) -> Result<Action, String> {
    const SHORT: &str = "an action lacks arguments, or has one that is too large";
    let code = bytes.byte().ok_or(SHORT)?;
    let action = match code {
        INIT => Action::Init,
        FINALIZE => Action::Finalize,
        NO_OPERATION => Action::NoOperation,
        WAITALL => Action::WaitAll,
        COMPUTE => Action::Compute { flops: f64::from_le_bytes(bytes.take().ok_or(SHORT)?) },
        SLEEP => Action::Sleep { seconds: f64::from_le_bytes(bytes.take().ok_or(SHORT)?) },
        SEND..=IRECV => message(code, bytes, rank).ok_or(SHORT)?,
        WAIT | TEST => {
            let mut request = || Some((partner(bytes, rank)?, partner(bytes, rank)?, bytes.small()? as i32));
            let (source, destination, tag) = request().ok_or(SHORT)?;
            match code {
                WAIT => Action::Wait { source, destination, tag },
                _ => Action::Test { source, destination, tag },
            }
        }
        SENDRECV => {
            let entry = sendrecv(bytes, rank).ok_or(SHORT)?;
            check_call::sendrecv(&entry, ranks)?;
            Action::SendRecv { index: tables.sendrecv(entry).map_err(full)? }
        }
        COLLECTIVE..WAIT_REQUEST => {
            let number = usize::from(code % COLLECTIVE);
            let kind = *CollectiveKind::ALL.get(number).ok_or_else(|| format!("there is no action {code}"))?;
            let first = code - number as u8;
            let mut numbered = |there: bool| if there { bytes.small() } else { Some(0) };
            let mut head = || Some((numbered(first == START)?, numbered(first != COLLECTIVE)?));
            let (request, communicator) = head().ok_or(SHORT)?;
            let communicator = CommunicatorId::from_number(communicator);
            let index = collective(bytes, kind, communicator, rank, ranks, tables)?;
            if first == START { Action::Start { index, request } } else { Action::Collective { index } }
        }
        WAIT_REQUEST => Action::WaitRequest { request: bytes.small().ok_or(SHORT)? },
        TEST_REQUEST => Action::TestRequest { request: bytes.small().ok_or(SHORT)? },
        PICK => Action::Pick { nth: bytes.small().ok_or(SHORT)? },
        PUT..=IPROBE => {
            let action = beside(code, bytes, rank).ok_or(SHORT)?;
            check_call::window(&action, rank, &tables.communicators, ranks)?;
            action
        }
        _ => return Err(format!("there is no action {code}")),
    };
    check_call::action(&action, ranks)?;
    Ok(action)
}

/// Reads one-sided operations and probes.
fn beside(code: u8, bytes: &mut Cursor<'_>, rank: u32) -> Option<Action> {
    let window = |bytes: &mut Cursor<'_>| bytes.small().map(CommunicatorId::from_number);
    Some(match code {
        FENCE => Action::Fence { window: window(bytes)? },
        FLUSH => Action::Flush { window: window(bytes)?, to: ANY_TARGET },
        FLUSH_ONE => Action::Flush { window: window(bytes)?, to: partner(bytes, rank)? },
        PROBE => Action::Probe { from: partner(bytes, rank)?, tag: bytes.small()? as i32 },
        IPROBE => Action::Iprobe { from: partner(bytes, rank)?, tag: bytes.small()? as i32 },
        _ => {
            let (other, window) = (partner(bytes, rank)?, window(bytes)?);
            let (count, datatype) = (bytes.small()?, datatype(bytes)?);
            match code {
                PUT => Action::Put { to: other, window, count, datatype },
                GET => Action::Get { from: other, window, count, datatype },
                _ => Action::Accumulate { to: other, window, count, datatype },
            }
        }
    })
}

fn full(full: crate::trace::tables::Full) -> String {
    format!("the trace has more than {} different {}", u32::MAX, full.0)
}

fn partner(bytes: &mut Cursor<'_>, rank: u32) -> Option<u32> {
    // A rank that wraps around or is too large is detected later.
    bytes.signed().and_then(|difference| i64::from(rank).checked_add(difference)?.try_into().ok())
}

fn datatype(bytes: &mut Cursor<'_>) -> Option<Datatype> {
    let id = bytes.byte()?;
    Datatype::from_id(if id == u8::MAX { -1 } else { i64::from(id) })
}

fn message(code: u8, bytes: &mut Cursor<'_>, rank: u32) -> Option<Action> {
    let other = partner(bytes, rank)?;
    let tag = bytes.small()? as i32;
    let count = u32::try_from(bytes.number()?).ok()?.wrapping_sub(1);
    let datatype = datatype(bytes)?;
    Some(match code {
        SEND => Action::Send { to: other, tag, count, datatype },
        ISEND => Action::Isend { to: other, tag, count, datatype },
        RECV => Action::Recv { from: other, tag, count, datatype },
        _ => Action::Irecv { from: other, tag, count, datatype },
    })
}

fn sendrecv(bytes: &mut Cursor<'_>, rank: u32) -> Option<SendRecv> {
    let (to, send_count, send_type) = (partner(bytes, rank)?, bytes.small()?, datatype(bytes)?);
    let (from, recv_count, recv_type) = (partner(bytes, rank)?, bytes.small()?, datatype(bytes)?);
    Some(SendRecv { to, send_count, send_type, from, recv_count, recv_type })
}

fn collective(
    bytes: &mut Cursor<'_>,
    kind: CollectiveKind,
    communicator: CommunicatorId,
    rank: u32,
    ranks: usize,
    tables: &mut Tables,
) -> Result<u32, String> {
    let ranks = check_call::member(communicator, rank, &tables.communicators, ranks)?;
    const SHORT: &str = "a collective lacks arguments, or has one that is too large";
    let none = Counts::default();
    let mut scalars = || {
        Some(CollectiveCall {
            kind,
            communicator,
            root: bytes.small()?,
            send_count: bytes.small()?,
            recv_count: bytes.small()?,
            send_type: datatype(bytes)?,
            recv_type: datatype(bytes)?,
            flops: f64::from_le_bytes(bytes.take()?),
            send_counts: none,
            recv_counts: none,
            displacements: none,
        })
    };
    let mut call = scalars().ok_or(SHORT)?;
    let mut vectors: [Vec<u32>; 3] = Default::default();
    for vector in &mut vectors {
        let length = bytes.small().ok_or(SHORT)? as usize;
        if length != 0 && length != ranks {
            return Err(format!("a collective has {length} counts for {ranks} members"));
        }
        // Each count takes at least one byte, so the size of the file bounds the allocation.
        vector.reserve(length.min(bytes.rest().len()));
        let mut before = 0i64;
        for _ in 0..length {
            let difference = bytes.signed().ok_or(SHORT)?;
            before = before.checked_add(difference).ok_or(SHORT)?;
            vector.push(u32::try_from(before).map_err(|_| SHORT)?);
        }
    }
    let [sent, received, displacements] = &vectors;
    check_call::collective(&call, [sent, received, displacements], ranks)?;
    call.send_counts = tables.counts(sent).map_err(full)?;
    call.recv_counts = tables.counts(received).map_err(full)?;
    call.displacements = tables.counts(displacements).map_err(full)?;
    tables.collective(call).map_err(full)
}
