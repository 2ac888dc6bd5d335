//! Rule files of Open MPI's tuned module (`coll_tuned_dynamic_rules_filename`): which algorithm, with which segments, for
//! a number of ranks and a message size.
//!
//! Both forms are read: the classic one of numbers, versions 1 and 2 (Open MPI 1.x to 5), and JSON (Open MPI 6). What a
//! file leaves open is chosen by the table of Open MPI. Source: Open MPI, "The tuned component" in its documentation, and
//! `coll_tuned_dynamic_file.c`.

mod algorithms;
mod classic;
mod json;
#[cfg(test)]
mod tests;

use super::pick::Pick;
use super::planner::Planner;
use super::rule::{Rule, Span};
use crate::mpi::collective::Tuning;
use crate::trace::CollectiveKind;
use algorithms::Run;
use std::num::NonZeroU32;

/// A broken rule in a rule file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct RuleFileError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The value, and what is wrong with it.
    pub message: String,
}

/// Rules of a file, by operation.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// Rules for each operation of [`CollectiveKind::ALL`], in the order of the file.
    operations: Vec<Vec<RankRule>>,
}

/// Rules for a range of numbers of ranks.
#[derive(Clone, Debug)]
struct RankRule {
    /// Smallest and largest number of ranks.
    ranks: (u64, u64),
    spread: Spread,
    sizes: Vec<SizeRule>,
}

/// Placement of ranks on hosts that a rule asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spread {
    Any,
    OnePerHost,
    OneHost,
}

/// Algorithm for a range of message sizes.
#[derive(Clone, Copy, Debug)]
struct SizeRule {
    /// Smallest and largest message in bytes.
    bytes: (u64, u64),
    run: Run,
    tuning: Tuning,
}

/// Values that follow the algorithm in a rule.
#[derive(Clone, Copy, Debug, Default)]
struct Parameters {
    /// Number of chains, or radix (`topo`, `faninout`).
    fan_out: u64,
    /// Bytes of a segment; 0: messages are not cut.
    segment: u64,
    /// Exchanges that are under way at a time; 0: all.
    requests: u64,
}

impl Parameters {
    fn tuning(self, run: Run) -> Tuning {
        let segment = match self.segment {
            0 => Tuning::WHOLE,
            bytes => u32::try_from(bytes).ok().and_then(NonZeroU32::new).unwrap_or(Tuning::WHOLE),
        };
        let width = if run.has_fan_out() { self.fan_out.max(1) } else { self.requests };
        Tuning { segment: Some(segment), width: u16::try_from(width).unwrap_or(u16::MAX), spread: false }
    }
}

impl RuleFile {
    /// Reads the text of a rule file, classic or JSON.
    ///
    /// # Errors
    /// [`RuleFileError`] at the first place that breaks a rule of the format. Open MPI ignores such a file without a word.
    pub fn parse(text: &str) -> Result<Self, RuleFileError> {
        if text.trim_start().starts_with('{') { json::parse(text) } else { classic::parse(text) }
    }

    fn empty() -> Self {
        Self { operations: vec![Vec::new(); CollectiveKind::ALL.len()] }
    }

    /// Returns the number of rules of all operations.
    pub fn len(&self) -> usize {
        self.operations.iter().flatten().map(|ranks| ranks.sizes.len()).sum()
    }

    /// Returns `true` if no operation has a rule.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        planner.applied(Rule { ranks: span(of_ranks.ranks), size: span(rule.bytes), note: "rule file" });
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

/// Returns the beginning of a text that a message quotes.
fn quoted(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns the operation with a name of Open MPI, `Ok(None)` for one that no trace has.
fn operation(name: &str) -> Option<Option<CollectiveKind>> {
    OPERATIONS.iter().find(|known| known.0 == name).map(|known| known.1)
}

/// Operations by their number in classic files (Open MPI, `coll_base_functions.h`). No trace has those without a kind, and
/// Open MPI has one algorithm for most of them.
const OPERATIONS: [(&str, Option<CollectiveKind>); 22] = [
    ("allgather", Some(CollectiveKind::Allgather)),
    ("allgatherv", Some(CollectiveKind::Allgatherv)),
    ("allreduce", Some(CollectiveKind::Allreduce)),
    ("alltoall", Some(CollectiveKind::Alltoall)),
    ("alltoallv", Some(CollectiveKind::Alltoallv)),
    ("alltoallw", None),
    ("barrier", Some(CollectiveKind::Barrier)),
    ("bcast", Some(CollectiveKind::Bcast)),
    ("exscan", Some(CollectiveKind::Exscan)),
    ("gather", Some(CollectiveKind::Gather)),
    ("gatherv", Some(CollectiveKind::Gatherv)),
    ("reduce", Some(CollectiveKind::Reduce)),
    ("reduce_scatter", Some(CollectiveKind::ReduceScatter)),
    ("reduce_scatter_block", None),
    ("scan", Some(CollectiveKind::Scan)),
    ("scatter", Some(CollectiveKind::Scatter)),
    ("scatterv", Some(CollectiveKind::Scatterv)),
    ("neighbor_allgather", None),
    ("neighbor_allgatherv", None),
    ("neighbor_alltoall", None),
    ("neighbor_alltoallv", None),
    ("neighbor_alltoallw", None),
];
