//! The separable allocator, input first, with round-robin arbiters; and held switches.
//!
//! A round-robin arbiter has a pointer; of the requests with the highest priority it chooses the first one at or after
//! it. Each requester chooses one of its requests, then each output chooses among the requests it received. The
//! pointers of both move past a match. So the second stage is a minimum over cyclic distances, and needs no order of
//! requests.

use super::state::FREE;
use super::visit::Visit;
use crate::packets::sets::{insert, members, remove};
use std::hint::select_unpredictable;

/// No output channel, or no request.
const NO: u16 = u16::MAX;

/// Returns a number whose order is that of the distances from a pointer onwards, cyclically: the distances of places before
/// the pointer wrap around to large numbers.
#[inline]
fn ahead(place: u16, pointer: u16) -> u16 {
    place.wrapping_sub(pointer)
}

/// Returns the first channel of `free` at or after a place of the port, cyclically over all places; `free` is not
/// empty.
#[inline]
fn first_behind(free: u64, base: u32, width: u32, pointer: u32) -> u32 {
    let start = pointer.wrapping_sub(base);
    // Without branches, which would be predicted wrongly as often as not.
    let behind = free & select_unpredictable(start < width, u64::MAX << (start & 63), u64::MAX);
    select_unpredictable(behind != 0, behind, free).trailing_zeros()
}

/// Returns the channels of a range.
#[inline]
fn range(lowest: u32, highest: u32) -> u64 {
    (u64::MAX << lowest) & (u64::MAX >> (63 - highest))
}

impl Visit<'_> {
    /// Returns the output place that a waiting head requests; [`NO`] if all are taken.
    #[inline(always)]
    fn request<const LEAN: bool>(&self, place: usize) -> u16 {
        let (shift, input) = (self.plan.shift, &self.inputs[place]);
        let width = 1 << shift;
        if LEAN || self.plan.candidates == 1 {
            let port = u32::from(input.output);
            let (lowest, highest) = (u32::from(input.left & 255), u32::from(input.left >> 8));
            let free = self.out_ports[port as usize].free & range(lowest, highest);
            if free == 0 {
                return NO;
            }
            let base = port << shift;
            return (base | first_behind(free, base, width, u32::from(input.pointer))) as u16;
        }
        let most = self.plan.candidates;
        let mut best = (0, 0, NO);
        for candidate in &self.candidates[place * most..][..usize::from(input.left)] {
            let port = u32::from(candidate.output);
            let channels = range(u32::from(candidate.lowest), u32::from(candidate.highest));
            let free = self.out_ports[port as usize].free & channels;
            if free == 0 {
                continue;
            }
            let base = port << shift;
            let asked = base | first_behind(free, base, width, u32::from(input.pointer));
            let distance = ahead(asked as u16, input.pointer);
            if best.2 == NO || (candidate.priority, best.1) > (best.0, distance) {
                best = (candidate.priority, distance, asked as u16);
            }
        }
        best.2
    }

    /// `true` if a waiting head finds a free channel.
    #[inline(always)]
    pub(super) fn can_ask<const LEAN: bool>(&self, place: usize) -> bool {
        self.request::<LEAN>(place) != NO
    }

    /// Allocates channels to heads that wait.
    #[inline(always)]
    pub(super) fn allocate_vcs<const LEAN: bool>(&mut self, t: u32) {
        let shift = self.plan.shift;
        let delay = self.plan.parameters.vc_delay;
        let mut any = false;
        for word in 0..self.waiting.len() {
            for place in members(word, self.waiting[word]) {
                let asked = self.request::<LEAN>(place);
                if asked == NO {
                    if !LEAN && delay > 1 {
                        remove(self.waiting, place);
                        self.late_vc(t + delay - 1, place as u16, NO);
                    }
                    continue;
                }
                any = true;
                let scratch = &mut self.hub.scratch;
                let (index, bit) = (usize::from(asked) / 64, 1_u64 << (asked % 64));
                let best = &mut scratch.best[usize::from(asked)];
                if scratch.asked[index] & bit == 0 {
                    scratch.asked[index] |= bit;
                    *best = place as u16;
                } else {
                    let pointer = self.outputs[usize::from(asked)].pointer;
                    if ahead(place as u16, pointer) < ahead(*best, pointer) {
                        *best = place as u16;
                    }
                }
            }
        }
        let mut grants = 0;
        if any {
            let words = (self.out_ports.len() << shift).div_ceil(64);
            for word in 0..words {
                let bits = std::mem::take(&mut self.hub.scratch.asked[word]);
                if bits == 0 {
                    continue;
                }
                for asked in members(word, bits) {
                    let place = self.hub.scratch.best[asked];
                    self.inputs[usize::from(place)].pointer = asked as u16 + 1;
                    self.outputs[asked].pointer = place + 1;
                    if LEAN || delay == 1 {
                        self.take_vc::<LEAN>(place, asked as u16);
                    } else {
                        self.hub.scratch.vc_grants[grants] = (place, asked as u16);
                        grants += 1;
                    }
                }
            }
        }
        if !LEAN && delay > 1 {
            for grant in 0..self.finish_vcs(t, delay, grants) {
                let (place, output) = self.hub.scratch.vc_grants[grant];
                self.take_vc::<LEAN>(place, output);
            }
        }
    }

    fn late_vc(&mut self, due: u32, place: u16, output: u16) {
        if let Some(late) = &mut self.late_vcs {
            late.push_back((due, place, output));
        }
    }

    /// Finishes channel allocations that take more than a cycle: granted at the end, if the channels are free then.
    fn finish_vcs(&mut self, t: u32, delay: u32, grants: usize) -> usize {
        let granted = self.hub.scratch.vc_grants[..grants].to_vec();
        let mut asked = Vec::new();
        for word in 0..self.waiting.len() {
            for place in members(word, std::mem::take(&mut self.waiting[word])) {
                let output = granted.iter().find(|&&(winner, _)| usize::from(winner) == place).map_or(NO, |&(_, o)| o);
                asked.push((place as u16, output));
            }
        }
        for (place, output) in asked {
            self.late_vc(t + delay - 1, place, output);
        }
        let mut done = 0;
        while let Some(&(due, place, output)) = self.late_vcs.as_ref().and_then(|late| late.front()) {
            if due > t {
                break;
            }
            self.late_vcs.as_mut().and_then(|late| late.pop_front());
            let port = usize::from(output) >> self.plan.shift;
            let vc = output & ((1 << self.plan.shift) - 1);
            // With two steps per cycle, two allocations of one channel can end together; the first one wins.
            let taken = || self.hub.scratch.vc_grants[..done].iter().any(|&(_, other)| other == output);
            if output != NO && self.out_ports[port].free & (1 << vc) != 0 && !taken() {
                self.hub.scratch.vc_grants[done] = (place, output);
                done += 1;
            } else {
                insert(self.waiting, usize::from(place));
            }
        }
        done
    }

    /// Finds the flit that each output of the switch chooses, among those whose channel has space.
    #[inline(always)]
    pub(super) fn request_switch<const LEAN: bool>(&mut self) {
        let shift = self.plan.shift;
        let width = 1_usize << shift;
        let group_mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        for word in 0..self.ready.len() {
            let mut bits = self.ready[word];
            while bits != 0 {
                // The competing channels of one input.
                let at = bits.trailing_zeros() as usize & !(width - 1);
                let group = (bits >> at) & group_mask;
                bits &= !(group_mask << at);
                let first = word * 64 + at;
                let port = first >> shift;
                if !LEAN && !self.holding.is_empty() && self.holds_input(first) {
                    continue;
                }
                let turn = self.in_ports[port];
                let (mut best, mut chosen, mut to) = (u32::MAX, 0, 0);
                for vc in members(0, group) {
                    let place_out = self.inputs[first + vc].output;
                    let output = place_out >> shift;
                    if !LEAN && !self.held_by.is_empty() && self.held_by[usize::from(output)] != FREE {
                        continue;
                    }
                    if !LEAN
                        && !self.plan.wake_by_credit
                        && u32::from(self.outputs[usize::from(place_out)].used) >= self.plan.parameters.vc_buffer
                    {
                        continue;
                    }
                    let distance = u32::from(ahead(output, turn.pointer));
                    let key = distance << 8 | ((vc as u32).wrapping_sub(u32::from(turn.offset)) & (width as u32 - 1));
                    if key < best {
                        (best, chosen, to) = (key, first + vc, usize::from(output));
                    }
                }
                if best == u32::MAX {
                    continue;
                }
                let scratch = &mut self.hub.scratch;
                let (index, bit) = (to / 64, 1_u64 << (to % 64));
                let entry = &mut scratch.chosen[to];
                if scratch.chosen_set[index] & bit == 0 {
                    scratch.chosen_set[index] |= bit;
                    *entry = (port as u16, chosen as u16);
                } else {
                    let pointer = self.out_ports[to].pointer;
                    if ahead(port as u16, pointer) < ahead(entry.0, pointer) {
                        *entry = (port as u16, chosen as u16);
                    }
                }
            }
        }
    }

    /// Grants the switch to the flit that an output has chosen; returns its input place.
    #[inline(always)]
    pub(super) fn grant(&mut self, output: usize) -> u16 {
        let (port, place) = self.hub.scratch.chosen[output];
        self.in_ports[usize::from(port)].pointer = output as u16 + 1;
        self.out_ports[output].pointer = port + 1;
        place
    }

    /// Grants the switch to all flits that outputs have chosen, and lists those that cross it now; returns their number.
    pub(super) fn grant_switch(&mut self, t: u32) -> usize {
        let mut grants = 0;
        for word in 0..self.out_ports.len().div_ceil(64) {
            let bits = std::mem::take(&mut self.hub.scratch.chosen_set[word]);
            for output in members(word, bits) {
                self.hub.scratch.switch_grants[grants] = self.grant(output);
                grants += 1;
            }
        }
        match self.plan.parameters.switch_delay {
            1 => grants,
            delay => self.finish_switch(t, delay, grants),
        }
    }

    /// Finishes switch allocations that take more than a cycle: granted at the end, if there is space then.
    fn finish_switch(&mut self, t: u32, delay: u32, grants: usize) -> usize {
        let granted = self.hub.scratch.switch_grants[..grants].to_vec();
        let mask = (1_usize << self.plan.shift) - 1;
        let mut asked = Vec::new();
        for word in 0..self.ready.len() {
            for place in members(word, std::mem::take(&mut self.ready[word])) {
                asked.push((place as u16, granted.contains(&(place as u16))));
            }
        }
        for (place, won) in asked {
            if won {
                let port = usize::from(place) >> self.plan.shift;
                self.in_ports[port].offset = ((usize::from(place) + 1) & mask) as u8;
            }
            if let Some(late) = &mut self.late_switches {
                late.push_back((t + delay - 1, place, won));
            }
        }
        let mut done = 0;
        while let Some(&(due, place, won)) = self.late_switches.as_ref().and_then(|late| late.front()) {
            if due > t {
                break;
            }
            self.late_switches.as_mut().and_then(|late| late.pop_front());
            let place_out = usize::from(self.inputs[usize::from(place)].output);
            let space = u32::from(self.outputs[place_out].used) < self.plan.parameters.vc_buffer;
            let held = !self.held_by.is_empty()
                && (self.held_by[place_out >> self.plan.shift] != FREE || self.holds_input(usize::from(place) & !mask));
            if won && space && !held {
                self.hub.scratch.switch_grants[done] = place;
                done += 1;
            } else {
                insert(self.ready, usize::from(place));
            }
        }
        done
    }

    /// `true` if a channel of the input that begins at a place holds the switch.
    fn holds_input(&self, first: usize) -> bool {
        let width = 1_usize << self.plan.shift;
        let mask = if width == 64 { u64::MAX } else { ((1_u64 << width) - 1) << (first % 64) };
        self.holding[first / 64] & mask != 0
    }

    /// Decides whether packets that hold the switch send their next flit, or release it for lack of space.
    pub(super) fn decide_holds(&mut self) {
        let mut list = std::mem::take(&mut self.hub.scratch.hold_grants);
        list.clear();
        for word in 0..self.holding.len() {
            for place in members(word, self.holding[word]) {
                let output = usize::from(self.inputs[place].output);
                let space = u32::from(self.outputs[output].used) < self.plan.parameters.vc_buffer;
                list.push((place as u16, space));
            }
        }
        self.hub.scratch.hold_grants = list;
    }

    /// Carries out the decisions for held switches.
    pub(super) fn carry_out_holds(&mut self, t: u32, step: u32, number: u32) {
        let list = std::mem::take(&mut self.hub.scratch.hold_grants);
        let next = self.routing_word::<0>(number, 1);
        for &(place, space) in &list {
            if space {
                self.send::<false, 0>(t, step, next, place, true);
            } else {
                let output = usize::from(self.inputs[usize::from(place)].output) >> self.plan.shift;
                self.held_by[output] = FREE;
                remove(self.holding, usize::from(place));
                if !self.plan.wake_by_credit {
                    insert(self.ready, usize::from(place));
                }
            }
        }
        self.hub.scratch.hold_grants = list;
    }
}
