//! Edges of a Graph500 graph, each of which can be computed independently.
//!
//! An edge descends the levels of a Kronecker product of the 2 x 2 matrix (0.57, 0.19; 0.19, 0.05): at each level a
//! random quarter determines one bit of both of its ends. The ends are then renamed by a permutation, so that large and
//! small degrees are spread over all numbers. Random numbers and permutation are those of the reference code, and so is
//! the graph, edge by edge.

use super::random::{Generator, Jump};

/// Probability that a bit of an end is 0, and that it is 1: sums of the rows of the matrix.
pub const OF_A_BIT: [f64; 2] = [0.76, 0.24];
/// Probabilities of the quarters of the matrix.
pub const OF_A_QUARTER: [[f64; 2]; 2] = [[0.57, 0.19], [0.19, 0.05]];

/// The permutation of vertex numbers: multiplications by odd numbers, whose high bits matter, and reversals of the
/// bits.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    scale: u32,
    add: u64,
    first: u64,
    second: u64,
}

impl Names {
    fn new(scale: u32, first: u64, second: u64) -> Self {
        // The constants of the reference code; both products are odd.
        let (odd, other_odd) = (0x4519_8402_1149_3211, 0x3050_8521_02C8_43A5);
        Self { scale, add: first.wrapping_add(second), first: first | odd, second: second | other_odd }
    }

    fn reverse(&self, x: u64) -> u64 {
        x.reverse_bits() >> (64 - self.scale)
    }

    /// Returns the new name of a vertex.
    pub fn of(&self, vertex: u64) -> u64 {
        let once = self.reverse(vertex.wrapping_add(self.add).wrapping_mul(self.first));
        self.reverse(once.wrapping_mul(self.second))
    }

    /// Returns the vertex of that name.
    pub fn vertex(&self, name: u64) -> u64 {
        let low = (1 << self.scale) - 1;
        let once = (self.reverse(name)).wrapping_mul(inverse(self.second)) & low;
        (self.reverse(once)).wrapping_mul(inverse(self.first)).wrapping_sub(self.add) & low
    }
}

/// Returns the inverse of an odd number modulo 2^64: Newton's iteration doubles the number of correct bits, initially
/// three.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x))))
}

/// Generator of edges.
#[derive(Clone, Copy, Debug)]
pub struct Edges {
    scale: u32,
    start: Generator,
    /// Jump from the random numbers of an edge to those of the next one.
    stride: Jump,
    /// Permutation of the vertices.
    pub names: Names,
}

impl Edges {
    /// Creates the generator of the graph of 2^scale vertices with these seeds; the reference code uses 2 and 3.
    pub fn new(scale: u32, seeds: (u64, u64)) -> Self {
        let start = Generator::seeded(seeds.0, seeds.1);
        let stride = Jump::one().times_2_to_the_64();
        // The permutation is drawn 50 * 2^128 + 7 * 2^64 steps on.
        let mut far = start.after(&stride.times_2_to_the_64().times(50)).after(&stride.times(7));
        let mut draw = || {
            let high = u64::from(far.next()).wrapping_mul(0xFFFF_FFFF);
            high.wrapping_add(u64::from(far.next()))
        };
        let (first, second) = (draw(), draw());
        Self { scale, start, stride, names: Names::new(scale, first, second) }
    }

    /// Returns the edges in order, from number `first`.
    pub fn from(&self, first: u64) -> impl Iterator<Item = (u64, u64)> {
        let mut place = self.start.after(&self.stride.times(first));
        std::iter::repeat_with(move || {
            let mut random = place;
            place = place.after(&self.stride);
            self.edge(&mut random)
        })
    }

    fn edge(&self, random: &mut Generator) -> (u64, u64) {
        let (mut a, mut b) = (0u64, 0u64);
        for _ in 0..self.scale {
            let (mut bit_a, mut bit_b) = quarter(random);
            // While both ends are equal, an edge and its mirror image are equal: the half above the diagonal is used.
            if a == b && bit_a > bit_b {
                (bit_a, bit_b) = (bit_b, bit_a);
            }
            (a, b) = (a << 1 | bit_a, b << 1 | bit_b);
        }
        (self.names.of(a), self.names.of(b))
    }
}

/// Returns one bit of both ends.
fn quarter(random: &mut Generator) -> (u64, u64) {
    // The reference code redraws small numbers, as if they ran to 2^32, so that all remainders are equally likely.
    const UNFAIR: u32 = u32::MAX % 10_000;
    let mut number = random.next();
    while number < UNFAIR {
        number = random.next();
    }
    match number % 10_000 {
        0..1_900 => (0, 1),
        1_900..3_800 => (1, 0),
        3_800..9_500 => (0, 0),
        _ => (1, 1),
    }
}

/// Returns vertices from which a search might begin, in the order of the reference code; vertices without edges are to
/// be skipped.
pub fn candidates(scale: u32, seeds: (u64, u64)) -> impl Iterator<Item = u64> {
    let vertices = 1u64 << scale;
    let start = Generator::seeded(seeds.0, seeds.1);
    let far = start.after(&Jump::one().times_2_to_the_64().times_2_to_the_64().times(2));
    let mut random = far;
    // The reference code stops after one candidate per vertex.
    (0..vertices).map(move |_| {
        let sum = random.uniform() + random.uniform();
        (sum * vertices as f64) as u64 % vertices
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_a_permutation() {
        for scale in [1, 4, 10] {
            let names = Edges::new(scale, (2, 3)).names;
            let mut seen = vec![false; 1 << scale];
            for vertex in 0..1 << scale {
                let name = names.of(vertex);
                assert!(!std::mem::replace(&mut seen[name as usize], true));
                assert_eq!(names.vertex(name), vertex);
            }
        }
    }

    #[test]
    fn edges_can_begin_anywhere() {
        let edges = Edges::new(12, (2, 3));
        let all: Vec<_> = edges.from(0).take(100).collect();
        let some: Vec<_> = edges.from(60).take(40).collect();
        assert_eq!(all[60..], some);
    }

    #[test]
    fn quarters_have_their_probabilities() {
        let mut random = Generator::seeded(1, 2);
        let mut counts = [[0u32; 2]; 2];
        let draws = 1_000_000;
        for _ in 0..draws {
            let (a, b) = quarter(&mut random);
            counts[a as usize][b as usize] += 1;
        }
        for a in 0..2 {
            for b in 0..2 {
                let part = f64::from(counts[a][b]) / f64::from(draws);
                // Four standard deviations are 0.002.
                assert!((part - OF_A_QUARTER[a][b]).abs() < 0.002, "{a}{b}: {part}");
            }
        }
    }
}
