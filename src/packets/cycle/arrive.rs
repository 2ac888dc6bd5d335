//! Arrivals of a cycle: flits join their queues, credits are taken.
//!
//! Which slots of a row are occupied is found without a branch for each: at medium loads, half of them would be
//! predicted wrongly.

use super::shard::{BODY, Hub, VC_BITS};
use super::state::{FREE, NONE, SENT};
use super::visit::Visit;
use crate::packets::sets::{insert, members};

/// Returns the set of up to 64 slots that are not empty.
#[inline(always)]
pub(super) fn occupied<T: Copy + Default + PartialEq>(slots: &[T]) -> u64 {
    debug_assert!(slots.len() <= 64);
    let (mut set, mut first) = (0, 0);
    // Of a fixed number of slots, the compiler compares all in a few instructions.
    let (groups, rest) = slots.as_chunks::<16>();
    for group in groups {
        set |= u64::from(occupied_of(group)) << first;
        first += 16;
    }
    for &slot in rest {
        set |= u64::from(slot != T::default()) << first;
        first += 1;
    }
    set
}

#[inline(always)]
fn occupied_of<T: Copy + Default + PartialEq>(slots: &[T; 16]) -> u16 {
    let mut set = 0;
    for (place, &slot) in slots.iter().enumerate() {
        set |= u16::from(slot != T::default()) << place;
    }
    set
}

impl Visit<'_> {
    /// Takes the flits that arrive.
    #[inline(always)]
    pub(super) fn take_flits<const LEAN: bool, const STEPS: u32>(&mut self, t: u32) {
        let inputs = usize::from(self.batch.inputs);
        let rows = self.plan.flit_rows as usize;
        let base = self.batch.in_port as usize * rows + self.flit_row as usize * inputs;
        let first_word = self.routing_word::<STEPS>(t * self.steps::<STEPS>(), 0);
        let Hub { flits, packets, .. } = &mut *self.hub;
        for (first, slots) in (0..).step_by(64).zip(flits[base..base + inputs].chunks_mut(64)) {
            for slot in members(0, occupied(slots)) {
                let word = std::mem::take(&mut slots[slot]);
                let vc = (word & ((1 << VC_BITS) - 1)) as usize;
                let place = (first + slot) << self.plan.shift | vc;
                let input = &mut self.inputs[place];
                let body = word & !((1 << VC_BITS) - 1);
                if body != BODY {
                    let packet = (word >> VC_BITS) - 1;
                    match input.first {
                        NONE => input.first = packet,
                        _ => packets[input.last as usize].next = packet,
                    }
                    input.last = packet;
                }
                input.flits += 1;
                if input.flits == 1 {
                    if input.left == 0 {
                        insert(&mut self.routed[first_word..], place);
                    } else {
                        let used = u32::from(self.outputs[usize::from(input.output)].used);
                        if (!LEAN && !self.plan.wake_by_credit) || used < self.plan.parameters.vc_buffer {
                            insert(self.ready, place);
                        }
                    }
                }
            }
        }
    }

    /// Takes the credits that are due.
    #[inline(always)]
    pub(super) fn take_credits<const LEAN: bool>(&mut self) {
        let outputs = usize::from(self.batch.outputs);
        let rows = self.plan.credit_rows as usize;
        let base = self.batch.out_port as usize * rows + self.credit_row as usize * outputs;
        for (first, slots) in (0..).step_by(64).zip(self.hub.credits[base..base + outputs].chunks_mut(64)) {
            for slot in members(0, occupied(slots)) {
                let port = first + slot;
                let vc = usize::from(std::mem::take(&mut slots[slot])) - 1;
                let output = &mut self.outputs[port << self.plan.shift | vc];
                let was_full = u32::from(output.used) >= self.plan.parameters.vc_buffer;
                output.used -= 1;
                self.loads[port] -= 1;
                if output.owner == SENT && output.used == 0 {
                    output.owner = FREE;
                }
                if output.owner == FREE {
                    if self.plan.parameters.vc_buffer - u32::from(output.used) >= self.plan.space {
                        self.out_ports[port].free |= 1 << vc;
                    }
                } else if was_full && output.owner != SENT && (LEAN || self.plan.wake_by_credit) {
                    let owner = usize::from(output.owner);
                    let is_held = !LEAN && !self.held_by.is_empty() && self.held_by[port] == output.owner;
                    // An owner that did not get its channel in this very cycle has flits only if it is active.
                    if self.inputs[owner].flits > 0 && !is_held {
                        insert(self.ready, owner);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{members, occupied};

    #[test]
    fn occupied_slots_are_found_up_to_the_last() {
        for count in [0, 1, 5, 63, 64] {
            for full in 0..count {
                let mut slots = vec![0_u8; count];
                slots[full] = 255;
                assert_eq!(members(0, occupied(&slots)).collect::<Vec<_>>(), [full]);
            }
            assert_eq!(members(1, occupied(&vec![7_u32; count])).collect::<Vec<_>>(), Vec::from_iter(64..64 + count));
            assert_eq!(occupied(&vec![0_u32; count]), 0);
        }
    }
}
