use super::*;
use crate::topology::build as topology;
use crate::user_error::UserError;
use std::path::Path;

fn on(spec: &str, pattern: &str, hosts: u32) -> Result<Traffic, TrafficError> {
    let topology = topology(spec).unwrap();
    let switches = topology.graph.switches() as u32;
    let host_switch: Vec<u32> = (0..hosts).map(|host| host * switches / hosts.max(1)).collect();
    build(pattern, &PatternInput::new(&topology, &host_switch))
}

fn to(pattern: &str, hosts: u32, source: u32) -> Vec<(u32, f64)> {
    let traffic = on("ring:4", pattern, hosts).unwrap_or_else(|error| panic!("{pattern}: {error}"));
    let mut seen = Vec::new();
    traffic.flows.visit(source, &mut |to, share| seen.push((to, share)));
    seen
}

fn one(pattern: &str, hosts: u32, source: u32) -> u32 {
    let found = to(pattern, hosts, source);
    assert_eq!((found.len(), found[0].1.to_bits()), (1, 1_f64.to_bits()));
    found[0].0
}

#[test]
fn the_example_of_the_specification() {
    // 16 hosts, source 0001.
    let expected = [
        ("bit_complement", 0b1110),
        ("bit_reversal", 0b1000),
        ("transpose", 0b0100),
        ("shuffle", 0b0010),
        ("bit_rotation", 0b1000),
        ("mirror", 0b1110),
        ("matrix_transpose", 0b0100),
    ];
    for (pattern, destination) in expected {
        assert_eq!(one(pattern, 16, 1), destination, "{pattern}");
    }
    assert_eq!(one("tornado:k=8", 8, 0), 3);
    assert_eq!(one("neighbour", 8, 7), 0);
    assert_eq!((one("tornado:8,1", 8, 0), one("tornado:m=2", 16, 5), one("tornado:4,2", 16, 5)), (3, 10, 10));
    // 5 digits of base 3 each: the offset is ceil(3/2) - 1 = 1 as well.
    assert_eq!(one("tornado:k=3", 9, 8), 0);
    assert_eq!(one("neighbor:k=4", 16, 0b0011), 0b0100);
    assert_eq!(to("asymmetric", 6, 4), [(1, 0.5), (4, 0.5)]);
    assert_eq!(to("hotspot:nodes=[0,3],rates=[3,1]", 6, 4), [(0, 0.75), (3, 0.25)]);
    assert_eq!(to("hotspot:list=[0,3],rates=[3,1]", 6, 4), [(0, 0.75), (3, 0.25)]);
    assert_eq!(to("incast:target=2,sources=2", 6, 4), [(2, 1.0)]);
    assert!(to("incast:target=2,sources=2", 6, 5).is_empty() && to("incast:target=2", 6, 2).is_empty());
    assert_eq!(to("all_to_all", 3, 1), [(0, 0.5), (2, 0.5)]);
    assert_eq!(to("uniform", 4, 1).len(), 4);
    assert_eq!(to("uniform:exclude_self", 3, 1), [(0, 0.5), (2, 0.5)]);
    assert_eq!(to("uniform:exclude_self=false", 3, 1).len(), 3);
    assert_eq!(to("diagonal", 4, 3), [(0, 1.0 / 3.0), (3, 2.0 / 3.0)]);
}

#[test]
fn bits_are_moved_as_the_definitions_say() {
    // Bit by bit, from the formulas, for all sizes up to 2^8.
    for b in 0..=8_u32 {
        let bit = |number: u32, i: u32| (number >> i) & 1;
        let built = |f: &dyn Fn(u32) -> u32| (0..b).map(|i| f(i) << i).sum::<u32>();
        for s in 0..1 << b {
            let n = 1 << b;
            assert_eq!(one("bit_complement", n, s), built(&|i| 1 - bit(s, i)));
            assert_eq!(one("bit_reversal", n, s), built(&|i| bit(s, b - 1 - i)));
            assert_eq!(one("shuffle", n, s), built(&|i| bit(s, (i + b - 1) % b)));
            assert_eq!(one("bit_rotation", n, s), built(&|i| bit(s, (i + 1) % b)));
            if b % 2 == 0 {
                assert_eq!(one("transpose", n, s), built(&|i| bit(s, (i + b / 2) % b)));
            }
        }
    }
}

#[test]
fn permutations_are_permutations_and_a_seed_is_in_the_name() {
    for pattern in ["random_permutation", "mirror", "matrix_transpose", "tornado", "worst_case", "bit_reversal"] {
        let traffic = on("torus:4x4", pattern, 64).unwrap();
        let mut seen = Vec::new();
        (0..64).for_each(|source| traffic.flows.visit(source, &mut |to, _| seen.push(to)));
        seen.sort_unstable();
        assert_eq!(seen, (0..64).collect::<Vec<_>>(), "{pattern}");
    }
    let traffic = on("ring:4", "randperm", 12).unwrap();
    assert_eq!((traffic.name.as_str(), traffic.seed), ("random_permutation:seed=1", Some(1)));
    let named = on("ring:4", "random-permutation:seed=7", 12).unwrap();
    assert_eq!((named.name.as_str(), named.seed), ("random_permutation:seed=7", Some(7)));
    let differ = (0..12).any(|source| one("randperm", 12, source) != one("randperm:7", 12, source));
    assert!(differ);
}

#[test]
fn the_worst_case_is_as_far_as_can_be() {
    // In an even ring the farthest switch is the opposite one; so all 16 hosts of 8 switches receive from 4 hops away.
    let topology = topology("ring:8").unwrap();
    let traffic = on("ring:8", "worst_case", 16).unwrap();
    for source in 0..16_u32 {
        traffic.flows.visit(source, &mut |to, _| assert_eq!((source / 2).abs_diff(to / 2), 4));
    }
    // A star of unequal numbers of hosts is matched host by host.
    let host_switch = [0, 1, 1, 2];
    let setting = PatternInput {
        host_switch: &host_switch,
        topology: &topology,
        seed: 1,
        folder: Path::new(""),
        collectives: "ompi",
    };
    let traffic = build("longest_matching", &setting).unwrap();
    let mut sum = 0;
    (0..4).for_each(|s: u32| {
        traffic.flows.visit(s, &mut |to, _| sum += host_switch[s as usize].abs_diff(host_switch[to as usize]));
    });
    // On a path 0 1 1 2: the ends exchange (4 hops), the middle hosts each other (0), or all move by one; no more than
    // 4.
    assert_eq!(sum, 4);
}

#[test]
fn mistakes_are_told() {
    let refused = |pattern: &str, hosts| {
        let error = on("ring:4", pattern, hosts).unwrap_err();
        assert!(!error.help().is_empty());
        error.to_string()
    };
    assert_eq!(refused("unifrom", 4), "there is no pattern `unifrom` (did you mean `uniform`?)");
    assert_eq!(
        refused("shuffle", 12),
        "pattern `shuffle` needs a number of hosts that is a power of two, but there are 12"
    );
    assert!(refused("transpose", 8).contains("4, 16, 64, ... hosts (an even power of two), but there are 8"));
    assert!(refused("transpose", 12).contains("a number of hosts that is a power of two, but there are 12"));
    assert!(refused("tornado:k=3", 8).contains("a power of k = 3 hosts"));
    assert!(refused("tornado:k=1", 8).contains("from 2 to 4294967295"));
    assert!(refused("tornado:k=5000000000", 8).contains("from 2 to 4294967295"));
    assert!(refused("tornado:kk=1", 8).contains("no parameter `kk`"));
    assert!(refused("tornado:k=1,k=2", 8).contains("given twice"));
    assert!(refused("tornado:1,2,3", 8).contains("one value too many"));
    assert!(refused("tornado:k=2,m=2", 8).contains("k^m = 2^2 hosts"));
    let of_m = |m: u32| {
        format!("pattern `tornado:m={m}` needs k^{m} hosts with a whole k of 2 or more, but there are 8 hosts")
    };
    assert_eq!((refused("tornado:m=2", 8), refused("tornado:m=64", 8)), (of_m(2), of_m(64)));
    assert!(refused("tornado:m=0", 8).contains("`m` is 0, and must be 1 or more"));
    assert!(refused("asymmetric:3", 8).contains("has no parameters"));
    assert!(refused("uniform:3", 8).contains("must be true or false"));
    assert!(refused("asymmetric", 5).contains("even number"));
    assert!(refused("hotspot", 5).contains("`nodes` is required"));
    assert!(refused("hotspot:nodes=[5]", 5).contains("hosts are 0 to 4"));
    assert!(refused("hotspot:nodes=[1,x]", 5).contains("`x`, which is not the number of a host"));
    assert!(refused("hotspot:nodes=[1],rates=[0]", 5).contains("more than 0"));
    assert!(refused("hotspot:nodes=[1],rates=[1,2]", 5).contains("2 rates for 1 nodes"));
    assert!(refused("incast:target=9", 5).contains("hosts are 0 to 4"));
    assert!(refused("incast:sources=5", 5).contains("from 1 to 4"));
    assert!(refused("incast:sources=", 5).contains("has no value"));
    assert!(refused("random_permutation:seed=x", 5).contains("whole number"));
    assert!(refused("matrix_transpose:rows=3", 5).contains("a multiple of rows = 3"));
    assert!(refused("matrix", 5).contains("name of the file"));
    assert_eq!(refused("uniform", 0), "there is no host that could send");
    assert!(matches!(on("ring:4", "matrix:no/such.csv", 4), Err(error) if error.is_io()));
    assert!(matches!(on("ring:4", "trace:no/such.ti", 4), Err(error) if error.is_io()));
}

#[test]
fn a_trace_is_counted() {
    // Two messages of 100 and 50 bytes from rank 0 to 1, one of 30 from 1 to 2.
    let file = tempfile::NamedTempFile::with_suffix(".ti").unwrap();
    let text = "0 init\n1 init\n2 init\n0 send 1 0 100 6\n0 send 1 0 50 6\n1 recv 0 0 100 6\n1 recv 0 0 50 6\n\
                1 send 2 0 30 6\n2 recv 1 0 30 6\n0 finalize\n1 finalize\n2 finalize\n";
    std::fs::write(file.path(), text).unwrap();
    let pattern = format!("trace:{}", file.path().display());
    assert_eq!((to(&pattern, 4, 0), to(&pattern, 4, 1)), (vec![(1, 1.0)], vec![(2, 0.2)]));
    assert!(on("ring:4", &pattern, 2).unwrap_err().to_string().contains("a host for each of the 3 ranks"));
}

#[test]
fn a_flag_is_yes_or_no() {
    for text in ["uniform:exclude_self", "uniform:Exclude-Self", "uniform:exclude_self=true", "uniform:true"] {
        assert_eq!(on("ring:4", text, 4).unwrap().name, "uniform:exclude_self=true", "{text}");
    }
    let error = |text, hosts| on("ring:4", text, hosts).unwrap_err().to_string();
    assert!(error("uniform:exclude_self=1", 4).contains("must be true or false"));
    assert!(error("uniform:exclude_self,true", 4).contains("one value too many"));
    assert!(error("uniform:exclude_self=true,exclude_self", 4).contains("given twice"));
    assert!(error("uniform:exclude", 4).contains("must be true or false"));
    // A parameter that needs a value does not take its own name for one.
    assert!(error("tornado:k", 4).contains("whole number"));
    assert!(error("uniform:exclude_self", 1).contains("at least 2 hosts"));
}
