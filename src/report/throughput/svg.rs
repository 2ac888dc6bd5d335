//! Self-contained drawings: saturation of every contender under every pattern as bars, and estimated latencies under
//! load as curves.

use super::{Grid, ThroughputReport, described, label, short};
use crate::markup::{GENERATOR, escape_text};
use std::fmt::Write;

/// Colours that are distinguishable with any kind of colour vision (M. Okabe and K. Ito, Color Universal Design, 2008),
/// darkest last.
pub(super) const COLOURS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#b8a800", "#333333"];
/// Dashes of curves, so that these differ without colour; letters at their ends name them.
const DASHES: [&str; 8] = ["none", "7 3", "2 2", "9 3 2 3", "4 2", "12 3", "1 3", "9 3 2 3 2 3"];
/// Narrowest bar that has room for its letter.
const LETTERED: f64 = 9.0;
const WIDTH: f64 = 900.0;
const MARGIN: f64 = 50.0;
const BARS: f64 = 220.0;
const CURVES: f64 = 200.0;
/// Number of patterns whose curves are side by side.
const ACROSS: usize = 3;

/// Returns round numbers from 0 to at least `most`.
fn ticks(most: f64) -> Vec<f64> {
    if !(most.is_finite() && most > 0.0) {
        return vec![0.0, 1.0];
    }
    let power = 10_f64.powf((most / 4.0).log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step * 4.0 >= most * 0.999);
    let step = step.unwrap_or(most / 4.0);
    (0..=(most / step - 1e-9).ceil() as usize).map(|i| i as f64 * step).collect()
}

/// Draws a report.
pub fn draw(report: &ThroughputReport) -> String {
    let grid = Grid::new(report);
    let (contenders, patterns) = (grid.contenders.len(), grid.patterns.len());
    let legend_height = 18.0 * contenders as f64 + 40.0;
    let rows = patterns.div_ceil(ACROSS);
    let bars_top = legend_height + 30.0;
    let curves_top = bars_top + BARS + 140.0;
    let height = curves_top + rows as f64 * (CURVES + 80.0) + 30.0;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" \
         role=\"img\" aria-label=\"Saturation of each network under each pattern as bars, and latency under load as curves; tables have the \
         numbers\" font-family=\"sans-serif\" font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>{GENERATOR}"
    );
    let _ = writeln!(svg, "<text x=\"20\" y=\"24\" font-size=\"15\">{}</text>", escape_text(&report.title));
    for (index, contender) in grid.contenders.iter().enumerate() {
        let y = 46.0 + 18.0 * index as f64;
        let cell = (0..patterns).find_map(|pattern| grid.cell(index, pattern));
        let text = described(contender, cell).join(": ");
        let _ = writeln!(
            svg,
            "<rect x=\"20\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"38\" y=\"{y:.1}\">{}  {}</text>",
            y - 10.0,
            COLOURS[index % COLOURS.len()],
            short(index),
            escape_text(&text)
        );
    }
    bars(&mut svg, &grid, bars_top);
    let _ = writeln!(
        svg,
        "<text x=\"20\" y=\"{:.1}\" font-size=\"13\">Mean latency over injection, ns: an estimate (M/D/1 queues)</text>",
        curves_top - 32.0
    );
    for pattern in 0..patterns {
        let x = 20.0 + (pattern % ACROSS) as f64 * (WIDTH - 20.0) / ACROSS as f64;
        let y = curves_top + (pattern / ACROSS) as f64 * (CURVES + 80.0);
        curves(&mut svg, &grid, pattern, x, y);
    }
    svg.push_str("</svg>\n");
    svg
}

fn bars(svg: &mut String, grid: &Grid<'_>, top: f64) {
    let most = (0..grid.contenders.len())
        .flat_map(|c| (0..grid.patterns.len()).map(move |p| (c, p)))
        .filter_map(|(c, p)| grid.cell(c, p)?.saturation)
        .fold(0.0, f64::max);
    let ticks = ticks(most);
    let scale = BARS / ticks.last().copied().unwrap_or(1.0);
    let floor = top + BARS;
    let _ = writeln!(
        svg,
        "<text x=\"20\" y=\"{:.1}\" font-size=\"13\">Saturation: injection of a host, in links</text>",
        top - 20.0
    );
    for tick in ticks {
        let y = floor - tick * scale;
        let _ = writeln!(
            svg,
            "<line x1=\"{MARGIN}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - 20.0,
            MARGIN - 5.0,
            y + 4.0,
            (tick * 1e6).round() / 1e6
        );
    }
    let group = (WIDTH - 20.0 - MARGIN) / grid.patterns.len().max(1) as f64;
    let bar = group * 0.8 / grid.contenders.len().max(1) as f64;
    for (pattern, name) in grid.patterns.iter().enumerate() {
        let left = MARGIN + group * (pattern as f64 + 0.1);
        for contender in 0..grid.contenders.len() {
            let Some(value) = grid.cell(contender, pattern).and_then(|cell| cell.saturation) else { continue };
            let (x, tall) = (left + bar * contender as f64, value * scale);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{tall:.1}\" fill=\"{}\"><title>{}, {}: {value:.4}</title></rect>",
                floor - tall,
                bar * 0.92,
                COLOURS[contender % COLOURS.len()],
                short(contender),
                escape_text(name)
            );
            if bar >= LETTERED {
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\">{}</text>",
                    x + bar * 0.46,
                    floor - tall - 3.0,
                    short(contender)
                );
            }
        }
        let x = left + group * 0.4;
        let _ = writeln!(
            svg,
            "<text transform=\"translate({x:.1} {:.1}) rotate(-30)\" text-anchor=\"end\">{}</text>",
            floor + 14.0,
            escape_text(&title(grid, name))
        );
    }
}

/// Returns the name of a pattern, shortened to the available room, and without its seed if that is redundant.
fn title(grid: &Grid<'_>, pattern: &str) -> String {
    let plain = label(&grid.patterns, pattern);
    if plain.chars().count() <= 36 { plain.to_owned() } else { plain.chars().take(35).chain(['…']).collect() }
}

fn curves(svg: &mut String, grid: &Grid<'_>, pattern: usize, left: f64, top: f64) {
    let width = (WIDTH - 20.0) / ACROSS as f64 - 70.0;
    let (x0, floor) = (left + 40.0, top + CURVES);
    let cells: Vec<_> = (0..grid.contenders.len()).filter_map(|c| Some((c, grid.cell(c, pattern)?))).collect();
    let points = || cells.iter().flat_map(|(_, cell)| &cell.load_latency);
    let across = ticks(points().map(|point| point.injection).fold(0.0, f64::max));
    let up = ticks(points().map(|point| point.latency * 1e9).fold(0.0, f64::max));
    let (widest, highest) = (across.last().copied().unwrap_or(1.0), up.last().copied().unwrap_or(1.0));
    let _ = writeln!(
        svg,
        "<text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"12\">{}</text>",
        top - 10.0,
        escape_text(&title(grid, grid.patterns[pattern]))
    );
    for tick in up {
        let y = floor - tick / highest * CURVES;
        let _ = writeln!(
            svg,
            "<line x1=\"{x0:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" font-size=\"9\">{tick:.0}</text>",
            x0 + width,
            x0 - 4.0,
            y + 3.0
        );
    }
    for tick in across {
        let x = x0 + tick / widest * width;
        let label = (tick * 1e6).round() / 1e6;
        let y = floor + 13.0;
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" font-size=\"9\">{label}</text>");
    }
    for (contender, cell) in cells {
        let all = cell.load_latency.iter().map(|point| (point.injection, point.latency));
        let line: Vec<String> = all
            .map(|(x, y)| format!("{:.1},{:.1}", x0 + x / widest * width, floor - y * 1e9 / highest * CURVES))
            .collect();
        let colour = COLOURS[contender % COLOURS.len()];
        let dashes = DASHES[contender % DASHES.len()];
        let letter = short(contender);
        if let Some((x, y)) = line.last().and_then(|point| point.split_once(',')) {
            let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" dx=\"3\" dy=\"3\" font-size=\"9\">{letter}</text>");
        }
        let line = line.join(" ");
        let _ = writeln!(
            svg,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" \
             stroke-dasharray=\"{dashes}\"><title>{letter}</title></polyline>"
        );
    }
}
