//! Messages of Starlark in the words of workloads.

use super::count::{COUNT, Count};
use super::marks::STEM;
use super::recorder::MOST_ACTIONS;
use crate::similar::{did_you_mean, nearest};

/// Rephrases a message whose words are those of the language or of Rust; `None` for others.
pub(super) fn rephrase(message: &str) -> Option<String> {
    out_of_range(message)
        .or_else(|| other_type(message))
        .or_else(|| unknown_argument(message))
        .or_else(|| (message.starts_with(HEAP) || message.starts_with(CANCELLED)).then(|| TOO_MUCH_MEMORY.to_owned()))
        .or_else(|| (message == "Immutable").then(|| FROZEN.to_owned()))
        .or_else(|| message.starts_with("Variable `print` not found").then(|| NO_PRINT.to_owned()))
        // No program may use these names.
        .or_else(|| message.find(&format!(", did you mean `{STEM}")).map(|at| message[..at].to_owned()))
}

/// Message about a change of a value of the top level, or of `prepare`.
const FROZEN: &str = "this value cannot change: it is frozen, as all values of the top level are while `main` runs";
/// Start of Starlark's message about memory.
const HEAP: &str = "Heap memory limit of";
/// Start of its message about memory that the operating system found exceeded.
const CANCELLED: &str = "Evaluation cancelled";
/// Message about memory that Starlark itself found exceeded, within a statement or a loop.
const TOO_MUCH_MEMORY: &str = "the values of the program take more memory than the limit";
/// Message about `print`.
const NO_PRINT: &str = "there is no `print`: a program only describes calls";
/// End of messages about a number that is not whole.
const WHOLE: &str = "must be a whole number";
/// End of messages about several numbers of which one is not whole.
const ALL_WHOLE: &str = "must be a list of whole numbers";
/// End of the message about a datatype in quotes.
const DATATYPE: &str = "must be a datatype";
/// Middle of the message about arguments that do not exist.
const NO_ARGUMENT: &str = " has no named argument ";

/// Named arguments of the functions of workloads.
const ARGUMENTS: [&str; 18] = [
    "datatype",
    "tag",
    "root",
    "flops",
    "on",
    "blocks",
    "send_buffer",
    "recv_buffer",
    "default",
    "help",
    "type",
    "choices",
    "min",
    "max",
    "roots",
    "seed1",
    "seed2",
    "base",
];

/// Rephrases the message about an argument of another type.
fn other_type(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Type of parameter `")?;
    let (name, rest) = rest.split_once("` doesn't match, expected `")?;
    let (expected, actual) = rest.split_once("`, actual `")?;
    let actual = actual.strip_suffix('`').unwrap_or(actual);
    let (kind, value) = actual.split_once(" (repr: ").unwrap_or((actual, ""));
    let value = value.strip_suffix(')').unwrap_or(value);
    let must = match expected {
        "int" if name == "datatype" => DATATYPE,
        "int" => WHOLE,
        "float | int" => "must be a number",
        "bool" => "must be True or False",
        _ if expected.ends_with("list[int]") => ALL_WHOLE,
        _ => return None,
    };
    Some(format!("`{name}` is of type {kind}, {value}, and {must}"))
}

/// Rephrases the message about named arguments that a function of workloads does not have.
fn unknown_argument(message: &str) -> Option<String> {
    let (names, function) = message.strip_prefix("Found `")?.split_once("` extra named parameter(s) for call to ")?;
    // Functions of the program are preceded by its name.
    let likely = |name: &str| match function.contains('.') {
        true => None,
        false => nearest(name, ARGUMENTS),
    };
    let first = names.split('`').next().unwrap_or_default();
    Some(format!("{function}{NO_ARGUMENT}`{first}`{}", did_you_mean(likely(first))))
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
    let ways = [
        (LARGEST, "count elements of a larger datatype, or send several messages"),
        (DATATYPE, "write the name of the datatype without quotes, as in datatype = FLOAT"),
        (ALL_WHOLE, "`//` divides whole numbers, and int(x) makes one of any number"),
        (WHOLE, "`//` divides whole numbers, and int(x) makes one of any number"),
        (FROZEN, "make the value in `main`, or change a copy: x = list(X)"),
        ("the values of the program", "make values one after the other, or fewer of them"),
        (NO_PRINT, "fail(\"text\", value) ends the program and shows a text and values"),
        (NO_ARGUMENT, "docs/guide/workloads.md lists the arguments of all calls; those without a default have no name"),
        (
            MOST_ACTIONS,
            "record fewer iterations: replays of long runs can be estimated from some of them (docs/guide/long-runs.md)",
        ),
    ];
    let known = ways.into_iter().find(|(part, _)| text.contains(part));
    known.map_or("docs/guide/workloads.md describes the language of workloads", |(_, way)| way)
}
