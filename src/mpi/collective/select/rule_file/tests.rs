//! Rules apply to the ranks and sizes that they name, and to no others; broken files are refused with a place.

use super::operations::OPERATIONS;
use super::*;
use crate::ids::HostId;
use crate::mpi::collective::select::{Explanation, Selector, SmpKnown, Table};
use crate::mpi::collective::{Stage, algorithms};
use crate::mpi::rank_map::RankMap;
use crate::trace::{CollectiveCall, Datatype};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Two sets for allreduce and one for alltoall, of version 2.
const CLASSIC: &str = "rule-file-version-2
2 # num of collectives
2 # ID of allreduce
2 # number of com sizes
8 # comm size
2 # number of msg sizes
0 3 0 0 # recursive doubling
4096 4 0 0
64
2
0 0 0 0 # as the table
1024 5 0 65536
3 # ID of alltoall
1
2
2
0 1 0 0
1000 4 0 0 3
";

/// The same in JSON.
const JSON: &str = r#"{
  "rule_file_version": 3,
  "module": "tuned",
  "collectives": {
    "allreduce": [
      {"comm_size_max": 63, "rules": [
        {"msg_size_max": 4095, "alg": "recursive_doubling"},
        {"alg": 4}
      ]},
      {"comm_size_min": 64, "rules": [{"msg_size_min": 1024, "msg_size_max": "inf", "alg": "segmented_ring", "seg_size": 65536}]}
    ],
    "alltoall": [
      {"rules": [{"msg_size_max": 999, "alg": "linear"}, {"msg_size_min": 1000, "alg": "linear_sync", "reqs": 3}]}
    ]
  }
}"#;

fn plan(rules: &str, kind: CollectiveKind, ranks: u32, bytes: u32) -> (Vec<Stage>, Explanation) {
    on(&RankMap::one_each(ranks as usize), rules, kind, bytes)
}

fn on(rank_map: &RankMap, rules: &str, kind: CollectiveKind, bytes: u32) -> (Vec<Stage>, Explanation) {
    let rules = RuleFile::parse(rules).unwrap_or_else(|error| panic!("{error}"));
    let selector = Selector::new(Table::Ompi, false).with_rules(Arc::new(rules));
    let call = CollectiveCall::uniform(kind, 0, bytes, Datatype::BYTE);
    let (mut smp, mut stages) = (SmpKnown::default(), Vec::new());
    let said = selector.explain(&call, &[], rank_map, 0, &mut smp, &mut stages);
    (stages, said)
}

fn name(rules: &str, kind: CollectiveKind, ranks: u32, bytes: u32) -> &'static str {
    plan(rules, kind, ranks, bytes).1.name.expect("one algorithm")
}

#[test]
fn the_nearest_rule_at_or_below_applies() {
    let fixed = Selector::new(Table::Ompi, false);
    for rules in [CLASSIC, JSON] {
        for (ranks, bytes, expected) in [
            (2, 0, "rdb"),
            (8, 4095, "rdb"),
            (8, 4096, "lr"),
            (63, 1 << 20, "lr"),
            (64, 1024, "ring-segmented"),
            (1000, 1 << 24, "ring-segmented"),
        ] {
            assert_eq!(name(rules, CollectiveKind::Allreduce, ranks, bytes), expected, "{ranks} ranks, {bytes} bytes");
        }
        // Algorithm 0, and operations without rules, are as the table says.
        for (kind, bytes) in [(CollectiveKind::Allreduce, 1000), (CollectiveKind::Bcast, 1 << 20)] {
            let call = CollectiveCall::uniform(kind, 0, bytes, Datatype::BYTE);
            let rank_map = RankMap::one_each(64);
            let said = fixed.explain(&call, &[], &rank_map, 0, &mut SmpKnown::default(), &mut Vec::new());
            assert_eq!(plan(rules, kind, 64, bytes).1.name, said.name);
        }
        // The size of an alltoall is that of all blocks: 999 and 1,000 bytes.
        assert_eq!(name(rules, CollectiveKind::Alltoall, 9, 111), "linear");
        let (stages, said) = plan(rules, CollectiveKind::Alltoall, 10, 100);
        assert_eq!((said.name, stages[0].tuning.width), (Some("linear-sync"), 3));
        assert_eq!(RuleFile::parse(rules).map(|rules| rules.len()), Ok(if rules == CLASSIC { 6 } else { 5 }));
    }
    let (_, said) = plan(CLASSIC, CollectiveKind::Allreduce, 64, 4096);
    assert_eq!(said.rule.expect("a rule").to_string(), "P >= 64, n >= 1024, rule file");
}

#[test]
fn segments_reach_the_algorithm() {
    let bcast = |algorithm: u32, fan_out: u32, segment: u64| {
        let rules = format!("1 7 1 2 1 0 {algorithm} {fan_out} {segment}");
        plan(&rules, CollectiveKind::Bcast, 16, 65_536).0[0]
    };
    let stage = bcast(3, 0, 8192);
    assert!(std::ptr::eq(stage.algorithm, &algorithms::bcast_pipeline::PIPELINE));
    assert_eq!(stage.tuning, Tuning { segment: NonZeroU32::new(8192), ..Tuning::default() });
    // 0 means that nothing is cut, and a fan-out of 0 a single chain.
    assert_eq!(bcast(3, 0, 0).tuning.segment, Some(Tuning::WHOLE));
    assert_eq!(bcast(2, 0, 1024).tuning.width, 1);
    assert_eq!(bcast(2, 5, 1024).tuning.width, 5);
    let allgather = |fan_out: u32| plan(&format!("1 0 1 2 1 0 2 {fan_out} 0"), CollectiveKind::Allgather, 16, 8).0[0];
    for (fan_out, name, width) in [(0, "bruck", 0), (2, "bruck", 0), (3, "bruck-radix", 3), (9, "bruck-radix", 9)] {
        let stage = allgather(fan_out);
        assert_eq!((stage.algorithm.name, stage.tuning.width), (name, width), "radix {fan_out}");
    }
    assert_eq!(bcast(5, 5, 1 << 40).tuning, Tuning { segment: Some(Tuning::WHOLE), ..Tuning::default() });
}

#[test]
fn every_algorithm_of_every_operation_runs() {
    for (id, (name, kind)) in OPERATIONS.iter().enumerate() {
        let Some(kind) = *kind else { continue };
        for (number, (algorithm, _)) in super::algorithms::of(kind).iter().enumerate() {
            for ranks in [1, 2, 3, 8, 13] {
                let classic = plan(&format!("1\n{id} 1 0 1\n0 {number} 0 0\n"), kind, ranks, 512);
                let json = format!(r#"{{"collectives": {{"{name}": [{{"rules": [{{"alg": "{algorithm}"}}]}}]}}}}"#);
                let json = plan(&json, kind, ranks, 512);
                let words = |(stages, said): &(Vec<Stage>, Explanation)| format!("{stages:?} {said:?}");
                assert_eq!(words(&classic), words(&json), "{name} by {algorithm} on {ranks}");
            }
        }
    }
}

#[test]
fn what_open_mpi_cannot_run_is_said() {
    let note = |rules: &str, kind, ranks| plan(rules, kind, ranks, 64).1.substitution.map(|note| note.text);
    assert_eq!(note("1 0 1 0 1 0 6 0 0", CollectiveKind::Allgather, 2), None);
    assert!(note("1 0 1 0 1 0 6 0 0", CollectiveKind::Allgather, 8).is_some_and(|text| text.contains("two ranks")));
    assert_eq!(note("1 0 1 0 1 0 7 0 0", CollectiveKind::Allgather, 8), None, "sparbit runs on any number of ranks");
}

#[test]
fn rules_may_ask_for_ranks_on_one_host_or_on_many() {
    let rules = r#"{"collectives": {"barrier": [
        {"comm_rank_distribution": "one-per-node", "rules": [{"alg": "tree"}]},
        {"comm_rank_distribution": "single-node", "rules": [{"alg": "linear"}]},
        {"comm_rank_distribution": "any", "rules": [{"alg": "bruck"}]}]}}"#;
    let name = |hosts: [u32; 4]| {
        let rank_map = RankMap::new(hosts.map(HostId).to_vec());
        on(&rank_map, rules, CollectiveKind::Barrier, 0).1.name
    };
    assert_eq!(name([0, 1, 2, 3]), Some("tree"));
    assert_eq!(name([5, 5, 5, 5]), Some("linear"));
    assert_eq!(name([0, 0, 1, 1]), Some("bruck"));
}

#[test]
fn broken_files_are_refused_with_a_place() {
    for (text, expected) in [
        ("", "1:1: the file ends where the number of collectives should follow"),
        ("1\n2 1 8 2\n0 3 0 0\n", "3:8: the file ends where a message size should follow"),
        ("99", "1:1: 99 collectives are more than the 22 there are"),
        ("1 # one\n22", "2:1: no collective has the ID 22; IDs are 0 to 21"),
        ("1\n2\n1\n8\n1\n5 3 0 0", "6:1: allreduce: the first message size is 5; it has to be 0"),
        ("1\n2\n1\n8\n2\n0 3 0 0\n0 3 0 0", "7:1: allreduce: message sizes have to rise"),
        ("1\n2\n2\n8 1 0 3 0 0\n8 1 0 3 0 0", "5:1: allreduce: communicator sizes have to rise"),
        ("1\n2\n1\n8\n1\n0 12 0 0", "6:3: allreduce has no algorithm 12; IDs are 0 to 7"),
        ("1\n2\n1\n8\n1\n0 3 0 0 64", "6:9: the 1 collectives of the file end before this; is their number right?"),
        ("1\n2\n1\n8\n1\n0 -3 0 0", "6:3: an algorithm is `-3`, not a whole number from 0 on"),
        ("1\n2\n1\n010", "4:1: `010`: Open MPI reads a number with a leading 0 as octal; leave the 0 out"),
        (
            "1\n99999999999999999999",
            "2:1: the ID of a collective is `99999999999999999999`, not a whole number from 0 on",
        ),
        ("rule-file-version-7\n0", "1:19: version 7 of rule files is not known; 1 and 2 are"),
        ("2\n2 0\n2 1 0 1 0 3 0 0", "no error"),
        ("2\n2 1 0 1 0 3 0 0\n2 0", "3:1: allreduce (ID 2) has rules twice"),
        ("{", "1:1: EOF while parsing an object"),
        ("{\n  \"collectives\": {\"bcst\": []}\n}", "2:27: there is no collective `bcst`; did you mean `bcast`?"),
        (
            "{\"collectives\": {\"bcast\": [\n{\"rules\": [\n {\"alg\": \"tree\"}]}]}}",
            "3:10: bcast has no algorithm \"tree\"; algorithms are 0 to 9, or ignore, basic_linear, chain, pipeline, \
             split_binary_tree, binary_tree, binomial, knomial, scatter_allgather, scatter_allgather_ring",
        ),
        (
            "{\"collectives\": {\"bcast\": [{\"rules\": [{\"alg\": 1, \"seg_size\": -4}]}]}}",
            "1:62: seg_size is -4, neither a whole number from 0 on nor \"inf\"",
        ),
        ("{\"collectives\": {}, \"rule_file_version\": 2}", "1:42: rule_file_version is 2; 3 is the only one in JSON"),
        ("{\"collectives\": {}, \"module\": \"han\"}", "1:31: the rules are for the module \"han\", not \"tuned\""),
    ] {
        let error = RuleFile::parse(text).map_or_else(|error| error.to_string(), |_| "no error".to_owned());
        assert_eq!(error, expected, "{text}");
    }
}
