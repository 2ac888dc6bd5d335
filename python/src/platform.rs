//! Hosts, links and routes.

use crate::cli::failure::Failure;
use crate::cli::options;
use crate::errors::OrRaise;
use crate::topology::{Topology, exported};
use crate::{flags, wait};
use mopsim::export;
use mopsim::ids::HostId;
use mopsim::study::network::{NetworkChoice, NetworkUnderTest};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A network, built.
#[pyclass(frozen, module = "mopsim._mopsim")]
pub struct Platform(pub NetworkUnderTest);

#[pymethods]
impl Platform {
    #[new]
    fn new(
        py: Python<'_>,
        topology: Option<PyRef<'_, Topology>>,
        file: Option<PathBuf>,
        name: Option<String>,
        flags: Vec<OsString>,
    ) -> PyResult<Self> {
        let graph = topology.map(|topology| topology.0.clone());
        let build = move || -> Result<NetworkUnderTest, Failure> {
            let given = flags::replay(flags)?;
            let choice = NetworkChoice {
                name,
                topology: graph.as_ref().map(|graph| graph.name()),
                platform: file,
                ..options::network(&given.network)?
            };
            let folder = Path::new("");
            // Planes and failures make another graph of the specification.
            let changed = choice.planes.is_some() || choice.host_ports.is_some() || choice.without.is_some();
            Ok(match graph {
                Some(graph) if !changed => choice.build_on(Some(graph), folder)?,
                _ => choice.build(folder)?,
            })
        };
        Ok(Self(wait::wait_for(py, build)?.or_raise(py)?))
    }

    /// Returns a copy with another name for reports.
    fn renamed(&self, name: String) -> Self {
        let mut network = self.0.clone();
        network.info.name = name;
        Self(network)
    }

    /// Facts, as JSON.
    fn info(&self) -> String {
        let info = &self.0.info;
        serde_json::json!({
            "name": info.name,
            "spec": info.topology,
            "seed": info.seed,
            "hosts": info.hosts,
            "links": self.0.platform.links.len(),
            "duplex": info.duplex,
            "routing": info.routing,
            "routing_kind": info.routing_nature,
            "speeds": info.speeds,
            "parameters": info.parameters,
        })
        .to_string()
    }

    /// Warnings, for `warnings.warn`.
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().collect()
    }

    /// Name, flop/s and cores of each host.
    fn hosts(&self) -> Vec<(String, f64, u32)> {
        let host = |host: &mopsim::platform::Host| (host.name.to_string(), host.speed, host.cores);
        self.0.platform.hosts.iter().map(host).collect()
    }

    /// Name, bytes per second and seconds of each link.
    fn links(&self) -> Vec<(String, f64, f64)> {
        let link = |link: &mopsim::platform::Link| (link.name.to_string(), link.bandwidth, link.latency);
        self.0.platform.links.iter().map(link).collect()
    }

    /// Names of the links from a host to another one.
    fn route(&self, py: Python<'_>, source: usize, destination: usize) -> PyResult<Vec<String>> {
        let platform = &self.0.platform;
        let hosts = platform.hosts.len();
        if let Some(host) = [source, destination].into_iter().find(|host| *host >= hosts) {
            let message = format!("there is no host {host}: the hosts of `{}` are 0 to {}", platform.name, hosts - 1);
            return Err(Failure::input(message, "")).or_raise(py);
        }
        let mut links = Vec::new();
        platform
            .route(HostId::new(source), HostId::new(destination), &mut links)
            .map_err(|error| Failure::input(error, ""))
            .or_raise(py)?;
        Ok(links.iter().map(|link| platform.links[link.index()].name.to_string()).collect())
    }

    /// The platform in a format of `mopsim export`.
    fn export(&self, py: Python<'_>, to: &str) -> PyResult<Vec<u8>> {
        let (network, to) = (self.0.clone(), to.to_owned());
        let export = move || {
            exported(&to, |write, out| match write {
                export::Write::Platform(write) => Some(write(&network.platform, out)),
                export::Write::Network(write) => {
                    network.graph().map(|(topology, _)| write(topology, &network.platform, out))
                }
                export::Write::Graph(_) => None,
            })
        };
        wait::wait_for(py, export)?.or_raise(py)
    }
}
