//! Random numbers of hosts and routings.
//!
//! Every host has a stream of its own, derived from the seed and its number, so results do not depend on the order in
//! which hosts are visited or on threads. The generator is SplitMix64 (G. Steele, D. Lea, C. Flood, Fast Splittable
//! Pseudorandom Number Generators, 2014): 8 bytes of state, which matters with a million hosts. It uses only integer
//! arithmetic and exact floating-point operations, so it is the same on any machine.

use crate::topology::derived_seed;

/// Name of the generator, which belongs to every seed.
pub const GENERATOR: &str = "splitmix64";

/// A stream of random numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stream(u64);

/// Returns the output function of SplitMix64.
#[inline]
pub fn mixed(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// Creates the stream of a host.
    pub fn new(seed: u64, host: u32) -> Self {
        Self(derived_seed(seed, u64::from(host)))
    }

    /// Returns the next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// Returns a uniform number in `0..bound`, fair to 2^-32 of a part of `bound`.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        scaled(self.bits(), bound)
    }

    /// Returns a uniform number in `[0, 1)`.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

/// Returns a number in `0..bound` from random bits.
#[inline]
pub fn scaled(bits: u64, bound: u32) -> u32 {
    ((u128::from(bits) * u128::from(bound)) >> 64) as u32
}

/// Cycles between the packets of a Bernoulli source: the geometric distribution, sampled without a draw in each cycle.
///
/// The binary digits of a geometric number are independent: digit `j` is 1 with probability `r / (1 + r)`, where
/// `r = (1 - p)^(2^j)`. That avoids a logarithm, whose last digit depends on the machine.
#[derive(Clone, PartialEq, Debug)]
pub struct Gaps {
    /// For each digit, the bound below which 64 random bits set it to 1.
    digits: Vec<u64>,
    rate: f64,
}

impl Gaps {
    /// Creates the gaps of a source that makes a packet in a cycle with probability `p`.
    pub fn new(p: f64) -> Self {
        let mut digits = Vec::new();
        let mut r = 1.0 - p;
        while r > 0.0 && digits.len() < 40 {
            let bound = r / (1.0 + r) * 2.0_f64.powi(64);
            if bound < 1.0 {
                break;
            }
            digits.push(bound as u64);
            r *= r;
        }
        Self { digits, rate: p.clamp(0.0, 1.0) }
    }

    /// `true` if there is never a packet.
    pub fn never(&self) -> bool {
        self.rate == 0.0
    }

    /// Returns the mean number of packets per cycle.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Returns the cycles without a packet before the next one.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        if self.rate == 1.0 {
            return 0;
        }
        let mut gap = 0;
        for (digit, &bound) in self.digits.iter().enumerate() {
            gap |= u64::from(stream.bits() < bound) << digit;
        }
        gap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_have_the_geometric_distribution() {
        for p in [0.9, 0.5, 0.05, 0.001] {
            let (gaps, mut stream) = (Gaps::new(p), Stream::new(7, 3));
            let count = 200_000;
            let drawn: Vec<u64> = (0..count).map(|_| gaps.draw(&mut stream)).collect();
            let mean = drawn.iter().sum::<u64>() as f64 / f64::from(count);
            let expected = (1.0 - p) / p;
            // The standard deviation of the mean is sqrt(1 - p) / p / sqrt(count); the limit is five of them.
            let deviation = (1.0 - p).sqrt() / p / f64::from(count).sqrt();
            assert!((mean - expected).abs() < 5.0 * deviation, "{p}: {mean} and {expected}");
            let zero = drawn.iter().filter(|&&gap| gap == 0).count() as f64 / f64::from(count);
            assert!((zero - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(count)).sqrt(), "{p}: {zero}");
        }
        assert_eq!(Gaps::new(1.0).draw(&mut Stream::default()), 0);
        assert!(Gaps::new(0.0).never());
    }
}
