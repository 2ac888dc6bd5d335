//! Builds a graph of one's own, measures it and replays a trace on it: the Petersen graph, 10 switches of degree 3 with two
//! hosts each.
//!
//! `cargo run --release --example own_topology`

use mopsim::engine::replay;
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::{HostsPerSwitch, Platform, PlatformParameters};
use mopsim::study::choice::ModelChoice;
use mopsim::survey::{Survey, SurveyOptions};
use mopsim::topology::{Graph, Topology};
use mopsim::workload::{Limits, catalogue};
use std::error::Error;
use std::sync::Arc;

/// The graph, under the name of a file that `mopsim::export` could write it into.
pub fn petersen() -> Result<Topology, Box<dyn Error>> {
    let outer = (0..5).map(|i| (i, (i + 1) % 5));
    let spokes = (0..5).map(|i| (i, i + 5));
    let inner = (0..5).map(|i| (i + 5, (i + 2) % 5 + 5));
    let cables = outer.chain(spokes).chain(inner).collect();
    Ok(Topology { spec: "petersen.edges".parse()?, graph: Arc::new(Graph::undirected(10, cables)?), rails: None })
}

/// Simulated seconds of an all-to-all benchmark on it.
pub fn seconds(topology: &Topology) -> Result<f64, Box<dyn Error>> {
    let parameters =
        PlatformParameters { hosts_per_switch: Some(HostsPerSwitch::Uniform(2)), ..PlatformParameters::default() };
    let platform = Platform::from_topology(topology, &parameters.check()?, "balanced", 1)?;
    let class = [("class".to_owned(), "S".to_owned())];
    let trace = catalogue::open("npb/is")?.instantiate(16, &class, &Limits::default())?.trace()?;
    let (model, _) = ModelChoice::default().build()?;
    Ok(replay(&trace, &platform, &RankMap::one_each(trace.ranks()), &model, &mut ())?.simulated_seconds)
}

/// Prints metrics and time.
pub fn main() -> Result<(), Box<dyn Error>> {
    let topology = petersen()?;
    let report = Survey::of(&topology, &SurveyOptions::default())?;
    println!("diameter {:?}, mean distance {:?}, bisection {:?}", report.diameter, report.aspl, report.bisection);
    println!("npb/is class S on 16 ranks: {:.6} s", seconds(&topology)?);
    Ok(())
}
