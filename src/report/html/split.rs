//! Parts of the time: a bar for each network, as long as the run.

use super::parts::View;
use super::svg::{Svg, escape, finite, shortened};
use crate::report::number::{percent, seconds};
use crate::report::{across, label};

/// Draws a panel for each workload.
pub(super) fn panels(view: &View<'_>) -> Vec<String> {
    let c = view.comparison;
    let settings = c.of_settings();
    let all = (0..c.workloads.len()).flat_map(|w| settings.iter().enumerate().map(move |(s, columns)| (w, s, columns)));
    all.map(|(w, setting, columns)| panel(view, w, setting, columns)).collect()
}

fn panel(view: &View<'_>, workload: usize, setting: usize, columns: &[usize]) -> String {
    let c = view.comparison;
    let (width, left, right, bar, top) = (340.0, 20.0, 66.0, 19.0, 4.0);
    let count = columns.len();
    // The scale is the same in all settings.
    let most = (0..c.networks.len()).map(|n| c.cell(workload, n).simulated_seconds).fold(0.0, f64::max);
    let mut svg = Svg::new(width, top + count as f64 * bar + 4.0);
    let mut words = Vec::new();
    for (row_number, &n) in columns.iter().enumerate() {
        let cell = c.cell(workload, n);
        let y = top + row_number as f64 * bar;
        svg.text(6.0, y + 13.0, "axis middle", &label::network(c, n));
        let length = if most > 0.0 { finite(cell.simulated_seconds / most) * (width - left - right) } else { 0.0 };
        let shares = &cell.explanation.time_shares;
        let mut x = left;
        for (name, share) in [
            ("compute", shares.compute),
            ("latency", shares.latency),
            ("bandwidth", shares.bandwidth),
            ("waiting", shares.waiting),
        ] {
            let part = share * length;
            if part >= 0.05 {
                svg.rect(x, y + 2.0, part, bar - 4.0, &format!("fill=\"url(#{name})\" class=\"part\""));
            }
            x += part;
        }
        svg.text(left + length + 5.0, y + 13.5, "value", &seconds(cell.simulated_seconds));
        words.push(format!(
            "{}: {} in all, compute {}, latency {}, bandwidth {}, waiting {}",
            label::network(c, n),
            seconds(cell.simulated_seconds),
            percent(shares.compute),
            percent(shares.latency),
            percent(shares.bandwidth),
            percent(shares.waiting)
        ));
    }
    let mut name = c.workloads[workload].name.clone();
    if let (true, Some(&first)) = (c.has_settings(), columns.first()) {
        name += &format!(" [{}]", across::setting(c, first));
    }
    let svg = svg.finish(
        &format!("split-{workload}-{setting}"),
        "chart",
        &format!("Where the time of {name} goes"),
        &words.join("; "),
    );
    format!(
        "<figure class=\"panel\"><figcaption class=\"head\">{}</figcaption>{svg}</figure>",
        escape(&shortened(&name, 48))
    )
}
