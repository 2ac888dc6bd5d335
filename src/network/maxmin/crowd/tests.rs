//! Compares crowds with the plain global implementation of `maxmin/tests.rs`.

use super::super::WatchedMaxMin;
use super::super::tests::{Flow, global};
use super::*;
use crate::ids::LinkId;
use crate::network::sharing::{PathId, Sharing};
use crate::platform::SharingPolicy;
use proptest::prelude::*;

/// A system and its flows.
pub(super) struct Coupled {
    pub(super) solver: WatchedMaxMin,
    pub(super) capacity: Vec<(f64, SharingPolicy)>,
    pub(super) present: Vec<(FlowId, Flow)>,
}

impl Coupled {
    pub(super) fn new(capacity: impl IntoIterator<Item = f64>) -> Self {
        let capacity: Vec<_> = capacity.into_iter().map(|c| (c, SharingPolicy::Shared)).collect();
        Self { solver: WatchedMaxMin::new(capacity.iter().copied()), capacity, present: Vec::new() }
    }

    pub(super) fn start(&mut self, flow: Flow) {
        let path = self.solver.add_path(&flow.0.iter().map(|e| (LinkId(e.0), e.1)).collect::<Vec<_>>());
        self.present.push((self.solver.start(path, flow.1, flow.2), flow));
    }

    pub(super) fn stop(&mut self, which: usize) {
        let which = which % self.present.len();
        self.solver.stop(self.present.swap_remove(which).0);
    }

    /// Makes a crowd form at the next change: flows stop until one has affected others.
    fn form(&mut self, rates: &mut Vec<(Option<u32>, f64)>) -> Result<(), TestCaseError> {
        self.solver.system.crowd.wanted = true;
        for which in 0..20 {
            self.stop(29 * which);
            self.check(rates)?;
            if self.solver.system.crowd.active {
                return Ok(());
            }
        }
        Err(TestCaseError::fail("nobody forms a crowd"))
    }

    /// Checks rates, that the flows reported as followers of a link's clock follow it, and that no other flow has
    /// changed its rate.
    fn check(&mut self, rates: &mut Vec<(Option<u32>, f64)>) -> Result<(), TestCaseError> {
        self.solver.solve();
        rates.resize(self.solver.system.flows.len(), (None, 0.0));
        for &flow in self.solver.changed() {
            let clock = self.solver.clock(flow);
            let level = clock.map_or(1.0, |link| self.solver.level(link));
            rates[flow.index()] = (clock, self.solver.value(flow) / level);
        }
        self.check_values()?;
        for (id, _) in &self.present {
            let value = self.solver.value(*id);
            let (clock, rate) = rates[id.index()];
            let told = rate * clock.map_or(1.0, |link| self.solver.level(link));
            prop_assert!((value - told).abs() <= 1e-9 * value, "{value} was not told, but {told}");
        }
        Ok(())
    }

    /// Checks that rates are those of the global solution.
    pub(super) fn check_values(&self) -> Result<(), TestCaseError> {
        let flows: Vec<Flow> = self.present.iter().map(|p| p.1.clone()).collect();
        let most = self.capacity.iter().fold(0.0, |most, c| c.0.max(most));
        for ((id, _), expected) in self.present.iter().zip(global(&self.capacity, &flows)) {
            let value = self.solver.value(*id);
            let slack = 1e-9 * expected + 1e-11 * most;
            prop_assert!((value - expected).abs() <= slack, "{value} is not {expected}");
        }
        Ok(())
    }
}

/// Flows of 1 to 5 links; every fourth link is on the way back.
pub(super) fn flow(links: u32) -> impl Strategy<Value = Flow> {
    (prop::collection::vec(0..links, 1..6), 1u32..4, 1u32..400).prop_map(|(mut links, penalty, bound)| {
        links.sort_unstable();
        links.dedup();
        let share = |at: usize| if at == 3 { 0.05 } else { 1.0 };
        let elements = links.iter().enumerate().map(|(at, &link)| (link, share(at))).collect();
        (elements, f64::from(penalty), f64::from(bound) * 0.1)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Flows come and go one by one and in bursts; `kinds` of capacities, so that many levels are equal where there is
    /// one.
    #[test]
    fn a_crowd_has_the_global_solution(
        flows in prop::collection::vec(flow(60), 150..220),
        moves in prop::collection::vec((0usize..1000, flow(60), 0u8..6), 25),
        kinds in 1u32..5,
    ) {
        let mut c = Coupled::new((0..60).map(|link| f64::from(10 + link % kinds)));
        let mut rates = Vec::new();
        flows.into_iter().for_each(|flow| c.start(flow));
        c.check(&mut rates)?;
        c.form(&mut rates)?;
        for (which, flow, kind) in moves {
            match kind {
                0 => c.start(flow),
                1 => (0..12).for_each(|at| c.stop(which + 31 * at)),
                2 => {
                    c.stop(which);
                    c.start(flow);
                }
                _ => c.stop(which),
            }
            // A flow that leaves without affecting others triggers no solution: a crowd that has become too small
            // persists until the next one.
            let concerns = c.solver.is_stale();
            c.check(&mut rates)?;
            prop_assert_eq!(c.solver.system.crowd.active, c.present.len() >= CROWD || !concerns);
            if !c.solver.system.crowd.active {
                break;
            }
        }
    }

    /// Filling may take over at any time, and reports every flow that follows another link than before.
    #[test]
    fn a_crowd_that_does_not_settle_is_filled_anew(flows in prop::collection::vec(flow(60), 150..200), stop in 0usize..1000) {
        let mut c = Coupled::new((0..60).map(|link| f64::from(10 + link % 3)));
        let mut rates = Vec::new();
        flows.into_iter().for_each(|flow| c.start(flow));
        c.check(&mut rates)?;
        c.form(&mut rates)?;
        (0..30).for_each(|at| c.stop(stop + 17 * at));
        c.solver.system.crowd.patience = 1;
        c.check(&mut rates)?;
        prop_assert!(c.solver.system.crowd.active);
        prop_assert!(c.solver.changed().len() <= c.present.len());
    }

    /// A crowd that becomes small is repaired flow by flow again, and is refilled from zero with many newcomers.
    #[test]
    fn crowds_form_and_dissolve(flows in prop::collection::vec(flow(60), 200), more in prop::collection::vec(flow(60), 120)) {
        let mut c = Coupled::new((0..60).map(|link| f64::from(10 + link % 7)));
        let mut rates = Vec::new();
        flows.into_iter().for_each(|flow| c.start(flow));
        c.check(&mut rates)?;
        c.form(&mut rates)?;
        more.into_iter().for_each(|flow| c.start(flow));
        c.check(&mut rates)?;
        prop_assert!(!c.solver.system.crowd.active, "many are new");
        c.form(&mut rates)?;
        while c.present.len() > 50 {
            (0..20).for_each(|_| c.stop(7));
            c.check(&mut rates)?;
        }
        prop_assert!(!c.solver.system.crowd.active);
    }
}

#[test]
fn what_is_taken_away_is_what_was_added() {
    // A flow comes and goes a hundred thousand times on links that a crowd fills, and leaves no trace.
    let mut c = Coupled::new((0..60).map(|link| 10.0 + f64::from(link) / 7.0));
    for at in 0..200u32 {
        let links: Vec<(u32, f64)> = (0..3).map(|hop| ((at * (hop * 7 + 11) + hop) % 60, 1.0)).collect();
        let mut links = links;
        links.sort_unstable_by_key(|e| e.0);
        links.dedup_by_key(|e| e.0);
        c.start((links, 1.0 + f64::from(at % 5) / 3.0, 100.0));
    }
    let mut rates = Vec::new();
    c.check(&mut rates).and_then(|()| c.form(&mut rates)).expect("a crowd forms");
    let before: Vec<f64> = c.present.iter().map(|p| c.solver.value(p.0)).collect();
    for at in 0..100_000u32 {
        let path = PathId(at % 200);
        let visitor = c.solver.start(path, 1.0 + f64::from(at % 11), 100.0);
        c.solver.solve();
        c.solver.stop(visitor);
        c.solver.solve();
    }
    assert!(c.solver.system.crowd.active);
    for ((flow, _), before) in c.present.iter().zip(before) {
        let after = c.solver.value(*flow);
        assert!((after - before).abs() <= 1e-12 * before, "{after} was {before}");
    }
}

#[test]
fn a_crowd_forms_where_transfers_hang_together_and_not_where_they_only_start_together() {
    let form = |far: bool| {
        let mut c = Coupled::new((0..100).map(|link| 10.0 + f64::from(link % 7)));
        for at in 0..400u32 {
            let hop = |hop: u32| if far { (at * (hop * 31 + 7) + hop * hop * 13) % 100 } else { at % 50 * 2 + hop % 2 };
            let mut links: Vec<(u32, f64)> = (0..4).map(|at| (hop(at), 1.0)).collect();
            links.sort_unstable_by_key(|e| e.0);
            links.dedup_by_key(|e| e.0);
            c.start((links, 1.0, 100.0));
        }
        c.solver.solve();
        for at in 0..100 {
            c.stop(at * 37);
            c.solver.solve();
        }
        c.solver.system.crowd.active
    };
    assert!(form(true));
    assert!(!form(false));
}

/// Load that overflows an integer: thousands of flows rise at one instant, each beyond the capacity of a link they all
/// share.
#[test]
fn thousands_rise_together_and_their_link_holds_them_back() {
    for (count, capacity, bound) in [(2600, 1.0, 8.0), (4200, 1.999, 1.999)] {
        // All flows share link 0; on a link of its own, a far heavier rival holds each of them down. The last link
        // carries the flow that triggers the crowd.
        let mut c = Coupled::new(std::iter::once(capacity).chain((0..count).map(|_| 16.0)).chain([1.0]));
        for own in 1..=count {
            c.start((vec![(0, 1.0), (own, 1.0)], 1.0, bound));
        }
        for own in 1..=count {
            c.start((vec![(own, 1.0)], 1e-6, 100.0));
        }
        (0..2).for_each(|_| c.start((vec![(count + 1, 1.0)], 1.0, 1.0)));
        c.solver.solve();
        c.solver.system.crowd.wanted = true;
        c.stop(c.present.len() - 1);
        c.solver.solve();
        assert!(c.solver.system.crowd.active);
        while c.present.len() > count as usize {
            // Backwards, so that none comes to the place of another.
            c.stop(c.present.len() - 1);
        }
        c.solver.solve();
        for (flow, _) in &c.present {
            let (value, fair) = (c.solver.value(*flow), capacity / f64::from(count));
            assert!((value - fair).abs() <= 1e-9 * fair, "{value} is not {fair}");
        }
    }
}
