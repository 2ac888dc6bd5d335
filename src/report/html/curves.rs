//! Curves of packet simulations: latency against accepted traffic, accepted against offered traffic, and tables of their
//! points. The page of `mopsim packets` and the report of a study show the same.

use super::curve_charts;
use super::pareto::mark;
use super::parts::{Exact, exact};
use super::svg::{look, tick};
use crate::packets::run::Outcome;
use crate::packets::series::Series;
use crate::report::findings::list;
use crate::report::packet_means::{Mean, Scale, first_latency};
use crate::study::statistics::Statistic;
use minijinja::Value;
use serde::Serialize;

/// Relative difference of saturations that are equal: the resolution of the search.
const SAME: f64 = 0.01;
/// Number of rows up to which tables of points are open.
const OPEN_ROWS: usize = 60;

/// A network with a routing under a pattern.
pub(super) struct Curve<'a> {
    /// Short name.
    pub letter: String,
    /// Number that determines colour and mark.
    pub place: usize,
    /// Network and, if there are several, routing.
    pub name: String,
    /// Results.
    pub series: &'a Series,
    /// Means over the seeds, by load.
    pub means: Vec<Mean<'a>>,
    /// Units of its cycles and flits.
    pub scale: Scale,
    /// Index of the baseline's curve under the same pattern, if it has one.
    pub baseline: Option<usize>,
}

/// Curves under one pattern.
pub(super) struct Pattern<'a> {
    /// Name of the pattern.
    pub name: String,
    /// Curves, those of the baseline network first.
    pub curves: Vec<Curve<'a>>,
}

impl Pattern<'_> {
    /// `true` if a curve has a baseline other than itself.
    fn is_relative(&self) -> bool {
        self.curves.iter().enumerate().any(|(own, curve)| curve.baseline.is_some_and(|baseline| baseline != own))
    }
}

/// Units of a chart: flits and cycles, or Gbit/s and nanoseconds if they differ between networks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Units {
    Cycles,
    Time,
}

impl Units {
    fn of(patterns: &[Pattern<'_>]) -> Self {
        let mut scales = patterns.iter().flat_map(|pattern| &pattern.curves).map(|curve| curve.scale);
        let first = scales.next();
        if scales.all(|scale| Some(scale) == first) { Self::Cycles } else { Self::Time }
    }

    /// Returns traffic in flits per host and cycle in these units.
    pub fn traffic(self, flits: f64, curve: &Curve<'_>) -> f64 {
        if self == Self::Cycles { flits } else { flits * curve.scale.bandwidth * 8e-9 }
    }

    /// Returns a latency in cycles in these units.
    pub fn latency(self, cycles: f64, curve: &Curve<'_>) -> f64 {
        if self == Self::Cycles { cycles } else { cycles * curve.scale.cycle_ns }
    }

    pub fn of_traffic(self) -> &'static str {
        if self == Self::Cycles { "flits per host and cycle" } else { "Gbit/s per host" }
    }

    pub fn of_latency(self) -> &'static str {
        if self == Self::Cycles { "cycles" } else { "ns" }
    }
}

#[derive(Serialize)]
pub(super) struct CurveSection {
    /// A sentence for each pattern.
    verdicts: Vec<String>,
    /// Letters and names, in the order of the networks.
    key: Vec<Key>,
    patterns: Vec<PatternCurves>,
    has: Has,
    open: bool,
    /// `true` in the report of a study, whose platforms have delays of their own.
    pub of_study: bool,
}

/// Columns that are not empty.
#[derive(Serialize)]
struct Has {
    saturation: bool,
    latency: bool,
    ratios: bool,
    detours: bool,
    seeds: bool,
    /// `true` if charts have seconds and bytes, since cycles differ.
    time: bool,
    /// `true` if hosts have several ports.
    ports: bool,
}

#[derive(Serialize)]
struct Key {
    letter: String,
    name: String,
    baseline: bool,
    swatch: Value,
    topology: String,
    routing: String,
    switches: usize,
    hosts: String,
    vcs: u32,
    switching: String,
    freedom: String,
}

#[derive(Serialize)]
struct PatternCurves {
    name: String,
    latency: Option<Value>,
    accepted: Value,
    rows: Vec<CurveRow>,
    points: Vec<CurvePoints>,
}

/// Results of a curve that are no points.
#[derive(Serialize)]
struct CurveRow {
    letter: String,
    name: String,
    saturation: Option<Exact>,
    /// Saturation in Gbit/s per host.
    gbit: Option<Exact>,
    saturation_ratio: Option<Exact>,
    full: Option<Exact>,
    full_ratio: Option<Exact>,
    latency: Option<Exact>,
    latency_ns: Option<Exact>,
    latency_ratio: Option<Exact>,
}

/// Points of a curve.
#[derive(Serialize)]
struct CurvePoints {
    letter: String,
    name: String,
    rows: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    load: Exact,
    accepted: Exact,
    accepted_half: Option<Exact>,
    latency: Option<Exact>,
    latency_half: Option<Exact>,
    /// `saturated`, or the number of saturated runs of several; empty if there are none.
    saturated: String,
    quantiles: Vec<Option<Exact>>,
    network_latency: Option<Exact>,
    hops: Option<Exact>,
    hops_max: u32,
    detours: Option<Exact>,
    fairness: Exact,
    least: Exact,
    most: Exact,
    cable_mean: Exact,
    cable_max: Exact,
}

fn mean_of(runs: &[Outcome], value: impl Fn(&Outcome) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = runs.iter().filter_map(value).collect();
    (!values.is_empty()).then(|| Statistic::of(&values).mean)
}

fn decimals(count: usize) -> impl Fn(f64) -> String {
    move |value| format!("{value:.count$}")
}

fn point(mean: &Mean<'_>) -> Point {
    let runs = mean.runs;
    let shown =
        |value: &dyn Fn(&Outcome) -> Option<f64>, digits| mean_of(runs, value).map(|v| exact(v, decimals(digits)));
    let always = |value: fn(&Outcome) -> f64, digits| {
        exact(mean_of(runs, |run| Some(value(run))).unwrap_or(f64::NAN), decimals(digits))
    };
    let cycles =
        |value: fn(&Outcome) -> Option<u32>| shown(&|run| value(run).map(f64::from), usize::from(runs.len() > 1));
    let half = |statistic: Option<Statistic>, digits| {
        statistic.and_then(|s| s.half_width).map(|half| exact(half, decimals(digits)))
    };
    Point {
        load: exact(mean.load, tick),
        accepted: exact(mean.accepted.mean, decimals(4)),
        accepted_half: half(Some(mean.accepted), 4),
        latency: mean.latency.map(|latency| exact(latency.mean, decimals(1))),
        latency_half: half(mean.latency, 1),
        saturated: match (mean.saturated, runs.len()) {
            (0, _) => String::new(),
            (1, 1) => "saturated".into(),
            (some, all) => format!("{some} of {all} saturated"),
        },
        quantiles: vec![
            cycles(|run| run.latency_p50),
            cycles(|run| run.latency_p99),
            cycles(|run| run.latency_p999),
            cycles(|run| run.latency_max),
        ],
        network_latency: shown(&|run| run.network_latency_mean, 1),
        hops: shown(&|run| run.hops_mean, 2),
        hops_max: runs.iter().map(|run| run.hops_max).max().unwrap_or(0),
        detours: shown(&|run| run.deflections_mean, 2),
        fairness: always(|run| run.fairness, 3),
        least: always(|run| run.accepted_least, 3),
        most: always(|run| run.accepted_most, 3),
        cable_mean: always(|run| run.cable_load_mean, 3),
        cable_max: always(|run| run.cable_load_max, 3),
    }
}

impl Curve<'_> {
    /// Returns traffic of this curve over that of its baseline, if both have it.
    fn traffic_ratio(&self, all: &[Self], value: fn(&Series) -> Option<f64>) -> Option<f64> {
        let baseline = &all[self.baseline?];
        Scale::traffic_ratio(value, (self.series, self.scale), (baseline.series, baseline.scale))
    }

    /// Returns the latency at the lowest load over that of its baseline, if both have it.
    fn latency_ratio(&self, all: &[Self]) -> Option<f64> {
        let baseline = &all[self.baseline?];
        Scale::latency_ratio(first_latency, (self.series, self.scale), (baseline.series, baseline.scale))
    }

    fn row(&self, all: &[Self]) -> CurveRow {
        let times = |value: Option<f64>| value.map(|value| exact(value, decimals(2)));
        CurveRow {
            letter: self.letter.clone(),
            name: self.name.clone(),
            saturation: self.series.saturation.map(|s| exact(s, decimals(3))),
            gbit: self.series.carried_by_host().map(|s| exact(Units::Time.traffic(s, self), decimals(1))),
            saturation_ratio: times(self.traffic_ratio(all, Series::carried_by_host)),
            full: self.series.accepted_at_full_load.map(|full| exact(full, decimals(3))),
            full_ratio: times(self.traffic_ratio(all, Series::accepted_by_host)),
            latency: first_latency(self.series).map(|cycles| exact(cycles, decimals(1))),
            latency_ns: first_latency(self.series).map(|cycles| exact(cycles * self.scale.cycle_ns, decimals(1))),
            latency_ratio: times(self.latency_ratio(all)),
        }
    }

    /// Returns the means whose runs are not saturated: the points of the curve of latency.
    pub fn timed(&self) -> impl Iterator<Item = (&Mean<'_>, Statistic)> {
        self.means.iter().filter(|mean| mean.saturated == 0).filter_map(|mean| Some((mean, mean.latency?)))
    }

    fn key(&self) -> Key {
        let colour = look(self.place).0;
        let swatch = format!(
            "<svg class=\"swatch curve-swatch\" viewBox=\"-17 -9 34 18\" aria-hidden=\"true\">\
             <path d=\"M-17 0H17\" class=\"curve stroke-net{colour}\"/>{}</svg>",
            self.mark(0.0, 0.0, "mark")
        );
        let series = self.series;
        Key {
            letter: self.letter.clone(),
            name: self.name.clone(),
            baseline: false,
            swatch: Value::from_safe_string(swatch),
            topology: series.topology.clone(),
            routing: series.routing.clone(),
            switches: series.switches,
            hosts: match series.ports {
                1 => series.hosts.to_string(),
                ports => format!("{} × {ports} ports", series.hosts),
            },
            vcs: series.vcs,
            switching: series.switching.map_or_else(|| "bufferless".into(), |s| s.name().to_owned()),
            freedom: series.freedom.clone(),
        }
    }

    /// Draws the mark of the curve.
    pub fn mark(&self, x: f64, y: f64, class: &str) -> String {
        let outline = mark(self.place);
        let colour = look(self.place).0;
        format!(
            "<path d=\"{outline}\" transform=\"translate({x:.1} {y:.1}) scale(.72)\" class=\"{class} stroke-net{colour}\"/>"
        )
    }
}

/// Largest traffic under a pattern, and the curves that carry it.
struct Most {
    traffic: f64,
    curves: Vec<usize>,
}

/// Returns the curves that carry most under a pattern, in units; `None` if nothing is known.
fn carry_most(pattern: &Pattern<'_>, units: Units) -> Option<Most> {
    let value = |curve: &Curve<'_>| curve.series.carried_by_host().map(|flits| units.traffic(flits, curve));
    let traffic = pattern.curves.iter().filter_map(value).reduce(f64::max)?;
    // Saturation is known within 1 %.
    let is_best = |&at: &usize| value(&pattern.curves[at]).is_some_and(|own| own >= (1.0 - SAME) * traffic);
    Some(Most { traffic, curves: (0..pattern.curves.len()).filter(is_best).collect() })
}

/// Returns the curves that carry most under a pattern, whose flits and cycles are the same for all.
pub(super) fn best(pattern: &Pattern<'_>) -> Vec<usize> {
    carry_most(pattern, Units::Cycles).map_or_else(Vec::new, |most| most.curves)
}

/// Returns the sentence about a pattern: the networks that carry most.
fn verdict(pattern: &Pattern<'_>, units: Units) -> Option<String> {
    let value = |curve: &Curve<'_>| curve.series.carried_by_host().map(|flits| units.traffic(flits, curve));
    let Most { traffic: largest, curves: best } = carry_most(pattern, units)?;
    let curve = &pattern.curves[*best.iter().find(|&&at| value(&pattern.curves[at]) == Some(largest))?];
    let amount = if largest >= 10.0 { format!("{largest:.1}") } else { format!("{largest:.3}") };
    let amount = format!("{amount} {}", units.of_traffic());
    let is_baseline = |&at: &usize| pattern.curves[at].baseline == Some(at);
    let name = |&at: &usize| {
        let curve = &pattern.curves[at];
        let baseline = if is_baseline(&at) && pattern.is_relative() { " (the baseline)" } else { "" };
        format!("{} {}{baseline}", curve.letter, curve.name)
    };
    let names: Vec<String> = best.iter().map(name).collect();
    let names = list(&names);
    let ratio = curve.traffic_ratio(&pattern.curves, Series::carried_by_host);
    let rest = match (&best[..], ratio) {
        _ if pattern.curves.len() == 1 => format!("{names} carries {amount}"),
        ([_], Some(ratio)) if !best.iter().any(is_baseline) => {
            format!("{names} carries most: {amount}, {ratio:.2} times the baseline")
        }
        ([_], _) => format!("{names} carries most: {amount}"),
        _ => format!("{names} carry most, equal within 1 %: {amount}"),
    };
    Some(format!("Under {} traffic, {rest}.", pattern.name))
}

/// Returns the section, if there are curves. `baselines` has the letters of the baselines.
pub(super) fn section(patterns: &[Pattern<'_>], baselines: &[String]) -> Option<CurveSection> {
    let all = || patterns.iter().flat_map(|pattern| &pattern.curves);
    let first = all().next()?;
    let units = Units::of(patterns);
    let mut key: Vec<Key> = Vec::new();
    for curve in all() {
        if key.iter().all(|known| known.letter != curve.letter) {
            key.push(Key { baseline: baselines.contains(&curve.letter), ..curve.key() });
        }
    }
    let runs = || all().flat_map(|curve| &curve.series.points);
    let shown = |(number, pattern): (usize, &Pattern<'_>)| PatternCurves {
        name: pattern.name.clone(),
        latency: curve_charts::latency(pattern, number, units).map(Value::from_safe_string),
        accepted: Value::from_safe_string(curve_charts::accepted(pattern, number, units)),
        rows: pattern.curves.iter().map(|curve| curve.row(&pattern.curves)).collect(),
        points: pattern
            .curves
            .iter()
            .map(|curve| CurvePoints {
                letter: curve.letter.clone(),
                name: curve.name.clone(),
                rows: curve.means.iter().map(point).collect(),
            })
            .collect(),
    };
    Some(CurveSection {
        verdicts: patterns.iter().filter_map(|pattern| verdict(pattern, units)).collect(),
        has: Has {
            saturation: all().any(|curve| curve.series.accepted_at_full_load.is_some()),
            latency: runs().any(|run| run.latency_mean.is_some()),
            ratios: patterns.iter().any(|pattern| pattern.is_relative()),
            detours: runs().any(|run| run.deflections_mean.is_some()),
            seeds: all().any(|curve| curve.means.iter().any(|mean| mean.runs.len() > 1)),
            time: units == Units::Time,
            ports: all().any(|curve| curve.series.ports > 1),
        },
        key,
        of_study: false,
        open: all().map(|curve| curve.means.len()).sum::<usize>() <= OPEN_ROWS,
        patterns: patterns.iter().enumerate().filter(|(_, p)| !p.curves.is_empty()).map(shown).collect(),
    })
    .filter(|_| !first.means.is_empty())
}
