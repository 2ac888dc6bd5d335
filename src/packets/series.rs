//! Results of a network, a routing and a pattern.

use super::parameters::Switching;
use super::run::Outcome;

/// Results of a network, a routing and a pattern.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Series {
    /// The topology with all its parameters.
    pub topology: String,
    /// Name of the family.
    pub family: String,
    /// Number of switches.
    pub switches: usize,
    /// Number of hosts.
    pub hosts: u32,
    /// Ports of a host.
    pub ports: u32,
    /// Traffic of the busiest host over that of the busiest port, whose load is that of a run: 1 with one port, and
    /// the number of ports where all have equal parts.
    pub busiest_host: f64,
    /// Packet routing.
    pub routing: String,
    /// Traffic pattern.
    pub pattern: String,
    /// Virtual channels of a link; 0 without buffers.
    pub vcs: u32,
    /// Condition for a packet to take a virtual channel; `None` without buffers.
    pub switching: Option<Switching>,
    /// Reason why it cannot deadlock.
    pub freedom: String,
    /// Highest load that is carried, to 1 %; `None` if it was not requested or no load is carried.
    pub saturation: Option<f64>,
    /// Flits accepted for each host and cycle at an offered load of 1.
    pub accepted_at_full_load: Option<f64>,
    /// Runs, by load and then by seed.
    pub points: Vec<Outcome>,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Series {
    /// Returns the highest load that is carried, of the busiest host with all its ports.
    pub fn carried_by_host(&self) -> Option<f64> {
        self.saturation.map(|load| load * self.busiest_host)
    }

    /// Returns the flits accepted at an offered load of 1 for each host, with all its ports, and cycle.
    pub fn accepted_by_host(&self) -> Option<f64> {
        self.accepted_at_full_load.map(|flits| flits * f64::from(self.ports))
    }
}
