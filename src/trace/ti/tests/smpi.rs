//! Output of SMPI's tracer. The lines are those of SimGrid 3.32's `smpirun -trace-ti`, one program per call.

use super::*;
use crate::trace::{Effect, TraceWarning};
use crate::user_error::UserError;

/// Returns the lines of a trace without `init`, as they read back.
fn lines(text: &str) -> String {
    let mut out = Vec::new();
    write(&parse(text).unwrap_or_else(|error| panic!("{text}: {error}")), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Returns a problem, and its line and column.
fn refused(text: &str) -> (String, Option<u64>, Option<u32>) {
    let error = parse(text).expect_err(text);
    assert!(matches!(error.kind, Kind::Smpi { .. }) && !error.help().is_empty(), "{error}");
    (error.kind.to_string(), error.line, error.column)
}

fn notes(trace: &Trace) -> Vec<(Effect, String, u64, u32)> {
    let note = |warning: &TraceWarning| match warning {
        TraceWarning::Approximated { effect, what, count, rank, .. } => (*effect, what.clone(), *count, *rank),
        other => panic!("{other}"),
    };
    trace.warnings.iter().map(note).collect()
}

#[test]
fn other_modes_of_sends_are_standard_ones() {
    let text = "0 bsend 1 3 10 1\n0 Ssend 1 3 10 1\n0 ISsend 1 3 10 1\n0 wait 0 1 3\n0 ibsend 1 4 10 1\n0 wait 0 1 4\n\
                1 recv 0 3 10 1\n1 recv 0 3 10 1\n1 recv 0 3 10 1\n1 recv 0 4 10 1\n";
    let expected = "0 send 1 3 10 1\n0 send 1 3 10 1\n0 isend 1 3 10 1\n0 wait 0 1 3\n0 isend 1 4 10 1\n0 wait 0 1 4\n\
                    1 recv 0 3 10 1\n1 recv 0 3 10 1\n1 recv 0 3 10 1\n1 recv 0 4 10 1\n";
    assert_eq!(lines(text), expected);
    let noted = notes(&parse(text).unwrap());
    let counts: Vec<(&str, u64)> = noted.iter().map(|note| (note.1.as_str(), note.2)).collect();
    let buffered = "a buffered send: replayed as a standard send";
    assert_eq!(counts, [(buffered, 2), ("a synchronous send: replayed as a standard send", 2)]);
}

/// A start names the destination of its request, for a receive itself; the wait provides the source. Its size is in
/// bytes.
#[test]
fn persistent_requests_are_started() {
    let text = "0 init\n1 init\n0 Start 1 3 40 1\n0 wait 0 1 3\n0 Start 1 3 40 1\n0 wait 0 1 3\n\
                1 Start 1 3 40 1\n1 wait 0 1 3\n1 Start 1 3 40 1\n1 wait 0 1 3\n";
    let expected = "0 init\n0 isend 1 3 40 6\n0 wait 0 1 3\n0 isend 1 3 40 6\n0 wait 0 1 3\n\
                    1 init\n1 irecv 0 3 40 6\n1 wait 0 1 3\n1 irecv 0 3 40 6\n1 wait 0 1 3\n";
    assert_eq!(lines(text), expected);
    assert_eq!(refused("0 init\n1 init\n1 Start 1 3 40 1\n1 finalize\n").1, Some(3));
}

#[test]
fn receives_of_any_tag_take_the_first_message_that_fits() {
    let text = "0 send 1 3 10 1\n0 isend 1 4 20 1\n0 send 1 5 30 1\n0 wait 0 1 4\n\
                1 recv 0 -444 10 1\n1 irecv 0 5 30 1\n1 irecv 0 -444 20 1\n1 wait 0 1 -444\n1 wait 0 1 5\n1 wait 0 1 -444\n";
    let expected = "0 send 1 3 10 1\n0 isend 1 4 20 1\n0 send 1 5 30 1\n0 wait 0 1 4\n\
                    1 recv 0 3 10 1\n1 irecv 0 5 30 1\n1 irecv 0 4 20 1\n1 wait 0 1 4\n1 wait 0 1 5\n1 comm_dup\n";
    assert_eq!(lines(text), expected);
    let (problem, line, _) = refused("0 send 1 3 10 1\n1 recv 0 -444 10 1\n1 recv 0 -444 10 1\n");
    assert!(problem.starts_with("action 2 of rank 1 receives a message of any tag from rank 0") && line.is_none());
}

#[test]
fn collectives_without_a_request_are_waited_for_by_their_kind() {
    let both = |lines: &str| format!("{}{}", lines.replace("R ", "0 "), lines.replace("R ", "1 "));
    let text = "R ibarrier\nR wait -333 -333 -779\nR ibcast 10 0 1 \nR iallreduce 10 0 1 \nR wait 0 0 -4446\n\
                R ireduce 10 0 0 1 \nR wait -333 -333 -3335\nR waitall 1\nR ialltoall 10 10 1 1\nR ialltoall 10 10 1 1\n\
                R wait 0 0 -1113\nR wait 0 0 -1113\n";
    let expected = "R ibarrier 0\nR wait_request 0\nR ibcast 0 10 0 1\nR iallreduce 1 10 0 1\nR wait_request 1\n\
                    R ireduce 1 10 0 0 1\nR wait_request 0\nR waitall\nR ialltoall 0 10 10 1 1\nR ialltoall 1 10 10 1 1\n\
                    R wait_request 0\nR wait_request 1\n";
    assert_eq!(lines(&both(text)), both(expected));
    // Counts per rank distinguish the two forms if the number of ranks is known.
    let vector = both("R ialltoallv 10 5 5 10 5 5 1 1\nR wait 0 0 -1001\n");
    let trace = parse_for(Some(2), &vector).unwrap();
    assert_eq!(trace.collectives[0].kind.name(), "alltoallv");
    // A wait without such a collective, and both forms in one trace.
    assert_eq!(refused("0 ibarrier\n0 wait 0 0 -3335\n").1, Some(2));
    assert_eq!(refused("0 ibarrier\n0 wait_request 0\n").1, Some(2));
}

#[test]
fn one_sided_operations_are_those_of_one_window() {
    let text = "0 Win_fence\n0 Put 1 0 10 1\n0 Get 1 0 11 1\n0 Accumulate 1 0 12 1\n0 Win_fence\n0 Win_lock\n0 Win_unlock\n\
                1 Win_fence\n1 Win_fence\n";
    let expected =
        "0 fence\n0 put 1 10 1\n0 get 1 11 1\n0 accumulate 1 12 1\n0 fence\n0 comm_dup\n0 flush\n1 fence\n1 fence\n";
    assert_eq!(lines(text), expected);
    assert_eq!(notes(&parse(text).unwrap()).iter().map(|note| note.2).collect::<Vec<_>>(), [3, 1, 1]);
}

#[test]
fn what_the_line_leaves_open_is_refused_by_name() {
    for name in [
        "Startall",
        "testall",
        "testany",
        "waitAny 1",
        "Win_post",
        "Win_wait",
        "Get_accumulate 1 0 3 1",
        "Rput 1 0 3 1",
    ] {
        let (problem, line, column) = refused(&format!("0 init\n0 {name}\n1 init\n"));
        let word = name.split(' ').next().unwrap();
        assert!(problem.starts_with(&format!("`{word}` of SMPI's tracer cannot be replayed")), "{problem}");
        assert_eq!((line, column), (Some(2), Some(3)));
    }
    for text in ["0 recv -333 3 10 1\n", "0 isend -333 99 10 1\n", "0 wait -333 0 99\n"] {
        assert!(refused(text).0.contains("MPI_ANY_SOURCE and for MPI_PROC_NULL"), "{text}");
    }
}

/// Derived types are -1, and their size is unknown: the messages are empty, with a warning.
#[test]
fn derived_types_are_told() {
    let trace = parse("0 send 1 3 3 -1\n0 send 1 4 0 -1\n1 recv 0 3 3 -1\n1 recv 0 4 0 -1\n").unwrap();
    let noted = notes(&trace);
    assert_eq!((noted.len(), noted[0].2, noted[0].3), (1, 2, 0));
    assert!(noted[0].1.contains("a derived type (-1)"), "{noted:?}");
}

/// SimGrid's own traces end like this. Actions that may be cut off are still refused.
#[test]
fn a_last_action_that_is_whole_needs_no_line_end() {
    for last in ["finalize", "barrier", "waitall", "finalize \r"] {
        assert_eq!(parse(&format!("0 init\n0 {last}")).unwrap().total_actions(), 2, "{last}");
    }
    for last in ["init", "compute 12", "finaliz", "waitall 1", "0", ""] {
        let error = parse(&format!("0 init\n0 {last}")).expect_err(last);
        assert!(matches!(error.kind, Kind::CutOff), "{last}: {error}");
    }
}
