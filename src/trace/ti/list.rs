//! Lists of trace files, and their distinction from traces.

use crate::excerpt::excerpt_of_bytes;
use std::path::{Path, PathBuf};

use super::number::{is_blank, skip_blanks, split_word};
use crate::trace::blocks::{Block, End, LONGEST_LINE};
use crate::trace::error::{TraceError, TraceErrorKind as Kind};

/// Kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Content {
    Trace,
    List,
}

/// Decides by the first line that is neither blank nor a comment; `None` if there is none.
///
/// A trace begins with digits and a second word of letters and underscores (`0 init`). Anything else is a path. A file
/// name with such a beginning, like `0 init`, would have to be written with its folder (`./0 init`).
pub(super) fn content(text: &[u8]) -> Option<Content> {
    let line =
        text.split(|&byte| byte == b'\n').map(skip_blanks).find(|line| !matches!(line.first(), None | Some(b'#')))?;
    let (first, rest) = split_word(line);
    let (second, _) = split_word(rest);
    let is_rank = first.iter().all(u8::is_ascii_digit);
    let is_action = !second.is_empty() && second.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    Some(if is_rank && is_action { Content::Trace } else { Content::List })
}

/// A path of a list.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct ListedPath {
    pub path: PathBuf,
    pub line: u64,
}

/// The paths of a list, with their line numbers.
#[derive(Default)]
pub(super) struct PathList {
    pub entries: Vec<ListedPath>,
    lines: u64,
}

impl PathList {
    /// Processes the lines of a block. A path is a whole line without the blanks around it; a last line without a line
    /// end is a path like any other.
    pub fn block(&mut self, file: &Path, block: &Block<'_>) -> Result<(), TraceError> {
        let text = block.text.strip_suffix(b"\n").unwrap_or(block.text);
        for line in text.split(|&byte| byte == b'\n') {
            self.lines += 1;
            let error = |kind| TraceError { line: Some(self.lines), column: Some(1), ..TraceError::whole(file, kind) };
            if block.end == End::TooLong {
                return Err(error(Kind::LineTooLong { limit: LONGEST_LINE }));
            }
            let line = trim(line);
            if matches!(line.first(), None | Some(b'#')) {
                continue;
            }
            match std::str::from_utf8(line) {
                Ok(path) if !path.contains(char::is_control) => {
                    self.entries.push(ListedPath { path: path.into(), line: self.lines });
                }
                _ => return Err(TraceError { text: excerpt_of_bytes(line), ..error(Kind::NotText) }),
            }
        }
        Ok(())
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let line = skip_blanks(line);
    let end = line.iter().rposition(|&byte| !is_blank(byte)).map_or(0, |last| last + 1);
    &line[..end]
}

impl ListedPath {
    /// Creates an error at this line of the list. Any text file can be passed as a list, even a secret one: text that
    /// does not look like a path is not shown.
    pub fn error(&self, list: &Path, kind: Kind) -> TraceError {
        let bytes = self.path.as_os_str().as_encoded_bytes();
        let of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/-_.+%@~ ".contains(byte) || *byte >= 0x80;
        let text = if bytes.iter().all(of_path) { excerpt_of_bytes(bytes) } else { String::new() };
        TraceError { line: Some(self.line), text, ..TraceError::whole(list, kind) }
    }
}

/// The folder that must contain the files of a list: an untrusted list must not cause reading of other files, by `..`,
/// by an absolute path or by a link, nor endless waiting for a pipe or a device.
pub(super) struct Home {
    /// The folder of the list, for paths relative to it; `None` for a stream.
    folder: Option<PathBuf>,
    /// That folder with links resolved; `None` if files may be anywhere.
    inside: Option<PathBuf>,
}

impl Home {
    /// Returns the folder of a list, or the current one.
    pub fn of(folder: Option<&Path>, anywhere: bool) -> Home {
        let here = Path::new(".");
        let from = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(here);
        let inside = if anywhere { None } else { Some(from.canonicalize().unwrap_or_else(|_| from.to_path_buf())) };
        Home { folder: folder.map(Path::to_path_buf), inside }
    }

    /// Returns the file of an entry: relative to the current directory, otherwise to the folder of the list.
    pub fn path(&self, list: &Path, entry: &ListedPath) -> Result<PathBuf, TraceError> {
        let beside = self.folder.as_ref().map(|folder| folder.join(&entry.path));
        let path = match beside {
            Some(beside) if !entry.path.exists() && beside.exists() => beside,
            _ => entry.path.clone(),
        };
        let Some(inside) = &self.inside else { return Ok(path) };
        // A file that does not exist is refused when it is opened.
        let Ok(real) = path.canonicalize() else { return Ok(path) };
        if !real.starts_with(inside) {
            return Err(entry.error(list, Kind::Outside { reason: "outside its own folder" }));
        }
        if !real.is_file() {
            return Err(entry.error(list, Kind::Outside { reason: "that is no regular file" }));
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_meaningful_line_decides() {
        for trace in ["0 init", "# x\n\n \t\r\n  17\tcompute 1e9\n", "3 Isend 1", "0 comm_size 4", "01 x"] {
            assert_eq!(content(trace.as_bytes()), Some(Content::Trace), "{trace:?}");
        }
        for list in
            ["trace.txt", "0", "12 runs/rank0.txt", "# 0 init\nrank0.txt\n", "./0 init", "0 init.txt", "-1 init"]
        {
            assert_eq!(content(list.as_bytes()), Some(Content::List), "{list:?}");
        }
        assert_eq!(content(b""), None);
        assert_eq!(content(b"# nothing\n\n"), None);
    }

    #[test]
    fn paths_are_whole_lines() {
        let mut list = PathList::default();
        let text = b"# ranks\n a b.txt \r\n\n0.txt\n";
        list.block(Path::new("l"), &Block { text, end: End::Line }).unwrap();
        list.block(Path::new("l"), &Block { text: b"c", end: End::File }).unwrap();
        let entry = |path: &str, line| ListedPath { path: path.into(), line };
        assert_eq!(list.entries, [entry("a b.txt", 2), entry("0.txt", 4), entry("c", 5)]);
        let error = list.block(Path::new("l"), &Block { text: b"a\n\x7fELF\x01\n", end: End::Line }).unwrap_err();
        assert_eq!(error.line, Some(7));
    }
}
