//! Bounds that no routing can exceed: the topology's own throughput, and quick bounds above it.
//!
//! All values are injections: traffic sent by every source, in units of a link's bandwidth, if all demands grow in
//! proportion.
//!
//! - **Host links**: capacity over the largest traffic that a host sends or receives at injection 1.
//! - **Path length**: a unit of demand from s to t uses at least d(s,t) units of capacity, so injection times the sum of
//!   demands times distances is at most the sum of capacities (the bound of S. Jyothi and others, 2016, and A. Singla and
//!   others, High Throughput Data Center Topology Design, 2014, section 4).
//! - **Cuts**: injection times the demand across a cut is at most the capacity of the cut. Candidates: each switch
//!   alone, and halves found by METIS.
//! - **Maximum concurrent flow** (F. Shahrokhi and D. Matula, The Maximum Concurrent Flow Problem, 1990): the best that any routing
//!   can do, messages split over any paths; a linear program ([`lp`]), or enclosed between a flow and a price of links ([`flow`]).

pub mod flow;
pub mod lp;
mod problem;

pub use problem::{Concurrent, Problem};

use super::rails::NetworkPlane;
use super::{Demand, Network, ThroughputError};
use crate::ids::SwitchId;
use crate::memory;
use crate::platform::Duplex;
use crate::steps::Steps;
use crate::topology::hops::{FAR, distances};
use crate::topology::metrics::bisection::{self, Counting};
use rayon::prelude::*;
use serde::Serialize;

/// Largest work (sources times arcs) of a search of distances.
const MAX_DISTANCE_WORK: u64 = 1 << 34;
/// Largest number of arcs for which METIS computes halves.
const MAX_METIS_ARCS: usize = 1_000_000;
/// Number of seeds of METIS.
const METIS_SEEDS: usize = 5;

/// Choice of the bound over all paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wanted {
    /// The linear program if it takes seconds; otherwise none.
    #[default]
    Auto,
    /// None, only the quick ones.
    Quick,
    /// The linear program, however long it takes.
    Lp,
    /// A flow and link prices that enclose the value.
    Flow,
}

impl Wanted {
    /// Names, in the order of the values.
    pub const NAMES: [(&'static str, Wanted); 4] =
        [("auto", Wanted::Auto), ("quick", Wanted::Quick), ("lp", Wanted::Lp), ("flow", Wanted::Flow)];
}

impl std::str::FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Self::NAMES.map(|(name, _)| name).join(", ");
        let found = Self::NAMES.iter().find(|(name, _)| *name == text);
        found.map(|&(_, wanted)| wanted).ok_or_else(|| format!("there is no such bound; there are {names}"))
    }
}

/// Bounds of a topology under some traffic. `None` if a bound does not exist, or would take too long.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Bounds {
    /// By the links of hosts.
    pub host_links: Option<f64>,
    /// By sums of distances.
    pub path_length: Option<f64>,
    /// By cuts around single switches and halves.
    pub cut: Option<f64>,
    /// `true` if that cut is a bisection.
    pub cut_is_bisection: bool,
    /// Over all paths between switches.
    pub concurrent: Option<Concurrent>,
}

impl Bounds {
    /// Returns the lowest bound, which no routing exceeds; infinite if there is none.
    pub fn upper(&self) -> f64 {
        let concurrent = self.concurrent.as_ref().map(|concurrent| concurrent.upper);
        [self.host_links, self.path_length, self.cut, concurrent].into_iter().flatten().fold(f64::INFINITY, f64::min)
    }

    /// Returns a value that some routing reaches; `None` if that is unknown.
    pub fn lower(&self) -> Option<f64> {
        let hosts = self.host_links.unwrap_or(f64::INFINITY);
        self.concurrent.as_ref().map(|concurrent| concurrent.lower.min(hosts))
    }
}

/// Computes the bounds. `hop_demand` is the sum of demands times distances, if it is known already; `gap` is the
/// allowed gap between the two values of [`Wanted::Flow`], relative to the lower one.
///
/// # Errors
/// [`ThroughputError`] if there is no path between two switches, or if a linear program is not solved.
pub fn bounds(
    network: &Network,
    demand: &Demand,
    hop_demand: Option<f64>,
    wanted: Wanted,
    gap: f64,
    steps: &Steps,
) -> Result<Bounds, ThroughputError> {
    let host = demand.host_saturation(network);
    let mut bounds = Bounds { host_links: host.is_finite().then_some(host), ..Bounds::default() };
    let problem = Problem::new(network, demand);
    if problem.is_empty() {
        return Ok(bounds);
    }
    let hop_demand = match hop_demand {
        Some(known) => Some(known),
        None => hops(network, &problem)?,
    };
    bounds.path_length = hop_demand.map(|hops| network.links as f64 / hops);
    let alone = around_switches(network, &problem);
    let halves = halves(network, &problem);
    bounds.cut = Some(alone.min(halves.unwrap_or(f64::INFINITY)));
    bounds.cut_is_bisection = halves.is_some_and(|halves| halves <= alone);
    let problem = problem.with_fewer_sources();
    let solve = |problem: &Problem| {
        let refusal = memory::refuse_program(lp::size(problem));
        let solved = refusal.map_or_else(|| lp::solve(problem), Err);
        solved.map_err(|reason| ThroughputError::Solver { topology: network.name.clone(), reason })
    };
    bounds.concurrent = match wanted {
        Wanted::Quick => None,
        Wanted::Auto if lp::size(&problem) > lp::QUICK => None,
        Wanted::Auto | Wanted::Lp => Some(solve(&problem)?),
        Wanted::Flow => Some(flow::enclose(&problem, gap, steps)),
    };
    Ok(bounds)
}

/// Returns the sum of demands times distances; `None` if that would take too long.
fn hops(network: &Network, problem: &Problem) -> Result<Option<f64>, ThroughputError> {
    let graph = &network.topology.graph;
    if problem.rows.len() as u64 * graph.arcs() as u64 > MAX_DISTANCE_WORK {
        return Ok(None);
    }
    let pairs = problem.turned();
    let groups: Vec<&[(u32, u32, f64)]> = pairs.chunk_by(|a, b| a.0 == b.0).collect();
    let sums: Vec<Result<f64, ThroughputError>> = groups
        .par_iter()
        .map(|group| {
            let (distance, _) = distances(graph, SwitchId(group[0].0));
            group.iter().try_fold(0.0, |sum, &(to, from, demand)| match distance[from as usize] {
                FAR => Err(ThroughputError::Disconnected { topology: network.name.clone(), from, to }),
                hops => Ok(sum + demand * f64::from(hops)),
            })
        })
        .collect();
    sums.into_iter().try_fold(0.0, |sum, of_one| Ok(sum + of_one?)).map(Some)
}

/// Returns the lowest bound by the links out of and into one switch.
fn around_switches(network: &Network, problem: &Problem) -> f64 {
    let (mut sent, mut received) = (vec![0.0; problem.switches], vec![0.0; problem.switches]);
    for (from, row) in &problem.rows {
        for &(to, demand) in row {
            sent[*from as usize] += demand;
            received[to as usize] += demand;
        }
    }
    let shared = network.speeds.duplex == Duplex::Shared && !network.topology.graph.is_directed();
    let graph = &network.topology.graph;
    let bound = |switch: usize| {
        let id = SwitchId(switch as u32);
        let (out, into) = (graph.out_degree(id) as f64, graph.in_degree(id) as f64);
        if shared { out / (sent[switch] + received[switch]) } else { (out / sent[switch]).min(into / received[switch]) }
    };
    // A switch without traffic divides by zero, which is no bound.
    (0..problem.switches).map(bound).filter(|bound| !bound.is_nan()).fold(f64::INFINITY, f64::min)
}

/// Returns the bound by halves of the planes; `None` for networks that are too large for METIS, or too small to halve.
fn halves(network: &Network, problem: &Problem) -> Option<f64> {
    let of = |plane: &NetworkPlane| half(network, problem, plane);
    network.planes.iter().filter_map(of).reduce(f64::min)
}

fn half(network: &Network, problem: &Problem, plane: &NetworkPlane) -> Option<f64> {
    let graph = &plane.topology.graph;
    if graph.arcs() > MAX_METIS_ARCS || graph.switches() < 2 {
        return None;
    }
    let halved = bisection::best(graph, Counting::Arcs, METIS_SEEDS).side;
    // `None` for the switches of other planes.
    let side = |switch: u32| halved.get(switch.checked_sub(plane.first_switch)? as usize).copied();
    // By direction: from the one half to the other, or back.
    let (mut capacity, mut demand) = ([0.0; 2], [0.0; 2]);
    for &(tail, head) in &problem.arcs {
        if let (Some(from), Some(to)) = (side(tail), side(head))
            && from != to
        {
            capacity[usize::from(from)] += 1.0;
        }
    }
    for (from, row) in &problem.rows {
        let Some(from) = side(*from) else { continue };
        for &(to, amount) in row {
            if side(to).is_some_and(|to| to != from) {
                demand[usize::from(from)] += amount;
            }
        }
    }
    let bound = if network.speeds.duplex == Duplex::Shared && !graph.is_directed() {
        capacity[0] / (demand[0] + demand[1])
    } else {
        (capacity[0] / demand[0]).min(capacity[1] / demand[1])
    };
    (!bound.is_nan()).then_some(bound)
}
