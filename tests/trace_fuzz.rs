//! The fuzz targets on their seeds and on changes of these, with stable Rust.

#[path = "../fuzz/bodies.rs"]
mod bodies;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Changes of each seed.
const CHANGES: usize = 200;

#[test]
fn the_targets_take_their_seeds_and_changes_of_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut random = Pcg64Mcg::seed_from_u64(7);
    for (name, body) in bodies::ALL {
        let mut seeds: Vec<_> = fs::read_dir(folder.join(name)).expect(name).map(|file| file.unwrap().path()).collect();
        seeds.sort();
        assert!(!seeds.is_empty(), "{name} has seeds");
        for file in seeds {
            let seed = fs::read(&file).unwrap();
            body(&seed);
            for _ in 0..CHANGES {
                let mut bytes = seed.clone();
                for _ in 0..random.random_range(1..4) {
                    let at = random.random_range(0..bytes.len().max(1));
                    match random.random_range(0..4) {
                        0 if at < bytes.len() => bytes[at] = random.random_range(0..=255),
                        1 => bytes.truncate(at),
                        2 if at < bytes.len() => drop(bytes.remove(at)),
                        _ => bytes.insert(at.min(bytes.len()), b"0-9{}<>\"=:,\xff"[random.random_range(0..12)]),
                    }
                }
                let start = Instant::now();
                body(&bytes);
                assert!(start.elapsed() < Duration::from_secs(10), "{}: {bytes:?}", file.display());
            }
        }
    }
}
