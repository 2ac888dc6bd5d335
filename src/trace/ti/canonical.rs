//! Fast path for lines as tracers write them: one blank between words, plain digits, nothing after the last argument.
//!
//! Nearly all lines of a large trace are computations, messages or waits of this form. They are read in one pass over
//! their bytes, without searching for the end of the line first. Anything slightly unusual, or wrong, is left to the
//! parsers that know all forms and all errors; tests compare both.

use crate::trace::{Action, Datatype};

/// Required end of a number.
#[derive(Clone, Copy)]
enum Then {
    Blank,
    LineEnd,
}

/// Longest canonical line. Its text is an array of this size, a power of two: an index is then masked instead of
/// compared, and one check at the end detects whether the mask ever changed one.
const LONGEST: usize = 64;

/// Reads words from the front of a text.
struct WordCursor<'a> {
    text: &'a [u8; LONGEST],
    at: usize,
}

impl WordCursor<'_> {
    /// Reads a number of 1 to 15 digits, which is also exact as a float, and the byte after it.
    #[inline(always)]
    fn number(&mut self, then: Then) -> Option<u64> {
        let mut value = 0u64;
        let start = self.at;
        loop {
            let byte = self.text[self.at % LONGEST];
            self.at += 1;
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                let wanted = match then {
                    Then::Blank => b' ',
                    Then::LineEnd => b'\n',
                };
                let digits = self.at - 1 - start;
                return (byte == wanted && digits.wrapping_sub(1) < 15).then_some(value);
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
        }
    }

    /// Reads a number that fits 31 bits: a rank, a tag, a count.
    #[inline(always)]
    fn integer(&mut self, then: Then) -> Option<u32> {
        self.number(then).filter(|value| *value <= i32::MAX as u64).map(|value| value as u32)
    }

    /// Reads a word, if it is next.
    #[inline(always)]
    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.text.get(self.at..self.at + word.len()).is_some_and(|found| found == word).then(|| self.at += word.len())
    }

    /// Reads partner, tag, count and type of a message.
    #[inline(always)]
    fn message(&mut self) -> Option<(u32, i32, u32, Datatype)> {
        let partner = self.integer(Then::Blank)?;
        let tag = self.integer(Then::Blank)? as i32;
        let count = self.integer(Then::Blank)?;
        let datatype = Datatype::from_id(i64::from(self.integer(Then::LineEnd)?))?;
        Some((partner, tag, count, datatype))
    }
}

/// A canonical line.
pub(super) struct CanonicalLine {
    /// Number of bytes, including the line end.
    pub length: usize,
    pub rank: u32,
    /// The largest rank that the action names.
    pub partner: u32,
    pub action: Action,
}

/// Returns the line at the front of a text, if it is a canonical one.
#[inline]
pub(super) fn line(text: &[u8]) -> Option<CanonicalLine> {
    let text: &[u8; LONGEST] = text.first_chunk()?;
    // A line end in the array terminates every loop over its bytes. In this form, it is a few vector instructions.
    if !text.iter().fold(false, |found, byte| found | (*byte == b'\n')) {
        return None;
    }
    let mut line = WordCursor { text, at: 0 };
    let rank = line.integer(Then::Blank)?;
    // SimGrid compares ranks as text, so a leading zero matters.
    if text[0] == b'0' && line.at != 2 {
        return None;
    }
    let (partner, action) = match text[line.at % LONGEST] {
        b'c' => {
            line.word(b"compute ")?;
            (0, Action::Compute { flops: line.number(Then::LineEnd)? as f64 })
        }
        b's' => {
            line.word(b"send ")?;
            let (to, tag, count, datatype) = line.message()?;
            (to, Action::Send { to, tag, count, datatype })
        }
        b'r' => {
            line.word(b"recv ")?;
            let (from, tag, count, datatype) = line.message()?;
            (from, Action::Recv { from, tag, count, datatype })
        }
        b'i' if line.word(b"isend ").is_some() => {
            let (to, tag, count, datatype) = line.message()?;
            (to, Action::Isend { to, tag, count, datatype })
        }
        b'i' => {
            line.word(b"irecv ")?;
            let (from, tag, count, datatype) = line.message()?;
            (from, Action::Irecv { from, tag, count, datatype })
        }
        b'w' if line.word(b"wait ").is_some() => {
            let source = line.integer(Then::Blank)?;
            let destination = line.integer(Then::Blank)?;
            let tag = line.integer(Then::LineEnd)? as i32;
            (source.max(destination), Action::Wait { source, destination, tag })
        }
        b'w' => {
            line.word(b"waitall ")?;
            line.integer(Then::LineEnd)?;
            (0, Action::WaitAll)
        }
        _ => return None,
    };
    (line.at <= LONGEST).then_some(CanonicalLine { length: line.at, rank, partner, action })
}
