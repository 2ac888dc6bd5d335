//! Reasons for the choice of a table.

use super::rule::TableRule;
use crate::trace::CollectiveKind;

/// Deviation from the library's table that a user should know about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Substitution {
    /// Operation that is affected.
    pub kind: CollectiveKind,
    /// Replaced algorithm, its replacement, and the reason: one sentence.
    pub text: &'static str,
}

/// Explanation of a choice.
#[derive(Clone, Copy, Default, Debug)]
pub struct Explanation {
    /// Deviation from the library's table, if any.
    pub substitution: Option<Substitution>,
    /// Rule of the table that applied, if the table has rules for the operation.
    pub rule: Option<TableRule>,
    /// Name of the choice, if it is one algorithm or combination with a name; plans of several levels have none.
    pub name: Option<&'static str>,
}
