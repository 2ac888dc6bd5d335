//! Built-in programs.

use super::error::WorkloadError;
use super::program::Program;
use crate::similar;
use std::path::Path;

/// A built-in program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Builtin {
    /// Name, e.g. `npb/lu`.
    pub name: &'static str,
    /// Source text of the program.
    pub source: &'static str,
}

macro_rules! builtin {
    ($($name:literal),* $(,)?) => {
        &[$(Builtin { name: $name, source: include_str!(concat!("../../workloads/", $name, ".star")) }),*]
    };
}

/// All built-in programs, in the order in which they are listed for users.
pub const ALL: &[Builtin] = builtin![
    "npb/bt",
    "npb/cg",
    "npb/dt",
    "npb/ep",
    "npb/ft",
    "npb/is",
    "npb/lu",
    "npb/mg",
    "npb/sp",
    "graph500/replicated",
    "graph500/simple",
    "himeno",
    "matmul/bcast",
    "matmul/summa",
    "stencil",
    "transpose",
    "training-step",
    "sweep",
];

/// Files that programs may load as `@mopsim//NAME.star`.
pub const LIBRARY: &[Builtin] = builtin!["lib/graph500", "lib/grid", "lib/groups", "lib/multipartition", "lib/npb"];

impl Builtin {
    /// Returns a one-line description of the program: the first line of its text.
    pub fn headline(&self) -> &'static str {
        self.source.trim_start_matches('"').lines().next().unwrap_or_default().trim_end_matches('"')
    }
}

/// Returns the built-in program of that name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.name == name)
}

/// Returns the built-in program that was probably meant; the suite may be missing: `lu` is `npb/lu`.
fn nearest(name: &str) -> Option<&'static str> {
    let names = || ALL.iter().map(|builtin| builtin.name);
    let short = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
    similar::nearest(name, names()).or_else(|| {
        let nearest = similar::nearest(name, names().map(short))?;
        names().find(|name| short(name) == nearest)
    })
}

/// Returns the program of that name: a built-in one, or that of a file whose name ends in `.star`.
///
/// # Errors
/// [`WorkloadError`] if it does not exist, or is not a program.
pub fn open(name: &str) -> Result<Program, WorkloadError> {
    if let Some(builtin) = find(name) {
        return Program::builtin(builtin);
    }
    if name.ends_with(".star") {
        return Program::read(Path::new(name));
    }
    Err(WorkloadError::Unknown { name: name.to_owned(), nearest: nearest(name) })
}
