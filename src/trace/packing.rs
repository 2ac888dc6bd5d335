//! Compression of outputs, selected by the name of the file.

use std::io::{self, Write};
use std::path::Path;

/// Compression of an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// No compression.
    Plain,
    /// Zstandard.
    Zstd,
    /// Gzip.
    Gzip,
    /// XZ.
    Xz,
}

impl Packing {
    /// Returns the compression for a file's extension.
    pub fn of(file: &Path) -> Packing {
        Packing::split(file).0
    }

    /// Returns the compression, and the name without its extension.
    pub(super) fn split(file: &Path) -> (Packing, String) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = [(".zst", Packing::Zstd), (".zstd", Packing::Zstd), (".gz", Packing::Gzip), (".xz", Packing::Xz)];
        for (extension, packing) in known {
            if let Some(stem) = without_end(&name, extension) {
                return (packing, stem.to_owned());
            }
        }
        (Packing::Plain, name)
    }

    /// Calls `write` with a writer that compresses to `out`.
    ///
    /// # Errors
    /// Errors of `write` and of writing to `out`.
    pub fn pack<T, E: From<io::Error>>(
        self,
        out: &mut (dyn Write + Send),
        write: impl FnOnce(&mut (dyn Write + Send)) -> Result<T, E>,
    ) -> Result<T, E> {
        Ok(match self {
            Packing::Plain => write(out)?,
            Packing::Zstd => {
                let mut packed = zstd::Encoder::new(out, 9)?;
                packed.include_checksum(true)?;
                let value = write(&mut packed)?;
                packed.finish()?;
                value
            }
            Packing::Gzip => {
                let mut packed = flate2::write::GzEncoder::new(out, flate2::Compression::default());
                let value = write(&mut packed)?;
                packed.finish()?;
                value
            }
            Packing::Xz => {
                let mut packed = lzma_rust2::XzWriter::new(out, lzma_rust2::XzOptions::with_preset(6))?;
                let value = write(&mut packed)?;
                packed.finish()?;
                value
            }
        })
    }
}

/// Returns a name without such an extension, in capital or small letters, if it has one.
pub(super) fn without_end<'n>(name: &'n str, end: &str) -> Option<&'n str> {
    let (stem, found) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
    found.eq_ignore_ascii_case(end).then_some(stem)
}
