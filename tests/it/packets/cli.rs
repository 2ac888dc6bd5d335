//! `mopsim packets` as its users see it.

use crate::support::cli::{Folder, assert_80_columns, number};

#[test]
fn a_curve_is_a_list_of_points() {
    let folder = Folder::new().pinned();
    let ask = ["packets", "torus:4x4", "--load", "0.1,0.3", "--measure", "2000", "--seeds", "2", "--threads", "2"];
    let json = folder.json(&ask);
    assert_eq!(json["schema"], "mopsim.packets/2");
    let points = json["points"].as_array().unwrap();
    assert_eq!(points.len(), 4);
    for point in points {
        assert_eq!(point["topology"], "torus:dims=4x4");
        assert_eq!((&point["routing"], &point["pattern"]), (&"dimension-order".into(), &"uniform".into()));
        assert!((number(point, "accepted") / number(point, "load") - 1.0).abs() < 0.05, "{point}");
        assert!(number(point, "latency_mean") > 15.0 && number(point, "latency_p99") >= number(point, "latency_mean"));
        assert!((number(point, "latency_mean_ns") / number(point, "latency_mean") - 8.0 / 3.0).abs() < 1e-9);
        assert_eq!(point["saturated"], false);
    }
    // Two hops on average in a 4x4 torus, itself as destination included.
    assert!((number(&points[0], "hops_mean") - 2.0).abs() < 0.05);
    // The summary is the mean over the seeds, not the first one.
    let latencies = [0, 1].map(|seed| number(&points[seed], "latency_mean"));
    assert_ne!(latencies[0], latencies[1]);
    assert_eq!(number(&json["series"][0], "latency_at_lowest_load"), (latencies[0] + latencies[1]) / 2.0);
    let saturation = number(&json["series"][0], "saturation");
    assert!((0.8..1.0).contains(&saturation), "{saturation}");
    let mut with_one = ask.to_vec();
    with_one[9] = "1";
    assert_eq!(folder.json(&with_one), json);
    assert_80_columns(&folder.output(&ask));
}

/// Of 24 hosts on a ring of four switches 16 take part, for a pattern of powers of two: six, six, four and none.
#[test]
fn the_first_hosts_take_part() {
    let folder = Folder::new().pinned();
    let ask = ["packets", "ring:4", "--hosts-per-switch", "6", "--pattern", "bit_complement", "--routing", "amin"];
    let with = |more: &[&'static str]| [&ask[..], &["--load", "0.1", "--no-saturation"], more].concat();
    let json = folder.json(&with(&["--endpoints", "16"]));
    assert_eq!(number(&json["series"][0], "hosts"), 16.0);
    let point = &json["points"][0];
    assert!((number(point, "accepted") - 0.1).abs() < 0.005, "{point}");
    // Host h sends to 15 - h: eight hosts over two cables, four over one, four to their own switch.
    assert!((number(point, "hops_mean") - 20.0 / 16.0).abs() < 0.03, "{point}");
    folder.refuse(&with(&[]), 2, &["a number of hosts that is a power of two, but there are 24", "--endpoints"]);
    for wrong in ["0", "25"] {
        folder.refuse(&with(&["--endpoints", wrong]), 2, &["endpoints is", "has 24 hosts", "help:"]);
    }
}

/// Within few cycles, chance explains more than the torus lacks: it carries 0.74, as 300,000 cycles show.
#[test]
fn short_runs_find_the_same_saturation_as_long_ones() {
    let folder = Folder::new();
    for more in [&[][..], &["--process", "periodic"]] {
        let ask = [&["packets", "torus:4x4", "--preset", "skywalk", "--load", "0.1"], more].concat();
        let carried = number(&folder.json(&ask)["series"][0], "saturation");
        assert!((0.70..0.78).contains(&carried), "{more:?}: {carried}");
    }
    let json = folder.json(&["packets", "torus:4x4", "--mode", "throughput", "--load", "0.5", "--no-saturation"]);
    assert!(json["points"][0]["saturated"].is_null(), "{json}");
}

#[test]
fn a_list_of_packets_tells_each_arrival() {
    let folder = Folder::new();
    folder.write("list.txt", "# source destination cycle flits\n0 5 0\n0 0 10\n\n3 1 4 9\n");
    let json = folder.json(&["packets", "mesh:4x4", "--packets", "list.txt"]);
    let packets = json["packets"].as_array().unwrap();
    // 2 + 5 (h + 1) + S - 1: two hops and one flit; none; two hops and nine flits.
    let tails: Vec<f64> = packets.iter().map(|packet| number(packet, "tail_arrived")).collect();
    assert_eq!(tails, [17.0, 17.0, 4.0 + 17.0 + 8.0]);
}

/// The second packet waits for the credit of the tail, and asks again every two cycles, whatever else its switch does.
/// The cycles are those of BookSim.
#[test]
fn a_slow_allocation_that_failed_is_repeated_immediately() {
    let folder = Folder::new();
    let ask = ["packets", "mesh:3", "--packets", "list.txt", "--vcs", "1", "--vc-buffer", "2", "--vc-delay", "2"];
    let ask = [&ask[..], &["--link-delay", "3", "--wait-for-tail-credit"]].concat();
    for other in ["", "2 0 5 1\n"] {
        folder.write("list.txt", format!("1 2 3 1\n1 2 4 1\n{other}"));
        let json = folder.json(&ask);
        assert_eq!(number(&json["packets"][1], "tail_arrived"), 34.0, "{other}");
    }
}

#[test]
fn deflection_reports_its_hops_and_no_channels() {
    let folder = Folder::new();
    let ask = ["packets", "kautz:d=3,k=3", "--routing", "deflection", "--routing", "amin", "--load", "0.05,0.3"];
    let json = folder.json(&[&ask[..], &["--packet", "8", "--measure", "4000"]].concat());
    let (series, points) = (json["series"].as_array().unwrap(), json["points"].as_array().unwrap());
    assert_eq!((series[0]["vcs"].as_u64(), series[1]["vcs"].as_u64()), (Some(0), Some(4)));
    assert_eq!((&series[0]["switching"], &series[1]["switching"]), (&"bufferless".into(), &"wormhole".into()));
    assert!((0.2..1.0).contains(&number(&series[0], "saturation")), "{}", series[0]);
    // More traffic deflects more; the excess of hops over those of shortest paths is what deflections cost.
    let deflected = [0, 1].map(|place: usize| number(&points[place], "deflections_mean"));
    let hops = [0, 1, 2].map(|place: usize| number(&points[place], "hops_mean"));
    assert!(deflected[0] < deflected[1] && hops[0] < hops[1], "{deflected:?} {hops:?}");
    assert!(hops[0] > hops[2] && points[2]["deflections_mean"].is_null(), "{hops:?}");
    // Without deflection the column is not there.
    let other = folder.json(&["packets", "torus:4x4", "--load", "0.1", "--measure", "200", "--no-saturation"]);
    assert!(other["points"][0].get("deflections_mean").is_none());
    folder.write("list.txt", "0 5 0 8\n0 5 0 3\n");
    let list = folder.json(&["packets", "kautz:d=3,k=3", "--routing", "deflection", "--packets", "list.txt"]);
    let packets = list["packets"].as_array().unwrap();
    // One slot of 8 cycles later, and 5 flits shorter.
    assert_eq!(number(&packets[1], "injected") - number(&packets[0], "injected"), 8.0);
    assert_eq!(number(&packets[1], "tail_arrived") - number(&packets[0], "tail_arrived"), 8.0 - 5.0);
}

/// All 16 switches are in one cabinet, with cables of 2 m: 10 ns, that is 10 cycles of 1 ns.
#[test]
fn cables_take_their_lengths() {
    let folder = Folder::new();
    folder.write("list.txt", "0 1 0\n0 5 100\n");
    let ask = ["packets", "torus:4x4", "--packets", "list.txt", "--cable-delay", "5 ns", "--cycle-ns", "1"];
    let json = folder.json(&ask);
    // 2 + 5 (h + 1) + h (L - 1) with L = 9: a head that leaves arrives L + 1 = 10 cycles later.
    let tails: Vec<f64> =
        json["packets"].as_array().unwrap().iter().map(|packet| number(packet, "tail_arrived")).collect();
    assert_eq!(tails, [20.0, 100.0 + 33.0]);
    assert_eq!(number(&json, "cable_delay_ns"), 5.0);
    let curve = folder.json(&["packets", "torus:4x4", "--cable-delay", "5 ns", "--load", "0.1", "--measure", "500"]);
    assert_eq!(number(&curve, "cable_delay_ns"), 5.0);
    folder.refuse(&["packets", "torus:4x4", "--switches-per-cabinet", "4"], 2, &["without --cable-delay", "help:"]);
    folder.refuse(&["packets", "torus:4x4", "--cable-delay", "1 s"], 2, &["a cable of 2.0 m takes", "help:"]);
}

/// Flit by flit, or packet by packet through held switches: the same curves.
#[test]
fn both_engines_have_the_same_curves() {
    let folder = Folder::new();
    for (spec, rule) in [("torus:4x4", "dimension-order"), ("imase_itoh:n=24,d=3", "amin"), ("dsnf:24", "dsnf")] {
        let ask = ["packets", spec, "--routing", rule, "--packet", "8", "--load", "0.05,0.2", "--no-saturation"];
        let held = ["--hold-switch", "--wait-for-tail-credit", "--switching", "cut-through", "--vc-buffer", "8"];
        let cycles = folder.json(&[&ask[..], &held].concat());
        let events = folder.json(&[&ask[..], &["--engine", "events"]].concat());
        assert_eq!(cycles["points"], events["points"], "{spec}");
        assert_eq!((&events["engine"], &events["hold_switch"]), (&"events".into(), &true.into()));
        assert!(cycles.get("engine").is_none());
        assert!(number(&events["points"][0], "latency_mean") > 20.0);
    }
    let full = folder.json(&["packets", "torus:4x4", "--packet", "8", "--load", "0.1", "--engine", "events"]);
    assert!((0.2..1.0).contains(&number(&full["series"][0], "saturation")), "{full}");
    for (option, value, expected) in
        [("--vc-buffer", "16", "buffers of one packet"), ("--host-port", "shared", "a port for each host")]
    {
        let ask = ["packets", "torus:4x4", "--packet", "8", "--engine", "events", option, value];
        folder.refuse(&ask, 2, &[expected, "help:"]);
    }
}

/// A replay has buffers, so deflection is refused there, in a study as on the command line.
#[test]
fn a_replay_refuses_deflection() {
    let folder = Folder::new();
    let trace = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/lu.A.64.it10.ti.zst");
    folder.refuse(
        &["replay", trace, "--topology", "torus:8x8", "--model", "packet:routing=deflection"],
        2,
        &["switches without buffers, which only `mopsim packets` simulates"],
    );
}

#[test]
fn bad_input_is_refused_with_the_rule_and_a_way_out() {
    let folder = Folder::new();
    folder.write("bad.txt", "0 1 2\n0 99 1\n");
    folder.write("word.txt", "0 x 1\n");
    folder.write("two.edges", "0 1\n2 3\n");
    folder.write("uneven.edges", "# directed n=3\n0 1\n1 2\n2 0\n0 2\n");
    for (ask, expected) in [
        (&["torus:4x4", "--load", "1.5"][..], "from 0 to 1 flit"),
        (&["torus:4x4", "--load", "-0.1"], "from 0 to 1 flit"),
        (&["torus:4x4", "--vcs", "1"], "needs 2 virtual channels, but has 1"),
        (&["torus:4x4", "--vcs", "0"], "vcs is 0"),
        (&["torus:4x4", "--vcs", "65"], "it must be from 1 to 64"),
        (&["ring:300", "--routing", "static"], "needs 150 virtual channels, but has 64"),
        (
            &["torus:4x4", "--switching", "cut-through", "--packet", "9", "--vc-buffer", "8"],
            "cut-through needs space for a packet of 9 flits",
        ),
        (&["torus:3x4", "--pattern", "transpose"], "a number of hosts that is a power of two"),
        (&["imase_itoh:n=20,d=3", "--routing", "escape"], "up*/down* needs cables in both directions"),
        (&["random:n=20,d=3", "--routing", "dimension-order"], "`amin`, `static` and `escape` fit other networks"),
        (&["two.edges"], "disconnected"),
        (&["torus:4x4", "--routing", "amim"], "did you mean `amin`?"),
        (&["torus:4x4", "--routing", "escape:twice"], "the variants are `once`, `free` and `booksim`"),
        (&["torus:4x4", "--hosts-per-switch", "0"], "at least one host"),
        (&["torus:4x4", "--hosts-per-switch", "1000000000"], "hosts"),
        (&["torus:4x4", "--measure", "0"], "measured cycles must be from 1"),
        (&["torus:4x4", "--measure", "4294967295"], "measured cycles must be from 1"),
        (&["torus:4x4", "--preset", "booksim"], "the presets are dsnf"),
        (&["torus:4x4", "--packets", "bad.txt"], "bad.txt:2: host is 99, but the hosts are 0 to 15"),
        (&["torus:4x4", "--packets", "word.txt"], "word.txt:1: `x` is not a whole number"),
        (&["torus:4x4", "--routing", "escape", "--switching", "wormhole"], "an escape needs channels"),
        (&["uneven.edges", "--routing", "deflection"], "switch 2 has 2 cables in and 1 out"),
        (&["torus:4x4", "--routing", "deflection:2"], "takes no argument"),
        (&["torus:4x4", "--routing", "deflecton"], "did you mean `deflection`?"),
        (&["torus:4x4", "--routing", "dsnf"], "it is for dsnf, whose super-nodes it follows"),
        (&["dsnf:24", "--routing", "dsnf", "--vcs", "3"], "needs 4 virtual channels, but has 3"),
        (&["star:60000"], "too large for the packet model"),
    ] {
        let mut whole = vec!["packets"];
        whole.extend(ask);
        folder.refuse(&whole, 2, &[expected, "help:"]);
    }
}

#[test]
fn commas_separate_patterns_and_parameters() {
    let folder = Folder::new();
    for (spec, patterns, expected) in [
        (
            "mesh:4x4",
            "uniform,hotspot:nodes=[0,5],rates=[3,1],transpose",
            &["uniform", "hotspot:nodes=[0,5],rates=[3,1]", "transpose"][..],
        ),
        ("torus:8x8", "tornado:k=8,m=2,shuffle", &["tornado:k=8,m=2", "shuffle"]),
    ] {
        let run = ["--load", "0.05", "--measure", "200", "--no-saturation"];
        let json = folder.json(&[&["packets", spec, "--pattern", patterns][..], &run].concat());
        let points = json["points"].as_array().unwrap();
        let names: Vec<&str> = points.iter().map(|point| point["pattern"].as_str().unwrap()).collect();
        assert_eq!(names, expected);
    }
    folder.refuse(&["packets", "mesh:4x4", "--pattern", "uniform,tranpose"], 2, &["tranpose", "transpose"]);
    folder.refuse(
        &["packets", "mesh:4x4", "--routing", "amin", "--routing", "amin"],
        2,
        &["--routing amin is there twice"],
    );
    let last = ["packets", "mesh:4x4", "--seed", "18446744073709551615", "--seeds", "2"];
    folder.refuse(&last, 2, &["seed is 18446744073709551615", "exceed 64 bits"]);
    folder.write("list.txt", "0 5 0\n");
    folder.refuse(&["packets", "mesh:4x4", "--packets", "list.txt", "--measure", "5"], 2, &["cannot be used with"]);
}

/// One cable that eight hosts fill, with a channel for its hop: F / (F + 2) of its bandwidth, as the note says.
#[test]
fn a_channel_for_each_hop_limits_cables() {
    let folder = Folder::new();
    let ask = ["packets", "mesh:2", "--hosts-per-switch", "8", "--pattern", "mirror", "--load", "1", "--no-saturation"];
    for (packet, most, is_noted) in [("1", 1.0 / 3.0, true), ("2", 0.5, true), ("8", 0.8, false)] {
        let own = ["--mode", "throughput", "--packet", packet, "--vc-buffer", "16", "--routing", "static:bfs"];
        let all = [&ask[..], &own].concat();
        let load = number(&folder.json(&all)["points"][0], "cable_load_max");
        assert!((load / most - 1.0).abs() < 0.01, "{packet}: {load}");
        let text = folder.output(&all).replace("\n      ", " ");
        assert_eq!(text.contains(&format!("cables carry at most {most:.2}")), is_noted, "{text}");
        let free = folder.output(&[&all[..], &["--speedup", "2"]].concat());
        assert!(!free.contains("cables carry at most"), "{free}");
    }
}
