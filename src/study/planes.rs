//! Planes and host ports of a network as written, and the topology that they form.

use super::network::{NetworkChoice, NetworkError};
use super::network_parts::PlanesChoice;
use crate::topology::TopologyError;
use crate::topology::families::rails;
use crate::topology::family::quoted;
use crate::topology::rails::MAX_RAILS;
use crate::topology::spec::Spec;

impl NetworkChoice {
    /// Returns the same network with its planes and host ports as a topology of the family `rails`; `None` if it has
    /// neither, or they are those of a platform file.
    ///
    /// # Errors
    /// [`NetworkError::Planes`].
    pub fn folded(&self) -> Result<Option<Self>, NetworkError> {
        let wrong = |key, problem: &str, help| Err(NetworkError::Planes { key, problem: problem.to_owned(), help });
        if self.planes.is_none() && self.host_ports.is_none() && self.host_ports_at.is_none() {
            return Ok(None);
        }
        let (base, copies) = match (&self.topology, &self.planes) {
            _ if self.platform.is_some() => return Ok(None),
            (Some(_), Some(PlanesChoice::Each(_))) => {
                let help = "list all planes in `planes` without `topology`, or give the number of copies";
                return wrong("planes", "a list of planes and a topology are both given", help);
            }
            (None, Some(PlanesChoice::Each(list))) if list.is_empty() => {
                return wrong("planes", "the list of planes is empty", "list at least one topology");
            }
            (None, Some(PlanesChoice::Each(list))) => (list.join(";"), 1),
            (None, _) => return Err(NetworkError::Ambiguous { both: false }),
            (Some(topology), Some(PlanesChoice::Copies(copies))) => (topology.clone(), *copies),
            (Some(topology), None) => (topology.clone(), 1),
        };
        let ports = self.host_ports.unwrap_or(1);
        for (key, count) in [("planes", copies), ("host_ports", ports)] {
            if !(1..=MAX_RAILS as u32).contains(&count) {
                let problem = format!("{key} = {count}, and it must be from 1 to {MAX_RAILS}");
                return wrong(key, &problem, "give the number of planes, or of ports of a host in each of them");
            }
        }
        if ports == 1 && self.host_ports_at.is_some() {
            let help = "leave `host_ports_at` out, or add for example `host_ports = 2`";
            return wrong("host_ports_at", "with one port in a plane there are no further ports to place", help);
        }
        if base.parse::<Spec>().is_ok_and(|spec| rails::has_rails(&spec)) {
            let help = "write all planes and ports into one place: the keys, or the topology";
            return wrong("topology", "the topology has planes or several ports per host already", help);
        }
        let mut topology = base;
        if copies > 1 || ports > 1 || topology.contains(';') {
            topology = format!("rails:base={}", quoted(&topology));
            let given = |count: u32| (count > 1).then_some(count.to_string());
            let at = self.host_ports_at.as_deref().map(quoted);
            for (name, value) in [("planes", given(copies)), ("ports", given(ports)), ("at", at)] {
                if let Some(value) = value {
                    topology.push_str(&format!(",{name}={value}"));
                }
            }
        }
        Ok(Some(Self {
            topology: Some(topology),
            planes: None,
            host_ports: None,
            host_ports_at: None,
            folded: true,
            ..self.clone()
        }))
    }

    /// Converts an error of the topology to one of the key that has the mistake, if planes and ports are keys.
    pub(super) fn in_keys(&self, error: TopologyError) -> NetworkError {
        match error {
            TopologyError::InvalidParameter { topology, parameter, value, constraint }
                if self.folded && topology == "rails" =>
            {
                let help = "docs/reference/platforms.md has the rules of several ports per host";
                let (key, problem) = match parameter.as_str() {
                    "at" => ("host_ports_at", format!("host_ports_at is {value}, but {constraint}")),
                    "ports" => ("host_ports", constraint),
                    _ => ("planes", constraint),
                };
                NetworkError::Planes { key, problem, help }
            }
            error => error.into(),
        }
    }
}
