//! `mopsim compare`: a study, run and reported.

use super::args::{Compare, Output};
use super::failure::Failure;
use super::progress::Bar;
use super::{options, print, say};
use mopsim::report::number;
use mopsim::study::{Overrides, Study, mapping};
use std::time::Instant;

pub fn run(arguments: &Compare, output: &Output) -> Result<(), Failure> {
    let overrides = Overrides {
        model: options::model(&arguments.model)?,
        network: options::network(&arguments.network)?,
        placement: options::placement(&arguments.network, &arguments.placement),
        seed: arguments.network.seed,
    };
    // Before the study is read, a wrong choice can only be one of the command line.
    overrides.model.build()?;
    mapping(overrides.placement.rule.as_deref(), overrides.seed)?;
    let in_study = |failure: Failure| failure.in_study(&arguments.study);
    let study = Study::read(&arguments.study, overrides).map_err(|error| in_study(Failure::study(&error, &[])))?;
    if !output.quiet {
        let warnings = study.workloads.iter().flat_map(|w| &w.trace.warnings);
        warnings.for_each(|warning| say(&format!("warning: {warning}")));
    }
    // More threads than replays would only wait.
    let pool =
        rayon::ThreadPoolBuilder::new().num_threads(arguments.threads.min(study.cells())).build().map_err(|error| {
            Failure::input(format!("cannot start {} threads: {error}", arguments.threads), "Ask for fewer threads.")
        })?;
    let begin = Instant::now();
    let bar = Bar::new(study.cells(), output.quiet);
    let result = pool.install(|| study.run(&bar));
    bar.finish();
    let comparison = result.map_err(|error| Failure::study(&error, &study.workloads))?;
    if !output.quiet {
        let actions: u64 = comparison.workloads.iter().map(|w| w.actions).sum::<u64>() * study.networks.len() as u64;
        let wall = begin.elapsed().as_secs_f64();
        say(&format!(
            "{} replays, {} actions in {} of wall time",
            study.cells(),
            number::grouped(actions),
            number::seconds(wall)
        ));
    }
    print(|out| options::reporter(output.format).compare(&comparison, out))?;
    if comparison.unmatched {
        return Err(Failure::unmatched(&comparison.title, &comparison.notes));
    }
    Ok(())
}
