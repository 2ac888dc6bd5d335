//! The packet model in `replay` and `compare` as their users see it.

use crate::support;
use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};
use serde_json::Value;

const FORMATS: [&str; 4] = ["text", "json", "csv", "markdown"];

/// Two real traces over networks of which packets do not model one.
fn study(head: &str) -> Folder {
    let folder = Folder::new();
    for trace in ["is.S.16", "lu.S.4.it5"] {
        let file = format!("{trace}.ti.zst");
        let content = std::fs::read(support::data().join("corpus").join(&file)).expect("test data");
        folder.write(&file, content);
    }
    folder.write(
        "s.toml",
        format!(
            "title = 'Packets'
             baseline = 'mesh'
             {head}
             [[networks]]
             name = 'shared'
             topology = 'torus:4x4'
             parameters = {{ duplex = 'shared' }}
             [[networks]]
             name = 'mesh'
             topology = 'full_mesh:16'
             [[networks]]
             name = 'one-way'
             topology = 'random_directed:n=16,d=3,seed=2'
             [[networks]]
             name = 'ring'
             topology = 'ring:16'
             [[workloads]]
             name = 'IS'
             trace = 'is.S.16.ti.zst'
             [[workloads]]
             name = 'LU'
             trace = 'lu.S.4.it5.ti.zst'
            "
        ),
    );
    folder
}

#[test]
fn a_replay_names_the_model_and_what_its_packets_did() {
    let folder = Folder::with_trace(MESSAGE);
    let run = ["replay", "t.ti", "--topology", "ring:4", "--model", "packet:mtu=64,header=8", "--explain"];
    let result = folder.json(&run);
    let parameters = &result["model"]["parameters"];
    assert_eq!(result["model"]["network_model"], "packet");
    assert_eq!(result["model"]["sharing"], "packets");
    for (name, value) in [
        ("mtu", "64 bytes"),
        ("header", "8 bytes"),
        ("packet-routing", "static:dimension_order"),
        ("vcs", "4"),
        ("injection", "turns"),
    ] {
        assert_eq!(parameters[name], value, "{parameters}");
    }
    // 64 and 36 bytes over a host link, a cable and a host link.
    assert_eq!(result["packets"], serde_json::json!({ "packets": 2, "hops": 6, "out_of_order": 0 }));
    assert_eq!(result["head_of_line"]["packets"], 0);
    // 210 ns of two switches and 2 m of cable; 116 bytes at 12.5 GB/s.
    let expected = 210e-9 + 116.0 / 12.5e9;
    assert!((number(&result, "simulated_seconds") - expected).abs() < 5e-12, "{result}");
    let busiest = &result["busiest_links"][0];
    assert_eq!((busiest["messages"].as_u64(), busiest["bytes"].as_u64()), (Some(1), Some(116)));
    assert!((number(busiest, "saturated") - 116.0 / 12.5e9 / expected).abs() < 1e-3, "{busiest}");
    assert!(result["critical_path"]["messages"].as_u64() == Some(1));
    let text = folder.output(&run);
    assert!(text.contains("Model: network packet") && text.contains("packet-routing static:dimension_order"), "{text}");
    assert!(text.contains("2 packets, 6 through switches"), "{text}");
}

#[test]
fn models_are_a_setting_of_studies() {
    let folder = study("models = ['ideal', 'packet', 'packet:routing=amin']");
    let result = folder.json(&["compare", "s.toml"]);
    let cells = result["cells"].as_array().expect("a list");
    // Four networks with flows, three with each kind of packets.
    assert_eq!(cells.len(), 2 * (4 + 3 + 3));
    let of = |model: &str, network: &str| -> Vec<&Value> {
        cells.iter().filter(|cell| cell["model"] == model && cell["topology"] == network).collect()
    };
    assert_eq!(of("packet", "shared").len(), 0);
    for model in ["ideal", "packet", "packet:routing=amin"] {
        assert!(of(model, "mesh").iter().all(|cell| number(cell, "relative") == 1.0), "the baseline of each setting");
    }
    let checks = result["cross_check"].as_array().expect("a list");
    assert_eq!(checks.len(), 2);
    assert_eq!(checks[0]["models"], serde_json::json!(["ideal", "packet"]));
    assert_eq!(checks[0]["not_modelled"], serde_json::json!(["shared"]));
    for cell in checks[0]["cells"].as_array().expect("a list") {
        let times = cell["simulated_seconds"].as_array().expect("two times");
        let [flows, packets] = [0, 1].map(|at| times[at].as_f64().expect("seconds"));
        assert!(flows > 0.0 && (packets / flows - number(cell, "ratio")).abs() < 1e-12);
        let own = of("packet", cell["topology"].as_str().expect("a name"));
        assert!(own.iter().any(|own| number(own, "simulated_seconds") == packets), "{cell}");
        assert!(!cell["awaited_sizes"].as_array().expect("a list").is_empty());
    }
    let text = folder.output(&["compare", "s.toml"]);
    assert!(text.contains("not modelled") && text.contains("Not modelled by packets: shared."), "{text}");
    assert!(text.contains("The ranking of the networks"), "{text}");
    assert_80_columns(&text);
}

#[test]
fn a_cross_check_adds_packets_to_the_models() {
    let folder = study("[model]\nnetwork_model = 'smpi'\nbandwidth_factor = '0.97'");
    let result = folder.json(&["compare", "s.toml", "--cross-check"]);
    let check = &result["cross_check"][0];
    assert_eq!(check["models"], serde_json::json!(["smpi", "packet"]));
    assert!(check["verdict"].as_str().is_some_and(|text| text.starts_with("The ranking of the networks")), "{check}");
    let asked_for = study("[check]\npackets = true\n[model]\nnetwork_model = 'smpi'\nbandwidth_factor = '0.97'");
    assert_eq!(asked_for.json(&["compare", "s.toml"])["cross_check"][0]["cells"], check["cells"]);
    let said = folder.run(&["compare", "s.toml", "--cross-check"]).success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("6 replays with packets: about") && said.contains("packet hops"), "{said}");
    folder.run(&["compare", "s.toml", "--cross-check", "--html", "r.html"]).success();
    let html = folder.read("r.html");
    assert!(html.contains("Packets (packet) against flows (smpi)") && html.contains("not modelled"));
    // Rows are sorted and filtered one by one, so each one names its workload.
    assert!(html.contains("<th scope=\"row\" class=\"again\">") && !html.contains("<th scope=\"row\"></th>"));
}

#[test]
fn threads_shards_and_resumption_change_no_byte_of_packets() {
    let folder = study("models = ['smpi', 'packet:routing=escape']\nmappings = ['block', 'random']\nseed = 3");
    for format in FORMATS {
        let with = |arguments: &[&str]| folder.output(&[arguments, &["--format", format]].concat());
        let whole = with(&["compare", "s.toml", "--threads", "1"]);
        // Its escape is for cables in both directions.
        assert!(format != "json" || whole.contains("one-way [packet:routing=escape]: not modelled"), "{whole}");
        assert_eq!(with(&["compare", "s.toml", "--threads", "2"]), whole, "{format}");
        let mut files = Vec::new();
        for k in 1..=3 {
            let (shard, file) = (format!("{k}/3"), format!("{format}-{k}.jsonl"));
            folder.run(&["compare", "s.toml", "--shard", &shard, "--results", &file]).success();
            files.push(file);
        }
        // One of them lost all but its first cells.
        let text = folder.read(&files[1]);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        folder.write(&files[1], lines[..3].concat());
        folder.run(&["compare", "s.toml", "--shard", "2/3", "--results", &files[1], "--resume"]).success();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!(with(&[&["merge", "s.toml"], &files[..]].concat()), whole, "{format}");
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let folder = Folder::with_trace(MESSAGE);
    let refuse = |more: &[&str], parts: &[&str]| {
        folder.refuse(&[&["replay", "t.ti", "--topology", "ring:4"], more].concat(), 2, parts);
    };
    refuse(&["--model", "packet", "--duplex", "shared"], &["duplex = `shared`", "help: set duplex"]);
    refuse(&["--model", "packet:mtu=0"], &["packet mtu: `0`"]);
    refuse(&["--model", "packet:mtu=64,header=100"], &["packet header: `100`"]);
    refuse(&["--model", "packet:vcs=1,routing=amin"], &["needs 2 virtual channels, but has 1", "help:"]);
    refuse(&["--model", "packet:routing=hyperx-ugal"], &["hyperx-ugal", "ring"]);
    refuse(
        &["--model", "packet", "--crosstraffic", "on"],
        &["crosstraffic: `on` is not possible with the model packet"],
    );
    refuse(&["--model", "packet", "--sharing", "simgrid-full"], &["sharing: `simgrid-full` is not possible"]);
    refuse(&["--model", "packets"], &["did you mean `packet`?"]);
    folder.write("f.toml", "network_model = 'packet'\nlatency_factor = '2'\n");
    refuse(&["--model", "f.toml"], &["f.toml:2:", "latency-factor: `2` is not possible with the model packet"]);
    let cluster = "<platform version='4.1'><cluster id='c' prefix='h' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us'/>\
                   </platform>";
    folder.write("p.xml", cluster);
    folder.refuse(
        &["replay", "t.ti", "--platform", "p.xml", "--model", "packet"],
        2,
        &["packets do not model platforms that list their links", "help: describe the network by a topology"],
    );
    // 2 GB at a byte a second are 63 years, more picoseconds than there are.
    let long = Folder::with_trace("0 send 1 0 2000000000 6\n1 recv 0 0 2000000000 6\n");
    let run = ["replay", "t.ti", "--topology", "ring:4", "--model", "packet", "--link-bandwidth", "1 B/s"];
    long.refuse(&run, 1, &["infinitely far ahead"]);
    let twice = study("models = ['packet', 'smpi', 'packet']");
    twice.refuse(&["compare", "s.toml"], 2, &["`packet` is in models twice"]);
}

#[test]
fn a_network_of_its_own_model_and_several_jobs_run_on_packets() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("n.toml", "topology = 'ring:4'\n[model]\nnetwork_model = 'packet'\npacket = { routing = 'amin' }\n");
    let result = folder.json(&["replay", "t.ti", "--platform", "n.toml"]);
    assert_eq!(result["model"]["parameters"]["packet-routing"], "amin");
    let result =
        folder.json(&["replay", "--job", "t.ti", "--job", "t.ti", "--topology", "ring:4", "--model", "packet"]);
    assert_eq!(result["packets"]["packets"], 2);
    assert_eq!(result["jobs"].as_array().map(Vec::len), Some(2));
}

#[test]
fn jobs_whose_packets_wait_behind_those_of_others_are_named() {
    let folder = Folder::new();
    // Hosts 0 and 1 are on switch 0, 2 and 3 on switch 1, and so on along a line. A and C flood host 7, B sends to host 6.
    let flood =
        |bytes: u64| format!("0 init\n1 init\n0 send 1 0 {bytes} 6\n1 recv 0 0 {bytes} 6\n0 finalize\n1 finalize\n");
    folder.write("a.ti", flood(4_000_000));
    folder.write("b.ti", flood(400_000));
    folder.write(
        "s.toml",
        "title = 'Jobs'
         share_hosts = true
         [model]
         network_model = 'packet'
         packet = { buffer = 2, vcs = 4 }
         [[networks]]
         topology = 'mesh:4'
         parameters = { hosts_per_switch = 2, host_link_bandwidth = '25 Gbit/s' }
         [[jobs]]
         name = 'A'
         trace = 'a.ti'
         hosts = [0, 7]
         [[jobs]]
         name = 'C'
         trace = 'a.ti'
         hosts = [2, 7]
         [[jobs]]
         name = 'B'
         trace = 'b.ti'
         hosts = [1, 6]
        ",
    );
    let result = folder.json(&["compare", "s.toml"]);
    let jobs = result["cells"][0]["jobs"].as_array().expect("jobs").clone();
    let behind = |job: &str, other: &str| -> f64 {
        let own = jobs.iter().find(|own| own["job"] == job).expect("a job");
        let list = own["waited_behind"].as_array().cloned().unwrap_or_default();
        list.iter().filter(|entry| entry["job"] == other).map(|entry| number(entry, "seconds")).sum()
    };
    // The link of host 7 takes half of what A and C send, and B's packets queue in the same channels.
    assert!(behind("B", "A") + behind("B", "C") > 0.0, "{jobs:?}");
    assert_eq!(behind("A", "C") + behind("C", "A") + behind("A", "A") + behind("C", "C"), 0.0, "same link: {jobs:?}");
    let text = folder.output(&["compare", "s.toml"]);
    assert!(text.contains("Time of packets of the job of a line behind those of a job"), "{text}");
    assert_80_columns(&text);
    // With flows there are no packets that could wait.
    let flows = folder.read("s.toml").replace("'packet'", "'ideal'").replace("packet = {", "#");
    folder.write("f.toml", flows);
    let flows = folder.json(&["compare", "f.toml"]);
    assert!(flows["cells"][0]["jobs"][0].get("waited_behind").is_none());
}

#[test]
fn packets_can_be_checked_on_some_iterations() {
    let folder = study("[model]\npacket = { mtu = 1024 }\n[check]\npackets = true\niterations = 2");
    let result = folder.json(&["compare", "s.toml"]);
    // The study itself is as without the check.
    assert_eq!(result["cells"].as_array().map(Vec::len), Some(2 * 4));
    let check = &result["cross_check"][0];
    assert_eq!(check["models"], serde_json::json!(["ordered", "packet"]));
    assert_eq!((check["iterations"].as_u64(), &check["not_modelled"]), (Some(2), &serde_json::json!(["shared"])));
    // IS.S does not repeat its calls often enough for iterations to be found.
    assert_eq!(check["of_iterations"], serde_json::json!([null, 4]));
    // A study of the cut traces has the same times.
    folder.run(&["trace", "cut", "lu.S.4.it5.ti.zst", "--iterations", "1-2", "-o", "cut.ti"]).success();
    let whole = folder.read("s.toml").replace("iterations = 2", "").replace("lu.S.4.it5.ti.zst", "cut.ti");
    folder.write("c.toml", whole);
    let own = folder.json(&["compare", "c.toml"])["cross_check"][0].clone();
    let times = |check: &Value| -> Vec<Value> {
        let cells = check["cells"].as_array().expect("cells");
        cells.iter().map(|cell| cell["simulated_seconds"].clone()).collect()
    };
    assert_eq!(times(check), times(&own));
    assert!(check["cells"][3]["relative_of_whole_run"].as_f64().is_some_and(|relative| relative > 0.0));
    let text = folder.output(&["compare", "s.toml"]);
    assert!(text.contains("first 2 iterations") && text.contains("How well they represent whole runs"), "{text}");
    assert_80_columns(&text);
    // Threads, shards and resumption change nothing.
    let files = ["1/2", "2/2"].map(|shard| {
        let file = format!("{}.jsonl", &shard[..1]);
        folder.run(&["compare", "s.toml", "--shard", shard, "--results", &file]).success();
        file
    });
    assert_eq!(folder.output(&["merge", "s.toml", &files[0], &files[1]]), text);
    // The flag alone does the same.
    let plain = study("[model]\npacket = { mtu = 1024 }");
    let by_flag = plain.json(&["compare", "s.toml", "--check-iterations", "2"]);
    assert_eq!(by_flag["cross_check"], result["cross_check"]);
    // Without packets there is no check, whatever else is set.
    let none = study("[check]\npackets = false\niterations = 2").json(&["compare", "s.toml"]);
    assert!(none["cross_check"].as_array().is_none_or(Vec::is_empty), "{}", none["cross_check"]);
    for (head, wrong) in [
        ("[check]\npackets = true\niterations = 0", "iterations is 0"),
        ("models = ['smpi', 'packet']\n[check]\npackets = true\niterations = 2", "leave packets out of the models"),
        ("[model]\nnetwork_model = 'loggops'\n[check]\npackets = true\niterations = 2", "loggops has no links"),
    ] {
        study(head).refuse(&["compare", "s.toml"], 2, &["s.toml:", wrong]);
    }
}

#[test]
fn a_model_with_packets_that_cannot_be_leaves_the_others() {
    let folder = study("models = ['smpi', 'packet']\n[model]\nbandwidth_factor = '0.97'");
    let result = folder.json(&["compare", "s.toml"]);
    assert_eq!(result["cells"].as_array().map(Vec::len), Some(2 * 4));
    let notes = result["notes"].to_string();
    assert!(notes.contains("packet: not modelled: bandwidth-factor: `0.97` is not possible"), "{notes}");
    // A network that has factors of its own is left out alone.
    let folder = study("models = ['smpi', 'packet']");
    let own = folder.read("s.toml").replace("name = 'ring'", "name = 'ring'\nmodel = { latency_factor = '2' }");
    folder.write("s.toml", own);
    let result = folder.json(&["compare", "s.toml"]);
    assert_eq!(result["cells"].as_array().map(Vec::len), Some(2 * (4 + 2)));
    assert_eq!(result["cross_check"][0]["not_modelled"], serde_json::json!(["shared", "ring"]));
}

#[test]
fn networks_that_packets_do_not_model_are_left_out_of_a_study() {
    let folder = study("[model]\nnetwork_model = 'packet'");
    let result = folder.json(&["compare", "s.toml"]);
    assert_eq!(result["cells"].as_array().map(Vec::len), Some(2 * 3));
    let notes = result["notes"].to_string();
    assert!(notes.contains("shared [packet]: not modelled: packets do not model cables"), "{notes}");
    // Packets alone have flows to be compared with.
    let result = folder.json(&["compare", "s.toml", "--cross-check"]);
    assert_eq!(result["cross_check"][0]["models"], serde_json::json!(["ordered", "packet"]));
    let text = folder.read("s.toml").replace("baseline = 'mesh'", "baseline = 'shared'");
    folder.write("s.toml", text);
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:2:", "the baseline is not modelled", "duplex = `shared`"]);
}

#[test]
fn a_file_with_packets_among_the_models_keeps_its_constants() {
    let folder = study("models = ['ordered', 'packet:vcs=7,mtu=512', 'own.toml']");
    folder.write("own.toml", "network_model = \"packet\"\npacket = { vcs = 7, mtu = 512 }\n");
    let result = folder.json(&["compare", "s.toml"]);
    let times = |model: &str| -> Vec<f64> {
        let cells = result["cells"].as_array().expect("a list").iter();
        cells.filter(|cell| cell["model"] == model).map(|cell| number(cell, "simulated_seconds")).collect()
    };
    assert_eq!(times("own.toml"), times("packet:vcs=7,mtu=512"));
    assert_eq!(times("own.toml").len(), 2 * 3);
    let plain = study("models = ['ordered', 'packet']").json(&["compare", "s.toml"]);
    assert_ne!(times("own.toml")[0], number(&plain["cells"][8], "simulated_seconds"), "{}", plain["cells"][8]);
    let checks = result["cross_check"].as_array().expect("a list");
    assert_eq!(checks[1]["models"], serde_json::json!(["ordered", "own.toml"]));
    // It is the model with packets that a check asks for.
    let checked = study("models = ['ordered', 'own.toml']");
    checked.write("own.toml", folder.read("own.toml"));
    let checked = checked.json(&["compare", "s.toml", "--cross-check"]);
    assert_eq!(checked["cross_check"].as_array().map(Vec::len), Some(1));
}

#[test]
fn networks_that_some_settings_lack_are_left_out_of_their_comparison() {
    let folder = study("models = ['ordered', 'packet']\nroutings = ['bfs', 'default']");
    let text = folder.output(&["compare", "s.toml"]);
    assert!(text.contains("Across settings") && text.contains("Not shown: shared, which"), "{text}");
    let result = folder.json(&["compare", "s.toml"]);
    // Three networks in two models under two rules.
    assert_eq!(result["across_settings"]["settings"].as_array().map(Vec::len), Some(3 * 2 * 2));
    let effects = result["routings"].as_array().expect("a list");
    assert_eq!(effects.iter().map(|effect| &effect["model"]).collect::<Vec<_>>(), ["ordered", "packet"]);
    // A rule that packets do not follow leaves the network out under that rule only.
    let own = folder.read("s.toml").replace("name = 'ring'", "name = 'ring'\nrouting = 'valiant_split'");
    folder.write("s.toml", own);
    let result = folder.json(&["compare", "s.toml"]);
    let networks = |effect: usize| -> Vec<&str> {
        let of = result["routings"][effect]["networks"].as_array().expect("a list");
        of.iter().map(|network| network["network"].as_str().expect("a name")).collect()
    };
    assert_eq!([networks(0), networks(1)], [vec!["shared", "mesh", "one-way", "ring"], vec!["mesh", "one-way"]]);
    assert!(folder.output(&["compare", "s.toml"]).contains("Not shown: ring, which"));
}

#[test]
fn an_envelope_is_refused_beside_packets() {
    let folder = study("[model]\nnetwork_model = 'packet'\nenvelope = 1000000");
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:", "envelope: `1000000` is not possible with the model packet"]);
}

#[test]
fn packets_follow_the_routes_of_flows() {
    let folder = study("");
    let hops = |routing: &str, model: &str| {
        let network = ["--topology", "random:n=64,d=4,seed=3", "--cable-delay", "100 ns", "--link-latency", "0 s"];
        let run = ["replay", "is.S.16.ti.zst", "--routing", routing, "--model", model];
        number(&folder.json(&[&run[..], &network].concat()), "average_hops")
    };
    for routing in ["lowest-latency", "nearest", "bfs"] {
        assert_eq!(hops(routing, "packet"), hops(routing, "ordered"), "{routing}");
    }
    assert!(hops("lowest-latency", "packet") > hops("nearest", "packet") * 1.02);
}
