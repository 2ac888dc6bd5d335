//! Closed forms against the reference file.

use super::figures::{graph, max_degree};
use super::reference::topology_reference;
use mopsim::defaults::Version;
use mopsim::design::bounds::switch_counts;
use mopsim::design::dsnf::expansion;
use mopsim::survey::{Survey, SurveyOptions};
use mopsim::topology::build;
use mopsim::topology::metrics::bounds::{aspl, moore};
use serde_json::Value;

/// Parses a fraction, `7/3` or `2`.
fn fraction(text: &Value) -> f64 {
    let text = text.as_str().expect("a fraction");
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap()
}

#[test]
fn closed_forms_give_the_reference_values() {
    let reference = topology_reference();
    let formulas = reference["formulas"].as_object().unwrap();
    for (name, entries) in formulas {
        for entry in entries.as_array().unwrap() {
            let number = |key: &str| entry[key].as_u64().unwrap_or_else(|| panic!("{name}: {key} of {entry}"));
            match name.as_str() {
                "moore" => {
                    for (key, directed) in [("undirected", false), ("directed", true)] {
                        assert_eq!(
                            moore(number("d"), number("k") as u32, directed),
                            Some(number(key).into()),
                            "{entry}"
                        );
                    }
                }
                "aspl_lower_bound" => {
                    for (key, directed) in [("undirected", false), ("directed", true)] {
                        let bound = aspl(number("n"), number("d"), directed).unwrap();
                        assert!((bound - fraction(&entry[key])).abs() < 1e-12, "{entry}: {bound}");
                    }
                }
                "switch_count" => {
                    let counts = switch_counts(number("N"), number("m"), number("n")).unwrap();
                    assert_eq!((counts.most, counts.least), (number("max").into(), entry["min"].as_u64()), "{entry}");
                }
                "equality_K" => {
                    // Any odd hops are suitable: the degree depends only on their number.
                    let odd: Vec<u64> = (0..number("sa_len")).map(|index| 2 * index + 1).collect();
                    let network = graph(&format!("equality:n={},sa={odd:?},sb={}", number("n"), entry["sb"]));
                    assert_eq!(max_degree(&network) as u64, number("K"), "{entry}");
                }
                "dsnf_p" => {
                    // The default p builds the same network as the explicit one.
                    let (n, p) = (number("n"), number("p"));
                    assert_eq!(graph(&format!("dsnf:{n}")), graph(&format!("dsnf:n={n},p={p}")), "{entry}");
                }
                "dsnf_transform" => {
                    let (p, n) = (number("p"), number("n"));
                    let steps =
                        expansion(&format!("n={n},p={p},fill=balanced"), &format!("n={n},p={},fill=balanced", p + 1))
                            .unwrap()
                            .steps;
                    let [turn] = &steps[..] else { panic!("{entry}: one step") };
                    let [added, moved, removed] = turn.counts().map(|count| count as u64);
                    assert_eq!((removed + moved, added + moved), (number("removed"), number("added")), "{entry}");
                    assert_eq!(turn.cables_before as u64, number("links_before"), "{entry}");
                    assert_eq!(turn.cables as u64, number("links_after"), "{entry}");
                    assert_eq!((p + 7) << p, number("paper_rewired"), "{entry}");
                    let paper = entry["paper_fraction"].as_f64().unwrap();
                    assert!((turn.fraction_of_source().unwrap() - paper).abs() < 1e-9, "{entry}");
                }
                // Closed forms of cost, power and bisection are tested in their own modules.
                "router_cost" | "cable_cost_per_gbps" | "router_power_w" | "bisection_ratio" => {}
                other => panic!("nobody tests the formulas `{other}`"),
            }
        }
    }
}

#[test]
fn clos_networks_have_the_reference_sizes() {
    let reference = topology_reference();
    let entries = reference["clos"].as_array().unwrap();
    assert_eq!(entries.len(), 5);
    for entry in entries {
        let number = |key: &str| entry[key].as_u64().unwrap();
        let [m, n, r] = ["m", "n", "r"].map(number);
        let clos = graph(&format!("clos:m={m},n={n},r={r}"));
        let hosts = (clos.switches() - clos.switch_vertices()) as u64;
        assert_eq!((hosts, clos.switch_vertices() as u64), (number("hosts"), number("switches")), "{entry}");
        // A host has a cable to its input and one from its output; the others are between the stages.
        let between_stages = clos.cables() as u64 - 2 * hosts;
        assert_eq!((clos.cables() as u64, between_stages), (number("arcs"), number("links_between_stages")), "{entry}");
        // The reference draws the input and the output of a host as two vertices.
        assert_eq!(clos.switches() as u64 + hosts, number("vertices"), "{entry}");
        let whole = build(&format!("clos:{m},{n},{r}")).unwrap();
        let report = Survey::of(&whole, &SurveyOptions::of(Version::V0_1)).unwrap();
        assert_eq!(report.host_diameter_links.map(|links| links as u64), Some(number("input_to_output_links")));
        assert_eq!(report.host_aspl_links, Some(4.0), "{entry}");
    }
}
