//! One pair at a time: a search from the source and one against the arcs from the destination, until they meet.
//!
//! Each covers about half the distance, so together they visit a small part of a large network where a tree visits all
//! of it: on an Imase network of 65,536 switches and degree 6, 500 on average instead of 65,536.

use std::sync::{Mutex, PoisonError};

use crate::ids::SwitchId;
use crate::routing::trees::way_back;
use crate::topology::hops::{FAR, nearer};
use crate::topology::weighted::NO_ARC;
use crate::topology::{ArcId, Graph};

/// Searches for single pairs. Their working memory is kept, one for each concurrent caller.
#[derive(Default)]
pub(super) struct BothEnds {
    idle: Mutex<Vec<BothEndsState>>,
}

/// State of one search; between searches no switch is marked.
struct BothEndsState {
    /// Arc by which the search from the source reached a switch, or [`NO_ARC`].
    came_by: Vec<u32>,
    /// Switches that it reached, in the order of their first paths.
    ahead: Vec<SwitchId>,
    /// Hops from a switch to the destination, or [`FAR`] if that search did not reach it.
    left: Vec<u32>,
    /// Switches that the search from the destination reached.
    behind: Vec<SwitchId>,
    /// Number of arcs visited.
    looks: u32,
}

impl BothEnds {
    /// Appends the arcs of the route; `false`, with `arcs` unchanged, if there is none. Also returns the number of arcs
    /// visited.
    pub fn route(&self, graph: &Graph, from: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) -> (bool, u32) {
        if from == to {
            return (true, 0);
        }
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().pop();
        let mut search = taken.unwrap_or_else(|| BothEndsState::new(graph.switches()));
        search.looks = 0;
        let meeting = search.meet(graph, from, to);
        if let Some(meeting) = meeting {
            search.write(graph, from, meeting, to, arcs);
        }
        search.forget();
        let looks = search.looks;
        idle().push(search);
        (meeting.is_some(), looks)
    }
}

impl BothEndsState {
    fn new(switches: usize) -> Self {
        let (came_by, left) = (vec![NO_ARC; switches], vec![FAR; switches]);
        Self { came_by, ahead: Vec::new(), left, behind: Vec::new(), looks: 0 }
    }

    /// Returns the switch in the middle of the first shortest path: of the outermost switches of the search from the
    /// source, in the order of their first paths, the first that the other search reached.
    fn meet(&mut self, graph: &Graph, from: SwitchId, to: SwitchId) -> Option<SwitchId> {
        self.ahead.push(from);
        self.behind.push(to);
        self.left[to.index()] = 0;
        // Start of the outermost level of each search. The smaller one advances by a level.
        let (mut fore, mut aft) = (0, 0);
        while fore < self.ahead.len() && aft < self.behind.len() {
            if self.ahead.len() - fore <= self.behind.len() - aft {
                let level = fore..self.ahead.len();
                fore = level.end;
                for at in level {
                    let switch = self.ahead[at];
                    self.looks += graph.out_range(switch).len() as u32;
                    for arc in graph.out_arcs(switch) {
                        let head = graph.head(arc);
                        if head == from || self.came_by[head.index()] != NO_ARC {
                            continue;
                        }
                        self.came_by[head.index()] = arc.0;
                        self.ahead.push(head);
                        // Switches are found in the order of their paths, so the first meeting is the right one.
                        if self.left[head.index()] != FAR {
                            return Some(head);
                        }
                    }
                }
            } else {
                let level = aft..self.behind.len();
                aft = level.end;
                let mut met = false;
                for at in level {
                    let switch = self.behind[at];
                    let hops = self.left[switch.index()] + 1;
                    let arcs = graph.in_arcs(switch);
                    self.looks += arcs.len() as u32;
                    for arc in arcs {
                        let tail = graph.tail(arc);
                        if self.left[tail.index()] == FAR {
                            self.left[tail.index()] = hops;
                            self.behind.push(tail);
                            met |= tail == from || self.came_by[tail.index()] != NO_ARC;
                        }
                    }
                }
                if met {
                    return self.ahead[fore..].iter().copied().find(|switch| self.left[switch.index()] != FAR);
                }
            }
        }
        None
    }

    /// Appends the path to the meeting point, by which the search reached it, and the path onwards: always the first
    /// arc that leads nearer.
    fn write(&self, graph: &Graph, from: SwitchId, meeting: SwitchId, to: SwitchId, arcs: &mut Vec<ArcId>) {
        way_back(graph, &self.came_by, from, meeting, arcs);
        let mut at = meeting;
        while at != to {
            let arc = nearer(graph, &self.left, at).next().expect("a switch has an arc to the one that reached it");
            arcs.push(arc);
            at = graph.head(arc);
        }
    }

    fn forget(&mut self) {
        for switch in self.ahead.drain(..) {
            self.came_by[switch.index()] = NO_ARC;
        }
        for switch in self.behind.drain(..) {
            self.left[switch.index()] = FAR;
        }
    }
}
