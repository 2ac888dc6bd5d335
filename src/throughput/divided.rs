//! Traffic of rules that divide messages over paths that are not all shortest ones.
//!
//! The parts of each class come from the rule itself ([`Routing::parts`]), as in replays, so any such rule is judged here.

use super::carried::{BATCH, Carried, Incidence, MAX_ENTRIES, MAX_SPLIT_WORK, disconnected, ends_of, host_link};
use super::demand::{Class, Demand};
use super::{Network, ThroughputError};
use crate::ids::SwitchId;
use crate::routing::Routing;
use crate::steps::Steps;
use crate::topology::ArcId;
use rayon::prelude::*;

/// Arcs of a class, with the part of it on each.
type Parts = Vec<(ArcId, f64)>;

/// Number of classes that a thread takes at a time; each may use all arcs.
const CHUNK: usize = 64;

/// Routes all traffic, by the rule of each plane. A step is a class.
///
/// # Errors
/// [`ThroughputError`] if there is no path, or if there are too many.
pub(super) fn divided(
    network: &Network,
    routings: &[Box<dyn Routing>],
    demand: &Demand,
    steps: &Steps,
) -> Result<Carried, ThroughputError> {
    let arcs = network.topology.graph.arcs();
    if demand.classes.len() as u64 * arcs as u64 > MAX_SPLIT_WORK {
        return Err(ThroughputError::TooLarge {
            what: "dividing all traffic".into(),
            value: format!("{} classes of flows times {arcs} arcs", demand.classes.len()),
            limit: format!("{MAX_SPLIT_WORK}; `valiant` has one path for each pair of hosts"),
        });
    }
    let mut incidence = Some(Incidence { first: vec![0], ..Incidence::default() });
    let mut loads = vec![0.0; arcs];
    let chunks: Vec<&[Class]> = demand.classes.chunks(CHUNK).collect();
    for batch in chunks.chunks(BATCH) {
        let parts_of = |class: &Class| {
            let (plane, mut parts) = (class.plane as usize, Vec::new());
            match routings[plane].parts(&ends_of(network, class), &mut parts) {
                true => Ok(parts),
                false => Err(disconnected(network, class)),
            }
        };
        let parted: Vec<Result<Vec<Parts>, ThroughputError>> = batch
            .par_iter()
            .map(|classes| {
                let parts = classes.iter().map(parts_of).collect();
                steps.did(classes.len() as u64);
                parts
            })
            .collect();
        for (classes, parted) in batch.iter().zip(parted) {
            for (class, parts) in classes.iter().zip(parted?) {
                let first = network.planes[class.plane as usize].first_arc;
                parts.iter().for_each(|(arc, part)| loads[(first + arc.0) as usize] += part * class.demand);
                if let Some(Incidence { first: starts, links, parts: shares }) = &mut incidence {
                    links.extend(parts.iter().map(|(arc, _)| network.link(ArcId(first + arc.0))));
                    shares.extend(parts.iter().map(|(_, part)| part));
                    links.extend(host_link(network, class));
                    shares.extend(host_link(network, class).map(|_| 1.0));
                    starts.push(links.len());
                }
            }
            if incidence.as_ref().is_some_and(|incidence| incidence.links.len() > MAX_ENTRIES) {
                incidence = None;
            }
        }
    }
    let longest = |weights: &[f64]| {
        let of_plane = |plane: usize| {
            let own = &network.planes[plane];
            let range = own.first_arc as usize..own.first_arc as usize + own.topology.graph.arcs();
            let mut pairs: Vec<(SwitchId, SwitchId)> = demand
                .classes
                .iter()
                .filter(|class| class.plane as usize == plane)
                .map(|class| (SwitchId(class.from - own.first_switch), SwitchId(class.to - own.first_switch)))
                .collect();
            pairs.dedup();
            routings[plane].longest(&pairs, &weights[range])
        };
        (0..routings.len()).map(of_plane).fold(0.0, f64::max)
    };
    let max_hops = longest(&vec![1.0; arcs]) as u32;
    let max_delay = (longest(&network.delays), longest(&network.bare_delays));
    Ok(Carried { arcs: loads, max_hops, max_delay, incidence })
}
