//! DSN-F(n, p): super-nodes of p levels on a ring with shortcuts, and layers of further switches beyond them.
//!
//! (*Layout-aware Expandable Low-degree Topology*.) A layer has `N = p 2^p` switches in `S = 2^p` super-nodes; there
//! are `K = ceil(n / N)` layers. A switch has a label `{level l, layer k, super-node s}`, and these cables:
//!
//! 1. local: `{l, k, s} - {l mod p + 1, k, s}`; an incomplete layer of a super-node is a path and not a ring, since
//!    closing it would need rewiring whenever a switch is added, which the publication excludes;
//! 2. layer link: `{l, k, s} - {l, k - 1, s}`;
//! 3. successor: `{p, 0, s} - {1, 0, s + 1}`;
//! 4. shortcut: `{l, 0, s} - {l + 1, 0, s + 2^(p-l)}` for l < p.
//!
//! K complete layers have 2n cables for p >= 3, degrees 3 to 5, and routes of at most `2(p + K - 1)` hops.

use crate::topology::family::{Arguments, Value};
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Spec, TopologyError};

/// Distribution of the switches of an incomplete last layer over the super-nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// Super-node after super-node, following the labels of the publication.
    Sequential,
    /// Level after level, as required by its transformation to p + 1.
    Balanced,
}

impl Fill {
    /// Returns the rule of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "sequential" => Some(Self::Sequential),
            "balanced" => Some(Self::Balanced),
            _ => None,
        }
    }
}

/// Coordinates of a switch, ordered by layer, super-node and level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Label {
    /// Layer, from 0.
    pub layer: usize,
    /// Super-node, from 0.
    pub supernode: usize,
    /// Level, from 1 to p.
    pub level: usize,
}

/// A DSN-F network: number of switches, number of levels, and rule for the last layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Dsnf {
    /// Number of switches, at least `p 2^p`.
    pub n: usize,
    /// Number of levels, at least 1.
    pub p: usize,
    /// Rule for the last layer.
    pub fill: Fill,
}

/// Returns the p with `p 2^p <= n < (p + 1) 2^(p+1)`, for n >= 2.
pub(crate) fn default_p(n: usize) -> usize {
    (1..).find(|p| n < (p + 1) << (p + 1)).expect("the right side grows without end")
}

impl Dsnf {
    /// Returns the network that a specification of family `dsnf` describes; `None` for other families.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        if spec.family().name == "dsnf" { checked(spec.arguments()).ok() } else { None }
    }

    /// Returns the number of super-nodes, `2^p`.
    pub(crate) fn supernodes(&self) -> usize {
        1 << self.p
    }

    /// Returns the number of switches per layer.
    pub(crate) fn layer_size(&self) -> usize {
        self.p << self.p
    }

    /// Returns the number of layers, the last perhaps incomplete.
    pub(crate) fn layers(&self) -> usize {
        self.n.div_ceil(self.layer_size())
    }

    fn is_balanced(&self, layer: usize) -> bool {
        self.fill == Fill::Balanced && layer == self.n / self.layer_size()
    }

    /// Returns the label of a switch.
    pub(crate) fn label(&self, switch: usize) -> Label {
        let (layer, place) = (switch / self.layer_size(), switch % self.layer_size());
        if self.is_balanced(layer) {
            Label { layer, supernode: place & (self.supernodes() - 1), level: (place >> self.p) + 1 }
        } else {
            Label { layer, supernode: place / self.p, level: place % self.p + 1 }
        }
    }

    /// Returns the switch with a label, if there is one.
    pub(crate) fn switch(&self, label: Label) -> Option<usize> {
        let Label { layer, supernode, level } = label;
        let place =
            if self.is_balanced(layer) { ((level - 1) << self.p) + supernode } else { supernode * self.p + level - 1 };
        Some(layer * self.layer_size() + place).filter(|&switch| switch < self.n)
    }

    /// Returns the cables. Some may be named twice, and loops are possible with p = 1.
    pub(crate) fn cables(&self) -> Vec<(u32, u32)> {
        let &Self { n, p, .. } = self;
        let supernodes = (1 << p) - 1;
        let mut cables = Vec::with_capacity(2 * n);
        for switch in 0..n {
            let here = self.label(switch);
            let mut join = |there: Label| {
                if let Some(other) = self.switch(there) {
                    cables.push((switch as u32, other as u32));
                }
            };
            join(Label { level: here.level % p + 1, ..here });
            if here.layer > 0 {
                join(Label { layer: here.layer - 1, ..here });
            } else if here.level == p {
                join(Label { level: 1, supernode: (here.supernode + 1) & supernodes, ..here });
            } else {
                let distance = 1 << (p - here.level);
                join(Label { level: here.level + 1, supernode: (here.supernode + distance) & supernodes, ..here });
            }
        }
        cables
    }
}

/// Checks the arguments.
pub(crate) fn checked(arguments: &Arguments) -> Result<Dsnf, TopologyError> {
    let n = arguments.switches("n", 2)?;
    let fill = Fill::named(arguments.text("fill"))
        .ok_or_else(|| arguments.invalid("fill", "it must be `sequential` or `balanced`"))?;
    let Some(Value::Integer(_)) = arguments.get("p") else { return Ok(Dsnf { n, p: default_p(n), fill }) };
    let p = arguments.count("p", 1, 19)?;
    if n < p << p {
        return Err(arguments.invalid("p", format!("a layer, p*2^p = {}, must not exceed n = {n}", p << p)));
    }
    if n >= (p + 1) << (p + 1) && arguments.boolean("strict") != Some(false) {
        let rule = format!("with n = {n} there is room for a larger p; `strict=false` builds it all the same");
        return Err(arguments.invalid("p", rule));
    }
    debug_assert!(n <= MAX_SWITCHES);
    Ok(Dsnf { n, p, fill })
}

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    let network = checked(arguments)?;
    Graph::undirected(network.n, network.cables())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::SwitchId;
    use crate::topology::build;

    #[test]
    fn the_example_of_the_source() {
        // n = 32, p = 3: 24 switches in layer 0, of layer 1 two super-nodes and two switches of the third.
        let graph = build("dsnf:n=32,p=3").unwrap().graph;
        let near = |s| graph.neighbours(SwitchId(s)).map(|t| t.0).collect::<Vec<_>>();
        assert_eq!((near(0), near(30), graph.cables()), (vec![1, 2, 13, 23, 24], vec![6, 31], 63));
    }

    #[test]
    fn labels_and_switches_are_inverse() {
        for fill in [Fill::Sequential, Fill::Balanced] {
            for (n, p) in [(24, 3), (32, 3), (48, 3), (60, 3), (96, 4), (2, 1), (9, 2)] {
                let network = Dsnf { n, p, fill };
                assert!((0..n).all(|switch| network.switch(network.label(switch)) == Some(switch)));
            }
        }
        assert_eq!([2, 8, 23, 24, 63, 64, 2047, 2048].map(default_p), [1, 2, 2, 3, 3, 4, 7, 8]);
    }
}
