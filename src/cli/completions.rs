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
    if matches!(shell, Shell::Bash) {
        let text = String::from_utf8(script).expect("a script is text");
        script =
            format!("{JOINED}{}", text.replace("complete -F _mopsim ", "complete -F _mopsim_joined ")).into_bytes();
    }
    deliver(&script)
}

/// Completes without a blank after the family of a topology, whose parameters follow its colon. Old versions of Bash have
/// no `compopt`.
const JOINED: &str = r#"_mopsim_joined() {
    _mopsim "$@"
    if [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *: ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

"#;
