//! Open MPI's broadcasts along trees that its tables never choose, but rule files do: to all at once, along chains, and
//! down a binary or binomial tree. Source: Open MPI (`coll_base_bcast.c`). Messages are whole unless the stage has a
//! segment.

use super::bcast_pipeline::{Sends, relay};
use super::support::{chunk, other, others};
use super::tree::{Cut, Tree};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// The root sends to all.
pub static LINEAR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "linear",
    simgrid: &[],
    summary: "the root sends to all at once",
    steps: linear,
};

/// Several chains that start at the root.
pub static CHAIN: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "chain",
    simgrid: &[],
    summary: "four chains that start at the root; in segments where a rule file sets them",
    steps: chain,
};

/// A tree of degree 2.
pub static BINARY: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "binary",
    simgrid: &[],
    summary: "binary tree; in segments where a rule file sets them",
    steps: binary,
};

/// A binomial tree; unlike [`BINOMIAL`](super::bcast::BINOMIAL), the nearest child first, with sends at once and receives
/// posted ahead.
pub static BINOMIAL: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Bcast),
    name: "binomial-ahead",
    simgrid: &[],
    summary: "binomial tree, nearest child first; in segments where a rule file sets them",
    steps: binomial,
};

/// Number of chains by default (Open MPI, `coll_tuned_bcast_algorithm_chain_fanout`).
const CHAINS: u32 = 4;

fn linear(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.is_root() {
        cursor.done = true;
        steps.push(Step::Recv { from: scope.stage.root });
        return;
    }
    let others = others(scope);
    steps.extend(chunk(cursor, others).map(|i| Step::Isend { to: other(scope, i), bytes: scope.bytes() }));
    if cursor.done && others > 0 {
        steps.push(Step::WaitAll);
    }
}

fn chain(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let chains = match scope.stage.tuning.width {
        0 => CHAINS,
        given => u32::from(given),
    };
    down(scope, &Tree::chains(scope.number(), scope.size, chains), cursor, steps);
}

fn binary(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    down(scope, &Tree::binary(scope.number(), scope.size), cursor, steps);
}

fn binomial(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    down(scope, &Tree::binomial(scope.number(), scope.size), cursor, steps);
}

fn down(scope: &Scope<'_>, tree: &Tree, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let cut = Cut::new(scope.stage.count, scope.stage.element, scope.stage.tuning.segment_or(0));
    relay(scope, tree, cut, Sends::AtOnce, cursor, steps);
}
