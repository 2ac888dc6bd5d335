//! `mopsim topology`: what a topology is like, several side by side.

use super::args::{Output, Topology};
use super::failure::Failure;
use super::{options, print};
use mopsim::design::fit::{self, Wanted};
use mopsim::report::{TopologyReport, design};
use mopsim::topology::Spec;

pub fn run(arguments: &Topology, output: &Output) -> Result<(), Failure> {
    if let Some(fit) = &arguments.fit {
        let wanted: Wanted = fit.parse()?;
        let fits = fit::fits(wanted)?;
        return print(|out| options::reporter(output.format).sheet(&design::fits(wanted, &fits), out));
    }
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
