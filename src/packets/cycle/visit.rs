//! One cycle of a batch of switches and their hosts, in the order that decides ties.
//!
//! 1. Flits that arrive join their queues, credits that are due are taken, hosts send.
//! 2. The switch and channels are allocated, on the state after 1.
//! 3. Heads whose routing is done get their candidates; they see the loads after 1.
//! 4. The flits that may cross the switch are sent.
//!
//! The switch comes before channels, and channels before new candidates, so that a head that gets a channel competes for
//! the switch in the next step at the earliest, and a head that gets its candidates for a channel.

use super::shard::{Hub, Rows, RunConstants, Shard};
use super::state::{
    Batch, HEAD, HOST, HOST_BITS, HOST_MASK, InPort, InputChannel, OutPort, OutputChannel, SwitchPorts,
};
use crate::packets::routing::{At, Candidate, Head};
use crate::packets::sets::{insert, members, remove};
use crate::prefetch::prefetch;
use std::collections::VecDeque;

/// State of a batch of switches during a visit.
pub(super) struct Visit<'a> {
    pub plan: &'a RunConstants,
    pub range_start: u32,
    pub range_end: u32,
    pub first_host: u32,
    /// Number of the batch within the shard, and of its first switch in the network.
    pub local: u32,
    pub first_switch: u32,
    pub start: u32,
    /// Current block, and the first cycle of the block after the next.
    pub block: u32,
    pub near_end: u32,
    /// First word of the next block in the calendar.
    pub next_row: usize,
    /// Rows of the current cycle, and of the current step.
    pub flit_row: u32,
    pub credit_row: u32,
    pub host_row: u32,
    pub route_row: u32,
    pub batch: &'a mut Batch,
    pub switches: &'a [SwitchPorts],
    pub inputs: &'a mut [InputChannel],
    pub outputs: &'a mut [OutputChannel],
    pub in_ports: &'a mut [InPort],
    pub out_ports: &'a mut [OutPort],
    pub loads: &'a mut [u32],
    pub waiting: &'a mut [u64],
    pub ready: &'a mut [u64],
    pub holding: &'a mut [u64],
    pub routed: &'a mut [u64],
    pub candidates: &'a mut [Candidate],
    pub late_vcs: Option<&'a mut VecDeque<(u32, u16, u16)>>,
    pub late_switches: Option<&'a mut VecDeque<(u32, u16, bool)>>,
    pub held_by: &'a mut [u16],
    pub flit_left: &'a mut [u32],
    pub credit_left: &'a mut [u32],
    pub hub: &'a mut Hub,
}

/// Returns the part of a batch in a list, which is empty if the run does not need it.
#[inline]
fn part<T>(list: &mut [T], first: usize, count: usize) -> &mut [T] {
    if list.is_empty() { list } else { &mut list[first..first + count] }
}

/// Returns the row `ahead` rows after another one.
#[inline]
pub(super) fn after(row: u32, ahead: u32, rows: u32) -> u32 {
    let sum = row + ahead;
    if sum >= rows { sum - rows } else { sum }
}

impl Shard {
    /// Runs a batch through a block.
    #[inline(always)] // Into its callers, which are compiled for different processors; so is most of what it calls.
    pub(super) fn visit(&mut self, local: usize, rows: Rows) {
        match (self.plan.lean, self.plan.parameters.speedup) {
            (true, 1) => self.visit_as::<true, 1>(local, rows),
            (true, _) => self.visit_as::<true, 2>(local, rows),
            (false, _) => self.visit_as::<false, 0>(local, rows),
        }
    }

    /// Runs a batch through a block. `LEAN` is [`RunConstants::lean`], known at compile time: most runs need none of the
    /// features that it excludes. So is `STEPS`, the number of steps in a cycle; 0 stands for that of the parameters.
    #[inline(always)]
    fn visit_as<const LEAN: bool, const STEPS: u32>(&mut self, local: usize, rows: Rows) {
        let start = rows.start;
        let plan = &*self.plan;
        let s = self.batches[local];
        let (in_port, out_port) = (s.in_port as usize, s.out_port as usize);
        let (ports_in, ports_out) = (usize::from(s.inputs), usize::from(s.outputs));
        let (word, words) = (s.word as usize, usize::from(s.words));
        let (places_in, places_out) = (ports_in << plan.shift, ports_out << plan.shift);
        let most = if self.candidates.is_empty() { 0 } else { plan.candidates };
        let route_rows = plan.route_rows as usize;
        let mut visit = Visit {
            plan,
            range_start: self.range.start,
            range_end: self.range.end,
            first_host: self.first_host,
            local: local as u32,
            first_switch: self.range.start + plan.division.first_of(local as u32),
            start,
            block: rows.block,
            near_end: start + 2 * plan.block,
            next_row: self.hub.calendar_row(rows.block + 1, plan.calendar),
            flit_row: rows.flit,
            credit_row: rows.credit,
            host_row: rows.host,
            route_row: rows.route,
            batch: &mut self.batches[local],
            switches: &self.switches[plan.division.first_of(local as u32) as usize..],
            inputs: &mut self.inputs[in_port << plan.shift..][..places_in],
            outputs: &mut self.outputs[out_port << plan.shift..][..places_out],
            in_ports: &mut self.in_ports[in_port..][..ports_in],
            out_ports: &mut self.out_ports[out_port..][..ports_out],
            loads: &mut self.loads[out_port..][..ports_out],
            waiting: &mut self.waiting[word..][..words],
            ready: &mut self.ready[word..][..words],
            holding: part(&mut self.holding, word, words),
            routed: &mut self.routed[word * route_rows..][..words * route_rows],
            candidates: &mut self.candidates[(in_port << plan.shift) * most..][..places_in * most],
            late_vcs: self.late_vcs.get_mut(local),
            late_switches: self.late_switches.get_mut(local),
            held_by: part(&mut self.held_by, out_port, ports_out),
            flit_left: part(&mut self.flit_left, out_port, ports_out),
            credit_left: part(&mut self.credit_left, in_port, ports_in),
            hub: &mut self.hub,
        };
        visit.hub.counts.visits += 1;
        for t in start..start + plan.block {
            visit.cycle::<LEAN, STEPS>(t);
        }
        let awake = visit.is_awake::<LEAN>(start + plan.block);
        if awake {
            self.hub.visit_at(rows.block + 1, rows.block, local as u32, plan.calendar);
        } else {
            let next = self.batches[local].next_host;
            if next != super::state::NEVER {
                let block = (next / plan.block).max(rows.block + 1);
                self.hub.visit_at(block, rows.block, local as u32, plan.calendar);
            }
        }
    }
}

impl Visit<'_> {
    /// Runs one cycle.
    #[inline(always)]
    fn cycle<const LEAN: bool, const STEPS: u32>(&mut self, t: u32) {
        self.take_flits::<LEAN, STEPS>(t);
        self.take_credits::<LEAN>();
        self.hosts::<LEAN>(t);
        let steps = self.steps::<STEPS>();
        for step in 0..steps {
            self.step::<LEAN, STEPS>(t, step, t * steps + step);
            self.route_row = after(self.route_row, 1, self.plan.route_rows);
        }
        self.flit_row = after(self.flit_row, 1, self.plan.flit_rows);
        self.credit_row = after(self.credit_row, 1, self.plan.credit_rows);
        self.host_row = after(self.host_row, 1, self.plan.host_rows);
    }

    /// Returns the number of steps in a cycle.
    #[inline(always)]
    pub(super) fn steps<const STEPS: u32>(&self) -> u32 {
        if STEPS > 0 { STEPS } else { self.plan.parameters.speedup }
    }

    /// `true` if there is work in the cycle `next` even if nothing arrives.
    #[inline(always)]
    fn is_awake<const LEAN: bool>(&self, next: u32) -> bool {
        let any = |set: &[u64]| set.iter().any(|&word| word != 0);
        self.batch.next_host <= next
            || any(self.ready)
            || any(self.routed)
            || any(self.holding)
            || self.late_vcs.as_ref().is_some_and(|late| !late.is_empty())
            || self.late_switches.as_ref().is_some_and(|late| !late.is_empty())
            // A head whose allocation of several cycles failed starts the next one immediately, even if no channel is free.
            || (self.plan.parameters.vc_delay > 1 && any(self.waiting))
            || self.any_free::<LEAN>()
    }

    /// Runs one step of the switches.
    #[inline(always)]
    fn step<const LEAN: bool, const STEPS: u32>(&mut self, t: u32, step: u32, number: u32) {
        let held = !LEAN && !self.holding.is_empty();
        if held {
            self.decide_holds();
        }
        let words = self.waiting.len();
        let row = self.route_row as usize * words;
        if self.plan.has_large_tables {
            self.prefetch_routes(row);
        }
        let any = |set: &[u64]| set.iter().any(|&word| word != 0);
        let requested = any(self.ready);
        if requested {
            self.request_switch::<LEAN>();
            if self.plan.is_large && (LEAN || self.plan.parameters.switch_delay == 1) {
                self.prefetch_slots(t, step);
            }
        }
        let mut grants = 0;
        if !LEAN && (requested || self.late_switches.as_ref().is_some_and(|late| !late.is_empty())) {
            grants = self.grant_switch(t);
        }
        if any(self.waiting) || (!LEAN && self.late_vcs.as_ref().is_some_and(|late| !late.is_empty())) {
            self.allocate_vcs::<LEAN>(t);
        }
        for word in 0..words {
            let bits = std::mem::take(&mut self.routed[row + word]);
            for place in members(word, bits) {
                self.route::<LEAN>(place);
            }
        }
        if held {
            self.carry_out_holds(t, step, number);
        }
        let next = self.routing_word::<STEPS>(number, 1);
        if LEAN && requested {
            for word in 0..self.out_ports.len().div_ceil(64) {
                let bits = std::mem::take(&mut self.hub.scratch.chosen_set[word]);
                for output in members(word, bits) {
                    let place = self.grant(output);
                    self.send::<LEAN, STEPS>(t, step, next, place, false);
                }
            }
        }
        for grant in 0..grants {
            let place = self.hub.scratch.switch_grants[grant];
            self.send::<LEAN, STEPS>(t, step, next, place, false);
        }
    }

    /// Prefetches the next hops of the heads whose routing is done, before the allocations of the step.
    #[inline(always)]
    fn prefetch_routes(&self, row: usize) {
        for (word, &bits) in self.routed[row..row + self.waiting.len()].iter().enumerate() {
            for place in members(word, bits) {
                let packet = &self.hub.packets[self.inputs[place].first as usize];
                let port = place >> self.plan.shift;
                let (switch, _) = self.switch_of(port);
                let is_new = self.in_ports[port].link.switch == HOST;
                let to = packet.to & HOST_MASK;
                self.plan.rule.prefetch(switch, self.plan.wiring.switch_of(to), to, is_new);
            }
        }
    }

    /// `true` if any waiting head could get a channel.
    #[inline(always)]
    fn any_free<const LEAN: bool>(&self) -> bool {
        for word in 0..self.waiting.len() {
            for place in members(word, self.waiting[word]) {
                if self.can_ask::<LEAN>(place) {
                    return true;
                }
            }
        }
        false
    }

    /// Returns the first word of the set of heads whose routing is done when it begins `ahead` steps after the current step
    /// `number`.
    #[inline(always)]
    pub(super) fn routing_word<const STEPS: u32>(&self, number: u32, ahead: u32) -> usize {
        let (delay, speedup) = (self.plan.parameters.routing_delay, self.steps::<STEPS>());
        let steps = match (delay, speedup) {
            (1, _) => ahead,
            (_, 1) => ahead + delay - 1,
            _ => ((number + ahead) / speedup + delay - 1) * speedup - number,
        };
        after(self.route_row, steps, self.plan.route_rows) as usize * usize::from(self.batch.words)
    }

    /// Returns the number of the switch of an input in the network, and its ports.
    #[inline(always)]
    pub(super) fn switch_of(&self, port: usize) -> (u32, SwitchPorts) {
        let place = self.in_ports[port].switch;
        (self.first_switch + u32::from(place), self.switches[usize::from(place)])
    }

    /// Finds the candidates of a routed head.
    #[inline(always)]
    fn route<const LEAN: bool>(&mut self, place: usize) {
        let plan = self.plan;
        let port = place >> plan.shift;
        let vc = (place & ((1 << plan.shift) - 1)) as u32;
        let (id, ports) = self.switch_of(port);
        let first_output = usize::from(ports.out_port);
        let index = self.inputs[place].first as usize;
        let packet = self.hub.packets[index];
        let to = packet.to & HOST_MASK;
        let target = plan.wiring.switch_of(to);
        let phase = packet.to >> HOST_BITS;
        let mut candidate = if target == id && phase & Head::DETOUR == 0 && !plan.delivers {
            let output = plan.wiring.host_output(id, to) as u16;
            Candidate { output, lowest: 0, highest: (plan.parameters.vcs - 1) as u8, priority: 0 }
        } else {
            let own_port = (port - usize::from(ports.in_port)) as u32;
            let from_host = self.in_ports[port].link.switch == HOST;
            let at = At {
                switch: id,
                cable: (!from_host).then(|| own_port - u32::from(ports.first_cable)),
                vc: if from_host { own_port } else { vc },
                loads: &self.loads[first_output..first_output + usize::from(ports.outputs)],
                seed: plan.seed,
            };
            let mut head =
                Head { to, target, hops: packet.aux & 255, created: packet.created, note: packet.aux >> 8, phase };
            let more = &mut self.hub.scratch.more;
            debug_assert!(more.is_empty());
            let first = plan.rule.route(&at, &mut head, more);
            let kept = &mut self.hub.packets[index];
            kept.to = to | head.phase << HOST_BITS;
            // The cable that it will pass counts from here on.
            let is_cable = self.out_ports[first_output + usize::from(first.output)].link.switch != HOST;
            let hops = packet.aux & 255;
            kept.aux = (hops + u32::from(is_cable && hops != 255)) | head.note << 8;
            first
        };
        candidate.output += ports.out_port;
        let input = &mut self.inputs[place];
        if !LEAN && plan.candidates > 1 {
            let slots = &mut self.candidates[place * plan.candidates..][..plan.candidates];
            slots[0] = candidate;
            let more = &mut self.hub.scratch.more;
            for (slot, other) in slots[1..=more.len()].iter_mut().zip(more.iter()) {
                *slot = Candidate { output: other.output + ports.out_port, ..*other };
            }
            input.left = 1 + more.len() as u16;
            more.clear();
        } else {
            input.output = candidate.output;
            input.left = u16::from(candidate.lowest) | u16::from(candidate.highest) << 8;
        }
        if !LEAN && plan.parameters.count_routed && plan.candidates == 1 {
            self.loads[usize::from(candidate.output)] += u32::from(self.size_of::<LEAN>(index as u32));
        }
        insert(self.waiting, place);
    }

    /// Returns the number of flits of the packet at the head of a queue.
    #[inline(always)]
    fn size_of<const LEAN: bool>(&self, packet: u32) -> u16 {
        match !LEAN && self.plan.cold {
            true => self.hub.cold[packet as usize].size,
            false => self.plan.parameters.packet as u16,
        }
    }

    /// Assigns a head the channel that it was granted.
    #[inline(always)]
    pub(super) fn take_vc<const LEAN: bool>(&mut self, place: u16, output: u16) {
        let packet = self.inputs[usize::from(place)].first;
        // It may have waited for long, and `send` reads the next in its queue.
        prefetch(&self.hub.packets[packet as usize]);
        let size = self.size_of::<LEAN>(packet);
        let input = &mut self.inputs[usize::from(place)];
        input.output = output;
        input.left = size | HEAD;
        let account = &mut self.outputs[usize::from(output)];
        account.owner = place;
        let vc = u32::from(output) & ((1 << self.plan.shift) - 1);
        self.out_ports[usize::from(output) >> self.plan.shift].free &= !(1 << vc);
        remove(self.waiting, usize::from(place));
        if (!LEAN && !self.plan.wake_by_credit) || u32::from(account.used) < self.plan.parameters.vc_buffer {
            insert(self.ready, usize::from(place));
        }
    }
}
