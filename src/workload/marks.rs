//! Calls that are put into the text of a user program, and how to leave them out again.

/// Start of the names of functions that no program calls by name: checks that are put into its text, and those in place of
/// operators. Programs may not contain it. The name itself is the last argument of each check.
pub(super) const STEM: &str = "__mopsim_";

/// Names of the checks with an argument before the checked one.
const ARGUMENT: &str = "argument";
const OPERAND: &str = "operand";

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
            Self::Lookup => "lookup",
            Self::Named => "named",
            Self::Pairs => "pairs",
            Self::Owner => "owner",
            Self::Operand => OPERAND,
            Self::Popped => "popped",
            Self::Few => "few",
        }
    }
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
                let last = if rest.starts_with(ARGUMENT) || rest.starts_with(OPERAND) { ',' } else { '(' };
                // A piece may end within a name.
                left = rest.find(last).map_or("", |end| &rest[end + 1..]);
            }
        }
    }
    result.push_str(left);
    result
}
