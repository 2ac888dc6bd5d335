//! Tests of the reader of liballprof.

use std::fs;

use super::*;
use crate::trace::{Effect, TraceWarning};

/// Files of both ranks of a small program.
pub(in crate::trace) const SAMPLE: [&str; 2] = [
    "# htor's PMPI Tracer 1.0 Output File\n# time: x\nMPI_Init:-:1:2:1000000\n\
     MPI_Comm_rank:1000000:9,0,2:77:1000000\n\
     MPI_Send:1500000:94:10:9,4,4:1:7:9,0,2:1500010\n\
     MPI_Isend:1500010:94:3:14,8,8:1:8:9,0,2:5000:1500010\n\
     MPI_Irecv:1500010:94:3:14,8,8:1:9:9,0,2:5008:1500010\n\
     MPI_Waitall:1500020:2:5000:0:1500030\n\
     MPI_Gatherv:1500030:1:1:9,4,4:2:3:1,2:4:0,1:9,4,4:0:9,0,2:1500040\n\
     MPI_Sendrecv:1500040:1:1:9,4,4:1:3:2:2:9,4,4:1:4:9,0,2:0:1500050\n\
     MPI_Bcast:1500050:1:5:9,4,4:1:9,0,2:1500060\nMPI_Finalize:1500060:-\n",
    "# htor's PMPI Tracer 1.0 Output File\nMPI_Init:-:1:2:1000000\n\
     MPI_Recv:1000000:94:10:9,4,4:0:7:9,1,2:0:1500010\n\
     MPI_Irecv:1500010:94:3:14,8,8:0:8:9,1,2:5000:1500010\n\
     MPI_Wait:1500010:5000:0:1500020\n\
     MPI_Send:1500020:94:3:14,8,8:0:9:9,1,2:1500020\n\
     MPI_Gatherv:1500030:1:2:9,4,4:2:3:1,2:4:0,1:9,4,4:0:9,1,2:1500040\n\
     MPI_Sendrecv:1500040:1:2:9,4,4:0:4:2:1:9,4,4:0:3:9,1,2:0:1500050\n\
     MPI_Bcast:1500050:1:5:9,4,4:1:9,1,2:1500060\nMPI_Finalize:1500060:-\n",
];

fn read_files(files: &[&str], options: &Options) -> Result<Trace, TraceError> {
    let folder = tempfile::tempdir().unwrap();
    for (rank, text) in files.iter().enumerate() {
        fs::write(folder.path().join(format!("run-{rank}.txt")), text).unwrap();
    }
    crate::trace::read(&folder.path().join("run-0.txt"), options)
}

fn ti(trace: &Trace) -> String {
    let mut text = Vec::new();
    crate::trace::ti::write(trace, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn calls_become_actions() {
    let trace = read_files(&SAMPLE, &Options { recorded_speed: 1e6, ..Options::default() }).unwrap();
    let lines: Vec<String> = ti(&trace).lines().filter(|l| !l.contains("compute")).map(str::to_owned).collect();
    let expected = "\
0 init\n0 send 1 7 40 6\n0 isend 1 8 24 6\n0 irecv 1 9 24 6\n0 wait 0 1 8\n0 wait 1 0 9\n0 gatherv 4 4 8 0 6 6
0 isend 1 3 4 6\n0 recv 1 4 8 6\n0 wait 0 1 3\n0 bcast 20 1 6\n0 finalize
1 init\n1 recv 0 7 40 6\n1 irecv 0 8 24 6\n1 wait 0 1 8\n1 send 0 9 24 6\n1 gatherv 8 4 8 0 6 6
1 isend 0 4 8 6\n1 recv 0 3 4 6\n1 wait 1 0 4\n1 bcast 20 1 6\n1 finalize";
    assert_eq!(lines.join("\n"), expected);
    assert!(ti(&trace).contains("0 init\n0 compute 5e5\n0 send"), "{}", ti(&trace));
    assert!(crate::trace::inspect::check(&trace).is_empty());
    assert_eq!(trace.name, "run");
}

/// Files of the recorder's early versions, which have another title, and whose types have an address after their size.
/// Lines as in the public sample `sweep3d-2x2`.
#[test]
fn files_of_early_versions_are_read() {
    let title = "# collprof 0.9 output file\n# Sat Mar 21 16:07:26 2009\n# Init clockdiff: 0.000000\n\n";
    let rank = |rank: u32, lines: &str| {
        format!(
            "{title}MPI_Init:-:140737488343500:140737488344604:1000.000000\n{lines}\
             MPI_Allreduce:1300.500000:1403:1402:2:11,8,8:3:0,{rank},2:1400.000000\nMPI_Finalize:1500.000000:-\n"
        )
    };
    let sends = "MPI_Send:1100.000000:11251872:4500:11,8,46909632806920:1:3000:0,0,2:1200.000000\n";
    let receives = "MPI_Recv:1100.000000:11251872:4500:11,8,46909632806920:0:3000:0,1,2:140737488340112:1200.000000\n";
    let options = Options { recorded_speed: 1e6, ..Options::default() };
    let trace = read_files(&[&rank(0, sends), &rank(1, receives)], &options).unwrap();
    let lines: Vec<String> = ti(&trace).lines().filter(|line| !line.contains("compute")).map(str::to_owned).collect();
    let expected = "\
0 init\n0 send 1 3000 36000 6\n0 allreduce 16 0 6\n0 finalize
1 init\n1 recv 0 3000 36000 6\n1 allreduce 16 0 6\n1 finalize";
    assert_eq!(lines.join("\n"), expected);
    assert!(crate::trace::inspect::check(&trace).is_empty());
}

#[test]
fn errors_and_notes_have_their_line() {
    for (line, part) in [
        ("MPI_Send:1:94:10:9,4,4:5:7:9,0,1:2", "no rank 5"),
        ("MPI_Send:1:94:x:9,4,4:0:7:9,0,1:2", "field 4 of MPI_Send is not as it should be"),
        ("MPI_Send:1", "no dates"),
        ("MPI_Send:1:94:10:9,4,4:0:7:9,0,3:2", "members of its communicator"),
        ("MPI_Recv:1:94:10:9,4,4:-1:7:9,0,1:0:2", "source and tag are not recorded"),
        ("MPI_Put:1:1:2", "one-sided"),
        ("Send:1:2", "begins with the name"),
    ] {
        let text = format!("# htor's PMPI Tracer 1.0 Output File\n{line}\n");
        let error = read_alone(text.as_bytes(), &Options::default()).unwrap_err();
        assert!(error.line == Some(2) && error.to_string().contains(part), "{line}: {error}");
    }
    let text = "# htor's PMPI Tracer\nMPI_Init:-:1:2:1\nMPI_Test:1:1:2:3:4\nMPI_Put:5:1:6\n";
    let trace = read_alone(text.as_bytes(), &Options { leave_out: true, ..Options::default() }).unwrap();
    let effects: Vec<Effect> = trace
        .warnings
        .iter()
        .filter_map(|w| if let TraceWarning::Approximated { effect, .. } = w { Some(*effect) } else { None })
        .collect();
    assert_eq!(effects, [Effect::Approximated, Effect::LeftOut]);
}

/// Early recorders write 0 as the own rank in each file. A communicator of all ranks is that of all ranks, so that all
/// take part in its collectives, with `leave_out` as without; others are left out on all of their members.
#[test]
fn a_communicator_of_all_ranks_is_that_of_all() {
    let text = "# collprof 0.9 output file\nMPI_Init:-:1:2:1.0\nMPI_Bcast:3.0:56:12:13,1,1:1:56412,0,3:4.0\n\
                MPI_Barrier:5.0:56413,0,2:6.0\nMPI_Barrier:7.0:56412,0,3:8.0\n";
    let error = read_files(&[text; 3], &Options::default()).unwrap_err();
    assert!(error.line == Some(4) && error.to_string().contains("MPI_Barrier"), "{error}");
    let trace = read_files(&[text; 3], &Options { leave_out: true, ..Options::default() }).unwrap();
    let lines: Vec<String> = ti(&trace).lines().filter(|l| !l.contains("compute")).map(str::to_owned).collect();
    let rank = |rank: u32| format!("{rank} init\n{rank} bcast 12 1 6\n{rank} barrier");
    assert_eq!(lines.join("\n"), [0, 1, 2].map(rank).join("\n"));
    assert!(trace.warnings.iter().any(|warning| warning.to_string().contains("taken for MPI_COMM_WORLD")));
}
