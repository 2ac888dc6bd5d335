//! Tests of GOAL.

use super::*;
use crate::trace::error::TraceError;
use crate::trace::schedule::Schedule;
use crate::trace::{Options, Trace, read_from, write};

fn parse(bytes: &[u8]) -> Result<Trace, TraceError> {
    read_from(bytes, "t", &Options { recorded_speed: 1e9, ..Options::default() })
}

fn ti(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Two ranks, with comments, all operations and both kinds of dependencies.
pub(in crate::trace) const SAMPLE: &str = "\
// A comment
num_ranks 2
/* Another one,
of two lines */
rank 0 {
l1: calc 100
l2: send 8b to 1 tag 3
l2 requires l1
l3: recv 16b from 1 tag 4
l3 irequires l2
l4 : calc 5 cpu 0
l4 requires l3
l4 requires l2
}
rank 1{
a: send 16 b to 0 tag 4 cpu 0 nic 0
b: recv 8b from 0 tag 3
c: calc 7
c requires b
}
";

#[test]
fn graphs_become_lists() {
    let expected = "\
0 compute 100\n0 isend 1 3 8 6\n0 irecv 1 4 16 6\n0 wait 1 0 4\n0 wait 0 1 3\n0 compute 5
1 isend 0 4 16 6\n1 recv 0 3 8 6\n1 compute 7\n1 waitall
";
    // A receive that was posted just before becomes a blocking one.
    let expected = expected.replace("0 irecv 1 4 16 6\n0 wait 1 0 4\n", "0 recv 1 4 16 6\n");
    assert_eq!(ti(&parse(SAMPLE.as_bytes()).unwrap()), expected);
}

/// Rank 0 has two chains; the message that releases its answer to rank 1 is defined last. A list in the order of the
/// file would wait for rank 2 first, which waits for rank 1, which waits for that answer.
#[test]
fn the_order_is_one_that_can_run() {
    let text = "num_ranks 3\n\
        rank 0 {\na: recv 1b from 2\nb: calc 1\nb requires a\nc: recv 1b from 1\nd: send 1b to 1\nd requires c\n}\n\
        rank 1 {\na: send 1b to 0\nb: recv 1b from 0\nb requires a\nc: send 1b to 2\nc requires b\n}\n\
        rank 2 {\na: recv 1b from 1\nb: send 1b to 0\nb requires a\n}\n";
    let trace = parse(text.as_bytes()).unwrap();
    let found = crate::trace::inspect::check(&trace);
    assert!(found.is_empty(), "{found:?}\n{}", ti(&trace));
}

/// A graph that can run, and whose list has to run with messages that wait for their receive.
fn runs_with_large_messages(text: &str) {
    let trace = parse(text.as_bytes()).unwrap();
    let found = crate::trace::inspect::check(&trace);
    assert!(found.is_empty(), "{found:?}\n{}", ti(&trace));
}

/// The send that rank 0 posts first is received last: a wait for it before the other one is sent would never end.
#[test]
fn a_send_is_done_when_it_is_received() {
    runs_with_large_messages(
        "num_ranks 2\n\
        rank 0 {\na: send 300000b to 1 tag 0\nc0: calc 1\nx: calc 1\nx requires a\nc1: calc 1\nc1 requires c0\n\
        s: send 300000b to 1 tag 1\ns requires c1\n}\n\
        rank 1 {\nr1: recv 300000b from 0 tag 1\nr0: recv 300000b from 0 tag 0\nr0 requires r1\n}\n",
    );
}

/// If all send first, no receive starts until some of the sends complete: as in MPI, if they are small.
#[test]
fn sends_that_nobody_receives_are_done_when_nothing_else_can_be() {
    let ring = |rank: u32| {
        let (to, from) = ((rank + 1) % 3, (rank + 2) % 3);
        let round = |i: u32| {
            let after = if i > 0 { format!("s{i} requires r{}\n", i - 1) } else { String::new() };
            format!("s{i}: send 8b to {to}\n{after}r{i}: recv 8b from {from}\nr{i} requires s{i}\n")
        };
        format!("rank {rank} {{\n{}}}\n", (0..4).map(round).collect::<String>())
    };
    let text = format!("num_ranks 3\n{}rank 2 {{\n}}\n", ring(0) + &ring(1)).replace("rank 2 {\n}\n", &ring(2));
    let trace = parse(text.as_bytes()).unwrap();
    let lines = |rank: &str| ti(&trace).lines().filter(|line| line.starts_with(rank)).count();
    // The last one is received at the end.
    assert_eq!(["0", "1", "2"].map(lines), [9; 3], "{}", ti(&trace));
    assert!(ti(&trace).starts_with("0 send 1 0 8 6\n0 recv 2 0 8 6\n0 send"), "{}", ti(&trace));
    // A send that is never received completes as well, and its dependents run.
    let lonely = "num_ranks 1\nrank 0 {\na: send 8b to 0\nb: send 8b to 0\nc: calc 1\nc requires b\n}\n";
    assert_eq!(ti(&parse(lonely.as_bytes()).unwrap()), "0 isend 0 0 8 6\n0 isend 0 0 8 6\n0 compute 1\n0 waitall\n");
}

/// A hundred thousand sends are in progress when they are received, the last one first, by a rank whose receives form a
/// chain.
#[test]
fn many_sends_may_be_under_way() {
    const MANY: usize = 100_000;
    let send = |i| format!("s{i}: send 8b to 1 tag {i}\nc{i}: calc 1\nc{i} requires s{i}\n");
    let receive = |i: usize| {
        let after = if i + 1 < MANY { format!("r{i} requires r{}\n", i + 1) } else { String::new() };
        format!("r{i}: recv 8b from 0 tag {i}\n{after}")
    };
    let sends: String = (0..MANY).map(send).collect();
    let receives: String = (0..MANY).rev().map(receive).collect();
    let trace = parse(format!("num_ranks 2\nrank 0 {{\n{sends}}}\nrank 1 {{\n{receives}}}\n").as_bytes()).unwrap();
    assert_eq!(trace.actions[1].len(), MANY + 1);
    // The only problem is that a list has one order.
    let found = crate::trace::inspect::check(&trace);
    assert!(found.iter().all(|finding| finding.kind == "approximated"), "{found:?}");
}

/// A wait does not distinguish the send from the receive of a message of a rank to itself.
#[test]
fn messages_of_a_rank_to_itself_are_waited_for_where_they_are_received() {
    runs_with_large_messages(
        "num_ranks 1\nrank 0 {\nr1: recv 8b from 0 tag 0\nr2: recv 8b from 0 tag 0\ns1: send 8b to 0 tag 0\nx: calc 5\nc: calc 1\n\
        c requires s1\nd: calc 1\nd requires r1\nd requires c\ns2: send 8b to 0 tag 0\ns2 requires d\n}\n",
    );
}

/// Notes may be longer than the part that identifies the format.
#[test]
fn a_long_comment_in_front_does_not_hide_the_format() {
    let long = |before: &str, after: &str| format!("{}{SAMPLE}", before.to_owned() + &" note".repeat(2000) + after);
    for text in [long("//", "\n"), long("/*", "*/\n"), long("\n /* a */ // b\n//", "\n")] {
        assert_eq!(ti(&parse(text.as_bytes()).unwrap()), ti(&parse(SAMPLE.as_bytes()).unwrap()));
    }
    let mut trace = parse(SAMPLE.as_bytes()).unwrap();
    let noted =
        |i| crate::trace::TraceWarning::Noted { file: "f".into(), text: format!("note {i} {}", "x".repeat(500)) };
    trace.warnings = (0..20).map(noted).collect();
    let mut bytes = Vec::new();
    write(&trace, &Goal::PLAIN, &mut bytes).unwrap();
    assert!(bytes.len() > 10_000 && parse(&bytes).unwrap().ranks() == 2);
}

/// Two receives with the same partner and tag are in progress; the older one is waited for.
#[test]
fn the_message_that_is_waited_for_may_not_be_the_last_one() {
    let text = "num_ranks 2\n\
        rank 0 {\na: recv 1b from 1 tag 3\nb: recv 2b from 1 tag 3\nb irequires a\nc: send 1b to 1\nc requires a\nc irequires b\n\
        d: calc 5\nd requires b\n}\n\
        rank 1 {\na: send 1b to 0 tag 3\nb: recv 1b from 0\nb requires a\nc: send 2b to 0 tag 3\nc requires b\n}\n";
    let trace = parse(text.as_bytes()).unwrap();
    let first =
        "0 irecv 1 3 1 6\n0 irecv 1 3 2 6\n0 wait 1 0 3\n0 isend 1 0 1 6\n0 wait 1 0 3\n0 compute 5\n0 waitall\n";
    assert!(ti(&trace).starts_with(first), "{}", ti(&trace));
    assert!(crate::trace::inspect::check(&trace).is_empty());
}

#[test]
fn what_is_written_reads_back() {
    let text = "0 compute 100000\n0 send 1 3 8 6\n0 isend 1 4 2 0\n0 compute 1700\n0 wait 0 1 4\n0 sendRecv 5 1 6 1 6 6\n\
                0 isend 1 9 1 6\n0 isend 1 9 1 6\n0 waitall\n0 compute 100\n\
                1 recv 0 3 8 6\n1 irecv 0 4 16 6\n1 wait 0 1 4\n1 sendRecv 6 0 5 0 6 6\n1 recv 0 9 1 6\n1 recv 0 9 1 6\n1 compute 100\n";
    let trace = read_from(text.as_bytes(), "t", &Options::default()).unwrap();
    let mut goal = Vec::new();
    write(&trace, &Goal::PLAIN, &mut goal).unwrap();
    let again = read_from(&*goal, "t", &Options::default()).unwrap();
    let difference = crate::trace::diff::Difference::of(&trace, &again);
    assert!(difference.same_communication(), "{difference:?}");
    assert_eq!(difference.flops.0, difference.flops.1);
    let mut second = Vec::new();
    write(&again, &Goal::PLAIN, &mut second).unwrap();
    let third = read_from(&*second, "t", &Options::default()).unwrap();
    assert_eq!(ti(&again), ti(&third));
    // The same applies to times that its numbers cannot represent, and collectives, with their place.
    let trace = read_from(&b"0 init\n0 compute 1e30\n"[..], "t", &Options::default()).unwrap();
    let error = write(&trace, &Goal::PLAIN, &mut Vec::new()).unwrap_err();
    assert!(error.to_string().starts_with("rank 0, action 2: GOAL cannot express"), "{error}");
    let trace = read_from(&b"0 init\n0 barrier\n"[..], "t", &Options::default()).unwrap();
    let error = write(&trace, &Goal::PLAIN, &mut Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "rank 0, action 2: GOAL cannot express `barrier`");
}

#[test]
fn errors_have_their_line() {
    for (text, line, part) in [
        ("num_ranks 1\nrank 0 {\ncalc x\n}\n", 3, "not `x`"),
        ("num_ranks 1\nrank 0 {\nl: send 5 to 0\n}\n", 3, "no `b`"),
        ("num_ranks 1\nrank 0 {\nl: send 5b to 1\n}\n", 3, "no rank 1 of 1"),
        ("num_ranks 1\nrank 0 {\nl: recv 5b from -1\n}\n", 3, "any source"),
        ("num_ranks 1\nrank 0 {\na requires b\n}\n", 3, "no label `a`"),
        (
            "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n",
            3,
            "never begin: what it requires waits for itself",
        ),
        (
            "num_ranks 1\nrank 0 {\na: recv 1b from 0 tag 7\nb: calc 1\nb requires a\n}\n",
            4,
            "never begin: it requires a message of rank 0 with tag 7 that is never sent",
        ),
        // Through another operation that has not started, and whose own line is further down.
        (
            "num_ranks 2\nrank 0 {\nc: calc 2\na: recv 1b from 1 tag 7\nb: calc 1\nb requires a\nc requires b\n}\nrank 1 {\n}\n",
            3,
            "never begin: it requires a message of rank 1 with tag 7 that is never sent",
        ),
        ("num_ranks 2\nrank 0 {\n}\n", 3, "rank 1 of 2 is not there"),
        ("num_ranks 1\nrank 0 {\n", 2, "not closed"),
        ("num_ranks 99999999\n", 1, "99999999 ranks"),
        ("num_ranks 1\nrank 0 {\ncalc 5", 3, "no line end"),
        ("num_ranks 2\nrank 0 {\n}", 3, "no line end"),
        ("num_ranks 1\nrank 0 {\nl: put 1b to 0 ct 0 tag 10\n}\n", 3, "`put` is an operation of LogGOPSim2"),
    ] {
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(error.line == Some(line) && error.to_string().contains(part), "{error}");
    }
}

#[test]
fn a_line_that_does_not_end_is_too_long() {
    let mut bytes = b"num_ranks 1\nrank 0 {\n".to_vec();
    bytes.resize(65 << 20, b'x');
    let error = parse(&bytes).unwrap_err();
    assert!(error.line == Some(3) && error.to_string().contains("longer than"), "{error}");
}

/// A rank: operations as (kind, peer, size, tag) and edges as (later, earlier, start only).
type Rank<'a> = (&'a [(u8, u32, u64, u32)], &'a [(u32, u32, bool)]);

/// Returns the binary form of some ranks.
fn binary(ranks: &[Rank<'_>]) -> Vec<u8> {
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    for (operations, edges) in ranks {
        let free: Vec<u32> = (0..operations.len() as u32).filter(|i| edges.iter().all(|(l, _, _)| l != i)).collect();
        let mut body = (operations.len() as u32).to_le_bytes().to_vec();
        body.extend((free.len() as u32).to_le_bytes());
        free.iter().for_each(|i| body.extend(i.to_le_bytes()));
        let mut list: Vec<u32> = Vec::new();
        for (index, (kind, peer, size, tag)) in (0..).zip(*operations) {
            let waits = edges.iter().filter(|(later, _, _)| *later == index).count() as u32;
            body.extend(waits.to_le_bytes());
            body.push(*kind);
            body.extend(peer.to_le_bytes());
            body.extend(size.to_le_bytes());
            body.extend(tag.to_le_bytes());
            body.extend([0, 0]);
            for start in [false, true] {
                let later: Vec<u32> = edges.iter().filter(|e| e.1 == index && e.2 == start).map(|e| e.0).collect();
                body.extend((later.len() as u32).to_le_bytes());
                body.extend((list.len() as u32).to_le_bytes());
                list.extend(later);
            }
        }
        list.iter().for_each(|later| body.extend(later.to_le_bytes()));
        bodies.push(body);
    }
    let mut bytes = binary::MAGIC.to_vec();
    bytes.extend((ranks.len() as u32).to_le_bytes());
    bytes.extend([0, 0]);
    let mut at = 6 + 16 * ranks.len() as u64;
    for body in &bodies {
        bytes.extend(at.to_le_bytes());
        at += body.len() as u64;
        bytes.extend(at.to_le_bytes());
    }
    bytes.extend(bodies.concat());
    bytes
}

/// Returns the binary form of the sample.
pub(in crate::trace) fn sample_binary() -> Vec<u8> {
    binary(&[
        (
            &[(3, 0, 100, 0), (1, 1, 8, 3), (2, 1, 16, 4), (3, 0, 5, 0)],
            &[(1, 0, false), (2, 1, true), (3, 2, false), (3, 1, false)],
        ),
        (&[(1, 0, 16, 4), (2, 0, 8, 3), (3, 0, 7, 0)], &[(2, 1, false)]),
    ])
}

#[test]
fn the_binary_form_says_the_same() {
    let bytes = sample_binary();
    assert_eq!(ti(&parse(&bytes).unwrap()), ti(&parse(SAMPLE.as_bytes()).unwrap()));
    for length in 8..bytes.len() {
        let error = parse(&bytes[..length]).unwrap_err();
        assert!(error.byte().is_some(), "{length}: {error}");
    }
    // Both ranks have the same bytes: a forged file could repeat them any number of times.
    let mut forged = bytes.clone();
    forged.copy_within(14..30, 30);
    let error = parse(&forged).unwrap_err();
    assert!(error.to_string().contains("more bytes than the file") && error.byte() == Some(30), "{error}");
    // Receives of any source or tag are not damage.
    for (at, problem) in [(5, "any source"), (17, "any tag")] {
        let receive = binary(&[(&[(2, 0, 8, 0)], &[])]);
        let first = receive.len() - 39;
        let mut any = receive;
        any[first + at..first + at + 4].fill(0xff);
        let error = parse(&any).unwrap_err();
        assert!(error.to_string().contains(problem) && error.byte() == Some((first + at) as u64), "{error}");
        assert!(!error.to_string().contains("damaged"), "{error}");
    }
}

/// Reads a schedule as graphs.
fn graphs(bytes: &[u8]) -> Trace {
    read_from(bytes, "t", &Options { keep_graphs: true, ..Options::default() }).unwrap()
}

fn schedule(trace: &Trace) -> &Schedule {
    trace.schedule.as_deref().unwrap()
}

#[test]
fn graphs_are_written_as_graphs() {
    // Edges to later operations exist in the binary form only; both forms keep the numbers of all operations.
    let forward = binary(&[
        (&[(3, 0, 1 << 60, 0), (1, 1, 8, u32::MAX - 1), (3, 0, 7, 0)], &[(0, 2, true), (1, 0, false), (1, 2, false)]),
        (&[(2, 0, 8, u32::MAX - 1)], &[]),
        (&[], &[]),
    ]);
    let streams = "num_ranks 1\nrank 0 {\na: calc 3 cpu 2\nb: send 9b to 0 tag 1 cpu 1 nic 3\nc: recv 9b from 0 tag 1\n\
                   b irequires a\nc requires a\n}\n";
    for bytes in [SAMPLE.as_bytes(), &forward, streams.as_bytes()] {
        let trace = graphs(bytes);
        for writer in [&Goal::PLAIN as &dyn crate::trace::Writer, &GoalBinary::PLAIN] {
            let mut written = Vec::new();
            write(&trace, writer, &mut written).unwrap();
            assert_eq!(schedule(&graphs(&written)), schedule(&trace), "{}", String::from_utf8_lossy(&written));
        }
    }
    let mut written = Vec::new();
    write(&graphs(SAMPLE.as_bytes()), &GoalBinary::PLAIN, &mut written).unwrap();
    assert!(written == sample_binary());
    // Another recorded speed changes the nanoseconds, which are those of 100 Gflop/s.
    let how = Options { keep_graphs: true, recorded_speed: 5e10, ..Options::default() };
    let mut text = Vec::new();
    write(&read_from(SAMPLE.as_bytes(), "t", &how).unwrap(), &Goal::PLAIN, &mut text).unwrap();
    assert!(String::from_utf8(text).unwrap().contains("l1: calc 50\n"));
}

/// A list becomes a graph on the way to the binary form, which is written with all ranks or not at all.
#[test]
fn lists_are_written_in_the_binary_form() {
    let text = "0 compute 100000\n0 send 1 3 8 6\n1 recv 0 3 8 6\n";
    let trace = read_from(text.as_bytes(), "t", &Options::default()).unwrap();
    let (mut goal, mut bytes) = (Vec::new(), Vec::new());
    write(&trace, &Goal::PLAIN, &mut goal).unwrap();
    write(&trace, &GoalBinary::PLAIN, &mut bytes).unwrap();
    assert_eq!(schedule(&graphs(&bytes)), schedule(&graphs(&goal)));
    let steps = crate::steps::Steps::default();
    let error = crate::trace::Writer::part(&GoalBinary::PLAIN, &trace, 0, 3, &mut Vec::new(), &steps).unwrap_err();
    assert!(error.to_string().contains("written as a whole"), "{error}");
}

/// Nothing can be missing after the last rank but a line end.
#[test]
fn the_last_brace_needs_no_line_end() {
    let text = SAMPLE.trim_end();
    assert_eq!(ti(&parse(text.as_bytes()).unwrap()), ti(&parse(SAMPLE.as_bytes()).unwrap()));
}

/// Tags of a schedule have 32 bits. Those of a list have 31: the upper half is replaced, consistently at both ends.
#[test]
fn large_tags_are_replaced_in_lists() {
    let text = "num_ranks 2\n\
        rank 0 {\na: send 1b to 1 tag 4294967294\nb: send 2b to 1 tag 2147483647\nc: send 3b to 1 tag 5\nd: calc 1\n\
        d requires b\nd requires a\n}\n\
        rank 1 {\na: recv 2b from 0 tag 2147483647\nb: recv 1b from 0 tag 4294967294\nc: recv 3b from 0 tag 5\n}\n";
    let trace = parse(text.as_bytes()).unwrap();
    let [top, next] = [i32::MAX, i32::MAX - 1];
    let found = ti(&trace);
    for line in [format!("0 isend 1 {top} 1 6\n"), format!("1 irecv 0 {next} 2 6\n"), "0 isend 1 5 3 6\n".to_owned()] {
        assert!(found.contains(&line), "{line}{found}");
    }
    assert!(crate::trace::inspect::check(&trace).is_empty(), "{found}");
    // Without larger ones, large tags stay.
    let text = text.replace("4294967294", "2147483646");
    assert!(ti(&parse(text.as_bytes()).unwrap()).contains("0 isend 1 2147483646 1 6\n"));
}

/// The operations of LogGOPSim2 are larger: 104 bytes, or 56 as in its tests.
#[test]
fn the_binary_form_of_loggopsim2_is_named() {
    for size in [56, 104] {
        let mut bytes = binary(&[(&[(4, 0, 8, 10)], &[])]);
        bytes.resize(bytes.len() + size - 39, 0);
        let end = bytes.len() as u64 - 8;
        bytes[22..30].copy_from_slice(&end.to_le_bytes());
        let error = parse(&bytes).unwrap_err();
        assert!(error.to_string().contains("LogGOPSim2") && error.to_string().contains("put"), "{size}: {error}");
    }
}
