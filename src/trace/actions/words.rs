//! Actions as two words: equal words mean equal actions and vice versa, except for zeros with different signs.

use crate::trace::{Action, CommunicatorId, Datatype};

/// Returns two words that identify the action.
///
/// The first has the number of the action in its lowest byte, the datatype above it, and the other rank in its upper 32
/// bits.
#[inline]
pub(crate) fn to_words(action: &Action) -> [u64; 2] {
    let pair = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
    let head = |code: u32, other: u32| pair(code, other);
    let message = |code: u32, other: u32, middle: u32, count: u32, datatype: Datatype| {
        [head(code | u32::from(datatype.id() as u8) << 8, other), pair(middle, count)]
    };
    match *action {
        Action::Init => [0, 0],
        Action::Finalize => [1, 0],
        Action::NoOperation => [2, 0],
        Action::WaitAll => [3, 0],
        Action::Compute { flops } => [4, flops.to_bits()],
        Action::Sleep { seconds } => [5, seconds.to_bits()],
        Action::Send { to, tag, count, datatype } => message(6, to, tag as u32, count, datatype),
        Action::Isend { to, tag, count, datatype } => message(7, to, tag as u32, count, datatype),
        Action::Recv { from, tag, count, datatype } => message(8, from, tag as u32, count, datatype),
        Action::Irecv { from, tag, count, datatype } => message(9, from, tag as u32, count, datatype),
        Action::Wait { source, destination, tag } => [head(10, source), pair(destination, tag as u32)],
        Action::Test { source, destination, tag } => [head(11, source), pair(destination, tag as u32)],
        Action::SendRecv { index } => [head(12, index), 0],
        Action::Collective { index } => [head(13, index), 0],
        Action::Start { index, request } => [head(14, index), request.into()],
        Action::WaitRequest { request } => [head(15, request), 0],
        Action::TestRequest { request } => [head(16, request), 0],
        Action::Put { to, window, count, datatype } => message(17, to, window.number(), count, datatype),
        Action::Get { from, window, count, datatype } => message(18, from, window.number(), count, datatype),
        Action::Accumulate { to, window, count, datatype } => message(19, to, window.number(), count, datatype),
        Action::Fence { window } => [head(20, window.number()), 0],
        Action::Flush { window, to } => [head(21, window.number()), to.into()],
        Action::Probe { from, tag } => [head(22, from), u64::from(tag as u32)],
        Action::Iprobe { from, tag } => [head(23, from), u64::from(tag as u32)],
        Action::Pick { nth } => [head(24, nth), 0],
    }
}

/// Returns the action with these words.
///
/// # Panics
/// If no action has these words.
#[inline]
pub(crate) fn from_words([first, second]: [u64; 2]) -> Action {
    let (other, low, high) = ((first >> 32) as u32, second as u32, (second >> 32) as u32);
    let (tag, count) = (low as i32, high);
    let window = |number| CommunicatorId::from_number(number);
    let id = (first >> 8) as u8;
    let id = if id == u8::MAX { -1 } else { i64::from(id) };
    let datatype = Datatype::from_id(id).expect("words are those of an action");
    match first as u8 {
        0 => Action::Init,
        1 => Action::Finalize,
        2 => Action::NoOperation,
        3 => Action::WaitAll,
        4 => Action::Compute { flops: f64::from_bits(second) },
        5 => Action::Sleep { seconds: f64::from_bits(second) },
        6 => Action::Send { to: other, tag, count, datatype },
        7 => Action::Isend { to: other, tag, count, datatype },
        8 => Action::Recv { from: other, tag, count, datatype },
        9 => Action::Irecv { from: other, tag, count, datatype },
        10 => Action::Wait { source: other, destination: low, tag: high as i32 },
        11 => Action::Test { source: other, destination: low, tag: high as i32 },
        12 => Action::SendRecv { index: other },
        13 => Action::Collective { index: other },
        14 => Action::Start { index: other, request: low },
        15 => Action::WaitRequest { request: other },
        16 => Action::TestRequest { request: other },
        17 => Action::Put { to: other, window: window(low), count, datatype },
        18 => Action::Get { from: other, window: window(low), count, datatype },
        19 => Action::Accumulate { to: other, window: window(low), count, datatype },
        20 => Action::Fence { window: window(other) },
        21 => Action::Flush { window: window(other), to: low },
        22 => Action::Probe { from: other, tag },
        23 => Action::Iprobe { from: other, tag },
        24 => Action::Pick { nth: other },
        code => panic!("{code} is the number of no action"),
    }
}
