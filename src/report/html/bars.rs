//! Grouped bars: the performance of every network on every workload, relative to the baseline.

use super::parts::View;
use super::svg::{Svg, finite, network_fill, ratio, shortened, tick, ticks};
use crate::report::label::short;
use crate::report::{across, label};
use crate::study::comparison::Comparison;
use crate::study::statistics::Statistic;
use std::fmt::Write;

/// A bar: a value, and the 95 % confidence interval of its repetitions.
pub(super) struct Bar {
    pub value: f64,
    pub interval: Option<[f64; 2]>,
}

impl Bar {
    fn of(statistic: &Statistic) -> Self {
        // Repetitions without any difference need no whiskers.
        Self { value: statistic.mean, interval: statistic.interval().filter(|[low, high]| low < high) }
    }

    /// Returns the end of the bar, including whiskers.
    fn end(&self) -> f64 {
        finite(self.value).max(self.interval.map_or(0.0, |[_, high]| finite(high)))
    }
}

/// Group of bars: its name and a bar for each network.
pub(super) struct BarGroup {
    pub name: String,
    pub bars: Vec<Bar>,
}

/// Groups of bars with a caption.
pub(super) struct Chart {
    /// Id, unique in the document.
    pub id: String,
    pub title: String,
    pub description: String,
    /// Letter of each network, and its number, which determines its fill.
    pub networks: Vec<(String, usize)>,
    pub groups: Vec<BarGroup>,
    /// Minimum of the scale's end, if several charts share the scale.
    pub scale: f64,
    /// `true` if the last group is the mean of the others.
    pub mean: bool,
}

/// Returns the letter and number of a column's network, which are the same in all settings.
pub(super) fn named(c: &Comparison, column: usize) -> (String, usize) {
    (label::network(c, column), label::place(c, column).1)
}

/// Returns the performance on all workloads, and its mean: a chart for each setting, on the same scale.
pub(super) fn performance(view: &View<'_>) -> Vec<Chart> {
    let settings = view.comparison.of_settings();
    let mut charts: Vec<Chart> =
        settings.iter().enumerate().map(|(setting, columns)| of_setting(view, setting, columns)).collect();
    let scale = charts.iter().map(|chart| most(&chart.groups)).fold(0.0, f64::max);
    charts.iter_mut().for_each(|chart| chart.scale = scale);
    charts
}

fn of_setting(view: &View<'_>, setting: usize, columns: &[usize]) -> Chart {
    let c = view.comparison;
    let of_workload = |w: usize| {
        let weight = if c.has_weights() { format!(" × {}", c.weights[w]) } else { String::new() };
        let bars = columns.iter().map(|&n| Bar::of(&c.cell(w, n).ratio)).collect();
        BarGroup { name: format!("{}{weight}", c.workloads[w].name), bars }
    };
    let mut groups: Vec<BarGroup> = (0..c.workloads.len()).map(of_workload).collect();
    if groups.len() > 1 {
        let bars = columns.iter().map(|&n| Bar::of(&c.geometric[n])).collect();
        groups.push(BarGroup { name: "geometric mean".into(), bars });
    }
    let place = match columns.first() {
        Some(&first) if c.has_settings() => format!(" [{}]", across::setting(c, first)),
        _ => String::new(),
    };
    Chart {
        id: if setting == 0 { "bars".into() } else { format!("bars-{}", setting + 1) },
        title: format!("Performance relative to the baseline, workload by workload{place}"),
        description: description(view, columns),
        networks: columns.iter().map(|&n| named(c, n)).collect(),
        mean: groups.len() > 1,
        scale: 0.0,
        groups,
    }
}

/// Returns the end of the scale. Whiskers of few repetitions may be extremely long; those that exceed the scale are cut
/// off.
fn most(groups: &[BarGroup]) -> f64 {
    let bars = || groups.iter().flat_map(|g| &g.bars);
    let value = bars().map(|b| finite(b.value)).fold(1.0, f64::max);
    bars().map(Bar::end).fold(value, f64::max).min(1.5 * value)
}

/// Draws an error bar: dark with a light outline, so that it is visible on any fill.
fn whisker(path: &str) -> String {
    format!("<path d=\"{path}\" class=\"whisker-casing\"/><path d=\"{path}\" class=\"whisker\"/>")
}

fn description(view: &View<'_>, columns: &[usize]) -> String {
    let c = view.comparison;
    let interval = |n: usize| {
        let interval = c.geometric[n].interval().filter(|[low, high]| low < high);
        interval.map_or_else(String::new, |[low, high]| format!(" ({} to {})", ratio(low), ratio(high)))
    };
    let means = columns
        .iter()
        .map(|&n| format!("{} {}: {}{}", short(c, n), c.networks[n].name, ratio(c.geometric_mean(n)), interval(n)));
    format!("Geometric means: {}. The table of all results has the other values.", means.collect::<Vec<_>>().join("; "))
}

/// Draws vertical bars, in rows of groups, for wide screens and for paper.
pub(super) fn wide(chart: &Chart) -> String {
    let (width, left, height) = (1040.0, 40.0, 250.0);
    let Chart { groups, networks, .. } = chart;
    let count = networks.len() as f64;
    // Bars use all available room.
    let room = width - left;
    let per_row = ((room / (count * 11.0 + 18.0)) as usize).clamp(1, groups.len().max(1));
    let rows = groups.len().div_ceil(per_row).max(1);
    let per_row = groups.len().div_ceil(rows).max(1);
    let pitch = room / per_row as f64;
    let bar = ((pitch - 18.0) / count).clamp(2.0, 30.0);
    let ticks = ticks(most(groups).max(chart.scale) * 1.08);
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
            for (n, &Bar { value, .. }) in group.bars.iter().enumerate() {
                svg.rect(
                    start + n as f64 * bar + 0.5,
                    y(value),
                    bar - 1.0,
                    base - y(value),
                    &network_fill(networks[n].1),
                );
            }
            // The line of the baseline is above the bars and below their values.
            svg.line(left + g as f64 * pitch, y(1.0), left + (g + 1) as f64 * pitch, y(1.0), "baseline");
            for (n, this) in group.bars.iter().enumerate() {
                let x = start + (n as f64 + 0.5) * bar;
                if let Some([low, high]) = this.interval {
                    let (cap, low, high) = ((bar * 0.28).min(4.0), finite(low).max(0.0), finite(high));
                    let mut path = format!("M{x:.1} {:.1}V{:.1}", y(low), y(high.min(top)));
                    for end in [low, high].into_iter().filter(|&end| 0.0 < end && end <= top) {
                        let _ = write!(path, "M{:.1} {:.1}h{:.1}", x - cap, y(end), 2.0 * cap);
                    }
                    svg.raw(&whisker(&path));
                }
                if bar >= 10.0 {
                    svg.upright(x + 3.5, y(this.end().min(top)) - 4.0, "value", &ratio(this.value));
                    svg.text(x, base + 13.0, "axis middle", &networks[n].0);
                }
            }
            let last = row * per_row + g + 1 == groups.len() && chart.mean;
            let class = if last { "label middle strong" } else { "label middle" };
            svg.text(middle, base + 32.0, class, &shortened(&group.name, (pitch / 6.6) as usize));
        }
        svg.line(left, base, width, base, "frame");
    }
    svg.finish(&chart.id, "wide", &chart.title, &chart.description)
}

/// Draws horizontal bars, one group below another, for narrow screens.
pub(super) fn narrow(chart: &Chart) -> String {
    let (width, left, right, bar) = (360.0, 22.0, 44.0, 17.0);
    let Chart { groups, networks, .. } = chart;
    let count = networks.len() as f64;
    let most = most(groups).max(chart.scale);
    let group_height = 26.0 + count * bar + 12.0;
    let x = |v: f64| left + finite(v) / most * (width - left - right);
    let mut svg = Svg::new(width, groups.len() as f64 * group_height);
    for (g, group) in groups.iter().enumerate() {
        let top = g as f64 * group_height + 26.0;
        svg.text(0.0, top - 9.0, "label strong", &shortened(&group.name, 44));
        for (n, &Bar { value, .. }) in group.bars.iter().enumerate() {
            let y = top + n as f64 * bar;
            svg.text(6.0, y + 12.0, "axis middle", &networks[n].0);
            svg.rect(left, y + 1.0, x(value) - left, bar - 2.0, &network_fill(networks[n].1));
        }
        svg.line(x(1.0), top - 3.0, x(1.0), top + count * bar + 3.0, "baseline");
        for (n, this) in group.bars.iter().enumerate() {
            let middle = top + (n as f64 + 0.5) * bar;
            if let Some([low, high]) = this.interval {
                let (low, high) = (finite(low).max(0.0), finite(high));
                let mut path = format!("M{:.1} {middle:.1}H{:.1}", x(low), x(high.min(most)));
                for end in [low, high].into_iter().filter(|&end| 0.0 < end && end <= most) {
                    let _ = write!(path, "M{:.1} {:.1}v7", x(end), middle - 3.5);
                }
                svg.raw(&whisker(&path));
            }
            svg.text(x(this.end().min(most)) + 5.0, middle + 4.0, "value", &ratio(this.value));
        }
    }
    svg.finish(&format!("{}-narrow", chart.id), "narrow", &chart.title, &chart.description)
}
