//! Bisections against the reference values.

use crate::support;
use mopsim::topology::metrics::bisection::{self, Counting};
use mopsim::topology::metrics::bounds::{bisection_share_of_all, bisection_share_of_links};

#[test]
fn endpoints_take_their_part_of_the_bisection_share() {
    let reference = support::topology_reference();
    for entry in reference["formulas"]["bisection_ratio"].as_array().unwrap() {
        let number = |key: &str| entry[key].as_f64().unwrap_or_else(|| panic!("{key} of {entry}"));
        let (bisection, switches) = (12.0, 50);
        let of_links = bisection_share_of_links(bisection, switches, number("K"));
        let factor = bisection_share_of_all(bisection, switches, number("K"), number("p")) / of_links;
        assert!(support::relative_difference(factor, number("ratio_br_over_Br")) < 1e-15, "{entry}");
    }
}

#[test]
fn bisections_are_exact_or_as_good_as_the_reference() {
    let reference = support::topology_reference();
    let (mut exact, mut bounds, mut better, mut worse) = (0, 0, 0, 0);
    let mut far = Vec::new();
    for entry in reference["deterministic"].as_array().unwrap() {
        let graph = support::topology(entry).graph;
        for (prefix, counting) in [("bisection", Counting::Arcs), ("bisection_merged", Counting::Merged)] {
            let value = |suffix: &str| entry[format!("{prefix}_{suffix}")].as_u64();
            if let Some(expected) = value("exact") {
                assert_eq!(bisection::best(&graph, counting, 5).cut, expected, "{}", support::spec(entry));
                exact += 1;
            }
            if let Some(expected) = value("metis_best") {
                let found = bisection::best(&graph, counting, 5).cut;
                // Both are upper bounds. The reference spreads by several per cent from seed to seed, so ours, from
                // other seeds, may be a little worse: 3 %, or one cable of a small cut.
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
    assert!(far.is_empty(), "{far:?}");
    assert!(exact > 40 && bounds > 25);
}
