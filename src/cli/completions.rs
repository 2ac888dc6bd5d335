//! `mopsim completions`: scripts that complete command lines in shells.

use super::args::{self, CompletedShell, Completions};
use super::deliver;
use super::failure::Failure;
use clap_complete::Shell;

pub fn run(arguments: &Completions) -> Result<(), Failure> {
    let shell = match arguments.shell {
        CompletedShell::Bash => Shell::Bash,
        CompletedShell::Zsh => Shell::Zsh,
        CompletedShell::Fish => Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "mopsim", &mut script);
    deliver(&script)
}
