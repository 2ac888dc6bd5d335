//! Each switch takes the first hop of its own tree of shortest paths, in which the parent of a switch is its
//! lowest-numbered neighbour one hop nearer to the root. Hop number i travels on virtual channel i.

use super::amin::by_hops;
use super::rule::{At, Candidate, Head, Request, Rule};
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use crate::prefetch::prefetch;
use rayon::prelude::*;
use std::sync::Arc;

/// Largest table, in bytes.
const MAX_BYTES: usize = 1 << 31;
const NONE: u16 = u16::MAX;

struct FirstHop {
    wiring: Arc<Wiring>,
    /// The first cable, by switch and target.
    cable: Vec<u16>,
    diameter: u32,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    let n = request.wiring.switches();
    if n.saturating_mul(2 * n) > MAX_BYTES {
        let reason = format!("the first hops of {n} switches take {} GiB, and may take 2", (2 * n * n) >> 30);
        return Err(PacketError::TooLarge { topology: request.wiring.topology.name(), reason });
    }
    let rows: Vec<(Vec<u16>, u32)> = (0..n as u32).into_par_iter().map(|root| tree(request.wiring, root)).collect();
    let diameter = rows.iter().map(|row| row.1).max().unwrap_or(0);
    let cable = rows.into_iter().flat_map(|row| row.0).collect();
    Ok(Box::new(FirstHop { wiring: request.wiring.clone(), cable, diameter }))
}

/// Returns the first cable from a root to every switch, and the height of its tree over switches with hosts.
fn tree(wiring: &Wiring, root: u32) -> (Vec<u16>, u32) {
    let graph = &wiring.topology.graph;
    let n = wiring.switches();
    let (mut first, mut seen) = (vec![NONE; n], vec![false; n]);
    seen[root as usize] = true;
    let (mut level, mut depth, mut height) = (vec![root], 0, 0);
    while !level.is_empty() {
        depth += 1;
        let mut next = Vec::new();
        // Parents in ascending order: the lowest one takes a child first.
        level.sort_unstable();
        for &at in &level {
            for arc in graph.out_arcs(SwitchId(at)) {
                let head = graph.head(arc).index();
                if !std::mem::replace(&mut seen[head], true) {
                    first[head] = if at == root { wiring.output_of(arc) as u16 } else { first[at as usize] };
                    if wiring.hosts_of(head as u32) > 0 && wiring.hosts_of(root) > 0 {
                        height = depth;
                    }
                    next.push(head as u32);
                }
            }
        }
        level = next;
    }
    (first, height)
}

impl Rule for FirstHop {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let cable = self.cable[at.switch as usize * self.wiring.switches() + head.target as usize];
        by_hops(self.wiring.first_cable(at.switch), u32::from(cable), head)
    }

    fn prefetch(&self, from: u32, target: u32, _to: u32, _is_new: bool) {
        prefetch(&self.cable[from as usize * self.wiring.switches() + target as usize]);
    }

    fn reads_pairs(&self) -> bool {
        true
    }

    fn reads_loads(&self) -> bool {
        false
    }

    fn vcs_needed(&self) -> u32 {
        self.diameter.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }
}
