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

/// Returns the geometric means with flows, with packets of 4096 bytes, and with packets of 512 bytes.
fn means(all: [&Times; 3]) -> String {
    let mut lines = vec![
        "| geometric mean of speedups | flows | packets of 4096 bytes | packets of 512 bytes |".to_owned(),
        "| --- | ---: | ---: | ---: |".to_owned(),
    ];
    for network in NETWORKS {
        let means = all.map(|times| format!("{:.3}", geometric(&speedups(times, network))));
        lines.push(format!("| {network} | {} |", means.join(" | ")));
    }
    lines.join("\n")
}

#[test]
fn the_page_on_planes_shows_the_results() {
    let times = Times::read("planes-64");
    let as_packets = ["planes-64-packets", "planes-64-small-packets"].map(Times::read);
    let page = Page::open("planes");
    page.put("speedups", &table(&times));
    page.put("packets", &means([&times, &as_packets[0], &as_packets[1]]));
    // The sentences of the page.
    let of = |network: &str| speedups(&times, network);
    let [dual, striped, message, destination] = NETWORKS.map(of);
    assert!(striped.iter().all(|&speedup| (1.015..1.125).contains(&speedup)), "{striped:?}");
    let cg = times.workloads.iter().position(|name| name.starts_with("cg")).expect("a trace of CG");
    let is_as_stated =
        |(at, speedup): (usize, &f64)| if at == cg { 1.105..1.115 } else { 0.965..1.035 }.contains(speedup);
    assert!(dual.iter().enumerate().all(is_as_stated), "{dual:?}");
    assert!((1.025..1.035).contains(&geometric(&dual)), "{dual:?}");
    assert!(message.iter().zip(&destination).all(|(message, destination)| message > destination));
    assert!(message.iter().all(|&speedup| speedup < 0.8));
    let [large, small] = as_packets.each_ref().map(|times| speedups(times, NETWORKS[1]));
    assert!(large.iter().any(|&speedup| speedup < 0.9) && large.iter().any(|&speedup| speedup > 1.3), "{large:?}");
    assert!(small.iter().all(|&speedup| (1.03..1.17).contains(&speedup)), "{small:?}");
    for times in &as_packets {
        let [dual, _, message, destination] = NETWORKS.map(|network| speedups(times, network));
        assert!(dual.iter().all(|&speedup| (0.994..1.12).contains(&speedup)), "{dual:?}");
        assert!(message.iter().zip(&destination).all(|(message, destination)| message > destination));
    }
}
