//! Allgathers of blocks of different sizes. Recursive doubling is in [`super::doubling`].

use super::allgather::{exchange_all, exchange_by_distance, exchange_neighbours, exchange_pairs};
use crate::mpi::collective::{Algorithm, Cursor, Scope, Step};
use crate::trace::CollectiveKind;

/// All messages simultaneously. SimGrid's default allgatherv (`smpi_default_selector.cpp`).
pub static NONBLOCKING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "nonblocking",
    simgrid: &[],
    summary: "every rank sends its block to every other rank, simultaneously",
    steps: nonblocking,
};

/// Bruck's scheme with the counts as they are. MPICH (`allgatherv_intra_brucks.c`).
pub static BRUCK: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "bruck",
    simgrid: &["ompi_bruck"],
    summary: "doubling numbers of blocks to doubling distances (Bruck)",
    steps: bruck,
};

/// A ring of neighbours; long blocks travel in segments. MPICH (`allgatherv_intra_ring.c`).
pub static RING: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "ring",
    simgrid: &["mpich_ring"],
    summary: "blocks travel around a ring of neighbours in segments of up to 256 KiB",
    steps: ring,
};

/// As [`RING`], with shorter segments. MPICH 4 (`allgatherv_intra_ring.c`).
pub static RING_PIPELINED: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "ring-pipelined",
    simgrid: &[],
    summary: "blocks travel around a ring of neighbours in segments of up to 32 KiB",
    steps: ring_pipelined,
};

/// Exchanges with the partner whose rank differs in the bits of the round; powers of two only, as
/// [`alltoall::PAIR`](super::alltoall::PAIR). SimGrid (`allgatherv-pair.cpp`).
pub static PAIR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "pair",
    simgrid: &[],
    summary: "one exchange after the other with partner rank XOR round; powers of two only",
    steps: pair,
};

/// As the allgather's [`NEIGHBOUR`](super::allgather::NEIGHBOUR); odd numbers of members use [`DIRECT`]. Open MPI
/// (`coll_base_allgatherv.c`, neighbour exchange).
pub static NEIGHBOUR: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "neighbour-exchange",
    simgrid: &["ompi_neighborexchange"],
    summary: "P/2 exchanges of two blocks with either neighbour in turn",
    steps: neighbour,
};

/// Direct exchanges at increasing distance, one after the other. SimGrid calls it ring (`allgatherv-ring.cpp`).
pub static DIRECT: Algorithm = Algorithm {
    kind: Some(CollectiveKind::Allgatherv),
    name: "direct",
    simgrid: &[],
    summary: "direct exchanges at increasing distance (SimGrid's allgatherv:ring)",
    steps: direct,
};

/// Segments of [`RING`], in bytes, unless every block is larger.
const SEGMENT: u64 = 262_144;

/// Segments of [`RING_PIPELINED`], in bytes (`MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE`).
const SHORT_SEGMENT: u64 = 32_768;

/// Rounds of the ring per chunk.
const ROUNDS_PER_CHUNK: usize = 64;

fn nonblocking(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_all(scope, scope.bytes(), cursor, steps);
}

fn bruck(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    cursor.done = true;
    let (me, size) = (scope.me, scope.size);
    let mut distance = 1;
    while distance < size {
        let blocks = if distance <= size / 2 { distance } else { size - distance };
        // The blocks of me, me + 1, ... around the end of the communicator.
        let end = u64::from(me) + u64::from(blocks);
        let wrapped = end.saturating_sub(u64::from(size)) as u32;
        let elements = scope.elements(me, end.min(u64::from(size)) as u32) + scope.elements(0, wrapped);
        let bytes = elements.saturating_mul(scope.stage.element);
        scope.exchange(scope.before(me, distance), bytes, scope.after(me, distance), steps);
        if distance > size / 2 {
            break;
        }
        distance *= 2;
    }
}

/// Progress of one direction of the ring: elements left, the member whose block is under way, and how much of it is
/// done. Packed into two words of the cursor.
struct RingFlow {
    left: u64,
    block: u32,
    offset: u32,
}

impl RingFlow {
    fn load(memory: &[u64]) -> Self {
        Self { left: memory[0], block: (memory[1] >> 32) as u32, offset: memory[1] as u32 }
    }

    fn store(&self, memory: &mut [u64]) {
        memory[0] = self.left;
        memory[1] = u64::from(self.block) << 32 | u64::from(self.offset);
    }

    /// Returns the elements of the next segment; `None` when nothing is left.
    fn next(&self, scope: &Scope<'_>, segment: u64) -> Option<u64> {
        let in_block = scope.elements(self.block, self.block + 1) - u64::from(self.offset);
        (self.left > 0).then(|| in_block.min(segment))
    }

    fn advance(&mut self, scope: &Scope<'_>, elements: u64) {
        self.left -= elements;
        // The offset stays below a count, which has 32 bits.
        self.offset += elements as u32;
        if u64::from(self.offset) == scope.elements(self.block, self.block + 1) {
            self.block = scope.before(self.block, 1);
            self.offset = 0;
        }
    }
}

fn ring(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let smallest = scope.counts.iter().copied().min().map_or(0, u64::from);
    around(scope, smallest.max(SEGMENT / scope.stage.element.max(1)).max(1), cursor, steps);
}

fn ring_pipelined(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    around(scope, (SHORT_SEGMENT / scope.stage.element.max(1)).max(1), cursor, steps);
}

/// Moves blocks around the ring in segments of that many elements.
fn around(scope: &Scope<'_>, segment: u64, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    let (left, right) = (scope.before(scope.me, 1), scope.after(scope.me, 1));
    if cursor.phase == 0 {
        // A member sends all blocks but that of its right neighbour, and receives all but its own.
        let total = scope.total_elements();
        let own = |member: u32| scope.elements(member, member + 1);
        RingFlow { left: total - own(right), block: scope.me, offset: 0 }.store(&mut cursor.memory[..2]);
        RingFlow { left: total - own(scope.me), block: left, offset: 0 }.store(&mut cursor.memory[2..]);
    }
    cursor.phase += 1;
    let mut sending = RingFlow::load(&cursor.memory[..2]);
    let mut receiving = RingFlow::load(&cursor.memory[2..]);
    for _ in 0..ROUNDS_PER_CHUNK {
        if sending.left == 0 && receiving.left == 0 {
            break;
        }
        let sent = sending.next(scope, segment).unwrap_or(0);
        let received = receiving.next(scope, segment).unwrap_or(0);
        let bytes = sent.saturating_mul(scope.stage.element);
        match (sent > 0, received > 0) {
            (true, true) => scope.exchange(right, bytes, left, steps),
            (true, false) => steps.push(Step::Send { to: right, bytes }),
            (false, true) => steps.push(Step::Recv { from: left }),
            (false, false) => {}
        }
        sending.advance(scope, sent);
        receiving.advance(scope, received);
    }
    sending.store(&mut cursor.memory[..2]);
    receiving.store(&mut cursor.memory[2..]);
    cursor.done = sending.left == 0 && receiving.left == 0;
}

fn pair(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_pairs(scope, cursor, |_| scope.bytes(), steps);
}

fn neighbour(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    if !scope.size.is_multiple_of(2) {
        return direct(scope, cursor, steps);
    }
    let pair = |first: u32| scope.elements(first, first + 2).saturating_mul(scope.stage.element);
    exchange_neighbours(scope, cursor, scope.bytes_of(scope.me), pair, steps);
}

fn direct(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>) {
    exchange_by_distance(scope, cursor, |_| scope.bytes(), steps);
}
