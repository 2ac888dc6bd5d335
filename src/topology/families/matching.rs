//! Random maximal matchings, with which the random families draw two-way cables.
//!
//! A round takes switches in random order and connects each to a random one that the round has not used and that is not
//! its neighbour yet (*Skywalk: a Topology for HPC Networks with Low-delay Switches*, its random topology).

use crate::topology::Randomness;

/// Up to this many switches, adjacency is a bit matrix (32 MiB); above, a list per switch.
const BIT_MATRIX_SWITCHES: usize = 1 << 14;

/// Draws `rounds` rounds over the switches `0..n`; existing connections remain.
pub(super) fn rounds(
    n: usize,
    rounds: usize,
    joined: &mut Joined,
    pairs: &mut Vec<(u32, u32)>,
    random: &mut Randomness,
) {
    let mut candidates = Vec::new();
    for _ in 0..rounds {
        let mut waiting: Vec<u32> = (0..n as u32).collect();
        while !waiting.is_empty() {
            let first = waiting.swap_remove(random.below(waiting.len()));
            if let Some(place) = partner(first, &waiting, joined, &mut candidates, random) {
                let second = waiting.swap_remove(place);
                joined.join(first, second);
                pairs.push((first, second));
            }
        }
    }
}

/// Returns the position in `waiting` of a uniformly random switch that is not connected to `first`.
///
/// Nearly always one of the first draws fits. If none does, one of the fitting switches is drawn; in both cases all
/// fitting switches are equally likely.
fn partner(
    first: u32,
    waiting: &[u32],
    joined: &Joined,
    candidates: &mut Vec<usize>,
    random: &mut Randomness,
) -> Option<usize> {
    if waiting.is_empty() {
        return None;
    }
    for _ in 0..8 {
        let place = random.below(waiting.len());
        if !joined.contains(first, waiting[place]) {
            return Some(place);
        }
    }
    candidates.clear();
    candidates.extend((0..waiting.len()).filter(|&place| !joined.contains(first, waiting[place])));
    (!candidates.is_empty()).then(|| candidates[random.below(candidates.len())])
}

/// Adjacency of switches.
pub(super) enum Joined {
    Bits { n: usize, words: Vec<u64> },
    Lists(Vec<Vec<u32>>),
}

impl Joined {
    /// Returns an adjacency without connections.
    pub(super) fn new(n: usize) -> Self {
        if n <= BIT_MATRIX_SWITCHES {
            Self::Bits { n, words: vec![0; (n * n).div_ceil(64)] }
        } else {
            Self::Lists(vec![Vec::new(); n])
        }
    }

    /// Returns `true` if two switches are connected.
    pub(super) fn contains(&self, u: u32, v: u32) -> bool {
        match self {
            Self::Bits { n, words } => {
                let bit = u as usize * n + v as usize;
                words[bit / 64] >> (bit % 64) & 1 == 1
            }
            Self::Lists(lists) => lists[u as usize].contains(&v),
        }
    }

    /// Connects two switches.
    pub(super) fn join(&mut self, u: u32, v: u32) {
        for (u, v) in [(u, v), (v, u)] {
            match self {
                Self::Bits { n, words } => {
                    let bit = u as usize * *n + v as usize;
                    words[bit / 64] |= 1 << (bit % 64);
                }
                Self::Lists(lists) => lists[u as usize].push(v),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_bits_give_the_same_network() {
        // The two representations of adjacency must not change a choice.
        let (mut bits, mut lists) = (Joined::new(50), Joined::Lists(vec![Vec::new(); 50]));
        let mut random = Randomness::new(5);
        for _ in 0..300 {
            let (u, v) = (random.below(50) as u32, random.below(50) as u32);
            assert_eq!(bits.contains(u, v), lists.contains(u, v));
            bits.join(u, v);
            lists.join(u, v);
        }
        assert!(matches!(Joined::new(BIT_MATRIX_SWITCHES + 1), Joined::Lists(_)));
    }
}
