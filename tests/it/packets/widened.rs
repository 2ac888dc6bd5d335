//! Rules with several virtual channels per hop: `amin*2`.

use crate::support::cli::{Folder, number};
use serde_json::Value;

/// Flits that each of two hosts sends to the other over one cable at full load.
fn carried(rule: &str, more: &[&str]) -> f64 {
    let ask = ["packets", "full_mesh:2", "--routing", rule, "--pattern", "reverse", "--load", "1", "--no-saturation"];
    let json = Folder::new().json(&[&ask[..], &["--mode", "throughput", "--measure", "4000"], more].concat());
    number(&json["points"][0], "accepted")
}

/// The next packet gets a channel two cycles after the tail of one.
#[test]
fn cables_carry_more_with_more_channels() {
    for (rule, flits, expected) in [
        ("amin", 1, 1.0 / 3.0),
        ("amin*2", 1, 2.0 / 3.0),
        ("amin*3", 1, 1.0),
        ("static:bfs*2", 1, 2.0 / 3.0),
        ("amin", 4, 4.0 / 6.0),
        ("amin*2", 4, 1.0),
    ] {
        let found = carried(rule, &["--packet", &flits.to_string()]);
        assert!((found - expected).abs() < 0.03, "{rule}, {flits} flits: {found}");
    }
    let by_packets = carried("amin*2", &["--engine", "events", "--packet", "4"]);
    assert!(by_packets > carried("amin", &["--engine", "events", "--packet", "4"]), "{by_packets}");
}

#[test]
fn reports_say_how_many_channels_a_hop_has() {
    let folder = Folder::new();
    let ask = |rule: &str| {
        let args = ["packets", "xgft:m=[4,4],w=[1,2]", "--routing", rule, "--load", "0.1", "--measure", "200"];
        let text = folder.output(&args).split_whitespace().collect::<Vec<_>>().join(" ");
        (folder.json(&args)["series"][0].clone(), text)
    };
    let [(one, one_told), (two, two_told), (three, three_told)] =
        ["static:d_mod_k", "static:d_mod_k*2", "static:d_mod_k*3"].map(ask);
    assert!(
        one_told.contains("a hop has 1 virtual channel,") && one_told.contains("`*2` after the rule"),
        "{one_told}"
    );
    assert!(two_told.contains("a hop has 2 virtual channels,"), "{two_told}");
    assert!(!three_told.contains("a hop has"), "{three_told}");
    assert!(three.to_string().contains("hop number i travels on virtual channels 3i to 3i+2"), "{three}");
    let saturations = [&one, &two, &three].map(|series| number(series, "saturation"));
    assert!(saturations[0] < saturations[1] && saturations[1] < saturations[2], "{saturations:?}");
    folder.refuse(&["packets", "torus:4x4", "--routing", "escape*2"], 2, &["`escape*2`", "uses all virtual channels"]);
    folder.refuse(
        &["packets", "xgft:m=[4,4],w=[1,2]", "--routing", "amin*3", "--vcs", "5"],
        2,
        &["needs 6 virtual channels"],
    );
}

/// Without a rule of its own, a network of a study is not limited by its channels.
#[test]
fn studies_give_each_hop_enough_channels() {
    let folder = Folder::with_trace("0 send 1 0 1000 6\n1 recv 0 0 1000 6\n");
    let study = |more: &str| {
        format!(
            "title = \"channels\"\n[[workloads]]\ntrace = \"t.ti\"\n[packets]\nload = 0.1\nmeasure = 200\nsaturation = false\n{more}\n\
             [[networks]]\nname = \"tree\"\ntopology = \"xgft:m=[4,4],w=[1,2]\"\n"
        )
    };
    for (more, rule) in [
        ("", "static:d_mod_k*3"),
        ("packet = 4", "static:d_mod_k*2"),
        ("vcs = 4", "static:d_mod_k*2"),
        ("vcs = 3", "static:d_mod_k"),
        ("speedup = 2", "static:d_mod_k"),
        ("routing = \"static:bfs\"", "static:bfs"),
    ] {
        folder.write("s.toml", study(more));
        let text = folder.json(&["compare", "s.toml"])["packets"].to_string();
        assert!(text.contains(&format!("\"{rule}\"")), "{more}: {text}");
    }
}

#[test]
fn files_have_what_is_printed() {
    let folder = Folder::new();
    let ask = ["packets", "torus:4x4", "--load", "0.1", "--no-saturation", "--measure", "200", "-q"];
    let both = [&ask[..], &["--json", "p.json", "--csv", "p.csv"]].concat();
    let printed = folder.json(&both);
    assert_eq!(serde_json::from_str::<Value>(&folder.read("p.json")).unwrap(), printed);
    assert_eq!(folder.output(&[&ask[..], &["--format", "csv"]].concat()), folder.read("p.csv"));
    folder.write("mine.json", "{}");
    folder.refuse(&[&ask[..], &["--json", "mine.json"]].concat(), 2, &["mine.json", "--force"]);
}
