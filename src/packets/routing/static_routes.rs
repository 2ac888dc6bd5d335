//! Static routes of any routing of `mopsim topology --route`, made free of deadlock by the number of the hop: hop number
//! i travels on virtual channel i.

use super::amin::by_hops;
use super::{At, Candidate, Head, Request, Rule};
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use crate::routing::{self, Options};
use rayon::prelude::*;
use std::sync::Arc;

/// Most hops of all routes together: 2 bytes each.
const MAX_HOPS: usize = 1 << 30;

struct StaticRoutes {
    wiring: Arc<Wiring>,
    /// Place of each switch among those with hosts.
    place: Vec<u32>,
    with_hosts: usize,
    /// The cables of the route from place `a` to place `b` are `cables[first[a * with_hosts + b]..]`.
    first: Vec<u32>,
    cables: Vec<u16>,
    longest: u32,
    name: String,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let wiring = request.wiring.clone();
    let topology = &wiring.topology;
    let name = request.argument.unwrap_or(routing::default_for(topology));
    let kind = routing::find(name)?;
    if kind.by_host {
        return Err(request.unsuitable(
            &format!("routing `{}` has routes for each host, and packets are routed by switches", kind.name),
            "`static:bfs` and `static:ecmp` fit every network",
        ));
    }
    let delays: Vec<f64> = wiring.latency.iter().map(|&cycles| f64::from(cycles)).collect();
    let routes = (kind.build)(topology, &Options { seed: request.seed, arc_delays: Some(&delays) })?;
    let switches: Vec<u32> = (0..wiring.switches() as u32).filter(|&s| wiring.hosts_of(s) > 0).collect();
    let mut place = vec![u32::MAX; wiring.switches()];
    (0..).zip(&switches).for_each(|(index, &s)| place[s as usize] = index);
    let too_large = |hops: usize| PacketError::TooLarge {
        topology: topology.name(),
        reason: format!(
            "the static routes of {} switches have more than {hops} hops in all; `amin` and `dimension-order` need less",
            switches.len()
        ),
    };
    if switches.len().saturating_mul(switches.len()) > MAX_HOPS / 2 {
        return Err(too_large(MAX_HOPS));
    }
    let row = |&from: &u32| {
        let (mut lengths, mut cables, mut arcs) = (Vec::with_capacity(switches.len()), Vec::new(), Vec::new());
        for &to in &switches {
            arcs.clear();
            if !routes.route(SwitchId(from), SwitchId(to), &mut arcs) {
                return Err((from, to));
            }
            lengths.push(arcs.len() as u32);
            cables.extend(arcs.iter().map(|&arc| wiring.output_of(arc) as u16));
        }
        Ok((lengths, cables))
    };
    let rows: Result<Vec<_>, (u32, u32)> = switches.par_iter().map(row).collect();
    let rows = rows.map_err(|(from, to)| PacketError::Disconnected { topology: topology.name(), from, to })?;
    let hops: usize = rows.iter().map(|row| row.1.len()).sum();
    if hops > MAX_HOPS {
        return Err(too_large(MAX_HOPS));
    }
    let (mut first, mut cables, mut longest) = (vec![0], Vec::with_capacity(hops), 0);
    for (lengths, row) in rows {
        for length in lengths {
            longest = longest.max(length);
            first.push(first[first.len() - 1] + length);
        }
        cables.extend(row);
    }
    let with_hosts = switches.len();
    let name = format!("static:{}", kind.name);
    Ok(Box::new(StaticRoutes { wiring, place, with_hosts, first, cables, longest, name }))
}

impl Rule for StaticRoutes {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        // The note keeps the place of the switch where the packet entered.
        if head.hops == 0 {
            head.note = self.place[at.switch as usize];
        }
        let pair = head.note as usize * self.with_hosts + self.place[head.target as usize] as usize;
        let cable = self.cables[(self.first[pair] + head.hops) as usize];
        by_hops(self.wiring.first_cable(at.switch), u32::from(cable), head)
    }

    fn vcs_needed(&self) -> u32 {
        self.longest.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }

    fn note(&self) -> Option<String> {
        Some(format!("routes of {}, longest {} hops", self.name, self.longest))
    }
}
