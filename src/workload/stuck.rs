//! Detection of programs that are stuck within one statement.
//!
//! Steps and memory are checked before each statement, but a statement can be a single step that never ends: a value
//! that contains another one twice, nested forty times, is small, but comparing, hashing or printing it takes 2^40
//! steps inside the interpreter, which checks no limit. This cannot be stopped from within, so it is observed from
//! another thread: each evaluation counts its statements, and the caller checks whether the count advances
//! ([`Patience`]), and ends the process if it does not.

use super::marks::original;
use starlark::codemap::FileSpan;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Running evaluations.
static RUNNING: Mutex<Vec<Weak<Here>>> = Mutex::new(Vec::new());

/// Number of threads in internal work that is known to end, but may take long.
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Time of an evaluation that may have only a few steps.
const LEAST_OF_ALL: Duration = Duration::from_secs(60);
/// Time of an evaluation for each step that it may have: fifty times that of a step in the usual case.
const MICROSECONDS_OF_A_STEP: u64 = 3;

/// Position of an evaluation.
#[derive(Debug, Default)]
pub(super) struct Here {
    statements: AtomicU64,
    /// Time that all statements together may take.
    most: Duration,
    place: Mutex<Option<FileSpan>>,
}

impl Here {
    /// Registers the start of an evaluation of at most that many steps.
    pub fn begin(steps: u64) -> Arc<Self> {
        let most = LEAST_OF_ALL.saturating_add(Duration::from_micros(steps.saturating_mul(MICROSECONDS_OF_A_STEP)));
        let here = Arc::new(Self { most, ..Self::default() });
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|other| other.strong_count() > 0);
        running.push(Arc::downgrade(&here));
        here
    }

    /// Registers the start of a statement.
    pub fn at(&self, span: FileSpan) {
        *self.place.lock().unwrap_or_else(PoisonError::into_inner) = Some(span);
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the current statement, or the last one.
    pub fn place(&self) -> Option<FileSpan> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Returns the number of running evaluations.
pub(super) fn running() -> usize {
    let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.iter().filter(|here| here.strong_count() > 0).count()
}

/// Returns the place at which a span begins: `file:line:column`.
pub(super) fn place(span: &FileSpan) -> String {
    let begin = span.resolve_span().begin;
    let before: String = span.file.source_line(begin.line).chars().take(begin.column).collect();
    format!("{}:{}:{}", span.filename(), begin.line + 1, original(&before).chars().count() + 1)
}

/// Internal work inside a statement.
pub(super) struct AtWork;

impl AtWork {
    pub fn begin() -> Self {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A moment: on the clock, and in processor time of the process if that is known.
#[derive(Debug, Clone, Copy)]
struct Since {
    clock: Instant,
    processor: Option<Duration>,
}

impl Since {
    fn now() -> Self {
        #[cfg(unix)]
        let processor = {
            let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
            u64::try_from(time.tv_sec).ok().map(|seconds| Duration::new(seconds, time.tv_nsec as u32))
        };
        #[cfg(not(unix))]
        let processor = None;
        Self { clock: Instant::now(), processor }
    }

    /// Returns the time since an earlier moment. On a busy machine the clock advances while the program waits for a
    /// processor, and with several threads processor time advances faster than the clock: the result is the shorter of
    /// the two.
    fn after(self, earlier: Self) -> Duration {
        let clock = self.clock - earlier.clock;
        let used = self.processor.zip(earlier.processor).map(|(now, before)| now.saturating_sub(before));
        used.map_or(clock, |used| used.min(clock))
    }
}

/// Observes running programs from a separate thread.
#[derive(Debug)]
pub struct Patience {
    most: Duration,
    seen: Vec<Seen>,
}

/// An evaluation at the last look.
#[derive(Debug)]
struct Seen {
    here: Weak<Here>,
    /// Number of statements, and the time of the look that found a new one.
    statements: u64,
    since: Since,
    /// Time of all looks so far, without internal work, and the time of the last one.
    spent: Duration,
    last: Since,
}

impl Patience {
    /// Creates an observer that permits a statement to take this long.
    pub fn new(most: Duration) -> Self {
        Self { most, seen: Vec::new() }
    }

    /// Checks all running programs of the process. Returns a message with a position if a statement takes too long; the
    /// thread that runs it cannot be stopped. To be called about every second.
    pub fn look(&mut self) -> Option<String> {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if running.is_empty() {
            return None;
        }
        let now = Since::now();
        let before = std::mem::take(&mut self.seen);
        for weak in running {
            let Some(here) = weak.upgrade() else { continue };
            let count = here.statements.load(Ordering::Relaxed);
            let known = before.iter().find(|seen| seen.here.ptr_eq(&weak));
            let idle = AT_WORK.load(Ordering::Relaxed) == 0;
            let since = known.filter(|seen| seen.statements == count && idle).map_or(now, |seen| seen.since);
            let more = |seen: &Seen| if idle { now.after(seen.last) } else { Duration::ZERO };
            let spent = known.map_or(Duration::ZERO, |seen| seen.spent + more(seen));
            if count > 0
                && spent > here.most
                && let Some(span) = here.place()
            {
                return Some(format!(
                    "{}: the program runs away: it takes more than {} s, which is too long for its number of steps",
                    place(&span),
                    here.most.as_secs()
                ));
            }
            if count > 0
                && now.after(since) > self.most
                && let Some(span) = here.place()
            {
                return Some(format!(
                    "{}: one statement takes more than {} s, without a loop or a call: it compares, hashes or prints a \
                     value that holds others many times over",
                    place(&span),
                    self.most.as_secs()
                ));
            }
            self.seen.push(Seen { here: weak, statements: count, since, spent, last: now });
        }
        None
    }
}
