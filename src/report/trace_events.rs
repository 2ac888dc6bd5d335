//! Chrome trace events of each rank's actions: JSON for ui.perfetto.dev and chrome://tracing.
//!
//! The format is that of "Trace Event Format" (Google, 2016): a process for the program, a thread for each rank, a
//! complete event (`X`) for each action, and a flow (`s`, `f`) for a message that blocked a rank. Events are written as
//! they occur, so that memory does not grow with the trace; their number is limited.
//!
//! Operations of a schedule overlap, so its threads are streams instead, with events for what a stream does:
//! calculations, overheads, and waiting for a message.

use super::mark::TIMELINE;
use crate::engine::{Observer, Wakening};
use crate::mpi::messages::Envelope;
use crate::trace::{Action, Trace};
use std::io::{self, Write};

/// Observer that writes the events of a replay.
pub struct TraceEvents<'a, W: Write> {
    out: W,
    trace: &'a Trace,
    /// Rank of each thread, if ranks run the operations of a schedule; else empty.
    owners: Vec<u32>,
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
            owners: if trace.schedule.is_some() { (0..trace.ranks() as u32).collect() } else { Vec::new() },
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
        (0..trace.ranks()).for_each(|rank| events.name_thread(rank as u32, rank as u32, ""));
        events
    }

    /// Names the thread of a rank, or of one of its additional streams, which are listed below the rank.
    fn name_thread(&mut self, thread: u32, rank: u32, suffix: &str) {
        self.write(|out| {
            write!(
                out,
                ",\n{{\"ph\":\"M\",\"pid\":0,\"tid\":{thread},\"name\":\"thread_name\",\"args\":{{\"name\":\"rank {rank}{suffix}\"}}}},\n\
                 {{\"ph\":\"M\",\"pid\":0,\"tid\":{thread},\"name\":\"thread_sort_index\",\"args\":{{\"sort_index\":{rank}}}}}"
            )
        });
    }

    /// Writes a complete event; `arguments` is an object in JSON.
    fn slice(&mut self, thread: u32, span: (f64, f64), (name, category): (&str, &str), arguments: &str) {
        // What takes no time is invisible.
        if span.1 <= span.0 || !self.room(1) {
            return;
        }
        let (ts, dur) = (micros(span.0), micros(span.1 - span.0));
        self.write(|out| {
            write!(
                out,
                ",\n{{\"ph\":\"X\",\"pid\":0,\"tid\":{thread},\"ts\":{ts},\"dur\":{dur},\"name\":\"{name}\",\"cat\":\"{category}\",\
                 \"args\":{arguments}}}"
            )
        });
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

    fn is_scheduled(&self) -> bool {
        !self.owners.is_empty()
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
        let span = (self.began[rank as usize], time);
        self.slice(rank, span, self.describe(rank, action), &format!("{{\"action\":{action}}}"));
    }

    fn computed(&mut self, stream: u32, time: f64, seconds: f64) {
        if self.is_scheduled() {
            self.slice(stream, (time - seconds, time), ("compute", "compute"), "{}");
        }
    }

    fn spent_overhead(&mut self, stream: u32, time: f64, seconds: f64) {
        if self.is_scheduled() {
            self.slice(stream, (time - seconds, time), ("overhead", "message"), "{}");
        }
    }

    fn background_began(&mut self, stream: u32, rank: u32, _: f64) {
        if self.is_scheduled() {
            self.owners.push(rank);
            self.name_thread(stream, rank, ", additional processor");
        }
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
        if self.is_scheduled() {
            self.slice(rank, (w.since, w.time), ("wait", "message"), &format!("{{\"bytes\":{bytes}}}"));
        }
        // A sender that waits for its own message is also released by it; the arrow goes to the receiver.
        let owner = self.owners.get(rank as usize).copied().unwrap_or(rank);
        if owner != envelope.destination || envelope.source == owner || !self.room(2) {
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
