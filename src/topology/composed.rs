//! Specifications that contain others: the base of a damaged network, the planes of a network with several.
//!
//! Their seeds, files, groups and cabinets are those of the specifications they contain.

use super::Topology;
use super::error::TopologyError;
use super::families::{damaged, rails};
use super::family::{CABINET, Value};
use super::spec::Spec;
use std::path::Path;
use std::sync::Arc;

impl Spec {
    /// Returns the seed of a random family; `None` for a family without randomness, and for a damaged network in which
    /// nothing fails at random. Of several planes, it is the seed of the first random one.
    pub fn seed(&self) -> Option<u64> {
        if let Some(bases) = rails::bases(self) {
            return bases.iter().find_map(Self::seed);
        }
        let is_given = |name: &&str| self.arguments.get(name).is_some();
        if self.family().name == "damaged" && !["cables", "switches", "degraded"].iter().any(is_given) {
            return None;
        }
        self.arguments.seed()
    }

    /// Returns `true` if the specification contains the seed; a seed from elsewhere should then not replace it.
    pub fn seed_given(&self) -> bool {
        match rails::bases(self) {
            Some(bases) => bases.iter().all(|base| base.seed_given() || base.seed().is_none()),
            None => self.seed_given,
        }
    }

    /// Returns the number of switches in a group of a Dragonfly, the first group beginning with the first switch;
    /// `None` for families without groups.
    pub fn group(&self) -> Option<u32> {
        if let Some(base) = damaged::base_of(self) {
            return base.group();
        }
        if let Some(bases) = rails::bases(self) {
            // Hosts are numbered alike in all planes, and their switches are those of the first one.
            return bases.first()?.group();
        }
        let parameters: &[&str] = match self.family().name {
            "dragonfly" => &["a"],
            "dragonfly_fc" => &[CABINET.name],
            "dragonfly_plus" => &["l", "s"],
            _ => return None,
        };
        let sizes = parameters.iter().map(|name| self.arguments.integer(name));
        let size: i64 = sizes.sum::<Option<i64>>()?;
        u32::try_from(size).ok().filter(|&size| size > 0)
    }

    /// Returns the number of switches per cabinet, if the family or its base is built from cabinets.
    pub fn cabinet(&self) -> Option<u32> {
        if let Some(base) = damaged::base_of(self) {
            return base.cabinet();
        }
        if let Some(bases) = rails::bases(self) {
            // Planes of families with different cabinets have the default ones.
            let size = bases.first()?.cabinet();
            return size.filter(|_| bases.iter().all(|base| base.cabinet() == size));
        }
        let has = |name| self.family().parameters.iter().any(|parameter| parameter.name == name);
        if !has(CABINET.name) {
            return None;
        }
        match self.arguments.integer(CABINET.name) {
            Some(size) => u32::try_from(size).ok().filter(|&size| size > 0),
            None if has("base") => self.arguments.text("base").parse::<Spec>().ok()?.cabinet(),
            None => None,
        }
    }

    /// Sets the seed of a random family; does nothing for other families.
    pub fn set_seed(&mut self, seed: u64) {
        if self.family().name == "rails" {
            return rails::change_bases(&mut self.arguments, |base| {
                let open = base.seed().is_some() && !base.seed_given();
                if open {
                    base.set_seed(seed);
                }
                open
            });
        }
        for value in self.arguments.values.iter_mut().flatten() {
            if let Value::Seed(old) = value {
                *old = seed;
            }
        }
    }

    /// Resolves the name of a graph file relative to `folder`, if there is one and it is relative.
    pub fn resolve_files(&mut self, folder: &Path) {
        if self.family().name == "rails" {
            return rails::resolve_files(&mut self.arguments, folder);
        }
        let has_files = |base: &Self| base.is_file() || base.family().name == "rails";
        if let Some(mut base) = damaged::base_of(self).filter(has_files) {
            base.resolve_files(folder);
            let place = self.family().parameters.iter().position(|parameter| parameter.name == "base");
            let value = place.and_then(|place| self.arguments.values.get_mut(place));
            *value.expect("a damaged network has a base") = Some(Value::Text(base.to_string()));
        }
        for (parameter, value) in self.family().parameters.iter().zip(&mut self.arguments.values) {
            if let ("path", Some(Value::Text(path))) = (parameter.name, value) {
                *path = folder.join(&*path).to_string_lossy().into_owned();
            }
        }
    }

    /// Checks the arguments and builds the graph.
    ///
    /// # Errors
    /// [`TopologyError::InvalidParameter`] before anything is allocated, [`TopologyError::Unbuildable`], and for graph
    /// files [`TopologyError::File`] and [`TopologyError::Read`].
    pub fn build(&self) -> Result<Topology, TopologyError> {
        if self.family().name == "rails" {
            let rails = rails::rails(&self.arguments)?;
            let graph = rails.union().map_err(|error| self.arguments.invalid("base", error.to_string()))?;
            // Planes have their canonical names, with the seeds of random ones.
            let mut spec = self.clone();
            rails::change_bases(&mut spec.arguments, |_| true);
            return Ok(Topology { spec, graph: Arc::new(graph), rails: Some(Arc::new(rails)) });
        }
        let graph = (self.family().build)(&self.arguments)?;
        let rails = match damaged::base_of(self) {
            Some(base) if base.family().name == "rails" => {
                Some(Arc::new(rails::rails(base.arguments())?.damaged(&graph)?))
            }
            _ => None,
        };
        Ok(Topology { spec: self.clone(), graph: Arc::new(graph), rails })
    }
}
