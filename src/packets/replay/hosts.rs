//! Hosts: messages become packets, and packets that arrive complete messages.

use super::queue::FabricEvent;
use super::state::{Arrival, FabricMessage, FabricPacket, FabricState, NONE, SendQueue};
use super::time::whole;
use crate::network::model::Injection;
use crate::network::sharing::LinkState;
use crate::slots;

/// Packet that a host is about to send.
#[derive(Clone, Copy)]
struct NextPacket {
    message: u32,
    /// Number in its message.
    number: u64,
    /// Payload and header.
    bytes: u32,
    to: u32,
    /// `true` for the first packet of a message that is counted.
    is_first: bool,
}

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
        let host = number - self.outputs;
        if self.filled[host as usize] == 0 {
            return;
        }
        let free_at = self.ports[number as usize].free_at;
        if free_at > t {
            return self.wake(number, free_at);
        }
        let Some(vc) = self.channel_to_send(number, host) else { return };
        let next = self.next_packet(host, vc);
        let packet = self.make_packet(number, vc, next);
        let gone = self.occupy_port(number, vc, next, t);
        self.queue.add(t + self.ports[number as usize].latency, FabricEvent::Arrival { packet });
        let waits = self.filled[host as usize] != 0;
        if waits {
            self.wake(number, gone);
        }
        if self.watched {
            self.report(number, LinkState { full: true, limiting: waits }, t);
            self.queue.add(gone, FabricEvent::Idle(number));
        }
    }

    /// Returns the virtual channel whose first message sends the next packet; `None` if none may.
    #[inline]
    fn channel_to_send(&self, number: u32, host: u32) -> Option<u32> {
        let level = &self.plane.level;
        let (mut best, mut chosen) = (u64::MAX, None);
        let mut left = self.filled[host as usize];
        while left != 0 {
            let vc = left.trailing_zeros();
            left &= left - 1;
            let first = self.lines[(host * self.vcs + vc) as usize].first;
            let message = &self.messages[first as usize];
            let bytes = message.bytes.min(u64::from(level.mtu)) as u32 + level.header;
            let fits = self.used[(number << self.shift | vc) as usize] <= self.buffer.saturating_sub(bytes);
            // First come, first served waits for its turn even if another message could be sent.
            if (fits || level.injection == Injection::FirstCome) && message.stamp < best {
                (best, chosen) = (message.stamp, fits.then_some(vc));
            }
        }
        chosen
    }

    /// Takes the next packet out of the first message of a virtual channel.
    #[inline]
    fn next_packet(&mut self, host: u32, vc: u32) -> NextPacket {
        let level = &self.plane.level;
        let index = self.lines[(host * self.vcs + vc) as usize].first;
        let message = &mut self.messages[index as usize];
        let payload = message.bytes.min(u64::from(level.mtu)) as u32;
        let next = NextPacket {
            message: index,
            number: message.number,
            bytes: payload + level.header,
            to: message.to,
            is_first: message.number == 0 && message.tag != NONE,
        };
        message.bytes -= u64::from(payload);
        message.to_make -= 1;
        message.under_way += 1;
        message.number += 1;
        let (done, parks) = (message.to_make == 0, level.window.is_some_and(|most| message.under_way >= most));
        if done || parks || level.injection == Injection::Turns {
            message.parked = parks && !done;
            self.leave_line(host, vc);
            if !done && !parks {
                self.line_up(index);
            }
        }
        next
    }

    /// Takes the first message of a virtual channel out of its line.
    #[inline]
    fn leave_line(&mut self, host: u32, vc: u32) {
        let line = &mut self.lines[(host * self.vcs + vc) as usize];
        line.first = self.messages[line.first as usize].next;
        if line.first == NONE {
            self.filled[host as usize] &= !(1 << vc);
        }
    }

    /// Returns the index of a packet that is under way from now on.
    #[inline]
    fn make_packet(&mut self, number: u32, vc: u32, next: NextPacket) -> u32 {
        let packet = FabricPacket {
            message: next.message,
            next: NONE,
            lane: self.ports[number as usize].far << self.shift | vc,
            bytes: next.bytes,
            to: next.to,
            target: self.plane.wiring.switch_of(next.to),
            number: next.number,
            head_at: 0,
            tail_at: 0,
            hops: 0,
            note: 0,
            phase: 0,
            created: self.made as u32,
        };
        self.made += 1;
        self.passed += 1;
        slots::store(&mut self.packets, &mut self.free_packets, packet)
    }

    /// Occupies the port of a host, and space behind it, for a packet that leaves at `t`. Returns the time at which the
    /// port is free.
    #[inline]
    fn occupy_port(&mut self, number: u32, vc: u32, next: NextPacket, t: u64) -> u64 {
        self.used[(number << self.shift | vc) as usize] += next.bytes;
        let port = &mut self.ports[number as usize];
        port.free_at = t + whole(f64::from(next.bytes) * port.byte);
        port.bytes += u64::from(next.bytes);
        if next.is_first && port.link != NONE {
            port.messages += 1;
            self.messages[next.message as usize].links += 1;
        }
        port.free_at
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
