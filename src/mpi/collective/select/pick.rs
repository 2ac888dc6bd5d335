//! Entries of tables: an algorithm, or a combination of several.

use super::planner::Planner;
use crate::mpi::collective::Algorithm;
use crate::trace::CollectiveKind;

/// Algorithm that is a plan.
#[derive(Debug)]
pub struct Composite {
    /// Operation it performs.
    pub kind: CollectiveKind,
    /// Name, as `--collective KIND=NAME` and listings use it.
    pub name: &'static str,
    /// SimGrid's names.
    pub simgrid: &'static [&'static str],
    /// One-line description for users.
    pub summary: &'static str,
    pub(super) plan: fn(&mut Planner<'_>),
}

/// Entry of a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick {
    /// One algorithm on the world communicator.
    Algorithm(&'static Algorithm),
    /// Combination of algorithms.
    Composite(&'static Composite),
}
