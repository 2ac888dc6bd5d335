//! Bounds and bisections against the reference values.

use mopsim::topology::Graph;
use mopsim::topology::metrics::bisection::{self, Counting};
use mopsim::topology::metrics::bounds::{aspl_lower_bound, distance_sum_lower_bound, endpoint_factor, moore};
use serde_json::Value;

mod support;

#[test]
fn closed_forms_give_the_reference_values() {
    let Some(reference) = support::topologies() else { return };
    let formulas = &reference["formulas"];
    let number = |value: &Value, key: &str| value[key].as_u64().unwrap_or_else(|| panic!("{key} of {value}"));
    for entry in formulas["moore"].as_array().unwrap() {
        let (d, k) = (number(entry, "d"), number(entry, "k"));
        assert_eq!(moore(d, k, false), u128::from(number(entry, "undirected")), "{entry}");
        assert_eq!(moore(d, k, true), u128::from(number(entry, "directed")), "{entry}");
    }
    for entry in formulas["aspl_lower_bound"].as_array().unwrap() {
        let (n, d) = (number(entry, "n"), number(entry, "d"));
        for (way, directed) in [("undirected", false), ("directed", true)] {
            let (top, bottom) = entry[way].as_str().unwrap().split_once('/').unwrap();
            let (top, bottom): (u128, u128) = (top.parse().unwrap(), bottom.parse().unwrap());
            // The same fraction, one of them reduced.
            assert_eq!(distance_sum_lower_bound(n, d, directed) * bottom, top * u128::from(n - 1), "{entry}");
            let value = entry[format!("{way}_value")].as_f64().unwrap();
            assert!(support::relative_difference(aspl_lower_bound(n, d, directed), value) < 1e-15, "{entry}");
        }
    }
    for entry in formulas["bisection_ratio"].as_array().unwrap() {
        let factor = endpoint_factor(number(entry, "K") as f64, number(entry, "p") as f64);
        assert!(support::relative_difference(factor, entry["ratio_br_over_Br"].as_f64().unwrap()) < 1e-15, "{entry}");
    }
}

/// The graph of an entry: of the family or its stand-in, else from its list of cables, if it has one.
fn graph(entry: &Value) -> Option<Graph> {
    if let Some(topology) = support::families::topology(entry) {
        return Some((*topology.graph).clone());
    }
    let end = |pair: &Value, index: usize| pair[index].as_u64().unwrap() as u32;
    let cables = entry["edge_list"].as_array()?.iter().map(|pair| (end(pair, 0), end(pair, 1))).collect();
    let n = entry["n"].as_u64().unwrap() as usize;
    Some(if entry["directed"] == true { Graph::directed(n, cables) } else { Graph::undirected(n, cables) }.unwrap())
}

#[test]
fn bisections_are_exact_or_as_good_as_the_reference() {
    let Some(reference) = support::topologies() else { return };
    let (mut exact, mut bounds, mut better, mut worse) = (0, 0, 0, 0);
    let (mut skipped, mut far) = (Vec::new(), Vec::new());
    for entry in reference["deterministic"].as_array().unwrap() {
        let Some(graph) = graph(entry) else {
            skipped.push(support::spec(entry));
            continue;
        };
        // A stand-in has to be the right graph, too.
        let digest = mopsim::topology::metrics::edge_sha256(&graph);
        assert_eq!(digest, entry["edge_sha256"].as_str().unwrap(), "{}", support::spec(entry));
        for (prefix, counting) in [("bisection", Counting::Arcs), ("bisection_merged", Counting::Merged)] {
            let value = |suffix: &str| entry[format!("{prefix}_{suffix}")].as_u64();
            if let Some(expected) = value("exact") {
                assert_eq!(bisection::best(&graph, counting, 5).cut, expected, "{}", support::spec(entry));
                exact += 1;
            }
            if let Some(expected) = value("metis_best") {
                let found = bisection::best(&graph, counting, 5).cut;
                // Both are upper bounds. The reference spreads by several per cent from seed to seed, so ours, from other
                // seeds, may be a little worse: 3 %, or one cable of a small cut.
                let limit = (expected as f64 * 1.03).max(expected as f64 + 1.0);
                if found as f64 > limit {
                    far.push(format!("{}: {found}, reference {expected}", support::spec(entry)));
                }
                bounds += 1;
                better += usize::from(found < expected);
                worse += usize::from(found > expected);
            }
        }
        if let Some(expected) = entry["semicircle_cut"].as_u64() {
            assert_eq!(bisection::semicircle(&graph, Counting::Arcs).cut, expected, "{}", support::spec(entry));
        }
    }
    eprintln!("{exact} exact; {bounds} by METIS, {better} of them better and {worse} worse than the reference");
    eprintln!("skipped, no such family and no list of cables: {skipped:?}");
    assert!(far.is_empty(), "{far:?}");
    assert!(exact > 40 && bounds > 25);
}
