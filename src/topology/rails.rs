//! Hosts with several ports: in several planes, on several switches of a plane, or both.
//!
//! A plane is a topology of its own, and every host is attached to all of them: host i is the i-th host of each plane.
//! In a plane, a host may have ports on several switches: its own one and others of those that have hosts. A *rail* is
//! one port of every host; a rail of several ports per plane is the plane seen from that port.
//!
//! The graph of such a network is the disjoint union of its planes: switches, cables and arcs are numbered plane by
//! plane, so floor plans, prices, failures and links need no second case. [`Graph::default_hosts`] is then the number of
//! host ports on each switch. Routes stay within a plane, so they are computed on the planes. Rejected: hosts as
//! vertices of one graph, where every routing rule would have to know that hosts do not forward messages.

use super::damage::Damage;
use super::spec::Spec;
use super::{CableId, Graph, Hosts, Topology, TopologyError};
use crate::ids::SwitchId;

/// Largest number of ports per host.
pub const MAX_RAILS: usize = 256;

/// Switches that have the further ports of a host, if a host has several ports in a plane.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// The next switches with hosts, in the order of their numbers, starting again from the first. Port 0 is on the host's
    /// own switch.
    #[default]
    Next,
    /// The switches of a group: with k ports, each k consecutive switches with hosts form a group, and port i of every host
    /// of a group is on the i-th of its switches, as servers are connected to a pair of leaves: two hosts of a group are
    /// one switch apart on every rail.
    Group,
}

impl Spread {
    /// Names, in the order of the values.
    pub const NAMES: [(&'static str, Spread); 2] = [("next", Spread::Next), ("group", Spread::Group)];
}

/// One plane.
#[derive(Clone, Debug)]
pub struct Plane {
    /// The plane as a network of its own, with the numbers of its own switches.
    pub topology: Topology,
    /// Number of its first switch in the whole network.
    pub first_switch: u32,
    /// Number of its first arc in the whole network.
    pub first_arc: u32,
    /// Number of hosts that belong to a switch, for each switch; failures do not change it. Under [`Spread::Next`], they
    /// are those with their first port in the plane on it.
    pub homes: Vec<u32>,
    /// `true` for switches that failed: ports on them are lost. Empty if none failed.
    pub failed: Vec<bool>,
}

/// Planes and host ports of a network.
#[derive(Clone, Debug)]
pub struct Rails {
    /// Planes, in order.
    pub planes: Vec<Plane>,
    /// Ports of a host in each plane.
    pub ports: u32,
    /// Switches that have the further ports of a host in a plane.
    pub spread: Spread,
}

/// Place of each host's port of one rail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Places {
    /// Index of the plane.
    pub plane: usize,
    /// Switch of each host's port, by its number in the plane.
    pub switches: Vec<SwitchId>,
    /// Number of each host's port among all ports of the plane, which are numbered switch by switch and, on a switch,
    /// port by port of the hosts. With one port in the plane it is the number of the host.
    pub numbers: Vec<u32>,
}

impl Rails {
    /// Attaches hosts to planes.
    ///
    /// # Errors
    /// The broken rule, as the end of a sentence.
    pub fn new(planes: Vec<Topology>, ports: u32, spread: Spread) -> Result<Self, String> {
        let (mut first_switch, mut first_arc) = (0_usize, 0_usize);
        let mut all = Vec::with_capacity(planes.len());
        for topology in planes {
            if topology.rails.is_some() {
                return Err(format!(
                    "a plane must be a network in which hosts have one port, and `{}` is not",
                    topology.name()
                ));
            }
            if let Hosts::Vertices(_) = topology.graph.hosts() {
                return Err(format!(
                    "a plane must have its hosts on switches, and the hosts of `{}` have cables of their own",
                    topology.name()
                ));
            }
            let homes = topology.graph.default_hosts();
            let (switches, arcs) = (topology.graph.switches(), topology.graph.arcs());
            let plane =
                |first_switch, first_arc| Plane { topology, first_switch, first_arc, homes, failed: Vec::new() };
            let too_large = || "the planes together have too many switches or cables".to_owned();
            let first = |at: usize| u32::try_from(at).map_err(|_| too_large());
            all.push(plane(first(first_switch)?, first(first_arc)?));
            (first_switch, first_arc) = (first_switch + switches, first_arc + arcs);
        }
        let rails = Self { planes: all, ports, spread };
        if rails.count() > MAX_RAILS {
            return Err(format!("a host may have {MAX_RAILS} ports, and would have {}", rails.count()));
        }
        let directed = |plane: &Plane| plane.topology.graph.is_directed();
        if let Some(other) = rails.planes.iter().find(|plane| directed(plane) != directed(&rails.planes[0])) {
            return Err(format!(
                "the cables of all planes must be one-way, or those of all two-way, unlike those of `{}` and `{}`",
                rails.planes[0].topology.name(),
                other.topology.name()
            ));
        }
        rails.places(&rails.homes())?;
        Ok(rails)
    }

    /// Returns the number of ports per host.
    pub fn count(&self) -> usize {
        self.planes.len() * self.ports as usize
    }

    /// Returns the default number of hosts at home on each switch of each plane.
    pub fn homes(&self) -> Vec<Vec<u32>> {
        self.planes.iter().map(|plane| plane.homes.clone()).collect()
    }

    /// Returns the number of hosts at home on each switch of each plane, with `count` on every switch that has hosts by
    /// default; the default numbers if it is `None`.
    pub fn homes_with(&self, count: Option<u32>) -> Vec<Vec<u32>> {
        let mut homes = self.homes();
        if let Some(count) = count {
            homes.iter_mut().flatten().filter(|hosts| **hosts > 0).for_each(|hosts| *hosts = count);
        }
        homes
    }

    /// Returns the places of all ports, rail by rail, for these numbers of hosts at home on the switches of each plane.
    ///
    /// # Errors
    /// The broken rule, as the end of a sentence: planes with different numbers of hosts, or too few switches for the
    /// ports of a host.
    pub fn places(&self, homes: &[Vec<u32>]) -> Result<Vec<Places>, String> {
        let hosts = |homes: &[u32]| homes.iter().map(|&count| u64::from(count)).sum::<u64>();
        let first = hosts(&homes[0]);
        if let Some(other) = homes.iter().position(|homes| hosts(homes) != first) {
            return Err(format!(
                "every host has a port in each plane, and `{}` has {first} hosts while `{}` has {}",
                self.planes[0].topology.name(),
                self.planes[other].topology.name(),
                hosts(&homes[other])
            ));
        }
        let mut switches = Vec::with_capacity(self.count());
        for (plane, homes) in homes.iter().enumerate() {
            let bearing: Vec<u32> =
                (0..).zip(homes).filter(|&(_, &count)| count > 0).map(|(switch, _)| switch).collect();
            self.check_ports(plane, bearing.len())?;
            for port in 0..self.ports as usize {
                let on = (0..bearing.len()).map(|at| SwitchId(bearing[self.port_at(at, port, bearing.len())]));
                let counts = bearing.iter().map(|&switch| homes[switch as usize] as usize);
                switches.push(on.zip(counts).flat_map(|(switch, count)| std::iter::repeat_n(switch, count)).collect());
            }
        }
        Ok(self.places_on(switches))
    }

    /// Returns the places of ports on these switches of their planes: for each rail, the switch of each host's port.
    pub fn places_on(&self, switches: Vec<Vec<SwitchId>>) -> Vec<Places> {
        let plane_of = |rail: usize| rail / self.ports as usize;
        let place = |(rail, switches)| Places { plane: plane_of(rail), switches, numbers: Vec::new() };
        let mut all: Vec<Places> = switches.into_iter().enumerate().map(place).collect();
        for (rails, plane) in all.chunks_mut(self.ports as usize).zip(&self.planes) {
            number(rails, plane.homes.len());
        }
        all
    }

    fn check_ports(&self, plane: usize, bearing: usize) -> Result<(), String> {
        let (ports, name) = (self.ports as usize, self.planes[plane].topology.name());
        if ports > bearing {
            return Err(format!("a host has {ports} ports in a plane, and `{name}` has hosts on {bearing} switches"));
        }
        if self.spread == Spread::Group && !bearing.is_multiple_of(ports) {
            return Err(format!(
                "groups of {ports} switches must divide the switches with hosts, and `{name}` has {bearing} of them"
            ));
        }
        Ok(())
    }

    /// Returns the index of the switch that has port `port` of the hosts of switch `at`, among `bearing` switches with
    /// hosts.
    fn port_at(&self, at: usize, port: usize, bearing: usize) -> usize {
        match self.spread {
            Spread::Next => (at + port) % bearing,
            Spread::Group => at - at % self.ports as usize + port,
        }
    }

    /// Returns the number of host ports on each switch of the whole network.
    pub fn ports_on(&self, places: &[Places]) -> Vec<u32> {
        let mut counts = vec![0; self.switches()];
        for rail in places {
            let first = self.planes[rail.plane].first_switch;
            rail.switches.iter().for_each(|switch| counts[(first + switch.0) as usize] += 1);
        }
        counts
    }

    /// Returns the number of switches of all planes.
    pub fn switches(&self) -> usize {
        self.planes.iter().map(|plane| plane.homes.len()).sum()
    }

    /// Returns the graph of all planes.
    ///
    /// # Errors
    /// [`TopologyError::Unbuildable`] if it is too large.
    pub fn union(&self) -> Result<Graph, TopologyError> {
        let directed = self.planes[0].topology.graph.is_directed();
        let mut pairs = Vec::new();
        let (mut slower, mut share) = (Vec::new(), 1.0);
        let mut failed = Vec::new();
        for plane in &self.planes {
            let (graph, first) = (&plane.topology.graph, plane.first_switch);
            failed.extend(graph.failed_switches().iter().map(|switch| first + switch));
            for (cable, (u, v)) in (0..).zip(graph.cable_ends()) {
                if graph.bandwidth_share(CableId(cable)) < 1.0 {
                    slower.push(pairs.len() as u32);
                    if share < 1.0 && share != graph.slowest_share() {
                        return Err(TopologyError::Unbuildable {
                            topology: "graph".into(),
                            reason: "degraded cables must have the same share of bandwidth in all planes".into(),
                        });
                    }
                    share = graph.slowest_share();
                }
                pairs.push((first + u.0, first + v.0));
            }
        }
        let graph = Graph::with_parallel_cables(self.switches(), directed, pairs)?;
        let places = self.places(&self.homes()).expect("planes were checked");
        let graph = graph.with_hosts(Hosts::OnSwitches(self.ports_on(&places))).with_slower_cables(slower, share);
        Ok(graph.with_failed_switches(failed))
    }

    /// Returns the planes of a network of which parts failed; `graph` is the damaged union.
    ///
    /// # Errors
    /// [`TopologyError`] if a plane cannot be built.
    pub fn damaged(&self, graph: &Graph) -> Result<Self, TopologyError> {
        let (intact, left) = (self.union()?.default_hosts(), graph.default_hosts());
        let lost: Vec<bool> = intact.iter().zip(&left).map(|(&before, &now)| before > 0 && now == 0).collect();
        let cables: Vec<(u32, u32)> = graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        let mut rails = self.clone();
        let mut first_arc = 0;
        for plane in &mut rails.planes {
            let switches = plane.first_switch..plane.first_switch + plane.homes.len() as u32;
            let own: Vec<u32> =
                (0..).zip(&cables).filter(|(_, ends)| switches.contains(&ends.0)).map(|(cable, _)| cable).collect();
            let failed: Vec<bool> = lost[switches.start as usize..switches.end as usize].to_vec();
            let slower: Vec<u32> = (0..)
                .zip(&own)
                .filter(|&(_, &cable)| graph.bandwidth_share(CableId(cable)) < 1.0)
                .map(|(place, _)| place)
                .collect();
            let in_plane = graph.failed_switches().iter().filter(|switch| switches.contains(switch));
            let gone: Vec<u32> = in_plane.map(|switch| switch - switches.start).collect();
            let whole = own.len() == plane.topology.graph.cables()
                && slower.is_empty()
                && gone == plane.topology.graph.failed_switches();
            plane.first_arc = first_arc;
            if !whole {
                let pairs = own.iter().map(|&cable| cables[cable as usize]);
                let pairs = pairs.map(|(u, v)| (u - switches.start, v - switches.start)).collect();
                let rest = Graph::with_parallel_cables(plane.homes.len(), graph.is_directed(), pairs)?;
                let hosts = plane.homes.iter().zip(&failed).map(|(&count, &failed)| if failed { 0 } else { count });
                let hosts = if failed.contains(&true) {
                    Hosts::OnSwitches(hosts.collect())
                } else {
                    plane.topology.graph.hosts().clone()
                };
                let rest = rest.with_hosts(hosts).with_slower_cables(slower, graph.slowest_share());
                let rest = rest.with_failed_switches(gone);
                plane.topology = Topology { spec: broken(&plane.topology.spec)?, graph: rest.into(), rails: None };
            }
            if failed.contains(&true) {
                plane.failed = failed;
            }
            first_arc += plane.topology.graph.arcs() as u32;
        }
        Ok(rails)
    }
}

/// Returns the texts of all planes, separated by semicolons: one text if they are equal.
pub(crate) fn text_of_planes(texts: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = texts.collect();
    if all.iter().all(|text| *text == all[0]) {
        all.truncate(1);
    }
    all.join("; ")
}

/// Returns the specification of a plane as a network in which parts may have failed, for rules that compare it with the
/// intact one.
///
/// # Errors
/// [`TopologyError`] if the specification breaks a rule.
pub(crate) fn broken(spec: &Spec) -> Result<Spec, TopologyError> {
    if spec.family().name == "damaged" { Ok(spec.clone()) } else { Damage::default().of(spec) }
}

/// Numbers the ports of a plane switch by switch and, on a switch, port by port.
fn number(rails: &mut [Places], switches: usize) {
    let mut next = vec![0_u32; switches + 1];
    rails.iter().flat_map(|rail| &rail.switches).for_each(|switch| next[switch.index() + 1] += 1);
    (0..switches).for_each(|switch| next[switch + 1] += next[switch]);
    for rail in rails {
        rail.numbers = rail
            .switches
            .iter()
            .map(|switch| {
                let number = next[switch.index()];
                next[switch.index()] += 1;
                number
            })
            .collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    fn rails(spec: &str) -> (Topology, Rails) {
        let topology = build(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let rails = (*topology.rails.clone().expect(spec)).clone();
        (topology, rails)
    }

    #[test]
    fn planes_are_numbered_one_after_another() {
        let (topology, rails) = rails("rails:base=\"ring:4;star:4\"");
        let ends: Vec<_> = topology.graph.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        assert_eq!(ends, [(0, 1), (0, 3), (1, 2), (2, 3), (4, 5), (4, 6), (4, 7)]);
        assert_eq!((rails.planes[1].first_switch, rails.planes[1].first_arc), (4, 8));
        assert_eq!(topology.graph.default_hosts(), [1; 8]);
        let places = rails.places(&rails.homes()).unwrap();
        assert_eq!(places[1], Places { plane: 1, switches: (0..4).map(SwitchId).collect(), numbers: vec![0, 1, 2, 3] });
        assert_eq!(topology.name(), "rails:base=ring:n=4;star:n=4");
    }

    #[test]
    fn further_ports_are_on_the_next_switches_or_on_those_of_the_group() {
        let switches = |spec: &str| -> Vec<Vec<u32>> {
            let (_, rails) = rails(spec);
            let places = rails.places(&rails.homes()).unwrap();
            places.iter().map(|rail| rail.switches.iter().map(|switch| switch.0).collect()).collect()
        };
        assert_eq!(switches("rails:base=ring:4,ports=2"), [[0, 1, 2, 3], [1, 2, 3, 0]]);
        assert_eq!(switches("rails:base=ring:4,ports=2,at=group"), [[0, 0, 2, 2], [1, 1, 3, 3]]);
        // Leaves 0 to 3 with two hosts each; the spines have none.
        assert_eq!(
            switches("rails:base=fat_tree2:4,ports=2,at=group"),
            [[0, 0, 0, 0, 2, 2, 2, 2], [1, 1, 1, 1, 3, 3, 3, 3]]
        );
        let (topology, tree) = rails("rails:base=fat_tree2:4,ports=2");
        assert_eq!(topology.graph.default_hosts(), [4, 4, 4, 4, 0, 0]);
        // On switch 1: first the first ports of hosts 2 and 3, then the second ports of hosts 0 and 1.
        let places = tree.places(&tree.homes()).unwrap();
        assert_eq!((&places[0].numbers[2..4], &places[1].numbers[..2]), (&[4, 5][..], &[6, 7][..]));
    }

    #[test]
    fn failures_belong_to_a_plane() {
        // Cable 0-1 of the second plane, and switch 2 of the first one.
        let (topology, rails) = rails("damaged:base=\"rails:base=ring:4,planes=2\",without=\"4-5,2\"");
        assert_eq!(topology.graph.cables(), 8 - 1 - 2);
        let [first, second] = &rails.planes[..] else { panic!("two planes") };
        assert_eq!((&first.failed[..], second.failed.len()), (&[false, false, true, false][..], 0));
        assert_eq!((first.topology.graph.cables(), second.topology.graph.cables()), (2, 3));
        assert_eq!((first.first_arc, second.first_arc), (0, 4));
        assert_eq!(
            (&first.homes[..], second.topology.name()),
            (&[1; 4][..], "damaged:base=ring:n=4,seed=1".to_owned())
        );
        // Nothing fails in the third plane of three.
        let (_, rails) = self::rails("damaged:base=\"rails:base=ring:4,planes=3\",without=\"0-1\"");
        assert_eq!(rails.planes[2].topology.name(), "ring:n=4");
    }

    #[test]
    fn impossible_planes_are_refused() {
        for (spec, rule) in [
            ("rails:base=\"ring:4;ring:5\"", "`ring:n=4` has 4 hosts while `ring:n=5` has 5"),
            ("rails:base=\"ring:4;imase_itoh:n=4,d=2\"", "must be one-way, or those of all two-way"),
            ("rails:base=\"clos:m=2,n=2,r=2\",planes=2", "have cables of their own"),
            ("rails:base=\"rails:base=ring:4,planes=2\",planes=2", "hosts have one port"),
            ("rails:base=ring:4,ports=5", "has hosts on 4 switches"),
            ("rails:base=ring:5,ports=2,at=group", "has 5 of them"),
            ("rails:base=ring:4,planes=0", "from 1 to 256"),
            ("rails:base=ring:4,planes=200,ports=2", "would have 400"),
            ("rails:base=ring:4,ports=0", "from 1 to 256"),
            ("rails:base=ring:4,ports=2,at=far", "`next` or `group`"),
            ("rails:base=\"ring:4;\"", "empty"),
            ("rails:base=\"ring:4;tours:4\"", "did you mean `torus`"),
        ] {
            let error = build(spec).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(rule), "{spec}: {error}");
        }
    }
}
