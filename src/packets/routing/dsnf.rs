//! The routing of DSN-F packet by packet, on four classes of virtual channels.
//!
//! Routes are those of [`crate::routing`]'s `dsnf` (*Layout-aware Expandable Low-degree Topology*): up to layer 0; along
//! the ring of levels to the one whose shortcut halves the way to the super-node (pre-work); along shortcuts and up the
//! levels (main); along the ring of levels to that of the destination (finish); down to its layer.
//!
//! Classes exclude cycles of channels. The pre-work is on class 0 up to the cable between level p and level 1, and on
//! class 1 from there on, also if it never passes that cable. The main part, on class 1, only rises from level to level
//! and ends with at most one cable to the next super-node. The finish is on class 2 up to the cable between the ends of
//! the ring, and on class 3 after it. So in every class, cables downwards come in the order of falling levels, and then
//! those upwards in the order of rising ones. Cables between layers are used upwards before all others and downwards
//! after them, and need no class of their own: packets take them on any channel.

use super::rule::{At, Candidate, Head, Request, Rule};
use crate::ids::SwitchId;
use crate::packets::PacketError;
use crate::packets::wiring::Wiring;
use crate::topology::families::dsnf::{Dsnf, Label};
use std::sync::Arc;

/// Classes of virtual channels.
const CLASSES: u32 = 4;
/// Phase bit: the packet has left its first super-node, so levels only rise.
const MAIN: u32 = 2;
/// Phase bit: the packet is on its way down to the layer of its destination.
const DOWN: u32 = 4;

struct DsnfRoute {
    wiring: Arc<Wiring>,
    network: Dsnf,
    vcs: u32,
}

pub(super) fn build(request: &Request<'_>) -> Result<Box<dyn Rule>, PacketError> {
    request.no_argument()?;
    let Some(network) = Dsnf::of(&request.wiring.topology.spec) else {
        return Err(request.unsuitable(
            "it is for dsnf, whose super-nodes it follows",
            "`amin`, `static` and `escape` fit other networks",
        ));
    };
    Ok(Box::new(DsnfRoute { wiring: request.wiring.clone(), network, vcs: request.vcs }))
}

/// Next switch of a packet, and its class of virtual channels; `None` on cables between layers.
struct DsnfStep {
    next: Label,
    class: Option<u32>,
}

impl DsnfRoute {
    /// Returns the step along the ring of levels in the shorter direction, upwards if both are equally long. `before` is
    /// the class until the cable between level p and level 1 has been passed.
    fn turn(&self, at: Label, level: usize, before: u32) -> DsnfStep {
        let p = self.network.p;
        let up = (level + p - at.level) % p <= (at.level + p - level) % p;
        let (next, wraps) = match up {
            true => (at.level % p + 1, at.level > level),
            false => ((at.level + p - 2) % p + 1, at.level < level),
        };
        DsnfStep { next: Label { level: next, ..at }, class: Some(before + u32::from(!wraps)) }
    }

    fn step(&self, at: Label, goal: Label, phase: &mut u32) -> DsnfStep {
        let (p, nodes) = (self.network.p, self.network.supernodes());
        let delta = (goal.supernode + nodes - at.supernode) % nodes;
        if at.layer > 0 && *phase & DOWN == 0 {
            return DsnfStep { next: Label { layer: at.layer - 1, ..at }, class: None };
        }
        if delta == 0 && at.level == goal.level {
            *phase |= DOWN;
            return DsnfStep { next: Label { layer: at.layer + 1, ..at }, class: None };
        }
        if delta == 0 {
            return self.turn(at, goal.level, 2);
        }
        let wanted = p - delta.ilog2() as usize;
        if at.level != wanted {
            return match *phase & MAIN {
                0 => self.turn(at, wanted, 0),
                _ => DsnfStep { next: Label { level: at.level + 1, ..at }, class: Some(1) },
            };
        }
        *phase |= MAIN;
        let (level, span) = if at.level == p { (1, 1) } else { (at.level + 1, 1 << (p - at.level)) };
        DsnfStep { next: Label { level, layer: 0, supernode: (at.supernode + span) % nodes }, class: Some(1) }
    }
}

impl Rule for DsnfRoute {
    fn route(&self, at: &At<'_>, head: &mut Head, _more: &mut Vec<Candidate>) -> Candidate {
        let (here, goal) = (self.network.label(at.switch as usize), self.network.label(head.target as usize));
        let DsnfStep { next, class } = self.step(here, goal, &mut head.phase);
        let next = self.network.switch(next).expect("layers above a switch and layer 0 are complete");
        let arc = self.wiring.topology.graph.find_arc(SwitchId(at.switch), SwitchId(next as u32));
        let cable = self.wiring.output_of(arc.expect("labels that differ by a step are joined"));
        let (lowest, highest) = match class {
            None => (0, self.vcs - 1),
            Some(class) => (class * self.vcs / CLASSES, (class + 1) * self.vcs / CLASSES - 1),
        };
        Candidate {
            output: (self.wiring.first_cable(at.switch) + cable) as u16,
            lowest: lowest as u8,
            highest: highest as u8,
            priority: 0,
        }
    }

    fn proof(&self) -> Option<&'static str> {
        Some("classes of channels by the parts of a route, and levels that fall and then rise within each")
    }

    fn reads_loads(&self) -> bool {
        false
    }

    fn set_vcs(&mut self, vcs: u32) {
        self.vcs = vcs;
    }

    fn vcs_needed(&self) -> u32 {
        CLASSES
    }
}
