//! Lookup of the calls of a program in a trace that it generated, for messages of the replay.

use super::catalogue;
use super::generate::Instance;
use super::limits::Limits;
use crate::trace::{Locate, SourceLine};
use std::sync::OnceLock;

/// A program, with everything that its trace depends on. It is read and runs again when the first place is looked up, so
/// that a trace keeps neither the program nor its values in memory.
#[derive(Debug)]
pub struct GeneratedBy {
    program: String,
    ranks: u32,
    parameters: Vec<(String, String)>,
    limits: Limits,
    instance: OnceLock<Option<Instance>>,
}

impl GeneratedBy {
    /// Describes a program by its name, or that of its file, and parameters as written on the command line.
    pub fn new(program: &str, ranks: u32, parameters: &[(String, String)], limits: &Limits) -> Self {
        let (program, parameters) = (program.to_owned(), parameters.to_vec());
        Self { program, ranks, parameters, limits: *limits, instance: OnceLock::new() }
    }

    fn open(&self) -> Option<Instance> {
        catalogue::open(&self.program).and_then(|p| p.instantiate(self.ranks, &self.parameters, &self.limits)).ok()
    }
}

impl Locate for GeneratedBy {
    fn locate(&self, rank: usize, index: usize) -> Option<SourceLine> {
        self.instance.get_or_init(|| self.open()).as_ref()?.locate(rank as u32, index)
    }
}
