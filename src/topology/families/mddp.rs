//! Common parts of the two MDDP families: reducing or growing a dense known graph to n switches.
//!
//! MDDP ("modified degree-diameter solutions") is a network of *A Case for Uni-Directional Network Topologies in
//! Large-Scale Clusters*; the procedure itself is in a paper that could not be obtained. This is a heuristic of our
//! own: take the known graph of nearest order, then remove random switches and connect their neighbours, or insert
//! switches into cables without a common switch. Results are comparable with those of the publication, not equal to
//! them.

use crate::topology::family::Arguments;
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::metrics::distances;
use crate::topology::{Graph, Randomness, TopologyError, derived_seed, family};
use std::collections::HashSet;

/// Number of instances until one is connected.
const ATTEMPTS: u64 = 20;

/// Attempts for each choice within an instance.
const TRIES: usize = 200;

/// Largest product of the number of inserted or removed switches and the square of the degree.
const MAX_WORK: u128 = 1 << 29;

/// Most attempts of the local search. Each checks all distances: the limit is minutes for some hundred switches.
const MAX_SEARCH: usize = 1 << 20;

/// Graph under construction. An undirected cable is an arc in each direction.
pub(super) struct Draft {
    directed: bool,
    /// The arcs out of each switch; `None` for a switch that was removed.
    out: Vec<Option<Vec<u32>>>,
    into: Vec<Vec<u32>>,
    alive: Vec<u32>,
    /// A switch that lost a cable in a removal and waits for a partner.
    spare: Option<u32>,
}

impl Draft {
    /// Returns the graph with these cables, none of them named twice.
    fn new(n: usize, directed: bool, cables: &[(u32, u32)]) -> Self {
        let mut draft = Self {
            directed,
            out: vec![Some(Vec::new()); n],
            into: vec![Vec::new(); n],
            alive: (0..n as u32).collect(),
            spare: None,
        };
        for &(u, v) in cables {
            draft.join(u, v);
        }
        draft
    }

    fn heads(&self, u: u32) -> &[u32] {
        self.out[u as usize].as_deref().unwrap_or(&[])
    }

    fn joined(&self, u: u32, v: u32) -> bool {
        self.heads(u).contains(&v)
    }

    fn join(&mut self, u: u32, v: u32) {
        let arcs = [(u, v), (v, u)];
        for &(u, v) in &arcs[..if self.directed { 1 } else { 2 }] {
            self.out[u as usize].get_or_insert_default().push(v);
            self.into[v as usize].push(u);
        }
    }

    fn part(&mut self, u: u32, v: u32) {
        let arcs = [(u, v), (v, u)];
        for &(u, v) in &arcs[..if self.directed { 1 } else { 2 }] {
            self.out[u as usize].get_or_insert_default().retain(|&head| head != v);
            self.into[v as usize].retain(|&tail| tail != u);
        }
    }

    /// Removes a random switch and connects its neighbours; `None` if none of the attempted switches can be removed.
    fn remove(&mut self, random: &mut Randomness) -> Option<()> {
        for _ in 0..TRIES {
            let place = random.below(self.alive.len());
            let gone = self.alive[place];
            let Some(pairs) = self.heal(gone, random) else { continue };
            for tail in self.into[gone as usize].clone() {
                self.part(tail, gone);
            }
            for head in self.heads(gone).to_vec() {
                self.part(gone, head);
            }
            for (u, v) in pairs {
                self.join(u, v);
            }
            self.alive.swap_remove(place);
            self.out[gone as usize] = None;
            return Some(());
        }
        None
    }

    /// Returns the new cables between the neighbours of a removed switch.
    fn heal(&mut self, gone: u32, random: &mut Randomness) -> Option<Vec<(u32, u32)>> {
        let fresh = |pairs: &[(u32, u32)]| {
            let ordered = |(u, v): (u32, u32)| if self.directed { (u, v) } else { (u.min(v), u.max(v)) };
            pairs.iter().enumerate().all(|(i, &(u, v))| {
                u != v && !self.joined(u, v) && pairs[..i].iter().all(|&other| ordered(other) != ordered((u, v)))
            })
        };
        if self.directed {
            let tails = &self.into[gone as usize];
            let mut heads = self.heads(gone).to_vec();
            return (0..TRIES).find_map(|_| {
                random.shuffle(&mut heads);
                let pairs: Vec<(u32, u32)> = tails.iter().copied().zip(heads.iter().copied()).collect();
                fresh(&pairs).then_some(pairs)
            });
        }
        // With an odd number of neighbours one remains; it waits for the next removal.
        let mut ends = self.heads(gone).to_vec();
        ends.extend(self.spare.filter(|&spare| spare != gone));
        let (pairs, spare) = (0..TRIES).find_map(|_| {
            random.shuffle(&mut ends);
            let pairs: Vec<(u32, u32)> = ends.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            fresh(&pairs).then(|| (pairs, ends.chunks_exact(2).remainder().first().copied()))
        })?;
        self.spare = spare;
        Some(pairs)
    }

    /// Inserts a new switch into `count` random cables that share no tail and no head, or, if undirected, no switch.
    fn insert(&mut self, count: usize, random: &mut Randomness) -> Option<()> {
        let chosen = (0..TRIES).find_map(|_| self.apart(count, random))?;
        let new = self.out.len() as u32;
        self.out.push(Some(Vec::new()));
        self.into.push(Vec::new());
        self.alive.push(new);
        for (u, v) in chosen {
            self.part(u, v);
            self.join(u, new);
            self.join(new, v);
        }
        Some(())
    }

    /// Returns `count` random cables without a common tail and a common head, or, if undirected, without a common
    /// switch.
    fn apart(&self, count: usize, random: &mut Randomness) -> Option<Vec<(u32, u32)>> {
        // A small share of the switches is drawn one by one, a large one from a random order.
        let dense = 4 * count > self.alive.len();
        let mut order = if dense { self.alive.clone() } else { Vec::new() };
        random.shuffle(&mut order);
        let mut order = order.into_iter();
        let (mut tails, mut heads) = (HashSet::new(), HashSet::new());
        let mut chosen: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut tries = TRIES + 2 * count;
        while chosen.len() < count {
            tries = tries.checked_sub(1)?;
            let u = if dense { order.next()? } else { self.alive[random.below(self.alive.len())] };
            let free = |u: u32| !tails.contains(&u) && (self.directed || !heads.contains(&u));
            let open = |v: u32| !heads.contains(&v) && (self.directed || !tails.contains(&v));
            let out = self.heads(u);
            if !free(u) || out.is_empty() {
                continue;
            }
            let drawn = (0..8).map(|_| out[random.below(out.len())]).find(|&v| open(v)).or_else(|| {
                let fitting: Vec<u32> = out.iter().copied().filter(|&v| open(v)).collect();
                (!fitting.is_empty()).then(|| fitting[random.below(fitting.len())])
            });
            if let Some(v) = drawn {
                tails.insert(u);
                heads.insert(v);
                chosen.push((u, v));
            }
        }
        Some(chosen)
    }

    /// Returns the graph, its switches renumbered in the order of their old numbers.
    fn graph(&self) -> Result<Graph, TopologyError> {
        let mut numbers = vec![0_u32; self.out.len()];
        let mut n = 0;
        for (switch, out) in self.out.iter().enumerate() {
            numbers[switch] = n;
            n += u32::from(out.is_some());
        }
        let mut cables = Vec::new();
        for (u, heads) in (0..).zip(&self.out) {
            let heads = heads.as_deref().unwrap_or(&[]).iter().filter(|&&v| self.directed || u < v);
            cables.extend(heads.map(|&v| (numbers[u as usize], numbers[v as usize])));
        }
        if self.directed { Graph::directed(n as usize, cables) } else { Graph::undirected(n as usize, cables) }
    }
}

/// Cuts or grows the graph with these cables to n switches; each new switch goes into `cut` cables.
pub(super) fn fit(
    arguments: &Arguments,
    directed: bool,
    (order, cables): (usize, &[(u32, u32)]),
    n: usize,
    cut: usize,
) -> Result<Graph, TopologyError> {
    let budget = arguments.count("search", 0, MAX_SEARCH)?;
    let degree = arguments.count("d", 1, MAX_SWITCHES)? as u128;
    if order.abs_diff(n) as u128 * degree * degree > MAX_WORK {
        let rule = format!("the nearest known graph has {order} switches, and the way from there is too much work");
        return Err(arguments.invalid("n", rule));
    }
    let seed = arguments.seed().expect("the seed has a default");
    let attempt = |random: &mut Randomness| {
        let mut draft = Draft::new(order, directed, cables);
        for _ in n..order {
            draft.remove(random)?;
        }
        for _ in order..n {
            draft.insert(cut, random)?;
        }
        Some(draft)
    };
    for number in 0..ATTEMPTS {
        let mut random = Randomness::new(derived_seed(seed, number));
        let Some(draft) = attempt(&mut random) else { continue };
        let graph = draft.graph()?;
        if graph.is_connected() {
            return shortened(graph, budget, &mut random);
        }
    }
    Err(TopologyError::Unbuildable {
        topology: family::canonical(arguments),
        reason: format!("none of {ATTEMPTS} random instances could be cut or grown to {n} connected switches"),
    })
}

/// Local search: `a -> b, c -> e` become `a -> e, c -> b` if neither the diameter nor the sum of distances grows.
fn shortened(graph: Graph, budget: usize, random: &mut Randomness) -> Result<Graph, TopologyError> {
    let mut best = graph;
    if budget == 0 || best.cables() < 2 {
        return Ok(best);
    }
    let score = |graph: &Graph| distances(graph).map(|d| (d.diameter(), d.sum));
    let mut reached = score(&best)?;
    let mut cables: Vec<(u32, u32)> = best.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
    for _ in 0..budget {
        let (i, j) = (random.below(cables.len()), random.below(cables.len()));
        let ((a, b), (mut c, mut e)) = (cables[i], cables[j]);
        if !best.is_directed() && random.below(2) == 1 {
            (c, e) = (e, c);
        }
        let mut tried = cables.clone();
        (tried[i], tried[j]) = ((a, e), (c, b));
        let n = best.switches();
        let graph =
            if best.is_directed() { Graph::directed(n, tried.clone()) } else { Graph::undirected(n, tried.clone()) }?;
        if i == j || graph.cables() < cables.len() || !graph.is_connected() {
            continue;
        }
        let now = score(&graph)?;
        if now.0 <= reached.0 && now.1 <= reached.1 {
            (best, reached, cables) = (graph, now, tried);
        }
    }
    Ok(best)
}
