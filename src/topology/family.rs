//! Families of topologies: an entry of their table, and the arguments of a specification.

use super::error::TopologyError;
use super::graph::{Graph, MAX_ARCS, MAX_SWITCHES};
use crate::memory;

/// Kind of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A 64-bit integer, with sign.
    Integer,
    /// An unsigned 64-bit integer: the start of a random generator.
    Seed,
    /// Sizes, written `4x4x4` or `[4,4,4]`.
    Dimensions,
    /// Integers, written `[-1,1,3]`.
    Integers,
    /// `true` or `false`.
    Boolean,
    /// A word or the name of a file; in double quotes if it has a comma or a bracket.
    Text,
}

impl Kind {
    /// Returns the rule for values of this kind, as the end of a sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Integer => "it must be an integer of at most 64 bits",
            Self::Seed => "it must be an integer from 0 to 18446744073709551615",
            Self::Dimensions => "it must be sizes such as `4x4x4` or `[4,4,4]`",
            Self::Integers => "it must be integers in brackets such as `[-1,1,3]`",
            Self::Boolean => "it must be `true` or `false`",
            Self::Text => "it must be a word, or text of one line in double quotes",
        }
    }
}

/// Treatment of a missing parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// The parameter is required.
    Refused,
    /// The parameter is optional, and the builder handles its absence.
    Allowed,
    /// This default applies, written as in a specification.
    Default(&'static str),
}

/// A parameter of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Name in specifications.
    pub name: &'static str,
    /// Kind of its value.
    pub kind: Kind,
    /// Treatment of its absence.
    pub absent: Absent,
    /// One line for `--help`.
    pub help: &'static str,
}

pub(super) const fn required(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Refused, help }
}

/// A family of topologies.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Canonical name.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are equivalent, as are capital and small letters.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// The parameters, in the order in which values without a name are assigned.
    pub parameters: &'static [Parameter],
    /// Builds the graph from arguments of the right kinds; checks their ranges.
    pub build: fn(&Arguments) -> Result<Graph, TopologyError>,
}

/// The parameter for the number of switches per cabinet, in families built from cabinets; floor plans use it.
pub const CABINET: Parameter = required("z", Kind::Integer, "switches in a cabinet");

/// Default number of switches per cabinet, if neither the user nor the family specifies it, as in the paper on DSN-F.
pub const SWITCHES_PER_CABINET: u32 = 16;

/// Returns the form in which names are compared: small letters, `_` for `-`.
pub(crate) fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace('-', "_")
}

/// A value of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Value of [`Kind::Integer`].
    Integer(i64),
    /// Value of [`Kind::Seed`].
    Seed(u64),
    /// Value of [`Kind::Dimensions`] or [`Kind::Integers`].
    Integers(Vec<i64>),
    /// Value of [`Kind::Boolean`].
    Boolean(bool),
    /// Value of [`Kind::Text`].
    Text(String),
}

/// The arguments of a family: each of the kind of its parameter, with the defaults filled in.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub(super) family: &'static Family,
    /// Values in the order of the family's parameters; `None` only if that is allowed.
    pub(super) values: Vec<Option<Value>>,
}

impl Arguments {
    /// Returns the value of a parameter, if it has one.
    ///
    /// # Panics
    /// If the family has no such parameter; only builders call this, with the parameters of their line of the table.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let index = self.family.parameters.iter().position(|parameter| parameter.name == name);
        self.values[index.expect("a builder asks only for parameters of its family")].as_ref()
    }

    /// Returns the value of an integer parameter.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(&Value::Integer(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns the value of a Boolean parameter.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(&Value::Boolean(value)) => Some(value),
            _ => None,
        }
    }

    /// Returns a list of integers; empty if it is missing.
    pub fn integers(&self, name: &str) -> &[i64] {
        match self.get(name) {
            Some(Value::Integers(values)) => values,
            _ => &[],
        }
    }

    /// Returns a word or file name; empty if it is missing.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(value)) => value,
            _ => "",
        }
    }

    /// Returns the seed of a random family.
    pub fn seed(&self) -> Option<u64> {
        self.values.iter().find_map(|value| match value {
            Some(Value::Seed(seed)) => Some(*seed),
            _ => None,
        })
    }

    /// Returns the error for a parameter that breaks a rule.
    pub fn invalid(&self, parameter: &str, constraint: impl Into<String>) -> TopologyError {
        let value = match self.get(parameter) {
            Some(value) => format!("`{}`", written(value, Kind::Integers)),
            None => "not given".into(),
        };
        TopologyError::InvalidParameter {
            topology: self.family.name.into(),
            parameter: parameter.into(),
            value,
            constraint: constraint.into(),
        }
    }

    /// Returns a required integer that counts switches: from `least` to `MAX_SWITCHES`.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn switches(&self, name: &str, least: usize) -> Result<usize, TopologyError> {
        let value = self.integer(name).ok_or_else(|| self.invalid(name, "it is required"))?;
        match usize::try_from(value) {
            Ok(count) if (least..=MAX_SWITCHES).contains(&count) => {
                memory::refuse_graph(count as u128, 0).map_or(Ok(count), |rule| Err(self.invalid(name, rule)))
            }
            _ => Err(self.invalid(name, format!("it must be from {least} to {MAX_SWITCHES}"))),
        }
    }

    /// Returns a required integer from 1 to `most`, where `rule` explains `most`.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn degree(&self, name: &str, most: usize, rule: &str) -> Result<usize, TopologyError> {
        let value = self.integer(name).ok_or_else(|| self.invalid(name, "it is required"))?;
        match usize::try_from(value) {
            Ok(degree) if (1..=most).contains(&degree) => Ok(degree),
            _ => Err(self.invalid(name, format!("it must be from 1 to {most} ({rule})"))),
        }
    }

    /// Returns a required integer from `least` to `most`.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn count(&self, name: &str, least: usize, most: usize) -> Result<usize, TopologyError> {
        let value = self.integer(name).ok_or_else(|| self.invalid(name, "it is required"))?;
        match usize::try_from(value) {
            Ok(count) if (least..=most).contains(&count) => Ok(count),
            _ => Err(self.invalid(name, format!("it must be from {least} to {most}"))),
        }
    }

    /// Returns the number of hosts per switch from an optional parameter; 1 if it is missing.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn hosts(&self, name: &str) -> Result<u32, TopologyError> {
        if self.get(name).is_none() {
            return Ok(1);
        }
        self.count(name, 1, MAX_SWITCHES).map(|count| count as u32)
    }

    /// Refuses a graph with more than `MAX_SWITCHES` vertices, hosts included, before it is built.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn limit_vertices(&self, parameter: &str, vertices: u128) -> Result<(), TopologyError> {
        if vertices > MAX_SWITCHES as u128 {
            let rule = format!("that makes {vertices} hosts and switches, and the limit is {MAX_SWITCHES}");
            return Err(self.invalid(parameter, rule));
        }
        memory::refuse_graph(vertices, 0).map_or(Ok(()), |rule| Err(self.invalid(parameter, rule)))
    }

    /// Returns the name of the first parameter.
    pub(super) fn first(&self) -> &'static str {
        self.family.parameters[0].name
    }

    /// Refuses a graph with more than `MAX_ARCS` arcs before it is built; `parameter` is the parameter to blame.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn limit_arcs(&self, parameter: &str, arcs: u128) -> Result<(), TopologyError> {
        if arcs > MAX_ARCS as u128 {
            let rule = format!("that makes {arcs} arcs (two for a two-way cable), and the limit is {MAX_ARCS}");
            return Err(self.invalid(parameter, rule));
        }
        memory::refuse_graph(0, arcs).map_or(Ok(()), |rule| Err(self.invalid(parameter, rule)))
    }
}

/// Writes a value as a specification would.
pub(super) fn written(value: &Value, kind: Kind) -> String {
    let joined =
        |values: &[i64], separator: &str| values.iter().map(i64::to_string).collect::<Vec<_>>().join(separator);
    match value {
        Value::Integer(value) => value.to_string(),
        Value::Seed(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Integers(values) if kind == Kind::Dimensions && !values.is_empty() => joined(values, "x"),
        Value::Integers(values) => format!("[{}]", joined(values, ",")),
        Value::Text(text) if text.contains(|c: char| matches!(c, ',' | '[' | ']' | '"') || c.is_whitespace()) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::Text(text) => text.clone(),
    }
}

/// Returns a text in quotes, as a value of a specification.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Returns the canonical form: every parameter that has a value, by name, in the order of the registry.
pub(super) fn canonical(arguments: &Arguments) -> String {
    let mut text = String::from(arguments.family.name);
    let mut separator = ':';
    for (value, parameter) in arguments.values.iter().zip(arguments.family.parameters) {
        if let Some(value) = value {
            text.push(separator);
            text.push_str(&format!("{}={}", parameter.name, written(value, parameter.kind)));
            separator = ',';
        }
    }
    text
}
