//! Arguments of a verb that are described only when that verb is used, or its help is shown.
//!
//! The verbs have about two hundred arguments with help texts. Describing all of them takes longer than replaying a
//! small trace, and a run needs only those of one verb.

use super::with_negative_numbers;
use clap::builder::Resettable;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use std::ops::Deref;

/// Arguments of a verb, described when clap reaches that verb.
#[derive(Debug)]
pub struct Later<T>(T);

impl<T> Deref for Later<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        T::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl<T: Args> Args for Later<T> {
    fn augment_args(command: Command) -> Command {
        command.defer(|verb| described(verb, T::augment_args))
    }

    fn augment_args_for_update(command: Command) -> Command {
        command.defer(|verb| described(verb, T::augment_args_for_update))
    }
}

/// Describes the arguments of a verb. The verb keeps its own text, not that of the arguments' type.
fn described(verb: Command, augment: fn(Command) -> Command) -> Command {
    let about = Resettable::from(verb.get_about().cloned());
    let long_about = Resettable::from(verb.get_long_about().cloned());
    let name = verb.get_name().to_owned();
    brief(with_negative_numbers(augment(verb)).about(about).long_about(long_about), &name)
}

/// Leaves examples and notes to `--help`, so that `-h` fits one screen, and ends `-h` with a line that says so.
fn brief(verb: Command, path: &str) -> Command {
    let verbs: Vec<String> = verb.get_subcommands().map(|verb| verb.get_name().to_owned()).collect();
    // Without notes an empty text: clap would repeat the line for `-h`.
    let notes = verb.get_after_help().cloned().unwrap_or_default();
    let more = format!("All options and examples: mopsim {path} --help");
    let verb = verb.after_long_help(notes).after_help(more);
    verbs.into_iter().fold(verb, |verb, name| {
        let path = format!("{path} {name}");
        verb.mut_subcommand(name, |verb| brief(verb, &path))
    })
}
