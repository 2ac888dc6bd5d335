//! Static routes of any routing of `mopsim topology --route`, made free of deadlock by the number of the hop: hop number
//! i travels on virtual channel i.

use super::amin::by_hops;
use super::rule::{At, Candidate, Head, Request, Rule};
use crate::defaults::Version;
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::parameters::HostPort;
use crate::packets::wiring::Wiring;
use crate::routing::{self, Chosen, Ends, Options, RoutingSpec, Scope};
use rayon::prelude::*;
use std::sync::Arc;

/// Bits of a note.
const NOTE: u32 = 24;
/// Most hops of all routes together: 2 bytes each.
const MAX_HOPS: usize = 1 << 30;

struct StaticRoutes {
    wiring: Arc<Wiring>,
    /// Dependence of routes: on the switches alone, or on the hosts.
    scope: Scope,
    /// Place of each switch among those with hosts.
    place: Vec<u32>,
    /// Number of destinations: switches with hosts, or hosts.
    columns: usize,
    /// The cables of the route from row `a` to column `b` are `cables[first[a * columns + b]..]`.
    first: Vec<u32>,
    cables: Vec<u16>,
    /// `true` if the note of a packet stores the first cable of its route instead of its row: places of cables fit into a
    /// note.
    places: bool,
    longest: u32,
    name: String,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    let wiring = request.wiring.clone();
    let topology = &wiring.topology;
    let name =
        request.argument.unwrap_or(routing::default_routing(Version::default(), topology, u64::from(wiring.hosts())));
    let spec: RoutingSpec = name.parse()?;
    let hosts: Vec<u32> = (0..wiring.switches() as u32).map(|s| wiring.hosts_of(s)).collect();
    let options = Options { seed: request.seed, arc_delays: Some(&wiring.route_delays), hosts: Some(&hosts) };
    let routes = spec.build(topology, &options)?;
    if routes.chosen() != Chosen::Once {
        return Err(request.unsuitable(
            &format!("routing `{name}` has no route of its own for a pair of hosts"),
            "`amin`, `valiant`, `ugal` and `escape` decide packet by packet",
        ));
    }
    let scope = spec.scope();
    if scope == Scope::Pair && wiring.host_port == HostPort::Shared {
        return Err(request.unsuitable(
            &format!("routing `{name}` has routes for each pair of hosts, and the hosts of a switch share a port"),
            "`static:bfs` has routes for pairs of switches",
        ));
    }
    let switches: Vec<u32> = (0..wiring.switches() as u32).filter(|&s| wiring.hosts_of(s) > 0).collect();
    let mut place = vec![u32::MAX; wiring.switches()];
    (0..).zip(&switches).for_each(|(index, &s)| place[s as usize] = index);
    let by_switch = |&switch: &u32| (switch, wiring.host_first[switch as usize]);
    let by_host = |host: u32| (wiring.switch_of(host), host);
    let of_switches = || switches.iter().map(by_switch).collect::<Vec<_>>();
    let of_hosts = || (0..wiring.hosts()).map(by_host).collect::<Vec<_>>();
    let rows = if scope == Scope::Pair { of_hosts() } else { of_switches() };
    let columns = if scope == Scope::Switches { of_switches() } else { of_hosts() };
    let too_large = || PacketError::TooLarge {
        topology: topology.name(),
        reason: format!(
            "the {} static routes have more than {MAX_HOPS} hops in all; `amin` and `dimension-order` need less",
            rows.len() * columns.len()
        ),
    };
    if rows.len().saturating_mul(columns.len()) > MAX_HOPS / 2 {
        return Err(too_large());
    }
    let row = |&(from, source): &(u32, u32)| {
        let (mut lengths, mut cables, mut arcs) = (Vec::with_capacity(columns.len()), Vec::new(), Vec::new());
        for &(to, destination) in &columns {
            arcs.clear();
            let ends = Ends { from: SwitchId(from), to: SwitchId(to), source, destination };
            if !routes.route_between(&ends, &mut arcs) {
                return Err((from, to));
            }
            lengths.push(arcs.len() as u32);
            cables.extend(arcs.iter().map(|&arc| wiring.output_of(arc) as u16));
        }
        Ok((lengths, cables))
    };
    let found: Result<Vec<_>, (u32, u32)> = rows.par_iter().map(row).collect();
    let found = found.map_err(|(from, to)| PacketError::Disconnected { topology: topology.name(), from, to })?;
    let hops: usize = found.iter().map(|row| row.1.len()).sum();
    if hops > MAX_HOPS {
        return Err(too_large());
    }
    let (mut first, mut cables, mut longest) = (vec![0], Vec::with_capacity(hops), 0);
    for (lengths, row) in found {
        for length in lengths {
            longest = longest.max(length);
            first.push(first[first.len() - 1] + length);
        }
        cables.extend(row);
    }
    let (columns, name) = (columns.len(), name.to_owned());
    let places = cables.len() < 1 << NOTE;
    Ok(Box::new(StaticRoutes { wiring, scope, place, columns, first, cables, places, longest, name }))
}

impl StaticRoutes {
    /// Returns the number of a pair of row and destination.
    #[inline]
    fn pair(&self, row: u32, head: &Head) -> usize {
        let column = if self.scope == Scope::Switches { self.place[head.target as usize] } else { head.to };
        row as usize * self.columns + column as usize
    }
}

impl Rule for StaticRoutes {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        if at.cable.is_none() {
            let row = match self.scope {
                Scope::Pair => {
                    self.wiring.host_first[at.switch as usize] + at.vc - self.wiring.first_host_input(at.switch)
                }
                Scope::Switches | Scope::Destination => self.place[at.switch as usize],
            };
            head.note = if self.places { self.first[self.pair(row, head)] } else { row };
        }
        let first = if self.places { head.note } else { self.first[self.pair(head.note, head)] };
        let cable = self.cables[(first + head.hops) as usize];
        by_hops(self.wiring.first_cable(at.switch), u32::from(cable), head)
    }

    fn reads_loads(&self) -> bool {
        false
    }

    fn vcs_needed(&self) -> u32 {
        self.longest.max(1)
    }

    fn ascending(&self) -> bool {
        true
    }

    fn note(&self) -> Option<String> {
        Some(format!("routes of `{}`, longest {} hops", self.name, self.longest))
    }
}
