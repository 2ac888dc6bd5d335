//! Runs commands so that nothing of them is left behind, however the run ends.

use super::EmulateError;
use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at a running command.
const STEP: Duration = Duration::from_millis(20);

/// Time that a command gets to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(10);

/// Becomes true with the first SIGINT, SIGTERM or SIGHUP, which then no longer end the process.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Begins to listen.
    pub fn listen() -> Self {
        let stop = Self::default();
        #[cfg(unix)]
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP] {
            let _ = signal_hook::flag::register(signal, Arc::clone(&stop.0));
        }
        stop
    }

    /// `true` after a signal.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Checks between two steps.
    ///
    /// # Errors
    /// [`EmulateError::Interrupted`] after a signal.
    pub fn check(&self) -> Result<(), EmulateError> {
        if self.is_set() { Err(EmulateError::Interrupted) } else { Ok(()) }
    }
}

/// End of a command.
#[derive(Clone, Debug)]
pub enum Ended {
    /// By itself.
    With(ExitStatus),
    /// It took longer than it might, and was ended.
    TimedOut,
    /// A signal to this process ended it.
    Interrupted,
}

/// Output of a command that was watched.
#[derive(Clone, Debug)]
pub struct Watched {
    /// How the command ended.
    pub ended: Ended,
    /// Standard output, if it was captured.
    pub output: String,
    /// Standard error, if it was captured.
    pub errors: String,
}

/// Runs a command to its end, to a signal, or to a time limit.
///
/// # Errors
/// If it cannot be started.
pub fn watch(mut command: Command, capture: bool, stop: &Stop, limit: Option<Duration>) -> io::Result<Watched> {
    if capture {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(reader);
    let errors = child.stderr.take().map(reader);
    let begin = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait()? {
            // Ctrl-C reaches both processes.
            break if stop.is_set() { Ended::Interrupted } else { Ended::With(status) };
        }
        if stop.is_set() || limit.is_some_and(|limit| begin.elapsed() > limit) {
            end(&mut child);
            break if stop.is_set() { Ended::Interrupted } else { Ended::TimedOut };
        }
        std::thread::sleep(STEP);
    };
    let text = |reader: Option<std::thread::JoinHandle<Vec<u8>>>| {
        let bytes = reader.and_then(|reader| reader.join().ok()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Watched { ended, output: text(output), errors: text(errors) })
}

fn reader(mut pipe: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// Ends a command: first it may clean up, then it may not.
fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(pid) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let begin = Instant::now();
        while begin.elapsed() < GRACE {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(STEP);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_command_that_takes_too_long_is_ended() {
        let begin = Instant::now();
        let limit = Some(Duration::from_millis(50));
        let watched = watch(shell("exec sleep 30"), true, &Stop::default(), limit).unwrap();
        assert!(matches!(watched.ended, Ended::TimedOut));
        assert!(begin.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn output_is_captured_to_its_end() {
        let watched = watch(shell("seq 100000; echo oh >&2; exit 3"), true, &Stop::default(), None).unwrap();
        assert!(matches!(watched.ended, Ended::With(status) if status.code() == Some(3)));
        assert_eq!((watched.output.lines().count(), watched.errors.as_str()), (100_000, "oh\n"));
    }
}
