//! The rule of each family where none is asked for.

use super::PLAIN;
use crate::topology::{Hosts, Topology};

/// Returns the rule that a topology with its own hosts has where none is asked for; see [`default_routing`].
pub fn default_for(topology: &Topology) -> &'static str {
    default_routing(topology, topology.graph.default_hosts().iter().map(|&count| u64::from(count)).sum())
}

/// Returns the rule that a topology with `hosts` hosts has where none is asked for.
pub fn default_routing(topology: &Topology, _hosts: u64) -> &'static str {
    match topology.graph.hosts() {
        Hosts::Everywhere(_) => PLAIN,
        Hosts::OnSwitches(_) | Hosts::Vertices(_) => "d_mod_k",
    }
}
