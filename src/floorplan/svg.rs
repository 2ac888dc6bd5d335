//! Drawings of the floor: cabinets, and the cables between them in bundles.

use crate::markup::{GENERATOR, escape_text};
use std::collections::BTreeMap;
use std::fmt::Write;

use super::grid::GRID;
use super::{FloorModel, FloorPlan};
use crate::topology::Graph;

/// Largest number of bundles drawn; a drawing with more can be neither displayed nor read.
pub const MAX_BUNDLES: usize = 20_000;

/// Pixels per metre.
const SCALE: f64 = 30.0;
/// Room around the floor, in pixels.
const MARGIN: f64 = 30.0;
/// Room below the floor for scale, legend and totals, in pixels.
const LEGEND: f64 = 40.0;
/// Length of the scale bar, in metres.
const SCALE_BAR: f64 = 2.0;
/// Height of the numbers of cabinets, in pixels.
const NUMBERS: f64 = 6.0;

/// Returns the width of a bundle in pixels, if the largest bundle has `most` cables.
fn stroke_width(cables: u32, most: u32) -> f64 {
    0.4 + 2.6 * f64::from(cables) / f64::from(most)
}

/// Draws a floor plan with its cables as SVG. All cables between two cabinets are one curve, whose width grows with
/// their number. If there are more than [`MAX_BUNDLES`] curves, the largest are drawn, and a line of text reports how
/// many are missing.
pub fn draw(plan: &FloorPlan, graph: &Graph, title: &str) -> String {
    let (width, depth, box_depth) = match plan.model {
        FloorModel::Grid | FloorModel::SlimFly => (GRID.column, GRID.row, 1.0),
        FloorModel::Equality => (1.0, 1.0, 0.8),
    };
    let corner = |cabinet: usize| {
        let (row, column) = plan.position(cabinet);
        let column = column * (1 + plan.host_cabinets);
        (MARGIN + column as f64 * width * SCALE, MARGIN + 20.0 + row as f64 * depth * SCALE)
    };
    let hosts = plan.hosts_in_cabinets();
    let (box_width, box_height) = (0.8 * width * SCALE, box_depth * SCALE);
    let mut bundles: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut within = vec![0_u32; plan.cabinets];
    for (from, to) in graph.cable_ends().filter(|&(from, to)| !plan.is_host(from) && !plan.is_host(to)) {
        let (one, other) = (plan.cabinet(from), plan.cabinet(to));
        if one == other {
            within[one] += 1;
        } else {
            *bundles.entry((one.min(other), one.max(other))).or_default() += 1;
        }
    }
    let mut bundles: Vec<_> = bundles.into_iter().collect();
    let missing = bundles.len().saturating_sub(MAX_BUNDLES);
    if missing > 0 {
        bundles.sort_by_key(|&(ends, cables)| (std::cmp::Reverse(cables), ends));
        bundles.truncate(MAX_BUNDLES);
    }
    let mut switches = vec![0_u32; plan.cabinets];
    plan.switches().for_each(|switch| switches[plan.cabinet(switch)] += 1);
    let (total_width, total_height) = (
        (2.0 * MARGIN + (plan.columns * (1 + plan.host_cabinets)) as f64 * width * SCALE).max(560.0),
        MARGIN + 30.0 + LEGEND + plan.rows as f64 * depth * SCALE,
    );
    let mut svg = String::new();
    let mut line = |text: std::fmt::Arguments<'_>| {
        svg.write_fmt(text).and_then(|()| svg.write_char('\n')).expect("writing to memory succeeds");
    };
    line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{total_width:.0}\" height=\"{total_height:.0}\" \
         viewBox=\"0 0 {total_width:.0} {total_height:.0}\" font-family=\"sans-serif\" font-size=\"9\">{GENERATOR}"
    ));
    line(format_args!("<text x=\"{MARGIN}\" y=\"20\" font-size=\"12\">{}</text>", escape_text(title)));
    let most = bundles.iter().map(|(_, cables)| *cables).max().unwrap_or(1);
    line(format_args!("<g fill=\"none\" stroke=\"#3060a0\" stroke-opacity=\"0.35\">"));
    for ((one, other), cables) in &bundles {
        let centre = |cabinet| {
            let (x, y) = corner(cabinet);
            (x + box_width / 2.0, y + box_height / 2.0)
        };
        let ((x, y), (to_x, to_y)) = (centre(*one), centre(*other));
        // The curve bends to the side, so that bundles along a row do not hide each other.
        let (bow_x, bow_y) = ((x + to_x) / 2.0 + (to_y - y) * 0.12, (y + to_y) / 2.0 - (to_x - x) * 0.12);
        let stroke = stroke_width(*cables, most);
        line(format_args!(
            "<path d=\"M{x:.1} {y:.1}Q{bow_x:.1} {bow_y:.1} {to_x:.1} {to_y:.1}\" stroke-width=\"{stroke:.2}\">\
             <title>cabinets {one} and {other}: {cables} cables</title></path>"
        ));
    }
    line(format_args!("</g>\n<g fill=\"#f4f0e4\" stroke=\"#404040\" stroke-width=\"0.8\">"));
    for cabinet in 0..plan.cabinets {
        let (x, y) = corner(cabinet);
        line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{box_width:.1}\" height=\"{box_height:.1}\">\
             <title>cabinet {cabinet}: {} switches with {} hosts, {} cables within</title></rect>",
            switches[cabinet], hosts[cabinet], within[cabinet]
        ));
        for place in 1..=plan.host_cabinets {
            let x = x + place as f64 * width * SCALE;
            line(format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{box_width:.1}\" height=\"{box_height:.1}\" fill=\"#e4ecf4\" \
                 stroke-dasharray=\"3 2\"><title>hosts of cabinet {cabinet}</title></rect>"
            ));
        }
    }
    line(format_args!("</g>\n<g text-anchor=\"middle\" font-size=\"{NUMBERS}\">"));
    for cabinet in 0..plan.cabinets {
        let (x, y) = corner(cabinet);
        let (x, y) = (x + box_width / 2.0, y + NUMBERS + 1.0);
        line(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\">{cabinet}</text>"));
    }
    line(format_args!("</g>"));
    let foot = total_height - LEGEND;
    let scale = SCALE * SCALE_BAR;
    line(format_args!(
        "<path d=\"M{MARGIN} {foot:.0}v6h{scale:.0}v-6\" fill=\"none\" stroke=\"#404040\"/>\n\
         <text x=\"{:.0}\" y=\"{:.0}\">{SCALE_BAR:.0} m</text>",
        MARGIN + scale + 5.0,
        foot + 7.0
    ));
    let line_from = MARGIN + scale + 45.0;
    let thinnest = bundles.iter().map(|(_, cables)| *cables).min();
    let thickest = thinnest.map(|_| most);
    for (place, cables) in thinnest.filter(|least| *least < most).into_iter().chain(thickest).enumerate() {
        let x = line_from + 110.0 * place as f64;
        let width = stroke_width(cables, most);
        let plural = if cables == 1 { "cable" } else { "cables" };
        line(format_args!(
            "<path d=\"M{x:.0} {:.0}h30\" fill=\"none\" stroke=\"#3060a0\" stroke-width=\"{width:.2}\"/>\n\
             <text x=\"{:.0}\" y=\"{:.0}\">{cables} {plural}</text>",
            foot + 4.0,
            x + 35.0,
            foot + 7.0
        ));
    }
    let note = match missing {
        0 => String::new(),
        _ => format!("; {missing} smaller bundles are not drawn"),
    };
    let total: u64 = hosts.iter().sum();
    let room = match (plan.model, plan.host_cabinets) {
        (FloorModel::Equality, _) => format!(", with {total} hosts in them"),
        (_, 0) => format!(", {total} hosts without room of their own"),
        (_, more) => format!(", {} of {total} hosts (dashed)", plan.cabinets * more),
    };
    line(format_args!(
        "<text x=\"{MARGIN}\" y=\"{:.0}\">{} cabinets of switches in {} rows{room}; {} bundles of cables{note}</text>\n</svg>",
        total_height - 10.0,
        plan.cabinets,
        plan.rows,
        bundles.len() + missing
    ));
    svg
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floorplan::FloorOptions;
    use crate::topology::build;

    #[test]
    fn the_drawing_is_xml_with_every_cabinet_and_bundle() {
        let torus = build("torus:4x4").unwrap();
        let options = FloorOptions { switches_per_cabinet: Some(4), ..FloorOptions::default() };
        let plan = FloorPlan::new(&torus, &options).unwrap();
        let svg = draw(&plan, &torus.graph, "a < b & c");
        let document = roxmltree::Document::parse(&svg).unwrap();
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        // A cabinet is a row of the torus; neighbours are joined, as are the first and the last: four bundles, the
        // scale bar, and the only line of the legend.
        assert_eq!((count("rect"), count("path")), (4, 6));
        // Below the floor: the scale bar, and the width of a bundle of four, the size of all bundles.
        assert!(svg.contains(">2 m<") && svg.contains(">4 cables<") && svg.contains(">3</text>"), "{svg}");
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("cabinets 0 and 1: 4 cables"), "{svg}");
    }
}
