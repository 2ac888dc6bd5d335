//! Options for reading traces.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::actions::Store;
use super::source::Budget;
use crate::steps::Steps;

/// Options for reading a trace.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of ranks, for time-independent traces. By default (or if 0), it is the number of lines of the list, or
    /// the largest rank of a merged trace plus one. Other formats contain the number, which must be this one.
    pub ranks: Option<usize>,
    /// Largest number of bytes that compressed files may unpack to, all files of the trace together: a guard against
    /// archives made to exhaust the reader.
    pub max_unpacked_bytes: u64,
    /// Largest ratio of unpacked to compressed size beyond 32 MiB: a guard that stops archives made to exhaust the
    /// reader early. Real traces unpack to up to 40 times their size.
    pub max_unpacking_ratio: u64,
    /// `true` if a list of files may name files outside its own folder, and files that are not regular ones.
    pub files_anywhere: bool,
    /// Flops that represent a second of computation, if a trace has recorded times; positive and finite. The default is
    /// the default speed of a host, so that computation takes as long as when it was recorded.
    pub recorded_speed: f64,
    /// `true` if graphs (GOAL) are kept as graphs, for a replay. Otherwise each rank's graph becomes a list, in an
    /// order in which all ranks can run.
    pub keep_graphs: bool,
    /// `true` if calls that actions cannot express are left out, with a note, instead of being refused.
    pub leave_out: bool,
    /// `true` if ranks of a recording whose files are missing or damaged are left without actions, or end where the damage
    /// begins, with a note. Otherwise such a recording is refused.
    pub readable_ranks: bool,
    /// Number of actions that stay in memory, of 16 bytes each, in addition to a few of each rank. Others are stored in
    /// a temporary file.
    pub actions_in_memory: usize,
    /// Set by readers of formats with recorded times, which [`recorded_speed`](Self::recorded_speed) converts.
    pub has_times: Arc<AtomicBool>,
    /// Counts the bytes of the files as they are read.
    pub steps: Steps,
}

/// Default flop/s of a host.
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
            readable_ranks: false,
            actions_in_memory: 1 << 22,
            has_times: Arc::default(),
            steps: Steps::default(),
        }
    }
}

impl Options {
    /// Creates memory for the actions of a trace.
    pub(crate) fn store(&self) -> Arc<Store> {
        Store::new(self.actions_in_memory)
    }

    /// Returns the limit of unpacked bytes.
    pub(super) fn budget(&self) -> Budget {
        Budget::new(self.max_unpacked_bytes, self.max_unpacking_ratio)
    }
}
