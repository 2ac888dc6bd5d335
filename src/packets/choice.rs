//! Choices of a sweep as written: in the table `[packets]` of a study, or on the command line.

use super::PacketError;
use super::conditions::Conditions;
use super::parameters::{self, HostPort, PRESETS, Parameters, Switching};
use super::routing;
use super::run::Mode;
use super::source::Process;
use super::sweep::{CableDelay, Sweep, loads};
use crate::defaults::Version;
use crate::platform::{HostsPerSwitch, RailPolicy};
use crate::topology::Topology;
use crate::traffic;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Offered loads of a sweep that names none.
pub const DEFAULT_LOADS: &str = "0.1:0.9:0.1";
/// Cycles before the measured ones of a sweep that names none.
pub const DEFAULT_WARMUP: u32 = 1000;
/// Measured cycles of a sweep that names none.
pub const DEFAULT_MEASURE: u32 = 3000;
/// Largest number of seeds.
pub const MAX_SEEDS: u32 = 1000;

/// Longest cycle in nanoseconds: one second.
const LONGEST_CYCLE: f64 = 1e9;

/// Choices of a sweep as written; missing ones have defaults.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepChoice {
    /// Traffic patterns; default: `uniform`.
    pub patterns: Option<Vec<String>>,
    /// Offered loads in flits per host and cycle: a text such as `0.1:0.9:0.1`; a file may also have a number or a list
    /// of numbers.
    #[serde(deserialize_with = "load")]
    pub load: Option<String>,
    /// Packet routing of all networks; default: that of each network.
    pub routing: Option<String>,
    /// Number of hosts that take part, the first ones; default: all.
    pub endpoints: Option<u32>,
    /// End of a run, `latency` (default) or `throughput`.
    pub mode: Option<String>,
    /// Warm-up cycles, before the measured ones.
    pub warmup: Option<u32>,
    /// Measured cycles.
    pub measure: Option<u32>,
    /// Number of seeds, from 1 to [`MAX_SEEDS`].
    pub seeds: Option<u32>,
    /// First seed.
    pub seed: Option<u64>,
    /// Process that creates packets, `bernoulli` (default) or `periodic`.
    pub process: Option<String>,
    /// Engine, `cycles` (default) or `events`.
    pub engine: Option<String>,
    /// `false` to leave out the search for saturation and the run at full load.
    pub saturation: Option<bool>,
    /// `true` to run rules that can deadlock.
    pub allow_deadlock: bool,
    /// Name of one of the [`PRESETS`], which the other choices override.
    pub preset: Option<String>,
    /// Virtual channels of a link.
    pub vcs: Option<u32>,
    /// Flits that a virtual channel holds.
    pub vc_buffer: Option<u32>,
    /// Flits of a packet.
    pub packet: Option<u32>,
    /// Condition for a packet to take a virtual channel: the name of a [`Switching`].
    pub switching: Option<String>,
    /// `true` if a virtual channel is reassigned only when its buffer is empty.
    pub wait_for_tail_credit: bool,
    /// `true` if a packet keeps its path through a switch until its tail has passed.
    pub hold_switch: bool,
    /// Cycles of routing.
    pub routing_delay: Option<u32>,
    /// Cycles of allocating a virtual channel.
    pub vc_delay: Option<u32>,
    /// Cycles of allocating the switch.
    pub switch_delay: Option<u32>,
    /// Cycles of crossing the switch.
    pub crossing_delay: Option<u32>,
    /// Cycles on a link between switches.
    pub link_delay: Option<u32>,
    /// Cycles on a link of a host.
    pub host_delay: Option<u32>,
    /// Cycles from the arrival of a credit to its use.
    pub credit_delay: Option<u32>,
    /// Steps of a switch in a cycle.
    pub speedup: Option<u32>,
    /// Ports of hosts, `own` (default) or `shared`.
    pub host_port: Option<String>,
    /// `true` if adaptive rules count flits that are routed but not yet sent.
    pub count_routed: bool,
    /// Nanoseconds of a cycle.
    pub cycle_ns: Option<f64>,
}

/// Reads loads: a text, a number, or a list of numbers.
fn load<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    deserializer.deserialize_any(LoadsVisitor).map(Some)
}

/// Visitor that returns loads as text.
struct LoadsVisitor;

impl<'de> Visitor<'de> for LoadsVisitor {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "loads: a number, a list of numbers, or a text such as \"{DEFAULT_LOADS}\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_f64<E: de::Error>(self, load: f64) -> Result<String, E> {
        Ok(load.to_string())
    }

    fn visit_i64<E: de::Error>(self, load: i64) -> Result<String, E> {
        Ok(load.to_string())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<String, A::Error> {
        let mut loads: Vec<String> = Vec::new();
        while let Some(load) = list.next_element::<f64>()? {
            loads.push(load.to_string());
        }
        Ok(loads.join(","))
    }
}

/// Choices of a sweep, checked as far as possible without networks.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Traffic patterns.
    pub patterns: Vec<String>,
    /// Packet routing of all networks, if they have one.
    pub routing: Option<String>,
    /// Number of hosts that take part, if not all.
    pub endpoints: Option<u32>,
    /// Loads, seeds, engine and switches.
    pub conditions: Conditions,
    /// Nanoseconds of a cycle, if the choices or their preset set it.
    pub cycle_ns: Option<f64>,
}

/// Returns the value with a name, or the first one without a name.
fn one_of<T: Copy>(parameter: &'static str, name: Option<&str>, values: &[(&str, T)]) -> Result<T, PacketError> {
    let Some(name) = name else { return Ok(values[0].1) };
    let found = values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names = values.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
        PacketError::invalid(parameter, format!("`{name}`"), format!("it must be {names}"))
    })
}

impl SweepChoice {
    /// Checks the choices and fills in the defaults. `seed` is the first seed of choices without one.
    ///
    /// # Errors
    /// [`PacketError`] names the first choice that breaks a rule.
    pub fn build(&self, seed: u64) -> Result<Settings, PacketError> {
        let patterns = self.patterns.clone().unwrap_or_else(|| vec![traffic::DEFAULT.into()]);
        if patterns.is_empty() {
            return Err(PacketError::invalid("patterns", "an empty list", "it must have at least one pattern"));
        }
        patterns.iter().try_for_each(|pattern| traffic::check(pattern))?;
        if let Some(twice) = (1..patterns.len()).find(|&at| patterns[..at].contains(&patterns[at])) {
            return Err(PacketError::invalid("patterns", format!("`{}`", patterns[twice]), "it is there twice"));
        }
        if let Some(routing) = &self.routing {
            routing::check(routing)?;
        }
        let seeds = self.seeds.unwrap_or(1);
        if !(1..=MAX_SEEDS).contains(&seeds) {
            return Err(PacketError::invalid("seeds", seeds, format!("it must be from 1 to {MAX_SEEDS}")));
        }
        let first = self.seed.unwrap_or(seed);
        if first.checked_add(u64::from(seeds) - 1).is_none() {
            return Err(PacketError::invalid("seed", first, format!("{seeds} seeds from it on exceed 64 bits")));
        }
        let by_packets = one_of("engine", self.engine.as_deref(), &[("cycles", false), ("events", true)])?;
        let (mut parameters, mut switching, mut cycle_ns, mut vcs) = (Parameters::default(), None, None, None);
        if let Some(name) = &self.preset {
            let wanted = name.to_lowercase().replace('_', "-");
            let Some(preset) = PRESETS.iter().find(|preset| preset.name == wanted) else {
                let names = PRESETS.iter().map(|preset| preset.name).collect::<Vec<_>>().join(", ");
                return Err(PacketError::invalid("preset", format!("`{name}`"), format!("the presets are {names}")));
            };
            (preset.set)(&mut parameters);
            cycle_ns = Some(preset.cycle_ns);
            switching = (parameters.switching != Switching::Wormhole).then_some(parameters.switching);
            vcs = (preset.name != "equality").then_some(parameters.vcs);
        }
        self.set(&mut parameters)?;
        vcs = self.vcs.or(vcs);
        if let Some(name) = self.switching.as_deref() {
            switching = Some(one_of("switching", Some(name), &Switching::ALL.map(|kind| (kind.name(), kind)))?);
        }
        if by_packets {
            // The packet engine needs these, unless a choice contradicts them, which that engine reports.
            (parameters.hold_switch, parameters.wait_for_tail_credit) = (true, true);
            if self.vc_buffer.is_none() {
                parameters.vc_buffer = parameters.packet;
            }
            if let Some(other) = switching.filter(|own| self.switching.is_some() && *own != Switching::CutThrough) {
                let rule = "the packet engine needs `cut-through`";
                return Err(PacketError::invalid("switching", format!("`{}`", other.name()), rule));
            }
            switching = Some(Switching::CutThrough);
        }
        cycle_ns = self.cycle_ns.or(cycle_ns);
        if let Some(ns) = cycle_ns.filter(|ns| !(*ns > 0.0 && *ns <= LONGEST_CYCLE)) {
            return Err(PacketError::invalid("cycle-ns", format!("{ns:e}"), "it must be more than 0, up to 1e9"));
        }
        let conditions = Conditions {
            loads: loads(self.load.as_deref().unwrap_or(DEFAULT_LOADS))?,
            seeds: (0..u64::from(seeds)).map(|index| first + index).collect(),
            mode: one_of(
                "mode",
                self.mode.as_deref(),
                &[("latency", Mode::Latency), ("throughput", Mode::Throughput)],
            )?,
            process: one_of(
                "process",
                self.process.as_deref(),
                &[("bernoulli", Process::Bernoulli), ("periodic", Process::Periodic)],
            )?,
            warmup: self.warmup.unwrap_or(DEFAULT_WARMUP),
            measure: self.measure.unwrap_or(DEFAULT_MEASURE),
            by_packets,
            saturation: self.saturation.unwrap_or(true),
            allow_deadlock: self.allow_deadlock,
            parameters,
            vcs,
            switching,
        };
        Ok(Settings { patterns, routing: self.routing.clone(), endpoints: self.endpoints, conditions, cycle_ns })
    }

    /// Overrides the parameters of the preset.
    fn set(&self, parameters: &mut Parameters) -> Result<(), PacketError> {
        let set = |target: &mut u32, value: Option<u32>| {
            if let Some(value) = value {
                *target = value;
            }
        };
        set(&mut parameters.packet, self.packet);
        if self.preset.is_none() {
            parameters.vc_buffer = parameters.vc_buffer.max(parameters.packet);
        }
        set(&mut parameters.vc_buffer, self.vc_buffer);
        set(&mut parameters.routing_delay, self.routing_delay);
        set(&mut parameters.vc_delay, self.vc_delay);
        set(&mut parameters.switch_delay, self.switch_delay);
        set(&mut parameters.crossing_delay, self.crossing_delay);
        set(&mut parameters.link_delay, self.link_delay);
        set(&mut parameters.host_delay, self.host_delay);
        set(&mut parameters.credit_delay, self.credit_delay);
        set(&mut parameters.speedup, self.speedup);
        parameters.wait_for_tail_credit |= self.wait_for_tail_credit;
        parameters.hold_switch |= self.hold_switch;
        parameters.count_routed |= self.count_routed;
        if let Some(name) = self.host_port.as_deref() {
            let ports = [("own", HostPort::Own), ("shared", HostPort::Shared)];
            parameters.host_port = one_of("host-port", Some(name), &ports)?;
        }
        Ok(())
    }
}

impl Settings {
    /// Returns the nanoseconds of a cycle: a flit of 256 bit at the bandwidth of links in a version of the defaults, if
    /// nothing else sets it.
    pub fn cycle_ns(&self, version: Version) -> f64 {
        self.cycle_ns.unwrap_or_else(|| parameters::cycle_ns(version))
    }

    /// Checks the values that do not depend on a network, which a sweep would check as well.
    ///
    /// # Errors
    /// [`PacketError::Invalid`].
    pub fn check(&self) -> Result<(), PacketError> {
        let Conditions { parameters, warmup, measure, .. } = &self.conditions;
        let vcs = self.conditions.vcs.unwrap_or(parameters.vcs);
        let switching = self.conditions.switching.unwrap_or(parameters.switching);
        Parameters { vcs, switching, ..parameters.clone() }.check()?;
        super::run::check_cycles(*warmup, *measure)
    }

    /// Returns the sweep over networks. File names in patterns are relative to `folder`.
    pub fn sweep(
        &self,
        topologies: Vec<Arc<Topology>>,
        hosts: Option<HostsPerSwitch>,
        cables: Option<CableDelay>,
        folder: &Path,
    ) -> Sweep {
        Sweep {
            topologies,
            hosts,
            rail: RailPolicy::default(),
            endpoints: self.endpoints,
            cables,
            routings: self.routing.iter().cloned().collect(),
            patterns: self.patterns.clone(),
            pattern_seed: self.conditions.seeds[0],
            routing_seed: self.conditions.seeds[0],
            conditions: self.conditions.clone(),
            folder: folder.to_owned(),
        }
    }
}
