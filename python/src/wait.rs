//! Long work without the lock of the interpreter; Ctrl-C ends it.

use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// Time that work has to end after Ctrl-C. What does not look at its flag goes on without anything that waits for it.
const GRACE: Duration = Duration::from_secs(5);

/// Stack of the thread that works: as large as that of a main thread.
const STACK: usize = 8 << 20;

/// Does work on a thread of its own, while this one handles signals and calls `look` about 20 times per second. Where a
/// signal handler or `look` raises, `stop` becomes `true`, and the exception is raised once the work has ended or has
/// taken five seconds more.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    stop: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
    mut look: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    type Result<T> = std::result::Result<T, Box<dyn Any + Send>>;
    let (send, mut receive) = mpsc::channel::<Result<T>>();
    let thread = std::thread::Builder::new().name("mopsim".to_owned()).stack_size(STACK);
    let spawned = thread.spawn(move || {
        // There is no receiver any more after an interruption.
        let _ = send.send(catch_unwind(AssertUnwindSafe(work)));
    });
    spawned.map_err(|error| PyErr::new::<pyo3::exceptions::PyRuntimeError, _>(error.to_string()))?;
    let ended = |result: Result<T>| result.unwrap_or_else(|panic| resume_unwind(panic));
    let mut next = || {
        let receive = &mut receive;
        py.detach(move || receive.recv_timeout(LOOK))
    };
    loop {
        match next() {
            Ok(result) => return Ok(ended(result)),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the thread sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| look(py)) {
            stop.store(true, Ordering::Relaxed);
            let begin = Instant::now();
            while begin.elapsed() < GRACE && matches!(next(), Err(RecvTimeoutError::Timeout)) {}
            return Err(error);
        }
    }
}

/// Does work that has no flag to look at, and reports no progress.
pub fn wait_for<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    wait(py, &Arc::default(), work, |_| Ok(()))
}
