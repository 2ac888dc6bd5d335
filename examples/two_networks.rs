//! Compares two networks with the same number of ports under two applications, and writes the report as CSV.
//!
//! `cargo run --release --example two_networks`

use mopsim::mpi::mapping::Mapping;
use mopsim::report;
use mopsim::study::choice::ModelChoice;
use mopsim::study::comparison::Comparison;
use mopsim::study::network::NetworkChoice;
use mopsim::study::workload::Workload;
use mopsim::study::{Silent, Study};
use mopsim::workload::Limits;
use std::error::Error;
use std::path::Path;

/// Runs the study: every workload on every network, on all cores.
pub fn comparison() -> Result<Comparison, Box<dyn Error>> {
    let networks = [("torus", "torus:4x4"), ("random", "random:n=16,d=4,seed=1")].map(|(name, spec)| {
        let choice = NetworkChoice { name: Some(name.into()), topology: Some(spec.into()), ..NetworkChoice::default() };
        choice.build(Path::new(""))
    });
    // A trace of a file would be `Workload::read`; these are generated.
    let class = [("class".to_owned(), "S".to_owned())];
    let workloads = ["npb/is", "npb/mg"].map(|name| Workload::generate(name, 16, &class, &Limits::default()));
    let study = Study::new(
        "Torus against random".into(),
        0,
        networks.into_iter().collect::<Result<_, _>>()?,
        workloads.into_iter().collect::<Result<_, _>>()?,
        Mapping::default(),
        None,
        &ModelChoice::default(),
    )?;
    Ok(study.run(&Silent)?)
}

/// Prints the result.
pub fn main() -> Result<(), Box<dyn Error>> {
    let comparison = comparison()?;
    for (number, network) in comparison.networks.iter().enumerate() {
        println!("{}: {:.3} times the baseline (geometric mean)", network.name, comparison.geometric_mean(number));
    }
    let csv = report::format("csv").expect("a format of the library");
    csv.compare(&comparison, &mut std::io::stdout().lock())?;
    Ok(())
}
