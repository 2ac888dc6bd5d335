//! Table entry that applied, to explain to users why a size crosses over.

use std::fmt;

/// Range of values for which an entry applies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Lower limit; `None` if there is none.
    pub from: Option<u64>,
    /// Upper limit; `None` if there is none.
    pub to: Option<u64>,
    /// `true` if a limit belongs to the entry below it, rather than to the one above it.
    pub closed: bool,
}

impl Span {
    /// The unlimited range.
    pub const ALL: Self = Self { from: None, to: None, closed: false };

    /// Writes the range for the quantity `name`; nothing without limits.
    fn write(&self, name: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from, self.to, self.closed) {
            (None, None, _) => Ok(()),
            (None, Some(to), false) => write!(out, "{name} < {to}"),
            (None, Some(to), true) => write!(out, "{name} <= {to}"),
            (Some(from), None, false) => write!(out, "{name} >= {from}"),
            (Some(from), None, true) => write!(out, "{name} > {from}"),
            (Some(from), Some(to), false) => write!(out, "{from} <= {name} < {to}"),
            (Some(from), Some(to), true) => write!(out, "{from} < {name} <= {to}"),
        }
    }
}

/// Entry of a table that applied.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TableRule {
    /// Numbers of ranks.
    pub ranks: Span,
    /// Sizes in bytes of the table's quantity: the message, a block, or all blocks.
    pub size: Span,
    /// Condition in words, if it is not, or not only, one of limits.
    pub note: &'static str,
}

impl TableRule {
    /// Creates a rule without limits.
    pub const fn said(note: &'static str) -> Self {
        Self { ranks: Span::ALL, size: Span::ALL, note }
    }
}

impl fmt::Display for TableRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ranks, size) = (self.ranks != Span::ALL, self.size != Span::ALL);
        self.ranks.write("P", out)?;
        if ranks && size {
            out.write_str(", ")?;
        }
        self.size.write("n", out)?;
        if (ranks || size) && !self.note.is_empty() {
            out.write_str(", ")?;
        }
        match (ranks || size, self.note) {
            (false, "") => out.write_str("always"),
            _ => out.write_str(self.note),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_as_the_table_has_them() {
        let span = |from, to, closed| Span { from, to, closed };
        let text = |ranks, size| TableRule { ranks, size, note: "" }.to_string();
        assert_eq!(text(span(Some(8), Some(16), false), span(None, Some(4096), false)), "8 <= P < 16, n < 4096");
        assert_eq!(text(span(Some(16), Some(32), true), span(Some(512), None, true)), "16 < P <= 32, n > 512");
        assert_eq!(text(Span::ALL, Span::ALL), "always");
        assert_eq!(TableRule::said("odd P").to_string(), "odd P");
    }
}
