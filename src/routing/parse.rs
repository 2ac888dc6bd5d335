//! Routing specifications from text.

use super::ROUTINGS;
use super::error::RoutingError;
use super::rule::RoutingKind;
use super::spec::{MOST_PARAMETERS, RoutingSpec};
use crate::similar::nearest;
use std::str::FromStr;

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
            ("emcp:by=flow", ["no routing rule `emcp`", "did you mean `ecmp`?"]),
        ] {
            let error = text.parse::<RoutingSpec>().unwrap_err().to_string();
            assert!(parts.iter().all(|part| error.contains(part)), "{text}: {error}");
        }
    }
}
