//! The network as its user describes it, and the same network for a replay.

use crate::platform::parameters::{HostsPerSwitch, PlatformParameters};
use crate::platform::units::{Bandwidth, Seconds, UnitError};
use crate::study::network::NetworkChoice;
use serde::{Deserialize, Serialize};

/// A topology with rates.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Choice {
    /// Topology specification.
    pub spec: String,
    /// Routing rule; none: that of the family.
    pub routing: Option<String>,
    /// Seed of random topologies and routings.
    pub seed: Option<u64>,
    /// Hosts on each switch.
    pub hosts_per_switch: Option<u32>,
    /// Bytes per second of cables between switches.
    pub rate: f64,
    /// Rate of the links of hosts in bytes per second, or `none`: hosts have no links of their own. None: that of the
    /// other cables.
    pub host_rate: Option<String>,
    /// Delay of a cable in seconds.
    pub delay: f64,
}

impl Choice {
    /// The network for a replay, with a latency of links besides the delay of cables. Switches and lengths of cables take
    /// no time.
    ///
    /// # Errors
    /// [`UnitError`] if a rate or a time is out of range.
    pub fn network(&self, latency: f64) -> Result<NetworkChoice, UnitError> {
        let zero = Seconds::new(0.0)?;
        let parameters = PlatformParameters {
            hosts_per_switch: self.hosts_per_switch.map(HostsPerSwitch::Uniform),
            link_bandwidth: Some(Bandwidth::new(self.rate)?),
            link_latency: Some(Seconds::new(self.delay + latency)?),
            switch_delay: Some(zero),
            cable_delay: Some(zero),
            host_link_bandwidth: self.host_rate.as_deref().map(str::parse).transpose()?,
            ..PlatformParameters::default()
        };
        Ok(NetworkChoice {
            topology: Some(self.spec.clone()),
            routing: self.routing.clone(),
            seed: self.seed,
            parameters,
            ..NetworkChoice::default()
        })
    }
}

/// Reads a rate as `tc` writes it (`5mbit`), or as other options take it (`5 Mbit/s`). Returns bytes per second.
///
/// # Errors
/// [`UnitError`].
pub fn parse_rate(text: &str) -> Result<f64, UnitError> {
    let lower = text.trim().to_ascii_lowercase();
    let units = [("kbit", 125.0), ("mbit", 125e3), ("gbit", 125e6), ("bit", 0.125)];
    let of_tc = units.iter().find_map(|(unit, bytes)| {
        let number = lower.strip_suffix(unit)?.trim_end();
        Some(number.parse::<f64>().ok()? * bytes)
    });
    Ok(match of_tc {
        Some(rate) => Bandwidth::new(rate)?,
        None => text.parse::<Bandwidth>()?,
    }
    .value())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_tc_and_ours() {
        for text in ["5mbit", "5 Mbit", "5 Mbit/s", "5000kbit", "625000", "0.625 MB/s", "5000000bit"] {
            assert_eq!(parse_rate(text), Ok(625_000.0), "{text}");
        }
        for text in ["", "mbit", "5 mbits", "-5mbit", "0mbit", "nanmbit", "1e400mbit", "5 Mbyte"] {
            assert!(parse_rate(text).is_err(), "{text}");
        }
    }
}
