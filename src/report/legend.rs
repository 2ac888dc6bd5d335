//! Legend of a comparison: each network once, followed by its differences between settings.

use super::findings::grouped;
use super::label::{all, places};
use super::network_words::{letter, routing};
use crate::study::comparison::Comparison;

/// A network, with the settings in which only its routing differs.
pub(super) struct LegendEntry {
    /// Columns of the network; at least one.
    pub columns: Vec<usize>,
    /// Letter of the network, or the short names of its columns if other settings have another network in its place.
    pub letters: String,
    /// Name without the setting.
    pub name: String,
    /// Routing rule; if settings have several, each with the numbers of its settings.
    pub routing: String,
}

/// Returns the networks in the order of their first columns.
pub(super) fn entries(c: &Comparison) -> Vec<LegendEntry> {
    let settings = c.of_settings().len();
    let (places, names) = (places(c), all(c));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for column in 0..c.networks.len() {
        match groups.iter_mut().find(|group| places[group[0]].1 == places[column].1 && same(c, group[0], column)) {
            Some(group) => group.push(column),
            None => groups.push(vec![column]),
        }
    }
    let entry = |columns: Vec<usize>| LegendEntry {
        letters: match columns.len() == settings {
            true => letter(places[columns[0]].1),
            false => columns.iter().map(|&column| names[column].as_str()).collect::<Vec<_>>().join(", "),
        },
        name: c.plain_names[columns[0]].clone(),
        routing: rules(c, &columns, &places),
        columns,
    };
    groups.into_iter().map(entry).collect()
}

/// Returns `true` if two columns with one letter show one network, except for its routing.
fn same(c: &Comparison, one: usize, other: usize) -> bool {
    let (a, b) = (&c.networks[one], &c.networks[other]);
    // The seed of a random family is part of the topology; the routing may have another one.
    let repeated = [one, other].iter().any(|&column| c.seeds[column].len() > 1);
    (&a.topology, &a.duplex, a.hosts) == (&b.topology, &b.duplex, b.hosts)
        && (&a.speeds, &a.parameters, c.costs[one]) == (&b.speeds, &b.parameters, c.costs[other])
        && (!repeated || c.seeds[one] == c.seeds[other])
}

/// Returns the routing rules of some columns of one network.
fn rules(c: &Comparison, columns: &[usize], places: &[(usize, usize)]) -> String {
    let mut rules = grouped(columns.iter().map(|&column| {
        let rule = routing(&c.networks[column], c.seeds[column].len() > 1);
        (rule, (places[column].0 + 1).to_string())
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
