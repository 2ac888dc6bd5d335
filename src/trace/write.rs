//! Writing traces, in the format and packing that the name of the file asks for.

use std::io::{self, Write};
use std::path::Path;

use super::Trace;
use super::format::{FORMATS, Format, without_end};
use crate::steps::Steps;

/// Why a trace cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output does not take it.
    #[error("{0}")]
    Output(#[from] io::Error),
    /// The format cannot express an action.
    #[error("rank {rank}, action {}: {format} cannot express `{action}`", .index + 1)]
    Inexpressible {
        /// Name of the format.
        format: &'static str,
        /// The rank.
        rank: usize,
        /// Index of the action, from 0.
        index: usize,
        /// The action, as TI text.
        action: String,
    },
}

/// Writes traces in a format, a few ranks at a time.
pub trait Writer: Sync {
    /// What stands before the first rank. `notes` are remarks that are to stay with the trace, where the format has a
    /// place for them.
    ///
    /// # Errors
    /// If `out` does not take it.
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError>;

    /// The ranks of `part`, whose first one has number `first` in a trace of `ranks`. All parts have the same
    /// communicators. A step is an action.
    ///
    /// # Errors
    /// If `out` does not take it, or if the format cannot express an action.
    fn part(
        &self,
        part: &Trace,
        first: usize,
        ranks: usize,
        out: &mut dyn Write,
        steps: &Steps,
    ) -> Result<(), WriteError>;

    /// What stands behind the last rank; `actions` is the number of actions of all ranks.
    ///
    /// # Errors
    /// If `out` does not take it.
    fn tail(&self, ranks: usize, actions: u64, out: &mut dyn Write) -> Result<(), WriteError>;

    /// Whether collectives have to be given as the messages that they are made of
    /// ([`Goal::with_rounds`](super::goal::Goal::with_rounds)).
    fn needs_rounds(&self) -> bool {
        false
    }

    /// Whether every rank needs an action.
    fn needs_actions(&self) -> bool {
        false
    }
}

/// Writes a whole trace.
///
/// # Errors
/// [`WriteError`] if `out` does not take it, or if the format cannot express it.
pub fn write(trace: &Trace, writer: &dyn Writer, out: &mut dyn Write) -> Result<(), WriteError> {
    write_watched(trace, writer, out, &Steps::default())
}

/// As [`write()`]; a step is an action.
///
/// # Errors
/// As for [`write()`].
pub fn write_watched(trace: &Trace, writer: &dyn Writer, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
    steps.expect(trace.total_actions());
    let notes: Vec<String> = trace.warnings.iter().map(ToString::to_string).collect();
    writer.head(trace.ranks(), &notes, out)?;
    writer.part(trace, 0, trace.ranks(), out, steps)?;
    writer.tail(trace.ranks(), trace.total_actions(), out)
}

/// The format in which a file of that name is written: time-independent text, unless the name ends like another one.
/// That may be one that is only read.
pub fn format_for(file: &Path) -> &'static Format {
    let (_, stem) = Packing::split(file);
    // The longest end decides: `.goal.bin` is another format than `.bin`.
    let ends = FORMATS.iter().flat_map(|format| format.extensions.iter().map(move |end| (*format, end)));
    let named = ends.filter(|(_, end)| without_end(&stem, end).is_some()).max_by_key(|(_, end)| end.len());
    named.map_or(&super::ti::FORMAT, |(format, _)| format)
}

/// What writes a file of that name: time-independent text, unless the name ends like another format that is written.
pub fn writer_for(file: &Path) -> &'static dyn Writer {
    format_for(file).writer.unwrap_or(&super::ti::Text)
}

/// How an output is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// By zstd.
    Zstd,
    /// By gzip.
    Gzip,
    /// By xz.
    Xz,
}

impl Packing {
    /// What the end of a file's name asks for.
    pub fn of(file: &Path) -> Packing {
        Packing::split(file).0
    }

    fn split(file: &Path) -> (Packing, String) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let known = [(".zst", Packing::Zstd), (".zstd", Packing::Zstd), (".gz", Packing::Gzip), (".xz", Packing::Xz)];
        for (extension, packing) in known {
            if let Some(stem) = without_end(&name, extension) {
                return (packing, stem.to_owned());
            }
        }
        (Packing::Plain, name)
    }

    /// Lets `write` write into `out` through this packing.
    ///
    /// # Errors
    /// What `write` says, or what `out` does.
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
