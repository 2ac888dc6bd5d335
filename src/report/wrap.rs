//! Texts for people, broken between words into lines that a terminal shows whole.

/// Columns of all texts, those of `--help` included.
pub const WIDTH: usize = 80;

/// Breaks a text at blanks into lines of at most [`WIDTH`] characters; longer words stay whole. The first line begins
/// behind `column` columns that are there already, the others behind `hang` blanks, which are added. There is no line
/// end behind the last.
///
/// ```
/// let text = mopsim::report::wrap::broken(&"word ".repeat(16).trim_end(), 2, 4);
/// assert_eq!(text.lines().map(str::len).collect::<Vec<_>>(), [74, 8]);
/// assert!(text.ends_with("\n    word"));
/// ```
pub fn broken(text: &str, column: usize, hang: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut at = column;
    for (number, word) in text.split(' ').enumerate() {
        let width = word.chars().count();
        if number > 0 && at + 1 + width > WIDTH {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', hang));
            at = hang;
        } else if number > 0 {
            out.push(' ');
            at += 1;
        }
        out.push_str(word);
        at += width;
    }
    out
}
