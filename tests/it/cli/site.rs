//! Defaults of a site: the config file, the environment, and the reports that name them.

use crate::support::cli::{Folder, number};
use assert_cmd::Command;
use predicates::str::contains;
use serde_json::Value;

/// Two ranks, one message of a megabyte.
const MEGABYTE: &str = "0 init\n1 init\n0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n0 finalize\n1 finalize\n";

const STUDY: &str = "title = 'T'\n[[networks]]\ntopology = 'ring:4'\n[[networks]]\ntopology = 'torus:2x2'\n\
                     [[workloads]]\ntrace = 't.ti'\n";

const REPLAY: [&str; 4] = ["replay", "t.ti", "--topology", "ring:4"];

/// A folder with a trace and this config file.
fn site(config: &str) -> Folder {
    let folder = Folder::with_trace(MEGABYTE);
    folder.write("site/config.toml", config);
    folder
}

fn command(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = folder.command(arguments);
    command.env("MOPSIM_CONFIG", folder.path("site/config.toml")).envs(variables.iter().copied());
    command
}

fn output(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let run = command(folder, arguments, variables).assert().success();
    String::from_utf8(run.get_output().stdout.clone()).expect("text")
}

fn json(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
    let text = output(folder, &[arguments, &["--format", "json"]].concat(), variables);
    serde_json::from_str(&text).expect("one JSON document")
}

/// The defaults that a report names, as `key value`, and whether the source is the file.
fn named(report: &Value) -> Vec<(String, bool)> {
    let list = report["site_defaults"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |entry: &Value, member: &str| entry[member].as_str().expect("a text").to_owned();
    list.iter()
        .map(|entry| {
            let source = text(entry, "source");
            (format!("{} {}", text(entry, "key"), text(entry, "value")), source.ends_with("config.toml"))
        })
        .collect()
}

#[test]
fn flags_files_variables_and_the_config_rank_in_that_order() {
    let folder = site("link_bandwidth = '50 Gbit/s'\nswitch_delay = '300 ns'\n");
    folder.write("p.toml", "topology = 'ring:4'\nparameters = { link_bandwidth = '20 Gbit/s' }\n");
    let bandwidth = |arguments: &[&str], variables: &[(&str, &str)]| {
        let report = json(&folder, arguments, variables);
        assert_eq!(number(&report["parameters"], "switch_delay"), 300e-9);
        (number(&report["parameters"], "link_bandwidth") * 8.0 / 1e9, named(&report))
    };
    let delay = ("switch_delay 300 ns".to_owned(), true);
    let variable = [("MOPSIM_LINK_BANDWIDTH", "40 Gbit/s")];
    let (value, defaults) = bandwidth(&REPLAY, &[]);
    assert_eq!((value, defaults), (50.0, vec![("link_bandwidth 50 Gbit/s".to_owned(), true), delay.clone()]));
    let (value, defaults) = bandwidth(&REPLAY, &variable);
    assert_eq!((value, defaults), (40.0, vec![("link_bandwidth 40 Gbit/s".to_owned(), false), delay.clone()]));
    let platform = ["replay", "t.ti", "--platform", "p.toml"];
    assert_eq!(bandwidth(&platform, &variable), (20.0, vec![delay.clone()]));
    let flag = [&platform[..], &["--link-bandwidth", "10 Gbit/s"]].concat();
    assert_eq!(bandwidth(&flag, &variable), (10.0, vec![delay]));
    // Without the site, everything is as it is elsewhere.
    let alone = folder.output(&REPLAY);
    assert_eq!(output(&folder, &[&REPLAY[..], &["--no-config"]].concat(), &variable), alone);
    assert_eq!(output(&folder, &REPLAY, &[("MOPSIM_CONFIG", ""), ("MOPSIM_THREADS", "1")]), alone);
}

#[test]
fn every_format_names_what_it_took() {
    let folder = site("link_bandwidth = '50 Gbit/s'\nprices = 'list.toml'\n");
    folder.write("site/list.toml", include_str!("../../../data/prices/example.toml"));
    folder.write("s.toml", format!("{STUDY}[budget]\ndollars = 1000000\n"));
    let files = ["--html", "r.html", "--csv", "r.csv", "--json", "r.json", "--force"];
    for verb in [&REPLAY[..], &["compare", "s.toml"], &["topology", "ring:4"], &["throughput", "ring:4"], &["model"]] {
        let key = if verb[0] == "topology" { "prices" } else { "link_bandwidth" };
        let mut seen: Vec<(String, String)> = ["text", "markdown", "csv", "json"]
            .into_iter()
            .map(|format| (format.to_owned(), output(&folder, &[verb, &["--format", format]].concat(), &[])))
            .collect();
        if ["compare", "throughput"].contains(&verb[0]) {
            output(&folder, &[verb, &files].concat(), &[]);
            seen.extend(["r.html", "r.csv", "r.json"].map(|name| (name.to_owned(), folder.read(name))));
        }
        for (format, report) in seen {
            assert!(report.contains(key) && report.contains("config.toml"), "{verb:?} {format}: {report}");
        }
        let rows = output(&folder, &[verb, &["--format", "csv"]].concat(), &[]);
        assert!(rows.lines().next().expect("a heading").ends_with(",site_defaults"), "{rows}");
    }
    // The price list of the study comes before that of the site.
    let keys = |study: &str| named(&json(&folder, &["compare", study], &[])).into_iter().map(|(key, _)| key);
    assert!(keys("s.toml").any(|key| key == "prices list.toml"));
    folder.write("own.toml", format!("{STUDY}[budget]\nprices = 'site/list.toml'\n"));
    assert_eq!(keys("own.toml").collect::<Vec<_>>(), ["link_bandwidth 50 Gbit/s"]);
    // Nothing is bought where nobody asks for prices.
    folder.write("plain.toml", STUDY);
    assert_eq!(keys("plain.toml").collect::<Vec<_>>(), ["link_bandwidth 50 Gbit/s"]);
}

#[test]
fn a_model_of_the_site_is_taken_as_a_whole() {
    let folder = site("model = 'fabric.toml'\ncollectives = 'ompi'\n");
    folder.write("site/fabric.toml", "bandwidth_factor = '0.5'\n");
    folder.write("s.toml", STUDY);
    let report = json(&folder, &REPLAY, &[]);
    assert_eq!(report["model"]["parameters"]["bandwidth-factor"], "0.5");
    assert_eq!(report["model"]["collectives"], "ompi");
    let keys: Vec<String> = named(&report).into_iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["model fabric.toml", "collectives ompi"]);
    // Constants of the site belong to its model only.
    let report = json(&folder, &[&REPLAY[..], &["--model", "cm02"]].concat(), &[]);
    assert!(report["model"].get("parameters").is_none(), "{report}");
    assert_eq!(named(&report), [("collectives ompi".to_owned(), true)]);
    // A check names the model of the study, and that of the site has its constants there as well.
    let report = json(&folder, &["compare", "s.toml", "--cross-check", "-q"], &[]);
    assert!(named(&report).iter().any(|(key, _)| key == "model fabric.toml"), "{report}");
    assert!(report.to_string().contains("bandwidth-factor"), "{report}");
}

#[test]
fn mistakes_have_a_place_and_the_keys() {
    let folder = site("");
    let refuse = |config: &str, variables: &[(&str, &str)], code: i32, parts: &[&str]| {
        folder.write("site/config.toml", config);
        let mut run = command(&folder, &REPLAY, variables).assert().code(code).stdout("");
        for part in parts {
            run = run.stderr(contains(*part));
        }
    };
    refuse(
        "\nlink_bandwidht = '1 GB/s'\n",
        &[],
        2,
        &["config.toml:2:1: ", "did you mean `link_bandwidth`?", "the keys are"],
    );
    refuse("cores = 2\nswitch_delay = 'soon'\n", &[], 2, &["config.toml:2:16: `soon`", "the keys are", "--no-config"]);
    refuse("model = 'smpy'\n", &[], 2, &["config.toml:1:9: ", "did you mean `smpi`?"]);
    refuse("collectives = 'impi'\n", &[], 2, &["config.toml:1:15: ", "`impi`"]);
    refuse("memory = '1'\n", &[], 2, &["config.toml:1:10: ", "8GB"]);
    refuse("prices = 'none.toml'\ncores = 0\n", &[], 2, &["config.toml:2:9: ", "at least one core"]);
    refuse("", &[("MOPSIM_SWITCH_DELAY", "soon")], 2, &["MOPSIM_SWITCH_DELAY=`soon`", "not a time", "--no-config"]);
    refuse("", &[("MOPSIM_CORES", "few")], 2, &["MOPSIM_CORES=`few`"]);
    let rule = "it must be a whole number, 0 or more";
    refuse("", &[("MOPSIM_THREADS", "abc")], 2, &["MOPSIM_THREADS=`abc`", rule, "--no-config"]);
    refuse("threads = 5000\n", &[], 2, &["config.toml", "threads = 5000 is not from 0 to 4096"]);
    refuse("threads = 'abc'\n", &[], 2, &["config.toml:1:11: `abc` is text; write a whole number without quotes"]);
    refuse("", &[("MOPSIM_SWICH_DELAY", "1 ns")], 2, &["MOPSIM_SWICH_DELAY", "did you mean MOPSIM_SWITCH_DELAY?"]);
    refuse("", &[("MOPSIM_CONFIG", "none.toml")], 3, &["none.toml", "cannot be read", "MOPSIM_CONFIG"]);
    // What computes nothing works all the same, and the doctor says what is wrong.
    folder.write("site/config.toml", "zzz = 1");
    command(&folder, &["completions", "bash"], &[]).assert().success();
    command(&folder, &["doctor"], &[]).assert().success().stdout(contains("config.toml:1:1"));
}

#[test]
fn the_file_is_found_at_its_usual_place() {
    let folder = site("");
    folder.write("xdg/mopsim/config.toml", "link_bandwidth = '50 Gbit/s'\n");
    folder.write("home/.config/mopsim/config.toml", "link_bandwidth = '25 Gbit/s'\n");
    for (variable, place, value) in
        [("XDG_CONFIG_HOME", "xdg", "link_bandwidth 50 Gbit/s"), ("HOME", "home", "link_bandwidth 25 Gbit/s")]
    {
        let mut command = folder.command(&[&REPLAY[..], &["--format", "json"]].concat());
        command.env_remove("MOPSIM_CONFIG").env_remove("XDG_CONFIG_HOME").env(variable, folder.path(place));
        let run = command.assert().success();
        let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
        assert_eq!(named(&report), [(value.to_owned(), true)]);
    }
}

/// A study that is continued elsewhere has other numbers there, unless the site is the same.
#[test]
fn results_of_another_site_are_noticed() {
    let folder = site("link_bandwidth = '50 Gbit/s'\n");
    folder.write("s.toml", STUDY);
    let resume = ["compare", "s.toml", "--results", "r.jsonl", "--resume"];
    let whole = output(&folder, &resume, &[]);
    assert_eq!(output(&folder, &resume, &[]), whole);
    // Values count, and not where they are from.
    let same = [&resume[..], &["--link-bandwidth", "50 Gbit/s"]].concat();
    assert!(!output(&folder, &same, &[]).contains("Site defaults"));
    let other = command(&folder, &resume, &[("MOPSIM_LINK_BANDWIDTH", "40 Gbit/s")]).assert().code(2);
    other.stderr(contains("r.jsonl"));
    command(&folder, &["merge", "s.toml", "r.jsonl", "--no-config"], &[]).assert().code(2).stderr(contains("r.jsonl"));
    assert_eq!(output(&folder, &["merge", "s.toml", "r.jsonl"], &[]), whole);
}
