//! Checks for errors and possible problems of a trace.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::deadlock::{EagerLimit, blocked};
use super::matching::Matching;
use crate::trace::queues::{take_nth, take_oldest};
use crate::trace::{Action, Effect, Trace, TraceWarning, Triple};

/// Size in bytes from which the sender of a message waits for its receive in a replay, by default.
pub const EAGER_BELOW: u64 = 65_536;

/// Severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// A replay fails, or does not correspond to a correct program.
    Error,
    /// A replay works, but may differ from the recorded program.
    Warning,
    /// Information.
    Note,
}

impl Severity {
    /// Returns the severity in a word.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A finding, with its first place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Severity of the finding.
    pub severity: Severity,
    /// Kind, for programs: `unmatched-send`.
    pub kind: &'static str,
    /// Number of occurrences.
    pub count: u64,
    /// Rank of the first occurrence; `None` if it concerns the whole trace.
    pub rank: Option<u32>,
    /// Index of its action, from 0.
    pub action: Option<usize>,
    /// Description in words.
    pub text: String,
}

/// Findings of one kind so far: their number, and the first.
#[derive(Default)]
pub(super) struct Tally {
    count: u64,
    first: Option<(u32, usize, String)>,
}

impl Tally {
    pub fn add(&mut self, rank: u32, action: usize, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.as_ref().is_none_or(|(r, a, _)| (rank, action) < (*r, *a)) {
            self.first = Some((rank, action, text()));
        }
    }

    pub fn finding(self, severity: Severity, kind: &'static str) -> Option<Finding> {
        let (rank, action, text) = self.first?;
        Some(Finding { severity, kind, count: self.count, rank: Some(rank), action: Some(action), text })
    }
}

/// Checks a trace for all kinds of problems. Errors come first.
pub fn check(trace: &Trace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut matching = Matching::new(trace);
    let certain = blocked(trace, EagerLimit::BUFFERED, &mut matching);
    matching.finish(&mut findings);
    requests(trace, &mut findings);
    if let Some(finding) = deadlock(trace, &certain, Severity::Error, "deadlock", "wait forever") {
        findings.push(finding);
    } else {
        let possible = blocked(trace, EagerLimit::SYNCHRONOUS, &mut ());
        let in_replay = if possible.is_empty() { Vec::new() } else { blocked(trace, EagerLimit(EAGER_BELOW), &mut ()) };
        let text = format!(
            "wait forever in a replay, where sends of {EAGER_BELOW} bytes or more wait for their receives (unless the model has a \
             larger `detached_below`)"
        );
        let certain = deadlock(trace, &in_replay, Severity::Error, "deadlock", &text);
        let text = "wait forever if sends wait for their receives: the program relies on buffers";
        let relies = || deadlock(trace, &possible, Severity::Warning, "possible-deadlock", text);
        findings.extend(certain.or_else(relies));
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
    let standing = trace.actions[rank as usize].get(action)?;
    let what = crate::trace::ti::text(trace, &standing);
    let text = format!("{} of {} ranks {text}; rank {rank} in `{what}`", blocked.len(), trace.ranks());
    let (rank, action) = (Some(rank), Some(action));
    Some(Finding { severity, kind, count: blocked.len() as u64, rank, action, text })
}

/// Checks requests: each has to be waited for, and each wait needs one. No call may follow the end of MPI.
fn requests(trace: &Trace, findings: &mut Vec<Finding>) {
    let [mut none, mut missing, mut forgotten, mut late] = [(); 4].map(|()| Tally::default());
    for (rank, actions) in (0..).zip(&trace.actions) {
        let mut is_final = false;
        let mut picked = 0;
        let mut open: FxHashMap<Triple, VecDeque<usize>> = FxHashMap::default();
        let mut started: FxHashMap<u32, VecDeque<usize>> = FxHashMap::default();
        for (index, action) in actions.iter().enumerate() {
            match action {
                // A program may compute after the end of MPI; in a trace of several programs, MPI begins again.
                Action::Compute { .. } | Action::Sleep { .. } | Action::NoOperation => {}
                Action::Init | Action::Finalize => is_final = action == Action::Finalize,
                _ if is_final => late.add(rank, index, || {
                    format!("`{}` follows the end of MPI, `finalize`", crate::trace::ti::text(trace, &action))
                }),
                _ => {}
            }
            match action {
                Action::Isend { to, tag, .. } => open.entry((rank, to, tag)).or_default().push_back(index),
                Action::Irecv { from, tag, .. } => open.entry((from, rank, tag)).or_default().push_back(index),
                Action::Pick { nth } => picked = nth,
                Action::Wait { source, destination, tag } => {
                    let triple = (source, destination, tag);
                    let nth = std::mem::take(&mut picked);
                    // A replay ends here only if the rank has no request at all.
                    let tally = if open.is_empty() { &mut none } else { &mut missing };
                    let found = take_nth(&mut open, &triple, nth);
                    if found.is_none() {
                        tally.add(rank, index, || {
                            format!("no request from rank {source} to {destination} with tag {tag} is open")
                        });
                    }
                }
                Action::Start { request, .. } => started.entry(request).or_default().push_back(index),
                Action::Test { .. } if open.is_empty() => {
                    none.add(rank, index, || "no request is open".to_owned());
                }
                Action::TestRequest { .. } if started.is_empty() => {
                    none.add(rank, index, || "no collective is under way".to_owned());
                }
                Action::WaitRequest { request } => {
                    let tally = if started.is_empty() { &mut none } else { &mut missing };
                    let found = take_oldest(&mut started, &request);
                    if found.is_none() {
                        tally.add(rank, index, || format!("no collective of number {request} is under way"));
                    }
                }
                Action::WaitAll => {
                    open.clear();
                    started.clear();
                }
                _ => {}
            }
        }
        for index in open.into_values().chain(started.into_values()).flatten() {
            let text = || actions.get(index).map(|action| crate::trace::ti::text(trace, &action)).unwrap_or_default();
            forgotten.add(rank, index, || format!("no wait for `{}`", text()));
        }
    }
    findings.extend(none.finding(Severity::Error, "wait-without-request"));
    findings.extend(missing.finding(Severity::Warning, "wait-without-request"));
    findings.extend(forgotten.finding(Severity::Warning, "request-without-wait"));
    findings.extend(late.finding(Severity::Warning, "call-after-finalize"));
}

/// Adds the warnings of the reader.
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
            TraceWarning::NotRecorded { calls, .. } => {
                (Severity::Warning, "not-recorded", calls.iter().map(|gap| gap.missing).sum(), None)
            }
            TraceWarning::Paused { count, .. } => (Severity::Warning, "not-recorded", *count, None),
            TraceWarning::Noted { .. } => (Severity::Note, "noted", 1, None),
        };
        findings.push(Finding { severity, kind, count, rank, action: None, text: warning.to_string() });
    }
}
