//! `mopsim model` and the page about models.

use crate::support::cli::Folder;
use serde_json::Value;
use std::path::Path;

fn docs(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)).expect("a document")
}

fn points(report: &Value, model: &str) -> Vec<(u64, f64)> {
    let rows = report["points"].as_array().unwrap();
    let of_model = rows.iter().filter(|row| row["model"] == model);
    of_model.map(|row| (row["bytes"].as_u64().unwrap(), row["microseconds"].as_f64().unwrap())).collect()
}

#[test]
fn models_show_what_they_make_of_a_message() {
    let folder = Folder::new();
    let report = folder.json(&["model"]);
    let ideal = points(&report, "ideal");
    assert_eq!(ideal.len(), 15);
    for (bytes, microseconds) in ideal {
        let expected = 1.0 + bytes as f64 / 12.5e9 * 1e6;
        assert!((microseconds / expected - 1.0).abs() < 1e-12, "{bytes} bytes take {microseconds} us");
    }
    // 65,457 bytes and 16 of header are the first flow of the largest class: 11.6436 latencies.
    let smpi = points(&report, "smpi");
    let step = smpi.iter().find(|(bytes, _)| *bytes == 65_457).unwrap().1;
    assert!((step - (11.6436 + 65_473.0 / (12.5e9 * 0.940694) * 1e6)).abs() < 1e-9, "{step}");
}

#[test]
fn files_of_constants_are_models_and_wrong_ones_are_refused() {
    let folder = Folder::new();
    let page = docs("models.md");
    let own = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    folder.write("own.toml", own);
    let report = folder.json(&["model", "own.toml", "ideal"]);
    let (own, ideal) = (points(&report, "own.toml"), points(&report, "ideal"));
    // 200 ns for the send, and 0.55 of the bandwidth.
    assert!((own[0].1 - (ideal[0].1 + 0.2 + 1.0 / 12.5e9 * (1.0 / 0.55 - 1.0) * 1e6)).abs() < 1e-9, "{own:?}");
    folder.refuse(&["model", "smpy"], 2, &["`smpy`", "did you mean `smpi`"]);
    folder.refuse(&["model", "no.toml"], 3, &["no.toml"]);
    folder.refuse(&["model", "--link-bandwidth", "0"], 2, &["--link-bandwidth"]);
}

#[test]
fn the_drawing_of_the_page_is_the_one_that_the_program_makes() {
    let folder = Folder::new();
    folder.run(&["model", "--svg", "models.svg"]).success();
    let made = folder.read("models.svg");
    assert!(roxmltree::Document::parse(&made).is_ok());
    assert!(made == docs("models.svg"), "docs/models.svg is stale: mopsim model --svg docs/models.svg");
}
