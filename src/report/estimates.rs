//! What the conclusions of a comparison owe to extrapolated times.

use super::findings::list;
use super::label::short;
use super::{across, sensitivity};
use crate::study::comparison::Comparison;

/// Returns cautions about conclusions from extrapolated times: the figures without an interval of their own, and the neighbours
/// in rankings whose intervals overlap. Empty if all times are exact.
pub(super) fn cautions(c: &Comparison) -> Vec<String> {
    if !c.is_extrapolated() {
        return Vec::new();
    }
    let has = |workload: &usize| c.any_run(*workload, |record| record.extrapolation.is_some());
    let names: Vec<String> =
        (0..c.workloads.len()).filter(has).map(|workload| c.workloads[workload].name.clone()).collect();
    let parts = [
        c.budget.is_some().then_some("performance for the money and for a watt"),
        across::shown(c).map(|_| "the table across settings"),
        sensitivity::shown(c).map(|_| "the sensitivity"),
        c.ranking.as_ref().map(|_| "the stability of rankings"),
        c.check.as_ref().map(|_| "the comparison with packets"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().map(str::to_owned).collect();
    let mut found = Vec::new();
    if !parts.is_empty() {
        found.push(format!(
            "Times of {} are extrapolated. These parts are based on them and have no intervals of their own: {}. Differences there \
             that are smaller than the half widths of the times are not certain.",
            list(&names),
            list(&parts)
        ));
    }
    found.extend(undecided(c));
    found
}

/// States which neighbours in the order of their speeds have overlapping intervals, workload by workload and for the mean.
fn undecided(c: &Comparison) -> Option<String> {
    let mut all = Vec::new();
    for workload in (0..c.workloads.len()).map(Some).chain([None]) {
        let of = |network: usize| match workload {
            Some(workload) => &c.cell(workload, network).ratio,
            None => &c.geometric[network],
        };
        let mut pairs = Vec::new();
        for mut order in c.of_settings() {
            order.sort_by(|&a, &b| of(b).mean.total_cmp(&of(a).mean).then(a.cmp(&b)));
            let overlap = |pair: &&[usize]| {
                let is_exact = pair.iter().all(|&network| of(network).relative_half_width().is_none());
                !is_exact && of(pair[1]).ends()[1] >= of(pair[0]).ends()[0]
            };
            pairs
                .extend(order.windows(2).filter(overlap).map(|p| format!("{} and {}", short(c, p[0]), short(c, p[1]))));
        }
        if !pairs.is_empty() {
            let name = workload.map_or("geometric mean", |workload| &c.workloads[workload].name);
            all.push(format!("{name} {}", pairs.join(", ")));
        }
    }
    (!all.is_empty()).then(|| {
        format!(
            "Intervals of neighbours in a ranking overlap, so the faster of the two is not certain: {}.",
            all.join("; ")
        )
    })
}
