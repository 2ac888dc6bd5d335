//! The fully connected Dragonfly(z, c): c cabinets of z switches, every cabinet connected to every other.
//!
//! (*Skywalk: a Topology for HPC Networks with Low-delay Switches* compares with it.) A Dragonfly with groups of z
//! switches, one group per cabinet, and `h = ceil((c - 1)/z)` global ports per switch; degree `z - 1 + h`.

use super::dragonfly;
use super::dragonfly::Groups;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, TopologyError};

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let z = arguments.count("z", 1, MAX_SWITCHES)?;
    let c = arguments.count("c", 2, MAX_SWITCHES)?;
    if z * c > MAX_SWITCHES {
        return Err(arguments.invalid("c", format!("z*c must be at most {MAX_SWITCHES} switches")));
    }
    let groups = Groups { size: z as u32, first: 0, global_ports: (c - 1).div_ceil(z) as u32, trunk: 1 };
    dragonfly::of(arguments, groups, c as u32, 1, 1)
}
