//! Description of a run for both engines.

use super::parameters::Parameters;
use super::routing::Rule;
use super::source::PacketSource;
use super::statistics::Window;
use super::wiring::Wiring;
use std::sync::Arc;

/// Network, its packets, and the measured cycles.
pub struct Setup {
    /// Switches, cables and hosts.
    pub wiring: Arc<Wiring>,
    /// The routing rule.
    pub rule: Arc<dyn Rule>,
    /// Switches, links and hosts.
    pub parameters: Parameters,
    /// Packets that hosts send.
    pub packets: PacketSource,
    /// Seed of hosts and routing.
    pub seed: u64,
    /// Measured cycles.
    pub window: Window,
    /// `true` to keep a log of every packet.
    pub log: bool,
}
