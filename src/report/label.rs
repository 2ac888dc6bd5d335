//! Short names of networks in a comparison: a letter for each network, followed by the number of the setting if there
//! are several.

use super::network_words::letter;
use crate::study::comparison::Comparison;
use std::collections::HashMap;

/// Returns the number of a column's setting and that of its network within the setting, both from 0.
pub(super) fn place(c: &Comparison, column: usize) -> (usize, usize) {
    places(c)[column]
}

/// Returns the places of all columns.
pub(super) fn places(c: &Comparison) -> Vec<(usize, usize)> {
    // A setting may lack a network that its model does not support; letters are those of the setting with most
    // networks.
    let settings = c.of_settings();
    let fullest = settings.iter().rev().max_by_key(|columns| columns.len()).map_or(&[][..], |columns| columns);
    let mut letters = HashMap::with_capacity(fullest.len());
    for (letter, &column) in fullest.iter().enumerate() {
        letters.entry(&c.plain_names[column]).or_insert(letter);
    }
    let mut places = Vec::with_capacity(c.networks.len());
    for (setting, columns) in settings.iter().enumerate() {
        let of = |(at, &column): (usize, &usize)| *letters.get(&c.plain_names[column]).unwrap_or(&at);
        places.extend(columns.iter().enumerate().map(of).map(|letter| (setting, letter)));
    }
    places
}

/// Returns the letter of a network, which is the same in all settings.
pub(super) fn network(c: &Comparison, column: usize) -> String {
    letter(place(c, column).1)
}

/// Returns the short name of a column: `B`, or with several settings `B2` for the second one.
pub(super) fn short(c: &Comparison, column: usize) -> String {
    name(c.has_settings(), place(c, column))
}

fn name(has_settings: bool, (setting, network): (usize, usize)) -> String {
    if has_settings { format!("{}{}", letter(network), setting + 1) } else { letter(network) }
}

/// Returns the short names of all columns.
pub(super) fn all(c: &Comparison) -> Vec<String> {
    let has_settings = c.has_settings();
    places(c).into_iter().map(|place| name(has_settings, place)).collect()
}
