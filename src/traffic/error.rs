//! Errors of traffic patterns. The help lists all patterns, so its `impl UserError` is in `mod.rs`, with their table.

use crate::similar::did_you_mean;
use crate::topology::input::{Located, ReadError};
use crate::trace::TraceError;

/// Reason why there is no such traffic.
#[derive(Debug, thiserror::Error)]
pub enum TrafficError {
    /// No pattern has this name.
    #[error("there is no pattern `{name}`{}", did_you_mean(.nearest.as_deref()))]
    Unknown {
        /// Name as given.
        name: String,
        /// Pattern with the nearest name.
        nearest: Option<String>,
    },
    /// The pattern has no such parameter, or a value of it breaks a rule.
    #[error("pattern `{pattern}`: {reason}")]
    Invalid {
        /// Pattern as given.
        pattern: String,
        /// Reason of the error.
        reason: String,
    },
    /// A bit pattern needs a power of two hosts.
    #[error("pattern `{pattern}` needs a number of hosts that is a power of two, but there are {hosts}")]
    NotPowerOfTwo {
        /// Name of the pattern.
        pattern: &'static str,
        /// Number of hosts.
        hosts: u32,
    },
    /// A pattern that halves the bits needs an even power of two hosts.
    #[error("pattern `{pattern}` needs 4, 16, 64, ... hosts (an even power of two), but there are {hosts}")]
    NotEvenPowerOfTwo {
        /// Name of the pattern.
        pattern: &'static str,
        /// Number of hosts.
        hosts: u32,
    },
    /// The number of hosts does not fit the pattern.
    #[error("pattern `{pattern}` needs {rule}, but there are {hosts} hosts")]
    WrongHosts {
        /// Name of the pattern.
        pattern: String,
        /// Rule that the number breaks.
        rule: String,
        /// Number of hosts.
        hosts: u32,
    },
    /// No host takes part.
    #[error("there is no host that could send")]
    NoHosts,
    /// The farthest pairs cannot be found because there is no path between them.
    #[error("topology `{topology}` is disconnected: hosts on switch {from} cannot reach hosts on switch {to}")]
    Disconnected {
        /// Name of the topology.
        topology: String,
        /// Switch with a host.
        from: u32,
        /// Switch that cannot be reached from there.
        to: u32,
    },
    /// A matrix file breaks a rule.
    #[error(transparent)]
    File(#[from] Located),
    /// A matrix file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(Box<TraceError>),
    /// A trace cannot be replayed, so its messages are unknown.
    #[error("{trace}: {reason}")]
    Replay {
        /// Name of the trace.
        trace: String,
        /// Reason of the failure.
        reason: String,
    },
}
