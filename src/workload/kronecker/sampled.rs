//! Searches in a graph that is too large to build.
//!
//! Edges of a Kronecker graph are drawn independently of each other, so the numbers of edges between pairs of vertices
//! are independent, and Poisson to a very good approximation; their means depend on the bits of both vertices. Vertices
//! whose numbers have equally many one bits are a class, with the same expected degree. An unreached vertex is reached
//! next with probability 1 - e^-x, if x edges to the vertices of the last level are expected; its edges to the rest of
//! the graph are unaffected. A search is therefore drawn class by class, level by level:
//!
//! - The few vertices of the classes with the largest degrees (the hubs, up to [`HUBS`]) are drawn one by one and
//!   belong to the ranks that own them in the real graph: they make some ranks busier than others.
//! - For all other classes the number of vertices reached is drawn, and the share of each rank.
//! - The expected edges between two levels are distributed over pairs of ranks by their shares in both, and drawn as
//!   Poisson numbers.
//!
//! Two effects are neglected: the bits of vertices of the last level and of unreached vertices are assumed to be
//! independent within a class, and there are no loops. `docs/guide/workloads.md` has the resulting error at sizes at
//! which a graph can be built.

use super::edges::{Edges, OF_A_BIT, OF_A_QUARTER, candidates};
use super::noise::{Noise, at_least_one};
use super::search::{SearchLevel, Spec};

/// Largest number of vertices that are drawn one by one.
const HUBS: u64 = 1 << 18;
/// Largest number of levels of a search.
const DEEPEST: usize = 250;

/// The drawn searches.
#[derive(Debug)]
pub struct Sampled {
    ranks: u32,
    searches: Vec<SampledSearch>,
}

#[derive(Debug)]
struct SampledSearch {
    /// Seed of the numbers of each pair of ranks.
    seed: u64,
    /// Expected number of edges from each level to the previous one, to itself, and to the next one.
    between: Vec<[f64; 3]>,
    /// Share of each rank in the ends of a level's edges.
    shares: Vec<Vec<f64>>,
    /// Number of edges inspected in each level by one rank, if unreached vertices look for vertices of the last level.
    looks: Vec<f64>,
}

/// Common data of all searches in a graph.
struct DegreeModel {
    edges: Edges,
    ranks: u32,
    /// Number of vertices of each class.
    sizes: Vec<f64>,
    /// Expected degree of a vertex of each class.
    degrees: Vec<f64>,
    /// Expected number of edges between two vertices, one of each class.
    rates: Vec<Vec<f64>>,
    /// Number and class of each hub.
    hubs: Vec<(u64, usize)>,
    /// Number of leading classes that contain hubs.
    hub_classes: usize,
}

impl Sampled {
    /// Draws the searches. The error is the reason why that is impossible.
    pub fn new(spec: &Spec) -> Result<Self, String> {
        let model = DegreeModel::new(spec);
        let mut searches = Vec::new();
        let mut roots = Vec::new();
        for name in candidates(spec.scale, spec.seeds) {
            if searches.len() == spec.roots as usize {
                break;
            }
            if roots.contains(&name) {
                continue;
            }
            // A root without edges reaches nothing and is left out, as in the reference code.
            if let Some(search) = model.search(name, spec)? {
                searches.push(search);
                roots.push(name);
            }
        }
        if searches.len() < spec.roots as usize {
            return Err(format!("the graph has only {} vertices to begin a search from", searches.len()));
        }
        Ok(Self { ranks: spec.ranks, searches })
    }

    /// Returns the number of edges whose ends the search reaches.
    pub fn edges(&self, search: usize) -> f64 {
        (self.searches[search].between.iter().flatten().sum::<f64>() / 2.0).round()
    }

    /// Returns the edges that a rank sends and receives in each level.
    pub fn messages(&self, search: usize, rank: u32) -> Vec<SearchLevel> {
        let SampledSearch { seed, between, shares, .. } = &self.searches[search];
        let nowhere = vec![0.0; self.ranks as usize];
        let found = (0..between.len()).map(|level| {
            let around: [&[f64]; 3] = std::array::from_fn(|side| match (level + side).checked_sub(1) {
                Some(other) => shares.get(other).unwrap_or(&nowhere).as_slice(),
                None => &nowhere,
            });
            let expected = |from: usize, to: usize| {
                let ends: f64 = (0..3).map(|side| between[level][side] * around[side][to]).sum();
                ends * shares[level][from]
            };
            let draw = |from: usize, to: usize| {
                let mut noise = Noise::of(&[*seed, level as u64, from as u64, to as u64]);
                noise.poisson(expected(from, to)).min(f64::from(u32::MAX)) as u32
            };
            let me = rank as usize;
            let others = || (0..self.ranks as usize).map(|other| (other, other != me));
            SearchLevel {
                sent: others().map(|(other, away)| if away { draw(me, other) } else { 0 }).collect(),
                received: others().map(|(other, away)| if away { draw(other, me) } else { 0 }).collect(),
                edges: between[level].iter().sum::<f64>() * shares[level][me],
            }
        });
        found.collect()
    }

    /// Returns the number of edges that a rank inspects in each level.
    pub fn looks(&self, search: usize) -> Vec<f64> {
        self.searches[search].looks.clone()
    }
}

impl DegreeModel {
    fn new(spec: &Spec) -> Self {
        let classes = spec.scale as usize + 1;
        // An edge is `scale` steps down the product; each step adds its bits to the classes of both ends.
        let mut parts = vec![vec![0.0; classes]; classes];
        parts[0][0] = 1.0;
        for _ in 0..spec.scale {
            let mut next = vec![vec![0.0; classes]; classes];
            for a in 0..classes - 1 {
                for b in 0..classes - 1 {
                    for (i, row) in OF_A_QUARTER.iter().enumerate() {
                        for (j, chance) in row.iter().enumerate() {
                            next[a + i][b + j] += parts[a][b] * chance;
                        }
                    }
                }
            }
            parts = next;
        }
        let mut sizes = vec![1.0];
        for class in 1..classes {
            sizes.push((sizes[class - 1] * (classes - class) as f64 / class as f64).round());
        }
        let ends = 2.0 * spec.edges() as f64;
        let power = |base: f64, times: usize| (0..times).fold(1.0, |product, _| product * base);
        let degrees = (0..classes)
            .map(|class| ends * power(OF_A_BIT[0], classes - 1 - class) * power(OF_A_BIT[1], class))
            .collect();
        let rates =
            (0..classes).map(|a| (0..classes).map(|b| ends * parts[a][b] / (sizes[a] * sizes[b])).collect()).collect();
        let (mut hubs, mut hub_classes) = (Vec::new(), 0);
        let edges = Edges::new(spec.scale, spec.seeds);
        while hub_classes < classes && hubs.len() as f64 + sizes[hub_classes] <= HUBS as f64 {
            hubs.extend(with_ones(spec.scale, hub_classes as u32).map(|v| (edges.names.of(v), hub_classes)));
            hub_classes += 1;
        }
        Self { edges, ranks: spec.ranks, sizes, degrees, rates, hubs, hub_classes }
    }

    /// Draws the search from a root; `None` if it has no edges.
    fn search(&self, root: u64, spec: &Spec) -> Result<Option<SampledSearch>, String> {
        let seed = Noise::of(&[spec.seeds.0, spec.seeds.1, u64::from(spec.edgefactor), root]).seed();
        let mut noise = Noise::of(&[seed]);
        let classes = self.sizes.len();
        let root_class = self.edges.names.vertex(root).count_ones() as usize;

        let mut unseen = self.sizes.clone();
        unseen[root_class] -= 1.0;
        let mut unseen_hubs = self.hubs.clone();
        unseen_hubs.retain(|(name, _)| *name != root);
        // Edges of a vertex of each class to vertices that are neither reached nor in the last level.
        let mut rest = self.degrees.clone();
        let mut last = vec![0.0; classes];
        last[root_class] = 1.0;

        let owner = |name: u64| (name % u64::from(self.ranks)) as usize;
        let mut here = vec![0.0; self.ranks as usize];
        here[owner(root)] = 1.0;
        let (mut between, mut shares, mut looks) = (vec![[0.0; 3]], vec![here], Vec::new());
        loop {
            let level = between.len() - 1;
            let mean = |class: usize| (0..classes).map(|other| last[other] * self.rates[other][class]).sum::<f64>();
            let means: Vec<f64> = (0..classes).map(mean).collect();
            if level > 0 {
                between[level][1] = (0..classes).map(|class| last[class] * means[class]).sum();
            }
            (0..classes).for_each(|class| rest[class] = (rest[class] - means[class]).max(0.0));

            let mut new = vec![0.0; classes];
            let chances: Vec<f64> = means.iter().map(|&mean| at_least_one(mean)).collect();
            let mut new_hubs = Vec::new();
            unseen_hubs.retain(|&(name, class)| {
                let reached = noise.uniform() < chances[class];
                if reached {
                    new[class] += 1.0;
                    new_hubs.push((name, class));
                }
                !reached
            });
            for class in self.hub_classes..classes {
                new[class] = noise.binomial(unseen[class], chances[class]);
            }
            // Edges to the last level from vertices that were reached.
            let back = |class: usize| if chances[class] > 0.0 { means[class] / chances[class] } else { 1.0 };
            let mut looked = 0.0;
            for class in 0..classes {
                looked += (unseen[class] - new[class]) * rest[class];
                looked += new[class] * (rest[class] + back(class) + 1.0) / (back(class) + 1.0);
                unseen[class] -= new[class];
            }
            looks.push(looked / f64::from(self.ranks));
            if new.iter().sum::<f64>() == 0.0 {
                break;
            }
            if level + 1 == DEEPEST {
                return Err(format!("the search from vertex {root} has more than {DEEPEST} levels"));
            }
            let edges: f64 = (0..classes).map(|class| new[class] * back(class)).sum();
            between[level][2] = edges;
            between.push([edges, 0.0, 0.0]);

            let mut here = vec![0.0; self.ranks as usize];
            for &(name, class) in &new_hubs {
                here[owner(name)] += rest[class] + back(class);
            }
            for class in (self.hub_classes..classes).filter(|&class| new[class] > 0.0) {
                let expected = new[class] / f64::from(self.ranks);
                here.iter_mut().for_each(|sum| *sum += noise.poisson(expected) * (rest[class] + back(class)));
            }
            let total: f64 = here.iter().sum();
            if total > 0.0 {
                here.iter_mut().for_each(|share| *share /= total);
            } else {
                // A few vertices that were assigned to no rank.
                here[(noise.uniform() * f64::from(self.ranks)) as usize] = 1.0;
            }
            shares.push(here);
            last = new;
        }
        Ok((between.len() > 1).then_some(SampledSearch { seed, between, shares, looks }))
    }
}

/// Returns all numbers of `bits` bits with `ones` ones, in ascending order.
fn with_ones(bits: u32, ones: u32) -> impl Iterator<Item = u64> {
    let first = (1u64 << ones) - 1;
    std::iter::successors(Some(first), move |&x| {
        // The next larger number with the same number of ones (R. Gosper, HAKMEM 175).
        let low = x & x.wrapping_neg();
        let carried = x + low;
        (x != 0).then(|| (((carried ^ x) >> 2) / low) | carried)
    })
    .take_while(move |&x| x < 1 << bits)
}

#[cfg(test)]
mod tests {
    use super::super::exact::Built;
    use super::*;

    fn spec(scale: u32, ranks: u32) -> Spec {
        Spec { scale, edgefactor: 16, seeds: (2, 3), roots: 16, ranks }
    }

    #[test]
    fn classes_are_enumerated() {
        let three: Vec<u64> = with_ones(4, 3).collect();
        assert_eq!(three, [0b0111, 0b1011, 0b1101, 0b1110]);
        assert_eq!(with_ones(5, 0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn the_model_has_all_edges() {
        let model = DegreeModel::new(&spec(18, 4));
        let ends: f64 = model.sizes.iter().zip(&model.degrees).map(|(size, degree)| size * degree).sum();
        assert!((ends / (2.0 * (16 << 18) as f64) - 1.0).abs() < 1e-12);
        for (class, rates) in model.rates.iter().enumerate() {
            let degree: f64 = rates.iter().zip(&model.sizes).map(|(rate, size)| rate * size).sum();
            assert!((degree / model.degrees[class] - 1.0).abs() < 1e-12);
        }
    }

    /// Returns the totals of all searches: ends of edges, edges sent to other ranks, messages of up to 256 edges,
    /// levels, edges sent by the busiest rank.
    fn totals(levels: impl Fn(usize, u32) -> Vec<SearchLevel>, spec: &Spec) -> [f64; 5] {
        let mut sums = [0.0; 5];
        for root in 0..spec.roots as usize {
            let mut busiest = 0.0f64;
            for rank in 0..spec.ranks {
                let levels = levels(root, rank);
                sums[3] += levels.len() as f64 / f64::from(spec.ranks);
                let mut told = 0.0;
                for level in levels {
                    sums[0] += level.edges;
                    told += level.sent.iter().map(|&n| f64::from(n)).sum::<f64>();
                    sums[2] += level.sent.iter().map(|&n| f64::from(n.div_ceil(256))).sum::<f64>();
                }
                sums[1] += told;
                busiest = busiest.max(told);
            }
            sums[4] += busiest;
        }
        sums
    }

    /// Returns the relative errors of the totals of drawn searches against built ones.
    fn errors(spec: &Spec) -> [f64; 5] {
        let (built, drawn) = (Built::new(spec).unwrap(), Sampled::new(spec).unwrap());
        let built = totals(|root, rank| built.messages(root, rank, spec.ranks), spec);
        let drawn = totals(|root, rank| drawn.messages(root, rank), spec);
        let errors = std::array::from_fn(|what| drawn[what] / built[what] - 1.0);
        eprintln!("scale {}, {} ranks, {} roots: {errors:+.4?}", spec.scale, spec.ranks, spec.roots);
        errors
    }

    #[test]
    fn what_is_drawn_is_like_what_is_built() {
        let errors = errors(&spec(14, 16));
        // The number of levels of sixteen searches varies by one here and there.
        for (error, tolerance) in errors.into_iter().zip([0.01, 0.01, 0.03, 0.05, 0.05]) {
            assert!(error.abs() < tolerance, "{errors:?}");
        }
    }

    /// Checks the figures of `docs/guide/workloads.md`.
    #[test]
    #[ignore = "takes minutes: cargo test --release -- --ignored --nocapture drawn_at_larger_scales"]
    fn what_is_drawn_at_larger_scales() {
        for (scale, ranks) in [(16, 64), (18, 64), (20, 64), (20, 1024)] {
            let errors = errors(&spec(scale, ranks));
            for (error, tolerance) in errors.into_iter().zip([0.01, 0.01, 0.03, 0.05, 0.05]) {
                assert!(error.abs() < tolerance, "{errors:?}");
            }
        }
    }

    #[test]
    fn what_one_sends_the_other_gets() {
        let drawn = Sampled::new(&spec(28, 4)).unwrap();
        let ranks: Vec<_> = (0..4).map(|rank| drawn.messages(3, rank)).collect();
        for (a, of_a) in ranks.iter().enumerate() {
            for (b, of_b) in ranks.iter().enumerate() {
                assert!(of_a.iter().zip(of_b).all(|(x, y)| x.sent[b] == y.received[a]));
            }
        }
    }
}
