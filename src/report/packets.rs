//! Sheets of packet simulations.

use super::number::grouped;
use super::packet_notes::{
    few_packets, free_cables, full_cables, headings_in_words, special_in_words, switches_in_words, switching_in_words,
    unequal_hosts,
};
use super::packet_tables::{self, Shape};
use super::sheet::{Column, Datum, Rows, Sheet};
use crate::defaults::Version;
use crate::packets::outline::Outline;
use crate::packets::parameters::Parameters;
use crate::packets::random::GENERATOR;
use crate::packets::run::{Mode, Outcome};
use crate::packets::series::Series;
use crate::packets::statistics::Logged;
use crate::study::statistics::Statistic;

/// Beginning of the headings of CSV.
pub(super) const HEADINGS: &str = "series,topology,routing,pattern,load,accepted,latency_mean,";

const fn column(name: &'static str, heading: &'static str) -> Column {
    Column { name, heading: Some(heading) }
}

/// Means over the seeds of a load.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mean<'a> {
    /// Flits offered per host and cycle.
    pub load: f64,
    /// Flits accepted per host and cycle.
    pub accepted: Statistic,
    /// Cycles from creation to the arrival of the tail, of the runs that are not saturated; `None` if all are.
    pub latency: Option<Statistic>,
    /// Number of saturated runs.
    pub saturated: usize,
    /// Runs, one per seed.
    pub runs: &'a [Outcome],
}

impl<'a> Mean<'a> {
    fn of(runs: &'a [Outcome]) -> Self {
        let accepted: Vec<f64> = runs.iter().map(|run| run.accepted).collect();
        let latency: Vec<f64> = runs.iter().filter_map(|run| run.latency_mean).collect();
        Self {
            load: runs[0].load,
            accepted: Statistic::of(&accepted),
            latency: (!latency.is_empty()).then(|| Statistic::of(&latency)),
            saturated: runs.iter().filter(|run| run.saturated).count(),
            runs,
        }
    }
}

/// Returns the means over the seeds, load by load.
pub(super) fn means(series: &Series, seeds: usize) -> Vec<Mean<'_>> {
    series.points.chunks(seeds.max(1)).map(Mean::of).collect()
}

/// Units of a network's cycles and flits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// Nanoseconds of a cycle.
    pub cycle_ns: f64,
    /// Bytes per second of a link; 1 if it is unknown and the same for all.
    pub bandwidth: f64,
}

impl Scale {
    /// Returns traffic of a host of a series over that of the baseline, in bytes per second.
    pub fn traffic_ratio(
        value: fn(&Series) -> Option<f64>,
        own: (&Series, Self),
        baseline: (&Series, Self),
    ) -> Option<f64> {
        // The factor of equal networks is exactly 1.
        ratio(value(own.0), value(baseline.0)).map(|ratio| ratio * (own.1.bandwidth / baseline.1.bandwidth))
    }

    /// Returns a latency of a series over that of the baseline; `None` if their cycles differ. Delays are numbers of cycles,
    /// so the switches and cables of one of them would be faster for no reason.
    pub fn latency_ratio(
        value: fn(&Series) -> Option<f64>,
        own: (&Series, Self),
        baseline: (&Series, Self),
    ) -> Option<f64> {
        ratio(value(own.0), value(baseline.0)).filter(|_| own.1.cycle_ns == baseline.1.cycle_ns)
    }
}

/// Returns a value over that of the baseline, if both exist.
pub(super) fn ratio(value: Option<f64>, baseline: Option<f64>) -> Option<f64> {
    Some(value? / baseline?).filter(|ratio| ratio.is_finite())
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

/// Returns the name of a choice, as in JSON.
pub(super) fn word(value: impl serde::Serialize) -> Datum {
    let value = serde_json::to_value(value).expect("a choice is written as its name");
    Datum::Text(value.as_str().expect("a choice is written as its name").to_owned())
}

/// Returns the mean latency at the lowest load over all seeds; `None` if a run has none.
pub(super) fn first_latency(series: &Series) -> Option<f64> {
    let lowest = series.points.first()?.load;
    let runs = series.points.iter().take_while(|point| point.load == lowest);
    let all: Vec<f64> = runs.map(|point| point.latency_mean).collect::<Option<_>>()?;
    Some(all.iter().sum::<f64>() / all.len() as f64)
}

/// Returns remarks, each with the names of what it is on; `None` if it is on all of `of` things.
pub(super) fn remarks(all: impl Iterator<Item = (String, String)>, of: usize) -> Vec<(String, Option<String>)> {
    let mut remarks: Vec<(String, Vec<String>)> = Vec::new();
    for (name, remark) in all {
        match remarks.iter_mut().find(|(known, _)| *known == remark) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => remarks.push((remark, vec![name])),
        }
    }
    let on = |names: Vec<String>| (names.len() < of).then(|| names.join(", "));
    remarks.into_iter().map(|(remark, names)| (remark, on(names))).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_of_three_values() {
        let run = |seed: u64, latency_mean: Option<f64>| Outcome {
            load: 0.1,
            seed,
            accepted: seed as f64,
            saturated: latency_mean.is_none(),
            latency_mean,
            ..Outcome::default()
        };
        let runs = [run(1, None), run(2, Some(5.0)), run(3, None)];
        // Mean 2, standard deviation 1, t = 4.302653: 4.302653 / sqrt(3).
        let mean = Mean::of(&runs);
        assert_eq!((mean.load, mean.accepted.mean, mean.saturated), (0.1, 2.0, 2));
        assert!((mean.accepted.half_width.unwrap() - 2.484_138).abs() < 1e-5);
        let latency = mean.latency.unwrap();
        assert_eq!((latency.mean, latency.half_width), (5.0, None));
        assert!(Mean::of(&runs[..1]).latency.is_none());
    }
}
