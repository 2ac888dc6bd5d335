//! Graphs from files, one source file per format.

pub(super) mod anynet;
pub(super) mod edges;
pub(super) mod gml;
pub(super) mod graphml;
pub(super) mod ibnet;
pub(super) mod json;
mod named;
mod node_link;

use crate::printable::counted;

/// Remedy for a cable that is not allowed.
const CABLE_HELP: &str = "a cable joins two different switches, and switches have the numbers 0 to n-1";

/// Returns the remark on nodes whose type is `host`, a habit of some programs that draw networks.
fn nodes_called_hosts(count: usize) -> Option<String> {
    let (nodes, have) = (counted(count as u64, "node"), if count == 1 { "has" } else { "have" });
    (count > 0).then(|| {
        format!("{nodes} {have} the type `host`, and are read as switches; `hosts` of a switch is its number of hosts")
    })
}
