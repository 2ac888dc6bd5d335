//! Short names of networks in a comparison: a letter for each network, followed by the number of the setting if there
//! are several.

use super::network_words::letter;
use crate::study::comparison::Comparison;

/// Returns the number of a column's setting and that of its network within the setting, both from 0.
pub(super) fn place(c: &Comparison, column: usize) -> (usize, usize) {
    let begins = |at: &usize| *at == 0 || c.settings[*at] != c.settings[*at - 1];
    let setting = (1..=column).filter(begins).count();
    let first = (0..=column).rev().find(begins).unwrap_or(0);
    // A setting may lack a network that its model does not support; letters are those of the setting with most
    // networks.
    let settings = c.of_settings();
    let fullest = settings.iter().rev().max_by_key(|columns| columns.len());
    let named = |columns: &Vec<usize>| columns.iter().position(|&n| c.plain_names[n] == c.plain_names[column]);
    (setting, fullest.and_then(named).unwrap_or(column - first))
}

/// Returns the letter of a network, which is the same in all settings.
pub(super) fn network(c: &Comparison, column: usize) -> String {
    letter(place(c, column).1)
}

/// Returns the short name of a column: `B`, or with several settings `B2` for the second one.
pub(super) fn short(c: &Comparison, column: usize) -> String {
    let (setting, network) = place(c, column);
    if c.has_settings() { format!("{}{}", letter(network), setting + 1) } else { letter(network) }
}

/// Returns the short names of all columns.
pub(super) fn all(c: &Comparison) -> Vec<String> {
    (0..c.networks.len()).map(|column| short(c, column)).collect()
}
