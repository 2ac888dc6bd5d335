//! Schedules of GOAL as graphs: what a replay of them takes, by hand and by LogGOPSim.

use crate::support;
use crate::support::cli::{Folder, number};

/// The simulated seconds of a schedule on hosts that are joined pairwise by links of 1 GB/s and 1 us, where all messages
/// are eager: what LogGOPSim takes for L = 1000, G = 1 and nothing else.
fn seconds(folder: &Folder, goal: &str, ranks: u32) -> f64 {
    folder.write("eager.toml", "network_model = 'ideal'\nasync_below = 1000000000\ndetached_below = 1000000000\n");
    let topology = format!("full-mesh:n={}", ranks.max(2));
    let flags = [
        ["--topology", &topology],
        ["--link-bandwidth", "1 GB/s"],
        ["--link-latency", "1us"],
        ["--host-link-bandwidth", "none"],
        ["--switch-delay", "0"],
        ["--cable-delay", "0"],
        ["--model", "eager.toml"],
    ]
    .concat();
    number(&folder.json(&[&["replay", goal, "-q"], &flags[..]].concat()), "simulated_seconds")
}

/// Asserts a time in nanoseconds.
#[track_caller]
fn takes(text: &str, ranks: u32, nanoseconds: f64) {
    let folder = Folder::new();
    folder.write("t.goal", text);
    let found = seconds(&folder, "t.goal", ranks) * 1e9;
    assert!((found - nanoseconds).abs() < 1e-6 * nanoseconds, "{text}\ntakes {found} ns, not {nanoseconds}");
}

#[test]
fn chains_run_beside_each_other() {
    // Two pipelines through rank 1, one in each direction. Both messages of a pipeline take 1000 + 5000 ns, and none
    // waits for the other pipeline, whatever the order of the lines.
    takes(
        "num_ranks 3\n\
         rank 0 {\na: send 5000b to 1 tag 1\nb: recv 5000b from 1 tag 2\n}\n\
         rank 1 {\na: recv 5000b from 2 tag 2\nb: send 5000b to 0 tag 2\nb requires a\n\
         c: recv 5000b from 0 tag 1\nd: send 5000b to 2 tag 1\nd requires c\n}\n\
         rank 2 {\na: calc 100\nb: send 5000b to 1 tag 2\nb requires a\nc: recv 5000b from 1 tag 1\n}\n",
        3,
        12_100.0,
    );
}

#[test]
fn calculations_wait_for_their_stream_and_for_nothing_else() {
    // One stream: one after the other.
    takes("num_ranks 1\nrank 0 {\na: calc 300\nb: calc 200\n}\n", 1, 500.0);
    // Two streams: at the same time.
    takes("num_ranks 1\nrank 0 {\na: calc 300 cpu 1\nb: calc 200\n}\n", 1, 300.0);
    // After what they require, which is on another stream.
    takes("num_ranks 1\nrank 0 {\na: calc 300 cpu 1\nb: calc 200\nb requires a\nc: calc 50\n}\n", 1, 500.0);
    // After the begin of what they require: c begins with b, and then is alone on its stream.
    takes(
        "num_ranks 1\nrank 0 {\na: calc 300\nb: calc 200\nb requires a\nc: calc 400 cpu 2\nc irequires b\n}\n",
        1,
        700.0,
    );
    // A calculation of a stream does not hold up a message that waits for another stream.
    takes(
        "num_ranks 2\nrank 0 {\na: calc 9000\nb: calc 10 cpu 1\nc: send 1000b to 1 cpu 1\nc requires b\n}\n\
         rank 1 {\na: recv 1000b from 0\nb: calc 5\nb requires a\n}\n",
        2,
        9000.0,
    );
}

#[test]
fn messages_match_by_source_destination_and_tag() {
    // The second receive is of another tag, so the calculation waits for the later message.
    takes(
        "num_ranks 2\nrank 0 {\na: send 1000b to 1 tag 4294967294\nb: calc 5000\nc: send 1000b to 1 tag 7\nc requires b\n}\n\
         rank 1 {\na: recv 1000b from 0 tag 7\nb: recv 1000b from 0 tag 4294967294\nc: calc 1\nc requires a\n}\n",
        2,
        7_001.0,
    );
    // To itself.
    takes(
        "num_ranks 1\nrank 0 {\na: send 8b to 0\nb: recv 8b from 0\nc: calc 70\nc requires b\nc requires a\n}\n",
        1,
        {
            // Over the loopback of hosts.
            let loopback = mopsim::platform::Loopback::default();
            loopback.latency.value() * 1e9 + 8.0 / loopback.bandwidth.value() * 1e9 + 70.0
        },
    );
}

#[test]
fn a_circle_is_refused_and_a_missing_message_is_a_deadlock() {
    let folder = Folder::new();
    folder.write("t.goal", "num_ranks 1\nrank 0 {\nz: calc 1\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n");
    folder.refuse(&["replay", "t.goal", "--topology", "ring:2"], 2, &["t.goal:4", "what it requires waits for itself"]);
    folder.write("u.goal", "num_ranks 2\nrank 0 {\na: recv 1b from 1 tag 5\nb: calc 1\nb requires a\n}\nrank 1 {\n}\n");
    folder.refuse(&["replay", "u.goal", "--topology", "ring:2"], 1, &["deadlock", "rank 0", "tag 5"]);
}

/// A list has one order: a conversion reports its effect on a schedule with concurrent chains.
#[test]
fn conversions_say_which_order_they_chose() {
    let chain = |first: u32, peer: u32| {
        format!(
            "r{first}: recv 9b from {peer} tag {first}\ns{first}: send 9b to {peer} tag {first}\ns{first} requires r{first}\n"
        )
    };
    let rank = |rank: u32, body: String| format!("rank {rank} {{\n{body}}}\n");
    let sends = |first: u32| format!("s{first}: send 9b to 0 tag {first}\nr{first}: recv 9b from 0 tag {first}\n");
    let text =
        format!("num_ranks 3\n{}{}{}", rank(0, chain(1, 1) + &chain(2, 2)), rank(1, sends(1)), rank(2, sends(2)));
    let folder = Folder::new();
    folder.write("t.goal", text);
    let run = folder.run(&["trace", "convert", "t.goal", "-o", "t.ti"]).success();
    let said = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
    assert!(said.contains("an operation beside which others are ready"), "{said}");
    folder.write("u.goal", "num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nb requires a\n}\n");
    let run = folder.run(&["trace", "convert", "u.goal", "-o", "u.ti"]).success();
    assert!(!String::from_utf8_lossy(&run.get_output().stderr).contains("beside which"));
}

/// Schedules of LogGOPSim's generator, and two rings as NCCL makes them: microseconds that LogGOPSim takes. In `doublering`
/// two messages reach a rank at the same time, which LogGOPSim has follow each other through its one network card (186
/// us); on a complete graph each has a link of its own (176 us), so that one is not compared.
#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn schedules_of_others_take_what_loggopsim_says() {
    let real = support::shared().join("real/goal");
    let folder = Folder::new();
    for (name, ranks, microseconds) in
        [("dissemination.16", 16, 44.0), ("nwaydissemination.16", 16, 74.0), ("rings_4_2", 4, 66.0)]
    {
        let goal = real.join(format!("{name}.goal"));
        let found = seconds(&folder, goal.to_str().expect("UTF-8"), ranks) * 1e6;
        assert!((found / microseconds - 1.0).abs() < 0.01, "{name}: {found} us, not {microseconds}");
    }
}

/// The critical path of a schedule is as long as its run, whatever ends it: a message, another processor of the rank, a
/// calculation. The slices of its timeline cover the time that a processor is at work or waits.
#[test]
fn the_path_of_a_schedule_ends_with_it() {
    let folder = Folder::new();
    let schedules = ["rings", "pipeline", "tree"].map(|name| format!("docs/schedules/{name}.goal"));
    for (file, text) in schedules.iter().map(|file| (file, std::fs::read_to_string(file).expect("a schedule"))).chain([
        // The last operation is a receive for which nothing waits, then the same on a further processor.
        (
            &"reply".to_owned(),
            "num_ranks 2\nrank 0 {\na: calc 1000\nb: send 100b to 1 tag 1\nb requires a\nc: recv 200b from 1 tag 2\n}\n\
             rank 1 {\na: recv 100b from 0 tag 1\nb: send 200b to 0 tag 2\nb requires a\n}\n"
                .to_owned(),
        ),
        (
            &"processors".to_owned(),
            "num_ranks 2\nrank 0 {\na: calc 1000 cpu 1\nb: send 100b to 1 tag 1\nb requires a\nc: recv 200b from 1 tag 2 \
             cpu 1\nd: calc 300 cpu 1\nd requires c\n}\nrank 1 {\na: recv 100b from 0 tag 1\nb: send 200b to 0 tag 2\n\
             b requires a\n}\n"
                .to_owned(),
        ),
    ]) {
        folder.write("t.goal", &text);
        let ask = ["replay", "t.goal", "-q", "--topology", "full_mesh:8", "--explain", "--timeline", "t.json"];
        let json = folder.json(&ask);
        let path = ["compute_seconds", "latency_seconds", "bandwidth_seconds"]
            .map(|part| number(&json["critical_path"], part));
        let (length, whole) = (path.iter().sum::<f64>(), number(&json, "simulated_seconds"));
        assert!(support::relative_difference(length, whole) < 1e-9, "{file}: {length} of {whole}");
        let events: serde_json::Value = serde_json::from_str(&folder.read("t.json")).expect("JSON");
        let slices = events["traceEvents"].as_array().expect("a list").iter().filter(|event| event["ph"] == "X");
        let ends = slices.map(|slice| number(slice, "ts") + number(slice, "dur")).fold(0.0, f64::max);
        assert!((ends - whole * 1e6).abs() < 1e-5, "{file}: slices end at {ends} us of {whole} s");
        std::fs::remove_file(folder.path("t.json")).expect("a timeline");
    }
}

/// Half a million operations in chains and across them.
#[test]
fn a_large_schedule_replays() {
    const MANY: u32 = 125_000;
    let rank = |rank: u32| {
        let mut text = format!("rank {rank} {{\n");
        for i in 0..MANY {
            text += &format!("a{i}: calc 3 cpu {}\nb{i}: calc 5\nb{i} requires a{i}\n", i % 4);
            if i > 0 {
                text += &format!("a{i} irequires b{}\n", i - 1);
            }
        }
        text + "}\n"
    };
    let folder = Folder::new();
    folder.write("t.goal", format!("num_ranks 2\n{}{}", rank(0), rank(1)));
    let flags = ["replay", "t.goal", "-q", "--topology", "full-mesh:n=2", "--model", "ideal"];
    let result = folder.json(&flags);
    assert_eq!(result["actions"], 4 * MANY);
    // Each of the second chain waits for its own of the first, which begins with the one before: 3 + 5 ns, less where
    // streams overlap, and never less than the chain alone.
    let nanoseconds = number(&result, "simulated_seconds") * 1e9;
    assert!(nanoseconds >= 5.0 * f64::from(MANY) && nanoseconds <= 8.0 * f64::from(MANY), "{nanoseconds}");
}

/// Two computations run in parallel, and a message follows both. The verbs that change traces keep that; as a list, one
/// computation would follow the other.
#[test]
fn changed_schedules_stay_graphs() {
    let folder = Folder::new();
    let parallel = "num_ranks 3\nrank 0 {\na: calc 100000\nb: calc 100000 cpu 1\nc: send 8b to 1 tag 1\nc requires a\n\
                    c requires b\n}\nrank 1 {\na: recv 8b from 0 tag 1\n}\nrank 2 {\na: calc 1\n}\n";
    folder.write("t.goal", parallel);
    let takes = |file: &str| (seconds(&folder, file, 3) * 1e9).round();
    let run = |verb: &[&str], from: &str, to: &str| {
        let run = folder.run(&[&["trace"], verb, &[from, "-o", to]].concat()).success();
        String::from_utf8_lossy(&run.get_output().stderr).into_owned()
    };
    assert_eq!(takes("t.goal"), 101_008.0);
    assert!(run(&["convert"], "t.goal", "a.goal").contains("a.goal: 5 operations of 3 ranks, as GOAL"));
    assert_eq!(takes("a.goal"), 101_008.0);
    run(&["convert"], "a.goal", "b.goal.bin");
    assert_eq!(takes("b.goal.bin"), 101_008.0);
    run(&["convert"], "b.goal.bin", "c.goal.zst");
    assert_eq!(takes("c.goal.zst"), 101_008.0);
    run(&["scale", "--compute", "0.5"], "b.goal.bin", "half.goal");
    assert_eq!(takes("half.goal"), 51_008.0);
    run(&["cut", "--ranks", "0-1"], "t.goal", "cut.goal.bin");
    assert_eq!(takes("cut.goal.bin"), 101_008.0);
    // A list has one order, which is reported with its effect.
    for (verb, file) in [
        (&["convert"][..], "l.ti"),
        (&["scale", "--compute", "0.5"], "l.mtrace"),
        (&["cut", "--ranks", "0-1"], "l2.ti"),
        (&["cut", "--window", "0%-100%"], "l.goal"),
    ] {
        let said = run(verb, "t.goal", file);
        assert!(said.contains("in a list one after the other, so a replay can take longer"), "{verb:?}: {said}");
    }
    assert_eq!(takes("l.goal"), 201_008.0);
    // The contents are those of the schedule.
    let info = folder.json(&["trace", "info", "t.goal"]);
    let calls: Vec<&str> =
        info["calls"].as_array().expect("a list").iter().filter_map(|c| c["call"].as_str()).collect();
    assert_eq!((calls, &info["compact_bytes"]), (vec!["calc", "recv", "send"], &serde_json::Value::Null));
}

/// The file of a model beside a schedule of the same name is read as a description of the schedule, and refused.
#[test]
fn a_model_file_of_the_same_name_is_no_side_file() {
    let folder = Folder::new();
    folder.write("t.goal", "num_ranks 1\nrank 0 {\na: calc 1\n}\n");
    folder.write("t.toml", "network_model = 'loggops'\n");
    let run = ["replay", "t.goal", "--topology", "ring:2", "--model", "t.toml"];
    folder.refuse(&run, 2, &["t.toml:1", "the side file of the trace, NAME.toml", "rename it if it is something else"]);
}
