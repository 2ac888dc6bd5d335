//! `mopsim trace`: what is in traces.

use super::args::{Output, TraceDiff, TraceVerb, TraceWhat};
use super::failure::Failure;
use super::{options, print};
use mopsim::report::workload;
use mopsim::trace::{self, Options, diff::Difference};

pub fn run(arguments: &TraceVerb, output: &Output) -> Result<(), Failure> {
    match &arguments.what {
        TraceWhat::Diff(arguments) => diff(arguments, output),
    }
}

fn diff(arguments: &TraceDiff, output: &Output) -> Result<(), Failure> {
    let read = |path| trace::read(path, &Options::default());
    let (first, second) = (read(&arguments.first)?, read(&arguments.second)?);
    let difference = Difference::of(&first, &second);
    let sheet = workload::difference(&difference);
    print(|out| options::reporter(output.format).sheet(&sheet, out))?;
    if difference.same_communication() { Ok(()) } else { Err(Failure::differs("the traces communicate differently")) }
}
