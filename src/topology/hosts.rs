//! Default places of the hosts of a network.
//!
//! Most families have hosts on every switch. Trees and Clos networks do not, and their publications count hosts as the
//! first vertices. Here a host that is attached to one switch is not part of the graph, in any family, so that link
//! speeds, routes and floor plans need no second case; [`Graph::with_host_vertices`] returns the graph of the
//! publication for reports. Only a host with several cables of its own has to be a vertex.

use std::borrow::Cow;

use super::failed_hosts::FailedHosts;
use super::{Graph, TopologyError};
use crate::ids::SwitchId;
use compact_str::{CompactString, format_compact};
use rustc_hash::FxHashMap;

/// Default places of the hosts of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hosts {
    /// The same number on every switch.
    Everywhere(u32),
    /// A number for each switch; the switch has hosts attached only if it is positive.
    OnSwitches(Vec<u32>),
    /// Hosts have cables of their own: this many leading vertices of the graph are hosts.
    Vertices(u32),
}

impl Hosts {
    /// Converts the data of a graph file: a number for each switch, or the number of leading vertices that are hosts;
    /// by default one on each switch. The error is the broken rule, as a sentence.
    pub(super) fn from_file(counts: Option<Vec<u32>>, vertices: Option<u32>, switches: usize) -> Result<Self, String> {
        match (counts, vertices) {
            (None, None) => Ok(Self::Everywhere(1)),
            (Some(_), Some(_)) => Err("hosts are vertices, or they hang on switches, not both".into()),
            (None, Some(count)) if count == 0 || count as usize > switches => {
                Err(format!("{count} of {switches} vertices cannot be hosts"))
            }
            (None, Some(count)) => Ok(Self::Vertices(count)),
            (Some(counts), None) if counts.len() != switches => {
                Err(format!("there are numbers of hosts for {} switches, and the graph has {switches}", counts.len()))
            }
            (Some(counts), None) if counts.iter().all(|&count| count == 0) => Err("no switch has a host".into()),
            (Some(counts), None) => Ok(Self::on_each(counts)),
        }
    }

    /// Returns the places with a number of hosts for each switch.
    pub fn on_each(counts: Vec<u32>) -> Self {
        match counts.first() {
            Some(&first) if counts.iter().all(|&count| count == first) => Self::Everywhere(first),
            _ => Self::OnSwitches(counts),
        }
    }
}

impl Graph {
    /// Sets the default places of hosts.
    ///
    /// # Panics
    /// If there is not a number for each switch; only builders call this.
    #[must_use]
    pub fn with_hosts(mut self, hosts: Hosts) -> Self {
        match &hosts {
            Hosts::Everywhere(_) => {}
            Hosts::OnSwitches(counts) => assert_eq!(counts.len(), self.switches(), "a number for each switch"),
            Hosts::Vertices(count) => assert!(*count as usize <= self.switches(), "hosts are vertices of the graph"),
        }
        self.hosts = hosts;
        self.failed_hosts = None;
        self
    }

    /// Sets the names of the hosts, switch by switch. Of hosts with equal names, all but the first get a number behind a
    /// slash, the next one that makes a new name.
    ///
    /// # Panics
    /// If there is not a name for each host; only readers of files call this.
    #[must_use]
    pub fn with_host_names(mut self, mut names: Vec<CompactString>) -> Self {
        let hosts: usize = self.default_hosts().iter().map(|&count| count as usize).sum();
        assert_eq!(names.len(), hosts, "a name for each host");
        // The last number of each name. All given names are known from the start, so that no generated one is one of them.
        let mut known: FxHashMap<CompactString, u32> = names.iter().map(|name| (name.clone(), 0)).collect();
        for name in &mut names {
            let mut number = known[name] + 1;
            if number > 1 {
                let mut new = format_compact!("{name}/{number}");
                while known.contains_key(&new) {
                    number += 1;
                    new = format_compact!("{name}/{number}");
                }
                known.insert(new.clone(), 1);
                known.insert(std::mem::replace(name, new), number);
            } else {
                known.insert(name.clone(), number);
            }
        }
        self.host_names = names;
        self
    }

    /// Returns the names of hosts in the file that the graph comes from, if there are `hosts_on` of them on each switch.
    pub fn host_names(&self, hosts_on: &[u32]) -> Option<&[CompactString]> {
        (!self.host_names.is_empty() && self.default_hosts() == hosts_on).then_some(&self.host_names)
    }

    /// Takes the hosts of an intact network whose switches are those of this graph, without the hosts on failed switches.
    /// Hosts that are vertices do not fail.
    #[must_use]
    pub(crate) fn with_hosts_left(mut self, intact: &Self, is_failed: &[bool]) -> Self {
        // Planes of the intact network may have failed switches of their own.
        let fails = |switch: &u32| is_failed[*switch as usize] || intact.failed_switches.binary_search(switch).is_ok();
        self.failed_switches = (0..is_failed.len() as u32).filter(fails).collect();
        let counts = intact.default_hosts();
        let is_lost = |switch: usize| is_failed[switch] && counts[switch] > 0;
        if matches!(intact.hosts(), Hosts::Vertices(_)) || !(0..counts.len()).any(is_lost) {
            let graph = self.with_hosts(intact.hosts().clone());
            return if intact.host_names.is_empty() { graph } else { graph.with_host_names(intact.host_names.clone()) };
        }
        let failed = FailedHosts { intact: counts, is_failed: is_failed.to_vec(), names: intact.host_names.clone() };
        let mut left = failed.intact.clone();
        failed.drop_from(&mut left);
        let mut graph = self.with_hosts(Hosts::OnSwitches(left));
        let kept = failed.names.iter().zip(failed.of_hosts(&failed.intact)).filter(|(_, gone)| !gone);
        graph.host_names = kept.map(|(name, _)| name.clone()).collect();
        graph.failed_hosts = Some(failed);
        graph
    }

    /// Returns the hosts before switches failed; `None` if no host failed.
    pub fn failed_hosts(&self) -> Option<&FailedHosts> {
        self.failed_hosts.as_ref()
    }

    /// Sets the switches that failed, in ascending order.
    #[must_use]
    pub(crate) fn with_failed_switches(mut self, failed: Vec<u32>) -> Self {
        self.failed_switches = failed;
        self
    }

    /// Returns the switches that failed, in ascending order. A switch that only lost its cables is not among them.
    pub fn failed_switches(&self) -> &[u32] {
        &self.failed_switches
    }

    /// Returns the default places of hosts.
    pub fn hosts(&self) -> &Hosts {
        &self.hosts
    }

    /// Returns the default number of hosts on each switch; a vertex that is a host has itself attached.
    pub fn default_hosts(&self) -> Vec<u32> {
        match &self.hosts {
            Hosts::Everywhere(count) => vec![*count; self.switches()],
            Hosts::OnSwitches(counts) => counts.clone(),
            Hosts::Vertices(count) => (0..self.switches() as u32).map(|vertex| u32::from(vertex < *count)).collect(),
        }
    }

    /// Returns the graph with this number of hosts on each switch that has hosts. Hosts that are vertices stay as they are.
    #[must_use]
    pub fn with_hosts_per_switch(&self, count: u32) -> Self {
        let hosts = match &self.hosts {
            Hosts::Everywhere(_) => Hosts::Everywhere(count),
            Hosts::OnSwitches(counts) => {
                Hosts::OnSwitches(counts.iter().map(|&before| if before > 0 { count } else { 0 }).collect())
            }
            Hosts::Vertices(hosts) => Hosts::Vertices(*hosts),
        };
        let failed = self.failed_hosts.clone().map(|mut failed| {
            failed.intact.iter_mut().filter(|before| **before > 0).for_each(|before| *before = count);
            failed.names.clear();
            failed
        });
        let mut graph = self.clone().with_hosts(hosts);
        graph.failed_hosts = failed;
        graph.host_names.clear();
        graph
    }

    /// Returns the number of vertices that are switches and not hosts with cables of their own.
    pub fn switch_vertices(&self) -> usize {
        match self.hosts {
            Hosts::Vertices(count) => self.switches() - count as usize,
            _ => self.switches(),
        }
    }

    /// Returns the number of cables that join a host to a switch: none, unless hosts are vertices.
    pub fn cables_to_hosts(&self) -> usize {
        let Hosts::Vertices(count) = self.hosts else { return 0 };
        let ends = |host: SwitchId| match self.is_directed() {
            true => self.out_degree(host) + self.in_degree(host),
            false => self.out_degree(host),
        };
        (0..count).map(SwitchId).map(ends).sum()
    }

    /// Returns the graph as in publications on trees, hosts first and then the switches, and its number of hosts;
    /// `None` for families whose publications leave hosts out.
    ///
    /// # Errors
    /// [`TopologyError::Unbuildable`] if that graph is too large.
    pub fn with_host_vertices(&self) -> Result<Option<(Cow<'_, Self>, usize)>, TopologyError> {
        let counts = match &self.hosts {
            Hosts::Everywhere(_) => return Ok(None),
            Hosts::Vertices(count) => return Ok(Some((Cow::Borrowed(self), *count as usize))),
            Hosts::OnSwitches(counts) => counts,
        };
        let hosts: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let total = hosts + self.switches() as u64;
        if total > super::graph::MAX_SWITCHES as u64 {
            let reason = format!("with its hosts it has {total} vertices, and may have {}", super::graph::MAX_SWITCHES);
            return Err(TopologyError::Unbuildable { topology: "graph".into(), reason });
        }
        let first = hosts as u32;
        let of_switches = self.cable_ends().map(|(u, v)| (first + u.0, first + v.0));
        let switch_of_host = (0..).zip(counts).flat_map(|(s, &count)| std::iter::repeat_n(s, count as usize));
        let of_hosts = (0..first).zip(switch_of_host).map(|(host, switch): (u32, u32)| (host, first + switch));
        let mut cables: Vec<(u32, u32)> = of_hosts.collect();
        if self.is_directed() {
            // A host sends and receives.
            cables.extend(cables.clone().into_iter().map(|(host, switch)| (switch, host)));
        }
        cables.extend(of_switches);
        let graph = Self::with_parallel_cables(total as usize, self.is_directed(), cables)?;
        Ok(Some((Cow::Owned(graph.with_hosts(Hosts::Vertices(first))), hosts as usize)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::build;
    use super::*;

    #[test]
    fn hosts_come_before_the_switches_they_hang_on() {
        // Two leaves with two hosts each, one spine: hosts 0-3, leaves 4 and 5, spine 6.
        let graph = Graph::undirected(3, vec![(0, 2), (1, 2)]).unwrap().with_hosts(Hosts::OnSwitches(vec![2, 2, 0]));
        assert_eq!(graph.default_hosts(), [2, 2, 0]);
        let (whole, hosts) = graph.with_host_vertices().unwrap().unwrap();
        let ends: Vec<_> = whole.cable_ends().map(|(u, v)| (u.0, v.0)).collect();
        assert_eq!((hosts, ends), (4, vec![(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)]));
        assert_eq!((whole.switches(), whole.switch_vertices()), (7, 3));
        assert_eq!(whole.default_hosts(), [1, 1, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn a_host_of_a_one_way_network_sends_and_receives() {
        let ring = Graph::directed(3, vec![(0, 1), (1, 2), (2, 0)]).unwrap();
        let graph = ring.with_hosts(Hosts::OnSwitches(vec![1, 0, 2]));
        let (whole, hosts) = graph.with_host_vertices().unwrap().unwrap();
        assert_eq!((hosts, whole.switches(), whole.cables(), whole.cables_to_hosts()), (3, 6, 9, 6));
        assert!(whole.unreachable_pair((0..6).map(SwitchId)).is_none());
        let three = graph.with_hosts_per_switch(3);
        assert_eq!(three.default_hosts(), [3, 0, 3]);
        assert_eq!(three.cables_to_hosts(), 0);
        let tree = build("xgft:m=[4,4],w=[1,2]").unwrap().graph;
        assert_eq!(tree.with_hosts_per_switch(2).default_hosts().iter().sum::<u32>(), 8);
    }

    #[test]
    fn no_two_hosts_have_one_name() {
        let named = |names: &[&str]| {
            let ring = Graph::undirected(names.len(), vec![(0, 1)]).unwrap();
            let graph = ring.with_host_names(names.iter().map(|&name| name.into()).collect());
            graph.host_names.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(named(&["a", "b", "a", "a"]), ["a", "b", "a/2", "a/3"]);
        // A number that makes a name of the file is left out.
        assert_eq!(named(&["a", "a", "a/2", "a"]), ["a", "a/3", "a/2", "a/4"]);
        assert_eq!(named(&["a", "a/2", "a", "a/2"]), ["a", "a/2", "a/3", "a/2/2"]);
        // Names that are unique stay, so naming hosts again changes nothing.
        assert_eq!(named(&["a", "a/3", "a/2", "a/4"]), ["a", "a/3", "a/2", "a/4"]);
    }

    #[test]
    fn most_families_have_hosts_everywhere() {
        let ring = build("ring:3").unwrap().graph;
        assert_eq!(ring.default_hosts(), [1, 1, 1]);
        assert!(ring.with_host_vertices().unwrap().is_none());
        assert_eq!(build("slimfly:q=5,p=4").unwrap().graph.default_hosts(), [4; 50]);
    }
}
