//! The routing of DSN-F: up to layer 0, along shortcuts that halve the way to the super-node, down to the layer.
//!
//! `Delta` is the clockwise distance to the super-node of the destination. The shortcut of level l spans `2^(p-l)`
//! super-nodes, so the right level is `p - floor(log2 Delta)`; Succ, on level p, spans one. Routes have at most
//! `2(p + K - 1)` hops with K layers. They are not always the shortest: neighbours in an upper layer also use layer 0.

use std::fmt;

use super::walk::{Walk, Walked};
use super::{Options, Routing, RoutingError, RoutingSpec};
use crate::topology::Topology;
use crate::topology::families::dsnf::{Dsnf, Label};

pub(super) fn build(
    topology: &Topology,
    _options: &Options<'_>,
    _spec: &RoutingSpec,
) -> Result<Box<dyn Routing>, RoutingError> {
    let refuse = || RoutingError::unsuitable("dsnf", topology, "it is for dsnf, whose super-nodes it follows");
    let rule = Dsnf::of(&topology.spec).ok_or_else(refuse)?;
    Ok(Box::new(Walked { graph: topology.graph.clone(), rule }))
}

/// Walk in progress.
struct Walker<'a> {
    network: &'a Dsnf,
    at: Label,
    step: &'a mut dyn FnMut(u32, fmt::Arguments<'_>),
}

impl Walker<'_> {
    /// Moves to a label; returns `false` if no switch has it.
    fn go(&mut self, label: Label, reason: fmt::Arguments<'_>) -> bool {
        self.at = label;
        self.network.switch(label).map(|switch| (self.step)(switch as u32, reason)).is_some()
    }

    /// Moves one step along the ring of levels, upwards or downwards.
    fn turn(&mut self, up: bool) -> bool {
        let p = self.network.p;
        let level = if up { self.at.level % p + 1 } else { (self.at.level + p - 2) % p + 1 };
        let name = if up { "Local_Succ" } else { "Local_Pred" };
        self.go(Label { level, ..self.at }, format_args!("{name}, to level {level}"))
    }

    /// Moves along the ring of levels in the shorter direction, upwards if both are equally long.
    fn turn_to(&mut self, level: usize) -> bool {
        let p = self.network.p;
        let up = (level + p - self.at.level) % p <= (self.at.level + p - level) % p;
        while self.at.level != level {
            if !self.turn(up) {
                return false;
            }
        }
        true
    }
}

impl Walk for Dsnf {
    fn walk(&self, from: u32, to: u32, step: &mut dyn FnMut(u32, fmt::Arguments<'_>)) -> bool {
        if from == to {
            return true;
        }
        let (p, nodes) = (self.p, self.supernodes());
        let goal = self.label(to as usize);
        let mut walker = Walker { network: self, at: self.label(from as usize), step };
        while walker.at.layer > 0 {
            let above = Label { layer: walker.at.layer - 1, ..walker.at };
            if !walker.go(above, format_args!("Layer_Link up, to layer {}", above.layer)) {
                return false;
            }
        }
        let delta = |at: Label| (goal.supernode + nodes - at.supernode) % nodes;
        let wanted = |delta: usize| p - delta.ilog2() as usize;
        if delta(walker.at) > 0 && !walker.turn_to(wanted(delta(walker.at))) {
            return false;
        }
        while delta(walker.at) > 0 {
            let at = walker.at;
            let valid = if at.level != wanted(delta(at)) {
                walker.turn(true)
            } else if at.level == p {
                let next = Label { level: 1, layer: 0, supernode: (at.supernode + 1) % nodes };
                walker.go(next, format_args!("Succ, to super-node {}", next.supernode))
            } else {
                let span = 1 << (p - at.level);
                let next = Label { level: at.level + 1, layer: 0, supernode: (at.supernode + span) % nodes };
                walker.go(next, format_args!("Shortcut over {span} super-nodes, to {}", next.supernode))
            };
            if !valid {
                return false;
            }
        }
        if !walker.turn_to(goal.level) {
            return false;
        }
        while walker.at.layer < goal.layer {
            let below = Label { layer: walker.at.layer + 1, ..walker.at };
            if !walker.go(below, format_args!("Layer_Link down, to layer {}", below.layer)) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{path, reference};
    use super::*;
    use crate::topology::build as topology;

    #[test]
    fn routes_are_those_of_the_reference() {
        let reference = reference();
        let entries = reference["routing"]["dsnf"].as_array().unwrap();
        assert_eq!(entries.len(), 7);
        for entry in entries {
            let number = |key: &str| entry[key].as_u64().unwrap() as usize;
            let fill = entry["fill"].as_str().unwrap_or("sequential");
            let n = number("n");
            let dsnf = topology(&format!("dsnf:n={n},p={},fill={fill},strict=false", number("p"))).unwrap();
            let (graph, routing) = (&dsnf.graph, super::super::build("dsnf", &dsnf, &Options::default()).unwrap());
            for example in entry["paths"].as_array().unwrap() {
                let end = |key: &str| example[key].as_u64().unwrap() as u32;
                let expected: Vec<u32> = serde_json::from_value(example["path"].clone()).unwrap();
                assert_eq!(path(graph, &*routing, end("src"), end("dst")), Some(expected), "{entry}");
            }
            let hops = |from, to| path(graph, &*routing, from, to).unwrap().len() - 1;
            let all: Vec<usize> = (0..n as u32)
                .flat_map(|from| (0..n as u32).map(move |to| (from, to)))
                .map(|(a, b)| hops(a, b))
                .collect();
            assert_eq!(all.iter().sum::<usize>(), number("hop_sum"), "n = {n}");
            assert_eq!(all.iter().max(), Some(&number("max_hops")), "n = {n}");
            assert!(number("max_hops") <= number("bound"));
        }
    }

    #[test]
    fn every_hop_has_a_reason() {
        use crate::ids::SwitchId;
        let routing = super::super::build("dsnf", &topology("dsnf:n=32").unwrap(), &Options::default()).unwrap();
        let reasons = routing.reasons(SwitchId(24), SwitchId(7), &[]);
        assert_eq!(reasons[0], "Layer_Link up, to layer 0");
        assert_eq!(reasons[2], "Shortcut over 2 super-nodes, to 2");
        assert_eq!(reasons.len(), 4);
    }
}
