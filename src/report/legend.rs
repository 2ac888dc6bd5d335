//! The networks of a comparison, each named once: what settings change in it stands behind it.

use super::findings::grouped;
use super::label::{network, place, short};
use super::text::routing;
use crate::study::comparison::Comparison;

/// A network, in the settings in which it is the same but for its routing.
pub(super) struct Entry {
    /// Its columns; at least one.
    pub columns: Vec<usize>,
    /// Its letter, or the short names of its columns where other settings have another network in its place.
    pub letters: String,
    /// Its name, without the setting.
    pub name: String,
    /// Its routing rule; where settings have several, each with the numbers of its settings.
    pub routing: String,
}

/// Returns the networks in the order of their first columns.
pub(super) fn entries(c: &Comparison) -> Vec<Entry> {
    let settings = c.of_settings().len();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for column in 0..c.networks.len() {
        match groups.iter_mut().find(|group| same(c, group[0], column)) {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    let entry = |columns: Vec<usize>| Entry {
        letters: match columns.len() == settings {
            true => network(c, columns[0]),
            false => columns.iter().map(|&column| short(c, column)).collect::<Vec<_>>().join(", "),
        },
        name: c.plain_names[columns[0]].clone(),
        routing: rules(c, &columns),
        columns,
    };
    groups.into_iter().map(entry).collect()
}

/// Whether two columns show one network, its routing aside.
fn same(c: &Comparison, one: usize, other: usize) -> bool {
    let (a, b) = (&c.networks[one], &c.networks[other]);
    // The seed of a random family is in the topology; beside it there may be one of the routing.
    let repeated = [one, other].iter().any(|&column| c.seeds[column].len() > 1);
    place(c, one).1 == place(c, other).1
        && (&a.topology, &a.duplex, a.hosts) == (&b.topology, &b.duplex, b.hosts)
        && (&a.speeds, &a.parameters, c.costs[one]) == (&b.speeds, &b.parameters, c.costs[other])
        && (!repeated || c.seeds[one] == c.seeds[other])
}

/// The routing rules of some columns, which show one network.
fn rules(c: &Comparison, columns: &[usize]) -> String {
    let mut rules = grouped(columns.iter().map(|&column| {
        let rule = routing(&c.networks[column], c.seeds[column].len() > 1);
        (rule, (place(c, column).0 + 1).to_string())
    }));
    match &mut rules[..] {
        [(rule, _)] => std::mem::take(rule),
        several => several
            .iter()
            .map(|(rule, settings)| format!("{rule} in {}", settings.join(", ")))
            .collect::<Vec<_>>()
            .join("; "),
    }
}
