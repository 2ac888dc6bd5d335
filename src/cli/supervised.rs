//! Programs that are measured: a signal to this process also ends them, and temporary folders are removed.

use super::failure::Failure;
use std::io;
use std::process::{Command, ExitStatus, Stdio};

/// Becomes true with the first SIGINT, SIGTERM or SIGHUP, which then no longer end the process.
#[derive(Debug)]
pub struct StopSignal(#[cfg(unix)] mopsim::emulate::Stop);

impl StopSignal {
    /// Begins to listen.
    pub fn listen() -> Self {
        Self(
            #[cfg(unix)]
            mopsim::emulate::Stop::listen(),
        )
    }

    /// Returns the failure after a signal.
    pub fn check(&self) -> Result<(), Failure> {
        #[cfg(unix)]
        self.0.check()?;
        Ok(())
    }
}

/// Runs a command to its end or to a signal, and returns its status and standard output. The inner error is that of
/// starting it.
#[cfg(unix)]
pub fn output(mut command: Command, stop: &StopSignal) -> Result<io::Result<(ExitStatus, String)>, Failure> {
    use mopsim::emulate::{EmulateError, Ended, watch};
    command.stdout(Stdio::piped());
    match watch(command, false, &stop.0, None) {
        Ok(watched) => match watched.ended {
            Ended::With(status) => Ok(Ok((status, watched.output))),
            Ended::TimedOut | Ended::Interrupted => Err(EmulateError::Interrupted.into()),
        },
        Err(error) => Ok(Err(error)),
    }
}

/// Runs a command to its end, and returns its status and standard output. The inner error is that of starting it.
#[cfg(not(unix))]
pub fn output(mut command: Command, _stop: &StopSignal) -> Result<io::Result<(ExitStatus, String)>, Failure> {
    let run = command.stderr(Stdio::inherit()).output();
    Ok(run.map(|out| (out.status, String::from_utf8_lossy(&out.stdout).into_owned())))
}

/// Returns the exit code of a command; for one that a signal ended, that of shells.
pub fn exit_code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    let code = status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}
