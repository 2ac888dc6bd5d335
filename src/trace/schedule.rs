//! Programs of ranks that are graphs: operations and their dependencies.
//!
//! A rank of a schedule does not perform one operation after another. An operation starts when its requirements have
//! ended, or started, on the stream that it names (a core, or a stream of a GPU); several are in progress
//! simultaneously. An operation takes 24 bytes, and each edge 4.

/// Kind of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperationKind {
    /// Sends a message.
    Send,
    /// Receives a message.
    Receive,
    /// Occupies its stream.
    Calculate,
}

/// An operation of a rank.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Operation {
    /// Bytes of a message, or nanoseconds of a calculation.
    pub size: u64,
    /// Other rank of a message.
    pub peer: u32,
    /// Tag of a message.
    pub tag: u32,
    /// End of the operation's edges; they begin where those of the previous operation end.
    edges_end: u32,
    /// Kind of the operation.
    pub kind: OperationKind,
    /// Stream of the operation.
    pub stream: u8,
    /// The network card that a message names; only the LogGOPS model has several for a rank.
    pub card: u8,
}

/// Reference to an operation that waits for another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependant(u32);

impl Dependant {
    /// Returns its number among the operations of the rank.
    pub fn operation(self) -> u32 {
        self.0 >> 1
    }

    /// Returns `true` if it waits only for the start of the other one, not for its end.
    pub fn on_start(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The graph of a rank.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Graph {
    operations: Vec<Operation>,
    edges: Vec<Dependant>,
}

impl Graph {
    /// Returns an empty graph with room for exactly this many operations and edges.
    pub fn with_capacity(operations: usize, edges: usize) -> Self {
        Self { operations: Vec::with_capacity(operations), edges: Vec::with_capacity(edges) }
    }

    /// Returns the bytes that the operations and edges occupy, including unused capacity.
    pub fn bytes(&self) -> usize {
        self.operations.capacity() * size_of::<Operation>() + self.edges.capacity() * size_of::<Dependant>()
    }

    /// Appends an operation, and its dependents: their numbers, and whether they wait for its start only.
    ///
    /// # Panics
    /// If a number, or the number of edges, is 2^31 or more.
    pub fn push(
        &mut self,
        (kind, stream, card): (OperationKind, u8, u8),
        (size, peer, tag): (u64, u32, u32),
        dependants: impl IntoIterator<Item = (u32, bool)>,
    ) {
        for (operation, on_start) in dependants {
            assert!(operation < 1 << 31, "operations have numbers of 31 bits");
            self.edges.push(Dependant(operation << 1 | u32::from(on_start)));
        }
        let edges_end = u32::try_from(self.edges.len()).expect("edges have numbers of 31 bits");
        self.operations.push(Operation { size, peer, tag, edges_end, kind, stream, card });
    }

    /// Returns the graph with ranks numbered from `by` on.
    pub(super) fn shifted(&self, by: u32) -> Self {
        let mut graph = self.clone();
        for operation in &mut graph.operations {
            if operation.kind != OperationKind::Calculate {
                operation.peer += by;
            }
        }
        graph
    }

    /// Returns the number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns an operation by its number.
    pub fn operation(&self, number: u32) -> &Operation {
        &self.operations[number as usize]
    }

    /// Returns all operations, in the order of their numbers.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Returns all operations, to be changed; their edges stay.
    pub(super) fn operations_mut(&mut self) -> &mut [Operation] {
        &mut self.operations
    }

    /// Returns the operations that wait for one.
    pub fn dependants(&self, number: u32) -> &[Dependant] {
        let start = match number {
            0 => 0,
            _ => self.operations[number as usize - 1].edges_end as usize,
        };
        &self.edges[start..self.operations[number as usize].edges_end as usize]
    }

    /// Returns the first operation that waits, through others, for itself: it is in a cycle.
    pub(super) fn first_in_circle(&self) -> Option<u32> {
        let mut waits = self.waits();
        let mut free: Vec<u32> = (0..self.len() as u32).filter(|&number| waits[number as usize] == 0).collect();
        while let Some(number) = free.pop() {
            for dependant in self.dependants(number) {
                let left = &mut waits[dependant.operation() as usize];
                *left -= 1;
                if *left == 0 {
                    free.push(dependant.operation());
                }
            }
        }
        let stuck = |number: &u32| waits[*number as usize] > 0;
        let mut first = (0..self.len() as u32).find(stuck)?;
        // Going backwards from a waiting operation always leads to a cycle: after one step per operation the walk is in
        // it.
        let mut before = vec![u32::MAX; self.len()];
        for number in (0..self.len() as u32).filter(stuck) {
            self.dependants(number).iter().for_each(|dependant| before[dependant.operation() as usize] = number);
        }
        for _ in 0..self.len() {
            first = before[first as usize];
        }
        let mut least = first;
        let mut at = before[first as usize];
        while at != first {
            least = least.min(at);
            at = before[at as usize];
        }
        Some(least)
    }

    /// Returns the number of requirements of each operation, on starts and ends.
    pub fn waits(&self) -> Vec<u32> {
        let mut waits = vec![0; self.operations.len()];
        self.edges.iter().for_each(|edge| waits[edge.operation() as usize] += 1);
        waits
    }
}

/// The graphs of all ranks.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Schedule {
    /// One graph per rank.
    pub ranks: Vec<Graph>,
    /// Flops that represent a nanosecond of calculation.
    pub flops_per_nanosecond: f64,
}

impl Schedule {
    /// Returns the number of operations of all ranks.
    pub fn operations(&self) -> u64 {
        self.ranks.iter().map(|graph| graph.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_belong_to_their_operation() {
        let mut graph = Graph::default();
        graph.push((OperationKind::Calculate, 0, 0), (5, 0, 0), [(1, false), (2, true)]);
        graph.push((OperationKind::Send, 3, 2), (8, 1, 7), []);
        graph.push((OperationKind::Receive, 0, 0), (8, 1, 7), [(1, false)]);
        let of =
            |number| -> Vec<_> { graph.dependants(number).iter().map(|d| (d.operation(), d.on_start())).collect() };
        assert_eq!((of(0), of(1), of(2)), (vec![(1, false), (2, true)], vec![], vec![(1, false)]));
        assert_eq!(graph.waits(), [0, 2, 1]);
        assert_eq!((graph.operation(1).stream, graph.operation(1).card), (3, 2));
    }

    /// A binary schedule of millions of operations has to fit: at most 40 bytes each, with up to three edges and the
    /// count that a replay keeps.
    #[test]
    fn an_operation_is_small() {
        assert_eq!(size_of::<Operation>() + 3 * size_of::<Dependant>() + size_of::<u32>(), 40);
        let mut graph = Graph::with_capacity(1000, 999);
        (0..1000)
            .for_each(|i| graph.push((OperationKind::Send, 0, 0), (8, 1, i), (i + 1 < 1000).then_some((i + 1, false))));
        assert_eq!(graph.bytes(), 1000 * 24 + 999 * 4);
    }
}
