//! Links on the path of each class: one route for each, all shortest paths, or the paths of another rule that divides
//! traffic (`divided`).
//!
//! Splitting is that of a fluid: at every switch equal parts for all next hops that are one hop nearer to the
//! destination. The traffic on links needs one sweep for each destination, whatever the number of pairs. The traffic of
//! single classes on each link, which max-min rates need, takes more memory; there is a limit.

use super::carried::{BATCH, Carried, Incidence, MAX_ENTRIES, MAX_SPLIT_WORK, disconnected, ends_of, host_link};
use super::demand::{Class, Demand};
use super::divided::divided;
use super::{Network, ThroughputError};
use crate::ids::SwitchId;
use crate::routing::{Chosen, Options, Routing, RoutingError, RoutingSpec, Scope};
use crate::steps::Steps;
use crate::topology::ArcId;
use crate::topology::hops::{FAR, Pouring, distances, gather, nearer};
use rayon::prelude::*;

/// Number of classes that a thread takes at a time. It determines the order of additions, so it is the same for any
/// number of threads.
const CHUNK: usize = 2048;

/// Checks that a routing of this name exists, or one for each plane, separated by semicolons.
///
/// # Errors
/// [`ThroughputError`].
pub fn check(name: &str) -> Result<(), ThroughputError> {
    name.split(';').try_for_each(|rule| Ok(rule.parse::<RoutingSpec>().map(drop)?))
}

/// Remark on a rule that draws once for each pair of hosts.
const ONE_DRAW: &str = "`valiant` draws one way for each pair of hosts, as a route table does; where each packet draws its own, \
                        the loads are those of `valiant-split`";

/// Paths of the classes.
pub enum Paths {
    /// One route for each class, by the rule of its plane.
    Single(Vec<Box<dyn Routing>>),
    /// All shortest paths.
    Split,
    /// The paths of a rule that divides traffic otherwise, by the rule of its plane.
    Divided(Vec<Box<dyn Routing>>),
}

/// Routing rule, with its name.
pub struct RoutingRule {
    /// Name for reports.
    pub name: String,
    /// Seed, if it is random.
    pub seed: Option<u64>,
    /// `true` if all routes are shortest.
    pub shortest: bool,
    /// Input on which a route depends.
    pub scope: Scope,
    /// "static" or "adaptive".
    pub nature: &'static str,
    /// Remark on its results, for reports.
    pub remark: Option<&'static str>,
    paths: Paths,
}

impl RoutingRule {
    /// Returns the rule of a specification, or the rules of all planes. Rules that choose message by message have no fluid form
    /// and are rejected.
    ///
    /// # Errors
    /// [`ThroughputError::Routing`].
    pub fn new(name: &str, network: &Network, seed: u64) -> Result<Self, ThroughputError> {
        let specs = RoutingSpec::for_planes(name, network.planes.len())?;
        let unsuitable = |spec: &RoutingSpec, reason: &str| {
            let (routing, topology) = (spec.to_string(), network.topology.name());
            ThroughputError::from(RoutingError::Unsuitable { routing, topology, reason: reason.to_owned() })
        };
        let (mut single, mut divided) = (Vec::with_capacity(specs.len()), Vec::new());
        for (plane, spec) in network.planes.iter().zip(&specs) {
            let arcs = plane.first_arc as usize..plane.first_arc as usize + plane.topology.graph.arcs();
            let options = Options { seed, arc_delays: Some(&network.delays[arcs]), hosts: Some(&plane.ports_on) };
            let routing = spec.build_on_plane(&network.topology, &plane.topology, &options)?;
            match routing.chosen() {
                Chosen::Once => single.push(routing),
                Chosen::Split if spec.kind.shortest => {}
                Chosen::Split => divided.push(routing),
                Chosen::PerMessage | Chosen::ByLoad => {
                    let reason = "it chooses a path per message, and steady traffic has no messages; `split` and \
                                  `valiant-split` are the nearest static rules";
                    return Err(unsuitable(spec, reason));
                }
            }
        }
        let paths = match (single.len(), divided.len()) {
            (0, 0) => Paths::Split,
            (all, 0) if all == specs.len() => Paths::Single(single),
            (0, all) if all == specs.len() => Paths::Divided(divided),
            _ => {
                return Err(unsuitable(
                    &specs[0],
                    "some planes divide traffic, and others do not, or in another way; give all planes one kind",
                ));
            }
        };
        Ok(Self {
            name: RoutingSpec::text_of(&specs),
            seed: specs.iter().any(|spec| spec.kind.random).then_some(seed),
            shortest: specs.iter().all(|spec| spec.kind.shortest),
            scope: specs.iter().map(RoutingSpec::scope).max().unwrap_or(Scope::Switches),
            nature: specs[0].kind.nature(),
            remark: specs.iter().any(|spec| spec.kind.name == "valiant").then_some(ONE_DRAW),
            paths,
        })
    }
}

/// Routes all traffic. A step is a class.
///
/// # Errors
/// [`ThroughputError`] if there is no path, or if there are too many.
pub fn carry(
    network: &Network,
    rule: &RoutingRule,
    demand: &Demand,
    steps: &Steps,
) -> Result<Carried, ThroughputError> {
    steps.expect(demand.classes.len() as u64);
    match &rule.paths {
        Paths::Single(routings) => single(network, routings, demand, steps),
        Paths::Split => split(network, demand, steps),
        Paths::Divided(routings) => divided(network, routings, demand, steps),
    }
}

/// Traffic of a chunk of classes.
#[derive(Default)]
struct Piece {
    counts: Vec<u32>,
    links: Vec<u32>,
    parts: Vec<f64>,
}

fn single(
    network: &Network,
    routings: &[Box<dyn Routing>],
    demand: &Demand,
    steps: &Steps,
) -> Result<Carried, ThroughputError> {
    let graph = &network.topology.graph;
    let mut carried = Carried {
        arcs: vec![0.0; graph.arcs()],
        max_hops: 0,
        max_delay: (0.0, 0.0),
        incidence: Some(Incidence { first: vec![0], ..Incidence::default() }),
    };
    let chunks: Vec<&[Class]> = demand.classes.chunks(CHUNK).collect();
    for batch in chunks.chunks(BATCH) {
        let pieces: Vec<Result<Piece, ThroughputError>> = batch
            .par_iter()
            .map(|classes| {
                let (mut piece, mut arcs) = (Piece::default(), Vec::new());
                for class in *classes {
                    let before = arcs.len();
                    let plane = &network.planes[class.plane as usize];
                    if !routings[class.plane as usize].route_between(&ends_of(network, class), &mut arcs) {
                        return Err(disconnected(network, class));
                    }
                    arcs[before..].iter_mut().for_each(|arc: &mut ArcId| arc.0 += plane.first_arc);
                    piece.counts.push((arcs.len() - before) as u32);
                }
                piece.links = arcs.into_iter().map(|arc: ArcId| arc.0).collect();
                steps.did(classes.len() as u64);
                Ok(piece)
            })
            .collect();
        for (classes, piece) in batch.iter().zip(pieces) {
            let piece = piece?;
            let mut at = 0;
            for (class, &count) in classes.iter().zip(&piece.counts) {
                let arcs = &piece.links[at..at + count as usize];
                at += count as usize;
                let (mut with, mut without) = (0.0, 0.0);
                for &arc in arcs {
                    carried.arcs[arc as usize] += class.demand;
                    with += network.delays[arc as usize];
                    without += network.bare_delays[arc as usize];
                }
                carried.max_hops = carried.max_hops.max(count);
                carried.max_delay = (carried.max_delay.0.max(with), carried.max_delay.1.max(without));
                if let Some(incidence) = &mut carried.incidence {
                    incidence.links.extend(arcs.iter().map(|&arc| network.link(ArcId(arc))));
                    incidence.links.extend(host_link(network, class));
                    incidence.first.push(incidence.links.len());
                }
            }
            if carried.incidence.as_ref().is_some_and(|incidence| incidence.links.len() > MAX_ENTRIES) {
                carried.incidence = None;
            }
        }
    }
    Ok(carried)
}

/// Traffic to one destination on the arcs, and its longest path.
struct Sweep {
    /// Arcs and the demand on each.
    arcs: Vec<(u32, f64)>,
    hops: u32,
    delay: (f64, f64),
}

fn split(network: &Network, demand: &Demand, steps: &Steps) -> Result<Carried, ThroughputError> {
    let graph = &*network.topology.graph;
    let mut by_destination: Vec<u32> = (0..demand.classes.len() as u32).collect();
    by_destination.sort_unstable_by_key(|&class| (demand.classes[class as usize].to, class));
    let groups: Vec<&[u32]> =
        by_destination.chunk_by(|&a, &b| demand.classes[a as usize].to == demand.classes[b as usize].to).collect();
    if groups.len() as u64 * graph.arcs() as u64 > MAX_SPLIT_WORK {
        return Err(ThroughputError::TooLarge {
            what: "splitting over all shortest paths".into(),
            value: format!("{} destinations times {} arcs", groups.len(), graph.arcs()),
            limit: format!("{MAX_SPLIT_WORK}; single-path routings need no search for each destination"),
        });
    }
    let mut carried = Carried { arcs: vec![0.0; graph.arcs()], max_hops: 0, max_delay: (0.0, 0.0), incidence: None };
    // Traffic of each single class, as long as that is not too much.
    let mut pieces: Option<Vec<Piece>> = Some(Vec::with_capacity(groups.len()));
    let mut entries = 0;
    for batch in groups.chunks(BATCH) {
        let keep = pieces.is_some();
        let swept: Vec<Result<(Sweep, Piece), ThroughputError>> =
            batch.par_iter().map(|classes| sweep(network, demand, classes, keep)).collect();
        steps.did(batch.iter().map(|classes| classes.len() as u64).sum());
        for result in swept {
            let (sweep, piece) = result?;
            sweep.arcs.iter().for_each(|&(arc, load)| carried.arcs[arc as usize] += load);
            carried.max_hops = carried.max_hops.max(sweep.hops);
            carried.max_delay = (carried.max_delay.0.max(sweep.delay.0), carried.max_delay.1.max(sweep.delay.1));
            entries += piece.links.len() + 2 * piece.counts.len();
            if entries > MAX_ENTRIES {
                pieces = None;
            }
            if let Some(pieces) = &mut pieces {
                pieces.push(piece);
            }
        }
    }
    carried.incidence = pieces.map(|pieces| assembled(network, demand, &groups, &pieces));
    Ok(carried)
}

/// Distributes the demands of all classes with one destination over their shortest paths; with `keep`, also those of
/// each class alone.
fn sweep(network: &Network, demand: &Demand, classes: &[u32], keep: bool) -> Result<(Sweep, Piece), ThroughputError> {
    let graph = &*network.topology.graph;
    let class = |class: u32| &demand.classes[class as usize];
    let to = SwitchId(class(classes[0]).to);
    let (distance, order) = distances(graph, to);
    let mut height = vec![0.0; graph.switches()];
    let mut hops = 0;
    for &index in classes {
        let class = class(index);
        if distance[class.from as usize] == FAR {
            return Err(disconnected(network, class));
        }
        height[class.from as usize] += class.demand;
        hops = hops.max(distance[class.from as usize]);
    }
    let mut result = Sweep { arcs: Vec::new(), hops, delay: (0.0, 0.0) };
    gather(graph, (&distance, &order), &mut height, |arc, part| result.arcs.push((arc.0, part)));
    // The slowest of the shortest paths, from the destination outwards.
    let mut slowest = vec![(0.0_f64, 0.0_f64); graph.switches()];
    for &switch in &order {
        slowest[switch.index()] = nearer(graph, &distance, switch).fold((0.0, 0.0), |most, arc| {
            let (after, index) = (slowest[graph.head(arc).index()], arc.index());
            (most.0.max(after.0 + network.delays[index]), most.1.max(after.1 + network.bare_delays[index]))
        });
    }
    for &index in classes {
        let (with, without) = slowest[class(index).from as usize];
        result.delay = (result.delay.0.max(with), result.delay.1.max(without));
    }
    let piece = if keep { alone(network, demand, classes, &distance) } else { Piece::default() };
    Ok((result, piece))
}

/// Returns the links of each class and the part of it on each.
fn alone(network: &Network, demand: &Demand, classes: &[u32], distance: &[u32]) -> Piece {
    let graph = &*network.topology.graph;
    let mut piece = Piece::default();
    let mut pouring = Pouring::new(graph.switches());
    for &index in classes {
        let class = &demand.classes[index as usize];
        let before = piece.links.len();
        pouring.pour(graph, distance, SwitchId(class.from), |arc, part| {
            piece.links.push(network.link(arc));
            piece.parts.push(part);
        });
        piece.counts.push((piece.links.len() - before) as u32);
    }
    piece
}

/// Puts the pieces, which are by destination, into the order of the classes.
fn assembled(network: &Network, demand: &Demand, groups: &[&[u32]], pieces: &[Piece]) -> Incidence {
    let mut first = vec![0; demand.classes.len() + 1];
    for (group, piece) in groups.iter().zip(pieces) {
        for (&class, &count) in group.iter().zip(&piece.counts) {
            first[class as usize + 1] =
                count as usize + host_link(network, &demand.classes[class as usize]).iter().count();
        }
    }
    for class in 0..demand.classes.len() {
        first[class + 1] += first[class];
    }
    let entries = first[demand.classes.len()];
    let (mut links, mut parts) = (vec![0; entries], vec![1.0; entries]);
    for (group, piece) in groups.iter().zip(pieces) {
        let mut at = 0;
        for (&class, &count) in group.iter().zip(&piece.counts) {
            let (start, count) = (first[class as usize], count as usize);
            links[start..start + count].copy_from_slice(&piece.links[at..at + count]);
            parts[start..start + count].copy_from_slice(&piece.parts[at..at + count]);
            if let Some(link) = host_link(network, &demand.classes[class as usize]) {
                links[start + count] = link;
            }
            at += count;
        }
    }
    Incidence { first, links, parts }
}
