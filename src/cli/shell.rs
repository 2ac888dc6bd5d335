//! Texts as words of the shell, for scripts and for commands that a reader may copy.

/// A text as one word of the shell.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_shell_would_change_is_quoted() {
        assert_eq!(word("torus:8x8"), "torus:8x8");
        assert_eq!(word("random:n=64,d=6"), "random:n=64,d=6");
        assert_eq!(word(""), "''");
        assert_eq!(word("my study.toml"), "'my study.toml'");
        assert_eq!(word("it's"), r"'it'\''s'");
    }
}
