//! Laws of all readers: a part of a file, or a changed file, is a trace or an error with its place, never a panic, a hang or
//! a lot of memory.

use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::testing::trace;
use super::*;

/// How a format is read from memory.
type Read = fn(&[u8], &Options) -> Result<Trace, TraceError>;

fn any(bytes: &[u8], options: &Options) -> Result<Trace, TraceError> {
    read_from(bytes, "t", options)
}

/// A valid file of each format, and what reads it.
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

/// Whether an error says where it is. What concerns a whole file, such as that it is empty or badly packed, has no place.
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

/// Bytes of memory that the process has had at most.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Numbers that lead to the edges of integers.
const EDGES: [&str; 8] =
    ["0", "-1", "4294967295", "2147483648", "18446744073709551615", "1e308", "nan", "99999999999999999999"];

fn mutate(bytes: &mut Vec<u8>, random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..4) {
        let length = bytes.len().max(1);
        let at = random.random_range(0..length);
        match random.random_range(0..7) {
            0 => bytes[at] = random.next_u32() as u8,
            1 => bytes[at] ^= 1 << random.random_range(0..8),
            2 => bytes.truncate(at.max(1)),
            3 => {
                let piece = bytes[at..length.min(at + random.random_range(1..64))].to_vec();
                let to = random.random_range(0..length);
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.drain(at..length.min(at + random.random_range(1..16)))),
            5 => {
                let edge = EDGES[random.random_range(0..EDGES.len())];
                let end = length.min(at + random.random_range(0..4));
                bytes.splice(at..end, edge.bytes());
            }
            _ => {
                let fill = if random.random_range(0..2) == 0 { 0xff } else { 0 };
                let end = length.min(at + random.random_range(1..9));
                bytes[at..end].fill(fill);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'0');
        }
    }
}

/// Checksums of a compact file made right again, so that the inside is reached.
fn forge(bytes: &mut [u8]) {
    let crc = |bytes: &[u8]| crc32fast::hash(bytes).to_le_bytes();
    if bytes.len() < 20 {
        return;
    }
    let head = crc(&bytes[..16]);
    bytes[16..20].copy_from_slice(&head);
    let mut at = 20;
    while at + 20 <= bytes.len() {
        let length = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().expect("eight bytes"));
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len() - at - 20);
        bytes[at + 4..at + 12].copy_from_slice(&(length as u64).to_le_bytes());
        let body = crc(&bytes[at + 20..at + 20 + length]);
        bytes[at + 12..at + 16].copy_from_slice(&body);
        let head = crc(&bytes[at..at + 16]);
        bytes[at + 16..at + 20].copy_from_slice(&head);
        at += 20 + length;
    }
}

#[test]
fn changed_files_do_no_harm() {
    const CHANGED: usize = 10_000;
    let samples = samples();
    let mut random = Pcg64Mcg::seed_from_u64(1);
    let (mut traces, mut slowest) = (0, Duration::ZERO);
    for number in 0..CHANGED {
        let (name, whole, read) = &samples[number % samples.len()];
        let mut bytes = whole.clone();
        mutate(&mut bytes, &mut random);
        if *name == "compact" && number % 3 > 0 {
            forge(&mut bytes);
        }
        let start = Instant::now();
        let options = Options { leave_out: number % 2 == 0, ..Options::default() };
        match read(&bytes, &options) {
            Ok(trace) => {
                traces += 1;
                // What was read has to be whole: other parts rely on it.
                inspect::check(&trace);
                let mut written = Vec::new();
                write(&trace, &compact::Compact, &mut written).expect("memory takes it");
                read_from(&*written, "again", &Options::default())
                    .unwrap_or_else(|error| panic!("{name}, number {number}: read, written, and then {error}"));
            }
            Err(error) => {
                let _ = (error.to_string(), error.help());
            }
        }
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest < Duration::from_secs(10), "{slowest:?}");
    if let Some(peak) = peak_memory() {
        assert!(peak < 1 << 30, "{peak} bytes of memory");
    }
    eprintln!("{traces} of {CHANGED} changed files are traces; the slowest took {slowest:?}");
    assert!(traces > CHANGED / 100, "only {traces} of the changed files were read at all");
}

/// A tar file, plain or packed, is refused by its name.
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
