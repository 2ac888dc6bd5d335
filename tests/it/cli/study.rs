//! Variables of a study besides networks and workloads: seeds, settings, weights, perturbations, and the questions of a
//! buyer.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

/// Eight ranks; each sends to the one opposite, then all meet.
fn folder(study: &str) -> Folder {
    let mut trace = String::new();
    for rank in 0..8 {
        let partner = (rank + 4) % 8;
        trace.push_str(&format!("{rank} irecv {partner} 0 100000 6\n{rank} send {partner} 0 100000 6\n"));
        trace.push_str(&format!("{rank} wait {partner} {rank} 0\n{rank} compute 1e6\n{rank} allreduce 2000 10 0 6\n"));
    }
    let folder = Folder::with_trace(&trace);
    folder.write("u.ti", trace.replace("100000", "500"));
    folder.write("s.toml", study);
    folder
}

const RANDOM: &str = "[[networks]]\nname = 'random'\ntopology = 'random:n=8,d=3'\n";
const SHARED: &str = "[[networks]]\nname = 'shared'\ntopology = 'random:n=8,d=3'\nparameters = { duplex = 'shared' }\n";
const RING: &str = "[[networks]]\ntopology = 'ring:8'\n";
const WORKLOADS: &str = "[[workloads]]\ntrace = 't.ti'\n[[workloads]]\ntrace = 'u.ti'\n";

fn compare(head: &str, networks: &str, workloads: &str, flags: &[&str]) -> Value {
    let folder = folder(&format!("title = 'x'\n{head}{networks}{workloads}"));
    let arguments = [&["compare", "s.toml"], flags].concat();
    assert_80_columns(&folder.output(&arguments));
    folder.json(&arguments)
}

fn list<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap_or_else(|| panic!("`{name}` is no list"))
}

fn cells<'a>(result: &'a Value, workload: &str, topology: &str) -> Vec<&'a Value> {
    list(result, "cells").iter().filter(|c| c["workload"] == workload && c["topology"] == topology).collect()
}

#[test]
fn only_what_is_random_is_repeated_and_pairs_have_the_same_seed() {
    let networks = [RANDOM, SHARED, RING].concat();
    let result = compare("repetitions = 4\nbaseline = 'random'\n", &networks, WORKLOADS, &[]);
    assert_eq!(list(&result, "cells").len(), 2 * (4 + 4 + 1));
    let (random, shared, ring) =
        (cells(&result, "t", "random"), cells(&result, "t", "shared"), cells(&result, "t", "ring:n=8"));
    assert_eq!(random.iter().map(|c| c["seed"].as_u64()).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
    let seconds = |cell: &Value| number(cell, "simulated_seconds");
    let mut ratios = Vec::new();
    for (baseline, here) in random.iter().zip(&shared) {
        assert_eq!((number(baseline, "relative"), &baseline["seed"]), (1.0, &here["seed"]));
        assert_eq!(number(here, "relative"), seconds(baseline) / seconds(here));
        ratios.push(seconds(baseline) / seconds(here));
    }
    // By hand: mean, deviation, and an interval of 3.182 s / 2.
    let of = |topology: &str| {
        let found = list(&result, "statistics").iter().find(|s| s["workload"] == "t" && s["topology"] == topology);
        found.expect("a statistic")["relative"].clone()
    };
    let mean = ratios.iter().sum::<f64>() / 4.0;
    let deviation = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / 3.0).sqrt();
    let shared = of("shared");
    assert!((number(&shared, "mean") - mean).abs() < 1e-12);
    assert!((number(&shared, "standard_deviation") - deviation).abs() < 1e-12);
    let width =
        shared["confidence_95"][1].as_f64().expect("a number") - shared["confidence_95"][0].as_f64().expect("one");
    assert!((width - 3.182_446_305 * deviation).abs() < 1e-8);
    // The ring runs once, and varies with the baseline.
    assert_eq!((ring.len(), of("ring:n=8")["repetitions"].as_u64()), (1, Some(4)));
    let baseline_mean = random.iter().map(|c| seconds(c)).sum::<f64>() / 4.0;
    assert!((number(ring[0], "relative") - baseline_mean / seconds(ring[0])).abs() < 1e-12);
    assert_eq!(of("random")["standard_deviation"], 0.0);
}

#[test]
fn seeds_may_be_listed_begun_elsewhere_or_fixed() {
    let seeds = |head: &str, networks: &str, flags: &[&str]| -> Vec<Option<u64>> {
        let result = compare(head, networks, "[[workloads]]\ntrace = 't.ti'\n", flags);
        list(&result, "cells").iter().map(|c| c["seed"].as_u64()).collect()
    };
    assert_eq!(seeds("seeds = [9, 5]\n", RANDOM, &[]), [Some(9), Some(5)]);
    assert_eq!(seeds("seed = 7\nrepetitions = 2\n", RANDOM, &[]), [Some(7), Some(8)]);
    assert_eq!(seeds("repetitions = 2\n", RANDOM, &["--seed", "3"]), [Some(3), Some(4)]);
    assert_eq!(seeds("seeds = [9, 5]\n", RANDOM, &["--seed", "3"]), [Some(3)]);
    assert_eq!(seeds("repetitions = 2\n", &RANDOM.replace("d=3", "d=3,seed=6"), &[]), [Some(6)]);
    assert_eq!(seeds("repetitions = 2\n", &format!("{RANDOM}seed = 6\n"), &[]), [Some(6)]);
    assert_eq!(seeds("repetitions = 2\n", RING, &[]), [None]);
    assert_eq!(seeds("repetitions = 2\nmapping = 'random'\n", RING, &[]), [Some(1), Some(2)]);
    let routed = format!("{RING}routing = 'random-shortest'\n");
    assert_eq!(seeds("repetitions = 2\n", &routed, &[]), [Some(1), Some(2)]);
}

#[test]
fn the_seed_of_a_random_routing_is_named_once() {
    let study = |head: &str, networks: &str| folder(&format!("title = 'x'\n{head}{networks}{WORKLOADS}"));
    let ring = format!("{RING}routing = 'random-shortest'\n");
    for format in ["text", "markdown"] {
        let text =
            |head: &str, networks: &str| study(head, networks).output(&["compare", "s.toml", "--format", format]);
        assert!(text("", &ring).contains("shortest (seed 1)"));
        assert!(text("seed = 4\n", &ring).contains("shortest (seed 4)"));
        // Seeds of repetitions are in a list, that of a random topology in its name.
        let repeated = text("repetitions = 2\n", &ring);
        assert!(repeated.contains("seeds 1 2") && !repeated.contains("(seed"), "{repeated}");
        let random = text("seed = 4\n", &format!("{RANDOM}routing = 'ecmp'\n"));
        assert!(random.contains("seed=4") && !random.contains("(seed"), "{random}");
    }
    // A single route also shows the seed of its routing.
    let folder = study("", &ring);
    let route = |flags: &[&str]| {
        folder.json(&[&["topology", "ring:8", "--route", "0", "4", "--routing", "ecmp"], flags].concat())
    };
    let seed = |result: &Value| result["route"]["routing_seed"].as_u64();
    assert_eq!((seed(&route(&[])), seed(&route(&["--seed", "7"]))), (Some(1), Some(7)));
}

#[test]
fn every_setting_has_a_baseline_of_its_own() {
    let head = "mappings = ['one-each', 'block']\ncollectives = ['mvapich2', 'ompi', 'default']\n";
    let platforms =
        "[[platforms]]\nname = 'slow'\n[[platforms]]\nname = 'fast'\nparameters = { link_bandwidth = '1 Tbit/s' }\n";
    let networks = format!("{platforms}{RING}[[networks]]\ntopology = 'full_mesh:8'\n");
    let result = compare(head, &networks, WORKLOADS, &[]);
    let cells = list(&result, "cells");
    assert_eq!(cells.len(), 2 * 2 * 2 * 2 * 3);
    for cell in cells {
        let baseline = cells.iter().find(|c| {
            c["topology"] == "ring:n=8"
                && ["workload", "platform", "mapping", "collectives"].iter().all(|key| c[*key] == cell[*key])
        });
        let baseline = number(baseline.expect("one in each setting"), "simulated_seconds");
        assert_eq!(number(cell, "relative"), baseline / number(cell, "simulated_seconds"));
    }
    assert_eq!(result["baseline"], "ring:n=8");
    assert_eq!(result["topologies"][0]["name"], "ring:n=8 [slow, one-each, mvapich2]");
    // Another spelling of the specification names it as well.
    let named = format!("baseline = 'full_mesh:n=8'\n{head}");
    assert_eq!(compare(&named, &networks, WORKLOADS, &[])["baseline"], "full_mesh:n=8");
    let named = format!("baseline = 'full_mesh:8'\n{head}");
    assert_eq!(compare(&named, &networks, WORKLOADS, &[])["baseline"], "full_mesh:n=8");
    assert_eq!(result["model"]["collectives"], "mvapich2, ompi, default");
    assert!(number(&cells[0], "simulated_seconds") > number(&cells[12], "simulated_seconds"), "{}", cells[12]);
    // One choice on the command line replaces all of the study.
    let one = compare(head, &networks, WORKLOADS, &["--mapping", "block", "--collectives", "ompi"]);
    assert_eq!(list(&one, "cells").len(), 2 * 2 * 2);
}

#[test]
fn weights_count_in_both_means() {
    let networks = [RING, SHARED].concat().replace("d=3", "d=3,seed=1");
    let workloads = "[[workloads]]\ntrace = 't.ti'\nweight = 3\n[[workloads]]\ntrace = 'u.ti'\n";
    let result = compare("", &networks, workloads, &[]);
    let (a, b) = (number(&result["cells"][1], "relative"), number(&result["cells"][3], "relative"));
    let mean = &result["means"][1];
    assert!((number(mean, "arithmetic") - (3.0 * a + b) / 4.0).abs() < 1e-12);
    assert!((number(mean, "geometric") - (a * a * a * b).powf(0.25)).abs() < 1e-12);
    assert_eq!(result["workloads"][0]["weight"], 3.0);
}

#[test]
fn rankings_are_counted_over_perturbations() {
    let networks =
        [RING, "[[networks]]\ntopology = 'full_mesh:8'\n", "[[networks]]\ntopology = 'torus:2x4'\n"].concat();
    let flags = ["--perturb", "10%", "--samples", "7"];
    let result = compare("", &networks, WORKLOADS, &flags);
    assert_eq!(result, compare("", &networks, WORKLOADS, &flags), "samples come from a seed");
    assert_eq!(list(&result, "cells").len(), 6, "perturbed replays are no cells of the comparison");
    let ranking = &result["ranking"];
    assert_eq!((list(ranking, "samples").len(), number(ranking, "perturbation")), (7, 0.1));
    let rankings = list(ranking, "rankings");
    assert_eq!(rankings.len(), 3);
    assert_eq!((&rankings[0]["workload"], rankings[2]["workload"].is_null()), (&"t".into(), true));
    for one in rankings {
        let holds = one["holds"].as_u64().expect("a number");
        let pairs: Vec<u64> = list(one, "pairs").iter().filter_map(|pair| pair["holds"].as_u64()).collect();
        assert!(pairs.len() == 2 && pairs.iter().all(|&pair| (holds..=7).contains(&pair)));
    }
    // The same network twice is equally fast in all samples.
    let twice = compare("", &[RING, "[[networks]]\nname = 'again'\ntopology = 'ring:8'\n"].concat(), WORKLOADS, &flags);
    for one in list(&twice["ranking"], "rankings") {
        let pair = &list(one, "pairs")[0];
        assert_eq!((&one["holds"], &one["winner_holds"], &pair["holds"]), (&7.into(), &7.into(), &7.into()), "{one}");
        assert_eq!(pair["equal"], true);
    }
    assert!(rankings.iter().all(|one| list(one, "pairs").iter().all(|pair| pair["equal"] == false)));
    // No change of all links makes a ring faster than a full mesh on large messages.
    assert_eq!((&rankings[0]["order"][0], &rankings[0]["winner_holds"]), (&"full_mesh:n=8".into(), &7.into()));
    assert!(compare("", &networks, WORKLOADS, &[])["ranking"].is_null());
    let folder = folder(&format!("title = 'x'\n{networks}{WORKLOADS}"));
    folder.refuse(&["compare", "s.toml", "--perturb", "150%"], 2, &["--perturb `150%`", "less than 100 %"]);
    folder.refuse(&["compare", "s.toml", "--samples", "3"], 2, &["--perturb"]);
}

#[test]
fn a_budget_ranks_networks_by_the_price_list() {
    let head = "budget = { dollars = 1e6, watts = 2e4 }\n";
    let networks = [RING, "[[networks]]\ntopology = 'full_mesh:8'\n"].concat();
    let result = compare(head, &networks, WORKLOADS, &[]);
    let offers = list(&result["procurement"], "offers");
    assert_eq!(offers.len(), 2);
    for offer in offers {
        assert_eq!(offer["within_budget"], true);
        let cost = &offer["cost"];
        assert!(number(cost, "dollars") > 0.0 && number(cost, "watts") > 0.0 && number(cost, "metres") > 0.0);
    }
    // Eight switches of seven ports cost more than those of a ring, and the best buy is listed first.
    let dollars =
        |name: &str| number(&offers.iter().find(|o| o["topology"] == name).expect("it is there")["cost"], "dollars");
    assert!(dollars("full_mesh:n=8") > dollars("ring:n=8"));
    assert!(number(&offers[0], "per_dollar") >= number(&offers[1], "per_dollar"));
    let tight = compare("budget = { dollars = 1.0 }\n", &networks, WORKLOADS, &[]);
    assert!(list(&tight["procurement"], "offers").iter().all(|offer| offer["within_budget"] == false));
    let text = folder(&format!("title = 'x'\n{head}{networks}{WORKLOADS}")).output(&["compare", "s.toml"]);
    assert!(text.contains("1,000,000 dollars, 20,000 watts"), "{text}");
    let in_one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(in_one_line.contains("Prices are those of the list equality for links of 40 Gb/s, whatever"), "{text}");
    // Offers of one setting are not ranked against those of another.
    let settings = "collectives = ['default', 'mvapich2', 'ompi']\n";
    let result = compare(&[head, settings].concat(), &networks, WORKLOADS, &[]);
    let offers = list(&result["procurement"], "offers");
    let order: Vec<&str> = offers.iter().map(|offer| offer["collectives"].as_str().expect("a name")).collect();
    assert_eq!(order, ["default", "default", "mvapich2", "mvapich2", "ompi", "ompi"]);
    assert!(offers.chunks(2).all(|pair| number(&pair[0], "per_dollar") >= number(&pair[1], "per_dollar")));
}

#[test]
fn contradictions_of_a_study_are_refused() {
    let refuse = |head: &str, workloads: &str, parts: &[&str]| {
        folder(&format!("title = 'x'\n{head}{RING}{workloads}")).refuse(&["compare", "s.toml"], 2, parts);
    };
    refuse("seeds = [1]\nrepetitions = 2\n", WORKLOADS, &["s.toml:2:9: seeds says all seeds"]);
    refuse("seeds = [1, 1]\n", WORKLOADS, &["s.toml:2:13: seed 1 is in seeds twice"]);
    refuse("seeds = []\n", WORKLOADS, &["s.toml:2:9: seeds is an empty list"]);
    refuse("repetitions = 0\n", WORKLOADS, &["s.toml:2:15: repetitions = 0 is not from 1"]);
    refuse("mappings = []\n", WORKLOADS, &["s.toml:2:12: mappings is an empty list"]);
    refuse("mappings = ['block', 'blok']\n", WORKLOADS, &["s.toml:2:22:", "`blok`", "`block`?"]);
    refuse("mappings = ['block', 'block']\n", WORKLOADS, &["s.toml:2:22: `block` is in mappings twice"]);
    refuse(
        "mapping = 'block'\nmappings = ['block']\n",
        WORKLOADS,
        &["s.toml:3:12: mappings says how ranks are placed"],
    );
    refuse(
        "collectives = ['ompi']\nmodel = { collectives = 'ompi' }\n",
        WORKLOADS,
        &["s.toml:2:15: only one of collectives"],
    );
    refuse("budget = { dollars = -1 }\n", WORKLOADS, &["s.toml:2:22: budget: dollars = -1"]);
    refuse("budget = { dolars = 1 }\n", WORKLOADS, &["s.toml:2:12:", "`dolars`", "`dollars`?"]);
    refuse("platforms = []\n", WORKLOADS, &["s.toml:2:13: platforms is an empty list"]);
    refuse("repetition = 3\n", WORKLOADS, &["s.toml:2:1:", "`repetition`", "`repetitions`?"]);
    refuse("", &format!("{WORKLOADS}name = ' '\n"), &["s.toml:8:8: name is empty", "the name of the trace"]);
    refuse("sensitivity = { amplitude = '20 pct' }\n", WORKLOADS, &["s.toml:2:29: `20 pct` is no share", "`10%`"]);
    refuse("sensitivity = { amplitude = '100 %' }\n", WORKLOADS, &["amplitude = 1 is not between 0 and 1"]);
    refuse("sensitivity = { amplitude = 1e308 }\n", WORKLOADS, &["amplitude = 1e308 is not between"]);
    refuse(
        "until_steady = true\n",
        WORKLOADS,
        &["s.toml:2:16: this is no share; write a number, or text such as `1%`"],
    );
    refuse("", &format!("{WORKLOADS}weight = 0\n"), &[":10: weight 0 of workload `u.ti` is not from 1e-9"]);
}

#[test]
fn markdown_has_what_the_text_has() {
    let weighted = "[[workloads]]\ntrace = 't.ti'\nweight = 3\n[[workloads]]\ntrace = 'u.ti'\n";
    let head = "repetitions = 3\nbaseline = 'ring:n=8'\nbudget = { dollars = 1e6 }\n";
    let folder = folder(&format!("title = 'x'\n{head}{RANDOM}{RING}{weighted}"));
    let flags = ["compare", "s.toml", "--perturb", "5%", "--samples", "2"];
    let text = folder.output(&[&flags[..], &["--format", "markdown"]].concat());
    let result = folder.json(&flags);
    // A number and half of its interval; the baseline is exactly one.
    let spread = &list(&result, "statistics")[0]["relative"];
    let half = (spread["confidence_95"][1].as_f64().expect("a number") - number(spread, "mean")).abs();
    let line = format!("| t | {:.3} ± {half:.3} | 1.000 |", number(spread, "mean"));
    assert!(text.contains(&line), "{line} in\n{text}");
    for part in [
        "seeds 1 2 3",
        "Weights in the means: t 3, u 1.",
        "Ranking stability: bandwidth, latency and compute speed varied by up to 5 %, 2 samples, seed 1.",
        "| workload | ranking, fastest first | ranking holds | first stays |\n| --- | --- | ---: | ---: |\n| t | ",
        "budget: 1,000,000 dollars.",
        "Speed per dollar and per watt are multiples",
        "Under heavy contention results are chaotic",
        "| network | speed | dollars | watts | metres | per $ | per W | budget |",
        "| within |",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn networks_of_the_command_line_stand_beside_those_of_the_study() {
    let head = "repetitions = 2\n[network]\nparameters = { link_bandwidth = '10 Gbit/s' }\n";
    let folder = folder(&format!("title = 'x'\n{head}{RING}{WORKLOADS}"));
    folder.write("sub/s.toml", folder.read("s.toml").replace("'t.ti'", "'../t.ti'").replace("'u.ti'", "'../u.ti'"));
    folder.write("cube.txt", "# n=8\n0 1\n1 2\n2 3\n3 4\n4 5\n5 6\n6 7\n7 0\n0 4\n1 5\n2 6\n3 7\n");
    folder.write("p.toml", "topology = 'torus:4x2'\n");
    let added = ["--topology", "random:n=8,d=3", "--topology", "cube.txt", "--platform", "p.toml"];
    let result = folder.json(&[&["compare", "sub/s.toml"], &added[..]].concat());
    let names: Vec<_> = list(&result, "topologies").iter().map(|n| n["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["ring:n=8", "random:n=8,d=3", "cube.txt", "p.toml"]);
    assert_eq!(result["baseline"], "ring:n=8");
    // They take the study's repetitions and its parameters, as if they were in it.
    assert_eq!(cells(&result, "t", "random:n=8,d=3").len(), 2);
    let more = format!("{RANDOM}[[networks]]\ntopology = '../cube.txt'\n[[networks]]\nplatform = '../p.toml'\n");
    let all = folder.read("sub/s.toml").replacen("[[workloads]]", &format!("{more}[[workloads]]"), 1);
    folder.write("sub/all.toml", all);
    let written = folder.json(&["compare", "sub/all.toml"]);
    let seconds = |result: &Value| -> Vec<f64> {
        list(result, "cells").iter().map(|cell| number(cell, "simulated_seconds")).collect()
    };
    assert_eq!(seconds(&result), seconds(&written));
    // A study needs none of its own; results that were kept without them are not theirs.
    folder.write("none.toml", format!("title = 'x'\n{WORKLOADS}"));
    let alone = folder.json(&["compare", "none.toml", "--topology", "hypercube:3", "--topology", "ring:8"]);
    assert_eq!((&alone["baseline"], list(&alone, "cells").len()), (&"hypercube:d=3".into(), 4));
    folder.refuse(&["compare", "none.toml"], 2, &["none.toml", "[[networks]]", "--topology"]);
    folder.refuse(&["compare", "s.toml", "--topology", "ring:8"], 2, &["two networks are called `ring:n=8`"]);
    folder.refuse(&["compare", "s.toml", "--topology", "rong:8"], 2, &["rong", "did you mean `ring`"]);
    folder.refuse(&["compare", "s.toml", "--topology", "none.txt"], 3, &["none.txt"]);
    folder.run(&["compare", "s.toml", "--results", "r.jsonl"]).success();
    let resumed = ["compare", "s.toml", "--results", "r.jsonl", "--resume", "--topology", "hypercube:3"];
    folder.refuse(&resumed, 2, &["r.jsonl"]);
    // The report must not overwrite a graph that is read.
    folder.refuse(&["compare", "s.toml", "--topology", "cube.txt", "--html", "cube.txt"], 2, &["cube.txt"]);
}

#[test]
fn networks_are_called_equal_in_one_setting_and_where_repetitions_say_so() {
    // Twice the same ring under two names, on two platforms; on the fast one a third network is as fast as the slow ones.
    let networks = "[[networks]]\nname = 'a'\ntopology = 'ring:8'\n[[networks]]\nname = 'b'\ntopology = 'ring:8'\n";
    let platforms = "[[platforms]]\nname = 'x'\n[[platforms]]\nname = 'y'\n";
    let result = compare("", &[networks, platforms].concat(), WORKLOADS, &[]);
    let equal: Vec<_> = list(&result, "equal").iter().map(|e| e["topologies"].to_string()).collect();
    assert_eq!(equal, [r#"["a [x]","b [x]"]"#, r#"["a [y]","b [y]"]"#, r#"["a [x]","b [x]"]"#, r#"["a [y]","b [y]"]"#]);
    // Their names lead to the cells.
    for network in list(&result, "topologies") {
        let (column, name) = (&network["column"], network["name"].as_str().expect("a name"));
        let of = |cell: &&Value| cell["topology"] == column["topology"] && cell["platform"] == column["platform"];
        assert_eq!(list(&result, "cells").iter().filter(of).count(), 2, "{name}");
        assert!(name.starts_with(column["topology"].as_str().expect("a name")), "{name}");
    }
    // The mean times of these are the same; that the seeds scatter more than that is no equality.
    let two = RANDOM.replace("'random'", "'one'") + &RANDOM.replace("'random'", "'two'");
    let result = compare("repetitions = 3\n", &two, WORKLOADS, &[]);
    for workload in ["t", "u"] {
        let statistic = list(&result, "statistics").iter().find(|s| s["workload"] == workload).expect("a statistic");
        let [low, high] =
            [0, 1].map(|end| statistic["simulated_seconds"]["confidence_95"][end].as_f64().expect("two ends"));
        let told = list(&result, "equal").iter().any(|e| e["workload"] == workload);
        assert_eq!(told, high <= low * 1.01, "{statistic}");
    }
}

const OWN: &str = "model = { bandwidth_factor = '0:0.5', crosstraffic = true }\n";

/// A network may come with a model of its own. A report that names one model for all would be wrong for it.
#[test]
fn a_model_of_a_network_is_stated() {
    let networks = format!("[[networks]]\nname = 'a'\ntopology = 'ring:8'\n{OWN}{RING}");
    let folder = folder(&format!("title = 'x'\n{networks}{WORKLOADS}"));
    let stated = "a has a model of its own: cross-traffic on, bandwidth-factor 0:0.5";
    for format in ["text", "markdown", "json"] {
        let report = folder.output(&["compare", "s.toml", "--format", format]);
        assert!(report.replace("\n      ", " ").contains(stated), "{format}: {report}");
    }
    // Constants of the study's own model are with the model, in a replay as well.
    folder.write("m.toml", "bandwidth_factor = '0:0.5'\n");
    for format in ["text", "markdown"] {
        for run in [&["compare", "s.toml"][..], &["replay", "t.ti", "--topology", "ring:8"]] {
            let report = folder.output(&[run, &["--model", "m.toml", "--format", format]].concat());
            assert!(report.contains("bandwidth-factor 0:0.5"), "{format}: {report}");
        }
    }
}

#[test]
fn results_of_a_network_are_not_those_of_its_model_elsewhere() {
    let study = |first: &str, second: &str| {
        let network = |name: &str, own: &str| format!("[[networks]]\nname = '{name}'\ntopology = 'ring:8'\n{own}");
        format!("title = 'x'\n{}{}{WORKLOADS}", network("a", first), network("b", second))
    };
    let folder = folder(&study(OWN, ""));
    let resume = ["compare", "s.toml", "--results", "r.jsonl", "--resume"];
    folder.output(&resume);
    folder.write("s.toml", study("", OWN));
    folder.refuse(&resume, 2, &["r.jsonl", "its networks"]);
}

#[test]
fn late_messages_give_a_range() {
    let networks = [RING, "[[networks]]\ntopology = 'full_mesh:8'\n"].concat();
    let folder = folder(&format!("title = 'x'\n{networks}{WORKLOADS}"));
    let run = ["compare", "s.toml", "--perturb", "message=30%", "--samples", "5"];
    let result = folder.json(&run);
    let ranking = &result["ranking"];
    assert_eq!((number(ranking, "perturbation"), number(ranking, "message")), (0.0, 0.3));
    let cells = list(&result, "cells");
    let ranges = list(ranking, "ranges");
    assert_eq!(ranges.len(), cells.len());
    let ends = |range: &Value| [0, 1].map(|at| range[at].as_f64().expect("a number"));
    // The baseline is what it is relative to; others move, and not only by the mean delay.
    let mut moved = 0;
    for (cell, range) in cells.iter().zip(ranges) {
        let [low, high] = ends(range);
        assert!(
            low <= high && low > 0.5 * number(cell, "relative") && high < 2.0 * number(cell, "relative"),
            "{range}"
        );
        moved += usize::from(high > low);
    }
    assert!(moved > 0, "{ranking}");
    assert_eq!(folder.json(&[&run[..], &["--threads", "1"]].concat())["ranking"], *ranking);
    let text = folder.output(&run);
    assert!(
        text.contains("each message late by up to 30 % of its time") && text.contains("The widest range"),
        "{text}"
    );
    assert_80_columns(&text);
    folder.refuse(
        &[&run[..], &["--sharing", "simgrid-full"]].concat(),
        2,
        &["messages cannot be varied", "exact sharing"],
    );
    folder.refuse(&["compare", "s.toml", "--perturb", "noise=3%"], 2, &["only message= has a name"]);
}
