//! Search for a network: `docs/guide/design-search.md` shows what searches find for shipped studies. The small search runs in
//! every test; the large ones, whose results are kept in `docs/published/data`, in the ignored test that generates them.

use super::pages::{self, Page};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Searches with kept results: study, hosts, ports, most replayed candidates in each setting.
const LARGE: [(&str, &str, &str, &str); 1] = [("procurement", "256", "24", "32")];

/// Columns that are kept of a large search.
const KEPT: [&str; 10] =
    ["name", "candidate", "fit", "fate", "standing", "speed", "highest", "estimate", "price", "watts"];

/// Networks of a search: values by column.
type Networks = Vec<BTreeMap<String, String>>;

fn search((study, hosts, radix, replays): (&str, &str, &str, &str)) -> String {
    let study = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("studies/{study}.toml"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
    command.args(["design", "search", "--quiet", "--format", "csv", "--replays", replays]);
    command.args(["--hosts", hosts, "--radix", radix, "--workloads"]).arg(study);
    let output = command.output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn networks(csv: &str) -> Networks {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    rows.map(|row| row.expect("a network")).collect()
}

fn number(row: &BTreeMap<String, String>, name: &str) -> Option<f64> {
    row[name].parse().ok()
}

/// Returns the setting of a network, without the brackets; empty if there is one setting only.
fn setting(row: &BTreeMap<String, String>) -> &str {
    row["name"].split_once(" [").map_or("", |(_, setting)| setting.trim_end_matches(']'))
}

fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let begin = digits.len() % 3;
    let mut parts: Vec<&str> = Vec::new();
    parts.extend((begin > 0).then(|| &digits[..begin]));
    parts.extend((begin..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    parts.join(",")
}

/// A question of a buyer: its text, and whether a network with this speed has a part in it, with its merit.
type Question = (&'static str, fn(f64, f64, f64) -> Option<f64>);

const QUESTIONS: [Question; 4] = [
    ("fastest", |speed, _, _| Some(speed)),
    ("cheapest with at least 0.9 times the speed of the baseline", |speed, price, _| (speed >= 0.9).then_some(-price)),
    ("most speed for the price", |speed, price, _| Some(speed / price)),
    ("most speed for the power", |speed, _, watts| Some(speed / watts)),
];

/// Returns the best network of each kind for each question: those of the study, those of `--fit`, all candidates.
fn best(all: &Networks) -> String {
    let mut lines = vec![
        "| question | of the study | listed by `--fit` | of all candidates |".to_owned(),
        "| --- | --- | --- | --- |".to_owned(),
    ];
    let mut settings: Vec<&str> = Vec::new();
    for row in all {
        if !settings.contains(&setting(row)) {
            settings.push(setting(row));
        }
    }
    for of in settings {
        for (question, merit) in QUESTIONS {
            let answer = |has_part: &dyn Fn(&BTreeMap<String, String>) -> bool| {
                let rows = all.iter().filter(|row| setting(row) == of && row["fate"] == "replayed" && has_part(row));
                let merits = rows.filter_map(|row| {
                    let [speed, price, watts] = ["speed", "price", "watts"].map(|name| number(row, name));
                    Some((merit(speed?, price?, watts?)?, row, speed?, price?, watts?))
                });
                // Of equal ones, the first is named.
                let best = merits.reduce(|best, next| if next.0 > best.0 { next } else { best });
                best.map_or_else(
                    || "none".to_owned(),
                    |(_, row, speed, price, watts)| {
                        let name = row["name"].split(" [").next().unwrap_or_default();
                        format!("{name}: {speed:.3}, $ {}, {} W", grouped(price), grouped(watts))
                    },
                )
            };
            let place = if of.is_empty() { String::new() } else { format!(", {of}") };
            lines.push(format!(
                "| {question}{place} | {} | {} | {} |",
                answer(&|row| row["candidate"] == "false"),
                answer(&|row| row["fit"] == "true"),
                answer(&|row| row["candidate"] == "true")
            ));
        }
    }
    lines.join("\n")
}

/// Returns how many networks have each fate, and what the front consists of.
fn counts(all: &Networks) -> String {
    let count = |is: &dyn Fn(&BTreeMap<String, String>) -> bool| all.iter().filter(|row| is(row)).count().to_string();
    let front = |row: &BTreeMap<String, String>| row["standing"] == "front";
    let rows = [
        ("networks in all settings", count(&|_| true)),
        ("over a limit", count(&|row| row["fate"] == "over limit")),
        ("excluded by bounds", count(&|row| row["fate"] == "excluded")),
        ("replayed", count(&|row| row["fate"] == "replayed")),
        ("not tried", count(&|row| row["fate"] == "not tried")),
        ("not tried, listed by `--fit`", count(&|row| row["fate"] == "not tried" && row["fit"] == "true")),
        ("on the front", count(&front)),
        ("on the front, networks of the study", count(&|row| front(row) && row["candidate"] == "false")),
        ("on the front, listed by `--fit`", count(&|row| front(row) && row["fit"] == "true")),
        ("rank correlation of estimate and speed", format!("{:.2}", correlation(all))),
    ];
    let lines = rows.iter().map(|(what, number)| format!("| {what} | {number} |"));
    ["| | |".to_owned(), "| --- | ---: |".to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

/// Returns Spearman's rank correlation of estimate and speed, over the replayed candidates of all settings.
fn correlation(all: &Networks) -> f64 {
    let pairs = all.iter().filter_map(|row| Some([number(row, "estimate")?, number(row, "speed")?]));
    let pairs: Vec<[f64; 2]> = pairs.collect();
    // Equal values share the mean of their ranks.
    let rank = |side: usize, value: f64| {
        let below = pairs.iter().filter(|pair| pair[side] < value).count() as f64;
        let equal = pairs.iter().filter(|pair| (pair[side] - value).abs() == 0.0).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let ranks: Vec<[f64; 2]> = pairs.iter().map(|pair| [0, 1].map(|side| rank(side, pair[side]) - middle)).collect();
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| ranks.iter().map(of).sum::<f64>();
    sum(&|pair| pair[0] * pair[1]) / (sum(&|pair| pair[0] * pair[0]) * sum(&|pair| pair[1] * pair[1])).sqrt()
}

/// Returns the front of the first setting, cheapest first.
fn front(all: &Networks) -> String {
    let mut rows: Vec<&BTreeMap<String, String>> = all.iter().filter(|row| row["standing"] == "front").collect();
    rows.sort_by(|a, b| number(a, "price").partial_cmp(&number(b, "price")).expect("numbers"));
    let row = |row: &&BTreeMap<String, String>| {
        let [speed, price, watts] = ["speed", "price", "watts"].map(|name| number(row, name).expect("a number"));
        let fit = if row["fit"] == "true" { "yes" } else { "no" };
        format!("| {} | {fit} | {speed:.3} | {} | {} |", row["name"], grouped(price), grouped(watts))
    };
    let head = ["| network | listed by `--fit` | speed | price, $ | watts |", "| --- | --- | ---: | ---: | ---: |"];
    head.into_iter().map(str::to_owned).chain(rows.iter().map(row)).collect::<Vec<_>>().join("\n")
}

fn show(page: &Page, name: &str, all: &Networks) {
    page.put(&format!("counts of {name}"), &counts(all));
    page.put(&format!("best of {name}"), &best(all));
}

#[test]
fn the_small_search_finds_what_the_page_shows() {
    let (page, all) = (Page::open("../guide/design-search"), networks(&search(("search-16", "16", "8", "1000"))));
    assert!(all.iter().all(|row| row["fate"] != "not tried"), "there are replays enough");
    page.put("front", &front(&all));
    show(&page, "search-16", &all);
}

fn data(study: &str) -> std::path::PathBuf {
    pages::folder().join(format!("data/search-{study}.csv"))
}

#[test]
fn the_page_on_searches_shows_the_results() {
    let page = Page::open("../guide/design-search");
    for (study, ..) in LARGE {
        let kept = std::fs::read_to_string(data(study)).expect("results");
        let all = networks(&kept);
        show(&page, study, &all);
        // No replay exceeds its bound.
        for row in &all {
            let exceeds = number(row, "speed").zip(number(row, "highest")).is_some_and(|(speed, bound)| speed > bound);
            assert!(!exceeds, "{row:?}");
        }
    }
}

#[test]
#[ignore = "takes ten minutes: all replays of a large search"]
fn large_searches_give_the_results_that_are_kept() {
    for of in LARGE {
        let (study, found) = (of.0, search(of));
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(KEPT).expect("written");
        for row in networks(&found) {
            out.write_record(KEPT.map(|column| &row[column])).expect("written");
        }
        let result = String::from_utf8(out.into_inner().expect("flushed")).expect("text");
        if pages::updating() {
            std::fs::write(data(study), result).expect("written");
        } else {
            assert!(std::fs::read_to_string(data(study)).expect("results") == result, "{study}: the results are stale");
        }
    }
}
