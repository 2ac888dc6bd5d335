//! The extension module `mopsim._mopsim`: the library and the command line, for the Python sources in `python/mopsim`.
//!
//! Those sources have the documented classes with their types; here is what they cannot do themselves. Results cross the
//! border as the JSON that the command line writes, so that both have the same numbers to the last bit, and arrays as
//! bytes, so that numpy is not needed where it is not used.
//!
//! The command line is compiled in as it is. A library that both could use would be compiled with every build of the
//! program, for a package that most builds do not make.

#[path = "../../src/cli/mod.rs"]
mod cli;

mod comparison;
mod errors;
mod flags;
mod lines;
mod platform;
mod replay;
mod study;
mod topology;
mod trace;
mod wait;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
mod _mopsim {
    #[pymodule_export]
    use super::comparison::Comparison;
    #[pymodule_export]
    use super::platform::Platform;
    #[pymodule_export]
    use super::replay::{Replay, replay};
    #[pymodule_export]
    use super::study::Study;
    #[pymodule_export]
    use super::topology::Topology;
    #[pymodule_export]
    use super::trace::Trace;
    #[pymodule_export]
    use super::{command_line, version};
}

/// Version of the package.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Runs the command line and returns its exit code. `program` is the path by which scripts call it again.
#[pyfunction]
fn command_line(py: Python<'_>, program: Option<std::path::PathBuf>, arguments: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| cli::main(cli::Invocation { program, arguments }))
}
