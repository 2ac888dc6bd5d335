//! Arguments of `record`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mopsim record -- mpirun -n 16 ./app input.dat
  mopsim record -o small.mrec --mpicc mpicc.mpich -- mpiexec -n 4 ./app
  mopsim trace info app.mrec
  mopsim replay app.mrec --topology torus:4x4

The program is neither modified nor recompiled: a preloaded library intercepts
its MPI calls, in C and Fortran. mopsim compiles this library with `mpicc` (the
one next to mpirun), so that it matches the MPI library of the program.
The folder has a file for each rank; all other verbs read it as a trace.
docs/guide/recording.md describes what is recorded, and what is not.

The exit code is that of the command. If the command succeeds, it is 2 if
nothing was recorded, and 3 if part of the recording is missing.")]
pub struct Record {
    /// Folder to write to [default: the name of the program plus .mrec]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Also count instructions, if the system allows it, and distribute computation time in proportion to them
    #[arg(long)]
    pub instructions: bool,
    /// Measure CPU time instead of wall time, for programs with more ranks than cores
    #[arg(long)]
    pub cpu_time: bool,
    /// MPI compiler wrapper for C [default: $MPICC, or the mpicc next to mpirun]
    #[arg(long, value_name = "CC")]
    pub mpicc: Option<PathBuf>,
    /// Keep the preloaded library and its source in the folder
    #[arg(long, hide_short_help = true)]
    pub keep_library: bool,
    /// Replace a recording that exists
    #[arg(long)]
    pub force: bool,
    /// Command that runs the program, e.g. mpirun -n 16 ./app
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
