//! Shares in text.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use std::fmt;

/// Returns the share of a text such as `10%`, `0.5 %` or `0.1`; `None` if it is no number. Limits are those of the caller.
pub fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let (number, whole) = text.strip_suffix('%').map_or((text, 1.0), |percent| (percent.trim_end(), 100.0));
    number.parse::<f64>().ok().map(|number| number / whole)
}

/// Reads an optional share: a number, or text such as `10 %`.
pub(crate) fn written<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    Ok(Option::<Share>::deserialize(deserializer)?.map(|share| share.0))
}

/// Reads an optional share as its text.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(serde::Deserialize)]
    #[serde(untagged, expecting = "this is no share; write a number, or text such as `1%`")]
    enum WrittenShare {
        Text(String),
        Number(f64),
    }
    Ok(Option::<WrittenShare>::deserialize(deserializer)?.map(|written| match written {
        WrittenShare::Text(text) => text,
        WrittenShare::Number(number) => number.to_string(),
    }))
}

/// A share, as written in a file.
struct Share(f64);

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ShareVisitor;

        impl Visitor<'_> for ShareVisitor {
            type Value = Share;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a share: a number, or text such as `10%`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Share, E> {
                share(text)
                    .map(Share)
                    .ok_or_else(|| E::custom(format!("`{text}` is no share; write for example 0.1 or `10%`")))
            }

            fn visit_f64<E: Error>(self, number: f64) -> Result<Share, E> {
                Ok(Share(number))
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Share, E> {
                Ok(Share(number as f64))
            }
        }

        deserializer.deserialize_any(ShareVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_and_fractions_are_shares() {
        for (text, expected) in [("10%", 0.1), (" 0.5 % ", 0.005), ("0.1", 0.1), ("-1%", -0.01)] {
            assert_eq!(share(text), Some(expected), "{text}");
        }
        for text in ["", "%", "1%%", "1 % 2", "one"] {
            assert_eq!(share(text), None, "{text}");
        }
    }
}
