//! Flat clusters and `Cluster` zones: every point has links to a common centre and from it.

use super::network::Generated;
use crate::ids::LinkId;

/// Links of a point: index of the first one, and their number.
type Span = Option<(u32, u32)>;

/// Links of a point to and from the centre.
#[derive(Clone, Copy, Default)]
struct Spoke {
    up: Span,
    down: Span,
    loopback: Span,
}

/// A centre and its points.
#[derive(Default)]
pub(super) struct Star {
    spokes: Vec<Spoke>,
    links: Vec<LinkId>,
}

impl Star {
    fn span(&mut self, links: &[LinkId]) -> Span {
        let start = self.links.len() as u32;
        self.links.extend_from_slice(links);
        Some((start, links.len() as u32))
    }

    fn spoke(&mut self, point: u32) -> &mut Spoke {
        let index = point as usize;
        if self.spokes.len() <= index {
            self.spokes.resize(index + 1, Spoke::default());
        }
        &mut self.spokes[index]
    }

    /// Sets the links of a point to the centre and from it; `false` if it already has some.
    pub(super) fn connect(&mut self, point: u32, up: &[LinkId], down: &[LinkId]) -> bool {
        if self.spoke(point).up.is_some() {
            return false;
        }
        let (up, down) = (self.span(up), self.span(down));
        let spoke = self.spoke(point);
        (spoke.up, spoke.down) = (up, down);
        true
    }

    /// Sets the route of a point to itself; `false` if it already has one.
    pub(super) fn loop_back(&mut self, point: u32, links: &[LinkId]) -> bool {
        if self.spoke(point).loopback.is_some() {
            return false;
        }
        let span = self.span(links);
        self.spoke(point).loopback = span;
        true
    }

    /// Completes the star: points without declared links are at the centre, with no link to or from it.
    pub(super) fn complete(mut self, points: u32) -> Self {
        self.spokes.resize(points as usize, Spoke::default());
        for spoke in &mut self.spokes {
            if spoke.up.is_none() && spoke.loopback.is_none() {
                (spoke.up, spoke.down) = (Some((0, 0)), Some((0, 0)));
            }
        }
        self
    }
}

impl Generated for Star {
    fn route(&self, from: u32, to: u32, links: &mut Vec<LinkId>) -> bool {
        let (source, destination) = (self.spokes[from as usize], self.spokes[to as usize]);
        let first = links.len();
        let mut add = |span: (u32, u32)| {
            for &link in &self.links[span.0 as usize..(span.0 + span.1) as usize] {
                // The backbone is on the path up and on the path down, but a message takes it once.
                if !links[first..].contains(&link) {
                    links.push(link);
                }
            }
        };
        match (from == to, source.loopback, source.up, destination.down) {
            (true, Some(own), _, _) => add(own),
            (_, _, Some(up), Some(down)) => {
                add(up);
                add(down);
            }
            _ => return false,
        }
        true
    }
}
