//! Hosts with several ports: loads against the routes of platforms, and planes that add up.

use super::traffic;
use mopsim::ids::HostId;
use mopsim::platform::{Platform, PlatformParameters, RailPolicy};
use mopsim::throughput::{Cell, Network, Speeds, ThroughputOptions, evaluate};

fn speeds(rail: RailPolicy) -> Speeds {
    Speeds { rail, ..Speeds::default() }
}

fn answer(spec: &str, rail: RailPolicy, pattern: &str, routing: &str) -> Cell {
    let topology = mopsim::topology::build(spec).expect(spec);
    let network = Network::new(topology, None, None, speeds(rail), &Default::default()).expect(spec);
    let cells = evaluate(&network, pattern, &[routing.to_owned()], &ThroughputOptions::default());
    cells.unwrap_or_else(|error| panic!("{spec} {pattern} {routing}: {error}")).remove(0)
}

/// Load of the fullest link between switches, by the route of every message on every rail.
fn fullest(spec: &str, rail: RailPolicy, pattern: &str, routing: &str) -> f64 {
    let topology = mopsim::topology::build(spec).expect(spec);
    let network = Network::new(topology.clone(), None, None, speeds(rail), &Default::default()).expect(spec);
    let parameters = PlatformParameters { rail: Some(rail), ..PlatformParameters::default() };
    let seed = mopsim::routing::seed_for(None, &topology);
    let platform = Platform::from_topology(&topology, &parameters.check().unwrap(), routing, seed).expect(spec);
    let traffic = traffic(&network, pattern);
    let rails = topology.rails.as_ref().expect(spec).count() as u32;
    let mut loads = vec![0.0_f64; platform.links.len()];
    for source in 0..network.endpoints() {
        traffic.flows.visit(source, &mut |to, share| {
            let taken: Vec<u32> = match rail {
                RailPolicy::Destination => vec![to % rails],
                _ => (0..rails).collect(),
            };
            let (part, mut links) = (share / taken.len() as f64, Vec::new());
            for rail in taken {
                links.clear();
                assert!(source == to || platform.routes.route_on(rail, HostId(source), HostId(to), &mut links));
                links.iter().for_each(|link| loads[link.index()] += part);
            }
        });
    }
    let switches = topology.graph.arcs();
    loads[..switches].iter().copied().fold(0.0, f64::max)
}

const SPECS: [&str; 6] = [
    "rails:base=\"fat_tree2:k=4;ring:8\"",
    "rails:base=\"ring:8;fat_tree2:k=4\"",
    "rails:base=\"torus:4x4;random_regular:n=16,d=4,seed=3\"",
    "rails:base=torus:4x4,ports=2",
    "rails:base=hypercube:4,planes=2,ports=2,at=group",
    "rails:base=\"imase_itoh:n=12,d=3\",ports=3",
];

#[test]
fn loads_are_those_of_the_routes_on_all_rails() {
    for spec in SPECS {
        for rail in [RailPolicy::Message, RailPolicy::Striped, RailPolicy::Destination] {
            for (pattern, routing) in
                [("uniform", "bfs"), ("uniform", "balanced"), ("tornado", "hashed"), ("permutation", "bfs")]
            {
                let cell = answer(spec, rail, pattern, routing);
                if spec.contains("fat_tree2") && pattern == "tornado" {
                    continue;
                }
                let expected = 1.0 / fullest(spec, rail, pattern, routing);
                let found = cell.network_saturation.expect("there is traffic");
                assert!(
                    (found / expected - 1.0).abs() < 1e-9,
                    "{spec} {rail:?} {pattern} {routing}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn equal_planes_add_up() {
    for (plane, planes) in [("torus:4x4", 2_u32), ("dragonfly:a=4,h=2,p=2", 3), ("imase_itoh:n=16,d=3", 2)] {
        let several = format!("rails:base=\"{plane}\",planes={planes}");
        for (pattern, routing) in
            [("uniform", "bfs"), ("uniform", "split"), ("bit_complement", "bfs"), ("hotspot:nodes=[0,5]", "bfs")]
        {
            if pattern == "bit_complement" && plane.starts_with("dragonfly") {
                continue;
            }
            let one = answer(plane, RailPolicy::Message, pattern, routing);
            for rail in [RailPolicy::Message, RailPolicy::Striped] {
                let all = answer(&several, rail, pattern, routing);
                let times = f64::from(planes);
                let context = format!("{several} {rail:?} {pattern} {routing}");
                let same = |a: Option<f64>, b: Option<f64>| match (a, b) {
                    (Some(a), Some(b)) => assert!((a / (times * b) - 1.0).abs() < 1e-6, "{context}: {a} {b}"),
                    (a, b) => assert_eq!(a, b, "{context}"),
                };
                same(all.saturation, one.saturation);
                same(all.network_saturation, one.network_saturation);
                same(all.fair.map(|fair| fair.accepted), one.fair.as_ref().map(|fair| fair.accepted));
                same(all.bounds.host_links, one.bounds.host_links);
                same(all.bounds.path_length, one.bounds.path_length);
                same(all.bounds.cut, one.bounds.cut);
                // The linear program of all planes may be too large.
                if all.bounds.concurrent.is_some() {
                    same(
                        all.bounds.concurrent.map(|both| both.upper),
                        one.bounds.concurrent.as_ref().map(|both| both.upper),
                    );
                }
                assert_eq!(
                    (all.flows, all.flows_to_self, all.senders),
                    (one.flows, one.flows_to_self, one.senders),
                    "{context}"
                );
                assert_eq!((all.hosts, all.zero_load.max_hops), (one.hosts, one.zero_load.max_hops), "{context}");
            }
        }
    }
}

#[test]
fn the_slowest_part_holds_up_a_striped_message() {
    // A ring carries less than a full mesh: parts of their own use what the mesh has left, stripes do not.
    let spec = "rails:base=\"full_mesh:16;ring:16\"";
    let [alone, striped] =
        [RailPolicy::Message, RailPolicy::Striped].map(|rail| answer(spec, rail, "uniform", "bfs").fair.unwrap());
    let ring = answer("ring:16", RailPolicy::Message, "uniform", "bfs").fair.unwrap();
    let mesh = answer("full_mesh:16", RailPolicy::Message, "uniform", "bfs").fair.unwrap();
    assert!((alone.accepted - (ring.accepted + mesh.accepted)).abs() < 1e-9, "{alone:?} {ring:?} {mesh:?}");
    // The mesh never limits a flow, so twice as much passes as over the ring.
    assert!(striped.accepted < alone.accepted && (striped.accepted - 2.0 * ring.accepted).abs() < 1e-9, "{striped:?}");
    assert!((striped.level.min - 2.0 * ring.level.min).abs() < 1e-9, "{striped:?} {ring:?}");
    // A host that receives by one of its ports receives as much as that port carries.
    let to_one = answer("rails:base=full_mesh:16,planes=2", RailPolicy::Destination, "tornado", "bfs");
    assert_eq!(to_one.saturation, Some(1.0));
}

#[test]
fn lost_ports_are_refused_and_lost_cables_are_not() {
    let cut = "damaged:base=\"rails:base=torus:4x4,planes=2\",without=0-1";
    assert!(answer(cut, RailPolicy::Message, "uniform", "bfs").saturation.unwrap() < 2.0);
    let topology = mopsim::topology::build("damaged:base=\"rails:base=torus:4x4,planes=2\",without=3").unwrap();
    let error = Network::new(topology, None, None, Speeds::default(), &Default::default()).unwrap_err().to_string();
    assert!(error.contains("lost ports"), "{error}");
}

/// A pattern that treats all pairs alike equals a matrix of ones, which is read flow by flow.
#[test]
fn planes_with_hosts_on_other_switches_carry_all_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ones.csv");
    std::fs::write(&file, "1,1,1,1,1,1,1,1\n".repeat(8)).unwrap();
    let flows = format!("matrix:{}", file.display());
    for spec in ["rails:base=\"fat_tree2:k=4;ring:8\"", "rails:base=\"ring:8;fat_tree2:k=4\""] {
        for rail in [RailPolicy::Message, RailPolicy::Striped, RailPolicy::Destination] {
            for routing in ["bfs", "split"] {
                let [all, each] = ["uniform", &flows].map(|pattern| answer(spec, rail, pattern, routing));
                let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{spec} {rail:?} {routing}: {a} {b}");
                near(all.saturation.unwrap(), each.saturation.unwrap());
                let [all, each] = [all, each].map(|cell| cell.fair.unwrap());
                near(all.accepted, each.accepted);
                near(all.level.min, each.level.min);
            }
        }
    }
}

#[test]
fn the_lowest_fair_rate_is_the_saturation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.csv");
    std::fs::write(&file, "2,2,2\n0,0,0\n2,0,0\n").unwrap();
    let cell = answer(
        "rails:base=full_mesh:3,planes=2",
        RailPolicy::Destination,
        &format!("matrix:{}", file.display()),
        "bfs",
    );
    assert_eq!((cell.saturation, cell.fair.unwrap().level.min), (Some(1.5), 1.5));
}
