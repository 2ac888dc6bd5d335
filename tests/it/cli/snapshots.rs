//! Snapshots of whole outputs: one run of each verb, in all formats.
//!
//! A changed output fails, and so does a missing snapshot. After a look at the difference,
//! `INSTA_UPDATE=always cargo test --test it snapshots` (or `cargo insta review`) accepts it.

use crate::support;
use crate::support::cli::{Folder, assert_80_columns};

/// Formats of a report, and how their snapshots end.
const FORMATS: [&str; 4] = ["text", "markdown", "json", "csv"];

/// Compares the output of a run with `tests/it/snapshots/VERB.FORMAT.snap`.
fn compare_with_snapshots(folder: &Folder, arguments: &[&str]) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(format!("mopsim {}", arguments.join(" ")));
    settings.bind(|| {
        for format in FORMATS {
            let output = folder.output(&[arguments, &["--format", format]].concat());
            // Snapshots are compared without their last line end.
            assert!(output.ends_with('\n') && !output.ends_with("\n\n"), "{format}: {output:?}");
            if format == "text" {
                assert_80_columns(&output);
            }
            insta::assert_snapshot!(format!("{}.{format}", arguments[0]), output);
        }
    });
}

/// A folder with recorded traces of the repository: IS with its number of operations, and LU.
fn with_traces() -> Folder {
    let folder = Folder::new();
    for (trace, name) in [("is.S.16", "is.S.16"), ("lu.S.4.it5", "lu.S.4")] {
        let content = std::fs::read(support::data().join("corpus").join(format!("{trace}.ti.zst"))).expect("test data");
        folder.write(&format!("{name}.ti.zst"), content);
    }
    folder.write("is.S.16.toml", "operations = 1e6\n");
    folder
}

#[test]
fn compare() {
    let folder = with_traces();
    folder.write(
        "study.toml",
        "title = 'Two traces'
         baseline = 'one-way'
         [[networks]]
         topology = 'torus:4x4'
         parameters = { duplex = 'shared' }
         [[networks]]
         name = 'one-way'
         topology = 'random_directed:n=16,d=3,seed=2'
         [[workloads]]
         trace = 'is.S.16.ti.zst'
         [[workloads]]
         name = 'LU'
         trace = 'lu.S.4.ti.zst'
        ",
    );
    compare_with_snapshots(&folder, &["compare", "study.toml"]);
}

#[test]
fn replay() {
    compare_with_snapshots(&with_traces(), &["replay", "is.S.16.ti.zst", "--topology", "torus:4x4"]);
}

/// Small networks, whose bisections are exact: METIS draws random numbers from the C library, which differ elsewhere.
#[test]
fn topology() {
    compare_with_snapshots(&Folder::new(), &["topology", "torus:4x4", "fat-tree2:4", "kautz:2,3"]);
}

#[test]
fn throughput() {
    compare_with_snapshots(&Folder::new(), &["throughput", "torus:4x4", "--pattern", "transpose"]);
}
