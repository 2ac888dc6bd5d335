//! Lookup of the line of an action, for messages of the replay.
//!
//! Storing a line number for each action would add half to the memory of a trace, for errors that stop the run anyway;
//! instead, the file is read again when an error occurs. This works since every line of a rank produces exactly one
//! action, except declarations of a communicator.

use std::path::Path;

use super::keyword::Keyword;
use super::number::{leading_rank, skip_blanks, split_word};
use crate::trace::blocks::Blocks;
use crate::trace::error::shorten;
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
