//! Hosts: messages become packets, and packets that arrive complete messages.

use super::queue::FabricEvent;
use super::state::{Arrival, FabricMessage, FabricPacket, FabricState, NONE, SendQueue};
use super::time::whole;
use crate::network::model::Injection;
use crate::network::sharing::LinkState;
use crate::slots;

impl FabricState<'_> {
    /// Enters a message, which begins with [`FabricEvent::Begin`].
    pub(super) fn enter(&mut self, tag: u32, (from, to): (u32, u32), job: u32, bytes: u64) -> u32 {
        let packets = bytes.div_ceil(u64::from(self.plane.level.mtu)).max(1);
        let message = FabricMessage {
            tag,
            then: NONE,
            from,
            to,
            job,
            bytes,
            to_make: packets,
            to_arrive: packets,
            number: 0,
            highest: 0,
            done_at: 0,
            stamp: 0,
            vc: 0,
            next: NONE,
            under_way: 0,
            links: 0,
            parked: false,
        };
        self.open += 1;
        slots::store(&mut self.messages, &mut self.free_messages, message)
    }

    /// Adds a message to those that its host sends. It keeps its virtual channel, so that its packets stay in order
    /// where their routes are the same.
    pub(super) fn begin(&mut self, message: u32, t: u64) {
        let host = self.messages[message as usize].from;
        let next_vc = &mut self.next_vc[host as usize];
        self.messages[message as usize].vc = *next_vc;
        *next_vc = (*next_vc + 1) % self.vcs;
        self.line_up(message);
        let port = self.outputs + host;
        if self.watched && self.ports[port as usize].free_at > t {
            self.report(port, LinkState { full: true, limiting: true }, t);
        }
        self.touch(port, t);
    }

    /// Puts a message after all others of its host.
    fn line_up(&mut self, index: u32) {
        self.stamps += 1;
        let message = &mut self.messages[index as usize];
        (message.stamp, message.next) = (self.stamps, NONE);
        let line = &mut self.lines[(message.from * self.vcs + message.vc) as usize];
        if line.first == NONE {
            self.filled[message.from as usize] |= 1 << message.vc;
            *line = SendQueue { first: index, last: index };
        } else {
            let last = std::mem::replace(&mut line.last, index);
            self.messages[last as usize].next = index;
        }
    }

    /// Sends the next packet of a host, if its link is free and there is space.
    pub(super) fn inject(&mut self, number: u32, t: u64) {
        let (vcs, host) = (self.vcs, number - self.outputs);
        let first_line = (host * vcs) as usize;
        let filled = self.filled[host as usize];
        if filled == 0 {
            return;
        }
        let free_at = self.ports[number as usize].free_at;
        if free_at > t {
            return self.wake(number, free_at);
        }
        let (mut best, mut chosen) = (u64::MAX, NONE);
        let level = &self.plane.level;
        let mut left = filled;
        while left != 0 {
            let vc = left.trailing_zeros();
            left &= left - 1;
            let first = self.lines[first_line + vc as usize].first;
            let message = &self.messages[first as usize];
            let bytes = message.bytes.min(u64::from(level.mtu)) as u32 + level.header;
            let fits = self.used[(number << self.shift | vc) as usize] <= self.buffer.saturating_sub(bytes);
            // First come, first served waits for its turn even if another message could be sent.
            if (fits || level.injection == Injection::FirstCome) && message.stamp < best {
                (best, chosen) = (message.stamp, if fits { vc } else { NONE });
            }
        }
        if chosen == NONE {
            return;
        }
        let vc = chosen;
        let index = self.lines[first_line + vc as usize].first;
        let message = &mut self.messages[index as usize];
        let payload = message.bytes.min(u64::from(level.mtu)) as u32;
        let bytes = payload + level.header;
        message.bytes -= u64::from(payload);
        message.to_make -= 1;
        message.under_way += 1;
        let packet_number = message.number;
        message.number += 1;
        let to = message.to;
        let is_first = packet_number == 0 && message.tag != NONE;
        let (done, parks) = (message.to_make == 0, level.window.is_some_and(|most| message.under_way >= most));
        if done || parks || level.injection == Injection::Turns {
            let next = message.next;
            message.parked = parks && !done;
            self.lines[first_line + vc as usize].first = next;
            if next == NONE {
                self.filled[host as usize] &= !(1 << vc);
            }
            if !done && !parks {
                self.line_up(index);
            }
        }
        let packet = FabricPacket {
            message: index,
            next: NONE,
            lane: self.ports[number as usize].far << self.shift | vc,
            bytes,
            to,
            target: self.plane.wiring.switch_of(to),
            number: packet_number,
            head_at: 0,
            tail_at: 0,
            hops: 0,
            note: 0,
            phase: 0,
            created: self.made as u32,
        };
        self.made += 1;
        self.passed += 1;
        let packet = slots::store(&mut self.packets, &mut self.free_packets, packet);
        self.used[(number << self.shift | vc) as usize] += bytes;
        let port = &mut self.ports[number as usize];
        let gone = t + whole(f64::from(bytes) * port.byte);
        port.free_at = gone;
        port.bytes += u64::from(bytes);
        if is_first && port.link != NONE {
            port.messages += 1;
            self.messages[index as usize].links += 1;
        }
        let head = t + port.latency;
        self.queue.add(head, FabricEvent::Arrival { packet });
        let waits = self.filled[host as usize] != 0;
        if waits {
            self.wake(number, gone);
        }
        if self.watched {
            self.report(number, LinkState { full: true, limiting: waits }, t);
            self.queue.add(gone, FabricEvent::Idle(number));
        }
    }

    /// Handles a packet on its last link; its tail arrives at `tail`.
    pub(super) fn deliver(&mut self, index: u32, tail: u64) {
        let packet = self.packets[index as usize];
        self.free_packets.push(index);
        let windowed = self.plane.level.window.is_some();
        let message = &mut self.messages[packet.message as usize];
        if packet.number < message.highest {
            self.out_of_order += 1;
        }
        message.highest = message.highest.max(packet.number + 1);
        message.done_at = message.done_at.max(tail);
        message.to_arrive -= 1;
        if message.to_arrive == 0 {
            self.queue.add(message.done_at, FabricEvent::Arrived { message: packet.message });
        } else if windowed {
            self.queue.add(tail, FabricEvent::Acknowledged { message: packet.message });
        }
    }

    /// Handles the acknowledgement of a packet: one more may be under way.
    pub(super) fn acknowledged(&mut self, index: u32, t: u64) {
        let message = &mut self.messages[index as usize];
        message.under_way -= 1;
        if message.parked {
            message.parked = false;
            let port = self.outputs + message.from;
            self.line_up(index);
            self.touch(port, t);
        }
    }

    /// Completes a message whose last packet has arrived.
    pub(super) fn message_arrives(&mut self, index: u32, t: u64) {
        let message = &mut self.messages[index as usize];
        let FabricMessage { tag, then, .. } = *message;
        let links = std::mem::take(&mut message.links);
        self.free_messages.push(index);
        self.open -= 1;
        if then != NONE {
            self.queue.add(t, FabricEvent::Begin { message: then });
        } else {
            self.finished.push(Arrival { tag, links });
            self.finished_at = t;
        }
    }
}
