//! Equal traffic to every host.

use super::arguments::PatternArguments;
use super::{Evenly, Flows, PatternInput, TrafficError};

impl Evenly {
    /// Returns the share of a source's traffic for one destination.
    pub fn share(&self) -> f64 {
        1.0 / f64::from(self.endpoints - u32::from(!self.with_self)).max(1.0)
    }
}

impl Flows for Evenly {
    fn visit(&self, source: u32, visit: &mut dyn FnMut(u32, f64)) {
        let share = self.share();
        (0..self.endpoints).filter(|&to| self.with_self || to != source).for_each(|to| visit(to, share));
    }

    fn evenly(&self) -> Option<Evenly> {
        Some(*self)
    }
}

/// Uniform traffic of the cycle-accurate studies: as in BookSim, a source is its own destination as often as any other
/// host, unless `exclude_self` is set.
pub(super) fn any(
    arguments: &PatternArguments<'_>,
    setting: &PatternInput<'_>,
) -> Result<Box<dyn Flows>, TrafficError> {
    match arguments.flag("exclude_self")? {
        true => others("uniform:exclude_self", setting),
        false => Ok(Box::new(Evenly { endpoints: setting.endpoints(), with_self: true })),
    }
}

pub(super) fn all_to_all(_: &PatternArguments<'_>, setting: &PatternInput<'_>) -> Result<Box<dyn Flows>, TrafficError> {
    others("all_to_all", setting)
}

fn others(pattern: &str, setting: &PatternInput<'_>) -> Result<Box<dyn Flows>, TrafficError> {
    if setting.endpoints() < 2 {
        let rule = "at least 2 hosts".into();
        return Err(TrafficError::WrongHosts { pattern: pattern.into(), rule, hosts: setting.endpoints() });
    }
    Ok(Box::new(Evenly { endpoints: setting.endpoints(), with_self: false }))
}
