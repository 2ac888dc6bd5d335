//! Colour on terminals: labels of messages, as clap colours those of its own.

use std::env;
use std::io::{self, IsTerminal};

/// Labels at the start of a message, and the codes of their colours.
const LABELS: [(&str, &str); 2] = [("error:", "\x1b[1;31m"), ("warning:", "\x1b[1;33m")];

/// `true` if a stream shows colours: a terminal that is not dumb, and the user has not turned them off (no-color.org).
pub fn is_shown(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    stream.is_terminal() && set("NO_COLOR").is_none() && set("TERM").is_none_or(|terminal| terminal != "dumb")
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
