//! Cautions about the figures and conclusions of a comparison, in sentences that all formats share.

use super::findings::{list, range};
use super::label::short;
use crate::study::comparison::Comparison;

/// Share of communication from which on a workload has almost no computation.
const HARDLY_COMPUTES: f64 = 0.9;

/// Number of repetitions below which intervals are not reliable.
const FEW: usize = 5;

/// Returns cautions about workloads with almost no computation, few repetitions, and rankings that extrapolated times do not
/// decide.
pub(super) fn cautions(c: &Comparison) -> Vec<String> {
    hardly_compute(c).into_iter().chain(few_repetitions(c)).chain(undecided(c)).collect()
}

/// Returns a caution on workloads that spend nearly all of their time in communication, on all networks.
fn hardly_compute(c: &Comparison) -> Option<String> {
    let share = |w: usize, n: usize| 1.0 - c.cell(w, n).explanation.time_shares.compute;
    let networks = 0..c.networks.len();
    let all = |w: usize| networks.clone().map(move |n| share(w, n));
    let found: Vec<usize> = (0..c.workloads.len())
        .filter(|&w| c.cells.iter().any(|x| x.workload == w && x.simulated_seconds > 0.0))
        .filter(|&w| all(w).all(|share| share >= HARDLY_COMPUTES))
        .collect();
    if found.is_empty() {
        return None;
    }
    let shares = range(found.iter().flat_map(|&w| all(w)).collect::<Vec<_>>().into_iter());
    let who = if found.len() == c.workloads.len() {
        "Your workloads hardly compute".to_owned()
    } else {
        let names: Vec<String> = found.iter().map(|&w| c.workloads[w].name.clone()).collect();
        format!("{} hardly compute{}", list(&names), if names.len() == 1 { "s" } else { "" })
    };
    Some(format!(
        "{who} here: {shares} of the time is communication. Ratios are then those of the network alone, which a whole \
         application does not see; take a larger class, or a host speed closer to the real one."
    ))
}

/// Returns a caution on too few repetitions for an interval.
fn few_repetitions(c: &Comparison) -> Option<String> {
    let least = c.seeds.iter().map(Vec::len).filter(|count| *count > 1).min()?;
    (least < FEW).then(|| {
        format!(
            "Only {least} repetitions: the 95 % intervals of so few are wide and rest on the normal distribution; take at \
             least {FEW}."
        )
    })
}

/// States which neighbours in the order of their speeds have overlapping intervals, workload by workload and for the mean.
fn undecided(c: &Comparison) -> Option<String> {
    if !c.is_extrapolated() {
        return None;
    }
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
