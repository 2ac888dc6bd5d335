//! User-supplied text in XML, HTML and SVG.

/// Comment that names this program in the first line of a drawing.
pub(crate) const GENERATOR: &str = "<!-- generator: mopsim -->";

/// Escapes a text for use between tags and in attributes with quotes of either kind. `control` returns the replacement
/// of a control character, most of which are not allowed there.
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

/// Escapes a text, keeping line ends and tabs and replacing other control characters by the sign for an unreadable
/// character.
pub(crate) fn escape_text(text: &str) -> String {
    escape(text, |c| if matches!(c, '\n' | '\t') { c } else { '\u{fffd}' })
}

/// Escapes JSON for a script element, so that nothing in it ends the element.
pub(crate) fn script_safe(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}
