//! Routing specifications: `ecmp`, `ugal:k=2,knowledge=local`.
//!
//! A specification is the name of a rule and the options that differ from their defaults, in the syntax of topologies.
//! [`RoutingSpec`]'s text form is canonical: equal rules have equal text in reports and digests.

use super::{ROUTINGS, Routing, RoutingError, RoutingKind, Scope};
use crate::similar::nearest;
use crate::topology::Topology;
use std::fmt;
use std::str::FromStr;

/// Values that an option of a rule can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// One of these words; the value is the index of the word.
    Words(&'static [&'static str]),
    /// A whole number within these limits, both included.
    Count(u64, u64),
}

/// An option of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter {
    /// Name in specifications.
    pub name: &'static str,
    /// Values that it can have.
    pub values: Values,
    /// Default value.
    pub default: u64,
    /// One line for documents.
    pub help: &'static str,
}

impl Parameter {
    fn read(&self, text: &str) -> Option<u64> {
        match self.values {
            Values::Words(words) => words.iter().position(|word| *word == text).map(|at| at as u64),
            Values::Count(least, most) => text.parse().ok().filter(|value| (least..=most).contains(value)),
        }
    }

    fn written(&self, value: u64) -> String {
        match self.values {
            Values::Words(words) => words[value as usize].to_owned(),
            Values::Count(..) => value.to_string(),
        }
    }

    /// Returns the rule for its values, as the end of a sentence.
    fn rule(&self) -> String {
        match self.values {
            Values::Words(words) => format!("it is one of {}", words.join(", ")),
            Values::Count(least, most) => format!("it is a whole number from {least} to {most}"),
        }
    }
}

/// Rule with its options.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RoutingSpec {
    /// Routing rule.
    pub kind: &'static RoutingKind,
    /// A value for each of [`RoutingKind::parameters`], in their order.
    values: [u64; MOST_PARAMETERS],
}

/// Largest number of options of a rule.
const MOST_PARAMETERS: usize = 2;

impl RoutingSpec {
    /// Returns a rule with the default values of its options.
    pub fn new(kind: &'static RoutingKind) -> Self {
        let mut values = [0; MOST_PARAMETERS];
        values.iter_mut().zip(kind.parameters).for_each(|(value, parameter)| *value = parameter.default);
        Self { kind, values }
    }

    /// Returns the value of an option; 0 if the rule has no such option.
    pub fn value(&self, name: &str) -> u64 {
        let at = self.kind.parameters.iter().position(|parameter| parameter.name == name);
        at.map_or(0, |at| self.values[at])
    }

    /// Returns the ends on which a route depends: option `by` overrides the rule's own scope.
    pub fn scope(&self) -> Scope {
        match self.kind.parameters.iter().position(|parameter| parameter.name == "by").map(|at| self.values[at]) {
            Some(BY_SWITCHES) => Scope::Switches,
            _ => self.kind.scope,
        }
    }

    /// Reads the rules of a network of several planes: one for all of them, or one for each, separated by semicolons.
    ///
    /// # Errors
    /// [`RoutingError`] if a rule is unknown, or the number of rules is another one.
    pub fn for_planes(text: &str, planes: usize) -> Result<Vec<Self>, RoutingError> {
        let rules = text.split(';').map(str::parse::<Self>).collect::<Result<Vec<_>, _>>()?;
        match rules.len() {
            1 => Ok(vec![rules[0]; planes]),
            count if count == planes => Ok(rules),
            rules => Err(RoutingError::Planes { rules, planes }),
        }
    }

    /// Returns the text of the rules of all planes: one rule if they are equal.
    pub fn text_of(rules: &[Self]) -> String {
        let names: Vec<String> = rules.iter().map(Self::to_string).collect();
        if names.windows(2).all(|two| two[0] == two[1]) { names[0].clone() } else { names.join("; ") }
    }

    /// Builds the routing for a topology.
    ///
    /// # Errors
    /// [`RoutingError`] if the rule does not fit the topology.
    pub fn build(&self, topology: &Topology, options: &super::Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
        (self.kind.build)(topology, options, self)
    }
}

/// Values of option `by`, in the order of [`BY`]'s words.
const BY_SWITCHES: u64 = 0;
/// Routes differ from flow to flow.
pub(super) const BY_FLOW: u64 = 2;

/// Option of rules that spread pairs over equal paths.
pub(super) const BY: Parameter = Parameter {
    name: "by",
    values: Values::Words(&["switches", "hosts", "flow"]),
    default: 1,
    help: "what gets a path of its own: a pair of switches, a pair of hosts, or a flow (the messages of two ranks)",
};

impl fmt::Display for RoutingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name)?;
        let mut separator = ':';
        for (parameter, &value) in self.kind.parameters.iter().zip(&self.values) {
            if value != parameter.default {
                write!(f, "{separator}{}={}", parameter.name, parameter.written(value))?;
                separator = ',';
            }
        }
        Ok(())
    }
}

impl FromStr for RoutingSpec {
    type Err = RoutingError;

    fn from_str(text: &str) -> Result<Self, RoutingError> {
        let folded = text.trim().to_lowercase().replace('-', "_");
        let (name, options) = match folded.split_once(':') {
            Some((name, options)) => (name.trim_end(), Some(options)),
            None => (folded.as_str(), None),
        };
        let known = |kind: &&RoutingKind| kind.name == name || kind.aliases.contains(&name);
        let kind = ROUTINGS.iter().find(known).ok_or_else(|| {
            // Name as written, without its options.
            let written = text.split(':').next().unwrap_or(text).trim();
            let nearest = nearest(written, ROUTINGS.iter().map(|kind| kind.name)).map(Into::into);
            RoutingError::Unknown { name: written.into(), nearest }
        })?;
        let mut spec = Self::new(kind);
        let mut given = [false; MOST_PARAMETERS];
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            let refused = |reason: String| RoutingError::Option { routing: kind.name, option: option.into(), reason };
            let (name, value) = option
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .ok_or_else(|| refused(format!("options are written name=value; {}", options_of(kind))))?;
            let Some(at) = kind.parameters.iter().position(|parameter| parameter.name == name) else {
                return Err(refused(options_of(kind)));
            };
            if std::mem::replace(&mut given[at], true) {
                return Err(refused("it is given twice".to_owned()));
            }
            let parameter = &kind.parameters[at];
            spec.values[at] = parameter.read(value).ok_or_else(|| refused(parameter.rule()))?;
        }
        Ok(spec)
    }
}

fn options_of(kind: &RoutingKind) -> String {
    match kind.parameters {
        [] => "the rule has no options".to_owned(),
        some => format!("the options are {}", some.iter().map(|p| p.name).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rules_have_one_text() {
        for (text, canonical) in [
            ("BFS", "bfs"),
            ("random-shortest", "random_shortest"),
            ("up*/down*", "up_down"),
            ("ecmp:by=hosts", "ecmp"),
            ("ECMP: by = flow", "ecmp:by=flow"),
            ("ugal:knowledge=local,k=4", "ugal:knowledge=local"),
            ("ugal:k=2", "ugal:k=2"),
        ] {
            let spec: RoutingSpec = text.parse().unwrap();
            assert_eq!(spec.to_string(), canonical);
            assert_eq!(canonical.parse::<RoutingSpec>().unwrap(), spec);
        }
        assert!(ROUTINGS.iter().all(|kind| kind.parameters.len() <= MOST_PARAMETERS));
    }

    #[test]
    fn mistakes_name_the_option_and_its_rule() {
        for (text, parts) in [
            ("ecmp:by=packet", ["`by=packet`", "one of switches, hosts, flow"]),
            ("ugal:k=0", ["`k=0`", "from 1 to"]),
            ("ugal:k=2,k=3", ["`k=3`", "twice"]),
            ("ugal:q=2", ["`q=2`", "the options are k, knowledge"]),
            ("bfs:k=2", ["`k=2`", "has no options"]),
            ("ecmp:flow", ["`flow`", "name=value"]),
            ("emcp:by=flow", ["no routing `emcp`", "did you mean `ecmp`?"]),
        ] {
            let error = text.parse::<RoutingSpec>().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
        }
    }
}
