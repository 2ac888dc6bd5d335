//! The meaning of each action, on hand-made traces.

use super::*;
use crate::trace::{Action as A, CollectiveCall, CollectiveKind, Counts, Datatype, UNKNOWN_COUNT};

/// Returns the actions of rank 0 of a trace with three ranks; ranks 1 and 2 do nothing of interest.
fn actions(lines: &str) -> (Vec<A>, Trace) {
    let text: String = lines.lines().map(|line| format!("0 {}\n", line.trim())).collect();
    let trace = parse(&format!("{text}1 init\n2 init\n")).unwrap_or_else(|error| panic!("{error}"));
    (trace.actions[0].iter().collect(), trace)
}

/// Returns the only collective of rank 0, after `init`.
fn call(line: &str) -> (CollectiveCall, Trace) {
    let (actions, trace) = actions(&format!("init\n{line}"));
    let A::Collective { index } = actions[1] else { panic!("{:?} is no collective", actions[1]) };
    (trace.collectives[index as usize], trace)
}

fn vectors(line: &str) -> [Vec<u32>; 3] {
    let (call, trace) = call(line);
    [call.send_counts, call.recv_counts, call.displacements].map(|counts| trace.counts(counts).to_vec())
}

fn types(line: &str) -> (i64, i64) {
    let call = call(line).0;
    (call.send_type.id(), call.recv_type.id())
}

#[test]
fn messages_and_requests() {
    let (byte, int) = (Datatype::BYTE, Datatype::from_id(1).unwrap());
    let (actions, _) = actions(
        "init
         send 1 7 100 1
         isend 2 0 1e6
         recv 1 7 -1
         irecv\t 2   0 12.9 1 more arguments
         wait 2 0 3
         test 0 1 4
         waitall
         waitall 3
         finalize",
    );
    let expected = [
        A::Init,
        A::Send { to: 1, tag: 7, count: 100, datatype: int },
        A::Isend { to: 2, tag: 0, count: 1_000_000, datatype: byte },
        A::Recv { from: 1, tag: 7, count: UNKNOWN_COUNT, datatype: byte },
        A::Irecv { from: 2, tag: 0, count: 12, datatype: int },
        A::Wait { source: 2, destination: 0, tag: 3 },
        A::Test { source: 0, destination: 1, tag: 4 },
        A::WaitAll,
        A::WaitAll,
        A::Finalize,
    ];
    assert_eq!(actions, expected);
}

#[test]
fn actions_of_one_rank() {
    let (actions, _) = actions(
        "comm_size 3
         comm_split
         comm_dup x
         location file.c 12
         compute 3.52515e+06
         compute 0
         sleep 1.5e-3
         sleep -1",
    );
    let expected = [
        A::NoOperation,
        A::NoOperation,
        A::NoOperation,
        A::NoOperation,
        A::Compute { flops: 3_525_150.0 },
        A::Compute { flops: 0.0 },
        A::Sleep { seconds: 0.0015 },
        A::Sleep { seconds: -1.0 },
    ];
    assert_eq!(actions, expected);
}

#[test]
fn sendrecv_has_two_halves() {
    let (actions, trace) = actions("sendRecv 10 1 20 2 0 1\nsendRecv 10 1 20 2 0 1\nsendRecv 10 1 21 2 0 1");
    assert_eq!(actions, [0, 0, 1].map(|index| A::SendRecv { index }));
    let first = trace.sendrecvs[0];
    assert_eq!((first.send_count, first.to, first.recv_count, first.from), (10, 1, 20, 2));
    assert_eq!((first.send_type.id(), first.recv_type.id()), (0, 1));
}

#[test]
fn an_argument_of_init_makes_doubles_the_default() {
    let trace = parse("0 init 1\n1 init x\n0 send 1 0 5\n0 bcast 3\n").unwrap();
    assert_eq!(trace.actions[0].together()[1], A::Send { to: 1, tag: 0, count: 5, datatype: Datatype::DOUBLE });
    assert_eq!(trace.collectives[0].send_type, Datatype::DOUBLE);
    // Without any init the default is one byte.
    let trace = parse("0 bcast 3\n").unwrap();
    assert_eq!(trace.collectives[0].send_type, Datatype::BYTE);
}

#[test]
fn collectives_with_one_count() {
    for (line, root, datatype, flops) in [
        ("bcast 5", 0, 6, 0.0),
        ("bcast 5 2", 2, 6, 0.0),
        ("bcast 5 2 1", 2, 1, 0.0),
        ("reduce 5 1e9", 0, 6, 1e9),
        ("reduce 5 1e9 1", 1, 6, 1e9),
        ("reduce 5 1e9 1 -1", 1, -1, 1e9),
        ("allreduce 5 0.5", 0, 6, 0.5),
        ("allreduce 5 0 59", 0, 59, 0.0),
        ("scan 5 1 0", 0, 0, 1.0),
        ("exscan 5 1", 0, 6, 1.0),
    ] {
        let call = call(line).0;
        assert_eq!(call.kind.name(), line.split(' ').next().unwrap());
        assert_eq!((call.send_count, call.recv_count, call.root, call.flops), (5, 5, root, flops), "{line}");
        assert_eq!((call.send_type.id(), call.recv_type.id()), (datatype, datatype), "{line}");
    }
    assert_eq!(call("barrier").0.kind, CollectiveKind::Barrier);
}

#[test]
fn collectives_with_two_counts() {
    for (line, root, sent, received) in [
        ("alltoall 5 6", 0, 6, 6),
        ("alltoall 5 6 0", 0, 0, 6),
        ("allgather 5 6 0 1", 0, 0, 1),
        ("gather 5 6", 0, 6, 6),
        ("gather 5 6 2 0 1", 2, 0, 1),
        ("scatter 5 6 2 0", 2, 0, 6),
    ] {
        let call = call(line).0;
        assert_eq!((call.send_count, call.recv_count, call.root), (5, 6, root), "{line}");
        assert_eq!((call.send_type.id(), call.recv_type.id()), (sent, received), "{line}");
    }
}

#[test]
fn collectives_with_a_count_for_each_rank() {
    assert_eq!(vectors("alltoallv 9 1 2 3 8 4 5 6"), [vec![1, 2, 3], vec![4, 5, 6], vec![]]);
    let (buffers, _) = call("alltoallv 9 1 2 3 8 4 5 6 0 1");
    assert_eq!((buffers.send_count, buffers.recv_count), (9, 8));
    assert_eq!(types("alltoallv 9 1 2 3 8 4 5 6 0 1"), (0, 1));

    assert_eq!(vectors("gatherv 9 1 2 3"), [vec![], vec![1, 2, 3], vec![]]);
    let (gather, _) = call("gatherv 9 1 2 3 2 0 1");
    assert_eq!((gather.send_count, gather.root, gather.send_type.id(), gather.recv_type.id()), (9, 2, 0, 1));

    assert_eq!(vectors("scatterv 1 2 3 9"), [vec![1, 2, 3], vec![], vec![]]);
    let (scatter, _) = call("scatterv 1 2 3 9 2 0 1");
    assert_eq!((scatter.recv_count, scatter.root, scatter.send_type.id(), scatter.recv_type.id()), (9, 2, 0, 1));

    assert_eq!(vectors("reducescatter 1 2 3 1e9 1"), [vec![], vec![1, 2, 3], vec![]]);
    let (reduce, _) = call("reducescatter 1 2 3 1e9 1");
    assert_eq!((reduce.flops, reduce.send_type.id(), reduce.recv_type.id()), (1e9, 1, 1));
}

#[test]
fn the_number_of_arguments_tells_the_forms_of_allgatherv_apart() {
    let (none, disp) = (vec![], vec![0, 1, 3]);
    for (tail, displacements, datatypes) in [
        ("", &none, (6, 6)),
        (" 0", &none, (0, 6)),
        (" 0 1", &none, (0, 1)),
        (" 0 1 3", &disp, (6, 6)),
        (" 4 5 0 1 3", &disp, (4, 5)),
        (" 4 5 0 1 3 99", &disp, (4, 5)),
    ] {
        let line = format!("allgatherv 9 1 2 3{tail}");
        assert_eq!(vectors(&line), [vec![], vec![1, 2, 3], displacements.clone()], "{line}");
        assert_eq!(types(&line), datatypes, "{line}");
        assert_eq!(call(&line).0.send_count, 9);
    }
}

#[test]
fn vectors_are_the_same_whether_the_number_of_ranks_is_known_or_not() {
    let text = "0 alltoallv 4 1 2 4 3 1\n0 barrier\n1 reducescatter 7 8 0\n1 alltoallv 4 1 2 4 3 1\n1 barrier\n";
    let (late, early) = (parse(text).unwrap(), parse_for(Some(2), text).unwrap());
    assert_same(&late, &early);
    // The equal lines of the two ranks share an entry.
    assert_eq!(late.actions[0].together()[0], late.actions[1].together()[1]);
    assert_eq!(late.collectives.len(), 3);
    assert_eq!(late.collectives.iter().filter(|call| call.send_counts != Counts::default()).count(), 1);
}

#[test]
fn lines_may_be_interleaved_commented_and_ended_in_any_way() {
    let trace = parse("# a trace\r\n\r\n  1 init\r\n0\tinit \n \t \n1 compute 5\r\n # x\n0 compute 7\n# end").unwrap();
    assert_eq!(trace.actions, [[A::Init, A::Compute { flops: 7.0 }], [A::Init, A::Compute { flops: 5.0 }]]);
    assert_eq!((trace.name.as_str(), trace.ranks(), trace.total_actions()), ("t", 2, 4));
    // A last line of blanks needs no line end.
    assert_eq!(parse("0 init\n  ").unwrap().total_actions(), 1);
}
