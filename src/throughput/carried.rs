//! Traffic on the links of a network, and which class takes which link.

use super::demand::{Class, NO_LINK};
use super::{Network, ThroughputError};
use crate::ids::SwitchId;
use crate::routing::Ends;

/// Most incidences (class on link) that are kept.
pub const MAX_ENTRIES: usize = 1 << 26;
/// Most steps of splitting: destinations times arcs, or classes times arcs.
pub(super) const MAX_SPLIT_WORK: u64 = 1 << 37;
/// Chunks that are kept before they are added up.
pub(super) const BATCH: usize = 64;

/// Incidences of classes and links: for each class its links and the part of it on each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incidence {
    /// The links of class c are `links[first[c]..first[c + 1]]`.
    pub first: Vec<usize>,
    /// Links between switches come first, then those of hosts.
    pub links: Vec<u32>,
    /// Part on each link; empty if all take the whole.
    pub parts: Vec<f64>,
}

impl Incidence {
    /// Returns the links of a class and the part on each.
    #[inline]
    pub fn of(&self, class: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.first[class]..self.first[class + 1];
        range.map(|at| (self.links[at] as usize, if self.parts.is_empty() { 1.0 } else { self.parts[at] }))
    }
}

/// Traffic on the network at injection 1.
#[derive(Clone, Debug)]
pub struct Carried {
    /// On each arc, in units of a link's bandwidth.
    pub arcs: Vec<f64>,
    /// Largest number of hops of a flow.
    pub max_hops: u32,
    /// Largest sum of delays of arcs on a path, with and without cables, in seconds.
    pub max_delay: (f64, f64),
    /// Incidences of classes and links; `None` if there would be too many entries.
    pub incidence: Option<Incidence>,
}

pub(super) fn disconnected(network: &Network, class: &Class) -> ThroughputError {
    ThroughputError::Disconnected { topology: network.name.clone(), from: class.from, to: class.to }
}

/// Returns the ends of the messages of a class, in the numbers of its plane.
pub(super) fn ends_of(network: &Network, class: &Class) -> Ends {
    let first = network.planes[class.plane as usize].first_switch;
    let (from, to) = (SwitchId(class.from - first), SwitchId(class.to - first));
    Ends { from, to, source: class.source, destination: class.host }
}

/// Returns the host link of a class, if there is one.
pub(super) fn host_link(network: &Network, class: &Class) -> Option<u32> {
    (class.down != NO_LINK).then(|| network.links as u32 + class.down)
}
