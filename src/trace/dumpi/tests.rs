//! Tests of the reader of DUMPI, on files that a small encoder writes.

use std::fs;

use super::layout::{COUNTED, END_OF_STREAM};
use super::*;
use crate::trace::{Action, Datatype, Effect, Origin, TraceWarning};

/// A file under construction.
pub(in crate::trace) struct DumpiFile {
    bytes: Vec<u8>,
    calls: Vec<u32>,
    /// Calls that the program made and the recorder left out.
    left_out: Vec<u32>,
    clock: f64,
}

/// An argument of a call.
pub(in crate::trace) enum A<'a> {
    I(i32),
    H(u16),
    B(u8),
    V(&'a [i32]),
    /// Bytes, source and tag of statuses.
    S(&'a [(i32, i32, i32)]),
}
use crate::user_error::UserError;
use A::{B, H, I, S, V};

const INT: u16 = 9;
const DOUBLE: u16 = 14;
const WORLD: u16 = 2;

impl DumpiFile {
    pub fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([0; 8]);
        Self { bytes, calls: vec![0; COUNTED], left_out: vec![0; COUNTED], clock: 1.0 }
    }

    /// Adds a call that begins `after` seconds after the end of the last one, and takes a millisecond.
    pub fn call(&mut self, after: f64, name: &str, arguments: &[A]) -> &mut Self {
        let number = CALLS.iter().position(|(n, _)| *n == name).unwrap();
        self.calls[number] += 1;
        self.clock += after;
        self.bytes.extend((number as u16).to_be_bytes());
        // Statuses, wall time and thread.
        self.bytes.push(3 | 1 << 3 | 1 << 6);
        self.bytes.extend([0, 0]);
        for _ in 0..2 {
            let nanoseconds = (self.clock.fract() * 1e9).round() as u32;
            self.bytes.extend((self.clock as u16).to_be_bytes());
            self.bytes.extend(nanoseconds.to_be_bytes());
            self.clock += 1e-3;
        }
        self.clock -= 1e-3;
        for argument in arguments {
            match argument {
                I(value) => self.bytes.extend(value.to_be_bytes()),
                H(value) => self.bytes.extend(value.to_be_bytes()),
                B(value) => self.bytes.push(*value),
                V(values) => {
                    self.bytes.extend((values.len() as u32).to_be_bytes());
                    values.iter().for_each(|value| self.bytes.extend(value.to_be_bytes()));
                }
                S(statuses) => {
                    self.bytes.extend((statuses.len() as u32).to_be_bytes());
                    for (bytes, source, tag) in *statuses {
                        self.bytes.extend(bytes.to_be_bytes());
                        self.bytes.extend(source.to_be_bytes());
                        self.bytes.extend([0, 0]);
                        self.bytes.extend(tag.to_be_bytes());
                    }
                }
            }
        }
        self
    }

    /// Returns the whole file, with a table of `entries` entries at its end.
    pub fn finish(&self, entries: u64) -> Vec<u8> {
        let mut bytes = self.bytes.clone();
        bytes.extend(END_OF_STREAM.to_be_bytes());
        let header = bytes.len() as u64;
        bytes.extend([0, 7, 1]);
        bytes.extend([0; 8]);
        for text in ["host", "user"] {
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend([0; 8]);
        let footer = bytes.len() as u64;
        bytes.extend(0xf007_fee7_u64.to_be_bytes());
        // Calls made, number of those left out, and calls left out.
        self.calls
            .iter()
            .zip(&self.left_out)
            .for_each(|(count, left_out)| bytes.extend((count + left_out).to_be_bytes()));
        self.left_out.iter().for_each(|count| bytes.extend(count.to_be_bytes()));
        let keys = bytes.len() as u64;
        bytes.extend([0; 4]);
        let sizes = bytes.len() as u64;
        bytes.extend(30u32.to_be_bytes());
        let all = layout::SIZES.iter().copied().chain([12, 24]);
        all.for_each(|size| bytes.extend(size.to_be_bytes()));
        bytes.extend(MAGIC);
        let table = [sizes, 0, 0, header, 8, footer, keys];
        table[7 - entries as usize..].iter().for_each(|entry| bytes.extend(entry.to_be_bytes()));
        bytes
    }
}

/// Both ranks of a small program.
pub(in crate::trace) fn sample() -> [Vec<u8>; 2] {
    let mut zero = DumpiFile::new();
    zero.call(0.0, "Init", &[V(&[])])
        .call(2.0, "Send", &[I(10), H(INT), I(1), I(7), H(WORLD)])
        .call(0.0, "Isend", &[I(3), H(DOUBLE), I(1), I(8), H(WORLD), I(5)])
        .call(0.5, "Wait", &[I(5), S(&[])])
        .call(0.0, "Gatherv", &[I(0), I(2), I(1), H(INT), I(0), H(WORLD), V(&[1, 2]), V(&[0, 1]), H(INT)])
        .call(0.0, "Allreduce", &[I(2), H(DOUBLE), B(3), H(WORLD)])
        .call(0.0, "Finalize", &[]);
    let mut one = DumpiFile::new();
    one.call(0.0, "Init", &[V(&[])])
        .call(0.0, "Irecv", &[I(3), H(DOUBLE), I(-1), I(8), H(WORLD), I(6)])
        .call(0.0, "Recv", &[I(20), H(INT), I(-1), I(-1), H(WORLD), S(&[(40, 0, 7)])])
        .call(0.0, "Waitall", &[I(2), V(&[1, 6]), S(&[(0, -1, -1), (24, 0, 8)])])
        .call(0.0, "Gatherv", &[I(1), I(2), I(2), H(INT), I(0), H(WORLD), H(INT)])
        .call(0.0, "Allreduce", &[I(2), H(DOUBLE), B(3), H(WORLD)])
        .call(0.0, "Finalize", &[]);
    [zero.finish(7), one.finish(4)]
}

fn folder(files: &[Vec<u8>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (rank, bytes) in files.iter().enumerate() {
        fs::write(folder.path().join(format!("dumpi-run-{rank:04}.bin")), bytes).unwrap();
    }
    let meta = format!("hostname=x\nnumprocs={}\nusername=y\nfileprefix=dumpi-run\n", files.len());
    fs::write(folder.path().join("dumpi-run.meta"), meta).unwrap();
    folder
}

fn read_all(files: &[Vec<u8>], options: &Options) -> Result<Trace, TraceError> {
    crate::trace::read(&folder(files).path().join("dumpi-run.meta"), options)
}

fn text(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn calls_become_actions() {
    let files = sample();
    let trace = read_all(&files, &Options { recorded_speed: 1e6, ..Options::default() }).unwrap();
    let expected = "\
0 init\n0 compute 2e6\n0 send 1 7 40 6\n0 isend 1 8 24 6\n0 compute 5e5\n0 wait 0 1 8\n0 gatherv 4 4 8 0 6 6
0 allreduce 16 0 6\n0 finalize
1 init\n1 irecv 0 8 24 6\n1 recv 0 7 80 6\n1 wait 0 1 8\n1 gatherv 8 4 8 0 6 6\n1 allreduce 16 0 6\n1 finalize
";
    // Times are written in nanoseconds.
    let rounded: String = text(&trace)
        .lines()
        .map(|line| match line.split_once("compute ") {
            Some((rank, flops)) => format!("{rank}compute {:e}\n", flops.parse::<f64>().unwrap().round()),
            None => format!("{line}\n"),
        })
        .collect();
    assert_eq!(rounded, expected);
    assert!(trace.warnings.is_empty(), "{:?}", trace.warnings);
    assert_eq!((trace.name.as_str(), &trace.origin), ("dumpi-run", &Origin::None));
    assert_eq!(crate::trace::inspect::check(&trace).iter().filter(|f| f.kind != "larger-receive").count(), 0);
}

#[test]
fn the_first_file_and_lists_are_taken_as_well() {
    let files = sample();
    let folder = folder(&files);
    let read = |name: &str| crate::trace::read(&folder.path().join(name), &Options::default());
    let first = text(&read("dumpi-run-0000.bin").unwrap());
    assert_eq!(text(&read("dumpi-run.meta").unwrap()), first);
    fs::write(folder.path().join("list"), "dumpi-run-0000.bin\ndumpi-run-0001.bin\n").unwrap();
    assert_eq!(text(&read("list").unwrap()), first);
    let error = read("dumpi-run-0001.bin").unwrap_err();
    assert!(error.to_string().contains("not the file of the first rank"), "{error}");
    fs::remove_file(folder.path().join("dumpi-run-0001.bin")).unwrap();
    assert!(read("dumpi-run.meta").unwrap_err().is_io());
}

#[test]
fn a_partial_recording_is_a_window_and_says_so() {
    let mut zero = DumpiFile::new();
    zero.call(0.0, "Send", &[I(1), H(INT), I(1), I(7), H(WORLD)]).call(0.0, "Barrier", &[H(WORLD)]);
    let mut one = DumpiFile::new();
    one.call(0.0, "Barrier", &[H(WORLD)]);
    // Rank 1 has received, but its file does not contain it.
    one.calls[1] += 1;
    let trace = read_all(&[zero.finish(7), one.finish(7)], &Options::default()).unwrap();
    let calls = |rank: usize| trace.actions[rank].iter().filter(|a| !matches!(a, Action::Compute { .. })).count();
    assert_eq!((calls(0), calls(1)), (1, 1));
    let said: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    assert!(said[0].contains("3 of 4 calls were recorded, with gaps on 1 of 2 ranks"), "{said:?}");
    assert!(said[0].contains("not recorded: 1 of 1 MPI_Recv; none of them is replayed"), "{said:?}");
    assert!(said[1].contains("1 send whose receive is outside"), "{said:?}");
}

/// A recorder that was configured to leave out calls has them in its counts, and they are reported.
#[test]
fn calls_that_the_recorder_left_out_are_told() {
    let rank = |left_out: &[(&str, u32)]| {
        let mut file = DumpiFile::new();
        file.call(0.0, "Init", &[V(&[])]).call(2.0, "Barrier", &[H(WORLD)]).call(0.0, "Finalize", &[]);
        for (name, count) in left_out {
            file.left_out[CALLS.iter().position(|(n, _)| n == name).unwrap()] = *count;
        }
        file.finish(7)
    };
    let files = [rank(&[("Allreduce", 83), ("Barrier", 2), ("Isend", 3)]), rank(&[("Allreduce", 83)])];
    let trace = read_all(&files, &Options::default()).unwrap();
    let expected = [("MPI_Allreduce", 166, 166), ("MPI_Isend", 3, 3), ("MPI_Barrier", 4, 2)];
    let Some(TraceWarning::NotRecorded { calls, ranks, .. }) = trace.warnings.first() else {
        panic!("{:?}", trace.warnings)
    };
    let found: Vec<_> = calls.iter().map(|gap| (gap.call.as_str(), gap.made, gap.missing)).collect();
    assert_eq!((found.as_slice(), *ranks), (&expected[..], (2, 2)));
    let said = trace.warnings[0].to_string();
    assert!(said.contains("6 of 177 calls were recorded, with gaps on 2 of 2 ranks"), "{said}");
    assert!(said.contains("166 of 166 MPI_Allreduce, 3 of 3 MPI_Isend, 2 of 4 MPI_Barrier; none"), "{said}");
    let findings = crate::trace::inspect::check(&trace);
    let told = findings.iter().find(|finding| finding.kind == "not-recorded").expect("a finding");
    assert_eq!((told.severity.name(), told.count), ("warning", 171));
    // Nothing is reported if the recording is complete.
    assert!(read_all(&[rank(&[]), rank(&[])], &Options::default()).unwrap().warnings.is_empty());
}

#[test]
fn what_cannot_be_replayed_is_refused_or_left_out() {
    let mut zero = DumpiFile::new();
    zero.call(0.0, "Intercomm_merge", &[H(9), I(0), H(4)]).call(0.0, "Bcast", &[I(1), H(INT), I(0), H(4)]).call(
        0.0,
        "Barrier",
        &[H(WORLD)],
    );
    let files = [zero.finish(7)];
    let error = read_all(&files, &Options::default()).unwrap_err();
    assert!(error.byte().is_some() && error.to_string().contains("MPI_Bcast cannot be replayed"), "{error}");
    assert!(error.help().contains("--leave-out"));
    let trace = read_all(&files, &Options { leave_out: true, ..Options::default() }).unwrap();
    assert!(matches!(&trace.warnings[..], [TraceWarning::Approximated { effect: Effect::LeftOut, count: 1, .. }]));
}

#[test]
fn communicators_of_all_ranks_and_groups_are_known() {
    let file = |rank: i32| {
        let mut file = DumpiFile::new();
        file.call(0.0, "Comm_dup", &[H(WORLD), H(4)])
            .call(0.0, "Barrier", &[H(4)])
            .call(0.0, "Comm_group", &[H(WORLD), H(3)])
            .call(0.0, "Group_incl", &[H(3), I(2), V(&[1, 0]), H(4)])
            .call(0.0, "Comm_create", &[H(WORLD), H(4), H(5)]);
        if rank == 0 {
            file.call(0.0, "Send", &[I(1), H(INT), I(0), I(3), H(5)]);
        } else {
            file.call(0.0, "Recv", &[I(1), H(INT), I(1), I(3), H(5), S(&[])]);
        }
        file.finish(7)
    };
    let trace = read_all(&[file(0), file(1)], &Options::default()).unwrap();
    // The tags of a communicator are numbered down; the communicator of all ranks occurs twice, once reversed.
    let (tag, count, datatype) = (i32::MAX, 4, Datatype::BYTE);
    assert!(trace.actions[0].together().contains(&Action::Send { to: 1, tag, count, datatype }));
    assert!(trace.actions[1].together().contains(&Action::Recv { from: 0, tag, count, datatype }));
    let lists: Vec<&[u32]> = trace.communicators.iter().map(|members| &**members).collect();
    assert_eq!(lists, [[0, 1], [1, 0]]);
    assert!(text(&trace).contains("0 on 1 barrier\n") && text(&trace).contains("1 on 1 barrier\n"));
}

/// Returns the lines of a rank other than computations.
fn lines(trace: &Trace, rank: u32) -> Vec<String> {
    let own = format!("{rank} ");
    let text = text(trace);
    let lines = text.lines().filter_map(|line| line.strip_prefix(&own));
    lines.filter(|line| !line.starts_with("compute") && !line.starts_with("communicator")).map(str::to_owned).collect()
}

#[test]
fn splits_are_known_from_the_files_of_all() {
    // Six ranks: even ones, ordered backwards by their keys, odd ones, and rank 5 in no part; then the even ones again.
    let file = |rank: i32| {
        let mut file = DumpiFile::new();
        let colour = if rank == 5 { -32766 } else { rank % 2 };
        file.call(0.0, "Comm_split", &[H(WORLD), I(colour), I(-rank), H(4)]);
        if rank < 5 {
            file.call(0.0, "Bcast", &[I(1), H(INT), I(0), H(4)]);
        }
        if rank % 2 == 0 {
            file.call(0.0, "Comm_split", &[H(4), I(i32::from(rank > 0)), I(0), H(5)]);
            file.call(0.0, "Barrier", &[H(5)]);
        }
        file.finish(7)
    };
    let files: Vec<Vec<u8>> = (0..6).map(file).collect();
    let trace = read_all(&files, &Options::default()).unwrap();
    let made = ["allgather 8 8 6 6", "allreduce 4 0 6"];
    let again = ["on 1 allgather 8 8 6 6", "on 1 allreduce 4 0 6"];
    let lists: Vec<&[u32]> = trace.communicators.iter().map(|members| &**members).collect();
    assert_eq!(lists, [&[4, 2, 0][..], &[0], &[3, 1], &[4, 2]]);
    // Rank 0 is alone in the second one.
    assert_eq!(lines(&trace, 0), [&made[..], &["on 1 bcast 4 0 6"], &again].concat());
    assert_eq!(lines(&trace, 4), [&made[..], &["on 1 bcast 4 0 6"], &again, &["on 4 barrier"]].concat());
    assert_eq!(lines(&trace, 3), [&made[..], &["on 3 bcast 4 0 6"]].concat());
    assert_eq!(lines(&trace, 5), made);
    assert!(crate::trace::inspect::check(&trace).is_empty());
}

#[test]
fn a_rank_that_splits_a_communicator_of_others_is_told_nothing() {
    // Rank 0 alone is in communicator 5, and rank 1, which got none, splits it nevertheless.
    let file = |rank: i32| {
        let mut file = DumpiFile::new();
        file.call(0.0, "Comm_group", &[H(WORLD), H(3)])
            .call(0.0, "Group_incl", &[H(3), I(1), V(&[0]), H(4)])
            .call(0.0, "Comm_create", &[H(WORLD), H(4), H(5)])
            .call(0.0, "Comm_split", &[H(5), I(0), I(rank), H(6)])
            .call(0.0, "Barrier", &[H(6)]);
        file.finish(7)
    };
    let error = read_all(&[file(0), file(1)], &Options::default()).unwrap_err();
    assert!(error.to_string().contains("MPI_Barrier cannot be replayed"), "{error}");
    assert!(error.to_string().contains("0001.bin"), "the file of rank 1: {error}");
}

#[test]
fn grids_have_rows_and_columns() {
    // A grid of 2 x 3, of which the rows are kept.
    let file = |_: i32| {
        let mut file = DumpiFile::new();
        file.call(0.0, "Cart_create", &[H(WORLD), I(2), V(&[2, 3]), V(&[0, 0]), I(0), H(4)])
            .call(0.0, "Cart_sub", &[I(2), H(4), V(&[0, 1]), H(5)])
            .call(0.0, "Allreduce", &[I(1), H(DOUBLE), B(3), H(5)]);
        file.finish(7)
    };
    let files: Vec<Vec<u8>> = (0..6).map(file).collect();
    let trace = read_all(&files, &Options::default()).unwrap();
    let lists: Vec<&[u32]> = trace.communicators.iter().map(|members| &**members).collect();
    assert_eq!(lists, [&[0, 1, 2, 3, 4, 5][..], &[0, 1, 2], &[3, 4, 5]]);
    assert_eq!(lines(&trace, 5), ["allreduce 4 0 6", "on 1 allreduce 4 0 6", "on 3 allreduce 8 0 6"]);
}

#[test]
fn a_grid_whose_ranks_may_be_numbered_anew_can_be_split() {
    // A grid of 2 x 2 in the order of the library, split into its columns by colours.
    let file = |rank: i32| {
        let mut file = DumpiFile::new();
        file.call(0.0, "Cart_create", &[H(WORLD), I(2), V(&[2, 2]), V(&[0, 0]), I(1), H(4)])
            .call(0.0, "Comm_split", &[H(4), I(rank % 2), I(0), H(5)])
            .call(0.0, "Barrier", &[H(5)]);
        file.finish(7)
    };
    let files: Vec<Vec<u8>> = (0..4).map(file).collect();
    let trace = read_all(&files, &Options::default()).unwrap();
    let lists: Vec<&[u32]> = trace.communicators.iter().map(|members| &**members).collect();
    assert_eq!(lists, [&[0, 1, 2, 3][..], &[0, 2], &[1, 3]]);
    let said: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    assert!(said.len() == 1 && said[0].contains("MPI_Cart_create with reorder: ranks keep their numbers"), "{said:?}");
}

#[test]
fn windows_and_probes_are_kept() {
    let mut zero = DumpiFile::new();
    zero.call(0.0, "Win_create", &[I(100), I(1), H(0), H(WORLD), H(7)])
        .call(0.0, "Win_fence", &[B(0), H(7)])
        .call(0.0, "Put", &[I(10), H(INT), I(1), I(0), I(10), H(INT), H(7)])
        .call(0.0, "Get", &[I(2), H(DOUBLE), I(1), I(0), I(2), H(DOUBLE), H(7)])
        .call(0.0, "Accumulate", &[I(3), H(DOUBLE), I(1), I(0), I(3), H(DOUBLE), B(3), H(7)])
        .call(0.0, "Win_fence", &[B(0), H(7)])
        .call(0.0, "Win_lock", &[B(1), I(1), B(0), H(7)])
        .call(0.0, "Win_unlock", &[I(1), H(7)])
        .call(0.0, "Send", &[I(1), H(INT), I(1), I(3), H(WORLD)]);
    let mut one = DumpiFile::new();
    one.call(0.0, "Win_create", &[I(100), I(1), H(0), H(WORLD), H(7)])
        .call(0.0, "Win_fence", &[B(0), H(7)])
        .call(0.0, "Win_fence", &[B(0), H(7)])
        .call(0.0, "Probe", &[I(-1), I(-1), H(WORLD), S(&[(4, 0, 3)])])
        .call(0.0, "Recv", &[I(1), H(INT), I(0), I(3), H(WORLD), S(&[])]);
    let trace = read_all(&[zero.finish(7), one.finish(7)], &Options::default()).unwrap();
    let fences = ["allreduce 4 0 6", "on 1 fence"];
    let sent =
        ["on 1 put 1 40 6", "on 1 get 1 16 6", "on 1 accumulate 1 24 6", "on 1 fence", "on 1 flush 1", "send 1 3 4 6"];
    assert_eq!(lines(&trace, 0), [&fences[..], &sent].concat());
    assert_eq!(lines(&trace, 1), [&fences[..], &["on 1 fence", "probe 0 3", "recv 0 3 4 6"]].concat());
    assert_eq!(trace.warnings.len(), 1, "{:?}", trace.warnings);
    let mut wrong = DumpiFile::new();
    wrong.call(0.0, "Win_create", &[I(100), I(1), H(0), H(WORLD), H(7)]).call(
        0.0,
        "Put",
        &[I(10), H(INT), I(1), I(0), I(10), H(INT), H(7)],
    );
    assert!(
        read_all(&[wrong.finish(7)], &Options::default()).unwrap_err().to_string().contains("no rank 1 in its window")
    );
}

#[test]
fn sizes_of_types_are_found() {
    let mut file = DumpiFile::new();
    // Type 28 has 12 bytes by the table; 40 consists of two of them; 41 is a structure.
    file.call(0.0, "Type_contiguous", &[I(2), H(28), H(40)])
        .call(0.0, "Send", &[I(1), H(40), I(0), I(1), H(WORLD)])
        .call(0.0, "Recv", &[I(1), H(40), I(0), I(1), H(WORLD), S(&[])]);
    let trace = read_all(&[file.finish(7)], &Options::default()).unwrap();
    assert!(trace.actions[0].together().contains(&Action::Send { to: 0, tag: 1, count: 24, datatype: Datatype::BYTE }));
    let mut file = DumpiFile::new();
    file.call(0.0, "Send", &[I(1), H(99), I(0), I(1), H(WORLD)]);
    let error = read_all(&[file.finish(7)], &Options::default()).unwrap_err();
    assert!(error.byte() == Some(16) && error.to_string().contains("size of type 99"), "{error}");
}

#[test]
fn every_prefix_is_refused_with_a_place() {
    let [whole, _] = sample();
    for length in 0..whole.len() {
        let error = read_alone(&whole[..length], &Options::default()).unwrap_err();
        assert!(error.byte().is_some(), "{length}: {error}");
    }
}

fn seed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name)
}

/// Checks a seed of the fuzz targets, or writes it if `MOPSIM_UPDATE_SEEDS` is set.
fn check_seed(name: &str, bytes: &[u8]) {
    let file = seed(name);
    if std::env::var_os("MOPSIM_UPDATE_SEEDS").is_some() {
        fs::write(&file, bytes).unwrap();
    }
    assert!(fs::read(&file).unwrap() == bytes, "{name} is stale: run this test with MOPSIM_UPDATE_SEEDS=1");
}

/// Seeds in binary formats equal those made from the current samples.
#[test]
fn binary_seeds_of_the_fuzz_targets_are_up_to_date() {
    let mut file = DumpiFile::new();
    file.call(0.0, "Init", &[V(&[])])
        .call(0.0, "Irecv", &[I(3), H(DOUBLE), I(-1), I(8), H(WORLD), I(6)])
        .call(0.1, "Send", &[I(3), H(DOUBLE), I(0), I(8), H(WORLD)])
        .call(0.0, "Wait", &[I(6), S(&[(24, 0, 8)])])
        .call(0.0, "Gatherv", &[I(0), I(1), I(1), H(INT), I(0), H(WORLD), V(&[1]), V(&[0]), H(INT)])
        .call(0.0, "Finalize", &[]);
    check_seed("dumpi/small", &file.finish(7));
    let mut file = DumpiFile::new();
    file.call(0.0, "Comm_group", &[H(WORLD), H(3)])
        .call(0.0, "Group_incl", &[H(3), I(1), V(&[0]), H(4)])
        .call(0.0, "Comm_create", &[H(WORLD), H(4), H(5)])
        .call(0.0, "Comm_split", &[H(5), I(0), I(0), H(6)])
        .call(0.0, "Cart_create", &[H(6), I(2), V(&[1, 1]), V(&[0, 0]), I(1), H(7)])
        .call(0.0, "Cart_sub", &[I(2), H(7), V(&[0, 1]), H(8)])
        .call(0.0, "Comm_split", &[H(WORLD), I(-1), I(0), H(9)])
        .call(0.0, "Allreduce", &[I(1), H(DOUBLE), B(3), H(8)]);
    check_seed("dumpi/splits", &file.finish(7));
    check_seed("trace/goal-binary", &crate::trace::goal::tests::sample_binary());
    let trace = crate::trace::read(&seed("trace/text"), &Options::default()).unwrap();
    let mut bytes = Vec::new();
    crate::trace::write(&trace, &crate::trace::compact::Compact, &mut bytes).unwrap();
    check_seed("trace/compact", &bytes);
    // Another version of zstd may compress differently; the content is compared.
    let packed = fs::read(seed("trace/compact.zst")).unwrap();
    let is_right = zstd::decode_all(&*packed).is_ok_and(|unpacked| unpacked == bytes);
    check_seed("trace/compact.zst", &if is_right { packed } else { zstd::encode_all(&*bytes, 3).unwrap() });
}
