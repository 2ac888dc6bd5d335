//! Parameters of switches, links and hosts.

use super::PacketError;
use crate::defaults::Version;
use serde::{Deserialize, Serialize};

/// Largest number of virtual channels of a link.
pub const MAX_VCS: u32 = 64;
/// Largest buffer of a virtual channel and largest packet, in flits.
pub const MAX_FLITS: u32 = 32_767;
/// Largest delay of a stage or of a link, in cycles.
pub const MAX_DELAY: u32 = 10_000;

/// Condition for a packet to take a virtual channel of the next switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Switching {
    /// No other packet owns it; flits follow as buffers have space.
    Wormhole,
    /// No other packet owns it, and it is not full (`vc_busy_when_full` of BookSim).
    NotFull,
    /// No other packet owns it, and the whole packet fits.
    CutThrough,
}

impl Switching {
    /// All conditions, from the weakest.
    pub const ALL: [Self; 3] = [Self::Wormhole, Self::NotFull, Self::CutThrough];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wormhole => "wormhole",
            Self::NotFull => "not-full",
            Self::CutThrough => "cut-through",
        }
    }
}

/// Ports of the hosts of a switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostPort {
    /// A port for each host.
    Own,
    /// One port of link speed for all hosts of a switch.
    Shared,
}

/// Switches, links and hosts of a packet run; all times in cycles.
///
/// A cycle is the time of one flit on a link. Defaults are those of BookSim 2 with a latency of 1 for every link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Virtual channels of each link, 1 to [`MAX_VCS`].
    pub vcs: u32,
    /// Flits that each virtual channel of an input holds.
    pub vc_buffer: u32,
    /// Flits of a packet.
    pub packet: u32,
    /// Condition for a packet to take a virtual channel.
    pub switching: Switching,
    /// `true` if a virtual channel is reassigned only when all flits of its last packet have left the buffer.
    pub wait_for_tail_credit: bool,
    /// `true` if a packet keeps its path through the switch until its tail has passed.
    pub hold_switch: bool,
    /// Cycles of routing.
    pub routing_delay: u32,
    /// Cycles of allocating a virtual channel.
    pub vc_delay: u32,
    /// Cycles of allocating the switch.
    pub switch_delay: u32,
    /// Cycles of crossing the switch.
    pub crossing_delay: u32,
    /// Cycles on a link between switches, where no floor plan sets one for each.
    pub link_delay: u32,
    /// Cycles on a link of a host.
    pub host_delay: u32,
    /// Cycles from the arrival of a credit at a switch to its use.
    pub credit_delay: u32,
    /// Steps of a switch in a cycle: 1 or 2.
    pub speedup: u32,
    /// Ports of hosts.
    pub host_port: HostPort,
    /// `true` if adaptive rules count flits that are routed but not yet sent as well as those without a credit.
    pub count_routed: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            vcs: 4,
            vc_buffer: 8,
            packet: 1,
            switching: Switching::Wormhole,
            wait_for_tail_credit: false,
            hold_switch: false,
            routing_delay: 1,
            vc_delay: 1,
            switch_delay: 1,
            crossing_delay: 1,
            link_delay: 1,
            host_delay: 1,
            credit_delay: 1,
            speedup: 1,
            host_port: HostPort::Own,
            count_routed: false,
        }
    }
}

impl Parameters {
    /// Returns the cycles from the departure of a head until its credit can be used again, if it waits nowhere.
    pub fn round_trip(&self) -> u32 {
        let there = self.crossing_delay + self.link_delay + self.routing_delay + self.vc_delay + self.switch_delay;
        there + self.link_delay + self.credit_delay
    }

    /// Checks all values.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] names the first value that breaks a rule.
    pub fn check(&self) -> Result<(), PacketError> {
        let within = |name, value: u32, least: u32, most: u32| match (least..=most).contains(&value) {
            true => Ok(()),
            false => Err(PacketError::invalid(name, value, format!("it must be from {least} to {most}"))),
        };
        within("vcs", self.vcs, 1, MAX_VCS)?;
        within("vc-buffer", self.vc_buffer, 1, MAX_FLITS)?;
        within("packet", self.packet, 1, MAX_FLITS)?;
        within("routing-delay", self.routing_delay, 1, MAX_DELAY)?;
        within("vc-delay", self.vc_delay, 1, MAX_DELAY)?;
        within("switch-delay", self.switch_delay, 1, MAX_DELAY)?;
        within("crossing-delay", self.crossing_delay, 1, MAX_DELAY)?;
        within("link-delay", self.link_delay, 1, MAX_DELAY)?;
        within("host-delay", self.host_delay, 1, MAX_DELAY)?;
        within("credit-delay", self.credit_delay, 0, MAX_DELAY)?;
        within("speedup", self.speedup, 1, 2)?;
        if self.switching == Switching::CutThrough && self.vc_buffer < self.packet {
            let rule = format!("cut-through needs space for a packet of {} flits", self.packet);
            return Err(PacketError::invalid("vc-buffer", self.vc_buffer, rule));
        }
        if self.hold_switch && self.speedup > 1 {
            return Err(PacketError::invalid("speedup", self.speedup, "held switches take one step in a cycle"));
        }
        Ok(())
    }

    /// Returns the free flits that a virtual channel must have for a packet to take it.
    pub(super) fn space_needed(&self) -> u32 {
        match self.switching {
            Switching::Wormhole => 0,
            Switching::NotFull => 1,
            Switching::CutThrough => self.packet,
        }
    }

    /// Returns the cycles from the arrival of a head flit at a switch to its arrival at the next one over a link of
    /// `link` cycles, without contention.
    pub fn hop_cycles(&self, link: u32) -> u32 {
        let stages = self.routing_delay + self.vc_delay + self.switch_delay + self.crossing_delay - 1;
        match self.speedup {
            1 => stages + link + 1,
            // Stages of one cycle take half a cycle each.
            _ => self.slow_stages() + link + 1,
        }
    }

    /// Returns the cycles that a head needs through a switch that takes two steps in a cycle, its departure included.
    fn slow_stages(&self) -> u32 {
        let mut step = 0;
        for delay in [self.routing_delay, self.vc_delay, self.switch_delay] {
            // A stage of d > 1 cycles ends in the first step of a cycle.
            step = if delay == 1 { step } else { (step / self.speedup + delay - 1) * self.speedup };
            step += 1;
        }
        step / self.speedup + self.crossing_delay - 1
    }
}

/// Parameters of a published study.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// One line for `--help`.
    pub help: &'static str,
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Sets the parameters.
    pub set: fn(&mut Parameters),
}

/// Nanoseconds of a flit of 256 bit at 96 Gbit/s: the cycle of the papers.
const CYCLE_NS: f64 = 256.0 / 96.0;

/// Returns the nanoseconds of a cycle without a preset: a flit of 256 bit at the bandwidth of links in a version of the
/// defaults.
pub fn cycle_ns(version: Version) -> f64 {
    32.0 / version.values().design.link_bandwidth * 1e9
}

fn paper(parameters: &mut Parameters, header: u32, link: u32) {
    *parameters = Parameters {
        vcs: 4,
        vc_buffer: 33,
        packet: 33,
        switching: Switching::CutThrough,
        wait_for_tail_credit: true,
        routing_delay: header - 3,
        link_delay: link,
        credit_delay: 1,
        ..Parameters::default()
    };
}

/// The parameters of the papers (routing, allocation and crossing of a header in 100 ns, 60 ns in the paper on Skywalk,
/// of which all but three cycles are the routing; links of 20 ns with injection).
#[rustfmt::skip]
pub const PRESETS: &[Preset] = &[
    Preset { name: "dsnf", help: "33-flit packets, cut-through, 4 VCs, 100 ns per switch (header), 20 ns per link", cycle_ns: CYCLE_NS, set: |p| paper(p, 38, 7) },
    Preset { name: "uni-directional", help: "the same, with the packets of the paper on uni-directional networks", cycle_ns: CYCLE_NS, set: |p| paper(p, 38, 7) },
    Preset { name: "skywalk", help: "33-flit packets, cut-through, 4 VCs, 60 ns per switch (header), one port for the hosts of a switch", cycle_ns: CYCLE_NS, set: |p| { paper(p, 23, 7); p.host_port = HostPort::Shared; } },
    Preset { name: "equality", help: "single-flit packets, 64 flits per VC, speed-up of 2", cycle_ns: CYCLE_NS, set: |p| *p = Parameters { vc_buffer: 64, speedup: 2, ..Parameters::default() } },
];
