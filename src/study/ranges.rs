//! Ranges of values in results files: values that no replay can produce are refused, whatever their origin.
//!
//! Checksums detect changes by a disk or an editor. Ranges detect other errors: in lines from before checksums were
//! introduced, and in lines that another program wrote. Redundant values are compared as well: times add up to the
//! simulated time, and Mop/s follow from it.

use super::record::CellRecord;
use super::steady::Extrapolation;
use super::workload::WorkloadInfo;
use crate::engine::MOST_UTILISATION;
use crate::result::critical::{CriticalPath, Step};
use crate::result::explain::{BusyLink, PROFILE_GROUPS, Shares};

/// Relative tolerance for sums of the same times in another order.
const ROUNDING: f64 = 1e-6;

/// Returns the error in a record of a workload; `None` if a replay could have produced the record.
pub(super) fn flaw(record: &CellRecord, workload: &WorkloadInfo) -> Option<String> {
    check(record, workload).err()
}

fn check(record: &CellRecord, workload: &WorkloadInfo) -> Result<(), String> {
    let whole = record.simulated_seconds;
    number("simulated_seconds", whole, f64::MAX)?;
    // The parts of the time are those of what was replayed.
    let end = match &record.extrapolation {
        None => whole,
        Some(found) => extrapolation(found, whole)?,
    };
    if record.actions != workload.actions {
        return Err(format!("`actions` is {}, but the workload has {}", record.actions, workload.actions));
    }
    let times = record.times;
    let parts = [("compute", times.compute), ("communication", times.communication), ("waiting", times.waiting)];
    for (name, seconds) in parts {
        number(&format!("times.{name}"), seconds, f64::MAX)?;
    }
    let sum: f64 = parts.iter().map(|part| part.1).sum();
    if (sum - end).abs() > ROUNDING * end {
        let name = if record.extrapolation.is_some() { "replayed_seconds" } else { "simulated_seconds" };
        return Err(format!("`times` add up to {sum} s, but `{name}` is {end}"));
    }
    match (record.mops, workload.operations.filter(|_| whole > 0.0).map(|operations| operations / whole / 1e6)) {
        (None, None) => {}
        (Some(mops), Some(expected)) if (mops - expected).abs() <= ROUNDING * expected.abs() => {}
        (found, expected) => {
            let text = |value: Option<f64>| value.map_or_else(|| "null".to_owned(), |value| value.to_string());
            return Err(format!("`mops` is {}, where `simulated_seconds` makes it {}", text(found), text(expected)));
        }
    }
    let explanation = &record.explanation;
    shares(&explanation.time_shares, end)?;
    match explanation.average_hops {
        Some(hops) if record.messages > 0 => number("average_hops", hops, f64::from(u32::MAX))?,
        None if record.messages == 0 => {}
        _ => return Err(format!("`average_hops` and {} messages do not go together", record.messages)),
    }
    explanation.busiest_links.iter().try_for_each(link)?;
    let profile = &explanation.load_profile;
    if profile.len() > PROFILE_GROUPS {
        return Err(format!("`load_profile` has {} groups, and there are at most {PROFILE_GROUPS}", profile.len()));
    }
    profile.iter().try_for_each(|&load| number("load_profile", load, MOST_UTILISATION))?;
    for class in explanation.awaited_sizes.iter().flatten() {
        if class.messages == 0 {
            return Err("`awaited_sizes` has a class without messages".to_owned());
        }
        number("mean_seconds", class.mean_seconds, end * (1.0 + ROUNDING))?;
    }
    explanation.critical_path.iter().try_for_each(|path| critical_path(path, end, workload.ranks))
}

/// Checks an extrapolation to a time, and returns the seconds that were replayed.
fn extrapolation(found: &Extrapolation, whole: f64) -> Result<f64, String> {
    number("replayed_seconds", found.replayed_seconds, whole)?;
    number("half_width", found.half_width, whole)?;
    number("iteration_seconds", found.iteration_seconds, whole)?;
    if found.simulated_seconds != whole {
        return Err(format!("`extrapolation` is to {} s, but `simulated_seconds` is {whole}", found.simulated_seconds));
    }
    let left_out = found.iterations.saturating_sub(found.replayed_iterations) as f64;
    let sum = found.replayed_seconds + left_out * found.iteration_seconds;
    if left_out == 0.0 || (sum - whole).abs() > ROUNDING * whole {
        return Err(format!("the parts of `extrapolation` add up to {sum} s, but `simulated_seconds` is {whole}"));
    }
    Ok(found.replayed_seconds)
}

/// Checks that a number is from 0 to `most`.
fn number(name: &str, value: f64, most: f64) -> Result<(), String> {
    if (0.0..=most).contains(&value) {
        return Ok(());
    }
    let range = if most < f64::MAX { format!("from 0 to {most}") } else { "0 or more".to_owned() };
    Err(format!("`{name}` is {value}, and not {range}"))
}

fn shares(shares: &Shares, end: f64) -> Result<(), String> {
    let Shares { compute, latency, bandwidth, waiting } = *shares;
    let parts = [("compute", compute), ("latency", latency), ("bandwidth", bandwidth), ("waiting", waiting)];
    for (name, share) in parts {
        number(&format!("time_shares.{name}"), share, 1.0 + ROUNDING)?;
    }
    let sum: f64 = parts.iter().map(|part| part.1).sum();
    if end > 0.0 && (sum - 1.0).abs() > ROUNDING {
        return Err(format!("`time_shares` add up to {sum}, and not to 1"));
    }
    Ok(())
}

fn link(link: &BusyLink) -> Result<(), String> {
    number("utilisation", link.utilisation, MOST_UTILISATION)?;
    link.saturated.map_or(Ok(()), |share| number("saturated", share, 1.0 + ROUNDING))?;
    link.limiting.map_or(Ok(()), |share| number("limiting", share, 1.0 + ROUNDING))
}

fn critical_path(path: &CriticalPath, end: f64, ranks: usize) -> Result<(), String> {
    let most = end * (1.0 + ROUNDING);
    number("compute_seconds", path.compute_seconds, most)?;
    number("latency_seconds", path.latency_seconds, most)?;
    number("bandwidth_seconds", path.bandwidth_seconds, most)?;
    number("the length of the critical path", path.seconds(), most)?;
    rank("last_rank", path.last_rank, ranks)?;
    for step in &path.longest {
        let Step { from, to, posted_by, set_free, bytes: _, started, seconds } = *step;
        for (name, number) in [("from", from), ("to", to), ("posted_by", posted_by), ("set_free", set_free)] {
            rank(name, number, ranks)?;
        }
        number("started", started, most)?;
        number("seconds", seconds, most)?;
    }
    Ok(())
}

fn rank(name: &str, rank: u32, ranks: usize) -> Result<(), String> {
    if (rank as usize) < ranks {
        return Ok(());
    }
    Err(format!("`{name}` is rank {rank}, and the workload has {ranks} ranks"))
}
