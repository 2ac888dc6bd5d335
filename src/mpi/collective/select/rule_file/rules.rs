//! Rules of a file, as both forms of files express them.

use super::algorithms::RuleChoice;
use crate::mpi::collective::Tuning;
use crate::trace::CollectiveKind;
use std::num::NonZeroU32;

/// A broken rule in a rule file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct RuleFileError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// The value, and what is wrong with it.
    pub message: String,
}

/// Rules of a file, by operation.
#[derive(Clone, Debug)]
pub struct RuleFile {
    /// Rules for each operation of [`CollectiveKind::ALL`], in the order of the file.
    pub(super) operations: Vec<Vec<RankRule>>,
}

impl RuleFile {
    /// Returns a file without rules.
    pub(super) fn empty() -> Self {
        Self { operations: vec![Vec::new(); CollectiveKind::ALL.len()] }
    }

    /// Returns the number of rules of all operations.
    pub fn len(&self) -> usize {
        self.operations.iter().flatten().map(|ranks| ranks.sizes.len()).sum()
    }

    /// Returns `true` if no operation has a rule.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rules for a range of numbers of ranks.
#[derive(Clone, Debug)]
pub(super) struct RankRule {
    /// Smallest and largest number of ranks.
    pub ranks: (u64, u64),
    pub spread: Spread,
    pub sizes: Vec<SizeRule>,
}

/// Placement of ranks on hosts that a rule asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Spread {
    Any,
    OnePerHost,
    OneHost,
}

/// Algorithm for a range of message sizes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SizeRule {
    /// Smallest and largest message in bytes.
    pub bytes: (u64, u64),
    pub run: RuleChoice,
    pub tuning: Tuning,
}

/// Values that follow the algorithm in a rule.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parameters {
    /// Number of chains, or radix (`topo`, `faninout`).
    pub fan_out: u64,
    /// Bytes of a segment; 0: messages are not cut.
    pub segment: u64,
    /// Exchanges that are under way at a time; 0: all.
    pub requests: u64,
}

impl Parameters {
    /// Returns the values as an algorithm takes them.
    pub fn tuning(self, run: RuleChoice) -> Tuning {
        let segment = match self.segment {
            0 => Tuning::WHOLE,
            bytes => u32::try_from(bytes).ok().and_then(NonZeroU32::new).unwrap_or(Tuning::WHOLE),
        };
        let width = if run.has_fan_out() { self.fan_out.max(1) } else { self.requests };
        Tuning { segment: Some(segment), width: u16::try_from(width).unwrap_or(u16::MAX), spread: false }
    }
}
