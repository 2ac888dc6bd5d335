//! Writing GOAL: graphs stay graphs (`write_graph.rs`); in a list, each action waits for the previous one.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;

use rustc_hash::FxHashMap;

use super::graph::NANOSECONDS;
use super::rounds::{RankRounds, Round, Rounds};
use super::write_graph;
use crate::steps::Steps;
use crate::trace::error::TraceError;
use crate::trace::format::Input;
use crate::trace::options::DEFAULT_RECORDED_SPEED;
use crate::trace::queues::take_nth;
use crate::trace::source::Source;
use crate::trace::write::{WriteError, Writer};
use crate::trace::{Action, Actions, Options, Trace, Triple, UNKNOWN_COUNT, ti};

/// GOAL text. Computation is written as nanoseconds of a host of 100 Gflop/s; one-sided communication cannot be
/// expressed, and collectives only as their messages.
#[derive(Debug)]
pub struct Goal<'r>(Option<&'r dyn Rounds>);

impl Goal<'static> {
    /// Writer for traces without collectives.
    pub const PLAIN: Self = Self(None);
}

impl<'r> Goal<'r> {
    /// Creates a writer for a whole trace, whose collectives consist of these messages.
    pub fn with_rounds(rounds: &'r dyn Rounds) -> Self {
        Self(Some(rounds))
    }
}

impl Writer for Goal<'_> {
    fn head(&self, ranks: usize, notes: &[String], out: &mut dyn Write) -> Result<(), WriteError> {
        // This line is first: readers recognise the format by this word, however many notes there are.
        writeln!(out, "num_ranks {ranks}")?;
        if let Some(origin) = self.0.and_then(Rounds::origin) {
            writeln!(out, "// {origin}")?;
        }
        for note in notes {
            writeln!(out, "// {}", note.replace(['\n', '\r'], " "))?;
        }
        Ok(())
    }

    fn part(&self, part: &Trace, first: usize, _: usize, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
        match &part.schedule {
            Some(schedule) => write_graph::text(schedule, first, out, steps),
            None => write(part, first, self.0, out, steps),
        }
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }

    fn needs_rounds(&self) -> bool {
        self.0.is_none()
    }

    fn writes_graphs(&self) -> bool {
        true
    }
}

/// The binary form of GOAL, which LogGOPSim reads. It begins with the positions of all ranks, so a trace is written
/// whole, not rank by rank; a list of actions becomes a graph first, by way of the text.
#[derive(Debug)]
pub struct GoalBinary<'r>(Goal<'r>);

impl GoalBinary<'static> {
    /// Writer for traces without collectives.
    pub const PLAIN: Self = Self(Goal::PLAIN);
}

impl<'r> GoalBinary<'r> {
    /// Creates a writer for a whole trace, whose collectives consist of these messages.
    pub fn with_rounds(rounds: &'r dyn Rounds) -> Self {
        Self(Goal::with_rounds(rounds))
    }
}

impl Writer for GoalBinary<'_> {
    fn head(&self, _: usize, _: &[String], _: &mut dyn Write) -> Result<(), WriteError> {
        // The format has no room for remarks.
        Ok(())
    }

    fn part(&self, part: &Trace, _: usize, ranks: usize, out: &mut dyn Write, steps: &Steps) -> Result<(), WriteError> {
        if part.ranks() != ranks {
            return Err(WriteError::InParts { format: super::BINARY_NAME });
        }
        match &part.schedule {
            Some(schedule) => write_graph::binary(schedule, out, steps),
            None => {
                let graph = as_graph(part, &self.0)?;
                write_graph::binary(graph.schedule.as_deref().expect("graphs are kept"), out, steps)
            }
        }
    }

    fn tail(&self, _: usize, _: u64, _: &mut dyn Write) -> Result<(), WriteError> {
        Ok(())
    }

    fn needs_rounds(&self) -> bool {
        self.0.needs_rounds()
    }

    fn writes_graphs(&self) -> bool {
        true
    }
}

/// Converts a list to a graph: each action follows the previous one, and collectives become messages. Computations are
/// rounded to nanoseconds of a core of 100 Gflop/s.
///
/// # Errors
/// [`WriteError`] if an action cannot be expressed, or a message is too large.
pub fn as_graph(trace: &Trace, writer: &Goal<'_>) -> Result<Trace, WriteError> {
    let mut text = Vec::new();
    crate::trace::write(trace, writer, &mut text)?;
    let how = Options { keep_graphs: true, ..Options::default() };
    let wrong = |error: TraceError| WriteError::NoGraph(error.to_string());
    let source = Source::stream(Path::new(&trace.name), &text[..]).map_err(wrong)?;
    let (budget, name) = (&mut how.budget(), trace.name.as_str());
    let graph = super::text::read(Input { source, budget, name, options: &how, is_file: false, formats: &[] });
    Ok(Trace { side: trace.side.clone(), ..graph.map_err(wrong)? })
}

fn write(
    part: &Trace,
    first: usize,
    rounds: Option<&dyn Rounds>,
    out: &mut dyn Write,
    steps: &Steps,
) -> Result<(), WriteError> {
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    for (rank, actions) in (first..).zip(&part.actions) {
        writeln!(out, "\nrank {rank} {{")?;
        let mut chain = Chain {
            rank: rank as u32,
            out: &mut out,
            label: 0,
            last: None,
            requests: FxHashMap::default(),
            picked: 0,
            rounds: rounds.map(|rounds| rounds.of_rank(rank as u32)),
            started: Vec::new(),
            core: 0,
            probed: ProbedReceives::of(part, rank as u32, actions),
        };
        for (index, action) in actions.iter().enumerate() {
            if !chain.action(part, &action)? {
                let action = ti::text(part, &action);
                return Err(WriteError::Inexpressible { format: "GOAL", rank, index, action });
            }
        }
        writeln!(chain.out, "}}")?;
        steps.did(actions.len() as u64);
    }
    Ok(out.flush()?)
}

/// Above this, a time exceeds the 64 bits of the format: six centuries.
const MOST_NANOSECONDS: f64 = (1u128 << 64) as f64;

/// The operation that another one follows.
#[derive(Clone, Copy)]
struct Predecessor {
    /// Label of that operation.
    label: u64,
    /// `true` if the dependency is on its start only.
    starts_only: bool,
}

struct Chain<'o, W> {
    rank: u32,
    out: &'o mut W,
    /// Number of the last label.
    label: u64,
    /// The operation that the next one follows.
    last: Option<Predecessor>,
    /// Labels of open requests, the oldest first.
    requests: FxHashMap<Triple, VecDeque<u64>>,
    /// Number of older requests that the next wait passes over.
    picked: u32,
    /// Messages of the rank's collectives.
    rounds: Option<Box<dyn RankRounds + 'o>>,
    /// Non-blocking collectives that have not been waited for, the oldest first.
    started: Vec<Started>,
    /// Core of the next operation. Those of a non-blocking collective have one of their own, since a core performs its
    /// operations one after the other.
    core: u8,
    probed: ProbedReceives,
}

/// Non-blocking collective.
struct Started {
    number: u32,
    /// Its last operation.
    end: Option<Predecessor>,
    core: u8,
}

impl Predecessor {
    /// Returns the dependency on the end of this operation.
    fn end_of(label: u64) -> Self {
        Self { label, starts_only: false }
    }
}

/// Receives of a rank that calls probe. A probe waits for the message of the next receive with its source and tag.
#[derive(Default)]
struct ProbedReceives {
    /// Bytes of the receives of each triple that is probed, in order; `None` for that of a combined send and receive.
    receives: FxHashMap<Triple, Vec<Option<u64>>>,
    /// Number of receives that the rank has reached.
    reached: FxHashMap<Triple, usize>,
    /// Labels of receives that are at their probes, by triple and number.
    early: FxHashMap<(Triple, usize), u64>,
}

impl ProbedReceives {
    fn of(trace: &Trace, rank: u32, actions: &Actions) -> Self {
        let mut found = Self::default();
        for action in actions {
            if let Action::Probe { from, tag } = action {
                found.receives.entry((from, rank, tag)).or_default();
            }
        }
        if found.receives.is_empty() {
            return found;
        }
        for action in actions {
            let (triple, bytes) = match action {
                Action::Recv { from, tag, count, datatype } | Action::Irecv { from, tag, count, datatype } => {
                    ((from, rank, tag), Some(datatype.bytes(count)))
                }
                Action::SendRecv { index } => ((trace.sendrecvs[index as usize].from, rank, 0), None),
                _ => continue,
            };
            if let Some(receives) = found.receives.get_mut(&triple) {
                receives.push(bytes);
            }
        }
        found
    }

    /// Returns number and bytes of the receive for which a probe waits, unless there is none, or it is at an earlier
    /// probe.
    fn next(&self, triple: Triple) -> Option<(usize, u64)> {
        let number = self.reached.get(&triple).copied().unwrap_or(0);
        let bytes = (*self.receives.get(&triple)?.get(number)?)?;
        (!self.early.contains_key(&(triple, number))).then_some((number, bytes))
    }

    /// Notes that the rank has reached a receive; returns its label if it is at a probe.
    fn take(&mut self, triple: Triple) -> Option<u64> {
        self.receives.get(&triple)?;
        let reached = self.reached.entry(triple).or_default();
        *reached += 1;
        self.early.remove(&(triple, *reached - 1))
    }
}

impl<'o, W: Write> Chain<'o, W> {
    /// Writes an operation that follows the previous one; the next one waits for its end, or for its start only.
    fn operation(&mut self, text: impl fmt::Display, starts_only: bool) -> io::Result<u64> {
        self.label += 1;
        let label = self.label;
        match self.core {
            0 => writeln!(self.out, "l{label}: {text}")?,
            core => writeln!(self.out, "l{label}: {text} cpu {core}")?,
        }
        if let Some(before) = self.last {
            self.follow(before)?;
        }
        self.last = Some(Predecessor { label, starts_only });
        Ok(label)
    }

    /// Writes that the last operation follows another one.
    fn follow(&mut self, link: Predecessor) -> io::Result<()> {
        let verb = if link.starts_only { "irequires" } else { "requires" };
        writeln!(self.out, "l{} {verb} l{}", self.label, link.label)
    }

    fn send(&mut self, bytes: u64, to: u32, tag: impl fmt::Display, starts_only: bool) -> io::Result<u64> {
        self.operation(format_args!("send {bytes}b to {to} tag {tag}"), starts_only)
    }

    fn receive(&mut self, bytes: u64, from: u32, tag: impl fmt::Display, starts_only: bool) -> io::Result<u64> {
        self.operation(format_args!("recv {bytes}b from {from} tag {tag}"), starts_only)
    }

    /// Writes a computation; `false` if it is too long for the format.
    fn compute(&mut self, flops: f64) -> io::Result<bool> {
        self.sleep(flops / DEFAULT_RECORDED_SPEED)
    }

    /// Writes a pause; `false` if it is too long for the format.
    fn sleep(&mut self, seconds: f64) -> io::Result<bool> {
        let nanoseconds = (seconds * NANOSECONDS).round().max(0.0);
        let fits = nanoseconds < MOST_NANOSECONDS;
        if fits {
            self.operation(format_args!("calc {}", nanoseconds as u64), false)?;
        }
        Ok(fits)
    }

    /// Waits for the previous operation, and for these.
    fn wait(&mut self, links: &[Predecessor]) -> io::Result<()> {
        if links.is_empty() {
            return Ok(());
        }
        self.sleep(0.0)?;
        links.iter().try_for_each(|&link| self.follow(link))
    }

    /// Writes the steps of the rank in its next collective, which this action starts, and its flops; `false` if its
    /// messages are not known, or the flops take too long for the format.
    fn perform(&mut self, action: &Action, flops: f64) -> io::Result<bool> {
        let Some(rounds) = &mut self.rounds else { return Ok(false) };
        let (mut steps, mut open) = (Vec::new(), Vec::new());
        rounds.next(action, &mut steps);
        for step in steps {
            match step {
                Round::Send { to, bytes, tag, blocks } => {
                    let label = self.send(bytes, to, tag, !blocks)?;
                    open.extend((!blocks).then_some(Predecessor::end_of(label)));
                }
                Round::Receive { from, bytes, tag, blocks } => {
                    let label = self.receive(bytes, from, tag, !blocks)?;
                    open.extend((!blocks).then_some(Predecessor::end_of(label)));
                }
                Round::Wait { nth } => {
                    let link = open.remove(nth as usize);
                    self.wait(&[link])?;
                }
                Round::WaitAll => self.wait(&std::mem::take(&mut open))?,
            }
        }
        if flops > 0.0 { self.compute(flops) } else { Ok(true) }
    }

    /// Writes an action; `false` if it cannot be expressed.
    fn action(&mut self, trace: &Trace, action: &Action) -> io::Result<bool> {
        let rank = self.rank;
        match *action {
            Action::Init
            | Action::Finalize
            | Action::NoOperation
            | Action::Test { .. }
            | Action::TestRequest { .. }
            | Action::Iprobe { .. } => {}
            // The operations after it wait for the message, so the receive is written here.
            Action::Probe { from, tag } => {
                if let Some((number, bytes)) = self.probed.next((from, rank, tag)) {
                    let label = self.receive(bytes, from, tag, false)?;
                    self.probed.early.insert(((from, rank, tag), number), label);
                }
            }
            Action::Compute { flops } => return self.compute(flops),
            Action::Sleep { seconds } => return self.sleep(seconds),
            Action::Recv { count: UNKNOWN_COUNT, .. }
            | Action::Irecv { count: UNKNOWN_COUNT, .. }
            | Action::Put { .. }
            | Action::Get { .. }
            | Action::Accumulate { .. }
            | Action::Fence { .. }
            | Action::Flush { .. } => return Ok(false),
            Action::Collective { index } => return self.perform(action, trace.collectives[index as usize].flops),
            // It proceeds independently of the rank's next actions.
            Action::Start { index, request } => {
                let here = self.last;
                let is_free = |core: &u8| self.started.iter().all(|started| started.core != *core);
                self.core = (1..u8::MAX).find(is_free).unwrap_or(u8::MAX);
                let known = self.perform(action, trace.collectives[index as usize].flops)?;
                let core = std::mem::take(&mut self.core);
                let end = std::mem::replace(&mut self.last, here);
                self.started.push(Started { number: request, end, core });
                return Ok(known);
            }
            Action::WaitRequest { request } => {
                let oldest = self.started.iter().position(|started| started.number == request);
                if let Some(at) = oldest {
                    let end = self.started.remove(at).end;
                    self.wait(end.as_slice())?;
                }
            }
            Action::Send { to, tag, count, datatype } => {
                self.send(datatype.bytes(count), to, tag, false)?;
            }
            Action::Recv { from, tag, count, datatype } => {
                if self.probed.take((from, rank, tag)).is_none() {
                    self.receive(datatype.bytes(count), from, tag, false)?;
                }
            }
            Action::Isend { to, tag, count, datatype } => {
                let label = self.send(datatype.bytes(count), to, tag, true)?;
                self.requests.entry((rank, to, tag)).or_default().push_back(label);
            }
            Action::Irecv { from, tag, count, datatype } => {
                let label = match self.probed.take((from, rank, tag)) {
                    Some(label) => label,
                    None => self.receive(datatype.bytes(count), from, tag, true)?,
                };
                self.requests.entry((from, rank, tag)).or_default().push_back(label);
            }
            Action::SendRecv { index } => {
                let entry = trace.sendrecvs[index as usize];
                self.probed.take((entry.from, rank, 0));
                let send = self.send(entry.send_type.bytes(entry.send_count), entry.to, 0, true)?;
                let receive = self.receive(entry.recv_type.bytes(entry.recv_count), entry.from, 0, true)?;
                self.wait(&[send, receive].map(Predecessor::end_of))?;
            }
            Action::Pick { nth } => self.picked = nth,
            Action::Wait { source, destination, tag } => {
                let nth = std::mem::take(&mut self.picked);
                let waited = take_nth(&mut self.requests, &(source, destination, tag), nth);
                self.wait(waited.map(Predecessor::end_of).as_slice())?;
            }
            Action::WaitAll => {
                let mut all: Vec<u64> = self.requests.drain().flat_map(|(_, queue)| queue).collect();
                all.sort_unstable();
                self.wait(&all.into_iter().map(Predecessor::end_of).collect::<Vec<_>>())?;
                let ends: Vec<Predecessor> = self.started.drain(..).filter_map(|started| started.end).collect();
                self.wait(&ends)?;
            }
        }
        Ok(true)
    }
}
