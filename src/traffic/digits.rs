//! Patterns that move every base-k digit of the host number: tornado by `ceil(k/2) - 1`, neighbour by 1, modulo k. The
//! lowest digit is the first dimension of a torus of k^m hosts.

use super::arguments::PatternArguments;
use super::pattern::Each;
use super::{Flows, PatternInput, TrafficError};

type Built = Result<Box<dyn Flows>, TrafficError>;

fn shifted(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>, by: fn(u32) -> u32) -> Built {
    let n = setting.endpoints();
    let m = arguments.integer("m")?;
    let k = match (arguments.integer("k")?, m) {
        (Some(k), _) => k,
        (None, Some(m)) => f64::from(n).powf(1.0 / m as f64).round() as u64,
        (None, None) => u64::from(n),
    };
    let wrong = |rule: String| TrafficError::WrongHosts { pattern: arguments.canonical(), rule, hosts: n };
    // Without `k`, an impossible one follows from `m` and the hosts.
    let of_m = m.filter(|_| arguments.text("k").is_none());
    if of_m == Some(0) {
        return Err(arguments.invalid("`m` is 0, and must be 1 or more"));
    }
    let k = u32::try_from(k).ok().filter(|&k| k >= 2 || n == 1).ok_or_else(|| {
        if n == 1 {
            wrong("at least 2 hosts".into())
        } else if let Some(m) = of_m {
            wrong(format!("k^{m} hosts with a whole k of 2 or more"))
        } else {
            arguments.invalid(format!("`k` is {k}, and must be from 2 to {}", u32::MAX))
        }
    })?;
    let (mut power, mut digits) = (1_u64, 0_u64);
    while power < u64::from(n) {
        power *= u64::from(k);
        digits += 1;
    }
    if power != u64::from(n) {
        return Err(wrong(match of_m {
            Some(m) => format!("k^{m} hosts with a whole k of 2 or more"),
            None => format!("a power of k = {k} hosts"),
        }));
    }
    if let Some(m) = m.filter(|&m| m != digits) {
        return Err(wrong(format!("k^m = {k}^{m} hosts")));
    }
    let step = by(k);
    Ok(Box::new(Each(move |source: u32| {
        let (mut rest, mut scale, mut destination) = (source, 1_u32, 0);
        for _ in 0..digits {
            destination += (rest % k + step) % k * scale;
            rest /= k;
            scale = scale.wrapping_mul(k);
        }
        destination
    })))
}

pub(super) fn tornado(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    shifted(arguments, setting, |k| k.div_ceil(2) - 1)
}

pub(super) fn neighbour(arguments: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Built {
    shifted(arguments, setting, |_| 1)
}
