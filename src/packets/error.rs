//! Errors of the packet model.

use crate::floorplan::FloorplanError;
use crate::ledger::LedgerError;
use crate::platform::PlatformError;
use crate::routing::RoutingError;
use crate::similar::did_you_mean;
use crate::topology::TopologyError;
use crate::traffic::TrafficError;
use crate::user_error::{FAILED, UserError, code_of_input};

/// Reason why a packet run is rejected, or has failed.
#[derive(Debug, thiserror::Error)]
pub enum PacketError {
    /// A parameter breaks a rule.
    #[error("{parameter} is {value}, but {rule}")]
    Invalid {
        /// Name of the parameter.
        parameter: &'static str,
        /// Value as given.
        value: String,
        /// Rule, as the end of a sentence.
        rule: String,
    },
    /// No routing of packets has this name.
    #[error("there is no packet routing rule `{name}`{}", did_you_mean(.nearest.as_deref()))]
    UnknownRouting {
        /// Name as given.
        name: String,
        /// Routing with the nearest name.
        nearest: Option<String>,
        /// Names of all routings, separated by commas.
        known: String,
    },
    /// The routing is for other topologies.
    #[error("packet routing `{routing}` does not fit topology `{topology}`: {reason}")]
    Unsuitable {
        /// Name of the routing.
        routing: String,
        /// Name of the topology.
        topology: String,
        /// Property that it lacks.
        reason: String,
        /// Alternative that fits.
        instead: String,
    },
    /// The routing needs more virtual channels than there are.
    #[error("packet routing `{routing}` on topology `{topology}` needs {needed} virtual channels, but has {vcs}")]
    TooFewVcs {
        /// Name of the routing.
        routing: String,
        /// Name of the topology.
        topology: String,
        /// Virtual channels needed.
        needed: u32,
        /// Virtual channels requested.
        vcs: u32,
    },
    /// The routing is for switches without buffers, and the caller has switches with buffers.
    #[error("packet routing `{routing}` is for switches without buffers, which only `mopsim packets` simulates")]
    NoBuffers {
        /// Name of the routing.
        routing: &'static str,
    },
    /// The channel dependencies of the routing have a cycle.
    #[error("packet routing `{routing}` on topology `{topology}` can deadlock: {cycle}")]
    CyclicDependency {
        /// Name of the routing.
        routing: String,
        /// Name of the topology.
        topology: String,
        /// Cycle of (cable, virtual channel) pairs, as text.
        cycle: String,
    },
    /// The network is larger than the model can hold.
    #[error("topology `{topology}` is too large for the packet model: {reason}")]
    TooLarge {
        /// Name of the topology.
        topology: String,
        /// Quantity that is too large.
        reason: String,
    },
    /// Hosts cannot reach each other.
    #[error("topology `{topology}` is disconnected: switch {from} cannot reach switch {to}")]
    Disconnected {
        /// Name of the topology.
        topology: String,
        /// Switch with a host.
        from: u32,
        /// Switch that cannot be reached from it.
        to: u32,
    },
    /// No host is attached.
    #[error("topology `{0}` has no hosts")]
    NoHosts(String),
    /// A line of a list of packets is invalid.
    #[error("{file}:{line}: {reason}")]
    List {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Rule that the line breaks.
        reason: String,
    },
    /// The network has a property that the packet model lacks.
    #[error("packets do not model {what} (network `{network}`)")]
    NotModelled {
        /// Name of the network.
        network: String,
        /// Property, e.g. "cables whose directions share their bandwidth (duplex = `shared`)".
        what: String,
        /// One-line advice.
        instead: &'static str,
    },
    /// No packet can move although some are under way.
    #[error("deadlock at cycle {cycle}: {waiting}")]
    Deadlock {
        /// Cycle at which nothing can move.
        cycle: u64,
        /// One cycle of virtual channels that wait for each other, as text.
        waiting: String,
    },
    /// The topology cannot be built.
    #[error(transparent)]
    Topology(#[from] TopologyError),
    /// The traffic pattern does not fit.
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    /// The static routing does not fit.
    #[error(transparent)]
    Routing(#[from] RoutingError),
    /// The hosts do not fit.
    #[error(transparent)]
    Platform(#[from] PlatformError),
    /// The floor plan does not fit.
    #[error(transparent)]
    FloorPlan(#[from] FloorplanError),
    /// A results file cannot be written.
    #[error(transparent)]
    Results(#[from] LedgerError),
}

impl PacketError {
    /// `true` if the simulated network itself failed, not its description.
    pub fn is_failed_run(&self) -> bool {
        matches!(self, Self::Deadlock { .. })
    }

    pub(super) fn invalid(parameter: &'static str, value: impl ToString, rule: impl Into<String>) -> Self {
        Self::Invalid { parameter, value: value.to_string(), rule: rule.into() }
    }
}

impl UserError for PacketError {
    fn help(&self) -> String {
        match self {
            Self::Invalid { .. } => "docs/packets.md lists all parameters".into(),
            Self::UnknownRouting { known, .. } => format!("the packet routings are {known}"),
            Self::Unsuitable { instead, .. } => instead.clone(),
            Self::TooFewVcs { needed, .. } if *needed > super::parameters::MAX_VCS => {
                "a link has at most 64 virtual channels; `escape` (2) and `dimension-order` (2) need few".into()
            }
            Self::TooFewVcs { needed, .. } => {
                let more = format!("`--vcs {needed}`; in a replay `packet:vcs={needed}`");
                // `escape` needs 2 or 3 channels.
                let other =
                    if *needed > 3 { ", or for a routing that needs fewer, such as `escape` (2 or 3)" } else { "" };
                format!("ask for {needed} virtual channels ({more}){other}")
            }
            Self::NoBuffers { .. } => "`amin` takes shortest paths by the queues of outputs, on every network".into(),
            Self::CyclicDependency { .. } => {
                "choose another routing or more virtual channels; --allow-deadlock runs it all the same".into()
            }
            Self::TooLarge { .. } => {
                "use fewer virtual channels or hosts, or `mopsim throughput`, which has no such limit".into()
            }
            Self::Disconnected { .. } => "packets need a path between every two switches with hosts".into(),
            Self::NoHosts(_) => "--hosts-per-switch must be at least 1".into(),
            Self::List { .. } => "a line is `source destination cycle [flits]`; docs/packets.md shows one".into(),
            Self::NotModelled { instead, .. } => (*instead).into(),
            Self::Deadlock { .. } => {
                "a routing that passes the check before a run, which --allow-deadlock leaves out, cannot deadlock"
                    .into()
            }
            Self::Topology(error) => error.help(),
            Self::Traffic(error) => error.help(),
            Self::Routing(error) => error.help(),
            Self::FloorPlan(_) => "docs/reference/platforms.md describes floor plans".into(),
            Self::Platform(error) => error.help(),
            Self::Results(error) => error.help(),
        }
    }

    fn is_io(&self) -> bool {
        match self {
            Self::Topology(error) => error.is_io(),
            Self::Traffic(error) => error.is_io(),
            Self::Platform(error) => error.is_io(),
            Self::Results(error) => error.is_io(),
            _ => false,
        }
    }

    fn exit_code(&self) -> u8 {
        if self.is_failed_run() { FAILED } else { code_of_input(self.is_io()) }
    }
}
