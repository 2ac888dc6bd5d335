//! The packet engine: one visit to a switch when a head arrives or a resource becomes free, whatever the length of
//! packets.
//!
//! With cut-through, buffers of one packet, channels that are reassigned only when empty, and switches held for a
//! packet, nothing depends on single flits: a granted head moves on without a gap. So the counts of flits are functions
//! of the cycles in which heads were granted, and the engine equals the cycle engine with held switches packet by
//! packet. It uses the same allocators, ports and rules.

mod look;
mod wheel;

use super::parameters::{HostPort, Parameters};
use super::random::Stream;
use super::routing::{At, Candidate, Head};
use super::simulation::Simulation;
use super::source::{NEVER, PacketSource};
use super::statistics::{Counts, Logged};
use super::wiring::{MAX_PLACES, Wiring};
use super::{PacketError, Setup};
use wheel::{Wheel, WheelEvent};

/// No packet, or no cycle yet.
const NONE: u32 = u32::MAX;

/// Packet under way.
#[derive(Clone, Copy, Debug)]
struct Packet {
    id: u64,
    to: u32,
    created: u32,
    injected: u32,
    hops: u32,
    note: u32,
    phase: u32,
}

/// Virtual channel of an input: it holds one packet.
#[derive(Clone, Copy, Debug)]
struct InputChannel {
    packet: u32,
    /// Place of the output channel, once it is granted.
    output: u16,
    /// Pointer of the first stage of the channel allocator.
    pointer: u16,
    /// First cycle in which it requests the switch.
    since: u32,
}

/// Virtual channel at the far end of an output.
#[derive(Clone, Copy, Debug)]
struct OutputChannel {
    busy: bool,
    pointer: u16,
    /// Cycle in which the packet was granted the switch here; [`NONE`] before.
    granted: u32,
    /// Cycle in which its flits begin to leave the buffer at the far end; [`NONE`] before.
    leaves: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Port {
    /// First cycle in which no packet holds it.
    free_at: u32,
    pointer: u16,
    offset: u8,
}

/// Offsets of the state of a switch in the arrays.
#[derive(Clone, Copy, Debug)]
struct SwitchOffsets {
    input: u32,
    output: u32,
    word: u32,
    words: u32,
    host: u32,
    /// Last cycle in which it was visited, plus 1, so that 0 means never.
    looked: u32,
}

/// State of a host.
#[derive(Clone, Copy, Debug)]
struct EventHost {
    stream: Stream,
    created: u32,
    to: u32,
    /// First cycle in which its link is free.
    free_at: u32,
    busy: u64,
    last: u8,
}

/// Network under simulation.
pub struct PacketEngine {
    setup: Setup,
    shift: u32,
    most: usize,
    switches: Vec<SwitchOffsets>,
    inputs: Vec<InputChannel>,
    outputs: Vec<OutputChannel>,
    in_ports: Vec<Port>,
    out_ports: Vec<Port>,
    waiting: Vec<u64>,
    ready: Vec<u64>,
    /// Candidates of the packets that wait, the first `counts` of `most` for each place.
    candidates: Vec<Candidate>,
    counts_of: Vec<u8>,
    hosts: Vec<EventHost>,
    packets: Vec<Packet>,
    unused: Vec<u32>,
    wheel: Wheel,
    counts: Counts,
    accepted: Vec<u32>,
    /// Flits sent over each arc in the window.
    arc_flits: Vec<u32>,
    log: Vec<Logged>,
    now: u32,
    /// Last cycle in which a packet was granted a switch, or left a host.
    moved: u32,
    /// Sources whose next packet is created before the end of the window.
    measuring: u64,
    /// Sum of the cycles of creation of the packets in the network.
    ages: u64,
    loads: Vec<u32>,
    scratch: look::Scratch,
}

/// Checks what the engine requires of a network.
///
/// # Errors
/// As [`PacketEngine::new`].
pub(super) fn check(wiring: &Wiring, p: &Parameters) -> Result<(), PacketError> {
    p.check()?;
    let must = |parameter, value: String, rule: &str| Err(PacketError::invalid(parameter, value, rule));
    if p.vc_buffer != p.packet {
        return must("vc-buffer", p.vc_buffer.to_string(), "the packet engine needs buffers of one packet");
    }
    if !p.hold_switch || !p.wait_for_tail_credit {
        return must(
            "hold-switch",
            p.hold_switch.to_string(),
            "the packet engine needs held switches and channels that wait for the tail's credit",
        );
    }
    if (p.vc_delay, p.switch_delay, p.speedup) != (1, 1, 1) {
        return must(
            "vc-delay",
            p.vc_delay.to_string(),
            "the packet engine needs allocations of one cycle and no speed-up",
        );
    }
    if p.host_port == HostPort::Shared {
        return must("host-port", "`shared`".into(), "the packet engine has a port for each host");
    }
    if p.count_routed {
        return must("count-routed", "on".into(), "adaptive rules of the packet engine count credits alone");
    }
    let shift = p.vcs.next_power_of_two().ilog2();
    for s in 0..wiring.switches() as u32 {
        let ports = wiring.inputs(s).max(wiring.outputs(s)) as usize;
        if ports << shift > MAX_PLACES {
            let reason = format!("switch {s} has {ports} ports with {} virtual channels each", p.vcs);
            return Err(PacketError::TooLarge { topology: wiring.topology.name(), reason });
        }
    }
    Ok(())
}

impl PacketEngine {
    /// Creates the network before cycle 0.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] unless buffers hold one packet, switches are held and channels wait for the tail's
    /// credit, allocations take a cycle, hosts have ports of their own and all packets have the same length.
    pub fn new(setup: Setup) -> Result<Self, PacketError> {
        let p = &setup.parameters;
        check(&setup.wiring, p)?;
        if let PacketSource::Listed(list) = &setup.packets
            && list.packets.iter().any(|packet| packet.flits != p.packet)
        {
            let rule = "the packet engine needs packets of one size";
            return Err(PacketError::invalid("flits", list.largest, rule));
        }
        let wiring = setup.wiring.clone();
        let shift = p.vcs.next_power_of_two().ilog2();
        let n = wiring.switches() as u32;
        let (mut switches, mut input, mut output, mut word) = (Vec::with_capacity(n as usize), 0, 0, 0);
        for s in 0..n {
            let words = (wiring.inputs(s) << shift).div_ceil(64);
            switches.push(SwitchOffsets { input, output, word, words, host: wiring.host_first[s as usize], looked: 0 });
            input += wiring.inputs(s);
            output += wiring.outputs(s);
            word += words;
        }
        let most = setup.rule.candidates();
        let places = |ports: u32| (ports as usize) << shift;
        let longest = wiring.latency.iter().copied().max().unwrap_or(1).max(p.host_delay);
        let reach = p.packet + p.crossing_delay + p.routing_delay + 3 * (longest + 1) + p.credit_delay + 4;
        let most_outputs = (0..n).map(|s| wiring.outputs(s)).max().unwrap_or(0);
        let mut engine = Self {
            shift,
            most,
            switches,
            inputs: vec![InputChannel { packet: NONE, output: 0, pointer: 0, since: 0 }; places(input)],
            outputs: vec![OutputChannel { busy: false, pointer: 0, granted: NONE, leaves: NONE }; places(output)],
            in_ports: vec![Port::default(); input as usize],
            out_ports: vec![Port::default(); output as usize],
            waiting: vec![0; word as usize],
            ready: vec![0; word as usize],
            candidates: vec![Candidate::default(); places(input) * most],
            counts_of: vec![0; places(input)],
            hosts: Vec::with_capacity(wiring.hosts() as usize),
            packets: Vec::new(),
            unused: Vec::new(),
            wheel: Wheel::new(reach),
            counts: Counts::default(),
            accepted: vec![0; wiring.hosts() as usize],
            arc_flits: vec![0; wiring.topology.graph.arcs()],
            log: Vec::new(),
            now: 0,
            moved: 0,
            measuring: 0,
            ages: 0,
            loads: vec![0; most_outputs as usize],
            scratch: look::Scratch::new((most_outputs as usize) << shift, most_outputs as usize),
            setup,
        };
        for host in 0..wiring.hosts() {
            let mut stream = Stream::new(engine.setup.seed, host);
            let (created, to) = engine.setup.packets.first(host, &mut stream);
            engine.count_created(created);
            engine.hosts.push(EventHost { stream, created, to, free_at: 0, busy: 0, last: 255 });
            if created != NEVER {
                engine.wheel.add(created, WheelEvent::Host(host));
            }
        }
        Ok(engine)
    }

    fn count_created(&mut self, created: u32) {
        self.counts.created += u64::from(self.setup.window.has(created));
        self.measuring += u64::from(created < self.setup.window.until);
    }

    /// Simulates all cycles before `cycle`.
    pub fn run_to(&mut self, cycle: u32) {
        while let Some(t) = self.wheel.next(self.now, cycle) {
            self.now = t;
            self.at(t);
        }
        self.now = self.now.max(cycle);
    }

    /// Simulates until nothing is left to do.
    pub fn run_until_empty(&mut self) {
        self.run_to(super::source::MAX_CYCLES);
    }

    /// Processes a cycle: credits and arrivals, then hosts, then switches.
    fn at(&mut self, t: u32) {
        let mut bucket = self.wheel.take(t);
        let mut looks = std::mem::take(&mut bucket.switches);
        for event in bucket.accounts.drain(..) {
            match event {
                WheelEvent::Arrival { switch, place, packet } => {
                    let input = self.switches[switch as usize].input as usize;
                    self.inputs[(input << self.shift) + usize::from(place)].packet = packet;
                    let routed = t + self.setup.parameters.routing_delay - 1;
                    if routed == t {
                        bucket.routes.push((switch, place));
                    } else {
                        self.wheel.add(routed, WheelEvent::Route { switch, place });
                    }
                }
                WheelEvent::Free { switch, place } => {
                    let output = self.switches[switch as usize].output as usize;
                    let channel = &mut self.outputs[(output << self.shift) + usize::from(place)];
                    (channel.busy, channel.granted, channel.leaves) = (false, NONE, NONE);
                    looks.push(switch);
                }
                WheelEvent::HostFree { host, vc } => {
                    self.hosts[host as usize].busy &= !(1 << vc);
                    bucket.hosts.push(host);
                }
                WheelEvent::Route { .. } | WheelEvent::Host(_) | WheelEvent::Look(_) => {}
            }
        }
        for host in bucket.hosts.drain(..) {
            self.host(host, t);
        }
        for &switch in &looks {
            if self.switches[switch as usize].looked != t + 1 {
                self.switches[switch as usize].looked = t + 1;
                self.look(switch, t);
            }
        }
        // Heads see the loads of this cycle, and send requests from the next one on.
        for (switch, place) in bucket.routes.drain(..) {
            self.route(switch, place, t);
        }
        looks.clear();
        bucket.switches = looks;
        self.wheel.give_back(t, bucket);
    }

    /// Returns the flits sent to an output channel and not credited.
    fn used(&self, channel: &OutputChannel, t: u32, back: u32) -> u32 {
        let size = self.setup.parameters.packet;
        let since = |begin: u32| if begin == NONE { 0 } else { t.saturating_sub(begin).min(size) };
        let left = if channel.leaves == NONE { 0 } else { channel.leaves.saturating_add(back) };
        since(channel.granted) - if channel.leaves == NONE { 0 } else { since(left) }
    }

    /// Finds the candidates of a head.
    fn route(&mut self, switch: u32, place: u16, t: u32) {
        let wiring = self.setup.wiring.clone();
        let rule = self.setup.rule.clone();
        let p = &self.setup.parameters;
        let own = self.switches[switch as usize];
        let index = ((own.input as usize) << self.shift) + usize::from(place);
        let packet = self.packets[self.inputs[index].packet as usize];
        let target = wiring.switch_of(packet.to);
        let slots = index * self.most;
        let mut count = 1;
        if target == switch && packet.phase & Head::DETOUR == 0 && !rule.delivers() {
            let output = wiring.host_output(switch, packet.to) as u16;
            self.candidates[slots] = Candidate { output, lowest: 0, highest: (p.vcs - 1) as u8, priority: 0 };
        } else {
            let first_cable = wiring.first_cable(switch);
            let outputs = wiring.outputs(switch);
            if rule.reads_loads() {
                for port in 0..outputs {
                    let cable = port.wrapping_sub(first_cable);
                    let latency = if port >= first_cable && cable < wiring.out_cables(switch) {
                        wiring.latency[wiring.out_arc(switch, cable).index()]
                    } else {
                        p.host_delay
                    };
                    let base = ((own.output + port) as usize) << self.shift;
                    let channels = &self.outputs[base..base + p.vcs as usize];
                    let back = latency + p.credit_delay;
                    self.loads[port as usize] = channels.iter().map(|channel| self.used(channel, t, back)).sum();
                }
            }
            let port = u32::from(place) >> self.shift;
            let from_host = port.wrapping_sub(wiring.first_host_input(switch)) < wiring.hosts_of(switch);
            let at = At {
                switch,
                cable: (!from_host).then(|| port - first_cable),
                vc: if from_host { port } else { u32::from(place) & ((1 << self.shift) - 1) },
                loads: &self.loads[..outputs as usize],
                seed: self.setup.seed,
            };
            let Packet { to, created, hops, note, phase, .. } = packet;
            let mut head = Head { to, target, hops, created, note, phase };
            let mut more = Vec::new();
            self.candidates[slots] = rule.route(&at, &mut head, &mut more);
            self.candidates[slots + 1..slots + 1 + more.len()].copy_from_slice(&more);
            count += more.len();
            let kept = &mut self.packets[self.inputs[index].packet as usize];
            (kept.note, kept.phase) = (head.note, head.phase);
        }
        self.counts_of[index] = count as u8;
        self.waiting[own.word as usize + usize::from(place) / 64] |= 1 << (place % 64);
        self.wheel.add(t + 1, WheelEvent::Look(switch));
    }

    /// Sends a host's packet if it has one, its link is free and there is a channel.
    fn host(&mut self, number: u32, t: u32) {
        let p = &self.setup.parameters;
        let host = self.hosts[number as usize];
        // A visit is scheduled for when the next packet is created and the link is free.
        if host.free_at > t || host.created > t {
            return;
        }
        let all = if p.vcs == 64 { u64::MAX } else { (1 << p.vcs) - 1 };
        let free = !host.busy & all;
        let vc = if host.last == 255 {
            (free & 1 != 0).then_some(0)
        } else {
            let behind = free & (u64::MAX << host.last << 1);
            let first = if behind != 0 { behind } else { free };
            (first != 0).then(|| first.trailing_zeros() as u8)
        };
        let Some(vc) = vc else { return };
        let (id, to) = match &self.setup.packets {
            PacketSource::Drawn { .. } => (self.counts.entered, host.to),
            PacketSource::Listed(list) => {
                let packet = list.packets[host.to as usize];
                (packet.id, packet.to)
            }
        };
        let packet = Packet { id, to, created: host.created, injected: t, hops: 0, note: 0, phase: 0 };
        let index = match self.unused.pop() {
            Some(index) => {
                self.packets[index as usize] = packet;
                index
            }
            None => {
                self.packets.push(packet);
                self.packets.len() as u32 - 1
            }
        };
        let window = self.setup.window;
        self.counts.enter(window, packet.created, t);
        self.ages += u64::from(packet.created);
        self.measuring -= u64::from(packet.created < window.until);
        self.moved = t;
        let size = p.packet;
        let switch = self.setup.wiring.switch_of(number);
        let port = self.setup.wiring.first_host_input(switch) + number - self.switches[switch as usize].host;
        let place = (port << self.shift | u32::from(vc)) as u16;
        self.wheel.add(t + p.host_delay + 1, WheelEvent::Arrival { switch, place, packet: index });
        let host = &mut self.hosts[number as usize];
        (host.busy, host.last, host.free_at) = (host.busy | 1 << vc, vc, t + size);
        (host.created, host.to) = self.setup.packets.after(number, host.created, host.to, &mut host.stream);
        let (created, free_at) = (host.created, host.free_at);
        self.count_created(created);
        if created != NEVER {
            self.wheel.add(created.max(free_at), WheelEvent::Host(number));
        }
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Returns the number of packets in the network.
    pub fn inside(&self) -> u64 {
        self.counts.entered - self.counts.left
    }

    /// Returns the flits that arrived at each host in the window.
    pub fn accepted(&self) -> &[u32] {
        &self.accepted
    }

    /// Returns the log of all packets that have arrived, in the order of their numbers.
    pub fn log(&self) -> Vec<Logged> {
        let mut log = self.log.clone();
        log.sort_unstable_by_key(|packet| packet.id);
        log
    }
}

impl Simulation for PacketEngine {
    fn cycle(&self) -> u32 {
        self.now
    }

    fn run_to(&mut self, cycle: u32) -> Result<(), PacketError> {
        self.run_to(cycle);
        Ok(())
    }

    fn counts(&self) -> Counts {
        self.counts.clone()
    }

    fn is_drained(&self) -> bool {
        self.measuring == 0 && self.counts.latency.count() == self.counts.created
    }

    fn is_stuck(&self, cycles: u32) -> bool {
        self.inside() > 0 && self.now.saturating_sub(self.moved) > cycles
    }

    fn waiting(&self) -> String {
        format!("{} packets are in the network, and none of them can move", self.inside())
    }

    fn mean_age(&self) -> f64 {
        let inside = self.inside() as f64;
        let ages = inside * f64::from(self.now) - self.ages as f64;
        self.setup.packets.mean_age(self.now, inside, ages, self.hosts.iter().map(|host| host.created))
    }

    fn mean_lag(&self) -> f64 {
        PacketSource::mean_lag(self.now, self.hosts.iter().map(|host| host.created))
    }

    fn accepted(&self) -> Vec<u32> {
        self.accepted.clone()
    }

    fn arc_flits(&self) -> Vec<u32> {
        self.arc_flits.clone()
    }
}
