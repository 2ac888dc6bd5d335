//! A built graph, and searches in it.

use super::edges::{Edges, candidates};
use super::search::{SearchLevel, Spec};
use rayon::prelude::*;

/// Level of a vertex that a search does not reach.
const UNSEEN: u8 = u8::MAX;
/// Edges per block of generation.
const BLOCK: usize = 1 << 16;

/// The graph as adjacency lists, and the distance of each vertex from the root of each search.
#[derive(Debug)]
pub struct Built {
    /// Start of the neighbours of each vertex.
    offsets: Vec<u32>,
    neighbours: Vec<u32>,
    searches: Vec<VertexSearch>,
}

#[derive(Debug)]
struct VertexSearch {
    /// Distance of each vertex from the root.
    levels: Vec<u8>,
    /// Number of levels with vertices.
    depth: u8,
    /// Edges whose ends were reached, loops included.
    edges: u64,
}

impl Built {
    /// Generates all edges, and searches from the first roots. Returns a reason if that is impossible.
    pub fn new(spec: &Spec) -> Result<Self, String> {
        let vertices = 1usize << spec.scale;
        let edges = Edges::new(spec.scale, spec.seeds);
        let mut list = vec![(0u32, 0u32); spec.edges() as usize];
        list.par_chunks_mut(BLOCK).enumerate().for_each(|(number, block)| {
            for (place, (a, b)) in block.iter_mut().zip(edges.from((number * BLOCK) as u64)) {
                *place = (a as u32, b as u32);
            }
        });
        let (loops, list): (Vec<_>, Vec<_>) = list.into_iter().partition(|(a, b)| a == b);

        // Neighbours stay in the order of the edges, as in the reference code.
        let mut offsets = vec![0u32; vertices + 1];
        for &(a, b) in &list {
            offsets[a as usize + 1] += 1;
            offsets[b as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut free = offsets.clone();
        let mut neighbours = vec![0u32; 2 * list.len()];
        for &(a, b) in &list {
            for (from, to) in [(a, b), (b, a)] {
                neighbours[free[from as usize] as usize] = to;
                free[from as usize] += 1;
            }
        }
        drop((free, list));

        let mut built = Self { offsets, neighbours, searches: Vec::new() };
        let mut roots = Vec::new();
        for root in candidates(spec.scale, spec.seeds) {
            if roots.len() == spec.roots as usize {
                break;
            }
            if built.degree(root as u32) > 0 && !roots.contains(&(root as u32)) {
                roots.push(root as u32);
            }
        }
        if roots.len() < spec.roots as usize {
            return Err(format!("the graph has only {} vertices to begin a search from", roots.len()));
        }
        let searches: Result<Vec<_>, String> = roots.par_iter().map(|&root| built.search(root, &loops)).collect();
        built.searches = searches?;
        Ok(built)
    }

    fn neighbours(&self, vertex: u32) -> &[u32] {
        &self.neighbours[self.offsets[vertex as usize] as usize..self.offsets[vertex as usize + 1] as usize]
    }

    fn degree(&self, vertex: u32) -> u32 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }

    fn vertices(&self) -> u32 {
        (self.offsets.len() - 1) as u32
    }

    /// Searches breadth first. For a level with many vertices, it is faster to look for a neighbour in it from all
    /// other vertices.
    fn search(&self, root: u32, loops: &[(u32, u32)]) -> Result<VertexSearch, String> {
        let vertices = self.vertices();
        let mut levels = vec![UNSEEN; vertices as usize];
        levels[root as usize] = 0;
        let mut frontier = vec![root];
        let mut depth = 0;
        while !frontier.is_empty() {
            if depth == UNSEEN - 1 {
                return Err(format!("the search from vertex {root} has more than {depth} levels"));
            }
            let mut next = Vec::new();
            if frontier.len() > vertices as usize / 32 {
                for vertex in 0..vertices {
                    if levels[vertex as usize] == UNSEEN
                        && self.neighbours(vertex).iter().any(|&other| levels[other as usize] == depth)
                    {
                        next.push(vertex);
                    }
                }
                next.iter().for_each(|&vertex| levels[vertex as usize] = depth + 1);
            } else {
                for &vertex in &frontier {
                    for &other in self.neighbours(vertex) {
                        if levels[other as usize] == UNSEEN {
                            levels[other as usize] = depth + 1;
                            next.push(other);
                        }
                    }
                }
            }
            frontier = next;
            depth += 1;
        }
        let seen = |vertex: u32| levels[vertex as usize] != UNSEEN;
        let ends: u64 = (0..vertices).filter(|&v| seen(v)).map(|v| u64::from(self.degree(v))).sum();
        let edges = ends / 2 + loops.iter().filter(|(a, _)| seen(*a)).count() as u64;
        Ok(VertexSearch { levels, depth, edges })
    }

    /// Returns the number of edges whose ends the search reaches.
    pub fn edges(&self, search: usize) -> f64 {
        self.searches[search].edges as f64
    }

    /// Returns the edges that a rank sends and receives in each level. Vertex v belongs to rank v modulo `ranks`.
    pub fn messages(&self, search: usize, rank: u32, ranks: u32) -> Vec<SearchLevel> {
        let VertexSearch { levels, depth, .. } = &self.searches[search];
        let empty = SearchLevel { sent: vec![0; ranks as usize], received: vec![0; ranks as usize], edges: 0.0 };
        let mut found = vec![empty; usize::from(*depth)];
        for vertex in (rank..self.vertices()).step_by(ranks as usize) {
            let level = levels[vertex as usize];
            if level == UNSEEN {
                continue;
            }
            found[usize::from(level)].edges += f64::from(self.degree(vertex));
            for &other in self.neighbours(vertex) {
                let owner = other % ranks;
                if owner != rank {
                    found[usize::from(level)].sent[owner as usize] += 1;
                    found[usize::from(levels[other as usize])].received[owner as usize] += 1;
                }
            }
        }
        found
    }

    /// Returns the number of edges that a rank inspects in each level, if every unreached vertex looks for a neighbour
    /// in the last level.
    pub fn looks(&self, search: usize, rank: u32, ranks: u32) -> Vec<f64> {
        let VertexSearch { levels, depth, .. } = &self.searches[search];
        let mut looks = vec![0.0; usize::from(*depth)];
        for vertex in (rank..self.vertices()).step_by(ranks as usize) {
            let level = levels[vertex as usize];
            let all = f64::from(self.degree(vertex));
            // Without success until the level before its own.
            let in_vain = if level == UNSEEN { *depth } else { level.max(1) - 1 };
            looks[..usize::from(in_vain)].iter_mut().for_each(|sum| *sum += all);
            if level != UNSEEN && level > 0 {
                let first = self.neighbours(vertex).iter().position(|&other| levels[other as usize] == level - 1);
                looks[usize::from(level) - 1] += first.map_or(all, |place| place as f64 + 1.0);
            }
        }
        looks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(scale: u32) -> Spec {
        Spec { scale, edgefactor: 16, seeds: (2, 3), roots: 4, ranks: 8 }
    }

    /// Searches level by level, one vertex after the other.
    fn plain_search(built: &Built, root: u32) -> Vec<u8> {
        let mut levels = vec![UNSEEN; built.vertices() as usize];
        let mut queue = std::collections::VecDeque::from([root]);
        levels[root as usize] = 0;
        while let Some(vertex) = queue.pop_front() {
            for &other in built.neighbours(vertex) {
                if levels[other as usize] == UNSEEN {
                    levels[other as usize] = levels[vertex as usize] + 1;
                    queue.push_back(other);
                }
            }
        }
        levels
    }

    #[test]
    fn searches_find_the_distances() {
        let built = Built::new(&spec(10)).unwrap();
        for search in &built.searches {
            let root = search.levels.iter().position(|&level| level == 0).unwrap();
            assert_eq!(plain_search(&built, root as u32), search.levels);
        }
    }

    #[test]
    fn what_one_sends_the_other_gets() {
        let built = Built::new(&spec(10)).unwrap();
        let ranks: Vec<_> = (0..8).map(|rank| built.messages(0, rank, 8)).collect();
        let mut ends = 0.0;
        for level in 0..ranks[0].len() {
            for (a, of_a) in ranks.iter().enumerate() {
                ends += of_a[level].edges;
                for (b, of_b) in ranks.iter().enumerate() {
                    assert_eq!(of_a[level].sent[b], of_b[level].received[a]);
                }
            }
        }
        // Loops are traversed, but do not connect vertices.
        let edges = Edges::new(10, (2, 3));
        let seen = |vertex: u64| built.searches[0].levels[vertex as usize] != UNSEEN;
        let loops = edges.from(0).take(16 << 10).filter(|&(a, b)| a == b && seen(a)).count();
        assert!(loops > 0);
        assert_eq!(built.edges(0), ends / 2.0 + loops as f64);
    }
}
