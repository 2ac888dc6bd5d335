//! A study of throughput: networks, patterns, routings, from a file or from flags.

use super::{Cell, Network, Speeds, ThroughputError, ThroughputOptions, evaluate};
use crate::defaults::Version;
use crate::floorplan::FloorOptions;
use crate::platform::units::{Bandwidth, HostLinkBandwidth, Seconds};
use crate::platform::{Duplex, HostsPerSwitch, RailPolicy};
use crate::topology::Spec;
use crate::topology::families::rails;
use crate::{routing, traffic};
use serde::Deserialize;
use std::path::PathBuf;

/// Network as written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkEntry {
    /// Name for the report; defaults to the topology.
    pub name: Option<String>,
    /// Topology, e.g. `torus:8x8`.
    pub topology: String,
    /// Routings of this network only.
    pub routings: Option<Vec<String>>,
    /// Hosts on each switch.
    pub hosts_per_switch: Option<HostsPerSwitch>,
    /// Number of hosts that take part.
    pub endpoints: Option<u32>,
}

/// Study as written, in a file or by flags; missing fields have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StudyFile {
    /// Title of the report.
    pub title: Option<String>,
    /// Version of the defaults, e.g. `0.1`; by default the current one.
    pub defaults: Option<Version>,
    /// Patterns.
    pub patterns: Option<Vec<String>>,
    /// Routings of networks that have none of their own.
    pub routings: Option<Vec<String>>,
    /// Networks.
    pub networks: Vec<NetworkEntry>,
    /// Hosts on each switch, for networks that do not set it.
    pub hosts_per_switch: Option<HostsPerSwitch>,
    /// Number of hosts that take part.
    pub endpoints: Option<u32>,
    /// Seed of everything random that has none of its own.
    pub seed: Option<u64>,
    /// Bandwidth of links between switches.
    pub link_bandwidth: Option<Bandwidth>,
    /// Bandwidth of the links of hosts, or `none`.
    pub host_link_bandwidth: Option<HostLinkBandwidth>,
    /// `false` if hosts have no links.
    pub host_links: Option<bool>,
    /// `full` or `shared`.
    pub duplex: Option<Duplex>,
    /// Delay of a switch.
    pub switch_delay: Option<Seconds>,
    /// Delay of cables per metre.
    pub cable_delay: Option<Seconds>,
    /// Bytes of a packet.
    pub packet_bytes: Option<u32>,
    /// Policy by which hosts with several ports choose one.
    pub rail: Option<RailPolicy>,
    /// Floor plan.
    pub floor_plan: Option<String>,
    /// Switches in a cabinet.
    pub switches_per_cabinet: Option<u32>,
    /// Hosts in a cabinet of their own.
    pub hosts_per_cabinet: Option<u32>,
    /// Order in which switches fill cabinets.
    pub placement: Option<String>,
    /// Method of the bound over all paths.
    pub bound: Option<String>,
    /// Allowed gap between the values of a bound.
    pub bound_gap: Option<f64>,
    /// Table of collectives, for traces.
    pub collectives: Option<String>,
    /// Number of bottleneck links in the result.
    pub links: Option<usize>,
}

/// Network of a study that has no answer.
#[derive(Debug, thiserror::Error)]
#[error("{network}: {error}")]
pub struct NetworkError {
    /// Name of the network.
    pub network: String,
    /// Reason why there is no answer.
    pub error: Box<ThroughputError>,
}

/// Study that can be run.
#[derive(Debug, Clone)]
pub struct Study {
    /// Title of the report, if it has one.
    pub title: Option<String>,
    /// Patterns.
    pub patterns: Vec<String>,
    /// Networks.
    networks: Vec<NetworkEntry>,
    specs: Vec<Spec>,
    /// Speeds and delays.
    pub speeds: Speeds,
    floor: FloorOptions,
    /// Options of all questions.
    pub options: ThroughputOptions,
}

impl StudyFile {
    /// Overrides fields of `base` by the fields that are set. Networks are added to those of the base.
    #[must_use]
    pub fn over(self, mut base: StudyFile) -> StudyFile {
        base.networks.extend(self.networks);
        // The existence of host links and their speed are one choice.
        if self.host_links.is_some() || self.host_link_bandwidth.is_some() {
            (base.host_links, base.host_link_bandwidth) = (None, None);
        }
        // A flag also overrides the settings of single networks.
        for network in &mut base.networks {
            network.routings = self.routings.clone().or(network.routings.take());
            network.hosts_per_switch = self.hosts_per_switch.clone().or(network.hosts_per_switch.take());
            network.endpoints = self.endpoints.or(network.endpoints);
        }
        StudyFile {
            title: self.title.or(base.title),
            defaults: self.defaults.or(base.defaults),
            patterns: self.patterns.or(base.patterns),
            routings: self.routings.or(base.routings),
            networks: base.networks,
            hosts_per_switch: self.hosts_per_switch.or(base.hosts_per_switch),
            endpoints: self.endpoints.or(base.endpoints),
            seed: self.seed.or(base.seed),
            link_bandwidth: self.link_bandwidth.or(base.link_bandwidth),
            host_link_bandwidth: self.host_link_bandwidth.or(base.host_link_bandwidth),
            host_links: self.host_links.or(base.host_links),
            duplex: self.duplex.or(base.duplex),
            switch_delay: self.switch_delay.or(base.switch_delay),
            cable_delay: self.cable_delay.or(base.cable_delay),
            packet_bytes: self.packet_bytes.or(base.packet_bytes),
            rail: self.rail.or(base.rail),
            floor_plan: self.floor_plan.or(base.floor_plan),
            switches_per_cabinet: self.switches_per_cabinet.or(base.switches_per_cabinet),
            hosts_per_cabinet: self.hosts_per_cabinet.or(base.hosts_per_cabinet),
            placement: self.placement.or(base.placement),
            bound: self.bound.or(base.bound),
            bound_gap: self.bound_gap.or(base.bound_gap),
            collectives: self.collectives.or(base.collectives),
            links: self.links.or(base.links),
        }
    }

    /// Checks everything that does not require building a network. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`ThroughputError`].
    pub fn check(self, folder: PathBuf) -> Result<Study, ThroughputError> {
        let invalid = |parameter, value: String, rule: &str| {
            Err(ThroughputError::Invalid { parameter, value, rule: rule.into() })
        };
        let default = Speeds::of(self.defaults.unwrap_or_default());
        let link = self.link_bandwidth.map_or(default.link, Bandwidth::value);
        let host = match (self.host_links, self.host_link_bandwidth) {
            (Some(false), Some(HostLinkBandwidth::Of(_))) => {
                return invalid("host_link_bandwidth", "given".into(), "hosts are to have no links");
            }
            (Some(false), _) | (_, Some(HostLinkBandwidth::None)) => None,
            (_, Some(HostLinkBandwidth::Of(given))) => Some(given.value()),
            (_, None) => Some(link),
        };
        if self.packet_bytes == Some(0) {
            return invalid("packet_bytes", "0".into(), "a packet has at least one byte");
        }
        let speeds = Speeds {
            link,
            host,
            duplex: self.duplex.unwrap_or_default(),
            switch_delay: self.switch_delay.map_or(default.switch_delay, Seconds::value),
            cable_delay: self.cable_delay.map_or(default.cable_delay, Seconds::value),
            packet: self.packet_bytes.map_or(default.packet, f64::from),
            rail: self.rail.unwrap_or_default(),
            defaults: default.defaults,
        };
        let floor = FloorOptions {
            model: self.floor_plan.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
            switches_per_cabinet: self.switches_per_cabinet,
            placement: self.placement.as_deref().map(str::parse).transpose()?.unwrap_or_default(),
            endpoints_per_switch: None,
            hosts_per_cabinet: self.hosts_per_cabinet,
        };
        let default = ThroughputOptions::default().bounded(self.bound.as_deref(), self.bound_gap)?;
        let patterns = self.patterns.unwrap_or_else(|| vec![traffic::DEFAULT.into()]);
        if patterns.is_empty() {
            return invalid("patterns", "an empty list".into(), "a study has at least one pattern");
        }
        patterns.iter().try_for_each(|pattern| traffic::check(pattern))?;
        if self.networks.is_empty() {
            return invalid("networks", "an empty list".into(), "a study has at least one network");
        }
        let seed = self.seed.unwrap_or(default.seed);
        let specs = self.networks.iter().map(|network| {
            let mut spec: Spec = network.topology.parse()?;
            spec.resolve_files(&folder);
            if self.seed.is_some() && !spec.seed_given() {
                spec.set_seed(seed);
            }
            Ok(spec)
        });
        let specs = specs.collect::<Result<Vec<Spec>, ThroughputError>>()?;
        let named = |(network, spec): (&NetworkEntry, &Spec)| network.name.clone().unwrap_or_else(|| spec.to_string());
        let names: Vec<String> = self.networks.iter().zip(&specs).map(named).collect();
        if let Some(again) = (1..names.len()).find(|&at| names[..at].contains(&names[at])) {
            let network = &self.networks[again];
            let name = network.name.as_ref().unwrap_or(&network.topology);
            return invalid("name", format!("`{name}`"), "two networks are called so; give them different names");
        }
        let networks: Vec<NetworkEntry> = self
            .networks
            .into_iter()
            .map(|network| NetworkEntry {
                routings: network.routings.or_else(|| self.routings.clone()),
                hosts_per_switch: network.hosts_per_switch.or_else(|| self.hosts_per_switch.clone()),
                endpoints: network.endpoints.or(self.endpoints),
                ..network
            })
            .collect();
        networks
            .iter()
            .filter_map(|network| network.routings.as_ref())
            .flatten()
            .try_for_each(|routing| super::paths::check(routing))?;
        let options = ThroughputOptions {
            seed,
            routing_seed: self.seed,
            bottlenecks: self.links.unwrap_or(default.bottlenecks),
            collectives: self.collectives.unwrap_or(default.collectives),
            folder,
            ..default
        };
        Ok(Study { title: self.title, patterns, networks, specs, speeds, floor, options })
    }
}

impl Study {
    /// Returns `true` if hosts of a network have several ports.
    pub fn has_several_ports(&self) -> bool {
        self.specs.iter().any(rails::has_rails)
    }

    /// Returns the number of answers of [`Study::run`].
    pub fn cells(&self) -> usize {
        let routings = |network: &NetworkEntry| network.routings.as_ref().map_or(1, Vec::len);
        self.patterns.len() * self.networks.iter().map(routings).sum::<usize>()
    }

    /// Returns the answers for all networks, their patterns and routings, in this order, and the errors of those
    /// without an answer: a pattern that does not fit a network leaves the others alone. `tell` is called after each
    /// pattern of a network with a description of it.
    ///
    /// # Errors
    /// [`NetworkError`] if a network cannot be built, or if there is no answer at all.
    pub fn run(&self, tell: &mut dyn FnMut(&str, usize)) -> Result<(Vec<Cell>, Vec<NetworkError>), NetworkError> {
        let (mut cells, mut unanswered) = (Vec::with_capacity(self.cells()), Vec::new());
        for (entry, spec) in self.networks.iter().zip(&self.specs) {
            let named = |error: ThroughputError| NetworkError {
                network: entry.name.clone().unwrap_or_else(|| entry.topology.clone()),
                error: Box::new(error),
            };
            let topology = spec.build().map_err(|error| named(error.into()))?;
            let mut network =
                Network::new(topology, entry.hosts_per_switch.clone(), entry.endpoints, self.speeds, &self.floor)
                    .map_err(named)?;
            if let Some(name) = &entry.name {
                network.name.clone_from(name);
            }
            let version = self.speeds.defaults;
            let default = || {
                let planes = network.planes.iter().map(|plane| &plane.topology);
                let own: Vec<&str> = planes.map(|plane| routing::default_with(version, plane)).collect();
                vec![own.join(";")]
            };
            let routings = entry.routings.clone().unwrap_or_else(default);
            for pattern in &self.patterns {
                match evaluate(&network, pattern, &routings, &self.options) {
                    Ok(answers) => cells.extend(answers),
                    Err(error) => unanswered.push(named(error)),
                }
                tell(&format!("{}, {pattern}", network.name), routings.len());
            }
        }
        if cells.is_empty()
            && let Some(error) = unanswered.pop()
        {
            return Err(error);
        }
        Ok((cells, unanswered))
    }
}
