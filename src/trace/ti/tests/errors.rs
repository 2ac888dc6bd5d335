//! Each kind of error, with its place.

use std::io::{self, Read};

use super::*;
use crate::trace::error::ArgumentProblem as P;
use crate::user_error::UserError;

/// Asserts the place and offending text of the error that a text causes.
#[track_caller]
fn fails(text: &str, line: u64, column: u32, offending: &str) -> TraceError {
    fails_for(None, text, line, column, offending)
}

#[track_caller]
fn fails_for(ranks: Option<usize>, text: &str, line: u64, column: u32, offending: &str) -> TraceError {
    let error = parse_for(ranks, text).expect_err(text);
    let place = (error.line, error.column, error.text.as_str());
    assert_eq!(place, (Some(line), Some(column), offending), "{text:?} gave {error}");
    assert_eq!(error.file, Path::new("t"));
    assert!(error.to_string().starts_with(&format!("t:{line}:{column}: ")), "{error}");
    assert!(!error.help().is_empty() && !error.is_io());
    error
}

/// Asserts the problem with an argument of the second line; the first is `0 init`, the last `1 init`.
#[track_caller]
fn bad(line: &str, column: u32, offending: &str, name: &str, expected: P) {
    for ranks in [None, Some(2)] {
        let error = fails_for(ranks, &format!("0 init\n{line}\n1 init\n"), 2, column, offending);
        match error.kind {
            Kind::Argument { argument, problem, .. } => assert_eq!((argument, problem), (name, expected), "{line}"),
            other => panic!("{line} gave {other:?}"),
        }
    }
}

#[test]
fn ranks() {
    assert!(matches!(fails("0 init\nx init\n", 2, 1, "x").kind, Kind::NotARank));
    assert!(matches!(fails("0 init\n 01 init\n", 2, 2, "01").kind, Kind::NotARank));
    assert!(matches!(fails("0 init\n-1 init\n", 2, 1, "-1").kind, Kind::NotARank));
    assert!(matches!(fails("0 init\n99999999 init\n", 2, 1, "99999999").kind, Kind::TooManyRanks { .. }));
    assert!(matches!(
        fails("0 init\n0 barrier\n9999999999999999999999 init\n", 3, 1, "9999999999999999999999").kind,
        Kind::NotARank
    ));
    let error = fails_for(Some(2), "0 init\n1 init\n2 init\n", 3, 1, "2");
    assert!(matches!(error.kind, Kind::RankOutOfRange { role: "rank", ranks: 2 }), "{error}");
    assert_eq!(error.to_string(), "t:3:1: the rank must be below the number of ranks, 2: `2`");
}

#[test]
fn a_rank_without_lines_is_named() {
    for (ranks, text, missing, all) in
        [(None, "0 init\n3 init\n1 init\n", 2, 4), (Some(3), "0 init\n1 init\n", 2, 3), (None, "1 init\n", 0, 2)]
    {
        let error = parse_for(ranks, text).unwrap_err();
        assert!(matches!(error.kind, Kind::RankWithoutLines { rank, ranks, .. } if (rank, ranks) == (missing, all)));
    }
}

#[test]
fn partners_are_checked_once_the_number_of_ranks_is_known() {
    for ranks in [None, Some(2)] {
        for (line, column, text, name) in [
            ("send 2 0 1", 8, "2", "destination"),
            ("irecv   7 0 1", 11, "7", "source"),
            ("wait 0 2 1", 10, "2", "destination"),
            ("sendRecv 1 1 1 3 0 0", 18, "3", "source"),
            ("bcast 1 2", 11, "2", "root"),
            ("gatherv 1 2 3 4", 17, "4", "root"),
        ] {
            let error = fails_for(ranks, &format!("0 init\n0 {line}\n1 init\n"), 2, column, text);
            assert!(matches!(error.kind, Kind::RankOutOfRange { role, ranks: 2 } if role == name), "{error}");
        }
    }
    // A partner may precede its own first line.
    assert!(parse("0 send 1 0 1\n1 recv 0 0 1\n").is_ok());
    fails("0 send 5 0 1\n0 send 4 0 1\n1 recv 0 0 1\n", 1, 8, "5");
}

#[test]
fn actions() {
    assert!(matches!(fails("0 init\n0\n", 2, 2, "").kind, Kind::NoAction));
    assert!(matches!(fails("0 init\n0  \t\n", 2, 5, "").kind, Kind::NoAction));
    let error = fails("0 init\n0 Isend 1 2 3\n", 2, 3, "Isend");
    assert!(matches!(error.kind, Kind::UnknownAction { nearest: Some("isend") }));
    assert!(error.help().contains("`isend`"));
    assert!(matches!(fails("0 init\n0 win_post\n", 2, 3, "win_post").kind, Kind::UnknownAction { .. }));
}

#[test]
fn missing_arguments() {
    bad("0 send", 7, "", "destination", P::Missing);
    bad("0 send 1", 9, "", "tag", P::Missing);
    bad("0 send 1 0 ", 12, "", "count", P::Missing);
    bad("0 recv 1 0", 11, "", "capacity", P::Missing);
    bad("0 compute", 10, "", "flops", P::Missing);
    bad("0 sleep", 8, "", "duration", P::Missing);
    bad("0 location x", 13, "", "line", P::Missing);
    bad("0 sendRecv 1 1 1 1 0", 21, "", "datatype", P::Missing);
    bad("0 reduce 1", 11, "", "flops", P::Missing);
    bad("0 alltoall 1", 13, "", "receive count", P::Missing);
    bad("0 alltoallv 1 2 3 4 5", 22, "", "receive count of each rank", P::Missing);
    bad("0 alltoallv 1 2 3", 18, "", "receive buffer size", P::Missing);
    bad("0 reducescatter 1 2", 20, "", "flops", P::Missing);
    bad("0 scatterv 1", 13, "", "send count of each rank", P::Missing);
    bad("0 scatterv 1 2", 15, "", "receive count", P::Missing);
}

#[test]
fn malformed_arguments() {
    bad("0 send x 0 1", 8, "x", "destination", P::NotAnInteger);
    bad("0 send 1e0 0 1", 8, "1e0", "destination", P::NotAnInteger);
    bad("0 recv -1 0 1", 8, "-1", "source", P::Negative);
    bad("0 send 99999999999999999999 0 1", 8, "99999999999999999999", "destination", P::TooLarge);
    bad("0 recv 1 -1 1", 10, "-1", "tag", P::Negative);
    bad("0 send 1 2147483648 1", 10, "2147483648", "tag", P::TooLarge);
    bad("0 send 1 0 -1", 12, "-1", "count", P::Negative);
    bad("0 send 1 0 2147483648", 12, "2147483648", "count", P::TooLarge);
    bad("0 send 1 0 3e9", 12, "3e9", "count", P::TooLarge);
    bad("0 send 1 0 1e999", 12, "1e999", "count", P::NotFinite);
    bad("0 send 1 0 1x", 12, "1x", "count", P::NotANumber);
    bad("0 recv 1 0 -2", 12, "-2", "capacity", P::Negative);
    bad("0 send 1 0 1 58", 14, "58", "datatype", P::UnknownDatatype);
    bad("0 send 1 0 1 -2", 14, "-2", "datatype", P::UnknownDatatype);
    bad("0 send 1 0 1 1.0", 14, "1.0", "datatype", P::NotAnInteger);
    bad("0 send 1 0 1 #", 14, "#", "datatype", P::NotAnInteger);
    bad("0 compute nan", 11, "nan", "flops", P::NotFinite);
    bad("0 compute inf", 11, "inf", "flops", P::NotFinite);
    bad("0 compute -1", 11, "-1", "flops", P::Negative);
    bad("0 compute 1,5", 11, "1,5", "flops", P::NotANumber);
    bad("0 sleep nan", 9, "nan", "duration", P::NotFinite);
    bad("0 allreduce 1 -0.5", 15, "-0.5", "flops", P::Negative);
    bad("0 alltoallv 9 1 2 3 1e6 5", 21, "1e6", "receive count of each rank", P::NotAnInteger);
    bad("0 gatherv 9 1 -2", 15, "-2", "receive count of each rank", P::Negative);
    // An error in a vector with too few entries is reported where the next argument is missing or invalid.
    bad("0 reducescatter 1 0.5", 19, "0.5", "receive count of each rank", P::NotAnInteger);
}

#[test]
fn displacements() {
    let text = "0 init\n0 allgatherv 9 1 2 3 4  5 6 7\n1 init\n2 init\n";
    for ranks in [None, Some(3)] {
        let error = fails_for(ranks, text, 2, 22, "4");
        assert!(matches!(error.kind, Kind::Displacements { given: 4, ranks: 3 }));
    }
}

#[test]
fn two_kinds_of_init_do_not_mix() {
    let error = fails("0 init\n1 init 1\n", 2, 8, "1");
    assert!(matches!(&error.kind, Kind::MixedInit { earlier, .. } if earlier == "t:1"), "{error}");
    fails("0 init 1\n1 init\n", 2, 7, "");
    // The first line was read with one byte per element.
    let error = fails("0 send 0 0 1\n0 init 1\n", 2, 8, "1");
    assert!(matches!(&error.kind, Kind::MixedInit { earlier, .. } if earlier == "t:1"), "{error}");
    assert!(parse("0 send 0 0 1 0\n0 init 1\n").is_ok());
}

#[test]
fn files_that_are_no_trace() {
    assert!(matches!(parse("").unwrap_err().kind, Kind::Empty));
    assert!(matches!(parse("# nothing\n\n").unwrap_err().kind, Kind::Empty));
    assert!(matches!(parse_for(Some(3), "\n").unwrap_err().kind, Kind::Empty));
    assert!(matches!(fails("0 init\n0 \0 1\n", 2, 3, "").kind, Kind::NotText));
    // An error before the NUL byte is reported first, even with a comment in the line.
    fails("0 init\n0 x\n0 \0\n", 2, 3, "x");
    fails("0 init\n# \0", 2, 3, "");
    let error = read_from(&b"\x7fELF\x02\x01\x01\n\n"[..], "t", &Options::default()).unwrap_err();
    assert!(matches!(error.kind, Kind::NotText) && error.line == Some(1), "{error}");
    let utf16: Vec<u8> = "0 init\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = read_from(&*utf16, "t", &Options::default()).unwrap_err();
    assert!(matches!(error.kind, Kind::NotText), "{error}");
}

#[test]
fn a_last_line_without_line_end_is_no_line() {
    assert!(matches!(fails("0 init\n0 compute 12", 2, 13, "0 compute 1...").kind, Kind::CutOff));
    assert!(matches!(fails("0 init", 1, 7, "0 init").kind, Kind::CutOff));
}

#[test]
fn a_line_has_a_largest_length() {
    let endless = b"0 init\n0 compute ".chain(io::repeat(b'1').take(80 << 20));
    let error = read_from(endless, "t", &Options::default()).unwrap_err();
    assert!(matches!(error.kind, Kind::LineTooLong { .. }), "{error}");
    assert_eq!(error.line, Some(2));
    assert!(error.text.len() < 100);
    let comment = b"0 init\n#".chain(io::repeat(b'x').take(40 << 20)).chain(&b"\n0 finalize\n"[..]);
    assert_eq!(read_from(comment, "t", &Options::default()).unwrap().total_actions(), 2);
}

#[test]
fn long_words_are_shortened_in_messages() {
    let error = parse(&format!("0 init\n0 compute {}\n", "x".repeat(5000))).unwrap_err();
    assert!(error.text.starts_with("xxx") && error.text.ends_with("...") && error.text.len() < 70);
}

#[test]
fn a_failing_stream_is_an_io_error() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }
    let error = read_from(b"0 init\n".chain(Failing), "t", &Options::default()).unwrap_err();
    assert!(error.is_io() && matches!(error.kind, Kind::Read(_)), "{error}");
    assert!(std::error::Error::source(&error).is_some());
}
