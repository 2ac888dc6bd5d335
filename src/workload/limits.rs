//! Limits of programs, and what messages about them have in common.

/// Resource limits of a program, per rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls and loop iterations per rank.
    pub steps: u64,
    /// Bytes of values per rank.
    pub memory: usize,
    /// Depth of nested calls.
    pub depth: usize,
    /// Actions of all ranks together.
    pub actions: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 200_000_000, memory: 512 << 20, depth: 150, actions: 1 << 32 }
    }
}

/// Largest size, in bytes, of values that are kept for all ranks. They are traversed recursively, one level per
/// nesting: within this size the levels fit on the stack.
const MOST_FROZEN: usize = 32 << 20;

impl Limits {
    /// Returns the limits for values that are kept.
    pub(super) fn of_frozen(&self) -> Self {
        Self { memory: self.memory.min(MOST_FROZEN), ..*self }
    }
}

/// Largest number of elements of a list or a tuple that one operation creates, and of numbers of a range.
pub(super) const LONGEST: u64 = 1 << 24;
/// Largest text, in bytes. Methods, indexes and slices of a text take a time in proportion to its size: with this limit,
/// none takes much longer than any other step.
pub(super) const LONGEST_TEXT: u64 = 64 << 10;

/// Native stack of the threads that run ranks; only the used part counts as memory.
pub(super) const STACK: usize = 256 << 20;
/// Start of messages about too many steps, after a position if there is one.
pub(super) const RUNS_AWAY: &str = "the program runs away";
/// Start of Starlark's own message about them.
pub(super) const TICKS: &str = "Execution duration limit";
