//! Deflection: packets in slots, on switches without buffers.
//!
//! A slot is the time of a packet on a link. All links are in step, and a hop takes a whole number of slots: as many as
//! its delays need. In a slot a switch
//!
//! 1. delivers what has arrived for its own hosts, at most one packet for each host port; others go round;
//! 2. lets hosts add packets, in turns, as long as an output remains for each packet that leaves (the injection
//!    limitation of the paper on uni-directional networks);
//! 3. assigns packets, in the order of the hops that they have made, most first, then of age, a free output on a
//!    shortest path, a random one of several;
//! 4. assigns those without one the free output whose far end is nearest to their destination, the lowest of equals.
//!
//! No packet ever waits for another, so there is no deadlock. The packet with the most hops gets nearer with every hop,
//! since it chooses first, and is delivered when it arrives; so it arrives, and there is no livelock.
//!
//! Rejected: the cycle engine with buffers of one packet. Switches would need credits, that is cables backwards, whose
//! absence is the reason for deflection.

use super::PacketError;
use super::parameters::{HostPort, Parameters};
use super::random::{Stream, mixed, scaled};
use super::routing::Deflection;
use super::run::{self, Outcome, Trial};
use super::simulation::Simulation;
use super::source::{MAX_CYCLES, NEVER, PacketSource};
use super::statistics::{Counts, Logged, Window};
use super::wiring::Wiring;
use std::cmp::Reverse;
use std::sync::Arc;

/// No packet.
const NONE: u32 = u32::MAX;
/// Largest number of packets under way: 1 GiB of places.
const MAX_PLACES: usize = 1 << 28;

/// Reason why no deadlock is possible.
pub const FREEDOM: &str = "every packet moves in every slot, and the one with the most hops gets nearer";

/// Network ready for runs.
#[derive(Clone)]
pub struct DeflectionNetwork {
    /// Switches, cables, hosts.
    pub wiring: Arc<Wiring>,
    /// Shortest next hops, and distances.
    pub tables: Deflection,
    /// Delays, flits of a packet, ports of hosts. Buffers and channels are not used.
    pub parameters: Parameters,
}

impl DeflectionNetwork {
    /// Returns the cycles of a slot.
    pub fn slot(&self) -> u32 {
        self.parameters.packet
    }

    /// Returns the slots of a hop: switch and link, rounded up.
    pub fn hop_slots(&self) -> u32 {
        let longest = self.wiring.latency.iter().copied().max().unwrap_or(1);
        self.parameters.hop_cycles(longest).div_ceil(self.slot())
    }

    /// Returns the number of slots in which packets can arrive that are under way.
    fn rows(&self) -> usize {
        self.hop_slots() as usize + 1
    }

    /// Checks what the engine requires of the network.
    ///
    /// # Errors
    /// As [`DeflectionEngine::new`].
    pub(super) fn check(&self) -> Result<(), PacketError> {
        self.parameters.check()?;
        let graph = &self.wiring.topology.graph;
        if self.rows().saturating_mul(graph.arcs()) > MAX_PLACES {
            let reason = format!("{} cables with {} packets each would be under way", graph.arcs(), self.rows() - 1);
            return Err(PacketError::TooLarge { topology: self.wiring.topology.name(), reason });
        }
        Ok(())
    }

    /// Returns a remark for reports.
    pub fn note(&self) -> String {
        let counted = |count: u32, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (slot, hop) = (counted(self.slot(), "cycle"), counted(self.hop_slots(), "slot"));
        format!("deflection: no buffers and no virtual channels; a slot is {slot}, a hop takes {hop}")
    }

    /// Returns the mean cycles without other traffic from creation to the arrival of the tail: as with buffers, and
    /// half a slot until a slot begins.
    pub fn zero_load_latency(&self, hops: f64) -> f64 {
        let p = &self.parameters;
        let slot = f64::from(self.slot());
        let ends = p.host_delay + 1 + p.hop_cycles(p.host_delay) + p.packet - 1;
        f64::from(ends) + hops * slot * f64::from(self.hop_slots()) + (slot - 1.0) / 2.0
    }

    /// Runs a trial, on one thread.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] for a load outside of 0 to 1, [`PacketError::TooLarge`].
    pub fn run(&self, trial: &Trial) -> Result<Outcome, PacketError> {
        let window = trial.window()?;
        let packets = PacketSource::drawn(trial.to.clone(), trial.load, self.parameters.packet, trial.process);
        let mut engine = DeflectionEngine::new(self, packets, trial.seed, window, false)?;
        let mut outcome = run::drive(&mut engine, trial, self.slot(), &|hops| self.zero_load_latency(hops), u32::MAX)?;
        let counts = &engine.counts;
        let arrived = counts.latency.count();
        outcome.deflections_mean = (arrived > 0).then(|| counts.deflections as f64 / arrived as f64);
        Ok(outcome)
    }
}

/// Packet under way.
#[derive(Clone, Copy, Debug)]
struct DeflectedPacket {
    id: u64,
    from: u32,
    to: u32,
    /// Switch of `to`.
    target: u32,
    created: u32,
    injected: u32,
    flits: u32,
    hops: u32,
    deflections: u32,
}

/// Host and its next packet.
#[derive(Clone, Copy, Debug)]
struct DeflectionHost {
    stream: Stream,
    created: u32,
    /// Destination; for a list, the place in it.
    to: u32,
}

/// A network under simulation.
pub struct DeflectionEngine {
    network: DeflectionNetwork,
    packets_of: PacketSource,
    seed: u64,
    window: Window,
    /// `true` to keep a log of every packet.
    logs: bool,
    /// Cycles of a slot.
    slot: u32,
    /// Cycles from a host to the start of a slot at its switch, and from there to the host at the end.
    to_switch: u32,
    to_host: u32,
    /// Rows of packets on cables, one for each slot of a hop and one more: packets sent now are read a hop later.
    rows: usize,
    on_cables: Vec<u32>,
    packets: Vec<DeflectedPacket>,
    unused: Vec<u32>,
    hosts: Vec<DeflectionHost>,
    /// For each switch, the cycle in which the next packet of its hosts is created.
    soonest: Vec<u32>,
    /// For each host port, one more than the slot in which it took its last packet.
    taken: Vec<u32>,
    counts: Counts,
    accepted: Vec<u32>,
    arc_flits: Vec<u32>,
    log: Vec<Logged>,
    /// Sources whose next packet is created before the end of the window.
    measuring: u64,
    /// Sum of the cycles of creation of the packets in the network.
    ages: u64,
    /// First slot that is not simulated.
    now: u32,
    here: Vec<u32>,
    free: Vec<bool>,
    late: Vec<u32>,
    options: Vec<u32>,
}

impl DeflectionEngine {
    /// Returns the network before cycle 0.
    ///
    /// # Errors
    /// [`PacketError`] if parameters break a rule or the network is too large.
    pub fn new(
        network: &DeflectionNetwork,
        packets: PacketSource,
        seed: u64,
        window: Window,
        logs: bool,
    ) -> Result<Self, PacketError> {
        let mut network = network.clone();
        if let PacketSource::Listed(list) = &packets {
            network.parameters.packet = list.largest;
            network.parameters.vc_buffer = network.parameters.vc_buffer.max(list.largest);
        }
        network.check()?;
        let (p, wiring) = (&network.parameters, network.wiring.clone());
        let arcs = wiring.topology.graph.arcs();
        let rows = network.rows();
        let n = wiring.switches();
        let ports = match p.host_port {
            HostPort::Own => wiring.hosts() as usize,
            HostPort::Shared => n,
        };
        let mut engine = Self {
            seed,
            window,
            logs,
            slot: p.packet,
            to_switch: p.host_delay + 1,
            to_host: p.hop_cycles(p.host_delay),
            rows,
            on_cables: vec![NONE; rows * arcs],
            packets: Vec::new(),
            unused: Vec::new(),
            hosts: Vec::with_capacity(wiring.hosts() as usize),
            soonest: vec![NEVER; n],
            taken: vec![0; ports],
            counts: Counts::default(),
            accepted: vec![0; wiring.hosts() as usize],
            arc_flits: vec![0; arcs],
            log: Vec::new(),
            measuring: 0,
            ages: 0,
            now: 0,
            here: Vec::new(),
            free: Vec::new(),
            late: Vec::new(),
            options: Vec::new(),
            packets_of: packets,
            network,
        };
        for host in 0..wiring.hosts() {
            let mut stream = Stream::new(seed, host);
            let (created, to) = engine.packets_of.first(host, &mut stream);
            engine.count_created(created);
            engine.hosts.push(DeflectionHost { stream, created, to });
            let soonest = &mut engine.soonest[wiring.switch_of(host) as usize];
            *soonest = created.min(*soonest);
        }
        Ok(engine)
    }

    fn count_created(&mut self, created: u32) {
        self.counts.created += u64::from(self.window.has(created));
        self.measuring += u64::from(created < self.window.until);
    }

    /// Simulates until this number of packets has arrived.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] if that takes more than [`MAX_CYCLES`].
    pub fn run_until_empty(&mut self, packets: u64) -> Result<(), PacketError> {
        while self.counts.left < packets {
            if self.cycle() >= MAX_CYCLES {
                let rule = format!("a run has at most {MAX_CYCLES} cycles");
                return Err(PacketError::invalid("cycle", self.cycle(), rule));
            }
            self.run_to(self.cycle() + 1000)?;
        }
        Ok(())
    }

    /// Returns the log of all packets that have arrived, in the order of their numbers.
    pub fn log(&self) -> Vec<Logged> {
        let mut log = self.log.clone();
        log.sort_unstable_by_key(|packet| packet.id);
        log
    }

    /// Returns the number of packets in the network.
    pub fn inside(&self) -> u64 {
        self.counts.entered - self.counts.left
    }

    /// Simulates a slot.
    fn step(&mut self, t: u32) {
        let DeflectionNetwork { wiring, tables, .. } = self.network.clone();
        let arcs = self.arc_flits.len();
        let row = t as usize % self.rows * arcs;
        let start = t * self.slot;
        let mut here = std::mem::take(&mut self.here);
        for s in 0..wiring.switches() as u32 {
            here.clear();
            for cable in 0..wiring.in_cables(s) {
                let place = &mut self.on_cables[row + wiring.in_arc(s, cable).index()];
                if *place != NONE {
                    here.push(std::mem::replace(place, NONE));
                }
            }
            let enters = self.soonest[s as usize].saturating_add(self.to_switch) <= start;
            if here.is_empty() && !enters {
                continue;
            }
            here.sort_unstable_by_key(|&index| {
                let packet = &self.packets[index as usize];
                (Reverse(packet.hops), packet.created, packet.from, packet.id)
            });
            here.retain(|&index| {
                let DeflectedPacket { to, target, .. } = self.packets[index as usize];
                let leaves = target == s && self.takes(to, t);
                if leaves {
                    self.deliver(index, start);
                }
                !leaves
            });
            if enters {
                self.let_in(&wiring, s, t, &mut here);
            }
            if !here.is_empty() {
                self.send_on(&wiring, &tables, s, t, &here);
            }
        }
        self.here = here;
    }

    /// Returns the index of the port of a host.
    fn port(&self, host: u32) -> usize {
        match self.network.parameters.host_port {
            HostPort::Own => host as usize,
            HostPort::Shared => self.network.wiring.switch_of(host) as usize,
        }
    }

    /// `true` if the port of a host is free in a slot; then it is taken.
    fn takes(&mut self, host: u32, t: u32) -> bool {
        let port = self.port(host);
        std::mem::replace(&mut self.taken[port], t + 1) != t + 1
    }

    fn deliver(&mut self, index: u32, start: u32) {
        let packet = self.packets[index as usize];
        let head = start + self.to_host;
        let tail = head + packet.flits - 1;
        let (window, counts) = (self.window, &mut self.counts);
        let flits = window.overlap(head, packet.flits);
        self.accepted[packet.to as usize] += flits;
        counts.flits_accepted += u64::from(flits);
        counts.passages += u64::from(packet.flits);
        counts.leave(window, packet.created, tail, packet.hops);
        if window.has(packet.created) {
            counts.deflections += u64::from(packet.deflections);
        }
        self.ages -= u64::from(packet.created);
        if self.logs {
            self.log.push(Logged { id: packet.id, injected: packet.injected, head, tail, hops: packet.hops });
        }
        self.unused.push(index);
    }

    /// Lets the hosts of a switch add packets to those that leave it, in turns.
    fn let_in(&mut self, wiring: &Wiring, s: u32, t: u32, leaving: &mut Vec<u32>) {
        let (first, count) = (wiring.host_first[s as usize], wiring.hosts_of(s));
        let start = t * self.slot;
        let outputs = wiring.out_cables(s) as usize;
        for turn in 0..count {
            let from = first + (t % count + turn) % count;
            let host = self.hosts[from as usize];
            if host.created.saturating_add(self.to_switch) > start {
                continue;
            }
            let (id, to, flits) = match &self.packets_of {
                PacketSource::Drawn { .. } => (self.counts.entered, host.to, self.slot),
                PacketSource::Listed(list) => {
                    let packet = list.packets[host.to as usize];
                    (packet.id, packet.to, packet.flits)
                }
            };
            let target = wiring.switch_of(to);
            // A packet to a host of the same switch needs its port, others an output.
            let may = if target == s { self.takes(to, t) } else { leaving.len() < outputs };
            if !may {
                continue;
            }
            let injected = start - self.to_switch;
            let packet = DeflectedPacket {
                id,
                from,
                to,
                target,
                created: host.created,
                injected,
                flits,
                hops: 0,
                deflections: 0,
            };
            let index = self.enter(packet);
            if target == s {
                self.deliver(index, start);
            } else {
                leaving.push(index);
            }
            if self.network.parameters.host_port == HostPort::Shared {
                break;
            }
        }
        let own = &self.hosts[first as usize..(first + count) as usize];
        self.soonest[s as usize] = own.iter().map(|host| host.created).min().unwrap_or(NEVER);
    }

    /// Puts a packet into the network, and draws the next one of its host; returns its index.
    fn enter(&mut self, packet: DeflectedPacket) -> u32 {
        let (window, counts) = (self.window, &mut self.counts);
        counts.enter(window, packet.created, packet.injected);
        counts.flits_injected += u64::from(window.overlap(packet.injected, packet.flits));
        self.ages += u64::from(packet.created);
        self.measuring -= u64::from(packet.created < window.until);
        let host = &mut self.hosts[packet.from as usize];
        (host.created, host.to) = self.packets_of.after(packet.from, host.created, host.to, &mut host.stream);
        let next = host.created;
        self.count_created(next);
        match self.unused.pop() {
            Some(index) => {
                self.packets[index as usize] = packet;
                index
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        }
    }

    /// Sends packets, in their order, each by an output of its own.
    fn send_on(&mut self, wiring: &Wiring, tables: &Deflection, s: u32, t: u32, leaving: &[u32]) {
        let (mut free, mut late, mut options) =
            (std::mem::take(&mut self.free), std::mem::take(&mut self.late), std::mem::take(&mut self.options));
        free.clear();
        free.resize(wiring.out_cables(s) as usize, true);
        late.clear();
        for &index in leaving {
            let DeflectedPacket { target, from, created, .. } = self.packets[index as usize];
            options.clear();
            tables.next(s, target, |cable| {
                if free[cable as usize] {
                    options.push(cable);
                }
            });
            let cable = match options[..] {
                [] => {
                    late.push(index);
                    continue;
                }
                [only] => only,
                _ => {
                    let place = mixed(self.seed ^ (u64::from(s) << 32 | u64::from(t)));
                    let bits = mixed(place.wrapping_add(u64::from(created) << 32 | u64::from(from)));
                    options[scaled(bits, options.len() as u32) as usize]
                }
            };
            free[cable as usize] = false;
            self.send(index, s, cable, t);
        }
        for &index in &late {
            let target = self.packets[index as usize].target;
            let nearest = (0..free.len() as u32)
                .filter(|&cable| free[cable as usize])
                .min_by_key(|&cable| (tables.distance(wiring.far_end(s, cable).switch, target), cable))
                .expect("an output for each packet that leaves");
            free[nearest as usize] = false;
            self.packets[index as usize].deflections += 1;
            self.send(index, s, nearest, t);
        }
        (self.free, self.late, self.options) = (free, late, options);
    }

    fn send(&mut self, index: u32, s: u32, cable: u32, t: u32) {
        let packet = &mut self.packets[index as usize];
        packet.hops += 1;
        let arc = self.network.wiring.out_arc(s, cable).index();
        let flits = self.window.overlap(t * self.slot, packet.flits);
        self.arc_flits[arc] += flits;
        self.counts.cable_flits += u64::from(flits);
        self.counts.passages += u64::from(packet.flits);
        let row = (t as usize + self.rows - 1) % self.rows;
        self.on_cables[row * self.arc_flits.len() + arc] = index;
    }

    /// Returns the next slot in which something happens, from the present one on.
    fn next_slot(&self) -> u32 {
        if self.inside() > 0 {
            return self.now;
        }
        let created = self.soonest.iter().copied().min().unwrap_or(NEVER);
        created.saturating_add(self.to_switch).div_ceil(self.slot).max(self.now)
    }
}

impl Simulation for DeflectionEngine {
    fn cycle(&self) -> u32 {
        self.now * self.slot
    }

    fn run_to(&mut self, cycle: u32) -> Result<(), PacketError> {
        let until = cycle.min(MAX_CYCLES).div_ceil(self.slot);
        while self.now < until {
            self.now = self.next_slot().min(until);
            if self.now < until {
                self.step(self.now);
                self.now += 1;
            }
        }
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.counts.clone()
    }

    fn is_drained(&self) -> bool {
        self.measuring == 0 && self.counts.latency.count() == self.counts.created
    }

    fn is_stuck(&self, _cycles: u32) -> bool {
        false
    }

    fn waiting(&self) -> String {
        String::new()
    }

    fn mean_age(&self) -> f64 {
        let inside = self.inside() as f64;
        let ages = inside * f64::from(self.cycle()) - self.ages as f64;
        let waiting = self.hosts.iter().map(|host| host.created);
        self.packets_of.mean_age(self.cycle(), inside, ages, waiting)
    }

    fn mean_lag(&self) -> f64 {
        PacketSource::mean_lag(self.cycle(), self.hosts.iter().map(|host| host.created))
    }

    fn accepted(&self) -> Vec<u32> {
        self.accepted.clone()
    }

    fn arc_flits(&self) -> Vec<u32> {
        self.arc_flits.clone()
    }
}
