//! Heat maps of link loads, from the busiest to the idlest link, network by network.

use super::parts::View;
use super::svg::{Svg, escape, finite, shortened};
use crate::report::number::percent;
use crate::report::{across, label};
use crate::result::explain::PROFILE_GROUPS;

/// Returns the largest load of a group of links, which has the darkest tone.
pub(super) fn most(view: &View<'_>) -> f64 {
    let c = view.comparison;
    c.cells.iter().flat_map(|cell| &cell.explanation.load_profile).copied().map(finite).fold(0.0, f64::max)
}

/// Returns the tone of a load. The square root makes small loads, which most are, distinguishable.
fn tone(load: f64, most: f64) -> f64 {
    if most > 0.0 { (finite(load) / most).clamp(0.0, 1.0).sqrt() } else { 0.0 }
}

/// Draws a panel for each workload.
pub(super) fn panels(view: &View<'_>) -> Vec<String> {
    let most = most(view);
    let settings = view.comparison.of_settings();
    let workloads = 0..view.comparison.workloads.len();
    let all = workloads.flat_map(|w| settings.iter().enumerate().map(move |(s, columns)| (w, s, columns)));
    all.map(|(w, setting, columns)| panel(view, w, most, (setting, columns))).collect()
}

fn panel(view: &View<'_>, workload: usize, most: f64, (setting, columns): (usize, &[usize])) -> String {
    let c = view.comparison;
    let (width, left, right, row) = (340.0, 20.0, 52.0, 17.0);
    let count = columns.len();
    let mut svg = Svg::new(width, count as f64 * row + 4.0);
    let mut words = Vec::new();
    for (row_number, &n) in columns.iter().enumerate() {
        let loads = &c.cell(workload, n).explanation.load_profile;
        let y = 2.0 + row_number as f64 * row;
        svg.text(6.0, y + 12.0, "axis middle", &label::network(c, n));
        let step = (width - left - right) / loads.len().clamp(1, PROFILE_GROUPS) as f64;
        for (at, &load) in loads.iter().enumerate() {
            let opacity = tone(load, most);
            svg.rect(
                left + at as f64 * step,
                y + 1.0,
                step,
                row - 2.0,
                &format!("class=\"heat\" fill-opacity=\"{opacity:.3}\""),
            );
        }
        svg.rect(left, y + 1.0, width - left - right, row - 2.0, "class=\"outline\"");
        let mean = loads.iter().sum::<f64>() / loads.len().max(1) as f64;
        let first = loads.first().copied().unwrap_or(0.0);
        svg.text(width - right + 5.0, y + 12.0, "value", &percent(first));
        words.push(format!("{}: busiest {}, mean {}", label::network(c, n), percent(first), percent(mean)));
    }
    let mut name = c.workloads[workload].name.clone();
    if let (true, Some(&first)) = (c.has_settings(), columns.first()) {
        name += &format!(" [{}]", across::setting(c, first));
    }
    let svg = svg.finish(
        &format!("heat-{workload}-{setting}"),
        "chart",
        &format!("Load of the links under {name}"),
        &words.join("; "),
    );
    format!(
        "<figure class=\"panel\"><figcaption class=\"head\">{}</figcaption>{svg}</figure>",
        escape(&shortened(&name, 48))
    )
}

/// Draws the scale of tones.
pub(super) fn scale(view: &View<'_>) -> String {
    let most = most(view);
    let mut svg = Svg::new(340.0, 34.0);
    for at in 0..32 {
        let load = most * (f64::from(at) + 0.5) / 32.0;
        svg.rect(
            20.0 + f64::from(at) * 8.375,
            2.0,
            8.375,
            13.0,
            &format!("class=\"heat\" fill-opacity=\"{:.3}\"", tone(load, most)),
        );
    }
    svg.rect(20.0, 2.0, 268.0, 13.0, "class=\"outline\"");
    svg.text(20.0, 29.0, "axis", "0 %");
    svg.text(154.0, 29.0, "axis middle", &percent(most / 2.0));
    svg.text(288.0, 29.0, "axis end", &percent(most));
    svg.finish("heat-scale", "chart", "Scale of the tones", "From no load to the largest one; small loads are spread.")
}
