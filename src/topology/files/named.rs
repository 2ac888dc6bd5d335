//! Nodes with names, as formats for graphs of any kind have them, and the numbers of the switches that they become.
//!
//! Nodes named 0 to n-1, or n0 to n(n-1), are the switches of these numbers, so that a file from a program that counts
//! reads back unchanged. Nodes with other names are numbered in the order of the file.

use super::super::graph::MAX_SWITCHES;
use crate::excerpt::excerpt;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Nodes in the order of the file.
pub(super) struct NamedNodes<N> {
    place: FxHashMap<N, u32>,
    names: Vec<N>,
    hosts: Vec<u32>,
}

/// Switches, by the names of the nodes.
pub(super) struct NamedSwitches<N> {
    number: FxHashMap<N, u32>,
    /// Hosts on each switch.
    pub(super) hosts: Vec<u32>,
}

impl<N: Copy + Eq + Hash + AsRef<str>> NamedNodes<N> {
    pub(super) fn new() -> Self {
        Self { place: FxHashMap::default(), names: Vec::new(), hosts: Vec::new() }
    }

    /// Adds a node with this number of hosts. The error is the broken rule, as a sentence.
    pub(super) fn add(&mut self, name: N, hosts: u32) -> Result<(), String> {
        if self.names.len() == MAX_SWITCHES {
            return Err(format!("there are more than {MAX_SWITCHES} nodes"));
        }
        if self.place.insert(name, self.names.len() as u32).is_some() {
            return Err(format!("there is another node `{}`", excerpt(name.as_ref())));
        }
        self.names.push(name);
        self.hosts.push(hosts);
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Numbers the nodes by `labels` (one for each) if those are numbers, by their names if those are, else in order.
    pub(super) fn numbered(self, labels: Option<&[&str]>) -> NamedSwitches<N> {
        let names: Vec<&str> = self.names.iter().map(AsRef::as_ref).collect();
        let numbers = labels.filter(|labels| labels.len() == names.len()).and_then(own_numbers);
        let (mut number, mut hosts) = (self.place, self.hosts);
        if let Some(numbers) = numbers.or_else(|| own_numbers(&names)) {
            number.values_mut().for_each(|place| *place = numbers[*place as usize]);
            let in_file = hosts.clone();
            numbers.iter().zip(in_file).for_each(|(switch, count)| hosts[*switch as usize] = count);
        }
        NamedSwitches { number, hosts }
    }
}

impl<N: Copy + Eq + Hash + AsRef<str>> NamedSwitches<N> {
    /// Returns the switches that a cable joins. The error is the broken rule, as a sentence.
    pub(super) fn cable(&self, from: N, to: N) -> Result<(u32, u32), String> {
        let switch = |name: N| {
            self.number.get(&name).copied().ok_or_else(|| format!("there is no node `{}`", excerpt(name.as_ref())))
        };
        let ends = (switch(from)?, switch(to)?);
        if ends.0 == ends.1 {
            return Err(format!("the edge joins node `{}` to itself", excerpt(from.as_ref())));
        }
        Ok(ends)
    }
}

/// Returns the numbers in the names of the nodes, if they are 0 to n-1.
fn own_numbers(names: &[&str]) -> Option<Vec<u32>> {
    let prefix = if names.first()?.starts_with('n') { "n" } else { "" };
    let mut seen = vec![false; names.len()];
    let number = |name: &&str| {
        let digits = name.strip_prefix(prefix)?;
        let number = digits.parse::<u32>().ok().filter(|number| number.to_string() == digits)?;
        let place = seen.get_mut(number as usize)?;
        (!std::mem::replace(place, true)).then_some(number)
    };
    names.iter().map(number).collect()
}
