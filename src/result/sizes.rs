//! Duration of messages by size, for messages that ranks wait for.

use crate::engine::{Observer, Wakening};
use crate::mpi::messages::Envelope;
use serde::{Deserialize, Serialize};

/// Messages of a range of sizes that ranks waited for.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AwaitedSize {
    /// Largest size of the class in bytes, a power of two; it begins above half of that. Class 0 has empty messages.
    pub up_to: u64,
    /// Number of messages.
    pub messages: u64,
    /// Mean seconds from the start of the transfer to its arrival.
    pub mean_seconds: f64,
}

/// Adds up times of messages by their size.
#[derive(Debug, Default)]
pub struct AwaitedSizes {
    /// Size class of each message under way, by its number.
    class_of: Vec<u8>,
    /// Number and seconds of each class.
    classes: Vec<(u64, f64)>,
    /// `true` if times are added up.
    is_on: bool,
}

/// Returns the class of a size: 0 for empty messages, otherwise one more than the logarithm of the next power of two.
fn class(bytes: u64) -> u8 {
    match bytes {
        0 => 0,
        bytes => 65 - (bytes - 1).leading_zeros() as u8,
    }
}

impl AwaitedSizes {
    /// Creates an observer, which does nothing unless `is_on`.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, ..Self::default() }
    }

    /// Returns the classes that have messages, in ascending order.
    pub fn classes(&self) -> Vec<AwaitedSize> {
        let class = |(class, &(messages, seconds)): (usize, &(u64, f64))| AwaitedSize {
            up_to: if class == 0 { 0 } else { 1_u64.checked_shl(class as u32 - 1).unwrap_or(u64::MAX) },
            messages,
            mean_seconds: seconds / messages as f64,
        };
        self.classes.iter().enumerate().filter(|(_, class)| class.0 > 0).map(class).collect()
    }
}

impl Observer for AwaitedSizes {
    fn message_started(&mut self, message: u32, _poster: u32, _envelope: Envelope, bytes: u64, _date: f64) {
        if !self.is_on {
            return;
        }
        let place = message as usize;
        if place >= self.class_of.len() {
            self.class_of.resize(place + 1, 0);
        }
        self.class_of[place] = class(bytes);
    }

    fn woken(&mut self, _rank: u32, wakening: Wakening) {
        if !self.is_on {
            return;
        }
        let class = usize::from(self.class_of[wakening.message as usize]);
        if class >= self.classes.len() {
            self.classes.resize(class + 1, (0, 0.0));
        }
        self.classes[class].0 += 1;
        self.classes[class].1 += wakening.time - wakening.started;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_end_at_powers_of_two() {
        assert_eq!([0, 1, 2, 3, 4, 5, 4096, 4097, u64::MAX].map(class), [0, 1, 2, 3, 3, 4, 13, 14, 65]);
        let mut sizes = AwaitedSizes::new(true);
        let envelope = Envelope { source: 0, destination: 1, tag: 0, context: 0 };
        for (bytes, seconds) in [(3000, 2.0), (4096, 4.0), (0, 1.0)] {
            sizes.message_started(7, 0, envelope, bytes, 1.0);
            sizes.woken(1, Wakening { message: 7, since: 0.0, started: 1.0, entered: 1.0, time: 1.0 + seconds });
        }
        let of = |up_to, messages, mean_seconds| AwaitedSize { up_to, messages, mean_seconds };
        assert_eq!(sizes.classes(), [of(0, 1, 1.0), of(4096, 2, 3.0)]);
    }
}
