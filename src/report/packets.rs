//! Sheets of packet simulations.

use super::number::grouped;
use super::packet_notes::{
    few_packets, free_cables, full_cables, headings_in_words, remarks, special_in_words, switches_in_words,
    switching_in_words, unequal_hosts,
};
use super::packet_tables::{self, Shape, word};
use super::sheet::{Column, Datum, Rows, Sheet};
use crate::defaults::Version;
use crate::packets::outline::Outline;
use crate::packets::parameters::Parameters;
use crate::packets::random::GENERATOR;
use crate::packets::run::Mode;
use crate::packets::series::Series;
use crate::packets::statistics::Logged;

/// Beginning of the headings of CSV.
pub(super) const HEADINGS: &str = "series,topology,routing,pattern,load,accepted,latency_mean,";

const fn column(name: &'static str, heading: &'static str) -> Column {
    Column { name, heading: Some(heading) }
}

/// Duration of a cycle, and its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cycle {
    /// Duration in nanoseconds.
    pub ns: f64,
    /// Version of the defaults.
    pub defaults: Version,
}

fn facts(parameters: &Parameters, cycle: Cycle) -> Vec<(&'static str, &'static str, Datum)> {
    let count = |value: u32| Datum::Count(value.into());
    vec![
        ("defaults", "defaults", Datum::Text(cycle.defaults.name().to_owned())),
        ("cycle_ns", "cycle (ns)", Datum::Number(cycle.ns, 3)),
        ("packet", "packet (flits)", count(parameters.packet)),
        ("vc_buffer", "VC buffer (flits)", count(parameters.vc_buffer)),
        ("routing_delay", "routing", count(parameters.routing_delay)),
        ("vc_delay", "VC allocation", count(parameters.vc_delay)),
        ("switch_delay", "switch allocation", count(parameters.switch_delay)),
        ("crossing_delay", "crossing", count(parameters.crossing_delay)),
        ("link_delay", "link", count(parameters.link_delay)),
        ("host_delay", "host link", count(parameters.host_delay)),
        ("credit_delay", "credit", count(parameters.credit_delay)),
        ("speedup", "speed-up", count(parameters.speedup)),
        ("wait_for_tail_credit", "wait for tail", Datum::Flag(parameters.wait_for_tail_credit)),
        ("hold_switch", "held switches", Datum::Flag(parameters.hold_switch)),
        ("count_routed", "count routed", Datum::Flag(parameters.count_routed)),
        ("host_port", "host ports", word(parameters.host_port)),
    ]
}

fn cable_fact(cycles_per_metre: f64, cycle: Cycle) -> (&'static str, &'static str, Datum) {
    ("cable_delay_ns", "cable (ns/m)", Datum::Number(cycles_per_metre * cycle.ns, 3))
}

/// Most packets of a list that text shows.
const LISTED: usize = 1000;

/// Returns the sheet of a sweep.
pub fn sheet(sweep: &Outline, all: &[Series], cycle: Cycle) -> Sheet {
    let shape = Shape::of(sweep, all);
    let mut tables = vec![packet_tables::of_series(sweep, all, shape, cycle.ns)];
    if sweep.seeds.len() > 1 {
        tables.push(packet_tables::of_means(sweep, all, shape));
    }
    tables.push(packet_tables::of_points(all, shape, cycle.ns));
    Sheet {
        schema: "mopsim.packets/2",
        title: title(sweep, all, shape),
        facts: facts_of_sweep(sweep, shape, cycle),
        tables,
        detail: None,
        notes: notes(sweep, all, cycle, &(1..=all.len()).map(|number| number.to_string()).collect::<Vec<_>>()),
    }
}

/// Properties that are the same everywhere are in the title.
fn title(sweep: &Outline, all: &[Series], shape: Shape) -> String {
    let networks = match sweep.networks.len() {
        1 => "1 network".to_owned(),
        count => format!("{count} networks"),
    };
    let mut title = format!("Packets on {networks}");
    if let Some(series) = all.first() {
        if shape.one_routing {
            title += &format!(", routing {}", series.routing);
        }
        if shape.one_pattern {
            title += &format!(", {} traffic", series.pattern);
        }
    }
    title
}

fn facts_of_sweep(sweep: &Outline, shape: Shape, cycle: Cycle) -> Vec<(&'static str, &'static str, Datum)> {
    let text = |text: &str| Datum::Text(text.to_owned());
    let mode = match sweep.mode {
        Mode::Latency => "latency (all measured packets arrive)",
        Mode::Throughput => "throughput (no drain)",
    };
    let mut all = vec![
        ("mode", "mode", text(mode)),
        ("warmup", "warm-up", Datum::Count(sweep.warmup.into())),
        ("measure", "measured", Datum::Count(sweep.measure.into())),
        ("seeds", "seeds", Datum::List(sweep.seeds.clone())),
        ("generator", "generator", text(GENERATOR)),
    ];
    all.extend(facts(&sweep.parameters, cycle));
    if shape.several_ports {
        all.push(("rail", "rail", word(sweep.rail)));
    }
    if sweep.by_packets {
        all.push(("engine", "engine", text("events")));
    }
    all.extend(sweep.cycles_per_metre.map(|cycles_per_metre| cable_fact(cycles_per_metre, cycle)));
    all
}

/// Returns the notes on a sweep, with a name for each series: its number in text, its letter on the page.
pub(super) fn notes(sweep: &Outline, all: &[Series], cycle: Cycle, names: &[String]) -> Vec<String> {
    let shape = Shape::of(sweep, all);
    let mut notes = headings_in_words(sweep.seeds.len(), all);
    notes.extend(unequal_hosts(all));
    let named = names.iter().zip(all).flat_map(|(name, series)| {
        let of_one = move |note: &String| (name.clone(), note.clone());
        series.notes.iter().map(of_one)
    });
    notes.extend(remarks(named, all.len()).into_iter().map(|(note, on)| match on {
        Some(names) => format!("On {names}: {note}"),
        None => note,
    }));
    notes.extend(few_packets(sweep, all));
    if shape.timed {
        notes.extend(full_cables(all, names));
        notes.extend(free_cables(&sweep.parameters, all, names));
    }
    // Text shows no facts next to tables.
    let seeds = match &sweep.seeds[..] {
        [seed] => format!("seed {seed}"),
        several => format!("{} seeds from {}", several.len(), several[0]),
    };
    notes.extend(switching_in_words(all, names));
    notes.push(switches_in_words(&sweep.parameters));
    notes.extend(special_in_words(&sweep.parameters, sweep.process, sweep.by_packets, sweep.allow_deadlock));
    notes.push(format!(
        "{} warm-up cycles, {} measured, {seeds}. A cycle takes {:.3} ns; defaults {}.",
        grouped(sweep.warmup.into()),
        grouped(sweep.measure.into()),
        cycle.ns,
        cycle.defaults.name()
    ));
    notes.extend(sweep.cycles_per_metre.map(|cycles_per_metre| {
        let delay = cycles_per_metre * cycle.ns;
        format!("Cables between switches take {delay:.1} ns/m by floor plan, in whole cycles.")
    }));
    notes
}

/// Returns the sheet of a list of packets. With `cycles_per_metre`, cables take that by their lengths.
pub fn list(
    topology: &str,
    routing: &str,
    parameters: &Parameters,
    cycle: Cycle,
    cycles_per_metre: Option<f64>,
    log: &[Logged],
) -> Sheet {
    let mut all_facts = vec![
        ("topology", "topology", Datum::Text(topology.to_owned())),
        ("routing", "routing", Datum::Text(routing.to_owned())),
        ("vcs", "VCs", Datum::Count(parameters.vcs.into())),
        ("last_arrival", "last arrival", Datum::count(log.iter().map(|p| u64::from(p.tail)).max())),
    ];
    all_facts.extend(facts(parameters, cycle));
    all_facts.extend(cycles_per_metre.map(|cycles| cable_fact(cycles, cycle)));
    let row = |packet: &Logged| {
        let cycles = [packet.injected, packet.head, packet.tail, packet.hops];
        [packet.id].into_iter().chain(cycles.map(u64::from)).map(Datum::Count).collect()
    };
    let packets = Rows {
        name: "packets",
        columns: vec![
            column("packet", "packet"),
            column("injected", "injected"),
            column("head_arrived", "head arrived"),
            column("tail_arrived", "tail arrived"),
            column("hops", "hops"),
        ],
        rows: log.iter().map(row).collect(),
    };
    let mut notes = vec!["Packets are numbered by their lines, from 0; times are cycles.".to_owned()];
    let is_short = log.len() <= LISTED;
    if is_short {
        // Text shows no facts next to tables.
        let last = log.iter().map(|packet| packet.tail).max().unwrap_or(0);
        notes.push(format!(
            "Routing {routing}, {} VCs, a cycle of {:.3} ns; the last packet arrives in cycle {last}.",
            parameters.vcs, cycle.ns
        ));
    } else {
        notes.push("--format csv prints the arrival of each packet.".to_owned());
    }
    let (tables, detail) = if is_short { (vec![packets], None) } else { (Vec::new(), Some(packets)) };
    let title = format!("{} packets on {topology}", log.len());
    Sheet { schema: "mopsim.packet-list/1", title, facts: all_facts, tables, detail, notes }
}
