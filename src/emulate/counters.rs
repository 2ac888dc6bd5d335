//! Bytes that cables have carried, as the kernel counts them.

use super::build::{EmulatedNetwork, ask};
use super::state::LinkPlace;
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
        for queue in list("tc", space, &["qdisc", "show"])?.iter().filter(|queue| queue["kind"] == "tbf") {
            let number = |key: &str| queue[key].as_u64();
            if let (Some(device), Some(bytes), Some(packets), Some(drops)) =
                (queue["dev"].as_str(), number("bytes"), number("packets"), number("drops"))
            {
                sent.insert((space, device.to_owned()), [bytes, packets, drops]);
            }
        }
        for device in list("ip", space, &["link", "show"])? {
            if let (Some(name), Some(bytes)) = (device["ifname"].as_str(), device["stats64"]["rx"]["bytes"].as_u64()) {
                received.insert((space, name.to_owned()), bytes);
            }
        }
    }
    let of = |link: &LinkPlace| {
        let place = (link.space.as_str(), link.device.clone());
        // Without the counters of a link, "0 bytes" would be a wrong measurement.
        let lacks = |command: &str| EmulateError::Command {
            command: command.to_owned(),
            message: format!("it has no counters of {} in {}, the beginning of {}", link.device, link.space, link.link),
        };
        let [bytes, packets, drops] = *sent.get(&place).ok_or_else(|| lacks("tc -s -j qdisc show"))?;
        let backwards = match link.one_way {
            true => *received.get(&place).ok_or_else(|| lacks("ip -s -j link show"))?,
            false => 0,
        };
        Ok(Count { bytes, packets, drops, backwards })
    };
    state.links.iter().map(of).collect()
}

/// Asks `tc` or `ip` for a list in a namespace, with statistics.
fn list(program: &str, space: &str, what: &[&str]) -> Result<Vec<Value>, EmulateError> {
    let text = ask(&[&[program, "-n", space, "-s", "-j"], what].concat())?;
    // Older versions print nothing for an empty list.
    let text = if text.trim().is_empty() { "[]" } else { &text };
    serde_json::from_str(text).map_err(|error| EmulateError::Command {
        command: format!("{program} -s -j {}", what.join(" ")),
        message: error.to_string(),
    })
}

impl State {
    /// Returns the bytes that each link has carried since the last program began.
    pub fn bytes_since(&self, counts: &[Count]) -> Vec<u64> {
        let before = self.before.iter().copied().chain(std::iter::repeat(0));
        counts.iter().zip(before).map(|(count, before)| count.bytes.saturating_sub(before)).collect()
    }
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
