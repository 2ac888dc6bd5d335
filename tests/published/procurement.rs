//! Procurement example: `docs/guide/procurement.md` shows the results of `studies/procurement.toml`, which are kept in
//! `docs/published/data` as far as the page needs them. A part of the replays runs in every test; all of them run in
//! the ignored one, which generates the page (see `pages.rs`).

use super::pages::{self, Page};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Shard whose replays run in every test.
const SHARD: &str = "61/97";

fn data() -> PathBuf {
    pages::folder().join("data/procurement.json")
}

fn kept() -> Value {
    let text = std::fs::read_to_string(data()).expect("results");
    serde_json::from_str(&text).expect("JSON")
}

fn study() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("studies/procurement.toml")
}

fn compare(study: &Path, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
    let output = command.arg("compare").arg(study).args(["--quiet", "--no-explain"]).args(more).output();
    let output = output.expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the times of a results file: a line for each replay.
fn times(file: &Path) -> Vec<Value> {
    let results = std::fs::read_to_string(file).expect("results");
    let record = |line: &str| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        json!([record["cell"], record["workload"], record["network"], record["seed"], record["simulated_seconds"]])
    };
    let mut times: Vec<Value> = results.lines().skip(1).map(record).collect();
    times.sort_by_key(|time| time[0].as_u64());
    times
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("`{name}` is no list"))
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("`{name}` is no text in {value}"))
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("`{name}` is no number in {value}"))
}

/// Formats an integer: `1,234,567`.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut lines =
        vec![format!("| {} |", headings.join(" | ")), format!("| --- |{}", " ---: |".repeat(headings.len() - 1))];
    lines.extend(rows.iter().map(|row| format!("| {} |", row.join(" | "))));
    lines.join("\n")
}

/// Returns the offers under the better mapping, best first on each platform.
fn offers(result: &Value) -> String {
    let offers = list(&result["procurement"], "offers").iter().filter(|offer| offer["mapping"] == "bisection");
    let row = |offer: &Value| {
        let cost = &offer["cost"];
        let [dollars, total, watts] = ["dollars", "total", "watts"].map(|name| grouped(number(cost, name)));
        let quoted = if cost["quoted"] == true { " (quoted)" } else { "" };
        let budget = if offer["within_budget"] == true { "within" } else { "over" };
        vec![
            format!("{}, {}", text(offer, "topology"), text(offer, "platform")),
            format!("{:.3}", number(offer, "performance")),
            format!("{dollars}{quoted}"),
            total,
            watts,
            budget.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = offers.map(row).collect();
    table(&["offer", "performance", "price, $", "total, $", "watts", "budget"], &rows)
}

/// Returns every offer in every setting.
fn across(result: &Value) -> String {
    let cells = list(&result["across_settings"], "settings");
    let setting = |cell: &Value| format!("{}, {}", text(cell, "platform"), text(cell, "mapping"));
    let mut names: Vec<&str> = Vec::new();
    let mut settings: Vec<String> = Vec::new();
    for cell in cells {
        if !names.contains(&text(cell, "topology")) {
            names.push(text(cell, "topology"));
        }
        if !settings.contains(&setting(cell)) {
            settings.push(setting(cell));
        }
    }
    let row = |name: &&str| {
        let own = cells.iter().filter(|cell| text(cell, "topology") == *name);
        let value = |cell: &Value| format!("{:.3} ({:.3})", number(cell, "geometric"), number(cell, "per_money"));
        [(*name).to_owned()].into_iter().chain(own.map(value)).collect()
    };
    let rows: Vec<Vec<String>> = names.iter().map(row).collect();
    let headings: Vec<&str> = ["offer"].into_iter().chain(settings.iter().map(String::as_str)).collect();
    table(&headings, &rows)
}

/// Returns the effect of each assumption.
fn sensitivity(result: &Value) -> String {
    let result = &result["sensitivity"];
    let names: Vec<&str> = list(result, "stated").iter().map(|network| text(network, "topology")).collect();
    let row = |effect: &Value| {
        let moved = |network: &Value| format!("{:+.1} %", (1000.0 * number(network, "moved")).round() / 10.0 + 0.0);
        let changes = if effect["winner_changes"] == true { " (!)" } else { "" };
        [format!("{} {}", text(effect, "assumption"), text(effect, "value"))]
            .into_iter()
            .chain(list(effect, "networks").iter().map(moved))
            .chain([format!("{}{changes}", text(effect, "fastest"))])
            .collect()
    };
    let stated = list(result, "stated").iter().map(|network| format!("{:.3}", number(network, "geometric")));
    let mut rows: Vec<Vec<String>> =
        vec![["as stated".to_owned()].into_iter().chain(stated).chain([text(result, "fastest").to_owned()]).collect()];
    rows.extend(list(result, "effects").iter().map(row));
    let headings: Vec<&str> = ["assumption"].into_iter().chain(names).chain(["fastest"]).collect();
    table(&headings, &rows)
}

#[test]
fn the_page_on_a_purchase_shows_the_results() {
    let (page, result) = (Page::open("../guide/procurement"), kept());
    page.put("offers", &offers(&result));
    page.put("across", &across(&result));
    page.put("sensitivity", &sensitivity(&result));
}

#[test]
fn a_part_of_the_purchase_gives_the_results_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.jsonl");
    compare(&study(), &["--shard", SHARD, "--results", file.to_str().expect("a path of text")]);
    let (times, kept) = (times(&file), kept());
    assert!(times.len() > 2);
    for time in times {
        let cell = time[0].as_u64().expect("a number") as usize;
        assert_eq!(
            time,
            list(&kept, "times")[cell],
            "the results that are kept are stale (see tests/published/pages.rs)"
        );
    }
}

/// Prices depend on networks and the price list, not on what runs: a short workload shows them.
#[test]
fn prices_are_those_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = std::fs::read_to_string(study()).expect("the study");
    let (networks, rest) = whole.split_once("[[workloads]]").expect("workloads");
    let (_, budget) = rest.split_once("[budget]").expect("a budget");
    let (budget, _) = budget.split_once("[sensitivity]").expect("assumptions");
    let lists = study().with_file_name("..").join("data/prices");
    let budget = budget.replace("../data/prices", lists.to_str().expect("a path of text"));
    let short = "[[workloads]]\nworkload = \"npb/is\"\nclass = \"S\"\nranks = 16\n";
    let file = folder.path().join("s.toml");
    std::fs::write(&file, format!("{networks}{short}[budget]{budget}")).expect("written");
    let found: Value = serde_json::from_str(&compare(&file, &["--format", "json"])).expect("JSON");
    let costs = |result: &Value| -> Vec<Value> {
        let offers = list(&result["procurement"], "offers").iter();
        let cost = |offer: &Value| {
            let key = ["topology", "platform", "mapping"].map(|name| text(offer, name).to_owned());
            json!([key, offer["cost"], offer["within_budget"]])
        };
        let mut costs: Vec<Value> = offers.map(cost).collect();
        costs.sort_by_key(Value::to_string);
        costs
    };
    assert_eq!(costs(&found), costs(&kept()), "the prices that are kept are stale (see tests/published/pages.rs)");
}

#[test]
#[ignore = "takes some minutes: all replays of the study"]
fn all_of_the_purchase_gives_the_results_that_are_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("r.jsonl");
    let found = compare(&study(), &["--format", "json", "--results", file.to_str().expect("a path of text")]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let parts = ["procurement", "across_settings", "sensitivity"].map(|name| (name.to_owned(), found[name].clone()));
    let mut result = Value::Object(parts.into_iter().collect());
    result["times"] = times(&file).into();
    if pages::updating() {
        std::fs::write(data(), serde_json::to_string(&result).expect("JSON") + "\n").expect("written");
    } else {
        assert!(result == kept(), "the results that are kept are stale");
    }
}
