//! Candidates of a search: networks of all families for N hosts and radix-R switches, large and small.
//!
//! [`fit`] finds the smallest network of each family that carries uniform traffic. A search also needs cheaper
//! ones that carry less, and other shapes: the same rules applied with fewer ports ([`PORTS`]), and, where a family leaves the
//! choice, with a part of the cables ([`BALANCES`]). All of them are built, so that those that do not exist are known.

use super::DesignError;
use super::fit::candidates::candidates;
use super::fit::{self, Cabling, Fit, Wanted};
use crate::cost::Prices;
use crate::defaults::Version;
use crate::routing;
use crate::steps::Steps;
use crate::topology::registry::find;
use crate::topology::{Spec, TopologyError};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Parts of the ports of a switch that networks use.
pub const PORTS: [f64; 7] = [1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25];

/// Parts of uniform traffic at full speed that networks carry, of families with a choice.
pub const BALANCES: [f64; 3] = [1.0, 0.5, 0.25];

/// Candidate of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Specification; without a seed if the family is random.
    pub topology: String,
    /// Hosts on each switch that has hosts attached, if it is not the number of the topology itself.
    pub hosts_per_switch: Option<u32>,
    /// Size and metrics; those of the default seed if the family is random.
    pub fit: Fit,
    /// `true` if [`fit::fits`] lists it: the smallest of its kind that carries uniform traffic.
    pub is_smallest: bool,
}

impl Candidate {
    /// Returns a name that no other candidate has.
    pub fn name(&self) -> String {
        match self.hosts_per_switch {
            None => self.topology.clone(),
            Some(hosts) => format!("{}, {hosts} hosts each", self.topology),
        }
    }
}

/// Candidates, and numbers of those that are none.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    /// Candidates, by number of switches and of cables.
    pub candidates: Vec<Candidate>,
    /// Specifications that were tried.
    pub tried: usize,
    /// Specifications of families that were left out.
    pub left_out: usize,
    /// Specifications that do not exist: some sizes of a family, and random graphs in several parts.
    pub not_built: usize,
    /// Networks with too few hosts, or switches with too many ports.
    pub too_small: usize,
    /// Specifications of a network that another one has as well.
    pub twice: usize,
}

impl Space {
    /// Removes candidates with the name of another network, which has the same topology.
    pub fn remove_named(&mut self, names: &BTreeSet<String>) {
        let before = self.candidates.len();
        self.candidates.retain(|one| !names.contains(&one.name()));
        self.twice += before - self.candidates.len();
    }
}

/// Returns the candidates for a search, without those of some families. Prices are those of [`Fit::bill`].
///
/// # Errors
/// [`DesignError::InvalidParameter`] for an unknown family; [`DesignError::Topology`] if a network cannot be measured.
pub fn space(wanted: Wanted, without: &[String], prices: &Prices, steps: &Steps) -> Result<Space, DesignError> {
    let mut specs: BTreeSet<(String, u32)> = BTreeSet::new();
    for part in PORTS {
        let radix = ((wanted.radix as f64 * part).round() as u64).max(3);
        for balance in BALANCES {
            specs.extend(candidates(Wanted { radix, ..wanted }, balance));
        }
    }
    let smallest: BTreeSet<(String, u32)> = candidates(wanted, 1.0).into_iter().collect();
    let tried = specs.len();
    if let Some(unknown) = without.iter().find(|name| find(name).is_none()) {
        let rule = "there is no such family; `mopsim topology --help` lists them";
        return super::invalid("--leave-out", format!("`{unknown}`"), rule);
    }
    let family = |name: &str| find(name).map(|family| family.name);
    let of_spec = |spec: &str| family(spec.split(':').next().unwrap_or_default());
    specs.retain(|(spec, _)| !without.iter().any(|name| family(name) == of_spec(spec)));
    let left_out = tried - specs.len();
    steps.expect(specs.len() as u64);
    let built = specs.into_par_iter().map(|(text, hosts)| {
        let is_smallest = smallest.contains(&(text.clone(), hosts));
        let candidate = candidate(&text, hosts, is_smallest, prices);
        steps.did(1);
        candidate
    });
    let built: Vec<Option<(Candidate, RoutedCabling)>> = built.collect::<Result<_, DesignError>>()?;
    let specs = built.len();
    let mut found: Vec<(Candidate, RoutedCabling)> = built.into_iter().flatten().collect();
    let not_built = specs - found.len();
    found.retain(|(one, _)| one.fit.ports <= wanted.radix && one.fit.hosts >= wanted.hosts);
    let too_small = specs - not_built - found.len();
    // Of several spellings of one network, such as 1x4x4 and 4x4, the shortest is kept.
    found.sort_by_key(|(one, _)| (one.name().len(), one.name(), !one.is_smallest));
    let mut kept: BTreeMap<RoutedCabling, usize> = BTreeMap::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    let fitting = found.len();
    for (one, cabling) in found {
        match kept.get(&cabling) {
            Some(&at) => candidates[at].is_smallest |= one.is_smallest,
            None => {
                kept.insert(cabling, candidates.len());
                candidates.push(one);
            }
        }
    }
    let twice = fitting - candidates.len();
    candidates.sort_by_key(|one| (one.fit.switches, one.fit.cables, one.name()));
    Ok(Space { candidates, tried, left_out, not_built, too_small, twice })
}

/// Default routing and cabling: equal for networks that differ in nothing but their name.
type RoutedCabling = (&'static str, Cabling);

/// Builds a candidate. `None` if there is no such network.
fn candidate(
    text: &str,
    hosts: u32,
    is_smallest: bool,
    prices: &Prices,
) -> Result<Option<(Candidate, RoutedCabling)>, DesignError> {
    let spec: Spec = match text.parse() {
        Ok(spec) => spec,
        Err(TopologyError::InvalidParameter { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let topology = match spec.build() {
        Ok(topology) => topology,
        Err(TopologyError::Unbuildable { .. } | TopologyError::InvalidParameter { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let has_own = topology.graph.default_hosts().iter().all(|&count| count == 0 || count == hosts);
    let fit = fit::measure(&topology, hosts, prices)?;
    // Where all switches are neighbours, all rules take the cable between them.
    let routing = match fit.diameter {
        Some(1) => "",
        _ => routing::default_routing(Version::default(), &topology, fit.hosts),
    };
    let cabling = (routing, fit::cabling(&topology, &fit));
    let is_random = spec.seed().is_some() && !spec.seed_given();
    let topology = if is_random { text.to_owned() } else { topology.name() };
    let hosts_per_switch = (!has_own).then_some(hosts);
    Ok(Some((Candidate { topology, hosts_per_switch, fit, is_smallest }, cabling)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_has_room_for_the_hosts_and_small_networks() {
        let wanted = Wanted { hosts: 64, radix: 16 };
        let space = space(wanted, &[], &Prices::default(), &Steps::default()).unwrap();
        let Space { candidates, tried, left_out, not_built, too_small, twice } = &space;
        assert!(candidates.iter().all(|one| one.fit.hosts >= 64 && one.fit.ports <= 16));
        let names: BTreeSet<String> = candidates.iter().map(Candidate::name).collect();
        assert_eq!(names.len(), candidates.len());
        // Nothing is lost.
        assert_eq!(candidates.len() + left_out + not_built + too_small + twice, *tried);
        assert!(*left_out == 0 && candidates.len() > 60, "{space:?}");
        // What `--fit` finds is among them, once for each network, whatever it is called.
        for fit in fit::fits(wanted, &Prices::default()).unwrap() {
            let sizes = |fit: &Fit| (fit.switches, fit.cables, fit.hosts, fit.diameter, fit.aspl);
            let same = |one: &&Candidate| sizes(&one.fit) == sizes(&fit) && one.is_smallest;
            assert!(candidates.iter().any(|one| same(&one)), "{fit:?}");
        }
        let is_grid = |name: &&String| ["flattened_butterfly:k=4,n=3", "hyperx:dims=4x4"].contains(&name.as_str());
        assert_eq!(names.iter().filter(is_grid).count(), 1, "{names:?}");
        assert!(!names.iter().any(|name| name.contains("dims=1x")), "{names:?}");
    }

    #[test]
    fn families_can_be_left_out() {
        let wanted = Wanted { hosts: 20, radix: 8 };
        let without = ["torus".to_owned(), "hyperx".to_owned()];
        let space = space(wanted, &without, &Prices::default(), &Steps::default()).unwrap();
        assert!(space.left_out > 0);
        assert!(space.candidates.iter().all(|one| !one.topology.starts_with("torus")));
        let unknown = super::space(wanted, &["tours".to_owned()], &Prices::default(), &Steps::default());
        assert!(unknown.unwrap_err().to_string().contains("tours"));
    }
}
