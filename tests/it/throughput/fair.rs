//! Max-min fair levels of the one-pass solver against linear programming and against the incremental solver of replays.

use good_lp::{Expression, Solution, SolverModel, Variable, constraint, microlp, variable, variables};
use mopsim::ids::LinkId;
use mopsim::network::maxmin::MaxMin;
use mopsim::network::sharing::Sharing;
use mopsim::platform::SharingPolicy;
use mopsim::throughput::carried::Incidence;
use mopsim::throughput::fill::{Fair, NOTHING, OWN_BOUND, fill};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Demand, bound, and which part of the demand takes which link.
type Class = (f64, f64, Vec<(usize, f64)>);

#[derive(Clone, Debug)]
struct System {
    capacity: Vec<f64>,
    classes: Vec<Class>,
}

impl System {
    fn solve(&self) -> Fair {
        let mut incidence = Incidence { first: vec![0], ..Incidence::default() };
        for (_, _, links) in &self.classes {
            incidence.links.extend(links.iter().map(|link| link.0 as u32));
            incidence.parts.extend(links.iter().map(|link| link.1));
            incidence.first.push(incidence.links.len());
        }
        let demand: Vec<f64> = self.classes.iter().map(|class| class.0).collect();
        let bound: Vec<f64> = self.classes.iter().map(|class| class.1).collect();
        fill(&self.capacity, &incidence, &demand, &bound)
    }

    /// Returns the load of a class on a link at level 1.
    fn usage(&self, class: usize, link: usize) -> f64 {
        let (demand, _, links) = &self.classes[class];
        links.iter().filter(|entry| entry.0 == link).map(|entry| entry.1 * demand).sum()
    }

    /// Checks the condition that defines the max-min fair allocation: no link is over capacity, and every class is at
    /// its bound or has a full link on which no class has a higher level.
    fn check(&self, fair: &Fair) -> Result<(), String> {
        let load = |link| (0..self.classes.len()).map(|class| self.usage(class, link) * fair.level[class]).sum::<f64>();
        for (link, &capacity) in self.capacity.iter().enumerate() {
            let used = (0..self.classes.len()).any(|class| self.usage(class, link) > 0.0);
            if used && load(link) > capacity * (1.0 + 1e-9) {
                return Err(format!("link {link} carries {} of {capacity}", load(link)));
            }
        }
        for (class, &(_, bound, _)) in self.classes.iter().enumerate() {
            let level = fair.level[class];
            let right = match fair.limit[class] {
                NOTHING => level.is_infinite() && (0..self.capacity.len()).all(|link| self.usage(class, link) == 0.0),
                OWN_BOUND => level.to_bits() == bound.to_bits(),
                link => {
                    let link = link as usize;
                    let full = load(link) >= self.capacity[link] * (1.0 - 1e-9);
                    let on = (0..self.classes.len()).filter(|&other| self.usage(other, link) > 0.0);
                    let highest = on.map(|other| fair.level[other]).fold(0.0, f64::max);
                    full && level <= bound && highest <= level * (1.0 + 1e-9) && self.usage(class, link) > 0.0
                }
            };
            if !right {
                return Err(format!("class {class} at {level}, held by {}", fair.limit[class]));
            }
        }
        Ok(())
    }

    /// Maximises the level of one class, or the lowest one of the open classes, while closed ones keep theirs.
    fn maximise(&self, closed: &[Option<f64>], floor: f64, one: Option<usize>) -> f64 {
        variables! { problem: t >= 0; }
        let level: Vec<Variable> =
            self.classes.iter().map(|class| problem.add(variable().min(0.0).max(class.1))).collect();
        let mut model = problem.maximise(t).using(microlp);
        for (link, &capacity) in self.capacity.iter().enumerate() {
            let load: Expression =
                level.iter().enumerate().map(|(class, level)| self.usage(class, link) * *level).sum();
            model = model.with(constraint!(load <= capacity));
        }
        for (class, closed) in closed.iter().enumerate() {
            model = match closed {
                Some(value) => model.with(constraint!(level[class] == *value)),
                None if one.is_none_or(|one| one == class) => model.with(constraint!(level[class] >= t)),
                None => model.with(constraint!(level[class] >= floor)),
            };
        }
        model.solve().expect("feasible and bounded").value(t)
    }

    /// Raises the lowest open level as far as it goes, closes those that cannot rise above it, and goes on with the
    /// rest.
    fn lexicographic_optimum(&self) -> Vec<f64> {
        let mut closed: Vec<Option<f64>> = vec![None; self.classes.len()];
        while closed.iter().any(Option::is_none) {
            let level = self.maximise(&closed, 0.0, None);
            let floor = level * (1.0 - 1e-9);
            let stuck: Vec<usize> = (0..closed.len())
                .filter(|&c| closed[c].is_none() && self.maximise(&closed, floor, Some(c)) <= level * (1.0 + 1e-6))
                .collect();
            assert!(!stuck.is_empty(), "some class cannot rise above the lowest level");
            stuck.into_iter().for_each(|class| closed[class] = Some(level));
        }
        closed.into_iter().map(|level| level.expect("closed")).collect()
    }
}

/// Up to 6 links and 8 classes; some classes are split, some are bounded.
fn random_system(rng: &mut Pcg64) -> System {
    let links = rng.random_range(1..=6);
    let capacity = (0..links).map(|_| f64::from(rng.random_range(1..40_u32)) * 0.25).collect();
    let class = |rng: &mut Pcg64| {
        let mut on: Vec<(usize, f64)> = Vec::new();
        for _ in 0..rng.random_range(1..=4) {
            let link = rng.random_range(0..links);
            let part = if rng.random_bool(0.4) { 0.25 * f64::from(rng.random_range(1..4_u32)) } else { 1.0 };
            if on.iter().all(|other| other.0 != link) {
                on.push((link, part));
            }
        }
        let bound = if rng.random_bool(0.3) { f64::from(rng.random_range(1..40_u32)) * 0.25 } else { 1e3 };
        (f64::from(rng.random_range(1..30_u32)) * 0.1, bound, on)
    };
    let classes = (0..rng.random_range(1..=8)).map(|_| class(rng)).collect();
    System { capacity, classes }
}

#[test]
fn levels_are_the_lexicographic_optimum_of_500_systems() {
    let mut rng = Pcg64::seed_from_u64(20_261_121);
    for case in 0..500 {
        let system = random_system(&mut rng);
        let (expected, fair) = (system.lexicographic_optimum(), system.solve());
        system.check(&fair).unwrap_or_else(|error| panic!("case {case}: {error}"));
        for (class, (e, a)) in expected.iter().zip(&fair.level).enumerate() {
            assert!((e - a).abs() <= 1e-6 * e.max(*a), "case {case}, class {class}: LP {e}, filling {a}");
        }
    }
}

#[test]
fn a_class_without_links_is_held_by_nothing_but_its_bound() {
    let system = System {
        capacity: vec![1.0],
        classes: vec![(1.0, f64::INFINITY, vec![]), (1.0, 2.0, vec![]), (0.5, 9.0, vec![(0, 0.5)])],
    };
    let fair = system.solve();
    assert_eq!((fair.level, fair.limit), (vec![f64::INFINITY, 2.0, 4.0], vec![NOTHING, OWN_BOUND, 0]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn larger_systems_are_fair_and_equal_the_incremental_solver(seed: u64, classes in 1usize..120, links in 1usize..40) {
        let mut rng = Pcg64::seed_from_u64(seed);
        let capacity: Vec<f64> = (0..links).map(|_| 0.1 + f64::from(rng.random_range(0..1000_u32)) * 0.01).collect();
        let class = |rng: &mut Pcg64| {
            let mut on: Vec<(usize, f64)> = (0..rng.random_range(1..6)).map(|_| (rng.random_range(0..links), 1.0)).collect();
            on.sort_by_key(|link| link.0);
            on.dedup_by_key(|link| link.0);
            (0.01 + f64::from(rng.random_range(0..1000_u32)) * 0.003, 0.01 * f64::from(rng.random_range(1..3000_u32)), on)
        };
        let system = System { capacity, classes: (0..classes).map(|_| class(&mut rng)).collect() };
        let fair = system.solve();
        prop_assert_eq!(system.check(&fair), Ok(()));
        // The solver of replays knows rates, penalties and bounds of rates.
        let mut sharing = MaxMin::new(system.capacity.iter().map(|&c| (c, SharingPolicy::Shared)));
        let flows: Vec<_> = system.classes.iter().map(|(demand, bound, on)| {
            let path = sharing.add_path(&on.iter().map(|&(link, _)| (LinkId::new(link), 1.0)).collect::<Vec<_>>());
            sharing.start(path, 1.0 / demand, bound * demand)
        }).collect();
        sharing.solve();
        for (class, &flow) in flows.iter().enumerate() {
            let (rate, expected) = (sharing.value(flow), fair.level[class] * system.classes[class].0);
            prop_assert!((rate - expected).abs() <= 1e-9 * rate, "class {}: {} and {}", class, rate, expected);
        }
    }

    #[test]
    fn the_order_of_classes_changes_nothing(seed: u64) {
        let mut rng = Pcg64::seed_from_u64(seed);
        let mut system = random_system(&mut rng);
        let one = system.solve().level;
        system.classes.reverse();
        let other = system.solve().level;
        for (a, b) in one.iter().zip(other.iter().rev()) {
            prop_assert!((a - b).abs() <= 1e-12 * a, "{} and {}", a, b);
        }
    }
}
