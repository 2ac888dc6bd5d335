//! Replays a trace on a network and prints where the time goes.
//!
//! `cargo run --release --example replay`

use mopsim::engine::{Outcome, replay};
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::{Platform, PlatformParameters};
use mopsim::study::choice::ModelChoice;
use mopsim::{topology, trace};
use std::error::Error;
use std::path::Path;

/// Replays the trace on 64 hosts, one per rank.
pub fn outcome() -> Result<(Platform, Outcome), Box<dyn Error>> {
    let trace = trace::read(Path::new("traces/is.A.64.ti.zst"), &trace::Options::default())?;
    let torus = topology::build("torus:8x8")?;
    let parameters =
        PlatformParameters { link_bandwidth: Some("200 Gbit/s".parse()?), ..PlatformParameters::default() };
    let platform = Platform::from_topology(&torus, &parameters.check()?, "dimension-order", 1)?;
    // The defaults of the command line: network model ordered, exact sharing, collectives of MVAPICH2.
    let (model, _) = ModelChoice::default().build()?;
    let outcome = replay(&trace, &platform, &RankMap::one_each(trace.ranks()), &model, &mut ())?;
    Ok((platform, outcome))
}

/// Prints the result.
pub fn main() -> Result<(), Box<dyn Error>> {
    let (platform, outcome) = outcome()?;
    println!("{}: {:.6} s, {} messages", platform.name, outcome.simulated_seconds, outcome.messages);
    let mean = |time: fn(&mopsim::engine::RankTimes) -> f64| {
        outcome.ranks.iter().map(time).sum::<f64>() / outcome.ranks.len() as f64
    };
    println!(
        "mean per rank: {:.6} s computing, {:.6} s waiting for partners",
        mean(|r| r.compute),
        mean(|r| r.waiting)
    );
    for busy in outcome.busiest_links().iter().take(3) {
        let link = &platform.links[busy.link.index()];
        println!("link {}: {:.1} % of its capacity, {} bytes", link.name, 100.0 * busy.utilisation, busy.bytes);
    }
    Ok(())
}
