//! Generated traces equal recorded ones in their communication.

mod support;

use mopsim::trace::diff::Difference;
use mopsim::trace::{Trace, ti};
use mopsim::workload::{Limits, catalogue};
use std::path::{Path, PathBuf};

/// Program, ranks and parameters of a trace.
type Recipe = (String, u32, Vec<(String, String)>);

/// How a recorded trace is made, from its name.
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

/// What is wrong with the generated form of a recorded trace.
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
fn generated_traces_equal_the_whole_corpus() {
    if let Some(shared) = support::shared() {
        check_folder(&shared.join("corpus/traces"), ".ti.xz");
    }
}
