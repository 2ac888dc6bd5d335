//! Chrome trace events of each rank's actions: JSON for ui.perfetto.dev and chrome://tracing.
//!
//! The format is that of "Trace Event Format" (Google, 2016): a process for the program, a thread for each rank, a
//! complete event (`X`) for each action, and a flow (`s`, `f`) for a message that blocked a rank. Events are written as
//! they occur, so that memory does not grow with the trace; their number is limited.

use super::mark::TIMELINE;
use crate::engine::{Observer, Wakening};
use crate::mpi::messages::Envelope;
use crate::trace::{Action, Trace};
use std::io::{self, Write};

/// Observer that writes the events of a replay.
pub struct TraceEvents<'a, W: Write> {
    out: W,
    trace: &'a Trace,
    /// Start time of each rank's action.
    began: Vec<f64>,
    /// Envelope, payload and poster of the messages in transit.
    messages: Vec<(Envelope, u64, u32)>,
    flows: u64,
    written: u64,
    left_out: u64,
    limit: u64,
    result: io::Result<()>,
}

impl<'a, W: Write> TraceEvents<'a, W> {
    /// Begins a file with at most `limit` events in addition to the names of the ranks.
    pub fn new(out: W, trace: &'a Trace, network: &str, limit: u64) -> Self {
        let mut events = Self {
            out,
            trace,
            began: vec![0.0; trace.ranks()],
            messages: Vec::new(),
            flows: 0,
            written: 0,
            left_out: 0,
            limit,
            result: Ok(()),
        };
        let title = format!("{} on {network}", trace.name);
        events.write(|out| {
            write!(out, "{{\"displayTimeUnit\":\"ns\",{TIMELINE},\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{{\"name\":")?;
            serde_json::to_writer(&mut *out, &title)?;
            write!(out, "}}}}")
        });
        for rank in 0..trace.ranks() {
            events.write(|out| {
                write!(
                    out,
                    ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{rank},\"name\":\"thread_name\",\"args\":{{\"name\":\"rank {rank}\"}}}},\n\
                     {{\"ph\":\"M\",\"pid\":0,\"tid\":{rank},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{rank}}}}}"
                )
            });
        }
        events
    }

    /// Ends the file. Returns the number of events in it, and the number of omitted ones.
    ///
    /// # Errors
    /// If a write to the file has failed.
    pub fn finish(mut self) -> io::Result<(u64, u64)> {
        self.write(|out| write!(out, "\n]}}\n"));
        self.result?;
        self.out.flush()?;
        Ok((self.written, self.left_out))
    }

    /// Writes unless an earlier write has failed.
    fn write(&mut self, write: impl FnOnce(&mut W) -> io::Result<()>) {
        if self.result.is_ok() {
            self.result = write(&mut self.out);
        }
    }

    /// Returns `true` if there is room for `events` more events.
    fn room(&mut self, events: u64) -> bool {
        let room = self.written + events <= self.limit;
        if room {
            self.written += events
        } else {
            self.left_out += events
        }
        room
    }

    /// Returns the name and category of an action.
    fn describe(&self, rank: u32, action: usize) -> (&'static str, &'static str) {
        match self.trace.actions[rank as usize].get(action) {
            Some(Action::Collective { index }) => (self.trace.collectives[index as usize].kind.name(), "collective"),
            Some(Action::Start { index, .. }) => {
                (self.trace.collectives[index as usize].kind.nonblocking_name(), "collective")
            }
            Some(action @ (Action::Compute { .. } | Action::Sleep { .. })) => (action.name(), "compute"),
            Some(action) => (action.name(), "message"),
            None => ("nothing", "message"),
        }
    }
}

/// Formats seconds in the unit of the format: microseconds, with picoseconds as decimals.
fn micros(seconds: f64) -> String {
    format!("{:.6}", seconds * 1e6)
}

impl<W: Write> Observer for TraceEvents<'_, W> {
    fn action_began(&mut self, rank: u32, _: usize, time: f64) {
        self.began[rank as usize] = time;
    }

    fn action_ended(&mut self, rank: u32, action: usize, time: f64) {
        let began = self.began[rank as usize];
        let (name, category) = self.describe(rank, action);
        // Actions that take no time are invisible.
        if time <= began || !self.room(1) {
            return;
        }
        let (ts, dur) = (micros(began), micros(time - began));
        self.write(|out| {
            write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{rank},\"ts\":{ts},\"dur\":{dur},\"name\":\"{name}\",\"cat\":\"{category}\",\
                 \"args\":{{\"action\":{action}}}}}"
            )
        });
    }

    fn message_started(&mut self, message: u32, poster: u32, envelope: Envelope, bytes: u64, _: f64) {
        let at = message as usize;
        if at >= self.messages.len() {
            self.messages.resize(at + 1, (envelope, bytes, poster));
        }
        self.messages[at] = (envelope, bytes, poster);
    }

    fn woken(&mut self, rank: u32, w: Wakening) {
        let (envelope, bytes, _) = self.messages[w.message as usize];
        // A sender that waits for its own message is also released by it; the arrow goes to the receiver.
        if rank != envelope.destination || envelope.source == rank || !self.room(2) {
            return;
        }
        self.flows += 1;
        let (id, from, started, ended) = (self.flows, envelope.source, micros(w.started), micros(w.time));
        self.write(|out| {
            write!(
                out,
                ",\n{{\"ph\":\"s\",\"pid\":0,\"tid\":{from},\"ts\":{started},\"id\":{id},\"name\":\"message\",\"cat\":\"flow\",\
                 \"args\":{{\"bytes\":{bytes},\"tag\":{}}}}},\n\
                 {{\"ph\":\"f\",\"bp\":\"e\",\"pid\":0,\"tid\":{rank},\"ts\":{ended},\"id\":{id},\"name\":\"message\",\"cat\":\"flow\"}}",
                envelope.tag
            )
        });
    }
}
