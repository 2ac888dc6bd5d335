//! The labels of DSN-F: level, layer and super-node of every switch.

use super::Spec;

/// How a switch of an incomplete last layer gets its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fill {
    /// Super-node by super-node.
    Sequential,
    /// Level by level, so that all super-nodes grow alike.
    Balanced,
}

/// Where a switch is in DSN-F.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Label {
    /// 1 to p.
    pub level: usize,
    /// From 0.
    pub layer: usize,
    /// 0 to 2^p - 1.
    pub supernode: usize,
}

/// The numbering of a DSN-F network of `n` switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Labels {
    n: usize,
    /// Levels.
    pub p: usize,
    fill: Fill,
}

impl Labels {
    /// `None` if `n < p * 2^p` or p is out of range.
    pub(crate) fn new(n: usize, p: usize, fill: Fill) -> Option<Self> {
        let valid = (1..=24).contains(&p) && p << p <= n;
        valid.then_some(Self { n, p, fill })
    }

    /// The labels of a topology of family `dsnf`, from its parameters `n`, `p` (the largest with `p * 2^p <= n` if left out)
    /// and `fill`.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        if spec.family().name != "dsnf" {
            return None;
        }
        let has = |name: &str| spec.family().parameters.iter().any(|parameter| parameter.name == name);
        let arguments = spec.arguments();
        let integer = |name: &str| has(name).then(|| arguments.integer(name)).flatten();
        let n = usize::try_from(integer("n")?).ok()?;
        let default = (1..=24).take_while(|p| p << p <= n).last();
        let p = integer("p").map_or(default, |p| usize::try_from(p).ok())?;
        let balanced = has("fill") && arguments.text("fill") == "balanced";
        Self::new(n, p, if balanced { Fill::Balanced } else { Fill::Sequential })
    }

    pub(crate) fn switches(&self) -> usize {
        self.n
    }

    /// Number of super-nodes, 2^p.
    pub(crate) fn supernodes(&self) -> usize {
        1 << self.p
    }

    /// Switches of a complete layer, p 2^p.
    fn layer_size(&self) -> usize {
        self.p << self.p
    }

    /// First switch of a layer that is filled level by level.
    fn balanced_from(&self) -> usize {
        let last = self.n / self.layer_size() * self.layer_size();
        if self.fill == Fill::Balanced && last < self.n { last } else { self.n }
    }

    /// The label of a switch.
    pub(crate) fn of_switch(&self, switch: usize) -> Label {
        let (size, nodes) = (self.layer_size(), self.supernodes());
        let layer = switch / size;
        if switch >= self.balanced_from() {
            let place = switch % size;
            return Label { level: place / nodes + 1, layer, supernode: place % nodes };
        }
        Label { level: switch % self.p + 1, layer, supernode: switch / self.p % nodes }
    }

    /// The switch with a label; `None` if the network has none.
    pub(crate) fn switch(&self, label: Label) -> Option<usize> {
        let first = label.layer * self.layer_size();
        let place = if first >= self.balanced_from() {
            (label.level - 1) * self.supernodes() + label.supernode
        } else {
            label.supernode * self.p + label.level - 1
        };
        Some(first + place).filter(|&switch| switch < self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_and_switches_are_each_others_inverse() {
        for fill in [Fill::Sequential, Fill::Balanced] {
            for n in [24, 25, 32, 47, 48, 63, 64] {
                let labels = Labels::new(n, 3, fill).unwrap();
                for switch in 0..n {
                    let label = labels.of_switch(switch);
                    assert!((1..=3).contains(&label.level) && label.supernode < 8);
                    assert_eq!(labels.switch(label), Some(switch));
                }
            }
        }
        assert_eq!(Labels::new(23, 3, Fill::Sequential), None);
        let labels = Labels::new(32, 3, Fill::Sequential).unwrap();
        assert_eq!(labels.of_switch(30), Label { level: 1, layer: 1, supernode: 2 });
        let labels = Labels::new(32, 3, Fill::Balanced).unwrap();
        assert_eq!(labels.of_switch(30), Label { level: 1, layer: 1, supernode: 6 });
    }
}
