//! Plans of both libraries on many rank maps: they run to their ends under both protocols, each rank receives data of
//! all ranks that it needs, and the node structure is discovered once.

use super::*;
use crate::ids::HostId;
use crate::mpi::collective::testing::{DeliveryOutcome, PROTOCOLS, RankStages, run};
use crate::mpi::collective::{Comm, Vector};
use crate::trace::{Counts, Datatype};
use CollectiveKind::*;

/// Run of collectives on one rank map: selector, rank map, and the knowledge of each rank.
struct World {
    selector: Selector,
    rank_map: RankMap,
    smp: Vec<SmpKnown>,
    counts: Vec<u32>,
}

impl World {
    fn new(table: Table, smp_setup: bool, hosts: &[u32]) -> Self {
        let rank_map = RankMap::new(hosts.iter().map(|&host| HostId(host)).collect());
        let smp = vec![SmpKnown::default(); hosts.len()];
        Self { selector: Selector::new(table, smp_setup), rank_map, smp, counts: Vec::new() }
    }

    fn ranks(&self) -> u32 {
        self.rank_map.ranks()
    }

    /// Returns a call with the same arguments on all ranks; `vector` contains the elements for each rank if the
    /// operation needs them.
    fn call(&mut self, kind: CollectiveKind, root: u32, count: u32, vector: &[u32]) -> CollectiveCall {
        let range = Counts { start: self.counts.len() as u32, len: vector.len() as u32 };
        self.counts.extend(vector);
        let uniform = CollectiveCall::uniform(kind, root, count, Datatype::DOUBLE);
        CollectiveCall { send_counts: range, recv_counts: range, ..uniform }
    }

    /// Returns the call as one rank makes it: if blocks differ, each rank's own count is its entry of the vector.
    fn call_of(&self, call: &CollectiveCall, rank: u32) -> CollectiveCall {
        let mut own = *call;
        if matches!(call.kind, Allgatherv | Gatherv) {
            let start = call.recv_counts.start as usize;
            own.send_count = self.counts[start + rank as usize];
        }
        own
    }

    fn plan(&mut self, call: &CollectiveCall, rank: u32) -> (Vec<Stage>, Option<Substitution>) {
        let mut stages = Vec::new();
        let call = self.call_of(call, rank);
        let smp = &mut self.smp[rank as usize];
        let substitution = self.selector.plan(&call, &self.counts, &self.rank_map, rank, smp, &mut stages);
        (stages, substitution)
    }

    /// Plans and runs the call on all ranks, under both protocols.
    fn collective(&mut self, call: &CollectiveCall) -> [DeliveryOutcome; 2] {
        let range = call.send_counts.start as usize..(call.send_counts.start + call.send_counts.len) as usize;
        let vector = self.counts[range].to_vec();
        let received = |rank: u32| match call.kind {
            // All members come with the same vector, so each one gets blocks of the same size from all.
            Alltoallv => vector.get(rank as usize).map_or(Vec::new(), |&count| vec![count; vector.len()]),
            _ => vector.clone(),
        };
        let part = |rank, stages| RankStages { stages, send_counts: vector.clone(), recv_counts: received(rank) };
        let parts: Vec<RankStages> = (0..self.ranks()).map(|rank| part(rank, self.plan(call, rank).0)).collect();
        PROTOCOLS.map(|protocol| match run(&parts, &self.rank_map, protocol) {
            Ok(outcome) => outcome,
            Err(error) => panic!("{:?}, {call:?}, {:?}, {protocol:?}: {error}", self.selector, self.rank_map),
        })
    }

    fn one(&mut self, kind: CollectiveKind, root: u32, count: u32) -> DeliveryOutcome {
        let vector = vec![count; self.ranks() as usize];
        let call = self.call(kind, root, count, &vector);
        let [eager, _] = self.collective(&call);
        eager
    }
}

fn must_hear(kind: CollectiveKind, root: u32, rank: u32, other: u32) -> bool {
    match kind {
        Bcast | Scatter | Scatterv => other == root,
        Reduce | Gather | Gatherv => rank == root,
        Scan | Exscan => other < rank,
        _ => true,
    }
}

/// `nodes` hosts with `ranks` ranks each, in a row.
fn blocked(nodes: u32, ranks: u32) -> Vec<u32> {
    (0..nodes * ranks).map(|rank| rank / ranks).collect()
}

/// `nodes` hosts with `ranks` ranks each, dealt out in turn.
fn cyclic(nodes: u32, ranks: u32) -> Vec<u32> {
    (0..nodes * ranks).map(|rank| rank % nodes).collect()
}

fn rank_maps() -> Vec<Vec<u32>> {
    let mut rank_maps: Vec<Vec<u32>> = (1..=40).map(|ranks| blocked(ranks, 1)).collect();
    rank_maps.extend(
        [(2, 2), (4, 2), (3, 3), (2, 4), (1, 4), (9, 2), (2, 16), (1, 16), (5, 2), (17, 2), (35, 2), (4, 16)]
            .map(|(n, r)| blocked(n, r)),
    );
    rank_maps.extend([(4, 2), (9, 2), (3, 3), (5, 2), (2, 16), (33, 2)].map(|(n, r)| cyclic(n, r)));
    rank_maps.extend([
        vec![0, 0, 0, 1, 2, 2],
        vec![3, 1, 1, 1, 0, 0, 2],
        vec![0, 1, 0, 0, 1, 2, 1],
        blocked(65, 1),
        blocked(100, 1),
        (0..20).map(|rank| rank * rank / 40).collect(),
        (0..70).map(|rank| rank * rank / 300).collect(),
    ]);
    rank_maps
}

fn check_sequence(table: Table, smp_setup: bool, hosts: &[u32], count: u32) {
    let mut world = World::new(table, smp_setup, hosts);
    let ranks = world.ranks();
    // Twice: the first gathers run before the node structure is known.
    let order = [
        Gather,
        Barrier,
        Bcast,
        Gather,
        Allgather,
        Allgather,
        Reduce,
        Allreduce,
        Allreduce,
        Scatter,
        Alltoall,
        Alltoallv,
        Allgatherv,
        ReduceScatter,
        Gatherv,
        Scatterv,
        Scan,
        Exscan,
        Gather,
        Bcast,
        Reduce,
        Scatter,
    ];
    for (position, kind) in order.into_iter().enumerate() {
        let root = (position as u32 * 7 + 3) % ranks;
        let equal = vec![count; ranks as usize];
        let uneven: Vec<u32> = (0..ranks).map(|rank| count + rank % 5).collect();
        for vector in [equal, uneven] {
            let call = world.call(kind, root, count, &vector);
            let outcomes = world.collective(&call);
            let substituted = world.plan(&call, 0).1;
            if count == 0 || substituted.is_some_and(|s| s.text.starts_with("no message")) {
                continue;
            }
            for outcome in outcomes {
                for (rank, heard) in (0..).zip(&outcome.heard) {
                    for other in (0..ranks).filter(|&other| must_hear(kind, root, rank, other)) {
                        assert!(
                            heard.contains(other),
                            "{table:?}, {kind:?} of {count} from {root}, hosts {hosts:?}: {rank} has not heard from {other}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn every_plan_runs_on_every_layout() {
    for hosts in rank_maps() {
        for table in Table::ALL {
            // Only the tables of these libraries have algorithms that depend on shared hosts.
            let setups = if matches!(table, Table::Mvapich2 | Table::Mpich) { &[false, true][..] } else { &[true] };
            for &smp_setup in setups {
                for count in [0, 1, 13, 300, 2500, 40_000] {
                    check_sequence(table, smp_setup, &hosts, count);
                }
            }
        }
    }
}

#[test]
fn long_messages_run_too() {
    for hosts in [blocked(7, 1), blocked(17, 2), cyclic(17, 2), blocked(66, 1), blocked(2, 16)] {
        for table in Table::ALL {
            check_sequence(table, true, &hosts, 200_000);
        }
    }
}

#[test]
fn the_node_structure_costs_messages_once() {
    // 3 hosts of 2 ranks: allgather among 6 and among 3 leaders; on each node a ring of 4 bytes in pieces of 2, which
    // takes 1 + 2 messages; reduction and broadcast among 6.
    let setup = 6 * 5 + 3 * 2 + 3 * 3 + 5 + 5;
    let mut world = World::new(Table::Mvapich2, true, &blocked(3, 2));
    // The leaders' broadcast has 2 messages, those of the nodes 3.
    assert_eq!(world.one(Bcast, 0, 1).messages.len(), setup + 5);
    assert_eq!(world.one(Bcast, 0, 1).messages.len(), 5);
    assert_eq!(world.one(Bcast, 3, 1).messages.len(), 5 + 1);
    // The nodes discover their structure in the first allreduce: on each, an allgather (2), the ring (3), a reduction
    // and a broadcast (2). The allreduce has 3 reductions, 3 broadcasts, and among 3 leaders 2 + 2 messages.
    assert_eq!(world.one(Allreduce, 0, 1).messages.len(), 3 * 7 + 3 + 4 + 3);
    assert_eq!(world.one(Allreduce, 0, 1).messages.len(), 3 + 4 + 3);

    let mut world = World::new(Table::Mvapich2, false, &blocked(3, 2));
    assert_eq!(world.one(Bcast, 0, 1).messages.len(), 5);
    assert_eq!(world.one(Allreduce, 0, 1).messages.len(), 10);
}

#[test]
fn one_rank_a_host_pays_for_the_world_only() {
    // Rings among all and among all leaders, reduction, broadcast; then the doubling of 8 ranks.
    let mut world = World::new(Table::Mvapich2, true, &blocked(8, 1));
    assert_eq!(world.one(Allreduce, 0, 1).messages.len(), 2 * 56 + 7 + 7 + 24);
    assert_eq!(world.one(Allreduce, 0, 1).messages.len(), 24);
}

fn names(world: &mut World, kind: CollectiveKind, root: u32, count: u32, rank: u32) -> Vec<(&'static str, Comm)> {
    let call = world.call(kind, root, count, &[]);
    world.plan(&call, rank).0.iter().map(|stage| (stage.algorithm.name, stage.comm)).collect()
}

#[test]
fn a_gather_depends_on_what_is_known() {
    let mut world = World::new(Table::Mvapich2, true, &blocked(8, 1));
    assert_eq!(names(&mut world, Gather, 0, 1, 0), [("binomial", Comm::World)]);
    names(&mut world, Bcast, 0, 1, 0);
    assert_eq!(names(&mut world, Gather, 0, 1, 0), [("linear", Comm::World)]);
    let mut world = World::new(Table::Mvapich2, false, &blocked(8, 1));
    assert_eq!(names(&mut world, Gather, 0, 1, 0), [("linear", Comm::World)]);
    // Ranks of a host that are not consecutive never reach the table.
    let mut world = World::new(Table::Mvapich2, false, &cyclic(4, 2));
    assert_eq!(names(&mut world, Gather, 0, 1, 0), [("binomial", Comm::World)]);
}

#[test]
fn nodes_of_different_sizes_gather_what_they_have() {
    // 40 ranks: node 0 has 21, the others one each. Blocks of 8 bytes take two levels.
    let hosts: Vec<u32> = (0..40u32).map(|rank| rank.saturating_sub(20)).collect();
    let mut world = World::new(Table::Mvapich2, false, &hosts);
    let outcome = world.one(Gather, 0, 1);
    let on_node: u64 = (1..21u64).map(|v| (v & v.wrapping_neg()).min(21 - v)).sum();
    assert_eq!(outcome.volume(), 8 * (on_node + 19));
    assert_eq!(names(&mut world, Gather, 0, 1, 0), [("binomial", Comm::Node), ("linear", Comm::Leaders)]);
}

#[test]
fn a_root_that_leads_no_node_has_its_leader_in_between() {
    let mut world = World::new(Table::Mvapich2, false, &blocked(4, 2));
    assert_eq!(names(&mut world, Bcast, 3, 1, 3), [("send", Comm::World), ("binomial", Comm::Node)]);
    let leader = [("receive", Comm::World), ("binomial", Comm::Leaders), ("binomial", Comm::Node)];
    assert_eq!(names(&mut world, Bcast, 3, 1, 2), leader);
    assert_eq!(names(&mut world, Reduce, 3, 1, 3), [("linear", Comm::Node), ("receive", Comm::World)]);
    let leader = [("linear", Comm::Node), ("knomial", Comm::Leaders), ("send", Comm::World)];
    assert_eq!(names(&mut world, Reduce, 3, 1, 2), leader);
    let leader = [("receive", Comm::World), ("linear", Comm::Leaders), ("binomial", Comm::Node)];
    assert_eq!(names(&mut world, Scatter, 3, 1, 2), leader);
}

#[test]
fn nothing_to_say_is_said_in_no_message() {
    for smp_setup in [false, true] {
        let mut world = World::new(Table::Mvapich2, smp_setup, &blocked(4, 2));
        for kind in [Bcast, Allreduce, Reduce] {
            assert!(world.one(kind, 0, 0).messages.is_empty(), "{}", kind.name());
        }
    }
    // The same rule applies to the scattered all-to-all, which the table does not choose for empty blocks.
    let mut world = World::new(Table::Mvapich2, false, &blocked(5, 1));
    world.selector = world.selector.with_override(Alltoall, "scattered").expect("a name of the registry");
    assert!(world.one(Alltoall, 0, 0).messages.is_empty());
    assert_eq!(world.one(Alltoall, 0, 1).messages.len(), 25);
    // And to the gather on two levels, which the table chooses from 33 ranks on.
    let mut world = World::new(Table::Mvapich2, false, &blocked(33, 1));
    assert!(world.one(Gather, 0, 0).messages.is_empty());
    assert_eq!(world.one(Gather, 0, 1).messages.len(), 32);
    // The default sends empty messages.
    let mut world = World::new(Table::Default, false, &blocked(4, 2));
    assert_eq!(world.one(Bcast, 0, 0).messages.len(), 7);
    assert_eq!(world.one(Allreduce, 0, 0).messages.len(), 14);
}

#[test]
fn pair_gives_way_to_ring_and_says_so() {
    let mut world = World::new(Table::Mvapich2, false, &blocked(3, 1));
    let call = world.call(Alltoall, 0, 262_144 / 8 + 1, &[]);
    let (stages, substitution) = world.plan(&call, 0);
    assert_eq!(stages[0].algorithm.name, "ring");
    assert_eq!(substitution.map(|s| s.kind), Some(Alltoall));
    let call = world.call(Alltoall, 0, 262_144 / 8, &[]);
    assert_eq!(world.plan(&call, 0).1, None);

    let mut world = World::new(Table::Default, false, &blocked(5, 1));
    let call = world.call(Alltoall, 0, 524_288 / 8, &[]);
    assert!(world.plan(&call, 0).1.is_some());
}

#[test]
fn default_reduce_scatter_looks_at_the_counts() {
    let mut world = World::new(Table::Default, false, &blocked(4, 1));
    let plan = |world: &mut World, vector: &[u32]| -> Vec<(&'static str, i32, u64, Vector)> {
        let call = world.call(ReduceScatter, 0, 0, vector);
        world.plan(&call, 0).0.iter().map(|s| (s.algorithm.name, s.tag, s.count, s.vector)).collect()
    };
    let equal = [("nonblocking", -112, 12, Vector::None), ("linear", -334, 0, Vector::RecvCounts)];
    assert_eq!(plan(&mut world, &[3; 4]), equal);
    assert_eq!(plan(&mut world, &[3, 3, 3, 4]), [("rdb", -889, 0, Vector::RecvCounts)]);
    assert_eq!(plan(&mut world, &[524_288 - 3, 1, 1, 1])[0].0, "rdb");
    assert_eq!(plan(&mut world, &[524_288 - 2, 1, 1, 1])[0].0, "pairwise");
}

#[test]
fn short_allgathervs_double_and_long_ones_go_around() {
    for (ranks, bound) in [(32, 512), (31, 512), (64, 256)] {
        let mut world = World::new(Table::Mvapich2, false, &blocked(ranks, 1));
        let mut plan = |elements: u32| {
            let mut vector = vec![0; ranks as usize];
            vector[0] = elements;
            let call = world.call(Allgatherv, 0, 0, &vector);
            world.plan(&call, 1).0[0].algorithm.name
        };
        let short = if ranks == 31 { "bruck" } else { "rdb" };
        assert_eq!((plan(ranks * bound / 8), plan(ranks * bound / 8 + 1)), (short, "ring"));
    }
}

#[test]
fn open_mpi_measures_an_allgatherv_by_the_type_that_is_sent() {
    // 9 ranks change from gather and broadcast to Bruck's algorithm at 1024 bytes per block.
    let mut world = World::new(Table::Ompi, false, &blocked(9, 1));
    let mut plan = |sent: Datatype, received: Datatype| {
        let mut call = world.call(Allgatherv, 0, 0, &[1024 / 8; 9]);
        (call.send_type, call.recv_type) = (sent, received);
        world.plan(&call, 0).0[0].algorithm.name
    };
    assert_eq!(plan(Datatype::DOUBLE, Datatype::BYTE), "bruck");
    assert_ne!(plan(Datatype::BYTE, Datatype::DOUBLE), "bruck");
}

#[test]
fn an_override_takes_one_operation() {
    let selector = Selector::new(Table::Mvapich2, false).with_override(Allreduce, "rs");
    let mut world = World::new(Table::Mvapich2, false, &blocked(4, 2));
    world.selector = selector.expect("a name of the registry");
    assert_eq!(names(&mut world, Allreduce, 0, 1, 0), [("rs", Comm::World)]);
    assert_eq!(names(&mut world, Barrier, 0, 1, 0), [("pair", Comm::World)]);
    world.selector = world.selector.with_override(Barrier, "default").expect("the name of a table");
    assert_eq!(names(&mut world, Barrier, 0, 1, 0), [("linear", Comm::World)]);

    let error = world.selector.clone().with_override(Bcast, "binominal").expect_err("a slip");
    assert_eq!(error.nearest, Some("binomial"));
    assert!(error.to_string().starts_with("bcast has no algorithm \"binominal\" (did you mean \"binomial\"?)"));
    assert!(world.selector.clone().with_override(Scan, "zzz").is_err_and(|error| error.nearest.is_none()));
}

#[test]
fn only_one_sides_arguments_count() {
    // Recorded traces may contain 0 where MPI ignores the value: the receive count of a gather off its root, the send
    // count of a scatter off its root.
    let mut world = World::new(Table::Default, false, &blocked(3, 1));
    let mut call = world.call(Scatter, 0, 5, &[]);
    call.send_count = 0;
    assert_eq!(world.plan(&call, 1).0[0].count, 5);
    call.kind = Gather;
    (call.send_count, call.recv_count) = (7, 0);
    assert_eq!(world.plan(&call, 1).0[0].count, 7);
}

#[test]
fn a_listing_counts_what_runs() {
    // 4 hosts of 2 ranks, 8 bytes: on each node one message to its leader, 4 leaders double, one message back.
    let mut world = World::new(Table::Mvapich2, false, &blocked(4, 2));
    let call = world.call(Allreduce, 0, 1, &[]);
    let listing = list(&world.selector, &call, &world.counts, &world.rank_map);
    let rows: Vec<_> =
        listing.entries.iter().map(|e| (e.algorithm.name, e.comm, e.ranks, e.messages, e.bytes)).collect();
    let expected =
        [("linear", Comm::Node, 8, 4, 32), ("rdb", Comm::Leaders, 4, 8, 64), ("binomial", Comm::Node, 8, 4, 32)];
    assert_eq!(rows, expected);
    assert_eq!((listing.messages(), listing.bytes(), listing.substitution), (16, 128, None));
}

/// Runs every name that an override can have, with one rank per host and with two.
#[test]
fn every_choice_runs_alone() {
    let rank_maps = (1..=40).map(|ranks| blocked(ranks, 1)).chain([2, 3, 8].map(|nodes| blocked(nodes, 2)));
    for hosts in rank_maps {
        for kind in CollectiveKind::ALL {
            for name in Choice::names(kind) {
                let mut world = World::new(Table::Ompi, hosts.len() % 2 == 0, &hosts);
                world.selector = world.selector.with_override(kind, name).expect("a name of the registry");
                let ranks = world.ranks();
                for count in [0, 1, 7, 600, 2049, 30_000] {
                    let root = (count + 1) % ranks;
                    let uneven: Vec<u32> = (0..ranks).map(|rank| count + rank % 3).collect();
                    let call = world.call(kind, root, count, &uneven);
                    for outcome in world.collective(&call) {
                        for (rank, heard) in (0..).zip(&outcome.heard).filter(|_| count > 0) {
                            let silent =
                                (0..ranks).find(|&other| must_hear(kind, root, rank, other) && !heard.contains(other));
                            assert_eq!(silent, None, "{kind:?} {name} of {count} from {root}, {hosts:?}: {rank}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_broadcast_in_segments_leaves_the_rest_to_the_table() {
    // 3 segments of 1024 doubles and 100 elements, which the table broadcasts along a binomial tree of 32 ranks.
    let mut world = World::new(Table::Ompi, false, &blocked(32, 1));
    world.selector = Selector::new(Table::Ompi, false).with_override(Bcast, "NTSB").expect("SimGrid's name");
    assert_eq!(names(&mut world, Bcast, 0, 3172, 0), [("ntsb-segments", Comm::World), ("ntsb", Comm::World)]);
    assert_eq!(world.one(Bcast, 5, 3172).volume(), 8 * (3172 * 32 + 100));
    // Six ranks: the line for 64 KiB, then by size.
    let mut world = World::new(Table::Ompi, false, &blocked(6, 1));
    assert_eq!(names(&mut world, Bcast, 0, 8192 + 10, 0), [("ntsl-segments", Comm::World), ("binomial", Comm::World)]);
}

#[test]
fn the_knomial_broadcast_of_open_mpi_finds_out_about_the_nodes() {
    let mut world = World::new(Table::Ompi, true, &blocked(8, 1));
    assert_eq!(world.one(Bcast, 0, 100).messages.len(), 2 * 56 + 7 + 7 + 7);
    assert_eq!(world.one(Bcast, 0, 100).messages.len(), 7);
    let mut world = World::new(Table::Ompi, false, &blocked(8, 1));
    assert_eq!(world.one(Bcast, 0, 100).messages.len(), 7);
}

#[test]
fn the_rule_that_applied_is_known() {
    let rule = |table, kind, ranks, count| {
        let mut world = World::new(table, false, &blocked(ranks, 1));
        let call = world.call(kind, 0, count, &[]);
        let smp = &mut SmpKnown::default();
        let said = world.selector.explain(&call, &world.counts, &world.rank_map, 0, smp, &mut Vec::new());
        said.rule.map(|rule| rule.to_string()).unwrap_or_default()
    };
    assert_eq!(rule(Table::Ompi, Reduce, 8, 100), "8 <= P < 16, n < 8192");
    assert_eq!(rule(Table::Ompi, Bcast, 6, 8202), "4 <= P < 8, 8192 <= n < 1048576");
    assert_eq!(rule(Table::Mvapich2, Alltoall, 16, 64), "8 < P <= 16, 64 < n <= 512");
    assert_eq!(rule(Table::Mpich, Allgather, 12, 1), "P*n <= 81920");
    assert_eq!(rule(Table::Default, Bcast, 12, 1), "");
}
