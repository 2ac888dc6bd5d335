//! Random draws that are the same on every machine: only sums, products and roots, which IEEE 754 defines to the last
//! bit.

/// SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
#[derive(Clone, Copy, Debug)]
pub struct Noise(u64);

impl Noise {
    /// Returns a separate stream for each list of numbers.
    pub fn of(parts: &[u64]) -> Self {
        parts.iter().fold(Self(0), |noise, &part| Self(Self(noise.0 ^ part).next()))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// Returns a number that identifies the stream.
    pub fn seed(mut self) -> u64 {
        self.next()
    }

    /// Returns a number in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number of mean 0 and deviation 1: twelve uniform numbers are close enough to a normal one.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }

    /// Draws a Poisson number of events with the given mean.
    pub fn poisson(&mut self, mean: f64) -> f64 {
        if mean > LARGE {
            return (mean + mean.sqrt() * self.normal()).round().max(0.0);
        }
        let (mut left, mut chance, mut count) = (self.uniform(), exp_minus(mean), 0.0);
        while left >= chance && count < 10.0 * LARGE {
            left -= chance;
            count += 1.0;
            chance *= mean / count;
        }
        count
    }

    /// Draws how many of `things` happen, each with the same chance.
    pub fn binomial(&mut self, things: f64, chance: f64) -> f64 {
        let (yes, no) = (things * chance, things * (1.0 - chance));
        if yes <= LARGE {
            return self.poisson(yes).min(things);
        }
        if no <= LARGE {
            return things - self.poisson(no).min(things);
        }
        (yes + (yes * (1.0 - chance)).sqrt() * self.normal()).round().clamp(0.0, things)
    }
}

/// Above this mean, numbers are drawn from a normal distribution.
const LARGE: f64 = 32.0;

/// Returns e^-x, for x >= 0: the series of a small part of x, and ten squarings.
pub fn exp_minus(x: f64) -> f64 {
    if x > 740.0 {
        return 0.0;
    }
    let part = -x / 1024.0;
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..18 {
        term *= part / f64::from(n);
        sum += term;
    }
    (0..10).fold(sum, |power, _| power * power)
}

/// Returns the probability of at least one event if x are expected, 1 - e^-x.
pub fn at_least_one(x: f64) -> f64 {
    if x < 1e-5 { x * (1.0 - 0.5 * x) } else { 1.0 - exp_minus(x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right() {
        for x in [0.0, 1e-9, 0.3, 1.0, 17.0, 300.0] {
            assert!((exp_minus(x) / (-x).exp() - 1.0).abs() < 1e-12, "{x}");
            assert!((at_least_one(x) - -(-x).exp_m1()).abs() < 1e-12, "{x}");
        }
    }

    #[test]
    fn draws_have_their_mean_and_variance() {
        for mean in [0.2, 3.0, 20.0, 500.0] {
            let draws: Vec<f64> = (0..20_000).map(|i| Noise::of(&[7, i]).poisson(mean)).collect();
            let average = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|d| (d - average) * (d - average)).sum::<f64>() / draws.len() as f64;
            // Five standard deviations of both estimates.
            assert!((average - mean).abs() < 5.0 * (mean / 20_000.0).sqrt(), "{mean}: {average}");
            assert!((variance / mean - 1.0).abs() < 5.0 * ((2.0 + 1.0 / mean) / 20_000.0).sqrt(), "{mean}: {variance}");
        }
        for (things, chance) in [(1000.0, 0.001), (1000.0, 0.4), (1000.0, 0.999)] {
            let draws: Vec<f64> = (0..20_000).map(|i| Noise::of(&[8, i]).binomial(things, chance)).collect();
            let average = draws.iter().sum::<f64>() / draws.len() as f64;
            let deviation = (things * chance * (1.0 - chance) / 20_000.0).sqrt();
            assert!((average - things * chance).abs() < 5.0 * deviation, "{chance}: {average}");
            assert!(draws.iter().all(|&d| (0.0..=things).contains(&d)));
        }
    }
}
