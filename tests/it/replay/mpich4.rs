//! The table of MPICH 4 against the messages of MPICH 4.0.2, rank by rank and in order. `data/mpich4.txt.zst` describes
//! the origin of its numbers. Each rank had a host of its own, or hosts had several ranks, in blocks or in turn.

use crate::support::data;
use mopsim::ids::HostId;
use mopsim::mpi::collective::select::Table;
use mopsim::mpi::collective::{Cursor, Selector, SmpKnown, Step};
use mopsim::mpi::rank_map::RankMap;
use mopsim::trace::CollectiveKind::{self, *};
use mopsim::trace::{CollectiveCall, Counts, Datatype};
use std::fmt::Write;

/// Returns the host of each rank, as MPICH distributes ranks over the hosts that it pretends to have.
fn hosts(ranks: u32, hosts: u32, cyclic: bool) -> Vec<HostId> {
    let (each, more) = (ranks / hosts, ranks % hosts);
    let blocked = |rank: u32| match rank < more * (each + 1) {
        true => rank / (each + 1),
        false => more + (rank - more * (each + 1)) / each,
    };
    (0..ranks).map(|rank| HostId(if cyclic { rank % hosts } else { blocked(rank) })).collect()
}

fn kind(name: &str) -> CollectiveKind {
    let plain = |kind: CollectiveKind| kind.name().replace(['_', '-'], "");
    CollectiveKind::ALL.into_iter().find(|&kind| plain(kind) == name).unwrap_or_else(|| panic!("no {name}"))
}

/// Returns the messages of the table's choice, as the file has them.
fn messages(rank_map: &RankMap, kind: CollectiveKind, root: u32, count: u32) -> String {
    let ranks = rank_map.ranks();
    let mut out = String::new();
    for rank in 0..ranks {
        let exchanged: Vec<u32> = (0..ranks).map(|other| count * ((rank + other) % 3)).collect();
        let growing: Vec<u32> = (0..ranks).map(|other| count + other).collect();
        let own = growing[rank as usize];
        let counts = if kind == Alltoallv { exchanged } else { growing };
        let reduces = matches!(kind, Reduce | Allreduce | ReduceScatter | Scan | Exscan);
        let mut call =
            CollectiveCall::uniform(kind, root, count, if reduces { Datatype::DOUBLE } else { Datatype::BYTE });
        let all = Counts { start: 0, len: ranks };
        (call.send_counts, call.recv_counts) = (all, all);
        if matches!(kind, Allgatherv | Gatherv | Scatterv) {
            (call.send_count, call.recv_count) = (own, own);
        }
        let (mut stages, mut known) = (Vec::new(), SmpKnown::default());
        let selector = Selector::new(Table::Mpich4, false);
        selector.plan(&call, &counts, rank_map, rank, &mut known, &mut stages);
        for stage in &stages {
            let scope = stage.scope(rank_map, rank, &counts, &counts);
            let (mut cursor, mut steps) = (Cursor::default(), Vec::new());
            while !cursor.done {
                (stage.algorithm.steps)(&scope, &mut cursor, &mut steps);
            }
            for step in steps {
                if let Step::Send { to, bytes } | Step::Isend { to, bytes } = step {
                    let to = stage.comm.rank_of(rank_map, rank, to);
                    // A message to oneself is none for the transport.
                    if to != rank {
                        let _ = write!(out, " {rank}>{to}:{bytes}");
                    }
                }
            }
        }
    }
    out
}

#[test]
fn every_message_is_that_of_mpich() {
    let file = std::fs::File::open(data().join("mpich4.txt.zst")).expect("test data");
    let text = std::io::read_to_string(zstd::stream::read::Decoder::new(file).expect("zstd")).expect("text");
    let mut rank_map = RankMap::one_each(1);
    let (mut calls, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        let number = |at: usize| words[at].parse::<u32>().expect("a number");
        if words[0] == "ranks" {
            let (count, cyclic) = match words[3].split_once(' ') {
                Some((count, "cyclic")) => (count, true),
                _ => (words[3], false),
            };
            rank_map = RankMap::new(hosts(number(1), count.parse().expect("a number"), cyclic));
            continue;
        }
        // Nothing to reduce: hosts with several ranks still exchange empty messages in MPICH, and none here.
        if words[0] == "allreduce" && words[2] == "0" && rank_map.nodes().len() < rank_map.ranks() as usize {
            continue;
        }
        calls += 1;
        let measured = words.get(3).copied().unwrap_or_default();
        let ours = messages(&rank_map, kind(words[0]), number(1), number(2));
        if measured.trim() != ours.trim() {
            let shown = |text: &str| text.trim().chars().take(160).collect::<String>();
            let hosts = rank_map.nodes().len();
            wrong.push(format!(
                "{} on {} ranks of {hosts} hosts\n  {}\n  {}",
                words[..3].join(" "),
                rank_map.ranks(),
                shown(measured),
                shown(&ours)
            ));
        }
    }
    assert!(calls > 3000, "{calls} calls");
    assert!(wrong.is_empty(), "{} of {calls} calls differ:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}
