//! The constants of the point-to-point layer.

use crate::piecewise::Overhead;
use crate::trace::inspect::EAGER_BELOW;

/// Costs of sends, receives, tests and probes, and the thresholds of blocking sends. Defaults are those of SimGrid
/// 3.32.
#[derive(Debug, Clone, PartialEq)]
pub struct MpiOptions {
    /// Sends of fewer bytes of payload are *detached*: the sender continues immediately
    /// (`smpi/send-is-detached-thresh`).
    pub detached_below: u64,
    /// Messages of fewer bytes of payload travel as soon as they are sent, not only when their receive is posted
    /// (`smpi/async-small-thresh`); 0: none do. SimGrid matches such messages before all others; here messages of one
    /// sender with one tag keep their order.
    pub async_below: u64,
    /// One-way trips of control messages before the data of a rendezvous message leave: 0, none (as in SMPI); 1, the
    /// receiver's clear-to-send (CTS); 2, the sender's request as well. In a rendezvous message the sender waits, and it does not
    /// travel before its receive is posted.
    pub rendezvous_trips: u8,
    /// Time of a blocking detached send (`smpi/os`).
    pub send_overhead: Overhead,
    /// Time of a non-blocking send, and of the send of a combined send and receive (`smpi/ois`).
    pub isend_overhead: Overhead,
    /// Time of a receive after its message arrived, if the send was detached (`smpi/or`).
    pub recv_overhead: Overhead,
    /// Seconds of a test (`smpi/test`).
    pub test_time: f64,
    /// Seconds between the looks of a receive of unknown size for its message (`smpi/iprobe`).
    pub probe_time: f64,
    /// Share of the core that such a receive uses while it polls (`smpi/iprobe-cpu-usage`).
    pub probe_cpu_usage: f64,
    /// `true` if tests and probes that fail repeatedly take ever longer (`smpi/grow-injected-times`).
    pub growing_times: bool,
    /// `false` if computations take no time (`smpi/simulate-computation`). Those of reductions still do, as in SimGrid's
    /// replay.
    pub simulate_computation: bool,
}

impl MpiOptions {
    /// Returns whether control messages precede a message of `bytes` bytes of payload.
    #[inline]
    pub fn shakes_hands(&self, bytes: u64) -> bool {
        self.rendezvous_trips > 0 && bytes >= self.detached_below && bytes >= self.async_below
    }
}

impl Default for MpiOptions {
    fn default() -> Self {
        Self {
            detached_below: EAGER_BELOW,
            async_below: 0,
            rendezvous_trips: 0,
            send_overhead: Overhead::NONE,
            isend_overhead: Overhead::NONE,
            recv_overhead: Overhead::NONE,
            test_time: 1e-4,
            probe_time: 1e-4,
            probe_cpu_usage: 1.0,
            growing_times: true,
            simulate_computation: true,
        }
    }
}
