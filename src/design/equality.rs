//! A genetic search for the hops of an Equality network with short paths.
//!
//! (*Performance evaluation of multi-exaflops machines using Equality network topology*; the genome is ours.) It
//! minimises the product of average distance and diameter for a given number of switches and degree. A genome is a set
//! of odd and a set of even hops that together have the required degree; -1 and 1 are always among them. Parents win
//! tournaments of three, a child takes hops of both at random, one hop in five children is replaced, the best two
//! survive. As the graph looks the same from every switch, one breadth-first search measures a genome. The result is
//! never claimed to be optimal.
//!
//! Every generation draws from a seed of its own, so a search that is saved and resumed ends like an uninterrupted one.

use super::{DesignError, invalid};
use crate::excerpt::excerpt;
use crate::topology::graph::MAX_ARCS;
use crate::topology::{Randomness, derived_seed};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Genomes in a generation.
const POPULATION: usize = 64;
/// Genomes that take part in a tournament.
const TOURNAMENT: usize = 3;
/// Best genomes that survive.
const ELITE: usize = 2;
/// Share of children that have a hop replaced.
const MUTATION: f64 = 0.2;
/// Generations without a better genome after which the search stops.
pub const PATIENCE: u32 = 100;
/// Largest number of switches.
const MAX_SWITCHES: u32 = 1 << 20;

/// Target of the search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Number of switches, even.
    pub switches: u32,
    /// Cables at a switch, at least 2 and at most half the number of switches.
    pub degree: u32,
    /// Seed of the search.
    pub seed: u64,
    /// Required odd hops besides -1 and 1.
    pub odd: Vec<u32>,
    /// Required even hops.
    pub even: Vec<u32>,
}

/// Hops, each list in ascending order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Genome {
    /// Odd hops from 3 to n - 3; -1 and 1 are implied.
    pub odd: Vec<u32>,
    /// Even hops from 2 to n/2.
    pub even: Vec<u32>,
    /// Score; the sum of the distances is over those from one switch.
    pub score: Score,
}

/// Quality of a genome: a smaller product is better, `None` (not connected) is worst.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// Diameter; `None` if it is not connected.
    pub diameter: Option<u32>,
    /// Sum of the distances from one switch.
    pub sum: u64,
}

impl Score {
    /// Returns the compared value: the product of diameter and sum of distances.
    fn cost(self) -> u128 {
        self.diameter.map_or(u128::MAX, |diameter| u128::from(diameter) * u128::from(self.sum))
    }
}

/// State of a search, sufficient to resume it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Name and version of this form, for files.
    pub schema: String,
    /// Target of the search.
    pub goal: Goal,
    /// Number of generations done.
    pub generation: u32,
    /// Generation that found the best genome.
    pub best_since: u32,
    /// Best genome of the start.
    pub first: Genome,
    /// Genomes, the best one first.
    pub population: Vec<Genome>,
}

/// Name and version of the saved form.
pub const SCHEMA: &str = "mopsim.design-equality-state/1";

impl Goal {
    /// Checks the numbers and begins a search with random genomes.
    ///
    /// # Errors
    /// [`DesignError::InvalidParameter`].
    pub fn start(self) -> Result<Search, DesignError> {
        self.check()?;
        let mut random = Randomness::new(derived_seed(self.seed, 0));
        let genomes = (0..POPULATION).map(|_| self.filled(Vec::new(), Vec::new(), &mut random)).collect();
        let population = self.ranked(genomes);
        let first = population[0].clone();
        Ok(Search { schema: SCHEMA.into(), goal: self, generation: 0, best_since: 0, first, population })
    }

    fn check(&self) -> Result<(), DesignError> {
        let n = self.switches;
        if !n.is_multiple_of(2) || !(4..=MAX_SWITCHES).contains(&n) {
            return invalid("n", n, format!("it must be even and from 4 to {MAX_SWITCHES}"));
        }
        if !(2..=n / 2).contains(&self.degree) {
            return invalid("degree", self.degree, format!("it must be from 2 to n/2 = {}", n / 2));
        }
        if u64::from(n) * u64::from(self.degree) > MAX_ARCS as u64 {
            return invalid("degree", self.degree, format!("n * degree must be at most {MAX_ARCS}"));
        }
        let sorted = |hops: &[u32]| hops.windows(2).all(|pair| pair[0] < pair[1]);
        if let Some(hop) = self.odd.iter().find(|&&hop| hop % 2 == 0 || hop < 3 || hop > n - 3) {
            return invalid("odd hop", hop, format!("a fixed odd hop must be from 3 to n - 3 = {}", n - 3));
        }
        if let Some(hop) = self.even.iter().find(|&&hop| hop % 2 == 1 || hop < 2 || hop > n / 2) {
            return invalid("even hop", hop, format!("a fixed even hop must be from 2 to n/2 = {}", n / 2));
        }
        if !sorted(&self.odd) || !sorted(&self.even) {
            return invalid(
                "fixed hops",
                format!("{:?} {:?}", self.odd, self.even),
                "each must occur once, in ascending order",
            );
        }
        let least = 2 + self.odd.len() as u32 + self.even.iter().map(|&hop| self.ports(hop)).sum::<u32>();
        if least > self.degree {
            return invalid("degree", self.degree, format!("-1, 1 and the fixed hops already make {least} cables"));
        }
        Ok(())
    }

    /// Returns the number of cables at a switch that a hop makes (Equation 1).
    fn ports(&self, hop: u32) -> u32 {
        if hop % 2 == 1 || 2 * hop == self.switches { 1 } else { 2 }
    }

    /// Makes two sets of hops fit the degree: random ones are removed while there are too many, and added while there
    /// are too few. Fixed hops are always present.
    fn filled(&self, mut odd: Vec<u32>, mut even: Vec<u32>, random: &mut Randomness) -> Genome {
        for (hops, fixed) in [(&mut odd, &self.odd), (&mut even, &self.even)] {
            hops.retain(|hop| !fixed.contains(hop));
        }
        let fixed = 2 + self.odd.len() as u32 + self.even.iter().map(|&hop| self.ports(hop)).sum::<u32>();
        let room = self.degree - fixed;
        loop {
            let used = odd.len() as u32 + even.iter().map(|&hop| self.ports(hop)).sum::<u32>();
            if used > room {
                let which = random.below(odd.len() + even.len());
                if which < odd.len() {
                    odd.swap_remove(which)
                } else {
                    even.swap_remove(which - odd.len())
                };
            } else if used == room {
                break;
            } else {
                // There are n/2 - 2 odd hops, at least the number that the degree requires besides -1 and 1.
                let hop = if random.below(2) == 0 {
                    3 + 2 * random.below(self.switches as usize / 2 - 2) as u32
                } else {
                    2 + 2 * random.below(self.switches as usize / 4) as u32
                };
                let (hops, fixed) = if hop % 2 == 1 { (&mut odd, &self.odd) } else { (&mut even, &self.even) };
                if self.ports(hop) <= room - used && !hops.contains(&hop) && !fixed.contains(&hop) {
                    hops.push(hop);
                }
            }
        }
        odd.extend(&self.odd);
        even.extend(&self.even);
        odd.sort_unstable();
        even.sort_unstable();
        Genome { odd, even, score: Score { diameter: None, sum: 0 } }
    }

    /// Measures genomes and sorts the best first; of equals the earlier one stays first.
    fn ranked(&self, mut genomes: Vec<Genome>) -> Vec<Genome> {
        genomes.par_iter_mut().for_each(|genome| genome.score = self.score(genome));
        genomes.sort_by_key(|genome| genome.score.cost());
        genomes
    }

    /// Scores a genome by the distances from switch 0.
    fn score(&self, genome: &Genome) -> Score {
        let n = self.switches;
        let even = genome.even.iter().flat_map(|&hop| [hop, n - hop]);
        let hops: Vec<u32> = [1, n - 1].into_iter().chain(genome.odd.iter().copied()).chain(even).collect();
        let mut seen = vec![false; n as usize];
        seen[0] = true;
        let (mut level, mut next) = (vec![0_u32], Vec::new());
        let (mut reached, mut distance, mut sum) = (1, 0, 0);
        while reached < n {
            for &switch in &level {
                for &hop in &hops {
                    // Odd switches go the other way.
                    let to = if switch % 2 == 0 { switch + hop } else { switch + n - hop };
                    let to = if to >= n { to - n } else { to };
                    if !std::mem::replace(&mut seen[to as usize], true) {
                        next.push(to);
                    }
                }
            }
            if next.is_empty() {
                return Score { diameter: None, sum: 0 };
            }
            distance += 1;
            reached += next.len() as u32;
            sum += u64::from(distance) * next.len() as u64;
            level.clear();
            std::mem::swap(&mut level, &mut next);
        }
        Score { diameter: Some(distance), sum }
    }

    fn child(&self, population: &[Genome], random: &mut Randomness) -> Genome {
        let mut parent = || {
            // The population is sorted, so the smallest of three numbers is the winner.
            let winner = (0..TOURNAMENT).map(|_| random.below(population.len())).min();
            &population[winner.expect("a tournament has contestants")]
        };
        let (mother, father) = (parent(), parent());
        let union = |a: &[u32], b: &[u32]| a.iter().chain(b.iter().filter(|hop| !a.contains(hop))).copied().collect();
        let mut child = self.filled(union(&mother.odd, &father.odd), union(&mother.even, &father.even), random);
        if random.unit() < MUTATION {
            let free = |hops: &[u32], fixed: &[u32]| -> Vec<u32> {
                hops.iter().copied().filter(|hop| !fixed.contains(hop)).collect()
            };
            let (mut odd, mut even) = (free(&child.odd, &self.odd), free(&child.even, &self.even));
            if !odd.is_empty() || !even.is_empty() {
                let which = random.below(odd.len() + even.len());
                if which < odd.len() {
                    odd.swap_remove(which)
                } else {
                    even.swap_remove(which - odd.len())
                };
                child = self.filled(odd, even, random);
            }
        }
        child
    }
}

impl Search {
    /// Checks a search that was read from a file against the present target.
    ///
    /// # Errors
    /// [`DesignError::InvalidParameter`] if its target differs, or it is not a search of this program.
    pub fn resume(self, goal: &Goal) -> Result<Self, DesignError> {
        if self.schema != SCHEMA {
            return invalid("schema", excerpt(&self.schema), format!("a saved search says `{SCHEMA}`"));
        }
        if self.goal != *goal {
            let Goal { switches, degree, seed, odd, even } = self.goal;
            let found = format!("n={switches}, degree={degree}, seed={seed}, fixed hops {odd:?} and {even:?}");
            return invalid("the saved search", found, "it is for another network or seed; choose another file");
        }
        goal.check()?;
        let fits = |genome: &Genome| {
            let ports = 2 + genome.odd.len() as u32 + genome.even.iter().map(|&hop| goal.ports(hop)).sum::<u32>();
            let odd = genome.odd.iter().all(|&hop| hop % 2 == 1 && (3..=goal.switches - 3).contains(&hop));
            let even = genome.even.iter().all(|&hop| hop % 2 == 0 && (2..=goal.switches / 2).contains(&hop));
            ports == goal.degree && odd && even && goal.score(genome) == genome.score
        };
        let sorted = self.population.is_sorted_by_key(|genome| genome.score.cost());
        let misfit = self.population.iter().position(|genome| !fits(genome));
        let flaw = if self.population.len() != POPULATION {
            format!("`population` has {} genomes, not {POPULATION}", self.population.len())
        } else if let Some(number) = misfit {
            format!("the hops or the score of `population[{number}]` are none of the network")
        } else if !fits(&self.first) {
            "the hops or the score of `first` are none of the network".to_owned()
        } else if !sorted {
            "`population` is not in the order of the scores".to_owned()
        } else if self.best_since > self.generation {
            format!("`best_since` is {}, after `generation`, {}", self.best_since, self.generation)
        } else {
            return Ok(self);
        };
        invalid("the saved search", format!("damaged: {flaw}"), "delete the file to begin again")
    }

    /// `true` if the search has finished before generation `generations`.
    pub fn is_done(&self, generations: u32) -> bool {
        self.generation >= generations || self.generation - self.best_since >= PATIENCE
    }

    /// Breeds one generation.
    pub fn advance(&mut self) {
        self.generation += 1;
        let mut random = Randomness::new(derived_seed(self.goal.seed, u64::from(self.generation)));
        let mut next: Vec<Genome> = self.population[..ELITE].to_vec();
        while next.len() < POPULATION {
            next.push(self.goal.child(&self.population, &mut random));
        }
        let next = self.goal.ranked(next);
        if next[0].score.cost() < self.population[0].score.cost() {
            self.best_since = self.generation;
        }
        self.population = next;
    }

    /// Returns the best genome so far.
    pub fn best(&self) -> &Genome {
        &self.population[0]
    }

    /// Returns a genome as the specification of a topology.
    pub fn spec(&self, genome: &Genome) -> String {
        let joined = |hops: &[u32]| hops.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let odd = if genome.odd.is_empty() { String::new() } else { format!(",{}", joined(&genome.odd)) };
        format!("equality:n={},sa=[-1,1{odd}],sb=[{}]", self.goal.switches, joined(&genome.even))
    }

    /// Returns the average distance of a genome; infinite if it is not connected.
    pub fn aspl(&self, genome: &Genome) -> f64 {
        let Score { diameter, sum } = genome.score;
        diameter.map_or(f64::INFINITY, |_| sum as f64 / f64::from(self.goal.switches - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::{build, metrics::distances};

    fn goal(switches: u32, degree: u32, seed: u64) -> Goal {
        Goal { switches, degree, seed, odd: Vec::new(), even: Vec::new() }
    }

    fn run(mut search: Search, generations: u32) -> Search {
        while !search.is_done(generations) {
            search.advance();
        }
        search
    }

    #[test]
    fn the_search_improves_on_its_start_and_measures_what_is_built() {
        let search = run(goal(256, 6, 1).start().unwrap(), 60);
        assert!(search.best().score.cost() < search.first.score.cost());
        let graph = build(&search.spec(search.best())).unwrap().graph;
        let measured = distances(&graph).unwrap();
        assert_eq!(Some(measured.diameter() as u32), search.best().score.diameter);
        assert!((measured.aspl - search.aspl(search.best())).abs() < 1e-12);
        assert!((0..256).all(|s| graph.out_degree(crate::ids::SwitchId(s)) == 6));
    }

    #[test]
    fn a_resumed_search_ends_as_an_uninterrupted_one() {
        let whole = run(goal(64, 5, 7).start().unwrap(), 30);
        let half = run(goal(64, 5, 7).start().unwrap(), 11);
        let saved = serde_json::to_string(&half).unwrap();
        let resumed = serde_json::from_str::<Search>(&saved).unwrap().resume(&goal(64, 5, 7)).unwrap();
        assert_eq!(run(resumed, 30), whole);
        assert!(half.clone().resume(&goal(64, 5, 8)).is_err());
        let mut damaged = half;
        damaged.population[0].score.sum = 1;
        assert!(damaged.resume(&goal(64, 5, 7)).is_err());
    }

    #[test]
    fn every_small_goal_has_genomes_of_the_degree() {
        for n in (4..=24).step_by(2) {
            for degree in 2..=n / 2 {
                let search = run(goal(n, degree, 1).start().unwrap(), 2);
                let graph = build(&search.spec(search.best())).unwrap().graph;
                assert!((0..n).all(|s| graph.out_degree(crate::ids::SwitchId(s)) as u32 == degree), "{n} {degree}");
            }
        }
        let fixed = Goal { odd: vec![5], even: vec![4, 12], ..goal(24, 6, 1) };
        let search = run(fixed.start().unwrap(), 3);
        assert_eq!((search.best().odd.as_slice(), search.best().even.as_slice()), (&[5][..], &[4, 12][..]));
        for bad in [goal(15, 3, 1), goal(16, 9, 1), goal(16, 1, 1), Goal { odd: vec![4], ..goal(16, 4, 1) }] {
            assert!(bad.start().is_err());
        }
    }
}
