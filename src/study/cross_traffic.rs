//! Cross-traffic as written by users: a switch, or a share of the rate.

use super::choice_error::{ChoiceError, ChoiceFault};
use crate::network::model::CROSS_TRAFFIC;
use crate::printable::number;
use crate::share::share;
use serde::{Deserialize, Deserializer, de};
use std::fmt;
use std::str::FromStr;

/// Load of a flow on the links of the reverse route, as written: `true` (5 %, as in SimGrid), `false`, or a share of
/// its rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CrossTraffic {
    /// No load, or SimGrid's share.
    Switched(bool),
    /// Share of the rate of the flow.
    Share(f64),
}

impl CrossTraffic {
    /// Returns the share, below 1; `None` for no load.
    pub(super) fn share(self) -> Result<Option<f64>, ChoiceError> {
        match self {
            Self::Switched(on) => Ok(on.then_some(CROSS_TRAFFIC)),
            Self::Share(share) if (0.0..1.0).contains(&share) => Ok((share > 0.0).then_some(share)),
            Self::Share(share) => Err(ChoiceError {
                option: "crosstraffic".to_owned(),
                value: number(share),
                rule: "is not a share of the rate: from 0 to less than 1".to_owned(),
                fault: ChoiceFault::Value,
            }),
        }
    }
}

/// Writes the form that [`FromStr`] reads.
impl fmt::Display for CrossTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switched(on) => f.write_str(if *on { "on" } else { "off" }),
            Self::Share(share) => share.fmt(f),
        }
    }
}

/// Reads `on`, `off`, or a share of the rate.
impl FromStr for CrossTraffic {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "on" => Ok(Self::Switched(true)),
            "off" => Ok(Self::Switched(false)),
            text => {
                share(text).map(Self::Share).ok_or_else(|| "write on, off, or a share such as 0.03 or 3%".to_owned())
            }
        }
    }
}

impl<'de> Deserialize<'de> for CrossTraffic {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = CrossTraffic;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true, false, or a share of the rate between 0 and 1")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<CrossTraffic, E> {
                share(text).map(CrossTraffic::Share).ok_or_else(|| E::invalid_type(de::Unexpected::Str(text), &self))
            }

            fn visit_bool<E: de::Error>(self, on: bool) -> Result<CrossTraffic, E> {
                Ok(CrossTraffic::Switched(on))
            }

            fn visit_f64<E: de::Error>(self, share: f64) -> Result<CrossTraffic, E> {
                Ok(CrossTraffic::Share(share))
            }

            fn visit_i64<E: de::Error>(self, share: i64) -> Result<CrossTraffic, E> {
                Ok(CrossTraffic::Share(share as f64))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_switch_or_a_share_is_read_and_nothing_else() {
        for (text, share) in [("on", Some(0.05)), ("OFF", None), ("0", None), ("0.03", Some(0.03))] {
            assert_eq!(text.parse::<CrossTraffic>().unwrap().share(), Ok(share), "{text}");
        }
        for text in ["1", "-0.1", "nan", "inf"] {
            let error = text.parse::<CrossTraffic>().unwrap().share().expect_err(text);
            assert_eq!(error.option, "crosstraffic");
        }
        assert_eq!("5 %".parse::<CrossTraffic>().unwrap().share(), Ok(Some(0.05)));
        assert_eq!(CrossTraffic::Share(1e308).share().unwrap_err().value, "1e308");
        assert!("five".parse::<CrossTraffic>().is_err());
    }
}
