//! Time of a message besides its route, by size.

use crate::platform::units::{Seconds, UnitError};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, de::value::MapAccessDeserializer};
use std::fmt;
use std::str::FromStr;

/// Seconds of a message between two hosts in addition to the latency of its route.
///
/// As text a time (`24 us`), or sections by size, `0:1.2 us; 8192:5 us`: a section holds for sizes above its threshold, and sizes
/// up to the first threshold use the first section.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageLatency(Vec<(u64, f64)>);

/// Reason why text is no message latency.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MessageLatencyError {
    /// A time is wrong.
    #[error(transparent)]
    Time(#[from] UnitError),
    /// A size is wrong.
    #[error("`{0}` is not a size in bytes; write sections as `BYTES:TIME`, with a semicolon between them")]
    Size(String),
    /// Two sections begin at one size.
    #[error("two sections begin at {0} bytes")]
    Twice(u64),
}

impl MessageLatency {
    /// No time at all.
    pub const NONE: Self = Self(Vec::new());

    /// Returns a time that is the same for every size.
    pub fn constant(seconds: f64) -> Self {
        if seconds == 0.0 { Self::NONE } else { Self(vec![(0, seconds)]) }
    }

    /// Returns times by the threshold in bytes above which each holds.
    pub fn by_size(sections: impl IntoIterator<Item = (u64, f64)>) -> Self {
        let mut sections: Vec<(u64, f64)> = sections.into_iter().collect();
        sections.sort_by_key(|section| section.0);
        Self(sections)
    }

    /// Returns the seconds of a message of `size` bytes.
    #[inline]
    pub fn at(&self, size: u64) -> f64 {
        let below = self.0.iter().filter(|(threshold, _)| *threshold < size).count();
        self.0.get(below.saturating_sub(1)).map_or(0.0, |section| section.1)
    }

    /// Returns the longest time.
    pub fn longest(&self) -> f64 {
        self.0.iter().fold(0.0, |longest, section| section.1.max(longest))
    }

    /// Returns `true` if no message takes time besides its route.
    pub fn is_none(&self) -> bool {
        self.longest() == 0.0
    }
}

impl fmt::Display for MessageLatency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0[..] {
            [] => f.write_str("0 s"),
            [(0, seconds)] => write!(f, "{seconds:e} s"),
            _ => self.0.iter().enumerate().try_for_each(|(number, (threshold, seconds))| {
                let between = if number == 0 { "" } else { ";" };
                write!(f, "{between}{threshold}:{seconds:e} s")
            }),
        }
    }
}

impl FromStr for MessageLatency {
    type Err = MessageLatencyError;

    fn from_str(text: &str) -> Result<Self, MessageLatencyError> {
        if !text.contains(':') {
            return Ok(Self::constant(text.parse::<Seconds>()?.value()));
        }
        let section = |text: &str| {
            let (size, time) = text.split_once(':').unwrap_or((text, ""));
            let threshold = size.trim().parse().map_err(|_| MessageLatencyError::Size(size.trim().to_owned()))?;
            Ok((threshold, time.trim().parse::<Seconds>()?.value()))
        };
        let sections = text.split(';').filter(|section| !section.trim().is_empty()).map(section);
        let latency = Self::by_size(sections.collect::<Result<Vec<_>, MessageLatencyError>>()?);
        match latency.0.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(MessageLatencyError::Twice(pair[0].0)),
            None => Ok(latency),
        }
    }
}

impl<'de> Deserialize<'de> for MessageLatency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LatencyVisitor;
        impl<'de> Visitor<'de> for LatencyVisitor {
            type Value = MessageLatency;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a time: a number in seconds, or text such as 5 us or 0:5 us;8192:9 us")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<MessageLatency, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<MessageLatency, E> {
                Seconds::new(value).map(|time| MessageLatency::constant(time.value())).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<MessageLatency, E> {
                self.visit_f64(value as f64)
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<MessageLatency, E> {
                self.visit_f64(value as f64)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<MessageLatency, A::Error> {
                // Numbers with all their digits come as a map.
                let time = Seconds::deserialize(MapAccessDeserializer::new(map))?;
                Ok(MessageLatency::constant(time.value()))
            }
        }
        deserializer.deserialize_any(LatencyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_hold_above_their_thresholds() {
        let latency: MessageLatency = "8192:5 us; 0:1.5us;".parse().unwrap();
        assert_eq!([0, 1, 8192, 8193].map(|size| latency.at(size)), [1.5e-6, 1.5e-6, 1.5e-6, 5e-6]);
        assert_eq!(latency.to_string().parse(), Ok(latency.clone()));
        assert_eq!((latency.longest(), latency.is_none()), (5e-6, false));
        let same: MessageLatency = "24 us".parse().unwrap();
        assert_eq!((same.at(0), same.at(1 << 40), same.to_string()), (24e-6, 24e-6, "2.4e-5 s".to_owned()));
        assert!("0 s".parse::<MessageLatency>().unwrap().is_none());
    }

    #[test]
    fn malformed_sections_are_named() {
        for (text, part) in [
            ("24 km", "there is no unit `km`"),
            ("x:1 us", "`x` is not a size"),
            ("0:1 us;-5:1 us", "`-5` is not a size"),
            ("0:1 us;9", "must be a number"),
            ("0:-1 us", "`-1 us`"),
            ("0:1:2", "`1:2`"),
            ("0:1 us;0:5 us", "two sections begin at 0 bytes"),
        ] {
            let error = text.parse::<MessageLatency>().expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
