//! The fuzz targets on their seeds and on changes of these, with stable Rust: a changed file is read or refused,
//! without a panic, a hang or a lot of memory.
//!
//! This is an executable of its own with one test, so that memory and time of the process are those of the readers.

#[path = "../../fuzz/bodies.rs"]
mod bodies;
#[path = "../support/clock.rs"]
mod clock;

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fs;
use std::path::Path;

/// Changes of each seed.
const CHANGES: usize = 500;

/// Most seconds of the processor that a file may take.
const LONGEST: f64 = 10.0;

/// Most bytes of memory.
const LARGEST: u64 = 1 << 30;

/// Bytes of memory that the process has had at most.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Where Linux has the processor time of all threads of this process.
const PROCESS: &str = "/proc/self/stat";

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
fn the_targets_take_their_seeds_and_changes_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut random = Pcg64Mcg::seed_from_u64(7);
    let mut slowest = 0.0_f64;
    for (name, body) in bodies::ALL {
        let mut seeds: Vec<_> = fs::read_dir(folder.join(name)).expect(name).map(|file| file.unwrap().path()).collect();
        seeds.sort();
        assert!(!seeds.is_empty(), "{name} has seeds");
        let (mut changed, mut taken) = (0, 0);
        for file in seeds {
            let seed = fs::read(&file).unwrap();
            body(&seed);
            let is_compact = file.ends_with("compact");
            for number in 0..CHANGES {
                let mut bytes = seed.clone();
                mutate(&mut bytes, &mut random);
                if is_compact && number % 3 > 0 {
                    forge(&mut bytes);
                }
                let begin = clock::processor_seconds(PROCESS);
                changed += 1;
                taken += usize::from(body(&bytes));
                let seconds = clock::processor_seconds(PROCESS) - begin;
                assert!(seconds < LONGEST, "{}: {seconds} s for {bytes:?}", file.display());
                slowest = slowest.max(seconds);
                if let Some(peak) = peak_memory() {
                    assert!(peak < LARGEST, "{}: {peak} bytes of memory for {bytes:?}", file.display());
                }
            }
        }
        eprintln!("{name}: {taken} of {changed} changed files are taken");
        // Changes that are all refused at once would reach nothing.
        assert!(taken > 0, "{name}: none of {changed} changed files is taken");
    }
    eprintln!("at most {slowest} s and {:?} bytes", peak_memory());
}
