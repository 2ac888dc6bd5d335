//! Where the time goes: a bar for each network, as long as the run, in parts.

use super::svg::{Svg, escape, finite, shortened};
use super::{View, letter};
use crate::report::number::{percent, seconds};

/// A panel for each workload.
pub(super) fn panels(view: &View<'_>) -> Vec<String> {
    let c = view.comparison;
    (0..c.workloads.len()).map(|w| panel(view, w)).collect()
}

fn panel(view: &View<'_>, workload: usize) -> String {
    let c = view.comparison;
    let (width, left, right, bar, top) = (340.0, 20.0, 66.0, 19.0, 4.0);
    let count = c.networks.len();
    let most = (0..count).map(|n| c.cell(workload, n).simulated_seconds).fold(0.0, f64::max);
    let mut svg = Svg::new(width, top + count as f64 * bar + 4.0);
    let mut words = Vec::new();
    for n in 0..count {
        let cell = c.cell(workload, n);
        let y = top + n as f64 * bar;
        svg.text(6.0, y + 13.0, "axis middle", &letter(n));
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
            letter(n),
            seconds(cell.simulated_seconds),
            percent(shares.compute),
            percent(shares.latency),
            percent(shares.bandwidth),
            percent(shares.waiting)
        ));
    }
    let name = &c.workloads[workload].name;
    let svg =
        svg.finish(&format!("split-{workload}"), "chart", &format!("Where the time of {name} goes"), &words.join("; "));
    format!(
        "<figure class=\"panel\"><figcaption class=\"head\">{}</figcaption>{svg}</figure>",
        escape(&shortened(name, 48))
    )
}
