//! SpectralFly: the Ramanujan graphs of Lubotzky, Phillips and Sarnak, LPS(p, q), of degree p + 1.
//!
//! (A. Lubotzky, R. Phillips, P. Sarnak, Ramanujan Graphs, 1988; S. Young et al., SpectralFly: Ramanujan Graphs as
//! Flexible and Efficient Interconnection Networks, 2022.) p and q are different odd primes with `q > 2*sqrt(p)`. The
//! graph is the Cayley graph of invertible 2 x 2 matrices over the integers modulo q, up to a factor. Its generators
//! come from the p + 1 integer solutions of `a^2 + b^2 + c^2 + d^2 = p` with a > 0 odd and b, c, d even if p is
//! 1 modulo 4; otherwise with a >= 0 even and b, c, d odd, and b > 0 if a = 0. With x and y such that
//! `x^2 + y^2 + 1 = 0` the generator is
//!
//! ```text
//! |  a + b*x + d*y   c - b*y + d*x |
//! | -c - b*y + d*x   a - b*x - d*y |
//! ```
//!
//! If p is a square modulo q, the matrices whose determinant is a square are reached: PSL(2, q), `q*(q^2 - 1)/2`
//! switches; otherwise all, PGL(2, q), twice as many, and the graph is bipartite. A matrix is represented by its
//! multiple whose first entry that is not 0 is 1; switches are numbered in lexicographic order of those.

use super::galois::is_prime;
use super::legal::nearest;
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts, TopologyError};

/// Entries of a matrix modulo q, row by row.
type Matrix = [usize; 4];

/// Largest q: above, PSL(2, q) exceeds [`MAX_SWITCHES`].
const MAX_Q: usize = 317;
/// Largest p: above, a graph of the least q exceeds the limit of arcs.
const MAX_P: usize = 4093;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let hosts = arguments.hosts("hosts")?;
    let odd_prime = |p: usize| p > 2 && is_prime(p);
    let prime = |name, most: usize, legal: &dyn Fn(usize) -> bool, rule: &str| {
        let value = arguments.integer(name).unwrap_or(0);
        usize::try_from(value)
            .ok()
            .filter(|&value| value <= most && legal(value))
            .ok_or_else(|| arguments.invalid(name, format!("it must be {rule}; {}", nearest(value, 3..=most, legal))))
    };
    let p = prime("p", MAX_P, &odd_prime, &format!("an odd prime up to {MAX_P}"))?;
    let fits = |q: usize| odd_prime(q) && q != p && q * q > 4 * p;
    let q = prime("q", MAX_Q, &fits, &format!("an odd prime up to {MAX_Q} other than p and above 2*sqrt(p)"))?;
    let group = ProjectiveGroup::new(p, q);
    let n = group.order();
    if n > MAX_SWITCHES {
        let rule = format!("that makes {n} switches, and the limit is {MAX_SWITCHES}");
        return Err(arguments.invalid("q", rule));
    }
    arguments.limit_arcs("p", n as u128 * (p as u128 + 1))?;
    Ok(Graph::undirected(n, group.cables(&generators(p, q)))?.with_hosts(Hosts::Everywhere(hosts)))
}

/// Number of switches of LPS(p, q); `None` if there is no such graph.
pub(crate) fn switches(p: usize, q: usize) -> Option<usize> {
    let odd_prime = |p: usize| p > 2 && is_prime(p);
    (odd_prime(p) && odd_prime(q) && p != q && q * q > 4 * p).then(|| ProjectiveGroup::new(p, q).order())
}

/// PGL(2, q), or the part of it that the generators reach.
struct ProjectiveGroup {
    q: usize,
    /// `true` if all determinants are squares.
    half: bool,
    /// `true` for each number below q that is a square other than 0.
    square: Vec<bool>,
    inverse: Vec<usize>,
}

impl ProjectiveGroup {
    fn new(p: usize, q: usize) -> Self {
        let mut square = vec![false; q];
        (1..q).for_each(|x| square[x * x % q] = true);
        let mut inverse = vec![0; q];
        for (x, own) in inverse.iter_mut().enumerate().skip(1) {
            // x^(q - 2), Fermat's little theorem.
            let (mut power, mut base, mut exponent) = (1, x, q - 2);
            while exponent > 0 {
                if exponent % 2 == 1 {
                    power = power * base % q;
                }
                base = base * base % q;
                exponent /= 2;
            }
            *own = power;
        }
        Self { q, half: square[p % q], square, inverse }
    }

    fn order(&self) -> usize {
        let all = self.q * (self.q * self.q - 1);
        if self.half { all / 2 } else { all }
    }

    /// Returns the multiple whose first entry that is not 0 is 1.
    fn representative(&self, matrix: Matrix) -> Matrix {
        let first = matrix.iter().copied().find(|&entry| entry != 0).expect("an invertible matrix is not 0");
        matrix.map(|entry| entry * self.inverse[first] % self.q)
    }

    fn product(&self, [a, b, c, d]: Matrix, [e, f, g, h]: Matrix) -> Matrix {
        [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h].map(|entry| entry % self.q)
    }

    /// Returns all elements, in lexicographic order: `0 1 / c d` with c not 0, then `1 b / c d`.
    fn elements(&self) -> Vec<Matrix> {
        let q = self.q;
        let first = (1..q).flat_map(|c| (0..q).map(move |d| [0, 1, c, d]));
        let second = (0..q).flat_map(|b| (0..q).flat_map(move |c| (0..q).map(move |d| [1, b, c, d])));
        let determinant = |[a, b, c, d]: Matrix| (a * d + q * q - b * c) % q;
        let belongs = |matrix: &Matrix| match determinant(*matrix) {
            0 => false,
            det => !self.half || self.square[det],
        };
        first.chain(second).filter(belongs).collect()
    }

    fn cables(&self, generators: &[Matrix]) -> Vec<(u32, u32)> {
        let q = self.q;
        let place = |[a, b, c, d]: Matrix| (if a == 0 { 0 } else { q * q + b * q * q }) + c * q + d;
        let elements = self.elements();
        let mut number = vec![u32::MAX; q * q * (q + 1)];
        (0..).zip(&elements).for_each(|(index, &element)| number[place(element)] = index);
        let mut cables = Vec::with_capacity(elements.len() * generators.len() / 2);
        for (index, &element) in (0..).zip(&elements) {
            // The inverse of each generator is one of them: every cable is visited from both ends.
            let ends = generators
                .iter()
                .map(|&generator| number[place(self.representative(self.product(element, generator)))]);
            cables.extend(ends.filter(|&end| index < end).map(|end| (index, end)));
        }
        cables
    }
}

/// Returns the p + 1 generators.
fn generators(p: usize, q: usize) -> Vec<Matrix> {
    let square_root = |square: i64| {
        let root = square.isqrt();
        (root * root == square).then_some(root)
    };
    let (p, q) = (p as i64, q as i64);
    let root = p.isqrt();
    let first_even = p % 4 == 3;
    let mut found = Vec::with_capacity(p as usize + 1);
    let (x, y) = (0..q)
        .flat_map(|x| (0..q).map(move |y| (x, y)))
        .find(|(x, y)| (x * x + y * y + 1) % q == 0)
        .expect("-1 is a sum of two squares modulo a prime");
    for a in 0..=root {
        if (a % 2 == 0) != first_even {
            continue;
        }
        for b in -root..=root {
            for c in -root..=root {
                let rest = p - a * a - b * b - c * c;
                let Some(last) = (rest >= 0).then(|| square_root(rest)).flatten() else { continue };
                for d in if last == 0 { vec![0] } else { vec![-last, last] } {
                    let parity = |other: i64| (other % 2 == 0) != first_even;
                    if !(parity(b) && parity(c) && parity(d)) || a == 0 && b < 0 {
                        continue;
                    }
                    let entries = [a + b * x + d * y, c - b * y + d * x, -c - b * y + d * x, a - b * x - d * y];
                    found.push(entries.map(|entry| entry.rem_euclid(q) as usize));
                }
            }
        }
    }
    debug_assert_eq!(found.len() as i64, p + 1);
    found
}
