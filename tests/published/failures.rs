//! The page on failures: results of `studies/failures-64.toml`, and their conclusions on random networks.

use super::pages::Page;
use super::studies::Times;
use mopsim::study::statistics::Statistic;

const NETWORKS: [&str; 6] = ["random", "3-D torus", "hypercube", "fat tree", "Dragonfly", "Slim Fly"];
const LEVELS: [&str; 2] = ["2% of cables", "10% of cables"];

/// Returns the times of a workload on a network in a setting, by seed.
fn seconds(times: &Times, workload: &str, network: &str, setting: &str) -> Vec<f64> {
    let place = (workload.to_owned(), format!("{network} [{setting}]"));
    times.seconds.get(&place).unwrap_or_else(|| panic!("no {place:?}")).values().copied().collect()
}

/// Returns the slowdowns of one workload by seed, and that of the evenly smaller network.
fn slowdowns(times: &Times, workload: &str, network: &str, level: &str) -> (Vec<f64>, f64) {
    let intact = seconds(times, workload, network, "intact")[0];
    let even = seconds(times, workload, network, &format!("evenly without {level}"))[0];
    let failed = seconds(times, workload, network, &format!("without {level}"));
    (failed.iter().map(|time| time / intact).collect(), even / intact)
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

/// Returns the geometric means over the workloads: over the seeds, and for the even loss.
fn means(times: &Times, network: &str, level: &str) -> (Statistic, f64) {
    let all: Vec<(Vec<f64>, f64)> =
        times.workloads.iter().map(|workload| slowdowns(times, workload, network, level)).collect();
    let of_seed = |k: usize| geometric(&all.iter().map(|(failed, _)| failed[k]).collect::<Vec<_>>());
    let seeds: Vec<f64> = (0..all[0].0.len()).map(of_seed).collect();
    (Statistic::of(&seeds), geometric(&all.iter().map(|(_, even)| *even).collect::<Vec<_>>()))
}

fn percent(ratio: f64) -> String {
    let tenths = (1000.0 * (ratio - 1.0)).round() / 10.0 + 0.0;
    format!("{tenths:+.1}")
}

fn with_spread(value: &Statistic) -> String {
    format!("{} ± {:.1} %", percent(value.mean), 100.0 * value.half_width.unwrap_or(0.0))
}

fn overview(times: &Times) -> String {
    let mut lines = vec![
        "| network | 2 % of cables fail | lost evenly | 10 % of cables fail | lost evenly |".to_owned(),
        "| --- | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for network in NETWORKS {
        let of = |level: &str| {
            let (failed, even) = means(times, network, level);
            format!("{} | {} %", with_spread(&failed), percent(even))
        };
        lines.push(format!("| {network} | {} |", LEVELS.map(of).join(" | ")));
    }
    lines.join("\n")
}

fn workloads(times: &Times, level: &str) -> String {
    let mut lines = vec![format!("| workload | {} |", NETWORKS.join(" | ")), format!("| --- |{}", " ---: |".repeat(6))];
    for workload in &times.workloads {
        let of = |network: &str| with_spread(&Statistic::of(&slowdowns(times, workload, network, level).0));
        lines.push(format!("| {workload} | {} |", NETWORKS.map(of).join(" | ")));
    }
    lines.join("\n")
}

/// Lists the networks by their loss, smallest first; `<` if the intervals do not overlap, `=` if they do.
fn order(times: &Times) -> String {
    let mut lines = Vec::new();
    for level in LEVELS {
        let mut all: Vec<(&str, Statistic)> =
            NETWORKS.iter().map(|network| (*network, means(times, network, level).0)).collect();
        all.sort_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
        let mut text = all[0].0.to_owned();
        for pair in all.windows(2) {
            let apart = pair[0].1.ends()[1] < pair[1].1.ends()[0];
            text.push_str(&format!(" {} {}", if apart { "<" } else { "=" }, pair[1].0));
        }
        lines.push(format!("- {level}: {text}"));
    }
    lines.join("\n")
}

#[test]
fn the_page_on_failures_shows_the_results() {
    let times = Times::read("failures-64");
    let page = Page::open("failures");
    page.put("overview", &overview(&times));
    page.put("order", &order(&times));
    for level in LEVELS {
        page.put(level, &workloads(&times, level));
    }
}
