//! Tables of a sweep of packets: series, means over seeds, and points.
//!
//! The value of each column stands beside its name.

use super::packet_means::{Mean, Scale, first_latency, means, ratio};
use super::sheet::{Column, Datum, Rows};
use crate::packets::outline::Outline;
use crate::packets::run::{Mode, Outcome};
use crate::packets::series::Series;

/// Columns of a table with rows of type `R`, each with its value in a row.
struct Columns<'a, R>(Vec<(Column, Value<'a, R>)>);

type Value<'a, R> = Box<dyn Fn(&R) -> Datum + 'a>;

impl<'a, R: 'a> Columns<'a, R> {
    fn new() -> Self {
        Self(Vec::new())
    }

    /// Columns of rows that are on one series: its number, and its names for programs.
    fn of_series(series: fn(&R) -> (usize, &Series)) -> Self {
        Self::new()
            .shown("series", "#", move |row| number(series(row).0))
            .hidden("topology", move |row| text(&series(row).1.topology))
            .hidden("routing", move |row| text(&series(row).1.routing))
            .hidden("pattern", move |row| text(&series(row).1.pattern))
    }

    fn add(mut self, name: &'static str, heading: Option<&'static str>, value: impl Fn(&R) -> Datum + 'a) -> Self {
        self.0.push((Column { name, heading }, Box::new(value)));
        self
    }

    /// Adds a column that text shows if `shown`; other formats always have it.
    fn shown_if(
        self,
        shown: bool,
        name: &'static str,
        heading: &'static str,
        value: impl Fn(&R) -> Datum + 'a,
    ) -> Self {
        self.add(name, shown.then_some(heading), value)
    }

    fn shown(self, name: &'static str, heading: &'static str, value: impl Fn(&R) -> Datum + 'a) -> Self {
        self.add(name, Some(heading), value)
    }

    fn hidden(self, name: &'static str, value: impl Fn(&R) -> Datum + 'a) -> Self {
        self.add(name, None, value)
    }

    /// Returns the table with these rows.
    fn table(self, name: &'static str, rows: impl Iterator<Item = R>) -> Rows {
        let (columns, values): (Vec<Column>, Vec<Value<'a, R>>) = self.0.into_iter().unzip();
        Rows { name, columns, rows: rows.map(|row| values.iter().map(|value| value(&row)).collect()).collect() }
    }
}

/// Returns the name of a choice, as in JSON.
pub(super) fn word(value: impl serde::Serialize) -> Datum {
    let value = serde_json::to_value(value).expect("a choice is written as its name");
    Datum::Text(value.as_str().expect("a choice is written as its name").to_owned())
}

fn text(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

/// The number of a series, from 1.
fn number(index: usize) -> Datum {
    Datum::Count(index as u64 + 1)
}

/// Properties shared by all series of a sweep.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    /// `true` if all series have one routing.
    pub one_routing: bool,
    /// `true` if all series have one pattern.
    pub one_pattern: bool,
    /// `true` if a host of any series has several ports.
    pub several_ports: bool,
    /// `true` if a series has no buffers.
    pub deflected: bool,
    /// `true` if a run ends when its packets have arrived, which shows whether the network carries the load.
    pub timed: bool,
    pub several_networks: bool,
}

impl Shape {
    pub fn of(sweep: &Outline, all: &[Series]) -> Self {
        Self {
            one_routing: all.iter().all(|series| series.routing == all[0].routing),
            one_pattern: all.iter().all(|series| series.pattern == all[0].pattern),
            several_ports: all.iter().any(|series| series.ports > 1),
            deflected: all.iter().any(|series| series.switching.is_none()),
            timed: sweep.mode == Mode::Latency,
            several_networks: sweep.networks.len() > 1,
        }
    }
}

/// A series with its number, and the baseline with the same routing, or the same place in the list, and the same pattern.
type Related<'a> = (usize, &'a Series, &'a Series);

/// Returns the table with a row for each series.
pub(super) fn of_series(sweep: &Outline, all: &[Series], shape: Shape, cycle_ns: f64) -> Rows {
    let per_host = |of, (_, series, baseline): &Related<'_>| {
        let same = Scale { cycle_ns: 1.0, bandwidth: 1.0 };
        Scale::traffic_ratio(of, (series, same), (baseline, same))
    };
    let columns = Columns::<Related<'_>>::new()
        .shown("series", "#", |r| number(r.0))
        .shown("topology", "topology", |r| text(&r.1.topology))
        .shown_if(!shape.one_routing, "routing", "routing", |r| text(&r.1.routing))
        .shown_if(!shape.one_pattern, "pattern", "pattern", |r| text(&r.1.pattern))
        .hidden("switches", |r| Datum::Count(r.1.switches as u64))
        .shown("hosts", "hosts", |r| Datum::Count(r.1.hosts.into()))
        .shown_if(shape.several_ports, "ports_per_host", "ports", |r| Datum::Count(r.1.ports.into()))
        .shown("vcs", "VCs", |r| Datum::Count(r.1.vcs.into()))
        .hidden("switching", |r| r.1.switching.map_or_else(|| text("bufferless"), word))
        .shown("saturation", "carried", |r| Datum::number(r.1.saturation, 3))
        .shown("accepted_at_full_load", "at 1.0", |r| Datum::number(r.1.accepted_at_full_load, 4))
        .shown("latency_at_lowest_load", "latency", |r| Datum::number(first_latency(r.1), 2))
        .hidden("latency_at_lowest_load_ns", move |r| {
            Datum::number(first_latency(r.1).map(|cycles| cycles * cycle_ns), 1)
        })
        .shown_if(shape.several_networks, "saturation_ratio", "carried, rel.", |r| {
            Datum::number(per_host(Series::carried_by_host, r), 2)
        })
        .shown_if(shape.several_networks, "latency_ratio", "latency, rel.", |r| {
            Datum::number(ratio(first_latency(r.1), first_latency(r.2)), 2)
        })
        .hidden("freedom_from_deadlock", |r| text(&r.1.freedom))
        .hidden("network", |r| text(&r.1.topology))
        .hidden("spec", |r| text(&r.1.topology))
        .hidden("family", |r| text(&r.1.family));
    let runs = sweep.series_of_network();
    columns.table("series", all.iter().enumerate().map(|(index, series)| (index, series, &all[index % runs])))
}

/// Means over the seeds of a load, and the series with its number.
type Averaged<'a> = (usize, &'a Series, Mean<'a>);

/// Returns the table with a row for each load of each series.
pub(super) fn of_means(sweep: &Outline, all: &[Series], shape: Shape) -> Rows {
    let rows = all.iter().enumerate().flat_map(|(index, series)| {
        means(series, sweep.seeds.len()).into_iter().map(move |mean| (index, series, mean))
    });
    let columns = Columns::<Averaged<'_>>::of_series(|r| (r.0, r.1))
        .shown("load", "load", |r| Datum::Number(r.2.load, 3))
        .shown("accepted", "accepted", |r| Datum::Number(r.2.accepted.mean, 4))
        .shown("accepted_interval", "+-", |r| Datum::number(r.2.accepted.half_width, 4))
        .shown("latency_mean", "latency", |r| Datum::number(r.2.latency.map(|latency| latency.mean), 2))
        .shown("latency_interval", "+-", |r| Datum::number(r.2.latency.and_then(|latency| latency.half_width), 2))
        .shown_if(shape.timed, "saturated_runs", "saturated runs", move |r| {
            Datum::count(shape.timed.then_some(r.2.saturated as u64))
        });
    columns.table("means", rows)
}

/// A run, and the series with its number.
type Point<'a> = (usize, &'a Series, &'a Outcome);

/// Returns the table with a row for each run.
pub(super) fn of_points(all: &[Series], shape: Shape, cycle_ns: f64) -> Rows {
    let columns = Columns::<Point<'_>>::of_series(|r| (r.0, r.1))
        .shown("load", "load", |r| Datum::Number(r.2.load, 3))
        .shown("accepted", "accepted", |r| Datum::Number(r.2.accepted, 4))
        .shown("latency_mean", "latency", |r| Datum::number(r.2.latency_mean, 2))
        .hidden("latency_p50", |r| Datum::count(r.2.latency_p50.map(u64::from)))
        .shown("latency_p99", "p99", |r| Datum::count(r.2.latency_p99.map(u64::from)))
        .hidden("latency_p999", |r| Datum::count(r.2.latency_p999.map(u64::from)))
        .hidden("latency_max", |r| Datum::count(r.2.latency_max.map(u64::from)))
        .hidden("latency_mean_ns", move |r| Datum::number(r.2.latency_mean.map(|cycles| cycles * cycle_ns), 1))
        .hidden("network_latency_mean", |r| Datum::number(r.2.network_latency_mean, 2))
        .shown("hops_mean", "hops", |r| Datum::number(r.2.hops_mean, 3))
        .hidden("hops_max", |r| Datum::Count(r.2.hops_max.into()));
    let columns = match shape.deflected {
        true => columns.shown("deflections_mean", "detours", |r| Datum::number(r.2.deflections_mean, 3)),
        false => columns,
    };
    let columns = columns
        .shown_if(shape.timed, "saturated", "saturated", move |r| match shape.timed {
            true => Datum::Flag(r.2.saturated),
            false => Datum::Missing,
        })
        .hidden("accepted_least", |r| Datum::Number(r.2.accepted_least, 4))
        .hidden("accepted_most", |r| Datum::Number(r.2.accepted_most, 4))
        .hidden("fairness", |r| Datum::Number(r.2.fairness, 4))
        .hidden("cable_load_mean", |r| Datum::Number(r.2.cable_load_mean, 4))
        .shown("cable_load_max", "busiest cable", |r| Datum::Number(r.2.cable_load_max, 4))
        .hidden("packets_inside", |r| Datum::Number(r.2.packets_inside, 2))
        .hidden("packets", |r| Datum::Count(r.2.packets))
        .hidden("seed", |r| Datum::Count(r.2.seed))
        .hidden("network", |r| text(&r.1.topology))
        .hidden("spec", |r| text(&r.1.topology))
        .hidden("family", |r| text(&r.1.family))
        .hidden("hosts", |r| Datum::Count(r.1.hosts.into()));
    let rows = all
        .iter()
        .enumerate()
        .flat_map(|(index, series)| series.points.iter().map(move |point| (index, series, point)));
    columns.table("points", rows)
}
