//! Real traces against SimGrid 3.32 with exact sharing and without merging of events.
//!
//! A dozen small rows are in the repository and always run; the others run where the reference data is found.

mod support;

use mopsim::engine::replay;
use mopsim::mpi::mapping::Mapping;
use mopsim::platform::Platform;
use mopsim::platform::load::LoadOptions;
use mopsim::study::choice::ModelChoice;
use mopsim::trace::{Trace, ti};
use rayon::prelude::*;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Every row has to agree to this, and 95 % of them to [`CLOSE`].
const TOLERANCE: f64 = 1e-6;
const CLOSE: f64 = 1e-9;

/// Rows of more actions are left to the benchmarks.
const MOST_ACTIONS: u64 = 200_000;

#[derive(Deserialize)]
struct Row {
    trace: String,
    platform: String,
    selector: String,
    model: String,
    extra: BTreeMap<String, String>,
    ranks: usize,
    actions: u64,
    simulated_seconds: f64,
}

impl Row {
    fn name(&self) -> String {
        format!("{} on {}, {}, {}", self.trace, self.platform, self.selector, self.model)
    }

    fn choice(&self) -> ModelChoice {
        assert_eq!(self.extra.get("network/optim").map(String::as_str), Some("Full"), "{}", self.name());
        ModelChoice {
            network_model: Some(self.model.to_lowercase()),
            collectives: Some(self.selector.clone()),
            timing_precision: Some(self.extra["surf/precision"].parse().expect("precision")),
            ..ModelChoice::default()
        }
    }

    fn difference(&self, trace: &Trace, platform: &Platform) -> f64 {
        assert_eq!((trace.ranks(), trace.total_actions()), (self.ranks, self.actions), "{}", self.name());
        let (model, _) = self.choice().build().expect("model");
        let layout = Mapping::OneEach.layout(self.ranks, platform.hosts.len()).expect("mapping");
        let outcome = replay(trace, platform, &layout, &model, &mut ()).expect("runs");
        support::relative_difference(outcome.simulated_seconds, self.simulated_seconds)
    }
}

fn read_trace(folder: &Path, name: &str) -> Trace {
    let path = ["xz", "zst"].map(|packed| folder.join(format!("{name}.ti.{packed}")));
    let path = path.iter().find(|p| p.exists()).unwrap_or_else(|| panic!("no trace {name}"));
    ti::read(path, &ti::Options::default()).expect("trace")
}

/// Replays the rows and reports how their differences are distributed.
fn check(rows: &[Row], traces: &Path, platforms: &Path) {
    let mut by_trace: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    rows.iter().for_each(|row| by_trace.entry(&row.trace).or_default().push(row));
    let platform_names: BTreeMap<&str, ()> = rows.iter().map(|row| (row.platform.as_str(), ())).collect();
    let loaded: BTreeMap<&str, Platform> = platform_names
        .keys()
        .map(|name| {
            let file = platforms.join(format!("{name}.json"));
            (*name, Platform::load(&file, &LoadOptions::default()).expect("platform"))
        })
        .collect();
    let mut results: Vec<(f64, String)> = by_trace
        .into_par_iter()
        .flat_map_iter(|(name, rows)| {
            let trace = read_trace(traces, name);
            let loaded = &loaded;
            rows.into_iter().map(move |row| (row.difference(&trace, &loaded[row.platform.as_str()]), row.name()))
        })
        .collect();
    results.sort_by(|a, b| a.0.total_cmp(&b.0));
    let differences: Vec<f64> = results.iter().map(|r| r.0).collect();
    for r in results.iter().filter(|r| r.0 > CLOSE) {
        println!("{:.2e} {}", r.0, r.1);
    }
    let close = differences.iter().filter(|d| **d <= CLOSE).count();
    let worst = results.last().expect("rows");
    println!(
        "{} rows: median difference {:.1e}, {close} within {CLOSE:e}, largest {:.1e} ({})",
        results.len(),
        support::median(&differences),
        worst.0,
        worst.1
    );
    let wrong: Vec<String> =
        results.iter().filter(|r| r.0 > TOLERANCE).map(|r| format!("{}: {:.1e}", r.1, r.0)).collect();
    assert!(wrong.is_empty(), "{} rows differ by more than {TOLERANCE:e}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(close * 100 >= results.len() * 95, "only {close} of {} rows are within {CLOSE:e}", results.len());
}

fn rows(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("rows");
    serde_json::from_str(&text).expect("rows")
}

#[test]
fn the_rows_in_the_repository_agree() {
    let folder = support::data().join("corpus");
    let rows = rows(&folder.join("rows.json"));
    assert!(rows.len() >= 12);
    check(&rows, &folder, &folder);
}

#[test]
fn all_rows_of_moderate_size_agree() {
    let Some(shared) = support::shared() else {
        println!("no reference data found; set MOPSIM_SHARED to its folder");
        return;
    };
    let corpus = shared.join("corpus");
    let mut rows = rows(&corpus.join("golden_exact.json"));
    rows.retain(|row| row.actions <= MOST_ACTIONS && ["default", "mvapich2"].contains(&row.selector.as_str()));
    assert!(rows.len() >= 200);
    check(&rows, &corpus.join("traces"), &corpus.join("platforms"));
}
