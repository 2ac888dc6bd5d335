//! Reductions whose result every member gets.

use super::fold::{Exchange, Fold, Segments, StandsOut, halve, join};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Recursive doubling of whole vectors. MPICH (`allreduce_intra_recursive_doubling.c`).
pub static DOUBLING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allreduce),
    name: "rdb",
    simgrid: &[],
    summary: "recursive doubling of whole vectors",
    steps: doubling,
};

/// Rabenseifner: halve the vector in every round, then collect it again. Vectors with fewer elements than members use
/// [`DOUBLING`]; empty ones send nothing. MVAPICH2 (`allreduce_osu.c`, reduce-scatter then allgather).
pub static SCATTER: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allreduce),
    name: "rs",
    simgrid: &["mvapich2_rs"],
    summary: "reduce-scatter by halving vectors, then allgather (Rabenseifner)",
    steps: scatter,
};

/// As [`SCATTER`] without its exceptions: where there are fewer elements than members, most messages are empty.
/// Open MPI and MPICH (`coll_base_allreduce.c`, Rabenseifner; `allreduce_intra_reduce_scatter_allgather.c`).
pub static RAB: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allreduce),
    name: "rab-rdb",
    simgrid: &["rab_rdb"],
    summary: "as rs, also for vectors of few elements",
    steps: halve_and_double,
};

fn doubling(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let fold = Fold::new(scope, StandsOut::Even);
    fold.fold(scope.me, scope.bytes(), steps);
    if let Some(number) = fold.number(scope.me) {
        let mut mask = 1;
        while mask < fold.power {
            let partner = fold.member(number ^ mask);
            scope.exchange(partner, scope.bytes(), partner, steps);
            mask <<= 1;
        }
    }
    fold.unfold(scope.me, scope.bytes(), steps);
}

fn scatter(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if scope.stage.count == 0 {
        cursor.done = true;
        return;
    }
    if scope.stage.count < u64::from(scope.power()) {
        doubling(scope, cursor, steps);
        return;
    }
    halve_and_double(scope, cursor, steps);
}

fn halve_and_double(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let fold = Fold::new(scope, StandsOut::Even);
    fold.fold(scope.me, scope.bytes(), steps);
    if let Some(number) = fold.number(scope.me) {
        let segments = Segments::new(scope.stage.count, fold.power, scope.stage.tuning.spread);
        let mut exchange = |e: Exchange| {
            let partner = fold.member(e.partner);
            scope.exchange(partner, segments.elements(e.from, e.to) * scope.stage.element, partner, steps);
        };
        let mut window = halve(number, fold.power, &mut exchange);
        let mut mask = fold.power >> 1;
        while mask > 0 {
            exchange(join(number, fold.power, mask, &mut window));
            mask >>= 1;
        }
    }
    fold.unfold(scope.me, scope.bytes(), steps);
}
