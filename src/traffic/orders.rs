//! Permutations that are not based on bits or digits.

use super::arguments::PatternArguments;
use super::pattern::Each;
use super::{Flows, PatternInput, TrafficError};
use crate::topology::Randomness;

type Built = Result<Box<dyn Flows>, TrafficError>;

/// Random permutation, all equally likely; a host may be its own destination.
pub(super) fn random_permutation(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let seed = arguments.integer("seed")?.unwrap_or(setting.seed);
    let mut order: Vec<u32> = (0..setting.endpoints()).collect();
    Randomness::new(seed).shuffle(&mut order);
    Ok(Box::new(Each(move |source: u32| order[source as usize])))
}

/// Host s sends to n-1-s, which for a power of two is the bit complement.
pub(super) fn mirror(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let last = setting.endpoints() - 1;
    Ok(Box::new(Each(move |source: u32| last - source)))
}

/// Host i*c + j of r rows of c sends to j*r + i. With r = c = 2^(b/2) this is the transposition of bits.
pub(super) fn matrix_transpose(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let n = setting.endpoints();
    let rows = match arguments.integer("rows")? {
        None => (1..=n.isqrt()).rev().find(|&rows| n.is_multiple_of(rows)).unwrap_or(1),
        Some(rows) => match u32::try_from(rows) {
            Ok(rows) if rows > 0 && n.is_multiple_of(rows) => rows,
            _ => {
                let rule = format!("a multiple of rows = {rows}");
                return Err(TrafficError::WrongHosts { pattern: arguments.canonical(), rule, hosts: n });
            }
        },
    };
    let columns = n / rows;
    Ok(Box::new(Each(move |source: u32| source % columns * rows + source / columns)))
}
