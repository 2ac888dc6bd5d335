//! Routes that override those of a zone: `bypassRoute` and `bypassZoneRoute`.
//!
//! As in SimGrid 3.32 they apply to one direction only, and are looked up in the innermost zone that contains both
//! points. Between points of different zones below it, the bypass of the innermost pair of zones has priority.

use std::collections::HashMap;

use super::points::PointId;
use crate::ids::LinkId;

/// A route that overrides others.
#[derive(Clone, Debug)]
pub(super) struct Bypass {
    /// Links, in order.
    pub(super) links: Vec<LinkId>,
    /// Points where it begins and ends, if it joins zones.
    pub(super) gateways: Option<(PointId, PointId)>,
}

/// Bypasses of a zone, by their ends.
pub(super) type Bypasses = HashMap<(PointId, PointId), Bypass>;

/// Returns the bypass between two points, given the zones around each of them below the zone that contains both,
/// innermost first.
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
