//! Texts of users in XML, HTML and SVG.

/// Names this program in the first line of a drawing.
pub(crate) const GENERATOR: &str = "<!-- generator: mopsim -->";

/// A text as it may stand between tags and, in quotes of either kind, in an attribute. `control` says what stands for a
/// control character, most of which are not allowed there.
pub(crate) fn escape(text: &str, control: impl Fn(char) -> char) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(control(c)),
            c => out.push(c),
        }
    }
    out
}

/// The same with line ends and tabs as they are, and a sign for something unreadable in place of other control
/// characters.
pub(crate) fn escape_text(text: &str) -> String {
    escape(text, |c| if matches!(c, '\n' | '\t') { c } else { '\u{fffd}' })
}

/// JSON that can stand in a script element: nothing in it ends the element.
pub(crate) fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
