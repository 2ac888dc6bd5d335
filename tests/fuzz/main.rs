//! The fuzz targets on their seeds and on mutations of these, with stable Rust: a mutated file is read or refused,
//! without a panic, a hang or excessive memory.
//!
//! This is a separate executable with few tests, so that memory and time of the process are those of the readers.
//! `readers.rs` runs the whole program on mutated files of every kind, each in a separate process.

#[path = "../../fuzz/bodies.rs"]
mod bodies;
#[path = "../support/clock.rs"]
mod clock;
mod mutate;
#[path = "../support/no_config.rs"]
mod no_config;
mod readers;

use mutate::{forge, mutate};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::fs;
use std::path::Path;

/// Number of mutations of each seed.
const CHANGES: usize = 500;

/// Maximum processor time per file, in seconds.
const LONGEST: f64 = 10.0;

/// Maximum memory, in bytes.
const LARGEST: u64 = 1 << 30;

/// Returns the peak memory of the process, in bytes.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Linux's file with the processor time of all threads of this process.
const PROCESS: &str = "/proc/self/stat";

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
        // If the first check refused all changed files, the test would be pointless.
        assert!(taken > 0, "{name}: none of {changed} changed files is taken");
    }
    eprintln!("at most {slowest} s and {:?} bytes", peak_memory());
}
