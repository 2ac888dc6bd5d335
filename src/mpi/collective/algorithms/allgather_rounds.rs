//! Allgathers in rounds of several messages: stripe parallel binomial trees, and Bruck's algorithm with any radix.
//!
//! A round may have as many messages as there are members, so that it takes several chunks: the cursor's memory holds
//! the round (its distance) and the messages of it that are posted.

use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// Each block travels along a binomial tree of its own, far members first. In the round of distance d = 2^k, from the
/// largest one below P down to 1, a member posts each block that it passes on as a message of its own, to the member d
/// places on; after the round every member has ceil(P / d) blocks. Loch and Koslovski, Sparbit: a new logarithmic-cost
/// and data locality-aware MPI Allgather algorithm, 2021; Open MPI (`coll_base_allgather.c`, sparbit).
pub static SPARBIT: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "sparbit",
    simgrid: &[],
    summary: "a binomial tree for each block, far members first, a message for each block",
    steps: sparbit,
};

/// [`SPARBIT`] with blocks of different sizes. Open MPI (`coll_base_allgatherv.c`, sparbit).
pub static SPARBIT_V: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "sparbit",
    simgrid: &[],
    summary: "a binomial tree for each block, far members first, a message for each block",
    steps: sparbit_v,
};

/// In the round of distance d = radix^k, a member exchanges d blocks with members d, 2d, ... places away, one less than the
/// radix, all at the same time. The radix is the stage's width. Open MPI 5 (`coll_base_allgather.c`, k-Bruck).
pub static BRUCK_RADIX: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgather),
    name: "bruck-radix",
    simgrid: &[],
    summary: "Bruck's algorithm with radix 4, or with that of a rule file",
    steps: bruck_radix,
};

/// Radix of [`BRUCK_RADIX`], unless the stage has another one.
const RADIX: u64 = 4;

/// Messages per chunk.
const MESSAGES_PER_CHUNK: u64 = 64;

/// Emits the messages `from..to` of a round, and the wait at its end. Returns `true` at the end.
fn part(
    cursor: &mut Cursor,
    messages: u64,
    budget: &mut u64,
    mut exchange: impl FnMut(u64, &mut Vec<Step>),
    steps: &mut Vec<Step>,
) -> bool {
    let end = messages.min(cursor.memory[1] + *budget);
    for message in cursor.memory[1]..end {
        exchange(message, steps);
    }
    *budget -= end - cursor.memory[1];
    cursor.memory[1] = end;
    if end < messages {
        return false;
    }
    if messages > 0 {
        steps.push(Step::WaitAll);
    }
    cursor.memory[1] = 0;
    true
}

fn sparbit(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    stripes(scope, |_| scope.bytes(), cursor, steps);
}

fn sparbit_v(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    stripes(scope, |member| scope.bytes_of(member), cursor, steps);
}

fn stripes(scope: &Scope<'_>, bytes: impl Fn(u32) -> u64, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let size = u64::from(scope.size);
    if cursor.phase == 0 {
        // The largest power of two below the size; none for one member.
        cursor.memory[0] = size.next_power_of_two() / 2;
    }
    cursor.phase += 1;
    let mut budget = MESSAGES_PER_CHUNK;
    while cursor.memory[0] > 0 && budget > 0 {
        let distance = cursor.memory[0];
        let held = |distance: u64| size.div_ceil(distance);
        let passed_on = held(distance) - held(2 * distance);
        let (to, from) = (scope.after(scope.me, distance as u32), scope.before(scope.me, distance as u32));
        let exchange = |message: u64, steps: &mut Vec<Step>| {
            let block = scope.before(scope.me, (2 * message * distance % size) as u32);
            steps.extend([Step::Isend { to, bytes: bytes(block) }, Step::Irecv { from }]);
        };
        if part(cursor, passed_on, &mut budget, exchange, steps) {
            cursor.memory[0] = distance / 2;
        }
    }
    cursor.done = cursor.memory[0] == 0;
}

fn bruck_radix(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let size = u64::from(scope.size);
    let radix = match scope.stage.tuning.width {
        0 => RADIX,
        given => u64::from(given).max(2),
    };
    if cursor.phase == 0 {
        cursor.memory[0] = 1;
    }
    cursor.phase += 1;
    let mut budget = MESSAGES_PER_CHUNK;
    while cursor.memory[0] < size && budget > 0 {
        let distance = cursor.memory[0];
        // Partners less than the size away; the last one of the last round may have fewer blocks left.
        let partners = (radix - 1).min((size - 1) / distance);
        let exchange = |message: u64, steps: &mut Vec<Step>| {
            let away = distance * (message + 1);
            let bytes = scope.bytes().saturating_mul(distance.min(size - away));
            steps.push(Step::Irecv { from: scope.after(scope.me, away as u32) });
            steps.push(Step::Isend { to: scope.before(scope.me, away as u32), bytes });
        };
        if part(cursor, partners, &mut budget, exchange, steps) {
            cursor.memory[0] = distance.saturating_mul(radix);
        }
    }
    cursor.done = cursor.memory[0] >= size;
}
