//! FabricState of a network of packets, in flat arrays.
//!
//! Ports that send are numbered consecutively: the outputs of all switches, then the links of hosts to their switches.
//! A port has `vcs` channels, which are the credit accounts of the buffers at its far end; these buffers are the lanes
//! of the input there.

use super::plane::Plane;
use super::queue::{EventQueue, FabricEvent, LATEST};
use super::time::{PS, whole};
use crate::ids::LinkId;
use crate::network::sharing::LinkState;
use crate::packets::wiring::Wiring;
use crate::platform::Platform;
use rustc_hash::FxHashMap;

/// No packet, message, port, or link.
pub(super) const NONE: u32 = u32::MAX;
/// No time.
pub(super) const NEVER: u64 = u64::MAX;
/// Packet under way. The alignment puts each packet into one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct FabricPacket {
    pub message: u32,
    /// Packet behind it in its lane.
    pub next: u32,
    /// Lane that it is in or travels to.
    pub lane: u32,
    /// Bytes on the link, header included.
    pub bytes: u32,
    /// Destination host, and its switch.
    pub to: u32,
    pub target: u32,
    /// Number in its message.
    pub number: u64,
    /// Time at which its head entered the lane.
    pub head_at: u64,
    /// Time at which its tail is in the lane; kept only where links differ in speed.
    pub tail_at: u64,
    pub hops: u32,
    pub note: u32,
    pub phase: u32,
    /// Number among all packets, for random choices.
    pub created: u32,
}

/// Virtual channel of an input: a queue of packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lane {
    pub first: u32,
    pub last: u32,
    /// Time at which the tail of the last departed packet has left.
    pub busy_until: u64,
}

/// Last packet that left a lane: its port and its job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Departure {
    pub port: u32,
    pub job: u32,
}

/// Input of a switch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub switch: u32,
    /// Port that sends to it, and the latency of that port.
    pub from: u32,
    pub latency: u64,
    /// Number among the inputs of its switch.
    pub number: u16,
    /// Next virtual channel in turn.
    pub turn: u8,
}

/// Request of a packet at the front of a lane for an output. It has what an output compares, so that a choice reads
/// neither lanes nor packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputRequest {
    pub lane: u32,
    pub bytes: u32,
    /// Input and virtual channel of the lane.
    pub input: u16,
    pub vc: u8,
    pub lowest: u8,
    pub highest: u8,
    pub priority: u8,
    /// `true` if the packet leaves only after its tail has arrived.
    pub stored: bool,
}

/// Port that sends: an output of a switch, or a host's link to its switch. Its first cache line has what a visit reads,
/// the second one what changes when it sends.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct Port {
    /// Time at which its wire is free.
    pub free_at: u64,
    /// Time of the next [`FabricEvent::Port`]; [`NEVER`] if there is none.
    pub wake_at: u64,
    /// Instant at which it was put on the list of ports that may send.
    pub touched: u64,
    pub requests: Vec<OutputRequest>,
    /// Input at the far end; [`NONE`] if it is a host.
    pub far: u32,
    /// Next input of the switch in turn.
    pub pointer: u32,
    /// Inputs of the switch that it is an output of.
    pub inputs: u32,
    pub link: u32,
    /// Picoseconds per byte, and to the far end.
    pub byte: f64,
    pub latency: u64,
    pub messages: u64,
    pub bytes: u64,
    /// FabricState of the link as last reported.
    pub reported: LinkState,
}

/// Message until its last packet has arrived.
#[derive(Clone, Copy, Debug)]
pub(super) struct FabricMessage {
    /// Tag of its starter; [`NONE`] for control messages.
    pub tag: u32,
    /// Message that begins when this one has arrived.
    pub then: u32,
    pub from: u32,
    pub to: u32,
    /// Number of the job that sends it.
    pub job: u32,
    /// Payload that is in no packet yet.
    pub bytes: u64,
    pub to_make: u64,
    pub to_arrive: u64,
    /// Number of the next packet, and one more than the highest that has arrived.
    pub number: u64,
    pub highest: u64,
    /// Latest arrival so far.
    pub done_at: u64,
    /// Its place in the order of turns, its virtual channel and the next message there.
    pub stamp: u64,
    pub vc: u32,
    pub next: u32,
    pub under_way: u32,
    /// Links that its first packet has entered; 0 once it has arrived.
    pub links: u32,
    /// `true` if it waits for an acknowledgement.
    pub parked: bool,
}

/// Message that has arrived, and was not handed on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub tag: u32,
    /// Links that its first packet has crossed.
    pub links: u32,
}

/// Messages of a host on a virtual channel, in the order of their turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendQueue {
    pub first: u32,
    pub last: u32,
}

/// FabricState of the whole network.
pub(super) struct FabricState<'a> {
    pub plane: &'a Plane,
    pub vcs: u32,
    /// Lane `vc` of input `i` is `i << shift | vc`; likewise the channels of ports.
    pub shift: u32,
    /// Bytes of a buffer.
    pub buffer: u32,
    pub queue: EventQueue,
    /// First output of each switch.
    pub first_out: Vec<u32>,
    pub ports: Vec<Port>,
    /// Bytes sent and not credited, by port and virtual channel.
    pub used: Vec<u32>,
    pub inputs: Vec<Input>,
    pub lanes: Vec<Lane>,
    /// Last packet that left each lane; only if watched.
    pub departures: Vec<Departure>,
    /// Outputs requested by the packet at the front of a lane, the first `asked_of` of `most` for each lane; only for
    /// rules with several candidates.
    pub asked: Vec<u32>,
    pub asked_of: Vec<u8>,
    pub most: usize,
    /// Flits sent or routed and not credited, by output of a switch, for rules that use loads.
    pub loads: Vec<u32>,
    pub reads_loads: bool,
    /// Number of outputs of switches: ports from there on are those of hosts.
    pub outputs: u32,
    /// Messages of hosts, by host and virtual channel.
    pub lines: Vec<SendQueue>,
    /// Virtual channels on which a host has messages, as bits.
    pub filled: Vec<u64>,
    /// Virtual channel of the next message of each host.
    pub next_vc: Vec<u32>,
    pub stamps: u64,
    pub packets: Vec<FabricPacket>,
    pub free_packets: Vec<u32>,
    pub messages: Vec<FabricMessage>,
    pub free_messages: Vec<u32>,
    /// Ports that may send at this instant.
    pub touched: Vec<u32>,
    /// Messages that have arrived and were not handed on, and the time of their arrival.
    pub finished: Vec<Arrival>,
    pub finished_at: u64,
    /// Number of messages that have not arrived.
    pub open: u64,
    pub made: u64,
    pub passed: u64,
    pub out_of_order: u64,
    /// `true` if the speeds of links differ.
    pub uneven: bool,
    pub watched: bool,
    pub changes: Vec<(LinkId, LinkState, u64)>,
    /// Packets that waited in a lane behind one for another output, by the two outputs, and their picoseconds.
    pub behind: FxHashMap<(u32, u32), (u64, u64)>,
    /// As `behind`, by the jobs of the two packets.
    pub behind_jobs: FxHashMap<(u32, u32), (u64, u64)>,
    /// Working memory.
    pub more: Vec<crate::packets::routing::Candidate>,
}

impl<'a> FabricState<'a> {
    pub(super) fn new(plane: &'a Plane, platform: &Platform, watched: bool) -> Self {
        let wiring: &Wiring = &plane.wiring;
        let vcs = plane.vcs;
        let n = wiring.switches() as u32;
        let (mut first_out, mut first_in) = (vec![0], vec![0]);
        for s in 0..n {
            first_out.push(first_out[s as usize] + wiring.outputs(s));
            first_in.push(first_in[s as usize] + wiring.inputs(s));
        }
        let (outputs, all_inputs) = (first_out[n as usize], first_in[n as usize]);
        let port = |link: Option<LinkId>, far: u32, inputs: u32| {
            let (byte, latency) = link.map_or((0.0, 0), |link| {
                let link = &platform.links[link.index()];
                (PS / link.bandwidth, whole(link.latency * PS))
            });
            Port {
                free_at: 0,
                wake_at: NEVER,
                byte,
                latency,
                far,
                link: link.map_or(NONE, |link| link.0),
                pointer: 0,
                inputs,
                touched: NEVER,
                requests: Vec::new(),
                messages: 0,
                bytes: 0,
                reported: LinkState::default(),
            }
        };
        let mut ports = Vec::with_capacity((outputs + wiring.hosts()) as usize);
        let mut inputs = vec![Input { switch: 0, from: NONE, latency: 0, number: 0, turn: 0 }; all_inputs as usize];
        for s in 0..n {
            for number in 0..wiring.outputs(s) {
                let host = number.wrapping_sub(wiring.first_host_output(s));
                ports.push(if host < wiring.hosts_of(s) {
                    let [_, down] = plane.port_links[(wiring.host_first[s as usize] + host) as usize];
                    port(down, NONE, wiring.inputs(s))
                } else {
                    let cable = number - wiring.first_cable(s);
                    let end = wiring.far_end(s, cable);
                    let far = first_in[end.switch as usize] + wiring.first_cable(end.switch) + end.cable;
                    let link = plane.link_of_arc[wiring.out_arc(s, cable).index()];
                    port(Some(link), far, wiring.inputs(s))
                });
            }
            for number in 0..wiring.inputs(s) {
                let host = number.wrapping_sub(wiring.first_host_input(s));
                let from = if host < wiring.hosts_of(s) {
                    outputs + wiring.host_first[s as usize] + host
                } else {
                    let end = wiring.near_end(s, number - wiring.first_cable(s));
                    first_out[end.switch as usize] + wiring.first_cable(end.switch) + end.cable
                };
                let input = Input { switch: s, from, latency: 0, number: number as u16, turn: 0 };
                inputs[(first_in[s as usize] + number) as usize] = input;
            }
        }
        for host in 0..wiring.hosts() {
            let s = wiring.switch_of(host);
            let place = host - wiring.host_first[s as usize];
            let far = first_in[s as usize] + wiring.first_host_input(s) + place;
            let [up, _] = plane.port_links[host as usize];
            ports.push(port(up, far, 0));
        }
        for input in &mut inputs {
            input.latency = ports[input.from as usize].latency;
        }
        let uneven = ports.iter().any(|port| port.byte != ports[0].byte);
        let most = plane.rule.candidates();
        let shift = vcs.next_power_of_two().trailing_zeros();
        let lanes = (all_inputs as usize) << shift;
        let packet = u64::from(plane.level.mtu) + u64::from(plane.level.header);
        Self {
            plane,
            vcs,
            shift,
            buffer: u32::try_from(packet * u64::from(plane.vc_buffer)).unwrap_or(u32::MAX),
            queue: EventQueue::new(),
            first_out,
            used: vec![0; ports.len() << shift],
            lines: vec![SendQueue { first: NONE, last: NONE }; wiring.hosts() as usize * vcs as usize],
            filled: vec![0; wiring.hosts() as usize],
            next_vc: vec![0; wiring.hosts() as usize],
            ports,
            inputs,
            lanes: vec![Lane { first: NONE, last: NONE, busy_until: 0 }; lanes],
            departures: vec![Departure { port: NONE, job: 0 }; if watched { lanes } else { 0 }],
            asked: if most > 1 { vec![NONE; lanes * most] } else { Vec::new() },
            asked_of: if most > 1 { vec![0; lanes] } else { Vec::new() },
            most,
            loads: vec![0; outputs as usize],
            reads_loads: plane.rule.reads_loads(),
            outputs,
            stamps: 0,
            packets: Vec::new(),
            free_packets: Vec::new(),
            messages: Vec::new(),
            free_messages: Vec::new(),
            touched: Vec::new(),
            finished: Vec::new(),
            finished_at: 0,
            open: 0,
            made: 0,
            passed: 0,
            out_of_order: 0,
            uneven,
            watched,
            changes: Vec::new(),
            behind: FxHashMap::default(),
            behind_jobs: FxHashMap::default(),
            more: Vec::new(),
        }
    }

    /// Marks a port that may be able to send at this instant.
    #[inline]
    pub(super) fn touch(&mut self, port: u32, t: u64) {
        let entry = &mut self.ports[port as usize];
        if entry.touched != t {
            entry.touched = t;
            self.touched.push(port);
        }
    }

    /// Schedules a visit to a port at `time`, unless there is an earlier one, which then decides.
    #[inline]
    pub(super) fn wake(&mut self, port: u32, time: u64) {
        let entry = &mut self.ports[port as usize];
        if time < entry.wake_at {
            entry.wake_at = time;
            self.queue.add(time, FabricEvent::Port(port));
        }
    }

    /// Reports the state of a port's link.
    pub(super) fn report(&mut self, port: u32, state: LinkState, t: u64) {
        let entry = &mut self.ports[port as usize];
        if entry.link != NONE && entry.reported != state {
            entry.reported = state;
            self.changes.push((LinkId(entry.link), state, t));
        }
    }

    /// Processes events up to the next arrival of a message, and returns its time; `None` if none arrives until `until`.
    /// Times from [`LATEST`] on are beyond all events that can happen.
    pub(super) fn next_arrival(&mut self, until: u64) -> Option<u64> {
        while self.finished.is_empty() {
            match self.queue.next_time()? {
                t if t >= LATEST => return Some(t),
                t if t <= until => self.instant(t),
                _ => return None,
            }
        }
        Some(self.finished_at)
    }

    /// As [`Self::instant`].
    #[inline(never)]
    pub(super) fn instant_among_planes(&mut self, t: u64) {
        self.instant(t);
    }

    /// Processes all events of the next instant.
    #[inline(always)] // A replay in one plane has one loop over all of its events.
    fn instant(&mut self, t: u64) {
        let count = self.queue.take(t);
        for index in 0..count {
            match self.queue.taken(index, count) {
                FabricEvent::Arrival { packet } => self.head_arrives(packet, t),
                FabricEvent::Front { lane } => self.front(lane, t),
                FabricEvent::Credit { channel, bytes } => self.credit(channel, bytes, t),
                FabricEvent::Port(port) => {
                    // An event that was overtaken by an earlier one of its port differs from the time noted there.
                    if self.ports[port as usize].wake_at == t {
                        self.ports[port as usize].wake_at = NEVER;
                        self.touch(port, t);
                    }
                }
                FabricEvent::Idle(port) => {
                    if self.ports[port as usize].free_at == t {
                        self.report(port, LinkState::default(), t);
                    }
                }
                FabricEvent::Acknowledged { message } => self.acknowledged(message, t),
                FabricEvent::Begin { message } => self.begin(message, t),
                FabricEvent::Arrived { message } => self.message_arrives(message, t),
            }
        }
        // Ports decide when all events of this instant are known. Their decisions touch no further ones.
        for index in 0..self.touched.len() {
            let port = self.touched[index];
            self.ports[port as usize].touched = NEVER;
            if port < self.outputs {
                self.send(port, t);
            } else {
                self.inject(port, t);
            }
        }
        self.touched.clear();
    }
}
