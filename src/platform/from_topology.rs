//! Platforms from topologies: links with speeds, hosts on switches, and routes from a routing.
//!
//! With full duplex every arc is a link, with the number of the arc; with shared duplex every cable is a link. The
//! links of hosts follow, and the loopback is last. A message enters one switch more than it takes cables between
//! switches, so the delay of a switch is added to every link that enters one: to links between switches and to the link
//! from a host to its switch. Where a host's link serves both directions half the delay is added to it; a route takes
//! two such links, so the sum is the same. Without host links no link enters the first switch, and its delay is not
//! counted.
//!
//! With a delay per metre of cable, the latency of a link between switches includes the delay of its length on the
//! floor plan. Cables to hosts are short and have no delay.
//!
//! A host link has its full bandwidth in each direction, even if the cables between switches share theirs between
//! directions: no adapter on the market is slower while it sends and receives, and networks with one-way and with
//! two-way cables get the same hosts. In version 0.1 of the defaults a host link follows the duplex of the cables.
//! Hosts that are vertices of the graph have cables of their own, and get no second link by default.
//!
//! Two hosts on one switch that have no links of their own have nothing between them that has a speed. A message
//! between them takes the loopback, as if they were one host.

use super::error::PlatformError;
use super::failed_hosts::names_left;
use super::graph_links::{arc_delays, cable_delays, hosts_of, link_of_arc, switch_links, too_large};
use super::parameters::{CheckedParameters, Duplex};
use super::units::{Bandwidth, Seconds};
use super::{Host, Link, LinkKind, Platform, RouteTable, SharingPolicy, rails};
use crate::ids::{HostId, LinkId, SwitchId};
use crate::routing::{self, Chosen, Ends, Message, Options, Routing};
use crate::topology::{ArcId, Topology};
use compact_str::format_compact;
use std::sync::Arc;

impl Platform {
    /// Builds a platform: adds hosts and link speeds to a topology. `routing` is a specification of a rule of
    /// [`routing::ROUTINGS`]; random rules use the seed. [`routing::default_for`] has the default rule of a family.
    ///
    /// Hosts are numbered switch by switch, and named `h0`, `h1`, ... unless the topology has names for them.
    ///
    /// # Errors
    /// [`PlatformError::Disconnected`] if a host cannot reach another, [`PlatformError::InvalidParameter`] if the
    /// numbers of hosts do not fit the topology, [`PlatformError::Routing`].
    pub fn from_topology(
        topology: &Topology,
        parameters: &CheckedParameters,
        routing: &str,
        seed: u64,
    ) -> Result<Self, PlatformError> {
        if let Some(planes) = &topology.rails {
            return rails::platform(topology, planes, parameters, routing, seed);
        }
        let graph = &topology.graph;
        let hosts_on = parameters.hosts_on(graph)?;
        let hosts: u128 = hosts_on.iter().map(|&hosts| u128::from(hosts)).sum();
        too_large(&topology.name(), graph.arcs(), hosts)?;
        let host_switch = host_switches(&hosts_on);
        if let Some((from, to)) = graph.unreachable_pair(host_switch.iter().copied()) {
            let pairs = graph.unreachable_pairs(host_switch.iter().copied());
            return Err(PlatformError::Disconnected { topology: topology.name(), from: from.0, to: to.0, pairs });
        }
        let cable_delays = cable_delays(topology, parameters)?;
        let mut links = switch_links(graph, parameters, &cable_delays);
        let arc_delays = arc_delays(graph, parameters, &links);
        let routing = routing::build(
            routing,
            topology,
            &Options { seed, arc_delays: Some(&arc_delays), hosts: Some(&hosts_on) },
        )?;
        let (names, failed) = names_left(graph, &hosts_on, parameters)?;
        let hosts = hosts_of(&host_switch, names.as_deref(), parameters);
        let host_link = parameters.host_link_on(graph, &hosts_on);
        let host_links = HostLinks::add(&mut links, &hosts, &host_switch, host_link, parameters);
        let loopback = LinkId::new(links.len());
        links.push(Link::loopback(parameters.loopback));
        let link_of_arc = link_of_arc(graph, parameters);
        Ok(Self {
            name: topology.name(),
            hosts,
            failed,
            links,
            loopback: Some(loopback),
            routes: Arc::new(TopologyRoutes { routing, host_switch, link_of_arc, host_links, loopback }),
        })
    }
}

fn host_switches(counts: &[u32]) -> Vec<SwitchId> {
    (0..).zip(counts).flat_map(|(switch, &count)| std::iter::repeat_n(SwitchId(switch), count as usize)).collect()
}

/// Links between hosts and their switches.
enum HostLinks {
    /// Hosts have no links of their own.
    None,
    /// One link for both directions; host `h` has the link `first + h`.
    Shared { first: u32 },
    /// A link for each direction; host `h` has the links `first + 2h` (up) and `first + 2h + 1` (down).
    Separate { first: u32 },
}

impl HostLinks {
    fn add(
        links: &mut Vec<Link>,
        hosts: &[Host],
        host_switch: &[SwitchId],
        link: Option<(Bandwidth, Seconds)>,
        parameters: &CheckedParameters,
    ) -> Self {
        let Some((bandwidth, latency)) = link else { return Self::None };
        let duplex = if parameters.host_links_apart { Duplex::Full } else { parameters.duplex };
        let first = LinkId::new(links.len()).0;
        let delay = parameters.switch_delay.value();
        let mut push = |name, extra| {
            let latency = latency.value() + extra;
            let (policy, kind) = (SharingPolicy::Shared, LinkKind::OfHost);
            links.push(Link { name, bandwidth: bandwidth.value(), latency, policy, kind });
        };
        for (Host { name: host, .. }, switch) in hosts.iter().zip(host_switch) {
            match duplex {
                Duplex::Full => {
                    push(format_compact!("{host}->{switch}"), delay);
                    push(format_compact!("{switch}->{host}"), 0.0);
                }
                Duplex::Shared => push(format_compact!("{host}--{switch}"), delay / 2.0),
            }
        }
        match duplex {
            Duplex::Full => Self::Separate { first },
            Duplex::Shared => Self::Shared { first },
        }
    }

    fn up(&self, host: HostId) -> Option<LinkId> {
        match self {
            Self::None => None,
            Self::Shared { first } => Some(LinkId(first + host.0)),
            Self::Separate { first } => Some(LinkId(first + 2 * host.0)),
        }
    }

    fn down(&self, host: HostId) -> Option<LinkId> {
        match self {
            Self::Separate { first } => Some(LinkId(first + 2 * host.0 + 1)),
            _ => self.up(host),
        }
    }
}

struct TopologyRoutes {
    routing: Box<dyn Routing>,
    host_switch: Vec<SwitchId>,
    /// Link of each arc; `None` if links have the numbers of their arcs.
    link_of_arc: Option<Vec<LinkId>>,
    host_links: HostLinks,
    loopback: LinkId,
}

impl TopologyRoutes {
    fn ends(&self, from: HostId, to: HostId) -> Ends {
        let [start, end] = [from, to].map(|host| self.host_switch[host.index()]);
        Ends { from: start, to: end, source: from.0, destination: to.0 }
    }

    #[inline]
    fn link(&self, arc: ArcId) -> LinkId {
        match &self.link_of_arc {
            Some(links) => links[arc.index()],
            None => LinkId(arc.0),
        }
    }

    /// Appends the links of a route, including those of its hosts. `arcs` appends the arcs between their switches, and
    /// returns `true` if there is a path.
    fn with_hosts(
        &self,
        from: HostId,
        to: HostId,
        links: &mut Vec<LinkId>,
        arcs: impl FnOnce(&Ends, &mut Vec<ArcId>) -> bool,
    ) -> bool {
        if from == to {
            return false;
        }
        let mut between = Vec::new();
        if !arcs(&self.ends(from, to), &mut between) {
            return false;
        }
        let before = links.len();
        links.extend(self.host_links.up(from));
        links.extend(between.into_iter().map(|arc| self.link(arc)));
        links.extend(self.host_links.down(to));
        if links.len() == before {
            links.push(self.loopback);
        }
        true
    }
}

impl RouteTable for TopologyRoutes {
    fn route(&self, from: HostId, to: HostId, links: &mut Vec<LinkId>) -> bool {
        self.with_hosts(from, to, links, |ends, arcs| self.routing.route_between(ends, arcs))
    }

    fn chosen(&self, from: HostId, to: HostId) -> Chosen {
        // There is no choice between hosts on one switch.
        if self.host_switch[from.index()] == self.host_switch[to.index()] {
            return Chosen::Once;
        }
        self.routing.chosen()
    }

    fn needs_loads(&self) -> bool {
        self.routing.chosen() == Chosen::ByLoad
    }

    fn host_links(&self, host: HostId) -> [Option<LinkId>; 2] {
        [self.host_links.up(host), self.host_links.down(host)]
    }

    fn parts(&self, from: HostId, to: HostId, parts: &mut Vec<(LinkId, f64)>) -> bool {
        let mut between = Vec::new();
        if !self.routing.parts(&self.ends(from, to), &mut between) {
            return false;
        }
        let whole = |link: Option<LinkId>| link.map(|link| (link, 1.0));
        parts.extend(whole(self.host_links.up(from)));
        parts.extend(between.into_iter().map(|(arc, part)| (self.link(arc), part)));
        parts.extend(whole(self.host_links.down(to)));
        true
    }

    fn choose(
        &self,
        from: HostId,
        to: HostId,
        message: Message,
        load: &mut dyn FnMut(LinkId) -> u32,
        links: &mut Vec<LinkId>,
    ) -> bool {
        self.with_hosts(from, to, links, |ends, arcs| {
            self.routing.choose(ends, message, &mut |arc| load(self.link(arc)), arcs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parameters::PlatformParameters;
    use super::*;
    use crate::defaults::Version;
    use crate::platform::Host;
    use crate::topology;
    use crate::topology::Graph;

    /// Builds a platform with the defaults of version 0.1: parameters that a test does not name are 0 or absent.
    fn platform(spec: &str, toml: &str) -> Result<Platform, PlatformError> {
        with_defaults(Version::V0_1, spec, toml)
    }

    fn with_defaults(version: Version, spec: &str, toml: &str) -> Result<Platform, PlatformError> {
        let parameters: PlatformParameters = toml::from_str(toml).unwrap();
        Platform::from_topology(&topology::build(spec).unwrap(), &parameters.check_with(version)?, "bfs", 1)
    }

    /// Returns the names of the links of a route, and the sum of their latencies in nanoseconds.
    fn route(platform: &Platform, from: u32, to: u32) -> (Vec<&str>, f64) {
        let mut links = Vec::new();
        platform.route(HostId(from), HostId(to), &mut links).unwrap();
        let links: Vec<&Link> = links.iter().map(|link| &platform.links[link.index()]).collect();
        let latency: f64 = links.iter().map(|link| link.latency).sum();
        (links.iter().map(|link| link.name.as_str()).collect(), (latency * 1e12).round() / 1e3)
    }

    #[test]
    fn full_duplex_has_a_link_for_each_direction() {
        let ring = platform("ring:4", "").unwrap();
        assert_eq!((ring.hosts.len(), ring.links.len()), (4, 9));
        assert_eq!(route(&ring, 0, 2), (vec!["0->1", "1->2"], 200.0));
        assert_eq!(route(&ring, 2, 0), (vec!["2->1", "1->0"], 200.0));
        assert_eq!(route(&ring, 3, 3), (vec!["loopback"], 0.0));
        assert_eq!(ring.hosts[3], Host { name: "h3".into(), switch: Some(SwitchId(3)), speed: 100e9, cores: 1 });
    }

    #[test]
    fn hosts_of_a_leaf_are_reached_through_different_roots() {
        let tree = topology::build("fat_tree2:4").unwrap();
        let parameters = PlatformParameters::default().check_with(Version::V0_1).unwrap();
        let platform = Platform::from_topology(&tree, &parameters, "d_mod_k", 1).unwrap();
        // Hosts 2 and 3 are attached to leaf 1; the spines are 4 and 5.
        assert_eq!(route(&platform, 0, 2).0, ["0->4", "4->1"]);
        assert_eq!(route(&platform, 0, 3).0, ["0->5", "5->1"]);
    }

    #[test]
    fn shared_duplex_has_a_link_for_each_cable() {
        let ring =
            platform("ring:4", "duplex = 'shared'\nhost_link_bandwidth = '1 GB/s'\nswitch_delay = '60 ns'").unwrap();
        assert_eq!(ring.links.len(), 4 + 4 + 1);
        // Three switches, two cables and two host links: 3 * 60 + 4 * 100 ns.
        assert_eq!(route(&ring, 0, 2), (vec!["h0--0", "0--1", "1--2", "h2--2"], 580.0));
        assert_eq!(route(&ring, 2, 0), (vec!["h2--2", "1--2", "0--1", "h0--0"], 580.0));
        // A one-way cable has no directions that could share it.
        let one_way = platform("imase_itoh:n=8,d=3", "duplex = 'shared'").unwrap();
        assert_eq!(one_way.links.len(), topology::build("imase_itoh:n=8,d=3").unwrap().graph.arcs() + 1);
        assert_eq!(route(&one_way, 0, 5), (vec!["0->5"], 100.0));
    }

    #[test]
    fn long_cables_are_late() {
        // Two cabinets with two switches each, one behind the other: 2 m within a cabinet, 2.1 + 4 m between them.
        let text = "link_latency = 0\nswitch_delay = '60 ns'\ncable_delay = '5 ns'\nswitches_per_cabinet = 2";
        for duplex in ["full", "shared"] {
            let ring = platform("ring:4", &format!("{text}\nduplex = '{duplex}'")).unwrap();
            assert_eq!((route(&ring, 0, 1).1, route(&ring, 1, 2).1), (70.0, 90.5));
            assert_eq!(route(&ring, 0, 2).1, 160.5);
        }
        // Without a cable delay, the number of hops decides; with it, the detour within the cabinet is faster.
        let parameters: PlatformParameters =
            toml::from_str("cable_delay = '100 ns'\nswitches_per_cabinet = 3\nlink_latency = 0").unwrap();
        let mut topology = topology::build("ring:4").unwrap();
        // Switches 0, 1 and 2 are in one cabinet and 3 is in the other, so the path from 0 to 2 via 3 is long.
        topology.graph = std::sync::Arc::new(Graph::undirected(4, vec![(0, 3), (3, 2), (0, 1), (1, 2)]).unwrap());
        let parameters = parameters.check_with(Version::V0_1).unwrap();
        let platform = Platform::from_topology(&topology, &parameters, "lowest_latency", 1).unwrap();
        assert_eq!(route(&platform, 0, 2).0, ["0->1", "1->2"]);
        assert_eq!(route(&platform, 2, 0).0, ["2->1", "1->0"]);
    }

    #[test]
    fn host_links_go_up_and_down() {
        let text = "hosts_per_switch = [0, 2, 1]\nhost_link_bandwidth = '1 GB/s'\nhost_link_latency = '10 ns'\nswitch_delay = '60 ns'";
        let star = platform("star:3", text).unwrap();
        assert_eq!(star.hosts.iter().map(|host| host.switch.unwrap().0).collect::<Vec<_>>(), [1, 1, 2]);
        assert_eq!(star.links.len(), 4 + 6 + 1);
        // Three switches, two cables and two host links: 3 * 60 + 2 * 100 + 2 * 10 ns; between hosts on one switch 60 +
        // 2 * 10 ns.
        assert_eq!(route(&star, 0, 2), (vec!["h0->1", "1->0", "0->2", "2->h2"], 400.0));
        assert_eq!(route(&star, 0, 1), (vec!["h0->1", "1->h1"], 80.0));
    }

    #[test]
    fn neighbours_on_a_switch_without_host_links_meet_in_the_loopback() {
        let pairs = platform("ring:3", "hosts_per_switch = 2").unwrap();
        assert_eq!(route(&pairs, 0, 1), (vec!["loopback"], 0.0));
        assert_eq!(route(&pairs, 1, 2).0, ["0->1"]);
    }

    #[test]
    fn by_default_hosts_have_links_like_the_others_and_switches_and_cables_delay() {
        let new = |spec: &str, toml: &str| with_defaults(Version::V0_2, spec, toml).unwrap();
        let ring = new("ring:3", "hosts_per_switch = 2");
        assert!(ring.links.iter().filter(|link| link.kind != LinkKind::Loopback).all(|l| l.bandwidth == 12.5e9));
        // One switch: 100 ns. Two, and 2 m of cable within a cabinet: 210 ns.
        assert_eq!(route(&ring, 0, 1), (vec!["h0->0", "0->h1"], 100.0));
        assert_eq!(route(&ring, 1, 2), (vec!["h1->0", "0->1", "1->h2"], 210.0));
        assert_eq!(route(&ring, 1, 1), (vec!["loopback"], 0.0));
        // Host links keep both directions separate even if cables share theirs.
        let shared = new("ring:3", "duplex = 'shared'\nlink_bandwidth = '40 Gbit/s'");
        assert_eq!(route(&shared, 0, 1), (vec!["h0->0", "0--1", "1->h1"], 210.0));
        assert_eq!(route(&shared, 1, 0), (vec!["h1->1", "0--1", "0->h0"], 210.0));
        assert!(shared.links.iter().filter(|link| link.kind == LinkKind::OfHost).all(|link| link.bandwidth == 5e9));
        // With `none` there are no host links, and hosts on the same switch use the loopback.
        let none = new("ring:3", "hosts_per_switch = 2\nhost_link_bandwidth = 'none'");
        assert_eq!(route(&none, 0, 1).0, ["loopback"]);
        assert_eq!(route(&none, 1, 2), (vec!["0->1"], 110.0));
    }

    #[test]
    fn hosts_with_cables_of_their_own_get_no_second_link() {
        // Four cables and three switches; only cables between switches have a length, 2 m.
        for duplex in ["full", "shared"] {
            let text = format!("duplex = '{duplex}'");
            let clos = with_defaults(Version::V0_2, "clos:m=2,n=2,r=2", &text).unwrap();
            assert!(clos.links.iter().all(|link| link.kind != LinkKind::OfHost));
            assert_eq!((route(&clos, 0, 3).0.len(), route(&clos, 0, 3).1), (4, 320.0), "{duplex}");
        }
        // An explicit host link is present, as is the default one of a host that is attached to a switch.
        let given = with_defaults(Version::V0_2, "clos:m=2,n=2,r=2", "host_link_bandwidth = '1 GB/s'").unwrap();
        assert_eq!(route(&given, 0, 3).0.len(), 6);
        let elsewhere = "hosts_per_switch = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0]";
        let on_switch = with_defaults(Version::V0_2, "clos:m=2,n=2,r=2", elsewhere).unwrap();
        assert!(on_switch.links.iter().any(|link| link.kind == LinkKind::OfHost));
    }

    #[test]
    fn hosts_hang_where_the_family_says() {
        let on = |spec: &str, toml: &str| {
            let platform = platform(spec, toml).unwrap();
            platform.hosts.iter().map(|host| host.switch.unwrap().0).collect::<Vec<_>>()
        };
        // Four leaves, then two spines.
        assert_eq!(on("fat_tree2:4", ""), [0, 0, 1, 1, 2, 2, 3, 3]);
        assert_eq!(on("fat_tree2:4", "hosts_per_switch = 1"), [0, 1, 2, 3]);
        assert_eq!(on("fat_tree2:4", "hosts_per_switch = [0, 0, 0, 0, 1, 1]"), [4, 5]);
        // Level 1, the last, of the tree; the inputs and outputs of a Clos network are vertices of their own.
        assert_eq!(on("kary_ntree:2,2", ""), [2, 2, 3, 3]);
        assert_eq!(on("clos:m=2,n=2,r=2", ""), [0, 1, 2, 3]);
        assert_eq!(on("dragonfly:a=2,h=1,p=2", ""), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        let clos = platform("clos:m=2,n=2,r=2", "").unwrap();
        assert_eq!(route(&clos, 0, 3).0, ["0->4", "4->6", "6->9", "9->3"]);
    }

    #[test]
    fn hosts_that_cannot_reach_each_other_are_refused() {
        let graph = Graph::directed(3, vec![(0, 1), (1, 0), (2, 0)]).unwrap();
        let mut apart = topology::build("ring:3").unwrap();
        apart.graph = std::sync::Arc::new(graph);
        let build = |toml: &str| {
            let parameters: PlatformParameters = toml::from_str(toml).unwrap();
            Platform::from_topology(&apart, &parameters.check().unwrap(), "bfs", 1)
        };
        let error = build("").unwrap_err();
        assert!(matches!(error, PlatformError::Disconnected { from: 0, to: 2, .. }), "{error}");
        // A switch without hosts may be a dead end.
        assert!(build("hosts_per_switch = [1, 1, 0]").is_ok());
        assert!(matches!(platform("ring:3", "hosts_per_switch = [1, 1]"), Err(PlatformError::InvalidParameter { .. })));
    }
}
