//! Cells of a comparison: a workload on a network.

use super::jobs::{Interference, MixError, MixSetup, Placed};
use super::network::NetworkUnderTest;
use super::steady::{Judge, Steady};
use super::workload::Workload;
use crate::engine::{Interest, Model, Observer, Outcome, replay, replay_until};
use crate::ids::Rank;
use crate::mpi::rank_map::RankMap;
use crate::printable::counted;
use crate::result::explain::{Explainer, Explanation};
use crate::trace::Trace;
use std::sync::Arc;

/// Result of a completed replay.
#[derive(Debug, Clone)]
pub struct CellResult {
    /// Outcome reported by the engine.
    pub outcome: Outcome,
    /// Millions of operations per simulated second; `None` if the operation count is unknown.
    pub mops: Option<f64>,
    /// Explanation of the time.
    pub explanation: Explanation,
    /// Interference between jobs, if there are several.
    pub jobs: Option<Interference>,
    /// Estimate from some iterations, if that was requested; the simulated seconds of `outcome` are then those of the
    /// whole run.
    pub steady: Option<Steady>,
    /// Number of hosts with ranks.
    pub hosts_used: usize,
    /// Cores that several ranks share, if there are any.
    pub crowded: Option<Crowded>,
    /// Name of the network and numbers of hosts that failed and that are left, if switches failed together with hosts.
    pub failed_hosts: Option<(String, [usize; 2])>,
}

/// Ranks that share cores, and compute more slowly for that.
#[derive(Debug, Clone, PartialEq)]
pub struct Crowded {
    /// Name of the network.
    pub network: String,
    /// Number of ranks on hosts that have fewer cores than ranks.
    pub ranks: usize,
    /// Number of cores of these hosts.
    pub cores: u64,
}

impl Crowded {
    /// Returns the ranks that share cores, if there are any.
    fn of(rank_map: &RankMap, network: &NetworkUnderTest) -> Option<Self> {
        let (mut ranks, mut cores) = (0, 0);
        for node in rank_map.nodes() {
            let own = network.platform.hosts[rank_map.host(Rank(node[0])).index()].cores;
            if node.len() > own as usize {
                (ranks, cores) = (ranks + node.len(), cores + u64::from(own));
            }
        }
        (ranks > 0).then(|| Self { network: network.info.name.clone(), ranks, cores })
    }
}

/// Beginning of the note on a replay that ran to its end although `until_steady` permitted an earlier one.
pub(super) const WHOLE_RUN: &str = "the whole run was replayed, and nothing extrapolated";

impl CellResult {
    /// Returns notes for readers of the result.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.outcome.substitutions.iter().map(|s| (*s).to_owned()).collect();
        if let Some(Steady::Whole(why)) = &self.steady {
            notes.push(format!("{WHOLE_RUN}: {why}"));
        }
        // Without rank and number, which depend on the network: a comparison repeats no note.
        if let Some(kind) = self.outcome.different_sizes {
            let name = kind.name();
            notes.push(format!(
                "the time may be wrong: the ranks pass different sizes to a collective ({name}); `mopsim trace check` says where"
            ));
        }
        let unmatched: u64 = self.outcome.unmatched_sends.iter().map(|u| u.1).sum();
        if let Some((envelope, ..)) = self.outcome.unmatched_sends.first() {
            let (source, destination, tag) = (envelope.source, envelope.destination, envelope.tag);
            let were = if unmatched == 1 { "message was" } else { "messages were" };
            let what = if tag < 0 {
                "inside a collective, whose root or counts differ between the ranks".to_owned()
            } else {
                format!("with tag {tag}")
            };
            notes.push(format!(
                "{unmatched} {were} sent and never received, the first from rank {source} to rank {destination} {what}"
            ));
        }
        if let Some(Crowded { network, ranks, cores }) = &self.crowded {
            let cores = counted(*cores, "core");
            notes.push(format!("on {network}, {ranks} ranks share {cores}, and compute more slowly for that"));
        }
        if let Some((network, [failed, left])) = &self.failed_hosts {
            let failed = counted(*failed as u64, "host");
            notes.push(format!(
                "on {network}, failed switches took {failed} along; ranks run on the {left} that are left"
            ));
        }
        notes
    }
}

/// Extent of an explanation in addition to the data of every replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explain {
    /// Nothing else.
    No,
    /// Saturated links and the critical path.
    Yes,
    /// Saturated links, the critical path, and the times of messages by size.
    WithSizes,
}

/// Places of the ranks of a workload on a network.
#[derive(Debug, Clone)]
pub enum CellRankMap {
    /// A workload that runs alone.
    Alone(RankMap),
    /// A workload that runs alone, with its actions converted to a graph, for a model that replays only graphs.
    Graph(RankMap, Arc<Trace>),
    /// Several jobs.
    Jobs(Placed),
}

impl CellRankMap {
    /// Returns the number of ranks that an observer sees, including those of background traffic.
    pub fn ranks(&self) -> usize {
        let traffic = match self {
            Self::Jobs(placed) => placed.traffic.iter().map(|traffic| traffic.ranks()).sum(),
            Self::Alone(_) | Self::Graph(..) => 0,
        };
        self.rank_map().ranks() as usize + traffic
    }

    /// Returns the places of the ranks of the workload's trace.
    pub fn rank_map(&self) -> &RankMap {
        match self {
            Self::Alone(rank_map) | Self::Graph(rank_map, _) | Self::Jobs(Placed { rank_map, .. }) => rank_map,
        }
    }
}

/// Replays a workload on a network under an observer, with the requested extent of an explanation; only until its time per
/// iteration is known within `until_steady` times that time, if this is a number.
///
/// # Errors
/// [`MixError`] from the engine; without a job for a workload that runs alone.
///
/// # Panics
/// If the place is for a workload of another kind.
pub fn run(
    workload: &Workload,
    network: &NetworkUnderTest,
    place: &CellRankMap,
    model: &Model,
    (explain, until_steady): (Explain, Option<f64>),
    observer: &mut dyn Observer,
) -> Result<CellResult, MixError> {
    let (trace, platform) = (&workload.trace, &network.platform);
    let mut jobs = None;
    let (known, mut steady) = match (until_steady, place) {
        (None, _) => (None, None),
        (Some(_), CellRankMap::Graph(..)) => {
            (None, Some(Steady::Whole("the model loggops replays graphs, which have no iterations".into())))
        }
        (Some(_), CellRankMap::Jobs(_)) => (None, Some(Steady::Whole("jobs are replayed as a whole".into()))),
        (Some(within), CellRankMap::Alone(_)) => match workload.iterations() {
            Ok(known) => (Some((known, within)), None),
            Err(why) => (None, Some(Steady::Whole(why.clone()))),
        },
    };
    let mut replayed = |observer: &mut dyn Observer| match (&workload.jobs, place, known) {
        (Some(mix), CellRankMap::Jobs(placed), _) => {
            let (outcome, interference) = MixSetup { mix, placed, platform, model }.run(observer)?;
            jobs = Some(interference);
            Ok(outcome)
        }
        (None, CellRankMap::Alone(rank_map), Some((known, within))) => {
            let judge = Judge::new(known, trace, platform, rank_map, within);
            let replayed = judge.decide(|stop| replay_until(trace, platform, rank_map, model, stop, observer));
            let (outcome, found) = replayed.map_err(|error| MixError { job: None, error })?;
            steady = Some(found);
            Ok(outcome)
        }
        (None, CellRankMap::Alone(rank_map), None) => {
            replay(trace, platform, rank_map, model, observer).map_err(|error| MixError { job: None, error })
        }
        (None, CellRankMap::Graph(rank_map, graph), _) => {
            replay(graph, platform, rank_map, model, observer).map_err(|error| MixError { job: None, error })
        }
        _ => panic!("a workload is placed as what it is"),
    };
    // The model `loggops` has no links, and reports no events.
    let explain = if model.network.loggops.is_some() { Explain::No } else { explain };
    let mut explainer =
        (explain != Explain::No).then(|| Explainer::new(place.ranks(), model.sharing, explain == Explain::WithSizes));
    let mut outcome = match &mut explainer {
        Some(explainer) if observer.interest() == Interest::Nothing && observer.counter().is_none() => {
            replayed(&mut explainer.watching)?
        }
        Some(explainer) => replayed(&mut (&mut explainer.watching, observer))?,
        None => replayed(observer)?,
    };
    let mut explanation = Explanation::new(&outcome, platform, explainer.as_ref());
    if let Some(Steady::Extrapolated(found)) = &steady {
        outcome.simulated_seconds = found.simulated_seconds;
    }
    let mops = workload
        .operations
        .filter(|_| outcome.simulated_seconds > 0.0)
        .map(|operations| operations / outcome.simulated_seconds / 1e6);
    if jobs.is_some() {
        // The longest chain of several jobs may be that of one that repeats, or of one that starts early.
        explanation.critical_path = None;
    }
    let crowded = Crowded::of(place.rank_map(), network);
    let counts = [platform.failed.len(), platform.hosts.len()];
    let failed_hosts = (counts[0] > 0).then(|| (network.info.name.clone(), counts));
    let hosts_used = place.rank_map().nodes().len();
    Ok(CellResult { outcome, mops, explanation, jobs, steady, hosts_used, crowded, failed_hosts })
}
