//! Export formats: an entry of their table, and what a format cannot hold.

use crate::ids::HostId;
use crate::platform::Platform;
use crate::printable::acts;
use crate::routing::Chosen;
use crate::topology::Topology;
use crate::user_error::UserError;
use std::io;

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

/// Rejects hosts with several ports, for formats in which every host is on one switch.
pub(super) fn with_one_port(format: &'static str, topology: &Topology) -> Result<(), ExportError> {
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
pub(super) fn with_one_route(format: &'static str, platform: &Platform) -> Result<(), ExportError> {
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
pub(super) fn without_parallel_cables(format: &'static str, topology: &Topology) -> Result<(), ExportError> {
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

/// Escapes text for XML attributes. Characters that change the direction of text or have no width become character
/// references: a reader of the XML gets the same name, and a terminal shows that they are there.
pub(super) fn escaped(text: &str) -> String {
    let escaped = crate::markup::escape(text, |_| ' ');
    if !escaped.contains(acts) {
        return escaped;
    }
    let mut out = String::with_capacity(escaped.len() + 16);
    for c in escaped.chars() {
        if acts(c) {
            out.push_str(&format!("&#x{:X};", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}
