//! Posted sends and receives that wait for their partners, by receiving rank.
//!
//! A rank has few envelopes open at a time, and those of one rank are adjacent in memory: comparing some of them takes
//! less time than hashing one, and ranks whose turns come in order find theirs in order. Only the excess is in a hash
//! table.

use super::messages::Envelope;
use crate::prefetch::prefetch;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Number of envelopes of a rank that are compared one by one: two cache lines.
const LISTED: usize = 6;

/// Oldest and youngest posted send or receive of an envelope, by the numbers of their messages.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Queue {
    pub head: u32,
    pub tail: u32,
}

/// Envelope without its destination, and its queue.
#[derive(Clone, Copy, Default, Debug)]
struct OpenEnvelope {
    source: u32,
    tag: i32,
    context: u32,
    queue: Queue,
}

/// Open envelopes of a destination.
#[derive(Clone, Default, Debug)]
#[repr(align(64))]
struct Inbox {
    open: [OpenEnvelope; LISTED],
    listed: u16,
    /// Number of further envelopes in the table.
    tabled: u32,
}

impl Inbox {
    #[inline]
    fn position(&self, envelope: &Envelope) -> Option<usize> {
        self.open[..usize::from(self.listed)].iter().position(|open| {
            open.source == envelope.source && open.tag == envelope.tag && open.context == envelope.context
        })
    }

    #[inline]
    fn has_room(&self) -> bool {
        usize::from(self.listed) < LISTED
    }

    #[inline]
    fn push(&mut self, envelope: &Envelope, queue: Queue) {
        let Envelope { source, tag, context, .. } = *envelope;
        self.open[usize::from(self.listed)] = OpenEnvelope { source, tag, context, queue };
        self.listed += 1;
    }

    #[inline]
    fn remove(&mut self, at: usize) {
        self.listed -= 1;
        self.open[at] = self.open[usize::from(self.listed)];
    }
}

/// Queues of all open envelopes.
#[derive(Default, Debug)]
pub(super) struct Inboxes {
    inboxes: Vec<Inbox>,
    table: FxHashMap<Envelope, Queue>,
}

impl Inboxes {
    /// Replaces the queue of an envelope by the result of `change`; `None` means that the envelope is not open.
    #[inline]
    pub fn update<T>(&mut self, envelope: Envelope, change: impl FnOnce(Option<Queue>) -> (T, Option<Queue>)) -> T {
        let destination = envelope.destination as usize;
        if destination >= self.inboxes.len() {
            self.inboxes.resize(destination + 1, Inbox::default());
        }
        let inbox = &mut self.inboxes[destination];
        if let Some(at) = inbox.position(&envelope) {
            let (result, queue) = change(Some(inbox.open[at].queue));
            match queue {
                Some(queue) => inbox.open[at].queue = queue,
                None => inbox.remove(at),
            }
            return result;
        }
        if inbox.tabled == 0 && inbox.has_room() {
            let (result, queue) = change(None);
            queue.into_iter().for_each(|queue| inbox.push(&envelope, queue));
            return result;
        }
        match self.table.entry(envelope) {
            Entry::Occupied(mut entry) => {
                let (result, queue) = change(Some(*entry.get()));
                match queue {
                    Some(queue) => *entry.get_mut() = queue,
                    None => {
                        entry.remove();
                        inbox.tabled -= 1;
                    }
                }
                result
            }
            Entry::Vacant(place) => {
                let (result, queue) = change(None);
                match queue {
                    Some(queue) if inbox.has_room() => inbox.push(&envelope, queue),
                    Some(queue) => {
                        place.insert(queue);
                        inbox.tabled += 1;
                    }
                    None => {}
                }
                result
            }
        }
    }

    /// Prefetches the envelopes of a destination.
    #[inline]
    pub fn prefetch(&self, destination: u32) {
        if let Some(inbox) = self.inboxes.get(destination as usize) {
            prefetch(&inbox.open[0]);
            prefetch(&inbox.listed);
        }
    }

    /// Returns the queue of an envelope, if it is open.
    pub fn get(&self, envelope: &Envelope) -> Option<Queue> {
        let inbox = self.inboxes.get(envelope.destination as usize)?;
        match inbox.position(envelope) {
            Some(at) => Some(inbox.open[at].queue),
            None => self.table.get(envelope).copied(),
        }
    }

    /// Returns all open envelopes with their queues, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (Envelope, Queue)> {
        let listed = (0..).zip(&self.inboxes).flat_map(|(destination, inbox)| {
            inbox.open[..usize::from(inbox.listed)].iter().map(move |&OpenEnvelope { source, tag, context, queue }| {
                (Envelope { source, destination, tag, context }, queue)
            })
        });
        listed.chain(self.table.iter().map(|(envelope, queue)| (*envelope, *queue)))
    }
}
