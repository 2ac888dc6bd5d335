//! Operations of Open MPI by number and name.

use crate::trace::CollectiveKind;

/// Operations by their number in classic files (Open MPI, `coll_base_functions.h`). No trace has those without a kind, and
/// Open MPI has one algorithm for most of them.
pub(super) const OPERATIONS: [(&str, Option<CollectiveKind>); 22] = [
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

/// Returns the operation with a name of Open MPI, `Ok(None)` for one that no trace has.
pub(super) fn operation(name: &str) -> Option<Option<CollectiveKind>> {
    OPERATIONS.iter().find(|known| known.0 == name).map(|known| known.1)
}
