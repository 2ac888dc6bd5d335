//! Platforms from files with links and routes of their own: explicit JSON or SimGrid XML.

use std::path::Path;

use super::error::PlatformError;
use super::{Platform, explicit, simgrid_xml};

pub use super::loaded::{LoadOptions, Loaded, Setting};
use crate::topology::input::{Located, MAX_FILE_BYTES, plain_name, read_text};

impl Platform {
    /// Reads a platform from a file, compressed (.gz, .xz, .zst) or not. The extension `.json` or `.xml` determines the
    /// format; without one of them the first character does.
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Self, PlatformError> {
        Ok(Self::load_all(path, options)?.platform)
    }

    /// Reads a platform and the other data of its file, like [`load`](Self::load).
    ///
    /// # Errors
    /// Any [`PlatformError`].
    pub fn load_all(path: &Path, options: &LoadOptions) -> Result<Loaded, PlatformError> {
        let text = read_text(path, MAX_FILE_BYTES)?;
        let file = path.to_string_lossy();
        let name = plain_name(path);
        let extension = Path::new(&name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match (extension, text.trim_start().chars().next()) {
            ("json", _) | (_, Some('{')) if extension != "xml" => explicit::parse_all(&file, &text, options.loopback),
            ("xml", _) | (_, Some('<')) => simgrid_xml::parse_all(&file, &text, options.loopback),
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
    use crate::user_error::UserError;

    #[test]
    fn files_of_other_kinds_are_refused() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"hello").unwrap();
        assert!(matches!(Platform::load(file.path(), &LoadOptions::default()), Err(PlatformError::Unsupported(_))));
        let error = Platform::load(Path::new("/nonexistent.json"), &LoadOptions::default()).unwrap_err();
        assert!(error.is_io());
    }
}
