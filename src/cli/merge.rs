//! `mopsim merge`: the report on a study from results files.

use super::args::{Merge, Output};
use super::failure::Failure;
use super::study;

pub fn run(arguments: &Merge, output: &Output) -> Result<(), Failure> {
    let study = study::read(&arguments.study, output)?;
    let records = study.identity().merge(&arguments.files)?;
    study::report(&arguments.study, &study, &study.compare(&records), output)
}
