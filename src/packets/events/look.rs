//! Visit to a switch: the allocations of a cycle, for heads alone.

use super::wheel::WheelEvent;
use super::{NONE, PacketEngine};
use crate::packets::sets::members;
use crate::packets::statistics::Logged;

/// Working memory of an allocation.
pub(super) struct Scratch {
    /// Best requester of each output place; [`NO`] if there is none.
    best: Vec<u16>,
    asked: Vec<u16>,
    /// Best (input, place) of each output port.
    chosen: Vec<(u16, u16)>,
    wanted: Vec<u16>,
}

const NO: u16 = u16::MAX;

impl Scratch {
    pub(super) fn new(places: usize, outputs: usize) -> Self {
        Self { best: vec![NO; places], asked: Vec::new(), chosen: vec![(NO, NO); outputs], wanted: Vec::new() }
    }
}

/// Distance from a pointer onwards, cyclically.
#[inline]
fn ahead(place: u32, pointer: u32, size: u32) -> u32 {
    if place >= pointer { place - pointer } else { place + size - pointer }
}

impl PacketEngine {
    /// Allocates channels and the switch in a cycle.
    pub(super) fn look(&mut self, switch: u32, t: u32) {
        self.counts.visits += 1;
        let own = self.switches[switch as usize];
        let wiring = self.setup.wiring.clone();
        let (ports_in, ports_out) = (wiring.inputs(switch), wiring.outputs(switch));
        let (first_in, first_out) = ((own.input as usize) << self.shift, (own.output as usize) << self.shift);
        let words = own.word as usize..(own.word + own.words) as usize;
        let mut lost = false;

        // Channels: each head requests the best free candidate.
        self.scratch.asked.clear();
        for (number, word) in words.clone().enumerate() {
            for place in members(number, self.waiting[word]) {
                let input = self.inputs[first_in + place];
                let slots = (first_in + place) * self.most;
                let mut best = (0, 0, NO);
                for candidate in &self.candidates[slots..slots + usize::from(self.counts_of[first_in + place])] {
                    for vc in candidate.lowest..=candidate.highest {
                        let asked = u32::from(candidate.output) << self.shift | u32::from(vc);
                        if self.outputs[first_out + asked as usize].busy {
                            continue;
                        }
                        let distance = ahead(asked, u32::from(input.pointer), ports_out << self.shift);
                        if best.2 == NO || (candidate.priority, best.1) > (best.0, distance) {
                            best = (candidate.priority, distance, asked as u16);
                        }
                    }
                }
                if best.2 == NO {
                    continue;
                }
                let entry = &mut self.scratch.best[usize::from(best.2)];
                if *entry == NO {
                    self.scratch.asked.push(best.2);
                    *entry = place as u16;
                } else {
                    lost = true;
                    let pointer = u32::from(self.outputs[first_out + usize::from(best.2)].pointer);
                    let size = ports_in << self.shift;
                    if ahead(place as u32, pointer, size) < ahead(u32::from(*entry), pointer, size) {
                        *entry = place as u16;
                    }
                }
            }
        }

        // The switch: packets that have a channel, whose input and output no packet holds.
        self.scratch.wanted.clear();
        let width = 1_u32 << self.shift;
        for (number, word) in words.clone().enumerate() {
            let mut bits = self.ready[word];
            while bits != 0 {
                let at = bits.trailing_zeros() & !(width - 1);
                let mask = if width == 64 { u64::MAX } else { ((1 << width) - 1) << at };
                let group = bits & mask;
                bits &= !mask;
                let first = number as u32 * 64 + at;
                let port = first >> self.shift;
                let turn = self.in_ports[(own.input + port) as usize];
                if turn.free_at > t {
                    continue;
                }
                let (mut best, mut chosen, mut outputs_wanted) = (u32::MAX, 0, 0_u32);
                for place in members(number, group) {
                    let input = self.inputs[first_in + place];
                    let place = place as u32;
                    let output = u32::from(input.output) >> self.shift;
                    if input.since > t || self.out_ports[(own.output + output) as usize].free_at > t {
                        continue;
                    }
                    outputs_wanted += 1;
                    let vc = (place & (width - 1)).wrapping_sub(u32::from(turn.offset)) & (width - 1);
                    let key = ahead(output, u32::from(turn.pointer), ports_out) << 8 | vc;
                    if key < best {
                        (best, chosen) = (key, place);
                    }
                }
                if best == u32::MAX {
                    continue;
                }
                // A second packet of this input is considered when the input is free again.
                lost |= outputs_wanted > 1;
                let output = usize::from(self.inputs[first_in + chosen as usize].output) >> self.shift;
                let entry = &mut self.scratch.chosen[output];
                if entry.0 == NO {
                    self.scratch.wanted.push(output as u16);
                    *entry = (port as u16, chosen as u16);
                } else {
                    lost = true;
                    let pointer = u32::from(self.out_ports[own.output as usize + output].pointer);
                    if ahead(port, pointer, ports_in) < ahead(u32::from(entry.0), pointer, ports_in) {
                        *entry = (port as u16, chosen as u16);
                    }
                }
            }
        }

        // Channels are assigned.
        let asked = std::mem::take(&mut self.scratch.asked);
        for &place_out in &asked {
            let place = std::mem::replace(&mut self.scratch.best[usize::from(place_out)], NO);
            let input = &mut self.inputs[first_in + usize::from(place)];
            (input.pointer, input.output, input.since) = (place_out + 1, place_out, t + 1);
            let output = &mut self.outputs[first_out + usize::from(place_out)];
            (output.pointer, output.busy) = (place + 1, true);
            let bit = 1_u64 << (place % 64);
            self.waiting[own.word as usize + usize::from(place) / 64] &= !bit;
            self.ready[own.word as usize + usize::from(place) / 64] |= bit;
        }
        if lost || !asked.is_empty() {
            self.wheel.add(t + 1, WheelEvent::Look(switch));
        }
        self.scratch.asked = asked;

        // Packets cross the switch.
        let wanted = std::mem::take(&mut self.scratch.wanted);
        for &output in &wanted {
            let (port, place) = std::mem::replace(&mut self.scratch.chosen[usize::from(output)], (NO, NO));
            self.grant(switch, port, place, output, t);
        }
        self.scratch.wanted = wanted;
    }

    /// Lets a packet cross the switch from cycle `t` on.
    fn grant(&mut self, switch: u32, port: u16, place: u16, output: u16, t: u32) {
        let wiring = self.setup.wiring.clone();
        let own = self.switches[switch as usize];
        let (size, crossing, host_delay, credit_delay) = {
            let p = &self.setup.parameters;
            (p.packet, p.crossing_delay, p.host_delay, p.credit_delay)
        };
        let mask = (1_u16 << self.shift) - 1;
        let turn = &mut self.in_ports[own.input as usize + usize::from(port)];
        (turn.free_at, turn.pointer, turn.offset) = (t + size, output + 1, (((place & mask) + 1) & mask) as u8);
        let line = &mut self.out_ports[own.output as usize + usize::from(output)];
        (line.free_at, line.pointer) = (t + size, port + 1);
        self.wheel.add(t + size, WheelEvent::Look(switch));
        let word = own.word as usize + usize::from(place) / 64;
        self.ready[word] &= !(1 << (place % 64));
        let index = ((own.input as usize) << self.shift) + usize::from(place);
        let (packet, place_out) = (self.inputs[index].packet, self.inputs[index].output);
        self.inputs[index].packet = NONE;
        self.counts.passages += u64::from(size);
        self.moved = t;
        let channel = ((own.output as usize) << self.shift) + usize::from(place_out);
        self.outputs[channel].granted = t;

        // Buffer that it leaves.
        let vc = (place & mask) as u8;
        let from_host = u32::from(port).wrapping_sub(wiring.first_host_input(switch));
        if from_host < wiring.hosts_of(switch) {
            let host = own.host + from_host;
            self.wheel.add(t + size + host_delay, WheelEvent::HostFree { host, vc });
        } else {
            let cable = u32::from(port) - wiring.first_cable(switch);
            let end = wiring.near_end(switch, cable);
            let latency = wiring.latency[wiring.in_arc(switch, cable).index()];
            let far = wiring.first_cable(end.switch) + end.cable;
            let place = (far << self.shift | u32::from(vc)) as u16;
            let channel = ((self.switches[end.switch as usize].output as usize) << self.shift) + usize::from(place);
            self.outputs[channel].leaves = t;
            self.wheel.add(t + size + latency + credit_delay, WheelEvent::Free { switch: end.switch, place });
        }

        // Destination of the packet.
        let to_host = u32::from(output).wrapping_sub(wiring.first_host_output(switch));
        if to_host < wiring.hosts_of(switch) {
            let arrives = t + crossing + host_delay + 1;
            self.outputs[channel].leaves = arrives;
            let free = arrives + size + host_delay + credit_delay;
            self.wheel.add(free, WheelEvent::Free { switch, place: place_out });
            self.arrive(packet, arrives, size);
        } else {
            let cable = u32::from(output) - wiring.first_cable(switch);
            let end = wiring.far_end(switch, cable);
            let latency = wiring.latency[wiring.out_arc(switch, cable).index()];
            let far = wiring.first_cable(end.switch) + end.cable;
            let place = (far << self.shift | u32::from(place_out & mask)) as u16;
            self.packets[packet as usize].hops += 1;
            let flits = self.setup.window.overlap(t, size);
            self.arc_flits[wiring.out_arc(switch, cable).index()] += flits;
            self.counts.cable_flits += u64::from(flits);
            let due = t + crossing + latency + 1;
            self.wheel.add(due, WheelEvent::Arrival { switch: end.switch, place, packet });
        }
    }

    /// Records a packet whose head arrives at its host in cycle `head`.
    fn arrive(&mut self, index: u32, head: u32, size: u32) {
        let packet = self.packets[index as usize];
        let (window, tail) = (self.setup.window, head + size - 1);
        let flits = window.overlap(head, size);
        self.accepted[packet.to as usize] += flits;
        self.counts.flits_accepted += u64::from(flits);
        self.counts.leave(window, packet.created, tail, packet.hops);
        self.ages -= u64::from(packet.created);
        if self.setup.log {
            self.log.push(Logged { id: packet.id, injected: packet.injected, head, tail, hops: packet.hops });
        }
        self.unused.push(index);
    }
}
