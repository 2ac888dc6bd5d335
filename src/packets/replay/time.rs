//! Time in picoseconds.

use super::queue::LATEST;

/// Picoseconds in a second.
pub(super) const PS: f64 = 1e12;

/// Returns the nearest whole number of picoseconds, at most [`LATEST`].
#[inline]
pub(super) fn whole(time: f64) -> u64 {
    ((time + 0.5) as u64).min(LATEST)
}
