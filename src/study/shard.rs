//! Shards of a study: shard K of N takes every N-th cell, beginning with the K-th.
//!
//! Neighbouring cells are the same workload on different networks and take about the same time, so dealing them out
//! like cards loads the shards evenly without knowing the time of a cell. With contiguous parts, one shard would have
//! all the large workloads.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Largest number of shards of a study.
const MOST: usize = 1_000_000;

/// Shard `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: usize,
    count: usize,
}

/// A text that is not a shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no shard: write K/N with K from 1 to N, and N at most {MOST}, as in 2/8")]
pub struct ShardError {
    text: String,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Returns `true` if a cell is in the shard.
    pub fn has(self, cell: usize) -> bool {
        cell % self.count == self.number - 1
    }

    /// Returns the number of the shard, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Returns the number of shards.
    pub fn count(self) -> usize {
        self.count
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let number = |part: &str| part.parse::<usize>().ok().filter(|n| (1..=MOST).contains(n));
        let parts = text.split_once('/').and_then(|(k, n)| Some((number(k)?, number(n)?)));
        match parts {
            Some((number, count)) if number <= count => Ok(Self { number, count }),
            _ => Err(ShardError { text: text.to_owned() }),
        }
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=3).map(|k| format!("{k}/3").parse().expect("a shard")).collect();
        for cell in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.has(cell)).count(), 1);
        }
        assert!((0..5).all(|cell| Shard::WHOLE.has(cell)));
    }

    #[test]
    fn what_is_no_shard_is_refused() {
        for text in ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/5", "a/b", "1/9999999"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
