//! Networks of switches: their connections, without speeds and without hosts.
//!
//! A topology is written as a short string, `torus:8x8` or `imase_itoh:n=64,d=6`, or as the name of a file. `parse`
//! reads the string, [`registry`] lists the families, one file in `families/` builds each family, and the result is a
//! [`Graph`] in flat arrays. A new family is one file and one line of the registry.
//!
//! ```
//! let topology = mopsim::topology::build("torus:8x8")?;
//! assert_eq!(topology.graph.switches(), 64);
//! assert_eq!(topology.graph.cables(), 128);
//! # Ok::<(), mopsim::topology::TopologyError>(())
//! ```

use crate::printable::counted;
use std::sync::Arc;

mod composed;
pub mod damage;
pub(crate) mod error;
pub(crate) mod failed_hosts;
pub(crate) mod family;
pub(crate) mod graph;
pub(crate) mod hosts;
pub mod input;
pub mod metrics;
mod parse;
pub mod presets;
pub(crate) mod rails;
pub mod registry;
pub(crate) mod spec;

pub(crate) mod families;
mod files;
pub(crate) mod hops;
pub(crate) mod locate;
mod randomness;
mod unreachable;
pub(crate) mod weighted;
pub(crate) mod xml;

pub use error::TopologyError;
pub use failed_hosts::FailedHosts;
pub use graph::{ArcId, CableId, Graph};
pub use hosts::Hosts;
pub use rails::Rails;
pub use randomness::GENERATOR;
pub(crate) use randomness::{Randomness, chosen, derived_seed};
pub use spec::Spec;

/// A graph and its origin.
#[derive(Clone, Debug)]
pub struct Topology {
    /// Specification in its canonical form, with the defaults filled in: printed in reports, and sufficient to build
    /// the same graph again.
    pub spec: Spec,
    /// Switches and cables; of all planes, if there are several.
    pub graph: Arc<Graph>,
    /// Planes and host ports, if hosts have several ports.
    pub rails: Option<Arc<Rails>>,
}

/// States how many cables of a file repeat others.
pub fn named_once_more(cables: usize) -> String {
    match cables {
        1 => "1 cable of the file repeats another, and does not count".to_owned(),
        _ => format!("{} of the file repeat others, and do not count", counted(cables as u64, "cable")),
    }
}

impl Topology {
    /// Returns what the graph does not have of its file, or has in another way; empty for generated graphs.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = self.graph.remarks().to_vec();
        let merged = self.graph.duplicates_merged();
        // Families may generate a cable twice, which is not an error of the user.
        if self.spec.is_file() && merged > 0 {
            remarks.push(named_once_more(merged));
        }
        remarks
    }

    /// Returns the name for reports: the canonical specification.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// Returns the seed of a random family; `None` for a family without randomness.
    pub fn seed(&self) -> Option<u64> {
        self.spec.seed()
    }
}

/// Reads a specification such as `torus:8x8`, `random:n=64,d=6,seed=1`, `graph.json` or `edges.txt`, and builds it.
///
/// # Errors
/// Any [`TopologyError`]; parameters are checked before anything is allocated.
pub fn build(spec: &str) -> Result<Topology, TopologyError> {
    spec.parse::<Spec>()?.build()
}
