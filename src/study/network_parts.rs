//! Parts of a network as written: quotes and planes.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// Quotes besides 0: those that figures of a report can be made of.
pub const QUOTES: RangeInclusive<f64> = 1e-6..=1e15;

/// Quoted price as written: a number, or a number for each of the study's platforms.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "a number, or a table with a number for each platform of the study")]
pub enum Quoted {
    /// Same number for all platforms.
    All(f64),
    /// Numbers by name of the platform.
    Each(BTreeMap<String, f64>),
}

impl Quoted {
    /// Returns the number for a platform, if there is one.
    pub fn on(&self, platform: Option<&str>) -> Option<f64> {
        match self {
            Self::All(value) => Some(*value),
            Self::Each(values) => values.get(platform?).copied(),
        }
    }

    /// Returns the first entry with an invalid number: its platform, if any, and its value.
    pub fn mistake(&self) -> Option<(Option<&str>, f64)> {
        let wrong = |value: f64| value != 0.0 && !QUOTES.contains(&value);
        match self {
            Self::All(value) => wrong(*value).then_some((None, *value)),
            Self::Each(values) => {
                values.iter().find(|(_, value)| wrong(**value)).map(|(name, value)| (Some(name.as_str()), *value))
            }
        }
    }

    /// Returns the names of platforms, if each has its own number.
    pub fn platforms(&self) -> impl Iterator<Item = &str> {
        let values = if let Self::Each(values) = self { Some(values) } else { None };
        values.into_iter().flat_map(|values| values.keys().map(String::as_str))
    }
}

/// Planes as written.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "planes must be a number of copies of the topology, or a list of topologies")]
pub enum PlanesChoice {
    /// Number of copies of the topology.
    Copies(u32),
    /// A topology for each plane.
    Each(Vec<String>),
}

impl std::str::FromStr for PlanesChoice {
    type Err = &'static str;

    /// Reads a number of copies, or topologies separated by semicolons.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if let Ok(copies) = text.parse() {
            return Ok(Self::Copies(copies));
        }
        if text.is_empty() || text.parse::<f64>().is_ok() {
            return Err("planes are a whole number of copies, or topologies separated by `;`");
        }
        Ok(Self::Each(text.split(';').map(|spec| spec.trim().to_owned()).collect()))
    }
}
