//! The table of defaults: the values that all verbs assume if the user sets none.
//!
//! The table has versions, so that a report can be reproduced after its defaults have changed: `defaults = "0.1"` in
//! a study or platform file, or `--defaults 0.1`. A version never changes once it is released. All values are in
//! bytes, seconds and flops.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A version of the defaults.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Version {
    /// Values of the papers that mopsim began with, a set for each verb.
    V0_1,
    /// Values of networks on the market, the same for all verbs.
    #[default]
    V0_2,
}

/// Error for a version that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are no defaults `{0}`; the versions are {known}", known = known())]
pub struct UnknownVersion(pub String);

fn known() -> String {
    Version::ALL.map(Version::name).join(", ")
}

impl Version {
    /// All versions, oldest first.
    pub const ALL: [Version; 2] = [Self::V0_1, Self::V0_2];

    /// Returns the name that files and flags use.
    pub fn name(self) -> &'static str {
        match self {
            Self::V0_1 => "0.1",
            Self::V0_2 => "0.2",
        }
    }

    /// Returns the values of this version.
    pub fn values(self) -> &'static Defaults {
        match self {
            Self::V0_1 => &V0_1,
            Self::V0_2 => &V0_2,
        }
    }
}

impl FromStr for Version {
    type Err = UnknownVersion;

    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        Self::ALL.into_iter().find(|version| version.name() == text.trim()).ok_or_else(|| UnknownVersion(text.into()))
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Named)
    }
}

/// Visitor for the name of a version. Numbers are refused with a hint to use quotes, since TOML would read 0.10 as 0.1.
struct Named;

impl Visitor<'_> for Named {
    type Value = Version;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a version of the defaults in quotes, such as \"{}\"", Version::default().name())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Version, E> {
        text.parse().map_err(E::custom)
    }
}

/// Speeds and delays of a network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speeds {
    /// Bandwidth of a link between switches, in bytes per second.
    pub link_bandwidth: f64,
    /// Latency of a link, without switches and cables, in seconds.
    pub link_latency: f64,
    /// Delay of a switch, in seconds.
    pub switch_delay: f64,
    /// Delay of a cable, in seconds per metre of the floor plan.
    pub cable_delay: f64,
    /// `true` if a host has a link to its switch, with the bandwidth and latency of the links between switches.
    pub host_links: bool,
}

/// Values of a version.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Defaults {
    /// Speeds of `replay`, `compare` and `export`.
    pub replay: Speeds,
    /// Speeds of `topology`, `throughput` and `packets`, which replay nothing.
    pub design: Speeds,
    /// `true` if a host link has its full bandwidth in each direction, even if the cables between switches share
    /// theirs.
    pub host_links_apart: bool,
    /// `true` if a network uses the routing rule of its family; otherwise shortest paths, lowest numbers first, and
    /// `d_mod_k` for trees and Clos networks.
    pub routing_of_family: bool,
    /// Name of the network model.
    pub network_model: &'static str,
    /// `true` if, with what reproduces SimGrid, the first collective of a communicator includes the cost of finding out
    /// which ranks share a host, as in a run of its SMPI. Other models never include it by default.
    pub smp_setup: bool,
    /// Speed of a core, in flop per second.
    pub core_speed: f64,
    /// Number of cores per host.
    pub cores: u32,
    /// Bandwidth within a host, in bytes per second; SimGrid's.
    pub loopback_bandwidth: f64,
    /// Latency within a host, in seconds.
    pub loopback_latency: f64,
    /// Packet size in bytes, for the latency under load that `throughput` estimates.
    pub packet_bytes: f64,
}

/// Without host links: 40 Gbit/s and a latency of 100 ns per link (paper on uni-directional networks). For verbs
/// without a replay: 96 Gbit/s, 60 ns per switch and 5 ns per metre (papers on DSN-F and Skywalk). Packets of 33 flits
/// of 256 bits.
static V0_1: Defaults = Defaults {
    replay: Speeds {
        link_bandwidth: 5e9,
        link_latency: 100e-9,
        switch_delay: 0.0,
        cable_delay: 0.0,
        host_links: false,
    },
    design: Speeds {
        link_bandwidth: 12e9,
        link_latency: 0.0,
        switch_delay: 60e-9,
        cable_delay: 5e-9,
        host_links: true,
    },
    host_links_apart: false,
    routing_of_family: false,
    network_model: "smpi",
    smp_setup: false,
    core_speed: 100e9,
    cores: 1,
    loopback_bandwidth: 10e9,
    loopback_latency: 0.0,
    packet_bytes: 33.0 * 32.0,
};

/// Speeds of networks on the market: 100 Gbit/s, 100 ns per switch, 5 ns per metre of cable, and host links with the
/// speeds of other links.
const SOLD: Speeds =
    Speeds { link_bandwidth: 12.5e9, link_latency: 0.0, switch_delay: 100e-9, cable_delay: 5e-9, host_links: true };

static V0_2: Defaults = Defaults {
    replay: SOLD,
    design: SOLD,
    host_links_apart: true,
    routing_of_family: true,
    network_model: "ordered",
    smp_setup: true,
    core_speed: 100e9,
    cores: 1,
    loopback_bandwidth: 10e9,
    loopback_latency: 0.0,
    packet_bytes: 33.0 * 32.0,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_by_name_or_the_known_ones_are_listed() {
        for version in Version::ALL {
            assert_eq!(version.name().parse(), Ok(version));
        }
        assert_eq!(Version::default(), Version::V0_2);
        let error = "0.3".parse::<Version>().unwrap_err().to_string();
        assert_eq!(error, "there are no defaults `0.3`; the versions are 0.1, 0.2");
    }

    #[test]
    fn a_version_without_quotes_is_refused_with_the_quotes() {
        #[derive(Debug, serde::Deserialize)]
        struct DefaultsFile {
            defaults: Version,
        }
        let read = |text: &str| toml::from_str::<DefaultsFile>(text).map(|file| file.defaults);
        assert_eq!(read("defaults = \"0.1\""), Ok(Version::V0_1));
        let error = read("defaults = 0.1").unwrap_err().to_string();
        assert!(error.contains("in quotes, such as \"0.2\""), "{error}");
        let error = read("defaults = \"0.3\"").unwrap_err().to_string();
        assert!(error.contains("the versions are 0.1, 0.2"), "{error}");
    }

    #[test]
    fn today_all_verbs_have_the_same_speeds() {
        let current = Version::default().values();
        assert_eq!(current.replay, current.design);
        assert_eq!(current.replay.link_bandwidth * 8.0, 100e9);
    }
}
