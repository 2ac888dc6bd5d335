//! Tests of the compact form.

use proptest::prelude::*;

use super::layout::{FILE_HEAD, RANK, SECTION_HEAD};
use super::*;
use crate::trace::testing::{assert_same, trace};
use crate::trace::{Action, Options, Trace, TraceError, TraceWarning, read_from, write};

fn bytes(trace: &Trace) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(trace, &Compact, &mut bytes).unwrap();
    bytes
}

fn parse(bytes: &[u8]) -> Result<Trace, TraceError> {
    read_from(bytes, "t.mtrace", &Options::default())
}

fn ti(text: &str) -> Trace {
    read_from(text.as_bytes(), "t", &Options::default()).unwrap()
}

/// Returns actions with all bits: `==` of floating-point numbers considers the two zeros equal.
fn bits(trace: &Trace) -> Vec<Vec<u64>> {
    let of = |action: &Action| match action {
        Action::Compute { flops: value } | Action::Sleep { seconds: value } => value.to_bits(),
        Action::Collective { index } => trace.collectives[*index as usize].flops.to_bits(),
        _ => 0,
    };
    trace.actions.iter().map(|actions| actions.iter().map(|action| of(&action)).collect()).collect()
}

/// The layout of `docs/reference/mtrace.md`, written down by hand.
#[test]
fn the_layout_is_the_documented_one() {
    let trace = ti("0 init\n0 compute 7\n0 compute 0.5\n0 send 1 3 10 6\n0 send 1 3 10 6\n1 recv 0 3 -1 6\n");
    let mut body0 = vec![
        0, 5, 2, // rank 0, five actions, two entries
        6, 2, 3, 11, 6, // the send, which occurs twice: to 0 + 1, tag 3, 10 + 1 elements of type 6
        0, // init
        5, // init is entry 1
        0, 7, 0, 0, 0, // 7 flops
        1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, // 0.5 flops
        4, 4, // twice the send
    ];
    let body1 = vec![1, 1, 1, 8, 1, 3, 0, 6, 4];
    let mut expected = b"\x8dmtr\r\n\x1a\n\x01\x00\x00\x00\x02\x00\x00\x00".to_vec();
    expected.extend(crc32fast::hash(&expected).to_le_bytes());
    let end = [2, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0].to_vec();
    for (kind, body) in [(2, std::mem::take(&mut body0)), (2, body1), (3, end)] {
        let mut head = vec![kind, 0, 0, 0];
        head.extend((body.len() as u64).to_le_bytes());
        head.extend(crc32fast::hash(&body).to_le_bytes());
        head.extend(crc32fast::hash(&head).to_le_bytes());
        expected.extend(head);
        expected.extend(body);
    }
    assert_eq!(bytes(&trace), expected);
    assert_same(&parse(&expected).unwrap(), &trace);
}

#[test]
fn a_recorded_trace_is_the_same_again() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/corpus/is.S.16.ti.zst");
    let trace = crate::trace::read(file.as_ref(), &Options::default()).unwrap();
    let again = parse(&bytes(&trace)).unwrap();
    assert_same(&trace, &again);
    assert_eq!(trace.polls(), again.polls());
}

#[test]
fn more_entries_than_a_byte_or_two_can_name() {
    let mut trace = ti("0 init\n");
    trace.actions[0] = (0..70_000).map(|i| Action::Sleep { seconds: f64::from(i) }).collect();
    trace.actions[0].extend([Action::Compute { flops: 1e300 }, Action::Compute { flops: 4294967295.0 }]);
    assert_same(&parse(&bytes(&trace)).unwrap(), &trace);
}

#[test]
fn ranks_may_do_nothing() {
    let mut trace = ti("0 init\n1 init\n2 init\n3 init\n");
    trace.actions[0] = Default::default();
    trace.actions[3] = Default::default();
    let again = parse(&bytes(&trace)).unwrap();
    assert_eq!(again.actions, trace.actions);
}

#[test]
fn notes_stay_with_the_trace() {
    let mut trace = ti("0 init\n");
    trace.warnings.push(TraceWarning::Noted { file: "x".into(), text: "a window".to_owned() });
    let again = parse(&bytes(&trace)).unwrap();
    assert_eq!(again.warnings[0].to_string(), "t.mtrace: x: a window");
}

#[test]
fn every_prefix_is_refused_with_its_end() {
    let whole = bytes(&ti("0 init\n0 compute 7\n0 send 1 3 10 6\n1 recv 0 3 10 6\n"));
    for length in 1..whole.len() {
        let error = parse(&whole[..length]).unwrap_err();
        assert_eq!(error.byte(), Some(length as u64), "{error}");
    }
}

#[test]
fn every_changed_byte_is_noticed() {
    let whole = bytes(&ti("0 init\n0 compute 7\n0 send 1 3 10 6\n1 recv 0 3 10 6\n"));
    for at in 0..whole.len() {
        for bit in [1, 0x80] {
            let mut changed = whole.clone();
            changed[at] ^= bit;
            let error = parse(&changed).unwrap_err();
            // Without its first bytes it is not a compact trace.
            assert!(at < 4 || error.byte().is_some_and(|byte| byte <= at as u64 + 20), "{at}: {error}");
        }
    }
    let error = parse(&[&whole[..], b"\n"].concat()).unwrap_err();
    assert_eq!(error.byte(), Some(whole.len() as u64));
}

/// Reads a file with right checksums and wrong content.
fn forged(ranks: u32, body: &[u8]) -> TraceError {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0, 0, 0]);
    bytes.extend(ranks.to_le_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    let mut head = vec![RANK, 0, 0, 0];
    head.extend((body.len() as u64).to_le_bytes());
    head.extend(crc32fast::hash(body).to_le_bytes());
    head.extend(crc32fast::hash(&head).to_le_bytes());
    parse(&[bytes, head, body.to_vec()].concat()).unwrap_err()
}

#[test]
fn forged_content_is_refused_where_it_stands() {
    let body = (FILE_HEAD + SECTION_HEAD) as u64;
    for (content, at, part) in [
        (&[2, 0, 0][..], 0, "rank 2 is out of order"),
        (&[0, 1, 0], 3, "1 actions are announced"),
        (&[0, 1, 0, 4], 3, "code 4"),
        (&[0, 1, 0, 0, 1], 3, "code 0"),
        (&[0, 1, 1, 6, 4, 0, 1, 6, 4], 3, "a rank is not below"),
        (&[0, 1, 1, 6, 1, 0, 1, 6, 4], 3, "lacks arguments"),
        (&[0, 1, 1, 6, 2, 0, 0, 6, 4], 3, "a count is above"),
        (&[0, 1, 1, 6, 2, 0, 1, 58, 4], 3, "lacks arguments"),
        (&[0, 1, 1, 16, 0, 0, 0, 6, 6, 0, 0, 0, 0, 0, 0, 0, 0, 1, 7, 0, 0, 4], 3, "1 counts for 2 members"),
        (&[0, 1, 1, 200, 4], 3, "there is no action 200"),
        (&[0, 2, 1, 0, 4], 4, "2 actions are announced"),
        (&[0, 1, 1, 0, 4, 4], 6, "2 actions are there"),
        (&[0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 4], 12, "are announced"),
        (&[0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f], 3, "code 1"),
    ] {
        let error = forged(2, content);
        assert_eq!(error.byte(), Some(body + at), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    assert!(forged(0, &[]).to_string().contains("0 ranks"));
    assert!(forged(u32::MAX, &[]).to_string().contains("4294967295 ranks"));
}

proptest! {
    #[test]
    fn what_is_written_reads_back(trace in trace()) {
        let whole = bytes(&trace);
        let again = parse(&whole).map_err(|error| TestCaseError::fail(error.to_string()))?;
        assert_same(&trace, &again);
        prop_assert_eq!(bits(&trace), bits(&again));
        // Once equal arguments are stored once, writing the read file again changes nothing.
        let second = bytes(&again);
        prop_assert_eq!(bytes(&parse(&second).unwrap()), second);
    }

    /// Content that no checksum protects: the possible content of a malicious file.
    #[test]
    fn forged_bytes_never_panic(content in proptest::collection::vec(any::<u8>(), 0..200), ranks in 1u32..5) {
        let _ = forged(ranks, &content);
    }
}
