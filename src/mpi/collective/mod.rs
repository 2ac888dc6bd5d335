//! Collective operations as sequences of point-to-point steps.
//!
//! Two questions, two pure functions. *Which* algorithm: [`Selector::plan`] looks a call up in the tables of an MPI
//! library and returns the stages of one rank. *How*: the `steps` function of the stage's [`Algorithm`] emits the sends
//! and receives of that rank, a bounded chunk at a time, so that neither a simulation of 65,536 ranks nor an all-to-all
//! holds a whole schedule in memory.
//!
//! Nothing here depends on time, links or the engine; an algorithm can be tested in isolation: sends match receives,
//! volumes match closed forms.

pub(crate) mod algorithms;
mod communicator;
pub mod rounds;
pub mod select;
#[cfg(test)]
mod testing;

use crate::trace::CollectiveKind;
use std::num::NonZeroU32;

pub use select::{Selector, SmpKnown, Substitution};

/// A point-to-point step. Peers are indices in the communicator of the stage; sizes are payload bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Blocking standard send.
    Send {
        /// Destination.
        to: u32,
        /// Payload.
        bytes: u64,
    },
    /// Blocking receive of any size.
    Recv {
        /// Source.
        from: u32,
    },
    /// Non-blocking send.
    Isend {
        /// Destination.
        to: u32,
        /// Payload.
        bytes: u64,
    },
    /// Non-blocking receive.
    Irecv {
        /// Source.
        from: u32,
    },
    /// Waits for one non-blocking step: number `nth`, from 0, of those posted and not yet waited for.
    Wait {
        /// Its index in posting order.
        nth: u32,
    },
    /// Waits for all non-blocking steps that have not been waited for, in the order of their completion.
    WaitAll,
    /// Waits for each of them, in posting order.
    WaitEach,
}

/// Communicator of a stage. For a collective on a communicator of the trace, `World` is that communicator, and the
/// rank map contains only its members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comm {
    /// All members.
    World,
    /// The ranks on the caller's host.
    Node,
    /// The lowest rank of each host.
    Leaders,
}

/// Vector of element counts that a stage needs, one entry per member of the communicator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vector {
    /// None.
    None,
    /// The caller's `send_counts`.
    SendCounts,
    /// The caller's `recv_counts`.
    RecvCounts,
    /// Number of ranks on each node; the stage's `element` is then the block of one rank.
    NodeSizes,
}

/// Stage of a collective, as one rank sees it.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Algorithm that the stage runs.
    pub algorithm: &'static Algorithm,
    /// Communicator on which the algorithm runs.
    pub comm: Comm,
    /// Tag of its messages, distinct for each operation.
    pub tag: i32,
    /// Index of the root in the communicator; 0 if there is none.
    pub root: u32,
    /// Elements of a block; if a vector contains the sizes of blocks, those of the caller's own.
    pub count: u64,
    /// Bytes of an element.
    pub element: u64,
    /// Count vector, for algorithms with one.
    pub vector: Vector,
    /// Parameters of the algorithm that a table or a rule file sets.
    pub tuning: Tuning,
}

/// Parameters of an algorithm that its caller may set, as rule files of Open MPI and the table of MPICH 4 do. Algorithms without them ignore them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Tuning {
    /// Bytes of a segment; `None`: as the algorithm chooses.
    pub segment: Option<NonZeroU32>,
    /// Chains that start at the root, or exchanges that are under way at a time; 0: as the algorithm chooses.
    pub width: u16,
    /// `true` if the remainder of a vector that is cut into pieces is spread over the first pieces, an element each, and
    /// vectors are not padded; otherwise the last piece takes it.
    pub spread: bool,
}

impl Tuning {
    /// Segment of a message that is not cut.
    pub const WHOLE: NonZeroU32 = NonZeroU32::MAX;

    /// Returns the bytes of a segment, where the algorithm itself chooses `own`.
    pub fn segment_or(self, own: u64) -> u64 {
        match self.segment {
            None => own,
            Some(Self::WHOLE) => u64::MAX,
            Some(bytes) => u64::from(bytes.get()),
        }
    }
}

/// Progress of a rank in a stage. Starts as [`Cursor::default`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cursor {
    /// Number of chunks emitted so far.
    pub phase: u32,
    /// Set when no chunk is left.
    pub done: bool,
    /// State of algorithms whose next chunk does not follow from `phase` alone.
    pub memory: [u64; 4],
}

/// Input of a `steps` function.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Number of members of the communicator.
    pub size: u32,
    /// Index of the caller in it.
    pub me: u32,
    /// The stage's vector; empty for [`Vector::None`].
    pub counts: &'a [u32],
    /// The caller's `recv_counts`, for algorithms that send nothing for empty blocks; empty where the call has none.
    pub received: &'a [u32],
    /// Stage that the algorithm executes.
    pub stage: &'a Stage,
}

/// Collective algorithm.
#[derive(Debug)]
pub struct Algorithm {
    /// Operation it performs; `None` for building blocks that only plans use.
    pub kind: Option<CollectiveKind>,
    /// Name, as `--collective KIND=NAME` and listings use it.
    pub name: &'static str,
    /// SimGrid's name, as in `--cfg=smpi/KIND:NAME`; accepted as well. Several where SimGrid has several transcriptions
    /// that send the same messages.
    pub simgrid: &'static [&'static str],
    /// One-line description for users.
    pub summary: &'static str,
    /// Appends the next chunk of steps of member `scope.me` and advances the cursor; sets `done` with the last chunk. A
    /// chunk is bounded: O(log^2 size) steps, or a constant number of partners. It may be empty, also before the last.
    pub steps: fn(scope: &Scope<'_>, cursor: &mut Cursor, steps: &mut Vec<Step>),
}
