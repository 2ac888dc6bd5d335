//! Bytes of a DUMPI file: big-endian, one call after another.

use std::path::Path;

use super::layout::{CALLS, END_OF_STREAM, FUNCTION_ENTER, FUNCTION_EXIT};
use super::tail::Tail;
use crate::trace::bytes::Bytes;
use crate::trace::error::{TraceError, TraceErrorKind as Kind};
use crate::trace::source::{Budget, Source};

/// Longest vector or text. It bounds the reading caused by a wrong length; memory grows only with the data.
const LONGEST: u32 = 1 << 26;

/// The mask of a call: statuses, times, thread, counters.
const STATUS: u8 = 3;
const CPU_TIME: u8 = 1 << 2;
const WALL_TIME: u8 = 1 << 3;
const THREAD: u8 = 1 << 6;
const COUNTERS: u8 = 1 << 7;

/// A status of a completed receive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub source: i32,
    pub tag: i32,
}

/// A call as read from the file; reused for the next one.
#[derive(Default)]
pub(super) struct DumpiCall {
    /// Position of its first byte.
    pub at: u64,
    pub name: &'static str,
    /// Start and end time, in seconds, if recorded.
    pub times: Option<(f64, f64)>,
    /// Integer arguments, in order.
    pub integers: Vec<i64>,
    /// Vector arguments, in order.
    pub vectors: Vec<Vec<i32>>,
    pub statuses: Vec<Status>,
}

/// Reader of calls from front to back.
pub(super) struct CallStream<'a, 'r> {
    bytes: Bytes<'a, 'r>,
    version: [u8; 3],
}

impl<'a, 'r> CallStream<'a, 'r> {
    /// Creates a reader of the calls of a file whose end is known.
    pub fn calls(source: Source<'r>, budget: &'a mut Budget, tail: &Tail) -> Result<Self, TraceError> {
        let mut stream = Self { bytes: Bytes::new(source, budget), version: tail.version };
        // After the two offsets of the times.
        stream.skip(tail.body + 8)?;
        Ok(stream)
    }

    pub fn file(&self) -> &Path {
        self.bytes.file()
    }

    pub fn position(&self) -> u64 {
        self.bytes.position()
    }

    pub fn error(&self, at: u64, problem: impl Into<String>, help: &'static str) -> TraceError {
        let kind = Kind::format("DUMPI", problem, help);
        TraceError::whole(self.file(), kind).at_byte(at)
    }

    fn cut_off(&self) -> TraceError {
        let help = "the file is cut off; fetch or record it again";
        self.error(self.bytes.end(), "the file ends within the recorded calls", help)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], TraceError> {
        self.bytes.take()?.ok_or_else(|| self.cut_off())
    }

    fn skip(&mut self, length: u64) -> Result<(), TraceError> {
        if self.bytes.skip(length)? { Ok(()) } else { Err(self.cut_off()) }
    }

    fn u8(&mut self) -> Result<u8, TraceError> {
        Ok(self.take::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16, TraceError> {
        self.take().map(u16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32, TraceError> {
        self.take().map(i32::from_be_bytes)
    }

    fn length(&mut self) -> Result<u32, TraceError> {
        let at = self.position();
        match self.i32()? {
            length @ 0.. if length as u32 <= LONGEST => Ok(length as u32),
            length => Err(self.error(at, format!("a vector of {length} entries"), "the file is damaged")),
        }
    }

    fn vector(&mut self, mut entry: impl FnMut(&mut Self) -> Result<i32, TraceError>) -> Result<Vec<i32>, TraceError> {
        let length = self.length()?;
        let mut vector = Vec::with_capacity(length.min(1 << 12) as usize);
        for _ in 0..length {
            vector.push(entry(self)?);
        }
        Ok(vector)
    }

    fn text(&mut self) -> Result<(), TraceError> {
        let length = self.length()?;
        self.skip(length.into())
    }

    fn texts(&mut self) -> Result<(), TraceError> {
        (0..self.length()?).try_for_each(|_| self.text())
    }

    fn since(&self, version: [u8; 3]) -> bool {
        self.version >= version
    }

    fn time(&mut self) -> Result<f64, TraceError> {
        let seconds = self.u16()?;
        let nanoseconds = self.i32()? as u32;
        Ok(f64::from(seconds) + f64::from(nanoseconds) * 1e-9)
    }

    fn times(&mut self) -> Result<(f64, f64), TraceError> {
        Ok((self.time()?, self.time()?))
    }

    fn statuses(&mut self, into: &mut Vec<Status>) -> Result<(), TraceError> {
        for _ in 0..self.length()? {
            // Its bytes: the capacity of the receive is used instead.
            self.skip(4)?;
            let source = self.i32()?;
            // Cancellation flag, and error.
            self.skip(2)?;
            let tag = if self.since([0, 6, 3]) { self.i32()? } else { -1 };
            into.push(Status { source, tag });
        }
        Ok(())
    }

    /// Reads the next call into `call`; `false` at the end of the stream.
    pub fn next(&mut self, call: &mut DumpiCall) -> Result<bool, TraceError> {
        call.integers.clear();
        call.vectors.clear();
        call.statuses.clear();
        call.at = self.position();
        let number = self.u16()?;
        let layout;
        (call.name, layout) = match number {
            END_OF_STREAM => return Ok(false),
            FUNCTION_ENTER | FUNCTION_EXIT => ("", "l"),
            _ => match CALLS.get(usize::from(number)) {
                Some(&(name, layout)) if layout != "?" => (name, layout),
                _ => return Err(self.error(call.at, format!("there is no call {number}"), "the file is damaged")),
            },
        };
        let mask = self.u8()?;
        // The thread precedes the times, contrary to the description of the format.
        if mask & THREAD != 0 {
            self.skip(2)?;
        }
        let cpu = if mask & CPU_TIME != 0 { Some(self.times()?) } else { None };
        let wall = if mask & WALL_TIME != 0 { Some(self.times()?) } else { None };
        call.times = wall.or(cpu);
        if mask & COUNTERS != 0 {
            let counters = self.u8()?;
            self.skip(16 * u64::from(counters))?;
        }
        self.arguments(layout.as_bytes(), mask, call)?;
        Ok(true)
    }

    fn arguments(&mut self, layout: &[u8], mask: u8, call: &mut DumpiCall) -> Result<(), TraceError> {
        let mut codes = layout.iter();
        while let Some(code) = codes.next() {
            match code {
                b'i' => call.integers.push(self.i32()?.into()),
                b'h' => call.integers.push(self.u16()?.into()),
                b'b' => call.integers.push(self.u8()?.into()),
                b'l' => call.integers.push(i64::from_be_bytes(self.take()?)),
                b'I' => call.vectors.push(self.vector(Self::i32)?),
                b'H' => call.vectors.push(self.vector(|s| s.u16().map(i32::from))?),
                b'B' => call.vectors.push(self.vector(|s| s.u8().map(i32::from))?),
                b'J' => {
                    for _ in 0..self.length()? {
                        self.vector(Self::i32)?;
                    }
                }
                b'C' => self.text()?,
                b'S' => self.texts()?,
                b'T' => (0..self.length()?).try_for_each(|_| self.texts())?,
                b's' if mask & STATUS != 0 => self.statuses(&mut call.statuses)?,
                b's' | b')' => {}
                b'V' if self.since([0, 6, 9]) => call.vectors.push(self.vector(Self::i32)?),
                b'W' if self.since([0, 6, 8]) => call.vectors.push(self.vector(Self::i32)?),
                b'V' | b'W' => self.skip(4)?,
                b'P' => {
                    let texts = self.length()?;
                    if !self.since([0, 6, 2]) {
                        self.skip(4)?;
                    }
                    (0..texts).try_for_each(|_| self.text())?;
                }
                b'(' => {
                    let mut integer = || codes.next().map(|digit| call.integers[usize::from(digit - b'0')]);
                    if integer() != integer() {
                        codes.by_ref().find(|&&code| code == b')');
                    }
                }
                other => unreachable!("no layout has the code {other}"),
            }
        }
        Ok(())
    }
}
