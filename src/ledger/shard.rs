//! Shards of long work: shard K of N takes every N-th piece, beginning with the K-th.
//!
//! Neighbouring pieces, such as the same workload on different networks, take about the same time, so dealing them out
//! like cards loads the shards evenly without knowing the time of a piece. With contiguous parts, one shard would have
//! all the large workloads.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Largest number of shards.
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
#[error("`{text}` is not a shard: write K/N with K from 1 to N, and N at most {MOST}, as in 2/8")]
pub struct ShardError {
    text: String,
}

impl Shard {
    /// The whole work.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Returns `true` if a piece, numbered from 0, is in the shard.
    pub fn has(self, piece: usize) -> bool {
        piece % self.count == self.number - 1
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

/// Returns the shards with missing pieces: their files, or their numbers if there is no file.
pub fn unfinished(missing: &[usize], files: &[PathBuf], shards: &[Shard]) -> String {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: String| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    let counts: Vec<usize> = shards.iter().map(|shard| shard.count()).collect();
    for &piece in missing {
        match shards.iter().position(|shard| shard.has(piece)) {
            Some(index) => add(format!("{} (shard {}) is not finished", files[index].display(), shards[index])),
            None if counts.windows(2).all(|pair| pair[0] == pair[1]) => {
                let count = counts.first().copied().unwrap_or(1);
                add(format!("there is no file of shard {}/{count}", piece % count + 1));
            }
            None => add("the files are of different numbers of shards".to_owned()),
        }
    }
    names.join("; ")
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
