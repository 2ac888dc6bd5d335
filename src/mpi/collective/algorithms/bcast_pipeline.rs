//! Broadcasts in segments: along a chain of members counted from the root (Open MPI's pipeline), and along a binary
//! tree, half of the message on each side (split binary tree).

use super::support::{chunk, chunk_with};
use super::tree::{Cut, Tree};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step, Tuning};
use crate::trace::CollectiveKind;

/// Chain: while a member forwards a segment, it receives the next one. Open MPI (`coll_tuned_bcast.c`, pipeline).
pub static PIPELINE: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "pipeline",
    simgrid: &["ompi_pipeline"],
    summary: "segments of 16 to 128 KiB along a chain of all ranks",
    steps: pipeline,
};

/// Each half of the message goes down one side of a binary tree; then each member gets the other half from its partner
/// on the other side. Open MPI (`coll_tuned_bcast.c`, split binary tree). Messages that are too short for it take
/// another algorithm in [`select`](crate::mpi::collective::select).
pub static SPLIT_BINARY: Algorithm = Algorithm {
    kind: None,
    name: "split-binary",
    simgrid: &["ompi_split_bintree"],
    summary: "halves go down the two sides of a binary tree in segments, pairs swap them",
    steps: split_binary,
};

/// Returns the segment of the pipeline in bytes. Lines measured by Open MPI: ranks against slope times bytes plus
/// offset (SimGrid 3.32, `bcast-ompi-pipeline.cpp`). Where no line applies, it is the largest one.
fn pipeline_segment(ranks: u32, bytes: u64) -> u64 {
    let lines = [(1.6134e-6, 2.1102, 128), (2.3679e-6, 1.1787, 64), (3.2118e-6, 8.7936, 16)];
    let fits = |(slope, offset, _): &&(f64, f64, u64)| f64::from(ranks) < slope * bytes as f64 + offset;
    lines.iter().find(fits).map_or(128, |line| line.2) * 1024
}

fn pipeline(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let segment = scope.stage.tuning.segment_or(pipeline_segment(scope.size, scope.bytes()));
    let cut = Cut::new(scope.stage.count, scope.stage.element, segment);
    let tree = Tree::chain(scope.number(), scope.size);
    relay(scope, &tree, cut, Sends::AtOnce, cursor, steps);
}

/// Order in which a member forwards a segment to its children.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sends {
    /// All are posted, then waited for.
    AtOnce,
    /// Blocking, one after another.
    InTurn,
}

/// Emits one member's part of a flow of segments down a tree: the next segment's receive is posted before the present
/// one is waited for and forwarded.
pub(super) fn relay(
    scope: &Scope<'_>,
    tree: &Tree,
    cut: Cut,
    sends: Sends,
    cursor: &mut Cursor,
    steps: &mut Vec<Step>,
) {
    let segments = cut.len();
    for index in chunk_with(cursor, segments, tree.children.len()) {
        if let Some(parent) = tree.parent {
            let from = scope.member(parent);
            if index == 0 {
                steps.push(Step::Irecv { from });
            }
            if index + 1 < segments {
                steps.push(Step::Irecv { from });
            }
            steps.push(Step::Wait { nth: 0 });
        }
        let bytes = cut.bytes(index);
        let children = || tree.children.iter().map(|&child| scope.member(child));
        if sends == Sends::InTurn {
            steps.extend(children().map(|to| Step::Send { to, bytes }));
            continue;
        }
        steps.extend(children().map(|to| Step::Isend { to, bytes }));
        // The next segment's receive, if there is one, was posted before the sends.
        let nth = u32::from(tree.parent.is_some() && index + 1 < segments);
        steps.extend(tree.children.iter().map(|_| Step::Wait { nth }));
    }
}

/// Messages of at least this number of bytes use longer segments in the split tree (SimGrid 3.32,
/// `bcast-ompi-split-bintree.cpp`).
const LONG_FOR_SPLIT: u64 = 370_728;

/// Returns the halves of a message in the split tree, cut into segments.
fn halves(count: u64, element: u64, tuning: Tuning) -> [Cut; 2] {
    let segment = split_segment(count, element, tuning);
    // Unlike elsewhere, a segment is rounded down to elements.
    let cut = |count| Cut::of(count, element, segment / element.max(1));
    [cut(count.div_ceil(2)), cut(count / 2)]
}

/// Returns the bytes of a segment of the split tree: at least an element.
fn split_segment(count: u64, element: u64, tuning: Tuning) -> u64 {
    let own = if count.saturating_mul(element) < LONG_FOR_SPLIT { 1024 } else { 8192 };
    tuning.segment_or(own).max(element)
}

/// `true` if a message is long enough to be split: each half fills a segment, or is not cut.
pub fn can_split(count: u64, element: u64, tuning: Tuning) -> bool {
    let half = (count / 2).saturating_mul(element);
    half > 0 && (tuning.segment == Some(Tuning::WHOLE) || half >= split_segment(count, element, tuning))
}

fn split_binary(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (v, size) = (scope.number(), scope.size);
    let tree = Tree::binary(v, size);
    let halves = halves(scope.stage.count, scope.stage.element, scope.stage.tuning);
    // The first subtree of the root takes the first half.
    let side = usize::from(v % 2 == 0);
    if v == 0 {
        for index in chunk(cursor, halves[0].len()) {
            for (half, &child) in halves.iter().zip(&tree.children) {
                if index < half.len() {
                    steps.push(Step::Send { to: scope.member(child), bytes: half.bytes(index) });
                }
            }
        }
    } else if let (Some(parent), []) = (tree.parent, &tree.children[..]) {
        // Unlike in the pipeline, a leaf posts no receive ahead, and messages travel only once both sides are ready.
        steps.extend(chunk(cursor, halves[side].len()).map(|_| Step::Recv { from: scope.member(parent) }));
    } else {
        relay(scope, &tree, halves[side], Sends::InTurn, cursor, steps);
    }
    if cursor.done {
        swap(scope, v, halves.map(|half| half.total()), side, steps);
    }
}

/// Emits the exchange of halves between neighbours on different sides. With an even number of members the only partner
/// of the last is the root, which needs nothing in return.
fn swap(scope: &Scope<'_>, v: u32, halves: [u64; 2], side: usize, steps: &mut Vec<Step>) {
    let last = scope.size - 1;
    let even = scope.size.is_multiple_of(2);
    if v == 0 {
        if even {
            steps.push(Step::Send { to: scope.member(last), bytes: halves[1] });
        }
    } else if even && v == last {
        steps.push(Step::Recv { from: scope.member(0) });
    } else {
        let partner = scope.member(if side == 0 { v + 1 } else { v - 1 });
        scope.exchange(partner, halves[side], partner, steps);
    }
}
