//! Effects of the routing rule, if a study has several: the order of the networks under each, and each network with its
//! best rule.
//!
//! Everywhere else, a network is compared with the baseline under the same rule. Here rules are compared with each
//! other, which is fair since only the rule differs: all values are relative to the baseline with its best rule.

use super::comparison::{Comparison, InAll};
use super::mean;
use super::mean::APART;
use super::plan::Setting;
use super::statistics::{Statistic, is_change_open};

/// Results under several routing rules, for one platform, mapping and table of collectives.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutingEffect {
    /// Setting of the first rule.
    pub setting: Setting,
    /// Names of the rules, as the study lists them.
    pub rules: Vec<String>,
    /// Columns of the networks that run under every rule: for each rule, in the order of the study.
    pub columns: Vec<Vec<usize>>,
    /// Names of the networks that run under some rules only.
    pub omitted: Vec<String>,
    /// Weighted geometric mean over the workloads of the speedup over the baseline with its best rule: for each rule,
    /// for each network.
    pub relative: Vec<Vec<Statistic>>,
    /// Index of the best rule of each network, by that mean; the first among equals.
    pub best: Vec<usize>,
    /// Pairs of networks whose order depends on the rule.
    pub flips: Vec<Flip>,
    /// Pairs of networks of which the intervals of extrapolated times leave open whether their order depends on the rule.
    pub open: Vec<[usize; 2]>,
}

/// Two networks whose order depends on the rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flip {
    /// Index of a network.
    pub network: usize,
    /// Index of the other network.
    pub other: usize,
    /// Index of the rule under which the first network has its largest lead, and its speedup over the other one.
    pub ahead: (usize, f64),
    /// Index of the rule under which the first network is furthest behind, and its speedup over the other one.
    pub behind: (usize, f64),
}

impl RoutingEffect {
    /// Returns the fastest networks under a rule: the first and all within one per cent of it.
    pub fn fastest(&self, rule: usize) -> Vec<usize> {
        let values = &self.relative[rule];
        let most = values.iter().map(|value| value.mean).fold(0.0, f64::max);
        (0..values.len()).filter(|&n| values[n].mean * (1.0 + APART) >= most).collect()
    }

    /// Returns the value of a network under its best rule.
    pub fn best_value(&self, network: usize) -> Statistic {
        self.relative[self.best[network]][network]
    }
}

/// Returns the effect of routing rules in each group of settings that differ only in the rule; empty if a study has no
/// list of rules.
pub fn effects(c: &Comparison) -> Vec<RoutingEffect> {
    let without_rule = |setting: &Setting| Setting { routing: None, ..setting.clone() };
    let mut groups: Vec<(Setting, Vec<Vec<usize>>)> = Vec::new();
    for columns in c.of_settings() {
        let setting = &c.settings[columns[0]];
        if setting.routing.is_none() {
            continue;
        }
        let key = without_rule(setting);
        match groups.iter_mut().find(|(known, _)| without_rule(known) == key) {
            Some((_, rules)) => rules.push(columns),
            None => groups.push((setting.clone(), vec![columns])),
        }
    }
    groups.into_iter().filter(|(_, rules)| rules.len() > 1).map(|(setting, rules)| of(c, setting, &rules)).collect()
}

fn of(c: &Comparison, setting: Setting, settings: &[Vec<usize>]) -> RoutingEffect {
    let InAll { columns, omitted } = c.in_all(settings);
    let networks = columns[0].len();
    let baseline = columns[0].iter().position(|&column| c.baselines[column] == column).unwrap_or(0);
    let best_of = |value: &dyn Fn(usize) -> f64| mean::largest(columns.len(), value);
    let first = columns[0][baseline];
    let best_of_baseline = columns[best_of(&|rule| c.speedup(columns[rule][baseline], first).mean)][baseline];
    let relative: Vec<Vec<Statistic>> =
        columns.iter().map(|of| of.iter().map(|&column| c.speedup(column, best_of_baseline)).collect()).collect();
    let best = (0..networks).map(|n| best_of(&|rule| relative[rule][n].mean)).collect();
    let (mut flips, mut open) = (Vec::new(), Vec::new());
    for (network, other) in (0..networks).flat_map(|a| (a + 1..networks).map(move |b| (a, b))) {
        let lead = |rule: usize| relative[rule][network].mean / relative[rule][other].mean;
        let (ahead, behind) = (best_of(&lead), best_of(&|rule| 1.0 / lead(rule)));
        if lead(ahead) > 1.0 + APART && 1.0 / lead(behind) > 1.0 + APART {
            flips.push(Flip { network, other, ahead: (ahead, lead(ahead)), behind: (behind, lead(behind)) });
        }
        let with_width = |rule: usize| (lead(rule), c.ratio_width(columns[rule][network], columns[rule][other]));
        if is_change_open(&(0..columns.len()).map(with_width).collect::<Vec<_>>(), 1.0 + APART) {
            open.push([network, other]);
        }
    }
    let rules = columns.iter().map(|of| c.settings[of[0]].routing.clone().unwrap_or_default()).collect();
    RoutingEffect { setting, rules, columns, omitted, relative, best, flips, open }
}
