//! Zones with routing `Vivaldi`: the latency between two points is the distance of their coordinates.
//!
//! Coordinates are in milliseconds: two of a plane, and the height above it, which a message descends and climbs
//! (Dabek, Cox, Kaashoek, Morris: Vivaldi: A Decentralized Network Coordinate System, SIGCOMM 2004, section 3.4). A
//! `peer` has a link for sending and one for receiving; a `host` has none, so only its distance delays messages.

use super::network::Generated;
use crate::ids::LinkId;

/// A point of such a zone.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct VivaldiPoint {
    /// Coordinates in milliseconds; none for a zone.
    pub(super) coordinates: Option<[f64; 3]>,
    /// Links of a peer: out of it, and into it.
    pub(super) links: Option<(LinkId, LinkId)>,
}

/// Points of a zone, by their numbers.
#[derive(Default)]
pub(super) struct Vivaldi(pub(super) Vec<VivaldiPoint>);

impl Vivaldi {
    fn place(&self, point: u32) -> Option<&VivaldiPoint> {
        self.0.get(point as usize)
    }
}

impl Generated for Vivaldi {
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool {
        let (Some(start), Some(end)) = (self.place(from), self.place(to)) else { return false };
        links.extend(start.links.map(|(up, _)| up));
        links.extend(end.links.map(|(_, down)| down));
        // Zones have no coordinates, so there is no path between them.
        start.coordinates.is_some() && end.coordinates.is_some()
    }

    fn extra_latency(&self, from: u32, to: u32) -> f64 {
        let coordinates = |point| self.place(point).and_then(|place| place.coordinates);
        let (Some([a, b, height]), Some([c, d, other_height])) = (coordinates(from), coordinates(to)) else {
            return 0.0;
        };
        let distance = ((a - c) * (a - c) + (b - d) * (b - d)).sqrt() + height.abs() + other_height.abs();
        distance / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latency_is_the_distance() {
        let place = |coordinates| VivaldiPoint { coordinates: Some(coordinates), links: None };
        let zone = Vivaldi(vec![place([0.0, 0.0, 1.0]), place([3.0, 4.0, -2.0]), VivaldiPoint::default()]);
        // 5 ms in the plane, 3 ms of heights.
        assert_eq!(zone.extra_latency(0, 1), 0.008);
        assert_eq!(zone.extra_latency(1, 0), 0.008);
        assert!(zone.route(0, 1, &mut Vec::new()) && !zone.route(0, 2, &mut Vec::new()));
    }
}
