//! Memory and time are known before they are spent: networks, files without end, pipes, programs.

use crate::support::cli::{Folder, MESSAGE};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[test]
fn networks_are_sized_before_they_are_built() {
    let folder = Folder::with_trace(MESSAGE);
    let limited = |arguments: &[&str]| {
        let begin = Instant::now();
        folder.refuse(
            &[arguments, &["--memory", "200MB"]].concat(),
            2,
            &["of memory and", "s to build, and the limit is 200.0 MB (--memory)", "help: "],
        );
        assert!(begin.elapsed() < Duration::from_secs(20), "{arguments:?}");
    };
    // 25 million arcs, a star of 16 million switches, small graphs with very many hosts.
    limited(&["topology", "full_mesh:5001"]);
    limited(&["topology", "star:16000000"]);
    limited(&["topology", "torus:2000000x2"]);
    limited(&["topology", "xgft:m=[2,65536],w=[1,64]"]);
    limited(&["throughput", "hypercube:20"]);
    limited(&["replay", "t.ti", "--topology", "torus:600x600", "--mapping", "block"]);
    limited(&["replay", "t.ti", "--topology", "torus:2x2", "--hosts-per-switch", "250000", "--mapping", "block"]);
    folder.write(
        "p.xml",
        "<?xml version='1.0'?>\n<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1000000\" \
         speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\"/>\n</platform>\n",
    );
    limited(&["replay", "t.ti", "--platform", "p.xml"]);
    // A network within the limit is built.
    folder.output(&["topology", "torus:30x30", "--memory", "200MB"]);
    folder.refuse(&["topology", "torus:4x4", "--memory", "8 elephants"], 2, &["8GB, 512MiB"]);
}

#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_told() {
    let folder = Folder::with_trace(MESSAGE);
    // The limit of the shell is on address space, of which threads reserve some.
    let script = "ulimit -v 400000; exec \"$0\" topology full_mesh:7000 --memory 100GB";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_mopsim")])
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("error: out of memory") && said.contains("help: "), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn readers_stop_at_their_limit() {
    let folder = Folder::with_trace(MESSAGE);
    for name in ["p.toml", "p.star", "state", "r.jsonl", "t.toml"] {
        std::os::unix::fs::symlink("/dev/zero", folder.path(name)).expect("a link");
    }
    folder.write(
        "s.toml",
        "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\nworkload = 'npb/ep'\nclass = 'S'\nranks = 2\n",
    );
    folder.write("large.toml", " ".repeat((16 << 20) + 1));
    let zero = "not text: byte 0 is zero";
    for (arguments, code, part) in [
        (&["topology", "torus:2x2", "--prices", "p.toml"][..], 2, zero),
        (&["topology", "torus:2x2", "--prices", "large.toml"], 2, "large.toml: larger than"),
        (&["workload", "./p.star", "--ranks", "2"], 2, "p.star: the file has more than"),
        (&["compare", "p.toml"], 2, zero),
        (&["compare", "large.toml"], 2, "large.toml: larger than"),
        (&["replay", "t.ti", "--topology", "ring:2"], 2, "t.toml: larger than"),
        (&["design", "equality", "--n", "16", "--degree", "4", "--state", "state"], 2, "state: larger than"),
        (&["compare", "s.toml", "--results", "r.jsonl", "--resume"], 3, "r.jsonl: this is a device or a pipe"),
    ] {
        folder.refuse(&[arguments, &["--memory", "1GB"]].concat(), code, &[part]);
    }
}

#[cfg(unix)]
#[test]
fn pipes_that_nothing_writes_to_are_told() {
    let folder = Folder::with_trace(MESSAGE);
    folder.write("s.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 'pipe'\n");
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let commands: [&[&str]; 5] = [
        &["compare", "pipe"],
        &["compare", "s.toml"],
        &["replay", "pipe", "--topology", "ring:2"],
        &["topology", "torus:2x2", "--prices", "pipe"],
        &["replay", "t.ti", "--topology", "ring:2", "--hostfile", "pipe"],
    ];
    // All of them wait concurrently.
    let children = commands.map(|arguments| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mopsim"));
        command.current_dir(folder.path("")).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().expect("the program starts")
    });
    for (child, arguments) in children.into_iter().zip(commands) {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {said}");
        assert!(said.contains("this is a pipe, and for 10 s nothing has opened it"), "{arguments:?}: {said}");
    }
    folder.write("u.toml", "title = 'T'\n[[networks]]\ntopology = 'ring:2'\n[[workloads]]\ntrace = 't.ti'\n");
    folder.refuse(&["compare", "u.toml", "--results", "pipe"], 3, &["pipe: this is a device or a pipe"]);
}

/// An export is not collected in memory, and its size is reported.
#[cfg(target_os = "linux")]
#[test]
fn exports_stream_to_standard_output() {
    let folder = Folder::new();
    let script = "ulimit -v 300000; \"$0\" export torus:2x200 --to simgrid 2>said | wc -c";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_mopsim")])
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    let bytes: f64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number");
    let said = folder.read("said");
    let told: f64 =
        said.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{said}"));
    assert!(bytes > 1.2e8 && said.contains("will be written"), "{bytes}: {said}");
    let told = told * if said.contains(" GB") { 1e9 } else { 1e6 };
    assert!((told / bytes - 1.0).abs() < 0.2, "{bytes} bytes, and {told} were told");
    // A reader that went away must not cause terabytes to be computed.
    let begin = Instant::now();
    let script = "\"$0\" export torus:2x2000 --to simgrid 2>/dev/null | head -c 100 >/dev/null";
    let status = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_mopsim")]).status();
    assert!(status.expect("a shell").success() && begin.elapsed() < Duration::from_secs(30));
    // Refusals precede any output.
    folder.refuse(&["export", "torus:70x70", "--to", "simgrid"], 2, &["the limit is 4096"]);
}

#[test]
fn programs_end_within_their_limits_with_a_line() {
    let folder = Folder::new();
    let shared = |last: &str| {
        format!(
            "def main(r, s, p):\n  x = [0]\n  z = [0]\n  t = (0,)\n  for i in range(40):\n    x = [x, x]\n    z = [z, z]\n    t = (t, t)\n  {last}\n"
        )
    };
    let long = |last: &str| format!("def main(r, s, p):\n  x = \"a\" * 60000\n  {last}\n");
    let programs = [
        ("equal.star", shared("y = x == z"), ":9:", "the program runs away"),
        ("hash.star", shared("y = {t: 1}"), ":9:", "a key or an index of more than 1000 values"),
        ("pop.star", shared("y = {1: x}.pop(2)"), ":9:", "a value that holds others more than"),
        (
            "stuck.star",
            "def main(r, s, p):\n  x = [\"a\" * 60000] * 8000000\n  z = [\"a\" * 60000] * 8000000\n  y = x == z\n".to_owned(),
            ":4:",
            "one statement takes more than 10 s",
        ),
        ("text.star", shared("y = str(x)"), ":9:", "a text of more than 65536 bytes"),
        ("repr.star", shared("y = repr([x, 1])"), ":9:", "a text of more than 65536 bytes"),
        ("fail.star", shared("fail(\"shared\", x)"), ":9:", "fail: shared [[[["),
        ("percent.star", long("y = (\"%s\" * 1000) % tuple([x] * 1000)"), ":3:", "a text of more than 65536 bytes"),
        ("modify.star", long("x %= 1"), ":3:", "`%=` is not in the language of workloads"),
        ("format.star", long("y = (\"{0}\" * 1000).format(x)"), ":3:", "the method `format` is not in the language"),
        ("braces.star", long("y = f\"{x}{x}\""), ":3:", "f-string"),
        ("zip.star", long("y = zip(*([range(1000000)] * 1000))"), ":3:", "zip makes more than 16777216 elements"),
        (
            "dims.star",
            "load(\"@mopsim//grid.star\", \"dims_create\")\ndef main(rank, size, params):\n    dims_create(size, 5000)\n".to_owned(),
            "dims.star:3",
            "a whole number of more than 300 digits",
        ),
        ("bytes.star", "x = b'abcd' * 577777777\ndef main(r, s, p):\n  pass\n".to_owned(), "bytes.star:1", "`bytes` are not in"),
        (
            "deep.star",
            "def main(r, s, p):\n  x = []\n  for i in range(1000000):\n    x = [x]\n  y = str(x)\n".to_owned(),
            ":5:",
            "a text of more than 65536 bytes",
        ),
        (
            "lists.star",
            "def communicators(size, params):\n  return [[i] for i in range(16000000)]\ndef main(r, s, p):\n  pass\n".to_owned(),
            "lists.star:2:",
            "take more memory than the limit",
        ),
        ("lambda.star", format!("x={}1\ndef main(r, s, p):\n  pass\n", "lambda:".repeat(8000)), "lambda.star:1", "inside each other"),
    ];
    // Programs that exhaust the time limit wait concurrently.
    let children = programs.map(|(name, text, line, part)| {
        folder.write(name, text);
        let steps = if name == "stuck.star" { "1000000000000" } else { "20000000" };
        let script = "ulimit -v 4000000; exec \"$0\" workload \"./$1\" --ranks 2 --max-steps $2";
        let child = Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_mopsim"), name, steps])
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell");
        (name, line, part, child)
    });
    for (name, line, part, child) in children {
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(line) && said.contains(part) && said.len() < 5000, "{name}: {said}");
    }
}

/// Eight million actions of a rank, 128 MB, go into a file, not memory.
#[cfg(target_os = "linux")]
#[test]
fn actions_of_a_program_are_set_aside() {
    let folder = Folder::new();
    folder.write(
        "many.star",
        "def main(r, s, p):\n  for i in range(24):\n    repeat(125000, lambda: compute(1.0 + i))\n",
    );
    let (said, most) = peak(&folder, &["workload", "./many.star", "--ranks", "1", "--format", "json"]);
    assert!(said.contains("3000002"), "{said}");
    // In memory they take 16 bytes each.
    assert!((1..50_000).contains(&most), "{most} kB");
}

/// Runs the program; returns its output and its peak memory in kB.
#[cfg(target_os = "linux")]
fn peak(folder: &Folder, arguments: &[&str]) -> (String, u64) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mopsim"))
        .args(arguments)
        .current_dir(folder.path(""))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().expect("a child").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak =
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix("kB")?.trim().parse().ok());
        most = peak.unwrap_or(0_u64).max(most);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{arguments:?}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), most)
}

/// Binary GOAL schedule: four ranks that send to the next one, receive and compute, each operation after the previous
/// one.
#[cfg(target_os = "linux")]
fn ring_schedule(rounds: u32) -> Vec<u8> {
    let mut bytes = [&4223_u64.to_le_bytes()[..], &4_u32.to_le_bytes(), &[0, 0]].concat();
    let operations = 3 * rounds;
    let length = 8 + 4 + u64::from(operations) * (39 + 4) - 4;
    for rank in 0..4 {
        let start = 6 + 4 * 16 + rank * length;
        bytes.extend(start.to_le_bytes());
        bytes.extend((start + length).to_le_bytes());
    }
    for rank in 0..4_u32 {
        bytes.extend([operations, 1, 0].map(u32::to_le_bytes).concat());
        for number in 0..operations {
            let (kind, peer, size) = match number % 3 {
                0 => (1, (rank + 1) % 4, 8_u64),
                1 => (2, (rank + 3) % 4, 8),
                _ => (3, 0, 20),
            };
            bytes.extend(u32::from(number > 0).to_le_bytes());
            bytes.push(kind);
            bytes.extend(peer.to_le_bytes());
            bytes.extend(size.to_le_bytes());
            bytes.extend((number / 3).to_le_bytes());
            bytes.extend([0, 0]);
            // The next operation waits for the end of this one; none waits for its begin.
            let dependants = u32::from(number + 1 < operations);
            bytes.extend([dependants, number, 0, 0].map(u32::to_le_bytes).concat());
        }
        (1..operations).for_each(|later| bytes.extend(later.to_le_bytes()));
    }
    bytes
}

/// An operation takes 24 bytes, its edge 4 and its dependency count 4, so that ten million of them replay in half a
/// gigabyte; the LogGOPS model adds the earliest start of each. Both schedules are larger than what the reader keeps in
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn an_operation_of_a_schedule_takes_few_bytes() {
    let folder = Folder::new();
    let sizes = [134_000_u32, 218_000];
    for (rounds, name) in sizes.into_iter().zip(["small.bin", "large.bin"]) {
        folder.write(name, ring_schedule(rounds));
    }
    for (model, most) in [("ideal", 40.0), ("loggops", 48.0)] {
        let [small, large] = ["small.bin", "large.bin"].map(|name| {
            let (said, peak) =
                peak(&folder, &["replay", "-q", name, "--topology", "ring:4", "--model", model, "--format", "json"]);
            (serde_json::from_str::<serde_json::Value>(&said).expect("JSON")["actions"].as_u64(), peak)
        });
        assert_eq!([small.0, large.0], sizes.map(|rounds| Some(12 * u64::from(rounds))));
        let bytes = (large.1 - small.1) as f64 * 1024.0 / f64::from(12 * (sizes[1] - sizes[0]));
        println!("{model}: {bytes:.1} bytes an operation, {} kB at most", large.1);
        assert!(bytes > 24.0 && bytes <= most, "{model}: {bytes} bytes an operation");
    }
}
