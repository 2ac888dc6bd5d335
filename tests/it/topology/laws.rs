//! Known properties of a network before it is built, and the test of networks against them.

use mopsim::ids::SwitchId;
use mopsim::topology::metrics::Metrics;
use mopsim::topology::{TopologyError, build};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Known properties of a network before it is built; `None` if there is no closed form.
#[derive(Clone, Debug, Default)]
pub struct Law {
    pub spec: String,
    pub directed: bool,
    /// Vertices of the graph, hosts only where they are vertices of it.
    pub n: usize,
    pub cables: Option<usize>,
    /// Smallest and largest degree, in and out.
    pub degree: (usize, usize),
    /// Smallest and largest possible diameter.
    pub diameter: Option<(usize, usize)>,
    /// Hosts in all; 0 where there is one on each switch.
    pub hosts: usize,
    /// `true` if two cables may join the same switches.
    pub parallel: bool,
    /// `true` if a disconnected or unbuildable network is possible.
    pub fallible: bool,
    /// The average distance.
    pub aspl: Option<f64>,
}

pub fn check(law: &Law) -> Result<(), TestCaseError> {
    let spec = &law.spec;
    let topology = match build(spec) {
        Err(TopologyError::Unbuildable { .. }) if law.fallible => return Ok(()),
        other => other.map_err(|error| TestCaseError::fail(format!("{spec}: {error}")))?,
    };
    let graph = &topology.graph;
    prop_assert_eq!(graph.switches(), law.n, "{}", spec);
    prop_assert_eq!(graph.is_directed(), law.directed, "{}", spec);
    if let Some(cables) = law.cables {
        prop_assert_eq!(graph.cables(), cables, "{}", spec);
    }
    for switch in (0..law.n as u32).map(SwitchId) {
        for degree in [graph.out_degree(switch), graph.in_degree(switch)] {
            prop_assert!((law.degree.0..=law.degree.1).contains(&degree), "{}: {} has {}", spec, switch, degree);
        }
        for head in graph.neighbours(switch) {
            prop_assert!(head != switch, "{}: a loop", spec);
            prop_assert!(law.directed || graph.find_arc(head, switch).is_some(), "{}: not symmetric", spec);
        }
        let simple = graph.neighbours(switch).zip(graph.neighbours(switch).skip(1)).all(|(a, b)| a < b);
        prop_assert!(simple || law.parallel, "{}: parallel cables", spec);
    }
    let hosts = if law.hosts == 0 { law.n } else { law.hosts };
    prop_assert_eq!(graph.default_hosts().iter().sum::<u32>() as usize, hosts, "{}", spec);
    let metrics = Metrics::of(graph).unwrap();
    match (&metrics.distances, law.fallible) {
        (None, fallible) => prop_assert!(fallible, "{}: disconnected", spec),
        (Some(distances), _) => {
            if let Some((least, most)) = law.diameter {
                let diameter = distances.diameter();
                prop_assert!((least..=most).contains(&diameter), "{}: diameter {}", spec, diameter);
            }
            if let Some(aspl) = law.aspl {
                prop_assert!((distances.aspl - aspl).abs() < 1e-9 * aspl.max(1.0), "{}: {}", spec, distances.aspl);
            }
        }
    }
    // The canonical name builds the same network again.
    prop_assert_eq!(&build(&topology.name()).unwrap().graph, graph, "{}", spec);
    Ok(())
}

pub fn holds(family: &str, laws: impl Strategy<Value = Law>) {
    let config = ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new(config)
        .run(&laws, |law| {
            prop_assert!(law.spec.starts_with(family));
            check(&law)
        })
        .unwrap_or_else(|error| panic!("{family}: {error}"));
}

pub fn law(spec: String, n: usize, degree: (usize, usize)) -> Law {
    Law { spec, n, degree, ..Law::default() }
}

pub fn one_way(spec: String, n: usize, degree: (usize, usize)) -> Law {
    Law { directed: true, ..law(spec, n, degree) }
}

pub fn exactly(diameter: usize) -> Option<(usize, usize)> {
    Some((diameter, diameter))
}

pub fn dims(most: usize, sizes: usize) -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(1..=most, 1..=sizes)
}

pub fn grid(family: &str, dims: &[usize], degree: (usize, usize), diameter: usize, mean: impl Fn(f64) -> f64) -> Law {
    let n: usize = dims.iter().product();
    let text = dims.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
    let sum: f64 = dims.iter().map(|&d| mean(d as f64)).sum();
    let aspl = if n > 1 { sum * n as f64 / (n as f64 - 1.0) } else { 0.0 };
    Law { diameter: exactly(diameter), aspl: Some(aspl), ..law(format!("{family}:{text}"), n, degree) }
}

pub fn log_ceil(base: usize, n: usize) -> usize {
    (0..).find(|&k| base.checked_pow(k).is_none_or(|power| power >= n)).unwrap() as usize
}

pub const PRIME_POWERS: [usize; 12] = [3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 25];
