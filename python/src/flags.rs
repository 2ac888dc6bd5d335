//! Options of Python calls, read as the flags of the command line that have their names.

use crate::cli::args::{self, Arguments, Verb};
use crate::cli::failure::Failure;
use clap::FromArgMatches;
use std::ffi::OsString;

/// Reads a command line that Python has put together; it reports nothing on standard error.
pub fn read(words: impl IntoIterator<Item = OsString>) -> Result<Arguments, Failure> {
    let all = ["mopsim", "--quiet"].map(OsString::from).into_iter().chain(words);
    let mut command = args::command();
    let matches = command.try_get_matches_from_mut(all);
    let parsed = matches.and_then(|mut matches| {
        Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    });
    parsed.map_err(|error| {
        let text = error.render().to_string();
        // The rest describes the command line.
        let end = ["\n\nUsage:", "\n\nFor more information"].iter().filter_map(|mark| text.find(mark)).min();
        let text = text[..end.unwrap_or(text.len())].trim_start_matches("error: ").trim_end();
        Failure::input(text, "")
    })
}

/// Reads the flags of `mopsim replay` without a trace, which Python passes by itself.
pub fn replay(flags: Vec<OsString>) -> Result<impl std::ops::Deref<Target = args::Replay>, Failure> {
    let words = ["replay", "-"].map(OsString::from).into_iter().chain(flags);
    match read(words)?.verb {
        Verb::Replay(verb) => Ok(verb),
        _ => unreachable!("the verb is replay"),
    }
}

/// Reads the flags of `mopsim topology` for one specification.
pub fn topology(spec: &str, flags: Vec<OsString>) -> Result<impl std::ops::Deref<Target = args::Topology>, Failure> {
    let words = ["topology".into()].into_iter().chain(flags).chain(["--".into(), spec.into()]);
    match read(words)?.verb {
        Verb::Topology(verb) => Ok(verb),
        _ => unreachable!("the verb is topology"),
    }
}

/// Reads the flags of `mopsim compare`.
pub fn compare(study: OsString, flags: Vec<OsString>) -> Result<impl std::ops::Deref<Target = args::Compare>, Failure> {
    let words = ["compare".into()].into_iter().chain(flags).chain(["--".into(), study]);
    match read(words)?.verb {
        Verb::Compare(verb) => Ok(verb),
        _ => unreachable!("the verb is compare"),
    }
}
