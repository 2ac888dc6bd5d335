//! Saturation, loads and bounds of networks whose values can be worked out by hand.

use crate::support::relative_difference;
use mopsim::defaults::Version;
use mopsim::throughput::bounds::Wanted;
use mopsim::throughput::{Cell, Network, Speeds, ThroughputOptions, evaluate};

/// Returns the answer for a topology with its own hosts, by default one per switch; hosts have no links of their own.
fn cell(spec: &str, pattern: &str, routing: &str) -> Cell {
    let speeds = Speeds { host: None, ..Speeds::of(Version::V0_1) };
    let topology = mopsim::topology::build(spec).expect(spec);
    let network = Network::new(topology, None, None, speeds, &Default::default()).expect(spec);
    // Programs of larger networks take seconds, and are asked for elsewhere.
    let small = network.links * network.topology.graph.switches() <= 3000;
    let options =
        ThroughputOptions { bound: if small { Wanted::Lp } else { Wanted::Quick }, ..ThroughputOptions::default() };
    evaluate(&network, pattern, &[routing.to_owned()], &options).expect(spec).remove(0)
}

fn close(actual: Option<f64>, expected: f64, what: &str) {
    let actual = actual.unwrap_or_else(|| panic!("{what}: there is no value"));
    assert!(relative_difference(actual, expected) < 1e-12, "{what}: {actual} instead of {expected}");
}

/// Compares with the result of a linear program, within its precision.
fn near(actual: f64, expected: f64, what: &str) {
    assert!(relative_difference(actual, expected) < 1e-6, "{what}: {actual} instead of {expected}");
}

fn best(cell: &Cell) -> f64 {
    cell.bounds.concurrent.as_ref().expect("the program is small").upper
}

#[test]
fn rings() {
    // Ring of n, every host to every host with share 1/n. Over even splitting both directions of every cable are alike.
    // The sum of distances from one switch is floor(n^2/4), so all n switches put n * floor(n^2/4)/n on 2n arcs:
    // floor(n^2/4)/(2n) each. No routing does better, since all capacity is used on shortest paths.
    for n in [3_u32, 4, 5, 8, 9, 16] {
        let spec = format!("ring:{n}");
        let load = f64::from(n * n / 4) / f64::from(2 * n);
        let split = cell(&spec, "uniform", "split");
        close(split.saturation, 1.0 / load, &spec);
        assert_eq!(split.fullest_links, 2 * n as usize, "{spec}");
        near(best(&split), 1.0 / load, &spec);
        close(split.share_of_bound, 1.0, &spec);
        close(split.bounds.path_length, 1.0 / load, &spec);
        // Without the source itself the shares are 1/(n-1) instead.
        close(cell(&spec, "all_to_all", "split").saturation, (f64::from(n) - 1.0) / (f64::from(n) * load), &spec);
        // To the next host: one arc each, and nothing else on it. Another routing can send the other way round as well:
        // it has a path of 1 and one of n-1 hops. What all send forwards fills the n forward arcs at a = 1; what they
        // send backwards takes n-1 of the n backward arcs each, which are full at (n-1) * b = 1. Together 1 + 1/(n-1).
        let neighbour = cell(&spec, "neighbour", "bfs");
        close(neighbour.saturation, 1.0, &spec);
        near(best(&neighbour), 1.0 + 1.0 / (f64::from(n) - 1.0), &spec);
    }
    // Tornado goes ceil(n/2)-1 hops in one direction: that is the number of flows on every arc of it. The best routing
    // also uses the other direction of n - k hops: 1/k + 1/(n-k).
    let (n, k) = (9.0, 4.0);
    let tornado = cell("ring:9", "tornado", "bfs");
    close(tornado.saturation, 1.0 / k, "tornado");
    near(best(&tornado), 1.0 / k + 1.0 / (n - k), "tornado");
    assert_eq!(tornado.fair.as_ref().map(|fair| fair.level.max.to_bits()), Some((1.0 / k).to_bits()));
}

#[test]
fn tori() {
    // k x k torus, uniform, dimension by dimension or split: each dimension is crossed floor(k^2/4)/k hops on average,
    // over 2 arcs a switch and dimension: load floor(k^2/4)/(2k). For even k = 2m that is k/8: saturation 8/k (Dally
    // and Towles, section 3.3.1, with half the bandwidth in each direction: 2 * bisection / hosts).
    for k in [3_u32, 4, 5, 6, 8] {
        let spec = format!("torus:{k}x{k}");
        let load = f64::from(k * k / 4) / f64::from(2 * k);
        let split = cell(&spec, "uniform", "split");
        close(split.saturation, 1.0 / load, &spec);
        assert_eq!(split.fullest_links, 4 * (k * k) as usize, "{spec}: all links alike");
        // Mean hops over all pairs, the source included: twice that of a ring.
        close(Some(split.zero_load.mean_hops), 2.0 * f64::from(k * k / 4) / f64::from(k), &spec);
    }
    // Dimension order on an odd torus has no ties, so it is as even as splitting.
    close(cell("torus:5x5", "uniform", "dimension_order").saturation, 10.0 / 6.0, "torus:5x5");
    // Tornado in each of two dimensions of 8: 3 hops along rings of each dimension, one direction only.
    let tornado = cell("torus:8x8", "tornado:k=8", "dimension_order");
    close(tornado.saturation, 1.0 / 3.0, "tornado");
    close(Some(tornado.zero_load.mean_hops), 6.0, "tornado");
    // Dimensions of different sizes: the long rings are full first.
    close(cell("torus:8x4", "uniform", "split").saturation, 1.0, "torus:8x4");
    close(cell("torus:4x4x4", "uniform", "split").saturation, 2.0, "torus:4x4x4");
}

#[test]
fn hypercubes() {
    // 2^d switches, uniform: half of all traffic crosses each dimension, over one arc a switch: load 1/2, saturation 2,
    // for every shortest routing that is even (splitting; or dimension order, by symmetry).
    for d in 1..=6 {
        let spec = format!("hypercube:{d}");
        for routing in ["split", "dimension_order"] {
            let uniform = cell(&spec, "uniform", routing);
            close(uniform.saturation, 2.0, &format!("{spec} {routing}"));
            close(Some(uniform.zero_load.mean_hops), f64::from(d) / 2.0, &spec);
        }
        // The complement is d hops away over any order of dimensions; split or not, d * 2^d on d * 2^d arcs.
        let complement = cell(&spec, "bit_complement", "split");
        close(complement.saturation, 1.0, &spec);
        assert_eq!(complement.zero_load.max_hops, d as u32);
        // Every flow gets all of it.
        let fair = complement.fair.expect("kept");
        close(Some(fair.level.min), 1.0, &spec);
        close(Some(fair.level.max), 1.0, &spec);
    }
    // Transpose of 2^b bits with dimension order: the well-known sqrt(N)/2 flows on one arc (L. Valiant 1982). For b =
    // 4 there are 2, for b = 6 there are 4.
    close(cell("hypercube:4", "transpose", "dimension_order").saturation, 0.5, "transpose 4");
    close(cell("hypercube:6", "transpose", "dimension_order").saturation, 0.25, "transpose 6");
}

#[test]
fn full_meshes() {
    // n switches, each pair with a cable of its own that carries 1/n of a host's traffic: saturation n. By two hops,
    // the other n-2 switches could carry more, but all capacity is used by shortest paths already.
    for n in [2_u32, 3, 5, 8] {
        let spec = format!("full_mesh:{n}");
        let uniform = cell(&spec, "uniform", "bfs");
        close(uniform.saturation, f64::from(n), &spec);
        near(best(&uniform), f64::from(n), &spec);
        let all = cell(&spec, "all_to_all", "bfs");
        close(all.saturation, f64::from(n) - 1.0, &spec);
        if n > 2 {
            // A permutation without fixed points takes n of the n(n-1) arcs directly, one for each source. What else a
            // source sends takes a detour of two arcs; n(n-2) arcs are left for the n sources: (n-2)/2 each.
            let neighbour = cell(&spec, "neighbour", "bfs");
            close(neighbour.saturation, 1.0, &spec);
            near(best(&neighbour), 1.0 + (f64::from(n) - 2.0) / 2.0, &spec);
        }
    }
}

/// A full tree carries whatever its hosts send, if every destination has a root of its own: the classes know their
/// hosts.
#[test]
fn full_trees_are_full() {
    for spec in ["fat_tree2:8", "fat_tree3:4", "kary_ntree:k=3,n=3"] {
        let topology = mopsim::topology::build(spec).expect(spec);
        let network = Network::new(topology, None, None, Speeds::of(Version::V0_1), &Default::default()).expect(spec);
        let answers = |pattern: &str| {
            let routings = ["d_mod_k", "split", "bfs"].map(str::to_owned);
            evaluate(&network, pattern, &routings, &ThroughputOptions::default()).expect(spec)
        };
        // Neighbours on one leaf need no cable, the last of them crosses: a shift by one host.
        for pattern in ["neighbour", "mirror", "uniform"] {
            let cells = answers(pattern);
            close(cells[1].saturation, 1.0, &format!("{spec} {pattern} split"));
            if pattern != "mirror" {
                close(cells[0].saturation, 1.0, &format!("{spec} {pattern}"));
                close(cells[0].fair.as_ref().map(|fair| fair.level.min), 1.0, &format!("{spec} {pattern}"));
            }
            assert_eq!((cells[0].flows, cells[0].flows_to_self), (cells[2].flows, cells[2].flows_to_self), "{spec}");
        }
        // All by the lowest root.
        assert!(answers("uniform")[2].saturation.expect("a saturation") < 0.5, "{spec}");
    }
}

#[test]
fn hosts_links_hold_what_the_network_could_carry() {
    let with = |spec: &str, hosts: u32, pattern: &str| {
        let topology = mopsim::topology::build(spec).expect(spec);
        let count = mopsim::platform::HostsPerSwitch::Uniform(hosts);
        let network =
            Network::new(topology, Some(count), None, Speeds::of(Version::V0_1), &Default::default()).expect(spec);
        evaluate(&network, pattern, &["bfs".to_owned()], &ThroughputOptions::default()).expect(spec).remove(0)
    };
    // A full mesh of 8 could carry 8 times as much, but a host sends no more than its link carries.
    let mesh = with("full_mesh:8", 1, "uniform");
    close(mesh.saturation, 1.0, "mesh");
    close(mesh.network_saturation, 8.0, "mesh");
    // 15 hosts send to one, whose link is shared by them.
    let incast = with("full_mesh:16", 1, "incast");
    close(incast.saturation, 1.0 / 15.0, "incast");
    assert_eq!((incast.senders, incast.flows), (15, 15));
    close(Some(incast.fair.expect("kept").accepted), 1.0 / 15.0, "incast");
    // Two switches, two hosts each, all to their opposite: both flows of a direction share the cable.
    let pair = with("full_mesh:2", 2, "mirror");
    close(pair.saturation, 0.5, "pair");
    close(pair.bounds.cut, 0.5, "pair");
    // Hosts 0 to 3 on switch 0, 4 to 7 on switch 1; incast to 0 from all: three flows stay within the switch. The link
    // of host 0 carries 7 flows, so the cable, which carries 4 of them, is not full.
    let near = with("full_mesh:2", 4, "incast");
    close(near.saturation, 1.0 / 7.0, "near");
    close(near.network_saturation, 0.25, "near");
    assert!(near.fair.expect("kept").held_by_network < 1e-12);
}

#[test]
fn shared_duplex_halves_what_goes_both_ways() {
    let of = |duplex| {
        let speeds = Speeds { host: None, duplex, ..Speeds::of(Version::V0_1) };
        let topology = mopsim::topology::build("ring:8").expect("a ring");
        let network = Network::new(topology, None, None, speeds, &Default::default()).expect("a network");
        let all = |pattern| {
            evaluate(&network, pattern, &["split".to_owned()], &ThroughputOptions::default())
                .expect("an answer")
                .remove(0)
        };
        (all("uniform"), all("neighbour"))
    };
    let (full, shared) = (of(mopsim::platform::Duplex::Full), of(mopsim::platform::Duplex::Shared));
    close(full.0.saturation, 1.0, "full");
    close(shared.0.saturation, 0.5, "shared");
    near(best(&shared.0), 0.5, "shared");
    // To the next host every cable carries one flow, so nothing is lost; and there is no free way back.
    close(shared.1.saturation, 1.0, "shared neighbour");
    near(best(&shared.1), 1.0, "shared neighbour");
    assert_eq!(shared.1.bottlenecks[0].link, "0--1");
}

#[test]
fn fair_rates_of_a_parking_lot_by_hand() {
    // A line 0 - 1 - 2 - 3 with hosts on all; every host sends to the last. Link 2->3 carries three flows, so each gets
    // 1/3; the others are not full. The fourth flow stays on its switch.
    let line = cell("mesh:4", "hotspot:nodes=[3]", "bfs");
    let fair = line.fair.as_ref().expect("kept");
    close(Some(fair.level.max), 1.0 / 3.0, "line");
    assert_eq!(fair.unbound, 1);
    assert_eq!(line.bottlenecks[0].link, "2->3");
    close(line.saturation, 1.0 / 3.0, "line");
    close(Some(line.zero_load.mean_hops), (3.0 + 2.0 + 1.0) / 4.0, "line");
    // 60 ns per switch and 5 ns per metre of 2 m cables: 300 + 60 + hops * 70.
    close(Some(line.zero_load.max), 570e-9, "line");
    close(Some(line.zero_load.bare_max), 540e-9, "line");
    // M/D/1 by hand at half of saturation (each host sends 1/6): utilisations 1/6, 2/6, 3/6 on the three links, S =
    // 1056 B / 12 GB/s = 88 ns; of 4 flows 1, 2 and 3 pass them: (1 * 1/10 + 2 * 1/4 + 3 * 1/2) / 4 * 88 ns of waiting.
    let point = line.load_latency.iter().find(|p| (p.injection - 1.0 / 6.0).abs() < 1e-12).expect("half of saturation");
    let expected = line.zero_load.mean + 88e-9 + (0.1 + 0.5 + 1.5) / 4.0 * 88e-9;
    close(Some(point.latency), expected, "queues");
}
