//! Part of the network: consecutive switches and their hosts, with all their state.
//!
//! Switches affect each other only by flits and credits that take at least `block` cycles, so each visit runs a batch of
//! switches through a block of that length: its state is fetched once, and parts of the network need to meet only
//! between blocks. Flits and credits are put directly into the slot of the cycle in which they are due, at the far end.

use super::division::Division;
use super::mail::{Due, Post};
use super::state::{
    Batch, Cold, FREE, HostPort, HostSource, HostVc, InPort, InputChannel, NEVER, OutPort, OutputChannel, Packet,
    SwitchPorts,
};
use super::visit::after;
use crate::packets::parameters::Parameters;
use crate::packets::random::Stream;
use crate::packets::routing::{Candidate, Rule};
use crate::packets::source::PacketSource;
use crate::packets::statistics::{Counts, Logged, Window};
use crate::packets::wiring::Wiring;
use crate::prefetch::{prefetch, prefetch_list};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

/// Number of packets above which they are prefetched: 2 MiB of them.
const CACHED_PACKETS: usize = 1 << 17;

/// Most rows of slots; items due later wait in a heap.
const MAX_ROWS: u32 = 1024;

/// Constants of a run.
pub(super) struct RunConstants {
    pub wiring: Arc<Wiring>,
    pub rule: Arc<dyn Rule>,
    pub parameters: Parameters,
    pub packets: PacketSource,
    pub seed: u64,
    pub window: Window,
    /// `true` if a log of all packets is kept, or sizes of packets differ.
    pub cold: bool,
    pub log: bool,
    /// Binary logarithm of the padded number of virtual channels.
    pub shift: u32,
    /// Cycles of a block.
    pub block: u32,
    /// Rows of slots for flits, for credits, and for credits of hosts.
    pub flit_rows: u32,
    pub credit_rows: u32,
    pub host_rows: u32,
    /// Rows of heads that are being routed.
    pub route_rows: u32,
    /// Number of blocks that the calendar of visits reaches ahead, a power of two.
    pub calendar: u32,
    /// Shards and batches.
    pub division: Division,
    /// Free flits that a channel must have for a packet to take it, and for one from a host.
    pub space: u32,
    /// `true` if the rule chooses the channel to the destination host.
    pub delivers: bool,
    /// `true` if heads have one candidate each, no switch is held, allocations take one cycle, and packets have one
    /// size.
    pub lean: bool,
    /// `true` if the state of all switches is larger than caches.
    pub is_large: bool,
    /// `true` if the tables of the rule may be larger than the nearest caches.
    pub has_large_tables: bool,
    /// Most candidates of a head.
    pub candidates: usize,
    /// `true` if virtual channels that are blocked by credits are left out of the switch allocation until one arrives.
    pub wake_by_credit: bool,
}

impl RunConstants {
    /// Returns the first cycle of a block and its rows.
    pub fn rows(&self, block: u32) -> Rows {
        let start = block * self.block;
        let steps = u64::from(start) * u64::from(self.parameters.speedup);
        Rows {
            start,
            block,
            flit: start % self.flit_rows,
            credit: start % self.credit_rows,
            host: start % self.host_rows,
            route: (steps % u64::from(self.route_rows)) as u32,
        }
    }

    /// Returns the sources of a host port of a switch, within the shard whose first host this is.
    #[inline]
    pub fn sources(&self, switch: impl FnOnce() -> u32, port: u32, first_host: u32) -> Range<u32> {
        match self.wiring.host_port {
            // Ports of a shard are numbered like its hosts.
            crate::packets::parameters::HostPort::Own => port..port + 1,
            crate::packets::parameters::HostPort::Shared => {
                let switch = switch();
                let first = self.wiring.host_first[switch as usize] - first_host;
                first..first + self.wiring.hosts_of(switch)
            }
        }
    }

    /// Returns the cycles from the grant of the switch to the departure, for the first or second step of a cycle.
    #[inline]
    pub fn crossing(&self, step: u32) -> u32 {
        match self.parameters.speedup {
            1 => self.parameters.crossing_delay,
            _ => self.parameters.crossing_delay - 1 + step,
        }
    }
}

/// First cycle of a block, its rows, and the number of the block.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub start: u32,
    pub block: u32,
    pub flit: u32,
    pub credit: u32,
    pub host: u32,
    pub route: u32,
}

/// Index of a packet in a flit's word; the word 0 is no flit.
pub(super) const VC_BITS: u32 = 6;
/// The word of a body flit, without its channel.
pub(super) const BODY: u32 = ((1 << 26) - 1) << VC_BITS;
/// Most packets under way in a shard.
pub(super) const MAX_PACKETS: usize = (1 << 26) - 3;

/// State of one part of the network.
pub(super) struct Shard {
    pub plan: Arc<RunConstants>,
    pub number: usize,
    pub range: Range<u32>,
    pub first_host: u32,
    pub batches: Vec<Batch>,
    pub switches: Vec<SwitchPorts>,
    pub inputs: Vec<InputChannel>,
    pub outputs: Vec<OutputChannel>,
    pub in_ports: Vec<InPort>,
    pub out_ports: Vec<OutPort>,
    pub loads: Vec<u32>,
    /// Sets of input places: those that wait for a channel, those that compete for the switch, those that hold it.
    pub waiting: Vec<u64>,
    pub ready: Vec<u64>,
    pub holding: Vec<u64>,
    /// Rows of sets: heads by the step in which their routing is done.
    pub routed: Vec<u64>,
    /// Candidates of waiting heads, for rules with several.
    pub candidates: Vec<Candidate>,
    /// Allocations that take more than a cycle: (cycle of the result, input place, output place or port).
    pub late_vcs: Vec<VecDeque<(u32, u16, u16)>>,
    pub late_switches: Vec<VecDeque<(u32, u16, bool)>>,
    /// Input place that holds each output port, while switches are held.
    pub held_by: Vec<u16>,
    /// Cycle in which the last flit left each output port, and the last credit each input port, if a switch takes two
    /// steps in a cycle. Ports are small without them, and large networks have millions.
    pub flit_left: Vec<u32>,
    pub credit_left: Vec<u32>,
    pub hub: Hub,
}

/// State shared by the switches of a shard: slots, packets, hosts, counts.
pub(super) struct Hub {
    pub flits: Vec<u32>,
    pub credits: Vec<u8>,
    pub host_credits: Vec<u8>,
    pub packets: Vec<Packet>,
    pub cold: Vec<Cold>,
    pub unused: Vec<u32>,
    pub host_ports: Vec<HostPort>,
    /// Cycle in which each host port has to be visited.
    pub host_next: Vec<u32>,
    pub host_vcs: Vec<HostVc>,
    pub sources: Vec<HostSource>,
    /// Packet that is arriving at each (host port, channel).
    pub arriving: Vec<u32>,
    /// Sets of batches by the block of their next visit.
    pub calendar: Vec<u64>,
    pub words: usize,
    /// Visits beyond the calendar: (block, batch).
    pub later: BinaryHeap<Reverse<(u32, u32)>>,
    pub far: BinaryHeap<Reverse<Due>>,
    /// Items for each other shard.
    pub post: Vec<Post>,
    pub counts: Counts,
    /// Flits that arrived at each host in the window, and left it.
    pub accepted: Vec<u32>,
    pub log: Vec<Logged>,
    /// Sources whose next packet is created before the end of the window.
    pub measuring: u64,
    /// Last cycle in which a flit moved.
    pub moved: u32,
    /// Sum of the cycles of creation of packets in the network.
    pub ages: u64,
    pub overflow: bool,
    pub scratch: Scratch,
}

/// Working memory of an allocation.
#[derive(Default)]
pub(super) struct Scratch {
    /// Best requester of each output place so far.
    pub best: Vec<u16>,
    pub asked: Vec<u64>,
    /// Best (input, place) of each output port so far.
    pub chosen: Vec<(u16, u16)>,
    pub chosen_set: Vec<u64>,
    /// Grants of allocations that take more than a cycle.
    pub vc_grants: Vec<(u16, u16)>,
    /// Flits that cross the switch in this step, unless they are sent while grants are gone through.
    pub switch_grants: Vec<u16>,
    pub hold_grants: Vec<(u16, bool)>,
    pub more: Vec<Candidate>,
}

impl Shard {
    /// Creates the state before cycle 0.
    pub fn new(plan: &Arc<RunConstants>, number: usize) -> Self {
        let wiring = &plan.wiring;
        let p = &plan.parameters;
        let range = plan.division.range(number);
        let width = 1_usize << plan.shift;
        let all_vcs = if p.vcs == 64 { u64::MAX } else { (1 << p.vcs) - 1 };
        let free = if p.vc_buffer >= plan.space { all_vcs } else { 0 };
        let host_free = if p.vc_buffer >= plan.space.max(1) { all_vcs } else { 0 };
        let (mut batches, mut switches) = (Vec::new(), Vec::with_capacity(range.len()));
        let (mut in_ports, mut out_ports, mut host_ports) = (Vec::new(), Vec::new(), Vec::new());
        let ports = |of: fn(&Wiring, u32) -> u32| range.clone().map(|s| of(wiring, s) as usize).sum::<usize>();
        let mut inputs = Vec::with_capacity(ports(Wiring::inputs) << plan.shift);
        let mut outputs = Vec::with_capacity(ports(Wiring::outputs) << plan.shift);
        let (mut words, mut most_outputs) = (0, 0);
        for batch in plan.division.batches(number) {
            let (first_in, first_out, first_host) = (in_ports.len(), out_ports.len(), host_ports.len());
            for (place, s) in (0..).zip(batch) {
                // Pointers are places within the batch, and begin at the first of the switch.
                let (in_port, out_port) = ((in_ports.len() - first_in) as u16, (out_ports.len() - first_out) as u16);
                let host = (host_ports.len() - first_host) as u32;
                let first_cable = wiring.first_cable(s);
                let cable_of = |port: u32, cables| port.checked_sub(first_cable).filter(|&cable| cable < cables);
                switches.push(SwitchPorts {
                    in_port,
                    out_port,
                    outputs: wiring.outputs(s) as u16,
                    first_cable: first_cable as u16,
                });
                for port in 0..wiring.inputs(s) {
                    let link = match cable_of(port, wiring.in_cables(s)) {
                        Some(cable) => plan.division.near_end(wiring, s, cable, plan.credit_rows),
                        None => Division::host(host + port - wiring.first_host_input(s)),
                    };
                    in_ports.push(InPort { link, pointer: out_port, offset: 0, switch: place });
                    let pointer = out_port << plan.shift;
                    inputs.resize(inputs.len() + width, InputChannel { pointer, ..InputChannel::default() });
                }
                for port in 0..wiring.outputs(s) {
                    let link = match cable_of(port, wiring.out_cables(s)) {
                        Some(cable) => plan.division.far_end(wiring, s, cable, plan.flit_rows),
                        None => Division::host(host + port - wiring.first_host_output(s)),
                    };
                    out_ports.push(OutPort { free, link, pointer: in_port, sent: 0 });
                    let pointer = in_port << plan.shift;
                    outputs.resize(outputs.len() + width, OutputChannel { pointer, ..OutputChannel::default() });
                }
                for port in 0..wiring.host_ports(s) {
                    let in_port = in_port + (wiring.first_host_input(s) + port) as u16;
                    let own =
                        HostPort { free: host_free, created: NEVER, source: 0, in_port, left: 0, vc: 0, last: 255 };
                    host_ports.push(own);
                }
            }
            let set = ((in_ports.len() - first_in) << plan.shift).div_ceil(64);
            most_outputs = most_outputs.max(out_ports.len() - first_out);
            batches.push(Batch {
                in_port: first_in as u32,
                out_port: first_out as u32,
                word: words as u32,
                host_port: first_host as u32,
                next_host: 0,
                inputs: (in_ports.len() - first_in) as u16,
                outputs: (out_ports.len() - first_out) as u16,
                words: set as u16,
                host_ports: (host_ports.len() - first_host) as u16,
            });
            words += set;
        }
        let first_host = wiring.host_first[range.start as usize];
        let hosts = wiring.host_first[range.end as usize] - first_host;
        let ports = host_ports.len();
        let set_words = batches.len().div_ceil(64);
        let mut shard = Self {
            number,
            first_host,
            loads: vec![0; out_ports.len()],
            waiting: vec![0; words],
            ready: vec![0; words],
            holding: vec![0; if p.hold_switch { words } else { 0 }],
            routed: vec![0; words * plan.route_rows as usize],
            candidates: match plan.candidates {
                1 => Vec::new(),
                most => vec![Candidate::default(); inputs.len() * most],
            },
            late_vcs: vec![VecDeque::new(); if p.vc_delay > 1 { batches.len() } else { 0 }],
            late_switches: vec![VecDeque::new(); if p.switch_delay > 1 { batches.len() } else { 0 }],
            held_by: vec![FREE; if p.hold_switch { out_ports.len() } else { 0 }],
            flit_left: vec![0; if p.speedup > 1 { out_ports.len() } else { 0 }],
            credit_left: vec![0; if p.speedup > 1 { in_ports.len() } else { 0 }],
            hub: Hub {
                flits: vec![0; in_ports.len() * plan.flit_rows as usize],
                credits: vec![0; out_ports.len() * plan.credit_rows as usize],
                host_credits: vec![0; ports * plan.host_rows as usize],
                packets: Vec::new(),
                cold: Vec::new(),
                unused: Vec::new(),
                host_ports,
                host_next: vec![NEVER; ports],
                host_vcs: vec![HostVc::default(); ports << plan.shift],
                sources: Vec::with_capacity(hosts as usize),
                arriving: vec![super::state::NONE; ports << plan.shift],
                calendar: vec![0; set_words * plan.calendar as usize],
                words: set_words,
                later: BinaryHeap::new(),
                far: BinaryHeap::new(),
                post: (0..plan.division.shards()).map(|_| Post::default()).collect(),
                counts: Counts::default(),
                accepted: vec![0; hosts as usize],
                log: Vec::new(),
                measuring: 0,
                moved: 0,
                ages: 0,
                overflow: false,
                scratch: Scratch {
                    best: vec![0; most_outputs << plan.shift],
                    asked: vec![0; (most_outputs << plan.shift).div_ceil(64)],
                    chosen: vec![(0, 0); most_outputs],
                    // Allocations of several cycles that began in both steps of a cycle end together.
                    vc_grants: vec![(0, 0); (most_outputs * p.speedup as usize) << plan.shift],
                    switch_grants: vec![0; most_outputs * p.speedup as usize],
                    chosen_set: vec![0; most_outputs.div_ceil(64)],
                    ..Scratch::default()
                },
            },
            plan: plan.clone(),
            range,
            batches,
            switches,
            inputs,
            outputs,
            in_ports,
            out_ports,
        };
        shard.seed_sources(first_host..first_host + hosts);
        shard
    }

    /// Draws the first packet of each host and enters the batches into the calendar.
    fn seed_sources(&mut self, hosts: Range<u32>) {
        let plan = self.plan.clone();
        for host in hosts {
            let mut stream = Stream::new(plan.seed, host);
            let (created, to) = plan.packets.first(host, &mut stream);
            self.hub.count_created(created, plan.window);
            self.hub.sources.push(HostSource { stream, created, to });
        }
        for local in 0..self.batches.len() {
            let batch = self.batches[local];
            let mut soonest = NEVER;
            for port in batch.host_port..batch.host_port + u32::from(batch.host_ports) {
                let input = batch.in_port + u32::from(self.hub.host_ports[port as usize].in_port);
                let place = u32::from(self.in_ports[input as usize].switch);
                let id = self.range.start + plan.division.first_of(local as u32) + place;
                let created = self.hub.refill(port, plan.sources(|| id, port, self.first_host));
                self.hub.host_next[port as usize] = created;
                soonest = soonest.min(created);
            }
            self.batches[local].next_host = soonest;
            if soonest != NEVER {
                self.hub.visit_at(soonest / plan.block, 0, local as u32, plan.calendar);
            }
        }
    }

    /// Runs the batches that have work through a block.
    pub fn run_block(&mut self, block: u32) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi1") && std::arch::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor has both sets of instructions.
            return unsafe { self.run_block_with_bmi(block) };
        }
        self.run_block_anywhere(block);
    }

    /// As [`Self::run_block_anywhere`], compiled for processors that shift by any number of bits in one step, and remove the
    /// lowest bit of a set in one instruction: most since 2013 to 2015.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi1,bmi2")]
    fn run_block_with_bmi(&mut self, block: u32) {
        self.run_block_anywhere(block);
    }

    #[inline(always)] // Into both callers: each compiles it for its own processors.
    fn run_block_anywhere(&mut self, block: u32) {
        let rows = self.plan.rows(block);
        self.fetch_far(&rows);
        while let Some(&Reverse((due, local))) = self.hub.later.peek() {
            if due >= block + self.plan.calendar {
                break;
            }
            self.hub.later.pop();
            self.hub.visit_at(due, block, local, self.plan.calendar);
        }
        let row = self.hub.calendar_row(block, self.plan.calendar);
        for word in 0..self.hub.words {
            let mut set = std::mem::take(&mut self.hub.calendar[row + word]);
            while set != 0 {
                let local = word * 64 + set.trailing_zeros() as usize;
                set &= set - 1;
                if set != 0 {
                    let next = word * 64 + set.trailing_zeros() as usize;
                    if self.plan.is_large {
                        self.prefetch_batch(next, rows);
                    }
                    if self.hub.packets.len() > CACHED_PACKETS {
                        self.prefetch_arrivals(next, rows.flit);
                    }
                }
                self.visit(local, rows);
            }
        }
    }

    /// Prefetches what a batch needs in most blocks, except for arriving flits and packets.
    fn prefetch_batch(&self, local: usize, rows: Rows) {
        let (plan, s, hub) = (&*self.plan, &self.batches[local], &self.hub);
        let (in_port, out_port) = (s.in_port as usize, s.out_port as usize);
        let (inputs, outputs) = (usize::from(s.inputs), usize::from(s.outputs));
        prefetch_list(&self.inputs[in_port << plan.shift..][..inputs << plan.shift]);
        prefetch_list(&self.outputs[out_port << plan.shift..][..outputs << plan.shift]);
        prefetch_list(&self.in_ports[in_port..][..inputs]);
        prefetch_list(&self.out_ports[out_port..][..outputs]);
        prefetch_list(&self.loads[out_port..][..outputs]);
        if !self.flit_left.is_empty() {
            prefetch_list(&self.flit_left[out_port..][..outputs]);
            prefetch_list(&self.credit_left[in_port..][..inputs]);
        }
        let credits = out_port * plan.credit_rows as usize + rows.credit as usize * outputs;
        prefetch_list(&hub.credits[credits..][..outputs]);
        let (first, ports) = (s.host_port as usize, usize::from(s.host_ports));
        prefetch_list(&hub.host_ports[first..][..ports]);
        prefetch_list(&hub.host_next[first..][..ports]);
        prefetch_list(&hub.host_vcs[first << plan.shift..][..ports << plan.shift]);
    }

    /// Prefetches the packets whose heads arrive at a batch in the block whose first row of flits this is.
    fn prefetch_arrivals(&self, local: usize, mut row: u32) {
        let (plan, batch) = (&*self.plan, &self.batches[local]);
        let (inputs, last) = (usize::from(batch.inputs), self.hub.packets.len() - 1);
        for _ in 0..plan.block {
            let first = batch.in_port as usize * plan.flit_rows as usize + row as usize * inputs;
            for word in &self.hub.flits[first..first + inputs] {
                // An empty slot and a body flit have no packet; to prefetch one for them costs less than to ask.
                let packet = (word >> VC_BITS).saturating_sub(1) as usize;
                prefetch(&self.hub.packets[packet.min(last)]);
            }
            row = after(row, 1, plan.flit_rows);
        }
    }

    /// `true` if there is nothing to do at any time, as far as this shard knows.
    pub fn is_idle(&self) -> bool {
        self.hub.calendar.iter().all(|&word| word == 0) && self.hub.later.is_empty() && self.hub.far.is_empty()
    }
}

impl Hub {
    /// Returns the first word of a block in the calendar.
    #[inline]
    pub fn calendar_row(&self, block: u32, calendar: u32) -> usize {
        (block & (calendar - 1)) as usize * self.words
    }

    /// Enters a visit.
    #[inline]
    pub fn visit_at(&mut self, block: u32, now: u32, local: u32, calendar: u32) {
        if block - now < calendar {
            let row = self.calendar_row(block, calendar);
            self.calendar[row + local as usize / 64] |= 1 << (local % 64);
        } else {
            self.later.push(Reverse((block, local)));
        }
    }

    /// Stores a packet; returns its index.
    #[inline]
    pub fn keep(&mut self, packet: Packet, cold: Cold, keep_cold: bool) -> u32 {
        let index = match self.unused.pop() {
            Some(index) => {
                self.packets[index as usize] = packet;
                index
            }
            None => {
                if self.packets.len() >= MAX_PACKETS {
                    self.overflow = true;
                    return 0;
                }
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        };
        if keep_cold {
            if self.cold.len() <= index as usize {
                self.cold.resize(index as usize + 1, Cold::default());
            }
            self.cold[index as usize] = cold;
        }
        index
    }

    /// Counts a packet that a source has drawn.
    pub fn count_created(&mut self, created: u32, window: Window) {
        if window.has(created) {
            self.counts.created += 1;
        }
        self.measuring += u64::from(created < window.until);
    }

    /// Finds the next packet among the sources of a port; returns its creation.
    pub fn refill(&mut self, port: u32, sources: Range<u32>) -> u32 {
        let own = self.sources[sources.start as usize..sources.end as usize].iter();
        let next = (sources.start..).zip(own).min_by_key(|(_, source)| source.created);
        let port = &mut self.host_ports[port as usize];
        (port.source, port.created) = next.map_or((0, NEVER), |(index, source)| (index, source.created));
        port.created
    }
}

/// Returns the number of rows that reach `reach` cycles ahead of the end of a block.
pub(super) fn rows(block: u32, reach: u32) -> u32 {
    (block + reach).min(MAX_ROWS)
}
