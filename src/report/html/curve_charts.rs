//! Charts of packet simulations: latency against accepted traffic, and accepted against offered traffic.

use super::curves::{Curve, Pattern, Units};
use super::svg::{Svg, finite, look, tick, ticks};
use crate::study::statistics::Statistic;
use std::fmt::Write;

/// Largest latency of a chart, as a multiple of the lowest one at the lowest load. Latency has no upper bound towards
/// saturation, and a chart of all of it would show nothing of the range in which networks are used.
const TALLEST: f64 = 6.0;

/// Frame of a chart: scales from values to places.
struct Frame {
    across: Vec<f64>,
    up: Vec<f64>,
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 60.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 48.0;

impl Frame {
    fn x(&self, value: f64) -> f64 {
        LEFT + finite(value) / self.across[self.across.len() - 1] * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - finite(value) / self.up[self.up.len() - 1] * (HEIGHT - TOP - BOTTOM)
    }

    /// Returns the largest value of the vertical axis.
    fn top(&self) -> f64 {
        self.up[self.up.len() - 1]
    }

    /// Draws grid, axes and their names.
    fn draw(&self, svg: &mut Svg, across: &str, up: &str) {
        for &t in &self.across {
            svg.line(self.x(t), TOP, self.x(t), HEIGHT - BOTTOM, "grid");
            svg.text(self.x(t), HEIGHT - BOTTOM + 17.0, "axis middle", &tick(t));
        }
        for &t in &self.up {
            svg.line(LEFT, self.y(t), WIDTH - RIGHT, self.y(t), "grid");
            svg.text(LEFT - 6.0, self.y(t) + 4.0, "axis end", &tick(t));
        }
        svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 8.0, "axis middle", across);
        svg.upright(12.0, (TOP + HEIGHT - BOTTOM) / 2.0, "axis middle", up);
        svg.line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "frame");
    }

    /// Draws a curve through points, as far as they are in the frame, and whiskers of their intervals.
    fn curve(&self, svg: &mut Svg, curve: &Curve<'_>, points: &[[Statistic; 2]]) {
        let top = self.top();
        let colour = look(curve.place).0;
        let mut path = String::new();
        let mut whiskers = String::new();
        let mut last: Option<[f64; 2]> = None;
        for [across, up] in points {
            let mut to = [across.mean, up.mean];
            let leaves = to[1] > top;
            if let (true, Some(from)) = (leaves, last) {
                let part = (top - from[1]) / (to[1] - from[1]);
                to = [from[0] + part * (to[0] - from[0]), top];
            }
            if leaves && last.is_none() {
                break;
            }
            let _ = write!(path, "{}{:.1} {:.1}", if last.is_none() { 'M' } else { 'L' }, self.x(to[0]), self.y(to[1]));
            if leaves {
                break;
            }
            let (x, y) = (self.x(to[0]), self.y(to[1]));
            if let Some([low, high]) = up.interval().filter(|[low, high]| low < high) {
                let _ = write!(whiskers, "M{x:.1} {:.1}V{:.1}", self.y(low), self.y(high.min(top)));
            }
            if let Some([low, high]) = across.interval().filter(|[low, high]| low < high) {
                let most = self.across[self.across.len() - 1];
                let _ = write!(whiskers, "M{:.1} {y:.1}H{:.1}", self.x(low), self.x(high.min(most)));
            }
            last = Some(to);
        }
        svg.raw(&format!("<path d=\"{path}\" class=\"curve stroke-net{colour}\"/>"));
        if !whiskers.is_empty() {
            svg.raw(&format!("<path d=\"{whiskers}\" class=\"whisker\"/>"));
        }
        for [across, up] in points.iter().take_while(|[_, up]| up.mean <= top) {
            svg.raw(&curve.mark(self.x(across.mean), self.y(up.mean), "mark"));
        }
    }
}

/// Returns a statistic in another unit.
fn scaled(statistic: Statistic, factor: f64) -> Statistic {
    Statistic {
        mean: statistic.mean * factor,
        standard_deviation: statistic.standard_deviation.map(|deviation| deviation * factor),
        half_width: statistic.half_width.map(|half| half * factor),
        ..statistic
    }
}

fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.map(finite).fold(0.0, f64::max)
}

/// Draws latency against accepted traffic; `None` if no run has a latency.
pub(super) fn latency(pattern: &Pattern<'_>, number: usize, units: Units) -> Option<String> {
    let points: Vec<Vec<[Statistic; 2]>> = pattern
        .curves
        .iter()
        .map(|curve| {
            let flits = units.traffic(f64::from(curve.series.ports), curve);
            let cycles = units.latency(1.0, curve);
            curve.timed().map(|(mean, latency)| [scaled(mean.accepted, flits), scaled(latency, cycles)]).collect()
        })
        .collect();
    let firsts = || points.iter().filter_map(|points| points.first()).map(|[_, latency]| latency.mean);
    let least = firsts().reduce(f64::min)?;
    let highest = most(points.iter().flatten().map(|[_, latency]| latency.ends()[1]));
    let cut = (TALLEST * least).max(1.25 * most(firsts()));
    let saturation = |curve: &Curve<'_>| curve.series.carried_by_host().map(|flits| units.traffic(flits, curve));
    let widest = most(points.iter().flatten().map(|[accepted, _]| accepted.ends()[1]));
    let widest = widest.max(most(pattern.curves.iter().filter_map(saturation)));
    let frame = Frame { across: ticks(widest), up: ticks(highest.min(cut)) };
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let (across, up) = (format!("accepted, {}", units.of_traffic()), format!("mean latency, {}", units.of_latency()));
    frame.draw(&mut svg, &across, &up);
    // The letter of a curve is above the load at which it saturates; letters that would overlap are in further rows.
    let mut taken: Vec<(f64, f64, usize)> = Vec::new();
    for curve in &pattern.curves {
        let Some(flits) = saturation(curve) else { continue };
        let x = frame.x(flits);
        let rows = [14.0, 4.0 + TOP + 10.0, 4.0 + TOP + 23.0, 4.0 + TOP + 36.0];
        let own = curve.letter.chars().count();
        let apart = |other: usize| 5.5 * (own + other) as f64;
        let free = |y: &f64| taken.iter().all(|t| (t.0 - x).abs() > apart(t.2) || (t.1 - y).abs() > 9.0);
        let y = rows.into_iter().find(free).unwrap_or(rows[0]);
        taken.push((x, y, own));
        let colour = look(curve.place).0;
        svg.raw(&format!(
            "<path d=\"M{x:.1} {TOP:.1}V{:.1}\" class=\"saturation stroke-net{colour}\"/>",
            HEIGHT - BOTTOM
        ));
    }
    for (curve, points) in pattern.curves.iter().zip(&points) {
        frame.curve(&mut svg, curve, points);
    }
    let mut letters = taken.iter();
    for curve in pattern.curves.iter().filter(|curve| saturation(curve).is_some()) {
        if let Some(&(x, y, _)) = letters.next() {
            svg.text(x, y + 4.0, "label strong middle halo", &curve.letter);
        }
    }
    let of_curve = |curve: &Curve<'_>, points: &[[Statistic; 2]]| {
        let ends = points.first().zip(points.last()).map_or_else(
            || "no load is carried".into(),
            |(first, last)| {
                format!(
                    "latency {} at {}, {} at {}",
                    tick((first[1].mean * 10.0).round() / 10.0),
                    tick((first[0].mean * 1e3).round() / 1e3),
                    tick((last[1].mean * 10.0).round() / 10.0),
                    tick((last[0].mean * 1e3).round() / 1e3)
                )
            },
        );
        let saturates = saturation(curve).map_or_else(String::new, |flits| format!(", saturates at {flits:.3}"));
        format!("{} {}: {ends}{saturates}", curve.letter, curve.name)
    };
    let all: Vec<String> = pattern.curves.iter().zip(&points).map(|(curve, points)| of_curve(curve, points)).collect();
    let description = format!(
        "Mean latency in {} against accepted traffic in {}. {}. The tables have all values.",
        units.of_latency(),
        units.of_traffic(),
        all.join("; ")
    );
    let title = format!("Latency against accepted traffic, {} traffic", pattern.name);
    let svg = svg.finish(&format!("latency-{number}"), "chart", &title, &description);
    let cut = match highest > frame.top() {
        true => " Curves that leave the chart go on above it.",
        false => "",
    };
    let dotted = match taken.is_empty() {
        true => "",
        false => " Dotted: the highest load that is carried.",
    };
    Some(format!(
        "<figure class=\"panel\">{svg}<figcaption>Latency against accepted traffic.{dotted}{cut}</figcaption></figure>"
    ))
}

/// Draws accepted against offered traffic.
pub(super) fn accepted(pattern: &Pattern<'_>, number: usize, units: Units) -> String {
    let points: Vec<Vec<[Statistic; 2]>> = pattern
        .curves
        .iter()
        .map(|curve| {
            let flits = units.traffic(f64::from(curve.series.ports), curve);
            let offered = |load: f64| Statistic::of(&[units.traffic(load * curve.series.busiest_host, curve)]);
            curve.means.iter().map(|mean| [offered(mean.load), scaled(mean.accepted, flits)]).collect()
        })
        .collect();
    let full: Vec<Option<[f64; 2]>> = pattern
        .curves
        .iter()
        .map(|curve| {
            let full = curve.series.accepted_by_host()?;
            Some([curve.series.busiest_host, full].map(|flits| units.traffic(flits, curve)))
        })
        .collect();
    let offered = points.iter().flatten().map(|[offered, _]| offered.mean);
    let received = points.iter().flatten().map(|[_, accepted]| accepted.ends()[1]);
    let widest = most(offered.chain(full.iter().flatten().map(|point| point[0])));
    let frame =
        Frame { across: ticks(widest), up: ticks(most(received.chain(full.iter().flatten().map(|point| point[1])))) };
    let mut svg = Svg::new(WIDTH, HEIGHT);
    let unit = units.of_traffic();
    frame.draw(&mut svg, &format!("offered, {unit}"), &format!("accepted, {unit}"));
    let end = frame.top().min(frame.across[frame.across.len() - 1]);
    svg.line(frame.x(0.0), frame.y(0.0), frame.x(end), frame.y(end), "baseline");
    for (curve, points) in pattern.curves.iter().zip(&points) {
        frame.curve(&mut svg, curve, points);
    }
    for (curve, &[x, y]) in pattern.curves.iter().zip(&full).filter_map(|(curve, point)| Some((curve, point.as_ref()?)))
    {
        let class = format!("full fill-net{}", look(curve.place).0);
        svg.raw(&curve.mark(frame.x(x), frame.y(y), &class));
    }
    let at_full = |(curve, full): (&Curve<'_>, &Option<[f64; 2]>)| {
        let full = full.map_or_else(|| "not measured at full load".into(), |[_, y]| format!("{y:.3} at full load"));
        format!("{} {}: {full}", curve.letter, curve.name)
    };
    let all: Vec<String> = pattern.curves.iter().zip(&full).map(at_full).collect();
    let description =
        format!("Accepted against offered traffic in {unit}. {}. The tables have all values.", all.join("; "));
    let title = format!("Accepted against offered traffic, {} traffic", pattern.name);
    let svg = svg.finish(&format!("accepted-{number}"), "chart", &title, &description);
    let full = if full.iter().any(Option::is_some) { " Filled: at full load." } else { "" };
    format!(
        "<figure class=\"panel\">{svg}<figcaption>Accepted against offered traffic. On the dashed line everything is \
         accepted.{full}</figcaption></figure>"
    )
}
