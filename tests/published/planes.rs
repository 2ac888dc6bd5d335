//! The page on planes: results of `studies/planes-64.toml`.

use super::pages::Page;
use super::studies::Times;

const BASELINE: &str = "fat tree";
const NETWORKS: [&str; 4] =
    ["dual-homed tree, striped", "8 planes, striped", "8 planes, by message", "8 planes, by destination"];

fn seconds(times: &Times, workload: &str, network: &str) -> f64 {
    let place = (workload.to_owned(), network.to_owned());
    *times.seconds[&place].values().next().expect("a time")
}

/// Returns the speedup over the fat tree, workload by workload.
fn speedups(times: &Times, network: &str) -> Vec<f64> {
    let speedup = |workload: &String| seconds(times, workload, BASELINE) / seconds(times, workload, network);
    times.workloads.iter().map(speedup).collect()
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn table(times: &Times) -> String {
    let names = times.workloads.iter().map(|name| name.split('.').next().unwrap_or(name).to_uppercase());
    let mut lines = vec![
        format!("| speedup over the fat tree | {} | geometric mean |", names.collect::<Vec<_>>().join(" | ")),
        format!("| --- |{}", " ---: |".repeat(times.workloads.len() + 1)),
    ];
    for network in NETWORKS {
        let mut all = speedups(times, network);
        all.push(geometric(&all));
        let all: Vec<String> = all.iter().map(|speedup| format!("{speedup:.3}")).collect();
        lines.push(format!("| {network} | {} |", all.join(" | ")));
    }
    lines.join("\n")
}

#[test]
fn the_page_on_planes_shows_the_results() {
    let times = Times::read("planes-64");
    Page::open("planes").put("speedups", &table(&times));
    // The sentences of the page.
    let of = |network: &str| speedups(&times, network);
    let [dual, striped, message, destination] = NETWORKS.map(of);
    assert!(striped.iter().all(|&speedup| (1.015..1.125).contains(&speedup)), "{striped:?}");
    assert!(dual.iter().all(|&speedup| (0.97..1.005).contains(&speedup)), "{dual:?}");
    assert!(message.iter().zip(&destination).all(|(message, destination)| message > destination));
    assert!(message.iter().all(|&speedup| speedup < 0.8));
}
