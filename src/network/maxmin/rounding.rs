//! Slack for rounding errors.

/// Relative slack for comparing the load of a link with its capacity, and one level with another.
///
/// It only has to absorb rounding: a dozen additions and divisions make errors of some 1e-15. Changes smaller than this
/// do not spread to further flows.
pub(super) const TOLERANCE: f64 = 1e-12;

/// A sum is formed afresh if subtractions leave less than this part of it: the remainder would be mostly rounding
/// errors.
pub(super) const CANCELLATION: f64 = 1e-2;
