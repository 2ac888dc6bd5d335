//! Tests each algorithm in isolation, with one rank per host: it ends under both protocols, its messages match, their
//! number and volume are those of the closed forms, and each member receives data of all members that it needs.

use super::*;
use crate::mpi::collective::testing::{DeliveryOutcome, PROTOCOLS, RankStages, run};
use crate::mpi::collective::{Comm, Stage, Tuning, Vector};
use crate::mpi::rank_map::RankMap;
use std::num::NonZeroU32;

/// Arguments of one execution.
#[derive(Clone, Debug)]
struct Case {
    algorithm: &'static Algorithm,
    size: u32,
    root: u32,
    count: u64,
    element: u64,
    /// Elements for each member, where the algorithm takes a vector.
    counts: Vec<u32>,
    tuning: Tuning,
}

impl Case {
    fn kind(&self) -> CollectiveKind {
        self.algorithm.kind.expect("registered algorithms have an operation")
    }

    fn vector(&self) -> Vector {
        match self.kind() {
            CollectiveKind::Alltoallv | CollectiveKind::Scatterv => Vector::SendCounts,
            CollectiveKind::Allgatherv | CollectiveKind::ReduceScatter => Vector::RecvCounts,
            _ => Vector::None,
        }
    }

    /// Returns the number of elements that member `me` sends as its own block: that of the vector for the operations in
    /// which all members know it.
    fn count_of(&self, me: u32) -> u64 {
        match self.kind() {
            CollectiveKind::Allgatherv | CollectiveKind::Gatherv => u64::from(self.counts[me as usize]),
            _ => self.count,
        }
    }

    fn run(&self) -> Vec<DeliveryOutcome> {
        let rank_map = RankMap::one_each(self.size as usize);
        let part = |me| {
            let stage = Stage {
                algorithm: self.algorithm,
                comm: Comm::World,
                tag: -1,
                root: self.root,
                count: self.count_of(me),
                element: self.element,
                vector: self.vector(),
                tuning: self.tuning,
            };
            let recv_counts = match self.kind() {
                // All members come with the same vector, so each one gets blocks of the same size from all.
                CollectiveKind::Alltoallv => vec![self.counts[me as usize]; self.size as usize],
                _ => self.counts.clone(),
            };
            RankStages { stages: vec![stage], send_counts: self.counts.clone(), recv_counts }
        };
        let parts: Vec<RankStages> = (0..self.size).map(part).collect();
        let outcome = |protocol| match run(&parts, &rank_map, protocol) {
            Ok(outcome) => outcome,
            Err(error) => panic!("{self:?}, {protocol:?}: {error}"),
        };
        PROTOCOLS.map(outcome).into()
    }

    fn power(&self) -> u64 {
        1 << self.size.ilog2()
    }

    /// Number of messages; `None` where there is no simple formula.
    fn messages(&self) -> Option<u64> {
        use CollectiveKind::*;
        let p = u64::from(self.size);
        let (power, rest) = (self.power(), p - self.power());
        let log = u64::from(self.size.ilog2());
        let log_up = u64::from(self.size.next_power_of_two().ilog2());
        let vector_total: u64 = self.counts.iter().map(|&c| u64::from(c)).sum();
        let nothing = match (self.kind(), self.algorithm.name) {
            (
                Reduce,
                "binomial" | "knomial" | "scatter-gather" | "chain" | "pipeline" | "binary" | "binomial-ahead"
                | "in-order-binary",
            )
            | (Bcast, "pipeline" | "chain" | "binary" | "binomial-ahead")
            | (Allreduce, "rs")
            | (Alltoall, "scattered") => self.count == 0,
            (Bcast, "scatter-rdb") => self.count * self.element == 0,
            (Allgatherv, "rdb") | (ReduceScatter, "halving") => vector_total == 0,
            _ => false,
        };
        if nothing {
            return Some(0);
        }
        if self.tuning.segment.is_some() {
            return None;
        }
        Some(match (self.kind(), self.algorithm.name) {
            (Barrier, "linear") => 2 * (p - 1),
            (Barrier, "bruck") => p * log_up,
            (Barrier, "tree") => 2 * (p - 1),
            (Barrier, "double-ring") if p == 1 => 0,
            (Barrier, "double-ring") => 2 * p,
            (Barrier, "pair") => 2 * rest + power * log,
            (Bcast, "scatter-ring") => self.scatter().0 + p * (p - 1),
            (Bcast, "scatter-rdb") if rest == 0 => self.scatter().0 + p * log,
            (Bcast, "binomial" | "knomial" | "linear" | "chain" | "binary" | "binomial-ahead") => p - 1,
            (Reduce, "scatter-gather") => rest + power * log + power - 1 + self.handover(),
            (Reduce, "chain" | "pipeline" | "binary" | "binomial-ahead") => return None,
            (Reduce, "in-order-binary") => p - 1 + self.detour(),
            (Gather, "linear-sync") => 3 * (p - 1),
            (Reduce | Gather | Gatherv | Scatter | Scatterv, _) => p - 1,
            (Allreduce, "rs") if self.count >= power => 2 * rest + 2 * power * log,
            (Allreduce, "rab-rdb") => 2 * rest + 2 * power * log,
            (Allreduce, _) => 2 * rest + power * log,
            (Alltoall, "scattered") => p * p,
            (Alltoallv, "scattered-nonempty") if self.element == 0 => 0,
            (Alltoallv, "scattered-nonempty") => p * self.counts.iter().filter(|&&count| count > 0).count() as u64,
            (Alltoall, "bruck") => p * log_up,
            (Alltoall, "pair" | "ring" | "linear" | "linear-sync") | (Alltoallv, _) => p * (p - 1),
            (Allgather | Alltoall | Allgatherv | ReduceScatter, "rdb") if rest == 0 => p * log,
            (Allgather | Allgatherv, "bruck") => p * log_up,
            (Allgather, "bruck-radix") => p * self.rounds().map(|(_, partners)| partners).sum::<u64>(),
            (Allgather | Allgatherv, "sparbit") => p * (p - 1),
            (Allgather | Allgatherv, "neighbour-exchange") if p % 2 == 0 => p * p / 2,
            (Allgather, "nonblocking" | "ring" | "neighbour-exchange" | "pair" | "ntslr" | "ntslr-nb")
            | (Allgatherv, "nonblocking" | "direct" | "neighbour-exchange" | "pair") => p * (p - 1),
            (ReduceScatter, "butterfly") => {
                2 * rest + power * log + self.swapped().filter(|(number, owner)| number != owner).count() as u64
            }
            (ReduceScatter, "pairwise") if self.counts.iter().all(|&c| c == 0) => 0,
            (ReduceScatter, "pairwise" | "ring") => p * (p - 1),
            (ReduceScatter, "halving") if self.counts.iter().all(|&c| c > 0) => 2 * rest + power * log,
            (Scan | Exscan, "linear") => p * (p - 1) / 2,
            (Scan | Exscan, _) => self.partners(),
            _ => return None,
        })
    }

    /// Bytes of all messages; `None` where there is no simple formula.
    fn volume(&self) -> Option<u64> {
        use CollectiveKind::*;
        let p = u64::from(self.size);
        let (power, rest) = (self.power(), p - self.power());
        let log = u64::from(self.size.ilog2());
        let n = self.count * self.element;
        let count = |i: u64| u64::from(self.counts[i as usize]);
        let total = (0..p).map(count).sum::<u64>() * self.element;
        let tree_blocks: u64 = (1..p).map(|v| (v & v.wrapping_neg()).min(p - v)).sum();
        Some(match (self.kind(), self.algorithm.name) {
            (Barrier, _) => 0,
            (Bcast, "scatter-ring" | "scatter-rdb") => self.scatter().1 + (p - 1) * n,
            (Bcast, _) => (p - 1) * n,
            (Reduce, "scatter-gather") if self.count == 0 => 0,
            (Reduce, "scatter-gather") => {
                let padded = self.count.max(p);
                if padded % power != 0 {
                    return None;
                }
                let segment = padded / power;
                let gathered = log * power / 2 * segment + self.handover() * segment;
                ((rest + power - 1) * padded + gathered) * self.element
            }
            (Reduce, "in-order-binary") => (p - 1 + self.detour()) * n,
            (Gather | Scatter, "binomial" | "binomial-far") => tree_blocks * n,
            (Reduce | Gather | Scatter, _) => (p - 1) * n,
            (Gatherv | Scatterv, _) => total - count(u64::from(self.root)) * self.element,
            (Allreduce, "rs") if self.count >= power => 2 * (rest + power - 1) * n,
            (Allreduce, "rab-rdb") => 2 * (rest + power - 1) * n,
            (Allreduce, _) => (2 * rest + power * log) * n,
            (Alltoall, "scattered") => p * p * n,
            (Alltoall, "bruck") => p * (1..p).map(|b| u64::from(b.count_ones())).sum::<u64>() * n,
            (Alltoall, "rdb") => p * (p - 1) * n * p,
            (Alltoall | Allgather, _) => p * (p - 1) * n,
            (Alltoallv, "scattered-nonempty") => p * total,
            (Alltoallv, _) => (p - 1) * total,
            (Allgatherv, _) => (p - 1) * total,
            (ReduceScatter, "butterfly") => {
                let late: u64 = (0..rest).map(|number| count(2 * number)).sum();
                let member = |number: u64| if number < rest { 2 * number + 1 } else { number + rest };
                let swaps = self.swapped().filter(|(number, owner)| number != owner);
                let swapped: u64 = swaps.map(|(_, owner)| count(member(owner))).sum();
                (rest + power - 1) * total + (late + swapped) * self.element
            }
            (ReduceScatter, "pairwise" | "ring") => (p - 1) * total,
            (ReduceScatter, "halving") if total == 0 => 0,
            (ReduceScatter, "halving") if self.counts.iter().all(|&c| c > 0) => {
                (rest + power - 1) * total + (0..rest).map(|i| count(2 * i)).sum::<u64>() * self.element
            }
            (Scan | Exscan, "linear") => p * (p - 1) / 2 * n,
            (Scan | Exscan, _) => self.partners() * n,
            _ => return None,
        })
    }

    /// In Bruck's algorithm with a radix: distances of the rounds, and the partners in them.
    fn rounds(&self) -> impl Iterator<Item = (u64, u64)> {
        let (p, radix) =
            (u64::from(self.size), if self.tuning.width == 0 { 4 } else { u64::from(self.tuning.width).max(2) });
        std::iter::successors(Some(1), move |distance| Some(distance * radix))
            .take_while(move |&distance| distance < p)
            .map(move |distance| (distance, (1..radix).filter(|j| distance * j < p).count() as u64))
    }

    /// In a scan by doubling: the number of (member, partner) whose ranks differ in one bit.
    fn partners(&self) -> u64 {
        let bits = |member: u32| (0..31).filter(move |bit| member ^ (1 << bit) < self.size);
        (0..self.size).map(|member| bits(member).count() as u64).sum()
    }

    /// In the butterfly: the numbers with those whose blocks they end up with.
    fn swapped(&self) -> impl Iterator<Item = (u64, u64)> {
        let bits = self.power().trailing_zeros();
        let mirror = move |number: u64| (0..bits).map(|i| (number >> i & 1) << (bits - 1 - i)).sum();
        (0..self.power()).map(move |number| (number, mirror(number)))
    }

    /// 1 if the last member, root of the in-order tree, has to forward the result.
    fn detour(&self) -> u64 {
        u64::from(self.root + 1 != self.size)
    }

    /// Messages and bytes of the scatter that precedes a broadcast in pieces.
    fn scatter(&self) -> (u64, u64) {
        let (p, n) = (u64::from(self.size), self.count * self.element);
        let piece = n.div_ceil(p);
        let parts = (1..p).filter(|v| v * piece < n).map(|v| (n - v * piece).min((v & v.wrapping_neg()) * piece));
        (parts.clone().count() as u64, parts.sum())
    }

    /// 1 if the root of a reduction by scatter and gather was left out, and gets a segment from rank 0.
    fn handover(&self) -> u64 {
        let rest = u64::from(self.size) - self.power();
        u64::from(u64::from(self.root) < 2 * rest && self.root % 2 == 1)
    }

    /// `true` if data of `other` must reach `rank`.
    fn must_hear(&self, rank: u32, other: u32) -> bool {
        use CollectiveKind::*;
        match self.kind() {
            Barrier => true,
            Bcast | Scatter | Scatterv => other == self.root,
            Reduce | Gather | Gatherv => rank == self.root,
            Allreduce | Alltoall | Alltoallv | Allgather | Allgatherv | ReduceScatter => true,
            Scan | Exscan => other < rank,
        }
    }

    /// Checks all known properties of the case.
    fn check(&self) {
        let empty = self.kind() != CollectiveKind::Barrier
            && (self.count * self.element == 0 || self.counts.contains(&0) || self.element == 0);
        for outcome in self.run() {
            if let Some(messages) = self.messages() {
                assert_eq!(outcome.messages.len() as u64, messages, "messages of {self:?}");
            }
            if let Some(volume) = self.volume() {
                assert_eq!(outcome.volume(), volume, "volume of {self:?}");
            }
            if empty {
                continue;
            }
            for rank in 0..self.size {
                for other in 0..self.size {
                    let heard = outcome.heard[rank as usize].contains(other);
                    assert!(heard || !self.must_hear(rank, other), "{self:?}: {rank} has not heard from {other}");
                }
                self.check_received(rank, &outcome);
            }
        }
    }

    /// Checks, for algorithms that collect blocks by doubling, that no member receives a block twice.
    fn check_received(&self, rank: u32, outcome: &DeliveryOutcome) {
        let n = self.count * self.element;
        let others = u64::from(self.size) - 1;
        let expected = match (self.kind(), self.algorithm.name) {
            (CollectiveKind::Allgather, _) => others * n,
            (CollectiveKind::Allgatherv, _) => {
                let other = |(i, &c): (usize, &u32)| if i == rank as usize { 0 } else { u64::from(c) * self.element };
                self.counts.iter().enumerate().map(other).sum()
            }
            (CollectiveKind::Alltoall, "rdb") => others * n * u64::from(self.size),
            _ => return,
        };
        assert_eq!(outcome.received_by(rank), expected, "received by {rank} in {self:?}");
    }
}

fn roots(algorithm: &Algorithm, size: u32) -> Vec<u32> {
    use CollectiveKind::*;
    let rooted = matches!(algorithm.kind, Some(Bcast | Reduce | Gather | Gatherv | Scatter | Scatterv));
    match (rooted, size) {
        (false, _) => vec![0],
        (true, 0..=12) => (0..size).collect(),
        (true, _) => vec![0, 1, 4, size / 2, size - 1],
    }
}

/// Equal counts, counts with zeros, growing counts, one large count.
fn vectors(size: u32, count: u64) -> [Vec<u32>; 4] {
    let count = count as u32;
    let ranks = 0..size;
    [
        vec![count; size as usize],
        ranks.clone().map(|i| i % 3 * count).collect(),
        ranks.clone().map(|i| count + i).collect(),
        ranks.map(|i| if i == size / 2 { 300_000 + count } else { 1 }).collect(),
    ]
}

fn check_all(sizes: impl Iterator<Item = u32> + Clone, counts: &[u64], elements: &[u64]) {
    for &algorithm in ALGORITHMS {
        for size in sizes.clone() {
            let barrier = algorithm.kind == Some(CollectiveKind::Barrier);
            if algorithm.name == "pair" && !barrier && !size.is_power_of_two() {
                continue;
            }
            for root in roots(algorithm, size) {
                for &count in counts {
                    for &element in elements {
                        for counts in vectors(size, count) {
                            let tuning = Tuning::default();
                            let case = Case { algorithm, size, root, count, element, counts, tuning };
                            case.check();
                            if case.vector() == Vector::None && case.kind() != CollectiveKind::Gatherv {
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn closed_forms_on_few_ranks() {
    check_all(1..=12, &[0, 1, 2, 7, 8, 100, 100_003], &[1, 4, 8]);
}

#[test]
fn closed_forms_on_up_to_40_ranks() {
    check_all(13..=40, &[1, 9, 32, 4096], &[8]);
}

#[test]
fn closed_forms_on_many_ranks() {
    check_all([64, 65, 100, 128].into_iter(), &[0, 3, 6400], &[4]);
}

#[test]
fn segments_and_widths_change_no_volume() {
    let segments = [None, Some(Tuning::WHOLE), NonZeroU32::new(8), NonZeroU32::new(100)];
    for &algorithm in ALGORITHMS.iter().filter(|a| a.name != "pair") {
        for size in [1, 2, 3, 13, 33] {
            for (segment, width) in segments.iter().flat_map(|&segment| [0, 1, 3, 200].map(|width| (segment, width))) {
                let tuning = Tuning { segment, width, spread: width == 3 };
                let counts = vec![60; size as usize];
                Case { algorithm, size, root: size / 2, count: 60, element: 8, counts, tuning }.check();
            }
        }
    }
}

#[test]
fn segments_of_a_tree_are_messages() {
    let messages = |algorithm, segment: Option<NonZeroU32>, element| {
        let tuning = Tuning { segment, width: 2, spread: false };
        let case = Case { algorithm, size: 9, root: 3, count: 1000, element, counts: vec![1000; 9], tuning };
        case.run()[0].messages.len()
    };
    for algorithm in [&bcast_tree::CHAIN, &bcast_tree::BINARY, &bcast_tree::BINOMIAL, &bcast_pipeline::PIPELINE] {
        assert_eq!(messages(algorithm, Some(Tuning::WHOLE), 8), 8, "{}", algorithm.name);
        assert_eq!(messages(algorithm, NonZeroU32::new(1024), 8), 8 * 8, "{}", algorithm.name);
        // An element that is longer than a segment makes no segments.
        assert_eq!(messages(algorithm, NonZeroU32::new(7), 8), 8, "{}", algorithm.name);
    }
    for algorithm in [&reduce_tree::CHAIN, &reduce_tree::BINARY, &reduce_tree::BINOMIAL, &reduce_tree::PIPELINE] {
        assert_eq!(messages(algorithm, NonZeroU32::new(4000), 8), 2 * 8, "{}", algorithm.name);
    }
}

#[test]
fn names_are_unique_in_their_operation() {
    for kind in CollectiveKind::ALL {
        let mut names: Vec<&str> = of(kind).map(|algorithm| algorithm.name).collect();
        assert!(!names.is_empty(), "{}", kind.name());
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before, "{}", kind.name());
        assert!(names.iter().all(|name| find(kind, name).is_some_and(|a| a.name == *name)));
    }
    assert_eq!(find(CollectiveKind::Bcast, "scatter_ring").map(|a| a.name), Some("scatter-ring"));
}
