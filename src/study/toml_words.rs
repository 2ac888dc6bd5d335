//! Messages of the TOML parser in words: names of Rust's types are replaced, and the nearest known key is added.

use crate::excerpt::excerpts;
use crate::similar::nearest;

/// Beginnings of the parser's messages that quote the file.
const PARSER: [&str; 6] =
    ["unknown field", "unknown variant", "invalid type", "invalid value", "invalid length", "duplicate"];

/// Returns a message of the parser in words for readers who do not know Rust.
pub fn in_words(message: &str) -> String {
    // Our own messages quote values of known keys, with examples of the right form.
    let is_of_parser = PARSER.iter().any(|begin| message.starts_with(begin));
    let message = message.replace('\n', ", ");
    let message = with_nearest_key(&message)
        .or_else(|| wrong_type(message.strip_prefix("invalid type: ")?))
        .or_else(|| out_of_range(message.strip_prefix("invalid value: ")?))
        .unwrap_or(message);
    if is_of_parser { excerpts(&message) } else { message }
}

/// Returns the nearest key, if the message is that of an unknown key and lists the known ones.
fn with_nearest_key(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = quoted.next().filter(|_| message.starts_with("unknown field"))?;
    let key = nearest(unknown, quoted)?;
    Some(format!("unknown key `{unknown}`; did you mean `{key}`?"))
}

/// Rephrases `FOUND, expected EXPECTED` for a value of another type.
fn wrong_type(message: &str) -> Option<String> {
    let (found, expected) = message.split_once(", expected ")?;
    let is_text = found.starts_with("string ");
    let expected = match (type_name(expected), is_text) {
        (name @ ("a number" | "a whole number"), true) => format!("{name} without quotes and unit"),
        (name, _) => name.to_owned(),
    };
    let found = match found.split_once(' ') {
        Some(("string", text)) => format!("`{}` is text", text.trim_matches('"')),
        Some((_, value)) if value.ends_with('`') => {
            let value = &value[value.find('`')?..];
            format!("{value} is not accepted here")
        }
        _ => format!("{} is not accepted here", type_name(&format!("a {found}"))),
    };
    Some(format!("{found}; write {expected}"))
}

/// Rephrases `FOUND, expected EXPECTED` for a value out of the range of its type; `None` for other rules, which are in
/// words already.
fn out_of_range(message: &str) -> Option<String> {
    let (found, expected) = message.split_once(", expected ")?;
    let value = &found[found.find('`')?..];
    let range = match expected {
        "u8" => format!("from 0 to {}", u8::MAX),
        "u16" => format!("from 0 to {}", u16::MAX),
        "u32" => format!("from 0 to {}", u32::MAX),
        "u64" | "usize" => "0 or more".to_owned(),
        _ => return None,
    };
    Some(format!("{value} is out of range; write a whole number, {range}"))
}

fn type_name(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "a table",
        "a string" | "string or map" => "text in quotes",
        "a boolean" => "true or false",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64" => "a whole number",
        other if other.starts_with("struct ") => "a table",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_no_names_of_rust() {
        for (message, expected) in [
            (
                "invalid type: string \"64KiB\", expected u64",
                "`64KiB` is text; write a whole number without quotes and unit",
            ),
            ("invalid type: string \"50%\", expected f64", "`50%` is text; write a number without quotes and unit"),
            (
                "invalid type: floating point `0.5`, expected a string",
                "`0.5` is not accepted here; write text in quotes",
            ),
            ("invalid type: integer `3`, expected struct Choice", "`3` is not accepted here; write a table"),
            ("invalid type: sequence, expected u32", "a list is not accepted here; write a whole number"),
            ("invalid type: map, expected a boolean", "a table is not accepted here; write true or false"),
            ("invalid value: integer `-1`, expected u64", "`-1` is out of range; write a whole number, 0 or more"),
            ("invalid value: integer `300`, expected u8", "`300` is out of range; write a whole number, from 0 to 255"),
            (
                "unknown field `cable`, expected one of `cables`, `switches`",
                "unknown key `cable`; did you mean `cables`?",
            ),
        ] {
            assert_eq!(in_words(message), expected, "{message}");
        }
        for message in
            ["missing field `title`", "unknown field `zzz`, expected `a`", "invalid value: x, expected a rule"]
        {
            assert_eq!(in_words(message), message);
        }
    }
}
