//! How fast traces are read: `MOPSIM_SHARED=... cargo test --release --lib trace::ti -- --ignored --nocapture speed`.

use std::fs;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;

use super::corpus::shared;
use super::*;
use crate::trace::Packing;
use crate::trace::compact::Compact;

fn best_of_five(label: &str, path: &Path) {
    best_of_five_with(label, || read(path, &Options::default()).unwrap());
}

fn best_of_five_with(label: &str, read: impl Fn() -> Trace) {
    let mut best = f64::INFINITY;
    let mut actions = 0;
    for _ in 0..5 {
        let start = Instant::now();
        let trace = black_box(read());
        best = best.min(start.elapsed().as_secs_f64());
        actions = trace.total_actions();
    }
    let rate = actions as f64 / best / 1e6;
    eprintln!("{label:>24}: {best:.3} s, {rate:.1} million actions/s");
}

/// The compact form, and what the 16-byte form costs without any reading: memory that is asked for and filled.
fn compact(trace: &Trace, folder: &Path) {
    for packing in [Packing::Plain, Packing::Zstd] {
        let path = folder.join(if packing == Packing::Plain { "t.mtrace" } else { "t.mtrace.zst" });
        let mut out = fs::File::create(&path).unwrap();
        let start = Instant::now();
        packing.pack(&mut out, |out| crate::trace::write(trace, &Compact, out)).unwrap();
        let took = start.elapsed().as_secs_f64();
        let size = fs::metadata(&path).unwrap().len() as f64 / 1e6;
        best_of_five(&format!("{packing:?}, {size:.1} MB, written in {took:.2} s"), &path);
    }
    best_of_five_with("a copy in memory", || trace.clone());
    best_of_five_with("a copy in new memory", || Trace {
        // Small pieces come from memory that was used before; one large piece never does.
        actions: vec![trace.actions.iter().flatten().collect()],
        ..Trace::default()
    });
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let Some(corpus) = shared("corpus/traces") else { return };
    let folder = tempfile::tempdir().unwrap();
    for name in ["lu.A.64.it50", "is.A.64", "bt.A.256.it5"] {
        let packed = corpus.join(format!("{name}.ti.xz"));
        let mut text = Vec::new();
        lzma_rust2::XzReader::new(fs::File::open(&packed).unwrap(), true).read_to_end(&mut text).unwrap();
        let file = |extension: &str| folder.path().join(format!("{name}.ti{extension}"));
        fs::write(file(""), &text).unwrap();
        fs::write(file(".zst"), zstd::encode_all(&*text, 12).unwrap()).unwrap();
        let mut gz =
            flate2::write::GzEncoder::new(fs::File::create(file(".gz")).unwrap(), flate2::Compression::default());
        gz.write_all(&text).unwrap();
        gz.finish().unwrap();
        for extension in ["", ".zst", ".gz"] {
            best_of_five(&format!("{name}{extension}"), &file(extension));
        }
        compact(&read(&file(""), &Options::default()).unwrap(), folder.path());
        best_of_five(&format!("{name}.xz"), &packed);
    }
    // Vector lines whose number of ranks shows only at the end.
    let mut text = String::new();
    for line in 0..4 * 512u32 {
        text.push_str(&format!("{} alltoallv 100000", line / 4));
        (0..1025u32).for_each(|i| text.push_str(&format!(" {}", line.wrapping_mul(i) % 3001)));
        text.push('\n');
    }
    let options = |ranks| Options { ranks, ..Options::default() };
    for ranks in [None, Some(512)] {
        let label = format!("{} MB vectors, {ranks:?}", text.len() / 1_000_000);
        best_of_five_with(&label, || read_from(text.as_bytes(), "vectors", &options(ranks)).unwrap());
    }
}
