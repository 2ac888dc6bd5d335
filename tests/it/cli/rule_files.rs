//! Rule files of Open MPI's tuned module: on the command line, in studies and models, in the environment.

use crate::support::cli::{Folder, number};
use serde_json::Value;

/// All-to-all by Bruck's algorithm from 1,000 bytes on, for all communicators.
const BRUCK: &str = "1 # num of collectives\n3 # ID of alltoall\n1 # num of comm sizes\n2\n2\n0 0 0 0\n1000 3 0 0\n";

/// The same algorithm with the same limits, in JSON.
const JSON: &str = r#"{"collectives": {"alltoall": [{"rules": [{"msg_size_min": 1000, "alg": "modified_bruck"}]}]}}"#;

/// An all-to-all of 5,000 bytes to each of four ranks, and one of 100.
fn folder() -> Folder {
    let calls = "{r} init\n{r} alltoall 5000 5000 6 6\n{r} alltoall 100 100 6 6\n{r} finalize\n";
    let folder = Folder::with_trace(&(0..4).map(|rank| calls.replace("{r}", &rank.to_string())).collect::<String>());
    folder.write("rules/bruck.conf", BRUCK);
    folder.write("rules/bruck.json", JSON);
    folder
}

fn replay(folder: &Folder, more: &[&str]) -> Value {
    folder.json(&[&["replay", "t.ti", "--topology", "ring:4", "--collectives"], more].concat())
}

fn seconds(report: &Value) -> f64 {
    number(report, "simulated_seconds")
}

#[test]
fn a_rule_replaces_the_table_where_it_applies() {
    let folder = folder();
    let with_rules = replay(&folder, &["ompi:rules/bruck.conf"]);
    let name = with_rules["model"]["collectives"].as_str().expect("a name");
    assert!(name.starts_with("ompi:bruck.conf@") && name.len() == "ompi:bruck.conf@".len() + 8, "{name}");
    assert_eq!(seconds(&with_rules), seconds(&replay(&folder, &["ompi:rules/bruck.json"])));
    // 400 bytes are as the table says, so this is neither Bruck's algorithm for both nor the table for both.
    let everywhere = replay(&folder, &["ompi", "--collective", "alltoall=bruck"]);
    let nowhere = replay(&folder, &["ompi"]);
    assert_ne!(seconds(&with_rules), seconds(&everywhere));
    assert_ne!(seconds(&with_rules), seconds(&nowhere));
    // An algorithm for all calls goes before the file.
    let forced = replay(&folder, &["ompi:rules/bruck.conf", "--collective", "alltoall=bruck"]);
    assert_eq!(seconds(&forced), seconds(&everywhere));
    // The listing names the rule.
    let listing = folder.output(&[
        "collectives",
        "alltoall",
        "--ranks",
        "4",
        "--size",
        "5000",
        "--collectives",
        "ompi:rules/bruck.conf",
    ]);
    assert!(listing.contains("bruck (n >= 1000, rule file)"), "{listing}");
    assert!(listing.contains("n >= 250         bruck"), "{listing}");
}

#[test]
fn files_are_relative_to_the_file_that_names_them() {
    let folder = folder();
    let expected = seconds(&replay(&folder, &["ompi:rules/bruck.conf"]));
    let study = "title = 'T'\ncollectives = ['ompi', 'ompi:bruck.conf']\n[[networks]]\ntopology = 'ring:4'\n\
                 [[workloads]]\ntrace = '../t.ti'\n";
    folder.write("rules/s.toml", study);
    let report = folder.json(&["compare", "rules/s.toml", "--no-explain"]);
    let times: Vec<f64> =
        report["cells"].as_array().expect("cells").iter().map(|r| number(r, "simulated_seconds")).collect();
    assert_eq!(times, [seconds(&replay(&folder, &["ompi"])), expected]);
    // A model file.
    folder.write("rules/m.toml", "collectives = 'ompi:bruck.json'\n");
    let of_model = folder.json(&["replay", "t.ti", "--topology", "ring:4", "--model", "rules/m.toml"]);
    assert_eq!(seconds(&of_model), expected);
    // A network's own model.
    let network = "title = 'T'\n[[networks]]\ntopology = 'ring:4'\n[networks.model]\ncollectives = 'ompi:bruck.conf'\n\
                   [[workloads]]\ntrace = '../t.ti'\n";
    folder.write("rules/n.toml", network);
    let report = folder.json(&["compare", "rules/n.toml", "--no-explain"]);
    assert_eq!(number(&report["cells"][0], "simulated_seconds"), expected);
    // The graph of such a network is beside the study as well.
    folder.write("rules/ring.edges", "0 1\n1 2\n2 3\n3 0\n");
    folder.write("rules/g.toml", network.replace("'ring:4'", "'ring.edges'"));
    let report = folder.json(&["compare", "rules/g.toml", "--no-explain"]);
    assert_eq!(number(&report["cells"][0], "simulated_seconds"), expected);
    // A platform file has a model of its own.
    folder.write("rules/p.toml", "topology = 'ring.edges'\n[model]\ncollectives = 'ompi:bruck.conf'\n");
    let of_platform = folder.json(&["replay", "t.ti", "--platform", "rules/p.toml"]);
    assert_eq!(seconds(&of_platform), expected);
    // A site.
    let run = folder
        .command(&["replay", "t.ti", "--topology", "ring:4", "--format", "json"])
        .env("MOPSIM_COLLECTIVES", "ompi:rules/bruck.conf")
        .assert()
        .success();
    let report: Value = serde_json::from_slice(&run.get_output().stdout).expect("JSON");
    assert_eq!(seconds(&report), expected);
}

#[test]
fn a_changed_file_is_another_setting() {
    let folder = folder();
    let before = replay(&folder, &["ompi:rules/bruck.conf"])["model"]["collectives"].clone();
    folder.write("rules/bruck.conf", BRUCK.replace("1000 3", "1000 2"));
    assert_ne!(before, replay(&folder, &["ompi:rules/bruck.conf"])["model"]["collectives"]);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let folder = folder();
    let refuse = |table: &str, parts: &[&str]| {
        folder.refuse(&["replay", "t.ti", "--topology", "ring:4", "--collectives", table], 2, parts);
    };
    folder.write("bad.conf", BRUCK.replace("1000 3", "1000 9"));
    refuse("ompi:bad.conf", &["bad.conf:7:6: alltoall has no algorithm 9; IDs are 0 to 5", "docs/models.md"]);
    let none = ["replay", "t.ti", "--topology", "ring:4", "--collectives", "ompi:none.conf"];
    folder.refuse(&none, 3, &["none.conf", "cannot be read", "check the path"]);
    refuse("ompi:", &["names no rule file", "ompi:rules.conf"]);
    refuse("ompi:t.ti", &["t.ti:1:3: the 0 collectives of the file end before this"]);
    refuse("mpich:rules/bruck.conf", &["is not one of"]);
    folder.write(
        "s.toml",
        "title = 'T'\ncollectives = ['ompi', 'ompi:bad.conf']\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 't.ti'\n",
    );
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:2:24: collectives: ", "bad.conf:7:6: "]);
}
