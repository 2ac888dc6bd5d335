//! Line breaking of texts for people, between words and within the width of a terminal.

use std::sync::OnceLock;

/// Default number of columns of all texts; see [`set_width`].
pub const WIDTH: usize = 80;

/// Largest number of columns: longer lines of words are hard to read.
pub const MOST: usize = 200;

static TERMINAL: OnceLock<usize> = OnceLock::new();

/// Sets the columns of all texts of this process to those of its terminal, within [`WIDTH`] and [`MOST`]. Only the
/// first call has an effect.
pub fn set_width(columns: usize) {
    TERMINAL.get_or_init(|| columns.clamp(WIDTH, MOST));
}

/// Returns the number of columns of all texts.
pub fn width() -> usize {
    TERMINAL.get().copied().unwrap_or(WIDTH)
}

/// Breaks a text at blanks into lines of at most [`width`] characters; longer words are not broken. The first line
/// begins after `column` existing columns, the others after `hang` blanks, which are added. There is no line end after
/// the last line.
///
/// ```
/// let text = mopsim::report::wrap::broken(&"word ".repeat(16).trim_end(), 2, 4);
/// assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [74, 8]);
/// assert!(text.ends_with("\n    word"));
/// ```
pub fn broken(text: &str, column: usize, hang: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let (mut at, columns) = (column, width());
    for (number, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && at + 1 + length > columns {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', hang));
            at = hang;
        } else if number > 0 {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += length;
    }
    out
}
