//! Routing specifications: `ecmp`, `ugal:k=2,knowledge=local`.
//!
//! A specification is the name of a rule and the options that differ from their defaults, in the syntax of topologies.
//! [`RoutingSpec`]'s text form is canonical: equal rules have equal text in reports and digests.

use super::error::RoutingError;
use super::rule::{Options, Routing, RoutingKind, Scope};
use crate::topology::Topology;
use crate::topology::families::damaged;
use crate::topology::rails::{broken, text_of_planes};
use std::fmt;

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
pub struct RuleParameter {
    /// Name in specifications.
    pub name: &'static str,
    /// Values that it can have.
    pub values: Values,
    /// Default value.
    pub default: u64,
    /// One line for documents.
    pub help: &'static str,
}

impl RuleParameter {
    pub(super) fn read(&self, text: &str) -> Option<u64> {
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
    pub(super) fn rule(&self) -> String {
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
    pub(super) values: [u64; MOST_PARAMETERS],
}

/// Largest number of options of a rule.
pub(super) const MOST_PARAMETERS: usize = 2;

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
        text_of_planes(rules.iter().map(Self::to_string))
    }

    /// Builds the routing for a plane of a network whose hosts have several ports, or for a network that is one plane.
    ///
    /// # Errors
    /// [`RoutingError`] if the rule does not fit the plane.
    pub fn build_on_plane(
        &self,
        network: &Topology,
        plane: &Topology,
        options: &Options<'_>,
    ) -> Result<Box<dyn Routing>, RoutingError> {
        // The rule compares with the intact network, also in planes in which nothing failed.
        if self.kind.name == "repaired" && network.spec.family().name == "damaged" {
            let spec = broken(&plane.spec)
                .map_err(|error| RoutingError::unsuitable(self.kind.name, plane, &error.to_string()))?;
            return self.build(&Topology { spec, ..plane.clone() }, options);
        }
        self.build(plane, options)
    }

    /// Builds the routing for a topology.
    ///
    /// # Errors
    /// [`RoutingError`] if the rule does not fit the topology.
    pub fn build(&self, topology: &Topology, options: &Options<'_>) -> Result<Box<dyn Routing>, RoutingError> {
        // Where cables are slower, and none is missing, rules by numbers and coordinates still fit.
        match damaged::whole(topology).filter(|_| self.kind.name != "repaired") {
            Some(whole) => (self.kind.build)(&whole, options, self),
            None => (self.kind.build)(topology, options, self),
        }
    }
}

/// Values of option `by`, in the order of [`BY`]'s words.
const BY_SWITCHES: u64 = 0;
/// Routes differ from flow to flow.
pub(super) const BY_FLOW: u64 = 2;

/// Option of rules that spread pairs over equal paths.
pub(super) const BY: RuleParameter = RuleParameter {
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
