//! Calls that are put into the text of a user program, and how to leave them out again.

/// Start of the names of functions that no program calls by name: checks that are put into its text, and those in place of
/// operators. Programs may not contain it. The name itself is the last argument of each check.
pub(super) const STEM: &str = "__mopsim_";

/// Names of the checks with an argument before the checked one.
const ARGUMENT: &str = "argument";
const OPERAND: &str = "operand";
const RECEIVER: &str = "receiver";
/// Name of the function that calls another one, whose opening bracket becomes a comma.
pub(super) const CALL: &str = "call";
/// Name of that function for a method that makes entries of a dictionary.
pub(super) const CALL_UPDATE: &str = "call_update";

/// What is checked.
#[derive(Clone, Copy)]
pub(super) enum Check {
    /// Size of a value whose elements are visited.
    Size,
    /// Size of a value that is copied.
    Copied,
    /// Size of a value with all that it contains.
    Deep,
    /// An argument of a method, which shows it where it is wrong.
    Shown,
    /// Size of a result.
    Made,
    /// Size of elements that become arguments.
    Splat,
    /// An argument, after the function: those of programs do not show it in messages.
    Argument,
    /// A key of a dictionary, or an index.
    Key,
    /// A bound of a slice.
    Bound,
    /// A key, or an argument of a function in a structure.
    Lookup,
    /// Named arguments in a dictionary.
    Named,
    /// Entries for a dictionary.
    Pairs,
    /// A value whose attribute is not called where it is named.
    Owner,
    /// The operand of `+=`, `-=` or `|=`, after the variable that is its target.
    Operand,
    /// A value from which an element is taken by its key or index.
    Popped,
    /// The last argument of a method, after the variable that has the method: a call among the arguments may have changed it.
    Receiver,
    /// Size of a value if it is a text.
    Text,
    /// A text of which a method makes another one with more bytes.
    Cased,
    /// Characters that are looked for at the ends of a text.
    Few,
}

impl Check {
    /// Returns the name of the function, without the start that all names have.
    pub fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Copied => "copied",
            Self::Deep => "deep",
            Self::Shown => "shown",
            Self::Made => "made",
            Self::Splat => "splat",
            Self::Argument => ARGUMENT,
            Self::Key => "key",
            Self::Bound => "bound",
            Self::Lookup => "lookup",
            Self::Named => "named",
            Self::Pairs => "pairs",
            Self::Owner => "owner",
            Self::Operand => OPERAND,
            Self::Popped => "popped",
            Self::Few => "few",
            Self::Receiver => RECEIVER,
            Self::Text => "text",
            Self::Cased => "cased",
        }
    }
}

/// Returns the position of the first comma that is in no bracket.
fn comma(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        byte == b',' && depth == 0
    })
}

/// Returns a piece of an instrumented text as it is in the file.
pub(super) fn original(text: &str) -> String {
    let mut left = text;
    let mut result = String::with_capacity(text.len());
    while let Some(at) = left.find(STEM) {
        let (before, rest) = (&left[..at], &left[at + STEM.len()..]);
        match rest.strip_prefix(')') {
            Some(rest) => {
                result.push_str(before.strip_suffix(',').unwrap_or(before));
                left = rest;
            }
            None => {
                result.push_str(before);
                let last =
                    if [ARGUMENT, OPERAND, RECEIVER].iter().any(|name| rest.starts_with(name)) { ',' } else { '(' };
                // A piece may end within a name.
                left = rest.find(last).map_or("", |end| &rest[end + 1..]);
                if let (true, Some(comma)) = (rest.starts_with(CALL), comma(left)) {
                    // The function that is called may have checks inside it.
                    result.push_str(&original(&left[..comma]));
                    result.push('(');
                    left = &left[comma + 1..];
                }
            }
        }
    }
    result.push_str(left);
    result
}
