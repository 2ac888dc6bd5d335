//! Conversion of lines to actions: the state that the lines of a trace share.

use crate::excerpt::excerpt_of_bytes;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::{memchr, memrchr};
use rustc_hash::{FxHashMap, FxHashSet};

use super::canonical;
use super::keyword::Keyword;
use super::line::{Broken, SourceLine};
use super::number::{Fault, leading_rank, skip_blanks, split_word};
use super::pending::PendingLines;
use super::refused::refusal;
use crate::trace::actions::Store;
use crate::trace::blocks::{Block, End, LONGEST_LINE};
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::format::MOST_RANKS;
use crate::trace::tables::{Full, Tables};
use crate::trace::{Actions, CollectiveKind, CommunicatorId, Datatype, Trace, TraceWarning};

/// Result of the parser of one line; the error is boxed to keep the success path small.
type Line<'a, T> = Result<T, Box<(Option<Keyword>, Broken<'a>)>>;
/// The largest rank named as a partner so far, kept until the number of ranks is known.
pub(super) struct Farthest {
    pub place: SourceLine,
    pub column: u32,
    pub text: String,
    pub role: &'static str,
}

/// Returns `true` if a line is a rank and an action without arguments, so that nothing of it can be cut off.
fn without_arguments(line: &[u8]) -> bool {
    let (_, rest) = split_word(line);
    let (word, rest) = split_word(rest);
    matches!(word, b"finalize" | b"barrier" | b"waitall" | b"fence") && skip_blanks(rest).is_empty()
}

/// State that the lines of SMPI's tracer share.
#[derive(Default)]
pub(super) struct Smpi {
    /// Collectives without a request that no wait has referred to yet, oldest first, by rank.
    pub collectives: FxHashMap<u32, Vec<(CollectiveKind, u32)>>,
    /// Place of the first of them.
    pub first: Option<SourceLine>,
    /// Started receives, whose source a wait will provide: actions by rank and tag.
    pub persistent: FxHashMap<(u32, i32), VecDeque<(usize, SourceLine)>>,
    /// `true` if there are receives of any tag.
    pub any_tag: bool,
    /// `true` if lines depend on others, so that none may take the fast path.
    pub seen: bool,
    /// Approximations: their number, and the first place.
    pub notes: Vec<(&'static str, u64, u32, SourceLine)>,
}

/// The communicators that lines have declared.
#[derive(Default)]
pub(super) struct DeclaredCommunicators {
    /// Communicators by number in the text.
    pub ids: FxHashMap<u32, CommunicatorId>,
    /// Ranks that are known to be members.
    pub members: FxHashSet<(u32, CommunicatorId)>,
    /// Communicator of the current line.
    pub current: CommunicatorId,
}

/// Reads blocks of lines and collects the actions.
pub(super) struct TraceBuilder {
    /// Number of ranks, if it is known in advance.
    pub ranks: Option<usize>,
    /// The rank whose own file is read; `None` in a merged file.
    own: Option<u32>,
    /// Partners from here on are too large, or at least larger than those seen so far.
    pub limit: usize,
    pub farthest: Option<Farthest>,
    /// All files, and the current place. `length` is that of the current line.
    pub files: Vec<PathBuf>,
    pub place: SourceLine,
    pub length: usize,
    pub streams: Vec<Actions>,
    /// The rank of the current line, if it is not a canonical one.
    pub rank_at_work: u32,
    pub smpi: Smpi,
    store: Arc<Store>,
    polls: bool,
    pub tables: Tables,
    pub declared: DeclaredCommunicators,
    pub pending: PendingLines,
    /// Type of elements of lines without a type, and the line that determined it.
    pub default: Option<(Datatype, SourceLine)>,
    /// Lines of other ranks in the current rank's file: the first, and their number.
    foreign: Option<(u64, u64)>,
    pub warnings: Vec<TraceWarning>,
    /// Reused by vector lines.
    pub scratch: [Vec<u32>; 2],
}

impl TraceBuilder {
    pub fn new(ranks: Option<usize>, store: Arc<Store>) -> TraceBuilder {
        TraceBuilder {
            ranks,
            own: None,
            limit: ranks.unwrap_or(0),
            farthest: None,
            files: Vec::new(),
            place: SourceLine { file: 0, line: 0 },
            length: 0,
            streams: (0..ranks.unwrap_or(0)).map(|_| Actions::in_store(&store)).collect(),
            rank_at_work: 0,
            smpi: Smpi::default(),
            store,
            polls: false,
            tables: Tables::default(),
            declared: DeclaredCommunicators::default(),
            pending: PendingLines::default(),
            default: None,
            foreign: None,
            warnings: Vec::new(),
            scratch: Default::default(),
        }
    }

    /// Starts a file; with a rank if it is that rank's own.
    pub fn start(&mut self, file: &Path, own: Option<u32>) {
        self.place = SourceLine { file: self.files.len() as u32, line: 0 };
        self.files.push(file.into());
        self.own = own;
        self.foreign = None;
    }

    /// Ends the file of a rank: an error if the rank has no line in it, a warning if other ranks have.
    pub fn end_own(&mut self) -> Result<(), TraceError> {
        let Some(rank) = self.own else { return Ok(()) };
        let foreign = self.foreign.unwrap_or_default();
        if self.streams[rank as usize].is_empty() {
            let kind = Kind::RankWithoutLines { rank: rank as usize, ranks: self.streams.len(), foreign: foreign.1 };
            return Err(TraceError { line: self.foreign.map(|f| f.0), ..TraceError::whole(self.file(), kind) });
        }
        if foreign.1 > 0 {
            let file = self.file().into();
            self.warnings.push(TraceWarning::ForeignLines { file, rank, first_line: foreign.0, lines: foreign.1 });
        }
        Ok(())
    }

    fn file(&self) -> &Path {
        &self.files[self.place.file as usize]
    }

    /// Processes the lines of a block.
    pub fn block(&mut self, block: &Block<'_>) -> Result<(), TraceError> {
        let text = block.text;
        let mut rest = text;
        // Lines before one with a NUL byte are read, so that the first error is the one reported.
        let nul = memchr(0, text);
        if let Some(nul) = nul {
            rest = &text[..memrchr(b'\n', &text[..nul]).map_or(0, |end| end + 1)];
        }
        let clean = rest.len();
        loop {
            if let Some(line) = canonical::line(rest)
                && self.takes(&line)
            {
                self.place.line += 1;
                self.streams[line.rank as usize].push(line.action);
                rest = &rest[line.length..];
                continue;
            }
            let Some(end) = memchr(b'\n', rest) else { break };
            self.place.line += 1;
            let line = &rest[..end];
            self.length = end;
            if let Err(broken) = self.line(line) {
                return Err(self.error(broken.0, broken.1));
            }
            rest = &rest[end + 1..];
        }
        if let Some(nul) = nul {
            self.place.line += 1;
            return Err(self.plain_error(nul - clean, &[], Kind::NotText));
        }
        match block.end {
            End::Line => Ok(()),
            End::TooLong => {
                self.place.line += 1;
                Err(self.plain_error(0, rest, Kind::LineTooLong { limit: LONGEST_LINE }))
            }
            End::File if matches!(skip_blanks(rest).first(), None | Some(b'#')) => Ok(()),
            End::File => {
                self.place.line += 1;
                self.length = rest.len();
                // A word may be cut off as well, but no complete word begins with another one of these.
                if without_arguments(rest) && self.line(rest).is_ok() {
                    return Ok(());
                }
                Err(self.plain_error(rest.len(), rest, Kind::CutOff))
            }
        }
    }

    /// Returns `true` if a canonical line only needs to be stored.
    #[inline]
    fn takes(&self, line: &canonical::CanonicalLine) -> bool {
        (line.rank as usize) < self.streams.len()
            && self.own.is_none_or(|own| line.rank == own)
            && (line.partner as usize) < self.limit
            && !self.smpi.seen
    }

    /// Processes one line, without its line end. Not part of the loop over canonical lines, which is faster alone.
    #[inline(never)]
    fn line<'a>(&mut self, line: &'a [u8]) -> Line<'a, ()> {
        let text = skip_blanks(line);
        if matches!(text.first(), None | Some(b'#')) {
            return Ok(());
        }
        let Some((rest, rank)) = self.rank(text)? else { return Ok(()) };
        let rest = skip_blanks(rest);
        let (word, arguments) = split_word(rest);
        let Some(keyword) = Keyword::find(word) else {
            let kind = match word {
                b"" => Kind::NoAction,
                _ => refusal(word).unwrap_or_else(|| Kind::UnknownAction { nearest: Keyword::nearest(word) }),
            };
            return Err(Box::new((None, Broken::Other { at: rest, kind })));
        };
        if matches!(keyword, Keyword::Declare | Keyword::On) {
            return self.communicator_line(rank, keyword, arguments);
        }
        self.keep(rank, keyword, arguments)
    }

    /// Processes a line that declares a communicator, or names that of its action.
    #[cold]
    fn communicator_line<'a>(&mut self, rank: u32, keyword: Keyword, arguments: &'a [u8]) -> Line<'a, ()> {
        let broken = |broken| Box::new((Some(keyword), broken));
        if keyword == Keyword::Declare {
            return self.declare(arguments).map_err(broken);
        }
        let (action, arguments) = self.on(rank, arguments).map_err(broken)?;
        let kept = self.keep(rank, action, arguments);
        self.declared.current = CommunicatorId::WORLD;
        kept
    }

    #[inline]
    fn keep<'a>(&mut self, rank: u32, keyword: Keyword, arguments: &'a [u8]) -> Line<'a, ()> {
        self.rank_at_work = rank;
        match self.action(keyword, arguments) {
            Ok(action) => {
                self.polls |= action.polls();
                self.streams[rank as usize].push(action);
                Ok(())
            }
            Err(broken) => Err(Box::new((Some(keyword), broken))),
        }
    }

    /// Reads the rank of a line, and creates its stream; `None` if the line is to be ignored.
    #[inline]
    fn rank<'a>(&mut self, text: &'a [u8]) -> Line<'a, Option<(&'a [u8], u32)>> {
        let number = leading_rank(text);
        match (number, self.own) {
            (Some((rest, rank)), None) if rank < self.streams.len() as u64 => Ok(Some((rest, rank as u32))),
            (Some((rest, rank)), Some(own)) if rank == u64::from(own) => Ok(Some((rest, own))),
            (_, Some(_)) => {
                let (_, lines) = self.foreign.get_or_insert((self.place.line, 0));
                *lines += 1;
                Ok(None)
            }
            (Some((rest, rank)), None) => self.new_rank(text, rank).map(|()| Some((rest, rank as u32))),
            (None, None) => Err(Box::new((None, Broken::Other { at: text, kind: Kind::NotARank }))),
        }
    }

    #[cold]
    fn new_rank<'a>(&mut self, at: &'a [u8], rank: u64) -> Line<'a, ()> {
        let broken = match self.ranks {
            Some(_) => Broken::Rank { at, role: "rank" },
            None if rank >= MOST_RANKS as u64 => Broken::Other { at, kind: Kind::TooManyRanks { limit: MOST_RANKS } },
            None => {
                self.streams.resize_with(rank as usize + 1, || Actions::in_store(&self.store));
                self.limit = self.limit.max(self.streams.len());
                return Ok(());
            }
        };
        Err(Box::new((None, broken)))
    }

    /// Returns the whole trace, once all lines are read.
    pub fn finish(mut self, name: String) -> Result<Trace, TraceError> {
        let ranks = self.streams.len();
        let first_file = self.files.first().cloned().unwrap_or_default();
        if self.streams.iter().all(Actions::is_empty) {
            return Err(TraceError::whole(first_file, Kind::Empty));
        }
        if let Some(rank) = self.streams.iter().position(Actions::is_empty) {
            return Err(TraceError::whole(first_file, Kind::RankWithoutLines { rank, ranks, foreign: 0 }));
        }
        if let Some(far) = self.farthest.take_if(|_| self.limit > ranks) {
            return Err(TraceError {
                line: Some(far.place.line),
                column: Some(far.column),
                text: far.text,
                ..TraceError::whole(
                    &*self.files[far.place.file as usize],
                    Kind::RankOutOfRange { role: far.role, ranks },
                )
            });
        }
        self.ranks = Some(ranks);
        self.limit = ranks;
        self.resolve_pending()?;
        self.finish_smpi()?;
        for stream in &mut self.streams {
            stream.shrink_to_fit();
        }
        Ok(Trace {
            name,
            actions: self.streams,
            warnings: self.warnings,
            known_polls: self.polls.into(),
            ..self.tables.into_trace()
        })
    }

    fn plain_error(&self, offset: usize, text: &[u8], kind: Kind) -> TraceError {
        TraceError {
            line: Some(self.place.line),
            column: Some(offset as u32 + 1),
            text: excerpt_of_bytes(text),
            ..TraceError::whole(self.file(), kind)
        }
    }

    /// Converts the reason that stopped the current line to an error.
    #[cold]
    pub fn error(&self, keyword: Option<Keyword>, broken: Broken<'_>) -> TraceError {
        let action = keyword.map_or("", Keyword::name);
        let (at, kind) = match broken {
            Broken::Fault(Fault { at, argument, problem }) => (at, Kind::Argument { action, argument, problem }),
            Broken::Rank { at, role } => (at, Kind::RankOutOfRange { role, ranks: self.ranks.unwrap_or(0) }),
            Broken::Full(Full(table)) => (&[][..], Kind::TableFull { table }),
            Broken::Other { at, kind } => (at, kind),
        };
        // A file whose first word is not a rank is not a trace, and its content is not shown in messages.
        let is_ours = !matches!(kind, Kind::NotARank) || self.place.line > 1;
        self.plain_error(self.length - at.len(), if is_ours { split_word(at).0 } else { b"" }, kind)
    }
}
