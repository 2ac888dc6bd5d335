//! Conditions of a sweep: what all its runs have in common, whatever the network, the routing and the pattern.

use super::parameters::{Parameters, Switching};
use super::run::Mode;
use super::runs::Runs;
use super::source::Process;

/// Conditions of a sweep.
#[derive(Clone, PartialEq, Debug)]
pub struct Conditions {
    /// Offered loads, in ascending order.
    pub loads: Vec<f64>,
    /// Seeds of hosts and routing.
    pub seeds: Vec<u64>,
    /// `true` for the engine that moves whole packets,
    /// [`PacketNetwork::run_by_packets`](super::run::PacketNetwork::run_by_packets).
    pub by_packets: bool,
    /// Condition for the end of a run.
    pub mode: Mode,
    /// Process that creates packets.
    pub process: Process,
    /// Warm-up cycles, before the measured ones.
    pub warmup: u32,
    /// Measured cycles.
    pub measure: u32,
    /// `true` to find the saturation of each series, and the accepted traffic at full load.
    pub saturation: bool,
    /// `true` to run rules that can deadlock.
    pub allow_deadlock: bool,
    /// Virtual channels; `None`: the number that each rule needs, and at least
    /// [`DEFAULT_VCS`](super::routing::DEFAULT_VCS).
    pub vcs: Option<u32>,
    /// Condition for a packet to take a virtual channel; `None`: that of each rule.
    pub switching: Option<Switching>,
    /// Delays and buffers.
    pub parameters: Parameters,
}

impl Conditions {
    /// Returns the runs of each series.
    pub fn runs(&self) -> Runs {
        Runs { loads: self.loads.clone(), seeds: self.seeds.clone(), mode: self.mode, saturation: self.saturation }
    }
}
