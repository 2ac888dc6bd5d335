//! Random swapping: cables of a regular topology exchange ends between the same pair of cabinets, so their lengths are
//! unchanged.
//!
//! (Cited by *Skywalk*; the procedure is our own.) Switches fill cabinets in the order of their numbers, z per cabinet:
//! the number of the regular topology, if it has one, otherwise 16, so that the floor plan finds the same lengths. Two
//! cables `u1 - v1` and `u2 - v2` with u1, u2 in one cabinet and v1, v2 in one become `u1 - v2` and `u2 - v1`, unless
//! this creates a loop or a duplicate. Degrees are unchanged as well. The number of successful swaps is that of the
//! cables, or `swaps`; if hardly any succeed the process ends after a hundred attempts per swap.

use crate::topology::family::{Arguments, SWITCHES_PER_CABINET};
use crate::topology::{Graph, Randomness, Spec, TopologyError, derived_seed, family, graph};
use std::collections::{HashMap, HashSet};

/// Number of instances until one is connected.
const ATTEMPTS: u64 = 10;

/// Attempts per requested swap.
const TRIES: usize = 100;

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let z = arguments.get("z").map(|_| arguments.count("z", 1, graph::MAX_SWITCHES)).transpose()?;
    let base: Spec = arguments.text("base").parse().map_err(|error| arguments.invalid("base", format!("{error}")))?;
    if base.is_file() || base.family().name == arguments.family.name {
        return Err(arguments.invalid("base", "it must be a family other than this one, and no file"));
    }
    if arguments.get("swaps").is_some() {
        arguments.count("swaps", 0, graph::MAX_ARCS)?;
    }
    let z = z.unwrap_or(base.cabinet().unwrap_or(SWITCHES_PER_CABINET) as usize);
    let base = base.build().map_err(|error| arguments.invalid("base", format!("{error}")))?.graph;
    let swaps = arguments.integer("swaps").map_or(base.cables(), |swaps| swaps as usize);
    let seed = arguments.seed().expect("the seed has a default");
    for attempt in 0..ATTEMPTS {
        let swapped = instance(&base, z, swaps, &mut Randomness::new(derived_seed(seed, attempt)))?;
        if swapped.is_connected() {
            return Ok(swapped);
        }
    }
    Err(TopologyError::Unbuildable {
        topology: family::canonical(arguments),
        reason: format!("none of {ATTEMPTS} random instances is connected"),
    })
}

fn instance(base: &Graph, z: usize, swaps: usize, random: &mut Randomness) -> Result<Graph, TopologyError> {
    let directed = base.is_directed();
    let cabinet = |switch: u32| switch as usize / z;
    // A two-way cable begins in the lower cabinet; inside a cabinet its start is drawn.
    let mut cables: Vec<(u32, u32)> = base.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    let mut bundle_of: Vec<usize> = Vec::with_capacity(cables.len());
    let mut numbers: HashMap<(usize, usize), usize> = HashMap::new();
    for (index, &(u, v)) in cables.iter().enumerate() {
        let number = *numbers.entry((cabinet(u), cabinet(v))).or_insert_with(|| {
            bundles.push(Vec::new());
            bundles.len() - 1
        });
        bundles[number].push(index);
        bundle_of.push(number);
    }
    let key = |u: u32, v: u32| if directed { (u, v) } else { (u.min(v), u.max(v)) };
    let mut present: HashSet<(u32, u32)> = cables.iter().map(|&(u, v)| key(u, v)).collect();
    let (mut done, mut idle) = (0, 0);
    for _ in 0..swaps.saturating_mul(TRIES) {
        idle += 1;
        if done == swaps || cables.is_empty() || idle > TRIES * cables.len() {
            break;
        }
        let first = random.below(cables.len());
        let bundle = &bundles[bundle_of[first]];
        let second = bundle[random.below(bundle.len())];
        let ((u1, v1), (mut u2, mut v2)) = (cables[first], cables[second]);
        if !directed && cabinet(u2) == cabinet(v2) && random.below(2) == 1 {
            (u2, v2) = (v2, u2);
        }
        let (one, other) = (key(u1, v2), key(u2, v1));
        if first == second || u1 == v2 || u2 == v1 || one == other || present.contains(&one) || present.contains(&other)
        {
            continue;
        }
        present.remove(&key(u1, v1));
        present.remove(&key(u2, v2));
        present.extend([one, other]);
        (cables[first], cables[second]) = ((u1, v2), (u2, v1));
        (done, idle) = (done + 1, 0);
    }
    let graph =
        if directed { Graph::directed(base.switches(), cables) } else { Graph::undirected(base.switches(), cables) }?;
    Ok(graph.with_hosts(base.hosts().clone()))
}

#[cfg(test)]
mod tests {
    use crate::topology::TopologyError;
    use crate::topology::build;
    use std::collections::BTreeMap;

    #[test]
    fn bundles_and_degrees_stay() {
        for base in ["torus:8x8", "imase_itoh:64,6", "hypercube:6"] {
            let before = build(base).unwrap().graph;
            let after = build(&format!("random_swapping:base=\"{base}\",z=8")).unwrap().graph;
            let bundles = |graph: &crate::topology::Graph| {
                let mut bundles: BTreeMap<(usize, usize), usize> = BTreeMap::new();
                for (u, v) in graph.cable_ends() {
                    *bundles.entry((u.index() / 8, v.index() / 8)).or_default() += 1;
                }
                bundles
            };
            assert_ne!(before, after);
            assert_eq!(bundles(&before), bundles(&after), "{base}");
            for s in (0..64).map(crate::ids::SwitchId) {
                assert_eq!((before.out_degree(s), before.in_degree(s)), (after.out_degree(s), after.in_degree(s)));
            }
        }
    }

    #[test]
    fn cables_keep_their_lengths_on_the_floor() {
        use crate::floorplan::{FloorOptions, FloorPlan};
        // The cabinets of the base count: 8 switches, 16 if it has none, 4 if its own base has them.
        for base in ["dragonfly_fc:8,16", "skywalk:z=8,c=16,di=4,do=4", "torus:8x8", "skywalk:z=4,c=16,di=2,do=4"] {
            let metres = |spec: &str| {
                let topology = build(spec).unwrap();
                let plan = FloorPlan::new(&topology, &FloorOptions::default()).unwrap();
                (topology.graph.cables(), plan.cabinets, plan.cables(&topology.graph).total.to_bits())
            };
            let (before, after) = (metres(base), metres(&format!("random_swapping:base=\"{base}\"")));
            assert_eq!(before, after, "{base}");
        }
    }

    #[test]
    fn a_bad_base_is_a_bad_parameter() {
        for spec in
            ["random_swapping:torus:0x4", "random_swapping:graph.json", "random_swapping:random_swapping:ring:8"]
        {
            assert!(matches!(build(spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
        }
    }
}
