//! The packet routing of DSN-F against a walk that is written from the description of its labels.

use mopsim::packets::parameters::{HostPort, Parameters};
use mopsim::packets::routing::{self, At, Candidate, Head};
use mopsim::packets::wiring::Wiring;
use mopsim::packets::{PacketError, deadlock};
use mopsim::topology;
use std::sync::Arc;

/// Networks of one to four layers, complete and not: switches and p.
const SIZES: [(u32, u32); 9] = [(2, 1), (8, 2), (24, 3), (32, 3), (48, 3), (128, 4), (150, 4), (256, 4), (160, 5)];

fn wiring(n: u32, p: u32) -> Arc<Wiring> {
    let topology = topology::build(&format!("dsnf:n={n},p={p},strict=false")).unwrap();
    Arc::new(Wiring::new(Arc::new(topology), None, HostPort::Own, 1).unwrap())
}

/// The switches of a route. Labels are (level from 0, layer, super-node), numbers are `layer * p * 2^p + super-node * p +
/// level`.
fn walk(n: u32, p: u32, from: u32, to: u32) -> Vec<u32> {
    let (size, nodes) = (p << p, 1 << p);
    let (mut level, mut layer, mut node) = (from % p, from / size, from % size / p);
    let (goal_level, goal_layer, goal_node) = (to % p, to / size, to % size / p);
    let mut path = vec![from];
    let mut visit = |level: u32, layer: u32, node: u32| {
        let switch = layer * size + node * p + level;
        assert!(switch < n);
        path.push(switch);
    };
    if from == to {
        return path;
    }
    while layer > 0 {
        layer -= 1;
        visit(level, layer, node);
    }
    let ring = |level: &mut u32, wanted: u32, node: u32, visit: &mut dyn FnMut(u32, u32, u32)| {
        let up = (wanted + p - *level) % p;
        let steps = if 2 * up <= p { up } else { p - up };
        for _ in 0..steps {
            *level = if 2 * up <= p { (*level + 1) % p } else { (*level + p - 1) % p };
            visit(*level, 0, node);
        }
    };
    let span = |level: u32| 1 << (p - 1 - level);
    // The level whose shortcut is the longest that is not too long; the last level leads to the next super-node.
    let wanted = |node: u32| (0..p).find(|&level| span(level) <= (goal_node + nodes - node) % nodes);
    if let Some(first) = wanted(node) {
        ring(&mut level, first, node, &mut visit);
    }
    while let Some(next) = wanted(node) {
        if level == next {
            node = (node + span(level)) % nodes;
            level = (level + 1) % p;
        } else {
            level = (level + 1) % p;
        }
        visit(level, 0, node);
    }
    ring(&mut level, goal_level, node, &mut visit);
    while layer < goal_layer {
        layer += 1;
        visit(level, layer, node);
    }
    path
}

#[test]
fn packets_follow_the_printed_route() {
    let mut longest = 0;
    for (n, p) in SIZES {
        let wiring = wiring(n, p);
        let (rule, vcs) = routing::build_with("dsnf", &wiring, None, 1).unwrap();
        let most = (0..n).map(|s| wiring.outputs(s)).max().unwrap();
        let loads = vec![0; most as usize];
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(from, to)| from != to) {
            let mut head = Head { to, target: to, hops: 0, created: 0, note: 0, phase: 0 };
            let (mut at, mut cable, mut path) = (from, None, vec![from]);
            while at != to {
                let place = At { switch: at, cable, vc: 0, loads: &loads, seed: 1 };
                let mut more = Vec::new();
                let Candidate { output, lowest, highest, .. } = rule.route(&place, &mut head, &mut more);
                assert!(more.is_empty() && lowest <= highest && u32::from(highest) < vcs);
                let end = wiring.far_end(at, u32::from(output) - wiring.first_cable(at));
                (at, cable) = (end.switch, Some(end.cable));
                head.hops += 1;
                path.push(at);
            }
            let mut expected = walk(n, p, from, to);
            // A packet is delivered when it first comes to its switch, which the printed route may pass.
            let arrival = expected.iter().position(|&switch| switch == to).unwrap();
            expected.truncate(arrival + 1);
            assert_eq!(path, expected, "n = {n}, p = {p}");
            longest = longest.max(path.len() - 1);
            assert!(path.len() as u32 - 1 <= 2 * (p + n.div_ceil(p << p) - 1));
        }
    }
    assert!(longest >= 10);
}

/// The channels that packets may wait for have no cycle, with the four that the rule needs and with more; with one fewer
/// it is refused.
#[test]
fn its_channels_have_no_cycle() {
    for (n, p) in SIZES {
        let wiring = wiring(n, p);
        for vcs in [4, 6, 9] {
            let rule = routing::build("dsnf", &wiring, vcs, 1).unwrap();
            let parameters = Parameters { vcs, ..Parameters::default() };
            match deadlock::check(&wiring, &*rule, "dsnf", &parameters) {
                Ok(deadlock::Freedom::Acyclic { dependencies, .. }) => assert!(dependencies > 0 || n == 2),
                other => panic!("n = {n}, p = {p}, {vcs} channels: {other:?}"),
            }
        }
        let refused = routing::build("dsnf", &wiring, 3, 1).map(|_| ());
        assert!(matches!(refused, Err(PacketError::TooFewVcs { needed: 4, .. })), "{refused:?}");
    }
}

/// With fewer classes the check finds a cycle, so the four classes are no more than a proof needs here: on one channel the
/// ring of levels waits for itself.
#[test]
fn one_channel_has_a_cycle() {
    struct Single(Box<dyn routing::Rule>);
    impl routing::Rule for Single {
        fn route(&self, at: &At<'_>, head: &mut Head, more: &mut Vec<Candidate>) -> Candidate {
            Candidate { lowest: 0, highest: 0, ..self.0.route(at, head, more) }
        }
        fn vcs_needed(&self) -> u32 {
            1
        }
    }
    let wiring = wiring(128, 4);
    let rule = Single(routing::build("dsnf", &wiring, 4, 1).unwrap());
    let parameters = Parameters { vcs: 1, ..Parameters::default() };
    let refused = deadlock::check(&wiring, &rule, "dsnf", &parameters);
    assert!(matches!(refused, Err(PacketError::CyclicDependency { .. })), "{refused:?}");
}
