//! The graph of switches: a directed multigraph in flat arrays.
//!
//! Everything is an arc. A two-way cable is two arcs that share a cable, so later stages (links, routes, the engine)
//! need no second case for undirected networks. Arcs are sorted by tail, then head, then cable: the arcs out of a
//! switch are a range of ids, its neighbours are in ascending order, and the numbers do not depend on the order in
//! which a builder or a file named the cables. `petgraph` is the better tool for algorithms, and [`Graph::to_petgraph`]
//! converts to it, also for users of this library; the simulator iterates over the arrays here.

use std::ops::Range;

use super::error::TopologyError;
use super::failed_hosts::FailedHosts;
use super::hosts::Hosts;
use crate::ids::SwitchId;
use crate::memory;
use compact_str::CompactString;

/// Largest number of switches of a graph: 16,777,216.
pub const MAX_SWITCHES: usize = 1 << 24;
/// Largest number of arcs of a graph, two for a two-way cable: 67,108,864.
pub const MAX_ARCS: usize = 1 << 26;

/// One direction of a cable: an index into the arcs of a [`Graph`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ArcId(pub u32);

impl ArcId {
    /// Returns the id as an index into an array.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A cable: an index below [`Graph::cables`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CableId(pub u32);

impl CableId {
    /// Returns the id as an index into an array.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Cables with less bandwidth than the others.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Slower {
    /// In ascending order.
    cables: Vec<u32>,
    /// Remaining share of their bandwidth, in billionths: integers keep graphs comparable.
    billionths: u32,
}

/// Switches and the cables between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    directed: bool,
    cables: u32,
    /// Arc `a` leads from `tails[a]` to `heads[a]`; sorted by (tail, head, cable).
    tails: Vec<u32>,
    heads: Vec<u32>,
    cable_of: Vec<u32>,
    /// The arcs out of switch `s` are `out_first[s]..out_first[s + 1]`.
    out_first: Vec<u32>,
    /// The arcs into switch `s` are `in_arcs[in_first[s]..in_first[s + 1]]`, in ascending order.
    in_first: Vec<u32>,
    in_arcs: Vec<u32>,
    loops: usize,
    duplicates: usize,
    parallel: bool,
    slower: Option<Slower>,
    pub(super) hosts: Hosts,
    pub(super) host_names: Vec<CompactString>,
    pub(super) failed_hosts: Option<FailedHosts>,
    /// In ascending order.
    pub(super) failed_switches: Vec<u32>,
    remarks: Vec<String>,
}

impl Graph {
    /// Builds a simple undirected graph: every pair is a two-way cable, in either order.
    ///
    /// Loops are dropped and equal cables merged; [`Graph::loops_dropped`] and [`Graph::duplicates_merged`] return
    /// their numbers.
    ///
    /// # Errors
    /// [`TopologyError::Unbuildable`] if there is no switch, the number of switches or arcs exceeds its limit, or a
    /// pair names a switch that does not exist.
    pub fn undirected(switches: usize, cables: Vec<(u32, u32)>) -> Result<Self, TopologyError> {
        Self::new(switches, false, cables, true)
    }

    /// Builds a simple directed graph: every pair is a one-way cable from the first to the second switch.
    ///
    /// # Errors
    /// As [`Graph::undirected`].
    pub fn directed(switches: usize, cables: Vec<(u32, u32)>) -> Result<Self, TopologyError> {
        Self::new(switches, true, cables, true)
    }

    /// Builds a graph that keeps parallel cables. Loops are dropped.
    ///
    /// # Errors
    /// As [`Graph::undirected`].
    pub fn with_parallel_cables(
        switches: usize,
        directed: bool,
        cables: Vec<(u32, u32)>,
    ) -> Result<Self, TopologyError> {
        Self::new(switches, directed, cables, false)
    }

    fn new(switches: usize, directed: bool, mut pairs: Vec<(u32, u32)>, merge: bool) -> Result<Self, TopologyError> {
        let refuse = |reason: String| Err(TopologyError::Unbuildable { topology: "graph".into(), reason });
        if switches == 0 || switches > MAX_SWITCHES {
            return refuse(format!("it has {switches} switches, and may have 1 to {MAX_SWITCHES}"));
        }
        if let Some(&(u, v)) = pairs.iter().find(|&&(u, v)| u.max(v) as usize >= switches) {
            return refuse(format!("a cable joins {u} and {v}, but the switches are 0 to {}", switches - 1));
        }
        let given = pairs.len();
        pairs.retain(|&(u, v)| u != v);
        let loops = given - pairs.len();
        if !directed {
            for pair in &mut pairs {
                *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
            }
        }
        pairs.sort_unstable();
        if merge {
            pairs.dedup();
        }
        let duplicates = given - loops - pairs.len();
        let arcs = pairs.len().saturating_mul(if directed { 1 } else { 2 });
        if arcs > MAX_ARCS {
            return refuse(format!("it has {arcs} arcs, and may have {MAX_ARCS}"));
        }
        if let Some(rule) = memory::refuse_graph(switches as u128, arcs as u128) {
            return refuse(format!("it has {switches} switches and {arcs} arcs, but {rule}"));
        }
        Ok(Self::assemble(switches, directed, &pairs, loops, duplicates))
    }

    /// Builds the arrays from checked, sorted cables.
    fn assemble(switches: usize, directed: bool, pairs: &[(u32, u32)], loops: usize, duplicates: usize) -> Self {
        let mut out_first = vec![0; switches + 1];
        let mut in_first = vec![0; switches + 1];
        for &(u, v) in pairs {
            out_first[u as usize + 1] += 1;
            in_first[v as usize + 1] += 1;
            if !directed {
                out_first[v as usize + 1] += 1;
                in_first[u as usize + 1] += 1;
            }
        }
        for s in 0..switches {
            out_first[s + 1] += out_first[s];
            in_first[s + 1] += in_first[s];
        }
        // Cables are in ascending order, each with its lower switch first. A switch thus meets its lower neighbours in
        // order, then the higher ones, and placing the arcs where their tails begin sorts them.
        let arcs = out_first[switches] as usize;
        let (mut tails, mut heads, mut cable_of) = (vec![0; arcs], vec![0; arcs], vec![0; arcs]);
        let mut next: Vec<u32> = out_first[..switches].to_vec();
        let mut put = |tail: u32, head: u32, cable: u32| {
            let place = next[tail as usize] as usize;
            next[tail as usize] += 1;
            (tails[place], heads[place], cable_of[place]) = (tail, head, cable);
        };
        for (cable, &(u, v)) in (0..).zip(pairs) {
            if !directed {
                put(v, u, cable);
            }
            put(u, v, cable);
        }
        let mut next: Vec<u32> = in_first[..switches].to_vec();
        let mut in_arcs = vec![0; arcs];
        for (arc, &head) in (0..).zip(&heads) {
            let place = &mut next[head as usize];
            in_arcs[*place as usize] = arc;
            *place += 1;
        }
        Self {
            directed,
            cables: pairs.len() as u32,
            tails,
            heads,
            cable_of,
            out_first,
            in_first,
            in_arcs,
            loops,
            duplicates,
            parallel: pairs.windows(2).any(|two| two[0] == two[1]),
            slower: None,
            hosts: Hosts::Everywhere(1),
            host_names: Vec::new(),
            failed_hosts: None,
            failed_switches: Vec::new(),
            remarks: Vec::new(),
        }
    }

    /// Adds remarks of the reader of a file: what the graph does not have of it, or has in another way.
    #[must_use]
    pub fn with_remarks(self, remarks: Vec<String>) -> Self {
        Self { remarks, ..self }
    }

    /// Returns the remarks of the reader of a file.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// Returns the number of switches.
    #[inline]
    pub fn switches(&self) -> usize {
        self.out_first.len() - 1
    }

    /// Returns the number of arcs: one for a one-way cable, two for a two-way cable.
    #[inline]
    pub fn arcs(&self) -> usize {
        self.tails.len()
    }

    /// Returns the number of cables: the edges of an undirected graph, the arcs of a directed one.
    #[inline]
    pub fn cables(&self) -> usize {
        self.cables as usize
    }

    /// Returns `true` if cables are one-way.
    #[inline]
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// Marks cables, in ascending order, as having a share of the bandwidth of the others.
    ///
    /// # Panics
    /// If the share is not above 0 and at most 1; only builders call this.
    #[must_use]
    pub(super) fn with_slower_cables(mut self, cables: Vec<u32>, share: f64) -> Self {
        assert!(share > 0.0 && share <= 1.0, "a share of the bandwidth");
        let billionths = ((share * 1e9).round() as u32).max(1);
        self.slower = (!cables.is_empty() && share < 1.0).then_some(Slower { cables, billionths });
        self
    }

    /// Returns the bandwidth of a cable relative to that of an ordinary one: 1 unless it is degraded.
    pub fn bandwidth_share(&self, cable: CableId) -> f64 {
        match &self.slower {
            Some(slower) if slower.cables.binary_search(&cable.0).is_ok() => f64::from(slower.billionths) / 1e9,
            _ => 1.0,
        }
    }

    /// Returns the smallest [`Graph::bandwidth_share`]: below 1 if some cables are degraded.
    pub fn slowest_share(&self) -> f64 {
        self.slower.as_ref().map_or(1.0, |slower| f64::from(slower.billionths) / 1e9)
    }

    /// Returns the sum of [`Graph::bandwidth_share`] over all cables.
    pub fn total_bandwidth(&self) -> f64 {
        let slower = self.slower.as_ref().map_or(0.0, |slower| slower.cables.len() as f64);
        self.cables() as f64 - slower * (1.0 - self.slowest_share())
    }

    /// Returns `true` if two cables join the same switches (in the same direction, if cables are one-way).
    #[inline]
    pub fn has_parallel_cables(&self) -> bool {
        self.parallel
    }

    /// Returns the number of cables from a switch to itself in the input, which were dropped.
    pub fn loops_dropped(&self) -> usize {
        self.loops
    }

    /// Returns the number of cables in the input that were equal to another one and were merged with it.
    pub fn duplicates_merged(&self) -> usize {
        self.duplicates
    }

    /// Returns the switch that an arc leaves.
    #[inline]
    pub fn tail(&self, arc: ArcId) -> SwitchId {
        SwitchId(self.tails[arc.index()])
    }

    /// Returns the switch that an arc enters.
    #[inline]
    pub fn head(&self, arc: ArcId) -> SwitchId {
        SwitchId(self.heads[arc.index()])
    }

    /// Returns the cable of an arc.
    #[inline]
    pub fn cable(&self, arc: ArcId) -> CableId {
        CableId(self.cable_of[arc.index()])
    }

    /// Returns the arcs out of a switch, as indices; their heads are in ascending order.
    #[inline]
    pub fn out_range(&self, switch: SwitchId) -> Range<usize> {
        self.out_first[switch.index()] as usize..self.out_first[switch.index() + 1] as usize
    }

    /// Returns the arcs out of a switch, in ascending order of their heads.
    pub fn out_arcs(&self, switch: SwitchId) -> impl ExactSizeIterator<Item = ArcId> + '_ {
        self.out_range(switch).map(|arc| ArcId(arc as u32))
    }

    /// Returns the arcs into a switch, in ascending order of their tails.
    pub fn in_arcs(&self, switch: SwitchId) -> impl ExactSizeIterator<Item = ArcId> + '_ {
        let range = self.in_first[switch.index()] as usize..self.in_first[switch.index() + 1] as usize;
        self.in_arcs[range].iter().map(|&arc| ArcId(arc))
    }

    /// Returns the switches to which a switch has an arc, in ascending order; repeated for parallel cables.
    pub fn neighbours(&self, switch: SwitchId) -> impl ExactSizeIterator<Item = SwitchId> + '_ {
        self.heads[self.out_range(switch)].iter().map(|&head| SwitchId(head))
    }

    /// Returns the number of arcs out of a switch; in an undirected graph its degree.
    pub fn out_degree(&self, switch: SwitchId) -> usize {
        self.out_range(switch).len()
    }

    /// Returns the number of arcs into a switch.
    pub fn in_degree(&self, switch: SwitchId) -> usize {
        (self.in_first[switch.index() + 1] - self.in_first[switch.index()]) as usize
    }

    /// Returns the numbers of those switches, as a slice of the array.
    #[inline]
    pub(crate) fn heads_of(&self, switch: SwitchId) -> &[u32] {
        &self.heads[self.out_range(switch)]
    }

    /// Returns the arc from one switch to the other, the first one if there are several.
    pub fn find_arc(&self, from: SwitchId, to: SwitchId) -> Option<ArcId> {
        let range = self.out_range(from);
        let place = range.start + self.heads[range.clone()].partition_point(|&head| head < to.0);
        (place < range.end && self.heads[place] == to.0).then_some(ArcId(place as u32))
    }

    /// Returns one of the arcs from one switch to the other: number `key` modulo the number of parallel cables.
    pub fn find_parallel_arc(&self, from: SwitchId, to: SwitchId, key: u32) -> Option<ArcId> {
        let first = self.find_arc(from, to)?;
        let end = self.out_range(from).end;
        let count = self.heads[first.index()..end].iter().take_while(|&&head| head == to.0).count() as u32;
        Some(if count == 1 { first } else { ArcId(first.0 + key % count) })
    }

    /// Returns the cables as pairs of switches, in ascending order; for a two-way cable the smaller switch is first.
    pub fn cable_ends(&self) -> impl Iterator<Item = (SwitchId, SwitchId)> + '_ {
        self.tails
            .iter()
            .zip(&self.heads)
            .filter(|&(tail, head)| self.directed || tail < head)
            .map(|(&tail, &head)| (SwitchId(tail), SwitchId(head)))
    }

    /// Returns the graph for the algorithms of `petgraph`, which verify ours: node `i` is switch `i`, edge `a` is arc
    /// `a` with its cable as weight.
    pub fn to_petgraph(&self) -> petgraph::graph::DiGraph<SwitchId, CableId> {
        let mut graph = petgraph::graph::DiGraph::with_capacity(self.switches(), self.arcs());
        for switch in 0..self.switches() {
            graph.add_node(SwitchId(switch as u32));
        }
        for ((&tail, &head), &cable) in self.tails.iter().zip(&self.heads).zip(&self.cable_of) {
            graph.add_edge(tail.into(), head.into(), CableId(cable));
        }
        graph
    }

    /// Returns two switches of `among` without a path from the first to the second, or `None` if every one of them
    /// reaches every other.
    ///
    /// Two searches suffice: if one switch reaches all and all reach it, then each reaches each through it.
    pub fn unreachable_pair(&self, among: impl Iterator<Item = SwitchId> + Clone) -> Option<(SwitchId, SwitchId)> {
        let hub = among.clone().next()?;
        let forward = self.reached(hub, |switch, visit| self.neighbours(switch).for_each(visit));
        if let Some(lost) = among.clone().find(|switch| !forward[switch.index()]) {
            return Some((hub, lost));
        }
        if !self.directed {
            return None;
        }
        let backward =
            self.reached(hub, |switch, visit| self.in_arcs(switch).map(|arc| self.tail(arc)).for_each(visit));
        among.clone().find(|switch| !backward[switch.index()]).map(|lost| (lost, hub))
    }

    /// Returns `true` if every switch reaches every other.
    pub fn is_connected(&self) -> bool {
        self.unreachable_pair((0..self.switches() as u32).map(SwitchId)).is_none()
    }

    /// Returns `true` if every switch with a cable reaches every other; a switch that failed has none.
    pub(crate) fn is_connected_by_cables(&self) -> bool {
        let cabled = (0..self.switches() as u32).map(SwitchId).filter(|&s| self.out_degree(s) + self.in_degree(s) > 0);
        self.unreachable_pair(cabled).is_none()
    }

    fn reached(&self, from: SwitchId, neighbours: impl Fn(SwitchId, &mut dyn FnMut(SwitchId))) -> Vec<bool> {
        let mut seen = vec![false; self.switches()];
        seen[from.index()] = true;
        let mut stack = vec![from];
        while let Some(switch) = stack.pop() {
            neighbours(switch, &mut |next| {
                if !std::mem::replace(&mut seen[next.index()], true) {
                    stack.push(next);
                }
            });
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn heads(graph: &Graph, switch: u32) -> Vec<u32> {
        graph.neighbours(SwitchId(switch)).map(|s| s.0).collect()
    }

    #[test]
    fn a_two_way_cable_is_two_arcs_that_share_it() {
        // A path 0 - 2 - 1, named in an odd order, with the first cable named twice and a loop.
        let graph = Graph::undirected(3, vec![(2, 0), (1, 2), (0, 2), (1, 1)]).unwrap();
        assert_eq!((graph.switches(), graph.cables(), graph.arcs()), (3, 2, 4));
        assert_eq!((graph.loops_dropped(), graph.duplicates_merged()), (1, 1));
        assert_eq!((heads(&graph, 0), heads(&graph, 1), heads(&graph, 2)), (vec![2], vec![2], vec![0, 1]));
        let there = graph.find_arc(SwitchId(0), SwitchId(2)).unwrap();
        let back = graph.find_arc(SwitchId(2), SwitchId(0)).unwrap();
        assert_ne!(there, back);
        assert_eq!(graph.cable(there), graph.cable(back));
        assert_eq!(graph.find_arc(SwitchId(0), SwitchId(1)), None);
        assert_eq!(graph.cable_ends().collect::<Vec<_>>(), [(SwitchId(0), SwitchId(2)), (SwitchId(1), SwitchId(2))]);
    }

    #[test]
    fn a_one_way_cable_is_one_arc() {
        let graph = Graph::directed(3, vec![(0, 1), (1, 2), (2, 0), (1, 0)]).unwrap();
        assert_eq!((graph.cables(), graph.arcs()), (4, 4));
        assert_eq!(graph.in_arcs(SwitchId(0)).map(|arc| graph.tail(arc).0).collect::<Vec<_>>(), [1, 2]);
        assert!(graph.is_connected());
        let one_way = Graph::directed(2, vec![(0, 1)]).unwrap();
        let all = || [SwitchId(0), SwitchId(1)].into_iter();
        assert_eq!(one_way.unreachable_pair(all()), Some((SwitchId(1), SwitchId(0))));
        assert_eq!(Graph::undirected(2, vec![]).unwrap().unreachable_pair(all()), Some((SwitchId(0), SwitchId(1))));
    }

    #[test]
    fn parallel_cables_stay_only_where_asked_for() {
        let graph = Graph::with_parallel_cables(2, false, vec![(0, 1), (1, 0)]).unwrap();
        assert_eq!((graph.cables(), graph.arcs()), (2, 4));
        assert_eq!(heads(&graph, 0), [1, 1]);
    }

    #[test]
    fn impossible_graphs_are_refused() {
        assert!(Graph::undirected(0, vec![]).is_err());
        assert!(Graph::undirected(MAX_SWITCHES + 1, vec![]).is_err());
        assert!(Graph::directed(2, vec![(0, 2)]).is_err());
    }

    proptest! {
        #[test]
        fn connectivity_is_that_of_petgraph(
            n in 1usize..12, directed: bool, pairs in prop::collection::vec((0u32..12, 0u32..12), 0..40)
        ) {
            let pairs: Vec<_> = pairs.into_iter().map(|(u, v)| (u % n as u32, v % n as u32)).collect();
            let graph = Graph::with_parallel_cables(n, directed, pairs).unwrap();
            let components = petgraph::algo::kosaraju_scc(&graph.to_petgraph()).len();
            prop_assert_eq!(graph.is_connected(), components == 1);
        }

        #[test]
        fn the_order_of_the_cables_does_not_matter(
            mut pairs in prop::collection::vec((0u32..9, 0u32..9), 0..30), directed: bool
        ) {
            let build = |pairs: &Vec<(u32, u32)>| {
                if directed { Graph::directed(9, pairs.clone()) } else { Graph::undirected(9, pairs.clone()) }
            };
            let there = build(&pairs).unwrap();
            pairs.reverse();
            prop_assert_eq!(there, build(&pairs).unwrap());
        }
    }
}
