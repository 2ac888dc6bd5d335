//! Growth of cost with size: many ranks, many concurrent transfers, transfers that all depend on each other.
//!
//! `cargo bench --bench scale` runs in minutes; `MOPSIM_BENCH_LARGE=1` adds the sizes that take longer or some GiB.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mopsim::defaults::Version;
use mopsim::engine::replay;
use mopsim::ids::LinkId;
use mopsim::mpi::mapping::Mapping;
use mopsim::network::clocks::Clocks;
use mopsim::network::maxmin::MaxMin;
use mopsim::network::sharing::{FlowId, Sharing};
use mopsim::platform::{Platform, SharingPolicy};
use mopsim::queue::EventQueue;
use mopsim::routing::default_for;
use mopsim::study::choice::ModelChoice;
use mopsim::study::network::NetworkChoice;
use mopsim::topology;
use mopsim::trace::{Action, CollectiveCall, CollectiveKind, Datatype, Trace};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

fn large() -> bool {
    std::env::var_os("MOPSIM_BENCH_LARGE").is_some()
}

fn platform(topology: &str) -> Arc<Platform> {
    // Speeds of earlier measurements.
    let routing = default_for(&topology::build(topology).expect("a topology")).to_owned();
    let choice = NetworkChoice {
        topology: Some(topology.to_owned()),
        routing: Some(routing),
        defaults: Some(Version::V0_1),
        ..NetworkChoice::default()
    };
    choice.build(Path::new("")).expect("a topology").platform
}

fn trace(actions: Vec<Vec<Action>>) -> Trace {
    Trace { name: "made here".to_owned(), actions: actions.into_iter().map(Into::into).collect(), ..Trace::default() }
}

fn bench(c: &mut Criterion, group: &str, name: &str, model: &str, messages: u64, trace: &Trace, platform: &Platform) {
    let network_model = Some(model.to_owned());
    let choice = ModelChoice { network_model, defaults: Some(Version::V0_1), ..ModelChoice::default() };
    let (model, _) = choice.build().expect("a model");
    let rank_map = Mapping::OneEach.rank_map(trace.ranks(), platform.hosts.len()).expect("enough hosts");
    let mut group = c.benchmark_group(group);
    group.sample_size(10).throughput(Throughput::Elements(messages));
    group.bench_function(name, |b| {
        b.iter(|| replay(trace, platform, &rank_map, &model, &mut ()).expect("runs"));
    });
}

/// Dissemination: in round k every rank sends 8 bytes to the rank 2^k further on. No two messages share a link at a
/// time.
fn dissemination(ranks: u32, rounds: u32) -> Trace {
    let of = |rank: u32| {
        let mut actions = vec![Action::Init];
        for round in 0..rounds {
            let distance = 1 << (round % ranks.ilog2());
            let (to, from) = ((rank + distance) % ranks, (rank + ranks - distance) % ranks);
            let (tag, count, datatype) = (0, 8, Datatype::BYTE);
            actions.push(Action::Send { to, tag, count, datatype });
            actions.push(Action::Recv { from, tag, count, datatype });
        }
        actions.push(Action::Finalize);
        actions
    };
    trace((0..ranks).map(of).collect())
}

fn uncontended(c: &mut Criterion) {
    let sizes: &[(u32, u32)] = if large() { &[(1024, 1000), (65_536, 32)] } else { &[(1024, 1000)] };
    for &(ranks, rounds) in sizes {
        let platform = platform(&format!("star:n={ranks}"));
        let messages = u64::from(ranks) * u64::from(rounds);
        let name = format!("dissemination, {ranks} ranks");
        bench(c, "uncontended", &name, "ideal", messages, &dissemination(ranks, rounds), &platform);
    }
}

/// Ten steps of a 3-D halo exchange of 64 KiB per side on a periodic grid, each with an allreduce of 8 bytes by
/// recursive doubling (binomial with a remainder, if the number of ranks is not a power of two). With drift,
/// computations differ by up to a fifth from rank to rank.
fn halo(side: u32, drift: bool) -> (Trace, u64) {
    const STEPS: usize = 10;
    let ranks = side.pow(3);
    let mut rng = Pcg64::seed_from_u64(1);
    let mut reductions = Trace::default();
    reductions.collectives.push(CollectiveCall::uniform(CollectiveKind::Allreduce, 0, 1, Datatype::DOUBLE));
    let mut of = |rank: u32| {
        let at = [rank / side / side, rank / side % side, rank % side];
        let neighbour = |axis: usize, step: u32| {
            let mut to = at;
            to[axis] = (to[axis] + step) % side;
            (to[0] * side + to[1]) * side + to[2]
        };
        let neighbours: Vec<u32> =
            (0..6).map(|way| neighbour(way / 2, if way % 2 == 0 { 1 } else { side - 1 })).collect();
        let (count, datatype) = (65_536, Datatype::BYTE);
        let mut actions = vec![Action::Init];
        for _ in 0..STEPS {
            let flops = 1e6 * (1.0 + if drift { rng.random_range(0.0..0.2) } else { 0.0 });
            actions.push(Action::Compute { flops });
            for (way, &from) in neighbours.iter().enumerate() {
                actions.push(Action::Irecv { from, tag: way as i32 ^ 1, count, datatype });
            }
            for (way, &to) in neighbours.iter().enumerate() {
                actions.push(Action::Isend { to, tag: way as i32, count, datatype });
            }
            actions.push(Action::WaitAll);
            actions.push(Action::Collective { index: 0 });
        }
        actions.push(Action::Finalize);
        actions
    };
    let actions = (0..ranks).map(|rank| of(rank).into()).collect();
    let exchanged = u64::from(ranks) * (6 + u64::from(ranks.ilog2())) * STEPS as u64;
    (Trace { actions, ..reductions }, exchanged)
}

fn local_contention(c: &mut Criterion) {
    let sides: &[u32] = if large() { &[8, 10, 16, 20, 24, 40] } else { &[8, 10, 16] };
    for &side in sides {
        let ranks = side.pow(3);
        let mut topologies = vec![format!("torus:{side}x{side}x{side}")];
        // There neighbours on the grid are far from each other, and all messages contend.
        if side <= 10 || large() {
            topologies.push(format!("imase_itoh:n={ranks},d=6"));
        }
        for topology in topologies {
            let platform = platform(&topology);
            for drift in [false, true] {
                let (trace, messages) = halo(side, drift);
                let name = format!("{ranks} ranks on {topology}{}", if drift { ", drifting" } else { "" });
                bench(c, "halo", &name, "smpi", messages, &trace, &platform);
            }
        }
    }
}

/// Simultaneous transfers over four random links each, as the solver sees them.
struct Coupled {
    sharing: MaxMin,
    flows: Vec<FlowId>,
    links: u32,
    bytes: Vec<f64>,
}

fn coupled(flows: usize, links: usize) -> Coupled {
    let mut rng = Pcg64::seed_from_u64(1);
    let mut sharing = MaxMin::new(vec![(1e9, SharingPolicy::Shared); links]);
    let mut path = Vec::new();
    let flows: Vec<FlowId> = (0..flows)
        .map(|_| {
            path.clear();
            while path.len() < 4 {
                let link = LinkId::new(rng.random_range(0..links));
                if path.iter().all(|(other, _)| *other != link) {
                    path.push((link, 1.0));
                }
            }
            let path = sharing.add_path(&path);
            sharing.start(path, 1.0, 1e12)
        })
        .collect();
    let bytes = flows.iter().map(|_| rng.random_range(1e5..1e7)).collect();
    Coupled { sharing, flows, links: links as u32, bytes }
}

/// Runs all transfers to completion; returns the completion time of the last one.
fn run_to_the_end(Coupled { mut sharing, flows, links, mut bytes }: Coupled) -> f64 {
    let (mut now, mut since, mut rates) = (0.0, vec![0.0; flows.len()], vec![0.0; flows.len()]);
    // The slots of clocks come first, then those of flows with completion times of their own.
    let (mut ends, mut clocks) = (EventQueue::new(), Clocks::default());
    loop {
        sharing.solve();
        for &flow in sharing.changed() {
            let i = flow.index();
            bytes[i] = match clocks.leave(flow.0, now) {
                Some(amount) => amount * rates[i],
                None => (bytes[i] - rates[i] * (now - since[i])).max(0.0),
            };
            (since[i], rates[i]) = (now, sharing.value(flow));
            if let Some(link) = sharing.clock(flow) {
                rates[i] /= sharing.level(link);
                clocks.follow(flow.0, link, sharing.level(link), bytes[i] / rates[i], now);
                ends.remove(links + flow.0);
            } else {
                ends.set(links + flow.0, now + bytes[i] / rates[i]);
            }
        }
        for &link in sharing.shifted() {
            clocks.set_level(link, sharing.level(link), now);
        }
        clocks.tell_times(|clock, time| match time {
            Some(time) => ends.set(clock, time),
            None => ends.remove(clock),
        });
        let Some((time, slot)) = ends.pop() else { return now };
        now = time;
        if slot >= links {
            sharing.stop(FlowId(slot - links));
            continue;
        }
        let (ended, next) = clocks.pop(slot, now);
        if let Some(time) = next {
            ends.set(slot, time);
        }
        if let Some(flow) = ended {
            sharing.stop(FlowId(flow));
        }
    }
}

fn global_coupling(c: &mut Criterion) {
    let mut group = c.benchmark_group("coupled");
    group.sample_size(10);
    group.bench_function("one solution of 1,000 flows on 1,000 links", |b| {
        b.iter_batched_ref(|| coupled(1000, 1000), |c| c.sharing.solve(), criterion::BatchSize::LargeInput);
    });
    for (flows, links) in [(1000, 1000), (2500, 1000), (10_000, 1000)] {
        group.throughput(Throughput::Elements(flows as u64));
        group.bench_function(format!("{flows} transfers over 4 of {links} links, to the end"), |b| {
            b.iter_batched(|| coupled(flows, links), run_to_the_end, criterion::BatchSize::LargeInput);
        });
    }
    group.finish();
    if large() {
        // Once is enough, and takes a minute.
        let case = coupled(100_000, 1000);
        let start = Instant::now();
        run_to_the_end(case);
        println!("100000 transfers over 4 of 1000 links, to the end: {:.1} s", start.elapsed().as_secs_f64());
    }
}

criterion_group!(benches, uncontended, local_contention, global_coupling);
criterion_main!(benches);
