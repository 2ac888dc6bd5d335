//! Which cables a message takes from switch to switch: static routes, one for each ordered pair.
//!
//! A routing answers one question at a time and computes what it needs when it is first asked, because a table of all
//! pairs of 65,536 switches would be larger than the memory of most machines. Its answers do not depend on the order of
//! the questions, so runs can share it. A new routing is one file and one line of [`ROUTINGS`].

use crate::ids::SwitchId;
use crate::topology::{ArcId, Topology};

mod bfs;
mod random_shortest;
pub(crate) mod source_cache;

/// The routing that is used unless another is asked for.
pub const DEFAULT: &str = "bfs";

/// Static routes between the switches of a topology.
pub trait Routing: Send + Sync {
    /// Appends the arcs of the route, in order; none if `from` and `to` are equal.
    ///
    /// Returns `false`, and leaves `arcs` as it was, if there is no way.
    fn route(&self, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> bool;
}

/// Makes a routing for a topology, from a seed where it is random.
pub type BuildRouting = fn(&Topology, u64) -> Result<Box<dyn Routing>, RoutingError>;

/// A line of the table of routings.
#[derive(Clone, Copy, Debug)]
pub struct RoutingKind {
    /// Name on the command line.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// Whether the routes depend on a seed, which a report then has to state.
    pub random: bool,
    /// Makes the routing for a topology; the seed is for those that are random. A routing that belongs to some families
    /// refuses the others, and finds their parameters in the specification of the topology.
    pub build: BuildRouting,
}

/// All routings.
#[rustfmt::skip]
pub const ROUTINGS: &[RoutingKind] = &[
    RoutingKind { name: "bfs", aliases: &["shortest"], help: "shortest, breadth first from the source in ascending order of switches", random: false, build: bfs::build },
    RoutingKind { name: "random_shortest", aliases: &[], help: "for each pair one of its shortest paths at random, all equally likely", random: true, build: random_shortest::build },
];

/// Why there is no such routing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutingError {
    /// No routing has this name.
    #[error("there is no routing `{name}`{}", .nearest.as_ref().map_or(String::new(), |near| format!(" (did you mean `{near}`?)")))]
    Unknown {
        /// The name as given.
        name: String,
        /// The routing whose name is nearest.
        nearest: Option<String>,
    },
    /// The routing is for other topologies.
    #[error("routing `{routing}` does not fit topology `{topology}`: {reason}")]
    Unsuitable {
        /// Name of the routing.
        routing: String,
        /// The topology.
        topology: String,
        /// What it lacks.
        reason: String,
    },
}

impl RoutingError {
    /// One line on what to do about it.
    pub fn help(&self) -> String {
        let names = ROUTINGS.iter().map(|kind| kind.name).collect::<Vec<_>>().join(", ");
        format!("the routings are {names}; `{DEFAULT}` fits every topology")
    }
}

/// The routing with this name or alias.
///
/// # Errors
/// [`RoutingError::Unknown`].
pub fn find(name: &str) -> Result<&'static RoutingKind, RoutingError> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    ROUTINGS.iter().find(|kind| kind.name == wanted || kind.aliases.contains(&wanted.as_str())).ok_or_else(|| {
        RoutingError::Unknown {
            name: name.into(),
            nearest: crate::topology::nearest_name(&wanted, ROUTINGS.iter().map(|kind| kind.name)),
        }
    })
}

/// Makes the routing called `name` for a topology.
///
/// # Errors
/// [`RoutingError`].
pub fn build(name: &str, topology: &Topology, seed: u64) -> Result<Box<dyn Routing>, RoutingError> {
    (find(name)?.build)(topology, seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_or_the_nearest_is_named() {
        assert_eq!(find("Random-Shortest").unwrap().name, "random_shortest");
        let error = find("random-shotest").unwrap_err();
        assert_eq!(error.to_string(), "there is no routing `random-shotest` (did you mean `random_shortest`?)");
        assert!(error.help().contains("bfs, random_shortest"));
        assert!(find(DEFAULT).is_ok());
    }
}
