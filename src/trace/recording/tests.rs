//! Files made by a small encoder, read back.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::layout::Op;
use super::stream::{INSTRUCTIONS, MAGIC, TRAILER, VERSION};
use super::{file_of, is_file_of_rank, is_slept, read_alone};
use crate::trace::{self, Action, Actions, CollectiveKind, Datatype, Options, Trace, TraceError, TraceWarning};

/// An argument of a record.
#[derive(Clone, Debug)]
pub(super) enum A {
    Byte(u8),
    U(u64),
    S(i64),
    Request(u64),
    /// A completed request: handle, result, source and tag.
    Done(u64, u64, Option<(i64, i64)>),
    Text(&'static str),
}
use crate::user_error::UserError;
use A::{Byte as B, Done, Request as Q, S, Text, U};

fn put(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_signed(value: i64, out: &mut Vec<u8>) {
    put(((value << 1) ^ (value >> 63)) as u64, out);
}

/// A file under construction. A tick is a nanosecond.
pub(super) struct RecordingFile {
    pub bytes: Vec<u8>,
    records: u64,
    last_request: u64,
    flags: u16,
}

impl RecordingFile {
    pub fn new(rank: u32, ranks: u32, flags: u16) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(flags.to_le_bytes());
        bytes.extend(rank.to_le_bytes());
        bytes.extend(ranks.to_le_bytes());
        bytes.extend(64u32.to_le_bytes());
        bytes.extend(0u64.to_le_bytes());
        bytes.extend(1e9f64.to_le_bytes());
        for text in ["A library", "host"] {
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        let mut file = Self { bytes, records: 0, last_request: 0, flags };
        file.record(Op::Begin, 0, &[U(0)]);
        file
    }

    fn difference(&mut self, handle: u64) -> u64 {
        let difference = handle.wrapping_sub(self.last_request) as i64;
        self.last_request = handle;
        ((difference << 1) ^ (difference >> 63)) as u64
    }

    /// Adds a record after `gap` nanoseconds of computation, and the same number of instructions.
    pub fn record(&mut self, op: Op, gap: u64, arguments: &[A]) -> &mut Self {
        self.bytes.push(op as u8);
        put(gap, &mut self.bytes);
        put(10, &mut self.bytes);
        if self.flags & INSTRUCTIONS != 0 {
            put(gap / 1000, &mut self.bytes);
        }
        for argument in arguments {
            match *argument {
                B(byte) => self.bytes.push(byte),
                U(number) => put(number, &mut self.bytes),
                S(number) => put_signed(number, &mut self.bytes),
                Q(handle) => {
                    let number = self.difference(handle);
                    put(number, &mut self.bytes);
                }
                Done(handle, what, from) => {
                    let number = self.difference(handle);
                    put(number << 2 | what, &mut self.bytes);
                    if let Some((source, tag)) = from {
                        put_signed(source, &mut self.bytes);
                        put_signed(tag, &mut self.bytes);
                    }
                }
                Text(text) => {
                    put(text.len() as u64, &mut self.bytes);
                    self.bytes.extend(text.as_bytes());
                }
            }
        }
        self.records += 1;
        self
    }

    pub fn end(&mut self) -> Vec<u8> {
        self.record(Op::Finalize, 0, &[]);
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.push(0);
        put(self.records, &mut bytes);
        put(0, &mut bytes);
        bytes.extend(TRAILER);
        bytes
    }
}

/// Reads a recording with these files.
pub(super) fn read(files: &[Vec<u8>]) -> Result<Trace, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    for (rank, bytes) in files.iter().enumerate() {
        fs::write(file_of(folder.path(), rank), bytes).unwrap();
    }
    trace::read(folder.path(), &Options::default())
}

pub(super) fn send(to: u32, tag: i32, count: u32) -> Action {
    Action::Send { to, tag, count, datatype: Datatype::BYTE }
}

pub(super) fn irecv(from: u32, tag: i32, count: u32) -> Action {
    Action::Irecv { from, tag, count, datatype: Datatype::BYTE }
}

/// Returns a file with a record of nearly every kind.
fn rich() -> Vec<u8> {
    let mut file = RecordingFile::new(1, 4, 0);
    file.record(Op::Send, 1000, &[B(0), U(0), S(0), S(5), U(100)])
        .record(Op::Isend, 5, &[B(1), U(0), S(2), S(5), U(1 << 33), Q(0x7f00_0000_1000)])
        .record(Op::Irecv, 0, &[U(0), S(-2), S(-1), U(8), Q(0x7f00_0000_1200)])
        .record(
            Op::Complete,
            0,
            &[B(1), U(2), Done(0x7f00_0000_1000, 0, None), Done(0x7f00_0000_1200, 1, Some((3, 9)))],
        )
        .record(Op::Comm, 7, &[B(1), U(0), U(2), U(2), S(3), S(-2), U(2)])
        .record(Op::RecvInit, 0, &[U(2), S(0), S(4), U(8), Q(64)])
        .record(Op::Start, 0, &[U(1), Q(64)])
        .record(Op::Polls, 0, &[B(4), U(1000)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(64, 0, None)])
        .record(Op::RequestFree, 0, &[Q(64)])
        .record(Op::Collective, 1, &[B(7), U(2), U(1), U(8), U(0), U(2), U(8), U(16)])
        .record(Op::Icollective, 1, &[B(3), U(0), U(0), U(8), Q(1), U(0), U(0)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(1, 0, None)])
        .record(Op::Neighbor, 0, &[B(1), U(0), U(2), S(0), U(8), S(-1), U(8), U(2), S(0), U(8), S(-1), U(8)])
        .record(Op::Sendrecv, 0, &[U(0), S(0), S(1), U(4), S(-1), S(0), U(4)])
        .record(Op::Probe, 0, &[U(0), S(0), S(1), U(4)])
        .record(Op::Win, 0, &[U(0), U(0)])
        .record(Op::Rma, 0, &[B(0), U(0), U(2), U(8), U(0)])
        .record(Op::WinSync, 0, &[B(0), U(0), S(-1)])
        .record(Op::Enter, 0, &[U(1)])
        .record(Op::Enter, 5, &[U(2)])
        .record(Op::Leave, 0, &[U(1)])
        .record(Op::Sendrecv, 0, &[U(0), S(0), S(1), U(4), S(2), S(0), U(4)])
        .record(Op::Enter, 0, &[U(1)])
        .record(Op::Leave, 0, &[U(2)])
        .record(Op::Irecv, 0, &[U(0), S(-2), S(1), U(4), Q(72)])
        .record(Op::Leave, 0, &[U(1)])
        .record(Op::Collective, 0, &[B(3), U(0), U(0), U(8), U(0), U(0)])
        .record(Op::Complete, 0, &[B(11), U(1), Done(72, 1, Some((2, 1)))])
        .record(Op::Complete, 0, &[B(12), U(1), Done(72, 0, None)])
        .record(Op::Other, 0, &[U(0), Text("MPI_File_close")])
        .record(Op::Other, 0, &[U(0)]);
    file.end()
}

#[test]
fn files_of_ranks_are_known_by_their_names() {
    for rank in [0, 7, 999_999, 1_000_000] {
        let file = file_of(Path::new("it"), rank);
        assert!(
            is_file_of_rank(file.file_name().and_then(|name| name.to_str()).expect("a name")),
            "{}",
            file.display()
        );
    }
    for name in ["rank-mine.mrec", "rank-0.mrec", "rank-000000.mrec.zst", "rank-.mrec", "000000.mrec", "notes.txt"] {
        assert!(!is_file_of_rank(name), "{name}");
    }
}

#[test]
fn messages_requests_and_times() {
    let sender = RecordingFile::new(0, 2, 0).record(Op::Send, 2000, &[B(0), U(0), S(1), S(5), U(100)]).end();
    let receiver = RecordingFile::new(1, 2, 0)
        .record(Op::Irecv, 0, &[U(0), S(-2), S(5), U(128), Q(4096)])
        .record(Op::Quiet, 1000, &[])
        .record(Op::Complete, 500, &[B(0), U(1), Done(4096, 1, Some((0, 5)))])
        .end();
    let trace = read(&[sender, receiver]).unwrap();
    // A nanosecond is 100 flops; computations on both sides of a call without effect are merged.
    let expected = [Action::Init, Action::Compute { flops: 200_000.0 }, send(1, 5, 100), Action::Finalize];
    assert_eq!(trace.actions[0], expected);
    let wait = Action::Wait { source: 0, destination: 1, tag: 5 };
    let flops = 1500.0 * 1e-9 * 1e11;
    let near = |action: &Action| matches!(action, Action::Compute { flops: f } if (f - flops).abs() < 1e-6);
    assert_eq!(trace.actions[1].together()[..2], [Action::Init, irecv(0, 5, 128)]);
    assert!(near(&trace.actions[1].together()[2]), "{:?}", trace.actions[1]);
    assert_eq!(trace.actions[1].together()[3..], [wait, Action::Finalize]);
    // Rank 0 computes 2000 ns and has three calls of 10 ns, rank 1 computes 1500 ns and has five.
    assert_eq!(trace.measured_seconds(), Some(2030e-9));
}

/// Libraries use the same handle for all requests that are complete immediately.
#[test]
fn a_handle_may_stand_for_several_requests() {
    let one = RecordingFile::new(0, 2, 0)
        .record(Op::Isend, 0, &[B(0), U(0), S(1), S(1), U(1), Q(8)])
        .record(Op::Isend, 0, &[B(0), U(0), S(-1), S(2), U(2), Q(8)])
        .record(Op::Isend, 0, &[B(0), U(0), S(1), S(3), U(3), Q(8)])
        .record(Op::Complete, 0, &[B(1), U(3), Done(8, 0, None), Done(8, 0, None), Done(8, 0, None)])
        .end();
    let other = RecordingFile::new(1, 2, 0)
        .record(Op::Recv, 0, &[U(0), S(0), S(1), U(1)])
        .record(Op::Recv, 0, &[U(0), S(0), S(3), U(3)])
        .end();
    let trace = read(&[one, other]).unwrap();
    let waits: Vec<i32> = trace.actions[0]
        .iter()
        .filter_map(|action| match action {
            Action::Wait { tag, .. } => Some(tag),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [1, 3]);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
}

/// Two sends to one rank with one tag: each wait is for the send of its handle.
#[test]
fn a_wait_is_for_the_request_of_its_handle() {
    let one = RecordingFile::new(0, 2, 0)
        .record(Op::Isend, 0, &[B(0), U(0), S(1), S(1), U(100), Q(8)])
        .record(Op::Isend, 0, &[B(0), U(0), S(1), S(1), U(1), Q(16)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(16, 0, None)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(8, 0, None)])
        .end();
    // The first message comes from any rank, and is waited for last.
    let other = RecordingFile::new(1, 2, 0)
        .record(Op::Irecv, 0, &[U(0), S(-2), S(1), U(100), Q(8)])
        .record(Op::Irecv, 0, &[U(0), S(0), S(1), U(1), Q(16)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(8, 1, Some((0, 1)))])
        .record(Op::Complete, 0, &[B(0), U(1), Done(16, 0, None)])
        .end();
    let trace = read(&[one, other]).unwrap();
    let of = |rank: usize| -> Vec<Action> {
        let is_wait = |action: &Action| matches!(action, Action::Pick { .. } | Action::Wait { .. });
        trace.actions[rank].iter().filter(is_wait).collect()
    };
    let wait = Action::Wait { source: 0, destination: 1, tag: 1 };
    assert_eq!(of(0), [Action::Pick { nth: 1 }, wait, wait]);
    assert_eq!(of(1), [wait, wait]);
}

#[test]
fn what_is_taken_back_is_not_replayed() {
    let one = RecordingFile::new(0, 1, 0)
        .record(Op::Irecv, 0, &[U(0), S(0), S(1), U(1), Q(8)])
        .record(Op::Cancel, 0, &[Q(8)])
        .record(Op::Complete, 0, &[B(0), U(1), Done(8, 2, None)])
        .end();
    assert_eq!(read(&[one]).unwrap().actions[0], [Action::Init, Action::NoOperation, Action::Finalize]);
}

#[test]
fn communicators_have_members_and_tags_of_their_own() {
    let file = |rank: u32| {
        RecordingFile::new(rank, 3, 0)
            .record(Op::Comm, 0, &[B(0), U(0), U(2), U(3), S(2), S(-1), U(3)])
            .record(Op::Collective, 0, &[B(1), U(2), U(0), U(64), U(0), U(0)])
            .end()
    };
    let trace = read(&[file(0), file(1), file(2)]).unwrap();
    assert_eq!(trace.communicators.len(), 1);
    assert_eq!(*trace.communicators[0], [2, 1, 0]);
    let call = trace.collectives[0];
    assert_eq!((call.kind, call.communicator.number(), call.send_count), (CollectiveKind::Bcast, 1, 64));
}

#[test]
fn instructions_share_out_the_time() {
    // 1 and 3 microseconds, which have 1 and 3 instructions: nothing moves. Then the same time for unequal
    // instructions.
    let even = RecordingFile::new(0, 1, INSTRUCTIONS)
        .record(Op::Quiet, 1000, &[])
        .record(Op::Probe, 3000, &[U(0), S(0), S(1), U(4)])
        .end();
    let trace = read(&[even]).unwrap();
    assert!(
        matches!(trace.actions[0].together()[1], Action::Compute { flops } if (flops - 4e5).abs() < 1e-3),
        "{:?}",
        trace.actions
    );
    let mut file = RecordingFile::new(0, 1, INSTRUCTIONS);
    file.record(Op::Send, 1999, &[B(0), U(0), S(0), S(0), U(0)]).record(Op::Recv, 1001, &[U(0), S(0), S(0), U(0)]);
    let trace = read(&[file.end()]).unwrap();
    let flops: Vec<f64> = trace.actions[0]
        .iter()
        .filter_map(|action| match action {
            Action::Compute { flops } => Some(flops),
            _ => None,
        })
        .collect();
    // One instruction each: 3 microseconds, in halves.
    assert!(flops.len() == 2 && flops.iter().all(|f| (f - 1.5e5).abs() < 1e-3), "{flops:?}");
}

/// A record has one instruction per microsecond: less than one is none. A counter that never counts leaves the times
/// unchanged; one that begins late has counted nothing until then.
#[test]
fn without_instructions_times_stay() {
    let flops = |gaps: [u64; 3]| {
        let mut file = RecordingFile::new(0, 1, INSTRUCTIONS);
        file.record(Op::Send, gaps[0], &[B(0), U(0), S(0), S(0), U(0)]);
        file.record(Op::Recv, gaps[1], &[U(0), S(0), S(0), U(0)]);
        file.record(Op::Probe, gaps[2], &[U(0), S(0), S(1), U(4)]);
        let trace = read(&[file.end()]).unwrap();
        let parts = trace.actions[0].iter().filter_map(|action| match action {
            Action::Compute { flops } => Some(flops.round()),
            _ => None,
        });
        parts.collect::<Vec<f64>>()
    };
    assert_eq!(flops([900, 300, 100]), [9e4, 3e4, 1e4]);
    assert_eq!(flops([500, 300, 4200]), [0.0, 0.0, 5e5]);
}

#[test]
fn file_operations_are_slept_and_other_calls_refused() {
    for (call, slept) in [("MPI_File_open", true), ("MPI_File_write_all", true), ("MPI_Pready", false)] {
        let file = RecordingFile::new(0, 1, 0).record(Op::Other, 0, &[U(0), Text(call)]).end();
        let sleeps = |trace: Trace| trace.actions[0].iter().any(|action| matches!(action, Action::Sleep { .. }));
        assert_eq!((is_slept(call), read(&[file]).is_ok_and(sleeps)), (slept, slept), "{call}");
    }
}

#[test]
fn a_recording_that_ends_early_is_a_window() {
    let file = |rank: u32, messages: i64| {
        let mut file = RecordingFile::new(rank, 2, 0);
        let other = i64::from(1 - rank);
        for tag in 0..messages {
            file.record(Op::Send, 0, &[B(0), U(0), S(other), S(tag), U(10)]);
            file.record(Op::Recv, 0, &[U(0), S(other), S(tag), U(10)]);
        }
        file
    };
    // Rank 1 has no end, and half a record.
    let mut cut = file(1, 2);
    cut.bytes.extend([Op::Send as u8, 0]);
    let trace = read(&[file(0, 3).end(), cut.bytes]).unwrap();
    let told = |warning: &TraceWarning| matches!(warning, TraceWarning::Noted { text, .. } if text.contains("ends early on 1 of 2"));
    assert!(trace.warnings.iter().any(told), "{:?}", trace.warnings);
    assert_eq!(trace.measured_seconds(), None);
    for actions in &trace.actions {
        let count = |kind: fn(&Action) -> bool| actions.iter().filter(kind).count();
        assert_eq!(count(|a| matches!(a, Action::Send { .. })), 2, "{actions:?}");
        assert_eq!(count(|a| matches!(a, Action::Recv { .. })), 2, "{actions:?}");
    }
}

#[test]
fn every_prefix_is_read_up_to_there_or_refused_with_its_place() {
    let bytes = rich();
    let options = Options { leave_out: true, ..Options::default() };
    let whole = read_alone(&bytes, &options).unwrap();
    let mut least = 0;
    for end in 0..bytes.len() {
        match read_alone(&bytes[..end], &options) {
            Ok(trace) => {
                // The existing data stays the same.
                assert!(trace.total_actions() >= least && trace.total_actions() <= whole.total_actions());
                least = trace.total_actions();
            }
            Err(error) => {
                assert!(!error.help().is_empty(), "{error}");
                assert!(least == 0, "{end}: {error}");
            }
        }
    }
}

#[test]
fn what_is_wrong_has_its_byte() {
    let place = |bytes: &[u8]| read_alone(bytes, &Options::default()).map(|_| ()).unwrap_err();
    let mut version = rich();
    version[8] = 9;
    let error = place(&version);
    assert!(error.byte() == Some(8) && error.to_string().contains("version 9"), "{error}");
    let mut rank = rich();
    rank[12] = 4;
    assert_eq!(place(&rank).byte(), Some(12));
    let mut more = rich();
    more.push(0);
    assert_eq!(place(&more).byte(), Some(more.len() as u64 - 1));
    let mut file = RecordingFile::new(0, 1, 0);
    let at = file.bytes.len() as u64;
    let error = place(&file.record(Op::Send, 0, &[B(0), U(7), S(0), S(0), U(1)]).end());
    assert!(error.byte() == Some(at) && error.to_string().contains("communicator 7"), "{error}");
    let error = place(&RecordingFile::new(0, 1, 0).record(Op::Send, 0, &[B(0), U(0), S(3), S(0), U(1)]).end());
    assert!(error.to_string().contains("no rank 3"), "{error}");
    let error =
        place(&RecordingFile::new(0, 1, 0).record(Op::Comm, 0, &[B(0), U(0), U(2), U(1), S(5), S(1), U(1)]).end());
    assert!(error.to_string().contains("members"), "{error}");
}

#[test]
fn files_have_to_be_those_of_one_recording() {
    let file = |rank, ranks| RecordingFile::new(rank, ranks, 0).end();
    let error = read(&[file(0, 2), file(0, 2)]).unwrap_err();
    assert!(error.to_string().contains("rank 0 of 2"), "{error}");
    let error = read(&[file(0, 2)]).unwrap_err();
    assert!(error.to_string().contains("rank-000001.mrec is not there"), "{error}");
    let error = trace::read_from(&*file(0, 1), "stream", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("this is a stream"), "{error}");
    let error = trace::read(Path::new("/"), &Options::default()).unwrap_err();
    assert!(error.is_io(), "{error}");
}

#[test]
fn readable_ranks_of_a_damaged_recording_can_be_kept() {
    let file = |rank: u32| {
        let mut file = RecordingFile::new(rank, 3, 0);
        file.record(Op::Send, 0, &[B(0), U(0), S(i64::from(rank + 1) % 3), S(0), U(10)]);
        file.record(Op::Collective, 0, &[B(0), U(0), U(0), U(0), U(0), U(0)]);
        file.record(Op::Recv, 0, &[U(0), S(i64::from(rank + 2) % 3), S(0), U(10)]).end()
    };
    let folder = tempfile::tempdir().unwrap();
    let put = |rank: u32, bytes: &[u8]| fs::write(file_of(folder.path(), rank as usize), bytes).unwrap();
    let kept = Options { readable_ranks: true, ..Options::default() };
    // The damaged rank is the first, the last, or missing.
    for damaged in [0, 2] {
        (0..3).for_each(|rank| put(rank, &file(rank)));
        for missing in [false, true] {
            put(damaged, b"nothing of a recording");
            if missing {
                fs::remove_file(file_of(folder.path(), damaged as usize)).unwrap();
            }
            let refused = trace::read(folder.path(), &Options::default()).unwrap_err();
            let name = format!("rank-00000{damaged}.mrec");
            assert!(refused.to_string().contains(&name) && refused.help().contains("trace cut --ranks"), "{refused}");
            let trace = trace::read(folder.path(), &kept).unwrap();
            assert_eq!(trace.ranks(), 3);
            let empty: Vec<bool> = trace.actions.iter().map(|actions| actions.is_empty()).collect();
            assert_eq!(empty, [damaged == 0, false, damaged == 2]);
            let told = trace.warnings.iter().any(|warning| warning.to_string().contains(&name));
            assert!(told, "{:?}", trace.warnings);
            let ranks = (0..3).filter(|rank| *rank != damaged).collect();
            let (part, _) = trace::transform::cut(
                &trace,
                &trace::transform::Cut { ranks: Some(ranks), part: trace::transform::Part::All },
            )
            .unwrap();
            // The collective, and the message between the two.
            for actions in &part.actions {
                assert_eq!(actions.iter().filter(|a| matches!(a, Action::Collective { .. })).count(), 1, "{actions:?}");
            }
            let count = |kind: fn(&Action) -> bool| part.actions.iter().flat_map(|a| a.iter().filter(kind)).count();
            assert_eq!(count(|a| matches!(a, Action::Send { .. })), 1);
        }
    }
    // A damage in the middle of a file.
    (0..3).for_each(|rank| put(rank, &file(rank)));
    let mut bytes = file(1);
    let at = bytes.len() - 30;
    bytes[at] = 0xff;
    put(1, &bytes);
    assert!(trace::read(folder.path(), &Options::default()).is_err());
    assert_eq!(trace::read(folder.path(), &kept).unwrap().ranks(), 3);
}

#[test]
fn no_damage_of_one_rank_costs_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let put = |rank: u32, bytes: &[u8]| fs::write(file_of(folder.path(), rank as usize), bytes).unwrap();
    for rank in 0..4 {
        let mut file = RecordingFile::new(rank, 4, 0);
        put(rank, &file.record(Op::Collective, 0, &[B(0), U(0), U(0), U(0), U(0), U(0)]).end());
    }
    let whole = rich();
    let kept = Options { readable_ranks: true, leave_out: true, ..Options::default() };
    let others = trace::transform::Cut { ranks: Some(vec![0, 2, 3]), part: trace::transform::Part::All };
    for at in 0..whole.len() {
        for change in [0xff, 0x03] {
            for damaged in [at..at + 1, at..(at + 8).min(whole.len())] {
                let mut bytes = whole.clone();
                bytes[damaged].fill(change);
                put(1, &bytes);
                let trace = trace::read(folder.path(), &kept).unwrap_or_else(|error| panic!("{at}, {change}: {error}"));
                let (part, _) = trace::transform::cut(&trace, &others).unwrap();
                let lengths: Vec<usize> = part.actions.iter().map(Actions::len).collect();
                assert_eq!(lengths, [3; 3], "{at}, {change}: {:?}", trace.actions);
            }
        }
    }
    // The first rank has another number of ranks than the others.
    put(1, &whole);
    put(0, &RecordingFile::new(0, 5, 0).end());
    assert!(trace::read(folder.path(), &Options { leave_out: true, ..Options::default() }).is_err());
    let trace = trace::read(folder.path(), &kept).unwrap();
    let there: Vec<bool> = trace.actions.iter().map(|actions| !actions.is_empty()).collect();
    assert_eq!(there, [false, true, true, true]);
}

#[test]
fn packed_files_and_lists_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        |rank| RecordingFile::new(rank, 2, 0).record(Op::Collective, 0, &[B(0), U(0), U(0), U(0), U(0), U(0)]).end();
    let mut list = String::new();
    for rank in 0..2 {
        let name = format!("rank-{rank:06}.mrec.zst");
        fs::write(folder.path().join(&name), zstd::encode_all(&*file(rank), 3).unwrap()).unwrap();
        list.push_str(&format!("{name}\n"));
    }
    fs::write(folder.path().join("list"), list).unwrap();
    for path in [folder.path().to_path_buf(), folder.path().join("list"), folder.path().join("rank-000000.mrec.zst")] {
        let trace = trace::read(&path, &Options::default()).unwrap();
        assert_eq!((trace.ranks(), trace.total_actions()), (2, 6), "{}", path.display());
    }
}

#[test]
fn a_call_that_is_not_recorded_is_refused_or_left_out() {
    let bytes = RecordingFile::new(0, 1, 0).record(Op::Other, 0, &[U(0), Text("MPI_Comm_spawn")]).end();
    let error = read_alone(&bytes, &Options::default()).unwrap_err();
    assert!(error.to_string().contains("MPI_Comm_spawn") && error.byte().is_some(), "{error}");
    let trace = read_alone(&bytes, &Options { leave_out: true, ..Options::default() }).unwrap();
    assert_eq!(trace.warnings.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_files_do_no_harm(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), cut in any::<bool>()) {
        let mut bytes = rich();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            if cut {
                bytes.remove(at);
            } else {
                bytes[at] = byte;
            }
        }
        let options = Options { leave_out: true, ..Options::default() };
        if let Err(error) = read_alone(&bytes, &options) {
            prop_assert!(!error.to_string().is_empty() && !error.help().is_empty());
        }
    }
}
