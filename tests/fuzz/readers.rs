//! The program on mutated files of every kind that it reads: it ends with one of its exit codes, within its limits of
//! time and memory, and nothing in the file controls the terminal.
//!
//! In the tests, each reader gets a few mutations; `fuzz/nightly` runs 10,000. `MOPSIM_MUTATIONS` sets that number,
//! `MOPSIM_READERS` a list of readers, and `MOPSIM_SEED` the first seed. Inputs that break a rule are kept in
//! `target/fuzz-failures`, with the command.

use super::mutate::{forge, mutate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Number of mutations of each reader's files in the tests.
const FEW: usize = 12;

/// Substitute for the exit code of a run that was stopped.
const UNFINISHED: i32 = -1;

/// Longest time of a run. Slowness because of a busy machine should not be a failure.
const LONGEST: Duration = Duration::from_secs(60);

/// Memory limit of a run.
const MEMORY: &str = "1GB";

/// A kind of file.
struct Reader {
    name: &'static str,
    /// Name of the mutated file.
    file: &'static str,
    seeds: Vec<Vec<u8>>,
    /// Commands that read it.
    commands: Vec<Vec<&'static str>>,
    /// `true` if checksums are corrected after a mutation.
    forge: bool,
}

const PING: &str = "0 init\n1 init\n0 compute 1e6\n0 send 1 0 100 6\n1 recv 0 0 100 6\n0 allreduce 64 1000 0 6\n1 allreduce 64 1000 0 6\n0 finalize\n1 finalize\n";
const STUDY: &str = "title = 't'\n[[networks]]\nname = 'a'\ntopology = 'torus:2x2'\n[[networks]]\ntopology = 'ring:4'\n[[workloads]]\ntrace = 'ping.ti'\nweight = 1.5\n";
const EDGES_SEED: &str = "# undirected n=4 hosts=0-3\n0 1\n1 2\n2 3\n3 0\n";
const PROGRAM: &str = "load(\"@mopsim//grid.star\", \"dims_create\")\nPARAMETERS = [{\"name\": \"steps\", \"default\": 3, \"help\": \"x\"}]\ndef main(rank, size, params):\n    dims = dims_create(size, 2)\n    for step in range(params.steps):\n        compute(1e6 * (rank + 1))\n        r = irecv((rank + 1) % size, 100, DOUBLE)\n        send((rank - 1) % size, 100, DOUBLE)\n        wait(r)\n        allreduce(8, DOUBLE)\n    x = [i for i in range(10) if i % 2]\n    barrier()\n";

/// Returns the seeds of the fuzz targets whose names begin with a prefix.
fn seeds(folder: &str, prefix: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(folder);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).expect("seeds").map(|file| file.expect("a file").path()).collect();
    files.retain(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)));
    files.sort();
    assert!(!files.is_empty(), "{prefix} has seeds");
    files.iter().map(|file| fs::read(file).expect("is read")).collect()
}

/// Returns the output of the program with some arguments.
fn written(folder: &Path, arguments: &[&str], file: &str) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_mopsim")).current_dir(folder).args(arguments).output().expect("runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    if file.is_empty() { output.stdout } else { fs::read(folder.join(file)).expect("is written") }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(bytes).expect("memory takes it");
    gzip.finish().expect("memory takes it")
}

/// Returns all readers. `folder` gets other files that the mutated one needs.
fn readers(folder: &Path) -> Vec<Reader> {
    let put = |name: &str, content: &[u8]| fs::write(folder.join(name), content).expect("is written");
    put("ping.ti", PING.as_bytes());
    put("study.toml", STUDY.as_bytes());
    put("a.ti", b"0 init\n0 barrier\n0 finalize\n");
    put("b.ti", b"1 init\n1 barrier\n1 finalize\n");
    let make = |arguments: &[&str], file: &str| written(folder, arguments, file);
    let mtrace = make(&["-q", "trace", "convert", "ping.ti", "-o", "p.mtrace"], "p.mtrace");
    let results = make(&["-q", "compare", "study.toml", "--results", "r.seed"], "r.seed");
    let sweep = ["packets", "ring:4", "--load", "0.1,0.5", "--warmup", "20", "--measure", "50", "-q", "--threads", "1"];
    let points = make(&[&sweep[..], &["--results", "s.seed"]].concat(), "s.seed");
    let state = make(
        &["-q", "design", "equality", "--n", "16", "--degree", "4", "--generations", "3", "--state", "e.seed"],
        "e.seed",
    );
    let recordings = seeds("recording", "ring");
    let trace = |name, file: &'static str, seeds, forge| Reader {
        name,
        file,
        seeds,
        commands: vec![
            vec!["replay", file, "--topology", "torus:2x2"],
            vec!["trace", "check", file],
            vec!["trace", "info", file],
            vec!["trace", "convert", file, "-o", "out.mtrace", "--force"],
            vec!["trace", "convert", file, "-o", "out.goal", "--force"],
        ],
        forge,
    };
    let other = |name, file, seeds, commands| Reader { name, file, seeds, commands, forge: false };
    let platform = |name, file: &'static str, seeds| {
        let commands = vec![
            vec!["replay", "ping.ti", "--mapping", "block", "--platform", file],
            vec!["export", "--platform", file, "--to", "simgrid"],
        ];
        other(name, file, seeds, commands)
    };
    let graph = |name, file: &'static str, seeds| {
        let commands = vec![
            vec!["topology", file, "--bisection", "1"],
            vec!["replay", "ping.ti", "--mapping", "block", "--topology", file],
        ];
        other(name, file, seeds, commands)
    };
    let small_platform =
        b"topology = 'torus:2x2'\n[parameters]\nlink_bandwidth = '10 Gbit/s'\nhosts_per_switch = 2\n".to_vec();
    let prices = include_bytes!("../../data/prices/equality.toml").to_vec();
    let export = |to| make(&["export", "torus:2x2", "--to", to], "");
    vec![
        trace("ti", "t.ti", vec![PING.as_bytes().to_vec(), seeds("trace", "communicators").remove(0)], false),
        trace("mtrace", "t.mtrace", vec![mtrace.clone()], false),
        trace("mtrace with right checksums", "t.mtrace", vec![mtrace.clone()], true),
        trace("goal", "t.goal", seeds("trace", "goal"), false),
        trace("goal in binary", "t.bin", seeds("trace", "goal-binary"), false),
        trace("otf2", "t.txt", seeds("trace", "otf2"), false),
        trace(
            "packed",
            "t.in",
            vec![
                gzip(PING.as_bytes()),
                zstd::encode_all(PING.as_bytes(), 1).expect("packs"),
                zstd::encode_all(&mtrace[..], 1).expect("packs"),
            ],
            false,
        ),
        trace("list", "list", vec![b"a.ti\nb.ti\n".to_vec()], false),
        trace("dumpi", "x-0000.bin", seeds("dumpi", ""), false),
        trace("liballprof", "x-0.txt", seeds("liballprof", ""), false),
        trace("recording of one rank", "rank-000000.mrec", seeds("recording", ""), false),
        trace("recording of a ring", "rank-000000.mrec", recordings, false),
        platform("platform in JSON", "p.json", seeds("platform", "small")),
        platform(
            "platform in XML",
            "p.xml",
            [seeds("platform", "torus"), seeds("platform", "fat"), seeds("platform", "nested")].concat(),
        ),
        platform("platform in TOML", "p.toml", vec![small_platform]),
        graph("graph in JSON", "g.json", vec![export("json")]),
        graph("graph in GraphML", "g.graphml", vec![export("graphml")]),
        graph("graph in GML", "g.gml", seeds("graph", "small.gml")),
        graph("nodes and links", "g.json", seeds("graph", "links.json")),
        graph("fabric of ibnetdiscover", "g.ibnet", seeds("graph", "fabric")),
        graph("network of BookSim", "g.anynet", seeds("graph", "network")),
        graph("edges", "g.txt", vec![EDGES_SEED.as_bytes().to_vec(), export("edges")]),
        other("specification", "spec", seeds("spec", ""), vec![vec!["topology", "--bisection", "0", "--"]]),
        other("study", "s.toml", vec![STUDY.as_bytes().to_vec()], vec![vec!["compare", "s.toml", "--threads", "1"]]),
        other(
            "study of throughput",
            "f.toml",
            vec![b"patterns = ['uniform', 'transpose']\n[[networks]]\ntopology = 'torus:2x2'\n".to_vec()],
            vec![vec!["throughput", "f.toml", "--threads", "1"]],
        ),
        other(
            "host file",
            "h",
            vec![b"h0\nh2\n".to_vec()],
            vec![vec!["replay", "ping.ti", "--topology", "torus:2x2", "--hostfile", "h"]],
        ),
        other(
            "rank file",
            "h",
            vec![b"rank 0=h1 slot=0\nrank 1=h0 slot=0\n".to_vec()],
            vec![vec!["replay", "ping.ti", "--topology", "torus:2x2", "--rankfile", "h"]],
        ),
        other(
            "program",
            "p.star",
            vec![PROGRAM.as_bytes().to_vec()],
            vec![vec!["workload", "p.star", "--ranks", "4", "--max-steps", "100000"]],
        ),
        other(
            "prices",
            "pr.toml",
            vec![prices],
            vec![vec!["topology", "torus:2x2", "--bisection", "0", "--prices", "pr.toml"]],
        ),
        other(
            "results",
            "r.jsonl",
            vec![results],
            vec![
                vec!["merge", "study.toml", "r.jsonl"],
                vec!["compare", "study.toml", "--threads", "1", "--results", "r.jsonl", "--resume"],
            ],
        ),
        other(
            "points",
            "s.jsonl",
            vec![points],
            vec![vec!["merge", "s.jsonl"], [&sweep[..], &["--results", "s.jsonl", "--resume"]].concat()],
        ),
        other(
            "matrix",
            "m.csv",
            vec![
                b"0 1 2 0\n1 0 0 3\n1 1 0 1\n0 0 1 0\n".to_vec(),
                b"source destination weight\n0 1 2\n1 2 0.5\n".to_vec(),
            ],
            vec![vec!["throughput", "torus:2x2", "--threads", "1", "--matrix", "m.csv"]],
        ),
        other(
            "side file",
            "ping.toml",
            vec![b"title = 'x'\noperations = 4e9\nformula = 'n^2'\niterations = 3\n".to_vec()],
            vec![vec!["replay", "ping.ti", "--topology", "torus:2x2"]],
        ),
        other(
            "saved search",
            "e.json",
            vec![state],
            vec![vec!["design", "equality", "--n", "16", "--degree", "4", "--generations", "6", "--state", "e.json"]],
        ),
        other(
            "rule file of collectives",
            "rules",
            vec![RULES.as_bytes().to_vec(), JSON_RULES.as_bytes().to_vec()],
            vec![
                vec![
                    "collectives",
                    "allreduce",
                    "bcast",
                    "--ranks",
                    "8",
                    "--size",
                    "1000",
                    "--collectives",
                    "ompi:rules",
                ],
                vec!["replay", "ping.ti", "--topology", "torus:2x2", "--collectives", "ompi:rules"],
            ],
        ),
        other(
            "measurements",
            "times.txt",
            vec![
                include_bytes!("../data/calibrate/osu_latency.txt").to_vec(),
                include_bytes!("../data/calibrate/osu_bibw.txt").to_vec(),
                include_bytes!("../data/calibrate/imb.txt").to_vec(),
                include_bytes!("../data/calibrate/netpipe.out").to_vec(),
                include_bytes!("../data/calibrate/netpipe.txt").to_vec(),
            ],
            vec![vec!["calibrate", "times.txt"], vec!["calibrate", "times.txt", "--link-latency", "100 ns"]],
        ),
    ]
}

/// Rules of Open MPI's tuned module, classic.
const RULES: &str = "rule-file-version-2\n2 # collectives\n2 # allreduce\n2\n4\n2\n0 3 0 0\n512 5 0 64\n16 1\n0 4 0 0\n\
                     7 # bcast\n1\n2\n3\n0 2 3 128\n300 4 0 0\n900 9 0 1024 7\n";

/// The form of Open MPI 6.
const JSON_RULES: &str = r#"{"rule_file_version": 3, "module": "tuned", "collectives": {"allreduce": [{"comm_size_min": 4,
"comm_rank_distribution": "one-per-node", "rules": [{"msg_size_max": "inf", "alg": "segmented_ring", "seg_size": 64}]}],
"bcast": [{"rules": [{"msg_size_min": 10, "msg_size_max": 2000, "alg": 2, "faninout": 3, "seg_size": 100}, {"alg": 0}]}]}}"#;

/// Runs the program, and returns its exit code and its standard error.
fn run(folder: &Path, arguments: &[String]) -> (Option<i32>, Vec<u8>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mopsim"))
        .current_dir(folder)
        .args(arguments)
        .args(["--memory", MEMORY])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut errors = child.stderr.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        let _ = errors.read_to_end(&mut said);
        said
    });
    let begin = Instant::now();
    let code = loop {
        match child.try_wait().expect("a child") {
            Some(status) => break status.code(),
            None if begin.elapsed() > LONGEST => {
                child.kill().expect("SIGKILL");
                child.wait().expect("it is gone");
                break Some(UNFINISHED);
            }
            None => std::thread::sleep(Duration::from_micros(500)),
        }
    };
    (code, reader.join().expect("a reader"))
}

/// Returns the fault of a run, if any.
fn fault(code: Option<i32>, said: &[u8]) -> Option<&'static str> {
    let text = String::from_utf8_lossy(said);
    match code {
        None => Some("it was ended by a signal"),
        // A number that became large may request days of work, as long as that is reported.
        Some(UNFINISHED) if ["not done yet", " to go"].iter().any(|words| text.contains(words)) => None,
        Some(UNFINISHED) => Some("it did not end, and did not say that it takes long"),
        Some(0..=3) if text.contains("panicked") => Some("it panicked"),
        Some(0..=3) if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') => {
            Some("control characters are on standard error")
        }
        Some(2 | 3) if !text.contains("error: ") => Some("it says no error"),
        Some(0..=3) => None,
        Some(_) => Some("its exit code is none of those that are described"),
    }
}

#[test]
fn the_program_takes_changed_files_of_every_kind() {
    let variable = |name: &str| std::env::var(name).ok();
    let changes = variable("MOPSIM_MUTATIONS").map_or(FEW, |text| text.parse().expect("a number"));
    let wanted = variable("MOPSIM_READERS");
    let seed: u64 = variable("MOPSIM_SEED").map_or(7, |text| text.parse().expect("a number"));
    let folder = tempfile::tempdir().expect("a folder");
    let readers = readers(folder.path());
    assert_eq!(readers.len(), 36);
    let mut faults = Vec::new();
    for (index, reader) in (0..).zip(&readers) {
        if wanted.as_ref().is_some_and(|wanted| !wanted.split(',').any(|name| name == reader.name)) {
            continue;
        }
        let mut random = Pcg64Mcg::seed_from_u64(seed.wrapping_mul(1000) + index);
        let mut codes: BTreeMap<i32, usize> = BTreeMap::new();
        for change in 0..changes {
            let mut bytes = reader.seeds[random.random_range(0..reader.seeds.len())].clone();
            mutate(&mut bytes, &mut random);
            if reader.forge {
                forge(&mut bytes);
            }
            let mut arguments: Vec<String> = reader.commands[random.random_range(0..reader.commands.len())]
                .iter()
                .map(ToString::to_string)
                .collect();
            if reader.file == "spec" {
                let text = String::from_utf8_lossy(&bytes).replace('\0', "");
                arguments.push(text.chars().take(50_000).collect());
            }
            fs::write(folder.path().join(reader.file), &bytes).expect("is written");
            let ordered = if reader.file == "spec" { ahead(&arguments) } else { arguments.clone() };
            let (code, said) = run(folder.path(), &ordered);
            *codes.entry(code.unwrap_or(-1)).or_default() += 1;
            if let Some(fault) = fault(code, &said) {
                let said = String::from_utf8_lossy(&said).chars().take(500).collect::<String>();
                let text = format!(
                    "{}, change {change}: {fault} ({code:?}): {arguments:?}\n{}",
                    reader.name,
                    said.escape_debug()
                );
                keep(reader, change, &bytes, &text);
                faults.push(text);
            }
            // A side file that a mutation left behind would be read by the others.
            let _ = fs::remove_file(folder.path().join(reader.file));
        }
        eprintln!("{}: exit codes {codes:?}", reader.name);
    }
    assert!(faults.is_empty(), "{} faults, the first:\n{}", faults.len(), faults[0]);
}

/// Replaces the arguments after `--` by one without leading hyphen, so that options such as `--memory` can be appended.
fn ahead(arguments: &[String]) -> Vec<String> {
    let at = arguments.iter().position(|argument| argument == "--").unwrap_or(arguments.len());
    let text = arguments[at + 1..].concat();
    // A leading hyphen would make the text an option.
    let text = if text.starts_with('-') { format!("x{text}") } else { text };
    [&arguments[..at], &[text]].concat()
}

/// Keeps an input for debugging.
fn keep(reader: &Reader, change: usize, bytes: &[u8], text: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz-failures");
    let name = format!("{}-{change}", reader.name.replace(' ', "-"));
    let _ = fs::create_dir_all(&folder);
    let _ = fs::write(folder.join(&name), bytes);
    let _ = fs::write(folder.join(format!("{name}.txt")), text);
}
