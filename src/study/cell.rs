//! One cell of a comparison: a workload on a network.

use super::network::NetworkUnderTest;
use super::workload::Workload;
use crate::engine::{Interest, Model, Observer, Outcome, ReplayError, replay};
use crate::mpi::layout::Layout;
use crate::result::explain::{Explainer, Explanation};

/// A replay that came to its end.
#[derive(Debug, Clone)]
pub struct CellResult {
    /// What the engine found.
    pub outcome: Outcome,
    /// Millions of operations per simulated second; `None` where the operation count is unknown.
    pub mops: Option<f64>,
    /// Why it takes as long as it does.
    pub explanation: Explanation,
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

/// Replays a workload on a network under an observer. With `explain`, full links and the critical path are found as
/// well.
///
/// # Errors
/// [`ReplayError`], as the engine gives it.
pub fn run(
    workload: &Workload,
    network: &NetworkUnderTest,
    layout: &Layout,
    model: &Model,
    explain: bool,
    observer: &mut dyn Observer,
) -> Result<CellResult, ReplayError> {
    let (trace, platform) = (&workload.trace, &network.platform);
    let mut explainer = explain.then(|| Explainer::new(trace.ranks(), model.sharing));
    let outcome = match &mut explainer {
        Some(explainer) if observer.interest() == Interest::Nothing => {
            replay(trace, platform, layout, model, &mut explainer.watching)?
        }
        Some(explainer) => replay(trace, platform, layout, model, &mut (&mut explainer.watching, observer))?,
        None => replay(trace, platform, layout, model, observer)?,
    };
    let mops = workload
        .operations
        .filter(|_| outcome.simulated_seconds > 0.0)
        .map(|operations| operations / outcome.simulated_seconds / 1e6);
    let explanation = Explanation::new(&outcome, platform, explainer.as_ref());
    Ok(CellResult { outcome, mops, explanation })
}
