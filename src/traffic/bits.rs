//! Patterns that move the bits of the host number. With n hosts, b = log2 n, and bits s_i of the source, bit i of the
//! destination is
//!
//! - bit complement: not s_i
//! - bit reversal: s_(b-1-i)
//! - transpose: s_((i + b/2) mod b), b even
//! - shuffle: s_((i-1) mod b), a rotation to the left
//! - bit rotation: s_((i+1) mod b), a rotation to the right

use super::arguments::PatternArguments;
use super::pattern::Each;
use super::{Flows, PatternInput, TrafficError};

type Built = Result<Box<dyn Flows>, TrafficError>;

/// Returns the number of bits.
fn bits(pattern: &'static str, setting: &PatternInput<'_>) -> Result<u32, TrafficError> {
    let hosts = setting.endpoints();
    if hosts.is_power_of_two() { Ok(hosts.ilog2()) } else { Err(TrafficError::NotPowerOfTwo { pattern, hosts }) }
}

/// Rotates the lowest `b` bits to the left.
fn rotated(source: u32, by: u32, b: u32) -> u32 {
    if b == 0 || by.is_multiple_of(b) {
        return source;
    }
    let by = by % b;
    ((source << by) | (source >> (b - by))) & ((1 << b) - 1)
}

pub(super) fn complement(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let b = bits("bit_complement", setting)?;
    Ok(Box::new(Each(move |s: u32| !s & ((1 << b) - 1))))
}

pub(super) fn reversal(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let b = bits("bit_reversal", setting)?;
    Ok(Box::new(Each(move |s: u32| if b == 0 { s } else { s.reverse_bits() >> (32 - b) })))
}

pub(super) fn transpose(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let b = bits("transpose", setting)?;
    if b % 2 == 1 {
        return Err(TrafficError::NotEvenPowerOfTwo { pattern: "transpose", hosts: setting.endpoints() });
    }
    Ok(Box::new(Each(move |s: u32| rotated(s, b / 2, b))))
}

pub(super) fn shuffle(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let b = bits("shuffle", setting)?;
    Ok(Box::new(Each(move |s: u32| rotated(s, 1, b))))
}

pub(super) fn rotation(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    let b = bits("bit_rotation", setting)?;
    Ok(Box::new(Each(move |s: u32| rotated(s, b.saturating_sub(1), b))))
}
