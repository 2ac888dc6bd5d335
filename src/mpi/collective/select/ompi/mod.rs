//! Rules of Open MPI's tuned module (`coll_tuned_decision_fixed.c`).

pub(super) mod alltoall;
