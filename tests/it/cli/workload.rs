//! `mopsim workload` and `mopsim trace diff` as users run them.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

fn mopsim() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mopsim"))
}

/// A program in a folder of its own.
fn program(text: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("mine.star");
    fs::write(&file, text).unwrap();
    (folder, file)
}

/// Returns the reason why a program is rejected.
fn refused(text: &str) -> String {
    let (_folder, file) = program(text);
    let output = mopsim().arg("workload").arg(&file).args(["--ranks", "2", "--max-steps", "2000000"]).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    said
}

#[test]
fn programs_are_listed_and_described() {
    mopsim().arg("workload").assert().success().stdout(contains("npb/lu").and(contains("himeno")));
    let lu = mopsim().args(["workload", "npb/lu", "--parameters"]).assert().success();
    lu.stdout(contains("class").and(contains("a power of two")).and(contains("iterations")));
    mopsim().args(["workload", "npb/lo"]).assert().code(2).stderr(contains("did you mean `npb/lu`"));
}

#[test]
fn a_summary_is_json_with_a_schema() {
    let run = ["workload", "npb/cg", "--class", "S", "--ranks", "4", "--format", "json"];
    let output = mopsim().args(run).output().unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sheet["schema"], "mopsim.workload/1");
    assert_eq!(sheet["name"], "cg.S.4");
    assert_eq!(sheet["ranks"], 4);
}

#[test]
fn wrong_parameters_are_refused() {
    let base = ["workload", "npb/lu", "--ranks", "64"];
    mopsim().args(base).args(["--class", "Z"]).assert().code(2).stderr(contains("S, W, A, B, C, D, E"));
    mopsim().args(base).args(["-p", "colour=red"]).assert().code(2).stderr(contains("no parameter `colour`"));
    mopsim().args(base).args(["--iterations", "0"]).assert().code(2).stderr(contains("1 to 1000000"));
    mopsim().args(base).args(["-p", "class"]).assert().code(2).stderr(contains("NAME=VALUE"));
}

#[test]
fn an_illegal_number_of_ranks_names_the_nearest_legal_ones() {
    let lu = mopsim().args(["workload", "npb/lu", "--ranks", "60"]).assert().code(2);
    lu.stderr(contains("32 and 64"));
    let bt = mopsim().args(["workload", "npb/bt", "--ranks", "60"]).assert().code(2);
    bt.stderr(contains("49 and 64"));
    // Of 4,095 numbers below and 20,000 above.
    let himeno = mopsim().args(["workload", "himeno", "--class", "XS", "--ranks", "4096"]).assert().code(2);
    himeno.stderr(contains("the nearest valid number of ranks is 2000"));
}

#[test]
fn a_syntax_error_has_its_line_and_column() {
    let said = refused("x = 1\ndef main(rank, size, params):\n    compute(1.0))\n");
    assert!(said.contains("mine.star:3:17"), "{said}");
}

#[test]
fn an_error_while_it_runs_has_its_line() {
    let said = refused("def main(rank, size, params):\n    send(1, -1)\n");
    assert!(said.contains("mine.star:2:5: `count` is -1, and must be 0 or more"), "{said}");
    let said = refused("def main(rank, size, params):\n    send(1, 5000000000)\n");
    assert!(said.contains("`count` is 5000000000, and must be at most 2147483647"), "{said}");
    let said = refused("def main(rank, size, params):\n    send(-5000000000, 1)\n");
    assert!(said.contains("is -5000000000, and must be -2147483648 or more"), "{said}");
    let said = refused("def main(rank, size, params):\n    compute(1.0)\n    send(7, 1)\n");
    assert!(said.contains("mine.star:3:5"), "{said}");
    assert!(said.contains("there is no rank 7"), "{said}");
    let said = refused("def main(rank, size, params):\n    wait(3)\n");
    assert!(said.contains("mine.star:2:5") && said.contains("no such request"), "{said}");
}

#[test]
fn a_summary_with_a_long_formula_stays_in_80_columns() {
    let output = mopsim().args(["workload", "npb/lu", "--ranks", "4"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("+ 27770.9 n - 144010)") && words.contains("operations counted 119,296,759,420"), "{text}");
}

#[test]
fn a_runaway_program_is_ended_with_its_line() {
    let text = "def main(rank, size, params):\n    for i in range(10000):\n        for j in range(10000):\n            x = i\n";
    let said = refused(text);
    assert!(said.contains("mine.star:") && said.contains("2000000"), "{said}");
}

#[test]
fn deep_recursion_is_ended() {
    let said = refused("def f(n):\n    return f(n + 1)\ndef main(rank, size, params):\n    f(0)\n");
    assert!(said.contains("mine.star:2"), "{said}");
    let deep = format!("x = {}1{}\ndef main(rank, size, params):\n    pass\n", "(".repeat(5000), ")".repeat(5000));
    assert!(refused(&deep).contains("brackets"));
}

#[test]
fn memory_bombs_are_ended() {
    let main = "def main(rank, size, params):\n";
    for body in [
        "    x = [0] * 1000000000\n",
        "    x = 1000000000 * \"x\"\n",
        "    x = list(range(2000000000))\n",
        "    x = [1]\n    for i in range(60):\n        x = x + x\n",
        "    x = [1]\n    for i in range(60):\n        x.extend(x)\n",
        "    x = [1]\n    x *= 1000000000\n",
        "    x = \"aa\".replace(\"a\", \"aa\")\n",
        "    repeat(2000000000, compute, 1.0)\n    repeat(2000000000, compute, 1.0)\n    repeat(2000000000, compute, 1.0)\n",
    ] {
        let said = refused(&format!("{main}{body}"));
        assert!(said.contains("mine.star:"), "{body}: {said}");
    }
}

#[test]
fn files_outside_the_folder_are_not_loaded() {
    for path in ["../other.star", "/etc/passwd", "a/../../b.star"] {
        let said = refused(&format!("load(\"{path}\", \"f\")\ndef main(rank, size, params):\n    pass\n"));
        assert!(said.contains("outside"), "{said}");
    }
    let (folder, file) = program("load(\"help.star\", \"f\")\ndef main(rank, size, params):\n    compute(f())\n");
    fs::write(folder.path().join("help.star"), "def f():\n    return 2.0 * 3\n").unwrap();
    mopsim()
        .arg("workload")
        .arg(&file)
        .args(["--ranks", "2"])
        .assert()
        .success()
        .stdout(contains("flops computed     12"));
}

#[test]
fn a_trace_is_written_whole_and_can_be_replayed() {
    let folder = TempDir::new().unwrap();
    for (name, text) in [("a.ti", true), ("a.ti.zst", false), ("a.ti.gz", false), ("a.ti.xz", false)] {
        let file = folder.path().join(name);
        let run = ["workload", "npb/lu", "--class", "S", "--ranks", "4", "--iterations", "2", "-o"];
        mopsim().args(run).arg(&file).assert().success();
        mopsim().args(run).arg(&file).assert().code(2).stderr(contains("--force"));
        mopsim().args(run).arg(&file).arg("--force").assert().success();
        if text {
            assert!(fs::read_to_string(&file).unwrap().starts_with("0 init\n"));
        }
        let replayed =
            mopsim().args(["replay", "--topology", "torus:2x2", "--format", "json"]).arg(&file).output().unwrap();
        let result: serde_json::Value = serde_json::from_slice(&replayed.stdout).unwrap();
        assert!(result["mops"].as_f64().is_some_and(|mops| mops > 0.0), "the side file tells the operations");
        mopsim().args(["trace", "diff"]).arg(folder.path().join("a.ti")).arg(&file).assert().success();
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "a side file, and no parts are left");
    fs::write(folder.path().join("b.toml"), "title = 'mine'\n").unwrap();
    let run = ["workload", "npb/ep", "--class", "S", "--ranks", "4", "-o"];
    mopsim().args(run).arg(folder.path().join("b.ti")).assert().code(2).stderr(contains("b.toml"));
    assert!(!folder.path().join("b.ti").exists(), "nothing is written beside what must stay");
}

#[test]
fn a_difference_is_shown_by_call_and_pair() {
    let folder = TempDir::new().unwrap();
    let (a, b) = (folder.path().join("a.ti"), folder.path().join("b.ti"));
    fs::write(&a, "0 init\n0 send 1 0 10 6\n0 finalize\n1 init\n1 recv 0 0 10 6\n1 finalize\n").unwrap();
    fs::write(&b, "0 init\n0 send 1 0 20 6\n0 finalize\n1 init\n1 recv 0 0 20 6\n1 finalize\n").unwrap();
    let output = mopsim().args(["trace", "diff", "--format", "json"]).args([&a, &b]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sheet["schema"], "mopsim.trace-diff/1");
    assert_eq!(sheet["different_pairs"], 1);
    assert_eq!(sheet["different_pairs_list"][0]["second_bytes"], 20);
}

#[test]
fn a_study_generates_its_workloads() {
    let folder = TempDir::new().unwrap();
    let study = folder.path().join("study.toml");
    let text = "title = \"t\"\n[[networks]]\ntopology = \"torus:2x2\"\n[[workloads]]\nworkload = \"npb/ep\"\nclass = \"S\"\nranks = 4\n";
    fs::write(&study, text).unwrap();
    mopsim().arg("compare").arg(&study).assert().success().stdout(contains("ep.S.4"));
    fs::write(&study, text.replace("ranks = 4\n", "")).unwrap();
    mopsim().arg("compare").arg(&study).assert().code(2).stderr(contains("needs `ranks = N`"));
}

#[test]
fn every_built_in_program_runs_as_a_user_program_too() {
    let folder = TempDir::new().unwrap();
    for builtin in mopsim::workload::catalogue::ALL {
        let file = folder.path().join(format!("{}.star", builtin.name.replace('/', "-")));
        fs::write(&file, builtin.source).unwrap();
        let ranks = if builtin.name == "npb/dt" { "21" } else { "16" };
        // The searches of a graph of 2^16 vertices take as long as all other programs together.
        let smaller: &[&str] = if builtin.name.starts_with("graph500/") { &["-p", "scale=11"] } else { &[] };
        let run = |program: &std::ffi::OsStr| {
            let arguments = ["--ranks", ranks, "--format", "json"];
            mopsim().arg("workload").arg(program).args(arguments).args(smaller).output().unwrap()
        };
        let (own, copy) = (run(builtin.name.as_ref()), run(file.as_os_str()));
        assert!(own.status.success(), "{}: {}", builtin.name, String::from_utf8_lossy(&own.stderr));
        assert!(copy.status.success(), "{}: {}", builtin.name, String::from_utf8_lossy(&copy.stderr));
        let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(bytes).unwrap();
        let (own, copy) = (read(&own.stdout), read(&copy.stdout));
        assert_eq!(own["actions"], copy["actions"], "{}", builtin.name);
        assert_eq!(own["bytes"], copy["bytes"], "{}", builtin.name);
    }
}

#[test]
fn the_help_of_every_program_shows_its_parameters_in_80_columns() {
    for builtin in mopsim::workload::catalogue::ALL {
        let output = mopsim().args(["workload", builtin.name, "--help"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", builtin.name);
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{}: {line}", builtin.name);
        }
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let program = mopsim::workload::catalogue::open(builtin.name).unwrap();
        assert!(
            words.starts_with(&format!("{}: {}", builtin.name, builtin.headline().trim_end_matches('.'))),
            "{words}"
        );
        for p in &program.parameters {
            let named = format!("-p {}=VALUE: {}", p.name, p.kind.name());
            assert!(words.contains(&named) && words.contains(&p.allowed()), "{}: {words}", p.name);
            assert!(!p.help.is_empty() && words.contains(&p.help), "{}: {words}", p.name);
            let default = if p.default.is_null() { "not given by default".to_owned() } else { p.default_text() };
            assert!(words.contains(&default), "{}: {words}", p.name);
            // Numbers have a range, texts their choices.
            assert!(!p.allowed().is_empty(), "{}: {} has no range", builtin.name, p.name);
        }
        let formula = program.formula.unwrap_or_else(|| panic!("{} has no operation count", builtin.name));
        assert!(words.contains(&format!("Operations: {formula}")));
    }
    mopsim().args(["workload", "--help"]).assert().success().stdout(contains("--calibrate").and(contains("Usage")));
    mopsim().args(["workload", "none", "--help"]).assert().code(2).stderr(contains("no workload `none`"));
}

/// Numbers of requests are used again, the lowest first, so that they are the same in each iteration.
#[test]
fn iterations_of_collectives_that_do_not_block_are_found() {
    let folder = TempDir::new().unwrap();
    let (program, trace) = (folder.path().join("nb.star"), folder.path().join("nb.ti"));
    for order in [["a", "b"], ["b", "a"]] {
        let waits = order.map(|request| format!("        wait({request})\n")).concat();
        let body = "        a = allreduce(1000, blocks = False)\n        b = alltoall(1000, blocks = False)\n        compute(1e6)\n";
        fs::write(&program, format!("def main(rank, size, params):\n    for i in range(25):\n{body}{waits}")).unwrap();
        mopsim().arg("workload").arg(&program).args(["--ranks", "4", "--force", "-o"]).arg(&trace).assert().success();
        let output = mopsim().args(["trace", "info", "--format", "json"]).arg(&trace).output().unwrap();
        let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(info["iterations"], 25, "{order:?}");
    }
}

#[test]
fn computation_is_scaled_to_that_of_a_recorded_trace() {
    let folder = TempDir::new().unwrap();
    let recorded = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus/lu.S.4.it5.ti.zst");
    let run = ["workload", "npb/lu", "--class", "S", "--ranks", "4", "--iterations", "5"];
    let file = folder.path().join("scaled.ti");
    mopsim().args(run).arg("--calibrate").arg(&recorded).arg("-o").arg(&file).assert().success();
    let output = mopsim().args(["trace", "diff", "--format", "json"]).args([&recorded, &file]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let flops = |name: &str| sheet[name].as_f64().unwrap();
    // The sums are equal; the text of a trace has fewer digits than a number.
    assert!((flops("first_flops") / flops("second_flops") - 1.0).abs() < 1e-9, "{sheet}");
    // Without it they differ: otherwise the test would prove nothing.
    let plain = mopsim().args(run).args(["--format", "json"]).output().unwrap();
    let plain: serde_json::Value = serde_json::from_slice(&plain.stdout).unwrap();
    assert!((plain["flops"].as_f64().unwrap() / flops("first_flops") - 1.0).abs() > 0.01);

    let other =
        mopsim().args(["workload", "npb/lu", "--class", "S", "--ranks", "8", "--calibrate"]).arg(&recorded).assert();
    other.code(2).stderr(contains("it has 4 ranks, the workload 8"));
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let folder = TempDir::new().unwrap();
    let runs: [&[&str]; 3] = [
        &["npb/mg", "--class", "S", "--ranks", "32"],
        &["graph500/simple", "--ranks", "16", "--iterations", "2", "-p", "scale=10"],
        // Drawn instead of built.
        &["graph500/simple", "--ranks", "4", "--iterations", "1", "-p", "scale=23"],
    ];
    for run in runs {
        let mut bytes = Vec::new();
        for threads in ["1", "2"] {
            let file = folder.path().join("a.ti.zst");
            let mut command = mopsim();
            command.env("RAYON_NUM_THREADS", threads).arg("workload").args(run).arg("--force").arg("-o").arg(&file);
            command.assert().success();
            bytes.push(fs::read(&file).unwrap());
        }
        assert!(bytes.iter().all(|b| *b == bytes[0] && !b.is_empty()), "{run:?}");
    }
}

#[test]
fn numbers_without_end_are_ended() {
    let main = "def main(rank, size, params):\n    x = 3\n    l = [1]\n";
    for body in [
        "    for i in range(60):\n        x = x * x\n",
        "    for i in range(300000):\n        x += x\n",
        "    for i in range(300000):\n        l[0] += l[0]\n",
        "    for i in range(300000):\n        x = x + x\n",
        "    for i in range(300000):\n        x -= -x\n",
        "    for i in range(300000):\n        x = x << 1000\n",
        "    x <<= 1000000\n",
        "    x = 1 << 1000000\n",
        "    x = int(\"9\" * 10000000)\n",
    ] {
        let said = refused(&format!("{main}{body}"));
        assert!(said.contains("mine.star:"), "{body}: {said}");
    }
}

#[test]
fn large_classes_have_positive_counts() {
    for (name, class, ranks) in
        [("npb/is", "D", "64"), ("npb/ep", "E", "100"), ("npb/ft", "E", "64"), ("npb/cg", "E", "64")]
    {
        let run = ["workload", name, "--class", class, "--ranks", ranks, "--format", "json"];
        let output = mopsim().args(run).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(sheet["operations"].as_f64().unwrap() > 1e10 && sheet["flops"].as_f64().unwrap() > 1e10, "{sheet}");
    }
    let (_folder, file) = program("def main(rank, size, params):\n    compute(1.0 * (1 << 31))\n");
    let shifted = mopsim().arg("workload").arg(&file).args(["--ranks", "1", "--format", "json"]).output().unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&shifted.stdout).unwrap();
    assert_eq!(sheet["flops"].as_f64(), Some(2147483648.0));
}

#[test]
fn values_deep_inside_each_other_do_no_harm() {
    for (function, inside) in
        [("prepare", "(l,)"), ("prepare", "{1: l}"), ("prepare", "struct(a = l)"), ("operations", "[l]")]
    {
        let said = refused(&format!(
            "def {function}(size, params):\n    l = ()\n    for i in range(1990000):\n        l = {inside}\n    return l\n\
             def main(rank, size, params):\n    pass\n"
        ));
        assert!(said.contains("mine.star:") || said.contains("no count"), "{said}");
    }
    // As deep as memory allows; then dropped.
    let text = "def prepare(size, params):\n    l = ()\n    for i in range(250000):\n        l = (l,)\n    return l\n\
        def main(rank, size, params):\n    pass\n";
    let (_folder, file) = program(text);
    mopsim().arg("workload").arg(&file).args(["--ranks", "2"]).assert().success();
    for head in ["PARAMETERS", "RANKS", "X"] {
        let said = refused(&format!(
            "def f():\n    l = []\n    for i in range(1000000):\n        l = [l]\n    return l\n{head} = f()\n\
             def main(rank, size, params):\n    pass\n"
        ));
        assert!(said.contains("mine.star:"), "{said}");
    }
}

#[test]
fn columns_stay_where_they_are_beside_guarded_operators() {
    let said = refused("def main(rank, size, params):\n    x = 1\n    x += 1 // (rank * 0)\n");
    assert!(said.contains("mine.star:3:10"), "{said}");
    let said = refused("def main(rank, size, params):\n    Z = 1\n    Z += unknown\n");
    assert!(said.contains("mine.star:3:10") && said.contains("unknown"), "{said}");
}

#[test]
fn operators_of_users_do_what_they_do_elsewhere() {
    let text = "def main(rank, size, params):\n    l = [1]\n    m = l\n    m += [2]\n    s = \"a\"\n    s += \"b\"\n    \
        n = 5\n    n += 2 * n\n    n -= n // 3\n    compute(1.0 * n + len(l) + len(s + \"cd\") + (1 << 4) - int(\"10\", 16))\n";
    let (_folder, file) = program(text);
    // n is 5 + 10 - 5 = 10, l has 2 elements through its other name, the text has 4 letters: 10 + 2 + 4 + 16 - 16.
    let output = mopsim().arg("workload").arg(&file).args(["--ranks", "1", "--format", "json"]).output().unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sheet["flops"].as_f64(), Some(16.0));
}

#[test]
fn a_program_of_the_user_can_load_the_library() {
    let text = "\"\"\"Mine\"\"\"\nload(\"@mopsim//grid.star\", \"dims_create\", \"neighbour\")\n\
        load(\"@mopsim//groups.star\", \"allreduce_in\")\ndef main(rank, size, params):\n    \
        dims = dims_create(size, 2)\n    right = neighbour(rank, dims, 1, 1, periodic = True)\n    \
        left = neighbour(rank, dims, 1, -1, periodic = True)\n    sendrecv(right, 10, left)\n    \
        allreduce_in(range(size), rank, 1)\n";
    let (_folder, file) = program(text);
    let output = mopsim().arg("workload").arg(&file).args(["--ranks", "4", "--format", "json"]).output().unwrap();
    let sheet: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    // A message to the right and two of the reduction, from each of four.
    assert_eq!((sheet["messages"].as_u64(), sheet["bytes"].as_u64()), (Some(12), Some(4 * (80 + 16))));
}

/// Rows and columns of a grid of 2 x 2.
const GRID: &str = "\
def communicators(size, params):
    return [[0, 1], [2, 3], [2, 0], [3, 1]]

def main(rank, size, params):
    request = allreduce(100, on = rank // 2, blocks = False)
    compute(1000)
    wait(request)
    gatherv(5 if rank >= 2 else 6, [5, 6], root = 1, on = 2 + rank % 2)
    open = [barrier(blocks = False), bcast(8, blocks = False)]
    waitall(open)
    if rank == 0:
        put(1, 10, on = 0)
        get(1, 11, on = 0)
        flush(1, on = 0)
    if rank < 2:
        fence(on = 0)
    if rank == 2:
        send(3, 7, tag = 4)
    elif rank == 3:
        probe(2, tag = 4)
        recv(2, 7, tag = 4)
";

#[test]
fn communicators_are_listed_once_and_named_by_their_place() {
    let (folder, file) = program(GRID);
    let write = |name: &str| {
        let output = folder.path().join(name);
        mopsim().arg("workload").arg(&file).args(["--ranks", "4", "-o"]).arg(&output).assert().success();
        output
    };
    let (text, compact) = (write("t.ti"), write("t.mtrace"));
    mopsim().args(["trace", "diff"]).args([&text, &compact]).assert().success();
    let checked = mopsim().args(["-q", "trace", "check"]).arg(&compact).output().unwrap();
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let text = fs::read_to_string(text).unwrap();
    let declared = "0 communicator 1 0 1\n0 communicator 2 2 3\n0 communicator 3 2 0\n0 communicator 4 3 1\n0 init\n";
    assert!(text.starts_with(declared), "{text}");
    let zero = "0 on 1 iallreduce 0 100 0 0\n0 compute 1e3\n0 wait_request 0\n0 on 3 gatherv 6 5 6 1 0 0\n\
        0 ibarrier 0\n0 ibcast 1 8 0 0\n0 waitall\n0 on 1 put 1 10 0\n0 on 1 get 1 11 0\n0 on 1 flush 1\n0 on 1 fence\n";
    assert!(text.contains(zero), "{text}");
    assert!(
        text.contains("3 on 2 iallreduce")
            && text.contains("3 on 4 gatherv")
            && text.contains("3 probe 2 4\n3 recv 2 4 7 0\n")
    );
}

#[test]
fn wrong_communicators_are_refused() {
    let listed = |lists: &str, call: &str| {
        refused(&format!(
            "def communicators(size, params):\n    return {lists}\n\ndef main(rank, size, params):\n    {call}\n"
        ))
    };
    assert!(listed("[[0], [1]]", "barrier(on = 2)").contains("there is no communicator 2"));
    assert!(listed("[[0]]", "barrier(on = 0)").contains("rank 1 is no member of communicator 0"));
    assert!(listed("[[0, 1], [1]]", "bcast(1, root = 2, on = 0)").contains("there is no root 2"));
    assert!(listed("[[0, 1]]", "scatterv([1, 2, 3], 1, on = 0)").contains("the list has 3 counts, for 2 ranks"));
    assert!(listed("[[0, 2]]", "barrier()").contains("names rank 2 of 2 ranks"));
    assert!(listed("[[0, 0]]", "barrier()").contains("names rank 0 twice"));
    assert!(listed("[[]]", "barrier()").contains("no members"));
    assert!(listed("7", "barrier()").contains("a list of lists"));
}
