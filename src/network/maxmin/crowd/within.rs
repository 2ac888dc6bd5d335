//! Crowds that are fair within a bound: links pass on levels that have moved by more than it.
//!
//! The flows of a link run at its *kept level* L, which other links reckon with, so nothing is allocated that was not
//! passed on. Let x be the level at which they would fill what the other flows leave of the link. With a bound E, when
//! no link is left to visit:
//!
//! 1. (1 - E) x <= L <= x;
//! 2. no other flow of the link is above (1 + E) L.
//!
//! From the upper bound on L the load of the link is at most its capacity, and from the lower one at least 1 - E of it.
//! With the second condition the link is a bottleneck of its flows within E (docs/theory/sharing.md has the proof). L is
//! kept while the first condition holds, and is put in the middle of its interval otherwise, so that small moves in
//! either direction go no further.

use super::super::rounding::TOLERANCE;
use super::super::system::{Flow, System};
use super::SAME;

impl<const WATCHED: bool> System<WATCHED> {
    /// Recomputes the level of a link, which its flows would fill at `full`, unless the level may be kept.
    #[inline(never)] // Exact sharing passes here with one comparison.
    pub(super) fn level_within(&mut self, link: u32, full: f64) {
        let (bound, before) = (self.crowd.bound, self.crowd.gauges[link as usize].level);
        let is_empty = self.crowd.groups[link as usize].members.is_empty();
        let middle = 1.0 - bound / 2.0;
        let keeps =
            |full: f64| !is_empty && before <= full * (1.0 + SAME) && before >= full * (1.0 - bound) * (1.0 - SAME);
        let mut level = if keeps(full) { before } else { full * middle };
        let above = 1.0 + TOLERANCE + bound;
        if self.crowd.gauges[link as usize].highest > level * above {
            // None of these was above the level, if it is kept.
            let full = self.find_higher(link, full, middle * above);
            let others_fit = self.crowd.gauges[link as usize].highest <= before * above;
            level = match self.crowd.higher.is_empty() && keeps(full) && others_fit {
                true => before,
                false => full * middle,
            };
        }
        let higher = std::mem::take(&mut self.crowd.higher);
        if !is_empty && level != before {
            self.shift(link, level);
        }
        for (_, member) in &higher {
            self.assign(member.flow, link, level);
        }
        self.crowd.higher = higher;
    }

    /// Returns the level of a flow at its own bound if that is below `level`, and no other link stops the flow below
    /// `level`, as it does at `cap`. Only in a crowd that is fair within a bound can the latter be lower.
    #[cold]
    pub(super) fn own_cap(&self, flow: u32, cap: f64, level: f64) -> Option<f64> {
        if cap >= level {
            return None;
        }
        let Flow { bound, penalty, .. } = self.flows[flow as usize];
        Some(bound * penalty).filter(|&own| own < level * (1.0 - TOLERANCE))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::global;
    use super::super::tests::{Coupled, flow};
    use crate::ids::LinkId;
    use crate::network::sharing::{Bound, Sharing};
    use proptest::prelude::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Rounding of sums, relative to what is summed.
    const ROUNDING: f64 = 1e-11;

    fn bound(millionths: u32) -> Bound {
        Bound::from_text(&format!("{}%", f64::from(millionths) / 1e4)).expect("a bound")
    }

    /// Checks the conditions of an allocation that is fair within a bound, and that changed rates were reported.
    fn check(c: &mut Coupled, bound: f64, rates: &mut Vec<(Option<u32>, f64)>) -> Result<(), TestCaseError> {
        c.solver.solve();
        rates.resize(c.solver.system.flows.len(), (None, 0.0));
        for &flow in c.solver.changed() {
            let clock = c.solver.clock(flow);
            let level = clock.map_or(1.0, |link| c.solver.level(link));
            rates[flow.index()] = (clock, c.solver.value(flow) / level);
        }
        let mut load = vec![0.0; c.capacity.len()];
        let mut highest = vec![0.0; c.capacity.len()];
        for (id, (path, penalty, own)) in &c.present {
            let value = c.solver.value(*id);
            prop_assert!(value <= own * (1.0 + ROUNDING), "{value} is above its own bound {own}");
            let (clock, rate) = rates[id.index()];
            let reported = rate * clock.map_or(1.0, |link| c.solver.level(link));
            prop_assert!((value - reported).abs() <= 1e-9 * value, "{value} was not reported, but {reported}");
            for &(link, consumption) in path {
                load[link as usize] += consumption * value;
                highest[link as usize] = f64::max(highest[link as usize], value * penalty);
            }
        }
        for (load, (capacity, _)) in load.iter().zip(&c.capacity) {
            prop_assert!(*load <= capacity * (1.0 + ROUNDING), "{load} on a link of {capacity}");
        }
        for (id, (path, penalty, own)) in &c.present {
            let value = c.solver.value(*id);
            let limits = |&(link, _): &(u32, f64)| {
                let (link, full) = (link as usize, c.capacity[link as usize].0);
                load[link] >= full * (1.0 - bound - ROUNDING)
                    && highest[link] <= value * penalty * (1.0 + bound + ROUNDING)
            };
            let is_bound = value >= own * (1.0 - ROUNDING);
            prop_assert!(is_bound || path.iter().any(limits), "a flow of rate {value} has no bottleneck link");
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        /// Flows come and go one by one, in bursts, and so many that the crowd dissolves.
        #[test]
        fn no_link_is_over_capacity_and_every_flow_has_a_bottleneck_within_the_bound(
            flows in prop::collection::vec(flow(60), 150..220),
            moves in prop::collection::vec((0usize..1000, flow(60), 0u8..7), 40),
            more in prop::collection::vec(flow(60), 90),
            kinds in 1u32..5,
            millionths in prop::sample::select(vec![1, 100, 1000, 10_000, 50_000, 100_000]),
        ) {
            let mut c = Coupled::new((0..60).map(|link| f64::from(10 + link % kinds)));
            c.solver.permit(bound(millionths));
            let share = bound(millionths).share();
            let mut rates = Vec::new();
            flows.into_iter().for_each(|flow| c.start(flow));
            check(&mut c, share, &mut rates)?;
            c.solver.system.crowd.wanted = true;
            for (which, flow, kind) in moves {
                match kind {
                    0 | 1 => c.start(flow),
                    2 => (0..4).for_each(|at| c.stop(which + 31 * at)),
                    3 => {
                        c.stop(which);
                        c.start(flow);
                    }
                    _ => c.stop(which),
                }
                check(&mut c, share, &mut rates)?;
            }
            more.into_iter().for_each(|flow| c.start(flow));
            check(&mut c, share, &mut rates)?;
            prop_assert!(!c.solver.system.crowd.active, "a third of the flows are new");
            // Nothing is held back any more.
            c.check_values()?;
        }
    }

    /// Returns the mean and the largest relative error of rates after some of 200 completions among 500 flows on 4 of 120 links, and
    /// whether a crowd formed.
    fn errors(millionths: u32) -> (f64, f64, bool) {
        let mut rng = Pcg64::seed_from_u64(1);
        let mut c = Coupled::new((0..120).map(|_| 100.0));
        c.solver.permit(bound(millionths));
        for _ in 0..500 {
            let mut path: Vec<(u32, f64)> = (0..4).map(|_| (rng.random_range(0..120u32), 1.0)).collect();
            path.sort_unstable_by_key(|e| e.0);
            path.dedup_by_key(|e| e.0);
            c.start((path, 1.0, 1e9));
        }
        c.solver.solve();
        let (mut sum, mut count, mut largest) = (0.0, 0.0, 0.0f64);
        for step in 0..200 {
            c.stop(rng.random_range(0..c.present.len()));
            c.solver.solve();
            if step % 25 < 24 || !c.solver.system.crowd.active {
                continue;
            }
            let flows: Vec<_> = c.present.iter().map(|p| p.1.clone()).collect();
            for ((id, _), exact) in c.present.iter().zip(global(&c.capacity, &flows)) {
                let error = (c.solver.value(*id) - exact).abs() / exact;
                (sum, count, largest) = (sum + error, count + 1.0, largest.max(error));
            }
        }
        (sum / count, largest, c.solver.system.crowd.active)
    }

    /// The table of docs/theory/sharing.md: `cargo test --lib errors_of_rates -- --nocapture`.
    #[test]
    fn errors_of_rates_are_of_the_order_of_the_bound() {
        let mut before = 0.0;
        for millionths in [0, 100, 1000, 10_000, 50_000] {
            let (mean, largest, formed) = errors(millionths);
            println!("{}: mean {mean:.2e}, largest {largest:.2e}", bound(millionths));
            assert!(formed, "no crowd");
            let share = bound(millionths).share();
            assert!(mean <= 1e-12 + share && largest <= 1e-9 + 10.0 * share, "{mean} {largest}");
            assert!(mean >= before, "a larger bound is coarser");
            before = mean;
        }
    }

    /// With a bound of 0 levels are passed on as in an exact crowd, to the last bit.
    #[test]
    fn a_bound_of_zero_is_exact() {
        let run = |permitted: bool| {
            let mut rng = Pcg64::seed_from_u64(2);
            let mut c = Coupled::new((0..60).map(|link| 10.0 + f64::from(link % 7)));
            if permitted {
                c.solver.permit(bound(0));
            }
            for _ in 0..250 {
                let first = rng.random_range(0..50u32);
                c.start((vec![(first, 1.0), (first + 3, 1.0), (first + 9, 1.0)], 1.0, 100.0));
            }
            c.solver.solve();
            c.solver.system.crowd.wanted = true;
            let mut bits = Vec::new();
            for _ in 0..100 {
                c.stop(rng.random_range(0..c.present.len()));
                c.solver.solve();
                bits.extend(c.present.iter().map(|p| c.solver.value(p.0).to_bits()));
            }
            assert!(c.solver.system.crowd.active);
            bits
        };
        assert_eq!(run(false), run(true));
    }

    /// Links stay as they are where a change is smaller than the bound.
    #[test]
    fn a_small_change_goes_no_further() {
        // 100 flows share link 0; each goes on over a link of its own, which it shares with one that is limited there.
        let mut c = Coupled::new([100.0].into_iter().chain((0..100).map(|_| 10.0)));
        c.solver.permit(bound(50_000));
        for own in 1..=100 {
            c.start((vec![(0, 1.0), (own, 1.0)], 1.0, 1e9));
            c.start((vec![(own, 1.0)], 1.0, 1e9));
        }
        c.solver.solve();
        c.solver.system.crowd.wanted = true;
        c.stop(0);
        c.solver.solve();
        assert!(c.solver.system.crowd.active);
        let rates = |c: &Coupled| c.present.iter().map(|p| c.solver.value(p.0)).collect::<Vec<_>>();
        let before = rates(&c);
        let at = c.present.iter().position(|p| p.1.0.len() == 2).expect("it shares link 0");
        let kept = c.present.len() - 1;
        c.stop(at);
        c.solver.solve();
        let after = rates(&c);
        // The last flow has taken the place of the one that left; one flow alone on its link is faster now.
        let moved = (0..kept).filter(|&i| i != at && before[i] != after[i]).count();
        assert!(moved <= 1, "{moved} rates moved");
        assert!(
            c.solver.system.load(LinkId(0)) >= 100.0 * 0.95
                && c.solver.system.load(LinkId(0)) <= 100.0 * (1.0 + ROUNDING)
        );
    }
}
