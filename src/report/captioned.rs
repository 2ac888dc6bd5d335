//! Table with heading and remarks, for text, Markdown and HTML.

/// Table with heading and remarks.
pub(super) struct CaptionedTable {
    /// Heading, without a full stop.
    pub title: String,
    /// Headings of the columns; the first column has names.
    pub headings: Vec<String>,
    /// Rows of cells.
    pub rows: Vec<Vec<String>>,
    /// Sentences below the table.
    pub sentences: Vec<String>,
}
