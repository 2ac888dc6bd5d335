//! Curves of packets in a study, for all formats.

use super::captioned::CaptionedTable;
use super::compare_json_more::JsonColumn;
use super::label::short;
use super::number::grouped;
use super::packet_means::{Scale, first_latency, means};
use super::packet_notes::remarks;
use super::packet_notes::{special_in_words, switches_in_words};
use crate::packets::conditions::Conditions;
use crate::packets::parameters::{HostPort, Parameters};
use crate::packets::random::GENERATOR;
use crate::packets::run::{Mode, Outcome};
use crate::packets::series::Series;
use crate::packets::source::Process;
use crate::study::comparison::Comparison;
use crate::study::packet_sweep::{NetworkCurves, PacketCurves};
use serde::Serialize;

/// Number of networks up to which text has their latencies.
const COLUMNS: usize = 7;

impl Scale {
    /// Returns the scale of a network.
    pub(super) fn of(network: &NetworkCurves) -> Self {
        Self { cycle_ns: network.cycle_ns, bandwidth: network.flit_rate }
    }
}

/// Ratios of a series to that of the baseline.
#[derive(Serialize)]
pub(super) struct Ratios {
    saturation_ratio: Option<f64>,
    accepted_at_full_load_ratio: Option<f64>,
    latency_ratio: Option<f64>,
}

/// Returns the series of a network under a pattern over that of its baseline.
fn ratios(curves: &PacketCurves, network: &NetworkCurves, pattern: usize) -> Ratios {
    let pair = || {
        let baseline = &curves.networks[network.baseline?];
        let [own, other] =
            [network, baseline].map(|of| of.series[pattern].as_ref().map(|series| (series, Scale::of(of))));
        Some((own?, other?))
    };
    let traffic = |value: fn(&Series) -> Option<f64>| {
        let (own, baseline) = pair()?;
        Scale::traffic_ratio(value, own, baseline)
    };
    Ratios {
        saturation_ratio: traffic(Series::carried_by_host),
        accepted_at_full_load_ratio: traffic(Series::accepted_by_host),
        latency_ratio: pair().and_then(|(own, baseline)| Scale::latency_ratio(first_latency, own, baseline)),
    }
}

/// Returns the full name of a pattern; `None` if it fits no network.
pub(super) fn pattern_name(curves: &PacketCurves, pattern: usize) -> Option<&str> {
    curves.networks.iter().find_map(|network| network.series[pattern].as_ref()).map(|series| series.pattern.as_str())
}

/// Returns each value with the letters of the networks that have it: `2.560 ns (A, B)`.
fn grouped_by<'a>(
    c: &Comparison,
    networks: impl IntoIterator<Item = &'a NetworkCurves>,
    value: impl Fn(&NetworkCurves) -> String,
) -> Vec<String> {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for network in networks {
        let (own, name) = (value(network), short(c, network.column));
        match groups.iter_mut().find(|(other, _)| *other == own) {
            Some((_, names)) => names.push(name),
            None => groups.push((own, vec![name])),
        }
    }
    groups.into_iter().map(|(value, names)| format!("{value} ({})", names.join(", "))).collect()
}

/// Describes the sweep in sentences.
pub(super) fn sentences(c: &Comparison, curves: &PacketCurves) -> Vec<String> {
    let settings = &curves.settings;
    let p = &settings.conditions.parameters;
    let mode = match settings.conditions.mode {
        Mode::Latency => "latency (all measured packets arrive)",
        Mode::Throughput => "throughput (no drain)",
    };
    let seeds = match &settings.conditions.seeds[..] {
        [seed] => format!("seed {seed}"),
        several => format!("{} seeds from {}", several.len(), several[0]),
    };
    let mut all = vec![
        format!(
            "{} Delays are those of the table [packets], not those of the study's platforms.",
            switches_in_words(p)
        ),
        format!(
            "Mode {mode}, {} warm-up cycles, {} measured, {seeds}, generator {GENERATOR}.",
            grouped(settings.conditions.warmup.into()),
            grouped(settings.conditions.measure.into())
        ),
    ];
    let Conditions { process, by_packets, allow_deadlock, .. } = settings.conditions;
    all.extend(special_in_words(p, process, by_packets, allow_deadlock));
    if let Some(network) = curves.networks.iter().find(|network| network.flit_rate != network.bandwidth) {
        all.push(format!(
            "A cycle takes {:.3} ns on all networks, whatever the bandwidth of their links in the study.",
            network.cycle_ns
        ));
    }
    if curves.networks.iter().any(|network| network.baseline.is_none()) {
        all.push("Without ratios: networks whose baseline is left out.".into());
    }
    all.extend(instances(c, curves));
    let cycles: Vec<String> = grouped_by(c, &curves.networks, |network| format!("{:.3} ns", network.cycle_ns));
    if curves.networks.iter().all(|network| network.flit_rate == network.bandwidth) && !cycles.is_empty() {
        all.push(format!("A cycle: {}.", cycles.join("; ")));
        if cycles.len() > 1 {
            all.push(
                "Cycles are shorter on faster links, and delays are numbers of cycles: switches and cables of networks with faster \
                 links are faster as well, so latencies of networks with different cycles are not compared."
                    .into(),
            );
        }
    }
    let sentence = |text: &String| if text.ends_with('.') { text.clone() } else { format!("{text}.") };
    let has_series = |network: &&NetworkCurves| network.series.iter().flatten().next().is_some();
    let of = |network: &NetworkCurves| {
        network.series.iter().flatten().next().map_or_else(String::new, |s| s.routing.clone())
    };
    let routings = grouped_by(c, curves.networks.iter().filter(has_series), of);
    if !routings.is_empty() {
        all.push(format!("Packet routing: {}.", routings.join("; ")));
    }
    all.extend(notes(c, curves).iter().map(sentence));
    all.extend(curves.left_out.iter().map(|reason| sentence(&format!("Left out: {reason}"))));
    all
}

/// Describes which of several instances and settings of a network has a curve.
fn instances(c: &Comparison, curves: &PacketCurves) -> Vec<String> {
    let of_seed = |network: &NetworkCurves| Some(format!("{} (seed {})", short(c, network.column), network.instance?));
    let first: Vec<String> = curves.networks.iter().filter_map(of_seed).collect();
    let mut all = Vec::new();
    if !first.is_empty() {
        all.push(format!("Of networks with several seeds, the first instance: {}.", first.join(", ")));
    }
    let shared = |network: &NetworkCurves| {
        let others: Vec<String> = network.further.iter().map(|&column| short(c, column)).collect();
        (!others.is_empty()).then(|| format!("{} for {}", short(c, network.column), others.join(", ")))
    };
    let shared: Vec<String> = curves.networks.iter().filter_map(shared).collect();
    if !shared.is_empty() {
        let shared = shared.join("; ");
        all.push(format!(
            "Mappings, collectives and models have no effect, so curves hold for several columns: {shared}."
        ));
    }
    all
}

/// Returns the notes on series, each with the networks that it is on, unless it is on all.
fn notes(c: &Comparison, curves: &PacketCurves) -> Vec<String> {
    let named = curves.networks.iter().flat_map(|network| {
        let notes = network.series.iter().flatten().flat_map(|series| &series.notes);
        notes.map(|note| (short(c, network.column), note.clone()))
    });
    let in_words = |(note, on): (String, Option<String>)| match on {
        Some(names) => format!("Note on {names}: {note}"),
        None => format!("Note: {note}"),
    };
    remarks(named, curves.networks.len()).into_iter().map(in_words).collect()
}

/// Returns the tables of the section: saturation of all networks, and latencies by load for each pattern.
pub(super) fn shown(c: &Comparison) -> Vec<CaptionedTable> {
    let Some(curves) = &c.packets else { return Vec::new() };
    let mut all = Vec::new();
    for pattern in 0..curves.settings.patterns.len() {
        let Some(name) = pattern_name(curves, pattern) else { continue };
        let series: Vec<(&NetworkCurves, &Series)> =
            curves.networks.iter().filter_map(|network| Some((network, network.series[pattern].as_ref()?))).collect();
        all.push(saturation(c, curves, pattern, name, &series));
        if series.len() <= COLUMNS {
            all.push(latencies(c, curves, name, &series));
        }
    }
    let several = curves.networks.iter().flat_map(|network| network.series.iter().flatten()).any(|s| s.ports > 1);
    let per = if several { "port of a host" } else { "host" };
    let rule = format!(
        "carried: saturation, the highest load that is carried, to 1 %, in flits per {per} and cycle, and in Gbit/s per \
                host; at 1.0: accepted at an offered load of 1, both with the first seed; latency: mean at the lowest load in ns; rel.: relative to \
                the baseline; a dash: saturated, or unknown."
    );
    let remarks = std::iter::once(rule).chain(sentences(c, curves));
    match all.last_mut() {
        Some(last) => last.sentences.extend(remarks),
        // Everything is left out.
        None => all.push(CaptionedTable {
            title: "Packets under synthetic traffic: no network is modelled".into(),
            sentences: sentences(c, curves),
            headings: vec!["on".into()],
            rows: Vec::new(),
        }),
    }
    all
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.decimals$}"))
}

/// Returns the table of saturation under a pattern.
fn saturation(
    c: &Comparison,
    curves: &PacketCurves,
    pattern: usize,
    name: &str,
    all: &[(&NetworkCurves, &Series)],
) -> CaptionedTable {
    let row = |&(network, series): &(&NetworkCurves, &Series)| {
        let ratios = ratios(curves, network, pattern);
        vec![
            short(c, network.column),
            number(series.saturation, 3),
            number(series.carried_by_host().map(|flits| flits * network.flit_rate * 8e-9), 1),
            number(ratios.saturation_ratio, 2),
            number(series.accepted_at_full_load, 3),
            number(ratios.accepted_at_full_load_ratio, 2),
            number(first_latency(series).map(|cycles| cycles * network.cycle_ns), 1),
            number(ratios.latency_ratio, 2),
        ]
    };
    let headings = ["on", "carried", "Gbit/s", "rel.", "at 1.0", "rel.", "latency", "rel."];
    CaptionedTable {
        title: format!("Packets under synthetic traffic, with the delays of the table [packets]: {name}"),
        sentences: Vec::new(),
        headings: headings.map(str::to_owned).to_vec(),
        rows: all.iter().map(row).collect(),
    }
}

/// Returns the table of latencies by load under a pattern.
fn latencies(c: &Comparison, curves: &PacketCurves, name: &str, all: &[(&NetworkCurves, &Series)]) -> CaptionedTable {
    let of_network = |&(network, series): &(&NetworkCurves, &Series)| -> Vec<Option<f64>> {
        let points = means(series, curves.settings.conditions.seeds.len()).into_iter();
        points.map(|mean| Some(mean.latency.filter(|_| mean.saturated == 0)?.mean * network.cycle_ns)).collect()
    };
    let columns: Vec<Vec<Option<f64>>> = all.iter().map(of_network).collect();
    let row = |(load, offered): (usize, &f64)| {
        std::iter::once(offered.to_string()).chain(columns.iter().map(|column| number(column[load], 1))).collect()
    };
    let letters = all.iter().map(|(network, _)| short(c, network.column));
    CaptionedTable {
        title: format!("Mean latency of packets in ns by load: {name}"),
        sentences: Vec::new(),
        headings: std::iter::once("load".to_owned()).chain(letters).collect(),
        rows: curves.settings.conditions.loads.iter().enumerate().map(row).collect(),
    }
}

#[derive(Serialize)]
pub(super) struct JsonSweep<'a> {
    mode: Mode,
    process: &'static str,
    warmup: u32,
    measure: u32,
    seeds: &'a [u64],
    generator: &'static str,
    loads: &'a [f64],
    packet: u32,
    vc_buffer: u32,
    routing_delay: u32,
    vc_delay: u32,
    switch_delay: u32,
    crossing_delay: u32,
    link_delay: u32,
    host_delay: u32,
    credit_delay: u32,
    speedup: u32,
    wait_for_tail_credit: bool,
    hold_switch: bool,
    count_routed: bool,
    host_port: HostPort,
    engine: &'static str,
    networks: Vec<NetworkJson<'a>>,
    left_out: &'a [String],
}

#[derive(Serialize)]
struct NetworkJson<'a> {
    #[serde(flatten)]
    column: JsonColumn<'a>,
    cycle_ns: f64,
    link_bytes_per_second: f64,
    series: Vec<SeriesJson<'a>>,
}

#[derive(Serialize)]
struct SeriesJson<'a> {
    pattern: &'a str,
    packet_routing: &'a str,
    switches: usize,
    hosts: u32,
    ports_per_host: u32,
    vcs: u32,
    switching: &'static str,
    freedom_from_deadlock: &'a str,
    saturation: Option<f64>,
    accepted_at_full_load: Option<f64>,
    latency_at_lowest_load: Option<f64>,
    latency_at_lowest_load_ns: Option<f64>,
    #[serde(flatten)]
    ratios: Ratios,
    points: &'a [Outcome],
}

/// Returns the section for JSON, if the study has one.
pub(super) fn json(c: &Comparison) -> Option<JsonSweep<'_>> {
    let curves = c.packets.as_ref()?;
    let settings = &curves.settings;
    let p: &Parameters = &settings.conditions.parameters;
    Some(JsonSweep {
        mode: settings.conditions.mode,
        process: match settings.conditions.process {
            Process::Bernoulli => "bernoulli",
            Process::Periodic => "periodic",
        },
        warmup: settings.conditions.warmup,
        measure: settings.conditions.measure,
        seeds: &settings.conditions.seeds,
        generator: GENERATOR,
        loads: &settings.conditions.loads,
        packet: p.packet,
        vc_buffer: p.vc_buffer,
        routing_delay: p.routing_delay,
        vc_delay: p.vc_delay,
        switch_delay: p.switch_delay,
        crossing_delay: p.crossing_delay,
        link_delay: p.link_delay,
        host_delay: p.host_delay,
        credit_delay: p.credit_delay,
        speedup: p.speedup,
        wait_for_tail_credit: p.wait_for_tail_credit,
        hold_switch: p.hold_switch,
        count_routed: p.count_routed,
        host_port: p.host_port,
        engine: if settings.conditions.by_packets { "events" } else { "cycles" },
        networks: curves.networks.iter().map(|network| network_json(c, curves, network)).collect(),
        left_out: &curves.left_out,
    })
}

fn network_json<'a>(c: &'a Comparison, curves: &'a PacketCurves, network: &'a NetworkCurves) -> NetworkJson<'a> {
    let series = |(pattern, series): (usize, &'a Series)| SeriesJson {
        pattern: &series.pattern,
        packet_routing: &series.routing,
        switches: series.switches,
        hosts: series.hosts,
        ports_per_host: series.ports,
        vcs: series.vcs,
        switching: series.switching.map_or("bufferless", |switching| switching.name()),
        freedom_from_deadlock: &series.freedom,
        saturation: series.saturation,
        accepted_at_full_load: series.accepted_at_full_load,
        latency_at_lowest_load: first_latency(series),
        latency_at_lowest_load_ns: first_latency(series).map(|cycles| cycles * network.cycle_ns),
        ratios: ratios(curves, network, pattern),
        points: &series.points,
    };
    let known = network.series.iter().enumerate().filter_map(|(pattern, series)| Some((pattern, series.as_ref()?)));
    NetworkJson {
        column: JsonColumn::of(c, network.column),
        cycle_ns: network.cycle_ns,
        link_bytes_per_second: network.bandwidth,
        series: known.map(series).collect(),
    }
}
