//! The arguments of a call as one rank sees them, the communicator of a decision, and the stages under construction.
//! The decision code of every library works on these.

use super::explanation::{Explanation, Substitution};
use super::known::SmpKnown;
use super::pick::{Composite, Pick};
use super::rule::TableRule;
use super::table::{self, Choices, Table};
use crate::mpi::collective::{Algorithm, Comm, Stage, Tuning, Vector, algorithms};
use crate::mpi::rank_map::RankMap;
use crate::trace::{CollectiveCall, CollectiveKind, Counts};

/// Returns the tag of a collective: SimGrid's, negative so that no message of the application has it.
pub(super) fn tag(kind: CollectiveKind) -> i32 {
    match kind {
        CollectiveKind::Reduce => -112,
        CollectiveKind::Scatter => -223,
        CollectiveKind::Scatterv => -334,
        CollectiveKind::Gather => -445,
        CollectiveKind::Allgather => -556,
        CollectiveKind::Allgatherv => -667,
        CollectiveKind::Barrier => -778,
        CollectiveKind::ReduceScatter => -889,
        CollectiveKind::Scan | CollectiveKind::Exscan => -888,
        CollectiveKind::Alltoallv => -1000,
        CollectiveKind::Alltoall => -1112,
        CollectiveKind::Gatherv => -2223,
        CollectiveKind::Bcast => -3334,
        CollectiveKind::Allreduce => -4445,
    }
}

/// Tag of the message from the leader to the root of a two-level reduction.
pub(super) const TAG_REDUCE_TO_ROOT: i32 = -111;

/// Blocks of a stage: number of elements, bytes per element, and the vector of their sizes, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    pub count: u64,
    pub element: u64,
    pub vector: Vector,
}

impl Block {
    /// Creates equal blocks.
    pub fn new(count: u64, element: u64) -> Self {
        Self { count, element, vector: Vector::None }
    }

    /// Returns the size in bytes.
    pub fn bytes(self) -> u64 {
        self.count.saturating_mul(self.element)
    }

    /// Returns `n` such blocks in a row.
    pub fn times(self, n: u32) -> Self {
        Self { count: self.count.saturating_mul(u64::from(n)), ..self }
    }
}

/// Communicator to which a library's rules are applied: the world, or the ranks of the caller's node.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    rank_map: &'a RankMap,
    rank: u32,
    /// [`Comm::World`] or [`Comm::Node`].
    pub comm: Comm,
}

impl View<'_> {
    /// Returns the number of members.
    pub fn size(&self) -> u32 {
        self.comm.size(self.rank_map, self.rank)
    }

    /// Returns the index of the caller.
    pub fn me(&self) -> u32 {
        self.comm.index_of(self.rank_map, self.rank)
    }

    /// Returns the number of members on the caller's node.
    pub fn node_size(&self) -> u32 {
        Comm::Node.size(self.rank_map, self.rank)
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> u32 {
        if self.comm == Comm::World { self.rank_map.nodes().len() as u32 } else { 1 }
    }

    /// Returns the number of members on each node, if all are equal.
    pub fn ranks_per_node(&self) -> Option<u32> {
        (self.comm == Comm::Node || self.rank_map.is_uniform()).then(|| self.node_size())
    }

    /// `true` if the members of each node are consecutive.
    pub fn is_blocked(&self) -> bool {
        self.comm == Comm::Node || self.rank_map.is_blocked()
    }

    /// `true` if the caller is the first member on its node.
    pub fn is_leader(&self) -> bool {
        self.rank_map.index_in_node(self.rank) == 0
    }

    /// Returns the first member on the node of member `index`.
    pub fn leader_of(&self, index: u32) -> u32 {
        match self.comm {
            Comm::World => self.rank_map.nodes()[self.node_of(index) as usize][0],
            Comm::Node | Comm::Leaders => 0,
        }
    }

    /// Returns the first member on a node.
    pub fn leader_at(&self, node: u32) -> u32 {
        match self.comm {
            Comm::World => self.rank_map.nodes()[node as usize][0],
            Comm::Node | Comm::Leaders => 0,
        }
    }

    /// Returns the index of member `index` among the members on its node.
    pub fn place_on_node(&self, index: u32) -> u32 {
        match self.comm {
            Comm::World => self.rank_map.index_in_node(index),
            Comm::Node => index,
            Comm::Leaders => 0,
        }
    }

    /// Returns the number of the node of member `index`: its index among the leaders.
    pub fn node_of(&self, index: u32) -> u32 {
        match self.comm {
            Comm::World => self.rank_map.node(index),
            Comm::Node | Comm::Leaders => 0,
        }
    }
}

/// Chooses the algorithm of an operation: what a user named, a rule file, or the table of a library.
pub(super) trait Choose {
    /// Plans the planner's current operation.
    fn choose(&self, planner: &mut Planner<'_>);

    /// Returns `true` if ranks learn by messages which of them share a host.
    fn has_setup(&self) -> bool;
}

/// Plan under construction.
pub(super) struct Planner<'a> {
    /// Call to plan.
    pub call: &'a CollectiveCall,
    /// Current operation: that of the call, or one that its algorithm calls in turn.
    pub kind: CollectiveKind,
    /// Root of the current operation.
    pub root: u32,
    /// Parameters of the algorithm of the current operation; set by a rule file.
    pub tuning: Tuning,
    block: Option<Block>,
    chooser: &'a dyn Choose,
    counts: &'a [u32],
    rank_map: &'a RankMap,
    rank: u32,
    smp: &'a mut SmpKnown,
    stages: &'a mut Vec<Stage>,
    said: Explanation,
}

impl<'a> Planner<'a> {
    pub fn new(
        chooser: &'a dyn Choose,
        call: &'a CollectiveCall,
        counts: &'a [u32],
        rank_map: &'a RankMap,
        rank: u32,
        smp: &'a mut SmpKnown,
        stages: &'a mut Vec<Stage>,
    ) -> Self {
        let (kind, root, block, said) = (call.kind, call.root, None, Explanation::default());
        let tuning = Tuning::default();
        Self { call, kind, root, tuning, block, chooser, counts, rank_map, rank, smp, stages, said }
    }

    /// Returns the world communicator.
    pub fn world(&self) -> View<'a> {
        View { rank_map: self.rank_map, rank: self.rank, comm: Comm::World }
    }

    /// Returns the communicator of the caller's node.
    pub fn node(&self) -> View<'a> {
        View { rank_map: self.rank_map, rank: self.rank, comm: Comm::Node }
    }

    /// Returns a count vector of the call; empty where the trace has none.
    pub fn counts(&self, counts: Counts) -> &'a [u32] {
        let start = counts.start as usize;
        self.counts.get(start..start.saturating_add(counts.len as usize)).unwrap_or(&[])
    }

    /// Returns the number of elements of the result of an allgatherv or reduce_scatter.
    pub fn total_received(&self) -> u64 {
        self.counts(self.call.recv_counts).iter().map(|&count| u64::from(count)).sum()
    }

    /// Returns the block of the call, as its operation counts it. If only one side's arguments matter, those are used:
    /// the root's own for the data that the root sends or receives, every other rank's own for its single message.
    pub fn block(&self) -> Block {
        if let Some(block) = self.block {
            return block;
        }
        let call = self.call;
        let at_root = self.rank == call.root;
        let sent = Block::new(u64::from(call.send_count), call.send_type.size());
        let received = Block::new(u64::from(call.recv_count), call.recv_type.size());
        match call.kind {
            CollectiveKind::Barrier => Block::new(0, 0),
            CollectiveKind::Gather if at_root => received,
            CollectiveKind::Scatter if !at_root => received,
            CollectiveKind::Scatterv => Block { vector: Vector::SendCounts, ..sent },
            CollectiveKind::Alltoallv => Block { vector: Vector::SendCounts, ..sent },
            CollectiveKind::ReduceScatter => Block { count: 0, vector: Vector::RecvCounts, ..received },
            // The vector is in elements of the receive type; so is the caller's own block.
            CollectiveKind::Allgatherv => Block {
                count: sent.bytes() / received.element.max(1),
                element: received.element,
                vector: Vector::RecvCounts,
            },
            _ => sent,
        }
    }

    /// Appends a stage, unless the caller is alone on its communicator: then no algorithm sends anything except the
    /// scattered all-to-all, which even then sends to itself.
    pub fn stage(&mut self, algorithm: &'static Algorithm, comm: Comm, kind: CollectiveKind, root: u32, block: Block) {
        self.tagged(algorithm, comm, tag(kind), root, block);
    }

    fn tagged(&mut self, algorithm: &'static Algorithm, comm: Comm, tag: i32, root: u32, block: Block) {
        let alone = comm.size(self.rank_map, self.rank) <= 1;
        if alone && !std::ptr::eq(algorithm, &algorithms::alltoall::SCATTERED) {
            return;
        }
        let Block { count, element, vector } = block;
        let tuning = self.tuning;
        self.stages.push(Stage { algorithm, comm, tag, root, count, element, vector, tuning });
    }

    /// Appends one stage on the world communicator with the arguments of the call.
    pub fn one_level(&mut self, algorithm: &'static Algorithm) {
        let algorithm = self.runnable(algorithm);
        self.said.name.get_or_insert(algorithm.name);
        if std::ptr::eq(algorithm, &algorithms::bcast::KNOMIAL) {
            // It is the only one that requests the node structure without using it.
            self.learn(self.world());
        }
        self.stage(algorithm, Comm::World, self.kind, self.root, self.block());
    }

    /// Plans a table's pick with the arguments of the current operation.
    pub fn run(&mut self, pick: Pick) {
        match pick {
            Pick::Algorithm(algorithm) => self.one_level(algorithm),
            Pick::Composite(composite) => self.combine(composite),
        }
    }

    /// Plans a combination with the arguments of the current operation.
    pub fn combine(&mut self, composite: &'static Composite) {
        self.said.name.get_or_insert(composite.name);
        (composite.plan)(self);
    }

    /// Returns the algorithm itself, or its replacement.
    fn runnable(&mut self, algorithm: &'static Algorithm) -> &'static Algorithm {
        use algorithms::{allgather, allgatherv, alltoall, alltoallv};
        if self.world().size().is_power_of_two() {
            return algorithm;
        }
        let in_place: [(&'static Algorithm, &'static Algorithm); 4] = [
            (&alltoall::PAIR, &alltoall::RING),
            (&alltoallv::PAIR, &alltoallv::RING),
            (&allgather::PAIR, &allgather::RING),
            (&allgatherv::PAIR, &allgatherv::DIRECT),
        ];
        let Some((_, other)) = in_place.into_iter().find(|(pair, _)| std::ptr::eq(algorithm, *pair)) else {
            return algorithm;
        };
        self.report(
            "the pair algorithm works only for numbers of ranks that are powers of two (SimGrid aborts with \
             others); direct exchanges at increasing distance (ring) ran in its place",
        );
        other
    }

    /// Plans the selector's choice for another operation, as part of the current one: SimGrid's algorithms call each
    /// other through the selector in some places.
    pub fn delegate(&mut self, kind: CollectiveKind, root: u32, block: Block) {
        let outer = (self.kind, self.root, self.block, self.tuning);
        (self.kind, self.root, self.block, self.tuning) = (kind, root, Some(block), Tuning::default());
        // Notes describe the outer operation, whatever the inner one looks up.
        let said = self.said;
        self.chooser.choose(self);
        self.said = Explanation { substitution: self.said.substitution.or(said.substitution), ..said };
        (self.kind, self.root, self.block, self.tuning) = outer;
    }

    /// Returns the choice of a table whose limits belong to the lower entry.
    pub fn look_up<T: Copy>(&mut self, table: Table<T>, ranks: u32, bytes: u64) -> T {
        let (choice, rule) = table::look_up_with_rule(table, ranks, bytes);
        self.applied(rule);
        choice
    }

    /// Returns the choice of a table whose limits belong to the upper entry.
    pub fn look_up_below<T: Copy>(&mut self, table: Choices<T>, bytes: u64) -> T {
        let (choice, rule) = table::look_up_below(table, self.world().size(), bytes);
        self.applied(rule);
        choice
    }

    /// Notes the rule that was applied; only the first one of a call is of interest to users.
    pub fn applied(&mut self, rule: TableRule) {
        self.said.rule.get_or_insert(rule);
    }

    /// Returns the notes.
    pub fn explanation(&self) -> Explanation {
        self.said
    }

    /// Appends a stage among the leaders, if the caller is one.
    pub fn among_leaders(&mut self, algorithm: &'static Algorithm, kind: CollectiveKind, root: u32, block: Block) {
        if self.world().is_leader() {
            self.stage(algorithm, Comm::Leaders, kind, root, block);
        }
    }

    /// Appends a single message between two members of `view`; nothing if they are the same.
    pub fn transfer(&mut self, view: View<'_>, tag: i32, from: u32, to: u32, block: Block) {
        let me = view.me();
        if from == to {
        } else if me == from {
            self.tagged(&algorithms::transfer::SEND, view.comm, tag, to, block);
        } else if me == to {
            self.tagged(&algorithms::transfer::RECEIVE, view.comm, tag, from, block);
        }
    }

    /// `true` if the node structure of a communicator is known to its members.
    pub fn knows(&self, view: View<'_>) -> bool {
        !self.chooser.has_setup() || self.smp.knows(view.comm)
    }

    /// Makes the node structure of a communicator known, by messages if the run requires them.
    pub fn learn(&mut self, view: View<'_>) {
        if !self.knows(view) {
            self.smp.remember(view.comm);
            self.exchange_hosts(view);
        }
    }

    /// Notes a deviation from the library's table.
    pub fn report(&mut self, text: &'static str) {
        self.said.substitution = Some(Substitution { kind: self.kind, text });
    }
}
