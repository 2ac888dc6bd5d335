//! Hosts of a batch: they receive their credits and send.

use super::arrive::occupied;
use super::mail::{Item, Mail};
use super::shard::{BODY, VC_BITS};
use super::state::{Cold, FREE, HostPort, NEVER, NONE, Packet, SENT};
use super::visit::{Visit, after};
use crate::packets::sets::members;

impl Visit<'_> {
    /// Schedules a credit to a host.
    #[inline(always)]
    pub(super) fn credit_host(&mut self, t: u32, due: u32, host: u32, vc: u8) {
        if due - self.start < self.plan.host_rows {
            let row = after(self.host_row, due - t, self.plan.host_rows);
            let base = self.batch.host_port * self.plan.host_rows;
            let slot = base + row * u32::from(self.batch.host_ports) + host;
            self.hub.host_credits[slot as usize] = vc + 1;
            self.wake_self(due);
        } else {
            self.post(Mail { time: due, switch: self.first_switch, port: host as u16, what: Item::HostCredit(vc) });
        }
    }

    #[inline(always)]
    pub(super) fn wake_self(&mut self, time: u32) {
        if time >= self.start + self.plan.block {
            self.wake(time, self.local);
        }
    }

    /// Lets hosts take their credits and send.
    #[inline(always)]
    pub(super) fn hosts<const LEAN: bool>(&mut self, t: u32) {
        let plan = self.plan;
        let ports = usize::from(self.batch.host_ports);
        let rows = plan.host_rows as usize;
        let base = self.batch.host_port as usize * rows + self.host_row as usize * ports;
        for first in (0..ports).step_by(64) {
            let set = occupied(&self.hub.host_credits[base + first..base + ports.min(first + 64)]);
            for slot in members(0, set) {
                let credit = std::mem::take(&mut self.hub.host_credits[base + first + slot]);
                self.take_host_credit(first + slot, credit - 1);
            }
        }
        if self.batch.next_host > t {
            return;
        }
        let mut soonest = NEVER;
        let first_port = self.batch.host_port as usize;
        for first in (0..ports).step_by(64) {
            let next = &self.hub.host_next[first_port + first..first_port + ports.min(first + 64)];
            let (mut due, mut later) = (0_u64, NEVER);
            for (place, &next) in next.iter().enumerate() {
                due |= u64::from(next <= t) << place;
                later = later.min(if next <= t { NEVER } else { next });
            }
            for place in members(0, due) {
                let port = first + place;
                let next = self.host::<LEAN>(t, port);
                self.hub.host_next[first_port + port] = next;
                later = later.min(next);
            }
            soonest = soonest.min(later);
        }
        self.batch.next_host = soonest;
    }

    #[inline(always)]
    fn take_host_credit(&mut self, port: usize, vc: u8) {
        let index = self.batch.host_port as usize + port;
        let account = &mut self.hub.host_vcs[index << self.plan.shift | usize::from(vc)];
        account.used -= 1;
        if account.owner == SENT && account.used == 0 {
            account.owner = FREE;
        }
        if account.owner == FREE && self.plan.parameters.vc_buffer - u32::from(account.used) >= self.plan.space.max(1) {
            self.hub.host_ports[index].free |= 1 << vc;
        }
    }

    /// Runs a host port that is sending or has a packet to send; returns the next cycle in which it has to be visited.
    #[inline(always)]
    fn host<const LEAN: bool>(&mut self, t: u32, port: usize) -> u32 {
        let plan = self.plan;
        let p = &plan.parameters;
        let index = self.batch.host_port as usize + port;
        let mut host: HostPort = self.hub.host_ports[index];
        let mut word = BODY;
        if host.left == 0 {
            // Next in turn after the channel taken last; before the first packet only channel 0.
            let vc = if host.last == 255 {
                (host.free & 1 != 0).then_some(0)
            } else {
                let behind = host.free & (u64::MAX << host.last << 1);
                let first = if behind != 0 { behind } else { host.free };
                (first != 0).then(|| first.trailing_zeros() as u8)
            };
            let Some(vc) = vc else { return t + 1 };
            (host.vc, host.last) = (vc, vc);
            let (packet, size) = self.enter::<LEAN>(t, index, &host);
            host.left = size;
            word = (packet + 1) << VC_BITS;
            host.free &= !(1 << vc);
            self.hub.host_vcs[index << plan.shift | usize::from(vc)].owner = 0;
            (host.source, host.created) = {
                let next = self.hub.host_ports[index];
                (next.source, next.created)
            };
        }
        let account = &mut self.hub.host_vcs[index << plan.shift | usize::from(host.vc)];
        if u32::from(account.used) >= p.vc_buffer {
            self.hub.host_ports[index] = host;
            return t + 1;
        }
        account.used += 1;
        host.left -= 1;
        if host.left == 0 {
            account.owner = if p.wait_for_tail_credit { SENT } else { FREE };
            if account.owner == FREE && p.vc_buffer - u32::from(account.used) >= plan.space.max(1) {
                host.free |= 1 << host.vc;
            }
        }
        if plan.window.has(t) {
            self.hub.counts.flits_injected += 1;
        }
        let due = t + p.host_delay + 1;
        let in_port = host.in_port;
        let word = word | u32::from(host.vc);
        if due - self.start < plan.flit_rows {
            let row = after(self.flit_row, due - t, plan.flit_rows);
            let base = self.batch.in_port * plan.flit_rows;
            let slot = base + row * u32::from(self.batch.inputs) + u32::from(in_port);
            self.hub.flits[slot as usize] = word;
            self.wake_self(due);
        } else {
            self.post(Mail { time: due, switch: self.first_switch, port: in_port, what: Item::Flit(word) });
        }
        self.hub.moved = t;
        self.hub.host_ports[index] = host;
        if host.left > 0 { t + 1 } else { host.created.max(t + 1) }
    }

    /// Takes the next packet of a port and draws the one after it; returns its index and size.
    #[inline(always)]
    fn enter<const LEAN: bool>(&mut self, t: u32, index: usize, host: &HostPort) -> (u32, u16) {
        let plan = self.plan;
        let place = host.source;
        let mut source = self.hub.sources[place as usize];
        let from = self.first_host + place;
        let (created, to, cold) = match &plan.packets {
            crate::packets::source::PacketSource::Drawn { .. } => {
                let size = plan.parameters.packet as u16;
                let cold = Cold { id: self.hub.counts.entered, injected: t, head: 0, size };
                (source.created, source.to, cold)
            }
            crate::packets::source::PacketSource::Listed(list) => {
                let packet = list.packets[source.to as usize];
                let cold = Cold { id: packet.id, injected: t, head: 0, size: packet.flits as u16 };
                (packet.created, packet.to, cold)
            }
        };
        let packet = Packet { next: NONE, created, to, aux: 0 };
        let kept = self.hub.keep(packet, cold, !LEAN && plan.cold);
        self.hub.counts.enter(plan.window, created, t);
        self.hub.ages += u64::from(created);
        self.hub.measuring -= u64::from(created < plan.window.until);
        (source.created, source.to) = plan.packets.after(from, source.created, source.to, &mut source.stream);
        self.hub.count_created(source.created, plan.window);
        self.hub.sources[place as usize] = source;
        let switch = || self.switch_of(usize::from(host.in_port)).0;
        let own = plan.sources(switch, index as u32, self.first_host);
        self.hub.refill(index as u32, own);
        (kept, cold.size)
    }
}
