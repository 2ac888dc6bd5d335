//! Algorithms of Open MPI by number and name, and ours that send the same messages.

use crate::mpi::collective::Algorithm;
use crate::mpi::collective::algorithms::{
    allgather, allgather_rounds, allgatherv, allreduce, alltoall, alltoallv, barrier, bcast, bcast_pipeline,
    bcast_scatter, bcast_tree, doubling, gather, reduce, reduce_scatter, reduce_scatter_gather, reduce_tree, scan,
    scatter,
};
use crate::mpi::collective::select::composite;
use crate::mpi::collective::select::pick::{Composite, Pick};
use crate::mpi::collective::select::planner::Planner;
use crate::trace::CollectiveKind;

/// What a rule runs.
#[derive(Clone, Copy, Debug)]
pub(super) enum RuleChoice {
    /// The choice of the table of Open MPI (0, `ignore`).
    Table,
    /// This algorithm.
    Pick(Pick),
    /// The first one for a power of two of ranks, the second one for others.
    Power(Pick, Pick),
    /// This algorithm on two ranks; Open MPI fails on others.
    Two(Pick),
}

impl RuleChoice {
    /// Returns the algorithm, or `None` for that of the table, with a note if the rule means another one.
    pub fn pick(self, planner: &mut Planner<'_>) -> Option<Pick> {
        let ranks = planner.world().size();
        match self {
            Self::Table => None,
            Self::Pick(pick) => Some(pick),
            Self::Power(power, other) => Some(if ranks.is_power_of_two() { power } else { other }),
            Self::Two(pick) if ranks == 2 => Some(pick),
            Self::Two(_) => {
                planner.report(
                    "the rule file chooses an algorithm for two ranks, with which Open MPI fails on others; the choice \
                     of its table ran in its place",
                );
                None
            }
        }
    }

    /// Returns `true` if the fan-out of a rule is the number of chains, or a radix.
    pub fn has_fan_out(self) -> bool {
        let Self::Pick(Pick::Algorithm(algorithm)) = self else { return false };
        [&bcast_tree::CHAIN, &reduce_tree::CHAIN, &allgather_rounds::BRUCK_RADIX]
            .iter()
            .any(|has| std::ptr::eq(algorithm, *has))
    }

    /// Returns the algorithm with the fan-out of its rule: Bruck's has a radix, from 3 on another algorithm here.
    pub fn with_fan_out(self, fan_out: u64) -> Self {
        match self {
            Self::Pick(Pick::Algorithm(algorithm)) if fan_out > 2 && std::ptr::eq(algorithm, &allgather::BRUCK) => {
                one(&allgather_rounds::BRUCK_RADIX)
            }
            _ => self,
        }
    }
}

/// An algorithm of Open MPI: its name, and ours.
type Known = (&'static str, RuleChoice);

const fn one(algorithm: &'static Algorithm) -> RuleChoice {
    RuleChoice::Pick(Pick::Algorithm(algorithm))
}

const fn plan(composite: &'static Composite) -> RuleChoice {
    RuleChoice::Pick(Pick::Composite(composite))
}

const fn two(algorithm: &'static Algorithm) -> RuleChoice {
    RuleChoice::Two(Pick::Algorithm(algorithm))
}

/// Returns the algorithms of an operation by number, from 0 (Open MPI, `coll_tuned_*_decision.c`).
pub(super) fn of(kind: CollectiveKind) -> &'static [Known] {
    use CollectiveKind::*;
    match kind {
        Allgather => ALLGATHER,
        Allgatherv => ALLGATHERV,
        Allreduce => ALLREDUCE,
        Alltoall => ALLTOALL,
        Alltoallv => ALLTOALLV,
        Barrier => BARRIER,
        Bcast => BCAST,
        Gather => GATHER,
        Reduce => REDUCE,
        ReduceScatter => REDUCE_SCATTER,
        Scan => SCAN,
        Exscan => EXSCAN,
        Scatter => SCATTER,
        Gatherv | Scatterv => &[("ignore", RuleChoice::Table)],
    }
}

/// Returns the algorithm with a name of Open MPI, whose releases have changed a few.
pub(super) fn by_name(kind: CollectiveKind, name: &str) -> Option<RuleChoice> {
    let name = match (kind, name) {
        (CollectiveKind::Allgather, "bruck") => "bruck-k-fanout",
        _ => name,
    };
    of(kind).iter().find(|known| known.0 == name).map(|known| known.1)
}

const ALLGATHER: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("linear", plan(&composite::ALLGATHER_GATHER_BCAST)),
    ("bruck-k-fanout", one(&allgather::BRUCK)),
    (
        "recursive_doubling",
        RuleChoice::Power(Pick::Algorithm(&doubling::ALLGATHER), Pick::Algorithm(&allgather::BRUCK)),
    ),
    // Open MPI's ring is one of neighbours; SimGrid's selector has direct exchanges for it.
    ("ring", one(&allgather::NEIGHBOUR_RING)),
    ("neighbor", one(&allgather::NEIGHBOUR)),
    ("two_proc", two(&allgather::PAIR)),
    ("sparbit", one(&allgather_rounds::SPARBIT)),
    ("direct-messaging", one(&allgather::NONBLOCKING)),
];

const ALLGATHERV: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("default", plan(&composite::GATHER_BCAST)),
    ("bruck", one(&allgatherv::BRUCK)),
    ("ring", one(&allgatherv::RING)),
    ("neighbor", one(&allgatherv::NEIGHBOUR)),
    ("two_proc", two(&allgatherv::PAIR)),
    ("sparbit", one(&allgather_rounds::SPARBIT_V)),
];

const ALLREDUCE: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("basic_linear", plan(&composite::LINEAR)),
    ("nonoverlapping", plan(&composite::REDUCE_BCAST)),
    ("recursive_doubling", one(&allreduce::DOUBLING)),
    ("ring", plan(&composite::LR)),
    ("segmented_ring", plan(&composite::RING_SEGMENTED)),
    ("rabenseifner", one(&allreduce::RAB)),
    ("allgather_reduce", plan(&composite::ALLGATHER_REDUCE)),
];

const ALLTOALL: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("linear", one(&alltoall::LINEAR)),
    ("pairwise", one(&alltoall::RING)),
    ("modified_bruck", one(&alltoall::BRUCK)),
    ("linear_sync", one(&alltoall::LINEAR_SYNC)),
    ("two_proc", two(&alltoall::PAIR)),
];

const ALLTOALLV: &[Known] =
    &[("ignore", RuleChoice::Table), ("basic_linear", one(&alltoallv::LINEAR)), ("pairwise", one(&alltoallv::RING))];

const BARRIER: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("linear", one(&barrier::LINEAR)),
    ("double_ring", one(&barrier::DOUBLE_RING)),
    ("recursive_doubling", one(&barrier::PAIR)),
    ("bruck", one(&barrier::BRUCK)),
    ("two_proc", two(&barrier::PAIR)),
    ("tree", one(&barrier::TREE)),
];

const BCAST: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("basic_linear", one(&bcast_tree::LINEAR)),
    ("chain", one(&bcast_tree::CHAIN)),
    ("pipeline", one(&bcast_pipeline::PIPELINE)),
    ("split_binary_tree", plan(&composite::SPLIT_BINARY)),
    ("binary_tree", one(&bcast_tree::BINARY)),
    ("binomial", one(&bcast_tree::BINOMIAL)),
    ("knomial", one(&bcast::KNOMIAL)),
    ("scatter_allgather", one(&bcast_scatter::DOUBLING)),
    ("scatter_allgather_ring", one(&bcast_scatter::RING)),
];

const EXSCAN: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("linear", one(&scan::EXSCAN)),
    ("recursive_doubling", one(&scan::EXSCAN_DOUBLING)),
];

const GATHER: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("basic_linear", one(&gather::LINEAR)),
    ("binomial", one(&gather::BINOMIAL)),
    ("linear_sync", one(&gather::LINEAR_SYNC)),
];

const REDUCE: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("linear", one(&reduce::LINEAR)),
    ("chain", one(&reduce_tree::CHAIN)),
    ("pipeline", one(&reduce_tree::PIPELINE)),
    ("binary", one(&reduce_tree::BINARY)),
    ("binomial", one(&reduce_tree::BINOMIAL)),
    ("in-order_binary", one(&reduce_tree::IN_ORDER)),
    ("rabenseifner", one(&reduce_scatter_gather::SCATTER_GATHER)),
    ("knomial", one(&reduce::KNOMIAL)),
];

const REDUCE_SCATTER: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("non-overlapping", plan(&composite::REDUCE_SCATTERV)),
    ("recursive_halving", one(&reduce_scatter::HALVING)),
    ("ring", one(&reduce_scatter::RING)),
    ("butterfly", one(&reduce_scatter::BUTTERFLY)),
];

const SCAN: &[Known] =
    &[("ignore", RuleChoice::Table), ("linear", one(&scan::SCAN)), ("recursive_doubling", one(&scan::DOUBLING))];

const SCATTER: &[Known] = &[
    ("ignore", RuleChoice::Table),
    ("basic_linear", one(&scatter::LINEAR)),
    ("binomial", one(&scatter::BINOMIAL)),
    ("linear_nb", one(&scatter::LINEAR_NONBLOCKING)),
];
