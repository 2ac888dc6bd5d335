//! `mopsim topology`: what a topology is like, several side by side.

use super::args::{Output, Topology};
use super::failure::Failure;
use super::{options, print};
use mopsim::report::TopologyReport;
use mopsim::topology::Spec;

pub fn run(arguments: &Topology, output: &Output) -> Result<(), Failure> {
    let mut reports = Vec::with_capacity(arguments.specs.len());
    for spec in &arguments.specs {
        let mut spec: Spec = spec.parse()?;
        if let Some(seed) = arguments.seed
            && !spec.seed_given()
        {
            spec.set_seed(seed);
        }
        reports.push(TopologyReport::of(&spec.build()?)?);
    }
    print(|out| options::reporter(output.format).topology(&reports, out))
}
