//! Grouped bars: the performance of every network on every workload, relative to the baseline.

use super::svg::{Svg, finite, network_fill, ratio, shortened, tick, ticks};
use super::{View, letter};

/// One group: its name and a value for each network.
struct Group {
    name: String,
    values: Vec<f64>,
}

fn groups(view: &View<'_>) -> Vec<Group> {
    let c = view.comparison;
    let networks = 0..c.networks.len();
    let of_workload = |w: usize| Group {
        name: c.workloads[w].name.clone(),
        values: networks.clone().map(|n| c.cell(w, n).relative).collect(),
    };
    let mut groups: Vec<Group> = (0..c.workloads.len()).map(of_workload).collect();
    if groups.len() > 1 {
        let values = networks.clone().map(|n| c.geometric_mean(n)).collect();
        groups.push(Group { name: "geometric mean".into(), values });
    }
    groups
}

fn description(view: &View<'_>) -> String {
    let c = view.comparison;
    let means =
        (0..c.networks.len()).map(|n| format!("{} {}: {}", letter(n), c.networks[n].name, ratio(c.geometric_mean(n))));
    format!("Geometric means: {}. The table of all results has the other values.", means.collect::<Vec<_>>().join("; "))
}

const TITLE: &str = "Performance relative to the baseline, workload by workload";

/// Upright bars, in rows of groups, for wide screens and for paper.
pub(super) fn wide(view: &View<'_>) -> String {
    let (width, left, height) = (1040.0, 40.0, 250.0);
    let groups = groups(view);
    let count = view.comparison.networks.len() as f64;
    // Bars get as much room as there is.
    let room = width - left;
    let per_row = ((room / (count * 11.0 + 18.0)) as usize).clamp(1, groups.len().max(1));
    let rows = groups.len().div_ceil(per_row).max(1);
    let per_row = groups.len().div_ceil(rows).max(1);
    let pitch = room / per_row as f64;
    let bar = ((pitch - 18.0) / count).clamp(2.0, 30.0);
    let most = groups.iter().flat_map(|g| &g.values).map(|v| finite(*v)).fold(1.0, f64::max);
    let ticks = ticks(most * 1.08);
    let top = ticks.last().copied().unwrap_or(1.0);
    let row_height = height + 70.0;
    let mut svg = Svg::new(width, rows as f64 * row_height);
    for (row, some) in groups.chunks(per_row).enumerate() {
        let base = row as f64 * row_height + height + 14.0;
        let y = |v: f64| base - finite(v) / top * height;
        for &t in &ticks {
            svg.line(left, y(t), width, y(t), "grid");
            svg.text(left - 6.0, y(t) + 4.0, "axis end", &tick(t));
        }
        for (g, group) in some.iter().enumerate() {
            let middle = left + (g as f64 + 0.5) * pitch;
            let start = middle - bar * count / 2.0;
            for (n, &value) in group.values.iter().enumerate() {
                svg.rect(start + n as f64 * bar + 0.5, y(value), bar - 1.0, base - y(value), &network_fill(n));
            }
            // The line of the baseline runs over the bars, and under their values.
            svg.line(left + g as f64 * pitch, y(1.0), left + (g + 1) as f64 * pitch, y(1.0), "baseline");
            for (n, &value) in group.values.iter().enumerate() {
                let x = start + n as f64 * bar;
                if bar >= 10.0 {
                    svg.upright(x + bar / 2.0 + 3.5, y(value) - 4.0, "value", &ratio(value));
                    svg.text(x + bar / 2.0, base + 13.0, "axis middle", &letter(n));
                }
            }
            let last = row * per_row + g + 1 == groups.len() && groups.len() > 1;
            let class = if last { "label middle strong" } else { "label middle" };
            svg.text(middle, base + 32.0, class, &shortened(&group.name, (pitch / 6.6) as usize));
        }
        svg.line(left, base, width, base, "frame");
    }
    svg.finish("bars", "wide", TITLE, &description(view))
}

/// Lying bars, one group under the other, for narrow screens.
pub(super) fn narrow(view: &View<'_>) -> String {
    let (width, left, right, bar) = (360.0, 22.0, 44.0, 17.0);
    let groups = groups(view);
    let count = view.comparison.networks.len() as f64;
    let most = groups.iter().flat_map(|g| &g.values).map(|v| finite(*v)).fold(1.0, f64::max);
    let group_height = 26.0 + count * bar + 12.0;
    let x = |v: f64| left + finite(v) / most * (width - left - right);
    let mut svg = Svg::new(width, groups.len() as f64 * group_height);
    for (g, group) in groups.iter().enumerate() {
        let top = g as f64 * group_height + 26.0;
        svg.text(0.0, top - 9.0, "label strong", &shortened(&group.name, 44));
        for (n, &value) in group.values.iter().enumerate() {
            let y = top + n as f64 * bar;
            svg.text(6.0, y + 12.0, "axis middle", &letter(n));
            svg.rect(left, y + 1.0, x(value) - left, bar - 2.0, &network_fill(n));
        }
        svg.line(x(1.0), top - 3.0, x(1.0), top + count * bar + 3.0, "baseline");
        for (n, &value) in group.values.iter().enumerate() {
            svg.text(x(value) + 5.0, top + n as f64 * bar + 12.5, "value", &ratio(value));
        }
    }
    svg.finish("bars-narrow", "narrow", TITLE, &description(view))
}
