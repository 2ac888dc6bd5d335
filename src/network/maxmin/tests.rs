//! Small cases worked out by hand, and random systems against a plain global implementation.

use super::MaxMin;
use super::rounding::TOLERANCE;
use crate::ids::LinkId;
use crate::network::sharing::{FlowId, PathId, Sharing};
use crate::platform::SharingPolicy;
use proptest::prelude::*;

fn system(capacities: &[f64]) -> MaxMin {
    MaxMin::new(capacities.iter().map(|&c| (c, SharingPolicy::Shared)))
}

fn path(system: &mut MaxMin, links: &[u32]) -> PathId {
    let elements: Vec<(LinkId, f64)> = links.iter().map(|&l| (LinkId(l), 1.0)).collect();
    system.add_path(&elements)
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[test]
fn a_long_flow_and_two_short_ones() {
    // Links of 1 and 2. The long flow and the first short one share link 0: 1/2 each. The second short one gets what
    // is left of link 1: 3/2.
    let mut s = system(&[1.0, 2.0]);
    let (both, first, second) = (path(&mut s, &[0, 1]), path(&mut s, &[0]), path(&mut s, &[1]));
    let long = s.start(both, 1.0, f64::INFINITY);
    let short = s.start(first, 1.0, f64::INFINITY);
    let other = s.start(second, 1.0, f64::INFINITY);
    s.solve();
    assert_eq!([s.value(long), s.value(short), s.value(other)], [0.5, 0.5, 1.5]);
    // Without the long flow each short one has its link alone.
    s.stop(long);
    s.solve();
    assert_eq!([s.value(short), s.value(other)], [1.0, 2.0]);
    assert_eq!(s.changed().len(), 2);
}

#[test]
fn shares_are_inversely_proportional_to_penalties() {
    let mut s = system(&[3.0]);
    let p = path(&mut s, &[0]);
    let (near, far) = (s.start(p, 1.0, f64::INFINITY), s.start(p, 2.0, f64::INFINITY));
    s.solve();
    assert!(close(s.value(near), 2.0) && close(s.value(far), 1.0));
}

#[test]
fn what_a_bounded_flow_leaves_goes_to_the_others() {
    let mut s = system(&[3.0]);
    let p = path(&mut s, &[0]);
    let (slow, fast) = (s.start(p, 1.0, 0.5), s.start(p, 1.0, f64::INFINITY));
    s.solve();
    assert_eq!([s.value(slow), s.value(fast)], [0.5, 2.5]);
}

#[test]
fn cross_traffic_slows_two_opposite_flows_to_1_over_1_05() {
    let mut s = system(&[1.0, 1.0]);
    let there = s.add_path(&[(LinkId(0), 1.0), (LinkId(1), 0.05)]);
    let back = s.add_path(&[(LinkId(1), 1.0), (LinkId(0), 0.05)]);
    let a = s.start(there, 1.0, 1.0);
    s.solve();
    assert_eq!(s.value(a), 1.0);
    let b = s.start(back, 1.0, 1.0);
    s.solve();
    assert!(close(s.value(a), 1.0 / 1.05) && close(s.value(b), 1.0 / 1.05));
}

#[test]
fn a_change_spreads_as_far_as_it_matters_and_no_further() {
    // A chain of links, a flow over each pair of neighbours, and one flow that comes and goes at the end. Links of
    // very different capacity stop the change after the first.
    let mut s = system(&[1.0, 10.0, 100.0]);
    let flows =
        [path(&mut s, &[0, 1]), path(&mut s, &[1, 2]), path(&mut s, &[2])].map(|p| s.start(p, 1.0, f64::INFINITY));
    s.solve();
    assert_eq!(flows.map(|f| s.value(f)), [1.0, 9.0, 91.0]);
    let p = path(&mut s, &[2]);
    let visitor = s.start(p, 1.0, f64::INFINITY);
    s.solve();
    assert_eq!(flows.map(|f| s.value(f)), [1.0, 9.0, 45.5]);
    assert_eq!(s.changed().len(), 2);
    s.stop(visitor);
    s.solve();
    assert_eq!(flows.map(|f| s.value(f)), [1.0, 9.0, 91.0]);
}

#[test]
fn flows_of_a_fat_pipe_do_not_disturb_each_other_but_the_heavier_one_sets_the_level() {
    // Two flows of penalty 2 and 3 in one pipe, the first also alone in another one: both pipes fill up at level 2, and
    // the second flow stops there, at 2/3 (a rule of SimGrid's solver).
    let mut s = MaxMin::new([(1.0, SharingPolicy::FatPipe), (1.0, SharingPolicy::FatPipe)]);
    let (both, one) = (path(&mut s, &[1, 0]), path(&mut s, &[0]));
    let (light, heavy) = (s.start(one, 3.0, 1.0), s.start(both, 2.0, 1.0));
    s.solve();
    assert!(close(s.value(heavy), 1.0) && close(s.value(light), 2.0 / 3.0));
}

#[test]
fn sums_survive_the_subtraction_of_terms_that_are_larger_step_by_step() {
    // Each bounded flow weighs 5,000 times as much as the next one; what is left at the end is the weight of the last
    // flow alone, and not the rounding errors of the others.
    let mut s = system(&[1.0]);
    let p = path(&mut s, &[0]);
    let bounds: Vec<f64> = (0..4).map(|i| 0.1 / f64::from(3 + i)).collect();
    let bounded: Vec<FlowId> = bounds.iter().enumerate().map(|(i, b)| s.start(p, 5000f64.powi(i as i32), *b)).collect();
    let last = s.start(p, 5000f64.powi(4), 1.0);
    s.solve();
    for (flow, bound) in bounded.iter().zip(&bounds) {
        assert!(close(s.value(*flow), *bound));
    }
    assert!(close(s.value(last), 1.0 - bounds.iter().sum::<f64>()));
}

#[test]
fn a_fat_pipe_takes_a_crowd() {
    let mut s = MaxMin::new([(1.0, SharingPolicy::FatPipe)]);
    let p = path(&mut s, &[0]);
    let flows: Vec<FlowId> = (0..100_000).map(|_| s.start(p, 1.0, 1.0)).collect();
    s.solve();
    assert!(flows.iter().all(|f| s.value(*f) == 1.0));
}

#[test]
fn a_path_without_links_gives_the_bound() {
    let mut s = system(&[1.0]);
    let p = s.add_path(&[]);
    let f = s.start(p, 1.0, 7.0);
    s.solve();
    assert_eq!(s.value(f), 7.0);
}

/// A flow: its links with its weight on each, its penalty, its bound.
pub(super) type Flow = (Vec<(u32, f64)>, f64, f64);

/// Oracle: allocates everything from scratch, one flow after another, by the definition.
pub(super) fn global(capacity: &[(f64, SharingPolicy)], flows: &[Flow]) -> Vec<f64> {
    let mut value: Vec<Option<f64>> = flows.iter().map(|f| f.0.is_empty().then_some(f.2)).collect();
    while value.iter().any(Option::is_none) {
        let level_of = |link: usize| {
            let on = |f: &(Vec<(u32, f64)>, f64, f64)| f.0.iter().find(|e| e.0 as usize == link).map_or(0.0, |e| e.1);
            let open = || flows.iter().zip(&value).filter(|(_, v)| v.is_none()).map(|(f, _)| on(f) / f.1);
            let used: f64 = flows.iter().zip(&value).filter_map(|(f, v)| v.map(|v| v * on(f))).sum();
            match capacity[link].1 {
                SharingPolicy::Shared => ((capacity[link].0 - used).max(0.0), open().sum::<f64>()),
                SharingPolicy::FatPipe => (capacity[link].0, open().fold(0.0, f64::max)),
            }
        };
        let levels: Vec<f64> = (0..capacity.len())
            .map(level_of)
            .map(|(left, usage)| if usage > 0.0 { left / usage } else { f64::INFINITY })
            .collect();
        let level = levels.iter().copied().fold(f64::INFINITY, f64::min);
        let full = |link: u32| levels[link as usize] == level;
        let here: Vec<usize> =
            (0..flows.len()).filter(|&f| value[f].is_none() && flows[f].0.iter().any(|e| full(e.0))).collect();
        let bounded: Vec<usize> = here.iter().copied().filter(|&f| flows[f].2 * flows[f].1 < level).collect();
        if bounded.is_empty() {
            here.iter().for_each(|&f| value[f] = Some(level / flows[f].1));
        } else {
            bounded.iter().for_each(|&f| value[f] = Some(flows[f].2));
        }
    }
    value.into_iter().map(|v| v.expect("all are settled")).collect()
}

fn flow(links: u32) -> impl Strategy<Value = Flow> {
    let element = (0..links, prop::sample::select(vec![1.0, 0.05, 1.05, 2.0]));
    // Penalties span twelve orders of magnitude: a flow without latency has 1, another one perhaps 1e-6.
    (prop::collection::vec(element, 0..5), 1u32..40, -6i32..6, 1u32..60).prop_map(
        |(mut elements, penalty, exponent, bound)| {
            elements.sort_by_key(|e| e.0);
            elements.dedup_by_key(|e| e.0);
            (elements, f64::from(penalty) * 10f64.powi(exponent), f64::from(bound) * 0.25)
        },
    )
}

/// The remainder of a sum after a huge bound was added and removed must not pass for the sum of the others.
#[test]
fn a_huge_bound_comes_and_goes() {
    let mut s = system(&[1.0, 1e18]);
    let (here, both) = (path(&mut s, &[0]), s.add_path(&[(LinkId(1), 1.0), (LinkId(0), 0.05)]));
    for (visitor, bound) in [(here, 1e20), (both, 1e18), (here, f64::INFINITY)] {
        let first = s.start(here, 1.0, 0.75);
        let visitor = s.start(visitor, 1.0, bound);
        let second = s.start(here, 1.0, 0.75);
        s.solve();
        s.stop(visitor);
        s.solve();
        assert_eq!([s.value(first), s.value(second)], [0.5, 0.5]);
        s.stop(first);
        s.stop(second);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Flows come and go in random order; after each instant the local repair equals the global solution.
    #[test]
    fn local_repair_equals_the_global_solution(
        (links, events) in (1u32..40).prop_flat_map(|links| (
            prop::collection::vec((1u32..50, prop::bool::weighted(0.05)), links as usize),
            prop::collection::vec((flow(links), prop::bool::ANY, 0usize..64, prop::bool::weighted(0.7)), 1..80),
        ))
    ) {
        let capacity: Vec<(f64, SharingPolicy)> = links
            .iter()
            .map(|&(c, fat)| (f64::from(c), if fat { SharingPolicy::FatPipe } else { SharingPolicy::Shared }))
            .collect();
        let mut s = MaxMin::new(capacity.iter().copied());
        let mut present: Vec<(FlowId, Flow)> = Vec::new();
        for (spec, leave, which, solve_now) in events {
            if leave && !present.is_empty() {
                let (id, _) = present.remove(which % present.len());
                s.stop(id);
            } else {
                let elements: Vec<(LinkId, f64)> = spec.0.iter().map(|e| (LinkId(e.0), e.1)).collect();
                let path = s.add_path(&elements);
                let id = s.start(path, spec.1, spec.2);
                present.push((id, spec));
            }
            if solve_now {
                s.solve();
                let flows: Vec<Flow> = present.iter().map(|p| p.1.clone()).collect();
                // The remainder on a full link is only known to within the slack for full links: a flow that gets a
                // millionth of a link has a millionth of the precision.
                let slack = TOLERANCE * capacity.iter().fold(0.0, |most, c| c.0.max(most));
                for ((id, _), expected) in present.iter().zip(global(&capacity, &flows)) {
                    let value = s.value(*id);
                    prop_assert!(close(value, expected) || (value - expected).abs() <= slack, "{value} is not {expected}");
                }
                for (link, &(c, policy)) in capacity.iter().enumerate() {
                    if policy == SharingPolicy::Shared {
                        prop_assert!(s.system.load(LinkId(link as u32)) <= c * (1.0 + 1e-9));
                    }
                }
            }
        }
    }

    /// Links lose few, many or all of their flows together, and get others afterwards.
    #[test]
    fn leaving_together_is_the_same_as_one_by_one(
        flows in prop::collection::vec((flow(12), 0u32..4), 40..120),
        late in prop::collection::vec(flow(12), 0..4),
    ) {
        let run = |together: bool| {
            let mut s = system(&[7.0; 12]);
            let start = |s: &mut MaxMin, flow: &Flow| {
                let path = s.add_path(&flow.0.iter().map(|e| (LinkId(e.0), e.1)).collect::<Vec<_>>());
                s.start(path, flow.1, flow.2)
            };
            let ids: Vec<FlowId> = flows.iter().map(|(flow, _)| start(&mut s, flow)).collect();
            s.solve();
            // Some have no rate yet.
            let mut present: Vec<FlowId> = late.iter().map(|flow| start(&mut s, flow)).collect();
            let (stay, mut leave): (Vec<_>, Vec<_>) = ids.iter().zip(&flows).partition(|(_, (_, kind))| *kind == 0);
            present.extend(stay.into_iter().map(|(id, _)| *id));
            // Flows over the first link leave as well.
            leave.retain(|(_, (flow, kind))| *kind > 1 || flow.0.iter().any(|e| e.0 == 0));
            let gone: Vec<FlowId> = leave.into_iter().map(|(id, _)| *id).collect();
            if together {
                s.stop_all(&gone);
            } else {
                gone.iter().for_each(|&flow| s.stop(flow));
            }
            s.solve();
            present.extend(flows[..9].iter().map(|(flow, _)| start(&mut s, flow)));
            s.solve();
            present.into_iter().map(|flow| s.value(flow)).collect::<Vec<f64>>()
        };
        for (one_by_one, together) in run(false).into_iter().zip(run(true)) {
            prop_assert!(close(one_by_one, together), "{one_by_one} is not {together}");
        }
    }

    /// Capacities, bounds and values have one unit: scaling it scales the solution.
    #[test]
    fn the_unit_does_not_matter(flows in prop::collection::vec(flow(6), 1..20), exponent in -20i32..20) {
        let scale = 2f64.powi(exponent);
        let solve = |scale: f64| {
            let mut s = system(&[3.0, 5.0, 7.0, 11.0, 13.0, 17.0].map(|c| c * scale));
            let ids: Vec<FlowId> = flows
                .iter()
                .map(|f| {
                    let elements: Vec<(LinkId, f64)> = f.0.iter().map(|e| (LinkId(e.0), e.1)).collect();
                    let path = s.add_path(&elements);
                    s.start(path, f.1, f.2 * scale)
                })
                .collect();
            s.solve();
            ids.into_iter().map(|f| s.value(f)).collect::<Vec<f64>>()
        };
        for (a, b) in solve(1.0).into_iter().zip(solve(scale)) {
            prop_assert!(close(a * scale, b));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// One event moves many flows: sets are large, grow while the level rises, and their links are kept in a heap.
    #[test]
    fn large_sets_equal_the_global_solution(
        flows in prop::collection::vec((prop::collection::vec(0u32..70, 1..6), 1u32..4, 1u32..200), 60..120),
        fat in prop::option::weighted(0.2, 0u32..70),
    ) {
        let policy = |link| if Some(link) == fat { SharingPolicy::FatPipe } else { SharingPolicy::Shared };
        let capacity: Vec<(f64, SharingPolicy)> = (0..70).map(|link| (f64::from(10 + link % 3), policy(link))).collect();
        let mut s = MaxMin::new(capacity.iter().copied());
        let mut present: Vec<(FlowId, Flow)> = Vec::new();
        for (mut links, penalty, bound) in flows {
            links.sort_unstable();
            links.dedup();
            // The last link of some is on their way back, and hardly used.
            let share = |at: usize| if at == 3 { 0.05 } else { 1.0 };
            let spec: Flow = (
                links.iter().enumerate().map(|(at, &link)| (link, share(at))).collect(),
                f64::from(penalty),
                f64::from(bound) * 0.25,
            );
            let path = s.add_path(&spec.0.iter().map(|e| (LinkId(e.0), e.1)).collect::<Vec<_>>());
            present.push((s.start(path, spec.1, spec.2), spec));
        }
        while present.len() > 45 {
            s.solve();
            // The oracle is slow.
            if present.len().is_multiple_of(7) {
                let flows: Vec<Flow> = present.iter().map(|p| p.1.clone()).collect();
                for ((id, _), expected) in present.iter().zip(global(&capacity, &flows)) {
                    prop_assert!(close(s.value(*id), expected), "{} is not {expected}", s.value(*id));
                }
            }
            s.stop(present.swap_remove(present.len() / 2).0);
        }
    }
}
