//! Export of topologies and platforms for other programs: one file for each format.
//!
//! A format is a line of [`FORMATS`] and a function that writes a graph or a platform. A new one is one file and one
//! line. Exports read back as the same graph with the same hosts, or as a platform with the same routes and the same
//! numbers: GraphML, JSON and edges are read by `topology::files`, SimGrid's format by `platform::simgrid_xml`,
//! platforms in JSON by `platform::explicit`. Graphviz's is for drawing only and has no reader.
//!
//! ```
//! let topology = mopsim::topology::build("ring:3")?;
//! let mut text = Vec::new();
//! let mopsim::export::Write::Graph(write) = mopsim::export::find("edges").unwrap().write else { unreachable!() };
//! write(&topology, &mut text).unwrap();
//! assert_eq!(String::from_utf8(text).unwrap(), "# undirected n=3\n0 1\n0 2\n1 2\n");
//! # Ok::<(), mopsim::topology::TopologyError>(())
//! ```

use crate::ids::HostId;
use crate::platform::Platform;
use crate::routing::Chosen;
use crate::topology::Topology;
use crate::user_error::UserError;
use std::io;

mod dot;
mod edges;
mod explicit;
mod graphml;
mod json;
mod simgrid;

pub use simgrid::{MAX_HOSTS, estimated_bytes, host_file};

/// Reason why something cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// Writing the output failed.
    #[error("cannot write the result: {0}")]
    Io(#[from] io::Error),
    /// The format cannot represent the input.
    #[error("{format} cannot hold `{name}`: {reason}")]
    Unfit {
        /// Name of the format.
        format: &'static str,
        /// Topology or platform.
        name: String,
        /// Property that does not fit.
        reason: String,
        /// One line of advice.
        help: &'static str,
    },
}

impl UserError for ExportError {
    fn help(&self) -> String {
        match self {
            Self::Io(_) => "check the disk or the program that reads the output".to_owned(),
            Self::Unfit { help, .. } => (*help).to_owned(),
        }
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::Io(_))
    }
}

/// Content of a format, and the function that writes it.
#[derive(Clone, Copy, Debug)]
pub enum Write {
    /// Switches and cables.
    Graph(fn(&Topology, &mut dyn io::Write) -> Result<(), ExportError>),
    /// Hosts, links and routes.
    Platform(fn(&Platform, &mut dyn io::Write) -> Result<(), ExportError>),
    /// Hosts, links and routes of a topology, with the switches that links join.
    Network(fn(&Topology, &Platform, &mut dyn io::Write) -> Result<(), ExportError>),
}

/// Entry of the table of formats.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// Name, as `--to` takes it.
    pub name: &'static str,
    /// Description for `--help`.
    pub help: &'static str,
    /// Function that writes it.
    pub write: Write,
}

/// All formats.
pub const FORMATS: &[Format] = &[
    Format { name: "simgrid", help: "Platform for SimGrid 3.32 (XML 4.1)", write: Write::Platform(simgrid::write) },
    Format {
        name: "platform",
        help: "Platform as JSON: links, hosts, and the route of each pair of hosts",
        write: Write::Network(explicit::write),
    },
    Format { name: "graphml", help: "Graph as GraphML", write: Write::Graph(graphml::write) },
    Format { name: "dot", help: "Graph for Graphviz", write: Write::Graph(dot::write) },
    Format { name: "json", help: "Graph as JSON", write: Write::Graph(json::write) },
    Format { name: "edges", help: "Graph as lines `u v`", write: Write::Graph(edges::write) },
];

/// Returns the format of that name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// Rejects hosts with several ports, for formats in which every host is on one switch.
fn with_one_port(format: &'static str, topology: &Topology) -> Result<(), ExportError> {
    match &topology.rails {
        None => Ok(()),
        Some(_) => Err(ExportError::Unfit {
            format,
            name: topology.name(),
            reason: "it has hosts on one switch each, and these hosts have several ports".into(),
            help: "export one plane alone, or the whole network with --to platform --rail destination",
        }),
    }
}

/// Rejects networks in which a message chooses among several ports of hosts, for formats with one route for each pair.
fn with_one_route(format: &'static str, platform: &Platform) -> Result<(), ExportError> {
    let first = HostId::new(0);
    let is_fixed = |host: usize| platform.routes.chosen(first, HostId::new(host)) == Chosen::Once;
    if platform.routes.further_ports(first).is_empty() || (1..platform.hosts.len()).all(is_fixed) {
        return Ok(());
    }
    Err(ExportError::Unfit {
        format,
        name: platform.name.clone(),
        reason: "it has one route for each pair of hosts, and here messages choose among several ports".into(),
        help: "use --rail destination, and a static routing rule",
    })
}

/// Rejects parallel cables, for formats whose readers treat equal lines as a repetition.
fn without_parallel_cables(format: &'static str, topology: &Topology) -> Result<(), ExportError> {
    let mut before = None;
    match topology.graph.cable_ends().find(|&ends| before.replace(ends) == Some(ends)) {
        None => Ok(()),
        Some((from, to)) => Err(ExportError::Unfit {
            format,
            name: topology.name(),
            reason: format!("it has parallel cables, for example between switches {from} and {to}"),
            help: "use --to graphml or --to dot, which keep them",
        }),
    }
}

/// Escapes text for XML attributes.
fn escaped(text: &str) -> String {
    crate::markup::escape(text, |_| ' ')
}

#[cfg(test)]
mod tests;
