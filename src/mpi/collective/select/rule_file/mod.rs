//! Rule files of Open MPI's tuned module (`coll_tuned_dynamic_rules_filename`): which algorithm, with which segments, for
//! a number of ranks and a message size.
//!
//! Both forms are read: the classic one of numbers, versions 1 and 2 (Open MPI 1.x to 5), and JSON (Open MPI 6). What a
//! file leaves open is chosen by the table of Open MPI. Source: Open MPI, "The tuned component" in its documentation, and
//! `coll_tuned_dynamic_file.c`.

mod algorithms;
mod classic;
mod json;
mod operations;
mod rules;
#[cfg(test)]
mod tests;

use super::planner::Planner;
use super::rule::{Span, TableRule};
use crate::mpi::collective::Tuning;
use crate::trace::CollectiveKind;
use rules::{RankRule, Spread};

pub use rules::{RuleFile, RuleFileError};

impl RuleFile {
    /// Reads the text of a rule file, classic or JSON.
    ///
    /// # Errors
    /// [`RuleFileError`] at the first place that breaks a rule of the format. Open MPI ignores such a file without a word.
    pub fn parse(text: &str) -> Result<Self, RuleFileError> {
        if text.trim_start().starts_with('{') { json::parse(text) } else { classic::parse(text) }
    }

    /// Plans the current operation by the first rule that applies; returns `false` if that is none, or one that leaves
    /// the choice to the table.
    pub(super) fn plan(&self, planner: &mut Planner<'_>) -> bool {
        let view = planner.world();
        let (ranks, hosts) = (u64::from(view.size()), u64::from(view.nodes()));
        let applies = |rule: &&RankRule| {
            let spread = match rule.spread {
                Spread::Any => true,
                Spread::OnePerHost => hosts == ranks,
                Spread::OneHost => hosts == 1,
            };
            spread && (rule.ranks.0..=rule.ranks.1).contains(&ranks)
        };
        let Some(of_ranks) = self.operations[planner.kind as usize].iter().find(applies) else { return false };
        let bytes = message_size(planner);
        let Some(rule) = of_ranks.sizes.iter().find(|rule| (rule.bytes.0..=rule.bytes.1).contains(&bytes)) else {
            return false;
        };
        let Some(pick) = rule.run.pick(planner) else { return false };
        planner.applied(TableRule { ranks: span(of_ranks.ranks), size: span(rule.bytes), note: "rule file" });
        planner.tuning = rule.tuning;
        planner.run(pick);
        planner.tuning = Tuning::default();
        true
    }
}

fn span((from, to): (u64, u64)) -> Span {
    Span { from: (from > 0).then_some(from), to: to.checked_add(1), closed: false }
}

/// Returns the bytes by which a rule is looked up, as Open MPI 4 and 5 define them for each operation. Open MPI 6 looks up
/// `allgatherv` by the mean block instead.
fn message_size(planner: &Planner<'_>) -> u64 {
    use CollectiveKind::*;
    let ranks = planner.world().size();
    let block = planner.block();
    match planner.kind {
        Barrier | Alltoallv => 0,
        Allgather | Alltoall | Gather | Scatter => block.times(ranks).bytes(),
        Allgatherv | ReduceScatter => planner.total_received().saturating_mul(block.element),
        Scan | Exscan => block.element.saturating_mul(u64::from(ranks)),
        Bcast | Reduce | Allreduce | Gatherv | Scatterv => block.bytes(),
    }
}
