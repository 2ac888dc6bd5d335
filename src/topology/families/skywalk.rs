//! Skywalk: random cables within cabinets, and random cables between them with few per pair of cabinets.
//!
//! (*Skywalk: a Topology for HPC Networks with Low-delay Switches*.) c cabinets of z switches; switch `cabinet*z +
//! index`. Inside a cabinet the `di` cables of a switch are random (all pairs for `di = z - 1`). Between cabinets,
//! rounds of random matching run over the *cabinets*: `z*ds` rounds among those in one row or column, then `z*dd` among
//! the others. (The publication has "repeat d_k times", which is per switch; a cabinet has z times that number.) A
//! cabinet deals its cables to its switches in turn. With `do` alone, straight cables have priority: `ds = min(do,
//! ds_max)`, `dd = min(do - ds, dd_max)`, where `ds_max = ceil((rows + columns - 2)/z)`, `dd_max = ceil((rows -
//! 1)(columns - 1)/z)`. `r` limits cables to this fraction of the largest distance on the floor. Of ten instances the
//! connected one with the most cables is kept.

use super::cabinets::Floor;
use super::matching::{Joined, rounds};
use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Randomness, TopologyError, derived_seed, family};

/// Number of instances to choose from.
const INSTANCES: u64 = 10;

/// Largest number of cabinets: the possible partners are stored for every pair.
const MAX_CABINETS: usize = 1 << 13;

/// Largest product of rounds and pairs of cabinets; larger ones take minutes.
const MAX_WORK: u128 = 1 << 34;

struct Skywalk {
    z: usize,
    c: usize,
    di: usize,
    ds: usize,
    dd: usize,
    /// Possible straight partners of each cabinet.
    straight: Vec<Vec<u32>>,
    /// Possible diagonal partners of each cabinet.
    diagonal: Vec<Vec<u32>>,
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let skywalk = checked(arguments)?;
    let seed = arguments.seed().expect("the seed has a default");
    let most = skywalk.c * skywalk.z * (skywalk.di + skywalk.ds + skywalk.dd) / 2;
    let mut best: Option<Graph> = None;
    for instance in 0..INSTANCES {
        let graph = skywalk.instance(&mut Randomness::new(derived_seed(seed, instance)))?;
        if best.as_ref().is_none_or(|best| graph.cables() > best.cables()) && graph.is_connected() {
            let complete = graph.cables() == most;
            best = Some(graph);
            if complete {
                break;
            }
        }
    }
    best.ok_or_else(|| TopologyError::Unbuildable {
        topology: family::canonical(arguments),
        reason: format!("none of {INSTANCES} random instances is connected"),
    })
}

fn checked(arguments: &Arguments) -> Result<Skywalk, TopologyError> {
    let z = arguments.count("z", 1, MAX_SWITCHES)?;
    let c = arguments.count("c", 1, MAX_CABINETS)?;
    if z * c > MAX_SWITCHES {
        return Err(arguments.invalid("z", format!("z*c must be at most {MAX_SWITCHES} switches")));
    }
    let di = arguments.count("di", 0, z - 1)?;
    let floor = Floor::new(c);
    let straight_most = (floor.rows + floor.columns - 2).div_ceil(z);
    let diagonal_most = ((floor.rows - 1) * (floor.columns - 1)).div_ceil(z);
    let given = |name| arguments.get(name).is_some();
    let (ds, dd) = if given("do") {
        if let Some(other) = ["ds", "dd"].into_iter().find(|name| given(name)) {
            return Err(arguments.invalid(other, "it cannot be given together with `do`"));
        }
        let outside = arguments.count("do", 0, MAX_SWITCHES)?;
        let ds = outside.min(straight_most);
        (ds, (outside - ds).min(diagonal_most))
    } else if given("ds") || given("dd") {
        let or_none = |name, most| if given(name) { arguments.count(name, 0, most) } else { Ok(0) };
        (or_none("ds", straight_most)?, or_none("dd", diagonal_most)?)
    } else {
        return Err(arguments.invalid("do", "either `do`, or `ds` and `dd`, must be given"));
    };
    let r: Option<f64> = arguments.text("r").parse().ok().filter(|r| *r > 0.0 && *r <= 1.0);
    let r = r.ok_or_else(|| arguments.invalid("r", "it must be a number above 0 and at most 1"))?;
    arguments.limit_arcs("di", (z * c) as u128 * (di + ds + dd) as u128)?;
    if (c * c) as u128 * (z * (ds + dd)) as u128 > MAX_WORK {
        return Err(arguments.invalid("c", "this number of cabinets and of cables between them takes too long"));
    }
    // Slightly more than the product, so that rounding does not exclude a distance that should be allowed.
    let reach = r * floor.largest_distance() as f64 + 1e-9;
    let partners = |wanted: bool, straight: bool| -> Vec<Vec<u32>> {
        if !wanted {
            return vec![Vec::new(); c];
        }
        let of = |a: usize| {
            let fits = |&b: &usize| {
                let (rows, columns) = floor.steps(a, b);
                a != b && (rows == 0 || columns == 0) == straight && floor.distance(a, b) as f64 <= reach
            };
            (0..c).filter(fits).map(|b| b as u32).collect()
        };
        (0..c).map(of).collect()
    };
    Ok(Skywalk { z, c, di, ds, dd, straight: partners(ds > 0, true), diagonal: partners(dd > 0, false) })
}

impl Skywalk {
    fn instance(&self, random: &mut Randomness) -> Result<Graph, TopologyError> {
        let &Self { z, c, di, ds, dd, .. } = self;
        let mut cables = Vec::with_capacity(z * c * (di + ds + dd) / 2);
        for cabinet in 0..c {
            let first = (cabinet * z) as u32;
            let mut inside = Vec::new();
            if di == z - 1 {
                inside.extend((0..z as u32).flat_map(|u| (u + 1..z as u32).map(move |v| (u, v))));
            } else {
                rounds(z, di, &mut Joined::new(z), &mut inside, random);
            }
            cables.extend(inside.into_iter().map(|(u, v)| (first + u, first + v)));
        }
        let mut next = vec![0; c];
        for (per_switch, partners) in [(ds, &self.straight), (dd, &self.diagonal)] {
            for (a, b) in self.links(z * per_switch, partners, random) {
                let [u, v] = [a, b].map(|cabinet| {
                    let index = next[cabinet];
                    next[cabinet] = (index + 1) % z;
                    (cabinet * z + index) as u32
                });
                cables.push((u, v));
            }
        }
        Graph::undirected(z * c, cables)
    }

    /// Runs rounds of random matching over the cabinets, each with its possible partners.
    fn links(&self, rounds: usize, partners: &[Vec<u32>], random: &mut Randomness) -> Vec<(usize, usize)> {
        // Connected cabinets leave the list of partners.
        let mut allowed = partners.to_vec();
        let mut links = Vec::new();
        let mut used = vec![0; self.c];
        let mut candidates: Vec<u32> = Vec::new();
        for round in 1..=rounds {
            let mut order: Vec<u32> = (0..self.c as u32).collect();
            random.shuffle(&mut order);
            for a in order {
                if std::mem::replace(&mut used[a as usize], round) == round {
                    continue;
                }
                let partners = &allowed[a as usize];
                // Usually one of the first draws is free; otherwise one of the free ones is drawn.
                let drawn = (0..8.min(partners.len()))
                    .map(|_| partners[random.below(partners.len())])
                    .find(|&b| used[b as usize] != round)
                    .or_else(|| {
                        candidates.clear();
                        candidates.extend(partners.iter().copied().filter(|&b| used[b as usize] != round));
                        (!candidates.is_empty()).then(|| candidates[random.below(candidates.len())])
                    });
                if let Some(b) = drawn {
                    used[b as usize] = round;
                    links.push((a as usize, b as usize));
                    for (from, to) in [(a, b), (b, a)] {
                        let list = &mut allowed[from as usize];
                        let place = list.binary_search(&to).expect("joined cabinets were allowed on both sides");
                        list.remove(place);
                    }
                }
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use crate::topology::TopologyError;
    use crate::topology::build;

    #[test]
    fn limits_follow_from_the_floor() {
        // 16 cabinets in a square: 6 straight partners and 9 diagonal ones; with z = 4 that is ds <= 2 and dd <= 3.
        let refused = |spec: &str| matches!(build(spec), Err(TopologyError::InvalidParameter { .. }));
        assert!(build("skywalk:z=4,c=16,di=3,ds=2,dd=3").is_ok());
        for spec in
            ["di=4,do=1", "di=3,ds=3", "di=3,ds=2,dd=4", "di=3", "di=3,do=1,ds=1", "di=3,do=1,r=0", "di=3,do=1,r=2"]
        {
            assert!(refused(&format!("skywalk:z=4,c=16,{spec}")), "{spec}");
        }
    }

    #[test]
    fn with_all_cables_it_is_nearly_the_fully_connected_dragonfly() {
        let skywalk = build("skywalk:z=4,c=16,di=3,ds=2,dd=3").unwrap().graph;
        let dragonfly = build("dragonfly_fc:z=4,c=16").unwrap().graph;
        assert!(skywalk.cables() as f64 > 0.95 * dragonfly.cables() as f64);
    }

    #[test]
    fn a_limit_on_length_holds() {
        let graph = build("skywalk:z=4,c=64,di=3,do=4,r=0.3").unwrap().graph;
        let floor = super::Floor::new(64);
        let longest = graph.cable_ends().map(|(u, v)| floor.distance(u.index() / 4, v.index() / 4)).max().unwrap();
        assert!(longest as f64 <= 0.3 * floor.largest_distance() as f64, "{longest}");
    }
}
