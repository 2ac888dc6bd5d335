//! Platforms whose hosts have several ports: routes stay in a plane, and a policy chooses the rail of each message.
//!
//! Links are those of the union of the planes, then those of the hosts, one for each port, then the loopback. A message
//! leaves by the port of its rail and arrives by the port of the same rail. A rail joins two hosts if both of its ports
//! work and its plane has a path in both directions; the policy chooses among the rails that do:
//!
//! - message: the messages of a pair of hosts take the rails in turn. The first message from host s to host d takes rail
//!   s + floor(s / k) + d modulo k of k rails, so that the first messages of a host to others, of others to a host, and
//!   of all hosts to their neighbours at any distance, are spread over all rails.
//! - destination: all messages to host d take rail d modulo k, so every pair has one route.
//! - striped: every message is divided into k equal parts, one for each rail, which advance together as flows of the
//!   rule `split` do: the slowest rail determines the time. The latency is that of the slowest rail.
//!
//! The engine sees a static route, a divided one or one that is chosen message by message ([`Chosen`]), as for routing
//! rules.

use super::error::PlatformError;
use super::graph_links::{arc_delays, cable_delays, hosts_of, link_of_arc, switch_links, too_large};
use super::parameters::{CheckedParameters, Duplex};
use super::rail_policy::RailPolicy;
use super::{Link, LinkKind, Platform, RouteTable, SharingPolicy};
use crate::ids::{HostId, LinkId, SwitchId};
use crate::routing::{Chosen, Ends, Message, Options, Routing, RoutingSpec};
use crate::topology::rails::{Places, Plane};
use crate::topology::{ArcId, Graph, Rails, Topology};
use compact_str::format_compact;
use std::sync::Arc;

/// Class of a port on a switch that failed.
const LOST: u32 = u32::MAX;

/// Builds the platform of a network whose hosts have several ports. `routing` is one rule for all planes, or one for
/// each, separated by semicolons.
///
/// # Errors
/// As [`Platform::from_topology`]; also if the policy does not go with a rule.
pub(super) fn platform(
    topology: &Topology,
    rails: &Rails,
    parameters: &CheckedParameters,
    routing: &str,
    seed: u64,
) -> Result<Platform, PlatformError> {
    let graph = &topology.graph;
    let homes = parameters.homes_on(rails)?;
    let places = rails.places(&homes).expect("the parameters were checked");
    let hosts = places[0].switches.len();
    too_large(&topology.name(), graph.arcs(), (hosts * places.len()) as u128)?;
    let cable_delays = cable_delays(topology, parameters)?;
    let mut links = switch_links(graph, parameters, &cable_delays);
    let delays = arc_delays(graph, parameters, &links);
    let ports_on = rails.ports_on(&places);
    let rules = RoutingSpec::for_planes(routing, rails.planes.len())?;
    let mut planes = Vec::with_capacity(rails.planes.len());
    for (plane, rule) in rails.planes.iter().zip(&rules) {
        let first = plane.first_switch as usize;
        let own = plane.first_arc as usize..plane.first_arc as usize + plane.topology.graph.arcs();
        let hosts = &ports_on[first..first + plane.homes.len()];
        let options = Options { seed, arc_delays: Some(&delays[own]), hosts: Some(hosts) };
        let routing = rule.build_on_plane(topology, &plane.topology, &options)?;
        check_policy(parameters.rail, places.len(), &*routing, rule)?;
        planes.push(PlaneRoutes { routing, first_switch: plane.first_switch, first_arc: plane.first_arc });
    }
    let classes: Vec<Option<Vec<u32>>> = places.iter().map(|rail| classes(&rails.planes[rail.plane], rail)).collect();
    refuse_unreachable(topology, &rails.planes, &places, &classes)?;
    let host_links = HostLinks::add(&mut links, rails, &places, parameters);
    let loopback = LinkId::new(links.len());
    links.push(Link::loopback(parameters.loopback));
    let first = rails.planes[0].first_switch;
    let host_switch: Vec<SwitchId> = places[0].switches.iter().map(|switch| SwitchId(first + switch.0)).collect();
    let rails = places.into_iter().zip(classes).map(|(places, class_of)| Rail { places, class_of }).collect();
    let latencies = links.iter().map(|link| link.latency).collect();
    let link_of_arc = link_of_arc(graph, parameters);
    Ok(Platform {
        name: topology.name(),
        hosts: hosts_of(&host_switch, None, parameters),
        failed: Vec::new(),
        links,
        loopback: Some(loopback),
        routes: Arc::new(RailRoutes {
            planes,
            rails,
            policy: parameters.rail,
            link_of_arc,
            host_links,
            loopback,
            latencies,
        }),
    })
}

/// Refuses a policy that does not go with a rule.
fn check_policy(
    policy: RailPolicy,
    rails: usize,
    routing: &dyn Routing,
    rule: &RoutingSpec,
) -> Result<(), PlatformError> {
    let constraint = match (policy, routing.chosen()) {
        _ if rails == 1 => return Ok(()),
        (RailPolicy::Message, Chosen::Split) => {
            "divides every message; use `rail = \"striped\"`, which divides it over the rails as well, or \"destination\""
        }
        (RailPolicy::Striped, Chosen::PerMessage | Chosen::ByLoad) => {
            "chooses one route for a whole message; use `rail = \"message\"` or \"destination\", or a static rule"
        }
        _ => return Ok(()),
    };
    Err(PlatformError::InvalidParameter {
        parameter: "rail",
        value: format!("`{}`", policy.name()),
        constraint: format!("routing `{rule}` {constraint}"),
    })
}

/// Returns a class for each host's port of a rail: two ports reach each other if their classes are equal. `None` if all
/// do.
fn classes(plane: &Plane, rail: &Places) -> Option<Vec<u32>> {
    let graph = &plane.topology.graph;
    let is_lost = |switch: &SwitchId| plane.failed.get(switch.index()).copied().unwrap_or(false);
    let whole = !rail.switches.iter().any(is_lost);
    if whole && graph.unreachable_pair(rail.switches.iter().copied()).is_none() {
        return None;
    }
    let component = components(graph);
    let class = |switch: &SwitchId| if is_lost(switch) { LOST } else { component[switch.index()] };
    Some(rail.switches.iter().map(class).collect())
}

/// Returns the number of the strongly connected component of each switch.
fn components(graph: &Graph) -> Vec<u32> {
    let mut component = vec![LOST; graph.switches()];
    for (number, switches) in (0..).zip(petgraph::algo::kosaraju_scc(&graph.to_petgraph())) {
        switches.into_iter().for_each(|switch| component[switch.index()] = number);
    }
    component
}

/// Refuses a network in which no rail joins two hosts.
fn refuse_unreachable(
    topology: &Topology,
    planes: &[Plane],
    places: &[Places],
    classes: &[Option<Vec<u32>>],
) -> Result<(), PlatformError> {
    let Some(partial) = classes.iter().map(Option::as_ref).collect::<Option<Vec<_>>>() else {
        // A rail joins all hosts.
        return Ok(());
    };
    let hosts = places[0].switches.len();
    let class_of = |host: usize| partial.iter().map(|class| class[host]).collect::<Vec<u32>>();
    // Hosts with equal classes are joined like the first of them, unless all of their ports are lost.
    let mut kinds: Vec<(Vec<u32>, usize)> = Vec::new();
    for (host, kind) in (0..hosts).map(|host| (host, class_of(host))) {
        let joined = |other: &[u32]| kind.iter().zip(other).any(|(own, other)| own == other && *own != LOST);
        let apart = kinds.iter().find(|(other, _)| !joined(other)).map(|(_, other)| *other);
        if let Some(other) = apart {
            let first = planes[0].first_switch;
            let [from, to] = [other, host].map(|host| first + places[0].switches[host].0);
            let pairs = if places.len() > 1 { "; no rail joins them" } else { "" };
            return Err(PlatformError::Disconnected { topology: topology.name(), from, to, pairs: pairs.into() });
        }
        if !kinds.iter().any(|(other, _)| *other == kind) {
            kinds.push((kind, host));
        }
    }
    Ok(())
}

/// Links between hosts and their switches, host by host and, for each host, rail by rail.
enum HostLinks {
    /// Hosts have no links of their own.
    None,
    /// Links of all ports: one for both directions, or one up and one down.
    Each { first: u32, rails: u32, directions: u32 },
}

impl HostLinks {
    fn add(links: &mut Vec<Link>, rails: &Rails, places: &[Places], parameters: &CheckedParameters) -> Self {
        let Some((bandwidth, latency)) = parameters.host_link else { return Self::None };
        let duplex = if parameters.host_links_apart { Duplex::Full } else { parameters.duplex };
        let first = LinkId::new(links.len()).0;
        let delay = parameters.switch_delay.value();
        let mut push = |name, extra| {
            let latency = latency.value() + extra;
            let (policy, kind) = (SharingPolicy::Shared, LinkKind::OfHost);
            links.push(Link { name, bandwidth: bandwidth.value(), latency, policy, kind });
        };
        for host in 0..places[0].switches.len() {
            for rail in places {
                let switch = rails.planes[rail.plane].first_switch + rail.switches[host].0;
                match duplex {
                    Duplex::Full => {
                        push(format_compact!("h{host}->{switch}"), delay);
                        push(format_compact!("{switch}->h{host}"), 0.0);
                    }
                    Duplex::Shared => push(format_compact!("h{host}--{switch}"), delay / 2.0),
                }
            }
        }
        let directions = if duplex == Duplex::Full { 2 } else { 1 };
        Self::Each { first, rails: places.len() as u32, directions }
    }

    fn up(&self, host: HostId, rail: usize) -> Option<LinkId> {
        match self {
            Self::None => None,
            Self::Each { first, rails, directions } => {
                Some(LinkId(first + (host.0 * rails + rail as u32) * directions))
            }
        }
    }

    fn down(&self, host: HostId, rail: usize) -> Option<LinkId> {
        match self {
            Self::Each { directions: 2, .. } => self.up(host, rail).map(|link| LinkId(link.0 + 1)),
            _ => self.up(host, rail),
        }
    }
}

struct PlaneRoutes {
    routing: Box<dyn Routing>,
    first_switch: u32,
    first_arc: u32,
}

struct Rail {
    places: Places,
    /// Ports of equal class reach each other; `None` if all do.
    class_of: Option<Vec<u32>>,
}

impl Rail {
    fn joins(&self, from: HostId, to: HostId) -> bool {
        self.class_of.as_ref().is_none_or(|class| {
            let [from, to] = [from, to].map(|host| class[host.index()]);
            from == to && from != LOST
        })
    }
}

struct RailRoutes {
    planes: Vec<PlaneRoutes>,
    rails: Vec<Rail>,
    policy: RailPolicy,
    /// Link of each arc of the union of the planes; `None` if links have the numbers of their arcs.
    link_of_arc: Option<Vec<LinkId>>,
    host_links: HostLinks,
    loopback: LinkId,
    /// Latency of each link, in seconds.
    latencies: Vec<f64>,
}

impl RailRoutes {
    /// Returns the rails that join two hosts.
    fn joining(&self, from: HostId, to: HostId) -> impl Iterator<Item = usize> + Clone + '_ {
        (0..self.rails.len()).filter(move |&rail| self.rails[rail].joins(from, to))
    }

    /// Returns the rail of a message that is not divided; `sequence` is the number of earlier messages of the pair.
    fn rail(&self, from: HostId, to: HostId, sequence: u64) -> Option<usize> {
        let joining = self.joining(from, to);
        let rail = self.policy.rail(from.0, to.0, sequence, joining.clone().count());
        joining.clone().nth(rail)
    }

    /// Returns the ends of a message on a rail, in the numbers of its plane.
    fn ends(&self, rail: usize, from: HostId, to: HostId) -> Ends {
        let Places { switches, numbers, .. } = &self.rails[rail].places;
        let [start, end] = [from, to].map(|host| switches[host.index()]);
        let [source, destination] = [from, to].map(|host| numbers[host.index()]);
        Ends { from: start, to: end, source, destination }
    }

    fn plane(&self, rail: usize) -> &PlaneRoutes {
        &self.planes[self.rails[rail].places.plane]
    }

    fn link(&self, plane: &PlaneRoutes, arc: ArcId) -> LinkId {
        let arc = plane.first_arc + arc.0;
        match &self.link_of_arc {
            Some(links) => links[arc as usize],
            None => LinkId(arc),
        }
    }

    /// Appends the links of a route on a rail; `arcs` appends the arcs between two switches, which differ.
    fn on_rail(
        &self,
        rail: usize,
        (from, to): (HostId, HostId),
        links: &mut Vec<LinkId>,
        arcs: impl FnOnce(&PlaneRoutes, &Ends, &mut Vec<ArcId>) -> bool,
    ) -> bool {
        let (plane, ends) = (self.plane(rail), self.ends(rail, from, to));
        let mut between = Vec::new();
        if ends.from != ends.to && !arcs(plane, &ends, &mut between) {
            return false;
        }
        let before = links.len();
        links.extend(self.host_links.up(from, rail));
        links.extend(between.into_iter().map(|arc| self.link(plane, arc)));
        links.extend(self.host_links.down(to, rail));
        if links.len() == before {
            // Nothing between the hosts has a speed, as on one switch of a network with one port per host.
            links.push(self.loopback);
        }
        true
    }

    /// Appends the links of a message on a rail, each with its part of a share of the message.
    fn parts_on_rail(&self, rail: usize, from: HostId, to: HostId, share: f64, parts: &mut Vec<(LinkId, f64)>) -> bool {
        let (plane, ends) = (self.plane(rail), self.ends(rail, from, to));
        let mut between = Vec::new();
        if ends.from != ends.to && !plane.routing.parts(&ends, &mut between) {
            return false;
        }
        let up = self.host_links.up(from, rail).map(|link| (link, 1.0));
        let down = self.host_links.down(to, rail).map(|link| (link, 1.0));
        let between = between.into_iter().map(|(arc, part)| (self.link(plane, arc), part));
        let before = parts.len();
        parts.extend(up.into_iter().chain(between).chain(down).map(|(link, part)| (link, share * part)));
        if parts.len() == before {
            parts.push((self.loopback, share));
        }
        true
    }
}

impl RouteTable for RailRoutes {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        if from == to {
            return false;
        }
        self.rail(from, to, 0).is_some_and(|rail| self.route_on(rail as u32, from, to, links))
    }

    fn chosen(&self, from: HostId, to: HostId) -> Chosen {
        if from == to {
            return Chosen::Once;
        }
        match self.policy {
            RailPolicy::Striped if self.rails.len() > 1 => Chosen::Split,
            RailPolicy::Message if self.rails.len() > 1 => {
                if self.needs_loads() {
                    Chosen::ByLoad
                } else {
                    Chosen::PerMessage
                }
            }
            _ => match self.rail(from, to, 0) {
                // There is no choice between hosts on one switch.
                Some(rail) if self.ends(rail, from, to).from != self.ends(rail, from, to).to => {
                    self.plane(rail).routing.chosen()
                }
                _ => Chosen::Once,
            },
        }
    }

    fn needs_loads(&self) -> bool {
        self.planes.iter().any(|plane| plane.routing.chosen() == Chosen::ByLoad)
    }

    fn parts(&self, from: HostId, to: HostId, parts: &mut Vec<(LinkId, f64)>) -> bool {
        if self.policy != RailPolicy::Striped {
            return self.rail(from, to, 0).is_some_and(|rail| self.parts_on_rail(rail, from, to, 1.0, parts));
        }
        let joining = self.joining(from, to);
        let share = 1.0 / joining.clone().count() as f64;
        let mut all = Vec::new();
        let mut found = false;
        for rail in joining {
            found = self.parts_on_rail(rail, from, to, share, &mut all);
            if !found {
                return false;
            }
        }
        // Rails of one plane may share a link.
        let mut seen = rustc_hash::FxHashMap::default();
        let before = parts.len();
        for (link, part) in all {
            let place = *seen.entry(link).or_insert(parts.len());
            match parts.get_mut(place) {
                Some(known) => known.1 += part,
                None => parts.push((link, part)),
            }
        }
        debug_assert!(parts.len() == before + seen.len(), "each link once");
        found
    }

    fn choose(
        &self,
        from: HostId,
        to: HostId,
        message: Message,
        load: &mut dyn FnMut(LinkId) -> u32,
        links: &mut Vec<LinkId>,
    ) -> bool {
        let Some(rail) = self.rail(from, to, message.sequence) else { return false };
        self.on_rail(rail, (from, to), links, |plane, ends, arcs| {
            plane.routing.choose(ends, message, &mut |arc| load(self.link(plane, arc)), arcs)
        })
    }

    fn extra_latency(&self, from: HostId, to: HostId) -> f64 {
        if from == to || self.chosen(from, to) != Chosen::Split || self.policy != RailPolicy::Striped {
            return 0.0;
        }
        // A divided message has the mean latency of its parts, and is complete when the last part has arrived. The
        // difference does not change with the speeds of a variation of the platform, which shares these routes.
        let latency = |rail: usize| {
            let mut parts = Vec::new();
            self.parts_on_rail(rail, from, to, 1.0, &mut parts);
            parts.iter().map(|(link, part)| part * self.latencies[link.index()]).sum::<f64>()
        };
        let latencies: Vec<f64> = self.joining(from, to).map(latency).collect();
        let most = latencies.iter().copied().fold(0.0, f64::max);
        if latencies.iter().all(|&latency| latency == most) {
            return 0.0;
        }
        most - latencies.iter().sum::<f64>() / latencies.len() as f64
    }

    fn rails(&self, from: HostId, to: HostId, sequence: u64, rails: &mut Vec<u32>) {
        if from == to {
            return;
        }
        match self.policy {
            RailPolicy::Striped => rails.extend(self.joining(from, to).map(|rail| rail as u32)),
            RailPolicy::Message | RailPolicy::Destination => {
                rails.extend(self.rail(from, to, sequence).map(|rail| rail as u32));
            }
        }
    }

    fn route_on(&self, rail: u32, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        let between = |plane: &PlaneRoutes, ends: &Ends, arcs: &mut Vec<ArcId>| plane.routing.route_between(ends, arcs);
        from != to && self.on_rail(rail as usize, (from, to), links, between)
    }

    fn host_links(&self, host: HostId) -> [Option<LinkId>; 2] {
        [self.host_links.up(host, 0), self.host_links.down(host, 0)]
    }

    fn further_ports(&self, host: HostId) -> Vec<(SwitchId, [Option<LinkId>; 2])> {
        let port = |rail: usize| {
            let switch = self.plane(rail).first_switch + self.rails[rail].places.switches[host.index()].0;
            (SwitchId(switch), [self.host_links.up(host, rail), self.host_links.down(host, rail)])
        };
        (1..self.rails.len()).map(port).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::parameters::PlatformParameters;
    use super::*;
    use crate::topology;

    fn platform(spec: &str, toml: &str, routing: &str) -> Platform {
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        Platform::from_topology(&topology::build(spec).unwrap(), &parameters.check().unwrap(), routing, 1).unwrap()
    }

    fn names(platform: &Platform, links: &[LinkId]) -> Vec<String> {
        links.iter().map(|link| platform.links[link.index()].name.to_string()).collect()
    }

    #[test]
    fn first_messages_are_spread_over_all_rails() {
        for rails in 2..6_u64 {
            // From a host to all, to a host from all, and from all hosts to those at a distance, in either direction.
            let all = rails * rails;
            let lines: [&dyn Fn(u64, u64) -> (u64, u64); 4] =
                [&|fixed, i| (fixed, i), &|fixed, i| (i, fixed), &|distance, i| (i, i + distance), &|distance, i| {
                    (i, 2 * all + distance - i)
                }];
            for line in lines {
                for fixed in 0..2 * rails {
                    let mut messages = vec![0; rails as usize];
                    // Distances need twice as many hosts with an even number of rails.
                    for i in 0..2 * all {
                        let (source, destination) = line(fixed, i);
                        let (source, destination) = (source as u32, destination as u32);
                        messages[RailPolicy::Message.rail(source, destination, 0, rails as usize)] += 1;
                    }
                    assert!(messages.iter().all(|&count| count == 2 * rails), "{rails} rails, {fixed}: {messages:?}");
                }
            }
        }
    }

    #[test]
    fn messages_of_a_pair_take_the_rails_in_turn() {
        let two = platform("rails:base=ring:4,planes=2", "", "bfs");
        let (from, to) = (HostId(0), HostId(1));
        assert_eq!(two.routes.chosen(from, to), Chosen::PerMessage);
        let routes: Vec<Vec<String>> = (0..3)
            .map(|sequence| {
                let mut links = Vec::new();
                let message = Message { sequence, ..Message::default() };
                assert!(two.routes.choose(from, to, message, &mut |_| 0, &mut links));
                names(&two, &links)
            })
            .collect();
        // The second plane has switches 4 to 7.
        assert_eq!(routes[0], ["h0->4", "4->5", "5->h1"]);
        assert_eq!(routes[1], ["h0->0", "0->1", "1->h1"]);
        assert_eq!(routes[2], routes[0]);
        assert_eq!(two.hosts[3].switch, Some(SwitchId(3)));
        assert_eq!(two.links.len(), 2 * 8 + 2 * 4 * 2 + 1);
    }

    #[test]
    fn striped_messages_have_a_part_on_every_rail() {
        let toml = "rail = 'striped'";
        let parts = |platform: &Platform, from: u32, to: u32| {
            let mut parts = Vec::new();
            assert!(platform.routes.parts(HostId(from), HostId(to), &mut parts));
            parts
                .into_iter()
                .map(|(link, part)| (platform.links[link.index()].name.to_string(), part))
                .collect::<Vec<_>>()
        };
        let two = platform("rails:base=\"ring:4;full_mesh:4\"", toml, "bfs");
        let named =
            |parts: &[(&str, f64)]| parts.iter().map(|&(name, part)| (name.to_owned(), part)).collect::<Vec<_>>();
        let expected = ["h0->0", "0->1", "1->2", "2->h2", "h0->4", "4->6", "6->h2"].map(|name| (name, 0.5));
        assert_eq!(parts(&two, 0, 2), named(&expected));
        // One of two rails has 100 ns of a switch and 10 ns of cable more: the mean is half of that less.
        let late = two.routes.extra_latency(HostId(0), HostId(2));
        assert!((late - 55e-9).abs() < 1e-15, "{late}");
        assert_eq!(two.routes.extra_latency(HostId(0), HostId(1)), 0.0);
        // Two ports in one plane: from switch 0 to 2 and from 1 to 3, both over the cable from 1 to 2.
        let ports = platform("rails:base=mesh:4,ports=2", toml, "bfs");
        let both = parts(&ports, 0, 2);
        assert_eq!(both.iter().filter(|(name, _)| name == "1->2").collect::<Vec<_>>(), [&("1->2".to_owned(), 1.0)]);
        // Without links of hosts, nothing between hosts on one switch has a speed.
        let bare = "rail = 'striped'\nhosts_per_switch = 2\nhost_link_bandwidth = 'none'";
        assert_eq!(parts(&platform("rails:base=ring:4,planes=2", bare, "bfs"), 0, 1), named(&[("loopback", 1.0)]));
    }

    #[test]
    fn planes_have_rules_of_their_own() {
        let text = "dimension_order; balanced";
        let rules = RoutingSpec::for_planes(text, 2).unwrap();
        assert_eq!(RoutingSpec::text_of(&rules), text);
        let unlike = platform("rails:base=\"torus:4x4;random:n=16,d=4\"", "rail = 'destination'", text);
        assert_eq!(unlike.routes.chosen(HostId(0), HostId(5)), Chosen::Once);
        let mut links = Vec::new();
        // Host 5 takes the second plane.
        unlike.route(HostId(0), HostId(5), &mut links).unwrap();
        assert_eq!(names(&unlike, &links)[0], "h0->16");
    }
}
