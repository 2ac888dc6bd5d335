//! Broadcasts of segments of 8 KiB that do not depend on the topology ("NTS"): along the line of ranks 0, 1, 2, ... or
//! down the binary tree in which the children of rank r are 2r + 1 and 2r + 2 (Patarasuk, Faraj, Yuan 2006: STAR-MPI).
//!
//! Both start at rank 0, to which another root sends the message first, and both leave the remainder after the full
//! segments to the library's choice for a message of that length. Plans ([`select`](crate::mpi::collective::select))
//! arrange that; this file has the parts. In the parts with segments the stage's `count` is their number and `element`
//! their length.

use super::support::chunk;
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};

/// Bytes of a segment (SimGrid 3.32, `bcast-NTSB.cpp`, `bcast-NTSL.cpp`).
pub const SEGMENT: u64 = 8192;

/// A short message down the tree.
pub static TREE: Algorithm =
    Algorithm { kind: None, name: "ntsb", simgrid: &["NTSB"], summary: "binary tree of ranks", steps: tree };

/// Segments down the tree.
pub static TREE_SEGMENTS: Algorithm = Algorithm {
    kind: None,
    name: "ntsb-segments",
    simgrid: &[],
    summary: "segments down a binary tree of ranks",
    steps: tree_segments,
};

/// A short message along the line.
pub static LINE: Algorithm =
    Algorithm { kind: None, name: "ntsl", simgrid: &["NTSL"], summary: "line of ranks", steps: line };

/// Segments along the line.
pub static LINE_SEGMENTS: Algorithm = Algorithm {
    kind: None,
    name: "ntsl-segments",
    simgrid: &[],
    summary: "segments along the line of ranks",
    steps: line_segments,
};

/// Parent and children of a rank.
type TreeNeighbours = (Option<u32>, [Option<u32>; 2]);

fn in_tree(scope: &Scope<'_>) -> TreeNeighbours {
    let child = |i: u64| {
        let child = 2 * u64::from(scope.me) + i;
        (child < u64::from(scope.size)).then_some(child as u32)
    };
    (scope.me.checked_sub(1).map(|before| before / 2), [child(1), child(2)])
}

fn in_line(scope: &Scope<'_>) -> TreeNeighbours {
    let next = scope.me + 1;
    (scope.me.checked_sub(1), [(next < scope.size).then_some(next), None])
}

fn tree(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    whole(scope, in_tree(scope), steps);
}

fn line(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    whole(scope, in_line(scope), steps);
}

fn whole(scope: &Scope<'_>, (parent, children): TreeNeighbours, steps: &mut Vec<Step>) {
    steps.extend(parent.map(|from| Step::Recv { from }));
    steps.extend(children.into_iter().flatten().map(|to| Step::Send { to, bytes: scope.bytes() }));
}

fn tree_segments(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    segments(scope, in_tree(scope), cursor, steps);
}

fn line_segments(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    segments(scope, in_line(scope), cursor, steps);
}

/// Emits the forwarding of segments: all receives are posted first; each segment is forwarded when it arrives; the
/// sends are waited for at the end.
fn segments(scope: &Scope<'_>, (parent, children): TreeNeighbours, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let total = scope.stage.count;
    let receives = if parent.is_some() { total } else { 0 };
    for i in chunk(cursor, receives + total) {
        match parent {
            Some(from) if i < receives => steps.push(Step::Irecv { from }),
            _ => {
                if parent.is_some() {
                    steps.push(Step::Wait { nth: 0 });
                }
                let bytes = scope.stage.element;
                steps.extend(children.into_iter().flatten().map(|to| Step::Isend { to, bytes }));
            }
        }
    }
    if cursor.done && total > 0 && children[0].is_some() {
        steps.push(Step::WaitAll);
    }
}
