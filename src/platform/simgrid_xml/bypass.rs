//! Routes that come before what a zone finds by its own rule: `bypassRoute` and `bypassZoneRoute`.
//!
//! As in SimGrid 3.32 they count for one direction only, and are looked for in the zone where two points meet. Between
//! points of different zones below it, the pair of zones that is nearest to them comes first.

use std::collections::HashMap;

use super::network::PointId;
use crate::ids::LinkId;

/// A route that comes before others.
#[derive(Clone, Debug)]
pub(super) struct Bypass {
    /// Its links, in order.
    pub(super) links: Vec<LinkId>,
    /// Where it begins and ends, if it joins zones.
    pub(super) gateways: Option<(PointId, PointId)>,
}

/// Those of a zone, by their ends.
pub(super) type Bypasses = HashMap<(PointId, PointId), Bypass>;

/// The bypass between two points, given the zones around each of them below the one where they meet, innermost first.
pub(super) fn between_zones<'a>(
    bypasses: &'a Bypasses,
    around_source: &[PointId],
    around_destination: &[PointId],
) -> Option<&'a Bypass> {
    let find = |source: usize, destination: usize| {
        let ends = (*around_source.get(source)?, *around_destination.get(destination)?);
        bypasses.get(&ends)
    };
    (0..around_source.len().max(around_destination.len())).find_map(|far| {
        (0..far).find_map(|near| find(near, far).or_else(|| find(far, near))).or_else(|| find(far, far))
    })
}
