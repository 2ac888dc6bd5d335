//! The page of `mopsim packets --html`: its curves and tables are the results, and it is safe and complete.

use crate::support::cli::{Folder, number};
use crate::support::html::{check_validity, elements, parse};
use serde_json::Value;
use std::collections::HashSet;

const ASK: [&str; 11] = [
    "packets",
    "torus:4x4",
    "mesh:4x4",
    "--pattern",
    "uniform,transpose",
    "--load",
    "0.1:0.9:0.2",
    "--measure",
    "600",
    "--warmup",
    "200",
];

/// Returns the page, and the JSON that the same run prints.
fn page(folder: &Folder, more: &[&str]) -> (String, Value) {
    let json = folder.json(&[&ASK[..], &["--html", "out.html", "-q"], more].concat());
    (folder.read("out.html"), json)
}

/// Places of the marks of a chart, with the values that its axes have there, by class of the mark.
fn marks(page: &str, id: &str, class: &str) -> Vec<[f64; 2]> {
    let chart = page.split_once(&format!("<title id=\"{id}-t\">")).expect(id).1.split("</svg>").next().expect("an end");
    let attribute = |element: &str, name: &str| -> f64 {
        element.split_once(&format!("{name}=\"")).expect(name).1.split('"').next().unwrap().parse().expect(name)
    };
    // Two labels of an axis determine its scale.
    let scale = |kind: &str, place: &str| {
        let labels: Vec<(f64, f64)> = chart
            .split("<text ")
            .filter(|text| text.contains(&format!("class=\"axis {kind}\"")) && !text.starts_with("transform"))
            .filter_map(|text| {
                let value = text.split_once('>')?.1.split('<').next()?.parse().ok()?;
                Some((attribute(&format!(" {text}"), &format!(" {place}")), value))
            })
            .collect();
        let (first, last) = (labels[0], labels[labels.len() - 1]);
        move |at: f64| first.1 + (at - first.0) / (last.0 - first.0) * (last.1 - first.1)
    };
    let (x, y) = (scale("middle", "x"), scale("end", "y"));
    let of_class = chart.split("<path ").filter(|path| path.contains(&format!("class=\"{class} ")));
    of_class
        .map(|path| {
            let place = path.split_once("translate(").expect("a place").1.split(')').next().unwrap();
            let (across, down) = place.split_once(' ').expect("two numbers");
            // Labels are four units below the line that they name.
            [x(across.parse().unwrap()), y(down.parse::<f64>().unwrap() + 4.0)]
        })
        .collect()
}

fn assert_close(found: &[[f64; 2]], expected: &[[f64; 2]]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    let largest = |axis: usize| expected.iter().map(|point| point[axis]).fold(0.0, f64::max);
    for (found, expected) in found.iter().zip(expected) {
        for axis in 0..2 {
            // A chart of at least 250 units has a tenth of a unit as its resolution.
            let room = 2e-3 * largest(axis);
            assert!((found[axis] - expected[axis]).abs() < room, "{found:?} is not {expected:?}");
        }
    }
}

#[test]
fn the_marks_of_the_charts_are_the_points_of_the_json() {
    let folder = Folder::new().pinned();
    let (page, json) = page(&folder, &[]);
    let points = json["points"].as_array().unwrap();
    for (chart, pattern) in ["uniform", "transpose"].iter().enumerate() {
        let own: Vec<&Value> = points.iter().filter(|point| point["pattern"] == *pattern).collect();
        let saturated = own.iter().filter(|point| point["saturated"] == true).count();
        assert!(saturated > 0 && saturated < own.len(), "{pattern}: {saturated}");
        // Marks above the chart are left out.
        let shown = marks(&page, &format!("latency-{chart}"), "mark");
        let least = own.iter().filter_map(|point| point["latency_mean"].as_f64()).fold(f64::INFINITY, f64::min);
        let timed: Vec<[f64; 2]> = own
            .iter()
            .filter_map(|point| Some([number(point, "accepted"), point["latency_mean"].as_f64()?]))
            .filter(|point| point[1] < 6.0 * least)
            .collect();
        assert!(timed.len() >= 4, "{timed:?}");
        assert_close(&shown, &timed);
        let all: Vec<[f64; 2]> = own.iter().map(|point| [number(point, "load"), number(point, "accepted")]).collect();
        assert_close(&marks(&page, &format!("accepted-{chart}"), "mark"), &all);
        let full = json["series"].as_array().unwrap().iter().filter(|series| series["pattern"] == *pattern);
        let full: Vec<[f64; 2]> = full.map(|series| [1.0, number(series, "accepted_at_full_load")]).collect();
        let colours: Vec<[f64; 2]> =
            (0..2).flat_map(|n| marks(&page, &format!("accepted-{chart}"), &format!("full fill-net{n}"))).collect();
        assert_close(&colours, &full);
    }
}

#[test]
fn every_result_is_in_a_table_and_in_the_embedded_json() {
    let folder = Folder::new().pinned();
    let (page, json) = page(&folder, &[]);
    let elements = elements(&parse(&page));
    let embedded = elements.iter().find(|e| e.1.get("id").is_some_and(|id| id == "results-json")).expect("JSON");
    assert_eq!(serde_json::from_str::<Value>(&embedded.2).expect("JSON"), json);
    let shown: HashSet<u64> = elements
        .iter()
        .filter(|e| e.0 == "data")
        .map(|e| e.1["value"].parse::<f64>().expect("a number").to_bits())
        .collect();
    let of_series = [
        "saturation",
        "accepted_at_full_load",
        "latency_at_lowest_load",
        "latency_at_lowest_load_ns",
        "saturation_ratio",
        "latency_ratio",
    ];
    let of_points = [
        "load",
        "accepted",
        "latency_mean",
        "latency_p50",
        "latency_p99",
        "latency_p999",
        "latency_max",
        "network_latency_mean",
        "hops_mean",
        "accepted_least",
        "accepted_most",
        "fairness",
        "cable_load_mean",
        "cable_load_max",
    ];
    let mut count = 0;
    for (list, names) in [("series", &of_series[..]), ("points", &of_points)] {
        for row in json[list].as_array().unwrap() {
            for value in names.iter().filter_map(|name| row.get(name).expect(name).as_f64()) {
                assert!(shown.contains(&value.to_bits()), "{value} of {row} is not shown");
                count += 1;
            }
        }
    }
    assert!(count > 200, "{count}");
    // The verdict is about the network with the highest saturation.
    let verdicts: Vec<&str> =
        elements.iter().filter(|e| e.1.get("class").is_some_and(|c| c == "verdict")).map(|e| e.2.as_str()).collect();
    assert_eq!(verdicts.len(), 2);
    for (verdict, pattern) in verdicts.iter().zip(["uniform", "transpose"]) {
        let series = json["series"].as_array().unwrap().iter().filter(|series| series["pattern"] == pattern);
        let best = series.max_by(|a, b| number(a, "saturation").total_cmp(&number(b, "saturation"))).unwrap();
        assert!(verdict.contains(best["topology"].as_str().unwrap()) && verdict.contains(pattern), "{verdict}");
        assert!(verdict.contains(&format!("{:.3}", number(best, "saturation"))), "{verdict}");
    }
}

#[test]
fn notes_name_the_letters_and_patterns_of_the_page() {
    let folder = Folder::new().pinned();
    let (page, _) = page(&folder, &["random:n=16,d=4,seed=1"]);
    let wormhole = "A (uniform), A (transpose), B (uniform), B (transpose)";
    assert!(page.contains(&format!("Switching: wormhole on {wormhole}; not-full on C (uniform), C (transpose).")));
    let summary = page.split_once("id=\"summary\"").expect("a summary").1.split("</section>").next().expect("an end");
    assert!(summary.contains("One seed:"), "{summary}");
    let text = folder.output(&[&ASK[..], &["random:n=16,d=4,seed=1", "-q"]].concat());
    assert!(text.contains("wormhole on 1, 2, 3, 4; not-full on 5, 6."), "{text}");
}

#[test]
fn the_page_is_valid_accessible_and_loads_nothing() {
    let folder = Folder::new().pinned();
    // Names of files are the only text of users.
    folder.write("<i>&\u{202e}.edges", "0 1\n1 2\n2 0\n");
    let run = ["--load", "0.1,0.6", "--measure", "300"];
    let ask = ["packets", "<i>&\u{202e}.edges", "ring:3", "--html", "hostile.html", "-q"];
    folder.output(&[&ask[..], &run].concat());
    let hostile = folder.read("hostile.html");
    assert!(!hostile.contains("<i>") && !hostile.contains('\u{202e}'));
    let (seeds, _) = page(&folder, &["--seeds", "3"]);
    let deflection = ["packets", "kautz:d=2,k=3", "--routing", "deflection", "--routing", "amin", "--html", "out.html"];
    folder.output(&[&deflection[..], &run, &["--no-saturation", "-q"]].concat());
    let detours = folder.read("out.html");
    let throughput = ["packets", "torus:4x4", "--mode", "throughput", "--html", "out.html", "-q"];
    folder.output(&[&throughput[..], &run, &["--no-saturation"]].concat());
    let without_latency = folder.read("out.html");
    for (page, charts) in [(&hostile, 2), (&seeds, 4), (&detours, 2), (&without_latency, 1)] {
        check_validity(page);
        let elements = elements(&parse(page));
        let drawings: Vec<_> = elements.iter().filter(|e| e.0 == "svg" && !e.1.contains_key("aria-hidden")).collect();
        assert_eq!(drawings.len(), charts);
        assert!(drawings.iter().all(|d| d.1["role"] == "img" && d.1.contains_key("aria-labelledby")));
        assert_eq!(elements.iter().filter(|e| e.0 == "desc").count(), charts);
        for (name, attributes, _) in &elements {
            assert!(!["link", "img", "iframe", "object", "embed", "base"].contains(&name.as_str()), "{name}");
            assert!(!attributes.contains_key("src") && !attributes.keys().any(|a| a.starts_with("on")));
            assert!(name != "script" || attributes["type"] == "application/json");
        }
        assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("@import"));
    }
    assert!(detours.contains(">Detours</th>") && !seeds.contains(">Detours</th>"));
    // Curves that differ in their routing only are named by it.
    assert!(detours.contains(", deflection</li>") && detours.contains(", amin</li>"));
    // Whiskers in both charts of both patterns, and only where there are seeds.
    assert!(seeds.matches("class=\"whisker\"").count() >= 4, "{}", seeds.matches("class=\"whisker\"").count());
    assert!(!hostile.contains("class=\"whisker\"") && seeds.contains("±") && !hostile.contains('±'));
}

#[test]
fn the_page_is_the_same_for_any_number_of_threads_and_replaces_only_reports() {
    let folder = Folder::new().pinned();
    let (one, json) = page(&folder, &["--threads", "1"]);
    // The page of another run is replaced without --force.
    let (two, same) = page(&folder, &["--threads", "2"]);
    assert_eq!((&one, &json), (&two, &same));
    assert_eq!(json, folder.json(&ASK));
    folder.write("precious.html", "<!DOCTYPE html>\n<title>mine</title>");
    let ask =
        ["packets", "torus:4x4", "--load", "0.1", "--measure", "200", "--no-saturation", "--html", "precious.html"];
    folder.refuse(&ask, 2, &["not a mopsim report", "--force"]);
    folder.output(&[&ask[..], &["--force"]].concat());
    assert!(folder.read("precious.html").contains("torus:dims=4x4"));
    folder.write("m.txt", "0 1 1\n");
    folder.refuse(&["packets", "torus:4x4", "--pattern", "matrix:m.txt", "--html", "m.txt"], 2, &["this file is read"]);
    folder.write("list.txt", "0 1 0\n");
    folder.refuse(
        &["packets", "torus:4x4", "--packets", "list.txt", "--html", "out.html"],
        2,
        &["--packets", "--html"],
    );
}
