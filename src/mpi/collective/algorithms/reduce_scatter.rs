//! Reductions whose result is scattered; the count vector contains the number of elements of each member.

use super::allgather::exchange_by_distance;
use super::fold::{Fold, StandsOut};
use super::support::{chunk, others};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Every member sends every other its block, at increasing distance. MPICH (`reduce_scatter_intra_pairwise.c`).
pub static PAIRWISE: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "pairwise",
    simgrid: &["mpich_pair"],
    summary: "direct exchanges at increasing distance",
    steps: pairwise,
};

/// Every round halves the range of a member; nearest partner last. Open MPI's basic module
/// (`coll_base_reduce_scatter.c`, recursive halving).
pub static HALVING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "halving",
    simgrid: &["ompi_basic_recursivehalving"],
    summary: "recursive halving",
    steps: halving,
};

/// Blocks travel around the ring of ranks and are reduced on the way. Open MPI (`coll_base_reduce_scatter.c`, ring).
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "ring",
    simgrid: &["ompi_ring"],
    summary: "blocks travel around the ring of ranks and are reduced on the way",
    steps: ring,
};

/// Every round halves the range of a member, nearest partner first, so that in the end the blocks have to be swapped
/// into place. Träff 2005; Open MPI (`coll_base_reduce_scatter.c`, butterfly).
pub static BUTTERFLY: Algorithm = Algorithm {
    kind: Some(CollectiveKind::ReduceScatter),
    name: "butterfly",
    simgrid: &["ompi_butterfly"],
    summary: "recursive halving, nearest partner first, then blocks are swapped into place",
    steps: butterfly,
};

fn pairwise(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if scope.total_elements() == 0 {
        cursor.done = true;
        return;
    }
    exchange_by_distance(scope, cursor, |to| scope.bytes_of(to), steps);
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
        let elements = |from: u32, to: u32| scope.elements(first_block(fold, from), first_block(fold, to));
        let mut start = 0;
        let mut mask = fold.power >> 1;
        while mask > 0 {
            let partner = number ^ mask;
            let low = elements(start, start + mask);
            let high = elements(start + mask, start + 2 * mask);
            // If one direction is empty, the original exchanges nothing in either.
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
        // Unlike in an allreduce, the member that was left out gets only its own block, and no message for an empty
        // one.
        let even = scope.me & !1;
        let bytes = scope.bytes_of(even);
        if scope.elements(even, even + 1) > 0 {
            steps.push(if scope.me == even { Step::Recv { from: even + 1 } } else { Step::Send { to: even, bytes } });
        }
    }
}

/// Returns the first block of a number. One that represents a pair has two, adjacent in the count vector.
fn first_block(fold: Fold, number: u32) -> u32 {
    if number < fold.rest { 2 * number } else { number + fold.rest }
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (right, left) = (scope.after(scope.me, 1), scope.before(scope.me, 1));
    let others = others(scope);
    for round in chunk(cursor, others) {
        steps.push(Step::Irecv { from: left });
        if round > 0 {
            steps.push(Step::Wait { nth: 0 });
        }
        steps.push(Step::Send { to: right, bytes: scope.bytes_of(scope.before(left, round as u32)) });
        if round + 1 == others {
            steps.push(Step::Wait { nth: 0 });
        }
    }
}

fn butterfly(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let fold = Fold::new(scope, StandsOut::Even);
    let bytes = |from: u32, to: u32| {
        scope.elements(first_block(fold, from), first_block(fold, to)).saturating_mul(scope.stage.element)
    };
    fold.fold(scope.me, bytes(0, fold.power), steps);
    let bits = fold.power.trailing_zeros();
    // Final owner of each block: numbers with their bits reversed.
    let mirror = |number: u32| if bits == 0 { 0 } else { number.reverse_bits() >> (32 - bits) };
    let Some(number) = fold.number(scope.me) else {
        steps.push(Step::Recv { from: fold.member(mirror(scope.me / 2)) });
        return;
    };
    let (mut start, mut mask) = (0, 1);
    while mask < fold.power {
        let partner = fold.member(number ^ mask);
        let half = fold.power / (2 * mask);
        let (kept, sent) = if number & mask == 0 { (start, start + half) } else { (start + half, start) };
        scope.exchange(partner, bytes(sent, sent + half), partner, steps);
        start = kept;
        mask <<= 1;
    }
    let owner = mirror(number);
    let to = fold.member(owner);
    if owner < fold.rest {
        steps.push(Step::Send { to: to - 1, bytes: scope.bytes_of(2 * owner) });
    }
    scope.exchange(to, scope.bytes_of(to), to, steps);
}
