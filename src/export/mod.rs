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

mod dot;
mod edges;
mod explicit;
mod format;
mod graphml;
mod json;
mod simgrid;

pub use format::{ExportError, Format, Write};
pub use simgrid::{MAX_HOSTS, estimated_bytes, host_file};

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

#[cfg(test)]
mod tests;
