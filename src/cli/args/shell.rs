//! Arguments of `completions`, `man` and `doctor`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim completions bash > ~/.local/share/bash-completion/completions/mopsim
  mopsim completions zsh > ~/.zfunc/_mopsim        # a folder in $fpath
  mopsim completions fish > ~/.config/fish/completions/mopsim.fish")]
pub struct Completions {
    /// Shell that reads the script
    #[arg(value_name = "SHELL")]
    pub shell: CompletedShell,
}

/// Shells with completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CompletedShell {
    Bash,
    Zsh,
    Fish,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim man replay | man -l -
  mopsim man --output ~/.local/share/man/man1")]
pub struct Man {
    /// Verb, e.g. replay or trace info; the program itself if none is given
    #[arg(value_name = "VERB", conflicts_with = "output")]
    pub verb: Vec<String>,
    /// Write the pages of all verbs to this folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Replace pages that exist
    #[arg(long, requires = "output")]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mopsim doctor

All of it is optional: the exit code is 0 whatever is missing. Replays, studies
and topologies need none of these programs.")]
pub struct Doctor {}
