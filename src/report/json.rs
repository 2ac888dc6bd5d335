//! JSON, one document per result, with the name and version of its schema.

use super::{ReplayReport, Reporter, Sheet, ThroughputReport};
use crate::network::PacketCounts;
use crate::platform::speeds::{PlatformSpeeds, Resolved};
use crate::report::site::SiteDefault;
use crate::result::critical::CriticalPath;
use crate::result::explain::{Blocking, BusyLink, Shares};
use crate::result::time_split::TimeSplit;
use crate::study::choice::ModelDescription;
use crate::study::comparison::Comparison;
use crate::survey::{CollectivesSurvey, Survey};
use crate::topology::GENERATOR;
use serde::Serialize;
use std::io::{self, Write};

/// The JSON format.
pub struct Json;

#[derive(Serialize)]
pub(super) struct ShownModel<'a> {
    #[serde(flatten)]
    pub choices: &'a ModelDescription,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplex: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub routing_kind: Option<&'a str>,
    pub mapping: &'a str,
    /// Basis of the predictions of each model.
    pub basis: Vec<super::basis::JsonBasis>,
}

#[derive(Serialize)]
struct JsonReplay<'a> {
    schema: &'static str,
    trace: &'a str,
    workload: &'a str,
    topology: &'a str,
    network: &'a str,
    spec: &'a str,
    family: Option<&'a str>,
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generator: Option<&'static str>,
    simulated_seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    extrapolation: Option<super::steady::JsonExtrapolation<'a>>,
    mops: Option<f64>,
    operations: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    measured_seconds: Option<f64>,
    ranks: usize,
    hosts: usize,
    actions: u64,
    messages: u64,
    bytes: u64,
    mapping: &'a str,
    time_split: &'a TimeSplit,
    time_shares: &'a Shares,
    /// Time at which each rank ended; of an extrapolated replay, in the replayed part.
    rank_end_seconds: &'a [f64],
    average_hops: Option<f64>,
    busiest_links: &'a [BusyLink],
    load_profile: &'a [f64],
    #[serde(skip_serializing_if = "Option::is_none")]
    critical_path: Option<&'a CriticalPath>,
    /// Counts of packets, if messages were packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    packets: Option<PacketCounts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_of_line: Option<&'a Blocking>,
    #[serde(skip_serializing_if = "Option::is_none")]
    jobs: Option<Vec<super::jobs::JobJson<'a>>>,
    model: ShownModel<'a>,
    speeds: &'a PlatformSpeeds,
    parameters: Option<&'a Resolved>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    simulator: Option<Simulator>,
}

#[derive(Serialize)]
struct Simulator {
    wall_seconds: f64,
    actions_per_second: f64,
}

/// A result, preceded by the name of its schema.
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

    fn help(&self) -> &'static str {
        "JSON with a schema version"
    }

    fn replay(&self, r: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        let document = JsonReplay {
            schema: "mopsim.replay/2",
            trace: &r.workload.name,
            workload: &r.workload.name,
            topology: &r.network.topology,
            network: &r.network.name,
            spec: &r.network.topology,
            family: r.network.family(),
            seed: r.network.seed,
            generator: r.network.seed.map(|_| GENERATOR),
            simulated_seconds: r.simulated_seconds,
            extrapolation: super::steady::json(super::steady::extrapolation(r.steady.as_ref())),
            mops: r.mops,
            operations: r.workload.operations,
            measured_seconds: r.workload.measured_seconds,
            ranks: r.workload.ranks,
            hosts: r.network.hosts,
            actions: r.workload.actions,
            messages: r.messages,
            bytes: r.bytes,
            mapping: &r.mapping,
            time_split: &r.times,
            time_shares: &r.explanation.time_shares,
            rank_end_seconds: &r.ends,
            average_hops: r.explanation.average_hops,
            busiest_links: &r.explanation.busiest_links,
            load_profile: &r.explanation.load_profile,
            critical_path: r.explanation.critical_path.as_ref(),
            packets: r.packets,
            head_of_line: r.explanation.head_of_line.as_ref(),
            jobs: r.jobs.as_ref().map(|jobs| super::jobs::json(jobs, None)),
            model: ShownModel {
                choices: &r.model,
                duplex: r.network.duplex.as_deref(),
                routing: r.network.routing.as_deref(),
                routing_kind: Some(r.network.routing_nature),
                mapping: &r.mapping,
                basis: super::basis::json(&r.model),
            },
            speeds: &r.network.speeds,
            parameters: r.network.parameters.as_ref(),
            notes: &r.notes,
            simulator: r.wall_seconds.map(|wall_seconds| Simulator {
                wall_seconds,
                actions_per_second: r.replayed_actions() as f64 / wall_seconds,
            }),
        };
        write(&document, out)
    }

    fn compare(&self, c: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        write(&super::compare_json::document(c), out)
    }

    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
        write(report, out)
    }

    fn collectives(&self, report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()> {
        write(&Document { schema: "mopsim.collectives/1", content: report }, out)
    }

    fn topology(&self, reports: &[Survey], out: &mut dyn Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Several<'a> {
            topologies: &'a [Survey],
        }
        let schema = "mopsim.topology/2";
        match reports {
            [one] => write(&Document { schema, content: one }, out),
            several => write(&Document { schema, content: &Several { topologies: several } }, out),
        }
    }

    fn with_site(&self, report: Vec<u8>, defaults: &[SiteDefault]) -> io::Result<Vec<u8>> {
        Ok(super::site::json(report, defaults))
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        write(sheet, out)
    }
}
