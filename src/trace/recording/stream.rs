//! Bytes of a file: a header, then records.

use std::path::Path;

use super::layout::{Op, RECORDS};
use crate::trace::bytes::Bytes;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::format::MOST_RANKS;
use crate::trace::source::{Budget, Source};

/// Name of the format in messages.
pub(super) const NAME: &str = "recording";

/// First bytes of a file.
pub(super) const MAGIC: [u8; 8] = [0x8d, b'm', b'r', b'e', b'c', b'\r', b'\n', 0x1a];
/// Last bytes of a complete file.
pub(super) const TRAILER: [u8; 8] = [b'm', b'r', b'e', b'c', b'\r', b'\n', 0x1a, 0x8d];
/// The newest supported version, and the oldest one, which has no records 29 and 30.
pub(super) const VERSION: u16 = 2;
const OLDEST: u16 = 1;

pub(super) const DAMAGED: &str = "the file is damaged; copy or record it again. `mopsim trace info` describes the other ranks, and \
                       `mopsim trace cut --ranks` keeps them";

/// Longest name of a call.
const LONGEST_NAME: u64 = 256;

/// Flags of the header.
pub(super) const INSTRUCTIONS: u16 = 1;
pub(super) const CPU_TIME: u16 = 4;
pub(super) const NO_ROOM: u16 = 8;

/// Content of the header.
#[derive(Clone, PartialEq, Default, Debug)]
pub(super) struct RecordingHeader {
    pub version: u16,
    pub flags: u16,
    pub rank: u32,
    pub ranks: u32,
    /// Processors of the host.
    pub processors: u32,
    /// Ticks of the clock in a second; positive and finite.
    pub ticks_per_second: f64,
    pub library: String,
    pub host: String,
}

/// A record; reused for the next one.
#[derive(Debug)]
pub(super) struct CallRecord {
    /// Position of its first byte.
    pub at: u64,
    pub op: Op,
    /// Ticks since the end of the previous call, and of the call itself.
    pub gap: u64,
    pub duration: u64,
    /// Instructions in the gap, if they are recorded.
    pub instructions: u64,
    /// Single arguments, in order.
    pub numbers: Vec<i64>,
    /// List arguments, in order.
    pub lists: [Vec<i64>; 2],
    /// Completed requests.
    pub completed: Vec<Completed>,
    /// The text of a new name.
    pub text: String,
}

impl Default for CallRecord {
    fn default() -> Self {
        Self {
            at: 0,
            op: Op::Quiet,
            gap: 0,
            duration: 0,
            instructions: 0,
            numbers: Vec::new(),
            lists: [Vec::new(), Vec::new()],
            completed: Vec::new(),
            text: String::new(),
        }
    }
}

/// A completed request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Completed {
    pub handle: u64,
    pub outcome: RequestOutcome,
}

/// Result of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RequestOutcome {
    /// Completed.
    Done,
    /// Completed, with the source and the tag of its message.
    From(i64, i64),
    /// Cancelled.
    Cancelled,
}

/// Continuation of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// Another record.
    Record,
    /// The recording is complete.
    End {
        /// Number of calls that began while another thread was in one.
        overlapped: u64,
    },
    /// The file ends without an end marker: position of the first incomplete byte.
    Early(u64),
}

/// Reason to stop reading.
enum StopReason {
    /// The file has no more bytes.
    CutOff,
    Error(TraceError),
}

impl From<TraceError> for StopReason {
    fn from(error: TraceError) -> Self {
        Self::Error(error)
    }
}

type Step<T> = Result<T, StopReason>;

/// Reader of records from front to back.
pub(super) struct RecordStream<'a, 'r> {
    bytes: Bytes<'a, 'r>,
    with_instructions: bool,
    records: u64,
    last_request: u64,
    names: u64,
    ranks: u32,
}

impl<'a, 'r> RecordStream<'a, 'r> {
    /// Creates a reader, starting with the header.
    pub fn open(source: Source<'r>, budget: &'a mut Budget) -> Result<(Self, RecordingHeader), TraceError> {
        let mut stream = Self {
            bytes: Bytes::new(source, budget),
            with_instructions: false,
            records: 0,
            last_request: 0,
            names: 0,
            ranks: 0,
        };
        let header = match stream.header() {
            Ok(header) => header,
            Err(StopReason::Error(error)) => return Err(error),
            Err(StopReason::CutOff) => {
                return Err(stream.error(stream.bytes.end(), "the file ends within its header", DAMAGED));
            }
        };
        stream.with_instructions = header.flags & INSTRUCTIONS != 0;
        stream.ranks = header.ranks;
        Ok((stream, header))
    }

    pub fn file(&self) -> &Path {
        self.bytes.file()
    }

    fn position(&self) -> u64 {
        self.bytes.position()
    }

    fn error(&self, at: u64, problem: impl Into<String>, help: &'static str) -> TraceError {
        TraceError::whole(self.file(), Kind::format(NAME, problem, help)).at_byte(at)
    }

    fn damaged<T>(&self, at: u64, problem: impl Into<String>) -> Step<T> {
        Err(self.error(at, problem, DAMAGED).into())
    }

    fn byte(&mut self) -> Step<u8> {
        self.take().map(|[byte]| byte)
    }

    fn take<const N: usize>(&mut self) -> Step<[u8; N]> {
        self.bytes.take()?.ok_or(StopReason::CutOff)
    }

    fn varint(&mut self) -> Step<u64> {
        let at = self.position();
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.damaged(at, "a number has more than 64 bits")
    }

    /// Returns a number that is not a handle: all of them fit 63 bits.
    fn unsigned(&mut self) -> Step<i64> {
        let at = self.position();
        let value = self.varint()?;
        i64::try_from(value).or_else(|_| self.damaged(at, format!("the number {value} is too large")))
    }

    fn signed(&mut self) -> Step<i64> {
        self.varint().map(unzigzag)
    }

    /// Returns a request, stored as the difference from the previous one.
    fn request(&mut self) -> Step<u64> {
        let difference = self.signed()?;
        self.last_request = self.last_request.wrapping_add(difference as u64);
        Ok(self.last_request)
    }

    fn text(&mut self, length: u64) -> Step<String> {
        let mut bytes = Vec::new();
        for _ in 0..length {
            bytes.push(self.byte()?);
        }
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        Ok(String::from_utf8_lossy(&bytes).chars().map(plain).collect())
    }

    fn header(&mut self) -> Step<RecordingHeader> {
        if self.take::<8>()? != MAGIC {
            return self.damaged(0, "the file does not begin as a recording does");
        }
        let version = u16::from_le_bytes(self.take()?);
        if !(OLDEST..=VERSION).contains(&version) {
            let help = "record the program with this version of mopsim, or read the file with the one that made it";
            let problem = format!("the file has version {version} of the format, {OLDEST} to {VERSION} are read");
            return Err(self.error(8, problem, help).into());
        }
        let flags = u16::from_le_bytes(self.take()?);
        let rank = u32::from_le_bytes(self.take()?);
        let ranks = u32::from_le_bytes(self.take()?);
        if ranks == 0 || ranks as usize > MOST_RANKS || rank >= ranks {
            return self.damaged(12, format!("there is no rank {rank} of {ranks}"));
        }
        let processors = u32::from_le_bytes(self.take()?);
        // Start time of the recording.
        self.take::<8>()?;
        let ticks_per_second = f64::from_le_bytes(self.take()?);
        if !(1.0..=1e15).contains(&ticks_per_second) {
            return self.damaged(32, format!("a clock does not have {ticks_per_second} ticks in a second"));
        }
        let mut text = || {
            let length = u16::from_le_bytes(self.take()?);
            self.text(length.into())
        };
        let (library, host) = (text()?, text()?);
        Ok(RecordingHeader { version, flags, rank, ranks, processors, ticks_per_second, library, host })
    }

    /// Reads the next record into `record`.
    pub fn next(&mut self, record: &mut CallRecord) -> Result<Next, TraceError> {
        let at = self.position();
        match self.record(record) {
            Ok(Next::Early(_)) | Err(StopReason::CutOff) => {}
            Ok(next) => return Ok(next),
            Err(StopReason::Error(error)) => return Err(error),
        }
        // Damaged bytes can look like the end marker, or like a list that extends beyond the end of the file.
        if self.bytes.end_of_file()? == TRAILER {
            return Err(self.error(at, "the file is complete, but its records cannot be read from here on", DAMAGED));
        }
        Ok(Next::Early(at))
    }

    fn record(&mut self, record: &mut CallRecord) -> Step<Next> {
        record.at = self.position();
        let number = self.byte()?;
        let Some(&(op, layout)) = RECORDS.get(usize::from(number)) else {
            return self.damaged(record.at, format!("there is no record {number}"));
        };
        if op == Op::End {
            return self.end(record.at);
        }
        record.op = op;
        record.gap = self.varint()?;
        record.duration = self.varint()?;
        record.instructions = if self.with_instructions { self.varint()? } else { 0 };
        record.numbers.clear();
        record.lists.iter_mut().for_each(Vec::clear);
        record.completed.clear();
        record.text.clear();
        let mut list = 0;
        for code in layout.bytes() {
            match code {
                b'b' => {
                    let byte = self.byte()?;
                    record.numbers.push(byte.into());
                }
                b'u' => record.numbers.push(self.unsigned()?),
                b's' => record.numbers.push(self.signed()?),
                b'q' => record.numbers.push(self.request()? as i64),
                b'Q' => {
                    for _ in 0..self.varint()? {
                        record.lists[0].push(self.request()? as i64);
                    }
                }
                b'V' => {
                    for _ in 0..self.length(1)? {
                        record.lists[list].push(self.unsigned()?);
                    }
                    list += 1;
                }
                b'N' => {
                    for _ in 0..self.varint()? {
                        record.lists[list].push(self.signed()?);
                        record.lists[list].push(self.unsigned()?);
                    }
                    list += 1;
                }
                b'M' => {
                    let size = record.numbers[3];
                    self.members(size, &mut record.lists[0])?;
                }
                b'C' => self.completed(&mut record.completed)?,
                _ => {
                    // A new name.
                    if record.numbers[0] as u64 == self.names {
                        let (at, length) = (self.position(), self.varint()?);
                        if length > LONGEST_NAME {
                            return self.damaged(at, format!("a name of {length} bytes"));
                        }
                        record.text = self.text(length)?;
                        self.names += 1;
                    } else if record.numbers[0] as u64 > self.names {
                        return self.damaged(record.at, "a call refers to an undefined name");
                    }
                }
            }
        }
        self.records += 1;
        Ok(Next::Record)
    }

    /// Returns the length of a list with an entry for each member of a communicator.
    fn length(&mut self, at_least: u64) -> Step<u64> {
        let (at, length) = (self.position(), self.varint()?);
        if length > u64::from(self.ranks).max(at_least) {
            return self.damaged(at, format!("a list of {length} counts, for {} ranks", self.ranks));
        }
        Ok(length)
    }

    /// Reads members as runs of ranks with equal steps.
    fn members(&mut self, size: i64, members: &mut Vec<i64>) -> Step<()> {
        let at = self.position();
        if size > i64::from(self.ranks) {
            return self.damaged(at, format!("a communicator of {size} members, of {} ranks", self.ranks));
        }
        let mut expected = 0i64;
        while (members.len() as i64) < size {
            let (first, step, length) = (self.signed()?, self.signed()?, self.unsigned()?);
            let first = expected.checked_add(first);
            let last = first.and_then(|first| first.checked_add(step.checked_mul(length.checked_sub(1)?)?));
            let there = |rank: Option<i64>| rank.filter(|rank| (0..i64::from(self.ranks)).contains(rank));
            let (Some(first), Some(last)) = (there(first), there(last)) else {
                return self.damaged(at, "a communicator has members that there are not");
            };
            if length < 1 || length > size - members.len() as i64 {
                return self.damaged(at, "a communicator does not have the stated number of members");
            }
            members.extend((0..length).map(|i| first + i * step));
            expected = last + 1;
        }
        Ok(())
    }

    fn completed(&mut self, completed: &mut Vec<Completed>) -> Step<()> {
        for _ in 0..self.varint()? {
            let at = self.position();
            let number = self.varint()?;
            self.last_request = self.last_request.wrapping_add(unzigzag(number >> 2) as u64);
            let outcome = match number & 3 {
                0 => RequestOutcome::Done,
                1 => RequestOutcome::From(self.signed()?, self.signed()?),
                2 => RequestOutcome::Cancelled,
                _ => return self.damaged(at, "there is no such outcome of a request"),
            };
            completed.push(Completed { handle: self.last_request, outcome });
        }
        Ok(())
    }

    fn end(&mut self, at: u64) -> Step<Next> {
        let (told, overlapped) = (self.varint()?, self.varint()?);
        // The recorder was killed before it could write more, or truncated the rest of its last block.
        if told == 0 && overlapped == 0 {
            return Ok(Next::Early(at));
        }
        if told != self.records {
            return self.damaged(at, format!("the file has {} records instead of the stated {told}", self.records));
        }
        if self.take::<8>()? != TRAILER {
            return self.damaged(at, "the file does not end as a recording does");
        }
        let behind = self.position();
        match self.byte() {
            Err(StopReason::CutOff) => Ok(Next::End { overlapped }),
            Err(stop) => Err(stop),
            Ok(_) => self.damaged(behind, "something follows the end of the recording"),
        }
    }
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}
