//! Selection of the algorithm of a collective: the tables of MPI libraries, as SimGrid 3.32 transcribes them, and that of
//! MPICH 4, from its own sources.
//!
//! One file or folder per library ([`Table`]); in a folder, one file per operation. A library's decision is a function
//! that looks the call up and appends the [`Stage`]s of one rank. Most plans have one stage on the world communicator;
//! node-aware ones have several, on the node and among its leaders.

mod composite;
mod default;
mod explanation;
mod known;
mod listing;
mod mpich;
mod mpich4;
mod mvapich2;
mod ompi;
mod overrides;
mod pick;
mod planner;
mod rule;
mod rule_file;
mod setup;
mod table;
#[cfg(test)]
mod tests;

pub use composite::COMPOSITES;
pub use explanation::{Explanation, Substitution};
pub use known::SmpKnown;
pub use listing::{Entry, Listing, list};
pub use overrides::{Choice, OverrideError};
pub use pick::Composite;
pub use rule::{Span, TableRule};
pub use rule_file::{RuleFile, RuleFileError};

use super::Stage;
use crate::mpi::rank_map::RankMap;
use crate::trace::{CollectiveCall, CollectiveKind};
use planner::{Choose, Planner};
use std::sync::Arc;

/// MPI library, or a substitute for one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Table {
    /// SimGrid's own defaults: mostly linear, non-blocking algorithms.
    Default,
    /// MVAPICH2 1.9: tables by size and number of ranks, and node-aware algorithms.
    Mvapich2,
    /// Open MPI's tuned module, version 4: tables by size and number of ranks.
    Ompi,
    /// MPICH 3: few rules by size, and node-aware broadcasts and reductions.
    Mpich,
    /// MPICH 4 with ch4: rules by size, for each communicator and for the hosts with several ranks.
    Mpich4,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 5] = [Self::Default, Self::Mvapich2, Self::Ompi, Self::Mpich, Self::Mpich4];

    /// Name, as the command line uses it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Mvapich2 => "mvapich2",
            Self::Ompi => "ompi",
            Self::Mpich => "mpich",
            Self::Mpich4 => "mpich4",
        }
    }

    /// Returns the table with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// Chooses algorithms. Cheap to clone; the same for all ranks of a run.
#[derive(Clone, Debug)]
pub struct Selector {
    table: Table,
    smp_setup: bool,
    overrides: [Option<Choice>; CollectiveKind::ALL.len()],
    rules: Option<Arc<RuleFile>>,
}

impl Selector {
    /// Creates a selector that follows `table`. With `smp_setup`, the first collective that needs the node structure
    /// exchanges the messages to discover it, as SimGrid does; otherwise it is known from the start.
    pub fn new(table: Table, smp_setup: bool) -> Self {
        Self { table, smp_setup, overrides: [None; CollectiveKind::ALL.len()], rules: None }
    }

    /// Returns the library that is followed by default.
    pub fn table(&self) -> Table {
        self.table
    }

    /// Makes one operation run a named algorithm, or follow another library's table.
    ///
    /// An algorithm runs on the world communicator with the arguments of the call, whatever its size. Operations that
    /// plans use inside nodes are not affected; those that an algorithm leaves to the selector (e.g. the broadcast in
    /// an allreduce by reduction and broadcast) are. Names are our own or SimGrid's.
    ///
    /// ```
    /// # use mopsim::mpi::collective::{Selector, select::Table};
    /// # use mopsim::trace::CollectiveKind;
    /// let selector = Selector::new(Table::Mvapich2, false);
    /// assert!(selector.clone().with_override(CollectiveKind::Allreduce, "rdb").is_ok());
    /// let error = selector.with_override(CollectiveKind::Alltoall, "brook").unwrap_err();
    /// assert!(error.to_string().contains("bruck"));
    /// ```
    ///
    /// # Errors
    /// If the operation has no algorithm of that name and there is no such table.
    pub fn with_override(mut self, kind: CollectiveKind, name: &str) -> Result<Self, OverrideError> {
        self.overrides[kind as usize] = Some(Choice::find(kind, name)?);
        Ok(self)
    }

    /// Asks the rules of a file before the table.
    pub fn with_rules(mut self, rules: Arc<RuleFile>) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Returns the override of an operation by [`Selector::with_override`].
    pub fn override_of(&self, kind: CollectiveKind) -> Option<Choice> {
        self.overrides[kind as usize]
    }

    /// Appends the stages of `rank` for `call`. `counts` holds the count vectors of the trace, which the call points
    /// into. `smp` is the rank's knowledge over the whole run.
    ///
    /// The root of the call must be in `rank_map`, and all ranks must pass the same operation, root and sizes
    /// (or those that MPI requires to agree); otherwise their plans do not fit together.
    pub fn plan(
        &self,
        call: &CollectiveCall,
        counts: &[u32],
        rank_map: &RankMap,
        rank: u32,
        smp: &mut SmpKnown,
        stages: &mut Vec<Stage>,
    ) -> Option<Substitution> {
        self.explain(call, counts, rank_map, rank, smp, stages).substitution
    }

    /// Runs [`Selector::plan`] and explains the choice.
    pub fn explain(
        &self,
        call: &CollectiveCall,
        counts: &[u32],
        rank_map: &RankMap,
        rank: u32,
        smp: &mut SmpKnown,
        stages: &mut Vec<Stage>,
    ) -> Explanation {
        let mut planner = Planner::new(self, call, counts, rank_map, rank, smp, stages);
        self.choose(&mut planner);
        planner.explanation()
    }
}

impl Choose for Selector {
    fn choose(&self, planner: &mut Planner<'_>) {
        match self.override_of(planner.kind) {
            Some(Choice::Algorithm(algorithm)) => planner.one_level(algorithm),
            Some(Choice::Composite(composite)) => planner.combine(composite),
            Some(Choice::Table(table)) => follow(table, planner),
            None => {
                if !self.rules.as_ref().is_some_and(|rules| rules.plan(planner)) {
                    follow(self.table, planner);
                }
            }
        }
    }

    fn has_setup(&self) -> bool {
        self.smp_setup
    }
}

fn follow(table: Table, planner: &mut Planner<'_>) {
    match table {
        Table::Default => default::plan(planner),
        Table::Mvapich2 => mvapich2::plan(planner),
        Table::Ompi => ompi::plan(planner),
        Table::Mpich => mpich::plan(planner),
        Table::Mpich4 => mpich4::plan(planner),
    }
}
