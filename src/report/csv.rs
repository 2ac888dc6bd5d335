//! CSV with a heading: one line per cell of a comparison, or one line per replay.

use super::sheet::{Column as SheetColumn, Rows};
use super::steady::extrapolation;
use super::{ReplayReport, Reporter, Sheet, ThroughputReport};
use crate::platform::speeds::{Resolved, Values};
use crate::report::site::SiteDefault;
use crate::study::comparison::Comparison;
use crate::study::network::NetworkInfo;
use crate::survey::{CollectivesSurvey, Survey};
use std::borrow::Cow;
use std::io::{self, Write};

/// The CSV format.
pub struct Csv;

/// Headings with which each comparison begins.
pub(super) const COMPARE_HEADINGS: &str = "workload,topology,seed,simulated_seconds,mops,relative,baseline,";

/// Column of lines that are created from `R`: its heading, and the field of a line.
pub(super) type Column<R> = (&'static str, fn(&R) -> String);

/// Writes the headings, then a line for each row.
pub(super) fn lines<'r, R: 'r>(
    columns: &[Column<R>],
    rows: impl IntoIterator<Item = &'r R>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(columns.iter().map(|(heading, _)| heading))?;
    for row in rows {
        csv.write_record(columns.iter().map(|(_, field)| no_formula(field(row))))?;
    }
    csv.flush()
}

/// Writes a table.
fn table(rows: &Rows, out: &mut dyn Write) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(rows.columns.iter().map(|column| column.name))?;
    for row in &rows.rows {
        csv.write_record(row.iter().map(|datum| no_formula(datum.field())))?;
    }
    csv.flush()
}

/// Adds the name of the trace to a table about one: the rows of several files can then be in one table. In JSON, the
/// document has it once.
fn with_trace<'r>(rows: &'r Rows, sheet: &Sheet) -> Cow<'r, Rows> {
    let trace = sheet.facts.iter().find(|(name, ..)| *name == TRACE);
    let Some((_, _, trace)) = trace.filter(|_| rows.columns.iter().all(|column| column.name != TRACE)) else {
        return Cow::Borrowed(rows);
    };
    let mut rows = rows.clone();
    rows.columns.push(SheetColumn { name: TRACE, heading: None });
    rows.rows.iter_mut().for_each(|row| row.push(trace.clone()));
    Cow::Owned(rows)
}

/// Name of the fact and of the column that name a trace.
pub(super) const TRACE: &str = "trace";

/// Protects a field from being interpreted as a formula by spreadsheets: text that begins like one gets a leading
/// apostrophe, which spreadsheets use for this themselves. Some skip blanks before it, and take full-width signs for the
/// usual ones. Numbers are unchanged.
fn no_formula(field: String) -> String {
    const SIGNS: [char; 8] = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];
    let begins = field.starts_with(['\t', '\r']) || field.trim_start().starts_with(SIGNS);
    if begins && field.parse::<f64>().is_err() {
        return format!("'{field}");
    }
    field
}

/// Formats a value; empty if there is none.
pub(super) fn optional<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |v| v.to_string())
}

const REPLAY: &[Column<ReplayReport>] = &[
    ("trace", |r| r.workload.name.clone()),
    ("topology", |r| r.network.topology.clone()),
    ("seed", |r| optional(r.network.seed)),
    ("simulated_seconds", |r| r.simulated_seconds.to_string()),
    ("mops", |r| optional(r.mops)),
    ("ranks", |r| r.workload.ranks.to_string()),
    ("actions", |r| r.workload.actions.to_string()),
    ("messages", |r| r.messages.to_string()),
    ("bytes", |r| r.bytes.to_string()),
    ("compute_mean_seconds", |r| r.times.compute.mean.to_string()),
    ("communication_mean_seconds", |r| r.times.communication.mean.to_string()),
    ("waiting_mean_seconds", |r| r.times.waiting.mean.to_string()),
    ("duplex", |r| optional(r.network.duplex.as_ref())),
    ("routing", |r| optional(r.network.routing.as_ref())),
    ("link_bandwidth", |r| speed(r.network.speeds.link_bandwidth)),
    ("link_latency", |r| speed(r.network.speeds.link_latency)),
    ("core_flops", |r| speed(r.network.speeds.core_flops)),
    ("routing_kind", |r| r.network.routing_nature.to_owned()),
    ("measured_seconds", |r| optional(r.workload.measured_seconds)),
    ("bare_link_latency", |r| parameter(&r.network, |p| p.link_latency.to_string())),
    ("switch_delay", |r| parameter(&r.network, |p| p.switch_delay.to_string())),
    ("cable_delay", |r| parameter(&r.network, |p| p.cable_delay.to_string())),
    ("floor_plan", |r| parameter(&r.network, |p| p.floor_plan.to_owned())),
    ("host_link_bandwidth", |r| parameter(&r.network, |p| or_none(p.host_link_bandwidth))),
    ("host_link_latency", |r| parameter(&r.network, |p| or_none(p.host_link_latency))),
    ("smp_setup", |r| if r.model.smp_setup { "on" } else { "off" }.to_owned()),
    ("defaults", |r| parameter(&r.network, |p| p.defaults.to_owned())),
    ("workload", |r| r.workload.name.clone()),
    ("network", |r| r.network.name.clone()),
    ("spec", |r| r.network.topology.clone()),
    ("family", |r| optional(r.network.family())),
    ("hosts", |r| r.network.hosts.to_string()),
    ("mapping", |r| r.mapping.clone()),
    ("collectives", |r| r.model.collectives.clone()),
    ("model", |r| r.model.network_model.clone()),
    ("sharing", |r| r.model.sharing.clone()),
    ("compute_share", |r| r.explanation.time_shares.compute.to_string()),
    ("latency_share", |r| r.explanation.time_shares.latency.to_string()),
    ("bandwidth_share", |r| r.explanation.time_shares.bandwidth.to_string()),
    ("waiting_share", |r| r.explanation.time_shares.waiting.to_string()),
];

/// Further columns of a replay that was allowed to end early; empty if it did not.
const STEADY: &[Column<ReplayReport>] = &[
    ("half_width_seconds", |r| optional(extrapolation(r.steady.as_ref()).map(|found| found.half_width))),
    ("replayed_iterations", |r| optional(extrapolation(r.steady.as_ref()).map(|found| found.replayed_iterations))),
    ("iterations", |r| optional(extrapolation(r.steady.as_ref()).map(|found| found.iterations))),
    ("replayed_seconds", |r| optional(extrapolation(r.steady.as_ref()).map(|found| found.replayed_seconds))),
];

/// Formats a parameter of a network; empty if a platform file lists its links.
fn parameter(network: &NetworkInfo, text: impl Fn(&Resolved) -> String) -> String {
    optional(network.parameters.as_ref().map(text))
}

/// Formats a value, or states that there is none.
fn or_none(value: Option<f64>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// Formats a speed in the units of JSON, or a range of speeds.
fn speed(values: Option<Values>) -> String {
    optional(values.map(|values| values.text(|value| value.to_string())))
}

const TOPOLOGY: &[Column<Survey>] = &[
    ("topology", |r| r.topology.clone()),
    ("seed", |r| optional(r.seed)),
    ("n", |r| r.n.to_string()),
    ("directed", |r| r.directed.to_string()),
    ("cables", |r| optional(r.edges.or(r.arcs))),
    ("min_degree", |r| r.min_degree.to_string()),
    ("max_degree", |r| r.max_degree.to_string()),
    ("diameter", |r| optional(r.diameter)),
    ("aspl", |r| optional(r.aspl)),
    ("edge_sha256", |r| r.edge_sha256.clone()),
    ("switches", |r| r.switches.to_string()),
    ("hosts", |r| r.hosts.to_string()),
    ("aspl_error", |r| optional(r.aspl_error)),
    ("aspl_lower_bound", |r| optional(r.aspl_lower_bound)),
    ("moore_share", |r| optional(r.moore_share)),
    ("edge_connectivity", |r| optional(r.edge_connectivity)),
    ("path_diversity", |r| optional(r.path_diversity)),
    ("bisection", |r| optional(r.bisection)),
    ("bisection_method", |r| optional(r.bisection_method.as_deref())),
    ("bisection_share_of_links", |r| optional(r.bisection_share_of_links)),
    ("bisection_share_of_all", |r| optional(r.bisection_share_of_all)),
    ("floor_plan", |r| r.floor.plan.to_owned()),
    ("cabinets", |r| r.floor.cabinets.to_string()),
    ("cable_metres", |r| r.floor.cable_metres.to_string()),
    ("average_cable_metres", |r| r.floor.average_cable_metres.to_string()),
    ("longest_cable_metres", |r| r.floor.longest_cable_metres.to_string()),
    ("max_latency_ns", |r| optional(r.floor.max_latency_ns)),
    ("mean_latency_ns", |r| optional(r.floor.mean_latency_ns)),
    ("endpoints", |r| r.cost.endpoints.to_string()),
    ("ports", |r| r.cost.ports.to_string()),
    ("copper_cables", |r| r.cost.copper_cables.to_string()),
    ("fibre_cables", |r| r.cost.fibre_cables.to_string()),
    ("cable_dollars", |r| r.cost.cable_dollars.to_string()),
    ("router_dollars", |r| r.cost.router_dollars.to_string()),
    ("dollars", |r| r.cost.dollars.to_string()),
    ("dollars_per_endpoint", |r| optional(r.cost.dollars_per_endpoint)),
    ("watts", |r| r.cost.watts.to_string()),
    ("distance_sum", |r| optional(r.distance_sum)),
    ("host_diameter_switches", |r| optional(r.host_diameter_switches)),
    ("host_aspl_switches", |r| optional(r.host_aspl_switches)),
    ("links_per_host", |r| optional(r.links_per_host)),
    ("links_per_host_and_hop", |r| optional(r.links_per_host_and_hop)),
    ("nonblocking", |r| optional(r.nonblocking)),
    ("route", route),
    ("defaults", |r| r.floor.defaults.to_owned()),
    ("spec", |r| r.spec.clone()),
    ("family", |r| r.family.to_owned()),
    ("network", |r| r.network.clone()),
    ("price", |r| r.cost.price.to_string()),
];

/// Formats the switches of a route, if one was requested.
fn route(r: &Survey) -> String {
    optional(r.route.as_ref().map(|route| route.path.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")))
}

/// A line on a collective: an algorithm, the choice of a table, or the beginning of a range of sizes.
#[derive(Default)]
struct OfCollective<'a> {
    collective: &'a str,
    line: &'a str,
    table: String,
    algorithm: &'a str,
    messages: Option<u64>,
    bytes: Option<u64>,
    from_bytes: Option<u32>,
    why: &'a str,
}

impl Reporter for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn help(&self) -> &'static str {
        "CSV with a header row"
    }

    fn replay(&self, report: &ReplayReport, out: &mut dyn Write) -> io::Result<()> {
        if report.steady.is_none() {
            return lines(REPLAY, [report], out);
        }
        lines(&[REPLAY, STEADY].concat(), [report], out)
    }

    fn throughput(&self, report: &ThroughputReport, out: &mut dyn Write) -> io::Result<()> {
        super::throughput::csv::write(report, out)
    }

    fn collectives(&self, report: &CollectivesSurvey, out: &mut dyn Write) -> io::Result<()> {
        let mut rows = Vec::new();
        for operation in &report.collectives {
            let collective = operation.collective;
            rows.extend(operation.algorithms.iter().map(|row| OfCollective {
                collective,
                line: "algorithm",
                table: row.picked_by.join(" "),
                algorithm: row.name,
                messages: Some(row.messages),
                bytes: Some(row.bytes),
                why: row.summary,
                ..OfCollective::default()
            }));
            rows.extend(operation.choices.iter().map(|choice| OfCollective {
                collective,
                line: "choice",
                table: choice.table.to_owned(),
                algorithm: &choice.algorithm,
                messages: Some(choice.messages),
                bytes: Some(choice.bytes),
                why: choice.rule.as_deref().unwrap_or_default(),
                ..OfCollective::default()
            }));
            rows.extend(operation.crossovers.iter().map(|crossover| OfCollective {
                collective,
                line: "crossover",
                table: crossover.table.to_owned(),
                algorithm: &crossover.algorithm,
                from_bytes: Some(crossover.from_bytes),
                ..OfCollective::default()
            }));
        }
        let columns: &[Column<OfCollective<'_>>] = &[
            ("collective", |row| row.collective.to_owned()),
            ("line", |row| row.line.to_owned()),
            ("table", |row| row.table.clone()),
            ("algorithm", |row| row.algorithm.to_owned()),
            ("messages", |row| optional(row.messages)),
            ("bytes", |row| optional(row.bytes)),
            ("from_bytes", |row| optional(row.from_bytes)),
            ("why", |row| row.why.to_owned()),
        ];
        lines(columns, &rows, out)
    }

    fn compare(&self, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
        table(&super::tidy::rows(comparison), out)
    }

    fn topology(&self, reports: &[Survey], out: &mut dyn Write) -> io::Result<()> {
        lines(TOPOLOGY, reports, out)
    }

    fn with_site(&self, report: Vec<u8>, defaults: &[SiteDefault]) -> io::Result<Vec<u8>> {
        super::site::csv(&report, defaults)
    }

    fn sheet(&self, sheet: &Sheet, out: &mut dyn Write) -> io::Result<()> {
        match sheet.tables.iter().chain(&sheet.detail).last() {
            Some(rows) => table(&with_trace(rows, sheet), out),
            None => {
                let mut csv = csv::Writer::from_writer(out);
                csv.write_record(sheet.facts.iter().map(|(name, _, _)| *name))?;
                csv.write_record(sheet.facts.iter().map(|(_, _, value)| no_formula(value.field())))?;
                csv.flush()
            }
        }
    }
}
