//! Time in steps, as in SimGrid's full mode: completion times are not stored; every transfer is advanced at every
//! event.
//!
//! A step is the shortest time that a latency or transfer still takes. Those of all others are reduced by it, so each
//! collects the rounding errors of every step it lives through, and a transfer of which rounding leaves a little
//! completes in a further step of almost no length.

use super::system::PRECISION;

/// A transfer under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::network) struct SteppedTransfer {
    /// Number of the transfer.
    pub transfer: u32,
    /// Seconds left of its latency.
    pub latency: f64,
    /// Bytes left.
    pub remaining: f64,
    /// Bytes per second, since the last solution.
    pub rate: f64,
}

impl SteppedTransfer {
    /// Returns the seconds until something happens to the transfer, infinite if it has to wait for others.
    fn delay(&self) -> f64 {
        let draining = match self.rate {
            rate if rate <= 0.0 => f64::INFINITY,
            rate if self.remaining > 0.0 => self.remaining / rate,
            _ => 0.0,
        };
        if self.latency > 0.0 { draining.min(self.latency) } else { draining }
    }

    /// Lets time pass; an amount below its precision counts as nothing. Returns whether the latency is over just now.
    pub fn pass(&mut self, seconds: f64, precision: f64) -> bool {
        let enters = self.latency > 0.0 && {
            self.latency = less(self.latency, seconds, precision);
            self.latency <= 0.0
        };
        self.remaining = less(self.remaining, self.rate * seconds, PRECISION * precision);
        enters
    }
}

/// Subtracts a part from an amount; a remainder below the precision counts as nothing.
fn less(amount: f64, part: f64, precision: f64) -> f64 {
    let left = amount - part;
    if left < precision { 0.0 } else { left }
}

/// Returns the seconds to the next event of these transfers, if there is one.
pub(in crate::network) fn next_delay(steps: &[SteppedTransfer]) -> Option<f64> {
    let least = steps.iter().map(SteppedTransfer::delay).fold(f64::INFINITY, f64::min);
    least.is_finite().then_some(least)
}
