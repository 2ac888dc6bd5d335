//! One cell of a comparison: a workload on a network.

use super::jobs::{Interference, MixError, Placed, Setting};
use super::network::NetworkUnderTest;
use super::workload::Workload;
use crate::engine::{Interest, Model, Observer, Outcome, replay};
use crate::mpi::layout::Layout;
use crate::result::explain::{Explainer, Explanation};
use crate::trace::Trace;
use std::sync::Arc;

/// A replay that came to its end.
#[derive(Debug, Clone)]
pub struct CellResult {
    /// What the engine found.
    pub outcome: Outcome,
    /// Millions of operations per simulated second; `None` where the operation count is unknown.
    pub mops: Option<f64>,
    /// Why it takes as long as it does.
    pub explanation: Explanation,
    /// What the jobs cost each other, where there are several.
    pub jobs: Option<Interference>,
}

impl CellResult {
    /// What the reader of the result should know.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.outcome.substitutions.iter().map(|s| (*s).to_owned()).collect();
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
        notes
    }
}

/// Extent of an explanation besides what every replay has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Explain {
    /// Nothing.
    No,
    /// Full links and the critical path.
    Yes,
    /// Also the times of messages by their size.
    WithSizes,
}

/// Where the ranks of a workload are on a network.
#[derive(Debug, Clone)]
pub enum Place {
    /// Those of a workload that runs alone.
    Alone(Layout),
    /// The same, with the list of its actions as a graph, for a model that replays nothing else.
    Graph(Layout, Arc<Trace>),
    /// Those of several jobs.
    Jobs(Placed),
}

impl Place {
    /// Number of ranks that an observer sees, those of background traffic included.
    pub fn ranks(&self) -> usize {
        let traffic = match self {
            Self::Jobs(placed) => placed.traffic.iter().map(|traffic| traffic.ranks()).sum(),
            Self::Alone(_) | Self::Graph(..) => 0,
        };
        self.layout().ranks() as usize + traffic
    }

    /// Where the ranks of the workload's trace are.
    pub fn layout(&self) -> &Layout {
        match self {
            Self::Alone(layout) | Self::Graph(layout, _) | Self::Jobs(Placed { layout, .. }) => layout,
        }
    }
}

/// Replays a workload on a network under an observer, and finds as much of an explanation as is asked for.
///
/// # Errors
/// [`MixError`], as the engine gives it; of a workload that runs alone there is no job to name.
///
/// # Panics
/// If the place is that of a workload of another kind.
pub fn run(
    workload: &Workload,
    network: &NetworkUnderTest,
    place: &Place,
    model: &Model,
    explain: Explain,
    observer: &mut dyn Observer,
) -> Result<CellResult, MixError> {
    let (trace, platform) = (&workload.trace, &network.platform);
    let mut jobs = None;
    let mut replayed = |observer: &mut dyn Observer| match (&workload.jobs, place) {
        (Some(mix), Place::Jobs(placed)) => {
            let (outcome, interference) = Setting { mix, placed, platform, model }.run(observer)?;
            jobs = Some(interference);
            Ok(outcome)
        }
        (None, Place::Alone(layout)) => {
            replay(trace, platform, layout, model, observer).map_err(|error| MixError { job: None, error })
        }
        (None, Place::Graph(layout, graph)) => {
            replay(graph, platform, layout, model, observer).map_err(|error| MixError { job: None, error })
        }
        _ => panic!("a workload is placed as what it is"),
    };
    // The model loggops has no links, and reports nothing of what happens on the way.
    let explain = if model.network.loggops.is_some() { Explain::No } else { explain };
    let mut explainer =
        (explain != Explain::No).then(|| Explainer::new(place.ranks(), model.sharing, explain == Explain::WithSizes));
    let outcome = match &mut explainer {
        Some(explainer) if observer.interest() == Interest::Nothing && observer.counter().is_none() => {
            replayed(&mut explainer.watching)?
        }
        Some(explainer) => replayed(&mut (&mut explainer.watching, observer))?,
        None => replayed(observer)?,
    };
    let mops = workload
        .operations
        .filter(|_| outcome.simulated_seconds > 0.0)
        .map(|operations| operations / outcome.simulated_seconds / 1e6);
    let mut explanation = Explanation::new(&outcome, platform, explainer.as_ref());
    if jobs.is_some() {
        // The longest chain of several jobs may be that of one that repeats, or of one that starts early.
        explanation.critical_path = None;
    }
    Ok(CellResult { outcome, mops, explanation, jobs })
}
