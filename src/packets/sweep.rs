//! Sweeps: networks, routings, patterns, loads and seeds. [`super::work`] runs them on all cores.

use super::PacketError;
use super::conditions::Conditions;
use super::cycle;
use super::deadlock::{self, Freedom};
use super::deflection;
use super::destinations::Destinations;
use super::events;
use super::parameters::Parameters;
use super::routing::{self, Ready};
use super::run::{Mode, Outcome, PacketNetwork, Trial};
use super::series::Series;
use super::wiring::Wiring;
use crate::floorplan::{FloorOptions, FloorPlan};
use crate::platform::{HostsPerSwitch, PlatformParameters, RailPolicy};
use crate::printable::counted;
use crate::topology::Topology;
use crate::topology::rails::text_of_planes;
use crate::traffic::{self, PatternInput};
use std::path::PathBuf;
use std::sync::Arc;

/// Latency of cables by their lengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableDelay {
    /// Places of switches.
    pub floor: FloorOptions,
    /// Cycles per metre.
    pub cycles_per_metre: f64,
}

/// Runs to execute.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Networks; the first one is the baseline.
    pub topologies: Vec<Arc<Topology>>,
    /// Hosts on each switch, if not those of the topology.
    pub hosts: Option<HostsPerSwitch>,
    /// Policy by which hosts with several ports choose one.
    pub rail: RailPolicy,
    /// Number of hosts that take part, the first ones; `None`: all.
    pub endpoints: Option<u32>,
    /// Latency of cables between switches; `None`: that of [`Parameters::link_delay`] for all.
    pub cables: Option<CableDelay>,
    /// Packet routings; none: [`routing::default_for`] each network.
    pub routings: Vec<String>,
    /// Traffic patterns.
    pub patterns: Vec<String>,
    /// Seed of random patterns.
    pub pattern_seed: u64,
    /// Seed of static routes.
    pub routing_seed: u64,
    /// Loads, seeds, engine and switches.
    pub conditions: Conditions,
    /// Folder of relative file names in patterns.
    pub folder: PathBuf,
}

/// Network that is ready to run.
#[derive(Clone)]
pub(super) enum Model {
    Buffered(PacketNetwork),
    ByPackets(PacketNetwork),
    Deflection(deflection::DeflectionNetwork),
}

impl Model {
    /// Checks what an engine requires of the network.
    fn check(&self) -> Result<(), PacketError> {
        match self {
            Self::Buffered(network) => cycle::check(&network.wiring, &network.parameters),
            Self::ByPackets(network) => events::check(&network.wiring, &network.parameters),
            Self::Deflection(network) => network.check(),
        }
    }

    /// Returns switches, cables and hosts.
    pub fn wiring(&self) -> &Arc<Wiring> {
        match self {
            Self::Buffered(network) | Self::ByPackets(network) => &network.wiring,
            Self::Deflection(network) => &network.wiring,
        }
    }

    pub fn run(&self, trial: &Trial) -> Result<Outcome, PacketError> {
        match self {
            Self::Buffered(network) => network.run(trial),
            Self::ByPackets(network) => network.run_by_packets(trial),
            Self::Deflection(network) => network.run(trial),
        }
    }
}

/// Series that is ready to run.
pub(super) struct Prepared {
    pub network: Model,
    pub to: Arc<Destinations>,
    /// The series, without results.
    pub series: Series,
}

impl Sweep {
    /// Returns the number of series.
    pub fn series(&self) -> usize {
        self.topologies.len() * self.routings.len().max(1) * self.patterns.len()
    }

    /// Builds all networks, and checks that routings and patterns fit them.
    pub(super) fn prepare(&self) -> Result<Vec<Prepared>, PacketError> {
        let mut all = Vec::with_capacity(self.series());
        for topology in &self.topologies {
            let wiring = self.wiring(topology, self.cables)?;
            let mut patterns = Vec::with_capacity(self.patterns.len());
            for pattern in &self.patterns {
                patterns.push(self.destinations(topology, &wiring, pattern)?);
            }
            let default = [routing::default_of(topology)];
            for name in if self.routings.is_empty() { &default[..] } else { &self.routings } {
                let (network, freedom, notes) = self.model(name, &wiring)?;
                let (vcs, switching) = match &network {
                    Model::Buffered(network) | Model::ByPackets(network) => {
                        (network.parameters.vcs, Some(network.parameters.switching))
                    }
                    Model::Deflection(_) => (0, None),
                };
                for (pattern, to) in &patterns {
                    let series = Series {
                        topology: topology.name(),
                        family: topology.spec.family().name.to_owned(),
                        switches: wiring.switches(),
                        hosts: wiring.ports.as_ref().map_or(wiring.hosts(), |ports| ports.hosts()),
                        ports: wiring.ports.as_ref().map_or(1, |ports| ports.count()),
                        busiest_host: to.busiest_host(wiring.ports.as_deref()),
                        routing: name.clone(),
                        vcs,
                        switching,
                        pattern: pattern.clone(),
                        freedom: freedom.clone(),
                        saturation: None,
                        accepted_at_full_load: None,
                        points: Vec::new(),
                        notes: notes.clone(),
                    };
                    all.push(Prepared { network: network.clone(), to: to.clone(), series });
                }
            }
        }
        Ok(all)
    }

    /// Attaches hosts to a topology, with latencies of cables by length if `cables` has them.
    ///
    /// # Errors
    /// [`PacketError`] if hosts, floor plan or lengths do not fit.
    pub fn wiring(&self, topology: &Arc<Topology>, cables: Option<CableDelay>) -> Result<Arc<Wiring>, PacketError> {
        let hosts = match self.endpoints {
            Some(endpoints) => Some(first_hosts(topology, self.hosts.clone(), endpoints)?),
            None => self.hosts.clone(),
        };
        wiring(topology, hosts, &self.conditions.parameters, cables)
    }

    /// Returns the full name of a pattern, and the destinations of packets under it.
    fn destinations(
        &self,
        topology: &Arc<Topology>,
        wiring: &Wiring,
        pattern: &str,
    ) -> Result<(String, Arc<Destinations>), PacketError> {
        let host_switch = wiring.ports.as_ref().map_or(wiring.host_switches(), |ports| ports.first_switches());
        let setting =
            PatternInput { seed: self.pattern_seed, folder: &self.folder, ..PatternInput::new(topology, host_switch) };
        let traffic = traffic::build(pattern, &setting)?;
        let to = match &wiring.ports {
            None => Destinations::new(&traffic)?,
            Some(ports) => Destinations::on_ports(&traffic, ports, self.rail)?,
        };
        Ok((traffic.name.clone(), Arc::new(to)))
    }

    /// Builds the model of a network under a routing; returns also why it cannot deadlock, and remarks.
    fn model(&self, name: &str, wiring: &Arc<Wiring>) -> Result<(Model, String, Vec<String>), PacketError> {
        let p = &self.conditions.parameters;
        let rules = match routing::ready(name, wiring, self.conditions.vcs, self.routing_seed)? {
            Ready::Buffered(rules) => rules,
            Ready::Deflection(tables) => {
                let network = deflection::DeflectionNetwork { wiring: wiring.clone(), tables, parameters: p.clone() };
                let (note, model) = (network.note(), Model::Deflection(network));
                model.check()?;
                return Ok((model, deflection::FREEDOM.into(), vec![note]));
            }
        };
        let switching = self.conditions.switching.unwrap_or_else(|| rules.switching_for(p.packet));
        let parameters = Parameters { vcs: rules.vcs(), switching, ..p.clone() };
        parameters.check()?;
        let mut notes = rules.notes();
        let freedom = match rules.check(&parameters) {
            Ok(all) => {
                if all.contains(&Freedom::Unchecked) {
                    notes.push(format!(
                        "{name} on {}: more than {} switches are not checked for deadlock before the run",
                        wiring.topology.name(),
                        deadlock::MAX_SWITCHES
                    ));
                }
                text_of_planes(all.iter().map(Freedom::to_string))
            }
            Err(error @ PacketError::CyclicDependency { .. }) if self.conditions.allow_deadlock => {
                notes.push(error.to_string());
                "none".into()
            }
            Err(error) => return Err(error),
        };
        notes.extend(wiring.ports.as_ref().map(|ports| self.note_of_ports(ports.count())));
        notes.extend(rules.channels_of_a_hop().and_then(|channels| note_of_channels(&parameters, channels)));
        notes.extend(note_of_warmup(&parameters, wiring, self.conditions.warmup));
        let rule = rules.rule();
        let network = PacketNetwork { wiring: wiring.clone(), rule, parameters };
        let model = if self.conditions.by_packets { Model::ByPackets(network) } else { Model::Buffered(network) };
        model.check()?;
        Ok((model, freedom, notes))
    }

    /// Returns a remark on hosts with several ports.
    fn note_of_ports(&self, ports: u32) -> String {
        let busiest = match self.rail {
            RailPolicy::Destination => {
                " All packets to a host take one port, and the load is that of the busiest port."
            }
            RailPolicy::Message | RailPolicy::Striped => "",
        };
        format!("hosts have {ports} ports; loads and accepted traffic are per port.{busiest}")
    }

    pub(super) fn trial(&self, to: &Arc<Destinations>, load: f64, seed: u64, mode: Mode, threads: usize) -> Trial {
        Trial {
            to: to.clone(),
            process: self.conditions.process,
            load,
            seed,
            mode,
            warmup: self.conditions.warmup,
            measure: self.conditions.measure,
            threads,
        }
    }

    /// Checks that a pattern fits a network.
    ///
    /// # Errors
    /// [`PacketError`] of the pattern, or of the network's hosts.
    pub fn check_pattern(&self, topology: &Arc<Topology>, pattern: &str) -> Result<(), PacketError> {
        let wiring = self.wiring(topology, None)?;
        self.destinations(topology, &wiring, pattern).map(drop)
    }
}

/// Share of a cable's bandwidth from which on other effects limit a network first, and a remark would mislead.
const ENOUGH: f64 = 0.75;

/// Returns a remark on rules with few virtual channels for each hop.
///
/// The next packet is allocated a channel once the tail of the one before has left, and the switch a cycle later. On one
/// cable between two switches with one channel, packets of 1, 2, 4 and 8 flits carry 1/3, 1/2, 2/3 and 4/5 of a flit per
/// cycle.
fn note_of_channels(parameters: &Parameters, channels: u32) -> Option<String> {
    let flits = f64::from(parameters.packet);
    let most = f64::from(channels) * flits / (flits + 2.0);
    (parameters.speedup == 1 && most < ENOUGH).then(|| {
        format!(
            "a hop has {}, which the next packet gets 2 cycles after the tail of one: cables carry at most {most:.2} with \
             packets of {}; more channels per hop (`*{}` after the rule), longer packets or a speed-up of 2 carry more",
            counted(channels.into(), "virtual channel"),
            counted(parameters.packet.into(), "flit"),
            channels + 1,
        )
    })
}

/// Shortest warm-up without a remark, in cycles for each flit that the buffers hold per host. Near saturation, buffers fill
/// slowly, and a shorter warm-up ends before they are full.
const FILLINGS: u32 = 4;
/// Recommended warm-up, in the same unit. `hypercube:6` with buffers of 64 flits needs about as much.
const SURE_FILLINGS: u32 = 10;

/// Returns a remark on a warm-up that does not fill the buffers.
fn note_of_warmup(parameters: &Parameters, wiring: &Wiring, warmup: u32) -> Option<String> {
    let (arcs, hosts) = (wiring.topology.graph.arcs() as u64, u64::from(wiring.hosts()).max(1));
    let flits = arcs * u64::from(parameters.vcs) * u64::from(parameters.vc_buffer) / hosts;
    (u64::from(warmup) < u64::from(FILLINGS) * flits).then(|| {
        format!(
            "the buffers hold {flits} flits for each host, which a warm-up of {warmup} cycles does not fill near saturation: what is \
             carried may be too low, and what is accepted at full load too high; --warmup {} is long enough",
            u64::from(SURE_FILLINGS) * flits
        )
    })
}

/// Returns the numbers of hosts on the switches of a topology, up to a host of number `endpoints`.
fn first_hosts(
    topology: &Topology,
    hosts: Option<HostsPerSwitch>,
    endpoints: u32,
) -> Result<HostsPerSwitch, PacketError> {
    let parameters = PlatformParameters { hosts_per_switch: hosts, ..PlatformParameters::default() }.check()?;
    let mut planes = match &topology.rails {
        None => vec![parameters.hosts_on(&topology.graph)?],
        Some(rails) => parameters.homes_on(rails)?,
    };
    let all: u64 = planes[0].iter().map(|&count| u64::from(count)).sum();
    if endpoints == 0 || u64::from(endpoints) > all {
        let rule = format!("topology `{}` has {all} hosts", topology.name());
        return Err(PacketError::invalid("endpoints", endpoints, rule));
    }
    for counts in &mut planes {
        let mut left = endpoints;
        for count in counts {
            *count = left.min(*count);
            left -= *count;
        }
    }
    Ok(HostsPerSwitch::Each(planes.concat()))
}

/// Attaches hosts to a topology, with latencies of cables by length if `cables` has them.
///
/// # Errors
/// [`PacketError`] if hosts, floor plan or lengths do not fit.
pub fn wiring(
    topology: &Arc<Topology>,
    hosts: Option<HostsPerSwitch>,
    parameters: &Parameters,
    cables: Option<CableDelay>,
) -> Result<Arc<Wiring>, PacketError> {
    let Parameters { host_port, link_delay, .. } = *parameters;
    let mut wiring = Wiring::new(topology.clone(), hosts, host_port, link_delay)?;
    if let Some(CableDelay { floor, cycles_per_metre }) = cables {
        let plan = FloorPlan::new(topology, &floor.on(&topology.graph))?;
        wiring.set_lengths(plan.cables(&topology.graph).lengths(), cycles_per_metre)?;
    }
    wiring.route_delays = wiring.latency.iter().map(|&cable| f64::from(parameters.hop_cycles(cable)) * 1e-9).collect();
    Ok(Arc::new(wiring))
}

/// Parses loads: `0.1:0.9:0.1` (first, last, step) or a list such as `0.1,0.25,0.4`.
///
/// # Errors
/// [`PacketError::Invalid`] with the reason.
pub fn loads(text: &str) -> Result<Vec<f64>, PacketError> {
    let wrong = |rule: &str| PacketError::invalid("load", format!("`{text}`"), rule);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let rule = "it must be numbers from 0 to 1 such as 0.1,0.25, or a range FROM:TO:STEP such as 0.1:0.9:0.1";
    let mut loads = Vec::new();
    for item in text.split(',') {
        let parts: Option<Vec<f64>> = item.split(':').map(number).collect();
        match parts.ok_or_else(|| wrong(rule))?[..] {
            [load] => loads.push(load),
            [first, last, step] => {
                if step <= 0.0 || last < first {
                    return Err(wrong("a range must go upwards in steps of more than 0"));
                }
                let steps = ((last - first) / step + 1e-9).floor();
                if steps > 10_000.0 {
                    return Err(wrong("a range may have 10,000 loads"));
                }
                // Rounded, so that 0.1 + 2 * 0.1 is 0.3.
                loads.extend((0..=steps as u32).map(|i| ((first + f64::from(i) * step) * 1e9).round() / 1e9));
            }
            _ => return Err(wrong(rule)),
        }
    }
    if loads.iter().any(|load| !(0.0..=1.0).contains(load)) {
        return Err(wrong("a load must be from 0 to 1 flit for each host and cycle"));
    }
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    Ok(loads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_are_lists_and_ranges() {
        assert_eq!(loads("0.1:0.5:0.1").unwrap(), [0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!(loads("0.5, 0.25,0.5").unwrap(), [0.25, 0.5]);
        for wrong in ["", "1.1", "-0.1", "0.1:0.5", "0.5:0.1:0.1", "0.1:0.2:0", "x", "0:1:1e-9", "nan"] {
            assert!(loads(wrong).is_err(), "{wrong}");
        }
    }
}
