//! Messages of Starlark in the words of workloads.

use super::count::{COUNT, Count};

/// Rephrases a message that names types of Rust; `None` for one that does not.
pub(super) fn rephrase(message: &str) -> Option<String> {
    out_of_range(message)
}

/// Rephrases the message about an argument that does not fit its type.
fn out_of_range(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Error unpacking value for parameter `")?;
    let (name, rest) = rest.split_once('`')?;
    let (_, rest) = rest.split_once("Integer value is too big to fit in ")?;
    let (kind, value) = rest.split_once(": ")?;
    let (least, most) = match kind {
        COUNT => (0, i64::from(Count::MOST)),
        "u32" => (0, i64::from(u32::MAX)),
        "i32" => (i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => return None,
    };
    let limit = match value.starts_with('-') {
        true => format!("{least} or more"),
        false if kind == COUNT => format!("at most {most}, {LARGEST}"),
        false => format!("at most {most}"),
    };
    let verb = if name.ends_with("counts") { "has" } else { "is" };
    Some(format!("`{name}` {verb} {}, and must be {limit}", value.trim()))
}

/// End of messages about counts that are too large.
const LARGEST: &str = "the largest count of MPI";

/// Returns what to do about an error of a program, given its message.
pub(super) fn way_out(text: &str) -> &'static str {
    if text.contains(LARGEST) {
        return "count elements of a larger datatype, or send several messages";
    }
    "docs/guide/workloads.md describes the language of workloads"
}
