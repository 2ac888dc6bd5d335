//! How traces are read.

use std::sync::Arc;

use super::actions::Store;
use super::source::Budget;
use crate::steps::Steps;

/// How to read a trace.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of ranks, for time-independent traces. Without it (or with 0), it is that of the list's lines, or the
    /// largest rank of a merged trace plus one. Other formats say their number themselves.
    pub ranks: Option<usize>,
    /// Most bytes that compressed files may give, all files of the trace together: a guard against archives made to
    /// exhaust the reader.
    pub max_unpacked_bytes: u64,
    /// Most times its size that a compressed file may give once it has given 32 MiB: a guard that ends archives made to
    /// exhaust the reader before they have. Real traces give up to 40 times their size.
    pub max_unpacking_ratio: u64,
    /// Whether a list of files may name files outside its own folder, and files that are no regular ones.
    pub files_anywhere: bool,
    /// Flops that stand for a second of computation, where a trace has recorded times; positive and finite. The default
    /// is the speed of a host where nothing else is said, so that computation takes there what it took when it was
    /// recorded.
    pub recorded_speed: f64,
    /// Whether graphs (GOAL) are kept as graphs, for a replay. Elsewhere each rank's becomes a list, in an order in
    /// which all ranks can run.
    pub keep_graphs: bool,
    /// Whether calls that actions cannot express are left out, with a note, instead of being refused.
    pub leave_out: bool,
    /// Actions that are kept in memory, of 16 bytes each, beside a few of each rank. Those beyond are set aside in a
    /// temporary file.
    pub actions_in_memory: usize,
    /// Counts the bytes of the files as they are read.
    pub steps: Steps,
}

/// Flop/s of a host where nothing else is said.
pub const DEFAULT_RECORDED_SPEED: f64 = 1e11;

impl Default for Options {
    fn default() -> Self {
        Options {
            ranks: None,
            max_unpacked_bytes: 8 << 30,
            max_unpacking_ratio: 1000,
            files_anywhere: false,
            recorded_speed: DEFAULT_RECORDED_SPEED,
            keep_graphs: false,
            leave_out: false,
            actions_in_memory: 1 << 22,
            steps: Steps::default(),
        }
    }
}

impl Options {
    /// Memory for the actions of a trace.
    pub(crate) fn store(&self) -> Arc<Store> {
        Store::new(self.actions_in_memory)
    }

    /// What compressed files may give.
    pub(super) fn budget(&self) -> Budget {
        Budget::new(self.max_unpacked_bytes, self.max_unpacking_ratio)
    }
}
