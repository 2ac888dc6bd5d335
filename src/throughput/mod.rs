//! Throughput of a network under synthetic traffic, at flow level: the results of cycle-accurate studies of some
//! hundred switches, for a million hosts.
//!
//! Everything is measured by *injection*: the traffic of every source, in units of a link's bandwidth, with the demands
//! of a pattern in proportion. The chain is
//!
//! 1. `demand`: equivalent flows are grouped into classes, for each rail if hosts have several ports ([`rails`]);
//! 2. [`paths`]: classes take one route each, split over all shortest paths, or divide as another rule does;
//! 3. [`load`]: the injection at which the first link is full (saturation), loads of links, and the rate of every flow
//!    if all share fairly ([`fill`]);
//! 4. `latency`: without load, and an estimate under load;
//! 5. [`bounds`]: values that no routing can exceed.
//!
//! Fair rates are those at full offered load: every source offers the full rate of its own link.
//!
//! A host that sends to itself uses its own link in both directions, as in BookSim; such flows are counted.
//!
//! ```
//! use mopsim::throughput::{Network, Speeds, ThroughputOptions, evaluate};
//! let topology = mopsim::topology::build("full_mesh:8")?;
//! let network = Network::new(topology, None, None, Speeds::default(), &Default::default())?;
//! let cell = evaluate(&network, "bit_complement", &["bfs".to_owned()], &ThroughputOptions::default())?.remove(0);
//! // Every pair of switches has a cable of its own.
//! assert_eq!(cell.saturation, Some(1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bounds;
pub mod carried;
pub(crate) mod demand;
mod divided;
mod error;
pub mod fill;
pub(crate) mod latency;
pub mod load;
mod network;
pub mod paths;
pub mod rails;
pub mod study;

pub use demand::{Class, Demand};
pub use error::ThroughputError;
pub use network::{Network, Speeds};

use crate::routing::seed_for;
use crate::steps::Steps;
use crate::traffic::{self, PatternInput};
use bounds::{Bounds, Wanted};
use latency::{LoadPoint, ZeroLoad};
use load::{Bottleneck, Distribution, FairShare, Loads};
use paths::RoutingRule;
use serde::Serialize;
use std::path::PathBuf;

/// Number of classes of the histogram of link loads.
pub const HISTOGRAM: usize = 20;

/// Options of a throughput question.
#[derive(Clone, PartialEq, Debug)]
pub struct ThroughputOptions {
    /// Seed of random patterns.
    pub seed: u64,
    /// Seed of random routings; see [`seed_for`] if `None`.
    pub routing_seed: Option<u64>,
    /// Choice of the bound over all paths.
    pub bound: Wanted,
    /// Allowed gap between the two values of a bound by flows and prices, relative to the lower one.
    pub gap: f64,
    /// Number of bottleneck links in the result.
    pub bottlenecks: usize,
    /// Table of the algorithms of collectives, for traces.
    pub collectives: String,
    /// Folder of relative file names in patterns.
    pub folder: PathBuf,
    /// Progress counter of routes and iterations.
    pub steps: Steps,
}

impl ThroughputOptions {
    /// Sets the bound over all paths, if given: a method, and the allowed gap between its two values.
    ///
    /// # Errors
    /// [`ThroughputError::Invalid`].
    pub fn bounded(self, bound: Option<&str>, gap: Option<f64>) -> Result<Self, ThroughputError> {
        let invalid = |parameter, value: String, rule: String| ThroughputError::Invalid { parameter, value, rule };
        let bound = match bound.map(|text| (text, text.parse::<Wanted>())) {
            None => self.bound,
            Some((_, Ok(bound))) => bound,
            Some((text, Err(rule))) => return Err(invalid("bound", format!("`{text}`"), rule)),
        };
        let gap = gap.unwrap_or(self.gap);
        if !(gap > 0.0 && gap < 1.0) {
            return Err(invalid("bound_gap", gap.to_string(), "it must be more than 0 and less than 1".into()));
        }
        Ok(Self { bound, gap, ..self })
    }
}

impl Default for ThroughputOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            routing_seed: None,
            bound: Wanted::Auto,
            gap: 0.01,
            bottlenecks: 5,
            collectives: "mvapich2".into(),
            folder: PathBuf::new(),
            steps: Steps::default(),
        }
    }
}

/// Answer for one network, one pattern and one routing.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Cell {
    /// Name of the network.
    pub network: String,
    /// The topology, with all its parameters.
    pub topology: String,
    /// The same, under the name that all verbs use for specifications.
    pub spec: String,
    /// Name of the family.
    pub family: &'static str,
    /// Seed of a random topology.
    pub topology_seed: Option<u64>,
    /// Traffic pattern, with its parameters.
    pub pattern: String,
    /// Seed of a random pattern.
    pub pattern_seed: Option<u64>,
    /// Name of the routing.
    pub routing: String,
    /// "static" or "adaptive".
    pub routing_kind: &'static str,
    /// Seed of a random routing.
    pub routing_seed: Option<u64>,
    /// Number of switches.
    pub switches: usize,
    /// Number of hosts that take part.
    pub endpoints: u32,
    /// The same, under the name that all verbs use for hosts.
    pub hosts: u32,
    /// Number of hosts that send.
    pub senders: u32,
    /// Number of flows between hosts.
    pub flows: u64,
    /// Number of flows from a host to itself, which `flows` includes.
    pub flows_to_self: u64,
    /// Injection at which the first link is full; `None` if none ever is.
    pub saturation: Option<f64>,
    /// Injection at which the first link between switches is full; `None` if none ever is.
    pub network_saturation: Option<f64>,
    /// Saturation in bytes per second and sending host.
    pub saturation_bytes_per_second: Option<f64>,
    /// Rates of flows if links are shared fairly; `None` if there are too many routes to keep.
    pub fair: Option<FairShare>,
    /// Fullest links.
    pub bottlenecks: Vec<Bottleneck>,
    /// Number of links with the largest load.
    pub fullest_links: usize,
    /// Loads of links at injection 1.
    pub link_load: Distribution,
    /// Number of links in each twentieth of the range from no load to the largest.
    pub link_load_histogram: Vec<u64>,
    /// Latency without load.
    pub zero_load: ZeroLoad,
    /// Estimated latency under load.
    pub load_latency: Vec<LoadPoint>,
    /// Description of the values in `load_latency`.
    pub load_latency_method: &'static str,
    /// Bounds that no routing can exceed.
    pub bounds: Bounds,
    /// Saturation over the lowest bound: a lower bound on the part of the topology's throughput that is reached.
    pub share_of_bound: Option<f64>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Remarks of the reader of the network's file.
    #[serde(skip)]
    pub remarks: Vec<String>,
}

/// Returns the answers for one network and one pattern, and each of some routings.
///
/// # Errors
/// [`ThroughputError`].
pub fn evaluate(
    network: &Network,
    pattern: &str,
    routings: &[String],
    options: &ThroughputOptions,
) -> Result<Vec<Cell>, ThroughputError> {
    let setting = PatternInput {
        host_switch: &network.host_switch,
        topology: &network.topology,
        seed: options.seed,
        folder: &options.folder,
        collectives: &options.collectives,
    };
    let traffic = traffic::build(pattern, &setting)?;
    // Classes that distinguish hosts are more numerous, and only some rules need them.
    let mut demands = [None, None, None];
    let mut bounds: Option<Bounds> = None;
    let mut cells = Vec::with_capacity(routings.len());
    for routing in routings {
        let rule = RoutingRule::new(routing, network, seed_for(options.routing_seed, &network.topology))?;
        let demand = match &mut demands[rule.scope as usize] {
            Some(demand) => &*demand,
            unknown => &*unknown.insert(Demand::new(network, &traffic, rule.scope)?),
        };
        let carried = paths::carry(network, &rule, demand, &options.steps)?;
        let loads = Loads::new(network, demand, &carried);
        let bounds = match &bounds {
            Some(bounds) => bounds,
            None => {
                // Along shortest paths the loads themselves are the demands times distances.
                let hops = rule.shortest.then(|| carried.arcs.iter().sum());
                bounds.insert(bounds::bounds(network, demand, hops, options.bound, options.gap, &options.steps)?)
            }
        };
        let fair = load::levels(network, demand, &carried);
        let zero_load = latency::zero_load(network, demand, &carried);
        let finite = |value: f64| value.is_finite().then_some(value);
        let mut notes: Vec<String> = traffic.flows.note().into_iter().collect();
        notes.extend(rule.remark.map(str::to_owned));
        if fair.is_none() {
            notes.push(format!("fair rates are left out: more than {} entries of routes", carried::MAX_ENTRIES));
        }
        cells.push(Cell {
            network: network.name.clone(),
            topology: network.topology.name(),
            spec: network.topology.name(),
            family: network.topology.spec.family().name,
            topology_seed: network.topology.seed(),
            pattern: traffic.name.clone(),
            pattern_seed: traffic.seed,
            routing: rule.name.clone(),
            routing_kind: rule.nature,
            routing_seed: rule.seed,
            switches: network.topology.graph.switch_vertices(),
            endpoints: network.endpoints(),
            hosts: network.endpoints(),
            senders: demand.senders,
            flows: demand.flows,
            flows_to_self: demand.to_self,
            saturation: finite(loads.saturation),
            network_saturation: finite(loads.network_saturation),
            saturation_bytes_per_second: finite(loads.saturation * network.speeds.link),
            fair: fair.map(|fair| load::fair_share(network, demand, &fair)),
            bottlenecks: loads.bottlenecks(network, options.bottlenecks),
            fullest_links: loads.fullest,
            link_load: loads.distribution,
            link_load_histogram: loads.histogram(HISTOGRAM),
            load_latency: latency::curve(network, demand, &loads, &zero_load),
            load_latency_method: latency::FORMULA,
            zero_load,
            share_of_bound: finite(bounds.upper()).map(|upper| (loads.saturation / upper).min(1.0)),
            bounds: bounds.clone(),
            notes,
            remarks: network.topology.remarks(),
        });
    }
    Ok(cells)
}
