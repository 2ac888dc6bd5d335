//! Traffic of a program: the messages between the ranks of a trace, collectives included.
//!
//! The trace is replayed on a network without contention, and every message is counted. Rank r is host r.

use super::arguments::PatternArguments;
use super::matrix::Sparse;
use super::{Flows, PatternInput, TrafficError};
use crate::engine::{Model, Observer, ReplayError, replay};
use crate::mpi::collective::Selector;
use crate::mpi::collective::select::Table;
use crate::mpi::messages::Envelope;
use crate::mpi::rank_map::RankMap;
use crate::platform::uncontended;
use crate::trace::{Trace, ti};
use hashbrown::HashMap;

/// Bytes from rank to rank.
#[derive(Default)]
struct VolumeCounter(HashMap<(u32, u32), u64>);

impl Observer for VolumeCounter {
    fn message_started(&mut self, _: u32, _: u32, envelope: Envelope, bytes: u64, _: f64) {
        *self.0.entry((envelope.source, envelope.destination)).or_default() += bytes;
    }
}

/// Source, destination, and bytes from one to the other in a whole run.
pub type Sent = (u32, u32, u64);

/// Returns the bytes between the ranks of a trace, pair by pair in rising order, with collectives by a table, and the
/// number of pairs with messages that are never received.
///
/// # Errors
/// [`ReplayError`] if the trace cannot be replayed.
pub fn sent(trace: &Trace, table: Table) -> Result<(Vec<Sent>, usize), ReplayError> {
    // No contention: only the amounts between pairs matter.
    let ranks = trace.ranks();
    let model = Model::exact(Selector::new(table, false));
    let mut counter = VolumeCounter::default();
    let outcome = replay(trace, &uncontended(ranks), &RankMap::one_each(ranks), &model, &mut counter)?;
    let mut triples: Vec<_> = counter.0.into_iter().map(|((from, to), bytes)| (from, to, bytes)).collect();
    triples.sort_unstable();
    Ok((triples, outcome.unmatched_sends.len()))
}

pub(super) fn build(
    arguments: &PatternArguments<'_>,
    setting: &PatternInput<'_>,
) -> Result<Box<dyn Flows>, TrafficError> {
    let Some(path) = arguments.text("path") else {
        return Err(arguments.invalid("the name of the trace is missing, e.g. trace:lu.ti"));
    };
    let trace = ti::read(&setting.folder.join(path), &ti::Options::default())
        .map_err(|error| TrafficError::Trace(Box::new(error)))?;
    let (ranks, hosts) = (trace.ranks(), setting.endpoints());
    if ranks > hosts as usize {
        let rule = format!("a host for each of the {ranks} ranks");
        return Err(TrafficError::WrongHosts { pattern: arguments.canonical(), rule, hosts });
    }
    let failed = |reason: String| TrafficError::Replay { trace: path.into(), reason };
    let table = Table::from_name(setting.collectives).ok_or_else(|| {
        let names = Table::ALL.map(Table::name).join(", ");
        failed(format!("there is no table of collectives `{}`; the tables are {names}", setting.collectives))
    })?;
    let (bytes, unmatched) = sent(&trace, table).map_err(|error| failed(error.to_string()))?;
    let triples: Vec<_> = bytes.into_iter().map(|(from, to, bytes)| (from, to, bytes as f64)).collect();
    let bytes: f64 = triples.iter().map(|triple| triple.2).sum();
    let mut note = format!(
        "{ranks} ranks send {bytes:.4e} bytes in all, collectives by {}; the busiest one sends all it can",
        setting.collectives
    );
    if unmatched > 0 {
        note += &format!("; between {unmatched} pairs messages are never received");
    }
    trace.warnings.iter().for_each(|warning| note += &format!("; {warning}"));
    let matrix = Sparse::new(hosts, triples, Some(note)).ok_or_else(|| failed("no rank sends anything".into()))?;
    Ok(Box::new(matrix))
}
