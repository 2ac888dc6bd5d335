//! Bytes that cables have carried, as the kernel counts them.

use super::build::{EmulatedNetwork, ask};
use super::{EmulateError, State};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Counts of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// Bytes, with headers and framing.
    pub bytes: u64,
    /// Packets.
    pub packets: u64,
    /// Packets dropped because the queue was full.
    pub drops: u64,
    /// Bytes that arrived where the link begins, which no link leads to: 0 on a uni-directional cable.
    pub backwards: u64,
}

/// Reads the counters of all links, in the order of the record.
///
/// # Errors
/// [`EmulateError::Command`].
pub fn read(state: &State) -> Result<Vec<Count>, EmulateError> {
    let spaces: BTreeSet<&str> = state.links.iter().map(|link| link.space.as_str()).collect();
    let mut sent = BTreeMap::new();
    let mut received = BTreeMap::new();
    for space in spaces {
        let queues = parse(&ask(&["tc", "-n", space, "-s", "-j", "qdisc", "show"])?)?;
        for queue in queues.iter().filter(|queue| queue["kind"] == "tbf") {
            let number = |key: &str| queue[key].as_u64().unwrap_or(0);
            let device = queue["dev"].as_str().unwrap_or_default().to_owned();
            sent.insert((space.to_owned(), device), [number("bytes"), number("packets"), number("drops")]);
        }
        for device in parse(&ask(&["ip", "-n", space, "-s", "-j", "link", "show"])?)? {
            let name = device["ifname"].as_str().unwrap_or_default().to_owned();
            received.insert((space.to_owned(), name), device["stats64"]["rx"]["bytes"].as_u64().unwrap_or(0));
        }
    }
    let of = |link: &super::state::LinkPlace| {
        let place = (link.space.clone(), link.device.clone());
        let [bytes, packets, drops] = sent.get(&place).copied().unwrap_or_default();
        let backwards = if link.one_way { received.get(&place).copied().unwrap_or(0) } else { 0 };
        Count { bytes, packets, drops, backwards }
    };
    Ok(state.links.iter().map(of).collect())
}

fn parse(text: &str) -> Result<Vec<Value>, EmulateError> {
    let text = if text.trim().is_empty() { "[]" } else { text };
    serde_json::from_str(text)
        .map_err(|error| EmulateError::Command { command: "tc -j".to_owned(), message: error.to_string() })
}

impl EmulatedNetwork {
    /// Notes what all links have carried so far, so that counts begin with the next program.
    ///
    /// # Errors
    /// [`EmulateError::Command`], [`EmulateError::File`].
    pub fn note_counters(&mut self) -> Result<(), EmulateError> {
        self.state.before = read(&self.state)?.iter().map(|count| count.bytes).collect();
        self.record.write(&self.state)
    }
}
