//! Sending by a switch: a granted flit leaves its queue for the next switch or a host, and its credit is returned.

use super::mail::{Due, Item, Mail};
use super::shard::{BODY, Hub, RunConstants, VC_BITS};
use super::state::{FREE, FarEnd, HEAD, HOST, HOST_MASK, NONE, SENT};
use super::visit::{Visit, after};
use crate::packets::sets::{insert, members, remove};
use crate::packets::statistics::Logged;
use crate::prefetch::prefetch;
use std::cmp::Reverse;

impl Visit<'_> {
    /// Prefetches the slots of other switches in which the flits that outputs have chosen and their credits will be put: a
    /// switch writes to two distant places for each flit that it sends, and would wait for one after the other.
    #[inline(always)]
    pub(super) fn prefetch_slots(&self, t: u32, step: u32) {
        let plan = self.plan;
        let leaves = t + plan.crossing(step);
        let scratch = &self.hub.scratch;
        for (word, &bits) in scratch.chosen_set[..self.out_ports.len().div_ceil(64)].iter().enumerate() {
            for output in members(word, bits) {
                let port = scratch.chosen[output].0;
                let link = &self.out_ports[output].link;
                let queued = self.flit_left.get(output).map_or(0, |&left| left + 1);
                let due = leaves.max(queued) + u32::from(link.latency) + 1;
                if self.is_inside(link.switch) && due - t < plan.flit_rows {
                    let row = after(self.flit_row, due - t, plan.flit_rows);
                    prefetch(&self.hub.flits[(link.slot + row * u32::from(link.stride)) as usize]);
                }
                let link = &self.in_ports[usize::from(port)].link;
                let queued = self.credit_left.get(usize::from(port)).map_or(0, |&left| left + 1);
                let due = t.max(queued) + u32::from(link.latency) + 1 + plan.parameters.credit_delay;
                if self.is_inside(link.switch) && due - t < plan.credit_rows {
                    let row = after(self.credit_row, due - t, plan.credit_rows);
                    prefetch(&self.hub.credits[(link.slot + row * u32::from(link.stride)) as usize]);
                }
            }
        }
    }

    /// `true` if a switch belongs to this shard.
    #[inline(always)]
    fn is_inside(&self, switch: u32) -> bool {
        switch >= self.range_start && switch < self.range_end
    }

    /// Sends a granted flit from its queue; `next` is the first word of the set for a head behind it, whose routing begins in the next step.
    #[inline(always)]
    pub(super) fn send<const LEAN: bool, const STEPS: u32>(
        &mut self,
        t: u32,
        step: u32,
        next: usize,
        place: u16,
        was_held: bool,
    ) {
        let plan = self.plan;
        let p = &plan.parameters;
        let mask = (1_usize << plan.shift) - 1;
        let (port, vc) = (usize::from(place) >> plan.shift, usize::from(place) & mask);
        let input = &mut self.inputs[usize::from(place)];
        let place_out = usize::from(input.output);
        let (out, out_vc) = (place_out >> plan.shift, place_out & mask);
        let account = &mut self.outputs[place_out];
        account.used += 1;
        if LEAN || !p.count_routed || plan.candidates > 1 {
            self.loads[out] += 1;
        }
        let full = u32::from(account.used) >= p.vc_buffer;
        input.flits -= 1;
        let is_head = input.left & HEAD != 0;
        let mut packet = NONE;
        if is_head {
            packet = input.first;
            // The last packet's own link is never read, and a queue of one packet needs no access to it.
            input.first = if packet == input.last { NONE } else { self.hub.packets[packet as usize].next };
            input.left &= !HEAD;
        }
        input.left -= 1;
        let is_tail = input.left == 0;
        let more = input.flits > 0;
        self.hub.counts.passages += 1;
        self.hub.moved = t;

        // Departure to the next switch or host.
        let mut leaves = t + if STEPS == 1 { p.crossing_delay } else { plan.crossing(step) };
        if self.steps::<STEPS>() > 1 {
            leaves = leaves.max(self.flit_left[out] + 1);
            self.flit_left[out] = leaves;
        }
        let link = self.out_ports[out].link;
        if link.switch == HOST {
            self.deliver::<LEAN>(t, leaves, out as u16, link.slot, out_vc, packet, is_tail);
        } else {
            if plan.window.has(t) {
                self.out_ports[out].sent += 1;
                self.hub.counts.cable_flits += 1;
            }
            self.pass_on::<LEAN>(t, leaves, link, out_vc as u8, packet);
        }

        // Credit for the space that it frees.
        let mut credit = t;
        if self.steps::<STEPS>() > 1 {
            credit = credit.max(self.credit_left[port] + 1);
            self.credit_left[port] = credit;
        }
        let link = self.in_ports[port].link;
        if link.switch == HOST {
            self.credit_host(t, credit + p.host_delay + 1, link.slot, vc as u8);
        } else {
            let due = credit + u32::from(link.latency) + 1 + p.credit_delay;
            if self.is_inside(link.switch) && due - self.start < plan.credit_rows {
                let row = after(self.credit_row, due - t, plan.credit_rows);
                self.hub.credits[(link.slot + row * u32::from(link.stride)) as usize] = vc as u8 + 1;
                self.wake(due, plan.division.batch(link.switch - self.range_start));
            } else {
                let mail = Mail { time: due, switch: link.switch, port: link.port, what: Item::Credit(vc as u8) };
                self.post(mail);
            }
        }

        // Update of the queue and of the channel.
        let account = &mut self.outputs[place_out];
        if is_tail {
            if p.wait_for_tail_credit {
                account.owner = SENT;
            } else {
                account.owner = FREE;
                if p.vc_buffer - u32::from(account.used) >= plan.space {
                    self.out_ports[out].free |= 1 << out_vc;
                }
            }
            remove(self.ready, usize::from(place));
            if more {
                prefetch(&self.hub.packets[self.inputs[usize::from(place)].first as usize]);
                insert(&mut self.routed[next..], usize::from(place));
            }
        } else if LEAN || self.holding.is_empty() {
            if !more || (full && (LEAN || plan.wake_by_credit)) {
                remove(self.ready, usize::from(place));
            } else {
                insert(self.ready, usize::from(place));
            }
        } else {
            remove(self.ready, usize::from(place));
        }
        if !LEAN && !self.holding.is_empty() {
            if !is_tail && more {
                insert(self.holding, usize::from(place));
                self.held_by[out] = place;
            } else {
                remove(self.holding, usize::from(place));
                if was_held {
                    self.held_by[out] = FREE;
                }
            }
        }
        // An allocation of several cycles moved it when it began.
        if LEAN || (!was_held && p.switch_delay == 1) {
            self.in_ports[port].offset = ((vc + 1) & mask) as u8;
        }
    }

    /// Enters a visit of a batch of this shard in the block of a cycle, which comes after the current block.
    #[inline(always)]
    pub(super) fn wake(&mut self, time: u32, local: u32) {
        if time < self.near_end {
            self.hub.calendar[self.next_row + local as usize / 64] |= 1 << (local % 64);
        } else {
            self.hub.visit_at(time / self.plan.block, self.block, local, self.plan.calendar);
        }
    }

    /// Sends mail to another shard or to a later time.
    #[inline(always)]
    pub(super) fn post(&mut self, mail: Mail) {
        let inside = self.is_inside(mail.switch);
        self.hub.post(self.plan, inside, mail);
    }

    /// Sends a flit to the next switch.
    #[inline(always)]
    pub(super) fn pass_on<const LEAN: bool>(&mut self, t: u32, leaves: u32, link: FarEnd, vc: u8, packet: u32) {
        let plan = self.plan;
        let due = leaves + u32::from(link.latency) + 1;
        let inside = self.is_inside(link.switch);
        let word = u32::from(vc) | if packet == NONE { BODY } else { (packet + 1) << VC_BITS };
        if inside && due - self.start < plan.flit_rows {
            let row = after(self.flit_row, due - t, plan.flit_rows);
            self.hub.flits[(link.slot + row * u32::from(link.stride)) as usize] = word;
            self.wake(due, plan.division.batch(link.switch - self.range_start));
            return;
        }
        let what = match (inside, packet) {
            (true, _) => Item::Flit(word),
            (false, NONE) => Item::Body(vc),
            (false, index) => {
                let kept = self.hub.packets[index as usize];
                if !LEAN && plan.cold {
                    let cold = self.hub.cold[index as usize];
                    self.hub.post[plan.division.shard_of(link.switch)].cold.push(cold);
                }
                self.hub.unused.push(index);
                self.hub.ages -= u64::from(kept.created);
                Item::Head(vc, kept)
            }
        };
        self.post(Mail { time: due, switch: link.switch, port: link.port, what });
    }

    /// Sends a flit to a host, which takes it and returns its credit when it arrives.
    #[expect(clippy::too_many_arguments)]
    #[inline(always)]
    pub(super) fn deliver<const LEAN: bool>(
        &mut self,
        t: u32,
        leaves: u32,
        out: u16,
        host: u32,
        vc: usize,
        head: u32,
        is_tail: bool,
    ) {
        let plan = self.plan;
        let p = &plan.parameters;
        let arrives = leaves + p.host_delay + 1;
        let place = ((self.batch.host_port + host) as usize) << plan.shift | vc;
        let mut packet = head;
        if head == NONE {
            packet = self.hub.arriving[place];
        } else if !is_tail {
            self.hub.arriving[place] = head;
        }
        let kept = self.hub.packets[packet as usize];
        let to = (kept.to & HOST_MASK) - self.first_host;
        if !LEAN && plan.log && head != NONE {
            self.hub.cold[packet as usize].head = arrives;
        }
        if plan.window.has(arrives) {
            self.hub.accepted[to as usize] += 1;
            self.hub.counts.flits_accepted += 1;
        }
        if is_tail {
            let hops = kept.aux & 255;
            self.hub.counts.leave(plan.window, kept.created, arrives, hops);
            self.hub.ages -= u64::from(kept.created);
            if !LEAN && plan.log {
                let cold = self.hub.cold[packet as usize];
                let (injected, head) = (cold.injected, cold.head);
                self.hub.log.push(Logged { id: cold.id, injected, head, tail: arrives, hops });
            }
            self.hub.unused.push(packet);
        }
        let due = arrives + p.host_delay + 1 + p.credit_delay;
        if due - self.start < plan.credit_rows {
            let row = after(self.credit_row, due - t, plan.credit_rows);
            let base = self.batch.out_port * plan.credit_rows;
            let slot = base + row * u32::from(self.batch.outputs) + u32::from(out);
            self.hub.credits[slot as usize] = vc as u8 + 1;
            self.wake_self(due);
        } else {
            self.post(Mail { time: due, switch: self.first_switch, port: out, what: Item::Credit(vc as u8) });
        }
    }
}

impl Hub {
    /// Sends mail to another shard, or to a later time `inside` this one.
    #[inline(never)] // Its code would be in a visit four times.
    fn post(&mut self, plan: &RunConstants, inside: bool, mail: Mail) {
        if inside {
            self.far.push(Reverse(Due(mail)));
        } else {
            self.post[plan.division.shard_of(mail.switch)].mail.push(mail);
        }
    }
}
