//! Tests of the common parts of readers of recorders' formats.

use std::path::Path;

use super::*;
use crate::trace::{Action, CollectiveCall, CollectiveKind, CommunicatorId, Counts, Options, Trace};

fn text(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn members_agree_on_their_communicators_whoever_is_read_first() {
    let (options, file, at) = (Options::default(), Path::new("t"), FilePosition::Line(1));
    let mut program = Program::new("test", &options, 4);
    let mut new = |rank: u32, members: &[u32]| program.new_communicator(rank, members, file, at).unwrap();
    let first = [new(2, &[2, 0]), new(2, &[1, 2]), new(2, &[2, 0])];
    // The order of the members matters, as does the number of earlier communicators of the same members.
    assert_eq!(
        [new(0, &[2, 0]), new(0, &[0, 2]), new(0, &[2, 0])],
        [first[0], CommunicatorId::from_index(3), first[2]]
    );
    assert_eq!(new(1, &[1, 2]), first[1]);
    assert_eq!(program.members(first[0]).ranks().collect::<Vec<_>>(), [2, 0]);
    for (rank, members, part) in [(0, &[1, 2][..], "no member"), (0, &[0, 9], "rank 9"), (0, &[0, 1, 0], "twice")] {
        let error = program.new_communicator(rank, members, file, at).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
    // Messages on communicators have separate tags, the same at both ends.
    let world = CommunicatorId::WORLD;
    let tags = [(first[0], 5), (first[1], 5), (first[0], 6), (first[0], 5), (world, 5), (world, i32::MAX)];
    let tags = tags.map(|(id, tag)| program.tag(id, tag));
    assert_eq!(tags, [i32::MAX, i32::MAX - 1, i32::MAX - 2, i32::MAX, 5, i32::MAX - 3]);
}

#[test]
fn requests_of_collectives_have_small_numbers() {
    let (options, file, at) = (Options::default(), Path::new("t"), FilePosition::Line(1));
    let mut program = Program::new("test", &options, 2);
    let call = CollectiveCall::empty(CollectiveKind::Barrier);
    for rank in 0..2 {
        let id = program.new_communicator(rank, &[1, 0], file, at).unwrap();
        program.making(rank, Making::Split, CommunicatorId::WORLD).unwrap();
        program.making(rank, Making::Agreed, id).unwrap();
        for handle in [70, 80] {
            program.start_collective(rank, handle, CollectiveCall { communicator: id, ..call }).unwrap();
        }
        assert!(program.wait(rank, 80, None).unwrap());
        program.start_collective(rank, 90, call).unwrap();
        assert!(!program.wait(rank, 80, None).unwrap());
        assert!(program.wait(rank, 70, None).unwrap() && program.wait(rank, 90, None).unwrap());
        // The counts are recorded by the root, which is rank 1, and apply to both.
        let counts = if rank == 1 { program.counts(&[3, 4]).unwrap() } else { Counts::default() };
        let gather =
            CollectiveCall { communicator: id, recv_counts: counts, ..CollectiveCall::empty(CollectiveKind::Gatherv) };
        program.start_collective(rank, 70, gather).unwrap();
        assert!(program.wait(rank, 70, None).unwrap());
    }
    let trace = program.finish("t", file).unwrap();
    let lines = ["allgather 8 8 6 6", "allreduce 4 0 6", "on 1 allreduce 4 0 6", "on 1 ibarrier 0", "on 1 ibarrier 1"];
    let more = [
        "wait_request 1",
        "ibarrier 1",
        "wait_request 0",
        "wait_request 1",
        "on 1 igatherv 0 0 3 4 0 6 6",
        "wait_request 0",
    ];
    let expected: String =
        (0..2).flat_map(|rank| lines.iter().chain(&more).map(move |line| format!("{rank} {line}\n"))).collect();
    assert_eq!(text(&trace), format!("0 communicator 1 1 0\n{expected}"));
}

#[test]
fn only_members_use_a_communicator() {
    let (options, file, at) = (Options::default(), Path::new("t"), FilePosition::Line(1));
    let mut program = Program::new("test", &options, 2);
    let id = program.new_communicator(0, &[0], file, at).unwrap();
    program.push(1, Action::Fence { window: id });
    let error = program.finish("t", file).unwrap_err();
    assert!(error.to_string().contains("rank 1, call 1: a rank is no member"), "{error}");
}
