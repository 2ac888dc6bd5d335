//! Lookup of the line of an action, for messages of the replay.
//!
//! Storing a line number for each action would add half to the memory of a trace, for errors that stop the run anyway;
//! instead, the file is read again when an error occurs. This works since every line of a rank produces exactly one
//! action, except declarations of a communicator.

use std::path::Path;

use super::keyword::Keyword;
use super::number::{leading_rank, skip_blanks, split_word};
use crate::trace::blocks::Blocks;
use crate::trace::source::{Budget, Source};
use crate::trace::{Origin, SourceLine, Trace};

impl Trace {
    /// Returns the line from which action `index` of a rank was read, or whose call recorded it; `None` if the trace is
    /// from neither file nor program, or if that has changed.
    pub fn locate(&self, rank: usize, index: usize) -> Option<SourceLine> {
        match &self.origin {
            Origin::None => None,
            Origin::TiMerged(file) => find(file, rank, index),
            Origin::TiPerRank(files) => find(files.get(rank)?, rank, index),
            Origin::Program(program) => program.0.locate(rank, index),
        }
    }
}

fn find(file: &Path, rank: usize, index: usize) -> Option<SourceLine> {
    // A pipe cannot be read twice, and opening one might wait forever.
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut budget = Budget::unlimited();
    let (mut before, mut found) = (0, None);
    let blocks = Blocks::new(Source::open(file).ok()?);
    // An error ends the search; the line may precede it.
    let _ = blocks.each_line(&mut budget, |line, text| {
        let words = skip_blanks(text);
        let Some((rest, first)) = leading_rank(words) else { return Ok(()) };
        if found.is_some() || first != rank as u64 || Keyword::find(split_word(rest).0) == Some(Keyword::Declare) {
            return Ok(());
        }
        if before == index {
            found = Some(SourceLine { file: file.into(), line, text: shorten(words.trim_ascii_end()) });
        }
        before += 1;
        Ok(())
    });
    found
}

/// Shortens a line for a message: at most 60 characters, without control characters. The trace was read, so the line is one
/// of a trace and no secret.
fn shorten(text: &[u8]) -> String {
    const MOST: usize = 60;
    let head = &text[..text.len().min(4 * MOST)];
    let readable = String::from_utf8_lossy(head);
    let mut short: String = readable.chars().take(MOST).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if head.len() < text.len() || readable.chars().nth(MOST).is_some() {
        short.push_str("...");
    }
    short
}
