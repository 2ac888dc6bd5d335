//! The classic form: numbers, in the order of nested tables, with comments from `#` to the end of a line.

use super::algorithms;
use super::operations::OPERATIONS;
use super::rules::{Parameters, RankRule, RuleFile, RuleFileError, SizeRule, Spread};
use crate::excerpt::excerpt;
use std::iter::Peekable;
use std::vec::IntoIter;

/// First line of files with more than the three values of version 1.
const VERSION: &str = "rule-file-version-";

/// Words of a file, with their places.
struct Words<'a> {
    words: Peekable<IntoIter<Word<'a>>>,
    /// Place behind the last word that was taken.
    end: (usize, usize),
}

#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

impl Word<'_> {
    fn wrong(self, message: String) -> RuleFileError {
        RuleFileError { line: self.line, column: self.column, message }
    }
}

impl<'a> Words<'a> {
    fn new(text: &'a str) -> Self {
        let words = text.lines().enumerate().flat_map(|(index, line)| {
            let code = line.split('#').next().unwrap_or("");
            code.split_ascii_whitespace().map(move |text| Word {
                text,
                line: index + 1,
                column: text.as_ptr() as usize - line.as_ptr() as usize + 1,
            })
        });
        Self { words: words.collect::<Vec<_>>().into_iter().peekable(), end: (1, 1) }
    }

    fn next(&mut self, what: &str) -> Result<Word<'a>, RuleFileError> {
        let word = self.words.next().ok_or_else(|| {
            let (line, column) = self.end;
            RuleFileError { line, column, message: format!("the file ends where {what} should follow") }
        })?;
        self.end = (word.line, word.column + word.text.len());
        Ok(word)
    }

    /// Returns the next number, which is called `what` in messages.
    fn number(&mut self, what: &str) -> Result<(u64, Word<'a>), RuleFileError> {
        let word = self.next(what)?;
        Ok((number(word, what)?, word))
    }

    /// Returns the next number if it stands on this line.
    fn number_on(&mut self, line: usize, what: &str) -> Result<Option<u64>, RuleFileError> {
        match self.words.peek() {
            Some(word) if word.line == line => self.number(what).map(|(number, _)| Some(number)),
            _ => Ok(None),
        }
    }
}

fn number(word: Word<'_>, what: &str) -> Result<u64, RuleFileError> {
    let text = word.text;
    // Open MPI reads them as C does.
    if text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(word.wrong(format!(
            "`{}`: Open MPI reads a number with a leading 0 as octal; leave the 0 out",
            excerpt(text)
        )));
    }
    let value = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    // Open MPI keeps them in a `long`.
    value
        .filter(|&value| i64::try_from(value).is_ok())
        .ok_or_else(|| word.wrong(format!("{what} is `{}`, not a whole number from 0 on", excerpt(text))))
}

/// Reads the text of a file.
pub(super) fn parse(text: &str) -> Result<RuleFile, RuleFileError> {
    let mut words = Words::new(text);
    let mut version = 1;
    if let Some(word) = words.words.next_if(|word| word.text.starts_with(VERSION)) {
        let digits = Word { text: &word.text[VERSION.len()..], column: word.column + VERSION.len(), ..word };
        version = number(digits, "the version")?;
        if !(1..=2).contains(&version) {
            return Err(digits.wrong(format!("version {version} of rule files is not known; 1 and 2 are")));
        }
    }
    let mut file = RuleFile::empty();
    let (operations, word) = words.number("the number of collectives")?;
    if operations > OPERATIONS.len() as u64 {
        return Err(word.wrong(format!("{operations} collectives are more than the {} there are", OPERATIONS.len())));
    }
    for _ in 0..operations {
        let (id, word) = words.number("the ID of a collective")?;
        let Some(&(name, kind)) = usize::try_from(id).ok().and_then(|id| OPERATIONS.get(id)) else {
            return Err(word.wrong(format!("no collective has the ID {id}; IDs are 0 to {}", OPERATIONS.len() - 1)));
        };
        let rules = of_operation(&mut words, name, version, |id, word| {
            let Some(kind) = kind else { return Ok(algorithms::RuleChoice::Table) };
            let known = algorithms::of(kind);
            let run = usize::try_from(id).ok().and_then(|id| known.get(id)).map(|known| known.1);
            run.ok_or_else(|| word.wrong(format!("{name} has no algorithm {id}; IDs are 0 to {}", known.len() - 1)))
        })?;
        if let Some(kind) = kind {
            if !file.operations[kind as usize].is_empty() {
                return Err(word.wrong(format!("{name} (ID {id}) has rules twice")));
            }
            file.operations[kind as usize] = rules;
        }
    }
    match words.words.next() {
        Some(word) => {
            Err(word.wrong(format!("the {operations} collectives of the file end before this; is their number right?")))
        }
        None => Ok(file),
    }
}

/// Reads the rules of an operation; `find` returns the algorithm with a number.
fn of_operation<'a>(
    words: &mut Words<'a>,
    name: &str,
    version: u64,
    find: impl Fn(u64, Word<'a>) -> Result<algorithms::RuleChoice, RuleFileError>,
) -> Result<Vec<RankRule>, RuleFileError> {
    let (sets, _) = words.number("the number of communicator sizes")?;
    let mut rules: Vec<RankRule> = Vec::new();
    for _ in 0..sets {
        let (ranks, word) = words.number("a communicator size")?;
        // The rule with the nearest size at or below that of the communicator applies, and the first one below all sizes
        // (documentation, and releases 4 and 5; the main branch of August 2026 moves every set to the sizes below it).
        if let Some(before) = rules.last_mut() {
            if before.ranks.0 >= ranks {
                return Err(word.wrong(format!("{name}: communicator sizes have to rise")));
            }
            before.ranks.1 = ranks - 1;
        }
        let sizes = of_size(words, name, version, &find)?;
        rules.push(RankRule { ranks: (ranks, u64::MAX), spread: Spread::Any, sizes });
    }
    if let Some(first) = rules.first_mut() {
        first.ranks.0 = 0;
    }
    Ok(rules)
}

fn of_size<'a>(
    words: &mut Words<'a>,
    name: &str,
    version: u64,
    find: &impl Fn(u64, Word<'a>) -> Result<algorithms::RuleChoice, RuleFileError>,
) -> Result<Vec<SizeRule>, RuleFileError> {
    let (count, _) = words.number("the number of message sizes")?;
    let mut sizes: Vec<SizeRule> = Vec::new();
    for _ in 0..count {
        let (bytes, word) = words.number("a message size")?;
        match sizes.last_mut() {
            None if bytes > 0 => {
                return Err(word.wrong(format!("{name}: the first message size is {bytes}; it has to be 0")));
            }
            Some(before) if before.bytes.0 >= bytes => {
                return Err(word.wrong(format!("{name}: message sizes have to rise")));
            }
            Some(before) => before.bytes.1 = bytes - 1,
            None => {}
        }
        let (id, at) = words.number("an algorithm")?;
        let run = find(id, at)?;
        let (fan_out, _) = words.number("a fan-out (topo)")?;
        let (segment, last) = words.number("a segment size")?;
        let requests = if version > 1 { words.number_on(last.line, "the number of requests")? } else { None };
        let run = run.with_fan_out(fan_out);
        let tuning = Parameters { fan_out, segment, requests: requests.unwrap_or(0) }.tuning(run);
        sizes.push(SizeRule { bytes: (bytes, u64::MAX), run, tuning });
    }
    Ok(sizes)
}
