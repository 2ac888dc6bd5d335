//! Tests of totals and findings.

use super::*;
use crate::trace::{Options, read_from};

fn ti(text: &str) -> Trace {
    read_from(text.as_bytes(), "t", &Options::default()).unwrap()
}

/// Returns kinds, counts and places of the findings.
fn found(text: &str) -> Vec<(&'static str, u64, u32, usize)> {
    check(&ti(text)).into_iter().map(|f| (f.kind, f.count, f.rank.unwrap(), f.action.unwrap())).collect()
}

#[test]
fn a_right_trace_has_no_findings() {
    assert_eq!(found("0 init\n0 isend 1 0 5 6\n0 wait 0 1 0\n0 barrier\n1 init\n1 recv 0 0 5 6\n1 barrier\n"), []);
    // A receive of unknown size, a byte type against another, a message to itself.
    assert_eq!(found("0 isend 0 1 8 6\n0 recv 0 1 1 0\n0 wait 0 0 1\n0 send 1 0 5 0\n1 recv 0 0 -1 0\n"), []);
}

#[test]
fn halves_without_the_other_are_found() {
    let text = "0 send 1 0 5 6\n0 send 1 0 5 6\n0 send 1 1 5 6\n1 recv 0 0 5 6\n";
    assert_eq!(found(text), [("unmatched-send", 2, 0, 1), ("possible-deadlock", 1, 0, 1)]);
    assert_eq!(found("0 init\n1 recv 0 7 5 6\n"), [("unmatched-receive", 1, 1, 0), ("deadlock", 1, 1, 0)]);
}

#[test]
fn sizes_and_types_have_to_fit() {
    let text = "0 send 1 0 5 6\n0 send 1 0 5 6\n0 send 1 0 2 0\n1 recv 0 0 4 6\n1 recv 0 0 6 6\n1 recv 0 0 4 1\n";
    let expected = [("truncated-message", 1, 1, 0), ("different-types", 1, 1, 2), ("larger-receive", 1, 1, 1)];
    assert_eq!(found(text), expected);
}

#[test]
fn sends_that_cross_rely_on_buffers() {
    let text = "0 init\n0 send 1 0 5 6\n0 recv 1 0 5 6\n1 init\n1 send 0 0 5 6\n1 recv 0 0 5 6\n";
    assert_eq!(found(text), [("possible-deadlock", 2, 0, 1)]);
    // With the sizes for which a replay waits, it is an error of the replay.
    let large = text.replace("send 1 0 5", "send 1 0 65536").replace("send 0 0 5", "send 0 0 65536");
    let large = large.replace("0 5 6", "0 65536 6");
    assert_eq!(found(&large), [("deadlock", 2, 0, 1)]);
    assert_eq!(check(&ti(&large))[0].severity, Severity::Error);
    assert_eq!(found(&large.replace("65536", "65535")), [("possible-deadlock", 2, 0, 1)]);
    // Neither the combined call nor requests depend on buffers.
    assert_eq!(found("0 sendRecv 5 1 5 1 6 6\n1 sendRecv 5 0 5 0 6 6\n"), []);
    assert_eq!(found("0 isend 1 0 5 6\n0 recv 1 0 5 6\n0 waitall\n1 isend 0 0 5 6\n1 recv 0 0 5 6\n1 waitall\n"), []);
    // Receives that cross do not depend on buffers.
    let text = "0 recv 1 0 5 6\n0 send 1 0 5 6\n1 recv 0 0 5 6\n1 send 0 0 5 6\n";
    assert_eq!(found(text), [("deadlock", 2, 0, 0)]);
    // A collective between a send and its receive delays the sender.
    assert_eq!(found("0 send 1 0 5 6\n0 barrier\n1 barrier\n1 recv 0 0 5 6\n"), [("possible-deadlock", 2, 0, 0)]);
}

#[test]
fn collectives_are_the_same_everywhere() {
    let text = "0 bcast 4 0 6\n0 barrier\n1 bcast 5 0 6\n1 barrier\n2 bcast 4 0 6\n";
    let expected = [("different-collectives", 2, 1, 0), ("deadlock", 2, 0, 1)];
    assert_eq!(found(text), expected);
    let texts: Vec<String> = check(&ti(text)).into_iter().map(|f| f.text).collect();
    assert_eq!(texts[0], "collective number 1 is bcast of 4 bytes, root 0 on rank 0, bcast of 5 bytes, root 0 here");
}

#[test]
fn counts_of_a_result_are_the_same_everywhere() {
    let trace = ti("0 reducescatter 1 3 0 6\n1 reducescatter 3 1 0 6\n");
    let text = "collective number 1 is reducescatter of 4 bytes with counts 1, 3 on rank 0, reducescatter of 4 bytes with \
                counts 3, 1 here";
    assert_eq!(
        check(&trace).into_iter().map(|f| (f.kind, f.text)).collect::<Vec<_>>(),
        [("different-collectives", text.to_owned())]
    );
}

#[test]
fn members_expect_what_others_send() {
    let of = |text: &str| -> Vec<String> { check(&ti(text)).into_iter().map(|f| f.text).collect() };
    for (rows, place, text) in [
        (
            ["allgather 4 4 6 6", "allgather 5 4 6 6"],
            (0, 0),
            "allgather, rank 1 sends 5 bytes to rank 0, which expects 4",
        ),
        (["alltoall 4 4 6 6", "alltoall 1 1 0 6"], (0, 0), "alltoall, rank 1 sends 8 bytes to rank 0, which expects 4"),
        (["gather 4 4 1 6 6", "gather 4 3 1 6 6"], (1, 0), "gather, rank 0 sends 4 bytes to rank 1, which expects 3"),
        (
            ["scatter 9 9 0 6 6", "scatter 9 8 0 6 6"],
            (1, 0),
            "scatter, rank 0 sends 9 bytes to rank 1, which expects 8",
        ),
        (
            ["gatherv 3 2 3 1 6 6", "gatherv 3 2 3 1 6 6"],
            (1, 0),
            "gatherv, rank 0 sends 3 bytes to rank 1, which expects 2",
        ),
        (
            ["scatterv 2 3 2 0 6 6", "scatterv 2 3 2 0 6 6"],
            (1, 0),
            "scatterv, rank 0 sends 3 bytes to rank 1, which expects 2",
        ),
        (
            ["allgatherv 2 2 3 6 6", "allgatherv 4 2 3 6 6"],
            (0, 0),
            "allgatherv, rank 1 sends 4 bytes to rank 0, which expects 3",
        ),
        (
            ["alltoallv 0 1 2 0 1 2 6 6", "alltoallv 0 0 4 0 2 4 6 6"],
            (0, 0),
            "alltoallv, rank 1 sends 0 bytes to rank 0, which expects 2",
        ),
    ] {
        let (twice, once): (String, String) = (0..)
            .zip(rows)
            .map(|(rank, row)| (format!("{rank} {row}\n{rank} {row}\n"), format!("{rank} {row}\n")))
            .unzip();
        assert_eq!(found(&once), [("different-sizes", 1, place.0, place.1)], "{once}");
        assert_eq!(of(&once), [format!("in collective number 1, {text}")]);
        assert_eq!(found(&twice), [("different-sizes", 2, place.0, place.1)], "{twice}");
    }
    // Only data in place may have another size, and a receive is never in place but at the root of a scatter.
    for (rows, text) in [
        (
            ["allgatherv 2 2 3 6 6", "allgatherv 3 0 0 6 6"],
            "allgatherv, rank 0 sends 2 bytes to rank 1, which expects 0",
        ),
        (["allgather 4 4 6 6", "allgather 4 0 6 6"], "allgather, rank 0 sends 4 bytes to rank 1, which expects 0"),
        (["gather 4 4 0 6 6", "gather 0 4 0 6 6"], "gather, rank 1 sends 0 bytes to rank 0, which expects 4"),
        (["scatter 4 4 0 6 6", "scatter 4 0 0 6 6"], "scatter, rank 0 sends 4 bytes to rank 1, which expects 0"),
    ] {
        let trace = ti(&(0..).zip(rows).map(|(rank, row)| format!("{rank} {row}\n")).collect::<String>());
        let findings = check(&trace);
        assert_eq!(findings[0].text, format!("in collective number 1, {text}"));
        assert_eq!(findings[0].severity, Severity::Error);
    }
    // Agreement, also of other types, and data in place.
    for rows in [
        ["alltoall 8 1 6 0", "alltoall 1 8 0 6"],
        ["gather 0 8 0 6 6", "gather 1 7 0 0 6"],
        ["gatherv 0 0 3 0 6 6", "gatherv 3 9 9 0 6 6"],
        ["gatherv 0 7 3 0 6 6", "gatherv 3 9 9 0 6 6"],
        ["scatter 8 0 0 6 6", "scatter 0 8 0 6 6"],
        ["scatterv 5 3 0 0 6 6", "scatterv 9 9 3 0 6 6"],
        ["allgatherv 0 2 3 6 6", "allgatherv 0 2 3 6 6"],
        ["alltoallv 0 1 2 0 1 0 6 6", "alltoallv 0 0 4 0 2 4 6 6"],
    ] {
        let text: String = (0..).zip(rows).map(|(rank, row)| format!("{rank} {row}\n")).collect();
        assert_eq!(found(&text), [], "{text}");
    }
}

#[test]
fn requests_are_waited_for_once() {
    let text = "0 isend 1 0 5 6\n0 wait 0 1 0\n0 wait 0 1 0\n0 isend 1 0 5 6\n1 recv 0 0 5 6\n1 recv 0 0 5 6\n";
    assert_eq!(found(text), [("wait-without-request", 1, 0, 2), ("request-without-wait", 1, 0, 3)]);
}

#[test]
fn what_a_replay_refuses_is_an_error() {
    let severities = |text: &str| check(&ti(text)).into_iter().map(|found| found.severity).collect::<Vec<_>>();
    for text in ["0 wait 0 1 0\n", "0 test 0 1 0\n", "0 wait_request 1\n", "0 test_request 1\n"] {
        assert_eq!(severities(&format!("{text}1 compute 1\n")), [Severity::Error], "{text}");
    }
    // With another request open, a replay goes on.
    let other = "0 isend 1 0 5 6\n0 wait 0 1 7\n0 wait 0 1 0\n1 recv 0 0 5 6\n";
    assert_eq!(severities(other), [Severity::Warning]);
}

#[test]
fn nothing_is_sent_after_the_end_of_mpi() {
    let text = "0 init\n0 finalize\n0 compute 1\n0 barrier\n1 init\n1 barrier\n1 finalize\n";
    assert_eq!(found(text), [("call-after-finalize", 1, 0, 3)]);
    assert_eq!(found("0 init\n0 finalize\n0 init\n0 barrier\n0 finalize\n0 compute 1\n"), []);
}

#[test]
fn totals_by_hand() {
    let info = Info::of(&ti("0 compute 10\n0 send 1 0 3 0\n0 send 1 0 0 6\n0 allreduce 2 5 1\n0 sleep 2\n\
         1 recv 0 0 3 0\n1 recv 0 0 0 6\n1 allreduce 2 5 1\n1 sendRecv 7 1 7 1 6 6\n"));
    assert_eq!(info.matrix, [(0, 1, Volume { messages: 2, bytes: 24 }), (1, 1, Volume { messages: 1, bytes: 7 })]);
    assert_eq!(info.sizes, [1, 0, 0, 1, 0, 1]);
    assert_eq!(info.calls["allreduce"], CallTotal { calls: 2, bytes: 16, largest: 8 });
    assert_eq!(info.calls["recv"], CallTotal { calls: 2, bytes: 24, largest: 24 });
    assert_eq!((info.ranks[0].flops, info.ranks[0].sleep, info.ranks[1].flops), (15.0, 2.0, 5.0));
    assert_eq!(info.mean_and_largest(|rank| rank.flops), (10.0, 15.0));
    assert_eq!(info.collective_messages, 2);
}

#[test]
fn bytes_of_collectives_are_those_of_send_buffers() {
    // All on three ranks with elements of 8 bytes, root 1.
    for (call, name, bytes, largest) in [
        ("alltoall 10 10 0 0", "alltoall", 3 * 240, 240),
        ("alltoallv 30 10 10 10 30 10 10 10 0 0", "alltoallv", 3 * 240, 240),
        ("bcast 10 1 0", "bcast", 80, 80),
        ("scatter 10 10 1 0 0", "scatter", 240, 240),
        ("scatterv 10 10 10 10 1 0 0", "scatterv", 240, 240),
        ("gather 10 10 1 0 0", "gather", 240, 80),
        ("gatherv 10 10 10 10 1 0 0", "gatherv", 240, 80),
        ("allgather 10 10 0 0", "allgather", 240, 80),
        ("allgatherv 10 10 10 10 0 0", "allgatherv", 240, 80),
        ("reduce 10 0 1 0", "reduce", 240, 80),
        ("allreduce 10 0 0", "allreduce", 240, 80),
        ("scan 10 0 0", "scan", 240, 80),
        ("reducescatter 10 10 10 0 0", "reducescatter", 3 * 240, 240),
    ] {
        let trace = ti(&(0..3).map(|rank| format!("{rank} {call}\n")).collect::<String>());
        assert_eq!(Info::of(&trace).calls[name], CallTotal { calls: 3, bytes, largest }, "{call}");
        let diff = crate::trace::diff::Difference::of(&trace, &trace);
        assert_eq!((diff.calls[name].first_bytes, diff.calls[name].second_bytes), (bytes, bytes), "{call}");
    }
    // The root is a member of its communicator: member 1 is rank 0.
    let on = "0 communicator 1 2 0\n2 on 1 bcast 10 1 0\n0 on 1 bcast 10 1 0\n1 compute 1\n";
    assert_eq!(Info::of(&ti(on)).calls["bcast"], CallTotal { calls: 2, bytes: 80, largest: 80 });
}

#[test]
fn repetition_compresses() {
    let lines: String = (0..2000).map(|_| "0 send 0 0 5 6\n0 recv 0 0 5 6\n").collect();
    let (compact, packed) = compressed(&ti(&lines)).unwrap().unwrap();
    assert!(compact < 4200 && packed < 300, "{compact} {packed}");
}

#[test]
fn communicators_have_their_own_order() {
    // Both groups call their collectives in another order than the world's, which is correct.
    let text = "0 communicator 1 0 2\n0 on 1 barrier\n0 barrier\n1 barrier\n2 on 1 barrier\n2 barrier\n";
    assert_eq!(found(text), []);
    let text = "0 communicator 1 0 2\n0 on 1 bcast 4 1 6\n0 barrier\n1 barrier\n2 barrier\n2 on 1 bcast 4 1 6\n";
    assert_eq!(found(text), [("deadlock", 3, 0, 0)]);
    // A member that never calls, and one that calls something else.
    let text = "0 communicator 1 0 2 1\n0 on 1 bcast 4 1 6\n1 init\n2 on 1 bcast 4 0 6\n";
    assert_eq!(found(text), [("different-collectives", 2, 1, 0), ("deadlock", 2, 0, 0)]);
    let texts: Vec<String> = check(&ti(text)).into_iter().map(|f| f.text).collect();
    assert_eq!(texts[0], "collective number 1 of communicator 1 is bcast of 4 bytes, root 1 on rank 0, nothing here");
}

#[test]
fn what_does_not_block_is_waited_for() {
    let text = "0 ibarrier 1\n0 recv 1 0 1 6\n0 wait_request 1\n1 ibarrier 1\n1 send 0 0 1 6\n1 wait_request 1\n";
    assert_eq!(found(text), []);
    // Its wait delays a rank until all have started it.
    let text = "0 ibarrier 1\n0 wait_request 1\n0 send 1 0 1 6\n1 recv 0 0 1 6\n1 ibarrier 4\n1 waitall\n";
    assert_eq!(found(text), [("deadlock", 2, 0, 1)]);
    assert_eq!(found("0 ibarrier 1\n"), [("request-without-wait", 1, 0, 0)]);
    assert_eq!(found("0 wait_request 1\n"), [("wait-without-request", 1, 0, 0)]);
    // A blocking collective does not match a non-blocking one.
    assert_eq!(found("0 ibarrier 1\n0 waitall\n1 barrier\n")[0].0, "different-collectives");
    // Fences are called by all members, probes wait for a send.
    assert_eq!(found("0 put 1 9\n0 fence\n1 fence\n"), []);
    assert_eq!(found("0 fence\n1 init\n"), [("different-collectives", 1, 1, 0), ("deadlock", 1, 0, 0)]);
    assert_eq!(found("0 probe 1 2\n0 recv 1 2 5 6\n1 send 0 2 5 6\n"), []);
    assert_eq!(found("0 recv 1 2 5 6\n0 probe 1 2\n1 send 0 2 5 6\n"), [("deadlock", 1, 0, 1)]);
}

#[test]
fn the_new_calls_are_counted() {
    let text = "0 communicator 1 0 2\n0 on 1 iallreduce 3 100 50 6\n0 put 1 10 6\n0 get 2 30 6\n0 fence\n0 waitall\n\
        1 send 0 1 5 6\n1 fence\n2 on 1 iallreduce 3 100 50 6\n2 fence\n2 waitall\n2 send 0 1 7 6\n";
    let info = Info::of(&ti(text));
    assert_eq!((info.calls["iallreduce"].calls, info.calls["iallreduce"].bytes), (2, 200));
    assert_eq!((info.calls["put"].bytes, info.calls["get"].bytes, info.calls["fence"].calls), (10, 30, 3));
    let volume = |messages, bytes| Volume { messages, bytes };
    // The data that rank 0 gets comes from rank 2.
    assert_eq!(info.matrix, [(0, 1, volume(1, 10)), (1, 0, volume(1, 5)), (2, 0, volume(2, 37))]);
    assert_eq!((info.ranks[2].bytes, info.ranks[0].collectives, info.ranks[0].flops), (37, 1, 50.0));
}

/// The root of a bcast may continue ahead of the others: relying on that is relying on buffers.
#[test]
fn who_only_gives_in_a_collective_need_not_wait() {
    let in_between = |call: &str| found(&format!("0 {call}\n0 send 1 0 1 6\n1 recv 0 0 1 6\n1 {call}\n"));
    for call in ["bcast 4 0 6", "scatter 4 4 0 6 6", "reduce 4 0 1 6", "gather 4 4 1 6 6", "scan 4 0 6"] {
        assert_eq!(in_between(call), [("possible-deadlock", 2, 0, 0)], "{call}");
    }
    for call in ["barrier", "bcast 4 1 6", "gather 4 4 0 6 6", "allreduce 4 0 6"] {
        assert_eq!(in_between(call), [("deadlock", 2, 0, 0)], "{call}");
    }
}

/// Of a schedule, the operations of its graphs are counted, not the calls of lists made of them.
#[test]
fn operations_of_schedules_are_counted() {
    let text = "num_ranks 2\nrank 0 {\na: calc 100\nb: send 8b to 1\nb requires a\nc: send 20b to 1\nc requires a\n}\n\
                rank 1 {\na: recv 8b from 0\nb: recv 20b from 0\nc: calc 7\nc requires b\n}\n";
    let how = Options { keep_graphs: true, ..Options::default() };
    let trace = crate::trace::read_from(text.as_bytes(), "t", &how).unwrap();
    let info = Info::of(&trace);
    let calls: Vec<_> = info.calls.iter().map(|(name, call)| (*name, call.calls, call.bytes, call.largest)).collect();
    assert_eq!(calls, [("calc", 2, 0, 0), ("recv", 2, 28, 20), ("send", 2, 28, 20)]);
    assert_eq!(info.matrix, [(0, 1, Volume { messages: 2, bytes: 28 })]);
    assert_eq!((info.ranks[0].actions, info.ranks[0].messages, info.ranks[0].flops), (3, 2, 10_000.0));
    assert!(compressed(&trace).unwrap().is_none());
}
