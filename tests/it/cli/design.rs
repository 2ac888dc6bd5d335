//! `mopsim design` as its users see it.

use crate::support::cli::{Folder, assert_80_columns, number};

#[test]
fn a_search_for_equality_hops_can_be_interrupted() {
    let folder = Folder::new();
    let goal = ["design", "equality", "--n", "128", "--degree", "6", "--seed", "3", "--generations"];
    let whole = folder.json(&[&goal[..], &["30"]].concat());
    let part = |generations| folder.json(&[&goal[..], &[generations, "--state", "eq.json"]].concat());
    assert_eq!(part("11")["generation"], 11);
    assert_eq!(part("30"), whole);
    assert!(number(&whole, "product") < number(&whole, "first_product"));
    // Its output is a topology with these metrics.
    let topology = folder.json(&["topology", whole["topology"].as_str().expect("a specification")]);
    assert_eq!((&topology["diameter"], &topology["max_degree"]), (&whole["diameter"], &6.into()));
    assert!((number(&topology, "aspl") - number(&whole, "aspl")).abs() < 1e-12);
    assert!(folder.output(&[&goal[..], &["5"]].concat()).contains("best found         equality:n=128,sa=[-1,1,"));

    // A file for another goal, and a damaged one, are refused and stay as they are.
    let other = ["design", "equality", "--n", "130", "--degree", "6", "--state", "eq.json"];
    folder.refuse(&other, 2, &["eq.json:1: the saved search is n=128", "another network"]);
    folder.write("eq.json", "{\"schema\": 1}");
    folder.refuse(&other, 2, &["eq.json:1:", "no saved search"]);
    folder.refuse(&["design", "equality", "--n", "15", "--degree", "3"], 2, &["n is 15", "even"]);
    folder.refuse(&["design", "equality", "--n", "16", "--degree", "3", "--state", "no/eq.json"], 3, &["no/eq.json"]);
}

#[test]
fn an_expansion_lists_every_cable() {
    let folder = Folder::new();
    let plan = ["design", "dsnf", "--from", "n=24,p=3", "--to", "n=70,p=4"];
    let result = folder.json(&plan);
    let steps = result["steps"].as_array().expect("a list");
    let counts = |step: usize| ["n", "added", "moved", "removed"].map(|name| steps[step][name].as_u64());
    assert_eq!(counts(0), [64, 72, 0, 0].map(Some));
    // A transformation of p = 3: 8 super-nodes with p + 5 cables that go and p + 6 that come.
    assert_eq!(steps[1]["moved"].as_u64().unwrap() + steps[1]["removed"].as_u64().unwrap(), 64);
    assert_eq!(steps[1]["moved"].as_u64().unwrap() + steps[1]["added"].as_u64().unwrap(), 72);
    assert_eq!(steps.len(), 3);
    let all: u64 = steps.iter().flat_map(|s| ["added", "moved", "removed"].map(|name| s[name].as_u64().unwrap())).sum();
    assert_eq!(result["changes"].as_array().expect("a list").len() as u64, all);
    let csv = folder.output(&[&plan[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count() as u64, 1 + all);
    assert!(csv.contains("\n1,add,"), "{csv}");
    assert_80_columns(&folder.output(&plan));
    folder.refuse(&["design", "dsnf", "--from", "n=24,p=4", "--to", "n=70,p=4"], 2, &["`p` is `4`", "64"]);
    folder.refuse(&["design", "dsnf", "--from", "n=70,p=4", "--to", "n=64,p=4"], 2, &["--to", "at least"]);
}

#[test]
fn switches_are_counted() {
    let folder = Folder::new();
    let notes = ["design", "switches", "--nodes", "1000", "--ports", "24"];
    let one = folder.json(&notes);
    assert_eq!((&one["min"], &one["max"]), (&46.into(), &553_000.into()));
    let two = folder.json(&[&notes[..], &["--node-ports", "2"]].concat());
    assert_eq!((&two["min"], &two["max"]), (&serde_json::Value::Null, &48_000.into()));
    assert!(folder.output(&notes).contains("most switches      553,000"));
    folder.refuse(&["design", "switches", "--nodes", "9", "--ports", "2"], 2, &["ports is 2", "more than 2"]);
}
