//! Traffic patterns: destinations of each host, and an entry of the table of patterns.

use super::arguments::PatternArguments;
use super::error::TrafficError;
use crate::topology::Topology;

/// Every source sends equally to every host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evenly {
    /// Number of hosts.
    pub endpoints: u32,
    /// `true` if a source is among its own destinations.
    pub with_self: bool,
}

/// Destinations of each host. Hosts are numbered from 0, switch by switch.
pub trait Flows: Send + Sync {
    /// Calls `visit` with each destination of a source, and with its positive share of the source's traffic. A
    /// destination may occur twice. The shares of the busiest source add up to 1; a source without traffic has none.
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64));

    /// Returns `Some` if every source sends to every host alike, so that pairs need not be visited.
    fn evenly(&self) -> Option<Evenly> {
        None
    }

    /// Returns a remark for readers of the result, as the end of a sentence.
    fn note(&self) -> Option<String> {
        None
    }
}

/// Pattern on a number of hosts.
pub struct Traffic {
    /// Pattern as requested, with everything needed to rebuild it.
    pub name: String,
    /// Seed, for patterns that are random.
    pub seed: Option<u64>,
    /// Number of hosts that take part: the first ones.
    pub endpoints: u32,
    /// Destinations of each host.
    pub flows: Box<dyn Flows>,
}

impl std::fmt::Debug for Traffic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Traffic").field("name", &self.name).field("endpoints", &self.endpoints).finish_non_exhaustive()
    }
}

/// Input of a pattern besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct PatternInput<'a> {
    /// Switch of each host that takes part.
    pub host_switch: &'a [u32],
    /// Switches and cables of the network.
    pub topology: &'a Topology,
    /// Seed of random patterns that have none of their own.
    pub seed: u64,
    /// Folder of relative file names.
    pub folder: &'a std::path::Path,
    /// Table of the algorithms of collectives, for traces.
    pub collectives: &'a str,
}

impl<'a> PatternInput<'a> {
    /// Returns the input of a pattern on a network, with seed 1, files of the working folder, and the default table of
    /// collectives.
    pub fn new(topology: &'a Topology, host_switch: &'a [u32]) -> Self {
        Self { host_switch, topology, seed: 1, folder: std::path::Path::new(""), collectives: "mvapich2" }
    }

    /// Returns the number of hosts that take part.
    pub fn endpoints(&self) -> u32 {
        self.host_switch.len() as u32
    }
}

/// Function that builds a pattern.
pub(super) type Build = fn(&PatternArguments<'_>, &PatternInput<'_>) -> Result<Box<dyn Flows>, TrafficError>;

/// Entry of the table of patterns.
#[derive(Clone, Copy, Debug)]
pub struct PatternKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// Parameters, in the order in which unnamed values fill them.
    pub parameters: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// `true` if it depends on a seed, which a report then has to state.
    pub random: bool,
    pub(super) build: Build,
}

/// Permutation, or any other pattern in which a source has one destination.
pub(super) struct Each<F>(pub(super) F);

impl<F: Fn(u32) -> u32 + Send + Sync> Flows for Each<F> {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        visit((self.0)(source), 1.0);
    }
}
