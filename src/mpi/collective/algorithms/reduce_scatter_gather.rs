//! Rabenseifner's reduction to a root for long vectors: halve the vector in every round, then gather the segments.

use super::fold::{Fold, Segments, StandsOut, Window, halve, join};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Source: MPICH (`reduce_intra_reduce_scatter_gather.c`); vectors with fewer elements than members are padded to one
/// element per member (empty ones send nothing), as SimGrid's MVAPICH2 does, unless remainders are spread.
pub static SCATTER_GATHER: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "scatter-gather",
    simgrid: &["scatter_gather"],
    summary: "reduce-scatter by halving vectors, then a binomial gather (Rabenseifner)",
    steps: scatter_gather,
};

fn scatter_gather(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    if scope.stage.count == 0 {
        return;
    }
    let (me, root) = (scope.me, scope.stage.root);
    let spread = scope.stage.tuning.spread;
    let count = if spread { scope.stage.count } else { scope.stage.count.max(u64::from(scope.size)) };
    let fold = Fold::new(scope, StandsOut::Odd);
    let segments = Segments::new(count, fold.power, spread);
    let bytes = |from: u32, to: u32| segments.elements(from, to).saturating_mul(scope.stage.element);

    if scope.size > 1 {
        fold.fold(me, bytes(0, fold.power), steps);
    }
    let mut place = fold.number(me).map(|number| {
        let window = halve(number, fold.power, |e| {
            let partner = fold.member(e.partner);
            scope.exchange(partner, bytes(e.from, e.to), partner, steps);
        });
        (number, window)
    });

    // A root that was left out takes the place, and the segment, of number 0.
    let root_stood_out = fold.number(root).is_none();
    let root_number = fold.number(root).unwrap_or(0);
    if root_stood_out {
        if me == root {
            steps.push(Step::Recv { from: 0 });
            place = Some((0, Window { start: 0, end: 1 }));
        } else if me == 0 {
            steps.push(Step::Send { to: root, bytes: bytes(0, 1) });
            place = None;
        }
    }

    let Some((number, mut window)) = place else { return };
    let mut mask = fold.power >> 1;
    while mask > 0 {
        let exchange = join(number, fold.power, mask, &mut window);
        let partner = if exchange.partner == 0 && root_stood_out { root } else { fold.member(exchange.partner) };
        // A member on the other side of this round from the root hands over its segments and is finished.
        if exchange.partner / mask == root_number / mask {
            steps.push(Step::Send { to: partner, bytes: bytes(exchange.from, exchange.to) });
            return;
        }
        steps.push(Step::Recv { from: partner });
        mask >>= 1;
    }
}
