//! Performance against the cost of networks: money, power, metres of cable, or the number of cables if these are
//! unknown.

use super::parts::View;
use super::svg::{Svg, escape, finite, look, ratio, tick, ticks_between};
use crate::report::{across, label, offers};
use crate::study::facts::NetworkFacts;
use std::fmt::Write;

/// Kind of cost.
struct CostAxis {
    id: &'static str,
    name: &'static str,
    heading: &'static str,
    of: fn(&NetworkFacts) -> Option<f64>,
}

const AXES: [CostAxis; 5] = [
    CostAxis { id: "total", name: "total cost", heading: "against total cost", of: |f| f.total },
    CostAxis { id: "dollars", name: "price", heading: "against price", of: |f| f.dollars },
    CostAxis { id: "watts", name: "power in watts", heading: "against power", of: |f| f.watts },
    CostAxis { id: "metres", name: "cable in metres", heading: "against length of cable", of: |f| f.metres },
    CostAxis {
        id: "lanes",
        name: "one-way lanes (a two-way cable is two)",
        heading: "against amount of cable",
        of: |f| f.lanes.map(|l| l as f64),
    },
];

/// Draws a panel for each kind of cost that is known for all networks, in each setting; the number of cables is used if
/// there is no other.
pub(super) fn panels(view: &View<'_>) -> Vec<String> {
    let settings = view.comparison.of_settings();
    let known = |axis: &&CostAxis| view.facts.iter().all(|f| (axis.of)(f).is_some());
    let (last, first) = (&AXES[AXES.len() - 1], &AXES[..AXES.len() - 1]);
    let mut axes: Vec<&CostAxis> = first.iter().filter(known).collect();
    if axes.is_empty() && known(&last) {
        axes.push(last);
    }
    let of_setting = |setting: usize| axes.iter().map(move |axis| (setting, *axis)).collect::<Vec<_>>();
    let panels = (0..settings.len()).flat_map(of_setting);
    panels.map(|(setting, axis)| panel(view, axis, setting, &settings[setting])).collect()
}

/// Returns the outline of a network's mark around the origin; combined with the colour it is unique for 64 networks.
pub(super) fn mark(network: usize) -> &'static str {
    [
        "M-6 0a6 6 0 1 0 12 0a6 6 0 1 0-12 0z",
        "M-6-6h12v12h-12z",
        "M0-7l7 12h-14z",
        "M0-8l7 8l-7 8l-7-8z",
        "M0 7l7-12h-14z",
        "M-2.5-7h5v4.500h4.500v5h-4.500v4.500h-5v-4.500h-4.500v-5h4.500z",
        "M-6-3l6-4l6 4v6l-6 4l-6-4z",
        "M-7-4h14v8h-14z",
    ][look(network).1]
}

fn panel(view: &View<'_>, axis: &CostAxis, setting: usize, columns: &[usize]) -> String {
    let c = view.comparison;
    let (width, height, right, top, bottom) = (460.0, 330.0, 34.0, 16.0, 48.0);
    let points: Vec<(f64, f64)> = columns
        .iter()
        .map(|&n| (finite((axis.of)(&view.facts[n]).unwrap_or(0.0)), finite(c.geometric_mean(n))))
        .collect();
    let interval = |i: usize| c.geometric[columns[i]].interval().filter(|[low, high]| low < high);
    // The axes begin near the smallest values: differences matter here, and bars show the totals.
    let extent = |values: &mut dyn Iterator<Item = f64>| {
        let (least, most) =
            values.fold((f64::INFINITY, 0.0), |(least, most): (f64, f64), v| (least.min(v), most.max(v)));
        ticks_between(least, most)
    };
    let xs = extent(&mut points.iter().map(|p| p.0));
    // Intervals of few repetitions may be extremely long; parts beyond the scale are cut off.
    let highest = points.iter().map(|p| p.1).fold(0.0, f64::max);
    let ends = (0..points.len()).filter_map(interval).flatten().map(|end| end.clamp(0.0, 1.5 * highest));
    let ys = extent(&mut points.iter().map(|p| p.1).chain(ends));
    // Room for the longest number between the axis and its title.
    let longest = ys.iter().map(|&t| tick(t).chars().count()).max().unwrap_or(0);
    let left = (26.0 + 6.4 * longest as f64).max(46.0);
    let span = |ticks: &[f64]| (ticks[0], ticks[ticks.len() - 1] - ticks[0]);
    let ((x_low, x_span), (y_low, y_span)) = (span(&xs), span(&ys));
    let x = |v: f64| left + (v - x_low) / x_span * (width - left - right);
    let y = |v: f64| height - bottom - (v - y_low) / y_span * (height - top - bottom);
    let mut svg = Svg::new(width, height);
    for &t in &xs {
        svg.line(x(t), top, x(t), height - bottom, "grid");
        svg.text(x(t), height - bottom + 17.0, "axis middle", &tick(t));
    }
    for &t in &ys {
        svg.line(left, y(t), width - right, y(t), "grid");
        svg.text(left - 6.0, y(t) + 4.0, "axis end", &tick(t));
    }
    if y_low <= 1.0 && 1.0 <= y_low + y_span {
        svg.line(left, y(1.0), width - right, y(1.0), "baseline");
    }
    // A network is Pareto-optimal if no other one is as cheap and faster, or as fast and cheaper.
    let beaten = |a: usize| {
        points.iter().any(|b| b.0 <= points[a].0 && b.1 >= points[a].1 && (b.0 < points[a].0 || b.1 > points[a].1))
    };
    let mut best: Vec<usize> = (0..points.len()).filter(|&n| !beaten(n)).collect();
    best.sort_by(|&a, &b| points[a].0.total_cmp(&points[b].0).then(a.cmp(&b)));
    let mut path = String::new();
    for (i, &n) in best.iter().enumerate() {
        let (px, py) = (x(points[n].0), y(points[n].1));
        let _ = if i == 0 { write!(path, "M{px:.1} {py:.1}") } else { write!(path, "H{px:.1}V{py:.1}") };
    }
    if let Some(&last) = best.last() {
        let _ = write!(path, "H{:.1}", (width - right).max(x(points[last].0)));
        svg.raw(&format!("<path d=\"{path}\" class=\"frontier\"/>"));
    }
    // A label is placed next to its mark where it hides neither a mark nor another label, further away if necessary.
    let mut taken: Vec<(f64, f64)> = points.iter().map(|p| (x(p.0), y(p.1))).collect();
    for (i, &(px, py)) in points.iter().enumerate() {
        let (n, px, py) = (columns[i], x(px), y(py));
        if let Some(ends) = interval(i) {
            let [low, high] = ends.map(|end| y(end.clamp(y_low, y_low + y_span)));
            svg.raw(&format!("<path d=\"M{px:.1} {low:.1}V{high:.1}\" class=\"whisker\"/>"));
        }
        svg.raw(&format!(
            "<path d=\"{}\" transform=\"translate({px:.1} {py:.1})\" class=\"mark stroke-net{}\"/>",
            mark(label::place(c, n).1),
            look(label::place(c, n).1).0
        ));
        let around = [
            (15.0, 0.0),
            (-15.0, 0.0),
            (0.0, -16.0),
            (0.0, 17.0),
            (13.0, -13.0),
            (-13.0, -13.0),
            (13.0, 13.0),
            (-13.0, 13.0),
        ];
        let places =
            [1.0, 1.7, 2.4, 3.2].into_iter().flat_map(|far| around.map(|(a, b)| (px + a * far, py + b * far, far)));
        let inside = |a: f64, b: f64| a > left + 6.0 && a < width - 6.0 && b > 6.0 && b < height - bottom - 4.0;
        let free = |&(a, b, _): &(f64, f64, f64)| {
            inside(a, b) && taken.iter().all(|t| (t.0 - a).abs() >= 12.5 || (t.1 - b).abs() >= 12.5)
        };
        let (a, b, far) = places.clone().find(free).unwrap_or((px + 15.0, py, 1.0));
        if far > 1.0 {
            svg.line(px, py, a, b, "leader");
        }
        svg.text(a, b + 4.5, "label strong middle halo", &label::network(c, n));
        taken.push((a, b));
    }
    let name = match axis.id {
        "total" | "dollars" => format!("{} in {}", axis.name, offers::currency(c)),
        _ => axis.name.to_owned(),
    };
    svg.text((left + width - right) / 2.0, height - 8.0, "axis middle", &name);
    svg.upright(12.0, (top + height - bottom) / 2.0, "axis middle", "relative performance");
    svg.line(left, height - bottom, width - right, height - bottom, "frame");
    let names: Vec<String> =
        best.iter().map(|&i| format!("{} {}", label::network(c, columns[i]), c.networks[columns[i]].name)).collect();
    let all =
        points.iter().zip(columns).map(|(p, &n)| format!("{}: {} and {}", label::network(c, n), tick(p.0), ratio(p.1)));
    let description = format!(
        "Cost and geometric mean of the relative performance: {}. Not beaten in both: {}.",
        all.collect::<Vec<_>>().join("; "),
        names.join(", ")
    );
    let svg = svg.finish(
        &format!("pareto-{}-{setting}", axis.id),
        "chart",
        &format!("Performance {}", axis.heading),
        &description,
    );
    // ` [100G, block]`, if there are several settings.
    let setting = columns.first().map(|&n| across::setting(c, n)).filter(|name| !name.is_empty());
    let setting = setting.map_or(String::new(), |name| format!(" [{name}]"));
    let unbeaten = best.iter().map(|&i| label::network(c, columns[i])).collect::<Vec<_>>().join(", ");
    format!(
        "<figure class=\"panel\">{svg}<figcaption>Performance {}{}. On the line, and not beaten in both: {}.</figcaption></figure>",
        axis.heading,
        escape(&setting),
        escape(&unbeaten)
    )
}
