//! Saturation, bounds and fair rates against closed forms and slow solvers.

mod bounds;
mod closed_forms;
mod fair;
mod paths;
mod rails;

use mopsim::throughput::Network;
use mopsim::traffic::{self, PatternInput, Traffic};
use std::path::Path;

/// Returns the traffic of a pattern on a network.
fn traffic(network: &Network, pattern: &str) -> Traffic {
    let setting = PatternInput {
        host_switch: &network.host_switch,
        topology: &network.topology,
        seed: 1,
        folder: Path::new(""),
        collectives: "mvapich2",
    };
    traffic::build(pattern, &setting).expect(pattern)
}
