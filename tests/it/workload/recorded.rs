//! Generated traces equal recorded ones in their communication.

use crate::support;
use mopsim::trace::diff::Difference;
use mopsim::trace::{Trace, ti};
use mopsim::workload::{Limits, catalogue};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Program, ranks and parameters of a trace.
type Recipe = (String, u32, Vec<(String, String)>);

/// Returns the recipe of a recorded trace, from its name.
fn recipe(name: &str) -> Option<Recipe> {
    let parts: Vec<&str> = name.split('.').collect();
    let give = |list: &[(&str, &str)]| list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect::<Vec<_>>();
    let iterations = parts.last().and_then(|last| last.strip_prefix("it"));
    let (program, ranks, mut values) = match parts.as_slice() {
        ["gemm", n, ranks, ..] => ("matmul/bcast".to_owned(), ranks.parse().ok()?, give(&[("n", n)])),
        ["himeno", class, ranks, ..] => ("himeno".to_owned(), ranks.parse().ok()?, give(&[("class", class)])),
        ["dt", graph, class, ranks, ..] => {
            ("npb/dt".to_owned(), ranks.parse().ok()?, give(&[("graph", graph), ("class", class)]))
        }
        [program, class, ranks, ..] => (format!("npb/{program}"), ranks.parse().ok()?, give(&[("class", class)])),
        _ => return None,
    };
    if let Some(iterations) = iterations {
        values.push(("iterations".to_owned(), iterations.to_owned()));
    }
    Some((program, ranks, values))
}

fn generate(name: &str) -> Trace {
    let (program, ranks, values) = recipe(name).expect("the name of a recorded trace says how it was made");
    let program = match std::env::var_os("MOPSIM_WORKLOADS") {
        // While a program is written: its file as it is, without building anything again.
        Some(folder) => {
            let text = std::fs::read_to_string(Path::new(&folder).join(format!("{program}.star"))).unwrap();
            mopsim::workload::Program::parse(&program, text, None, true).unwrap()
        }
        None => catalogue::open(&program).unwrap(),
    };
    program.instantiate(ranks, &values, &Limits::default()).unwrap().trace().unwrap()
}

/// Returns the defects of the generated form of a recorded trace.
fn check(name: &str, file: &Path) -> Vec<String> {
    let recorded = ti::read(file, &ti::Options::default()).unwrap();
    let generated = generate(name);
    let difference = Difference::of(&recorded, &generated);
    let mut wrong = Vec::new();
    if difference.ranks.0 != difference.ranks.1 {
        wrong.push(format!("{name}: ranks {:?}", difference.ranks));
    }
    if let Some(pair) = difference.different_pairs.first() {
        wrong.push(format!("{name}: {} of {} pairs, {pair:?}", difference.different_pairs.len(), difference.pairs));
    }
    if difference.different_collectives > 0 {
        wrong.push(format!("{name}: collectives {:?}", difference.first_collective));
    }
    if name.starts_with("is.") {
        // The keys of IS are random: volumes within 2 %, everything else as it was.
        let calls = difference.calls["alltoallv"];
        let (a, b) = (calls.first_bytes as f64, calls.second_bytes as f64);
        if (a - b).abs() > 0.02 * a {
            wrong.push(format!("{name}: alltoallv has {a} bytes, generated {b}"));
        }
        return wrong;
    }
    if difference.different_counts > 0 {
        wrong.push(format!("{name}: counts {:?}", difference.first_collective));
    }
    if let Some(place) = difference.first_order {
        wrong.push(format!("{name}: order on {} ranks, {place:?}", difference.different_order));
    }
    // Amounts of computation come from operation counts, recorded ones from a clock: they have the same magnitude.
    let ratio = difference.flops.1 / difference.flops.0;
    if std::env::var_os("MOPSIM_SHOW_FLOPS").is_some() {
        eprintln!("{name}: generated over recorded flops {ratio:.3}");
    }
    wrong
}

fn check_folder(folder: &Path, ending: &str) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_str().is_some_and(|p| p.ends_with(ending)))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let only = std::env::var("MOPSIM_ONLY").unwrap_or_default();
    let mut wrong = Vec::new();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap().strip_suffix(ending).unwrap().to_owned();
        if name.starts_with(&only) {
            wrong.extend(check(&name, &file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn generated_traces_equal_the_shipped_ones() {
    check_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("traces"), ".ti.zst");
}

#[test]
#[cfg_attr(no_reference_data, ignore = "there is no reference data: set MOPSIM_SHARED")]
fn generated_traces_equal_the_whole_corpus() {
    check_folder(&support::shared().join("corpus/traces"), ".ti.xz");
}

/// Programs of `tests/recordings`, at sizes that no other recorded trace has.
const FRESH: [(&str, &[&str]); 8] = [
    ("lu.S.2.it3", &["12", "3"]),
    ("lu.W.8.it2", &["33", "2"]),
    ("cg.W.8.it2", &["7000", "2"]),
    ("ft.W.8.it3", &["128", "128", "32", "3"]),
    ("is.W.8", &["20", "10", "10"]),
    ("ep.W.12", &["25"]),
    ("himeno.S.12.it5", &["64", "64", "128", "5"]),
    ("gemm.96.6", &["96"]),
];

#[test]
fn generated_traces_equal_recordings_of_our_own_programs() {
    check_folder(&support::data().join("recordings"), ".ti.zst");
}

/// The shipped recordings equal the current output of the programs.
#[test]
fn recordings_can_be_made_again() {
    if !["smpicc", "smpirun"].into_iter().all(|tool| Command::new(tool).arg("-version").output().is_ok()) {
        eprintln!("skipped: there is no smpicc and smpirun");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let cluster = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n  \
        <cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" speed=\"2Gf\" bw=\"12.5GBps\" lat=\"1us\"/>\n</platform>\n";
    std::fs::write(at("cluster.xml"), cluster).unwrap();
    std::fs::write(at("hosts"), (0..16).map(|host| format!("h{host}\n")).collect::<String>()).unwrap();
    let run = |command: &mut Command| {
        let output = command.current_dir(folder.path()).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for (name, arguments) in FRESH {
        let (_, ranks, _) = recipe(name).unwrap();
        let program = name.split('.').next().unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recordings/{program}.c"));
        run(Command::new("smpicc").args(["-O2", "-o", program]).arg(source).arg("-lm"));
        // Computation is left out: its amounts would be another machine's, and differ from run to run.
        run(Command::new("smpirun")
            .args(["-np", &ranks.to_string(), "-hostfile", "hosts", "-platform", "cluster.xml"])
            .args(["-trace-ti", "-trace-file", "recorded.trace", "--cfg=smpi/simulate-computation:no"])
            .args(["--log=root.threshold:error", &format!("./{program}")])
            .args(arguments));
        let fresh = ti::read(&at("recorded.trace"), &ti::Options::default()).unwrap();
        let shipped = support::data().join("recordings").join(format!("{name}.ti.zst"));
        let shipped = ti::read(&shipped, &ti::Options::default()).unwrap();
        let difference = Difference::of(&shipped, &fresh);
        assert!(difference.same_communication() && difference.different_order == 0, "{name}: {difference:?}");
        std::fs::remove_dir_all(at("recorded.trace_files")).unwrap();
    }
}
