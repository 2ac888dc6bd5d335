//! Time limits of programs, as a last resort: steps are counted, and these limits are for steps that take far longer than
//! others, such as lookups of keys whose hashes are the same.
//!
//! An evaluation ends itself once it has taken too long for its number of steps ([`Here::overdue`]). One that is stuck
//! inside the interpreter cannot be stopped from within, so it is observed from another thread: each evaluation counts its
//! statements, and the caller checks whether the count advances ([`Patience`]), and ends the process if it does not.

use super::limits::RUNS_AWAY;
use super::marks::original;
use starlark::codemap::{FileSpan, FileSpanRef};
use std::cell::Cell;
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
    /// Time that all statements together may take, without internal work.
    most: Duration,
    /// Processor time of the thread, and what of it was internal work, at the start.
    begin: Duration,
    excused: Duration,
    place: Mutex<Option<FileSpan>>,
}

impl Here {
    /// Registers the start of an evaluation of at most that many steps.
    pub fn begin(steps: u64) -> Arc<Self> {
        let most = LEAST_OF_ALL.saturating_add(Duration::from_micros(steps.saturating_mul(MICROSECONDS_OF_A_STEP)));
        let here = Arc::new(Self { most, begin: of_thread(), excused: EXCUSED.get(), ..Self::default() });
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|other| other.strong_count() > 0);
        running.push(Arc::downgrade(&here));
        here
    }

    /// Registers the start of a statement.
    pub fn at(&self, span: FileSpanRef) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        // All threads share the counter of references to a file, so it changes only with the file.
        match &mut *place {
            Some(place) if place.file == *span.file => place.span = span.span,
            place => *place = Some(span.to_file_span()),
        }
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns `true` if the thread, which runs the evaluation, has spent more time on it than its number of steps explains.
    pub fn overdue(&self) -> bool {
        let excused = EXCUSED.get().saturating_sub(self.excused);
        of_thread().saturating_sub(self.begin).saturating_sub(excused) > self.most
    }

    /// Returns the message about that.
    pub fn too_long(&self) -> String {
        let most = self.most.as_secs();
        format!("{RUNS_AWAY}: it takes more than {most} s, which is too long for its number of steps")
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

thread_local! {
    /// Processor time of internal work of this thread.
    static EXCUSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Returns the processor time of this thread, and where the system does not report it, of the clock.
fn of_thread() -> Duration {
    #[cfg(unix)]
    let time = since_then(rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime));
    #[cfg(not(unix))]
    let time = {
        static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        START.elapsed()
    };
    time
}

#[cfg(unix)]
fn since_then(time: rustix::time::Timespec) -> Duration {
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
}

/// Internal work inside a statement.
pub(super) struct AtWork {
    begin: Duration,
}

impl AtWork {
    pub fn begin() -> Self {
        AT_WORK.fetch_add(1, Ordering::Relaxed);
        Self { begin: of_thread() }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
        EXCUSED.set(EXCUSED.get() + of_thread().saturating_sub(self.begin));
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
        let processor = Some(since_then(rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime)));
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
                return Some(format!("{}: {}", place(&span), here.too_long()));
            }
            if count > 0
                && now.after(since) > self.most
                && let Some(span) = here.place()
            {
                return Some(format!(
                    "{}: one statement takes more than {} s: one of its operations is on very large values",
                    place(&span),
                    self.most.as_secs()
                ));
            }
            self.seen.push(Seen { here: weak, statements: count, since, spent, last: now });
        }
        None
    }
}
