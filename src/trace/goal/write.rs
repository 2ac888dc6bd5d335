//! Writing GOAL text: each action waits for the one before it.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use super::NANOSECONDS;
use super::rounds::{Part, Round, Rounds};
use crate::trace::options::DEFAULT_RECORDED_SPEED;
use crate::trace::write::{WriteError, Writer};
use crate::trace::{Action, Datatype, Trace, UNKNOWN_COUNT, ti};

/// GOAL text. Computation is written as nanoseconds of a host of 100 Gflop/s; collectives and one-sided
/// communication cannot be expressed.
#[derive(Debug)]
pub struct Goal;

/// GOAL text of a whole trace with collectives, which are written as the messages that they are made of.
#[derive(Debug)]
pub struct GoalOfRounds<'r>(pub &'r Rounds);

impl Writer for Goal {
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
        head(ranks, notes, out)
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        write(part, first, None, out)
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }

    fn needs_rounds(&self) -> bool {
        true
    }
}

impl Writer for GoalOfRounds<'_> {
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
        if !self.0.schedules.is_empty() {
            writeln!(out, "// {}", self.0.origin)?;
        }
        head(ranks, notes, out)
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write) -> Result<(), WriteError> {
        write(part, first, Some(self.0), out)
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }
}

fn head(ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
    for note in notes {
        writeln!(out, "// {}", note.replace(['\n', '\r'], " "))?;
    }
    Ok(writeln!(out, "num_ranks {ranks}")?)
}

fn write(part: &Trace, first: usize, rounds: Option<&Rounds>, out: &mut dyn Write) -> Result<(), WriteError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    for (rank, actions) in (first..).zip(&part.actions) {
        writeln!(out, "\nrank {rank} {{")?;
        let mut chain = Chain {
            rank: rank as u32,
            out: &mut out,
            label: 0,
            last: None,
            requests: FxHashMap::default(),
            rounds,
            collectives: 0,
            started: Vec::new(),
        };
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

/// Source, destination and tag.
type Triple = (u32, u32, i32);

/// What an operation follows: its label, and whether it waits for its start only.
type Link = (u64, bool);

struct Chain<'o, W> {
    rank: u32,
    out: &'o mut W,
    /// Number of the last label.
    label: u64,
    /// What the next operation follows.
    last: Option<Link>,
    /// Labels of open requests, the oldest first.
    requests: FxHashMap<Triple, std::collections::VecDeque<u64>>,
    /// What collectives are made of, and how many the rank has begun.
    rounds: Option<&'o Rounds>,
    collectives: usize,
    /// Collectives that do not block and have not been waited for, the oldest first: their numbers, and their last operations.
    started: Vec<(u32, Option<Link>)>,
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * NANOSECONDS).round().max(0.0) as u64
}

impl<'o, W: Write> Chain<'o, W> {
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

    /// Waits for the last operations of collectives that do not block.
    fn join(&mut self, ends: &[Link]) -> io::Result<()> {
        if ends.is_empty() {
            return Ok(());
        }
        let label = self.operation("calc 0", false)?;
        for &(end, on_start) in ends {
            writeln!(self.out, "l{label} {} l{end}", if on_start { "irequires" } else { "requires" })?;
        }
        Ok(())
    }

    /// The rank's part in its next collective.
    fn next_part(&mut self) -> Option<(&'o Rounds, Part)> {
        let rounds = self.rounds?;
        self.collectives += 1;
        Some((rounds, rounds.parts[self.rank as usize][self.collectives - 1]))
    }

    /// Writes the steps of a collective, and its flops.
    fn perform(&mut self, rounds: &Rounds, part: Part, flops: f64) -> io::Result<()> {
        let mut open = Vec::new();
        for round in rounds.steps(part) {
            match *round {
                Round::Send { to, bytes, channel, blocks } => {
                    let label =
                        self.operation(&format!("send {bytes}b to {to} tag {}", part.tag + channel), !blocks)?;
                    open.extend((!blocks).then_some(label));
                }
                Round::Receive { from, bytes, channel, blocks } => {
                    let label =
                        self.operation(&format!("recv {bytes}b from {from} tag {}", part.tag + channel), !blocks)?;
                    open.extend((!blocks).then_some(label));
                }
                Round::Wait { nth } => {
                    let label = open.remove(nth as usize);
                    self.wait(&[label])?;
                }
                Round::WaitAll => {
                    if !open.is_empty() {
                        self.wait(&std::mem::take(&mut open))?;
                    }
                }
            }
        }
        if flops > 0.0 {
            self.operation(&format!("calc {}", nanoseconds(flops / DEFAULT_RECORDED_SPEED)), false)?;
        }
        Ok(())
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
            | Action::TestRequest { .. }
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
            | Action::Put { .. }
            | Action::Get { .. }
            | Action::Accumulate { .. }
            | Action::Fence { .. }
            | Action::Flush { .. } => return Ok(false),
            Action::Collective { index } => {
                let Some((rounds, part)) = self.next_part() else { return Ok(false) };
                self.perform(rounds, part, trace.collectives[index as usize].flops)?;
            }
            // It goes its own way from here, beside what the rank does next.
            Action::Start { index, request } => {
                let Some((rounds, part)) = self.next_part() else { return Ok(false) };
                let here = self.last;
                self.perform(rounds, part, trace.collectives[index as usize].flops)?;
                let end = std::mem::replace(&mut self.last, here);
                self.started.push((request, end));
            }
            Action::WaitRequest { request } => {
                let oldest = self.started.iter().position(|&(number, _)| number == request);
                if let Some(at) = oldest {
                    let (_, end) = self.started.remove(at);
                    self.join(end.as_slice())?;
                }
            }
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
                let ends: Vec<Link> = self.started.drain(..).filter_map(|(_, end)| end).collect();
                self.join(&ends)?;
            }
        }
        Ok(true)
    }
}
