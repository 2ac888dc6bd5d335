//! The page of `mopsim packets --html`: curves, saturation relative to the baseline, all points, all parameters.

use super::curves::{self, Curve, CurveSection, Pattern};
use crate::markup::script_safe;
use crate::packets::outline::Outline;
use crate::packets::series::Series;
use crate::report::label::short;
use crate::report::network_words::letter;
use crate::report::packet_curves::{pattern_name, sentences};
use crate::report::packet_means::{Scale, means};
use crate::report::packet_notes::{few_packets, full_from, headings_in_words};
use crate::report::packets::{Cycle, notes, sheet};
use crate::report::sheet::Datum;
use crate::report::{Reporter, json::Json, label};
use crate::study::comparison::Comparison;
use crate::study::packet_sweep::NetworkCurves;
use minijinja::{Environment, Value, context};
use serde::Serialize;
use std::io;

const TEMPLATE: &str = concat!(include_str!("templates/curves.html"), include_str!("templates/packets.html"));

/// Returns the page for a sweep and its results. `command` is the command line that repeats it.
///
/// # Errors
/// If the results cannot be written as JSON.
pub fn page(sweep: &Outline, all: &[Series], cycle: Cycle, command: Option<&str>) -> io::Result<String> {
    let sheet = sheet(sweep, all, cycle);
    let per_network = sweep.series_of_network();
    let routings = per_network / sweep.patterns.len();
    let several = routings > 1;
    let pattern = |number: usize| {
        let of_pattern = (0..all.len()).filter(|index| index % sweep.patterns.len() == number);
        let curves: Vec<Curve<'_>> = of_pattern
            .enumerate()
            .map(|(place, index)| {
                let series = &all[index];
                let name = match several {
                    true => format!("{}, {}", series.topology, series.routing),
                    false => series.topology.clone(),
                };
                let means = means(series, sweep.seeds.len());
                // The baseline has the same place in the list of routings.
                let baseline = Some(index % per_network / sweep.patterns.len());
                let scale = Scale { cycle_ns: cycle.ns, bandwidth: 1.0 };
                Curve { letter: letter(place), place, name, series, means, scale, baseline }
            })
            .collect();
        Pattern { name: curves.first().map_or_else(String::new, |curve| curve.series.pattern.clone()), curves }
    };
    let patterns: Vec<Pattern<'_>> = (0..sweep.patterns.len()).map(pattern).collect();
    // A single network is compared with nothing.
    let baselines: Vec<String> = (0..routings).filter(|_| sweep.networks.len() > 1).map(letter).collect();
    let section = curves::section(&patterns, &baselines).ok_or_else(|| io::Error::other("there are no curves"))?;
    let mut json = Vec::new();
    Json.sheet(&sheet, &mut json)?;
    let json = script_safe(&String::from_utf8(json).map_err(io::Error::other)?);
    // Tables of the page have longer headings.
    let short = headings_in_words(sweep.seeds.len(), all);
    let letters: Vec<String> = (0..all.len()).map(|index| letter(index / sweep.patterns.len())).collect();
    let name = |(letter, series): (&String, &Series)| match sweep.patterns.len() {
        1 => letter.clone(),
        _ => format!("{letter} ({})", series.pattern),
    };
    let names: Vec<String> = letters.iter().zip(all).map(name).collect();
    let mut notes = notes(sweep, all, cycle, &names);
    notes.retain(|note| !short.contains(note));
    let fact = |(name, heading, value): &(&'static str, &'static str, Datum)| {
        let heading = match *name {
            name if name.ends_with("_delay") => format!("delay of {heading} (cycles)"),
            "warmup" | "measure" => format!("{heading} (cycles)"),
            _ => (*heading).to_owned(),
        };
        (heading, value.text())
    };
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment
        .add_template("packets.html", TEMPLATE)
        .map_err(|error| io::Error::other(format!("the templates of the report: {error}")))?;
    let template = environment.get_template("packets.html").map_err(io::Error::other)?;
    template
        .render(context! {
            title => sheet.title,
            style => Value::from_safe_string(include_str!("templates/style.css").to_owned()),
            version => env!("CARGO_PKG_VERSION"),
            baseline => all.first().map(|series| series.topology.clone()),
            loads => sweep.loads.len(),
            seeds => sweep.seeds.len(),
            cautions => cautions(sweep, all, &patterns),
            curves => section,
            facts => sheet.facts.iter().map(fact).collect::<Vec<_>>(),
            notes => notes,
            command => command,
            json => Value::from_safe_string(json),
        })
        .map_err(io::Error::other)
}

/// Returns the cautions on what the summary says networks carry.
fn cautions(sweep: &Outline, all: &[Series], patterns: &[Pattern<'_>]) -> Vec<String> {
    let of_pattern = |pattern: &Pattern<'_>| {
        let best = curves::best(pattern);
        let full: Vec<String> = best
            .into_iter()
            .filter_map(|at| {
                let curve = &pattern.curves[at];
                Some(format!("{} from a load of {:.3} on", curve.letter, full_from(curve.series)?))
            })
            .collect();
        (!full.is_empty()).then(|| {
            format!(
                "Under {} traffic, a cable is busy all the time, although the load counts as carried, on {}: hosts that wait for it \
                 fall behind.",
                pattern.name,
                full.join(", ")
            )
        })
    };
    patterns.iter().filter_map(of_pattern).chain(few_packets(sweep, all)).collect()
}

/// Section of a study's report.
#[derive(Serialize)]
pub(super) struct OfStudy {
    /// `None` if all networks are left out.
    curves: Option<CurveSection>,
    /// Parameters, and what is left out.
    sentences: Vec<String>,
}

/// Returns the section of a study, if it has the table `[packets]`.
pub(super) fn of_study(c: &Comparison) -> Option<OfStudy> {
    let all = c.packets.as_ref()?;
    let of_pattern = |pattern: usize| {
        let swept: Vec<usize> =
            (0..all.networks.len()).filter(|&n| all.networks[n].series[pattern].is_some()).collect();
        let curve = |&number: &usize| {
            let network = &all.networks[number];
            let series = network.series[pattern].as_ref()?;
            Some(Curve {
                letter: short(c, network.column),
                // In several settings a network has several curves, which must look different.
                place: if c.has_settings() { number } else { label::place(c, network.column).1 },
                name: c.networks[network.column].name.clone(),
                series,
                means: means(series, all.settings.conditions.seeds.len()),
                scale: Scale::of(network),
                baseline: network.baseline.and_then(|baseline| swept.iter().position(|&other| other == baseline)),
            })
        };
        Pattern {
            name: pattern_name(all, pattern).unwrap_or_default().to_owned(),
            curves: swept.iter().filter_map(curve).collect(),
        }
    };
    let patterns: Vec<Pattern<'_>> =
        (0..all.settings.patterns.len()).map(of_pattern).filter(|pattern| !pattern.curves.is_empty()).collect();
    let is_baseline = |network: &&NetworkCurves| c.baselines[network.column] == network.column;
    let baselines: Vec<String> = all.networks.iter().filter(is_baseline).map(|n| short(c, n.column)).collect();
    let mut curves = curves::section(&patterns, &baselines);
    if let Some(section) = &mut curves {
        section.of_study = true;
    }
    Some(OfStudy { curves, sentences: sentences(c, all) })
}
