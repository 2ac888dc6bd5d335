//! The random generator of the topologies and routings, and the derivation of seeds from seeds.
//!
//! Everything random is drawn from [`Pcg64`], a generator with a name and a published algorithm, and is converted to
//! numbers and orders here instead of by the helpers of the `rand` crate: those may change between releases of the
//! crate, and a seed printed in an old result would then no longer build the same network.

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg64;

/// Name of the generator, printed with every seed: PCG XSL RR 128/64 (M. O'Neill, PCG: A Family of Simple Fast
/// Space-Efficient Statistically Good Algorithms for Random Number Generation, 2014).
pub const GENERATOR: &str = "pcg64";

/// Stream of random choices.
pub(crate) struct Randomness(Pcg64);

impl Randomness {
    /// Returns the stream of `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        for (index, chunk) in (0_u64..).zip(bytes.chunks_exact_mut(8)) {
            chunk.copy_from_slice(&derived_seed(seed, index).to_le_bytes());
        }
        Self(Pcg64::from_seed(bytes))
    }

    /// Returns a uniform number in `0..bound`.
    ///
    /// Multiplies a random 64-bit fraction by the bound, and draws again in the few cases that would favour some
    /// numbers (D. Lemire, Fast Random Integer Generation in an Interval, 2019).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below 0 to choose");
        let bound = bound as u64;
        let unfair = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(bound);
            if product as u64 >= unfair {
                return (product >> 64) as usize;
            }
        }
    }

    /// Returns a uniform number in `[0, 1)`, a multiple of 2^-53.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Puts the items into a uniformly random order (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// Returns one of `count` numbers from 0 on, by a hash: the high bits of a product, which are fair to 2^-64.
pub(crate) fn chosen(hash: u64, count: usize) -> usize {
    ((u128::from(hash) * count as u128) >> 64) as usize
}

/// Returns the seed of item `index` that depends on `seed`: one step of SplitMix64 (G. Steele, D. Lea and C. Flood,
/// Fast Splittable Pseudorandom Number Generators, 2014) from a state that mixes both.
pub(crate) fn derived_seed(seed: u64, index: u64) -> u64 {
    splitmix(splitmix(seed).wrapping_add(index))
}

fn splitmix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_its_published_first_output() {
        // The first output of SplitMix64 from state 0, as printed by the authors' reference program.
        assert_eq!(splitmix(0), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn a_seed_always_gives_the_same_choices() {
        let draw = |seed| {
            let mut random = Randomness::new(seed);
            (0..8).map(|_| random.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn choices_stay_in_range_and_reach_every_number() {
        let mut random = Randomness::new(7);
        let mut seen = [0; 5];
        for _ in 0..5000 {
            seen[random.below(5)] += 1;
            assert!((0.0..1.0).contains(&random.unit()));
        }
        // Each count is binomial with mean 1000 and standard deviation 28.
        assert!(seen.iter().all(|&count| (850..1150).contains(&count)), "{seen:?}");
        let mut order: Vec<u32> = (0..20).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..20).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..20).collect::<Vec<_>>());
    }
}
