//! The allocation is checked by its certificate: prices of which every rate follows, on links that are full.

use super::{Proportional, TOLERANCE};
use crate::ids::LinkId;
use crate::network::sharing::{FlowId, PathId, Sharing};
use crate::platform::SharingPolicy;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

fn system(capacities: &[f64]) -> Proportional {
    Proportional::new(capacities.iter().map(|&capacity| (capacity, SharingPolicy::Shared)))
}

fn path(system: &mut Proportional, links: &[u32]) -> PathId {
    let elements: Vec<(LinkId, f64)> = links.iter().map(|&link| (LinkId(link), 1.0)).collect();
    system.add_path(&elements)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-8 * a.abs().max(b.abs())
}

/// Checks the conditions of Kuhn and Tucker, which are sufficient, since the sum of logarithms is concave.
fn check(system: &Proportional, flows: &[(FlowId, f64, f64, PathId)]) {
    for (number, link) in system.links.iter().enumerate() {
        let load = system.exact_load(number as u32);
        assert!(load <= link.capacity * (1.0 + 2.0 * TOLERANCE), "link {number} carries {load} of {}", link.capacity);
        assert!(link.price >= 0.0);
        if link.price > 0.0 {
            assert!(load >= link.capacity * (1.0 - 2.0 * TOLERANCE), "link {number} has a price and room: {load}");
        }
    }
    for &(flow, penalty, bound, path) in flows {
        let charge: f64 = system.elements[system.path(path.0)]
            .iter()
            .map(|e| e.consumption * system.links[e.link as usize].price)
            .sum();
        let alone = system.elements[system.path(path.0)]
            .iter()
            .map(|e| system.links[e.link as usize].capacity / e.consumption)
            .fold(bound, f64::min);
        let rate = (1.0 / (penalty * charge)).min(alone);
        assert!(close(rate, system.value(flow)), "{rate} by prices, {} allocated", system.value(flow));
    }
}

/// A flow over n links, with one flow of its own on each: it gets 1 / (1 + n), where max-min sharing gives it a half.
#[test]
fn a_long_flow_gets_less_than_the_short_ones() {
    for n in 1..=40 {
        let mut lot = system(&vec![6.0; n]);
        let all: Vec<u32> = (0..n as u32).collect();
        let long = path(&mut lot, &all);
        let long = lot.start(long, 1.0, f64::INFINITY);
        let short: Vec<FlowId> = all
            .iter()
            .map(|&link| {
                let path = path(&mut lot, &[link]);
                lot.start(path, 1.0, f64::INFINITY)
            })
            .collect();
        lot.solve();
        let share = 6.0 / (1 + n) as f64;
        assert!(close(lot.value(long), share), "{n}: {} instead of {share}", lot.value(long));
        assert!(short.iter().all(|&flow| close(lot.value(flow), 6.0 - share)));
        assert_eq!(lot.changed().len(), n + 1);
    }
}

#[test]
fn flows_on_one_link_share_by_weight_below_their_bounds() {
    let mut one = system(&[12.0]);
    let path = path(&mut one, &[0]);
    let [a, b, c] =
        [(1.0, f64::INFINITY), (2.0, f64::INFINITY), (0.25, 3.0)].map(|(p, bound)| one.start(path, p, bound));
    one.solve();
    assert!(close(one.value(a), 6.0) && close(one.value(b), 3.0) && one.value(c) == 3.0);
    one.stop(a);
    one.solve();
    assert!(close(one.value(b), 9.0) && one.value(c) == 3.0);
    assert!(close(one.load(LinkId(0)), 1.0));
    one.stop(b);
    one.solve();
    assert_eq!((one.value(c), one.load(LinkId(0))), (3.0, 0.25));
}

/// The optimum of two equal links with flows 1, 2 and both, in closed form, with unequal weights.
#[test]
fn weights_count_as_so_many_flows() {
    let mut lot = system(&[1.0, 1.0]);
    let (both, first, second) = (path(&mut lot, &[0, 1]), path(&mut lot, &[0]), path(&mut lot, &[1]));
    // Weights 3, 1, 1: the long flow has x with 3 / x = 2 / (1 - x).
    let long = lot.start(both, 1.0 / 3.0, f64::INFINITY);
    lot.start(first, 1.0, f64::INFINITY);
    lot.start(second, 1.0, f64::INFINITY);
    lot.solve();
    assert!(close(lot.value(long), 0.6), "{}", lot.value(long));
}

/// Local messages have no links, and a fat pipe bounds each flow alone.
#[test]
fn flows_that_share_nothing_run_at_their_bounds() {
    let links = [(10.0, SharingPolicy::Shared), (3.0, SharingPolicy::FatPipe)];
    let mut system = Proportional::new(links);
    let paths = [&[][..], &[1], &[0, 1]].map(|links| path(&mut system, links));
    let flows = paths.map(|path| system.start(path, 1.0, 5.0));
    let second = system.start(paths[1], 1.0, 2.0);
    assert!(flows.iter().all(|&flow| system.value(flow) == 0.0), "rates are those of the last solution");
    system.solve();
    assert_eq!(flows.map(|flow| system.value(flow)), [5.0, 3.0, 3.0]);
    assert_eq!((system.value(second), system.load(LinkId(0)), system.load(LinkId(1))), (2.0, 0.3, 0.0));
}

/// All flows are coupled, and speeds differ by up to twelve orders of magnitude.
#[test]
fn large_sets_of_unequal_links_end_at_the_optimum() {
    for (seed, span) in [(1, 0.0), (2, 1.0), (3, 6.0), (4, 12.0)] {
        let mut random = SmallRng::seed_from_u64(seed);
        let capacities: Vec<f64> = (0..300).map(|_| 10_f64.powf(random.random_range(0.0..=span))).collect();
        let mut system = system(&capacities);
        let mut flows = Vec::new();
        for round in 0..20 {
            for _ in 0..40 {
                let mut on: Vec<u32> = (0..random.random_range(2..9)).map(|_| random.random_range(0..300)).collect();
                on.sort_unstable();
                on.dedup();
                let path = path(&mut system, &on);
                flows.push((system.start(path, 1.0, f64::INFINITY), 1.0, f64::INFINITY, path));
            }
            for _ in 0..round {
                let (flow, ..) = flows.swap_remove(random.random_range(0..flows.len()));
                system.stop(flow);
            }
            system.solve();
            check(&system, &flows);
        }
    }
}

#[test]
fn any_order_of_comings_and_goings_ends_at_the_optimum() {
    for seed in 0..200 {
        let mut random = SmallRng::seed_from_u64(seed);
        let links = random.random_range(1..30);
        let capacities: Vec<f64> =
            (0..links).map(|_| if seed % 2 == 0 { 10.0 } else { random.random_range(1.0..100.0) }).collect();
        let mut system = system(&capacities);
        let paths: Vec<PathId> = (0..40)
            .map(|_| {
                let length = random.random_range(1..=links.min(7));
                let mut on: Vec<u32> = Vec::new();
                while on.len() < length {
                    let link = random.random_range(0..links as u32);
                    if !on.contains(&link) {
                        on.push(link);
                    }
                }
                let part = |at: usize| if seed % 3 == 0 && at % 3 == 2 { 0.05 } else { 1.0 };
                let elements: Vec<(LinkId, f64)> =
                    on.iter().enumerate().map(|(at, &link)| (LinkId(link), part(at))).collect();
                system.add_path(&elements)
            })
            .collect();
        let mut flows: Vec<(FlowId, f64, f64, PathId)> = Vec::new();
        for _ in 0..60 {
            for _ in 0..random.random_range(1..8) {
                if random.random_bool(0.55) || flows.is_empty() {
                    let path = paths[random.random_range(0..paths.len())];
                    let penalty = if seed % 4 < 2 { 1.0 } else { random.random_range(0.1..10.0) };
                    let bound = if random.random_bool(0.8) { f64::INFINITY } else { random.random_range(0.5..5.0) };
                    flows.push((system.start(path, penalty, bound), penalty, bound, path));
                } else {
                    let (flow, ..) = flows.swap_remove(random.random_range(0..flows.len()));
                    system.stop(flow);
                }
            }
            system.solve();
            check(&system, &flows);
        }
    }
}
