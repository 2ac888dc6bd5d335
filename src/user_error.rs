//! What every error that reaches a user has to say: a way out, and the exit code.
//!
//! The command line converts errors by this trait alone, and so does the Python package, so a new type of error cannot be
//! used there without an answer to both.

/// Exit code of a replay or check that failed: a deadlock, messages that are never received, a difference.
pub const FAILED: u8 = 1;
/// Exit code of bad arguments or input.
pub const BAD_INPUT: u8 = 2;
/// Exit code of reading or writing that failed.
pub const IO_FAILED: u8 = 3;
/// Exit code after Ctrl-C: 128 plus the number of the signal, as in shells.
pub const INTERRUPTED: u8 = 130;

/// Error that a user reads. Its `Display` says what is wrong and where, without a full stop.
pub trait UserError: std::error::Error {
    /// Returns one line on how to fix it; empty if there is nothing to add.
    fn help(&self) -> String;

    /// Returns `true` if the operating system refused something, as opposed to bad input.
    fn is_io(&self) -> bool {
        false
    }

    /// Returns the exit code of the program.
    fn exit_code(&self) -> u8 {
        code_of_input(self.is_io())
    }
}

/// Returns the exit code of an error of reading, or of what was read.
pub fn code_of_input(is_io: bool) -> u8 {
    if is_io { IO_FAILED } else { BAD_INPUT }
}
