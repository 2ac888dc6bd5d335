//! A hard permutation: farthest pairs (the longest matching of S. Jyothi, A. Singla, P. Godfrey and A. Kolla, Measuring
//! and Understanding Throughput of Network Topologies, 2016, section III). Among all permutations it uses the most link
//! capacity if every message takes a shortest path. That makes it hard for any routing, though not the hardest for
//! each.

use super::arguments::PatternArguments;
use super::matching::heaviest;
use super::{Flows, PatternInput, TrafficError};
use crate::ids::SwitchId;
use crate::topology::hops::{FAR, distances};
use rayon::prelude::*;

/// Beyond this number of switches with hosts attached the matching is greedy.
const MAX_EXACT: usize = 1024;
/// Work (switches times arcs) beyond which it is rejected.
const MAX_WORK: u64 = 1 << 36;

struct Matched {
    destination: Vec<u32>,
    exact: bool,
}

impl Flows for Matched {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        visit(self.destination[source as usize], 1.0);
    }

    fn note(&self) -> Option<String> {
        (!self.exact).then(|| format!("beyond {MAX_EXACT} switches (hosts, where switches bear different numbers of them) the farthest pairs are matched greedily"))
    }
}

pub(super) fn build(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Result<Box<dyn Flows>, TrafficError> {
    let (graph, hosts) = (&*setting.topology.graph, setting.host_switch);
    // If all switches have the same number of hosts, switches are matched and hosts follow; otherwise host by host.
    let groups: Vec<&[u32]> = hosts.chunk_by(|a, b| a == b).collect();
    let size = groups[0].len();
    let size = if groups.iter().all(|group| group.len() == size) { size } else { 1 };
    let units: Vec<u32> = hosts.iter().copied().step_by(size).collect();
    let work = units.len() as u64 * graph.arcs() as u64;
    if work > MAX_WORK {
        let reason =
            format!("{} times {} arcs are too many to search; the limit is {MAX_WORK}", units.len(), graph.arcs());
        return Err(TrafficError::Invalid { pattern: "worst_case".into(), reason });
    }
    let disconnected = |from: u32, to: u32| TrafficError::Disconnected { topology: setting.topology.name(), from, to };
    let exact = units.len() <= MAX_EXACT;
    let matched: Vec<u32> = if exact {
        let to_each: Vec<Vec<u32>> = units.par_iter().map(|&to| distances(graph, SwitchId(to)).0).collect();
        let n = units.len();
        let mut weight = vec![0; n * n];
        for (row, &from) in units.iter().enumerate() {
            for (column, distance) in to_each.iter().enumerate() {
                if distance[from as usize] == FAR {
                    return Err(disconnected(from, units[column]));
                }
                weight[row * n + column] = distance[from as usize];
            }
        }
        heaviest(n, &weight)
    } else {
        // Each destination takes the farthest remaining source, the lowest of equals.
        let mut taken = vec![false; units.len()];
        let mut matched = vec![0; units.len()];
        for (unit, &to) in (0..).zip(&units) {
            let (distance, _) = distances(graph, SwitchId(to));
            let free = (0..units.len()).filter(|&source| !taken[source]);
            let farthest = free.max_by_key(|&source| (distance[units[source] as usize], std::cmp::Reverse(source)));
            let source = farthest.expect("as many sources as destinations");
            if distance[units[source] as usize] == FAR {
                return Err(disconnected(units[source], to));
            }
            taken[source] = true;
            matched[source] = unit;
        }
        matched
    };
    let destination = (0..hosts.len()).map(|host| matched[host / size] * size as u32 + (host % size) as u32).collect();
    Ok(Box::new(Matched { destination, exact }))
}
