//! A run: warm-up, measured cycles, and their results.
//!
//! Any engine runs through them as a [`Simulation`].

use super::PacketError;
use super::cycle::CycleEngine;
use super::destinations::Destinations;
use super::events;
use super::parameters::Parameters;
use super::routing::Rule;
use super::setup::Setup;
use super::simulation::Simulation;
use super::source::{MAX_CYCLES, PacketSource, Process};
use super::statistics::{Counts, Window};
use super::wiring::Wiring;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Condition for the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Sources continue until all measured packets have arrived.
    Latency,
    /// The run ends with the measured cycles; there is no latency.
    Throughput,
}

/// Network ready for runs.
#[derive(Clone)]
pub struct PacketNetwork {
    /// Switches, cables, hosts.
    pub wiring: Arc<Wiring>,
    /// Routing rule.
    pub rule: Arc<dyn Rule>,
    /// Delays and buffers.
    pub parameters: Parameters,
}

/// Run on a network.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Destinations of packets.
    pub to: Arc<Destinations>,
    /// Process that creates them.
    pub process: Process,
    /// Flits offered by each sending host in a cycle, 0 to 1.
    pub load: f64,
    /// Seed of hosts and routing.
    pub seed: u64,
    /// Condition for the end.
    pub mode: Mode,
    /// Warm-up cycles, before the measured ones.
    pub warmup: u32,
    /// Measured cycles.
    pub measure: u32,
    /// Threads of this run.
    pub threads: usize,
}

/// Results of a run. Times are in cycles, loads in flits per host and cycle.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// Flits offered for each host and cycle.
    pub load: f64,
    /// Seed of the run.
    pub seed: u64,
    /// Flits accepted, mean over hosts.
    pub accepted: f64,
    /// Flits accepted by the host with the fewest.
    pub accepted_least: f64,
    /// Flits accepted by the host with the most.
    pub accepted_most: f64,
    /// Jain's index of fairness of what hosts accepted: 1 if all the same.
    pub fairness: f64,
    /// `true` if the network does not carry the load: accepted below 0.97 of it, or packets accumulate delay. Then
    /// there is no latency. `false` for a run in throughput mode, which does not go on to find out.
    pub saturated: bool,
    /// Cycles from creation to the arrival of the tail, mean of the measured packets.
    pub latency_mean: Option<f64>,
    /// Median. As the other percentiles, it is exact below 4,096 cycles; above, it is the lower end of a range of at most
    /// 0.8 %, so it is up to 0.8 % too low.
    pub latency_p50: Option<u32>,
    /// Exceeded by at most one packet in 100, but for the rounding of [`latency_p50`](Self::latency_p50).
    pub latency_p99: Option<u32>,
    /// Exceeded by at most one packet in 1,000, but for the rounding of [`latency_p50`](Self::latency_p50).
    pub latency_p999: Option<u32>,
    /// Longest.
    pub latency_max: Option<u32>,
    /// Cycles from the first flit's entry into the network to the arrival of the tail, mean.
    pub network_latency_mean: Option<f64>,
    /// Cables between switches on the path of a packet, mean.
    pub hops_mean: Option<f64>,
    /// Most cables on the path of a packet.
    pub hops_max: u32,
    /// Hops of a packet that did not bring it nearer to its destination, mean; under deflection.
    pub deflections_mean: Option<f64>,
    /// Packets measured.
    pub packets: u64,
    /// Packets in the network, mean over the measured cycles.
    pub packets_inside: f64,
    /// Part of the measured cycles in which a cable between switches carries a flit, mean.
    pub cable_load_mean: f64,
    /// Part of the measured cycles in which the busiest cable carries a flit.
    pub cable_load_max: f64,
    /// Cycles simulated.
    pub cycles: u32,
    /// Flits through switches, in all cycles.
    pub passages: u64,
}

/// Accepted over offered traffic below which a run is saturated.
const CARRIED: f64 = 0.97;
/// Multiple of the cycles up to the end of the measurement for which a run may go on.
const LONGER: u32 = 4;
/// Cycles between checks of the age of packets.
const LOOK: u32 = 500;
/// Cycles between checks whether the last packet has arrived: the cycles of a run count those until the check, so the
/// checks are closer than those of the age.
const DRAIN: u32 = 64;

impl PacketNetwork {
    /// Returns the cycles without other traffic from creation to the arrival of the tail, over `hops` cables of a mean
    /// latency.
    pub fn zero_load_latency(&self, hops: f64) -> f64 {
        let p = &self.parameters;
        let cables = self.wiring.latency.len().max(1) as f64;
        let link = self.wiring.latency.iter().map(|&cycles| f64::from(cycles)).sum::<f64>() / cables;
        let switch = f64::from(p.hop_cycles(0));
        f64::from(p.host_delay + 1) + (switch + link) * hops + switch + f64::from(p.host_delay) + f64::from(p.packet)
            - 1.0
    }

    /// Returns the number of cycles without movement after which a run counts as stuck.
    fn patience(&self) -> u32 {
        let p = &self.parameters;
        let longest = self.wiring.latency.iter().copied().max().unwrap_or(1);
        10 * (2 * longest
            + p.routing_delay
            + p.vc_delay
            + p.switch_delay
            + p.crossing_delay
            + p.credit_delay
            + p.packet)
    }

    /// Runs a trial.
    ///
    /// # Errors
    /// [`PacketError::Deadlock`] if nothing moves any more, [`PacketError::Invalid`] for a load outside of 0 to 1.
    pub fn run(&self, trial: &Trial) -> Result<Outcome, PacketError> {
        let mut engine = CycleEngine::new(self.setup(trial)?, trial.threads)?;
        drive(&mut engine, trial, self.parameters.packet, &|hops| self.zero_load_latency(hops), self.patience())
    }

    /// Runs a trial by the packet engine, on one thread. Results are those of [`Self::run`].
    ///
    /// # Errors
    /// As [`Self::run`]; [`PacketError::Invalid`] for switches that are not held for whole packets, and other properties
    /// that the engine lacks.
    pub fn run_by_packets(&self, trial: &Trial) -> Result<Outcome, PacketError> {
        let mut engine = events::PacketEngine::new(self.setup(trial)?)?;
        drive(&mut engine, trial, self.parameters.packet, &|hops| self.zero_load_latency(hops), self.patience())
    }

    fn setup(&self, trial: &Trial) -> Result<Setup, PacketError> {
        Ok(Setup {
            wiring: self.wiring.clone(),
            rule: self.rule.clone(),
            parameters: self.parameters.clone(),
            packets: PacketSource::drawn(trial.to.clone(), trial.load, self.parameters.packet, trial.process),
            seed: trial.seed,
            window: trial.window()?,
            log: false,
        })
    }
}

impl Trial {
    /// Returns the measured cycles.
    ///
    /// # Errors
    /// [`PacketError::Invalid`] for a load outside of 0 to 1, for no cycles or too many.
    pub(super) fn window(&self) -> Result<Window, PacketError> {
        if !(0.0..=1.0).contains(&self.load) {
            return Err(PacketError::invalid("load", self.load, "it must be from 0 to 1 flit for each host and cycle"));
        }
        check_cycles(self.warmup, self.measure)?;
        Ok(Window { from: self.warmup, until: self.warmup + self.measure })
    }
}

/// Checks the numbers of cycles of a run.
///
/// # Errors
/// [`PacketError::Invalid`] for no measured cycles, or too many in all.
pub(super) fn check_cycles(warmup: u32, measure: u32) -> Result<(), PacketError> {
    if measure == 0 || u64::from(warmup) + u64::from(measure) > u64::from(MAX_CYCLES / 4) {
        let rule = format!("warm-up and measured cycles must be from 1 to {} in all", MAX_CYCLES / 4);
        return Err(PacketError::invalid("measure", measure, rule));
    }
    Ok(())
}

impl Simulation for CycleEngine {
    fn cycle(&self) -> u32 {
        self.cycle()
    }

    fn run_to(&mut self, cycle: u32) -> Result<(), PacketError> {
        self.run_to(cycle)
    }

    fn counts(&self) -> Counts {
        self.counts()
    }

    fn is_drained(&self) -> bool {
        self.is_drained()
    }

    fn is_stuck(&self, cycles: u32) -> bool {
        self.is_stuck(cycles)
    }

    fn waiting(&self) -> String {
        self.waiting()
    }

    fn mean_age(&self) -> f64 {
        self.mean_age()
    }

    fn mean_lag(&self) -> f64 {
        self.mean_lag()
    }

    fn accepted(&self) -> Vec<u32> {
        self.accepted().collect()
    }

    fn arc_flits(&self) -> Vec<u32> {
        self.arc_flits()
    }
}

/// Runs an engine through warm-up and measured cycles, in latency mode until all measured packets have arrived.
///
/// `flits` are those of a packet, `zero_load` is the latency in cycles over a number of hops without other traffic, `patience` the number of cycles
/// without movement after which a run counts as stuck.
pub(super) fn drive(
    engine: &mut dyn Simulation,
    trial: &Trial,
    flits: u32,
    zero_load: &dyn Fn(f64) -> f64,
    patience: u32,
) -> Result<Outcome, PacketError> {
    let window = trial.window()?;
    let watch = |engine: &dyn Simulation| match engine.is_stuck(patience) {
        true => Err(PacketError::Deadlock { cycle: u64::from(engine.cycle()), waiting: engine.waiting() }),
        false => Ok(()),
    };
    let is_old = |engine: &dyn Simulation| {
        let counts = engine.counts();
        let hops = counts.window_hops as f64 / counts.window_packets.max(1) as f64;
        engine.mean_age() > 1000.0 + 10.0 * zero_load(hops)
    };
    // A run that is cut short has measured some cycles, from which the accepted traffic follows.
    let shortest = window.from.saturating_add(LOOK);
    let mut old = false;
    while engine.cycle() < window.until && !(old && engine.cycle() >= shortest) {
        engine.run_to((engine.cycle() + LOOK).min(window.until))?;
        watch(&*engine)?;
        old |= trial.mode == Mode::Latency && is_old(&*engine);
    }
    if trial.mode == Mode::Latency {
        // Once the measured cycles are over, the accepted traffic is known.
        let hosts = engine.accepted().len() as u32;
        // A host may have less to send than the busiest one, whose load is that of the run.
        let senders = (0..hosts).map(|host| trial.to.share(host)).sum::<f64>();
        let measured = engine.cycle().min(window.until) - window.from;
        let offered = trial.load * senders * f64::from(measured);
        // Four standard deviations of the number of packets that are drawn.
        let noise = 4.0 * (offered * f64::from(flits)).sqrt();
        let missing = CARRIED * offered - engine.counts().flits_accepted as f64;
        old |= missing > noise;
        if !old && missing > 0.0 {
            // Chance, or too high a load: hosts that cannot send all of it lag behind ever more, whatever was drawn.
            let (from, lag) = (engine.cycle(), engine.mean_lag());
            let last = window.until.saturating_mul(LONGER);
            while !old && engine.cycle() < last {
                engine.run_to((engine.cycle() + LOOK).min(last))?;
                watch(&*engine)?;
                old = is_old(&*engine);
            }
            old |= engine.mean_lag() - lag > (1.0 - CARRIED) * f64::from(engine.cycle() - from);
        }
        while !old && !engine.is_drained() {
            engine.run_to(engine.cycle() + DRAIN)?;
            watch(&*engine)?;
            old = is_old(&*engine) || engine.cycle() > window.until.saturating_mul(LONGER);
        }
    }
    Ok(outcome(&*engine, trial, window, old))
}

fn outcome(engine: &dyn Simulation, trial: &Trial, window: Window, old: bool) -> Outcome {
    let counts: Counts = engine.counts();
    let cycles = f64::from(engine.cycle().min(window.until).saturating_sub(window.from).max(1));
    let accepted: Vec<f64> = engine.accepted().iter().map(|&flits| f64::from(flits) / cycles).collect();
    let hosts = accepted.len() as f64;
    let (sum, squares) = (accepted.iter().sum::<f64>(), accepted.iter().map(|flits| flits * flits).sum::<f64>());
    let saturated = trial.mode == Mode::Latency && old;
    let timed = trial.mode == Mode::Latency && !saturated;
    let latency = &counts.latency;
    let arcs = engine.arc_flits();
    let quantile = |part| if timed { latency.quantile(part) } else { None };
    let mean_of = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
    Outcome {
        load: trial.load,
        seed: trial.seed,
        accepted: sum / hosts,
        accepted_least: accepted.iter().copied().fold(f64::INFINITY, f64::min),
        accepted_most: accepted.iter().copied().fold(0.0, f64::max),
        fairness: if squares > 0.0 { sum * sum / (hosts * squares) } else { 1.0 },
        saturated,
        latency_mean: latency.mean().filter(|_| timed),
        latency_p50: quantile(0.5),
        latency_p99: quantile(0.99),
        latency_p999: quantile(0.999),
        latency_max: timed.then(|| latency.largest()),
        network_latency_mean: mean_of(counts.arrived_at.wrapping_sub(counts.injected_at), latency.count())
            .filter(|_| timed),
        hops_mean: if timed {
            mean_of(counts.hops, latency.count())
        } else {
            mean_of(counts.window_hops, counts.window_packets)
        },
        hops_max: counts.most_hops,
        deflections_mean: None,
        packets: counts.created,
        packets_inside: counts.inside as f64 / cycles,
        cable_load_mean: counts.cable_flits as f64 / cycles / arcs.len().max(1) as f64,
        cable_load_max: arcs.iter().copied().max().map_or(0.0, |flits| f64::from(flits) / cycles),
        cycles: engine.cycle(),
        passages: counts.passages,
    }
}
