//! `mopsim record`: the calls of a real MPI program, seen by a library that is preloaded into its processes.
//!
//! The library is C, in `c/`, and a part of this program as text. It is compiled by the compiler of the user's own MPI
//! library, since only that knows what handles, statuses and constants are there; one that was compiled beforehand
//! would fit one library of many. What it writes is described in docs/reference/recording-format.md and read by
//! [`trace::recording`](crate::trace::recording).

mod compiler;
mod launch;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub(crate) use compiler::compile_file;
pub use compiler::{compile, find_compiler};
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

/// Whether a file of that name is the library, or one of its sources.
pub fn is_file_of_library(name: &str) -> bool {
    name == LIBRARY || SOURCES.iter().any(|(source, _)| *source == name)
}

/// Why a program cannot be recorded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system has no way to preload a library.
    #[error("programs are recorded on Linux only")]
    NotLinux,
    /// There is no compiler of an MPI library.
    #[error("there is no compiler of an MPI library: `{}` is not found", .0.display())]
    NoCompiler(PathBuf),
    /// The compiler does not make the library.
    #[error("`{}` cannot compile the recorder:\n{message}", .compiler.display())]
    Compiler {
        /// The compiler.
        compiler: PathBuf,
        /// What it says.
        message: String,
    },
    /// The command cannot be started.
    #[error("`{command}` cannot be started: {error}")]
    Command {
        /// The command.
        command: String,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: {error}", .file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
}

impl RecordError {
    /// What to do about it, in one line.
    pub fn help(&self) -> &'static str {
        match self {
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
        }
    }

    /// Whether the operating system refused something, as opposed to bad input.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::File { .. })
    }
}
