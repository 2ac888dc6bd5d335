//! The extension: communicators, non-blocking collectives, one-sided communication, probes.

use super::*;
use crate::trace::{ANY_TARGET, Action, CommunicatorId, CommunicatorProblem as P, Datatype};
use crate::user_error::UserError;

/// Returns the problem with the second line of a trace of three ranks that declares communicator 4 as 2, 0.
#[track_caller]
fn problem(line: &str, column: u32, offending: &str) -> P {
    let text = format!("2 communicator 4 2 0\n{line}\n0 init\n1 init\n2 init\n");
    let error = parse(&text).expect_err(line);
    assert_eq!((error.line, error.column, error.text.as_str()), (Some(2), Some(column), offending), "{error}");
    assert!(!error.help().is_empty());
    match error.kind {
        Kind::Communicator(problem) => problem,
        other => panic!("{line} gave {other:?}"),
    }
}

#[test]
fn wrong_communicators_are_refused_where_they_stand() {
    assert_eq!(problem("0 on 3 barrier", 6, "3"), P::Unknown { number: 3 });
    assert_eq!(problem("1 on 4 barrier", 6, "4"), P::NotAMember { rank: 1, number: 4 });
    assert_eq!(problem("0 on 4 bcast 5 2", 16, "2"), P::NoSuchMember { role: "root", members: 2 });
    assert_eq!(problem("0 on 4 put 1 5", 12, "1"), P::NoTarget { role: "destination" });
    assert_eq!(problem("0 on 4 get 1 5", 12, "1"), P::NoTarget { role: "source" });
    assert_eq!(problem("0 on 4 send 2 0 5", 8, "send"), P::Nowhere { action: "send" });
    assert_eq!(problem("0 on 4 compute 2", 8, "compute"), P::Nowhere { action: "compute" });
    assert_eq!(problem("0 communicator 4 0 2", 16, "4"), P::Changed { number: 4 });
    assert_eq!(problem("0 communicator 5 0 2 0", 16, "5"), P::Twice { number: 5, member: 0 });
    assert_eq!(problem("0 communicator 0 0 2", 16, "0"), P::World);
    assert_eq!(problem("0 communicator 6", 17, ""), P::Empty { number: 6 });
    // The rest is the same for all actions.
    let kind = |text: &str| parse(text).unwrap_err().kind;
    assert!(matches!(
        kind("0 communicator 1 0 7\n0 init\n1 init\n"),
        Kind::RankOutOfRange { role: "member", ranks: 2 }
    ));
    assert!(matches!(kind("0 communicator 1 0\n0 on 1 allsum 7\n"), Kind::UnknownAction { .. }));
    assert!(matches!(kind("0 communicator 1 0\n0 on 1\n"), Kind::NoAction));
    assert!(matches!(
        kind("0 communicator 1 0\n0 on 1 iallreduce x 1 1 6\n"),
        Kind::Argument { argument: "request", .. }
    ));
    assert!(matches!(
        kind("0 communicator 1 0 1\n0 on 1 alltoallv 9 1 2 9 3 4 6 6 6\n1 init\n2 init\n"),
        Kind::SurplusArguments { action: "alltoallv", ranks: 2 }
    ));
}

#[test]
fn the_extension_is_read() {
    let text = "0 communicator 9 2 0\n0 on 9 gatherv 3 4 5 1 6 6\n0 on 9 iallreduce 7 8 1e3 0\n0 ialltoallv 8 0 1 2 3 0 4 5 6\n\
        0 wait_request 7\n0 test_request 8\n0 on 9 put 2 10 0\n0 get 1 11\n0 accumulate 0 12 6\n0 on 9 fence\n\
        0 on 9 flush 2\n0 on 0 flush\n0 probe 1 5\n0 iprobe 2 6\n1 init\n2 communicator 9 2 0\n2 init\n";
    for ranks in [None, Some(3)] {
        let trace = parse_for(ranks, text).unwrap();
        let window = CommunicatorId::from_index(0);
        let calls: Vec<_> = trace.actions[0]
            .iter()
            .filter_map(|action| action.collective())
            .map(|i| trace.collectives[i as usize])
            .collect();
        assert_eq!(
            (calls[0].communicator, calls[0].root, trace.counts(calls[0].recv_counts)),
            (window, 1, &[4, 5][..])
        );
        assert_eq!((calls[1].communicator, calls[1].flops, calls[1].send_count), (window, 1000.0, 8));
        assert_eq!(
            (calls[2].communicator, trace.counts(calls[2].send_counts)),
            (CommunicatorId::WORLD, &[1, 2, 3][..])
        );
        let requests: Vec<u32> = trace.actions[0]
            .iter()
            .filter_map(|action| match action {
                Action::Start { request, .. } | Action::WaitRequest { request } | Action::TestRequest { request } => {
                    Some(request)
                }
                _ => None,
            })
            .collect();
        assert_eq!(requests, [7, 8, 7, 8]);
        let (byte, world) = (Datatype::BYTE, CommunicatorId::WORLD);
        let rest = [
            Action::Put { to: 2, window, count: 10, datatype: Datatype::DOUBLE },
            Action::Get { from: 1, window: world, count: 11, datatype: byte },
            Action::Accumulate { to: 0, window: world, count: 12, datatype: byte },
            Action::Fence { window },
            Action::Flush { window, to: 2 },
            Action::Flush { window: world, to: ANY_TARGET },
            Action::Probe { from: 1, tag: 5 },
            Action::Iprobe { from: 2, tag: 6 },
        ];
        assert_eq!(trace.actions[0].together()[5..], rest);
        assert!(trace.polls());
        // Communicators are renumbered, and declared once.
        let mut again = Vec::new();
        write(&trace, &mut again).unwrap();
        let again = String::from_utf8(again).unwrap();
        assert!(again.starts_with("0 communicator 1 2 0\n0 on 1 gatherv 3 4 5 1 6 6\n"), "{again}");
        assert_eq!(again.matches("communicator").count(), 1);
    }
}

#[test]
fn declarations_are_no_actions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("t.ti");
    std::fs::write(&file, "0 communicator 1 0 1\n0 init\n1 init\n0 on 1 barrier\n1 on 1 barrier\n").unwrap();
    let trace = read(&file, &Options::default()).unwrap();
    assert_eq!(trace.actions[0].len(), 2);
    assert_eq!(trace.locate(0, 1).unwrap().line, 4);
    assert!(parse("0 communicator 1 0\n").is_err());
}
