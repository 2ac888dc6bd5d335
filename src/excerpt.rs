//! Excerpts of files in error messages: short enough that no secret is in them.
//!
//! Any file can be passed as input, also by a study from another person: a list of passwords, a key. A message should
//! help to find a typing error, for which the place and a few letters suffice. So all readers quote a file by [`excerpt`]
//! alone, and messages of parsers, which quote values whole, pass through [`excerpts`].

/// Characters that are shown of any text. Passwords of this length are rare, and hashes of passwords are longer.
const SHOWN: usize = 11;

/// Longest word in lower case, or number, that is shown whole: the names of keys and keywords are such words.
const LONGEST_WORD: usize = 24;

/// Returns a text of a file for a message: whole if it is short, otherwise its beginning and an ellipsis.
pub fn excerpt(text: &str) -> String {
    let begin: String = text.chars().take(SHOWN + 1).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if begin.chars().count() <= SHOWN {
        return begin;
    }
    if is_word(text) || is_number(text) || is_schema(text) {
        return text.to_owned();
    }
    let shown: String = begin.chars().take(SHOWN).collect();
    format!("{shown}...")
}

/// Returns bytes of a file for a message, like [`excerpt`].
pub fn excerpt_of_bytes(text: &[u8]) -> String {
    // No excerpt needs more bytes.
    let head = &text[..text.len().min(8 * LONGEST_WORD)];
    excerpt(&String::from_utf8_lossy(head))
}

fn is_word(text: &str) -> bool {
    text.len() <= LONGEST_WORD && text.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
}

/// Name of a schema of ours, such as `mopsim.packet-results/2`.
fn is_schema(text: &str) -> bool {
    let Some((name, version)) = text.strip_prefix("mopsim.").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    is_word(name) && (1..=3).contains(&version.len()) && version.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_number(text: &str) -> bool {
    text.len() <= LONGEST_WORD && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-'))
}

/// Returns the message of a parser with excerpts of the texts that it quotes, and of long words that it does not quote.
pub fn excerpts(message: &str) -> String {
    let separates = |c: char| c.is_whitespace() || matches!(c, '(' | '[' | '=');
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    let mut begins = true;
    while let Some(first) = rest.chars().next() {
        if begins && let Some(inner) = quoted(rest) {
            out.push(first);
            out.push_str(&excerpt(inner));
            out.push(first);
            rest = &rest[inner.len() + 2..];
            begins = false;
            continue;
        }
        begins = separates(first);
        if begins {
            out.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(rest.find(separates).unwrap_or(rest.len()));
        if word.len() <= LONGEST_WORD {
            out.push_str(word)
        } else {
            out.push_str(&excerpt(word))
        }
        rest = after;
    }
    out
}

/// Returns the message of `serde_json` without the position with which it ends, like [`excerpts`].
pub fn excerpts_of_json(error: &serde_json::Error) -> String {
    let whole = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    excerpts(whole.strip_suffix(&place).unwrap_or(&whole))
}

/// Returns the text inside the quotes with which a text begins.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '`' | '"' | '\''))?;
    let inner = &text[1..];
    let ends = |at: &usize| {
        let after = inner[at + 1..].chars().next();
        after.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ';' | ':' | '.' | ')' | ']' | '?'))
    };
    inner.match_indices(quote).map(|found| found.0).find(ends).map(|end| &inner[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "$6$saltsalt$q1W2e3R4t5Y6u7I8o9P0a1S2d3F4g5H6j7K8l9";

    #[test]
    fn short_texts_and_words_are_whole() {
        for text in [
            "",
            "x",
            "0-3,8",
            "10 Gbit/z",
            "hosts_per_switch",
            "undirected-graph",
            "-12345678901234.5",
            "mopsim.packet-results/2",
        ] {
            assert_eq!(excerpt(text), text);
        }
        assert_eq!(excerpt("a\u{1b}[2J"), "a\u{fffd}[2J");
    }

    #[test]
    fn of_other_texts_the_beginning_is_shown() {
        assert_eq!(excerpt(&format!("root:{HASH}:19000:0")), "root:$6$sal...");
        assert_eq!(excerpt("q1W2e3R4t5Y6"), "q1W2e3R4t5Y...");
        assert_eq!(excerpt("correct horse battery"), "correct hor...");
        assert_eq!(excerpt("mopsim.secret/Hunter2"), "mopsim.secr...");
        assert_eq!(excerpt_of_bytes(&[b"ab\xff".as_slice(), &[b'x'; 1000]].concat()), "ab\u{fffd}xxxxxxxx...");
    }

    #[test]
    fn messages_of_parsers_quote_excerpts() {
        for (message, expected) in [
            ("unknown field `hosts_per_swich`, expected `hosts_per_switch`", None),
            ("expected one of `product_one_core`, `triad_all_cores`", None),
            (
                "invalid type: string \"HASH\", expected u64",
                Some("invalid type: string \"$6$saltsalt...\", expected u64"),
            ),
            ("expected 'HASH' tag, not 'x'", Some("expected '$6$saltsalt...' tag, not 'x'")),
            (
                "invalid type: string \"HA\\\"SH HASH\", expected u64",
                Some("invalid type: string \"HA\\\"SH $6$s...\", expected u64"),
            ),
            ("unexpected HASH at 1:2", Some("unexpected $6$saltsalt... at 1:2")),
            ("unexpected (HASH)", Some("unexpected ($6$saltsalt...")),
        ] {
            let message = message.replace("HASH", HASH);
            assert_eq!(excerpts(&message), expected.unwrap_or(&message), "{message}");
        }
    }
}
