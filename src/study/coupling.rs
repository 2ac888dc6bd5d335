//! Dependencies between the ranks of an iteration: which rank waits for which other one.
//!
//! If each rank waits for all others, directly or through third ones, they cannot drift apart, and in the long run all
//! advance at one rate. Ranks that wait for fewer may each have a rate of their own. Rendezvous, where a sender waits for the
//! receiver, depends on the model and is left out: ranks then count as less coupled than they are, which is the safe side.
//! So do operations on one side, whose target makes no call.

use crate::trace::transform::Iterations;
use crate::trace::{Action, CollectiveKind, SendRecv, Trace};
use rustc_hash::FxHashSet;

/// Dependencies as a graph of ranks and collectives.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Coupling {
    ranks: usize,
    /// For each node, those that it waits for. Nodes are the ranks, and after them the collectives, which wait for some members
    /// and which others wait for.
    sources: Vec<Vec<u32>>,
}

impl Coupling {
    /// Returns the dependencies in the first iteration, whose calls are those of every other one.
    pub fn of(trace: &Trace, iterations: &Iterations) -> Self {
        let ranks = trace.ranks();
        let mut found = Self { ranks, sources: vec![Vec::new(); ranks] };
        let mut known = FxHashSet::default();
        for rank in 0..ranks as u32 {
            let range = iterations.actions(rank as usize, 0..1);
            for action in trace.actions[rank as usize].iter_from(range.start).take(range.len()) {
                let (kind, communicator, root) = match action {
                    Action::Send { to, .. } | Action::Isend { to, .. } => {
                        found.sources[to as usize].push(rank);
                        continue;
                    }
                    Action::SendRecv { index } => {
                        let SendRecv { to, .. } = trace.sendrecvs[index as usize];
                        found.sources[to as usize].push(rank);
                        continue;
                    }
                    Action::Collective { index } | Action::Start { index, .. } => {
                        let call = &trace.collectives[index as usize];
                        (call.kind, call.communicator, call.root)
                    }
                    Action::Fence { window } => (CollectiveKind::Barrier, window, 0),
                    _ => continue,
                };
                if known.insert((kind, communicator, root)) {
                    found.collective(kind, trace.members(communicator).ranks().collect(), root);
                }
            }
        }
        for sources in &mut found.sources {
            sources.sort_unstable();
            sources.dedup();
        }
        found
    }

    /// Adds a collective of some ranks.
    fn collective(&mut self, kind: CollectiveKind, members: Vec<u32>, root: u32) {
        use CollectiveKind as K;
        let root = members.get(root as usize).copied();
        let (from, to) = match kind {
            K::Bcast | K::Scatter | K::Scatterv => (root.into_iter().collect(), members),
            K::Reduce | K::Gather | K::Gatherv => (members, root.into_iter().collect()),
            K::Scan | K::Exscan => {
                members.windows(2).for_each(|pair| self.sources[pair[1] as usize].push(pair[0]));
                return;
            }
            _ => (members.clone(), members),
        };
        let node = self.sources.len() as u32;
        self.sources.push(from);
        to.into_iter().for_each(|rank| self.sources[rank as usize].push(node));
    }

    /// Returns `true` if each rank waits for all others, directly or through third ones.
    pub fn is_complete(&self) -> bool {
        let mut targets = vec![Vec::new(); self.sources.len()];
        for (node, sources) in self.sources.iter().enumerate() {
            sources.iter().for_each(|&source| targets[source as usize].push(node as u32));
        }
        [&self.sources, &targets].into_iter().all(|edges| self.reaches_all(edges))
    }

    fn reaches_all(&self, edges: &[Vec<u32>]) -> bool {
        let mut reached = vec![false; edges.len()];
        let mut open = vec![0_u32];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                open.extend(&edges[node as usize]);
            }
        }
        reached[..self.ranks].iter().all(|reached| *reached)
    }

    /// Advances ranks by an iteration without any communication time: each computes for `seconds`, and then waits for
    /// its sources to have done so. `times` has the time of each rank, and room for the collectives.
    pub fn advance(&self, times: &mut Vec<f64>, seconds: impl Iterator<Item = f64>) {
        times.resize(self.ranks, 0.0);
        times.iter_mut().zip(seconds).for_each(|(time, seconds)| *time += seconds);
        let latest = |node: usize, times: &[f64]| {
            self.sources[node].iter().map(|&source| times[source as usize]).fold(0.0, f64::max)
        };
        for node in self.ranks..self.sources.len() {
            let time = latest(node, times);
            times.push(time);
        }
        let after: Vec<f64> = (0..self.ranks).map(|rank| times[rank].max(latest(rank, times))).collect();
        *times = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::transform::iterations;
    use crate::trace::{Options, read_from};

    /// The coupling of four ranks that repeat the lines of a text, in which `{r}` is replaced by the rank.
    fn coupling(calls: &dyn Fn(usize) -> String) -> Coupling {
        let text: String = (0..4).map(|rank| calls(rank).repeat(40)).collect();
        let trace = read_from(text.as_bytes(), "t", &Options::default()).expect("a trace");
        Coupling::of(&trace, &iterations(&trace).expect("iterations"))
    }

    #[test]
    fn ranks_are_coupled_through_third_ones() {
        let ring = coupling(&|r| {
            let (next, before) = ((r + 1) % 4, (r + 3) % 4);
            format!("{r} isend {next} 0 9 6\n{r} recv {before} 0 9 6\n{r} waitall\n")
        });
        assert!(ring.is_complete());
        let pairs = coupling(&|r| format!("{r} isend {0} 0 9 6\n{r} recv {0} 0 9 6\n{r} waitall\n", r ^ 1));
        assert!(!pairs.is_complete());
        assert!(coupling(&|r| format!("{r} compute 1\n{r} allreduce 4 10 6\n")).is_complete());
        let from_root = |more: &str| coupling(&|r| format!("{r} bcast 9 0 6\n{}", more.replace("{r}", &r.to_string())));
        assert!(!from_root("").is_complete(), "the root waits for no other rank");
        assert!(from_root("{r} reduce 9 1 0 6\n").is_complete());
    }

    #[test]
    fn ranks_advance_with_those_they_wait_for() {
        // Rank 0 sends to 1, and rank 1 to 2; rank 3 is alone.
        let chain = Coupling { ranks: 4, sources: vec![vec![], vec![0], vec![1], vec![]] };
        let mut times = Vec::new();
        chain.advance(&mut times, [5.0, 1.0, 2.0, 9.0].into_iter());
        assert_eq!(times, [5.0, 5.0, 2.0, 9.0]);
        chain.advance(&mut times, [5.0, 1.0, 2.0, 9.0].into_iter());
        assert_eq!(times, [10.0, 10.0, 6.0, 18.0]);
        // A collective of ranks 1 and 2.
        let two = Coupling { ranks: 3, sources: vec![vec![], vec![3], vec![3], vec![1, 2]] };
        let mut times = Vec::new();
        two.advance(&mut times, [7.0, 1.0, 2.0].into_iter());
        assert_eq!(times, [7.0, 2.0, 2.0]);
    }
}
