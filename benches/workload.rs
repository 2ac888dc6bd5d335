//! Speed of generated workloads: compared with reading the same trace from a file, and of large ones.
//!
//! `cargo bench --bench workload` measures; `cargo bench --bench workload -- --test` only checks that everything runs.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mopsim::steps::Steps;
use mopsim::trace::ti;
use mopsim::workload::{Instance, Limits, catalogue};

fn instance(name: &str, ranks: u32, given: &[(&str, &str)]) -> Instance {
    let given: Vec<_> = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    catalogue::open(name).and_then(|program| program.instantiate(ranks, &given, &Limits::default())).expect("legal")
}

/// Compares generating a trace with reading the same one from a file.
fn generate_or_read(c: &mut Criterion) {
    let lu = instance("npb/lu", 64, &[("class", "A"), ("iterations", "10")]);
    let mut plain = Vec::new();
    let summary = lu.write(&ti::Text, &mut plain, &Steps::default()).expect("memory takes it");
    let folder = std::env::temp_dir().join(format!("mopsim-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the benchmark");
    let (text, packed) = (folder.join("lu.ti"), folder.join("lu.ti.zst"));
    std::fs::write(&text, &plain).expect("room for a trace");
    std::fs::write(&packed, zstd::encode_all(plain.as_slice(), 9).expect("memory takes it")).expect("room for a trace");

    let mut group = c.benchmark_group("lu.A.64.it10");
    group.sample_size(10).throughput(Throughput::Elements(summary.actions));
    group
        .bench_function("generate", |b| b.iter_batched(|| (), |()| lu.trace().expect("runs"), BatchSize::PerIteration));
    for (what, file) in [("read text", &text), ("read zstd", &packed)] {
        group.bench_function(what, |b| {
            b.iter_batched(
                || (),
                |()| ti::read(file, &ti::Options::default()).expect("a trace"),
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
    let _ = std::fs::remove_dir_all(&folder);
}

/// Many ranks, whose actions are counted and not kept.
fn large(c: &mut Criterion) {
    let bt = instance("npb/bt", 1024, &[("class", "D"), ("iterations", "2")]);
    let mut group = c.benchmark_group("count");
    group.sample_size(10).throughput(Throughput::Elements(bt.summary().expect("runs").actions));
    group.bench_function("bt.D.1024.it2", |b| b.iter(|| bt.summary().expect("runs")));
}

/// Graphs are built when the workload gets its parameters.
fn graphs(c: &mut Criterion) {
    let mut group = c.benchmark_group("graph500");
    group.sample_size(10);
    for (what, scale) in [("built, scale 16", "16"), ("drawn, scale 30", "30")] {
        group.bench_function(what, |b| {
            b.iter(|| instance("graph500/simple", 64, &[("scale", scale), ("iterations", "4")]));
        });
    }
}

criterion_group!(benches, generate_or_read, large, graphs);
criterion_main!(benches);
