//! Lines that SMPI's tracer writes and SimGrid's replay does not know, or interprets differently.
//!
//! SMPI traces more of MPI than its replay accepts: other send modes, persistent requests, one-sided operations,
//! non-blocking collectives, and receives of any tag. The meaning of such a line is known from traces of SimGrid 3.32
//! (`smpirun -trace-ti`), one per call. It is replayed if it has one meaning. If the trace leaves out the effect of the
//! call (which of several requests a test has found, which ranks share an epoch), the line is refused by name.
//!
//! ```text
//! bsend  ibsend  Ssend  ISsend  TO TAG COUNT [TYPE]     as send and isend
//! Start  PEER TAG BYTES TYPE                            a send, or a receive if PEER is the rank itself; the wait that
//!                                                       follows tells its source
//! Put  Get  Accumulate  TARGET 0 COUNT TYPE             in the only window that a trace knows, that of all ranks
//! Win_fence                                             a fence
//! Win_flush...  Win_unlock...                           a wait for all operations of the rank
//! Win_lock  Win_lock_all                                no effect
//! ibarrier ... ireducescatter  ARGUMENTS                without a request; all optional arguments are there
//! wait SOURCE DESTINATION TAG                           with a negative tag: for such a collective, by its kind
//! recv  irecv  FROM -444 COUNT [TYPE]                   of any tag: MPI_ANY_TAG
//! ```

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::builder::TraceBuilder;
use super::keyword::Keyword;
use super::line::{Arguments, Broken};
use super::number::{count, skip_blanks, split_word, tag};
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::queues::take_oldest;
use crate::trace::{ANY_TARGET, Action, CollectiveKind, CommunicatorId, Datatype, Effect, SendRecv, TraceWarning};

/// `MPI_ANY_TAG` of SMPI, in the text and in actions until all lines are read.
const ANY_TAG: i32 = -444;

/// `MPI_UNDEFINED` of SMPI, which it writes for both `MPI_ANY_SOURCE` and `MPI_PROC_NULL`.
const UNDEFINED: i64 = -333;

/// The tags by which SMPI's tracer identifies collectives in a wait: one below those of the blocking collectives.
const TAGS: [(i64, &[CollectiveKind]); 13] = [
    (-113, &[CollectiveKind::Reduce]),
    (-224, &[CollectiveKind::Scatter]),
    (-335, &[CollectiveKind::Scatterv]),
    (-446, &[CollectiveKind::Gather]),
    (-557, &[CollectiveKind::Allgather]),
    (-668, &[CollectiveKind::Allgatherv]),
    (-779, &[CollectiveKind::Barrier]),
    (-889, &[CollectiveKind::Scan, CollectiveKind::Exscan]),
    (-890, &[CollectiveKind::ReduceScatter]),
    (-1001, &[CollectiveKind::Alltoallv]),
    (-1113, &[CollectiveKind::Alltoall]),
    (-2224, &[CollectiveKind::Gatherv]),
    (-3335, &[CollectiveKind::Bcast]),
];

/// The tag of a wait for `iallreduce`.
const ALLREDUCE: i64 = -4446;

/// Reads a signed integer, and returns the rest of the text.
fn signed(text: &[u8]) -> Option<(i64, &[u8])> {
    let (word, rest) = split_word(text);
    Some((std::str::from_utf8(word).ok()?.parse().ok()?, rest))
}

fn broken<'a, T>(at: &'a [u8], problem: String, help: &'static str) -> Arguments<'a, T> {
    Err(Broken::Other { at: skip_blanks(at), kind: Kind::Smpi { problem: problem.into(), help } })
}

impl TraceBuilder {
    #[cold]
    fn note(&mut self, what: &'static str) {
        match self.smpi.notes.iter_mut().find(|note| note.0 == what) {
            Some(note) => note.1 += 1,
            None => self.smpi.notes.push((what, 1, self.rank_at_work, self.place)),
        }
    }

    /// Processes a line that only SMPI's tracer writes.
    #[cold]
    pub fn smpi_line<'a>(&mut self, keyword: Keyword, text: &'a [u8]) -> Arguments<'a, Action> {
        let window = CommunicatorId::WORLD;
        Ok(match keyword {
            Keyword::Bsend | Keyword::Ssend => {
                self.note(match keyword {
                    Keyword::Bsend => "a buffered send: replayed as a standard send",
                    _ => "a synchronous send: replayed as a standard send",
                });
                self.action(Keyword::Send, text)?
            }
            Keyword::Ibsend | Keyword::Issend => {
                self.note(match keyword {
                    Keyword::Ibsend => "a buffered send: replayed as a standard send",
                    _ => "a synchronous send: replayed as a standard send",
                });
                self.action(Keyword::Isend, text)?
            }
            Keyword::Persistent => self.persistent(text)?,
            Keyword::SmpiPut | Keyword::SmpiGet | Keyword::SmpiAccumulate => {
                let (rest, to) = self.partner("target", text)?;
                let (rest, _) = tag(rest)?;
                let (rest, count) = count("count")(rest)?;
                let (_, datatype) = self.datatype(rest)?;
                self.note("a one-sided operation: its window is taken for that of all ranks");
                match keyword {
                    Keyword::SmpiPut => Action::Put { to, window, count, datatype },
                    Keyword::SmpiGet => Action::Get { from: to, window, count, datatype },
                    _ => Action::Accumulate { to, window, count, datatype },
                }
            }
            Keyword::SmpiFence => Action::Fence { window },
            Keyword::SmpiFlush => {
                self.note("the end of an epoch, or a flush: replayed as a flush of all operations of the rank");
                Action::Flush { window, to: ANY_TARGET }
            }
            _ => {
                self.note("a lock of a window: no effect");
                Action::NoOperation
            }
        })
    }

    /// Reads `Start`: SMPI writes the destination of the request, so a receive names its own rank.
    fn persistent<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, Action> {
        let (rest, peer) = self.partner("destination", text)?;
        let (rest, tag) = tag(rest)?;
        // The size is in bytes, whatever the type.
        let (_, count) = count("size")(rest)?;
        let datatype = Datatype::BYTE;
        let rank = self.rank_at_work;
        if peer != rank {
            return Ok(Action::Isend { to: peer, tag, count, datatype });
        }
        let at = self.streams[rank as usize].len();
        self.smpi.seen = true;
        self.smpi.persistent.entry((rank, tag)).or_default().push_back((at, self.place));
        Ok(Action::Irecv { from: u32::MAX, tag, count, datatype })
    }

    /// Assigns the source that a wait names to the oldest started receive of its tag, if it is for one.
    #[cold]
    fn settle_persistent(&mut self, source: u32, destination: u32, tag: i32) {
        let rank = self.rank_at_work;
        if destination == rank
            && let Some((at, _)) = take_oldest(&mut self.smpi.persistent, &(rank, tag))
            && let Some(Action::Irecv { count, datatype, .. }) = self.streams[rank as usize].get(at)
        {
            self.streams[rank as usize].set(at, Action::Irecv { from: source, tag, count, datatype });
        }
    }

    /// Processes a wait whose numbers are not those of a plain one; `error` is the error it would cause as such.
    #[cold]
    pub fn smpi_wait<'a>(&mut self, text: &'a [u8], error: Broken<'a>) -> Arguments<'a, Action> {
        let Some((source, rest)) = signed(text) else { return Err(error) };
        let Some((destination, rest)) = signed(rest) else { return Err(error) };
        let Some((tag, _)) = signed(rest) else { return Err(error) };
        if tag == i64::from(ANY_TAG) {
            let (rest, source) = self.partner("source", text)?;
            let (_, destination) = self.partner("destination", rest)?;
            self.smpi.any_tag = true;
            return Ok(Action::Wait { source, destination, tag: ANY_TAG });
        }
        let kinds: &[CollectiveKind] = match TAGS.iter().find(|(number, _)| *number == tag) {
            Some((_, kinds)) => kinds,
            None if tag == ALLREDUCE => &[CollectiveKind::Allreduce],
            None if tag >= 0 && (source == UNDEFINED || destination == UNDEFINED) => return self.undefined(text),
            None => return Err(error),
        };
        let open = self.smpi.collectives.entry(self.rank_at_work).or_default();
        match open.iter().position(|(kind, _)| kinds.contains(kind)) {
            Some(at) => Ok(Action::WaitRequest { request: open.remove(at).1 }),
            None => broken(
                text,
                format!("the wait is for a collective (`{}`), and none is under way", kinds[0].nonblocking_name()),
                "check that the trace is whole",
            ),
        }
    }

    /// Notes a message of a derived type, which the tracer writes as -1: its size is not in the trace.
    #[inline]
    pub fn check_derived(&mut self, elements: u32, datatype: Datatype) {
        if datatype == Datatype::NULL && elements > 0 {
            self.note("a message of a derived type (-1), whose size SMPI's tracer does not write: replayed as empty");
        }
    }

    /// Returns the error for a partner that the tracer could not name.
    fn undefined<'a, T>(&self, text: &'a [u8]) -> Arguments<'a, T> {
        broken(
            text,
            "SMPI's tracer writes -333 both for MPI_ANY_SOURCE and for MPI_PROC_NULL, so the partner is unknown".into(),
            "write the rank that the message came from; where the partner was MPI_PROC_NULL, leave out this line and its \
             wait",
        )
    }

    /// Returns the error with an explanation, if the partner of a message is one that the tracer could not name.
    #[cold]
    pub fn explained<'a>(&self, text: &'a [u8], error: Broken<'a>) -> Broken<'a> {
        match signed(text) {
            Some((UNDEFINED, _)) => match self.undefined::<()>(text) {
                Err(explained) => explained,
                Ok(()) => error,
            },
            _ => error,
        }
    }

    /// Reads the tag of a receive, which may be any.
    #[inline]
    pub fn received_tag<'a>(&mut self, text: &'a [u8]) -> Arguments<'a, (&'a [u8], i32)> {
        match tag(text) {
            Ok(found) => Ok(found),
            Err(error) => self.any_tag(text).ok_or_else(|| error.into()),
        }
    }

    #[cold]
    fn any_tag<'a>(&mut self, text: &'a [u8]) -> Option<(&'a [u8], i32)> {
        let (number, rest) = signed(text)?;
        let is_any = number == i64::from(ANY_TAG);
        (self.smpi.any_tag, self.smpi.seen) = (self.smpi.any_tag | is_any, self.smpi.seen | is_any);
        is_any.then_some((rest, ANY_TAG))
    }

    /// Returns the number for a collective without a request, if the line is one: it then has all arguments of the
    /// collective and no leading request.
    pub fn smpi_request(&mut self, kind: CollectiveKind, text: &[u8]) -> Option<u32> {
        use CollectiveKind as K;
        let words = text.split(|&byte| super::number::is_blank(byte)).filter(|word| !word.is_empty()).count();
        let vector = |vectors: usize, others: usize| Some(vectors * self.members()? + others);
        let arguments = match kind {
            K::Barrier => Some(0),
            K::Bcast | K::Allreduce | K::Scan | K::Exscan => Some(3),
            K::Reduce | K::Alltoall | K::Allgather => Some(4),
            K::Gather | K::Scatter => Some(5),
            K::Alltoallv => vector(2, 4),
            K::Gatherv | K::Scatterv => vector(1, 4),
            K::Allgatherv => vector(1, 3),
            K::ReduceScatter => vector(1, 2),
        };
        // Lines with a count per rank cannot be distinguished until the number of ranks is known; earlier lines may
        // have identified the tracer.
        if arguments.map_or(self.smpi.first.is_none(), |arguments| words != arguments) {
            return None;
        }
        self.smpi.first.get_or_insert(self.place);
        self.smpi.seen = true;
        let open = self.smpi.collectives.entry(self.rank_at_work).or_default();
        let request = (0..).find(|number| open.iter().all(|(_, taken)| taken != number)).unwrap_or_default();
        open.push((kind, request));
        Some(request)
    }

    /// Refuses collectives with and without numbers of requests in one trace: some of them were misread.
    pub fn check_numbered<'a>(&self, text: &'a [u8]) -> Arguments<'a, ()> {
        let Some(place) = self.smpi.first else { return Ok(()) };
        let earlier = format!("{}:{}", self.files[place.file as usize].display(), place.line);
        broken(
            text,
            format!(
                "{earlier} is a collective without the number of a request, as SMPI's tracer writes them, and this line names one"
            ),
            "give all collectives that do not block a request, and all of their arguments behind it",
        )
    }

    /// Forgets the collectives of a rank: a wait for all requests includes them.
    pub fn forget_collectives(&mut self) {
        if self.smpi.first.is_some() {
            self.smpi.collectives.remove(&self.rank_at_work);
        }
    }

    /// Processes a plain wait; it may provide the source of a started receive.
    #[inline]
    pub fn waited(&mut self, source: u32, destination: u32, tag: i32) {
        if !self.smpi.persistent.is_empty() {
            self.settle_persistent(source, destination, tag);
        }
    }

    /// Settles everything that needs all lines.
    pub fn finish_smpi(&mut self) -> Result<(), TraceError> {
        if let Some((_, place)) = self.smpi.persistent.values().flatten().min_by_key(|(_, p)| (p.file, p.line)) {
            let kind = Kind::Smpi {
                problem: "`Start` of a receive without a later wait: its source is unknown".into(),
                help: "add the wait, or write the line as `irecv` with its source",
            };
            let file = &*self.files[place.file as usize];
            return Err(TraceError { line: Some(place.line), ..TraceError::whole(file, kind) });
        }
        for (what, count, rank, place) in std::mem::take(&mut self.smpi.notes) {
            let place = format!("{}:{}", self.files[place.file as usize].display(), place.line);
            let (effect, what) = (Effect::Approximated, what.to_owned());
            self.warnings.push(TraceWarning::Approximated { effect, what, count, rank, place });
        }
        if self.smpi.any_tag { self.settle_any_tags() } else { Ok(()) }
    }

    /// Assigns the tag of the received message to each receive of any tag.
    ///
    /// Messages of one rank to another arrive in order, and a receive takes the first that fits; the match therefore
    /// does not depend on time, and is found by processing the receives in order (MPI 4.0, section 3.5, order).
    fn settle_any_tags(&mut self) -> Result<(), TraceError> {
        // The tags of messages not taken yet, by source and destination.
        let mut sent: FxHashMap<(u32, u32), VecDeque<i32>> = FxHashMap::default();
        let sendrecv = |index: u32, entries: &[SendRecv]| entries[index as usize];
        for (rank, actions) in (0..).zip(&self.streams) {
            for action in actions {
                match action {
                    Action::Send { to, tag, .. } | Action::Isend { to, tag, .. } => {
                        sent.entry((rank, to)).or_default().push_back(tag);
                    }
                    Action::SendRecv { index } => {
                        let to = sendrecv(index, &self.tables.sendrecvs).to;
                        sent.entry((rank, to)).or_default().push_back(0);
                    }
                    _ => {}
                }
            }
        }
        for rank in 0..self.streams.len() as u32 {
            // The tags of receives of any tag in progress, by source.
            let mut open: FxHashMap<u32, VecDeque<i32>> = FxHashMap::default();
            let (mut missing, mut at) = (None, 0);
            let sendrecvs = &self.tables.sendrecvs;
            self.streams[rank as usize].change(|action| {
                at += 1;
                let blocks = matches!(action, Action::Recv { .. });
                match action {
                    Action::Recv { from, tag, .. } | Action::Irecv { from, tag, .. } => {
                        let queue = sent.entry((*from, rank)).or_default();
                        let fits = |sent: &i32| *tag == ANY_TAG || sent == tag;
                        let found = queue.iter().position(fits).and_then(|place| queue.remove(place));
                        if *tag == ANY_TAG {
                            match found {
                                Some(found) => *tag = found,
                                None => drop(missing.get_or_insert((at, *from))),
                            }
                            if !blocks {
                                open.entry(*from).or_default().push_back(*tag);
                            }
                        }
                    }
                    Action::SendRecv { index } => {
                        let queue = sent.entry((sendrecv(*index, sendrecvs).from, rank)).or_default();
                        if let Some(place) = queue.iter().position(|tag| *tag == 0) {
                            queue.remove(place);
                        }
                    }
                    // A wait for a receive that is not in progress has no effect, like a second wait for the same
                    // request.
                    Action::Wait { source, tag, .. } | Action::Test { source, tag, .. } if *tag == ANY_TAG => {
                        match take_oldest(&mut open, source) {
                            Some(found) => *tag = found,
                            None => *action = Action::NoOperation,
                        }
                    }
                    Action::WaitAll => open.clear(),
                    _ => {}
                }
            });
            if let Some((action, from)) = missing {
                let problem = format!(
                    "action {action} of rank {rank} receives a message of any tag from rank {from}, and that rank sends none"
                );
                let help = "check that the trace is complete, or give the receive its tag";
                let file = self.files.first().cloned().unwrap_or_default();
                return Err(TraceError::whole(file, Kind::Smpi { problem: problem.into(), help }));
            }
        }
        Ok(())
    }
}
