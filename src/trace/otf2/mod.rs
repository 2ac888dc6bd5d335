//! OTF2 traces, as Score-P and others record them, through the text that `otf2-print -A` writes.
//!
//! OTF2 itself is an archive of many files with a layout that only its library reads; its program prints all of it. That text
//! is read line by line. What an event is told of is what its region in the library did: sends and receives with their
//! partners, collectives with the bytes of each rank in all, not with its counts. So collectives whose ranks give different
//! amounts are replayed with the mean of them, which is noted.

mod attributes;
mod collectives;
mod definitions;
mod events;
#[cfg(test)]
pub(super) mod tests;

use std::path::{Path, PathBuf};

use self::definitions::Definitions;
use self::events::Events;
use super::blocks::Blocks;
use super::calls::{At, located};
use super::error::{TraceError, TraceErrorKind as Kind, shorten};
use super::format::{Format, Input, MOST_RANKS};
use super::{Options, Trace};

/// The title of the text.
const TITLE: &[u8] = b"=== OTF2-PRINT ===";

/// The format.
pub(super) static FORMAT: Format = Format {
    name: "OTF2 text",
    extensions: &[".otf2.txt"],
    writer: None,
    recognises: |head| head.trim_ascii_start().starts_with(TITLE),
    read,
    read_files: None,
};

/// Where the reader is.
enum Part<'o> {
    /// Before the events.
    Definitions(Definitions),
    Events(Box<Events<'o>>),
}

fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, .. } = input;
    let file = source.file().to_path_buf();
    let mut reader = Reader { file: file.clone(), line: 0, part: Part::Definitions(Definitions::default()), options };
    let last = Blocks::new(source).each_line(budget, |number, line| {
        reader.line = number;
        reader.take(line)
    })?;
    let at = At::Line(last);
    match reader.part {
        Part::Events(events) => events.finish(name, &file, at),
        Part::Definitions(_) => Err(reader.error("there are no events", WITH_ALL)),
    }
}

const WITH_ALL: &str = "write the text with `otf2-print -A traces.otf2`, which prints definitions and events";

struct Reader<'o> {
    file: PathBuf,
    line: u64,
    part: Part<'o>,
    options: &'o Options,
}

impl Reader<'_> {
    fn error(&self, problem: impl Into<String>, help: &'static str) -> TraceError {
        error(&self.file, self.line, problem, help)
    }

    fn take(&mut self, line: &[u8]) -> Result<(), TraceError> {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"---") {
            return Ok(());
        }
        if line.starts_with(b"===") {
            if line.starts_with(b"=== Events ")
                && let Part::Definitions(definitions) = &mut self.part
            {
                let definitions = std::mem::take(definitions);
                match definitions.ranks() {
                    0 => return Err(self.error("the ranks of MPI are not defined in front of the events", WITH_ALL)),
                    1..=MOST_RANKS if definitions.ticks.is_some() => {}
                    1..=MOST_RANKS => return Err(self.error("the clock is not defined", WITH_ALL)),
                    ranks => return Err(self.error(format!("{ranks} ranks are too many"), "check the trace")),
                }
                self.part = Part::Events(Box::new(Events::new(definitions, self.options)));
            }
            return Ok(());
        }
        let end = line.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(line.len());
        let (keyword, rest) = line.split_at(end);
        let understood = match &mut self.part {
            Part::Definitions(definitions) => definitions.line(keyword, rest),
            Part::Events(events) => events.line(keyword, rest, &self.file, self.line)?,
        };
        if !understood {
            let text = shorten(line);
            return Err(TraceError { text, ..self.error("the line is not as otf2-print writes it", WITH_ALL) });
        }
        Ok(())
    }
}

fn error(file: &Path, line: u64, problem: impl Into<String>, help: &'static str) -> TraceError {
    located(file, At::Line(line), Kind::format("OTF2 text", problem, help))
}
