//! Routing of Dragonflies by groups (J. Kim, W. Dally, S. Scott, D. Abts, Technology-driven, Highly-scalable Dragonfly
//! Topology, 2008): minimal, and UGAL by a random group.
//!
//! Minimal: a cable within the group to the switch that has the global cable, on virtual channel 0; that cable and one
//! within the other group on channel 1, as BookSim 2 has them.
//!
//! UGAL compares the loads of the first outputs: direct if `q_m <= 2 q_n + T`, else by a random group. Cables before
//! the intermediate group are on channel 0, those from it to the last group on 1, those within the last group on 2; so
//! channels of local and global cables follow each other without a cycle. Packets that take the direct path begin on 1,
//! and those within a group are on 2. With `booksim` the path leads by a random switch of the other group, to which
//! BookSim routes on channel 0 throughout: local, global and local cables of one channel, which can deadlock. T is then
//! BookSim's 30 flits, which belongs to its buffers of 256: shorter ones never hold that many, and no packet would take
//! a detour. Otherwise T is 0, as in the paper, or what follows the name.

use super::rule::{At, Candidate, Head, Request, Rule};
use super::valiant::delivery;
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::random::scaled;
use crate::packets::wiring::Wiring;
use crate::routing::spread;
use crate::topology::families::dragonfly::Groups;
use std::sync::Arc;

/// Bias of BookSim towards the direct path, in flits.
const OF_BOOKSIM: u32 = 30;
/// The second and third bit of the phase are the virtual channel.
const SHIFT: u32 = 1;

struct DragonflyRoute {
    wiring: Arc<Wiring>,
    group: u32,
    shape: Groups,
    adaptive: bool,
    /// `true` if detours lead by a switch and not by a group.
    by_switch: bool,
    /// Bias towards the direct path, in flits.
    threshold: u32,
    vcs: u32,
}

pub(super) fn minimal(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    build(request, false)
}

pub(super) fn ugal(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    build(request, true)
}

fn build(request: &Request<'_>, adaptive: bool) -> Result<Box<dyn Rule>, PacketError> {
    let (by_switch, threshold) = match request.argument {
        None => (false, 0),
        Some("booksim") => (true, OF_BOOKSIM),
        Some(_) => (false, request.number_or(0)?),
    };
    let Some(shape) = Groups::of(&request.wiring.topology.spec) else {
        return Err(request.unsuitable(
            "it is for dragonfly and dragonfly_fc, by their groups",
            "`amin`, `ugal` and `escape` fit other networks",
        ));
    };
    Ok(Box::new(DragonflyRoute {
        wiring: request.wiring.clone(),
        group: shape.size,
        shape,
        adaptive,
        by_switch,
        threshold,
        vcs: request.vcs,
    }))
}

impl DragonflyRoute {
    /// The next switch towards another, and whether the cable to it is a global one. Of several cables between two
    /// groups, a hash of the group and the destination chooses one, the same at every switch of the group.
    fn next(&self, at: u32, to: u32) -> (u32, bool) {
        let (here, there) = (at / self.group, to / self.group);
        if here == there {
            return (to, false);
        }
        let nth = if self.shape.trunk == 1 { 0 } else { spread(here, to) % self.shape.trunk };
        match self.shape.gate(here, there, nth) {
            own if own == at => (self.shape.gate(there, here, nth), true),
            own => (own, false),
        }
    }

    /// The output to the next switch; of parallel cables, one by the destination.
    fn output(&self, at: u32, next: u32, to: u32) -> u16 {
        let graph = &self.wiring.topology.graph;
        let key = if graph.has_parallel_cables() { spread(at, to) } else { 0 };
        let arc = graph.find_parallel_arc(SwitchId(at), SwitchId(next), key);
        let arc = arc.expect("groups are joined, and the switches in them");
        (self.wiring.first_cable(at) + self.wiring.output_of(arc)) as u16
    }

    /// Returns the candidate of a packet whose path has been chosen.
    fn onward(&self, at: &At<'_>, head: &mut Head) -> Candidate {
        let mut vc = head.phase >> SHIFT;
        let arrived =
            if self.by_switch { head.note == at.switch } else { head.note / self.group == at.switch / self.group };
        if head.phase & Head::DETOUR != 0 && arrived {
            head.phase &= !Head::DETOUR;
            vc = 1;
        }
        let goal = if head.phase & Head::DETOUR != 0 { head.note } else { head.target };
        if goal == at.switch {
            // To the host on the channel of the last phase, as in BookSim.
            return Candidate {
                lowest: vc as u8,
                highest: vc as u8,
                ..delivery(&self.wiring, at.switch, head, self.vcs)
            };
        }
        let (next, global) = self.next(at.switch, goal);
        if head.phase & Head::DETOUR == 0 {
            let last = at.switch / self.group == goal / self.group;
            match (self.adaptive, self.by_switch) {
                (false, _) if global => vc = 1,
                (true, true) if global => vc = 2,
                (true, false) if last => vc = 2,
                _ => {}
            }
        }
        head.phase = head.phase & Head::DETOUR | vc << SHIFT;
        let output = self.output(at.switch, next, goal);
        Candidate { output, lowest: vc as u8, highest: vc as u8, priority: 0 }
    }

    /// Returns the choice at the first switch for a random intermediate switch; `None` if there is none.
    fn detour(&self, at: &At<'_>, head: &Head, through: u32) -> Option<Head> {
        let (here, there) = (at.switch / self.group, head.target / self.group);
        (here != there && through / self.group != here).then_some(Head { note: through, phase: Head::DETOUR, ..*head })
    }

    fn direct(&self, at: &At<'_>, head: &Head) -> Head {
        let same = at.switch / self.group == head.target / self.group;
        let vc = match (self.adaptive, same) {
            (false, _) => 0,
            (true, true) => 2,
            (true, false) => 1,
        };
        Head { phase: vc << SHIFT, ..*head }
    }
}

impl Rule for DragonflyRoute {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        if at.cable.is_none() && head.target != at.switch {
            let direct = self.direct(at, head);
            let detour = if self.adaptive {
                self.detour(at, head, scaled(at.random(head), self.wiring.switches() as u32))
            } else {
                None
            };
            let load = |goal: u32| at.loads[usize::from(self.output(at.switch, self.next(at.switch, goal).0, goal))];
            *head = match detour {
                Some(detour) if load(head.target) > 2 * load(detour.note) + self.threshold => detour,
                _ => direct,
            };
        }
        self.onward(at, head)
    }

    fn possible(&self, at: &At<'_>, head: &Head, visit: &mut dyn FnMut(Candidate, Head)) {
        let mut each = |mut head: Head| {
            let candidate = self.onward(at, &mut head);
            visit(candidate, head);
        };
        if at.cable.is_some() || head.target == at.switch {
            return each(*head);
        }
        each(self.direct(at, head));
        if self.adaptive {
            (0..self.wiring.switches() as u32).filter_map(|s| self.detour(at, head, s)).for_each(each);
        }
    }

    fn delivers(&self) -> bool {
        true
    }

    /// Cables within a group join all of its switches, so a path has at most one between two global cables: local 0, global
    /// 0, local 1, global 1, local 2, or the parts of it that a rule uses. Detours by a switch take several of them on one
    /// channel.
    fn proof(&self) -> Option<&'static str> {
        (!self.by_switch).then_some("local and global cables by turns, on channels that do not fall")
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.vcs = vcs;
    }

    fn channels_of_a_hop(&self) -> Option<u32> {
        Some(1)
    }

    fn vcs_needed(&self) -> u32 {
        if self.adaptive { 3 } else { 2 }
    }
}
