//! Finds the line and column of a part of a JSON document, for messages about values that break a rule.
//!
//! Rules that need the whole document (is this switch below `n`, if `n` is last?) are checked after parsing, when
//! positions are no longer known. Storing a position for each value would double the memory of every valid file;
//! reading an invalid file again costs little.

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

use super::input::Located;

/// Returns the error about element `index` of the member `key` of the object in `text`, or about the value of the
/// member itself. The position is that of the start of the element. The text must be JSON that has already been parsed.
pub(crate) fn located(
    file: &str,
    text: &str,
    key: &str,
    index: Option<usize>,
    message: impl Into<String>,
    help: &str,
) -> Located {
    let mut reader = serde_json::Deserializer::from_str(text);
    let place = match reader.deserialize_map(MemberVisitor { key, index }) {
        // The reader is positioned at the element, and counts the columns that it has read.
        Err(stop) => (stop.line(), stop.column() + 1),
        Ok(()) => (0, 0),
    };
    Located { file: file.into(), line: place.0, column: place.1, message: message.into(), help: help.into() }
}

/// Reads an object up to the member, and stops with an error at that position.
struct MemberVisitor<'a> {
    key: &'a str,
    index: Option<usize>,
}

impl<'de> Visitor<'de> for MemberVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match self.index {
                _ if key != self.key => {
                    map.next_value::<IgnoredAny>()?;
                }
                None => map.next_value_seed(StopAtValue)?,
                Some(index) => map.next_value_seed(Element(index))?,
            }
        }
        Ok(())
    }
}

/// Reads nothing: the error leaves the reader at the start of the value.
struct StopAtValue;

impl<'de> serde::de::DeserializeSeed<'de> for StopAtValue {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, _: D) -> Result<(), D::Error> {
        Err(D::Error::custom("found"))
    }
}

/// Reads an array, or the values of an object, up to an element.
struct Element(usize);

impl<'de> serde::de::DeserializeSeed<'de> for Element {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Element {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for _ in 0..self.0 {
            if seq.next_element::<IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        seq.next_element_seed(StopAtValue).map(|_| ())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        for _ in 0..self.0 {
            if map.next_entry::<IgnoredAny, IgnoredAny>()?.is_none() {
                return Ok(());
            }
        }
        map.next_entry_seed(std::marker::PhantomData::<IgnoredAny>, StopAtValue).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_arrays_and_objects_are_found() {
        let text = "{\"n\": 3,\n \"edges\": [[0,1],\n  [1,2]],\n \"routes\": {\"a\":\n [1]}}";
        let place = |key: &str, index| {
            let error = located("f", text, key, index, "m", "h");
            (error.line, error.column)
        };
        assert_eq!(place("n", None), (1, 7));
        assert_eq!(place("edges", Some(0)), (2, 12));
        assert_eq!(place("edges", Some(1)), (3, 3));
        assert_eq!(place("routes", Some(0)), (5, 2));
        assert_eq!(place("edges", Some(2)), (0, 0));
        assert_eq!(place("nothing", None), (0, 0));
    }
}
