//! Speed of the parts that users wait for: reading a trace, replaying it, sharing links.
//!
//! `cargo bench` measures; `cargo bench -- --test` only checks that everything runs.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use mopsim::defaults::Version;
use mopsim::engine::replay;
use mopsim::ids::LinkId;
use mopsim::mpi::mapping::Mapping;
use mopsim::network::maxmin::MaxMin;
use mopsim::network::sharing::Sharing;
use mopsim::platform::SharingPolicy;
use mopsim::study::choice::ModelChoice;
use mopsim::study::fabric::fabric;
use mopsim::study::network::NetworkChoice;
use mopsim::trace::{self, Packing, Trace, ti};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

fn trace_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("traces").join(format!("{name}.ti.zst"))
}

fn read(name: &str) -> Trace {
    ti::read(&trace_file(name), &ti::Options::default()).expect("a shipped trace")
}

fn reading(c: &mut Criterion) {
    let mut group = c.benchmark_group("read");
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["lu.A.64.it10", "is.A.64"] {
        let shipped = read(name);
        group.throughput(Throughput::Elements(shipped.total_actions()));
        group.bench_function(name, |b| b.iter(|| read(name)));
        // The same trace in other formats.
        for ending in [".ti", ".ti.gz", ".ti.xz", ".mtrace", ".mtrace.zst"] {
            let file = folder.path().join(format!("{name}{ending}"));
            let mut out = File::create(&file).expect("a file");
            let write = |out: &mut (dyn Write + Send)| trace::write(&shipped, trace::writer_for(&file), out);
            Packing::of(&file).pack(&mut out, write).expect("the disk takes it");
            let options = trace::Options::default();
            group.bench_function(format!("{name}{ending}"), |b| {
                b.iter(|| trace::read(&file, &options).expect("a trace"))
            });
        }
        // Cost of the 16-byte form without any reading.
        group.bench_function(format!("{name}, a copy in memory"), |b| b.iter(|| shipped.clone()));
    }
    // Lines whose number of ranks is only known at the end.
    let mut text = String::new();
    for line in 0..4 * 512_u32 {
        text.push_str(&format!("{} alltoallv 100000", line / 4));
        (0..1025_u32).for_each(|i| text.push_str(&format!(" {}", line.wrapping_mul(i) % 3001)));
        text.push('\n');
    }
    group.throughput(Throughput::Bytes(text.len() as u64));
    for ranks in [None, Some(512)] {
        let options = trace::Options { ranks, ..trace::Options::default() };
        let read = || trace::read_from(text.as_bytes(), "vectors", &options).expect("a trace");
        group.bench_function(format!("vectors, ranks: {ranks:?}"), |b| b.iter(read));
    }
}

/// From little contention (LU: many small messages) to much (FT: all-to-all of large ones).
fn replaying(c: &mut Criterion) {
    let mut group = c.benchmark_group("replay");
    group.sample_size(10);
    for (topology, routing) in [("torus:8x8", "dimension_order"), ("imase_itoh:n=64,d=6", "polynomial")] {
        // Speeds of earlier measurements.
        let defaults = Some(Version::V0_1);
        let (network, routing) = (Some(topology.to_owned()), Some(routing.to_owned()));
        let choice = NetworkChoice { topology: network, routing, defaults, ..NetworkChoice::default() };
        let platform = choice.build(Path::new("")).expect("a topology").platform;
        let (model, _) = ModelChoice { defaults, ..ModelChoice::default() }.build().expect("the defaults");
        for name in ["lu.A.64.it10", "cg.A.64", "mg.A.64", "ft.A.64"] {
            let trace = read(name);
            let rank_map = Mapping::OneEach.rank_map(trace.ranks(), platform.hosts.len()).expect("64 hosts");
            group.throughput(Throughput::Elements(trace.total_actions()));
            group.bench_function(format!("{name} on {topology}"), |b| {
                b.iter(|| replay(&trace, &platform, &rank_map, &model, &mut ()).expect("runs"));
            });
        }
    }
}

/// Replays as packets, under a static and an adaptive rule.
fn packets(c: &mut Criterion) {
    let mut group = c.benchmark_group("packets");
    group.sample_size(10);
    let network = NetworkChoice { topology: Some("torus:8x8".to_owned()), ..NetworkChoice::default() };
    let network = network.build(Path::new("")).expect("a topology");
    let trace = read("lu.A.64.it10");
    let rank_map = Mapping::OneEach.rank_map(trace.ranks(), network.platform.hosts.len()).expect("64 hosts");
    for name in ["packet", "packet:routing=amin"] {
        let choice = ModelChoice { network_model: Some(name.to_owned()), ..ModelChoice::default() };
        let (mut model, _) = choice.build().expect("a model");
        let medium = fabric(&network, &model).expect("a torus").expect("packets");
        model.medium = Some(medium);
        let hops = replay(&trace, &network.platform, &rank_map, &model, &mut ())
            .expect("runs")
            .packets
            .map(|counts| counts.hops);
        group.throughput(Throughput::Elements(hops.expect("packets")));
        group.bench_function(format!("lu.A.64.it10 on torus:8x8, {name}"), |b| {
            b.iter(|| replay(&trace, &network.platform, &rank_map, &model, &mut ()).expect("runs"));
        });
    }
}

/// Flows that come and go on random paths of three links; about `flows` of them at a time.
fn sharing(c: &mut Criterion) {
    let mut group = c.benchmark_group("max-min");
    for (links, flows) in [(384usize, 16usize), (384, 64), (384, 512), (16_384, 4_096)] {
        let setup = || {
            let mut rng = Pcg64::seed_from_u64(1);
            let mut sharing = MaxMin::new(vec![(5e9, SharingPolicy::Shared); links]);
            let paths: Vec<_> = (0..flows * 4)
                .map(|_| {
                    let mut path: Vec<(LinkId, f64)> = Vec::new();
                    while path.len() < 3 {
                        let link = LinkId::new(rng.random_range(0..links));
                        if path.iter().all(|e| e.0 != link) {
                            path.push((link, 1.0));
                        }
                    }
                    sharing.add_path(&path)
                })
                .collect();
            let mut present: Vec<_> = (0..flows).map(|i| sharing.start(paths[i], 1e-6, 5e9)).collect();
            sharing.solve();
            present.reverse();
            (sharing, paths, present, rng)
        };
        group.bench_function(format!("{flows} flows on {links} links, 100 changes"), |b| {
            b.iter_batched(
                setup,
                |(mut sharing, paths, mut present, mut rng)| {
                    for _ in 0..100 {
                        let leaves = rng.random_range(0..present.len());
                        sharing.stop(present.swap_remove(leaves));
                        sharing.solve();
                        present.push(sharing.start(paths[rng.random_range(0..paths.len())], 1e-6, 5e9));
                        sharing.solve();
                    }
                    sharing
                },
                BatchSize::LargeInput,
            );
        });
    }
}

criterion_group!(benches, reading, replaying, packets, sharing);
criterion_main!(benches);
