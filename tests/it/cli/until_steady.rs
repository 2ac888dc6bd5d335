//! `--until-steady` as its users see it: estimates with intervals in every format, and whole runs that say so.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

fn folder() -> Folder {
    let folder = Folder::new();
    let sets = [("long.mtrace", "100"), ("short.mtrace", "5")];
    for (file, iterations) in sets {
        let run = ["workload", "himeno", "--class", "XS", "--ranks", "8", "--iterations", iterations, "-q", "-o", file];
        folder.run(&run).success();
    }
    folder
}

/// Appends arguments.
fn with<'a>(base: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [base, more].concat()
}

#[test]
fn a_replay_states_its_interval_and_its_origin() {
    let folder = folder();
    let base = ["replay", "-q", "long.mtrace", "--topology", "torus:4x2"];
    let whole = number(&folder.json(&base), "simulated_seconds");
    let report = folder.json(&with(&base, &["--until-steady"]));
    let found = &report["extrapolation"];
    let ends: Vec<f64> = found["interval"].as_array().unwrap().iter().map(|end| end.as_f64().unwrap()).collect();
    assert!(ends[0] <= whole && whole <= ends[1], "{whole}: {found}");
    assert_eq!((&found["iterations"], &found["within"]), (&100.into(), &0.01.into()));
    let replayed = number(found, "replayed_iterations");
    assert!(replayed < 30.0, "{found}");
    let sum = number(found, "replayed_seconds") + (100.0 - replayed) * number(found, "iteration_seconds");
    assert!((sum / number(&report, "simulated_seconds") - 1.0).abs() < 1e-12);
    let text = folder.output(&with(&base, &["--until-steady=1%"]));
    assert_80_columns(&text);
    for part in ["± ", "% (95 %)", "  extrapolated     from ", " of 100 iterations", "Note: each of the "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = folder.output(&with(&base, &["--until-steady", "--format", "markdown"]));
    assert!(markdown.contains("| extrapolated from | ") && markdown.contains(" ± "), "{markdown}");
    let csv = folder.output(&with(&base, &["--until-steady", "--format", "csv"]));
    assert!(
        csv.lines().next().unwrap().ends_with(",half_width_seconds,replayed_iterations,iterations,replayed_seconds")
    );
    assert!(csv.lines().nth(1).unwrap().contains(",100,"), "{csv}");
    assert!(!folder.output(&with(&base, &["--format", "csv"])).contains("half_width"));
    // Packets in place of flows.
    let packets = with(&base, &["--model", "packet"]);
    let whole = number(&folder.json(&packets), "simulated_seconds");
    let found = &folder.json(&[&packets[..], &["--until-steady"]].concat())["extrapolation"];
    let error = (number(found, "simulated_seconds") - whole).abs();
    assert!(error <= number(found, "half_width"), "{whole}: {found}");
    // Too few iterations, or none: the whole run, with a note.
    let short = ["replay", "-q", "short.mtrace", "--topology", "torus:4x2"];
    let until = folder.json(&[&short[..], &["--until-steady"]].concat());
    assert!(until.get("extrapolation").is_none());
    assert_eq!(until["simulated_seconds"], folder.json(&short)["simulated_seconds"]);
    let notes = until["notes"].to_string();
    assert!(notes.contains("the whole run was replayed, and nothing extrapolated: it has only"), "{notes}");
    for wrong in ["0", "11%", "-1%", "steady", ""] {
        folder.refuse(&with(&base, &[&format!("--until-steady={wrong}")]), 2, &["--until-steady"]);
    }
}

const STUDY: &str = "title = 'long'\n[[networks]]\nname = 'torus'\ntopology = 'torus:4x2'\n[[networks]]\nname = 'random'\n\
                     topology = 'random:n=8,d=3,seed=1'\n[[workloads]]\ntrace = 'long.mtrace'\nname = 'long'\n\
                     [[workloads]]\ntrace = 'short.mtrace'\nname = 'short'\n";

fn cells(report: &Value) -> Vec<&Value> {
    report["cells"].as_array().unwrap().iter().collect()
}

#[test]
fn a_study_carries_intervals_into_ratios_and_means() {
    let folder = folder();
    folder.write("s.toml", STUDY);
    folder.write("steady.toml", format!("until_steady = '1%'\n{STUDY}"));
    let whole = folder.json(&["compare", "-q", "s.toml"]);
    let report = folder.json(&["compare", "-q", "steady.toml"]);
    assert_eq!(report, folder.json(&["compare", "-q", "s.toml", "--until-steady"]), "a key and a flag");
    assert_eq!(report, folder.json(&["compare", "-q", "steady.toml", "--threads", "1"]), "any number of threads");
    for (estimate, exact) in cells(&report).into_iter().zip(cells(&whole)) {
        assert_eq!(estimate.get("extrapolation").is_some(), estimate["workload"] == "long");
        if estimate["workload"] == "short" {
            assert_eq!(estimate, exact);
        }
    }
    let interval = |list: &str, index: usize, key: &str| {
        let ends = &report[list][index][key]["confidence_95"];
        ends.as_array().map(|ends| [ends[0].as_f64().unwrap(), ends[1].as_f64().unwrap()])
    };
    // The first workload: torus, which is the baseline, and random.
    assert_eq!(interval("statistics", 0, "relative"), None);
    let [low, high] = interval("statistics", 1, "relative").expect("an interval");
    let exact = number(cells(&whole)[1], "relative");
    assert!(low <= exact && exact <= high && low < high, "{low} to {high}: {exact}");
    let [low, high] = interval("means", 1, "geometric_spread").expect("an interval");
    let exact = number(&whole["means"][1], "geometric");
    assert!(low <= exact && exact <= high && low < high, "{low} to {high}: {exact}");
    let notes = report["notes"].to_string();
    for part in [
        "long: times are extrapolated from ",
        " of 100 iterations",
        "short: the whole run was replayed, and nothing extrapolated",
    ] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    let text = folder.output(&["compare", "-q", "steady.toml"]);
    assert_80_columns(&text);
    assert!(text.contains(" ± ") && text.contains("extrapolated from"), "{text}");
    let markdown = folder.output(&["compare", "-q", "steady.toml", "--format", "markdown"]);
    assert!(markdown.contains("The number after ± is half of the 95 % interval"), "{markdown}");
    let csv = folder.output(&["compare", "-q", "steady.toml", "--format", "csv"]);
    assert!(csv.lines().next().unwrap().ends_with(
        ",link_latency_max,half_width_seconds,relative_half_width,replayed_iterations,iterations,replayed_seconds"
    ));
    folder.run(&["compare", "-q", "steady.toml", "--html", "r.html"]).success();
    let html = folder.read("r.html");
    for part in [
        "Times of long are extrapolated from a part",
        "Its 95 % interval",
        "The number after ± is half",
        "extrapolated from",
    ] {
        assert!(html.contains(part), "the report says where times come from: {part}");
    }
    // Records of results files keep the estimate; another interval is another study.
    folder.run(&["compare", "-q", "steady.toml", "--results", "r.jsonl"]).success();
    assert_eq!(folder.json(&["compare", "-q", "steady.toml", "--results", "r.jsonl", "--resume"]), report);
    folder.refuse(
        &["compare", "-q", "s.toml", "--until-steady=2%", "--results", "r.jsonl", "--resume"],
        2,
        &["until_steady"],
    );
    // A number is a share as well.
    folder.write("number.toml", format!("until_steady = 0.01\n{STUDY}"));
    assert_eq!(folder.json(&["compare", "-q", "number.toml"]), report);
    folder.write("bad.toml", format!("until_steady = 'soon'\n{STUDY}"));
    folder.refuse(&["compare", "bad.toml"], 2, &["bad.toml:1:", "until_steady", "`soon`", "`1%`"]);
}

/// Returns the value of a column in each row of a CSV table.
fn column(csv: &str, name: &str) -> Vec<String> {
    let fields = |line: &str| {
        // Commas within quotes are at odd places of the parts between quotes.
        let parts = line.split('"').enumerate();
        let line: String =
            parts.map(|(at, part)| if at % 2 == 1 { part.replace(',', ";") } else { part.into() }).collect();
        line.split(',').map(str::to_owned).collect::<Vec<_>>()
    };
    let at = fields(csv.lines().next().unwrap()).iter().position(|heading| heading == name).unwrap();
    csv.lines().skip(1).map(|line| fields(line).swap_remove(at)).collect()
}

#[test]
fn half_widths_of_rows_are_those_of_their_own_times() {
    let folder = folder();
    folder.write("s.toml", format!("until_steady = '1%'\nrepetitions = 3\n{}", STUDY.replace(",seed=1", "")));
    let csv = folder.output(&["compare", "-q", "s.toml", "--format", "csv"]);
    let [workloads, topologies] = ["workload", "topology"].map(|name| column(&csv, name));
    let [relative, half_widths, times, of_times] =
        ["relative", "relative_half_width", "simulated_seconds", "half_width_seconds"].map(|name| {
            column(&csv, name).into_iter().map(|text| text.parse::<f64>().unwrap_or(0.0)).collect::<Vec<f64>>()
        });
    let reference = topologies.iter().position(|name| name == "torus").unwrap();
    for row in 0..workloads.len() {
        // The baseline, and exact times, have no half width: Student's is that of a mean over rows.
        let is_estimate = workloads[row] == "long" && topologies[row] == "random";
        let of_both = of_times[row] / times[row] + of_times[reference] / times[reference];
        let expected = if is_estimate { relative[row] * of_both } else { 0.0 };
        assert!((half_widths[row] - expected).abs() <= 1e-12, "{row}: {} is not {expected}", half_widths[row]);
        assert_eq!(half_widths[row] > 0.0, is_estimate);
    }
    let text = folder.output(&["compare", "-q", "s.toml"]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Student's; where times are extrapolated, the mean half width"), "{text}");
    assert!(text.contains("± %: half of the 95 % interval of the time, and so of Mop/s"), "{text}");
}

#[test]
fn slowdowns_have_the_intervals_of_extrapolated_times() {
    let folder = folder();
    let failures = "failures = { cables = 1, seeds = 1, routes = 'repaired' }\n";
    let study = STUDY.split("[[workloads]]\ntrace = 'short").next().unwrap();
    folder.write("s.toml", format!("{failures}{study}"));
    let whole = folder.json(&["compare", "-q", "s.toml"]);
    let report = folder.json(&["compare", "-q", "s.toml", "--until-steady"]);
    let networks = |report: &Value| report["failures"][0]["networks"].as_array().unwrap().clone();
    let holds = |interval: &Value, exact: &Value| {
        let [low, high, exact] = [&interval[0], &interval[1], exact].map(|value| value.as_f64().unwrap());
        assert!(low < high && low <= exact && exact <= high, "{low} to {high}: {exact}");
    };
    for (exact, found) in networks(&whole).iter().zip(&networks(&report)) {
        let [own, of] = [exact, found].map(|network| &network["workloads"][0]);
        assert!(own.get("even_interval").is_none() && own["slowdown"].get("interval").is_none());
        holds(&of["slowdown"]["interval"], &own["slowdown"]["mean"]);
        holds(&of["even_interval"], &own["even"]);
        holds(&found["geometric_even_interval"], &exact["geometric_even"]);
    }
    let text = folder.output(&["compare", "-q", "s.toml", "--until-steady"]);
    assert_80_columns(&text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("plus that of the extrapolation of times"), "{text}");
}

/// Asserts that a value has an interval exactly if it is an estimate, and that the interval contains the exact value.
fn assert_holds(estimate: &Value, exact: &Value, key: &str, is_estimate: bool) {
    let interval = &estimate[format!("{key}_interval")];
    assert!(exact.get(format!("{key}_interval")).is_none(), "{exact}");
    if !is_estimate {
        assert!(interval.is_null() && estimate[key] == exact[key], "{key}: {estimate} {exact}");
        return;
    }
    let [low, high] = [0, 1].map(|end| interval[end].as_f64().expect("an interval"));
    let exact = number(exact, key);
    assert!(low < high && low <= exact && exact <= high, "{key}: {low} to {high}: {exact}");
}

fn pairs<'a>(estimate: &'a Value, exact: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    let [estimates, all] = [estimate, exact].map(|list| list.as_array().expect("a list"));
    assert_eq!(estimates.len(), all.len());
    estimates.iter().zip(all)
}

#[test]
fn whatever_follows_from_a_time_has_its_interval() {
    let folder = folder();
    let changes = "[sensitivity]\nroutings = []\nmappings = ['bisection']\nmodels = []\nhost_links = [0.5]\n[budget]\nprice = 1e9\n";
    folder.write("s.toml", format!("mappings = ['one-each', 'bisection']\n{STUDY}{changes}"));
    let run = ["compare", "-q", "s.toml", "--perturb", "10%", "--samples", "3"];
    let whole = folder.json(&run);
    let steady = with(&run, &["--until-steady"]);
    let report = folder.json(&steady);
    let is_baseline = |of: &Value| of["topology"] == "torus";
    for (offer, exact) in pairs(&report["procurement"]["offers"], &whole["procurement"]["offers"]) {
        assert_eq!(offer["topology"], exact["topology"]);
        for key in ["performance", "per_dollar", "per_watt"] {
            assert_holds(offer, exact, key, !is_baseline(offer));
        }
    }
    let [across, exact_across] = [&report, &whole].map(|report| &report["across_settings"]);
    for (cell, exact) in pairs(&across["settings"], &exact_across["settings"]) {
        let is_reference = is_baseline(cell) && cell["mapping"] == "one-each";
        assert_holds(cell, exact, "geometric", !is_reference);
        assert_holds(cell, exact, "per_money", !is_reference);
    }
    for (network, exact) in pairs(&across["axes"][0]["networks"], &exact_across["axes"][0]["networks"]) {
        // Both mappings of the torus are the same, so the best is the worst.
        assert_holds(network, exact, "spread", !is_baseline(network));
    }
    for (effect, exact) in pairs(&report["sensitivity"]["effects"], &whole["sensitivity"]["effects"]) {
        for (network, exact) in pairs(&effect["networks"], &exact["networks"]) {
            assert_holds(network, exact, "geometric", !is_baseline(network));
            let low = network["moved_interval"][0].as_f64();
            assert_eq!(low.is_some(), !is_baseline(network), "{network}");
            let half = low.map_or(0.0, |low| number(network, "moved") - low);
            assert!((number(network, "moved") - number(exact, "moved")).abs() <= half, "{network} {exact}");
        }
    }
    let [ranges, exact] = [&report, &whole].map(|report| &report["ranking"]["ranges"]);
    for (range, exact) in pairs(ranges, exact) {
        let [[low, high], [least, most]] = [range, exact].map(|of| [0, 1].map(|end| of[end].as_f64().unwrap()));
        assert!(low <= least && most <= high, "{range} {exact}");
    }
    let text = folder.output(&steady);
    let line = |start: &str| text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>().join(" ");
    for start in ["|   for the money ", "| B2 ", "| mapping: bisection "] {
        assert!(line(start).contains(" ± "), "{start}: {text}");
    }
    let markdown = folder.output(&with(&steady, &["--format", "markdown"]));
    for part in ["; in brackets, for the money", " ± ", "The number after ± is half of the 95 % interval"] {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
}

#[test]
fn conclusions_that_intervals_leave_open_are_named() {
    let folder = folder();
    // Two names of one network: their order is never certain.
    let study = STUDY.replace("random:n=8,d=3,seed=1", "torus:4x2");
    let study = study.split("[[workloads]]\ntrace = 'short").next().unwrap();
    let changes = "[sensitivity]\nroutings = []\nmappings = ['bisection']\nmodels = []\n[budget]\nprice = 1e9\n";
    folder.write("s.toml", format!("until_steady = '1%'\n{study}{changes}"));
    let run = ["compare", "-q", "s.toml", "--perturb", "5%", "--samples", "2"];
    let report = folder.json(&run);
    for ranking in report["ranking"]["rankings"].as_array().unwrap() {
        assert_eq!((&ranking["undecided"], &ranking["winner_undecided"]), (&2.into(), &2.into()), "{ranking}");
    }
    let text = folder.output(&run);
    assert_80_columns(&text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Intervals of neighbours in a ranking overlap, so the faster of the two is not certain: long A and B; geometric mean A and B.",
        "Intervals of neighbours overlap, so which of the two is better for the money is not certain: A and B.",
        "2 of 2, 2 open",
        "Open: samples in which intervals of extrapolated times overlap",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    folder.run(&with(&run, &["--html", "r.html"])).success();
    let html = folder.read("r.html");
    for part in ["better for the money is not certain: A and B.", "2 of 2, 2 open", "Open: samples in which"] {
        assert!(html.contains(part), "{part}");
    }
}

/// Networks whose times differ by one to three per cent, known to within one or two.
const CLOSE: &str = "title = 'close'\nuntil_steady = '10%'\n[[networks]]\nname = 'ring'\ntopology = 'torus:4x4'\n[[networks]]\nname = 'cube'\n\
                     topology = 'hypercube:4'\n[[networks]]\nname = 'random'\ntopology = 'random:n=16,d=4,seed=1'\n\
                     [[networks]]\nname = 'twin'\ntopology = 'torus:4x4'\nparameters = { link_latency = '3 ns' }\n\
                     [[workloads]]\nworkload = 'npb/bt'\nclass = 'S'\nranks = 16\niterations = 100\n";

#[test]
fn a_change_of_the_winner_is_open_where_intervals_contain_it() {
    let folder = Folder::new();
    folder.write("s.toml", format!("{CLOSE}[sensitivity]\nhost_links = []\nmappings = []\n[budget]\nprice = 1e6\n"));
    let run = ["compare", "-q", "s.toml"];
    let report = folder.json(&run);
    let effects = report["sensitivity"]["effects"].as_array().unwrap();
    let open = |key: &str| -> Vec<String> {
        let named = |effect: &Value| format!("{} {}", effect["assumption"], effect["value"]).replace('"', "");
        effects.iter().filter(|effect| effect[key] == true).map(named).collect()
    };
    // Under ugal, the twin is slower by 2.8 % and known to within 4.4 %; under all others, the interval is narrower.
    assert_eq!((open("winner_undecided"), effects.len()), (vec!["routing ugal".to_owned()], 14));
    let twin = effects.iter().find(|effect| effect["value"] == "ugal").map(|effect| &effect["networks"][3]);
    let [geometric, high] =
        twin.map(|twin| [number(twin, "geometric"), twin["geometric_interval"][1].as_f64().unwrap()]).unwrap();
    assert!(geometric < 1.01 && high > 1.01, "{geometric} {high}");
    let text = folder.output(&run);
    assert_80_columns(&text);
    assert!(text.lines().any(|line| line.starts_with("| routing: ugal ") && line.ends_with(" A (?) |")), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "ring (A) is the fastest network within the budget, and stays so under 13 of the 14 changes, to within 1 %.",
        "Whether the fastest network changes is not certain (?), because intervals overlap: routing: ugal.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn orders_that_may_depend_on_the_rule_or_the_model_are_open() {
    let folder = Folder::new();
    folder.write("s.toml", format!("routings = ['ecmp', 'ugal']\nmodels = ['ordered', 'packet']\n{CLOSE}"));
    let run = ["compare", "-q", "s.toml"];
    let report = folder.json(&run);
    let open = serde_json::json!([["ring", "twin"], ["cube", "random"]]);
    assert_eq!(report["routings"][0]["undecided"], open);
    let pairs: Vec<&Value> = report["cross_check"][0]["undecided"].as_array().unwrap().iter().collect();
    let of_mean = pairs.iter().filter(|pair| pair["workload"].is_null());
    assert_eq!(of_mean.map(|pair| pair["networks"].clone()).collect::<Vec<_>>(), *open.as_array().unwrap());
    let cell = &report["cross_check"][0]["cells"][1];
    assert!(cell["ratio_interval"].is_array() && cell["relative_intervals"].is_array(), "{cell}");
    let text = folder.output(&run);
    assert_80_columns(&text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Whether the order of these pairs depends on the rule is not certain, because intervals overlap: ring and twin; cube and random.",
        "Whether these pairs change places is not certain, because intervals overlap: geometric mean: ring and twin;",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_half_width_without_an_equals_sign_is_no_trace() {
    let folder = folder();
    for value in ["0.5%", "0.005"] {
        let run = ["replay", "short.mtrace", "--topology", "ring:8", "--until-steady", value];
        folder.refuse(&run, 2, &[&format!("write --until-steady={value}")]);
    }
    folder.refuse(&["replay", "short.mtrace", "0.5%", "--topology", "ring:8"], 3, &["0.5%", "cannot be opened"]);
    std::fs::copy(folder.path("short.mtrace"), folder.path("0.5%")).expect("copied");
    folder.run(&["replay", "-q", "0.5%", "--topology", "ring:8", "--until-steady"]).success();
}

#[test]
fn information_on_a_trace_names_its_period() {
    let folder = folder();
    let info = folder.json(&["-q", "trace", "info", "long.mtrace"]);
    assert_eq!(info["iterations"], 100);
    let parts: f64 = [("prologue_actions", 1.0), ("iteration_actions", 100.0), ("epilogue_actions", 1.0)]
        .iter()
        .map(|(name, times)| number(&info, name) * times)
        .sum();
    assert_eq!(parts, number(&info, "actions"));
    let text = folder.output(&["-q", "trace", "info", "long.mtrace"]);
    assert!(text.contains("actions before iterations") && !text.contains("replays the whole run"), "{text}");
    assert!(folder.output(&["-q", "trace", "info", "short.mtrace"]).contains("--until-steady replays the whole run"));
}
