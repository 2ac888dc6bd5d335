//! `mopsim merge`: the report on a study from results files.

use super::args::{Merge, Output};
use super::failure::Failure;
use super::{side_files, study};
use std::sync::atomic::AtomicBool;

pub fn run(arguments: &Merge, output: &Output) -> Result<(), Failure> {
    let written = study::written(&arguments.study.study)?;
    let inputs = || study::files_read(&arguments.study, &written).into_iter().chain(arguments.files.iter().cloned());
    side_files::outputs(&arguments.study.files).check(inputs)?;
    let study = study::read(&arguments.study, written, output)?;
    let records = study.identity().merge(&arguments.files)?;
    match study::compared(&study, &records, None, &AtomicBool::new(false), output)? {
        Some(comparison) => study::report(&arguments.study, &study, &comparison, output),
        None => unreachable!("nothing stops the packets"),
    }
}
