//! A network as namespaces, cables and routes: everything that has to be set up, worked out before anything is touched.

use super::EmulateError;
use crate::ids::{HostId, LinkId};
use crate::platform::Platform;
use crate::platform::ends::{Vertex, link_ends};
use crate::routing::Chosen;
use crate::topology::Topology;
use std::collections::BTreeMap;

/// Largest number of hosts: routes of all pairs are entered one by one, and a machine cannot carry more at a useful rate.
pub const MAX_HOSTS: usize = 256;

/// Largest number of namespaces.
pub const MAX_SPACES: usize = 1024;

/// Bytes of a full packet on a cable: 1500 of IP and 14 of Ethernet, as token buckets count them.
pub const PACKET_BYTES: f64 = 1514.0;

/// Packets times hops per second that a core carries besides the programs. Measured: at 26,000 on two cores, programs
/// take the time that the cables need; at 105,000 a core is full and times are 45 % longer.
pub const PACKETS_PER_CORE: f64 = 15_000.0;

/// A pair of virtual Ethernet devices.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cable {
    /// Namespaces of both ends.
    pub spaces: [usize; 2],
    /// Link that leaves each end; none at the head of a uni-directional cable.
    pub links: [Option<LinkId>; 2],
}

/// A route of one namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Hop {
    /// Source host, where packets of this source leave on another cable than those of most sources.
    pub source: Option<usize>,
    /// Destination host.
    pub destination: usize,
    /// Cable that packets leave on.
    pub cable: usize,
}

/// A network to be built.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// Names of the namespaces, without prefix: `s0`, `s1`, ... for switches, `h0`, ... for hosts with a link of their own.
    pub spaces: Vec<String>,
    /// Namespace of each host.
    pub hosts: Vec<usize>,
    /// Cables.
    pub cables: Vec<Cable>,
    /// Routes of each namespace.
    pub routes: Vec<Vec<Hop>>,
    /// Cable and end that each link of the platform leaves from; none for the loopback.
    pub place: Vec<Option<(usize, usize)>>,
}

impl Plan {
    /// Works out namespaces, cables and routes of a platform that was made from a topology.
    ///
    /// # Errors
    /// [`EmulateError::Unfit`] if the network has adaptive routes or cables whose directions share their bandwidth, or is
    /// too large.
    pub fn new(topology: &Topology, platform: &Platform) -> Result<Self, EmulateError> {
        let unfit = |reason: String, help| EmulateError::Unfit { network: platform.name.clone(), reason, help };
        let (graph, count) = (&topology.graph, platform.hosts.len());
        if topology.rails.is_some() {
            let reason = "its hosts have several ports, and a namespace has one".to_owned();
            return Err(unfit(reason, "emulate one plane alone"));
        }
        if count > MAX_HOSTS {
            let reason = format!("it has {count} hosts; the limit is {MAX_HOSTS}");
            return Err(unfit(reason, "choose a smaller network of the same family"));
        }
        let ends = link_ends(graph, platform)
            .map_err(|error| unfit(error.to_string(), "use two-way cables in full duplex"))?;
        let crowded = |host: usize| {
            let switch = platform.hosts[host].switch;
            platform.hosts.iter().filter(|other| other.switch == switch).count() > 1
        };
        let mut spaces: Vec<String> = (0..graph.switches()).map(|switch| format!("s{switch}")).collect();
        let mut cables: Vec<Cable> = Vec::new();
        let mut place = vec![None; platform.links.len()];
        let mut hosts = Vec::with_capacity(count);
        for (index, host) in platform.hosts.iter().enumerate() {
            let switch = host.switch.map(|switch| switch.index()).filter(|switch| *switch < graph.switches());
            let switch =
                switch.ok_or_else(|| unfit(format!("host {} is on no switch", host.name), "use a topology"))?;
            let [up, down] = platform.routes.host_links(HostId::new(index));
            if up.is_none() && !crowded(index) {
                hosts.push(switch);
                continue;
            }
            // Several hosts without links of their own have addresses of their own, behind cables without a limit.
            hosts.push(spaces.len());
            for (end, link) in [up, down].into_iter().enumerate() {
                if let Some(link) = link {
                    place[link.index()] = Some((cables.len(), end));
                }
            }
            cables.push(Cable { spaces: [spaces.len(), switch], links: [up, down] });
            spaces.push(format!("h{index}"));
        }
        if spaces.len() > MAX_SPACES {
            let reason = format!("it takes {} namespaces; the limit is {MAX_SPACES}", spaces.len());
            return Err(unfit(reason, "choose a smaller network of the same family"));
        }
        let first = cables.len();
        let mut numbers = BTreeMap::new();
        for (index, ends) in ends.iter().enumerate().take(graph.arcs()) {
            let Some((Vertex::Switch(from), Vertex::Switch(to))) = *ends else { continue };
            let cable = graph.cable(crate::topology::ArcId(index as u32));
            let number = *numbers.entry(cable).or_insert_with(|| {
                cables.push(Cable { spaces: [from as usize, to as usize], links: [None, None] });
                cables.len() - 1
            });
            debug_assert!(number >= first);
            let end = usize::from(cables[number].spaces[0] != from as usize);
            cables[number].links[end] = Some(LinkId::new(index));
            place[index] = Some((number, end));
        }
        let mut plan = Self { routes: vec![Vec::new(); spaces.len()], spaces, hosts, cables, place };
        plan.add_routes(platform, unfit)?;
        Ok(plan)
    }

    /// Enters the routes of all pairs. A namespace has one route to a destination where packets of all sources leave on
    /// the same cable, and routes per source for those that leave on another one than most.
    fn add_routes(
        &mut self,
        platform: &Platform,
        unfit: impl Fn(String, &'static str) -> EmulateError,
    ) -> Result<(), EmulateError> {
        let count = self.hosts.len();
        // Cable of each source, by namespace and destination.
        let mut leaving: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        let mut links = Vec::new();
        for from in 0..count {
            for to in (0..count).filter(|to| *to != from) {
                let (a, b) = (HostId::new(from), HostId::new(to));
                if platform.routes.chosen(a, b) != Chosen::Once {
                    let reason = "its routes are chosen message by message".to_owned();
                    return Err(unfit(reason, "choose a static rule, such as --routing bfs"));
                }
                links.clear();
                platform
                    .route(a, b, &mut links)
                    .map_err(|error| unfit(error.to_string(), "use a connected network"))?;
                let mut at = self.hosts[from];
                let mut step = |cable: usize, end: usize| {
                    leaving.entry((at, to)).or_default().push((from, cable));
                    at = self.cables[cable].spaces[1 - end];
                };
                // Hosts behind cables without a limit, which no link of the platform stands for.
                let stub = |host: usize| {
                    self.cables
                        .iter()
                        .position(|cable| cable.spaces[0] == self.hosts[host] && cable.links == [None, None])
                };
                if let Some(cable) = stub(from) {
                    step(cable, 0);
                }
                links.iter().filter_map(|link| self.place[link.index()]).for_each(|(cable, end)| step(cable, end));
                if let Some(cable) = stub(to) {
                    step(cable, 1);
                }
                if at != self.hosts[to] {
                    let reason = format!("the route from host {from} to host {to} does not end there");
                    return Err(unfit(reason, "report this as a bug"));
                }
            }
        }
        for ((space, destination), sources) in leaving {
            let mut votes: BTreeMap<usize, usize> = BTreeMap::new();
            sources.iter().for_each(|(_, cable)| *votes.entry(*cable).or_default() += 1);
            // Packets of a host itself find their source address by the common route.
            let own = sources.iter().find(|(source, _)| self.hosts[*source] == space).map(|(_, cable)| *cable);
            let most =
                votes.iter().max_by_key(|(cable, votes)| (**votes, usize::MAX - **cable)).map(|(cable, _)| *cable);
            let Some(common) = own.or(most) else { continue };
            self.routes[space].push(Hop { source: None, destination, cable: common });
            let mut exceptions: Vec<Hop> = sources
                .iter()
                .filter(|(_, cable)| *cable != common)
                .map(|&(source, cable)| Hop { source: Some(source), destination, cable })
                .collect();
            exceptions.sort();
            exceptions.dedup();
            if let Some(pair) = exceptions.windows(2).find(|pair| pair[0].source == pair[1].source) {
                let reason = format!(
                    "packets from host {} to host {destination} pass switch {} twice",
                    pair[0].source.unwrap_or_default(),
                    self.spaces[space]
                );
                return Err(unfit(reason, "choose a rule with shortest paths, such as --routing bfs"));
            }
            self.routes[space].extend(exceptions);
        }
        Ok(())
    }

    /// Packets times hops per second with all cables full.
    pub fn packets_per_second(&self, platform: &Platform) -> f64 {
        let placed = platform.links.iter().zip(&self.place).filter(|(_, place)| place.is_some());
        placed.map(|(link, _)| link.bandwidth / PACKET_BYTES).sum()
    }

    /// Refuses rates at which the machine, and not the cables, would decide how long programs take.
    ///
    /// # Errors
    /// [`EmulateError::TooFast`].
    pub fn check_budget(&self, platform: &Platform, budget: f64) -> Result<(), EmulateError> {
        let packets = self.packets_per_second(platform);
        if packets <= budget {
            return Ok(());
        }
        Err(EmulateError::TooFast { network: platform.name.clone(), packets, budget, part: budget / packets })
    }

    /// Number of directions that have a limit.
    pub fn limits(&self) -> usize {
        self.cables.iter().flat_map(|cable| cable.links).flatten().count()
    }

    /// Number of routes that are entered.
    pub fn entries(&self) -> usize {
        self.routes.iter().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Choice, Prefix};
    use super::*;
    use crate::emulate::commands::{self, Settings};
    use crate::study::network::NetworkUnderTest;
    use crate::user_error::UserError;

    fn network(choice: &Choice) -> NetworkUnderTest {
        choice.network(0.0).unwrap().build(std::path::Path::new("")).unwrap()
    }

    fn choice(spec: &str) -> Choice {
        Choice { spec: spec.to_owned(), rate: 375_000.0, ..Choice::default() }
    }

    fn plan(network: &NetworkUnderTest) -> Result<Plan, EmulateError> {
        Plan::new(network.topology.as_ref().unwrap(), &network.platform)
    }

    /// Returns the links from one host to another, as the kernel finds them: rules for a source override the common routes
    /// of a namespace.
    fn walk(plan: &Plan, from: usize, to: usize) -> Vec<LinkId> {
        let mut at = plan.hosts[from];
        let mut links = Vec::new();
        for _ in 0..100 {
            if at == plan.hosts[to] {
                return links;
            }
            let of = |source| plan.routes[at].iter().find(|hop| (hop.source, hop.destination) == (source, to));
            let hop = of(Some(from)).or_else(|| of(None)).expect("a route");
            let cable = &plan.cables[hop.cable];
            let end = usize::from(cable.spaces[0] != at);
            assert_eq!(cable.spaces[end], at, "the cable is plugged in here");
            links.extend(cable.links[end]);
            at = cable.spaces[1 - end];
        }
        panic!("packets from {from} to {to} go round in circles");
    }

    #[test]
    fn packets_take_the_routes_of_replays() {
        for (spec, routing, hosts_per_switch, host_rate) in [
            ("torus:4x4", None, None, None),
            ("torus:4x4", Some("bfs"), None, Some("none")),
            ("imase-itoh:n=16,d=3", Some("bfs"), None, None),
            ("imase-itoh:n=16,d=3", None, None, Some("none")),
            ("random:n=16,d=3,seed=1", Some("bfs"), None, Some("none")),
            ("random:n=16,d=4,seed=2", Some("balanced"), None, None),
            ("random-directed:n=16,d=3,seed=1", None, None, None),
            ("xgft:m=[4,4],w=[1,2]", None, None, None),
            ("xgft:m=[4,4],w=[1,2]", Some("ecmp"), None, None),
            ("torus:4x4", Some("ecmp"), None, Some("none")),
            ("xgft:m=[4,4],w=[2,2]", Some("bfs"), None, None),
            ("ring:5", None, Some(3), None),
            ("ring:5", None, Some(2), Some("none")),
            ("star:5", None, None, None),
        ] {
            let choice = Choice {
                routing: routing.map(str::to_owned),
                hosts_per_switch,
                host_rate: host_rate.map(str::to_owned),
                ..choice(spec)
            };
            let network = network(&choice);
            let plan = plan(&network).unwrap();
            let hosts = network.platform.hosts.len();
            for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(a, b)| a != b) {
                let mut links = Vec::new();
                network.platform.route(HostId::new(from), HostId::new(to), &mut links).unwrap();
                links.retain(|link| Some(*link) != network.platform.loopback);
                assert_eq!(walk(&plan, from, to), links, "{spec} by {routing:?}: from {from} to {to}");
            }
        }
    }

    #[test]
    fn a_one_way_cable_has_one_rate() {
        let network = network(&Choice { host_rate: Some("none".into()), ..choice("imase-itoh:n=16,d=3") });
        let plan = plan(&network).unwrap();
        assert_eq!(
            (plan.cables.len(), plan.limits()),
            (network.topology.as_ref().unwrap().graph.cables(), plan.cables.len())
        );
        let limited = Settings { queue_bytes: 4_000_000, delay: 0.0, congestion: None, limited: true };
        let shapes: String =
            (0..plan.spaces.len()).map(|s| commands::shape(&plan, &network.platform, s, &limited)).collect();
        assert_eq!(shapes.lines().count(), plan.cables.len());
        assert!(shapes.lines().all(|line| line.ends_with("tbf rate 3000000bit burst 1800 limit 4000000")), "{shapes}");
        let free = Settings { limited: false, ..limited };
        assert_eq!(commands::shape(&plan, &network.platform, 0, &free), "");
    }

    #[test]
    fn routes_are_per_source_only_where_sources_differ() {
        let by = |rule: &str| Choice { routing: Some(rule.to_owned()), ..choice("torus:4x4") };
        let plain = plan(&network(&by("dimension-order"))).unwrap();
        assert!(plain.routes.iter().flatten().all(|hop| hop.source.is_none()));
        // Pairs of hosts choose among shortest paths one by one.
        let random = plan(&network(&by("ecmp"))).unwrap();
        let sources = random.routes.iter().flatten().filter(|hop| hop.source.is_some()).count();
        assert!(sources > 0 && sources < random.entries() / 2, "{sources} of {}", random.entries());
        let text = commands::configure(
            &random,
            random.routes.iter().position(|routes| routes.iter().any(|hop| hop.source.is_some())).unwrap(),
            &Settings { queue_bytes: 1, delay: 0.0, congestion: Some("cubic".into()), limited: true },
        );
        assert!(text.contains("rule add from 10.10.0.") && text.contains(" table 10"), "{text}");
    }

    #[test]
    fn commands_name_only_namespaces_of_the_prefix() {
        let prefix = Prefix::new("net7").unwrap();
        let plan = plan(&network(&choice("ring:3"))).unwrap();
        let [spaces, devices] = commands::create(&plan, &prefix);
        assert_eq!(spaces.lines().count(), 7);
        assert!(spaces.lines().all(|line| prefix.is_of(line.strip_prefix("netns add ").unwrap())), "{spaces}");
        assert_eq!(devices.lines().count(), 6 + 6);
        let named = devices.split("netns ").skip(1).map(|rest| rest.split_whitespace().next().unwrap());
        assert!(named.into_iter().all(|name| prefix.is_of(name)), "{devices}");
    }

    #[test]
    fn networks_that_namespaces_cannot_be_are_refused() {
        let adaptive = network(&Choice { routing: Some("adaptive".into()), ..choice("torus:4x4") });
        let error = plan(&adaptive).unwrap_err();
        assert!(error.to_string().contains("message by message") && error.help().contains("--routing bfs"), "{error}");
        let large = plan(&network(&choice("ring:257"))).unwrap_err();
        assert!(large.to_string().contains("257 hosts"), "{large}");
        let mut shared = choice("torus:4x4").network(0.0).unwrap();
        shared.parameters.duplex = Some(crate::platform::Duplex::Shared);
        let shared = shared.build(std::path::Path::new("")).unwrap();
        assert!(plan(&shared).unwrap_err().to_string().contains("share its bandwidth"));
    }

    #[test]
    fn rates_above_the_budget_are_refused_with_the_figure() {
        // 64 cables of switches and 32 of hosts at 3 Mbit/s: 96 * 3e6 / 8 / 1514 packets.
        let network = network(&choice("torus:4x4"));
        let plan = plan(&network).unwrap();
        assert!((plan.packets_per_second(&network.platform) - 96.0 * 375_000.0 / 1514.0).abs() < 1e-6);
        plan.check_budget(&network.platform, 24_000.0).unwrap();
        let error = plan.check_budget(&network.platform, 11_890.0).unwrap_err();
        assert!(error.to_string().contains("23778") && error.to_string().contains("11890"), "{error}");
        assert!(error.help().contains("50 %"), "{}", error.help());
    }
}
