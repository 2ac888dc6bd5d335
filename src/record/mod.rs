//! `mopsim record`: the calls of a real MPI program, intercepted by a library that is preloaded into its processes.
//!
//! The library is C, in `c/`, and embedded in this program as text. It is compiled by the compiler of the user's own
//! MPI library, since only that has the right handles, statuses and constants; a precompiled library would fit one MPI
//! library of many. Its output is described in docs/reference/recording-format.md and read by
//! [`trace::recording`](crate::trace::recording).

mod compiler;
mod launch;

use crate::user_error::UserError;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub(crate) use compiler::compile_file;
pub use compiler::{compile, compile_program, find_compiler};
pub use launch::{Recorder, launcher_of, program_of, run};

/// The files of the library; the first one includes the others.
const SOURCES: [(&str, &str); 10] = [
    ("recorder.c", include_str!("c/recorder.c")),
    ("core.h", include_str!("c/core.h")),
    ("handles.h", include_str!("c/handles.h")),
    ("messages.h", include_str!("c/messages.h")),
    ("collectives.h", include_str!("c/collectives.h")),
    ("life.h", include_str!("c/life.h")),
    ("counted_calls.h", include_str!("c/counted_calls.h")),
    ("other_calls.h", include_str!("c/other_calls.h")),
    ("fortran.h", include_str!("c/fortran.h")),
    ("fortran_calls.h", include_str!("c/fortran_calls.h")),
];

/// Name of the compiled library.
const LIBRARY: &str = "libmopsim-record.so";

/// `true` if a file of that name is the library, or one of its sources.
pub fn is_file_of_library(name: &str) -> bool {
    name == LIBRARY || SOURCES.iter().any(|(source, _)| *source == name)
}

/// Reason why a program cannot be recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system has no way to preload a library.
    #[error("programs are recorded on Linux only")]
    NotLinux,
    /// No compiler of an MPI library was found.
    #[error("there is no compiler of an MPI library: `{}` is not found", .0.display())]
    NoCompiler(PathBuf),
    /// The compiler failed to build the library.
    #[error("`{}` cannot compile it:\n{message}", .compiler.display())]
    Compiler {
        /// Path of the compiler.
        compiler: PathBuf,
        /// Message of the compiler.
        message: String,
    },
    /// The command could not be started.
    #[error("`{command}` cannot be started: {error}")]
    Command {
        /// Command as given.
        command: String,
        /// Reason of the failure.
        #[source]
        error: io::Error,
    },
    /// A file could not be written.
    #[error("{}: {error}", .file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// Reason of the failure.
        #[source]
        error: io::Error,
    },
}

impl UserError for RecordError {
    fn help(&self) -> String {
        let help = match self {
            Self::NotLinux => "record it on the cluster, and copy the folder",
            Self::NoCompiler(_) => {
                "load the module of the MPI library, install its development package (Debian: libopenmpi-dev or \
                 libmpich-dev), or name its compiler with --mpicc"
            }
            Self::Compiler { .. } => {
                "name the C compiler of the MPI library that runs the program with --mpicc; --keep-library keeps the source"
            }
            Self::Command { .. } => {
                "what comes behind `--` is a command as you would type it: mopsim record -- mpirun -n 4 ./app"
            }
            Self::File { .. } => "check the path, its permissions and the disk; -o names another folder",
        };
        help.to_owned()
    }

    fn is_io(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}
