//! Open MPI's reductions to a root: segments flow up a tree. While a member waits for a segment of one child, the
//! receive of the next one is posted; a segment goes on to the parent when all children have delivered it. Empty
//! vectors send nothing. Source: Open MPI (`coll_tuned_reduce.c`); lengths of segments as in SimGrid 3.32
//! (`reduce-ompi.cpp`).

use super::support::chunk;
use super::tree::{Cut, Tree};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// P/2 chains that meet in the root.
pub static CHAIN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "chain",
    simgrid: &["ompi_chain"],
    summary: "segments of 64 KiB along P/2 chains that meet in the root",
    steps: chain,
};

/// One chain.
pub static PIPELINE: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "pipeline",
    simgrid: &["ompi_pipeline"],
    summary: "segments of 1 to 64 KiB along a chain of all ranks",
    steps: pipeline,
};

/// A tree of degree 2.
pub static BINARY: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "binary",
    simgrid: &["ompi_binary"],
    summary: "segments of 32 KiB up a binary tree",
    steps: binary,
};

/// A binomial tree; unlike [`BINOMIAL`](super::reduce::BINOMIAL), with receives posted ahead, and segments on many
/// ranks.
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "binomial-ahead",
    simgrid: &["ompi_binomial"],
    summary: "binomial tree, receives posted ahead, segments of 1 KiB on many ranks",
    steps: binomial,
};

/// A binary tree in the order of ranks, for operations that do not commute; the last rank is its root and passes the
/// result on.
pub static IN_ORDER: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Reduce),
    name: "in-order-binary",
    simgrid: &["ompi_in_order_binary"],
    summary: "binary tree that keeps the order of ranks; the last one passes the result on",
    steps: in_order,
};

/// Bytes per segment of the chains.
const CHAIN_SEGMENT: u64 = 65_536;

/// Bytes per segment of the binary tree.
const BINARY_SEGMENT: u64 = 32_768;

/// Cuts the vector into segments of `own` bytes, unless the stage has others.
fn cut(scope: &Scope<'_>, own: u64) -> Cut {
    Cut::new(scope.stage.count, scope.stage.element, scope.stage.tuning.segment_or(own))
}

fn chain(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let chains = match scope.stage.tuning.width {
        0 => scope.size / 2,
        given => u32::from(given),
    };
    let tree = Tree::chains(scope.number(), scope.size, chains);
    collect(&tree, cut(scope, CHAIN_SEGMENT), |v| scope.member(v), cursor, steps);
}

/// Returns the bytes per segment of the pipeline: the more ranks for the length, the shorter. Lines measured by Open
/// MPI: slope times bytes plus offset.
fn pipeline_segment(ranks: u32, bytes: u64) -> u64 {
    let above = |slope: f64, offset: f64| f64::from(ranks) > slope / 1024.0 * bytes as f64 + offset;
    if above(0.0410, 9.7128) {
        1024
    } else if above(0.0033, 1.6761) {
        32 * 1024
    } else {
        64 * 1024
    }
}

fn pipeline(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let tree = Tree::chain(scope.number(), scope.size);
    let cut = cut(scope, pipeline_segment(scope.size, scope.bytes()));
    collect(&tree, cut, |v| scope.member(v), cursor, steps);
}

fn binary(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let tree = Tree::binary(scope.number(), scope.size);
    collect(&tree, cut(scope, BINARY_SEGMENT), |v| scope.member(v), cursor, steps);
}

/// Returns the bytes per segment of the binomial tree; 0 for no segments: short vectors, and long ones on few ranks.
fn binomial_segment(ranks: u32, count: u64, bytes: u64) -> u64 {
    let short = (ranks < 8 && bytes < 20_480) || bytes < 2048 || count <= 1;
    let many = f64::from(ranks) > 0.6016 / 1024.0 * bytes as f64 + 1.3496;
    if !short && many { 1024 } else { 0 }
}

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let tree = Tree::binomial(scope.number(), scope.size);
    let cut = cut(scope, binomial_segment(scope.size, scope.stage.count, scope.bytes()));
    collect(&tree, cut, |v| scope.member(v), cursor, steps);
}

fn in_order(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let tree = Tree::in_order(scope.me, scope.size);
    let last = scope.size - 1;
    collect(&tree, cut(scope, 0), |v| v, cursor, steps);
    if cursor.done && scope.stage.root != last && scope.stage.count > 0 {
        if scope.me == last {
            steps.push(Step::Send { to: scope.stage.root, bytes: scope.bytes() });
        } else if scope.is_root() {
            steps.push(Step::Recv { from: last });
        }
    }
}

/// Emits one member's part. `member` turns numbers of the tree into indices of the communicator.
fn collect(tree: &Tree, cut: Cut, member: impl Fn(u32) -> u32, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let children = tree.children.len() as u64;
    let pass_on = |segment: u64, steps: &mut Vec<Step>| {
        if let Some(parent) = tree.parent {
            steps.push(Step::Send { to: member(parent), bytes: cut.bytes(segment) });
        }
    };
    if children == 0 {
        for segment in chunk(cursor, cut.len()) {
            pass_on(segment, steps);
        }
        return;
    }
    let receives = cut.len() * children;
    for i in chunk(cursor, receives) {
        steps.push(Step::Irecv { from: member(tree.children[(i % children) as usize]) });
        if i > 0 {
            steps.push(Step::Wait { nth: 0 });
            if i % children == 0 {
                pass_on(i / children - 1, steps);
            }
        }
        if i + 1 == receives {
            steps.push(Step::Wait { nth: 0 });
            pass_on(i / children, steps);
        }
    }
}
