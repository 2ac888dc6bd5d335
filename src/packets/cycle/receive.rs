//! Flits and credits of other shards, and those that were due beyond the rows, go into their slots.

use super::mail::{Due, Item, Mail, Post};
use super::shard::{BODY, Rows, Shard, VC_BITS};
use super::visit::after;
use crate::prefetch::prefetch;
use std::cmp::Reverse;

/// Number of items ahead of the one that is received whose slots are prefetched.
const AHEAD: usize = 16;

impl Shard {
    /// Receives the items of another shard, and clears them. `block` is the first that has not been simulated.
    pub fn receive(&mut self, post: &mut Post, block: u32) {
        let rows = self.plan.rows(block);
        let mut cold = post.cold.iter();
        for (place, item) in post.mail.iter().enumerate() {
            if self.plan.is_large {
                if let Some(later) = post.mail.get(place + 2 * AHEAD) {
                    prefetch(&self.batches[self.batch_of(later.switch)]);
                }
                if let Some(soon) = post.mail.get(place + AHEAD) {
                    self.prefetch_slot(soon, &rows);
                }
            }
            let what = match item.what {
                Item::Head(vc, packet) => {
                    let cold = cold.next().copied().unwrap_or_default();
                    let index = self.hub.keep(packet, cold, self.plan.cold);
                    self.hub.ages += u64::from(packet.created);
                    Item::Flit((index + 1) << VC_BITS | u32::from(vc))
                }
                Item::Body(vc) => Item::Flit(BODY | u32::from(vc)),
                other => other,
            };
            self.put(Mail { what, ..*item }, &rows);
        }
        post.clear();
    }

    /// Returns the batch of a switch.
    #[inline]
    fn batch_of(&self, switch: u32) -> usize {
        self.plan.division.batch(switch - self.range.start) as usize
    }

    /// Returns the slot of an item, counted in those of flits, credits or credits of hosts; `None` if it is due beyond the
    /// rows.
    #[inline]
    fn slot(&self, mail: &Mail, rows: &Rows) -> Option<usize> {
        let plan = &*self.plan;
        let batch = &self.batches[self.batch_of(mail.switch)];
        let (first, stride, row, count) = match mail.what {
            Item::Credit(_) => (batch.out_port, batch.outputs, rows.credit, plan.credit_rows),
            Item::HostCredit(_) => (batch.host_port, batch.host_ports, rows.host, plan.host_rows),
            _ => (batch.in_port, batch.inputs, rows.flit, plan.flit_rows),
        };
        let ahead = mail.time - rows.start;
        let slot = || first * count + after(row, ahead, count) * u32::from(stride) + u32::from(mail.port);
        (ahead < count).then(|| slot() as usize)
    }

    /// Prefetches the slot of an item.
    #[inline]
    fn prefetch_slot(&self, mail: &Mail, rows: &Rows) {
        let Some(slot) = self.slot(mail, rows) else { return };
        match mail.what {
            Item::Credit(_) => prefetch(&self.hub.credits[slot]),
            Item::HostCredit(_) => prefetch(&self.hub.host_credits[slot]),
            _ => prefetch(&self.hub.flits[slot]),
        }
    }

    /// Puts an item that is due within the rows of a block into its slot, and others into the heap.
    fn put(&mut self, mail: Mail, rows: &Rows) {
        let Some(slot) = self.slot(&mail, rows) else {
            self.hub.far.push(Reverse(Due(mail)));
            return;
        };
        match mail.what {
            Item::Flit(word) => self.hub.flits[slot] = word,
            Item::Credit(vc) => self.hub.credits[slot] = vc + 1,
            Item::HostCredit(vc) => self.hub.host_credits[slot] = vc + 1,
            Item::Head(..) | Item::Body(_) => unreachable!("they are turned into words when they are received"),
        }
        let local = self.batch_of(mail.switch) as u32;
        self.hub.visit_at(mail.time / self.plan.block, rows.block, local, self.plan.calendar);
    }

    /// Moves items that are due within the rows of a block from the heap.
    pub(super) fn fetch_far(&mut self, rows: &Rows) {
        let reach = self.plan.flit_rows.min(self.plan.credit_rows).min(self.plan.host_rows);
        while self.hub.far.peek().is_some_and(|Reverse(Due(mail))| mail.time - rows.start < reach) {
            if let Some(Reverse(Due(mail))) = self.hub.far.pop() {
                self.put(mail, rows);
            }
        }
    }
}
