//! Star products of graphs, and the graphs inside a supernode that keep their diameter small.
//!
//! (J. Bermond, C. Delorme, G. Farhi, Large Graphs with Given Degree and Diameter III, 1982.) Every vertex x of the
//! structure graph becomes a copy of the supernode graph: vertex `(x, a)` has the number `x*m + a`. Copies of adjacent
//! x < y are joined by m cables, `(x, a) - (y, f(a))`, with a bijection f of the supernode. A loop at x joins `(x, a)`
//! to `(x, f(a))`. If the structure has diameter 2, the product has diameter at most 3 when f fulfils one of two rules:
//!
//! - f is an involution, and each pair of vertices is a cable, the image of a cable under f, or `{a, f(a)}` (the
//!   inductive quad);
//! - f(f(.)) is an automorphism, and each pair is a cable or the image of a cable under f (the Paley graph).

use super::galois::Field;

/// The graph inside a supernode and its bijection.
pub(super) struct Supernode {
    /// Cables between the vertices of a copy.
    pub cables: Vec<(u32, u32)>,
    /// f(a) for each vertex a.
    pub image: Vec<u32>,
}

impl Supernode {
    /// Returns the Paley graph over a field of q elements, `q mod 4 = 1`: elements are joined if their difference is a
    /// square. f multiplies by the generator, which is not a square. Degree (q - 1)/2.
    pub(super) fn paley(field: &Field) -> Self {
        let q = field.q;
        let mut cables = Vec::with_capacity(q * (q - 1) / 4);
        for a in 0..q {
            let others = (0..q - 1).step_by(2).map(|square| field.add(a, field.power(square)));
            cables.extend(others.filter(|&b| a < b).map(|b| (a as u32, b as u32)));
        }
        Self { cables, image: (0..q).map(|a| field.mul(a, field.power(1)) as u32).collect() }
    }

    /// Returns the inductive quad of a degree that is 0 or 3 modulo 4: `2*degree + 2` vertices, in pairs `{a, f(a)}`.
    ///
    /// (K. Lakhotia et al., PolarStar: Expanding the Horizon of Diameter-3 Networks, 2023.) Degree 0 is a pair without
    /// cables. A quad is four pairs x, y1, y2, y3 of degree 3: x and f(x) are joined to y1, y2 and y3; yi and f(yi) are
    /// joined to f(yi'), where i' is the next of 1, 2, 3. Each step adds a quad and raises the degree by 4: with A one
    /// vertex of each earlier pair and f(A) the other ones, the pairs x and y1 are joined to all of A, the pairs y2 and
    /// y3 to all of f(A). A quad is numbered x, y1, y2, y3, f(x), f(y1), f(y2), f(y3).
    pub(super) fn inductive_quad(degree: u32) -> Self {
        let mut quad = Self { cables: Vec::new(), image: Vec::new() };
        let (mut chosen, mut others) = (Vec::new(), Vec::new());
        if degree.is_multiple_of(4) {
            quad.image.extend([1, 0]);
            chosen.push(0);
            others.push(1);
        }
        while chosen.len() < degree as usize + 1 {
            let first = quad.image.len() as u32;
            let (mut joined, mut images) = (Vec::new(), Vec::new());
            for i in 0..4 {
                let (vertex, image) = (first + i, first + 4 + i);
                if i > 0 {
                    let next = first + 4 + 1 + i % 3;
                    quad.cables.extend([(first, vertex), (vertex, first + 4), (vertex, next)]);
                    quad.cables.push((image.min(next), image.max(next)));
                }
                let earlier = if i < 2 { &chosen } else { &others };
                quad.cables.extend(earlier.iter().flat_map(|&old| [(old, vertex), (old, image)]));
                joined.push(vertex);
                images.push(image);
            }
            quad.image.extend(images.iter().chain(&joined));
            chosen.append(&mut joined);
            others.append(&mut images);
        }
        quad
    }

    /// Returns the cables of the star product with a structure graph of `n` vertices.
    pub(super) fn star(&self, n: usize, structure: &[(u32, u32)], loops: &[u32]) -> Vec<(u32, u32)> {
        let m = self.image.len() as u32;
        let size = n * self.cables.len() + (structure.len() + loops.len()) * m as usize;
        let mut cables = Vec::with_capacity(size);
        for x in 0..n as u32 {
            cables.extend(self.cables.iter().map(|&(a, b)| (x * m + a, x * m + b)));
        }
        for &(x, y) in structure {
            cables.extend((0..).zip(&self.image).map(|(a, &image): (u32, _)| (x * m + a, y * m + image)));
        }
        for &x in loops {
            let pairs = (0..).zip(&self.image).filter(|&(a, &image): &(u32, _)| a < image);
            cables.extend(pairs.map(|(a, &image)| (x * m + a, x * m + image)));
        }
        cables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Checks the rule of the bijection for all pairs, and that all degrees are equal.
    fn check(supernode: &Supernode, degree: usize, involution: bool) {
        let m = supernode.image.len() as u32;
        let pair = |a: u32, b: u32| (a.min(b), a.max(b));
        let cables: BTreeSet<(u32, u32)> = supernode.cables.iter().map(|&(a, b)| pair(a, b)).collect();
        assert_eq!(cables.len(), supernode.cables.len(), "no cable twice");
        let f = |a: u32| supernode.image[a as usize];
        let mut degrees = vec![0; m as usize];
        for &(a, b) in &cables {
            assert!(a < b && b < m);
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
            assert!(cables.contains(&pair(f(f(a)), f(f(b)))), "f(f(.)) is an automorphism");
        }
        assert!(degrees.iter().all(|&found| found == degree), "{degrees:?}");
        assert_eq!(supernode.image.iter().collect::<BTreeSet<_>>().len(), m as usize, "f is a bijection");
        for a in 0..m {
            assert!(!involution || f(f(a)) == a && f(a) != a);
            for b in a + 1..m {
                let image = cables.iter().any(|&(u, v)| pair(f(u), f(v)) == (a, b));
                assert!(cables.contains(&(a, b)) || image || involution && f(a) == b, "{a} {b}");
            }
        }
    }

    #[test]
    fn inductive_quads_fulfil_their_rule() {
        for degree in [0, 3, 4, 7, 8, 11, 12, 15] {
            let quad = Supernode::inductive_quad(degree);
            assert_eq!(quad.image.len(), 2 * degree as usize + 2);
            check(&quad, degree as usize, true);
        }
    }

    #[test]
    fn paley_graphs_fulfil_their_rule() {
        for q in [5, 9, 13, 17, 25] {
            check(&Supernode::paley(&Field::new(q).unwrap()), (q - 1) / 2, false);
        }
    }
}
