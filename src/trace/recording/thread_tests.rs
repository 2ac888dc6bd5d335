//! Calls of several threads, and released requests: files made by the encoder of the other tests, read back.

use super::layout::Op;
use super::read_alone;
use super::stream::NO_ROOM;
use super::tests::A::{self, Byte as B, Done, Request as Q, S, U};
use super::tests::{RecordingFile, irecv, read, send};
use crate::trace::{Action, Datatype, Options, Trace, TraceError, TraceWarning};

fn isend(to: u32, tag: i32, count: u32) -> Action {
    Action::Isend { to, tag, count, datatype: Datatype::BYTE }
}

fn wait(source: u32, destination: u32, tag: i32) -> Action {
    Action::Wait { source, destination, tag }
}

/// Returns the actions of a rank between its init and its finalize.
fn inner(trace: &Trace, rank: usize) -> Vec<Action> {
    let all = trace.actions[rank].together();
    all[1..all.len() - 1].to_vec()
}

/// Two ranks, each with a thread that sends and one that receives: each waits for the other's start, not for its end.
#[test]
fn calls_beside_others_start_where_they_began() {
    let file = |rank: u32| {
        let other = i64::from(1 - rank);
        RecordingFile::new(rank, 2, 0)
            .record(Op::Enter, 1000, &[U(1)])
            .record(Op::Enter, 2000, &[U(2)])
            .record(Op::Leave, 0, &[U(1)])
            .record(Op::Recv, 0, &[U(0), S(other), S(5), U(9)])
            .record(Op::Leave, 0, &[U(2)])
            .record(Op::Send, 0, &[B(0), U(0), S(other), S(5), U(9)])
            .end()
    };
    let trace = read(&[file(0), file(1)]).unwrap();
    let flops = |flops: f64| Action::Compute { flops };
    let expected = [flops(1e5), irecv(1, 5, 9), flops(2e5), isend(1, 5, 9), wait(1, 0, 5), wait(0, 1, 5)];
    assert_eq!(inner(&trace, 0), expected);
    let text = |warning: &TraceWarning| warning.to_string();
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings.iter().map(text).collect::<Vec<_>>());
}

/// Without other records in between, a call is the same as without other threads.
#[test]
fn calls_with_nothing_in_between_are_whole() {
    let file = |is_told: bool| {
        let mut file = RecordingFile::new(0, 2, 0);
        let calls: [(Op, &[A]); 4] = [
            (Op::Send, &[B(0), U(0), S(1), S(5), U(9)]),
            (Op::Sendrecv, &[U(0), S(1), S(1), U(4), S(1), S(0), U(4)]),
            (Op::Collective, &[B(3), U(0), U(0), U(8), U(0), U(0)]),
            (Op::Neighbor, &[B(1), U(0), U(1), S(1), U(8), U(1), S(1), U(8)]),
        ];
        for (op, arguments) in calls {
            if is_told {
                file.record(Op::Enter, 0, &[U(7)]).record(Op::Leave, 0, &[U(7)]);
            }
            file.record(op, 0, arguments);
        }
        file.end()
    };
    let options = Options::default();
    let [told, plain] = [true, false].map(|is_told| read_alone(&file(is_told), &options).unwrap());
    assert_eq!(inner(&told, 0), inner(&plain, 0));
    assert_eq!(told.collectives, plain.collectives);
}

/// A call that starts two messages has both at its start, before the actions of another thread.
#[test]
fn all_that_a_call_starts_stands_where_it_began() {
    let file = RecordingFile::new(0, 3, 0)
        .record(Op::Enter, 0, &[U(1)])
        .record(Op::Send, 0, &[B(0), U(0), S(2), S(3), U(1)])
        .record(Op::Leave, 0, &[U(1)])
        .record(Op::Sendrecv, 0, &[U(0), S(1), S(1), U(4), S(2), S(0), U(5)])
        .end();
    let trace = read_alone(&file, &Options::default()).unwrap();
    let expected = [isend(1, 1, 4), irecv(2, 0, 5), send(2, 3, 1), wait(2, 0, 0), wait(0, 1, 1)];
    assert_eq!(inner(&trace, 0), expected);
}

/// Blocking collectives match blocking ones, so a collective that is a start and a wait on one member is that on all.
/// The number of another thread's collective is not used while that is in progress.
#[test]
fn a_collective_has_the_same_form_on_all_members() {
    let allreduce: [A; 6] = [B(3), U(0), U(0), U(8), U(0), U(0)];
    let beside = RecordingFile::new(0, 2, 0)
        .record(Op::Collective, 0, &allreduce)
        .record(Op::Enter, 0, &[U(1)])
        .record(Op::Icollective, 0, &[B(0), U(0), U(0), U(0), Q(8), U(0), U(0)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(8, 0, None)])
        .record(Op::Leave, 0, &[U(1)])
        .record(Op::Collective, 0, &allreduce)
        .record(Op::Collective, 0, &allreduce)
        .end();
    let alone = RecordingFile::new(1, 2, 0)
        .record(Op::Collective, 0, &allreduce)
        .record(Op::Collective, 0, &allreduce)
        .record(Op::Icollective, 0, &[B(0), U(0), U(0), U(0), Q(8), U(0), U(0)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(8, 0, None)])
        .record(Op::Collective, 0, &allreduce)
        .end();
    let trace = read(&[beside, alone]).unwrap();
    let whole = inner(&trace, 0)[0];
    let Action::Collective { index } = whole else { panic!("{whole:?}") };
    let start = |request: u32| Action::Start { index, request };
    let wait = |request: u32| Action::WaitRequest { request };
    let actions = inner(&trace, 0);
    let Action::Start { index: barrier, request: 0 } = actions[2] else { panic!("{actions:?}") };
    let barrier = Action::Start { index: barrier, request: 0 };
    assert_eq!(actions, [whole, start(1), barrier, wait(0), wait(1), whole]);
    assert_eq!(inner(&trace, 1), [whole, start(1), wait(1), barrier, wait(0), whole]);
}

/// Communicators have the order in which they are created from the same parent, independent of those that other threads
/// create from other parents.
#[test]
fn communicators_of_threads_are_named_by_what_they_are_made_from() {
    let file = |rank: u32| {
        let members = [S(0), S(1), U(2)];
        let mut file = RecordingFile::new(rank, 2, 0);
        let mut comm = |parent: u64, number: u64| {
            let mut arguments = vec![B(2), U(parent), U(number), U(2)];
            arguments.extend(members.clone());
            file.record(Op::Comm, 0, &arguments);
        };
        // The first two by one thread; then two threads copy one each, in another order on each rank.
        comm(0, 2);
        comm(0, 3);
        let (first, second) = if rank == 0 { (2, 3) } else { (3, 2) };
        comm(first, 4);
        comm(second, 5);
        let copies = if rank == 0 { [4, 5] } else { [5, 4] };
        for (copy, bytes) in copies.into_iter().zip([8, 16]) {
            file.record(Op::Collective, 0, &[B(1), U(copy), U(0), U(bytes), U(0), U(0)]);
        }
        file.end()
    };
    let trace = read(&[file(0), file(1)]).unwrap();
    let last = |rank: usize| {
        let actions = inner(&trace, rank);
        let index = |action: &Action| action.collective().map(|index| trace.collectives[index as usize]);
        actions[actions.len() - 2..].iter().map(index).collect::<Vec<_>>()
    };
    assert_eq!(last(0), last(1));
}

/// A receive from any source that starts during another thread's call has its source at its start.
#[test]
fn a_receive_from_anywhere_beside_others_gets_its_source() {
    let file = |outcome: A| {
        let mut file = RecordingFile::new(0, 2, 0);
        file.record(Op::Enter, 0, &[U(1)])
            .record(Op::Send, 0, &[B(0), U(0), S(1), S(3), U(1)])
            .record(Op::Leave, 0, &[U(1)])
            .record(Op::Irecv, 0, &[U(0), S(-2), S(-1), U(4), Q(8)]);
        read_alone(&file.record(Op::Complete, 0, &[B(0), U(1), outcome]).end(), &Options::default()).unwrap()
    };
    assert_eq!(inner(&file(Done(8, 1, Some((1, 6)))), 0), [irecv(1, 6, 4), send(1, 3, 1), wait(1, 0, 6)]);
    assert_eq!(inner(&file(Done(8, 2, None)), 0), [Action::NoOperation, send(1, 3, 1)]);
}

/// The result of a request that the program has released, or only queried.
#[test]
fn requests_that_are_released_or_seen() {
    let file = |more: &[(Op, &[A])]| {
        let mut file = RecordingFile::new(0, 2, 0);
        file.record(Op::Irecv, 0, &[U(0), S(-2), S(5), U(4), Q(8)]);
        for (op, arguments) in more {
            file.record(*op, 0, arguments);
        }
        read_alone(&file.end(), &Options::default()).unwrap()
    };
    let told = Done(8, 1, Some((1, 5)));
    let released = file(&[(Op::Complete, &[B(12), U(1), told.clone()])]);
    assert_eq!(inner(&released, 0), [irecv(1, 5, 4)]);
    let taken_back = file(&[(Op::Complete, &[B(12), U(1), Done(8, 2, None)])]);
    assert_eq!(inner(&taken_back, 0), [Action::NoOperation]);
    let seen: &[A] = &[B(11), U(1), told.clone()];
    for more in
        [(Op::RequestFree, &[Q(8)][..]), (Op::Complete, &[B(0), U(1), Done(8, 0, None)][..]), (Op::Complete, seen)]
    {
        let trace = file(&[(Op::Complete, seen), more]);
        assert_eq!(inner(&trace, 0), [irecv(1, 5, 4), wait(1, 0, 5)]);
        assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    }
    // Its source is unknown: it is left out, and reported.
    let lost = file(&[(Op::RequestFree, &[Q(8)])]);
    assert_eq!(inner(&lost, 0), [Action::NoOperation]);
    assert!(
        lost.warnings.iter().any(|warning| warning.to_string().contains("did not complete")),
        "{:?}",
        lost.warnings
    );
}

/// The first version had ends only; its information about threads is still reported.
#[test]
fn files_of_the_first_version_are_read() {
    let mut file = RecordingFile::new(0, 1, 0).record(Op::Quiet, 1000, &[]).end();
    file[8] = 1;
    // The count of overlapping calls precedes the last eight bytes.
    let at = file.len() - 9;
    file[at] = 3;
    let told = |trace: Result<Trace, TraceError>| trace.unwrap().warnings[0].to_string();
    assert!(
        told(read(&[file.clone()]))
            .contains("3 calls began while another thread was in one: calls of threads are replayed one after")
    );
    file[8] = 2;
    assert!(told(read(&[file])).contains("replayed as one thread"));
}

#[test]
fn a_call_that_has_not_begun_cannot_end() {
    let mut file = RecordingFile::new(0, 1, 0);
    let at = file.bytes.len() as u64;
    let bytes = file.record(Op::Leave, 0, &[U(4)]).end();
    let error = read_alone(&bytes, &Options::default()).unwrap_err();
    assert!(error.byte() == Some(at) && error.to_string().contains("thread 4"), "{error}");
}

#[test]
fn a_file_without_room_says_so() {
    let whole = RecordingFile::new(0, 2, 0).end();
    let cut = RecordingFile::new(1, 2, NO_ROOM);
    let trace = read(&[whole, cut.bytes]).unwrap();
    let told = |warning: &TraceWarning| warning.to_string().contains("1 of them because the disk was full");
    assert!(trace.warnings.iter().any(told), "{:?}", trace.warnings);
}
