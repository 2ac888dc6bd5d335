//! Printed figures of papers on graphs, lengths and latencies, against the reference and on the pages.

use super::figures::{Found, find, is_heavy};
use super::networks::{equality_network, skywalk_networks};
use super::pages::{self, Page};
use super::reference::topology_reference;
use Found::{Elsewhere, Number, Route, Sampled, Truth};
use serde_json::Value;

#[test]
fn figures_of_the_papers_are_reproduced() {
    let reference = topology_reference();
    let (mut tested, mut elsewhere) = (0, Vec::new());
    for entry in reference["paper"].as_array().unwrap() {
        // Figures that the reference could not reproduce, or only by fitting a free choice, are no evidence.
        let kind = entry["kind"].as_str().unwrap();
        let reproduced = entry["reproduced"].as_str().unwrap();
        let approximate = kind == "built" && reproduced == "approximately";
        if !(approximate || reproduced == "yes" && ["built", "closed_form"].contains(&kind)) {
            continue;
        }
        let what = entry["what"].as_str().unwrap();
        match find(entry) {
            Elsewhere(reason) => {
                elsewhere.push(format!("{reason}: {what}"));
                continue;
            }
            Route(path) => assert_eq!(entry["computed"], serde_json::json!(path), "{what}"),
            Sampled(ours) => {
                let number = |key: &str| entry[key].as_f64().unwrap_or_else(|| panic!("{what}: {key}"));
                let (printed, tolerance) = (number("value"), number("tolerance"));
                println!("{what}: {ours:.2}, printed {printed} +- {tolerance}");
                assert!((ours - printed).abs() <= tolerance, "{what}: {ours}, printed {printed}");
            }
            Truth(truth) => assert_eq!(entry["computed"].as_bool(), Some(truth), "{what}"),
            Number(ours) => {
                let number = |key: &str| entry[key].as_f64().unwrap_or_else(|| panic!("{what}: {key}"));
                let (printed, tolerance, computed) = (number("value"), number("tolerance"), number("computed"));
                assert!((ours - printed).abs() <= tolerance + 1e-9, "{what}: {ours}, printed {printed}");
                // Percentages of the reference have two decimals; samples differ between generators.
                let slack = match entry["method"].as_str().unwrap() {
                    method if method.contains("samples") => 0.02,
                    method if method.contains("best of") => 0.02 * computed,
                    _ => 0.0051,
                };
                assert!((ours - computed).abs() <= slack, "{what}: {ours}, the reference has {computed}");
            }
        }
        tested += 1;
    }
    println!("{tested} figures tested; {} are not:\n{}", elsewhere.len(), elsewhere.join("\n"));
    assert!(tested >= 85, "only {tested}");
}

/// Page of each source, and the name of its table.
const PAGES: [(&str, &str); 4] = [
    ("A Case for Uni-Directional Network Topologies in Large-Scale Clusters", "uni-directional"),
    ("Layout-aware Expandable Low-degree Topology (DSN-F)", "dsnf"),
    ("Skywalk: a Topology for HPC Networks with Low-delay Switches", "skywalk"),
    ("Performance evaluation of multi-exaflops machines using Equality network topology", "equality"),
];

/// Returns the number of decimals that a paper prints.
fn decimals(printed: &Value) -> usize {
    printed.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// Returns our value, and its relation to the printed one.
fn cells(entry: &Value, found: &Found) -> (String, String) {
    let printed = &entry["value"];
    let number = |ours: f64| {
        let decimals = decimals(printed);
        let printed = printed.as_f64().unwrap_or_else(|| panic!("no number in {entry}"));
        let unit = 0.1_f64.powi(decimals as i32);
        let shown = if ours.fract() == 0.0 { format!("{ours}") } else { format!("{ours:.*}", decimals + 1) };
        // Both truncation and rounding of the last digit agree with the printed value.
        let same = (ours - printed).abs() <= 0.5 * unit + 1e-9 || (ours >= printed && ours < printed + unit - 1e-9);
        // The difference of two percentages is in points.
        let difference = if entry["what"].as_str().is_some_and(|what| what.contains('%')) {
            format!("{:+.2} points", ours - printed)
        } else {
            format!("{:+.1} %", 100.0 * (ours / printed - 1.0))
        };
        (shown, if same { "the same".to_owned() } else { difference })
    };
    let same = |same: bool| if same { "the same" } else { "differs" }.to_owned();
    match found {
        Number(ours) | Sampled(ours) => number(*ours),
        Truth(ours) => (yes(*ours).to_owned(), same(printed.as_bool() == Some(*ours))),
        Route(ours) => (list(&serde_json::json!(ours)), same(*printed == serde_json::json!(ours))),
        Elsewhere(reason) => ("—".to_owned(), (*reason).to_owned()),
    }
}

fn yes(truth: bool) -> &'static str {
    if truth { "yes" } else { "no" }
}

fn list(value: &Value) -> String {
    let parts: Vec<String> = value.as_array().expect("a list").iter().map(Value::to_string).collect();
    parts.join(", ")
}

/// Writes the figures to their pages, or checks them. Figures that take long stay unchanged unless `heavy`.
fn write_pages(heavy: bool) {
    let heavy = heavy || pages::updating();
    let reference = topology_reference();
    let entries = reference["paper"].as_array().unwrap();
    for (source, name) in PAGES {
        let page = Page::open(name);
        let mut table = vec!["| figure | published | ours | |".to_owned(), "| --- | ---: | ---: | --- |".to_owned()];
        for entry in entries.iter().filter(|entry| entry["source"] == source) {
            let what = entry["what"].as_str().unwrap();
            let printed = match &entry["value"] {
                Value::Bool(truth) => yes(*truth).to_owned(),
                value @ Value::Array(_) => list(value),
                value => value.to_string(),
            };
            let what = what.replace('[', "\\[").replace(']', "\\]").replace('|', "\\|");
            let begin = format!("| {what} | {printed} |");
            let kept = if is_heavy(entry["what"].as_str().unwrap()) && !heavy {
                page.line(&begin).map(str::to_owned)
            } else {
                let (ours, mut verdict) = cells(entry, &find(entry));
                // Significance of an agreement.
                verdict += match entry["kind"].as_str().unwrap() {
                    "chosen" => "; one of several readings",
                    "inferred" if ours != "—" => "; its parameters were inferred from this value",
                    _ => "",
                };
                Some(format!("{begin} {ours} | {verdict} |"))
            };
            table.push(kept.unwrap_or_else(|| panic!("`{begin}` is not on the page {name}: run the long test, too")));
        }
        page.put("figures", &table.join("\n"));
    }
}

#[test]
fn pages_have_the_figures_of_graphs() {
    write_pages(false);
}

#[test]
fn pages_have_tables_of_networks() {
    Page::open("skywalk").put("networks", &skywalk_networks());
    Page::open("equality").put("network", &equality_network());
}

#[test]
#[ignore = "takes minutes: networks of 8,192 switches, and halves by METIS, whose random numbers are those of the C library"]
fn pages_have_the_figures_of_graphs_that_take_long() {
    write_pages(true);
}
