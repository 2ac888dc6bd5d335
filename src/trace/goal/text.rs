//! GOAL text.

use crate::excerpt::excerpt_of_bytes;
use std::path::{Path, PathBuf};

use super::graph::{GraphOperation, MOST, NO_WILDCARDS, ONE_SIDED};
use super::labels::Labels;
use super::schedule::{Schedule, trace};
use crate::trace::Trace;
use crate::trace::blocks::Blocks;
use crate::trace::calls::{FilePosition, located};
use crate::trace::error::{TraceError, TraceErrorKind};
use crate::trace::format::{Input, MOST_RANKS};
use crate::trace::schedule::OperationKind;
use crate::trace::source::HEAD;

/// Returns `true` if the first word outside comments is `num_ranks`, or is hidden by a long comment: no other format
/// begins like that.
pub(super) fn recognises(head: &[u8]) -> bool {
    let (mut comment, mut kept) = (false, Vec::new());
    for line in head.split(|&byte| byte == b'\n') {
        without_comments(line, &mut comment, &mut kept);
        if let Some(word) = words(&kept).next() {
            return word == b"num_ranks";
        }
    }
    let start = head.trim_ascii_start();
    head.len() >= HEAD && (start.starts_with(b"//") || start.starts_with(b"/*"))
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// Copies the part of a line outside comments; `comment` is `true` inside a multi-line comment.
fn without_comments(line: &[u8], comment: &mut bool, kept: &mut Vec<u8>) {
    kept.clear();
    let mut at = 0;
    while at < line.len() {
        let rest = &line[at..];
        if *comment {
            if rest.starts_with(b"*/") {
                *comment = false;
                at += 2;
            } else {
                at += 1;
            }
        } else if rest.starts_with(b"/*") {
            *comment = true;
            at += 2;
        } else if rest.starts_with(b"//") {
            break;
        } else {
            // Signs that need no surrounding blanks.
            match line[at] {
                sign @ (b'{' | b'}' | b':') => kept.extend([b' ', sign, b' ']),
                byte => kept.push(byte),
            }
            at += 1;
        }
    }
}

pub(super) fn read(input: Input<'_, '_>) -> Result<Trace, TraceError> {
    let Input { source, budget, name, options, .. } = input;
    let file = source.file().to_path_buf();
    let mut reader = GoalTextReader {
        file: file.clone(),
        line: 0,
        schedule: Schedule::new(options, FilePosition::Line),
        seen: Vec::new(),
        rank: None,
        labels: Labels::default(),
    };
    let (mut comment, mut kept) = (false, Vec::new());
    let read = Blocks::new(source).each_line(budget, |number, line| {
        reader.line = number;
        without_comments(line, &mut comment, &mut kept);
        reader.take(&kept)
    });
    match read {
        // After the `}` of the last rank nothing can be missing but a line end.
        Err(error) if matches!(error.kind, TraceErrorKind::CutOff) && reader.is_complete() => {}
        read => drop(read?),
    }
    if let Some(rank) = reader.rank {
        return Err(reader.error(format!("rank {rank} is not closed by `}}`"), "the file may be cut off"));
    }
    if let Some(rank) = reader.seen.iter().position(|seen| !seen) {
        let ranks = reader.seen.len();
        return Err(reader.error(format!("rank {rank} of {ranks} is not there"), "the file may be cut off"));
    }
    trace(reader.schedule, name, &file, options)
}

struct GoalTextReader {
    file: PathBuf,
    line: u64,
    schedule: Schedule,
    seen: Vec<bool>,
    /// The rank whose operations are read.
    rank: Option<usize>,
    labels: Labels,
}

/// Operations of LogGOPSim2, for one-sided communication.
const OPERATIONS_2: [&[u8]; 4] = [b"put", b"tput", b"append", b"test"];

const GRAMMAR: &str = "write `LABEL: send 8b to 1 tag 0`, `recv 8b from 0`, `calc 100` or `LABEL requires LABEL`";

impl GoalTextReader {
    /// Returns `true` if all ranks are defined and closed.
    fn is_complete(&self) -> bool {
        self.rank.is_none() && !self.seen.is_empty() && self.seen.iter().all(|&seen| seen)
    }

    fn error(&self, problem: impl Into<String>, help: &'static str) -> TraceError {
        error(&self.file, self.line, problem, help)
    }

    fn number<T: std::str::FromStr>(&self, word: Option<&[u8]>, what: &str) -> Result<T, TraceError> {
        let digits = word.filter(|word| word.iter().all(u8::is_ascii_digit));
        let value = digits.and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
        value.ok_or_else(|| {
            let said = word.map(|word| format!(", not `{}`", excerpt_of_bytes(word))).unwrap_or_default();
            self.error(format!("{what} is expected here{said}"), GRAMMAR)
        })
    }

    fn take(&mut self, line: &[u8]) -> Result<(), TraceError> {
        let mut words = words(line).peekable();
        let Some(&first) = words.peek() else { return Ok(()) };
        match (first, self.rank) {
            (b"num_ranks", None) if self.seen.is_empty() => {
                words.next();
                let ranks: usize = self.number(words.next(), "the number of ranks")?;
                if !(1..=MOST_RANKS).contains(&ranks) {
                    return Err(self.error(format!("{ranks} ranks; a trace has 1 to {MOST_RANKS}"), "check the file"));
                }
                self.schedule.set_ranks(ranks);
                self.seen.resize(ranks, false);
            }
            (b"rank", None) => {
                words.next();
                let rank: usize = self.number(words.next(), "the number of a rank")?;
                match self.seen.get_mut(rank) {
                    Some(seen) if !*seen => *seen = true,
                    Some(_) => return Err(self.error(format!("rank {rank} is there twice"), "give it once")),
                    None => {
                        let ranks = self.seen.len();
                        return Err(self.error(format!("there is no rank {rank} of {ranks}"), "ranks count from 0"));
                    }
                }
                if words.next() != Some(b"{") {
                    return Err(self.error("`{` is expected behind the rank", "write `rank 0 {`"));
                }
                self.rank = Some(rank);
            }
            (b"}", Some(rank)) => {
                words.next();
                self.rank = None;
                self.schedule.close(rank);
                self.labels.clear();
            }
            (_, Some(_)) => return self.operation(line),
            _ => {
                return Err(self
                    .error(format!("`{}` is not expected here", excerpt_of_bytes(first)), "begin with `num_ranks N`"));
            }
        }
        self.end(words.next())
    }

    fn label(&self, word: Option<&[u8]>) -> Result<u32, TraceError> {
        let word = word.ok_or_else(|| self.error("a label is expected here", GRAMMAR))?;
        self.labels.get(word).ok_or_else(|| {
            self.error(
                format!("there is no label `{}` before this line", excerpt_of_bytes(word)),
                "labels are those of the rank",
            )
        })
    }

    fn operation(&mut self, line: &[u8]) -> Result<(), TraceError> {
        let mut words = words(line).peekable();
        let mut word = words.next();
        let mut label = None;
        if words.peek() == Some(&&b":"[..]) {
            label = word;
            words.next();
            word = words.next();
        } else if let Some(kind @ (b"requires" | b"irequires")) = words.peek().copied() {
            words.next();
            let later = self.label(word)?;
            let earlier = self.label(words.next())?;
            if !self.schedule.edge(later, earlier, kind == b"irequires") {
                return Err(self.error(format!("a rank has more than {MOST} dependencies"), "split the trace"));
            }
            return self.end(words.next());
        }
        let kind = match word {
            Some(b"send") => OperationKind::Send,
            Some(b"recv") => OperationKind::Receive,
            Some(b"calc") => OperationKind::Calculate,
            Some(other) if OPERATIONS_2.contains(&other) => {
                let problem =
                    format!("`{}` is an operation of LogGOPSim2, which is not replayed", excerpt_of_bytes(other));
                return Err(self.error(problem, ONE_SIDED));
            }
            other => {
                let said = excerpt_of_bytes(other.unwrap_or_default());
                return Err(self.error(format!("`{said}` is no operation"), GRAMMAR));
            }
        };
        let mut operation = GraphOperation { kind, cpu: 0, nic: 0, peer: 0, tag: 0, size: 0, at: self.line };
        if kind == OperationKind::Calculate {
            operation.size = self.number(words.next(), "an amount of nanoseconds")?;
        } else {
            let size = words.next();
            let bytes = size.and_then(|word| word.strip_suffix(b"b"));
            operation.size = self.number(bytes.or(size), "a size in bytes, such as 8b,")?;
            if bytes.is_none() && words.next() != Some(b"b") {
                return Err(self.error("the size has no `b` behind it", GRAMMAR));
            }
            let preposition: &[u8] = if kind == OperationKind::Send { b"to" } else { b"from" };
            if words.next() != Some(preposition) {
                let text = String::from_utf8_lossy(preposition).into_owned();
                return Err(self.error(format!("`{text}` is expected behind the size"), GRAMMAR));
            }
            let peer = words.next();
            if peer == Some(b"-1") {
                return Err(self.error("a receive from any source cannot be replayed", NO_WILDCARDS));
            }
            operation.peer = self.number(peer, "a rank")?;
            if operation.peer as usize >= self.schedule.ranks() {
                let ranks = self.schedule.ranks();
                return Err(self.error(format!("there is no rank {} of {ranks}", operation.peer), "ranks count from 0"));
            }
        }
        while let Some(word) = words.next() {
            match word {
                b"tag" if kind != OperationKind::Calculate && words.peek() == Some(&&b"-1"[..]) => {
                    return Err(self.error("a receive of any tag cannot be replayed", NO_WILDCARDS));
                }
                b"tag" if kind != OperationKind::Calculate => operation.tag = self.number(words.next(), "a tag")?,
                b"cpu" => operation.cpu = self.number(words.next(), "the number of a core")?,
                b"nic" => operation.nic = self.number(words.next(), "the number of a network card")?,
                other => return self.end(Some(other)),
            }
        }
        let Some(number) = self.schedule.push(&operation) else {
            return Err(self.error(format!("a rank has more than {MOST} operations"), "split the trace"));
        };
        if let Some(label) = label
            && !self.labels.insert(label, number)
        {
            return Err(self
                .error(format!("the label `{}` is there twice", excerpt_of_bytes(label)), "give each its own label"));
        }
        Ok(())
    }

    fn end(&self, word: Option<&[u8]>) -> Result<(), TraceError> {
        match word {
            None => Ok(()),
            Some(word) => Err(self.error(format!("`{}` is not expected here", excerpt_of_bytes(word)), GRAMMAR)),
        }
    }
}

fn error(file: &Path, line: u64, problem: impl Into<String>, help: &'static str) -> TraceError {
    located(file, FilePosition::Line(line), TraceErrorKind::format("GOAL", problem, help))
}
