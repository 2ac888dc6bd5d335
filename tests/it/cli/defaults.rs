//! Defaults and their versions: values that a run assumes and reports, and how an old version is repeated.

use crate::support::cli::{Folder, MESSAGE, number};
use serde_json::Value;

const RING: [&str; 4] = ["replay", "t.ti", "--topology", "ring:4"];
const STUDY: &str = "title = 'x'\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 't.ti'\n";

/// Values of version 0.1, each by its name.
const NAMED: [&str; 18] = [
    "--link-bandwidth",
    "40 Gbit/s",
    "--link-latency",
    "100 ns",
    "--switch-delay",
    "0",
    "--cable-delay",
    "0",
    "--host-link-bandwidth",
    "none",
    "--routing",
    "bfs",
    "--smp-setup",
    "off",
    "--host-speed",
    "100 Gflop/s",
    "--model",
    "smpi",
];

fn seconds(folder: &Folder, flags: &[&str]) -> f64 {
    number(&folder.json(flags), "simulated_seconds")
}

/// A host sends to four neighbours simultaneously: its own link carries everything.
#[test]
fn a_host_sends_no_faster_than_its_link() {
    let sends: String = [1, 3, 4, 12].iter().map(|to| format!("0 isend {to} 7 10000000 6\n")).collect();
    let receives: String = [1, 3, 4, 12].iter().map(|rank| format!("{rank} recv 0 7 10000000 6\n")).collect();
    let ranks: String = (0..16).map(|rank| format!("{rank} init\n")).collect();
    let folder = Folder::with_trace(&format!("{ranks}{sends}0 waitall 4\n{receives}"));
    let torus = ["replay", "t.ti", "--topology", "torus:4x4", "--network-model", "ideal"];
    let limited = seconds(&folder, &torus);
    assert!((limited / (40e6 / 12.5e9) - 1.0).abs() < 1e-3, "{limited}");
    let free = seconds(&folder, &[&torus[..], &["--host-link-bandwidth", "none"]].concat());
    assert!((free / (10e6 / 12.5e9) - 1.0).abs() < 1e-3, "{free}");
}

/// Two hosts of a switch use their links and the switch, two ranks of a host its loopback.
#[test]
fn neighbours_use_their_switch_and_ranks_of_a_host_its_loopback() {
    let folder = Folder::with_trace("0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n");
    let ring = ["replay", "t.ti", "--topology", "ring:3", "--hosts-per-switch", "2", "--network-model", "ideal"];
    let close = |flags: &[&str], expected: f64| {
        let found = seconds(&folder, &[&ring[..], flags].concat());
        assert!((found / expected - 1.0).abs() < 1e-9, "{flags:?}: {found} instead of {expected}");
    };
    close(&[], 1e6 / 12.5e9 + 100e-9);
    close(&["--host-link-bandwidth", "none"], 1e6 / 10e9);
    close(&["--mapping", "block", "--cores", "2"], 1e6 / 10e9);
    // Cables within a cabinet are 2 m long: from one switch to the next 2 x 100 ns and 10 ns.
    close(&["--mapping", "random", "--seed", "3", "--link-bandwidth", "10 GB/s"], 1e6 / 10e9 + 210e-9);
}

#[test]
fn unknown_versions_are_refused_and_the_known_ones_listed() {
    let folder = Folder::with_trace(MESSAGE);
    let parts = ["there are no defaults `0.3`", "0.1, 0.2"];
    for verb in [&RING[..], &["topology", "ring:4"], &["throughput", "ring:4"], &["packets", "ring:4"]] {
        folder.refuse(&[verb, &["--defaults", "0.3"]].concat(), 2, &["--defaults `0.3`", parts[0], parts[1]]);
    }
    folder.write("s.toml", format!("defaults = '0.3'\n{STUDY}"));
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:1:12", parts[0], parts[1]]);
    folder.write("p.toml", "topology = 'ring:4'\ndefaults = '0.3'\n");
    folder.refuse(&["replay", "t.ti", "--platform", "p.toml"], 2, &["p.toml:2:12", parts[0], parts[1]]);
    folder.write("t.toml", "defaults = '0.3'\n[[networks]]\ntopology = 'ring:4'\n");
    folder.refuse(&["throughput", "t.toml"], 2, &["t.toml:1:12", parts[0], parts[1]]);
}

/// A flag, a study and a platform file pin a version, in this order of precedence; all have the effect of the named
/// values.
#[test]
fn an_old_version_gives_what_its_values_give() {
    let folder = Folder::with_trace("0 allreduce 1000 0 6 6\n1 allreduce 1000 0 6 6\n2 allreduce 1000 0 6 6\n");
    let torus = ["replay", "t.ti", "--topology", "torus:2x2"];
    let named = folder.json(&[&torus[..], &NAMED].concat());
    let old = folder.json(&[&torus[..], &["--defaults", "0.1"]].concat());
    assert_eq!(old["simulated_seconds"], named["simulated_seconds"]);
    assert_eq!((&old["parameters"]["defaults"], &named["parameters"]["defaults"]), (&"0.1".into(), &"0.2".into()));
    assert_eq!(old["model"], named["model"]);
    let current = folder.json(&torus);
    assert_ne!(current["simulated_seconds"], old["simulated_seconds"]);
    assert_eq!(
        (&current["model"]["network_model"], &old["model"]["network_model"]),
        (&"ordered".into(), &"smpi".into())
    );
    folder.write("p.toml", "topology = 'torus:2x2'\ndefaults = '0.1'\n");
    assert_eq!(folder.json(&["replay", "t.ti", "--platform", "p.toml"]), old);
    assert_eq!(folder.json(&["replay", "t.ti", "--platform", "p.toml", "--defaults", "0.2"]), current);
    let study = |head: &str, flags: &[&str]| {
        folder.write("s.toml", format!("{head}{}", STUDY.replace("ring:4", "torus:2x2")));
        let json = folder.json(&[&["compare", "s.toml"], flags].concat());
        (json["cells"][0]["simulated_seconds"].clone(), json["model"]["network_model"].clone())
    };
    let (old, new) = (old["simulated_seconds"].clone(), current["simulated_seconds"].clone());
    assert_eq!(study("defaults = '0.1'\n", &[]), (old.clone(), "smpi".into()));
    assert_eq!(study("", &["--defaults", "0.1"]), (old, "smpi".into()));
    assert_eq!(study("defaults = '0.1'\n", &["--defaults", "0.2"]), (new.clone(), "ordered".into()));
    assert_eq!(study("", &[]), (new, "ordered".into()));
}

/// Results of old defaults are neither continued under new ones nor merged; values matter, not where they are set.
#[test]
fn results_of_different_defaults_do_not_mix() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    fn run<'a>(flags: &[&'a str]) -> Vec<&'a str> {
        [&["compare", "s.toml", "--results", "r.jsonl"], flags].concat()
    }
    folder.output(&run(&["--defaults", "0.1"]));
    folder.refuse(&run(&["--resume"]), 2, &["r.jsonl", "its networks"]);
    folder.refuse(&["merge", "s.toml", "r.jsonl"], 2, &["r.jsonl", "its networks"]);
    // Only the set-up differs: nothing of the networks does.
    let all_but_setup = [&NAMED[..12], &["--model", "smpi", "--smp-setup", "on"]].concat();
    folder.refuse(&run(&[&["--resume"], &all_but_setup[..]].concat()), 2, &["r.jsonl", "its model"]);
    let resumed = folder.output(&run(&[&["--resume"], &NAMED[..]].concat()));
    let pinned = folder.output(&["merge", "s.toml", "r.jsonl", "--defaults", "0.1"]);
    let version = |text: &str| text.replace("defaults 0.1", "defaults 0.2");
    assert_eq!(version(&resumed), version(&pinned));
}

#[test]
fn only_what_reproduces_simgrid_has_the_set_up_of_shared_hosts() {
    let folder = Folder::with_trace(MESSAGE);
    let setup = |flags: &[&str]| folder.json(&[&RING[..], flags].concat())["model"]["smp_setup"].clone();
    for flags in [&[][..], &["--model", "ideal"], &["--model", "tcp"], &["--model", "packet"], &["--defaults", "0.1"]] {
        assert_eq!(setup(flags), false, "{flags:?}");
    }
    for flags in [["--compat", "simgrid"], ["--sharing", "simgrid-full"], ["--model", "SMPI"], ["--model", "lv08"]] {
        assert_eq!(setup(&flags), true, "{flags:?}");
        assert_eq!(setup(&[&flags[..], &["--smp-setup", "off"]].concat()), false, "{flags:?}");
    }
    assert_eq!(setup(&["--model", "cm02"]), true);
    assert_eq!(setup(&["--smp-setup", "on"]), true);
    // SimGrid's sharing brings the set-up with any model.
    assert_eq!(setup(&["--model", "ideal", "--sharing", "simgrid-lazy"]), true);
}

/// The only replay of the study is in the first shard, so nothing runs here.
#[test]
fn a_set_up_of_many_ranks_is_announced() {
    let folder = Folder::new();
    let study = |model: &str, call: &str| {
        let trace: String = (0..1000).map(|rank| format!("{rank} {call}\n")).collect();
        folder.write("t.ti", trace);
        let networks = "title = 'x'\n[[networks]]\ntopology = 'ring:4'\nparameters = { hosts_per_switch = 250 }\n";
        folder
            .write("s.toml", format!("{networks}[[workloads]]\ntrace = 't.ti'\n[model]\nnetwork_model = '{model}'\n"));
        let run = ["compare", "s.toml", "--shard", "2/2", "--results", "r.jsonl"];
        let said = folder.run(&run).success();
        std::fs::remove_file(folder.path("r.jsonl")).unwrap();
        String::from_utf8(said.get_output().stderr.clone()).unwrap()
    };
    let warning = "the first collective of all 1000 ranks sends 2 million messages";
    let said = study("smpi", "bcast 8 0 6");
    assert!(said.contains(warning) && said.contains("--smp-setup off"), "{said}");
    for (model, call) in [("ordered", "bcast 8 0 6"), ("smpi", "compute 1")] {
        let said = study(model, call);
        assert!(!said.contains(warning), "{said}");
    }
}

#[test]
fn every_format_states_all_parameters_and_the_version() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", STUDY);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "");
    for verb in [&RING[..], &["compare", "s.toml"]] {
        for format in ["text", "markdown"] {
            let shown = |flags: &[&str]| flat(folder.output(&[verb, &["--format", format], flags].concat()));
            let platform = "Platform: links 100 Gbit/s, 0 s; switches 100 ns; cables 5 ns per metre (floor plan grid); \
                            host links 100 Gbit/s, 0 s; within a host 80 Gbit/s, 0 s; 1 core per host, 100 Gflop/s per \
                            core; defaults 0.2.";
            assert!(shown(&[]).contains(platform), "{}", shown(&[]));
            let none = shown(&["--host-link-bandwidth", "none"]);
            assert!(none.contains("host links none (hosts on one switch communicate as within a host);"), "{none}");
        }
        let csv = folder.output(&[verb, &["--format", "csv", "--host-link-bandwidth", "none"]].concat());
        let (heading, line) = csv.split_once('\n').expect("two lines");
        let field = |name: &str| {
            let at = heading.split(',').position(|heading| heading == name);
            line.trim().split(',').nth(at.unwrap_or_else(|| panic!("no {name} in {heading}"))).expect("a field")
        };
        assert_eq!(
            (field("host_link_bandwidth"), field("host_link_latency"), field("defaults")),
            ("none", "none", "0.2")
        );
        assert_eq!((field("switch_delay"), field("cable_delay")), ("0.0000001", "0.000000005"));
    }
    let json = folder.json(&[&RING[..], &["--host-link-bandwidth", "none"]].concat());
    let compared = folder.json(&["compare", "s.toml", "--host-link-bandwidth", "none"]);
    for parameters in [&json["parameters"], &compared["topologies"][0]["parameters"]] {
        assert_eq!((&parameters["host_link_bandwidth"], &parameters["defaults"]), (&Value::Null, &"0.2".into()));
        assert!(parameters.as_object().expect("an object").contains_key("host_link_bandwidth"));
        assert_eq!((number(parameters, "link_latency"), number(parameters, "cable_delay")), (0.0, 5e-9));
    }
    folder.output(&["compare", "s.toml", "--host-link-bandwidth", "none", "--html", "r.html"]);
    let html = folder.read("r.html");
    assert!(html.contains("<dt>host links</dt><dd>none (hosts on one switch"), "host links");
    assert!(html.contains("<dt>version of the defaults</dt><dd>0.2</dd>"), "version");
    // Hosts that are vertices have cables.
    let clos = folder.output(&["replay", "t.ti", "--topology", "clos:m=2,n=2,r=2"]);
    assert!(flat(clos).contains("host links none (hosts have cables of their own);"));
}

/// Verbs that replay nothing assume the same speeds, and report them.
#[test]
fn all_verbs_assume_the_same() {
    let folder = Folder::new();
    let of = |verb: &[&str], defaults: &str| folder.json(&[verb, &["--defaults", defaults]].concat());
    for (version, bandwidth, switch, cycle) in [("0.2", 12.5e9, 100.0, 2.56), ("0.1", 12e9, 60.0, 8.0 / 3.0)] {
        let floor = of(&["topology", "ring:4"], version)["floor"].clone();
        assert_eq!((number(&floor, "switch_delay_ns"), number(&floor, "cable_delay_ns_per_metre")), (switch, 5.0));
        assert_eq!(floor["defaults"], version);
        let model = of(&["throughput", "ring:4"], version)["model"].clone();
        assert_eq!(number(&model, "link_bytes_per_second"), bandwidth);
        assert_eq!(number(&model, "host_link_bytes_per_second"), bandwidth);
        assert!((number(&model, "switch_delay_seconds") * 1e9 - switch).abs() < 1e-9);
        assert_eq!(model["defaults"], version);
        let packets = of(&["packets", "ring:4", "--load", "0.1", "--measure", "100", "--no-saturation"], version);
        assert!((number(&packets, "cycle_ns") - cycle).abs() < 1e-9, "{packets}");
        assert_eq!(packets["defaults"], version);
        let run = ["packets", "ring:4", "--load", "0.1", "--measure", "100", "--no-saturation", "--defaults", version];
        let text = folder.output(&run).replace("\n      ", " ");
        assert!(text.contains(&format!("A cycle takes {cycle:.3} ns; defaults {version}.")), "{text}");
    }
    let old = folder.output(&["topology", "torus:4x4", "--route", "0", "10", "--defaults", "0.1"]);
    assert!(old.contains("Route in A by bfs"), "{old}");
    // A preset is that of a paper, whatever the version.
    let preset = ["packets", "ring:4", "--load", "0.1", "--measure", "100", "--no-saturation", "--preset", "dsnf"];
    assert!((number(&folder.json(&preset), "cycle_ns") - 8.0 / 3.0).abs() < 1e-9);
}
