//! Tests of parts and scales.

use super::*;
use crate::trace::{Options, read_from};

fn ti(text: &str) -> Trace {
    read_from(text.as_bytes(), "t", &Options::default()).unwrap()
}

fn text(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn of(trace: &Trace, ranks: Option<Vec<u32>>, part: Part) -> (String, Dropped) {
    let (cut, dropped) = cut(trace, &Cut { ranks, part }).unwrap();
    (text(&cut), dropped)
}

const THREE: &str = "\
0 init\n0 send 1 0 10 6\n0 isend 2 5 20 6\n0 wait 0 2 5\n0 bcast 4 2 6\n0 finalize
1 init\n1 recv 0 0 10 6\n1 sendRecv 7 2 8 2 6 6\n1 bcast 4 2 6\n1 finalize
2 init\n2 recv 0 5 20 6\n2 sendRecv 8 1 7 1 6 6\n2 bcast 4 2 6\n2 finalize
";

#[test]
fn some_ranks_keep_what_is_between_them() {
    let trace = ti(THREE);
    let (text, dropped) = of(&trace, Some(vec![0, 2]), Part::All);
    assert_eq!(
        text,
        "0 init\n0 isend 1 5 20 6\n0 wait 0 1 5\n0 bcast 4 1 6\n0 finalize\n\
         1 init\n1 recv 0 5 20 6\n1 bcast 4 1 6\n1 finalize\n"
    );
    assert_eq!(dropped, Dropped { sends: 2, receives: 1, ..Dropped::default() });
    let (text, dropped) = of(&trace, Some(vec![0, 1]), Part::All);
    assert!(text.contains("0 bcast 4 0 6\n") && !text.contains("sendRecv"));
    assert_eq!(dropped.roots, 2);
    assert_eq!(of(&trace, None, Part::All).0, self::text(&trace));
    // A collective without a root has none outside.
    let trace = ti("0 init\n0 allreduce 8 0 6\n1 init\n1 allreduce 8 0 6\n2 init\n2 allreduce 8 0 6\n");
    assert_eq!(of(&trace, Some(vec![1, 2]), Part::All).1, Dropped::default());
}

#[test]
fn what_is_left_out_is_told() {
    let note = |ranks| {
        let what = Cut { ranks: Some(ranks), part: Part::All };
        let (cut, _) = cut(&ti(THREE), &what).unwrap();
        cut.warnings.last().map(ToString::to_string).unwrap()
    };
    let told = note(vec![0, 2]);
    assert!(
        told.ends_with("of 2 ranks; left out: 2 sends whose receive is outside, 1 receive whose send is outside"),
        "{told}"
    );
    let told = note(vec![0, 1]);
    assert!(told.ends_with("; 2 calls of collectives with another root, since theirs is outside"), "{told}");
    let told = note(vec![0, 1, 2]);
    assert!(told.ends_with("all actions of 3 ranks"), "{told}");
    let probes = ti("0 init\n0 send 1 0 9 6\n1 init\n1 probe 0 0\n1 recv 0 0 9 6\n1 compute 1\n");
    assert_eq!(of(&probes, Some(vec![1]), Part::All).1, Dropped { receives: 1, probes: 1, ..Dropped::default() });
}

#[test]
fn what_crosses_the_edge_of_a_window_is_left_out() {
    // The first message is posted before the window and received in it; its wait is dropped as well.
    let trace = ti("0 init\n0 isend 1 0 1 6\n0 wait 0 1 0\n0 send 1 0 2 6\n0 barrier\n0 finalize\n\
                    1 init\n1 compute 1\n1 recv 0 0 1 6\n1 recv 0 0 2 6\n1 barrier\n1 finalize\n");
    let (text, dropped) = of(&trace, None, Part::Window(1.0 / 3.0, 1.0));
    assert_eq!(text, "0 init\n0 send 1 0 2 6\n0 barrier\n0 finalize\n1 init\n1 recv 0 0 2 6\n1 barrier\n1 finalize\n");
    assert_eq!(dropped, Dropped { receives: 1, ..Dropped::default() });
    let (text, dropped) = of(&trace, None, Part::Window(0.0, 0.5));
    assert_eq!(
        text,
        "0 init\n0 isend 1 0 1 6\n0 wait 0 1 0\n0 finalize\n1 init\n1 compute 1\n1 recv 0 0 1 6\n1 finalize\n"
    );
    assert_eq!(dropped, Dropped::default());
    assert_eq!(
        cut(&trace, &Cut { ranks: Some(vec![2]), part: Part::All }).unwrap_err(),
        CutError::NoRank { rank: 2, ranks: 2 }
    );
}

#[test]
fn the_reason_for_no_iterations_is_the_right_one() {
    let loops = |times: [usize; 2]| {
        let rank = |rank: usize| format!("{rank} compute 5\n{rank} alltoall 8 8 6 6\n").repeat(times[rank]);
        ti(&(rank(0) + &rank(1)))
    };
    assert!(iterations(&loops([32, 32])).is_some());
    let short = loops([32, 31]);
    assert!(iterations(&short).is_none());
    assert_eq!(why_no_iterations(&short), "rank 1 has fewer than 32 calls, too few to tell a loop by");
    let error = cut(&loops([40, 60]), &Cut { ranks: None, part: Part::Iterations(1..2) }).unwrap_err();
    let reason = "not all ranks repeat more than half of their calls, the same number of times";
    assert_eq!(error.to_string(), format!("no iterations are found: {reason}"));
}

#[test]
fn iterations_are_found_behind_a_prologue() {
    let mut lines = String::new();
    for (rank, other) in [(0, 1), (1, 0)] {
        lines += &format!("{rank} init\n{rank} bcast 4 0 6\n{rank} bcast 8 0 6\n");
        for i in 0..20 {
            // An inner loop of five equal exchanges, then a reduction.
            for j in 0..5 {
                lines += &format!("{rank} compute {}\n{rank} irecv {other} 1 9 6\n", 10 * i + j);
                lines += &format!("{rank} send {other} 1 9 6\n{rank} wait {other} {rank} 1\n");
            }
            lines += &format!("{rank} allreduce 1 1 0\n");
        }
        lines += &format!("{rank} reduce 1 1 0 0\n{rank} finalize\n");
    }
    let trace = ti(&lines);
    let found = iterations(&trace).unwrap();
    assert_eq!(found.number, 20);
    let (text, dropped) = of(&trace, None, Part::Iterations(3..5));
    assert_eq!(dropped, Dropped::default());
    assert!(text.starts_with("0 init\n0 compute 30\n0 irecv 1 1 9 6\n"), "{text}");
    assert_eq!(text.matches("allreduce").count(), 4);
    assert_eq!(text.matches(" finalize").count(), 2);
    let error = cut(&trace, &Cut { ranks: None, part: Part::Iterations(19..21) }).unwrap_err();
    assert_eq!(error, CutError::TooFewIterations { number: 20 });
    assert_eq!(iterations(&ti(THREE)), None);
}

#[test]
fn computation_is_scaled_wherever_it_is() {
    let mut trace = ti("0 compute 3\n0 sleep 2\n0 allreduce 1 4 6\n0 compute 1e307\n");
    scale_compute(&mut trace, 2.5).unwrap();
    assert_eq!(text(&trace), "0 compute 7.5\n0 sleep 2\n0 allreduce 1 10 6\n0 compute 2.5e307\n");
    let error = scale_compute(&mut trace, 10.0).unwrap_err();
    assert_eq!(error.to_string(), "2.5e307 flops times 1e1 are more than the largest number, 1.8e308");
    assert!(self::text(&trace).ends_with("0 compute 2.5e307\n"), "it is as it was");
}

const PARTS: &str = "\
0 communicator 1 3 1 0\n0 communicator 2 2 4\n0 communicator 3 0 1 2 3 4
0 on 1 gatherv 1 30 10 5 1 6 6\n0 on 3 iallreduce 7 4 0 6\n0 wait_request 7\n0 on 1 put 1 9 6\n0 on 1 put 3 8 6\n0 on 1 fence
1 on 1 gatherv 1 30 10 5 1 6 6\n1 on 3 iallreduce 7 4 0 6\n1 wait_request 7\n1 on 1 fence
2 on 2 barrier\n2 on 3 iallreduce 7 4 0 6\n2 wait_request 7
3 on 1 gatherv 1 30 10 5 1 6 6\n3 on 3 iallreduce 7 4 0 6\n3 wait_request 7\n3 on 1 fence\n3 probe 0 1
4 on 2 barrier\n4 on 3 iallreduce 7 4 0 6\n4 wait_request 7
";

#[test]
fn communicators_keep_the_members_that_are_kept() {
    let trace = ti(PARTS);
    assert_eq!(of(&trace, None, Part::All).0, text(&trace).replace("3 probe 0 1\n", ""));
    let (text, dropped) = of(&trace, Some(vec![0, 3]), Part::All);
    assert_eq!(
        text,
        "0 communicator 1 1 0\n0 communicator 2 0 1\n\
         0 on 1 gatherv 1 30 5 0 6 6\n0 on 2 iallreduce 7 4 0 6\n0 wait_request 7\n0 on 1 put 1 8 6\n0 on 1 fence\n\
         1 on 1 gatherv 1 30 5 0 6 6\n1 on 2 iallreduce 7 4 0 6\n1 wait_request 7\n1 on 1 fence\n"
    );
    assert_eq!(dropped, Dropped { probes: 1, roots: 2, one_sided: 1, ..Dropped::default() });
    // A window that begins after the first collective of some ranks only.
    let (text, dropped) = of(&trace, None, Part::Window(0.2, 1.0));
    assert!(!text.contains("gatherv") && text.contains("2 on 3 iallreduce 7 4 0 6\n2 wait_request 7\n"), "{text}");
    assert_eq!((dropped.collectives, text.matches("iallreduce").count()), (0, 5));
    // An operation that is started before the window is not waited for in it.
    let (text, _) = of(&trace, None, Part::Window(0.6, 1.0));
    assert!(!text.contains("iallreduce") && !text.contains("wait_request"), "{text}");
}

/// Graphs of three ranks: rank 0 computes on two streams, then sends to the others.
const GRAPHS: &str = "num_ranks 3\n\
    rank 0 {\na: calc 1000 cpu 1\nb: calc 3\nc: send 8b to 1 tag 5\nc requires a\nc requires b\nd: send 9b to 2 tag 6 nic 1\n\
    d irequires c\n}\n\
    rank 1 {\na: recv 8b from 0 tag 5\nb: calc 4\nb requires a\n}\n\
    rank 2 {\na: recv 9b from 0 tag 6\nb: calc 18446744073709551615\nb requires a\n}\n";

fn goal(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::write(trace, &crate::trace::goal::Goal::PLAIN, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn graphs() -> Trace {
    read_from(GRAPHS.as_bytes(), "t", &Options { keep_graphs: true, ..Options::default() }).unwrap()
}

#[test]
fn graphs_are_scaled_as_graphs() {
    let mut trace = graphs();
    scale_compute(&mut trace, 1.0).unwrap();
    assert_eq!(goal(&trace), goal(&graphs()));
    scale_compute(&mut trace, 0.5).unwrap();
    let half = goal(&trace);
    assert!(half.contains("l1: calc 500 cpu 1\nl2: calc 2\nl3: send 8b to 1 tag 5\nl3 requires l1\n"), "{half}");
    scale_compute(&mut trace, 0.0).unwrap();
    assert_eq!(goal(&trace).matches(": calc 0").count(), 4);
    let mut trace = graphs();
    let error = scale_compute(&mut trace, 2.0).unwrap_err();
    assert!(error.to_string().starts_with("18446744073709551615 ns times 2e0"), "{error}");
    assert_eq!(goal(&trace), goal(&graphs()));
}

#[test]
fn graphs_are_cut_as_graphs() {
    let trace = graphs();
    let ranks = |ranks: &[u32]| Cut { ranks: Some(ranks.to_vec()), part: Part::All };
    let (cut_out, dropped) = cut(&trace, &ranks(&[0, 2])).unwrap();
    assert_eq!(dropped, Dropped { sends: 1, ..Dropped::default() });
    let text = goal(&cut_out);
    // The send to rank 1 is replaced; the second one, which requires its start, still waits for the computations.
    let kept = "l3: calc 0\nl3 requires l1\nl3 requires l2\nl4: send 9b to 1 tag 6 nic 1\nl4 irequires l3\n";
    assert!(text.contains(kept) && text.contains("recv 9b from 0 tag 6"), "{text}");
    let noted = cut_out.warnings.last().unwrap().to_string();
    assert!(noted.contains("1 send whose receive is outside; a `calc 0`"), "{noted}");
    assert_eq!(cut(&trace, &Cut { ranks: None, part: Part::Window(0.0, 0.5) }).unwrap_err(), CutError::Graph);
    assert_eq!(cut(&trace, &ranks(&[3])).unwrap_err(), CutError::NoRank { rank: 3, ranks: 3 });
    assert_eq!(goal(&cut(&trace, &Cut { ranks: None, part: Part::All }).unwrap().0).lines().count(), {
        // A note has one line.
        goal(&trace).lines().count() + 1
    });
}
