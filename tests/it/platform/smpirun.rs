//! Settings of platform files that `smpirun` of SimGrid 3.32 overrides, ignores or follows. All times are those that it printed
//! with `--log=root.fmt:%.15r` for the same files.

use crate::support::cli::{Folder, MESSAGE, number};

const MEGABYTE: &str = "0 init\n1 init\n0 send 1 0 1000000 6\n1 recv 0 0 1000000 6\n0 finalize\n1 finalize\n";
const COMPAT: [&str; 5] = ["--compat", "simgrid", "--collectives", "default", "-q"];

/// A cluster with these settings, and its host file.
fn folder(trace: &str, settings: &[(&str, &str)]) -> Folder {
    let folder = Folder::with_trace(trace);
    let settings = settings.iter().map(|(key, value)| format!("<prop id=\"{key}\" value=\"{value}\"/>"));
    let platform = format!(
        "<?xml version=\"1.0\"?>\n<platform version=\"4.1\">\n<config id=\"General\">{}</config>\n\
         <cluster id=\"c\" prefix=\"node-\" radical=\"0-3\" suffix=\".x\" speed=\"1Gf\" bw=\"125MBps\" lat=\"50us\"></cluster>\n</platform>\n",
        settings.collect::<String>()
    );
    folder.write("p.xml", platform);
    folder.write("hosts", "node-0.x\nnode-1.x\n");
    folder
}

fn arguments<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let run = ["replay", "t.ti", "--platform", "p.xml", "--hostfile", "hosts", "--smp-setup", "off"];
    [&run[..], flags].concat()
}

fn seconds(folder: &Folder, flags: &[&str]) -> f64 {
    number(&folder.json(&arguments(flags)), "simulated_seconds")
}

fn assert_printed(found: f64, printed: f64, what: &str) {
    assert!((found - printed).abs() < 6e-16 * printed.max(1.0), "{what}: {found}, and smpirun printed {printed}");
}

#[test]
fn settings_are_followed_as_by_smpirun() {
    let smpi = 0.009668855617066;
    for (settings, flags, printed, note) in [
        (&[("network/model", "CM02")][..], &[][..], smpi, "network/model = CM02 is not followed"),
        (&[("network/model", "LV08")], &["--model", "cm02"], 0.008100128, "network/model = LV08 is not followed"),
        (&[("surf/precision", "1e-3")], &[], smpi, "precision/timing = 1e-3 is not followed"),
        (&[("network/bandwidth-factor", "0.5")], &[], smpi, "network/bandwidth-factor = 0.5 has no effect on SMPI"),
        (&[("network/latency-factor", "100")], &[], smpi, "network/latency-factor = 100 has no effect on SMPI"),
        (&[("smpi/bw-factor", "0:0.5")], &[], 0.017164616, ""),
        (&[("smpi/lat-factor", "0:100")], &[], 0.018504495617066, ""),
        (
            &[("smpi/bw-factor", "0:0.5")],
            &["--model", "cm02"],
            0.008100128,
            "smpi/bw-factor = 0:0.5 has no effect on CM02",
        ),
        (&[("smpi/lat-factor", "0:100")], &["--model", "lv08"], 0.009548554639175, "has no effect on LV08"),
        (&[("network/bandwidth-factor", "0.5")], &["--model", "cm02"], 0.016100256, ""),
        (&[("network/latency-factor", "100")], &["--model", "lv08"], 0.018247554639175, ""),
    ] {
        let folder = folder(MEGABYTE, settings);
        let flags = [&COMPAT[..], flags].concat();
        assert_printed(seconds(&folder, &flags), printed, &format!("{settings:?} {flags:?}"));
        let loud: Vec<&str> = flags.iter().copied().filter(|flag| *flag != "-q").collect();
        let run = folder.run(&arguments(&loud)).success();
        let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(said.contains(note), "{settings:?}: {said}");
        assert_eq!(said.contains("warning: p.xml: setting"), !note.is_empty(), "{settings:?}: {said}");
    }
}

/// Without `--compat simgrid` the file's model and precision are used, and all factors act, as since SimGrid 3.34.
#[test]
fn a_file_is_followed_without_compatibility() {
    let model = folder(MEGABYTE, &[("network/model", "CM02"), ("precision/timing", "1e-5")]);
    let report = model.json(&arguments(&["-q"]));
    assert_eq!(report["model"]["network_model"], "cm02");
    assert_eq!(number(&report["model"], "timing_precision"), 1e-5);
    let factor = folder(MEGABYTE, &[("network/model", "SMPI"), ("network/bandwidth-factor", "0.5")]);
    assert_printed(seconds(&factor, &["-q"]), 0.017164616, "as smpi/bw-factor");
    let said = factor.run(&arguments(&[])).success();
    let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
    assert!(said.contains("is followed as by SimGrid 3.34 and later"), "{said}");
}

#[test]
fn computations_take_no_time_if_they_are_not_simulated() {
    let pair = |actions: [&str; 2]| {
        let [first, second] = actions;
        format!("0 init\n1 init\n0 compute 1e9\n1 compute 2e9\n{first}{second}0 finalize\n1 finalize\n")
    };
    let allreduce = pair(["0 allreduce 1000 3e9 6\n", "1 allreduce 1000 3e9 6\n"]);
    let others =
        pair(["0 reduce 1000 3e9 0 6\n0 scan 1000 1e9 6\n0 sleep 1\n", "1 reduce 1000 3e9 0 6\n1 scan 1000 1e9 6\n"]);
    for (trace, with, without) in
        [(allreduce, 5.00043759397059, 3.000437593970589), (others, 7.000218796985295, 5.000218796985295)]
    {
        assert_printed(seconds(&folder(&trace, &[]), &COMPAT), with, "simulated");
        for no in ["0", "no"] {
            let found = seconds(&folder(&trace, &[("smpi/simulate-computation", no)]), &COMPAT);
            assert_printed(found, without, "not simulated");
        }
    }
}

/// Comments with hyphens, which XML forbids, and the deprecated latency of peers: as files of SimGrid 3.18 have them.
#[test]
fn older_files_load() {
    let folder = Folder::with_trace(MEGABYTE);
    folder.write(
        "p.xml",
        "<?xml version=\"1.0\"?>\n<!-- ----- peers -- <x --->\n<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Vivaldi\">\n\
         <peer id=\"node-0.x\" coordinates=\"1 2 3\" speed=\"1Gf\" bw_in=\"100MBps\" bw_out=\"50MBps\" lat=\"500ms\"/>\n\
         <peer id=\"node-1.x\" coordinates=\"4 6 -1\" speed=\"1Gf\" bw_in=\"10MBps\" bw_out=\"50MBps\" lat=\"1us\"/>\n</zone>\n</platform>\n",
    );
    folder.write("hosts", "node-0.x\nnode-1.x\n");
    assert_printed(seconds(&folder, &COMPAT), 0.211098595213321, "peers");
    let run = folder.run(&arguments(&[])).success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("warning: p.xml: `lat` of peers (2) has no effect"), "{said}");
}

/// Spellings of MPI and SimGrid, and selectors that are not simulated.
#[test]
fn names_of_simgrid_are_known() {
    let folder = Folder::with_trace(
        "0 init\n1 init\n0 reducescatter 4 4 0 6\n1 reducescatter 4 4 0 6\n0 finalize\n1 finalize\n",
    );
    let run = ["replay", "t.ti", "--topology", "ring:2", "-q"];
    for spelling in ["reducescatter=ring", "reduce_scatter=ring", "Reduce-Scatter=ring"] {
        let report = folder.json(&[&run[..], &["--collective", spelling]].concat());
        assert_eq!(report["model"]["collective"]["reducescatter"], "ring", "{spelling}");
    }
    let twice = ["--collective", "reduce_scatter=ring", "--collective", "reducescatter=pairwise"];
    folder.refuse(&[&run[..], &twice].concat(), 2, &["is there twice, with `ring` and `pairwise`"]);
    let kinds = folder.json(&["collectives", "reduce_scatter", "--ranks", "4", "--size", "8"]);
    assert_eq!(kinds["collectives"][0]["collective"], "reducescatter");
    folder.refuse(
        &[&run[..], &["--collectives", "impi"]].concat(),
        2,
        &["`impi` is a selector of SimGrid that is not simulated", "mpich4"],
    );
    let jobs = Folder::with_trace(MESSAGE);
    jobs.refuse(
        &["replay", "t.ti", "--topology", "ring:4", "--model", "loggops", "--job", "t.ti"],
        2,
        &["loggops has no links that several jobs could share", "choose another model, such as --model ideal"],
    );
}

/// A line of CODES' allocation files, and numbers in a rank file.
#[test]
fn hosts_may_be_numbers() {
    let folder = Folder::with_trace(MESSAGE);
    for (flag, numbers, names) in [("--hostfile", "3 1\n", "h3\nh1\n"), ("--rankfile", "0 3\n1 1\n", "0 h3\n1 h1\n")] {
        let [numbered, named] = [numbers, names].map(|text| {
            folder.write("hosts", text);
            folder.json(&["replay", "t.ti", "--topology", "ring:8", flag, "hosts", "-q"])
        });
        // Two links between switches: neighbours would have one.
        assert_eq!(number(&numbered, "average_hops"), 4.0, "{numbers}");
        assert_eq!(numbered["simulated_seconds"], named["simulated_seconds"], "{numbers}");
    }
    folder.write("hosts", "0 8\n");
    folder.refuse(
        &["replay", "t.ti", "--topology", "ring:8", "--hostfile", "hosts"],
        2,
        &["hosts:1:1: there is no host number 8", "or numbers of hosts, from 0"],
    );
}
