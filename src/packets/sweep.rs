//! Many runs: networks, routings, patterns, loads and seeds, on all cores.

use super::PacketError;
use super::deadlock::{self, Freedom};
use super::deflection;
use super::destinations::Destinations;
use super::parameters::{Parameters, Switching};
use super::routing::{self, Ready};
use super::run::{Mode, Network, Outcome, Trial};
use super::source::Process;
use super::wiring::Wiring;
use crate::layout::{FloorOptions, FloorPlan};
use crate::platform::HostsPerSwitch;
use crate::topology::Topology;
use crate::traffic::{self, Setting};
use rayon::prelude::*;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
    /// Latency of cables between switches; `None`: that of [`Parameters::link_delay`] for all.
    pub cables: Option<CableDelay>,
    /// Packet routings; none: [`routing::default_for`] each network.
    pub routings: Vec<String>,
    /// Traffic patterns.
    pub patterns: Vec<String>,
    /// Offered loads, in ascending order.
    pub loads: Vec<f64>,
    /// Seeds of hosts and routing.
    pub seeds: Vec<u64>,
    /// Seed of random patterns.
    pub pattern_seed: u64,
    /// Seed of static routes.
    pub routing_seed: u64,
    /// `true` for the engine that moves whole packets, [`Network::run_by_packets`].
    pub by_packets: bool,
    /// Condition for the end of a run.
    pub mode: Mode,
    /// Process that creates packets.
    pub process: Process,
    /// Cycles before those that are measured.
    pub warmup: u32,
    /// Measured cycles.
    pub measure: u32,
    /// Delays and buffers.
    pub parameters: Parameters,
    /// Virtual channels; `None`: the number that each rule needs, and at least [`routing::DEFAULT_VCS`].
    pub vcs: Option<u32>,
    /// Condition for a packet to take a virtual channel; `None`: that of each rule.
    pub switching: Option<Switching>,
    /// `true` to find the saturation of each series, and the accepted traffic at full load.
    pub saturation: bool,
    /// `true` to run rules that can deadlock.
    pub allow_deadlock: bool,
    /// Folder of relative file names in patterns.
    pub folder: PathBuf,
}

/// Results of a network, a routing and a pattern.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Series {
    /// The topology with all its parameters.
    pub topology: String,
    /// Name of the family.
    pub family: &'static str,
    /// Number of switches.
    pub switches: usize,
    /// Number of hosts.
    pub hosts: u32,
    /// Packet routing.
    pub routing: String,
    /// Traffic pattern.
    pub pattern: String,
    /// Virtual channels of a link; 0 without buffers.
    pub vcs: u32,
    /// Condition for a packet to take a virtual channel; `None` without buffers.
    pub switching: Option<Switching>,
    /// Reason why it cannot deadlock.
    pub freedom: String,
    /// Highest load that is carried, to 1 %; `None` if it was not requested or no load is carried.
    pub saturation: Option<f64>,
    /// Flits accepted for each host and cycle at an offered load of 1.
    pub accepted_at_full_load: Option<f64>,
    /// Runs, by load and then by seed.
    pub points: Vec<Outcome>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// Network that is ready to run.
#[derive(Clone)]
enum Model {
    Buffered(Network),
    ByPackets(Network),
    Deflection(deflection::Network),
}

impl Model {
    fn run(&self, trial: &Trial) -> Result<Outcome, PacketError> {
        match self {
            Self::Buffered(network) => network.run(trial),
            Self::ByPackets(network) => network.run_by_packets(trial),
            Self::Deflection(network) => network.run(trial),
        }
    }
}

/// Series that is ready to run.
struct Prepared {
    network: Model,
    to: Arc<Destinations>,
    series: Series,
}

/// Saturation, if any load is carried, and the accepted traffic at full load.
type Found = (Option<f64>, f64);

/// Largest distance between the loads that enclose saturation.
const RESOLUTION: f64 = 0.01;

impl Sweep {
    /// Returns the number of runs of the curves, without the search for saturation.
    pub fn runs(&self) -> usize {
        self.series() * self.loads.len() * self.seeds.len()
    }

    /// Returns the number of series.
    pub fn series(&self) -> usize {
        self.topologies.len() * self.routings.len().max(1) * self.patterns.len()
    }

    fn prepare(&self) -> Result<Vec<Prepared>, PacketError> {
        let mut all = Vec::with_capacity(self.series());
        for topology in &self.topologies {
            let p = &self.parameters;
            let wiring = wiring(topology, self.hosts.clone(), p, self.cables)?;
            let mut patterns = Vec::with_capacity(self.patterns.len());
            for pattern in &self.patterns {
                patterns.push(self.destinations(topology, &wiring, pattern)?);
            }
            let default = [routing::default_for(topology).to_owned()];
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
                        family: topology.spec.family().name,
                        switches: wiring.switches(),
                        hosts: wiring.hosts(),
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

    /// Returns the full name of a pattern, and the destinations of packets under it.
    fn destinations(
        &self,
        topology: &Arc<Topology>,
        wiring: &Wiring,
        pattern: &str,
    ) -> Result<(String, Arc<Destinations>), PacketError> {
        let setting = Setting {
            host_switch: wiring.host_switches(),
            topology,
            seed: self.pattern_seed,
            folder: &self.folder,
            collectives: "mvapich2",
        };
        let traffic = traffic::build(pattern, &setting)?;
        Ok((traffic.name.clone(), Arc::new(Destinations::new(&traffic)?)))
    }

    /// Builds the model of a network under a routing; returns also why it cannot deadlock, and remarks.
    fn model(&self, name: &str, wiring: &Arc<Wiring>) -> Result<(Model, String, Vec<String>), PacketError> {
        let p = &self.parameters;
        let (rule, vcs) = match routing::ready(name, wiring, self.vcs, self.routing_seed)? {
            Ready::Buffered(rule, vcs) => (Arc::<dyn routing::Rule>::from(rule), vcs),
            Ready::Deflection(tables) => {
                let network = deflection::Network { wiring: wiring.clone(), tables, parameters: p.clone() };
                let note = network.note();
                return Ok((Model::Deflection(network), deflection::FREEDOM.into(), vec![note]));
            }
        };
        let switching = self.switching.unwrap_or_else(|| routing::switching_for(&*rule, vcs, p.packet));
        let parameters = Parameters { vcs, switching, ..p.clone() };
        parameters.check()?;
        let mut notes: Vec<String> = rule.note().into_iter().collect();
        let freedom = match deadlock::check(wiring, &*rule, name, &parameters) {
            Ok(Freedom::Ascending) => "hop number i travels on virtual channel i".into(),
            Ok(Freedom::Acyclic { channels, dependencies }) => {
                format!("{dependencies} dependencies of {channels} channels without a cycle")
            }
            Ok(Freedom::Proven(proof)) => proof.into(),
            Ok(Freedom::Unchecked) => {
                notes.push(format!(
                    "{name} on {}: more than {} switches are not checked for deadlock before the run",
                    wiring.topology.name(),
                    deadlock::MAX_SWITCHES
                ));
                "not checked".into()
            }
            Err(error @ PacketError::CyclicDependency { .. }) if self.allow_deadlock => {
                notes.push(error.to_string());
                "none".into()
            }
            Err(error) => return Err(error),
        };
        let network = Network { wiring: wiring.clone(), rule, parameters };
        Ok((if self.by_packets { Model::ByPackets(network) } else { Model::Buffered(network) }, freedom, notes))
    }

    fn trial(&self, to: &Arc<Destinations>, load: f64, seed: u64, mode: Mode, threads: usize) -> Trial {
        Trial {
            to: to.clone(),
            process: self.process,
            load,
            seed,
            mode,
            warmup: self.warmup,
            measure: self.measure,
            threads,
        }
    }

    /// Returns an estimate of the number of all runs: a search for saturation takes about ten.
    pub fn expected_runs(&self) -> usize {
        self.runs() + if self.saturation { 10 * self.series() } else { 0 }
    }

    /// Checks that a pattern fits a network.
    ///
    /// # Errors
    /// [`PacketError`] of the pattern, or of the network's hosts.
    pub fn check_pattern(&self, topology: &Arc<Topology>, pattern: &str) -> Result<(), PacketError> {
        let wiring = wiring(topology, self.hosts.clone(), &self.parameters, None)?;
        self.destinations(topology, &wiring, pattern).map(drop)
    }

    /// Runs everything. `done` is called after each run, from any thread, with a description of it.
    ///
    /// # Errors
    /// The first [`PacketError`] in the order of networks, routings, patterns, loads and seeds.
    pub fn run(&self, done: &(dyn Fn(&str) + Sync)) -> Result<Vec<Series>, PacketError> {
        let series = self.run_until(&AtomicBool::new(false), done)?;
        Ok(series.expect("nothing stops the runs"))
    }

    /// Runs everything as [`Self::run`] does, unless `stop` becomes `true`: then no further run begins, and there is no
    /// result.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub fn run_until(
        &self,
        stop: &AtomicBool,
        done: &(dyn Fn(&str) + Sync),
    ) -> Result<Option<Vec<Series>>, PacketError> {
        let prepared = self.prepare()?;
        let cells: Vec<(usize, f64, u64)> = (0..prepared.len())
            .flat_map(|series| {
                self.loads.iter().flat_map(move |&load| self.seeds.iter().map(move |&seed| (series, load, seed)))
            })
            .collect();
        // A single run uses all cores; several use one each.
        let threads = if cells.len() == 1 && !self.saturation { rayon::current_num_threads() } else { 1 };
        let one = |&(index, load, seed): &(usize, f64, u64)| {
            let Prepared { network, to, series } = &prepared[index];
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let outcome = network.run(&self.trial(to, load, seed, self.mode, threads));
            done(&format!("{}, {}, {} at {load}", series.topology, series.routing, series.pattern));
            Some(outcome)
        };
        // Long runs first would balance better, but in this order results of short ones are available sooner.
        let outcomes: Vec<Option<Result<Outcome, PacketError>>> = cells.par_iter().with_max_len(1).map(one).collect();
        let Some(outcomes) = outcomes.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let mut all: Vec<Series> = prepared.iter().map(|prepared| prepared.series.clone()).collect();
        for (&(index, ..), outcome) in cells.iter().zip(outcomes) {
            all[index].points.push(outcome?);
        }
        if self.saturation {
            let searched: Vec<Option<Result<Found, PacketError>>> = (0..all.len())
                .into_par_iter()
                .with_max_len(1)
                .map(|index| self.saturation_of(&prepared[index], &all[index], stop, done).transpose())
                .collect();
            let Some(searched) = searched.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
            for (series, found) in all.iter_mut().zip(searched) {
                let (saturation, full) = found?;
                series.saturation = saturation;
                series.accepted_at_full_load = Some(full);
            }
        }
        Ok(Some(all))
    }

    /// Bisects between loads that are carried and loads that are not; finds also the accepted traffic at full load.
    /// `None` if it was stopped.
    fn saturation_of(
        &self,
        prepared: &Prepared,
        series: &Series,
        stop: &AtomicBool,
        done: &(dyn Fn(&str) + Sync),
    ) -> Result<Option<Found>, PacketError> {
        let seed = self.seeds[0];
        let run = |load: f64, mode: Mode| -> Result<Option<Outcome>, PacketError> {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let outcome = prepared.network.run(&self.trial(&prepared.to, load, seed, mode, 1))?;
            done(&format!("{}, {}, {}: saturation, at {load:.3}", series.topology, series.routing, series.pattern));
            Ok(Some(outcome))
        };
        let Some(full) = run(1.0, Mode::Throughput)? else { return Ok(None) };
        let full = full.accepted;
        let (mut carried, mut not) = (0.0, 1.0);
        if self.mode == Mode::Latency {
            for point in series.points.iter().filter(|point| point.seed == seed) {
                if point.saturated {
                    not = point.load.min(not);
                } else if point.load < not {
                    carried = point.load.max(carried);
                }
            }
        }
        if not == 1.0 && carried < 1.0 {
            let Some(outcome) = run(1.0, Mode::Latency)? else { return Ok(None) };
            if !outcome.saturated {
                return Ok(Some((Some(1.0), full)));
            }
        }
        while not - carried > RESOLUTION * not.max(0.1) {
            let middle = (carried + not) / 2.0;
            match run(middle, Mode::Latency)? {
                None => return Ok(None),
                Some(outcome) if outcome.saturated => not = middle,
                Some(_) => carried = middle,
            }
        }
        Ok(Some(((carried > 0.0).then_some(carried), full)))
    }
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
    Ok(Arc::new(wiring))
}

/// Parses loads: `0.1:0.9:0.1` (first, last, step) or a list such as `0.1,0.25,0.4`.
///
/// # Errors
/// [`PacketError::Invalid`] with the reason.
pub fn loads(text: &str) -> Result<Vec<f64>, PacketError> {
    let wrong = |rule: &str| PacketError::invalid("load", format!("`{text}`"), rule);
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let rule = "it must be numbers from 0 to 1 such as 0.1,0.25 or a range such as 0.1:0.9:0.1";
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
