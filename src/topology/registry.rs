//! The table of topology families: names, parameters and builders. A new family is one file and one line here.
//!
//! The table is data and not a trait with an implementation for each family: the help text, the parser, the nearest-name
//! suggestions and the canonical form in reports all read the same lines, so they cannot disagree.

use super::graph::{Graph, MAX_ARCS, MAX_SWITCHES};
use super::{
    TopologyError, files, full_mesh, imase_ab, imase_itoh, mesh, random_directed, random_regular, ring, star, torus,
};

/// What a parameter may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A 64-bit integer, with sign.
    Integer,
    /// A 64-bit integer without sign that a generator starts from.
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
    /// The rule for values of this kind, as the end of a sentence.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Integer => "it must be an integer of at most 64 bits",
            Self::Seed => "it must be an integer from 0 to 18446744073709551615",
            Self::Dimensions => "it must be sizes such as `4x4x4` or `[4,4,4]`",
            Self::Integers => "it must be integers in brackets such as `[-1,1,3]`",
            Self::Boolean => "it must be `true` or `false`",
            Self::Text => "it must be a word, or text in double quotes",
        }
    }
}

/// What holds for a parameter that is not given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It has to be given.
    Refused,
    /// The builder chooses.
    Allowed,
    /// It has this value, written as in a specification.
    Default(&'static str),
}

/// A parameter of a family.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Name in specifications.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// What holds if it is not given.
    pub absent: Absent,
    /// One line for `--help`.
    pub help: &'static str,
}

const fn required(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Refused, help }
}

const fn with_default(name: &'static str, kind: Kind, default: &'static str, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Default(default), help }
}

const fn optional(name: &'static str, kind: Kind, help: &'static str) -> Parameter {
    Parameter { name, kind, absent: Absent::Allowed, help }
}

/// A family of topologies.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Canonical name.
    pub name: &'static str,
    /// Other names. In all names `-` and `_` are the same, and so are capital and small letters.
    pub aliases: &'static [&'static str],
    /// One line for `--help`.
    pub help: &'static str,
    /// The parameters, in the order in which values without a name fill them.
    pub parameters: &'static [Parameter],
    /// Builds the graph from arguments of the right kinds; checks their ranges.
    pub build: fn(&Arguments) -> Result<Graph, TopologyError>,
}

const DIMS: Parameter = required("dims", Kind::Dimensions, "size of each dimension, each at least 1");
const SWITCHES: Parameter = required("n", Kind::Integer, "number of switches");
const DEGREE: Parameter =
    required("d", Kind::Integer, "degree: cables at a switch; one-way: cables out of it, and into it");
const SEED: Parameter = with_default("seed", Kind::Seed, "1", "seed of the random generator");
const PATH: Parameter = required("path", Kind::Text, "name of the file; may be packed (.gz, .xz, .zst)");

/// All families.
#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    Family { name: "ring", aliases: &[], help: "a cycle of n switches", parameters: &[SWITCHES], build: ring::build },
    Family { name: "mesh", aliases: &[], help: "a grid of any number of dimensions", parameters: &[DIMS], build: mesh::build },
    Family { name: "torus", aliases: &[], help: "a grid whose dimensions close into rings", parameters: &[DIMS], build: torus::build },
    Family { name: "full_mesh", aliases: &["complete"], help: "every switch joined to every other", parameters: &[SWITCHES], build: full_mesh::build },
    Family { name: "star", aliases: &[], help: "switch 0 joined to all others", parameters: &[SWITCHES], build: star::build },
    Family { name: "random_regular", aliases: &["random"], help: "random two-way cables, d at a switch", parameters: &[SWITCHES, DEGREE, SEED], build: random_regular::build },
    Family { name: "random_directed", aliases: &["random_digraph"], help: "random one-way cables, d out of and d into a switch", parameters: &[SWITCHES, DEGREE, SEED], build: random_directed::build },
    Family { name: "imase_itoh", aliases: &["generalised_kautz", "generalized_kautz"], help: "one-way, i -> -d*i - alpha mod n, alpha = 1..d", parameters: &[SWITCHES, DEGREE], build: imase_itoh::build },
    Family { name: "imase_ab", aliases: &["imase"], help: "one-way, i -> (a*i + b)*d + alpha mod n, alpha = 0..d-1", parameters: &[SWITCHES, DEGREE, with_default("a", Kind::Integer, "1", "factor of the switch number"), with_default("b", Kind::Integer, "1", "addend")], build: imase_ab::build },
    Family { name: "json", aliases: &[], help: "a graph in a JSON file", parameters: &[PATH], build: files::json::build },
    Family { name: "graphml", aliases: &[], help: "a graph in a GraphML file", parameters: &[PATH], build: files::graphml::build },
    Family { name: "edges", aliases: &["edge_list"], help: "a graph in a text file, one cable `u v` a line", parameters: &[PATH, optional("directed", Kind::Boolean, "whether cables are one-way"), optional("n", Kind::Integer, "number of switches, if more than the file names")], build: files::edges::build },
];

/// The form in which names are compared: small letters, `_` for `-`.
pub(crate) fn normalised(name: &str) -> String {
    name.trim().to_lowercase().replace('-', "_")
}

/// The family with this name or alias.
pub fn find(name: &str) -> Option<&'static Family> {
    let name = normalised(name);
    FAMILIES.iter().find(|family| family.name == name || family.aliases.contains(&name.as_str()))
}

/// A value of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of [`Kind::Integer`].
    Integer(i64),
    /// Of [`Kind::Seed`].
    Seed(u64),
    /// Of [`Kind::Dimensions`] or [`Kind::Integers`].
    Integers(Vec<i64>),
    /// Of [`Kind::Boolean`].
    Boolean(bool),
    /// Of [`Kind::Text`].
    Text(String),
}

/// The arguments of a family: each of the kind that its parameter asks for, the defaults filled in.
#[derive(Clone, Debug)]
pub struct Arguments {
    pub(super) family: &'static Family,
    /// In the order of the family's parameters; `None` only where that is allowed.
    pub(super) values: Vec<Option<Value>>,
}

impl Arguments {
    /// The value of a parameter, if it has one.
    ///
    /// # Panics
    /// If the family has no such parameter; only builders ask, and they ask for what their line of the table says.
    pub fn get(&self, name: &str) -> Option<&Value> {
        let index = self.family.parameters.iter().position(|parameter| parameter.name == name);
        self.values[index.expect("a builder asks only for parameters of its family")].as_ref()
    }

    /// An integer.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Some(&Value::Integer(value)) => Some(value),
            _ => None,
        }
    }

    /// A truth value.
    pub fn boolean(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(&Value::Boolean(value)) => Some(value),
            _ => None,
        }
    }

    /// A list of integers; empty if it is not given.
    pub fn integers(&self, name: &str) -> &[i64] {
        match self.get(name) {
            Some(Value::Integers(values)) => values,
            _ => &[],
        }
    }

    /// A word or file name; empty if it is not given.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(value)) => value,
            _ => "",
        }
    }

    /// The seed of a random family.
    pub fn seed(&self) -> Option<u64> {
        self.values.iter().find_map(|value| match value {
            Some(Value::Seed(seed)) => Some(*seed),
            _ => None,
        })
    }

    /// The error that says that a parameter breaks a rule.
    pub fn invalid(&self, parameter: &str, constraint: impl Into<String>) -> TopologyError {
        let value = match self.get(parameter) {
            Some(value) => format!("`{}`", super::spec::written(value, Kind::Integers)),
            None => "not given".into(),
        };
        TopologyError::InvalidParameter {
            topology: self.family.name.into(),
            parameter: parameter.into(),
            value,
            constraint: constraint.into(),
        }
    }

    /// A required integer that counts switches: from `least` to [`MAX_SWITCHES`].
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn switches(&self, name: &str, least: usize) -> Result<usize, TopologyError> {
        let value = self.integer(name).ok_or_else(|| self.invalid(name, "it is required"))?;
        match usize::try_from(value) {
            Ok(count) if (least..=MAX_SWITCHES).contains(&count) => Ok(count),
            _ => Err(self.invalid(name, format!("it must be from {least} to {MAX_SWITCHES}"))),
        }
    }

    /// A required integer from 1 to `most`, where `rule` says how `most` came about.
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

    /// Refuses a graph with more than [`MAX_ARCS`] arcs before it is built; `parameter` is what to blame.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`].
    pub fn limit_arcs(&self, parameter: &str, arcs: u128) -> Result<(), TopologyError> {
        if arcs > MAX_ARCS as u128 {
            let rule = format!("that makes {arcs} arcs (two for a two-way cable), and the limit is {MAX_ARCS}");
            return Err(self.invalid(parameter, rule));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_normalised() {
        let mut names: Vec<&str> =
            FAMILIES.iter().flat_map(|f| [f.name].into_iter().chain(f.aliases.iter().copied())).collect();
        assert!(names.iter().all(|name| normalised(name) == *name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn hyphens_and_capitals_do_not_matter() {
        assert_eq!(find("Imase-Itoh").unwrap().name, "imase_itoh");
        assert_eq!(find("random").unwrap().name, "random_regular");
        assert!(find("toros").is_none());
    }
}
