//! Saturation, bounds and fair rates against closed forms and slow solvers.

mod bounds;
mod closed_forms;
mod fair;
mod paths;
mod rails;

use mopsim::throughput::Network;
use mopsim::traffic::{self, PatternInput, Traffic};

/// Returns the traffic of a pattern on a network.
fn traffic(network: &Network, pattern: &str) -> Traffic {
    traffic::build(pattern, &PatternInput::new(&network.topology, &network.host_switch)).expect(pattern)
}
