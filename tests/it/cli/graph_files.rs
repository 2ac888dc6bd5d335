//! Graphs as other programs write them, and what is measured on them.

use crate::support::cli::{Folder, number};

/// What `nx.write_gml` of networkx 3.6 writes for a one-way graph.
const GML: &str = "graph [\n  directed 1\n  node [\n    id 0\n    label \"0\"\n    hosts 2\n  ]\n  node [\n    id 1\n    label \"1\"\n    \
                   hosts 3\n  ]\n  node [\n    id 2\n    label \"2\"\n    hosts 2\n  ]\n  edge [\n    source 0\n    target 1\n  ]\n  \
                   edge [\n    source 0\n    target 2\n  ]\n  edge [\n    source 1\n    target 2\n  ]\n  edge [\n    source 2\n    \
                   target 0\n  ]\n]\n";

/// The same graph by `nx.node_link_data`.
const NODE_LINK: &str = "{\"directed\": true, \"multigraph\": false, \"graph\": {}, \"nodes\": [{\"hosts\": 2, \"id\": 0}, {\"hosts\": 3, \
                         \"id\": 1}, {\"hosts\": 2, \"id\": 2}], \"edges\": [{\"source\": 0, \"target\": 1}, {\"source\": 0, \"target\": 2}, \
                         {\"source\": 1, \"target\": 2}, {\"source\": 2, \"target\": 0}]}";

/// And by `nx.write_graphml`, whose whole numbers are of type `long`.
const GRAPHML: &str = "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\
                       <key id=\"d0\" for=\"node\" attr.name=\"hosts\" attr.type=\"long\" />\n<graph edgedefault=\"directed\"><node id=\"0\">\n  \
                       <data key=\"d0\">2</data>\n</node>\n<node id=\"1\">\n  <data key=\"d0\">3</data>\n</node>\n<node id=\"2\">\n  \
                       <data key=\"d0\">2</data>\n</node>\n<edge source=\"0\" target=\"1\" />\n<edge source=\"0\" target=\"2\" />\n\
                       <edge source=\"1\" target=\"2\" />\n<edge source=\"2\" target=\"0\" />\n</graph></graphml>";

#[test]
fn one_graph_in_five_formats_is_one_network() {
    let folder = Folder::with_trace("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
    folder.write("g.gml", GML);
    folder.write("g.json", NODE_LINK);
    folder.write("g.graphml", GRAPHML);
    folder.write("g.txt", "# Directed, hosts=2,3,2\n0 1\n0 2\n1 2\n2 0\n");
    folder.write("own.json", "{\"n\": 3, \"arcs\": [[0, 1], [0, 2], [1, 2], [2, 0]], \"hosts\": [2, 3, 2]}");
    let files = ["g.gml", "g.json", "g.graphml", "g.txt", "own.json"];
    let surveys = files.map(|file| folder.json(&["topology", file, "--full"]));
    for (file, survey) in files.iter().zip(&surveys) {
        // Each host has a cable in each direction: 14, and the four of the switches.
        for (member, value) in [("hosts", 7.0), ("arcs", 18.0), ("diameter", 4.0), ("edge_connectivity", 1.0)] {
            assert_eq!(number(survey, member), value, "{file}: {member}");
        }
        // Hops between switches: 0-1 1, 0-2 1, 1-2 1, 2-0 1, 1-0 2, 2-1 2; hosts on one switch are 0 apart.
        let sum = 6.0 + 4.0 + 6.0 + 4.0 + 2.0 * 6.0 + 2.0 * 6.0;
        let pairs = 42.0;
        let mean = number(survey, "host_aspl_switches");
        assert!((mean - (sum + pairs) / pairs).abs() < 1e-12, "{file}: {mean}");
        assert_eq!(survey["edge_sha256"], surveys[0]["edge_sha256"], "{file}");
    }
    let times = files.map(|file| number(&folder.json(&["replay", "t.ti", "--topology", file]), "simulated_seconds"));
    assert!(times.iter().all(|time| *time == times[0]), "{times:?}");
}

#[test]
fn comments_that_are_no_headers_are_named() {
    let folder = Folder::new();
    folder.write("g.txt", "# A directed ring, n=4\n0 1\n1 2\n2 3\n3 0\n");
    for verb in ["topology", "throughput", "packets"] {
        let rest: &[&str] =
            if verb == "packets" { &["--load", "0.1", "--no-saturation", "--measure", "100"] } else { &[] };
        let command = folder.run(&[&[verb, "g.txt"], rest].concat()).success();
        let output = command.get_output();
        let said = [&output.stdout[..], &output.stderr].concat();
        let said = String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("line 1, `# A directed ring, n=4`, is read as a comment"), "{verb}: {said}");
    }
}

/// Mean number of switches between hosts, by hand or by routes between all hosts.
#[test]
fn numbers_of_hosts_change_what_is_measured() {
    let folder = Folder::new();
    folder.write("u8.txt", "# n=4 hosts=1,0,2,5\n0 1\n1 2\n2 3\n3 0\n");
    for (spec, hosts, mean) in [
        // 24 hosts: 24 pairs on a switch, 36 in a pod, 216 between pods.
        ("fat_tree3:4", "3", (24.0 + 36.0 * 3.0 + 216.0 * 5.0) / 276.0),
        ("fat_tree2:8", "2", (8.0 + 112.0 * 3.0) / 120.0),
        ("xgft:m=[4,4],w=[1,2]", "3", (12.0 + 54.0 * 3.0) / 66.0),
        // One host on switches 0, 2 and 3 of the ring: two pairs are neighbours, one is two apart.
        ("u8.txt", "1", (2.0 * 2.0 + 3.0) / 3.0),
        ("damaged:base=\"fat_tree3:4\",without=\"0\"", "1", (1.0 * 3.0 * 3.0 + 18.0 * 5.0) / 21.0),
    ] {
        let survey = folder.json(&["topology", spec, "--hosts-per-switch", hosts]);
        let found = number(&survey, "host_aspl_switches");
        assert!((found - mean).abs() < 1e-12, "{spec}: {found}, {mean}");
    }
    let tree = folder.json(&["topology", "fat_tree2:8", "--hosts-per-switch", "2"]);
    assert_eq!((number(&tree, "edges"), number(&tree, "hosts"), number(&tree, "max_degree")), (32.0 + 16.0, 16.0, 8.0));
    let planes = folder.json(&["topology", "fat_tree3:4", "--planes", "2", "--hosts-per-switch", "1"]);
    assert!((number(&planes, "host_aspl_switches") - (4.0 * 3.0 + 24.0 * 5.0) / 28.0).abs() < 1e-12);
}

#[test]
fn hosts_of_a_fabric_have_names() {
    let folder = Folder::with_trace("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
    folder.write(
        "f.ibnet",
        "Switch 36 \"S-1\" # \"leaf\"\n[1] \"H-1\"[1](1) # \"node001 mlx5_0\" lid 3 4xHDR\n[2] \"H-2\"[1] # \"node002 mlx5_0\" lid 4 4xHDR\n\
         [3] \"S-2\"[9] # \"leaf\" lid 2 4xHDR\nSwitch 36 \"S-2\"\n[1] \"H-3\"[1] # \"node003 mlx5_0\" lid 5 4xHDR\n",
    );
    folder.write("hosts", "node003\nnode001\n");
    let ask = ["replay", "t.ti", "--topology", "f.ibnet", "--hostfile", "hosts"];
    let text = folder.output(&ask);
    assert!(text.contains("2 on 2 of 3 hosts") && text.contains("node003->1"), "{text}");
    folder.write("hosts", "h0\nh1\n");
    folder.refuse(&ask, 2, &["has no host `h0`; its hosts are `node001` to `node003`"]);
}

#[test]
fn cables_of_hosts_are_not_compared() {
    let folder = Folder::with_trace("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
    folder.write(
        "s.toml",
        "title = \"cables\"\n[[workloads]]\ntrace = \"t.ti\"\n[[networks]]\nname = \"tree\"\ntopology = \"xgft:m=[8,8],w=[1,4]\"\n\
         [[networks]]\nname = \"ring\"\ntopology = \"imase_itoh:n=32,d=6\"\n",
    );
    folder.run(&["compare", "s.toml", "--html", "r.html"]).success();
    let page = folder.read("r.html");
    assert!(page.contains("32 two-way") && page.contains("186 one-way"), "cables between switches");
    assert!(page.contains("\"lanes\":64") && page.contains("\"lanes\":186"), "the view computes with them");
}

/// What failed was bought as well, and each switch is as large as it has to be.
#[test]
fn prices_are_those_of_what_is_bought() {
    let folder = Folder::new();
    let list = |file: &str| format!("{}/data/prices/{file}", env!("CARGO_MANIFEST_DIR"));
    let priced = |more: &[&str]| {
        let survey = folder.json(&[&["topology"], more, &["--prices", &list("example.toml")]].concat());
        survey["cost"].clone()
    };
    let intact = priced(&["ring:5"]);
    assert_eq!(priced(&["ring:5", "--without", "4"]), intact);
    let tree = priced(&["xgft:m=[8,8],w=[1,4]"]);
    assert_eq!(number(&tree, "router_dollars"), 8.0 * (250.0 * 12.0 + 1000.0) + 4.0 * (250.0 * 8.0 + 1000.0));
    // The rate of the links decides which prices of the list apply.
    let faster = priced(&["xgft:m=[8,8],w=[1,4]", "--link-bandwidth", "200 Gbit/s"]);
    assert_eq!((number(&tree, "link_rate_gbps"), number(&faster, "link_rate_gbps")), (100.0, 200.0));
    assert_eq!(number(&faster, "router_dollars"), 8.0 * (400.0 * 12.0 + 2000.0) + 4.0 * (400.0 * 8.0 + 2000.0));
    let command =
        folder.run(&["topology", "ring:5", "--link-bandwidth", "300 Gbit/s", "--prices", &list("example.toml")]);
    let said = String::from_utf8_lossy(&command.get_output().stderr).into_owned();
    assert!(said.contains("has no links of 300 Gbit/s; prices are those of 400 Gbit/s"), "{said}");
    let text = std::fs::read_to_string(list("example.toml")).expect("reads");
    folder.write("scaled.toml", text.replace("# scaling = 0.8", "scaling = 0.8"));
    let scaled = ["topology", "ring:5", "--link-bandwidth", "300 Gbit/s", "--prices", "scaled.toml"];
    assert_eq!(number(&folder.json(&scaled)["cost"], "scaled_from_gbps"), 400.0);
    let command = folder.run(&scaled);
    let said = String::from_utf8_lossy(&command.get_output().stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("links of 300 Gb/s, scaled from the prices at 400 Gb/s"), "{said}");
    assert!(tree["scaled_from_gbps"].is_null());
}
