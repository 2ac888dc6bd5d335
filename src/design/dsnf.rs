//! Step-by-step expansion of a DSN-F: the cables that are added, moved and removed.
//!
//! (*Layout-aware Expandable Low-degree Topology*, its sections on expansion.) Adding switches only adds cables. When
//! there are `(p + 1) 2^(p+1)` switches, two of each super-node in the third layer, the network turns into the DSN-F of
//! p + 1 with one layer: super-node S splits into 2S and 2S + 1. The work is the difference of the two sets of cables,
//! so a cable that remains between two switches under another name counts as no work. (The source counts p + 7 of 4p +
//! 4 cables of a super-node; actually p + 5 cables are removed and p + 6 added.)

use super::{DesignError, invalid};
use crate::topology::families::dsnf::{Dsnf, Fill, Label, checked};
use crate::topology::{Spec, TopologyError};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Largest number of switches of a plan, which lists every cable.
const MAX_SWITCHES: usize = 1 << 18;

/// Switch with its permanent number, and its label at this time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Switch {
    /// Number: that of the first network, then in the order in which switches are added.
    pub number: usize,
    /// Level, layer and super-node.
    pub label: [usize; 3],
}

/// Work on a cable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Work {
    /// The cable is added.
    Add,
    /// One end stays, the other one moves from this switch to another.
    Move {
        /// Switch of the other end before the move.
        from: Switch,
    },
    /// The cable is removed.
    Remove,
}

/// Change of one cable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// Work on the cable.
    pub work: Work,
    /// Switches that it joins, or joined; of a moved cable the end that stays comes first.
    pub ends: [Switch; 2],
}

/// One step: switches that are added, or a transformation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpansionStep {
    /// Parameter p before.
    pub p_before: usize,
    /// Parameter p after; different if this is a transformation.
    pub p: usize,
    /// Number of switches before.
    pub n_before: usize,
    /// Number of switches after.
    pub n: usize,
    /// Number of layers after.
    pub layers: usize,
    /// Number of cables before.
    pub cables_before: usize,
    /// Number of cables after.
    pub cables: usize,
    /// Changes, in the order of the switches.
    pub changes: Vec<Change>,
}

impl ExpansionStep {
    /// Returns the number of cables that are added, moved and removed.
    pub fn counts(&self) -> [usize; 3] {
        let count = |wanted: fn(&Work) -> bool| self.changes.iter().filter(|change| wanted(&change.work)).count();
        [
            count(|work| matches!(work, Work::Add)),
            count(|work| matches!(work, Work::Move { .. })),
            count(|work| matches!(work, Work::Remove)),
        ]
    }

    /// Returns the share of moved cables of a transformation according to the source: `(p + 7)/(4p + 4)`.
    pub fn fraction_of_source(&self) -> Option<f64> {
        (self.p > self.p_before).then(|| (self.p_before + 7) as f64 / (4 * self.p_before + 4) as f64)
    }
}

/// Network while it grows.
struct Site {
    shape: Dsnf,
    /// Number of the switch with each label.
    numbers: HashMap<Label, usize>,
}

impl Site {
    fn new(shape: Dsnf) -> Self {
        Self { shape, numbers: (0..shape.n).map(|switch| (shape.label(switch), switch)).collect() }
    }

    fn switch(&self, label: Label) -> Switch {
        Switch { number: self.numbers[&label], label: [label.level, label.layer, label.supernode] }
    }

    /// Returns the cables, by the numbers of their ends.
    fn cables(&self) -> BTreeMap<(usize, usize), [Switch; 2]> {
        let end = |switch: u32| self.switch(self.shape.label(switch as usize));
        let cables = self.shape.cables().into_iter().filter(|(u, v)| u != v);
        let ordered =
            cables.map(|(u, v)| if end(u).number < end(v).number { [end(u), end(v)] } else { [end(v), end(u)] });
        ordered.map(|ends| ((ends[0].number, ends[1].number), ends)).collect()
    }

    fn step(&self, next: &Self) -> ExpansionStep {
        let (before, after) = (self.cables(), next.cables());
        let gone: BTreeSet<_> = before.keys().filter(|key| !after.contains_key(key)).copied().collect();
        let come: BTreeSet<_> = after.keys().filter(|key| !before.contains_key(key)).copied().collect();
        // A removed cable is reused at one of its ends, if a new cable is needed there.
        let mut at: BTreeMap<usize, BTreeSet<(usize, usize)>> = BTreeMap::new();
        for &(u, v) in &gone {
            at.entry(u).or_default().insert((u, v));
            at.entry(v).or_default().insert((u, v));
        }
        let mut unused = gone.clone();
        let mut changes = Vec::new();
        for key in come {
            let ends = after[&key];
            let old =
                ends.iter().find_map(|end| at.get(&end.number).and_then(|here| here.first().map(|old| (*end, *old))));
            let Some((stays, old)) = old else {
                changes.push(Change { work: Work::Add, ends });
                continue;
            };
            for end in [old.0, old.1] {
                at.get_mut(&end).expect("both ends of a cable are listed").remove(&old);
            }
            unused.remove(&old);
            let other = if ends[0] == stays { ends[1] } else { ends[0] };
            let [a, b] = before[&old];
            let from = if a.number == stays.number { b } else { a };
            changes.push(Change { work: Work::Move { from }, ends: [stays, other] });
        }
        changes.extend(unused.iter().map(|key| Change { work: Work::Remove, ends: before[key] }));
        ExpansionStep {
            p_before: self.shape.p,
            p: next.shape.p,
            n_before: self.shape.n,
            n: next.shape.n,
            layers: next.shape.layers(),
            cables_before: before.len(),
            cables: after.len(),
            changes,
        }
    }

    /// Returns the network with more switches.
    fn grown(&self, n: usize) -> Self {
        let shape = Dsnf { n, ..self.shape };
        let mut next = Self { shape, numbers: self.numbers.clone() };
        for label in (0..n).map(|switch| shape.label(switch)) {
            let number = next.numbers.len();
            next.numbers.entry(label).or_insert(number);
        }
        next
    }

    /// Returns the network of p + 1, with its one complete layer.
    fn transformed(&self) -> Self {
        let p = self.shape.p;
        let relabelled = |label: &Label| match *label {
            Label { layer: 0, supernode, level } => Label { layer: 0, supernode: 2 * supernode, level },
            Label { layer: 1, supernode, level } => Label { layer: 0, supernode: 2 * supernode + 1, level },
            Label { supernode, level, .. } => Label { layer: 0, supernode: 2 * supernode + level - 1, level: p + 1 },
        };
        let numbers = self.numbers.iter().map(|(label, number)| (relabelled(label), *number)).collect();
        Self { shape: Dsnf { p: p + 1, ..self.shape }, numbers }
    }
}

/// Returns the number of switches at which a DSN-F of p turns into one of p + 1.
fn transformation_at(p: usize) -> usize {
    (p + 1) << (p + 1)
}

/// Steps from one DSN-F to a larger one.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    /// The steps, in order.
    pub steps: Vec<ExpansionStep>,
    /// Filling of the last layer of both networks: `sequential` or `balanced`.
    pub fill: &'static str,
    /// `true` if neither network stated it.
    pub is_default: bool,
}

/// Returns the steps from one DSN-F to a larger one. Both are written as in a specification, without the name of the
/// family: `n=64,p=3`. Without `fill=` the last layer is filled super-node by super-node, unless there is a
/// transformation between them, which needs it balanced.
///
/// # Errors
/// [`DesignError`] if one of them is not a DSN-F, or the second one is smaller, or the transformation is not defined (p
/// < 2).
pub fn expansion(from: &str, to: &str) -> Result<Expansion, DesignError> {
    let (mut start, mut end) = (read(from)?, read(to)?);
    if end.p < start.p {
        return invalid("--to", to, format!("its p must be at least that of the network it grows from, {}", start.p));
    }
    if end.n > MAX_SWITCHES {
        return invalid("--to", to, format!("plans go up to {MAX_SWITCHES} switches"));
    }
    if end.n < start.n {
        return invalid("--to", to, format!("it must have at least the {} switches it grows from", start.n));
    }
    let fill_given = [from, to].iter().any(|text| text.contains("fill"));
    if end.p > start.p {
        if start.p < 2 {
            return invalid("--from", from, "the transformation to p + 1 needs p of at least 2");
        }
        if start.n > transformation_at(start.p) {
            let rule = format!("p = {} becomes {} at {} switches", start.p, start.p + 1, transformation_at(start.p));
            return invalid("--from", from, rule);
        }
        if !fill_given {
            (start.fill, end.fill) = (Fill::Balanced, Fill::Balanced);
        } else if start.fill != Fill::Balanced || end.fill != Fill::Balanced {
            return invalid("fill", "sequential", "the transformation to p + 1 needs `fill=balanced` in both networks");
        }
    } else if start.fill != end.fill {
        return invalid("fill", "different", "both networks must be filled in the same way");
    }
    let mut site = Site::new(start);
    let mut steps = Vec::new();
    while site.shape.p < end.p {
        let full = transformation_at(site.shape.p);
        if site.shape.n < full {
            let next = site.grown(full);
            steps.push(site.step(&next));
            site = next;
        }
        let next = site.transformed();
        steps.push(site.step(&next));
        site = next;
    }
    if site.shape.n < end.n {
        steps.push(site.step(&site.grown(end.n)));
    }
    let fill = match end.fill {
        Fill::Sequential => "sequential",
        Fill::Balanced => "balanced",
    };
    Ok(Expansion { steps, fill, is_default: !fill_given })
}

fn read(text: &str) -> Result<Dsnf, TopologyError> {
    let strict = if text.contains("strict") { "" } else { ",strict=false" };
    checked(format!("dsnf:{text}{strict}").parse::<Spec>()?.arguments())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::build;

    #[test]
    fn adding_switches_only_adds_cables() {
        let Expansion { steps, fill, .. } = expansion("n=24,p=3", "n=60,p=3").unwrap();
        assert_eq!(fill, "sequential");
        assert_eq!(steps.len(), 1);
        assert_eq!((steps[0].counts()[1..].to_vec(), steps[0].layers), (vec![0, 0], 3));
        let cables = |spec: &str| build(spec).unwrap().graph.cables();
        assert_eq!(steps[0].cables, cables("dsnf:n=60,p=3,strict=false"));
        assert_eq!(steps[0].counts()[0], steps[0].cables - cables("dsnf:n=24,p=3"));
    }

    #[test]
    fn a_transformation_gives_the_network_of_the_next_p() {
        for p in 2..=6 {
            let n = transformation_at(p);
            let expansion = expansion(&format!("n={},p={p}", p << p), &format!("n={n},p={}", p + 1)).unwrap();
            assert_eq!((expansion.fill, expansion.is_default), ("balanced", true));
            let steps = expansion.steps;
            let [grow, turn] = &steps[..] else { panic!("two steps") };
            assert_eq!(grow.counts()[1..], [0, 0]);
            assert_eq!(turn.cables, build(&format!("dsnf:n={n},p={}", p + 1)).unwrap().graph.cables());
            if p >= 3 {
                let [added, moved, removed] = turn.counts();
                assert_eq!((added + moved, removed + moved), ((p + 6) << p, (p + 5) << p));
            }
        }
    }

    #[test]
    fn impossible_plans_are_refused() {
        for (from, to) in [
            ("n=64,p=4", "n=24,p=3"),
            ("n=64,p=4", "n=63,p=3"),
            ("n=9,p=1", "n=24,p=3"),
            ("n=100,p=3", "n=200,p=4"),
            ("n=24,p=3,fill=sequential", "n=64,p=4"),
            ("n=10,p=3", "n=64,p=4"),
            ("q=3", "n=64"),
        ] {
            assert!(expansion(from, to).is_err(), "{from} {to}");
        }
    }
}
