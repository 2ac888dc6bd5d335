//! Comparisons as one table: a row per replay, and every factor and result in a column of its own.
//!
//! CSV and the data frames of the Python package consist of this table. A column has one name and one unit everywhere:
//! `network` is a name, `spec` a specification. Columns are only ever added, at the end. Those of extrapolated times are
//! only in comparisons that have any.

use super::sheet::{Column, Datum, Rows};
use crate::platform::speeds::{Resolved, Values};
use crate::study::comparison::{Comparison, Run};
use crate::study::network::NetworkInfo;
use crate::study::plan::Setting;
use crate::study::procurement::NetworkCost;
use crate::study::steady::Extrapolation;

/// A replay and its comparison.
#[derive(Clone, Copy)]
struct TidyRow<'a> {
    all: &'a Comparison,
    run: &'a Run,
}

impl<'a> TidyRow<'a> {
    fn network(&self) -> &'a NetworkInfo {
        &self.all.networks[self.run.network]
    }

    fn setting(&self) -> &'a Setting {
        &self.all.settings[self.run.network]
    }

    fn cost(&self, value: fn(&NetworkCost) -> Option<f64>) -> Datum {
        Datum::number(self.all.costs[self.run.network].as_ref().and_then(value), 2)
    }

    /// Returns a parameter of the network; missing if a platform file lists its links.
    fn parameter(&self, value: impl Fn(&Resolved) -> Datum) -> Datum {
        self.network().parameters.as_ref().map_or(Datum::Missing, value)
    }
}

/// Column: its name, and the value of a row.
type Of = (&'static str, fn(TidyRow<'_>) -> Datum);

fn text(value: &str) -> Datum {
    Datum::Text(value.to_owned())
}

fn optional(value: Option<&String>) -> Datum {
    value.map_or(Datum::Missing, |value| text(value))
}

fn exact(value: f64) -> Datum {
    Datum::Number(value, 3)
}

/// Returns a speed in bytes, flops or seconds, or a range if links or hosts differ.
fn speed(values: Option<Values>) -> Datum {
    match values {
        None => Datum::Missing,
        Some(values) if values.least == values.greatest => exact(values.least),
        Some(values) => Datum::Text(values.text(|value| value.to_string())),
    }
}

/// Returns an end of a range, for programs that compute with it.
fn end(values: Option<Values>, of: fn(Values) -> f64) -> Datum {
    values.map_or(Datum::Missing, |values| exact(of(values)))
}

/// Returns a parameter of the link between a host and its switch, which a network may not have.
fn or_none(value: Option<f64>) -> Datum {
    value.map_or_else(|| text("none"), exact)
}

/// Columns with which every comparison begins.
const RESULT: [Of; 7] = [
    ("workload", |row| text(&row.all.workloads[row.run.workload].name)),
    ("topology", |row| text(&row.all.plain_names[row.run.network])),
    ("seed", |row| Datum::count(row.run.record.seed)),
    ("simulated_seconds", |row| exact(row.run.record.simulated_seconds)),
    ("mops", |row| Datum::number(row.run.record.mops, 0)),
    ("relative", |row| exact(row.run.relative)),
    ("baseline", |row| text(&row.all.plain_names[row.all.baselines[row.run.network]])),
];

/// Columns of the setting: after the first ones in studies that vary it, and at the end in others.
const SETTING: [Of; 3] = [
    ("platform", |row| optional(row.setting().platform.as_ref())),
    ("mapping", |row| text(&row.setting().mapping)),
    ("collectives", |row| text(&row.setting().collectives)),
];

const ROUTING_SETTING: Of = ("routing_setting", |row| optional(row.setting().routing.as_ref()));

const MODEL: Of = ("model", |row| match &row.setting().model {
    Some(model) => text(model),
    None => text(&row.all.model.network_model),
});

/// Columns of the network.
const NETWORK: [Of; 11] = [
    ("routing", |row| optional(row.network().routing.as_ref())),
    ("routing_kind", |row| text(row.network().routing_nature)),
    ("duplex", |row| optional(row.network().duplex.as_ref())),
    ("link_bandwidth", |row| speed(row.network().speeds.link_bandwidth)),
    ("link_latency", |row| speed(row.network().speeds.link_latency)),
    ("bare_link_latency", |row| row.parameter(|p| exact(p.link_latency))),
    ("switch_delay", |row| row.parameter(|p| exact(p.switch_delay))),
    ("cable_delay", |row| row.parameter(|p| exact(p.cable_delay))),
    ("host_link_bandwidth", |row| row.parameter(|p| or_none(p.host_link_bandwidth))),
    ("host_link_latency", |row| row.parameter(|p| or_none(p.host_link_latency))),
    ("defaults", |row| row.parameter(|p| text(p.defaults))),
];

/// Columns of further factors and results, under their names in `mopsim replay --format csv` and
/// `mopsim topology --format csv`.
const MORE: [Of; 34] = [
    ("network", |row| text(&row.all.plain_names[row.run.network])),
    ("spec", |row| text(&row.network().topology)),
    ("family", |row| row.network().family().map_or(Datum::Missing, text)),
    ("hosts", |row| Datum::Count(row.network().hosts as u64)),
    ("ranks", |row| Datum::Count(row.all.workloads[row.run.workload].ranks as u64)),
    ("repetition", |row| Datum::Count(row.run.repetition as u64)),
    ("weight", |row| exact(row.all.weights[row.run.workload])),
    ("operations", |row| Datum::number(row.all.workloads[row.run.workload].operations, 0)),
    ("core_flops", |row| speed(row.network().speeds.core_flops)),
    ("cores", |row| speed(row.network().speeds.cores)),
    ("floor_plan", |row| row.parameter(|p| text(p.floor_plan))),
    ("sharing", |row| text(&row.all.model.sharing)),
    ("price", |row| row.cost(|cost| cost.dollars)),
    ("watts", |row| row.cost(|cost| cost.watts)),
    ("cable_metres", |row| row.cost(|cost| cost.metres)),
    ("total_cost", |row| row.cost(|cost| cost.total)),
    ("actions", |row| Datum::Count(row.run.record.actions)),
    ("messages", |row| Datum::Count(row.run.record.messages)),
    ("bytes", |row| Datum::Count(row.run.record.bytes)),
    ("compute_mean_seconds", |row| exact(row.run.record.times.compute)),
    ("communication_mean_seconds", |row| exact(row.run.record.times.communication)),
    ("waiting_mean_seconds", |row| exact(row.run.record.times.waiting)),
    ("compute_share", |row| exact(row.run.record.explanation.time_shares.compute)),
    ("latency_share", |row| exact(row.run.record.explanation.time_shares.latency)),
    ("bandwidth_share", |row| exact(row.run.record.explanation.time_shares.bandwidth)),
    ("waiting_share", |row| exact(row.run.record.explanation.time_shares.waiting)),
    ("average_hops", |row| Datum::number(row.run.record.explanation.average_hops, 2)),
    ("busiest_link", |row| optional(row.run.record.explanation.busiest_links.first().map(|busy| &busy.link))),
    ("busiest_link_utilisation", |row| {
        Datum::number(row.run.record.explanation.busiest_links.first().map(|busy| busy.utilisation), 3)
    }),
    ("failures", |row| row.setting().failures.as_ref().map_or(Datum::Missing, |failed| Datum::Text(failed.name()))),
    ("link_bandwidth_min", |row| end(row.network().speeds.link_bandwidth, |values| values.least)),
    ("link_bandwidth_max", |row| end(row.network().speeds.link_bandwidth, |values| values.greatest)),
    ("link_latency_min", |row| end(row.network().speeds.link_latency, |values| values.least)),
    ("link_latency_max", |row| end(row.network().speeds.link_latency, |values| values.greatest)),
];

/// Columns of times that are extrapolated from some iterations.
const EXTRAPOLATED: [Of; 5] = [
    ("half_width_seconds", |row| estimate(row, |found| found.half_width)),
    ("relative_half_width", |row| row.run.half_width.map_or(Datum::Missing, exact)),
    ("replayed_iterations", |row| {
        Datum::count(row.run.record.extrapolation.map(|found| found.replayed_iterations as u64))
    }),
    ("iterations", |row| Datum::count(row.run.record.extrapolation.map(|found| found.iterations as u64))),
    ("replayed_seconds", |row| estimate(row, |found| found.replayed_seconds)),
];

fn estimate(row: TidyRow<'_>, value: fn(Extrapolation) -> f64) -> Datum {
    row.run.record.extrapolation.map_or(Datum::Missing, |found| exact(value(found)))
}

/// Returns the columns of a comparison. Every comparison has all but the last ones. If a study varies a setting, its column is
/// further left, as in earlier versions, which had it only in such studies.
fn columns(comparison: &Comparison) -> Vec<Of> {
    let any = |given: fn(&Setting) -> bool| comparison.settings.iter().any(given);
    let early = [
        (comparison.has_settings(), &SETTING[..]),
        (any(|setting| setting.routing.is_some()), &[ROUTING_SETTING]),
        (any(|setting| setting.model.is_some()), &[MODEL]),
    ];
    let of = |wanted: bool| early.into_iter().filter(move |(early, _)| *early == wanted).flat_map(|(_, list)| list);
    let all = RESULT.iter().chain(of(true)).chain(&NETWORK).chain(of(false)).chain(&MORE);
    let extrapolated: &[Of] = if comparison.is_extrapolated() { &EXTRAPOLATED } else { &[] };
    all.chain(extrapolated).copied().collect()
}

/// Returns the table: a row per replay, workload by workload, network by network, repetition by repetition.
pub fn rows(comparison: &Comparison) -> Rows {
    let columns = columns(comparison);
    let row = |run: &Run| columns.iter().map(|(_, value)| value(TidyRow { all: comparison, run })).collect();
    Rows {
        name: "cells",
        columns: columns.iter().map(|&(name, _)| Column { name, heading: Some(name) }).collect(),
        rows: comparison.runs.iter().map(row).collect(),
    }
}
