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

#[test]
fn reports_name_what_has_no_interval() {
    let folder = folder();
    // Two names of one network: their order is never certain.
    let study = STUDY.replace("random:n=8,d=3,seed=1", "torus:4x2");
    folder.write("s.toml", format!("until_steady = '1%'\n{study}[sensitivity]\n[budget]\ndollars = 1e9\n"));
    let text = folder.output(&["compare", "-q", "s.toml"]);
    assert_80_columns(&text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Times of long are extrapolated. These parts are based on them and have no intervals of their own: performance for the \
         money and per watt and the sensitivity.",
        "Intervals of neighbours in a ranking overlap, so the faster of the two is not certain: long A and B; geometric mean A and B.",
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
