//! Shortest next hops of all pairs, as masks of cables, and distances.
//!
//! Equality networks need only a table by offset, which also serves 64,000 switches; other networks need one entry for
//! each pair of switches.

use super::rule::Request;
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use crate::prefetch::prefetch;
use crate::topology::Graph;
use rayon::prelude::*;
use std::sync::Arc;

/// Largest table of pairs, in bytes: 2 GiB.
const MAX_BYTES: usize = 1 << 31;
/// Distance of a pair without a path.
pub(super) const FAR: u16 = u16::MAX;

/// Masks of cables.
enum Masks {
    Narrow(Vec<u8>),
    Middle(Vec<u16>),
    Wide(Vec<u64>),
    /// Several words for each pair.
    Words(Vec<u64>, usize),
}

/// Lookup of pairs in the tables.
enum Index {
    /// Row of the switch, column of the target.
    Pairs,
    /// Equality: by the offset of the target, one table for even and one for odd switches.
    Offsets {
        degree: u32,
        /// For each switch, the number of its hops that wrap around and so lead to its lowest neighbours.
        wrapped: Vec<u8>,
    },
}

/// Shortest next hops and distances.
pub(super) struct Shortest {
    n: u32,
    index: Index,
    masks: Masks,
    distance: Vec<u16>,
    /// Largest distance between switches with hosts.
    pub(super) diameter: u32,
    /// Largest number of hops between switches with hosts by way of any switch, each part on a shortest path.
    pub(super) detour: u32,
}

/// Returns the distances from a switch.
fn distances_from(graph: &Graph, from: u32) -> Vec<u16> {
    let mut distance = vec![FAR; graph.switches()];
    let mut queue = Vec::with_capacity(graph.switches());
    distance[from as usize] = 0;
    queue.push(from);
    let mut done = 0;
    while let Some(&at) = queue.get(done) {
        done += 1;
        let next = distance[at as usize].saturating_add(1).min(FAR - 1);
        for &head in graph.heads_of(SwitchId(at)) {
            if distance[head as usize] == FAR {
                distance[head as usize] = next;
                queue.push(head);
            }
        }
    }
    distance
}

impl Shortest {
    /// Builds the tables of a network.
    ///
    /// # Errors
    /// [`PacketError::TooLarge`] if they would take more than 2 GiB.
    pub(super) fn new(request: &Request<'_>) -> Result<Arc<Self>, PacketError> {
        let wiring = request.wiring;
        let graph = &wiring.topology.graph;
        if wiring.topology.spec.family().name == "equality"
            && graph.out_degree(SwitchId(0)) <= 64
            && let Some(tables) = Self::by_offset(wiring)
        {
            return Ok(Arc::new(tables));
        }
        let n = graph.switches();
        let degree = (0..n as u32).map(|s| graph.out_degree(SwitchId(s))).max().unwrap_or(0);
        let bytes = match degree {
            0..=8 => 1,
            9..=16 => 2,
            _ => degree.div_ceil(64) * 8,
        };
        if n.saturating_mul(n).saturating_mul(bytes + 2) > MAX_BYTES {
            let reason = format!(
                "the next hops of {n} switches for `{}` would take {} GiB, and may take 2; equality networks need no \
                 such table, and `dimension-order` neither",
                request.name,
                (n * n * (bytes + 2)) >> 30
            );
            return Err(PacketError::TooLarge { topology: wiring.topology.name(), reason });
        }
        let distance: Vec<u16> = (0..n as u32).into_par_iter().flat_map_iter(|s| distances_from(graph, s)).collect();
        let words = bytes.div_ceil(8);
        let row = |s: usize| {
            let mut row = vec![0_u64; n * words];
            for cable in 0..wiring.out_cables(s as u32) {
                let head = wiring.far_end(s as u32, cable).switch as usize;
                let (word, bit) = (cable as usize / 64, 1_u64 << (cable % 64));
                let (here, there) = (&distance[s * n..(s + 1) * n], &distance[head * n..(head + 1) * n]);
                for to in 0..n {
                    if there[to] != FAR && here[to] == there[to] + 1 {
                        row[to * words + word] |= bit;
                    }
                }
            }
            row
        };
        let rows = (0..n).into_par_iter();
        let masks = match bytes {
            1 => Masks::Narrow(rows.flat_map_iter(|s| row(s).into_iter().map(|mask| mask as u8)).collect()),
            2 => Masks::Middle(rows.flat_map_iter(|s| row(s).into_iter().map(|mask| mask as u16)).collect()),
            8 => Masks::Wide(rows.flat_map_iter(row).collect()),
            _ => Masks::Words(rows.flat_map_iter(row).collect(), words),
        };
        let with_hosts: Vec<usize> = (0..n).filter(|&s| wiring.hosts_of(s as u32) > 0).collect();
        let pairs = with_hosts.iter().flat_map(|&s| with_hosts.iter().map(move |&to| s * n + to));
        let diameter = pairs.map(|pair| u32::from(distance[pair])).max().unwrap_or(0);
        // Hops from a switch with hosts to any switch, and back. A switch without hosts may be farther than all with hosts.
        let by = |through: usize| {
            let largest = |distance: &dyn Fn(usize) -> u16| with_hosts.iter().map(|&s| distance(s)).max().unwrap_or(0);
            let there = largest(&|s| distance[s * n + through]);
            let back = largest(&|s| distance[through * n + s]);
            if there == FAR || back == FAR { 0 } else { u32::from(there) + u32::from(back) }
        };
        let detour = (0..n).map(by).max().unwrap_or(0).max(2 * diameter);
        Ok(Arc::new(Self { n: n as u32, index: Index::Pairs, masks, distance, diameter, detour }))
    }

    fn by_offset(wiring: &Wiring) -> Option<Self> {
        let graph = &wiring.topology.graph;
        let n = graph.switches() as u32;
        let hops: Vec<u32> = graph.neighbours(SwitchId(0)).map(|s| s.0).collect();
        let distance = distances_from(graph, 0);
        if !n.is_multiple_of(2) || distance.contains(&FAR) {
            return None;
        }
        // From a neighbour `hop` of switch 0 to an offset: from even switches upwards, from odd ones downwards.
        let after = |hop: u32, offset: u32| {
            let (from, to) = if hop.is_multiple_of(2) { (hop, offset) } else { (offset, hop) };
            distance[((to + n - from) % n) as usize]
        };
        let mut masks = vec![0_u64; 2 * n as usize];
        for offset in 1..n {
            for (bit, &hop) in hops.iter().enumerate() {
                if after(hop, offset) + 1 == distance[offset as usize] {
                    masks[offset as usize] |= 1 << bit;
                    // An odd switch takes the hop downwards: neighbours in ascending order are hops in descending.
                    masks[(n + n - offset) as usize] |= 1 << (hops.len() - 1 - bit);
                }
            }
        }
        let diameter = distance.iter().map(|&d| u32::from(d)).max().unwrap_or(0);
        let wrapped = (0..n).map(|from| match from.is_multiple_of(2) {
            true => hops.iter().filter(|&&hop| from + hop >= n).count() as u8,
            false => hops.iter().filter(|&&hop| hop <= from).count() as u8,
        });
        let index = Index::Offsets { degree: hops.len() as u32, wrapped: wrapped.collect() };
        Some(Self { n, index, masks: Masks::Wide(masks), distance, diameter, detour: 2 * diameter })
    }

    /// Returns the distance between switches in hops; [`FAR`] if there is no path.
    #[inline]
    pub(super) fn distance(&self, from: u32, to: u32) -> u32 {
        let place = match self.index {
            Index::Pairs => self.pair_place(from, to),
            Index::Offsets { .. } if from.is_multiple_of(2) => ((to + self.n - from) % self.n) as usize,
            Index::Offsets { .. } => ((from + self.n - to) % self.n) as usize,
        };
        u32::from(self.distance[place])
    }

    /// Returns `true` if a packet can pass a switch on its way: one that failed has no paths.
    #[inline]
    pub(super) fn may_pass(&self, from: u32, through: u32, to: u32) -> bool {
        self.distance(from, through) != u32::from(FAR) && self.distance(through, to) != u32::from(FAR)
    }

    /// Returns the place of a pair in tables of pairs.
    #[inline]
    fn pair_place(&self, from: u32, to: u32) -> usize {
        from as usize * self.n as usize + to as usize
    }

    /// Prefetches the mask of a pair.
    #[inline]
    pub(super) fn prefetch(&self, from: u32, to: u32) {
        let place = match self.index {
            Index::Pairs => self.pair_place(from, to),
            Index::Offsets { .. } => self.offset_place(from, to),
        };
        match &self.masks {
            Masks::Narrow(masks) => prefetch(&masks[place]),
            Masks::Middle(masks) => prefetch(&masks[place]),
            Masks::Wide(masks) => prefetch(&masks[place]),
            Masks::Words(masks, words) => prefetch(&masks[place * words]),
        }
    }

    /// Calls `visit` with each cable on a shortest path, in ascending order.
    #[inline]
    pub(super) fn next(&self, from: u32, to: u32, mut visit: impl FnMut(u32)) {
        let mut each = |mut mask: u64, first: u32| {
            while mask != 0 {
                visit(first + mask.trailing_zeros());
                mask &= mask - 1;
            }
        };
        if let Index::Offsets { degree, wrapped } = &self.index {
            each(self.by_offset_mask(*degree, u32::from(wrapped[from as usize]), from, to), 0);
            return;
        }
        let place = self.pair_place(from, to);
        match &self.masks {
            Masks::Narrow(masks) => each(u64::from(masks[place]), 0),
            Masks::Middle(masks) => each(u64::from(masks[place]), 0),
            Masks::Wide(masks) => each(masks[place], 0),
            Masks::Words(masks, words) => {
                for (first, &mask) in (0..).step_by(64).zip(&masks[place * words..(place + 1) * words]) {
                    each(mask, first);
                }
            }
        }
    }

    /// Returns the place of a pair in the masks by offset.
    #[inline]
    fn offset_place(&self, from: u32, to: u32) -> usize {
        let offset = if to >= from { to - from } else { to + self.n - from };
        offset as usize + if from.is_multiple_of(2) { 0 } else { self.n as usize }
    }

    /// Masks by offset have the bits of hops in ascending order; the neighbours of a switch are those hops rotated,
    /// because numbers wrap around.
    #[inline]
    fn by_offset_mask(&self, degree: u32, wrapped: u32, from: u32, to: u32) -> u64 {
        let Masks::Wide(masks) = &self.masks else { return 0 };
        let mask = masks[self.offset_place(from, to)];
        let whole = if degree == 64 { u64::MAX } else { (1 << degree) - 1 };
        match wrapped {
            0 => mask,
            _ if wrapped == degree => mask,
            _ => ((mask << wrapped) | (mask >> (degree - wrapped))) & whole,
        }
    }

    /// Returns the least loaded cable on a shortest path, the lowest of equals, and its load.
    #[inline]
    pub(super) fn least_loaded(&self, from: u32, to: u32, loads: &[u32], first_cable: u32) -> (u32, u32) {
        let mut best = (u32::MAX, 0);
        self.next(from, to, |cable| {
            let load = loads[(first_cable + cable) as usize];
            if load < best.0 {
                best = (load, cable);
            }
        });
        (best.1, best.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::parameters::HostPort;

    /// The table matches the definition: a cable is on a shortest path if its far end is one hop nearer.
    #[test]
    fn next_hops_are_one_hop_nearer() {
        for spec in [
            "equality:n=20,sa=[-1,1,7],sb=[6,10]",
            "equality:n=64,sa=[-1,1,9,23],sb=[14]",
            "random:n=30,d=5",
            "random_directed:n=20,d=3",
            "full_mesh:70",
            "kary_ntree:k=3,n=2",
        ] {
            let topology = Arc::new(crate::topology::build(spec).unwrap());
            let wiring = Arc::new(Wiring::new(topology.clone(), None, HostPort::Own, 1).unwrap());
            let request = Request { name: "amin", argument: None, wiring: &wiring, vcs: 4, seed: 1 };
            let tables = Shortest::new(&request).unwrap();
            for to in 0..wiring.switches() as u32 {
                let (distance, _) = crate::topology::hops::distances(&topology.graph, SwitchId(to));
                for from in 0..wiring.switches() as u32 {
                    assert_eq!(tables.distance(from, to), distance[from as usize], "{spec}");
                    tables.prefetch(from, to);
                    let mut found = Vec::new();
                    tables.next(from, to, |cable| found.push(cable));
                    let expected: Vec<u32> = (0..wiring.out_cables(from))
                        .filter(|&cable| {
                            distance[wiring.far_end(from, cable).switch as usize] + 1 == distance[from as usize]
                        })
                        .collect();
                    assert_eq!(found, expected, "{spec}: {from} to {to}");
                }
            }
        }
    }
}
