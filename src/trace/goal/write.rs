//! Writing GOAL text: each action waits for the one before it.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::NANOSECONDS;
use crate::trace::options::DEFAULT_RECORDED_SPEED;
use crate::trace::write::{WriteError, Writer};
use crate::trace::{Action, Datatype, Trace, UNKNOWN_COUNT, ti};

/// GOAL text. Computation is written as nanoseconds of a host of 100 Gflop/s; collectives and one-sided
/// communication cannot be expressed.
#[derive(Debug)]
pub struct Goal;

impl Writer for Goal {
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
        for note in notes {
            writeln!(out, "// {}", note.replace(['\n', '\r'], " "))?;
        }
        Ok(writeln!(out, "num_ranks {ranks}")?)
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        let mut out = io::BufWriter::with_capacity(1 << 16, out);
        for (rank, actions) in (first..).zip(&part.actions) {
            writeln!(out, "\nrank {rank} {{")?;
            let mut chain =
                Chain { rank: rank as u32, out: &mut out, label: 0, last: None, requests: FxHashMap::default() };
            for (index, action) in actions.iter().enumerate() {
                if !chain.action(part, action)? {
                    let action = ti::text(part, action);
                    return Err(WriteError::Inexpressible { format: "GOAL", rank, index, action });
                }
            }
            writeln!(out, "}}")?;
        }
        Ok(out.flush()?)
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }
}

/// Source, destination and tag.
type Triple = (u32, u32, i32);

struct Chain<'o, W> {
    rank: u32,
    out: &'o mut W,
    /// Number of the last label.
    label: u64,
    /// What the next operation follows, and whether it waits for its start only.
    last: Option<(u64, bool)>,
    /// Labels of open requests, the oldest first.
    requests: FxHashMap<Triple, std::collections::VecDeque<u64>>,
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * NANOSECONDS).round().max(0.0) as u64
}

impl<W: Write> Chain<'_, W> {
    /// Writes an operation that follows the one before; what comes next waits for its end, or for its start only.
    fn operation(&mut self, text: &str, starts_only: bool) -> io::Result<u64> {
        self.label += 1;
        let label = self.label;
        writeln!(self.out, "l{label}: {text}")?;
        if let Some((before, on_start)) = self.last {
            writeln!(self.out, "l{label} {} l{before}", if on_start { "irequires" } else { "requires" })?;
        }
        self.last = Some((label, starts_only));
        Ok(label)
    }

    fn send(&mut self, to: u32, tag: i32, count: u32, datatype: Datatype, starts_only: bool) -> io::Result<u64> {
        let bytes = u64::from(count) * datatype.size();
        self.operation(&format!("send {bytes}b to {to} tag {tag}"), starts_only)
    }

    fn receive(&mut self, from: u32, tag: i32, count: u32, datatype: Datatype, starts_only: bool) -> io::Result<u64> {
        let bytes = u64::from(count) * datatype.size();
        self.operation(&format!("recv {bytes}b from {from} tag {tag}"), starts_only)
    }

    fn wait(&mut self, requests: &[u64]) -> io::Result<()> {
        let label = self.operation("calc 0", false)?;
        requests.iter().try_for_each(|request| writeln!(self.out, "l{label} requires l{request}"))
    }

    /// Writes an action; `false` if it cannot be expressed.
    fn action(&mut self, trace: &Trace, action: &Action) -> io::Result<bool> {
        let rank = self.rank;
        match *action {
            // A probe moves nothing, and the receive behind it waits for the same message.
            Action::Init
            | Action::Finalize
            | Action::NoOperation
            | Action::Test { .. }
            | Action::Probe { .. }
            | Action::Iprobe { .. } => {}
            Action::Compute { flops } => {
                self.operation(&format!("calc {}", nanoseconds(flops / DEFAULT_RECORDED_SPEED)), false)?;
            }
            Action::Sleep { seconds } => {
                self.operation(&format!("calc {}", nanoseconds(seconds)), false)?;
            }
            Action::Recv { count: UNKNOWN_COUNT, .. }
            | Action::Irecv { count: UNKNOWN_COUNT, .. }
            | Action::Collective { .. }
            | Action::Start { .. }
            | Action::WaitRequest { .. }
            | Action::TestRequest { .. }
            | Action::Put { .. }
            | Action::Get { .. }
            | Action::Accumulate { .. }
            | Action::Fence { .. }
            | Action::Flush { .. } => return Ok(false),
            Action::Send { to, tag, count, datatype } => drop(self.send(to, tag, count, datatype, false)?),
            Action::Recv { from, tag, count, datatype } => drop(self.receive(from, tag, count, datatype, false)?),
            Action::Isend { to, tag, count, datatype } => {
                let label = self.send(to, tag, count, datatype, true)?;
                self.requests.entry((rank, to, tag)).or_default().push_back(label);
            }
            Action::Irecv { from, tag, count, datatype } => {
                let label = self.receive(from, tag, count, datatype, true)?;
                self.requests.entry((from, rank, tag)).or_default().push_back(label);
            }
            Action::SendRecv { index } => {
                let entry = trace.sendrecvs[index as usize];
                let send = self.send(entry.to, 0, entry.send_count, entry.send_type, true)?;
                let receive = self.receive(entry.from, 0, entry.recv_count, entry.recv_type, true)?;
                self.wait(&[send, receive])?;
            }
            Action::Wait { source, destination, tag } => {
                let oldest = self.requests.get_mut(&(source, destination, tag)).and_then(|queue| queue.pop_front());
                if let Some(request) = oldest {
                    self.wait(&[request])?;
                }
            }
            Action::WaitAll => {
                let mut all: Vec<u64> = self.requests.drain().flat_map(|(_, queue)| queue).collect();
                all.sort_unstable();
                if !all.is_empty() {
                    self.wait(&all)?;
                }
            }
        }
        Ok(true)
    }
}
