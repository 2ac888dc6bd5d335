//! Proportionally fair sharing, as users choose it: `--sharing proportional`.

use crate::support::cli::Folder;
use serde_json::Value;

/// A folder with a parking lot: four switches in a row with two hosts each, a message of 1 GB over all three cables, and
/// one over each. Rank r is on host r.
fn parking_lot() -> Folder {
    let folder = Folder::new();
    let mut trace: String = (0..8).map(|rank| format!("{rank} init\n")).collect();
    for (from, to) in [(0, 7), (1, 2), (3, 4), (5, 6)] {
        trace += &format!("{from} send {to} 0 1000000000 6\n{to} recv {from} 0 1000000000 6\n");
    }
    folder.write("lot.ti", trace);
    folder
}

fn replay(folder: &Folder, flags: &[&str]) -> Value {
    let hosts = ["--topology", "mesh:4", "--hosts-per-switch", "2", "--mapping", "block"];
    let speeds =
        ["--host-link-bandwidth", "none", "--link-bandwidth", "1 GB/s", "--switch-delay", "0", "--cable-delay", "0"];
    folder.json(&[&["replay", "-q", "lot.ti"], &hosts[..], &speeds, flags].concat())
}

fn close(value: &Value, expected: f64) {
    let value = value.as_f64().expect("a number");
    assert!((value - expected).abs() < 1e-8 * expected, "{value} instead of {expected}");
}

/// The long message has a quarter of each cable until the short ones are done after 4/3 s, with 2/3 GB left. With max-min
/// fairness all have a half, and end at 2 s.
#[test]
fn a_long_way_gets_less() {
    let folder = parking_lot();
    let run = replay(&folder, &["--sharing", "proportional"]);
    assert_eq!(run["model"]["sharing"], "proportional");
    close(&run["simulated_seconds"], 2.0);
    close(&run["time_split"]["bandwidth"]["min"], 4.0 / 3.0);
    close(&run["time_split"]["bandwidth"]["max"], 2.0);
    close(&run["time_split"]["bandwidth"]["mean"], 1.5);
    close(&replay(&folder, &[])["time_split"]["bandwidth"]["min"], 2.0);
    // Observers see the same, and cables that are full throughout.
    let explained = replay(&folder, &["--sharing", "proportional", "--explain"]);
    close(&explained["simulated_seconds"], 2.0);
    close(&explained["busiest_links"][0]["saturated"], 1.0);
}

/// A share of 5 % that acknowledgements take is part of what a link carries. The message back takes 5 % of the cable
/// forward, so that both run at 1 / 1.05 of its rate.
#[test]
fn acknowledgements_count() {
    let folder = Folder::new();
    folder.write("lot.ti", "0 init\n1 init\n2 init\n3 init\n0 send 2 0 1000000000 6\n2 recv 0 0 1000000000 6\n3 send 1 0 1000000000 6\n1 recv 3 0 1000000000 6\n");
    let run = replay(&folder, &["--sharing", "proportional", "--crosstraffic", "on"]);
    close(&run["simulated_seconds"], 1.05);
}

#[test]
fn it_goes_with_adaptive_routes_delays_and_failures() {
    let folder = Folder::new();
    let sizes = ["-p", "values=2", "--iterations", "2", "--ranks", "64"];
    folder.run(&[&["workload", "stencil", "-o", "halo.mtrace"], &sizes[..]].concat()).success();
    let study = |network: &str, rest: &str| {
        format!(
            "title = 'x'\n[[networks]]\n{network}\n[model]\nsharing = 'proportional'\n{rest}[[workloads]]\ntrace = 'halo.mtrace'\n"
        )
    };
    let torus = "topology = 'torus:4x4x4'";
    for (name, text, flags) in [
        ("adaptive", study(&format!("{torus}\nrouting = 'adaptive'"), ""), &[][..]),
        ("delays", study(torus, ""), &["--perturb", "message=20%"]),
        ("failures", format!("failures = [{{ cables = '5 %', seeds = 2 }}]\n{}", study(torus, "")), &[]),
    ] {
        folder.write("s.toml", text);
        let run = |threads| {
            folder.output(&[&["compare", "s.toml", "--format", "json", "--threads", threads], flags].concat())
        };
        let one = run("1");
        assert!(one.contains("\"sharing\": \"proportional\""), "{name}: {one}");
        assert_eq!(one, run("2"), "{name}");
    }
}
