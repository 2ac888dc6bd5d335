//! A part of a study: shard K of N takes every N-th cell, beginning with the K-th.
//!
//! Neighbouring cells are the same workload on different networks and cost about the same, so that dealing them out
//! like cards loads the shards evenly without knowing what a cell costs. Contiguous parts would give one shard all the
//! large workloads.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most shards of a study.
const MOST: usize = 1_000_000;

/// Shard `number` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    number: usize,
    count: usize,
}

/// A text that names no shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no shard: write K/N with K from 1 to N, and N at most {MOST}, as in 2/8")]
pub struct ShardError {
    text: String,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Whether a cell is in it.
    pub fn has(self, cell: usize) -> bool {
        cell % self.count == self.number - 1
    }

    /// Its number, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// The number of shards.
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
