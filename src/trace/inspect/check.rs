//! What is wrong with a trace, or may be.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::deadlock::{Sends, blocked};
use crate::trace::communicator::{Sequence, sequence};
use crate::trace::{Action, CollectiveCall, CollectiveKind, Datatype, Effect, Trace, TraceWarning, UNKNOWN_COUNT};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// A replay fails, or is not that of a correct program.
    Error,
    /// A replay works, but may not be what was recorded.
    Warning,
    /// Something to know.
    Note,
}

impl Severity {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// Something that was found, with its first place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Its kind, for programs: `unmatched-send`.
    pub kind: &'static str,
    /// How many there are.
    pub count: u64,
    /// The rank of the first one; none where it concerns the whole trace.
    pub rank: Option<u32>,
    /// Index of its action, from 0.
    pub action: Option<usize>,
    /// What it is, in words.
    pub text: String,
}

/// A half of a message that was posted.
#[derive(Clone, Copy)]
struct Half {
    action: u32,
    count: u32,
    datatype: Datatype,
}

impl Half {
    fn bytes(&self) -> u64 {
        u64::from(self.count) * self.datatype.size()
    }
}

/// Source, destination and tag.
type Triple = (u32, u32, i32);

/// Findings of one kind under way: how many, and the first.
#[derive(Default)]
struct Tally {
    count: u64,
    first: Option<(u32, usize, String)>,
}

impl Tally {
    fn add(&mut self, rank: u32, action: usize, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|(r, a, _)| (rank, action) < (*r, *a)) {
            self.first = Some((rank, action, text()));
        }
    }

    fn finding(self, severity: Severity, kind: &'static str) -> Option<Finding> {
        let (rank, action, text) = self.first?;
        Some(Finding { severity, kind, count: self.count, rank: Some(rank), action: Some(action), text })
    }
}

/// Looks for everything that can be wrong. Errors come first.
pub fn check(trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    messages(trace, &mut findings);
    requests(trace, &mut findings);
    collectives(trace, &mut findings);
    let certain = blocked(trace, Sends::Buffered);
    if let Some(finding) = deadlock(trace, &certain, Severity::Error, "deadlock", "wait for ever") {
        findings.push(finding);
    } else {
        let possible = blocked(trace, Sends::Synchronous);
        let text = "wait for ever if sends wait for their receives: the program relies on buffers";
        findings.extend(deadlock(trace, &possible, Severity::Warning, "possible-deadlock", text));
    }
    notes(trace, &mut findings);
    findings.sort_by_key(|finding| finding.severity);
    findings
}

fn deadlock(
    trace: &Trace,
    blocked: &[(u32, usize)],
    severity: Severity,
    kind: &'static str,
    text: &str,
) -> Option<Finding> {
    let &(rank, action) = blocked.first()?;
    let what = crate::trace::ti::text(trace, &trace.actions[rank as usize][action]);
    let text = format!("{} of {} ranks {text}; rank {rank} in `{what}`", blocked.len(), trace.ranks());
    let (rank, action) = (Some(rank), Some(action));
    Some(Finding { severity, kind, count: blocked.len() as u64, rank, action, text })
}

/// Sends and receives: whether each has its other half, of a size and type that fits.
fn messages(trace: &Trace, findings: &mut Vec<Finding>) {
    let mut posted: FxHashMap<Triple, [Vec<Half>; 2]> = FxHashMap::default();
    for (rank, actions) in (0..).zip(&trace.actions) {
        for (index, action) in actions.iter().enumerate() {
            let mut post = |triple, side: usize, count, datatype| {
                let half = Half { action: index as u32, count, datatype };
                posted.entry(triple).or_default()[side].push(half);
            };
            match *action {
                Action::Send { to, tag, count, datatype } | Action::Isend { to, tag, count, datatype } => {
                    post((rank, to, tag), 0, count, datatype);
                }
                Action::Recv { from, tag, count, datatype } | Action::Irecv { from, tag, count, datatype } => {
                    post((from, rank, tag), 1, count, datatype);
                }
                Action::SendRecv { index } => {
                    let entry = trace.sendrecvs[index as usize];
                    post((rank, entry.to, 0), 0, entry.send_count, entry.send_type);
                    post((entry.from, rank, 0), 1, entry.recv_count, entry.recv_type);
                }
                _ => {}
            }
        }
    }
    let [mut sends, mut receives, mut sizes, mut types, mut larger] = [(); 5].map(|()| Tally::default());
    for (&(source, destination, tag), [sent, received]) in &posted {
        let both = sent.len().min(received.len());
        for half in &sent[both..] {
            sends.add(source, half.action as usize, || {
                format!("a message to rank {destination} with tag {tag} is never received")
            });
        }
        for half in &received[both..] {
            receives.add(destination, half.action as usize, || {
                format!("a message from rank {source} with tag {tag} is never sent")
            });
        }
        for (send, receive) in sent.iter().zip(received) {
            let at = receive.action as usize;
            if receive.count == UNKNOWN_COUNT {
                continue;
            }
            let (bytes, room) = (send.bytes(), receive.bytes());
            if bytes > room {
                sizes.add(destination, at, || {
                    format!("{bytes} bytes from rank {source} with tag {tag} come into a receive of {room} bytes")
                });
            } else if bytes < room {
                larger.add(destination, at, || {
                    format!("a receive of {room} bytes gets {bytes} bytes from rank {source} with tag {tag}")
                });
            }
            let wild = |datatype| matches!(datatype, Datatype::BYTE | Datatype::NULL);
            if send.datatype != receive.datatype && !wild(send.datatype) && !wild(receive.datatype) {
                types.add(destination, at, || {
                    let (sent, received) = (send.datatype.name(), receive.datatype.name());
                    format!("a message from rank {source} with tag {tag} is sent as {sent}, received as {received}")
                });
            }
        }
    }
    findings.extend(sends.finding(Severity::Error, "unmatched-send"));
    findings.extend(receives.finding(Severity::Error, "unmatched-receive"));
    findings.extend(sizes.finding(Severity::Error, "truncated-message"));
    findings.extend(types.finding(Severity::Error, "different-types"));
    findings.extend(larger.finding(Severity::Note, "larger-receive"));
}

/// Requests: whether each is waited for, and each wait has one.
fn requests(trace: &Trace, findings: &mut Vec<Finding>) {
    let [mut missing, mut forgotten] = [(); 2].map(|()| Tally::default());
    for (rank, actions) in (0..).zip(&trace.actions) {
        let mut open: FxHashMap<Triple, Vec<usize>> = FxHashMap::default();
        let mut started: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, action) in actions.iter().enumerate() {
            match *action {
                Action::Isend { to, tag, .. } => open.entry((rank, to, tag)).or_default().push(index),
                Action::Irecv { from, tag, .. } => open.entry((from, rank, tag)).or_default().push(index),
                Action::Wait { source, destination, tag } => {
                    let triple = (source, destination, tag);
                    let found = open.get_mut(&triple).filter(|list| !list.is_empty());
                    match found {
                        Some(list) => drop(list.remove(0)),
                        None => missing.add(rank, index, || {
                            format!("no request from rank {source} to {destination} with tag {tag} is open")
                        }),
                    }
                }
                Action::Start { request, .. } => started.entry(request).or_default().push(index),
                Action::WaitRequest { request } => match started.get_mut(&request).filter(|list| !list.is_empty()) {
                    Some(list) => drop(list.remove(0)),
                    None => missing.add(rank, index, || format!("no collective of number {request} is under way")),
                },
                Action::WaitAll => {
                    open.clear();
                    started.clear();
                }
                _ => {}
            }
        }
        for index in open.into_values().chain(started.into_values()).flatten() {
            forgotten
                .add(rank, index, || format!("nobody waits for `{}`", crate::trace::ti::text(trace, &actions[index])));
        }
    }
    findings.extend(missing.finding(Severity::Warning, "wait-without-request"));
    findings.extend(forgotten.finding(Severity::Warning, "request-without-wait"));
}

/// What of a collective has to be the same on all members; none for a fence.
fn common(trace: &Trace, call: &CollectiveCall) -> (CollectiveKind, u32, Option<u64>) {
    use CollectiveKind as K;
    let bytes = match call.kind {
        K::Bcast | K::Reduce | K::Allreduce | K::Scan | K::Exscan => {
            Some(u64::from(call.send_count) * call.send_type.size())
        }
        K::ReduceScatter => {
            let sum: u64 = trace.counts(call.recv_counts).iter().map(|&c| u64::from(c)).sum();
            Some(sum * call.send_type.size())
        }
        _ => None,
    };
    (call.kind, call.root, bytes)
}

/// A call of a sequence: index of the action, and the entry of the table; none for a fence.
type Call = (usize, Option<u32>);

/// Collectives and fences: whether all members of a communicator call the same ones with the same root and size.
fn collectives(trace: &Trace, findings: &mut Vec<Finding>) {
    let mut different = Tally::default();
    // The ranks that have calls of each sequence, ascending, and those of the first.
    let mut firsts: BTreeMap<Sequence, (Vec<u32>, Vec<Call>)> = BTreeMap::new();
    for (rank, actions) in (0u32..).zip(&trace.actions) {
        let mut own: BTreeMap<Sequence, Vec<Call>> = BTreeMap::new();
        for (index, action) in actions.iter().enumerate() {
            if let Some(sequence) = sequence(trace, action) {
                own.entry(sequence).or_default().push((index, action.collective()));
            }
        }
        for (sequence, calls) in own {
            match firsts.get_mut(&sequence) {
                None => drop(firsts.insert(sequence, (vec![rank], calls))),
                Some((callers, others)) => {
                    callers.push(rank);
                    compare(trace, sequence, (callers[0], others), (rank, &calls), &mut different);
                }
            }
        }
    }
    for (which, (callers, calls)) in &firsts {
        let members = trace.members(which.0);
        if callers.len() == members.size() {
            continue;
        }
        for rank in members.ranks().filter(|rank| callers.binary_search(rank).is_err()) {
            compare(trace, *which, (callers[0], calls), (rank, &[]), &mut different);
        }
    }
    findings.extend(different.finding(Severity::Error, "different-collectives"));
}

/// Compares the calls of a rank with those of the first one.
fn compare(
    trace: &Trace,
    (communicator, blocks): Sequence,
    (first, others): (u32, &[Call]),
    (rank, own): (u32, &[Call]),
    different: &mut Tally,
) {
    let what = |call: &Call| call.1.map(|index| common(trace, &trace.collectives[index as usize]));
    let say = |call: Option<&Call>| {
        let Some(call) = call else { return "nothing".to_owned() };
        let Some((kind, root, bytes)) = what(call) else { return "fence".to_owned() };
        let bytes = bytes.map(|bytes| format!(" of {bytes} bytes")).unwrap_or_default();
        format!("{}{bytes}, root {root}", if blocks { kind.name() } else { kind.nonblocking_name() })
    };
    for number in 0..others.len().max(own.len()) {
        let (a, b) = (others.get(number), own.get(number));
        if a.map(what) == b.map(what) {
            continue;
        }
        let at = b.map_or(trace.actions[rank as usize].len().saturating_sub(1), |(index, _)| *index);
        different.add(rank, at, || {
            let on = match communicator.index() {
                None => String::new(),
                Some(_) => format!(" of communicator {}", communicator.number()),
            };
            format!("collective number {}{on} is {} on rank {first}, {} here", number + 1, say(a), say(b))
        });
        break;
    }
}

/// What the reader has noted.
fn notes(trace: &Trace, findings: &mut Vec<Finding>) {
    for warning in &trace.warnings {
        let (severity, kind, count, rank) = match warning {
            TraceWarning::Approximated { effect: Effect::Approximated, count, rank, .. } => {
                (Severity::Warning, "approximated", *count, Some(*rank))
            }
            TraceWarning::Approximated { effect: Effect::LeftOut, count, rank, .. } => {
                (Severity::Warning, "left-out", *count, Some(*rank))
            }
            TraceWarning::ForeignLines { rank, lines, .. } => (Severity::Warning, "foreign-lines", *lines, Some(*rank)),
            TraceWarning::UnusedFiles { files, .. } => (Severity::Warning, "unused-files", *files as u64, None),
            TraceWarning::Noted { .. } => (Severity::Note, "noted", 1, None),
        };
        findings.push(Finding { severity, kind, count, rank, action: None, text: warning.to_string() });
    }
}
