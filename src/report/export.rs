//! Sheets of exports.

use super::sheet::{Datum, Sheet};
use crate::platform::Platform;
use crate::topology::Topology;

/// Schema of the sheet.
const SCHEMA: &str = "mopsim.export/1";

/// Returns the sheet of a graph of switches that was written to a file.
pub fn graph(topology: &Topology, format: &str, file: &str) -> Sheet {
    let graph = &topology.graph;
    let seed = Datum::count(topology.seed());
    let facts = [
        ("seed", "seed", seed),
        ("n", "vertices", Datum::Count(graph.switches() as u64)),
        ("cables", "cables", Datum::Count(graph.cables() as u64)),
        ("directed", "one-way", Datum::Flag(graph.is_directed())),
    ];
    sheet("topology", topology.name(), format, file, facts)
}

/// Returns the sheet of a platform that was written to a file.
pub fn platform(platform: &Platform, format: &str, file: &str) -> Sheet {
    let facts = [
        ("hosts", "hosts", Datum::Count(platform.hosts.len() as u64)),
        ("links", "links", Datum::Count(platform.links.len() as u64)),
    ];
    sheet("platform", platform.name.clone(), format, file, facts)
}

fn sheet<const N: usize>(
    kind: &'static str,
    name: String,
    format: &str,
    file: &str,
    facts: [(&'static str, &'static str, Datum); N],
) -> Sheet {
    let text = |text: &str| Datum::Text(text.to_owned());
    Sheet {
        schema: SCHEMA,
        title: format!("{name} as {format}"),
        facts: [(kind, kind, text(&name)), ("to", "format", text(format)), ("file", "file", text(file))]
            .into_iter()
            .chain(facts)
            .collect(),
        tables: Vec::new(),
        detail: None,
        notes: Vec::new(),
    }
}
