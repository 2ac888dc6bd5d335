//! Networks of a comparison: a topology with parameters, or a platform file.

use super::choice::ModelChoice;
pub use super::network_error::NetworkError;
use super::network_parts::PlanesChoice;
use super::network_parts::Quoted;
use super::simgrid_settings;
use super::{model_file, toml_file};
use crate::defaults::Version;
use crate::floorplan::FloorOptions;
use crate::platform::load::LoadOptions;
use crate::platform::parameters::{Duplex, PlatformParameters};
use crate::platform::speeds::{PlatformSpeeds, Resolved};
use crate::platform::units::HostLinkBandwidth;
use crate::platform::{CheckedParameters, HostsPerSwitch, Loaded, Platform, PlatformError};
use crate::routing::{self, RoutingSpec};
use crate::topology::damage::Damage;
use crate::topology::{self, FailedHosts, Hosts, Spec, Topology};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A network as written: in a study, in a platform file in TOML, or on the command line.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkChoice {
    /// Name for the report; default: the specification.
    pub name: Option<String>,
    /// Topology specification, e.g. `torus:8x8`.
    pub topology: Option<String>,
    /// Platform file, instead of a topology (explicit JSON, SimGrid XML, or TOML with the keys of this table).
    pub platform: Option<PathBuf>,
    /// Routing rule, e.g. `bfs`.
    pub routing: Option<String>,
    /// Version of the defaults, e.g. `0.1`; default: the current one.
    pub defaults: Option<Version>,
    /// Seed of a random topology and of a random routing, if their specifications have none.
    pub seed: Option<u64>,
    /// Cables and switches that are missing, such as `3-7,12`.
    pub without: Option<String>,
    /// Cables and switches that fail at random; set by studies.
    #[serde(skip)]
    pub damage: Option<Damage>,
    /// Bandwidth of all cables between switches relative to the parameters; set by studies.
    #[serde(skip)]
    pub bandwidth_share: Option<f64>,
    /// Planes of the network: a number of copies of the topology, or a list of topologies.
    pub planes: Option<PlanesChoice>,
    /// Ports of a host in each plane, on different switches; default 1.
    pub host_ports: Option<u32>,
    /// Switches of the further ports of a host in a plane: `next` (default) or `group`.
    pub host_ports_at: Option<String>,
    /// `true` if the topology was made of the three keys above.
    #[serde(skip)]
    pub folded: bool,
    /// Hosts, speeds and latencies.
    #[serde(default)]
    pub parameters: PlatformParameters,
    /// Model, for choices that the study or the command line leaves open.
    #[serde(default, deserialize_with = "model_file::table_or_file")]
    pub model: ModelChoice,
    /// Purchase price of the whole network, adapters included; overrides the price list.
    pub price: Option<Quoted>,
    /// Power of the whole network in watts, adapters included; overrides the price list.
    pub watts: Option<Quoted>,
    /// Parameters of the site, which apply where nothing else sets them; the command line fills them in.
    #[serde(skip)]
    pub site: PlatformParameters,
}

/// Description of a network for reports.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkInfo {
    /// Name in the study, or the specification.
    pub name: String,
    /// Topology specification or platform file.
    pub topology: String,
    /// Seed of a random family.
    pub seed: Option<u64>,
    /// `full` or `shared`; `None` if a platform file lists its links.
    pub duplex: Option<String>,
    /// Routing rule with its options; `None` if a platform file lists its routes.
    pub routing: Option<String>,
    /// "static" or "adaptive", if routes depend on the loads of links.
    pub routing_nature: &'static str,
    /// Number of hosts.
    pub hosts: usize,
    /// Speeds of hosts and links.
    pub speeds: PlatformSpeeds,
    /// All parameters, including defaults; `None` if a platform file lists its links.
    pub parameters: Option<Resolved>,
}

impl NetworkInfo {
    /// Returns the name of the topology's family; `None` if a platform file lists the links.
    pub fn family(&self) -> Option<&str> {
        self.parameters.as_ref().and(self.topology.split(':').next())
    }
}

/// A network that has been built.
#[derive(Debug, Clone)]
pub struct NetworkUnderTest {
    /// Description for reports.
    pub info: NetworkInfo,
    /// Hosts, links and routes.
    pub platform: Arc<Platform>,
    /// Options of the floor plan of the switches.
    pub floor: FloorOptions,
    /// Graph of switches, unless the platform is from a file that lists its links.
    pub topology: Option<Arc<Topology>>,
    /// Parameters by which the graph became a platform; `None` without a graph.
    pub making: Option<Making>,
    /// Model of the network itself; choices of the study or the command line override it.
    pub model: ModelChoice,
    /// Parts of its file that a replay does not use, for messages.
    pub remarks: Vec<String>,
    /// Quoted purchase price.
    pub price: Option<Quoted>,
    /// Quoted power in watts.
    pub watts: Option<Quoted>,
    /// Names of the parameters that are those of the site.
    pub from_site: Vec<&'static str>,
}

/// Parameters by which a graph of switches becomes a platform.
#[derive(Debug, Clone)]
pub struct Making {
    /// Hosts, speeds and latencies.
    pub parameters: CheckedParameters,
    /// Routing rule of each plane; of networks whose hosts have one port there is one.
    pub routings: Vec<RoutingSpec>,
    /// Seed of a random routing.
    pub routing_seed: u64,
}

impl Making {
    /// Returns the routing rule; that of the first plane, if planes have different ones.
    pub fn routing(&self) -> &RoutingSpec {
        &self.routings[0]
    }
}

impl NetworkUnderTest {
    /// Returns warnings about parts of its file that a replay does not use, and about parameters whose unit is probably
    /// missing.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let remarks = self.remarks.iter().map(|remark| format!("{}: {remark}", self.info.topology));
        let implausible = self.making.iter().flat_map(|making| making.parameters.implausible());
        remarks.chain(implausible.map(|warning| format!("{}: {warning}", self.info.name)))
    }

    /// Returns the graph of switches and the parameters of its platform, if there is a graph.
    pub fn graph(&self) -> Option<(&Arc<Topology>, &Making)> {
        self.topology.as_ref().zip(self.making.as_ref())
    }

    /// Returns a topology of this network, such as its own, with the hosts that it has in the study, and the options of its
    /// floor plan, which have the number if it is the same for all switches. Hosts with several ports, and hosts that are
    /// vertices, stay as they are.
    pub(super) fn with_its_hosts(&self, topology: &Arc<Topology>) -> (Arc<Topology>, FloorOptions) {
        let hosts = self.making.as_ref().and_then(|making| making.parameters.hosts_per_switch.as_ref());
        let are_vertices = matches!(topology.graph.hosts(), Hosts::Vertices(_));
        match hosts {
            Some(HostsPerSwitch::Each(counts)) if topology.rails.is_none() && !are_vertices => {
                let mut counts = counts.clone();
                if let Some(failed) = topology.graph.failed_hosts() {
                    failed.drop_from(&mut counts);
                }
                let graph = topology.graph.as_ref().clone().with_hosts(Hosts::on_each(counts));
                // A platform with a number for each switch is laid out without hosts.
                let floor = FloorOptions { endpoints_per_switch: None, ..self.floor };
                (Arc::new(Topology { graph: Arc::new(graph), ..topology.as_ref().clone() }), floor)
            }
            _ => (topology.clone(), self.floor),
        }
    }

    /// Returns the number of switches that failed together with their hosts.
    pub(super) fn lost_switches(&self) -> usize {
        let failed = self.topology.as_ref().and_then(|topology| topology.graph.failed_hosts());
        failed.map_or(0, FailedHosts::switches)
    }
}

impl NetworkChoice {
    /// Returns its name or, if it has none, the names that a study may use: its topology as written, for repetitions of a
    /// random one, and in canonical form. The names of platform files are in the files.
    pub fn names(&self) -> Vec<String> {
        if let Some(name) = &self.name {
            return vec![name.clone()];
        }
        let folded = self.folded().ok().flatten();
        let Some(topology) = &folded.as_ref().unwrap_or(self).topology else { return Vec::new() };
        let canonical = topology.parse::<Spec>().ok().map(|spec| spec.to_string());
        [topology.clone()].into_iter().chain(canonical).collect()
    }

    /// Returns these choices, with missing ones from `base`. The name is never taken from the base.
    pub fn over(self, base: &NetworkChoice) -> NetworkChoice {
        // A list of planes is a network, like a topology.
        let list = matches!(self.planes, Some(PlanesChoice::Each(_)));
        let network = list || self.topology.is_some() || self.platform.is_some();
        NetworkChoice {
            name: self.name,
            topology: if network { self.topology } else { base.topology.clone() },
            platform: if network { self.platform } else { base.platform.clone() },
            routing: self.routing.or_else(|| base.routing.clone()),
            defaults: self.defaults.or(base.defaults),
            seed: self.seed.or(base.seed),
            without: self.without.or_else(|| base.without.clone()),
            damage: self.damage.or_else(|| base.damage.clone()),
            bandwidth_share: self.bandwidth_share.or(base.bandwidth_share),
            planes: self.planes.or_else(|| base.planes.clone()),
            host_ports: self.host_ports.or(base.host_ports),
            host_ports_at: self.host_ports_at.or_else(|| base.host_ports_at.clone()),
            folded: self.folded || base.folded,
            parameters: self.parameters.over(&base.parameters),
            model: self.model.over(&base.model),
            price: self.price.or_else(|| base.price.clone()),
            watts: self.watts.or_else(|| base.watts.clone()),
            site: self.site.over(&base.site),
        }
    }

    /// Builds the network. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn build(&self, folder: &Path) -> Result<NetworkUnderTest, NetworkError> {
        self.build_on(None, folder)
    }

    /// Builds the network on a graph that another network with the same specification and seed has already built.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn build_on(&self, graph: Option<Arc<Topology>>, folder: &Path) -> Result<NetworkUnderTest, NetworkError> {
        if let Some(folded) = self.folded()? {
            return folded.build_on(graph, folder);
        }
        self.model.build()?;
        for (key, quoted) in [("price", &self.price), ("watts", &self.watts)] {
            if let Some((_, value)) = quoted.as_ref().and_then(Quoted::mistake) {
                return Err(NetworkError::Quoted { key, value });
            }
        }
        match (&self.topology, &self.platform) {
            (Some(spec), None) => {
                let graph = graph.map_or_else(|| self.graph(spec, folder).map(Arc::new), Ok)?;
                self.build_topology(graph)
            }
            (None, Some(file)) => self.build_file(&folder.join(file)),
            (topology, _) => Err(NetworkError::Ambiguous { both: topology.is_some() }),
        }
    }

    /// Returns `true` if a seed makes a difference: the topology is random and its specification has no seed, or the
    /// routing is random.
    ///
    /// # Errors
    /// [`NetworkError`] if this cannot be determined.
    pub fn takes_seed(&self, folder: &Path) -> Result<bool, NetworkError> {
        if let Some(folded) = self.folded()? {
            return folded.takes_seed(folder);
        }
        match (&self.topology, &self.platform) {
            (Some(spec), _) => {
                let spec: topology::Spec = spec.parse()?;
                // By default, routing is not random.
                let rules = self.routing.iter().flat_map(|routing| routing.split(';')).map(str::parse::<RoutingSpec>);
                let rules = rules.collect::<Result<Vec<_>, _>>().map_err(PlatformError::from)?;
                Ok((spec.seed().is_some() && !spec.seed_given()) || rules.iter().any(|spec| spec.kind.random))
            }
            (None, Some(file)) if is_toml(&folder.join(file)) => {
                let file = folder.join(file);
                self.over_toml(&file)?.takes_seed(file.parent().unwrap_or(Path::new("")))
            }
            _ => Ok(false),
        }
    }

    /// Returns `true` if the network can have another routing rule, unlike a platform file that lists its own routes.
    ///
    /// # Errors
    /// [`NetworkError`] if a file in TOML cannot be read.
    pub fn takes_routing(&self, folder: &Path) -> Result<bool, NetworkError> {
        Ok(match (&self.topology, &self.platform) {
            (None, Some(_)) => self.platform_files(folder)?.iter().all(|file| is_toml(file)),
            _ => true,
        })
    }

    /// Returns the platform files from which the network is read.
    ///
    /// # Errors
    /// [`NetworkError`] if a file in TOML cannot be read.
    pub fn platform_files(&self, folder: &Path) -> Result<Vec<PathBuf>, NetworkError> {
        let Some(file) = self.platform.as_ref().map(|file| folder.join(file)) else { return Ok(Vec::new()) };
        let nested = if is_toml(&file) {
            let written: NetworkChoice = toml_file::read(&file)?;
            written.platform.map(|inner| file.parent().unwrap_or(Path::new("")).join(inner))
        } else {
            None
        };
        Ok([Some(file), nested].into_iter().flatten().collect())
    }

    /// Builds the graph alone, without hosts and routes; it may be disconnected. File names are relative to `folder`.
    ///
    /// # Errors
    /// [`NetworkError`], also for a platform file that lists its own links.
    pub fn build_graph(&self, folder: &Path) -> Result<Topology, NetworkError> {
        if let Some(folded) = self.folded()? {
            return folded.build_graph(folder);
        }
        match (&self.topology, &self.platform) {
            (Some(spec), None) => self.graph(spec, folder),
            (None, Some(file)) if is_toml(&folder.join(file)) => {
                let file = folder.join(file);
                let folder = file.parent().unwrap_or(Path::new(""));
                self.over_toml(&file)?
                    .build_graph(folder)
                    .map_err(|error| in_toml_if_own(&file, error, |written| written.build_graph(folder).err()))
            }
            (None, Some(file)) => {
                // The message that a file lists its links is only right if the file can be read.
                let file = folder.join(file);
                Platform::load(&file, &LoadOptions::default())?;
                Err(NetworkError::NoGraph { file })
            }
            (topology, _) => Err(NetworkError::Ambiguous { both: topology.is_some() }),
        }
    }

    fn graph(&self, spec: &str, folder: &Path) -> Result<Topology, NetworkError> {
        let mut spec: topology::Spec = spec.parse()?;
        spec.resolve_files(folder);
        if let Some(seed) = self.seed
            && !spec.seed_given()
        {
            spec.set_seed(seed);
        }
        let damage = self.whole_damage();
        let spec = if damage.is_none() { spec } else { damage.of(&spec)? };
        spec.build().map_err(|error| self.in_keys(error))
    }

    /// Returns the missing parts, both those named and those that fail at random.
    pub(super) fn whole_damage(&self) -> Damage {
        Damage { without: self.without.clone(), ..self.damage.clone().unwrap_or_default() }
    }

    /// Returns the network's own model; the network's version of the defaults applies to it as well.
    fn model(&self) -> ModelChoice {
        ModelChoice { defaults: self.defaults, ..self.model.clone() }
    }

    fn build_topology(&self, topology: Arc<Topology>) -> Result<NetworkUnderTest, NetworkError> {
        let version = self.defaults.unwrap_or_default();
        let (parameters, from_site) = self.with_site();
        let mut parameters = parameters.check_with(version)?;
        if let Some(share) = self.bandwidth_share {
            parameters.scale_cables(share);
        }
        let (hosts_on, rules) = match &topology.rails {
            None => {
                let hosts_on = parameters.hosts_on(&topology.graph)?;
                let rule = self.rule(version, &topology, &hosts_on);
                (hosts_on, vec![rule.parse().map_err(PlatformError::from)?])
            }
            Some(rails) => {
                let homes = parameters.homes_on(rails)?;
                let planes = rails.planes.iter().zip(&homes);
                let own: Vec<&str> = planes.map(|(plane, homes)| self.rule(version, &plane.topology, homes)).collect();
                let text = self.routing.clone().unwrap_or_else(|| own.join(";"));
                (homes.concat(), RoutingSpec::for_planes(&text, own.len()).map_err(PlatformError::from)?)
            }
        };
        let nature = rules.iter().find(|rule| rule.kind.adaptive).unwrap_or(&rules[0]).kind.nature();
        let is_random = rules.iter().any(|rule| rule.kind.random);
        let rule = RoutingSpec::text_of(&rules);
        let routing_seed = routing::seed_for(self.seed, &topology);
        let platform = Platform::from_topology(&topology, &parameters, &rule, routing_seed)?;
        let duplex = match (topology.graph.is_directed(), parameters.duplex) {
            // A one-way cable has no second direction that could share the bandwidth.
            (true, _) => "one-way",
            (false, Duplex::Full) => "full",
            (false, Duplex::Shared) => "shared",
        };
        Ok(NetworkUnderTest {
            info: NetworkInfo {
                name: self.name.clone().unwrap_or_else(|| topology.name()),
                topology: topology.name(),
                seed: topology.seed().or(is_random.then_some(routing_seed)),
                duplex: Some(duplex.to_owned()),
                routing: Some(rule),
                routing_nature: nature,
                hosts: platform.hosts.len(),
                speeds: PlatformSpeeds::of(&platform),
                parameters: Some(Resolved::new(&parameters, &topology, &hosts_on)),
            },
            platform: Arc::new(platform),
            floor: parameters.floor.on(&topology.graph),
            remarks: topology.remarks(),
            topology: Some(topology),
            making: Some(Making { parameters, routings: rules, routing_seed }),
            model: self.model(),
            price: self.price.clone(),
            watts: self.watts.clone(),
            from_site,
        })
    }

    /// Returns the rule of a network, or of a plane of it, with these hosts on its switches.
    fn rule<'a>(&'a self, version: Version, topology: &Topology, hosts_on: &[u32]) -> &'a str {
        let hosts = hosts_on.iter().copied().map(u64::from).sum();
        self.routing.as_deref().unwrap_or_else(|| routing::default_routing(version, topology, hosts))
    }

    /// Returns the parameters with those of the site where nothing else sets them, and the names of the latter.
    fn with_site(&self) -> (PlatformParameters, Vec<&'static str>) {
        let own = self.parameters.given();
        let mut site = self.site.clone();
        if self.parameters.host_link_bandwidth == Some(HostLinkBandwidth::None) {
            // There is no link that could have this latency.
            site.host_link_latency = None;
        }
        let from_site = site.given().into_iter().filter(|name| !own.contains(name)).collect();
        (self.parameters.clone().over(&site), from_site)
    }

    fn build_file(&self, file: &Path) -> Result<NetworkUnderTest, NetworkError> {
        if is_toml(file) {
            return self.build_toml(file);
        }
        let not_for_file = |option| Err(NetworkError::NotForFile { option, file: file.to_owned() });
        if self.routing.is_some() {
            return not_for_file("routing");
        }
        let ports = [
            ("planes", self.planes.is_some()),
            ("host_ports", self.host_ports.is_some()),
            ("host_ports_at", self.host_ports_at.is_some()),
        ];
        if let Some((option, _)) = ports.into_iter().find(|(_, is_given)| *is_given) {
            return not_for_file(option);
        }
        if !self.whole_damage().is_none() || self.bandwidth_share.is_some() {
            return not_for_file(if self.without.is_some() { "without" } else { "failures" });
        }
        if let Some(option) = self.parameters.given().into_iter().find(|name| !name.starts_with("loopback_")) {
            return not_for_file(option);
        }
        let loopback = self.parameters.check_with(self.defaults.unwrap_or_default())?.loopback;
        let Loaded { platform, settings, mut remarks, price, watts } =
            Platform::load_all(file, &LoadOptions { loopback })?;
        let settings = simgrid_settings::read(&settings)?;
        if !settings.ignored.is_empty() {
            remarks.push(format!("settings without effect on a replay: {}", settings.ignored.join(", ")));
        }
        let name = self.name.clone().unwrap_or_else(|| platform.name.clone());
        Ok(NetworkUnderTest {
            info: NetworkInfo {
                name,
                topology: platform.name.clone(),
                seed: None,
                duplex: None,
                routing: None,
                // Files list one route for each pair.
                routing_nature: "static",
                hosts: platform.hosts.len(),
                speeds: PlatformSpeeds::of(&platform),
                parameters: None,
            },
            platform: Arc::new(platform),
            floor: FloorOptions::default(),
            topology: None,
            making: None,
            model: self.model().over(&settings.model),
            remarks,
            price: self.price.clone().or(price.map(Quoted::All)),
            watts: self.watts.clone().or(watts.map(Quoted::All)),
            // The file lists its links.
            from_site: Vec::new(),
        })
    }

    /// Builds a network from a file with the keys of this table; these choices override those of the file.
    fn build_toml(&self, file: &Path) -> Result<NetworkUnderTest, NetworkError> {
        let folder = file.parent().unwrap_or(Path::new(""));
        self.over_toml(file)?
            .build(folder)
            .map_err(|error| in_toml_if_own(file, error, |written| self.version_over(written).build(folder).err()))
    }

    /// Returns the choices of a file, with our version of the defaults if we have one, so that an error of the file is
    /// recognised as its own.
    fn version_over(&self, written: NetworkChoice) -> NetworkChoice {
        NetworkChoice { defaults: self.defaults.or(written.defaults), ..written }
    }

    fn over_toml(&self, file: &Path) -> Result<NetworkChoice, NetworkError> {
        let (written, text) = read_toml(file)?;
        if written.platform.as_deref().is_some_and(is_toml) {
            return Err(NetworkError::Nested.in_toml(file, &text));
        }
        let name = self.name.clone().or_else(|| written.name.clone());
        let ours = NetworkChoice { topology: None, platform: None, name, ..self.clone() };
        Ok(ours.over(&written))
    }
}

/// Returns the choices of a file, and its text.
fn read_toml(file: &Path) -> Result<(NetworkChoice, String), NetworkError> {
    let (mut written, text): (NetworkChoice, String) = toml_file::read_with_text(file)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    written.model = written.model.with_file(folder)?;
    Ok((written, text))
}

/// Adds the place in the file to an error, if the file is wrong by itself and the error is not caused by additions of
/// the command line or a study.
fn in_toml_if_own(
    file: &Path,
    error: NetworkError,
    alone: impl FnOnce(NetworkChoice) -> Option<NetworkError>,
) -> NetworkError {
    let Ok((written, text)) = read_toml(file) else { return error };
    let is_own = alone(written).is_some_and(|own| own.to_string() == error.to_string());
    if is_own { error.in_toml(file, &text) } else { error }
}

fn is_toml(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}
