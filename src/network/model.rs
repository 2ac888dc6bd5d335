//! Network models: how a message size and a route become a delay, a weight, a bound and a rate.
//!
//! The models are those of SimGrid (Velho, Schnorr, Casanova, Legrand: On the Validity of Flow-level TCP Network
//! Models for Grid and Cloud Simulations, ACM TOMACS 23(4), 2013), with the constants of release 3.32, and an ideal
//! one for closed forms. `tcp` is fitted to MPI over TCP on an emulated network (docs/models.md, docs/reference/validation.md).

use super::message_latency::MessageLatency;
use crate::piecewise::Factors;

/// The constants of a network model.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkModel {
    /// Name, as `--model` takes it.
    pub name: &'static str,
    /// Factor of the latency, by the size of the flow.
    pub latency_factor: Factors,
    /// Factor of the rate, by the size of the flow. It acts on the share that a flow gets, not on the links.
    pub bandwidth_factor: Factors,
    /// Largest part of the bandwidth of its route that a flow alone reaches, by its size: hosts that copy messages are
    /// slower than links, which other flows fill meanwhile. `None`: all of it.
    pub rate_bound: Option<Factors>,
    /// Bytes added to every message.
    pub envelope: u64,
    /// Weight S of the inverse bandwidths in a flow's penalty, in bytes; `None`: all flows have the same weight.
    pub weight_s: Option<f64>,
    /// Largest TCP window in bytes: a flow of latency L gets at most this over 2 L; `None`: no such bound.
    pub tcp_gamma: Option<f64>,
    /// Share of its rate that a flow also takes on the links of the reverse route (acknowledgements), from 0 to 1.
    pub cross_traffic: Option<f64>,
    /// Time of a message between two hosts in addition to the latency of its route, by the size of the flow.
    pub message_latency: MessageLatency,
    /// Packets, whose headers and framing take a part of each link; `None`: messages get the whole rate.
    pub packets: Option<Packets>,
    /// `true` if bandwidth factors above 1 count as 1. Above it, two flows carry more than the link that they share.
    pub cap_factors: bool,
    /// `true` if messages of a pair of ranks travel one behind the other, as on one connection, instead of side by side.
    /// All sharing rules have this but the two that reproduce SimGrid.
    pub in_order: bool,
    /// Constants of the LogGOPS model, which has no links and none of the above; `None` for all other models.
    pub loggops: Option<LogGops>,
    /// Constants of the packet model, in which messages are no flows and nothing above has an effect; `None` for all other
    /// models.
    pub packet_level: Option<PacketLevel>,
}

/// Order in which a host sends the packets of its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Injection {
    /// Messages take turns, packet by packet, as on several queue pairs.
    #[default]
    Turns,
    /// A message is sent in full before the next one begins.
    FirstCome,
}

impl Injection {
    /// All of them.
    pub const ALL: [Injection; 2] = [Injection::Turns, Injection::FirstCome];

    /// Name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::FirstCome => "first-come",
        }
    }
}

/// Constants of the packet model.
#[derive(Debug, Clone, PartialEq)]
pub struct PacketLevel {
    /// Largest payload of a packet in bytes, at least 1.
    pub mtu: u32,
    /// Bytes of a packet besides its payload, at most [`Self::mtu`].
    pub header: u32,
    /// Packet routing; `None`: as the network's own rule.
    pub routing: Option<String>,
    /// Virtual channels of each link; `None`: what the routing needs, and at least 4.
    pub vcs: Option<u32>,
    /// Full packets that each virtual channel of an input holds; `None`: what full rate over the slowest round trip takes.
    pub vc_buffer: Option<u32>,
    /// Order in which a host sends packets.
    pub injection: Injection,
    /// Most packets of a message that are under way at a time; `None`: any number.
    pub window: Option<u32>,
}

impl Default for PacketLevel {
    fn default() -> Self {
        Self {
            mtu: 4096,
            header: 64,
            routing: None,
            vcs: None,
            vc_buffer: None,
            injection: Injection::Turns,
            window: None,
        }
    }
}

/// Full packets of a message, and so the part of a link's rate that carries messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Packets {
    /// Bytes of messages in a full packet, at least 1.
    pub payload: u64,
    /// Bytes that each packet takes on the link besides: headers, framing, and the gap to the next one.
    pub overhead: u64,
}

impl Packets {
    /// Full Ethernet frames of TCP with time stamps, as a Linux queue counts them: 1500 bytes without 20 of IPv4 and 32 of
    /// TCP, in 1514. On a cable there are 24 more: preamble, check sum, gap.
    pub const TCP: Self = Self { payload: 1448, overhead: 66 };

    /// Returns the part of a link's rate that carries messages, above 0 and at most 1.
    pub fn payload_share(self) -> f64 {
        self.payload as f64 / (self.payload as f64 + self.overhead as f64)
    }
}

/// Constants of the LogGOPS model, in seconds and bytes; the defaults are those of LogGOPSim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogGops {
    /// L: latency of a message.
    pub latency: f64,
    /// o: time of a processor for a message, at each end.
    pub o: f64,
    /// g: time of a network card for a message, at each end.
    pub g: f64,
    /// G: the same for each byte behind the first one.
    pub gap_per_byte: f64,
    /// O: time of a processor for each byte behind the first one.
    pub overhead_per_byte: f64,
    /// S: largest message that does not wait for its receive.
    pub eager_up_to: u64,
}

impl Default for LogGops {
    fn default() -> Self {
        Self { latency: 2.5e-6, o: 1.5e-6, g: 1e-6, gap_per_byte: 6e-9, overhead_per_byte: 0.0, eager_up_to: 65_535 }
    }
}

/// Share of a flow's rate that its acknowledgements take on the way back (SimGrid's `network/crosstraffic`).
pub const CROSS_TRAFFIC: f64 = 0.05;

const SMPI_BANDWIDTH: &str = "65472:0.940694;15424:0.697866;9376:0.58729;5776:1.08739;3484:0.77493;1426:0.608902;\
                              732:0.341987;257:0.338112;0:0.812084";
const SMPI_LATENCY: &str = "65472:11.6436;15424:3.48845;9376:2.59299;5776:2.18796;3484:1.88101;1426:1.61075;\
                            732:1.9503;257:1.95341;0:2.01467";

impl NetworkModel {
    /// Returns the largest rate that the TCP window permits on a route of this latency, in bytes per second.
    pub(super) fn window_rate(&self, latency: f64) -> f64 {
        match self.tcp_gamma {
            Some(gamma) if latency > 0.0 => gamma / (2.0 * latency),
            _ => f64::INFINITY,
        }
    }

    /// Names that [`by_name`](Self::by_name) accepts.
    pub const NAMES: [&'static str; 8] = ["ordered", "tcp", "ideal", "packet", "smpi", "lv08", "cm02", "loggops"];

    /// Returns the model with this name, ignoring case.
    pub fn by_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "smpi" => Some(Self::smpi()),
            "lv08" => Some(Self::lv08()),
            "cm02" => Some(Self::cm02()),
            "ideal" => Some(Self::ideal()),
            "ordered" => Some(Self::ordered()),
            "tcp" => Some(Self::tcp()),
            "loggops" => Some(Self::loggops()),
            "packet" => Some(Self::packet()),
            _ => None,
        }
    }

    /// Returns `true` for a model that reproduces one of SimGrid's.
    pub fn is_of_simgrid(&self) -> bool {
        Self::names_one_of_simgrid(self.name)
    }

    /// Returns `true` for the name of such a model, in lower case.
    pub fn names_one_of_simgrid(name: &str) -> bool {
        matches!(name, "smpi" | "lv08" | "cm02")
    }

    /// SMPI: piecewise factors fitted to MPI over TCP on a Gigabit cluster. The default of SimGrid's replays.
    pub fn smpi() -> Self {
        Self {
            name: "smpi",
            latency_factor: SMPI_LATENCY.parse().expect("the table is well formed"),
            bandwidth_factor: SMPI_BANDWIDTH.parse().expect("the table is well formed"),
            weight_s: Some(8775.0),
            ..Self::cm02()
        }
    }

    /// LV08: constant factors, fitted to long TCP flows.
    pub fn lv08() -> Self {
        Self {
            name: "lv08",
            latency_factor: Factors::constant(13.01),
            bandwidth_factor: Factors::constant(0.97),
            weight_s: Some(20537.0),
            ..Self::cm02()
        }
    }

    /// CM02: no factors; the share of a flow is inversely proportional to its latency.
    pub fn cm02() -> Self {
        Self {
            name: "cm02",
            latency_factor: Factors::constant(1.0),
            bandwidth_factor: Factors::constant(1.0),
            rate_bound: None,
            envelope: 16,
            weight_s: Some(0.0),
            tcp_gamma: Some(4_194_304.0),
            cross_traffic: Some(CROSS_TRAFFIC),
            message_latency: MessageLatency::NONE,
            packets: None,
            cap_factors: false,
            in_order: false,
            loggops: None,
            packet_level: None,
        }
    }

    /// Returns the part of the rate of links between hosts that carries messages: 1 if packets have no overhead.
    pub fn payload_share(&self) -> f64 {
        self.packets.map_or(1.0, Packets::payload_share)
    }

    /// Ideal: a message of n bytes alone on its route takes latency + n / bandwidth; flows share links equally.
    pub fn ideal() -> Self {
        Self { name: "ideal", envelope: 0, weight_s: None, tcp_gamma: None, cross_traffic: None, ..Self::cm02() }
    }

    /// Ordered: `ideal` with one connection for each pair of ranks, on which eager messages leave when they are sent. The
    /// default.
    ///
    /// Message order is a rule of MPI (MPI 4.1, section 3.5: messages do not overtake one another) that every transport keeps;
    /// no constant is fitted to any network (docs/reference/validation.md has its errors).
    pub fn ordered() -> Self {
        Self { name: "ordered", in_order: true, ..Self::ideal() }
    }

    /// Returns `true` if eager messages leave when they are sent, whether or not their receive is posted.
    pub fn sends_eagerly(&self) -> bool {
        self.in_order || self.packet_level.is_some()
    }

    /// TCP: equal shares of what headers and framing leave, a latency for each message, acknowledgements on the way back,
    /// and one connection for each pair of ranks.
    ///
    /// The constants are those of Open MPI over TCP on an emulated Ethernet (docs/models.md): the latency and the share of
    /// payload from ping-pong, the acknowledgements from exchanges of two and four flows. The envelope is not measured:
    /// headers of Open MPI's `btl/tcp` (8 bytes) and `pml/ob1` (16).
    pub fn tcp() -> Self {
        Self {
            name: "tcp",
            envelope: 24,
            cross_traffic: Some(0.03),
            message_latency: MessageLatency::constant(24e-6),
            packets: Some(Packets::TCP),
            cap_factors: true,
            ..Self::ordered()
        }
    }

    /// LogGOPS: processors and network cards without links, as LogGOPSim has them; it replays graphs of operations.
    pub fn loggops() -> Self {
        Self { name: "loggops", loggops: Some(LogGops::default()), ..Self::ideal() }
    }

    /// Packets through the buffers of switches (docs/packets.md); messages have no envelope, and protocols no factors.
    pub fn packet() -> Self {
        Self { name: "packet", packet_level: Some(PacketLevel::default()), ..Self::ideal() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smpi_classes_begin_after_their_threshold() {
        // Payload 241 is a flow of 257 bytes and still in the first class, payload 242 is not.
        let smpi = NetworkModel::smpi();
        let factors = [241u64, 242].map(|n| smpi.bandwidth_factor.at(n + smpi.envelope));
        assert_eq!(factors, [0.812084, 0.338112]);
        assert_eq!(smpi.latency_factor.at(65457 + 16), 11.6436);
    }

    #[test]
    fn headers_leave_a_share_of_the_link() {
        assert_eq!(Packets { payload: 3, overhead: 1 }.payload_share(), 0.75);
        assert_eq!(NetworkModel::ideal().payload_share(), 1.0);
        // 1514 bytes on the link for 1448 of a message.
        assert_eq!((1.0 / NetworkModel::tcp().payload_share() * 1e4).round(), 10456.0);
    }

    #[test]
    fn every_name_gives_its_model() {
        for name in NetworkModel::NAMES {
            assert_eq!(NetworkModel::by_name(&name.to_uppercase()).map(|m| m.name), Some(name));
        }
        assert_eq!(NetworkModel::by_name("udp"), None);
    }
}
