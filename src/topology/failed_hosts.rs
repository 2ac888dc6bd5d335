//! Hosts that failed together with their switches.

use compact_str::CompactString;
use std::iter::repeat_n;

/// Hosts of a network before some of its switches failed. The hosts that are left keep the numbers and names that they
/// had, because host files and schedulers go on using them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedHosts {
    /// Default number of hosts on each switch before the failure.
    pub intact: Vec<u32>,
    /// `true` for each switch that failed.
    pub is_failed: Vec<bool>,
    /// Names of all hosts before the failure, switch by switch; empty if they have none.
    pub names: Vec<CompactString>,
}

impl FailedHosts {
    /// Returns the number of switches that failed together with hosts.
    pub fn switches(&self) -> usize {
        self.intact.iter().zip(&self.is_failed).filter(|&(&count, &gone)| gone && count > 0).count()
    }

    /// Sets the numbers of hosts on failed switches to 0.
    pub fn drop_from(&self, counts: &mut [u32]) {
        counts.iter_mut().zip(&self.is_failed).filter(|(_, gone)| **gone).for_each(|(count, _)| *count = 0);
    }

    /// Returns for each host whether it failed, with `counts` hosts on each switch before the failure.
    pub fn of_hosts(&self, counts: &[u32]) -> impl Iterator<Item = bool> {
        counts.iter().zip(&self.is_failed).flat_map(|(&count, &gone)| repeat_n(gone, count as usize))
    }
}
