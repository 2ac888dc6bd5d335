//! The HTML report as a browser and a reader see it: valid, self-contained, complete, and safe against what users
//! write.

use crate::support::cli::{Folder, MESSAGE};
use crate::support::html::{Attributes, check_validity, elements, parse};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// A name that would break out of text, attributes, scripts and styles where it is not escaped.
const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror='x()'>\"&amp;";

/// A study whose names are as bad as they can be.
fn hostile_study() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("b.ti", "0 compute 1e6\n1 compute 1e6\n0 allreduce 4096 0 6\n1 allreduce 4096 0 6\n");
    folder.write("t.toml", "operations = 5e8\n");
    folder.write(
        "s.toml",
        format!(
            "title = '''{HOSTILE} title'''
             baseline = '''{HOSTILE} net'''
             [[networks]]
             name = '''{HOSTILE} net'''
             topology = 'torus:4x4'
             [[networks]]
             topology = 'torus:4x4'
             parameters = {{ duplex = 'shared' }}
             [[networks]]
             topology = 'random_directed:n=16,d=3,seed=2'
             [[workloads]]
             name = '''{HOSTILE} work'''
             trace = 't.ti'
             [[workloads]]
             trace = 'b.ti'
            "
        ),
    );
    folder
}

/// A study with all that a buyer may ask: repetitions, weights, a budget. There are two settings if `settings`.
fn buyers_study(settings: bool) -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    let mut trace = String::new();
    for rank in 0..8 {
        let partner = (rank + 3) % 8;
        let from = (rank + 5) % 8;
        trace.push_str(&format!("{rank} irecv {from} 0 100000 6\n{rank} send {partner} 0 100000 6\n"));
        trace.push_str(&format!("{rank} wait {from} {rank} 0\n{rank} compute 1e6\n{rank} allreduce 2000 10 0 6\n"));
    }
    folder.write("t.ti", &trace);
    folder.write("b.ti", trace.replace("100000", "700"));
    let mappings = if settings { "mappings = ['one-each', 'random']" } else { "" };
    folder.write(
        "s.toml",
        format!(
            "title = 'A purchase'
             baseline = 'ring'
             repetitions = 4
             {mappings}
             [budget]
             dollars = 9000
             [[networks]]
             name = 'ring'
             topology = 'ring:8'
             [[networks]]
             name = 'random'
             topology = 'random:n=8,d=3'
             [[networks]]
             name = 'mesh of all'
             topology = 'full_mesh:8'
             [[workloads]]
             trace = 't.ti'
             weight = 3
             [[workloads]]
             trace = 'b.ti'
            "
        ),
    );
    folder
}

fn page(folder: &Folder, more: &[&str]) -> String {
    folder.output(&[&["compare", "s.toml", "--html", "out.html", "-q"], more].concat());
    folder.read("out.html")
}

#[test]
fn the_page_is_valid_with_unique_ids_and_links_that_lead_somewhere() {
    check_validity(&page(&hostile_study(), &[]));
    check_validity(&page(&buyers_study(false), &["--perturb", "10%", "--samples", "3"]));
    check_validity(&page(&buyers_study(true), &[]));
}

#[test]
fn drawings_have_a_title_and_a_description_or_are_decoration() {
    let page = page(&hostile_study(), &[]);
    let elements = elements(&parse(&page));
    let drawings: Vec<_> = elements.iter().filter(|e| e.0 == "svg" && !e.1.contains_key("aria-hidden")).collect();
    assert!(drawings.len() > 5);
    assert!(
        drawings.iter().all(|d| d.1.get("role").is_some_and(|r| r == "img") && d.1.contains_key("aria-labelledby"))
    );
    let count = |name| elements.iter().filter(|e| e.0 == name).count();
    assert_eq!(count("desc"), drawings.len());
}

/// Returns the text of the script that runs.
fn script(page: &str) -> String {
    let is_run = |e: &&(String, Attributes, String)| e.0 == "script" && !e.1.contains_key("type");
    let all: Vec<String> = elements(&parse(page)).iter().filter(is_run).map(|e| e.2.clone()).collect();
    assert_eq!(all.len(), 1);
    all[0].clone()
}

#[test]
fn nothing_is_loaded_and_one_script_runs_without_text_of_files() {
    let page = page(&hostile_study(), &[]);
    assert_eq!(script(&page), script(&self::page(&buyers_study(true), &[])));
    for (name, attributes, _) in elements(&parse(&page)) {
        assert!(!["link", "img", "iframe", "object", "embed", "base"].contains(&name.as_str()), "{name}");
        assert!(!attributes.contains_key("src") && !attributes.keys().any(|a| a.starts_with("on")), "{attributes:?}");
        if name == "script" && attributes.contains_key("type") {
            assert_eq!(attributes["type"], "application/json");
        }
        // A browser runs the script of this digest, and loads nothing.
        if let Some(policy) = attributes.get("http-equiv").map(|_| &attributes["content"]) {
            let digest = policy.split_once("script-src 'sha256-").expect("a digest").1.split('\'').next();
            assert!(policy.starts_with("default-src 'none';") && digest.is_some_and(|d| d.len() == 44), "{policy}");
        }
        assert!(attributes.get("href").is_none_or(|h| h.starts_with('#')), "{attributes:?}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("@import"));
}

#[test]
fn names_stay_names() {
    let page = page(&hostile_study(), &["--timeline-cell", &format!("{HOSTILE} work@{HOSTILE} net")]);
    let elements = elements(&parse(&page));
    let of = |name: &str| elements.iter().filter(|e| e.0 == name).map(|e| e.2.clone()).collect::<Vec<_>>();
    assert_eq!(of("title")[0], format!("{HOSTILE} title"));
    assert_eq!(of("h1"), [format!("{HOSTILE} title")]);
    assert!(of("th").iter().any(|t| t.starts_with(&format!("{HOSTILE} work"))));
    // Results, data of the view, and the script.
    assert_eq!(of("script").len(), 3);
    assert!(of("h2").iter().any(|h| h.contains(&format!("{HOSTILE} work on {HOSTILE} net"))));
}

#[test]
fn every_number_of_the_json_is_in_the_page() {
    let folder = hostile_study();
    let result = folder.json(&["compare", "s.toml"]);
    let elements = elements(&parse(&page(&folder, &[])));
    let embedded = elements.iter().find(|e| e.0 == "script").expect("results").2.clone();
    assert_eq!(serde_json::from_str::<Value>(&embedded).expect("JSON"), result);
    // The exact values that readers need are in the tables.
    let shown: HashSet<u64> = elements
        .iter()
        .filter(|e| e.0 == "data")
        .map(|e| e.1["value"].parse::<f64>().expect("a number").to_bits())
        .collect();
    let mut looked_for = Vec::new();
    for cell in result["cells"].as_array().expect("a list") {
        let explanation = &cell["explanation"];
        looked_for.extend([&cell["simulated_seconds"], &cell["mops"], &cell["relative"], &explanation["average_hops"]]);
        looked_for.extend(explanation["time_shares"].as_object().expect("shares").values());
    }
    for mean in result["means"].as_array().expect("a list") {
        looked_for.extend([&mean["arithmetic"], &mean["geometric"]]);
    }
    for number in looked_for.into_iter().filter_map(Value::as_f64) {
        assert!(shown.contains(&number.to_bits()), "{number} is not shown");
    }
}

/// Text of the rows of the first table whose section has this label.
fn rows(elements: &[(String, Attributes, String)], label: &str) -> Vec<String> {
    let start = elements.iter().position(|e| e.1.get("aria-label").is_some_and(|l| l == label));
    let start = start.unwrap_or_else(|| panic!("no table `{label}`"));
    let next = elements[start..].iter().position(|e| ["p", "h2", "h3", "details"].contains(&e.0.as_str()));
    let end = next.map_or(elements.len(), |at| start + at);
    elements[start..end].iter().filter(|e| e.0 == "tr").map(|e| e.2.clone()).collect()
}

#[test]
fn what_a_buyer_asks_is_in_the_page() {
    let folder = buyers_study(false);
    let flags = ["--perturb", "10%", "--samples", "3"];
    let result = folder.json(&[&["compare", "s.toml"][..], &flags].concat());
    let page = page(&folder, &flags);
    let elements = elements(&parse(&page));
    // Repetitions: every mean and both ends of its interval, to the last digit.
    let shown: HashSet<u64> = elements
        .iter()
        .filter(|e| e.0 == "data")
        .map(|e| e.1["value"].parse::<f64>().expect("a number").to_bits())
        .collect();
    let statistics = result["statistics"].as_array().expect("a list").iter().map(|s| &s["relative"]);
    let means = result["means"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|m| [&m["geometric_spread"], &m["arithmetic_spread"]]);
    let mut intervals = 0;
    for spread in statistics.chain(means) {
        let ends = spread["confidence_95"].as_array().into_iter().flatten();
        for number in ends.chain([&spread["mean"], &spread["standard_deviation"]]).filter_map(Value::as_f64) {
            assert!(shown.contains(&number.to_bits()), "{number} of {spread} is not shown");
            intervals += 1;
        }
    }
    assert!(intervals > 20);
    // The random network has the figures of one of its four graphs.
    assert_eq!(page.matches("; figures of the first seed</small>").count(), 1);
    // Whiskers where repetitions differ: the random network, on two workloads and in the mean, in both bar charts; also
    // the mean against price, power and length.
    assert_eq!(page.matches("class=\"whisker-casing\"").count(), 2 * 3);
    assert_eq!(page.matches("class=\"whisker\"").count(), 2 * 3 + 3);
    // Weights, where they are used and where they are listed.
    let texts =
        |name: &str| elements.iter().filter(|e| e.0 == name).map(|e| e.2.as_str()).collect::<Vec<_>>().join("\n");
    assert!(texts("li").contains("with these weights: t 3 and b 1."), "{}", texts("li"));
    assert!(texts("text").contains("t × 3") && texts("th").contains("Weighted geometric mean"));
    assert!(rows(&elements, "Workloads")[1].contains('3'));
    // The budget: only the ring is cheap enough, and the page does not recommend another network.
    let verdict = elements.iter().find(|e| e.1.get("class").is_some_and(|c| c == "verdict")).expect("a verdict");
    assert!(verdict.2.contains("within 9,000 dollars") && verdict.2.contains("ring"), "{}", verdict.2);
    assert!(texts("li").contains("but over the budget"), "{}", texts("li"));
    let offers: Vec<&str> = result["procurement"]["offers"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|o| o["topology"].as_str().expect("a name"))
        .collect();
    let table = rows(&elements, "Performance for money, power and cable");
    assert_eq!(table.len(), 1 + offers.len());
    for (row, offer) in table[1..].iter().zip(&offers) {
        assert!(row.contains(offer), "{row}: {offer}");
    }
    assert!(table[1].contains("within") && table[3].contains("over"), "{table:?}");
    // Stability of the ranking.
    let rankings = result["ranking"]["rankings"].as_array().expect("a list");
    let table = rows(&elements, "Stability of the ranking");
    assert_eq!(table.len(), 1 + rankings.len());
    for (row, ranking) in table[1..].iter().zip(rankings) {
        assert!(
            row.ends_with(&format!("{} of 3{} of 3", ranking["holds"], ranking["winner_holds"])),
            "{row}: {ranking}"
        );
    }
    let replays = result["cells"].as_array().expect("a list").len() * 4;
    assert!(texts("p").contains(&format!("{replays} replays")));
}

#[test]
fn the_view_has_the_choices_of_the_study_and_no_hidden_letters() {
    let folder = buyers_study(true);
    let study = folder.read("s.toml").replace("'mesh of all'", "\"mesh \\u202E of all</script>\"");
    folder.write("s.toml", study);
    let page = page(&folder, &[]);
    assert!(!page.contains('\u{202e}'));
    let elements = elements(&parse(&page));
    let data = elements.iter().find(|e| e.1.get("id").is_some_and(|id| id == "view-json")).expect("data");
    let data: Value = serde_json::from_str(&data.2).expect("JSON");
    let names: Vec<&str> =
        data["networks"].as_array().expect("a list").iter().map(|n| n["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["ring", "random", "mesh \\u202e of all</script>"]);
    assert_eq!(data["columns"].as_array().map(Vec::len), Some(6));
    assert_eq!((&data["workloads"][0]["weight"], &data["workloads"][1]["weight"]), (&3.0.into(), &1.0.into()));
    assert_eq!(data["axes"][0]["values"], serde_json::json!(["one-each", "random"]));
    assert_eq!(data["budget"]["dollars"], 9000.0);
    // A control for each choice, without a script only a template.
    let controls = page.split_once("<template").expect("controls").1.split("</template>").next().expect("an end");
    for name in ["w0", "w1", "on0", "on1", "on2", "price2.0", "axis0", "dollars", "energy_price"] {
        assert!(controls.contains(&format!("name=\"{name}\"")), "{name}");
    }
    assert_eq!(controls.matches("name=\"base\"").count(), 3);
}

#[test]
fn settings_are_not_compared_with_each_other() {
    let page = page(&buyers_study(true), &[]);
    let elements = elements(&parse(&page));
    let verdicts: Vec<&str> =
        elements.iter().filter(|e| e.1.get("class").is_some_and(|c| c == "verdict")).map(|e| e.2.as_str()).collect();
    assert_eq!(verdicts.len(), 2, "{verdicts:?}");
    for (verdict, (own, other)) in verdicts.iter().zip([("[one-each]", "[random]"), ("[random]", "[one-each]")]) {
        assert!(verdict.contains(own) && !verdict.contains(other), "{verdicts:?}");
    }
    // Setting by setting, each with its own baseline.
    let table = rows(&elements, "Ranking of the networks");
    // A heading, and three networks under each, which do not repeat it.
    let headings: Vec<&str> = table[1..]
        .iter()
        .map(|row| {
            if row.contains("[one-each]") {
                "one-each"
            } else if row.contains("[random]") {
                "random"
            } else {
                ""
            }
        })
        .collect();
    assert_eq!(headings, ["one-each", "", "", "", "random", "", "", ""], "{table:?}");
    assert_eq!(table.iter().filter(|row| row.contains("(baseline)")).count(), 2);
}

#[test]
fn throughput_is_in_the_page_where_it_is_asked_for() {
    // Once for each network, whatever the number of settings; a pattern that does not fit is reported and has no other
    // effect.
    for settings in [false, true] {
        let folder = buyers_study(settings).pinned();
        let page = page(&folder, &["--pattern", "bit_complement", "--pattern", "transpose"]);
        check_validity(&page);
        let elements = elements(&parse(&page));
        let table = rows(&elements, "Throughput of the networks, pattern by pattern");
        assert_eq!(table.len(), 4, "{table:?}");
        // On a ring of 8 both 0 -> 7 and 1 -> 6 take the link from 0 to 7; between all pairs of a full mesh there is a
        // link.
        assert!(table[1].contains("20.00") && table[1].contains("1.000"), "{table:?}");
        assert!(table[3].contains("40.00") && table[3].contains("2.000"), "{table:?}");
        assert!(elements.iter().any(|e| e.0 == "li" && e.2.contains("transpose")), "the pattern that does not fit");
        let json = elements.iter().find(|e| e.1.get("id").is_some_and(|id| id == "throughput-json"));
        let cells: Value = serde_json::from_str(&json.expect("results").2).expect("JSON");
        assert_eq!(cells.as_array().map(Vec::len), Some(3));
        assert_eq!(cells[2]["saturation"], 1.0);
    }
    // The study file can ask, and the command line comes first.
    let folder = hostile_study();
    let asks =
        |patterns: &str| format!("{}\n[throughput]\npatterns = [{patterns}]\nbound = 'lp'\n", folder.read("s.toml"));
    folder.write("s.toml", asks("'uniform', 'tornado'"));
    let of_file = page(&folder, &[]);
    check_validity(&of_file);
    assert!(of_file.contains(">tornado</th>") && of_file.contains("maximum concurrent flow"));
    assert!(!page(&folder, &["--pattern", "shuffle"]).contains(">tornado</th>"));
    folder.refuse(&["compare", "s.toml", "--html", "o.html", "--pattern", "shufle"], 2, &["shufle", "shuffle"]);
    folder.refuse(&["compare", "s.toml", "--pattern", "shuffle"], 2, &["--html"]);
    folder.write("t2.toml", folder.read("s.toml").replace("'lp'", "'best'"));
    folder.refuse(&["compare", "t2.toml"], 2, &["bound", "best"]);
}

#[test]
fn files_of_patterns_are_found_from_here_and_those_of_a_study_beside_it() {
    let folder = Folder::with_trace(MESSAGE);
    let study = "title = 'T'\n[throughput]\npatterns = ['matrix:beside.txt']\n[[networks]]\ntopology = 'ring:2'\n\
                 [[workloads]]\ntrace = '../t.ti'\n";
    folder.write("s/s.toml", study);
    folder.write("s/beside.txt", "0 1\n1 0\n");
    folder.write("here.txt", "0 1\n0 0\n");
    let ask = ["compare", "s/s.toml", "--html", "o.html", "-q"];
    for more in [&[][..], &["--pattern", "matrix:here.txt"]] {
        folder.output(&[&ask[..], more].concat());
        let elements = elements(&parse(&folder.read("o.html")));
        let json = elements.iter().find(|e| e.1.get("id").is_some_and(|id| id == "throughput-json"));
        let cells: Value = serde_json::from_str(&json.expect("results").2).expect("JSON");
        assert!(cells[0]["saturation"].is_number(), "{more:?}: {cells}");
    }
    let lost = ["this file is read", "would be lost"];
    folder.refuse(&[&ask[..], &["--pattern", "matrix:here.txt", "--json", "here.txt"]].concat(), 2, &lost);
    folder.refuse(&[&ask[..], &["--json", "s/beside.txt"]].concat(), 2, &lost);
}

#[test]
fn a_study_without_all_that_is_not_told_of_it() {
    let page = page(&hostile_study(), &[]);
    // Without controls, which are invisible until a script shows them.
    let (before, after) = page.split_once("<template").expect("controls");
    let after = after.split_once("</template>").expect("an end").1.split("<script type=").next().expect("a page");
    let visible = [before, after].concat();
    for word in ["95 %", "Weight", "± ", "class=\"whisker\"", "budget", "Stability", "Repetitions", "Throughput"] {
        assert!(!visible.contains(word), "{word}");
    }
    // Prices that the study does not have are an example, from which the summary concludes nothing.
    assert!(visible.contains("Performance for the money, with the example prices of the list equality"));
    assert!(!visible.contains("Best performance for the money"));
    assert!(!self::page(&buyers_study(false), &[]).contains("the example prices of the list equality"));
}

#[test]
fn the_page_is_the_same_for_any_number_of_threads_and_replaces_a_file_as_a_whole() {
    let folder = hostile_study();
    let threads =
        |count| page(&folder, &["--pattern", "uniform", "--pattern", "random_permutation", "--threads", count]);
    let one = threads("1");
    folder.write("out.html", one.repeat(2));
    // The command on the page contains the pattern, but not the number of threads.
    assert_eq!(one, threads("2"));
    assert!(!folder.names().iter().any(|n| n.ends_with(".part")), "{:?}", folder.names());
    folder.refuse(&["compare", "s.toml", "--html", "no/such/folder.html"], 3, &["no/such"]);
    folder.refuse(&["compare", "s.toml", "--html", "o.html", "--timeline-cell", "b@x"], 2, &["b@x", "for example"]);
}

#[test]
fn side_files_are_those_of_the_formats() {
    let folder = hostile_study();
    let text = folder.output(&["compare", "s.toml", "--json", "r.json", "--csv", "r.csv", "--format", "markdown"]);
    assert_eq!(folder.read("r.json"), folder.output(&["compare", "s.toml", "--format", "json"]));
    assert_eq!(folder.read("r.csv"), folder.output(&["compare", "s.toml", "--format", "csv"]));
    assert!(text.contains("| workload | A | B | C |\n| --- | ---: | ---: | ---: |\n"), "{text}");
    assert!(!text.contains("<script>"), "{text}");
}

/// Relative luminance, as the Web Content Accessibility Guidelines 2.2 define it.
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("hexadecimal")) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn text_and_marks_stand_out_in_light_and_dark() {
    let style = include_str!("../../../src/report/html/templates/style.css");
    let schemes: Vec<BTreeMap<&str, &str>> = style
        .split(":root {")
        .skip(1)
        .take(2)
        .map(|block| {
            let block = block.split('}').next().expect("a block");
            block.split(';').filter_map(|line| line.trim().strip_prefix("--")?.split_once(": ")).collect()
        })
        .collect();
    for colours in &schemes {
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance(colours[a]), luminance(colours[b]));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        for text in ["ink", "soft", "accent", "strong"] {
            for ground in ["paper", "panel"] {
                assert!(contrast(text, ground) >= 4.5, "{text} on {ground}: {}", contrast(text, ground));
            }
        }
        assert!(contrast("ink", "caveat") >= 4.5);
        // An error bar shows on its casing, and the casing on every bar.
        assert!(contrast("ink", "paper") >= 7.0);
        assert!(contrast("caveat-edge", "caveat") >= 2.5, "{}", contrast("caveat-edge", "caveat"));
        for mark in (0..8).map(|n| format!("net{n}")) {
            assert!(contrast(&mark, "paper") >= 3.0, "{mark}: {}", contrast(&mark, "paper"));
        }
        // Neighbours in a bar differ in lightness, so that they can be told apart without colour.
        for (a, b) in [("compute", "latency"), ("latency", "bandwidth"), ("bandwidth", "waiting")] {
            assert!(contrast(a, b) >= 1.5, "{a} beside {b}: {}", contrast(a, b));
        }
    }
    assert_eq!(schemes.len(), 2);
}
