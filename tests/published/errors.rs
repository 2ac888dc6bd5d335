//! Errors of predicted times against measured ones, and the tables that show them.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Seconds of each program on each network.
pub type Times = BTreeMap<String, BTreeMap<String, f64>>;

/// The median; of an even number of values, the mean of both in the middle. The list is sorted.
pub fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// Errors of a model. An error is a factor less 1, in per cent: a time that is twice or half of the measured one is 100 %
/// off.
#[derive(Clone, Copy, Debug)]
pub struct Errors {
    pub cells: usize,
    pub median_time: f64,
    pub worst_time: f64,
    pub bias: f64,
    /// Of times relative to the baseline network; none without one.
    pub median_ratio: f64,
    pub worst_ratio: f64,
    /// Pairs of networks that differ by more than 10 % and are in the right order, and all that differ so.
    pub in_order: usize,
    pub ordered: usize,
}

pub fn errors(measured: &Times, predicted: &Times, baseline: &str) -> Errors {
    let per_cent = |logarithm: f64| 100.0 * (logarithm.exp() - 1.0);
    let sorted = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list
    };
    let (mut times, mut ratios) = (Vec::new(), Vec::new());
    let (mut in_order, mut ordered) = (0, 0);
    for (network, kernels) in measured {
        for (kernel, seconds) in kernels {
            let ours = predicted[network][kernel];
            times.push((ours / seconds).ln());
            if let Some(base) = measured.get(baseline).filter(|_| network != baseline) {
                ratios.push((ours / predicted[baseline][kernel] / (seconds / base[kernel])).ln().abs());
            }
            for (other, theirs) in measured.range(..network.clone()) {
                let apart = seconds / theirs[kernel];
                if apart.ln().abs() > 0.1 {
                    ordered += 1;
                    in_order += usize::from((apart > 1.0) == (ours / predicted[other][kernel] > 1.0));
                }
            }
        }
    }
    let bias = per_cent(times.iter().sum::<f64>() / times.len() as f64);
    let times = sorted(times.iter().map(|error| error.abs()).collect());
    let ratios = if ratios.is_empty() { vec![f64::NAN] } else { sorted(ratios) };
    Errors {
        cells: times.len(),
        median_time: per_cent(middle(&times)),
        worst_time: per_cent(times[times.len() - 1]),
        bias,
        median_ratio: per_cent(middle(&ratios)),
        worst_ratio: per_cent(ratios[ratios.len() - 1]),
        in_order,
        ordered,
    }
}

/// Geometric mean, over all programs, of the time on one network relative to that on another.
pub fn mean_ratio(times: &Times, network: &str, base: &str) -> f64 {
    let ratios = times[network].iter().map(|(program, seconds)| (seconds / times[base][program]).ln());
    (ratios.sum::<f64>() / times[network].len() as f64).exp()
}

/// A row for each model.
pub fn errors_table(rows: &[(&str, Errors)]) -> String {
    let mut table = "| model | times: median error | worst | bias | ratios: median error | worst | right order |\n\
                     | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (name, e) in rows {
        let ratios = match e.median_ratio.is_nan() {
            true => "- | -".to_owned(),
            false => format!("{:.1} % | {:.0} %", e.median_ratio, e.worst_ratio),
        };
        writeln!(
            table,
            "| {name} | {:.1} % | {:.0} % | {:+.1} % | {ratios} | {} of {} |",
            e.median_time, e.worst_time, e.bias, e.in_order, e.ordered
        )
        .expect("text");
    }
    table.trim_end().to_owned()
}

/// Measured times beside those of a model, programs and networks in the order given; bold where they differ by more than 15 %.
/// Networks have a name in `measured`, and one in the table.
pub fn times_table(measured: &Times, predicted: &Times, programs: &[&str], networks: &[(&str, &str)]) -> String {
    let mut table = "| program |".to_owned();
    networks.iter().for_each(|(_, name)| write!(table, " {name} |").expect("text"));
    table.push_str(&format!("\n|{}", " --- |".repeat(networks.len() + 1)));
    for &program in programs {
        write!(table, "\n| {program} |").expect("text");
        for &(network, _) in networks {
            let (seconds, ours) = (measured[network][program], predicted[network][program]);
            let bold = if (ours / seconds).ln().abs() > 1.15f64.ln() { "**" } else { "" };
            write!(table, " {bold}{seconds:.3} / {ours:.3}{bold} |").expect("text");
        }
    }
    table
}

/// Geometric mean over all programs relative to the first network: measured, and by each model.
pub fn means_table(measured: &Times, models: &[(&str, &Times)], networks: &[(&str, &str)]) -> String {
    let mut table = "| geometric mean |".to_owned();
    networks[1..].iter().for_each(|(_, name)| write!(table, " {name} |").expect("text"));
    table.push_str(&format!("\n|{}", " --- |".repeat(networks.len())));
    for (name, times) in [("measured", measured)].iter().chain(models) {
        write!(table, "\n| {name} |").expect("text");
        for (network, _) in &networks[1..] {
            write!(table, " {:.3} |", mean_ratio(times, network, networks[0].0)).expect("text");
        }
    }
    table
}

/// Largest error of a geometric mean relative to the first network, in per cent.
pub fn worst_mean(measured: &Times, predicted: &Times, networks: &[(&str, &str)]) -> f64 {
    let error = |network: &str| {
        let [ours, theirs] = [predicted, measured].map(|times| mean_ratio(times, network, networks[0].0));
        100.0 * ((ours / theirs).ln().abs().exp() - 1.0)
    };
    networks[1..].iter().map(|(network, _)| error(network)).fold(0.0, f64::max)
}
