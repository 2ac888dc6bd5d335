//! Lines of SMPI's tracer that cannot be replayed, since they leave out what the call did.

use crate::trace::error::TraceErrorKind as Kind;

/// Refused lines, with the reason.
const REFUSED: [(&str, &str); 16] = [
    ("Startall", "its requests are not recorded"),
    ("testall", "the line contains neither its requests nor whether it found them complete"),
    ("testany", "the line contains neither its requests nor which of them it found complete"),
    ("testsome", "the line contains neither its requests nor which of them it found complete"),
    ("waitAny", "the line contains neither its requests nor which of them it found complete"),
    ("Win_post", "the ranks that share the epoch are not recorded"),
    ("Win_start", "the ranks that share the epoch are not recorded"),
    ("Win_complete", "the ranks that share the epoch are not recorded"),
    ("Win_wait", "the ranks that share the epoch are not recorded"),
    ("Get_accumulate", "the amount of returned data is not recorded"),
    ("Compare_and_swap", "the amount of returned data is not recorded"),
    ("Rput", "its wait cannot be identified"),
    ("Rget", "its wait cannot be identified"),
    ("Raccumulate", "its wait cannot be identified"),
    ("Rget_accumulate", "its wait cannot be identified"),
    ("isendRecv", "its waits cannot be identified"),
];

const REFUSED_HELP: &str = "SimGrid's replay does not know it either; record the program with `mopsim record`, or replace \
                            the line by what it did";

/// Returns the reason why a line of that name is refused, if it is one of SMPI's tracer that cannot be replayed.
pub(super) fn refusal(word: &[u8]) -> Option<Kind> {
    let (name, reason) = REFUSED.iter().find(|(name, _)| name.as_bytes() == word)?;
    Some(Kind::Smpi {
        problem: format!("`{name}` of SMPI's tracer cannot be replayed: {reason}").into(),
        help: REFUSED_HELP,
    })
}
