//! Which algorithm a collective runs: the tables of MPI libraries, as SimGrid 3.32 transcribes them.
//!
//! One file or folder per library ([`Table`]); in a folder, one file per operation. A library's decision is a function
//! that looks the call up and appends the [`Stage`]s which one rank goes through. Most plans have one stage on the
//! world communicator; those that know which ranks share a host have several, on the node and among its leaders.

mod composite;
mod default;
mod listing;
mod mpich;
mod mvapich2;
mod ompi;
mod overrides;
mod planner;
mod rule;
mod setup;
mod table;
#[cfg(test)]
mod tests;

pub use composite::{COMPOSITES, Composite};
pub use listing::{Entry, Listing, list};
pub use overrides::{Choice, OverrideError};
pub use rule::{Rule, Span};
pub use setup::SmpKnown;

use super::Stage;
use crate::mpi::layout::Layout;
use crate::trace::{CollectiveCall, CollectiveKind};
use planner::Planner;

/// An MPI library, or what stands in for one.
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
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Default, Self::Mvapich2, Self::Ompi, Self::Mpich];

    /// Name, as the command line uses it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Mvapich2 => "mvapich2",
            Self::Ompi => "ompi",
            Self::Mpich => "mpich",
        }
    }

    /// The table with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// Something that runs differently from what the library's table says, and that a user should hear of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Substitution {
    /// The operation.
    pub kind: CollectiveKind,
    /// What was replaced by what, and why: one sentence.
    pub text: &'static str,
}

/// What there is to say about a choice.
#[derive(Clone, Copy, Default, Debug)]
pub struct Explanation {
    /// What runs differently from the library's table, if anything.
    pub substitution: Option<Substitution>,
    /// The rule of the table that applied, if the table has rules for the operation.
    pub rule: Option<Rule>,
    /// The name of what was chosen, if it is one algorithm or combination with a name; plans of several levels have
    /// none.
    pub name: Option<&'static str>,
}

/// Chooses algorithms. Cheap to copy; the same for all ranks of a run.
#[derive(Clone, Copy, Debug)]
pub struct Selector {
    table: Table,
    smp_setup: bool,
    overrides: [Option<Choice>; CollectiveKind::ALL.len()],
}

impl Selector {
    /// A selector that follows `table`. With `smp_setup`, the first collective that needs to know which ranks share a
    /// host exchanges the messages that find it out, as SimGrid does; without, it is known from the start.
    pub fn new(table: Table, smp_setup: bool) -> Self {
        Self { table, smp_setup, overrides: [None; CollectiveKind::ALL.len()] }
    }

    /// The library that is followed where nothing else is said.
    pub fn table(&self) -> Table {
        self.table
    }

    /// Makes one operation run a named algorithm, or follow another library's table.
    ///
    /// An algorithm runs on the world communicator with the arguments of the call, whatever its size. Operations that
    /// plans use inside nodes are not affected; those that an algorithm leaves to the selector (the broadcast in an
    /// allreduce by reduction and broadcast, say) are. Names are our own or SimGrid's.
    ///
    /// ```
    /// # use mopsim::mpi::collective::{Selector, select::Table};
    /// # use mopsim::trace::CollectiveKind;
    /// let selector = Selector::new(Table::Mvapich2, false);
    /// assert!(selector.with_override(CollectiveKind::Allreduce, "rdb").is_ok());
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

    /// What was said about an operation by [`Selector::with_override`].
    pub fn override_of(&self, kind: CollectiveKind) -> Option<Choice> {
        self.overrides[kind as usize]
    }

    /// Appends the stages that `rank` goes through for `call`. `counts` holds the count vectors of the trace, which the
    /// call points into. `smp` is the rank's memory over the whole run.
    ///
    /// The root of the call must be a rank of the layout, and all ranks must come with the same operation, root and
    /// sizes (or those that MPI asks to agree); otherwise their plans do not fit together.
    pub fn plan(
        &self,
        call: &CollectiveCall,
        counts: &[u32],
        layout: &Layout,
        rank: u32,
        smp: &mut SmpKnown,
        stages: &mut Vec<Stage>,
    ) -> Option<Substitution> {
        self.explain(call, counts, layout, rank, smp, stages).substitution
    }

    /// [`Selector::plan`], with what people want to know about the choice.
    pub fn explain(
        &self,
        call: &CollectiveCall,
        counts: &[u32],
        layout: &Layout,
        rank: u32,
        smp: &mut SmpKnown,
        stages: &mut Vec<Stage>,
    ) -> Explanation {
        let mut planner = Planner::new(self, call, counts, layout, rank, smp, stages);
        self.choose(&mut planner);
        planner.explanation()
    }

    /// Plans the operation that the planner is at.
    fn choose(&self, planner: &mut Planner<'_>) {
        match self.override_of(planner.kind) {
            Some(Choice::Algorithm(algorithm)) => planner.one_level(algorithm),
            Some(Choice::Composite(composite)) => planner.combine(composite),
            Some(Choice::Table(table)) => follow(table, planner),
            None => follow(self.table, planner),
        }
    }
}

fn follow(table: Table, planner: &mut Planner<'_>) {
    match table {
        Table::Default => default::plan(planner),
        Table::Mvapich2 => mvapich2::plan(planner),
        Table::Ompi => ompi::plan(planner),
        Table::Mpich => mpich::plan(planner),
    }
}
