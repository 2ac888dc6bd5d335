//! Topologies against reference values that another program computed from the same construction rules.

use mopsim::topology::metrics::{Metrics, distances};
use mopsim::topology::{TopologyError, build};
use serde_json::Value;

fn reference() -> Value {
    serde_json::from_str(include_str!("data/topology.json")).expect("the reference file is JSON")
}

fn spec(entry: &Value) -> String {
    let parameters = entry["params"].as_object().unwrap().iter().map(|(name, value)| format!("{name}={value}"));
    format!("{}:{}", entry["topology"].as_str().unwrap(), parameters.collect::<Vec<_>>().join(","))
}

#[test]
fn deterministic_families_give_the_reference_graphs() {
    let reference = reference();
    let entries = reference["deterministic"].as_array().unwrap();
    assert!(entries.len() > 40);
    for entry in entries {
        let spec = spec(entry);
        let topology = build(&spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let metrics = Metrics::of(&topology.graph).unwrap();
        let number = |key: &str| entry[key].as_u64().unwrap_or_else(|| panic!("{spec}: {key}")) as usize;
        assert_eq!(metrics.edge_sha256, entry["edge_sha256"].as_str().unwrap(), "{spec}");
        assert_eq!(metrics.switches, number("n"), "{spec}");
        assert_eq!(metrics.directed, entry["directed"].as_bool().unwrap(), "{spec}");
        if metrics.directed {
            assert_eq!(metrics.cables, number("arcs"), "{spec}");
            assert_eq!(metrics.degrees.min_out, number("min_out_degree"), "{spec}");
            assert_eq!(metrics.degrees.max_out, number("max_out_degree"), "{spec}");
            assert_eq!(metrics.degrees.min_in, number("min_in_degree"), "{spec}");
            assert_eq!(metrics.degrees.max_in, number("max_in_degree"), "{spec}");
        } else {
            assert_eq!(metrics.cables, number("edges"), "{spec}");
            assert_eq!(metrics.degrees.min_out, number("min_degree"), "{spec}");
            assert_eq!(metrics.degrees.max_out, number("max_degree"), "{spec}");
        }
        let distances = metrics.distances.expect("the reference graphs are connected");
        let histogram: Vec<u64> =
            entry["distance_histogram"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
        assert_eq!(distances.histogram, histogram, "{spec}");
        assert_eq!(distances.diameter(), number("diameter"), "{spec}");
        assert_eq!(distances.sum, number("distance_sum") as u128, "{spec}");
        let aspl = entry["aspl"].as_f64().unwrap();
        // The reference prints 12 significant digits, so it is off by at most 5e-12 of its value.
        assert!((distances.aspl - aspl).abs() <= 5e-12 * aspl, "{spec}: {} and {aspl}", distances.aspl);
    }
}

#[test]
fn random_families_fall_inside_the_reference_ranges() {
    let reference = reference();
    for entry in reference["random"].as_array().unwrap() {
        // The reference gives the range over 20 samples; another generator may be off by the width of the range, or by
        // 2 % of its upper end if that is more.
        let inside = |key: &str, value: f64| {
            let [min, max] = [0, 1].map(|end| entry[key][end].as_f64().unwrap());
            let slack = (max - min).max(0.02 * max);
            assert!((min - slack..=max + slack).contains(&value), "{entry}: {key} is {value}");
        };
        for seed in 1..=3 {
            let topology = build(&format!("{},seed={seed}", spec(entry))).unwrap();
            let metrics = Metrics::of(&topology.graph).unwrap();
            let measured = distances(&topology.graph).unwrap();
            inside(if metrics.directed { "arcs" } else { "edges" }, metrics.cables as f64);
            inside("diameter", measured.diameter() as f64);
            inside("aspl", measured.aspl);
            let degree = entry["params"]["d"].as_u64().unwrap() as usize;
            assert_eq!((metrics.degrees.max_out, metrics.degrees.max_in), (degree, degree));
            if metrics.directed {
                assert_eq!((metrics.degrees.min_out, metrics.degrees.min_in), (degree, degree));
            }
        }
    }
}

#[test]
fn invalid_parameters_are_refused() {
    for entry in reference()["invalid"].as_array().unwrap() {
        let spec = spec(entry);
        assert!(matches!(build(&spec), Err(TopologyError::InvalidParameter { .. })), "{spec}");
    }
}
