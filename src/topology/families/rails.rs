//! Hosts with several ports: copies of a topology, or several topologies, as planes of one network.
//!
//! [`rails`](crate::topology::rails) defines the numbering. A specification lists the planes in `base`, separated by
//! semicolons; `planes` is the number of copies of that list.

use super::damaged;
use crate::topology::family::{Arguments, Value};
use crate::topology::rails::{MAX_RAILS, Rails, Spread};
use crate::topology::{Graph, Spec, Topology, TopologyError};
use crate::user_error::UserError;
use std::path::Path;

/// Separator of planes in `base`.
pub(crate) const SEPARATOR: char = ';';

pub(crate) fn build(arguments: &Arguments) -> Result<Graph, TopologyError> {
    rails(arguments)?.union().map_err(|error| arguments.invalid("base", error.to_string()))
}

/// Builds the planes of a specification of this family.
///
/// # Errors
/// [`TopologyError`].
pub(crate) fn rails(arguments: &Arguments) -> Result<Rails, TopologyError> {
    let count = |name: &str| match arguments.get(name) {
        None => Ok(1),
        Some(_) => arguments.count(name, 1, MAX_RAILS),
    };
    let (copies, ports) = (count("planes")?, count("ports")?);
    let spread = match arguments.text("at") {
        "" => Spread::default(),
        name => {
            let known = Spread::NAMES.iter().find(|(known, _)| *known == name);
            known.ok_or_else(|| arguments.invalid("at", "it must be `next` or `group`"))?.1
        }
    };
    let wrong = |error: TopologyError| match error {
        error if error.is_io() => error,
        error => arguments.invalid("base", error.to_string()),
    };
    let mut planes: Vec<Topology> = Vec::new();
    for text in arguments.text("base").split(SEPARATOR) {
        let spec: Spec = text.trim().parse().map_err(wrong)?;
        // Before it is built: a specification can be nested as deeply as a text is long.
        if has_rails(&spec) {
            return Err(arguments.invalid("base", "a plane must be a network in which hosts have one port"));
        }
        planes.push(spec.build().map_err(wrong)?);
    }
    let planes: Vec<Topology> = (0..copies).flat_map(|_| planes.iter().cloned()).collect();
    Rails::new(planes.clone(), ports as u32, spread).map_err(|rule| {
        // If one port per plane is possible, the number of ports is to blame.
        let parameter = if ports > 1 && Rails::new(planes, 1, spread).is_ok() { "ports" } else { "base" };
        arguments.invalid(parameter, rule)
    })
}

/// Returns the specifications of the planes, each once; `None` for other families, or if one of them is wrong.
pub(crate) fn bases(spec: &Spec) -> Option<Vec<Spec>> {
    if spec.family().name != "rails" {
        return None;
    }
    spec.arguments().text("base").split(SEPARATOR).map(|text| text.trim().parse().ok()).collect()
}

/// Returns `true` if a specification is of this family, or one of its networks in which parts failed.
pub(crate) fn has_rails(spec: &Spec) -> bool {
    spec.family().name == "rails" || damaged::base_of(spec).is_some_and(|base| base.family().name == "rails")
}

/// Changes the specifications of the planes; leaves alone what cannot be read, or cannot be a plane.
pub(crate) fn change_bases(arguments: &mut Arguments, change: impl Fn(&mut Spec) -> bool) {
    let parts = arguments.text("base").split(SEPARATOR).map(|text| match text.trim().parse::<Spec>() {
        Ok(mut spec) if !has_rails(&spec) => {
            if change(&mut spec) {
                spec.to_string()
            } else {
                text.trim().to_owned()
            }
        }
        _ => text.trim().to_owned(),
    });
    let text = parts.collect::<Vec<_>>().join(&SEPARATOR.to_string());
    let place = arguments.family.parameters.iter().position(|parameter| parameter.name == "base");
    if let Some(place) = place {
        arguments.values[place] = Some(Value::Text(text));
    }
}

/// Resolves the names of graph files relative to `folder`.
pub(crate) fn resolve_files(arguments: &mut Arguments, folder: &Path) {
    change_bases(arguments, |base| {
        let before = base.to_string();
        base.resolve_files(folder);
        base.to_string() != before
    });
}
