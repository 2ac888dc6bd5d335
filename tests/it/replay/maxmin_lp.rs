//! The max-min solver against linear programming.
//!
//! Max-min fairness is the lexicographic maximum of the sorted levels (value times penalty). A sequence of linear
//! programs finds it without any knowledge of progressive filling: raise the lowest level of the open flows as far as
//! possible, then close every flow that cannot rise above it whatever the others do, and go on with the rest.

use good_lp::{Expression, Solution, SolverModel, Variable, constraint, microlp, variable, variables};
use mopsim::ids::LinkId;
use mopsim::network::maxmin::MaxMin;
use mopsim::network::sharing::Sharing;
use mopsim::platform::SharingPolicy;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

struct Flow {
    elements: Vec<(usize, f64)>,
    penalty: f64,
    bound: f64,
}

struct System {
    capacity: Vec<f64>,
    flows: Vec<Flow>,
}

/// Random system of up to 6 links and 8 flows; forward links count 1, links of the reverse path 0.05.
fn random_system(rng: &mut Pcg64) -> System {
    let links = rng.random_range(1..=6);
    let capacity = (0..links).map(|_| f64::from(rng.random_range(1..40u32)) * 0.25).collect();
    let flow = |rng: &mut Pcg64| {
        let mut elements: Vec<(usize, f64)> = Vec::new();
        for _ in 0..rng.random_range(1..=4) {
            let link = rng.random_range(0..links);
            let consumption = if rng.random_bool(0.3) { 0.05 } else { 1.0 };
            match elements.iter_mut().find(|e| e.0 == link) {
                Some(e) => e.1 += consumption,
                None => elements.push((link, consumption)),
            }
        }
        Flow {
            elements,
            penalty: f64::from(rng.random_range(1..30u32)) * 0.1,
            bound: f64::from(rng.random_range(1..40u32)) * 0.25,
        }
    };
    let flows = (0..rng.random_range(1..=8)).map(|_| flow(rng)).collect();
    System { capacity, flows }
}

impl System {
    /// Maximises the level of one flow, or of the lowest open flow, while closed flows keep their values and the
    /// levels of the other open flows stay at `floor` or above.
    fn maximise(&self, closed: &[Option<f64>], floor: f64, one: Option<usize>) -> f64 {
        variables! { problem: t >= 0; }
        let x: Vec<Variable> = self.flows.iter().map(|f| problem.add(variable().min(0.0).max(f.bound))).collect();
        let mut model = problem.maximise(t).using(microlp);
        for (link, capacity) in self.capacity.iter().enumerate() {
            let load: Expression = self
                .flows
                .iter()
                .zip(&x)
                .flat_map(|(f, x)| f.elements.iter().filter(|e| e.0 == link).map(|e| e.1 * *x))
                .sum();
            model = model.with(constraint!(load <= *capacity));
        }
        for (i, (flow, closed)) in self.flows.iter().zip(closed).enumerate() {
            model = match closed {
                Some(value) => model.with(constraint!(x[i] == *value)),
                None if one.is_none_or(|f| f == i) => model.with(constraint!(flow.penalty * x[i] >= t)),
                None => model.with(constraint!(flow.penalty * x[i] >= floor)),
            };
        }
        model.solve().expect("feasible and bounded").value(t)
    }

    fn lexicographic_optimum(&self) -> Vec<f64> {
        let mut closed: Vec<Option<f64>> = vec![None; self.flows.len()];
        while closed.iter().any(Option::is_none) {
            let level = self.maximise(&closed, 0.0, None);
            // Slightly below the level, so that rounding does not make the next programs infeasible.
            let floor = level * (1.0 - 1e-9);
            let stuck: Vec<usize> = (0..closed.len())
                .filter(|&f| closed[f].is_none() && self.maximise(&closed, floor, Some(f)) <= level * (1.0 + 1e-6))
                .collect();
            assert!(!stuck.is_empty(), "some flow cannot rise above the lowest level");
            for f in stuck {
                closed[f] = Some(level / self.flows[f].penalty);
            }
        }
        closed.into_iter().map(|v| v.expect("closed")).collect()
    }

    fn max_min(&self) -> Vec<f64> {
        let mut sharing = MaxMin::new(self.capacity.iter().map(|&c| (c, SharingPolicy::Shared)));
        let ids: Vec<_> = self
            .flows
            .iter()
            .map(|f| {
                let elements: Vec<(LinkId, f64)> = f.elements.iter().map(|e| (LinkId::new(e.0), e.1)).collect();
                let path = sharing.add_path(&elements);
                // One solution per flow, so that the incremental repair is tested.
                let id = sharing.start(path, f.penalty, f.bound);
                sharing.solve();
                id
            })
            .collect();
        ids.into_iter().map(|f| sharing.value(f)).collect()
    }
}

#[test]
fn max_min_is_the_lexicographic_optimum_of_a_sequence_of_linear_programs() {
    let mut rng = Pcg64::seed_from_u64(20_240_229);
    for case in 0..200 {
        let system = random_system(&mut rng);
        let (expected, actual) = (system.lexicographic_optimum(), system.max_min());
        for (flow, (e, a)) in expected.iter().zip(&actual).enumerate() {
            assert!((e - a).abs() <= 1e-6 * e.max(*a), "case {case}, flow {flow}: LP {e}, max-min {a}");
        }
    }
}
