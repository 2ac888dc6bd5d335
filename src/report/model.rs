//! Times of single messages in network models: a table over message sizes, and a drawing.

use super::sheet::{Column, Datum, Rows, Sheet};
use crate::markup::{GENERATOR, escape_text};
use crate::report::number;
use crate::study::choice::ModelDescription;
use std::fmt::Write;

/// Times of messages by size.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend: a model, the file of its constants, or the measurement.
    pub name: String,
    /// Message size in bytes, ascending, and seconds from the send to the end of the receive.
    pub points: Vec<(u32, f64)>,
}

/// A model, and its time of one message of each size.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCurve {
    /// Times of messages.
    pub curve: Curve,
    /// Description of its choices and constants.
    pub description: ModelDescription,
}

/// Link of the message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModelLink {
    /// Bandwidth in bytes per second.
    pub bandwidth: f64,
    /// Latency in seconds.
    pub latency: f64,
}

/// Sizes in the table: powers of four, and both sides of the largest step of the default model.
const SHOWN: [u32; 15] =
    [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_456, 65_457, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/// Returns all sizes of a curve: those of the table, and eight in each factor of two between them.
pub fn sizes() -> Vec<u32> {
    let between = (0..=26 * 8).map(|eighth| 2_f64.powf(f64::from(eighth) / 8.0).round() as u32);
    let mut sizes: Vec<u32> = between.chain(SHOWN).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Returns the table with the time of a message of each size, and its bandwidth, for each model.
pub fn sheet(link: ModelLink, curves: &[ModelCurve]) -> Sheet {
    let mut rows = Vec::new();
    for ModelCurve { curve, .. } in curves {
        for &(bytes, seconds) in curve.points.iter().filter(|(bytes, _)| SHOWN.contains(bytes)) {
            let rate = f64::from(bytes) / seconds;
            rows.push(vec![
                Datum::Text(curve.name.clone()),
                Datum::Count(bytes.into()),
                Datum::Number(seconds * 1e6, 3),
                Datum::Number(rate / 1e9, 3),
                Datum::Number(100.0 * rate / link.bandwidth, 1),
            ]);
        }
    }
    let column = |name, heading| Column { name, heading: Some(heading) };
    let constants = |ModelCurve { curve, description: model }: &ModelCurve| {
        let replaced: Vec<String> = model.parameters.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let list = if replaced.is_empty() { String::new() } else { format!(", with {}", replaced.join(", ")) };
        format!("{}: network model {}{list}", curve.name, model.network_model)
    };
    Sheet {
        schema: "mopsim.model/1",
        title: format!(
            "One message over a link of {} and {}",
            number::bandwidth(link.bandwidth),
            number::seconds(link.latency)
        ),
        facts: vec![
            ("link_bandwidth", "bandwidth of the link, B/s", Datum::Number(link.bandwidth, 0)),
            ("link_latency", "latency of the link, s", Datum::Number(link.latency, 9)),
        ],
        tables: vec![Rows {
            name: "points",
            columns: vec![
                column("model", "model"),
                column("bytes", "bytes"),
                column("microseconds", "time, us"),
                column("gigabytes_per_second", "GB/s"),
                column("percent_of_link", "% of link"),
            ],
            rows,
        }],
        detail: None,
        notes: curves.iter().map(constants).collect(),
    }
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 430.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 50.0;
const PLOT: (f64, f64) = (620.0, 310.0);
/// Colours that are distinguishable with any kind of colour vision (Okabe and Ito, Color Universal Design, 2008), and
/// dashes for printing in grey.
const LINES: [(&str, &str); 6] = [
    ("#0072b2", "none"),
    ("#d55e00", "8 3"),
    ("#009e73", "2 3"),
    ("#cc79a7", "10 3 2 3"),
    ("#333333", "5 5"),
    ("#b8a800", "1 2"),
];

/// Formats `10^decade` bytes per second with a unit.
fn decade_name(decade: i32) -> String {
    let (unit, least) =
        [("GB/s", 9), ("MB/s", 6), ("kB/s", 3)].into_iter().find(|&(_, least)| decade >= least).unwrap_or(("B/s", 0));
    format!("{} {unit}", 10_f64.powi(decade - least))
}

/// Formats `2^power` bytes with a binary unit.
fn binary(power: u32) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    format!("{} {}", 1_u64 << (power % 10), units[(power / 10) as usize])
}

/// Draws the bandwidth of a message over its size, with logarithmic axes.
pub fn svg(link: ModelLink, curves: &[Curve]) -> String {
    let rates = || curves.iter().flat_map(|curve| curve.points.iter().map(|&(bytes, s)| f64::from(bytes) / s));
    let (least, most) = (rates().fold(f64::INFINITY, f64::min), rates().fold(link.bandwidth, f64::max));
    let (low, high) = (least.log10().floor(), most.log10().ceil());
    let largest = curves.iter().filter_map(|curve| curve.points.last()).map(|&(bytes, _)| bytes).max().unwrap_or(1);
    let across = f64::from(largest).log2().max(1.0);
    let x = |bytes: f64| LEFT + PLOT.0 * bytes.log2() / across;
    let y = |rate: f64| TOP + PLOT.1 * (high - rate.log10()) / (high - low);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{HEIGHT:.0}\" viewBox=\"0 0 {WIDTH:.0} {HEIGHT:.0}\" \
         font-family=\"sans-serif\" font-size=\"11\"><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>{GENERATOR}\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"14\">Bandwidth of one message over a link of {} and {}</text>\n",
        number::bandwidth(link.bandwidth),
        number::seconds(link.latency)
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        svg.write_fmt(text).and_then(|()| svg.write_char('\n')).expect("writing to memory succeeds");
    };
    for decade in low as i32..=high as i32 {
        let (at, right) = (y(10_f64.powi(decade)), LEFT + PLOT.0);
        line(format_args!(
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#dddddd\"/><text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            at + 4.0,
            decade_name(decade)
        ));
    }
    for power in (0..=across as i32).step_by(4) {
        let (at, foot) = (x(2_f64.powi(power)), TOP + PLOT.1);
        line(format_args!(
            "<path d=\"M{at:.1} {TOP}V{foot}\" stroke=\"#eeeeee\"/><text x=\"{at:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            foot + 16.0,
            binary(power as u32)
        ));
    }
    let at = y(link.bandwidth);
    line(format_args!("<path d=\"M{LEFT} {at:.1}h{}\" stroke=\"#888888\" stroke-dasharray=\"3 3\"/>", PLOT.0));
    line(format_args!("<text x=\"{}\" y=\"{:.1}\" fill=\"#555555\">the link</text>", LEFT + 6.0, at - 4.0));
    for (index, curve) in curves.iter().enumerate() {
        let (colour, dash) = LINES[index % LINES.len()];
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|&(bytes, seconds)| format!("{:.1},{:.1}", x(f64::from(bytes)), y(f64::from(bytes) / seconds)))
            .collect();
        let (legend, points) = (TOP + 14.0 + 20.0 * index as f64, points.join(" "));
        let from = LEFT + PLOT.0 + 14.0;
        line(format_args!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"/>"
        ));
        line(format_args!(
            "<path d=\"M{from} {legend}h28\" stroke=\"{colour}\" stroke-width=\"1.8\" stroke-dasharray=\"{dash}\"/>\
             <text x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            from + 34.0,
            legend + 4.0,
            escape_text(&curve.name)
        ));
    }
    line(format_args!(
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">message size</text>",
        LEFT + PLOT.0 / 2.0,
        TOP + PLOT.1 + 36.0
    ));
    line(format_args!("</svg>"));
    svg
}
