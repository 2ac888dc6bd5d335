//! A graph and its searches as they are asked for, and the work of a rank in them.

/// Largest scale, the binary logarithm of the number of vertices.
pub const LARGEST_SCALE: u32 = 40;
/// Largest number of searches in a graph.
pub const MOST_ROOTS: u32 = 64;

/// Specification of a graph and of its searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Binary logarithm of the number of vertices.
    pub scale: u32,
    /// Number of edges per vertex.
    pub edgefactor: u32,
    /// Seeds of the reference code.
    pub seeds: (u64, u64),
    /// Number of searches, each from a root of its own.
    pub roots: u32,
    /// Number of ranks; vertex v belongs to rank v modulo this.
    pub ranks: u32,
}

impl Spec {
    /// Returns the number of edges of the graph.
    pub fn edges(&self) -> u64 {
        u64::from(self.edgefactor) << self.scale
    }
}

/// Work of a rank in one level of a search from the top down: each edge from a vertex of the last level is sent to the
/// owner of its other end.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchLevel {
    /// Number of edges sent to each rank.
    pub sent: Vec<u32>,
    /// Number of edges received from each rank.
    pub received: Vec<u32>,
    /// Number of edges of the rank's vertices in the last level, including those between its own vertices.
    pub edges: f64,
}
