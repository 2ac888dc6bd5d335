//! Random numbers of Graph500: a multiple recursive generator that can jump to any position of its sequence.
//!
//! z(n) = 107374182 z(n-1) + 104480 z(n-5) mod 2^31 - 1: P. L'Ecuyer, F. Blouin, R. Couture, A search for good multiple
//! recursive random number generators, ACM TOMACS 3(2), 1993, table 3. A step is a product of the last five numbers
//! with a 5 x 5 matrix, so a jump is a product with a power of it.

/// The modulus, 2^31 - 1.
const M: u64 = (1 << 31) - 1;
/// Multiplier of the last number.
const A1: u64 = 107_374_182;
/// Multiplier of the fifth last number.
const A5: u64 = 104_480;

/// Reduces a number below 2^63 to one below 2^33 with the same remainder.
fn fold(x: u64) -> u64 {
    (x & M) + (x >> 31)
}

/// Returns the remainder of a number below 2^63.
fn reduce(x: u64) -> u64 {
    let x = fold(fold(x));
    if x >= M { x - M } else { x }
}

/// Jump by a number of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jump([[u64; 5]; 5]);

impl Jump {
    /// Returns the jump of one step.
    pub fn one() -> Self {
        let mut rows = [[0; 5]; 5];
        (rows[0][0], rows[0][4]) = (A1, A5);
        for i in 1..5 {
            rows[i][i - 1] = 1;
        }
        Self(rows)
    }

    fn none() -> Self {
        let mut rows = [[0; 5]; 5];
        (0..5).for_each(|i| rows[i][i] = 1);
        Self(rows)
    }

    /// Returns both jumps combined.
    fn and(&self, other: &Self) -> Self {
        let mut rows = [[0; 5]; 5];
        for (i, row) in rows.iter_mut().enumerate() {
            for (j, cell) in row.iter_mut().enumerate() {
                *cell = reduce((0..5).map(|k| fold(self.0[i][k] * other.0[k][j])).sum());
            }
        }
        Self(rows)
    }

    /// Returns the jump repeated `times` times.
    pub fn times(&self, mut times: u64) -> Self {
        let (mut result, mut square) = (Self::none(), *self);
        while times > 0 {
            if times & 1 == 1 {
                result = result.and(&square);
            }
            square = square.and(&square);
            times >>= 1;
        }
        result
    }

    /// Returns the jump repeated 2^64 times.
    pub fn times_2_to_the_64(&self) -> Self {
        self.times(1 << 32).times(1 << 32)
    }
}

/// The generator's last five numbers, the latest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Generator([u64; 5]);

impl Generator {
    /// Creates a generator as Graph500 does: two seeds are spread over the five numbers, none of which may be the
    /// modulus.
    pub fn seeded(first: u64, second: u64) -> Self {
        let low = |x: u64| (x & 0x3FFF_FFFF) + 1;
        Self([low(first), low(first >> 30), low(second), low(second >> 30), ((second >> 60) << 4) + (first >> 60) + 1])
    }

    /// Returns the generator after a jump.
    pub fn after(&self, jump: &Jump) -> Self {
        let z = &self.0;
        Self(jump.0.map(|row| reduce((0..5).map(|k| fold(row[k] * z[k])).sum())))
    }

    /// Returns the next number, below 2^31 - 1.
    pub fn next(&mut self) -> u32 {
        let [a, b, c, d, e] = self.0;
        self.0 = [reduce(A1 * a + A5 * e), a, b, c, d];
        self.0[0] as u32
    }

    /// Returns a number from 0 to 1, from two steps.
    pub fn uniform(&mut self) -> f64 {
        let m = M as f64;
        let (high, low) = (f64::from(self.next()), f64::from(self.next()));
        high / m + low / m / m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_as_good_as_steps() {
        let start = Generator::seeded(2, 3);
        let mut walked = start;
        for steps in 0..300 {
            assert_eq!(start.after(&Jump::one().times(steps)), walked, "{steps} steps");
            walked.next();
        }
    }

    #[test]
    fn jumps_add_up() {
        let one = Jump::one();
        assert_eq!(one.times(1 << 40).times(3).and(&one.times(7)), one.times((3 << 40) + 7));
        assert_eq!(one.times_2_to_the_64(), one.times(1 << 63).times(2));
    }

    #[test]
    fn a_step_is_the_recurrence() {
        // 107374182 * 3 + 104480 * 1 and then 107374182 * 322227026 + 104480 * 4, both modulo 2^31 - 1.
        let mut generator = Generator([3, 1, 4, 4, 1]);
        assert_eq!(generator.next(), 322_227_026);
        let want = (107_374_182_u128 * 322_227_026 + 104_480 * 4) % 2_147_483_647;
        assert_eq!(u128::from(generator.next()), want);
    }
}
