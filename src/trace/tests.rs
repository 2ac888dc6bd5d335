//! Laws of all readers: a part of a file is a trace or an error with its place. `tests/fuzz/main.rs` modifies files.

use super::testing::trace;
use super::*;
use crate::user_error::UserError;

/// Reads a format from memory.
type Read = fn(&[u8], &Options) -> Result<Trace, TraceError>;

fn any(bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    read_from(bytes, "t", options)
}

/// Returns a valid file of each format, and its reader.
fn samples() -> Vec<(&'static str, Vec<u8>, Read)> {
    use proptest::strategy::{Strategy, ValueTree};
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut random = trace().new_tree(&mut runner).expect("a trace").current();
    while random.ranks() < 3 || random.total_actions() < 20 {
        random = trace().new_tree(&mut runner).expect("a trace").current();
    }
    let written = |writer: &dyn Writer| {
        let mut bytes = Vec::new();
        write(&random, writer, &mut bytes).expect("memory takes it");
        bytes
    };
    let (text, compact) = (written(&ti::Text), written(&compact::Compact));
    let packed = zstd::encode_all(&*compact, 3).expect("memory takes it");
    let [dumpi, _] = dumpi::tests::sample();
    let alone = allprof::tests::SAMPLE[0].replace(",0,2", ",0,1").replace(":1:7:", ":0:7:");
    vec![
        ("text", text, any),
        ("compact", compact, any),
        ("compact.zst", packed, any),
        ("goal", goal::tests::SAMPLE.as_bytes().to_vec(), any),
        ("goal binary", goal::tests::sample_binary(), any),
        ("otf2", otf2::tests::SAMPLE.as_bytes().to_vec(), any),
        ("one-sided otf2", otf2::tests::one_sided_sample().into_bytes(), any),
        ("dumpi", dumpi, dumpi::read_alone),
        ("liballprof", alone.into_bytes(), allprof::read_alone),
    ]
}

/// Returns `true` if an error has a place. Errors that concern a whole file, such as that it is empty or badly
/// compressed, have none.
fn has_place(error: &TraceError) -> bool {
    use TraceErrorKind as K;
    error.line.is_some()
        || error.byte().is_some()
        || matches!(error.kind, K::Empty | K::ByteOrderMark | K::RankWithoutLines { .. } | K::Damaged { .. })
}

#[test]
fn every_prefix_is_a_trace_or_an_error_with_its_place() {
    for (name, whole, read) in samples() {
        for length in 0..whole.len() {
            if let Err(error) = read(&whole[..length], &Options::default()) {
                assert!(has_place(&error), "{name}, {length} of {} bytes: {error}", whole.len());
            }
        }
    }
}

/// A tar file, plain or compressed, is refused by its name.
#[test]
fn a_tar_file_says_what_it_is() {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(7);
    builder.append_data(&mut header, "rank0.ti", &b"0 init\n"[..]).unwrap();
    let plain = builder.into_inner().unwrap();
    for bytes in [zstd::encode_all(&*plain, 1).unwrap(), plain] {
        let error = read_from(&*bytes, "t.tar", &Options::default()).unwrap_err();
        assert!(error.to_string().contains("packed with tar") && error.help().contains("tar -xf"), "{error}");
    }
}

#[test]
fn a_number_of_ranks_has_to_be_that_of_the_trace() {
    for (name, bytes, read) in samples() {
        // Files of one rank are read without their number.
        if matches!(name, "dumpi" | "liballprof") {
            continue;
        }
        let own = read(&bytes, &Options::default()).expect(name).ranks();
        let given = |ranks: usize| read(&bytes, &Options { ranks: Some(ranks), ..Options::default() });
        assert_eq!(given(own).map(|trace| trace.ranks()).ok(), Some(own), "{name}");
        assert!(given(own - 1).is_err(), "{name}");
        let error = given(own + 1).unwrap_err();
        if name != "text" {
            let text = format!("the trace has {own} ranks, not {}", own + 1);
            assert_eq!(
                (error.kind.to_string(), &error.help()[..30]),
                (text, "leave the number of ranks out;"),
                "{name}"
            );
        }
    }
}
