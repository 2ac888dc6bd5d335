//! Platforms from files: explicit JSON, SimGrid XML, or a description in TOML.
//!
//! The TOML form names a topology and says what is added to it:
//!
//! ```toml
//! topology = "torus:8x8"
//! routing = "bfs"              # default
//! seed = 1                     # for random topologies and routings
//!
//! [parameters]                 # see `PlatformParameters`; all have defaults
//! link_bandwidth = "40 Gbit/s"
//! link_latency = "100 ns"
//! ```

use serde::Deserialize;
use std::path::Path;

use super::error::PlatformError;
use super::parameters::{Loopback, PlatformParameters};
use super::{Platform, explicit, simgrid_xml};
use crate::routing;
use crate::topology::Spec;
use crate::topology::input::{Located, MAX_FILE_BYTES, plain_name, read_text};

/// What a file may leave open.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoadOptions {
    /// The link from a host to itself, where explicit JSON or SimGrid XML does not say; a description in TOML has it among
    /// its parameters.
    pub loopback: Loopback,
}

/// A description of a platform, as written in TOML.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformDescription {
    /// Name for reports; default the specification of the topology.
    pub name: Option<String>,
    /// Specification of the topology.
    pub topology: String,
    /// Name of the routing; default [`routing::DEFAULT`].
    pub routing: Option<String>,
    /// Seed of a random routing, and of a random topology whose specification does not say one; default 1.
    pub seed: Option<u64>,
    /// Hosts and link speeds.
    #[serde(default)]
    pub parameters: PlatformParameters,
}

impl PlatformDescription {
    /// Reads a description; `file` is its name for messages.
    ///
    /// # Errors
    /// [`PlatformError::File`] with the place of what is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, PlatformError> {
        toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start.min(text.len()));
            let before = &text.as_bytes()[..offset];
            let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
            PlatformError::File(Located {
                file: file.into(),
                line: 1 + memchr::memchr_iter(b'\n', before).count(),
                column: 1 + offset - line_start,
                message: error.message().replace('\n', ", "),
                help: "a platform description has the members name, topology, routing, seed and the table [parameters]"
                    .into(),
            })
        })
    }

    /// Builds the platform.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub fn build(&self) -> Result<Platform, PlatformError> {
        let parameters = self.parameters.check()?;
        let mut spec: Spec = self.topology.parse()?;
        if let Some(seed) = self.seed
            && !spec.seed_given()
        {
            spec.set_seed(seed);
        }
        let name = self.routing.as_deref().unwrap_or(routing::DEFAULT);
        // An unknown routing is cheaper to notice before the topology is built.
        routing::find(name)?;
        let mut platform = Platform::from_topology(&spec.build()?, &parameters, name, self.seed.unwrap_or(1))?;
        if let Some(name) = &self.name {
            platform.name.clone_from(name);
        }
        Ok(platform)
    }
}

impl Platform {
    /// Reads a platform from a file, packed (.gz, .xz, .zst) or not. The extension `.json`, `.xml` or `.toml` says which
    /// format it has; without one of them its first character does.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Self, PlatformError> {
        let text = read_text(path, MAX_FILE_BYTES)?;
        let file = path.to_string_lossy();
        let name = plain_name(path);
        let extension = Path::new(&name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match (extension, text.trim_start().chars().next()) {
            ("json", _) => explicit::parse(&file, &text, options.loopback),
            ("xml", _) => simgrid_xml::parse(&file, &text, options.loopback),
            ("toml", _) => PlatformDescription::parse(&file, &text)?.build(),
            (_, Some('{')) => explicit::parse(&file, &text, options.loopback),
            (_, Some('<')) => simgrid_xml::parse(&file, &text, options.loopback),
            _ => Err(PlatformError::Unsupported(Located {
                file: file.into_owned(),
                line: 1,
                column: 1,
                message: "this is not a format of platforms".into(),
                help: "a platform is explicit JSON (.json), SimGrid XML (.xml) or a description (.toml)".into(),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_builds_a_platform() {
        let text = "topology = 'random:n=8,d=3'\nseed = 4\nrouting = 'random-shortest'\n[parameters]\ncores = 2\n";
        let platform = PlatformDescription::parse("p.toml", text).unwrap().build().unwrap();
        assert_eq!((platform.name.as_str(), platform.hosts[0].cores), ("random_regular:n=8,d=3,seed=4", 2));
        let named = PlatformDescription::parse("p", "name = 'mine'\ntopology = 'ring:4'").unwrap().build().unwrap();
        assert_eq!(named.name, "mine");
    }

    #[test]
    fn mistakes_have_a_place() {
        let message = |text: &str| match PlatformDescription::parse("p.toml", text) {
            Err(error) => error.to_string(),
            Ok(description) => description.build().unwrap_err().to_string(),
        };
        let text = "topology = 'ring:4'\n[parameters]\nlink_bandwith = 1\n";
        assert!(message(text).starts_with("p.toml:3:1: unknown field `link_bandwith`"), "{}", message(text));
        let text = "topology = 'ring:4'\n[parameters]\nlink_bandwidth = '1 GB'\n";
        assert!(message(text).starts_with("p.toml:3:18: `1 GB` is not a bandwidth"), "{}", message(text));
        assert!(message("topology = 'rong:4'").contains("did you mean `ring`?"));
        assert!(message("topology = 'ring:4'\nrouting = 'bsf'").contains("did you mean `bfs`?"));
        assert!(message("topology = 'ring:4").starts_with("p.toml:1:"));
    }

    #[test]
    fn files_of_other_kinds_are_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"hello").unwrap();
        assert!(matches!(Platform::load(file.path(), &LoadOptions::default()), Err(PlatformError::Unsupported(_))));
        let error = Platform::load(Path::new("/nonexistent.json"), &LoadOptions::default()).unwrap_err();
        assert!(error.is_io());
    }
}
