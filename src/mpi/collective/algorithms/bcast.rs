//! Broadcasts that send the whole message along a tree.

use super::tree::Tree;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Binomial tree, the farthest child first. MPICH (`bcast_intra_binomial.c`).
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "binomial",
    simgrid: &["binomial_tree"],
    summary: "binomial tree, farthest child first",
    steps: binomial,
};

/// Tree of degree 4; children of a level are served simultaneously. MVAPICH2 (`bcast_osu.c`, k-nomial).
pub static KNOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "knomial",
    simgrid: &["mvapich2_knomial_intra_node"],
    summary: "tree of degree 4; a member sends to the (up to three) children of a level at once",
    steps: knomial,
};

/// Binomial trees over blocks whose size is the number of ranks per host: among the first ranks of the blocks, then in
/// each block. Starts at rank 0. The stage's vector contains the numbers of ranks on the nodes, all equal. SimGrid
/// (`bcast-SMP-binomial.cpp`).
pub static SMP_BINOMIAL: Algorithm = Algorithm {
    kind: None,
    name: "smp-binomial",
    simgrid: &["SMP_binomial"],
    summary: "binomial tree among the first ranks of the hosts, then on each host",
    steps: smp_binomial,
};

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let v = scope.number();
    let top = receive_in_tree(scope, v, 1, steps);
    let mut mask = top >> 1;
    while mask > 0 {
        if u64::from(v) + u64::from(mask) < u64::from(scope.size) {
            steps.push(Step::Send { to: scope.member(v + mask), bytes: scope.bytes() });
        }
        mask >>= 1;
    }
}

fn knomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let v = scope.number();
    let mut mask = receive_in_tree(scope, v, 2, steps) >> 2;
    while mask > 0 {
        let before = steps.len();
        for j in 1..4 {
            if u64::from(v) + u64::from(mask * j) < u64::from(scope.size) {
                steps.push(Step::Isend { to: scope.member(v + mask * j), bytes: scope.bytes() });
            }
        }
        if steps.len() > before {
            steps.push(Step::WaitAll);
        }
        mask >>= 2;
    }
}

/// Makes every member but the root receive from its parent in the tree of degree `2^bits`. Returns the level (a power
/// of the degree) of that receive; for the root, the first level above the tree.
fn receive_in_tree(scope: &Scope<'_>, v: u32, bits: u32, steps: &mut Vec<Step>) -> u32 {
    let mut mask: u64 = 1;
    while mask < u64::from(scope.size) {
        let next = mask << bits;
        if u64::from(v) % next != 0 {
            let parent = u64::from(v) / next * next;
            steps.push(Step::Recv { from: scope.member(parent as u32) });
            break;
        }
        mask = next;
    }
    // A size near the limit of 32 bits would need a 33rd bit; the reader of platforms rejects it long before.
    u32::try_from(mask).unwrap_or(1 << 31)
}

fn smp_binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let block = scope.counts.first().copied().unwrap_or(1).max(1);
    let (first, place) = (scope.me / block * block, scope.me % block);
    if place == 0 {
        along_tree(scope, scope.me / block, scope.size.div_ceil(block), |v| v * block, steps);
    }
    along_tree(scope, place, block.min(scope.size - first), |v| first + v, steps);
}

/// Emits the sends and receives of number `v` in a binomial tree on `size` numbers, farthest child first.
fn along_tree(scope: &Scope<'_>, v: u32, size: u32, member: impl Fn(u32) -> u32, steps: &mut Vec<Step>) {
    let tree = Tree::binomial(v, size);
    steps.extend(tree.parent.map(|parent| Step::Recv { from: member(parent) }));
    let send = |&child: &u32| Step::Send { to: member(child), bytes: scope.bytes() };
    steps.extend(tree.children.iter().rev().map(send));
}
