//! Reductions whose result is scattered; member i gets as many elements as the count vector says.

use super::fold::{Fold, StandsOut};
use super::support::{chunk, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Everybody sends everybody its block, at increasing distance. MPICH (`reduce_scatter_intra_pairwise.c`).
pub static PAIRWISE: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "pairwise",
    summary: "direct exchanges at increasing distance",
    steps: pairwise,
};

/// Every round halves what a member is responsible for; nearest partner last. Open MPI's basic module
/// (`coll_base_reduce_scatter.c`, recursive halving).
pub static HALVING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "halving",
    summary: "recursive halving",
    steps: halving,
};

fn pairwise(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    for i in chunk(cursor, others(scope)) {
        let distance = i as u32 + 1;
        let (to, from) = (scope.after(scope.me, distance), scope.before(scope.me, distance));
        scope.exchange(to, scope.bytes_of(to), from, steps);
    }
}

fn halving(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let total = scope.total_elements();
    if total == 0 {
        return;
    }
    let element = scope.stage.element;
    let fold = Fold::new(scope, StandsOut::Even);
    fold.fold(scope.me, total.saturating_mul(element), steps);
    if let Some(number) = fold.number(scope.me) {
        // A number that stands for a pair is responsible for both blocks; they are neighbours in the count vector.
        let end = |number: u32| if number < fold.rest { 2 * number } else { number + fold.rest };
        let elements = |from: u32, to: u32| scope.elements(end(from), end(to));
        let mut start = 0;
        let mut mask = fold.power >> 1;
        while mask > 0 {
            let partner = number ^ mask;
            let low = elements(start, start + mask);
            let high = elements(start + mask, start + 2 * mask);
            // Where one direction would be empty, the original exchanges nothing in either.
            if low > 0 && high > 0 {
                let sent = if number < partner { high } else { low };
                let to = fold.member(partner);
                let bytes = sent.saturating_mul(element);
                steps.extend([Step::Irecv { from: to }, Step::Send { to, bytes }, Step::WaitAll]);
            }
            if number > partner {
                start += mask;
            }
            mask >>= 1;
        }
    }
    if fold.paired(scope.me) {
        // Unlike in an allreduce, the one who stood out gets only its own block, and no message for an empty one.
        let even = scope.me & !1;
        let bytes = scope.bytes_of(even);
        if scope.elements(even, even + 1) > 0 {
            steps.push(if scope.me == even { Step::Recv { from: even + 1 } } else { Step::Send { to: even, bytes } });
        }
    }
}
