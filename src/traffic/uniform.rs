//! The same to every host.

use super::arguments::Arguments;
use super::{Flows, Setting, TrafficError};

/// Every source sends alike to every host.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Evenly {
    /// Number of hosts.
    pub endpoints: u32,
    /// Whether a source is among its own destinations.
    pub with_self: bool,
}

impl Evenly {
    /// Share of a source's traffic that goes to one destination.
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

pub(super) fn with_self(_: &Arguments<'_>, setting: &Setting<'_>) -> Result<Box<dyn Flows>, TrafficError> {
    Ok(Box::new(Evenly { endpoints: setting.endpoints(), with_self: true }))
}

pub(super) fn without_self(_: &Arguments<'_>, setting: &Setting<'_>) -> Result<Box<dyn Flows>, TrafficError> {
    if setting.endpoints() < 2 {
        let rule = "at least 2 hosts".into();
        return Err(TrafficError::WrongHosts { pattern: "all_to_all".into(), rule, hosts: setting.endpoints() });
    }
    Ok(Box::new(Evenly { endpoints: setting.endpoints(), with_self: false }))
}
