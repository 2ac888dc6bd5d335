//! Colour: labels of messages, as clap colours those of its own, and what clap itself writes. All of the program
//! decides here, by the conventions of no-color.org and of `CLICOLOR` (bixense.com/clicolors).

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// Labels at the start of a message, and the codes of their colours.
const LABELS: [(&str, &str); 2] = [("error:", "\x1b[1;31m"), ("warning:", "\x1b[1;33m")];

/// `true` if a stream shows colours, by the environment and by what the stream is.
pub fn is_shown(stream: &impl IsTerminal) -> bool {
    decide(stream.is_terminal(), |name| env::var_os(name))
}

/// Decides on colours. `NO_COLOR` prevents them; otherwise `CLICOLOR_FORCE` demands them, except if it is 0; otherwise they
/// are for terminals that are not dumb, unless `CLICOLOR` is 0. An empty variable is the same as none.
fn decide(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    is_terminal && set("CLICOLOR").is_none_or(|value| value != "0") && set("TERM").is_none_or(|value| value != "dumb")
}

/// Returns a text of clap for a stream, with its colours if the stream shows any.
pub fn of_clap(text: &clap::builder::StyledStr, stream: &impl IsTerminal) -> String {
    if is_shown(stream) { text.ansi().to_string() } else { text.to_string() }
}

/// Colours the label of a message for standard error. The message must have no control characters of its own
/// ([`mopsim::printable`]).
pub fn labelled(message: &str) -> String {
    let label = LABELS.iter().find(|(label, _)| message.starts_with(label));
    match label.filter(|_| is_shown(&io::stderr())) {
        Some((label, colour)) => format!("{colour}{label}\x1b[0m{}", &message[label.len()..]),
        None => message.to_owned(),
    }
}
