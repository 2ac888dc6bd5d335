//! Watches a replay: how long ranks are blocked on each pair of ranks, and on which pair longest.
//!
//! `cargo run --release --example own_observer`

use mopsim::engine::{Interest, Observer, Wakening, replay};
use mopsim::mpi::messages::Envelope;
use mopsim::mpi::rank_map::RankMap;
use mopsim::platform::{Platform, PlatformParameters};
use mopsim::study::choice::ModelChoice;
use mopsim::{topology, trace};
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

/// Seconds for which ranks were blocked, by source and destination of the message that they waited for.
#[derive(Debug, Default)]
pub struct Blocked {
    /// Envelopes of the messages, by number. Numbers are used again.
    envelopes: BTreeMap<u32, Envelope>,
    /// Seconds by pair of ranks.
    pub pairs: BTreeMap<(u32, u32), f64>,
}

impl Observer for Blocked {
    fn interest(&self) -> Interest {
        // States of links would cost time, and are not used here.
        Interest::Ranks
    }

    fn message_started(&mut self, message: u32, _poster: u32, envelope: Envelope, _bytes: u64, _date: f64) {
        self.envelopes.insert(message, envelope);
    }

    fn woken(&mut self, _rank: u32, wakening: Wakening) {
        if let Some(envelope) = self.envelopes.get(&wakening.message) {
            let pair = (envelope.source, envelope.destination);
            *self.pairs.entry(pair).or_default() += wakening.time - wakening.since;
        }
    }
}

/// Replays a trace under the observer.
pub fn blocked() -> Result<Blocked, Box<dyn Error>> {
    let trace = trace::read(Path::new("traces/cg.A.64.ti.zst"), &trace::Options::default())?;
    let parameters = PlatformParameters::default().check()?;
    let platform = Platform::from_topology(&topology::build("torus:4x4x4")?, &parameters, "dimension-order", 1)?;
    let (model, _) = ModelChoice::default().build()?;
    let mut blocked = Blocked::default();
    replay(&trace, &platform, &RankMap::one_each(trace.ranks()), &model, &mut blocked)?;
    Ok(blocked)
}

/// Prints the pairs that cost the most.
pub fn main() -> Result<(), Box<dyn Error>> {
    let mut pairs: Vec<((u32, u32), f64)> = blocked()?.pairs.into_iter().collect();
    pairs.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    for ((source, destination), seconds) in pairs.iter().take(5) {
        println!("messages from rank {source} to rank {destination}: a rank was blocked for {seconds:.6} s");
    }
    Ok(())
}
