//! Platforms from files with links and routes of their own: explicit JSON or SimGrid XML.

use std::path::Path;

use super::error::PlatformError;
use super::parameters::Loopback;
use super::{Platform, explicit, simgrid_xml};
use crate::topology::input::{Located, MAX_FILE_BYTES, plain_name, read_text};

/// What a file may leave open.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct LoadOptions {
    /// The link from a host to itself, where explicit JSON or SimGrid XML does not say; a description in TOML has it
    /// among its parameters.
    pub loopback: Loopback,
}

impl Platform {
    /// Reads a platform from a file, packed (.gz, .xz, .zst) or not. The extension `.json` or `.xml` says which format
    /// it has; without one of them its first character does.
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
            (_, Some('{')) => explicit::parse(&file, &text, options.loopback),
            (_, Some('<')) => simgrid_xml::parse(&file, &text, options.loopback),
            _ => Err(PlatformError::Unsupported(Located {
                file: file.into_owned(),
                line: 1,
                column: 1,
                message: "this is not a format of platforms".into(),
                help: "a platform is explicit JSON (.json), SimGrid XML (.xml) or a description in TOML (.toml)".into(),
            })),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_kinds_are_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"hello").unwrap();
        assert!(matches!(Platform::load(file.path(), &LoadOptions::default()), Err(PlatformError::Unsupported(_))));
        let error = Platform::load(Path::new("/nonexistent.json"), &LoadOptions::default()).unwrap_err();
        assert!(error.is_io());
    }
}
