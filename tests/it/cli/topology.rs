//! `mopsim topology` and the help texts as their users see them.

use crate::support::cli::{Folder, assert_80_columns, number};
use serde_json::Value;

#[test]
fn cables_are_edges_or_arcs() {
    let folder = Folder::new();
    let torus = folder.json(&["topology", "torus:8x8"]);
    assert_eq!((&torus["n"], &torus["edges"], &torus["directed"]), (&64.into(), &128.into(), &false.into()));
    assert_eq!((&torus["min_degree"], &torus["max_degree"], &torus["diameter"]), (&4.into(), &4.into(), &8.into()));
    // 2 per dimension on average over all 64 switches, of which the 63 others count.
    assert!((number(&torus, "aspl") - 4.0 * 64.0 / 63.0).abs() < 1e-12);
    assert!(torus.get("arcs").is_none());

    let imase = folder.json(&["topology", "imase-itoh:n=64,d=6"]);
    assert_eq!((&imase["arcs"], &imase["directed"]), (&378.into(), &true.into()));
    assert!(imase.get("edges").is_none());
}

#[test]
fn several_topologies_stand_side_by_side() {
    let folder = Folder::new();
    let specs = ["topology", "ring:5", "random:n=16,d=3", "full-mesh:5", "--seed", "9"];
    let both = folder.json(&specs);
    let names: Vec<&str> =
        both["topologies"].as_array().expect("a list").iter().filter_map(|t| t["topology"].as_str()).collect();
    assert_eq!(names, ["ring:n=5", "random_regular:n=16,d=3,seed=9", "full_mesh:n=5"]);
    assert_80_columns(&folder.output(&specs));
}

/// Figures of a survey do not depend on the speed of cables, so a network with slower ones looks intact.
#[test]
fn slower_cables_are_told() {
    let folder = Folder::new();
    let text = folder.output(&["topology", "damaged:base=torus:4x4,degraded=3,bandwidth=50%"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("3 of the 32 cables have 50 % of their bandwidth"), "{text}");
}

/// A list has prices of cables with both directions.
#[test]
fn the_price_of_one_way_cables_is_told() {
    let folder = Folder::new();
    let half =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").contains("A one-way cable costs half");
    assert!(half(&folder.output(&["topology", "imase-itoh:n=16,d=3"])));
    assert!(!half(&folder.output(&["topology", "torus:4x4"])));
}

#[test]
fn trees_are_measured_with_their_hosts() {
    let folder = Folder::new();
    let tree = folder.json(&["topology", "fat-tree3:4"]);
    assert_eq!((&tree["n"], &tree["switches"], &tree["hosts"]), (&36.into(), &20.into(), &16.into()));
    assert_eq!((&tree["edges"], &tree["host_diameter_links"]), (&48.into(), &6.into()));
    // Of 15 other hosts one is 2 links away, two are 4 and twelve are 6.
    assert!((number(&tree, "host_aspl_links") - (2.0 + 8.0 + 72.0) / 15.0).abs() < 1e-12);
    // A ring has no such members.
    assert!(folder.json(&["topology", "ring:4"]).get("host_aspl_links").is_none());
}

#[test]
fn help_lists_the_families_in_80_columns() {
    let folder = Folder::new();
    let help = folder.output(&["topology", "--help"]);
    for part in ["Rings with shortcuts:", "skywalk:z,c,di,[do],", "imase_ab:n,d,[a],[b]", "--fit <hosts=N,radix=R>"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    let (_, families) = help.split_once("Families").expect("the list");
    assert_80_columns(families);
}

#[test]
fn networks_that_fit_are_listed() {
    let folder = Folder::new();
    let fit = ["topology", "--fit", "hosts=128,radix=8"];
    let result = folder.json(&fit);
    assert_eq!((&result["schema"], &result["hosts"]), (&"mopsim.topology-fit/2".into(), &128.into()));
    let tree = result["fits"].as_array().expect("a list").iter().find(|fit| fit["topology"] == "fat_tree3:k=8");
    let tree = tree.expect("a fat tree of 8 ports has 128 hosts");
    assert_eq!((&tree["switches"], &tree["ports"], &tree["directed"]), (&80.into(), &8.into(), &false.into()));
    assert_80_columns(&folder.output(&fit));
    // The prices are those of the network with its hosts, adapters and cables to hosts included.
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/data/prices/example.toml");
    let priced = folder.json(&["topology", "--fit", "hosts=64,radix=12", "--prices", example]);
    for fit in priced["fits"].as_array().expect("a list") {
        let (spec, hosts) = (fit["topology"].as_str().expect("a text"), fit["hosts_per_switch"].to_string());
        let mut alone = vec!["topology", spec, "--prices", example];
        if !["fat_tree", "clos"].iter().any(|tree| spec.starts_with(tree)) {
            alone.extend(["--hosts-per-switch", &hosts]);
        }
        let cost = &folder.json(&alone)["cost"];
        assert_eq!((&fit["dollars"], &fit["watts"]), (&cost["dollars"], &cost["watts"]), "{spec}");
    }
    assert!(folder.output(&[&fit[..], &["--format", "csv"]].concat()).starts_with("topology,hosts_per_switch,hosts,"));
    for (fit, part) in [("hosts=1,radix=8", "from 2 to"), ("hosts=9", "both `hosts`"), ("radix=8,hosts=x", "a number")]
    {
        folder.refuse(&["topology", "--fit", fit], 2, &["--fit", part]);
    }
    folder.refuse(&["topology", "ring:4", "--fit", "hosts=4,radix=4"], 2, &["cannot be used with"]);
}

#[test]
fn graph_files_are_measured_like_families() {
    let folder = Folder::new();
    folder.write("ring.txt", "# a ring\n0 1\n1 2\n2 3\n3 4\n4 0\n");
    folder.write("ring.json", "{\"n\": 5, \"edges\": [[0,1],[1,2],[2,3],[3,4],[4,0]]}");
    folder.write("cycle.json", "{\"n\": 3, \"arcs\": [[0,1],[1,2],[2,0]]}");
    let digest = |spec: &str| folder.json(&["topology", spec])["edge_sha256"].clone();
    assert_eq!(digest("ring.txt"), digest("ring:5"));
    assert_eq!(digest("ring.json"), digest("ring:5"));
    let cycle = folder.json(&["topology", "cycle.json"]);
    assert_eq!((&cycle["arcs"], &cycle["diameter"], number(&cycle, "aspl")), (&3.into(), &2.into(), 1.5));
}

#[test]
fn a_disconnected_graph_has_no_diameter() {
    let folder = Folder::new();
    folder.write("edges.txt", "0 1\n2 3\n");
    let result = folder.json(&["topology", "edges.txt"]);
    assert_eq!((&result["diameter"], &result["aspl"]), (&Value::Null, &Value::Null));
    assert!(folder.output(&["topology", "edges.txt"]).contains("unreachable"));
}

#[test]
fn graph_files_are_checked() {
    let folder = Folder::new();
    for (file, content, parts) in [
        ("a.txt", "0 1\n1 x\n", ["a.txt:2:3:", "`x`"]),
        ("b.txt", "0 1\n0 -1\n", ["b.txt:2:3:", "`-1`"]),
        ("c.txt", "0 0\n", ["c.txt:1:1:", "to itself"]),
        ("d.txt", "", ["d.txt:1:1:", "no cable"]),
        ("e.json", "{\"n\": 4, \"arcs\": [[0,9]]}", ["e.json:1:", "switch 9"]),
        ("f.json", "{\"n\": -4, \"arcs\": [[0,1]]}", ["f.json:1:", "`-4`"]),
        ("g.json", "{\"n\": 4}", ["g.json:1:", "neither `edges` nor `arcs`"]),
        ("h.json", "7", ["h.json:1:", "an object with the graph"]),
    ] {
        folder.write(file, content);
        folder.refuse(&["topology", file], 2, &parts);
    }
}

#[test]
fn specifications_are_checked_before_anything_is_built() {
    let folder = Folder::new();
    for (spec, parts) in [
        ("tours:4x4", ["no topology `tours`", "did you mean `torus`?"]),
        ("torus:4x4,foo=1", ["no parameter `foo`", "dims"]),
        ("torus:0x4", ["`[0,4]`", "at least 1"]),
        ("torus:-1x4", ["`[-1,4]`", "at least 1"]),
        ("torus:100000x100000", ["`[100000,100000]`", "at most 16777216"]),
        ("ring:n=0", ["`n` is `0`", "from 2 to 16777216"]),
        ("ring:n=99999999999999999999", ["99999999999999999999", "64 bits"]),
        ("full_mesh:n=100000", ["9999900000 arcs", "the limit is"]),
        ("random:n=8,d=8", ["`d` is `8`", "less than the number of switches"]),
        ("random:n=8,d=3,seed=-1", ["`seed` is `-1`", "from 0"]),
        ("random:n=8,n=9", ["column 12", "given twice"]),
        ("torus:", ["column 7", "missing"]),
        ("", ["column 1", "empty"]),
    ] {
        folder.refuse(&["topology", spec], 2, &parts);
    }
}

#[test]
fn help_tells_units_defaults_files_and_exit_codes() {
    let folder = Folder::new();
    let help = |verb: &[&str]| folder.output(&[verb, &["--help"]].concat());
    let main = help(&[]);
    for part in ["compare", "replay", "topology", "1 the replay itself failed", "mopsim compare studies/uni-vs-bi.toml"]
    {
        assert!(main.contains(part), "{part}: {main}");
    }
    // Every other name of a family is listed, and has its meaning.
    let topology = help(&["topology"]);
    let words = topology.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["random (random_regular)", "imase (imase_ab)"] {
        assert!(words.contains(part), "{part}: {topology}");
    }
    assert_80_columns(topology.split_once("Families").expect("the list").1);
    let replay = help(&["replay"]);
    for part in ["[default: 100 Gflop/s]", "[default: 100 ns]", "bare number is in seconds", "[default: one-each]"] {
        assert!(replay.contains(part), "{part}: {replay}");
    }
}

/// The files that the help texts show must work.
#[test]
fn files_in_help_texts_work() {
    let folder = Folder::with_trace("0 init\n1 init\n0 send 1 0 100 6\n1 recv 0 0 100 6\n");
    let shown = |verb: &str, heading: &str| {
        let help = folder.output(&[verb, "--help"]);
        let (_, rest) = help.split_once(heading).expect("the heading");
        let lines = rest.lines().skip(1).take_while(|line| line.starts_with("  "));
        lines.map(|line| format!("{}\n", line.trim_start())).collect::<String>()
    };
    folder.write("p.toml", shown("replay", "A platform file in TOML:"));
    folder.json(&["replay", "t.ti", "--platform", "p.toml"]);
    folder.write("traces/cg.A.64.ti.zst", "0 init\n1 init\n0 send 1 0 100 6\n1 recv 0 0 100 6\n");
    folder.write("studies/s.toml", shown("compare", "A study file"));
    assert_eq!(folder.json(&["compare", "studies/s.toml"])["baseline"], "random");
}

#[test]
fn figures_for_buyers_are_right() {
    let folder = Folder::new();
    let specs = ["topology", "torus:8x8", "random:n=64,d=6", "imase-itoh:n=64,d=6", "full-mesh:64"];
    let text = folder.output(&specs);
    assert_80_columns(&text);
    // METIS finds an upper bound.
    assert!(text.contains("<= 16"), "{text}");
    let torus = folder.json(&specs[..2]);
    assert_eq!(
        (&torus["bisection"], &torus["edge_connectivity"], &torus["connected"]),
        (&16.into(), &4.into(), &true.into())
    );
    assert_eq!(torus["floor"]["cabinets"], 4);
    // 64 routers of 5 ports: 64 * (350.4 * 5 - 892.3) $; 2.8 W a port.
    assert!((number(&torus["cost"], "router_dollars") - 55_020.8).abs() < 1e-6);
    assert!((number(&torus["cost"], "watts") - 896.0).abs() < 1e-9);
    let histogram = torus["distance_histogram"].as_array().expect("a list");
    assert_eq!(histogram.iter().filter_map(Value::as_u64).sum::<u64>(), 64 * 63);
    // An exact value has no sign.
    assert_eq!(folder.json(&["topology", "ring:6"])["bisection_method"], "exact");
    // An odd number of arcs is cut, half a link; one switch has only its hosts to cut.
    for (spec, cut, of_links, of_all) in [
        ("clos:1,2,3", 5, Some(5.0 / 6.0), 5.0 / 18.0),
        ("clos:2,3,3", 9, Some(0.75), 0.3),
        ("kary_ntree:4,1", 2, None, 0.5),
        ("full_mesh:1", 0, None, 0.5),
    ] {
        let full = folder.json(&["topology", spec, "--full"]);
        let share = |name: &str| full[name].as_f64();
        assert_eq!(full["bisection"], cut, "{spec}");
        assert!(
            share("bisection_share_of_links").zip(of_links).is_none_or(|(is, should)| (is - should).abs() < 1e-12),
            "{full}"
        );
        assert_eq!(share("bisection_share_of_links").is_some(), of_links.is_some(), "{full}");
        assert!(share("bisection_share_of_all").is_some_and(|is| (is - of_all).abs() < 1e-12), "{full}");
    }
    // C. Clos: a path is free if there are 2n - 1 middle switches between stages of n inputs, and can be freed from n
    // on.
    for (spec, promise) in [
        ("clos:5,3,2", "strictly"),
        ("clos:4,3,2", "rearrangeable"),
        ("clos:3,3,2", "rearrangeable"),
        ("clos:2,3,2", "no"),
        ("clos:1,1,2", "strictly"),
    ] {
        assert_eq!(folder.json(&["topology", spec])["nonblocking"], promise, "{spec}");
    }
    assert!(torus.get("nonblocking").is_none());
    // 64 switches, 4 hops apart on average times 64/63; all cables of the torus among 2 hosts each.
    assert_eq!(torus["distance_sum"], 64 * 64 * 4);
    let two = folder.json(&["topology", "torus:8x8", "--hosts-per-switch", "2"]);
    assert_eq!(two["links_per_host"], 2.0);
    assert!((number(&two, "links_per_host_and_hop") - 63.0 / 128.0).abs() < 1e-12, "{two}");
    assert_eq!(folder.json(&["topology", "fat_tree2:8"])["links_per_host"], Value::Null);
    // A one-way link is half of one: as many wires for each switch as its degree.
    let one_way = folder.json(&["topology", "kautz:2,3"]);
    assert_eq!(one_way["links_per_host"], 2.0);
    // Half of all cables are cut on average, a little more since halves are exact: n/2 of the n - 1 others are there.
    let mean = number(&torus, "random_halves_mean");
    assert!((mean - 128.0 * 32.0 / 63.0).abs() < 8.0 && mean >= number(&torus, "random_halves_cut"), "{mean}");
    // Two joined switches of five ports with four hosts each: 12 pairs of hosts on one switch, 16 across both.
    for (spec, hosts, largest, mean) in [
        ("full_mesh:2", Some("4"), 2, (12.0 + 32.0) / 28.0),
        ("full_mesh:1", Some("8"), 1, 1.0),
        // 8 leaves of 4 hosts: 3 others on the leaf, 28 elsewhere, three switches away.
        ("fat_tree2:8", None, 3, (3.0 + 28.0 * 3.0) / 31.0),
        ("clos:2,2,2", None, 3, 3.0),
        ("edges:leaves.txt", None, 3, (4.0 * 1.0 + 8.0 * 3.0) / 12.0),
    ] {
        folder.write("leaves.txt", "# undirected n=3 hosts=2*2,1*0\n0 2\n1 2\n");
        let more = hosts.map_or(vec![], |hosts| vec!["--hosts-per-switch", hosts]);
        let found = folder.json(&[&["topology", spec], &more[..]].concat());
        assert_eq!(found["host_diameter_switches"], largest, "{spec}");
        assert!((number(&found, "host_aspl_switches") - mean).abs() < 1e-12, "{spec}: {found}");
    }
    folder.write("twice.txt", "0 1\n1 0\n1 2\n");
    let twice = folder.json(&["topology", "twice.txt"]);
    assert_eq!((&twice["edges"], &twice["duplicates_merged"]), (&2.into(), &1.into()));
    let told = folder.output(&["topology", "torus:4x4", "ring:2", "twice.txt"]);
    assert_80_columns(&told);
    assert!(told.contains("C: 1 cable of the file repeats another"), "{told}");
    assert!(!told.contains("B: 1 cable"), "{told}");
    let none = folder.json(&["topology", "torus:8x8", "--bisection", "0"]);
    assert_eq!(none["bisection"], Value::Null);
}

#[test]
fn routes_are_explained() {
    let folder = Folder::new();
    let route = |more: &[&str]| folder.output(&[&["topology", "torus:8x8", "--route", "0", "63"], more].concat());
    assert_80_columns(&folder.output(&["topology", "torus:8x8", "--route", "0", "36", "--routing", "split"]));
    let text = route(&["--routing", "dimension-order"]);
    assert!(text.contains("Route in A by dimension_order: 2 hops"), "{text}");
    assert!(text.contains("0 -> 7        dimension 0, -1") && text.contains("7 -> 63       dimension 1, -1"), "{text}");
    assert_80_columns(&text);
    let json = folder.json(&["topology", "torus:8x8", "--route", "24", "7", "--routing", "up-down"]);
    let path: Vec<u64> = json["route"]["path"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    assert_eq!((path.first(), path.last()), (Some(&24), Some(&7)));
    folder.refuse(&["topology", "ring:4", "--route", "0", "4"], 2, &["no switch 4", "0 to 3"]);
    folder.refuse(&["topology", "ring:4", "--route", "0"], 2, &["2 values"]);
    folder.refuse(
        &["topology", "ring:4", "--route", "0", "1", "--routing", "equality"],
        2,
        &["does not fit", "ring:n=4"],
    );
    folder.refuse(
        &["topology", "ring:4", "--route", "0", "1", "--routing", "balancd"],
        2,
        &["did you mean `balanced`"],
    );
    folder.write("apart.txt", "0 1\n2 3\n");
    folder.refuse(&["topology", "apart.txt", "--route", "0", "3"], 2, &["no way from switch 0 to switch 3"]);
}

#[test]
fn markdown_says_what_the_text_says() {
    let folder = Folder::new();
    folder.write("twice.txt", "0 1\n1 2\n2 3\n3 0\n0 1\n");
    let specs = [
        "topology",
        "torus:8x8",
        "kary-ntree:k=4,n=2",
        "twice.txt",
        "ring:9",
        "star:5",
        "--route",
        "0",
        "3",
        "--switch-delay",
        "60 ns",
    ];
    let text = folder.output(&specs);
    let markdown = folder.output(&[&specs[..], &["--format", "markdown"]].concat());
    // Cells without blanks at their ends and without what keeps them in their cells.
    let cells = |line: &str| -> Vec<String> {
        let plain = line
            .replace("&emsp;", "")
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&")
            .replace('\\', "");
        plain.trim().trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()
    };
    let rows: Vec<Vec<String>> = markdown.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    // The text has four topologies in a table, the fifth in another one.
    let shown: Vec<Vec<String>> = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| {
            line.trim_matches('|')
                .split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .map(str::to_owned)
                .collect()
        })
        .collect();
    let mut compared = 0;
    for row in &shown {
        let Some(name) = row.first().filter(|name| *name != "topology") else { continue };
        let same: Vec<&Vec<String>> = rows.iter().filter(|cells| cells[0] == *name).collect();
        assert!(same.iter().any(|cells| row[1..].iter().all(|value| cells.contains(value))), "{row:?} in {markdown}");
        compared += 1;
    }
    assert!(compared > 40, "{text}");
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "");
    for note in [
        "B: hosts count as vertices in cables",
        "Floor plan grid; latency: 300 ns at the ends, 60 ns per switch",
        "C: 1 cable of the file repeats another",
    ] {
        assert!(flat(&text).contains(note) && flat(&markdown).contains(note), "{note}: {markdown}");
    }
    for route in ["Route in A by dimension_order: 3 hops", "Route in D by dimension_order: 3 hops"] {
        assert!(
            text.contains(route) && markdown.replace('\\', "").contains(&format!("**{route}")),
            "{route}: {markdown}"
        );
    }
    assert!(markdown.contains("| from | to | why |"), "{markdown}");
}

#[test]
fn floors_are_drawn_and_prices_replaced() {
    let folder = Folder::new();
    let text = include_str!("../../../data/prices/equality.toml");
    folder.write(
        "mine.toml",
        text.replace("\"equality\"", "\"mine\"").replace("350.4", "700.8").replace("-892.3", "-1784.6"),
    );
    let cost = folder.json(&["topology", "torus:8x8", "--prices", "mine.toml"])["cost"].clone();
    assert_eq!(cost["prices"], "mine");
    assert!((number(&cost, "router_dollars") - 110_041.6).abs() < 1e-6);
    folder.output(&["topology", "torus:8x8", "--floor-svg", "floor.svg", "--switches-per-cabinet", "4"]);
    let svg = String::from_utf8(std::fs::read(folder.write("other", "").with_file_name("floor.svg")).unwrap()).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("16 cabinets of switches in 4 rows"));
    let hosts = |option| ["topology", "torus:8x8", "--floor-plan", "equality", option, "4"];
    let equality = folder.json(&hosts("--hosts-per-switch"));
    assert_eq!((&equality["floor"]["plan"], &equality["cost"]["endpoints"]), (&"equality".into(), &256.into()));
    // Its other name.
    assert_eq!(folder.json(&hosts("--endpoints")), equality);
    let slow = folder.json(&["topology", "ring:4", "--switch-delay", "100 ns", "--cable-delay", "10 ns"]);
    // Two hops within a cabinet: 300 + 3 * 100 + 2 * 20 ns.
    assert_eq!(number(&slow["floor"], "max_latency_ns"), 640.0);
    for (flags, parts) in [
        (["--prices", "none.toml"], ["cannot read none.toml", "No such file"]),
        (["--floor-plan", "cube"], ["no floor plan `cube`", "slim_fly"]),
        (["--switches-per-cabinet", "0"], ["`switches_per_cabinet` is 0", "at least 1"]),
        (["--placement", "supernode-major"], ["is only for dsnf", "ring:n=4"]),
        (["--switch-delay", "-1 ns"], ["--switch-delay", "-1 ns"]),
    ] {
        let code = if flags[0] == "--prices" { 3 } else { 2 };
        folder.refuse(&[&["topology", "ring:4"], &flags[..]].concat(), code, &parts);
    }
    folder.write("bad.toml", text.replace("copper_metres", "coper_metres"));
    folder.refuse(&["topology", "ring:4", "--prices", "bad.toml"], 2, &["bad.toml", "coper_metres"]);
    folder.refuse(&["topology", "ring:4", "ring:5", "--floor-svg", "x.svg"], 2, &["one topology"]);
}

#[test]
fn distances_can_be_sampled() {
    let folder = Folder::new();
    let some = folder.json(&["topology", "random:n=2000,d=4", "--aspl-samples", "100"]);
    let all = folder.json(&["topology", "random:n=2000,d=4"]);
    assert_eq!((&some["aspl_samples"], &some["diameter"]), (&100.into(), &Value::Null));
    assert!((number(&some, "aspl") - number(&all, "aspl")).abs() <= number(&some, "aspl_error"));
    assert!(number(&some, "diameter_at_least") <= number(&all, "diameter"));
}

/// Two switches in different cabinets are further apart in time when cables have a delay.
#[test]
fn replays_take_the_floor_plan_into_account() {
    let folder = Folder::with_trace("0 init\n1 init\n0 send 1 0 100 6\n1 recv 0 0 100 6\n").pinned();
    let time = |flags: &[&str]| {
        let network = ["replay", "t.ti", "--topology", "ring:4", "--network-model", "ideal"];
        number(&folder.json(&[&network, flags].concat()), "simulated_seconds")
    };
    let none = time(&[]);
    let late = time(&["--cable-delay", "5 ns", "--switches-per-cabinet", "1"]) - none;
    // Neighbouring cabinets, one behind or next to the other: 4.6 m or 6.1 m.
    assert!((late - 5e-9 * 4.6).abs() < 1e-15 || (late - 5e-9 * 6.1).abs() < 1e-15, "{late}");
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--floor-plan", "grid"],
        2,
        &["floor_plan", "cable_delay"],
    );
}
