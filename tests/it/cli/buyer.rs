//! Questions of a buyer: own prices, comparisons of settings, and the basis of the answer.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

/// Sixteen ranks; each sends much to the one eight further, and computes.
fn folder(study: &str) -> Folder {
    let mut trace = String::new();
    for rank in 0..16 {
        let partner = (rank + 8) % 16;
        trace.push_str(&format!("{rank} compute 1e6\n{rank} irecv {partner} 0 1000000 6\n"));
        trace.push_str(&format!("{rank} send {partner} 0 1000000 6\n{rank} wait {partner} {rank} 0\n"));
    }
    let folder = Folder::with_trace(&trace);
    folder.write("s.toml", study);
    folder.write("prices.toml", LIST);
    folder
}

/// Round numbers: a router of k ports costs 100 k, a cable 10 whatever its length, an adapter 50 at 10 Gbit/s.
const LIST: &str = "name = 'mine'\ncurrency = 'EUR'\nnote = 'Figures of a test'\n\
    [ownership]\nenergy_price = 0.1\nyears = 10\n\
    [[rates]]\nlink_rate_gbps = 10.0\n\
    router = { dollars_per_port = 100.0, dollars = 0.0, least_ports = 1, lanes_per_port = 1, watts_per_lane = 2.0 }\n\
    copper = { dollars_per_gbps_and_metre = 0.0, dollars_per_gbps = 1.0 }\n\
    fibre = { dollars_per_gbps_and_metre = 0.0, dollars_per_gbps = 1.0 }\n\
    limits = { copper_metres = 8.0 }\n\
    host = { adapter_dollars = 50.0, adapter_watts = 5.0, cable_metres = 2.0 }\n\
    [[rates]]\nlink_rate_gbps = 100.0\n\
    router = { dollars_per_port = 300.0, dollars = 0.0, least_ports = 1, lanes_per_port = 1, watts_per_lane = 4.0 }\n\
    copper = { dollars_per_gbps_and_metre = 0.0, dollars_per_gbps = 0.5 }\n\
    fibre = { dollars_per_gbps_and_metre = 0.0, dollars_per_gbps = 0.5 }\n\
    limits = { copper_metres = 8.0 }\n\
    host = { adapter_dollars = 200.0, adapter_watts = 10.0, cable_metres = 2.0 }\n";

const NETWORKS: &str = "[network]\nparameters = { link_bandwidth = '10 Gbit/s', link_latency = '100 ns', \
    host_link_bandwidth = '10 Gbit/s', host_link_latency = '100 ns', hosts_per_switch = 2, host_speed = '10 Gflop/s' }\n\
    [[networks]]\nname = 'ring'\ntopology = 'ring:8'\n[[networks]]\nname = 'mesh'\ntopology = 'full_mesh:8'\n\
    [[workloads]]\ntrace = 't.ti'\n";

fn compare(head: &str, networks: &str, flags: &[&str]) -> Value {
    let folder = folder(&format!("title = 'x'\n{head}{networks}"));
    let arguments = [&["compare", "s.toml"], flags].concat();
    assert_80_columns(&folder.output(&arguments));
    folder.json(&arguments)
}

/// The text without its line ends.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn offer<'a>(result: &'a Value, name: &str) -> &'a Value {
    let offers = result["procurement"]["offers"].as_array().expect("offers");
    offers.iter().find(|offer| offer["topology"] == name).expect("it is offered")
}

#[test]
fn a_list_of_ones_own_prices_switches_cables_adapters_and_energy() {
    let by_flag = compare("", NETWORKS, &["--prices", "prices.toml"]);
    let by_key = compare("budget = { prices = 'prices.toml' }\n", NETWORKS, &[]);
    assert_eq!(by_flag["procurement"], by_key["procurement"]);
    let cost = &offer(&by_flag, "ring")["cost"];
    // Eight routers of four ports, eight cables and sixteen to hosts, sixteen adapters.
    assert_eq!(number(cost, "dollars"), 8.0 * 400.0 + (8.0 + 16.0) * 10.0 + 16.0 * 50.0);
    assert_eq!(number(cost, "watts"), 8.0 * 8.0 + 16.0 * 5.0);
    let energy = 0.144 * 10.0 * 365.25 * 24.0 * 0.1;
    assert!((number(cost, "total") - (number(cost, "dollars") + energy)).abs() < 1e-6);
    for (name, older) in [("price", "dollars"), ("cable_metres", "metres"), ("total_cost", "total")] {
        assert_eq!(number(cost, name), number(cost, older), "{name}");
    }
    assert_eq!(by_flag["procurement"]["currency"], "EUR");
    // Money is the total.
    let ring = offer(&by_flag, "ring");
    assert!((number(ring, "per_dollar") - number(ring, "performance") / number(cost, "total")).abs() < 1e-12);
    let folder = folder(&format!("title = 'x'\n{NETWORKS}"));
    // The page has the unit prices, so that its prices can be recomputed.
    folder.output(&["compare", "s.toml", "--prices", "prices.toml", "--html", "r.html", "-q"]);
    let page = folder.read("r.html");
    for row in
        ["switch: EUR per port</th><td class=\"n\">100</td><td class=\"n\">300<", "adapter: W</th><td class=\"n\">5<"]
    {
        assert!(page.contains(row), "{row}");
    }
    let text = folder.output(&["compare", "s.toml", "--prices", "prices.toml"]);
    for part in ["EUR", "total", "Figures of a test", "Adapters and host links are counted"] {
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(part), "{part}: {text}");
    }
}

#[test]
fn a_faster_link_has_its_own_price_and_scaling_is_said() {
    let fast = NETWORKS.replace("10 Gbit/s", "100 Gbit/s");
    let result = compare("budget = { prices = 'prices.toml' }\n", &fast, &[]);
    let cost = &offer(&result, "ring")["cost"];
    assert_eq!(number(cost, "dollars"), 8.0 * 1200.0 + (8.0 + 16.0) * 50.0 + 16.0 * 200.0);
    // A rate that the list does not have: it uses the prices of the nearest, and states so.
    let other = NETWORKS.replace("10 Gbit/s", "40 Gbit/s");
    let result = compare("budget = { prices = 'prices.toml' }\n", &other, &[]);
    assert_eq!(number(&offer(&result, "ring")["cost"], "priced_as_gbps"), 100.0);
    let folder = folder(&format!("title = 'x'\nbudget = {{ prices = 'prices.toml' }}\n{other}"));
    assert!(one_line(&folder.output(&["compare", "s.toml"])).contains("nearest listed rate"));
    folder
        .write("prices.toml", LIST.replace("[ownership]", "scaling = 1.0\n[ownership]").replace("a test'", "a test.'"));
    let text = one_line(&folder.output(&["compare", "s.toml"]));
    assert!(text.contains("power of 1 (power is not scaled)") && text.contains("of a test. Adapters"), "{text}");
    let scaled = folder.json(&["compare", "s.toml"]);
    let cost = &offer(&scaled, "ring")["cost"];
    assert_eq!(number(cost, "dollars").round(), (0.4 * (8.0 * 1200.0 + 24.0 * 50.0 + 16.0 * 200.0_f64)).round());
    assert_eq!(cost["priced_as_gbps"], Value::Null);
}

#[test]
fn what_is_quoted_overrides_the_list() {
    let quoted = NETWORKS.replace("name = 'mesh'", "name = 'mesh'\nprice = 1234567\nwatts = 890");
    let result = compare("", &quoted, &[]);
    let cost = &offer(&result, "mesh")["cost"];
    assert_eq!(
        (number(cost, "dollars"), number(cost, "watts"), &cost["quoted"]),
        (1234567.0, 890.0, &Value::Bool(true))
    );
    assert_eq!(cost["quoted_watts"], true);
    // The page marks what is quoted, and names the mixture below its conclusion.
    let mixed = folder(&format!("title = 'x'\n{quoted}"));
    let text = one_line(&mixed.output(&["compare", "s.toml", "--html", "r.html"]));
    assert!(text.contains("Quoted price: B. Quoted watts: B. Quotes compare with figures of the list only"), "{text}");
    let page = mixed.read("r.html");
    assert!(page.contains("Mixed prices: quoted for B, of the list equality for A."), "{page}");
    assert_eq!(page.matches("<small>(quoted)</small>").count(), 4, "price and power in two tables");
    // The other one has the price of the built-in list, and no adapters.
    assert!(number(&offer(&result, "ring")["cost"], "dollars") > 0.0);
    // A price for each platform of the study.
    let each = NETWORKS.replace("name = 'mesh'", "name = 'mesh'\nprice = { slow = 10, fast = 25 }");
    let platforms = "[[platforms]]\nname = 'slow'\n[[platforms]]\nname = 'fast'\n\
        parameters = { link_bandwidth = '40 Gbit/s' }\n";
    let result = compare("", &format!("{}{platforms}", each.replace("{ link_bandwidth = '10 Gbit/s', ", "{ ")), &[]);
    let offers = result["procurement"]["offers"].as_array().expect("offers");
    let mesh: Vec<f64> =
        offers.iter().filter(|o| o["topology"] == "mesh").map(|o| number(&o["cost"], "dollars")).collect();
    assert_eq!(mesh, [10.0, 25.0]);
    let wrong = |from: &str, to: &str, parts: &[&str]| {
        let study = format!("title = 'x'\n{}", quoted.replace(from, to));
        folder(&study).refuse(&["compare", "s.toml"], 2, parts);
    };
    wrong("price = 1234567", "price = -1", &["s.toml:9:", "price = -1 is neither 0 nor an amount from 1e-6 to 1e15"]);
    wrong("price = 1234567", "price = { fats = 1 }", &["s.toml:9:", "the study has no platform `fats`"]);
    wrong("price = 1234567", "price = '300k'", &["s.toml:9:", "a number"]);
    // A number of a price list is named with its line, in the table of its rate.
    let list = include_str!("../../../data/prices/example.toml");
    let own = folder("title = 'x'\n");
    own.write("big.toml", list.replacen("dollars_per_port = ", "dollars_per_port = 1e308 # ", 1));
    own.refuse(
        &["topology", "torus:4x4", "--prices", "big.toml"],
        2,
        &["big.toml:", "is 1e308, but it must be a number from 0 to 1e15"],
    );
    own.write("eur.toml", list.replace("USD", "EUR"));
    let text = own.output(&["topology", "torus:4x4", "--prices", "eur.toml"]);
    assert!(text.contains("total, EUR") && !text.contains('$'), "{text}");
}

#[test]
fn platform_files_carry_prices() {
    let folder = folder(
        "title = 'x'\nmapping = 'block'\n[[networks]]\nname = 'toml'\nplatform = 'p.toml'\n[[networks]]\nname = 'json'\n\
         platform = 'p.json'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    folder.write("p.toml", "topology = 'full_mesh:16'\nprice = 500\nwatts = 60\n");
    folder.write(
        "p.json",
        "{\"switches\":2,\"hosts\":[0,1],\"host_flops\":1e9,\"arcs\":[[0,1,1e9,1e-7],[1,0,1e9,1e-7]],\
         \"routes\":{\"0-1\":[0],\"1-0\":[1]},\"price\":70,\"watts\":8}",
    );
    let result = folder.json(&["compare", "s.toml", "--prices", "prices.toml"]);
    let cost = |name: &str| offer(&result, name)["cost"].clone();
    assert_eq!((number(&cost("toml"), "dollars"), number(&cost("toml"), "watts")), (500.0, 60.0));
    assert_eq!((number(&cost("json"), "dollars"), number(&cost("json"), "watts")), (70.0, 8.0));
    assert_eq!(cost("json")["metres"], Value::Null);
}

#[test]
fn a_wrong_price_list_is_refused_by_name() {
    let study = format!("title = 'x'\nbudget = {{ prices = 'no.toml' }}\n{NETWORKS}");
    folder(&study).refuse(&["compare", "s.toml"], 3, &["s.toml:2:", "cannot read", "no.toml"]);
    let folder = folder(&format!("title = 'x'\n{NETWORKS}"));
    folder.refuse(&["compare", "s.toml", "--prices", "s.toml"], 2, &["price list s.toml", "example.toml"]);
    folder.write("s.toml", format!("title = 'x'\nbudget = {{ total = 5 }}\n{NETWORKS}"));
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:2:", "a total cost needs energy_price and years"]);
    let result = folder.json(&["compare", "s.toml", "--prices", "prices.toml"]);
    assert_eq!(offer(&result, "ring")["within_budget"], false);
}

#[test]
fn the_example_list_is_one_and_says_so() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/data/prices/example.toml");
    let result = compare("", &NETWORKS.replace("10 Gbit/s", "200 Gbit/s"), &["--prices", list]);
    assert_eq!(offer(&result, "ring")["cost"]["priced_as_gbps"], Value::Null);
    let text = folder(&format!("title = 'x'\n{NETWORKS}")).output(&["compare", "s.toml", "--prices", list]);
    assert!(text.contains("They are example figures, not offers."), "{text}");
}

#[test]
fn every_network_in_every_setting_is_compared_with_one_reference() {
    let head = "mappings = ['block', 'bisection']\nbudget = { prices = 'prices.toml' }\n";
    let platforms = "[[platforms]]\nname = '10G'\nparameters = { link_bandwidth = '10 Gbit/s' }\n\
        [[platforms]]\nname = '100G'\nparameters = { link_bandwidth = '100 Gbit/s' }\n";
    let networks = format!("{}{platforms}", NETWORKS.replace("{ link_bandwidth = '10 Gbit/s', ", "{ "));
    let result = compare(head, &networks, &[]);
    let across = &result["across_settings"];
    let places = across["settings"].as_array().expect("settings");
    assert_eq!(places.len(), 2 * 2 * 2);
    let seconds = |network: &str, platform: &str, mapping: &str| {
        let cells = result["cells"].as_array().expect("cells");
        let found =
            cells.iter().find(|c| c["topology"] == network && c["platform"] == platform && c["mapping"] == mapping);
        number(found.expect("a cell"), "simulated_seconds")
    };
    let reference = seconds("ring", "10G", "block");
    for place in places {
        let text = |key: &str| place[key].as_str().expect("a name");
        let ratio = reference / seconds(text("topology"), text("platform"), text("mapping"));
        assert!((number(place, "geometric") - ratio).abs() < 1e-12, "{place}");
    }
    // Neighbours of the trace share a switch with bisection: on a ring that is worth more than a factor of 1.5.
    assert!(seconds("ring", "10G", "block") > 1.5 * seconds("ring", "10G", "bisection"));
    let mapping = across["axes"].as_array().expect("axes").iter().find(|axis| axis["axis"] == "mapping");
    assert_eq!(mapping.expect("an axis")["networks"][0]["best"], "bisection");
    let folder = folder(&format!("title = 'x'\n{head}{networks}"));
    let text = folder.output(&["compare", "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "Across settings: geometric mean relative to ring [10G, block]",
        "100G instead of 10G: ring",
        "times the money",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let markdown = folder.output(&["compare", "s.toml", "--format", "markdown"]);
    assert!(markdown.contains("| 10G, block | 10G, bisection |"), "{markdown}");
}

#[test]
fn bisection_is_the_same_everywhere_and_replays_take_it() {
    let folder = folder("");
    let replay = |mapping: &str| {
        folder.json(&[
            "replay",
            "t.ti",
            "--topology",
            "ring:8",
            "--hosts-per-switch",
            "2",
            "--mapping",
            mapping,
            "--host-link-bandwidth",
            "40 Gbit/s",
        ])
    };
    let (blind, near) = (replay("block"), replay("bisection"));
    assert!(number(&near, "simulated_seconds") < number(&blind, "simulated_seconds"));
    assert_eq!(near["simulated_seconds"], replay("bisection")["simulated_seconds"]);
}

#[test]
fn sensitivity_names_what_moves_the_answer() {
    let result = compare("mapping = 'block'\n", NETWORKS, &["--sensitivity"]);
    let effects = result["sensitivity"]["effects"].as_array().expect("effects");
    let find = |assumption: &str, value: &str| {
        effects
            .iter()
            .find(|e| e["assumption"] == assumption && e["value"] == value)
            .unwrap_or_else(|| panic!("{assumption} {value}"))
    };
    for (assumption, value) in [
        ("routing", "ecmp"),
        ("routing", "ugal"),
        ("host links", "bandwidth x 0.5"),
        ("mapping", "random"),
        ("mapping", "bisection"),
        ("collectives", "ompi"),
        ("model", "smpi"),
        ("latency", "+20 %"),
        ("bandwidth", "-20 %"),
    ] {
        let effect = find(assumption, value);
        assert_eq!(number(&effect["networks"][0], "moved"), 0.0, "the baseline is 1 in each: {effect}");
    }
    // The mapping as it is, the table and the model in use are no changes.
    assert!(!effects.iter().any(|e| e["value"] == "block" || e["value"] == "mvapich2" || e["value"] == "ordered"));
    // A fifth less bandwidth makes messages of a megabyte slower by a good part of that, alike on both.
    let slower = find("bandwidth", "-20 %");
    assert!((0.78..0.95).contains(&number(slower, "baseline_speedup")), "{slower}");
    // The reported effect is that of a study with that assumption.
    let bisected = compare("mapping = 'bisection'\n", NETWORKS, &[]);
    let mean = bisected["means"].as_array().expect("means").iter().find(|m| m["topology"] == "mesh").expect("mesh");
    assert_eq!(find("mapping", "bisection")["networks"][1]["geometric"], mean["geometric"]);
    // The winner with everything as stated is the mesh; where all neighbours share a switch, both are equally fast.
    assert_eq!(result["sensitivity"]["fastest"], "mesh");
    // The same bytes with any number of threads, and after an interruption.
    let folder = folder(&format!("title = 'x'\nmapping = 'block'\n{NETWORKS}"));
    let one = folder.output(&["compare", "s.toml", "--sensitivity", "--threads", "1"]);
    assert_eq!(one, folder.output(&["compare", "s.toml", "--sensitivity", "--results", "r.jsonl"]));
    assert_eq!(one, folder.output(&["compare", "s.toml", "--sensitivity", "--results", "r.jsonl", "--resume"]));
    assert!(one.contains("Sensitivity") && one.contains("latency +20 %") && one.contains("Largest effect"), "{one}");
    let markdown = folder.output(&["compare", "s.toml", "--sensitivity", "--format", "markdown"]);
    assert!(markdown.contains("| routing: ecmp |"), "{markdown}");
}

#[test]
fn a_study_says_what_is_varied() {
    let head = "mapping = 'block'\nsensitivity = { routings = [], mappings = ['random'], collectives = [], models = [], \
        host_links = [], amplitude = 0.5 }\n";
    let result = compare(head, NETWORKS, &[]);
    let effects = result["sensitivity"]["effects"].as_array().expect("effects");
    let names: Vec<String> =
        effects.iter().map(|e| format!("{} {}", e["assumption"], e["value"]).replace('"', "")).collect();
    assert_eq!(
        names,
        [
            "mapping random",
            "latency +50 %",
            "latency -50 %",
            "bandwidth +50 %",
            "bandwidth -50 %",
            "compute +50 %",
            "compute -50 %"
        ]
    );
    for (from, to, part) in [
        ("'random'", "'rnadom'", "rnadom"),
        ("amplitude = 0.5", "amplitude = 1.5", "amplitude = 1.5"),
        ("routings = []", "routings = ['x']", "`x`"),
        ("models = []", "models = ['x']", "`x`"),
    ] {
        let study = format!("title = 'x'\n{}{NETWORKS}", head.replace(from, to));
        folder(&study).refuse(&["compare", "s.toml"], 2, &["s.toml:3:", part]);
    }
}

#[test]
fn workloads_that_hardly_compute_and_few_repetitions_are_named() {
    let slow = NETWORKS.replace("10 Gflop/s", "1 Tflop/s");
    let folder = folder(&format!("title = 'x'\nrepetitions = 2\nmapping = 'random'\n{slow}"));
    let text = folder.output(&["compare", "s.toml"]).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("Your workloads hardly compute here:") && text.contains("take a larger class"), "{text}");
    assert!(text.contains("Only 2 repetitions"), "{text}");
    for statistic in folder.json(&["compare", "s.toml"])["statistics"].as_array().expect("statistics") {
        let ends = statistic["relative"]["confidence_95"].as_array().expect("an interval");
        assert!(ends[0].as_f64().expect("a number") >= 0.0, "{statistic}");
    }
    let busy = NETWORKS.replace("10 Gflop/s", "100 Mflop/s");
    folder.write("s.toml", format!("title = 'x'\n{busy}"));
    assert!(!folder.output(&["compare", "s.toml"]).contains("hardly compute"));
}
