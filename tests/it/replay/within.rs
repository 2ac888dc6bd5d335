//! Sharing that is fair within a bound, as users choose it: `--sharing within:1%`.

use crate::support::cli::Folder;
use crate::support::relative_difference;
use serde_json::Value;

/// A folder with the halo exchange of 216 ranks, whose messages are all coupled on an Imase network.
fn halo() -> Folder {
    let folder = Folder::new();
    let sizes = ["-p", "values=2", "-p", "norm_every=1", "--iterations", "3", "--ranks", "216"];
    folder.run(&[&["workload", "stencil", "-o", "halo.mtrace"], &sizes[..]].concat()).success();
    folder
}

fn replay(folder: &Folder, flags: &[&str]) -> Value {
    let network = ["--topology", "imase-itoh:n=216,d=6", "--smp-setup", "off", "--model", "smpi"];
    folder.json(&[&["replay", "-q", "halo.mtrace"], &network[..], flags].concat())
}

fn seconds(report: &Value) -> f64 {
    report["simulated_seconds"].as_f64().expect("seconds")
}

#[test]
fn a_coupled_network_takes_the_time_of_exact_sharing_within_half_a_percent() {
    let folder = halo();
    let exact = replay(&folder, &[]);
    let within = replay(&folder, &["--sharing", "within:1%"]);
    assert_eq!(exact["model"]["sharing"], "exact");
    assert_eq!(within["model"]["sharing"], "within:1%");
    assert_ne!(seconds(&exact), seconds(&within), "nothing was held back");
    let difference = relative_difference(seconds(&exact), seconds(&within));
    assert!(difference < 0.005, "{difference}");
    // An observer sees the same replay, and knows for how long links are full.
    let explained = replay(&folder, &["--sharing", "within:1%", "--explain"]);
    assert_eq!(seconds(&explained), seconds(&within));
    assert!(explained["busiest_links"][0]["saturated"].as_f64().is_some_and(|share| share > 0.0), "{explained}");
    let text = folder.output(&["replay", "-q", "halo.mtrace", "--topology", "ring:216", "--sharing", "within:0.5 %"]);
    assert!(text.contains("within:0.5% sharing"), "{text}");
}

#[test]
fn a_bound_of_zero_has_the_bits_of_exact_sharing() {
    let folder = halo();
    let (exact, mut zero) = (replay(&folder, &[]), replay(&folder, &["--sharing", "within:0"]));
    assert_eq!(zero["model"]["sharing"], "within:0%");
    zero["model"]["sharing"] = "exact".into();
    assert_eq!(exact, zero);
}

#[test]
fn small_sets_of_messages_have_the_bits_of_exact_sharing() {
    let folder = Folder::new();
    folder.write("few.ti", "0 init\n1 init\n2 init\n0 isend 2 1 90000\n1 isend 2 1 50000\n0 waitall\n1 waitall\n2 recv 0 1 90000\n2 recv 1 1 50000\n0 finalize\n1 finalize\n2 finalize\n");
    let run = |sharing| folder.json(&["replay", "-q", "few.ti", "--topology", "ring:3", "--sharing", sharing]);
    assert_eq!(seconds(&run("exact")), seconds(&run("within:10%")));
}

#[test]
fn studies_have_the_same_bytes_for_any_number_of_threads() {
    let folder = halo();
    let network = "[[networks]]\ntopology = 'imase-itoh:n=216,d=6'\n[[networks]]\ntopology = 'random:n=216,d=6'\n";
    let model = "[model]\nnetwork_model = 'smpi'\nsharing = 'within:2%'\nsmp_setup = false\n";
    folder.write("s.toml", format!("title = 'x'\n{network}{model}[[workloads]]\ntrace = 'halo.mtrace'\n"));
    let run = |threads: &str| folder.output(&["compare", "s.toml", "--format", "json", "--threads", threads]);
    let one = run("1");
    assert!(one.contains("\"within:2%\""), "{one}");
    assert_eq!(one, run("2"));
}

#[test]
fn bounds_that_make_no_sense_are_refused_with_a_way_out() {
    let folder = halo();
    for bound in ["within", "within:", "within:11%", "within:-1%", "within:nan", "within:1e-9"] {
        let run = ["replay", "halo.mtrace", "--topology", "ring:216", "--sharing", bound];
        folder.refuse(&run, 2, &["sharing", bound, "a bound from 0% to 10%", "such as within:1%"]);
    }
    folder.write("s.toml", "title = 'x'\n[[networks]]\ntopology = 'ring:216'\n[model]\nsharing = 'within:20%'\n[[workloads]]\ntrace = 'halo.mtrace'\n");
    folder.refuse(&["compare", "s.toml"], 2, &["s.toml:5:11", "within:20%", "a bound from 0% to 10%"]);
    let near = ["replay", "halo.mtrace", "--topology", "ring:216", "--sharing", "exct"];
    folder.refuse(&near, 2, &["did you mean `exact`"]);
}
