//! JSON, one document a result, with the name and version of its schema.

use super::{CollectivesReport, ReplayReport, Reporter, Sheet, TimeSplit, TopologyReport, findings};
use crate::result::critical::CriticalPath;
use crate::result::explain::{BusyLink, Explanation, Shares};
use crate::study::choice::ModelDescription;
use crate::study::comparison::{Comparison, NetworkInfo, WorkloadInfo};
use serde::Serialize;
use std::io::{self, Write};

/// The JSON format.
pub struct Json;

#[derive(Serialize)]
struct Model<'a> {
    #[serde(flatten)]
    choices: &'a ModelDescription,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplex: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    routing: Option<&'a str>,
    mapping: &'a str,
}

#[derive(Serialize)]
struct Replay<'a> {
    schema: &'static str,
    trace: &'a str,
    topology: &'a str,
    seed: Option<u64>,
    simulated_seconds: f64,
    mops: Option<f64>,
    operations: Option<f64>,
    ranks: usize,
    hosts: usize,
    actions: u64,
    messages: u64,
    bytes: u64,
    mapping: &'a str,
    time_split: &'a TimeSplit,
    time_shares: &'a Shares,
    average_hops: Option<f64>,
    busiest_links: &'a [BusyLink],
    load_profile: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    critical_path: Option<&'a CriticalPath>,
    model: Model<'a>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<Simulator>,
}

#[derive(Serialize)]
struct Simulator {
    wall_seconds: f64,
    actions_per_second: f64,
}

#[derive(Serialize)]
struct Compare<'a> {
    schema: &'static str,
    title: &'a str,
    baseline: &'a str,
    mapping: &'a str,
    topologies: Vec<Network<'a>>,
    workloads: Vec<Workload<'a>>,
    cells: Vec<Cell<'a>>,
    means: Vec<Mean<'a>>,
    equal: Vec<Equal<'a>>,
    model: Model<'a>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Network<'a> {
    name: &'a str,
    topology: &'a str,
    seed: Option<u64>,
    hosts: usize,
    duplex: Option<&'a str>,
    routing: Option<&'a str>,
}

#[derive(Serialize)]
struct Workload<'a> {
    name: &'a str,
    title: Option<&'a str>,
    ranks: usize,
    actions: u64,
    operations: Option<f64>,
    formula: Option<&'a str>,
}

#[derive(Serialize)]
struct Cell<'a> {
    workload: &'a str,
    topology: &'a str,
    seed: Option<u64>,
    simulated_seconds: f64,
    mops: Option<f64>,
    relative: f64,
    explanation: &'a Explanation,
}

/// Networks on which a workload takes the same time within one per cent, and why.
#[derive(Serialize)]
struct Equal<'a> {
    workload: &'a str,
    topologies: Vec<&'a str>,
    reason: String,
}

#[derive(Serialize)]
struct Mean<'a> {
    topology: &'a str,
    arithmetic: f64,
    geometric: f64,
}

fn network(info: &NetworkInfo) -> Network<'_> {
    Network {
        name: &info.name,
        topology: &info.topology,
        seed: info.seed,
        hosts: info.hosts,
        duplex: info.duplex.as_deref(),
        routing: info.routing.as_deref(),
    }
}

fn workload(info: &WorkloadInfo) -> Workload<'_> {
    Workload {
        name: &info.name,
        title: info.title.as_deref(),
        ranks: info.ranks,
        actions: info.actions,
        operations: info.operations,
        formula: info.formula.as_deref(),
    }
}

/// Something with the name of its schema before it.
#[derive(Serialize)]
struct Document<'a, T> {
    schema: &'static str,
    #[serde(flatten)]
    content: &'a T,
}

fn write(document: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    writeln!(out)
}

impl Reporter for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let document = Replay {
            schema: "mopsim.replay/1",
            trace: &r.workload.name,
            topology: &r.network.topology,
            seed: r.network.seed,
            simulated_seconds: r.simulated_seconds,
            mops: r.mops,
            operations: r.workload.operations,
            ranks: r.workload.ranks,
            hosts: r.network.hosts,
            actions: r.workload.actions,
            messages: r.messages,
            bytes: r.bytes,
            mapping: &r.mapping,
            time_split: &r.times,
            time_shares: &r.explanation.time_shares,
            average_hops: r.explanation.average_hops,
            busiest_links: &r.explanation.busiest_links,
            load_profile: &r.explanation.load_profile,
            critical_path: r.explanation.critical_path.as_ref(),
            model: Model {
                choices: &r.model,
                duplex: r.network.duplex.as_deref(),
                routing: r.network.routing.as_deref(),
                mapping: &r.mapping,
            },
            notes: &r.notes,
            simulator: r.wall_seconds.map(|wall_seconds| Simulator {
                wall_seconds,
                actions_per_second: r.workload.actions as f64 / wall_seconds,
            }),
        };
        write(&document, out)
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        let name = |network: usize| c.networks[network].name.as_str();
        let document = Compare {
            schema: "mopsim.compare/1",
            title: &c.title,
            baseline: name(c.baseline),
            mapping: &c.mapping,
            topologies: c.networks.iter().map(network).collect(),
            workloads: c.workloads.iter().map(workload).collect(),
            cells: c
                .cells
                .iter()
                .map(|cell| Cell {
                    workload: &c.workloads[cell.workload].name,
                    topology: name(cell.network),
                    seed: c.networks[cell.network].seed,
                    simulated_seconds: cell.simulated_seconds,
                    mops: cell.mops,
                    relative: cell.relative,
                    explanation: &cell.explanation,
                })
                .collect(),
            means: (0..c.networks.len())
                .map(|n| Mean { topology: name(n), arithmetic: c.arithmetic_mean(n), geometric: c.geometric_mean(n) })
                .collect(),
            equal: findings::equal_networks(c)
                .into_iter()
                .map(|f| Equal {
                    workload: &c.workloads[f.workload].name,
                    topologies: f.networks.into_iter().map(name).collect(),
                    reason: f.reason,
                })
                .collect(),
            model: Model { choices: &c.model, duplex: None, routing: None, mapping: &c.mapping },
            notes: &c.notes,
        };
        write(&document, out)
    }

    fn collectives(&self, report: &CollectivesReport, out: &mut dyn Write) -> io::Result<()> {
        write(&Document { schema: "mopsim.collectives/1", content: report }, out)
    }

    fn topology(&self, reports: &[TopologyReport], out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Several<'a> {
            topologies: &'a [TopologyReport],
        }
        let schema = "mopsim.topology/1";
        match reports {
            [one] => write(&Document { schema, content: one }, out),
            several => write(&Document { schema, content: &Several { topologies: several } }, out),
        }
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        write(sheet, out)
    }
}
