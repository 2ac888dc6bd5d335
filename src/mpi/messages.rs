//! Messages and their matching: first in, first out for each (source, destination, tag), for both sends and receives.
//!
//! Traces have no wildcards (they were resolved when the trace was recorded), so a posted send can only match the
//! oldest posted receive of its own triple. Queues of triples (`inbox.rs`) therefore replace the list search of an MPI
//! library, in constant time whatever the number of posted requests. Messages of collectives also have a context, as in
//! MPI libraries: collectives on different communicators, and non-blocking ones, never mix.

use super::inbox::{Inboxes, Queue};
use crate::prefetch::prefetch;
use crate::slots::store;
use crate::trace::Datatype;
use std::hash::{Hash, Hasher};

/// End of a queue.
const NONE: u32 = u32::MAX;

/// End of a message that a request refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The sender's request.
    Send,
    /// The receiver's request.
    Recv,
}

/// Handle on one end of a message; or on nothing, for a send that needs no wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request(u32);

impl Request {
    /// A request that is complete from the start: a detached send.
    pub const COMPLETE: Request = Request(u32::MAX);

    fn new(message: u32, side: Side) -> Self {
        Request(message << 1 | u32::from(side == Side::Recv))
    }

    /// Returns the message, unless this is [`COMPLETE`](Self::COMPLETE).
    #[inline]
    pub fn message(self) -> Option<u32> {
        (self != Self::COMPLETE).then_some(self.0 >> 1)
    }

    /// Returns the side of the request. A complete request is a send.
    #[inline]
    pub fn side(self) -> Side {
        if self.0 & 1 == 1 && self != Self::COMPLETE { Side::Recv } else { Side::Send }
    }
}

/// Matching key of messages: a triple, and its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Envelope {
    /// Sending rank of the world, also of messages in a communicator.
    pub source: u32,
    /// Receiving rank of the world.
    pub destination: u32,
    /// Tag; negative for collectives.
    pub tag: i32,
    /// 0 for messages of the application and for blocking collectives of all ranks; others have numbers of their own.
    pub context: u32,
}

/// Feeds the hash function two words instead of four.
impl Hash for Envelope {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        let pair = |a: u32, b: u32| u64::from(a) << 32 | u64::from(b);
        state.write_u64(pair(self.source, self.destination));
        state.write_u64(pair(self.context, self.tag as u32));
    }
}

impl Envelope {
    /// Returns the envelope of a message of the application.
    pub fn message(source: u32, destination: u32, tag: i32) -> Self {
        Self { source, destination, tag, context: 0 }
    }
}

/// State of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Only the send is posted.
    SendPosted,
    /// Only the receive is posted.
    RecvPosted,
    /// Both are posted; the transfer runs.
    Travelling,
    /// It has arrived.
    Arrived,
}

/// Message, or a send or receive that waits for its partner. It fills a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Message {
    /// Matching key.
    pub envelope: Envelope,
    /// Payload in bytes, as sent.
    pub bytes: u64,
    /// Payload that the receive has room for.
    pub capacity: u64,
    /// Datatype of the side that was posted first.
    pub datatype: Datatype,
    /// State of its transfer.
    pub progress: Progress,
    /// `true` if the sender does not wait.
    pub detached: bool,
    /// State of the transfer if it began before the receive was posted.
    early: Option<Progress>,
    /// Time at which the transfer began; before that, the time at which the send was posted if that matters (see
    /// [`Messages::request`]).
    pub started: f64,
    /// Time at which its latency is over and it competes for bandwidth.
    pub entered: f64,
    /// `true` if the sender, or the receiver, is blocked on it.
    waiting: [bool; 2],
    /// `true` if the receiver blocked first.
    receiver_first: bool,
    /// Number of parties that still need the entry.
    holders: u8,
    /// Next message in the queue of the envelope.
    next: u32,
}

/// Result of posting a send or receive.
#[derive(Clone, Copy, Debug)]
pub struct Posted {
    /// Request of the poster.
    pub request: Request,
    /// Message that can start now, if its partner was posted.
    pub matched: Option<u32>,
    /// Number of the message.
    pub message: u32,
}

/// Contradiction between a send and its receive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// The message is larger than the receive.
    Truncated {
        /// Payload sent.
        bytes: u64,
        /// Capacity of the receive.
        capacity: u64,
    },
    /// Two datatypes, neither of them bytes.
    Datatypes {
        /// Datatype of the sender.
        sent: Datatype,
        /// Datatype of the receiver.
        received: Datatype,
    },
}

/// All messages that are posted, travelling, or not yet waited for.
#[derive(Default, Debug)]
pub struct Messages {
    entries: Vec<Message>,
    free: Vec<u32>,
    queues: Inboxes,
}

impl Messages {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a message by its number.
    #[inline]
    pub fn get(&self, message: u32) -> &Message {
        &self.entries[message as usize]
    }

    /// Prefetches the message of a request.
    #[inline]
    pub fn prefetch_request(&self, request: Request) {
        if let Some(message) = request.message() {
            prefetch(self.get(message));
        }
    }

    /// Prefetches the posted sends and receives of a rank.
    #[inline]
    pub fn prefetch_inbox(&self, destination: u32) {
        self.queues.prefetch(destination);
    }

    /// Posts a send.
    ///
    /// # Errors
    /// If the matching receive is too small, or of another type.
    #[inline]
    pub fn post_send(
        &mut self,
        envelope: Envelope,
        bytes: u64,
        datatype: Datatype,
        detached: bool,
    ) -> Result<Posted, Mismatch> {
        let half = Message {
            bytes,
            datatype,
            detached,
            holders: 1 + u8::from(!detached),
            ..Message::half(envelope, Progress::SendPosted)
        };
        let (id, met) = self.meet_or_enqueue(half, Progress::RecvPosted);
        if met {
            let message = &mut self.entries[id as usize];
            check(bytes, message.capacity, datatype, message.datatype)?;
            message.bytes = bytes;
            message.detached = detached;
            message.holders += u8::from(!detached);
        }
        let request = if detached { Request::COMPLETE } else { Request::new(id, Side::Send) };
        Ok(Posted { request, matched: met.then_some(id), message: id })
    }

    /// Notes that the send of a message is posted now, so its request to send leaves. [`Message::started`] keeps the
    /// time until the transfer begins.
    #[inline]
    pub fn request(&mut self, message: u32, now: f64) {
        self.entries[message as usize].started = now;
    }

    /// Starts a message whose receive is not posted yet. It stays in the queue until it is.
    pub fn begin_early(&mut self, message: u32, now: f64, latency: f64) {
        let message = &mut self.entries[message as usize];
        message.early = Some(Progress::Travelling);
        message.started = now;
        message.entered = now + latency;
        // The receiver will need it, although its receive is not posted yet.
        message.holders += 1;
    }

    /// Posts a receive with room for `capacity` bytes.
    ///
    /// # Errors
    /// If the matching message is larger, or of another type.
    #[inline]
    pub fn post_recv(&mut self, envelope: Envelope, capacity: u64, datatype: Datatype) -> Result<Posted, Mismatch> {
        let half = Message { capacity, datatype, holders: 2, ..Message::half(envelope, Progress::RecvPosted) };
        let (id, met) = self.meet_or_enqueue(half, Progress::SendPosted);
        if met {
            let message = &mut self.entries[id as usize];
            check(message.bytes, capacity, message.datatype, datatype)?;
            message.capacity = capacity;
            if let Some(progress) = message.early {
                message.progress = progress;
                return Ok(Posted { request: Request::new(id, Side::Recv), matched: None, message: id });
            }
            message.holders += 1;
        }
        Ok(Posted { request: Request::new(id, Side::Recv), matched: met.then_some(id), message: id })
    }

    /// Creates a message that needs no partner, since its target makes no call; `owner` is the side that may wait for
    /// it.
    pub fn post_one_sided(&mut self, envelope: Envelope, bytes: u64, owner: Side) -> Request {
        let half = Message { bytes, capacity: bytes, holders: 2, ..Message::half(envelope, Progress::Travelling) };
        let id = store(&mut self.entries, &mut self.free, half);
        Request::new(id, owner)
    }

    /// Sets the time at which the latency of a message will end: known only once the request that it answers has
    /// arrived.
    pub fn enters(&mut self, message: u32, time: f64) {
        self.entries[message as usize].entered = time;
    }

    /// Returns the payload of the oldest posted send of an envelope, if there is one.
    pub fn probe(&self, envelope: Envelope) -> Option<u64> {
        let queue = self.queues.get(&envelope)?;
        let message = self.get(queue.head);
        (message.progress == Progress::SendPosted).then_some(message.bytes)
    }

    /// Takes the oldest entry out of the queue of the envelope if it is in state `wanted`; otherwise appends `half`.
    /// Returns the message, and whether it was matched. One lookup of the queue serves both.
    #[inline]
    fn meet_or_enqueue(&mut self, half: Message, wanted: Progress) -> (u32, bool) {
        let Self { entries, free, queues } = self;
        queues.update(half.envelope, |queue| match queue {
            Some(Queue { head, tail }) if entries[head as usize].progress == wanted => {
                let next = entries[head as usize].next;
                ((head, true), (next != NONE).then_some(Queue { head: next, tail }))
            }
            Some(Queue { head, tail }) => {
                let id = store(entries, free, half);
                entries[tail as usize].next = id;
                ((id, false), Some(Queue { head, tail: id }))
            }
            None => {
                let id = store(entries, free, half);
                ((id, false), Some(Queue { head: id, tail: id }))
            }
        })
    }

    /// Begins the transfer of a matched message, with this latency.
    #[inline]
    pub fn begin(&mut self, message: u32, now: f64, latency: f64) {
        let message = &mut self.entries[message as usize];
        message.progress = Progress::Travelling;
        message.started = now;
        message.entered = now + latency;
    }

    /// Handles the arrival of a message. Returns the ranks blocked on it, in the order in which they began to wait.
    #[inline]
    pub fn arrive(&mut self, id: u32) -> [Option<u32>; 2] {
        let message = &mut self.entries[id as usize];
        match (message.early, message.progress) {
            (Some(_), Progress::SendPosted) => message.early = Some(Progress::Arrived),
            _ => message.progress = Progress::Arrived,
        }
        let sender = message.waiting[0].then_some(message.envelope.source);
        let receiver = message.waiting[1].then_some(message.envelope.destination);
        if message.receiver_first { [receiver, sender] } else { [sender, receiver] }
    }

    /// `true` if a request is complete.
    #[inline]
    pub fn is_complete(&self, request: Request) -> bool {
        request.message().is_none_or(|m| {
            let message = self.get(m);
            message.progress == Progress::Arrived || message.early == Some(Progress::Arrived)
        })
    }

    /// Blocks the owner of a request on it. If repeated, the owner queues behind the other side, if that is also
    /// blocked on it: a rank that waits for several requests is taken off all of them when one completes, and put back.
    #[inline]
    pub fn wait(&mut self, request: Request) {
        if let Some(id) = request.message() {
            let message = &mut self.entries[id as usize];
            let side = usize::from(request.side() == Side::Recv);
            message.receiver_first = (side == 1) != message.waiting[1 - side];
            message.waiting[side] = true;
        }
    }

    /// Releases the entry for one party (the transfer, the sender, the receiver).
    #[inline]
    pub fn release(&mut self, id: u32) {
        let message = &mut self.entries[id as usize];
        message.holders -= 1;
        if message.holders == 0 {
            self.free.push(id);
        }
    }

    /// Returns the sends that were never received, ordered by envelope: (envelope, number of messages, payload in
    /// bytes).
    pub fn unmatched_sends(&self) -> Vec<(Envelope, u64, u64)> {
        let mut list = Vec::new();
        for (envelope, queue) in self.queues.iter() {
            let mut at = queue.head;
            let (mut messages, mut bytes) = (0, 0_u64);
            while at != NONE && self.get(at).progress == Progress::SendPosted {
                messages += 1;
                bytes = bytes.saturating_add(self.get(at).bytes);
                at = self.get(at).next;
            }
            if messages > 0 {
                list.push((envelope, messages, bytes));
            }
        }
        list.sort_by_key(|(e, ..)| (e.source, e.destination, e.tag, e.context));
        list
    }
}

impl Message {
    fn half(envelope: Envelope, progress: Progress) -> Self {
        Self {
            envelope,
            bytes: 0,
            capacity: 0,
            datatype: Datatype::BYTE,
            progress,
            detached: false,
            early: None,
            started: 0.0,
            entered: 0.0,
            waiting: [false; 2],
            receiver_first: false,
            holders: 0,
            next: NONE,
        }
    }
}

#[inline]
fn check(bytes: u64, capacity: u64, sent: Datatype, received: Datatype) -> Result<(), Mismatch> {
    if bytes > capacity {
        return Err(Mismatch::Truncated { bytes, capacity });
    }
    // Bytes match any type: MPI_BYTE is what untyped traces use.
    if sent != received && sent != Datatype::BYTE && received != Datatype::BYTE {
        return Err(Mismatch::Datatypes { sent, received });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Envelope = Envelope { source: 0, destination: 1, tag: 5, context: 0 };

    fn send(m: &mut Messages, bytes: u64) -> Posted {
        m.post_send(A, bytes, Datatype::BYTE, false).expect("no mismatch")
    }

    fn recv(m: &mut Messages, capacity: u64) -> Posted {
        m.post_recv(A, capacity, Datatype::BYTE).expect("no mismatch")
    }

    #[test]
    fn both_sides_are_first_in_first_out() {
        let mut m = Messages::new();
        let sends = [10, 20, 30].map(|n| send(&mut m, n));
        assert!(sends.iter().all(|s| s.matched.is_none()));
        assert_eq!(m.probe(A), Some(10));
        let bytes = [(); 3].map(|()| recv(&mut m, 100).matched.map(|id| m.get(id).bytes));
        assert_eq!(bytes, [Some(10), Some(20), Some(30)]);
        let receives = [100, 200].map(|n| recv(&mut m, n));
        assert_eq!(m.probe(A), None);
        let met = [(); 2].map(|()| send(&mut m, 1).matched);
        assert_eq!(met, receives.map(|r| r.request.message()));
    }

    #[test]
    fn a_sum_of_unreceived_bytes_does_not_wrap() {
        let mut m = Messages::new();
        send(&mut m, u64::MAX);
        send(&mut m, 2);
        assert_eq!(m.unmatched_sends(), [(A, 2, u64::MAX)]);
    }

    #[test]
    fn another_tag_does_not_match() {
        let mut m = Messages::new();
        send(&mut m, 1);
        let other = Envelope { tag: 6, ..A };
        assert!(m.post_recv(other, 1, Datatype::BYTE).expect("no mismatch").matched.is_none());
        assert_eq!(m.unmatched_sends(), [(A, 1, 1)]);
    }

    #[test]
    fn any_number_of_envelopes_of_a_rank_may_be_open() {
        let mut m = Messages::new();
        let from = |source| Envelope { source, ..A };
        let post = |m: &mut Messages, source| {
            m.post_send(from(source), 7, Datatype::BYTE, false).expect("no mismatch").message
        };
        let first: Vec<u32> = (2..22).map(|source| post(&mut m, source)).collect();
        let second: Vec<u32> = (2..22).map(|source| post(&mut m, source)).collect();
        assert_eq!(m.unmatched_sends(), (2..22).map(|source| (from(source), 2, 14)).collect::<Vec<_>>());
        for sent in [first, second] {
            // From both ends, so that places in the list and in the table become free in any order.
            for (at, source) in (2..12).zip(0..).flat_map(|(low, at)| [(at, low), (19 - at, 21 - at as u32)]) {
                let met = m.post_recv(from(source), 7, Datatype::BYTE).expect("no mismatch");
                assert_eq!(met.matched, Some(sent[at]));
            }
        }
        assert_eq!(m.unmatched_sends(), []);
        assert!(m.post_recv(from(5), 7, Datatype::BYTE).expect("no mismatch").matched.is_none());
    }

    #[test]
    fn entries_are_used_again_once_all_let_go() {
        let mut m = Messages::new();
        let sent = send(&mut m, 1);
        let received = recv(&mut m, 1);
        let id = received.matched.expect("met");
        m.begin(id, 0.0, 0.0);
        m.wait(received.request);
        m.wait(sent.request);
        assert_eq!(m.arrive(id), [Some(1), Some(0)]);
        assert!(m.is_complete(sent.request));
        (0..3).for_each(|_| m.release(id));
        assert_eq!(send(&mut m, 2).request.message(), Some(id));
    }

    #[test]
    fn who_waits_again_stands_behind_the_other_side() {
        use Side::{Recv, Send};
        let cases: [(&[Side], _); 4] = [
            (&[Recv, Send], [1, 0]),
            (&[Send, Recv], [0, 1]),
            (&[Recv, Send, Recv], [0, 1]),
            (&[Recv, Recv, Send], [1, 0]),
        ];
        for (sides, order) in cases {
            let mut m = Messages::new();
            let requests = [send(&mut m, 1).request, recv(&mut m, 1).request];
            sides.iter().for_each(|&side| m.wait(requests[usize::from(side == Recv)]));
            assert_eq!(m.arrive(0), order.map(Some), "{sides:?}");
        }
    }

    #[test]
    fn an_early_message_waits_for_its_receive_on_its_way_or_at_the_end_of_it() {
        let mut m = Messages::new();
        for arrives_first in [true, false] {
            let sent = m.post_send(A, 3, Datatype::BYTE, true).expect("no mismatch");
            assert!(sent.matched.is_none());
            m.begin_early(sent.message, 1.0, 0.5);
            if arrives_first {
                assert_eq!(m.arrive(sent.message), [None, None]);
                m.release(sent.message);
            }
            assert_eq!(m.probe(A), Some(3));
            let received = recv(&mut m, 8);
            assert!(received.matched.is_none(), "it must not start twice");
            assert_eq!(m.is_complete(received.request), arrives_first);
            if !arrives_first {
                m.wait(received.request);
                assert_eq!(m.arrive(sent.message), [Some(1), None]);
                m.release(sent.message);
                assert!(m.is_complete(received.request));
            }
            m.release(received.message);
            assert!(m.unmatched_sends().is_empty());
        }
        assert_eq!(send(&mut m, 1).message, 0, "both have given their place back");
    }

    #[test]
    fn a_receive_must_have_room_and_the_type() {
        let mut m = Messages::new();
        send(&mut m, 9);
        let error = m.post_recv(A, 8, Datatype::BYTE).expect_err("too small");
        assert_eq!(error, Mismatch::Truncated { bytes: 9, capacity: 8 });
        let mut m = Messages::new();
        let int = Datatype::from_id(1).expect("INT");
        m.post_recv(A, 8, int).expect("posted");
        let error = m.post_send(A, 8, Datatype::DOUBLE, true).expect_err("another type");
        assert_eq!(error, Mismatch::Datatypes { sent: Datatype::DOUBLE, received: int });
    }
}
