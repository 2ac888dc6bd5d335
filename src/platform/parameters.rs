//! Parameters that turn a topology into a platform: as written, and as checked. Missing parameters have the values of
//! the [table of defaults](crate::defaults).

use serde::Deserialize;

use super::error::PlatformError;
use super::rail_policy::RailPolicy;
use super::units::{Bandwidth, HostLinkBandwidth, Seconds, Speed};
use crate::defaults::Version;
use crate::floorplan::{FloorModel, FloorOptions, FloorplanError, Placement};
use crate::topology::graph::MAX_SWITCHES;
use crate::topology::{Graph, Hosts};

/// Bandwidth below which a unit is probably missing: 1 Mbit/s, in bytes per second.
const LEAST_PLAUSIBLE_BANDWIDTH: f64 = 125_000.0;

/// Latency above which a unit is probably missing, in seconds.
const GREATEST_PLAUSIBLE_LATENCY: f64 = 1e-3;

/// Largest number of hosts of a platform: 16,777,216.
pub const MAX_HOSTS: usize = MAX_SWITCHES;

/// Capacity of the two directions of a two-way cable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duplex {
    /// Each direction has the full bandwidth.
    #[default]
    Full,
    /// Both directions share the bandwidth.
    Shared,
}

impl std::str::FromStr for Duplex {
    type Err = PlatformError;

    fn from_str(text: &str) -> Result<Self, PlatformError> {
        match text {
            "full" => Ok(Self::Full),
            "shared" => Ok(Self::Shared),
            _ => Err(PlatformError::InvalidParameter {
                parameter: "duplex",
                value: format!("`{text}`"),
                constraint: "it must be `full` or `shared`".into(),
            }),
        }
    }
}

/// Number of hosts on each switch.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "hosts_per_switch must be a number of hosts, zero or more, or a list with one for each switch"
)]
pub enum HostsPerSwitch {
    /// Number on every switch of the topology that has hosts attached: on the leaves of a tree, on all switches of
    /// other networks.
    Uniform(u32),
    /// Number for each switch, in order.
    Each(Vec<u32>),
}

/// Link from a host to itself.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Loopback {
    /// Bandwidth of each flow; flows do not disturb each other.
    pub bandwidth: Bandwidth,
    /// Latency of a message.
    pub latency: Seconds,
}

impl Default for Loopback {
    /// Returns 10e9 B/s and 0 s, as in SimGrid.
    fn default() -> Self {
        let defaults = Version::default().values();
        Self { bandwidth: bandwidth(defaults.loopback_bandwidth), latency: seconds(defaults.loopback_latency) }
    }
}

/// Converts a bandwidth of the table of defaults.
fn bandwidth(value: f64) -> Bandwidth {
    Bandwidth::new(value).expect("defaults are in range")
}

/// Converts a time of the table of defaults.
fn seconds(value: f64) -> Seconds {
    Seconds::new(value).expect("defaults are in range")
}

/// Platform parameters as written in a file or on a command line. Missing ones have defaults, which depend on the
/// [version](Version) of the defaults.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlatformParameters {
    /// Hosts on each switch: a number or a list; default: places and numbers of the topology, mostly 1.
    pub hosts_per_switch: Option<HostsPerSwitch>,
    /// Speed of one core of a host.
    pub host_speed: Option<Speed>,
    /// Number of cores per host.
    pub cores: Option<u32>,
    /// Bandwidth of a link between switches.
    pub link_bandwidth: Option<Bandwidth>,
    /// Latency of a link between switches, without the delays of switches and cables.
    pub link_latency: Option<Seconds>,
    /// Time that a message takes through a switch, in addition to the latency of the links.
    pub switch_delay: Option<Seconds>,
    /// Delay per metre of cable between switches, added to the latency of its link. Lengths are those of the floor
    /// plan.
    #[serde(alias = "cable_delay_per_metre")]
    pub cable_delay: Option<Seconds>,
    /// Floor plan for cable lengths: `grid`, `slim-fly` or `equality`; default `grid`.
    pub floor_plan: Option<String>,
    /// Order in which switches fill cabinets: `vertex` or, for DSN-F, `supernode-major`; default `vertex`.
    pub placement: Option<String>,
    /// Number of switches per cabinet of the grid floor plans; default: that of the family, otherwise 16.
    pub switches_per_cabinet: Option<u32>,
    /// Number of hosts per cabinet of hosts, for the grid floor plans; default: hosts take no room.
    pub hosts_per_cabinet: Option<u32>,
    /// Bandwidth of the link between a host and its switch, or `none`; default that of the other links.
    pub host_link_bandwidth: Option<HostLinkBandwidth>,
    /// Latency of the link between a host and its switch; default that of the other links.
    pub host_link_latency: Option<Seconds>,
    /// Sharing of a cable's bandwidth between its directions; default full duplex.
    pub duplex: Option<Duplex>,
    /// Assignment of messages to the ports of hosts that have several; default `message`.
    pub rail: Option<RailPolicy>,
    /// Bandwidth between two processes of one host; default 10e9 B/s.
    pub loopback_bandwidth: Option<Bandwidth>,
    /// Latency between two processes of one host; default 0.
    pub loopback_latency: Option<Seconds>,
}

/// Platform parameters that fit together, defaults filled in.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedParameters {
    /// Hosts on each switch; `None` for those of the topology.
    pub hosts_per_switch: Option<HostsPerSwitch>,
    /// Speed of one core of a host.
    pub host_speed: Speed,
    /// Number of cores per host, at least 1.
    pub cores: u32,
    /// Bandwidth of a link between switches.
    pub link_bandwidth: Bandwidth,
    /// Latency of a link between switches, without the delay of switches.
    pub link_latency: Seconds,
    /// Time that a message takes through a switch.
    pub switch_delay: Seconds,
    /// Delay per metre of cable, and the floor plan for the lengths; `None` if cables have no delay of their own.
    pub cables: Option<(Seconds, FloorOptions)>,
    /// Floor plan of the network, for costs.
    pub floor: FloorOptions,
    /// Bandwidth and latency of the link between a host and its switch, if there is one.
    pub host_link: Option<(Bandwidth, Seconds)>,
    /// `true` if the host link is that of the defaults: hosts that are vertices with cables of their own get none.
    pub host_link_by_default: bool,
    /// `true` if a host link has its full bandwidth in each direction, regardless of the duplex of cables.
    pub host_links_apart: bool,
    /// Sharing of a cable's bandwidth between its directions.
    pub duplex: Duplex,
    /// Assignment of messages to the ports of hosts that have several.
    pub rail: RailPolicy,
    /// Link from a host to itself.
    pub loopback: Loopback,
    /// Version of the defaults that were filled in.
    pub defaults: Version,
}

impl CheckedParameters {
    /// Multiplies the bandwidth of cables between switches; host links keep theirs.
    ///
    /// # Panics
    /// If the factor is not above 0 and at most 1.
    pub(crate) fn scale_cables(&mut self, factor: f64) {
        assert!(factor > 0.0 && factor <= 1.0, "a share of the bandwidth");
        let bandwidth = Bandwidth::new(self.link_bandwidth.value() * factor);
        self.link_bandwidth = bandwidth.expect("a smaller bandwidth above zero is legal");
    }
}

impl PlatformParameters {
    /// Returns these parameters, with missing ones from `base`.
    pub fn over(self, base: &PlatformParameters) -> PlatformParameters {
        PlatformParameters {
            hosts_per_switch: self.hosts_per_switch.or_else(|| base.hosts_per_switch.clone()),
            host_speed: self.host_speed.or(base.host_speed),
            cores: self.cores.or(base.cores),
            link_bandwidth: self.link_bandwidth.or(base.link_bandwidth),
            link_latency: self.link_latency.or(base.link_latency),
            switch_delay: self.switch_delay.or(base.switch_delay),
            cable_delay: self.cable_delay.or(base.cable_delay),
            floor_plan: self.floor_plan.or_else(|| base.floor_plan.clone()),
            placement: self.placement.or_else(|| base.placement.clone()),
            switches_per_cabinet: self.switches_per_cabinet.or(base.switches_per_cabinet),
            hosts_per_cabinet: self.hosts_per_cabinet.or(base.hosts_per_cabinet),
            host_link_bandwidth: self.host_link_bandwidth.or(base.host_link_bandwidth),
            host_link_latency: self.host_link_latency.or(base.host_link_latency),
            duplex: self.duplex.or(base.duplex),
            rail: self.rail.or(base.rail),
            loopback_bandwidth: self.loopback_bandwidth.or(base.loopback_bandwidth),
            loopback_latency: self.loopback_latency.or(base.loopback_latency),
        }
    }

    /// Returns the names of the parameters that are present.
    pub fn given(&self) -> Vec<&'static str> {
        let given = [
            ("hosts_per_switch", self.hosts_per_switch.is_some()),
            ("host_speed", self.host_speed.is_some()),
            ("cores", self.cores.is_some()),
            ("link_bandwidth", self.link_bandwidth.is_some()),
            ("link_latency", self.link_latency.is_some()),
            ("switch_delay", self.switch_delay.is_some()),
            ("cable_delay", self.cable_delay.is_some()),
            ("floor_plan", self.floor_plan.is_some()),
            ("placement", self.placement.is_some()),
            ("switches_per_cabinet", self.switches_per_cabinet.is_some()),
            ("hosts_per_cabinet", self.hosts_per_cabinet.is_some()),
            ("host_link_bandwidth", self.host_link_bandwidth.is_some()),
            ("host_link_latency", self.host_link_latency.is_some()),
            ("duplex", self.duplex.is_some()),
            ("rail", self.rail.is_some()),
            ("loopback_bandwidth", self.loopback_bandwidth.is_some()),
            ("loopback_latency", self.loopback_latency.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// Fills in the current defaults and checks that the parameters fit together.
    ///
    /// # Errors
    /// [`PlatformError::InvalidParameter`].
    pub fn check(&self) -> Result<CheckedParameters, PlatformError> {
        self.check_with(Version::default())
    }

    /// Fills in the defaults of a version and checks that the parameters fit together.
    ///
    /// # Errors
    /// [`PlatformError::InvalidParameter`].
    pub fn check_with(&self, version: Version) -> Result<CheckedParameters, PlatformError> {
        let refuse = |parameter, value: String, constraint: &str| {
            Err(PlatformError::InvalidParameter { parameter, value, constraint: constraint.into() })
        };
        let defaults = version.values();
        let speeds = defaults.replay;
        let cable_delay = self.cable_delay.unwrap_or_else(|| seconds(speeds.cable_delay));
        // An explicit delay of 0 is a choice, and does not change the floor plan of the costs.
        let floor = self.floor(self.cable_delay.is_some() || speeds.cable_delay > 0.0)?;
        if self.cores == Some(0) {
            return refuse("cores", "0".into(), "a host must have at least one core");
        }
        let any_host = match &self.hosts_per_switch {
            None => true,
            Some(HostsPerSwitch::Uniform(count)) => *count > 0,
            Some(HostsPerSwitch::Each(counts)) => counts.iter().any(|&count| count > 0),
        };
        if !any_host {
            return refuse("hosts_per_switch", "0 everywhere".into(), "a platform must have at least one host");
        }
        let link_bandwidth = self.link_bandwidth.unwrap_or_else(|| bandwidth(speeds.link_bandwidth));
        let link_latency = self.link_latency.unwrap_or_else(|| seconds(speeds.link_latency));
        let host_link = match self.host_link_bandwidth {
            None => speeds.host_links.then_some(link_bandwidth),
            Some(HostLinkBandwidth::None) => None,
            Some(HostLinkBandwidth::Of(bandwidth)) => Some(bandwidth),
        };
        if let (None, Some(latency)) = (host_link, self.host_link_latency) {
            let rule = match self.host_link_bandwidth {
                None => "without `host_link_bandwidth` a host has no link of its own",
                Some(_) => "with `host_link_bandwidth` none a host has no link of its own",
            };
            return refuse("host_link_latency", format!("{} s", latency.value()), rule);
        }
        let cables = (cable_delay.value() > 0.0).then_some((cable_delay, floor));
        Ok(CheckedParameters {
            hosts_per_switch: self.hosts_per_switch.clone(),
            host_speed: self
                .host_speed
                .unwrap_or_else(|| Speed::new(defaults.core_speed).expect("defaults are in range")),
            cores: self.cores.unwrap_or(defaults.cores),
            link_bandwidth,
            link_latency,
            switch_delay: self.switch_delay.unwrap_or_else(|| seconds(speeds.switch_delay)),
            cables,
            // Costs of version 0.1 took the number of hosts per switch into account only if cables had a delay.
            floor: if version == Version::V0_1 && cables.is_none() { FloorOptions::default() } else { floor },
            host_link: host_link.map(|bandwidth| (bandwidth, self.host_link_latency.unwrap_or(link_latency))),
            host_link_by_default: self.host_link_bandwidth.is_none() && self.host_link_latency.is_none(),
            host_links_apart: defaults.host_links_apart,
            duplex: self.duplex.unwrap_or_default(),
            rail: self.rail.unwrap_or_default(),
            loopback: Loopback {
                bandwidth: self.loopback_bandwidth.unwrap_or_else(|| bandwidth(defaults.loopback_bandwidth)),
                latency: self.loopback_latency.unwrap_or_else(|| seconds(defaults.loopback_latency)),
            },
            defaults: version,
        })
    }
}

impl PlatformParameters {
    /// Returns the checked options of the floor plan. Compute nodes take room in the Equality model if every switch has
    /// the same number of them. Without cable delays nothing depends on the options.
    fn floor(&self, cables_have_delays: bool) -> Result<FloorOptions, PlatformError> {
        let invalid = |parameter, error: FloorplanError| PlatformError::InvalidParameter {
            parameter,
            value: "given".into(),
            constraint: error.to_string(),
        };
        let of_floor =
            |name: &&str| ["floor_plan", "placement", "switches_per_cabinet", "hosts_per_cabinet"].contains(name);
        if let (false, Some(parameter)) = (cables_have_delays, self.given().into_iter().find(of_floor)) {
            return Err(PlatformError::InvalidParameter {
                parameter,
                value: "given".into(),
                constraint: "without `cable_delay` the floor plan changes nothing".into(),
            });
        }
        if self.switches_per_cabinet == Some(0) {
            return Err(PlatformError::InvalidParameter {
                parameter: "switches_per_cabinet",
                value: "0".into(),
                constraint: "a cabinet has to hold at least one switch".into(),
            });
        }
        let endpoints_per_switch = match self.hosts_per_switch {
            Some(HostsPerSwitch::Uniform(count)) => Some(count),
            Some(HostsPerSwitch::Each(_)) => Some(0),
            None => None,
        };
        if let (Some(count), Some(HostsPerSwitch::Each(_))) = (self.hosts_per_cabinet, &self.hosts_per_switch) {
            return Err(PlatformError::InvalidParameter {
                parameter: "hosts_per_cabinet",
                value: count.to_string(),
                constraint: "the floor plan places hosts only where `hosts_per_switch` is one number".into(),
            });
        }
        let parse = |text: &Option<String>| text.as_deref().map(str::parse::<FloorModel>).transpose();
        let placement = |text: &Option<String>| text.as_deref().map(str::parse::<Placement>).transpose();
        Ok(FloorOptions {
            model: parse(&self.floor_plan).map_err(|error| invalid("floor_plan", error))?.unwrap_or_default(),
            switches_per_cabinet: self.switches_per_cabinet,
            placement: placement(&self.placement).map_err(|error| invalid("placement", error))?.unwrap_or_default(),
            endpoints_per_switch,
            hosts_per_cabinet: self.hosts_per_cabinet,
        })
    }
}

/// Returns the warning about a time that no network of today has; `what` begins the sentence, and `example` has a unit.
pub(crate) fn without_unit(what: &str, seconds: f64, example: &str) -> Option<String> {
    (seconds > GREATEST_PLAUSIBLE_LATENCY).then(|| {
        format!(
            "{what} {seconds} seconds, more than 1 ms; a number without a unit is in seconds: write for example \"{example}\""
        )
    })
}

impl CheckedParameters {
    /// Returns warnings about speeds and delays that no network of today has, which mostly means that a unit is
    /// missing: each states how the value was interpreted, and how to write it with a unit.
    pub fn implausible(&self) -> Vec<String> {
        let host_link = self.host_link;
        let bandwidths = [
            ("link_bandwidth", Some(self.link_bandwidth)),
            ("host_link_bandwidth", host_link.map(|(bandwidth, _)| bandwidth)),
        ];
        let latencies = [
            ("link_latency", Some(self.link_latency)),
            ("host_link_latency", host_link.map(|(_, latency)| latency)),
            ("switch_delay", Some(self.switch_delay)),
            ("cable_delay", self.cables.as_ref().map(|(delay, _)| *delay)),
        ];
        let mut warnings = Vec::new();
        for (name, value) in bandwidths {
            if let Some(value) = value.map(Bandwidth::value).filter(|value| *value < LEAST_PLAUSIBLE_BANDWIDTH) {
                warnings.push(format!(
                    "{name} is {value} bytes per second, less than 1 Mbit/s; a number without a unit is in bytes per \
                     second: write for example \"100 Gbit/s\""
                ));
            }
        }
        for (name, value) in latencies {
            warnings.extend(value.and_then(|value| without_unit(&format!("{name} is"), value.value(), "100 ns")));
        }
        warnings
    }

    /// Returns bandwidth and latency of the links between hosts and the switches of a network, if there are any.
    /// `hosts_on` is the number of hosts on each switch. The default adds no link to hosts that are vertices, because
    /// they have cables already.
    pub fn host_link_on(&self, graph: &Graph, hosts_on: &[u32]) -> Option<(Bandwidth, Seconds)> {
        let have_cables = match graph.hosts() {
            Hosts::Vertices(count) => hosts_on.iter().skip(*count as usize).all(|&hosts| hosts == 0),
            _ => false,
        };
        self.host_link.filter(|_| !(self.host_link_by_default && have_cables))
    }

    /// Returns the number of hosts on each switch of a network.
    ///
    /// # Errors
    /// [`PlatformError::InvalidParameter`] if a list has another length, or if there are more than [`MAX_HOSTS`] hosts.
    pub fn hosts_on(&self, graph: &Graph) -> Result<Vec<u32>, PlatformError> {
        let mut hosts = self.hosts_before_failures(graph)?;
        if let Some(failed) = graph.failed_hosts() {
            failed.drop_from(&mut hosts);
            if hosts.iter().all(|&count| count == 0) {
                let (parameter, value) = ("hosts_per_switch", "hosts on failed switches alone".to_owned());
                let constraint = "a switch that is left must have a host".to_owned();
                return Err(PlatformError::InvalidParameter { parameter, value, constraint });
            }
        }
        Ok(hosts)
    }

    /// Returns the number of hosts on each switch before switches failed.
    pub(super) fn hosts_before_failures(&self, graph: &Graph) -> Result<Vec<u32>, PlatformError> {
        let refuse = |value: String, constraint: String| {
            Err(PlatformError::InvalidParameter { parameter: "hosts_per_switch", value, constraint })
        };
        let switches = graph.switches();
        let mut hosts = graph.failed_hosts().map_or_else(|| graph.default_hosts(), |failed| failed.intact.clone());
        match &self.hosts_per_switch {
            None => {}
            Some(HostsPerSwitch::Uniform(count)) => {
                hosts.iter_mut().filter(|hosts| **hosts > 0).for_each(|hosts| *hosts = *count);
            }
            Some(HostsPerSwitch::Each(counts)) if counts.len() != switches => {
                let rule = format!("the topology has {switches} switches");
                return refuse(format!("a list of {} numbers", counts.len()), rule);
            }
            Some(HostsPerSwitch::Each(counts)) => hosts.clone_from(counts),
        }
        let total: u64 = hosts.iter().map(|&count| u64::from(count)).sum();
        if total > MAX_HOSTS as u64 {
            return refuse(format!("{total} hosts in all"), format!("a platform has at most {MAX_HOSTS} hosts"));
        }
        Ok(hosts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(switches: u32) -> Graph {
        Graph::undirected(switches as usize, (0..switches).map(|i| (i, (i + 1) % switches)).collect()).unwrap()
    }

    fn read(text: &str) -> Result<PlatformParameters, toml::de::Error> {
        toml::from_str(text)
    }

    #[test]
    fn what_is_left_out_has_the_default_of_a_version() {
        let numbers = |checked: &CheckedParameters| {
            let cable = checked.cables.as_ref().map_or(0.0, |(delay, _)| delay.value());
            let times = [checked.link_latency.value(), checked.switch_delay.value(), cable];
            let rates = [checked.link_bandwidth.value(), checked.host_speed.value()];
            (rates.map(|rate| format!("{rate:e}")), times.map(|time| format!("{time:e}")))
        };
        let texts = |texts: [&str; 2]| texts.map(str::to_owned);
        let times = |texts: [&str; 3]| texts.map(str::to_owned);
        let checked = read("").unwrap().check_with(Version::V0_1).unwrap();
        assert_eq!(numbers(&checked), (texts(["5e9", "1e11"]), times(["1e-7", "0e0", "0e0"])));
        assert_eq!((checked.cores, checked.host_link, checked.duplex), (1, None, Duplex::Full));
        assert_eq!(checked.hosts_on(&ring(3)).unwrap(), [1, 1, 1]);
        let checked = read("").unwrap().check().unwrap();
        assert_eq!(checked, PlatformParameters::default().check_with(Version::V0_2).unwrap());
        assert_eq!(numbers(&checked), (texts(["1.25e10", "1e11"]), times(["0e0", "1e-7", "5e-9"])));
        assert_eq!(checked.host_link, Some((checked.link_bandwidth, checked.link_latency)));
        // Values for the links also apply to host links, unless those have values of their own.
        let given = read("link_bandwidth = '40 Gbit/s'\nlink_latency = '1 us'").unwrap().check().unwrap();
        assert_eq!(given.host_link, Some((given.link_bandwidth, given.link_latency)));
        assert_eq!(read("host_link_bandwidth = 'none'").unwrap().check().unwrap().host_link, None);
        assert!(read("host_link_latency = '1 us'").unwrap().check().is_ok());
    }

    #[test]
    fn units_and_lists_are_read() {
        let text =
            "hosts_per_switch = [2, 0]\nlink_bandwidth = '100 Gbit/s'\nhost_link_bandwidth = 1e9\nduplex = 'shared'";
        let checked = read(text).unwrap().check().unwrap();
        assert_eq!(checked.hosts_on(&ring(2)).unwrap(), [2, 0]);
        assert_eq!(checked.duplex, Duplex::Shared);
        // A host link without a latency has the latency of the other links.
        assert_eq!(checked.host_link.unwrap().1, checked.link_latency);
    }

    #[test]
    fn speeds_without_a_unit_are_warned_of() {
        let warnings = |text: &str| read(text).unwrap().check_with(Version::V0_1).unwrap().implausible();
        assert!(warnings("").is_empty());
        assert!(warnings("link_bandwidth = '1 Mbit/s'\nlink_latency = '1 ms'").is_empty());
        let told = warnings("link_bandwidth = 100\nlink_latency = 200\nswitch_delay = 60\ncable_delay = 5");
        for (warning, part) in told.iter().zip([
            "link_bandwidth is 100 bytes per second",
            "link_latency is 200 seconds",
            "switch_delay is 60 seconds",
            "cable_delay is 5 seconds",
        ]) {
            assert!(warning.contains(part), "{warning}");
        }
        assert_eq!(told.len(), 4);
        // The latency of a host link is that of the links unless it is specified: both were read as seconds.
        assert_eq!(warnings("host_link_bandwidth = 40e9\nlink_latency = 2").len(), 2);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in
            ["link_bandwith = 1", "link_bandwidth = -1", "cores = -1", "duplex = 'half'", "hosts_per_switch = 'many'"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        for (text, part) in [
            ("cores = 0", "at least one core"),
            ("hosts_per_switch = 0", "at least one host"),
            ("hosts_per_switch = [0, 0]", "at least one host"),
            ("host_link_latency = '1 us'", "host_link_bandwidth"),
            ("floor_plan = 'grid'", "without `cable_delay`"),
            ("cable_delay = '5 ns'\nfloor_plan = 'cube'", "no floor plan `cube`"),
            ("cable_delay = '5 ns'\nplacement = 'up'", "no placement `up`"),
            (
                "cable_delay = '5 ns'\nhosts_per_cabinet = 8\nhosts_per_switch = [1, 2]",
                "only where `hosts_per_switch` is one number",
            ),
            ("cable_delay = '5 ns'\nswitches_per_cabinet = 0", "`switches_per_cabinet` is 0, but a cabinet has"),
        ] {
            let error = read(text).unwrap().check_with(Version::V0_1).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = read("host_link_bandwidth = 'none'\nhost_link_latency = 1").unwrap().check().unwrap_err();
        assert!(error.to_string().contains("with `host_link_bandwidth` none"), "{error}");
        assert!(read("host_link_bandwidth = 'no'").unwrap_err().to_string().contains("`none`"));
        assert!(read("host_link_bandwidth = true").unwrap_err().to_string().contains("this is not a bandwidth"));
        let cables =
            read("cable_delay_per_metre = '5 ns'\nfloor_plan = 'slim-fly'").unwrap().check().unwrap().cables.unwrap();
        assert_eq!((cables.0.value(), cables.1.model), (5e-9, FloorModel::SlimFly));
        let many = read("hosts_per_switch = 4294967295").unwrap().check().unwrap();
        assert!(many.hosts_on(&ring(2)).is_err());
        assert!(read("hosts_per_switch = [1]").unwrap().check().unwrap().hosts_on(&ring(2)).is_err());
    }
}
