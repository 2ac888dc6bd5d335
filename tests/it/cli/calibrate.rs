//! `mopsim calibrate` on the output of real benchmarks: OSU 5.0 and 7.4, Intel MPI Benchmarks 2021.11 and NetPIPE 3.7,
//! with Open MPI 4.1.4 on one busy machine, so that times are noisy.

use crate::support::cli::{Folder, MESSAGE, assert_80_columns, number};
use crate::support::data;
use crate::support::programs::libraries;
use serde_json::Value;
use std::process::Command;

fn folder() -> Folder {
    let folder = Folder::with_trace(MESSAGE);
    for name in [
        "osu_latency.txt",
        "osu_bw.txt",
        "osu_bibw.txt",
        "osu_latency-5.0.txt",
        "imb.txt",
        "netpipe.out",
        "netpipe.txt",
    ] {
        folder.write(name, std::fs::read(data().join("calibrate").join(name)).expect("test data"));
    }
    folder
}

fn points(result: &Value) -> Vec<Value> {
    result["points"].as_array().expect("a list").clone()
}

#[test]
fn output_of_known_benchmarks_becomes_a_model() {
    let folder = folder();
    let osu = ["calibrate", "osu_latency.txt", "osu_bw.txt", "osu_bibw.txt", "-o", "m.toml", "--svg", "m.svg"];
    let result = folder.json(&osu);
    assert_eq!(result["schema"], "mopsim.calibrate/1");
    // 24 sizes from 0 B on, then 23 each way, since bandwidths have no 0 B.
    let kinds = |kind: &str| points(&result).iter().filter(|point| point["kind"] == kind).count();
    assert_eq!([kinds("ping-pong"), kinds("stream"), kinds("both ways")], [23, 23, 23]);
    assert!(result["crosstraffic"].as_f64().is_some());
    let model = folder.read("m.toml");
    assert!(model.starts_with("# Network model, written by mopsim calibrate"), "{model}");
    assert!(model.contains("OSU MPI Latency Test v7.4") && model.contains("delivery = \"in-order\""), "{model}");
    assert!(folder.read("m.svg").contains("ping-pong, measured"));
    // It is a model like any other, and reports state its basis.
    let replay = ["replay", "t.ti", "--topology", "ring:4", "--model", "m.toml"];
    let basis = &folder.json(&replay)["model"]["basis"][0];
    assert!(basis["calibration"].as_str().is_some_and(|text| text.contains("OSU MPI Bandwidth Test v7.4")), "{basis}");
    let text = folder.output(&replay);
    assert!(text.contains("calibrated on OSU MPI Latency Test"), "{text}");
    // It replaces its own output.
    folder.run(&osu).success();
    let text = folder.output(&["calibrate", "osu_latency.txt", "--link-bandwidth", "100 Gbit/s"]);
    assert!(text.contains("not determined: how long a sender needs"), "{text}");
    assert_80_columns(&text);
    for (file, kinds, sizes) in [
        ("osu_latency-5.0.txt", vec!["ping-pong"], 24),
        ("netpipe.out", vec!["ping-pong"], 106),
        ("netpipe.txt", vec!["ping-pong"], 106),
    ] {
        let found = points(&folder.json(&["calibrate", file]));
        assert_eq!(found.len(), sizes, "{file}");
        assert!(found.iter().all(|point| kinds.iter().any(|kind| point["kind"] == *kind)), "{file}");
    }
    // The file and what is printed are the same measurements: the file has two more digits.
    let [of_file, printed] = ["netpipe.out", "netpipe.txt"].map(|file| points(&folder.json(&["calibrate", file])));
    for (a, b) in of_file.iter().zip(&printed) {
        assert_eq!(a["bytes"], b["bytes"]);
        assert!((number(a, "measured_us") - number(b, "measured_us")).abs() < 0.011, "{a} {b}");
    }
    let both = folder.output(&["calibrate", "osu_latency.txt", "osu_latency-5.0.txt"]);
    assert!(both.contains("which of osu_latency.txt and osu_latency-5.0.txt"), "{both}");
    // Sizes a few bytes apart, as NetPIPE has them, are no slope: the model stays near its measurements.
    let netpipe = folder.json(&["calibrate", "netpipe.out"]);
    assert!(number(&netpipe, "ping_pong_median_error") < 50.0, "{netpipe}");
    let imb = folder.json(&["calibrate", "imb.txt"]);
    let kinds: Vec<usize> = ["ping-pong", "stream", "both ways"]
        .map(|kind| points(&imb).iter().filter(|point| point["kind"] == kind).count())
        .to_vec();
    assert_eq!(kinds, [22, 21, 21]);
    assert_eq!(points(&imb)[1]["measured_us"], 0.6);
}

#[test]
fn a_page_shows_measured_and_modelled_times() {
    let folder = folder();
    let run = ["calibrate", "osu_latency.txt", "osu_bw.txt", "osu_bibw.txt", "--html", "page.html"];
    let result = folder.json(&run);
    let page = folder.read("page.html");
    // A mark in both parts of the drawing of its kind for each point, and a row of the table.
    assert_eq!(page.matches("class=\"mark stroke-net").count(), 2 * points(&result).len() + 3, "with the legend");
    assert_eq!(page.matches("<figure").count(), 3);
    assert_eq!(page.matches("<td class=\"nowrap\">").count(), points(&result).len());
    let row = &points(&result)[0];
    let measured = format!("<data value=\"{}\">", number(row, "measured_us"));
    assert!(page.contains(&measured), "{measured}");
    let ping_pong = points(&result).into_iter().filter(|point| point["kind"] == "ping-pong");
    let ratios = ping_pong.map(|point| number(&point, "modelled_us") / number(&point, "measured_us"));
    let factor = format!("{:.2} ×</data>", ratios.map(|ratio| ratio.max(1.0 / ratio)).fold(1.0, f64::max));
    assert!(page.contains(&factor), "{factor}");
    assert!(page.contains("how latency grows with the number of switches"), "what is not determined");
    assert!(page.contains("delivery = &quot;in-order&quot;"), "the model file");
    assert!(!page.contains("<script") && !page.contains("http://"), "nothing runs, and nothing is loaded");
    assert!(!page.contains("NaN") && !page.contains("inf"), "no number is missing");
    // It replaces its own output, and nothing else.
    folder.run(&run).success();
    folder.refuse(&["calibrate", "osu_latency.txt", "--html", "t.ti"], 2, &["t.ti"]);
    // One kind, with files that differ: a page as well.
    folder.run(&["calibrate", "osu_latency.txt", "osu_latency-5.0.txt", "--html", "page.html"]).success();
    let page = folder.read("page.html");
    assert_eq!(page.matches("<figure").count(), 1);
    assert!(page.contains("stroke-net0") && page.contains("class=\"mark stroke-net1"), "a colour for each file");
}

/// The speed of a host as `calibrate --host -o` writes it.
fn host(name: &str, product: f64, triad: f64) -> String {
    let rate = |value: f64| format!("[{value:e}, {:e}, {:e}]", 0.9 * value, 1.1 * value);
    format!(
        "host = \"{name}\"\nprocessor = \"P\"\ncores = 4\nproduct_one_core = {}\nproduct_all_cores = {}\n\
         triad_one_core = {}\ntriad_all_cores = {}\n",
        rate(2.0 * product),
        rate(product),
        rate(2.0 * triad),
        rate(triad)
    )
}

#[test]
fn hosts_are_compared_by_their_kernels() {
    let folder = Folder::new();
    folder.write("old.toml", host("old", 1e10, 4e9));
    folder.write("new.toml", host("new", 2e10, 5e9));
    let compare = ["calibrate", "--host", "new.toml", "--relative-to", "old.toml"];
    let result = folder.json(&compare);
    assert_eq!(result["schema"], "mopsim.calibrate-host/1");
    let rates = result["rates"].as_array().expect("a list");
    let speeds: Vec<f64> = rates.iter().map(|rate| number(rate, "host_speed_gflops")).collect();
    // Hosts have 100 Gflop/s by default, and recordings count on that.
    for (speed, expected) in speeds.iter().zip([200.0, 200.0, 125.0, 125.0]) {
        assert!((speed - expected).abs() < 1e-9, "{speeds:?}");
    }
    let text = folder.output(&compare);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let ends =
        "--host-speed \"200 Gflop/s\" (programs that compute in cache) to \"125 Gflop/s\" (programs limited by memory)";
    assert!(words.contains(&format!("replay recordings of old with {ends}")), "{text}");
    assert!(words.contains("uncertain by up to 22 %"), "1.1 / 0.9: {text}");
    // Nothing is broken within a word.
    for part in ["Gflop/s or GB/s", " range ", " recorded ", " ratio ", " 36.0-44.0 ", " 4.5-5.5 "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_80_columns(&text);
    let csv = folder.output(&[&compare[..], &["--format", "csv"]].concat());
    assert!(csv.starts_with("kernel,busy_cores,giga_per_second,smallest,largest,recorded,"), "{csv}");
    assert!(csv.contains("\nmatrix product,one,40,36,44,"), "{csv}");
    assert!(folder.output(&["calibrate", "--host", "new.toml"]).contains("--relative-to FILE"));
    let refuse = |arguments: &[&str], parts: &[&str]| {
        folder.refuse(&[&["calibrate", "--host"], arguments].concat(), 2, parts);
    };
    folder.write("bad.toml", host("bad", 1e10, 4e9).replace("cores = 4", "cores = \"four\""));
    refuse(&["bad.toml"], &["bad.toml:3:9: ", "help: give a file that `mopsim calibrate --host -o FILE` wrote"]);
    folder.write("key.toml", host("key", 1e10, 4e9).replace("product_one_core", "clock = 3\nproduct_one_core"));
    refuse(&["key.toml"], &["key.toml:4:1: unknown field `clock`"]);
    folder.write("zero.toml", host("zero", 1e10, 4e9).replace("triad_one_core = [8e9", "triad_one_core = [-8e9"));
    refuse(&["zero.toml"], &["zero.toml:6:19: triad_one_core: -8e9 is not a number above 0"]);
    folder.write("cores.toml", host("cores", 1e10, 4e9).replace("cores = 4", "cores = 0"));
    refuse(&["cores.toml"], &["cores.toml:3:9: cores: 0 is not"]);
    folder.write("order.toml", host("order", 1e10, 4e9).replace("[8e9", "[9e9"));
    refuse(&["order.toml"], &["order.toml:6:19: triad_one_core: the median 9e9 is not between the smallest 7.2e9"]);
    // Options of networks do nothing for hosts.
    for option in [&["--link-latency", "5 us"][..], &["--measurements", "x"], &["--mpicc", "cc"], &["--", "ls"]] {
        refuse(&[&["new.toml"], option].concat(), &["cannot be used with"]);
    }
    refuse(&["new.toml", "old.toml"], &["old.toml is a second one", "--relative-to"]);
    refuse(&["new.toml", "--relative-to", "new.toml", "-o", "new.toml"], &["new.toml"]);
    folder.refuse(&["calibrate", "new.toml", "--relative-to", "old.toml"], 2, &["--host"]);
}

#[test]
fn this_host_is_measured() {
    if Command::new("cc").arg("--version").output().is_err() {
        return;
    }
    let folder = Folder::new();
    let result = folder.json(&["calibrate", "--host", "-o", "here.toml"]);
    let rates = result["rates"].as_array().expect("a list");
    assert!(rates.len() == 4 && rates.iter().all(|rate| number(rate, "giga_per_second") > 1e-3), "{result}");
    assert!(folder.read("here.toml").starts_with("# Speed of a host, measured by mopsim calibrate --host"));
    // Relative to itself it is as fast as it is.
    let same = folder.json(&["calibrate", "--host", "here.toml", "--relative-to", "here.toml"]);
    assert!(same["rates"].as_array().expect("a list").iter().all(|rate| number(rate, "ratio") == 1.0), "{same}");
}

/// A folder with a C compiler of its own, which makes a shell script of any program.
#[cfg(unix)]
fn compiler(refused: &str, script: &str) -> Folder {
    let folder = Folder::new();
    let text = format!(
        "#!/bin/sh\necho \"$@\" >> calls\ncase \"$*\" in *{refused}*) echo \"unknown {refused}\" >&2; exit 1;; esac\n\
         while [ \"$1\" != -o ]; do shift; done\nprintf '#!/bin/sh\\n{script}\\n' > \"$2\"\nchmod +x \"$2\"\n"
    );
    folder.write("compiler", text);
    folder.write("tmp/README", "");
    folder
}

#[cfg(unix)]
#[test]
fn compilers_have_options_and_may_lack_some() {
    let rates = "printf \"%%s\\n\" \"product 1 8e9 6e9 9e9\" \"triad 1 4e9 3e9 5e9\" \"product 2 7e9 7e9 7e9\" \"triad 2 2e9 1e9 2e9\"";
    let folder = compiler("-march=native", rates);
    let run = |compiler: &str| folder.command(&["calibrate", "--host"]).env("CC", compiler).assert();
    let out = run(" sh ./compiler -O2 ").success();
    let said = String::from_utf8_lossy(&out.get_output().stderr).into_owned();
    assert!(said.contains("sh refuses -march=native"), "{said}");
    let shown = String::from_utf8_lossy(&out.get_output().stdout).into_owned();
    assert!(shown.contains("6.0-9.0"), "{shown}");
    let calls = folder.read("calls");
    let calls: Vec<&str> = calls.lines().collect();
    assert!(calls.len() == 2 && calls.iter().all(|call| call.starts_with("-O2 -O3 -pthread ")), "{calls:?}");
    assert!(calls[0].contains("-march=native") && !calls[1].contains("-march=native"), "{calls:?}");
    let folder = compiler("-pthread", rates);
    let refused = folder.command(&["calibrate", "--host"]).env("CC", "sh ./compiler").assert().code(2);
    refused.stderr(predicates::str::contains("unknown -pthread"));
}

/// Nothing is left of a measurement that is interrupted, also if the terminal is not the sender of the signal.
#[cfg(unix)]
#[test]
fn an_interrupted_measurement_leaves_nothing() {
    use std::time::{Duration, Instant};
    let folder = compiler("no-such-option", "echo $$ > pid.part; mv pid.part pid; exec sleep 100");
    let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
    command.current_dir(folder.path("")).args(["calibrate", "--host"]);
    command.env("CC", "sh ./compiler").env("TMPDIR", folder.path("tmp"));
    let child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    let begin = Instant::now();
    while !folder.path("pid").is_file() {
        assert!(begin.elapsed() < Duration::from_secs(30), "it is not measured");
        std::thread::sleep(Duration::from_millis(10));
    }
    let signal = |name: &str, pid: &str| {
        let run = Command::new("sh").args(["-c", &format!("kill -{name} {pid} 2>&1")]).output().expect("a shell");
        run.status.success()
    };
    let measured = folder.read("pid");
    assert!(signal("0", measured.trim()), "it runs");
    assert!(signal("INT", &child.id().to_string()));
    let out = child.wait_with_output().expect("it ends");
    assert_eq!(out.status.code(), Some(130), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(!signal("0", measured.trim()), "it still runs");
    let left: Vec<_> = std::fs::read_dir(folder.path("tmp")).expect("a folder").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn wrong_measurements_are_refused() {
    let folder = folder();
    folder.refuse(&["calibrate"], 2, &["FILE"]);
    folder.refuse(&["calibrate", "no.txt"], 3, &["no.txt"]);
    folder.refuse(
        &["calibrate", "t.ti"],
        2,
        &["t.ti:1: none of the 6 lines begins measurements", "help: give the output of osu_latency"],
    );
    folder.refuse(&["calibrate", "osu_bw.txt"], 2, &["no ping-pong is among the measurements"]);
    folder.refuse(
        &["calibrate", "osu_latency.txt", "--link-latency", "1 s"],
        2,
        &["cannot be faster than its links", "--link-latency"],
    );
    folder.refuse(&["calibrate", "osu_latency.txt", "-o", "t.ti"], 2, &["t.ti"]);
    folder.refuse(&["calibrate", "osu_latency.txt", "-o", "osu_latency.txt"], 2, &["this file is read"]);
    let cut = folder.read("osu_latency.txt").replacen("4096 ", "4096 x", 1);
    folder.write("cut.txt", cut);
    folder.refuse(&["calibrate", "cut.txt"], 2, &["cut.txt:", "is not a number"]);
    let absurd = folder.read("osu_bw.txt").replacen("1502.39", "1e308", 1);
    folder.write("absurd.txt", absurd);
    let line = folder.read("absurd.txt").lines().position(|line| line.contains("1e308")).expect("it is there") + 1;
    folder.refuse(
        &["calibrate", "osu_latency.txt", "absurd.txt"],
        2,
        &[&format!("absurd.txt:{line}: `1e308`"), "help:"],
    );
    // The highest rate that is read has a model.
    folder.write("extreme.txt", folder.read("osu_bw.txt").replacen("1502.39", "1e9", 1));
    folder.output(&["calibrate", "osu_latency.txt", "extreme.txt"]);
    folder.refuse(&["calibrate", "--run"], 2, &["--run has no command"]);
}

#[test]
fn the_benchmark_measures_two_ranks() {
    for library in libraries() {
        let folder = Folder::new();
        let run = |options: &[&str], ranks: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
            command.current_dir(folder.path(".")).args(["calibrate", "--run", "--format", "json"]);
            // On a busy machine ranks take turns on a core, and no bandwidth follows from times that are equal for all sizes.
            command.args(["--link-bandwidth", "1000 GB/s", "--mpicc", library.mpicc]).args(options);
            command.args(["--", library.mpirun, "-n", ranks]);
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
            command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env("OMPI_MCA_mpi_yield_when_idle", "1");
            command.output().expect("it starts")
        };
        let out = run(&["--measurements", "out.txt", "-o", "m.toml"], "2");
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let result: Value = serde_json::from_slice(&out.stdout).expect("JSON");
        // 43 sizes of each kind, from 1 B to 4 MiB.
        assert_eq!(points(&result).len(), 3 * 43);
        assert!(folder.read("m.toml").contains("mopsim's benchmark, ping-pong"));
        let again = folder.json(&["calibrate", "--link-bandwidth", "1000 GB/s", "out.txt"]);
        assert_eq!(again["sections"], result["sections"]);
        let out = run(&[], "1");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && said.contains("ends with"), "{said}");
    }
}

/// Models of fabrics are what the command in their README makes of the published tables.
#[test]
fn published_fabrics_are_fitted_to_their_tables() {
    let fabrics = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/fabrics");
    let readme = std::fs::read_to_string(fabrics.join("README.md")).expect("a README");
    for name in ["slingshot-11-openmpi", "slingshot-11-cray-mpich"] {
        assert!(readme.contains(&format!("`{name}.toml`")), "{name}");
        let folder = Folder::with_trace(MESSAGE);
        folder.write("table.txt", std::fs::read(fabrics.join(format!("{name}.txt"))).expect("a table"));
        let route = ["--link-bandwidth", "200 Gbit/s", "--link-latency", "1 us"];
        let result = folder.json(&[&["calibrate", "table.txt", "-o", "m.toml"], &route[..]].concat());
        let shipped = std::fs::read_to_string(fabrics.join(format!("{name}.toml"))).expect("a model");
        assert_eq!(folder.read("m.toml"), shipped, "{name}");
        let errors: Vec<f64> = points(&result)
            .iter()
            .filter(|point| point["kind"] == "ping-pong")
            .map(|point| (number(point, "modelled_us") / number(point, "measured_us") - 1.0).abs())
            .collect();
        assert!(errors.len() == 23 && errors.iter().all(|&error| error < 0.08), "{name}: {errors:?}");
        folder.run(&["replay", "t.ti", "--topology", "ring:4", "--model", "m.toml"]).success();
    }
}
