//! Static routes of any routing of `mopsim topology --route`, made free of deadlock by the number of the hop: hop number
//! i travels on virtual channel i.

use super::amin::by_hops;
use super::rule::{At, Candidate, Head, Request, Rule};
use crate::defaults::Version;
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::parameters::HostPort;
use crate::packets::wiring::Wiring;
use crate::prefetch::prefetch;
use crate::routing::{self, Chosen, Ends, Options, RoutingSpec, Scope};
use rayon::prelude::*;
use std::sync::Arc;

/// Bits of a note.
const NOTE: u32 = 24;
/// Most hops of all routes together, 2 bytes each while they are listed; half as many pairs, 4 bytes each.
const MAX_HOPS: usize = 1 << 30;

struct StaticRoutes {
    wiring: Arc<Wiring>,
    /// Dependence of routes: on the switches alone, or on the hosts.
    scope: Scope,
    /// Place of each switch among those with hosts.
    place: Vec<u32>,
    /// Number of destinations: switches with hosts, or hosts.
    columns: usize,
    routes: Routes,
    longest: u32,
    name: String,
}

/// Routes of all pairs of row and column; that from row `a` to column `b` is number `a * columns + b`.
enum Routes {
    /// Whole routes, of which the note of a packet stores its own: the cable of each hop in `bits` bits, the first hop in the
    /// lowest. So the table is read once for each packet.
    InNotes { bits: u32, routes: Vec<u32> },
    /// The cables of a route from `first[number]` on. The note stores the place of the first one if `places`, which requires
    /// that places fit into a note; otherwise the row.
    Listed { first: Vec<u32>, cables: Vec<u16>, places: bool },
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    Ok(Box::new(of(request)?))
}

fn of(request: &Request<'_>) -> Result<StaticRoutes, PacketError> {
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
    let longest = found.iter().flat_map(|row| &row.0).copied().max().unwrap_or(0);
    let degree = (0..wiring.switches() as u32).map(|s| wiring.out_cables(s)).max().unwrap_or(0);
    let bits = degree.max(1).next_power_of_two().ilog2();
    let routes = if longest.saturating_mul(bits) <= NOTE {
        let mut routes = Vec::with_capacity(rows.len() * columns.len());
        for (lengths, row) in found {
            let mut cables = row.iter();
            routes.extend(lengths.iter().map(|&length| {
                let hops = (0..length).zip(&mut cables);
                hops.fold(0, |route, (hop, &cable)| route | u32::from(cable) << (hop * bits))
            }));
        }
        Routes::InNotes { bits, routes }
    } else {
        let (mut first, mut cables) = (vec![0], Vec::with_capacity(hops));
        for (lengths, row) in found {
            for length in lengths {
                first.push(first[first.len() - 1] + length);
            }
            cables.extend(row);
        }
        let places = cables.len() < 1 << NOTE;
        Routes::Listed { first, cables, places }
    };
    let (columns, name) = (columns.len(), name.to_owned());
    Ok(StaticRoutes { wiring, scope, place, columns, routes, longest, name })
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
        let row = || match self.scope {
            Scope::Pair => self.wiring.host_first[at.switch as usize] + at.vc - self.wiring.first_host_input(at.switch),
            Scope::Switches | Scope::Destination => self.place[at.switch as usize],
        };
        let is_new = at.cable.is_none();
        let cable = match &self.routes {
            Routes::InNotes { bits, routes } => {
                if is_new {
                    head.note = routes[self.pair(row(), head)];
                }
                head.note >> (head.hops * bits) & ((1 << bits) - 1)
            }
            Routes::Listed { first, cables, places } => {
                if is_new {
                    head.note = if *places { first[self.pair(row(), head)] } else { row() };
                }
                let first = if *places { head.note } else { first[self.pair(head.note, head)] };
                u32::from(cables[(first + head.hops) as usize])
            }
        };
        by_hops(self.wiring.first_cable(at.switch), cable, head)
    }

    fn prefetch(&self, from: u32, target: u32, to: u32, is_new: bool) {
        if is_new && self.scope != Scope::Pair {
            let column = if self.scope == Scope::Switches { self.place[target as usize] } else { to };
            let pair = self.place[from as usize] as usize * self.columns + column as usize;
            match &self.routes {
                Routes::InNotes { routes, .. } => prefetch(&routes[pair]),
                Routes::Listed { first, .. } => prefetch(&first[pair]),
            }
        }
    }

    fn reads_pairs(&self) -> bool {
        self.scope != Scope::Pair
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packets::wiring::End;

    /// Packets take the routes of the routing, whether notes store whole routes or places in a list.
    #[test]
    fn packets_take_the_routes_of_the_routing() {
        for (spec, routing, in_notes) in [
            ("torus:4x6", "bfs", true),
            ("random:n=30,d=5", "balanced", true),
            ("kary_ntree:k=3,n=3", "d_mod_k", true),
            // The longest routes take 24 bits, and one more.
            ("ring:48", "bfs", true),
            ("ring:50", "bfs", false),
        ] {
            let topology = Arc::new(crate::topology::build(spec).unwrap());
            let wiring = Arc::new(Wiring::new(topology.clone(), None, HostPort::Own, 1).unwrap());
            let request = Request { name: "static", argument: Some(routing), wiring: &wiring, vcs: 64, seed: 1 };
            let rule = of(&request).unwrap();
            assert_eq!(matches!(rule.routes, Routes::InNotes { .. }), in_notes, "{spec}");
            let hosts: Vec<u32> = (0..wiring.switches() as u32).map(|s| wiring.hosts_of(s)).collect();
            let options = Options { seed: 1, arc_delays: Some(&wiring.route_delays), hosts: Some(&hosts) };
            let routes = routing.parse::<RoutingSpec>().unwrap().build(&topology, &options).unwrap();
            for (source, &from) in (0..).zip(wiring.host_switches()) {
                for (to, &target) in (0..).zip(wiring.host_switches()).filter(|&(_, &target)| target != from) {
                    rule.prefetch(from, target, to, true);
                    let (mut expected, mut taken) = (Vec::new(), Vec::new());
                    let ends = Ends { from: SwitchId(from), to: SwitchId(target), source, destination: to };
                    assert!(routes.route_between(&ends, &mut expected));
                    let mut head = Head { to, target, hops: 0, created: 0, note: 0, phase: 0 };
                    let (mut switch, mut cable) = (from, None);
                    while switch != target {
                        let at = At { switch, cable, vc: 0, loads: &[], seed: 1 };
                        let candidate = rule.route(&at, &mut head, &mut Vec::new());
                        assert_eq!(u32::from(candidate.lowest), head.hops);
                        let out = u32::from(candidate.output) - wiring.first_cable(switch);
                        taken.push(wiring.out_arc(switch, out));
                        let End { switch: next, cable: arrived } = wiring.far_end(switch, out);
                        (switch, cable) = (next, Some(arrived));
                        head.hops += 1;
                    }
                    assert_eq!(taken, expected, "{spec}: {from} to {to}");
                    assert!(head.note < 1 << NOTE);
                }
            }
        }
    }
}
