//! Attributes of a line: `Tag: 7, Communicator: "MPI_COMM_WORLD" <0>`.

use super::event::Member;

/// The attributes of a line, in which quoted texts are literal.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'a>(pub &'a [u8]);

impl<'a> Attributes<'a> {
    /// Returns the text after the name of an attribute, up to the end of the line: for a list, including all members
    /// after commas.
    pub fn after(self, name: &str) -> Option<&'a [u8]> {
        let (mut quoted, mut fresh) = (false, true);
        for (at, &byte) in self.0.iter().enumerate() {
            if !quoted && fresh && self.0[at..].starts_with(name.as_bytes()) {
                return Some(&self.0[at + name.len()..]);
            }
            quoted ^= byte == b'"';
            // An attribute follows a comma and a blank; `4 Members: ` has a number in front.
            fresh = !quoted && byte == b' ';
        }
        None
    }

    /// Returns the value of an attribute: the text after its name, up to the next attribute.
    pub fn value(self, name: &str) -> Option<&'a [u8]> {
        let rest = self.after(name)?;
        let (mut quoted, mut depth) = (false, 0_u32);
        let end = rest.iter().enumerate().position(|(at, &byte)| {
            quoted ^= byte == b'"';
            match byte {
                b'(' | b'{' if !quoted => depth += 1,
                b')' | b'}' if !quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            !quoted && depth == 0 && rest[at..].starts_with(b", ")
        });
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    /// Returns the number of an attribute.
    pub fn number(self, name: &str) -> Option<u64> {
        number(self.value(name)?)
    }

    /// Returns the id of the definition that an attribute refers to, `<7>`.
    pub fn reference(self, name: &str) -> Option<u64> {
        references(self.value(name)?).next()
    }

    /// Returns the member that an attribute refers to: a member, `1 ("thread" <7>)`, a number that no member has, `9
    /// (INVALID)`, or none.
    pub fn member(self, name: &str) -> Option<Member> {
        let value = self.value(name)?;
        let number = match value {
            b"NONE" | b"SELF" | b"THIS_GROUP" | b"UNDEFINED" => return Some(Member::Nobody),
            value => number(value)?,
        };
        let location = references(value).next().map(Member::Location);
        location.or_else(|| value.ends_with(b" (INVALID)").then_some(Member::Unknown(number)))
    }

    /// Returns the word of an attribute.
    pub fn word(self, name: &str) -> Option<&'a [u8]> {
        let value = self.value(name)?;
        let end = value.iter().position(|byte| matches!(byte, b',' | b' ')).unwrap_or(value.len());
        Some(&value[..end])
    }

    /// Returns the quoted text of an attribute, without its quotes.
    pub fn text(self, name: &str) -> Option<&'a [u8]> {
        let rest = self.value(name)?.strip_prefix(b"\"")?;
        let end = rest.iter().position(|&byte| byte == b'"')?;
        Some(&rest[..end])
    }
}

/// Returns the leading number of a text.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

/// Returns all ids `<7>` outside of quotes.
pub(super) fn references(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let mut quoted = false;
    text.iter().enumerate().filter_map(move |(at, &byte)| {
        quoted ^= byte == b'"';
        if quoted || byte != b'<' {
            return None;
        }
        let value = number(&text[at + 1..])?;
        let digits = text[at + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        (text.get(at + 1 + digits) == Some(&b'>')).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_texts_do_not_count() {
        let line = Attributes(br#"Name: "a, Tag: 3 <9>" <4>, 2 Members: "x" <5>, 1 ("y" <6>), Tag: 7, Root: NONE"#);
        assert_eq!(line.number("Tag: "), Some(7));
        assert_eq!(line.reference("Name: "), Some(4));
        assert_eq!(line.text("Name: "), Some(&b"a, Tag: 3 <9>"[..]));
        assert_eq!(references(line.after("Members: ").unwrap()).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(line.word("Root: "), Some(&b"NONE"[..]));
        assert_eq!((line.number("Root: "), line.number("Nothing: ")), (None, None));
        assert_eq!(number(b"99999999999999999999999"), None);
    }

    #[test]
    fn a_value_ends_at_the_next_attribute() {
        let line = Attributes(
            br#"Level: {A, B}, Receiver: 9 (INVALID), Name: "x, (" (Aka. "y, z" <2>), Comm: "w" <0>, Tag: "#,
        );
        assert_eq!(line.value("Level: "), Some(&b"{A, B}"[..]));
        assert_eq!(line.value("Receiver: "), Some(&b"9 (INVALID)"[..]));
        assert_eq!(line.value("Name: "), Some(&br#""x, (" (Aka. "y, z" <2>)"#[..]));
        assert_eq!((line.reference("Receiver: "), line.reference("Comm: ")), (None, Some(0)));
        assert_eq!((line.member("Receiver: "), line.number("Receiver: ")), (Some(Member::Unknown(9)), Some(9)));
        assert_eq!((line.value("Tag: "), line.number("Tag: "), line.member("Tag: ")), (Some(&b""[..]), None, None));
    }
}
