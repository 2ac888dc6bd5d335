//! Points and zones of a network, by number.

use crate::ids::HostId;

/// A host, a router, or a zone as a point of its parent: an index into [`Network::points`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PointId(pub(super) u32);

/// A zone: an index into [`Network::zones`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ZoneId(pub(super) u32);

/// Place and kind of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// Zone that contains it; for the outermost zone, itself.
    pub(super) zone: ZoneId,
    /// Number among the points of that zone, in the order of their declaration.
    pub(super) local: u32,
    /// Kind of point.
    pub(super) kind: PointKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PointKind {
    Host(HostId),
    Router,
    Zone(ZoneId),
}
