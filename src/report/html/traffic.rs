//! Throughput of the networks under synthetic traffic: bars of saturation relative to the baseline, and a table.

use super::bars::{self, Bar, BarGroup, Chart};
use super::parts::{Exact, View, exact};
use super::svg::ratio;
use crate::markup::script_safe;
use crate::report::label::short;
use crate::report::number::percent;
use crate::report::throughput::{label, without_seed};
use crate::study::carried::SyntheticTraffic;
use crate::study::comparison::Comparison;
use crate::study::mean::geometric;
use crate::throughput::Cell;
use minijinja::Value;
use serde::Serialize;
use std::io;

#[derive(Serialize)]
pub(super) struct TrafficSection {
    wide: Value,
    narrow: Value,
    patterns: Vec<Pattern>,
    notes: Vec<String>,
    /// Results for a script element.
    json: Value,
}

#[derive(Serialize)]
struct Pattern {
    name: String,
    rows: Vec<TrafficRow>,
}

#[derive(Serialize)]
struct TrafficRow {
    letter: String,
    network: String,
    saturation: Option<Exact>,
    relative: Option<Exact>,
    fair: Option<Exact>,
    bound: Option<Exact>,
    part: Option<Exact>,
    hops: Option<Exact>,
    link: Option<String>,
}

/// Returns the bytes per second per host for an injection of one link bandwidth.
fn bytes_of_a_link(cell: &Cell) -> Option<f64> {
    let injection = cell.saturation.filter(|injection| *injection > 0.0)?;
    cell.saturation_bytes_per_second.map(|bytes| bytes / injection)
}

/// Returns the saturation under a pattern over that of the baseline network.
fn relative(view: &View<'_>, carried: &[SyntheticTraffic], network: &SyntheticTraffic, pattern: usize) -> Option<f64> {
    let saturation = |of: &SyntheticTraffic| of.cells[pattern].as_ref().ok()?.saturation_bytes_per_second;
    let column = view.comparison.baselines[network.column];
    let baseline = carried.iter().find(|other| other.column == column)?;
    let ratio = saturation(network)? / saturation(baseline)?;
    ratio.is_finite().then_some(ratio)
}

fn row(view: &View<'_>, carried: &[SyntheticTraffic], network: &SyntheticTraffic, pattern: usize) -> TrafficRow {
    let cell = network.cells[pattern].as_ref().ok();
    let gbit = |bytes: f64| exact(bytes * 8e-9, |g| format!("{g:.2}"));
    let scale = cell.and_then(bytes_of_a_link);
    let in_bytes = |injection: f64| scale.map(|scale| gbit(injection * scale));
    let bound = cell.map(|cell| cell.bounds.upper()).filter(|bound| bound.is_finite());
    TrafficRow {
        letter: short(view.comparison, network.column),
        network: view.comparison.networks[network.column].name.clone(),
        saturation: cell.and_then(|cell| cell.saturation_bytes_per_second).map(gbit),
        relative: relative(view, carried, network, pattern).map(|r| exact(r, |r| format!("{r:.3}"))),
        fair: cell.and_then(|cell| cell.fair.as_ref()).and_then(|fair| in_bytes(fair.accepted)),
        bound: bound.and_then(in_bytes),
        part: cell.and_then(|cell| cell.share_of_bound).map(|part| exact(part, percent)),
        hops: cell.map(|cell| exact(cell.zero_load.mean_hops, |h| format!("{h:.2}"))),
        link: cell.and_then(|cell| cell.bottlenecks.first()).map(|link| link.link.clone()),
    }
}

/// Returns the name of a pattern.
fn name(carried: &[SyntheticTraffic], pattern: usize) -> Option<&str> {
    carried.iter().find_map(|network| network.cells[pattern].as_ref().ok()).map(|cell| cell.pattern.as_str())
}

fn notes(c: &Comparison, carried: &[SyntheticTraffic]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut add = |note: String| {
        if !notes.contains(&note) {
            notes.push(note);
        }
    };
    for network in carried {
        for answer in &network.cells {
            match answer {
                Ok(cell) => {
                    cell.notes.iter().for_each(|note| add(format!("{}: {note}", cell.pattern)));
                    cell.pattern_seed
                        .into_iter()
                        .for_each(|seed| add(format!("{} has seed {seed}", without_seed(&cell.pattern))));
                }
                Err(error) => add(format!("{}: {error}", short(c, network.column))),
            }
        }
    }
    let cells = || carried.iter().flat_map(|network| network.cells.iter().flatten());
    let enclosed = cells().any(|cell| cell.bounds.concurrent.is_some());
    add(if enclosed {
        "The bound is that of the best mix of all paths (maximum concurrent flow), or what the host links carry".into()
    } else {
        "The bound comes from lengths of paths, from cuts, and from host links; the best mix of all paths may reach less"
            .into()
    });
    let mut routings: Vec<&str> = Vec::new();
    cells().for_each(|cell| {
        if !routings.contains(&cell.routing.as_str()) {
            routings.push(&cell.routing);
        }
    });
    if !routings.is_empty() {
        add(format!("Routing: {}", routings.join(", ")));
    }
    notes
}

/// Returns the section, if there are any results.
///
/// # Errors
/// If the results cannot be written as JSON.
pub(super) fn section(view: &View<'_>, carried: &[SyntheticTraffic]) -> io::Result<Option<TrafficSection>> {
    let Some(first) = carried.first() else { return Ok(None) };
    let patterns = first.cells.len();
    let networks: Vec<usize> = carried.iter().map(|network| network.column).collect();
    let named: Vec<(usize, &str)> = (0..patterns).filter_map(|p| Some((p, name(carried, p)?))).collect();
    let names: Vec<&str> = named.iter().map(|(_, name)| *name).collect();
    let shown: Vec<(usize, &str)> = named.iter().map(|&(p, name)| (p, label(&names, name))).collect();
    let group = |&(pattern, name): &(usize, &str)| BarGroup {
        name: name.to_owned(),
        bars: carried
            .iter()
            .map(|network| Bar { value: relative(view, carried, network, pattern).unwrap_or(f64::NAN), interval: None })
            .collect(),
    };
    let mut groups: Vec<BarGroup> = shown.iter().map(group).collect();
    let mean = groups.len() > 1;
    if mean {
        let weights = vec![1.0; groups.len()];
        let mean_of = |n: usize| {
            let values: Vec<f64> = groups.iter().map(|group| group.bars[n].value).collect();
            Bar { value: geometric(&values, &weights).unwrap_or(f64::NAN), interval: None }
        };
        let bars = (0..networks.len()).map(mean_of).collect();
        groups.push(BarGroup { name: "geometric mean".into(), bars });
    }
    let described = groups.last().map_or_else(String::new, |group| {
        let values = networks.iter().zip(&group.bars).map(|(&n, bar)| {
            format!("{} {}: {}", short(view.comparison, n), view.comparison.networks[n].name, ratio(bar.value))
        });
        format!("{}: {}. The table has the other values.", group.name, values.collect::<Vec<_>>().join("; "))
    });
    let chart = Chart {
        id: "traffic".to_owned(),
        title: "Saturation throughput relative to the baseline, pattern by pattern".to_owned(),
        description: described,
        networks: networks.iter().map(|&n| (short(view.comparison, n), bars::named(view.comparison, n).1)).collect(),
        groups,
        scale: 0.0,
        mean,
    };
    let answers: Vec<&Cell> = carried.iter().flat_map(|network| network.cells.iter().flatten()).collect();
    let json = script_safe(&serde_json::to_string(&answers).map_err(io::Error::other)?);
    Ok(Some(TrafficSection {
        wide: Value::from_safe_string(bars::wide(&chart)),
        narrow: Value::from_safe_string(bars::narrow(&chart)),
        patterns: shown
            .iter()
            .map(|&(pattern, name)| Pattern {
                name: name.to_owned(),
                rows: carried.iter().map(|network| row(view, carried, network, pattern)).collect(),
            })
            .collect(),
        notes: notes(view.comparison, carried),
        json: Value::from_safe_string(json),
    }))
}
