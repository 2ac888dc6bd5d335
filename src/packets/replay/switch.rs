//! Switches: heads arrive and are routed, outputs choose among the lanes that request them.

use super::fabric::FLIT;
use super::queue::FabricEvent;
use super::state::{Departure, FabricPacket, FabricState, Input, NONE, OutputRequest};
use super::time::whole;
use crate::network::sharing::LinkState;
use crate::packets::routing::{At, Candidate, Head};

/// Returns the flits of a packet, as loads count them.
#[inline]
pub(super) fn flits(bytes: u32) -> u32 {
    bytes.div_ceil(FLIT)
}

impl FabricState<'_> {
    /// Handles the head of a packet that is in its lane.
    pub(super) fn head_arrives(&mut self, index: u32, t: u64) {
        let packet = &mut self.packets[index as usize];
        packet.next = NONE;
        packet.head_at = t;
        let lane_number = packet.lane;
        if self.uneven {
            let from = self.inputs[(lane_number >> self.shift) as usize].from;
            packet.tail_at = t + whole(f64::from(packet.bytes) * self.ports[from as usize].byte);
        }
        let lane = &mut self.lanes[lane_number as usize];
        if lane.first != NONE {
            self.packets[lane.last as usize].next = index;
            lane.last = index;
            return;
        }
        (lane.first, lane.last) = (index, index);
        if lane.busy_until > t {
            self.queue.add(lane.busy_until, FabricEvent::Front { lane: lane_number });
        } else {
            self.front(lane_number, t);
        }
    }

    /// Routes the packet at the front of a lane, which requests its outputs from now on.
    pub(super) fn front(&mut self, lane: u32, t: u64) {
        let wiring = &*self.plane.wiring;
        let index = self.lanes[lane as usize].first;
        let packet = self.packets[index as usize];
        let (input, vc) = (self.inputs[(lane >> self.shift) as usize], lane & ((1 << self.shift) - 1));
        let switch = input.switch;
        let first_out = self.first_out[switch as usize];
        if packet.target == switch && packet.phase & Head::DETOUR == 0 && !self.plane.rule.delivers() {
            let output = wiring.host_output(switch, packet.to) as u16;
            let all = Candidate { output, lowest: 0, highest: (self.vcs - 1) as u8, priority: 0 };
            return self.ask(lane, &input, &packet, first_out, &[all], t);
        }
        let (from_host, number) = (input.from >= self.outputs, u32::from(input.number));
        let outputs = first_out as usize..self.first_out[switch as usize + 1] as usize;
        let at = At {
            switch,
            cable: (!from_host).then(|| number - wiring.first_cable(switch)),
            vc: if from_host { number } else { vc },
            loads: &self.loads[outputs],
            seed: self.plane.seed,
        };
        let mut head = Head {
            to: packet.to,
            target: packet.target,
            hops: packet.hops.min(255),
            created: packet.created,
            note: packet.note,
            phase: packet.phase,
        };
        let mut more = std::mem::take(&mut self.more);
        let candidate = self.plane.rule.route(&at, &mut head, &mut more);
        let kept = &mut self.packets[index as usize];
        (kept.note, kept.phase) = (head.note, head.phase);
        if more.is_empty() {
            if self.reads_loads && self.most == 1 {
                self.loads[first_out as usize + usize::from(candidate.output)] += flits(packet.bytes);
            }
            self.ask(lane, &input, &packet, first_out, &[candidate], t);
        } else {
            more.push(candidate);
            self.ask(lane, &input, &packet, first_out, &more, t);
            more.clear();
        }
        self.more = more;
    }

    /// Adds the requests of a lane.
    fn ask(
        &mut self,
        lane: u32,
        input: &Input,
        packet: &FabricPacket,
        first_out: u32,
        candidates: &[Candidate],
        t: u64,
    ) {
        let incoming = if self.uneven { self.ports[input.from as usize].byte } else { 0.0 };
        let vc = (lane & ((1 << self.shift) - 1)) as u8;
        for (place, candidate) in candidates.iter().enumerate() {
            let number = first_out + u32::from(candidate.output);
            let port = &mut self.ports[number as usize];
            // A packet that arrives slower than it leaves would be interrupted.
            let stored = incoming > port.byte;
            let Candidate { lowest, highest, priority, .. } = *candidate;
            let (bytes, input) = (packet.bytes, input.number);
            port.requests.push(OutputRequest { lane, bytes, input, vc, lowest, highest, priority, stored });
            if self.watched && port.free_at > t {
                self.report(number, LinkState { full: true, limiting: true }, t);
            }
            if self.most > 1 {
                self.asked[lane as usize * self.most + place] = number;
            }
            self.touch(number, t);
        }
        if self.most > 1 {
            self.asked_of[lane as usize] = candidates.len() as u8;
        }
    }

    /// Records that the packet at the front of a lane, which leaves through an output, waited there behind one for an
    /// output that it had not requested (head-of-line blocking).
    fn was_behind(&mut self, lane_number: u32, wanted: u32, packet: &FabricPacket) {
        let left = self.departures[lane_number as usize];
        let (aggressor, waited) = (left.port, self.lanes[lane_number as usize].busy_until - packet.head_at);
        let asked = if self.most > 1 {
            let first = lane_number as usize * self.most;
            &self.asked[first..first + usize::from(self.asked_of[lane_number as usize])]
        } else {
            &[wanted]
        };
        if asked.contains(&aggressor) {
            return;
        }
        let jobs = (self.messages[packet.message as usize].job, left.job);
        for entry in [self.behind.entry((wanted, aggressor)).or_default(), self.behind_jobs.entry(jobs).or_default()] {
            entry.0 += 1;
            entry.1 += waited;
        }
    }

    /// Returns the channel with the most space that a request may use, the lowest of equals; `None` if none has room
    /// for the packet.
    #[inline]
    fn channel_for(&self, port: u32, request: &OutputRequest) -> Option<u32> {
        let base = port << self.shift;
        let mut best = None;
        let mut least = self.buffer.saturating_sub(request.bytes).saturating_add(1);
        for vc in u32::from(request.lowest)..=u32::from(request.highest) {
            let used = self.used[(base + vc) as usize];
            if used < least {
                (best, least) = (Some(vc), used);
            }
        }
        best
    }

    /// Sends the next packet of an output, if its wire is free and one can be sent.
    pub(super) fn send(&mut self, number: u32, t: u64) {
        let port = &self.ports[number as usize];
        if port.requests.is_empty() {
            return;
        }
        if port.free_at > t {
            let free_at = port.free_at;
            return self.wake(number, free_at);
        }
        let behind = |place: u32, turn: u32, all: u32| if place >= turn { place - turn } else { place + all - turn };
        let (mut best, mut chosen, mut soonest) = (u32::MAX, (0, 0), u64::MAX);
        for (at, request) in port.requests.iter().enumerate() {
            if request.stored {
                let tail_at = self.packets[self.lanes[request.lane as usize].first as usize].tail_at;
                if tail_at > t {
                    soonest = soonest.min(tail_at);
                    continue;
                }
            }
            let key = u32::from(u8::MAX - request.priority) << 16
                | behind(u32::from(request.input), port.pointer, port.inputs);
            if key > best {
                continue;
            }
            if key == best {
                // Another channel of the same input: its turn decides.
                let turn = u32::from(self.inputs[(request.lane >> self.shift) as usize].turn);
                let place = |vc: u8| behind(u32::from(vc), turn, self.vcs);
                if place(request.vc) >= place(port.requests[chosen.0].vc) {
                    continue;
                }
            }
            let vc = if port.far == NONE { Some(0) } else { self.channel_for(number, request) };
            if let Some(vc) = vc {
                (best, chosen) = (key, (at, vc));
            }
        }
        if best < u32::MAX {
            self.grant(number, chosen.0, chosen.1, t);
        } else if soonest < u64::MAX {
            self.wake(number, soonest);
        }
        // Otherwise all wait for space, whose return touches the port.
    }

    /// Sends the packet of a request through an output from time `t` on.
    fn grant(&mut self, number: u32, request: usize, vc: u32, t: u64) {
        let shift = self.shift;
        let OutputRequest { lane: lane_number, vc: own, .. } =
            self.ports[number as usize].requests.swap_remove(request);
        let lane = &self.lanes[lane_number as usize];
        let index = lane.first;
        if self.watched {
            let packet = self.packets[index as usize];
            if packet.head_at < lane.busy_until {
                self.was_behind(lane_number, number, &packet);
            }
            let job = self.messages[packet.message as usize].job;
            self.departures[lane_number as usize] = Departure { port: number, job };
        }
        let port = &mut self.ports[number as usize];
        let lane = &mut self.lanes[lane_number as usize];
        let packet = &mut self.packets[index as usize];
        let bytes = packet.bytes;
        let gone = t + whole(f64::from(bytes) * port.byte);
        let head = t + port.latency;
        let far = port.far;
        let input = &mut self.inputs[(lane_number >> shift) as usize];
        port.free_at = gone;
        let next = u32::from(input.number) + 1;
        port.pointer = if next == port.inputs { 0 } else { next };
        input.turn = if u32::from(own) + 1 == self.vcs { 0 } else { own + 1 };
        let (from, latency) = (input.from, input.latency);
        port.bytes += u64::from(bytes);
        self.passed += 1;
        let is_first = packet.number == 0 && self.messages[packet.message as usize].tag != NONE;
        if is_first && port.link != NONE {
            port.messages += 1;
            self.messages[packet.message as usize].links += 1;
        }
        let waits = !port.requests.is_empty();

        // Lane that it leaves.
        lane.busy_until = gone;
        lane.first = packet.next;
        if lane.first != NONE {
            self.queue.add(gone, FabricEvent::Front { lane: lane_number });
        }
        self.queue.add(gone + latency, FabricEvent::Credit { channel: from << shift | u32::from(own), bytes });
        if self.most > 1 {
            self.withdraw(lane_number);
        }

        // Destination of the packet.
        if far == NONE {
            self.deliver(index, head + (gone - t));
        } else {
            packet_goes(&mut self.packets[index as usize], far << shift | vc);
            self.used[(number << shift | vc) as usize] += bytes;
            if self.reads_loads && self.most > 1 {
                self.loads[number as usize] += flits(bytes);
            }
            self.queue.add(head, FabricEvent::Arrival { packet: index });
        }
        if waits {
            self.wake(number, gone);
        }
        if self.watched {
            self.report(number, LinkState { full: true, limiting: waits }, t);
            self.queue.add(gone, FabricEvent::Idle(number));
        }
    }

    /// Withdraws all other requests of a lane that has got an output.
    fn withdraw(&mut self, lane: u32) {
        let first = lane as usize * self.most;
        for place in 0..usize::from(self.asked_of[lane as usize]) {
            let number = self.asked[first + place];
            let requests = &mut self.ports[number as usize].requests;
            while let Some(at) = place_of(requests, lane) {
                requests.swap_remove(at);
            }
        }
        self.asked_of[lane as usize] = 0;
    }

    /// Returns a credit to a channel.
    #[inline]
    pub(super) fn credit(&mut self, channel: u32, bytes: u32, t: u64) {
        self.used[channel as usize] -= bytes;
        let port = channel >> self.shift;
        if self.reads_loads && port < self.outputs {
            self.loads[port as usize] -= flits(bytes);
        }
        // A busy port is visited again when it is free.
        if self.ports[port as usize].free_at <= t {
            self.touch(port, t);
        }
    }
}

/// Moves a packet over one more cable, to a lane.
#[inline]
fn packet_goes(packet: &mut FabricPacket, lane: u32) {
    packet.hops += 1;
    packet.lane = lane;
}

fn place_of(requests: &[OutputRequest], lane: u32) -> Option<usize> {
    requests.iter().position(|request| request.lane == lane)
}
